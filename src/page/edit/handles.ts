// Handles of the selected node: arrows that move it, and a ring that turns it about the vertical axis. What is dragged
// is shown at once; letting go makes one edit.

import { Matrix4, Object3D, Quaternion, Vector3 } from "three";
import { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import { Node } from "../scene/packed";
import type { SceneRenderer } from "../scene/renderer";

export type Handle = "move" | "turn" | "off";

/** A new position in the parent, a turn in degrees, or both. */
export interface Dragged {
  at?: [number, number, number];
  turn?: number;
}

/** With Shift, objects are moved by whole units, and turned by this angle. */
const STEP = 1;
const ANGLE = Math.PI / 12;

const UP = new Vector3(0, 1, 0);

export class Handles {
  private readonly controls: TransformControls;
  /** Stands where the node is. */
  private readonly proxy = new Object3D();
  private row = -1;
  private handle: Handle = "move";
  /** The transforms of the node and what is below it, when the drag began. */
  private readonly before = new Map<number, Matrix4>();

  /** `ondrop` makes the edit, and says whether it was made. */
  constructor(
    private readonly three: SceneRenderer,
    private readonly ondrop: (row: number, dragged: Dragged) => Promise<boolean>,
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
      },
      { signal },
    );
    signal.addEventListener("abort", () => {
      this.controls.detach();
      this.controls.dispose();
    });
  }

  /** True while the pointer is on a handle, or drags one: then the camera stays. */
  get isHeld(): boolean {
    return this.row >= 0 && this.controls.axis !== null;
  }

  /** True from the press on a handle until it is let go. */
  get isDragging(): boolean {
    return this.controls.dragging;
  }

  /** Puts the handles at a node; -1 hides them. */
  attach(row: number): void {
    this.row = this.handle === "off" ? -1 : row;
    if (this.row < 0) {
      this.controls.detach();
      this.three.invalidate();
      return;
    }
    new Matrix4().fromArray(this.three.world, row * 16).decompose(this.proxy.position, new Quaternion(), new Vector3());
    this.proxy.quaternion.identity();
    this.proxy.updateMatrixWorld(true);
    this.controls.setMode(this.handle === "turn" ? "rotate" : "translate");
    this.controls.setSpace("world");
    this.controls.showX = this.controls.showZ = this.handle === "move";
    this.controls.attach(this.proxy);
    this.three.invalidate();
  }

  use(handle: Handle, row: number): void {
    this.handle = handle;
    this.attach(row);
  }

  private begin(): void {
    this.before.clear();
    const { packed, world } = this.three;
    for (let row = this.row; row < packed.nodes; row++) {
      const parent = packed.node[row * Node.Size + Node.Parent];
      if (row !== this.row && !this.before.has(parent)) continue;
      this.before.set(row, new Matrix4().fromArray(world, row * 16));
    }
  }

  /** The movement since the drag began, about the place of the node. */
  private motion(): Matrix4 | null {
    const was = this.before.get(this.row);
    if (!was) return null;
    const from = new Vector3().setFromMatrixPosition(was);
    return new Matrix4()
      .makeTranslation(this.proxy.position)
      .multiply(new Matrix4().makeRotationFromQuaternion(this.proxy.quaternion))
      .multiply(new Matrix4().makeTranslation(from.negate()));
  }

  private preview(): void {
    const motion = this.motion();
    if (!motion) return;
    for (const [row, was] of this.before)
      motion
        .clone()
        .multiply(was)
        .toArray(this.three.world, row * 16);
    this.three.moved(this.before.keys());
    this.three.select(this.row);
  }

  private back(): void {
    for (const [row, was] of this.before) was.toArray(this.three.world, row * 16);
    this.three.moved(this.before.keys());
    this.three.select(this.row);
    this.attach(this.row);
  }

  private async drop(): Promise<void> {
    const { packed, world } = this.three;
    const was = this.before.get(this.row);
    if (!was) return;
    const row = this.row;
    const dragged: Dragged = {};
    if (this.handle === "move") {
      const place = this.proxy.position.clone();
      if (place.distanceTo(new Vector3().setFromMatrixPosition(was)) < 1e-4) return this.back();
      const parent = packed.node[row * Node.Size + Node.Parent];
      if (parent >= 0) place.applyMatrix4(new Matrix4().fromArray(world, parent * 16).invert());
      dragged.at = place.toArray().map((n) => Number(n.toFixed(3))) as [number, number, number];
    } else {
      const { quaternion } = this.proxy;
      const angle = 2 * Math.atan2(new Vector3(quaternion.x, quaternion.y, quaternion.z).dot(UP), quaternion.w);
      const degrees = Number(((Math.atan2(Math.sin(angle), Math.cos(angle)) * 180) / Math.PI).toFixed(2));
      if (!degrees) return this.back();
      dragged.turn = degrees;
    }
    if (!(await this.ondrop(row, dragged)) && this.row === row) this.back();
  }
}
