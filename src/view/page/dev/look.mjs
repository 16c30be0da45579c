import { chromium } from "playwright-core";
const [url, out, hash, ...acts] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
const errors = [];
page.on("console", m => { if (m.type() === "error") errors.push(m.text()); });
page.on("pageerror", e => errors.push(String(e)));
await page.goto(url);
await page.waitForTimeout(1500);
if (hash) { await page.evaluate(h => { location.hash = h; }, hash); }
await page.waitForTimeout(6000);
await page.screenshot({ path: out });
console.log(JSON.stringify({ hash: await page.evaluate(() => location.hash), errors: errors.slice(0, 6), text: (await page.evaluate(() => document.body.innerText)).slice(0, 700) }));
await browser.close();
