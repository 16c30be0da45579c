// State that the parts of the page share: what was opened, the current place, and the inspector.

import type { Edits } from "./edit/edits";
import type { Differences, Findings, Opened, OpenedFile, Source, Status } from "./source";
import { formatRoute, parseRoute, type Route } from "./route";

export interface Inspected {
  title: string;
  kind: string;
  sections: { title: string; body: HTMLElement | Promise<HTMLElement | null> }[];
}

/** A view in the middle of the page. */
export interface View {
  element: HTMLElement;
  /** Elements for the left side, such as the tree of nodes. */
  side?: { title: string; element: HTMLElement };
  /** Shows another place of the same file; returns false if the view must be rebuilt. */
  goTo?(route: Route): boolean;
  /** True while a text is edited in it: it is not replaced when the file changes on disk. */
  isEditing?(): boolean;
  /** True if a text in it is not saved: a person is asked before another view takes its place. */
  isDirty?(): boolean;
  /** True while something is dragged: then nothing is loaded again. */
  isDragging?(): boolean;
  /** True if it shows one of these files beside its own, such as the world of an animation. */
  shows?(files: Set<number>): boolean;
  /**
   * Shows what changed in the file, and keeps what a person has chosen; false if the view must be made again. The
   * textures stay if only this file changed.
   */
  renew?(keepsTextures: boolean): Promise<boolean>;
  /** What to show again after the file changed on disk. */
  remember?(): Partial<Route>;
  dispose?(): void;
}

/** How a file is called in lists: its title, and what stands beside or below it. */
export interface Label {
  title: string;
  more: string;
}

export class App {
  private files!: Opened;
  private labels = new Map<number, Label>();
  /** Why files cannot be read, as far as that is known. */
  readonly damaged = new Map<number, string>();
  status: Status = {};
  findings: Findings | null = null;
  /** The files that differ from the other side of the comparison. */
  differences: Differences | null = null;
  route: Route;
  readonly listeners = new Set<(reason: string) => void>();
  /** The part to explain once the requested file is loaded, instead of the view itself. */
  afterShow: { file: string; run: () => void } | null = null;
  inspect: (what: Inspected | null) => void = () => undefined;
  /** What the inspector shows. */
  inspected: Inspected | null = null;
  fail: (what: string, error: unknown) => void = () => undefined;
  /** Shows sentences that need no answer. */
  note: (what: string, lines: string[]) => void = () => undefined;
  /** What can be edited; null where the back end only reads. */
  edits: Edits | null = null;
  /** Until what the page itself edited is shown. */
  reloading: Promise<void> | null = null;
  private navigate: (route: Route) => void = () => undefined;
  /** The address that `route` was read from, or written to. */
  private address = location.hash;

  constructor(readonly source: Source) {
    this.route = parseRoute(location.hash);
  }

  get opened(): Opened {
    return this.files;
  }

  set opened(opened: Opened) {
    this.files = opened;
    this.damaged.clear();
    for (const file of opened.files) if (file.why) this.damaged.set(file.number, file.why);
    this.labels = labelsOf(opened.files);
  }

  label(file: OpenedFile): Label {
    return this.labels.get(file.number) ?? { title: file.path, more: "" };
  }

  start(navigate: (route: Route) => void): void {
    this.navigate = navigate;
    window.addEventListener("hashchange", () => {
      this.address = location.hash;
      this.route = parseRoute(this.address);
      navigate(this.route);
    });
  }

  /** Goes to a place, as a new entry of the history. */
  go(route: Route): void {
    const text = formatRoute(route);
    if (text === location.hash) this.navigate(this.route);
    else location.hash = text;
  }

  /** Changes the address without a new entry of the history. */
  replace(change: Partial<Route>): void {
    // A link was followed and its event is pending: do not overwrite its address.
    if (location.hash !== this.address) return;
    this.show({ ...this.route, ...change });
  }

  /** Replaces the address. */
  show(route: Route): void {
    this.route = route;
    history.replaceState(null, "", formatRoute(route));
    this.address = location.hash;
  }

  href(route: Route): string {
    return formatRoute(route);
  }

  /** Explains the pending part; false if there is none, or if another file was requested in the meantime. */
  takeAfterShow(): boolean {
    const after = this.afterShow;
    this.afterShow = null;
    if (after?.file !== this.route.file) return false;
    after.run();
    return true;
  }

  tell(reason: string): void {
    for (const listener of this.listeners) listener(reason);
  }

  byPath(path: string): OpenedFile | undefined {
    return this.opened.files.find((file) => file.path === path);
  }

  byNumber(n: number | null | undefined): OpenedFile | undefined {
    return n === null || n === undefined ? undefined : this.opened.files.find((file) => file.number === n);
  }
}

/** Icon of a file's format. */
export function formatIcon(format: string | null | undefined): string {
  switch (format) {
    case "gamez":
      return "world";
    case "planes":
    case "mechlib":
    case "aircraft":
      return "model";
    case "textures":
    case "livery":
    case "paa":
      return "picture";
    case "sounds":
      return "sound";
    case "messages":
      return "message";
    case "anim":
    case "motion":
      return "anim";
    case "reader":
      return "list";
    case "archive":
    case "rof":
    case "pbo":
      return "archive";
    case "interp":
      return "script";
    case "zrd_binary":
    case "zrd_text":
    case "rap":
      return "text";
    case "savegame":
      return "save";
    case "bikey":
      return "key";
    default:
      return "bytes";
  }
}

/** The role of a file without the words of its group: "world of mission c1" in c1 is "world". */
export function shortRole(file: OpenedFile): string {
  const role = file.role ?? "";
  const endings = [
    " of the whole game",
    ...(file.group ? [` of mission ${file.group}`, ` of world ${file.group}`, ` ${file.group}`] : []),
  ];
  const ending = endings.find((each) => role.endsWith(each));
  return ending ? role.slice(0, -ending.length) : role;
}

/**
 * A role is a title only where one file of its group has it: 2,000 rows called "addon" tell nothing. Otherwise the
 * title is what the file calls itself, or its name.
 */
function labelsOf(files: OpenedFile[]): Map<number, Label> {
  const key = (file: OpenedFile): string => `${file.group ?? ""}\n${shortRole(file)}`;
  const roles = new Map<string, number>();
  for (const file of files) roles.set(key(file), (roles.get(key(file)) ?? 0) + 1);
  return new Map(
    files.map((file) => {
      const name = file.path.slice(file.path.lastIndexOf("/") + 1);
      const role = roles.get(key(file)) === 1 ? shortRole(file) : "";
      const title = role || file.title || name;
      return [file.number, { title, more: title === name ? "" : name }];
    }),
  );
}

/** Groups: missions first, shared files last. */
export function byMission<T>(groups: Map<string, T>): Map<string, T> {
  const order = [...groups].sort(([a], [b]) => Number(!a) - Number(!b) || a.localeCompare(b, "en", { numeric: true }));
  return new Map(order);
}

export const SEVERITIES = ["refuses", "crashes", "crash", "ignores", "differs", "unusual", "note"];

export const severityRank = (severity: string): number => {
  const at = SEVERITIES.indexOf(severity);
  return at < 0 ? SEVERITIES.length : at;
};

export const severityClass = (severity: string): string =>
  ["refuses", "crashes", "crash"].includes(severity)
    ? "bad"
    : ["ignores", "differs"].includes(severity)
      ? "warn"
      : "mild";
