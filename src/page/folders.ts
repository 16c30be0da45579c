// Folders of this machine, as the server lists them: on the start page, and where a file is chosen.

import { h, icon, pathEnd, type Child } from "./dom";

/** A folder or a file. */
export interface Row {
  name?: string;
  path: string;
  kind: "project" | "tree" | "game" | null;
}

/** What is in a folder; without a path, where the folders of this machine begin. */
export interface Folder {
  path: string | null;
  parent: string | null;
  kind: Row["kind"];
  folders: Row[];
  files: Row[];
}

const KINDS = { project: "Project", tree: "Tree", game: "Game" };
const PICTURES = { project: "edit", tree: "tree", game: "world" };

/** A folder or a file in a list. */
export const folderRow = (of: Row, picture: string, chosen: () => void, isKnown = true): Child =>
  h(
    "button",
    { type: "button", class: isKnown ? "start-row" : "start-row quiet", onclick: chosen },
    icon(of.kind ? PICTURES[of.kind] : picture),
    pathEnd(of.name ?? of.path),
    h("span", { class: "quiet" }, of.kind ? KINDS[of.kind] : ""),
  );

/** What leads out of a folder and into others. */
export const folderRows = (folder: Folder, enter: (path: string | null) => void): Child[] => [
  folder.path && folderRow({ name: "..", path: folder.path, kind: null }, "up", () => enter(folder.parent)),
  ...folder.folders.map((of) => folderRow(of, "list", () => enter(of.path))),
];
