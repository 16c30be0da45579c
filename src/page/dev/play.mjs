// Compares what the page plays with the library's samples: node dev/play.mjs URL CHROMIUM SAMPLES [FOLDER]. Run by
// `cargo xtask browser`. With a folder, pictures of a gate that opens are put there.
import { chromium } from "playwright-core";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [url, executablePath, file, folder] = process.argv.slice(2);
const expected = JSON.parse(readFileSync(file, "utf8"));
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
// Nothing moves by itself: the comparison needs no pictures.
const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, reducedMotion: "reduce" });
const errors = [];
page.on("pageerror", (error) => errors.push(error.message));
page.on("console", (message) => {
  if (message.type() === "error" && !message.text().includes("404")) errors.push(message.text());
});
const fail = (what) => {
  console.error(`FAILED: ${what}`);
  process.exitCode = 1;
};

page.on("crash", () => {
  console.error("FAILED: Chromium's page ended");
  process.exit(1);
});

/** The largest difference between numbers of two values of the same shape; infinite if the shapes differ. */
function distance(a, b) {
  if (typeof a === "number" && typeof b === "number") return Math.abs(a - b);
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length)
    return a.reduce((most, each, i) => Math.max(most, distance(each, b[i])), 0);
  return a === b || (a == null && b == null) ? 0 : Infinity;
}

const TOLERANCE = 1e-4;
// An integer is a state and must be equal.
const differs = (a, b, what) => {
  const off = distance(a, b);
  if (off > TOLERANCE) fail(`${what}: the page has ${JSON.stringify(b)}, the library ${JSON.stringify(a)}`);
  return off;
};

const go = (hash) => page.evaluate((to) => (location.hash = to), hash);
const address = (path, more) => `#/${path.split("/").map(encodeURIComponent).join("/")}?${more}`;

await page.goto(url);
await page.waitForFunction(() => document.body.innerText.includes("refit"));
// A script has no picture: the comparison needs none.
const tree = await page.evaluate(async (path) => {
  const headers = { "x-refit-token": localStorage.getItem("refit-token") };
  const opened = await (await fetch("api/opened", { headers })).json();
  return (await fetch(`api/file/${opened.files.find((file) => file.path === path).number}/tree`, { headers })).json();
}, expected.animations);
const partOf = (wanted) =>
  tree.parts.find((each) => each.document?.startsWith("anim-") && each.path.includes(wanted))?.path;
await go(address(expected.animations, `view=animations&part=${encodeURIComponent(partOf("scripts/"))}`));
const ready = () => page.waitForFunction(() => window.refitPlay?.samples, undefined, { timeout: 30000 });
await ready().catch(() => fail("the page does not play"));

/** Asks the page, and reloads it if it does not answer: on a busy machine a request may get lost. */
async function ask(question, argument) {
  for (let n = 0; n < 3; n++) {
    const late = new Promise((resolve) => setTimeout(resolve, 20000));
    const answer = await Promise.race([
      page.evaluate(question, argument).catch((error) => ({ error: error.message })),
      late,
    ]);
    if (answer !== undefined) return answer;
    console.log("the page does not answer: loaded again");
    await page.reload();
    await ready();
  }
  return { error: "the page does not answer" };
}

let worst = 0;
let states = 0;
const kinds = new Map();
for (const [name, of] of Object.entries(expected.definitions)) {
  const times = of.samples.map((sample) => sample.time);
  const found = await ask(
    ([path, animation, at]) => window.refitPlay.samples(path, animation, at),
    [expected.animations, name, times],
  );
  if (found.error) {
    fail(`${name}: ${found.error}`);
    continue;
  }
  if (!found.back) fail(`${name}: seeking back gives another state`);
  if (found.endless !== of.endless) fail(`${name}: endless is ${found.endless}`);
  differs(of.length, found.length, `${name}: the length`);
  for (const [n, event] of of.events.entries()) {
    kinds.set(event[5], kinds.get(event[5]) || event[6]);
    const other = found.events[n];
    if (!other) {
      fail(`${name}: the page lacks event ${n}, ${event[5]}`);
      break;
    }
    // The page's list ends with its length, where the library's goes to the last sample.
    differs(event[0], other[0], `${name}: the start of event ${n}`);
    if (JSON.stringify(event.slice(2)) !== JSON.stringify(other.slice(2)))
      fail(`${name}: event ${n} is ${JSON.stringify(other)}, not ${JSON.stringify(event)}`);
  }
  for (const [n, sample] of of.samples.entries()) {
    const other = found.samples[n];
    const what = `${name} at ${sample.time}`;
    if (sample.happened !== other.happened) fail(`${what}: ${other.happened} events, not ${sample.happened}`);
    const [a, b] = [sample.state, other.state];
    states++;
    if (a.nodes.length !== b.nodes.length) {
      const [own, theirs] = [b, a].map(({ nodes }) => JSON.stringify(nodes.map((node) => node[0])));
      fail(`${what}: nodes ${own}, not ${theirs}`);
      continue;
    }
    a.nodes.forEach((node, i) => {
      // Row, shown, parent and translucent exactly; opacity and the frame's time, then places.
      for (const k of [0, 1, 2, 3])
        if ((node[k] ?? null) !== (b.nodes[i][k] ?? null))
          fail(`${what}: node ${node[0]} has ${b.nodes[i][k]}, not ${node[k]}`);
      worst = Math.max(worst, differs(node.slice(4), b.nodes[i].slice(4), `${what}: node ${node[0]}`));
    });
    for (const key of ["lights", "fog", "screen", "sounds"])
      worst = Math.max(worst, differs(a[key], b[key], `${what}: ${key}`));
  }
  if (process.exitCode) break;
}

