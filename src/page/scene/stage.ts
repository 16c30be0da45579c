// The page's only canvas and WebGL context, shared by all scenes: with one context for each, some would be lost,
// because browsers keep only a few.

import {
  BatchedMesh,
  BufferAttribute,
  BufferGeometry,
  Camera,
  DataArrayTexture,
  Scene,
  Vector2,
  Vector3,
  Vector4,
  WebGLRenderer,
  type IUniform,
  type ShaderMaterial,
} from "three";
import { surface, type SurfaceKind } from "./shader";
import { CLASSES } from "./textures";

/** True without a graphics card. */
function drawsInSoftware(): boolean {
  const probe = document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!probe) return true;
  // Chromium does not always report its software renderer as slow, and hides the name behind an extension.
  const hidden = probe.getExtension("WEBGL_debug_renderer_info");
  const name = String(probe.getParameter(hidden?.UNMASKED_RENDERER_WEBGL ?? probe.RENDERER));
  probe.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|basic render/i.test(name);
}

export class Stage {
  readonly canvas = document.createElement("canvas");
  /** A frame then takes a second, or three with antialiasing. */
  readonly isSlow = drawsInSoftware();
  readonly renderer: WebGLRenderer;
  /** Uniforms of all surfaces; a scene sets them before it draws. */
  readonly shared: Record<string, IUniform>;
  readonly empty: DataArrayTexture;
  /** Called when the context is lost. */
  onlost: (() => void) | null = null;
  lost = false;
  private readonly surfaces = new Map<string, ShaderMaterial>();

  constructor() {
    this.renderer = new WebGLRenderer({
      canvas: this.canvas,
      antialias: !this.isSlow,
      powerPreference: "high-performance",
    });
    this.renderer.outputColorSpace = "srgb-linear" as never;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.info.autoReset = false;
    this.canvas.className = "scene";
    this.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.lost = true;
      this.onlost?.();
    });
    this.empty = new DataArrayTexture(new Uint8Array([255, 255, 255, 255]), 1, 1, 1);
    this.empty.needsUpdate = true;
    this.shared = {
      materials: { value: null },
      mode: { value: 0 },
      shaded: { value: false },
      sun: { value: new Vector3(0.4, 0.8, 0.45).normalize() },
      sunColour: { value: new Vector3(0.75, 0.75, 0.75) },
      ambient: { value: 0.45 },
      fogColour: { value: new Vector3() },
      fogRange: { value: new Vector2(0, 0) },
      lampPlace: { value: Array.from({ length: 4 }, () => new Vector4()) },
      lampColour: { value: Array.from({ length: 4 }, () => new Vector4()) },
    };
    for (let n = 0; n < CLASSES; n++) this.shared[`pictures${n}`] = { value: this.empty };
  }

  readonly surface = (kind: SurfaceKind, twoSided: boolean): ShaderMaterial => {
    const key = `${kind}${twoSided ? 2 : 1}`;
    let material = this.surfaces.get(key);
    if (!material) {
      material = surface(kind, twoSided, this.shared);
      this.surfaces.set(key, material);
    }
    return material;
  };

  setWireframe(on: boolean): void {
    for (const material of this.surfaces.values()) material.wireframe = on;
  }
}

let stage: Stage | null = null;

/** Prepares the graphics card before the first scene is requested. Without one, the scene says so. */
export function warmUp(): void {
  try {
    const { renderer, surface } = theStage();
    const triangle = new BufferGeometry();
    const zeros = (perItem: number): BufferAttribute => new BufferAttribute(new Float32Array(3 * perItem), perItem);
    for (const [name, perItem] of [
      ["position", 3],
      ["normal", 3],
      ["uv", 2],
      ["tint", 4],
      ["material", 1],
    ] as const)
      triangle.setAttribute(name, zeros(perItem));
    const mesh = new BatchedMesh(1, 3, 0, surface("solid", false));
    mesh.addInstance(mesh.addGeometry(triangle));
    mesh.setColorAt(0, new Vector4());
    const scene = new Scene();
    scene.add(mesh);
    renderer.render(scene, new Camera());
    mesh.dispose();
    triangle.dispose();
  } catch {}
}

/** The stage, or a new one if the browser dropped the last context. */
export function theStage(): Stage {
  if (!stage || stage.lost) stage = new Stage();
  return stage;
}
