// Highlighted texts with names as links; and bytes.

import type { App } from "../app";
import { baseName, fill, h, plural, withBar } from "../dom";
import { textEditor, type TextEditor } from "../edit/text";
import { goToDefinition, inspectName, refsBody } from "../inspect";
import type { FileInfo, Part, TextName } from "../source";
import { VirtualList } from "../virtual";
import type { PartView } from "./part";

/** Words of readers, scripts, and the configs and scripts of addons. */
const KEYWORDS = new Set(
  (
    "class if then else while do for foreach from to step exitwith switch case default private params not and or " +
    "true false nil this call spawn execvm include define ifdef ifndef endif undef enum delete return source " +
    "findnode quit"
  ).split(" "),
);
const TOKENS = /(\/\/.*$|;.*$|#.*$)|("(?:[^"\\]|\\.)*"?)|(-?\b\d[\w.]*)|([A-Za-z_][\w.]*)|([^\w"]+?)/g;

/** The names of a text by line: the index gives places such as `line 12`. */
function byLine(names: TextName[]): Map<number, TextName[]> {
  const out = new Map<number, TextName[]>();
  for (const each of names) {
    const line = Number(/^line (\d+)/.exec(each.at)?.[1] ?? 0) - 1;
    out.set(line, [...(out.get(line) ?? []), each]);
  }
  return out;
}

export function textView(app: App, file: FileInfo | null, part: { path: string }, text: string): PartView {
  const lines = text.split(/\r?\n/);
  let named = new Map<number, TextName[]>();
  if (file) {
    void app.source.names?.(file.number, part.path).then(
      (found) => {
        named = byLine(found.names);
        list.refresh();
      },
      () => undefined,
    );
  }
  const nameLink = (name: TextName, shown: string): HTMLElement =>
    h(
      "button",
      {
        type: "button",
        class: "link name-link",
        title: `${name.kind} ${name.name}`,
        onclick: () =>
          name.defines ? inspectName(app, name.kind, name.name) : void goToDefinition(app, name.kind, name.name),
      },
      shown,
    );
  /** A piece of a line, with the names of that line as links. */
  const linked = (body: HTMLElement, piece: string, cls: string, own: TextName[]): void => {
    const lower = piece.toLowerCase();
    const name = own.find((each) => lower.includes(each.name.toLowerCase()));
    const put = (each: string): void =>
      void (each && body.append(cls ? h("span", { class: `tok-${cls}` }, each) : each));
    if (!name) return put(piece);
    const at = lower.indexOf(name.name.toLowerCase());
    put(piece.slice(0, at));
    body.append(nameLink(name, piece.slice(at, at + name.name.length)));
    linked(body, piece.slice(at + name.name.length), cls, own);
  };
  const code = /\.(zrd|zan|gw|gs|cfg|cpp|hpp|sqf|sqs|sqm|rvmat|ext|json|txt|bisurf|h|c)$/i.test(part.path);
  let query = "";
  const width = String(lines.length).length;
  const list = new VirtualList<string>({
    label: `Text of ${part.path}`,
    role: "none",
    rowHeight: 18,
    className: "code",
    render: (row, line, index) => {
      row.append(
        h("span", { class: "line-number", "aria-hidden": "true" }, String(index + 1).padStart(width, "\u00a0")),
      );
      const body = h("span", { class: "line" });
      const short_ = line.length > 4000 ? `${line.slice(0, 4000)}…` : line;
      const own = named.get(index) ?? [];
      // A name may contain blanks, dots and backslashes, so search for names before splitting the line into tokens.
      if (!code || own.some((each) => /[^\w.]/.test(each.name))) linked(body, short_, "", own);
      else {
        for (const match of short_.matchAll(TOKENS)) {
          const word = match[4] !== undefined && KEYWORDS.has(match[4].toLowerCase()) ? "keyword" : "word";
          linked(
            body,
            match[0],
            match[1] ? "comment" : match[2] ? "string" : match[3] ? "number" : match[4] ? word : "",
            own,
          );
        }
      }
      if (query && line.toLowerCase().includes(query)) row.classList.add("match");
      row.append(body);
    },
  });
  list.element.addEventListener("dblclick", () => {
    const word = window.getSelection()?.toString().trim();
    if (word && word.length < 200) void lookUp(app, word);
  });
  const tally = h("span", { class: "quiet", role: "status" });
  let at = -1;
  const search = h("input", {
    type: "search",
    placeholder: "Find",
    "aria-label": "Find in this text",
    oninput: () => {
      query = search.value.toLowerCase();
      at = -1;
      const found = query ? lines.filter((line) => line.toLowerCase().includes(query)).length : 0;
      tally.textContent = query ? plural(found, "line") : "";
      list.refresh();
      next();
    },
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === "Enter") next();
    },
  });
  const next = (): void => {
    if (!query) return;
    for (let step = 1; step <= lines.length; step++) {
      const line = (at + step) % lines.length;
      if (lines[line].toLowerCase().includes(query)) {
        at = line;
        list.reveal(line);
        return;
      }
    }
  };
  list.set(lines);
  let editor: TextEditor | null = null;
  const edit = (): void => {
    if (!file) return;
    editor ??= textEditor(app, file, part, text, () => {
      editor?.dispose?.();
      editor = null;
      fill(element, ...content);
      app.tell("reload");
    });
    fill(element, editor.element);
    editor.show?.(app.route.at);
  };
  const element = withBar(
    "part",
    [
      h("strong", { class: "ellipsis" }, baseName(part.path)),
      search,
      tally,
      h("span", { class: "grow" }),
      h("span", { class: "quiet" }, `${plural(lines.length, "line")}; double-click a word to look it up`),
      file &&
        app.edits?.possible &&
        h("button", { type: "button", class: "button small", onclick: edit }, "Edit the text"),
    ],
    list.element,
  );
  const content = [...element.childNodes];
  return {
    element,
    isDirty: () => editor?.isDirty() ?? false,
    isEditing: () => editor !== null,
    dispose: () => editor?.dispose?.(),
    show: (place) => {
      const line = Number(/^line (\d+)/.exec(place ?? "")?.[1] ?? 0) - 1;
      if (line < 0 || line >= lines.length) return;
      at = line;
      list.select(line);
      list.reveal(line);
    },
  };
}

