// Shared parts of the views of single parts.

export interface PartView {
  element: HTMLElement;
  show?(at: string | undefined): void;
  dispose?(): void;
}
