"""Games, projects, mods, and files on disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import pyrefit as refit

SOUNDS = "zbd/zrdr.zbd"


def halve(file: refit.File) -> None:
    sounds = file["sounds.zrd.json"]
    sounds[1][0][3] = 0.5
    file["sounds.zrd.json"] = sounds


def test_save_keeps_the_first_original(game: Path) -> None:
    path = game / SOUNDS
    original = path.read_bytes()
    file = refit.open(path)
    halve(file)
    kept = file.save()
    assert kept == path.with_name("zrdr.zbd.orig") and kept.read_bytes() == original
    assert path.read_bytes() == bytes(file) != original
    halve(file)
    assert file.save() is None and kept.read_bytes() == original
    # Another path is not replaced by accident.
    other = game / "other.zbd"
    other.write_bytes(b"something else")
    with pytest.raises(refit.Error):
        file.save(other)
    assert other.read_bytes() == b"something else"
    file.save(other, force=True)
    assert other.read_bytes() == bytes(file)
    assert refit.restore(path) == [path]
    assert path.read_bytes() == original


def test_a_file_that_changed_meanwhile_is_not_replaced(game: Path) -> None:
    path = game / SOUNDS
    file = refit.open(path)
    halve(file)
    theirs = path.read_bytes().replace(b"thud", b"bang")
    path.write_bytes(theirs)
    with pytest.raises(refit.Error):
        file.save()
    assert path.read_bytes() == theirs
    with pytest.raises(refit.Error):
        refit.read(theirs, name="zrdr.zbd").save()


def test_a_game(game: Path) -> None:
    opened = refit.Game(game)
    roles = {file.path: file.role for file in opened.files}
    assert roles["zbd/m1/gamez.zbd"] == "world of mission m1" and len(roles) == 9
    assert (opened.game, opened.is_project, opened.status(), opened.mods) == ("rc", False, [], [])
    uses = opened.refs("door01", kind="node")
    assert [use.defines for use in uses][:1] == [True] and any(not use.defines for use in uses)
    assert opened.refs("no such name") == []
    assert {place.kind for place in opened.find("door")} >= {"node"}
    with pytest.raises(refit.Error) as caught:
        opened.open("zbd/none.zbd")
    assert caught.value.kind == "missing"
    file = opened.open("zbd/ZRDR.zbd")
    halve(file)
    file.save()
    again = refit.Game(game)
    differences = again.diff()
    assert list(differences) == [SOUNDS]
    (field,) = differences[SOUNDS][0]["fields"]
    assert (field["old"], field["new"]) == (1.0, 0.5)
    assert again.status() == [(SOUNDS, "modified")]


def test_findings_of_a_game(game: Path) -> None:
    opened = refit.Game(game)
    file = opened.open("zbd/m1/gamez.zbd")
    path = next(path for path in file if path.startswith("nodes"))
    nodes = file[path]
    for node in nodes["nodes"]:
        if node["name"] == "door01":
            node["name"] = "door02"
    file[path] = nodes
    file.save()
    found = refit.Game(game).lint()
    assert any("door01" in finding.message for findings in found.values() for finding in findings), found


def test_a_project_and_a_mod(game: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int, str]] = []
    project = refit.unpack(game, tmp_path / "mymod", progress=lambda *said: seen.append(said))
    assert project.is_project and len(project.files) == 9 and any(name for _, _, name in seen)
    tree = tmp_path / "mymod" / SOUNDS
    text = (tree / "sounds.zrd.json").read_text()
    (tree / "sounds.zrd.json").write_text(text.replace("1.0", "0.5", 1))
    assert project.status() == [(SOUNDS + "/sounds.zrd.json", "modified")]
    assert project.open(SOUNDS)["sounds.zrd.json"][1][0][3] == 0.5
    original = (game / SOUNDS).read_bytes()
    mod = tmp_path / "quiet.refitmod"
    assert refit.make_mod(mod, game, tmp_path / "mymod", author="Ann") == 1
    opened = refit.Game(game)
    assert opened.apply(mod)[SOUNDS] == "changed" and opened.mods == ["quiet"]
    assert (game / SOUNDS).read_bytes() != original
    assert opened.remove("quiet")[SOUNDS] == "restored" and (game / SOUNDS).read_bytes() == original
    assert [path.name for path in project.repack(game)] == ["zrdr.zbd"]
    assert refit.open(game / SOUNDS)["sounds.zrd.json"][1][0][3] == 0.5
    refit.restore(game)
    assert (game / SOUNDS).read_bytes() == original
    with pytest.raises(refit.Error):
        refit.make_mod(mod, game, tmp_path / "none")


def test_what_a_callback_raises_comes_out(game: Path, tmp_path: Path) -> None:
    def stop(done: int, total: int, name: str) -> None:
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        refit.unpack(game, tmp_path / "mymod", progress=stop)


def test_textures_come_from_the_game(game: Path) -> None:
    pytest.importorskip("numpy")
    scene = refit.Game(game).scene("zbd/m1/gamez.zbd")
    image = scene.image("bark")
    assert image is not None and image.shape == (8, 8, 4)
    own = refit.open(game / "zbd/m1/rtexture4.zbd").images()["bark"]
    assert (own[..., :3] == image[..., :3]).all()
    assert scene.image("nothing") is None
    assert refit.open(game / "zbd/m1/gamez.zbd").scene().image("bark") is None


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_long_work(tmp_path: Path) -> None:
    """A file of 40 MB takes seconds; Ctrl+C ends the call at once."""
    script = tmp_path / "long.py"
    script.write_text(
        "import pyrefit as refit, sys, time\n"
        "data = open('golden/anim/mw_door.zbd','rb').read()\n"
        "game = refit.Game('golden')\n"
        "print('ready', flush=True)\n"
        "try:\n"
        "    while True: game.lint()\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    child = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True, env={**os.environ})
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(1)
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "interrupted\n"
    assert time.monotonic() - begun < 1
    child.kill()
    child.wait()


def test_other_threads_run_meanwhile() -> None:
    """The lock of Python is free while refit works."""
    counted = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before, begun = counted, time.monotonic()
    refit.Game("golden").lint()
    turns, seconds = counted - before, time.monotonic() - begun
    stop.set()
    thread.join()
    assert turns > 100 * seconds, f"{turns} turns in {seconds:.1f} s"


def test_edits_with_undo(game: Path, tmp_path: Path) -> None:
    project = refit.unpack(game, tmp_path / "project")
    world, nodes = "zbd/m1/gamez.zbd", "nodes/00000-00006.json"
    path = tmp_path / "project" / world / nodes
    before = path.read_bytes()
    done = project.edit(world, nodes, "nodes[2].data.camera.clip_near", 2.0)
    assert done.number and done.changed == [f"{world}/{nodes}"] and "clip_near" in done.label
    after = path.read_bytes()
    assert after != before
    undone = project.undo()
    assert undone and undone.number == done.number and path.read_bytes() == before
    assert project.undo() is None and project.changes() == []
    assert project.redo() and path.read_bytes() == after
    [change] = project.changes()
    assert change.number == done.number and "clip_near" in "".join(change.lines[f"{world}/{nodes}"])
    # An object of the world, and a member with bytes.
    move = {"do": "move", "node": "door01", "motion": {"by": [1, 0, 0]}}
    moved = project.change({"do": "world", "file": world, "change": move})
    added = project.change(
        {"do": "member", "file": SOUNDS, "change": {"do": "add", "name": "new.zrd", "bytes": b'["a", 1]\n'}}
    )
    assert moved.number and added.number and len(project.changes()) == 3
    assert project.revert(moved.number).number
    with pytest.raises(refit.Error):
        project.edit(world, nodes, "nodes[2].data.camera.none", 1)
    with pytest.raises(refit.Error):
        refit.Game(game).edit(world, nodes, "nodes[2].data.camera.clip_near", 2.0)
    original = (game / world).read_bytes()
    built = project.build()
    assert any(file.as_posix().endswith(world) for file in built) and (game / world).read_bytes() != original
    assert project.restore() and (game / world).read_bytes() == original
