// A motion of a 'mech that plays on the assembled 'mech.

import type { App } from "../app";
import { fill, h, iconButton, plural, short } from "../dom";
import { inspectName } from "../inspect";
import { Node, type PackedScene } from "../scene/packed";
import { SceneRenderer } from "../scene/renderer";
import type { FileInfo, OpenedFile, Part } from "../source";
import { load } from "../views/scene";
import { mechPoses, motionLength, frameCount, placePart } from "./motion";
import { Presenter } from "./present";
import { emptyState, type State } from "./show";
import { Stage } from "./stage";
import { Transport } from "./transport";
import { doc, list, nameText, type Doc } from "./values";

/** The root of each 'mech of a scene, by the name of its file. */
function mechsOf(scene: PackedScene): Map<string, number> {
  const out = new Map<string, number>();
  const roots = new Int32Array(scene.nodes);
  for (let row = 0; row < scene.nodes; row++) {
    const parent = scene.node[row * Node.Size + Node.Parent];
    roots[row] = parent < 0 ? row : roots[parent];
    const shape = scene.node[row * Node.Size + Node.Shape];
    const mech = shape < 0 ? undefined : (scene.header.shapes[shape] as { mech?: string }).mech;
    const stem = mech?.replace(/\.flt$/i, "").toLowerCase();
    if (stem !== undefined && !out.has(stem)) out.set(stem, roots[row]);
  }
  return out;
}

/** The 'mech of a motion: the longest name that begins it. */
export function mechOf(scene: PackedScene, motion: string): [string, number] | null {
  const fits = [...mechsOf(scene)].filter(([stem]) => motion.toLowerCase() === stem || motion.toLowerCase().startsWith(`${stem}_`));
  return fits.sort((a, b) => b[0].length - a[0].length)[0] ?? null;
}

/** A 'mech as a motion has it at a time; what the motion moves and the 'mech does not have is in `missing`. */
export function mechState(stage: Stage, root: number, motion: Doc, time: number, missing?: Set<string>): State {
  const state = emptyState();
  const rows = new Map<string, number>();
  for (let row = root; row < stage.scene.nodes; row++) {
    const parent = stage.scene.node[row * Node.Size + Node.Parent];
    if (row !== root && parent < root) break;
    const name = stage.name(row).toLowerCase();
    if (!rows.has(name)) rows.set(name, row);
  }
  const moved = new Set<number>();
  for (const part of mechPoses(motion, time)) {
    const row = rows.get(part.name.toLowerCase());
    if (row === undefined || moved.has(row)) {
      missing?.add(part.name);
      continue;
    }
    moved.add(row);
    placePart(stage.change(state.nodes, row).pose, part);
  }
  return state;
}

export class MotionPanel {
  readonly element: HTMLElement;
  private readonly viewport: HTMLElement;
  private readonly status: HTMLElement;
  private readonly notes: HTMLElement;
  private readonly lanes: HTMLElement;
  private readonly transport: Transport;
  private three: SceneRenderer | null = null;
  private presenter: Presenter | null = null;
  private root = -1;
  private gone = false;

  constructor(
    private readonly app: App,
    private readonly file: FileInfo,
    private readonly part: Part,
    private readonly motion: Doc,
  ) {
    this.status = h("div", { class: "overlay", role: "status" }, "Loading the 'mech…");
    this.viewport = h("div", { class: "viewport play-viewport" }, this.status);
    this.notes = h("div", { class: "not-shown" });
    this.transport = new Transport(true, (time) => this.draw(time), iconButton("frame", "Frame the 'mech", () => this.frame()));
    this.lanes = h("div", { class: "lanes" }, list(motion.parts).map((each) => this.lane(doc(each))));
    this.element = h("div", { class: "part play" }, this.viewport, this.transport.element, h("div", { class: "scroll timeline", tabIndex: 0, role: "region", "aria-label": "Parts" }, this.lanes, this.notes));
    this.transport.setLength(motionLength(motion));
    void this.start();
  }

