// Verifies, unpacks and repacks dropped files. Results are downloads.

import type { App, View } from "../app";
import { baseName, bytes, count, download, fill, h, icon, plural, withBar } from "../dom";
import type { OpenedFile } from "../source";
import { VirtualList } from "../virtual";
import type { Outcome, WorkerSource } from "../worker-source";

declare global {
  interface Window {
    /** The rows of the list, for tests. */
    refitWork?: Row[];
  }
}

interface Row {
  file: OpenedFile;
  isTree: boolean;
  outcome?: Outcome;
  error?: string;
}

const kind = ({ format, game }: { format?: string | null; game?: string | null }): string =>
  [format, game].filter(Boolean).join(", ");
const stem = (name: string): string => name.replace(/\.[^.]+$/, "") || name;
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function said(row: Row): string {
  if (row.error !== undefined) return row.error;
  const { outcome } = row;
  if (!outcome) return row.file.why ?? "";
  if (outcome.raw?.length)
    return outcome.raw.map(({ member, why }) => `${member || "the whole file"}: ${why}`).join("; ");
  if (outcome.identical !== undefined)
    return `a tree: gives ${outcome.source} ${outcome.identical ? "bit for bit" : "with edits"}`;
  return bytes(outcome.bytes);
}

/** The work on this page; kept while other views are shown. */
let rows: Row[] = [];
let of: unknown = null;

