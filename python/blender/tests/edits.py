"""Edits as people make them in Blender, each in a copy of its own of a game, all of them in one process.

    python edits.py GAME FILE-IN-GAME ONLY FOLDER EDIT…

ONLY is part of the name of a 'mech. Prints a line of JSON for each edit: what the add-on reported, and which object was
edited.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
import pyrefit as refit
from stage import core, play

PINK = (0.8, 0.1, 0.3, 1.0)


class Opened:
    """What was opened, and the object that is edited: the first one with a texture and two polygons of four corners."""

    def __init__(self, collection: bpy.types.Collection) -> None:
        self.collection = collection
        meshes = [thing for thing in collection.all_objects if thing.type == "MESH"]
        self.thing = next((thing for thing in meshes if self.fits(thing)), meshes[0])
        self.options: dict[str, Any] = {}

    @staticmethod
    def fits(thing: bpy.types.Object) -> bool:
        quads = [face for face in thing.data.polygons if len(face.vertices) == 4]
        textured = [slot.material for slot in thing.material_slots if slot.material and image_node(slot.material)]
        return len(quads) >= 2 and bool(textured) and thing.data.users == 1 and thing.parent is not None

    @property
    def mesh(self) -> bpy.types.Mesh:
        return self.thing.data

    def select(self, *things: bpy.types.Object) -> None:
        bpy.ops.object.select_all(action="DESELECT")
        for thing in things or (self.thing,):
            thing.select_set(True)
        bpy.context.view_layer.objects.active = (things or (self.thing,))[0]

    @contextlib.contextmanager
    def editing(self, *faces: int, edges: bool = False) -> Iterator[None]:
        """Enters edit mode with these faces selected, by default all."""
        self.select()
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_mode(type="FACE")
        bpy.ops.mesh.select_all(action="DESELECT" if faces else "SELECT")
        if faces:
            bpy.ops.object.mode_set(mode="OBJECT")
            for face in faces:
                self.mesh.polygons[face].select = True
            bpy.ops.object.mode_set(mode="EDIT")
        yield
        bpy.ops.object.mode_set(mode="OBJECT")

    def link(self, thing: bpy.types.Object) -> bpy.types.Object:
        """Moves a new object into the collection."""
        for own in list(thing.users_collection):
            own.objects.unlink(thing)
        self.collection.objects.link(thing)
        return thing

    def cube(self, name: str, **more: Any) -> bpy.types.Object:
        bpy.ops.mesh.primitive_cube_add(size=2, **{"location": (10, 20, 30), **more})
        cube = bpy.context.active_object
        cube.name = name
        return self.link(cube)


def image_node(material: bpy.types.Material) -> bpy.types.ShaderNodeTexImage | None:
    nodes = material.node_tree.nodes if material.node_tree else []
    return next((node for node in nodes if node.type == "TEX_IMAGE" and node.image), None)


def principled(material: bpy.types.Material) -> bpy.types.ShaderNode:
    return next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")


def new_material(name: str, color: tuple[float, ...] | None = None, picture: str = "") -> bpy.types.Material:
    """A material as people make it: a colour, or a picture of its own."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = principled(material)
    if color:
        shader.inputs["Base Color"].default_value = color
    if picture:
        image = bpy.data.images.new(picture, 8, 8)
        image.pixels = [0.8, 0.4, 0.2, 1.0] * 64
        image.pack()
        node = material.node_tree.nodes.new("ShaderNodeTexImage")
        node.image = image
        material.node_tree.links.new(shader.inputs["Base Color"], node.outputs["Color"])
    return material


EDITS: dict[str, Callable[[Opened], object]] = {}


def edit(function: Callable[[Opened], object]) -> Callable[[Opened], object]:
    EDITS[function.__name__] = function
    return function


@edit
def nothing(world: Opened) -> None:
    pass


# What changes nothing in the game.


@edit
def edit_mode(world: Opened) -> None:
    with world.editing():
        pass


