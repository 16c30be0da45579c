// Animations, motions of 'mechs, and scripts: a list of them, and the one that plays.

import type { App, View } from "../app";
import { baseName, count, fill, h, icon, plural, short, withBar } from "../dom";
import { blenderButton } from "../edit/blender";
import { motionTaker } from "../edit/files";
import { explainLater, inspectName, rows } from "../inspect";
import { parseJson, summary, type JsonNode } from "../json";
import { MotionPanel, motionFacts } from "../play/motion-panel";
import { get, offerSamples, PlayPanel, str } from "../play/panel";
import { doc } from "../play/values";
import type { Route } from "../route";
import type { FileInfo, Part } from "../source";
import { VirtualList } from "../virtual";

const number = (node: JsonNode | undefined): number => (node ? Number(node.value) || 0 : 0);

export async function animationsView(app: App, file: FileInfo, parts: Part[], route: Route): Promise<View> {
  const all = parts.filter(
    (part) => part.document === "anim-definition" || part.document === "motion" || part.document === "anim-script",
  );
  const host = h("div", { class: "part-host" });
  let current: Part | undefined;
  let playing: { element: HTMLElement; dispose(): void } | null = null;
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
  const show = async (to: Route): Promise<void> => {
    const wanted =
      all.find((part) => part.path === to.part) ??
      all.find((part) => baseName(part.path) === `${to.name}.json`) ??
      all[0];
    if (!wanted) {
      fill(host, h("p", { class: "pad quiet" }, "This file has no animations."));
      return;
    }
    current = wanted;
    const mine = ++turn;
    const index = list.items.indexOf(wanted);
    list.select(index);
    if (index >= 0) list.reveal(index);
    const text = await (await app.source.part(file.number, wanted.path)).text();
    if (mine !== turn) return;
    const root = parseJson(text);
    playing?.dispose();
    playing = null;
    if (wanted.document === "anim-definition") {
      inspectDefinition(app, file, wanted, root);
      playing = new PlayPanel(app, file, parts, wanted, root, parseJson);
      const name = str(get(root, "animation_name")) || baseName(wanted.path);
      const sequences = get(root, "sequences")?.children ?? [];
      const events = sequences.reduce((sum, each) => sum + (get(each, "events")?.children.length ?? 0), 0);
      fill(
        host,
        headed(
          app,
          file,
          wanted,
          name,
          `${plural(sequences.length, "sequence")}, ${plural(events, "event")}`,
          playing.element,
        ),
      );
    } else if (wanted.document === "motion") {
      inspectFrames(app, file, wanted, root);
      const motion = doc(JSON.parse(text));
      playing = new MotionPanel(app, file, wanted, motion);
      fill(
        host,
        headed(
          app,
          file,
          wanted,
          baseName(wanted.path).replace(/\.json$/, ""),
          motionFacts(motion),
          playing.element,
          h(
            "span",
            { class: "inline" },
            blenderButton(app, file, baseName(wanted.path).replace(/\.json$/, "")),
            motionTaker(app, file, baseName(wanted.path).replace(/\.json$/, ""), playing.element),
          ),
        ),
      );
    } else {
      inspectFrames(app, file, wanted, root);
      fill(host, keyframes(app, file, wanted, root));
    }
  };
  await show(route);
  return {
    element: h(
      "div",
      { class: "split" },
      withBar("parts-list", [search, adder], list.element, list.emptyMessage),
      host,
    ),
    goTo: (to) => {
      void show(to).catch((error) => app.fail("The animation cannot be shown", error));
      return true;
    },
    dispose: () => {
      turn++;
      playing?.dispose();
    },
  };
}

function headed(
  app: App,
  file: FileInfo,
  part: Part,
  title: string,
  facts: string,
  content: HTMLElement,
  more: HTMLElement | null = null,
): HTMLElement {
  const bar = [
    h("strong", { class: "ellipsis" }, title),
    h("span", { class: "quiet" }, facts),
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
  inspectName(app, "animation", str(get(root, "animation_name")) || baseName(part.path), [
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

function keyframes(app: App, file: FileInfo, part: Part, root: JsonNode): HTMLElement {
  const frames = get(root, "frames")?.children ?? [];
  const span = Math.max(0.001, ...frames.map((frame) => number(get(frame, "time")?.children[1])));
  return headed(
    app,
    file,
    part,
    baseName(part.path).replace(/\.json$/, ""),
    `${plural(frames.length, "keyframe")}; it plays with its animation`,
    h(
      "div",
      { class: "scroll timeline", tabIndex: 0, role: "region", "aria-label": "Timeline" },
      frames.map((frame) => {
        const [from, to] = (get(frame, "time")?.children ?? []).map(number);
        const bar = h("span", { class: "event-bar" });
        bar.style.left = `${((from ?? 0) / span) * 100}%`;
        bar.style.width = `max(2px, ${(((to ?? 0) - (from ?? 0)) / span) * 100}%)`;
        return h(
          "div",
          { class: "event" },
          h("span", { class: "event-track wide" }, bar),
          h("span", { class: "mono quiet event-time" }, short(from ?? 0, 3)),
          h(
            "span",
            null,
            frame.children
              .filter((child) => child.key !== "time")
              .map((child) => `${child.key} ${summary(child)}`)
              .join("; "),
          ),
        );
      }),
    ),
  );
}
