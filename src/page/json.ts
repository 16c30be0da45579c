// A JSON reader that preserves the spelling of numbers, and finds the descriptions in a schema.

export interface JsonNode {
  type: "object" | "array" | "string" | "number" | "word";
  key: string | null;
  /** Path in the document, such as `nodes[3].name`. */
  at: string;
  depth: number;
  /** Where it begins in the text. */
  from: number;
  /** The text of a string, or the literal of a number or word. */
  value: string;
  children: JsonNode[];
  parent: JsonNode | null;
  open: boolean;
}

export function parseJson(text: string): JsonNode {
  let at = 0;
  const blank = (): void => {
    while (at < text.length && text.charCodeAt(at) <= 32) at++;
  };
  const fail = (): never => {
    throw new Error(`the document is not JSON at character ${at}`);
  };
  const string = (): string => {
    const start = at++;
    while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    at++;
    return JSON.parse(text.slice(start, at)) as string;
  };
  const value = (key: string | null, path: string, depth: number, parent: JsonNode | null): JsonNode => {
    if (depth > 200) throw new Error("the document is nested too deeply");
    blank();
    const node: JsonNode = {
      type: "word",
      key,
      at: path,
      depth,
      from: at,
      value: "",
      children: [],
      parent,
      open: depth < 1,
    };
    const first = text[at];
    if (first === "{" || first === "[") {
      const list = first === "[";
      node.type = list ? "array" : "object";
      at++;
      blank();
      if (text[at] === (list ? "]" : "}")) {
        at++;
        return node;
      }
      for (;;) {
        blank();
        if (list) {
          node.children.push(value(String(node.children.length), `${path}[${node.children.length}]`, depth + 1, node));
        } else {
          if (text[at] !== '"') fail();
          const name = string();
          blank();
          if (text[at++] !== ":") fail();
          node.children.push(value(name, path ? `${path}.${name}` : name, depth + 1, node));
        }
        blank();
        const next = text[at++];
        if (next === (list ? "]" : "}")) return node;
        if (next !== ",") fail();
      }
    }
    if (first === '"') {
      node.type = "string";
      node.value = string();
      return node;
    }
    const start = at;
    while (at < text.length && !/[\s,\]}]/.test(text[at])) at++;
    node.value = text.slice(start, at);
    if (!node.value) fail();
    node.type = /^[-0-9]/.test(node.value) ? "number" : "word";
    return node;
  };
  const root = value(null, "", 0, null);
  blank();
  if (at < text.length) fail();
  return root;
}

export function findAt(root: JsonNode, path: string): JsonNode | null {
  let node: JsonNode = root;
  for (;;) {
    if (node.at === path) return node;
    const next = node.children.find(
      (child) => path === child.at || path.startsWith(`${child.at}.`) || path.startsWith(`${child.at}[`),
    );
    if (!next) return node === root ? null : node;
    node = next;
  }
}

/** The closest value with a `name`, `note` or number, for a one-line summary. */
export function summary(node: JsonNode): string {
  if (node.type === "array") {
    const plain = node.children.every((child) => child.type !== "object" && child.type !== "array");
    if (plain && node.children.length <= 12) return `[${node.children.map((child) => child.value).join(", ")}]`;
    return `${node.children.length} ${node.children.length === 1 ? "entry" : "entries"}`;
  }
  const name = node.children.find((child) =>
    ["name", "key", "animation_name", "path", "file"].includes(child.key ?? ""),
  );
  if (name && name.type === "string") return name.value;
  if (node.children.length === 1) return node.children[0].key ?? "";
  return node.children
    .map((child) => child.key)
    .slice(0, 6)
    .join(", ");
}

type Schema = Record<string, unknown>;

/** What a form needs to know of a value. */
export interface Shape {
  minimum?: number;
  maximum?: number;
  integer?: boolean;
  /** The words that the value may be. */
  choices?: { value: string; about?: string }[];
  /** The fields of a record, with their schemas. */
  fields?: Schema;
  required?: string[];
  /** The items of a list. */
  item?: Shape;
  itemSchema?: unknown;
  /** A list of a fixed length. */
  fixed?: boolean;
  /** The values of a list of keys and values, by their keys; `false` for a key without a value. */
  keys?: Schema;
  unit?: string;
  /** The kind of thing that a text names. */
  names?: string;
}

/** The schema of a key. A key with a number in its name stands for all numbers. */
export function ofKey(keys: Schema, key: string): unknown {
  if (Object.hasOwn(keys, key)) return keys[key];
  const stem = key.replace(/\d+$/, "");
  const like = stem !== key && Object.keys(keys).find((each) => each !== stem && each.replace(/\d+$/, "") === stem);
  return like ? keys[like] : undefined;
}

/** Finds the description of a field in a JSON Schema. */
export class SchemaReader {
  constructor(private readonly root: unknown) {}

