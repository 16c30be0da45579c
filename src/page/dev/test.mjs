// Tries the page in a real Chromium: node dev/test.mjs '{"url": …, "chromium": …}'. Run by `cargo xtask browser`.
import { access } from "./access.mjs";
import { animated } from "./animated.mjs";
import { api, check, launch, open, outcome } from "./browser.mjs";
import { edits } from "./edits.mjs";
import { evenings } from "./evenings.mjs";
import { figures } from "./figures.mjs";
import { formats } from "./formats.mjs";
import { appearing, damaged, hostile, live, modded, tokens } from "./live.mjs";
import { names } from "./names.mjs";
import { renewed } from "./renewed.mjs";
import { scenes } from "./scenes.mjs";
import { shots } from "./shots.mjs";
import { start } from "./start.mjs";
import { story } from "./story.mjs";

const about = JSON.parse(process.argv[2]);
about.pictures ??= process.env.PICTURES;
const browser = await launch(about.chromium);
// Damaged files are answered with an error, which Chromium logs to the console.
const expected = (text) => text.includes("422");
const page = await open(browser, about.url, { expected });
const { files } = await api(page, "opened");
about.other = files.find((file) => file.format === "messages")?.path ?? files[0].path;

const suites = about.large
  ? { figures: () => figures(page, about) }
  : about.shots
    ? { shots: () => shots(browser, about) }
    : {
        formats: () => formats(page, about),
        scenes: () => scenes(page, about),
        names: () => names(page, about),
        story: () => story(browser, about),
        damaged: () => damaged(page),
        hostile: () => hostile(browser, about),
        modded: () => modded(browser, about),
        access: () => access(browser, about),
        live: () => live(page, about, browser),
        appearing: () => appearing(page, about),
        tokens: () => tokens(browser, page, about),
        edits: () => edits(browser, about),
        renewed: () => renewed(browser, about),
        animated: () => animated(browser, about),
        evenings: () => evenings(browser, about),
        start: () => start(browser, about),
      };
for (const [name, run] of Object.entries(suites)) {
  if (about.only && about.only !== name) continue;
  const before = Date.now();
  try {
    await run();
  } catch (error) {
    check(false, `${name} ended: ${error.stack ?? error}`);
  }
  console.log(`${name}: ${((Date.now() - before) / 1000).toFixed(1)} s`);
}
await browser.close();
const { failures, checks } = outcome();
console.log(failures ? `${failures} of ${checks} checks failed` : `passed: ${checks} checks`);
process.exitCode = failures ? 1 : 0;
