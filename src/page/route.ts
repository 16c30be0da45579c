// The address: `#/path/of/file?view=scene&part=…&at=…&node=…&cam=…` names what is shown.

export interface Route {
  /** Path of the file, or "" for the overview. */
  file: string;
  view?: string;
  part?: string;
  at?: string;
  /** Row of a node in the scene. */
  node?: string;
  /** A node, model or other thing by name. */
  name?: string;
  cam?: string;
  /** What colours show in a scene. */
  mode?: string;
}

const KEYS = ["view", "part", "at", "node", "name", "cam", "mode"] as const;

export function parseRoute(hash: string): Route {
  const text = hash.replace(/^#\/?/, "");
  const question = text.indexOf("?");
  const path = question < 0 ? text : text.slice(0, question);
  const route: Route = { file: "" };
  try {
    route.file = path.split("/").map(decodeURIComponent).join("/");
  } catch {
    route.file = path;
  }
  const values = new URLSearchParams(question < 0 ? "" : text.slice(question + 1));
  for (const key of KEYS) {
    const value = values.get(key);
    if (value !== null && value !== "") route[key] = value;
  }
  return route;
}

export function formatRoute(route: Route): string {
  const path = route.file.split("/").map(encodeURIComponent).join("/");
  const values: string[] = [];
  for (const key of KEYS) {
    const value = route[key];
    if (value)
      values.push(`${key}=${encodeURIComponent(value).replace(/%2C/g, ",").replace(/%2F/g, "/").replace(/%3A/g, ":")}`);
  }
  return `#/${path}${values.length ? `?${values.join("&")}` : ""}`;
}
