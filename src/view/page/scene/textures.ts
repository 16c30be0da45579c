// Textures of a scene by size: one array texture for each size, filled in order of use.

import {
  DataArrayTexture, LinearFilter, LinearMipmapLinearFilter, NearestFilter, NearestMipmapLinearFilter, NoColorSpace,
  RepeatWrapping, RGBAFormat, UnsignedByteType, type WebGLRenderer,
} from "three";
import type { Source, TexturePixels } from "../source";

/** Sizes a scene can have at once: more are scaled to one of these. Limited by the texture units of WebGL2. */
export const CLASSES = 12;
/** Questions at a time: single pictures, or many textures as pixels. */
const LOADS = 6;
const BATCHES = 2;
/** Names in one question: a URL has an end, and so has an answer with pixels. */
const LENGTH = 4000;
const NAMES = 48;

export interface Loaded {
  kind: "loaded";
  size: number;
  layer: number;
  width: number;
  height: number;
  transparency: "none" | "holes" | "mixed";
  additive: boolean;
  clamps: [boolean, boolean];
}

export type TextureState = { kind: "waiting" } | { kind: "missing"; why: string } | Loaded;

interface SizeClass {
  width: number;
  height: number;
  /** How many textures have this size, as far as is known. */
  layers: number;
  capacity: number;
  texture: DataArrayTexture | null;
  /** What is not on the graphics card yet. */
  arrived: { layer: number; pixels: ImageBitmap | Uint8Array }[];
}

export class TextureSet {
  readonly states = new Map<string, TextureState>();
  readonly classes: SizeClass[] = [];
  private readonly queue: string[] = [];
  private readonly abort = new AbortController();
  private running = 0;
  private smooth = true;
  private pixels = 0;
  private mipmapped = false;

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

  /** Starts loading, in the order given. */
  load(names: string[]): void {
    for (const name of names) {
      if (this.states.has(name)) continue;
      this.states.set(name, { kind: "waiting" });
      this.queue.push(name);
    }
    if (this.source.textures) void this.many();
    else while (this.running < LOADS && this.queue.length) void this.next();
  }

  /** Some names from the queue that fit into one question. */
  private some(most = Infinity): string[] {
    let length = 0;
    const fits = this.queue.findIndex((name, n) => n >= most || (length += encodeURIComponent(name).length + 3) > LENGTH);
    return this.queue.splice(0, fits < 0 ? this.queue.length : Math.max(1, fits));
  }

  /** Loads many textures with each question: first their sizes, so that room is made once, then their pixels. */
  private async many(): Promise<void> {
    const ask = this.source.textures!.bind(this.source);
    this.running++;
    const all = [...this.queue];
    while (this.queue.length) {
      const names = this.some();
      try {
        for (const each of await ask(names, this.file, true, this.abort.signal)) if (each.size) this.classFor(...each.size).layers++;
      } catch {
        // Without sizes the arrays grow.
      }
      if (this.abort.signal.aborted) return;
    }
    for (const each of this.classes) {
      each.capacity = Math.max(1, each.layers);
      each.layers = 0;
    }
    this.queue.push(...all);
    this.running--;
    for (let n = 0; n < BATCHES; n++) void this.batch();
  }

  private async batch(): Promise<void> {
    while (this.queue.length && !this.abort.signal.aborted) {
      const names = this.some(NAMES);
      this.running++;
      let answer: TexturePixels[] = [];
      let why = "";
      try {
        answer = await this.source.textures!(names, this.file, false, this.abort.signal);
      } catch (error) {
        why = error instanceof Error ? error.message : "it cannot be read";
      }
      if (this.abort.signal.aborted) return;
      for (const [n, name] of names.entries()) {
        const found = answer[n];
        // What did not fit into the answer is asked for again.
        if (!found && !why && n > 0) {
          this.queue.unshift(...names.slice(n));
          break;
        }
        if (!found?.size || !found.pixels) this.states.set(name, { kind: "missing", why: why || "no package has it" });
        else this.states.set(name, await this.add(found.size, found.pixels, found));
      }
      this.running--;
      this.changed();
    }
    this.changed();
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
        state = await this.add([bitmap.width, bitmap.height], bitmap, answer);
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
    const made: SizeClass = { width, height, layers: 0, capacity: 4, texture: null, arrived: [] };
    this.classes.push(made);
    return made;
  }

  private async add(
    size: [number, number],
    pixels: ImageBitmap | Uint8Array,
    about: { transparency: Loaded["transparency"]; additive: boolean; clamps?: [boolean, boolean] },
  ): Promise<Loaded> {
    const [width, height] = size;
    const found = this.classFor(width, height);
    const layer = found.layers++;
    let fitted = pixels;
    if (found.width !== width || found.height !== height) {
      const whole = pixels instanceof Uint8Array ? new ImageData(new Uint8ClampedArray(pixels), width, height) : pixels;
      fitted = await createImageBitmap(whole, {
        resizeWidth: found.width, resizeHeight: found.height, resizeQuality: "high", premultiplyAlpha: "none",
      });
      if (pixels instanceof ImageBitmap) pixels.close();
    }
    found.arrived.push({ layer, pixels: fitted });
    this.pixels += width * height;
    const { transparency, additive } = about;
    return { kind: "loaded", size: this.classes.indexOf(found), layer, width, height, transparency, additive, clamps: about.clamps ?? [false, false] };
  }

