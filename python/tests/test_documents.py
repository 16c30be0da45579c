"""The content of documents, and what they refuse."""

from __future__ import annotations

import gc
import math
import struct
import threading
from pathlib import Path
from typing import Any

import pytest
import pyrefit as refit
from pyrefit import _refit

READER = "docs/example/recoil/zbd/zrdr.zbd"
WORLD = "docs/example/recoil/zbd/m1/gamez.zbd"


def test_numbers_keep_their_bits() -> None:
    text = '[1, 1.0, -0.0, 0.1, 1e30, 1.1754944e-38, -9223372036854775808, 18446744073709551615, "0x7fc00001"]'
    values: Any = _refit.loads(text)
    assert [type(value) for value in values] == [int, float, float, float, float, float, int, int, str]
    assert math.copysign(1, values[2]) == -1
    assert _refit.loads(_refit.dumps(values)) == values
    assert _refit.dumps(values) == text
    nan = struct.unpack("<f", struct.pack("<I", 0x7FC00000))[0]
    assert _refit.dumps([math.inf, -math.inf, nan]) == '["0x7f800000", "0xff800000", "0x7fc00000"]'


def test_texts_keep_their_characters() -> None:
    odd = "\x00\x1f\"\\/ é€ \U0001f600 \u2028 \x7f"
    assert _refit.loads(_refit.dumps({odd: [odd]})) == {odd: [odd]}
    assert _refit.loads('"\\ud83d\\ude00\\u00e9\\n"') == "\U0001f600é\n"
    for half in ('"\\ud83d"', '"\\ude00"', '"\\', '"', "[1", '{"a"}', "nul", "", "[1}", "]", "+1", "-"):
        with pytest.raises(refit.Error):
            _refit.loads(half)


def test_floats_of_a_world_keep_their_bits() -> None:
    """NaN with a payload, -0.0 and a denormal survive the round trip through a file."""
    file = refit.open("golden/gamez/mw_typical_gamez.zbd")
    path = next(path for path in file if path.startswith("models/"))
    model = file[path]
    model["vertices"][0] = ["0x7fc00001", -0.0, 1e-45]
    file[path] = model
    data = bytes(file)
    back = refit.read(data, name="gamez.zbd")[path]["vertices"][0]
    assert back[0] == "0x7fc00001" and math.copysign(1, back[1]) == -1 and back[2] == 1e-45
    assert data.count(struct.pack("<IIf", 0x7FC00001, 0x80000000, 1e-45)) == 1


def test_an_int_is_no_float() -> None:
    file = refit.open(READER)
    file["sounds.zrd.json"] = [1, 1.0, -0.0]
    stored = file.get("sounds.zrd", stored=True)
    assert stored[8:] == struct.pack("<IiIfIf", 1, 1, 2, 1.0, 2, -0.0)
    assert repr(file["sounds.zrd.json"]) == "[1, 1.0, -0.0]"


def test_wrong_values_say_where() -> None:
    file = refit.open(READER)
    good = bytes(file)
    loop: list[Any] = []
    loop.append(loop)
    for value, path in [
        ([1, {"a": object()}], "[1].a"),
        ([1, [{1: 2}]], "[1][0].1"),
        ([b"bytes"], "[0]"),
        ({"a": {1, 2}}, "a"),
        (["\ud800"], "[0]"),
        (loop, ""),
        ([10**5000], "[0]"),
    ]:
        with pytest.raises(refit.Error) as caught:
            file["effects.zrd.json"] = value
        assert (caught.value.kind, caught.value.path) == ("invalid", path)
    # Values that JSON has and this document does not.
    for value in ({"a": 1}, None, [True], [10**30], ["no\nlatin \u4e00"]):
        with pytest.raises(refit.Error) as caught:
            file["effects.zrd.json"] = value
        assert caught.value.kind in ("syntax", "invalid") and caught.value.file == "effects.zrd.json", caught.value
    assert bytes(file) == good, "what was refused changes nothing"


def test_wrong_fields_say_where() -> None:
    file = refit.open(WORLD)
    for path in file:
        if path.startswith("nodes"):
            break
    nodes = file[path]
    nodes["nodes"][1]["name"] = 5
    with pytest.raises(refit.Error) as caught:
        file[path] = nodes
    assert (caught.value.file, caught.value.path, caught.value.kind) == (path, "nodes[1].name", "syntax")
    nodes["nodes"][1]["name"] = "fine"
    nodes["nodes"][1]["colour"] = 5
    with pytest.raises(refit.Error) as caught:
        file[path] = nodes
    assert caught.value.path.startswith("nodes[1]") and "colour" in str(caught.value)


