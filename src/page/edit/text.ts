// The editor of texts and documents: colours, undo of typing, search, and the errors of refit's parser at their line.

import { autocompletion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  defaultHighlightStyle,
  HighlightStyle,
  indentUnit,
  StreamLanguage,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { App } from "../app";
import { baseName, debounce, h, withBar } from "../dom";
import { findAt, parseJson } from "../json";
import { SourceError, type Edit, type Edited } from "../source";
import type { PartView } from "../views/part";

const KEYWORDS = new RegExp(
  "^(?:class|if|then|else|while|do|for|foreach|from|to|switch|case|default|private|params|and|or|not|true|false|" +
    "call|spawn|define|include|ifdef|ifndef|endif|enum|delete|return|source|findnode|quit)\\b",
  "i",
);

/** Readers, scripts and configs: enough to tell comments, texts, numbers and words apart. */
const script = StreamLanguage.define<{ comment: boolean }>({
  startState: () => ({ comment: false }),
  token: (stream, state) => {
    if (state.comment) {
      if (stream.skipTo("*/")) {
        stream.match("*/");
        state.comment = false;
      } else stream.skipToEnd();
      return "comment";
    }
    if (stream.match("/*")) {
      state.comment = true;
      return "comment";
    }
    if (stream.match("//") || (stream.sol() && stream.match(/\s*[;#]/))) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";
    if (stream.match(/^-?\d[\w.]*/)) return "number";
    if (stream.match(KEYWORDS)) return "keyword";
    if (stream.match(/^[A-Za-z_][\w.]*/)) return "variableName";
    stream.next();
    return null;
  },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
  { tag: [tags.string], color: "var(--string)" },
  { tag: tags.number, color: "var(--number)" },
  { tag: [tags.keyword, tags.bool, tags.null], color: "var(--word)" },
  { tag: tags.propertyName, color: "var(--accent)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--panel)", fontSize: "13px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.45" },
  ".cm-gutters": { backgroundColor: "var(--bg)", color: "var(--quiet)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--select) 35%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--raised)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--select) !important" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--edge)" },
});

/** The place of an error in a text: line and column from 1. */
function placeOf(error: unknown): { line: number; column: number; message: string } | null {
  if (!(error instanceof SourceError)) return null;
  const { line, column, message } = error.fault;
  if (line) return { line, column: column ?? 1, message };
  // The error of a file names the place in the part that it is about.
  const named = /:(\d+):(\d+): /.exec(message);
  return named ? { line: Number(named[1]), column: Number(named[2]), message } : null;
}

/** Where a value of a document begins; null if the text is not JSON now. */
function valueAt(text: string, at: string): number | null {
  try {
    return findAt(parseJson(text), at)?.from ?? null;
  } catch {
    return null;
  }
}

/** The line that a finding names: `c1.gs.lines[4]`, `line 5`. */
function lineOf(at: string): number | null {
  const [, index, number] = /\blines\[(\d+)\]|\bline (\d+)/.exec(at) ?? [];
  if (index !== undefined) return Number(index) + 1;
  return number === undefined ? null : Number(number);
}

/** Completes what stands in quotes, and words of scripts, by the names of the game. */
const names = (app: App) =>
  autocompletion({
    override: [
      async (context: CompletionContext): Promise<CompletionResult | null> => {
        const quoted = context.matchBefore(/"[^"\s]*/);
        const word = quoted ?? context.matchBefore(/[\w.]+/);
        const typed = (word?.text ?? "").replace(/^"/, "");
        if (!word || (!context.explicit && typed.length < 3)) return null;
        const found = await app.source.find(typed, undefined, 40).catch(() => null);
        if (!found?.names.length || context.aborted) return null;
        const kinds = new Map(found.names.map((place) => [place.name, place.kind]));
        return {
          from: word.from + (quoted ? 1 : 0),
          options: [...kinds].map(([label, detail]) => ({ label, detail })),
        };
      },
    ],
  });

/** An editor of one part. */
export interface TextEditor extends PartView {
  isDirty(): boolean;
  focus(): void;
  /** Takes the text that is on disk now, unless something was typed that is not saved. */
  renew(text: string, lines?: Lines): void;
}

/** Places in a document, with their lines in the source of the document, from 1. */
export type Lines = [string, number][];

/** The source of a document, which is edited in place of it. */
export interface Written {
  lines: Lines;
}

/**
 * Opens an editor. Saving is one edit. `written` is there if the text is the source of the part, and `more` is for the
 * bar.
 */
export function textEditor(
  app: App,
  file: { path: string },
  part: { path: string },
  text: string,
  close: () => void,
  { written, more }: { written?: Written; more?: HTMLElement | null } = {},
): TextEditor {
  let base = text;
  /** Places in the document, and where they are in the text now. */
  let places: [string, number][] = [];
  /** The text that is being saved. */
  let saving: string | null = null;
  /** The text in the editor, with its own line ends. */
  const typed = (): string => view.state.sliceDoc();
  const host = h("div", { class: "editor fill" });
  // In a shadow root the editor's styles are adopted sheets, which the policy of the page allows.
  const root = host.attachShadow({ mode: "open" });
  const said = h("span", { class: "quiet ellipsis", role: "status" });
  const save = h(
    "button",
    {
      type: "button",
      class: "button small primary",
      disabled: true,
      title: "Saves the text as one edit (Ctrl+S)",
      onclick: () => void put(),
    },
    "Save",
  );
  const isJson = !written && part.path.endsWith(".json");
  const edit = (now: string): Edit => ({
    do: written ? "definition" : "text",
    file: file.path,
    part: part.path,
    text: now,
    base,
  });
  const show = (error: unknown): void => {
    const place = placeOf(error);
    const message = error instanceof Error ? error.message : "";
    said.textContent = message;
    said.className = `ellipsis ${message ? "bad-text" : "quiet"}`;
    mark(place ? [{ ...place, severity: "error" }] : []);
  };
  const mark = (places: { line: number; column: number; message: string; severity: "error" | "warning" }[]): void => {
    const diagnostics: Diagnostic[] = [];
    for (const { line: number, column, message, severity } of places) {
      if (number > view.state.doc.lines) continue;
      const line = view.state.doc.line(number);
      const from = Math.min(line.to, line.from + column - 1);
      diagnostics.push({ from, to: Math.max(from, line.to), severity, message });
    }
    view.dispatch(setDiagnostics(view.state, diagnostics));
  };
  /** Shows what the text would bring in, at its lines. */
  const warn = (found: Edited["brought_in"]): void => {
    if (!found.length) return show(null);
    said.textContent = found.map((each) => each.message).join("; ");
    said.className = "ellipsis warn-text";
    mark(
      found.flatMap(({ at, message }) => {
        const line = lineOf(at);
        return line ? [{ line, column: 1, message, severity: "warning" as const }] : [];
      }),
    );
  };
  let checked = 0;
  const check = debounce(350, async () => {
    const mine = ++checked;
    const now = typed();
    if (now === base || !app.edits?.state.editable) return show(null);
    try {
      const done = await app.source.post?.<Edited>("check", edit(now));
      if (mine === checked) warn(done?.brought_in ?? []);
    } catch (error) {
      if (mine === checked) show(error);
    }
  });
  const put = async (): Promise<void> => {
    const now = typed();
    if (now === base || saving !== null) return;
    checked++;
    const before = base;
    saving = now;
    const done = await app.edits?.make(edit(now));
    saving = null;
    if (!done) {
      check();
      return;
    }
    if (written && !done.changed.length) {
      if (typed() === now) replace(base);
      said.textContent = "Nothing changed: the document has no place for comments and layout";
      said.className = "quiet ellipsis";
      return;
    }
    // Otherwise `renew` took what was merged.
    if (base === before) base = now;
    save.disabled = typed() === base;
    said.textContent = "Saved";
    said.className = "quiet ellipsis";
  };
  const language = new Compartment();
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        highlightSpecialChars(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        bracketMatching(),
        indentUnit.of("  "),
        EditorState.lineSeparator.of(text.includes("\r\n") ? "\r\n" : "\n"),
        syntaxHighlighting(colours),
        syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
        language.of(isJson ? json() : script),
        lintGutter(),
        names(app),
        look,
        EditorView.contentAttributes.of({
          "aria-label": `${written ? "Source" : "Text"} of ${part.path}`,
          tabindex: "0",
        }),
        keymap.of([
          { key: "Mod-s", preventDefault: true, run: () => (void put(), true) },
          ...defaultKeymap,
          ...historyKeymap,
          ...searchKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          places = places.map(([at, from]) => [at, update.changes.mapPos(from)]);
          save.disabled = typed() === base;
          check();
        }),
      ],
    }),
  });
  /** Shows another text. Only what differs is replaced, so that the cursor stays. */
  const replace = (now: string): void => {
    const [old, to] = [view.state.doc, view.state.toText(now)].map(String);
    let from = 0;
    while (from < old.length && old[from] === to[from]) from++;
    let end = 0;
    const most = Math.min(old.length, to.length) - from;
    while (end < most && old[old.length - 1 - end] === to[to.length - 1 - end]) end++;
    const insert = view.state.toText(now).slice(from, to.length - end);
    view.dispatch({ changes: { from, to: old.length - end, insert } });
  };
  const locate = (lines: Lines): void => {
    places = lines
      .filter(([, line]) => line <= view.state.doc.lines)
      .map(([at, line]) => [at, view.state.doc.line(line).from]);
  };
  /** Where a place of the document is written: the innermost one that has a line. */
  const writtenAt = (at: string): number | null => {
    const isAround = ([place]: [string, number]): boolean =>
      at === place || at.startsWith(`${place}.`) || at.startsWith(`${place}[`);
    const around = places.filter(isAround);
    return around.sort((a, b) => b[0].length - a[0].length)[0]?.[1] ?? null;
  };
  locate(written?.lines ?? []);
  // The keyboard may be elsewhere, as in what plays beside the text.
  const onKey = (event: KeyboardEvent): void => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "s") return;
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    void put();
  };
  window.addEventListener("keydown", onKey);
  return {
    element: withBar(
      "part",
      [
        h("strong", { class: "ellipsis", title: part.path }, baseName(part.path)),
        more,
        save,
        h("button", { type: "button", class: "button small", onclick: () => close() }, "Close the editor"),
        said,
      ],
      host,
    ),
    isDirty: () => typed() !== base,
    focus: () => view.focus(),
    renew: (now, lines = []) => {
      const own = typed();
      if (own !== base && own !== saving && own !== now) return;
      base = now;
      save.disabled = true;
      if (own !== now) replace(now);
      locate(lines);
    },
    show: (at) => {
      const line = Number(/^line (\d+)/.exec(at ?? "")?.[1] ?? 0);
      if (line > view.state.doc.lines || (!line && (!at || (!isJson && !written)))) return;
      const find = (place: string): number | null =>
        written ? writtenAt(place) : valueAt(view.state.doc.toString(), place);
      const from = line ? view.state.doc.line(line).from : find(at ?? "");
      if (from === null) return;
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    },
    dispose: () => {
      window.removeEventListener("keydown", onKey);
      view.destroy();
    },
  };
}
