// An animation that plays in its world: the scene, the transport, the events, and unsupported parts.

import type { App } from "../app";
import { checkbox, count, fill, h, iconButton, plural, select, short } from "../dom";
import { spelled } from "../edit/form";
import { inspectName } from "../inspect";
import { nameOf, summary, type JsonNode } from "../json";
import type { FileInfo, OpenedFile, Part } from "../source";
import { load } from "../scenes";
import { afterEdit, definitionsOf, showOf, worldsOf, type Definitions } from "./documents";
import { keyTrack, timeKey } from "./key";
import { mechPoses } from "./motion";
import { Screen } from "./screen";
import { Session, written } from "./session";
import { eventLists, type Assume, type State } from "./show";
import { eventOf, whyNot } from "./shown";
import { soundUrl } from "./sounds";
import { Stage } from "./stage";
import { Transport } from "./transport";
import { doc, list, nameText } from "./values";

declare global {
  interface Window {
    /** For tests: plays a definition of a file and returns its samples. */
    refitPlay?: {
      samples(path: string, animation: string, times: number[]): Promise<unknown>;
      motion(path: string, part: string, times: number[]): Promise<unknown>;
      seek?(time: number): void;
    };
  }
}

export const get = (node: JsonNode | undefined, key: string): JsonNode | undefined =>
  node?.children.find((child) => child.key === key);
export const str = (node: JsonNode | undefined): string =>
  node?.type === "object" ? (get(node, "text")?.value ?? get(node, "name")?.value ?? "") : (node?.value ?? "");

/** A definition with the session that plays it. */
async function sessionOf(
  app: App,
  file: OpenedFile,
  all: Definitions,
  stage: Stage,
  index: number,
  assume: Assume,
): Promise<Session> {
  const show = await showOf(app, file, all, stage, index);
  show.assume = assume;
  return new Session(show, index);
}

/** For tests: samples of a definition, as the library computes them. */
export function offerSamples(app: App): void {
  window.refitPlay = {
    ...window.refitPlay,
    async motion(path, part, times) {
      const file = app.byPath(path);
      if (!file) throw new Error(`no file ${path}`);
      const motion = doc(JSON.parse(await (await app.source.part(file.number, part)).text()));
      return times.map((time) => mechPoses(motion, time).map((of) => [of.name, of.translation, of.rows, of.scale]));
    },
    async samples(path, animation, times) {
      const file = app.byPath(path);
      if (!file) throw new Error(`no file ${path}`);
      const { parts } = await app.source.tree(file.number);
      const all = await definitionsOf(app, file, parts);
      const world = worldsOf(app, file)[0];
      const stage = new Stage(await load(app, world, () => undefined));
      const index = all.docs.findIndex((of) => nameText(of.animation_name) === animation);
      if (index < 0) throw new Error(`no animation ${animation}`);
      const session = await sessionOf(app, file, all, stage, index, "usual");
      const samples = times.map((time) => {
        const state = session.at(time);
        return { time, happened: session.happened, state: written(session.show, state) };
      });
      // Seeking back gives the same state: it depends on the time only.
      const back =
        times.length > 1
          ? JSON.stringify(written(session.show, session.at(times[1]))) === JSON.stringify(samples[1].state)
          : true;
      const events = session.log.map((each) => {
        const of = all.docs[each.definition];
        const events =
          each.sequence === null ? list(of.reset_state) : list(doc(list(of.sequences)[each.sequence]).events);
        const { kind, body } = eventOf(events[each.event]);
        return [each.time, each.end, each.instance, each.sequence, each.event, kind, whyNot(kind, body) === null];
      });
      return { length: session.length, endless: session.endless, events, samples, back };
    },
  };
}

interface Lane {
  title: string;
  about: string;
  events: JsonNode[];
  definition: number;
  sequence: number | null;
}

