// Pictures and sounds: replaced by a file that is dropped or chosen.

import type { App } from "../app";
import { base64 } from "./edits";
import { fileButton, takeDrops } from "./pick";

/** A button that replaces a picture or a sound, and takes a file that is dropped on `target`. */
export function replacer(
  app: App,
  file: { path: string },
  kind: "picture" | "sound",
  member: string,
  target: HTMLElement,
): HTMLElement | null {
  if (!app.edits?.possible) return null;
  const take = async ([chosen]: File[]): Promise<void> => {
    await app.edits?.make({ do: kind, file: file.path, member, bytes: await base64(chosen) });
  };
  takeDrops(target, (files) => void take(files));
  const what = kind === "picture" ? "a PNG" : "a WAV";
  return fileButton(
    "Replace…",
    {
      accept: kind === "picture" ? "image/png" : "audio/wav,.wav",
      title: `Replace it with ${what}; dropping one here does the same`,
    },
    (files) => void take(files),
  );
}
