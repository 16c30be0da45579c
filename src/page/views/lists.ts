// List views: the summary of a file, messages, findings and differences, and the overview.

import { byMission, formatIcon, severityClass, type App, type View } from "../app";
import { addonForm } from "../edit/addon";
import { inspectMember, memberAdder } from "../edit/members";
import { baseName, bytes, count, h, icon, pathEnd, plural, withBar } from "../dom";
import {
  badge,
  describeFile,
  explainLater,
  findingRoute,
  inspectName,
  rows,
  severityCounts,
  sizeText,
  sortFindings,
} from "../inspect";
import { parseJson } from "../json";
import type { Route } from "../route";
import { load, materialName } from "../scenes";
import {
  SourceError,
  type Diff,
  type DiffField,
  type DiffPart,
  type Fault,
  type FileInfo,
  type Finding,
  type Member,
  type OpenedFile,
  type Part,
} from "../source";
import { VirtualList } from "../virtual";
import { inspectFile } from "./parts";

/** A value of the summary: lists and groups by lines, numbers with separators. */
function shownInfo(value: unknown): string | HTMLElement {
  if (typeof value === "string") return value;
  if (typeof value === "number") return count(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value))
    return h(
      "ul",
      null,
      value.map((each) => h("li", null, shownInfo(each))),
    );
  if (value && typeof value === "object")
    return h(
      "ul",
      null,
      Object.entries(value).map(([key, each]) =>
        h("li", null, h("span", { class: "quiet" }, `${key} `), shownInfo(each)),
      ),
    );
  return "";
}

/** An unreadable file: the error, and its place. */
export function damagedView(app: App, file: OpenedFile, error: unknown): View {
  const fault: Fault =
    error instanceof SourceError ? error.fault : { message: error instanceof Error ? error.message : String(error) };
  describeFile(app, file);
  app.damaged.set(file.number, fault.message);
  return {
    element: h(
      "div",
      { class: "summary" },
      faultBox("This file cannot be shown", fault),
      file.edited &&
        app.opened.what !== "project" &&
        h(
          "p",
          { class: "pad" },
          `A backup, ${baseName(file.path)}.orig, is beside it: `,
          h("code", null, "refit restore"),
          " puts it back.",
        ),
      h("div", { class: "pad" }, h("h3", null, "What can be read of it"), explainLater(app, file.number, "")),
      h(
        "p",
        { class: "pad quiet" },
        app.opened.files.length > 1
          ? "Other files can still be opened."
          : "To open something else, stop refit (Ctrl+C in its window) and start it again.",
      ),
    ),
  };
}

function faultBox(title: string, fault: Fault): HTMLElement {
  return h(
    "div",
    { class: "fault", role: "alert" },
    h("h3", null, icon("warn"), ` ${title}`),
    h("p", null, fault.message),
    rows([
      ["Where", fault.path && !fault.message.startsWith(fault.path) ? fault.path : ""],
      [
        "Offset",
        fault.offset === undefined || fault.offset === null ? null : `${fault.offset} (0x${fault.offset.toString(16)})`,
      ],
      ["What to do", fault.hint],
    ]),
  );
}

/** The part of a member, whose name may contain backslashes, or be in a folder of the tree. */
function partOf(parts: Part[], name: string): string | undefined {
  const plain = name.replace(/\\/g, "/").toLowerCase();
  const fits = (part: Part): boolean => {
    const path = part.path.toLowerCase();
    return (
      path === plain ||
      path === `${plain}.json` ||
      path.endsWith(`/${plain}`) ||
      path.endsWith(`/${plain}.json`) ||
      path.endsWith(`/${plain}.png`)
    );
  };
  return parts.find(fits)?.path;
}

