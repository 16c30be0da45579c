//! Damaged worlds: what the engine does with each, and which finding speaks of it.

use super::{
    Engine, Verdict,
    compare::{self, Field, HINTS},
    keep, one,
};
use crate::{
    fuzz::{Random, WORDS},
    typical::recoil::small_recoil_world,
};
use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use rayon::prelude::*;
use refit::{
    game::Game,
    lint::{Finding, Severity},
    pipeline,
    tree::Style,
};
use roundtrip_tests::{Case, change, edits, repack, unpack};
use serde_json::json;
use std::collections::BTreeMap;

/// What the engine does with a damaged world, and what refit says of it.
struct Mutant {
    name: String,
    /// What was damaged.
    what: String,
    outcome: Outcome,
    why: String,
    /// The findings, or why refit does not read the file.
    findings: Result<BTreeMap<&'static str, Severity>, String>,
}

/// The engine's verdict in a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    Alike,
    Differs,
    Stumbled,
    Refused,
    Crashed,
}

impl Outcome {
    const ALL: [(Outcome, &'static str); 5] = [
        (Outcome::Alike, "read"),
        (Outcome::Differs, "read, other world"),
        (Outcome::Stumbled, "read on at a wrong place"),
        (Outcome::Refused, "refused"),
        (Outcome::Crashed, "crashed"),
    ];

    /// True if the game cannot use the world.
    fn is_fatal(self) -> bool {
        self >= Outcome::Stumbled
    }
}

/// Worlds that the engine loads.
fn starts() -> Vec<Vec<u8>> {
    let example = crate::root().join("docs/example/recoil/zbd/m1/gamez.zbd");
    let mut all = vec![small_recoil_world(0), small_recoil_world(24)];
    all.extend(std::fs::read(example));
    all
}

/// A world with one to three fields changed: each name of a field is equally likely, however often
/// it occurs.
fn damaged(start: &[u8], names: &Names, random: &mut Random) -> (Vec<u8>, String) {
    let (mut out, mut what) = (start.to_vec(), Vec::new());
    for _ in 0..[1, 1, 1, 2, 3][random.below(5)] {
        let Some(field) = names.draw(random) else {
            continue;
        };
        let (from, to) = (field.from, field.to);
        let size = to - from;
        let old = out.get(from..to).unwrap_or_default().to_vec();
        let mut new = old.clone();
        let word = random.below(size.div_ceil(4)) * 4;
        let width = (size - word).min(4);
        let value: u32 = match random.below(6) {
            0 | 1 => one(random, WORDS).unwrap_or_default(),
            2 => {
                let bytes = old.get(word..word + width).unwrap_or_default();
                let was = bytes.iter().rev().fold(0u32, |n, b| n << 8 | u32::from(*b));
                was.wrapping_add(one(random, &[1, 2, u32::MAX, u32::MAX - 1]).unwrap_or_default())
            }
            3 => random.below(40) as u32,
            4 => 1 << random.below(8 * width.max(1)),
            _ => random.next() as u32,
        };
        let bytes = value.to_le_bytes();
        for (place, byte) in new.iter_mut().skip(word).take(width).zip(bytes) {
            *place = byte;
        }
        for (place, byte) in out.iter_mut().skip(from).zip(&new) {
            *place = *byte;
        }
        what.push(format!("{} {old:02x?} → {new:02x?}", field.path));
    }
    (out, what.join(", "))
}

/// The fields of a world by their names: paths without numbers.
struct Names(Vec<Vec<Field>>);

impl Names {
    fn of(world: &[u8]) -> Result<Self> {
        let mut names: BTreeMap<String, Vec<Field>> = BTreeMap::new();
        for field in compare::fields(world)? {
            let name = field.path.chars().filter(|c| !c.is_ascii_digit()).collect();
            names.entry(name).or_default().push(field);
        }
        Ok(Names(names.into_values().collect()))
    }

