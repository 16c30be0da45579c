"""The work of the add-on, without its buttons: opens the scene of a game's file, and brings it back.

Each thing that is opened is a collection that knows its file and its name there. It goes out through Blender's own
exporter, and refit compares it with a fresh export: what was not edited keeps its bits.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import mathutils.kdtree
import numpy
import pyrefit as refit

from . import glb as gltf

FILE = "refit_file"
"""The property of a collection with the path of its file."""
NAME = "refit_name"
"""The property with the name of the export."""
MOTIONS = "refit_motions"
"""The property with the path of the archive of motions, if the actions of the collection are motions."""

GAME = "refit_game"
"""The property of a scene with the folder of the game that a project was built into."""

NODE = "refit_node"
"""The property of an object with the name of its node in the export."""
OBJECT = "refit_object"
"""The property with the name that Blender gave it: a copy has another one."""
PLACE = "refit_place"
"""The property with its place in Blender when it was opened, and its place in the export."""

SAME_PLACE = 1e-6
"""Vertices are one if they are as near: the exporter splits those with several normals or colours."""
SAME_NORMAL = 0.005
"""Normals whose components differ by less are the same."""
FLAT = 0.02
"""Triangles in one plane make a polygon again: the angle between them, in radians."""


def game_of(path: Path) -> Path | None:
    """The folder of the game or of the project that a file belongs to."""
    for folder in path.resolve().parents:
        if (folder / "refit.json").is_file() and (folder / ".refit").is_dir() and folder != path:
            return folder
        if folder.name.lower() == "zbd":
            return folder.parent
    return None


class Around:
    """The game around a file: texture packages and motions by their role."""

    def __init__(self, path: Path) -> None:
        self.game: refit.Game | None = None
        self.inside = ""
        root = game_of(path)
        if root is None:
            return
        with contextlib.suppress(refit.Error):
            game = refit.Game(root)
            for row in game.files:
                if game.path_of(row.path).resolve() == path.resolve():
                    self.game, self.inside = game, row.path

    def packages(self) -> list[Path]:
        """The texture packages that the file sees."""
        return self.game.packages(self.inside) if self.game else []

    def own_packages(self) -> list[Path]:
        """Those that have the textures of this world alone, if there are such; new pictures go there."""
        rows = self.game.files if self.game else []
        group = {row.group for row in rows if row.path == self.inside}
        own = {str(self.game.path_of(row.path)) for row in rows if self.game and row.group and row.group in group}
        packages = self.packages()
        return [path for path in packages if str(path) in own] or packages

    def motions(self) -> list[Path]:
        """The archives of motions."""
        rows = self.game.files if self.game else []
        return [self.game.path_of(row.path) for row in rows if self.game and row.format == "motion"]


def names(path: Path, *, further: bool = False, motions: bool = False) -> list[str]:
    """The scenes of a file: `world`, planes, or 'mechs, without single models."""
    around = Around(path)
    with refit.open(path) as file:
        all_names = file.glb_names(using=around.motions() if motions else [])
    end = ".motions"
    shown = [name for name in all_names if not name.startswith("models/") and name != "unattached"]
    far = {name for name in shown if name == "further" or name.endswith(".further")}
    moving = {name for name in shown if name.endswith(end)}
    if motions:
        with_motions = {name.removesuffix(end) for name in moving}
        shown = [name for name in shown if name not in with_motions]
    else:
        shown = [name for name in shown if name not in moving]
    return shown if further else [name for name in shown if name not in far]


@contextlib.contextmanager
def _temporary(name: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="refit") as folder:
        yield Path(folder) / f"{name.rsplit('/', 1)[-1]}.glb"


def _layer(layer: bpy.types.LayerCollection, collection: bpy.types.Collection) -> bpy.types.LayerCollection | None:
    """The layer of a collection."""
    open_layers = [layer]
    while open_layers:
        one = open_layers.pop()
        if one.collection == collection:
            return one
        open_layers.extend(one.children)
    return None


