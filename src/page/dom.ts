// Elements without markup: text from files only ever becomes text.

export type Child = Node | string | number | null | undefined | false | Child[];

type Attributes = Record<string, unknown>;

function put(parent: Node, child: Child): void {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) for (const each of child) put(parent, each);
  else parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
}

/** Makes an element: `on…` are listeners, `data-`, `aria-` and `role` are attributes, the rest are properties. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes?: Attributes | null,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null) continue;
    if (key.startsWith("on") && typeof value === "function") {
      element.addEventListener(key.slice(2), value as EventListener);
    } else if (key === "class") {
      element.className = String(value);
    } else if (key.includes("-") || key === "role" || key === "for" || key === "list") {
      element.setAttribute(key, String(value));
    } else {
      (element as unknown as Attributes)[key] = value;
    }
  }
  put(element, children);
  return element;
}

/** A path whose end stays visible if it is too long. */
export const pathEnd = (path: string): HTMLElement => h("span", { class: "ellipsis path-end" }, h("bdi", null, path));

/** A view, or a part of one, with a bar of controls above its content. */
export const withBar = (className: string, bar: Child[], ...content: Child[]): HTMLElement =>
  h("div", { class: className }, h("div", { class: "bar" }, bar), content);

export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  put(element, children);
}

const SVG = "http://www.w3.org/2000/svg";

const ICONS: Record<string, string> = {
  world: "M8 1.5l6 3v7l-6 3-6-3v-7zM2 4.5l6 3 6-3M8 7.5v7",
  model: "M8 2l5.5 3v6L8 14l-5.5-3V5zM2.5 5L8 8l5.5-3M8 8v6",
  picture: "M2 3h12v10H2zM2 11l3.5-3.5 3 3 2-2L14 12M10.5 6.5h.01",
  sound: "M2.5 8h1.5M6 4.5v7M8.5 2.5v11M11 5v6M13.5 7v2",
  text: "M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3",
  json:
    "M6 2.5H5c-1 0-1.5.5-1.5 1.5v2.5L2 8l1.5 1.5V12c0 1 .5 1.5 1.5 1.5h1" +
    "M10 2.5h1c1 0 1.5.5 1.5 1.5v2.5L14 8l-1.5 1.5V12c0 1-.5 1.5-1.5 1.5h-1",
  message: "M2 3h12v8H8l-3.5 2.5V11H2z",
  anim: "M2 4h12v8H2zM2 6.5h12M5 4v2.5M8 4v2.5M11 4v2.5M7 8.2l2.5 1.3L7 10.8z",
  archive: "M2 5l6-3 6 3v6l-6 3-6-3zM2 5l6 3 6-3M8 8v6",
  script: "M3 3l4 5-4 5M8 13h5",
  bytes: "M3 4h2v3H3zM8 4v3M11 4h2v3h-2zM4 9v3M7 9h2v3H7zM12 9v3",
  save: "M3 2.5h8l2 2v9H3zM5 2.5v3h5v-3M5 13.5v-4h6v4",
  key: "M10 6a3 3 0 1 1-1.5-2.6M8.5 7.5L14 13M11 11l1.5-1.5",
  warn: "M8 2.5l6 11H2zM8 6.5v3.5M8 12h.01",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M10.5 10.5L14 14",
  theme: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
  help: "M6 6a2 2 0 1 1 2.8 1.8c-.6.3-.8.7-.8 1.4M8 12h.01",
  side: "M2 3h12v10H2zM10 3v10",
  close: "M4 4l8 8M12 4l-8 8",
  frame: "M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3M6 6h4v4H6z",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4",
  hidden:
    "M2 2l12 12M4.5 5A12 12 0 0 0 1.5 8s2.5 4.5 6.5 4.5c1 0 1.9-.3 2.7-.7" +
    "M7 3.6c.3 0 .7-.1 1-.1 4 0 6.5 4.5 6.5 4.5s-.6 1.1-1.7 2.2",
  play: "M5 3l8 5-8 5z",
  pause: "M5.5 3v10M10.5 3v10",
  stop: "M4 4h8v8H4z",
  edit: "M3 13l.5-2.5 7.5-7.5 2 2-7.5 7.5zM9.5 4.5l2 2",
  diff: "M5 2.5v7M2.5 6h5M8.5 11.5h5M3 13.5l10-11",
  list: "M5 4h9M5 8h9M5 12h9M2 4h.01M2 8h.01M2 12h.01",
  tree: "M3 2.5v9.5h4M3 6h4M9 4.5h4.5v3H9zM9 10.5h4.5v3H9z",
  undo: "M6 3L2.5 6.5 6 10M2.5 6.5H9a4.5 4.5 0 0 1 0 7H6",
  redo: "M10 3l3.5 3.5L10 10M13.5 6.5H7a4.5 4.5 0 0 0 0 7h3",
  home: "M2 8.5L8 3l6 5.5M4 7v6.5h8V7M6.5 13.5V10h3v3.5",
  up: "M8 12.5v-9M4 7.5l4-4 4 4",
  down: "M8 3.5v9M4 8.5l4 4 4-4",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  link: "M6.5 9.5l3-3M7 5l1.5-1.5a2.5 2.5 0 0 1 4 3.5L11 8.5M9 11l-1.5 1.5a2.5 2.5 0 0 1-4-3.5L5 7.5",
};