    fn draw(&self, random: &mut Random) -> Option<&Field> {
        let name = self.0.get(random.below(self.0.len()))?;
        name.get(random.below(name.len()))
    }
}

/// An edit of a tree that plants a fault.
type Plant = fn(&refit::tree::Folder);

/// One fault of each kind that the engine is said to refuse or to crash on.
const PLANTS: &[(&str, Plant)] = &[
    ("gamez-cycle", |tree| {
        change(tree, "materials", |m| {
            m["materials"][3]["cycle"]["frames"] = json!([])
        })
    }),
    ("gamez-dangling", |tree| {
        change(tree, "models/0000", |m| {
            m["polygons"][0]["material"] = json!(30_000)
        })
    }),
    ("gamez-dangling", |tree| {
        change(tree, "nodes", |n| {
            n["nodes"][0]["data"]["world"]["lights"] = json!([100_000_000])
        })
    }),
    ("gamez-corners", |tree| {
        change(tree, "models/0000", |m| {
            m["polygons"][0]["vertices"][0] = json!(60_000)
        })
    }),
    ("gamez-loop", |tree| {
        change(tree, "nodes", |n| n["nodes"][5]["children"] = json!([5]))
    }),
    ("gamez-vertices", |tree| {
        change(tree, "models/0000", |m| {
            m["vertices"] = json!(vec![[0.0; 3]; 1025])
        })
    }),
    ("gamez-uv", |tree| {
        change(tree, "materials", |m| {
            m["materials"][1]
                .as_object_mut()
                .map(|m| m.remove("texture"));
        })
    }),
    ("gamez-no-corners", |tree| {
        change(tree, "models/0000", |m| {
            m["polygons"][0] = json!({ "material": 0, "vertices": [], "normals": [], "uvs": [] });
        })
    }),
    ("gamez-dangling", |tree| {
        change(tree, "nodes", |n| {
            n["nodes"][2]["data"]["camera"]["window"] = json!(30_000)
        })
    }),
    ("gamez-free-used", |tree| {
        change(tree, "refit.json", |m| m["models"]["index_free"] = json!(0))
    }),
    ("gamez-textures", |tree| {
        change(tree, "textures", |t| {
            let more = (0..4090).map(|n| json!({ "name": format!("more{n}.tif") }));
            if let Some(all) = t["textures"].as_array_mut() {
                all.extend(more);
            }
        })
    }),
    ("gamez-texture-long", |tree| {
        change(tree, "textures", |t| {
            t["textures"][2]["name"] = json!("abcdefghijklmnopqrst")
        })
    }),
    ("gamez-material-links", |tree| {
        change(tree, "materials", |m| m["index_last"] = json!(0))
    }),
    ("gamez-materials", |tree| {
        change(tree, "materials", |m| {
            let more = (0..32_768).map(|_| json!({}));
            if let Some(all) = m["materials"].as_array_mut() {
                all.extend(more);
            }
        })
    }),
    ("gamez-tracks", |tree| {
        change(tree, "nodes", |n| {
            n["nodes"][5]["name"] = json!("rtracks");
            n["nodes"][5].as_object_mut().map(|n| n.remove("model"));
        })
    }),
    ("gamez-limit", |tree| {
        change(tree, "nodes/00064", |n| {
            let more = (0..32_768).map(|_| {
                json!({ "name": "more", "flags": [],
                    "data": { "object3d": { "flags": ["INITIAL", "ALWAYS"] } } })
            });
            if let Some(all) = n["nodes"].as_array_mut() {
                all.extend(more);
            }
        })
    }),
];

/// What refit says of a world.
fn judge(bytes: &[u8]) -> Result<BTreeMap<&'static str, Severity>, String> {
    let opened = pipeline::open(&Bytes::copy_from_slice(bytes), "gamez.zbd", HINTS);
    let found = opened.and_then(|opened| pipeline::lint(&*opened.model));
    let found: Vec<Finding> = found.map_err(|e| e.to_string())?;
    Ok(found.iter().map(|f| (f.code, f.severity)).collect())
}

