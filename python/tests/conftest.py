"""The tests run in the root of the repository, where the examples of the documentation find its small game."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are from the root."""
    monkeypatch.chdir(ROOT)


def golden() -> list[str]:
    """The golden files, as paths from the root."""
    files = []
    for path in sorted((ROOT / "golden").rglob("*")):
        inside = path.relative_to(ROOT).parts
        if path.is_file() and "trees" not in inside and path.name not in ("SHA256SUMS", "CORPUS.json"):
            if path.suffix not in (".md", ".py", ".json"):
                files.append(path.relative_to(ROOT).as_posix())
    return files


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A copy of the small game."""
    return Path(shutil.copytree(ROOT / "docs/example/recoil", tmp_path / "recoil"))
