// Draws a packed scene: one BatchedMesh for each kind of surface, rendered when something changes.

import {
  BatchedMesh,
  Box3,
  Box3Helper,
  BufferAttribute,
  BufferGeometry,
  Color,
  DataTexture,
  FloatType,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  NearestFilter,
  Object3D,
  RGBAFormat,
  Scene,
  Vector2,
  Vector3,
  Vector4,
  type WebGLRenderer,
} from "three";
import type { Source } from "../source";
import { ViewCamera } from "./camera";
import { facades, type Facade } from "./facades";
import {
  drawn,
  FARTHEST,
  Node,
  nodeFlags,
  Soils,
  textureNames,
  worldMatrices,
  type PackedScene,
  type TextureHint,
} from "./packed";
import { Picker, type Hit } from "./pick";
import type { SurfaceKind } from "./shader";
import { theStage, type Stage } from "./stage";
import { TextureSet } from "./textures";

export type Mode = "textures" | "wireframe" | "vertex" | "soil" | "zones" | "cells" | "lod" | "flags" | "changed";

/** Levels of detail by the distance from the camera, as in the game. */
export const BY_DISTANCE = -2;

interface Batch {
  kind: SurfaceKind;
  twoSided: boolean;
  mesh: BatchedMesh;
  /** Instance of each row, or -1. */
  instances: Int32Array;
  /** Triangles of each row. */
  triangles: Int32Array;
  /** Of each shape, the geometry in the mesh, or -1, and its triangles. */
  geometries: Int32Array;
  shapeTriangles: Int32Array;
}

export interface Stats {
  nodes: number;
  objects: number;
  visible: number;
  triangles: number;
  drawCalls: number;
  batches: number;
  textures: number;
  texturesLoaded: number;
  texturesMissing: number;
  frames: number;
  /** Milliseconds. */
  built: number;
  firstFrame: number;
  texturesDone: number;
  lastFrame: number;
  contextLost: boolean;
}

const numbered = (n: number): Color => {
  const hue = ((((n * 0.381966 + 0.08) % 1) + 1) % 1) * 6;
  const clamp = (value: number): number => Math.max(0, Math.min(1, value));
  const grey = (value: number): number => 0.82 * 0.45 + clamp(value) * 0.55;
  return new Color(grey(Math.abs(hue - 3) - 1), grey(2 - Math.abs(hue - 2)), grey(2 - Math.abs(hue - 4)));
};

export const numberedCss = (n: number): string => {
  const c = numbered(n);
  return `rgb(${Math.round(c.r * 255)}, ${Math.round(c.g * 255)}, ${Math.round(c.b * 255)})`;
};

const SELECTED = new Vector4(1, 0.62, 0.16, 0.26);
const GREY = new Color(0.42, 0.44, 0.47);

/** Changes of the picture by an animation. */
export interface Played {
  /** Rows that are not shown. */
  hidden: Set<number>;
  /** Opacity of rows that are translucent. */
  opacity: Map<number, number>;
  /** The frame of the animated textures of materials. */
  frames: Map<number, number>;
  /** Fog that replaces the world's: colour, near and far; null for none. */
  fog?: { color: [number, number, number]; range: [number, number] } | null;
  /** Point lights: place, range and colour. */
  lamps: { at: [number, number, number]; range: [number, number]; color: [number, number, number] }[];
}

/** Maximum number of drawn lights of an animation. */
const LAMPS = 4;

/** The value of each row: its own, or that of the closest ancestor with one; -1 without any. */
function inherited(packed: PackedScene, own: (row: number) => number): Int32Array {
  const all = new Int32Array(packed.nodes);
  for (let row = 0; row < packed.nodes; row++) {
    const parent = packed.node[row * Node.Size + Node.Parent];
    all[row] = own(row) >= 0 ? own(row) : parent >= 0 ? all[parent] : -1;
  }
  return all;
}

/** True if two scenes have the same models with the same materials. */
function hasSameShapes(a: PackedScene, b: PackedScene): boolean {
  const isSame = (one: ArrayLike<number> | null, other: ArrayLike<number> | null): boolean => {
    if (!one || !other || one.length !== other.length) return one === other;
    for (let n = 0; n < one.length; n++) if (one[n] !== other[n]) return false;
    return true;
  };
  // The same arrays: the shapes were not loaded again.
  if (a.index === b.index && a.header.shapes === b.header.shapes) return true;
  // Names of models follow those of nodes, and nothing of them is drawn.
  const text = ({ header }: PackedScene): string => {
    const shapes = header.shapes.map((shape) => ({ ...shape, name: "", document: null }));
    return JSON.stringify([header.materials, shapes, header.textures]);
  };
  return (
    isSame(a.position, b.position) &&
    isSame(a.normal, b.normal) &&
    isSame(a.uv, b.uv) &&
    isSame(a.color, b.color) &&
    isSame(a.index, b.index) &&
    text(a) === text(b)
  );
}

/** True if two scenes have the same nodes in the same rows, below the same ones. */
export function hasSameRows(a: PackedScene, b: PackedScene): boolean {
  if (a.nodes !== b.nodes) return false;
  for (let at = 0; at < a.nodes * Node.Size; at += Node.Size)
    for (const column of [Node.Parent, Node.Kind, Node.Index, Node.Lod])
      if (a.node[at + column] !== b.node[at + column]) return false;
  return true;
}

/** True if the same rows of two scenes show shapes of the same numbers. */
function drawsSame(a: PackedScene, b: PackedScene): boolean {
  for (let row = 0; row < a.nodes; row++) if (drawn(a, row) !== drawn(b, row)) return false;
  return true;
}

/** So near, in metres or as a factor, is the same on the screen. */
const NEAR = 1e-4;

