// Drops files onto the page without a server, in a real Chromium: node dev/web.mjs SITE GAMES GOLDEN REFIT CHROMIUM.
// Run by `cargo xtask browser --web`. Compares the page's answers with the program's. Once loaded, the page
// must request nothing: it goes offline, and the server counts requests.
import { chromium } from "playwright-core";
import { createRequire } from "node:module";
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join, relative } from "node:path";
import { inflateRawSync } from "node:zlib";

const [site, games, golden, refit, executablePath, shots] = process.argv.slice(2);
const place = mkdtempSync(join(tmpdir(), "refit-web-"));
const fail = (what) => {
  console.error(`FAILED: ${what}`);
  process.exitCode = 1;
};
const check = (fine, what) => fine || fail(what);

// The page, from a server that only sends files.
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
  ".txt": "text/plain",
};
const requests = [];
const server = createServer((request, response) => {
  const name = basename(request.url.split("?")[0]) || "index.html";
  requests.push(request.url);
  if (!existsSync(join(site, name))) return void response.writeHead(404).end();
  const bytes = readFileSync(join(site, name));
  response
    .writeHead(200, {
      "content-type": TYPES[extname(name)] ?? "application/octet-stream",
      "content-length": bytes.length,
    })
    .end(bytes);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));

const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const page = await (
  await browser.newContext({ viewport: { width: 1280, height: 720 }, acceptDownloads: true })
).newPage();
const outside = [];
page.on("pageerror", (error) => fail(`the page: ${error.message}`));
// One request is deliberate.
page.on(
  "console",
  (message) =>
    message.type() === "error" &&
    !/example\.com|violates the document's Content Security Policy/.test(message.text()) &&
    fail(`the console says: ${message.text()}`),
);
page.on("request", (request) => /^(blob|data):/.test(request.url()) || outside.push(request.url()));
const shot = async (name) =>
  shots && (mkdirSync(shots, { recursive: true }), await page.screenshot({ path: join(shots, `${name}.png`) }));

let began = performance.now();
await page.goto(`http://127.0.0.1:${server.address().port}/`);
await page.waitForFunction(() => document.body.dataset.ready, undefined, { timeout: 60000 });
console.log(`loaded in ${Math.round(performance.now() - began)} ms, ${requests.length} requests`);
const [atFirst, outsideAtFirst] = [requests.length, outside.length];
await page.context().setOffline(true);
await shot("drop");
// The policy of the page holds in the worker, too.
check(
  await page.evaluate(() =>
    fetch("https://example.com/").then(
      () => false,
      () => true,
    ),
  ),
  "the page can request something elsewhere",
);

// Every control has a name and can be reached.
await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
async function accessible(what) {
  const found = await page.evaluate(async () =>
    (await window.axe.run(document)).violations
      .filter((v) => v.impact === "serious" || v.impact === "critical")
      .map((v) => `${v.id}: ${v.help}: ${v.nodes[0].html.slice(0, 200)}`),
  );
  for (const problem of found) fail(`${what}: ${problem}`);
}
await accessible("the page for dropping");

// A real drop, of files and folders, as the system makes it.
const devtools = await page.context().newCDPSession(page);
async function drop(...files) {
  const at = { x: 640, y: 360, data: { items: [], files, dragOperationsMask: 1 } };
  await page.evaluate(() => delete document.body.dataset.opened);
  for (const type of ["dragEnter", "dragOver", "drop"]) await devtools.send("Input.dispatchDragEvent", { type, ...at });
  await page.waitForFunction(() => document.body.dataset.opened, undefined, { timeout: 120000 });
  return page.evaluate(() => document.querySelector(".drop .fault:not([hidden])")?.innerText ?? "");
}
const go = (hash) => page.evaluate((hash) => (location.hash = hash), hash);
const hash = (path) => `#/${path.split("/").map(encodeURIComponent).join("/")}`;
const text = () => page.evaluate(() => document.body.innerText);
async function shows(what, timeout = 20000) {
  await page
    .waitForFunction((what) => document.body.innerText.includes(what), what, { timeout })
    .catch(() => fail(`the page does not show ${what}`));
}
/** Presses a button of the work list, and returns the rows when it is done. */
async function work(button) {
  await go("#/?view=work");
  await page.waitForSelector(button);
  await page.evaluate(() => delete document.body.dataset.worked);
  await page.click(button);
  await page.waitForFunction(() => document.body.dataset.worked !== undefined, undefined, { timeout: 300000 });
  return page.evaluate(() =>
    window.refitWork.map(({ file, outcome, error }) => ({
      path: file.path,
      status: error === undefined ? outcome?.status : "error",
      error,
      identical: outcome?.identical,
      raw: outcome?.raw,
    })),
  );
}
/** Presses a button, and returns the download. */
async function download(button) {
  const [given] = await Promise.all([page.waitForEvent("download"), work(button)]);
  const path = join(place, `download-${given.suggestedFilename()}`);
  await given.saveAs(path);
  return path;
}
const native = (...args) => spawnSync(refit, args, { cwd: place, encoding: "utf8", maxBuffer: 1 << 28 });
const rowsOf = (done) =>
  done.stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** The files of a zip. */
