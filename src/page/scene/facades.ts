// Surfaces that turn to the camera, with the side that their polygons face.

import { Matrix4, Vector3 } from "three";
import { drawn, type PackedScene } from "./packed";

export interface Facade {
  row: number;
  place: Vector3;
  /** Writes the world transform of the row, turned to a camera at `eye` that looks along `forward`. */
  turn(eye: Vector3, forward: Vector3, world: Float32Array): void;
}

/** The sum of the normals of a shape's triangles, by their area. */
function front(scene: PackedScene, shape: number): Vector3 {
  const { index, position, header } = scene;
  const [a, b, c, sum] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
  for (const part of header.shapes[shape].parts) {
    for (let at = part.first; at + 2 < part.first + part.count; at += 3) {
      a.fromArray(position, index[at] * 3);
      b.fromArray(position, index[at + 1] * 3).sub(a);
      c.fromArray(position, index[at + 2] * 3).sub(a);
      sum.add(b.cross(c));
    }
  }
  return sum.lengthSq() > 1e-12 ? sum.normalize() : new Vector3(0, 0, 1);
}

export function facades(scene: PackedScene, world: Float32Array): Facade[] {
  const out: Facade[] = [];
  for (let row = 0; row < scene.nodes; row++) {
    const shape = drawn(scene, row);
    const kind = shape < 0 ? undefined : scene.header.shapes[shape].facade;
    if (!kind) continue;
    const normal = front(scene, shape);
    const m = world.subarray(row * 16, row * 16 + 16);
    const scale = new Vector3(
      ...([0, 1, 2].map((k) => Math.hypot(m[k * 4], m[k * 4 + 1], m[k * 4 + 2])) as [number, number, number]),
    );
    const place = new Vector3(m[12], m[13], m[14]);
    const [turn, tilt, all, to] = [new Matrix4(), new Matrix4(), new Matrix4(), new Vector3()];
    out.push({
      row,
      place,
      turn: (eye, forward, target) => {
        to.copy(eye).sub(place);
        if (to.lengthSq() < 1e-9) to.copy(forward).negate();
        if (kind === "x") turn.makeRotationX(Math.atan2(-to.y, to.z) - Math.atan2(-normal.y, normal.z));
        else if (kind === "z") turn.makeRotationZ(Math.atan2(to.y, to.x) - Math.atan2(normal.y, normal.x));
        else turn.makeRotationY(Math.atan2(to.x, to.z) - Math.atan2(normal.x, normal.z));
        if (kind === "spherical") {
          const level = Math.hypot(to.x, to.z);
          tilt.makeRotationAxis(
            new Vector3(to.z, 0, -to.x).normalize(),
            -Math.atan2(to.y, level) + Math.asin(Math.max(-1, Math.min(1, normal.y))),
          );
          turn.premultiply(tilt);
        }
        all.copy(turn).scale(scale).setPosition(place);
        all.toArray(target, row * 16);
      },
    });
  }
  return out;
}