export class SceneRenderer {
  readonly canvas: HTMLCanvasElement;
  readonly renderer: WebGLRenderer;
  readonly view: ViewCamera;
  packed!: PackedScene;
  picker!: Picker;
  textures: TextureSet;
  world!: Float32Array;
  /** Level of detail that applies to each row: its own, or that of the closest ancestor with one. */
  levels!: Int32Array;
  readonly hidden = new Set<number>();
  readonly stats: Stats;
  onframe: (() => void) | null = null;
  onlost: (() => void) | null = null;
  /** The node that is shown alone, or -1, and the rows of its subtree. */
  private alone = -1;
  private isolated: Uint8Array | null = null;
  private root = -1;
  private readonly scene = new Scene();
  private readonly batches: Batch[] = [];
  private readonly stage: Stage = theStage();
  /** Values of the shared uniforms while this scene is drawn. */
  private readonly shared: Record<string, unknown>;
  private readonly ending = new AbortController();
  private facades!: Facade[];
  private cells!: Int32Array;
  private grid: LineSegments | null = null;
  private detail = 1;
  private soils!: Soils;
  private table!: Float32Array;
  private tableTexture: DataTexture | null = null;
  private marks!: Float32Array;
  private shown!: Uint8Array;
  private kinds!: SurfaceKind[];
  private readonly outline: Box3Helper;
  private readonly box = new Box3();
  private readonly started = performance.now();
  private readonly resize: ResizeObserver;
  private mode: Mode = "textures";
  private lod = 0;
  private changedRows = new Set<number>();
  private flag = 0x4;
  private selected: number[] = [];
  private frame = 0;
  private last = 0;
  /** Signalled once the last frame is drawn. */
  private fence: WebGLSync | null = null;
  private pause = 0;
  private clock = 0;
  private animate = true;
  private moves = false;
  private rebuild = 0;
  private disposed = false;
  private background: [number, number, number] = [0.1, 0.11, 0.13];
  private played: Played | null = null;

  constructor(
    packed: PackedScene,
    private readonly source: Source,
    private readonly file: number,
  ) {
    this.canvas = this.stage.canvas;
    this.renderer = this.stage.renderer;
    this.stage.onlost = () => {
      this.stats.contextLost = true;
      this.onlost?.();
    };
    this.stats = {
      nodes: packed.nodes,
      objects: 0,
      visible: 0,
      triangles: 0,
      drawCalls: 0,
      batches: 0,
      textures: 0,
      texturesLoaded: 0,
      texturesMissing: 0,
      frames: 0,
      built: 0,
      firstFrame: 0,
      texturesDone: 0,
      lastFrame: 0,
      contextLost: false,
    };
    this.shared = {
      mode: 0,
      shaded: false,
      fogColour: new Vector3(),
      fogRange: new Vector2(0, 0),
      lampPlace: Array.from({ length: LAMPS }, () => new Vector4()),
      lampColour: Array.from({ length: LAMPS }, () => new Vector4()),
    };
    this.textures = this.newTextures();
    this.view = new ViewCamera(this.canvas, () => this.invalidate(), this.ending.signal);
    this.outline = new Box3Helper(this.box, new Color(1, 0.62, 0.16));
    (this.outline.material as LineBasicMaterial).depthTest = false;
    (this.outline.material as LineBasicMaterial).transparent = true;
    this.outline.renderOrder = 10;
    this.outline.visible = false;
    this.scene.add(this.outline);
    this.take(packed, null);
    this.applyMarks();
    this.applyVisibility();
    this.stats.built = performance.now() - this.started;
    this.resize = new ResizeObserver(() => this.fit());
    this.invalidate();
  }

  private readonly hinted = new Map<string, TextureHint>();
  /** Levels of detail that are out of range. */
  private away!: Uint8Array;

  private newTextures(): TextureSet {
    return new TextureSet(this.source, this.file, this.renderer, () => this.textureArrived());
  }

  /** Takes a scene. `rows` has the new row of each row if the shapes are those of the scene before. */
  private take(packed: PackedScene, rows: Int32Array | null): void {
    const before = this.packed;
    this.packed = packed;
    this.world = worldMatrices(packed);
    this.picker = new Picker(packed, this.world);
    this.inherit();
    this.marks = new Float32Array(packed.nodes * 4);
    this.away = new Uint8Array(packed.nodes);
    this.shown = new Uint8Array(packed.nodes).fill(1);
    this.facades = facades(packed, this.world);
    this.stats.nodes = packed.nodes;
    this.setLight();
    if (rows && this.replant(before, rows)) {
      this.place(Array.from({ length: packed.nodes }, (_, row) => row));
      return;
    }
    this.soils = new Soils(packed.header.materials);
    const materials = Math.max(1, packed.header.materials.length);
    this.table = new Float32Array(768 * Math.ceil(materials / 256) * 4);
    this.tableTexture?.dispose();
    this.tableTexture = new DataTexture(this.table, 768, Math.ceil(materials / 256), RGBAFormat, FloatType);
    this.tableTexture.minFilter = NearestFilter;
    this.tableTexture.magFilter = NearestFilter;
    this.shared.materials = this.tableTexture;
    const hints = new Map<string, TextureHint>();
    this.hinted.clear();
    for (const hint of textureNames(packed)) {
      hints.set(hint.name, hint);
      if (hint.transparency || hint.additive) this.hinted.set(hint.name, hint);
    }
    this.kinds = packed.header.materials.map((_, n) => this.kindOf(n));
    // Requested first: they load while the shapes are built.
    const names = this.order(hints);
    this.stats.textures = names.length;
    this.textures.load(names);
    this.fillTable();
    this.build();
    this.moves = packed.header.materials.some(
      (material) =>
        (material.cycle && material.cycle.textures.length > 1) ||
        (material.scroll && (material.scroll[0] || material.scroll[1])),
    );
  }

  /** What rows have from the nodes above them. */
  private inherit(): void {
    const { packed } = this;
    this.levels = inherited(packed, (row) => packed.node[row * Node.Size + Node.Lod]);
    this.cells = inherited(packed, (row) => packed.cell?.[row] ?? -1);
  }

  /**
   * Shows a scene with the same rows and shapes as the one before: only what is elsewhere changes. A scene that an
   * edit's preview shows already needs no new picture.
   */
  private shift(packed: PackedScene): void {
    const before = this.packed;
    const now = worldMatrices(packed);
    const { world } = this;
    const rest = ({ header }: PackedScene): string => JSON.stringify([header.world, header.lights]);
    let isSeen = this.lod === BY_DISTANCE || rest(before) !== rest(packed);
    const turning = new Set(this.facades.map(({ row }) => row));
    const rows: number[] = [];
    for (let row = 0; row < packed.nodes; row++) {
      let isSame = true;
      let isNear = true;
      for (let n = row * 16; n < row * 16 + 16; n++) {
        if (now[n] === world[n]) continue;
        isSame = false;
        if (!(Math.abs(now[n] - world[n]) < NEAR)) isNear = false;
      }
      if (!isSame) rows.push(row);
      if (!isNear && !turning.has(row)) isSeen = true;
    }
    const places = this.facades.map(({ place }) => place);
    this.packed = packed;
    world.set(now);
    this.picker.scene = packed;
    this.inherit();
    this.facades = facades(packed, world);
    if (this.facades.some(({ place }, n) => !(place.distanceTo(places[n]) < NEAR))) isSeen = true;
    this.setLight();
    this.place(rows);
    if (isSeen) this.invalidate();
  }

