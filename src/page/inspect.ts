// The inspector's information on names, places and findings.

import { SEVERITIES, severityClass, severityRank, type App, type Inspected } from "./app";
import { baseName, bytes, copy, count, fill, h, icon, plural, smallButton } from "./dom";
import { soundUrl } from "./play/sounds";
import type { Route } from "./route";
import { isScene, load, nodesWith } from "./scenes";
import { meanwhile, surveyBar } from "./soon";
import type { ExplainLine, Finding, OpenedFile, Place, Refs } from "./source";

export function rows(pairs: [string, string | Node | null | undefined][]): HTMLElement {
  return h(
    "dl",
    { class: "rows" },
    pairs
      .filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([label, value]) => [h("dt", null, label), h("dd", null, value as string | Node)]),
  );
}

/** A link to a place that uses or defines a name. */
export function placeLink(app: App, place: Place, label?: string): HTMLElement {
  const file = app.byNumber(place.file);
  const where = [file?.path ?? "", place.document ?? "", place.at ?? ""].filter(Boolean).join(" › ");
  if (!file) return h("span", { class: "place" }, label ?? where);
  const route = placeRoute(app, place) ?? { file: file.path };
  return h(
    "a",
    { class: "place", href: app.href(route), title: where },
    h("b", null, label ?? (place.document || file.path)),
    h("small", null, label ? where : [file.path, place.at].filter(Boolean).join(" › ")),
  );
}

/** True for a definition of an animation, which can be played. */
const isDefinition = (app: App, place: Place): boolean =>
  app.byNumber(place.file)?.format === "anim" && /^defs\//.test(place.document ?? "");

/** Places by document: a definition may name a node in several lists. */
function places(app: App, title: string, list: Place[]): HTMLElement | null {
  if (!list.length) return null;
  const groups = new Map<string, Place[]>();
  for (const place of list) {
    const key = `${place.file} ${place.document}`;
    groups.set(key, [...(groups.get(key) ?? []), place]);
  }
  const item = (all: Place[]): HTMLElement => {
    const [place] = all;
    const link = placeLink(app, place);
    const file = app.byNumber(place.file);
    const fields = all
      .map((each) => each.at)
      .filter(Boolean)
      .join(", ");
    if (all.length > 1) link.querySelector("small")?.replaceChildren([file?.path, fields].filter(Boolean).join(" › "));
    const play = file && isDefinition(app, place);
    return h(
      "li",
      { class: play ? "with-action" : "" },
      link,
      play &&
        h(
          "a",
          {
            class: "button small",
            href: app.href({ file: file.path, view: "animations", part: place.document ?? undefined }),
          },
          "Play",
        ),
    );
  };
  const items = [...groups.values()];
  return h(
    "div",
    null,
    h("h4", null, `${title} (${count(items.length)})`),
    h("ul", { class: "places" }, items.slice(0, 60).map(item)),
    items.length > 60 && h("p", { class: "quiet" }, `and ${count(items.length - 60)} more`),
  );
}

/** Definitions and uses of a name. This reads all files; results so far are shown in the meantime. */
export function refsBody(app: App, kind: string, name: string): HTMLElement {
  const [known, far] = [h("div", null), h("div", null, h("p", { class: "quiet" }, "Loading…"))];
  const box = h("div", null, known, far);
  let shown = 0;
  const see = ({ defines = [], uses = [] }: Partial<Refs>): void => {
    // A link that a person is about to click must not move.
    if (defines.length + uses.length === shown) return;
    shown = defines.length + uses.length;
    fill(known, places(app, "Defined in", defines), places(app, "Used by", uses));
  };
  const answer = app.source.refs(kind, name);
  meanwhile(
    app.source,
    answer,
    "refs",
    { kind, name },
    (soon) => {
      see(soon);
      fill(far, surveyBar(soon.progress));
    },
    () => box.isConnected,
  );
  answer.then(
    (refs) => {
      see(refs);
      const nodes = kind === "texture" && shownBy(app, name, refs.uses);
      if (nodes) known.prepend(nodes);
      fill(far, !shown && h("p", { class: "quiet" }, `refit knows no ${kind} “${name}” in what is open.`));
    },
    (error) => fill(far, h("p", { class: "bad-text" }, error instanceof Error ? error.message : String(error))),
  );
  return box;
}

/** Larger worlds are only read on demand. */
const LARGE = 20e6;

