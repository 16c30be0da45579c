// The parts of a file's tree: JSON, text, pictures, sounds and bytes.

import type { App, View } from "../app";
import { baseName, bytes, checkbox, count, fill, h, icon, iconButton, plural, select, short } from "../dom";
import { explainLater, inspectName, refsBody, rows, sizeText } from "../inspect";
import { findAt, nameOf, parseJson, SchemaReader, summary, type JsonNode } from "../json";
import type { Route } from "../route";
import type { FileInfo, Part } from "../source";
import { VirtualList } from "../virtual";

interface PartView {
  element: HTMLElement;
  show?(at: string | undefined): void;
  dispose?(): void;
}

const PART_ICONS: Record<string, string> = { json: "json", text: "text", picture: "picture", sound: "sound", bytes: "bytes" };

/** Contents of a file: its parts at the left, one of them at the right. `only` keeps one kind of part. */
export function contentsView(app: App, file: FileInfo, parts: Part[], route: Route, only?: "picture" | "sound"): View {
  const all = only ? parts.filter((part) => part.kind === only) : parts;
  const host = h("div", { class: "part-host" });
  let shown: PartView | null = null;
  let current: Part | null = null;
  let asked = 0;

  const list = new VirtualList<Part>({
    label: "Parts",
    rowHeight: 24,
    render: (row, part) => {
      const slash = part.path.lastIndexOf("/");
      row.append(
        icon(PART_ICONS[part.kind] ?? "bytes"),
        h("span", { class: "grow ellipsis", title: part.path }, slash >= 0 && h("span", { class: "quiet" }, part.path.slice(0, slash + 1)), part.path.slice(slash + 1)),
        h("span", { class: "quiet number" }, bytes(part.bytes)),
      );
    },
    onselect: (part) => {
      if (part !== current) app.go({ file: file.path, view: app.route.view, part: part.path });
    },
    empty: "No part has this name.",
  });

  const search = h("input", {
    type: "search",
    placeholder: `Filter ${plural(all.length, "part")}`,
    "aria-label": "Filter parts",
    oninput: () => filter(),
  });
  const filter = (): void => {
    const text = search.value.trim().toLowerCase();
    list.set(all.filter((part) => part.path.toLowerCase().includes(text)));
    list.select(list.items.indexOf(current as Part));
    gallery?.filter(text);
  };

  const open = async (part: Part, at: string | undefined): Promise<void> => {
    if (part === current && shown) {
      shown.show?.(at);
      return;
    }
    const turn = ++asked;
    current = part;
    const index = list.items.indexOf(part);
    list.select(index);
    if (index >= 0) list.reveal(index);
    shown?.dispose?.();
    shown = null;
    fill(host, h("p", { class: "loading" }, `Loading ${part.path}…`));
    try {
      const view = await partView(app, file, part, all, at);
      if (turn !== asked) {
        view.dispose?.();
        return;
      }
      shown = view;
      fill(host, view.element);
      view.show?.(at);
    } catch (error) {
      if (turn !== asked) return;
      fill(host, h("p", { class: "bad-text pad" }, `${part.path}: ${error instanceof Error ? error.message : String(error)}`));
    }
    inspectPart(app, file, part);
  };

  const gallery = only === "picture" ? galleryOf(app, file, all) : null;
  const show = (to: Route): void => {
    const wanted = to.part ? (all.find((part) => part.path === to.part) ?? all.find((part) => part.path === guessPart(to.part as string, all))) : undefined;
    if (wanted) void open(wanted, to.at);
    else if (gallery) {
      asked++;
      shown?.dispose?.();
      shown = null;
      current = null;
      list.select(-1);
      fill(host, gallery.element);
    } else if (all.length) {
      const at = to.at && !to.part ? all.find((part) => part.document && (to.at as string).startsWith(baseName(part.path).replace(/\.json$/, ""))) : undefined;
      void open(at ?? all.find((part) => part.path !== "refit.json") ?? all[0], to.at);
    }
  };
  filter();
  const element = h(
    "div",
    { class: "split" },
    all.length > 1 && h("div", { class: "parts-list" }, h("div", { class: "bar" }, search, gallery && iconButton("picture", "Show all pictures", () => app.go({ file: file.path, view: app.route.view }))), list.element, list.emptyMessage),
    host,
  );
  if (!all.length) fill(host, h("p", { class: "pad quiet" }, "This file has no parts."));
  show(route);
  return {
    element,
    goTo: (to) => {
      show(to);
      return true;
    },
    dispose: () => {
      asked++;
      shown?.dispose?.();
    },
  };
}

