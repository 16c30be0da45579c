// Files and folders that a person drops onto the page, or chooses.

import { bytes, fill, h, icon, plural } from "./dom";
import type { WorkerSource } from "./worker-source";
import type { GivenFile } from "./worker";

export interface Dropped {
  name: string;
  files: GivenFile[];
}

const read = <T>(ask: (take: (value: T) => void, fail: (error: unknown) => void) => void): Promise<T> =>
  new Promise(ask);

/** The files below a folder. */
async function below(folder: FileSystemDirectoryEntry, path: string, out: GivenFile[]): Promise<void> {
  const reader = folder.createReader();
  for (;;) {
    // A reader returns some entries at a time.
    const some = await read<FileSystemEntry[]>((take, fail) => reader.readEntries(take, fail));
    if (!some.length) return;
    for (const entry of some) await add(entry, `${path}${entry.name}`, false, out);
  }
}

async function add(entry: FileSystemEntry, path: string, named: boolean, out: GivenFile[]): Promise<void> {
  if (entry.isDirectory) await below(entry as FileSystemDirectoryEntry, `${path}/`, out);
  else
    out.push({ path, named, file: await read<File>((take, fail) => (entry as FileSystemFileEntry).file(take, fail)) });
}

/** The dropped entries. They must be requested before anything is awaited. */
async function ofTransfer(transfer: DataTransfer): Promise<Dropped> {
  const items = [...transfer.items].filter((item) => item.kind === "file");
  const entries = items.map((item) => item.webkitGetAsEntry());
  const files: GivenFile[] = [];
  const [only] = entries;
  if (entries.length === 1 && only?.isDirectory) {
    await below(only as FileSystemDirectoryEntry, "", files);
    return { name: only.name, files };
  }
  if (entries.every((entry) => entry)) for (const entry of entries) await add(entry!, entry!.name, true, files);
  else files.push(...[...transfer.files].map((file) => ({ path: file.name, file, named: true })));
  return called(files, entries.length);
}

function called(files: GivenFile[], items: number): Dropped {
  return { name: items === 1 ? (files[0]?.path ?? "").replace(/\.zip$/i, "") : plural(items, "file"), files };
}

/** The chosen files, or one folder. */
function ofInput(list: FileList): Dropped {
  const all = [...list];
  const folder = all[0]?.webkitRelativePath.split("/")[0];
  if (!folder)
    return called(
      all.map((file) => ({ path: file.name, file, named: true })),
      all.length,
    );
  return {
    name: folder,
    files: all.map((file) => ({ path: file.webkitRelativePath.slice(folder.length + 1), file, named: false })),
  };
}

/** The screen for dropping files. It accepts drops anywhere on the page. */
export class DropScreen {
  readonly element: HTMLElement;
  private readonly bar = h("progress", { class: "drop-progress", max: 1, value: 0, "aria-label": "Progress" });
  private readonly says = h("p", { class: "quiet ellipsis", role: "status" }, "Loading refit…");
  private readonly wrong = h("div", { class: "fault", role: "alert", hidden: true });
  private opening = 0;

  constructor(
    private readonly source: WorkerSource,
    private readonly show: () => void,
    private readonly opened: () => Promise<void>,
  ) {
    const files = h("input", {
      type: "file",
      multiple: true,
      hidden: true,
      id: "drop-files",
      onchange: () => this.chosen(files),
    });
    const folder = h("input", { type: "file", hidden: true, id: "drop-folder", onchange: () => this.chosen(folder) });
    folder.webkitdirectory = true;
    this.element = h(
      "div",
      { class: "drop" },
      h(
        "div",
        { class: "drop-zone" },
        icon("archive"),
        h("h1", null, "Drop files or a folder here"),
        h(
          "p",
          null,
          "Files of Recoil, MechWarrior 3, Pirate’s Moon and Crimson Skies, PBO archives, " +
            "a whole game, an unpacked tree, or a zip of one.",
        ),
        h(
          "p",
          { class: "drop-buttons" },
          h(
            "button",
            { type: "button", class: "button", onclick: () => files.click() },
            icon("bytes"),
            "Choose files…",
          ),
          h(
            "button",
            { type: "button", class: "button", onclick: () => folder.click() },
            icon("tree"),
            "Choose a folder…",
          ),
        ),
        files,
        folder,
        this.bar,
        this.says,
        this.wrong,
      ),
      h(
        "p",
        { class: "quiet drop-note" },
        icon("key"),
        "The files are read on this page and go nowhere: " +
          "once it is loaded, the page needs no network and asks for nothing.",
      ),
    );
    const isFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    window.addEventListener("dragover", (event) => {
      if (!isFiles(event)) return;
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    window.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) document.body.classList.remove("dropping");
    });
    window.addEventListener("drop", (event) => {
      document.body.classList.remove("dropping");
      if (!isFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      void this.open(ofTransfer(event.dataTransfer));
    });
  }

  /** Loads refit. */
  async load(): Promise<void> {
    try {
      await this.source.load((done, total) => {
        this.bar.value = total ? Math.min(1, done / total) : 0;
        this.says.textContent = `Loading refit… ${bytes(done)}`;
      });
      this.bar.hidden = true;
      this.says.textContent = "Ready.";
      document.body.dataset.ready = "true";
    } catch (error) {
      this.fail("refit cannot be loaded", error);
    }
  }

  private chosen(input: HTMLInputElement): void {
    if (input.files?.length) void this.open(Promise.resolve(ofInput(input.files)));
    input.value = "";
  }

  private async open(dropped: Promise<Dropped>): Promise<void> {
    const mine = ++this.opening;
    this.show();
    this.wrong.hidden = true;
    this.bar.hidden = false;
    this.bar.removeAttribute("value");
    this.says.textContent = "Looking at the files…";
    delete document.body.dataset.opened;
    try {
      const { name, files } = await dropped;
      if (!files.length) throw new Error("there is no file in it");
      await this.source.drop(name, files, ({ name, done, total }) => {
        if (mine !== this.opening) return;
        this.bar.value = total ? done / total : 0;
        this.says.textContent = name;
      });
      if (mine !== this.opening) return;
      await this.opened();
      this.bar.hidden = true;
      this.says.textContent = "Ready.";
    } catch (error) {
      if (mine === this.opening) this.fail("This cannot be opened", error);
    }
    if (mine === this.opening) document.body.dataset.opened = String(mine);
  }

  private fail(what: string, error: unknown): void {
    this.bar.hidden = true;
    this.says.textContent = "";
    this.wrong.hidden = false;
    const hint = (error as { fault?: { hint?: string } }).fault?.hint;
    this.show();
    fill(
      this.wrong,
      h("b", null, what),
      h("p", null, error instanceof Error ? error.message : String(error)),
      hint ? h("p", null, hint) : null,
    );
  }
}
