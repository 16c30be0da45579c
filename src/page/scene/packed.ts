// Reads the packed scene (`RVS1`) without copying it.

export interface SceneMaterial {
  index: number;
  texture?: string | null;
  color?: [number, number, number];
  alpha?: number;
  two_sided?: boolean;
  uvs?: boolean;
  cycle?: { textures: string[]; speed: number; looping?: boolean } | null;
  scroll?: [number, number] | null;
  soil?: number | string | null;
  /** Among coplanar surfaces, the higher number is in front. */
  priority?: number;
  /** The file has no such material. */
  missing?: boolean;
}

/** The soils of materials as numbers, for colours, and their names: some games name them. */
export class Soils {
  private readonly names: string[];
  private readonly first: number;

  constructor(materials: SceneMaterial[]) {
    this.names = [...new Set(materials.flatMap(({ soil }) => (typeof soil === "string" ? [soil] : [])))].sort();
    const numbers = materials.flatMap(({ soil }) => (typeof soil === "number" ? [soil] : []));
    // Behind the numbers that the file uses itself; 0 is the soil of a material without one.
    this.first = 1 + numbers.reduce((most, soil) => Math.max(most, soil), 0);
  }

  number({ soil }: SceneMaterial): number {
    return typeof soil === "string" ? this.first + this.names.indexOf(soil) : (soil ?? 0);
  }

  name(n: number): string {
    return this.names[n - this.first] ?? `soil ${n}`;
  }
}

export interface SceneShape {
  /** Position in the world's list of models; shapes of 'mechs have `member` and `mech` instead. */
  model?: number;
  member?: number;
  mech?: string;
  name: string;
  parts: { material: number; first: number; count: number }[];
  box: [number, number, number, number, number, number];
  polygons?: number;
  vertices?: number;
  document?: string | null;
  notes?: string[];
  /** How it turns to the camera. */
  facade?: "spherical" | "x" | "y" | "z";
}

export interface SceneLight {
  row: number;
  directional?: boolean;
  point?: boolean;
  color?: number[];
  ambient?: number;
  diffuse?: number;
  range?: number[];
}

/** Properties of a texture before it is loaded. */
export interface TextureHint {
  name: string;
  width?: number;
  height?: number;
  transparency?: "none" | "holes" | "mixed";
  additive?: boolean;
}

export interface SceneHeader {
  game?: string | null;
  name: string;
  data: Record<string, [number, number]>;
  materials: SceneMaterial[];
  shapes: SceneShape[];
  /** Documents and their nodes: path, first node, and the node after the last. */
  nodes: { names: string[]; kinds: string[]; groups?: [string, number, number][] };
  world?: {
    area?: [number, number, number, number];
    fog?: { type?: string; color: [number, number, number]; range: [number, number] } | null;
    /** Columns and rows of cells. */
    cells?: [number, number];
  } | null;
  lights?: SceneLight[];
  textures?: (string | TextureHint)[];
  notes?: string[];
  /** The sum of what the shapes and materials are made of. */
  shapes_sum?: string;
}

/** Columns of the node table. */
export const enum Node {
  Parent,
  Shape,
  Kind,
  Index,
  Flags,
  Lod,
  Zone,
  Group,
  Size,
}

export interface PackedScene {
  header: SceneHeader;
  position: Float32Array;
  /** Four bytes for each vertex, or null. */
  normal: Int8Array | null;
  uv: Float32Array | null;
  color: Uint8Array | null;
  index: Uint32Array;
  node: Int32Array;
  matrix: Float32Array;
  /** Distances between which each level of detail is drawn. */
  range: Float32Array | null;
  /** The cell of the world that holds each node, or -1. */
  cell: Int32Array | null;
  /** Three angles and three factors of each node, or null. */
  pose: Float32Array | null;
  nodes: number;
  /** Rows that are not drawn because they extend beyond any world. */
  omitted: Uint8Array;
  /** How many triangles are not drawn because of that. */
  omittedTriangles: number;
}

/** Metres from the origin: a generous bound for all worlds of the games. */
export const FARTHEST = 1e6;

export class SceneError extends Error {}

