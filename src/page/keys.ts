// Keyboard: each key is registered with a sentence, so that `?` can list all of them.

import { h } from "./dom";

interface Key {
  key: string;
  label: string;
  where: string;
  run?: (event: KeyboardEvent) => void;
}

const keys: Key[] = [];

/** Registers a key; without `run` it is only listed, without a label it is not. Returns a function that removes it. */
export function bind(where: string, key: string, label: string, run?: (event: KeyboardEvent) => void): () => void {
  const entry = { key, label, where, run };
  keys.push(entry);
  return () => {
    const at = keys.indexOf(entry);
    if (at >= 0) keys.splice(at, 1);
  };
}

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Takes back what was typed into a field of the inspector; false if nothing was. */
function escaped(target: EventTarget | null): boolean {
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  if (!isField || !target.closest(".inspector") || /checkbox|radio|range|search/.test(target.type)) return false;
  if (target.value === target.defaultValue) return false;
  target.value = target.defaultValue;
  return true;
}

export function listen(): void {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    // The text editor is in a shadow root, whose host is the target that others see.
    const target = event.composedPath()[0] ?? event.target;
    const checked = target instanceof HTMLInputElement && /^(checkbox|range|radio)$/.test(target.type);
    if (typing(target) && event.key !== "Escape" && !checked) return;
    if (event.key === "Escape" && escaped(target)) return event.preventDefault();
    for (let at = keys.length - 1; at >= 0; at--) {
      const entry = keys[at];
      if (entry.run && entry.key === event.key) {
        event.preventDefault();
        entry.run(event);
        return;
      }
    }
  });
}

export function showKeys(): void {
  const groups = new Map<string, Key[]>();
  for (const entry of keys.filter((each) => each.label)) {
    const list = groups.get(entry.where) ?? [];
    if (!list.some((each) => each.key === entry.key)) list.push(entry);
    groups.set(entry.where, list);
  }
  const dialog = h(
    "dialog",
    { class: "keys", "aria-labelledby": "keys-title", onclose: () => dialog.remove() },
    h("h2", { id: "keys-title" }, "Keys"),
    h(
      "div",
      { class: "keys-groups" },
      [...groups].map(([where, list]) =>
        h(
          "section",
          null,
          h("h3", null, where),
          h(
            "dl",
            null,
            list.map((entry) => [
              h("dt", null, h("kbd", null, entry.key === " " ? "Space" : entry.key)),
              h("dd", null, entry.label),
            ]),
          ),
        ),
      ),
    ),
    h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Close"),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}
