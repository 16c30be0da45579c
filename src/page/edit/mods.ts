// Mods: one is made of the edits and given to others, and those of others are applied to the game and taken out again.

import type { App, View } from "../app";
import { download, fill, h, icon, labelled, plural, select, smallButton, withBar } from "../dom";
import type { AboutMod, AppliedMod, ModContents, ModPlan } from "../source";
import { base64 } from "./edits";
import { fileButton, takeDrops } from "./pick";

type Prefer = "none" | "first" | "last";

/** Most lines of one file of a mod that are shown. */
const LINES = 30;

const OUTCOMES: Record<string, string> = {
  changed: "is changed",
  added: "is new",
  deleted: "is deleted",
  restored: "is the original again",
  unchanged: "stays as it is",
};

/** What is in a mod, file by file. */
function contentsOf(contents: ModContents): HTMLElement {
  const { about, author, version, license } = contents;
  const facts = [version && `version ${version}`, author && `by ${author}`, license].filter(Boolean).join(", ");
  return h(
    "div",
    { class: "change" },
    h(
      "div",
      { class: "change-head" },
      h("b", { class: "grow" }, contents.name),
      h("span", { class: "quiet" }, [facts, plural(contents.changes, "change")].filter(Boolean).join(" · ")),
    ),
    about && h("p", null, about),
    contents.files.map((file) =>
      h(
        "details",
        { open: contents.files.length < 4 },
        h("summary", null, file.path, h("small", { class: "quiet" }, ` ${plural(file.lines.length, "line")}`)),
        h("pre", null, file.lines.slice(0, LINES).join("\n")),
        file.lines.length > LINES && h("p", { class: "quiet" }, `and ${file.lines.length - LINES} more`),
      ),
    ),
  );
}

/** What applying mods does, file by file; conflicts first. */
function planOf(plan: ModPlan): HTMLElement {
  const sentences = (lines: string[], className: string): HTMLElement | false =>
    lines.length > 0 &&
    h(
      "ul",
      { class: className },
      lines.slice(0, LINES).map((line) => h("li", null, line)),
      lines.length > LINES && h("li", { class: "quiet" }, `and ${lines.length - LINES} more`),
    );
  return h(
    "ul",
    { class: "change-list" },
    [...plan.files]
      .sort((a, b) => b.conflicts.length - a.conflicts.length)
      .map((file) =>
        h(
          "li",
          { class: "change" },
          h("b", null, file.path),
          ` ${OUTCOMES[file.outcome] ?? file.outcome}`,
          h("small", { class: "quiet" }, file.mods.length ? ` (${file.mods.join(", ")})` : ""),
          sentences(file.conflicts, "bad-text"),
          sentences(file.unplaced, "quiet"),
        ),
      ),
  );
}

/** What was done last, in milliseconds since the page began: the view is made again after the game's files changed. */
let done = { text: "", at: -Infinity };

/** For so many milliseconds it is said again. */
const SAID_FOR = 10000;