def open_one(path: Path, name: str, using: list[Path], *, tidy: bool = True) -> bpy.types.Collection | None:
    """Opens one scene of a file as a collection. `None` if it is empty."""
    with refit.open(path) as file:
        try:
            data = file.glb(name, using=using)
        except refit.Error:
            # An empty export is not a file.
            return None
    context = bpy.context
    collection = bpy.data.collections.new(f"{path.name}: {name}")
    context.scene.collection.children.link(collection)
    collection[FILE], collection[NAME] = str(path.resolve()), name
    before = set(bpy.data.objects)
    with _temporary(name) as glb:
        glb.write_bytes(data)
        bpy.ops.import_scene.gltf(filepath=str(glb), merge_vertices=False)
    new = [thing for thing in bpy.data.objects if thing not in before]
    for thing in new:
        for other in thing.users_collection:
            other.objects.unlink(thing)
        collection.objects.link(thing)
    note_places(new, data)
    if tidy:
        weld(collection)
    layer = _layer(context.view_layer.layer_collection, collection)
    if layer is not None and (name == "further" or name.endswith(".further")):
        layer.hide_viewport = True
    elif layer is not None:
        # New objects go into it.
        context.view_layer.active_layer_collection = layer
    return collection


def note_places(things: list[bpy.types.Object], data: bytes) -> None:
    """Notes where objects are. Blender computes all places again when it exports, and what was not moved would move a
    little, the more the further away it is."""
    bpy.context.view_layer.update()
    known = gltf.places(data)
    for thing in things:
        name = thing.name if thing.name in known else thing.name.rsplit(".", 1)[0]
        if name in known:
            thing[NODE], thing[OBJECT] = name, thing.name
    for thing in things:
        if NODE in thing:
            thing[PLACE] = json.dumps([place_of(thing), known[thing[NODE]]])


def turn_of(thing: bpy.types.Object) -> mathutils.Quaternion:
    """The rotation of an object, in whichever way it is given."""
    if thing.rotation_mode == "QUATERNION":
        return thing.rotation_quaternion
    if thing.rotation_mode == "AXIS_ANGLE":
        angle, *axis = thing.rotation_axis_angle
        return mathutils.Quaternion(axis, angle)
    return thing.rotation_euler.to_quaternion()


def place_of(thing: bpy.types.Object) -> dict[str, object]:
    """The place of an object below its parent: as glTF has it, and what else counts."""
    (x, y, z), (w, i, j, k), (a, b, c) = thing.location, turn_of(thing), thing.scale
    inverse = [value for row in thing.matrix_parent_inverse for value in row]
    return {
        "translation": [x, z, 0.0 - y],
        "rotation": [i, k, 0.0 - j, w],
        "scale": [a, c, b],
        "parent": thing.parent[NODE] if thing.parent is not None and NODE in thing.parent else None,
        "more": [*inverse, *thing.delta_location, *thing.delta_scale, *thing.delta_rotation_euler],
    }