/** Looks a word up in all names. */
export async function lookUp(app: App, word: string): Promise<void> {
  const found = await app.source.find(word, undefined, 50);
  const exact = found.names.filter((place) => place.name.toLowerCase() === word.toLowerCase());
  const kinds = [...new Set(exact.map((place) => place.kind))];
  if (!kinds.length) {
    app.inspect({
      title: word,
      kind: "word",
      sections: [{ title: "Names", body: h("p", { class: "quiet" }, "refit knows no such name in what is open.") }],
    });
    return;
  }
  app.inspect({
    title: word,
    kind: "name",
    sections: kinds.map((kind) => ({ title: `As ${kind}`, body: refsBody(app, kind, exact[0].name) })),
  });
}

export function hexView(part: Part, data: Uint8Array): PartView {
  const list = new VirtualList<number>({
    label: `Bytes of ${part.path}`,
    role: "none",
    rowHeight: 18,
    className: "code hex",
    render: (row, offset) => {
      const slice = data.subarray(offset, offset + 16);
      const hex = Array.from(slice, (byte, n) => byte.toString(16).padStart(2, "0") + (n === 7 ? " " : "")).join(" ");
      const ascii = Array.from(slice, (byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
      row.append(
        h("span", { class: "line-number" }, offset.toString(16).padStart(8, "0")),
        h("span", { class: "hex-bytes" }, hex),
        h("span", { class: "hex-text" }, ascii),
      );
    },
  });
  list.set(Array.from({ length: Math.ceil(data.length / 16) }, (_, n) => n * 16));
  const jump = h("input", {
    type: "text",
    placeholder: "Offset, such as 0x1f0",
    "aria-label": "Go to offset",
    onkeydown: (event: KeyboardEvent) => {
      const offset = Number(jump.value.trim());
      if (event.key === "Enter" && offset >= 0 && offset < data.length) list.reveal(Math.floor(offset / 16));
    },
  });
  return {
    element: withBar(
      "part",
      [
        h("strong", { class: "ellipsis" }, baseName(part.path)),
        jump,
        h("span", { class: "grow" }),
        h("span", { class: "quiet" }, plural(data.length, "byte")),
      ],
      list.element,
    ),
  };
}
