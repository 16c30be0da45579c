// Files that change while they are shown, two pages at once, damaged files, and what a mod changes.
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { api, check, equal, go, middle, open, place, scene, until } from "./browser.mjs";

const camera = (page) => page.evaluate(() => window.refitScene.view.toString());
/** The first number of the door's transform, which changes when the door opens. */
const door = () => {
  const three = window.refitScene;
  const row = three?.packed.header.nodes.names.indexOf("door01") ?? -1;
  return row < 0 ? null : three.packed.matrix[row * 12];
};

export async function live(page, about, browser) {
  const { world } = about;
  const second = await open(browser, about.url);
  for (const each of [page, second]) {
    await go(each, world, { name: "door01" });
    await scene(each);
    await each.waitForTimeout(500);
  }
  const before = [await camera(page), await page.evaluate(door)];
  const original = readFileSync(join(about.folder, world));
  copyFileSync(about.edited, join(about.folder, world));
  const changed = Date.now();
  for (const each of [page, second]) {
    const shown = await until(
      each,
      (old) => {
        const three = window.refitScene;
        const row = three?.packed.header.nodes.names.indexOf("door01") ?? -1;
        return row >= 0 && Math.abs(three.packed.matrix[row * 12] - old) > 0.1;
      },
      before[1],
      8000,
    );
    check(shown, "an edited file is shown");
  }
  const took = Date.now() - changed;
  check(took < 4000, `the change is shown after ${took} ms`);
  await scene(page);
  equal(await camera(page), before[0], "the camera stays");
  equal(await page.locator(".inspector h2").innerText(), "door01", "the selection stays");
  writeFileSync(join(about.folder, world), original);
  check(
    await until(
      page,
      (old) => {
        const three = window.refitScene;
        const row = three?.packed.header.nodes.names.indexOf("door01") ?? -1;
        return row >= 0 && Math.abs(three.packed.matrix[row * 12] - old) < 1e-3;
      },
      before[1],
      8000,
    ),
    "and changes back",
  );
  await second.close();
  console.log(`  a change is on both pages after ${took} ms`);
}

/** New and deleted files are listed without a reload, with a word. */
export async function appearing(page, about) {
  const { world } = about;
  const copy = world.replace(/[^/]+$/, "appeared.zbd");
  await go(page, "");
  copyFileSync(join(about.folder, world), join(about.folder, copy));
  const said = (word) => (document.querySelector(".live")?.innerText ?? "").includes(word);
  check(await until(page, said, "1 file was added", 15000), "the page says that a file was added");
  check(
    (await api(page, "opened")).files.some((file) => file.path === copy),
    "it is in the list",
  );
  await go(page, copy);
  await scene(page);
  rmSync(join(about.folder, copy));
  check(await until(page, said, "1 file was deleted", 15000), "the page says that a file was deleted");
  check((await middle(page)).includes("not open"), "the file that was shown has a sentence");
}

/** Servers of two games at once: neither knows the token of the other, and a tab without one is told what to do. */
export async function tokens(browser, page, about) {
  const other = await open(browser, about.hostile, { expected: (text) => /\b(404|422)\b/.test(text) });
  await go(other, "");
  check(Array.isArray((await api(page, "opened")).files), "the first page still gets answers");
  check(!(await page.context().cookies()).length, "no cookie has the token");
  await other.close();
  const context = await browser.newContext();
  const tab = await context.newPage();
  await tab.goto(about.url.replace(/\?.*/, ""));
  check(
    await until(tab, () => document.querySelector(".middle")?.innerText.includes("belongs to a refit that ended")),
    "a tab without the token says what it is and what to do",
  );
  await context.close();
}

export async function damaged(page) {
  const { files } = await api(page, "opened");
  for (const file of files.filter((each) => each.path.startsWith("broken/"))) {
    await go(page, file.path);
    check(
      await until(page, () => document.querySelector(".fault")?.innerText.length > 30),
      `${file.path}: the page says what is wrong`,
    );
    check(
      (await middle(page)).includes("cannot be"),
      `${file.path}: ${JSON.stringify((await middle(page)).slice(0, 80))}`,
    );
  }
  await go(page, "no/such/file.zbd");
  check((await middle(page)).includes("not open"), "a file that is not there has a sentence");
  const good = files.find((file) => file.format === "gamez" && !file.path.startsWith("broken/"));
  await go(page, good.path);
  await scene(page);
  check(!(await middle(page)).includes("cannot be shown"), "the next file is shown");
}

/** Truncated and corrupted files: the page shows each, or an error, and keeps working. */
export async function hostile(browser, about) {
  const refused = (text) => /\b(404|422)\b/.test(text);
  const page = await open(browser, about.hostile, { expected: refused });
  const { files } = await api(page, "opened");
  let [faults, views] = [0, 0];
  for (const file of files) {
    for (const view of [undefined, "contents", "findings"]) {
      if (!(await go(page, file.path, view ? { view } : {}))) continue;
      views += 1;
      const text = await middle(page);
      const isFault = (await page.locator(".fault").count()) > 0;
      if (isFault) faults += 1;
      check(
        isFault || text.trim().length > 0 || (await page.locator("canvas.scene").count()) > 0,
        `${file.path} ${view ?? ""}: nothing is shown`,
      );
      if (isFault && !view) break;
    }
  }
  check(faults > 5, `${faults} damaged files are errors`);
  console.log(`  ${files.length} hostile files, ${views} views, ${faults} errors`);
  await go(page, "");
  check((await middle(page)).length > 20, "the page goes on after hostile files");
  await page.close();
}

/** The page of a game compared with a mod: lists, and highlights in the world. */
export async function modded(browser, about) {
  const page = await open(browser, about.modded);
  check(
    await until(page, () => document.querySelector(".top").innerText.includes("1 file differs")),
    "the top bar counts what a mod changes",
  );
  await go(page, "", { view: "status" });
  check(
    (await middle(page)).includes("new-door") && (await middle(page)).includes(about.world),
    "the list names the mod and the file",
  );
  await go(page, about.world, { view: "diff" });
  const text = await middle(page);
  for (const word of ["door01", "material", "rotation", "with the mod new-door"])
    check(text.includes(word), `the differences name ${word}`);
  const cells = await page.locator(".diff tbody tr").first().locator("td").allInnerTexts();
  check(
    /^1 bark\.tif$/.test(cells[1]) && /^9 [a-z]+\d*\.tif$/.test(cells[2]),
    `materials have names: ${cells.join(" | ")}`,
  );
  equal(
    (await page.locator(".diff thead th").allInnerTexts()).slice(0, 3).join(),
    "Field,Now,With new-door",
    "the columns name the mod",
  );
  await page.locator("a", { hasText: "Show in the scene" }).click();
  await page.waitForFunction(() => window.refitScene);
  await scene(page);
  check(
    await until(page, () => document.querySelector(".legend")?.innerText.includes("1 changed node")),
    "one node is marked",
  );
  check((await page.locator(".legend").innerText()).includes("door01"), "the legend names it");
  const [door, canvas] = [await place(page, "door01"), await page.locator("canvas.scene").boundingBox()];
  check(
    Math.hypot(door.x - canvas.x - canvas.width / 2, door.y - canvas.y - canvas.height / 2) < 2,
    "the camera is before what changed",
  );
  check(
    await page.evaluate(() => {
      const three = window.refitScene;
      const row = three.packed.header.nodes.names.indexOf("door01");
      return three.changedRows.has(row) && three.changedRows.size === 1;
    }),
    "it is the door",
  );
  await page.close();
}
