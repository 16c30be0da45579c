"""Files of games through Blender and back, with the add-on. Needs `bpy`: `cargo xtask blender --test`.

What was not edited keeps every bit; what was edited changes, and nothing else. `REFIT_WORLDS` names a folder with
further files, which are copied and make the same trips.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import pyrefit as refit

pytest.importorskip("bpy")

from stage import GAMES, stage, world_of  # noqa: E402

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
GOLDEN = [path for kind in ("gamez", "planes", "mechlib") for path in sorted((ROOT / "golden" / kind).glob("*.zbd"))]


def further(*formats: str) -> list[Path]:
    """The files of these formats in the folder that was named, without those that refit refuses."""
    found = []
    for path in sorted(Path(os.environ.get("REFIT_WORLDS", "/nowhere")).rglob("*.zbd")):
        with contextlib.suppress(refit.Error):
            if refit.open(path).format in formats:
                found.append(path)
    return found


def label(path: Path) -> str:
    return "/".join(path.parts[-3:])


def trip(path: Path, edit: str, *more: str) -> list[dict[str, Any]]:
    """Opens a file in a Blender of its own, edits it and brings it back."""
    done = subprocess.run(
        [sys.executable, HERE / "trip.py", path, edit, *more], capture_output=True, text=True, check=False
    )
    rows = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert done.returncode == 0 and rows, done.stdout + done.stderr
    result: list[dict[str, Any]] = json.loads(rows[0].removeprefix("RESULT "))
    return result


def copied(path: Path, folder: Path) -> Path:
    return Path(shutil.copyfile(path, folder / path.name))


def changed_parts(before: Path, after: Path) -> dict[str, set[str]]:
    """The documents that differ, each with the keys or positions at its top that do."""
    old, new = refit.open(before), refit.open(after)
    out: dict[str, set[str]] = {}
    for path in {*old, *new}:
        a = old[path] if path in old else None
        b = new[path] if path in new else None
        if a != b:
            both = a and b and isinstance(a, dict)
            out[path] = {key for key in {*a, *b} if a.get(key) != b.get(key)} if both else set()
    return out


@pytest.mark.parametrize("path", GOLDEN + further("gamez", "planes", "mechlib"), ids=label)
@pytest.mark.parametrize("tidy", ["tidy", "--plain"])
def test_unedited_files_keep_every_bit(path: Path, tidy: str, tmp_path: Path) -> None:
    file = copied(path, tmp_path)
    for row in trip(file, "none", tidy):
        assert "error" not in row, row
        assert row["summary"] == "as it was" and row["files"] == [], row
    assert file.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("tidy", ["tidy", "--plain"])
def test_a_normal_that_blender_cannot_hold_stays(tidy: str, tmp_path: Path) -> None:
    """It measures normals by that of the faces around, which must not run along an edge.

    Here it does at the first corner.
    """
    path = copied(ROOT / "golden/gamez/mw_typical_gamez.zbd", tmp_path)
    name = "models/0004-bldg_flt_0.json"
    file = refit.open(path)
    model = file[name]
    first = len(model["vertices"])
    turned = [-(0.5**0.5), 0.5**0.5 * 2 / 3, 0.5**0.5 * 5**0.5 / 3]
    model["vertices"] += [[0.0, 0.0, 0.0], turned, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    model["polygons"][0]["vertices"] = [first, first + 1, first + 2, first + 3]
    file[name] = model
    file.save()
    before = path.read_bytes()
    (row,) = trip(path, "none", tidy)
    assert row["summary"] == "as it was" and path.read_bytes() == before, row


def test_one_click_moves_one_vertex(tmp_path: Path) -> None:
    path = ROOT / "golden/gamez/mw_typical_gamez.zbd"
    file = copied(path, tmp_path)
    (row,) = trip(file, "vertex")
    assert row["summary"].startswith("1 vertex moved") and row["corners"] == 4, row
    changed = changed_parts(path, file)
    (model,) = [part for part in changed if part.startswith("models/")]
    old, new = refit.open(path)[model]["vertices"], refit.open(file)[model]["vertices"]
    moved = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert len(moved) == 1 and moved[0][1][0] == moved[0][0][0] + 1, moved
    assert file.with_name(file.name + ".orig").read_bytes() == path.read_bytes()


def test_an_object_moves_alone(tmp_path: Path) -> None:
    path = ROOT / "golden/gamez/mw_typical_gamez.zbd"
    file = copied(path, tmp_path)
    (row,) = trip(file, "object")
    assert row["summary"] == "1 node moved", row
    assert all(part.startswith("nodes/") for part in changed_parts(path, file))


def test_a_new_object_is_new(tmp_path: Path) -> None:
    path = ROOT / "golden/gamez/mw_typical_gamez.zbd"
    file = copied(path, tmp_path)
    (row,) = trip(file, "new")
    assert "1 node new" in row["summary"], row
    nodes = {node.name for node in refit.open(file).scene().nodes}
    assert nodes - {node.name for node in refit.open(path).scene().nodes} == {"shed"}


def mech_game(folder: Path) -> tuple[Path, Path]:
    zbd = folder / "zbd"
    zbd.mkdir()
    mechlib = zbd / "mechlib.zbd"
    # The 'mech that the motions are of.
    library = (ROOT / "golden/mechlib/mw_typical_mechlib.zbd").read_bytes()
    mechlib.write_bytes(library.replace(b"mech00.flt", b"madcat.flt"))
    motion = Path(shutil.copy(ROOT / "golden/motion/mw_typical_motion.zbd", zbd / "motion.zbd"))
    return mechlib, motion


def test_motions_keep_every_bit(tmp_path: Path) -> None:
    mechlib, motion = mech_game(tmp_path)
    before = motion.read_bytes()
    rows = [row for row in trip(mechlib, "none", "--motions") if row["name"].endswith(".motions")]
    for row in rows:
        assert row.get("summary") == "as it was", row
    assert motion.read_bytes() == before


def test_a_key_changes_its_frame(tmp_path: Path) -> None:
    mechlib, motion = mech_game(tmp_path)
    before = refit.open(motion)
    rows = {row["name"]: row for row in trip(mechlib, "key", "--motions")}
    moved = rows["madcat.motions"]
    assert moved["rate"] == 30.0 and "1 curve changed" in moved["summary"], moved
    after = refit.open(motion)
    changed = [path for path in before if path != "refit.json" and before[path] != after[path]]
    assert len(changed) == 1, changed
    frames = [
        (part["name"], at, [b - a for a, b in zip(was, now)])
        for part, new in zip(before[changed[0]]["parts"], after[changed[0]]["parts"])
        for at, (was, now) in enumerate(zip(part["translations"], new["translations"]))
        if was != now
    ]
    ((_, at, difference),) = frames
    assert at == 1 and sorted(abs(round(value, 3)) for value in difference) == [0, 0, 1], frames


def pressed(*arguments: Path) -> None:
    command = [sys.executable, HERE / "buttons.py", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "RESULT" in done.stdout, done.stdout + done.stderr


def test_the_buttons_work(tmp_path: Path) -> None:
    pressed(copied(ROOT / "golden/gamez/mw_typical_gamez.zbd", tmp_path))


def test_the_package_installs(tmp_path: Path) -> None:
    if "REFIT_ADDON" not in os.environ:
        pytest.skip("`cargo xtask blender` makes the package")
    path = ROOT / "golden/gamez/mw_typical_gamez.zbd"
    file, own = copied(path, tmp_path), tmp_path / "blender"
    command = [sys.executable, HERE / "installed.py", os.environ["REFIT_ADDON"], file]
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(own)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "RESULT" in done.stdout, done.stdout + done.stderr
    assert all(part.startswith("nodes/") for part in changed_parts(path, file))
    assert list(own.rglob("site-packages/pyrefit/__init__.py"))


@pytest.mark.parametrize("game", GAMES)
def test_a_project_is_edited_built_and_restored(game: str, tmp_path: Path) -> None:
    stage(game, tmp_path / "game")
    project = refit.unpack(tmp_path / "game", tmp_path / "project")
    pressed(project.path_of(world_of(game)), tmp_path / "game")


def test_the_stories_of_the_book_are_what_happens(tmp_path: Path) -> None:
    game = Path(shutil.copytree(ROOT / "docs/example/recoil", tmp_path / "recoil"))
    done = subprocess.run([sys.executable, HERE / "story.py", game], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "RESULT" in done.stdout, done.stdout + done.stderr
    said = [line for line in done.stdout.splitlines() if line.startswith("gamez.zbd: world:")]
    page = (ROOT / "docs/blender.md").read_text()
    assert len(said) == 2 and all(line in page for line in said), said
    assert refit.verify(game / "zbd/m1/gamez.zbd") == "exact"
    assert {"bricks", "planks", "slate"} < {image.name for image in refit.open(game / "zbd/m1/rtexture4.zbd").members()}