  private get gl(): WebGL2RenderingContext {
    return this.renderer.getContext() as WebGL2RenderingContext;
  }

  private handle(texture: DataArrayTexture): WebGLTexture | null {
    return (this.renderer.properties.get(texture) as { __webglTexture?: WebGLTexture }).__webglTexture ?? null;
  }

  private make(each: SizeClass): DataArrayTexture {
    const texture = new DataArrayTexture(null, each.width, each.height, each.capacity);
    texture.format = RGBAFormat;
    texture.type = UnsignedByteType;
    texture.colorSpace = NoColorSpace;
    texture.wrapS = RepeatWrapping;
    texture.wrapT = RepeatWrapping;
    texture.generateMipmaps = true;
    (texture as unknown as { mipmapsAutoUpdate: boolean }).mipmapsAutoUpdate = false;
    texture.magFilter = this.smooth ? LinearFilter : NearestFilter;
    texture.minFilter = this.smooth ? LinearMipmapLinearFilter : NearestMipmapLinearFilter;
    // Room only: the pictures are copied into it below.
    texture.source.dataReady = false;
    texture.needsUpdate = true;
    this.renderer.initTexture(texture);
    return texture;
  }

  /** Copies the layers of a texture that became too small. */
  private copy(from: DataArrayTexture, to: DataArrayTexture, each: SizeClass, layers: number): void {
    const { gl } = this;
    const [source, target] = [this.handle(from), this.handle(to)];
    if (!source || !target) return;
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, frame);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, target);
    for (let layer = 0; layer < layers; layer++) {
      gl.framebufferTextureLayer(gl.READ_FRAMEBUFFER, gl.COLOR_ATTACHMENT0, source, 0, layer);
      gl.copyTexSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, layer, 0, 0, each.width, each.height);
    }
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, null);
    gl.deleteFramebuffer(frame);
  }

  /** Puts what arrived onto the graphics card. */
  upload(): void {
    const { gl } = this;
    let some = false;
    for (const each of this.classes) {
      if (!each.arrived.length) continue;
      some = true;
      this.mipmapped = false;
      if (!each.texture || each.layers > each.capacity) {
        const before = each.texture;
        const held = each.capacity;
        while (each.capacity < each.layers) each.capacity *= 2;
        each.texture = this.make(each);
        if (before) {
          this.copy(before, each.texture, each, held);
          before.dispose();
        }
      }
      const handle = this.handle(each.texture);
      if (!handle) continue;
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D_ARRAY, handle);
      for (const flag of [gl.UNPACK_FLIP_Y_WEBGL, gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL]) gl.pixelStorei(flag, false);
      gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
      gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
      for (const { layer, pixels } of each.arrived) {
        const place = [gl.TEXTURE_2D_ARRAY, 0, 0, 0, layer, each.width, each.height, 1, gl.RGBA, gl.UNSIGNED_BYTE] as const;
        if (pixels instanceof Uint8Array) gl.texSubImage3D(...place, pixels);
        else {
          gl.texSubImage3D(...place, pixels);
          pixels.close();
        }
      }
      each.arrived = [];
    }
    // Smaller versions are made once: that takes as long as the upload.
    const finish = !this.waiting && !this.mipmapped;
    if (some || finish) {
      for (const each of this.classes) this.filter(each, finish);
      this.mipmapped = finish;
      this.renderer.resetState();
    }
  }

  private filter(each: SizeClass, mipmaps: boolean): void {
    const handle = each.texture && this.handle(each.texture);
    if (!handle) return;
    const { gl, smooth } = this;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, handle);
    if (mipmaps && !this.mipmapped) gl.generateMipmap(gl.TEXTURE_2D_ARRAY);
    const plain = smooth ? gl.LINEAR : gl.NEAREST;
    const small = smooth ? gl.LINEAR_MIPMAP_LINEAR : gl.NEAREST_MIPMAP_LINEAR;
    gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MAG_FILTER, plain);
    gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MIN_FILTER, mipmaps ? small : plain);
  }

  setSmooth(smooth: boolean): void {
    this.smooth = smooth;
    for (const each of this.classes) this.filter(each, this.mipmapped);
    this.renderer.resetState();
  }

  dispose(): void {
    this.abort.abort();
    this.queue.length = 0;
    for (const each of this.classes) {
      each.texture?.dispose();
      for (const { pixels } of each.arrived) if (pixels instanceof ImageBitmap) pixels.close();
    }
    this.classes.length = 0;
  }
}
