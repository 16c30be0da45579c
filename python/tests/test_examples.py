"""The examples do what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import pyrefit as refit

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name: str, *arguments: object) -> str:
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_mission(game: Path) -> None:
    assert "zbd/m1/gamez.zbd: 1 cameras" in run("every_mission.py", game)
    differences = refit.Game(game).diff()
    (fields,) = [part["fields"] for part in differences["zbd/m1/gamez.zbd"]]
    assert [(field["old"], field["new"]) for field in fields] == [(5000.0, 10000.0)]


def test_textures(game: Path) -> None:
    lines = run("textures.py", game).splitlines()
    assert any(line.split() == ["bark", "8", "×", "8", "zbd/m1/rtexture4.zbd"] for line in lines), lines


def test_map(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    picture = tmp_path / "map.png"
    said = run("map.py", "golden/gamez/mw_typical_gamez.zbd", picture)
    assert picture.exists() or "g000" in said


def test_make_mod(game: Path, tmp_path: Path) -> None:
    mod = tmp_path / "quiet.refitmod"
    assert "2 changes" in run("make_mod.py", game, mod)
    opened = refit.Game(game)
    opened.apply(mod)
    sounds = opened.open("zbd/zrdr.zbd")["sounds.zrd.json"]
    assert [sound[3] for sound in sounds[1]] == [0.5, 0.5]