function unzip(path) {
  const zip = readFileSync(path);
  let end = zip.length - 22;
  while (zip.readUInt32LE(end) !== 0x06054b50) end--;
  const files = new Map();
  for (let at = zip.readUInt32LE(end + 16), n = zip.readUInt16LE(end + 10); n > 0; n--) {
    const [method, size, name, extra, comment, local] = [
      zip.readUInt16LE(at + 10),
      zip.readUInt32LE(at + 20),
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
      zip.readUInt16LE(at + 32),
      zip.readUInt32LE(at + 42),
    ];
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const data = zip.subarray(from, from + size);
    files.set(zip.toString("utf8", at + 46, at + 46 + name), method ? inflateRawSync(data) : data);
    at += 46 + name + extra + comment;
  }
  return files;
}
function below(folder, at = folder, out = new Map()) {
  for (const entry of readdirSync(at, { withFileTypes: true })) {
    const path = join(at, entry.name);
    if (entry.isDirectory()) below(folder, path, out);
    else out.set(relative(folder, path).replaceAll("\\", "/"), readFileSync(path));
  }
  return out;
}
const same = (a, b) => a.size === b.size && [...a].every(([path, bytes]) => b.get(path)?.equals(bytes));

// All golden files.
cpSync(golden, join(place, "golden"), { recursive: true });
began = performance.now();
check((await drop(join(place, "golden"))) === "", "the golden files are not opened");
const opened = performance.now() - began;
began = performance.now();
const rows = await work("#verify-all");
const verified = performance.now() - began;
await shot("verified");
await accessible("the list of work");
began = performance.now();
const theirs = rowsOf(native("verify", "golden", "--json", "-j", "1")).filter((row) => row.status !== "unrecognised");
const natively = performance.now() - began;
const exact = rows.filter((row) => row.status === "exact").length;
check(rows.length === theirs.length, `${rows.length} files instead of ${theirs.length}`);
for (const row of theirs) {
  const own = rows.find((own) => `golden/${own.path}` === row.path);
  check(own?.status === row.status && row.status === "exact", `${row.path}: ${JSON.stringify(own)}`);
}
await shows(`${exact} files exact`);
console.log(
  `golden: ${exact} of ${theirs.length} exact; opened in ${Math.round(opened)} ms, ` +
    `verified in ${Math.round(verified)} ms (program, one thread: ${Math.round(natively)} ms)`,
);

// Unpacks and repacks the first file of every format.
for (const format of [...new Set(theirs.map((row) => row.format))]) {
  const { path } = theirs.find((row) => row.format === format);
  const name = basename(path);
  const folder = join(place, `one-${format}`);
  mkdirSync(folder);
  cpSync(join(place, path), join(folder, name));
  const done = native("unpack", join(folder, name), "-o", join(folder, "tree"));
  check(done.status === 0, `${path}: ${done.stderr}`);
  check((await drop(join(folder, name))) === "", `${path} is not opened`);
  const zip = await download("#unpack-all");
  const files = unzip(zip);
  const top = [...files.keys()][0]?.split("/")[0];
  const tree = new Map([...files].map(([path, bytes]) => [path.slice(top.length + 1), bytes]));
  check(same(tree, below(join(folder, "tree"))), `${path}: the zip is not the tree that refit unpack makes`);
  check((await drop(zip)) === "", `${path}: its zip is not opened`);
  const again = await download("#repack-all");
  const [[, bytes] = []] = unzip(again);
  check(bytes?.equals(readFileSync(join(place, path))), `${path}: another file comes back`);
}
console.log("every format: unpacked as by the program, and packed again to the same file");

