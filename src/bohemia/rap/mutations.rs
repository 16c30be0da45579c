//! Random changes of texts: the preprocessor, the parser and the compiler must refuse or accept each
//! one, in little time, and what they accept must come back.
//!
//! `REFIT_RUNS=1000000 cargo test --release -p refit-bohemia --lib -- mutations` runs longer, and
//! `REFIT_SEED` repeats one run.

use super::*;
use std::{
    cell::Cell,
    time::{Duration, Instant},
};

/// Runs without `REFIT_RUNS`.
const RUNS: u64 = 3000;
/// Longest time for one text.
const SLOW: Duration = Duration::from_secs(5);

/// Texts to begin with.
const STARTS: [&str; 7] = [
    "#include \"macros.hpp\"\nclass CfgPatches {\n\tclass ADDON {\n\t\tname = QGVAR(name);\n\t\tunits[] = {};\n\
    \t\trequiredAddons[] = {\"a\", QUOTE(b)};\n\t};\n};\n",
    "#define DOUBLES(a,b) a##_##b\n#define TRIPLES(a,b,c) DOUBLES(DOUBLES(a,b),c)\n#define QUOTE(a) #a\n\
    class TRIPLES(x,y,z): DOUBLES(x,y) { e = QUOTE(\\\n a \\\n); delete C; class D; };\n",
    "#ifdef A\n#define B 1\n#else\n#if defined(A) || !__has_include(\"macros.hpp\") && 1 + 2 == 3\nx = 1;\n\
    #elif 2 > 1\ny = __LINE__;\n#endif\n#endif\n#undef B\n#ifndef B\nz = __FILE__;\n#endif\n",
    "x = 0x10; y = -1.5e-3; z = \"a\"\"b\"; w = 99999999999; t = db-20; a[] += {1,{2,\"x\",},3.5};\n\
    b[] = {}; e = __EVAL(1 + 2 * (3 - 4)); f = 0.5 * safezoneW; enum { A = 1, B, C = A };\n",
    "// line\n/* block\n */ class A { /*x=0d*/ s = \"\"; class B: A {}; }; s = \"a\\\n b\"; x = ;\n",
    "#define F(a,b) a b\n#define G F(1,F(2,3))\nG F(,) F((1,2),\"a,b\") __COUNTER__ __COUNTER_RESET__\n",
    "#pragma hemtt x\n#warning w\n#define L(a) class a { \\\n x = 1; \\\n};\nL(B)\nL(C)\nimport X from Y;\n",
];
/// The file that the texts include.
const MACROS: &str = "#define DOUBLES(a,b) a##_##b\n#define ADDON DOUBLES(lab,hut)\n#define GVAR(a) DOUBLES(ADDON,a)\n\
    #define QUOTE(a) #a\n#define QGVAR(a) QUOTE(GVAR(a))\n";
/// What a change puts in.
const WORDS: [&str; 40] = [
    "\"",
    "'",
    "\\",
    "\\\n",
    "\n",
    "#",
    "##",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    ":",
    "=",
    "+=",
    "//",
    "/*",
    "*/",
    "#define X ",
    "#include \"macros.hpp\"\n",
    "#include \"self.hpp\"\n",
    "#if ",
    "#endif\n",
    "#else\n",
    "QUOTE(",
    "ADDON",
    "__EVAL(",
    "__has_include(",
    "defined(",
    "class ",
    "enum {",
    "0x",
    "1e",
    "-",
    "\u{feff}",
    "\u{10fe41}",
    "/*x=0d*/",
];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }
}

/// A place between two characters.
fn place(text: &str, random: &mut Random) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// One to eight changes.
fn mutated(run: u64) -> String {
    let mut random = Random(run.wrapping_mul(0xd134_2543_de82_ef95));
    let mut text = STARTS[random.below(STARTS.len())].to_owned();
    for _ in 0..1 + random.below(8) {
        let (a, b) = (place(&text, &mut random), place(&text, &mut random));
        let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 24));
        let to = (from..=to)
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(from);
        match random.below(6) {
            0 => text.truncate(from),
            1 => text.replace_range(from..to, ""),
            2 => {
                let part = text[from..to].repeat(1 + random.below(3));
                text.insert_str(b, &part);
            }
            3 => {
                let other = STARTS[random.below(STARTS.len())];
                let start = place(other, &mut random);
                let end = place(other, &mut random).max(start);
                text.insert_str(from, &other[start..end]);
            }
            _ => text.insert_str(from, WORDS[random.below(WORDS.len())]),
        }
    }
    text
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn mutations_are_refused_or_come_back() {
    let include = |_: &str, name: &str| match name {
        "macros.hpp" => Ok((name.to_owned(), MACROS.to_owned())),
        "self.hpp" => Ok((name.to_owned(), "#include \"self.hpp\"\n".to_owned())),
        _ => Err(Error::missing(name)),
    };
    let (first, runs) = match number("REFIT_SEED") {
        Some(seed) => (seed, 1),
        None => (0, number("REFIT_RUNS").unwrap_or(RUNS)),
    };
    let mut accepted = 0u64;
    for run in first..first + runs {
        let text = mutated(run);
        let begin = Instant::now();
        let done = std::panic::catch_unwind(|| {
            let left = Cell::new(4 << 20);
            Rap::compile_with(&left, "config.cpp", &text, &include, &|_| None, true)
        });
        let Ok(done) = done else {
            panic!("REFIT_SEED={run} panics: {text:?}");
        };
        if let Ok(rap) = done {
            accepted += 1;
            // Not every text of a config can be written: zero bytes, for example.
            if let Ok(bytes) = rap.write() {
                let again = Rap::from_bytes(&bytes.clone().into()).unwrap();
                assert_eq!(again.write().unwrap(), bytes, "REFIT_SEED={run}: {text:?}");
                let back = Rap::from_text(again.text()).map(|rap| rap.write().unwrap());
                assert!(
                    back.is_ok_and(|back| back == bytes),
                    "REFIT_SEED={run}: {text:?} became {:?}",
                    again.text()
                );
            }
        }
        // Names are found in texts that are not parsed.
        names::paths(&text, &mut |_| {});
        names::classes(&text, &mut |_| {});
        assert!(
            begin.elapsed() < SLOW,
            "REFIT_SEED={run} takes too long: {text:?}"
        );
    }
    assert!(
        runs == 1 || accepted * 20 > runs,
        "{accepted} of {runs} texts were accepted"
    );
}
