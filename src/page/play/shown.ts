// Which events can be played, and why others cannot. Keep in sync with src/workbench/play/shown.rs.

import { doc, type Doc } from "./values";

const NEVER: Record<string, string> = {
  EFFECT: "the game makes effects of effects.zrd",
  OBJECT_CONNECTOR: "how the game stretches objects between points is not known",
  CALL_OBJECT_CONNECTOR: "how the game stretches objects between points is not known",
  CAMERA_STATE: "the page has its own camera",
  CAMERA_FROM_TO: "the page has its own camera",
  CALLBACK: "the game's code decides what happens",
  FBFX_CSINWAVE_FROM_TO: "how the wave bends the picture is not known",
  SHOW_MESSAGE: "the message is not shown",
  DETONATE_WEAPON: "the game makes explosions",
  PUFFER_STATE: "the game makes smoke and fire, at random",
  SOUND_ADJUST: "its values are not known",
  RAW: "the event is not known",
};

/** Why the page does not show an event; null for one that it shows. */
export function whyNot(kind: string, body: Doc): string | null {
  if (NEVER[kind]) return NEVER[kind];
  if (kind === "OBJECT_MOTION_FROM_TO" && body.morph) return "the scene has no morphs";
  return kind === "OBJECT_MOTION" ? flight(body) : null;
}

/** The reason why a motion is not shown: its start or end depends on the running game. */
function flight(motion: Doc): string | null {
  const given = (key: string): boolean => motion[key] !== undefined && motion[key] !== null;
  const free = motion.gravity_no_altitude === true && given("run_time") && given("translation");
  if (given("translation_range_min") || given("translation_range_max")) return "the game launches it at random";
  if (motion.impact_force === true) return "it flies off in the direction of what hit it";
  if (given("forward_rotation_distance") || given("forward_rotation_time"))
    return "how it rolls in the direction of its movement is not known";
  if (given("gravity") && (motion.gravity_complex === true || motion.gravity_do_intersections === true || !free))
    return "it falls until it meets the ground";
  return given("morph") ? "the scene has no morphs" : null;
}

/** The kind and the body of an event. */
export function eventOf(event: unknown): { kind: string; body: Doc; clock: string; time: unknown } {
  const of = doc(event);
  const kind = Object.keys(of).find((key) => key !== "at" && key !== "pad" && key !== "extra") ?? "";
  const at = Array.isArray(of.at) ? of.at : null;
  const body = of[kind];
  return {
    kind,
    body: Array.isArray(body) ? { items: body } : doc(body),
    clock: at && typeof at[0] === "string" ? at[0] : at ? "" : "ANIMATION",
    time: at ? at[1] : 0,
  };
}