function guessPart(path: string, parts: Part[]): string | undefined {
  return parts.find((part) => part.path.endsWith(`/${path}`) || part.path === `${path}.json`)?.path;
}

export function inspectPart(app: App, file: FileInfo, part: Part): void {
  const sections = [
    {
      title: "Part",
      body: rows([
        ["Path", part.path],
        ["Kind", part.document ? `${part.document} document` : part.kind],
        ["Size", sizeText(part.bytes)],
        ["File", file.path],
      ]),
    },
    { title: "Where it is stored", body: explainLater(app, file.number, part.path) },
  ];
  if (part.kind === "picture" || part.kind === "sound") {
    const name = baseName(part.path).replace(/(\.alpha)?\.(png|wav)$/, "");
    sections.push({ title: "Definitions and uses", body: refsBody(app, part.kind === "sound" ? "sound" : "texture", name) as never });
  }
  app.inspect({ title: baseName(part.path), kind: part.kind, sections });
}

async function partView(app: App, file: FileInfo, part: Part, all: Part[], at: string | undefined): Promise<PartView> {
  if (part.kind === "picture") return pictureView(app, file, part, all);
  const blob = await app.source.part(file.number, part.path);
  switch (part.kind) {
    case "json":
      return jsonView(app, file, part, await blob.text(), at);
    case "text":
      return textView(app, part, await blob.text());
    case "sound":
      return soundView(part, await blob.arrayBuffer());
    default:
      return hexView(part, new Uint8Array(await blob.arrayBuffer()));
  }
}

// JSON

