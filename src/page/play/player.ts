// Runs the events of a definition and of those that it calls (src/workbench/play/player.rs).

import { DONE, act, branch, settle, type Outcome, type Track } from "./events";
import { cloneState, emptyState, Who, type Show, type State } from "./show";
import { eventOf } from "./shown";
import { cloneNode, type Bound, type States } from "./stage";
import { doc, float, list, maybe, nameText, refName, type Doc } from "./values";

const EVENTS = 100_000;
const INSTANCES = 256;
/** Duration of a game step, the minimum duration of a loop iteration. */
const STEP = 1 / 60;

type Status = { kind: "ready" | "parked" | "done" } | { kind: "busy"; until: number } | { kind: "held"; child: number };

interface Run {
  status: Status;
  cursor: number;
  /** When its first event started. */
  start: number;
  /** When the previous event ended, or when the sequence was called. */
  ready: number;
  rounds: number;
  looped: number;
  entry: Happened | null;
  track: Track | null;
}

type Phase = { kind: "runs" | "resets" | "finished" } | { kind: "waits"; until: number };

interface Instance {
  definition: number;
  bound: Bound;
  local: string | null;
  start: number;
  runs: Run[];
  phase: Phase;
  saved: States;
  ends: boolean;
}

/** An event that happened. */
export interface Happened {
  time: number;
  end: number | null;
  instance: number;
  definition: number;
  /** The sequence, or null for the reset state. */
  sequence: number | null;
  event: number;
}

const run = (activation: unknown, events: number, now: number): Run => ({
  status: { kind: activation === "ON_CALL" ? "parked" : activation === "DONE" || events === 0 ? "done" : "ready" },
  cursor: 0,
  start: now,
  ready: now,
  rounds: 0,
  looped: 0,
  entry: null,
  track: null,
});

/** When an event starts; infinite if it never does. */
function due(of: Run, event: unknown, start: number): number {
  const { clock, time: stored } = eventOf(event);
  const time = float(stored);
  const behind = (from: number): number => (Number.isNaN(time) ? Infinity : Math.max(of.ready, from + time));
  if (clock === "ANIMATION") return behind(start);
  if (clock !== "SEQUENCE" && clock !== "EVENT") return Infinity;
  // These clocks run from the first event on.
  if (of.cursor === 0) return time <= 0 ? of.ready : Infinity;
  return behind(clock === "SEQUENCE" ? of.start : of.ready);
}

export class Player {
  private state: State = emptyState();
  private readonly instances: Instance[] = [];
  private readonly invalid = new Set<number>();
  readonly log: Happened[] = [];
  private now = 0;
  gaveUp = false;

  constructor(
    private readonly show: Show,
    readonly definition: number,
  ) {
    for (const reached of show.reached(definition)) this.load(reached);
    this.begin(definition, null, null);
  }

  /** Time of the last event. An earlier state needs a new player. */
  get reached(): number {
    return this.now;
  }

  /** The state at a time. */
  at(time: number): State {
    for (let next = this.next(); next && next.due <= time; next = this.next()) {
      if (this.log.length >= EVENTS) {
        this.gaveUp = true;
        break;
      }
      this.advance(next.due);
      if (next.kind === "start") this.start(next.i, next.s);
      else if (next.kind === "end") this.end(next.i, next.s);
      else this.reset(next.i);
    }
    const state = cloneState(this.state);
    this.tracks(state, time);
    return state;
  }

  /** The time of the next change, or null if there is none. */
  nextTime(): number | null {
    return this.gaveUp || this.log.length >= EVENTS ? null : (this.next()?.due ?? null);
  }

  private tracks(state: State, time: number): void {
    for (const instance of this.instances) for (const each of instance.runs) each.track?.apply(state, this.now, time);
  }

  private next(): { kind: "start" | "end" | "reset"; i: number; s: number; due: number } | null {
    let best: { kind: "start" | "end" | "reset"; i: number; s: number; due: number } | null = null;
    const offer = (kind: "start" | "end" | "reset", i: number, s: number, at: number): void => {
      if (at < Infinity && (!best || at < best.due)) best = { kind, i, s, due: at };
    };
    this.instances.forEach((instance, i) => {
      if (instance.phase.kind === "waits") offer("reset", i, 0, instance.phase.until);
      instance.runs.forEach((each, s) => {
        if (each.status.kind === "ready") {
          const events = this.events(instance, s);
          offer(
            "start",
            i,
            s,
            each.cursor < events.length ? due(each, events[each.cursor], instance.start) : each.ready,
          );
        } else if (each.status.kind === "busy") offer("end", i, s, each.status.until);
      });
    });
    return best;
  }

  private of(instance: Instance): Doc {
    return this.show.definitions[instance.definition];
  }

  private events(instance: Instance, s: number): unknown[] {
    const of = this.of(instance);
    return instance.phase.kind === "resets" ? list(of.reset_state) : list(doc(list(of.sequences)[s]).events);
  }

