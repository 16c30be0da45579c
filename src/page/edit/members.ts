// Members of archives, banks, packages and addons: added by a drop, renamed and removed.

import type { App } from "../app";
import { baseName, h, labelled } from "../dom";
import type { FileInfo, Member } from "../source";
import { base64 } from "./edits";
import { fileButton, takeDrops } from "./pick";

/** The formats whose members have a list of their own; those of others are edited in their documents. */
const WITH_MEMBERS = ["archive", "reader", "sounds", "textures", "motion", "interp", "pbo", "rof"];

const canEdit = (app: App, file: FileInfo): boolean =>
  Boolean(app.edits?.possible) && WITH_MEMBERS.includes(file.format ?? "");

/** A button that adds files as members, and takes those that are dropped on `target`. */
export function memberAdder(app: App, file: FileInfo, target: HTMLElement): HTMLElement | null {
  if (!canEdit(app, file)) return null;
  const add = async (files: File[]): Promise<void> => {
    for (const each of files) {
      const change = { do: "add" as const, name: each.name, bytes: await base64(each) };
      if (!(await app.edits?.make({ do: "member", file: file.path, change }))) return;
    }
  };
  takeDrops(target, (files) => void add(files));
  const title = "Adds files as members; dropping them here does the same";
  return fileButton("Add files…", { title, multiple: true }, (files) => void add(files));
}

/** Renames and removes a member, for the inspector. */
export function inspectMember(app: App, file: FileInfo, member: Member): void {
  if (!canEdit(app, file)) return;
  const make = (change: { do: "rename"; name: string; to: string } | { do: "remove"; name: string }) =>
    app.edits?.make({ do: "member", file: file.path, change });
  const name = h("input", {
    type: "text",
    defaultValue: member.name,
    "aria-label": "Name",
    "data-at": "Name",
    spellcheck: false,
  });
  const rename = async (event: Event): Promise<void> => {
    event.preventDefault();
    const to = name.value.trim();
    if (to && to !== member.name && !(await make({ do: "rename", name: member.name, to }))) name.value = member.name;
  };
  app.inspect({
    title: baseName(member.name),
    kind: `member of ${baseName(file.path)}`,
    sections: [
      {
        title: "Edit",
        body: h(
          "div",
          { class: "form" },
          h(
            "form",
            { class: "form-line", onsubmit: rename },
            labelled("Name", name),
            h("button", { type: "submit", class: "button small" }, "Rename"),
          ),
          h(
            "div",
            { class: "actions" },
            h(
              "button",
              {
                type: "button",
                class: "button small",
                onclick: () => void make({ do: "remove", name: member.name }),
              },
              "Delete",
            ),
          ),
        ),
      },
    ],
  });
}