// An edited tree, dropped as a folder.
const messages = join(place, "one-messages", "tree");
const edited = [...below(messages).keys()].find(
  (path) => path.endsWith(".json") && path !== "refit.json" && !path.startsWith("."),
);
const before = readFileSync(join(messages, edited), "utf8");
const after = before.replace(/("text": ")/, "$1Edited. ").replace(/(": ")([A-Z][a-z]+ )/, "$1Edited $2");
check(before !== after, "the text was not edited");
writeFileSync(join(messages, edited), after);
const packed = native("repack", messages, "-o", join(place, "native.bin"), "--force");
check(existsSync(join(place, "native.bin")), `the program repacks: ${packed.stderr}`);
check((await drop(messages)) === "", "an edited tree is not opened");
const [given] = await Promise.all([
  page.waitForEvent("download"),
  (async () => {
    await go("#/?view=work");
    await page.click(".work-grid button");
  })(),
]);
await given.saveAs(join(place, "page.bin"));
check(
  readFileSync(join(place, "page.bin")).equals(readFileSync(join(place, "native.bin"))),
  "an edited tree gives another file than the program",
);
console.log("an edited tree: the same file as from the program");

// The games: a world, a texture, a sound, a message table, findings, bytes.
for (const game of ["rc", "mw", "pm", "cs"]) {
  check((await drop(join(games, game))) === "", `${game} is not opened`);
  const list = await page.evaluate(async () => [...document.querySelectorAll("a")].length);
  check(list > 0, `${game}: an empty page`);
  const files = rowsOf(native("verify", join(games, game), "--json")).filter((row) => row.status === "exact");
  const first = (format) => {
    const found = files.find((row) => row.format === format);
    return found && relative(join(games, game), found.path).replaceAll("\\", "/");
  };
  const world = first("gamez");
  await page.evaluate(() => (window.refitScene = undefined));
  await go(hash(world));
  await page
    .waitForFunction(() => window.refitScene?.stats.texturesDone && window.refitScene.stats.frames, undefined, {
      timeout: 30000,
    })
    .catch(() => fail(`${game}: no scene`));
  const stats = await page.evaluate(() => window.refitScene?.stats);
  check(stats?.triangles > 1000 && stats.drawCalls > 0, `${game}: the scene shows nothing`);
  check(stats?.texturesLoaded > 5 && stats.texturesMissing === 0, `${game}: the scene has not its textures`);
  check(
    !(await page.evaluate(() => document.querySelector("canvas")?.getContext("webgl2")?.isContextLost() ?? true)),
    `${game}: the WebGL context is lost`,
  );
  console.log(`${game}: ${world} ${JSON.stringify(stats)}`);
  await shot(`${game}-world`);
  for (const [format, view, what] of [
    ["textures", "pictures", "img.checker"],
    ["sounds", "sounds", "canvas, .virtual-row"],
    ["messages", "messages", ".virtual-row"],
  ]) {
    const path = first(format);
    if (!path) continue;
    await go(`${hash(path)}?view=${view}`);
    await page.waitForSelector(what, { timeout: 20000 }).catch(() => fail(`${game}: ${path} shows nothing`));
    if (format === "textures") {
      await page
        .waitForFunction(
          () => [...document.querySelectorAll("img.checker")].some((image) => image.naturalWidth > 0),
          undefined,
          { timeout: 20000 },
        )
        .catch(() => fail(`${game}: no picture of ${path}`));
    }
    await page.waitForTimeout(300);
    await shot(`${game}-${format}`);
  }
  // Names are found across files, and an animation plays in its world.
  await page.keyboard.press("/");
  await page.keyboard.type("door_open");
  await page
    .locator(".files .virtual-row", { hasText: "door_open" })
    .first()
    .waitFor({ timeout: 60000 })
    .catch(() => fail(`${game}: no name is found`));
  await shot(`${game}-search`);
  await page.keyboard.press("Escape");
  await page.evaluate(() => (window.refitScene = undefined));
  await go(`${hash(first("anim"))}?view=animations&part=${encodeURIComponent("defs/door_open.json")}`);
  await page
    .waitForFunction(() => document.querySelector(".transport") && window.refitScene?.stats.frames > 3, undefined, {
      timeout: 60000,
    })
    .catch(() => fail(`${game}: no animation plays`));
  await shot(`${game}-animation`);
  await page
    .locator(".inspector li", { hasText: "startanims" })
    .first()
    .waitFor({ timeout: 60000 })
    .catch(() => fail(`${game}: nobody uses the animation`));
  const lint = rowsOf(native("lint", join(games, game), "--json", "--all")).filter((row) => row.code);
  const odd = lint[0];
  if (odd) {
    await go(`${hash(relative(join(games, game), odd.path).replaceAll("\\", "/"))}?view=findings`);
    await shows(odd.message.slice(0, 30));
    await shot(`${game}-findings`);
  }
}

// A world with triangles and colours.
check((await drop(join(place, "golden/gamez/mw_typical_gamez.zbd"))) === "", "a golden world is not opened");
await page
  .waitForFunction(() => window.refitScene?.stats.triangles > 0, undefined, { timeout: 30000 })
  .catch(() => fail("a golden world has no triangles"));
await page.waitForTimeout(1500);
await shot("golden-world");
const colours = await page.evaluate(
  async (data) => {
    const bitmap = await createImageBitmap(
      new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], { type: "image/png" }),
    );
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    return new Set(new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer)).size;
  },
  (await page.screenshot({ clip: { x: 330, y: 150, width: 580, height: 480 } })).toString("base64"),
);
check(colours > 100, `a golden world has ${colours} colours`);

