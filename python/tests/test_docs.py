"""The examples of the documentation run."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize("module", ["pyrefit", "pyrefit._error", "pyrefit._file", "pyrefit._game", "pyrefit._scene"])
def test_docstrings(module: str) -> None:
    pytest.importorskip("numpy")
    tried = doctest.testmod(importlib.import_module(module))
    assert tried.failed == 0 and tried.attempted > 0
