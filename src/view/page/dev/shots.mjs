// The pictures of README and book, of games made for them.
import { join } from "node:path";
import { api, go, open, scene } from "./browser.mjs";

export async function shots(browser, about) {
  const save = async (page, name) => {
    await page.waitForTimeout(700);
    await page.screenshot({ path: join(about.shots, `${name}.png`) });
  };
  const page = await open(browser, about.url);
  const { files } = await api(page, "opened");
  const of = (format) => files.find((file) => file.format === format && !/^(typical|broken)/.test(file.path)).path;
  if (about.game === "rc") {
    await go(page, about.world, { name: "house" });
    await scene(page);
    await save(page, "view-world");
    const light = await open(browser, about.url, { scheme: "light" });
    await go(light, of("messages"));
    await save(light, "view-messages");
  } else if (about.game === "mw") {
    await go(page, of("mechlib"));
    await scene(page);
    await save(page, "view-mech");
    await go(page, of("sounds"));
    await save(page, "view-sound");
  } else if (about.game === "pm") {
    await go(page, of("textures"), { view: "pictures", name: "bark" });
    await save(page, "view-texture");
  } else {
    const modded = await open(browser, about.modded);
    await go(modded, about.world, { name: "door01", mode: "changed" });
    await scene(modded);
    await save(modded, "view-changed");
  }
}
