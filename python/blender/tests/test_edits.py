"""Each edit that people make in Blender changes what was edited, and what follows from it: in worlds of all games.

The edits are in `edits.py`; here the documents of the file are compared with those of the original, value by value.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pyrefit as refit

bpy = pytest.importorskip("bpy")

from stage import GAMES, GOLDEN, stage, world_of  # noqa: E402

HERE = Path(__file__).parent
GONE = "(nothing)"

every_game = pytest.mark.parametrize("game", GAMES)


def differences(old: Any, new: Any, at: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The values that differ between two documents, each with its path. `1` and `1.0` differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            yield from differences(old.get(key, GONE), new.get(key, GONE), f"{at}.{key}" if at else key)
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            pair = [rows[index] if index < len(rows) else GONE for rows in (old, new)]
            yield from differences(*pair, f"{at}[{index}]")
    elif type(old) is not type(new) or repr(old) != repr(new):
        yield at, old, new


def without(row: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in keys}


class World:
    """The documents of a world by their numbers. Polygons have positions and normals themselves, not their numbers."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bytes = path.read_bytes()
        documents = refit.open(path).load()
        self.nodes: dict[int, Any] = {}
        self.models: dict[int, Any] = {}
        self.heads: dict[int, Any] = {}
        self.materials: list[Any] = []
        self.textures: list[Any] = []
        self.rest: dict[str, Any] = {}
        for name, document in documents.items():
            number = re.match(r"(models|nodes)/(\d+)", name)
            if number and number[1] == "models":
                points = document.get("vertices", [])
                normals = document.get("normals", [])
                self.models[int(number[2])] = [polygon(row, points, normals) for row in document.get("polygons", [])]
                self.heads[int(number[2])] = without(document, "note", "polygons", "normals")
            elif number:
                rows = enumerate(document["nodes"], int(number[2]))
                self.nodes |= {at: numbered(row) for at, row in rows}
            elif name == "materials.json":
                self.materials = document["materials"]
                self.rest["materials"] = without(document, "materials", "slots")
            elif name == "textures.json":
                self.textures = document["textures"]
            elif name != "refit.json":
                self.rest[name] = document

    def parts(self) -> dict[str, Any]:
        """Textures, materials, models and nodes by their numbers."""
        rows = {"texture": enumerate(self.textures), "material": enumerate(self.materials), "node": self.nodes.items()}
        rows["model"] = ((at, (head, self.models[at])) for at, head in self.heads.items())
        return {f"{kind} {at}": repr(row) for kind, own in rows.items() for at, row in own}

    def named(self, name: str) -> int:
        return next(at for at, node in self.nodes.items() if node["name"] == name)

    def above(self, at: int) -> set[int]:
        """A node and its ancestors."""
        own = {at}
        while True:
            more = {n for n, node in self.nodes.items() if own & {c for c in node.get("children", [])}}
            if more <= own:
                return own
            own |= more


def numbered(row: dict[str, Any]) -> dict[str, Any]:
    """A node with the numbers of its model and its children: `"4 door"` refers to number 4."""
    row = without(row, "note")
    if "model" in row:
        row["model"] = int(str(row["model"]).split(" ")[0])
    if "children" in row:
        row["children"] = [int(str(child).split(" ")[0]) for child in row["children"]]
    return row


def polygon(row: dict[str, Any], points: list[Any], normals: list[Any]) -> dict[str, Any]:
    row = without(row, "pointers", "normals_flag")
    return {
        **row,
        "vertices": [points[at] for at in row["vertices"]],
        "normals": [normals[at] for at in row["normals"]] if "normals" in row else None,
    }


BOXES = r"(node|model|child)_bbox(\[\d\])?|flags(\[\d+\])?|data\.world\.cells.*"
"""Values that change when something moves."""


