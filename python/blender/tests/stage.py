"""What scripts in Blender begin and end with; and a small game for each of the four, with a world that has what people
edit, and its textures in two packages."""

from __future__ import annotations

import base64
import os
import shutil
import struct
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import bpy
import pyrefit as refit

sys.path.insert(0, str(Path(__file__).parents[1]))

import refit_blender  # noqa: E402
from refit_blender import core, glb  # noqa: E402, F401

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "golden"
GAMES = ("rc", "mw", "pm", "cs")


def play(script: Callable[..., object], *arguments: object) -> NoReturn:
    """Runs a script in an empty scene with the add-on, and ends the process: bpy as a module ends badly."""
    code = 0
    try:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        refit_blender.register()
        script(*arguments)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def report() -> str:
    """The last report of the add-on."""
    text: str = bpy.data.texts[refit_blender.REPORT].as_string()
    return text


def world_of(game: str) -> str:
    """The world's path in the game."""
    return {"rc": "zbd/m1", "mw": "zbd/c1", "pm": "zbd/c1", "cs": "ZBD/C1"}[game] + "/gamez.zbd"


def stage(game: str, folder: Path) -> Path:
    """Writes the game into a folder; returns its world."""
    world = folder / world_of(game)
    if game == "rc":
        shutil.copytree(ROOT / "docs/example/recoil", folder)
        fill(world, stage("mw", folder / "other"))
        shutil.rmtree(folder / "other")
    else:
        world.parent.mkdir(parents=True)
        shutil.copy(GOLDEN / f"gamez/{game}_typical_gamez.zbd", world)
    add_shed(world)
    flag_objects(world)
    package, names = {
        "rc": (ROOT / "docs/example/recoil/zbd/m1/rtexture4.zbd", ("rtexture4.zbd", "rtexture8.zbd")),
        "mw": (ROOT / "docs/example/mechwarrior/zbd/c1/rtexture.zbd", ("rtexture.zbd", "texture.zbd")),
        "pm": (GOLDEN / "textures/pm_kinds.zbd", ("rtexture.zbd", "texture.zbd")),
        "cs": (GOLDEN / "textures/cs_card_shape.zbd", ("rtexture4.zbd", "rtexture8.zbd")),
    }[game]
    textures = [row["name"].rsplit(".", 1)[0] for row in refit.open(world)["textures.json"]["textures"]]
    picture = refit.open(ROOT / "docs/example/recoil/zbd/m1/rtexture4.zbd").get("bark")
    for number, name in enumerate(names):
        file = refit.open(package)
        # A project has one tree for equal files.
        file.add(f"own{number}", picture)
        known = {member.name.lower() for member in file.members()}
        for texture in dict.fromkeys(textures):
            if texture.lower() not in known:
                file.add(texture, picture)
        path = world.with_name(name)
        path.unlink(missing_ok=True)
        file.save(path)
    return world


def add_shed(world: Path) -> None:
    """Adds a pyramid of a plain colour."""
    document, chunks = glb.read(refit.open(world).glb("world"))
    root = document["nodes"][document["scenes"][0]["nodes"][0]]
    root.setdefault("children", []).append(len(document["nodes"]))
    document["nodes"].append({"name": "shed", "mesh": len(document["meshes"]), "translation": [20, 0, 20]})
    corners = [-4, 0, 4, 4, 0, 4, 4, 0, -4, -4, 0, -4, 0, 5, 0]
    faces = [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4]
    data = struct.pack("<15f12H", *corners, *faces)
    buffer, view, accessor = len(document["buffers"]), len(document["bufferViews"]), len(document["accessors"])
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    document["buffers"].append({"byteLength": len(data), "uri": uri})
    document["bufferViews"] += [
        {"buffer": buffer, "byteLength": 60},
        {"buffer": buffer, "byteOffset": 60, "byteLength": 24},
    ]
    box = {"min": [-4, 0, -4], "max": [4, 5, 4]}
    document["accessors"] += [
        {"bufferView": view, "componentType": 5126, "count": 5, "type": "VEC3", **box},
        {"bufferView": view + 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
    ]
    paint = {"baseColorFactor": [0.2, 0.5, 0.1, 1.0], "metallicFactor": 0.0}
    document["materials"].append({"name": "moss", "pbrMetallicRoughness": paint})
    primitive = {
        "attributes": {"POSITION": accessor},
        "indices": accessor + 1,
        "material": len(document["materials"]) - 1,
    }
    document["meshes"].append({"name": "shed", "primitives": [primitive]})
    put(world, document, chunks)


def flag_objects(world: Path) -> None:
    """Gives the objects a flag that those of all known worlds have."""
    file = refit.open(world)
    for name in [name for name in file.documents() if name.startswith("nodes/")]:
        document = file[name]
        for node in document["nodes"]:
            if "object3d" in node["data"] and "UNK25" not in node["flags"]:
                node["flags"].append("UNK25")
        file[name] = document
    file.save()
    world.with_name("gamez.zbd.orig").unlink(missing_ok=True)


def put(world: Path, document: dict[str, Any], chunks: bytes) -> None:
    """Brings an edited export back, as the world's original."""
    file = world.with_name("world.glb")
    file.write_bytes(glb.write(document, chunks))
    refit.put_glb(world, "world", file, merge_polygons=True)
    file.unlink()
    world.with_name("gamez.zbd.orig").unlink()


def fill(world: Path, other: Path) -> None:
    """Gives Recoil's small world the objects of MechWarrior's, as new ones."""
    textures = [other.with_name("rtexture.zbd")]
    document, chunks = glb.read(refit.open(other).glb("world", using=textures))
    nodes = document["nodes"]
    root = next(node for node in nodes if node["name"] == "world1")
    # An object of the world itself shows which file the scene belongs to.
    root["children"].append(len(nodes))
    nodes.append({"name": "door01"})
    put(world, document, chunks)
