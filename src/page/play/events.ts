// The effects of each event (src/workbench/play/events.rs).

import { follow, grow, scriptTime, turn, type Pose } from "./pose";
import { eventOf, whyNot } from "./shown";
import type { Fog, Light, Show, State, Who } from "./show";
import type { NodeState } from "./stage";
import {
  after,
  doc,
  float,
  floats,
  list,
  maybe,
  maybeVector,
  pair,
  rates,
  refName,
  vector,
  word,
  type Doc,
  type V3,
} from "./values";

/** What happens over time. */
export interface Track {
  start: number;
  /** Advances from one time to a later one. */
  apply(state: State, from: number, to: number): void;
  /** The state at the end. */
  finish?(state: State): void;
}

/** How the sequence continues after an event. */
export type Outcome =
  | { kind: "done" }
  | { kind: "held"; child: number }
  | { kind: "takes"; length: number; track: Track | null }
  | { kind: "again" };
export const DONE: Outcome = { kind: "done" };

const LEAST = 0.001;
const plus = (a: V3, b: V3): V3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const limit = (v: number[]): V3 => v.map((each) => (each > LEAST ? each : LEAST)) as V3;

/** The change of a value between two times under constant acceleration. */
const added = (change: Doc, from: number, to: number, more = 0): V3 => {
  const [velocity, acceleration] = [vector(change.velocity), vector(change.acceleration)];
  acceleration[1] += more;
  return velocity.map((v, i) => v * (to - from) + 0.5 * acceleration[i] * (to * to - from * from)) as V3;
};

function moveTo(pose: Pose, event: Doc, runTime: number, time: number): void {
  if (event.translate) pose.translation = after(doc(event.translate), runTime, time) as V3;
  if (event.scale) grow(pose, limit(after(doc(event.scale), runTime, time)));
  if (event.rotate) turn(pose, after(doc(event.rotate), runTime, time) as V3);
}

function arrive(pose: Pose, event: Doc): void {
  if (event.translate) pose.translation = vector(doc(event.translate).to);
  if (event.scale) grow(pose, vector(doc(event.scale).to));
  if (event.rotate) turn(pose, vector(doc(event.rotate).to));
}

function translucent(node: NodeState, state: unknown): void {
  if (state === "ON") node.translucent = true;
  else if (state === "OFF") node.translucent = false;
}

function faded(node: NodeState, event: Doc): void {
  node.opacity = float(doc(event.opacity).to);
  translucent(node, event.state_to);
}

function fly(pose: Pose, event: Doc, before: number, time: number): void {
  const end = maybe(event.run_time) ?? Infinity;
  const from = Math.min(before, end);
  const to = Math.min(time, end);
  if (event.translation)
    pose.translation = plus(pose.translation, added(doc(event.translation), from, to, maybe(event.gravity) ?? 0));
  if (event.scale) grow(pose, limit(plus(pose.scale, added(doc(event.scale), from, to))));
  if (event.xyz_rotation) turn(pose, plus(pose.angles, added(doc(event.xyz_rotation), from, to)));
}

/** Applies an event to nodes immediately; timed events jump to their end. Returns false for other events. */
export function settle(who: Who, state: State, kind: string, event: Doc): boolean {
  const { stage } = who.show;
  const hangs = kind === "OBJECT_ADD_CHILD" || kind === "OBJECT_DELETE_CHILD";
  const settled = [
    "OBJECT_ACTIVE_STATE",
    "OBJECT_TRANSLATE_STATE",
    "OBJECT_SCALE_STATE",
    "OBJECT_ROTATE_STATE",
    "OBJECT_MOTION_FROM_TO",
    "OBJECT_OPACITY_STATE",
    "OBJECT_OPACITY_FROM_TO",
    "OBJECT_CYCLE_TEXTURE",
  ];
  if (!hangs && !settled.includes(kind)) return false;
  const row = who.find(hangs ? event.child : event.node);
  if (row === null) return true;
  const named = event.at_node !== undefined && event.at_node !== null;
  switch (kind) {
    case "OBJECT_TRANSLATE_STATE": {
      const at = named ? who.find(event.at_node) : null;
      if (named && at === null) return true;
      const base: V3 = at === null ? [0, 0, 0] : (stage.world(state.nodes, at).slice(9) as V3);
      const node = stage.change(state.nodes, row);
      const place = plus(base, vector(event.state));
      node.pose.translation = word(event.relative) & 1 ? plus(node.pose.translation, place) : place;
      break;
    }
    case "OBJECT_ROTATE_STATE": {
      const at = named ? who.find(event.at_node) : null;
      if (named && at === null) return true;
      const basis: V3 = at === null ? [0, 0, 0] : stage.state(state.nodes, at).pose.angles;
      const node = stage.change(state.nodes, row);
      const angles = vector(event.state);
      if (event.mode === undefined || event.mode === "ABSOLUTE") turn(node.pose, angles);
      else turn(node.pose, plus(event.mode === "RELATIVE" ? node.pose.angles : basis, angles));
      break;
    }
    case "OBJECT_ADD_CHILD":
    case "OBJECT_DELETE_CHILD": {
      const parent = who.find(event.parent);
      if (parent !== null) hang(who.show, state, parent, row, kind === "OBJECT_ADD_CHILD");
      break;
    }
    default:
      change(stage.change(state.nodes, row), kind, event);
  }
  return true;
}

