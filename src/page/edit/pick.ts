// Files that a person gives to the page: dropped on something, or chosen with a button.

import { h } from "../dom";

interface Drop {
  /** False while nothing can be taken. */
  possible?: () => boolean;
  signal?: AbortSignal;
}

/** Marks `target` while something with data of this type is over it, and takes what is dropped there. */
function takeType(
  target: HTMLElement,
  type: string,
  take: (data: DataTransfer, event: DragEvent) => void,
  { possible = () => true, signal }: Drop = {},
): void {
  const over = (on: boolean) => (event: DragEvent) => {
    if (!possible() || !event.dataTransfer?.types.includes(type)) return;
    event.preventDefault();
    target.classList.toggle("drop-target", on);
  };
  target.addEventListener("dragover", over(true), { signal });
  target.addEventListener("dragleave", over(false), { signal });
  target.addEventListener(
    "drop",
    (event) => {
      over(false)(event);
      const data = event.dataTransfer;
      if (possible() && data?.types.includes(type)) take(data, event);
    },
    { signal },
  );
}

/** Takes files that are dropped on `target`. */
export function takeDrops(
  target: HTMLElement,
  take: (files: File[], event: DragEvent) => void,
  options: Drop = {},
): void {
  const some = (data: DataTransfer, event: DragEvent): void => {
    if (data.files.length) take([...data.files], event);
  };
  takeType(target, "Files", some, options);
}

/** Something of this page that can be dragged: `of` returns what a drop on it takes. */
export function dragged(element: HTMLElement, type: string, of: () => string): void {
  element.draggable = true;
  element.addEventListener("dragstart", (event) => event.dataTransfer?.setData(type, of()));
}

/** Takes what `dragged` gives to a drag of this type. */
export function takeDragged(
  target: HTMLElement,
  type: string,
  take: (text: string, event: DragEvent) => void,
  options: Drop = {},
): void {
  takeType(target, type, (data, event) => take(data.getData(type), event), options);
}

/** True for a file with a model or a motion. */
export const isModel = (file: File): boolean => /\.(glb|gltf)$/i.test(file.name);

/** A button that asks for files. */
export function fileButton(
  text: string,
  about: { title?: string; accept?: string; multiple?: boolean; class?: string },
  take: (files: File[]) => void,
): HTMLElement {
  const input = h("input", {
    type: "file",
    hidden: true,
    ...(about.accept ? { accept: about.accept } : {}),
    multiple: about.multiple ?? false,
    onchange: () => {
      const files = [...(input.files ?? [])];
      input.value = "";
      if (files.length) take(files);
    },
  });
  const onclick = (): void => input.click();
  return h(
    "span",
    null,
    input,
    h("button", { type: "button", class: about.class ?? "button small", title: about.title ?? text, onclick }, text),
  );
}