export function workView(app: App, source: WorkerSource): View {
  if (of !== app.opened) {
    of = app.opened;
    rows = app.opened.files.map((file) => ({ file, isTree: source.isTree(file.number) }));
    window.refitWork = rows;
  }
  const trees = rows.filter((row) => row.isTree).length;
  const detail = h("div", { class: "work-detail", tabIndex: 0, role: "region", "aria-label": "Result" });
  const list = new VirtualList<Row>({
    label: "Files",
    role: "table",
    rowHeight: 26,
    className: "grid work-grid",
    render: (line, row) => {
      const cell = (cls: string, ...content: (Node | string)[]): HTMLElement =>
        h("span", { role: "cell", class: `ellipsis ${cls}` }, content);
      const state = row.error !== undefined ? "error" : (row.outcome?.status ?? "");
      const verb = row.isTree ? "Repack" : "Unpack";
      line.append(
        cell(`work-${state}`, state),
        cell("", h("a", { href: app.href({ file: row.file.path }) }, row.file.path)),
        cell("quiet", kind(row.outcome ?? row.file)),
        cell("quiet", said(row).replace(`${row.file.path}: `, "")),
        cell(
          "",
          row.file.format
            ? h(
                "button",
                {
                  type: "button",
                  class: "button small",
                  "aria-label": `${verb} ${row.file.path}`,
                  onclick: () => void one(row),
                },
                verb,
              )
            : "",
        ),
      );
      line.title = said(row);
    },
    onselect: (row) => fill(detail, h("b", null, row.file.path), h("pre", null, said(row))),
    empty: "No file is left.",
  });
  const bar = h("progress", { max: rows.length, value: 0, hidden: true, "aria-label": "Progress" });
  const status = h("span", { class: "quiet ellipsis", role: "status" });
  const stop = h(
    "button",
    {
      type: "button",
      class: "button",
      hidden: true,
      onclick: () => {
        stopped = true;
        source.stop();
      },
    },
    icon("stop"),
    "Stop",
  );
  let stopped = false;
  let over = false;

  const summary = (): string => {
    const n = (test: (row: Row) => boolean): number => rows.filter(test).length;
    const exact = n((row) => row.outcome?.status === "exact" && row.error === undefined);
    const parts = [`${plural(exact, "file")} exact`];
    const raw = n((row) => row.outcome?.status === "raw");
    const failed = n((row) => row.error !== undefined);
    if (raw) parts.push(`${count(raw)} kept raw`);
    if (failed) parts.push(`${count(failed)} failed`);
    if (app.opened.others) parts.push(`${count(app.opened.others)} not recognised and skipped`);
    return parts.join(", ");
  };
  /** Works on some files one by one, and returns the number of failures. */
  const each = async (some: Row[], work: (row: Row) => Promise<void>): Promise<number> => {
    stopped = false;
    let failed = 0;
    let drawn = 0;
    bar.hidden = stop.hidden = false;
    delete document.body.dataset.worked;
    for (const [at, row] of some.entries()) {
      // Drawing takes longer than verifying a small file.
      const draws = performance.now() - drawn > 100;
      if (draws) {
        drawn = performance.now();
        bar.max = some.length;
        bar.value = at;
        status.textContent = row.file.path;
        if (!over) list.refresh();
      }
      delete row.error;
      try {
        await work(row);
      } catch (error) {
        if (stopped) break;
        row.error = messageOf(error);
        failed++;
      }
    }
    bar.hidden = stop.hidden = true;
    return failed;
  };
  const finish = (text: string): void => {
    status.title = status.textContent = stopped ? "Stopped." : text;
    list.set(shown(), true);
    document.body.dataset.worked = text;
  };
  const verify = async (): Promise<void> => {
    await each(rows, async (row) => void (row.outcome = await source.verify(row.file.number)));
    finish(summary());
  };
  const zip = async (some: Row[], name: string, work: (row: Row) => Promise<Outcome>): Promise<void> => {
    await source.bundle();
    const failed = await each(some, async (row) => {
      const done = await work(row);
      if (done.status) row.outcome = done;
    });
    if (failed < some.length && !stopped) download(name, await source.bundle());
    finish(`${plural(some.length - failed, "file")} in ${name}${failed ? `, ${count(failed)} failed` : ""}`);
  };
  const one = async (row: Row): Promise<void> => {
    if (!row.isTree) return zip([row], `${stem(baseName(row.file.path))}.zip`, (row) => source.unpack(row.file.number));
    let made = "";
    await each([row], async () => {
      const { name, blob } = await source.packed(row.file.number);
      made = name;
      download(name, blob);
    });
    finish(row.error ?? made);
  };
  const known = (isTree: boolean): Row[] => rows.filter((row) => row.isTree === isTree && row.file.format !== null);
  const only = h(
    "select",
    { "aria-label": "Which files", onchange: () => list.set(shown()) },
    h("option", { value: "" }, "All files"),
    h("option", { value: "odd" }, "Not exact"),
  );
  const shown = (): Row[] =>
    only.value
      ? rows.filter((row) => row.error !== undefined || (row.outcome && row.outcome.status !== "exact"))
      : rows;
  list.set(rows);
  if (rows.some((row) => row.outcome)) status.textContent = summary();
  app.inspect({
    title: app.opened.name,
    kind: "Check and convert",
    sections: [
      {
        title: "What this does",
        body: h(
          "div",
          null,
          h("p", null, h("b", null, "Verify"), " proves that a file survives unpacking and repacking bit for bit."),
          h("p", null, h("b", null, "Unpack"), " makes a zip with the tree of a file: text and plain files to edit."),
          h("p", null, h("b", null, "Repack"), " makes the file of a tree. Drop the edited folder, or a zip of it."),
          h("p", null, "All of it happens on this page."),
        ),
      },
    ],
  });
  return {
    element: withBar(
      "part work",
      [
        h(
          "button",
          { type: "button", class: "button", id: "verify-all", onclick: () => void verify() },
          icon("list"),
          "Verify all",
        ),
        trees < rows.length &&
          h(
            "button",
            {
              type: "button",
              class: "button",
              id: "unpack-all",
              onclick: () =>
                void zip(known(false), `${stem(app.opened.name)}.zip`, (row) => source.unpack(row.file.number)),
            },
            icon("tree"),
            "Unpack all to a zip",
          ),
        trees > 0 &&
          h(
            "button",
            {
              type: "button",
              class: "button",
              id: "repack-all",
              onclick: () =>
                void zip(known(true), `${stem(app.opened.name)}-files.zip`, (row) => source.repack(row.file.number)),
            },
            icon("archive"),
            "Repack all to a zip",
          ),
        only,
        bar,
        stop,
        status,
      ],
      list.element,
      list.emptyMessage,
      detail,
    ),
    dispose: () => {
      over = true;
    },
  };
}
