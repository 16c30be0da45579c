"""The error of everything that refit refuses."""

from __future__ import annotations


class Error(Exception):
    """An error of refit, with its reason.

    >>> import pyrefit as refit
    >>> try:
    ...     refit.read(bytes(16), name="door.dat")
    ... except refit.Error as error:
    ...     print(error.kind, error.file)
    unrecognised door.dat
    """

    kind: str
    """What kind of error it is: ``"unrecognised"``, ``"unsupported"``, ``"truncated"``, ``"invalid"``, ``"limit"``,
    ``"syntax"``, ``"missing"``, ``"no_member"``, ``"io"``, ``"closed"`` or ``"internal"`` (a bug of refit)."""
    path: str
    """The path to the field, such as ``nodes[3].name``; empty if there is none."""
    offset: int | None
    """The offset in the file, if it is known."""
    file: str | None
    """The file or the document, if it is known."""

    def __init__(
        self, message: str, kind: str = "invalid", path: str = "", offset: int | None = None, file: str | None = None
    ) -> None:
        super().__init__(message, kind, path, offset, file)
        self.kind = kind
        self.path = path
        self.offset = offset
        self.file = file

    def __str__(self) -> str:
        return str(self.args[0])
