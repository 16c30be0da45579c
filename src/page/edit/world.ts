// Objects of a world: moved, turned, copied, put below others, renamed and removed by numbers and names.

import type { App } from "../app";
import { h, labelled, short, smallButton } from "../dom";
import type { Motion, WorldEdit } from "../source";
import { parentForm } from "./below";

/** How an edit names a node: by its name if no other node has it. */
export function nodeReference(name: string, index: number, names: string[]): string {
  const isUnique = name !== "" && names.indexOf(name) === names.lastIndexOf(name);
  return isUnique ? name : `#${index}`;
}

/**
 * The form of a node. `at` is its position in its parent; `goTo` shows a node by its name, and moves the camera to it
 * unless it is where the view looks already.
 */
export function nodeForm(
  app: App,
  file: { path: string; number: number },
  node: {
    name: string;
    index: number;
    at: [number, number, number] | null;
    names: string[];
    /** How an edit names its parent; null for a node that can have no other one. */
    parent: string | null;
    /** Its factors along its own axes. */
    scale: [number, number, number];
    /** Its place on what is below it; null if nothing is. */
    ground: () => [number, number, number] | null;
    /** Shows it as an edit will have it; what is returned takes that back. */
    preview: (motion: Motion) => () => void;
  },
  goTo: (name: string | null, isThere?: boolean) => void,
): HTMLElement | null {
  const edits = app.edits;
  if (!edits?.possible) return null;
  const own = nodeReference(node.name, node.index, node.names);
  const make = (change: WorldEdit) => edits.make({ do: "world", file: file.path, change });
  const number = (value: number, label: string): HTMLInputElement =>
    h("input", {
      type: "number",
      step: "any",
      required: true,
      defaultValue: short(value, 4),
      "aria-label": label,
      "data-at": label,
    });
  const axes = (node.at ?? [0, 0, 0]).map((value, n) => number(value, `Position ${"xyz"[n]}`));
  const turn = number(0, "Turn by degrees");
  const factors = node.scale.map((value, n) => number(value, `Scale ${"xyz"[n]}`));
  for (const field of factors) field.min = "0.0001";
  const name = h("input", {
    type: "text",
    defaultValue: node.name,
    "aria-label": "Name",
    "data-at": "Name",
    spellcheck: false,
  });
  const moveBy = async (motion: Motion): Promise<void> => {
    const back = node.preview(motion);
    if (!(await make({ do: "move", node: own, motion }))) back();
  };
  const move = async (event: Event): Promise<void> => {
    event.preventDefault();
    const at = axes.map((axis) => Number(axis.value)) as [number, number, number];
    const moved = axes.some((axis, n) => axis.value !== short((node.at ?? [0, 0, 0])[n], 4));
    const scale = factors.map((factor) => Number(factor.value)) as [number, number, number];
    const isScaled = factors.some((factor, n) => factor.value !== short(node.scale[n], 4));
    const motion = {
      ...(moved ? { at } : {}),
      ...(Number(turn.value) ? { turn: Number(turn.value) } : {}),
      ...(isScaled ? { scale } : {}),
    };
    for (const field of [...axes, ...factors]) field.defaultValue = field.value;
    turn.defaultValue = turn.value = "0";
    if (Object.keys(motion).length) await moveBy(motion);
  };
  const drop = async (): Promise<void> => {
    const at = node.ground();
    if (at) await moveBy({ at });
    else app.fail("It stays where it is", new Error("there is nothing below it"));
  };
  const copy = async (): Promise<void> => {
    const free = nextName(node.name, node.names);
    if (await make({ do: "copy", node: own, name: free, motion: {} })) goTo(free);
  };
  const remove = async (force: boolean): Promise<void> => {
    if (await make({ do: "remove", node: own, force })) goTo(null);
  };
  const rename = async (event: Event): Promise<void> => {
    event.preventDefault();
    const wanted = name.value.trim();
    if (!wanted || wanted === node.name) return;
    name.defaultValue = name.value;
    if (await make({ do: "rename", node: own, name: wanted, force: false })) goTo(wanted, true);
    else name.value = name.defaultValue = node.name;
  };
  return h(
    "div",
    { class: "form" },
    node.at &&
      h(
        "form",
        { class: "form", onsubmit: move },
        labelled(
          "Position in its parent",
          h("div", { class: "vector", role: "group", "aria-label": "Position" }, axes),
        ),
        labelled("Scale", h("div", { class: "vector", role: "group", "aria-label": "Scale" }, factors)),
        h(
          "div",
          { class: "form-line" },
          labelled("Turn by, in degrees", turn),
          h("button", { type: "submit", class: "button small" }, "Move"),
        ),
      ),
    h(
      "form",
      { class: "form-line", onsubmit: rename },
      labelled("Name", name),
      h("button", { type: "submit", class: "button small" }, "Rename"),
    ),
    node.parent !== null &&
      parentForm(app, file, node.parent, async (under) => Boolean(await make({ do: "reparent", node: own, under }))),
    h(
      "div",
      { class: "actions" },
      node.at && smallButton("Put on the ground", "Moves it down, or up, to what is below it", () => void drop()),
      h("button", { type: "button", class: "button small", onclick: () => void copy() }, "Copy"),
      h("button", { type: "button", class: "button small", onclick: () => void remove(false) }, "Delete"),
    ),
  );
}

/** The name of a copy: the next number that no node has. */
export function nextName(name: string, taken: string[]): string {
  const [, stem, digits] = /^(.*?)(\d*)$/.exec(name || "copy") ?? ["", name, ""];
  for (let n = Number(digits || 1) + 1; ; n++) {
    const next = `${stem}${String(n).padStart(digits.length, "0")}`;
    if (!taken.includes(next)) return next;
  }
}
