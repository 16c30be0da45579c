// Makes the pictures of the README and the book, from synthetic games.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { api, bundled, check, go, open as openPage, scene, until } from "./browser.mjs";

/** The pixels of a picture: red, green, blue and alpha. */
async function pixels(page, picture) {
  const data = await page.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const reader = new FileReader();
    reader.readAsDataURL(new Blob([context.getImageData(0, 0, bitmap.width, bitmap.height).data]));
    await new Promise((done) => (reader.onload = done));
    return reader.result.slice(reader.result.indexOf(",") + 1);
  }, picture.toString("base64"));
  return Buffer.from(data, "base64");
}

/** A PNG of 256 colours: a third of the size, and the pictures are part of the repository. */
async function small(page, picture) {
  const [width, height] = [picture.readUInt32BE(16), picture.readUInt32BE(20)];
  const data = await pixels(page, picture);
  const at = (n) => (data[n * 4] << 16) | (data[n * 4 + 1] << 8) | data[n * 4 + 2];
  // Grey and flat parts keep their colours; the others share the most frequent ones of 4 bits.
  const counts = new Map();
  for (let n = 0; n < width * height; n++) counts.set(at(n), (counts.get(at(n)) ?? 0) + 1);
  const often = (of, most) =>
    [...of]
      .sort((a, b) => b[1] - a[1])
      .slice(0, most)
      .map(([colour]) => colour);
  const palette = new Set(often(counts, 64));
  const coarse = new Map();
  for (const [colour, count] of counts)
    if (!palette.has(colour))
      coarse.set((colour & 0xf0f0f0) | 0x080808, (coarse.get((colour & 0xf0f0f0) | 0x080808) ?? 0) + count);
  for (const colour of often(coarse, 256 - palette.size)) palette.add(colour);
  const colours = [...palette];
  const nearest = new Map();
  for (const colour of counts.keys()) {
    const far = (other) =>
      [16, 8, 0].reduce((sum, bits) => sum + (((colour >> bits) & 255) - ((other >> bits) & 255)) ** 2, 0);
    nearest.set(
      colour,
      colours.reduce((best, other, n) => (far(other) < far(colours[best]) ? n : best), 0),
    );
  }
  const lines = Buffer.alloc(height * (width + 1));
  for (let n = 0; n < width * height; n++)
    lines[Math.floor(n / width) * (width + 1) + 1 + (n % width)] = nearest.get(at(n));
  const chunk = (kind, body) => {
    const out = Buffer.alloc(12 + body.length);
    out.writeUInt32BE(body.length);
    out.write(kind, 4, "latin1");
    body.copy(out, 8);
    out.writeUInt32BE(crc32(out.subarray(4, 8 + body.length)), 8 + body.length);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 3], 8);
  const table = Buffer.from(colours.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const parts = [
    chunk("IHDR", head),
    chunk("PLTE", table),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([picture.subarray(0, 8), ...parts]);
}

/** Hides the software renderer, so that edges are antialiased. */
function smooth() {
  const own = WebGL2RenderingContext.prototype.getExtension;
  WebGL2RenderingContext.prototype.getExtension = function (name) {
    return name === "WEBGL_debug_renderer_info" ? null : own.call(this, name);
  };
}

const open = (browser, url, how) => openPage(browser, url, { ...how, init: smooth });

/** Stores a picture of the page. */
async function taken(page, about, name) {
  await page.waitForTimeout(900);
  writeFileSync(join(about.shots, `${name}.png`), await small(page, await page.screenshot()));
}

/** Shows other names in place of those of a temporary folder, which differ from run to run. */
const named = (page, names) =>
  page.evaluate((pairs) => {
    const other = (text) => pairs.reduce((now, [from, to]) => now.replaceAll(from, to), text);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) walker.currentNode.data = other(walker.currentNode.data);
    for (const field of document.querySelectorAll("input[type=text]")) field.value = other(field.value);
  }, names);

/** A picture of planks in another colour. */
async function planks(page) {
  const text = await page.evaluate(async () => {
    const context = new OffscreenCanvas(64, 64).getContext("2d");
    for (let x = 0; x < 64; x++) {
      context.fillStyle = x % 16 < 2 ? "#3c0f0a" : (x >> 4) % 2 ? "#b4321e" : "#c83c24";
      context.fillRect(x, 0, 1, 64);
    }
    const bytes = new Uint8Array(await (await context.canvas.convertToBlob({ type: "image/png" })).arrayBuffer());
    return btoa(String.fromCharCode(...bytes));
  });
  return { name: "planks.png", mimeType: "image/png", buffer: Buffer.from(text, "base64") };
}

