// The one interface between the page and what it shows. `ServerSource` asks the server of `refit view`; a static export
// and a worker with the library as WebAssembly can implement the same interface.

import type { Folder } from "./folders";
import { ownToken } from "./token";

export interface OpenedFile {
  number: number;
  path: string;
  format: string | null;
  game?: string | null;
  bytes: number;
  role?: string | null;
  /** What it calls itself: the prefix of a PBO. */
  title?: string | null;
  group?: string | null;
  edited?: boolean;
  why?: string | null;
}

/** The version of the questions and answers that this page knows. */
export const PROTOCOL = 1;

export interface Opened {
  what: string;
  protocol?: number;
  name: string;
  root?: string;
  game?: string | null;
  refit?: string;
  version: number;
  files: OpenedFile[];
  others?: number;
  kinds?: string[];
  /** What files are compared with, if not with their originals. */
  against?: string | null;
  /** The files that changed after the version that was asked for. */
  changed?: number[];
}

export interface Member {
  index: number;
  name: string;
  kind?: string | null;
  bytes?: number | null;
  detail?: string | null;
  path?: string | null;
}

export interface Fault {
  kind?: string;
  message: string;
  path?: string;
  offset?: number;
  hint?: string;
  /** The place in a text, from 1. */
  line?: number | null;
  column?: number | null;
}

export interface FileInfo {
  number: number;
  path: string;
  format: string | null;
  game?: string | null;
  evidence?: string | null;
  bytes: number;
  info: [string, unknown][];
  members: Member[];
  scene?: boolean;
  fault?: Fault | string | null;
  findings?: number;
  /** Descriptions of the signatures next to a PBO. */
  signatures?: string[];
}

export type PartKind = "json" | "text" | "picture" | "sound" | "bytes";

export interface Part {
  path: string;
  bytes: number;
  kind: PartKind;
  document?: string | null;
}

export interface Finding {
  file?: number | null;
  code: string;
  severity: string;
  path?: string | null;
  message: string;
  /** Number of further ones of this kind. */
  more?: number;
  title?: string | null;
  about?: string | null;
  reaction?: string | null;
  other?: string | null;
}

export interface Findings {
  findings: Finding[];
  /** Files that cannot be read. */
  damaged?: { file: number; message: string }[];
  complete?: boolean;
}

export interface ExplainLine {
  offset: number;
  bytes: number;
  path: string;
  /** The meaning of the bytes, as a sentence. */
  meaning?: string | null;
  role?: string | null;
}

/** The bytes of a place; of a damaged file those before its fault. */
export interface Explained {
  lines: ExplainLine[];
  more?: boolean;
  fault?: string | null;
}

export interface Place {
  kind: string;
  name: string;
  file?: number | null;
  document?: string | null;
  at?: string | null;
  defines?: boolean;
}

export interface Found {
  names: Place[];
  more?: boolean;
}

export interface Refs {
  kind: string;
  name: string;
  defines: Place[];
  uses: Place[];
}

export interface DiffField {
  at: string;
  change?: string;
  old?: unknown;
  new?: unknown;
}

export interface DiffPart {
  part: string;
  change: string;
  differences?: number;
  fields?: DiffField[];
}

export interface Diff {
  against: string;
  equal: boolean;
  parts: DiffPart[];
  more?: boolean;
}

export interface Status {
  edited?: { file?: number | null; path: string; change?: string | null }[];
  mods?: { name: string; version?: string | null; files?: number | null }[];
}

export interface Changes {
  version: number;
  files?: number[];
}

/** A texture as the game would choose it, or null if no package has it. */
export interface TextureAnswer {
  blob: Blob;
  transparency: "none" | "holes" | "mixed";
  additive: boolean;
  clamps?: [boolean, boolean];
}

/** A texture as pixels: red, green, blue, alpha; or words of RGB565. Without a size no package has it. */
export interface TexturePixels {
  name: string;
  size?: [number, number];
  words?: boolean;
  pixels?: Uint8Array | Uint16Array;
  transparency: "none" | "holes" | "mixed";
  additive: boolean;
  clamps: [boolean, boolean];
}

/** A name in a text. */
export interface TextName {
  kind: string;
  name: string;
  at: string;
  defines?: boolean;
}

