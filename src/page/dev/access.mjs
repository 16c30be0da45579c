// Every control has a name and is reachable by keyboard; contrasts are sufficient in both themes.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { api, check, go, open, scene } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Records what axe-core finds serious. */
export async function serious(page, what) {
  const problems = await page.evaluate(async (source) => {
    // The page allows no inline script: axe is run as a function of the test.
    if (!window.axe) new Function(source).call(window);
    const found = await window.axe.run(document);
    const bad = found.violations.filter((each) => each.impact === "serious" || each.impact === "critical");
    return bad.map((each) => `${each.id}: ${each.nodes.length} × ${each.help}: ${each.nodes[0].html.slice(0, 200)}`);
  }, axe);
  for (const problem of problems) check(false, `${what}: ${problem}`);
}

export async function access(browser, about) {
  for (const scheme of ["dark", "light"]) {
    const page = await open(browser, about.url, { scheme, expected: (text) => text.includes("422") });
    const { files } = await api(page, "opened");
    const first = (format) => files.find((file) => file.format === format && !file.path.startsWith("broken/"));
    const views = [
      ["", {}],
      ["", { view: "findings" }],
      [about.world, { name: "door01" }],
      [about.world, { view: "models" }],
      [first("textures").path, {}],
      [first("textures").path, { view: "pictures", name: "bark" }],
      [first("sounds").path, {}],
      [first("messages").path, {}],
      [first("interp").path, {}],
      [first("anim").path, {}],
      [first("anim").path, { view: "contents" }],
      [first("pbo").path, { view: "contents" }],
      [first("pbo").path, { view: "summary" }],
      ["broken/half.zbd", {}],
    ];
    for (const [path, values] of views) {
      await go(page, path, values);
      if (path === about.world) await scene(page);
      // Hidden rows are dimmed.
      if (values.name === "door01") await page.keyboard.press("h");
      await page.waitForTimeout(250);
      await serious(page, `${scheme} ${path} ${JSON.stringify(values)}`);
    }
    await page.close();
  }
  const page = await open(browser, about.url, { hash: "" });
  await go(page, about.world);
  await scene(page);
  const reached = new Set();
  for (let n = 0; n < 60; n++) {
    await page.keyboard.press("Tab");
    reached.add(
      await page.evaluate(
        () =>
          document.activeElement?.getAttribute("aria-label") ??
          document.activeElement?.textContent?.trim().slice(0, 40) ??
          "",
      ),
    );
  }
  for (const name of ["Nodes", "What colours show", "Camera", "Options", "Details", "Keys (?)"]) {
    check(
      [...reached].some((each) => each.includes(name)),
      `Tab does not reach ${name}: ${[...reached].join(", ").slice(0, 600)}`,
    );
  }
  await page.close();
}
