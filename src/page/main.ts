// The frame of the page: top bar, files at the left, the view in the middle, the inspector at the right.

import { App, byMission, formatIcon, severityClass, type Inspected, type View } from "./app";
import { bytes, count, debounce, fill, h, icon, iconButton, pathEnd, plural, type Child } from "./dom";
import { goPlace, inspectName, severityCounts } from "./inspect";
import { bind, listen, showKeys } from "./keys";
import type { Route } from "./route";
import { DropScreen } from "./drop";
import { meanwhile, surveyText } from "./soon";
import { StaticSource } from "./static";
import {
  isForeign,
  PROTOCOL,
  ServerSource,
  SourceError,
  type Source,
  type FileInfo,
  type OpenedFile,
  type Part,
  type Place,
} from "./source";
import { animationsView } from "./views/anim";
import {
  damagedView,
  diffView,
  findingsView,
  gameName,
  homeView,
  messagesView,
  statusView,
  summaryView,
} from "./views/lists";
import { mapView } from "./views/map";
import { contentsView } from "./views/parts";
import { changesView } from "./edit/changes";
import { Edits } from "./edit/edits";
import { modsView } from "./edit/mods";
import { warmUp } from "./scene/stage";
import { Reloads } from "./reloads";
import { forgetScenes, isScene, load } from "./scenes";
import { modelsView, sceneView } from "./views/scene";
import { workView } from "./views/work";
import { VirtualList } from "./virtual";
import { WorkerSource } from "./worker-source";

const backEnd = document.querySelector<HTMLMetaElement>("meta[name=refit-source]")?.content;
const worker = backEnd === "worker" ? new WorkerSource() : null;
const source: Source & { forget(): void } = worker ?? (backEnd === "static" ? new StaticSource() : new ServerSource());
const app = new App(source);

// The page keeps the token of the first address, which should not be in a copied one.
if (location.search) history.replaceState(null, "", location.pathname + location.hash);

// Theme

type Theme = "auto" | "dark" | "light";
let theme: Theme = "auto";
try {
  theme = (localStorage.getItem("refit-theme") as Theme | null) ?? "auto";
} catch {
  // Without storage the theme follows the system.
}
function applyTheme(): void {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  themeButton.title = `Theme: ${theme === "auto" ? "as the system" : theme}`;
  themeButton.setAttribute("aria-label", themeButton.title);
  app.tell("theme");
}
const themeButton = iconButton("theme", "Theme", () => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  const order: Theme[] = dark ? ["auto", "light", "dark"] : ["auto", "dark", "light"];
  theme = order[(order.indexOf(theme) + 1) % 3];
  try {
    localStorage.setItem("refit-theme", theme);
  } catch {
    // The choice then lasts as long as the page.
  }
  applyTheme();
});
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => app.tell("theme"));

// Top bar

const title = h("a", { class: "brand", href: "#/" }, h("b", null, "refit"), h("span", { class: "ellipsis" }, ""));
const findingsLink = h(
  "a",
  {
    class: "top-item",
    href: "#/?view=findings",
    title: "Findings: what the game refuses, ignores or reads differently, and what is unusual",
  },
  icon("warn"),
  "Findings",
);
const statusLink = h("a", { class: "top-item", href: "#/?view=status", hidden: true });
const changesLink = h("a", { class: "top-item", href: "#/?view=changes", hidden: true }, icon("edit"), "My changes");
const modsLink = h("a", { class: "top-item", href: "#/?view=mods", hidden: true }, icon("archive"), "Mods");
const undoButton = iconButton("undo", "Undo (Ctrl+Z)", () => void app.edits?.undo(), { hidden: true });
const redoButton = iconButton("redo", "Redo (Ctrl+Y)", () => void app.edits?.redo(), { hidden: true });
const workLink = h(
  "a",
  { class: "top-item", href: "#/?view=work", hidden: true },
  icon("archive"),
  "Check and convert",
);
const otherButton = h(
  "button",
  { type: "button", class: "top-item", hidden: true, onclick: () => showDrop() },
  icon("tree"),
  "Other files…",
);
const stopButton = h(
  "button",
  { type: "button", class: "top-item", hidden: true, onclick: () => worker?.stop() },
  icon("stop"),
  "Working… Stop",
);
const liveText = h("span", { class: "top-item quiet live", role: "status" }, "");
const inspectorButton = iconButton("side", "Hide or show the inspector (])", () =>
  document.body.classList.toggle("no-inspector"),
);
const sideButton = iconButton("list", "Hide or show the files ([)", () => document.body.classList.toggle("no-side"));
// On a narrow screen both sides would cover the view.
const narrow = window.matchMedia("(max-width: 900px)");
const giveWay = (): void => {
  document.body.classList.toggle("no-side", narrow.matches);
  document.body.classList.toggle("no-inspector", narrow.matches);
};
if (narrow.matches) giveWay();
narrow.addEventListener("change", giveWay);
/** True while the page goes back to the start page. */
let isLeaving = false;
/** Ends the question for what changed on disk. */
let asking = new AbortController();
/** Goes back to the start page. */
async function leave(): Promise<void> {
  if (view?.isDirty?.() && !window.confirm("Leave the text without saving it?")) return;
  try {
    await app.edits?.calm();
    // The server ends with the answer: no question may be under way.
    isLeaving = true;
    asking.abort();
    await source.close?.();
    history.replaceState(null, "", location.pathname);
    location.reload();
  } catch (error) {
    isLeaving = false;
    app.fail("The start page cannot be shown", error);
  }
}
const homeButton = iconButton("home", "Other games and projects (G)", () => void leave(), {
  hidden: source.kind !== "server",
});
const top = h(
  "header",
  { class: "top" },
  sideButton,
  homeButton,
  title,
  h("span", { class: "grow" }),
  liveText,
  stopButton,
  otherButton,
  workLink,
  undoButton,
  redoButton,
  changesLink,
  modsLink,
  statusLink,
  findingsLink,
  iconButton("help", "Keys (?)", showKeys),
  themeButton,
  inspectorButton,
);

