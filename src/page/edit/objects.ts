// New objects of a world: those of a glTF file, models of this world, and copies from other worlds of the game.

import type { App } from "../app";
import { fill, h, icon, labelled, plural, select } from "../dom";
import { VirtualList } from "../virtual";
import { base64 } from "./edits";
import { suggest } from "./form";
import { dragged, fileButton, isModel, takeDragged, takeDrops } from "./pick";

type Place = [number, number, number];

/** Adds the objects of a glTF file at a place, and shows the first one. */
async function add(app: App, path: string, file: File, at: Place): Promise<void> {
  const change = { do: "add" as const, name: file.name, bytes: await base64(file), motion: { at } };
  await app.edits?.make({ do: "world", file: path, change });
}

/** What a drag of a model of this world carries: the number of its shape. */
const MODEL = "application/x-refit-model";

/**
 * Takes models that are dropped on a scene: files, and those of the list, which `put` adds. `placeOf` is the place
 * below the pointer.
 */
export function takeModels(
  app: App,
  path: string,
  target: HTMLElement,
  put: (shape: number, at: Place) => void,
  placeOf: (x: number, y: number) => Place,
  signal: AbortSignal,
): void {
  if (!app.edits) return;
  const take = (files: File[], event: DragEvent): void => {
    const model = files.find(isModel);
    if (model) void add(app, path, model, placeOf(event.clientX, event.clientY));
    else app.fail("Nothing was added", new Error("a world takes glTF models: .glb or .gltf files"));
  };
  takeDrops(target, take, { possible: () => app.edits?.possible ?? false, signal });
  const place = (shape: string, event: DragEvent): void => put(Number(shape), placeOf(event.clientX, event.clientY));
  takeDragged(target, MODEL, place, { signal });
}

/** The models of this world, to be dragged onto the scene; `put` adds one where the view looks. */
export function modelsForm(
  models: { shape: number; name: string }[],
  put: (shape: number) => void,
): HTMLElement | null {
  if (!models.length) return null;
  const list = new VirtualList<(typeof models)[number]>({
    label: "Models of this world",
    rowHeight: 22,
    className: "short-list",
    render: (row, { shape, name }) => {
      dragged(row, MODEL, () => String(shape));
      row.append(icon("model"), h("span", { class: "grow ellipsis", title: name }, name));
    },
    onselect: () => (button.disabled = false),
    onopen: ({ shape }) => put(shape),
    empty: "No model has this name.",
  });
  const button = h(
    "button",
    {
      type: "button",
      class: "button small",
      disabled: true,
      title: "Adds the model where the view looks; Enter, or dragging it onto the scene, does the same",
      onclick: () => {
        const chosen = list.items[list.selected];
        if (chosen) put(chosen.shape);
      },
    },
    "Put into the world",
  );
  const search = h("input", {
    type: "search",
    placeholder: `Filter ${plural(models.length, "model")}`,
    "aria-label": "Filter models of this world",
    oninput: () => {
      const text = search.value.trim().toLowerCase();
      list.set(models.filter(({ name }) => name.toLowerCase().includes(text)));
      button.disabled = true;
    },
  });
  list.set(models);
  return h("div", { class: "form" }, search, list.element, list.emptyMessage, h("div", { class: "actions" }, button));
}

/** The form that adds objects; `place` is where they go. */
export function objectForm(
  app: App,
  path: string,
  place: () => Place,
  goTo: (name: string) => void,
  models: HTMLElement | null,
): HTMLElement | null {
  if (!app.edits?.possible) return null;
  const worlds = app.opened.files.filter((file) => file.format === "gamez" && file.path !== path && !file.why);
  const node = h("input", { type: "text", "aria-label": "Node of the other world", spellcheck: false });
  let from = worlds[0]?.path ?? "";
  const names = h("span", null);
  const offer = (): void => {
    const file = app.byPath(from);
    fill(
      names,
      suggest(app, node, "node", (name) => name, file?.number),
    );
  };
  const copy = async (event: Event): Promise<void> => {
    event.preventDefault();
    const name = node.value.trim();
    if (!name) return;
    // What is typed is an edit from now on: the inspector may show something else.
    node.defaultValue = node.value;
    const change = { do: "copy" as const, node: name, from, motion: { at: place() } };
    if (await app.edits?.make({ do: "world", file: path, change })) goTo(name);
  };
  if (worlds.length) offer();
  return h(
    "div",
    { class: "form" },
    h(
      "div",
      { class: "actions" },
      fileButton(
        "Add a model…",
        {
          accept: ".glb,.gltf",
          title:
            "Adds the objects of a .glb or .gltf file where the view looks; dropping one on the scene does the same",
        },
        ([file]) => void add(app, path, file, place()),
      ),
    ),
    models,
    worlds.length > 0 &&
      h(
        "form",
        { class: "form", onsubmit: copy },
        labelled(
          "Copy from",
          select(
            "World to copy from",
            worlds.map(
              (file) => [file.path, file.role ? `${file.path} (${file.role})` : file.path] as [string, string],
            ),
            from,
            (chosen) => {
              from = chosen;
              offer();
            },
          ),
        ),
        h(
          "div",
          { class: "form-line" },
          labelled("Node", h("span", { class: "named" }, node, names)),
          h("button", { type: "submit", class: "button small" }, "Copy"),
        ),
      ),
  );
}