class Edited:
    """The report of an edit, and the worlds before and after it."""

    def __init__(self, row: dict[str, Any], before: World) -> None:
        assert "failed" not in row, row["failed"]
        self.row = row
        self.path = Path(row["file"])
        self.before = before
        self.after = World(self.path)
        self.node = before.named(row["node"].split("#")[0]) if row["node"] in self.names() else -1
        if self.node >= 0:
            self.model = before.nodes[self.node].get("model", -1)
            self.old = before.models[self.model]
            self.new = self.after.models[self.model]

    def names(self) -> set[str]:
        return {node["name"] for node in self.before.nodes.values()}

    def is_unchanged(self) -> bool:
        return self.before.bytes == self.after.bytes

    def only(self, *, models: bool = False, nodes: bool = False, lists: bool = False) -> None:
        """Nothing changed but these: the model of the object, the boxes up to the world, materials and textures."""
        assert self.before.rest == self.after.rest
        for kind in ("models", "heads"):
            old, new = getattr(self.before, kind), getattr(self.after, kind)
            found = {at for at, *_ in differences(list(old.items()), list(new.items()))}
            assert not found or models, found
            changed = [at for at in old if repr(old[at]) != repr(new[at])]
            assert changed in ([], [self.model]), changed
        above = self.before.above(self.node)
        for at, node in self.before.nodes.items():
            for path, old, new in differences(node, self.after.nodes[at]):
                is_cell = path.startswith("data.world.cells")
                assert (at in above or is_cell) and re.fullmatch(BOXES, path), (at, path, old, new)
                assert nodes, (at, path, old, new)
        if not lists:
            assert self.before.materials == self.after.materials and self.before.textures == self.after.textures

    def polygons(self) -> list[tuple[dict[str, Any], set[str]]]:
        """The polygons of the model that differ, each with its keys that do."""
        assert len(self.old) == len(self.new)
        pairs = zip(self.old, self.new)
        rows = [(old, {key for key in {*old, *new} if repr(old.get(key)) != repr(new.get(key))}) for old, new in pairs]
        return [(old, keys) for old, keys in rows if keys]