/** The files that differ from their originals, or from the other side `against`. */
export interface Differences {
  against: string | null;
  files: number[];
}

/** Progress of a question about all files. */
export interface Survey {
  done: number;
  of: number;
  /** The file being read. */
  at: string;
}

/** The results so far of a slow answer. */
export interface Soon extends Partial<Found>, Partial<Refs> {
  progress: Survey | null;
}

type Value = unknown;
type ValuePlace = { file: string; part: string; path: string };

/** How a node is moved: to a position, by an offset, and about the vertical axis in degrees. */
export interface Motion {
  at?: [number, number, number];
  by?: [number, number, number];
  turn?: number;
  /** Its new factors along its own axes. */
  scale?: [number, number, number];
}

export type WorldEdit =
  | { do: "move"; node: string; motion: Motion }
  | { do: "add"; name: string; bytes: string; under?: string; motion: Motion }
  | { do: "copy"; node: string; from?: string; under?: string; name?: string; motion: Motion }
  | { do: "reparent"; node: string; under: string; local?: boolean }
  | { do: "rename"; node: string; name: string; force: boolean }
  | { do: "remove"; node: string; force: boolean }
  | { do: "several"; changes: WorldEdit[] };

/** An edit (PROTOCOL.md). */
export type Edit =
  | (ValuePlace & { do: "set"; value: Value; old?: Value })
  | (ValuePlace & { do: "insert"; index: number; value: Value })
  | (ValuePlace & { do: "remove"; old?: Value })
  | (ValuePlace & { do: "move"; to: number; old?: Value })
  | { do: "text" | "definition"; file: string; part: string; text: string; base?: string }
  | { do: "picture" | "sound"; file: string; member: string; bytes: string; everywhere?: boolean }
  | { do: "gltf"; file: string; member: string; name: string; bytes: string }
  | { do: "member"; file: string; change: unknown }
  | { do: "world"; file: string; change: WorldEdit };

/** The source of a definition, or why it has none, and the line of each event by its place in the document. */
export interface DefinitionSource {
  text: string | null;
  why?: string;
  events?: [string, number][];
}

/** What an edit did. */
export interface Edited {
  number: number | null;
  label: string;
  changed: { file: string; part: string }[];
  brought_in: { of: string; code: string; severity: string; file?: string; at: string; message: string }[];
  notes: string[];
}

/** An edit that is in effect. */
export interface EditDone {
  number: number;
  time: number;
  label: string;
  reverts?: number;
  parts: { file: string; part: string; lines: string[]; changed_since: boolean }[];
}

/** What can be edited, and the edits so far, the last one first. */
export interface EditState {
  editable: boolean;
  why?: string;
  /** The folder for a project, if one can be made. */
  proposal?: string | null;
  project?: string;
  game?: string | null;
  can_undo: boolean;
  can_redo: number;
  edits: EditDone[];
  /** What is open in Blender: the path is that of the glTF file. */
  blender?: { file: string; member: string; path: string }[];
}

export interface Built {
  built: string[];
  restored: string[];
  removed: string[];
  unedited: number;
  notes: string[];
}

export interface Restored {
  restored: string[];
  removed: string[];
  left: number;
  notes: string[];
}

/** The signatures beside an addon of the game, and what a server with some keys says of it. */
export interface AddonCheck {
  signatures: { name: string; fits: boolean; text: string }[];
  /** Why the server refuses it; empty if it accepts it, null without keys. */
  refusals: string[] | null;
  /** True if the project has edits of it that are not in the game. */
  is_old: boolean;
  notes: string[];
}

/** What its author says of a mod. */
export interface AboutMod {
  name: string;
  version: string;
  author: string;
  about: string;
  license: string;
}

export interface ModContents extends AboutMod {
  changes: number;
  files: { path: string; lines: string[] }[];
}

export interface AppliedMod {
  name: string;
  version: string;
  author: string;
  files: string[];
}

/** What applying mods does. With an open conflict nothing is written. */
export interface ModPlan {
  mods: string[];
  files: { path: string; outcome: string; mods: string[]; conflicts: string[]; unplaced: string[] }[];
  open: number;
  refused: string | null;
}

export type Progress = (done: number, total: number | null) => void;

