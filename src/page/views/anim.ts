// Animations, motions of 'mechs, and scripts: a list of them, and the one that plays.

import type { App, View } from "../app";
import { baseName, count, fill, h, icon, plural, withBar } from "../dom";
import { blenderButton } from "../edit/blender";
import { motionTaker } from "../edit/files";
import { valueOf } from "../edit/form";
import { textEditor, type TextEditor } from "../edit/text";
import { explainLater, inspectName, rows } from "../inspect";
import { parseJson, type JsonNode } from "../json";
import { isMoving } from "../play/key";
import { MotionPanel, motionFacts } from "../play/motion-panel";
import { get, offerSamples, PlayPanel, str } from "../play/panel";
import { ScriptPanel } from "../play/script-panel";
import { doc } from "../play/values";
import type { Route } from "../route";
import type { FileInfo, Part } from "../source";
import { VirtualList } from "../virtual";

/** What is shown of an animation. */
interface Shown {
  element: HTMLElement;
  /** Shows it as it is on disk now, and keeps what a person has chosen. */
  renew?(root: JsonNode, parts: Part[], keepsTextures: boolean): Promise<void> | void;
  /** True if it shows one of these files, too. */
  shows?(files: Set<number>): boolean;
  dispose?(): void;
}

/** Documents that are listed. */
const isAnimation = (part: Part): boolean =>
  part.document === "anim-definition" || part.document === "motion" || part.document === "anim-script";

/** A person who chose the JSON of a definition sees that of the next one, too. */
let prefersJson = false;

/** A narrower page has no room for the files beside a scene and a text. */
const WIDE = 1500;

