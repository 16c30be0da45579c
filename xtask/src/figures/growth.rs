//! `cargo xtask figures --growth FOLDER`: how the cost of each verb grows with the number of things.
//!
//! Every verb runs on four sizes, each twice the last. The exponent is the slope of the processor
//! time over all four: 1 is linear, 2 quadratic. Times below [`NOISE`] say nothing and give no
//! exponent. Memory is that of the largest size, divided by the size of its file.

use super::Bench;
use crate::{synthetic, typical};
use anyhow::{Result, ensure};
use std::{fmt::Write, fs, path::Path};

/// Processor time, in seconds, that starting the program alone may take: less shows no growth.
const NOISE: f64 = 0.05;

/// The largest exponent that is not reported as a failure: n log n, and what a timer is off.
const LIMIT: f64 = 1.1;

/// How many sizes there are.
const SIZES: usize = 4;

/// A verb with its arguments. `{n}` in them is the number of the size.
struct Verb {
    what: &'static str,
    line: &'static str,
    codes: &'static [i32],
}

const fn verb(what: &'static str, line: &'static str) -> Verb {
    Verb {
        what,
        line,
        codes: &[0, 3],
    }
}

const PBO: &[Verb] = &[
    verb("unpack", "unpack pbo{n}.pbo -o pbo{n} --force"),
    verb(
        "unpack --no-proof",
        "unpack pbo{n}.pbo -o pbo{n} --force --no-proof",
    ),
    verb("repack", "repack pbo{n} -o pbo{n}.again --force"),
    verb("verify", "verify pbo{n}.pbo"),
    verb("lint", "lint pbo{n}.pbo"),
    verb("list", "list pbo{n}.pbo"),
    verb("explain", "explain pbo{n}.pbo"),
    Verb {
        what: "find",
        line: "find nobody_says_this pbo{n}.pbo",
        codes: &[1],
    },
    verb("add", "add pbo{n}.pbo extra.txt -o pbo{n}.added --force"),
    verb("diff", "diff pbo{n}.pbo pbo{n}.edited"),
    verb(
        "mod make",
        "mod make pbo{n}.pbo pbo{n}.edited -o pbo{n}.refitmod --force",
    ),
    verb(
        "mod apply",
        "mod apply pbo{n}.refitmod --to pbo{n}.game/pbo{n}.pbo",
    ),
    verb("mod remove", "mod remove --all --from pbo{n}.game"),
];

const WORLD: &[Verb] = &[
    verb(
        "import",
        "import objects{n}.gltf --into empty.zbd --under world1 -o world{n}.zbd --force",
    ),
    verb(
        "world add",
        "world add empty.zbd objects{n}.gltf --at 512,0,512 -o world{n}.zbd --force",
    ),
    verb(
        "world ground",
        "world ground empty.zbd objects{n}.gltf -o ground{n}.zbd --force",
    ),
    verb("world list", "world list world{n}.zbd"),
    verb(
        "world copy",
        "world copy world{n}.zbd o7 --at 600,0,600 --name copied -o copy{n}.zbd --force",
    ),
    verb(
        "world copy --from",
        "world copy empty.zbd all --from world{n}.zbd --at 600,0,600 -o from{n}.zbd --force",
    ),
    verb(
        "world move",
        "world move world{n}.zbd o7 --by 1,0,1 -o move{n}.zbd --force",
    ),
    verb(
        "world rename",
        "world rename world{n}.zbd o7 renamed -o rename{n}.zbd --force",
    ),
    verb(
        "world remove",
        "world remove world{n}.zbd o7 -o remove{n}.zbd --force",
    ),
    verb("export", "export world{n}.zbd -o world{n}.glb --force"),
    verb(
        "put world",
        "put world{n}.zbd world world{n}.glb/world.glb -o put{n}.zbd --force",
    ),
    verb("unpack", "unpack world{n}.zbd -o world{n} --force"),
    verb(
        "unpack --no-proof",
        "unpack world{n}.zbd -o world{n} --force --no-proof",
    ),
    verb("repack", "repack world{n} -o world{n}.again --force"),
    verb("verify", "verify world{n}.zbd"),
    verb("lint", "lint world{n}.zbd"),
    verb("explain", "explain world{n}.zbd"),
    verb("diff", "diff world{n}.zbd move{n}.zbd"),
    verb(
        "mod make",
        "mod make world{n}.zbd move{n}.zbd -o world{n}.refitmod --force",
    ),
    verb(
        "mod apply",
        "mod apply world{n}.refitmod --to world{n}.game/world{n}.zbd",
    ),
    verb("mod remove", "mod remove --all --from world{n}.game"),
];

