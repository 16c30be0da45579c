// Bundles the page into dist/. The same sources and packages give the same bytes.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");
mkdirSync(dist, { recursive: true });
// What every script is built with.
const script = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
};
const result = await build({
  ...script,
  entryPoints: ["main.ts"],
  format: "esm",
  metafile: true,
  outfile: "dist/page.js",
});
// The page before something is opened.
await build({ ...script, entryPoints: ["start.ts"], format: "esm", outfile: "dist/start.js" });
// What answers the questions of a page without a server (`cargo xtask web`).
await build({ ...script, entryPoints: ["worker.ts"], format: "iife", outfile: "dist/worker.js" });
const css = await build({
  absWorkingDir: here,
  entryPoints: ["page.css"],
  minify: true,
  outfile: "dist/page.css",
  logLevel: "warning",
});
void css;
const index = readFileSync(join(here, "index.html"), "utf8");
writeFileSync(join(dist, "index.html"), index);
const start = index.replace("page.js", "start.js").replace("<title>refit view</title>", "<title>refit</title>");
writeFileSync(join(dist, "start.html"), start);

const packages = new Set();
for (const input of Object.keys(result.metafile.inputs)) {
  const match = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
  if (match) packages.add(match[1]);
}
let licences = "The page of refit view contains these packages.\n";
for (const name of [...packages].sort()) {
  const folder = join(here, "node_modules", name);
  const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const text = readFileSync(join(folder, "LICENSE"), "utf8").trim();
  licences += `\n${"=".repeat(80)}\n${name} ${about.version} (${about.license})\n\n${text}\n`;
}
writeFileSync(join(dist, "LICENSES.txt"), licences);
// Compressed, because every program contains it.
writeFileSync(join(dist, "page.js.gz"), gzipSync(readFileSync(join(dist, "page.js")), { level: 9 }));
rmSync(join(dist, "page.js"));
const files = ["LICENSES.txt", "index.html", "page.css", "page.js.gz", "start.html", "start.js", "worker.js"];
const sums = files.map(
  (file) =>
    `${createHash("sha256")
      .update(readFileSync(join(dist, file)))
      .digest("hex")}  ${file}\n`,
);
writeFileSync(join(dist, "SHA256"), sums.join(""));
for (const file of files) console.log(`${file} ${readFileSync(join(dist, file)).length}`);