  /**
   * Shows another state of the scene: the camera, and what is hidden, isolated and selected, stay. `rows` has the
   * new row of each row, or -1. The textures stay, too, unless other files than the scene changed.
   */
  renew(next: PackedScene, rows: Int32Array, keepsTextures: boolean): void {
    const moved = (all: Iterable<number>): number[] => [...all].map((row) => rows[row] ?? -1).filter((row) => row >= 0);
    const keepsMeshes = keepsTextures && hasSameShapes(this.packed, next);
    if (keepsMeshes && hasSameRows(this.packed, next) && drawsSame(this.packed, next)) {
      this.shift(next);
      this.outlineSelected();
      return;
    }
    if (!keepsTextures) {
      this.textures.dispose();
      this.textures = this.newTextures();
    }
    if (this.grid) {
      this.scene.remove(this.grid);
      this.grid.geometry.dispose();
      (this.grid.material as LineBasicMaterial).dispose();
      this.grid = null;
    }
    const hidden = moved(this.hidden);
    this.hidden.clear();
    for (const row of hidden) this.hidden.add(row);
    this.changedRows = new Set(moved(this.changedRows));
    this.root = rows[this.root] ?? -1;
    this.selected = moved(this.selected);
    this.take(next, keepsMeshes ? rows : null);
    this.lodsChanged();
    this.showGrid(this.mode === "cells");
    this.isolate(rows[this.alone] ?? -1);
    this.select(...this.selected);
  }

  /** Draws an object besides the scene: a handle, or a guide. */
  overlay(object: Object3D): void {
    this.scene.add(object);
    this.invalidate();
  }

  /** Puts the canvas into an element, with a name for assistive software, and draws. */
  show(host: HTMLElement, label: string): void {
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", label);
    host.prepend(this.canvas);
    this.resize.observe(host);
    this.fit();
  }

  /** Texture names by how much of the scene uses them. */
  private order(hints: Map<string, TextureHint>): string[] {
    const { header, node, nodes } = this.packed;
    const uses = new Map<string, number>();
    const perShape = new Int32Array(header.shapes.length);
    for (let row = 0; row < nodes; row++) {
      const shape = node[row * Node.Size + Node.Shape];
      if (shape >= 0) perShape[shape]++;
    }
    header.shapes.forEach((shape, n) => {
      if (!perShape[n]) return;
      for (const part of shape.parts) {
        const material = header.materials[part.material];
        if (!material) continue;
        for (const name of [material.texture, ...(material.cycle?.textures ?? [])]) {
          if (name) uses.set(name, (uses.get(name) ?? 0) + part.count * perShape[n]);
        }
      }
    });
    return [...uses]
      .sort((a, b) => b[1] - a[1])
      .map(([name]) => name)
      .filter((name) => hints.has(name));
  }

  private kindOf(n: number): SurfaceKind {
    const material = this.packed.header.materials[n];
    const name = material.texture ?? material.cycle?.textures[0];
    const state = name ? this.textures?.states.get(name) : undefined;
    const known = state?.kind === "loaded" ? state : name ? this.hinted.get(name) : undefined;
    if (known?.additive) return "add";
    if (known?.transparency === "mixed" || (material.alpha ?? 255) < 255) return "blend";
    return "solid";
  }

  private build(): void {
    const { packed } = this;
    const { header } = packed;
    const { shapes } = header;
    for (const batch of this.batches) {
      this.scene.remove(batch.mesh);
      batch.mesh.dispose();
    }
    this.batches.length = 0;
    interface Plan {
      kind: SurfaceKind;
      twoSided: boolean;
      vertices: number;
      indices: number;
      geometries: { shape: number; geometry: BufferGeometry; triangles: number }[];
    }
    const plans = new Map<string, Plan>();
    const used = new Uint8Array(shapes.length);
    for (let row = 0; row < packed.nodes; row++) {
      const shape = drawn(packed, row);
      if (shape >= 0) used[shape] = 1;
    }
    const remap = new Int32Array(packed.position.length / 3).fill(-1);
    shapes.forEach((shape, shapeNumber) => {
      if (!used[shapeNumber]) return;
      const groups = new Map<string, typeof shape.parts>();
      for (const part of shape.parts) {
        if (!part.count) continue;
        const key = `${this.kinds[part.material] ?? "solid"}${header.materials[part.material]?.two_sided ? 2 : 1}`;
        const group = groups.get(key);
        if (group) group.push(part);
        else groups.set(key, [part]);
      }
      for (const [key, parts] of groups) {
        let plan = plans.get(key);
        if (!plan) {
          plan = {
            kind: key.slice(0, -1) as SurfaceKind,
            twoSided: key.endsWith("2"),
            vertices: 0,
            indices: 0,
            geometries: [],
          };
          plans.set(key, plan);
        }
        const indices = parts.reduce((sum, part) => sum + part.count, 0);
        const index = new Uint32Array(indices);
        const from: number[] = [];
        const materials: number[] = [];
        let at = 0;
        for (const part of parts) {
          const first = from.length;
          for (let i = part.first; i < part.first + part.count; i++) {
            const vertex = packed.index[i];
            if (remap[vertex] < 0) {
              remap[vertex] = from.length;
              from.push(vertex);
              materials.push(part.material);
            }
            index[at++] = remap[vertex];
          }
          for (let i = first; i < from.length; i++) remap[from[i]] = -1;
        }
        plan.vertices += from.length;
        plan.indices += indices;
        plan.geometries.push({
          shape: shapeNumber,
          geometry: this.geometry(from, materials, index),
          triangles: indices / 3,
        });
      }
    });
    const instancesOf = new Int32Array(shapes.length);
    for (let row = 0; row < packed.nodes; row++) {
      const shape = drawn(packed, row);
      if (shape >= 0) instancesOf[shape]++;
    }
    const matrix = new Matrix4();
    let objects = 0;
    for (let row = 0; row < packed.nodes; row++) if (drawn(packed, row) >= 0) objects++;
    this.stats.objects = objects;
    for (const plan of plans.values()) {
      const total = plan.geometries.reduce((sum, each) => sum + instancesOf[each.shape], 0);
      const mesh = new BatchedMesh(total, plan.vertices, plan.indices, this.stage.surface(plan.kind, plan.twoSided));
      mesh.frustumCulled = false;
      mesh.sortObjects = plan.kind === "blend";
      mesh.renderOrder = plan.kind === "solid" ? 0 : plan.kind === "blend" ? 1 : 2;
      const ids = new Int32Array(shapes.length).fill(-1);
      const triangles = new Int32Array(shapes.length);
      for (const each of plan.geometries) {
        ids[each.shape] = mesh.addGeometry(each.geometry);
        triangles[each.shape] = each.triangles;
        each.geometry.dispose();
      }
      const instances = new Int32Array(packed.nodes).fill(-1);
      const rowTriangles = new Int32Array(packed.nodes);
      for (let row = 0; row < packed.nodes; row++) {
        const shape = drawn(packed, row);
        if (shape < 0 || ids[shape] < 0) continue;
        const instance = mesh.addInstance(ids[shape]);
        mesh.setMatrixAt(instance, matrix.fromArray(this.world, row * 16));
        mesh.setColorAt(instance, new Vector4(0, 0, 0, 0));
        instances[row] = instance;
        rowTriangles[row] = triangles[shape];
      }
      this.scene.add(mesh);
      const { kind, twoSided } = plan;
      const [geometries, shapeTriangles] = [ids, triangles];
      this.batches.push({ kind, twoSided, mesh, instances, triangles: rowTriangles, geometries, shapeTriangles });
    }
    this.stats.batches = this.batches.length;
  }

