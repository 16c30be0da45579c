// Screenshots: node dev/shot.mjs URL NAME [HASH [SCHEME]]…   (development only)
import { chromium } from "playwright-core";
const [url, out, hash = "", scheme = "dark", script = ""] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: scheme });
page.on("console", (message) => console.log(message.type(), message.text()));
page.on("pageerror", (error) => console.log("ERROR", error.message));
await page.goto(url + hash);
await page.waitForSelector("body[data-shown]", { timeout: 20000 }).catch(() => console.log("never shown"));
if (script) await page.evaluate(script);
await page.waitForTimeout(2500);
await page.screenshot({ path: out });
console.log(JSON.stringify(await page.evaluate(() => window.refitScene?.stats ?? null)));
await browser.close();