export function jsonView(app: App, file: FileInfo, part: { path: string; document?: string | null }, text: string, start?: string): PartView {
  const root = parseJson(text);
  let plain: PartView | null = null;
  let schema: SchemaReader | null = null;
  const document_ = part.document ?? null;
  if (document_) {
    app.source.schema(document_).then(
      (found) => (schema = new SchemaReader(found)),
      () => undefined,
    );
  }
  let query = "";
  const sentence = h("div", { class: "sentence", "aria-live": "polite" }, "Select a field to read what it means.");

  const flatten = (): JsonNode[] => {
    const out: JsonNode[] = [];
    const visit = (node: JsonNode): void => {
      for (const child of node.children) {
        out.push(child);
        if (child.open) visit(child);
      }
    };
    visit(root);
    return out;
  };
  const list = new VirtualList<JsonNode>({
    label: `Fields of ${part.path}`,
    role: "tree",
    rowHeight: 20,
    className: "json",
    render: (row, node) => {
      row.style.paddingLeft = `${node.depth * 14}px`;
      row.setAttribute("aria-level", String(node.depth));
      const branch = node.children.length > 0;
      if (branch) row.setAttribute("aria-expanded", String(node.open));
      const name = nameOf(node, document_);
      row.append(
        h("span", {
          class: `twisty ${branch ? (node.open ? "open" : "closed") : ""}`,
          onclick: (event: Event) => {
            if (!branch) return;
            event.stopPropagation();
            toggle(node);
          },
        }),
        h("span", { class: node.parent?.type === "array" ? "json-index" : "json-key" }, node.parent?.type === "array" ? node.key : `${node.key}:`),
      );
      if (node.type === "object" || node.type === "array") row.append(h("span", { class: "json-summary ellipsis" }, summary(node)));
      else {
        const value = h("span", { class: `json-${node.type} ellipsis` }, node.type === "string" ? `"${node.value}"` : node.value);
        if (name) {
          value.classList.add("name-link");
          value.title = `${name.kind} ${name.name}: definitions and uses`;
        }
        row.append(value);
      }
      if (query && matches(node)) row.classList.add("match");
    },
    onselect: (node) => describe(node),
    onopen: (node) => {
      if (node.children.length) toggle(node);
    },
    onkey: (event, node) => {
      if (!node) return false;
      if (event.key === "ArrowRight" && node.children.length && !node.open) toggle(node);
      else if (event.key === "ArrowLeft" && node.open && node.children.length) toggle(node);
      else if (event.key === "ArrowLeft" && node.parent && node.parent !== root) reveal(node.parent);
      else return false;
      return true;
    },
  });
  const toggle = (node: JsonNode): void => {
    node.open = !node.open;
    list.set(flatten(), true);
    list.select(list.items.indexOf(node));
  };
  const reveal = (node: JsonNode): void => {
    for (let up = node.parent; up; up = up.parent) up.open = true;
    list.set(flatten(), true);
    const index = list.items.indexOf(node);
    list.select(index);
    list.reveal(index);
    describe(node);
  };
  const describe = (node: JsonNode): void => {
    const said = schema?.describe(node) ?? { sentences: [], constraints: "" };
    const first = said.sentences[0];
    fill(sentence, h("code", null, node.at), first ? ` ${first.split("\n")[0]}` : "");
    const name = nameOf(node, document_);
    const sections: { title: string; body: HTMLElement | Promise<HTMLElement | null> }[] = [
      {
        title: "Field",
        body: h(
          "div",
          null,
          said.sentences.map((each) => h("p", { class: "say" }, each)),
          rows([
            ["Path", h("code", null, node.at)],
            ["Value", node.children.length ? summary(node) : node.value],
            ["Type", node.type === "word" ? "true, false or null" : node.type],
            ["Allowed", said.constraints],
          ]),
        ),
      },
      { title: "Where it is stored", body: explainLater(app, file.number, part.path, node.at) },
    ];
    if (name) inspectName(app, name.kind, name.name, sections);
    else app.inspect({ title: node.key ?? part.path, kind: "field", sections });
    app.replace({ at: node.at });
  };
  const matches = (node: JsonNode): boolean =>
    (node.key ?? "").toLowerCase().includes(query) || (!node.children.length && node.value.toLowerCase().includes(query));
  let found: JsonNode[] = [];
  let foundAt = -1;
  const tally = h("span", { class: "quiet", role: "status" });
  const search = h("input", {
    type: "search",
    placeholder: "Find in this document",
    "aria-label": "Find in this document",
    oninput: () => {
      query = search.value.trim().toLowerCase();
      found = [];
      foundAt = -1;
      if (query) {
        const visit = (node: JsonNode): void => {
          for (const child of node.children) {
            if (matches(child)) found.push(child);
            visit(child);
          }
        };
        visit(root);
      }
      tally.textContent = query ? plural(found.length, "match", "matches") : "";
      if (found.length) step(1);
      else list.refresh();
    },
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    },
  });
  const step = (by: number): void => {
    if (!found.length) return;
    foundAt = (foundAt + by + found.length) % found.length;
    reveal(found[foundAt]);
    tally.textContent = `${count(foundAt + 1)} of ${count(found.length)}`;
  };
  const setAll = (open: boolean): void => {
    const visit = (node: JsonNode): void => {
      for (const child of node.children) {
        child.open = open;
        visit(child);
      }
    };
    visit(root);
    list.set(flatten());
  };
  const raw = h("button", { type: "button", class: "button small", "aria-pressed": "false", onclick: () => swap() }, "As text");
  const body = h("div", { class: "fill" }, list.element);
  const swap = (): void => {
    const on = raw.getAttribute("aria-pressed") !== "true";
    raw.setAttribute("aria-pressed", String(on));
    plain ??= textView(app, { path: part.path }, text);
    fill(body, on ? plain.element : list.element);
  };
  // Small documents start open.
  if (text.length < 6000) setAll(true);
  else if (root.children.length === 1 || root.children.length === 2) for (const child of root.children) child.open = true;
  list.set(flatten());
  const element = h(
    "div",
    { class: "part json-part" },
    h(
      "div",
      { class: "bar" },
      h("strong", { class: "ellipsis", title: part.path }, baseName(part.path)),
      search,
      tally,
      h("span", { class: "grow" }),
      h("button", { type: "button", class: "button small", onclick: () => setAll(true) }, "Open all"),
      h("button", { type: "button", class: "button small", onclick: () => setAll(false) }, "Close all"),
      raw,
    ),
    body,
    sentence,
  );
  return {
    element,
    show: (at) => {
      const node = at ? findAt(root, at) : null;
      if (node && node !== root) reveal(node);
      void start;
    },
  };
}

// Text

