// The parts of a file's tree: JSON, text, pictures, sounds and bytes.

import type { App, View } from "../app";
import { baseName, bytes, download, fill, h, icon, iconButton, plural, smallButton, withBar } from "../dom";
import { actionsOf, describeFile, explainLater, refsBody, rows, sizeText } from "../inspect";
import type { Route } from "../route";
import type { FileInfo, Part } from "../source";
import { VirtualList } from "../virtual";
import { jsonView } from "./document";
import { partNamed, type PartView } from "./part";
import { galleryOf, pictureView } from "./pictures";
import { soundView } from "./sounds";
import { hexView, textView } from "./text";

const PART_ICONS: Record<string, string> = {
  json: "json",
  text: "text",
  picture: "picture",
  sound: "sound",
  bytes: "bytes",
};

interface PartLine {
  name: string;
  path: string;
  depth: number;
  part?: Part;
  /** Number of parts in a folder. */
  parts?: number;
}

/** Parts and their folders, in order, without a folder that all parts share. */
function partLines(all: Part[], wanted: string, closed: Set<string>): PartLine[] {
  const shown = all.filter((part) => part.path.toLowerCase().includes(wanted));
  const folders = new Map<string, number>();
  for (const part of shown) {
    for (let at = part.path.indexOf("/"); at >= 0; at = part.path.indexOf("/", at + 1))
      folders.set(part.path.slice(0, at), (folders.get(part.path.slice(0, at)) ?? 0) + 1);
  }
  const others = shown.filter((part) => part.path !== "refit.json").length;
  const flat = [...folders]
    .filter(([, n]) => n === others)
    .map(([path]) => path)
    .sort((a, b) => b.length - a.length)[0];
  const skip = flat === undefined ? 0 : flat.split("/").length;
  const out: PartLine[] = [];
  const seen = new Set<string>();
  // Folders first, then names: as file managers show them.
  const key = (path: string): string =>
    path
      .split("/")
      .map((name, n, all_) => `${n < all_.length - 1 ? 0 : 1}${name.toLowerCase()}`)
      .join("\u0001");
  const keyed = shown
    .map((part) => [key(part.path), part] as const)
    .sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
  for (const [, part] of keyed) {
    const names = part.path.split("/");
    let hidden = false;
    for (let n = skip; n < names.length - 1; n++) {
      const path = names.slice(0, n + 1).join("/");
      if (!hidden && !seen.has(path)) {
        seen.add(path);
        out.push({ name: names[n], path, depth: n - skip, parts: folders.get(path) });
      }
      if (!wanted && closed.has(path)) hidden = true;
    }
    if (!hidden)
      out.push({ name: names[names.length - 1], path: part.path, depth: Math.max(0, names.length - 1 - skip), part });
  }
  return out;
}

/** Contents of a file: its parts on the left, one of them on the right. `only` selects a kind of part. */
export function contentsView(app: App, file: FileInfo, parts: Part[], route: Route, only?: "picture" | "sound"): View {
  const all = only ? parts.filter((part) => part.kind === only) : parts;
  const host = h("div", { class: "part-host" });
  let shown: PartView | null = null;
  let current: Part | null = null;
  let asked = 0;

  const closed = new Set<string>();
  let wanted = "";
  const list = new VirtualList<PartLine>({
    label: "Parts",
    role: "tree",
    rowHeight: 24,
    render: (row, line) => {
      row.style.paddingLeft = `${8 + line.depth * 14}px`;
      row.setAttribute("aria-level", String(line.depth + 1));
      if (line.part) {
        row.append(
          icon(PART_ICONS[line.part.kind] ?? "bytes"),
          h("span", { class: "grow ellipsis", title: line.part.path }, line.name),
          h("span", { class: "quiet number" }, bytes(line.part.bytes)),
        );
        return;
      }
      row.setAttribute("aria-expanded", String(!closed.has(line.path)));
      row.append(
        h("span", { class: `twisty ${closed.has(line.path) ? "closed" : "open"}` }),
        h("span", { class: "grow ellipsis", title: line.path }, line.name),
        h("span", { class: "quiet number" }, String(line.parts)),
      );
    },
    onselect: ({ part, path }, index) => {
      if (part) {
        if (part !== current) app.go({ file: file.path, view: app.route.view, part: part.path });
        return;
      }
      if (!closed.delete(path)) closed.add(path);
      list.set(partLines(all, wanted, closed), true);
      list.select(index);
    },
    empty: "No part has this name.",
  });
  const place = (part: Part | null): number => list.items.findIndex((line) => line.part && line.part === part);

  const search = h("input", {
    type: "search",
    placeholder: `Filter ${plural(all.length, "part")}`,
    "aria-label": "Filter parts",
    oninput: () => filter(),
  });
  const filter = (): void => {
    wanted = search.value.trim().toLowerCase();
    list.set(partLines(all, wanted, closed));
    list.select(place(current));
    gallery?.filter(wanted);
  };

  const open = async (part: Part, at: string | undefined): Promise<void> => {
    if (part === current && shown) {
      shown.show?.(at);
      return;
    }
    if (shown?.isDirty?.() && !window.confirm("Leave the text without saving it?")) return;
    const turn = ++asked;
    current = part;
    const index = place(part);
    list.select(index);
    if (index >= 0) list.reveal(index);
    shown?.dispose?.();
    shown = null;
    fill(host, h("p", { class: "loading" }, `Loading ${part.path}…`));
    try {
      const view = await partView(app, file, part, all, at);
      if (turn !== asked) {
        view.dispose?.();
        return;
      }
      shown = view;
      fill(host, view.element);
      inspectPart(app, file, part);
      // A place in it is explained instead.
      view.show?.(at);
    } catch (error) {
      if (turn !== asked) return;
      fill(
        host,
        h("p", { class: "bad-text pad" }, `${part.path}: ${error instanceof Error ? error.message : String(error)}`),
      );
      inspectPart(app, file, part);
    }
    app.takeAfterShow();
  };

  const gallery = only === "picture" ? galleryOf(app, file, all) : null;
  const show = (to: Route): void => {
    const wanted = to.part
      ? (all.find((part) => part.path === to.part) ??
        all.find((part) => part.path === guessPart(to.part as string, all)))
      : to.name
        ? partNamed(all, to.name)
        : undefined;
    if (wanted) void open(wanted, to.at);
    else if (gallery) {
      asked++;
      shown?.dispose?.();
      shown = null;
      current = null;
      list.select(-1);
      fill(host, gallery.element);
      inspectFile(app, file, all);
    } else if (all.length) {
      const at =
        to.at && !to.part
          ? all.find(
              (part) => part.document && (to.at as string).startsWith(baseName(part.path).replace(/\.json$/, "")),
            )
          : undefined;
      const first = partLines(all, "", new Set()).find(
        (line) => line.part && !/^(refit\.json|\.)/.test(line.path),
      )?.part;
      void open(at ?? first ?? all[0], to.at);
    }
  };
  filter();
  const element = h(
    "div",
    { class: "split" },
    all.length > 1 &&
      withBar(
        "parts-list",
        [
          search,
          gallery &&
            iconButton("picture", "Show all pictures", () => app.go({ file: file.path, view: app.route.view })),
        ],
        list.element,
        list.emptyMessage,
      ),
    host,
  );
  if (!all.length) fill(host, h("p", { class: "pad quiet" }, "This file has no parts."));
  show(route);
  return {
    element,
    goTo: (to) => {
      show(to);
      return true;
    },
    isEditing: () => shown?.isEditing?.() ?? false,
    isDirty: () => shown?.isDirty?.() ?? false,
    dispose: () => {
      asked++;
      shown?.dispose?.();
    },
  };
}

