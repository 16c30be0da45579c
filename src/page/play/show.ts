// Definitions and scripts bound to a world, and what events change (src/workbench/play/show.rs).

import { Stage, cloneNode, type Bound, type States } from "./stage";
import { eventOf } from "./shown";
import { doc, list, nameText, refName, type Doc, type V3 } from "./values";

/** Assumed results of conditions that depend on the running game. */
export type Assume = "usual" | "holds" | "fails";

export interface Light {
  active: boolean;
  node: number | null;
  position: V3;
  range: [number, number] | null;
  color: V3 | null;
  /** The ambient and the diffuse part. */
  parts: [number | null, number | null];
}

export interface Fog {
  kind: string | null;
  color: V3 | null;
  altitude: [number, number] | null;
  range: [number, number] | null;
}

export interface Sounded {
  time: number;
  name: string;
  node: number | null;
  /** On or off, for a permanent one. */
  switched: boolean | null;
}

export interface State {
  nodes: States;
  /** Lights, by definition and name. */
  lights: Map<string, Light>;
  fog: Fog;
  screen: [number, number, number, number] | null;
  sounds: Sounded[];
}

export const emptyState = (): State => ({
  nodes: new Map(),
  lights: new Map(),
  fog: { kind: null, color: null, altitude: null, range: null },
  screen: null,
  sounds: [],
});

export const cloneState = (state: State): State => ({
  nodes: new Map([...state.nodes].map(([row, node]) => [row, cloneNode(node)])),
  lights: new Map([...state.lights].map(([key, light]) => [key, { ...light }])),
  fog: { ...state.fog },
  screen: state.screen,
  sounds: [...state.sounds],
});

export class Show {
  assume: Assume = "usual";
  readonly bounds: Bound[];
  private readonly named = new Map<string, number>();
  /** What could not be found while playing. */
  readonly missing = new Map<string, Set<string>>();

  constructor(
    readonly game: string,
    readonly stage: Stage,
    readonly definitions: Doc[],
    /** Scripts by the names that events use. */
    readonly scripts: Map<string, Doc>,
  ) {
    this.bounds = stage.bind(definitions);
    definitions.forEach((of, i) => {
      const name = nameText(of.animation_name);
      if (!this.named.has(name)) this.named.set(name, i);
    });
  }

  called(name: string): number | null {
    return this.named.get(name) ?? null;
  }

  miss(kind: string, name: string): void {
    const names = this.missing.get(kind);
    if (names) names.add(name);
    else this.missing.set(kind, new Set([name]));
  }

  script(name: unknown): Doc | null {
    return typeof name === "string" ? (this.scripts.get(name) ?? null) : null;
  }

  /** A definition and those that it calls, in the order of the file. */
  reached(first: number): number[] {
    const reached = new Set<number>();
    const open = [first];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      for (const name of callsOf(this.definitions[next])) {
        const called = this.called(name);
        if (called !== null) open.push(called);
      }
    }
    return [...reached].sort((a, b) => a - b);
  }
}

/** All lists of events of a definition. */
export const eventLists = (of: Doc): unknown[][] => [
  list(of.reset_state),
  ...(of.damage_sequence ? [list(doc(of.damage_sequence).events)] : []),
  ...list(of.sequences).map((sequence) => list(doc(sequence).events)),
];

/** The names of the animations that a definition calls. */
export const callsOf = (of: Doc): string[] =>
  eventLists(of)
    .flat()
    .map(eventOf)
    .filter((event) => event.kind === "CALL_ANIMATION")
    .map((event) => nameText(event.body.name));

/** An actor: a definition and the nodes that it is bound to. */
export class Who {
  readonly of: Doc;
  constructor(
    readonly show: Show,
    readonly definition: number,
    readonly bound: Bound,
  ) {
    this.of = show.definitions[definition];
  }

  find(node: unknown): number | null {
    const found = this.show.stage.find(this.of, this.bound, node);
    if (found === null) this.show.miss("node", refName(node) || "a node without a name");
    return found;
  }
}
