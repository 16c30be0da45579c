// Positions and rotations: the same computations as in src/workbench/play/pose.rs.

import { doc, floats, list, word, type Doc, type V3 } from "./values";

export interface Pose {
  translation: V3;
  /** Angles about x, y, z in radians. */
  angles: V3;
  scale: V3;
  /** Images of the axes x, y and z. */
  rows: number[];
}

export const clonePose = (pose: Pose): Pose => ({
  translation: [...pose.translation],
  angles: [...pose.angles],
  scale: [...pose.scale],
  rows: [...pose.rows],
});

const f = Math.fround;

/** The game's own matrix of angles and factors, with its rounding. */
export function rowsOf(angles: V3, scale: V3): number[] {
  const [rx, ry, rz] = angles.map(f);
  const [kx, ky, kz] = scale.map(f);
  const [sx, cx, sy, cy, sz, cz] = [
    f(Math.sin(rx)),
    f(Math.cos(rx)),
    f(Math.sin(ry)),
    f(Math.cos(ry)),
    f(Math.sin(rz)),
    f(Math.cos(rz)),
  ];
  const by = (value: number, k: number): number => (k === 1 ? value : f(value * k));
  const both = (a: number, b: number, c: number, d: number): number => f(f(f(a) * b) + f(c * d));
  return [
    by(both(f(sy * sx), sz, cy, cz), kx),
    by(f(cx * sz), kx),
    by(f(f(f(cy * sx) * sz) - f(sy * cz)), kx),
    by(f(f(f(sy * sx) * cz) - f(cy * sz)), ky),
    by(f(cx * cz), ky),
    by(both(f(cy * sx), cz, sy, sz), ky),
    by(f(sy * cx), kz),
    by(-sx, kz),
    by(f(cy * cx), kz),
  ];
}

export function turn(pose: Pose, angles: V3): void {
  pose.angles = angles;
  pose.rows = rowsOf(angles, pose.scale);
}

export function grow(pose: Pose, scale: V3): void {
  pose.scale = scale;
  pose.rows = rowsOf(pose.angles, scale);
}

type Quaternion = [number, number, number, number];

/** The rotation by a vector of half angles: w, x, y, z. */
function exp([x, y, z]: V3): Quaternion {
  const angle = Math.sqrt(x * x + y * y + z * z);
  if (angle === 0) return [1, 0, 0, 0];
  const k = Math.sin(angle) / angle;
  return [Math.cos(angle), x * k, y * k, z * k];
}

/** First `b`, then `a`. */
const times = ([a, b, c, d]: Quaternion, [e, f, g, h]: Quaternion): Quaternion => [
  a * e - b * f - c * g - d * h,
  a * f + b * e + c * h - d * g,
  a * g - b * h + c * e + d * f,
  a * h + b * g - c * f + d * e,
];

export function rowsOfQuaternion(q: number[]): number[] | null {
  const length = Math.sqrt(q.reduce((sum, v) => sum + v * v, 0));
  if (!(Number.isFinite(length) && length > 1e-12)) return null;
  const [w, x, y, z] = q.map((v) => v / length);
  return [
    1 - 2 * (y * y + z * z),
    2 * (x * y + w * z),
    2 * (x * z - w * y),
    2 * (x * y - w * z),
    1 - 2 * (x * x + z * z),
    2 * (y * z + w * x),
    2 * (x * z + w * y),
    2 * (y * z - w * x),
    1 - 2 * (x * x + y * y),
  ];
}

/** The angles whose rotation has these rows: about z, then x, then y. */
export const anglesOf = (rows: number[]): V3 => [
  Math.asin(Math.max(-1, Math.min(1, -rows[7]))),
  Math.atan2(rows[6], rows[8]),
  Math.atan2(rows[1], rows[4]),
];

export const scaledRows = (rows: number[], scale: V3): number[] =>
  rows.map((value, i) => value * scale[Math.floor(i / 3)]);

function face(pose: Pose, q: Quaternion): void {
  const turned = rowsOfQuaternion(q);
  if (!turned) return;
  pose.angles = anglesOf(turned);
  pose.rows = scaledRows(turned, pose.scale);
}

/** For each axis, the value and three coefficients in ascending powers. */
const cubic = (spline: unknown, time: number): V3 =>
  [0, 1, 2].map((i) => {
    const [value = 0, one = 0, two = 0, three = 0] = floats(list(spline)[i]);
    return ((three * time + two) * time + one) * time + value;
  }) as V3;

function linear(part: Doc, time: number, splines: boolean): V3 {
  if (splines && part.spline) return cubic(part.spline, time);
  const [base, rate] = [floats(part.base), floats(part.rate)];
  return [0, 1, 2].map((i) => (base[i] ?? 0) + (rate[i] ?? 0) * time) as V3;
}

/** True if a script's frames use their cubics rather than rates. */
export const hasSplines = (script: Doc, game: string): boolean =>
  (game === "pm" || game === "cs") && word(script.spline_interpolation) !== 0;

/** The duration of a script in seconds. */
export const scriptTime = (script: Doc): number =>
  list(script.frames).reduce<number>((most, frame) => Math.max(most, floats(doc(frame).time)[1] || 0), 0);

/** Places a node by the frames of a script at this time. */
export function follow(pose: Pose, script: Doc, game: string, time: number): void {
  const splines = hasSplines(script, game);
  for (const each of list(script.frames)) {
    const frame = doc(each);
    const [start = 0, end = 0] = floats(frame.time);
    // A NaN start is never reached.
    if (!(time >= start)) break;
    const local = Math.min(time - start, Math.max(end - start, 0));
    if (frame.translate) pose.translation = linear(doc(frame.translate), local, splines);
    if (frame.scale) grow(pose, linear(doc(frame.scale), local, splines));
    if (frame.rotate) {
      const part = doc(frame.rotate);
      const half =
        splines && part.spline ? cubic(part.spline, local) : (floats(part.rate).map((rate) => rate * local) as V3);
      const [w = 0, x = 0, y = 0, z = 0] = floats(part.base);
      face(pose, times(exp(half), [w, x, y, z]));
    }
  }
}

/** A transform below another one: three rows, then the translation. */
export function below(parent: number[], child: number[]): number[] {
  return child.map((_, i) => {
    const row = Math.floor(i / 3) * 3;
    const k = i % 3;
    const out = child[row] * parent[k] + child[row + 1] * parent[3 + k] + child[row + 2] * parent[6 + k];
    return row === 9 ? out + parent[9 + k] : out;
  });
}