/** The nodes of each world that show a texture. */
function shownBy(app: App, texture: string, uses: Place[]): HTMLElement | null {
  const near = (file: OpenedFile): number =>
    file.path === app.route.file ? 0 : file.group === app.byPath(app.route.file)?.group ? 1 : 2;
  const files = [...new Set(uses.map((place) => place.file))]
    .flatMap((number) => app.byNumber(number) ?? [])
    .filter((file) => isScene(file.format));
  if (!files.length) return null;
  return h(
    "div",
    null,
    files
      .sort((a, b) => near(a) - near(b))
      .slice(0, 12)
      .map((file, n) => {
        const body = h("div", null);
        const show = (): void => {
          fill(body, h("p", { class: "quiet" }, "Looking for nodes…"));
          load(app, file, () => undefined).then(
            (scene) => {
              const rows = nodesWith(scene, texture);
              const item = (row: number): HTMLElement => {
                const name = scene.header.nodes.names[row];
                return h(
                  "li",
                  null,
                  h(
                    "a",
                    {
                      class: "place",
                      href: app.href({ file: file.path, view: "scene", ...(name ? { name } : { node: String(row) }) }),
                    },
                    h("b", null, name || `node ${row}`),
                  ),
                );
              };
              const more = rows.length - 40;
              fill(
                body,
                h(
                  "h4",
                  null,
                  `Shown by ${plural(rows.length, "node")}`,
                  files.length > 1 && h("small", { class: "quiet" }, ` of ${file.path}`),
                ),
                rows.length > 0 && h("ul", { class: "places names" }, rows.slice(0, 40).map(item)),
                more > 0 && h("p", { class: "quiet" }, `and ${count(more)} more`),
              );
            },
            (error) => fill(body, h("p", { class: "quiet" }, error instanceof Error ? error.message : String(error))),
          );
        };
        if (n < 2 && file.bytes <= LARGE) show();
        else
          body.append(
            h("button", { type: "button", class: "button small", onclick: show }, `Nodes of ${file.path} that show it`),
          );
        return body;
      }),
  );
}

/** Shows the definitions and uses of a name. */
export function inspectName(app: App, kind: string, name: string, first: Inspected["sections"] = []): void {
  const sections = [...first, { title: "Definitions and uses", body: refsBody(app, kind, name) }];
  if (kind === "texture") sections.unshift({ title: "As the game chooses it", body: textureBody(app, name) });
  if (kind === "sound") sections.unshift({ title: "Listen", body: soundBody(app, name) });
  app.inspect({ title: name, kind, sections });
}

/** Goes to the definition of a name; shows its uses if refit knows no definition. */
export async function goToDefinition(app: App, kind: string, name: string): Promise<void> {
  const refs = await app.source.refs(kind, name);
  // Prefer a definition in the shown file, or near it.
  const here = app.byPath(app.route.file);
  const near = (place: Place): number => {
    const file = app.byNumber(place.file);
    return file === here ? 0 : file?.group && file.group === here?.group ? 1 : 2;
  };
  const place = [...refs.defines].sort((a, b) => near(a) - near(b))[0];
  if (!place) return inspectName(app, kind, name);
  const file = app.byNumber(place.file)?.path;
  if (file && kind !== "node" && kind !== "message") app.afterShow = { file, run: () => inspectName(app, kind, name) };
  goPlace(app, place);
}

/** The URL of a place on the page. */
export function placeRoute(app: App, place: Place): Route | null {
  const file = app.byNumber(place.file);
  if (!file) return null;
  if (place.kind === "node" && isScene(file.format)) return { file: file.path, view: "scene", name: place.name };
  if (place.kind === "message" && file.format === "messages")
    return { file: file.path, view: "messages", name: place.name };
  if (place.kind === "animation" && place.defines && place.document)
    return { file: file.path, view: "animations", part: place.document };
  const document = place.document || undefined;
  if (!document && place.kind === "texture") return { file: file.path, view: "pictures", name: place.name };
  if (!document && place.kind === "sound") return { file: file.path, view: "sounds", name: place.name };
  return {
    file: file.path,
    view: "contents",
    part: document,
    at: place.at || undefined,
    name: document ? undefined : place.name,
  };
}

export function goPlace(app: App, place: Place): void {
  const route = placeRoute(app, place);
  if (route) app.go(route);
  else inspectName(app, place.kind, place.name);
}

async function textureBody(app: App, name: string): Promise<HTMLElement> {
  const near = app.byPath(app.route.file)?.number ?? 0;
  const answer = await app.source.texture(name, near);
  if (!answer) return h("p", { class: "quiet" }, "No package has this texture.");
  const url = URL.createObjectURL(answer.blob);
  const image = h("img", {
    class: "thumb checker",
    src: url,
    alt: `texture ${name}`,
    onload: () => URL.revokeObjectURL(url),
  });
  const facts = [answer.transparency === "holes" ? "has holes" : answer.transparency === "mixed" ? "blends" : "opaque"];
  if (answer.additive) facts.push("additive");
  return h("div", null, image, h("p", { class: "quiet" }, facts.join(", ")), toReplace(app, "texture", name));
}

/** The way to where a texture or a sound can be replaced. */
function toReplace(app: App, kind: "texture" | "sound", name: string): HTMLElement | false {
  const title =
    kind === "texture" ? "Shows its package, where a PNG replaces it" : "Shows its bank, where a WAV replaces it";
  return (
    app.edits?.possible === true &&
    !["pictures", "sounds"].includes(app.route.view ?? "") &&
    smallButton("Open to replace", title, () => void goToDefinition(app, kind, name))
  );
}

async function soundBody(app: App, name: string): Promise<HTMLElement> {
  const url = await soundUrl(app, name);
  return url
    ? h(
        "div",
        null,
        h("audio", { controls: true, src: url, preload: "none", "aria-label": `sound ${name}` }),
        toReplace(app, "sound", name),
      )
    : h("p", { class: "quiet" }, "No bank has its file.");
}

