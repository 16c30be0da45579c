// Names: search, links, findings that lead to their places, and names that are markup.
import { api, check, equal, go, inspector, middle, scene, until } from "./browser.mjs";

const title = (page) => page.locator(".inspector h2").innerText();
const hash = (page) => page.evaluate(() => decodeURIComponent(location.hash));

async function search(page) {
  await go(page, "");
  await page.keyboard.press("/");
  await page.keyboard.type("door01", { delay: 20 });
  const found = await until(page, () => document.querySelector(".files").innerText.includes("door01"));
  check(found, "the search finds door01");
  await page
    .locator(".files .virtual-row", { has: page.locator(".kind", { hasText: "node" }) })
    .first()
    .click();
  await scene(page);
  equal(await title(page), "door01", "a name that was found is shown");
  await go(page, "");
  await page.locator("input[aria-label='Search files and names']").fill("bark");
  check(
    await until(page, () =>
      [...document.querySelectorAll(".chips .chip")].some((chip) => chip.innerText === "texture"),
    ),
    "kinds of names can be chosen",
  );
  await page.locator(".chips .chip", { hasText: "texture" }).click();
  check(
    await page.evaluate(() =>
      [...document.querySelectorAll(".files .kind")].every((kind) => kind.innerText === "texture"),
    ),
    "only textures are listed",
  );
  await page
    .locator(".files .virtual-row", { has: page.locator(".kind") })
    .first()
    .click();
  check(
    await until(page, () => document.querySelector(".inspector h2")?.innerText.startsWith("bark")),
    "the texture is shown",
  );
  check(
    await until(page, () =>
      [...document.querySelectorAll(".inspector .names a")].some((link) => link.innerText === "door01"),
    ),
    "and the nodes that show it",
  );
  await page.locator("input[aria-label='Search files and names']").fill("");
}

/** While an answer is pending, the page lists partial results and the progress. */
async function late(page, about) {
  const { files } = await api(page, "opened");
  const place = {
    kind: "node",
    name: "roof",
    file: files.find((file) => file.path === about.world).number,
    document: "nodes.json",
    at: "nodes[1]",
    defines: true,
  };
  const progress = { done: 3, of: 31, at: about.world };
  // The answer comes when the page was looked at: a slow machine may not draw it within a given time.
  let held, looked;
  const hold = () => {
    held = new Promise((done) => (looked = done));
  };
  hold();
  const wait = async (route) => {
    await held;
    // A new search cancels the previous one.
    await route.continue().catch(() => undefined);
  };
  const asked = [/\/api\/(refs|find)\?/, /\/api\/soon\/refs\?/, /\/api\/soon\/find\?/];
  await page.route(asked[0], wait);
  await page.route(asked[1], (route) =>
    route.fulfill({ json: { kind: "node", name: "roof", defines: [place], uses: [], progress } }),
  );
  await page.route(asked[2], (route) => route.fulfill({ json: { names: [place], more: false, progress } }));
  await go(page, about.world, { name: "roof" });
  const says = (selector, ...texts) =>
    until(page, ([where, wanted]) => wanted.every((text) => document.querySelector(where).innerText.includes(text)), [
      selector,
      texts,
    ]);
  check(
    await says(".inspector", "3 of 31 files read", "Defined in (1)", "nodes[1]"),
    `what is known of a late answer is shown: ${await inspector(page)}`,
  );
  looked();
  check(
    await until(page, () => !/files read|Loading/.test(document.querySelector(".inspector").innerText)),
    "the answer takes its place",
  );
  hold();
  await page.keyboard.press("/");
  await page.keyboard.type("roof");
  check(
    await says(".files", "Searching names: 3 of 31 files read", "roof", about.world),
    "a search lists what is found by then",
  );
  looked();
  check(
    await until(page, () => /^\d+ names?$/m.test(document.querySelector(".files").innerText)),
    "and then all that it found",
  );
  await page.keyboard.press("Escape");
  for (const each of asked) await page.unroute(each);
}