def run(game: Path, inside: str, only: str, folder: Path, *names: str) -> dict[str, dict[str, Any]]:
    """Makes edits in one process of Blender."""
    command = [sys.executable, HERE / "edits.py", game, inside, only, folder, *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line.removeprefix("RESULT ") for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert done.returncode == 0 and lines, done.stdout + done.stderr
    return {row["edit"]: row for row in map(json.loads, lines)}


NAMES = """
    nothing edit_mode merge triangulate quads dissolve rename_mesh rename_object shape_key animation delete_object
    move_vertex scale_in_edit_mode apply_scale move_object rotate_object scale_object mirror_object
    delete_face subdivide bevel extrude flip join_cube recolour_face recolour_all move_uvs
    material_of_face material_of_slot material_by_texture new_picture base_color alpha backface
    duplicate duplicate_linked new_colored new_bare new_textured new_hierarchy new_sphere new_disc
    delete_everything armature
""".split()
"""The edits of a world."""


@pytest.fixture(scope="session")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The edits of a game's world by their names."""
    made: dict[str, tuple[World, dict[str, Any]]] = {}

    def of(game: str, name: str) -> Edited:
        if game not in made:
            folder = tmp_path_factory.mktemp(game)
            world = stage(game, folder / "game")
            made[game] = (World(world), run(folder / "game", world_of(game), "", folder, *NAMES))
        before, rows = made[game]
        return Edited(rows[name], before)

    return of


SAME = {
    "nothing": "", "edit_mode": "", "merge": "", "triangulate": "", "quads": "", "dissolve": "", "rename_mesh": "",
    "rename_object": "'renamed' is ", "shape_key": "shape keys are left out", "animation": "animations are left out",
    "delete_object": "`refit world remove`",
}  # fmt: skip
"""Edits that change nothing in the game, with what is reported."""


@every_game
@pytest.mark.parametrize("name", SAME)
def test_what_is_no_edit_keeps_every_bit(game: str, name: str, edited: Any) -> None:
    one = edited(game, name)
    assert one.row["summary"] == "as it was" and one.is_unchanged() and one.row["files"] == [], one.row
    told = one.row["warnings"] + one.row["lost"]
    assert any(SAME[name] in text for text in told) if SAME[name] else told == [], told


def moved(old: list[float], new: list[float]) -> list[float]:
    return [b - a for a, b in zip(old, new, strict=True)]


@every_game
def test_a_vertex_moves_with_all_its_corners(game: str, edited: Any) -> None:
    one = edited(game, "move_vertex")
    one.only(models=True, nodes=True)
    old, new = one.before.heads[one.model]["vertices"], one.after.heads[one.model]["vertices"]
    ((at, difference),) = [(a, moved(a, b)) for a, b in zip(old, new, strict=True) if a != b]
    assert sorted(map(abs, difference)) == [0, 0, 1], difference
    changed = one.polygons()
    # Blender turns the normals of its faces along.
    assert all(at in row["vertices"] and keys <= {"vertices", "normals"} for row, keys in changed), changed
    assert sum("vertices" in keys for _, keys in changed) == sum(at in row["vertices"] for row in one.old)


@every_game
@pytest.mark.parametrize("name", ["scale_in_edit_mode", "apply_scale"])
def test_vertices_scale(game: str, name: str, edited: Any) -> None:
    one = edited(game, name)
    one.only(models=True, nodes=True)
    old, new = one.before.heads[one.model], one.after.heads[one.model]
    for a, b in zip(old["vertices"], new["vertices"], strict=True):
        assert b == pytest.approx([2 * value for value in a], rel=1e-4, abs=1e-4)
    assert all(keys == {"vertices"} for _, keys in one.polygons())
    assert new["bbox_diag"] > old["bbox_diag"]


@every_game
@pytest.mark.parametrize("name", ["move_object", "rotate_object", "scale_object", "mirror_object"])
def test_an_object_moves_alone(game: str, name: str, edited: Any) -> None:
    one = edited(game, name)
    assert one.row["summary"] == "1 node moved"
    old, new = (world.nodes[one.node]["data"].pop("object3d") for world in (one.before, one.after))
    try:
        one.only(nodes=True)
    finally:
        one.before.nodes[one.node]["data"]["object3d"] = old
    was, now = old.get("translation", [0.0] * 3), new.get("translation", [0.0] * 3)
    turns = [row.get("rotation", [0.0] * 3) for row in (old, new)]
    scales = [row.get("scale", [1.0] * 3) for row in (old, new)]
    assert moved(was, now) == ([5, 0, 0] if name == "move_object" else [0, 0, 0])
    if name == "rotate_object":
        assert moved(*turns) == pytest.approx([0, 0.5, 0])
    elif name == "scale_object":
        assert scales[1] == [2 * value for value in scales[0]] and turns[0] == turns[1]
    elif name == "mirror_object":
        # No angles and scales are a mirror.
        assert new["matrix"] == [-1, 0, 0, 0, 1, 0, 0, 0, 1] and "MATRIX" in new["flags"] and scales[1] == [1.0] * 3
    else:
        assert turns[0] == turns[1] and scales[0] == scales[1]


def look(row: dict[str, Any]) -> str:
    """What a polygon has beside its corners. Only four corners are a strip."""
    flags = [flag for flag in row.get("flags", []) if flag != "TRI_STRIP"]
    return repr([flags, row.get("priority"), row.get("zones")])


def singles(places: list[list[float]]) -> list[tuple[float, ...]]:
    """Places as the file has them: documents and Blender write different digits of the same number."""
    return [struct.unpack("<3f", struct.pack("<3f", *place)) for place in places]


def triangles(rows: list[dict[str, Any]]) -> dict[str, int]:
    """How many triangles there are of each material."""
    count: Counter[str] = Counter()
    for row in rows:
        count[str(row["material"])] += len(row["vertices"]) - 2
    return dict(count)


def gone_and_new(one: Edited) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The polygons that are not there any more, and those that were not."""
    old, new = Counter(map(repr, one.old)), Counter(map(repr, one.new))
    return [row for row in one.old if repr(row) not in new], [row for row in one.new if repr(row) not in old]


@every_game
def test_a_deleted_face_is_gone(game: str, edited: Any) -> None:
    one = edited(game, "delete_face")
    one.only(models=True)
    gone, new = gone_and_new(one)
    assert len(gone) == 1 and new == [] and one.new == [row for row in one.old if row != gone[0]]


@every_game
@pytest.mark.parametrize("name", ["subdivide", "bevel", "extrude"])
def test_new_faces_have_what_their_polygon_has(game: str, name: str, edited: Any) -> None:
    one = edited(game, name)
    one.only(models=True, nodes=name == "extrude")
    gone, new = gone_and_new(one)
    assert 0 < len(gone) < len(one.old) and len(new) > len(gone)
    assert triangles(one.new) == one.row["triangles"]
    # Each face has the properties of the other faces of its material.
    for row in new:
        assert look(row) in {look(like) for like in one.old if like["material"] == row["material"]}, row
    assert not any("crack" in text for text in one.row["warnings"]), one.row["warnings"]
    if name == "subdivide":
        assert Counter(map(look, gone)).keys() == Counter(map(look, new)).keys()
        assert len(one.after.heads[one.model]["vertices"]) == len(one.before.heads[one.model]["vertices"]) + 5


@every_game
def test_a_flipped_face_is_the_same_face(game: str, edited: Any) -> None:
    one = edited(game, "flip")
    one.only(models=True)
    ((row, keys),) = one.polygons()
    new = next(new for old, new in zip(one.old, one.new) if old is row)
    assert keys <= {"vertices", "uvs", "colors", "normals"} and look(new) == look(row)
    corners = [list(zip(*(one[key] for key in ("vertices", "uvs")))) for one in (row, new)]
    ring = corners[0][::-1]
    assert corners[1] in [ring[turn:] + ring[:turn] for turn in range(len(ring))]


@every_game
def test_a_joined_cube_is_new(game: str, edited: Any) -> None:
    one = edited(game, "join_cube")
    one.only(models=True, nodes=True, lists=True)
    # The cube has no material: Blender 4 gives it the object's first one, Blender 5 none.
    is_bare = bpy.app.version >= (5, 0, 0)
    count = len(one.before.materials)
    assert one.after.materials == one.before.materials + ([{}] if is_bare else [])
    assert ("new" in one.row["triangles"]) == is_bare
    shown = {str(count) if key == "new" else key: n for key, n in one.row["triangles"].items()}
    assert triangles(one.new) == shown
    assert len(one.new) == len(one.old) + 12 and len({row["material"] for row in one.new[-12:]}) == 1
    like = [look(row) for row in one.old if is_bare or row["material"] == one.new[-1]["material"]]
    assert {look(row) for row in one.new[-12:]} == {Counter(like).most_common(1)[0][0]}
    # Blender 5 computes the places of the object itself again, through the world.
    assert {place for row in one.new for place in singles(row["vertices"])} == set(singles(one.row["points"]))
    for old, new in zip(one.old, one.new):
        assert without(old, *["vertices"] * is_bare) == without(new, *["vertices"] * is_bare)
        for a, b in zip(old["vertices"], new["vertices"], strict=True):
            assert b == (pytest.approx(a, abs=1e-3) if is_bare else a)


@every_game
@pytest.mark.parametrize("name", ["recolour_face", "recolour_all"])
def test_colours_change_alone(game: str, name: str, edited: Any) -> None:
    one = edited(game, name)
    if game == "rc":
        assert one.is_unchanged() and "which Recoil does not have" in one.row["lost"][0], one.row
        return
    one.only(models=True)
    changed = one.polygons()
    assert len(changed) == (1 if name == "recolour_face" else len(one.old))
    assert all(keys == {"colors"} for _, keys in changed)
    new = [row for row, old in zip(one.new, one.old) if row["colors"] != old["colors"]]
    assert all(color == [255.0, 0.0, 0.0] for row in new for color in row["colors"])


@every_game
def test_texture_coordinates_change_alone(game: str, edited: Any) -> None:
    one = edited(game, "move_uvs")
    one.only(models=True)
    ((row, keys),) = one.polygons()
    new = next(new for old, new in zip(one.old, one.new) if old is row)
    assert keys == {"uvs"}
    assert [moved(a, b) for a, b in zip(row["uvs"], new["uvs"])] == [[0.25, 0.0]] * len(row["uvs"])


@every_game
@pytest.mark.parametrize("name", ["material_of_face", "material_of_slot", "material_by_texture"])
def test_a_material_changes_alone(game: str, name: str, edited: Any) -> None:
    one = edited(game, name)
    one.only(models=True)
    ((row, keys),) = one.polygons()
    new = next(new for old, new in zip(one.old, one.new) if old is row)
    # Whether a face has two sides is a property of the material in Blender.
    assert "material" in keys and keys <= {"material", "flags"}, keys
    texture = one.after.materials[new["material"]]["texture"].split(" ", 1)[1]
    assert one.row["edited"].split(",")[0].rsplit(".", 1)[0] == texture.rsplit(".", 1)[0]


def packages(one: Edited) -> list[Path]:
    found = [path for path in one.path.parent.glob("*texture*.zbd")]
    assert len(found) == 2
    return found


@every_game
@pytest.mark.parametrize("name", ["new_picture", "new_textured"])
def test_a_new_picture_goes_into_every_package(game: str, name: str, edited: Any) -> None:
    one = edited(game, name)
    assert len(one.after.materials) == len(one.before.materials) + 1 and one.after.textures[-1]["name"] == "bricks"
    assert one.after.materials[: len(one.before.materials)] == one.before.materials
    for package in packages(one):
        old = {member.name for member in refit.open(package.with_name(package.name + ".orig")).members()}
        file = refit.open(package)
        assert {member.name for member in file.members()} == old | {"bricks"}
        pixels = file.images()["bricks"]
        assert pixels.shape == (8, 8, 4) and abs(pixels.astype(int) - [204, 102, 51, 255]).max() <= 8
    if name == "new_picture":
        one.only(models=True, lists=True)
        assert all(keys <= {"material", "flags"} for _, keys in one.polygons())


@every_game
@pytest.mark.parametrize("name", ["base_color", "alpha"])
def test_another_colour_is_another_material(game: str, name: str, edited: Any) -> None:
    one = edited(game, name)
    assert len(one.after.materials) == len(one.before.materials) + 1
    assert one.after.materials[: len(one.before.materials)] == one.before.materials
    model = one.before.nodes[one.before.named("shed")]["model"]
    own = one.before.models[model][0]["material"]
    # All that Blender shows with this material: Recoil's world has two sheds.
    users = [at for at, rows in one.before.models.items() if own in [row["material"] for row in rows]]
    assert [at for at, rows in one.before.models.items() if rows != one.after.models[at]] == users
    assert one.before.nodes == one.after.nodes and len(users) == (2 if game == "rc" else 1)
    before, after = one.before.materials[own], one.after.materials[-1]
    assert after == {**before, **({"alpha": 128} if name == "alpha" else {"color": [255.0, 0.0, 0.0]})}
    for at in users:
        for old, new in zip(one.before.models[at], one.after.models[at], strict=True):
            assert without(old, "material") == without(new, "material")
            assert (old["material"], new["material"]) == (own, len(one.before.materials))


@every_game
def test_backface_culling_is_a_flag(game: str, edited: Any) -> None:
    one = edited(game, "backface")
    assert one.before.nodes == one.after.nodes and one.before.materials == one.after.materials
    changed = set()
    # The material is that of polygons of several models.
    for at, rows in one.before.models.items():
        for old, new in zip(rows, one.after.models[at], strict=True):
            if repr(old) != repr(new):
                assert without(old, "flags") == without(new, "flags")
                assert set(old.get("flags", [])) ^ set(new.get("flags", [])) == {"SHOW_BACKFACE"}
                changed.add(old["material"])
    assert len(changed) == 1


def new_nodes(one: Edited) -> list[int]:
    """The nodes that are new. Those that were there have other children and boxes at most."""
    for at, node in one.before.nodes.items():
        for path, old, new in differences(node, one.after.nodes[at]):
            assert re.fullmatch(rf"children(\[\d+\])?|children_ptr|{BOXES}", path), (at, path, old, new)
    for at, rows in one.before.models.items():
        assert repr(rows) == repr(one.after.models[at])
    return [at for at in one.after.nodes if at not in one.before.nodes]


@every_game
@pytest.mark.parametrize("name", ["duplicate", "duplicate_linked"])
def test_a_copy_is_what_its_original_is(game: str, name: str, edited: Any) -> None:
    one = edited(game, name)
    assert one.row["summary"] == "1 node new" and one.row["defaults"] == [], one.row
    (at,) = new_nodes(one)
    old, new = one.before.nodes[one.node], one.after.nodes[at]
    # Blender's name of the copy, without its number, is the node's.
    assert new["name"] == old["name"] and new["model"] == old["model"]
    assert new.get("flags") == old.get("flags") and new.get("zone") == old.get("zone")
    places = [node["data"]["object3d"].get("translation", [0.0] * 3) for node in (old, new)]
    assert moved(*places) == pytest.approx([5, 0, 0], abs=1e-3)
    assert one.after.models.keys() == one.before.models.keys()


@every_game
@pytest.mark.parametrize("name", ["new_colored", "new_bare", "new_textured"])
def test_a_new_object_is_a_node_with_a_model(game: str, name: str, edited: Any) -> None:
    one = edited(game, name)
    (at,) = new_nodes(one)
    node = one.after.nodes[at]
    rows = one.after.models[node["model"]]
    assert node["name"] == "shed" and len(rows) == 12
    assert node["data"]["object3d"]["translation"] == [10, 30, -20]
    corners = {tuple(place) for row in rows for place in row["vertices"]}
    assert corners == {(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)}
    material = one.after.materials[rows[0]["material"]]
    assert material.get("color") == ([255.0, 0.0, 0.0] if name == "new_colored" else None)
    assert ("texture" in material) == (name == "new_textured") == ("uvs" in rows[0])


@every_game
def test_a_new_hierarchy_is_one(game: str, edited: Any) -> None:
    one = edited(game, "new_hierarchy")
    tower, room, roof = new_nodes(one)
    names = [one.after.nodes[at]["name"] for at in (tower, room, roof)]
    children = {node["name"]: node.get("children") for node in (one.after.nodes[at] for at in (tower, room, roof))}
    by_name = dict(zip(names, (tower, room, roof)))
    assert children == {"tower": [by_name["room"]], "room": [by_name["roof"]], "roof": None}


@every_game
def test_large_objects_meet_the_limits_of_the_engine(game: str, edited: Any) -> None:
    ball = edited(game, "new_sphere")
    (at,) = new_nodes(ball)
    assert len(ball.after.heads[ball.after.nodes[at]["model"]]["vertices"]) == 2452
    assert ball.row["news"] == (["gamez-vertices"] if game == "rc" else [])
    disc = edited(game, "new_disc")
    (at,) = new_nodes(disc)
    rows = disc.after.models[disc.after.nodes[at]["model"]]
    assert max(len(row["vertices"]) for row in rows) <= 57 and sum(len(row["vertices"]) - 2 for row in rows) == 98


@every_game
@pytest.mark.parametrize(
    "name, words", [("delete_everything", "it contains no object"), ("armature", "apply the Armature modifier")]
)
def test_what_no_world_takes_is_refused(game: str, name: str, words: str, edited: Any) -> None:
    one = edited(game, name)
    assert words in one.row["error"] and "/tmp/refit" not in one.row["error"] and one.is_unchanged()


@every_game
def test_an_independent_reader_finds_the_same_changes(game: str, edited: Any) -> None:
    """It shares nothing with refit's own, and mech3ax would take all that it took before."""
    if "REFIT_XTASK" not in os.environ:
        pytest.skip("the reader is that of `cargo xtask mech3ax`")
    edits = {str(one.path): one for one in (edited(game, name) for name in NAMES) if not one.is_unchanged()}
    assert len(edits) >= 25
    original = next(iter(edits.values())).before.path
    command = [os.environ["REFIT_XTASK"], "mech3ax", "--original", original, *edits]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = {row["file"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert rows.keys() == edits.keys(), done.stderr
    for file, one in edits.items():
        old, new = one.before.parts(), one.after.parts()
        changed = {key for key in {*old, *new} if old.get(key) != new.get(key)}
        if one.row["edit"].startswith("duplicate"):
            # No document stores how many nodes show a model.
            changed.add(f"model {one.model}")
        assert set(rows[file]["changed"]) == changed, file
    assert done.returncode == 0, [(file, row["faults"]) for file, row in rows.items() if row["faults"]]


def library(game: str, folder: Path) -> Path:
    """A game with 'mechs and their motions."""
    zbd = folder / "zbd"
    zbd.mkdir(parents=True)
    mechs = (GOLDEN / f"mechlib/{game}_typical_mechlib.zbd").read_bytes()
    # The 'mech that the motions are of.
    (zbd / "mechlib.zbd").write_bytes(mechs.replace(b"mech00.flt", b"madcat.flt"))
    shutil.copyfile(GOLDEN / f"motion/{game}_typical_motion.zbd", zbd / "motion.zbd")
    return folder


PARTS = r"nodes\[\d+\]\."
BOX = PARTS + r"(node|model|child)_bbox(\[\d\])?"
MECH = {
    "move_vertex": PARTS + r"mesh\.(vertices\[\d+\]|normals|polygons\[\d+\]\.normals|bbox_).*",
    "recolour_face": PARTS + r"mesh\.polygons\[\d+\]\.colors.*",
    "move_object": PARTS + r"data\.object3d\.(translation|flags|matrix).*",
    "scale_object": PARTS + r"data\.object3d\.(scale|flags|matrix).*",
    "mirror_object": PARTS + r"data\.object3d\.(scale|rotation|flags|matrix).*",
    "rename_object": "", "new_bare": "", "duplicate": "", "delete_object": "",
}  # fmt: skip
"""Edits of a 'mech, with the places that change; nothing, where only a report says something."""


@pytest.mark.parametrize("game", ["mw", "pm"])
def test_a_mech_changes_where_it_was_edited(game: str, tmp_path: Path) -> None:
    folder = library(game, tmp_path / "game")
    inside = "zbd/mechlib.zbd"
    before = refit.open(folder / inside).load()
    rows = run(folder, inside, "madcat", tmp_path, *MECH)
    for name, places in MECH.items():
        row = rows[name]
        assert "failed" not in row and "error" not in row, row
        after = refit.open(row["file"]).load()
        changed = {key: list(differences(before[key], after[key])) for key in before if key != "refit.json"}
        changed = {key: found for key, found in changed.items() if found}
        if not places:
            assert changed == {} and row["warnings"] + row["lost"], (name, row)
            continue
        ((document, found),) = changed.items()
        assert document == "madcat.flt.json" and any(re.fullmatch(places, at) for at, *_ in found), (name, found)
        assert all(re.fullmatch(f"{places}|{BOX}", at) for at, *_ in found), (name, found)
        # Except for boxes, all differences are in one node.
        assert len({at.split(".")[0] for at, *_ in found if not re.fullmatch(BOX, at)}) == 1, (name, found)


@pytest.mark.parametrize("game", ["mw", "pm"])
def test_a_motion_changes_where_it_was_edited(game: str, tmp_path: Path) -> None:
    folder = library(game, tmp_path / "game")
    before = refit.open(folder / "zbd/motion.zbd").load()
    rows = run(folder, "zbd/mechlib.zbd", "madcat.motions", tmp_path, "nothing", "move_key", "new_motion")
    assert rows["nothing"]["summary"] == "as it was" and rows["nothing"]["files"] == []
    after = refit.open(Path(rows["move_key"]["file"]).with_name("motion.zbd")).load()
    found = {key: list(differences(before[key], after[key])) for key in before if key != "refit.json"}
    ((_, changed),) = [pair for pair in found.items() if pair[1]]
    ((at, old, new),) = changed
    assert re.fullmatch(r"parts\[\d+\]\.translations\[1\]\[\d\]", at), changed
    assert abs(new - old) == pytest.approx(1), changed
    after = refit.open(Path(rows["new_motion"]["file"]).with_name("motion.zbd")).load()
    assert "1 motion new" in rows["new_motion"]["summary"], rows["new_motion"]
    (name,) = after.keys() - before.keys()
    assert rows["new_motion"]["edited"] in name
    assert all(after[key] == before[key] for key in before.keys() - {"refit.json"})