  private lane(part: Doc): HTMLElement {
    const frames = Math.max(list(part.translations).length, list(part.rotations).length);
    const track = h("span", { class: "event-track wide" });
    for (let n = 0; n < Math.min(frames, 400); n++) {
      const tick = h("span", { class: "tick" });
      tick.style.left = `${(n / Math.max(1, frames)) * 100}%`;
      track.append(tick);
    }
    const name = nameText(part.name);
    return h("div", { class: "event" }, track, h("button", { type: "button", class: "link event-kind", onclick: () => inspectName(this.app, "node", name) }, name), h("span", { class: "quiet" }, `${plural(list(part.translations).length, "translation")}, ${plural(list(part.rotations).length, "rotation")}`));
  }

  /** The 'mech that a motion is for: of the library in the same folder, or of another one. */
  private async mech(motion: string): Promise<{ mechlib: OpenedFile; scene: PackedScene; root: number; mech: string }> {
    const { app } = this;
    const folder = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
    const near = (file: OpenedFile): number => Number(folder(file.path) !== folder(this.file.path));
    const all = app.opened.files.filter((file) => file.format === "mechlib").sort((a, b) => near(a) - near(b));
    if (!all.length) throw new Error("no mechlib is open: open the game's folder to see this motion on its 'mech");
    for (const mechlib of all) {
      const scene = await load(app, mechlib, (text) => (this.status.textContent = text));
      const found = mechOf(scene, motion);
      if (found) return { mechlib, scene, root: found[1], mech: found[0] };
    }
    throw new Error(`no 'mech of ${all.map((file) => file.path).join(", ")} has the name that ${motion} begins with`);
  }

  private async start(): Promise<void> {
    const { app } = this;
    try {
      const name = this.part.path.slice(this.part.path.lastIndexOf("/") + 1).replace(/\.json$/, "");
      const { mechlib, scene, root, mech } = await this.mech(name);
      if (this.gone) return;
      this.three = new SceneRenderer(scene, app.source, mechlib.number);
      this.three.show(this.viewport, `${mech}, with the motion. Drag to turn, wheel to zoom.`);
      window.refitScene = this.three;
      const backdrop = /^#(..)(..)(..)$/.exec(getComputedStyle(this.viewport).getPropertyValue("--viewport").trim());
      if (backdrop) this.three.setBackground([1, 2, 3].map((n) => parseInt(backdrop[n], 16) / 255) as [number, number, number]);
      this.root = root;
      this.three.setRoot(this.root);
      this.presenter = new Presenter(this.three, new Stage(scene));
      this.status.hidden = true;
      this.transport.seek(0);
      this.frame();
      const missing = new Set<string>();
      mechState(this.presenter.stage, this.root, this.motion, 0, missing);
      const notes = [
        missing.size > 0 && `the 'mech does not have these parts, or has them moved already: ${[...missing].join(", ")}`,
        "between two frames the parts move evenly and turn by the shortest way; how the game does that is not known",
      ].filter((note): note is string => typeof note === "string");
      fill(this.notes, h("h3", null, "Not shown, or taken for granted"), h("ul", { class: "notes" }, notes.map((note) => h("li", null, note))));
      window.refitPlay = { ...(window.refitPlay as NonNullable<Window["refitPlay"]>), seek: (time) => this.transport.seek(time) };
      if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) this.transport.toggle(true);
    } catch (error) {
      if (this.gone) return;
      this.status.hidden = false;
      fill(this.status, h("p", null, error instanceof Error ? error.message : String(error)));
    }
  }

  private frame(): void {
    if (!this.three) return;
    this.three.view.yaw = 0.6;
    this.three.view.pitch = -0.2;
    this.three.frameRow(this.root);
  }

  private draw(time: number): void {
    if (!this.presenter) return;
    this.presenter.show(mechState(this.presenter.stage, this.root, this.motion, time));
    this.lanes.style.setProperty("--now", String(time / motionLength(this.motion)));
  }

  dispose(): void {
    this.gone = true;
    this.transport.dispose();
    if (window.refitScene === this.three) window.refitScene = undefined;
    if (window.refitPlay) delete window.refitPlay.seek;
    this.three?.dispose();
  }
}

/** A motion in few words. */
export const motionFacts = (motion: Doc): string => `${plural(list(motion.parts).length, "part")}, ${plural(frameCount(motion), "frame")}, loop of ${short(motionLength(motion), 3)} s`;