  private advance(time: number): void {
    this.tracks(this.state, time);
    this.now = time;
  }

  /** Applies the reset state of a definition, as at the start of the mission. */
  private load(definition: number): void {
    const who = new Who(this.show, definition, this.show.bounds[definition]);
    if (maybe(who.of.reset_time) === null) return;
    const events = list(who.of.reset_state);
    for (let cursor = 0; cursor < events.length; cursor++) {
      const to = branch(who, this.state, events, cursor);
      if (to !== null) cursor = to;
      else {
        const { kind, body } = eventOf(events[cursor]);
        settle(who, this.state, kind, body);
      }
    }
  }

  /** Starts an animation, unless it runs already or cannot be started. */
  private begin(definition: number, input: number | null, local: string | null): number | null {
    const running = this.instances.filter((other) => other.phase.kind !== "finished");
    if (
      running.some((other) => other.definition === definition) ||
      this.invalid.has(definition) ||
      running.length >= INSTANCES
    )
      return null;
    const of = this.show.definitions[definition];
    const bound = { ...this.show.bounds[definition], input };
    const saved: States = new Map();
    for (const name of list(of.objects)) {
      const row = this.show.stage.find(of, bound, { name: nameText(name) });
      if (row !== null) saved.set(row, cloneNode(this.show.stage.state(this.state.nodes, row)));
    }
    const runs = list(of.sequences).map((sequence) =>
      run(doc(sequence).activation, list(doc(sequence).events).length, this.now),
    );
    this.instances.push({
      definition,
      bound,
      local,
      start: this.now,
      runs,
      phase: { kind: "runs" },
      saved,
      ends: false,
    });
    const started = this.instances.length - 1;
    this.check(started);
    return started;
  }

  private who(i: number): Who {
    const { definition, bound } = this.instances[i];
    return new Who(this.show, definition, bound);
  }

  private start(i: number, s: number): void {
    const instance = this.instances[i];
    const own = instance.runs[s];
    const events = this.events(instance, s);
    if (own.cursor >= events.length) return this.done(i, s);
    if (own.cursor === 0) own.start = this.now;
    const entry: Happened = {
      time: this.now,
      end: null,
      instance: i,
      definition: instance.definition,
      sequence: instance.phase.kind === "resets" ? null : s,
      event: own.cursor,
    };
    own.entry = entry;
    this.log.push(entry);
    const to = branch(this.who(i), this.state, events, own.cursor);
    let outcome = DONE;
    if (to !== null) own.cursor = to;
    else {
      const { kind, body } = eventOf(events[own.cursor]);
      outcome = this.flow(i, s, kind, body);
    }
    // The event may have stopped its own sequence, or the whole animation.
    if (instance.runs[s]?.entry !== entry) return this.check(i);
    switch (outcome.kind) {
      case "done":
        return this.end(i, s);
      case "again":
        return this.again(own);
      case "held":
        if (this.instances[outcome.child].phase.kind === "finished") return this.end(i, s);
        own.status = { kind: "held", child: outcome.child };
        return;
      case "takes":
        own.track = outcome.track;
        own.status = { kind: "busy", until: this.now + outcome.length };
        if (outcome.length <= 0) this.end(i, s);
    }
  }

  private close(of: Run): void {
    if (of.entry) of.entry.end = this.now;
    of.entry = null;
  }

  /** Ends the event of a sequence, and continues with the next one. */
  private end(i: number, s: number): void {
    const instance = this.instances[i];
    const own = instance.runs[s];
    const { track } = own;
    own.track = null;
    track?.finish?.(this.state);
    this.close(own);
    if (own.status.kind === "done") return this.check(i);
    own.cursor++;
    own.status = { kind: "ready" };
    own.ready = this.now;
    if (own.cursor >= this.events(instance, s).length) this.done(i, s);
  }

  /** Ends a sequence. A callable sequence waits for the next call. */
  private done(i: number, s: number): void {
    const instance = this.instances[i];
    const sequence = doc(list(this.of(instance).sequences)[s]);
    const called = instance.phase.kind === "runs" && (sequence.reset_activation ?? sequence.activation) === "ON_CALL";
    instance.runs[s].cursor = 0;
    instance.runs[s].status = { kind: called ? "parked" : "done" };
    this.check(i);
  }

  /** Goes back to the first event of a sequence. */
  private again(own: Run): void {
    this.close(own);
    own.ready = this.now > own.start ? this.now : this.now + STEP;
    own.status = { kind: "ready" };
    own.cursor = 0;
  }

  /** Counts an iteration of a loop; true if another one follows. */
  private rounds(i: number, s: number, event: Doc): boolean {
    const own = this.instances[i].runs[s];
    own.rounds = (own.rounds + 1) & 0xffff;
    own.looped += this.now - own.start;
    const count = typeof event.loop_count === "number" ? event.loop_count : null;
    const time = maybe(event.loop_run_time);
    let reached = false;
    if (count !== null) reached = count !== -1 && own.rounds === (count & 0xffff);
    else if (time !== null) reached = time >= 0 && own.looped >= time;
    return !reached && !this.instances[i].ends;
  }