export function modsView(app: App): View {
  const { source } = app;
  const post = <T>(what: string, body: unknown): Promise<T> =>
    source.post?.<T>(what, body) ?? Promise.reject(new Error("this page only shows"));
  app.inspect(null);
  let gone = false;
  const said = h(
    "p",
    { class: "quiet", role: "status" },
    performance.now() - done.at < SAID_FOR ? done.text : undefined,
  );
  const say = (text: string): void => {
    said.textContent = text;
    done = { text, at: performance.now() };
  };
  /** Does something, and shows why it failed; false then. */
  const attempt = async (what: string, work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      said.textContent = "";
      if (!gone) app.fail(what, error);
      return false;
    }
  };
  const note = (what: string, notes: string[]): void => {
    if (notes.length) app.note(what, notes);
  };

  // One of one's own
  const text = (label: string): HTMLInputElement => h("input", { type: "text", "aria-label": label, class: "wide" });
  const [name, author, version, about, license] = ["Name", "Author", "Version", "What it does", "Licence"].map(text);
  name.required = true;
  const own = h("div", null);
  const aboutMod = (): AboutMod => ({
    name: name.value.trim(),
    author: author.value.trim(),
    version: version.value.trim(),
    about: about.value.trim(),
    license: license.value.trim(),
  });
  const make = (save: boolean): Promise<boolean> =>
    attempt("The mod was not made", async () => {
      if (!name.reportValidity()) return;
      said.textContent = "Comparing your edits with the originals…";
      const made = await post<{ contents: ModContents; bytes: string; notes: string[] }>("mods/make", aboutMod());
      if (gone) return;
      said.textContent = save
        ? `${made.contents.name}.refitmod saved where your browser puts downloads`
        : "This is all that the mod holds.";
      fill(own, contentsOf(made.contents));
      note("The mod is made. Note:", made.notes);
      if (!save) return;
      const data = Uint8Array.from(atob(made.bytes), (char) => char.charCodeAt(0));
      download(`${made.contents.name}.refitmod`, new Blob([data], { type: "application/zip" }));
    });

  // Those of others
  const applied = h("div", null);
  const staged = h("div", null);
  /** The mods that were chosen, as base64. */
  let chosen: string[] = [];
  let prefer: Prefer = "none";
  const show = (mods: AppliedMod[], game: string | null): void => {
    fill(
      applied,
      mods.length
        ? h(
            "ol",
            { class: "change-list", "aria-label": "Applied mods" },
            mods.map((each) =>
              h(
                "li",
                { class: "change" },
                h(
                  "div",
                  { class: "change-head" },
                  h("b", null, each.name),
                  h(
                    "span",
                    { class: "quiet grow" },
                    [each.version, each.author && `by ${each.author}`].filter(Boolean).join(" "),
                  ),
                  smallButton(
                    "Remove",
                    `Takes ${each.name} out of the game; the others stay`,
                    () => void remove(each.name),
                  ),
                ),
                h("p", { class: "quiet" }, each.files.join(", ")),
              ),
            ),
          )
        : h("p", { class: "quiet" }, game ? `No mods are applied to ${game}.` : "The game is not on this machine."),
    );
  };
  const refresh = async (): Promise<void> => {
    const state = await source.mods?.();
    if (state && !gone) show(state.mods, state.game);
  };
  const plan = (what = "The mods cannot be applied"): Promise<boolean> =>
    attempt(what, async () => {
      if (!chosen.length) return fill(staged);
      said.textContent = "Looking at what the mods change…";
      const answer = await post<{ contents: ModContents[]; plan: ModPlan }>("mods/plan", {
        mods: chosen,
        prefer,
      });
      if (gone) return;
      said.textContent = "Nothing is written yet.";
      const { open, refused } = answer.plan;
      fill(
        staged,
        answer.contents.map(contentsOf),
        h("h3", null, "What happens to the game"),
        planOf(answer.plan),
        (open > 0 || prefer !== "none") &&
          labelled(
            "Where two mods change the same value",
            select<Prefer>(
              "Which mod wins",
              [
                ["none", "nobody has decided yet"],
                ["first", "the first one wins"],
                ["last", "the last one wins"],
              ],
              prefer,
              (who) => {
                prefer = who;
                void plan();
              },
            ),
          ),
        refused && h("p", { class: "bad-text", role: "alert" }, refused),
        h(
          "div",
          { class: "actions" },
          h(
            "button",
            { type: "button", class: "button primary", disabled: refused !== null, onclick: () => void apply() },
            "Apply to the game",
          ),
          h("button", { type: "button", class: "button", onclick: () => choose([]) }, "Not now"),
        ),
      );
    });
  const choose = (mods: string[]): void => {
    chosen = mods;
    if (!mods.length) said.textContent = "";
    void plan();
  };
  const apply = (): Promise<boolean> =>
    attempt("The mods were not applied", async () => {
      const answer = await post<{ plan: ModPlan; notes: string[] }>("mods/apply", {
        mods: chosen,
        prefer,
      });
      say(`Applied: ${answer.plan.mods.join(", ")}`);
      chosen = [];
      prefer = "none";
      if (gone) return;
      fill(staged);
      note("The mods are applied. Note:", [...answer.notes, ...answer.plan.files.flatMap((file) => file.unplaced)]);
      await refresh();
    });
  const remove = (which: string): Promise<boolean> =>
    attempt(`${which} was not removed`, async () => {
      const answer = await post<{ notes: string[] }>("mods/remove", { names: [which] });
      say(`${which} is out of the game`);
      if (gone) return;
      note("The mod is removed. Note:", answer.notes);
      await refresh();
    });
  const take = async (files: File[]): Promise<void> => {
    const others = files.filter((file) => !/\.refitmod$/i.test(file.name));
    if (others.length)
      return app.fail(
        "Nothing was added",
        new Error(`${others.map((file) => file.name).join(", ")}: not a .refitmod file`),
      );
    const known = chosen;
    chosen = [...known, ...(await Promise.all(files.map(base64)))];
    // A damaged mod must not stay: it would refuse every mod that is added after it.
    if (await plan(`${files.map((file) => file.name).join(", ")} cannot be applied`)) app.edits?.tell("");
    else chosen = known;
  };
  void attempt("The mods of the game cannot be read", refresh);
  const body = h(
    "div",
    { class: "pad scroll", tabIndex: 0, role: "region", "aria-label": "Mods" },
    said,
    h("h2", null, "In the game"),
    applied,
    h(
      "div",
      { class: "actions" },
      fileButton("Add mods…", { accept: ".refitmod", multiple: true, class: "button" }, (files) => void take(files)),
      h("span", { class: "quiet" }, "or drop .refitmod files here"),
    ),
    staged,
    app.edits?.state.editable && [
      h("h2", null, "A mod of your edits"),
      h("p", { class: "quiet" }, "It holds what you changed and nothing of the game, so you may give it to anybody."),
      h(
        "form",
        {
          class: "form narrow",
          onsubmit: (event: Event) => {
            event.preventDefault();
            void make(true);
          },
        },
        labelled("Name", name),
        labelled("Author", author),
        labelled("Version", version),
        labelled("What it does", about),
        labelled("Licence", license),
        h(
          "div",
          { class: "actions" },
          h("button", { type: "submit", class: "button primary" }, icon("save"), "Save the mod"),
          h("button", { type: "button", class: "button", onclick: () => void make(false) }, "Show what is in it"),
        ),
      ),
      own,
    ],
  );
  takeDrops(body, (files) => void take(files));
  // Files that change meanwhile, such as a new signature, take nothing away that was typed or chosen.
  const listen = (reason: string): void => {
    if (reason === "edits") void refresh().catch(() => undefined);
  };
  app.listeners.add(listen);
  const fields = [name, author, version, about, license];
  return {
    isEditing: () => chosen.length > 0 || fields.some((field) => field.value !== ""),
    element: withBar("changes", [h("h1", { class: "bar-title" }, "Mods")], body),
    dispose: () => {
      gone = true;
      app.listeners.delete(listen);
    },
  };
}