async function links(page, about) {
  const { files } = await api(page, "opened");
  const script = files.find((file) => file.format === "interp" && !file.path.startsWith("typical"));
  const part = (await api(page, `file/${script.number}/tree`)).parts.find((each) => /(m1_zbd|c1)\.gs$/.test(each.path));
  await go(page, script.path, { view: "contents", part: part.path });
  check(
    await until(page, () =>
      [...document.querySelectorAll(".code .name-link")].some((link) => link.innerText === "wall"),
    ),
    "a script links the node that it names",
  );
  await page.locator(".code .name-link", { hasText: "wall" }).first().click();
  await scene(page);
  equal(await title(page), "wall", "the link leads to the node");
  check((await hash(page)).includes(about.world), "the link leads to the world");
  // A name in a definition: its uses beside it, and its definition behind it.
  const anim = files.find(
    (file) => file.format === "anim" && /anim\.zbd$/.test(file.path) && !/c2|C2|m2/.test(file.path),
  );
  const definition = (await api(page, `file/${anim.number}/tree`)).parts.find((each) =>
    each.path.endsWith("door_open.json"),
  );
  await go(page, anim.path, { view: "contents", part: definition.path });
  const creak = page.locator(".json .name-link", { hasText: "creak" }).first();
  check(
    await until(page, () =>
      [...document.querySelectorAll(".json .name-link")].some((link) => link.innerText.includes("creak")),
    ),
    "the definition links its sound",
  );
  await creak.click();
  equal(await title(page), "creak", "a name of a definition is explained");
  check(
    await until(page, () => document.querySelector(".inspector").innerText.includes("Used by")),
    "and its uses are listed",
  );
  // Play a sound, see what uses it, and come back.
  check(await until(page, () => document.querySelector(".inspector audio")), "a sound can be heard");
  const heard = await page.locator(".inspector audio").evaluate(async (audio) => {
    audio.muted = true;
    await audio.play();
    return audio.duration;
  });
  check(Math.abs(heard - 1.5) < 0.01, `the creak takes ${heard} s`);
  await page.locator(".inspector li", { hasText: "door_open" }).locator("a", { hasText: "Play" }).first().click();
  check(
    await until(page, () => document.querySelector(".transport") && window.refitScene?.stats.frames > 0),
    "a definition plays",
  );
  await page.locator(".inspector button.link", { hasText: "creak" }).first().click();
  await page.locator(".inspector .back", { hasText: "door_open" }).click();
  equal(await title(page), "door_open", "the inspector goes back");
  await page.locator(".tab", { hasText: "Contents" }).click();
  check(
    await until(page, () => document.querySelector(".json-part strong")?.innerText === "door_open.json"),
    "the tabs keep the definition",
  );
  await creak.click();
  check(await until(page, () => document.querySelector(".sentence").innerText.length > 20), "a field has its sentence");
  await creak.dblclick();
  check(
    await until(page, (own) => !decodeURIComponent(location.hash).includes(own), anim.path),
    "a double click leads to the definition of the sound",
  );
}

async function markup(page, about) {
  await go(page, about.world, { name: about.markup });
  await scene(page);
  equal(await title(page), about.markup, "a name that is markup is text");
  await go(page, "");
  await page.locator("input[aria-label='Search files and names']").fill("<script>");
  check(
    await until(page, (name) => document.querySelector(".files").innerText.includes(name), about.markup),
    "markup can be searched",
  );
  await page.locator("input[aria-label='Search files and names']").fill("");
  equal(
    await page.evaluate(() => document.querySelectorAll("#page script, #page b img, #page iframe").length),
    0,
    "elements that came from files",
  );
  const readers = (await api(page, "opened")).files.filter((file) => file.format === "reader");
  for (const file of readers) await go(page, file.path, { view: "summary" });
  equal(
    await page.evaluate(
      () => [...document.querySelectorAll(".summary b")].filter((each) => each.innerText === "bold").length,
    ),
    0,
    "bold text that came from a file",
  );
}

/** Each kind of finding leads to a place that exists. */
async function findings(page) {
  const { findings: all } = await api(page, "findings");
  await go(page, "", { view: "findings" });
  check((await middle(page)).includes(all[0].code), "the first finding is on the screen");
  const codes = new Map();
  for (const finding of all) if (!codes.has(finding.code)) codes.set(finding.code, finding);
  for (const [code, finding] of codes) {
    await page.locator(".middle input[type=search]").fill(code);
    // A code may be a prefix of another one.
    const row = page.locator(".findings .virtual-row", { has: page.getByText(code, { exact: true }) }).first();
    if (!(await row.count())) {
      check(false, `the finding ${code} is not in the list`);
      continue;
    }
    await row.click();
    const plain = (text) => text.replace(/\s+/g, " ");
    const own = plain(await inspector(page));
    check(
      own.includes(plain(finding.message).slice(0, 30)),
      `${code}: the inspector explains ${JSON.stringify(finding.message)}: ${own.slice(0, 200)}`,
    );
    await page.evaluate(() => delete document.body.dataset.shown);
    await page.locator(".inspector a", { hasText: "Open the place" }).click();
    await page.waitForSelector("body[data-shown]", { timeout: 30000 });
    const file = (await api(page, "opened")).files.find((each) => each.number === finding.file);
    check((await hash(page)).includes(file.path), `${code}: ${await hash(page)} instead of ${file.path}`);
    check(!(await middle(page)).includes("cannot be shown"), `${code}: the place is shown`);
    await go(page, "", { view: "findings" });
  }
  console.log(`  ${all.length} findings of ${codes.size} kinds`);
}

export async function names(page, about) {
  await search(page);
  await links(page, about);
  await late(page, about);
  await markup(page, about);
  await findings(page);
}
