// One camera that orbits a pivot or flies. Its state is a short text, for the address.

import { PerspectiveCamera, Vector3 } from "three";

export type CameraMode = "orbit" | "fly";

export class ViewCamera {
  readonly camera = new PerspectiveCamera(60, 1, 0.5, 20000);
  mode: CameraMode = "orbit";
  readonly position = new Vector3(0, 10, 30);
  yaw = 0;
  pitch = -0.3;
  /** How far the pivot is in front of the camera. */
  distance = 30;
  /** Metres per second of flying. */
  speed = 40;
  /** Seconds for which movement keys have been held. */
  private since = 0;
  private readonly held = new Set<string>();
  /** True while the pointer is on something else that can be dragged. */
  isHeld = (): boolean => false;
  private fast = false;

  constructor(
    private readonly element: HTMLElement,
    private readonly changed: () => void,
    signal: AbortSignal,
  ) {
    element.addEventListener("pointerdown", (event) => this.down(event), { signal });
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false, signal });
    element.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });
    element.addEventListener("keydown", (event) => this.key(event, true), { signal });
    element.addEventListener("keyup", (event) => this.key(event, false), { signal });
    element.addEventListener("blur", () => this.held.clear(), { signal });
  }

  get forward(): Vector3 {
    const c = Math.cos(this.pitch);
    return new Vector3(-Math.sin(this.yaw) * c, Math.sin(this.pitch), -Math.cos(this.yaw) * c);
  }

  get pivot(): Vector3 {
    return this.position.clone().addScaledVector(this.forward, this.distance);
  }

  private right(): Vector3 {
    return new Vector3(Math.cos(this.yaw), 0, -Math.sin(this.yaw));
  }

  private down(event: PointerEvent): void {
    const button = event.button;
    if (button === 0 && this.isHeld()) return;
    let x = event.clientX;
    let y = event.clientY;
    const move = (next: PointerEvent): void => {
      const dx = next.clientX - x;
      const dy = next.clientY - y;
      x = next.clientX;
      y = next.clientY;
      if (!dx && !dy) return;
      if (button === 1 || button === 2 || next.shiftKey) this.pan(dx, dy);
      else this.turn(-dx * 0.006, -dy * 0.006);
    };
    const up = (): void => {
      this.element.removeEventListener("pointermove", move);
      this.element.removeEventListener("pointerup", up);
      this.element.removeEventListener("pointercancel", up);
    };
    this.element.setPointerCapture(event.pointerId);
    this.element.addEventListener("pointermove", move);
    this.element.addEventListener("pointerup", up);
    this.element.addEventListener("pointercancel", up);
  }

  turn(yaw: number, pitch: number): void {
    const pivot = this.pivot;
    this.yaw = (this.yaw + yaw) % (Math.PI * 2);
    this.pitch = Math.max(-1.565, Math.min(1.565, this.pitch + pitch));
    if (this.mode === "orbit") this.position.copy(pivot).addScaledVector(this.forward, -this.distance);
    this.apply();
  }

  pan(dx: number, dy: number): void {
    const scale =
      (2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(1, this.element.clientHeight);
    const forward = this.forward;
    const right = this.right();
    const up = new Vector3().crossVectors(right, forward);
    this.position.addScaledVector(right, -dx * scale).addScaledVector(up, dy * scale);
    this.apply();
  }

  dolly(factor: number): void {
    if (this.mode === "fly") {
      this.position.addScaledVector(this.forward, (1 - factor) * this.speed);
    } else {
      const pivot = this.pivot;
      this.distance = Math.max(0.05, Math.min(1e6, this.distance * factor));
      this.position.copy(pivot).addScaledVector(this.forward, -this.distance);
    }
    this.apply();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    this.dolly(Math.exp(Math.max(-300, Math.min(300, lines)) * 0.0012));
  }

  private key(event: KeyboardEvent, down: boolean): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    this.fast = event.shiftKey;
    const key = event.key.toLowerCase();
    if (["w", "a", "s", "d", "q", "e"].includes(key)) {
      if (!this.held.size) this.since = 0;
      if (down) this.held.add(key);
      else this.held.delete(key);
      this.changed();
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (!down) return;
    const turns: Record<string, [number, number]> = {
      ArrowLeft: [0.06, 0],
      ArrowRight: [-0.06, 0],
      ArrowUp: [0, -0.05],
      ArrowDown: [0, 0.05],
    };
    const turn = turns[event.key];
    if (turn) this.turn(...turn);
    else if (event.key === "+" || event.key === "=") this.dolly(0.85);
    else if (event.key === "-") this.dolly(1.18);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** True while a movement key is held. */
  get moving(): boolean {
    return this.held.size > 0;
  }

  step(seconds: number): void {
    if (!this.held.size) return;
    this.since += seconds;
    // Orbiting speed depends on the distance to the pivot; flying accelerates while a key is held.
    const speed = this.mode === "orbit" ? this.distance * 0.6 : this.speed * Math.min(8, 1 + this.since ** 2 / 4);
    const along = speed * seconds * (this.fast ? 4 : 1);
    const forward = this.forward;
    const right = this.right();
    const has = (key: string): number => (this.held.has(key) ? 1 : 0);
    this.position
      .addScaledVector(forward, along * (has("w") - has("s")))
      .addScaledVector(right, along * (has("d") - has("a")));
    this.position.y += along * (has("e") - has("q"));
    this.apply();
  }

  /** Looks at a sphere so that it fills most of the view. */
  frame(center: Vector3, radius: number): void {
    this.distance = Math.max(
      0.2,
      (radius * 1.25) / Math.sin((this.camera.fov * Math.PI) / 360) / Math.min(1, this.camera.aspect || 1),
    );
    this.position.copy(center).addScaledVector(this.forward, -this.distance);
    this.speed = Math.max(4, radius);
    this.apply();
  }

  setDrawDistance(far: number): void {
    this.camera.far = far;
    this.camera.near = Math.max(0.02, Math.min(1, far / 20000));
    this.apply();
  }

  apply(): void {
    this.camera.position.copy(this.position);
    this.camera.rotation.set(this.pitch, this.yaw, 0, "YXZ");
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    this.changed();
  }

  toString(): string {
    const n = (value: number, digits: number): string => String(Number(value.toFixed(digits)));
    return [
      n(this.position.x, 2),
      n(this.position.y, 2),
      n(this.position.z, 2),
      n(this.yaw, 4),
      n(this.pitch, 4),
      n(this.distance, 2),
      this.mode === "fly" ? "f" : "o",
    ].join(",");
  }

  restore(text: string): boolean {
    const parts = text.split(",");
    const values = parts.slice(0, 6).map(Number);
    if (values.length < 6 || values.some((value) => !Number.isFinite(value))) return false;
    this.position.set(values[0], values[1], values[2]);
    this.yaw = values[3];
    this.pitch = Math.max(-1.565, Math.min(1.565, values[4]));
    this.distance = Math.max(0.05, values[5]);
    this.mode = parts[6] === "f" ? "fly" : "orbit";
    this.apply();
    return true;
  }
}
