//! Generated definitions: every key of every event of Recoil, in random combinations. The compiled
//! file decompiles to definitions that compile to the same file, with and without a base, and these
//! definitions are their own canonical form.

use super::*;
use std::{collections::BTreeSet, sync::LazyLock};

/// Numbers that follow from a seed (xorshift).
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % sides
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.roll(all.len())]
    }

    /// A number that a person would write, or an unlikely one.
    fn number(&mut self) -> String {
        match self.roll(6) {
            0 => (self.roll(21) as i32 - 10).to_string(),
            1 => format!("{:.1}", self.roll(2000) as f64 / 10.0 - 100.0),
            2 => format!("{:.3}", self.roll(20_000) as f64 / 1000.0),
            3 => "0".into(),
            4 => "-0.0".into(),
            _ => format!(
                "{:?}",
                f32::from_bits((self.roll(1 << 30) as u32 & 0x03ff_ffff) | 0x4000_0000)
            ),
        }
    }

    /// A node that an event changes.
    fn target(&mut self) -> &'static str {
        self.of(&["door", "gate", "lamp1", "lamp2", "healthy"])
    }
}

/// Every event of Recoil's sources, one per line. `[a|b]` is one of the alternatives, `<3>` three
/// numbers, `<+>` a positive one, `<target>` a node that an event changes.
static EVENTS: LazyLock<Vec<&str>> = LazyLock::new(|| include_str!("events.txt").lines().collect());
/// Parts of several events.
const PARTS: [(&str, &str); 3] = [
    ("<at>", "[| AT_NODE ( <node> )| AT_NODE ( <node> <3> )]"),
    ("<run>", " RUN_TIME ( <+> )"),
    (
        "<if>",
        "[RANDOM_WEIGHT ( <1> )|PLAYER_RANGE ( <+> )|ANIMATION_LOD ( LOW )|ANIMATION_LOD ( MEDIUM )|\
        ANIMATION_LOD ( HIGH )|PLAYER_UNDERCOVER ( <1> )|NODE_UNDERCOVER ( <target> <1> )]",
    ),
];
const START: &str = "[|||||| START_TIME ( ANIMATION_OFFSET <1> )| START_TIME ( SEQUENCE_OFFSET <1> )|\
    \x20START_TIME ( EVENT_OFFSET <1> )]";

/// Replaces the text between two characters, together with these.
fn replace(text: &str, open: char, close: char, mut with: impl FnMut(&str) -> String) -> String {
    let mut pieces = text.split(open);
    let mut out = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let (inside, behind) = piece.split_once(close).unwrap();
        out += &(with(inside) + behind);
    }
    out
}

/// An event with random keys.
fn event_of(d: &mut Dice, kind: usize) -> String {
    let mut text = format!("{}{START} )", EVENTS[kind]);
    PARTS
        .iter()
        .for_each(|(part, keys)| text = text.replace(part, keys));
    let text = replace(&text, '[', ']', |all| {
        d.of(&all.split('|').collect::<Vec<_>>()).to_owned()
    });
    replace(&text, '<', '>', |what| match what {
        "name" => d
            .of(&[
                "bang",
                "hum",
                "glow",
                "x",
                "a_name_of_thirty_one_letters_xx",
            ])
            .into(),
        "node" => d
            .of(&["door", "gate", "lamp1", "lamp2", "healthy", "INPUT_NODE"])
            .into(),
        "target" => d.target().into(),
        // Angles as people write them: other angles lose bits in rounding, which are written as
        // `bits` and tested elsewhere.
        "launch" => format!("{} {}", d.roll(360), d.roll(181) as i32 - 90),
        "+" => format!("{:.2}", 0.01 + d.roll(1000) as f64 / 100.0),
        n => (0..n.parse::<usize>().unwrap())
            .map(|_| d.number())
            .collect::<Vec<_>>()
            .join(" "),
    })
}

