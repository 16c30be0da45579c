// Pictures and sounds: replaced by a file that is dropped or chosen.

import type { App } from "../app";
import { h } from "../dom";
import { base64 } from "./edits";

/** A button that replaces a picture or a sound, and takes a file that is dropped on `target`. */
export function replacer(
  app: App,
  file: { path: string },
  kind: "picture" | "sound",
  member: string,
  target: HTMLElement,
): HTMLElement | null {
  if (!app.edits?.possible) return null;
  const accept = kind === "picture" ? "image/png" : "audio/wav,.wav";
  const take = async (chosen: File | null | undefined): Promise<void> => {
    if (!chosen) return;
    await app.edits?.make({ do: kind, file: file.path, member, bytes: await base64(chosen) });
  };
  const input = h("input", {
    type: "file",
    accept,
    hidden: true,
    onchange: () => {
      void take(input.files?.[0]);
      input.value = "";
    },
  });
  const over = (on: boolean) => (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    target.classList.toggle("drop-target", on);
  };
  target.addEventListener("dragover", over(true));
  target.addEventListener("dragleave", over(false));
  target.addEventListener("drop", (event) => {
    over(false)(event);
    void take(event.dataTransfer?.files[0]);
  });
  const what = kind === "picture" ? "a PNG" : "a WAV";
  return h(
    "span",
    null,
    input,
    h(
      "button",
      {
        type: "button",
        class: "button small",
        title: `Replace it with ${what}; dropping one here does the same`,
        onclick: () => input.click(),
      },
      "Replace…",
    ),
  );
}
