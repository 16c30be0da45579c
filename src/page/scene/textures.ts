// Textures of a scene by size: one array texture for each size, filled in order of use.

import {
  DataArrayTexture,
  LinearFilter,
  LinearMipmapLinearFilter,
  NearestFilter,
  NearestMipmapLinearFilter,
  NoColorSpace,
  RepeatWrapping,
  RGBAFormat,
  RGBFormat,
  UnsignedByteType,
  type WebGLRenderer,
} from "three";
import type { Source, TexturePixels } from "../source";

/** Maximum number of sizes in a scene: more are scaled to one of these. Limited by the texture units of WebGL2. */
export const CLASSES = 12;
/** Maximum number of concurrent requests, for single pictures or for many textures as pixels. */
const LOADS = 6;
const BATCHES = 3;
/** Names in one request: URLs are limited, and the server keeps an answer in memory until it is sent. */
const LENGTH = 4000;
const NAMES = 16;

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

/** Pixels as they arrive: pictures, red, green, blue and alpha, or words of RGB565. */
type Pixels = ImageBitmap | Uint8Array | Uint16Array;

interface SizeClass {
  width: number;
  height: number;
  /** RGB565, for opaque images: half the memory. */
  words: boolean;
  /** How many textures have this size, as far as is known. */
  layers: number;
  capacity: number;
  texture: DataArrayTexture | null;
  /** Images that are not on the graphics card yet. */
  arrived: { layer: number; pixels: Pixels }[];
}

/** Words of RGB565 as red, green, blue and alpha. */
function fourBytes(words: Uint16Array): Uint8ClampedArray<ArrayBuffer> {
  const out = new Uint8ClampedArray(words.length * 4);
  words.forEach((word, n) =>
    out.set([((word >> 11) * 255) / 31, (((word >> 5) & 63) * 255) / 63, ((word & 31) * 255) / 31, 255], n * 4),
  );
  return out;
}

export class TextureSet {
  readonly states = new Map<string, TextureState>();
  readonly classes: SizeClass[] = [];
  private readonly queue: string[] = [];
  private readonly abort = new AbortController();
  private running = 0;
  private smooth = true;
  private held = 0;
  private mipmapped = false;

  constructor(
    private readonly source: Source,
    private readonly file: number,
    private readonly renderer: WebGLRenderer,
    private readonly changed: () => void,
  ) {}

  /** Bytes of all loaded textures on the graphics card, without mipmaps. */
  get bytes(): number {
    return this.held;
  }

  get waiting(): number {
    return this.queue.length + this.running;
  }

  get missing(): string[] {
    return [...this.states].filter(([, state]) => state.kind === "missing").map(([name]) => name);
  }

  /** Starts loading, in the order given. */
  load(names: string[]): void {
    const fresh = names.filter((name) => !this.states.has(name));
    for (const name of fresh) this.states.set(name, { kind: "waiting" });
    this.queue.push(...fresh);
    if (!fresh.length) return;
    if (this.source.textures) this.many();
    else while (this.running < LOADS && this.queue.length) void this.next();
  }

  /** Some names from the queue that fit into one question. */
  private some(most = Infinity): string[] {
    let length = 0;
    const fits = this.queue.findIndex(
      (name, n) => n >= most || (length += encodeURIComponent(name).length + 3) > LENGTH,
    );
    return this.queue.splice(0, fits < 0 ? this.queue.length : Math.max(1, fits));
  }

  /**
   * Loads many textures per request. Their sizes are requested along with the first pixels, so that memory is allocated
   * once for all of them.
   */
  private many(): void {
    const names = [...this.queue];
    const sizes: Promise<TexturePixels[]>[] = [];
    // Without sizes, the arrays grow.
    while (this.queue.length)
      sizes.push(this.source.textures!(this.some(), this.file, true, this.abort.signal).catch(() => []));
    this.queue.push(...names);
    const room = Promise.all(sizes).then((all) => {
      // Some may be loaded already, if a scene is shown again after an edit.
      const loaded = new Map(this.classes.map((each) => [each, each.layers]));
      for (const each of all.flat()) if (each.size) this.classFor(...each.size, each.words ?? false).layers++;
      for (const each of this.classes) {
        if (!each.texture) each.capacity = Math.max(1, each.layers);
        each.layers = loaded.get(each) ?? 0;
      }
    });
    for (let n = 0; n < BATCHES; n++) void this.batch(room);
  }

