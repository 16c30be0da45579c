#!/usr/bin/env python3
"""What Blender makes of refit's exports: a check that developers run.

    python3.11 -m venv /tmp/blender && /tmp/blender/bin/pip install 'bpy==4.2.*'      # 370 MB
    cargo build -p refit
    /tmp/blender/bin/python roundtrip-tests/blender/check.py target/debug/refit FILE.zbd… [--with MOTION.zbd]

Exports each world, each file of planes and each mechlib, sends each of its models and 'mechs through Blender with the
default settings, and once more with "Custom Properties", and puts it back: the file must come out bit for bit. Then
makes an edit of each kind of the first, and prints what `refit put` says of it. With `--with motion.zbd` the motions of
a mechlib's 'mechs make the same trip. With `--keep DIR` the files that Blender wrote are kept; a few small ones are the
test files `roundtrip-tests/blender/*.glb`. `--edits 0` makes no edits.

bpy crashes at the end of the interpreter after a good export: each trip is a process of its own, which ends itself.
"""
import json, os, pathlib, subprocess, sys, tempfile


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
    bpy.ops.export_scene.gltf(filepath=target, export_format="GLB", export_extras=edit == "extras")
    sys.stdout.flush()
    os._exit(0)


EDITS = ["move", "subdivide", "quads", "dissolve", "delete", "rename", "recolour"]
SAME = ["none", "extras", "quads", "dissolve", "rename"]


def members(refit, file):
    done = subprocess.run([refit, "list", "--json", file], capture_output=True, text=True, check=True)
    return {json.loads(line)["name"] for line in done.stdout.splitlines()}


def animations(path):
    data = path.read_bytes()
    root = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
    return [a["name"] for a in root.get("animations", [])]


def main(refit, files, motions, keep, edits):
    failed = trips = 0
    for file in files:
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "out")
            more = ["--with", motions] if motions else []
            subprocess.run([refit, "-q", "export", file, *more, "-o", str(out)], check=True)
            names = members(refit, file)
            # What goes back where: the exported file, the file that takes it, the member.
            ways = []
            for glb in sorted(out.rglob("*.glb")):
                stem = str(glb.relative_to(out))[: -len(".glb")]
                own = [n for n in (stem, stem.removesuffix(".further") + ".flt") if n in names]
                if own:
                    ways.append((glb, file, own[0]))
                elif stem.endswith(".motions"):
                    ways += [(glb, motions, name) for name in animations(glb)]
            for n, (glb, target, member) in enumerate(ways):
                for edit in ["none", "extras"] + (EDITS if n == 0 and edits else []):
                    safe = member.replace("/", "-")
                    back = pathlib.Path(keep or folder, f"{pathlib.Path(target).stem}-{safe}-{edit}.glb")
                    run = [sys.executable, __file__, "--trip", str(glb), str(back), edit]
                    done = subprocess.run(run, capture_output=True, text=True)
                    trips += 1
                    if not back.exists():
                        shown = done.stdout[-500:] + done.stderr[-500:]
                        print(f"{target} {member} {edit}: Blender wrote nothing\n{shown}")
                        failed += 1
                        continue
                    new = pathlib.Path(folder, "new.zbd")
                    new.unlink(missing_ok=True)
                    put = [refit, "put", target, member, str(back), "-o", str(new)]
                    done = subprocess.run(put, capture_output=True, text=True)
                    said = (done.stdout + done.stderr).replace(folder, "…").strip()
                    same = new.exists() and new.read_bytes() == pathlib.Path(target).read_bytes()
                    if edit in SAME and not same:
                        failed += 1
                        print(f"{target} {member} {edit}: NOT identical\n{said}", flush=True)
                    elif edit not in ("none", "extras"):
                        print(f"{target} {member} {edit}: {said}", flush=True)
    print(f"{trips} trips, failed: {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--trip"]:
        trip(*sys.argv[2:5])
    arguments = sys.argv[1:]

    def option(name):
        if name not in arguments:
            return None
        at = arguments.index(name)
        value = arguments[at + 1]
        del arguments[at : at + 2]
        return value

    keep, motions, edits = option("--keep"), option("--with"), option("--edits")
    if len(arguments) < 2:
        sys.exit(__doc__)
    sys.exit(main(arguments[0], arguments[1:], motions, keep, edits != "0"))
