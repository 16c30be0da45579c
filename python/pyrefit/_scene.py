"""Scenes: nodes, models and materials as arrays."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

try:
    import numpy
    from numpy.typing import NDArray
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("scenes and images are arrays of numpy: pip install numpy", name="numpy") from error

from . import _refit

Floats = NDArray[numpy.float32]


def image(png: bytes) -> NDArray[numpy.uint8]:
    """A PNG file as an array: height, width, and red, green, blue, alpha."""
    width, height, data = _refit.pixels(png)
    return numpy.frombuffer(data, numpy.uint8).reshape(height, width, 4)


@dataclass(frozen=True, eq=False)
class Material:
    """How triangles look."""

    index: int | None
    """Its position in the file; ``None`` for triangles without one."""
    texture: str | None
    color: tuple[float, float, float]
    """Red, green and blue from 0 to 255, used without a texture."""
    alpha: int
    two_sided: bool
    info: dict[str, Any]
    """Everything that is known of it."""


class Part(NamedTuple):
    """Triangles of one material."""

    material: Material
    triangles: NDArray[numpy.uint32]
    """Three positions in the arrays of the model for each triangle."""


class Model:
    """A model as triangles. All arrays have a row for each corner."""

    def __init__(self, scene: Scene, info: dict[str, Any]) -> None:
        self._scene = scene
        self.info = info
        """Everything that is known of it."""
        self.name: str = info["name"]
        self.index: int = info.get("model", info.get("member", -1))
        """Its position in the file; of a 'mech, that of the member."""
        first = [scene._data["index"][part["first"] : part["first"] + part["count"]] for part in info["parts"]]
        every = numpy.concatenate(first) if first else numpy.zeros(0, numpy.uint32)
        # The vertices of a model are stored one after another.
        self._start = int(every.min()) if len(every) else 0
        self._end = self._start + int(info["vertices"])
        self._indices = first

    def __repr__(self) -> str:
        return f"<refit.Model {self.name}: {self._end - self._start} corners>"

    def _rows(self, name: str) -> NDArray[Any]:
        rows: NDArray[Any] = self._scene._data[name][self._start : self._end]
        return rows

    @property
    def positions(self) -> Floats:
        """x, y (up) and z in the model."""
        return self._rows("position")

    @property
    def normals(self) -> Floats:
        """Directions, to 1/127."""
        normals: Floats = self._rows("normal")[:, :3].astype(numpy.float32) / numpy.float32(127)
        return normals

    @property
    def uvs(self) -> Floats:
        """Places in the texture, v downwards."""
        return self._rows("uv")

    @property
    def colors(self) -> NDArray[numpy.uint8]:
        """Red, green, blue and alpha."""
        return self._rows("color")

    @cached_property
    def triangles(self) -> NDArray[numpy.uint32]:
        """Three corners for each triangle, counter-clockwise from the front."""
        every = [part.triangles for part in self.parts]
        return numpy.concatenate(every) if every else numpy.zeros((0, 3), numpy.uint32)

    @cached_property
    def parts(self) -> list[Part]:
        """The triangles by material."""
        materials = self._scene.materials
        rows = zip(self.info["parts"], self._indices)
        return [Part(materials[part["material"]], (index - self._start).reshape(-1, 3)) for part, index in rows]


@dataclass(frozen=True, eq=False)
class Node:
    """A node of a scene, which appears once for each of its parents."""

    name: str
    kind: str
    """``"object3d"``, ``"lod"``, ``"light"``, …"""
    index: int
    """Its position in the file."""
    parent: int | None
    """The position of its parent in ``Scene.nodes``, which is before its own."""
    model: Model | None
    matrix: Floats
    """4 × 4, for points as columns: from the node to its parent."""
    level: int
    """0 for the nearest level of detail, and for what has none; 1 and up for further ones."""
    zone: int | None


