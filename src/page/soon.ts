// Intermediate results of a question about all files.

import { count, h, plural } from "./dom";
import type { Soon, Source, Survey } from "./source";

/** How long until the first look, and between two looks, in milliseconds. */
const FIRST = 250;
const NEXT = 500;

const wait = (time: number): Promise<void> => new Promise((done) => window.setTimeout(done, time));

/** Shows results so far until the answer arrives or is no longer needed. A worker answers one question at a time. */
export function meanwhile(
  source: Source,
  answer: Promise<unknown>,
  question: "find" | "refs" | "findings",
  values: Record<string, string>,
  see: (soon: Soon & { progress: Survey }) => void,
  wanted: () => boolean,
): void {
  if (source.kind !== "server" || !source.soon) return;
  let isOver = false;
  const end = (): void => void (isOver = true);
  answer.then(end, end);
  const look = async (): Promise<void> => {
    for (let pause = FIRST; ; pause = NEXT) {
      await wait(pause);
      if (isOver || !wanted()) return;
      const soon = await source.soon?.(question, values).catch(() => null);
      if (isOver || !wanted()) return;
      if (soon?.progress) see({ ...soon, progress: soon.progress });
    }
  };
  void look();
}

export const surveyText = ({ done, of }: Survey): string => `${count(done)} of ${plural(of, "file")} read`;

/** How far a question is, as a bar and in words. */
export const surveyBar = (survey: Survey): HTMLElement =>
  h(
    "div",
    { class: "survey", title: survey.at },
    h("progress", { max: survey.of, value: survey.done, "aria-label": "Files read" }),
    h("small", { class: "quiet" }, surveyText(survey)),
  );
