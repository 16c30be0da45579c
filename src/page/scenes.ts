// The loaded scenes, and lookups by name in them.

import type { App } from "./app";
import { Node, readScene, type PackedScene } from "./scene/packed";
import type { FileInfo } from "./source";

/** Cached scenes, so that a model of a world is shown at once. */
const cache = new Map<string, Promise<PackedScene>>();
export const forgetScenes = (): void => cache.clear();
/** `before` is an earlier state of the same scene: what did not change is not loaded again. */
export function load(
  app: App,
  file: Pick<FileInfo, "number">,
  status: (text: string) => void,
  before?: PackedScene,
): Promise<PackedScene> {
  const key = `${file.number}:${app.opened.version}`;
  let scene = cache.get(key);
  if (!scene) {
    const progress = (done: number, total: number | null): void =>
      status(`Loading the scene: ${(done / 1e6).toFixed(1)}${total ? ` of ${(total / 1e6).toFixed(1)}` : ""} MB`);
    scene = app.source
      .scene(file.number, before ? undefined : progress, undefined, before?.header.shapes_sum)
      .then((data) => readScene(data, before));
    if (cache.size > 3) cache.clear();
    cache.set(key, scene);
    scene.catch(() => cache.delete(key));
  }
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