function lanesOf(root: JsonNode, definition: number, prefix: string): Lane[] {
  const reset = get(root, "reset_state")?.children ?? [];
  const sequences = (get(root, "sequences")?.children ?? []).map((sequence, s) => ({
    title: `${prefix}${str(get(sequence, "name")) || `sequence ${s + 1}`}`,
    about: str(get(sequence, "activation")).toLowerCase().replace("_", " "),
    events: get(sequence, "events")?.children ?? [],
    definition,
    sequence: s,
  }));
  return reset.length
    ? [...sequences, { title: `${prefix}reset state`, about: "at the end", events: reset, definition, sequence: null }]
    : sequences;
}

export class PlayPanel {
  readonly element: HTMLElement;
  private readonly screen: Screen;
  private readonly flash: HTMLElement;
  private readonly lanes: HTMLElement;
  private readonly hidden: HTMLElement;
  private readonly transport: Transport;
  private session: Session | null = null;
  private all: Definitions | null = null;
  private world: OpenedFile | null = null;
  /** The number of the world on the screen. */
  private shown: number | null = null;
  /** True until what plays in a new scene is shown in it. */
  private isFresh = true;
  /** The camera that the next scene gets. */
  private camera: string | null = null;
  private turn = 0;
  private assume: Assume = "usual";
  private heard = 0;
  private sound = false;
  /** Shows an event in the text that is beside; false if this text is not there. */
  locate: (part: string, at: string) => boolean = () => false;
  private rows: { row: HTMLElement; at: [number, number][] }[] = [];

  constructor(
    private readonly app: App,
    private readonly file: FileInfo,
    private parts: Part[],
    private readonly part: Part,
    private root: JsonNode,
    private readonly parse: (text: string) => JsonNode,
  ) {
    this.flash = h("div", { class: "flash", hidden: true });
    this.screen = new Screen("Loading the world…", this.flash);
    this.lanes = h("div", { class: "lanes" });
    this.hidden = h("div", { class: "not-shown" });
    const worlds = worldsOf(app, this.opened);
    this.world = worlds[0] ?? null;
    this.transport = new Transport(
      true,
      (time, jumped) => this.draw(time, jumped),
      checkbox("Sound", false, (on) => (this.sound = on)),
      select<Assume>(
        "What conditions on the player and chance are taken for",
        [
          ["usual", "Player near, no luck"],
          ["holds", "Conditions hold"],
          ["fails", "Conditions fail"],
        ],
        "usual",
        (value) => {
          this.assume = value;
          void this.start();
        },
      ),
      worlds.length > 1
        ? select<string>(
            "World",
            worlds.map((world) => [String(world.number), world.path]),
            String(worlds[0].number),
            (value) => {
              this.world = worlds.find((world) => String(world.number) === value) ?? null;
              void this.start();
            },
          )
        : null,
      iconButton("frame", "Frame what moves", () => this.frame()),
    );
    this.element = h(
      "div",
      { class: "part play" },
      this.screen.element,
      this.transport.element,
      h(
        "div",
        { class: "scroll timeline", tabIndex: 0, role: "region", "aria-label": "Events" },
        this.lanes,
        this.hidden,
      ),
    );
    this.list([root], [0]);
    void this.start();
  }

  /** Plays the definition as it is now, from the same camera and at the same time. */
  async renew(root: JsonNode, parts: Part[], keepsWorld: boolean): Promise<void> {
    this.root = root;
    this.parts = parts;
    const mine = ++this.turn;
    const all = this.all && (await afterEdit(this.app, this.opened, parts, this.all).catch(() => null));
    if (mine !== this.turn) return;
    const index = all?.paths.indexOf(this.part.path) ?? -1;
    if (all?.old?.delete(index)) all.docs[index] = plain(root);
    this.all = all;
    if (!keepsWorld) {
      this.shown = null;
      this.camera = this.screen.three?.view.toString() ?? null;
    }
    await this.start();
  }

  private get opened(): OpenedFile {
    return this.app.byNumber(this.file.number) as OpenedFile;
  }

