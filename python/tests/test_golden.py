"""Every golden file goes through objects of Python and comes back bit for bit."""

from __future__ import annotations

from pathlib import Path

import pytest
import pyrefit as refit
from conftest import ROOT, golden


def test_there_are_golden_files() -> None:
    assert len(golden()) > 300


@pytest.mark.parametrize("path", golden())
def test_documents_come_back(path: str) -> None:
    data = (ROOT / path).read_bytes()
    try:
        file = refit.open(path)
    except refit.Error as error:
        # Parts from other tests, which have no such name in any game.
        assert error.kind in ("unrecognised", "unsupported"), error
        pytest.skip("not recognised")
    assert bytes(file) == data
    documents = file.documents()
    try:
        for part in documents:
            file[part] = file[part]
    except refit.Error as error:
        # A file that stays whole, because its documents cannot be proved.
        assert error.kind == "unsupported" and refit.verify(path) == "raw", error
        return
    assert bytes(file) == data, "documents set again change the file"
    assert file.news() == []


@pytest.mark.parametrize("path", golden())
def test_all_that_is_asked_is_answered_or_refused(path: str) -> None:
    """Whatever a file is, each question has an answer or a `refit.Error`."""
    try:
        file = refit.open(path)
    except refit.Error:
        return
    for ask in (file.members, file.lint, file.info, file.documents, lambda: list(file), lambda: file["refit.json"]):
        ask()
    for member in range(min(len(file.members()), 20)):
        try:
            assert isinstance(file.get(f"#{member}", stored=True), bytes)
        except refit.Error as error:
            assert error.kind in ("no_member", "invalid"), error
    if file.format not in ("gamez", "planes", "mechlib"):
        with pytest.raises(refit.Error):
            file.scene()
        return
    scene = file.scene()
    for node in scene.nodes:
        assert node.parent is None or 0 <= node.parent < len(scene.nodes)
        assert node.matrix.shape == (4, 4)
    for model in scene.models:
        corners = len(model.positions)
        assert {len(model.normals), len(model.uvs), len(model.colors)} == {corners}
        assert model.triangles.shape[1] == 3 and int(model.triangles.max()) < corners
        assert sum(len(part.triangles) for part in model.parts) == len(model.triangles)