// Errors

const errorText = h("div", { class: "grow" });
const errorPanel = h(
  "div",
  { class: "error-panel", role: "alert", hidden: true },
  icon("warn"),
  errorText,
  iconButton("close", "Close the message", () => (errorPanel.hidden = true)),
);
app.fail = (what, error) => {
  console.info(what, error);
  const fault = error instanceof SourceError ? error.fault : null;
  const message = error instanceof Error ? error.message : String(error);
  fill(
    errorText,
    h("b", null, what),
    h("p", null, fault?.path && !message.startsWith(fault.path) ? `${fault.path}: ` : "", message),
    fault?.offset !== undefined &&
      fault.offset !== null &&
      h("p", { class: "quiet" }, `at byte ${fault.offset} (0x${fault.offset.toString(16)})`),
    fault?.hint && h("p", null, fault.hint),
  );
  errorPanel.classList.remove("is-note");
  errorPanel.hidden = false;
};

app.note = (what, lines) => {
  fill(
    errorText,
    h("b", null, what),
    h(
      "ul",
      null,
      lines.slice(0, 20).map((line) => h("li", null, line)),
    ),
    lines.length > 20 && h("p", { class: "quiet" }, `and ${lines.length - 20} more`),
  );
  errorPanel.classList.add("is-note");
  errorPanel.hidden = false;
};

// Edits

let saidAt = 0;
/** Says something in the top bar for a while. */
function say(text: string, time = 8000): void {
  liveText.textContent = text;
  liveText.title = text;
  const mine = ++saidAt;
  window.setTimeout(() => {
    if (mine === saidAt) liveText.textContent = liveText.title = "";
  }, time);
}
if (source.kind === "server" && source.edits)
  app.edits = new Edits(app, (text) => {
    errorPanel.hidden = true;
    say(text);
  });
app.listeners.add((reason) => {
  if (reason === "edits") {
    const state = app.edits?.state;
    changesLink.hidden = modsLink.hidden = !app.edits?.possible;
    undoButton.hidden = redoButton.hidden = !state?.editable;
    undoButton.disabled = !state?.can_undo;
    redoButton.disabled = !state?.can_redo;
    const n = state?.edits.length ?? 0;
    fill(changesLink, icon("edit"), "My changes", n > 0 && h("span", { class: "count mild" }, count(n)));
    if (app.route.view === "changes" && !app.route.file) void show(app.route, true);
  }
  if (reason === "edited") app.reloading = reloads.ask(null).catch(() => undefined);
});
window.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
  const target = event.composedPath()[0];
  const typing =
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      (/^(INPUT|TEXTAREA)$/.test(target.tagName) && !/checkbox/.test((target as HTMLInputElement).type)));
  if (typing || document.querySelector("dialog[open]")) return;
  const key = event.key.toLowerCase();
  if (key === "z" && !event.shiftKey) void app.edits?.undo();
  else if (key === "y" || (key === "z" && event.shiftKey)) void app.edits?.redo();
  else return;
  event.preventDefault();
});

// Inspector

