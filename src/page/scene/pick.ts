// Finds the first hit of a ray: spheres of objects, then boxes, then triangles. No dependency on three.js.

import { drawn, Node, type PackedScene } from "./packed";

export interface Hit {
  row: number;
  distance: number;
  point: [number, number, number];
  material: number;
}

type Vec3 = ArrayLike<number>;

export class Picker {
  /** Centre and radius of each node's shape in the world; radius -1 without a shape. */
  readonly spheres: Float32Array;

  /** `scene` may be replaced by one with the same rows and shapes, and `world` is changed in place. */
  constructor(
    public scene: PackedScene,
    private readonly world: Float32Array,
  ) {
    this.spheres = new Float32Array(scene.nodes * 4);
    for (let row = 0; row < scene.nodes; row++) this.place(row);
  }

  /** Recomputes the sphere of a row after its transform changed. */
  place(row: number): void {
    const shape = drawn(this.scene, row);
    const s = row * 4;
    if (shape < 0) {
      this.spheres[s + 3] = -1;
      return;
    }
    const box = this.scene.header.shapes[shape].box;
    const m = this.world;
    const o = row * 16;
    const cx = (box[0] + box[3]) / 2;
    const cy = (box[1] + box[4]) / 2;
    const cz = (box[2] + box[5]) / 2;
    let scale = 0;
    for (let column = 0; column < 3; column++) {
      scale = Math.max(scale, Math.hypot(m[o + column * 4], m[o + column * 4 + 1], m[o + column * 4 + 2]));
    }
    for (let k = 0; k < 3; k++)
      this.spheres[s + k] = m[o + k] * cx + m[o + 4 + k] * cy + m[o + 8 + k] * cz + m[o + 12 + k];
    this.spheres[s + 3] = (Math.hypot(box[3] - box[0], box[4] - box[1], box[5] - box[2]) / 2) * scale + 1e-6;
  }

  pick(origin: Vec3, direction: Vec3, visible: (row: number) => boolean, far = Infinity): Hit | null {
    const [ox, oy, oz] = [origin[0], origin[1], origin[2]];
    const [dx, dy, dz] = [direction[0], direction[1], direction[2]];
    const candidates: { row: number; near: number }[] = [];
    for (let row = 0; row < this.scene.nodes; row++) {
      const s = row * 4;
      const radius = this.spheres[s + 3];
      if (radius < 0) continue;
      const lx = this.spheres[s] - ox;
      const ly = this.spheres[s + 1] - oy;
      const lz = this.spheres[s + 2] - oz;
      const along = lx * dx + ly * dy + lz * dz;
      const off = lx * lx + ly * ly + lz * lz - along * along;
      const inside = radius * radius - off;
      if (inside < 0) continue;
      const half = Math.sqrt(inside);
      if (along + half < 0 || along - half > far || !visible(row)) continue;
      candidates.push({ row, near: along - half });
    }
    candidates.sort((a, b) => a.near - b.near);
    let best: Hit | null = null;
    for (const { row, near } of candidates) {
      const limit = best ? best.distance : far;
      if (near > limit) break;
      const hit = this.shape(row, ox, oy, oz, dx, dy, dz, limit);
      if (hit) best = hit;
    }
    return best;
  }

  /** Ray against the triangles of one node, in the space of its model. */
  private shape(
    row: number,
    ox: number,
    oy: number,
    oz: number,
    dx: number,
    dy: number,
    dz: number,
    limit: number,
  ): Hit | null {
    const m = this.world;
    const o = row * 16;
    const [a, b, c, d, e, f, g, h, i] = [
      m[o],
      m[o + 4],
      m[o + 8],
      m[o + 1],
      m[o + 5],
      m[o + 9],
      m[o + 2],
      m[o + 6],
      m[o + 10],
    ];
    const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
    if (!determinant) return null;
    const q = 1 / determinant;
    const inverse = [
      (e * i - f * h) * q,
      (c * h - b * i) * q,
      (b * f - c * e) * q,
      (f * g - d * i) * q,
      (a * i - c * g) * q,
      (c * d - a * f) * q,
      (d * h - e * g) * q,
      (b * g - a * h) * q,
      (a * e - b * d) * q,
    ];
    const px = ox - m[o + 12];
    const py = oy - m[o + 13];
    const pz = oz - m[o + 14];
    const lo = [0, 1, 2].map((k) => inverse[k * 3] * px + inverse[k * 3 + 1] * py + inverse[k * 3 + 2] * pz);
    const ld = [0, 1, 2].map((k) => inverse[k * 3] * dx + inverse[k * 3 + 1] * dy + inverse[k * 3 + 2] * dz);
    const shape = this.scene.header.shapes[this.scene.node[row * Node.Size + Node.Shape]];
    let enter = 0;
    let leave = limit;
    for (let k = 0; k < 3; k++) {
      const margin = 1e-4 * (1 + Math.abs(shape.box[k + 3] - shape.box[k]));
      const t0 = (shape.box[k] - margin - lo[k]) / ld[k];
      const t1 = (shape.box[k + 3] + margin - lo[k]) / ld[k];
      if (Number.isNaN(t0) || Number.isNaN(t1)) continue;
      enter = Math.max(enter, Math.min(t0, t1));
      leave = Math.min(leave, Math.max(t0, t1));
    }
    if (enter > leave) return null;
    const { position, index, header } = this.scene;
    let best = limit;
    let material = -1;
    for (const part of shape.parts) {
      const twoSided = header.materials[part.material]?.two_sided ?? false;
      for (let at = part.first; at + 2 < part.first + part.count; at += 3) {
        const v0 = index[at] * 3;
        const v1 = index[at + 1] * 3;
        const v2 = index[at + 2] * 3;
        const e1x = position[v1] - position[v0];
        const e1y = position[v1 + 1] - position[v0 + 1];
        const e1z = position[v1 + 2] - position[v0 + 2];
        const e2x = position[v2] - position[v0];
        const e2y = position[v2 + 1] - position[v0 + 1];
        const e2z = position[v2 + 2] - position[v0 + 2];
        const hx = ld[1] * e2z - ld[2] * e2y;
        const hy = ld[2] * e2x - ld[0] * e2z;
        const hz = ld[0] * e2y - ld[1] * e2x;
        const det = e1x * hx + e1y * hy + e1z * hz;
        // A mirrored transform turns front faces around.
        if (twoSided ? Math.abs(det) < 1e-14 : det * determinant < 1e-14) continue;
        const inv = 1 / det;
        const sx = lo[0] - position[v0];
        const sy = lo[1] - position[v0 + 1];
        const sz = lo[2] - position[v0 + 2];
        const u = inv * (sx * hx + sy * hy + sz * hz);
        if (u < 0 || u > 1) continue;
        const qx = sy * e1z - sz * e1y;
        const qy = sz * e1x - sx * e1z;
        const qz = sx * e1y - sy * e1x;
        const v = inv * (ld[0] * qx + ld[1] * qy + ld[2] * qz);
        if (v < 0 || u + v > 1) continue;
        const t = inv * (e2x * qx + e2y * qy + e2z * qz);
        if (t > 1e-6 && t < best) {
          best = t;
          material = part.material;
        }
      }
    }
    if (material < 0) return null;
    return { row, distance: best, point: [ox + dx * best, oy + dy * best, oz + dz * best], material };
  }
}