fn test(engine: &Engine, name: String, bytes: &[u8], what: String) -> Result<Mutant> {
    let (verdict, written) = engine.world(bytes, &name)?;
    let findings = judge(bytes);
    let (outcome, why) = match &verdict {
        Verdict::Read => {
            // A file that refit does not read has no fields to compare, and the engine leaves out
            // gaps.
            let changes = match (&findings, written) {
                (Ok(findings), Some(written)) if !findings.contains_key("gamez-gap") => {
                    compare::changes_of_damaged(bytes, &written)?
                }
                _ => Vec::new(),
            };
            match changes.first() {
                None => (Outcome::Alike, String::new()),
                Some(change) => (Outcome::Differs, change.clone()),
            }
        }
        Verdict::Stumbled(why) => (Outcome::Stumbled, why.clone()),
        Verdict::Refused(why) => (Outcome::Refused, why.clone()),
        Verdict::Crashed(why) => (Outcome::Crashed, why.clone()),
    };
    let worst = findings
        .as_ref()
        .map(worst)
        .unwrap_or(Some(Severity::Refuses));
    if outcome.is_fatal() && worst < Some(Severity::Crashes) {
        keep(&format!("{name}.zbd"), bytes)?;
    }
    Ok(Mutant {
        name,
        what,
        outcome,
        why,
        findings,
    })
}

fn worst(findings: &BTreeMap<&'static str, Severity>) -> Option<Severity> {
    findings.values().max().copied()
}

/// Gives `count` damaged worlds and the planted ones to the engine; returns the faults.
pub(super) fn run(engine: &Engine, count: usize, seed: u64) -> Result<Vec<String>> {
    let starts = starts();
    let names: Vec<Names> = starts.iter().map(|s| Names::of(s)).collect::<Result<_>>()?;
    let tree = |start: &Vec<u8>| {
        let file = refit::tree::Blob::Memory(start.clone().into());
        refit::diff::Tree::of_file(&file, "gamez.zbd", HINTS)
    };
    let trees: Vec<refit::diff::Tree> = starts.iter().map(tree).collect::<Result<_, _>>()?;
    for (i, start) in starts.iter().enumerate() {
        let whole = test(engine, format!("start{i}"), start, String::new())?;
        ensure!(whole.outcome == Outcome::Alike, "start {i}: {}", whole.why);
        let severe = whole.findings.map_err(anyhow::Error::msg)?;
        ensure!(
            worst(&severe) < Some(Severity::Crashes),
            "start {i}: {severe:?}"
        );
    }
    let whole = Case {
        path: "gamez.zbd".to_owned(),
        folder: "gamez".to_owned(),
        bytes: small_recoil_world(0).into(),
    };
    let mut planted = Vec::new();
    for (i, (code, plant)) in PLANTS.iter().enumerate() {
        let tree = unpack(&whole, HINTS, Style::Json);
        plant(&tree);
        let name = format!("plant{i}-{code}");
        let mutant = test(engine, name.clone(), &repack(&tree), (*code).to_owned())?;
        let found = mutant
            .findings
            .as_ref()
            .map_err(|e| anyhow::anyhow!("{name}: {e}"))?;
        ensure!(
            found.contains_key(code),
            "{name}: the fault is not found: {found:?}"
        );
        planted.push(mutant);
    }
    let drawn: Vec<Mutant> = (0..count)
        .into_par_iter()
        .map(|n| {
            let mut random = Random::new(seed, n as u64);
            let which = random.below(starts.len());
            let (start, names) = starts.get(which).zip(names.get(which)).context("a start")?;
            // Of four, three change fields, and one edits the tree, which keeps counts and sizes
            // right.
            let edit = trees.get(which).filter(|_| n % 4 == 3).and_then(|tree| {
                let kind = one(&mut random, edits::KINDS)?;
                let bytes = edits::edited(tree, kind, random.next())?;
                Some((bytes, format!("in the tree: {kind}")))
            });
            let (bytes, what) = edit.unwrap_or_else(|| damaged(start, names, &mut random));
            test(engine, format!("mutant-{seed}-{n}"), &bytes, what)
        })
        .collect::<Result<_>>()?;
    print_outcomes(&drawn);
    print_kinds(&drawn, &planted);
    let silent = drawn.iter().filter(|m| {
        let worst = m
            .findings
            .as_ref()
            .map(worst)
            .unwrap_or(Some(Severity::Refuses));
        m.outcome == Outcome::Differs && worst < Some(Severity::Crashes)
    });
    for mutant in silent {
        println!(
            "note: {}: {}; damaged: {}",
            mutant.name, mutant.why, mutant.what
        );
    }
    let unexplained = drawn.iter().chain(&planted).filter(|m| {
        let worst = m
            .findings
            .as_ref()
            .map(worst)
            .unwrap_or(Some(Severity::Refuses));
        m.outcome.is_fatal() && worst < Some(Severity::Crashes)
    });
    Ok(unexplained
        .map(|m| {
            let outcome = Outcome::ALL
                .iter()
                .find(|(outcome, _)| *outcome == m.outcome);
            format!(
                "{}: {} ({}), and no finding says so: {}",
                m.name,
                outcome.map_or("", |(_, word)| word),
                m.why,
                m.what
            )
        })
        .collect())
}

