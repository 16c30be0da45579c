"""The stories of docs/blender.md, step by step: a new building, and another door. With PICTURES, makes the pictures.

    python story.py GAME [PICTURES]

GAME is a copy of docs/example/recoil. Prints what the reports say.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import bpy
from stage import core, play, report

Color = tuple[float, float, float]


def picture(name: str, light: Color, dark: Color, high: int, wide: int) -> bpy.types.Image:
    """Bricks, planks or slates, as small as the other textures of the game."""
    size = 8
    pixels: list[float] = []
    for y in range(size):
        for x in range(size):
            is_gap = y % high == 0 or (x + wide // 2 * (y // high % 2)) % wide == 0
            pixels += [*(dark if is_gap else light), 1.0]
    image = bpy.data.images.new(name, size, size)
    image.pixels = pixels
    image.pack()
    return image


def material(name: str, image: bpy.types.Image) -> bpy.types.Material:
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    nodes = made.node_tree.nodes
    shader = next(node for node in nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Roughness"].default_value = 1.0
    texture = nodes.new("ShaderNodeTexImage")
    texture.image = image
    made.node_tree.links.new(shader.inputs["Base Color"], texture.outputs["Color"])
    return made


def box(name: str, size: Color, place: Color, paint: bpy.types.Material) -> bpy.types.Object:
    bpy.ops.mesh.primitive_cube_add(size=1, location=place)
    thing = bpy.context.active_object
    thing.name = name
    thing.scale = size
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    thing.data.materials.append(paint)
    # The whole picture on each face, as UV > Reset does, and three times next to it.
    for face in thing.data.polygons:
        for at, corner in zip(((0, 0), (3, 0), (3, 3), (0, 3)), face.loop_indices):
            thing.data.uv_layers[0].data[corner].uv = at
    return thing


def shoot(file: Path) -> None:
    """Renders the scene. The camera and the light are not in the world's collection."""
    scene = bpy.context.scene
    bpy.ops.object.camera_add(location=(10.5, -16.5, 8.5), rotation=(math.radians(68), 0, math.radians(32)))
    camera = bpy.context.active_object
    lights = []
    for strength, turn in ((3.0, (40, 25, 0)), (1.2, (68, 0, 32))):
        bpy.ops.object.light_add(type="SUN", rotation=[math.radians(angle) for angle in turn])
        lights.append(bpy.context.active_object)
        lights[-1].data.energy = strength
        # Sharp shadows, and no light of the sky, so that the picture has no noise.
        lights[-1].data.angle = 0
        lights[-1].data.cycles.cast_shadow = len(lights) == 1
    scene.camera = camera
    scene.world = bpy.data.worlds.new("sky")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.55, 0.65, 0.8, 1)
    scene.world.cycles_visibility.diffuse = False
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 8
    scene.cycles.max_bounces = 1
    scene.render.resolution_x, scene.render.resolution_y = 480, 270
    scene.view_settings.view_transform = "Standard"
    scene.render.image_settings.color_mode = "RGB"
    scene.render.image_settings.compression = 100
    scene.render.filepath = str(file)
    bpy.ops.render.render(write_still=True)
    for thing in (camera, *lights):
        bpy.data.objects.remove(thing)


def main(game: str, pictures: str = "") -> None:
    world = str(Path(game) / "zbd/m1/gamez.zbd")
    bpy.ops.import_scene.refit(filepath=world)
    bricks = material("bricks", picture("bricks", (0.55, 0.25, 0.18), (0.7, 0.62, 0.55), 4, 8))
    planks = material("planks", picture("planks", (0.35, 0.2, 0.08), (0.2, 0.11, 0.04), 8, 4))
    slate = material("slate", picture("slate", (0.22, 0.24, 0.28), (0.15, 0.16, 0.19), 4, 4))
    house = box("house", (6, 5, 4), (0, 0, 2), bricks)
    box("roof", (7, 6, 0.5), (0, 0, 2.25), slate).parent = house
    box("housedoor", (1.6, 0.2, 2), (0, -2.6, -1), planks).parent = house
    if pictures:
        shoot(Path(pictures) / "blender-building.png")
    bpy.ops.refit.changes(file=core.opened()[0][core.FILE])
    bpy.ops.refit.back(file=core.opened()[0][core.FILE])
    print(report())

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.refit(filepath=world)
    door = bpy.data.objects["housedoor"]
    for vertex in door.data.vertices:
        # Wider, and as high as the roof allows.
        vertex.co.x *= 1.75
        vertex.co.z += 0.8 if vertex.co.z > 0 else 0
    if pictures:
        shoot(Path(pictures) / "blender-door.png")
    bpy.ops.refit.back(file=core.opened()[0][core.FILE])
    print(report())
    print("RESULT")


if __name__ == "__main__":
    play(main, *sys.argv[1:])
