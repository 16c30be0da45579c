//! Members of reader archives that refit writes, as the engine reads them.

use super::{Engine, Verdict, keep, one};
use crate::fuzz::{Random, WORDS};
use anyhow::{Context, Result};
use rayon::prelude::*;
use refit::{
    File, Hints,
    formats::{
        Format,
        reader::{ReaderDoc, Value, View},
    },
    game::Game,
    wire::F32,
};
use std::fmt::Write;

/// A value, at most `depth` lists deep.
fn value(random: &mut Random, depth: usize) -> Result<Value> {
    Ok(match random.below(if depth == 0 { 3 } else { 5 }) {
        0 => Value::from(random.next() as i32 >> random.below(32)),
        1 => {
            let bits = match random.below(3) {
                0 => random.next() as u32,
                1 => one(random, WORDS).unwrap_or_default(),
                _ => (random.below(20_000) as f32 / 64.0 - 100.0).to_bits(),
            };
            Value::from(F32::from_bits(bits))
        }
        2 => {
            let length = match random.below(8) {
                0 => 0,
                1 => random.below(400),
                _ => 1 + random.below(20),
            };
            // The engine's strings end at a zero.
            let bytes: Vec<u8> = (0..length).map(|_| 1 + random.below(255) as u8).collect();
            Value::string(&bytes)?
        }
        _ => {
            let items = (0..random.below(7)).map(|_| value(random, depth - 1));
            Value::list(items.collect::<Result<Vec<_>>>()?)?
        }
    })
}

/// The values in the words of the engine's program.
fn print(view: View<'_>, depth: usize, out: &mut String) {
    let _ = write!(out, "{:1$}", "", depth * 2);
    match view {
        View::Int(n) => {
            let _ = writeln!(out, "int {n}");
        }
        View::Float(f) => {
            let _ = writeln!(out, "float {:08x}", f.bits());
        }
        View::Text(text) => {
            out.push_str("string \"");
            for byte in text {
                match byte {
                    b' '..=b'~' if !b"\"\\".contains(byte) => out.push(char::from(*byte)),
                    _ => {
                        let _ = write!(out, "\\x{byte:02x}");
                    }
                }
            }
            out.push_str("\"\n");
        }
        View::List(items) => {
            let _ = writeln!(out, "array {}", items.len());
            items.for_each(|item| print(item, depth + 1, out));
        }
    }
}

/// What the program prints, without the decimal digits of floats.
fn without_decimals(said: &str) -> String {
    let lines = said.lines().map(|line| match line.find("float ") {
        Some(at) if line.trim_start().starts_with("float ") => line.get(..at + 14).unwrap_or(line),
        _ => line,
    });
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The bytes of a member that refit wrote: once directly, and once through its text in an archive.
fn written(value: Value, random: &mut Random) -> Result<(ReaderDoc, Vec<u8>)> {
    let doc = ReaderDoc::from(value);
    let archive = crate::synthetic::archive(
        crate::synthetic::Footer::One,
        &[("a.zrd".to_owned(), roundtrip_tests::by_hand::int(0))],
    );
    let hints = Hints {
        game: Some(Game::Rc),
        format: Some(Format::Reader),
    };
    let mut file = File::read_as(archive, "zrdr.zbd", hints)?;
    let member = file.member("a.zrd")?;
    if random.below(2) == 0 {
        file.put_document(member, &doc)?;
    } else {
        let style = [refit::Style::Json, refit::Style::Ron][random.below(2)];
        let text = refit::tree::Document::to_text(&doc, style)?;
        file.put(
            member,
            text.as_bytes(),
            refit::formats::Form::Document(style),
        )?;
    }
    let bytes = file.get(member, refit::formats::Form::Stored)?;
    Ok((doc, bytes.to_vec()))
}

/// Gives `count` members to the engine; returns the faults.
pub(super) fn run(engine: &Engine, count: usize, seed: u64) -> Result<Vec<String>> {
    let faults: Vec<Option<String>> = (0..count)
        .into_par_iter()
        .map(|n| {
            let mut random = Random::new(seed, n as u64);
            let depth = random.below(7);
            let (doc, bytes) = written(value(&mut random, depth)?, &mut random)
                .with_context(|| format!("reader {seed}-{n}"))?;
            let (verdict, said) = engine.reader(&bytes, &format!("{n}.zrd"))?;
            let mut expected = String::new();
            print(doc.view(), 0, &mut expected);
            if verdict == Verdict::Read && without_decimals(&said) == expected {
                return Ok(None);
            }
            keep(&format!("reader-{seed}-{n}.zrd"), &bytes)?;
            Ok(Some(match verdict {
                Verdict::Read => format!("reader {seed}-{n}: the engine reads other values"),
                _ => format!("reader {seed}-{n}: {verdict:?}"),
            }))
        })
        .collect::<Result<_>>()?;
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    println!(
        "readers: {count} written by refit, {} read alike by the engine",
        count - faults.len()
    );
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_printed_as_the_program_prints_them() {
        let list = Value::list([
            Value::from(-3),
            Value::from(1.5f32),
            Value::string(b"a\"\xe4").unwrap(),
            Value::list([]).unwrap(),
        ]);
        let mut out = String::new();
        print(list.unwrap().view(), 0, &mut out);
        let said = "array 4\n  int -3\n  float 3fc00000 1.5\n  string \"a\\x22\\xe4\"\n  array 0\n";
        assert_eq!(out, without_decimals(said));
        assert_ne!(out, without_decimals(&said.replace("3fc00000", "3fc00001")));
    }
}