class Scene:
    """The scene of a file.

    >>> import pyrefit as refit
    >>> scene = refit.open("docs/example/recoil/zbd/m1/gamez.zbd").scene()
    >>> [(node.name, node.kind) for node in scene.nodes][:3]
    [('world1', 'world'), ('door01', 'object3d'), ('frame', 'object3d')]
    """

    def __init__(self, packed: bytes, find: Callable[[str], bytes | None] | None = None) -> None:
        (length,) = struct.unpack_from("<I", packed, 4)
        self.info: dict[str, Any] = json.loads(packed[8 : 8 + length])
        """Everything but the arrays; ``src/view/PROTOCOL.md`` describes it."""
        self._find = find
        start = 8 + length
        layout: dict[str, tuple[type[Any], int]] = {
            "position": (numpy.float32, 3),
            "normal": (numpy.int8, 4),
            "uv": (numpy.float32, 2),
            "color": (numpy.uint8, 4),
            "index": (numpy.uint32, 1),
            "node": (numpy.int32, 8),
            "matrix": (numpy.float32, 12),
        }
        self._data: dict[str, NDArray[Any]] = {}
        for name, (kind, each) in layout.items():
            offset, count = self.info["data"][name]
            rows = numpy.frombuffer(packed, kind, count * each, start + offset)
            self._data[name] = rows if each == 1 else rows.reshape(count, each)

    def __repr__(self) -> str:
        return f"<refit.Scene {self.info['name']}: {len(self._data['node'])} nodes>"

    @property
    def notes(self) -> list[str]:
        """Notes on properties that the scene does not show."""
        return list(self.info["notes"])

    @cached_property
    def materials(self) -> list[Material]:
        """The materials that triangles use."""
        return [
            Material(
                row["index"], row.get("texture"), tuple(row.get("color", (255.0, 255.0, 255.0))),
                row.get("alpha", 255), row["two_sided"], row,
            )
            for row in self.info["materials"]
        ]  # fmt: skip

    @cached_property
    def models(self) -> list[Model]:
        """The models, each once."""
        return [Model(self, info) for info in self.info["shapes"]]

    @cached_property
    def matrices(self) -> Floats:
        """The matrices of all nodes to their parents: nodes × 4 × 4."""
        rows = self._data["matrix"]
        matrices = numpy.zeros((len(rows), 4, 4), numpy.float32)
        matrices[:, :3, :3] = rows[:, :9].reshape(-1, 3, 3).transpose(0, 2, 1)
        matrices[:, :3, 3] = rows[:, 9:]
        matrices[:, 3, 3] = 1
        return matrices

    @cached_property
    def world_matrices(self) -> Floats:
        """The matrices of all nodes to the world: nodes × 4 × 4."""
        whole = self.matrices.copy()
        for at, parent in enumerate(self._data["node"][:, 0]):
            if parent >= 0:
                whole[at] = whole[parent] @ whole[at]
        return whole

    @cached_property
    def nodes(self) -> list[Node]:
        """The nodes; parents come before their children."""
        names, kinds, matrices = self.info["nodes"]["names"], self.info["nodes"]["kinds"], self.matrices
        models = self.models
        return [
            Node(
                name,
                kinds[kind],
                index,
                None if parent < 0 else parent,
                None if shape < 0 else models[shape],
                matrix,
                max(level, 0),
                None if zone < 0 else zone,
            )
            for name, matrix, (parent, shape, kind, index, _, level, zone, _) in zip(
                names, matrices, self._data["node"].tolist()
            )
        ]

    @property
    def textures(self) -> list[str]:
        """The names of the textures that the materials use."""
        return list(self.info["textures"])

    def image(self, texture: str) -> NDArray[numpy.uint8] | None:
        """A texture as the game would choose it: height, width, and red, green, blue, alpha. ``None`` if no package of
        the game has it, and for the scene of a file that was opened alone.

        >>> import pyrefit as refit
        >>> scene = refit.Game("docs/example/recoil").scene("zbd/m1/gamez.zbd")
        >>> scene.image("bark").shape
        (8, 8, 4)
        """
        png = self._find(texture) if self._find else None
        return image(png) if png else None
