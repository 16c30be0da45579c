// Pictures: a gallery, and one picture with its channels, its palette, and the same texture in other packages.

import type { App } from "../app";
import { baseName, bytes, checkbox, fill, h, pathEnd, plural, select, withBar } from "../dom";
import { pictureMember, replacer } from "../edit/files";
import type { FileInfo, Part } from "../source";
import { partNamed, type PartView } from "./part";

export function galleryOf(
  app: App,
  file: FileInfo,
  parts: Part[],
): { element: HTMLElement; filter(text: string): void } {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        const image = entry.target as HTMLImageElement;
        observer.unobserve(image);
        void app.source.partUrl(file.number, image.dataset.path as string).then(
          (url) => (image.src = url),
          () => image.dispatchEvent(new Event("error")),
        );
      }
    },
    { rootMargin: "300px" },
  );
  const cards = parts.map((part) => {
    const name = baseName(part.path).replace(/\.png$/, "");
    const size = h("small", { class: "quiet" }, bytes(part.bytes));
    const image = h("img", {
      alt: "",
      class: "checker",
      onload: () => (size.textContent = `${image.naturalWidth} × ${image.naturalHeight}`),
      onerror: () => (size.textContent = "cannot be shown"),
    });
    image.dataset.path = part.path;
    observer.observe(image);
    return h(
      "a",
      { class: "card", href: app.href({ file: file.path, view: "pictures", part: part.path }), title: part.path },
      image,
      h("span", { class: "ellipsis" }, name),
      size,
    );
  });
  const element = h("div", { class: "gallery", tabIndex: 0, role: "region", "aria-label": "Pictures" }, cards);
  return {
    element,
    filter: (text) => cards.forEach((card, n) => (card.hidden = !parts[n].path.toLowerCase().includes(text))),
  };
}

export async function pictureView(app: App, file: FileInfo, part: Part, all: Part[]): Promise<PartView> {
  const blob = await app.source.part(file.number, part.path);
  const bitmap = await createImageBitmap(blob, { premultiplyAlpha: "none", colorSpaceConversion: "none" });
  const canvas = h("canvas", { class: "picture", role: "img", "aria-label": `picture ${part.path}` });
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  const context = canvas.getContext("2d", { willReadFrequently: true }) as CanvasRenderingContext2D;
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  const original = context.getImageData(0, 0, canvas.width, canvas.height);
  const palette = readPalette(await blob.arrayBuffer());
  let zoom = 0;
  const pixel = h("span", { class: "quiet mono", role: "status" });
  const stage = h("div", { class: "stage", tabIndex: 0, role: "region", "aria-label": "Picture" }, canvas);
  const fit = (): number =>
    Math.max(
      1,
      Math.floor(Math.min((stage.clientWidth - 24) / canvas.width, (stage.clientHeight - 24) / canvas.height)),
    );
  const apply = (): void => {
    const scale = zoom || fit();
    canvas.style.width = `${canvas.width * scale}px`;
    canvas.style.height = `${canvas.height * scale}px`;
  };
  const channel = (which: string): void => {
    const data = new ImageData(new Uint8ClampedArray(original.data), canvas.width, canvas.height);
    const pick = "rgba".indexOf(which);
    if (which === "rgb" || pick >= 0) {
      for (let i = 0; i < data.data.length; i += 4) {
        if (pick >= 0) data.data[i] = data.data[i + 1] = data.data[i + 2] = original.data[i + pick];
        data.data[i + 3] = 255;
      }
    }
    context.putImageData(data, 0, 0);
  };
  canvas.addEventListener("pointermove", (event) => {
    const rect = canvas.getBoundingClientRect();
    const x = Math.min(
      canvas.width - 1,
      Math.max(0, Math.floor(((event.clientX - rect.left) / rect.width) * canvas.width)),
    );
    const y = Math.min(
      canvas.height - 1,
      Math.max(0, Math.floor(((event.clientY - rect.top) / rect.height) * canvas.height)),
    );
    const i = (y * canvas.width + x) * 4;
    const [r, g, b, a] = original.data.slice(i, i + 4);
    pixel.textContent = `${x}, ${y}: ${r} ${g} ${b}, alpha ${a}`;
  });
  const observer = new ResizeObserver(apply);
  observer.observe(stage);
  const others = h("div", { class: "others" });
  const name = baseName(part.path).replace(/\.png$/, "");
  void versions(app, file, part, all, name).then(
    (found) => fill(others, found),
    () => undefined,
  );
  return {
    element: withBar(
      "part",
      [
        h("strong", { class: "ellipsis" }, name),
        h("span", { class: "quiet" }, `${canvas.width} × ${canvas.height}`),
        replacer(app, file, "picture", pictureMember(file, part.path), stage),
        select(
          "Zoom",
          [
            ["0", "Fit"],
            ["1", "100 %"],
            ["2", "200 %"],
            ["4", "400 %"],
            ["8", "800 %"],
            ["16", "1600 %"],
          ],
          "0",
          (value) => {
            zoom = Number(value);
            apply();
          },
        ),
        select(
          "Channels",
          [
            ["rgba4", "All channels"],
            ["rgb", "Colour only"],
            ["r", "Red"],
            ["g", "Green"],
            ["b", "Blue"],
            ["a", "Alpha"],
          ],
          "rgba4",
          channel,
        ),
        checkbox("Checks", true, (on) => canvas.classList.toggle("checker", on)),
        h("span", { class: "grow" }),
        pixel,
      ],
      stage,
      palette.length > 0 && paletteStrip(palette),
      others,
    ),
    show: () => {
      canvas.classList.add("checker");
      apply();
    },
    dispose: () => observer.disconnect(),
  };
}