/** Adds a node as a child of another one, or removes it. A node with another parent stays: it would have two. */
function hang(show: Show, state: State, parent: number, child: number, add: boolean): void {
  const node = show.stage.change(state.nodes, child);
  const free = node.parent === null || show.stage.isWorld(node.parent);
  if (add && free) {
    node.parent = parent;
    node.loose = false;
  } else if (add) show.miss("second parent", show.stage.name(child));
  else if (node.parent === parent) {
    node.parent = null;
    node.loose = true;
  }
}

function change(node: NodeState, kind: string, event: Doc): void {
  switch (kind) {
    case "OBJECT_ACTIVE_STATE":
      node.active = word(event.state) === 1;
      break;
    case "OBJECT_SCALE_STATE":
      grow(node.pose, vector(event.state));
      break;
    case "OBJECT_MOTION_FROM_TO":
      arrive(node.pose, event);
      break;
    case "OBJECT_OPACITY_STATE":
      node.translucent = word(event.state) === 1;
      node.opacity = maybe(event.opacity) ?? node.opacity;
      break;
    case "OBJECT_OPACITY_FROM_TO":
      faded(node, event);
  }
}

/** The target of a branch: the position before the next event. Null for an event that is not a branch. */
export function branch(who: Who, state: State, events: unknown[], cursor: number): number | null {
  const next = (from: number, stops: string[]): number => {
    for (let at = from + 1; at < events.length; at++) if (stops.includes(eventOf(events[at]).kind)) return at;
    return events.length;
  };
  const { kind, body } = eventOf(events[cursor]);
  if (kind === "ELSE" || kind === "ELSEIF") return next(cursor, ["ENDIF"]);
  if (kind !== "IF") return null;
  let at = cursor;
  let asked = body;
  while (!holds(who, state, asked)) {
    at = next(at, ["ELSE", "ELSEIF", "ENDIF"]);
    const event = eventOf(events[at]);
    if (event.kind !== "ELSEIF") break;
    asked = event.body;
  }
  return at;
}

/** Whether a condition holds. */
function holds(who: Who, state: State, condition: Doc): boolean {
  const { assume, stage } = who.show;
  const kind = Object.keys(condition)[0] ?? "";
  const value = condition[kind];
  const assumed = (usual: boolean): boolean => (assume === "usual" ? usual : assume === "holds");
  const health = maybe(who.of.health) ?? 0;
  switch (kind) {
    case "NODE_ACTIVE": {
      const row = who.find(doc(value).node);
      return row !== null && stage.state(state.nodes, row).active;
    }
    case "NODE_BELOW_ALT": {
      const row = who.find(doc(value).node);
      return row !== null && stage.world(state.nodes, row)[10] < float(doc(value).height);
    }
    case "RANDOM_WEIGHT":
      return float(value) >= 1 ? true : float(value) < 0 ? false : assumed(false);
    case "ANIMATION_LOD":
      return Number(value) <= 2 && assumed(true);
    case "PLAYER_RANGE":
    case "HW_RENDER":
      return assumed(true);
    case "ANIM_HEALTH":
      return assume === "usual" ? health <= float(value) : assumed(false);
    case "ANIM_HEALTH_RANGE": {
      const [least = 0, most = 0] = floats(value);
      return assume === "usual" ? least <= health && health <= most : assumed(false);
    }
    default:
      return assumed(false);
  }
}

