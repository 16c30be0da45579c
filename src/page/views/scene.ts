// The view of a world or model: the canvas, its options, the tree of nodes, and the inspector of a node.

import type { App, View } from "../app";
import {
  baseName,
  checkbox,
  count,
  debounce,
  download,
  fill,
  h,
  icon,
  iconButton,
  labelled,
  plural,
  select,
  short,
  withBar,
} from "../dom";
import { blenderButton, memberOf } from "../edit/blender";
import { dragRow, putBelow } from "../edit/below";
import { Handles, type Handle } from "../edit/handles";
import { modelsForm, objectForm, takeModels } from "../edit/objects";
import { movement, Preview } from "../edit/preview";
import { makeSeveral, moves, severalForm, type Several } from "../edit/several";
import { nextName, nodeForm, nodeReference } from "../edit/world";
import { actionsOf, explainLater, findingItem, inspectName, refsBody, rows } from "../inspect";
import { findAt, parseJson, summary } from "../json";
import { bind } from "../keys";
import type { Route } from "../route";
import { flagNames, Node, placeOf, shapeAlone, shapeKey, Soils, type PackedScene } from "../scene/packed";
import { BY_DISTANCE, hasSameRows, numberedCss, SceneRenderer, type Mode } from "../scene/renderer";
import { Vector3 } from "three";
import { forgetScenes, load } from "../scenes";
import type { FileInfo, Motion } from "../source";
import { VirtualList, type Choice } from "../virtual";

const MODES: [Mode, string][] = [
  ["textures", "Textures"],
  ["wireframe", "Wireframe"],
  ["vertex", "Vertex colours"],
  ["soil", "Soil"],
  ["zones", "Zones"],
  ["cells", "Cells"],
  ["lod", "Levels of detail"],
  ["flags", "Flags"],
  ["changed", "Changes"],
];

declare global {
  interface Window {
    /** For tests: the renderer on the screen. */
    refitScene?: SceneRenderer;
  }
}

/** The camera position in each file. */
const cameras = new Map<string, string>();

/** The objects that are selected together in a file, by their references: they are selected again after an edit. */
const together = new Map<string, string[]>();

export async function sceneView(app: App, file: FileInfo, route: Route, status: (text: string) => void): Promise<View> {
  return canvasView(app, file, await load(app, file, status), route);
}

/** The list of shapes of a scene, and one of them alone. */
export async function modelsView(
  app: App,
  file: FileInfo,
  route: Route,
  status: (text: string) => void,
): Promise<View> {
  const scene = await load(app, file, status);
  const shapes = scene.header.shapes.map((shape, n) => ({ shape, n }));
  const uses = new Int32Array(shapes.length);
  for (let row = 0; row < scene.nodes; row++) {
    const shape = scene.node[row * Node.Size + Node.Shape];
    if (shape >= 0) uses[shape]++;
  }
  const host = h("div", { class: "part-host" });
  let inner: View | null = null;
  const list = new VirtualList<(typeof shapes)[number]>({
    label: "Models",
    rowHeight: 24,
    render: (row, { shape, n }) => {
      row.append(
        icon("model"),
        h(
          "span",
          { class: "grow ellipsis", title: shape.name },
          h("span", { class: "quiet" }, `${shape.model ?? shape.mech ?? ""} `),
          shape.name,
        ),
        h(
          "span",
          {
            class: "quiet number",
            title: `${plural(shape.polygons ?? 0, "polygon")}, used by ${plural(uses[n], "node")}`,
          },
          `${count(shape.polygons ?? 0)} × ${uses[n]}`,
        ),
      );
    },
    onselect: ({ shape }) => app.go({ file: file.path, view: "models", name: shapeKey(shape) }),
    empty: "No model has this name.",
  });
  const search = h("input", {
    type: "search",
    placeholder: `Filter ${plural(shapes.length, "model")}`,
    "aria-label": "Filter models",
    oninput: () => filter(),
  });
  const filter = (): void => {
    const text = search.value.toLowerCase();
    list.set(shapes.filter(({ shape }) => `${shapeKey(shape)} ${shape.name}`.toLowerCase().includes(text)));
  };
  filter();
  const show = (to: Route): void => {
    if (!shapes.length) {
      fill(host, h("p", { class: "pad quiet" }, "This scene has no models."));
      return;
    }
    const wanted =
      shapes.find(({ shape }) => shapeKey(shape) === to.name) ??
      shapes.find(({ shape }) => shape.name === to.name) ??
      shapes[0];
    inner?.dispose?.();
    const index = list.items.indexOf(wanted);
    list.select(index);
    if (index >= 0) list.reveal(index);
    const { shape, n } = wanted;
    const vertices = new Set<number>();
    let triangles = 0;
    for (const part of shape.parts) {
      triangles += part.count / 3;
      for (let i = part.first; i < part.first + part.count; i++) vertices.add(scene.index[i]);
    }
    inner = canvasView(app, file, shapeAlone(scene, n), { ...to, node: undefined, name: undefined }, true);
    fill(host, inner.element);
    const users: HTMLElement[] = [];
    for (let row = 0; row < scene.nodes && users.length < 40; row++) {
      if (scene.node[row * Node.Size + Node.Shape] === n) {
        users.push(
          h(
            "li",
            null,
            h(
              "a",
              { class: "place", href: app.href({ file: file.path, view: "scene", node: String(row) }) },
              scene.header.nodes.names[row] || `node ${row}`,
            ),
          ),
        );
      }
    }
    app.inspect({
      title: shape.name || `model ${shapeKey(shape)}`,
      kind: "model",
      sections: [
        {
          title: "Model",
          body: h(
            "div",
            null,
            h("div", { class: "actions" }, blenderButton(app, file, memberOf(shape))),
            rows([
              ["Number", shape.model === undefined ? "" : String(shape.model)],
              ["'Mech", shape.mech],
              [
                "Turns to the camera",
                shape.facade ? (shape.facade === "spherical" ? "in all directions" : `about ${shape.facade}`) : "",
              ],
              ["Polygons", count(shape.polygons ?? 0)],
              ["Triangles", count(triangles)],
              ["Vertices", count(shape.vertices ?? vertices.size)],
              ["Materials", count(new Set(shape.parts.map((part) => part.material)).size)],
              ["Size", `${[0, 1, 2].map((k) => short(shape.box[k + 3] - shape.box[k], 2)).join(" × ")} m`],
              ["Notes", (shape.notes ?? []).join("; ")],
            ]),
          ),
        },
        {
          title: "Materials",
          body: materialList(
            app,
            scene,
            shape.parts.map((part) => part.material),
          ),
        },
        { title: `Nodes that use it (${count(uses[n])})`, body: h("ul", { class: "places" }, users) },
        ...(shape.document ? [{ title: "Document", body: documentBody(app, file, shape.document) }] : []),
      ],
    });
  };
  show(route);
  return {
    element: h("div", { class: "split" }, withBar("parts-list", [search], list.element, list.emptyMessage), host),
    goTo: (to) => {
      show(to);
      return true;
    },
    dispose: () => inner?.dispose?.(),
  };
}

