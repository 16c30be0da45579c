"""Games, projects and mods."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from . import _refit
from ._error import Error
from ._file import Document, File, Finding, StrPath
from ._file import open as open_file

if TYPE_CHECKING:
    from ._scene import Scene

Progress = Callable[[int, int, str], object]
"""Called with the bytes that are done, all bytes, and what is worked on now. An exception ends the work."""


class FileOfGame(NamedTuple):
    """A file of a game or a project."""

    path: str
    """Below the game's folder, with ``/``."""
    format: str | None
    game: str | None
    role: str | None
    """Its role in the game, such as ``"world of mission m1"``."""
    group: str
    """The folder of the mission that it belongs to; empty for shared files."""
    size: int
    edited: bool


class Place(NamedTuple):
    """Where a file defines or uses a name."""

    name: str
    kind: str
    """The kind of the named thing: ``"node"``, ``"texture"``, ``"sound"``, …"""
    file: str
    document: str
    at: str
    """The field."""
    defines: bool


class Edited(NamedTuple):
    """What an edit, an undo or a redo did."""

    number: int | None
    """Its number; ``None`` if nothing changed."""
    label: str
    """What it did, in a sentence."""
    changed: list[str]
    """The documents that changed, below the project's folder."""
    brought_in: list[Finding]
    """The findings that it brought in, worst first."""
    notes: list[str]

    @classmethod
    def _of(cls, row: dict[str, Any]) -> Edited:
        changed = [part["file"] + "/" + part["part"] for part in row["changed"]]
        found = [Finding(f["code"], f["severity"], f["at"], f["message"], 0) for f in row["brought_in"]]
        return cls(row["number"], row["label"], changed, found, row["notes"])


class Change(NamedTuple):
    """An edit that is in effect."""

    number: int
    """``Game.revert`` takes it back."""
    time: int
    """When it was made, in seconds since 1970."""
    label: str
    lines: dict[str, list[str]]
    """What it did to each document."""


def _plain(edit: Any) -> Any:
    """Bytes as base64, as JSON carries them."""
    if isinstance(edit, (bytes, bytearray, memoryview)):
        return base64.b64encode(edit).decode("ascii")
    if isinstance(edit, dict):
        return {key: _plain(value) for key, value in edit.items()}
    return edit


