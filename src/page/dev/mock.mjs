// A stand-in for the server of `refit view`, for developing the page: made-up data, or `--proxy URL` for a real server.
//   node dev/mock.mjs [--port 7800] [--objects 600] [--shapes 60] [--textures 24] [--hints]
//     [--proxy 'http://127.0.0.1:7777/?token=…']
import { createServer, request } from "node:http";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));

export function png(width, height, pixel) {
  const raw = Buffer.alloc(height * (1 + width * 4));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) raw.set(pixel(x, y), y * (1 + width * 4) + 1 + x * 4);
  const table = (png.table ??= Int32Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
    return n;
  }));
  const chunk = (name, data) => {
    const out = Buffer.alloc(12 + data.length);
    out.writeUInt32BE(data.length, 0);
    out.write(name, 4, "latin1");
    data.copy(out, 8);
    let crc = -1;
    for (let n = 4; n < 8 + data.length; n++) crc = table[(crc ^ out[n]) & 255] ^ (crc >>> 8);
    out.writeInt32BE(~crc, 8 + data.length);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(raw, { level: 1 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function wav(seconds, hz) {
  const rate = 11025;
  const n = Math.floor(rate * seconds);
  const data = Buffer.alloc(44 + n * 2 + 36);
  data.write("RIFF", 0, "latin1");
  data.writeUInt32LE(data.length - 8, 4);
  data.write("WAVEfmt ", 8, "latin1");
  data.writeUInt32LE(16, 16);
  data.writeUInt16LE(1, 20);
  data.writeUInt16LE(1, 22);
  data.writeUInt32LE(rate, 24);
  data.writeUInt32LE(rate * 2, 28);
  data.writeUInt16LE(2, 32);
  data.writeUInt16LE(16, 34);
  data.write("data", 36, "latin1");
  data.writeUInt32LE(n * 2, 40);
  for (let i = 0; i < n; i++)
    data.writeInt16LE(
      Math.round(20000 * Math.sin((i / rate) * hz * 6.283) * Math.exp((-3 * i) / n) * Math.sin(i / 900)),
      44 + i * 2,
    );
  const cue = 44 + n * 2;
  data.write("cue ", cue, "latin1");
  data.writeUInt32LE(28, cue + 4);
  data.writeUInt32LE(1, cue + 8);
  data.writeUInt32LE(1, cue + 12);
  data.writeUInt32LE(Math.floor(n / 3), cue + 32);
  return data;
}

let seed = 1;
const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
const HOSTILE = `<script>window.hacked=1</script><img src=x onerror=hacked=1>`;

export function world({ objects, shapes: shapeCount, textures: textureCount, hints }) {
  seed = 7;
  const names = Array.from({ length: textureCount }, (_, n) => `tex${String(n).padStart(3, "0")}.tif`);
  const special = [
    "leaf.tif",
    "glass.tif",
    "glow.tif",
    "water1.tif",
    "water2.tif",
    "water3.tif",
    "gone.tif",
    `${HOSTILE}.tif`,
  ];
  const all = [...names, ...special];
  const sizeOf = (n) => [64, 128, 32, 256][n % 4];
  const materials = names.map((texture, index) => ({
    index,
    texture,
    color: [255, 255, 255],
    alpha: 255,
    two_sided: false,
    uvs: true,
    soil: index % 7,
  }));
  const add = (material) =>
    materials.push({
      index: materials.length,
      color: [255, 255, 255],
      alpha: 255,
      two_sided: false,
      uvs: true,
      soil: 0,
      ...material,
    }) - 1;
  const leaf = add({ texture: "leaf.tif", two_sided: true });
  const glass = add({ texture: "glass.tif", alpha: 200 });
  const glow = add({ texture: "glow.tif", two_sided: true });
  const water = add({
    texture: "water1.tif",
    cycle: { textures: ["water1.tif", "water2.tif", "water3.tif"], speed: 4, looping: true },
    scroll: [0.05, 0],
    soil: 1,
  });
  const gone = add({ texture: "gone.tif" });
  const flat = add({ texture: null, color: [190, 70, 60], uvs: false });
  const position = [],
    normal = [],
    uv = [],
    color = [],
    index = [];
  const shapes = [];
  const quad = (a, b, c, d, tint, repeat = 1) => {
    const first = position.length / 3;
    const sub = (p, q) => p.map((v, k) => v - q[k]);
    const [e, f] = [sub(b, a), sub(d, a)];
    const n = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    const l = Math.hypot(...n) || 1;
    [a, b, c, d].forEach((p, k) => {
      position.push(...p);
      normal.push(...n.map((v) => Math.round((v / l) * 127)), 0);
      uv.push(
        ...[
          [0, repeat],
          [repeat, repeat],
          [repeat, 0],
          [0, 0],
        ][k],
      );
      color.push(...tint[k % tint.length], 255);
    });
    index.push(first, first + 1, first + 2, first, first + 2, first + 3);
  };
  const shape = (name, groups) => {
    const parts = [];
    const v0 = position.length / 3;
    for (const [material, draw] of groups) {
      const first = index.length;
      draw();
      parts.push({ material, first, count: index.length - first });
    }
    const box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
    for (let v = v0; v < position.length / 3; v++)
      for (let k = 0; k < 3; k++) {
        box[k] = Math.min(box[k], position[v * 3 + k]);
        box[k + 3] = Math.max(box[k + 3], position[v * 3 + k]);
      }
    const triangles = parts.reduce((sum, part) => sum + part.count / 3, 0);
    return (
      shapes.push({
        model: shapes.length,
        name,
        parts,
        box,
        polygons: triangles / 2,
        vertices: position.length / 3 - v0,
        document: `models/${String(shapes.length).padStart(4, "0")}-m.json`,
        notes: [],
      }) - 1
    );
  };
  const white = [[255, 255, 255]];
  const cube = (w, hgt, d, repeat) => () => {
    const dark = [
      [120, 125, 135],
      [120, 125, 135],
      [255, 255, 250],
      [255, 255, 250],
    ];
    quad([-w, 0, d], [w, 0, d], [w, hgt, d], [-w, hgt, d], dark, repeat);
    quad([w, 0, -d], [-w, 0, -d], [-w, hgt, -d], [w, hgt, -d], dark, repeat);
    quad([w, 0, d], [w, 0, -d], [w, hgt, -d], [w, hgt, d], dark, repeat);
    quad([-w, 0, -d], [-w, 0, d], [-w, hgt, d], [-w, hgt, -d], dark, repeat);
    quad([-w, hgt, d], [w, hgt, d], [w, hgt, -d], [-w, hgt, -d], white, repeat);
  };
  const side = Math.max(512, Math.ceil(Math.sqrt(objects)) * 16);
  const cells = 16;
  const height = (x, z) => 6 * Math.sin(x / 70) * Math.cos(z / 90) + 3 * Math.sin((x + z) / 31);
  const ground = [];
  const step = side / cells;
  for (let cz = 0; cz < cells; cz++)
    for (let cx = 0; cx < cells; cx++) {
      const low = (cx + cz) % 9 === 0;
      ground.push(
        shape(`g${cx}${cz}`, [
          [
            low ? water : (cx * 5 + cz * 3) % 3,
            () => {
              for (let j = 0; j < 4; j++)
                for (let i = 0; i < 4; i++) {
                  const at = (a, b) => {
                    const x = (cx + a / 4) * step,
                      z = (cz + b / 4) * step;
                    return [x, low ? -2 : height(x, z), z];
                  };
                  const shade = (p) => {
                    const v = Math.max(90, Math.min(255, 190 + p[1] * 9));
                    return [v, v, v * 0.94];
                  };
                  const [a, b, c, d] = [at(i, j + 1), at(i + 1, j + 1), at(i + 1, j), at(i, j)];
                  quad(a, b, c, d, [a, b, c, d].map(shade), 1);
                }
            },
          ],
        ]),
      );
    }
  const kinds = [];
  for (let n = 0; n < shapeCount; n++) {
    const w = 1.5 + random() * 4,
      d = 1.5 + random() * 4,
      tall = 3 + random() * 18,
      t = n % names.length;
    if (n % 10 === 3)
      kinds.push(
        shape(`tree${n}`, [
          [
            leaf,
            () => {
              quad(
                [-3, 0, 0],
                [3, 0, 0],
                [3, 7, 0],
                [-3, 7, 0],
                [
                  [90, 110, 90],
                  [90, 110, 90],
                  [230, 255, 220],
                  [230, 255, 220],
                ],
              );
              quad(
                [0, 0, -3],
                [0, 0, 3],
                [0, 7, 3],
                [0, 7, -3],
                [
                  [90, 110, 90],
                  [90, 110, 90],
                  [230, 255, 220],
                  [230, 255, 220],
                ],
              );
            },
          ],
        ]),
      );
    else if (n % 10 === 7)
      kinds.push(
        shape(`dome${n}`, [
          [t, cube(w, 2, d, 1)],
          [glass, cube(w * 0.8, 7, d * 0.8, 1)],
        ]),
      );
    else if (n % 20 === 9)
      kinds.push(
        shape(`lamp${n}`, [
          [flat, cube(0.4, 8, 0.4, 1)],
          [glow, () => quad([-3, 7, 0], [3, 7, 0], [3, 13, 0], [-3, 13, 0], white)],
        ]),
      );
    else if (n % 40 === 15) kinds.push(shape(`lost${n}`, [[gone, cube(w, tall, d, 1)]]));
    else
      kinds.push(
        shape(n === 0 ? `bldg ${HOSTILE}` : `bldg${n}`, [
          [t, cube(w, tall, d, 2)],
          [
            (t + 3) % names.length,
            () =>
              quad(
                [-w * 0.4, 0.01, d + 0.05],
                [w * 0.4, 0.01, d + 0.05],
                [w * 0.4, 2.6, d + 0.05],
                [-w * 0.4, 2.6, d + 0.05],
                white,
              ),
          ],
        ]),
      );
  }
  const nodes = {
    names: [],
    kinds: ["world", "object3d", "lod", "camera", "light", "sound"],
    document: "nodes",
    documents: ["nodes/00000-99999.json"],
  };
  const rows = [],
    matrix = [];
  const node = (name, parent, shapeAt, kind, x, y, z, angle = 0, lod = -1, zone = -1, flags = 0x108031c) => {
    nodes.names.push(name);
    rows.push(parent, shapeAt, kind, rows.length / 8, flags | (random() < 0.2 ? 0x80 : 0), lod, zone, 0);
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    matrix.push(c, 0, -s, 0, 1, 0, s, 0, c, x, y, z);
    return rows.length / 8 - 1;
  };
  const root = node("world1", -1, -1, 0, 0, 0, 0);
  ground.forEach((id, n) => node(shapes[id].name, root, id, 1, 0, 0, 0, 0, -1, (n % 6) + 1));
  node("door1", root, kinds[0], 1, side / 2, height(side / 2, side / 2), side / 2 + 8, 0, -1, 2);
  node(HOSTILE, root, kinds[1 % kinds.length], 1, side / 2 + 20, height(side / 2 + 20, side / 2), side / 2, 0, -1, 2);
  let made = ground.length + 2;
  while (made < objects) {
    const x = random() * side,
      z = random() * side,
      id = kinds[Math.floor(random() * kinds.length)];
    if (made % 12 === 0) {
      const lod = node(`lod${made}`, root, -1, 2, x, height(x, z), z, random() * 6);
      node(`${shapes[id].name}_near`, lod, id, 1, 0, 0, 0, 0, 0);
      node(`${shapes[id].name}_far`, lod, kinds[0], 1, 0, 0, 0, 0, 1);
      made += 2;
    } else if (made % 9 === 0) {
      const group = node(`group${made}`, root, id, 1, x, height(x, z), z, random() * 6, -1, (made % 6) + 1);
      node(`child${made}`, group, kinds[(made * 7) % kinds.length], 1, 6, 0, 0, 0.5);
      made += 2;
    } else {
      node(`${shapes[id].name}_${made}`, root, id, 1, x, height(x, z), z, random() * 6, -1, (made % 6) + 1);
      made++;
    }
  }
  node("sunlight", -1, -1, 4, 0, 100, 0);
  const blocks = {
    position: Buffer.from(new Float32Array(position).buffer),
    normal: Buffer.from(new Int8Array(normal).buffer),
    uv: Buffer.from(new Float32Array(uv).buffer),
    color: Buffer.from(new Uint8Array(color).buffer),
    index: Buffer.from(new Uint32Array(index).buffer),
    node: Buffer.from(new Int32Array(rows).buffer),
    matrix: Buffer.from(new Float32Array(matrix).buffer),
  };
  const counts = {
    position: position.length / 3,
    normal: normal.length / 4,
    uv: uv.length / 2,
    color: color.length / 4,
    index: index.length,
    node: rows.length / 8,
    matrix: matrix.length / 12,
  };
  const data = {};
  let offset = 0;
  for (const [name, block] of Object.entries(blocks)) {
    data[name] = [offset, counts[name]];
    offset += block.length;
  }
  const kindOf = (name) => (name === "leaf.tif" ? "holes" : name === "glass.tif" ? "mixed" : "none");
  const header = {
    game: "MW",
    name: "gamez.zbd",
    data,
    materials,
    shapes,
    nodes,
    world: {
      area: [0, side, side, 0],
      fog: { color: [150, 165, 185], range: [side * 0.15, side * 0.6] },
      lights: [{ name: "sunlight" }],
    },
    textures: hints
      ? all.map((name, n) => ({
          name,
          width: n < names.length ? sizeOf(n) : 64,
          height: n < names.length ? sizeOf(n) : 64,
          transparency: kindOf(name),
          additive: name === "glow.tif",
        }))
      : all,
    notes: ["sounds of the world: 3", `lens flare of ${HOSTILE}`],
  };
  let text = Buffer.from(JSON.stringify(header));
  text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 32)]);
  const head = Buffer.alloc(8);
  head.write("RVS1", 0, "latin1");
  head.writeUInt32LE(text.length, 4);
  const document = JSON.stringify(
    {
      $schema: "../.refit/gamez-nodes.schema.json",
      nodes: nodes.names.slice(0, 3000).map((name, n) => ({
        note: String(n),
        name,
        flags: ["ACTIVE", "ALTITUDE_SURFACE"],
        zone: rows[n * 8 + 6],
        ...(rows[n * 8 + 1] >= 0
          ? {
              data: { object3d: { translation: matrix.slice(n * 12 + 9, n * 12 + 12), rotation: [0.0, 1.5, 0.0] } },
              model: `${rows[n * 8 + 1]} m`,
            }
          : {}),
      })),
    },
    null,
    2,
  );
  return {
    packed: Buffer.concat([head, text, ...Object.values(blocks)]),
    textures: all,
    sizeOf,
    names,
    document,
    nodeNames: nodes.names,
    objects: made,
  };
}