const inspectorBody = h("div", { class: "inspector-body", tabIndex: 0, role: "region", "aria-label": "Details" });
const inspector = h("aside", { class: "inspector", "aria-label": "Inspector" }, inspectorBody);
let inspected = 0;
/** The previous content, while links within the inspector are followed. */
const before: Inspected[] = [];
let follows = false;
inspectorBody.addEventListener(
  "click",
  (event) => {
    follows = event.target instanceof Element && event.target.closest("button.link:not(.back)") !== null;
    window.setTimeout(() => (follows = false));
  },
  { capture: true },
);
app.inspect = (what: Inspected | null) => {
  if (!follows) before.length = 0;
  else if (app.inspected && what && app.inspected.title !== what.title) before.push(app.inspected);
  follows = false;
  explain(what);
};
/** What the inspector shows once the field in which something is typed is left. */
let postponed: { what: Inspected | null } | null = null;
/** True while something that is typed into a form is no edit yet, and the cursor is in this form. */
function isTyping(host: HTMLElement): boolean {
  const focused = document.activeElement;
  if (!focused?.matches("input, textarea") || !host.contains(focused)) return false;
  const fields = focused.closest("form, .form")?.querySelectorAll<HTMLInputElement>("input, textarea") ?? [];
  return [...fields, focused as HTMLInputElement].some(
    (field) => !/checkbox|radio|file|color|range/.test(field.type) && field.value !== field.defaultValue,
  );
}
inspectorBody.addEventListener("focusout", (event) => {
  // A button of the same form is about to be pressed.
  if (event.relatedTarget instanceof Node && inspectorBody.contains(event.relatedTarget)) return;
  window.setTimeout(() => {
    if (postponed && !isTyping(inspectorBody)) explain(postponed.what);
  }, 200);
});
function explain(what: Inspected | null): void {
  // What is loaded again must not take a field away from a person who types.
  postponed = null;
  if (isTyping(inspectorBody)) {
    postponed = { what };
    return;
  }
  const turn = ++inspected;
  const isSame = app.inspected?.kind === what?.kind && app.inspected?.title === what?.title;
  const scrolled = isSame ? inspectorBody.scrollTop : 0;
  /** What is shown of the same thing already: it stays until the new answers are there. */
  const shown = new Map<string, HTMLDetailsElement>();
  if (isSame)
    for (const section of inspectorBody.querySelectorAll<HTMLDetailsElement>("details.section"))
      shown.set(section.dataset.title ?? "", section);
  app.inspected = what;
  if (!what) {
    fill(inspectorBody);
    return;
  }
  const sections = what.sections.map((section) => {
    const known = shown.get(section.title);
    const body = h("div", { class: "section-body" });
    const element = h(
      "details",
      { class: "section", open: known?.open ?? true, "data-title": section.title },
      h("summary", null, section.title),
      body,
    );
    if (section.body instanceof HTMLElement) body.append(section.body);
    else {
      const before = known?.querySelector(":scope > .section-body")?.childNodes;
      body.append(...(before?.length ? before : [h("p", { class: "quiet" }, "Loading…")]));
      /** Puts the answer in the place of what is shown, once nothing is typed there. */
      const put = (found: Child): void => {
        if (turn !== inspected) return;
        if (isTyping(body)) window.setTimeout(() => put(found), 200);
        else if (found) keepingFocus(body, () => fill(body, found));
        else element.remove();
      };
      section.body.then(put, (error) =>
        put(h("p", { class: "bad-text" }, error instanceof Error ? error.message : String(error))),
      );
    }
    return element;
  });
  const last = before.at(-1);
  const back =
    last &&
    h(
      "button",
      { type: "button", class: "link back", onclick: () => explain(before.pop() ?? null) },
      `‹ ${last.title}`,
    );
  const head = h(
    "div",
    { class: "inspector-head" },
    back,
    h("small", { class: "quiet" }, what.kind),
    h("h2", null, what.title),
  );
  keepingFocus(inspectorBody, () => {
    fill(inspectorBody, head, sections);
    inspectorBody.scrollTop = scrolled;
  });
}

/** Changes what is in `host`; what has the focus and is there again keeps it. */
function keepingFocus(host: HTMLElement, change: () => void): void {
  const focused = document.activeElement;
  const at = focused instanceof HTMLElement && host.contains(focused) ? focused.dataset.at : undefined;
  change();
  if (at) host.querySelector<HTMLElement>(`[data-at="${CSS.escape(at)}"]`)?.focus();
}

// Left: files and names

interface Line {
  group?: string;
  files?: number;
  file?: OpenedFile;
  place?: Place;
  kind?: string;
  note?: string;
}
const closed = new Set<string>();
let names: Place[] = [];
let namesNote = "";
let kindFilter = "";
const searchBox = h("input", {
  type: "search",
  placeholder: "Search files and names",
  "aria-label": "Search files and names",
  "aria-keyshortcuts": "/",
});
const kindBar = h("div", { class: "chips", role: "group", "aria-label": "Kinds of names", hidden: true });
/** A name above its path. */
const twoLines = (name: string, path: string, more?: Child): HTMLElement =>
  h(
    "span",
    { class: "grow two-lines" },
    h("span", { class: "ellipsis" }, name, more),
    h("small", { class: "quiet one-line" }, pathEnd(path)),
  );
const fileList = new VirtualList<Line>({
  label: "Files",
  rowHeight: 26,
  className: "files",
  render: (row, line) => {
    if (line.group !== undefined) {
      row.classList.add("group");
      row.append(
        h("span", { class: `twisty ${closed.has(line.group) ? "closed" : "open"}` }),
        h("span", { class: "grow ellipsis" }, line.group || "Shared files"),
        h("span", { class: "quiet number" }, count(line.files ?? 0)),
      );
    } else if (line.file) {
      const { file } = line;
      const { title: label, more } = app.label(file);
      const fault = app.damaged.get(file.number);
      if (file.path === app.route.file) row.classList.add("current");
      row.title = [file.path, file.role, bytes(file.bytes), fault].filter(Boolean).join("\n");
      row.classList.toggle("dim", file.format === null);
      const found = searchBox.value.trim() !== "";
      row.append(
        icon(formatIcon(file.format)),
        found ? twoLines(label, file.path) : h("span", { class: "grow ellipsis" }, label),
        fault
          ? h("span", { class: "damaged", title: "Damaged" }, icon("warn"), h("span", { class: "sr" }, " damaged"))
          : "",
        file.edited || app.differences?.files.includes(file.number)
          ? h("span", { class: "edited", title: file.edited ? "Edited" : "Differs" }, icon("edit"))
          : "",
        h("span", { class: "quiet ellipsis file-name" }, found ? "" : more),
      );
    } else if (line.place) {
      const { place } = line;
      const path = app.byNumber(place.file)?.path ?? "";
      row.title = [place.name, path, place.document].filter(Boolean).join("\n");
      row.append(
        twoLines(place.name, path, place.defines === false && h("span", { class: "quiet" }, " used")),
        h("span", { class: "kind" }, place.kind),
      );
    } else {
      row.classList.add("note");
      row.append(h("span", { class: "quiet ellipsis" }, line.note ?? ""));
    }
  },
  onselect: (line, index) => {
    if (line.group !== undefined) {
      if (!closed.delete(line.group)) closed.add(line.group);
      drawFiles(true);
      fileList.select(index);
    } else if (line.file) {
      if (line.file.path !== app.route.file) app.go({ file: line.file.path });
    } else if (line.place) goName(line.place);
  },
  skips: (line) => line.note !== undefined,
  empty: "Nothing has this name.",
});

