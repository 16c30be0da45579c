#!/usr/bin/env python3
"""What Blender makes of refit's exports: a check that developers run.

    python3.11 -m venv /tmp/blender && /tmp/blender/bin/pip install 'bpy==4.2.*'      # 370 MB
    cargo build -p refit
    /tmp/blender/bin/python roundtrip-tests/blender/check.py target/debug/refit WORLD.zbd…

Exports each world, sends each of its models through Blender with the default settings, and puts it back: the world must come out bit for
bit. Then makes an edit of each kind, and prints what `refit put` says of it. With `--keep DIR` the files that Blender wrote are kept;
a few small ones are the test files `roundtrip-tests/blender/*.glb`.

bpy crashes at the end of the interpreter after a good export: each trip is a process of its own, which ends itself.
"""
import os, pathlib, subprocess, sys, tempfile


def trip(source, target, edit):
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=source)
    meshes = [o for o in bpy.context.scene.objects if o.type == "MESH"]
    one = meshes[0]
    bpy.context.view_layer.objects.active = one
    for o in meshes:
        o.select_set(True)
    if edit == "move":
        place = one.data.vertices[0].co.copy()
        for v in one.data.vertices:
            if (v.co - place).length < 1e-6:
                v.co.x += 1.0
    elif edit in ("subdivide", "quads", "dissolve", "delete"):
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        if edit == "subdivide":
            bpy.ops.mesh.subdivide()
        elif edit == "quads":
            bpy.ops.mesh.tris_convert_to_quads()
        elif edit == "dissolve":
            bpy.ops.mesh.dissolve_limited(delimit={"UV", "MATERIAL", "NORMAL"})
        else:
            bpy.ops.mesh.select_all(action="DESELECT")
            bpy.ops.mesh.select_mode(type="FACE")
            bpy.ops.object.mode_set(mode="OBJECT")
            for i, f in enumerate(one.data.polygons):
                f.select = i == 0
            bpy.ops.object.mode_set(mode="EDIT")
            bpy.ops.mesh.delete(type="FACE")
        bpy.ops.object.mode_set(mode="OBJECT")
    elif edit == "rename":
        one.name = "renamed"
    elif edit == "recolour":
        one.data.color_attributes[0].data[0].color = (1.0, 0.0, 0.0, 1.0)
    bpy.ops.export_scene.gltf(filepath=target, export_format="GLB")
    sys.stdout.flush()
    os._exit(0)


EDITS = ["move", "subdivide", "quads", "dissolve", "delete", "rename", "recolour"]


def main(refit, worlds, keep):
    failed = 0
    for world in worlds:
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "out")
            subprocess.run([refit, "-q", "export", world, "-o", str(out)], check=True)
            for n, model in enumerate(sorted(out.glob("models/*.glb"))):
                for edit in ["none"] + (EDITS if n == 0 else []):
                    back = pathlib.Path(keep or folder, f"{pathlib.Path(world).stem}-{model.stem}-{edit}.glb")
                    run = [sys.executable, __file__, "--trip", str(model), str(back), edit]
                    done = subprocess.run(run, capture_output=True, text=True)
                    if not back.exists():
                        print(f"{world} {model.stem} {edit}: Blender wrote nothing\n{done.stdout[-500:]}{done.stderr[-500:]}")
                        failed += 1
                        continue
                    new = pathlib.Path(folder, "new.zbd")
                    new.unlink(missing_ok=True)
                    put = [refit, "put", world, f"models/{model.stem}", str(back), "-o", str(new)]
                    done = subprocess.run(put, capture_output=True, text=True)
                    said = (done.stdout + done.stderr).replace(folder, "…").strip()
                    same = new.exists() and new.read_bytes() == pathlib.Path(world).read_bytes()
                    if edit in ("none", "quads", "dissolve", "rename") and not same:
                        failed += 1
                        print(f"{world} {model.stem} {edit}: NOT identical\n{said}")
                    elif edit not in ("none",):
                        print(f"{world} {model.stem} {edit}: {said}")
    print("failed:", failed)
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--trip"]:
        trip(*sys.argv[2:5])
    arguments = sys.argv[1:]
    keep = None
    if "--keep" in arguments:
        at = arguments.index("--keep")
        keep = arguments[at + 1]
        del arguments[at : at + 2]
    if len(arguments) < 2:
        sys.exit(__doc__)
    sys.exit(main(arguments[0], arguments[1:], keep))
