// Figures on a large world. The browser draws in software here, so each part is measured separately.
import { cpus, loadavg } from "node:os";
import { api, check, go, scene } from "./browser.mjs";

/** The page uses no more memory after many scenes than after a few. */
async function manyScenes(page, files) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.enable");
  const heap = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");
    return (usedSize + backingStorageSize) / 1e6;
  };
  const other = files.find((file) => file.format !== "gamez").path;
  const world = files.find((file) => file.format === "gamez").path;
  let after = 0;
  for (let n = 1; n <= 50; n++) {
    await go(page, n % 2 ? other : world);
    if (n % 2 === 0) await scene(page);
    if (n === 6) after = await heap();
  }
  const end = await heap();
  console.log(`  heap: ${after.toFixed(0)} MB after 6 switches, ${end.toFixed(0)} MB after 50`);
  check(end < after * 1.1 + 2, `the page grows from ${after.toFixed(0)} to ${end.toFixed(0)} MB`);
}

const median = (all) => [...all].sort((a, b) => a - b)[all.length >> 1];

/** How long the browser takes to show a page with nothing but a word: the measure of a slow machine. */
async function emptyPage(page) {
  const took = [];
  for (let n = 0; n < 5; n++) {
    const empty = await page.context().browser().newPage();
    await empty.goto("data:text/html,<title>Empty</title><p>Empty");
    const painted = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
    took.push(await (await empty.waitForFunction(painted, undefined, { polling: 20 })).jsonValue());
    await empty.close();
  }
  return median(took);
}

/**
 * On the page: measures from the next press of a key until a node is drawn in another place, until the answer of the
 * edit, and until the scene of the server has it at `wanted`.
 */
const measure = ([key, address, node, wanted]) => {
  const row = window.refitScene.packed.header.nodes.names.indexOf(node);
  const shown = () => window.refitScene.world[row * 16 + 12];
  const stored = () => window.refitScene.packed.matrix[row * 12 + 9];
  performance.clearResourceTimings();
  window.refitTook = new Promise((done) => {
    const begin = (event) => {
      if (event.key !== key) return;
      document.removeEventListener("keydown", begin, { capture: true });
      const [start, was, frames] = [performance.now(), shown(), window.refitScene.stats.frames];
      const took = {};
      const look = () => {
        const now = performance.now() - start;
        const { frame } = window.refitScene;
        if (Math.abs(shown() - was) > 0.5 && !frame) took.drawn ??= now;
        if (Math.abs(stored() - wanted) < 0.01) took.taken ??= now;
        const answer = performance.getEntriesByType("resource").find((entry) => entry.name.endsWith(address));
        if (answer) took.answered = answer.responseEnd - start;
        if (took.drawn && took.taken && took.answered && !frame)
          return done({ ...took, frames: window.refitScene.stats.frames - frames });
        window.setTimeout(look, 5);
      };
      look();
    };
    document.addEventListener("keydown", begin, { capture: true });
  });
};

/** Edits of one object and their undo: until they are drawn, on disk and judged, and part of the scene. */
async function edited(page, world) {
  const paint = await emptyPage(page);
  const name = "many102";
  await go(page, world.path, { view: "scene", name });
  await scene(page);
  const field = page.locator(".inspector input[aria-label='Position x']");
  await field.waitFor();
  const first = await page.evaluate(() => window.refitScene.stats.built);
  const took = { edit: [], undo: [] };
  const timed = async (what, key, wanted, press) => {
    await page.evaluate(measure, [key, `/api/${what}`, name, wanted]);
    await press();
    took[what].push(await page.evaluate(() => window.refitTook));
    await page.waitForTimeout(500);
  };
  const start = Number(await field.inputValue());
  for (let n = 1; n <= 6; n++) {
    await field.fill(String(start + n));
    await timed("edit", "Enter", start + n, async () => {
      await field.press("Enter");
      // The first edit makes the project and the tree.
      if (n === 1) await page.locator("dialog.ask input").press("Enter");
    });
  }
  await page.locator(".inspector h2").click();
  for (let n = 5; n >= 1; n--) await timed("undo", "z", start + n, () => page.keyboard.press("Control+z"));
  took.edit.shift();
  const all = (what, key) => median(took[what].map((each) => each[key]));
  const text = (what, key) => `${all(what, key).toFixed(0)} ms (${(all(what, key) / paint).toFixed(1)})`;
  console.log(
    `  an edit of one object: drawn after ${text("edit", "drawn")}, ` +
      `on disk and judged after ${text("edit", "answered")}, ` +
      `the scene is the server's after ${text("edit", "taken")}, ${all("edit", "frames")} frames`,
  );
  console.log(
    `  its undo: on disk and judged after ${text("undo", "answered")}, the scene is the server's after ` +
      `${text("undo", "taken")} and drawn after ${text("undo", "drawn")}, ${all("undo", "frames")} frames`,
  );
  console.log(
    `  (wanted: 300 ms; in parentheses: times the first paint of an empty page, ${paint.toFixed(0)} ms); ` +
      `load ${loadavg()[0].toFixed(1)} on ${cpus().length} × ${cpus()[0].model}`,
  );
  // Ten times the target: a machine that does something else meanwhile is no failure.
  for (const what of ["edit", "undo"])
    for (const key of ["drawn", "answered", "taken"])
      check(all(what, key) < 3000, `the ${what} of one object is ${key} after ${all(what, key)} ms`);
  const last = await page.evaluate(() => window.refitScene.stats.built);
  check(first === last, "an edit does not build the scene again");
}