/** Applies an event to the world. */
export function act(who: Who, state: State, now: number, kind: string, event: Doc): Outcome {
  const { show } = who;
  const { stage, game } = show;
  const runTime = maybe(event.run_time) ?? 0;
  const takes = (length: number, track: Omit<Track, "start"> | null): Outcome => ({
    kind: "takes",
    length: length > 0 ? length : 0,
    track: track && { start: now, ...track },
  });
  const skipped = whyNot(kind, event) !== null;
  const at = event.at_node === undefined || event.at_node === null ? null : who.find(event.at_node);
  switch (kind) {
    case "OBJECT_MOTION_FROM_TO": {
      const row = who.find(event.node);
      if (row === null) return takes(runTime, null);
      return takes(runTime, {
        apply: (to, _, time) => moveTo(stage.change(to.nodes, row).pose, event, runTime, Math.min(time - now, runTime)),
        finish: (to) => arrive(stage.change(to.nodes, row).pose, event),
      });
    }
    case "OBJECT_OPACITY_FROM_TO": {
      const row = who.find(event.node);
      if (row === null) return takes(runTime, null);
      translucent(stage.change(state.nodes, row), event.state_from);
      return takes(runTime, {
        apply: (to, _, time) =>
          (stage.change(to.nodes, row).opacity = after(doc(event.opacity), runTime, Math.min(time - now, runTime))[0]),
        finish: (to) => faded(stage.change(to.nodes, row), event),
      });
    }
    case "OBJECT_MOTION_SI_SCRIPT":
    case "OBJECT_MOTION_SI_SCRIPT_LIST": {
      const items = kind === "OBJECT_MOTION_SI_SCRIPT" ? [event] : list(event.items).map(doc);
      const moves = items.flatMap((item) => {
        const script = item.inline ? doc(item.inline) : show.script(item.script);
        if (!script) show.miss("script", refName(item.script));
        const row = who.find(item.node);
        return script ? [{ script, row }] : [];
      });
      const length = Math.fround(Math.max(0, ...moves.map(({ script }) => scriptTime(script))));
      return takes(length, {
        apply: (to, _, time) => {
          for (const { script, row } of moves)
            if (row !== null) follow(stage.change(to.nodes, row).pose, script, game, time - now);
        },
      });
    }
    case "OBJECT_MOTION": {
      const row = who.find(event.node);
      const track =
        skipped || row === null
          ? null
          : {
              apply: (to: State, from: number, time: number) =>
                fly(stage.change(to.nodes, row).pose, event, from - now, time - now),
            };
      if (event.run_time === undefined || event.run_time === null)
        return { kind: "takes", length: Infinity, track: track && { start: now, ...track } };
      return takes(runTime, track);
    }
    case "LIGHT_ANIMATION": {
      const key = lightKey(who, event);
      const [near = 0, far = 0] = floats(event.range);
      const color = vector(event.color);
      return takes(runTime, {
        apply: (to, from, time) => {
          const light = lightOf(to, key);
          const passed = time - now - (from - now);
          if (light.range) light.range = [light.range[0] + near * passed, light.range[1] + far * passed];
          if (light.color) light.color = plus(light.color, color.map((rate) => rate * passed) as V3);
        },
      });
    }
    case "FBFX_COLOR_FROM_TO": {
      const rate = rates(event, runTime);
      const from = floats(event.from);
      return takes(runTime, {
        apply: (to, _, time) => {
          const passed = Math.min(time - now, runTime);
          to.screen = [0, 1, 2, 3].map((i) =>
            Math.max(0, Math.min(1, (from[i] ?? 0) + (rate[i] ?? 0) * passed)),
          ) as State["screen"];
        },
        finish: (to) => (to.screen = null),
      });
    }
    case "OBJECT_CONNECTOR":
    case "CAMERA_FROM_TO":
    case "FBFX_CSINWAVE_FROM_TO":
    case "SOUND_ADJUST":
      return takes(runTime, null);
    case "OBJECT_CYCLE_TEXTURE": {
      const row = who.find(event.node);
      if (row !== null) stage.change(state.nodes, row).cycle = [word(event.reset), now];
      return DONE;
    }
    case "SOUND":
    case "SOUND_NODE":
      state.sounds.push({
        time: now,
        name: refName(event.sound),
        node: at,
        switched: kind === "SOUND" ? null : word(event.active_state) === 1,
      });
      return DONE;
    case "LIGHT_STATE":
      setLight(lightOf(state, lightKey(who, event)), event, at);
      return DONE;
    case "FOG_STATE":
      setFog(state.fog, event, game);
      return DONE;
    default:
      settle(who, state, kind, event);
      return DONE;
  }
}

export const lightKey = (who: Who, event: Doc): string => `${who.definition}/${refName(event.light)}`;

function lightOf(state: State, key: string): Light {
  let light = state.lights.get(key);
  if (!light)
    state.lights.set(
      key,
      (light = { active: false, node: null, position: [0, 0, 0], range: null, color: null, parts: [null, null] }),
    );
  return light;
}

function setLight(light: Light, event: Doc, node: number | null): void {
  const hangs = event.at_node !== undefined && event.at_node !== null;
  light.active = word(event.active_state) === 1;
  if (hangs) light.node = node;
  if (event.absolute === true) light.node = null;
  if (hangs || event.absolute === true) light.position = maybeVector(event.position) ?? [0, 0, 0];
  light.range = pair(event.range) ?? light.range;
  light.color = maybeVector(event.color) ?? light.color;
  light.parts = [maybe(event.ambient) ?? light.parts[0], maybe(event.diffuse) ?? light.parts[1]];
}

function setFog(fog: Fog, event: Doc, game: string): void {
  // Recoil always reads the type, and LINEAR is its default.
  const kind = event.type ?? (game === "rc" ? "LINEAR" : fog.kind);
  fog.kind = typeof kind === "string" ? kind : null;
  fog.color = maybeVector(event.color) ?? fog.color;
  fog.altitude = pair(event.altitude) ?? fog.altitude;
  fog.range = pair(event.range) ?? fog.range;
}