  private async start(): Promise<void> {
    const { app, screen } = this;
    const mine = ++this.turn;
    const isGone = (): boolean => screen.gone || mine !== this.turn;
    try {
      const { world } = this;
      if (!world) throw new Error("no world is open: open the game's folder to see this animation in its world");
      // What plays already is seen until it is replaced.
      const isNew = world.number !== this.shown;
      const progress = (done: number, of: number): void => {
        if (isNew) screen.say(`Loading definitions: ${count(done)} of ${count(of)}`);
      };
      const all = this.all ?? (await definitionsOf(app, this.opened, this.parts, progress));
      if (isGone()) return;
      const index = all.paths.indexOf(this.part.path);
      if (index < 0) throw new Error("the definition is not in the file's manifest");
      if (isNew) {
        const scene = await load(app, world, screen.say);
        if (isGone()) return;
        // Texture cycles of the world follow the animation's time.
        screen.open(app, scene, world.number, `${world.path}, with the animation.`).setAnimate(false);
        if (this.camera) screen.three?.view.restore(this.camera);
        this.shown = world.number;
        this.isFresh = true;
      }
      if (!screen.presenter) return;
      const session = await sessionOf(app, this.opened, all, screen.presenter.stage, index, this.assume);
      const reached = session.show.reached(index);
      const roots = await Promise.all(
        reached.map((at) =>
          at === index
            ? this.root
            : app.source
                .part(this.file.number, all.paths[at])
                .then((blob) => blob.text())
                .then(this.parse),
        ),
      );
      if (isGone()) return;
      this.all = all;
      this.session = session;
      this.list(
        [this.root, ...roots.filter((_, n) => reached[n] !== index)],
        [index, ...reached.filter((at) => at !== index)],
      );
      this.explain(all);
      screen.ready();
      this.transport.setLength(session.length);
      this.transport.seek(this.transport.time);
      if (!this.isFresh) return;
      this.isFresh = false;
      if (!this.camera) {
        this.frame();
        screen.play(this.transport);
      }
      this.camera = null;
    } catch (error) {
      if (mine !== this.turn) return;
      this.shown = null;
      screen.fail(error);
    }
  }

  /** True if one of these files is the world in which it plays. */
  shows(files: Set<number>): boolean {
    return this.world !== null && files.has(this.world.number);
  }

  /** Frames everything that moves over the whole time. */
  private frame(): void {
    const { session } = this;
    const { three } = this.screen;
    if (!three || !session) return;
    const rows = new Set<number>();
    for (const part of [0, 0.25, 0.5, 0.75, 1])
      for (const row of session.at(session.length * part).nodes.keys()) rows.add(row);
    const root = session.show.bounds[session.definition].root;
    if (!rows.size && root !== null) rows.add(root);
    const box = [...rows].map((row) => three.bounds(row)).filter((each) => each !== null);
    const all = box.reduce((sum, each) => sum.union(each), box[0]?.clone());
    if (!all) return three.home();
    const center = all.getCenter(three.view.position.clone());
    const radius = Math.max(2, all.getSize(three.view.position.clone()).length() / 2);
    three.view.yaw = 0.5;
    three.view.pitch = -0.35;
    three.view.frame(center, radius * 1.15);
    this.draw(this.transport.time, true);
  }

  private draw(time: number, jumped: boolean): void {
    const { session } = this;
    const { presenter } = this.screen;
    if (!session || !presenter) return;
    const state = session.at(time);
    presenter.time = time;
    presenter.show(state);
    this.flash.hidden = !state.screen;
    if (state.screen) {
      const [r, g, b, a] = state.screen;
      this.flash.style.background = `rgb(${Math.round(r * 255)} ${Math.round(g * 255)} ${Math.round(b * 255)} / ${a})`;
    }
    this.lanes.style.setProperty("--now", String(time / session.length));
    for (const { row, at } of this.rows)
      row.classList.toggle(
        "now",
        at.some(([from, to]) => time >= from && time <= Math.max(to, from + 0.12)),
      );
    this.hear(state, jumped);
  }

  private hear(state: State, jumped: boolean): void {
    const from = jumped ? state.sounds.length : this.heard;
    this.heard = state.sounds.length;
    if (!this.sound || !this.transport.playing) return;
    for (const { name, switched } of state.sounds.slice(from)) {
      if (switched === false) continue;
      void soundUrl(this.app, name).then((url) => (url ? new Audio(url).play().catch(() => undefined) : undefined));
    }
  }