export function summaryView(app: App, file: FileInfo, parts: Part[]): View {
  const fault = typeof file.fault === "string" ? { message: file.fault } : file.fault;
  const opened = app.byNumber(file.number);
  const members = new VirtualList<Member>({
    label: "Members",
    role: "table",
    rowHeight: 22,
    className: "grid members-grid",
    render: (row, member) => {
      const cell = (cls: string, ...content: (Node | string)[]): HTMLElement =>
        h("span", { role: "cell", class: `ellipsis ${cls}` }, content);
      const target = member.path ?? partOf(parts, member.name);
      row.append(
        cell("number quiet", String(member.index)),
        cell(
          "",
          target
            ? h("a", { href: app.href({ file: file.path, view: "contents", part: target }) }, member.name)
            : member.name,
        ),
        cell("quiet", member.kind ?? ""),
        cell("number quiet", bytes(member.bytes)),
        cell("quiet", member.detail ?? ""),
      );
    },
    onselect: (member) => inspectMember(app, file, member),
    empty: "No member has this name.",
  });
  const search = h("input", {
    type: "search",
    placeholder: `Filter ${plural(file.members.length, "member")}`,
    "aria-label": "Filter members",
    oninput: () => {
      const wanted = search.value.trim().toLowerCase();
      members.set(
        file.members.filter((member) =>
          `${member.name} ${member.kind ?? ""} ${member.detail ?? ""}`.toLowerCase().includes(wanted),
        ),
      );
    },
  });
  members.set(file.members);
  const element = h(
    "div",
    { class: "summary" },
    fault && faultBox("This file cannot be read whole", fault),
    h(
      "div",
      { class: "summary-facts" },
      rows([
        ["Format", file.format ?? `unknown${opened?.why ? `: ${opened.why}` : ""}`],
        ["Game", gameName(file.game)],
        ["Role", opened?.role],
        ["Size", sizeText(file.bytes)],
        ["Recognised by", file.evidence],
        ...file.info.map(([label, value]) => [label, shownInfo(value)] as [string, string | HTMLElement]),
        [
          "Signatures",
          file.signatures?.length ? shownInfo(file.signatures) : file.format === "pbo" ? "none beside it" : "",
        ],
      ]),
    ),
    addonForm(app, file),
    file.members.length > 0 &&
      h(
        "div",
        { class: "summary-members" },
        h("div", { class: "bar" }, h("h3", null, "Members"), search, memberAdder(app, file, members.element)),
        members.element,
        members.emptyMessage,
      ),
  );
  describeFile(app, file, ["Findings", file.findings === undefined ? "" : count(file.findings)]);
  return { element };
}

export function gameName(game: string | null | undefined): string {
  const names: Record<string, string> = { rc: "Recoil", mw: "MechWarrior 3", pm: "Pirate's Moon", cs: "Crimson Skies" };
  return game ? (names[game.toLowerCase()] ?? game) : "";
}

/** Most tiles of one section: the list at the left has all files, and draws only those on the screen. */
const TILES = 50;

/** Tiles for files: the first ones, and a button that adds as many again. */
function tiles(files: OpenedFile[], card: (file: OpenedFile) => HTMLElement): HTMLElement {
  const box = h("div", { class: "tiles" });
  let shown = 0;
  const more = h("button", { type: "button", class: "button", onclick: () => add() });
  const add = (): void => {
    more.remove();
    box.append(...files.slice(shown, shown + TILES).map(card));
    shown = Math.min(files.length, shown + TILES);
    more.textContent = `… ${plural(files.length - shown, "more file")}`;
    if (shown < files.length) box.append(more);
  };
  add();
  return box;
}

