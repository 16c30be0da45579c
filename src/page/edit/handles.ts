// Handles of the selected nodes: arrows that move them, a ring that turns them about the vertical axis, and boxes that
// scale them along their own axes. What is dragged is shown at once; letting go makes one edit.

import { Matrix4, Object3D, Quaternion, Vector3 } from "three";
import { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import type { SceneRenderer } from "../scene/renderer";
import type { Motion } from "../source";
import { Preview } from "./preview";

export type Handle = "move" | "turn" | "scale" | "off";

const MODES = { move: "translate", turn: "rotate", scale: "scale" } as const;

/** With Shift, objects are moved by whole units, turned by this angle, and scaled by this step. */
const STEP = 1;
const ANGLE = Math.PI / 12;
const FACTOR = 0.25;

const UP = new Vector3(0, 1, 0);

export class Handles {
  private readonly controls: TransformControls;
  /** Stands where the last node is. */
  private readonly proxy = new Object3D();
  /** The nodes, none of which is below another one; the handles are at the last one. */
  private rows: number[] = [];
  private handle: Handle = "move";
  /** The nodes as they are dragged, and their factors before. */
  private shown: Preview | null = null;
  private scales: [number, number, number][] = [];

  /** `ondrop` makes the edit, and says whether it was made. */
  constructor(
    private readonly three: SceneRenderer,
    private readonly ondrop: (moved: [row: number, motion: Motion][]) => Promise<boolean>,
    signal: AbortSignal,
  ) {
    const { canvas, view } = three;
    this.controls = new TransformControls(view.camera, canvas);
    this.controls.setSize(0.8);
    three.overlay(this.proxy);
    three.overlay(this.controls.getHelper());
    view.isHeld = () => this.isHeld;
    this.controls.addEventListener("change", () => three.invalidate());
    this.controls.addEventListener("mouseDown", () => this.begin());
    this.controls.addEventListener("objectChange", () => this.preview());
    this.controls.addEventListener("mouseUp", () => void this.drop());
    canvas.addEventListener(
      "pointermove",
      (event) => {
        this.controls.setTranslationSnap(event.shiftKey ? STEP : null);
        this.controls.setRotationSnap(event.shiftKey ? ANGLE : null);
        this.controls.setScaleSnap(event.shiftKey ? FACTOR : null);
      },
      { signal },
    );
    signal.addEventListener("abort", () => {
      this.controls.detach();
      this.controls.dispose();
    });
  }

  private get last(): number {
    return this.rows.at(-1) ?? -1;
  }

  /** True while the pointer is on a handle, or drags one: then the camera stays. */
  get isHeld(): boolean {
    return this.rows.length > 0 && this.controls.axis !== null;
  }

  /** True from the press on a handle until it is let go. */
  get isDragging(): boolean {
    return this.controls.dragging;
  }

  /** Puts the handles at the last of some nodes; without nodes they are hidden. */
  attach(rows: number[]): void {
    const { controls, handle, proxy, three } = this;
    this.rows = handle === "off" ? [] : rows;
    if (handle === "off" || !rows.length) {
      if (!controls.object) return;
      controls.detach();
      three.invalidate();
      return;
    }
    const before = proxy.matrixWorld.clone();
    const turned = new Quaternion();
    new Matrix4().fromArray(three.world, this.last * 16).decompose(proxy.position, turned, new Vector3());
    const scales = handle === "scale";
    if (scales) proxy.quaternion.copy(turned);
    else proxy.quaternion.identity();
    proxy.scale.set(1, 1, 1);
    proxy.updateMatrixWorld(true);
    // Handles that are there already need no new picture.
    const isThere = before.elements.every((n, at) => Math.abs(n - proxy.matrixWorld.elements[at]) < 1e-4);
    if (isThere && controls.object && controls.mode === MODES[handle]) return;
    controls.setMode(MODES[handle]);
    controls.setSpace(scales ? "local" : "world");
    controls.showX = controls.showZ = handle !== "turn";
    controls.attach(proxy);
    three.invalidate();
  }

  use(handle: Handle, rows: number[]): void {
    this.handle = handle;
    this.attach(rows);
  }

  private begin(): void {
    this.shown = new Preview(this.three, this.rows);
    this.scales = this.rows.map((row) => this.three.scaleOf(row));
  }

  /** The movement of a node since the drag began, in the world. */
  private motion(top: number): Matrix4 | null {
    const was = this.shown?.was(top);
    const pivot = this.shown?.was(this.last);
    if (!was || !pivot) return null;
    const { position, quaternion, scale } = this.proxy;
    // Each node is scaled along its own axes, about its own place.
    if (this.handle === "scale")
      return was
        .clone()
        .multiply(new Matrix4().makeScale(scale.x, scale.y, scale.z))
        .multiply(was.clone().invert());
    const from = new Vector3().setFromMatrixPosition(pivot);
    return new Matrix4()
      .makeTranslation(position)
      .multiply(new Matrix4().makeRotationFromQuaternion(quaternion))
      .multiply(new Matrix4().makeTranslation(from.negate()));
  }

  private preview(): void {
    this.shown?.show((row) => this.motion(row));
    this.three.outlineSelected();
  }

  private back(): void {
    this.shown?.back();
    this.three.outlineSelected();
    this.attach(this.rows);
  }

  /** What the drag did to the nodes; null if it did nothing. */
  private dragged(): [number, Motion][] | null {
    const { three, proxy, handle } = this;
    const pivot = this.shown?.was(this.last);
    if (!pivot) return null;
    const placed = (row: number): [number, number, number] | undefined => {
      const was = this.shown?.was(row);
      const motion = this.motion(row);
      return was && motion
        ? three.placeInParent(row, new Vector3().setFromMatrixPosition(was).applyMatrix4(motion))
        : undefined;
    };
    if (handle === "scale") {
      const factors = proxy.scale.toArray();
      if (factors.every((n) => Math.abs(n - 1) < 1e-3) || factors.some((n) => !(n > 0))) return null;
      return this.rows.map((row, at) => {
        const scale = this.scales[at].map((n, k) => Number((n * factors[k]).toFixed(4)));
        return [row, { scale: scale as [number, number, number] }];
      });
    }
    if (handle === "move") {
      if (proxy.position.distanceTo(new Vector3().setFromMatrixPosition(pivot)) < 1e-4) return null;
      return this.rows.map((row) => [row, { at: placed(row) }]);
    }
    const { quaternion } = proxy;
    const angle = 2 * Math.atan2(new Vector3(quaternion.x, quaternion.y, quaternion.z).dot(UP), quaternion.w);
    const turn = Number(((Math.atan2(Math.sin(angle), Math.cos(angle)) * 180) / Math.PI).toFixed(2));
    if (!turn) return null;
    return this.rows.map((row) => [row, row === this.last ? { turn } : { turn, at: placed(row) }]);
  }

  private async drop(): Promise<void> {
    const dragged = this.dragged();
    if (!dragged) return this.back();
    const rows = this.rows;
    if (!(await this.ondrop(dragged)) && this.rows === rows) this.back();
  }
}