function picture(name, n, size) {
  if (name.startsWith("leaf"))
    return png(64, 64, (x, y) => {
      const r = Math.hypot(x - 32, y - 26);
      return r < 22 + 6 * Math.sin(Math.atan2(y - 26, x - 32) * 7)
        ? [50 + ((x * 7) % 40), 120 + ((y * 5) % 60), 40, 255]
        : x > 29 && x < 35 && y > 30
          ? [90, 60, 30, 255]
          : [0, 0, 0, 0];
    });
  if (name.startsWith("glass")) return png(64, 64, (x, y) => [120, 190, 230, x % 16 < 2 || y % 16 < 2 ? 220 : 90]);
  if (name.startsWith("glow"))
    return png(64, 64, (x, y) => {
      const v = Math.max(0, 255 - Math.hypot(x - 32, y - 32) * 8);
      return [v, v * 0.8, v * 0.4, 255];
    });
  if (name.startsWith("water"))
    return png(64, 64, (x, y) => {
      const v = Math.sin((x + n * 9) / 5) + Math.cos(y / 4 + n);
      return [30, 80 + v * 18, 130 + v * 25, 255];
    });
  const c = [
    [122, 128, 92],
    [138, 124, 98],
    [110, 118, 88],
    [150, 96, 78],
    [128, 132, 140],
    [96, 108, 130],
    [160, 146, 116],
  ][n % 7];
  return png(size, size, (x, y) => {
    const brick = n > 2 && (y % 16 < 2 || (x + (Math.floor(y / 16) % 2) * 8) % 16 < 2);
    const noise = ((x * 73 + y * 151 + x * y * 7) % 29) - 14;
    const k = brick ? 0.7 : 1;
    return [c[0] * k + noise, c[1] * k + noise, c[2] * k + noise, 255].map((v) => Math.max(0, Math.min(255, v)));
  });
}