const played = Object.entries(expected.definitions);
if (played.length < 20) fail(`${played.length} animations are too few`);
for (const [name, of] of played) if (of.samples.length < 100) fail(`${name} is looked at ${of.samples.length} times`);
for (const kind of ["OBJECT_MOTION_SI_SCRIPT", "OBJECT_MOTION_FROM_TO", "SOUND", "CALL_ANIMATION"])
  if (!kinds.get(kind)) fail(`no animation has a ${kind} that is shown: ${[...kinds.keys()]}`);

for (const motion of expected.motions ?? []) {
  const times = motion.samples.map((sample) => sample.time);
  const found = await ask(
    ([path, part, at]) => window.refitPlay.motion(path, part, at),
    [motion.file, motion.part, times],
  );
  motion.samples.forEach(
    (sample, n) => (worst = Math.max(worst, differs(sample.parts, found[n], `${motion.part} at ${sample.time}`))),
  );
}

// On the screen: the gate opens, and what is drawn is where the state says.
await go(address(expected.animations, `view=animations&part=${encodeURIComponent(partOf("gate_open"))}`));
await page
  .waitForFunction(() => window.refitPlay?.seek && window.refitScene, undefined, { timeout: 30000 })
  .catch(() => fail("the gate is not on the screen"));
await page.waitForTimeout(1500);
const gate = expected.definitions.gate_open;
const leaf = (sample) => sample.state.nodes[0];
let before;
for (const [n, sample] of gate.samples.entries()) {
  if (n % 33) continue;
  await page.evaluate((time) => window.refitPlay.seek(time), sample.time);
  const shown = await page.evaluate(
    (row) => [...window.refitScene.world.slice(row * 16, row * 16 + 16)],
    leaf(sample)[0],
  );
  const want = leaf(sample)[8];
  const flat = [0, 1, 2, 3].flatMap((i) => [0, 1, 2].map((k) => shown[i * 4 + k]));
  // The picture's matrices are floats of 32 bits.
  if (distance(want, flat) > 1e-3) fail(`the gate at ${sample.time} is drawn at ${flat}, not ${want}`);
  await page.waitForTimeout(250);
  const shot = (await page.locator("canvas").first().screenshot()).toString("base64");
  if (shot === before) fail(`the picture at ${sample.time} s is the one before`);
  before = shot;
  if (folder) {
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${expected.game}-gate-${n}.png`) });
  }
}
if (folder) {
  for (const [hash, name] of [
    ["crate_fade", "fade"],
    ["copter_flight", "copter"],
    ["lamp_on", "lamp"],
    ["not_shown", "hidden"],
    ["calls", "calls"],
    ["fog_rolls_in", "fog"],
  ]) {
    await go(address(expected.animations, `view=animations&part=${encodeURIComponent(partOf(hash))}`));
    await page.waitForTimeout(1500);
    await page.evaluate(() => window.refitPlay.seek(1.9));
    await page.waitForTimeout(700);
    await page.screenshot({ path: join(folder, `${expected.game}-${name}.png`) });
  }
  if (expected.motions?.length) {
    await go(address(expected.motions[0].file, `view=animations&part=${encodeURIComponent(expected.motions[0].part)}`));
    await page.waitForTimeout(2500);
    await page.screenshot({ path: join(folder, `${expected.game}-motion.png`) });
  }
}
for (const error of errors) fail(`the console says: ${error}`);
await browser.close();
const shownKinds = [...kinds].filter(([, shown]) => shown).length;
const figures =
  `${Object.keys(expected.definitions).length} animations, ${states} states, ` +
  `largest difference ${worst.toExponential(1)}; ${kinds.size} kinds of events, ${shownKinds} shown`;
console.log(process.exitCode ? "failed" : `passed: ${expected.game}: ${figures}`);