  /**
   * Keeps the shapes that are built, and the instances of rows that show what they showed; others come and go. False
   * if a row shows a shape that no row showed before.
   */
  private replant(before: PackedScene, rows: Int32Array): boolean {
    const { packed, batches } = this;
    const from = new Int32Array(packed.nodes).fill(-1);
    rows.forEach((now, row) => {
      if (now >= 0 && drawn(before, row) === drawn(packed, now)) from[now] = row;
    });
    const fresh: number[] = [];
    let objects = 0;
    for (let row = 0; row < packed.nodes; row++) {
      const shape = drawn(packed, row);
      if (shape < 0) continue;
      objects++;
      if (from[row] >= 0) continue;
      const hasTriangles = packed.header.shapes[shape].parts.some((part) => part.count > 0);
      if (hasTriangles && !batches.some(({ geometries }) => geometries[shape] >= 0)) return false;
      fresh.push(row);
    }
    for (const batch of batches) {
      const { mesh, geometries, shapeTriangles } = batch;
      const instances = new Int32Array(packed.nodes).fill(-1);
      const triangles = new Int32Array(packed.nodes);
      const kept = new Uint8Array(before.nodes);
      for (let row = 0; row < packed.nodes; row++) {
        if (from[row] < 0) continue;
        kept[from[row]] = 1;
        instances[row] = batch.instances[from[row]];
        triangles[row] = batch.triangles[from[row]];
      }
      for (let row = 0; row < before.nodes; row++)
        if (!kept[row] && batch.instances[row] >= 0) mesh.deleteInstance(batch.instances[row]);
      const own = fresh.filter((row) => geometries[drawn(packed, row)] >= 0);
      const wanted = mesh.instanceCount + own.length;
      if (wanted > mesh.maxInstanceCount) mesh.setInstanceCount(Math.ceil(wanted * 1.1) + 16);
      for (const row of own) {
        const shape = drawn(packed, row);
        instances[row] = mesh.addInstance(geometries[shape]);
        triangles[row] = shapeTriangles[shape];
      }
      batch.instances = instances;
      batch.triangles = triangles;
    }
    this.stats.objects = objects;
    return true;
  }

  private geometry(from: number[], materials: number[], index: Uint32Array): BufferGeometry {
    const { packed } = this;
    const n = from.length;
    const position = new Float32Array(n * 3);
    const normal = new Int8Array(n * 4);
    const uv = new Float32Array(n * 2);
    const tint = new Uint8Array(n * 4).fill(255);
    for (let i = 0; i < n; i++) {
      const v = from[i];
      position[i * 3] = packed.position[v * 3];
      position[i * 3 + 1] = packed.position[v * 3 + 1];
      position[i * 3 + 2] = packed.position[v * 3 + 2];
      if (packed.normal) for (let k = 0; k < 3; k++) normal[i * 4 + k] = packed.normal[v * 4 + k];
      if (packed.uv) {
        uv[i * 2] = packed.uv[v * 2];
        uv[i * 2 + 1] = packed.uv[v * 2 + 1];
      }
      if (packed.color) for (let k = 0; k < 4; k++) tint[i * 4 + k] = packed.color[v * 4 + k];
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(position, 3));
    geometry.setAttribute("normal", new BufferAttribute(normal, 4, true));
    geometry.setAttribute("uv", new BufferAttribute(uv, 2));
    geometry.setAttribute("tint", new BufferAttribute(tint, 4, true));
    geometry.setAttribute("material", new BufferAttribute(new Float32Array(materials), 1));
    geometry.setIndex(new BufferAttribute(index, 1));
    return geometry;
  }

  /** Writes the material table: colour, texture, scroll at the time of `clock`. */
  private fillTable(): void {
    const { materials } = this.packed.header;
    const t = this.clock;
    materials.forEach((material, n) => {
      const o = (Math.floor(n / 256) * 768 + (n % 256) * 3) * 4;
      const colour = material.color ?? [255, 255, 255];
      this.table[o] = colour[0] / 255;
      this.table[o + 1] = colour[1] / 255;
      this.table[o + 2] = colour[2] / 255;
      this.table[o + 3] = (material.alpha ?? 255) / 255;
      let name = material.texture ?? null;
      const cycle = material.cycle;
      if (cycle && cycle.textures.length) {
        const step = this.played?.frames.get(n) ?? Math.floor(t * cycle.speed);
        const frames = cycle.textures.length;
        name =
          cycle.textures[cycle.looping === false ? Math.min(step, frames - 1) : ((step % frames) + frames) % frames];
      }
      const state = name && material.uvs !== false ? this.textures?.states.get(name) : undefined;
      if (state?.kind === "loaded") {
        this.table[o + 4] = state.size;
        this.table[o + 5] = state.layer;
        this.table[o + 6] = state.transparency === "holes" ? 1 : 0;
      } else {
        this.table[o + 4] = -1;
        this.table[o + 5] = 0;
        this.table[o + 6] = 0;
      }
      this.table[o + 7] = this.soils.number(material);
      const scroll = material.scroll ?? [0, 0];
      this.table[o + 8] = (scroll[0] * t) % 1;
      this.table[o + 9] = (scroll[1] * t) % 1;
      this.table[o + 10] = material.priority ?? 0;
      this.table[o + 11] = state?.kind === "loaded" ? Number(state.clamps[0]) + 2 * Number(state.clamps[1]) : 0;
    });
    if (this.tableTexture) this.tableTexture.needsUpdate = true;
  }

