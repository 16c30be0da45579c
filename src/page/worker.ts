// refit in a worker: answers the questions of the page over the files that were dropped there. It has no network: the
// page's policy holds here too, and the module has two imports, one to read a file and one to report progress.

export interface GivenFile {
  path: string;
  file: File;
  named: boolean;
}

/** Messages of the page. The module comes with the first message. */
export type Order =
  { id: number; module: WebAssembly.Module } | { id: number; request: Record<string, unknown>; files?: GivenFile[] };

/** Messages to the page: an answer, or its progress. */
export interface Reply {
  id: number;
  progress?: { name: string; done: number; total: number };
  head?: { kind?: string; headers?: Record<string, string>; status?: number; error?: { message: string } };
  body?: ArrayBuffer;
}

interface Module {
  memory: WebAssembly.Memory;
  request(length: number): number;
  answer(): void;
  head(): bigint;
  body(): bigint;
  fault(): bigint;
}

/** Reads files synchronously, which only workers may; TypeScript's types describe a page. */
declare class FileReaderSync {
  readAsArrayBuffer(file: Blob): ArrayBuffer;
}

const scope = self as unknown as {
  postMessage(message: Reply, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent<Order>) => void) | null;
};
const reader = new FileReaderSync();
let code: WebAssembly.Module;
let running: Module | null = null;
let files: GivenFile[] = [];
/** What opened the files, to open them again after a fault. */
let opening: Record<string, unknown> | null = null;
let current = 0;

/** Bytes of the module's memory, at an address and length in one number. */
function view(place: bigint): Uint8Array {
  return new Uint8Array((running as Module).memory.buffer, Number(place >> 32n), Number(place & 0xffffffffn));
}
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes.slice());

function unused(name: string): never {
  throw new Error(`refit calls ${name}`);
}

function start(): Module {
  const page = {
    read(number: number, to: number, length: number): number {
      try {
        const bytes = new Uint8Array(reader.readAsArrayBuffer(files[number].file));
        if (bytes.length === length) new Uint8Array((running as Module).memory.buffer, to >>> 0, length).set(bytes);
        return bytes.length;
      } catch {
        return -1;
      }
    },
    progress(name: number, length: number, done: number, total: number): void {
      const memory = new Uint8Array((running as Module).memory.buffer, name >>> 0, length);
      scope.postMessage({ id: current, progress: { name: text(memory), done, total } }, []);
    },
  };
  // The zip crate imports browser functions for encryption, which nothing here calls.
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = { page };
  for (const { module, name } of WebAssembly.Module.imports(code))
    (imports[module] ??= {})[name] ??= () => unused(name);
  return new WebAssembly.Instance(code, imports).exports as unknown as Module;
}

function ask(request: Record<string, unknown>): Pick<Reply, "head" | "body"> {
  running ??= start();
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const to = running.request(bytes.length);
  new Uint8Array(running.memory.buffer, to >>> 0, bytes.length).set(bytes);
  running.answer();
  const head = JSON.parse(text(view(running.head()))) as Reply["head"];
  return { head, body: view(running.body()).slice().buffer };
}

function answer(request: Record<string, unknown>): Pick<Reply, "head" | "body"> {
  try {
    if (request.do === "open") opening = request;
    else if (!running && opening) {
      const again = ask(opening);
      if (again.head?.error) return again;
    }
    return ask(request);
  } catch (error) {
    // The module ended: out of memory, or a bug. The next question starts a new one.
    let message = error instanceof Error ? error.message : String(error);
    try {
      message = text(view((running as Module).fault())) || message;
    } catch {
      // Even the message is unreadable.
    }
    running = null;
    if (request.do === "open") opening = null;
    return { head: { status: 422, error: { message: `refit ended: ${message}` } } };
  }
}

scope.onmessage = ({ data }) => {
  current = data.id;
  if ("module" in data) {
    code = data.module;
    scope.postMessage({ id: data.id, head: {} }, []);
    return;
  }
  if (data.files) files = data.files;
  const done = answer(data.request);
  scope.postMessage({ id: data.id, ...done }, done.body ? [done.body] : []);
};
