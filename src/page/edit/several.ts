// Several objects of a world: moved, turned, scaled, copied, put below another one and removed together, as one edit.

import type { App } from "../app";
import { h, labelled, smallButton } from "../dom";
import type { Motion, WorldEdit } from "../source";
import { parentForm, putBelow } from "./below";
import { nextName, nodeReference } from "./world";

type Place = [number, number, number];

export interface Several {
  /** The objects, none of which is below another one; the last one is what the others are turned about. */
  rows: number[];
  name: (row: number) => string;
  index: (row: number) => number;
  /** The names of all nodes. */
  names: string[];
  /** Where an object is in its parent, after all were moved by an offset and turned about the last one. */
  moved: (row: number, by: Place, degrees: number) => Place;
  scale: (row: number) => Place;
  /** Its place on what is below it; null if nothing is. */
  ground: (row: number) => Place | null;
  /** Shows objects as an edit will have them; what is returned takes that back. */
  preview: (motions: [number, Motion][]) => () => void;
}

/** A change of each object, as one edit. Returns false if it was not made. */
export async function makeSeveral(app: App, file: { path: string }, changes: WorldEdit[]): Promise<boolean> {
  if (!changes.length) return false;
  const change: WorldEdit = changes.length === 1 ? changes[0] : { do: "several", changes };
  return Boolean(await app.edits?.make({ do: "world", file: file.path, change }));
}

/** The moves of some objects. */
export const moves = (all: Several, motions: [number, Motion][]): WorldEdit[] =>
  motions.map(([row, motion]) => ({
    do: "move",
    node: nodeReference(all.name(row), all.index(row), all.names),
    motion,
  }));

/** The form of several objects. `goTo` selects objects by their references. */
export function severalForm(
  app: App,
  file: { path: string; number: number },
  all: Several,
  goTo: (references: string[]) => void,
): HTMLElement | null {
  if (!app.edits?.possible) return null;
  const { rows } = all;
  const own = (row: number): string => nodeReference(all.name(row), all.index(row), all.names);
  const number = (label: string, value = "0"): HTMLInputElement =>
    h("input", { type: "number", step: "any", defaultValue: value, "aria-label": label, "data-at": label });
  const by = ["x", "y", "z"].map((axis) => number(`Move by ${axis}`));
  const turn = number("Turn by degrees");
  const factor = number("Scale by", "1");
  const make = (changes: WorldEdit[]): Promise<boolean> => makeSeveral(app, file, changes);
  const moveBy = async (motions: [number, Motion][]): Promise<void> => {
    const back = all.preview(motions);
    if (!(await make(moves(all, motions)))) back();
  };
  const move = async (event: Event): Promise<void> => {
    event.preventDefault();
    const offset = by.map((field) => Number(field.value)) as Place;
    const degrees = Number(turn.value);
    const times = Number(factor.value);
    const isMoved = offset.some((n) => n !== 0);
    const motion = (row: number): Motion => ({
      ...(isMoved || (degrees && row !== rows.at(-1)) ? { at: all.moved(row, offset, degrees) } : {}),
      ...(degrees ? { turn: degrees } : {}),
      ...(times > 0 && times !== 1
        ? { scale: all.scale(row).map((n) => Number((n * times).toFixed(4))) as Place }
        : {}),
    });
    const motions = rows.map((row): [number, Motion] => [row, motion(row)]);
    // What is typed is relative: entered once more, it would move them once more.
    for (const field of [...by, turn]) field.defaultValue = field.value = "0";
    factor.defaultValue = factor.value = "1";
    if (motions.some(([, each]) => Object.keys(each).length)) await moveBy(motions);
  };
  const drop = async (): Promise<void> => {
    const motions = rows.flatMap((row): [number, Motion][] => {
      const at = all.ground(row);
      return at ? [[row, { at }]] : [];
    });
    if (motions.length) await moveBy(motions);
    else app.fail("They stay where they are", new Error("there is nothing below them"));
  };
  const copy = async (): Promise<void> => {
    const taken = [...all.names];
    const copies = rows.map((row): WorldEdit & { do: "copy"; name: string } => {
      const name = nextName(all.name(row), taken);
      taken.push(name);
      return { do: "copy", node: own(row), name, motion: {} };
    });
    if (await make(copies)) goTo(copies.map((each) => each.name));
  };
  const remove = async (): Promise<void> => {
    // Of objects at the end of the file, the last one is removed first.
    const last = [...rows].sort((a, b) => all.index(b) - all.index(a));
    if (await make(last.map((row) => ({ do: "remove", node: own(row), force: false })))) goTo([]);
  };
  return h(
    "div",
    { class: "form" },
    h(
      "form",
      { class: "form", onsubmit: move },
      labelled("Move by", h("div", { class: "vector", role: "group", "aria-label": "Move by" }, by)),
      h(
        "div",
        { class: "form-line" },
        labelled("Turn by, in degrees", turn),
        labelled("Scale by", factor),
        h("button", { type: "submit", class: "button small" }, "Move"),
      ),
    ),
    parentForm(app, file, "", (under) => make(putBelow(rows.map(own), under))),
    h(
      "div",
      { class: "actions" },
      smallButton("Put on the ground", "Moves each of them down, or up, to what is below it", () => void drop()),
      h("button", { type: "button", class: "button small", onclick: () => void copy() }, "Copy"),
      h("button", { type: "button", class: "button small", onclick: () => void remove() }, "Delete"),
    ),
  );
}