@edit
def merge(world: Opened) -> None:
    with world.editing():
        bpy.ops.mesh.remove_doubles()


@edit
def triangulate(world: Opened) -> None:
    with world.editing():
        bpy.ops.mesh.quads_convert_to_tris()


@edit
def quads(world: Opened) -> None:
    with world.editing():
        bpy.ops.mesh.quads_convert_to_tris()
        bpy.ops.mesh.tris_convert_to_quads()


@edit
def dissolve(world: Opened) -> None:
    with world.editing():
        bpy.ops.mesh.dissolve_limited(delimit={"UV", "MATERIAL", "NORMAL"})


@edit
def rename_object(world: Opened) -> None:
    world.thing.name = "renamed"


@edit
def rename_mesh(world: Opened) -> None:
    world.mesh.name = "renamed"


# Places.


@edit
def move_vertex(world: Opened) -> None:
    world.mesh.vertices[0].co.x += 1


@edit
def scale_in_edit_mode(world: Opened) -> None:
    with world.editing():
        bpy.ops.transform.resize(value=(2, 2, 2), center_override=world.thing.matrix_world.translation)


@edit
def move_object(world: Opened) -> None:
    world.thing.location.x += 5


@edit
def rotate_object(world: Opened) -> None:
    world.thing.rotation_mode = "XYZ"
    world.thing.rotation_euler.z += 0.5


@edit
def scale_object(world: Opened) -> None:
    world.thing.scale = [2 * value for value in world.thing.scale]


@edit
def mirror_object(world: Opened) -> None:
    world.thing.scale.x *= -1


@edit
def apply_scale(world: Opened) -> None:
    world.thing.scale = [2 * value for value in world.thing.scale]
    world.select()
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)


# Faces.


@edit
def delete_face(world: Opened) -> None:
    with world.editing(0):
        bpy.ops.mesh.delete(type="FACE")


@edit
def subdivide(world: Opened) -> None:
    with world.editing(0):
        bpy.ops.mesh.subdivide()


@edit
def extrude(world: Opened) -> None:
    with world.editing(0):
        bpy.ops.mesh.extrude_region_move(TRANSFORM_OT_translate={"value": (0, 0, 1)})


@edit
def bevel(world: Opened) -> None:
    with world.editing(0):
        bpy.ops.mesh.bevel(offset=0.1, affect="EDGES")


@edit
def flip(world: Opened) -> None:
    with world.editing(0):
        bpy.ops.mesh.flip_normals()


@edit
def join_cube(world: Opened) -> None:
    cube = world.cube("cube")
    world.select(world.thing, cube)
    bpy.ops.object.join()


# Colours, materials.


def corners(world: Opened, *faces: int) -> Iterator[int]:
    for face in faces or range(len(world.mesh.polygons)):
        yield from world.mesh.polygons[face].loop_indices


def paint(world: Opened, *faces: int) -> None:
    colors = world.mesh.color_attributes
    attribute = colors[0] if len(colors) else colors.new("Color", "BYTE_COLOR", "CORNER")
    assert attribute.domain == "CORNER"
    for corner in corners(world, *faces):
        attribute.data[corner].color_srgb = (1.0, 0.0, 0.0, 1.0)


@edit
def recolour_face(world: Opened) -> None:
    paint(world, 0)


@edit
def recolour_all(world: Opened) -> None:
    paint(world)


@edit
def move_uvs(world: Opened) -> None:
    for corner in corners(world, 0):
        world.mesh.uv_layers[0].data[corner].uv.x += 0.25


def other_material(world: Opened) -> bpy.types.Material:
    """One that the object does not have, with another picture; none whose pictures change."""
    used = {node.image for node in (image_node(slot.material) for slot in world.thing.material_slots) if node}
    others = [material for material in bpy.data.materials if "#" not in material.name and image_node(material)]
    return next(material for material in others if image_node(material).image not in used)


@edit
def material_of_face(world: Opened) -> str:
    other = other_material(world)
    world.mesh.materials.append(other)
    world.mesh.polygons[0].material_index = len(world.mesh.materials) - 1
    return other.name


