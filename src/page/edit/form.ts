// Forms for the values of documents, made from their schemas.

import type { App } from "../app";
import { checkbox, debounce, h, icon, iconButton, newId, plural, select } from "../dom";
import { nameOf, ofKey, summary, type JsonNode, type SchemaReader, type Shape } from "../json";
import type { Edit, Edited } from "../source";

/** Where a document is. */
export interface Document {
  file: string;
  part: string;
  /** Its kind, as refit names the schemas. */
  kind?: string | null;
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A value as JSON has it. */
export function valueOf(node: JsonNode): Json {
  switch (node.type) {
    case "object":
      return Object.fromEntries(node.children.map((child) => [child.key ?? "", valueOf(child)]));
    case "array":
      return node.children.map(valueOf);
    case "string":
      return node.value;
    case "number":
      return Number(node.value);
    default:
      return node.value === "true" ? true : node.value === "false" ? false : null;
  }
}

/** A value with its numbers as the document spells them. `body` in source.ts writes them as numbers. */
export function spelled(node: JsonNode): Json {
  if (node.type === "object")
    return Object.fromEntries(node.children.map((child) => [child.key ?? "", spelled(child)]));
  if (node.type === "array") return node.children.map(spelled);
  return node.type === "number" ? `\0${node.value}` : valueOf(node);
}

/** A number as a float of a reader, where 2 and 2.0 differ. `body` in source.ts writes it as a number. */
function asFloat(n: number): Json {
  return `\0${Number.isInteger(n) && Math.abs(n) < 1e21 ? n.toFixed(1) : n}`;
}

/** Most items of a list that are shown with their buttons. */
const MOST = 200;

/** Makes forms for the values of one document. */
export class Form {
  constructor(
    private readonly app: App,
    private readonly document: Document,
    private readonly schema: SchemaReader | null,
    /** Shows a value of the document. */
    private readonly open: (at: string) => void,
  ) {}

  private make(edit: Partial<Edit> & { do: Edit["do"] }): Promise<Edited | null> {
    const { file, part } = this.document;
    return this.app.edits?.make({ file, part, ...edit } as Edit) ?? Promise.resolve(null);
  }

  /** A value for a new place. Floats of a reader stay floats. */
  private copyOf(node: JsonNode): Json {
    if (!this.document.kind?.startsWith("reader")) return valueOf(node);
    if (node.type === "array") return node.children.map((child) => this.copyOf(child));
    return node.type === "number" && /[.eE]/.test(node.value) ? asFloat(Number(node.value)) : valueOf(node);
  }

  /** A number as the value now is: an integer, or a float. */
  private like(node: JsonNode, n: number): Json {
    const isFloat = this.document.kind?.startsWith("reader") && (/[.eE]/.test(node.value) || !Number.isInteger(n));
    return isFloat ? asFloat(n) : n;
  }

  /** An example as a schema has it: floats of a reader are floats. */
  private exampleOf(schema: unknown): Json | undefined {
    const mark = this.document.kind?.startsWith("reader") ? asFloat : undefined;
    return this.schema?.example(schema, 0, mark) as Json | undefined;
  }

  private set(node: JsonNode, value: Json): Promise<Edited | null> {
    return this.make({ do: "set", path: node.at, value, old: valueOf(node) });
  }

  /** The form of a value. */
  of(node: JsonNode): HTMLElement {
    if (node.type === "object") return this.record(node);
    return h("div", { class: "form" }, this.control(node, node.key ?? "value"), this.actions(node));
  }

  private shape(node: JsonNode): Shape {
    return this.schema?.shape(node) ?? {};
  }

  /** The control of a value, named by its label. */
  private control(node: JsonNode, label: string): HTMLElement {
    const shape = this.shape(node);
    if (node.type === "array") return this.list(node, shape, label);
    if (node.type === "object")
      return h(
        "button",
        { type: "button", class: "link", onclick: () => this.open(node.at) },
        summary(node) || plural(node.children.length, "field"),
      );
    if (node.type === "word" && node.value !== "null")
      return checkbox(label, node.value === "true", (on) => void this.set(node, on));
    if (shape.choices?.length && node.type === "string") {
      const choices: [string, string][] = shape.choices.map((choice) => [choice.value, choice.value]);
      if (!choices.some(([value]) => value === node.value)) choices.unshift([node.value, node.value]);
      const box = select(label, choices, node.value, (value) => void this.set(node, value));
      box.title = shape.choices.find((choice) => choice.value === node.value)?.about ?? label;
      return box;
    }
    return this.input(node, shape, label);
  }

