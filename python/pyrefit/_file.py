"""Files and their documents."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _refit

if TYPE_CHECKING:
    import numpy

    from ._scene import Scene

Document = Any
"""A document: ``dict``, ``list``, ``str``, ``int``, ``float``, ``bool`` or ``None``, nested."""

StrPath = str | os.PathLike[str]


class Member(NamedTuple):
    """A member of a file: what ``File.get`` and ``File.put`` take by its name."""

    name: str
    size: int
    """Its stored size, in bytes."""
    kind: str
    """Its kind, such as ``"wav"``."""
    detail: str
    """More about it, such as ``"22050 Hz, 1 channel, 16 bit, 3.20 s"``."""


class Finding(NamedTuple):
    """Something unusual in a file."""

    code: str
    """Identifies the kind; ``refit lint --explain CODE`` describes it."""
    severity: str
    """The effect in the game: ``"refuses"``, ``"crashes"``, ``"ignores"``, ``"differs"``, or merely ``"unusual"``."""
    path: str
    """The place in the file."""
    message: str
    more: int
    """The number of further findings of this kind, which are not listed."""


def open(path: StrPath, *, game: str | None = None, format: str | None = None) -> File:
    """Opens a file of any format, or a tree that ``refit unpack`` made.

    refit recognises a file by its bytes; ``game`` (``"rc"``, ``"mw"``, ``"pm"``, ``"cs"``) and ``format`` (``"gamez"``,
    ``"anim"``, …) override that.

    >>> import pyrefit as refit
    >>> refit.open("docs/example/recoil/zbd/m1/gamez.zbd")
    <refit.File docs/example/recoil/zbd/m1/gamez.zbd: gamez, rc>
    """
    return File(_refit.File.open(path, game, format))


def read(
    data: bytes | bytearray | memoryview, *, name: str = "", game: str | None = None, format: str | None = None
) -> File:
    """Reads a file from bytes. Its name helps if the bytes leave the format or the game open.

    >>> import pyrefit as refit
    >>> from pathlib import Path
    >>> data = Path("docs/example/recoil/zbd/interp.zbd").read_bytes()
    >>> bytes(refit.read(data, name="interp.zbd")) == data
    True
    """
    return File(_refit.File.read(bytes(data), name, game, format))


def verify(path: StrPath, *, game: str | None = None, format: str | None = None) -> str:
    """Proves that a file survives the round trip through text. Writes nothing.

    Returns ``"exact"``, or ``"raw"`` if a part of the file stays plain bytes in a tree (please report such a file).

    >>> import pyrefit as refit
    >>> refit.verify("docs/example/recoil/zbd/m1/gamez.zbd")
    'exact'
    """
    return "raw" if _refit.verify(path, game, format) else "exact"


class File:
    """A file of any format; ``refit.open`` and ``refit.read`` make it.

    It is a mapping of paths to documents, the same ones that ``refit unpack`` writes into a folder. Other parts, such
    as sounds and pictures, are bytes.

    >>> import pyrefit as refit
    >>> file = refit.open("docs/example/recoil/zbd/zrdr.zbd")
    >>> list(file)
    ['effects.zrd.json', 'refit.json', 'sounds.zrd.json']
    >>> "effects.zrd.json" in file
    True

    Numbers keep their bits: ``1`` and ``1.0``, ``0.0`` and ``-0.0`` are different values of a game, and a float that is
    no number is the text of its bits, ``"0x7fc00001"``.

    A document is checked when it is set, and the whole file when its bytes are made. Before the first edit refit proves
    that the documents give the file back. A file can be used from several threads.
    """

    __slots__ = ("_file",)

    def __init__(self, file: _refit.File) -> None:
        self._file = file

    @property
    def name(self) -> str:
        """The name that it was opened with."""
        return self._file.name

    @property
    def path(self) -> Path | None:
        """Its path; ``None`` for bytes and for a tree."""
        path = self._file.path
        return None if path is None else Path(path)

    @property
    def format(self) -> str:
        """The format, such as ``"gamez"``."""
        return self._file.format

    @property
    def game(self) -> str | None:
        """The game: ``"rc"``, ``"mw"``, ``"pm"``, ``"cs"``; ``None`` if nothing shows it."""
        return self._file.game

    @property
    def evidence(self) -> str:
        """How the format was recognised."""
        return self._file.evidence

    def __repr__(self) -> str:
        game = f", {self.game}" if self.game else ""
        return f"<refit.File {self.name}: {self.format}{game}>"

    def __getitem__(self, path: str) -> Document:
        return self._file.get_part(path)

    def __setitem__(self, path: str, document: Document) -> None:
        if isinstance(document, (bytearray, memoryview)):
            document = bytes(document)
        self._file.set_part(path, document)

    def __iter__(self) -> Iterator[str]:
        return iter([path for path, _ in self._file.parts()])

    def __len__(self) -> int:
        return len(self._file.parts())

    def __bool__(self) -> bool:
        return True

    def __contains__(self, path: object) -> bool:
        return any(path == own for own, _ in self._file.parts())

    def documents(self) -> dict[str, str]:
        """The paths of the documents, each with its kind, which names its schema in ``schemas/``.

        >>> import pyrefit as refit
        >>> refit.open("docs/example/recoil/zbd/zrdr.zbd").documents()["effects.zrd.json"]
        'reader'
        """
        return {path: kind for path, kind in self._file.parts() if kind is not None}

    def load(self, paths: Iterable[str] | None = None) -> dict[str, Document]:
        """All documents, or those with these paths. If you keep many, this is several times as quick as one by
        one.

        >>> import pyrefit as refit
        >>> refit.open("docs/example/recoil/zbd/zrdr.zbd").load()["effects.zrd.json"]
        ['dust', [1.0], 'spark', [1.0]]
        """
        # Python would search the new objects for cycles again and again, although they have none.
        was = gc.isenabled()
        gc.disable()
        try:
            return {path: self[path] for path in (self.documents() if paths is None else paths)}
        finally:
            if was:
                gc.enable()

    def members(self) -> list[Member]:
        """The members of the file, in order.

        >>> import pyrefit as refit
        >>> [member.name for member in refit.open("docs/example/recoil/zbd/zrdr.zbd").members()]
        ['sounds.zrd', 'effects.zrd']
        """
        return [Member(*row) for row in self._file.members()]

    def get(self, name: str, *, stored: bool = False) -> bytes:
        """A member, by its name or as ``#3`` by its position: text, WAV or PNG, or as it is ``stored``.

        >>> import pyrefit as refit
        >>> refit.open("docs/example/recoil/zbd/zrdr.zbd").get("sounds.zrd")[:12]
        b'["SAMPLES", '
        """
        return self._file.get(name, stored)

    def put(self, name: str, data: bytes | bytearray | memoryview, *, stored: bool = False) -> None:
        """Replaces a member with what ``get`` would give."""
        self._file.put(name, bytes(data), stored)

    def add(self, name: str, data: bytes | bytearray | memoryview, *, stored: bool = False) -> None:
        """Adds a member."""
        self._file.add(name, bytes(data), stored)

    def __bytes__(self) -> bytes:
        return self._file.to_bytes()

    def save(self, path: StrPath | None = None, *, force: bool = False) -> Path | None:
        """Writes the file: in place, or to ``path``, where another file is replaced only with ``force``.

        It is written beside its target and renamed, so it is whole or not there. The first version of a file that is
        edited in place is kept as ``NAME.orig``; ``refit.restore`` puts it back. Returns the path of the copy if one
        was kept now. Warns of signatures beside a PBO that no longer match.
        """
        kept = self._file.save(path, force)
        return None if kept is None else Path(kept)

    def lint(self) -> list[Finding]:
        """The findings in the file, worst first.

        >>> import pyrefit as refit
        >>> refit.open("docs/example/recoil/zbd/zrdr.zbd").lint()
        []
        """
        return [Finding(*row) for row in self._file.lint()]

    def news(self) -> list[Finding]:
        """The findings that your edits brought in."""
        return [Finding(*row) for row in self._file.news()]

    def info(self) -> dict[str, Document]:
        """The output of ``refit info``: version, counts, checksums."""
        return dict(self._file.info())

    def glb_names(self, *, using: Iterable[StrPath] = ()) -> list[str]:
        """The names that ``glb`` takes: worlds, planes or 'mechs, and models.

        >>> import pyrefit as refit
        >>> refit.open("golden/gamez/mw_typical_gamez.zbd").glb_names()[:3]
        ['world', 'unattached', 'further']
        """
        return self._file.glb_names(list(using))

    def glb(self, name: str, *, using: Iterable[StrPath] = ()) -> bytes:
        """A world, a plane, a 'mech or a model as glTF, with the texture packages, and the motions of 'mechs, in
        ``using``. ``refit.put_glb`` brings it back when it was edited.

        >>> import pyrefit as refit
        >>> refit.open("golden/gamez/mw_typical_gamez.zbd").glb("world")[:4]
        b'glTF'
        """
        return self._file.glb(name, list(using))

    def scene(self) -> Scene:
        """Nodes, models and materials of a world, of planes or of 'mechs, as arrays of numpy.

        >>> import pyrefit as refit
        >>> scene = refit.open("golden/gamez/mw_typical_gamez.zbd").scene()
        >>> scene.nodes[0].name, scene.models[0].positions.shape[1]
        ('world1', 3)
        """
        from ._scene import Scene

        return Scene(self._file.scene())

    def images(self) -> dict[str, numpy.ndarray[Any, numpy.dtype[numpy.uint8]]]:
        """The images of a texture package as arrays: height, width, and red, green, blue, alpha.

        >>> import pyrefit as refit
        >>> images = refit.open("docs/example/recoil/zbd/m1/rtexture4.zbd").images()
        >>> {name: image.shape for name, image in images.items()}
        {'bark': (8, 8, 4), 'wave01': (8, 8, 4)}
        """
        from ._scene import image

        if self.format != "textures":
            raise _refit_error(f"a file of the format {self.format} has no images; `scene` has the names of textures")
        return {member.name: image(self.get(f"#{at}")) for at, member in enumerate(self.members())}

    def close(self) -> None:
        """Closes the file: it can no longer be used. Edits that were not saved are gone."""
        self._file.close()

    @property
    def closed(self) -> bool:
        """True after ``close``."""
        return self._file.closed

    def __enter__(self) -> File:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _refit_error(message: str) -> Exception:
    from ._error import Error

    return Error(message, "unsupported")