export async function animationsView(app: App, file: FileInfo, parts: Part[], route: Route): Promise<View> {
  const all = parts.filter(isAnimation);
  const host = h("div", { class: "part-host" });
  let current: Part | undefined;
  let shown: Shown | null = null;
  let facts = h("span");
  let text = "";
  let editor: TextEditor | null = null;
  /** True if the editor has the source of the definition. */
  let isSource = false;
  /** The list of files makes room for the text. */
  let hidesSide = false;
  let turn = 0;
  offerSamples(app);
  const list = new VirtualList<Part>({
    label: "Animations",
    rowHeight: 24,
    render: (row, part) =>
      row.append(
        icon("anim"),
        h("span", { class: "grow ellipsis", title: part.path }, baseName(part.path).replace(/\.json$/, "")),
        h("small", { class: "quiet" }, part.document?.replace("anim-", "") ?? ""),
      ),
    onselect: (part) => {
      if (part !== current) app.go({ file: file.path, view: "animations", part: part.path });
    },
    empty: "No animation has this name.",
  });
  const search = h("input", {
    type: "search",
    placeholder: `Filter ${plural(all.length, "animation")}`,
    "aria-label": "Filter animations",
    oninput: () => list.set(all.filter((part) => part.path.toLowerCase().includes(search.value.toLowerCase()))),
  });
  list.set(all);
  const adder = motionTaker(app, file, null, list.element, (name) =>
    app.go({ file: file.path, view: "animations", part: `${name}.json` }),
  );
  const element = h(
    "div",
    { class: "split" },
    withBar("parts-list", [search, adder], list.element, list.emptyMessage),
    host,
  );
  const closeText = (): void => {
    editor?.dispose?.();
    editor?.element.remove();
    editor = null;
    isSource = false;
    element.classList.remove("writing");
    if (hidesSide) document.body.classList.remove("no-side");
    hidesSide = false;
  };
  /** Opens the text of a part, or its source, beside what is shown. */
  const write = async (part: Part, close: () => void): Promise<void> => {
    const mine = turn;
    const isDefinition = part.document === "anim-definition";
    const source = isDefinition ? ((await app.source.definition?.(file.number, part.path)) ?? null) : null;
    if (mine !== turn || editor) return;
    isSource = !prefersJson && typeof source?.text === "string";
    const choice = (label: string, json: boolean, title: string): HTMLElement =>
      h(
        "button",
        {
          type: "button",
          class: "button small",
          title,
          disabled: !json && source?.text === null,
          "aria-pressed": String(isSource !== json),
          onclick: () => {
            if (isSource !== json) return editor?.focus();
            if (editor?.isDirty() && !window.confirm("Leave the text without saving it?")) return;
            prefersJson = json;
            closeText();
            void write(part, close).catch((error) => app.fail("The text cannot be shown", error));
          },
        },
        label,
      );
    const why = source?.why && `no source: ${source.why}`;
    const more =
      source &&
      h(
        "span",
        { class: "inline", role: "group", "aria-label": "What is edited" },
        choice("Source", false, why || "The short source, as refit anim decompile writes it"),
        choice("JSON", true, "The document of the tree"),
        why && h("small", { class: "quiet ellipsis", title: why }, why),
      );
    const written = isSource ? { lines: source?.events ?? [] } : undefined;
    editor = textEditor(app, file, part, (isSource && source?.text) || text, close, { written, more });
    shown?.element.after(editor.element);
    element.classList.add("writing");
    if (window.innerWidth < WIDE && !document.body.classList.contains("no-side")) {
      document.body.classList.add("no-side");
      hidesSide = true;
    }
    editor.focus();
  };
  /** The button that opens the text. */
  const textButton = (part: Part): HTMLElement | null => {
    if (!app.edits?.possible) return null;
    const close = (): void => {
      closeText();
      button.focus();
    };
    const button = h(
      "button",
      {
        type: "button",
        class: "button small",
        title: "Edit its text beside it; saving shows the change",
        onclick: () => {
          if (editor) editor.focus();
          else write(part, close).catch((error) => app.fail("The text cannot be shown", error));
        },
      },
      "Edit the text",
    );
    return button;
  };
  const show = async (to: Route): Promise<void> => {
    const wanted =
      all.find((part) => part.path === to.part) ??
      all.find((part) => baseName(part.path) === `${to.name}.json`) ??
      all[0];
    if (!wanted) {
      fill(host, h("p", { class: "pad quiet" }, "This file has no animations."));
      return;
    }
    if (editor && wanted === current) return;
    if (editor?.isDirty() && !window.confirm("Leave the text without saving it?")) {
      app.replace({ part: current?.path });
      return;
    }
    closeText();
    current = wanted;
    const mine = ++turn;
    const index = list.items.indexOf(wanted);
    list.select(index);
    if (index >= 0) list.reveal(index);
    const read = await (await app.source.part(file.number, wanted.path)).text();
    if (mine !== turn) return;
    text = read;
    const root = parseJson(text);
    shown?.dispose?.();
    shown = null;
    const name = baseName(wanted.path).replace(/\.json$/, "");
    let title = name;
    let more: HTMLElement | null = null;
    if (wanted.document === "anim-definition") {
      inspectDefinition(app, file, wanted, root);
      const panel = new PlayPanel(app, file, parts, wanted, root, parseJson);
      panel.locate = (path, at) => {
        if (!editor || path !== wanted.path) return false;
        editor.show?.(at);
        editor.focus();
        return true;
      };
      shown = panel;
      title = titleOf(wanted, root);
      more = textButton(wanted);
    } else if (wanted.document === "motion") {
      inspectFrames(app, file, wanted, root);
      shown = new MotionPanel(app, file, wanted, doc(JSON.parse(text)));
      more = h(
        "span",
        { class: "inline" },
        blenderButton(app, file, name),
        motionTaker(app, file, name, shown.element),
      );
    } else {
      inspectFrames(app, file, wanted, root);
      shown = new ScriptPanel(app, file, wanted, root);
      more = textButton(wanted);
    }
    facts = h("span", { class: "quiet ellipsis" }, factsOf(wanted, root));
    fill(host, headed(app, file, wanted, title, facts, h("div", { class: "beside" }, shown.element), more));
  };
  const renew = async (keepsTextures: boolean): Promise<boolean> => {
    const [part, mine] = [current, shown];
    if (!part || !mine?.renew) return false;
    const now = turn;
    const tree = await app.source.tree(file.number);
    const paths = (of: Part[]): string => of.map((each) => each.path).join("\n");
    const isSame = paths(tree.parts.filter(isAnimation)) === paths(all);
    if (!tree.parts.some((each) => each.path === part.path) || (!isSame && !editor)) return false;
    const read = await (await app.source.part(file.number, part.path)).text();
    const source = isSource ? await app.source.definition?.(file.number, part.path) : null;
    if (now !== turn) return false;
    text = read;
    if (!isSource) editor?.renew(text);
    else if (typeof source?.text === "string") editor?.renew(source.text, source.events);
    const root = parseJson(text);
    facts.textContent = factsOf(part, root);
    await mine.renew(root, tree.parts, keepsTextures);
    // What the inspector shows of it follows, too.
    if (now === turn && part.document === "anim-definition" && app.inspected?.title === titleOf(part, root))
      inspectDefinition(app, file, part, root);
    return true;
  };
  await show(route);
  return {
    element,
    goTo: (to) => {
      void show(to).catch((error) => app.fail("The animation cannot be shown", error));
      return true;
    },
    isEditing: () => editor !== null,
    isDirty: () => editor?.isDirty() ?? false,
    isDragging: isMoving,
    shows: (files) => shown?.shows?.(files) ?? false,
    renew,
    dispose: () => {
      turn++;
      closeText();
      shown?.dispose?.();
    },
  };
}

