// The nodes that definitions act on, and how names find them (src/workbench/play/stage.rs).

import { Node, type PackedScene } from "../scene/packed";
import { anglesOf, below, clonePose, type Pose } from "./pose";
import { doc, list, nameText, type Doc, type V3 } from "./values";

export interface NodeState {
  active: boolean;
  pose: Pose;
  /** Row of its parent, or null. */
  parent: number | null;
  /** True if it was removed from its parent, and has none. */
  loose: boolean;
  translucent: boolean;
  opacity: number;
  /** The frame at which its animated texture began, and when. */
  cycle: [number, number] | null;
}

export type States = Map<number, NodeState>;

export const cloneNode = (state: NodeState): NodeState => ({ ...state, pose: clonePose(state.pose) });

/** The nodes that a definition is bound to. */
export interface Bound {
  root: number | null;
  attach: number | null;
  input: number | null;
}

const ACTIVE = 0x4;

export class Stage {
  readonly first: Int32Array;
  private readonly named = new Map<string, number[]>();

  constructor(readonly scene: PackedScene) {
    this.first = new Int32Array(scene.nodes);
    const firsts = new Map<number, number>();
    const { names } = scene.header.nodes;
    const trees = scene.header.shapes.some((shape) => (shape as { mech?: string }).mech !== undefined);
    const index = (row: number): number => scene.node[row * Node.Size + Node.Index];
    for (let row = 0; row < scene.nodes; row++) {
      if (!trees && !firsts.has(index(row))) firsts.set(index(row), row);
      this.first[row] = trees ? row : (firsts.get(index(row)) ?? row);
      if (this.first[row] !== row) continue;
      const rows = this.named.get(names[row]);
      if (rows) rows.push(row);
      else this.named.set(names[row], [row]);
    }
    for (const rows of this.named.values()) rows.sort((a, b) => index(b) - index(a));
  }

  name(row: number): string {
    return this.scene.header.nodes.names[row] ?? "";
  }

  private parent(row: number): number | null {
    const parent = this.scene.node[row * Node.Size + Node.Parent];
    return parent >= 0 ? parent : null;
  }

  private base(row: number): NodeState {
    const { matrix, pose, node } = this.scene;
    const rows = [...matrix.subarray(row * 12, row * 12 + 9)];
    const three = (data: Float32Array, at: number): V3 => [data[at], data[at + 1], data[at + 2]];
    const lengths = [0, 1, 2].map((i) => Math.hypot(rows[i * 3], rows[i * 3 + 1], rows[i * 3 + 2])) as V3;
    return {
      active: (node[row * Node.Size + Node.Flags] & ACTIVE) !== 0,
      pose: {
        translation: three(matrix, row * 12 + 9),
        angles: pose ? three(pose, row * 6) : anglesOf(rows.map((v, i) => v / (lengths[Math.floor(i / 3)] || 1))),
        scale: pose ? three(pose, row * 6 + 3) : lengths,
        rows,
      },
      parent: this.parent(row),
      loose: false,
      translucent: false,
      opacity: 1,
      cycle: null,
    };
  }

  state(states: States, row: number): NodeState {
    return states.get(row) ?? this.base(row);
  }

  change(states: States, row: number): NodeState {
    let state = states.get(row);
    if (!state) states.set(row, (state = this.base(row)));
    return state;
  }

  isWorld(row: number): boolean {
    return this.scene.header.nodes.kinds[this.scene.node[row * Node.Size + Node.Kind]] === "world";
  }

  /** A node's place in the world: three rows and a translation. */
  world(states: States, row: number): number[] {
    const local = (at: number): number[] => {
      const { pose } = this.state(states, at);
      return [...pose.rows, ...pose.translation];
    };
    let whole = local(row);
    let at = row;
    for (let n = 0; n < this.scene.nodes; n++) {
      const { parent } = this.state(states, at);
      if (parent === null) break;
      at = this.first[parent];
      whole = below(local(at), whole);
    }
    return whole;
  }

  /** The first node with this name in the subtree of a node. */
  private within(root: number, name: string): number | null {
    for (let row = root; row < this.scene.nodes; row++) {
      const parent = this.parent(row);
      if (row !== root && (parent === null || parent < root)) break;
      if (this.name(row) === name) return this.first[row];
    }
    return null;
  }

  private all(name: string): number[] {
    return this.named.get(name) ?? [];
  }

  /** The nodes that each definition is bound to. Consecutive definitions of one root get its nodes in turn. */
  bind(definitions: Doc[]): Bound[] {
    let before: string | null = "";
    let turn = 0;
    return definitions.map((of) => {
      const name = nameText(of.name);
      turn = name === before ? turn + 1 : 0;
      before = name;
      const nodes = this.all(name);
      const path = list(of.path).map((step) => nameText(doc(step).name));
      let root: number | null = nodes.length ? nodes[turn % nodes.length] : null;
      if (path.length) {
        root = this.all(path[0])[0] ?? null;
        for (const step of path.slice(1)) root = root === null ? null : this.within(root, step);
      }
      const attached = nameText(of.animation_root_name);
      const attach =
        attached === name
          ? root
          : ((root === null ? null : this.within(root, attached)) ?? this.all(attached)[0] ?? null);
      return { root, attach, input: null };
    });
  }

  /** The node that a reference of a definition names. */
  find(of: Doc, bound: Bound, node: unknown): number | null {
    let name: string;
    if (node === "OWN_NODE") return bound.root;
    if (node === "INPUT_NODE") return bound.input;
    if (typeof node === "string") name = node;
    else {
      // It is unknown which node a second entry with the same name refers to.
      const { name: text, nth } = doc(node);
      if (typeof text !== "string" || (nth ?? 1) !== 1) return null;
      name = text;
    }
    for (const root of [bound.attach, bound.root]) {
      const near = root === null ? null : this.within(root, name);
      if (near !== null) return near;
    }
    const own = (key: string): boolean => list(of[key]).some((each) => nameText(each) === name);
    if (own("lights") || own("dynamic_sounds") || of.local_nodes_only === true) return null;
    return this.all(name)[0] ?? null;
  }
}
