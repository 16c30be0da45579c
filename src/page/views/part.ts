// Shared parts of the views of single parts.

import { baseName } from "../dom";
import type { Part } from "../source";

export interface PartView {
  element: HTMLElement;
  show?(at: string | undefined): void;
  /** True if it has something that was not saved. */
  isDirty?(): boolean;
  /** True while a text is edited in it. */
  isEditing?(): boolean;
  dispose?(): void;
}

const KINDS_OF_NAMES = /\.(tif|tga|bmp|pcx|jpg|wav|flt)$/;

/** The picture or sound with a name, which the games write with or without an extension. */
export function partNamed(parts: Part[], name: string): Part | undefined {
  const plain = (text: string): string => text.toLowerCase().replace(KINDS_OF_NAMES, "");
  const own = (part: Part): string => plain(baseName(part.path).replace(/\.(png|wav|json)$/i, ""));
  return parts.find((part) => own(part) === plain(name)) ?? parts.find((part) => plain(part.path) === plain(name));
}
