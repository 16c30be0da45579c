// Addons: prefix and properties as a form; signed with a key of the user, and checked as a server does it.

import type { App } from "../app";
import { chooseFile } from "./choose";
import { fill, h, iconButton, labelled, plural, select, smallButton } from "../dom";
import type { AddonCheck, FileInfo } from "../source";

type Property = [string, string];

/** Where the page keeps the paths that were typed last. The key itself is only ever read by refit. */
const KEY = "refit-key-file";
const KEYS = "refit-server-keys";

const kept = (name: string): string => {
  try {
    return localStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
};
const keep = (name: string, value: string): void => {
  try {
    localStorage.setItem(name, value);
  } catch {
    // It is typed again the next time.
  }
};

/** The forms of an addon; null for other files, and where nothing can be edited. */
export function addonForm(app: App, file: FileInfo): HTMLElement | null {
  if (file.format !== "pbo" || !app.edits?.possible) return null;
  const fields = h("div", { class: "form" });
  void properties(app, file).then(
    (made) => fill(fields, made),
    () => fill(fields),
  );
  return h(
    "div",
    { class: "pad addon" },
    h("h3", null, "Addon"),
    fields,
    h("h3", null, "Signature"),
    signature(app, file),
  );
}

/** The prefix and the properties, from the manifest. */
async function properties(app: App, file: FileInfo): Promise<HTMLElement> {
  const part = "refit.json";
  const manifest = JSON.parse(await (await app.source.part(file.number, part)).text()) as {
    prefix?: string;
    properties?: Property[];
  };
  const own = manifest.properties ?? [];
  const set = (path: string, value: unknown, old?: unknown) =>
    app.edits?.make({ do: "set", file: file.path, part, path, value, ...(old === undefined ? {} : { old }) });
  const text = (label: string, value: string, commit: (now: string) => Promise<unknown> | undefined): HTMLElement => {
    const field = h("input", {
      type: "text",
      defaultValue: value,
      "aria-label": label,
      "data-at": label,
      spellcheck: false,
      onchange: async () => {
        if (field.value === value) return;
        field.defaultValue = field.value;
        if (!(await commit(field.value))) field.value = field.defaultValue = value;
      },
    });
    return field;
  };
  const remove = (n: number): void =>
    void app.edits?.make({ do: "remove", file: file.path, part, path: `properties[${n}]`, old: own[n] });
  const [key, value] = ["New property", "Its value"].map((label) =>
    h("input", { type: "text", "aria-label": label, spellcheck: false, required: label === "New property" }),
  );
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    const item: Property = [key.value.trim(), value.value];
    if (!item[0]) return;
    for (const field of [key, value]) field.defaultValue = field.value;
    const edit = { file: file.path, part };
    if (manifest.properties)
      await app.edits?.make({ ...edit, do: "insert", path: "properties", index: own.length, value: item });
    else await set("properties", [item]);
  };
  return h(
    "div",
    { class: "form" },
    labelled(
      "Prefix",
      text("Prefix", manifest.prefix ?? "", (now) => set("prefix", now, manifest.prefix)),
    ),
    own.map(([name, now], n) =>
      h(
        "div",
        { class: "form-line" },
        labelled(
          name,
          text(name, now, (next) => set(`properties[${n}][1]`, next, now)),
        ),
        iconButton("close", `Remove ${name}`, () => remove(n)),
      ),
    ),
    h(
      "form",
      { class: "form-line", onsubmit: add },
      labelled("New property", key),
      labelled("Its value", value),
      h("button", { type: "submit", class: "button small" }, "Add"),
    ),
  );
}

/** Signs the addon of the game, and checks what is beside it. */
function signature(app: App, file: FileInfo): HTMLElement {
  const path = (label: string, name: string, placeholder: string): HTMLInputElement =>
    h("input", {
      type: "text",
      class: "wide",
      "aria-label": label,
      defaultValue: kept(name),
      placeholder,
      spellcheck: false,
      oninput: (event: Event) => keep(name, (event.target as HTMLInputElement).value.trim()),
    });
  const key = path("Private key", KEY, "the path of NAME.biprivatekey");
  const keys = path("Keys of a server", KEYS, "the path of a folder with .bikey files; may be empty");
  let version = "3";
  const result = h("div", { role: "status", class: "addon-result" });
  const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      if (await app.edits?.ready()) await work();
    } catch (error) {
      app.fail(what, error);
    }
  };
  const check = (): Promise<void> =>
    attempt("The addon was not checked", async () => {
      const about = { file: file.path, keys: keys.value.trim() || null };
      const found = await app.source.post?.<AddonCheck>("addon/check", about);
      if (found) fill(result, checked(found));
    });
  const sign = (event: Event): void => {
    event.preventDefault();
    void attempt("The addon was not signed", async () => {
      const about = { file: file.path, key: key.value.trim(), version: Number(version) };
      const done = await app.source.post?.<{ signature: string; notes: string[] }>("addon/sign", about);
      if (!done) return;
      app.edits?.tell(`signed: ${done.signature}`);
      if (done.notes.length) app.note("The addon is signed. Note:", done.notes);
      await check();
    });
  };
  // Only the path: the key stays in its file, which the server reads to sign.
  const choose = async (): Promise<void> => {
    const chosen = await chooseFile(app, "Choose your private key", /\.biprivatekey$/i, key.value.trim());
    if (chosen === null) return;
    key.value = chosen;
    keep(KEY, chosen);
    key.focus();
  };
  key.required = true;
  return h(
    "div",
    { class: "form" },
    h("p", { class: "quiet" }, "refit signs the addon in the game's folder, so put your edits into the game first."),
    h(
      "form",
      { class: "form", onsubmit: sign },
      h(
        "div",
        { class: "form-line" },
        labelled("Private key", key),
        smallButton("Choose…", "Chooses the file of the key among the folders of this machine", () => void choose()),
      ),
      h(
        "div",
        { class: "form-line" },
        labelled(
          "For",
          select(
            "Version of the signature",
            [
              ["3", "Arma 3 and DayZ"],
              ["2", "Arma 2"],
            ],
            version,
            (chosen) => (version = chosen),
          ),
        ),
        h("button", { type: "submit", class: "button small" }, "Sign"),
      ),
    ),
    h(
      "div",
      { class: "form-line" },
      labelled("Keys of a server", keys),
      smallButton("Check", "Compares the addon with its signatures, and says what a server does", () => void check()),
    ),
    result,
  );
}

/** What a check found. */
function checked({ signatures, refusals, is_old, notes }: AddonCheck): HTMLElement {
  return h(
    "ul",
    { class: "places" },
    is_old && h("li", { class: "warn-text" }, "The game has this addon without your latest edits."),
    !signatures.length && h("li", null, "It has no signature."),
    signatures.map((each) =>
      h("li", { class: each.fits ? "" : "bad-text" }, h("b", null, each.name), `: ${each.text}`),
    ),
    refusals &&
      (refusals.length
        ? h("li", { class: "bad-text" }, `A server with these keys refuses it: ${refusals.join("; ")}`)
        : h("li", null, "A server with these keys accepts it.")),
    notes.length > 0 && h("li", { class: "quiet" }, `${plural(notes.length, "note")}: ${notes.join("; ")}`),
  );
}