/** The colours of a PNG's palette. */
export function readPalette(png: ArrayBuffer): [number, number, number][] {
  const view = new DataView(png);
  for (let at = 8; at + 8 <= png.byteLength;) {
    const size = view.getUint32(at);
    if (view.getUint32(at + 4) === 0x504c5445 && at + 8 + size <= png.byteLength) {
      return Array.from(
        { length: Math.floor(size / 3) },
        (_, n) => [0, 1, 2].map((k) => view.getUint8(at + 8 + n * 3 + k)) as [number, number, number],
      );
    }
    at += size + 12;
  }
  return [];
}

function paletteStrip(palette: [number, number, number][]): HTMLElement {
  return h(
    "details",
    { class: "palette" },
    h("summary", null, `Palette of ${plural(palette.length, "colour")}`),
    h(
      "div",
      { class: "palette-colours" },
      palette.map(([r, g, b], n) => {
        const swatch = h("span", { title: `${n}: ${r} ${g} ${b}` });
        swatch.style.background = `rgb(${r}, ${g}, ${b})`;
        return swatch;
      }),
    ),
  );
}

/** The same picture in other packages, side by side. */
async function versions(app: App, file: FileInfo, part: Part, all: Part[], name: string): Promise<HTMLElement | null> {
  const refs = await app.source.refs("texture", name.replace(/\.alpha$/, ""));
  const found: { file: number; document: string }[] = [];
  for (const place of refs.defines) {
    if (place.file === null || place.file === undefined || place.file === file.number) continue;
    // Packages have no document for each picture; use the part with its name.
    const document =
      place.document ||
      partNamed(
        (await app.source.tree(place.file)).parts.filter((each) => each.kind === "picture"),
        place.name,
      )?.path;
    if (document?.endsWith(".png")) found.push({ file: place.file, document });
  }
  const near = all.filter(
    (each) => each !== part && baseName(each.path).replace(/(\.alpha)?\.png$/, "") === name.replace(/\.alpha$/, ""),
  );
  if (!found.length && !near.length) return null;
  const shot = (n: number, path: string, label: string): HTMLElement => {
    const size = h("small", { class: "quiet" });
    const image = h("img", {
      class: "checker",
      alt: "",
      onload: () => (size.textContent = `${image.naturalWidth} × ${image.naturalHeight}`),
    });
    void app.source.partUrl(n, path).then(
      (url) => (image.src = url),
      () => undefined,
    );
    return h(
      "a",
      { class: "card", href: app.href({ file: app.byNumber(n)?.path ?? "", view: "pictures", part: path }) },
      image,
      h("span", { class: "one-line", title: label }, pathEnd(label)),
      size,
    );
  };
  return h(
    "div",
    null,
    h("h3", null, "The same texture elsewhere"),
    h(
      "div",
      { class: "strip" },
      near.map((each) => shot(file.number, each.path, baseName(each.path))),
      found.map((place) => shot(place.file, place.document, app.byNumber(place.file)?.path ?? "")),
    ),
  );
}
