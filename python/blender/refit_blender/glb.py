"""The nodes and the normals of a .glb file."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy

PLACE = ("matrix", "translation", "rotation", "scale")


def read(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The document of a file, and the chunks after it."""
    (length,) = struct.unpack_from("<I", data, 12)
    return json.loads(data[20 : 20 + length]), data[20 + length :]


def write(document: dict[str, Any], chunks: bytes) -> bytes:
    """The file for a document and the chunks after it."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(chunks), len(text), 0x4E4F534A)
    return head + text + chunks


def places(data: bytes) -> dict[str, dict[str, Any]]:
    """The position of each node in the file, by its name."""
    nodes = read(data)[0].get("nodes", [])
    return {node["name"]: {key: node[key] for key in PLACE if key in node} for node in nodes}


def corner_keys(places: numpy.ndarray[Any, Any], tags: numpy.ndarray[Any, Any]) -> list[bytes]:
    """What identifies corners: their places and second texture coordinates. Zeros have no sign."""
    return [row.tobytes() for row in numpy.hstack([places, tags]).astype("<f4") + numpy.float32(0)]


def forget_normals(document: dict[str, Any], chunks: bytes, lost: dict[str, set[bytes]]) -> bytes:
    """Gives corners no normals: by the names of their meshes, those that point up because the exporter had none."""
    changed = bytearray(chunks)

    def rows(index: int, width: int) -> numpy.ndarray[Any, Any]:
        accessor = document["accessors"][index]
        start = document["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + accessor.get("byteOffset", 0)
        # The head of the chunk has 8 bytes.
        return numpy.frombuffer(changed, "<f4", accessor["count"] * width, 8 + start).reshape(-1, width)

    for mesh in document.get("meshes", []):
        corners = lost.get(mesh.get("name"), set())
        for primitive in mesh["primitives"] if corners else []:
            attributes = primitive["attributes"]
            if not attributes.keys() >= {"NORMAL", "TEXCOORD_1"}:
                continue
            normals = rows(attributes["NORMAL"], 3)
            keys = corner_keys(rows(attributes["POSITION"], 3), rows(attributes["TEXCOORD_1"], 2))
            for at in numpy.flatnonzero((normals == [0, 1, 0]).all(axis=1)):
                if keys[at] in corners:
                    # NaN means absent.
                    normals[at] = numpy.nan
    return bytes(changed)
