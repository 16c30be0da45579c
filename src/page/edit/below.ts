// An object put below another one: by its form, or dragged in the list of nodes.

import type { App } from "../app";
import { h, labelled } from "../dom";
import type { WorldEdit } from "../source";
import { suggest } from "./form";
import { dragged, takeDragged } from "./pick";

/** What a drag of nodes carries: their references, as a list in JSON. */
const NODES = "application/x-refit-nodes";

/** The changes that put objects below another one. */
export const putBelow = (nodes: string[], under: string): WorldEdit[] =>
  nodes.map((node) => ({ do: "reparent", node, under }));

/** The form with the parent of an object, or of several. `now` is the parent's reference, if they have the same. */
export function parentForm(
  app: App,
  file: { number: number },
  now: string,
  put: (under: string) => Promise<boolean>,
): HTMLElement {
  const field = h("input", {
    type: "text",
    defaultValue: now,
    "aria-label": "Below",
    "data-at": "Below",
    spellcheck: false,
  });
  const names = suggest(app, field, "node", (name) => name, file.number);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const under = field.value.trim();
    if (!under || under === now) return;
    field.defaultValue = field.value;
    if (!(await put(under))) field.value = field.defaultValue = now;
  };
  return h(
    "form",
    { class: "form-line", onsubmit: submit },
    labelled("Below", h("span", { class: "named" }, field, names)),
    h(
      "button",
      {
        type: "submit",
        class: "button small",
        title: "Puts it below this node; it stays where it is in the world. Dragging it in the list does the same",
      },
      "Put below",
    ),
  );
}

/** A row of the list that can be dragged onto another row, and takes those that are dropped on it. */
export function dragRow(row: HTMLElement, nodes: () => string[], take: (nodes: string[]) => void): void {
  dragged(row, NODES, () => JSON.stringify(nodes()));
  takeDragged(row, NODES, (text) => take(JSON.parse(text) as string[]));
}