  private textureArrived(): void {
    if (this.disposed) return;
    let loaded = 0;
    let missing = 0;
    for (const state of this.textures.states.values()) {
      if (state.kind === "loaded") loaded++;
      else if (state.kind === "missing") missing++;
    }
    this.stats.texturesLoaded = loaded;
    this.stats.texturesMissing = missing;
    // Textures are uploaded as they arrive and drawn together. Once all are loaded, there is no reason to
    // wait.
    this.textures.upload();
    if (this.rebuild && this.textures.waiting) return;
    window.clearTimeout(this.rebuild);
    this.rebuild = window.setTimeout(
      () => {
        this.rebuild = 0;
        this.takeTextures();
      },
      this.textures.waiting ? 2500 : 0,
    );
  }

  private takeTextures(): void {
    if (this.disposed) return;
    this.textures.upload();
    this.textures.classes.forEach((each, n) => {
      if (each.texture) this.shared[`pictures${n}`] = each.texture;
    });
    let moved = false;
    this.packed.header.materials.forEach((_, n) => {
      const kind = this.kindOf(n);
      if (kind !== this.kinds[n]) moved = true;
    });
    // Without hints a texture may turn out to blend: sort the surfaces again, once all are known.
    if (moved && !this.textures.waiting) {
      this.packed.header.materials.forEach((_, n) => (this.kinds[n] = this.kindOf(n)));
      this.build();
      this.applyMarks();
      this.applyVisibility();
    }
    this.fillTable();
    if (!this.textures.waiting && !this.stats.texturesDone) this.stats.texturesDone = performance.now() - this.started;
    this.invalidate();
  }

  private fit(): void {
    const host = this.canvas.parentElement;
    // The canvas has no size before it is on the page.
    if (!host?.clientWidth || !host.clientHeight || this.disposed) return;
    const { clientWidth: width, clientHeight: height } = host;
    const size = this.renderer.getSize(new Vector2());
    const isSame = size.x === width && size.y === height;
    if (isSame && this.view.camera.aspect === width / height) return;
    // A new size allocates a new buffer, which waits for pending drawing.
    if (!isSame) this.renderer.setSize(width, height, false);
    this.view.camera.aspect = width / height;
    this.view.apply();
  }

  invalidate(): void {
    if (!this.frame && !this.disposed) this.frame = requestAnimationFrame((now) => this.draw(now));
  }

  /** Draws the next frame of waves and cycles. Leaves half of the time to other work, even on a slow graphics card. */
  private continue(): void {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    gl.deleteSync(this.fence);
    this.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    const begun = performance.now();
    const look = (): void => {
      const took = performance.now() - begun;
      const isDone = !this.fence || gl.getSyncParameter(this.fence, gl.SYNC_STATUS) === gl.SIGNALED || took > 2000;
      this.pause = window.setTimeout(isDone ? () => this.invalidate() : look, isDone ? Math.min(1000, took) : 15);
    };
    window.clearTimeout(this.pause);
    this.pause = window.setTimeout(look, 15);
  }

  private draw(now: number): void {
    this.frame = 0;
    if (this.disposed || this.stats.contextLost || !this.canvas.isConnected) return;
    // If a frame takes as long as loading all textures, the first frame waits for them if they load soon.
    const { frames, textures, texturesDone } = this.stats;
    if (!frames && this.stage.isSlow && textures && !texturesDone && now - this.started < 1500)
      return this.invalidate();
    const seconds = this.last ? Math.min(1, (now - this.last) / 1000) : 0;
    const running = this.moves && this.animate && !document.hidden;
    if (this.view.moving) this.view.step(Math.min(0.1, seconds) || 1 / 60);
    if (running) {
      this.clock += seconds;
      this.fillTable();
    }
    this.renderNow();
    this.last = running || this.view.moving ? now : 0;
    if (this.view.moving) this.invalidate();
    else if (running) this.continue();
  }

  /** Draws one frame at once. */
  renderNow(): void {
    const before = performance.now();
    if (this.lod === BY_DISTANCE && this.lodsChanged()) this.applyVisibility();
    this.turnFacades();
    for (const [name, uniform] of Object.entries(this.stage.shared)) {
      uniform.value = this.shared[name] ?? (name.startsWith("pictures") ? this.stage.empty : uniform.value);
    }
    this.stage.setWireframe(this.mode === "wireframe");
    this.renderer.info.reset();
    this.renderer.setClearColor(new Color(...this.background), 1);
    this.renderer.render(this.scene, this.view.camera);
    this.stats.frames++;
    this.stats.lastFrame = performance.now() - before;
    this.stats.drawCalls = this.renderer.info.render.calls;
    if (!this.stats.firstFrame) this.stats.firstFrame = performance.now() - this.started;
    this.onframe?.();
  }

  // What is visible

  isVisible(row: number): boolean {
    return this.shown[row] === 1;
  }

  private applyVisibility(): void {
    const { packed, shown } = this;
    let visible = 0;
    let triangles = 0;
    for (let row = 0; row < packed.nodes; row++) {
      const parent = packed.node[row * Node.Size + Node.Parent];
      // 1 is shown, 2 is hidden with everything below, 0 is hidden alone.
      const above = parent >= 0 && shown[parent] === 2;
      const cut = above || this.hidden.has(row) || this.played?.hidden.has(row) || this.isFar(row);
      const alone = !cut && this.isolated !== null && !this.isolated[row];
      shown[row] = cut ? 2 : alone ? 0 : 1;
    }
    if (this.root >= 0) {
      for (let row = 0; row < packed.nodes; row++) if (shown[row] === 1 && !this.within(row, this.root)) shown[row] = 0;
    }
    for (const batch of this.batches) {
      for (let row = 0; row < packed.nodes; row++) {
        const instance = batch.instances[row];
        if (instance < 0) continue;
        batch.mesh.setVisibleAt(instance, shown[row] === 1);
        if (shown[row] === 1) triangles += batch.triangles[row];
      }
    }
    for (let row = 0; row < packed.nodes; row++) {
      if (shown[row] === 1 && drawn(packed, row) >= 0) visible++;
    }
    this.stats.visible = visible;
    this.stats.triangles = triangles;
    this.invalidate();
  }