/** `before` is a scene of the same file whose shapes this one may have left out. */
export function readScene(data: ArrayBuffer, before?: PackedScene): PackedScene {
  const view = new DataView(data);
  if (data.byteLength < 8 || view.getUint32(0, false) !== 0x52565331)
    throw new SceneError("the scene does not begin with RVS1");
  const length = view.getUint32(4, true);
  const base = 8 + length;
  if (base > data.byteLength) throw new SceneError("the header of the scene is longer than the scene");
  let header: SceneHeader;
  try {
    header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 8, length))) as SceneHeader;
  } catch {
    throw new SceneError("the header of the scene is not JSON");
  }
  const shared = header.shapes ? null : (before ?? null);
  if (!header.shapes) {
    if (!shared?.header.shapes_sum || shared.header.shapes_sum !== header.shapes_sum)
      throw new SceneError("the scene has other shapes than the one before");
    const { shapes, materials, textures } = shared.header;
    Object.assign(header, { shapes, materials, textures });
  }
  const column = (name: string, perItem: number, width: number): { at: number; length: number } | null => {
    const place = header.data[name];
    if (!place) return null;
    const [offset, items] = place;
    const at = base + offset;
    if (items < 0 || offset < 0 || at % 4 || at + items * perItem * width > data.byteLength) {
      throw new SceneError(`the scene's ${name} data reaches beyond its end`);
    }
    return { at, length: items * perItem };
  };
  const need = (name: string, perItem: number, width: number): { at: number; length: number } => {
    const found = column(name, perItem, width);
    if (!found) throw new SceneError(`the scene has no ${name} data`);
    return found;
  };
  const shapesOf = (): Pick<PackedScene, "position" | "normal" | "uv" | "color" | "index" | "omittedTriangles"> => {
    const position = need("position", 3, 4);
    const index = need("index", 1, 4);
    const normal = column("normal", 4, 1);
    const uv = column("uv", 2, 4);
    const color = column("color", 4, 1);
    return {
      position: new Float32Array(data, position.at, position.length),
      normal: normal && new Int8Array(data, normal.at, normal.length),
      uv: uv && new Float32Array(data, uv.at, uv.length),
      color: color && new Uint8Array(data, color.at, color.length),
      index: new Uint32Array(data, index.at, index.length),
      omittedTriangles: 0,
    };
  };
  const { position, normal, uv, color, index, omittedTriangles } = shared ?? shapesOf();
  const node = need("node", Node.Size, 4);
  const matrix = need("matrix", 12, 4);
  const pose = column("pose", 6, 4);
  const range = column("range", 2, 4);
  const cell = column("cell", 1, 4);
  const scene: PackedScene = {
    header,
    ...{ position, normal, uv, color, index, omittedTriangles },
    node: new Int32Array(data, node.at, node.length),
    matrix: new Float32Array(data, matrix.at, matrix.length),
    range: range && new Float32Array(data, range.at, range.length),
    cell: cell && new Int32Array(data, cell.at, cell.length),
    pose: pose && new Float32Array(data, pose.at, pose.length),
    nodes: node.length / Node.Size,
    omitted: new Uint8Array(node.length / Node.Size),
  };
  if (scene.matrix.length < scene.nodes * 12) throw new SceneError("the scene has fewer matrices than nodes");
  if (shared) findShapes(scene);
  const vertices = scene.position.length / 3;
  for (const shape of shared ? [] : header.shapes) {
    for (const part of shape.parts) {
      if (part.first < 0 || part.count < 0 || part.first + part.count > scene.index.length) {
        throw new SceneError(`shape "${shape.name}" has indices beyond the scene`);
      }
      for (let at = part.first; at < part.first + part.count; at++) {
        if (scene.index[at] >= vertices) throw new SceneError(`shape "${shape.name}" has a vertex beyond the scene`);
      }
    }
  }
  for (let row = 0; row < scene.nodes; row++) {
    const parent = scene.node[row * Node.Size];
    const shape = scene.node[row * Node.Size + Node.Shape];
    if (parent >= row || shape >= header.shapes.length)
      throw new SceneError(`node ${row} of the scene is out of order`);
  }
  leaveOut(scene);
  return scene;
}

/** Replaces the numbers of models in the rows of a scene by those of their shapes. */
function findShapes({ header, node, nodes }: PackedScene): void {
  const shapes = new Map(header.shapes.map((shape, n) => [shape.model, n]));
  for (let at = Node.Shape; at < nodes * Node.Size; at += Node.Size)
    if (node[at] >= 0) node[at] = shapes.get(node[at]) ?? -1;
}

/** Drops extreme values from damaged files: graphics cards cannot draw them. */
function leaveOut(scene: PackedScene): void {
  const { header, position, index, omitted } = scene;
  const far = (value: number): boolean => !(Math.abs(value) <= FARTHEST);
  // Shapes of an earlier scene have been looked at.
  let triangles = scene.omittedTriangles;
  for (const shape of header.shapes) {
    if (!shape.box.some(far)) continue;
    const box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
    for (const part of shape.parts) {
      let kept = part.first;
      for (let at = part.first; at + 2 < part.first + part.count; at += 3) {
        const corners = [index[at], index[at + 1], index[at + 2]];
        if (
          corners.some(
            (corner) => far(position[corner * 3]) || far(position[corner * 3 + 1]) || far(position[corner * 3 + 2]),
          )
        ) {
          triangles++;
          continue;
        }
        for (const corner of corners) {
          index[kept++] = corner;
          for (let k = 0; k < 3; k++) {
            box[k] = Math.min(box[k], position[corner * 3 + k]);
            box[k + 3] = Math.max(box[k + 3], position[corner * 3 + k]);
          }
        }
      }
      part.count = kept - part.first;
    }
    shape.box = box.map((value) => (Number.isFinite(value) ? value : 0)) as SceneShape["box"];
  }
  const world = worldMatrices(scene);
  let nodes = 0;
  for (let row = 0; row < scene.nodes; row++) {
    const shape = scene.node[row * Node.Size + Node.Shape];
    if (shape < 0) continue;
    const m = world.subarray(row * 16, row * 16 + 16);
    const box = header.shapes[shape].box;
    const reach = Math.max(...box.map(Math.abs));
    const scale = Math.max(...[0, 1, 2].map((k) => Math.hypot(m[k * 4], m[k * 4 + 1], m[k * 4 + 2])));
    if (m.some((value) => !Number.isFinite(value)) || far(m[12]) || far(m[13]) || far(m[14]) || far(scale * reach)) {
      omitted[row] = 1;
      nodes++;
    }
  }
  scene.omittedTriangles = triangles;
  const notes = [...(header.notes ?? [])];
  if (triangles) notes.push(`${triangles} triangles with corners more than 1,000 km away`);
  if (nodes) notes.push(`${nodes} nodes more than 1,000 km away`);
  header.notes = notes;
}