const TOKENS = /(\/\/.*$|;.*$|#.*$)|("(?:[^"\\]|\\.)*"?)|(-?\b\d[\w.]*)|([A-Za-z_][\w.]*)|([^\w"]+?)/g;

export function textView(app: App, part: { path: string }, text: string): PartView {
  const lines = text.split(/\r?\n/);
  const code = /\.(zrd|zan|gw|cfg|cpp|hpp|sqf|sqs|sqm|rvmat|ext|json|txt|bisurf|h|c)$/i.test(part.path);
  let query = "";
  const width = String(lines.length).length;
  const list = new VirtualList<string>({
    label: `Text of ${part.path}`,
    role: "none",
    rowHeight: 18,
    className: "code",
    render: (row, line, index) => {
      row.append(h("span", { class: "line-number", "aria-hidden": "true" }, String(index + 1).padStart(width, "\u00a0")));
      const body = h("span", { class: "line" });
      const short_ = line.length > 4000 ? `${line.slice(0, 4000)}…` : line;
      if (!code) body.textContent = short_;
      else {
        for (const match of short_.matchAll(TOKENS)) {
          const cls = match[1] ? "comment" : match[2] ? "string" : match[3] ? "number" : match[4] ? "word" : "";
          body.append(cls ? h("span", { class: `tok-${cls}` }, match[0]) : match[0]);
        }
      }
      if (query && line.toLowerCase().includes(query)) row.classList.add("match");
      row.append(body);
    },
  });
  list.element.addEventListener("dblclick", () => {
    const word = window.getSelection()?.toString().trim();
    if (word && word.length < 200) void lookUp(app, word);
  });
  const tally = h("span", { class: "quiet", role: "status" });
  let at = -1;
  const search = h("input", {
    type: "search",
    placeholder: "Find in this text",
    "aria-label": "Find in this text",
    oninput: () => {
      query = search.value.toLowerCase();
      at = -1;
      const found = query ? lines.filter((line) => line.toLowerCase().includes(query)).length : 0;
      tally.textContent = query ? plural(found, "line") : "";
      list.refresh();
      next();
    },
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === "Enter") next();
    },
  });
  const next = (): void => {
    if (!query) return;
    for (let step = 1; step <= lines.length; step++) {
      const line = (at + step) % lines.length;
      if (lines[line].toLowerCase().includes(query)) {
        at = line;
        list.reveal(line);
        return;
      }
    }
  };
  list.set(lines);
  return {
    element: h(
      "div",
      { class: "part" },
      h("div", { class: "bar" }, h("strong", { class: "ellipsis" }, baseName(part.path)), search, tally, h("span", { class: "grow" }), h("span", { class: "quiet" }, `${plural(lines.length, "line")}; double-click a word to look it up`)),
      list.element,
    ),
  };
}

/** Looks a word up in all names. */
export async function lookUp(app: App, word: string): Promise<void> {
  const found = await app.source.find(word, undefined, 50);
  const exact = found.names.filter((place) => place.name.toLowerCase() === word.toLowerCase());
  const kinds = [...new Set(exact.map((place) => place.kind))];
  if (!kinds.length) {
    app.inspect({ title: word, kind: "word", sections: [{ title: "Names", body: h("p", { class: "quiet" }, "refit knows no such name in what is open.") }] });
    return;
  }
  app.inspect({ title: word, kind: "name", sections: kinds.map((kind) => ({ title: `As ${kind}`, body: refsBody(app, kind, exact[0].name) })) });
}

// Bytes

