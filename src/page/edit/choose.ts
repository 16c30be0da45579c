// A file of this machine is chosen: only its path, which the server reads.

import type { App } from "../app";
import { fill, h } from "../dom";
import { folderRow, folderRows, type Folder } from "../folders";

/** Lets a person choose a file whose name fits; null if nothing was chosen. `from` is a path to begin near. */
export function chooseFile(app: App, title: string, fits: RegExp, from: string): Promise<string | null> {
  return new Promise((done) => {
    let chosen: string | null = null;
    const rows = h("div", { class: "choose-rows", tabIndex: 0, role: "region", "aria-label": "Folder" });
    const place = h("p", { class: "quiet ellipsis", role: "status" });
    const ask = (path: string | null): Promise<Folder> =>
      app.source.folder?.(path) ?? Promise.reject(new Error("this page lists no folders"));
    const show = (folder: Folder): void => {
      place.textContent = place.title = folder.path ?? "Drives and folders";
      const wanted = folder.files.filter((file) => fits.test(file.name ?? file.path));
      fill(
        rows,
        wanted.map((file) =>
          folderRow(file, "key", () => {
            chosen = file.path;
            dialog.close();
          }),
        ),
        folderRows(folder, (path) => void enter(path)),
      );
      rows.querySelector("button")?.focus();
    };
    const enter = async (path: string | null): Promise<void> => {
      try {
        show(await ask(path));
      } catch (error) {
        place.textContent = error instanceof Error ? error.message : String(error);
      }
    };
    const dialog = h(
      "dialog",
      {
        class: "ask",
        "aria-labelledby": "choose-title",
        onclose: () => {
          dialog.remove();
          done(chosen);
        },
      },
      h("h2", { id: "choose-title" }, title),
      place,
      rows,
      h(
        "div",
        { class: "actions" },
        h("button", { type: "button", class: "button", onclick: () => void enter(null) }, "Drives and folders"),
        h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Cancel"),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
    // The folder of what was chosen before, if it is still there.
    const folder = from.replace(/[\\/][^\\/]*$/, "");
    const first = folder && folder !== from ? ask(folder).catch(() => ask(null)) : ask(null);
    first.then(show, (error) => (place.textContent = String(error)));
  });
}
