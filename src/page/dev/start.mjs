// The page before something is opened, by mouse and keyboard: a folder is chosen, a path is typed, and what was opened
// before is opened again.
import { join } from "node:path";
import { serious } from "./access.mjs";
import { bundled, check, equal, until } from "./browser.mjs";

const MESSAGE = ".start-message";

async function begun(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  page.on("pageerror", (error) => check(false, `the start page throws: ${error.message}`));
  page.on("console", (message) => {
    // An error of the server is answered with 4xx, which Chromium logs; and for a moment nobody answers, while the
    // server begins to show what was chosen.
    if (message.type() === "error" && !/40\d|422|ERR_(SOCKET|CONNECTION)/.test(message.text()))
      check(false, `the start page says: ${message.text()}`);
  });
  await bundled(page);
  await page.goto(url);
  await page.locator(".start-parts h2").nth(1).waitFor();
  return page;
}

/** Waits until the page of a game is shown, and returns the name of what is opened. */
async function opened(page) {
  await page.waitForSelector("body[data-shown]", { timeout: 60000 });
  check(!page.url().includes("token"), "the token is not in the address");
  return page.evaluate(async () => {
    const headers = { "x-refit-token": localStorage.getItem("refit-token") };
    return (await (await fetch("api/opened", { headers })).json()).name;
  });
}

export async function start(browser, about) {
  const { urls, folder } = about.start;
  const says = (page, text) =>
    until(page, ([at, wanted]) => document.querySelector(at)?.textContent.includes(wanted), [MESSAGE, text]);
  const heading = (page, text) =>
    until(page, (wanted) => document.querySelectorAll(".start-parts h2")[1]?.innerText === wanted, text);
  const row = (page, name) => page.locator(".start-row", { hasText: name });
  const focused = (page) => page.evaluate(() => document.activeElement?.textContent ?? "");

  // 1. A folder is chosen, by the keyboard alone.
  let page = await begun(browser, urls[0]);
  check((await page.locator(".start-parts section").first().innerText()).includes("Nothing yet"), "nothing is known");
  check(await heading(page, folder), "the list begins where refit was started");
  await serious(page, "start");
  if (about.pictures) await page.screenshot({ path: `${about.pictures}/start-folder.png` });
  check((await row(page, /^GAME/).innerText()).includes("Game"), "a game is named as one");
  await row(page, /^GAME/).focus();
  await page.keyboard.press("Enter");
  check(await heading(page, join(folder, "GAME")), "a folder is entered");
  equal(await focused(page), "Open this game", "and its button has the focus");
  // Back, by the first row.
  await page.keyboard.press("Tab");
  check((await focused(page)).startsWith(".."), "the next row leads back");
  await page.keyboard.press("Enter");
  check(await heading(page, folder), "and goes there");
  // To the top and down again.
  await page.locator("button", { hasText: "Drives and folders" }).click();
  check(await heading(page, "Folders"), "the drives are shown");
  await row(page, /^\/$/).click();
  check(await heading(page, "/"), "and entered");
  const typed = page.locator("input[aria-label^=Path]");
  await typed.fill(join(folder, "GAME"));
  await typed.press("Enter");
  equal(await opened(page), "GAME", "the typed path is opened");
  await page.close();

  // 2. Another server knows it; a wrong path is said, and the page stays.
  page = await begun(browser, urls[1]);
  const before = page.locator(".start-parts section").first().locator(".start-row");
  equal(await before.count(), 1, "one game was opened before");
  const wrong = page.locator("input[aria-label^=Path]");
  await wrong.fill(join(folder, "nowhere"));
  await page.locator(".start-path button[type=submit]").click();
  check(await says(page, "nowhere: there is no such folder or file"), "a path that is not there is named");
  check(await page.locator(".start").isVisible(), "and the page stays");
  await row(page, /^HOSTILE/).click();
  check(await heading(page, join(folder, "HOSTILE")), "another folder is shown");
  await wrong.fill(join(folder, "nowhere", "zbd"));
  await wrong.press("Enter");
  await page.locator(`${MESSAGE} button`, { hasText: `Show ${folder}` }).click();
  check(await heading(page, folder), "the nearest folder is offered");
  await wrong.fill(join(folder, "nice.refitmod"));
  await wrong.press("Enter");
  check(await says(page, "Open its game first"), "a mod needs its game");
  await serious(page, "start with an error");
  // By the mouse: into the other game, and its button.
  await row(page, /^HOSTILE/).click();
  check(await heading(page, join(folder, "HOSTILE")), "the other game is entered");
  await page.locator(".start-open").click();
  equal(await opened(page), "HOSTILE", "and opened");
  await page.close();

  // 3. Both are known, the newest first; one click goes on.
  page = await begun(browser, urls[2]);
  const recent = await page.locator(".start-parts section").first().locator(".start-row").allInnerTexts();
  equal(recent.length, 2, `two were opened before: ${recent}`);
  check(recent[0].includes("HOSTILE") && recent[1].includes("GAME"), `the newest first: ${recent}`);
  if (about.pictures) await page.screenshot({ path: `${about.pictures}/start-recent.png` });
  await page.locator(".start-parts section").first().locator(".start-row").nth(1).click();
  equal(await opened(page), "GAME", "a game of before is opened again");

  // 4. The way back, by the mouse and by the keyboard, and another game at the same address.
  await page.locator("button[aria-label^='Other games and projects']").click();
  check(await heading(page, folder), "the start page is back");
  await page.locator(".start-parts section").first().locator(".start-row", { hasText: "HOSTILE" }).click();
  equal(await opened(page), "HOSTILE", "another game is opened");
  check(await until(page, () => document.querySelector(".brand").textContent.includes("HOSTILE")), "and shown");
  await page.keyboard.press("Shift+G");
  check(await heading(page, folder), "a key leads back, too");
  await page.close();
}