@edit
def material_of_slot(world: Opened) -> str:
    other = other_material(world)
    world.thing.material_slots[0].material = other
    return other.name


@edit
def material_by_texture(world: Opened) -> str:
    """A material that somebody made, with a picture of the game's texture."""
    texture = image_node(other_material(world)).image
    name = texture.name
    world.thing.material_slots[0].material = material = new_material("anything")
    node = material.node_tree.nodes.new("ShaderNodeTexImage")
    node.image = texture
    material.node_tree.links.new(principled(material).inputs["Base Color"], node.outputs["Color"])
    return name


@edit
def new_picture(world: Opened) -> None:
    world.thing.material_slots[0].material = new_material("bricks", picture="bricks")


def plain(world: Opened) -> bpy.types.Object:
    """An object with a material without a texture."""
    for thing in world.collection.all_objects:
        if thing.type == "MESH" and thing.material_slots:
            material = thing.material_slots[0].material
            if material and not image_node(material):
                return thing
    raise LookupError("no plain material")


def color_socket(material: bpy.types.Material, name: str, kind: str) -> bpy.types.NodeSocket:
    """The socket that people edit. The importer mixes colours with those of the corners."""
    socket = principled(material).inputs[name]
    while socket.is_linked:
        inputs = socket.links[0].from_node.inputs
        free = [one for one in inputs if one.type == kind and one.name in ("B", "Value", "Color2") and one.enabled]
        socket = next(one for one in free if not one.is_linked)
    return socket


@edit
def base_color(world: Opened) -> str:
    material = plain(world).material_slots[0].material
    color_socket(material, "Base Color", "RGBA").default_value = (1.0, 0.0, 0.0, 1.0)
    return material.name


@edit
def alpha(world: Opened) -> str:
    material = plain(world).material_slots[0].material
    color_socket(material, "Alpha", "VALUE").default_value = 0.5
    return material.name


@edit
def backface(world: Opened) -> None:
    material = world.thing.material_slots[0].material
    material.use_backface_culling = not material.use_backface_culling


# Objects.


@edit
def duplicate(world: Opened) -> None:
    world.select()
    bpy.ops.object.duplicate(linked=False)
    bpy.context.active_object.location.x += 5


@edit
def duplicate_linked(world: Opened) -> None:
    world.select()
    bpy.ops.object.duplicate(linked=True)
    bpy.context.active_object.location.x += 5


@edit
def delete_object(world: Opened) -> None:
    world.select()
    bpy.ops.object.delete()


@edit
def new_colored(world: Opened) -> None:
    world.cube("shed").data.materials.append(new_material("red", (1.0, 0.0, 0.0, 1.0)))


@edit
def new_bare(world: Opened) -> None:
    world.cube("shed")


@edit
def new_textured(world: Opened) -> None:
    world.cube("shed").data.materials.append(new_material("bricks", picture="bricks"))


@edit
def new_hierarchy(world: Opened) -> None:
    tower, room, roof = world.cube("tower"), world.cube("room"), world.cube("roof")
    room.parent, roof.parent = tower, room


@edit
def new_sphere(world: Opened) -> None:
    bpy.ops.mesh.primitive_uv_sphere_add(segments=50, ring_count=50, location=(0, 0, 40))
    bpy.ops.object.shade_smooth()
    ball = world.link(bpy.context.active_object)
    ball.name = "ball"
    ball.data.materials.append(new_material("red", (1.0, 0.0, 0.0, 1.0)))


@edit
def new_disc(world: Opened) -> None:
    """One face of 100 corners."""
    bpy.ops.mesh.primitive_circle_add(vertices=100, fill_type="NGON", location=(0, 0, 40))
    disc = world.link(bpy.context.active_object)
    disc.name = "disc"
    disc.data.materials.append(new_material("red", (1.0, 0.0, 0.0, 1.0)))
    world.options["merge_polygons"] = True


# Edits that no world can store.