const ANIM: &[Verb] = &[
    verb("unpack", "unpack anim{n}.zbd -o anim{n} --force"),
    verb(
        "unpack --no-proof",
        "unpack anim{n}.zbd -o anim{n} --force --no-proof",
    ),
    verb("repack", "repack anim{n} -o anim{n}.again --force"),
    verb("verify", "verify anim{n}.zbd"),
    verb("lint", "lint anim{n}.zbd"),
    verb("explain", "explain anim{n}.zbd"),
    verb(
        "anim decompile",
        "anim decompile anim{n}.zbd -o defs{n} --force",
    ),
    verb(
        "anim compile",
        "anim compile defs{n} --base anim{n}.zbd -o compiled{n}.zbd --force",
    ),
    verb("diff", "diff anim{n}.zbd anim{n}.edited"),
    verb(
        "mod make",
        "mod make anim{n}.zbd anim{n}.edited -o anim{n}.refitmod --force",
    ),
    verb(
        "mod apply",
        "mod apply anim{n}.refitmod --to anim{n}.game/anim{n}.zbd",
    ),
    verb("mod remove", "mod remove --all --from anim{n}.game"),
];

const READER: &[Verb] = &[
    verb("unpack", "unpack reader{n}.zbd -o reader{n} --force"),
    verb("repack", "repack reader{n} -o reader{n}.again --force"),
    verb("verify", "verify reader{n}.zbd"),
    verb("lint", "lint reader{n}.zbd"),
    verb("explain", "explain reader{n}.zbd"),
    Verb {
        what: "find",
        line: "find nobody_says_this reader{n}.zbd",
        codes: &[1],
    },
    verb(
        "add",
        "add reader{n}.zbd extra.zrd.json -o reader{n}.added --force",
    ),
    verb("diff", "diff reader{n}.zbd reader{n}.edited"),
    verb(
        "mod make",
        "mod make reader{n}.zbd reader{n}.edited -o reader{n}.refitmod --force",
    ),
    verb(
        "mod apply",
        "mod apply reader{n}.refitmod --to reader{n}.game/reader{n}.zbd",
    ),
    verb("mod remove", "mod remove --all --from reader{n}.game"),
    verb("put --family", "put --family family{n} sound.wav sound.wav"),
];

/// The things of the largest size: files of an archive, objects, definitions, members.
const MOST: [usize; 4] = [40_000, 16_000, 16_000, 32_000];

impl Bench {
    /// Prints the table. An error names the verbs that grow faster than [`LIMIT`].
    pub(super) fn growth(&self, scale: usize) -> Result<()> {
        let scale = scale.max(1);
        self.inputs(scale)?;
        println!(
            "Processor seconds at n, 2n, 4n, 8n; the exponent; peak memory at 8n, and how often the file fits into it"
        );
        let mut steep = Vec::new();
        for (of, verbs) in [
            ("pbo", PBO),
            ("world", WORLD),
            ("anim", ANIM),
            ("reader", READER),
        ] {
            for verb in verbs {
                if let Some(exponent) = self.grown(of, verb)?
                    && exponent > LIMIT
                {
                    steep.push(format!("{of}: {} {exponent:.2}", verb.what));
                }
            }
        }
        ensure!(
            steep.is_empty(),
            "steeper than n to the {LIMIT}: {}",
            steep.join(", ")
        );
        Ok(())
    }