function materialList(app: App, scene: PackedScene, numbers: number[]): HTMLElement {
  return h(
    "ul",
    { class: "places" },
    [...new Set(numbers)].map((n) => {
      const material = scene.header.materials[n];
      if (!material) return null;
      const colour = material.color ?? [255, 255, 255];
      const swatch = h("span", { class: "swatch" });
      swatch.style.background = `rgb(${colour[0]}, ${colour[1]}, ${colour[2]})`;
      const facts = [
        material.two_sided && "two-sided",
        (material.alpha ?? 255) < 255 && `alpha ${material.alpha}`,
        material.cycle && `cycle of ${material.cycle.textures.length}`,
        material.scroll && (material.scroll[0] || material.scroll[1]) && "scrolls",
        material.soil ? `soil ${material.soil}` : "",
      ]
        .filter(Boolean)
        .join(", ");
      const name = material.texture ?? material.cycle?.textures[0];
      return h(
        "li",
        null,
        swatch,
        h("span", { class: "quiet" }, `${material.index} `),
        name
          ? h("button", { type: "button", class: "link", onclick: () => inspectName(app, "texture", name) }, name)
          : "no texture",
        facts && h("small", { class: "quiet" }, ` ${facts}`),
      );
    }),
  );
}

function documentBody(app: App, file: FileInfo, path: string, at?: string): HTMLElement {
  return h(
    "div",
    null,
    h(
      "a",
      { class: "place", href: app.href({ file: file.path, view: "contents", part: path, at }) },
      h("b", null, path),
      at ? h("small", null, at) : null,
    ),
    explainLater(app, file.number, path, at),
  );
}

/** The children of each row; those of -1 are the roots. */
function childrenOf(scene: PackedScene): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (let row = 0; row < scene.nodes; row++) {
    const parent = scene.node[row * Node.Size + Node.Parent];
    const list = children.get(parent);
    if (list) list.push(row);
    else children.set(parent, [row]);
  }
  return children;
}

/** What the bar and the options of a scene offer, which are made once. */
function offers(scene: PackedScene): string {
  const { header, node } = scene;
  const levels = new Set<number>();
  let flags = 0;
  const roots: string[] = [];
  for (let row = 0; row < scene.nodes; row++) {
    levels.add(node[row * Node.Size + Node.Lod]);
    flags |= node[row * Node.Size + Node.Flags];
    if (node[row * Node.Size + Node.Parent] < 0) roots.push(header.nodes.names[row]);
  }
  const sun = header.lights?.some((light) => light.directional);
  return JSON.stringify([[...levels].sort(), flags, roots, header.world?.fog?.type, sun]);
}

/** For each row of a scene the row of the same node in another state of it, or -1. Nodes keep their index. */
function sameNodes(before: PackedScene, after: PackedScene): Int32Array {
  if (hasSameRows(before, after)) return Int32Array.from({ length: before.nodes }, (_, row) => row);
  // A node with several parents has several rows.
  const rowsOf = (scene: PackedScene): Map<number, number[]> => {
    const all = new Map<number, number[]>();
    for (let row = 0; row < scene.nodes; row++) {
      const index = scene.node[row * Node.Size + Node.Index];
      const rows = all.get(index);
      if (rows) rows.push(row);
      else all.set(index, [row]);
    }
    return all;
  };
  const now = rowsOf(after);
  const out = new Int32Array(before.nodes).fill(-1);
  for (const [index, rows] of rowsOf(before)) rows.forEach((row, n) => (out[row] = now.get(index)?.[n] ?? -1));
  return out;
}

