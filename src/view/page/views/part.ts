// What the views of single parts have in common.

export interface PartView {
  element: HTMLElement;
  show?(at: string | undefined): void;
  dispose?(): void;
}
