// The evenings of a modder, by mouse and keyboard: each begins with a game and ends with a mod. After each, the
// project, the game and the mod are what the command line makes of the same edits.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { serious } from "./access.mjs";
import { api, check, equal, go, open, scene, until } from "./browser.mjs";
import { differing, files, place, putIntoGame, runner, saveMod, settled } from "./evening.mjs";

/** A PNG of one colour: grey, RGB or RGBA by the number of its values. */
function png(width, height, colour) {
  const crcs = Array.from({ length: 256 }, (_, n) => {
    for (let bit = 0; bit < 8; bit++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
    return n >>> 0;
  });
  const chunk = (kind, data) => {
    const body = Buffer.concat([Buffer.from(kind), data]);
    const crc = ~body.reduce((crc, byte) => crcs[(crc ^ byte) & 255] ^ (crc >>> 8), ~0) >>> 0;
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc, 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  head[9] = { 1: 0, 3: 2, 4: 6 }[colour.length];
  const row = Buffer.from([0, ...Array(width).fill(colour).flat()]);
  const data = deflateSync(Buffer.concat(Array(height).fill(row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

/** What a person does in Blender: all points of a glTF file are moved up or down by a factor. */
function stretch(path, factor) {
  const glb = readFileSync(path);
  const length = glb.readUInt32LE(12);
  const root = JSON.parse(glb.subarray(20, 20 + length).toString("utf8"));
  const start = 20 + length + 8;
  const seen = new Set();
  for (const { attributes } of root.meshes.flatMap((mesh) => mesh.primitives)) {
    if (seen.has(attributes.POSITION)) continue;
    seen.add(attributes.POSITION);
    const accessor = root.accessors[attributes.POSITION];
    const view = root.bufferViews[accessor.bufferView];
    const first = start + (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
    for (let n = 0; n < accessor.count; n++) {
      const at = first + n * (view.byteStride ?? 12) + 4;
      glb.writeFloatLE(glb.readFloatLE(at) * factor, at);
    }
  }
  writeFileSync(path, glb);
}

/** A glTF file with the animation of a limping 'mech. */
function limp(by = 1) {
  const parts = [
    { name: "hip", at: [0, 4.4, 0], swing: 0.1, children: [1, 2, 3] },
    { name: "torso", at: [0, 0.6, 0], swing: 0.2 },
    { name: "lthigh", at: [-1.1, -0.3, 0], swing: 0.5, children: [4] },
    { name: "rthigh", at: [1.1, -0.3, 0], swing: -0.5, children: [5] },
    { name: "lshin", at: [0, -2, 0], swing: 0.3 },
    { name: "rshin", at: [0, -2, 0], swing: -0.3 },
  ];
  const frames = [...Array(31).keys()];
  const floats = [];
  const [bufferViews, accessors, channels, samplers] = [[], [], [], []];
  const put = (values, type, size) => {
    bufferViews.push({ buffer: 0, byteOffset: floats.length * 4, byteLength: values.length * 4 });
    const limits = size === 1 ? { min: [values[0]], max: [values.at(-1)] } : {};
    const bufferView = bufferViews.length - 1;
    accessors.push({ bufferView, componentType: 5126, count: values.length / size, type, ...limits });
    floats.push(...values);
    return accessors.length - 1;
  };
  const input = put(
    frames.map((n) => n / 30),
    "SCALAR",
    1,
  );
  const animate = (node, path, output) => {
    samplers.push({ input, output, interpolation: "LINEAR" });
    channels.push({ sampler: samplers.length - 1, target: { node, path } });
  };
  parts.forEach(({ at, swing }, node) => {
    const half = (n) => (by * swing * Math.sin((n / 30) * 2 * Math.PI)) / 2;
    animate(
      node,
      "translation",
      put(
        frames.flatMap(() => at),
        "VEC3",
        3,
      ),
    );
    const turned = frames.flatMap((n) => [Math.sin(half(n)), 0, 0, Math.cos(half(n))]);
    animate(node, "rotation", put(turned, "VEC4", 4));
  });
  const data = Buffer.from(new Float32Array(floats).buffer);
  const uri = `data:application/octet-stream;base64,${data.toString("base64")}`;
  return JSON.stringify({
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: parts.map(({ name, at, children }) => ({ name, translation: at, ...(children ? { children } : {}) })),
    animations: [{ name: "limp", channels, samplers }],
    accessors,
    bufferViews,
    buffers: [{ byteLength: data.length, uri }],
  });
}

/** One evening: its page, its folders, and the same edits on the command line. */
class Evening {
  constructor(browser, about, { number, url, folder, project }) {
    this.browser = browser;
    this.about = about;
    this.number = number;
    this.url = url;
    this.folder = folder;
    this.project = project;
    this.run = runner(about.refit);
    this.place = place();
    this.pristine = files(folder);
    this.shots = 0;
    /** The edits on the command line, in a project of all files. */
    this.commands = [];
  }

  async begin() {
    this.page = await open(this.browser, this.url, { expected: (text) => text.includes("422") });
    // Where a drop or a handle puts something is known to the page alone.
    this.page.on("request", (request) => {
      if (/\/api\/edit(\/\w+)?$/.test(request.url())) this.last = request.postDataJSON();
    });
    this.opened = await api(this.page, "opened");
    this.opened.files = this.opened.files.filter((each) => !each.path.startsWith("broken/") && !each.why);
  }

  file(path) {
    const found = this.opened.files.find((each) => each.path.toLowerCase() === path.toLowerCase());
    if (!found) throw new Error(`${path} is not in the game: ${this.opened.files.map((each) => each.path).join(", ")}`);
    return found;
  }

  /** Writes a file, for the page's choosers and for the commands. */
  write(name, content) {
    const path = join(this.place, name);
    writeFileSync(path, content);
    return path;
  }

  async step(name) {
    this.shots += 1;
    await serious(this.page, `evening ${this.number}, ${name}`);
    const { pictures } = this.about;
    if (pictures) await this.page.screenshot({ path: `${pictures}/evening${this.number}-${this.shots}-${name}.png` });
  }

  /** Waits for the first edit's question, and takes the place that the page proposes. */
  async makeProject() {
    const where = this.page.locator("dialog.ask input");
    await where.waitFor();
    equal(await where.inputValue(), this.project, "the project is proposed beside the game");
    await where.press("Enter");
  }

  async says(label, what) {
    check(await settled(this.page, label), `evening ${this.number}: ${what}`);
  }

  /** An edit on the command line: its arguments, or a function for what is done by hand. */
  also(...line) {
    this.commands.push(line);
  }

  /**
   * Opens in Blender what the page shows, and saves what `change` makes of the file: the page takes it back, and the
   * command line puts the same file back.
   */
  async inBlender(file, member, button, change) {
    await button.click();
    await this.says("is in Blender", `${member} is opened in Blender`);
    const { blender } = await api(this.page, "edits");
    const open = blender.find((each) => each.file === file.path && each.member === member);
    check(open && existsSync(open.path), `the glTF file is there: ${JSON.stringify(blender)}`);
    check(!files(this.folder).has(open.path), "and not in the game");
    for (let n = 0; n < 100 && !existsSync(`${open.path}.started`); n++) await this.page.waitForTimeout(50);
    equal(readFileSync(`${open.path}.started`, "utf8"), "--python-expr", "Blender is started with refit's script");
    change(open.path);
    await this.says(`${member} from `, `${member} comes back`);
    const saved = this.write(open.path.split("/").at(-1), readFileSync(open.path));
    return saved;
  }

  /** The change of a world that the page made last. */
  posted() {
    return this.last.change;
  }

  /** Compares the project, the game and the mod with those of the command line, and takes the edits out again. */
  async end(name, more = async () => undefined) {
    const { page, run, folder, project } = this;
    check(!differing(files(folder), this.pristine).length, "until now the game is as it was");
    const game = join(this.place, "game");
    const other = join(this.place, "project");
    cpSync(folder, game, { recursive: true });
    run("unpack", game, "-o", other, "--exclude", "broken/**");
    for (const line of this.commands) {
      if (typeof line[0] === "function") line[0](other);
      else run(...line.map((word) => (typeof word === "function" ? word(other) : word)));
    }
    const own = files(project);
    own.delete("refit.json");
    const same = new Map([...files(other)].filter(([path]) => inTree(own, path)));
    equal(differing(own, same).join(), "", `evening ${this.number}: the command line makes the same project`);
    check(own.size > 0, "something is in the project");

    await putIntoGame(page);
    const built = files(folder);
    run("repack", other, "-o", game);
    equal(differing(files(game), built).join(), "", `evening ${this.number}: repack makes the same game`);
    check(differing(built, this.pristine).length > 0, "the game is changed");
    for (const path of differing(built, this.pristine)) run("verify", join(folder, path));
    await more(game);

    const mod = await saveMod(page, this.place, name);
    const byHand = join(this.place, "by-hand.refitmod");
    run("mod", "make", other, "--name", name, "-o", byHand);
    check(readFileSync(mod).equals(readFileSync(byHand)), `evening ${this.number}: mod make makes the same mod`);

    await page.locator("a", { hasText: "My changes" }).click();
    await page.locator("button", { hasText: "Take out again" }).click();
    check(await settled(page, "of the game restored"), "the edits are taken out of the game");
    run("restore", game);
    const left = files(folder);
    equal(differing(left, files(game)).join(), "", `evening ${this.number}: refit restore leaves the same game`);
    // A signature is the user's own file, and stays.
    const others = differing(left, this.pristine).filter((path) => !path.endsWith(".bisign"));
    equal(others.join(), "", `evening ${this.number}: the game is as it was`);
    await page.close();
  }
}

/** True for a path in one of the trees that a project has. */
function inTree(own, path) {
  for (const each of own.keys())
    if (each.endsWith("/refit.json") && path.startsWith(each.slice(0, -"refit.json".length))) return true;
  return false;
}

/** A part of a file in a project, for the command line. */
const at =
  (...names) =>
  (root) =>
    join(root, ...names);

/** Types another value into the form of a value of a document. */
async function setByForm(evening, { path, part }, row, value, label) {
  const { page } = evening;
  await go(page, path, { view: "contents", part });
  await page.locator(".json-part .virtual-row").first().waitFor();
  const shown = page.locator(".json-number, .json-string, .json-key").getByText(row, { exact: true });
  await page.locator(".json-part .virtual-row", { has: shown }).first().click();
  const field = page.locator(".inspector .form input:not([type=checkbox])").first();
  await field.waitFor();
  const where = await field.getAttribute("data-at");
  await field.fill(value);
  await field.press("Enter");
  if (!existsSync(evening.project)) await evening.makeProject();
  await evening.says(label, `${where} is ${value}`);
  return where;
}

/** 2. MechWarrior 3: values of a 'mech's reader by form, one message, and a motion from a glTF. */
async function mech(evening) {
  const { page } = evening;
  const reader = evening.file("zbd/c2/reader.zbd");
  const part = "member02.zrd.json";
  const number = await setByForm(evening, { path: reader.path, part }, "1.5", "2.25", "1.5 → 2.25");
  evening.also("set", at(reader.path, part), number, "2.25");
  await evening.step("number");
  const name = await setByForm(evening, { path: reader.path, part }, '"mech"', "wolf", '"mech" → "wolf"');
  evening.also("set", at(reader.path, part), name, '"wolf"');
  await evening.step("name");

  const messages = evening.file("Mech3Msg.dll");
  await go(page, messages.path, { view: "messages" });
  await page.locator(".messages-grid .virtual-row", { hasText: "Target locked" }).first().click();
  const text = page.locator(".inspector textarea");
  await text.waitFor();
  const where = await text.getAttribute("data-at");
  await text.fill("Locked on: %1!s!");
  await page.locator("button", { hasText: "Save the text" }).click();
  await evening.says("Locked on", "the message is edited");
  evening.also("set", at(messages.path, "messages.json"), `${where}.text`, '"Locked on: %1!s!"');
  await evening.step("message");

  const motions = evening.file("zbd/motion.zbd");
  const gltf = evening.write("wolf_limp.gltf", limp());
  await go(page, motions.path, { view: "animations" });
  await page.locator(".parts-list input[type=file]").setInputFiles(gltf);
  await evening.says("wolf_limp from wolf_limp.gltf", "a motion is added");
  check(
    await until(page, () => document.querySelector(".part .bar strong")?.innerText === "wolf_limp"),
    "the new motion is shown",
  );
  await until(page, () => document.querySelector(".transport"));
  await evening.step("motion");
  evening.also("put", at(motions.path), "wolf_limp", gltf);
  // The motion that the game has, with the same steps.
  await page.locator(".parts-list .virtual-row", { hasText: "wolf_walk" }).click();
  check(
    await until(page, () => document.querySelector(".part .bar strong")?.innerText === "wolf_walk"),
    "the old motion is shown",
  );
  await page.locator(".part-host .bar input[type=file]").setInputFiles(gltf);
  await evening.says("wolf_walk from wolf_limp.gltf", "a motion is replaced");
  evening.also("put", at(motions.path), "wolf_walk", gltf);
  await page.locator(".part .bar strong", { hasText: "wolf_walk" }).waitFor();
  // In Blender: the motion limps more, and the 'mech grows.
  const button = page.locator("button", { hasText: "Open in Blender" });
  const more = await evening.inBlender(motions, "wolf_walk", button, (path) => writeFileSync(path, limp(1.5)));
  evening.also("put", at(motions.path), "wolf_walk", more);
  const mechs = evening.file("zbd/mechlib.zbd");
  await go(page, mechs.path, { view: "models" });
  const tall = await evening.inBlender(mechs, "wolf.flt", button, (path) => stretch(path, 1.25));
  evening.also("put", at(mechs.path), "wolf.flt", tall);
  await evening.step("blender");
  await evening.end("limping-wolf");
}

/** 3. Crimson Skies: the livery of a plane, and a mission script as text with an error and its correction. */
async function plane(evening) {
  const { page } = evening;
  const livery = evening.file("GOSDATA/ASSETS/GRAPHICS/AIRPLANES/STRIPE.BM");
  const paint = evening.write("stripes.png", png(6, 4, [200]));
  const overlay = evening.write("badge.png", png(6, 4, [220, 30, 30, 255]));
  for (const [part, file] of [
    ["paint1.png", paint],
    ["overlay.png", overlay],
  ]) {
    await go(page, livery.path, { view: "pictures", part });
    await page.locator("canvas.picture").waitFor();
    await page.locator(".part-host input[type=file]").setInputFiles(file);
    if (!existsSync(evening.project)) await evening.makeProject();
    await evening.says(`${part} replaced`, `${part} of the livery is replaced`);
    evening.also("put", at(livery.path), part, file);
    await evening.step(part);
  }

  const scripts = evening.file("ZBD/interp.zbd");
  await go(page, scripts.path, { view: "contents", part: "c1.gs" });
  await page.locator("button", { hasText: "Edit the text" }).click();
  const content = page.locator(".editor .cm-content");
  await content.click();
  // An error: refit's parser marks its line while it is typed.
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.type(' "', { delay: 20 });
  check(
    await until(page, () => document.querySelector(".bar [role=status].bad-text")?.textContent.includes("quote")),
    "the open quote is named",
  );
  check((await page.locator(".editor .cm-lint-marker-error").count()) === 1, "and marked at its line");
  await page.keyboard.press("Control+s");
  check(
    await until(page, () => document.querySelector(".error-panel:not([hidden])")?.innerText.includes("not made")),
    "a text with an error is not saved",
  );
  await evening.step("error");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  check(await until(page, () => !document.querySelector(".bar [role=status].bad-text")), "the correction has no error");
  // A word that no game knows is no error of the text; what it means for the game is said at its line, too.
  await page.keyboard.press("Enter");
  await page.keyboard.type("FindNod wall", { delay: 20 });
  check(
    await until(page, () => document.querySelector(".bar [role=status].warn-text")?.textContent.includes("FindNod")),
    "an unknown command is named",
  );
  check((await page.locator(".editor .cm-lint-marker-warning").count()) === 1, "and marked at its line, too");
  // The names that are offered.
  await page.keyboard.press("Escape");
  await evening.step("warning");
  for (let n = 0; n < "FindNod wall".length; n++) await page.keyboard.press("Backspace");
  await page.keyboard.type("FindNode roof", { delay: 20 });
  // Keys that do something elsewhere on the page are letters here.
  const letters = "# n t / ? [ ] 1 2 3 f h H i p m c g";
  await page.keyboard.press("Enter");
  await page.keyboard.type(letters, { delay: 20 });
  check(await until(page, () => !document.querySelector(".bar [role=status].warn-text")), "now it says nothing");
  await page.keyboard.press("Control+s");
  await evening.says("c1.gs: text edited", "the script is saved");
  const script = join(evening.project, scripts.path, "c1.gs");
  const saved = readFileSync(script, "utf8");
  check(saved.includes("FindNode roof") && saved.includes(letters), `the text is in the project: ${saved}`);
  await page.locator("button", { hasText: "Close the editor" }).click();
  // By a text editor.
  evening.also((other) => {
    const path = join(other, scripts.path, "c1.gs");
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace(/(FindNode wall)(\r?\n)/, `$1$2FindNode roof$2${letters}$2`),
    );
  });
  await evening.end("striped");
}

/** 4. Pirate's Moon: an object of another world, with its pictures and animations. */
async function island(evening) {
  const { page } = evening;
  const [from, to] = [evening.file("zbd/c1/gamez.zbd"), evening.file("zbd/c2/gamez.zbd")];
  await go(page, to.path);
  await scene(page);
  const world = page.locator("select[aria-label='World to copy from']");
  await world.waitFor();
  await world.selectOption(from.path);
  const node = page.locator("input[aria-label='Node of the other world']");
  await node.pressSequentially("hous", { delay: 30 });
  check(
    await until(page, () => [...document.querySelectorAll("datalist option")].some((each) => each.value === "house")),
    "the nodes of the other world are offered",
  );
  await node.pressSequentially("e");
  await node.press("Enter");
  await evening.makeProject();
  await evening.says(`house copied from ${from.path}`, "the house is copied");
  check(
    await until(page, () => document.querySelector(".inspector h2")?.innerText === "house"),
    "the copy is shown and selected",
  );
  await evening.step("copy");
  const axes = ["x", "y", "z"].map((axis) => page.locator(`.inspector input[aria-label='Position ${axis}']`));
  const shown = () => Promise.all(axes.map((axis) => axis.inputValue()));
  // Where the view looked.
  const copied = await shown();
  evening.also(
    ...["world", "copy", at(to.path), "house", "--from", at(from.path)],
    ...[`--at=${copied}`, "--textures", "--animations"],
  );
  await axes[0].fill("500");
  await axes[2].fill("700");
  await axes[0].press("Enter");
  await evening.says("house moved", "it is moved by numbers");
  evening.also("world", "move", at(to.path), "house", `--at=500,${copied[1]},700`);
  await evening.step("moved");
  const trees = [...files(evening.project).keys()].filter((path) => path.endsWith("/refit.json"));
  check(
    ["zbd/c2/gamez.zbd", "zbd/c2/texture.zbd", "zbd/c2/anim.zbd"].every((path) => trees.includes(`${path}/refit.json`)),
    `its pictures and animations are in the project: ${trees}`,
  );
  const [done] = (await api(page, "edits")).edits.filter((edit) => edit.label.includes("copied from"));
  check(
    done?.parts.some((part) => /bark|brick/.test(part.part)) && done.parts.some((part) => /door_open/.test(part.part)),
    `the edit brings pictures and animations: ${done?.parts.map((part) => part.part)}`,
  );
  await evening.end("house");
}

/** 1. Recoil: a faster door with another sound, a texture in all packages, a tower and its copies. */
async function door(evening) {
  const { page } = evening;
  const [anim, world] = [evening.file("zbd/m1/anim.zbd"), evening.file("zbd/m1/gamez.zbd")];
  const part = "defs/door_open.json";
  const doc = { path: anim.path, part };
  const time = await setByForm(evening, doc, "2.0", "1", "2.0 → 1.0");
  evening.also("set", at(anim.path, part), time, "1");
  await evening.step("faster");
  // The definition lists its sounds: another one is added to the list, and then played.
  await page.locator(".json-part .virtual-row", { hasText: "static_sounds" }).click();
  await page.locator(".inspector button", { hasText: "Add one like the last" }).click();
  await evening.says("static_sounds: [1] added", "a sound is added");
  evening.also("set", at(anim.path, part), "static_sounds", '"creak"', "--insert", "1");
  const added = page.locator(".inspector input[data-at='static_sounds[1]']");
  await added.waitFor();
  await added.fill("thud");
  await added.press("Enter");
  await evening.says('"creak" → "thud"', "and named");
  evening.also("set", at(anim.path, part), "static_sounds[1]", '"thud"');
  const events = JSON.parse(readFileSync(join(evening.project, anim.path, part), "utf8")).sequences[0].events;
  check(events.length > 0, "the animation has events");
  const sound = await setByForm(evening, doc, "sound:", "thud", ".sound: ");
  check(sound.endsWith("sound"), `the sound of an event: ${sound}`);
  evening.also("set", at(anim.path, part), sound, '"thud"');
  await evening.step("sound");

  const textures = evening.file("zbd/m1/rtexture4.zbd");
  const bark = evening.write("bark.png", png(64, 64, [160, 60, 20]));
  await go(page, textures.path, { view: "pictures", part: "images/bark.png" });
  await page.locator("canvas.picture").waitFor();
  await page.locator(".part-host label", { hasText: "in all packages" }).locator("input").check();
  await page.locator(".part-host input[type=file]").setInputFiles(bark);
  await evening.says("bark replaced in", "the texture is replaced in all packages");
  evening.also("put", "--family", (root) => root, bark, "bark");
  await evening.step("texture");

  // A model, dropped on the scene.
  await go(page, world.path);
  await scene(page);
  const model = readFileSync(evening.about.evening.model);
  const box = await page.locator(".viewport canvas").boundingBox();
  const middle = [box.x + box.width / 2, box.y + box.height / 2];
  await page.evaluate(
    ([text, [clientX, clientY]]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], "tower.gltf"));
      const target = document.querySelector(".viewport");
      for (const kind of ["dragenter", "dragover", "drop"])
        target.dispatchEvent(new DragEvent(kind, { dataTransfer, clientX, clientY, bubbles: true, cancelable: true }));
    },
    [model.toString("utf8"), middle],
  );
  await evening.says("tower.gltf added", "the objects of a model are added");
  await until(page, () => window.refitScene?.packed.header.nodes.names.includes("gate1"));
  await go(page, world.path, { view: "scene", name: "gate1" });
  await page.locator(".inspector input[aria-label='Position x']").waitFor();
  evening.also(
    "world",
    "add",
    at(world.path),
    evening.about.evening.model,
    `--at=${evening.posted().motion.at}`,
    "--textures",
  );
  await page.locator("button", { hasText: "Put on the ground" }).click();
  await evening.says("gate1 moved", "it is put on the ground");
  evening.also("world", "move", at(world.path), "gate1", `--at=${evening.posted().motion.at}`);
  // The model has gates 1 to 3; each copy is of the one that is selected.
  for (const n of [4, 5, 6]) {
    const name = `gate${n}`;
    await page.locator(".inspector button", { hasText: /^Copy$/ }).click();
    await evening.says(`copied as ${name}`, `${name} is a copy`);
    check(
      await until(page, (wanted) => document.querySelector(".inspector h2")?.innerText === wanted, name),
      `${name} is selected`,
    );
    // The last one is undone.
    if (n < 6) evening.also("world", "copy", at(world.path), n === 4 ? "gate1" : "gate4", "--name", name);
  }
  await evening.step("tower");
  await page.keyboard.press("Control+z");
  await evening.says("undone", "the last copy is undone");
  check(
    await until(page, () => !window.refitScene?.packed.header.nodes.names.includes("gate6")),
    "and is not in the scene",
  );
  await evening.end("door");
}

/** 5. An addon: prefix, properties, a file by drop, a picture over a texture, its config; signed and checked. */
async function addon(evening) {
  const { page, folder, place, run, about } = evening;
  const pbo = evening.file("addons/door.pbo");
  const manifest = at(pbo.path, "refit.json");
  await go(page, pbo.path, { view: "summary" });
  const prefix = page.locator("input[aria-label=Prefix]");
  await prefix.waitFor();
  equal(await prefix.inputValue(), "x\\refit\\door", "the prefix is shown");
  await prefix.fill("x\\refit\\gate");
  await prefix.press("Enter");
  await evening.makeProject();
  await evening.says("prefix: ", "the prefix is edited");
  evening.also("set", manifest, "prefix", JSON.stringify("x\\refit\\gate"));
  for (const [key, value] of [
    ["version", "1.2"],
    ["author", "me"],
  ]) {
    const field = page.locator("input[aria-label='New property']");
    await field.waitFor();
    await field.fill(key);
    await page.locator("input[aria-label='Its value']").fill(value);
    await page.locator("input[aria-label='Its value']").press("Enter");
    check(
      await until(page, (name) => document.querySelector(`.addon input[aria-label='${name}']`), key),
      `the property ${key} is shown`,
    );
    if (key === "version") evening.also("set", manifest, "properties", '[["version", "1.2"]]');
    else evening.also("set", manifest, "properties", '["author", "me"]', "--insert", "1");
  }
  await evening.step("properties");

  // A file by drop, and a PNG over it.
  const texture = evening.write("door_co.paa", readFileSync(join(about.golden, "paa/argb8888.paa")));
  await page.locator(".summary-members input[type=file]").setInputFiles(texture);
  await evening.says("door_co.paa added", "a texture is added");
  evening.also("add", at(pbo.path), "door_co.paa", texture);
  const picture = evening.write("green.png", png(8, 8, [20, 200, 40, 255]));
  await go(page, pbo.path, { view: "pictures", part: "files/door_co.png" });
  await page.locator("canvas.picture").waitFor();
  await page.locator(".part-host input[type=file]").setInputFiles(picture);
  await evening.says("door_co.paa replaced", "a PNG replaces the texture");
  evening.also("put", at(pbo.path), "door_co.paa", picture);
  await evening.step("picture");

  // The config, with the names of the game.
  await go(page, pbo.path, { view: "contents", part: "files/config.cpp" });
  await page.locator("button", { hasText: "Edit the text" }).click();
  await page.locator(".editor .cm-content").click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("End");
  for (let n = 0; n < "}; }; };".length; n++) await page.keyboard.press("ArrowLeft");
  await page.keyboard.type(', "towe', { delay: 40 });
  const offered = page.locator(".editor .cm-tooltip-autocomplete li", { hasText: /^tower/ });
  await offered.first().waitFor();
  await evening.step("completion");
  await page.waitForTimeout(300);
  await page.keyboard.press("Enter");
  await page.keyboard.type('"', { delay: 40 });
  await page.keyboard.press("Control+s");
  await evening.says("config.cpp: text edited", "the config is saved");
  const config = readFileSync(join(evening.project, pbo.path, "files/config.cpp"), "utf8");
  const [, unit] = /units\[\] = \{"door01", "(tower\w*)"\};/.exec(config) ?? [];
  check(unit, `a class of the config is edited, with a name of the game: ${config}`);
  evening.also((other) => {
    const path = join(other, pbo.path, "files/config.cpp");
    writeFileSync(path, readFileSync(path, "utf8").replace('"door01"', `"door01", "${unit}"`));
  });
  await page.locator("button", { hasText: "Close the editor" }).click();

  // Signed only as the game has it.
  const key = join(about.golden, "bikey/refit_test.biprivatekey");
  const keys = join(place, "keys");
  mkdirSync(keys);
  cpSync(join(about.golden, "bikey/refit_test.bikey"), join(keys, "refit_test.bikey"));
  const sign = async () => {
    await go(page, pbo.path, { view: "summary" });
    await page.locator("input[aria-label='Private key']").fill(key);
    await page.locator("input[aria-label='Keys of a server']").fill(keys);
    await page.locator("input[aria-label='Private key']").press("Enter");
  };
  // The key is chosen among the folders of the machine: of its folder, only the keys are listed.
  const own = join(place, "own");
  mkdirSync(own);
  cpSync(key, join(own, "me.biprivatekey"));
  cpSync(join(keys, "refit_test.bikey"), join(own, "me.bikey"));
  await go(page, pbo.path, { view: "summary" });
  const field = page.locator("input[aria-label='Private key']");
  await field.fill(join(own, "old.biprivatekey"));
  await page.locator("button", { hasText: "Choose…" }).click();
  const rows = page.locator("dialog.ask .start-row");
  await rows.first().waitFor();
  equal((await rows.allInnerTexts()).map((text) => text.trim()).join(), "me.biprivatekey,..", "keys are listed");
  await evening.step("key");
  await rows.first().click();
  // The dialog has closed before its answer is taken.
  const taken = (wanted) => document.querySelector("input[aria-label='Private key']")?.value === wanted;
  check(await until(page, taken, join(own, "me.biprivatekey")), "the chosen key is taken");
  rmSync(own, { recursive: true });
  await sign();
  check(
    await until(page, () => document.querySelector(".error-panel:not([hidden])")?.innerText.includes("latest edits")),
    "an old addon is not signed",
  );
  check(!existsSync(join(folder, "addons/door.pbo.refit_test.bisign")), "nothing is written");
  await page.keyboard.press("Escape");
  await evening.end("gate", async (game) => {
    await sign();
    await evening.says("signed: addons/door.pbo.refit_test.bisign", "it is signed");
    const result = page.locator(".addon-result");
    check(
      await until(page, () => document.querySelector(".addon-result")?.innerText.includes("accepts it")),
      `a server with the key accepts it: ${await result.innerText()}`,
    );
    await evening.step("signed");
    run("sign", join(game, pbo.path), "--key", key);
    const signature = "addons/door.pbo.refit_test.bisign";
    check(
      readFileSync(join(folder, signature)).equals(readFileSync(join(game, signature))),
      "refit sign makes the same signature",
    );
    check(run("check", join(folder, pbo.path), "--keys", keys).includes("accepts 1 of 1"), "refit check accepts it");
    // A key of nobody: the page says what the server does.
    const others = join(place, "others");
    mkdirSync(others);
    run("key", "new", "stranger", "-o", others);
    rmSync(join(others, "stranger.biprivatekey"));
    await page.locator("input[aria-label='Keys of a server']").fill(others);
    await page.locator("button", { hasText: /^Check$/ }).click();
    check(
      await until(page, () => document.querySelector(".addon-result")?.innerText.includes("refuses it")),
      "a server without the key refuses it",
    );
    // The secret part of the key is nowhere: not in the game, the project or its journal.
    const secret = readFileSync(key).subarray(-64);
    for (const root of [folder, evening.project])
      for (const [path, content] of files(root, "", true))
        check(!content.includes(secret), `the private key is in ${root}/${path}`);
  });
}

/** 6. Three mods of others, two of which want the same value, from the manager. */
async function mods(evening) {
  const { page, folder, place, run } = evening;
  const reader = evening.file("zbd/m2/zrdr.zbd");
  const friend = join(place, "friend");
  cpSync(folder, friend, { recursive: true });
  const make = (who, ...edits) => {
    const project = join(place, who);
    run("unpack", folder, "-o", project, "--exclude", "broken/**");
    for (const [file, part, path, value] of edits) run("set", join(project, file, part), path, value);
    const mod = join(place, `${who}.refitmod`);
    run("mod", "make", project, "--name", who, "--author", who, "-o", mod);
    return mod;
  };
  const project = join(place, "look");
  run("unpack", folder, "-o", project, "--exclude", "broken/**");
  const part = "ai.zrd.json";
  const values = JSON.parse(readFileSync(join(project, reader.path, part), "utf8"));
  const numbers = [];
  const walk = (value, path) => {
    if (typeof value === "number") numbers.push(path);
    else if (Array.isArray(value)) value.forEach((each, n) => walk(each, `${path}[${n}]`));
  };
  walk(values, "");
  check(numbers.length > 1, `the reader has numbers: ${numbers}`);
  const [one, two] = numbers;
  const ann = make("ann", [reader.path, part, one, "11"]);
  const bob = make("bob", [reader.path, part, one, "22"], [reader.path, part, two, "33"]);
  const eve = make("eve", ["zbd/zrdr.zbd", "sounds.zrd.json", "SAMPLES › creak › [3]", "0.25"]);

  await page.locator("a", { hasText: /^Mods$/ }).click();
  await page.locator("input[accept='.refitmod']").setInputFiles([ann, bob, eve]);
  const wins = page.locator("select[aria-label='Which mod wins']");
  await wins.waitFor();
  const conflicts = await page.locator(".change .bad-text li").allInnerTexts();
  equal(conflicts.length, 1, "one value conflicts");
  check(
    ["ann", "bob", "11", "22"].every((word) => conflicts[0].includes(word)),
    `both values: ${conflicts}`,
  );
  check(await page.locator("button", { hasText: "Apply to the game" }).isDisabled(), "it must be decided first");
  check(!differing(files(folder), evening.pristine).length, "nothing is written yet");
  await evening.step("conflict");
  await wins.selectOption("first");
  check(await until(page, () => !document.querySelector("button.primary[disabled]")), "the first one wins");
  await page.locator("button", { hasText: "Apply to the game" }).click();
  const listed = (n) =>
    until(page, (wanted) => document.querySelectorAll("[aria-label='Applied mods'] > li").length === wanted, n);
  check(await listed(3), "all three are applied");
  await evening.step("applied");
  const own = (paths) => paths.filter((path) => !path.startsWith("refit-mods"));
  const same = (what) => equal(own(differing(files(folder), files(friend))).join(), "", what);
  run("mod", "apply", ann, bob, eve, "--prefer", "first", "--to", friend);
  same("refit mod apply makes the same game");
  // The winner is taken out: the other one gets the value.
  for (const [who, left] of [
    ["ann", 2],
    ["eve", 1],
    ["bob", 0],
  ]) {
    await page
      .locator("[aria-label='Applied mods'] > li", { hasText: `by ${who}` })
      .locator("button", { hasText: "Remove" })
      .click();
    check(
      left ? await listed(left) : await until(page, () => !document.querySelector("[aria-label='Applied mods']")),
      `${who} is removed`,
    );
    run("mod", "remove", who, "--from", friend);
    same(`refit mod remove ${who} makes the same game`);
  }
  equal(own(differing(files(folder), evening.pristine)).join(), "", "the game is as it was");
  await page.close();
}

/** Objects of a world: several moved, turned, scaled, copied and removed, each time as one edit. */
async function objects(evening) {
  const { page } = evening;
  const world = evening.file(evening.about.world);
  const edits = async () => (await api(page, "edits")).edits;
  const titled = (text, what) =>
    until(page, (wanted) => document.querySelector(".inspector h2")?.innerText === wanted, text).then((is) =>
      check(is, what),
    );
  /** The changes of the last edit, which the command line makes one after the other. */
  const sameByCommands = (change) => {
    for (const each of change.do === "several" ? change.changes : [change]) {
      const { at: place, turn, scale } = each.motion ?? {};
      const words = [
        ...(each.do === "reparent" ? [each.under] : []),
        ...(each.do === "copy" ? ["--name", each.name] : []),
        ...(each.do === "copy" && each.under ? ["--under", each.under] : []),
        ...(place ? [`--at=${place}`] : []),
        ...(turn ? [`--turn=${turn}`] : []),
        ...(scale ? [`--scale=${scale}`] : []),
      ];
      evening.also("world", each.do, at(world.path), each.node, ...words);
    }
  };
  const row = (name) => page.locator(".virtual[aria-label=Nodes] .virtual-row", { hasText: new RegExp(`^${name}$`) });
  const placeOf = async (name) => {
    await until(page, () => window.refitScene);
    return page.evaluate((wanted) => {
      const three = window.refitScene;
      const at = three.packed.header.nodes.names.indexOf(wanted);
      return at < 0 ? null : [...three.world.slice(at * 16 + 12, at * 16 + 15)];
    }, name);
  };
  const isAt = (name, wanted) =>
    until(
      page,
      ([node, place]) => {
        const three = window.refitScene;
        const at = three ? three.packed.header.nodes.names.indexOf(node) : -1;
        return at >= 0 && place.every((n, k) => Math.abs(three.world[at * 16 + 12 + k] - n) < 0.02);
      },
      [name, wanted],
      10000,
    );

  await go(page, world.path);
  await scene(page);
  // In the list: the lamps, and the sign.
  await row("lamp00").click();
  await row("lamp01").click({ modifiers: ["Control"] });
  await row("sign").click({ modifiers: ["Control"] });
  await titled("3 nodes", "three are selected in the list");
  equal(await page.locator(".virtual[aria-label=Nodes] [aria-selected=true]").count(), 3, "and marked");
  // One of them again, and then a range by the keyboard.
  await row("sign").click({ modifiers: ["Control"] });
  await titled("2 nodes", "a second click takes one out");
  await evening.step("selected");
  const before = { lamp00: await placeOf("lamp00"), lamp01: await placeOf("lamp01") };

  await page.locator(".inspector input[aria-label='Move by x']").fill("4");
  await page.locator(".inspector input[aria-label='Move by z']").fill("-2.5");
  await page.locator(".inspector input[aria-label='Move by z']").press("Enter");
  await evening.makeProject();
  await evening.says("2 objects moved", "both are moved");
  sameByCommands(evening.posted());
  for (const name of ["lamp00", "lamp01"]) {
    const [x, y, z] = before[name];
    check(await isAt(name, [x + 4, y, z - 2.5]), `${name} is where it should be`);
  }
  equal((await edits()).length, 1, "as one edit");
  await titled("2 nodes", "both are still selected");

  // Turned about the last one, and scaled.
  const centre = await placeOf("lamp01");
  const other = await placeOf("lamp00");
  await page.locator(".inspector input[aria-label='Turn by degrees']").fill("90");
  await page.locator(".inspector input[aria-label='Scale by']").fill("1.5");
  await page.locator(".inspector input[aria-label='Scale by']").press("Enter");
  await until(page, (n) => document.querySelector(".top .count")?.innerText === n, "2");
  await evening.says("2 objects moved", "both are turned and scaled");
  sameByCommands(evening.posted());
  const [dx, dz] = [other[0] - centre[0], other[2] - centre[2]];
  check(await isAt("lamp01", centre), "the last one stays");
  check(await isAt("lamp00", [centre[0] + dz, other[1], centre[2] - dx]), "the other one turns about it");
  const length = await page.evaluate(() => {
    const three = window.refitScene;
    return three.scaleOf(three.packed.header.nodes.names.indexOf("lamp00"))[1];
  });
  check(Math.abs(length - 1.5) < 1e-3, `they are scaled: ${length}`);
  await evening.step("turned");

  // By the handle: the arrow along x moves both.
  await page.locator("button[aria-label^='Frame the selection']").click();
  const arrow = await page.evaluate(() => {
    const three = window.refitScene;
    const at = three.packed.header.nodes.names.indexOf("lamp01");
    const place = [12, 13, 14].map((n) => three.world[at * 16 + n]);
    const { camera } = three.view;
    const rect = three.canvas.getBoundingClientRect();
    const point = three.view.position.clone().fromArray(place);
    const size = (three.view.position.distanceTo(point) * 1.9 * Math.tan((Math.PI * camera.fov) / 360) * 0.8) / 4;
    const shown = (along) => {
      const seen = point
        .clone()
        .setX(place[0] + along * size)
        .project(camera);
      return [rect.left + ((seen.x + 1) / 2) * rect.width, rect.top + ((1 - seen.y) / 2) * rect.height];
    };
    return { from: shown(0.5), to: shown(1.5), by: size };
  });
  const dragged = { lamp00: await placeOf("lamp00"), lamp01: await placeOf("lamp01") };
  await page.mouse.move(...arrow.from);
  // Handles are placed when they are drawn.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.mouse.down();
  await page.mouse.move(...arrow.to, { steps: 8 });
  await evening.step("handle");
  await page.mouse.up();
  await until(page, (n) => document.querySelector(".top .count")?.innerText === n, "3");
  equal((await edits()).length, 3, "the drag is one edit");
  sameByCommands(evening.posted());
  const now = { lamp00: await placeOf("lamp00"), lamp01: await placeOf("lamp01") };
  const offsets = ["lamp00", "lamp01"].map((name) => now[name][0] - dragged[name][0]);
  check(
    Math.abs(offsets[0] - offsets[1]) < 0.01 && Math.abs(Math.abs(offsets[0]) - arrow.by) < arrow.by / 2,
    `both follow the handle: ${offsets} of ${arrow.by}`,
  );

  // Lifted and put on the ground, copied and removed.
  await page.locator(".inspector input[aria-label='Move by y']").fill("9");
  await page.locator(".inspector input[aria-label='Move by y']").press("Enter");
  await until(page, (n) => document.querySelector(".top .count")?.innerText === n, "4");
  sameByCommands(evening.posted());
  const lifted = [now.lamp00[0], now.lamp00[1] + 9, now.lamp00[2]];
  check(await isAt("lamp00", lifted), "they are lifted");
  await page.locator(".inspector button", { hasText: "Put on the ground" }).click();
  await until(page, (n) => document.querySelector(".top .count")?.innerText === n, "5");
  sameByCommands(evening.posted());
  const ground = evening.posted().changes.find((each) => each.node === "lamp00").motion.at;
  check(
    ground[1] < lifted[1] - 5 && (await isAt("lamp00", [lifted[0], ground[1], lifted[2]])),
    `they are on the ground again: ${lifted} and ${ground}`,
  );
  await page.locator(".inspector button", { hasText: /^Copy$/ }).click();
  await evening.says("2 objects copied", "both are copied");
  sameByCommands(evening.posted());
  const copies = evening.posted().changes.map((each) => each.name);
  const areThere = (all) =>
    until(page, (wanted) => wanted.every((name) => window.refitScene?.packed.header.nodes.names.includes(name)), all);
  check(await areThere(copies), `the copies are there: ${copies}`);
  const selected = (all) => {
    const listed = [...document.querySelectorAll(".inspector .places li")].map((each) => each.innerText);
    return all.length === listed.length && all.every((name) => listed.includes(name));
  };
  check(await until(page, selected, copies), "the copies are selected");
  await evening.step("copied");
  await page.locator(".inspector button", { hasText: /^Delete$/ }).click();
  await evening.says("2 objects removed", "both copies are removed");
  const gone = (all) => {
    const now = window.refitScene?.packed.header.nodes.names;
    return now && !all.some((name) => now.includes(name));
  };
  check(await until(page, gone, copies), "they are not in the scene");
  await page.keyboard.press("Control+z");
  await evening.says("undone", "one undo brings both back");
  check(await areThere(copies), "both are in the scene");

  // In the picture: Ctrl and click. The list is where it was before the edit.
  await page.locator(".virtual[aria-label=Nodes]").evaluate((list) => (list.scrollTop = 0));
  await row("house").click();
  await titled("house", "one is selected");
  await page.locator("button[aria-label^='Frame the selection']").click();
  await page.locator("select[aria-label=Handles]").selectOption("off");
  const rect = await page.locator(".viewport canvas").boundingBox();
  const spot = await page.evaluate(() => {
    const three = window.refitScene;
    const at = three.packed.header.nodes.names.indexOf("wall");
    return three.project(at);
  });
  await page.keyboard.down("Control");
  await page.mouse.click(rect.x + spot[0], rect.y + spot[1]);
  await page.keyboard.up("Control");
  await titled("2 nodes", "Ctrl and a click in the picture selects another one");
  await page.keyboard.press("Escape");

  // One alone, scaled by numbers.
  await row("sign").click();
  const factor = page.locator(".inspector input[aria-label='Scale y']");
  await factor.waitFor();
  await factor.fill("2");
  await factor.press("Enter");
  await evening.says("sign moved", "an object is scaled by numbers");
  sameByCommands(evening.posted());
  check(await until(page, () => document.querySelector("[aria-label='Scale y']")?.value === "2"), "and it shows it");
  await evening.step("scaled");

  // Below another one, by its name: it stays where it is.
  const parentOf = (name, wanted) =>
    until(
      page,
      ([node, parent]) => {
        const { names } = window.refitScene?.packed.header.nodes ?? {};
        // The first of the eight numbers of a node is its parent.
        const row = names ? names.indexOf(node) : -1;
        return row >= 0 && names[window.refitScene.packed.node[row * 8]] === parent;
      },
      [name, wanted],
      10000,
    );
  const signAt = await placeOf("sign");
  const below = page.locator(".inspector input[aria-label=Below]");
  await below.fill("");
  await below.pressSequentially("hous", { delay: 30 });
  check(
    await until(page, () => [...document.querySelectorAll("datalist option")].some((each) => each.value === "house")),
    "the nodes of the world are offered",
  );
  await below.pressSequentially("e");
  await evening.step("below");
  await below.press("Enter");
  await evening.says("sign put below house", "the sign is put below the house");
  sameByCommands(evening.posted());
  check((await isAt("sign", signAt)) && (await parentOf("sign", "house")), "it is below it, and where it was");
  /** Selects a node in the list; a page that loads the scene again may select the old one once more. */
  const selectRow = async (name, modifiers = [], title_ = name) => {
    for (let n = 0; n < 5; n++) {
      await row(name).click({ modifiers });
      const is = (wanted) => document.querySelector(".inspector h2")?.innerText === wanted;
      if (await until(page, is, title_, 5000)) return;
    }
    check(false, `${name} is selected`);
  };
  // Not below itself.
  await selectRow("house");
  await below.fill("sign");
  await below.press("Enter");
  check(
    await until(page, () => document.querySelector(".error-panel:not([hidden])")?.innerText.includes("below itself")),
    "a house below its own sign is refused",
  );
  await page.locator("button[aria-label='Close the message']").click();

  // Dragged in the list: one, and then two at once.
  await selectRow("sign");
  // Its row says what it is, too.
  await row("sign").dragTo(row("world1world"));
  await evening.says("sign put below world1", "the sign is dragged onto the world");
  sameByCommands(evening.posted());
  check((await isAt("sign", signAt)) && (await parentOf("sign", "world1")), "it is where it was");
  const partsAt = { wall: await placeOf("wall"), roof: await placeOf("roof") };
  // The list has scrolled to the sign.
  await go(page, world.path, { view: "scene", name: "wall" });
  await selectRow("wall");
  await row("roof").click({ modifiers: ["Control"] });
  await titled("2 nodes", "wall and roof are selected");
  await row("roof").dragTo(row("tower"));
  await evening.says("2 objects put below another one", "both are dragged onto the tower");
  sameByCommands(evening.posted());
  for (const name of ["wall", "roof"])
    check((await isAt(name, partsAt[name])) && (await parentOf(name, "tower")), `${name} is where it was`);

  // A model of this world: by the keyboard where the view looks, and dragged onto the scene.
  await page.keyboard.press("Escape");
  const models = page.locator(".virtual[aria-label='Models of this world']");
  await models.waitFor();
  await page.locator("input[aria-label='Filter models of this world']").fill("sign");
  await models.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await evening.says("copied as sign", "a model is put into the world");
  sameByCommands(evening.posted());
  const first = evening.posted();
  check(await isAt(first.name, first.motion.at), "where the view looks");
  check(await parentOf(first.name, "world1"), "and below the world");
  await page.locator(".inspector h2").click();
  await page.keyboard.press("Escape");
  await models.waitFor();
  await evening.step("models");
  const middle = await page.locator(".viewport canvas").boundingBox();
  await page.locator("input[aria-label='Filter models of this world']").fill("lamp");
  await models
    .locator(".virtual-row")
    .first()
    .dragTo(page.locator(".viewport canvas"), {
      targetPosition: { x: middle.width * 0.4, y: middle.height * 0.7 },
    });
  await until(page, (name) => document.querySelector(".inspector h2")?.innerText !== name, first.name);
  await evening.says("copied as ", "a model is dragged onto the scene");
  const second = evening.posted();
  check(second.name !== first.name && second.do === "copy", `another one: ${JSON.stringify(second)}`);
  sameByCommands(second);
  check(await isAt(second.name, second.motion.at), "it is below the pointer");
  await titled(second.name, "and selected");

  // A model in Blender.
  await go(page, world.path, { view: "models", name: "sign" });
  const shown = page.locator(".inspector h2");
  await shown.waitFor();
  check((await shown.innerText()).includes("sign"), "the model of the sign is shown");
  const parts = (await api(page, `file/${world.number}/tree`)).parts.map((part) => part.path);
  const document_ = parts.find((path) => /^models\/\d+-sign/.test(path)).replace(/\.json$/, "");
  const blenderButton = page.locator("button", { hasText: "Open in Blender" });
  const tall = await evening.inBlender(world, document_, blenderButton, (path) => stretch(path, 1.5));
  evening.also("put", at(world.path), document_, tall, "--textures");
  await evening.end("lamps");
}

export async function evenings(browser, about) {
  const stories = { 1: door, 2: mech, 3: plane, 4: island, 5: addon, 6: mods, 7: objects };
  for (const each of about.evenings) {
    if (process.env.EVENING && process.env.EVENING !== String(each.number)) continue;
    const story = stories[each.number];
    if (!story) continue;
    const evening = new Evening(browser, about, each);
    await evening.begin();
    const before = Date.now();
    try {
      await story(evening);
    } catch (error) {
      check(false, `evening ${each.number} ended: ${error.stack ?? error}`);
      if (about.pictures) await evening.page.screenshot({ path: `${about.pictures}/evening${each.number}-end.png` });
      await evening.page.close().catch(() => undefined);
    }
    console.log(`  evening ${each.number}: ${((Date.now() - before) / 1000).toFixed(1)} s`);
  }
}