export interface Source {
  /** Which back end this is. */
  readonly kind: "server" | "static" | "worker";
  /** With `since`, also which files changed after that version. */
  opened(since?: number): Promise<Opened>;
  file(n: number): Promise<FileInfo>;
  tree(n: number): Promise<{ parts: Part[] }>;
  /** The bytes of one part of a file's tree. */
  part(n: number, path: string): Promise<Blob>;
  /** An address of a part for `img` and `audio`. */
  partUrl(n: number, path: string): Promise<string>;
  /** With `shapes`, the sum of shapes that the page has, they may be left out (PROTOCOL.md). */
  scene(n: number, progress?: Progress, signal?: AbortSignal, shapes?: string): Promise<ArrayBuffer>;
  fileFindings(n: number): Promise<Findings>;
  findings(): Promise<Findings>;
  explain(n: number, path: string, at?: string, from?: number): Promise<Explained>;
  schema(kind: string): Promise<unknown>;
  /** A folder of this machine; null for where they begin. */
  folder?(path: string | null): Promise<Folder>;
  /** The files of the game that lack edits of the project. */
  built?(): Promise<{ waiting: string[] }>;
  /** Goes back to the start page, which is at the same address. */
  close?(): Promise<void>;
  /** The source of a definition; only where it can be edited. */
  definition?(n: number, path: string): Promise<DefinitionSource>;
  find(q: string, kind?: string, limit?: number, signal?: AbortSignal): Promise<Found>;
  refs(kind: string, name: string): Promise<Refs>;
  diff(n: number): Promise<Diff>;
  status(): Promise<Status>;
  /** Waits until something changes, or until the back end answers that nothing did. */
  changes(since: number, signal?: AbortSignal): Promise<Changes>;
  texture(name: string, near: number, signal?: AbortSignal): Promise<TextureAnswer | null>;
  /** Many textures in one answer, which may end early. With `sizes` without pixels. */
  textures?(names: string[], near: number, sizes: boolean, signal?: AbortSignal): Promise<TexturePixels[]>;
  /** The names in one text of a file. */
  names?(n: number, path: string): Promise<{ names: TextName[] }>;
  differences?(): Promise<Differences>;
  /** The results so far of a pending question about all files. */
  soon?(question: "find" | "refs" | "findings", values: Record<string, string>): Promise<Soon>;
  /** What can be edited; absent where nothing can. */
  edits?(): Promise<EditState>;
  /** Makes a request that changes something, `edit` or `undo`. */
  post?<T>(what: string, body: unknown): Promise<T>;
  /** The mods that are applied to the game. */
  mods?(): Promise<{ game: string | null; mods: AppliedMod[] }>;
  quit?(): Promise<void>;
}

/** A failed question, with the error of the back end. */
export class SourceError extends Error {
  readonly status: number;
  readonly fault: Fault;
  constructor(status: number, fault: Fault) {
    super(fault.message);
    this.status = status;
    this.fault = fault;
  }
}

async function failure(response: Response): Promise<SourceError> {
  let fault: Fault = { message: `the server answered ${response.status} ${response.statusText}` };
  try {
    const body = (await response.json()) as { error?: Fault };
    if (body.error && typeof body.error.message === "string") fault = body.error;
  } catch {
    // Not JSON: the status is enough.
  }
  return new SourceError(response.status, fault);
}

/** Reads an answer with the pixels of several textures (`RVT1`), without copying it. */
export function readTextures(data: ArrayBuffer): TexturePixels[] {
  const view = new DataView(data);
  if (data.byteLength < 8 || view.getUint32(0, false) !== 0x52565431)
    throw new Error("the textures do not begin with RVT1");
  const length = view.getUint32(4, true);
  interface Row extends TexturePixels {
    offset?: number;
  }
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 8, length))) as { textures: Row[] };
  return header.textures.map(({ offset, ...row }) => {
    if (!row.size || offset === undefined) return row;
    const texels = row.size[0] * row.size[1];
    return {
      ...row,
      pixels: row.words
        ? new Uint16Array(data, 8 + length + offset, texels)
        : new Uint8Array(data, 8 + length + offset, texels * 4),
    };
  });
}