export function hexView(part: Part, data: Uint8Array): PartView {
  const list = new VirtualList<number>({
    label: `Bytes of ${part.path}`,
    role: "none",
    rowHeight: 18,
    className: "code hex",
    render: (row, offset) => {
      const slice = data.subarray(offset, offset + 16);
      const hex = Array.from(slice, (byte, n) => byte.toString(16).padStart(2, "0") + (n === 7 ? " " : "")).join(" ");
      const ascii = Array.from(slice, (byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
      row.append(h("span", { class: "line-number" }, offset.toString(16).padStart(8, "0")), h("span", { class: "hex-bytes" }, hex), h("span", { class: "hex-text" }, ascii));
    },
  });
  list.set(Array.from({ length: Math.ceil(data.length / 16) }, (_, n) => n * 16));
  const jump = h("input", {
    type: "text",
    placeholder: "Offset, such as 0x1f0",
    "aria-label": "Go to offset",
    onkeydown: (event: KeyboardEvent) => {
      const offset = Number(jump.value.trim());
      if (event.key === "Enter" && offset >= 0 && offset < data.length) list.reveal(Math.floor(offset / 16));
    },
  });
  return {
    element: h("div", { class: "part" }, h("div", { class: "bar" }, h("strong", { class: "ellipsis" }, baseName(part.path)), jump, h("span", { class: "grow" }), h("span", { class: "quiet" }, plural(data.length, "byte"))), list.element),
  };
}

// Pictures

function galleryOf(app: App, file: FileInfo, parts: Part[]): { element: HTMLElement; filter(text: string): void } {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        const image = entry.target as HTMLImageElement;
        observer.unobserve(image);
        void app.source.partUrl(file.number, image.dataset.path as string).then(
          (url) => (image.src = url),
          () => image.dispatchEvent(new Event("error")),
        );
      }
    },
    { rootMargin: "300px" },
  );
  const cards = parts.map((part) => {
    const name = baseName(part.path).replace(/\.png$/, "");
    const size = h("small", { class: "quiet" }, bytes(part.bytes));
    const image = h("img", {
      alt: "",
      class: "checker",
      onload: () => (size.textContent = `${image.naturalWidth} × ${image.naturalHeight}`),
      onerror: () => (size.textContent = "cannot be shown"),
    });
    image.dataset.path = part.path;
    observer.observe(image);
    return h("a", { class: "card", href: app.href({ file: file.path, view: "pictures", part: part.path }), title: part.path }, image, h("span", { class: "ellipsis" }, name), size);
  });
  const element = h("div", { class: "gallery", tabIndex: 0, role: "region", "aria-label": "Pictures" }, cards);
  return {
    element,
    filter: (text) => cards.forEach((card, n) => (card.hidden = !parts[n].path.toLowerCase().includes(text))),
  };
}

async function pictureView(app: App, file: FileInfo, part: Part, all: Part[]): Promise<PartView> {
  const blob = await app.source.part(file.number, part.path);
  const bitmap = await createImageBitmap(blob, { premultiplyAlpha: "none", colorSpaceConversion: "none" });
  const canvas = h("canvas", { class: "picture", role: "img", "aria-label": `picture ${part.path}` });
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  const context = canvas.getContext("2d", { willReadFrequently: true }) as CanvasRenderingContext2D;
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  const original = context.getImageData(0, 0, canvas.width, canvas.height);
  let zoom = 0;
  const pixel = h("span", { class: "quiet mono", role: "status" });
  const stage = h("div", { class: "stage", tabIndex: 0, role: "region", "aria-label": "Picture" }, canvas);
  const fit = (): number => Math.max(1, Math.floor(Math.min((stage.clientWidth - 24) / canvas.width, (stage.clientHeight - 24) / canvas.height)));
  const apply = (): void => {
    const scale = zoom || fit();
    canvas.style.width = `${canvas.width * scale}px`;
    canvas.style.height = `${canvas.height * scale}px`;
  };
  const channel = (which: string): void => {
    const data = new ImageData(new Uint8ClampedArray(original.data), canvas.width, canvas.height);
    const pick = "rgba".indexOf(which);
    if (which === "rgb" || pick >= 0) {
      for (let i = 0; i < data.data.length; i += 4) {
        if (pick >= 0) data.data[i] = data.data[i + 1] = data.data[i + 2] = original.data[i + pick];
        data.data[i + 3] = 255;
      }
    }
    context.putImageData(data, 0, 0);
  };
  canvas.addEventListener("pointermove", (event) => {
    const rect = canvas.getBoundingClientRect();
    const x = Math.min(canvas.width - 1, Math.max(0, Math.floor(((event.clientX - rect.left) / rect.width) * canvas.width)));
    const y = Math.min(canvas.height - 1, Math.max(0, Math.floor(((event.clientY - rect.top) / rect.height) * canvas.height)));
    const i = (y * canvas.width + x) * 4;
    const [r, g, b, a] = original.data.slice(i, i + 4);
    pixel.textContent = `${x}, ${y}: ${r} ${g} ${b}, alpha ${a}`;
  });
  const observer = new ResizeObserver(apply);
  observer.observe(stage);
  const others = h("div", { class: "others" });
  const name = baseName(part.path).replace(/\.png$/, "");
  void versions(app, file, part, all, name).then((found) => fill(others, found), () => undefined);
  return {
    element: h(
      "div",
      { class: "part" },
      h(
        "div",
        { class: "bar" },
        h("strong", { class: "ellipsis" }, name),
        h("span", { class: "quiet" }, `${canvas.width} × ${canvas.height}`),
        select("Zoom", [["0", "Fit"], ["1", "100 %"], ["2", "200 %"], ["4", "400 %"], ["8", "800 %"], ["16", "1600 %"]], "0", (value) => {
          zoom = Number(value);
          apply();
        }),
        select("Channels", [["rgba4", "All channels"], ["rgb", "Colour only"], ["r", "Red"], ["g", "Green"], ["b", "Blue"], ["a", "Alpha"]], "rgba4", channel),
        checkbox("Checks", true, (on) => canvas.classList.toggle("checker", on)),
        h("span", { class: "grow" }),
        pixel,
      ),
      stage,
      others,
    ),
    show: () => {
      canvas.classList.add("checker");
      apply();
    },
    dispose: () => observer.disconnect(),
  };
}

