// Textures of a scene by size: one array texture for each size, filled in order of use.

import {
  DataArrayTexture, LinearFilter, LinearMipmapLinearFilter, NearestFilter, NearestMipmapLinearFilter, NoColorSpace,
  RepeatWrapping, RGBAFormat, Texture, UnsignedByteType, Vector3, type WebGLRenderer,
} from "three";
import type { Source } from "../source";
import type { TextureHint } from "./packed";

/** Sizes a scene can have at once: more are scaled to one of these. Limited by the texture units of WebGL2. */
export const CLASSES = 12;
const LOADS = 6;

export interface Loaded {
  kind: "loaded";
  size: number;
  layer: number;
  width: number;
  height: number;
  transparency: "none" | "holes" | "mixed";
  additive: boolean;
}

export type TextureState = { kind: "waiting" } | { kind: "missing"; why: string } | Loaded;

interface SizeClass {
  width: number;
  height: number;
  layers: (ImageBitmap | null)[];
  capacity: number;
  texture: DataArrayTexture | null;
  dirty: number[];
}

export class TextureSet {
  readonly states = new Map<string, TextureState>();
  readonly classes: SizeClass[] = [];
  private readonly queue: string[] = [];
  private readonly abort = new AbortController();
  private running = 0;
  private smooth = true;
  private pixels = 0;

  constructor(
    private readonly source: Source,
    private readonly file: number,
    private readonly renderer: WebGLRenderer,
    private readonly changed: () => void,
  ) {}

  /** Texels of all loaded textures. */
  get texels(): number {
    return this.pixels;
  }

  get waiting(): number {
    return this.queue.length + this.running;
  }

  get missing(): string[] {
    return [...this.states].filter(([, state]) => state.kind === "missing").map(([name]) => name);
  }

  /** Starts loading, in the order given. Hints reserve room, so that nothing is copied later. */
  load(names: string[], hints: Map<string, TextureHint>): void {
    const room = new Map<string, number>();
    for (const name of names) {
      if (this.states.has(name)) continue;
      this.states.set(name, { kind: "waiting" });
      this.queue.push(name);
      const hint = hints.get(name);
      if (hint?.width && hint.height) {
        const key = `${hint.width}x${hint.height}`;
        room.set(key, (room.get(key) ?? 0) + 1);
      }
    }
    for (const [key, layers] of room) {
      const [width, height] = key.split("x").map(Number);
      const found = this.classFor(width, height);
      found.capacity = Math.max(found.capacity, layers);
    }
    while (this.running < LOADS && this.queue.length) void this.next();
  }

  private async next(): Promise<void> {
    const name = this.queue.shift();
    if (name === undefined) return;
    this.running++;
    let state: TextureState;
    try {
      const answer = await this.source.texture(name, this.file, this.abort.signal);
      if (!answer) state = { kind: "missing", why: "no package has it" };
      else {
        const bitmap = await createImageBitmap(answer.blob, { premultiplyAlpha: "none", colorSpaceConversion: "none" });
        state = await this.add(bitmap, answer.transparency, answer.additive);
      }
    } catch (error) {
      state = { kind: "missing", why: error instanceof Error ? error.message : "it cannot be read" };
    }
    this.running--;
    if (this.abort.signal.aborted) return;
    this.states.set(name, state);
    this.changed();
    if (this.queue.length) void this.next();
  }

  private classFor(width: number, height: number): SizeClass {
    let best: SizeClass | null = null;
    let distance = Infinity;
    for (const each of this.classes) {
      const d = Math.abs(Math.log2(each.width / width)) + Math.abs(Math.log2(each.height / height));
      if (d < distance) {
        distance = d;
        best = each;
      }
    }
    if (best && (distance === 0 || this.classes.length >= CLASSES)) return best;
    const made: SizeClass = { width, height, layers: [], capacity: 4, texture: null, dirty: [] };
    this.classes.push(made);
    return made;
  }

