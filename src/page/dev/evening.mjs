// Shared by the stories of edits: folders, and the same edits on the command line.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, equal, until } from "./browser.mjs";

/** The files below a folder by their paths, without refit's own unless `all`. */
export function files(folder, below = "", all = false) {
  const out = new Map();
  for (const name of readdirSync(join(folder, below))) {
    const path = below ? `${below}/${name}` : name;
    if (!all && /^\.|\.orig/.test(name)) continue;
    if (statSync(join(folder, path)).isDirectory())
      for (const [key, data] of files(folder, path, all)) out.set(key, data);
    else out.set(path, readFileSync(join(folder, path)));
  }
  return out;
}

/** The paths whose contents differ. */
export const differing = (a, b) =>
  [...new Set([...a.keys(), ...b.keys()])].filter((key) => !b.has(key) || !a.get(key)?.equals(b.get(key)));

/** Waits for what the page says after an edit. */
export const settled = (page, label) =>
  until(page, (wanted) => document.querySelector(".live")?.textContent.includes(wanted), label);

/** A folder for the files of a story. */
export const place = () => mkdtempSync(join(tmpdir(), "refit-evening-"));

/** Runs refit, and returns what it prints. */
export const runner =
  (refit) =>
  (...line) => {
    try {
      return execFileSync(refit, line, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      // 3: done, and there are findings.
      if (error.status === 3) return error.stdout;
      throw error;
    }
  };

/** Puts the edits into the game by the page. */
export async function putIntoGame(page) {
  await page.locator("a", { hasText: "My changes" }).click();
  const says = (texts) =>
    until(
      page,
      (wanted) => {
        const badges = [...document.querySelectorAll(".change:not(.gone) .change-part .badge")];
        return badges.length && badges.every((badge) => wanted.includes(badge.textContent));
      },
      texts,
    );
  check(await says(["not in the game yet"]), "My changes says that the game lacks them");
  await page.locator("button", { hasText: "Put into the game" }).click();
  check(await settled(page, "of the game written"), "the edits are put into the game");
  check(await says(["in the game"]), "and then that it has them");
}

/** Saves a mod of the edits by the page, and returns its file. */
export async function saveMod(page, folder, name) {
  await page.locator("a", { hasText: /^Mods$/ }).click();
  await page.locator("input[aria-label=Name]").fill(name);
  const saving = page.waitForEvent("download");
  await page.locator("button", { hasText: "Save the mod" }).click();
  const saved = await saving;
  equal(saved.suggestedFilename(), `${name}.refitmod`, "the mod is saved");
  const file = join(folder, `${name}.refitmod`);
  await saved.saveAs(file);
  return file;
}