/** The same picture in other packages, side by side. */
async function versions(app: App, file: FileInfo, part: Part, all: Part[], name: string): Promise<HTMLElement | null> {
  const refs = await app.source.refs("texture", name.replace(/\.alpha$/, ""));
  const found = refs.defines.filter((place) => place.document && !(place.file === file.number && place.document === part.path));
  const near = all.filter((each) => each !== part && baseName(each.path).replace(/(\.alpha)?\.png$/, "") === name.replace(/\.alpha$/, ""));
  if (!found.length && !near.length) return null;
  const shot = (n: number, path: string, label: string): HTMLElement => {
    const image = h("img", { class: "checker", alt: "" });
    void app.source.partUrl(n, path).then((url) => (image.src = url), () => undefined);
    return h("a", { class: "card", href: app.href({ file: app.byNumber(n)?.path ?? "", view: "pictures", part: path }) }, image, h("span", { class: "ellipsis", title: label }, label));
  };
  return h(
    "div",
    null,
    h("h3", null, "The same texture elsewhere"),
    h("div", { class: "strip" }, near.map((each) => shot(file.number, each.path, baseName(each.path))), found.map((place) => shot(place.file ?? 0, place.document as string, app.byNumber(place.file)?.path ?? ""))),
  );
}

// Sounds

interface Wave {
  rate: number;
  channels: number;
  bits: number;
  samples: Float32Array;
  frames: number;
  cues: { at: number; label: string }[];
  loop: [number, number] | null;
}

export function readWave(data: ArrayBuffer): Wave {
  const view = new DataView(data);
  const tag = (at: number): string => String.fromCharCode(...new Uint8Array(data, at, 4));
  if (data.byteLength < 12 || tag(0) !== "RIFF" || tag(8) !== "WAVE") throw new Error("the sound is not a WAV file");
  let format = 1;
  const wave: Wave = { rate: 22050, channels: 1, bits: 8, samples: new Float32Array(0), frames: 0, cues: [], loop: null };
  for (let at = 12; at + 8 <= data.byteLength; ) {
    const id = tag(at);
    const size = Math.min(view.getUint32(at + 4, true), data.byteLength - at - 8);
    const body = at + 8;
    if (id === "fmt " && size >= 16) {
      format = view.getUint16(body, true);
      wave.channels = Math.max(1, view.getUint16(body + 2, true));
      wave.rate = view.getUint32(body + 4, true) || 22050;
      wave.bits = view.getUint16(body + 14, true) || 8;
    } else if (id === "data") {
      if (format !== 1 && format !== 0xfffe) throw new Error(`the sound has codec ${format} instead of PCM`);
      const width = wave.bits / 8;
      wave.frames = Math.floor(size / width / wave.channels);
      wave.samples = new Float32Array(wave.frames);
      for (let n = 0; n < wave.frames; n++) {
        const from = body + n * width * wave.channels;
        wave.samples[n] = width === 1 ? (view.getUint8(from) - 128) / 128 : view.getInt16(from + width - 2, true) / 32768;
      }
    } else if (id === "cue " && size >= 4) {
      const cues = Math.min(view.getUint32(body, true), Math.floor((size - 4) / 24));
      for (let n = 0; n < cues; n++) wave.cues.push({ at: view.getUint32(body + 4 + n * 24 + 20, true), label: String(view.getUint32(body + 4 + n * 24, true)) });
    } else if (id === "smpl" && size >= 60 && view.getUint32(body + 28, true) > 0) {
      wave.loop = [view.getUint32(body + 44, true), view.getUint32(body + 48, true)];
    }
    at = body + size + (size & 1);
  }
  return wave;
}