function goName(place: Place): void {
  const name = (): void => inspectName(app, place.kind, place.name);
  const file = app.byNumber(place.file);
  if (!file) return name();
  if (place.kind !== "node" && place.kind !== "message") app.afterShow = { file: file.path, run: name };
  goPlace(app, place);
}

function drawFiles(keep = false): void {
  const wanted = searchBox.value.trim().toLowerCase();
  const lines: Line[] = [];
  const groups = new Map<string, OpenedFile[]>();
  for (const file of app.opened.files) {
    if (wanted && !`${file.path} ${file.role ?? ""} ${file.format ?? ""}`.toLowerCase().includes(wanted)) continue;
    const group = groups.get(file.group ?? "") ?? [];
    group.push(file);
    groups.set(file.group ?? "", group);
  }
  if (!kindFilter) {
    for (const [group, files] of byMission(groups)) {
      if (!wanted && (groups.size > 1 || group)) lines.push({ group, files: files.length });
      if (wanted || !closed.has(group)) for (const file of files) lines.push({ file });
    }
  }
  if (wanted) {
    const shown = kindFilter ? names.filter((place) => place.kind === kindFilter) : names;
    lines.push({ note: namesNote || (shown.length ? plural(shown.length, "name") : "No name contains this.") });
    for (const place of shown) lines.push({ place });
  }
  fileList.rowHeight = wanted ? 40 : 26;
  fileList.set(lines, keep);
  const index = lines.findIndex((line) => line.file?.path === app.route.file);
  if (index >= 0 && !wanted) fileList.select(index);
  const kinds = [...new Set(names.map((place) => place.kind))].sort();
  kindBar.hidden = !wanted || (kinds.length < 2 && !kindFilter);
  fill(
    kindBar,
    kinds.map((kind) =>
      h(
        "button",
        {
          type: "button",
          class: "chip",
          "aria-pressed": String(kindFilter === kind),
          onclick: () => {
            kindFilter = kindFilter === kind ? "" : kind;
            drawFiles();
          },
        },
        kind,
      ),
    ),
  );
}
let searching: AbortController | null = null;
const ask = debounce(160, () => {
  const wanted = searchBox.value.trim();
  searching?.abort();
  if (wanted.length < 2) {
    names = [];
    namesNote = "Type two letters to search names.";
    drawFiles();
    return;
  }
  const mine = (searching = new AbortController());
  const take = (found: Place[], note: string, keep = false): void => {
    // Exact matches come first, and definitions before uses.
    const rank = (place: Place): number =>
      Number(place.name.toLowerCase() !== wanted.toLowerCase()) * 2 + Number(!place.defines);
    names = [...found].sort((a, b) => rank(a) - rank(b));
    namesNote = note;
    drawFiles(keep);
  };
  const answer = source.find(wanted, undefined, 300, mine.signal);
  meanwhile(
    source,
    answer,
    "find",
    { q: wanted, limit: "300" },
    (soon) => take(soon.names ?? [], `Searching names: ${surveyText(soon.progress)}…`, true),
    () => !mine.signal.aborted,
  );
  answer.then(
    (found) => {
      if (!mine.signal.aborted)
        take(found.names, found.more ? `The first ${plural(found.names.length, "name")}` : "", true);
    },
    (error) => {
      if (mine.signal.aborted) return;
      names = [];
      namesNote = error instanceof Error ? error.message : String(error);
      drawFiles();
    },
  );
});
searchBox.addEventListener("input", () => {
  kindFilter = "";
  if (!searchBox.value.trim()) {
    names = [];
    namesNote = "";
  } else if (!names.length) namesNote = "Searching names…";
  drawFiles();
  ask();
});
searchBox.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "Enter") {
    fileList.element.focus();
    const first = fileList.items.findIndex((line) => line.file || line.place);
    fileList.select(first, event.key === "Enter");
    event.preventDefault();
  } else if (event.key === "Escape") {
    searchBox.value = "";
    searchBox.dispatchEvent(new Event("input"));
    searchBox.blur();
    event.stopPropagation();
  }
});

const filesPanel = h(
  "div",
  { class: "side-body", id: "side-files", role: "tabpanel", "aria-label": "Files" },
  h("div", { class: "bar" }, searchBox),
  kindBar,
  fileList.element,
  fileList.emptyMessage,
);
const viewPanel = h("div", {
  class: "side-body",
  id: "side-view",
  role: "tabpanel",
  "aria-label": "Nodes",
  hidden: true,
});
const filesTab = h(
  "button",
  {
    type: "button",
    role: "tab",
    "aria-selected": "true",
    "aria-controls": "side-files",
    onclick: () => showSide(false),
  },
  "Files",
);
const viewTab = h(
  "button",
  {
    type: "button",
    role: "tab",
    "aria-selected": "false",
    "aria-controls": "side-view",
    onclick: () => showSide(true),
  },
  "Nodes",
);
const sideTabs = h(
  "div",
  { class: "tabs side-tabs", role: "tablist", "aria-label": "Left side", hidden: true },
  filesTab,
  viewTab,
);
function showSide(view: boolean): void {
  const [from, to] = view ? [filesPanel, viewPanel] : [viewPanel, filesPanel];
  const focused = !from.hidden && from.contains(document.activeElement);
  filesPanel.hidden = view;
  viewPanel.hidden = !view;
  filesTab.setAttribute("aria-selected", String(!view));
  viewTab.setAttribute("aria-selected", String(view));
  // What had the focus is gone: the keyboard goes on where the eyes do.
  if (focused) to.querySelector<HTMLElement>(".virtual, [tabindex='0'], input")?.focus();
}
const side = h("nav", { class: "side", "aria-label": "Files" }, sideTabs, filesPanel, viewPanel);