function guessPart(path: string, parts: Part[]): string | undefined {
  return parts.find((part) => part.path.endsWith(`/${path}`) || part.path === `${path}.json`)?.path;
}

/** The description of a file, while all of its pictures are shown. */
export function inspectFile(app: App, file: FileInfo, parts: Part[]): void {
  if (app.takeAfterShow()) return;
  describeFile(app, file, ["Pictures", parts.length ? String(parts.length) : ""]);
}

export function inspectPart(app: App, file: FileInfo, part: Part): void {
  const save = smallButton("Download", "Saves this part as a file", () => {
    app.source.part(file.number, part.path).then(
      (blob) => download(baseName(part.path), blob),
      (error) => app.fail(`${part.path} cannot be saved`, error),
    );
  });
  const sections = [
    {
      title: "Part",
      body: h(
        "div",
        null,
        actionsOf(app, file.path, save),
        rows([
          ["Path", part.path],
          ["Kind", part.document ? `${part.document} document` : part.kind],
          ["Size", sizeText(part.bytes)],
          ["File", file.path],
        ]),
      ),
    },
    { title: "Where it is stored", body: explainLater(app, file.number, part.path) },
  ];
  if (part.kind === "picture" || part.kind === "sound") {
    const name = baseName(part.path).replace(/(\.alpha)?\.(png|wav)$/, "");
    sections.push({
      title: "Definitions and uses",
      body: refsBody(app, part.kind === "sound" ? "sound" : "texture", name),
    });
  }
  app.inspect({ title: baseName(part.path), kind: part.kind, sections });
}

async function partView(app: App, file: FileInfo, part: Part, all: Part[], at: string | undefined): Promise<PartView> {
  if (part.kind === "picture") {
    try {
      return await pictureView(app, file, part, all);
    } catch (error) {
      return unlike(
        part,
        new Uint8Array(await (await app.source.part(file.number, part.path)).arrayBuffer()),
        "picture",
        error,
      );
    }
  }
  const blob = await app.source.part(file.number, part.path);
  switch (part.kind) {
    case "json":
      return jsonView(app, file, part, await blob.text(), at);
    case "text":
      return textView(app, file, part, await blob.text());
    case "sound":
      try {
        return soundView(app, file, part, await blob.arrayBuffer());
      } catch (error) {
        return unlike(part, new Uint8Array(await blob.arrayBuffer()), "sound", error);
      }
    default:
      return hexView(part, new Uint8Array(await blob.arrayBuffer()));
  }
}

/** A part whose content does not match its name, as bytes. */
function unlike(part: Part, data: Uint8Array, kind: string, error: unknown): PartView {
  const view = hexView(part, data);
  const why = error instanceof Error ? error.message : String(error);
  view.element.prepend(
    h(
      "p",
      { class: "unlike", role: "note" },
      `This ${kind} cannot be shown (${why.replace(/\.$/, "")}): these are its bytes.`,
    ),
  );
  return view;
}
