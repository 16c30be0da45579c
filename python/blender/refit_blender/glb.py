"""The nodes of a .glb file."""

from __future__ import annotations

import json
import struct
from typing import Any

PLACE = ("matrix", "translation", "rotation", "scale")


def read(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The document of a file, and the chunks behind it."""
    (length,) = struct.unpack_from("<I", data, 12)
    return json.loads(data[20 : 20 + length]), data[20 + length :]


def write(document: dict[str, Any], chunks: bytes) -> bytes:
    """The file of a document and the chunks behind it."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(chunks), len(text), 0x4E4F534A)
    return head + text + chunks


def places(data: bytes) -> dict[str, dict[str, Any]]:
    """Where each node is, by its name, as the file says it."""
    nodes = read(data)[0].get("nodes", [])
    return {node["name"]: {key: node[key] for key in PLACE if key in node} for node in nodes}