/** True for the error of a page whose server ended, or was replaced by another one. */
export const isForeign = (error: unknown): boolean =>
  error instanceof SourceError && (error.status === 403 || error.status === 0);

/** Maximum number of cached addresses of parts; the oldest are dropped. */
const ADDRESSES = 400;

/** Asks the server that delivered the page. */
export class ServerSource implements Source {
  readonly kind: Source["kind"] = "server";
  private readonly cache = new Map<string, Promise<unknown>>();
  private readonly addresses = new Map<string, Promise<string>>();
  private readonly headers = { "x-refit-token": ownToken() };

  /** Drops cached answers after files changed. */
  forget(): void {
    this.cache.clear();
    // What is shown keeps its pictures until the new ones are there.
    const old = [...this.addresses.values()];
    this.addresses.clear();
    setTimeout(() => {
      for (const address of old) void address.then(URL.revokeObjectURL, () => undefined);
    }, 10000);
  }

  protected async get(path: string, signal?: AbortSignal): Promise<Response> {
    let response: Response;
    try {
      // No answer may be shared with a question that was asked before an edit.
      response = await fetch(path, { headers: this.headers, signal, cache: "no-store" });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new SourceError(0, {
        message: "the server does not answer",
        hint: "refit view may have ended: start it again and reload this page",
      });
    }
    if (!response.ok) throw await failure(response);
    return response;
  }

  private async json<T>(path: string, signal?: AbortSignal): Promise<T> {
    return (await (await this.get(path, signal)).json()) as T;
  }

  private kept<T>(path: string): Promise<T> {
    let answer = this.cache.get(path);
    if (!answer) {
      answer = this.json<T>(path);
      this.cache.set(path, answer);
      answer.catch(() => this.cache.delete(path));
    }
    return answer as Promise<T>;
  }

