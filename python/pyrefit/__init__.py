"""refit for Python: reads and writes the files of Recoil, MechWarrior 3, Pirate's Moon and Crimson Skies, and Bohemia's
PBO archives. What you do not edit keeps its bytes.

>>> import pyrefit as refit
>>> file = refit.open("docs/example/recoil/zbd/zrdr.zbd")
>>> file.format
'reader'
>>> file["sounds.zrd.json"]
['SAMPLES', [['creak', 'creak.wav', 'VOLUME', 1.0], ['thud', 'thud.wav', 'VOLUME', 1.0]]]

A document is an object of Python: set it again to change the file.

>>> sounds = file["sounds.zrd.json"]
>>> sounds[1][0][3] = 0.5
>>> file["sounds.zrd.json"] = sounds
>>> before = refit.open("docs/example/recoil/zbd/zrdr.zbd")
>>> bytes(file) == bytes(before), len(bytes(file)) == len(bytes(before))
(False, True)

The examples run in a clone of the repository. ``refit.Game`` works with a whole game.
"""

from typing import TYPE_CHECKING

from ._error import Error
from ._file import Document, File, Finding, Member, open, read, verify
from ._game import Change, Changed, Edited, FileOfGame, Game, Place, make_mod, put_glb, restore, unpack

if TYPE_CHECKING:
    from ._scene import Material, Model, Node, Scene

__all__ = [
    "Change",
    "Changed",
    "Document",
    "Edited",
    "Error",
    "File",
    "FileOfGame",
    "Finding",
    "Game",
    "Material",
    "Member",
    "Model",
    "Node",
    "Place",
    "Scene",
    "make_mod",
    "open",
    "put_glb",
    "read",
    "restore",
    "unpack",
    "verify",
]


def __getattr__(name: str) -> object:
    # Only scenes need numpy.
    if name in {"Material", "Model", "Node", "Scene"}:
        from . import _scene

        return getattr(_scene, name)
    raise AttributeError(f"module 'pyrefit' has no attribute {name!r}")