export function explainTable(lines: ExplainLine[]): HTMLElement {
  if (!lines.length) return h("p", { class: "quiet" }, "No bytes of the file are stored for this alone.");
  const shown = lines.slice(0, 200);
  return h(
    "div",
    { class: "explain" },
    h(
      "table",
      null,
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          ["Offset", "Bytes", "Field", "What it is"].map((text) => h("th", { scope: "col" }, text)),
        ),
      ),
      h(
        "tbody",
        null,
        shown.map((line) =>
          h(
            "tr",
            { title: line.role ?? "" },
            h("td", { class: "mono" }, `0x${line.offset.toString(16)}`),
            h("td", { class: "number" }, count(line.bytes)),
            h("td", null, line.path),
            h("td", null, line.meaning ?? line.role ?? ""),
          ),
        ),
      ),
    ),
    lines.length > shown.length && h("p", { class: "quiet" }, `and ${count(lines.length - shown.length)} more`),
  );
}

/** Loads the position in the file when the section is opened: it can be slow. */
export function explainLater(app: App, file: number, path: string, at?: string): HTMLElement {
  const box = h("div", null);
  const button = h(
    "button",
    {
      type: "button",
      class: "button small",
      onclick: async () => {
        button.disabled = true;
        try {
          const { lines, fault } = await app.source.explain(file, path, at);
          // Of a damaged file the last lines before the fault matter.
          const shown = fault ? lines.slice(-40) : lines;
          box.replaceChildren(explainTable(shown), fault ? h("p", { class: "bad-text" }, fault) : "");
        } catch (error) {
          box.replaceChildren(h("p", { class: "bad-text" }, error instanceof Error ? error.message : String(error)));
        }
      },
    },
    "Show the bytes",
  );
  box.append(button);
  return box;
}

export function badge(severity: string): HTMLElement {
  return h("span", { class: `badge ${severityClass(severity)}` }, severity);
}

export function findingItem(app: App, finding: Finding): HTMLElement {
  const file = app.byNumber(finding.file);
  return h(
    "div",
    { class: "finding" },
    h("div", null, badge(finding.severity), " ", h("code", null, finding.code)),
    h("p", null, finding.message),
    finding.path &&
      (file
        ? h("a", { href: app.href(findingRoute(app, finding)), class: "quiet" }, finding.path)
        : h("span", { class: "quiet" }, finding.path)),
  );
}

/** `nodes.json.nodes[3].name` names a part of the tree and a place in it. */
export function findingRoute(app: App, finding: Finding): { file: string; view: string; part?: string; at?: string } {
  const file = app.byNumber(finding.file);
  const text = finding.path ?? "";
  const split = /^(.*?\.(?:json|png|wav|zrd|txt|gw|cfg|cpp|sqm|rvmat|bin))(?:[.:](.*))?$/.exec(text);
  return { file: file?.path ?? "", view: "contents", part: split?.[1], at: split ? split[2] : text || undefined };
}

export function sortFindings(list: Finding[]): Finding[] {
  return [...list].sort((a, b) => severityRank(a.severity) - severityRank(b.severity));
}

export function severityCounts(list: Finding[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const each of list) counts.set(each.severity, (counts.get(each.severity) ?? 0) + 1);
  return [...counts].sort((a, b) => SEVERITIES.indexOf(a[0]) - SEVERITIES.indexOf(b[0]));
}

export function copyButton(text: string, label: string): HTMLElement {
  return h(
    "button",
    { type: "button", class: "icon-button", title: label, "aria-label": label, onclick: () => void copy(text) },
    icon("link"),
  );
}

/** Describes a file, with further facts. */
/** Buttons below the facts of a file or a part: copy its path, and what else there is. */
export function actionsOf(app: App, path: string, ...more: HTMLElement[]): HTMLElement {
  // A file that was opened alone is the root itself.
  const root = app.opened.root?.replace(/[\\/]$/, "");
  const whole = root === undefined || root === path || root.endsWith(`/${path}`) ? (root ?? path) : `${root}/${path}`;
  const said = h("small", { class: "quiet", role: "status" });
  const button = smallButton("Copy the path", whole, () => {
    void copy(whole).then(() => (said.textContent = "copied"));
  });
  return h("div", { class: "actions" }, button, more, said);
}

export function describeFile(
  app: App,
  file: Pick<OpenedFile, "number" | "path" | "format" | "bytes">,
  ...more: [string, string][]
): void {
  app.inspect({
    title: baseName(file.path),
    kind: file.format ?? "file",
    sections: [
      {
        title: "File",
        body: h(
          "div",
          null,
          actionsOf(app, file.path),
          rows([
            ["Path", file.path],
            ["Role", app.byNumber(file.number)?.role],
            ["Size", sizeText(file.bytes)],
            ...more,
          ]),
        ),
      },
    ],
  });
}

export const sizeText = (n: number): string => (n >= 1000 ? `${bytes(n)} (${count(n)} bytes)` : plural(n, "byte"));