  opened(since?: number): Promise<Opened> {
    return this.json(`api/opened${since === undefined ? "" : `?since=${since}`}`);
  }
  file(n: number): Promise<FileInfo> {
    return this.kept(`api/file/${n}`);
  }
  tree(n: number): Promise<{ parts: Part[] }> {
    return this.kept(`api/file/${n}/tree`);
  }
  partUrl(n: number, path: string): Promise<string> {
    const key = `${n} ${path}`;
    let address = this.addresses.get(key);
    if (!address) {
      address = this.part(n, path).then((blob) => URL.createObjectURL(blob));
      address.catch(() => this.addresses.delete(key));
    } else this.addresses.delete(key);
    this.addresses.set(key, address);
    for (const [oldest, old] of this.addresses) {
      if (this.addresses.size <= ADDRESSES) break;
      this.addresses.delete(oldest);
      void old.then(URL.revokeObjectURL, () => undefined);
    }
    return address;
  }
  async part(n: number, path: string): Promise<Blob> {
    return (await this.get(`api/file/${n}/part?path=${encodeURIComponent(path)}`)).blob();
  }
  async scene(n: number, progress?: Progress, signal?: AbortSignal, shapes?: string): Promise<ArrayBuffer> {
    const known = shapes ? `?shapes=${encodeURIComponent(shapes)}` : "";
    const response = await this.get(`api/file/${n}/scene${known}`, signal);
    const length = Number(response.headers.get("content-length")) || null;
    if (!response.body || !progress) return response.arrayBuffer();
    const reader = response.body.getReader();
    const chunks: Uint8Array[] = [];
    let done = 0;
    for (;;) {
      const step = await reader.read();
      if (step.done) break;
      chunks.push(step.value);
      done += step.value.length;
      progress(done, length);
    }
    const all = new Uint8Array(done);
    let at = 0;
    for (const chunk of chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all.buffer;
  }
  fileFindings(n: number): Promise<Findings> {
    return this.kept(`api/file/${n}/findings`);
  }
  findings(): Promise<Findings> {
    return this.kept("api/findings");
  }
  explain(n: number, path: string, at?: string, from?: number): Promise<Explained> {
    const field = at ? `&at=${encodeURIComponent(at)}` : "";
    const begin = from ? `&from=${from}` : "";
    return this.kept(`api/file/${n}/explain?path=${encodeURIComponent(path)}${field}${begin}`);
  }
  folder(path: string | null): Promise<Folder> {
    return this.json(path === null ? "api/folder" : `api/folder?path=${encodeURIComponent(path)}`);
  }
  built(): Promise<{ waiting: string[] }> {
    return this.json("api/built");
  }
  async close(): Promise<void> {
    const response = await fetch("api/close", { method: "POST", headers: this.headers });
    if (!response.ok) throw await failure(response);
    // The server needs a moment.
    for (let tries = 0; tries < 100; tries++) {
      const answer = await fetch("api/start", { headers: this.headers, cache: "no-store" }).catch(() => null);
      if (answer?.ok) return;
      await new Promise((done) => setTimeout(done, 100));
    }
    throw new SourceError(0, { message: "the server does not answer", hint: "start refit view again" });
  }
  definition(n: number, path: string): Promise<DefinitionSource> {
    return this.json(`api/file/${n}/source?path=${encodeURIComponent(path)}`);
  }
  schema(kind: string): Promise<unknown> {
    return this.kept(`api/schema?kind=${encodeURIComponent(kind)}`);
  }
  find(q: string, kind?: string, limit = 100, signal?: AbortSignal): Promise<Found> {
    const only = kind ? `&kind=${encodeURIComponent(kind)}` : "";
    return this.json(`api/find?q=${encodeURIComponent(q)}${only}&limit=${limit}`, signal);
  }
  refs(kind: string, name: string): Promise<Refs> {
    return this.kept(`api/refs?kind=${encodeURIComponent(kind)}&name=${encodeURIComponent(name)}`);
  }
  diff(n: number): Promise<Diff> {
    return this.kept(`api/diff/${n}`);
  }
  status(): Promise<Status> {
    return this.json("api/status");
  }
  changes(since: number, signal?: AbortSignal): Promise<Changes> {
    return this.json(`api/changes?since=${since}`, signal);
  }
  async texture(name: string, near: number, signal?: AbortSignal): Promise<TextureAnswer | null> {
    const response = await this.get(`api/texture?name=${encodeURIComponent(name)}&near=${near}`, signal);
    if (response.status === 204) return null;
    const transparency = response.headers.get("x-refit-transparency");
    const blob = await response.blob();
    if (!blob.size) return null;
    const clamps = (response.headers.get("x-refit-clamps") ?? "").split(",");
    return {
      blob,
      clamps: [clamps[0] === "1", clamps[1] === "1"],
      transparency: transparency === "holes" || transparency === "mixed" ? transparency : "none",
      additive: response.headers.get("x-refit-additive") === "true",
    };
  }
  async textures(names: string[], near: number, sizes: boolean, signal?: AbortSignal): Promise<TexturePixels[]> {
    const only = sizes ? "&sizes=1" : "";
    const data = await (
      await this.get(`api/textures?near=${near}${only}&names=${encodeURIComponent(names.join("\n"))}`, signal)
    ).arrayBuffer();
    return readTextures(data);
  }
  names(n: number, path: string): Promise<{ names: TextName[] }> {
    return this.kept(`api/file/${n}/names?path=${encodeURIComponent(path)}`);
  }
  differences(): Promise<Differences> {
    return this.kept("api/differences");
  }
  soon(question: "find" | "refs" | "findings", values: Record<string, string>): Promise<Soon> {
    return this.json(`api/soon/${question}?${new URLSearchParams(values)}`);
  }
  edits(): Promise<EditState> {
    return this.json("api/edits");
  }
  mods(): Promise<{ game: string | null; mods: AppliedMod[] }> {
    return this.json("api/mods");
  }
  async post<T>(what: string, body: unknown): Promise<T> {
    let response: Response;
    try {
      response = await fetch(`api/${what}`, {
        method: "POST",
        headers: { ...this.headers, "content-type": "application/json" },
        // Forms mark floats that have to stay floats.
        body: JSON.stringify(body).replace(/"\\u0000(-?[0-9][0-9.e+-]*)"/g, "$1"),
      });
    } catch {
      throw new SourceError(0, { message: "the server does not answer", hint: "start refit view again" });
    }
    if (!response.ok) throw await failure(response);
    return (await response.json()) as T;
  }
  async quit(): Promise<void> {
    await fetch("api/quit", { method: "POST", headers: this.headers });
  }
}