    /// Runs a verb on all sizes and prints its row.
    fn grown(&self, of: &str, verb: &Verb) -> Result<Option<f64>> {
        let mut row = format!("{:<26}", format!("{of}: {}", verb.what));
        let (mut points, mut peak) = (Vec::new(), 0);
        for n in 0..SIZES {
            let line = verb.line.replace("{n}", &n.to_string());
            let words: Vec<&str> = ["refit"].into_iter().chain(line.split(' ')).collect();
            let took = self.run(&words)?;
            let said = || fs::read_to_string(self.folder.join("log.txt")).unwrap_or_default();
            ensure!(
                took.code.is_some_and(|code| verb.codes.contains(&code)),
                "{line}: exit code {:?}\n{}",
                took.code,
                said()
            );
            let _ = write!(row, " {:>8.3}", took.cpu);
            points.push(took.cpu);
            peak = took.peak.unwrap_or_default();
        }
        let exponent = exponent(&points);
        let bytes = ["pbo", "zbd"]
            .iter()
            .find_map(|end| fs::metadata(self.folder.join(format!("{of}{}.{end}", SIZES - 1))).ok())
            .map_or(0, |meta| meta.len());
        let shown = exponent.map_or_else(|| "–".to_owned(), |exponent| format!("{exponent:.2}"));
        println!(
            "{row} {shown:>6} {:>6.0} MB {:>5.1} x",
            peak as f64 / 1e6,
            peak as f64 / bytes.max(1) as f64
        );
        Ok(exponent)
    }

    /// Writes the files of all sizes.
    fn inputs(&self, scale: usize) -> Result<()> {
        let at = |name: String| self.folder.join(name);
        fs::write(at("extra.txt".into()), "hello\n")?;
        fs::write(at("extra.zrd.json".into()), "[\"EXTRA\", 1]\n")?;
        fs::write(at("sound.wav".into()), synthetic::wav(4_000, 7))?;
        self.quiet(&[
            "refit",
            "new",
            "gamez",
            "--game",
            "mw",
            "--extents",
            "0,0,4096,4096",
            "-o",
            "empty.zbd",
        ])?;
        for n in 0..SIZES {
            let many = |most: usize| (most / scale) >> (SIZES - 1 - n);
            let [files, objects, definitions, members] = MOST.map(many);
            let addon: Vec<(String, Vec<u8>)> = (0..files)
                .map(|i| {
                    (
                        format!("data\\f{i:05}.sqf"),
                        synthetic::script(1_200, i as u64),
                    )
                })
                .collect();
            let mut edited = addon.clone();
            every_tenth(&mut edited, |bytes| bytes.extend_from_slice(b"// edited\n"));
            fs::write(at(format!("pbo{n}.pbo")), synthetic::pbo_of("p", &addon))?;
            fs::write(
                at(format!("pbo{n}.edited")),
                synthetic::pbo_of("p", &edited),
            )?;
            let buffer = format!("objects{n}.bin");
            let (text, numbers) = gltf(objects, &buffer);
            fs::write(at(format!("objects{n}.gltf")), text)?;
            fs::write(at(buffer), numbers)?;
            fs::write(
                at(format!("anim{n}.zbd")),
                typical::recoil_animations(definitions),
            )?;
            let readers: Vec<(String, Vec<u8>)> = (0..members)
                .map(|i| (format!("r{i:05}.zrd"), reader(i as u32)))
                .collect();
            let mut edited = readers.clone();
            every_tenth(&mut edited, |bytes| {
                if let Some(last) = bytes.last_mut() {
                    *last ^= 1;
                }
            });
            let archive = |members: &[(String, Vec<u8>)]| {
                synthetic::archive(synthetic::Footer::Zero, members)
            };
            fs::write(at(format!("reader{n}.zbd")), archive(&readers))?;
            fs::write(at(format!("reader{n}.edited")), archive(&edited))?;
            self.edited_animations(n)?;
            let sounds: Vec<(String, Vec<u8>)> = (0..members / 32)
                .map(|i| (format!("s{i:05}.wav"), synthetic::wav(2_000, i as u64)))
                .chain([("sound.wav".to_owned(), synthetic::wav(4_000, 8))])
                .collect();
            fs::create_dir_all(at(format!("family{n}")))?;
            fs::write(at(format!("family{n}/soundsh.zbd")), archive(&sounds))?;
            self.quiet(&[
                "refit",
                "import",
                &format!("objects{n}.gltf"),
                "--into",
                "empty.zbd",
                "--under",
                "world1",
                "-o",
                &format!("world{n}.zbd"),
            ])?;
            for (of, end) in [
                ("pbo", "pbo"),
                ("world", "zbd"),
                ("anim", "zbd"),
                ("reader", "zbd"),
            ] {
                let file = format!("{of}{n}.{end}");
                fs::create_dir_all(at(format!("{of}{n}.game")))?;
                fs::copy(at(file.clone()), at(format!("{of}{n}.game/{file}")))?;
            }
        }
        Ok(())
    }

