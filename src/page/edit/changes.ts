// My changes: the edits that are in effect, each with what it did; and the way into the game and out again.

import type { App, View } from "../app";
import { h, icon, plural, withBar } from "../dom";
import type { EditDone } from "../source";

const dates = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** Most lines of one part that are shown. */
const LINES = 12;

export function changesView(app: App): View {
  const edits = app.edits;
  const state = edits?.state;
  app.inspect(null);
  if (!edits || !state?.editable)
    return {
      element: h(
        "div",
        { class: "pad" },
        h("h1", null, "My changes"),
        h("p", null, state?.why ? `Nothing is edited here: ${state.why}.` : "Nothing is edited here."),
        state?.proposal && h("p", { class: "quiet" }, "Open a document, select a value and change it at the right."),
      ),
    };
  const game = state.game;
  // The last edit comes first: an edit that was taken back itself takes nothing back any more.
  const gone = new Set<number>();
  for (const edit of state.edits) if (edit.reverts !== undefined && !gone.has(edit.number)) gone.add(edit.reverts);
  /** Says whether the game has what was edited, once that is known. */
  const states = new Map<string, HTMLElement[]>();
  const stateOf = (file: string): HTMLElement => {
    const badge = h("span", { class: "badge", hidden: true });
    states.set(file, [...(states.get(file) ?? []), badge]);
    return badge;
  };
  const item = (edit: EditDone): HTMLElement =>
    h(
      "li",
      { class: gone.has(edit.number) ? "change gone" : "change", "data-number": String(edit.number) },
      h(
        "div",
        { class: "change-head" },
        h("span", { class: "quiet number" }, String(edit.number)),
        h("b", { class: "grow" }, edit.label),
        h("time", { class: "quiet" }, dates.format(new Date(edit.time * 1000))),
        gone.has(edit.number)
          ? h("span", { class: "badge mild" }, "taken back")
          : h(
              "button",
              {
                type: "button",
                class: "button small",
                "aria-label": `Revert edit ${edit.number}`,
                onclick: () => void edits.revert(edit.number),
              },
              "Revert",
            ),
      ),
      edit.parts.map((part) =>
        h(
          "div",
          { class: "change-part" },
          h(
            "a",
            { class: "place", href: app.href({ file: part.file, view: "contents", part: part.part }) },
            h("small", null, `${part.file} › ${part.part}`),
          ),
          !gone.has(edit.number) && stateOf(part.file),
          part.changed_since && h("span", { class: "badge warn" }, "changed since by another program"),
          h("pre", null, part.lines.slice(0, LINES).join("\n")),
          part.lines.length > LINES && h("p", { class: "quiet" }, `and ${part.lines.length - LINES} more`),
        ),
      ),
    );
  const element = withBar(
    "changes",
    [
      h("h1", { class: "bar-title" }, "My changes"),
      h(
        "span",
        { class: "quiet" },
        plural(state.edits.length, "edit"),
        gone.size > 0 && `, ${plural(gone.size, "is", "are")} taken back`,
      ),
      h("span", { class: "grow" }),
      h(
        "button",
        {
          type: "button",
          class: "button primary",
          disabled: !game,
          title: game ? `Writes the edited files into ${game}` : "The game of this project is not on this machine",
          onclick: () => void edits.build(),
        },
        "Put into the game",
      ),
      h(
        "button",
        {
          type: "button",
          class: "button",
          disabled: !game,
          title: "Puts the originals back into the game; your edits stay in the project",
          onclick: () => void edits.restore(),
        },
        "Take out again",
      ),
    ],
    h(
      "div",
      { class: "pad scroll", tabIndex: 0, role: "region", "aria-label": "Edits" },
      h("p", { class: "quiet" }, `Project: ${state.project ?? ""}`, game ? ` · Game: ${game}` : ""),
      state.edits.length
        ? h("ol", { class: "change-list" }, state.edits.map(item))
        : h("p", null, icon("edit"), " No edits yet. Open a document, select a value and change it at the right."),
    ),
  );
  if (game && state.edits.length)
    void app.source.built?.().then(
      ({ waiting }) => {
        for (const [file, badges] of states)
          for (const badge of badges) {
            const isWaiting = waiting.includes(file);
            badge.hidden = false;
            badge.classList.add(isWaiting ? "warn" : "mild");
            badge.textContent = isWaiting ? "not in the game yet" : "in the game";
            badge.title = isWaiting ? `${file} of the game lacks edits` : `${file} of the game has all edits`;
          }
      },
      // Why it cannot be built is said when somebody builds it.
      () => undefined,
    );
  return { element };
}