  /** Ends an animation whose sequences have all ended. */
  private check(i: number): void {
    const instance = this.instances[i];
    if (
      instance.runs.some(
        (each) => each.status.kind === "ready" || each.status.kind === "busy" || each.status.kind === "held",
      )
    )
      return;
    const after = maybe(this.of(instance).reset_time);
    if (instance.phase.kind === "runs" && after !== null && after >= 0)
      instance.phase = { kind: "waits", until: this.now + after };
    else if (instance.phase.kind === "runs" || instance.phase.kind === "resets") this.finish(i);
  }

  private finish(i: number): void {
    this.instances[i].phase = { kind: "finished" };
    for (const instance of this.instances)
      for (const each of instance.runs)
        if (each.status.kind === "held" && each.status.child === i) each.status = { kind: "busy", until: this.now };
  }

  /** Runs the events of the reset. */
  private reset(i: number): void {
    this.halt(i);
    const instance = this.instances[i];
    const of = this.of(instance);
    if (of.auto_reset_node_states === true) {
      for (const [row, node] of instance.saved) this.state.nodes.set(row, node);
      instance.saved = new Map();
    }
    instance.phase = { kind: "resets" };
    instance.runs = [run("INITIAL", list(of.reset_state).length, this.now)];
    this.check(i);
  }

  /** Stops everything that an animation does. */
  private halt(i: number): void {
    for (const each of this.instances[i].runs) {
      each.track = null;
      each.status = { kind: "done" };
      this.close(each);
    }
  }

  private sequence(instance: Instance, name: string): number {
    if (instance.phase.kind !== "runs") return -1;
    const s = list(this.of(instance).sequences).findIndex((sequence) => nameText(doc(sequence).name) === name);
    if (s < 0) this.show.miss("sequence", name);
    return s;
  }

  private command(kind: string, name: string): void {
    const definition = this.show.called(name);
    const running = this.instances.flatMap((instance, i) =>
      (instance.definition === definition || instance.local === name) &&
      (instance.phase.kind === "runs" || instance.phase.kind === "waits")
        ? [i]
        : [],
    );
    for (const i of running) {
      if (kind === "STOP_ANIMATION") {
        this.halt(i);
        this.check(i);
      } else if (kind === "RESET_ANIMATION") this.reset(i);
      else this.instances[i].ends = true;
    }
    if (kind === "INVALIDATE_ANIMATION" && definition !== null) this.invalid.add(definition);
  }

  /** Applies an event. */
  private flow(i: number, s: number, kind: string, event: Doc): Outcome {
    const instance = this.instances[i];
    switch (kind) {
      case "CALL_SEQUENCE": {
        const called = this.sequence(instance, nameText(event.name));
        const own = instance.runs[called];
        if (own?.status.kind !== "parked" || !this.events(instance, called).length) return DONE;
        Object.assign(own, {
          cursor: 0,
          rounds: 0,
          looped: 0,
          ready: called > s ? this.now : this.now + STEP,
          status: { kind: "ready" },
        });
        return DONE;
      }
      case "STOP_SEQUENCE": {
        const own = instance.runs[this.sequence(instance, nameText(event.name))];
        if (!own) return DONE;
        own.track = null;
        own.status = { kind: "done" };
        this.close(own);
        return DONE;
      }
      case "STOP_ANIMATION":
      case "RESET_ANIMATION":
      case "INVALIDATE_ANIMATION":
        this.command(kind, nameText(event.name));
        return DONE;
      case "LOOP":
        return this.rounds(i, s, event) ? { kind: "again" } : DONE;
      case "CALL_ANIMATION": {
        const who = this.who(i);
        const definition = this.show.called(nameText(event.name));
        if (definition === null) {
          this.show.miss("animation", nameText(event.name));
          return DONE;
        }
        const input =
          event.operand_node === undefined || event.operand_node === null ? null : who.find(event.operand_node);
        const child = this.begin(definition, input, localName(who.of, event.reference));
        return child !== null && event.wait_for_completion === true ? { kind: "held", child } : DONE;
      }
      default:
        return act(this.who(i), this.state, this.now, kind, event);
    }
  }
}

/** The name that a reference gives to a running copy. */
function localName(of: Doc, reference: unknown): string | null {
  if (reference === undefined || reference === null) return null;
  const all = list(of.animation_references);
  const { index, nth } = doc(reference);
  const named = all.filter((own) => nameText(typeof own === "string" ? own : doc(own).name) === refName(reference));
  const own = typeof index === "number" ? all[index] : named[(typeof nth === "number" ? nth : 1) - 1];
  const local = doc(own).local_name;
  return local === undefined || local === null ? null : nameText(local);
}