  private resolve(schema: unknown): Schema[] {
    const out: Schema[] = [];
    const visit = (each: unknown, depth: number): void => {
      if (!each || typeof each !== "object" || depth > 12) return;
      const one = each as Schema;
      out.push(one);
      if (typeof one.$ref === "string") {
        let target: unknown = this.root;
        for (const key of one.$ref.replace(/^#\/?/, "").split("/")) target = (target as Schema | undefined)?.[key];
        visit(target, depth + 1);
      }
      for (const key of ["anyOf", "oneOf", "allOf"]) {
        if (Array.isArray(one[key])) for (const choice of one[key] as unknown[]) visit(choice, depth + 1);
      }
    };
    visit(schema, 0);
    return out;
  }

  /** The schemas of a value, without those of lists for a value and the other way round. */
  private own(schema: unknown, node: JsonNode): Schema[] {
    const kinds = ["array", "string", "number", "integer"];
    const other = (one: Schema): boolean =>
      kinds.includes(one.type as string) && (one.type === "array") !== (node.type === "array");
    return this.resolve(schema).filter((one) => !other(one));
  }

  /** The schemas of a value. */
  private at(node: JsonNode): unknown[] {
    const path: JsonNode[] = [];
    for (let each: JsonNode | null = node; each; each = each.parent) path.unshift(each);
    let here: unknown[] = [this.root];
    for (const step of path.slice(1)) {
      const next: unknown[] = [];
      const array = step.parent?.type === "array";
      const above = step.parent;
      for (const schema of here.flatMap((each) => (above ? this.own(each, above) : this.resolve(each)))) {
        if (array) {
          const before = above?.children[Number(step.key) - 1];
          const isKey = schema.keys && before?.type === "string";
          const keyed =
            isKey && (ofKey(schema.keys as Schema, before.value) || (step.type === "array" && schema.named));
          if (keyed) {
            next.push(keyed);
            continue;
          }
          const prefix = schema.prefixItems;
          if (Array.isArray(prefix) && prefix[Number(step.key)]) next.push(prefix[Number(step.key)]);
          else if (schema.items) next.push(schema.items);
        } else {
          const properties = schema.properties as Schema | undefined;
          if (properties && step.key !== null && Object.hasOwn(properties, step.key)) next.push(properties[step.key]);
          else if (schema.additionalProperties && typeof schema.additionalProperties === "object")
            next.push(schema.additionalProperties);
        }
      }
      here = next;
    }
    return here;
  }

  /** What a form needs to know of a value. */
  shape(node: JsonNode): Shape {
    return this.shapeOf(this.at(node), node);
  }

  private shapeOf(tops: unknown[], node?: JsonNode): Shape {
    const out: Shape = {};
    const choices = new Map<string, string | undefined>();
    for (const schema of tops.flatMap((top) => (node ? this.own(top, node) : this.resolve(top)))) {
      if (typeof schema.minimum === "number") out.minimum = Math.max(out.minimum ?? -Infinity, schema.minimum);
      if (typeof schema.maximum === "number") out.maximum = Math.min(out.maximum ?? Infinity, schema.maximum);
      if (schema.type === "integer") out.integer = true;
      if (typeof schema.unit === "string") out.unit ??= schema.unit;
      if (typeof schema.names === "string") out.names ??= schema.names;
      if (schema.keys && typeof schema.keys === "object") out.keys = { ...out.keys, ...(schema.keys as Schema) };
      if (Array.isArray(schema.enum))
        for (const each of schema.enum)
          if (typeof each === "string" && !choices.has(each)) choices.set(each, undefined);
      if (typeof schema.const === "string") choices.set(schema.const, schema.description as string | undefined);
      if (schema.properties && typeof schema.properties === "object") {
        out.fields = { ...out.fields, ...(schema.properties as Schema) };
        if (Array.isArray(schema.required)) out.required = [...(out.required ?? []), ...(schema.required as string[])];
      }
      if (schema.items && typeof schema.items === "object") out.itemSchema ??= schema.items;
      if (Array.isArray(schema.prefixItems) || (schema.minItems !== undefined && schema.minItems === schema.maxItems))
        out.fixed = true;
    }
    if (choices.size && choices.size <= 80) out.choices = [...choices].map(([value, about]) => ({ value, about }));
    if (out.itemSchema) out.item = this.shapeOf([out.itemSchema]);
    return out;
  }

  /**
   * A value that fits a schema, for a new field or item; undefined if the schema does not say enough. `float` marks
   * numbers that are no integers.
   */
  example(schema: unknown, depth = 0, float?: (n: number) => unknown): unknown {
    if (!schema || depth > 8) return undefined;
    for (const one of this.resolve(schema)) {
      const isFloat = one.type === "number" && float;
      if (one.default !== undefined) return isFloat ? isFloat(Number(one.default)) : one.default;
      if (one.const !== undefined) return one.const;
      if (Array.isArray(one.enum)) return one.enum[0];
      const type = Array.isArray(one.type) ? one.type.find((each) => each !== "null") : one.type;
      switch (type) {
        case "integer":
        case "number": {
          const least = typeof one.minimum === "number" && one.minimum > 0 ? one.minimum : 0;
          return isFloat ? isFloat(least) : least;
        }
        case "string":
          return "";
        case "boolean":
          return false;
        case "array": {
          const length = typeof one.minItems === "number" ? Math.min(one.minItems, 16) : 0;
          const items = Array.isArray(one.prefixItems)
            ? (one.prefixItems as unknown[])
            : Array.from({ length }, () => one.items);
          return items.map((item) => this.example(item, depth + 1, float));
        }
        case "object": {
          const properties = (one.properties ?? {}) as Schema;
          const required = Array.isArray(one.required) ? (one.required as string[]) : [];
          return Object.fromEntries(required.map((key) => [key, this.example(properties[key], depth + 1, float)]));
        }
      }
    }
    return undefined;
  }

  describe(node: JsonNode): { sentences: string[]; constraints: string } {
    const here = this.at(node);
    const sentences: string[] = [];
    const bits: string[] = [];
    for (const top of here) {
      for (const [index, schema] of this.own(top, node).entries()) {
        const matches = schema.const === undefined || String(schema.const) === node.value;
        if (typeof schema.description === "string" && matches && (index < 3 || schema.const !== undefined)) {
          if (!sentences.includes(schema.description)) sentences.push(schema.description);
        }
        if (typeof schema.format === "string") bits.push(schema.format);
        if (typeof schema.unit === "string") bits.push(`in ${schema.unit}`);
        if (typeof schema.minimum === "number" && schema.format === undefined) bits.push(`at least ${schema.minimum}`);
        if (typeof schema.maximum === "number") bits.push(`at most ${schema.maximum}`);
        if (Array.isArray(schema.enum) && schema.enum.length <= 40) bits.push(schema.enum.join(" · "));
      }
    }
    // An item of a plain list has the list's description.
    if (!sentences.length && node.parent?.parent) sentences.push(...this.describe(node.parent).sentences);
    return { sentences, constraints: [...new Set(bits)].join("; ") };
  }
}

const NAME_KEYS: Record<string, string> = {
  texture: "texture",
  textures: "texture",
  frames: "texture",
  material: "material",
  materials: "material",
  node: "node",
  nodes: "node",
  objects: "node",
  at_node: "node",
  with_node: "node",
  from_node: "node",
  to_node: "node",
  operand_node: "node",
  children: "node",
  parents: "node",
  animation_root_name: "node",
  object: "node",
  camera: "node",
  sound: "sound",
  static_sounds: "sound",
  dynamic_sounds: "sound",
  light: "light",
  lights: "light",
  puffer: "puffer",
  puffers: "puffer",
  animation: "animation",
  animation_name: "animation",
  reference: "animation",
  message: "message",
  motion: "motion",
  script: "script",
  model: "model",
};

/** Whether a value names something, by the key that holds it: the kind and the name, for `refs`. */
export function nameOf(node: JsonNode, document: string | null): { kind: string; name: string } | null {
  if (node.type !== "string" || !node.value || /^(INPUT_NODE|OWN_NODE)$/.test(node.value)) return null;
  let key = node.key ?? "";
  let owner = node.parent;
  if (owner?.type === "array") {
    key = owner.key ?? "";
    owner = owner.parent;
  }
  if (key === "text" && node.parent?.parent?.key === "messages") return null;
  if (key === "name" || key === "text") {
    const holder = node.parent?.type === "object" ? node.parent : null;
    if (holder?.key === "CALL_ANIMATION" || holder?.parent?.key === "animation_references")
      return { kind: "animation", name: node.value };
    if (document === "gamez-nodes" && holder?.parent?.key === "nodes") return { kind: "node", name: node.value };
    if (document === "gamez-textures") return { kind: "texture", name: node.value };
    if (document === "anim-definition" && holder?.depth === 0) return { kind: "animation", name: node.value };
    if (document === "motion" && holder?.parent?.key === "parts") return { kind: "node", name: node.value };
    const outer = holder?.parent?.type === "array" ? holder.parent.key : holder?.key;
    const kind = outer && NAME_KEYS[outer];
    return kind ? { kind, name: node.value } : null;
  }
  if (key === "key" && document?.startsWith("message")) return { kind: "message", name: node.value };
  const kind = Object.hasOwn(NAME_KEYS, key) ? NAME_KEYS[key] : undefined;
  if (!kind) return null;
  // World files write links as "12 name".
  return { kind, name: document?.startsWith("gamez") ? node.value.replace(/^\d+ /, "") : node.value };
}
