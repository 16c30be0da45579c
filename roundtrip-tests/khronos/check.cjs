#!/usr/bin/env node
/* Judges refit's exports with the Khronos glTF validator: a check that developers run, beside `src/khronos.rs`, which
   checks every export of the tests with the same rules everywhere.

       npm install --prefix /tmp/khronos gltf-validator@2.0.0-dev.3.10
       cargo build -p refit
       export NODE_PATH=/tmp/khronos/node_modules
       node roundtrip-tests/khronos/check.cjs target/debug/refit FILE.zbd… [--with MOTION.zbd]

   Exports each file, and judges each .glb of it. Errors and warnings are printed and counted by code; the exit code is
   1 if there are errors. Without files all golden worlds, planes and mechlibs are exported, the mechlibs with the
   motions of Pirate's Moon. */
const { execFileSync } = require("child_process");
const fs = require("fs"), os = require("os"), path = require("path");
const validator = require("gltf-validator");

const [refit, ...rest] = process.argv.slice(2);
const at = rest.indexOf("--with");
let motions = at < 0 ? null : rest.splice(at, 2)[1];
const root = path.join(__dirname, "..", "..", "golden");
let files = rest;
if (files.length === 0) {
  const all = (folder) =>
    fs.readdirSync(path.join(root, folder)).filter((f) => f.endsWith(".zbd")).map((f) => path.join(root, folder, f));
  files = ["gamez", "planes", "mechlib"].flatMap(all);
  motions ??= path.join(root, "motion", "pm_zbd_motion.zbd");
}

function below(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((e) => {
    const own = path.join(folder, e.name);
    return e.isDirectory() ? below(own) : own.endsWith(".glb") ? [own] : [];
  });
}

(async () => {
  let judged = 0, errors = 0;
  const codes = {};
  for (const file of files) {
    const out = fs.mkdtempSync(path.join(os.tmpdir(), "khronos-"));
    const more = motions && file.includes("mechlib") ? ["--with", motions] : [];
    try {
      const words = ["export", file, "-o", path.join(out, "x"), ...more];
      execFileSync(refit, words, { stdio: ["ignore", "ignore", "pipe"] });
    } catch (e) {
      // A world of which nothing can be shown has no export.
      console.log(`${file}: ${String(e.stderr).trim().split("\n")[0]}`);
      continue;
    }
    for (const glb of below(out)) {
      const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(glb)), { maxIssues: 0 });
      judged += 1;
      errors += report.issues.numErrors;
      for (const issue of report.issues.messages.filter((m) => m.severity < 2)) {
        codes[issue.code] = (codes[issue.code] || 0) + 1;
        const what = `${["error", "warning"][issue.severity]} ${issue.code} ${issue.pointer}: ${issue.message}`;
        console.log(`${file}: ${path.relative(out, glb)}: ${what}`);
      }
    }
    fs.rmSync(out, { recursive: true });
  }
  console.log(`${judged} files of ${files.length}: ${errors} errors`, codes);
  process.exit(errors > 0 ? 1 : 0);
})();