  /** A number or a text. Enter and leaving the field make the edit; Escape takes it back. */
  private input(node: JsonNode, shape: Shape, label: string): HTMLElement {
    const isNumber = node.type === "number";
    const isLong = !isNumber && (node.value.length > 60 || node.value.includes("\n"));
    const field = isLong
      ? h("textarea", { rows: Math.min(12, node.value.split("\n").length + 1), "aria-label": label })
      : h("input", { type: isNumber ? "number" : "text", "aria-label": label });
    if (field instanceof HTMLInputElement && isNumber) {
      field.step = shape.integer ? "1" : "any";
      if (shape.minimum !== undefined) field.min = String(shape.minimum);
      if (shape.maximum !== undefined) field.max = String(shape.maximum);
    }
    field.defaultValue = node.type === "word" ? "" : node.value;
    field.spellcheck = false;
    field.dataset.at = node.at;
    const commit = (): void => {
      if (field.value === node.value || (field instanceof HTMLInputElement && !field.reportValidity())) return;
      if (isNumber && !field.value.trim()) {
        field.value = node.value;
        return;
      }
      // It is an edit from now on, and may be shown again.
      field.defaultValue = field.value;
      void this.set(node, isNumber ? this.like(node, Number(field.value)) : field.value).then((done) => {
        // This field may still stand when the next edit is typed.
        if (done) node.value = field.value;
        else field.value = field.defaultValue = node.value;
      });
    };
    const declared = shape.names ? { kind: shape.names, name: node.value } : null;
    const named =
      field instanceof HTMLInputElement && !isNumber ? (declared ?? nameOf(node, this.document.kind ?? null)) : null;
    const names =
      named && suggest(this.app, field as HTMLInputElement, named.kind, (name) => node.value.replace(named.name, name));
    field.addEventListener("change", commit);
    field.addEventListener("keydown", (event) => {
      if ((event as KeyboardEvent).key !== "Escape") return;
      field.value = node.value;
      event.stopPropagation();
    });
    const said = this.schema?.describe(node);
    if (said) field.title = [said.sentences[0], said.constraints].filter(Boolean).join("\n");
    if (names) return h("span", { class: "named" }, field, names);
    return shape.unit ? h("span", { class: "named" }, field, h("span", { class: "quiet" }, ` ${shape.unit}`)) : field;
  }

  /** A box that opens the browser's colours, for numbers that the schema calls red, green and blue. */
  private colour(node: JsonNode, label: string): HTMLElement | null {
    const said = this.schema?.describe(node).sentences.find((text) => /\bred, green, blue\b/i.test(text));
    const most = Number(/\b0(?:\.0)? to (255|1)(?:\.0)?\b/.exec(said ?? "")?.[1] ?? 0);
    if (!most || node.children.length < 3) return null;
    const numbers = node.children.map((child) => Number(child.value));
    const hex = (n: number): string =>
      Math.round(Math.max(0, Math.min(1, n / most)) * 255)
        .toString(16)
        .padStart(2, "0");
    const now = `#${numbers.slice(0, 3).map(hex).join("")}`;
    const box = h("input", { type: "color", value: now, "aria-label": `${label}, as a colour` });
    box.addEventListener("change", () => {
      const chosen = [1, 3, 5].map((at) => (parseInt(box.value.slice(at, at + 2), 16) / 255) * most);
      const rest = node.children.slice(3).map((child) => this.copyOf(child));
      const own = chosen.map((n, at) => this.like(node.children[at], Number(n.toFixed(most === 1 ? 4 : 0))));
      if (box.value !== now) void this.set(node, [...own, ...rest]);
    });
    return box;
  }

  /** A record: a row for each field, and those that it could have. */
  private record(node: JsonNode): HTMLElement {
    const shape = this.shape(node);
    const rows = node.children
      .filter((child) => child.key !== "$schema")
      .map((child) => {
        const said = this.schema?.describe(child);
        const isFlag = child.type === "word" && child.value !== "null";
        return h(
          "div",
          { class: "form-row", title: [said?.sentences[0], said?.constraints].filter(Boolean).join("\n") },
          h(
            "button",
            { type: "button", class: "link form-name ellipsis", onclick: () => this.open(child.at) },
            child.key ?? "",
          ),
          h("div", { class: "form-value" }, this.control(child, child.key ?? "")),
          !isFlag && child.type !== "object" && child.type !== "array" && this.remover(child, shape),
        );
      });
    const missing = Object.entries(shape.fields ?? {}).filter(
      ([key]) => key !== "$schema" && !node.children.some((child) => child.key === key),
    );
    const more =
      missing.length > 0 &&
      select(
        "Add a field",
        [["", "Add a field…"], ...missing.map(([key]) => [key, key] as [string, string])],
        "",
        (key) => {
          const at = node.at ? `${node.at}.${key}` : key;
          const value = this.exampleOf(shape.fields?.[key]) ?? 0;
          if (key) void this.make({ do: "set", path: at, value });
        },
      );
    return h("div", { class: "form" }, rows, more, this.actions(node));
  }