def test_wrong_paths() -> None:
    file = refit.open(READER)
    with pytest.raises(refit.Error) as caught:
        file["sounds.zrd"]
    assert caught.value.kind == "no_member" and "sounds.zrd.json" in str(caught.value)
    with pytest.raises(refit.Error) as caught:
        file["new.json"] = []
    assert caught.value.kind == "no_member"
    for name in ("nothing", "#99", "#-1", ""):
        with pytest.raises(refit.Error) as caught:
            file.get(name)
        assert caught.value.kind == "no_member"
    with pytest.raises(refit.Error) as caught:
        refit.open("no/such/file.zbd")
    assert caught.value.kind == "io" and caught.value.file == "no/such/file.zbd"
    with pytest.raises(refit.Error):
        refit.open("docs")
    with pytest.raises(refit.Error):
        refit.open(READER, game="doom")
    with pytest.raises(TypeError):
        refit.open(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        refit.read("text")  # type: ignore[arg-type]


def test_damaged_files_say_where() -> None:
    data = Path(WORLD).read_bytes()
    with pytest.raises(refit.Error) as caught:
        refit.read(data[:200], name="m1/gamez.zbd")
    assert caught.value.kind == "truncated" and caught.value.offset is not None
    assert caught.value.file == "m1/gamez.zbd"


def test_closed_files() -> None:
    with refit.open(READER) as file:
        assert not file.closed
    assert file.closed and file.format == "reader" and "reader" in repr(file)
    for use in (
        file.members, file.lint, file.save, lambda: bytes(file), lambda: file["refit.json"], lambda: list(file)
    ):
        with pytest.raises(refit.Error) as caught:
            use()
        assert caught.value.kind == "closed"
    file.close()


def test_members_go_out_and_in() -> None:
    file = refit.open(READER)
    good = bytes(file)
    for member in file.members():
        for stored in (False, True):
            file.put(member.name, file.get(member.name, stored=stored), stored=stored)
    assert bytes(file) == good
    file.put("effects.zrd", b"[1, 2.5]")
    assert file["effects.zrd.json"] == [1, 2.5]
    file["sounds.zrd.json"] = ["kept"]
    file.put("effects.zrd", memoryview(b"[3]"))
    assert (file["effects.zrd.json"], file["sounds.zrd.json"]) == ([3], ["kept"])
    file.add("new.zrd", b"[4]")
    assert [member.name for member in file.members()] == ["sounds.zrd", "effects.zrd", "new.zrd"]
    assert refit.read(bytes(file), name="zrdr.zbd")["new.zrd.json"] == [4]


def test_all_documents_at_once() -> None:
    file = refit.open("golden/gamez/mw_typical_gamez.zbd")
    assert file.load() == {path: file[path] for path in file.documents()}
    assert file.load(["textures.json"]) == {"textures.json": file["textures.json"]}
    with pytest.raises(refit.Error, match="no document"):
        file.load(["textures.json", "nothing.json"])
    assert gc.isenabled()


def test_arrays_are_lists() -> None:
    numpy = pytest.importorskip("numpy")
    file = refit.open(READER)
    file["effects.zrd.json"] = [numpy.float32(0.1), numpy.arange(3), numpy.array([0.5, -0.0], numpy.float32), (1, 2)]
    assert refit.read(bytes(file), name="zrdr.zbd")["effects.zrd.json"] == [0.1, [0, 1, 2], [0.5, -0.0], [1, 2]]


def test_threads() -> None:
    """Many threads on one file, and on files of their own."""
    shared = refit.open(READER)
    good, failed = bytes(shared), []

    def work(number: int) -> None:
        try:
            for turn in range(40):
                shared["effects.zrd.json"] = shared["effects.zrd.json"]
                own = refit.open(WORLD)
                assert own["refit.json"]["format"] == "gamez"
                assert bytes(shared) == good
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_a_signature_that_breaks_is_told(tmp_path: Path) -> None:
    addon = tmp_path / "hut.pbo"
    addon.write_bytes(Path("golden/pbo/signed.pbo").read_bytes())
    file = refit.open(addon)
    member = file.members()[0].name
    (tmp_path / "hut.pbo.lab.bisign").write_bytes(b"not a signature")
    file.put(member, b"other")
    with pytest.warns(UserWarning, match="signature hut.pbo.lab.bisign"):
        file.save()
