// A document as a tree of fields, with descriptions from the schema, and names as links.

import type { App } from "../app";
import { baseName, count, fill, h, plural, withBar } from "../dom";
import { Form, readOnly } from "../edit/form";
import { textEditor, type TextEditor } from "../edit/text";
import { explainLater, goToDefinition, inspectName, rows } from "../inspect";
import { findAt, nameOf, parseJson, SchemaReader, summary, type JsonNode } from "../json";
import type { FileInfo } from "../source";
import { VirtualList } from "../virtual";
import type { PartView } from "./part";
import { textView } from "./text";

export function jsonView(
  app: App,
  file: FileInfo,
  part: { path: string; document?: string | null },
  text: string,
  start?: string,
): PartView {
  const root = parseJson(text);
  let plain: PartView | null = null;
  let schema: SchemaReader | null = null;
  // A document of a tree names its schema itself; the lists of readers cannot.
  const address = root.children.find((child) => child.key === "$schema")?.value;
  const own = /([\w-]+)\.schema\.json$/.exec(address ?? "")?.[1];
  const reader = file.format === "reader" && part.path.endsWith(".json") && root.type === "array" ? "reader" : null;
  const document_ = part.document ?? own ?? reader;
  const isKnown = document_?.startsWith("reader-") === true;
  // Names in this document according to the index; before the index is read, guesses by keys.
  const known = new Map<string, { kind: string; name: string }>();
  const nameAt = (node: JsonNode): { kind: string; name: string } | null =>
    node.children.length ? null : (known.get(node.at) ?? (known.size ? null : nameOf(node, document_)));
  void app.source.names?.(file.number, part.path).then(
    ({ names }) => {
      for (const each of names) known.set(each.at, each);
      list.refresh();
    },
    () => undefined,
  );
  let gone = false;
  if (document_) {
    app.source.schema(document_).then(
      (found) => {
        // Something else may be explained by now.
        if (gone) return;
        schema = new SchemaReader(found);
        const selected = list.items[list.selected];
        if (selected) describe(selected);
        else offer();
      },
      () => undefined,
    );
  }
  // A reader with a form shows all its values at once, after the description of the part.
  let waits = false;
  const offer = (): void => {
    if (!waits || !schema || !element.isConnected) return;
    waits = false;
    describe(root);
  };
  let query = "";
  const sentence = h("div", { class: "sentence", "aria-live": "polite" }, "Select a field to read what it means.");

  const flatten = (): JsonNode[] => {
    const out: JsonNode[] = [];
    const visit = (node: JsonNode): void => {
      for (const child of node.children) {
        out.push(child);
        if (child.open) visit(child);
      }
    };
    visit(root);
    return out;
  };
  const list = new VirtualList<JsonNode>({
    label: `Fields of ${part.path}`,
    role: "tree",
    rowHeight: 20,
    className: "json",
    render: (row, node) => {
      row.style.paddingLeft = `${node.depth * 14}px`;
      row.setAttribute("aria-level", String(node.depth));
      const branch = node.children.length > 0;
      if (branch) row.setAttribute("aria-expanded", String(node.open));
      const name = nameAt(node);
      row.append(
        h("span", {
          class: `twisty ${branch ? (node.open ? "open" : "closed") : ""}`,
          onclick: (event: Event) => {
            if (!branch) return;
            event.stopPropagation();
            toggle(node);
          },
        }),
        h("span", { class: node.parent?.type === "array" ? "json-index" : "json-key" }, `${node.key}:`),
      );
      if (node.type === "object" || node.type === "array")
        row.append(h("span", { class: "json-summary ellipsis" }, summary(node)));
      else {
        const value = h(
          "span",
          { class: `json-${node.type} ellipsis` },
          node.type === "string" ? `"${node.value}"` : node.value,
        );
        if (name) {
          value.classList.add("name-link");
          value.title = `${name.kind} ${name.name}: click for its uses, double-click to go to its definition`;
        }
        row.append(value);
      }
      if (query && matches(node)) row.classList.add("match");
    },
    onselect: (node) => describe(node),
    onopen: (node) => {
      const name = nameAt(node);
      if (node.children.length) toggle(node);
      else if (name) void goToDefinition(app, name.kind, name.name);
    },
    onkey: (event, node) => {
      if (!node) return false;
      if (event.key === "ArrowRight" && node.children.length && !node.open) toggle(node);
      else if (event.key === "ArrowLeft" && node.open && node.children.length) toggle(node);
      else if (event.key === "ArrowLeft" && node.parent && node.parent !== root) reveal(node.parent);
      else return false;
      return true;
    },
  });
  const toggle = (node: JsonNode): void => {
    node.open = !node.open;
    list.set(flatten(), true);
    list.select(list.items.indexOf(node));
  };
  const reveal = (node: JsonNode): void => {
    for (let up = node.parent; up; up = up.parent) up.open = true;
    list.set(flatten(), true);
    const index = list.items.indexOf(node);
    list.select(index);
    list.reveal(index);
    describe(node);
  };
  const describe = (node: JsonNode): void => {
    const said = schema?.describe(node) ?? { sentences: [], constraints: "" };
    const first = said.sentences[0];
    fill(sentence, h("code", null, node.at), first ? ` ${first.split("\n")[0]}` : "");
    const name = nameAt(node);
    const place = { file: file.path, part: part.path, kind: part.document };
    const form = app.edits?.possible ? new Form(app, place, schema, goTo).of(node) : readOnly(app);
    const sections: { title: string; body: HTMLElement | Promise<HTMLElement | null> }[] = [
      ...(form ? [{ title: "Edit", body: form }] : []),
      {
        title: "Field",
        body: h(
          "div",
          null,
          said.sentences.map((each) => h("p", { class: "say" }, each)),
          rows([
            ["Path", h("code", null, node.at)],
            ["Value", node.children.length ? summary(node) : node.value],
            ["Type", node.type === "word" ? "true, false or null" : node.type],
            ["Allowed", said.constraints],
          ]),
        ),
      },
      ...(node === root
        ? []
        : [{ title: "Where it is stored", body: explainLater(app, file.number, part.path, node.at) }]),
    ];
    if (name) inspectName(app, name.kind, name.name, sections);
    else app.inspect({ title: node.key ?? part.path, kind: "field", sections });
    app.replace({ at: node.at });
  };
  const goTo = (at: string): void => {
    const target = findAt(root, at);
    if (target && target !== root) reveal(target);
  };
  const matches = (node: JsonNode): boolean =>
    (node.key ?? "").toLowerCase().includes(query) ||
    (!node.children.length && node.value.toLowerCase().includes(query));
  let found: JsonNode[] = [];
  let foundAt = -1;
  const tally = h("span", { class: "quiet", role: "status" });
  const search = h("input", {
    type: "search",
    placeholder: "Find",
    "aria-label": "Find in this document",
    oninput: () => {
      query = search.value.trim().toLowerCase();
      found = [];
      foundAt = -1;
      if (query) {
        const visit = (node: JsonNode): void => {
          for (const child of node.children) {
            if (matches(child)) found.push(child);
            visit(child);
          }
        };
        visit(root);
      }
      tally.textContent = query ? plural(found.length, "match", "matches") : "";
      if (found.length) step(1);
      else list.refresh();
    },
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    },
  });
  const step = (by: number): void => {
    if (!found.length) return;
    foundAt = (foundAt + by + found.length) % found.length;
    reveal(found[foundAt]);
    tally.textContent = `${count(foundAt + 1)} of ${count(found.length)}`;
  };
  const setAll = (open: boolean): void => {
    const visit = (node: JsonNode): void => {
      for (const child of node.children) {
        child.open = open;
        visit(child);
      }
    };
    visit(root);
    list.set(flatten());
  };
  const raw = h(
    "button",
    { type: "button", class: "button small", "aria-pressed": "false", onclick: () => swap() },
    "As text",
  );
  const whole =
    isKnown && h("button", { type: "button", class: "button small", onclick: () => describe(root) }, "As a form");
  const body = h("div", { class: "fill" }, list.element);
  let editor: TextEditor | null = null;
  const editText = (): void => {
    editor ??= textEditor(app, file, part, text, () => {
      editor?.dispose?.();
      editor = null;
      fill(element, ...content);
      app.tell("reload");
    });
    fill(element, editor.element);
  };
  const swap = (): void => {
    const on = raw.getAttribute("aria-pressed") !== "true";
    raw.setAttribute("aria-pressed", String(on));
    plain ??= textView(app, null, { path: part.path }, text);
    fill(body, on ? plain.element : list.element);
  };
  // Small documents start expanded.
  if (text.length < 6000) setAll(true);
  else if (root.children.length === 1 || root.children.length === 2)
    for (const child of root.children) child.open = true;
  list.set(flatten());
  const element: HTMLElement = withBar(
    "part json-part",
    [
      h("strong", { class: "ellipsis", title: part.path }, baseName(part.path)),
      search,
      tally,
      h("span", { class: "grow" }),
      h("button", { type: "button", class: "button small", onclick: () => setAll(true) }, "Open all"),
      h("button", { type: "button", class: "button small", onclick: () => setAll(false) }, "Close all"),
      whole,
      raw,
      app.edits?.possible && h("button", { type: "button", class: "button small", onclick: editText }, "Edit the text"),
    ],
    body,
    sentence,
  );
  const content = [...element.childNodes];
  return {
    element,
    isDirty: () => editor?.isDirty() ?? false,
    isEditing: () => editor !== null,
    dispose: () => {
      gone = true;
      editor?.dispose?.();
    },
    show: (at) => {
      const node = at ? findAt(root, at) : null;
      if (node && node !== root) reveal(node);
      waits = isKnown && !at && !start;
      setTimeout(offer, 0);
    },
  };
}
