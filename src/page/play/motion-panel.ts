// A motion of a 'mech that plays on the assembled 'mech.

import type { App } from "../app";
import { fill, h, iconButton, plural, short } from "../dom";
import { inspectName } from "../inspect";
import { Node, type PackedScene } from "../scene/packed";
import type { FileInfo, OpenedFile, Part } from "../source";
import { load } from "../scenes";
import { mechPoses, motionLength, frameCount, placePart } from "./motion";
import { Screen } from "./screen";
import { emptyState, type State } from "./show";
import type { Stage } from "./stage";
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

/** The 'mech of a motion: the longest 'mech name that is a prefix of it. */
export function mechOf(scene: PackedScene, motion: string): [string, number] | null {
  const fits = [...mechsOf(scene)].filter(
    ([stem]) => motion.toLowerCase() === stem || motion.toLowerCase().startsWith(`${stem}_`),
  );
  return fits.sort((a, b) => b[0].length - a[0].length)[0] ?? null;
}

/** A 'mech at a time of a motion; parts of the motion that the 'mech lacks are in `missing`. */
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
  private readonly screen = new Screen("Loading the 'mech…");
  private readonly notes: HTMLElement;
  private readonly lanes: HTMLElement;
  private readonly transport: Transport;
  private root = -1;

  constructor(
    private readonly app: App,
    private readonly file: FileInfo,
    private readonly part: Part,
    private readonly motion: Doc,
  ) {
    this.notes = h("div", { class: "not-shown" });
    this.transport = new Transport(
      true,
      (time) => this.draw(time),
      iconButton("frame", "Frame the 'mech", () => this.frame()),
    );
    this.lanes = h(
      "div",
      { class: "lanes" },
      list(motion.parts).map((each) => this.lane(doc(each))),
    );
    this.element = h(
      "div",
      { class: "part play" },
      this.screen.element,
      this.transport.element,
      h(
        "div",
        { class: "scroll timeline", tabIndex: 0, role: "region", "aria-label": "Parts" },
        this.lanes,
        this.notes,
      ),
    );
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
    return h(
      "div",
      { class: "event" },
      track,
      h(
        "button",
        { type: "button", class: "link event-kind", onclick: () => inspectName(this.app, "node", name) },
        name,
      ),
      h(
        "span",
        { class: "quiet" },
        `${plural(list(part.translations).length, "translation")}, ${plural(list(part.rotations).length, "rotation")}`,
      ),
    );
  }

  /** The 'mech that a motion is for, from the library in the same folder, or another one. */
  private async mech(motion: string): Promise<{ mechlib: OpenedFile; scene: PackedScene; root: number; mech: string }> {
    const { app } = this;
    const folder = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
    const near = (file: OpenedFile): number => Number(folder(file.path) !== folder(this.file.path));
    const all = app.opened.files.filter((file) => file.format === "mechlib").sort((a, b) => near(a) - near(b));
    if (!all.length) throw new Error("no mechlib is open: open the game's folder to see this motion on its 'mech");
    for (const mechlib of all) {
      const scene = await load(app, mechlib, this.screen.say);
      const found = mechOf(scene, motion);
      if (found) return { mechlib, scene, root: found[1], mech: found[0] };
    }
    throw new Error(`no 'mech of ${all.map((file) => file.path).join(", ")} has the name that ${motion} begins with`);
  }

  private async start(): Promise<void> {
    const { app, screen } = this;
    try {
      const name = this.part.path.slice(this.part.path.lastIndexOf("/") + 1).replace(/\.json$/, "");
      const { mechlib, scene, root, mech } = await this.mech(name);
      if (screen.gone) return;
      const three = screen.open(app, scene, mechlib.number, `${mech}, with the motion.`);
      this.root = root;
      three.setRoot(this.root);
      screen.ready();
      this.transport.seek(0);
      this.frame();
      const missing = new Set<string>();
      if (screen.presenter) mechState(screen.presenter.stage, this.root, this.motion, 0, missing);
      const notes = [
        missing.size > 0 &&
          `the 'mech does not have these parts, or has them moved already: ${[...missing].join(", ")}`,
        "between two frames the parts move evenly and turn by the shortest way; how the game does that is not known",
      ].filter((note): note is string => typeof note === "string");
      fill(
        this.notes,
        h("h3", null, "Not shown, or taken for granted"),
        h(
          "ul",
          { class: "notes" },
          notes.map((note) => h("li", null, note)),
        ),
      );
      screen.play(this.transport);
    } catch (error) {
      screen.fail(error);
    }
  }

  private frame(): void {
    const { three } = this.screen;
    if (!three) return;
    three.view.yaw = 0.6;
    three.view.pitch = -0.2;
    three.frameRow(this.root);
  }

  private draw(time: number): void {
    const { presenter } = this.screen;
    if (!presenter) return;
    presenter.show(mechState(presenter.stage, this.root, this.motion, time));
    this.lanes.style.setProperty("--now", String(time / motionLength(this.motion)));
  }

  dispose(): void {
    this.transport.dispose();
    this.screen.dispose();
  }
}

/** A motion in few words. */
export const motionFacts = (motion: Doc): string =>
  `${plural(list(motion.parts).length, "part")}, ${plural(frameCount(motion), "frame")}, ` +
  `loop of ${short(motionLength(motion), 3)} s`;