@edit
def delete_everything(world: Opened) -> None:
    for thing in list(world.collection.all_objects):
        bpy.data.objects.remove(thing)


@edit
def shape_key(world: Opened) -> None:
    world.thing.shape_key_add(name="Basis")
    world.thing.shape_key_add(name="open")


@edit
def armature(world: Opened) -> None:
    bpy.ops.object.armature_add()
    bones = world.link(bpy.context.active_object)
    group = world.thing.vertex_groups.new(name="Bone")
    group.add(range(len(world.mesh.vertices)), 1.0, "REPLACE")
    world.thing.modifiers.new("Armature", "ARMATURE").object = bones
    world.thing.parent = bones


@edit
def animation(world: Opened) -> None:
    world.thing.keyframe_insert("location", frame=1)
    world.thing.location.x += 5
    world.thing.keyframe_insert("location", frame=20)


# Motions.


@edit
def move_key(mech: Opened) -> None:
    """The second key of the first place."""
    curves = [curve for action in core.actions_of(mech.collection) for curve in core.curves_of(action)]
    curve = next(curve for curve in curves if curve.data_path == "location")
    curve.keyframe_points[1].co[1] += 1


@edit
def new_motion(mech: Opened) -> str:
    """A motion under another name."""
    copies: dict[str, bpy.types.Action] = {}
    for thing in mech.collection.all_objects:
        for track in list(thing.animation_data.nla_tracks if thing.animation_data else [])[:1]:
            strip = track.strips[0]
            name = track.name.rsplit("_", 1)[0] + "_limp"
            if strip.action.name not in copies:
                copies[strip.action.name] = strip.action.copy()
                copies[strip.action.name].name = strip.action.name.replace(track.name, name)
            new = thing.animation_data.nla_tracks.new()
            new.name = name
            copy = new.strips.new(name, int(strip.frame_start), copies[strip.action.name])
            if hasattr(strip, "action_slot"):
                copy.action_slot = next(
                    slot for slot in copy.action.slots if slot.identifier == strip.action_slot.identifier
                )
    return name


def shown(thing: bpy.types.Object) -> dict[str, Any]:
    """What Blender shows of the edited object: how many triangles there are of each material, by the number that the
    export gave it, and the places of its vertices, in the game's axes."""
    triangles: dict[str, int] = {}
    for face in thing.data.polygons:
        material = thing.data.materials[face.material_index]
        key = str(material["index"]) if material and "index" in material else "new"
        triangles[key] = triangles.get(key, 0) + len(face.vertices) - 2
    return {"triangles": triangles, "points": [[x, z, 0.0 - y] for x, y, z in (v.co for v in thing.data.vertices)]}


def tried(file: Path, name: str, only: str) -> dict[str, Any]:
    """Makes an edit and brings it back."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    motions = only.endswith(".motions")
    (collection,) = core.open_file(file, only=only, motions=motions)
    world = Opened(collection)
    row: dict[str, Any] = {"object": world.thing.name, "node": world.thing.get(core.NODE)}
    row["edited"] = EDITS[name](world)
    if name in ("subdivide", "bevel", "extrude", "join_cube"):
        row |= shown(world.thing)
    try:
        changed = core.bring_back(collection, **world.options)
    except refit.Error as error:
        return {**row, "error": str(error)}
    row |= {"summary": changed.summary, "warnings": changed.warnings, "lost": changed.lost}
    row |= {"defaults": changed.defaults, "news": [finding.code for finding in changed.news]}
    return {**row, "files": [str(path) for path in changed.files]}


def main(game: Path, inside: str, only: str, folder: Path, names: list[str]) -> None:
    for name in names:
        copy = folder / name
        shutil.copytree(game, copy)
        try:
            row = tried(copy / inside, name, only)
        except Exception:  # noqa: BLE001
            row = {"failed": traceback.format_exc()}
        print("RESULT " + json.dumps({"edit": name, "file": str(copy / inside), **row}), flush=True)


if __name__ == "__main__":
    play(main, Path(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4]), sys.argv[5:])