// Middle

const tabs = h("div", { class: "tabs", role: "navigation", "aria-label": "Views of this file" });
const middle = h("div", { class: "middle" });
const main = h("main", { class: "main" }, tabs, middle);
let view: View | null = null;
let shownKey = "";
let turn = 0;
/** The turn that is shown: during a later one, the view on the screen is not that of the address. */
let finished = 0;
/** The address of the view on the screen. */
let shownRoute: Route = app.route;

interface Tab {
  id: string;
  label: string;
}

function tabsOf(file: FileInfo, parts: Part[]): Tab[] {
  const has = (kind: string): number => parts.filter((part) => part.kind === kind).length;
  const out: Tab[] = [];
  if (file.scene)
    out.push({ id: "scene", label: file.format === "gamez" ? "World" : "Scene" }, { id: "models", label: "Models" });
  if (has("picture")) out.push({ id: "pictures", label: `Pictures ${count(has("picture"))}` });
  if (has("sound")) out.push({ id: "sounds", label: `Sounds ${count(has("sound"))}` });
  if (parts.some((part) => part.document === "messages")) out.push({ id: "messages", label: "Messages" });
  if (parts.some((part) => part.document === "anim-definition" || part.document === "motion"))
    out.push({ id: "animations", label: file.format === "motion" ? "Motions" : "Animations" });
  if (file.format === "zmap") out.push({ id: "map", label: "Map" });
  if (parts.length || file.scene) out.push({ id: "contents", label: "Contents" });
  out.push({ id: "summary", label: "Summary" });
  out.push(
    { id: "findings", label: file.findings ? `Findings ${count(file.findings)}` : "Findings" },
    { id: "diff", label: "Differences" },
  );
  return out;
}

function clearView(): void {
  view?.dispose?.();
  view = null;
}

/** Number of views being built. */
let making = 0;

async function show(route: Route, again = false): Promise<void> {
  making++;
  try {
    await make(route, again);
  } finally {
    making--;
  }
}

/**
 * Waits until the page has shown what was requested, and a while longer: while all files are read, each answer waits
 * for the file being read.
 */
async function quiet(): Promise<void> {
  do await new Promise((done) => window.setTimeout(done, 4000));
  while (making || window.refitScene?.textures.waiting);
}

/** Asks a person whose text is not saved; true if another view may take its place. */
function mayLeave(): boolean {
  if (!view?.isDirty?.() || window.confirm("Leave the text without saving it?")) return true;
  app.show(shownRoute);
  drawFilesSelection();
  finish();
  return false;
}

