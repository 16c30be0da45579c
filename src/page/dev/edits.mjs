// A modding evening by mouse and keyboard: from a game without a project to a changed game, and back. After it, the
// project and the game are what the command line makes of the same edits.
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serious } from "./access.mjs";
import { api, check, equal, go, open, scene, until } from "./browser.mjs";
import { differing, files, place as newPlace, runner, settled } from "./evening.mjs";

/** `about.evening`: the address of a server, its game's folder, where the project will be, and the program. */
export async function edits(browser, about) {
  const { url, folder, project, refit } = about.evening;
  const page = await open(browser, url, { expected: (text) => text.includes("422") });
  let shot = 0;
  const step = async (name) => {
    shot += 1;
    await serious(page, name);
    if (about.pictures) await page.screenshot({ path: `${about.pictures}/evening-${shot}-${name}.png` });
  };
  const pristine = files(folder);
  const opened = await api(page, "opened");
  // Damaged files are for other tests.
  opened.files = opened.files.filter((each) => !each.path.startsWith("broken/") && !each.why);
  const file = (format) => opened.files.find((each) => each.format === format);
  const world = opened.files.find((each) => each.path === about.world);

  // A door, found by its name.
  await page.keyboard.press("/");
  await page.keyboard.type("door01", { delay: 20 });
  const nodes = page.locator(".files .virtual-row", { has: page.locator(".kind", { hasText: "node" }) });
  await nodes.filter({ hasText: world.path }).first().click();
  await scene(page);
  const position = page.locator(".inspector input[aria-label='Position x']");
  await position.waitFor();
  await step("door");
  const x = Number(await position.inputValue());
  await position.fill(String(x + 3));
  await position.press("Enter");
  // The first edit asks once where the project shall be.
  const where = page.locator("dialog.ask input");
  await where.waitFor();
  equal(await where.inputValue(), project, "the project is proposed beside the game");
  await step("where");
  await where.press("Enter");
  check(await settled(page, "door01 moved"), "the door is moved");
  check(existsSync(join(project, "refit.json")), "the project is made");
  const trees = [...files(project).keys()].filter((path) => path.endsWith("/refit.json"));
  equal(trees.join(), `${world.path}/refit.json`, "only the edited file has a tree");
  check(
    await until(
      page,
      (wanted) =>
        Math.abs(Number(document.querySelector(".inspector input[aria-label='Position x']")?.value) - wanted) < 0.01,
      x + 3,
    ),
    "the inspector shows the new place",
  );
  await step("moved");

  // By its handle: the arrow along x is dragged.
  await page.locator(".inspector button", { hasText: /^Frame$/ }).click();
  const arrow = await page.evaluate(() => {
    const three = window.refitScene;
    const row = three.packed.header.nodes.names.indexOf("door01");
    const at = [12, 13, 14].map((n) => three.world[row * 16 + n]);
    const camera = three.view.camera;
    const rect = three.canvas.getBoundingClientRect();
    const far = three.view.position.distanceTo(three.view.position.clone().fromArray(at));
    const size = (far * 1.9 * Math.tan((Math.PI * camera.fov) / 360) * 0.8) / 4;
    const shown = (along) => {
      const point = three.view.position
        .clone()
        .fromArray([at[0] + along * size, at[1], at[2]])
        .project(camera);
      return [rect.left + ((point.x + 1) / 2) * rect.width, rect.top + ((1 - point.y) / 2) * rect.height];
    };
    return { from: shown(0.5), to: shown(1.5), by: size };
  });
  const placed = Number(await position.inputValue());
  await page.mouse.move(...arrow.from);
  await page.mouse.down();
  await page.mouse.move(...arrow.to, { steps: 8 });
  await step("handle");
  await page.mouse.up();
  check(
    await until(
      page,
      ([before, by]) => {
        const now = Number(document.querySelector(".inspector input[aria-label='Position x']")?.value);
        return Math.abs(Math.abs(now - before) - by) < by / 2;
      },
      [placed, arrow.by],
    ),
    "the handle moves the door along x by as much as the pointer",
  );
  await page.locator(".inspector h2").click();
  await page.keyboard.press("Control+z");
  check(
    await until(
      page,
      (wanted) =>
        Math.abs(Number(document.querySelector(".inspector input[aria-label='Position x']")?.value) - wanted) < 0.01,
      placed,
    ),
    "and the move is undone",
  );

  // Undo and redo by keys, outside of a field.
  await page.locator(".inspector h2").click();
  await page.keyboard.press("Control+z");
  check(await settled(page, "undone"), "Ctrl+Z undoes");
  await page.keyboard.press("Control+y");
  check(await settled(page, "done again"), "Ctrl+Y makes it again");

  // A copy, with another name.
  await page.locator(".inspector button", { hasText: /^Copy$/ }).click();
  check(await settled(page, "copied as door02"), "the door is copied");
  check(
    await until(page, () => document.querySelector(".inspector h2")?.innerText === "door02"),
    "the copy has the next number, and is selected",
  );
  const name = page.locator(".inspector input[aria-label=Name]");
  await name.fill("door02x");
  await name.press("Enter");
  check(await settled(page, "door02x"), "the copy is renamed");
  check(
    await until(page, () => document.querySelector(".inspector h2")?.innerText === "door02x"),
    "the renamed copy is selected",
  );
  await step("copy");

  // A model of a glTF file, put where the view looks, and on the ground.
  await page.keyboard.press("Escape");
  await page.locator("input[accept='.glb,.gltf']").setInputFiles(about.evening.model);
  check(await settled(page, "tower.gltf added"), "the objects of a model are added");
  check(
    await until(page, () => window.refitScene?.packed.header.nodes.names.includes("gate1")),
    "they are in the scene",
  );
  await go(page, world.path, { view: "scene", name: "gate1" });
  check(await until(page, () => document.querySelector(".inspector h2")?.innerText === "gate1"), "and one is shown");
  const height = page.locator(".inspector input[aria-label='Position y']");
  await height.fill("37");
  await height.press("Enter");
  check(await settled(page, "gate1 moved"), "it is lifted");
  const isBelow = (most) => {
    const field = document.querySelector(".inspector input[aria-label='Position y']");
    return field && Number(field.value) < most;
  };
  check(await until(page, (n) => document.querySelector("[aria-label='Position y']")?.value === n, "37"), "and shown");
  await page.locator("button", { hasText: "Put on the ground" }).click();
  check(await until(page, isBelow, 36), "and put on the ground again");
  await step("tower");

  // A value by its form: the first number of a reader.
  const reader = opened.files.find((each) => each.format === "reader");
  const { parts } = await api(page, `file/${reader.number}/tree`);
  const documents = parts.filter((part) => part.kind === "json" && part.path !== "refit.json");
  let edited = null;
  for (const part of documents) {
    await go(page, reader.path, { view: "contents", part: part.path });
    await page.locator(".json-part .virtual-row").first().waitFor();
    const rows = page.locator(".json-part .virtual-row", { has: page.locator(".json-number") });
    if (!(await rows.count())) continue;
    await rows.first().click();
    const field = page.locator(".inspector .form input[type=number]").first();
    await field.waitFor();
    const before = Number(await field.inputValue());
    await field.fill(String(before + 7));
    await field.press("Enter");
    const at = await field.getAttribute("data-at");
    check(await settled(page, `→ ${before + 7}`), "a number is set by its form");
    edited = { file: reader.path, part: part.path, at, value: before + 7 };
    break;
  }
  check(edited, "a reader has a number");
  await step("form");

  // A text with an error, which refit's parser finds while it is typed; then its correction.
  await page.locator("button", { hasText: "Edit the text" }).click();
  const content = page.locator(".editor .cm-content");
  await content.waitFor();
  await content.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("x", { delay: 20 });
  check(
    await until(page, () => document.querySelector(".bar [role=status].bad-text")?.textContent.length > 10),
    "the error is named",
  );
  check((await page.locator(".editor .cm-lint-marker-error").count()) === 1, "and marked at its line");
  await step("error");
  await page.keyboard.press("Backspace");
  check(await until(page, () => !document.querySelector(".bar [role=status].bad-text")), "the correction has no error");
  await page.locator("button", { hasText: "Close the editor" }).click();

  // A picture, replaced by another one.
  let textures = null;
  let pictures = [];
  for (textures of opened.files.filter((each) => each.format === "textures")) {
    pictures = (await api(page, `file/${textures.number}/tree`)).parts.filter((part) => part.kind === "picture");
    if (pictures.length > 1) break;
  }
  const from = pictures.at(-1);
  const to = pictures[0];
  await go(page, textures.path, { view: "pictures", part: from.path });
  await page.locator("canvas.picture").waitFor();
  const png = await page.evaluate(
    async ([number, path]) => {
      const bytes = await (await fetch(`api/file/${number}/part?path=${encodeURIComponent(path)}`)).arrayBuffer();
      return [...new Uint8Array(bytes)];
    },
    [textures.number, from.path],
  );
  const place = newPlace();
  const picture = join(place, "new.png");
  writeFileSync(picture, Buffer.from(png));
  await go(page, textures.path, { view: "pictures", part: to.path });
  await page.locator("canvas.picture").waitFor();
  await page.locator("input[type=file]").setInputFiles(picture);
  const texture = to.path
    .split("/")
    .at(-1)
    .replace(/\.png$/, "");
  check(await settled(page, `${texture} replaced`), "the picture is replaced");
  await step("picture");

  // A message.
  const messages = file("messages");
  if (messages) {
    await go(page, messages.path, { view: "messages" });
    await page.locator(".messages-grid .virtual-row").first().click();
    const text = page.locator(".inspector textarea");
    await text.waitFor();
    const old = await text.inputValue();
    await text.fill(`${old} and more`);
    await page.locator("button", { hasText: "Save the text" }).click();
    check(await settled(page, "and more"), "the message is edited");
    await step("message");
    // What an edit brings in is said at once.
    await until(page, () => document.querySelector(".inspector textarea")?.value.endsWith("and more"));
    await page.locator(".inspector textarea").fill(`${old} and %9!d!`);
    await page.locator("button", { hasText: "Save the text" }).click();
    check(
      await until(page, () => document.querySelector(".error-panel:not([hidden])")?.innerText.includes("text-inserts")),
      "a finding that the edit brings in is shown",
    );
    await step("finding");
    await page.keyboard.press("Escape");
    await page.locator("button[aria-label='Undo (Ctrl+Z)']").click();
    check(await settled(page, "undone"), "and the edit is undone by its button");
  }

  // My changes: one of them is taken back, by itself.
  await page.locator("a", { hasText: "My changes" }).click();
  const changes = page.locator(".change");
  await changes.first().waitFor();
  // The list may still be that of before the undo.
  const many = (await api(page, "edits")).edits.length;
  await until(page, (n) => document.querySelectorAll(".change").length === n, many);
  check(many >= 4, `${many} changes are listed`);
  await step("changes");
  const ofValue = page.locator(".change", { hasText: edited.part });
  await ofValue.locator("button").click();
  check(await settled(page, "taken back"), "a change is taken back");
  check(await until(page, (n) => document.querySelectorAll(".change").length === n + 1, many), "that is a change, too");
  await page.keyboard.press("Control+z");
  check(await settled(page, "undone"), "and can be undone");

  // Into the game, and out again.
  check(!differing(files(folder), pristine).length, "until now the game is as it was");
  await page.locator("button", { hasText: "Put into the game" }).click();
  check(await settled(page, "of the game written"), "the edits are put into the game");
  const built = files(folder);
  const written = differing(built, pristine);
  check(written.includes(world.path) && written.includes(edited.file), `written: ${written}`);

  // The same by the command line: the same project, and the same game.
  const game = join(place, "game");
  const other = join(place, "project");
  cpSync(folder, game, { recursive: true });
  const run = runner(refit);
  run("restore", game);
  run("unpack", game, "-o", other, "--exclude", "broken/**");
  run("set", join(other, edited.file, edited.part), edited.at, String(edited.value));
  const text = (root) => readFileSync(join(root, edited.file, edited.part), "utf8");
  equal(text(project), text(other), "refit set makes the same document");
  run("verify", join(folder, world.path));
  const listed = run("changes", project);
  check(listed.includes("door01 moved") && listed.includes("door02x"), `refit changes lists them: ${listed}`);
  run("repack", project, "-o", game);
  equal(differing(files(game), built).join(), "", "refit repack makes the same game");

  await page.locator("button", { hasText: "Take out again" }).click();
  check(await settled(page, "of the game restored"), "the edits are taken out of the game");
  equal(differing(files(folder), pristine).join(), "", "the game is as it was");

  // A mod of the edits: it is what the command makes, and a friend applies it and takes it out again.
  await page.locator("a", { hasText: /^Mods$/ }).click();
  await page.locator("input[aria-label=Name]").fill("evening");
  await page.locator("button", { hasText: "Show what is in it" }).click();
  const contents = page.locator(".change", { hasText: "evening" });
  await contents.first().waitFor();
  check((await contents.first().innerText()).includes(edited.file), "the contents of the mod are shown");
  await step("mod");
  const saving = page.waitForEvent("download");
  await page.locator("button", { hasText: "Save the mod" }).click();
  const saved = await saving;
  equal(saved.suggestedFilename(), "evening.refitmod", "the mod is saved");
  const mod = join(place, "evening.refitmod");
  await saved.saveAs(mod);
  run("mod", "make", project, "--name", "evening", "-o", join(place, "by-hand.refitmod"));
  check(readFileSync(mod).equals(readFileSync(join(place, "by-hand.refitmod"))), "refit mod make makes the same mod");
  await page.locator("input[accept='.refitmod']").setInputFiles(mod);
  const apply = page.locator("button", { hasText: "Apply to the game" });
  await apply.waitFor();
  await step("plan");
  await apply.click();
  check(
    await until(page, () => document.querySelector("[aria-label='Applied mods']")?.innerText.includes("evening")),
    "the mod is listed as applied",
  );
  await step("applied");
  const own = (paths) => paths.filter((path) => !path.startsWith("refit-mods"));
  equal(own(differing(files(folder), built)).join(), "", "the mod makes the same game as the edits");
  await page.locator("button", { hasText: /^Remove$/ }).click();
  check(await until(page, () => !document.querySelector("[aria-label='Applied mods']")), "the mod is removed");
  equal(differing(files(folder), pristine).join(), "", "the game is as it was");

  // Two mods of others that want the same value: the page shows both, and one is chosen.
  const friend = join(place, "friend");
  cpSync(folder, friend, { recursive: true, filter: (path) => !/\.orig/.test(path) });
  const mods = ["ann", "bob"].map((who, n) => {
    const theirs = join(place, who);
    run("unpack", folder, "-o", theirs, "--exclude", "broken/**");
    run("set", join(theirs, edited.file, edited.part), edited.at, String(edited.value + 10 + n));
    const file = join(place, `${who}.refitmod`);
    run("mod", "make", theirs, "--name", who, "-o", file);
    return file;
  });
  await page.locator("input[accept='.refitmod']").setInputFiles(mods);
  const wins = page.locator("select[aria-label='Which mod wins']");
  await wins.waitFor();
  const conflict = await page.locator(".change .bad-text li").first().innerText();
  check(conflict.includes("ann") && conflict.includes("bob"), `the conflict names both mods: ${conflict}`);
  check(await apply.isDisabled(), "nothing can be applied before it is decided");
  await step("conflict");
  await wins.selectOption("last");
  check(await until(page, () => !document.querySelector("button.primary[disabled]")), "the last one wins");
  await page.locator("button", { hasText: "Apply to the game" }).click();
  check(
    await until(page, () => document.querySelectorAll("[aria-label='Applied mods'] > li").length === 2),
    "both mods are applied",
  );
  run("mod", "apply", ...mods, "--prefer", "last", "--to", friend);
  equal(own(differing(files(folder), files(friend))).join(), "", "refit mod apply makes the same game");
  for (const left of [1, 0]) {
    await page
      .locator("button", { hasText: /^Remove$/ })
      .first()
      .click();
    check(
      await until(page, (n) => document.querySelectorAll("[aria-label='Applied mods'] > li").length === n, left),
      `a mod is removed, ${left} left`,
    );
  }
  equal(differing(files(folder), pristine).join(), "", "and the game is as it was");
  await page.close();
}
