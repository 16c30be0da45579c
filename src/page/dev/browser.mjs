// Shared by the page's tests: a browser, pages with a watched console, and what is visible on them.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const ARGS = [
  "--no-sandbox",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
  "--js-flags=--expose-gc",
];

export const launch = (executablePath) => chromium.launch({ executablePath, args: ARGS });

let failures = 0;
let checks = 0;

/** Records a failure and continues, so that one run reports all of them. */
export function check(condition, what) {
  checks += 1;
  if (condition) return true;
  failures += 1;
  console.error(`FAILED: ${what}`);
  return false;
}

export const equal = (seen, wanted, what) =>
  check(seen === wanted, `${what}: ${JSON.stringify(seen)} instead of ${JSON.stringify(wanted)}`);

export const outcome = () => ({ failures, checks });

/** With `BUNDLE=dist`, use this folder's page instead of the program's: no Rust build after a change. */
export async function bundled(page) {
  const dist = process.env.BUNDLE;
  if (!dist) return;
  await page.route("**/page.js", (route) =>
    route.fulfill({ contentType: "text/javascript", body: gunzipSync(readFileSync(`${dist}/page.js.gz`)) }),
  );
  for (const [name, contentType] of [
    ["page.css", "text/css"],
    ["start.js", "text/javascript"],
  ])
    await page.route(`**/${name}`, (route) => route.fulfill({ contentType, body: readFileSync(`${dist}/${name}`) }));
}

/** Opens the page. Console messages are failures, unless `expected` allows them. */
export async function open(browser, url, { scheme = "dark", hash = "", expected = () => false, init } = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: scheme });
  page.on("pageerror", (error) => check(false, `the page throws: ${(error.stack ?? error.message).slice(0, 500)}`));
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    const text = message.text();
    if (!expected(text))
      check(false, `the console says: ${text.slice(0, 300)} (${message.location().url.slice(0, 120)})`);
  });
  await bundled(page);
  // Tests ask as the page does, which keeps the token of the first address.
  await page.addInitScript(() => {
    const ask = window.fetch;
    window.fetch = (what, how = {}) => {
      const token = localStorage.getItem("refit-token");
      const isOwn = typeof what === "string" && what.startsWith("api/") && token && !how.headers;
      return ask(what, isOwn ? { ...how, headers: { "x-refit-token": token } } : how);
    };
  });
  if (init) await page.addInitScript(init);
  await page.goto(url + hash);
  await page.waitForSelector("body[data-shown]", { timeout: 30000 });
  return page;
}

export const address = (path, values = {}) => {
  const query = Object.entries(values)
    .map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    .join("&");
  return `#/${path.split("/").map(encodeURIComponent).join("/")}${query ? `?${query}` : ""}`;
};

/** Goes to an address of the page, and waits until it is shown. */
export async function go(page, path, values = {}) {
  await page.evaluate(
    (hash) => {
      delete document.body.dataset.shown;
      if (location.hash === hash) window.dispatchEvent(new HashChangeEvent("hashchange"));
      else location.hash = hash;
    },
    address(path, values),
  );
  return page.waitForSelector("body[data-shown]", { timeout: 30000 }).then(
    () => true,
    () => check(false, `${path} ${JSON.stringify(values)} is never shown`),
  );
}

/** An answer of the server. */
export const api = (page, path) => page.evaluate(async (asked) => (await fetch(asked)).json(), `api/${path}`);

export const partUrl = (file, path) => `api/file/${file.number}/part?path=${encodeURIComponent(path)}`;

/** What can be read in the middle of the page. */
export const middle = (page) => page.evaluate(() => document.querySelector(".middle").innerText);
export const inspector = (page) => page.evaluate(() => document.querySelector(".inspector").innerText);

/** Waits until something is true on the page. */
export const until = (page, condition, argument, timeout = 40000) =>
  page.waitForFunction(condition, argument, { timeout, polling: 50 }).then(
    () => true,
    () => false,
  );

/** The number of pixels of each colour on a part of the screen. */
export async function colours(page, selector) {
  // Do not wait for a still picture: worlds move.
  const clip = await page.locator(selector).first().boundingBox();
  const shot = await page.screenshot({ clip, timeout: 60000 });
  return page.evaluate(async (data) => {
    // The page's policy allows no request for this.
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const { data: pixels } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const found = {};
    for (let at = 0; at < pixels.length; at += 4) {
      const colour = (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
      found[colour] = (found[colour] ?? 0) + 1;
    }
    return found;
  }, shot.toString("base64"));
}

/** The share of a picture whose colours differ from another's. */
export function differ(a, b) {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  let [other, all] = [0, 0];
  for (const key of keys) {
    other += Math.abs((a[key] ?? 0) - (b[key] ?? 0));
    all += (a[key] ?? 0) + (b[key] ?? 0);
  }
  return all ? other / all : 0;
}

/** Waits until the scene is drawn with all textures, usually also antialiased; returns its figures. */
export async function scene(page, whole = true) {
  const drawn = await until(
    page,
    () => {
      const three = window.refitScene;
      return (
        three &&
        three.stats.frames > 0 &&
        three.textures.waiting === 0 &&
        (three.stats.textures === 0 || three.stats.texturesDone > 0)
      );
    },
    undefined,
    30000,
  );
  check(drawn, `${page.url()}: the scene is never drawn`);
  if (whole) await until(page, () => !window.refitScene?.textures.lacksSmaller, undefined, 10000);
  // One more frame, with the last textures.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return page.evaluate(() => window.refitScene?.stats ?? null);
}

/** The row of a node, and where it is on the screen. */
export const place = (page, name) =>
  page.evaluate((wanted) => {
    const three = window.refitScene;
    const row = three.packed.header.nodes.names.indexOf(wanted);
    const at = row < 0 ? null : three.project(row);
    const rect = three.canvas.getBoundingClientRect();
    return { row, x: at && rect.left + at[0], y: at && rect.top + at[1] };
  }, name);
