// Opens every file of a game and checks that the server's answer is on the screen.
import { api, check, colours, equal, go, inspector, middle, partUrl, scene, until } from "./browser.mjs";

/** Formats that each game has at least. */
const FORMATS = {
  rc: "anim bikey bisign gamez interp messages paa pbo rap reader savegame sounds textures zmap",
  mw: "anim gamez interp mechlib messages motion paa pbo reader savegame sounds textures zrd_binary zrd_text",
  pm: "anim gamez interp mechlib messages motion pbo rap reader sounds textures zrd_text",
  cs: "aircraft anim gamez interp livery messages pbo planes rap reader rof savegame sounds textures",
};

/** The header of a packed scene, read independently of the page. */
const header = (page, file) =>
  page.evaluate(async (n) => {
    const data = await (await fetch(`api/file/${n}/scene`)).arrayBuffer();
    const length = new DataView(data).getUint32(4, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 8, length)));
    const node = new Int32Array(data, 8 + length + head.data.node[0], head.data.node[1] * 8);
    let objects = 0;
    for (let row = 0; row < head.data.node[1]; row++) if (node[row * 8 + 1] >= 0) objects++;
    return { nodes: head.nodes.names.length, objects, models: head.shapes.length, textures: head.textures.length };
  }, file.number);

async function world(page, file) {
  await go(page, file.path);
  const stats = await scene(page);
  const wanted = await header(page, file);
  if (!stats) return;
  equal(stats.nodes, wanted.nodes, `${file.path}: nodes`);
  equal(stats.objects, wanted.objects, `${file.path}: objects`);
  check(!stats.contextLost, `${file.path}: the WebGL context is lost`);
  check(
    stats.texturesLoaded + stats.texturesMissing === stats.textures,
    `${file.path}: textures ${JSON.stringify(stats)}`,
  );
  if (wanted.objects) {
    check(stats.triangles > 0 && stats.drawCalls > 0 && stats.drawCalls <= 7, `${file.path}: ${JSON.stringify(stats)}`);
    // Without the WebGL flags the scene is missing without an error: the picture must have colours.
    const seen = Object.keys(await colours(page, "canvas.scene")).length;
    check(seen >= 8, `${file.path}: the canvas has ${seen} colours`);
  }
  const shown = (await inspector(page)).replace(/,/g, "");
  check(
    shown.includes(String(wanted.nodes)) && shown.includes(String(wanted.models)),
    `${file.path}: the inspector counts`,
  );
  await go(page, file.path, { view: "models" });
  const placeholder = await page.locator(".parts-list input").getAttribute("placeholder");
  equal(placeholder.replace(/\D/g, ""), String(wanted.models), `${file.path}: list of models`);
}

/** True if the bytes of a part match its extension; if not, the page reports it. */
async function isLike(page, file, part, view, begin) {
  const bytes = await page.evaluate(
    async (url) => [...new Uint8Array(await (await fetch(url)).arrayBuffer()).slice(0, 24)],
    partUrl(file, part.path),
  );
  const seen = String.fromCharCode(...bytes.slice(0, 4));
  // The server gives all sounds as PCM that refit can read.
  if (seen === begin && (begin !== "RIFF" || bytes[20] === 1)) return true;
  await go(page, file.path, { view, part: part.path });
  check(
    await until(
      page,
      () => document.querySelector(".unlike") && document.querySelector(".hex-bytes")?.innerText.length > 0,
    ),
    `${file.path} ${part.path}: ${JSON.stringify(seen)} is shown as bytes`,
  );
  return false;
}

