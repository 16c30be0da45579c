// A time in a timeline that is moved with the mouse or the arrow keys.

import { h } from "../dom";

export interface Timed {
  /** What happens at this time. */
  label: string;
  /** Where the value is, which finds it again after the edit. */
  at: string;
  time: number;
  min: number;
  max: number;
  /** The seconds that the track shows, and where on it the time is. */
  span: number;
  start: number;
  /** A time in words. */
  say(time: number): string;
  /** Shows how far the time is moved, before it is an edit. */
  preview(by: number): void;
  /** Makes the edit; false if it was not made. */
  put(time: number): Promise<boolean>;
}

const HELP =
  "Drag it, or move it with ← and → by 0.1 s, with Shift by 0.01 s. Enter makes the edit, Escape takes it back";

/** The one that is moved, and no edit yet. */
let moved: HTMLElement | null = null;
/** True while a time is moved: then nothing is loaded again. */
export const isMoving = (): boolean => moved?.isConnected ?? false;

/** Makes the handle of a time. It belongs into an element that is as wide as the track. */
export function timeKey(of: Timed): HTMLElement {
  let now = of.time;
  /** Where the mouse took it. */
  let from: { x: number; time: number } | null = null;
  let isBusy = false;
  const draw = (): void => {
    const place = Math.max(0, Math.min(1, (of.start + now - of.time) / of.span));
    key.style.left = `${place * 100}%`;
    key.title = `${of.label}: ${of.say(now)}. ${HELP}`;
    key.setAttribute("aria-label", `Time of ${of.label}`);
    key.setAttribute("aria-valuenow", String(now));
    key.setAttribute("aria-valuetext", of.say(now));
    key.classList.toggle("moved", now !== of.time);
  };
  const set = (time: number): void => {
    now = Math.max(of.min, Math.min(of.max, time));
    moved = now === of.time && !from ? null : key;
    draw();
    of.preview(now - of.time);
  };
  const back = (): void => {
    from = null;
    set(of.time);
  };
  const put = async (): Promise<void> => {
    from = null;
    moved = null;
    if (now === of.time || isBusy) return;
    isBusy = true;
    const isDone = await of.put(now);
    isBusy = false;
    // After the edit, the timeline has another one.
    if (!isDone) back();
  };
  const key = h("div", {
    class: "time-key",
    role: "slider",
    tabIndex: 0,
    "data-at": of.at,
    "aria-valuemin": String(of.min),
    "aria-valuemax": String(Number.isFinite(of.max) ? of.max : Math.max(of.time, of.span)),
    onpointerdown: (event: PointerEvent) => {
      if (event.button !== 0 || isBusy) return;
      key.setPointerCapture(event.pointerId);
      from = { x: event.clientX, time: now };
      moved = key;
    },
    onpointermove: (event: PointerEvent) => {
      const width = key.parentElement?.clientWidth ?? 0;
      if (!from || !width) return;
      const perPixel = of.span / width;
      const by = (event.clientX - from.x) * perPixel;
      // A time that a person would type.
      const step = perPixel > 0.05 ? 10 : 100;
      set(by ? Math.round((from.time + by) * step) / step : from.time);
    },
    onpointerup: () => from && void put(),
    onlostpointercapture: () => from && back(),
    onkeydown: (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (by && !isBusy) set(Number((now + by * (event.shiftKey ? 0.01 : 0.1)).toFixed(4)));
      else if (event.key === "Enter") void put();
      else if (event.key === "Escape" && moved === key) back();
      else if (!by) return;
      event.preventDefault();
      event.stopPropagation();
    },
    onblur: () => {
      if (!from) void put();
    },
  });
  draw();
  return key;
}

/** A track with the handles of its times. */
export const keyTrack = (track: HTMLElement, ...keys: (HTMLElement | null)[]): HTMLElement =>
  h("div", { class: "key-track" }, track, keys);