  /** Removes a field that the record need not have. */
  private remover(node: JsonNode, shape: Shape): HTMLElement | null {
    if (!shape.fields || shape.required?.includes(node.key ?? "")) return null;
    return iconButton(
      "close",
      `Remove ${node.key}`,
      () => void this.make({ do: "remove", path: node.at, old: valueOf(node) }),
    );
  }

  /** A list of keys and values, as the readers of the games have them: a row for each. */
  private keyed(node: JsonNode, keys: Record<string, unknown>): HTMLElement {
    const rows: HTMLElement[] = [];
    const known = new Set<string>();
    for (let n = 0; n < Math.min(node.children.length, MOST); n++) {
      const child = node.children[n];
      const value = child.type === "string" ? ofKey(keys, child.value) : undefined;
      const said = this.schema?.describe(child);
      const title = [said?.sentences[0], said?.constraints].filter(Boolean).join("\n");
      if (value === undefined) {
        const about = said?.sentences[0]?.split("\n")[0] ?? "";
        const name = h("span", { class: "quiet ellipsis" }, about);
        rows.push(h("div", { class: "form-row", title }, name, this.small(child, about || "value")));
        continue;
      }
      known.add(child.value);
      const next = value === false ? undefined : node.children[n + 1];
      if (next) n++;
      const length = next ? 2 : 1;
      const at = Number(child.key);
      const all = (): Json[] => node.children.map((child) => this.copyOf(child));
      rows.push(
        h(
          "div",
          { class: "form-row", title },
          h(
            "button",
            { type: "button", class: "link form-name ellipsis", onclick: () => this.open((next ?? child).at) },
            child.value,
          ),
          h("div", { class: "form-value" }, next && this.small(next, child.value)),
          iconButton(
            "close",
            `Remove ${child.value}`,
            () => void this.set(node, [...all().slice(0, at), ...all().slice(at + length)]),
          ),
        ),
      );
    }
    const missing = Object.keys(keys).filter((key) => !known.has(key));
    const more = select(
      "Add a key",
      [["", "Add a key…"], ...missing.map((key) => [key, key] as [string, string])],
      "",
      (key) => {
        if (!key) return;
        const value = keys[key] === false ? [] : [this.exampleOf(keys[key]) ?? []];
        void this.set(node, [...node.children.map((child) => this.copyOf(child)), key, ...value]);
      },
    );
    return h("div", { class: "form" }, rows, missing.length > 0 && more);
  }

  /** A value, or a short list of values beside each other. */
  private small(node: JsonNode, label: string): HTMLElement {
    if (node.type !== "array") return this.control(node, label);
    const plain = node.children.every((child) => child.type !== "array" && child.type !== "object");
    if (!plain || !node.children.length || node.children.length > 9) return this.opener(node);
    const named = (child: JsonNode): string => this.schema?.describe(child).sentences[0] ?? label;
    return h(
      "div",
      { class: "vector", role: "group", "aria-label": label },
      node.children.map((child) => this.control(child, named(child))),
      this.colour(node, label),
    );
  }

