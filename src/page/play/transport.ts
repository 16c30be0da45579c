// Play, pause, seek, speed and loop: what animations and motions have in common.

import { checkbox, h, icon, select, short } from "../dom";
import { bind } from "../keys";

export class Transport {
  readonly element: HTMLElement;
  time = 0;
  playing = false;
  private speed = 1;
  private loop: boolean;
  private frame = 0;
  private last = 0;
  private length = 1;
  private readonly slider: HTMLInputElement;
  private readonly text: HTMLElement;
  private readonly button: HTMLButtonElement;
  private readonly unbind: (() => void)[];

  constructor(
    loop: boolean,
    /** Shows a time; `jumped` if it did not come from the time before. */
    private readonly show: (time: number, jumped: boolean) => void,
    ...more: (HTMLElement | null)[]
  ) {
    this.loop = loop;
    this.button = h("button", { type: "button", class: "button play-button", onclick: () => this.toggle() });
    this.slider = h("input", {
      type: "range",
      min: "0",
      step: "any",
      value: "0",
      class: "grow",
      "aria-label": "Time in seconds",
      oninput: () => this.seek(Number(this.slider.value)),
    });
    this.text = h("span", { class: "mono number time-text" });
    this.element = h(
      "div",
      { class: "bar transport" },
      this.button,
      this.slider,
      this.text,
      select<string>(
        "Speed",
        [
          ["0.1", "0.1 ×"],
          ["0.25", "0.25 ×"],
          ["0.5", "0.5 ×"],
          ["1", "1 ×"],
          ["2", "2 ×"],
          ["4", "4 ×"],
        ],
        "1",
        (value) => (this.speed = Number(value)),
      ),
      checkbox("Loop", loop, (on) => (this.loop = on)),
      ...more,
    );
    this.unbind = [
      bind("Animation", " ", "Play or pause", () => this.toggle()),
      bind("Animation", ",", "A tenth of a second back", () => this.seek(this.time - 0.1)),
      bind("Animation", ".", "A tenth of a second on", () => this.seek(this.time + 0.1)),
      bind("Animation", "Home", "To the start", () => this.seek(0)),
      bind("Animation", "← →", "On the time of an event: earlier and later; Enter makes the edit"),
    ];
    this.draw();
  }

  setLength(length: number): void {
    this.length = length;
    this.slider.max = String(length);
    this.draw();
  }

  seek(time: number): void {
    this.time = Math.max(0, Math.min(this.length, time));
    this.draw();
    this.show(this.time, true);
  }

  toggle(on = !this.playing): void {
    this.playing = on;
    if (on && this.time >= this.length) this.seek(0);
    this.last = 0;
    cancelAnimationFrame(this.frame);
    if (on) this.frame = requestAnimationFrame((now) => this.step(now));
    this.draw();
  }

  private step(now: number): void {
    if (!this.playing) return;
    const passed = this.last ? Math.min(0.25, (now - this.last) / 1000) : 0;
    this.last = now;
    let time = this.time + passed * this.speed;
    let jumped = false;
    if (time >= this.length) {
      jumped = this.loop;
      if (this.loop) time = time - this.length < this.length ? time - this.length : 0;
      else {
        time = this.length;
        this.playing = false;
      }
    }
    this.time = time;
    this.draw();
    this.show(time, jumped);
    if (this.playing) this.frame = requestAnimationFrame((next) => this.step(next));
  }

  private draw(): void {
    this.slider.value = String(this.time);
    this.slider.setAttribute("aria-valuetext", `${short(this.time, 2)} seconds`);
    this.text.textContent = `${this.time.toFixed(2)} / ${this.length.toFixed(2)} s`;
    const label = this.playing ? "Pause" : "Play";
    if (this.button.textContent !== label) this.button.replaceChildren(icon(this.playing ? "pause" : "play"), label);
  }

  dispose(): void {
    this.toggle(false);
    this.unbind.forEach((end) => end());
  }
}
