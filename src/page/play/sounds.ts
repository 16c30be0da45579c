// Finds the sound file of a sample, and plays it.

import type { App } from "../app";

const found = new Map<string, Promise<string | null>>();

/** The URL of a sample's file, or null if it is unknown. */
export function soundUrl(app: App, sample: string): Promise<string | null> {
  let url = found.get(sample);
  if (!url) found.set(sample, (url = look(app, sample).catch(() => null)));
  return url;
}

async function look(app: App, sample: string): Promise<string | null> {
  const banks = app.opened.files.filter((file) => file.format === "sounds");
  const names = new Set([sample.toLowerCase(), `${sample.toLowerCase()}.wav`]);
  const { defines } = await app.source.refs("sound", sample);
  for (const place of defines) {
    if (place.file === null || place.file === undefined || !place.document || !place.at) continue;
    // A sample of sounds.zrd is a list: its name, then its file.
    const text = await (await app.source.part(place.file, place.document)).text();
    let value: unknown = JSON.parse(text);
    for (const step of place.at
      .replace(/\[\d+\]$/, "")
      .split(/[.[\]]+/)
      .filter(Boolean))
      value = (value as Record<string, unknown> | undefined)?.[step];
    for (const item of Array.isArray(value) ? value : [])
      if (typeof item === "string" && /\.wav$/i.test(item)) names.add(item.toLowerCase());
  }
  for (const bank of banks) {
    const { parts } = await app.source.tree(bank.number);
    const part = parts.find(
      (each) => each.kind === "sound" && names.has(each.path.slice(each.path.lastIndexOf("/") + 1).toLowerCase()),
    );
    if (part) return app.source.partUrl(bank.number, part.path);
  }
  return null;
}