  private async add(bitmap: ImageBitmap, transparency: Loaded["transparency"], additive: boolean): Promise<Loaded> {
    const { width, height } = bitmap;
    const found = this.classFor(width, height);
    let fitted = bitmap;
    if (found.width !== width || found.height !== height) {
      fitted = await createImageBitmap(bitmap, {
        resizeWidth: found.width, resizeHeight: found.height, resizeQuality: "high", premultiplyAlpha: "none",
      });
      bitmap.close();
    }
    const layer = found.layers.push(fitted) - 1;
    found.dirty.push(layer);
    this.pixels += width * height;
    return { kind: "loaded", size: this.classes.indexOf(found), layer, width, height, transparency, additive };
  }

  /** Uploads what arrived. Returns true if array textures were replaced. */
  upload(): boolean {
    let replaced = false;
    for (const each of this.classes) {
      if (!each.dirty.length) continue;
      if (!each.texture || each.layers.length > each.capacity || each.texture.image.depth < each.layers.length) {
        each.texture?.dispose();
        while (each.capacity < each.layers.length) each.capacity *= 2;
        const texture = new DataArrayTexture(null, each.width, each.height, each.capacity);
        texture.format = RGBAFormat;
        texture.type = UnsignedByteType;
        texture.colorSpace = NoColorSpace;
        texture.wrapS = RepeatWrapping;
        texture.wrapT = RepeatWrapping;
        texture.generateMipmaps = true;
        (texture as unknown as { mipmapsAutoUpdate: boolean }).mipmapsAutoUpdate = false;
        this.filter(texture);
        // Room only: the pictures are copied into it below.
        texture.source.dataReady = false;
        texture.needsUpdate = true;
        this.renderer.initTexture(texture);
        each.texture = texture;
        each.dirty = each.layers.map((_, layer) => layer);
        replaced = true;
      }
      const source = new Texture();
      source.generateMipmaps = false;
      for (const layer of each.dirty) {
        const bitmap = each.layers[layer];
        if (!bitmap) continue;
        source.image = bitmap as unknown as HTMLImageElement;
        this.renderer.copyTextureToTexture(source, each.texture, null, new Vector3(0, 0, layer));
      }
      each.dirty = [];
      const gl = this.renderer.getContext() as WebGL2RenderingContext;
      const handle = (this.renderer.properties.get(each.texture) as { __webglTexture?: WebGLTexture }).__webglTexture;
      if (handle) {
        gl.activeTexture(gl.TEXTURE0);
        gl.bindTexture(gl.TEXTURE_2D_ARRAY, handle);
        gl.generateMipmap(gl.TEXTURE_2D_ARRAY);
        this.renderer.resetState();
      }
    }
    if (!this.waiting) this.release();
    return replaced;
  }

  /** Closes the pictures once all of them are on the graphics card. */
  private release(): void {
    for (const each of this.classes) {
      if (each.dirty.length) return;
    }
    for (const each of this.classes) {
      each.layers.forEach((bitmap, layer) => {
        bitmap?.close();
        each.layers[layer] = null;
      });
    }
  }

  private filter(texture: DataArrayTexture): void {
    texture.magFilter = this.smooth ? LinearFilter : NearestFilter;
    texture.minFilter = this.smooth ? LinearMipmapLinearFilter : NearestMipmapLinearFilter;
  }

  setSmooth(smooth: boolean): void {
    this.smooth = smooth;
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    for (const each of this.classes) {
      if (!each.texture) continue;
      this.filter(each.texture);
      const handle = (this.renderer.properties.get(each.texture) as { __webglTexture?: WebGLTexture }).__webglTexture;
      if (!handle) continue;
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D_ARRAY, handle);
      gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MAG_FILTER, smooth ? gl.LINEAR : gl.NEAREST);
      gl.texParameteri(
        gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MIN_FILTER, smooth ? gl.LINEAR_MIPMAP_LINEAR : gl.NEAREST_MIPMAP_LINEAR,
      );
    }
    this.renderer.resetState();
  }

  dispose(): void {
    this.abort.abort();
    this.queue.length = 0;
    for (const each of this.classes) {
      each.texture?.dispose();
      for (const bitmap of each.layers) bitmap?.close();
    }
    this.classes.length = 0;
  }
}
