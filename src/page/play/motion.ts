// Motions of 'mechs (src/workbench/play/motion.rs).

import { anglesOf, rowsOf, rowsOfQuaternion, scaledRows, type Pose } from "./pose";
import { doc, float, floats, list, nameText, type Doc, type V3 } from "./values";

export interface PartPose {
  name: string;
  translation: V3 | null;
  rows: number[] | null;
  scale: V3 | null;
}

/** Number of frames of a motion, without the closing one. */
export const frameCount = (motion: Doc): number => {
  for (const part of list(motion.parts).map(doc)) {
    for (const key of ["translations", "scales", "rotations"])
      if (Array.isArray(part[key])) return list(part[key]).length;
  }
  return 0;
};

/** Duration of one loop: its loop time, or one second per frame. */
export const motionLength = (motion: Doc): number => {
  const length = float(motion.loop_time);
  return length > 0 && Number.isFinite(length) ? length : frameCount(motion);
};

/** The parts of a motion at a time; it repeats after its length. */
export function mechPoses(motion: Doc, time: number): PartPose[] {
  const count = frameCount(motion);
  const length = motionLength(motion);
  const round = time / length;
  const whole = length > 0 ? (round - Math.floor(round)) * count : 0;
  const frame = Math.floor(whole);
  return list(motion.parts).map((part) => partAt(doc(part), frame, whole - frame));
}

/** The values of a frame and of the next one; the closing one is its own or the first again. */
function around(frames: unknown, last: unknown, frame: number): [number[], number[]] | null {
  if (!Array.isArray(frames)) return null;
  const now = (frames[frame] ?? last) as unknown;
  if (now === undefined || now === null) return null;
  return [floats(now), floats(frames[frame + 1] ?? last ?? frames[0] ?? now)];
}

function partAt(part: Doc, frame: number, share: number): PartPose {
  const last = doc(part.last);
  const mixed = (frames: unknown, end: unknown): V3 | null => {
    const pair = around(frames, end, frame);
    return pair && (pair[0].map((v, i) => v + (pair[1][i] - v) * share) as V3);
  };
  const turned = around(part.rotations, last.rotation, frame);
  return {
    name: nameText(part.name),
    translation: mixed(part.translations, last.translation),
    rows: turned && rowsOfQuaternion(slerp(turned[0], turned[1], share)),
    scale: mixed(part.scales, last.scale),
  };
}

/** Interpolates between two rotations along the shortest path. */
function slerp(a: number[], b: number[], share: number): number[] {
  const dot = a.reduce((sum, v, i) => sum + v * b[i], 0);
  const sign = dot < 0 ? -1 : 1;
  const angle = Math.acos(Math.min(1, Math.abs(dot)));
  const [from, to] =
    angle < 1e-6
      ? [1 - share, share]
      : [Math.sin((1 - share) * angle) / Math.sin(angle), Math.sin(share * angle) / Math.sin(angle)];
  return a.map((v, i) => v * from + b[i] * sign * to);
}

/** Places a node by a part. */
export function placePart(pose: Pose, part: PartPose): void {
  pose.translation = part.translation ?? pose.translation;
  pose.scale = part.scale ?? pose.scale;
  const turned = part.rows ?? rowsOf(pose.angles, [1, 1, 1]);
  pose.angles = anglesOf(turned);
  pose.rows = scaledRows(turned, pose.scale);
}
