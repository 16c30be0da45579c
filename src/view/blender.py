# Opens the file that refit wrote in Blender. Saving, as .blend or by a glTF export to its place, takes it back to
# refit.
import sys

import bpy

path = sys.argv[sys.argv.index("--") + 1]


def write(*_):
    bpy.ops.export_scene.gltf(
        filepath=path,
        export_format="GLB",
        export_extras=True,
        export_cameras=True,
        export_lights=True,
        export_force_sampling=False,
        export_animation_mode="ACTIONS",
        export_optimize_animation_size=False,
        export_vertex_color="ACTIVE",
    )


def begin():
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path, merge_vertices=False)
    bpy.app.handlers.save_post.append(bpy.app.handlers.persistent(write))


begin()
