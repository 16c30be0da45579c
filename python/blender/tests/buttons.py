"""Presses the buttons of the add-on: open, edit, what changed, write back, findings, restore, build into the game.

    python buttons.py WORLD          a copy of a world
    python buttons.py TREE GAME      the tree of a world in a project, and the game that the project was made of
"""

import sys
from pathlib import Path

import bpy
import pyrefit as refit
from edits import Opened, new_material
from stage import core, play, refit_blender, report


def of_file(path):
    file = Path(path)
    before = file.read_bytes()
    assert bpy.ops.import_scene.refit(filepath=path) == {"FINISHED"}
    assert "world" in report()
    (collection,) = core.opened()
    own = collection[core.FILE]
    assert bpy.ops.refit.changes(file=own) == {"FINISHED"}
    assert "as it was" in report(), report()
    next(thing for thing in collection.all_objects if thing.type == "MESH").location.x += 5
    bpy.ops.refit.changes(file=own)
    assert "1 node moved" in report() and "would change" in report(), report()
    assert file.read_bytes() == before
    bpy.ops.refit.back(file=own)
    assert "written" in report() and file.read_bytes() != before, report()
    bpy.ops.refit.changes(file=own)
    bpy.ops.refit.findings(file=own)
    assert report()
    bpy.ops.refit.restore(file=own)
    assert file.read_bytes() == before
    other = file.with_name("other.zbd")
    other.write_bytes(before)
    assert bpy.ops.export_scene.refit(filepath=str(other)) == {"FINISHED"}
    assert other.read_bytes() != before and file.read_bytes() == before
    try:
        bpy.ops.import_scene.refit(filepath=__file__)
    except RuntimeError as error:
        assert "buttons.py" in str(error), error
    else:
        raise AssertionError("a script is no world")


def of_project(tree, game):
    world, packages = Path(tree), sorted(Path(tree).parent.glob("*texture*.zbd"))
    built = [Path(game) / path.relative_to(world.parents[2]) for path in (world, *packages)]
    before = [path.read_bytes() for path in built]
    assert bpy.ops.import_scene.refit(filepath=str(world / "refit.json")) == {"FINISHED"}
    (collection,) = core.opened()
    own = collection[core.FILE]
    bpy.ops.refit.changes(file=own)
    assert "as it was" in report(), report()
    Opened(collection).cube("shed").data.materials.append(new_material("bricks", picture="bricks"))
    bpy.ops.refit.back(file=own)
    assert "1 node new" in report(), report()
    assert all((package / "images/bricks.png").is_file() for package in packages), report()
    assert [path.read_bytes() for path in built] == before
    bpy.ops.refit.build(file=own, directory=game)
    assert all(path.read_bytes() != old for path, old in zip(built, before)), report()
    assert all(refit.verify(path) == "exact" for path in built)
    bpy.ops.refit.restore(file=own)
    assert [path.read_bytes() for path in built] == before, report()


def main(path, game=None):
    of_project(path, game) if game else of_file(path)
    refit_blender.unregister()
    print("RESULT")


play(main, *sys.argv[1:])