export async function figures(page, about) {
  const { files } = await api(page, "opened");
  const world = files.find((file) => file.format === "gamez");
  if (about.edits) return edited(page, world);
  await page.evaluate(() => {
    performance.clearResourceTimings();
    // From the click until the picture is complete: all textures with their smaller versions, and every pixel drawn.
    window.refitTook = new Promise((done) => {
      let clicked = 0;
      document.addEventListener("click", () => (clicked = performance.now()), { capture: true, once: true });
      const look = () => {
        const three = window.refitScene;
        const frames =
          three?.stats.texturesDone && !three.textures.waiting && !three.textures.lacksSmaller ? three.stats.frames : 0;
        if (!frames || three.frame) return requestAnimationFrame(look);
        const gl = three.renderer.getContext();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
        done(performance.now() - clicked);
      };
      look();
    });
  });
  await page
    .locator(".files .virtual-row", { hasText: world.path.split("/").pop() })
    .first()
    .click();
  const took = Math.round(await page.evaluate(() => window.refitTook));
  const stats = await scene(page);
  check(stats.objects === about.objects, `${stats.objects} objects instead of ${about.objects}`);
  // From the question until the first byte of its answer.
  const asked = await page.evaluate(() =>
    performance.getEntriesByType("resource").map((entry) => ({
      url: entry.name.replace(/^.*\/api\//, ""),
      server: entry.responseStart - entry.requestStart,
    })),
  );
  const bytes = await page.evaluate(() => window.refitScene.textures.bytes);
  const sum = (rows) => rows.reduce((total, row) => total + row.server, 0);
  const [scenes, textures] = [
    asked.filter((row) => row.url.includes("/scene")),
    asked.filter((row) => row.url.startsWith("textures")),
  ];
  const card = await page.evaluate(() => {
    const gl = window.refitScene.renderer.getContext();
    return gl.getParameter(gl.getExtension("WEBGL_debug_renderer_info")?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER);
  });
  console.log(`  machine: ${cpus().length} × ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)}, ${card}`);
  console.log(
    `  ${stats.objects} objects, ${stats.triangles} triangles, ${(bytes / 1e6).toFixed(0)} MB of textures, ` +
      `${stats.drawCalls} draw calls`,
  );
  console.log(
    `  complete on the screen after ${took} ms; server: scene ${sum(scenes).toFixed(0)} ms, ` +
      `textures ${sum(textures).toFixed(0)} ms in ${textures.length} answers, ` +
      `all questions ${sum(asked).toFixed(0)} ms`,
  );
  console.log(
    `  page: shapes built in ${stats.built.toFixed(0)} ms, first frame after ${stats.firstFrame.toFixed(0)} ms, ` +
      `textures done after ${stats.texturesDone.toFixed(0)} ms, last frame ${stats.lastFrame.toFixed(1)} ms`,
  );
  check(took <= 3000, `the world is on the screen after ${took} ms`);
  // A scene without a time was not measured.
  check(
    scenes.length === 1 && sum(scenes) > 1 && sum(scenes) <= 1000,
    `the server takes ${sum(scenes)} ms for ${scenes.length} scenes`,
  );
  check(textures.length > 1 && sum(textures) > 1, `${textures.length} answers with textures took ${sum(textures)} ms`);
  const picks = await page.evaluate(() => {
    const three = window.refitScene;
    const rect = three.canvas.getBoundingClientRect();
    return Array.from({ length: 20 }, (_, n) => {
      const start = performance.now();
      three.pick((rect.width * (n + 1)) / 22, rect.height / 2);
      return performance.now() - start;
    });
  });
  const slowest = Math.max(...picks);
  console.log(`  a pick takes at most ${slowest.toFixed(1)} ms`);
  check(slowest < 100, `a pick takes ${slowest} ms`);
  if (!about.many) return;
  await manyScenes(page, files);
  // Questions that read all files, repeatedly.
  for (let n = 0; n < 10; n++) await api(page, "findings");
}
