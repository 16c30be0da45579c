// One definition that plays: its length, its events, and its state at a time.

import { Player, type Happened } from "./player";
import type { Show, State } from "./show";

/** Maximum length of the timeline, in seconds, and its maximum number of events. */
const LONGEST = 60;
const MOST = 2_000;

export class Session {
  readonly length: number;
  /** True if something continues after the end. */
  readonly endless: boolean;
  /** All events within the length. */
  readonly log: Happened[];
  private player: Player;

  constructor(
    readonly show: Show,
    readonly definition: number,
  ) {
    show.missing.clear();
    let length = 0;
    const ahead = new Player(show, definition);
    for (
      let next = ahead.nextTime();
      next !== null && next <= LONGEST && ahead.log.length < MOST;
      next = ahead.nextTime()
    ) {
      ahead.at(next);
      length = Math.max(length, next);
    }
    this.endless = ahead.nextTime() !== null;
    this.length = length === 0 ? 1 : length;
    this.log = ahead.log;
    this.player = new Player(show, definition);
  }

  /** The state at a time, independent of earlier calls. */
  at(time: number): State {
    if (time < this.player.reached) this.player = new Player(this.show, this.definition);
    return this.player.at(time);
  }

  /** How many events have started. */
  get happened(): number {
    return this.player.log.length;
  }
}

/** A state as the library's samples have it (src/workbench/play/sample.rs). */
export function written(show: Show, state: State): unknown {
  const { stage } = show;
  const rows = [...state.nodes.keys()].sort((a, b) => a - b);
  const lights = [...state.lights].map(([key, light]) => {
    const slash = key.indexOf("/");
    const definition = Number(key.slice(0, slash));
    const name = key.slice(slash + 1);
    return { definition, name, light };
  });
  lights.sort((a, b) => a.definition - b.definition || (a.name < b.name ? -1 : 1));
  return {
    nodes: rows.map((row) => {
      const node = stage.state(state.nodes, row);
      return [
        row,
        node.active,
        node.parent,
        node.translucent,
        node.opacity,
        node.cycle,
        node.pose.translation,
        node.pose.rows,
        stage.world(state.nodes, row),
      ];
    }),
    lights: lights.map(({ definition, name, light }) => [
      `${String(show.definitions[definition].animation_name)}/${name}`,
      light.active,
      light.node,
      light.position,
      light.range,
      light.color,
      light.parts,
    ]),
    fog: [state.fog.kind, state.fog.color, state.fog.altitude, state.fog.range],
    screen: state.screen,
    sounds: state.sounds.map((each) => [each.time, each.name, each.node, each.switched]),
  };
}
