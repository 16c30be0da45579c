// Opens every file of a game in a real Chromium: node dev/test.mjs URL CHROMIUM. Run by `cargo xtask browser`.
import { chromium } from "playwright-core";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [url, executablePath] = process.argv.slice(2);
const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const browser = await chromium.launch({ executablePath, args });
const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
const errors = [];
page.on("pageerror", (error) => errors.push(error.message));
page.on("console", (message) => {
  // A texture that no package has is answered with 404, and listed on the page.
  if (message.type() === "error" && !message.text().includes("404")) errors.push(message.text());
});
const fail = (what) => {
  console.error(`FAILED: ${what}`);
  process.exitCode = 1;
};

await page.goto(url);
await page.waitForFunction(() => document.body.innerText.includes("refit"));
const cookie = await page.evaluate(async () => (await fetch("api/opened")).json());
let scenes = 0;
for (const file of cookie.files) {
  const about = await page.evaluate(async (n) => (await fetch(`api/file/${n}`)).json(), file.number);
  await page.evaluate((path) => (location.hash = `#/${path.split("/").map(encodeURIComponent).join("/")}`), file.path);
  await page.waitForTimeout(700);
  const text = await page.evaluate(() => document.body.innerText);
  if (!text.includes(file.path.split("/").pop())) fail(`${file.path} is not on the page`);
  if (!about.scene) continue;
  scenes += 1;
  await page.waitForFunction(() => window.refitScene, undefined, { timeout: 20000 }).catch(() => fail(`${file.path}: no scene`));
  await page.waitForTimeout(1500);
  const canvas = page.locator("canvas").first();
  // Without the flags above WebGL is silently gone, and an empty page looks fine: the picture must have colours.
  const shot = await canvas.screenshot();
  const seen = await page.evaluate(async (data) => {
    // The page's policy allows no request for this.
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const { data: pixels } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const found = new Set();
    for (let at = 0; at < pixels.length; at += 4) found.add((pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2]);
    return found.size;
  }, shot.toString("base64")).catch(() => -1);
  const lost = await page.evaluate(() => document.querySelector("canvas")?.getContext("webgl2")?.isContextLost() ?? true);
  const stats = await page.evaluate(() => window.refitScene?.stats ?? null);
  if (lost) fail(`${file.path}: the WebGL context is lost`);
  if (seen >= 0 && seen < 3) fail(`${file.path}: the canvas has ${seen} colours`);
  if (!stats) fail(`${file.path}: the scene has no figures`);
  console.log(`${file.path}: ${JSON.stringify(stats)}, ${seen} colours`);
}
if (scenes === 0) fail("no file has a scene");

// Search, keyboard, and the address.
await page.keyboard.press("?");
await page.waitForTimeout(300);
if (!(await page.evaluate(() => document.body.innerText.toLowerCase())).includes("key")) fail("? lists no keys");
await page.keyboard.press("Escape");
const hash = await page.evaluate(() => location.hash);
await page.reload();
await page.waitForTimeout(1500);
if ((await page.evaluate(() => location.hash)).split("?")[0] !== hash.split("?")[0]) fail("a reload shows something else");

// Every control has a name and can be reached.
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const problems = await page.evaluate(async (source) => {
  // The page allows no inline script: axe is run as a function of the test.
  new Function(source).call(window);
  const found = await window.axe.run(document);
  return found.violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => `${v.id}: ${v.nodes.length} × ${v.help}: ${v.nodes[0].html.slice(0, 200)}`);
}, axe).catch((error) => [`axe could not run: ${error.message.split("\n")[0]}`]);
for (const problem of problems) (problem.startsWith("axe could not run") ? console.log : fail)(problem);
for (const error of errors) fail(`the console says: ${error}`);
await browser.close();
console.log(process.exitCode ? "failed" : `passed: ${cookie.files.length} files, ${scenes} scenes`);