  private async batch(room: Promise<void>): Promise<void> {
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
      await room;
      if (this.abort.signal.aborted) return;
      for (const [n, name] of names.entries()) {
        const found = answer[n];
        // Textures that did not fit into the answer are requested again.
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

  /** The array for a size: the nearest one, if there are too many. Images with transparency need four bytes. */
  private classFor(width: number, height: number, words: boolean): SizeClass {
    let best: SizeClass | null = null;
    let distance = Infinity;
    for (const each of this.classes) {
      if (each.words && !words) continue;
      const d =
        Math.abs(Math.log2(each.width / width)) +
        Math.abs(Math.log2(each.height / height)) +
        Number(each.words !== words) / 16;
      if (d < distance) {
        distance = d;
        best = each;
      }
    }
    // One slot is reserved for transparency.
    const full = this.classes.length >= (words && this.classes.every((each) => each.words) ? CLASSES - 1 : CLASSES);
    if (best && (distance === 0 || full)) return best;
    const made: SizeClass = { width, height, words, layers: 0, capacity: 4, texture: null, arrived: [] };
    this.classes.push(made);
    return made;
  }

  private async add(
    size: [number, number],
    pixels: Pixels,
    about: { transparency: Loaded["transparency"]; additive: boolean; clamps?: [boolean, boolean] },
  ): Promise<Loaded> {
    const [width, height] = size;
    const words = pixels instanceof Uint16Array;
    const found = this.classFor(width, height, words);
    const layer = found.layers++;
    let fitted = pixels;
    if (found.width !== width || found.height !== height || found.words !== words) {
      const whole =
        pixels instanceof ImageBitmap
          ? pixels
          : new ImageData(words ? fourBytes(pixels) : new Uint8ClampedArray(pixels), width, height);
      fitted = await createImageBitmap(whole, {
        resizeWidth: found.width,
        resizeHeight: found.height,
        resizeQuality: "high",
        premultiplyAlpha: "none",
      });
      if (pixels instanceof ImageBitmap) pixels.close();
    }
    found.arrived.push({ layer, pixels: fitted });
    this.held += found.width * found.height * (found.words ? 2 : 4);
    const { transparency, additive } = about;
    return {
      kind: "loaded",
      size: this.classes.indexOf(found),
      layer,
      width,
      height,
      transparency,
      additive,
      clamps: about.clamps ?? [false, false],
    };
  }

  private get gl(): WebGL2RenderingContext {
    return this.renderer.getContext() as WebGL2RenderingContext;
  }

  private handle(texture: DataArrayTexture): WebGLTexture | null {
    return (this.renderer.properties.get(texture) as { __webglTexture?: WebGLTexture }).__webglTexture ?? null;
  }

  private make(each: SizeClass): DataArrayTexture {
    const texture = new DataArrayTexture(null, each.width, each.height, each.capacity);
    texture.format = each.words ? RGBFormat : RGBAFormat;
    texture.internalFormat = each.words ? "RGB565" : "RGBA8";
    texture.type = UnsignedByteType;
    texture.colorSpace = NoColorSpace;
    texture.wrapS = RepeatWrapping;
    texture.wrapT = RepeatWrapping;
    texture.generateMipmaps = true;
    (texture as unknown as { mipmapsAutoUpdate: boolean }).mipmapsAutoUpdate = false;
    texture.magFilter = this.smooth ? LinearFilter : NearestFilter;
    texture.minFilter = this.smooth ? LinearMipmapLinearFilter : NearestMipmapLinearFilter;
    // Allocates only: the images are copied below.
    texture.source.dataReady = false;
    texture.needsUpdate = true;
    this.renderer.initTexture(texture);
    return texture;
  }

  /** Copies the layers of an array texture that became too small. */
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

  /** True once only the mipmaps are missing. */
  get lacksSmaller(): boolean {
    return !this.waiting && !this.mipmapped && this.classes.length > 0;
  }

  /** Uploads what arrived, and makes the mipmaps once nothing more is expected. */
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
      gl.pixelStorei(gl.UNPACK_ALIGNMENT, each.words ? 2 : 4);
      gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
      const [format, type] = each.words ? [gl.RGB, gl.UNSIGNED_SHORT_5_6_5] : [gl.RGBA, gl.UNSIGNED_BYTE];
      for (const { layer, pixels } of each.arrived) {
        const place = [gl.TEXTURE_2D_ARRAY, 0, 0, 0, layer, each.width, each.height, 1, format, type] as const;
        if (pixels instanceof ImageBitmap) {
          gl.texSubImage3D(...place, pixels);
          pixels.close();
        } else gl.texSubImage3D(...place, pixels);
      }
      each.arrived = [];
    }
    const smaller = this.lacksSmaller;
    if (some || smaller) {
      for (const each of this.classes) this.filter(each, smaller);
      this.mipmapped = smaller;
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