class Game:
    """A game's folder, or a project of ``refit unpack``.

    >>> import pyrefit as refit
    >>> game = refit.Game("docs/example/recoil")
    >>> [(file.path, file.role) for file in game.files if file.format == "gamez"]
    [('zbd/m1/gamez.zbd', 'world of mission m1')]
    """

    def __init__(self, path: StrPath, *, progress: Progress | None = None) -> None:
        self._game = _refit.Game(path, progress)
        self._opened: dict[str, Any] = self._answer("opened")
        self._rows: dict[int, dict[str, Any]] = {file["number"]: file for file in self._opened["files"]}
        self._numbers = {file["path"].lower(): file["number"] for file in self._opened["files"]}

    def _answer(self, question: str, **query: str) -> Any:
        return self._game.ask(question, query)

    def __repr__(self) -> str:
        return f"<refit.Game {os.fspath(self.path)}: {self._opened['what']}, {len(self._opened['files'])} files>"

    @property
    def path(self) -> Path:
        """The folder."""
        return Path(self._game.path)

    @property
    def is_project(self) -> bool:
        """True for a project that ``refit unpack`` made."""
        return bool(self._opened["what"] == "project")

    @property
    def game(self) -> str | None:
        """The game: ``"rc"``, ``"mw"``, ``"pm"``, ``"cs"``."""
        return cast("str | None", self._opened["game"])

    @property
    def files(self) -> list[FileOfGame]:
        """The files that refit knows, as they were when the game was opened."""
        return [
            FileOfGame(
                row["path"], row["format"], row["game"], row["role"], row["group"], row["bytes"], row["edited"]
            )
            for row in self._opened["files"]
        ]

    def _number(self, path: str) -> int:
        number = self._numbers.get(path.replace("\\", "/").lower())
        if number is None:
            raise Error(f"the game has no file {path!r} that refit knows", "missing", file=path)
        return cast(int, number)

    def open(self, path: str) -> File:
        """Opens a file by its path in the game, in any spelling.

        >>> import pyrefit as refit
        >>> refit.Game("docs/example/recoil").open("ZBD/M1/anim.zbd").format
        'anim'
        """
        number = self._number(path)
        return open_file(self._game.path_of(number), game=self._rows[number]["game"])

    def _place(self, row: dict[str, Any]) -> Place:
        file = row["file"]
        # A file that appeared since the game was opened has no row.
        path = self._rows[file]["path"] if file in self._rows else ""
        return Place(row["name"], row["kind"], path, row["document"], row["at"], row["defines"])

    def find(self, part: str, *, kind: str | None = None) -> list[Place]:
        """The names that contain a text, at most 500.

        >>> import pyrefit as refit
        >>> sorted({place.name for place in refit.Game("docs/example/recoil").find("door", kind="node")})
        ['door01']
        """
        answer = self._answer("find", q=part, kind=kind or "")
        return [self._place(row) for row in answer["names"]]

    def refs(self, name: str, *, kind: str | None = None) -> list[Place]:
        """Who defines a name, and then who uses it. Names are compared as the games do.

        >>> import pyrefit as refit
        >>> uses = refit.Game("docs/example/recoil").refs("door01", kind="node")
        >>> uses[0].file, uses[0].defines
        ('zbd/m1/gamez.zbd', True)
        """
        kinds: Iterable[str] = [kind] if kind else self._opened["kinds"]
        found: list[Place] = []
        for one in kinds:
            answer = self._answer("refs", kind=one, name=name)
            found += [self._place(row) for row in answer["defines"] + answer["uses"]]
        return found

    def lint(self) -> dict[str, list[Finding]]:
        """The findings in each file and across files: by the paths of the files, worst first.

        >>> import pyrefit as refit
        >>> found = refit.Game("docs/example/recoil").lint()
        >>> [(path, {finding.code for finding in findings}) for path, findings in found.items()]
        [('zbd/m1/gamez.zbd', {'gamez-capacity'})]
        """
        found: dict[str, list[Finding]] = {}
        for row in self._answer("findings")["findings"]:
            path = self._rows[row["file"]]["path"]
            finding = Finding(row["code"], row["severity"], row["path"], row["message"], row["more"])
            found.setdefault(path, []).append(finding)
        return found

    def diff(self, path: str | None = None) -> dict[str, list[dict[str, Document]]]:
        """What differs from the originals (``NAME.orig``; for a project, the game that it came from): for each file the
        parts, and in each its ``fields`` with ``at``, ``old`` and ``new``. With ``path``, only this file."""
        if path is not None:
            numbers = [self._number(path)]
        else:
            numbers = self._answer("differences")["files"]
        out: dict[str, list[dict[str, Document]]] = {}
        for number in numbers:
            parts = self._answer(f"diff/{number}")["parts"]
            if parts:
                out[self._rows[number]["path"]] = parts
        return out

    def status(self) -> list[tuple[str, str]]:
        """The edits: paths, each with ``"modified"``, ``"added"`` or ``"deleted"``."""
        return [(row["path"], row["change"]) for row in self._answer("status")["edited"]]

    @property
    def mods(self) -> list[str]:
        """The names of the mods that are applied, in their order."""
        return [row["name"] for row in self._answer("status")["mods"]]

    def apply(self, *mods: StrPath, prefer: str | None = None, force: bool = False) -> dict[str, str]:
        """Applies mods: all of them, or none. ``prefer`` says which one wins a conflict, ``"first"`` or ``"last"``.
        Returns the result for each file: ``"changed"``, ``"added"``, …"""
        return dict(self._game.apply(list(mods), prefer, force))

    def remove(self, *names: str, force: bool = False) -> dict[str, str]:
        """Removes applied mods by their names."""
        return dict(self._game.remove(list(names), force))

    def repack(self, game: StrPath, *, force: bool = False, progress: Progress | None = None) -> list[Path]:
        """Puts the edits of this project into a game's folder: all of them, or none. Originals are kept as
        ``NAME.orig``. Returns the files that were built."""
        return [Path(path) for path in self._game.repack(game, force, progress)]

    def edit(self, file: str, part: str, at: str, value: Document) -> Edited:
        """Sets a value of this project, as the page of ``refit view`` does: it is written at once, and can be undone.

        ``file`` is a path of the game, ``part`` a document of its tree, ``at`` a field, as ``diff`` spells it. A file
        that has no tree yet gets one.
        """
        return self.change({"do": "set", "file": file, "part": part, "path": at, "value": value})

    def edit_text(self, file: str, part: str, text: str) -> Edited:
        """Replaces a text or a document of this project, or adds it."""
        return self.change({"do": "text", "file": file, "part": part, "text": text})

    def change(self, edit: Mapping[str, Any]) -> Edited:
        """Makes any edit that the page can make: a picture, a sound, a member, an object of a world. The fields are
        those of ``src/view/PROTOCOL.md``; ``bytes`` may be bytes."""
        return Edited._of(self._session("edit", _refit.dumps(_plain(edit))))

    def undo(self) -> Edited | None:
        """Takes the last edit back; ``None`` if there is none."""
        done = self._session("undo")
        return Edited._of(done) if done else None

    def redo(self) -> Edited | None:
        """Makes the edit again that was undone last; ``None`` if there is none."""
        done = self._session("redo")
        return Edited._of(done) if done else None

    def revert(self, number: int) -> Edited:
        """Takes one edit back, and leaves later ones as they are. This is an edit itself."""
        return Edited._of(self._session("revert", number=number))

    def changes(self, limit: int = 500) -> list[Change]:
        """The edits that are in effect, the last one first."""
        rows = self._session("changes", number=limit)
        return [
            Change(
                row["number"],
                row["time"],
                row["label"],
                {part["file"] + "/" + part["part"]: part["lines"] for part in row["parts"]},
            )
            for row in rows
        ]

    def build(self) -> list[Path]:
        """Puts the edits of this project into its game: all of them, or none. Returns the files that were built."""
        return [Path(path) for path in self._session("build")]

    def restore(self) -> list[Path]:
        """Puts the originals back into the game of this project. The project keeps its edits."""
        return [Path(path) for path in self._session("restore")]

    def _session(self, what: str, text: str = "", number: int = 0) -> Any:
        return _refit.session(self.path, what, text, number)

    def packages(self, path: str) -> list[Path]:
        """The texture packages that a world or a 'mech sees, in the search order of the game.

        >>> import pyrefit as refit
        >>> refit.Game("docs/example/recoil").packages("zbd/m1/gamez.zbd")[0].as_posix()
        'docs/example/recoil/zbd/m1/rtexture4.zbd'
        """
        return [Path(package) for package in self._game.packages_of(self._number(path))]

    def path_of(self, path: str) -> Path:
        """The path of a file on disk; in a project, that of its tree."""
        return Path(self._game.path_of(self._number(path)))

    def scene(self, path: str) -> Scene:
        """The scene of a world, with the textures of the game."""
        from ._scene import Scene

        number = self._number(path)
        packed = self._answer(f"file/{number}/scene")

        def find(texture: str) -> bytes | None:
            return self._answer("texture", name=texture, near=str(number)) or None

        return Scene(packed, find)


