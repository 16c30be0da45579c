// Loads the inputs of an animation: the definitions and scripts of its file, and its world.

import type { App } from "../app";
import type { OpenedFile, Part } from "../source";
import { callsOf, eventLists, Show } from "./show";
import { eventOf } from "./shown";
import type { Stage } from "./stage";
import { doc, list, nameText, type Doc } from "./values";

/** The definitions of a file in its order, with their documents. */
export interface Definitions {
  paths: string[];
  docs: Doc[];
  /** Those that were read before an edit. They are read again if they play. */
  old?: Set<number>;
}

const kept = new Map<string, Promise<Definitions>>();

const json = async (app: App, file: number, path: string): Promise<Doc> =>
  doc(JSON.parse(await (await app.source.part(file, path)).text()));

/** Maps a list, some items at a time. */
async function each<T, U>(all: T[], work: (one: T) => Promise<U>): Promise<U[]> {
  const out: U[] = new Array(all.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < all.length; i = next++) out[i] = await work(all[i]);
  };
  await Promise.all(Array.from({ length: Math.min(12, all.length) }, worker));
  return out;
}

async function pathsOf(app: App, file: OpenedFile, parts: Part[]): Promise<string[]> {
  const manifest = await json(app, file.number, "refit.json");
  const known = new Set(parts.map((part) => part.path));
  return list(manifest.definitions).filter(
    (path): path is string => typeof path === "string" && path.endsWith(".json") && known.has(path),
  );
}

/**
 * The definitions after an edit, or null if the file has others now. Of those that do not play, names are enough, which
 * the list of members has.
 */
export async function afterEdit(
  app: App,
  file: OpenedFile,
  parts: Part[],
  before: Definitions,
): Promise<Definitions | null> {
  const paths = await pathsOf(app, file, parts);
  if (paths.join("\n") !== before.paths.join("\n")) return null;
  const { members } = await app.source.file(file.number);
  const names = members.filter((member) => member.kind === "definition").map((member) => member.name);
  const docs = before.docs.map((own, n) => {
    const isSame = names.length !== paths.length || nameText(own.animation_name) === names[n];
    return isSame ? own : { ...own, animation_name: names[n] };
  });
  return { paths, docs, old: new Set(paths.keys()) };
}

export function definitionsOf(
  app: App,
  file: OpenedFile,
  parts: Part[],
  progress?: (done: number, all: number) => void,
): Promise<Definitions> {
  const key = `${file.number}:${app.opened.version}`;
  let found = kept.get(key);
  if (!found) {
    found = (async () => {
      const paths = await pathsOf(app, file, parts);
      let done = 0;
      const docs = await each(paths, async (path) => {
        const one = await json(app, file.number, path);
        progress?.(++done, paths.length);
        return one;
      });
      return { paths, docs };
    })();
    if (kept.size > 2) kept.clear();
    kept.set(key, found);
    found.catch(() => kept.delete(key));
  }
  return found;
}

/** The worlds that an animation file can act in, the likeliest first: one in its folder, or in one above it. */
export function worldsOf(app: App, file: OpenedFile): OpenedFile[] {
  const folder = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1).toLowerCase();
  const own = folder(file.path);
  const near = (world: OpenedFile): number => (own.startsWith(folder(world.path)) ? folder(world.path).length : -1);
  const worlds = app.opened.files.filter((other) => other.format === "gamez");
  return worlds.sort((a, b) => near(b) - near(a));
}

/** The definition and all that it calls, with their scripts, bound to a world. */
export async function showOf(app: App, file: OpenedFile, all: Definitions, stage: Stage, first: number): Promise<Show> {
  const reached = new Set<number>();
  const open = [first];
  const wanted = new Set<string>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    if (all.old?.delete(next)) all.docs[next] = await json(app, file.number, all.paths[next]);
    for (const name of callsOf(all.docs[next])) {
      const called = all.docs.findIndex((of) => nameText(of.animation_name) === name);
      if (called >= 0) open.push(called);
    }
    for (const { kind, body } of eventLists(all.docs[next]).flat().map(eventOf)) {
      const items =
        kind === "OBJECT_MOTION_SI_SCRIPT"
          ? [body]
          : kind === "OBJECT_MOTION_SI_SCRIPT_LIST"
            ? list(body.items).map(doc)
            : [];
      for (const { script } of items) if (typeof script === "string") wanted.add(script);
    }
  }
  const scripts = new Map<string, Doc>();
  await each([...wanted], async (name) => {
    try {
      scripts.set(name, await json(app, file.number, `${name}.json`));
    } catch {
      // Listed as missing when an event asks for it.
    }
  });
  return new Show(file.game ?? app.opened.game ?? "", stage, all.docs, scripts);
}
