// Lists of any length: only the rows on the screen are elements.

import { h, newId } from "./dom";

/** How a row was chosen: alone, besides others (Ctrl), or with all from the last one on (Shift). */
export type Choice = "one" | "toggle" | "range";

const choiceOf = (event: MouseEvent | KeyboardEvent): Choice =>
  event.shiftKey ? "range" : event.ctrlKey || event.metaKey ? "toggle" : "one";

export interface ListOptions<T> {
  label: string;
  rowHeight?: number;
  role?: "listbox" | "tree" | "table" | "none";
  className?: string;
  /** Fills a row, which is empty and already placed. */
  render: (row: HTMLElement, item: T, index: number) => void;
  /** A row was chosen by click or arrow keys. */
  onselect?: (item: T, index: number, how: Choice) => void;
  /** True for further rows that are selected; then several can be. */
  marks?: (item: T) => boolean;
  /** A row was double-clicked, or Enter was pressed. */
  onopen?: (item: T, index: number) => void;
  /** True for a row that the keyboard passes over. */
  skips?: (item: T) => boolean;
  onkey?: (event: KeyboardEvent, item: T | undefined, index: number) => boolean;
  empty?: string;
}

export class VirtualList<T> {
  readonly element: HTMLElement;
  items: T[] = [];
  selected = -1;
  /** In pixels, for all rows; shown with the next `set`. */
  rowHeight: number;
  private readonly spacer: HTMLElement;
  private readonly blank: HTMLElement;
  private readonly rows = new Map<number, HTMLElement>();
  private readonly prefix = newId("row");
  private readonly observer: ResizeObserver;
  /** A row to scroll to once the list is on the screen. */
  private pending = -1;

  constructor(private readonly options: ListOptions<T>) {
    this.rowHeight = options.rowHeight ?? 22;
    const role = options.role ?? "listbox";
    this.spacer = h("div", { class: "virtual-spacer" });
    if (role !== "none") this.spacer.setAttribute("role", "presentation");
    this.blank = h("div", { class: "virtual-empty", hidden: true }, options.empty ?? "Nothing here.");
    this.element = h("div", {
      class: `virtual ${options.className ?? ""}`,
      tabIndex: 0,
      "aria-label": options.label,
      onscroll: () => this.draw(),
      onkeydown: (event: KeyboardEvent) => this.key(event),
    });
    this.element.setAttribute("role", role === "none" ? "region" : role);
    if (role === "table" || role === "none")
      this.spacer.setAttribute("role", role === "table" ? "rowgroup" : "presentation");
    if (options.marks) this.element.setAttribute("aria-multiselectable", "true");
    this.element.append(this.spacer);
    this.observer = new ResizeObserver(() => {
      if (this.pending >= 0 && this.element.clientHeight) this.reveal(this.pending);
      else this.draw();
    });
    this.observer.observe(this.element);
  }

  /** The message for an empty list; put it next to `element`. */
  get emptyMessage(): HTMLElement {
    return this.blank;
  }

  private get rowRole(): string | null {
    switch (this.options.role ?? "listbox") {
      case "listbox":
        return "option";
      case "tree":
        return "treeitem";
      case "table":
        return "row";
      default:
        return null;
    }
  }

  set(items: T[], keep = false): void {
    this.items = items;
    if (!keep) {
      this.selected = -1;
      this.element.scrollTop = 0;
    } else if (this.selected >= items.length) {
      this.selected = -1;
    }
    this.refresh();
  }

  refresh(): void {
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.spacer.style.height = `${this.items.length * this.rowHeight}px`;
    this.blank.hidden = this.items.length > 0;
    this.element.classList.toggle("is-empty", this.items.length === 0);
    // A list without options is not a listbox for assistive software.
    if (this.rowRole && this.options.role !== "table") {
      this.element.setAttribute("role", this.items.length ? (this.options.role ?? "listbox") : "region");
    }
    this.draw();
  }

  private draw(): void {
    const top = this.element.scrollTop;
    const height = this.element.clientHeight;
    const first = Math.max(0, Math.floor(top / this.rowHeight) - 4);
    const last = Math.min(this.items.length, Math.ceil((top + height) / this.rowHeight) + 4);
    for (const [index, row] of this.rows) {
      if (index < first || index >= last) {
        row.remove();
        this.rows.delete(index);
      }
    }
    for (let index = first; index < last; index++) {
      if (this.rows.has(index)) continue;
      const row = h("div", { class: "virtual-row", id: `${this.prefix}-${index}` });
      const role = this.rowRole;
      if (role) row.setAttribute("role", role);
      if (role === "option" || role === "treeitem") {
        row.setAttribute("aria-setsize", String(this.items.length));
        row.setAttribute("aria-posinset", String(index + 1));
        row.setAttribute("aria-selected", String(this.isMarked(index)));
      }
      row.style.top = `${index * this.rowHeight}px`;
      row.style.height = `${this.rowHeight}px`;
      if (this.options.onselect || this.options.onopen) {
        row.addEventListener("click", (event) => this.select(index, true, choiceOf(event)));
        row.addEventListener("dblclick", () => this.options.onopen?.(this.items[index], index));
      }
      row.classList.toggle("selected", this.isMarked(index));
      this.options.render(row, this.items[index], index);
      this.rows.set(index, row);
      this.spacer.append(row);
    }
    const active = this.rows.get(this.selected);
    if (active && this.rowRole && this.options.role !== "table") {
      this.element.setAttribute("aria-activedescendant", active.id);
    } else this.element.removeAttribute("aria-activedescendant");
  }

  private isMarked(index: number): boolean {
    return index === this.selected || (this.options.marks?.(this.items[index]) ?? false);
  }

  select(index: number, tell = false, how: Choice = "one"): void {
    const before = this.rows.get(this.selected);
    before?.classList.remove("selected");
    if (before?.hasAttribute("aria-selected")) before.setAttribute("aria-selected", "false");
    this.selected = index;
    const now = this.rows.get(index);
    now?.classList.add("selected");
    if (now?.hasAttribute("aria-selected")) now.setAttribute("aria-selected", "true");
    if (now && this.options.role !== "table" && this.rowRole)
      this.element.setAttribute("aria-activedescendant", now.id);
    if (tell && index >= 0 && index < this.items.length) this.options.onselect?.(this.items[index], index, how);
  }

  /** Scrolls a row into view, in the middle if it was out of sight. */
  reveal(index: number): void {
    const top = index * this.rowHeight;
    const view = this.element;
    this.pending = view.clientHeight ? -1 : index;
    if (top < view.scrollTop || top + this.rowHeight > view.scrollTop + view.clientHeight) {
      view.scrollTop = Math.max(0, top - view.clientHeight / 2);
    }
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    if (event.target !== this.element || event.altKey || event.ctrlKey || event.metaKey) return;
    if (this.options.onkey?.(event, this.items[this.selected], this.selected)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (!this.options.onselect && !this.options.onopen) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight) - 1);
    const moves: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -1e9,
      End: 1e9,
    };
    if (event.key in moves) {
      if (!this.items.length) return;
      const last = this.items.length - 1;
      let next = Math.max(0, Math.min(last, this.selected + moves[event.key]));
      const step = Math.sign(moves[event.key]);
      while (this.options.skips?.(this.items[next]) && next + step >= 0 && next + step <= last) next += step;
      if (this.options.skips?.(this.items[next])) return;
      this.select(next, true, this.options.marks ? choiceOf(event) : "one");
      this.reveal(next);
    } else if (event.key === "Enter" && this.selected >= 0) {
      this.options.onopen?.(this.items[this.selected], this.selected);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