  /** The events of a definition and of those that it calls. */
  private list(roots: JsonNode[], indices: number[]): void {
    const { app, session } = this;
    const focused = document.activeElement;
    const at = focused instanceof HTMLElement && this.lanes.contains(focused) ? focused.dataset.at : undefined;
    this.rows = [];
    const length = session?.length ?? 1;
    const lanes = roots.flatMap((root, n) =>
      lanesOf(root, indices[n], n ? `${str(get(root, "animation_name"))}: ` : ""),
    );
    fill(
      this.lanes,
      lanes.map((lane) => {
        let depth = 0;
        return h(
          "section",
          null,
          h("h3", null, lane.title, h("small", { class: "quiet" }, ` ${lane.about}`)),
          lane.events.map((event, n) => {
            const kind = event.children.find((child) => !["at", "pad", "extra"].includes(child.key ?? ""))?.key ?? "";
            if (["ELSE", "ELSEIF", "ENDIF"].includes(kind)) depth = Math.max(0, depth - 1);
            const indent = depth;
            if (["IF", "ELSE", "ELSEIF"].includes(kind)) depth++;
            const at = (session?.log ?? [])
              .filter(
                (each) => each.definition === lane.definition && each.sequence === lane.sequence && each.event === n,
              )
              .map((each): [number, number] => [each.time, each.end ?? length]);
            const path = this.all?.paths[lane.definition] ?? this.part.path;
            return this.row(app, path, event, kind, indent, at, length);
          }),
        );
      }),
    );
    if (at) this.lanes.querySelector<HTMLElement>(`[data-at="${CSS.escape(at)}"]`)?.focus();
  }

  private row(
    app: App,
    path: string,
    event: JsonNode,
    kind: string,
    depth: number,
    at: [number, number][],
    length: number,
  ): HTMLElement {
    const body = get(event, kind) ?? event;
    const clock = get(event, "at");
    const when = (seconds: number): string =>
      clock ? `${(clock.children[0]?.value ?? "").toLowerCase()} + ${short(seconds)} s` : "after the event before";
    const stored = clock?.children[1];
    const time = Number(stored?.value ?? 0);
    const bars = at.slice(0, 200).map(([from, to]) => {
      const bar = h("span", { class: "event-bar" });
      bar.style.left = `${(from / length) * 100}%`;
      bar.style.width = `${(Math.max(0, Math.min(to, length) - from) / length) * 100}%`;
      return bar;
    });
    const details = body.children.map((field) => {
      const named =
        nameOf(field, "anim-definition") ??
        (field.type === "object" && get(field, "name")
          ? { kind: "node", name: str(get(field, "name")) }
          : field.type === "string" && /node$|^parent$|^child$/.test(field.key ?? "")
            ? { kind: "node", name: field.value }
            : null);
      const value = field.children.length
        ? field.type === "object"
          ? field.children
              .map((child) => `${child.key} ${child.children.length ? summary(child) : child.value}`)
              .join(", ")
          : summary(field)
        : field.value;
      return h(
        "span",
        { class: "event-field" },
        h("span", { class: "quiet" }, `${field.key} `),
        named
          ? h(
              "button",
              { type: "button", class: "link", onclick: () => inspectName(app, named.kind, named.name) },
              value,
            )
          : field.key === "script" && field.type === "string"
            ? h("a", { href: app.href({ file: this.file.path, view: "animations", part: `${value}.json` }) }, value)
            : value,
      );
    });
    const started = at.length ? short(at[0][0], 2) : "never";
    const starts = at.length > 1 ? `${at.length} times` : at.length ? `at ${started} s` : "does not start";
    const startText = h("span", { class: "mono quiet event-time" }, this.session ? started : "");
    const key =
      stored?.type === "number" && this.session && app.edits?.possible
        ? timeKey({
            label: kind,
            at: `${path} ${stored.at}`,
            time,
            min: Math.min(0, time),
            max: Infinity,
            span: length,
            start: at.length ? at[0][0] : time,
            say: when,
            preview: (by) => (startText.textContent = by ? short((at[0]?.[0] ?? time) + by, 2) : started),
            put: async (value) => {
              const place = { file: this.file.path, part: path, path: stored.at };
              return Boolean(await app.edits?.make({ do: "set", ...place, value, old: spelled(stored) }));
            },
          })
        : null;
    const why = whyNot(kind, plain(body));
    const row = h(
      "div",
      { class: `event${why ? " unseen" : ""}`, title: why ? `Not shown: ${why}` : undefined },
      keyTrack(
        h(
          "button",
          {
            type: "button",
            class: "event-track",
            title: `${when(time)}; ${starts}`,
            "aria-label": `Go to ${kind}`,
            onclick: () => at.length && this.transport.seek(at[0][0]),
          },
          bars,
        ),
        key,
      ),
      startText,
      h(
        "a",
        {
          class: "event-kind",
          href: app.href({ file: this.file.path, view: "contents", part: path, at: event.at }),
          onclick: (click: MouseEvent) => {
            if (!click.ctrlKey && !click.metaKey && this.locate(path, event.at)) click.preventDefault();
          },
        },
        kind,
      ),
      h("span", { class: "event-fields" }, details),
    );
    row.style.setProperty("--depth", String(depth));
    this.rows.push({ row, at });
    return row;
  }

