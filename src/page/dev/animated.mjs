// An animation is edited while it plays: its text beside the scene, and the times of its events in the timeline. The
// scene keeps its camera and its time, and the project has what the same edits make as texts.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serious } from "./access.mjs";
import { api, check, equal, go, open, partUrl, scene, until } from "./browser.mjs";
import { settled } from "./evening.mjs";

const PART = "defs/door_open.json";

/** `about.renewed`: the address of a server whose game is edited, and where the project will be. */
export async function animated(browser, about) {
  const { url, project } = about.renewed;
  const page = await open(browser, url, { expected: (text) => text.includes("422") });
  const { files } = await api(page, "opened");
  const anim = files.find(
    (each) => each.format === "anim" && /anim\.zbd$/.test(each.path) && !/c2|m2/i.test(each.path),
  );
  let shot = 0;
  const step = async (name) => {
    shot += 1;
    await serious(page, name);
    if (about.pictures) await page.screenshot({ path: `${about.pictures}/animated-${shot}-${name}.png` });
  };
  const served = (file = anim, part = PART) =>
    page.evaluate(async (asked) => (await fetch(asked, { cache: "no-store" })).text(), partUrl(file, part));
  const stored = (file = anim, part = PART) => readFileSync(join(project, file.path, part), "utf8");
  const says = async (text) => check(await settled(page, text), `the page says ${text}`);
  const timeIs = async (text, what) => {
    const isIt = await until(page, (wanted) => document.querySelector(".time-text")?.textContent === wanted, text);
    const now = await page.locator(".time-text").innerText();
    check(isIt, `${what}: ${now} instead of ${text}`);
  };
  /** An edit of another tab. */
  const post = (body) =>
    page.evaluate(async (edit) => {
      const headers = { "content-type": "application/json", "x-refit-token": localStorage.getItem("refit-token") };
      return (await fetch("api/edit", { method: "POST", headers, body: JSON.stringify(edit) })).status;
    }, body);
  /** The first edit asks where the project shall be. */
  const makeProject = async () => {
    const where = page.locator("dialog.ask input");
    if (
      await where.waitFor({ timeout: 1500 }).then(
        () => true,
        () => false,
      )
    )
      await where.press("Enter");
  };

  await go(page, anim.path, { view: "animations", part: PART });
  await scene(page);
  check(await until(page, () => window.refitPlay?.seek), "the animation plays");
  await page.locator(".play-button", { hasText: "Pause" }).click();
  await page.evaluate(() => {
    window.refitPlay.seek(1.5);
    window.refitScene.view.dolly(1.3);
    window.firstScene = window.refitScene;
  });
  const camera = await page.evaluate(() => window.refitScene.view.toString());
  /** The scene, its camera and the time are as before. */
  const stays = async (what, length) => {
    await timeIs(`1.50 / ${length} s`, what);
    equal(await page.evaluate(() => window.refitScene.view.toString()), camera, `${what}: the camera stays`);
  };
  const isSame = () => page.evaluate(() => window.refitScene === window.firstScene);
  await timeIs("1.50 / 7.00 s", "before the edits");
  const before = await served();

  // The text, beside the scene.
  await page.locator("button", { hasText: "Edit the text" }).click();
  const content = page.locator(".editor .cm-content");
  await content.waitFor();
  const boxes = await Promise.all([".play-viewport", ".editor"].map((each) => page.locator(each).boundingBox()));
  check(
    boxes.every((box) => box.width >= 400 && box.height >= 180) && boxes[0].x + boxes[0].width <= boxes[1].x,
    `the text is beside the scene, with room for both: ${JSON.stringify(boxes)}`,
  );
  await step("text");
  /** Types another text into a line of the editor. */
  const retypeLine = async (at, text) => {
    await content.click();
    await page.keyboard.press("Control+Home");
    for (let n = 0; n < at; n++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+End");
    await page.keyboard.type(text);
    await page.keyboard.press("Escape");
  };
  const shows = (text) =>
    until(
      page,
      (wanted) => document.querySelector(".editor")?.shadowRoot.querySelector(".cm-content").innerText.includes(wanted),
      text,
    );

  // The source of the definition is edited first; the document follows.
  const said = page.locator(".part-host .bar [role=status]");
  const pressed = (name) => page.locator("button", { hasText: name }).getAttribute("aria-pressed");
  equal(await pressed("Source"), "true", "the editor has the source");
  const { text: source } = await page.evaluate(
    async (asked) => (await fetch(asked, { cache: "no-store" })).json(),
    partUrl(anim, PART).replace("/part?", "/source?"),
  );
  const sourceLine = source.split("\r\n").findIndex((each) => each.includes("RUN_TIME ( 2.0 )"));
  check(sourceLine > 0, `the source has the time of the movement: ${source}`);
  const run = source.split("\r\n")[sourceLine].trim();
  check(await shows("RUN_TIME ( 2.0 )"), "the source is shown");
  await step("source");
  await retypeLine(sourceLine, run.replace("2.0", "4.0"));
  await page.keyboard.press("Control+s");
  await makeProject();
  await says("door_open.json: source edited");
  await stays("the source is saved", "9.00");
  equal(stored(), before.replace('"run_time": 2.0', '"run_time": 4.0'), "the project has the document of the source");
  check(await page.locator("button", { hasText: "Save" }).isDisabled(), "nothing is left to save");
  await page.locator(".lanes section").first().locator("a.event-kind", { hasText: "CALL_ANIMATION" }).click();
  check(
    (await page.locator(".editor .cm-activeLine").innerText()).includes("CALL_ANIMATION ("),
    "an event leads to its line in the source",
  );
  // What the compiler refuses, and what it leaves out, is marked at its line.
  await retypeLine(sourceLine, run.replace("2.0", "four"));
  check(await until(page, () => document.querySelector(".bar [role=status].bad-text")?.textContent), "it is refused");
  check((await said.innerText()).includes(`:${sourceLine + 1}:`), `with its line: ${await said.innerText()}`);
  equal(await page.locator(".editor .cm-lint-marker-error").count(), 1, "and marked");
  await step("source-error");
  await retypeLine(sourceLine, `${run.replace("2.0", "4.0")} RUNTIME ( 1 )`);
  check(await until(page, () => document.querySelector(".bar [role=status].warn-text")?.textContent), "a warning");
  check((await said.innerText()).includes("RUNTIME"), "names what is left out");
  equal(await page.locator(".editor .cm-lint-marker-warning").count(), 1, "at its line");
  await retypeLine(sourceLine, `${run.replace("2.0", "4.0")} // remark`);
  await page.keyboard.press("Control+s");
  check(await until(page, () => document.querySelector(".part-host").innerText.includes("Nothing changed")), "no edit");
  check(await shows(`${run.replace("2.0", "4.0")}\n`), "comments are not kept");
  await page.locator("button[aria-label='Undo (Ctrl+Z)']").click();
  await says("undone");
  await stays("the source is undone", "7.00");
  check(await shows("RUN_TIME ( 2.0 )"), "the source follows");
  equal(stored(), before, "the project has what was there");

  // The JSON of the same definition.
  await page.locator("button", { hasText: "JSON" }).click();
  check(await shows('"$schema"'), "the document is shown");
  equal(await pressed("JSON"), "true", "and the page says so");
  const line = before.split("\n").findIndex((each) => each.includes('"run_time": 2.0'));
  check(line > 0, `the text has the time of the movement: ${before}`);
  const longer = before.split("\n")[line].trim().replace("2.0", "4.0");
  const retype = (text) => retypeLine(line, text);
  await retype(longer);
  await page.keyboard.press("Control+s");
  await says("door_open.json: text edited");
  await stays("the text is saved", "9.00");
  equal(stored(), before.replace('"run_time": 2.0', '"run_time": 4.0'), "the project has what was typed");
  check(await page.locator("button", { hasText: "Save" }).isDisabled(), "nothing is left to save");
  await page.evaluate(() => (window.firstScene = window.refitScene));

  // Undo: the text follows, too.
  await page.locator("button[aria-label='Undo (Ctrl+Z)']").click();
  await says("undone");
  await stays("undone", "7.00");
  check(
    await until(page, () =>
      document.querySelector(".editor").shadowRoot.querySelector(".cm-content").innerText.includes('"run_time": 2.0'),
    ),
    "the editor shows the text of before",
  );
  equal(stored(), before, "and the project has it");
  await page.locator("button[aria-label='Redo (Ctrl+Y)']").click();
  await says("done again");
  await stays("done again", "9.00");

  // An event leads to its line in the text.
  await page.locator(".lanes section").first().locator("a.event-kind", { hasText: "CALL_ANIMATION" }).click();
  const active = await page.locator(".editor .cm-activeLine").innerText();
  check(active.includes("CALL_ANIMATION"), `the event is in the line ${active}`);

  // What refit refuses is marked at its line, and not saved.
  await retype(longer.replace("4.0", "four"));
  check(await until(page, () => document.querySelector(".bar [role=status].bad-text")?.textContent), "it is refused");
  check((await page.locator(".editor .cm-lint-marker-error").count()) === 1, "and marked at its line");
  await step("error");
  // What is typed stays while another tab edits, and what plays follows that.
  const longest = longer.replace("4.0", "4.5");
  await retype(longest);
  check(await until(page, () => !document.querySelector(".bar [role=status].bad-text")), "the correction is not");
  const edit = { do: "set", file: anim.path, part: PART, path: "sequences[0].events[2].at[1]", value: 2.5 };
  equal(await post(edit), 200, "another tab edits");
  await stays("an edit of another tab", "8.50");
  check(await isSame(), "the scene is not built again");
  check((await content.innerText()).includes(longest), "what is typed stays");
  // Another view asks first.
  let asked = "";
  page.once("dialog", (dialog) => {
    asked = dialog.message();
    void dialog.dismiss();
  });
  await page.locator(".part-host > .part > .bar a", { hasText: "Document" }).click();
  check(await until(page, () => location.hash.includes("view=animations")), "the view stays");
  check(asked.includes("without saving"), `the page asks before a text is left: ${asked}`);
  check((await content.innerText()).includes(longest), "with what is typed");
  await page.keyboard.press("Control+s");
  await stays("both edits", "9.00");
  const both = before.replace('"run_time": 2.0', '"run_time": 4.5').replace('"EVENT", 3.0', '"EVENT", 2.5');
  equal(stored(), both, "the project has both edits");
  check(
    await until(page, () =>
      document.querySelector(".editor").shadowRoot.querySelector(".cm-content").innerText.includes('"EVENT", 2.5'),
    ),
    "and the editor does",
  );
  // An edit of the world is undone here: the scene is another one, and what a person sees is the same.
  const moved = { do: "move", node: "house", motion: { by: [0, 0, 1] } };
  const isNew = async (what) => {
    check(await until(page, () => window.refitScene && window.refitScene !== window.firstScene), what);
    await page.evaluate(() => (window.firstScene = window.refitScene));
  };
  equal(await post({ do: "world", file: about.world, change: moved }), 200, "another tab edits the world");
  await isNew("the world is new");
  await page.locator("button[aria-label='Undo (Ctrl+Z)']").click();
  await says("undone");
  await isNew("the world is the old one");
  await stays("an edit of the world", "9.00");
  check(await page.locator(".editor").isVisible(), "the text is still beside it");
  await page.locator("button", { hasText: "Close the editor" }).click();
  check(await page.locator(".parts-list").isVisible(), "without the editor, the list is back");
  check(await page.locator(".side").isVisible(), "and the files are");

  // The time of an event, with the mouse.
  const section = page.locator(".lanes section").first();
  const key = section.locator(".time-key");
  equal(await key.count(), 1, "only what has a time can be moved");
  const valued = () => key.getAttribute("aria-valuetext");
  equal(await valued(), "event + 2.5 s", "the time is said");
  const drag = async (by) => {
    await key.scrollIntoViewIfNeeded();
    const box = await key.boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + by / 2, y);
    await page.mouse.move(x + by, y);
  };
  const saved = stored();
  await drag(20);
  check((await valued()) !== "event + 2.5 s", "it moves with the mouse");
  await step("dragged");
  await page.keyboard.press("Escape");
  equal(await valued(), "event + 2.5 s", "Escape takes it back");
  await page.mouse.up();
  await page.waitForTimeout(500);
  equal(stored(), saved, "and nothing is edited");
  await drag(20);
  const time = Number((await valued()).replace(/[^\d.]/g, ""));
  check(time > 3, `it is later: ${time}`);
  await page.mouse.up();
  await says("at[1]");
  await stays("dragged", (6.5 + time).toFixed(2));
  check(await isSame(), "the scene is not built again");
  equal(stored(), saved.replace('"EVENT", 2.5', `"EVENT", ${time}`), "it is the same edit as a text");
  await page.locator("button[aria-label='Undo (Ctrl+Z)']").click();
  await says("undone");
  await stays("taken back", "9.00");
  equal(stored(), saved, "undo takes it back");

  // And with the keyboard.
  await key.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Shift+ArrowLeft");
  equal(await valued(), "event + 2.69 s", "the arrow keys move it");
  await page.keyboard.press("Escape");
  equal(await valued(), "event + 2.5 s", "Escape takes it back");
  for (let n = 0; n < 5; n++) await page.keyboard.press("ArrowRight");
  equal(stored(), saved, "it is no edit yet");
  await page.keyboard.press("Enter");
  await says("at[1]");
  await stays("moved by keys", "9.50");
  equal(stored(), saved.replace('"EVENT", 2.5', '"EVENT", 3.0'), "one edit");
  const focused = await page.evaluate(() => document.activeElement?.getAttribute("aria-valuetext"));
  equal(focused, "event + 3 s", "the keyboard stays where it is");

  // Another program renames the definition that is called, and then the call. Of definitions that do not play, the
  // page has the names alone: they must be the new ones.
  const called = "defs/door_close.json";
  const texts = new Map([PART, called].map((part) => [part, stored(anim, part)]));
  const rewrite = (part, from, to) => {
    const text = stored(anim, part);
    check(text.includes(from), `${part} has ${from}`);
    writeFileSync(join(project, anim.path, part), text.replaceAll(from, to));
  };
  const plays = (name, is) =>
    until(
      page,
      ([prefix, wanted]) => {
        const titles = [...document.querySelectorAll(".lanes h3")].map((each) => each.innerText);
        return titles.length > 0 && titles.some((title) => title.startsWith(prefix)) === wanted;
      },
      [`${name}: `, is],
    );
  check(await plays("door_close", true), "what is called plays, too");
  rewrite(called, '"animation_name": "door_close"', '"animation_name": "door_shut"');
  check(await plays("door_close", false), "a call of a name that no definition has any more leads nowhere");
  check(await plays("door_shut", false), "and not to the definition that had it");
  rewrite(PART, '"door_close"', '"door_shut"');
  check(await plays("door_shut", true), "a call of the new name leads to it");
  for (const [part, text] of texts) writeFileSync(join(project, anim.path, part), text);
  check(await plays("door_close", true), "and the old names are back");

  // A key of a script: the movements before and after it get as far as before.
  for (const file of files.filter((each) => each.format === "anim" && !/^(typical|broken)/.test(each.path))) {
    const { parts } = await api(page, `file/${file.number}/tree`);
    const script = parts.find((each) => each.document === "anim-script");
    if (!script) continue;
    const of = JSON.parse(await served(file, script.path)).frames;
    await go(page, file.path, { view: "animations", part: script.path });
    const second = page.locator(".timeline .time-key").nth(1);
    await second.focus();
    await page.keyboard.press("Shift+ArrowRight");
    await step("script");
    await page.keyboard.press("Enter");
    check(await settled(page, "frames"), `${script.path}: a key is moved`);
    const now = JSON.parse(stored(file, script.path)).frames;
    const at = Number((of[1].time[0] + 0.01).toFixed(4));
    equal(
      JSON.stringify([now[0].time, now[1].time]),
      JSON.stringify([
        [of[0].time[0], at],
        [at, of[1].time[1]],
      ]),
      "times",
    );
    for (const n of [0, 1]) {
      const end = ({ time: [from, to], translate }) =>
        translate?.rate.map((rate, i) => translate.base[i] + rate * (to - from)) ?? [];
      const [a, b] = [end(of[n]), end(now[n])];
      check(
        a.every((each, i) => Math.abs(each - b[i]) < 1e-5),
        `frame ${n} leads to ${b} instead of ${a}`,
      );
    }
    equal(JSON.stringify(now.slice(2)), JSON.stringify(of.slice(2)), "the other keys stay");
    await page.locator("button[aria-label='Undo (Ctrl+Z)']").click();
    await says("undone");
    equal(JSON.stringify(JSON.parse(stored(file, script.path)).frames), JSON.stringify(of), "undo takes it back");
    break;
  }
  await page.close();

  // Where nothing can be edited, nothing offers it.
  const other = await open(browser, about.modded);
  await go(other, anim.path, { view: "animations", part: PART });
  check(await until(other, () => document.querySelector(".lanes .event-bar")), "the events are listed");
  equal(await other.locator(".time-key").count(), 0, "no time can be moved");
  equal(await other.locator("button", { hasText: "Edit the text" }).count(), 0, "no text can be edited");
  await other.close();
}
