// A sound as a waveform, with its cue points and its loop.

import { baseName, checkbox, count, h, icon, iconButton, plural, short, withBar } from "../dom";
import type { App } from "../app";
import { replacer } from "../edit/files";
import type { FileInfo, Part } from "../source";
import type { PartView } from "./part";

interface Wave {
  rate: number;
  channels: number;
  bits: number;
  samples: Float32Array;
  frames: number;
  cues: { at: number; label: string }[];
  loop: [number, number] | null;
}

export function readWave(data: ArrayBuffer): Wave {
  const view = new DataView(data);
  const tag = (at: number): string => String.fromCharCode(...new Uint8Array(data, at, 4));
  if (data.byteLength < 12 || tag(0) !== "RIFF" || tag(8) !== "WAVE") throw new Error("the sound is not a WAV file");
  let format = 1;
  const wave: Wave = {
    rate: 22050,
    channels: 1,
    bits: 8,
    samples: new Float32Array(0),
    frames: 0,
    cues: [],
    loop: null,
  };
  for (let at = 12; at + 8 <= data.byteLength;) {
    const id = tag(at);
    const size = Math.min(view.getUint32(at + 4, true), data.byteLength - at - 8);
    const body = at + 8;
    if (id === "fmt " && size >= 16) {
      format = view.getUint16(body, true);
      wave.channels = Math.max(1, view.getUint16(body + 2, true));
      wave.rate = view.getUint32(body + 4, true) || 22050;
      wave.bits = view.getUint16(body + 14, true) || 8;
    } else if (id === "data") {
      if (format !== 1 && format !== 0xfffe) throw new Error(`the sound has codec ${format} instead of PCM`);
      const width = wave.bits / 8;
      wave.frames = Math.floor(size / width / wave.channels);
      wave.samples = new Float32Array(wave.frames);
      for (let n = 0; n < wave.frames; n++) {
        const from = body + n * width * wave.channels;
        wave.samples[n] =
          width === 1 ? (view.getUint8(from) - 128) / 128 : view.getInt16(from + width - 2, true) / 32768;
      }
    } else if (id === "cue " && size >= 4) {
      const cues = Math.min(view.getUint32(body, true), Math.floor((size - 4) / 24));
      for (let n = 0; n < cues; n++)
        wave.cues.push({
          at: view.getUint32(body + 4 + n * 24 + 20, true),
          label: String(view.getUint32(body + 4 + n * 24, true)),
        });
    } else if (id === "smpl" && size >= 60 && view.getUint32(body + 28, true) > 0) {
      wave.loop = [view.getUint32(body + 44, true), view.getUint32(body + 48, true)];
    }
    at = body + size + (size & 1);
  }
  return wave;
}

export function soundView(app: App, file: FileInfo, part: Part, data: ArrayBuffer): PartView {
  const wave = readWave(data);
  const url = URL.createObjectURL(new Blob([data], { type: "audio/wav" }));
  const audio = h("audio", { src: url, preload: "auto" });
  const canvas = h("canvas", { class: "wave", role: "img", "aria-label": `waveform of ${part.path}` });
  const seconds = wave.frames / wave.rate;
  const time = h("span", { class: "mono quiet" }, `0.00 / ${seconds.toFixed(2)} s`);
  const play = iconButton("play", "Play", () => (audio.paused ? void audio.play() : audio.pause()), {
    class: "button",
  });
  const seek = h("input", {
    type: "range",
    min: "0",
    max: String(seconds),
    step: "0.001",
    value: "0",
    "aria-label": "Position in seconds",
    oninput: () => (audio.currentTime = Number(seek.value)),
  });
  let frame = 0;
  let repeat = false;
  const draw = (): void => {
    const width = (canvas.width = Math.max(1, canvas.clientWidth));
    const height = (canvas.height = Math.max(1, canvas.clientHeight));
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    const style = getComputedStyle(canvas);
    const colour = (name: string): string => style.getPropertyValue(name);
    context.clearRect(0, 0, width, height);
    const middle = height / 2;
    if (wave.loop) {
      context.fillStyle = colour("--hover");
      context.fillRect(
        (wave.loop[0] / wave.frames) * width,
        0,
        ((wave.loop[1] - wave.loop[0]) / wave.frames) * width,
        height,
      );
    }
    context.fillStyle = colour("--line");
    context.fillRect(0, middle, width, 1);
    context.fillStyle = colour("--accent");
    for (let x = 0; x < width; x++) {
      const from = Math.floor((x / width) * wave.frames);
      const to = Math.max(from + 1, Math.floor(((x + 1) / width) * wave.frames));
      let low = 1;
      let high = -1;
      for (let n = from; n < to && n < wave.frames; n++) {
        low = Math.min(low, wave.samples[n]);
        high = Math.max(high, wave.samples[n]);
      }
      if (high >= low) context.fillRect(x, middle - high * middle * 0.92, 1, Math.max(1, (high - low) * middle * 0.92));
    }
    context.fillStyle = colour("--warn");
    for (const cue of wave.cues) {
      const x = (cue.at / wave.frames) * width;
      context.fillRect(x, 0, 1, height);
      context.fillText(cue.label, x + 3, 11);
    }
    context.fillStyle = colour("--text");
    context.fillRect((audio.currentTime / Math.max(seconds, 1e-6)) * width, 0, 1.5, height);
  };
  const tick = (): void => {
    // A sound with its own loop repeats it, as in the game.
    if (repeat && wave.loop && !audio.paused && audio.currentTime >= wave.loop[1] / wave.rate)
      audio.currentTime = wave.loop[0] / wave.rate;
    time.textContent = `${audio.currentTime.toFixed(2)} / ${seconds.toFixed(2)} s`;
    seek.value = String(audio.currentTime);
    draw();
    if (!audio.paused) frame = requestAnimationFrame(tick);
  };
  const state = (): void => {
    const label = audio.paused ? "Play" : "Pause";
    play.replaceChildren(icon(audio.paused ? "play" : "stop"));
    play.setAttribute("aria-label", label);
    play.title = label;
    tick();
  };
  for (const event of ["play", "pause", "ended", "seeked"]) audio.addEventListener(event, state);
  canvas.addEventListener("click", (event) => (audio.currentTime = (event.offsetX / canvas.clientWidth) * seconds));
  const observer = new ResizeObserver(draw);
  observer.observe(canvas);
  const facts = [
    `${count(wave.rate)} Hz`,
    `${wave.bits} bits`,
    wave.channels === 1 ? "mono" : wave.channels === 2 ? "stereo" : `${wave.channels} channels`,
    `${short(seconds, 2)} s`,
    wave.cues.length ? plural(wave.cues.length, "cue point") : "",
    wave.loop ? "has a loop" : "",
  ].filter(Boolean);
  const host = h("div", { class: "wave-host" }, canvas, seek, h("p", { class: "quiet" }, facts.join(" · ")));
  return {
    element: withBar(
      "part",
      [
        play,
        checkbox("Loop", false, (on) => (audio.loop = repeat = on)),
        h("strong", { class: "ellipsis" }, baseName(part.path)),
        h("span", { class: "grow" }),
        replacer(app, file, "sound", part.path, host),
        time,
      ],
      host,
      audio,
    ),
    dispose: () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      audio.pause();
      audio.removeAttribute("src");
      URL.revokeObjectURL(url);
    },
  };
}