  /** True for a level of detail that is not shown now. */
  private isFar(row: number): boolean {
    if (this.lod >= 0) return this.levels[row] >= 0 && this.levels[row] !== this.lod;
    return this.lod === BY_DISTANCE && this.away[row] === 1;
  }

  /** Computes which levels of detail are out of range; true if that changed. */
  private lodsChanged(): boolean {
    const { range, nodes } = this.packed;
    if (!range) return false;
    const { x, y, z } = this.view.position;
    let changed = false;
    for (let row = 0; row < nodes; row++) {
      const far = range[row * 2 + 1];
      if (far <= 0) continue;
      const o = row * 16 + 12;
      const distance = Math.hypot(this.world[o] - x, this.world[o + 1] - y, this.world[o + 2] - z) / this.detail;
      const away = distance < range[row * 2] || distance >= far ? 1 : 0;
      if (away !== this.away[row]) changed = true;
      this.away[row] = away;
    }
    return changed;
  }

  /** Turns facades to the camera. */
  private turnFacades(): void {
    if (!this.facades.length) return;
    const matrix = new Matrix4();
    for (const each of this.facades) {
      if (this.shown[each.row] !== 1) continue;
      each.turn(this.view.position, this.view.forward, this.world);
      matrix.fromArray(this.world, each.row * 16);
      for (const batch of this.batches) {
        const instance = batch.instances[each.row];
        if (instance >= 0) batch.mesh.setMatrixAt(instance, matrix);
      }
    }
  }

  within(row: number, ancestor: number): boolean {
    for (let at = row; at >= 0; at = this.packed.node[at * Node.Size + Node.Parent]) if (at === ancestor) return true;
    return false;
  }

  private withinAny(row: number, ancestors: Set<number>): boolean {
    for (let at = row; at >= 0; at = this.packed.node[at * Node.Size + Node.Parent]) if (ancestors.has(at)) return true;
    return false;
  }

  setHidden(row: number, hide: boolean): void {
    if (hide) this.hidden.add(row);
    else this.hidden.delete(row);
    this.applyVisibility();
  }

  /** Shows only a node and its subtree; -1 shows everything. */
  isolate(row: number): void {
    this.alone = row;
    this.isolated = null;
    if (row >= 0) {
      this.isolated = new Uint8Array(this.packed.nodes);
      for (let at = 0; at < this.packed.nodes; at++) {
        const parent = this.packed.node[at * Node.Size + Node.Parent];
        if (at === row || (parent >= 0 && this.isolated[parent])) this.isolated[at] = 1;
      }
    }
    this.applyVisibility();
  }

  get isIsolated(): boolean {
    return this.isolated !== null;
  }

  showAll(): void {
    this.hidden.clear();
    this.isolate(-1);
  }

  /** Shows only the subtree of one root; -1 shows all roots. */
  setRoot(row: number): void {
    this.root = row;
    this.applyVisibility();
  }

  /** Level of detail to show: 0 is the nearest, -1 all, or by distance. */
  setLod(level: number): void {
    this.lod = level;
    this.lodsChanged();
    this.applyVisibility();
  }

  /** Factor of the distances of levels of detail, compared with the game. */
  setDetail(factor: number): void {
    this.detail = factor;
    this.invalidate();
  }

  // Modes

  setMode(mode: Mode, flag = this.flag): void {
    this.mode = mode;
    this.flag = flag;
    this.shared.mode =
      mode === "vertex" ? 1 : mode === "soil" ? 2 : mode === "textures" || mode === "wireframe" ? 0 : 3;
    this.showGrid(mode === "cells");
    this.applyMarks();
    this.invalidate();
  }

  /** Lines between the cells of the world. */
  private showGrid(on: boolean): void {
    const { area, cells } = this.packed.header.world ?? {};
    if (on && !this.grid && area && cells && cells[0] > 0 && cells[1] > 0 && cells[0] * cells[1] <= 65536) {
      const [left, bottom, right, top] = area;
      const y = this.bounds(-1)?.max.y ?? 0;
      const points: number[] = [];
      for (let n = 0; n <= cells[0]; n++) {
        const x = left + ((right - left) * n) / cells[0];
        points.push(x, y, bottom, x, y, top);
      }
      for (let n = 0; n <= cells[1]; n++) {
        const z = bottom + ((top - bottom) * n) / cells[1];
        points.push(left, y, z, right, y, z);
      }
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
      this.grid = new LineSegments(
        geometry,
        new LineBasicMaterial({ color: 0xd8dee6, transparent: true, opacity: 0.5 }),
      );
      this.scene.add(this.grid);
    }
    if (this.grid) this.grid.visible = on;
  }

  setChanged(rows: Set<number>): void {
    this.changedRows = rows;
    this.applyMarks();
  }

  private markOf(row: number): Color {
    const at = row * Node.Size;
    const { node } = this.packed;
    switch (this.mode) {
      case "zones":
        return node[at + Node.Zone] < 0 || node[at + Node.Zone] === 255 ? GREY : numbered(node[at + Node.Zone]);
      case "cells":
        return this.cells[row] < 0 ? GREY : numbered(this.cells[row]);
      case "lod":
        return this.levels[row] < 0 ? GREY : numbered(this.levels[row]);
      case "flags":
        return node[at + Node.Flags] & this.flag ? new Color(0.35, 0.72, 0.95) : GREY;
      case "changed":
        return this.changedRows.has(row) ? new Color(0.93, 0.36, 0.62) : GREY;
      default:
        return GREY;
    }
  }

