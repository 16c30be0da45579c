// The edits of the page: what can be edited, the history, and the requests.

import { h, plural } from "../dom";
import type { Built, Edit, Edited, EditState, Restored, Source } from "../source";

/** How long after an edit the next one may still come at once, in milliseconds. */
const BUSY = 800;

/** For so many milliseconds after an edit, a change on disk is that edit: the word about it stays. */
const OWN = 6000;

const NONE: EditState = { editable: false, why: "this page only shows", can_undo: false, can_redo: 0, edits: [] };

/** What edits need of the page that shows them. */
export interface EditedPage {
  readonly source: Source;
  /** Until what the page itself edited is shown. */
  readonly reloading: Promise<void> | null;
  fail(what: string, error: unknown): void;
  /** Shows sentences that need no answer. */
  note(what: string, lines: string[]): void;
  tell(reason: string): void;
}

export class Edits {
  state: EditState = NONE;
  /** When the last edit was made. */
  private madeAt = -Infinity;
  /** The edit that is being made: the next one waits. */
  private turn: Promise<unknown> = Promise.resolve();
  /** How many edits are being made, or wait. */
  private making = 0;
  /** How many edits were begun that the page may show before they are answered. */
  made = 0;
  private unanswered = 0;
  private readonly waiting: (() => void)[] = [];
  /** Looks for what is saved in Blender. */
  private listening = 0;
  /** True while it looks. */
  private looking = false;

  constructor(
    private readonly app: EditedPage,
    private readonly say: (text: string) => void,
  ) {}

  /** True if something can be edited, after the first edit has asked for a project. */
  get possible(): boolean {
    return this.state.editable || Boolean(this.state.proposal);
  }

  /** Asks what can be edited, and tells those who listen. */
  async refresh(): Promise<void> {
    const { source } = this.app;
    if (!source.edits) return;
    try {
      this.state = await source.edits();
    } catch {
      this.state = NONE;
    }
    if (this.state.blender?.length && !this.listening) {
      this.listening = window.setInterval(() => void this.takeFromBlender(), 1000);
      // A browser wakes hidden pages rarely.
      document.addEventListener("visibilitychange", () => void this.takeFromBlender());
    }
    this.app.tell("edits");
  }

  /** Makes an edit. Returns null after an error, which is shown. */
  make(edit: Edit): Promise<Edited | null> {
    const hasFile =
      ["picture", "sound", "gltf", "member"].includes(edit.do) || (edit.do === "world" && edit.change.do === "add");
    const hasText = edit.do === "text" || edit.do === "definition";
    const address = hasText ? "edit/text" : hasFile ? "edit/file" : "edit";
    this.made++;
    const work = async (): Promise<Edited | null> => {
      if (!this.state.editable && !(await this.begin())) return null;
      return (await this.app.source.post?.<Edited>(address, edit)) ?? null;
    };
    return this.run("The edit was not made", work);
  }

  /** Resolves once the server has answered all edits that were begun. */
  answered(): Promise<void> {
    return this.unanswered ? new Promise((done) => this.waiting.push(done)) : Promise.resolve();
  }

  /** Asks for a project if there is none; true if something can be edited now. */
  async ready(): Promise<boolean> {
    return this.state.editable || this.begin();
  }

  /** Writes a member as glTF and opens it in Blender. What is saved there is an edit, while this page is open. */
  async openInBlender(file: string, member: string): Promise<void> {
    try {
      if (!(await this.ready())) return;
      const body = { file, member };
      const done = await this.app.source.post?.<{ path: string; started: boolean }>("blender", body);
      await this.refresh();
      if (done?.started) this.say(`${member} is in Blender: what you save there comes back`);
      else if (done)
        this.app.note("Blender was not found", [
          `Open ${done.path} in a program that reads glTF, and save it there: while this page is open, it comes back.`,
        ]);
    } catch (error) {
      this.app.fail("Nothing was opened in Blender", error);
    }
  }

  private async takeFromBlender(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    await this.run("What was saved in Blender is not taken back", async () => {
      const done = await this.app.source.post?.<Edited>("blender/take", {});
      return done?.number ? done : null;
    });
    this.looking = false;
  }

  /** True if what changes on disk is most likely an edit of this page, which is said already. */
  get isRecent(): boolean {
    return this.making > 0 || performance.now() - this.madeAt < OWN;
  }

  /** Waits until nobody edits: what takes the server long would make the next edit wait. */
  async calm(): Promise<void> {
    while (this.making || performance.now() - this.madeAt < BUSY)
      await new Promise((done) => window.setTimeout(done, 100));
  }

  /** Says what was done. */
  tell(text: string): void {
    this.say(text);
  }

  undo(): Promise<Edited | null> {
    return this.run("Nothing was undone", async () => this.app.source.post?.<Edited>("undo", {}) ?? null);
  }