/// What the engine did beside the worst that refit says.
fn print_outcomes(mutants: &[Mutant]) {
    println!("damaged worlds             refit: does not read  refuses  crashes  milder  nothing");
    for (outcome, word) in Outcome::ALL {
        let mut row = [0usize; 5];
        for mutant in mutants.iter().filter(|m| m.outcome == outcome) {
            let column = match mutant.findings.as_ref().map(worst) {
                Err(_) => 0,
                Ok(Some(Severity::Refuses)) => 1,
                Ok(Some(Severity::Crashes)) => 2,
                Ok(Some(_)) => 3,
                Ok(None) => 4,
            };
            if let Some(count) = row.get_mut(column) {
                *count += 1;
            }
        }
        println!(
            "  {word:<26} {:>17} {:>8} {:>8} {:>7} {:>8}",
            row[0], row[1], row[2], row[3], row[4]
        );
    }
}

/// The kinds of findings of worlds that say that Recoil refuses a file or crashes, and what the
/// engine did with the worlds that have it planted, or no other such finding.
fn print_kinds(drawn: &[Mutant], planted: &[Mutant]) {
    println!(
        "kind                  says        worlds  read  other world  wrong place  refused  crashed  shown"
    );
    for code in refit::registry::codes() {
        let severity = code.severity_in(Some(Game::Rc));
        if !code.code.starts_with("gamez-") || severity < Severity::Crashes {
            continue;
        }
        let alone = drawn.iter().chain(planted).filter(|mutant| {
            let Ok(found) = &mutant.findings else {
                return false;
            };
            if mutant.what == code.code {
                return true;
            }
            let severe = found.iter().filter(|(_, s)| **s >= Severity::Crashes);
            severe.map(|(code, _)| *code).eq([code.code])
        });
        let mut row = [0usize; 5];
        for mutant in alone {
            let at = Outcome::ALL
                .iter()
                .position(|(outcome, _)| *outcome == mutant.outcome);
            if let Some(count) = at.and_then(|at| row.get_mut(at)) {
                *count += 1;
            }
        }
        let [read, other, stumbled, refused, crashed] = row;
        let shown = match severity {
            Severity::Refuses if refused > 0 => "yes",
            Severity::Crashes if other + stumbled + crashed > 0 => "yes",
            _ => "not by loading",
        };
        println!(
            "  {:<19} {:<9} {:>8} {read:>5} {other:>12} {stumbled:>12} {refused:>8} {crashed:>8}  {shown}",
            code.code,
            severity.word(),
            row.iter().sum::<usize>()
        );
    }
}