function canvasView(app: App, file: FileInfo, shown: PackedScene, route: Route, alone = false): View {
  /** The scene; after an edit its next state. */
  let scene = shown;
  const hud = h("div", { class: "hud", role: "status" }, "Loading textures");
  const overlay = h("div", { class: "overlay", hidden: true });
  const legend = h("div", { class: "legend", hidden: true });
  const viewport = h("div", { class: "viewport" }, legend, hud, overlay);
  let gone = false;
  const ending = new AbortController();
  const { signal } = ending;
  let three: SceneRenderer;
  try {
    three = new SceneRenderer(scene, app.source, file.number);
  } catch (error) {
    return {
      element: h(
        "div",
        { class: "pad" },
        h("h2", null, "The scene cannot be drawn"),
        h("p", null, error instanceof Error ? error.message : String(error)),
        h("p", { class: "quiet" }, "The page needs WebGL 2. Turn on hardware acceleration in the browser's settings."),
      ),
    };
  }
  window.refitScene = three;
  const { canvas } = three;
  three.show(viewport, `${alone ? "Model" : "Scene"} of ${file.path}. Drag to turn, wheel to zoom, W A S D to move.`);
  let { names, kinds } = scene.header.nodes;
  let soil = new Soils(scene.header.materials);
  const at = (row: number, column: number): number => scene.node[row * Node.Size + column];
  const nameOfRow = (row: number): string => names[row] || `(no name) ${at(row, Node.Index)}`;
  let selected = -1;
  /** All that are selected; the last one is `selected`. */
  let chosen: number[] = [];

  const backdrop = (): void => {
    const text = getComputedStyle(document.documentElement).getPropertyValue("--viewport").trim();
    const match = /^#(..)(..)(..)$/.exec(text);
    const fog = fogOn ? scene.header.world?.fog?.color : null;
    if (fog) three.setBackground([fog[0] / 255, fog[1] / 255, fog[2] / 255]);
    else if (match) three.setBackground([1, 2, 3].map((n) => parseInt(match[n], 16) / 255) as [number, number, number]);
  };
  let fogOn = false;

  three.onlost = () => {
    overlay.hidden = false;
    fill(
      overlay,
      h("p", null, "The browser lost the graphics card."),
      h("button", { type: "button", class: "button", onclick: () => app.tell("reload") }, "Draw again"),
    );
  };
  three.onframe = () => {
    const s = three.stats;
    const waiting = s.textures - s.texturesLoaded - s.texturesMissing;
    if (!s.objects) {
      hud.textContent = "";
      if (overlay.hidden) {
        overlay.hidden = false;
        fill(
          overlay,
          h("p", null, "No node of this file has a model, so there is nothing to draw."),
          h("p", { class: "quiet" }, "Its nodes are at the left, its documents in Contents."),
        );
      }
    } else
      hud.textContent = [
        `${count(s.visible)} of ${plural(s.objects, "object")}`,
        plural(s.triangles, "triangle"),
        plural(s.drawCalls, "draw call"),
        s.textures
          ? waiting
            ? `textures ${s.texturesLoaded} of ${s.textures}`
            : `${plural(s.texturesLoaded, "texture")}${s.texturesMissing ? `, ${s.texturesMissing} missing` : ""}`
          : "",
      ]
        .filter(Boolean)
        .join(" · ");
    saveCamera();
  };

  // Camera in the address
  let restored = false;
  /** Changes the address, unless it is already that of another place, which is about to be shown. */
  const keep = (change: Partial<Route>): void => {
    const { file: path, view = "scene" } = app.route;
    if (!gone && path === file.path && ["scene", "models"].includes(view)) app.replace(change);
  };
  const saveCamera = debounce(350, () => {
    if (gone || !restored || app.route.file !== file.path) return;
    const cam = three.view.toString();
    if (!alone) cameras.set(file.path, cam);
    keep({ cam });
  });
  three.home();
  const cam = route.cam ?? (alone ? undefined : cameras.get(file.path));
  if (cam) three.view.restore(cam);

  // Tree of nodes
  let children = childrenOf(scene);
  // Expand nodes without a sibling that has children: a world next to its camera, the hip of a 'mech.
  const open = new Set<number>();
  const branches = (row: number): number[] => (children.get(row) ?? []).filter((child) => children.has(child));
  for (let next = branches(-1); next.length === 1; next = branches(next[0])) open.add(next[0]);
  let query = "";
  interface Row {
    row: number;
    depth: number;
  }
  const flatten = (): Row[] => {
    const out: Row[] = [];
    if (query) {
      for (let row = 0; row < scene.nodes; row++)
        if (names[row].toLowerCase().includes(query)) out.push({ row, depth: 1 });
      return out;
    }
    const stack: Row[] = (children.get(-1) ?? []).map((row) => ({ row, depth: 1 })).reverse();
    for (let next = stack.pop(); next; next = stack.pop()) {
      out.push(next);
      if (open.has(next.row))
        for (const child of [...(children.get(next.row) ?? [])].reverse())
          stack.push({ row: child, depth: next.depth + 1 });
    }
    return out;
  };
  /** A row of the list is dragged, with all others if it is one of several, onto the row of its new parent. */
  const dragInList = (element: HTMLElement, row: number): void =>
    dragRow(
      element,
      () => (chosen.includes(row) ? movable() : [row]).map(reference),
      (nodes) => {
        const under = reference(row);
        // A row that is let go where it was is no edit.
        if (!nodes.includes(under)) void makeSeveral(app, file, putBelow(nodes, under));
      },
    );

  const tree = new VirtualList<Row>({
    label: "Nodes",
    role: "tree",
    rowHeight: 22,
    render: (element, { row, depth }) => {
      element.style.paddingLeft = `${(depth - 1) * 12 + 4}px`;
      element.setAttribute("aria-level", String(depth));
      const branch = children.has(row) && !query;
      if (branch) element.setAttribute("aria-expanded", String(open.has(row)));
      if (!alone && file.format === "gamez" && app.edits?.possible) dragInList(element, row);
      const hidden = three.hidden.has(row);
      element.classList.toggle("dim", hidden || !three.isVisible(row));
      element.append(
        h("span", {
          class: `twisty ${branch ? (open.has(row) ? "open" : "closed") : ""}`,
          onclick: (event: Event) => {
            if (!branch) return;
            event.stopPropagation();
            toggle(row);
          },
        }),
        h("span", { class: `grow ellipsis ${at(row, Node.Shape) >= 0 ? "" : "quiet"}` }, nameOfRow(row)),
        h(
          "small",
          { class: "quiet" },
          kinds[at(row, Node.Kind)] === "object3d" ? "" : (kinds[at(row, Node.Kind)] ?? ""),
        ),
        h(
          "span",
          {
            class: "eye",
            title: hidden ? "Show" : "Hide",
            onclick: (event: Event) => {
              event.stopPropagation();
              hide(row);
            },
          },
          icon(hidden ? "hidden" : "eye"),
        ),
      );
    },
    onselect: ({ row }, _, how) => extend(row, how),
    marks: ({ row }) => chosen.length > 1 && chosen.includes(row),
    onopen: ({ row }) => three.frameRow(row),
    onkey: (event, item) => {
      if (!item) return false;
      const { row } = item;
      if (event.key === "ArrowRight" && children.has(row) && !open.has(row)) toggle(row);
      else if (event.key === "ArrowLeft" && open.has(row)) toggle(row);
      else if (event.key === "ArrowLeft" && at(row, Node.Parent) >= 0) choose(at(row, Node.Parent), true);
      else return false;
      return true;
    },
    empty: "No node has this name.",
  });
  const toggle = (row: number): void => {
    if (!open.delete(row)) open.add(row);
    tree.set(flatten(), true);
    tree.select(tree.items.findIndex((each) => each.row === selected));
  };
  const showInTree = (row: number): void => {
    if (!query) {
      for (let up = at(row, Node.Parent); up >= 0; up = at(up, Node.Parent)) open.add(up);
      tree.set(flatten(), true);
    }
    const index = tree.items.findIndex((each) => each.row === row);
    tree.select(index);
    if (index >= 0) tree.reveal(index);
  };
  const search = h("input", {
    type: "search",
    placeholder: `Filter ${plural(scene.nodes, "node")}`,
    "aria-label": "Filter nodes",
    oninput: () => {
      query = search.value.trim().toLowerCase();
      tree.set(flatten());
    },
  });
  tree.set(flatten());

  const isMovable = (row: number): boolean => row >= 0 && kinds[at(row, Node.Kind)] === "object3d";
  const handles =
    !alone && app.edits && file.format === "gamez"
      ? new Handles(
          three,
          (motions) => makeSeveral(app, file, moves(several(motions.map(([row]) => row)), motions)),
          signal,
        )
      : null;
  /** The selected objects that can be moved, without those below another selected one. */
  const movable = (): number[] => {
    if (!app.edits?.possible) return [];
    const all = chosen.filter(isMovable);
    return all.filter((row) => !all.some((other) => other !== row && three.within(row, other)));
  };
  const attach = (): void => handles?.attach(movable());
  const reference = (row: number): string => nodeReference(names[row], at(row, Node.Index), names);
  const rowOf = (reference_: string): number => {
    const index = /^#(\d+)$/.exec(reference_)?.[1];
    if (index === undefined) return names.indexOf(reference_);
    for (let row = 0; row < scene.nodes; row++) if (at(row, Node.Index) === Number(index)) return row;
    return -1;
  };

  /** Selects a row alone, besides the others, or with all from the last one on. */
  const extend = (row: number, how: Choice, reveal = false): void => {
    if (how === "one" || alone || selected < 0 || row < 0) return choose(row, reveal);
    let rows: number[];
    if (how === "toggle") rows = chosen.includes(row) ? chosen.filter((each) => each !== row) : [...chosen, row];
    else {
      const place = (each: number): number => tree.items.findIndex((item) => item.row === each);
      const [from, to] = [place(chosen[0]), place(row)];
      if (from < 0 || to < 0) return choose(row, false);
      const between = tree.items.slice(Math.min(from, to), Math.max(from, to) + 1).map((item) => item.row);
      rows = from <= to ? between : between.reverse();
    }
    if (rows.length < 2) return choose(rows[0] ?? -1, reveal);
    chooseAll(rows, reveal);
  };
  const chooseAll = (rows: number[], reveal = true): void => {
    chosen = rows;
    selected = rows[rows.length - 1];
    three.select(...rows);
    attach();
    together.set(file.path, rows.map(reference));
    keep({ node: String(selected), name: undefined });
    if (reveal) showInTree(selected);
    else tree.select(tree.items.findIndex((each) => each.row === selected));
    tree.refresh();
    inspectSeveral();
  };

  const choose = (row: number, reveal = true): void => {
    const wereSeveral = chosen.length > 1;
    selected = row;
    chosen = row >= 0 ? [row] : [];
    if (!alone) together.delete(file.path);
    if (wereSeveral) tree.refresh();
    three.select(row);
    attach();
    keep({ node: row >= 0 ? String(row) : undefined, name: undefined });
    if (row < 0) {
      tree.select(-1);
      inspectScene();
      return;
    }
    if (reveal) showInTree(row);
    inspectNode(row);
  };
  const hide = (row: number): void => {
    if (row < 0) return;
    three.setHidden(row, !three.hidden.has(row));
    tree.refresh();
  };
  const isolate = (): void => {
    three.isolate(three.isIsolated ? -1 : selected);
    tree.refresh();
  };

  const cellName = (cell: number): string => {
    const columns = scene.header.world?.cells?.[0] || 1;
    return `column ${cell % columns}, row ${Math.floor(cell / columns)}`;
  };

  /** Where the view looks, on what is there. */
  const ahead = (): [number, number, number] => {
    const { x, y, z } = three.view.pivot;
    const ground = three.heightBelow(x, y + 1e4, z, -1) ?? y;
    return [x, ground, z].map((n) => Number(n.toFixed(2))) as [number, number, number];
  };
  if (!alone && file.format === "gamez")
    takeModels(
      app,
      file.path,
      viewport,
      (shape, at) => void putModel(shape, at),
      (x, y) => {
        const rect = canvas.getBoundingClientRect();
        const hit = three.pick(x - rect.left, y - rect.top);
        return hit ? (hit.point.map((n) => Number(n.toFixed(2))) as [number, number, number]) : ahead();
      },
      signal,
    );

  /** Copies a node with a model to a place, directly into the world: one without children, if there is one. */
  const putModel = async (shape: number, to: [number, number, number]): Promise<void> => {
    const world = kinds.length ? rowOfKind("world") : -1;
    const row = shownBy()[shape];
    if (row === undefined || world < 0) return;
    const name = nextName(names[row], names);
    const change = { do: "copy" as const, node: reference(row), under: reference(world), name, motion: { at: to } };
    if (await app.edits?.make({ do: "world", file: file.path, change }))
      app.go({ file: file.path, view: "scene", name });
  };
  const rowOfKind = (kind: string): number => {
    for (let row = 0; row < scene.nodes; row++) if (kinds[at(row, Node.Kind)] === kind) return row;
    return -1;
  };
  /** For each shape, the node whose copy shows it: one without children, if there is one. */
  const shownBy = (): (number | undefined)[] => {
    const rows: (number | undefined)[] = [];
    for (let row = 0; row < scene.nodes; row++) {
      const shape = at(row, Node.Shape);
      if (shape < 0 || kinds[at(row, Node.Kind)] !== "object3d") continue;
      const known = rows[shape];
      if (known === undefined || (children.has(known) && !children.has(row))) rows[shape] = row;
    }
    return rows;
  };

  const inspectScene = (): void => {
    if (alone) return;
    const kindsCount = new Map<string, number>();
    for (let row = 0; row < scene.nodes; row++) {
      const kind = kinds[at(row, Node.Kind)] ?? "other";
      kindsCount.set(kind, (kindsCount.get(kind) ?? 0) + 1);
    }
    const world = scene.header.world;
    const notes = h("div", null);
    const unlit = scene.header.lights?.filter((light) => !light.directional).length ?? 0;
    const left = [
      ...(scene.header.notes ?? []),
      ...(unlit
        ? [plural(unlit, "light that does not come from one direction", "lights that do not come from one direction")]
        : []),
      ...(world?.fog?.type === "EXPONENTIAL" ? ["exponential fog"] : []),
    ];
    const missing = (): void => {
      const list = three.textures.missing;
      fill(
        notes,
        list.length > 0 &&
          h(
            "details",
            { open: list.length < 12 },
            h("summary", null, `${plural(list.length, "missing texture")}: shown as flat colour`),
            h(
              "ul",
              { class: "places" },
              list.map((name) =>
                h(
                  "li",
                  null,
                  h(
                    "button",
                    { type: "button", class: "link", onclick: () => inspectName(app, "texture", name) },
                    name,
                  ),
                ),
              ),
            ),
          ),
        left.length > 0 &&
          h(
            "ul",
            { class: "notes" },
            left.map((note) => h("li", null, note)),
          ),
        !list.length &&
          !left.length &&
          h(
            "p",
            { class: "quiet" },
            three.textures.waiting ? "Textures are loading." : "Everything in the file is shown.",
          ),
      );
    };
    missing();
    const wait = window.setInterval(() => {
      missing();
      if (gone || !three.textures.waiting) window.clearInterval(wait);
    }, 500);
    const span = (of: string, [from, to]: number[]): string => `${of} ${short(from, 1)} to ${short(to, 1)}`;
    const ascending = (...values: number[]): number[] => values.sort((a, b) => a - b);
    const area = world?.area;
    const nodeOf = shownBy();
    const added =
      file.format === "gamez"
        ? objectForm(
            app,
            file.path,
            ahead,
            (name) => app.go({ file: file.path, view: "scene", name }),
            modelsForm(
              scene.header.shapes.flatMap((shape, n) =>
                nodeOf[n] === undefined ? [] : [{ shape: n, name: `${shapeKey(shape)} ${shape.name}`.trim() }],
              ),
              (shape) => void putModel(shape, ahead()),
            ),
          )
        : null;
    app.inspect({
      title: scene.header.name || file.path,
      kind: "scene",
      sections: [
        {
          title: "Scene",
          body: h(
            "div",
            null,
            actionsOf(app, file.path),
            rows([
              ["Nodes", count(scene.nodes)],
              ...[...kindsCount].map(([kind, n]) => [`· ${kind}`, count(n)] as [string, string]),
              ["Models", count(scene.header.shapes.length)],
              ["Materials", count(scene.header.materials.length)],
              ["Area", area ? `${span("x", [area[0], area[2]])}, ${span("z", ascending(area[1], area[3]))} m` : ""],
              [
                "Fog",
                world?.fog
                  ? world.fog.type === "OFF"
                    ? "off"
                    : `${span((world.fog.type ?? "").toLowerCase(), world.fog.range)} m`
                  : "none",
              ],
              ["Cells", world?.cells ? `${world.cells[0]} × ${world.cells[1]}` : ""],
              ["Lights", scene.header.lights?.length ? count(scene.header.lights.length) : ""],
            ]),
          ),
        },
        ...(added ? [{ title: "Add objects", body: added }] : []),
        { title: "Not shown", body: notes },
      ],
    });
  };

  /** Where a node would be in its parent if its lowest point were on what is below it. */
  const onGround = (row: number): [number, number, number] | null => {
    const box = three.bounds(row);
    if (!box) return null;
    const [x, z] = [(box.min.x + box.max.x) / 2, (box.min.z + box.max.z) / 2];
    const tall = Math.max(1000, box.max.y - box.min.y);
    const ground = three.heightBelow(x, box.max.y, z, row) ?? three.heightBelow(x, box.max.y + tall, z, row);
    return ground === null ? null : three.inParent(row, ground - box.min.y);
  };

  /** Shows objects as an edit will have them: the answer takes a moment in a large world. */
  const preview = (motions: [number, Motion][]): (() => void) => {
    const shown = new Preview(
      three,
      motions.map(([row]) => row),
    );
    const all = new Map(motions);
    const follow = (): void => {
      three.outlineSelected();
      attach();
    };
    shown.show((row) => {
      const [was, motion] = [shown.was(row), all.get(row)];
      return was && motion ? movement(three, row, was, motion) : null;
    });
    follow();
    return () => {
      if (gone) return;
      shown.back();
      follow();
    };
  };
  /** What the forms of several objects need to know. */
  const several = (rows: number[]): Several => {
    const place = (row: number): Vector3 => new Vector3().fromArray(three.world, row * 16 + 12);
    return {
      rows,
      names,
      name: (row) => names[row],
      index: (row) => at(row, Node.Index),
      scale: (row) => three.scaleOf(row),
      ground: onGround,
      preview,
      moved: (row, by, degrees) => {
        // An edit that was made meanwhile has moved them already.
        const pivot = place(rows[rows.length - 1]);
        const to = place(row)
          .sub(pivot)
          .applyAxisAngle(new Vector3(0, 1, 0), (degrees * Math.PI) / 180);
        return three.placeInParent(row, to.add(pivot).add(new Vector3(...by)));
      },
    };
  };

  const inspectSeveral = (): void => {
    const rows_ = movable();
    const form =
      rows_.length > 0 && !alone && file.format === "gamez"
        ? severalForm(app, file, several(rows_), (references) => {
            // The scene was loaded again meanwhile: another view shows them.
            if (references.length > 1) together.set(file.path, references);
            else together.delete(file.path);
            app.go({ file: file.path, view: "scene", name: references.at(-1) });
          })
        : null;
    app.inspect({
      title: plural(chosen.length, "node"),
      kind: "selection",
      sections: [
        ...(form ? [{ title: "Edit", body: form }] : []),
        {
          title: "Selected",
          body: h(
            "ul",
            { class: "places" },
            chosen
              .slice(0, 100)
              .map((row) =>
                h(
                  "li",
                  null,
                  h("button", { type: "button", class: "link", onclick: () => choose(row) }, nameOfRow(row)),
                ),
              ),
            chosen.length > 100 && h("li", { class: "quiet" }, `and ${chosen.length - 100} more`),
          ),
        },
      ],
    });
  };

  let inspections = 0;
  const inspectNode = (row: number): void => {
    const mine = ++inspections;
    /** Asks what takes the server long, once nobody edits; null if something else is explained by then. */
    const later = async <T>(ask: () => T | Promise<T>): Promise<T | null> => {
      await app.edits?.calm();
      return mine === inspections && !gone ? ask() : null;
    };
    const shape = at(row, Node.Shape);
    const path: HTMLElement[] = [];
    for (let up = at(row, Node.Parent); up >= 0; up = at(up, Node.Parent)) {
      const target = up;
      path.unshift(h("button", { type: "button", class: "link", onclick: () => choose(target) }, nameOfRow(target)));
    }
    const kids = children.get(row) ?? [];
    const m = scene.matrix.subarray(row * 12, row * 12 + 12);
    const w = three.world.subarray(row * 16, row * 16 + 16);
    const scale = [0, 1, 2].map((k) => Math.hypot(m[k * 3], m[k * 3 + 1], m[k * 3 + 2]));
    const place = placeOf(scene, row);
    const index = at(row, Node.Index);
    const name = names[row];
    const zone = at(row, Node.Zone);
    const flags = flagNames(at(row, Node.Flags));
    const actions = h(
      "div",
      { class: "actions" },
      h("button", { type: "button", class: "button small", onclick: () => three.frameRow(row) }, "Frame"),
      h(
        "button",
        { type: "button", class: "button small", onclick: () => hide(row) },
        three.hidden.has(row) ? "Show" : "Hide",
      ),
      h("button", { type: "button", class: "button small", onclick: isolate }, "Isolate"),
      shape >= 0 &&
        !alone &&
        h(
          "a",
          {
            class: "button small",
            href: app.href({ file: file.path, view: "models", name: shapeKey(scene.header.shapes[shape]) }),
          },
          "Model alone",
        ),
      shape >= 0 && !alone && blenderButton(app, file, memberOf(scene.header.shapes[shape])),
    );
    const entry = place
      ? app.source
          .part(file.number, place.document)
          .then((blob) => blob.text())
          .then((text) => {
            const found = findAt(parseJson(text), place.at);
            return h(
              "div",
              null,
              found &&
                rows(
                  found.children
                    .slice(0, 40)
                    .map((child) => [child.key ?? "", child.children.length ? summary(child) : child.value]),
                ),
              documentBody(app, file, place.document, place.at),
            );
          })
      : null;
    const findings = later(() => app.source.fileFindings(file.number)).then((all) => {
      const own = (all?.findings ?? []).filter(
        (finding) =>
          finding.path &&
          ((place && finding.path.startsWith(`${place.document}`) && finding.path.includes(place.at)) ||
            (name && finding.path.includes(name)) ||
            (name && finding.message.includes(`"${name}"`))),
      );
      return own.length
        ? h(
            "div",
            null,
            own.slice(0, 20).map((finding) => findingItem(app, finding)),
          )
        : null;
    });
    const turns = kinds[at(row, Node.Kind)] === "object3d";
    const inParent = turns ? ([m[9], m[10], m[11]] as [number, number, number]) : null;
    const above = at(row, Node.Parent);
    const hasParent = turns || kinds[at(row, Node.Kind)] === "lod";
    const parent = hasParent ? (above >= 0 ? reference(above) : "") : null;
    const facts = {
      name,
      index,
      names,
      parent,
      at: inParent,
      scale: three.scaleOf(row),
      ground: () => onGround(row),
      preview: (motion: Motion) => preview([[row, motion]]),
    };
    const form = nodeForm(app, file, facts, (target, isThere) =>
      app.go({
        file: file.path,
        view: "scene",
        ...(target ? { name: target } : {}),
        ...(isThere ? { cam: three.view.toString() } : {}),
      }),
    );
    app.inspect({
      title: nameOfRow(row),
      kind: kinds[at(row, Node.Kind)] ?? "node",
      sections: [
        ...(form && !alone ? [{ title: "Edit", body: form }] : []),
        {
          title: "Node",
          body: h(
            "div",
            null,
            actions,
            path.length > 0 &&
              h(
                "p",
                { class: "crumbs" },
                path.map((each, n) => [n > 0 && " › ", each]),
              ),
            rows([
              ["Index", String(index)],
              ["Position", `${[w[12], w[13], w[14]].map((n) => short(n, 2)).join(", ")} m`],
              [
                "In its parent",
                at(row, Node.Parent) >= 0 ? `${[m[9], m[10], m[11]].map((n) => short(n, 2)).join(", ")} m` : "",
              ],
              ["Scale", scale.some((n) => Math.abs(n - 1) > 1e-3) ? scale.map((n) => short(n, 3)).join(", ") : ""],
              ["Zone", zone < 0 ? "" : zone === 255 ? "255 (every zone)" : String(zone)],
              [
                "Level of detail",
                at(row, Node.Lod) < 0 ? "" : at(row, Node.Lod) === 0 ? "0 (nearest)" : String(at(row, Node.Lod)),
              ],
              ["Flags", flags.join(", ")],
              ["Cell", scene.cell && scene.cell[row] >= 0 ? cellName(scene.cell[row]) : ""],
              [
                "Drawn",
                scene.range && scene.range[row * 2 + 1] > 0
                  ? `from ${short(scene.range[row * 2], 1)} to ${short(scene.range[row * 2 + 1], 1)} m`
                  : "",
              ],
              [
                "Model",
                shape >= 0 ? `${scene.header.shapes[shape].model ?? ""} ${scene.header.shapes[shape].name}` : "none",
              ],
              ["Children", kids.length ? count(kids.length) : ""],
            ]),
          ),
        },
        ...(kids.length
          ? [
              {
                title: `Children (${count(kids.length)})`,
                body: h(
                  "ul",
                  { class: "places" },
                  kids
                    .slice(0, 50)
                    .map((kid) =>
                      h(
                        "li",
                        null,
                        h("button", { type: "button", class: "link", onclick: () => choose(kid) }, nameOfRow(kid)),
                      ),
                    ),
                ),
              },
            ]
          : []),
        ...(shape >= 0
          ? [
              {
                title: "Materials",
                body: materialList(
                  app,
                  scene,
                  scene.header.shapes[shape].parts.map((part) => part.material),
                ),
              },
            ]
          : []),
        ...(name ? [{ title: "Definitions and uses", body: later(() => refsBody(app, "node", name)) }] : []),
        { title: "Findings", body: findings },
        ...(entry ? [{ title: "Document", body: entry }] : []),
      ],
    });
  };

  // Mouse: a click picks, a drag does not.
  let downAt: [number, number] | null = null;
  canvas.addEventListener(
    "pointerdown",
    (event) => {
      canvas.focus();
      if (event.button === 0 && !handles?.isHeld) downAt = [event.clientX, event.clientY];
    },
    { signal },
  );
  canvas.addEventListener(
    "pointerup",
    (event) => {
      if (!downAt || event.button !== 0) return;
      const moved = Math.hypot(event.clientX - downAt[0], event.clientY - downAt[1]);
      downAt = null;
      if (moved > 4 || alone) return;
      const rect = canvas.getBoundingClientRect();
      const row = three.pick(event.clientX - rect.left, event.clientY - rect.top)?.row ?? -1;
      // A range of the list means nothing in the picture.
      if (event.ctrlKey || event.metaKey || event.shiftKey) {
        if (row >= 0) extend(row, "toggle", true);
      } else choose(row);
    },
    { signal },
  );
  canvas.addEventListener(
    "dblclick",
    () => {
      if (selected >= 0) three.frameRow(selected);
    },
    { signal },
  );

  // Options
  let flag = 0x4;
  const flags = three.flagInUse;
  const flagSelect = select(
    "Flag",
    flags.map(([bit, name]) => [String(bit), name]),
    String(flags.some(([bit]) => bit === 4) ? 4 : (flags[0]?.[0] ?? 4)),
    (value) => {
      flag = Number(value);
      setMode("flags");
    },
  );
  flagSelect.hidden = true;
  const setMode = (mode: Mode): void => {
    flagSelect.hidden = mode !== "flags";
    three.setMode(mode, flag);
    const values = new Set<number>();
    if (mode === "zones" || mode === "lod")
      for (let row = 0; row < scene.nodes; row++)
        if (at(row, Node.Shape) >= 0) values.add(mode === "lod" ? three.levels[row] : at(row, Node.Zone));
    keep({ mode: mode === "textures" ? undefined : mode });
    if (mode === "cells" && scene.header.world?.cells) {
      legend.hidden = false;
      fill(legend, h("span", { class: "legend-item" }, `${scene.header.world.cells.join(" × ")} cells`));
      return;
    }
    if (mode === "soil") for (const material of scene.header.materials) values.add(soil.number(material));
    legend.hidden = values.size === 0;
    fill(
      legend,
      [...values]
        .sort((a, b) => a - b)
        .slice(0, 24)
        .map((n) => {
          const swatch = h("span", { class: "swatch" });
          swatch.style.background = n < 0 || (mode === "zones" && n === 255) ? "#6b7078" : numberedCss(n);
          return h(
            "span",
            { class: "legend-item" },
            swatch,
            mode === "soil"
              ? soil.name(n)
              : mode === "lod"
                ? n < 0
                  ? "no level"
                  : n === 0
                    ? "nearest"
                    : `level ${n}`
                : n < 0 || n === 255
                  ? "every zone"
                  : `zone ${n}`,
          );
        }),
    );
    if (mode === "changed") void markChanges();
  };
  const modes = alone ? MODES.slice(0, 4) : MODES;
  const modeSelect = select<Mode>("What colours show", modes, "textures", setMode);

  /** True once an edit is shown: the camera stays. */
  let isRenewed = false;
  const markChanges = async (): Promise<void> => {
    try {
      const diff = await app.source.diff(file.number);
      const changed = new Set<number>();
      const models = new Set<string>();
      const nodes = new Set<string>();
      for (const part of diff.parts) {
        models.add(part.part);
        // `diff` has all nodes in one list, and identifies them by name or position.
        for (const field of part.part === "nodes.json" ? (part.fields ?? []) : []) {
          const node = /^nodes\[(.+?)\](?:\.|$)/.exec(field.at);
          if (node) nodes.add(node[1].replace(/#\d+$/, ""));
        }
      }
      for (let row = 0; row < scene.nodes; row++) {
        const shape = at(row, Node.Shape);
        const document_ = shape >= 0 ? scene.header.shapes[shape].document : null;
        const own = placeOf(scene, row)?.document;
        if (
          (document_ && models.has(document_)) ||
          nodes.has(names[row]) ||
          nodes.has(String(at(row, Node.Index))) ||
          (own && models.has(own))
        )
          changed.add(row);
      }
      three.setChanged(changed);
      legend.hidden = false;
      const some = [...changed].slice(0, 12);
      fill(
        legend,
        h("span", { class: "legend-item" }, plural(changed.size, "changed node")),
        some.map((row) =>
          h(
            "button",
            {
              type: "button",
              class: "link legend-item",
              onclick: () => {
                choose(row);
                three.frameRow(row);
              },
            },
            nameOfRow(row),
          ),
        ),
      );
      // This mode shows changes: frame them, with some of their surroundings.
      if (!isRenewed && !route.cam && selected < 0 && changed.size && changed.size <= 200) {
        three.frameRows([...changed]);
        three.view.dolly(2.5);
      }
    } catch (error) {
      legend.hidden = false;
      fill(legend, h("span", { class: "legend-item" }, error instanceof Error ? error.message : String(error)));
    }
  };

  const levels = [...new Set(three.levels)].filter((level) => level >= 0).sort((a, b) => a - b);
  const roots = (children.get(-1) ?? []).filter((row) => names[row]);
  const assemblies = !alone && ["mechlib", "planes", "aircraft"].includes(file.format ?? "") && roots.length > 1;
  const far = h("input", {
    type: "range",
    min: "1.7",
    max: "5",
    step: "0.05",
    value: "4",
    "aria-label": "Draw distance",
    oninput: () => {
      three.setDrawDistance(10 ** Number(far.value));
      farText.textContent = `${count(Math.round(10 ** Number(far.value)))} m`;
    },
  });
  far.value = String(Math.log10(three.view.camera.far));
  const farText = h("span", { class: "quiet number" }, `${count(Math.round(three.view.camera.far))} m`);
  const detailText = h("span", { class: "quiet number" }, "as in the game");
  const detail = h("input", {
    type: "range",
    min: "-2",
    max: "3",
    step: "0.25",
    value: "0",
    "aria-label": "Detail",
    oninput: () => {
      const factor = 2 ** Number(detail.value);
      three.setDetail(factor);
      detailText.textContent = factor === 1 ? "as in the game" : `${short(factor, 2)} × as far`;
    },
  });
  const detailField = labelled("Detail", h("span", { class: "inline" }, detail, detailText));
  detailField.hidden = true;
  const cameraSelect = select<"orbit" | "fly">(
    "Camera",
    [
      ["orbit", "Orbit"],
      ["fly", "Fly"],
    ],
    three.view.mode,
    (mode) => {
      three.view.mode = mode;
      three.invalidate();
    },
  );
  const handleSelect =
    handles &&
    select<Handle>(
      "Handles",
      [
        ["move", "Move by handles"],
        ["turn", "Turn by a handle"],
        ["scale", "Scale by handles"],
        ["off", "No handles"],
      ],
      "move",
      (handle) => handles.use(handle, movable()),
    );
  if (handleSelect) handleSelect.hidden = !app.edits?.possible;
  const options = h(
    "details",
    { class: "menu" },
    h("summary", { class: "button small" }, "Options"),
    h(
      "div",
      { class: "menu-body" },
      labelled("Draw distance", h("span", { class: "inline" }, far, farText)),
      detailField,
      scene.header.world?.fog && scene.header.world.fog.type !== "OFF"
        ? checkbox("Fog of the world", false, (on) => {
            fogOn = on;
            three.setFog(on);
            backdrop();
          })
        : null,
      checkbox(
        scene.header.lights?.some((light) => light.directional) ? "Light of the world" : "Directional light",
        false,
        (on) => three.setShaded(on),
      ),
      checkbox("Smooth textures", true, (on) => {
        three.textures.setSmooth(on);
        three.invalidate();
      }),
      three.hasMotion
        ? checkbox(
            "Play texture cycles and scrolling",
            !window.matchMedia("(prefers-reduced-motion: reduce)").matches,
            (on) => three.setAnimate(on),
          )
        : null,
    ),
  );
  if (three.hasMotion && window.matchMedia("(prefers-reduced-motion: reduce)").matches) three.setAnimate(false);
  const bar = h(
    "div",
    { class: "bar" },
    modeSelect,
    flagSelect,
    assemblies
      ? select(
          "Assembly",
          roots.map((row) => [String(row), nameOfRow(row)]),
          String(roots[0]),
          (value) => {
            three.setRoot(Number(value));
            three.home();
            tree.refresh();
          },
        )
      : null,
    !alone && levels.length > 0
      ? select(
          "Level of detail",
          [
            ["0", "Nearest level"],
            ...levels.slice(1).map((n) => [String(n), `Level ${n}`] as [string, string]),
            [String(BY_DISTANCE), "By distance"],
            ["-1", "All levels"],
          ],
          "0",
          (value) => {
            three.setLod(Number(value));
            detailField.hidden = Number(value) !== BY_DISTANCE;
            tree.refresh();
          },
        )
      : null,
    cameraSelect,
    handleSelect,
    options,
    h("span", { class: "grow" }),
    iconButton("frame", "Frame the selection, or everything (f)", () =>
      selected >= 0 ? three.frameRow(selected) : three.home(),
    ),
    iconButton("picture", "Save this view as a picture", () => {
      // The browser keeps a drawn frame only until it has shown it.
      three.renderNow();
      canvas.toBlob((png) => png && download(`${baseName(file.path).replace(/\.[^.]+$/, "")}.png`, png));
    }),
    !alone &&
      iconButton("eye", "Show everything again (Shift+H)", () => {
        three.showAll();
        tree.refresh();
      }),
  );
  if (assemblies) {
    three.setRoot(roots[0]);
    if (!cam) three.home();
  }
  const unbind = [
    bind("Scene", "f", "Frame the selection, or everything", () =>
      selected >= 0 ? three.frameRow(selected) : three.home(),
    ),
    bind("Scene", "h", "Hide or show the selected node", () => hide(selected)),
    bind("Scene", "H", "Show everything again", () => {
      three.showAll();
      tree.refresh();
    }),
    bind("Scene", "i", "Isolate the selected node, or end that", isolate),
    bind("Scene", "p", "Select the parent", () => {
      if (selected >= 0 && at(selected, Node.Parent) >= 0) choose(at(selected, Node.Parent));
    }),
    bind("Scene", "m", "Next mode", () => {
      modeSelect.selectedIndex = (modeSelect.selectedIndex + 1) % modeSelect.options.length;
      setMode(modeSelect.value as Mode);
    }),
    bind("Scene", "c", "Orbit or fly", () => {
      three.view.mode = three.view.mode === "orbit" ? "fly" : "orbit";
      cameraSelect.value = three.view.mode;
    }),
    bind("Scene", "Ctrl or Shift and click", "Select several, here or in the list"),
    bind("Scene", "g", "Handles: move, turn, scale, none", () => {
      if (!handleSelect || handleSelect.hidden) return;
      handleSelect.selectedIndex = (handleSelect.selectedIndex + 1) % handleSelect.options.length;
      handles?.use(handleSelect.value as Handle, movable());
    }),
    bind("Scene", "Escape", "Select nothing", () => choose(-1)),
    bind("Scene", "W A S D", "Move (Q and E: down and up, Shift: fast)"),
    bind("Scene", "Arrows", "Turn; + and − zoom"),
  ];
  const themed = (reason: string): void => {
    if (reason === "theme") backdrop();
    if (reason === "edits") tree.refresh();
    if (reason === "edits" && handleSelect) {
      handleSelect.hidden = !app.edits?.possible;
      attach();
    }
  };
  app.listeners.add(themed);
  backdrop();
  requestAnimationFrame(() => (restored = true));

  const goTo = (to: Route): boolean => {
    if (to.cam && to.cam !== three.view.toString()) three.view.restore(to.cam);
    let row = to.node !== undefined ? Number(to.node) : -1;
    if (to.name) row = names.indexOf(to.name);
    if (!(row >= 0 && row < scene.nodes)) row = -1;
    // After an edit of several. Names may be shared.
    const isLast = (shown: number, all: number[]): boolean =>
      all.includes(shown) || (shown >= 0 && names[shown] === names[all[all.length - 1]]);
    const references = together.get(file.path) ?? [];
    const rows = references.map(rowOf).filter((each) => each >= 0);
    if (rows.length > 1 && rows.length === references.length && isLast(row, rows)) chooseAll(rows);
    else if (row !== selected || row < 0 || chosen.length > 1) choose(row);
    const mode = modes.find(([each]) => each === to.mode)?.[0] ?? "textures";
    if (mode !== modeSelect.value) {
      modeSelect.value = mode;
      setMode(mode);
    }
    if (row >= 0 && (to.name || to.node !== undefined) && !to.cam) three.frameRow(row);
    if (to.name && row < 0)
      app.fail("The node cannot be shown", new Error(`no node of ${file.path} has the name "${to.name}"`));
    return true;
  };
  /** Shows the scene after an edit; false if the view has to be made again. */
  const renew = async (keepsTextures: boolean): Promise<boolean> => {
    let next: PackedScene;
    let made: number | undefined;
    do {
      // What an edit shows before its answer must not be replaced by a state from before it.
      await app.edits?.answered();
      made = app.edits?.made;
      next = await load(app, file, () => undefined, scene);
      // Nobody who drags is disturbed.
      while (handles?.isDragging && !gone) await new Promise((done) => window.setTimeout(done, 50));
      if (made !== app.edits?.made) forgetScenes();
    } while (made !== app.edits?.made && !gone);
    if (gone || offers(next) !== offers(scene)) return false;
    if (next === scene && keepsTextures) return true;
    const before = scene;
    const hasSameTree = hasSameRows(before, next) && names.every((name, row) => name === next.header.nodes.names[row]);
    const rows = sameNodes(scene, next);
    const moved = (all: Iterable<number>): number[] => [...all].map((row) => rows[row]).filter((row) => row >= 0);
    const opened = moved(open);
    chosen = moved(chosen);
    selected = chosen.at(-1) ?? -1;
    three.renew(next, rows, keepsTextures);
    scene = next;
    ({ names, kinds } = scene.header.nodes);
    soil = new Soils(scene.header.materials);
    isRenewed = true;
    if (!hasSameTree) {
      children = childrenOf(scene);
      open.clear();
      for (const row of opened) open.add(row);
      search.placeholder = `Filter ${plural(scene.nodes, "node")}`;
      tree.set(flatten(), true);
      tree.select(tree.items.findIndex((each) => each.row === selected));
    }
    if (chosen.length > 1) together.set(file.path, chosen.map(reference));
    else together.delete(file.path);
    attach();
    if (fogOn) three.setFog(true);
    // What colours and the legend show may have changed.
    if (modeSelect.value !== "textures" && modeSelect.value !== "wireframe") setMode(modeSelect.value as Mode);
    keep({ node: selected >= 0 ? String(selected) : undefined, name: undefined });
    if (chosen.length > 1) inspectSeveral();
    else if (selected >= 0) inspectNode(selected);
    else inspectScene();
    return true;
  };
  if (!alone) goTo(route);
  else if (modes.some(([each]) => each === route.mode)) {
    modeSelect.value = route.mode as Mode;
    setMode(route.mode as Mode);
  }

  return {
    element: h("div", { class: "part" }, bar, viewport),
    side: alone
      ? undefined
      : {
          title: "Nodes",
          element: h(
            "div",
            { class: "side-body" },
            h("div", { class: "bar" }, search),
            tree.element,
            tree.emptyMessage,
          ),
        },
    goTo,
    renew: alone ? undefined : renew,
    isDragging: () => handles?.isDragging ?? false,
    remember: () => ({
      cam: three.view.toString(),
      node: undefined,
      name: selected >= 0 ? names[selected] : undefined,
    }),
    dispose: () => {
      if (!alone && restored) cameras.set(file.path, three.view.toString());
      gone = true;
      ending.abort();
      unbind.forEach((end) => end());
      app.listeners.delete(themed);
      if (window.refitScene === three) window.refitScene = undefined;
      three.dispose();
    },
  };
}
