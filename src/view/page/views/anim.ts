// Definitions of animations and motions of 'mechs as lists over time. Playing them is a separate module, not built yet.

import type { App, View } from "../app";
import { baseName, count, fill, h, icon, plural, short } from "../dom";
import { explainLater, inspectName, rows } from "../inspect";
import { nameOf, parseJson, summary, type JsonNode } from "../json";
import type { Route } from "../route";
import type { FileInfo, Part } from "../source";
import { VirtualList } from "../virtual";

const get = (node: JsonNode | undefined, key: string): JsonNode | undefined => node?.children.find((child) => child.key === key);
const number = (node: JsonNode | undefined): number => (node ? Number(node.value) || 0 : 0);
const str = (node: JsonNode | undefined): string => (node?.type === "object" ? (get(node, "text")?.value ?? get(node, "name")?.value ?? "") : (node?.value ?? ""));

interface TimedEvent {
  kind: string;
  body: JsonNode;
  node: JsonNode;
  /** Seconds from the start of the sequence, as far as the file fixes it. */
  start: number;
  length: number;
  when: string;
}

/** Start times: after the event before, unless the event names an offset of the animation, sequence or event. */
export function schedule(events: JsonNode[]): TimedEvent[] {
  let before = 0;
  let end = 0;
  return events.map((node) => {
    const body = node.children.find((child) => child.key !== "at") ?? node;
    const at = get(node, "at");
    const offset = at ? number(at.children[1]) : 0;
    const base = at?.children[0]?.value ?? "";
    const start = base === "EVENT" ? before + offset : base ? offset : end;
    const length = Math.max(number(get(body, "run_time")), 0);
    before = start;
    end = Math.max(start, start + length);
    return { kind: body.key ?? "", body, node, start, length, when: base ? `${base.toLowerCase()} + ${short(offset)} s` : "after the event before" };
  });
}

export async function animationsView(app: App, file: FileInfo, parts: Part[], route: Route): Promise<View> {
  const all = parts.filter((part) => part.document === "anim-definition" || part.document === "motion" || part.document === "anim-script");
  const host = h("div", { class: "part-host" });
  let current: Part | undefined;
  let turn = 0;
  const list = new VirtualList<Part>({
    label: "Animations",
    rowHeight: 24,
    render: (row, part) => row.append(icon("anim"), h("span", { class: "grow ellipsis", title: part.path }, baseName(part.path).replace(/\.json$/, "")), h("small", { class: "quiet" }, part.document?.replace("anim-", "") ?? "")),
    onselect: (part) => {
      if (part !== current) app.go({ file: file.path, view: "animations", part: part.path });
    },
    empty: "No animation has this name.",
  });
  const search = h("input", { type: "search", placeholder: `Filter ${plural(all.length, "animation")}`, "aria-label": "Filter animations", oninput: () => list.set(all.filter((part) => part.path.toLowerCase().includes(search.value.toLowerCase()))) });
  list.set(all);
  const show = async (to: Route): Promise<void> => {
    const wanted = all.find((part) => part.path === to.part) ?? all.find((part) => baseName(part.path) === `${to.name}.json`) ?? all[0];
    if (!wanted) {
      fill(host, h("p", { class: "pad quiet" }, "This file has no animations."));
      return;
    }
    current = wanted;
    const mine = ++turn;
    const index = list.items.indexOf(wanted);
    list.select(index);
    if (index >= 0) list.reveal(index);
    const root = parseJson(await (await app.source.part(file.number, wanted.path)).text());
    if (mine !== turn) return;
    fill(host, wanted.document === "anim-definition" ? definition(app, file, wanted, root) : keyframes(app, file, wanted, root));
  };
  await show(route);
  return {
    element: h("div", { class: "split" }, h("div", { class: "parts-list" }, h("div", { class: "bar" }, search), list.element, list.emptyMessage), host),
    goTo: (to) => {
      void show(to).catch((error) => app.fail("The animation cannot be shown", error));
      return true;
    },
  };
}

function heading(app: App, file: FileInfo, part: Part, title: string, facts: string): HTMLElement {
  return h("div", { class: "bar" }, h("strong", { class: "ellipsis" }, title), h("span", { class: "quiet" }, facts), h("span", { class: "grow" }), h("span", { class: "quiet" }, "Playing is not built yet."), h("a", { class: "button small", href: app.href({ file: file.path, view: "contents", part: part.path }) }, "Document"));
}

