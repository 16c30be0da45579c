// The back end of a page without a server: refit as WebAssembly in a worker, over the files that were dropped.

import { ServerSource, SourceError, type Changes, type Fault } from "./source";
import type { GivenFile, Order, Reply } from "./worker";

export interface Work {
  name: string;
  done: number;
  total: number;
}
type Report = (work: Work) => void;

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: unknown): void;
  report?: Report;
}

/** The result of `verify`, `unpack` and `repack` for one file. */
export interface Outcome {
  status?: "exact" | "raw";
  format?: string;
  game?: string | null;
  bytes: number;
  raw?: { member: string; why: string }[];
  source?: string;
  identical?: boolean;
  tree?: string;
  file?: string;
}

export class WorkerSource extends ServerSource {
  override readonly kind = "worker" as const;
  private worker: Worker | null = null;
  private code: Promise<[WebAssembly.Module, string]> | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private next = 0;
  private dropped: { name: string; files: GivenFile[] } | null = null;
  private trees = new Set<number>();
  /** Called when the worker begins to work, and when all questions are answered. */
  busy: (is: boolean) => void = () => undefined;

  /** Loads the module. After this nothing is requested any more. */
  async load(progress: (done: number, total: number) => void): Promise<void> {
    this.code ??= (async () => {
      const [code, script] = await Promise.all([fetch("refit.wasm"), fetch("worker.js")]);
      if (!code.ok || !script.ok || !code.body)
        throw new SourceError(code.status, { message: "refit.wasm is not there" });
      const total = Number(code.headers.get("content-length")) || 0;
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, out) {
          done += chunk.length;
          progress(done, total);
          out.enqueue(chunk);
        },
      });
      let done = 0;
      const bytes = new Response(code.body.pipeThrough(counted), { headers: { "content-type": "application/wasm" } });
      // A worker from a `blob:` address has this page's policy, so it has no network access either.
      const address = URL.createObjectURL(new Blob([await script.text()], { type: "text/javascript" }));
      return [await WebAssembly.compileStreaming(bytes), address];
    })();
    await this.start();
  }

  private async start(): Promise<Worker> {
    if (this.worker) return this.worker;
    if (!this.code) throw new SourceError(0, { message: "refit is not loaded" });
    const [module, address] = await this.code;
    const worker = new Worker(address);
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.take(data);
    worker.onerror = (event) => this.stop(`the worker ended: ${event.message}`);
    this.worker = worker;
    worker.postMessage({ id: -1, module } satisfies Order);
    return worker;
  }

  private take(reply: Reply): void {
    const waiting = this.waiting.get(reply.id);
    if (!waiting) return;
    if (reply.progress) {
      waiting.report?.(reply.progress);
      return;
    }
    this.waiting.delete(reply.id);
    if (this.waiting.size === 0) this.busy(false);
    waiting.resolve(reply);
  }

  /** Ends the current work. The files stay, and are opened again by the next question. */
  stop(why = "stopped"): void {
    this.worker?.terminate();
    this.worker = null;
    const all = [...this.waiting.values()];
    this.waiting.clear();
    this.busy(false);
    for (const one of all) one.reject(new SourceError(0, { message: why }));
  }

  private async send(request: Record<string, unknown>, files?: GivenFile[], report?: Report): Promise<Reply> {
    const fresh = !this.worker;
    const worker = await this.start();
    const post = (request: Record<string, unknown>, files?: GivenFile[], report?: Report): Promise<Reply> => {
      const id = this.next++;
      return new Promise<Reply>((resolve, reject) => {
        this.waiting.set(id, { resolve, reject, report });
        this.busy(true);
        worker.postMessage({ id, request, files } satisfies Order);
      });
    };
    if (fresh && this.dropped && request.do !== "open") {
      const { name, files } = this.dropped;
      void post(opening(name, files), files).catch(() => undefined);
    }
    return post(request, files, report);
  }

  /** The reply, or its error. */
  private async reply(request: Record<string, unknown>, files?: GivenFile[], report?: Report): Promise<Reply> {
    const reply = await this.send(request, files, report);
    if (reply.head?.error) throw new SourceError(reply.head.status ?? 422, reply.head.error as Fault);
    return reply;
  }

  private async said<T>(request: Record<string, unknown>, report?: Report): Promise<T> {
    return JSON.parse(new TextDecoder().decode((await this.reply(request, undefined, report)).body)) as T;
  }

  /** Opens the dropped files. */
  async drop(name: string, files: GivenFile[], report: Report): Promise<void> {
    this.forget();
    this.dropped = null;
    const { body } = await this.reply(opening(name, files), files, report);
    this.trees = new Set((JSON.parse(new TextDecoder().decode(body)) as { trees: number[] }).trees);
    this.dropped = { name, files };
  }
  /** True for an unpacked tree. */
  isTree(file: number): boolean {
    return this.trees.has(file);
  }

  verify(file: number): Promise<Outcome> {
    return this.said({ do: "verify", file });
  }
  /** Adds a file's tree to the bundle. */
  unpack(file: number): Promise<Outcome> {
    return this.said({ do: "unpack", file });
  }
  /** Adds the file of a tree to the bundle. */
  repack(file: number): Promise<Outcome> {
    return this.said({ do: "repack", file });
  }
  /** The additions since the last call, as a zip. */
  async bundle(): Promise<Blob> {
    return new Blob([(await this.reply({ do: "bundle" })).body ?? new ArrayBuffer(0)], { type: "application/zip" });
  }
  /** The file of a tree. */
  async packed(file: number): Promise<{ name: string; blob: Blob }> {
    const { head, body } = await this.reply({ do: "file", file });
    return { name: head?.headers?.name ?? "file", blob: new Blob([body ?? new ArrayBuffer(0)]) };
  }

  protected override async get(path: string, signal?: AbortSignal): Promise<Response> {
    const [question, query] = path.replace(/^api\//, "").split("?");
    const request = { do: "ask", path: question, query: Object.fromEntries(new URLSearchParams(query ?? "")) };
    const { head, body } = await this.reply(request);
    signal?.throwIfAborted();
    const headers = {
      "content-type": head?.kind ?? "",
      "content-length": String(body?.byteLength ?? 0),
      ...head?.headers,
    };
    return new Response(body, { headers });
  }

  /** Nothing changes by itself: this never resolves. */
  override changes(_since: number, signal?: AbortSignal): Promise<Changes> {
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  }
}

function opening(name: string, files: GivenFile[]): Record<string, unknown> {
  return { do: "open", name, files: files.map(({ path, file, named }) => ({ path, bytes: file.size, named })) };
}
