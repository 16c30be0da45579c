// The place where an animation or a motion plays: a scene, or a message while there is none.

import type { App } from "../app";
import { fill, h } from "../dom";
import type { PackedScene } from "../scene/packed";
import { SceneRenderer } from "../scene/renderer";
import { Presenter } from "./present";
import { Stage } from "./stage";

export class Screen {
  readonly element: HTMLElement;
  three: SceneRenderer | null = null;
  presenter: Presenter | null = null;
  gone = false;
  /** The scene has nothing to draw. */
  private isEmpty = false;
  private readonly status: HTMLElement;

  constructor(text: string, ...more: HTMLElement[]) {
    this.status = h("div", { class: "overlay", role: "status" }, text);
    this.element = h("div", { class: "viewport play-viewport" }, more, this.status);
  }

  /** Shows a progress message instead of the scene. */
  readonly say = (text: string): void => {
    this.status.hidden = false;
    this.status.textContent = text;
  };

  fail(error: unknown): void {
    if (this.gone) return;
    this.status.hidden = false;
    fill(this.status, h("p", null, error instanceof Error ? error.message : String(error)));
  }

  /** Called when the scene becomes visible. */
  ready(): void {
    this.status.hidden = !this.isEmpty;
    if (this.isEmpty)
      this.status.textContent = "No node of this world has a model, so there is nothing to see. The events are below.";
  }

  /** Replaces the scene. `label` describes the new one. */
  open(app: App, scene: PackedScene, file: number, label: string): SceneRenderer {
    this.three?.dispose();
    const three = new SceneRenderer(scene, app.source, file);
    three.show(this.element, `${label} Drag to turn, wheel to zoom.`);
    window.refitScene = three;
    const backdrop = /^#(..)(..)(..)$/.exec(getComputedStyle(this.element).getPropertyValue("--viewport").trim());
    if (backdrop)
      three.setBackground([1, 2, 3].map((n) => parseInt(backdrop[n], 16) / 255) as [number, number, number]);
    this.three = three;
    this.isEmpty = !scene.header.shapes.length;
    this.presenter = new Presenter(three, new Stage(scene));
    return three;
  }

  /** Starts playing, unless the user prefers reduced motion. Tests set the time with `seek`. */
  play(transport: { seek(time: number): void; toggle(on: boolean): void }): void {
    window.refitPlay = {
      ...(window.refitPlay as NonNullable<Window["refitPlay"]>),
      seek: (time) => transport.seek(time),
    };
    if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) transport.toggle(true);
  }

  dispose(): void {
    this.gone = true;
    if (window.refitScene === this.three) window.refitScene = undefined;
    if (window.refitPlay) delete window.refitPlay.seek;
    this.three?.dispose();
  }
}