  private applyMarks(): void {
    const { packed, marks } = this;
    const marking = this.shared.mode === 3;
    const value = new Vector4();
    const tops = new Set(this.selected);
    // Parents come first.
    const inside = new Uint8Array(packed.nodes);
    for (let row = 0; row < packed.nodes; row++) {
      const parent = packed.node[row * Node.Size + Node.Parent];
      const selected =
        tops.has(row) || (parent >= 0 && parent < row ? inside[parent] === 1 : this.withinAny(row, tops));
      inside[row] = selected ? 1 : 0;
      if (marking) {
        const colour = this.markOf(row);
        value.set(colour.r, colour.g, colour.b, selected ? 1 : 0);
      } else if (selected) value.copy(SELECTED);
      else value.set(0, 0, 0, 0);
      // The shader reads the opacity above the highlight's share.
      value.w += 2 * Math.round((1 - (this.played?.opacity.get(row) ?? 1)) * 255);
      value.toArray(marks, row * 4);
    }
    for (const batch of this.batches) {
      for (let row = 0; row < packed.nodes; row++) {
        const instance = batch.instances[row];
        if (instance >= 0) batch.mesh.setColorAt(instance, value.fromArray(marks, row * 4));
      }
    }
    this.invalidate();
  }

  /** Marks nodes, with a box around all of them. */
  select(...rows: number[]): void {
    this.selected = rows.filter((row) => row >= 0);
    this.applyMarks();
    this.outlineSelected();
    this.invalidate();
  }

  /** Puts the box around all nodes that are marked, where they are now. */
  outlineSelected(): void {
    const all = new Box3();
    for (const row of this.selected) {
      const own = this.bounds(row);
      if (own) all.union(own);
    }
    this.outline.visible = !all.isEmpty();
    if (!all.isEmpty()) this.box.copy(all);
    this.outline.updateMatrixWorld(true);
  }

  /** World-space box of a node and its subtree, without parts beyond any world's extent. */
  bounds(row: number): Box3 | null {
    const box = new Box3();
    const one = new Box3();
    const matrix = new Matrix4();
    const { packed } = this;
    const inside = new Uint8Array(packed.nodes);
    for (let at = Math.max(0, row); at < packed.nodes; at++) {
      const parent = packed.node[at * Node.Size + Node.Parent];
      if (row >= 0 && at !== row && !(parent >= 0 && inside[parent])) continue;
      inside[at] = 1;
      const shape = drawn(packed, at);
      if (shape < 0 || this.shown[at] === 2) continue;
      const b = packed.header.shapes[shape].box;
      one.min.set(b[0], b[1], b[2]);
      one.max.set(b[3], b[4], b[5]);
      one.applyMatrix4(matrix.fromArray(this.world, at * 16));
      // Extreme values from a damaged file would shrink everything else to a point.
      const reach = Math.max(...one.min.toArray().map(Math.abs), ...one.max.toArray().map(Math.abs));
      if (reach < FARTHEST) box.union(one);
    }
    if (!box.isEmpty()) return box;
    if (row < 0) return null;
    const at = new Vector3(this.world[row * 16 + 12], this.world[row * 16 + 13], this.world[row * 16 + 14]);
    return new Box3().setFromCenterAndSize(at, new Vector3(2, 2, 2));
  }

  frameRow(row: number): void {
    this.frameRows([row]);
  }

  /** Frames some nodes. */
  frameRows(rows: number[]): void {
    const box = new Box3();
    for (const row of rows) {
      const own = this.bounds(row);
      if (own) box.union(own);
    }
    if (box.isEmpty()) return;
    const center = box.getCenter(new Vector3());
    const radius = Math.max(0.25, box.getSize(new Vector3()).length() / 2);
    this.view.frame(center, radius);
    if (this.view.camera.far < radius * 4) this.setDrawDistance(radius * 8);
  }

  /**
   * Where most objects are: the middle one of them, and a distance within which four of five are. Grounds and skies,
   * which are as wide as the world, do not count; null for a scene with few objects.
   */
  private crowd(widest: number): { center: Vector3; radius: number } | null {
    const { packed } = this;
    const places: Vector3[] = [];
    for (let row = 0; row < packed.nodes; row++) {
      const shape = drawn(packed, row);
      if (shape < 0 || this.shown[row] === 2) continue;
      const b = packed.header.shapes[shape].box;
      const wide = Math.hypot(b[3] - b[0], b[5] - b[2]);
      if (wide > widest / 4) continue;
      const place = new Vector3(b[0] + b[3], b[1] + b[4], b[2] + b[5]).multiplyScalar(0.5);
      place.applyMatrix4(new Matrix4().fromArray(this.world, row * 16));
      if (place.length() < FARTHEST) places.push(place);
    }
    if (places.length < 4) return null;
    const middle = (axis: "x" | "y" | "z"): number =>
      places.map((place) => place[axis]).sort((a, b) => a - b)[places.length >> 1];
    const center = new Vector3(middle("x"), middle("y"), middle("z"));
    const far = places.map((place) => place.distanceTo(center)).sort((a, b) => a - b);
    return { center, radius: far[Math.floor(far.length * 0.8)] * 1.2 };
  }

  /** The starting place: where most objects of a world are, seen from above its edge, or the whole scene. */
  home(): void {
    const box = this.bounds(this.root);
    if (!box) return;
    const size = box.getSize(new Vector3());
    const center = box.getCenter(new Vector3());
    const area = this.packed.header.world?.area;
    let radius = Math.max(0.25, size.length() / 2);
    if (area) {
      // Sky domes are larger than the world: use the area.
      const wide = Math.abs(area[2] - area[0]);
      const deep = Math.abs(area[3] - area[1]);
      if (wide && deep) {
        center.set((area[0] + area[2]) / 2, center.y, (area[1] + area[3]) / 2);
        radius = Math.min(radius, Math.hypot(wide, deep) / 2);
      }
    }
    this.view.yaw = 0.6;
    this.view.pitch = -0.5;
    this.setDrawDistance(Math.max(2000, size.length() * 3));
    const crowd = area && this.crowd(radius * 2);
    if (crowd && crowd.radius < radius * 0.8) this.view.frame(crowd.center, Math.max(crowd.radius, radius / 20));
    else this.view.frame(center, area ? radius * 0.8 : radius);
    this.view.speed = Math.max(1, radius / 6);
  }

  setDrawDistance(far: number): void {
    this.view.setDrawDistance(far);
  }

  setShaded(on: boolean): void {
    this.shared.shaded = on;
    this.invalidate();
  }

