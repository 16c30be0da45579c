// A world: picking, modes, hiding, keys, cameras, and addresses.
import { check, colours, differ, equal, go, place, scene, until } from "./browser.mjs";

const stats = (page) => page.evaluate(() => ({ ...window.refitScene.stats, cam: window.refitScene.view.toString() }));
const title = (page) => page.locator(".inspector h2").innerText();
const press = async (page, key) => {
  await page.keyboard.press(key);
  await page.waitForTimeout(60);
};

async function picking(page, world) {
  await go(page, world, { name: "door01" });
  await scene(page);
  const door = await place(page, "door01");
  await press(page, "Escape");
  equal(await title(page), await page.evaluate(() => window.refitScene.packed.header.name), "nothing is selected");
  await page.mouse.click(door.x, door.y);
  equal(await title(page), "door01", "a click picks the door");
  for (const word of ["bark.tif", "nodes[", "frame", "Definitions and uses"]) {
    check(
      await until(page, (part) => document.querySelector(".inspector").innerText.includes(part), word, 20000),
      `the inspector of the door says ${word}`,
    );
  }
  await page.locator(".inspector button", { hasText: "Show the bytes" }).first().click();
  check(
    await until(page, () => document.querySelector(".explain td")?.innerText.startsWith("0x")),
    "the bytes of the door are shown",
  );
  const took = await page.evaluate(
    ([x, y]) => {
      const rect = window.refitScene.canvas.getBoundingClientRect();
      const before = performance.now();
      window.refitScene.pick(x - rect.left, y - rect.top);
      return performance.now() - before;
    },
    [door.x, door.y],
  );
  check(took < 100, `a pick takes ${took} ms`);
  await go(page, world, { name: "tower0" });
  const before = (await stats(page)).cam;
  const frame = await place(page, "tower0");
  await page.mouse.dblclick(frame.x, frame.y);
  check(
    before === (await stats(page)).cam || (await title(page)) === "tower0",
    "a double click frames what is selected",
  );
}

async function modes(page, world) {
  await go(page, world, { name: "house" });
  await scene(page);
  await press(page, "Escape");
  const pictures = new Map();
  for (const mode of ["textures", "wireframe", "vertex", "soil", "zones", "cells", "lod", "flags", "changed"]) {
    await page.locator("select[aria-label='What colours show']").selectOption(mode);
    await page.waitForTimeout(250);
    const seen = await colours(page, "canvas.scene");
    for (const [other, picture] of pictures) {
      // Without visible zones, levels or changes, everything is grey in these modes.
      const grey = ["zones", "cells", "lod", "flags", "changed"];
      if (!(grey.includes(mode) && grey.includes(other)))
        check(differ(seen, picture) > 0.05, `the modes ${mode} and ${other} look alike`);
    }
    pictures.set(mode, seen);
    check(
      mode === "textures" || (await page.evaluate(() => location.hash)).includes(`mode=${mode}`),
      `the address names the mode ${mode}`,
    );
  }
  await page.locator("select[aria-label='What colours show']").selectOption("lod");
  check(
    await until(page, () => document.querySelector(".legend")?.innerText.includes("nearest")),
    "levels of detail have a legend",
  );
  await page.locator("select[aria-label='What colours show']").selectOption("textures");
  await page.waitForTimeout(200);
  check(differ(await colours(page, "canvas.scene"), pictures.get("textures")) < 0.1, "the textures are back");
}

async function hiding(page, world) {
  await go(page, world, { name: "roof" });
  await scene(page);
  await page.locator("canvas.scene").focus();
  const before = await stats(page);
  await press(page, "h");
  equal((await stats(page)).visible, before.visible - 1, "h hides the roof");
  await press(page, "h");
  equal((await stats(page)).visible, before.visible, "h shows it again");
  await press(page, "i");
  equal((await stats(page)).visible, 1, "i isolates it");
  await press(page, "i");
  equal((await stats(page)).visible, before.visible, "i ends that");
  await press(page, "p");
  equal(await title(page), "house", "p selects the parent");
  await press(page, "h");
  check((await stats(page)).visible <= before.visible - 4, "a hidden house takes its parts along");
  await press(page, "Shift+H");
  equal((await stats(page)).visible, before.visible, "Shift+H shows everything");
  await page.locator("input[aria-label='Filter nodes']").fill("fence");
  equal(await page.locator("#side-view [role=treeitem]").count(), 3, "the filter of nodes finds three fences");
  await page.locator("#side-view [role=treeitem]").first().click();
  check((await title(page)).startsWith("fence"), "a row of the list is selected");
  await page.locator("input[aria-label='Filter nodes']").fill("");
}

