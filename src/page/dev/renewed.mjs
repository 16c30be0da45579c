// After an edit the scene is changed where it changed, and what a person has chosen stays: it is the scene that would
// be loaded. Edits are those of the page, of another tab, and of another program.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { api, check, equal, go, open, scene, until } from "./browser.mjs";

/** On the page: true once it shows what the server has, in every row. */
const isCurrent = async (number) => {
  const data = await (await fetch(`api/file/${number}/scene`, { cache: "no-store" })).arrayBuffer();
  const length = new DataView(data).getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 8, length)));
  const three = window.refitScene;
  if (!three || three.frame) return false;
  const { packed } = three;
  const bytes = (name, each) => new Uint8Array(data, 8 + length + header.data[name][0], header.data[name][1] * each);
  const same = (column, name, each) => {
    const own = new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
    const other = bytes(name, each);
    return own.length === other.length && own.every((byte, n) => byte === other[n]);
  };
  const text = (of) => JSON.stringify([of.nodes.names, of.nodes.groups, of.world, of.lights]);
  return (
    same(packed.node, "node", 32) &&
    same(packed.matrix, "matrix", 48) &&
    same(packed.pose, "pose", 24) &&
    same(packed.range, "range", 8) &&
    same(packed.cell, "cell", 4) &&
    text(packed.header) === text(header)
  );
};

/** On the page: what is drawn of each row. */
const drawn = () => {
  const three = window.refitScene;
  const rows = three.packed.header.nodes.names.map((name, row) =>
    three.batches
      .map(({ mesh, instances, kind }) => {
        const instance = instances[row];
        // What turns to the camera is turned before each frame.
        if (instance < 0 || three.facades.some((each) => each.row === row)) return "";
        const { elements } = mesh.getMatrixAt(instance, three.view.camera.matrixWorld.clone());
        return [kind, mesh.getVisibleAt(instance), ...elements.map((n) => n.toFixed(3))].join(" ");
      })
      .join("; "),
  );
  return { rows, objects: three.stats.objects, visible: three.stats.visible, triangles: three.stats.triangles };
};

