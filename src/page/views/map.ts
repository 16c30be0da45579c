// The map of a mission as lines: seen from above, north at the top.

import type { App, View } from "../app";
import { count, h, plural, short } from "../dom";
import { rows } from "../inspect";
import type { FileInfo, Part } from "../source";

interface Feature {
  color?: [number, number, number];
  objective?: number;
  points?: number[][];
}

interface MapDocument {
  min?: number[];
  max?: number[];
  features?: Feature[];
}

const SVG = "http://www.w3.org/2000/svg";

export async function mapView(app: App, file: FileInfo, parts: Part[]): Promise<View> {
  const part =
    parts.find((each) => each.document === "zmap") ??
    parts.find((each) => each.kind === "json" && each.path !== "refit.json");
  if (!part) return { element: h("p", { class: "pad quiet" }, "This file has no map.") };
  const map = JSON.parse(await (await app.source.part(file.number, part.path)).text()) as MapDocument;
  const features = (map.features ?? []).filter((each) => each.points?.length);
  const points = features.flatMap((each) => each.points ?? []).filter((point) => point.every(Number.isFinite));
  if (points.length < 2)
    return {
      element: h(
        "p",
        { class: "pad quiet" },
        `This map has ${plural(points.length, "point")}: there is no line to draw.`,
      ),
    };
  const range = (k: number): [number, number] =>
    points.reduce<[number, number]>(
      ([low, high], point) => [Math.min(low, point[k]), Math.max(high, point[k])],
      [Infinity, -Infinity],
    );
  const [x, z] = [range(0), range(2)];
  const [width, depth] = [Math.max(1, x[1] - x[0]), Math.max(1, z[1] - z[0])];
  const margin = Math.max(width, depth) * 0.03;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "map");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `map of ${file.path}`);
  svg.setAttribute("viewBox", [x[0] - margin, z[0] - margin, width + 2 * margin, depth + 2 * margin].join(" "));
  for (const [n, feature] of features.entries()) {
    const line = document.createElementNS(SVG, "polyline");
    line.setAttribute("points", (feature.points ?? []).map((point) => `${point[0]},${point[2]}`).join(" "));
    const [r, g, b] = feature.color ?? [128, 128, 128];
    line.style.stroke = `rgb(${r}, ${g}, ${b})`;
    if (feature.objective) line.setAttribute("class", "objective");
    const title = document.createElementNS(SVG, "title");
    title.textContent = `feature ${n}, ${feature.points?.length ?? 0} points`;
    line.append(title);
    svg.append(line);
  }
  app.inspect({
    title: file.path.slice(file.path.lastIndexOf("/") + 1),
    kind: "map",
    sections: [
      {
        title: "Map",
        body: rows([
          ["Features", count(features.length)],
          ["Points", count(points.length)],
          ["x", `${short(x[0], 1)} to ${short(x[1], 1)} m`],
          ["z", `${short(z[0], 1)} to ${short(z[1], 1)} m`],
          ["Document", h("a", { href: app.href({ file: file.path, view: "contents", part: part.path }) }, part.path)],
        ]),
      },
    ],
  });
  return {
    element: h(
      "div",
      { class: "stage map-stage", tabIndex: 0, role: "region", "aria-label": "Map" },
      svg as unknown as HTMLElement,
    ),
  };
}