  redo(): Promise<Edited | null> {
    return this.run("Nothing was made again", async () => this.app.source.post?.<Edited>("redo", {}) ?? null);
  }

  revert(number: number): Promise<Edited | null> {
    return this.run(
      "The edit was not taken back",
      async () => this.app.source.post?.<Edited>("revert", { number }) ?? null,
    );
  }

  /** Puts the edited files into the game. */
  async build(): Promise<Built | null> {
    try {
      this.say("Putting the edited files into the game…");
      const built = (await this.app.source.post?.<Built>("build", {})) ?? null;
      await this.refresh();
      const n = (built?.built.length ?? 0) + (built?.restored.length ?? 0);
      this.say(n ? `${plural(n, "file")} of the game written` : "The game has everything already");
      if (built?.notes.length) {
        const unsigned = built.notes.some((note) => note.startsWith("signature "));
        const hint = unsigned ? ["The Summary of an addon has a form that signs it again."] : [];
        this.app.note("The edits are in the game. Note:", [...built.notes, ...hint]);
      }
      return built;
    } catch (error) {
      this.say("");
      this.app.fail("Nothing was put into the game", error);
      return null;
    }
  }

  /** Puts the originals back into the game. */
  async restore(): Promise<Restored | null> {
    try {
      const done = (await this.app.source.post?.<Restored>("restore", {})) ?? null;
      await this.refresh();
      const n = (done?.restored.length ?? 0) + (done?.removed.length ?? 0);
      this.say(n ? `${plural(n, "file")} of the game restored` : "The game is as it was");
      if (done?.notes.length) this.app.note("The edits are out of the game. Note:", done.notes);
      return done;
    } catch (error) {
      this.app.fail("Nothing was taken out of the game", error);
      return null;
    }
  }

  private run(what: string, work: () => Promise<Edited | null>): Promise<Edited | null> {
    this.making++;
    this.unanswered++;
    const mine = this.turn.then(async () => {
      let done: Edited | null = null;
      let listed: Promise<void> | undefined;
      try {
        done = await work();
        if (done) {
          this.madeAt = performance.now();
          // What is shown need not wait for the list of edits.
          listed = this.refresh();
          this.say(done.label);
          const found = done.brought_in.map((each) => `${each.severity}: ${each.at} ${each.message} [${each.code}]`);
          if (found.length || done.notes.length) this.app.note("The edit was made. Note:", [...found, ...done.notes]);
          if (done.changed.length) this.app.tell("edited");
        }
      } catch (error) {
        this.app.fail(what, error);
      }
      // Only now, when the page was told what to load: what the watch heard meanwhile is the same reload.
      if (!--this.unanswered) for (const go of this.waiting.splice(0)) go();
      await listed;
      this.making--;
      return done;
    });
    this.turn = mine;
    // The next edit need not wait until this one is shown.
    return mine.then(async (done) => {
      await this.app.reloading;
      return done;
    });
  }

  /** Asks where the project shall be, once. */
  private begin(): Promise<boolean> {
    const { proposal, why } = this.state;
    if (!proposal) {
      this.app.fail("This cannot be edited", new Error(why ?? "this page only shows"));
      return Promise.resolve(false);
    }
    return new Promise((done) => {
      let made = false;
      const place = h("input", {
        type: "text",
        value: proposal,
        class: "wide",
        required: true,
        spellcheck: false,
        "aria-label": "Folder",
      });
      const wrong = h("p", { class: "bad-text", role: "alert" });
      const dialog = h(
        "dialog",
        {
          class: "ask",
          "aria-labelledby": "begin-title",
          onclose: () => {
            dialog.remove();
            done(made);
          },
        },
        h("h2", { id: "begin-title" }, "Where shall your project be?"),
        h(
          "p",
          null,
          "Your edits are texts in a folder of their own. The game stays as it is until you choose ",
          h("b", null, "Put into the game"),
          ".",
        ),
        h(
          "form",
          {
            onsubmit: async (event: Event) => {
              event.preventDefault();
              try {
                await this.app.source.post?.("begin", { project: place.value.trim() });
                made = true;
                await this.refresh();
                dialog.close();
              } catch (error) {
                wrong.textContent = error instanceof Error ? error.message : String(error);
              }
            },
          },
          place,
          wrong,
          h(
            "div",
            { class: "actions" },
            h("button", { type: "submit", class: "button primary" }, "Make the project"),
            h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Cancel"),
          ),
        ),
      );
      document.body.append(dialog);
      dialog.showModal();
      place.select();
      // The end of a long path is what a person may want to change.
      place.scrollLeft = place.scrollWidth;
    });
  }
}

/** Bytes as base64. */
export async function base64(file: Blob): Promise<string> {
  const data = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < data.length; at += 0x8000) text += String.fromCharCode(...data.subarray(at, at + 0x8000));
  return btoa(text);
}
