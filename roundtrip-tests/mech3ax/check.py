#!/usr/bin/env python3
"""What mech3ax says of files that refit makes new: a check that developers run, beside the tests.

    cargo build -p refit
    python3 roundtrip-tests/mech3ax/check.py target/debug/refit UNZBD REZBD

UNZBD and REZBD are the programs of mech3ax (https://github.com/TerranMechworks/mech3ax, its releases have them). Each
file is made with refit's commands alone, unpacked by unzbd and packed again by rezbd, which must give the same bytes.
The exit code is 1 where mech3ax refuses a file or changes it. It reads no anim.zbd but MechWarrior 3's.
"""

import json, math, os, struct, subprocess, sys, tempfile, wave, zlib


def ground(path, reach):
    """Hills on a grid, with one texture, which reach beyond the world: mech3ax wants a world with a child."""
    steps = 12
    points = [(reach * i / steps, 9 * math.sin(i) + 4 * math.cos(k), reach * k / steps)
              for i in range(steps + 1) for k in range(steps + 1)]
    at = lambda i, k: i * (steps + 1) + k
    corners = [v for i in range(steps) for k in range(steps)
               for v in (at(i, k), at(i, k + 1), at(i + 1, k), at(i + 1, k), at(i, k + 1), at(i + 1, k + 1))]
    parts = [struct.pack(f"<{3 * len(points)}f", *(v for p in points for v in p)),
             struct.pack(f"<{2 * len(points)}f", *(v / 64 for p in points for v in (p[0], p[2]))),
             struct.pack(f"<{len(corners)}I", *corners)]
    starts = [sum(map(len, parts[:n])) for n in range(3)]
    open(os.path.splitext(path)[0] + ".bin", "wb").write(b"".join(parts))
    accessor = lambda view, kind, count, component=5126: {
        "bufferView": view, "componentType": component, "type": kind, "count": count}
    lows, highs = ([f(p[n] for p in points) for n in range(3)] for f in (min, max))
    json.dump({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "hills", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}]}],
        "materials": [{"name": "grass", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}], "images": [{"uri": "grass.png"}],
        "accessors": [accessor(0, "VEC3", len(points)) | {"min": lows, "max": highs},
                      accessor(1, "VEC2", len(points)), accessor(2, "SCALAR", len(corners), 5125)],
        "bufferViews": [{"buffer": 0, "byteOffset": s, "byteLength": len(p)} for s, p in zip(starts, parts)],
        "buffers": [{"byteLength": sum(map(len, parts)), "uri": os.path.basename(os.path.splitext(path)[0]) + ".bin"}],
    }, open(path, "w"))


def png(path, side):
    rows = b"".join(b"\0" + bytes((x * 7 % 256, y * 5 % 256, 90)[n] for x in range(side) for n in range(3))
                    for y in range(side))
    chunk = lambda kind, data: (struct.pack(">I", len(data)) + kind + data
                                + struct.pack(">I", zlib.crc32(kind + data)))
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    open(path, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows))
                           + chunk(b"IEND", b""))


def sound(path):
    with wave.open(path, "wb") as out:
        out.setparams((1, 2, 22050, 0, "NONE", ""))
        out.writeframes(b"".join(struct.pack("<h", n * 37 % 9000) for n in range(4000)))


def folder(name, **files):
    """A folder with these files: text, or a function that writes one."""
    os.makedirs(name)
    for file, content in files.items():
        path = os.path.join(name, file.replace("__", "."))
        content(path) if callable(content) else open(path, "w").write(content)
    return name


def made(refit, game):
    """The new files of a game: what mech3ax calls the format, and the file."""
    run = lambda *words: subprocess.run([refit, *words, "--quiet"], check=True, stderr=subprocess.DEVNULL)
    side = 1024 if game == "cs" else 256
    ground("hills.gltf", side * 4.5)
    run("new", "gamez", "--game", game, "--extents", f"0,0,{side * 4},{side * 4}", "-o", "gamez.zbd")
    run("world", "ground", "gamez.zbd", "hills.gltf")
    yield "gamez", "gamez.zbd"
    shape = {"texture": folder("textures", grass__png=lambda path: png(path, 64)),
             "sounds": folder("sounds", creak__wav=sound),
             "reader": folder("reader", keys__zrd="KEYS ( SPEED ( 4 ) NAME ( gate ) )\n"),
             "interp": folder("interp", m1__gw="FindNode gate\nNodeSetActive on\n")}
    for kind, word in [("texture", "textures"), ("sounds", "sounds"), ("reader", "reader"), ("interp", "interp")]:
        run("repack", shape[kind], "--format", word, "--game", game, "-o", f"{kind}.zbd")
        yield word, f"{kind}.zbd"
    if game == "mw":
        definition = ("ANIMATION_DEFINITION ( NAME ( gate ) ANIMATION_NAME ( open ) ACTIVATION ( ON_CALL ) "
                      "SEQUENCE_DEFINITION ( NAME ( up ) OBJECT_ACTIVE_STATE ( NAME ( gate ) STATE ( ACTIVE ) ) ) )")
        open("anim.zrd", "w").write(f"ANIMATION_DEFINITIONS ( GRAVITY ( -9.8 ) ANIMATION_LIST ( {definition} ) )\n")
        run("anim", "compile", "anim.zrd", "-o", "anim.zbd", "--game", game)
        yield "anim", "anim.zbd"


def main():
    refit, unzbd, rezbd = (os.path.abspath(program) for program in sys.argv[1:4])
    faults = 0
    for game in ["rc", "mw", "pm", "cs"]:
        with tempfile.TemporaryDirectory() as place:
            os.chdir(place)
            for kind, file in made(refit, game):
                middle = "out.json" if kind == "interp" else "out.zip"
                said = [subprocess.run(words, capture_output=True, text=True)
                        for words in ([unzbd, game, kind, file, middle], [rezbd, game, kind, middle, "again.zbd"])]
                wrong = next((run for run in said if run.returncode), None)
                same = not wrong and open(file, "rb").read() == open("again.zbd", "rb").read()
                faults += not same
                why = "same" if same else (wrong.stderr.strip() if wrong else "other bytes")
                print(f"{game} {kind:9} {why}")
            os.chdir("/")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