/** A small line drawing; decorative, so hidden from screen readers. */
export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name] ?? ICONS.bytes);
  svg.appendChild(path);
  return svg;
}

/** A button with an icon, named by its label. */
export function iconButton(name: string, label: string, onclick: () => void, more?: Attributes): HTMLButtonElement {
  return h(
    "button",
    { type: "button", class: "icon-button", title: label, "aria-label": label, onclick, ...more },
    icon(name),
  );
}

let ids = 0;
export const newId = (prefix: string): string => `${prefix}${++ids}`;

export function bytes(n: number | null | undefined): string {
  if (n === null || n === undefined) return "";
  if (n < 1000) return `${n} B`;
  const units = ["kB", "MB", "GB"];
  let value = n;
  let unit = "B";
  for (const next of units) {
    if (value < 1000) break;
    value /= 1000;
    unit = next;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

export const count = (n: number): string => n.toLocaleString("en-US");

export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

/** A number as a person reads it: at most `digits` decimals, no trailing zeros. */
export function short(n: number, digits = 3): string {
  if (!Number.isFinite(n)) return String(n);
  return String(Number(n.toFixed(digits)));
}

export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

export function debounce(ms: number, run: () => void): () => void {
  let timer = 0;
  return () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(run, ms);
  };
}

/** Copies text; does nothing if the browser refuses. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without permission nothing is copied; the text stays selectable.
  }
}

/** Offers a file as a download. */
export function download(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  window.setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/** A small button with a word on it. */
export function smallButton(text: string, title: string, onclick: () => void): HTMLButtonElement {
  return h("button", { type: "button", class: "button small", title, onclick }, text);
}

export function labelled(text: string, control: HTMLElement, className = "field"): HTMLLabelElement {
  return h("label", { class: className }, h("span", null, text), control);
}

export function checkbox(text: string, checked: boolean, onchange: (on: boolean) => void): HTMLLabelElement {
  const input = h("input", { type: "checkbox", checked, onchange: () => onchange(input.checked) });
  return h("label", { class: "check" }, input, h("span", null, text));
}

export function select<T extends string>(
  label: string,
  options: [T, string][],
  value: T,
  onchange: (value: T) => void,
): HTMLSelectElement {
  const box = h(
    "select",
    { "aria-label": label, title: label, onchange: () => onchange(box.value as T) },
    options.map(([key, text]) => h("option", { value: key }, text)),
  );
  box.value = value;
  return box;
}
