// The back end of a static export: every answer is a file (PROTOCOL.md).

import {
  type Changes,
  type Diff,
  type ExplainLine,
  type FileInfo,
  type Findings,
  type Found,
  type Opened,
  type Part,
  type Place,
  type Progress,
  type Refs,
  type Source,
  SourceError,
  type Status,
  type TextName,
  type TextureAnswer,
} from "./source";

interface Texture {
  file: string;
  transparency: TextureAnswer["transparency"];
  additive: boolean;
  clamps?: [boolean, boolean];
}

const ENDS: Record<string, string> = { json: "json", picture: "png", sound: "wav", text: "txt", bytes: "bin" };

/** Names are compared as the games do: without case, and without the endings of textures, sounds and models. */
function plain(name: string): string {
  return name.toLowerCase().replace(/\.(tif|tga|bmp|pcx|jpg|wav|flt)$/, "");
}

export class StaticSource implements Source {
  readonly kind = "static" as const;
  private readonly answers = new Map<string, Promise<unknown>>();
  /** The addresses of parts, for files whose list is known. */
  private readonly parts = new Map<number, Map<string, string>>();

  forget(): void {}

  private async get(path: string): Promise<Response> {
    const response = await fetch(path);
    if (!response.ok) throw new SourceError(response.status, { message: `${path} is not there (${response.status})` });
    return response;
  }

  private json<T>(path: string): Promise<T> {
    let answer = this.answers.get(path);
    if (!answer) {
      answer = this.get(path).then(async (response) => {
        const value = (await response.json()) as { error?: { message: string } };
        if (value && typeof value === "object" && value.error) throw new SourceError(422, value.error);
        return value;
      });
      this.answers.set(path, answer);
    }
    return answer as Promise<T>;
  }

  opened(): Promise<Opened> {
    return this.json("data/opened.json");
  }
  file(n: number): Promise<FileInfo> {
    return this.json(`data/file/${n}/summary.json`);
  }
  async tree(n: number): Promise<{ parts: Part[] }> {
    const tree = await this.json<{ parts: Part[] }>(`data/file/${n}/tree.json`);
    const address = (part: Part, k: number) =>
      [part.path, `data/file/${n}/part/${k}.${ENDS[part.kind] ?? "bin"}`] as const;
    this.parts.set(n, new Map(tree.parts.map(address)));
    return tree;
  }
  async partUrl(n: number, path: string): Promise<string> {
    if (!this.parts.has(n)) await this.tree(n);
    return this.parts.get(n)?.get(path) ?? `data/file/${n}/part/missing`;
  }
  async part(n: number, path: string): Promise<Blob> {
    return (await this.get(await this.partUrl(n, path))).blob();
  }
  async scene(n: number, progress?: Progress): Promise<ArrayBuffer> {
    const response = await this.get(`data/file/${n}/scene.bin`);
    const all = await response.arrayBuffer();
    progress?.(all.byteLength, all.byteLength);
    return all;
  }
  fileFindings(n: number): Promise<Findings> {
    return this.json(`data/file/${n}/findings.json`);
  }
  findings(): Promise<Findings> {
    return this.json("data/findings.json");
  }
  async explain(): Promise<{ lines: ExplainLine[] }> {
    throw new SourceError(404, {
      message: "a page of files does not tell where a field is stored",
      hint: "`refit explain` does",
    });
  }
  schema(kind: string): Promise<unknown> {
    return this.json(`data/schema/${encodeURIComponent(kind)}.json`);
  }
  private async allNames(): Promise<Place[]> {
    return (await this.json<{ names: Place[] }>("data/names.json")).names;
  }
  async names(n: number, path: string): Promise<{ names: TextName[] }> {
    const own = (await this.allNames()).filter((place) => place.file === n && place.document === path);
    return { names: own.map(({ kind, name, at, defines }) => ({ kind, name, at: at ?? "", defines })) };
  }
  async find(q: string, kind?: string, limit = 100): Promise<Found> {
    const wanted = q.toLowerCase();
    const seen = new Set<string>();
    const found: Place[] = [];
    const all = (await this.allNames()).filter(
      (p) => (!kind || p.kind === kind) && p.name.toLowerCase().includes(wanted),
    );
    for (const place of [...all.filter((p) => p.defines), ...all.filter((p) => !p.defines)]) {
      const key = `${place.file} ${place.kind} ${place.name}`;
      if (seen.has(key)) continue;
      seen.add(key);
      if (found.length >= limit) return { names: found, more: true };
      found.push(place);
    }
    return { names: found, more: false };
  }
  async refs(kind: string, name: string): Promise<Refs> {
    const own = (await this.allNames()).filter((p) => p.kind === kind && plain(p.name) === plain(name));
    return { kind, name, defines: own.filter((p) => p.defines), uses: own.filter((p) => !p.defines) };
  }
  async diff(): Promise<Diff> {
    throw new SourceError(404, {
      message: "a page of files has no original to compare with",
      hint: "`refit diff` does",
    });
  }
  async status(): Promise<Status> {
    return { edited: [], mods: [] };
  }
  /** Nothing changes: this never resolves. */
  changes(_since: number, signal?: AbortSignal): Promise<Changes> {
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  }
  async texture(name: string, near: number): Promise<TextureAnswer | null> {
    const all = await this.json<Record<string, Texture>>(`data/file/${near}/textures.json`);
    const found = all[name.toLowerCase()];
    if (!found) return null;
    return {
      blob: await (await this.get(found.file)).blob(),
      transparency: found.transparency,
      additive: found.additive,
      clamps: found.clamps,
    };
  }
}