async function make(route: Route, again: boolean): Promise<void> {
  const mine = ++turn;
  document.body.classList.remove("no-files");
  const file = route.file ? app.byPath(route.file) : undefined;
  drawFilesSelection();
  // What an edit brings in stays while its result is shown.
  if (!again) errorPanel.hidden = true;
  if (route.file && !file) {
    if (!again && !mayLeave()) return;
    clearView();
    shownKey = "";
    fill(tabs);
    app.inspect(null);
    fill(
      middle,
      h(
        "div",
        { class: "pad" },
        h("h2", null, "This file is not open"),
        h("p", null, `${route.file}: no such file in ${app.opened.name}`),
        h("p", null, h("a", { href: "#/" }, "Show what is open")),
      ),
    );
    sideTabs.hidden = true;
    showSide(false);
    document.body.dataset.shown = `${route.file}|missing`;
    return;
  }
  if (!file && app.opened.files.length === 1 && !route.view) {
    app.replace({ file: app.opened.files[0].path });
    return show(app.route);
  }
  const status = (text: string): void => {
    if (mine === turn)
      fill(
        middle,
        h(
          "div",
          { class: "loading" },
          h("span", { class: "spinner", "aria-hidden": "true" }),
          h("p", { role: "status" }, text),
        ),
      );
  };
  try {
    let made: View;
    let key: string;
    let later = async (): Promise<void> => undefined;
    if (!file) {
      key = `|${route.view ?? ""}`;
      if (key === shownKey && !again) return finish();
      if (!again && !mayLeave()) return;
      fill(tabs);
      clearView();
      if (route.view === "findings") {
        status("Checking all files. The first time takes a while…");
        meanwhile(
          source,
          source.findings(),
          "findings",
          {},
          ({ progress }) => status(`Checking all files: ${surveyText(progress)}…`),
          () => mine === turn,
        );
        made = await findingsView(app, null);
        if (mine === turn) takeFindings();
      } else if (route.view === "work" && worker) made = workView(app, worker);
      else if (route.view === "changes") made = changesView(app);
      else if (route.view === "mods") made = modsView(app);
      else made = route.view === "status" ? statusView(app) : homeView(app);
    } else {
      // Another place of the scene that is shown: nothing needs to be asked.
      if (!again && shownKey === `${file.path}|scene` && route.view === "scene" && view?.goTo?.(route)) return finish();
      // A scene takes longest, so request it first.
      const drawn = ["scene", "models", undefined].includes(route.view);
      if (drawn && isScene(file.format)) void load(app, file, status).catch(() => undefined);
      const info = await source.file(file.number);
      const listed = (): Promise<Part[]> =>
        info.format === null
          ? Promise.resolve([])
          : source.tree(file.number).then(
              (tree) => tree.parts,
              (error) => {
                if (!info.fault) app.fail(`${file.path} has no contents to show`, error);
                return [];
              },
            );
      const drawTabs = (all: Tab[], id: string): void =>
        fill(
          tabs,
          all.map((tab) =>
            h(
              "a",
              {
                class: "tab",
                "data-view": tab.id,
                href: app.href({ file: file.path, view: tab.id }),
                "aria-current": tab.id === id ? "page" : null,
              },
              tab.label,
            ),
          ),
        );
      // Do not let a scene wait for the list of parts, which takes as long.
      const showsScene = info.scene && !info.fault && drawn;
      const parts = showsScene ? [] : await listed();
      if (mine !== turn) return;
      const all = tabsOf(info, parts);
      // What a person looks for first in an addon; not the picture or script that is the first of the alphabet.
      const config =
        info.format === "pbo" && parts.find((part) => /^files\/(config\.cpp|mission\.sqm)$/i.test(part.path));
      if (config && !route.view && !info.fault) {
        app.replace({ view: "contents", part: config.path });
        route = app.route;
      }
      const id =
        info.fault && !route.view
          ? "summary"
          : (all.find((tab) => tab.id === route.view)?.id ?? (route.view ? "contents" : all[0].id));
      key = `${file.path}|${id}`;
      if (showsScene)
        later = async () => {
          while (window.refitScene?.textures.waiting) await new Promise((done) => window.setTimeout(done, 100));
          const parts = await listed();
          if (shownKey === key) drawTabs(tabsOf(info, parts), id);
        };
      if (key === shownKey && !again && view?.goTo?.(route)) {
        finish();
        return;
      }
      // A text that is edited since stays.
      if (again && key === shownKey && view?.isEditing?.()) {
        finish();
        return;
      }
      // What is typed meanwhile would be lost with its field.
      while (again && key === shownKey && isTyping(middle)) {
        await new Promise((done) => window.setTimeout(done, 100));
        if (mine !== turn) return;
      }
      if (!again && !mayLeave()) return;
      drawTabs(all, id);
      shownKey = "";
      clearView();
      status(`Loading ${file.path}…`);
      if (id !== (route.view ?? id) || !route.view) app.replace({ view: id });
      switch (id) {
        case "scene":
          made = await sceneView(app, info, route, status);
          break;
        case "models":
          made = await modelsView(app, info, route, status);
          break;
        case "pictures":
          made = contentsView(app, info, parts, route, "picture");
          break;
        case "sounds":
          made = contentsView(app, info, parts, route, "sound");
          break;
        case "messages":
          made = await messagesView(app, info, parts, route);
          break;
        case "animations":
          made = await animationsView(app, info, parts, route);
          break;
        case "map":
          made = await mapView(app, info, parts);
          break;
        case "summary":
          made = summaryView(app, info, parts);
          break;
        case "findings":
          made = await findingsView(app, info);
          break;
        case "diff":
          made = await diffView(app, info);
          break;
        default:
          made = contentsView(app, info, parts, route);
      }
    }
    if (mine !== turn) {
      made.dispose?.();
      return;
    }
    clearView();
    view = made;
    unseen.clear();
    shownKey = key;
    // A file's view has no heading that is seen: its name is in the list, in the inspector and in the title.
    fill(middle, file && h("h1", { class: "sr" }, file.path), made.element);
    sideTabs.hidden = !made.side;
    if (made.side) {
      viewTab.textContent = made.side.title;
      fill(viewPanel, made.side.element);
      showSide(true);
    } else showSide(false);
    document.title = `${file ? file.path : app.opened.name} – refit view`;
    finish();
    void later();
  } catch (error) {
    if (mine !== turn) return;
    shownKey = "";
    clearView();
    sideTabs.hidden = true;
    showSide(false);
    fill(tabs);
    fill(
      middle,
      isForeign(error)
        ? foreignPage()
        : file
          ? damagedView(app, file, error).element
          : h("p", { class: "pad quiet" }, "There is nothing to show here."),
    );
    document.body.dataset.shown = `${route.file}|error`;
    if (!file && !isForeign(error)) app.fail("The list cannot be shown", error);
  }
}

/** What a tab shows whose server ended, or was replaced. */
function foreignPage(): HTMLElement {
  return h(
    "div",
    { class: "pad", role: "alert" },
    h("h1", null, "This tab belongs to a refit that ended, or was replaced"),
    h("p", null, "Nothing is lost: the page only shows files."),
    h(
      "p",
      null,
      "Start ",
      h("code", null, "refit view"),
      " again, or open the whole address that it printed in its window. ",
      "The address has a token, which other programs of this computer do not know.",
    ),
  );
}

/** The tabs of a file keep the part: a document that is read can be played, and vice versa. */
function keepPart(): void {
  const { file, part } = app.route;
  if (!part) return;
  for (const tab of tabs.querySelectorAll<HTMLAnchorElement>("a[data-view=contents], a[data-view=animations]")) {
    tab.href = app.href({ file, view: tab.dataset.view, part });
  }
}

/** Keeps the place of what is shown in the address, unless somebody is on the way to another one. */
function keepPlace(): void {
  if (view?.remember && finished === turn) app.replace(view.remember());
}

function finish(): void {
  finished = turn;
  shownRoute = app.route;
  keepPart();
  // The contents view calls it itself once the part is loaded.
  if (!/\|(contents|pictures|sounds)$/.test(shownKey)) app.takeAfterShow();
  document.body.dataset.shown = shownKey;
}

