"""Installs the add-on's package, as dropping it onto Blender does, and brings back a moved object.

    python installed.py PACKAGE WORLD
"""

import sys

import bpy
from stage import play, refit_blender


def main(package, world):
    # The package brings its own buttons.
    refit_blender.unregister()
    done = bpy.ops.extensions.package_install_files(repo="user_default", filepath=package, enable_on_install=True)
    assert done == {"FINISHED"}
    assert bpy.ops.import_scene.refit(filepath=world) == {"FINISHED"}
    from bl_ext.user_default.refit_blender import core

    (collection,) = core.opened()
    next(thing for thing in collection.all_objects if thing.type == "MESH").location.x += 5
    assert bpy.ops.refit.back(file=collection[core.FILE]) == {"FINISHED"}
    print("RESULT")


play(main, *sys.argv[1:])