/** The shape that a row draws, or -1. */
export function drawn(scene: PackedScene, row: number): number {
  return scene.omitted[row] ? -1 : scene.node[row * Node.Size + Node.Shape];
}

/** The document that holds a node, and the path of the node in it. */
export function placeOf(scene: PackedScene, row: number): { document: string; at: string } | null {
  const group = scene.header.nodes.groups?.[scene.node[row * Node.Size + Node.Group]];
  if (!group) return null;
  return { document: group[0], at: `nodes[${scene.node[row * Node.Size + Node.Index] - group[1]}]` };
}

/** The name of a model in addresses: its number, or the 'mech and the part. */
export const shapeKey = (shape: SceneShape): string =>
  shape.model !== undefined ? String(shape.model) : `${shape.mech ?? ""}/${shape.name}`;

/** One shape of a scene, alone at the origin. */
export function shapeAlone(scene: PackedScene, shape: number): PackedScene {
  const node = new Int32Array([-1, shape, 0, -1, 0, -1, -1, -1]);
  const matrix = new Float32Array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
  const name = scene.header.shapes[shape].name;
  return {
    ...scene,
    header: {
      ...scene.header,
      nodes: { names: [name], kinds: ["model"] },
      world: null,
      lights: [],
      notes: scene.header.shapes[shape].notes ?? [],
    },
    node,
    matrix,
    range: null,
    cell: null,
    pose: null,
    nodes: 1,
    omitted: new Uint8Array(1),
  };
}

/** World transforms of all nodes, column-major 4 × 4. */
export function worldMatrices(scene: PackedScene): Float32Array {
  const out = new Float32Array(scene.nodes * 16);
  const { matrix: m, node } = scene;
  for (let row = 0; row < scene.nodes; row++) {
    const a = row * 12;
    const o = row * 16;
    const parent = node[row * Node.Size + Node.Parent];
    for (let column = 0; column < 4; column++) {
      const x = m[a + column * 3];
      const y = m[a + column * 3 + 1];
      const z = m[a + column * 3 + 2];
      const w = column === 3 ? 1 : 0;
      if (parent < 0) {
        out[o + column * 4] = x;
        out[o + column * 4 + 1] = y;
        out[o + column * 4 + 2] = z;
      } else {
        const p = parent * 16;
        for (let k = 0; k < 3; k++) {
          out[o + column * 4 + k] = out[p + k] * x + out[p + 4 + k] * y + out[p + 8 + k] * z + out[p + 12 + k] * w;
        }
      }
      out[o + column * 4 + 3] = w;
    }
  }
  return out;
}

export function textureNames(scene: PackedScene): TextureHint[] {
  const seen = new Map<string, TextureHint>();
  for (const each of scene.header.textures ?? []) {
    const hint = typeof each === "string" ? { name: each } : each;
    if (!seen.has(hint.name)) seen.set(hint.name, hint);
  }
  for (const material of scene.header.materials) {
    for (const name of [material.texture, ...(material.cycle?.textures ?? [])]) {
      if (name && !seen.has(name)) seen.set(name, { name });
    }
  }
  return [...seen.values()];
}

const FLAGS: [number, string][] = [
  [0x4, "active"],
  [0x8, "altitude surface"],
  [0x10, "intersect surface"],
  [0x20, "intersect box"],
  [0x40, "proximity"],
  [0x80, "landmark"],
  [0x100, "node box"],
  [0x200, "model box"],
  [0x400, "child box"],
  [0x8000, "terrain"],
  [0x10000, "can modify"],
  [0x20000, "clip to"],
  [0x80000, "single parent"],
  [0x800000, "override"],
  [0x1000000, "zone gate"],
  [0x2000000, "bit 25"],
  [0x10000000, "bit 28"],
];

export const nodeFlags = FLAGS;

export function flagNames(word: number): string[] {
  const names = FLAGS.filter(([bit]) => word & bit).map(([, name]) => name);
  let rest = word >>> 0;
  for (const [bit] of FLAGS) rest = (rest & ~bit) >>> 0;
  if (rest) names.push(`0x${rest.toString(16)}`);
  return names;
}
