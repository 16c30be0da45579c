// The keys of a script of movement, on their times.

import type { App } from "../app";
import { fill, h, short } from "../dom";
import { spelled, type Json } from "../edit/form";
import { summary, type JsonNode } from "../json";
import type { FileInfo, Part } from "../source";
import { keyTrack, timeKey } from "./key";
import { get } from "./panel";

/** The least time between two keys. */
const LEAST = 0.001;

/** The values of a node times a factor. Other values stay. */
const scaled = (node: JsonNode, factor: number): Json => {
  if (node.type === "array") return node.children.map((child) => scaled(child, factor));
  return node.type === "number" && Number(node.value) !== 0 ? Number(node.value) * factor : spelled(node);
};

/** A frame that lasts from one time to another: what moves in it gets as far as before, in this time. */
export function retimed(frame: JsonNode, from: number, to: number): Json {
  const [start, end] = (get(frame, "time")?.children ?? []).map((child) => Number(child.value));
  const factor = end > start ? (end - start) / (to - from) : 1;
  const part = (node: JsonNode): Json =>
    Object.fromEntries(
      node.children.map((child) => {
        if (child.key === "rate") return ["rate", scaled(child, factor)];
        if (child.key !== "spline") return [child.key ?? "", spelled(child)];
        // For each axis, the value and its coefficients in ascending powers.
        const axes = child.children.map((axis) => axis.children.map((each, power) => scaled(each, factor ** power)));
        return ["spline", axes];
      }),
    );
  return Object.fromEntries(
    frame.children.map((child) => {
      if (child.key === "time") return ["time", [from, to]];
      return [child.key ?? "", child.type === "object" && factor !== 1 ? part(child) : spelled(child)];
    }),
  );
}

export class ScriptPanel {
  readonly element = h("div", { class: "scroll timeline", tabIndex: 0, role: "region", "aria-label": "Timeline" });

  constructor(
    private readonly app: App,
    private readonly file: FileInfo,
    private readonly part: Part,
    root: JsonNode,
  ) {
    this.list(root);
  }

  /** Shows the script as it is now. */
  renew(root: JsonNode): void {
    this.list(root);
  }

  private list(root: JsonNode): void {
    const all = get(root, "frames");
    const frames = all?.children ?? [];
    const times = frames.map((frame) => (get(frame, "time")?.children ?? []).map((child) => Number(child.value) || 0));
    const isPlain = frames.map((frame) => get(frame, "time")?.children.every((child) => child.type === "number"));
    const span = Math.max(LEAST, ...times.map(([, to]) => to ?? 0));
    const focused = document.activeElement;
    const at = focused instanceof HTMLElement && this.element.contains(focused) ? focused.dataset.at : undefined;
    /** Moves the key at the start of a frame, or the one at the end of the last frame. */
    const move = async (n: number, time: number): Promise<boolean> => {
      if (!all) return false;
      const value = frames.map((frame, i) => {
        const [from = 0, to = 0] = times[i];
        if (i === n) return retimed(frame, time, to);
        return i === n - 1 && (n === frames.length || to === times[n][0]) ? retimed(frame, from, time) : spelled(frame);
      });
      const place = { file: this.file.path, part: this.part.path, path: all.at };
      return Boolean(await this.app.edits?.make({ do: "set", ...place, value, old: spelled(all) }));
    };
    const key = (n: number, startText: HTMLElement): HTMLElement | null => {
      const isEnd = n === frames.length;
      const own = isEnd ? n - 1 : n;
      const isAfter = n > 0 && (isEnd || times[n - 1][1] === times[n][0]);
      if (!this.app.edits?.possible || !isPlain[own] || (isAfter && !isPlain[n - 1])) return null;
      const time = times[own][isEnd ? 1 : 0];
      return timeKey({
        label: isEnd ? "the end" : `key ${n}`,
        at: `frames ${n}`,
        time,
        min: Math.min(time, n === 0 ? 0 : isAfter ? times[n - 1][0] + LEAST : times[n - 1][1]),
        max: isEnd ? Infinity : Math.max(time, times[n][1] - LEAST),
        span,
        start: time,
        say: (seconds) => `${short(seconds)} s`,
        preview: (by) => {
          if (!isEnd) startText.textContent = short(time + by, 3);
        },
        put: (value) => move(n, value),
      });
    };
    fill(
      this.element,
      frames.map((frame, n) => {
        const [from = 0, to = 0] = times[n];
        const bar = h("span", { class: "event-bar" });
        bar.style.left = `${(from / span) * 100}%`;
        bar.style.width = `max(2px, ${((to - from) / span) * 100}%)`;
        const startText = h("span", { class: "mono quiet event-time" }, short(from, 3));
        return h(
          "div",
          { class: "event" },
          keyTrack(
            h("span", { class: "event-track" }, bar),
            key(n, startText),
            n === frames.length - 1 ? key(n + 1, startText) : null,
          ),
          startText,
          h(
            "span",
            null,
            frame.children
              .filter((child) => child.key !== "time")
              .map((child) => `${child.key} ${summary(child)}`)
              .join("; "),
          ),
        );
      }),
    );
    if (at) this.element.querySelector<HTMLElement>(`[data-at="${CSS.escape(at)}"]`)?.focus();
  }
}