def moved_place(was: dict[str, Any], now: dict[str, Any], place: dict[str, Any]) -> dict[str, Any] | None:
    """The place in the export of an object that was moved: what was not changed keeps its bits. `None` if the exporter
    has to compute it."""
    if now == was:
        return place
    is_plain = was["more"][:16] == [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    if not is_plain or "matrix" in place or any(now[key] != was[key] for key in ("parent", "more")):
        return None
    changed = {key: now[key] for key in ("translation", "rotation", "scale") if now[key] != was[key]}
    return {**place, **changed}


def put_places(collection: bpy.types.Collection, data: bytes) -> bytes:
    """Gives what was not moved the place of the export again, and its name."""
    bpy.context.view_layer.update()
    holders: dict[str, list[bpy.types.Object]] = {}
    for thing in collection.all_objects:
        if NODE in thing:
            holders.setdefault(thing[NODE], []).append(thing)
    own = {}
    for node, things in holders.items():
        # Of an object and its copies, take the one with the original name. If none has it, the object was renamed.
        first = [thing for thing in things if thing.name == thing[OBJECT]] or things
        own[first[0].name] = (first[0], node)
    document, chunks = gltf.read(data)
    for node in document.get("nodes", []):
        extras = node.get("extras", {})
        for key in (NODE, OBJECT, PLACE):
            extras.pop(key, None)
        thing, name = own.get(node["name"], (None, ""))
        if thing is None:
            continue
        node["name"] = name
        was, known = json.loads(thing[PLACE])
        place = moved_place(was, place_of(thing), known)
        if place is not None:
            for key in gltf.PLACE:
                node.pop(key, None)
            node.update(place)
    lost = lost_normals(collection)
    return gltf.write(document, gltf.forget_normals(document, chunks, lost) if lost else chunks)


def lost_normals(collection: bpy.types.Collection) -> dict[str, set[bytes]]:
    """The corners, by their meshes' names, whose normals Blender cannot hold. It exports them as up. Where the normal
    of the faces runs along an edge, it has nothing to measure other normals by."""
    lost = {}
    for mesh in {thing.data for thing in collection.all_objects if thing.type == "MESH"}:
        corners = len(mesh.loops)
        normals = numpy.empty((corners, 3), numpy.float32)
        mesh.corner_normals.foreach_get("vector", normals.ravel())
        is_lost = ~normals.any(axis=1)
        if len(mesh.uv_layers) < 2 or not is_lost.any():
            continue
        tags = numpy.empty((corners, 2), numpy.float32)
        mesh.uv_layers[1].data.foreach_get("uv", tags.ravel())
        vertices = numpy.empty(corners, numpy.int32)
        mesh.loops.foreach_get("vertex_index", vertices)
        points = numpy.empty((len(mesh.vertices), 3), numpy.float32)
        mesh.vertices.foreach_get("co", points.ravel())
        places = points[vertices][:, [0, 2, 1]] * numpy.float32([1, 1, -1])
        keys = gltf.corner_keys(places, numpy.float32([0, 1]) + tags * numpy.float32([1, -1]))
        up = {key for key, normal in zip(keys, normals) if tuple(normal) == (0, 0, 1)}
        lost[mesh.name] = {key for key, own in zip(keys, is_lost) if own} - up
    return lost


def is_sound(mesh: bpy.types.Mesh) -> bool:
    """True if no face has a place twice, no two faces have the same places, and no places are so near that welding
    would make them one."""
    places = [tuple(vertex.co) for vertex in mesh.vertices]
    faces: set[frozenset[Any]] = set()
    for polygon in mesh.polygons:
        face = frozenset(places[at] for at in polygon.vertices)
        if len(face) < len(polygon.vertices) or face in faces:
            return False
        faces.add(face)
    single = dict.fromkeys(places)
    tree = mathutils.kdtree.KDTree(len(single))
    for at, place in enumerate(single):
        tree.insert(place, at)
    tree.balance()
    return bool(faces) and all(len(tree.find_range(place, 2 * SAME_PLACE)) == 1 for place in single)


Rings = dict[int, list[tuple[bool, list[int]]]]


def rings_of(path: Path, name: str) -> Rings:
    """The polygons of the models in an export, by the model's number: whether it is a strip, and its vertices."""
    mech = name.removesuffix(".motions").removesuffix(".further") + ".flt.json"
    with refit.open(path) as file:
        documents = file.documents()
        if mech in documents:
            models = {at: node.get("mesh") or {} for at, node in enumerate(file[mech]["nodes"])}
        else:
            names = [name for name in documents if name.startswith("models/")]
            models = {int(name[7:].split("-")[0].split(".")[0]): file[name] for name in names}
    rows = {at: model.get("polygons", []) for at, model in models.items()}
    return {at: [("TRI_STRIP" in row.get("flags", []), row["vertices"]) for row in rows[at]] for at in rows}


Corners = list[tuple[tuple[float, ...], tuple[float, ...]]]


def corners_of(mesh: bpy.types.Mesh) -> Corners:
    """The places and normals of a mesh's corners."""
    places = [tuple(vertex.co) for vertex in mesh.vertices]
    normals = [tuple(normal.vector) for normal in mesh.corner_normals]
    return [(places[loop.vertex_index], normal) for loop, normal in zip(mesh.loops, normals)]


def are_kept(mesh: bpy.types.Mesh, before: Corners) -> bool:
    """True if each corner of a mesh has the place and the normal of one that was there."""
    known: dict[tuple[float, ...], set[tuple[float, ...]]] = {}
    for place, normal in before:
        known.setdefault(place, set()).add(normal)

    def is_known(place: tuple[float, ...], normal: tuple[float, ...]) -> bool:
        own = known.get(place, set())
        return normal in own or any(max(abs(a - b) for a, b in zip(one, normal)) < SAME_NORMAL for one in own)

    return all(is_known(*corner) for corner in corners_of(mesh))


def mark_borders(mesh: bpy.types.Mesh, rings: Rings) -> None:
    """Makes seams of all edges but those within a polygon of the game. The second texture coordinates of the export say
    which vertex of which model a corner is."""
    tags = mesh.uv_layers[1].data if len(mesh.uv_layers) > 1 else []
    known: dict[int, dict[frozenset[int], int | None]] = {}

    def polygon_of(face: bpy.types.MeshPolygon) -> object:
        if not tags:
            return None
        uvs = [tags[corner].uv for corner in face.loop_indices]
        key = round(1 - uvs[0].y) - 1
        if key not in known:
            own = known[key] = {}
            for number, (is_strip, ring) in enumerate(rings.get(key, [])):
                for at in range(len(ring) - 2):
                    three = frozenset(ring[at : at + 3] if is_strip else (ring[0], *ring[at + 1 : at + 3]))
                    # Two polygons with the same corners cannot be distinguished.
                    own[three] = None if three in own else number
        number = known[key].get(frozenset(round(uv.x) for uv in uvs))
        return None if number is None else (key, number)

    edges: dict[tuple[int, int], list[object]] = {}
    for face in mesh.polygons:
        own = polygon_of(face)
        for edge in face.edge_keys:
            edges.setdefault(edge, []).append(own)
    for edge in mesh.edges:
        meeting = edges.get(edge.key, [])
        edge.use_seam = len(meeting) != 2 or meeting[0] is None or meeting[0] != meeting[1]


@contextlib.contextmanager
def _edited(things: list[bpy.types.Object]) -> Iterator[None]:
    """Enters edit mode with everything of these objects selected."""
    bpy.ops.object.select_all(action="DESELECT")
    for thing in things:
        thing.select_set(True)
    bpy.context.view_layer.objects.active = things[0]
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    yield
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.select_all(action="DESELECT")


def weld(collection: bpy.types.Collection) -> None:
    """Makes meshes that are easy to edit: one vertex for each place, and the polygons of the game of their triangles. A
    mesh that this would change stays as it is."""
    meshes: dict[str, bpy.types.Object] = {}
    for thing in collection.all_objects:
        if thing.type == "MESH" and thing.visible_get() and is_sound(thing.data):
            meshes.setdefault(thing.data.name, thing)
    if not meshes:
        return
    before = {name: (thing.data.copy(), corners_of(thing.data)) for name, thing in meshes.items()}
    with _edited(list(meshes.values())):
        bpy.ops.mesh.remove_doubles(threshold=SAME_PLACE, use_sharp_edge_from_normals=True)
    rings = rings_of(Path(collection[FILE]), collection[NAME])
    good = {}
    for name, thing in meshes.items():
        copy, corners = before[name]
        if len(thing.data.loops) == len(corners) and are_kept(thing.data, corners):
            good[name] = thing
            mark_borders(thing.data, rings)
        else:
            put_back(thing, copy)
    if good:
        with _edited(list(good.values())):
            bpy.ops.mesh.tris_convert_to_quads(face_threshold=FLAT, shape_threshold=3.14159, seam=True, materials=True)
    for name, thing in good.items():
        copy, corners = before[name]
        if not are_kept(thing.data, corners):
            put_back(thing, copy)
            continue
        bpy.data.meshes.remove(copy)
        for edge in thing.data.edges:
            edge.use_seam = False


def put_back(thing: bpy.types.Object, mesh: bpy.types.Mesh) -> None:
    """Gives an object, and those that share its mesh, another one under the same name."""
    other = thing.data
    name = other.name
    other.user_remap(mesh)
    bpy.data.meshes.remove(other)
    mesh.name = name


def open_file(
    path: Path,
    *,
    only: str = "",
    textures: bool = True,
    further: bool = False,
    motions: bool = False,
    tidy: bool = True,
) -> list[bpy.types.Collection]:
    """Opens a world, planes or 'mechs: those whose names contain `only`."""
    around = Around(path)
    using = around.packages() if textures else []
    using = using + (around.motions() if motions else [])
    opened = []
    for name in names(path, further=further, motions=motions):
        if only.lower() not in name.lower():
            continue
        collection = open_one(path, name, using, tidy=tidy)
        if collection is None:
            continue
        opened.append(collection)
        if name.endswith(".motions"):
            collection[MOTIONS] = str(around.motions()[0])
            own_rate(collection)
    return opened


def actions_of(collection: bpy.types.Collection) -> list[bpy.types.Action]:
    """The actions of the objects of a collection."""
    found: dict[str, bpy.types.Action] = {}
    for thing in collection.all_objects:
        animation = thing.animation_data
        if animation is None:
            continue
        tracks = [strip.action for track in animation.nla_tracks for strip in track.strips]
        for action in [animation.action, *tracks]:
            if action is not None:
                found[action.name] = action
    return list(found.values())


def curves_of(action: bpy.types.Action) -> list[bpy.types.FCurve]:
    """The curves of an action. Since Blender 4.4, it can have curves for several objects."""
    if not getattr(action, "layers", None):
        return list(action.fcurves)
    strips = [strip for layer in action.layers for strip in layer.strips]
    return [curve for strip in strips for bag in strip.channelbags for curve in bag.fcurves]


def own_rate(collection: bpy.types.Collection) -> None:
    """Gives the scene the rate of the motions, so that each frame is a frame of the game.

    Blender imports times in seconds at the rate of the scene; the keys move to whole frames here.
    """
    scene = bpy.context.scene
    rate = scene.render.fps / scene.render.fps_base
    curves = (curve for action in actions_of(collection) for curve in curves_of(action))
    times = sorted({point.co[0] for curve in curves for point in curve.keyframe_points})
    steps = [later - earlier for earlier, later in zip(times, times[1:]) if later - earlier > 1e-3]
    if not steps:
        return
    wanted = rate / min(steps)
    if not 1 <= wanted <= 240:
        return
    scene.render.fps = max(1, round(wanted))
    # Most rates are whole, and the times in the file are not exact.
    whole = abs(wanted - scene.render.fps) < 0.02
    scene.render.fps_base = 1.0 if whole else scene.render.fps / wanted
    factor = (scene.render.fps / scene.render.fps_base) / rate
    for action in actions_of(collection):
        for curve in curves_of(action):
            for point in curve.keyframe_points:
                frame = point.co[0] * factor
                if abs(frame - round(frame)) < 0.01:
                    frame = round(frame)
                moved = frame - point.co[0]
                point.co[0] = frame
                point.handle_left[0] += moved
                point.handle_right[0] += moved


def opened() -> list[bpy.types.Collection]:
    """The collections of this scene that came from files."""
    return [collection for collection in bpy.context.scene.collection.children_recursive if FILE in collection]


def write_glb(collection: bpy.types.Collection, glb: Path) -> None:
    """Exports a collection as refit reads it."""
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    moving = MOTIONS in collection
    bpy.ops.export_scene.gltf(
        filepath=str(glb),
        export_format="GLB",
        collection=collection.name,
        export_extras=True,
        export_cameras=True,
        export_lights=True,
        export_animations=moving,
        export_force_sampling=False,
        export_animation_mode="ACTIONS",
        export_optimize_animation_size=False,
        # Otherwise colours of corners are lost if their material does not show them.
        export_vertex_color="ACTIVE",
    )
    glb.write_bytes(put_places(collection, glb.read_bytes()))


def notes(collection: bpy.types.Collection) -> list[str]:
    """Changes that neither the game nor the export can represent."""
    known = [thing for thing in collection.all_objects if NODE in thing]
    names = {thing.name for thing in known}
    renamed = [thing for thing in known if thing.name != thing[OBJECT] and thing[OBJECT] not in names]
    moving = [thing for thing in collection.all_objects if thing.animation_data and thing.animation_data.action]
    brought = {thing for one in opened() for thing in one.all_objects}
    beside = [thing for thing in bpy.context.scene.objects if thing.type == "MESH" and thing not in brought]
    out = []
    if beside:
        listed = ", ".join(repr(thing.name) for thing in beside[:8])
        drag = f"drag them into {collection.name!r}"
        out.append(f"objects in none of refit's collections are left out ({drag}): {listed}")
    if renamed:
        listed = ", ".join(f"{thing.name!r} is {thing[NODE]!r}" for thing in renamed[:8])
        out.append(f"renamed objects, whose nodes keep their names because others refer to them: {listed}")
    if moving:
        listed = ", ".join(repr(thing.name) for thing in moving[:8])
        out.append(f"objects are where they are in this frame, and their animations are left out: {listed}")
    return out


def bring_back(
    collection: bpy.types.Collection, *, into: Path | None = None, dry_run: bool = False, merge_polygons: bool = False
) -> refit.Changed:
    """Brings a collection back into its file, or into another one; with `dry_run`, tells what would change."""
    path = into or Path(collection[FILE])
    name = collection[NAME]
    with _temporary(name) as glb:
        write_glb(collection, glb)
        if MOTIONS in collection:
            return refit.put_glb(into or Path(collection[MOTIONS]), None, glb, dry_run=dry_run)
        packages = [] if into else Around(path).own_packages()
        try:
            changed = refit.put_glb(path, name, glb, textures=packages, merge_polygons=merge_polygons, dry_run=dry_run)
        except refit.Error as error:
            # The user does not know this temporary file.
            raise refit.Error(str(error).replace(f"{glb}: ", ""), error.kind, error.path, error.offset, error.file)
    changed = changed._replace(warnings=[*changed.warnings, *notes(collection)])
    # Lights and cameras of the game are only shown: no warning about them.
    if all(NODE in thing for thing in collection.all_objects if thing.type in ("LIGHT", "CAMERA")):
        own = tuple(f"{kind} in the file are left out: models have none" for kind in ("cameras", "lights"))
        changed = changed._replace(warnings=[text for text in changed.warnings if not text.endswith(own)])
    return changed


def of_finding(finding: refit.Finding) -> str:
    """A finding on one line. One of the whole file has no place."""
    return ": ".join(part for part in (finding.severity, finding.path, finding.message) if part)


def lines(collection: bpy.types.Collection, changed: refit.Changed) -> list[str]:
    """A report for people."""
    out = [f"{collection.name}: {changed.summary}"]
    # Report each fact about several motions or objects once.
    said: dict[str, list[str]] = {}
    for text in changed.warnings:
        said.setdefault(text.partition(": ")[2] or text, []).append(text)
    for sentence, texts in said.items():
        shown = texts if len(texts) <= 2 else [f"{len(texts)} times: {sentence}"]
        # Something new is expected: no warning.
        out += [text if text.endswith(" is new") else f"warning: {text}" for text in shown]
    out += [f"left out: {text}" for text in changed.lost]
    out += [f"{what}: {number}" for what, number in changed.defaults]
    out += [of_finding(finding) for finding in changed.news]
    out += [f"written: {file}" for file in changed.files]
    return out
