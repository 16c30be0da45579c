// Files that a person gives to the page: dropped on something, or chosen with a button.

import { h } from "../dom";

interface Drop {
  /** False while nothing can be taken. */
  possible?: () => boolean;
  signal?: AbortSignal;
}

/** Takes files that are dropped on `target`, and marks it while they are over it. */
export function takeDrops(
  target: HTMLElement,
  take: (files: File[], event: DragEvent) => void,
  { possible = () => true, signal }: Drop = {},
): void {
  const over = (on: boolean) => (event: DragEvent) => {
    if (!possible() || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    target.classList.toggle("drop-target", on);
  };
  target.addEventListener("dragover", over(true), { signal });
  target.addEventListener("dragleave", over(false), { signal });
  target.addEventListener(
    "drop",
    (event) => {
      over(false)(event);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (possible() && files.length) take(files, event);
    },
    { signal },
  );
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