async function detail(page, world) {
  await go(page, world, { name: "tower" });
  await scene(page);
  const level = page.locator("select[aria-label='Level of detail']");
  const shown = () =>
    page.evaluate(() => {
      const three = window.refitScene;
      const { names } = three.packed.header.nodes;
      return ["tower0", "tower1"].map((name) => three.isVisible(names.indexOf(name)));
    });
  check((await shown()).join() === "true,false", "the nearest level is shown");
  await level.selectOption("1");
  check((await shown()).join() === "false,true", "the farther level is shown");
  await level.selectOption("-2");
  await page.waitForTimeout(150);
  check((await shown()).join() === "true,false", "near the tower its near level is shown");
  // Out of its range, and within eight times of it.
  await page.evaluate(() => window.refitScene.view.dolly(300 / window.refitScene.view.distance));
  const levels = (wanted) =>
    until(
      page,
      (all) => {
        const three = window.refitScene;
        const { names } = three.packed.header.nodes;
        return ["tower0", "tower1"].every((name, n) => three.isVisible(names.indexOf(name)) === all[n]);
      },
      wanted,
      8000,
    );
  check(await levels([false, true]), "from afar its far level is shown");
  await page.locator("summary", { hasText: "Options" }).click();
  await page.locator("input[aria-label=Detail]").fill("3");
  check(await levels([true, false]), "with more detail the near one reaches farther");
  const before = await colours(page, "canvas.scene");
  await page.locator("input[aria-label='Draw distance']").fill("1.7");
  await page.waitForTimeout(250);
  check(differ(before, await colours(page, "canvas.scene")) > 0.05, "the draw distance cuts the world off");
  await page.locator("input[aria-label='Draw distance']").fill("4");
  const light = await colours(page, "canvas.scene");
  await page.locator(".menu label", { hasText: /light/i }).click();
  await page.waitForTimeout(200);
  check(differ(light, await colours(page, "canvas.scene")) > 0.05, "the light changes the picture");
  await page.locator("summary", { hasText: "Options" }).click();
}

async function cameras(page, world, other) {
  await go(page, world, { name: "door01" });
  await scene(page);
  await page.locator("canvas.scene").focus();
  const first = (await stats(page)).cam;
  await page.keyboard.down("w");
  check(await until(page, (old) => window.refitScene.view.toString() !== old, first, 8000), "W moves the camera");
  await page.keyboard.up("w");
  const moved = (await stats(page)).cam;
  const box = await page.locator("canvas.scene").boundingBox();
  await page.mouse.move(box.x + 200, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 230, { steps: 4 });
  await page.mouse.up();
  await page.mouse.wheel(0, 900);
  const turned = (await stats(page)).cam;
  check(turned !== moved, "a drag turns it");
  equal(await title(page), "door01", "a drag picks nothing");
  await press(page, "c");
  check((await stats(page)).cam.endsWith("f"), "c flies");
  await press(page, "c");
  await press(page, "f");
  check(await until(page, (old) => window.refitScene.view.toString() !== old, turned, 8000), "f frames the door");
  const [framed, canvas] = [await place(page, "door01"), await page.locator("canvas.scene").boundingBox()];
  check(
    Math.hypot(framed.x - canvas.x - canvas.width / 2, framed.y - canvas.y - canvas.height / 2) < 2,
    `the door is in the middle: ${JSON.stringify(framed)}`,
  );
  await page.waitForTimeout(600);
  const kept = (await stats(page)).cam;
  // The address restores the view, and a file remembers its camera.
  const hash = await page.evaluate(() => location.hash);
  check(hash.includes("cam=") && hash.includes("node="), `the address names camera and node: ${hash}`);
  await page.reload();
  await page.waitForSelector("body[data-shown]");
  await scene(page);
  equal((await stats(page)).cam, kept, "a reload shows the same");
  equal(await title(page), "door01", "a reload selects the same");
  await go(page, other);
  await go(page, world);
  await scene(page);
  equal((await stats(page)).cam, kept, "the file remembers its camera");
}

async function moving(page, world) {
  await go(page, world, { name: "basin" });
  await scene(page);
  const before = await page.evaluate(() => window.refitScene.stats.frames);
  check(
    await until(page, (old) => window.refitScene.stats.frames > old + 3, before, 10000),
    "cycles and scrolling keep on",
  );
  const first = await colours(page, "canvas.scene");
  let moved = 0;
  for (let n = 0; n < 20 && moved <= 0.005; n++) {
    await page.waitForTimeout(230);
    moved = differ(first, await colours(page, "canvas.scene"));
  }
  check(moved > 0.005, "waves move");
  await page.locator("summary", { hasText: "Options" }).click();
  await page.locator(".menu label", { hasText: "Play texture cycles" }).click();
  await page.waitForTimeout(200);
  const still = await page.evaluate(() => window.refitScene.stats.frames);
  await page.waitForTimeout(900);
  check((await page.evaluate(() => window.refitScene.stats.frames)) <= still + 1, "they stop");
  await page.locator("summary", { hasText: "Options" }).click();
}

export async function scenes(page, about) {
  const { world } = about;
  await picking(page, world);
  await modes(page, world);
  await hiding(page, world);
  await detail(page, world);
  await moving(page, world);
  await cameras(page, world, about.other);
  await page.keyboard.press("?");
  check(
    await until(page, () => document.querySelector("dialog.keys")?.innerText.includes("Isolate")),
    "? lists the keys",
  );
  await page.keyboard.press("Escape");
}