  /** Unsupported parts, and assumptions. */
  private explain(all: Definitions): void {
    const { session } = this;
    if (!session) return;
    const reasons = new Map<string, { kinds: Set<string>; n: number }>();
    let conditions = 0;
    for (const at of session.show.reached(session.definition)) {
      for (const event of eventLists(all.docs[at]).flat().map(eventOf)) {
        if (event.kind === "IF" || event.kind === "ELSEIF") conditions++;
        const why = whyNot(event.kind, event.body);
        if (!why) continue;
        const one = reasons.get(why) ?? { kinds: new Set<string>(), n: 0 };
        one.kinds.add(event.kind);
        one.n++;
        reasons.set(why, one);
      }
    }
    const of = all.docs[session.definition];
    const notes = [
      ...[...reasons].map(([why, { kinds, n }]) => `${[...kinds].join(", ")} (${count(n)}): ${why}`),
      ...[...session.show.missing].map(([kind, names]) => {
        const said = [...names].join(", ");
        return kind === "second parent"
          ? `${said} would hang on two nodes: it stays where it is`
          : kind === "animation"
            ? `calls of animations that this file does not have: ${said}`
            : `${kind}s that the world or the file does not have: ${said}`;
      }),
      conditions > 0 &&
        `${plural(conditions, "condition")}: the choice above the timeline says what they are taken for; ` +
          "conditions on nodes are computed",
      list(of.prerequisites).length > 0 && "what must hold before it starts is taken to hold",
      session.endless && `it goes on: the timeline ends after ${short(session.length, 1)} s`,
      of.activation === "ON_CALL" || of.activation === undefined
        ? false
        : `the game starts it: ${nameText(of.activation).toLowerCase().replaceAll("_", " ")}`,
    ].filter((note): note is string => typeof note === "string");
    fill(
      this.hidden,
      h("h3", null, "Not shown, or taken for granted"),
      notes.length
        ? h(
            "ul",
            { class: "notes" },
            notes.map((note) => h("li", null, note)),
          )
        : h("p", { class: "quiet" }, "Everything that this animation does is shown."),
    );
  }

  dispose(): void {
    this.transport.dispose();
    this.screen.dispose();
  }
}

/** A parsed value as the plain value that the player reads. */
function plain(node: JsonNode): Record<string, unknown> {
  const value = (of: JsonNode): unknown => {
    if (of.type === "object") return Object.fromEntries(of.children.map((child) => [child.key ?? "", value(child)]));
    if (of.type === "array") return of.children.map(value);
    return of.type === "number"
      ? Number(of.value)
      : of.value === "true" && of.type === "word"
        ? true
        : of.value === "false" && of.type === "word"
          ? false
          : of.value === "null" && of.type === "word"
            ? null
            : of.value;
  };
  const out = value(node);
  return typeof out === "object" && out !== null && !Array.isArray(out) ? (out as Record<string, unknown>) : {};
}