/** The overview. */
export function homeView(app: App): View {
  const { opened } = app;
  const groups = new Map<string, typeof opened.files>();
  for (const file of opened.files) {
    const group = groups.get(file.group ?? "") ?? [];
    group.push(file);
    groups.set(file.group ?? "", group);
  }
  const formats = new Map<string, number>();
  for (const file of opened.files)
    formats.set(file.format ?? "unknown", (formats.get(file.format ?? "unknown") ?? 0) + 1);
  const total = opened.files.reduce((sum, file) => sum + file.bytes, 0);
  const worlds = opened.files.filter((file) => file.format === "gamez");
  app.inspect({
    title: opened.name,
    kind: opened.what,
    sections: [
      {
        title: "Opened",
        body: rows([
          ["Kind", opened.what],
          ["Game", gameName(opened.game)],
          ["Files", count(opened.files.length)],
          ["Size", bytes(total)],
          ["Other files", opened.others ? `${count(opened.others)}, which refit does not read` : ""],
          ["refit", opened.refit],
        ]),
      },
      { title: "Formats", body: rows([...formats].sort((a, b) => b[1] - a[1]).map(([name, n]) => [name, count(n)])) },
    ],
  });
  const roles = worlds.map((file) => file.role);
  const isOnly = (file: OpenedFile): boolean => roles.indexOf(file.role) === roles.lastIndexOf(file.role);
  const card = (file: OpenedFile, whole = false): HTMLElement =>
    h(
      "a",
      { class: "tile", href: app.href({ file: file.path }), title: file.path },
      app.damaged.has(file.number)
        ? h("span", { class: "damaged", title: "Damaged" }, icon("warn"), h("span", { class: "sr" }, "damaged"))
        : icon(formatIcon(file.format)),
      h(
        "span",
        { class: "tile-text" },
        h("b", null, (whole && isOnly(file) ? file.role : app.label(file).title) || file.path),
        h("small", { class: "quiet tile-path" }, pathEnd(file.path), h("span", null, ` · ${bytes(file.bytes)}`)),
      ),
    );
  return {
    element: h(
      "div",
      { class: "home", tabIndex: 0, role: "region", "aria-label": "What was opened" },
      h("h1", null, opened.name),
      h(
        "p",
        { class: "quiet" },
        [gameName(opened.game), plural(opened.files.length, "file"), bytes(total)].filter(Boolean).join(" · "),
      ),
      worlds.length > 0 &&
        h(
          "section",
          null,
          h("h2", null, "Worlds"),
          tiles(worlds, (file) => card(file, true)),
        ),
      [...byMission(groups)].map(([name, files]) => {
        const rest = files.filter((file) => file.format !== "gamez");
        return rest.length
          ? h(
              "section",
              null,
              h("h2", null, name || "Shared files"),
              tiles(rest, (file) => card(file)),
            )
          : null;
      }),
    ),
  };
}

interface Message {
  id: string;
  key: string;
  text: string;
  at: string;
}

/** The text of a message, which an edit replaces. */
function messageForm(app: App, file: FileInfo, part: Part, message: Message): HTMLElement {
  const text = h("textarea", { rows: 5, "aria-label": `Text of message ${message.key || message.id}` });
  // The lines of a text field end with \n, those of a message may end with \r\n.
  const ends = message.text.includes("\r\n") ? "\r\n" : "\n";
  text.defaultValue = message.text;
  text.dataset.at = message.at;
  // This form may still stand when the next edit is typed.
  let old = message.text;
  /** The text that is stored, or about to be: the button takes the focus from the field, which saves, too. */
  let sent = old;
  const path = `${message.at}.text`;
  /** Until the text before is stored: the next edit names it as the old one. */
  let turn: Promise<unknown> = Promise.resolve();
  const save = (event: Event): void => {
    event.preventDefault();
    const value = text.value.replaceAll("\n", ends);
    if (value === sent) return;
    sent = value;
    const before = text.defaultValue;
    text.defaultValue = text.value;
    turn = turn.then(async () => {
      if (await app.edits?.make({ do: "set", file: file.path, part: part.path, path, value, old })) old = value;
      else if (sent === value) {
        // What was typed stays, to be corrected.
        sent = old;
        text.defaultValue = before;
        if (text.isConnected) text.focus();
      }
    });
  };
  text.addEventListener("change", save);
  text.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && ["Enter", "s"].includes(event.key)) save(event);
  });
  return h(
    "form",
    { class: "form", onsubmit: save },
    text,
    h("button", { type: "submit", class: "button small" }, "Save the text"),
  );
}