export function serve(options) {
  const made = options.proxy ? null : world(options);
  const state = { version: 1, edited: true };
  const waiting = [];
  const files = [
    ["zbd/c1/gamez.zbd", "gamez", "world of mission c1", "c1"],
    ["zbd/c1/texture.zbd", "textures", "textures of mission c1", "c1"],
    ["zbd/c1/anim.zbd", "anim", "animations of mission c1", "c1"],
    ["zbd/c1/interp.zbd", "interp", "scripts", "c1"],
    ["zbd/soundsL.zbd", "sounds", "sounds, low quality", ""],
    ["zbd/motion.zbd", "motion", "motions of 'mechs", ""],
    ["Mech3Msg.dll", "messages", "messages", ""],
    [`zbd/${HOSTILE.replace(/\//g, "∕")}.zbd`, "archive", null, "c2"],
    ["zbd/broken.zbd", "gamez", "world of mission c2", "c2"],
    ["readme.bin", null, null, ""],
  ].map(([path, format, role, group], number) => ({
    number,
    path,
    format,
    game: format ? "MW" : null,
    bytes: 4000 * (number + 1) ** 3,
    role,
    group,
    edited: number === 0 && state.edited,
    ...(format ? {} : { why: "no known format" }),
  }));
  const definition = {
    $schema: "../.refit/anim-definition.schema.json",
    name: "door",
    animation_name: "door_open",
    animation_root_name: "door1",
    activation: "ON_CALL",
    objects: ["door1"],
    nodes: ["door1", "lamp9"],
    static_sounds: ["creak", "hiss"],
    reset_state: [{ OBJECT_ACTIVE_STATE: { node: "door1", state: true } }],
    sequences: [
      {
        name: "open",
        activation: "INITIAL",
        events: [
          { SOUND: { sound: "hiss", at_node: "door1" } },
          {
            at: ["EVENT", 0.25],
            OBJECT_MOTION_FROM_TO: { node: "door1", run_time: 1.5, rotate: { from: [0, 0, 0], to: [0, 1.57, 0] } },
          },
          { IF: { PLAYER_RANGE: 150 } },
          { CALL_ANIMATION: { name: "DUST", with_node: "door1" } },
          { ENDIF: {} },
          { OBJECT_MOTION: { node: "lamp9", run_time: 2.5 } },
          { at: ["SEQUENCE", 3], SOUND: { sound: "creak", at_node: HOSTILE } },
        ],
      },
      { name: "close", activation: "ON_CALL", events: [{ SOUND: { sound: "hiss", at_node: "INPUT_NODE" } }] },
    ],
  };
  const messages = {
    $schema: ".refit/messages.schema.json",
    language: "en-US",
    code_page: 1252,
    messages: Array.from({ length: 1200 }, (_, n) => ({
      id: n + 1,
      key: n === 5 ? HOSTILE : `MSG_${["HUD", "MENU", "OBJ", "NET"][n % 4]}_${n}`,
      text: [
        "Target locked: %1!s!",
        "Heat level critical\r\nShut down now",
        "Objective %1 of %2 complete",
        "Press any key",
      ][n % 4],
    })),
  };
  const motion = {
    loop_time: 0.8,
    parts: ["head", "torso", "lleg"].map((name) => ({
      name,
      translations: Array.from({ length: 12 }, (_, n) => [n / 10, 0, 0]),
      rotations: Array.from({ length: 12 }, () => [1, 0, 0, 0]),
    })),
  };
  const parts = (n) => {
    const manifest = { path: "refit.json", bytes: 200, kind: "json", document: files[n].format };
    switch (files[n].format) {
      case "gamez":
        return [
          manifest,
          { path: "nodes/00000-99999.json", bytes: made.document.length, kind: "json", document: "gamez-nodes" },
        ];
      case "textures":
        return [
          manifest,
          ...made.textures
            .filter((name) => name !== "gone.tif" && !name.includes("/"))
            .map((name) => ({ path: `images/${name.replace(".tif", "")}.png`, bytes: 900, kind: "picture" })),
        ];
      case "anim":
        return [manifest, { path: "defs/door_open.json", bytes: 1900, kind: "json", document: "anim-definition" }];
      case "interp":
        return [
          manifest,
          { path: "scripts/c1.gw", bytes: 5000, kind: "text" },
          { path: "tail.bin", bytes: 3000, kind: "bytes" },
        ];
      case "sounds":
        return [
          manifest,
          ...["creak", "hiss", "bang"].map((name) => ({ path: `sounds/${name}.wav`, bytes: 22000, kind: "sound" })),
        ];
      case "motion":
        return [manifest, { path: "madcat_walk.json", bytes: 500, kind: "json", document: "motion" }];
      case "messages":
        return [manifest, { path: "messages.json", bytes: 90000, kind: "json", document: "messages" }];
      case "archive":
        return [manifest, { path: `members/${HOSTILE.replace(/\//g, "∕")}.txt`, bytes: 40, kind: "text" }];
      default:
        return [];
    }
  };
  const findings = () => [
    {
      file: 0,
      code: "gamez-corners",
      severity: "crashes",
      path: "nodes/00000-99999.json.nodes[257].name",
      message: `node "door1" has normal 9 of 8`,
      about: "A polygon uses a normal that the model does not have.",
      reaction: "The game reads beyond the list.",
    },
    {
      file: 0,
      code: "gamez-name",
      severity: "ignores",
      path: "nodes/00000-99999.json.nodes[2].name",
      message: 'two nodes have the name "g10"; the game finds the last',
    },
    {
      file: 1,
      code: "texture-size",
      severity: "unusual",
      path: "images/tex003.png",
      message: "256 × 256 is larger than in known files",
    },
    {
      file: 7,
      code: "archive-name",
      severity: "unusual",
      path: `members/${HOSTILE}`,
      message: `the name ${HOSTILE} is unusual`,
    },
  ];
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    properties: {
      nodes: {
        description: "Nodes of the world, in file order.",
        items: {
          properties: {
            name: {
              description: "The name by which scripts and animations find the node.\n\nAt most 35 bytes.",
              type: "string",
            },
            zone: { description: "The zone that draws the node; 255 is every zone.", format: "uint8" },
            flags: { description: "What the engine does with the node." },
          },
        },
      },
      messages: {
        description: "Messages of the library.",
        items: {
          properties: { key: { description: "The key, a name by which the game asks for the text.", type: "string" } },
        },
      },
      loop_time: { description: "Seconds until the motion starts again.", format: "float" },
      activation: { description: "When the animation starts.", enum: ["ON_CALL", "ON_STARTUP"] },
    },
  };
  let target = null;
  if (options.proxy) target = new URL(options.proxy);
  const answer = (question, response) => {
    const url = new URL(question.url, "http://x");
    const json = (value, status = 200) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    const bytes = (data, type, more = {}) =>
      response.writeHead(200, { "content-type": type, "content-length": data.length, ...more }).end(data);
    const refuse = (status, message, more = {}) => json({ error: { message, ...more } }, status);
    const path = url.pathname.replace(/^\//, "");
    const q = url.searchParams;
    if (!path.startsWith("api/")) {
      const name = path || "index.html";
      const types = { html: "text/html; charset=utf-8", js: "text/javascript", css: "text/css", txt: "text/plain" };
      if (!/^[\w.]+$/.test(name)) return refuse(404, "no such page");
      try {
        return bytes(readFileSync(join(here, "../dist", name)), types[name.split(".").pop()] ?? "text/plain", {
          "content-security-policy": "default-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:",
        });
      } catch {
        return refuse(404, "no such page");
      }
    }
    if (target) {
      const forward = request(
        {
          host: target.hostname,
          port: target.port,
          path: `/${path}${url.search}`,
          method: question.method,
          headers: { host: target.host, "x-refit-token": target.searchParams.get("token") },
        },
        (from) => {
          response.writeHead(from.statusCode, from.headers);
          from.pipe(response);
        },
      );
      forward.on("error", (error) => refuse(502, String(error)));
      question.pipe(forward);
      return;
    }
    const file = /^api\/file\/(\d+)(?:\/(\w+))?$/.exec(path);
    if (path === "api/opened")
      return json({
        what: "project",
        name: "mech3",
        root: "mech3",
        game: "MW",
        refit: "0.1.0",
        version: state.version,
        files,
        others: 12,
        kinds: ["node", "texture", "sound", "message", "animation", "member"],
      });
    if (path === "api/findings") return json({ findings: findings(), complete: true });
    if (path === "api/status")
      return json({
        edited: [{ file: 0, path: files[0].path, change: "nodes: 2 differences" }],
        mods: [{ name: "big-doors", version: "1.2", files: 3 }],
      });
    if (path === "api/schema") return json(schema);
    if (path === "api/changes") {
      if (Number(q.get("since")) !== state.version) return json({ version: state.version, files: [0] });
      waiting.push(json);
      return;
    }
    if (path === "api/touch") {
      state.version++;
      for (const each of waiting.splice(0)) each({ version: state.version, files: [0] });
      return json({ version: state.version });
    }
    if (path === "api/find") {
      const text = (q.get("q") ?? "").toLowerCase();
      const names = [
        ...made.nodeNames.map((name) => ({
          kind: "node",
          name,
          file: 0,
          document: "nodes/00000-99999.json",
          at: "name",
          defines: true,
        })),
        ...made.textures.map((name) => ({
          kind: "texture",
          name,
          file: 1,
          document: `images/${name.replace(".tif", "")}.png`,
          defines: true,
        })),
        ...messages.messages.map((message, n) => ({
          kind: "message",
          name: message.key,
          file: 6,
          document: "messages.json",
          at: `messages[${n}].key`,
          defines: true,
        })),
        {
          kind: "animation",
          name: "door_open",
          file: 2,
          document: "defs/door_open.json",
          at: "animation_name",
          defines: true,
        },
      ].filter((place) => place.name.toLowerCase().includes(text) && (!q.get("kind") || q.get("kind") === place.kind));
      const limit = Number(q.get("limit") ?? 100);
      return json({ names: names.slice(0, limit), more: names.length > limit });
    }
    if (path === "api/refs") {
      const [kind, name] = [q.get("kind"), q.get("name")];
      const defines =
        kind === "node"
          ? [{ kind, name, file: 0, document: "nodes/00000-99999.json", at: "nodes[257].name" }]
          : kind === "texture"
            ? [{ kind, name, file: 1, document: `images/${name.replace(".tif", "")}.png`, at: "" }]
            : [];
      return json({
        kind,
        name,
        defines,
        uses: kind === "node" ? [{ kind, name, file: 2, document: "defs/door_open.json", at: "objects[0]" }] : [],
      });
    }
    if (path === "api/texture") {
      const name = q.get("name");
      const n = made.textures.indexOf(name);
      if (n < 0 || name === "gone.tif" || name.includes("<")) return refuse(404, `no package has "${name}"`);
      return bytes(picture(name, n, made.sizeOf(n)), "image/png", {
        "x-refit-transparency": name === "leaf.tif" ? "holes" : name === "glass.tif" ? "mixed" : "none",
        "x-refit-additive": String(name === "glow.tif"),
      });
    }
    if (path === "api/diff/0")
      return json({
        against: "gamez.zbd.orig",
        equal: false,
        parts: [
          {
            part: "nodes/00000-99999.json",
            change: "different",
            differences: 2,
            fields: [
              { at: "nodes[257].data.object3d.translation[0]", old: "255.0", new: "256.0" },
              { at: "nodes[258].name", old: "crate", new: HOSTILE },
            ],
          },
          { part: "models/0003-m.json", change: "added" },
        ],
      });
    if (path.startsWith("api/diff/")) return json({ against: "its original", equal: true, parts: [] });
    if (!file || !files[Number(file[1])]) return refuse(404, `no such question: ${path}`);
    const n = Number(file[1]);
    const list = parts(n);
    const broken = n === 8;
    switch (file[2]) {
      case undefined:
        return json({
          ...files[n],
          evidence: "signature 0x02971222 and version 27",
          info:
            n === 0
              ? [
                  ["nodes", made.nodeNames.length],
                  ["textures", made.textures.length],
                  ["version", 27],
                ]
              : [["parts", list.length]],
          members:
            n === 7
              ? [{ index: 0, name: HOSTILE, kind: "text", bytes: 40, detail: "flags 0x1", path: list[1].path }]
              : n === 0
                ? made.nodeNames
                    .slice(0, 400)
                    .map((name, index) => ({ index, name, kind: "object3d", bytes: 208, detail: "" }))
                : [],
          scene: n === 0 || broken,
          fault: broken
            ? {
                kind: "damaged",
                message: "node 12 has parent 99 of 40",
                path: "nodes[12]",
                offset: 4711,
                hint: "restore the original file",
              }
            : null,
          findings: findings().filter((each) => each.file === n).length,
        });
      case "tree":
        return broken
          ? refuse(422, "node 12 has parent 99 of 40", { kind: "damaged", path: files[n].path, offset: 4711 })
          : json({ parts: list });
      case "scene":
        return broken
          ? refuse(422, "node 12 has parent 99 of 40", {
              kind: "damaged",
              path: files[n].path,
              offset: 4711,
              hint: "restore the original file",
            })
          : bytes(made.packed, "application/octet-stream");
      case "findings":
        return json({ findings: findings().filter((each) => each.file === n), complete: true });
      case "explain":
        return json({
          lines: [
            { offset: 48, bytes: 36, path: "nodes[257].name", value: "door1", role: "value" },
            { offset: 84, bytes: 4, path: "nodes[257].flags", value: "0x0108031c", role: "value" },
          ],
        });
      case "part": {
        const part = list.find((each) => each.path === q.get("path"));
        if (!part) return refuse(404, `no such part: ${q.get("path")}`);
        if (part.path === "refit.json")
          return bytes(
            Buffer.from(JSON.stringify({ refit: "0.1.0", tree: 2, game: "mw", format: files[n].format }, null, 2)),
            "application/json",
          );
        if (part.document === "gamez-nodes") return bytes(Buffer.from(made.document), "application/json");
        if (part.document === "anim-definition")
          return bytes(Buffer.from(JSON.stringify(definition)), "application/json");
        if (part.document === "messages") return bytes(Buffer.from(JSON.stringify(messages)), "application/json");
        if (part.document === "motion") return bytes(Buffer.from(JSON.stringify(motion)), "application/json");
        if (part.kind === "picture") {
          const name = part.path.replace(/^images\/|\.png$/g, "");
          const at = made.textures.indexOf(`${name}.tif`);
          return bytes(picture(name, at, made.sizeOf(at)), "image/png");
        }
        if (part.kind === "sound") return bytes(wav(1.2, 220 + 90 * list.indexOf(part)), "audio/wav");
        if (part.kind === "bytes")
          return bytes(Buffer.from(Array.from({ length: 3000 }, (_, k) => (k * 37) & 255)), "application/octet-stream");
        return bytes(
          Buffer.from(`// script of c1 ${HOSTILE}\nLOAD "world1" ${"\nSET door1 0x1f 2.5 ; comment".repeat(200)}`),
          "text/plain; charset=utf-8",
        );
      }
      default:
        return refuse(404, "no such question");
    }
  };
  return new Promise((done) => {
    const start = () => {
      const server = createServer(answer);
      server.listen(options.port ?? 0, "127.0.0.1", () =>
        done({ server, url: `http://127.0.0.1:${server.address().port}/`, made }),
      );
    };
    start();
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const value = (name, other) => {
    const at = process.argv.indexOf(`--${name}`);
    return at < 0 ? other : process.argv[at + 1];
  };
  const { url } = await serve({
    port: Number(value("port", 7800)),
    objects: Number(value("objects", 600)),
    shapes: Number(value("shapes", 60)),
    textures: Number(value("textures", 24)),
    hints: process.argv.includes("--hints"),
    proxy: value("proxy", null),
  });
  console.log(url);
}
