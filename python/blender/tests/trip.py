"""Opens what a file shows in Blender, edits it, and brings it back: one process for each, because bpy ends badly.

    python trip.py FILE EDIT [--motions] [--plain]

Prints a line of JSON: what each thing that was opened says.
"""

import json
import sys
from pathlib import Path

import bpy
import pyrefit as refit
from stage import core, play


def meshes(collection):
    return [thing for thing in collection.all_objects if thing.type == "MESH" and thing.data.vertices]


def edit(how, opened):
    things = [thing for collection in opened for thing in meshes(collection)]
    one = things[0] if things else None
    if how == "vertex":
        # One click: after welding, the corner is one vertex.
        one.data.vertices[0].co.x += 1
    elif how == "object":
        one.location.x += 5
    elif how == "new":
        bpy.ops.mesh.primitive_cube_add(size=2, location=(10, 20, 30))
        cube = bpy.context.active_object
        cube.name = "shed"
        for own in list(cube.users_collection):
            own.objects.unlink(cube)
        opened[0].objects.link(cube)
        parent = next(thing for thing in opened[0].all_objects if thing.parent is None and thing != cube)
        cube.parent = parent
    elif how == "key":
        moving = next(collection for collection in opened if core.MOTIONS in collection)
        action = core.actions_of(moving)[0]
        curve = next(curve for curve in core.curves_of(action) if "location" in curve.data_path)
        curve.keyframe_points[1].co[1] += 1
    elif how != "none":
        raise ValueError(how)


def main(path, how, motions, tidy):
    opened = core.open_file(Path(path), motions=motions, tidy=tidy)
    edit(how, opened)
    out = []
    for collection in opened:
        try:
            changed = core.bring_back(collection)
        except refit.Error as error:
            out.append({"name": collection[core.NAME], "error": str(error)})
            continue
        out.append(
            {
                "name": collection[core.NAME],
                "meshes": len(meshes(collection)),
                "corners": max(
                    [len(face.vertices) for thing in meshes(collection) for face in thing.data.polygons], default=0
                ),
                "summary": changed.summary,
                "lost": changed.lost,
                "warnings": changed.warnings,
                "files": [str(file) for file in changed.files],
                "rate": bpy.context.scene.render.fps / bpy.context.scene.render.fps_base,
            }
        )
    print("RESULT " + json.dumps(out), flush=True)


play(main, sys.argv[1], sys.argv[2], "--motions" in sys.argv, "--plain" not in sys.argv)