    /// The animations of a size with a tenth of the definitions edited.
    fn edited_animations(&self, n: usize) -> Result<()> {
        let (file, tree) = (format!("anim{n}.zbd"), format!("anim{n}"));
        self.quiet(&["refit", "unpack", &file, "-o", &tree, "--no-proof"])?;
        let mut documents: Vec<_> = fs::read_dir(self.folder.join(&tree).join("defs"))?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        documents.sort();
        for document in documents.iter().step_by(10) {
            super::edit(document, 1)?;
        }
        self.quiet(&["refit", "repack", &tree, "-o", &format!("anim{n}.edited")])
    }
}

fn every_tenth(files: &mut [(String, Vec<u8>)], edit: impl Fn(&mut Vec<u8>)) {
    files
        .iter_mut()
        .step_by(10)
        .for_each(|(_, bytes)| edit(bytes));
}

/// The slope of the logarithms, by least squares. `None` if the smallest is noise.
fn exponent(points: &[f64]) -> Option<f64> {
    if points.iter().any(|cpu| *cpu < NOISE) {
        return None;
    }
    let n = points.len() as f64;
    let x = |i: usize| i as f64 * 2f64.ln();
    let (mean_x, mean_y) = (
        (0..points.len()).map(x).sum::<f64>() / n,
        points.iter().map(|cpu| cpu.ln()).sum::<f64>() / n,
    );
    let (mut over, mut under) = (0.0, 0.0);
    for (i, cpu) in points.iter().enumerate() {
        over += (x(i) - mean_x) * (cpu.ln() - mean_y);
        under += (x(i) - mean_x).powi(2);
    }
    Some(over / under)
}

/// A reader of one list: a name and a number.
fn reader(i: u32) -> Vec<u8> {
    let mut out = Vec::new();
    for word in [4, 3, 3, 5] {
        out.extend_from_slice(&u32::to_le_bytes(word));
    }
    out.extend_from_slice(b"SPEED");
    for word in [1, i] {
        out.extend_from_slice(&u32::to_le_bytes(word));
    }
    out
}

/// A glTF file with so many objects below one, each a triangle of its own, and its buffer of this name.
fn gltf(objects: usize, uri: &str) -> (String, Vec<u8>) {
    let (mut buffer, mut accessors, mut meshes) = (Vec::new(), Vec::new(), Vec::new());
    let mut nodes = vec![serde_json::json!({
        "name": "all", "children": (1..=objects).collect::<Vec<_>>()
    })];
    for i in 0..objects {
        let size = 1.0 + (i % 7) as f32 / 8.0;
        for number in [0.0, 0.0, 0.0, size, 0.0, 0.0, 0.0, size, 0.0] {
            buffer.extend_from_slice(&f32::to_le_bytes(number));
        }
        accessors.push(serde_json::json!({
            "bufferView": 0, "byteOffset": i * 36, "componentType": 5126, "count": 3, "type": "VEC3",
            "min": [0, 0, 0], "max": [size, size, 0]
        }));
        meshes.push(serde_json::json!({ "primitives": [{ "attributes": { "POSITION": i } }] }));
        let (x, z) = ((i % 200) * 4, (i / 200) * 4);
        nodes.push(
            serde_json::json!({ "name": format!("o{i}"), "mesh": i, "translation": [x, 0, z] }),
        );
    }
    let text = serde_json::json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": nodes, "meshes": meshes, "accessors": accessors,
        "bufferViews": [{ "buffer": 0, "byteLength": buffer.len() }],
        "buffers": [{ "byteLength": buffer.len(), "uri": uri }]
    });
    (text.to_string(), buffer)
}

/// Processor time of a process so far, in seconds: user and system.
pub(super) fn cpu_of(id: u32) -> Option<f64> {
    /// Ticks of `/proc` in a second, on every Linux.
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string(Path::new("/proc").join(id.to_string()).join("stat")).ok()?;
    // The name of the program, in parentheses, may have blanks.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS)
}
