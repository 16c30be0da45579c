// Models, 'mechs and motions in Blender.

import type { App } from "../app";
import { smallButton } from "../dom";

/** The member of a file with a shape, as refit exports it: a model or a 'mech. */
export const memberOf = (shape: { document?: string | null; mech?: string }): string | null =>
  shape.mech ?? shape.document?.replace(/\.(json|ron)$/, "") ?? null;

/** A button that opens a member in Blender. */
export function blenderButton(app: App, file: { path: string }, member: string | null): HTMLElement | null {
  const { edits } = app;
  if (!edits?.possible || !member) return null;
  return smallButton(
    "Open in Blender",
    "Writes it beside the project and opens it in Blender; what you save there comes back as an edit",
    () => void edits.openInBlender(file.path, member),
  );
}
