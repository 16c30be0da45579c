// Pictures, sounds and motions: replaced by a file that is dropped or chosen.

import type { App } from "../app";
import { baseName, checkbox, h } from "../dom";
import type { FileInfo } from "../source";
import { base64 } from "./edits";
import { fileButton, isModel, takeDrops } from "./pick";

/** The member of a file that a picture of its tree shows. */
export function pictureMember(file: { format?: string | null }, part: string): string {
  const name = baseName(part);
  if (file.format === "pbo")
    return part
      .replace(/^files\//, "")
      .replace(/\.png$/, ".paa")
      .replaceAll("/", "\\");
  if (file.format === "rof") return part;
  if (file.format === "paa") return "level0.png";
  return file.format === "livery" ? name : name.replace(/\.png$/, "");
}

/** A button that replaces a picture or a sound, and takes a file that is dropped on `target`. */
export function replacer(
  app: App,
  file: { path: string; format?: string | null },
  kind: "picture" | "sound",
  member: string,
  target: HTMLElement,
): HTMLElement | null {
  if (!app.edits?.possible) return null;
  const isOfFamily = file.format === "textures" || file.format === "sounds";
  let everywhere = false;
  const take = async ([chosen]: File[]): Promise<void> => {
    const bytes = await base64(chosen);
    await app.edits?.make({ do: kind, file: file.path, member, bytes, ...(everywhere ? { everywhere } : {}) });
  };
  takeDrops(target, (files) => void take(files));
  const what = kind === "picture" ? "a PNG" : "a WAV";
  return h(
    "span",
    { class: "inline" },
    fileButton(
      "Replace…",
      {
        accept: kind === "picture" ? "image/png" : "audio/wav,.wav",
        title: `Replace it with ${what}; dropping one here does the same`,
      },
      (files) => void take(files),
    ),
    isOfFamily &&
      checkbox(kind === "picture" ? "in all packages" : "in all banks", false, (on) => {
        everywhere = on;
      }),
  );
}

/**
 * A button that replaces a motion by a glTF file, or adds one that is called like the file; it takes files that are
 * dropped on `target`, too.
 */
export function motionTaker(
  app: App,
  file: FileInfo,
  member: string | null,
  target: HTMLElement,
  goTo: (name: string) => void = () => undefined,
): HTMLElement | null {
  if (!app.edits?.possible || file.format !== "motion") return null;
  const take = async (files: File[]): Promise<void> => {
    const chosen = files.find(isModel);
    if (!chosen) return app.fail("Nothing was changed", new Error("a motion is a .glb or .gltf file"));
    const name = member ?? chosen.name.replace(/\.[^.]*$/, "");
    const bytes = await base64(chosen);
    if (await app.edits?.make({ do: "gltf", file: file.path, member: name, name: chosen.name, bytes })) goTo(name);
  };
  takeDrops(target, (files) => void take(files));
  return fileButton(
    member ? "Replace…" : "Add a motion…",
    {
      accept: ".glb,.gltf",
      title: member
        ? "Replaces it with the animation of a .glb or .gltf file; dropping one here does the same"
        : "Adds the animation of a .glb or .gltf file, named like the file; dropping one here does the same",
    },
    (files) => void take(files),
  );
}