async function pictures(page, file, parts) {
  if (!(await isLike(page, file, parts[parts.length - 1], "pictures", "\x89PNG"))) return;
  await go(page, file.path, { view: "pictures" });
  if (parts.length > 1) {
    equal(await page.locator(".gallery .card").count(), parts.length, `${file.path}: pictures in the gallery`);
    check(
      await until(page, () =>
        [...document.querySelectorAll(".gallery img")].slice(0, 3).every((image) => image.naturalWidth > 0),
      ),
      `${file.path}: the first pictures are loaded`,
    );
  }
  const part = parts[parts.length - 1];
  await go(page, file.path, { view: "pictures", part: part.path });
  if (!(await until(page, () => document.querySelector("canvas.picture")?.width > 0)))
    return check(false, `${file.path}: no picture`);
  const seen = await page.evaluate(
    async (url) => {
      const bitmap = await createImageBitmap(await (await fetch(url)).blob(), {
        premultiplyAlpha: "none",
        colorSpaceConversion: "none",
      });
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext("2d");
      context.drawImage(bitmap, 0, 0);
      const wanted = context.getImageData(0, 0, bitmap.width, bitmap.height).data;
      const shown = document.querySelector("canvas.picture");
      const own = shown.getContext("2d").getImageData(0, 0, shown.width, shown.height).data;
      // A canvas premultiplies and rounds colours, so only the alpha of translucent pixels is compared.
      const same = own.every(
        (value, n) => value === wanted[n] || (wanted[n | 3] < 255 && (n % 4 < 3 || Math.abs(value - wanted[n]) < 3)),
      );
      return { size: [bitmap.width, bitmap.height], same: own.length === wanted.length && same };
    },
    partUrl(file, part.path),
  );
  check(seen.same, `${file.path} ${part.path}: other pixels are shown`);
  check((await middle(page)).includes(`${seen.size[0]} × ${seen.size[1]}`), `${file.path}: the size of the picture`);
}

async function sounds(page, file, parts) {
  const part = parts[0];
  if (!(await isLike(page, file, part, "sounds", "RIFF"))) return;
  await go(page, file.path, { view: "sounds", part: part.path });
  if (!(await until(page, () => document.querySelector("canvas.wave")?.width > 1)))
    return check(false, `${file.path}: no waveform`);
  const wave = await page.evaluate(
    async (url) => {
      const data = new DataView(await (await fetch(url)).arrayBuffer());
      let [rate, block, bytes, cues] = [0, 1, 0, 0];
      for (let at = 12; at + 8 <= data.byteLength;) {
        const [id, size] = [data.getUint32(at), data.getUint32(at + 4, true)];
        if (id === 0x666d7420) [rate, block] = [data.getUint32(at + 12, true), data.getUint16(at + 20, true)];
        if (id === 0x64617461) bytes = size;
        if (id === 0x63756520) cues = data.getUint32(at + 8, true);
        at += 8 + size + (size & 1);
      }
      return { rate, seconds: bytes / block / rate, cues };
    },
    partUrl(file, part.path),
  );
  const text = await middle(page);
  check(
    text.includes(`${wave.rate.toLocaleString("en-US")} Hz`),
    `${file.path}: the rate in ${JSON.stringify(text.slice(-120))}`,
  );
  check(
    text.includes(`/ ${wave.seconds.toFixed(2)} s`),
    `${file.path}: ${wave.seconds} s in ${JSON.stringify(text.slice(0, 120))}`,
  );
  check(!wave.cues || text.includes(`${wave.cues} cue point`), `${file.path}: cue points`);
  // The waveform is drawn once the canvas has its size.
  const drawn = await until(page, () => {
    const canvas = document.querySelector("canvas.wave");
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    return copy.getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0);
  });
  check(drawn, `${file.path}: the waveform is empty`);
}

async function messages(page, file, part) {
  await go(page, file.path, { view: "messages" });
  const list = (await page.evaluate(async (url) => (await fetch(url)).json(), partUrl(file, part.path))).messages;
  const text = await middle(page);
  check(text.includes(`${list.length.toLocaleString("en-US")} message`), `${file.path}: the number of messages`);
  const first = list.find((message) => message.text) ?? list[0];
  await page.locator(".middle input[type=search]").fill(first.key ?? String(first.id));
  const words = first.text
    .split(/[\r\n\t]/)[0]
    .slice(0, 30)
    .trim();
  check((await middle(page)).includes(words), `${file.path}: the message ${JSON.stringify(words)}`);
}