  private list(node: JsonNode, shape: Shape, label: string): HTMLElement {
    if (shape.keys) return this.keyed(node, shape.keys);
    // Flags: each is a box.
    const flags = shape.item?.choices;
    if (flags?.length && node.children.every((child) => child.type === "string")) {
      const has = new Set(node.children.map((child) => child.value));
      return h(
        "fieldset",
        { class: "flags" },
        h("legend", { class: "sr" }, label),
        flags.map((flag) => {
          const box = checkbox(flag.value, has.has(flag.value), (on) => {
            const all = flags.map((each) => each.value).filter((each) => (each === flag.value ? on : has.has(each)));
            const others = [...has].filter((each) => !flags.some((own) => own.value === each));
            void this.set(node, [...all, ...others]);
          });
          box.title = flag.about ?? "";
          return box;
        }),
      );
    }
    // Vectors and colours: numbers beside each other.
    const isVector = node.children.length <= 4 && node.children.every((child) => child.type === "number");
    if (isVector && node.children.length > 0)
      return h(
        "div",
        { class: "vector", role: "group", "aria-label": label },
        node.children.map((child, n) => this.input(child, this.shape(child), `${label} ${"xyzw"[n]}`)),
        this.colour(node, label),
        shape.fixed ? null : this.adder(node),
      );
    const rows = node.children
      .slice(0, MOST)
      .map((child, n) =>
        h(
          "li",
          { class: "form-item" },
          h("span", { class: "quiet number" }, String(n)),
          h(
            "div",
            { class: "grow" },
            child.type === "array" ? this.opener(child) : this.control(child, `${label} ${n}`),
          ),
          this.meaning(child),
          this.itemButtons(child, n, node.children.length),
        ),
      );
    return h(
      "div",
      null,
      h("ol", { class: "form-list" }, rows),
      node.children.length > MOST &&
        h("p", { class: "quiet" }, `and ${node.children.length - MOST} more: open one in the tree to edit it`),
      this.adder(node),
    );
  }

  /** What an item of a list is, if its schema tells it apart from the other items. */
  private meaning(node: JsonNode): HTMLElement | null {
    const said = this.schema?.describe(node).sentences[0];
    if (!said || said === this.schema?.describe(node.parent ?? node).sentences[0]) return null;
    return h("span", { class: "quiet ellipsis", title: said }, said.split("\n")[0]);
  }

  private opener(node: JsonNode): HTMLElement {
    return h("button", { type: "button", class: "link ellipsis", onclick: () => this.open(node.at) }, summary(node));
  }

  private itemButtons(node: JsonNode, n: number, length: number): HTMLElement {
    const list = node.parent?.at ?? "";
    const old = (): Json => valueOf(node);
    return h(
      "span",
      { class: "item-buttons" },
      iconButton(
        "up",
        `Move item ${n} up`,
        () => void this.make({ do: "move", path: node.at, to: n - 1, old: old() }),
        {
          disabled: n === 0,
        },
      ),
      iconButton(
        "down",
        `Move item ${n} down`,
        () => void this.make({ do: "move", path: node.at, to: n + 1, old: old() }),
        {
          disabled: n === length - 1,
        },
      ),
      iconButton(
        "copy",
        `Copy item ${n}`,
        () => void this.make({ do: "insert", path: list, index: n + 1, value: this.copyOf(node) }),
      ),
      iconButton("close", `Remove item ${n}`, () => void this.make({ do: "remove", path: node.at, old: old() })),
    );
  }

  /** Adds an item: like the last one, or as the schema describes it. */
  private adder(node: JsonNode): HTMLElement {
    const last = node.children.at(-1);
    const value = last ? this.copyOf(last) : this.exampleOf(this.shape(node).itemSchema);
    if (value === undefined) return h("span", null);
    return h(
      "button",
      {
        type: "button",
        class: "button small",
        onclick: () => void this.make({ do: "insert", path: node.at, index: node.children.length, value }),
      },
      last ? "Add one like the last" : "Add an item",
    );
  }

  /** What can be done with an item of a list. */
  private actions(node: JsonNode): HTMLElement | null {
    const list = node.parent;
    if (list?.type !== "array") return null;
    const n = Number(node.key);
    return h("div", { class: "actions" }, this.itemButtons(node, n, list.children.length));
  }
}

/** Offers the names of a kind that are like what is typed. `whole` is the value with a name in it. */
export function suggest(
  app: App,
  field: HTMLInputElement,
  kind: string,
  whole: (name: string) => string,
  file?: number,
): HTMLElement {
  const list = h("datalist", { id: newId("names") });
  field.setAttribute("list", list.id);
  const ask = debounce(150, async () => {
    const found = await app.source.find(field.value, kind, 60).catch(() => null);
    const places = found?.names.filter((place) => file === undefined || place.file === file) ?? [];
    const names = new Set(places.map((place) => place.name));
    list.replaceChildren(...[...names].map((name) => h("option", { value: whole(name) })));
  });
  field.addEventListener("input", ask);
  field.addEventListener("focus", ask, { once: true });
  return list;
}

/** What is shown instead of a form where nothing can be edited. */
export function readOnly(app: App): HTMLElement | null {
  const why = app.edits?.state.why;
  if (!why || app.edits?.possible) return null;
  return h("p", { class: "quiet" }, icon("hidden"), ` Read only: ${why}.`);
}