function soundView(part: Part, data: ArrayBuffer): PartView {
  const wave = readWave(data);
  const url = URL.createObjectURL(new Blob([data], { type: "audio/wav" }));
  const audio = h("audio", { src: url, preload: "auto" });
  const canvas = h("canvas", { class: "wave", role: "img", "aria-label": `waveform of ${part.path}` });
  const seconds = wave.frames / wave.rate;
  const time = h("span", { class: "mono quiet" }, `0.00 / ${seconds.toFixed(2)} s`);
  const play = iconButton("play", "Play", () => (audio.paused ? void audio.play() : audio.pause()), { class: "button" });
  const seek = h("input", { type: "range", min: "0", max: String(seconds), step: "0.001", value: "0", "aria-label": "Position in seconds", oninput: () => (audio.currentTime = Number(seek.value)) });
  let frame = 0;
  const draw = (): void => {
    const width = (canvas.width = Math.max(1, canvas.clientWidth));
    const height = (canvas.height = Math.max(1, canvas.clientHeight));
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    const style = getComputedStyle(canvas);
    const colour = (name: string): string => style.getPropertyValue(name);
    context.clearRect(0, 0, width, height);
    const middle = height / 2;
    if (wave.loop) {
      context.fillStyle = colour("--hover");
      context.fillRect((wave.loop[0] / wave.frames) * width, 0, ((wave.loop[1] - wave.loop[0]) / wave.frames) * width, height);
    }
    context.fillStyle = colour("--line");
    context.fillRect(0, middle, width, 1);
    context.fillStyle = colour("--accent");
    for (let x = 0; x < width; x++) {
      const from = Math.floor((x / width) * wave.frames);
      const to = Math.max(from + 1, Math.floor(((x + 1) / width) * wave.frames));
      let low = 1;
      let high = -1;
      for (let n = from; n < to && n < wave.frames; n++) {
        low = Math.min(low, wave.samples[n]);
        high = Math.max(high, wave.samples[n]);
      }
      if (high >= low) context.fillRect(x, middle - high * middle * 0.92, 1, Math.max(1, (high - low) * middle * 0.92));
    }
    context.fillStyle = colour("--warn");
    for (const cue of wave.cues) {
      const x = (cue.at / wave.frames) * width;
      context.fillRect(x, 0, 1, height);
      context.fillText(cue.label, x + 3, 11);
    }
    context.fillStyle = colour("--text");
    context.fillRect((audio.currentTime / Math.max(seconds, 1e-6)) * width, 0, 1.5, height);
  };
  const tick = (): void => {
    time.textContent = `${audio.currentTime.toFixed(2)} / ${seconds.toFixed(2)} s`;
    seek.value = String(audio.currentTime);
    draw();
    if (!audio.paused) frame = requestAnimationFrame(tick);
  };
  const state = (): void => {
    const label = audio.paused ? "Play" : "Pause";
    play.replaceChildren(icon(audio.paused ? "play" : "stop"));
    play.setAttribute("aria-label", label);
    play.title = label;
    tick();
  };
  for (const event of ["play", "pause", "ended", "seeked"]) audio.addEventListener(event, state);
  canvas.addEventListener("click", (event) => (audio.currentTime = (event.offsetX / canvas.clientWidth) * seconds));
  const observer = new ResizeObserver(draw);
  observer.observe(canvas);
  const facts = [`${count(wave.rate)} Hz`, `${wave.bits} bits`, wave.channels === 1 ? "mono" : wave.channels === 2 ? "stereo" : `${wave.channels} channels`, `${short(seconds, 2)} s`, wave.cues.length ? plural(wave.cues.length, "cue point") : "", wave.loop ? "has a loop" : ""].filter(Boolean);
  return {
    element: h(
      "div",
      { class: "part" },
      h("div", { class: "bar" }, play, checkbox("Loop", false, (on) => (audio.loop = on)), h("strong", { class: "ellipsis" }, baseName(part.path)), h("span", { class: "grow" }), time),
      h("div", { class: "wave-host" }, canvas, seek, h("p", { class: "quiet" }, facts.join(" · "))),
      audio,
    ),
    dispose: () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      audio.pause();
      audio.removeAttribute("src");
      URL.revokeObjectURL(url);
    },
  };
}

