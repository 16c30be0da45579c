// What is on the screen is loaded again after edits: one time after the other, never side by side.

/** What to load again. */
interface Wanted {
  /** The files that changed; null if it is not known which. */
  files: Set<number> | null;
  done: Promise<void>;
  finish: (result: Promise<void>) => void;
}

/**
 * Runs `work` for what was asked, one run at a time. What is asked for during a run is done together, in one run after
 * it: that one shows the newest state.
 */
export class Reloads {
  private running = false;
  private next: Wanted | null = null;

  /** Before each run, `ready` is waited for: what is asked for meanwhile is part of this run. */
  constructor(
    private readonly work: (files: Set<number> | null) => Promise<void>,
    private readonly ready: () => Promise<void>,
  ) {}

  /** Resolves once a run has ended that began after this call. */
  ask(files: Iterable<number> | null): Promise<void> {
    const { next } = this;
    if (next) {
      if (files && next.files) for (const file of files) next.files.add(file);
      else next.files = null;
      return next.done;
    }
    let finish: Wanted["finish"] = () => undefined;
    const done = new Promise<void>((resolve) => (finish = resolve));
    this.next = { files: files && new Set(files), done, finish };
    if (!this.running) void this.run();
    return done;
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.next) {
      await this.ready();
      const wanted = this.next;
      this.next = null;
      const result = this.work(wanted.files);
      await result.catch(() => undefined);
      wanted.finish(result);
    }
    this.running = false;
  }
}