// Findings of a golden file, and what its bytes mean.
const strange = rowsOf(native("lint", "golden/gamez", "--json", "--all")).find((row) => row.code);
check((await drop(join(place, strange.path))) === "", `${strange.path} is not opened`);
await go(`${hash(basename(strange.path))}?view=findings`);
await shows(strange.code);
const [lines, asked] = await page.evaluate(async () => {
  const source = window.refitSource;
  return [(await source.explain(0, "")).lines, (await source.fileFindings(0)).findings];
});
const explained = rowsOf(native("explain", strange.path, "--json"));
check(
  lines.length > 0 &&
    lines.every(
      (line, i) =>
        line.offset === explained[i].start &&
        line.offset + line.bytes === explained[i].end &&
        line.path === explained[i].path,
    ),
  "the bytes mean something else",
);
check(
  asked.length === rowsOf(native("lint", strange.path, "--json", "--all")).filter((row) => row.code).length,
  "other findings",
);

// Damaged files: the same messages as the program.
cpSync(join(golden, "../roundtrip-tests/malformed"), join(place, "malformed"), { recursive: true });
check((await drop(join(place, "malformed"))) === "", "malformed files are not opened");
const damaged = await work("#verify-all");
await shot("malformed");
let errors = 0;
for (const row of rowsOf(native("verify", "malformed", "--json", "--keep-going")).filter(
  (row) => row.status === "error",
)) {
  const own = damaged.find((own) => `malformed/${own.path}` === row.path);
  errors++;
  check(
    own?.error !== undefined && row.error.replaceAll("malformed/", "") === own.error,
    `${row.path}:\n  ${row.error}\n  ${own?.error}`,
  );
}
check(errors > 0, "no file of malformed/ fails");
console.log(`malformed: ${errors} errors as from the program`);

// Hostile files do not affect the page: the next file opens.
const hostile = join(place, "hostile");
mkdirSync(hostile);
writeFileSync(join(hostile, "huge.zbd"), "");
truncateSync(join(hostile, "huge.zbd"), 3 * 2 ** 30);
writeFileSync(join(hostile, "large.zbd"), Buffer.alloc(300 << 20, 7));
writeFileSync(join(hostile, "broken.zip"), "PK\x03\x04 and nothing else");
const scene = readFileSync(
  join(
    games,
    "mw",
    relative(
      join(games, "mw"),
      rowsOf(native("verify", join(games, "mw"), "--json")).find((row) => row.format === "gamez").path,
    ),
  ),
);
for (let at = 4; at < Math.min(scene.length, 400); at += 4) scene.writeUInt32LE(0x7fffffff, at);
writeFileSync(join(hostile, "counts.zbd"), scene);
writeFileSync(join(hostile, "<img src=x onerror=alert(1)>.zbd"), "x");
for (const file of readdirSync(hostile)) {
  began = performance.now();
  const said = await drop(join(hostile, file));
  const shown = said || (await text());
  check(shown.length > 0, `${file}: an empty page`);
  if (file === "huge.zbd") {
    await shows("more than a page can hold");
    await shot("huge");
  }
  const start = (said || "opened").split("\n").filter(Boolean).slice(0, 2).join(": ").slice(0, 160);
  console.log(`${file}: ${Math.round(performance.now() - began)} ms, ${JSON.stringify(start)}`);
  check(
    (await page.evaluate(() => document.querySelectorAll("img[src=x]").length)) === 0,
    `${file}: a name becomes markup`,
  );
}
check((await drop(join(place, theirs[0].path))) === "", "the page does not work after hostile files");
check((await work("#verify-all"))[0].status === "exact", "the page verifies nothing after hostile files");
await shot("after");

check(requests.length === atFirst, `requests after loading: ${requests.slice(atFirst)}`);
const late = outside.slice(outsideAtFirst).filter((url) => url !== "https://example.com/");
check(late.length === 0, `requests after loading: ${late}`);
await browser.close();
server.close();
rmSync(place, { recursive: true, force: true });
console.log(process.exitCode ? "failed" : `passed: ${exact} golden files exact, no request after the page was loaded`);