/** `about.renewed`: the address of a server, and where the project will be. */
export async function renewed(browser, about) {
  const { url, project } = about.renewed;
  const page = await open(browser, url, { expected: (text) => text.includes("422") });
  const { files } = await api(page, "opened");
  const world = files.find((each) => each.path === about.world);
  // Playwright's `waitForFunction` does not wait for a promise: each one is true.
  const current = async (what) => {
    for (const end = Date.now() + 40000; Date.now() < end; await page.waitForTimeout(200))
      if (await page.evaluate(isCurrent, world.number)) return true;
    return check(false, `${what}: the page does not show what the server has`);
  };
  await go(page, world.path, { view: "scene", name: "door01" });
  await scene(page);
  const field = (name) => page.locator(`.inspector input[aria-label='${name}']`);
  const button = (name) => page.locator(".inspector button", { hasText: name }).first();
  const says = (text) =>
    until(page, (wanted) => document.querySelector(".live")?.textContent.includes(wanted), text).then((said) =>
      check(said, `the page says ${text}`),
    );
  // The first edit makes the project, and the file becomes its tree.
  await field("Position x").waitFor();
  await field("Position x").fill("11.5");
  await field("Position x").press("Enter");
  await page.locator("dialog.ask input").press("Enter");
  await says("door01 moved");
  await current("the first edit");
  // What a person has chosen.
  await page.evaluate(() => {
    const three = window.refitScene;
    window.firstScene = three;
    const hidden = three.packed.header.nodes.names.findIndex(
      (name, row) => name !== "door01" && three.packed.node[row * 8 + 1] >= 0,
    );
    three.setHidden(hidden, true);
    window.hiddenName = three.packed.header.nodes.names[hidden];
    three.view.dolly(1.25);
  });
  const camera = await page.evaluate(() => window.refitScene.view.toString());
  const stays = async (what, selected, x) => {
    // An edit of another program is seen once the server looks.
    const isIn = ([label, wanted]) =>
      document.querySelector(`.inspector input[aria-label='${label}']`)?.value === wanted;
    if (x) check(await until(page, isIn, ["Position x", x]), `${what}: the form has the place ${x}`);
    if (!(await current(what))) return;
    const now = await page.evaluate(() => {
      const three = window.refitScene;
      const { names } = three.packed.header.nodes;
      return {
        isSame: three === window.firstScene,
        camera: three.view.toString(),
        hidden: [...three.hidden].map((row) => names[row]).join() === window.hiddenName,
        title: document.querySelector(".inspector h2")?.textContent,
      };
    });
    check(now.isSame, `${what}: the scene is not built again`);
    equal(now.camera, camera, `${what}: the camera stays`);
    check(now.hidden, `${what}: what is hidden stays hidden`);
    if (selected) equal(now.title, selected, `${what}: the selection stays`);
  };
  await field("Position x").fill("14.25");
  await field("Scale y").fill("1.5");
  await field("Turn by degrees").fill("30");
  await field("Position x").press("Enter");
  await says("door01 moved");
  await until(page, () => {
    const { matrix, header } = window.refitScene.packed;
    return Math.abs(matrix[header.nodes.names.indexOf("door01") * 12 + 9] - 14.25) < 0.01;
  });
  await stays("moved, turned and scaled", "door01", "14.25");
  await page.locator(".inspector h2").click();
  // The watch hears of it before the answer is there: both are one scene.
  let asked = 0;
  const count = (request) => (asked += request.url().includes("/scene?shapes=") ? 1 : 0);
  page.on("request", count);
  await page.route(
    /api\/undo/,
    async (route) => {
      const response = await route.fetch();
      await page.waitForTimeout(2000);
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await page.keyboard.press("Control+z");
  await says("undone");
  await stays("undone", "door01", "11.5");
  await page.waitForTimeout(1000);
  page.off("request", count);
  equal(asked, 1, "the scene is asked for once");
  await page.keyboard.press("Control+y");
  await says("done again");
  await stays("done again", "door01", "14.25");
  await button(/^Copy$/).click();
  await says("copied");
  await until(page, () => document.querySelector(".inspector h2")?.textContent === "door02");
  // A copy is selected and framed.
  await page.evaluate((cam) => window.refitScene.view.restore(cam), camera);
  await stays("copied", "door02");
  await field("Name").fill("gate");
  await field("Name").press("Enter");
  await says("renamed");
  await until(page, () => document.querySelector(".inspector h2")?.textContent === "gate");
  await stays("renamed", "gate");
  // A scene that was asked for before an edit does not take back what the edit shows.
  const move = (node, motion) =>
    page.evaluate(
      async ([path, change]) => {
        const headers = { "content-type": "application/json", "x-refit-token": localStorage.getItem("refit-token") };
        const body = JSON.stringify({ do: "world", file: path, change });
        return (await fetch("api/edit", { method: "POST", headers, body })).status;
      },
      [world.path, { do: "move", node, motion }],
    );
  let release;
  let isHeld = false;
  const held = new Promise((done) => (release = done));
  await page.route(
    /\/scene/,
    async (route) => {
      const response = await route.fetch();
      isHeld = true;
      await held;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  equal(await move("house", { by: [0, 0, 1] }), 200, "another tab moves the house");
  for (const end = Date.now() + 20000; !isHeld && Date.now() < end;) await page.waitForTimeout(20);
  check(isHeld, "the page asks for the scene");
  await field("Position x").fill("16.5");
  await field("Position x").press("Enter");
  await says("gate moved");
  await page.evaluate(() => {
    const three = window.refitScene;
    const place = () => three.world[three.packed.header.nodes.names.indexOf("gate") * 16 + 12].toFixed(2);
    const seen = (window.seenPlaces = new Set([place()]));
    window.watching = setInterval(() => seen.add(place()), 4);
  });
  release();
  await stays("an edit while a scene is loaded", "gate", "16.5");
  const places = await page.evaluate(() => {
    clearInterval(window.watching);
    return [...window.seenPlaces].join();
  });
  check(!places.includes(","), `the gate stays where the edit shows it: ${places}`);
  // Typed, and no edit yet: another tab and another program edit meanwhile.
  await field("Position y").fill("77");
  await field("Position z").focus();
  equal(await move("door01", { at: [1, 2, 3] }), 200, "another tab moves the door");
  await page.waitForTimeout(1500);
  equal(await field("Position y").inputValue(), "77", "what is typed stays while another tab edits");
  await field("Position y").press("Enter");
  await says("gate moved");
  await stays("an edit of another tab, and one's own", "gate");
  equal(await field("Position y").inputValue(), "77", "what was typed is the edit");
  const nodes = join(project, world.path, "nodes");
  const document_ = readdirSync(nodes)
    .map((name) => join(nodes, name))
    .find((path) => readFileSync(path, "utf8").includes('"gate"'));
  const text = readFileSync(document_, "utf8");
  const at = text.indexOf('"translation"', text.indexOf('"gate"'));
  check(at > 0, "the text has the place of the gate");
  writeFileSync(document_, text.slice(0, at) + text.slice(at).replace(/\[\s*[-\d.]+/, "[ 21.5"));
  await stays("an edit of another program", "gate", "21.5");
  await button(/^Delete$/).click();
  await says("removed");
  await stays("removed");
  // What is drawn is what a page draws that loads the scene now.
  await page.evaluate(() => window.refitScene.showAll());
  const before = await page.evaluate(drawn);
  await page.evaluate(
    (cam) => history.replaceState(null, "", location.hash.replace(/cam=[^&]*/, `cam=${cam}`)),
    camera,
  );
  await page.reload();
  await scene(page);
  const after = await page.evaluate(drawn);
  equal(JSON.stringify({ ...before, rows: 0 }), JSON.stringify({ ...after, rows: 0 }), "as much is drawn");
  const other = before.rows.findIndex((row, n) => row !== after.rows[n]);
  equal(other < 0 ? "" : before.rows[other], other < 0 ? "" : after.rows[other], `row ${other} is drawn as if loaded`);
  await page.close();
}