class Changed(NamedTuple):
    """The result of importing a glTF file."""

    summary: str
    """``"3 vertices moved"``, or ``"as it was"``."""
    warnings: list[str]
    lost: list[str]
    """Parts of the file that were not imported."""
    defaults: list[tuple[str, int]]
    """Defaults for properties of new things that the file lacks, each with the number of things."""
    files: list[Path]
    """The files that changed."""
    news: list[Finding]
    """The findings that this brought in."""


def put_glb(
    into: StrPath,
    name: str | None,
    glb: StrPath,
    *,
    textures: Iterable[StrPath] = (),
    merge_polygons: bool = False,
    close_motions: bool = False,
    dry_run: bool = False,
) -> Changed:
    """Brings an edited glTF file back into a file or a tree. ``name`` is that of the export: ``"world"``, a model, a
    'mech. ``None`` brings all animations back into an archive of motions.

    What was not edited keeps its bits. ``textures`` are packages that take the pictures of new textures. With
    ``dry_run`` nothing is written.
    """
    row = _refit.put_glb(into, glb, name, list(textures), merge_polygons, close_motions, dry_run)
    summary, warnings, lost, defaults, files, news = row
    return Changed(summary, warnings, lost, defaults, [Path(f) for f in files], [Finding(*f) for f in news])


def unpack(game: StrPath, project: StrPath, *, force: bool = False, progress: Progress | None = None) -> Game:
    """Unpacks a game into a project: a folder for each of its files."""
    _refit.unpack(game, project, force, progress)
    return Game(project)


def restore(path: StrPath, *, progress: Progress | None = None) -> list[Path]:
    """Puts the originals of a game's folder, or of one file, back. Returns the files that are as they were."""
    return [Path(file) for file in _refit.restore(path, progress)]


def make_mod(
    output: StrPath,
    original: StrPath,
    edited: StrPath | None = None,
    *,
    name: str = "",
    version: str = "",
    author: str = "",
    about: str = "",
    license: str = "",
    force: bool = False,
) -> int:
    """Makes a mod, ``NAME.refitmod``, of what differs between two files, trees or folders; of one folder alone, of what
    refit changed in it. It holds the changes and nothing of the game. Returns their number."""
    return _refit.make_mod(output, original, edited, name, version, author, about, license, force)
