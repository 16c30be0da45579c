// The page before something is opened: what was opened before, and the folders of this machine. The server opens what
// is chosen, and this page becomes the one of it.

import { fill, h, type Child } from "./dom";
import { folderRow, folderRows, type Folder, type Row } from "./folders";
import { ownToken } from "./token";

interface Start {
  here: Row | null;
  recent: Row[];
}
const token = ownToken();
// The token should not be in a copied address.
if (location.search) history.replaceState(null, "", location.pathname);

/** Files of a game or an addon, and mods; others are rarely what a person looks for. */
const KNOWN = /\.(zbd|pbo|refitmod|dll|sav|zmap|zrd|mw3|rof|paa|pac|bin|cpp|rvmat|bikey|bisign|txt)$/i;

const message = h("p", { class: "start-message", role: "status" }, "");
const recent = h("section");
const places = h("section");
const typed = h("input", {
  type: "text",
  "aria-label": "Path of a folder or a file",
  placeholder: "Path of a game, a project or a file",
  spellcheck: false,
  autocomplete: "off",
});

async function ask<T>(question: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = { "x-refit-token": token };
  if (body !== undefined) headers["content-type"] = "application/json";
  const answer = await fetch(question, {
    headers,
    method: body === undefined ? "GET" : "POST",
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (answer.status === 204) return undefined as T;
  const value = (await answer.json()) as T & { error?: { message: string; near?: string } };
  if (!answer.ok) throw new Refused(value.error?.message ?? `the server answers ${answer.status}`, value.error?.near);
  return value;
}

/** What the server refused. `near` is the folder that is there, above a path that is not. */
class Refused extends Error {
  constructor(
    text: string,
    readonly near?: string,
  ) {
    super(text);
  }
}

function fail(error: unknown): void {
  message.classList.add("bad-text");
  const near = error instanceof Refused ? error.near : undefined;
  fill(
    message,
    error instanceof Error ? error.message : String(error),
    near && [
      " ",
      h("button", { type: "button", class: "button small", onclick: () => void show(near) }, `Show ${near}`),
    ],
  );
}

/** Waits until the server shows what was chosen, which needs a moment. */
async function enter(): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch("api/opened", { headers: { "x-refit-token": token } }).catch(() => null);
    if (answer?.ok) return location.replace("/");
    await new Promise((done) => setTimeout(done, 100));
  }
  fail("the server does not answer any more");
}

async function open(path: string): Promise<void> {
  if (!path.trim()) return typed.focus();
  if (/\.refitmod$/i.test(path.trim())) return fail("This is a mod. Open its game first; there, Mods adds it.");
  message.classList.remove("bad-text");
  message.textContent = `Opening ${path}…`;
  try {
    await ask("api/open", { path: path.trim() });
    await enter();
  } catch (error) {
    fail(error);
  }
}

const opens = (of: Row): Child => {
  const name = of.name ?? of.path;
  const picture = /\.refitmod$/i.test(name) ? "archive" : "bytes";
  return folderRow(of, picture, () => void open(of.path), of.kind !== null || KNOWN.test(name));
};

async function show(path: string | null, isChosen = true): Promise<void> {
  let folder: Folder;
  try {
    folder = await ask<Folder>(path === null ? "api/folder" : `api/folder?path=${encodeURIComponent(path)}`);
  } catch (error) {
    return fail(error);
  }
  message.classList.remove("bad-text");
  message.textContent = "";
  const here = folder.path;
  if (here) typed.value = here;
  const what = folder.kind === "project" || folder.kind === "game" ? folder.kind : "folder";
  fill(
    places,
    h("h2", null, here ?? "Folders"),
    here &&
      h(
        "button",
        {
          type: "button",
          class: what === "folder" ? "button start-open" : "button primary start-open",
          onclick: () => void open(here),
        },
        `Open this ${what}`,
      ),
    folderRows(folder, (path) => void show(path)),
    folder.files.map(opens),
  );
  if (isChosen) places.querySelector<HTMLElement>("button")?.focus();
}

async function begin(): Promise<void> {
  const start = await ask<Start>("api/start");
  fill(
    recent,
    h("h2", null, "Opened before"),
    start.recent.length ? start.recent.map(opens) : h("p", { class: "quiet" }, "Nothing yet."),
  );
  await show(start.here?.path ?? null, false);
}

fill(
  document.querySelector("#page")!,
  h(
    "main",
    { class: "start" },
    h("h1", null, "refit"),
    h("p", { class: "quiet" }, "Open a game to look at it and to change it, or a project to go on."),
    h(
      "form",
      {
        class: "start-path",
        onsubmit: (event: Event) => {
          event.preventDefault();
          void open(typed.value);
        },
      },
      typed,
      h("button", { type: "submit", class: "button" }, "Open"),
      h("button", { type: "button", class: "button", onclick: () => void show(null) }, "Drives and folders"),
    ),
    message,
    h("div", { class: "start-parts" }, recent, places),
  ),
);
begin().catch(fail);