function drawFilesSelection(): void {
  const index = fileList.items.findIndex((line) => line.file?.path === app.route.file);
  if (index !== fileList.selected) {
    fileList.select(index);
    if (index >= 0) fileList.reveal(index);
  }
  fileList.refresh();
}

// Top bar contents

function takeFindings(): void {
  void source.findings().then(
    (found) => {
      app.findings = found;
      for (const { file, message } of found.damaged ?? []) app.damaged.set(file, message);
      if (found.damaged?.length) fileList.refresh();
      const counts = severityCounts(found.findings);
      fill(
        findingsLink,
        icon("warn"),
        h("span", { class: counts.length ? "sr" : "" }, counts.length ? "Findings:" : "No findings"),
        counts.map(([severity, n]) =>
          h(
            "span",
            { class: `count ${severityClass(severity)}`, title: `${plural(n, "finding")}: ${severity}` },
            `${count(n)} ${severity}`,
          ),
        ),
      );
    },
    () => undefined,
  );
}

async function takeStatus(): Promise<void> {
  try {
    app.status = await source.status();
  } catch {
    app.status = {};
  }
  app.differences = app.opened.against ? ((await source.differences?.().catch(() => null)) ?? null) : null;
  const edited = app.status.edited?.length ?? app.opened.files.filter((file) => file.edited).length;
  const mods = app.status.mods ?? [];
  const differ = app.differences?.files.length ?? 0;
  statusLink.hidden = !edited && !mods.length && !app.differences;
  statusLink.title = ["Edits and mods", app.opened.against ?? ""].filter(Boolean).join(": ");
  fill(
    statusLink,
    icon("edit"),
    [
      edited ? `${count(edited)} edited` : "",
      mods.length ? plural(mods.length, "mod") : "",
      app.differences ? plural(differ, "file differs", "files differ") : "",
    ]
      .filter(Boolean)
      .join(", "),
  );
  drawFiles(true);
  if (app.route.view === "status" && !app.route.file) await show(app.route, true);
}

// Live

/** Waits until the page can be seen. */
const seen = (): Promise<void> =>
  new Promise((done) => {
    if (!document.hidden) done();
    else document.addEventListener("visibilitychange", () => done(), { once: true });
  });

async function watch(): Promise<void> {
  let version = app.opened.version;
  let pause = 1000;
  /** The server did not answer the last time. */
  let isSilent = false;
  document.addEventListener("visibilitychange", () => asking.abort());
  for (;;) {
    // A browser opens six connections per server: hidden pages must not use them all.
    await seen();
    while (isLeaving) await new Promise((done) => window.setTimeout(done, 100));
    asking = new AbortController();
    try {
      const asked = performance.now();
      const change = await source.changes(version, asking.signal);
      pause = 1000;
      if (isSilent) liveText.textContent = "";
      isSilent = false;
      if (change.version === version) {
        // A server with many pages answers at once.
        await new Promise((done) => window.setTimeout(done, performance.now() - asked < 1000 ? 2000 : 50));
        continue;
      }
      version = change.version;
      await app.reloading;
      // Nobody who drags or types is disturbed.
      while (view?.isDragging?.() || isTyping(inspectorBody) || isTyping(middle))
        await new Promise((done) => window.setTimeout(done, 200));
      // What the page edited itself is shown already.
      if (version > app.opened.version) await reloads.ask(change.files ?? null);
      void app.edits?.refresh();
      continue;
    } catch {
      if (asking.signal.aborted) continue;
      liveText.textContent = "The server does not answer";
      isSilent = true;
      await new Promise((done) => window.setTimeout(done, pause));
      pause = Math.min(15000, pause * 2);
    }
  }
}

/** Shows an edit in the view on the screen; false if the view must be made again. */
async function renewed(keepsTextures: boolean): Promise<boolean> {
  const mine = view;
  if (!mine?.renew || finished !== turn) return false;
  const isDone = await mine.renew(keepsTextures).catch(() => false);
  return isDone && view === mine && finished === turn;
}

/** The files that changed since the view was made or renewed. The watch may hear of an edit before its own answer. */
const unseen = new Set<number>();

// The watch often hears of an edit before its answer: both are one reload, once the answer is there.
const reloads = new Reloads(reload, () => app.edits?.answered() ?? Promise.resolve());

/** Reads what changed on disk again, and says so unless the page itself made an edit. */
async function reload(files: Set<number> | null): Promise<void> {
  const shown = app.byPath(app.route.file);
  const before = new Set(app.opened.files.map((file) => file.number));
  source.forget();
  const opened = await source.opened(app.opened.version);
  // Another tab opened something else at this address.
  if (opened.root !== app.opened.root || opened.what !== app.opened.what) return location.reload();
  app.opened = opened;
  const { changed } = app.opened;
  const added = app.opened.files.filter((file) => !before.delete(file.number)).length;
  const came = [
    added ? `${plural(added, "file was", "files were")} added` : "",
    before.size ? `${plural(before.size, "file was", "files were")} deleted` : "",
  ].filter(Boolean);
  forgetScenes();
  drawFiles(true);
  if (came.length && !app.edits?.isRecent) say(came.join(", "));
  const still = app.byPath(app.route.file);
  for (const number of changed ?? []) unseen.add(number);
  const isAlone = changed !== undefined && [...unseen].every((number) => number === still?.number);
  const isShown = !shown || !files || files.has(shown.number) || view?.shows?.(files) === true;
  if (isShown) unseen.clear();
  // Visible items come first.
  if (view?.isEditing?.()) {
    // The text that is being written stays; saving merges it with what is on disk. What is beside it follows.
    if (still && isShown) await renewed(isAlone);
  } else if (isShown) {
    if (!came.length && !app.edits?.isRecent) say(shown ? `${shown.path} changed` : "Files changed", 4000);
    if (!still || !(await renewed(isAlone))) {
      keepPlace();
      await show(app.route, true);
    }
  }
  void takeStatusLater();
  if (app.findings) void takeFindingsLater();
}
/** Takes the status once nobody edits: to find what is edited, the server reads the whole project. */
let statusTurn = 0;
async function takeStatusLater(): Promise<void> {
  const mine = ++statusTurn;
  await app.edits?.calm();
  if (mine === statusTurn) await takeStatus();
}
/** Takes the findings of all files once nobody edits. */
let taking = 0;
async function takeFindingsLater(): Promise<void> {
  const mine = ++taking;
  await quiet();
  await app.edits?.calm();
  if (mine === taking) takeFindings();
}
app.listeners.add((reason) => {
  if (reason === "reload") {
    keepPlace();
    void show(app.route, true);
  }
});

