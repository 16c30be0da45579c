// The loaded scenes, and lookups by name in them.

import type { App } from "./app";
import { isDifference, Node, patchScene, readScene, type PackedScene } from "./scene/packed";
import type { FileInfo } from "./source";

/** The last scenes of some files: shown again at once, and what the next ones are made of by their differences. */
const cache = new Map<number, { version: number; scene: Promise<PackedScene> }>();
/** What was loaded may have changed on disk. */
export const doubtScenes = (): void => cache.forEach((known) => (known.version = -1));
/** Other files have the same numbers. */
export const forgetScenes = (): void => cache.clear();
export function load(app: App, file: Pick<FileInfo, "number">, status: (text: string) => void): Promise<PackedScene> {
  const { number } = file;
  const { version } = app.opened;
  const known = cache.get(number);
  if (known?.version === version) return known.scene;
  const ask = async (before: PackedScene | null): Promise<PackedScene> => {
    const data = await app.source.scene(
      number,
      (done, total) =>
        status(`Loading the scene: ${(done / 1e6).toFixed(1)}${total ? ` of ${(total / 1e6).toFixed(1)}` : ""} MB`),
      undefined,
      before?.header.version,
    );
    if (!before || !isDifference(data)) return readScene(data);
    return patchScene(before, data);
  };
  // One after the other: each difference is one from the last scene.
  const scene = (known?.scene ?? Promise.resolve(null)).catch(() => null).then(ask);
  if (!known && cache.size > 3) cache.clear();
  const mine = { version, scene };
  cache.set(number, mine);
  scene.catch(() => {
    if (cache.get(number) === mine) cache.delete(number);
  });
  return scene;
}

/** Formats whose files are scenes. */
export const isScene = (format: string | null | undefined): boolean =>
  ["gamez", "planes", "mechlib"].includes(format ?? "");

/** Texture names occur with and without a file extension. */
const stem = (name: string): string => name.toLowerCase().replace(/\.[a-z]{3}$/, "");

/** The rows of the nodes that show a texture, without further copies of a node. */
export function nodesWith(scene: PackedScene, texture: string): number[] {
  const { header, node } = scene;
  const wanted = stem(texture);
  const has = (name: string | null | undefined): boolean => !!name && stem(name) === wanted;
  const materials = new Set(
    header.materials.flatMap((each, n) => (has(each.texture) || each.cycle?.textures.some(has) ? [n] : [])),
  );
  const shapes = new Set(
    header.shapes.flatMap((each, n) => (each.parts.some((part) => materials.has(part.material)) ? [n] : [])),
  );
  const seen = new Set<number>();
  const rows: number[] = [];
  for (let row = 0; row < scene.nodes; row++) {
    const index = node[row * Node.Size + Node.Index];
    if (!shapes.has(node[row * Node.Size + Node.Shape]) || (index >= 0 && seen.has(index))) continue;
    seen.add(index);
    rows.push(row);
  }
  return rows;
}

/** The appearance of a material: its texture, or its colour. */
export function materialName(scene: PackedScene, index: number): string {
  const material = scene.header.materials.find((each) => each.index === index);
  if (!material || material.missing) return "";
  const texture = material.texture ?? material.cycle?.textures[0];
  return texture ?? `colour ${(material.color ?? [255, 255, 255]).map(Math.round).join(", ")}`;
}
