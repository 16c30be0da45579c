// Values of typed documents: numbers as the games store them, references, and what changes at a constant rate.

export type Doc = Record<string, unknown>;
export type V3 = [number, number, number];

export const isDoc = (value: unknown): value is Doc =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const doc = (value: unknown): Doc => (isDoc(value) ? value : {});
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const bits = new DataView(new ArrayBuffer(4));

/** A 32-bit float: a number, or its bits as "0x7fc00001". */
export function float(value: unknown): number {
  if (typeof value === "number") return Math.fround(value);
  if (typeof value === "string" && /^0x[0-9a-f]{1,8}$/i.test(value)) {
    bits.setUint32(0, parseInt(value, 16));
    return bits.getFloat32(0);
  }
  return 0;
}

export const maybe = (value: unknown): number | null => (value === undefined || value === null ? null : float(value));
export const floats = (value: unknown): number[] => list(value).map(float);
export const vector = (value: unknown): V3 => {
  const [x = 0, y = 0, z = 0] = floats(value);
  return [x, y, z];
};
export const maybeVector = (value: unknown): V3 | null => (Array.isArray(value) ? vector(value) : null);
export const pair = (value: unknown): [number, number] | null => {
  if (!Array.isArray(value)) return null;
  const [a = 0, b = 0] = floats(value);
  return [a, b];
};

/** A truth value as a number: other numbers than 0 and 1 are kept. */
export const word = (value: unknown): number => (value === true ? 1 : typeof value === "number" ? value : 0);

/** A reference to an entry of a definition's lists, by name; the empty string for an index without a name. */
export const refName = (value: unknown): string =>
  typeof value === "string" ? value : typeof doc(value).name === "string" ? (doc(value).name as string) : "";

/** The text of a stored name. */
export const nameText = (value: unknown): string =>
  typeof value === "string"
    ? value
    : typeof doc(value).text === "string"
      ? (doc(value).text as string)
      : refName(value);

/** The change per second that a change has, as the games store it. */
export function rates(change: Doc, time: number): number[] {
  const to = Array.isArray(change.to) ? floats(change.to) : [float(change.to)];
  const from = Array.isArray(change.from) ? floats(change.from) : [float(change.from)];
  if (change.rate !== undefined && change.rate !== null)
    return Array.isArray(change.rate) ? floats(change.rate) : [float(change.rate)];
  return from.map((a, i) => {
    const b = to[i] ?? 0;
    if (a === b || time === 0) return 0;
    if (change.rounding === "TWICE") return Math.fround(Math.fround(b - a) / time);
    if (change.rounding === "RECIPROCAL") return Math.fround(Math.fround(b - a) * Math.fround(1 / time));
    return Math.fround((b - a) / time);
  });
}

/** The values of a change after some time. */
export function after(change: Doc, runTime: number, time: number): number[] {
  const from = Array.isArray(change.from) ? floats(change.from) : [float(change.from)];
  const rate = rates(change, runTime);
  return from.map((value, i) => value + rate[i] * time);
}
