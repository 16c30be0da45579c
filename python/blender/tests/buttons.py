"""Presses the buttons of the add-on, on a copy of a world: open, edit, what changed, write back, findings, restore."""

import os
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy  # noqa: E402
import refit_blender  # noqa: E402
from refit_blender import core  # noqa: E402


def report():
    return bpy.data.texts[refit_blender.REPORT].as_string()


def main(path):
    file = Path(path)
    before = file.read_bytes()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    refit_blender.register()
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
    refit_blender.unregister()
    print("RESULT")


try:
    main(sys.argv[1])
except BaseException:
    traceback.print_exc()
    sys.stderr.flush()
    os._exit(1)
sys.stdout.flush()
os._exit(0)