  /** The directional light of the world, or a default one. */
  private setLight(): void {
    const light = this.packed.header.lights?.find((each) => each.directional);
    this.shared.sun = new Vector3(0.4, 0.8, 0.45).normalize();
    this.shared.sunColour = new Vector3(0.75, 0.75, 0.75);
    this.shared.ambient = 0.45;
    if (!light) return;
    const m = light.row * 16;
    const from = new Vector3(this.world[m + 8], this.world[m + 9], this.world[m + 10]);
    if (from.lengthSq() > 0) this.shared.sun = from.normalize();
    const [r, g, b] = light.color ?? [1, 1, 1];
    this.shared.sunColour = new Vector3(r, g, b).multiplyScalar(light.diffuse ?? 0.75);
    this.shared.ambient = light.ambient ?? 0.45;
  }

  setAnimate(on: boolean): void {
    this.animate = on;
    this.invalidate();
  }

  get hasMotion(): boolean {
    return this.moves;
  }

  setBackground(colour: [number, number, number]): void {
    this.background = colour;
    this.invalidate();
  }

  setFog(on: boolean): void {
    const fog = this.packed.header.world?.fog;
    const range = this.shared.fogRange as Vector2;
    if (on && fog) {
      range.set(fog.range[0], fog.range[1]);
      (this.shared.fogColour as Vector3).set(fog.color[0] / 255, fog.color[1] / 255, fog.color[2] / 255);
    } else range.set(0, 0);
    this.invalidate();
  }

  /** Shows rows at their transforms in `world`, after it changed. */
  moved(rows: Iterable<number>): void {
    this.place(rows);
    this.invalidate();
  }

  private place(rows: Iterable<number>): void {
    const matrix = new Matrix4();
    for (const row of rows) {
      matrix.fromArray(this.world, row * 16);
      for (const batch of this.batches)
        if (batch.instances[row] >= 0) batch.mesh.setMatrixAt(batch.instances[row], matrix);
      this.picker.place(row);
    }
  }

  /** Shows the changes of an animation, or the unchanged world. */
  setPlayed(played: Played | null): void {
    const before = this.played;
    this.played = played;
    const same = (a: Iterable<unknown> | undefined, b: Iterable<unknown> | undefined): boolean =>
      String([...(a ?? [])]) === String([...(b ?? [])]);
    if (!same(before?.hidden, played?.hidden)) this.applyVisibility();
    if (!same(before?.opacity, played?.opacity)) this.applyMarks();
    if (!same(before?.frames, played?.frames)) this.fillTable();
    const range = this.shared.fogRange as Vector2;
    if (played?.fog) {
      range.set(...played.fog.range);
      (this.shared.fogColour as Vector3).set(...played.fog.color);
    } else if (before?.fog) range.set(0, 0);
    for (let n = 0; n < LAMPS; n++) {
      const lamp = played?.lamps[n];
      (this.shared.lampPlace as Vector4[])[n].set(...(lamp?.at ?? [0, 0, 0]), lamp?.range[1] ?? 0);
      (this.shared.lampColour as Vector4[])[n].set(...(lamp?.color ?? [0, 0, 0]), lamp?.range[0] ?? 0);
    }
    this.invalidate();
  }

  get flagInUse(): [number, string][] {
    let all = 0;
    for (let row = 0; row < this.packed.nodes; row++) all |= this.packed.node[row * Node.Size + Node.Flags];
    return nodeFlags.filter(([bit]) => all & bit);
  }

  /** The node under a point of the canvas, in CSS pixels. */
  pick(x: number, y: number): Hit | null {
    const rect = this.canvas.getBoundingClientRect();
    const near = new Vector3((x / rect.width) * 2 - 1, 1 - (y / rect.height) * 2, 0.5).unproject(this.view.camera);
    const direction = near.sub(this.view.position).normalize();
    const { position, camera } = this.view;
    return this.picker.pick(position.toArray(), direction.toArray(), (row) => this.shown[row] === 1, camera.far);
  }

  /** The position in its parent that a node would have if it were this much higher. */
  inParent(row: number, higher: number): [number, number, number] {
    const [x, y, z] = this.world.subarray(row * 16 + 12, row * 16 + 15);
    return this.placeInParent(row, new Vector3(x, y + higher, z));
  }

  /** A place in the world as the parent of a node has it. */
  placeInParent(row: number, place: Vector3): [number, number, number] {
    const at = place.clone();
    const parent = this.packed.node[row * Node.Size + Node.Parent];
    if (parent >= 0) at.applyMatrix4(new Matrix4().fromArray(this.world, parent * 16).invert());
    return at.toArray().map((n) => Number(n.toFixed(3))) as [number, number, number];
  }

  /** The factors along a node's own axes, as it is shown. */
  scaleOf(row: number): [number, number, number] {
    const own = new Matrix4().fromArray(this.world, row * 16);
    const parent = this.packed.node[row * Node.Size + Node.Parent];
    if (parent >= 0) own.premultiply(new Matrix4().fromArray(this.world, parent * 16).invert());
    const m = own.elements;
    return [0, 4, 8].map((k) => Math.hypot(m[k], m[k + 1], m[k + 2])) as [number, number, number];
  }

  /** The height of what is below a point, without a node and what belongs to it; null if nothing is. */
  heightBelow(x: number, y: number, z: number, without: number): number | null {
    const visible = (row: number): boolean => this.shown[row] === 1 && !this.within(row, without);
    return this.picker.pick([x, y, z], [0, -1, 0], visible)?.point[1] ?? null;
  }

  /** The position of a node's centre on the canvas, in CSS pixels. */
  project(row: number): [number, number] | null {
    const box = this.bounds(row);
    if (!box) return null;
    const at = box.getCenter(new Vector3()).project(this.view.camera);
    const rect = this.canvas.getBoundingClientRect();
    return at.z > 1 ? null : [((at.x + 1) / 2) * rect.width, ((1 - at.y) / 2) * rect.height];
  }

  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    cancelAnimationFrame(this.frame);
    for (const timer of [this.rebuild, this.pause]) window.clearTimeout(timer);
    (this.renderer.getContext() as WebGL2RenderingContext).deleteSync(this.fence);
    this.ending.abort();
    this.resize.disconnect();
    this.textures.dispose();
    for (const batch of this.batches) batch.mesh.dispose();
    this.batches.length = 0;
    this.outline.geometry.dispose();
    (this.outline.material as LineBasicMaterial).dispose();
    this.grid?.geometry.dispose();
    (this.grid?.material as LineBasicMaterial | undefined)?.dispose();
    this.tableTexture?.dispose();
    this.renderer.renderLists.dispose();
  }
}