/** The first part of the contents is readable. */
async function contents(page, file, parts) {
  await go(page, file.path, { view: "contents" });
  if (parts.length > 1) {
    const placeholder = await page.locator(".parts-list input").getAttribute("placeholder");
    equal(placeholder.replace(/\D/g, ""), String(parts.length), `${file.path}: list of parts`);
  }
  const texts = parts.filter((part) => ["json", "text"].includes(part.kind) && part.bytes < 200_000);
  const part = texts.find((each) => each.path !== "refit.json") ?? texts[0];
  if (!part) return;
  await go(page, file.path, { view: "contents", part: part.path });
  const wanted = await page.evaluate(async (url) => (await fetch(url)).text(), partUrl(file, part.path));
  const word =
    part.kind === "text"
      ? (wanted.split(/\r?\n/).find((line) => line.trim()) ?? "").trim().slice(0, 40)
      : /"([A-Za-z_]\w*)":/.exec(wanted)?.[1];
  const shown = await until(
    page,
    (text) =>
      document
        .querySelector(".part-host")
        ?.innerText.replace(/\u00a0/g, " ")
        .includes(text),
    word ?? "",
    10000,
  );
  check(shown, `${file.path} ${part.path}: ${JSON.stringify(word)} is not on the screen`);
}

async function lists(page, file, about, parts) {
  const definitions = parts.filter((part) => ["anim-definition", "motion"].includes(part.document));
  if (definitions.length) {
    await go(page, file.path, { view: "animations" });
    const placeholder = await page.locator(".middle input[type=search]").first().getAttribute("placeholder");
    check(
      Number(placeholder?.replace(/\D/g, "")) >= definitions.length,
      `${file.path}: ${definitions.length} animations, ${placeholder}`,
    );
  }
  if (file.format === "zmap") {
    await go(page, file.path, { view: "map" });
    const wanted = about.info.find(([label]) => label === "features")[1];
    equal(await page.locator("svg.map polyline").count(), wanted, `${file.path}: lines of the map`);
  }
  await go(page, file.path, { view: "summary" });
  const text = await middle(page);
  check(text.includes(about.format), `${file.path}: the summary names the format`);
  // The values of `refit info` are on the screen: the prefix of a PBO, the name of a key, the pilot of a saved game.
  const said = (value) =>
    typeof value === "number"
      ? value.toLocaleString("en-US")
      : typeof value === "boolean"
        ? value
          ? "yes"
          : "no"
        : value;
  for (const [label, value] of about.info.filter(([, value]) => typeof value !== "object")) {
    const row =
      text.split("\n").some((line) => line.includes(label)) &&
      text.replace(/\s+/g, " ").includes(String(said(value)).replace(/\s+/g, " ").trim());
    check(row, `${file.path}: the summary says ${label}: ${said(value)}`);
  }
  if (about.members.length) {
    equal(
      (await page.locator(".summary input[type=search]").getAttribute("placeholder")).replace(/\D/g, ""),
      String(about.members.length),
      `${file.path}: members`,
    );
    check(text.includes(about.members[0].name), `${file.path}: the first member`);
  }
  await go(page, file.path, { view: "findings" });
  const { findings } = await api(page, `file/${file.number}/findings`);
  const shown = await middle(page);
  check(
    findings.length ? shown.includes(findings[0].code) : shown.includes("nothing unusual"),
    `${file.path}: findings`,
  );
}

export async function formats(page, about) {
  const { files } = await api(page, "opened");
  const seen = new Set(files.map((file) => file.format));
  for (const format of FORMATS[about.game].split(" ")) check(seen.has(format), `the game has no file of ${format}`);
  for (const file of files) {
    if (file.path.startsWith("broken/")) continue;
    const summary = await api(page, `file/${file.number}`);
    const { parts } = await api(page, `file/${file.number}/tree`);
    if (summary.scene) await world(page, file);
    const of = (kind) => parts.filter((part) => part.kind === kind);
    if (of("picture").length) await pictures(page, file, of("picture"));
    if (of("sound").length) await sounds(page, file, of("sound"));
    const texts = parts.find((part) => part.document === "messages");
    if (texts) await messages(page, file, texts);
    await contents(page, file, parts);
    await lists(page, file, summary, parts);
    const name = file.path.split("/").pop();
    check((await page.evaluate(() => document.title)).includes(name), `${file.path}: the title of the page`);
  }
  console.log(`  ${files.length} files of ${seen.size} formats`);
}