/** The name of a definition. */
const titleOf = (part: Part, root: JsonNode): string => str(get(root, "animation_name")) || baseName(part.path);

/** The facts beside the name of an animation. */
function factsOf(part: Part, root: JsonNode): string {
  if (part.document === "anim-definition") {
    const sequences = get(root, "sequences")?.children ?? [];
    const events = sequences.reduce((sum, each) => sum + (get(each, "events")?.children.length ?? 0), 0);
    return `${plural(sequences.length, "sequence")}, ${plural(events, "event")}`;
  }
  if (part.document === "motion") return motionFacts(doc(valueOf(root)));
  return `${plural(get(root, "frames")?.children.length ?? 0, "key")}; it plays with its animation`;
}

function headed(
  app: App,
  file: FileInfo,
  part: Part,
  title: string,
  facts: HTMLElement,
  content: HTMLElement,
  more: HTMLElement | null = null,
): HTMLElement {
  const bar = [
    h("strong", { class: "ellipsis" }, title),
    facts,
    h("span", { class: "grow" }),
    more,
    h(
      "a",
      { class: "button small", href: app.href({ file: file.path, view: "contents", part: part.path }) },
      "Document",
    ),
  ];
  return withBar("part", bar, content);
}

function inspectDefinition(app: App, file: FileInfo, part: Part, root: JsonNode): void {
  const lists = ["objects", "nodes", "lights", "puffers", "dynamic_sounds", "static_sounds"];
  const link = (kind: string, name: string): HTMLElement =>
    h("button", { type: "button", class: "link", onclick: () => inspectName(app, kind, name) }, name);
  inspectName(app, "animation", titleOf(part, root), [
    {
      title: "Definition",
      body: rows([
        ["Root node", link("node", str(get(root, "name")))],
        ["Attached to", link("node", str(get(root, "animation_root_name")))],
        ["Activation", str(get(root, "activation"))],
        ["Reset time", get(root, "reset_time")?.value],
        ...lists.map((key): [string, HTMLElement | null] => {
          const names = (get(root, key)?.children ?? []).map(str);
          const kind = key.endsWith("sounds") ? "sound" : key === "objects" ? "node" : key.replace(/s$/, "");
          return [
            key.replace("_", " "),
            names.length
              ? h(
                  "span",
                  null,
                  names.map((name, n) => [n > 0 && ", ", link(kind, name)]),
                )
              : null,
          ];
        }),
      ]),
    },
    { title: "Where it is stored", body: explainLater(app, file.number, part.path) },
  ]);
}

function inspectFrames(app: App, file: FileInfo, part: Part, root: JsonNode): void {
  const parts = get(root, "parts")?.children ?? [];
  const frames = get(root, "frames")?.children ?? [];
  app.inspect({
    title: baseName(part.path),
    kind: part.document ?? "",
    sections: [
      {
        title: "Motion",
        body: rows([
          ["Loop time", get(root, "loop_time")?.value],
          ["Parts", parts.length ? count(parts.length) : ""],
          ["Keyframes", frames.length ? count(frames.length) : ""],
        ]),
      },
      { title: "Where it is stored", body: explainLater(app, file.number, part.path) },
    ],
  });
}