export async function messagesView(app: App, file: FileInfo, parts: Part[], route: Route): Promise<View> {
  const part =
    parts.find((each) => each.document === "messages") ?? parts.find((each) => each.path === "messages.json");
  if (!part) return { element: h("p", { class: "pad quiet" }, "This file has no table of messages.") };
  const root = parseJson(await (await app.source.part(file.number, part.path)).text());
  const list = root.children.find((child) => child.key === "messages")?.children ?? [];
  const all: Message[] = list.map((entry) => {
    const field = (key: string): string => entry.children.find((child) => child.key === key)?.value ?? "";
    return { id: field("id"), key: field("key"), text: field("text"), at: entry.at };
  });
  const facts = root.children.filter(
    (child) => !["messages", "$schema"].includes(child.key ?? "") && !child.children.length,
  );
  const table = new VirtualList<Message>({
    label: "Messages",
    role: "table",
    rowHeight: 24,
    className: "grid messages-grid",
    render: (row, message) => {
      row.append(
        h("span", { role: "cell", class: "number quiet" }, message.id),
        h("span", { role: "cell", class: "mono ellipsis" }, message.key),
        h(
          "span",
          { role: "cell", class: "ellipsis" },
          message.text.replace(/\r?\n/g, " ⏎ ") || h("i", { class: "quiet" }, "empty"),
        ),
      );
    },
    onselect: (message) => {
      app.replace({ at: message.at });
      inspectName(app, "message", message.key || message.id, [
        {
          title: "Message",
          body: h(
            "div",
            null,
            app.edits?.possible
              ? messageForm(app, file, part, message)
              : h("p", { class: "message-text" }, message.text),
            rows([
              ["Id", message.id],
              ["Key", message.key],
            ]),
          ),
        },
        {
          title: "Document",
          body: h(
            "a",
            { class: "place", href: app.href({ file: file.path, view: "contents", part: part.path, at: message.at }) },
            h("b", null, part.path),
            h("small", null, message.at),
          ),
        },
      ]);
    },
    empty: "No message has these words.",
  });
  const tally = h("span", { class: "quiet", role: "status" }, plural(all.length, "message"));
  const search = h("input", {
    type: "search",
    class: "wide",
    placeholder: "Search ids, keys and texts",
    "aria-label": "Search messages",
    oninput: () => {
      const wanted = search.value.trim().toLowerCase();
      const found = all.filter((message) =>
        `${message.id} ${message.key} ${message.text}`.toLowerCase().includes(wanted),
      );
      tally.textContent = wanted
        ? `${count(found.length)} of ${plural(all.length, "message")}`
        : plural(all.length, "message");
      table.set(found);
    },
  });
  table.set(all);
  const goTo = (to: Route): boolean => {
    const index = to.at
      ? table.items.findIndex((message) => message.at === to.at || message.key === to.at)
      : table.items.findIndex((message) => message.key === to.name);
    if (index >= 0 && index !== table.selected) {
      table.select(index, true);
      table.reveal(index);
    }
    return true;
  };
  app.inspect({
    title: part.path,
    kind: "messages",
    sections: [{ title: "Library", body: rows(facts.map((fact) => [fact.key ?? "", fact.value])) }],
  });
  goTo(route);
  return {
    element: withBar(
      "part",
      [search, tally],
      h(
        "div",
        { class: "grid-head messages-grid", "aria-hidden": "true" },
        h("span", null, "Id"),
        h("span", null, "Key"),
        h("span", null, "Text"),
      ),
      table.element,
      table.emptyMessage,
    ),
    goTo,
  };
}