function definition(app: App, file: FileInfo, part: Part, root: JsonNode): HTMLElement {
  const sequences = [
    ...(get(root, "reset_state") ? [{ name: "reset state", activation: "on reset", events: get(root, "reset_state")?.children ?? [] }] : []),
    ...(get(root, "sequences")?.children ?? []).map((sequence) => ({
      name: str(get(sequence, "name")) || "(no name)",
      activation: str(get(sequence, "activation")),
      events: get(sequence, "events")?.children ?? [],
    })),
  ].map((sequence) => ({ ...sequence, timed: schedule(sequence.events) }));
  const length = Math.max(0.001, ...sequences.flatMap((sequence) => sequence.timed.map((event) => event.start + event.length)));
  const lists = ["objects", "nodes", "lights", "puffers", "dynamic_sounds", "static_sounds"];
  const name = str(get(root, "animation_name")) || baseName(part.path);
  inspectName(app, "animation", name, [
    {
      title: "Definition",
      body: rows([
        ["Name", str(get(root, "name"))],
        ["Root node", str(get(root, "animation_root_name"))],
        ["Activation", str(get(root, "activation"))],
        ["Reset time", get(root, "reset_time")?.value],
        ...lists.map((key) => [key.replace("_", " "), (get(root, key)?.children ?? []).map(str).join(", ")] as [string, string]),
      ]),
    },
    { title: "Where it is stored", body: explainLater(app, file.number, part.path) },
  ]);
  let depth = 0;
  const eventRow = (event: TimedEvent): HTMLElement => {
    if (["ELSE", "ELSEIF", "ENDIF"].includes(event.kind)) depth = Math.max(0, depth - 1);
    const indent = depth;
    if (["IF", "ELSE", "ELSEIF"].includes(event.kind)) depth++;
    const bar = h("span", { class: "event-bar" });
    bar.style.left = `${(event.start / length) * 100}%`;
    bar.style.width = `max(3px, ${(event.length / length) * 100}%)`;
    const details = event.body.children.map((field) => {
      const named = nameOf(field, "anim-definition") ?? (field.type === "object" && get(field, "name") ? { kind: "node", name: str(get(field, "name")) } : null);
      const value = field.children.length ? (field.type === "object" ? field.children.map((child) => `${child.key} ${child.children.length ? summary(child) : child.value}`).join(", ") : summary(field)) : field.value;
      return h("span", { class: "event-field" }, h("span", { class: "quiet" }, `${field.key} `), named ? h("button", { type: "button", class: "link", onclick: () => inspectName(app, named.kind, named.name) }, value) : value);
    });
    const row = h("div", { class: "event" }, h("span", { class: "event-track", title: `${short(event.start)} s${event.length ? ` for ${short(event.length)} s` : ""}` }, bar), h("span", { class: "mono quiet event-time", title: event.when }, short(event.start, 2)), h("a", { class: "event-kind", href: app.href({ file: file.path, view: "contents", part: part.path, at: event.node.at }) }, event.kind), h("span", { class: "event-fields" }, details));
    row.style.setProperty("--depth", String(indent));
    return row;
  };
  return h(
    "div",
    { class: "part" },
    heading(app, file, part, name, `${plural(sequences.length, "sequence")}, ${plural(sequences.reduce((sum, each) => sum + each.events.length, 0), "event")}, at least ${short(length, 2)} s`),
    h(
      "div",
      { class: "scroll timeline", tabIndex: 0, role: "region", "aria-label": "Timeline" },
      sequences.map((sequence) => {
        depth = 0;
        return h("section", null, h("h3", null, sequence.name, h("small", { class: "quiet" }, ` ${sequence.activation}`)), sequence.timed.length ? sequence.timed.map(eventRow) : h("p", { class: "quiet" }, "No events."));
      }),
      h("p", { class: "quiet" }, "Times are those that the file fixes. Branches, loops and called animations decide at run time."),
    ),
  );
}

function keyframes(app: App, file: FileInfo, part: Part, root: JsonNode): HTMLElement {
  const parts_ = get(root, "parts")?.children ?? [];
  const frames = get(root, "frames")?.children ?? [];
  app.inspect({ title: baseName(part.path), kind: part.document ?? "", sections: [{ title: "Motion", body: rows([["Loop time", get(root, "loop_time")?.value], ["Parts", parts_.length ? count(parts_.length) : ""], ["Keyframes", frames.length ? count(frames.length) : ""]]) }, { title: "Where it is stored", body: explainLater(app, file.number, part.path) }] });
  const span = Math.max(0.001, ...frames.map((frame) => number(get(frame, "time")?.children[1])));
  return h(
    "div",
    { class: "part" },
    heading(app, file, part, baseName(part.path).replace(/\.json$/, ""), parts_.length ? `${plural(parts_.length, "part")}, loop of ${short(number(get(root, "loop_time")), 3)} s` : plural(frames.length, "keyframe")),
    h(
      "div",
      { class: "scroll timeline", tabIndex: 0, role: "region", "aria-label": "Timeline" },
      parts_.map((each) => {
        const keys = Math.max(get(each, "translations")?.children.length ?? 0, get(each, "rotations")?.children.length ?? 0);
        const track = h("span", { class: "event-track wide" });
        for (let n = 0; n < Math.min(keys, 400); n++) {
          const tick = h("span", { class: "tick" });
          tick.style.left = `${(n / Math.max(1, keys)) * 100}%`;
          track.append(tick);
        }
        const name = str(get(each, "name"));
        return h("div", { class: "event" }, track, h("button", { type: "button", class: "link event-kind", onclick: () => inspectName(app, "node", name) }, name), h("span", { class: "quiet" }, `${plural(get(each, "translations")?.children.length ?? 0, "translation")}, ${plural(get(each, "rotations")?.children.length ?? 0, "rotation")}`));
      }),
      frames.map((frame) => {
        const [from, to] = (get(frame, "time")?.children ?? []).map(number);
        const bar = h("span", { class: "event-bar" });
        bar.style.left = `${((from ?? 0) / span) * 100}%`;
        bar.style.width = `max(2px, ${(((to ?? 0) - (from ?? 0)) / span) * 100}%)`;
        return h("div", { class: "event" }, h("span", { class: "event-track wide" }, bar), h("span", { class: "mono quiet event-time" }, short(from ?? 0, 3)), h("span", null, frame.children.filter((child) => child.key !== "time").map((child) => `${child.key} ${summary(child)}`).join("; ")));
      }),
    ),
  );
}