/** From the folder with the game to the friend who takes the mod out again. */
export async function evening(browser, about) {
  const start = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: "dark" });
  await bundled(start);
  await start.goto(about.start.urls[0]);
  await start.locator(".start-row", { hasText: /^GAME/ }).click();
  await start.locator("button", { hasText: "Open this game" }).hover();
  await named(start, [[join(about.start.folder, "GAME"), "/home/ann/Recoil"]]);
  await taken(start, about, "studio-start");
  await start.close();

  // Ann moves a door, and changes its texture and a message.
  const ann = await open(browser, about.evening.url, { expected: (text) => text.includes("422") });
  const own = [
    [about.evening.folder, "/home/ann/Recoil"],
    [basename(about.evening.folder), "Recoil"],
  ];
  const edited = (n) =>
    until(ann, (count) => document.querySelector("a[href='#/?view=changes'] .count")?.innerText === String(count), n);
  await go(ann, about.world, { name: "door01" });
  await scene(ann);
  await ann.locator(".inspector input[aria-label='Position x']").fill("-0.4");
  await ann.keyboard.press("Enter");
  await ann.locator("dialog.ask").waitFor();
  await ann.keyboard.press("Enter");
  check(await edited(1), "a door is moved");
  await go(ann, "zbd/m1/rtexture4.zbd", { view: "pictures", name: "bark" });
  await ann.locator("label", { hasText: "in all packages" }).click();
  await ann
    .locator("input[type=file]")
    .first()
    .setInputFiles(await planks(ann));
  check(await edited(2), "a texture is replaced");
  await go(ann, "Messages.dll", { view: "messages" });
  await ann.locator(".messages-grid .virtual-row", { hasText: "Waiting for players" }).first().click();
  await ann.locator(".inspector textarea").fill("Waiting for my friends");
  await ann.keyboard.press("Control+Enter");
  check(await edited(3), "a message is changed");
  await go(ann, about.world, { name: "door01" });
  await scene(ann);
  const isSilent = () => until(ann, () => document.querySelector(".live").innerText === "");
  // The planks fill the view: noise needs many bytes.
  await ann.evaluate(() => window.refitScene.view.dolly(0.7));
  await isSilent();
  await named(ann, own);
  await taken(ann, about, "studio-door");
  await go(ann, "", { view: "changes" });
  await ann.locator("button", { hasText: "Put into the game" }).click();
  await until(ann, () => document.querySelector(".live").innerText.includes("written"));
  await named(ann, own);
  await taken(ann, about, "studio-changes");
  await go(ann, "", { view: "mods" });
  for (const [label, text] of [
    ["Name", "Red door"],
    ["Author", "Ann"],
    ["Version", "1.0"],
    ["What it does", "The door is red, and open"],
  ])
    await ann.locator(`.middle input[aria-label='${label}']`).fill(text);
  const saving = ann.waitForEvent("download");
  await ann.locator("button", { hasText: "Save the mod" }).click();
  const mod = readFileSync(await (await saving).path());
  await isSilent();
  await named(ann, own);
  await taken(ann, about, "studio-mod");
  await ann.close();

  // Bob looks at the mod, applies it, and takes it out again.
  const [{ url, folder }] = about.evenings;
  const bob = await open(browser, url, { expected: (text) => text.includes("422") });
  await go(bob, "", { view: "mods" });
  await bob.locator("input[accept='.refitmod']").setInputFiles({
    name: "Red door.refitmod",
    mimeType: "application/zip",
    buffer: mod,
  });
  const apply = bob.locator("button", { hasText: "Apply to the game" });
  await apply.waitFor();
  await named(bob, [
    [folder, "/home/bob/Recoil"],
    [basename(folder), "Recoil"],
  ]);
  await taken(bob, about, "studio-apply");
  await apply.click();
  await bob.locator("button", { hasText: /^Remove$/ }).click();
  check(
    await until(bob, () => document.querySelector(".middle").innerText.includes("No mods are applied")),
    "the mod is out of the game",
  );
  await bob.close();
}

export async function shots(browser, about) {
  const save = async (page, name) => {
    const isDone = () =>
      until(
        page,
        () =>
          document.querySelector(".top .count") && !document.querySelector(".inspector").innerText.includes("Loading"),
      );
    check(await isDone(), `${name}: all is loaded`);
    await taken(page, about, name);
    await page.close();
  };
  const page = await open(browser, about.url);
  const { files } = await api(page, "opened");
  const of = (format, within = "") =>
    files.find((file) => file.format === format && file.path.includes(within) && !/^(typical|broken)/.test(file.path))
      .path;
  /** A moment of an animation, from a suitable camera. */
  const still = async (time, factor, turn = 0) => {
    await page.waitForFunction(() => window.refitPlay?.seek && window.refitScene?.stats.texturesLoaded);
    await page.locator(".play-button", { hasText: "Pause" }).click();
    await page.evaluate(
      ([at, by, yaw]) => {
        window.refitPlay.seek(at);
        window.refitScene.view.dolly(by);
        window.refitScene.view.turn(yaw, 0);
      },
      [time, factor, turn],
    );
  };
  if (about.game === "rc") {
    await go(page, about.world, { name: "house" });
    await scene(page);
    await save(page, "view-world");
    await evening(browser, about);
  } else if (about.game === "mw") {
    await go(page, of("motion"), { view: "animations" });
    await still(0.2, 0.8);
    await save(page, "view-motion");
  } else if (about.game === "pm") {
    await go(page, of("anim", "c1"), { view: "animations", part: "defs/door_open.json" });
    await still(1.1, 2, -0.7);
    await save(page, "view-animation");
    const light = await open(browser, about.url, { scheme: "light" });
    await go(light, of("textures", "rtexture"), { view: "pictures", name: "bark" });
    await save(light, "view-texture");
  } else {
    await page.close();
    const modded = await open(browser, about.modded);
    await go(modded, about.world, { name: "door01", mode: "changed" });
    await scene(modded);
    check(
      await until(modded, () => document.querySelector(".legend")?.innerText.includes("door01")),
      "the change is marked",
    );
    await modded.keyboard.press("Escape");
    await modded.evaluate(() => (window.refitScene.view.dolly(4), window.refitScene.view.turn(-0.7, 0)));
    await save(modded, "view-changed");
  }
}