/** Findings of one file, or of everything. */
export async function findingsView(app: App, file: FileInfo | null): Promise<View> {
  const answer = file ? await app.source.fileFindings(file.number) : await app.source.findings();
  const all = sortFindings(answer.findings);
  const off = new Set<string>();
  let wanted = "";
  const list = new VirtualList<Finding>({
    label: "Findings",
    rowHeight: 46,
    className: "findings",
    render: (row, finding) => {
      const where = [file ? "" : (app.byNumber(finding.file)?.path ?? ""), finding.path ?? ""]
        .filter(Boolean)
        .join(" › ");
      row.append(
        badge(finding.severity),
        h(
          "span",
          { class: "grow two-lines" },
          h("span", { class: "ellipsis", title: finding.message }, finding.message),
          h("small", { class: "quiet ellipsis", title: where }, h("code", null, finding.code), " ", where),
        ),
      );
    },
    onselect: (finding) => {
      const owner = app.byNumber(finding.file ?? file?.number);
      app.inspect({
        title: finding.code,
        kind: "finding",
        sections: [
          {
            title: "Finding",
            body: h(
              "div",
              null,
              badge(finding.severity),
              h("p", { class: "say" }, finding.message),
              rows([
                ["File", owner?.path],
                ["Place", finding.path],
                ["About", finding.about],
                ["The game", finding.reaction],
              ]),
            ),
          },
          ...(owner
            ? [
                {
                  title: "Go there",
                  body: h(
                    "a",
                    { class: "button small", href: app.href(findingRoute(app, { ...finding, file: owner.number })) },
                    "Open the place",
                  ),
                },
              ]
            : []),
        ],
      });
    },
    onopen: (finding) => {
      const owner = finding.file ?? file?.number;
      if (owner !== undefined && owner !== null) app.go(findingRoute(app, { ...finding, file: owner }));
    },
    empty: all.length ? "No finding matches." : "refit finds nothing unusual.",
  });
  const update = (): void =>
    list.set(
      all.filter(
        (each) =>
          !off.has(each.severity) && `${each.code} ${each.message} ${each.path ?? ""}`.toLowerCase().includes(wanted),
      ),
    );
  const search = h("input", {
    type: "search",
    placeholder: "Filter findings",
    "aria-label": "Filter findings",
    oninput: () => {
      wanted = search.value.trim().toLowerCase();
      update();
    },
  });
  const chips = severityCounts(all).map(([severity, n]) => {
    const chip = h(
      "button",
      {
        type: "button",
        class: `chip ${severityClass(severity)}`,
        "aria-pressed": "true",
        onclick: () => {
          if (!off.delete(severity)) off.add(severity);
          chip.setAttribute("aria-pressed", String(!off.has(severity)));
          update();
        },
      },
      `${severity} ${count(n)}`,
    );
    return chip;
  });
  update();
  if (file) inspectFile(app, file, []);
  else
    app.inspect({
      title: "Findings",
      kind: "all files",
      sections: [{ title: "Findings", body: rows(severityCounts(all).map(([severity, n]) => [severity, count(n)])) }],
    });
  return {
    element: withBar(
      "part",
      [h("h2", null, file ? "Findings" : "Findings in all files"), chips, h("span", { class: "grow" }), search],
      answer.complete === false && h("p", { class: "pad quiet" }, "The list is not complete."),
      list.element,
      list.emptyMessage,
    ),
  };
}

/** The URL of a difference: nodes of worlds in their scene, others in their part. */
function differenceRoute(file: FileInfo, part: string, at?: string): Route {
  const node = part === "nodes.json" ? /^nodes\[(.+?)\](?:\.|$)/.exec(at ?? "") : null;
  if (file.scene && node)
    return /^\d+$/.test(node[1])
      ? { file: file.path, view: "scene", node: node[1] }
      : { file: file.path, view: "scene", name: node[1].replace(/#\d+$/, "") };
  return { file: file.path, view: "contents", part, at };
}

/** A value of a difference as text: numbers and texts as they are, what is longer as JSON. */
const shownValue = (value: unknown): string => {
  if (value === undefined || value === null) return "–";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
};

/** Differences of a file against its original. */
export async function diffView(app: App, file: FileInfo): Promise<View> {
  let diff: Diff;
  try {
    diff = await app.source.diff(file.number);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return {
      element: h(
        "div",
        { class: "pad" },
        h("p", null, error.fault.message),
        error.fault.hint && h("p", { class: "quiet" }, error.fault.hint),
      ),
    };
  }
  if (diff.equal || !diff.parts.length)
    return { element: h("p", { class: "pad quiet" }, `No differences against ${diff.against}.`) };
  // Names for material numbers, from this file or the other side.
  const isMaterial = (at: string): boolean => /(^|\.)material$/.test(at);
  const named = file.scene && diff.parts.some((part) => part.fields?.some((field) => isMaterial(field.at)));
  const scene = named ? await load(app, file, () => undefined).catch(() => null) : null;
  const changed = new Set(
    diff.parts
      .filter((part) => part.part === "materials.json")
      .flatMap((part) => part.fields ?? [])
      .map((field) => /^materials\[(\d+)\]/.exec(field.at)?.[1]),
  );
  const value = (field: DiffField, own: unknown): (string | HTMLElement)[] => {
    const name = scene && typeof own === "number" && isMaterial(field.at) ? materialName(scene, own) : "";
    return [
      shownValue(own),
      name && h("span", { class: "quiet" }, ` ${name}${changed.has(String(own)) ? " (changed)" : ""}`),
    ];
  };
  const mod = diff.against.startsWith("with the mod ");
  const columns = mod
    ? ["Field", "Now", `With ${diff.against.slice("with the mod ".length)}`]
    : app.opened.against
      ? ["Field", "There", "Here"]
      : ["Field", "Original", "Now"];
  const block = (part: DiffPart): HTMLElement =>
    h(
      "details",
      { class: "diff-part", open: diff.parts.length < 8 },
      h(
        "summary",
        null,
        h("span", { class: `badge change-${part.change}` }, part.change),
        " ",
        h("b", null, part.part),
        h("span", { class: "quiet" }, part.differences ? ` ${plural(part.differences, "difference")}` : ""),
      ),
      part.change !== "removed" &&
        part.part !== "nodes.json" &&
        h("p", null, h("a", { href: app.href(differenceRoute(file, part.part)) }, "Open the part")),
      part.fields &&
        part.fields.length > 0 &&
        h(
          "table",
          { class: "diff" },
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              columns.map((label) => h("th", { scope: "col" }, label)),
            ),
          ),
          h(
            "tbody",
            null,
            part.fields
              .slice(0, 500)
              .map((field) =>
                h(
                  "tr",
                  null,
                  h("td", null, h("a", { href: app.href(differenceRoute(file, part.part, field.at)) }, field.at)),
                  h("td", { class: "old mono" }, value(field, field.old)),
                  h("td", { class: "new mono" }, value(field, field.new)),
                ),
              ),
          ),
        ),
    );
  inspectFile(app, file, []);
  const total = diff.parts.reduce((sum, part) => sum + (part.differences ?? 1), 0);
  const against = diff.against.startsWith("with ") ? diff.against : `against ${diff.against}`;
  return {
    element: withBar(
      "part",
      [
        h("h2", null, "Differences"),
        h(
          "span",
          { class: "quiet" },
          `${plural(total, "difference")} in ${plural(diff.parts.length, "part")} ${against}`,
          diff.more && ", and more",
        ),
        h("span", { class: "grow" }),
        file.scene &&
          h(
            "a",
            { class: "button small", href: app.href({ file: file.path, view: "scene", mode: "changed" }) },
            "Show in the scene",
          ),
      ],
      h(
        "div",
        { class: "scroll pad", tabIndex: 0, role: "region", "aria-label": "Differences" },
        diff.parts.map(block),
      ),
    ),
  };
}