// Keys

bind("Edits", "Ctrl+Z, Ctrl+Y", "Undo and redo the last edit");
bind("Edits", "Ctrl+S", "Save the text in the editor");
bind("Edits", "Escape", "In a field: take back what was typed");
bind("Page", "/", "Search files and names", () => {
  showSide(false);
  searchBox.focus();
  searchBox.select();
});
bind("Page", "?", "Show this list", showKeys);
if (source.kind === "server") bind("Page", "G", "Other games and projects: the start page", () => homeButton.click());
bind("Page", "t", "Next theme", () => themeButton.click());
bind("Page", "]", "Hide or show the inspector", () => inspectorButton.click());
bind("Page", "[", "Hide or show the left side", () => sideButton.click());
bind("Page", "n", "Files or nodes at the left", () => {
  if (!sideTabs.hidden) showSide(!filesPanel.hidden);
});
for (let n = 1; n <= 9; n++) {
  bind("Page", String(n), "", () => (tabs.querySelectorAll("a")[n - 1] as HTMLElement | undefined)?.click());
}
bind("Page", "1 – 9", "The views of the file, from the left");
bind("Lists", "↑ ↓", "Next and previous row; Page Up, Page Down, Home, End");
bind("Lists", "← →", "Close and open a branch");
bind("Lists", "Enter", "Open; in the tree of nodes: frame");

// Start

const page = document.getElementById("page") as HTMLElement;
fill(
  page,
  h(
    "a",
    {
      class: "skip",
      href: "#main",
      onclick: (event: Event) => {
        event.preventDefault();
        middle.querySelector<HTMLElement>("[tabindex], a, button, input")?.focus();
      },
    },
    "Skip to the view",
  ),
  top,
  errorPanel,
  h("div", { class: "columns" }, side, main, inspector),
);
listen();
applyTheme();
fill(
  middle,
  h(
    "div",
    { class: "loading" },
    h("span", { class: "spinner", "aria-hidden": "true" }),
    h("p", { role: "status" }, "Opening…"),
  ),
);

async function start(): Promise<void> {
  app.opened = await source.opened();
  title.lastElementChild!.textContent = [app.opened.name, gameName(app.opened.game)].filter(Boolean).join(" · ");
  if (app.opened.files.length > 60) {
    const groups = [...byMission(new Map(app.opened.files.map((file) => [file.group ?? "", true]))).keys()];
    const here = app.byPath(app.route.file)?.group;
    for (const group of groups.slice(1)) if (group && group !== here) closed.add(group);
  }
  drawFiles();
  if (app.opened.protocol !== undefined && app.opened.protocol !== PROTOCOL)
    app.note("This page is of another refit", ["Reload it: the refit that answers is a newer or an older one."]);
  await app.edits?.refresh();
  if (!begun) app.start((route) => void show(route));
  await show(app.route, true);
  void takeStatus();
  if (app.opened.files.some((file) => isScene(file.format))) window.setTimeout(warmUp, 50);
  // A single worker answers everything: long questions wait until they are needed.
  if (!worker) void quiet().then(takeFindings);
  if (!begun) void watch();
  begun = true;
}
let begun = false;

// Without a server

/** Shown until files are dropped. */
const dropScreen =
  worker &&
  new DropScreen(worker, showDrop, async () => {
    forgetScenes();
    app.findings = null;
    const opened = await source.opened();
    if (app.route.file && !opened.files.some((file) => file.path === app.route.file)) {
      app.show({ file: "" });
    }
    workLink.hidden = otherButton.hidden = false;
    await start();
  });
function showDrop(): void {
  if (!dropScreen || dropScreen.element.isConnected) return;
  turn++;
  clearView();
  shownKey = "";
  fill(tabs);
  sideTabs.hidden = true;
  showSide(false);
  document.body.classList.add("no-files");
  fill(middle, dropScreen.element);
}
if (worker && dropScreen) {
  // For tests.
  (window as unknown as { refitSource: unknown }).refitSource = worker;
  let soon = 0;
  worker.busy = (is) => {
    window.clearTimeout(soon);
    if (is) soon = window.setTimeout(() => (stopButton.hidden = false), 1500);
    else stopButton.hidden = true;
  };
  showDrop();
  void dropScreen.load();
} else
  start().catch((error) => {
    if (isForeign(error)) {
      fill(middle, foreignPage());
      return;
    }
    fill(middle, h("p", { class: "pad quiet" }, "There is nothing to show."));
    app.fail("The page cannot start", error);
  });
