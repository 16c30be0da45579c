// Shows the state of an animation in a scene.

import type { Played, SceneRenderer } from "../scene/renderer";
import { Node } from "../scene/packed";
import { below } from "./pose";
import type { State } from "./show";
import type { Stage, States } from "./stage";

export class Presenter {
  private readonly children: number[][];
  /** Rows whose position differs from the file. */
  private moved = new Set<number>();
  private readonly still: Float32Array;

  constructor(
    readonly three: SceneRenderer,
    readonly stage: Stage,
  ) {
    const { scene } = stage;
    this.children = Array.from({ length: scene.nodes }, () => []);
    for (let row = 0; row < scene.nodes; row++) {
      const parent = scene.node[row * Node.Size + Node.Parent];
      if (parent >= 0) this.children[parent].push(row);
    }
    this.still = three.world.slice();
  }

  /** The rows of all copies of nodes with a state, and of their subtrees. */
  private affected(states: States): Set<number> {
    const out = new Set<number>();
    const open: number[] = [];
    for (let row = 0; row < this.stage.scene.nodes; row++) if (states.has(this.stage.first[row])) open.push(row);
    for (let row = open.pop(); row !== undefined; row = open.pop()) {
      if (out.has(row)) continue;
      out.add(row);
      open.push(...this.children[row]);
    }
    return out;
  }

  show(state: State): void {
    const { stage, three } = this;
    const { scene } = stage;
    const affected = this.affected(state.nodes);
    const done = new Map<number, number[]>();
    const parentOf = (row: number): number => {
      const own = state.nodes.get(row);
      return own ? (own.parent ?? -1) : scene.node[row * Node.Size + Node.Parent];
    };
    const place = (row: number): number[] => {
      const known = done.get(row);
      if (known) return known;
      const { pose } = stage.state(state.nodes, stage.first[row]);
      const parent = parentOf(row);
      let whole = [...pose.rows, ...pose.translation];
      // A cycle of parents ends at the row that is being placed.
      done.set(row, whole);
      if (parent >= 0) whole = below(affected.has(parent) ? place(parent) : this.fixed(parent), whole);
      done.set(row, whole);
      return whole;
    };
    const rows = new Set([...affected, ...this.moved]);
    for (const row of rows) {
      if (affected.has(row)) this.write(row, place(row));
      else three.world.set(this.still.subarray(row * 16, row * 16 + 16), row * 16);
    }
    this.moved = affected;
    three.moved(rows);
    three.setPlayed(this.played(state, affected));
  }

  /** The world, unchanged. */
  clear(): void {
    for (const row of this.moved) this.three.world.set(this.still.subarray(row * 16, row * 16 + 16), row * 16);
    this.three.moved(this.moved);
    this.moved = new Set();
    this.three.setPlayed(null);
  }

  private fixed(row: number): number[] {
    const m = this.still.subarray(row * 16, row * 16 + 16);
    return [0, 1, 2, 3].flatMap((i) => [m[i * 4], m[i * 4 + 1], m[i * 4 + 2]]);
  }

  private write(row: number, whole: number[]): void {
    const { world } = this.three;
    for (let i = 0; i < 4; i++) for (let k = 0; k < 3; k++) world[row * 16 + i * 4 + k] = whole[i * 3 + k];
  }

  private played(state: State, affected: Set<number>): Played {
    const { stage } = this;
    const { scene } = stage;
    const played: Played = { hidden: new Set(), opacity: new Map(), frames: new Map(), lamps: [] };
    for (const row of affected) {
      const own = state.nodes.get(stage.first[row]);
      if (own && (!own.active || own.loose)) played.hidden.add(row);
      // The nearest translucent ancestor decides.
      for (let at = row; at >= 0; at = scene.node[at * Node.Size + Node.Parent]) {
        const above = state.nodes.get(stage.first[at]);
        if (!above?.translucent) continue;
        played.opacity.set(row, Math.max(0, Math.min(1, above.opacity)));
        break;
      }
      const shape = scene.node[row * Node.Size + Node.Shape];
      if (!own?.cycle || shape < 0) continue;
      for (const { material } of scene.header.shapes[shape].parts) {
        const cycle = scene.header.materials[material]?.cycle;
        // The frame is set; the game continues from there at the material's speed.
        if (cycle) played.frames.set(material, own.cycle[0] + Math.floor((this.time - own.cycle[1]) * cycle.speed));
      }
    }
    for (const light of state.lights.values()) {
      if (!light.active || !light.color || !light.range) continue;
      const [x, y, z] = light.node === null ? [0, 0, 0] : stage.world(state.nodes, light.node).slice(9);
      const [dx, dy, dz] = light.position;
      played.lamps.push({ at: [x + dx, y + dy, z + dz], range: light.range, color: light.color });
    }
    played.fog = this.fog(state);
    return played;
  }

  /** The time of the state that is shown, for animated textures. */
  time = 0;

  private fog(state: State): Played["fog"] {
    const { kind, color, range } = state.fog;
    if (kind === null && !color && !range) return null;
    if (kind === "OFF") return null;
    const world = this.stage.scene.header.world?.fog;
    const base = world?.color ?? [0, 0, 0];
    const near = range ?? world?.range;
    if (!near || near[1] <= near[0]) return null;
    return { color: color ?? [base[0] / 255, base[1] / 255, base[2] / 255], range: [near[0], near[1]] };
  }
}
