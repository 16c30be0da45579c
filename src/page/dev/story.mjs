// Follows a new user by clicks and keys only: the texture of a door, what opens it, how that looks and sounds,
// and what a mod changed.
import { check, equal, open, scene, until } from "./browser.mjs";

const title = (page) => page.locator(".inspector h2").innerText();
const shows = (page, selector, text) =>
  until(page, ([where, wanted]) => document.querySelector(where)?.innerText.includes(wanted), [selector, text]);

export async function story(browser, about) {
  const page = await open(browser, about.url, { expected: (text) => text.includes("422") });
  let steps = 0;
  const step = async (name) => {
    steps += 1;
    if (about.pictures) await page.screenshot({ path: `${about.pictures}/${about.game}-${steps}-${name}.png` });
  };
  // The door: a word in the search box, and the first node.
  await page.keyboard.press("/");
  await page.keyboard.type("door01", { delay: 20 });
  const node = page.locator(".files .virtual-row", { has: page.locator(".kind", { hasText: "node" }) }).first();
  // The answers to the letters before come, too.
  await node.waitFor();
  await page.waitForTimeout(500);
  await node.click();
  await scene(page);
  equal(await title(page), "door01", "the search leads to the door");
  await step("door");
  // Its texture: a link in the inspector, with the picture.
  await page.locator(".inspector .places button", { hasText: "bark" }).first().click();
  check(
    await until(page, () => document.querySelector(".inspector img.thumb")?.naturalWidth > 0),
    "the door's texture is a picture",
  );
  equal(await title(page), "bark.tif", "the inspector names the texture");
  await step("texture");
  await page
    .locator(".inspector a", { hasText: /texture/ })
    .first()
    .click();
  check(await until(page, () => document.querySelector("canvas.picture")?.width > 0), "and leads to its package");
  await page.goBack();
  await scene(page);
  equal(await title(page), "door01", "back leads to the door");
  // Who opens it: a definition that uses it, and what starts that.
  const opens = page.locator(".inspector li.with-action", { hasText: "door_open" });
  await opens.first().waitFor({ timeout: 40000 });
  await step("uses");
  await opens.locator("a", { hasText: "Play" }).first().click();
  check(
    await until(page, () => document.querySelector(".transport") && window.refitScene?.stats.frames > 0),
    "it plays",
  );
  equal(await title(page), "door_open", "the inspector explains the animation");
  check((await page.locator(".inspector").innerText()).includes("ON_CALL"), "and says that it is called");
  // What it does: the door's place changes over time, and the events say so.
  for (const word of ["OBJECT_MOTION_FROM_TO", "SOUND", "CALL_ANIMATION", "door_close"])
    check(await shows(page, ".timeline", word), `the timeline shows ${word}`);
  const turned = () =>
    page.evaluate(() => {
      const three = window.refitScene;
      return three.world[three.packed.header.nodes.names.indexOf("door01") * 16];
    });
  await page.locator(".play-button", { hasText: "Pause" }).click();
  await page.locator(".transport input[type=range]").first().focus();
  await page.keyboard.press("Home");
  const closed = await turned();
  await page.evaluate(() => window.refitPlay.seek(1.9));
  check(Math.abs((await turned()) - closed) > 0.3, "the door turns");
  await step("opens");
  // An event of the animation that is called leads to its own document.
  await page
    .locator(".timeline section", { hasText: "door_close" })
    .locator("a.event-kind", { hasText: "OBJECT_MOTION_FROM_TO" })
    .last()
    .click();
  check(await shows(page, ".json-part strong", "door_close.json"), "an event leads to the definition that has it");
  await page.goBack();
  check(await shows(page, ".timeline", "creak"), "back leads to the animation");
  // Its sound.
  await page.locator(".timeline button.link", { hasText: "creak" }).first().click();
  check(await until(page, () => document.querySelector(".inspector audio")), "the sound can be heard");
  const heard = await page.locator(".inspector audio").evaluate(async (audio) => {
    audio.muted = true;
    await audio.play();
    return audio.duration;
  });
  check(Math.abs(heard - 1.5) < 0.01, `the creak takes ${heard} s`);
  await step("sound");
  await page.close();
  // What a mod changed: from the top bar to the door.
  const other = await open(browser, about.modded);
  await other.locator(".top a", { hasText: "1 file differs" }).click();
  await other.locator(".middle a", { hasText: about.world }).first().click();
  check(
    (await shows(other, ".middle", "Show in the scene")) && (await shows(other, ".middle", "rotation")),
    "the list leads to the differences",
  );
  await other.locator("a", { hasText: "Show in the scene" }).click();
  check(await shows(other, ".legend", "door01"), "and to the door in the world");
  if (about.pictures) await other.screenshot({ path: `${about.pictures}/${about.game}-mod.png` });
  await other.close();
  console.log(`  ${steps} steps and the mod`);
}
