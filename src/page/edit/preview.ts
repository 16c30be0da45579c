// Objects of a world that are shown where an edit puts them, before it is made.

import { Matrix4, Vector3 } from "three";
import { Node, type PackedScene } from "../scene/packed";
import type { SceneRenderer } from "../scene/renderer";
import type { Motion } from "../source";

/** Moves nodes and what is below them on the screen, until the next state of the scene is shown. */
export class Preview {
  private readonly packed: PackedScene;
  /** The transforms of the nodes and what is below them in the scene, and the node that each belongs to. */
  private readonly before = new Map<number, { was: Matrix4; top: number }>();

  /** `rows` are the nodes, none of which is below another one. */
  constructor(
    private readonly three: SceneRenderer,
    rows: number[],
  ) {
    const { packed, world } = three;
    this.packed = packed;
    const tops = new Set(rows);
    for (let row = 0; row < packed.nodes; row++) {
      const parent = packed.node[row * Node.Size + Node.Parent];
      const top = tops.has(row) ? row : this.before.get(parent)?.top;
      if (top !== undefined) this.before.set(row, { was: new Matrix4().fromArray(world, row * 16), top });
    }
  }

  /** The transform of a node in the scene. */
  was(row: number): Matrix4 | undefined {
    return this.before.get(row)?.was;
  }

  /** Moves each node in the world, with what is below it. */
  show(motion: (row: number) => Matrix4 | null): void {
    const motions = new Map<number, Matrix4 | null>();
    for (const { top } of this.before.values()) if (!motions.has(top)) motions.set(top, motion(top));
    for (const [row, { was, top }] of this.before)
      motions
        .get(top)
        ?.clone()
        .multiply(was)
        .toArray(this.three.world, row * 16);
    this.three.moved(this.before.keys());
  }

  /** Shows the scene as it is; not if another state of it is shown since. */
  back(): void {
    if (this.three.packed !== this.packed) return;
    for (const [row, { was }] of this.before) was.toArray(this.three.world, row * 16);
    this.three.moved(this.before.keys());
  }
}

/** What an edit does to a node whose transform was `was`, as a movement in the world. */
export function movement(three: SceneRenderer, row: number, was: Matrix4, { at, turn, scale }: Motion): Matrix4 {
  const from = new Vector3().setFromMatrixPosition(was);
  const all = new Matrix4();
  if (scale) {
    const own = three.scaleOf(row);
    const [x, y, z] = scale.map((factor, k) => factor / (own[k] || 1));
    all
      .copy(was)
      .multiply(new Matrix4().makeScale(x, y, z))
      .multiply(was.clone().invert());
  }
  if (turn) {
    all.premultiply(new Matrix4().makeTranslation(from.clone().negate()));
    all.premultiply(new Matrix4().makeRotationY((turn * Math.PI) / 180));
    all.premultiply(new Matrix4().makeTranslation(from));
  }
  if (at) {
    const parent = three.packed.node[row * Node.Size + Node.Parent];
    const to = new Vector3(...at);
    if (parent >= 0) to.applyMatrix4(new Matrix4().fromArray(three.world, parent * 16));
    all.premultiply(new Matrix4().makeTranslation(to.sub(from)));
  }
  return all;
}