/** Edited files and applied mods. */
export function statusView(app: App): View {
  const { edited = [], mods = [] } = app.status;
  app.inspect({ title: "Edits and mods", kind: app.opened.what, sections: [] });
  return {
    element: h(
      "div",
      { class: "scroll pad", tabIndex: 0, role: "region", "aria-label": "Edits and mods" },
      h("h2", null, "Edited files"),
      edited.length
        ? h(
            "ul",
            { class: "places" },
            edited.map((each) => {
              const file = app.byNumber(each.file) ?? app.byPath(each.path);
              return h(
                "li",
                null,
                file
                  ? h(
                      "a",
                      { class: "place", href: app.href({ file: file.path, view: "diff" }) },
                      h("b", null, each.path),
                      h("small", null, each.change ?? ""),
                    )
                  : each.path,
              );
            }),
          )
        : h("p", { class: "quiet" }, "Nothing was edited."),
      app.opened.against &&
        h(
          "h2",
          null,
          `Compared ${app.opened.against.startsWith("with ") ? app.opened.against : `with ${app.opened.against}`}`,
        ),
      app.opened.against &&
        (app.differences?.files.length
          ? h(
              "ul",
              { class: "places" },
              app.differences.files.map((n) => {
                const file = app.byNumber(n);
                return (
                  file &&
                  h(
                    "li",
                    null,
                    h(
                      "a",
                      { class: "place", href: app.href({ file: file.path, view: "diff" }) },
                      h("b", null, file.path),
                      h("small", null, file.role ?? ""),
                    ),
                  )
                );
              }),
            )
          : h("p", { class: "quiet" }, app.differences ? "No file differs." : "Comparing…")),
      h("h2", null, "Applied mods"),
      mods.length
        ? h(
            "ul",
            { class: "places" },
            mods.map((mod) =>
              h(
                "li",
                null,
                h("b", null, mod.name),
                h(
                  "span",
                  { class: "quiet" },
                  ` ${mod.version ?? ""}${mod.files ? `, ${plural(mod.files, "file")}` : ""}`,
                ),
              ),
            ),
          )
        : h("p", { class: "quiet" }, "No mods are applied."),
    ),
  };
}