fn definition_of(d: &mut Dice, number: usize) -> String {
    let mut keys = format!("NAME ( {} ) ANIMATION_NAME ( made{number} )", d.target());
    for key in [
        "ANIMATION_ROOT_NAME ( world1 )",
        "ACTIVATION ( ON_STARTUP )",
        "EXECUTION_BY_RANGE ( 12.5 )",
        "EXECUTION_BY_ZONE ( )",
        "EXECUTION_PRIORITY ( 1 )",
        "HEALTH ( 6 )",
        "SAVE_LOG ( OFF )",
        "NETWORK_LOG ( OFF )",
        "ACTIVATION_PREREQUISITE ( REQUIRED ( ANIMATION_LIST ( a b ) ) OPTIONS ( MINIMUM_TO_SATISFY ( 2 ) \
        OBJECT_ACTIVE_LIST ( ( a b ) ( c ) ) ) )",
        "ACTIVATION_PREREQUISITE ( OBJECT_INACTIVE_LIST ( ( a ) ) )",
    ] {
        if d.roll(3) == 0 {
            keys += &format!(" {key}");
        }
    }
    keys += d.of(&[
        "",
        " RESET_TIME ( -1 )",
        " RESET_TIME ( 4.5 )",
        " RESET_TIME ( 0 -1 )",
        " RESET_TIME ( -1 -1 )",
    ]);
    let events = |d: &mut Dice| {
        let kinds: Vec<usize> = (0..d.roll(7)).map(|_| d.roll(EVENTS.len())).collect();
        kinds
            .into_iter()
            .map(|kind| event_of(d, kind))
            .collect::<Vec<_>>()
            .join(" ")
    };
    if d.roll(2) == 0 {
        keys += &format!(" RESET_STATE ( {} )", events(d));
    }
    for name in ["main", "", "main"].iter().take(d.roll(4)) {
        let name = if name.is_empty() {
            String::new()
        } else {
            format!("NAME ( {name} )")
        };
        keys += &format!(
            " SEQUENCE_DEFINITION ( {name} {} {} )",
            d.of(&["", "ACTIVATION ( ON_CALL )"]),
            events(d)
        );
    }
    format!("ANIMATION_DEFINITION ( {keys} )")
}

/// Definitions with one event of each kind, and with many combinations.
pub fn all_definitions() -> Vec<String> {
    let mut out: Vec<String> = (0..EVENTS.len() * 12)
        .map(|i| {
            let d = &mut Dice(0x9e37_79b9_7f4a_7c15 ^ (i as u64 + 1) << 20);
            gate("", &event_of(d, i % EVENTS.len()))
        })
        .collect();
    out.extend(
        (0..200).map(|i| definition_of(&mut Dice(0x2545_f491_4f6c_dd1d ^ (i as u64 + 1) << 16), i)),
    );
    out
}

#[test]
fn compiling_decompiled_definitions_is_a_fixed_point() {
    let gravity = "ANIMATION_DEFINITIONS ( GRAVITY ( -7.25 ) ANIMATION_LIST (";
    let text = format!(
        "{gravity} {} {} ) )\n",
        rich(),
        all_definitions().join("\n")
    );
    let compiled = good(compile_files(&folder(&[("anim.zrd", &text)]), None, &options()).unwrap());
    // They include every event of the table.
    let anim = compiled.anim.unwrap();
    let all = read(&anim);
    let seen: BTreeSet<u8> = all
        .iter()
        .flat_map(Definition::events)
        .map(|event| event.body.number())
        .collect();
    let all: BTreeSet<u8> = (1..=11).chain(13..=28).chain(30..=37).chain([39]).collect();
    assert_eq!(seen, all);
    let bytes = anim.write().unwrap();
    let text_of = |made: &Decompiled| -> Vec<(String, Bytes)> {
        made.files
            .iter()
            .filter(|(path, _)| path != "refit.json")
            .cloned()
            .collect()
    };
    for spelling in [Spelling::Zrd, Spelling::Json] {
        let (again, made) = around(
            Anim::read(&bytes.clone().into(), None).unwrap(),
            false,
            spelling,
        );
        assert_eq!(made.raw, 0);
        assert!(again == bytes, "without a base");
        // The resulting definitions are their own canonical form.
        let (_, twice) = around(Anim::read(&again.into(), None).unwrap(), false, spelling);
        assert!(text_of(&twice) == text_of(&made));
        let (over, _) = around(
            Anim::read(&bytes.clone().into(), None).unwrap(),
            true,
            spelling,
        );
        assert!(over == bytes, "over itself");
        // Keys express everything: none of refit's own lists is needed.
        for (path, text) in text_of(&made) {
            let text = String::from_utf8_lossy(&text)
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            let own: Vec<&str> = text
                .match_indices("REFIT")
                .map(|(at, _)| &text[at.saturating_sub(200)..(at + 90).min(text.len())])
                .collect();
            assert!(own.is_empty(), "{path}: {own:#?}");
        }
    }
}
