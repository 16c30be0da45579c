//! Readers that a game looks for by name, and their known content. Schemas for editors, the
//! templates of `refit new reader`, and the type checks are derived from these declarations.

use super::{ReaderDoc, items::Items};
use refit_base::{
    game::Game,
    tree::{Document, Style},
    wire::{Error, Result},
};
use serde_json::{Value, json};
use std::fmt::Write;

/// A reader with a fixed name.
pub struct KnownReader {
    /// Its name for people: `net`.
    pub name: &'static str,
    /// Patterns of its members' names, without `.zrd`: `?` matches a digit, `*` any characters.
    pub members: &'static [&'static str],
    /// The games whose readers of this name are known to be so.
    pub games: &'static [Game],
    /// Its purpose, in a sentence.
    pub about: &'static str,
    /// Its unknown parts.
    pub unknown: &'static str,
    content: Shape,
}

/// The type of a value, with an example.
enum Shape {
    /// An integer.
    Int(&'static str, i32),
    /// A float.
    Float(&'static str, f32),
    /// A string.
    Text(&'static str, &'static str),
    /// A list of these values in this order; more may follow.
    Row(&'static [Shape]),
    /// A list of keys, each before its value.
    Keys(&'static [Key]),
    /// A list that begins with these values; keys and their values follow.
    RowAndKeys(&'static [Shape], &'static [Key]),
    /// A list that repeats these values.
    Each(&'static [Shape]),
}

/// A key and its value.
struct Key {
    name: &'static str,
    about: &'static str,
    value: Shape,
}

impl Key {
    /// Its description, name and value, as in a list.
    fn line(&self) -> (&'static str, Option<&'static str>, &Shape) {
        (self.about, Some(self.name), &self.value)
    }
}

use Shape::{Each, Float, Int, Keys, Row, RowAndKeys, Text};

const fn key(name: &'static str, about: &'static str, value: Shape) -> Key {
    Key { name, about, value }
}

const RECOIL: &[Game] = &[Game::Rc, Game::RcDemo];
const POSITION: Shape = Row(&[Float("x", 0.0), Float("its height y", 0.0), Float("z", 0.0)]);

/// A sample of `sounds.zrd`. The keys 3D, LOOPED, FREQUENCY, HARDWARE, PURGEABLE and VOICE have no
/// value.
const SAMPLE: Shape = RowAndKeys(
    &[
        Text("a sample: what animations and scripts call it", "hum"),
        Text("its file in the banks", "hum.wav"),
    ],
    &[
        key("VOLUME", "0.0 to 1.0", Float("", 1.0)),
        key(
            "RANGE",
            "how far it is heard",
            Row(&[
                Float("the least distance", 50.0),
                Float("the greatest", 400.0),
            ]),
        ),
        key(
            "HIGH",
            "the most for the bank soundsH, or the name of another file",
            Row(&[
                Int("samples a second", 44_100),
                Int("bits", 16),
                Int("channels", 2),
            ]),
        ),
        key(
            "MED",
            "the most for the bank soundsM, or the name of another file",
            Row(&[
                Int("samples a second", 22_050),
                Int("bits", 16),
                Int("channels", 1),
            ]),
        ),
        key(
            "LOW",
            "the most for the bank soundsL, or the name of another file",
            Row(&[
                Int("samples a second", 11_025),
                Int("bits", 8),
                Int("channels", 1),
            ]),
        ),
    ],
);

/// All of them. Sources: Recoil's engine, with counts over the shipped files; `startanims` is alike
/// in all games.
pub const ALL: &[KnownReader] = &[
    KnownReader {
        name: "aiv",
        members: &["aiv", "aiv_*"],
        games: RECOIL,
        about: "the vehicles of a mission: what they are, where they start, and which network they follow",
        unknown: "",
        content: Each(&[
            Text(
                "a vehicle, in at most 27 characters: its template is the name up to the first _ before a digit; the \
                 first that appears is the player's",
                "bft_00",
            ),
            Row(&[
                Int("the number of its network, net_01 to net_99", 1),
                POSITION,
                Float("its direction in degrees", 0.0),
            ]),
        ]),
    },
    KnownReader {
        name: "net",
        members: &["net_??"],
        games: RECOIL,
        about: "a network of paths for vehicles; only single-player missions read it",
        unknown: "whether the three coordinates of a node are in a list of their own: look at a network of the game",
        content: Keys(&[
            key(
                "version",
                "105; the game drops a network of another version",
                Int("", 105),
            ),
            key(
                "name",
                "its name, in at most 19 characters",
                Text("", "north"),
            ),
            key(
                "attack_strategy",
                "FOLLOW, CIRCLE, HEADON, BACK, ZIGZAG or SIT: the first three letters count, anything else is head-on",
                Text("", "CIRCLE"),
            ),
            key(
                "node_00",
                "a node: node_00, node_01 and so on to node_98, without a gap",
                Row(&[
                    Int("its kind", 1),
                    POSITION,
                    Int("the number of a node that it leads to, or -1", 1),
                    Int("another", -1),
                    Int("another", -1),
                ]),
            ),
            key(
                "node_01",
                "the next node",
                Row(&[
                    Int("its kind", 1),
                    POSITION,
                    Int("back", 0),
                    Int("another", -1),
                    Int("another", -1),
                ]),
            ),
        ]),
    },
    KnownReader {
        name: "ai",
        members: &["ai"],
        games: RECOIL,
        about: "the turrets of a mission, each under its name",
        unknown: "the other keys of a turret: look at ai.zrd of the game",
        content: Each(&[
            Text("a turret", "gun"),
            Keys(&[
                key(
                    "PARTS",
                    "the nodes that turn: two to four",
                    Row(&[Text("", "base"), Text("", "barrel")]),
                ),
                key(
                    "TARGETS",
                    "what it shoots at: at most eight",
                    Row(&[Text("", "bft")]),
                ),
                key(
                    "WEAPON",
                    "its weapon; required: the game crashes without one, and with one that it does not know",
                    Keys(&[key(
                        "NAME",
                        "the name of the weapon in weapons.zrd",
                        Text("", "laser"),
                    )]),
                ),
            ]),
        ]),
    },
    KnownReader {
        name: "objectives",
        members: &["objectives"],
        games: RECOIL,
        about: "what the player has to do: OBJECTIVE1 to OBJECTIVE10, without a gap",
        unknown: "the key that says when an objective is done: look at objectives.zrd of the game",
        content: Keys(&[key(
            "OBJECTIVE1",
            "the first one; up to OBJECTIVE10, without a gap",
            Keys(&[
                key("READ_TIME", "how long its text is shown", Int("", 5)),
                key(
                    "REVIEW_DELAY",
                    "how long until it is shown again",
                    Int("", 30),
                ),
            ]),
        )]),
    },
    KnownReader {
        name: "dialog",
        members: &["dialog"],
        games: RECOIL,
        about: "the menus. The multiplayer missions are in three lists of at most 20 entries: the entry at position i \
                (from 0) is mission i + 7",
        unknown: "what else is in it: change the game's dialog.zrd",
        content: Keys(&[
            key(
                "MP_NEW_GAME",
                "the multiplayer missions of a new game",
                Row(&[Text("", "MSG_MP_MISSION")]),
            ),
            key(
                "MP_NEW_WORLD",
                "the same, of the next world",
                Row(&[Text("", "MSG_MP_MISSION")]),
            ),
            key(
                "MP_NEW_CYCLE",
                "the same, of a cycle",
                Row(&[Text("", "MSG_MP_MISSION")]),
            ),
        ]),
    },
    KnownReader {
        name: "puppies",
        members: &["puppies", "puppies_*"],
        games: RECOIL,
        about: "the pickups of a mission",
        unknown: "whether its values are in lists of their own: look at puppies.zrd of the game",
        content: Each(&[
            Text("the kind of the pickup, pu000 to pu039", "pu000"),
            POSITION,
            Row(&[
                Float("its rotation about x, in radians", 0.0),
                Float("about y, in radians", 0.0),
                Float("about z, in radians", 0.0),
            ]),
        ]),
    },
    KnownReader {
        name: "sounds",
        members: &["sounds"],
        games: RECOIL,
        about: "the samples: a set for each mission, whose samples the game loads with it",
        unknown: "the values of CD_TRACKS, SOUND_PATH, SPEED_OF_SOUND and SOUND_GROUPS, and the keys without values: \
                  change the game's sounds.zrd",
        content: Keys(&[
            key("SYNTAX", "1 or 2; 1 where it is absent", Int("", 1)),
            key(
                "SETS",
                "a set for each mission, under its name in capitals",
                Each(&[Text("the set of mission m1", "M1"), Each(&[SAMPLE])]),
            ),
        ]),
    },
    KnownReader {
        name: "startanims",
        members: &["startanims"],
        games: &[Game::Rc, Game::RcDemo, Game::Mw, Game::Pm, Game::Cs],
        about: "the animations that run from the start; the game skips names that anim.zbd does not have",
        unknown: "",
        content: Each(&[Text("an animation of anim.zbd", "door_opens")]),
    },
];

impl KnownReader {
    /// The one that a member is, by its name with or without `.zrd`.
    pub fn of(member: &str) -> Option<&'static KnownReader> {
        let lower = member.to_ascii_lowercase();
        let stem = lower.strip_suffix(".zrd").unwrap_or(&lower);
        ALL.iter()
            .find(|known| known.members.iter().any(|pattern| fits(pattern, stem)))
    }

    /// The one of this name, or that a member of this name is.
    ///
    /// # Errors
    /// There is none in this game.
    pub fn named(name: &str, game: Game) -> Result<&'static KnownReader> {
        let known = ALL
            .iter()
            .find(|known| known.name == name.to_ascii_lowercase())
            .or(KnownReader::of(name));
        known
            .filter(|known| known.games.contains(&game))
            .ok_or_else(|| {
                Error::say(format!("{name} is no reader of {game} that refit knows"))
                    .hint("refit new reader lists them")
            })
    }

    /// The file of a new member: a document, or without a style as the game stores it.
    pub fn bytes(&self, game: Game, style: Option<Style>) -> Result<Vec<u8>> {
        Ok(match style {
            Some(Style::Ron) => self.text(game).into_bytes(),
            Some(Style::Json) => self.document(game)?.to_text(Style::Json)?.into_bytes(),
            None => self.document(game)?.write(),
        })
    }

    /// The name of a new member: `net_01.zrd`.
    pub fn member(&self) -> String {
        let first = self.members.first().copied().unwrap_or(self.name);
        format!("{}.zrd", first.replace("??", "01"))
    }

    /// Its numbers in a value.
    pub(super) fn numbers(&self, items: &Items<'_>) -> Vec<Number> {
        let mut found = Vec::new();
        numbers(&self.content, items, (0, ""), &mut found);
        found
    }

    /// The smallest valid one as RON, with a comment for each value. In MechWarrior 3 and Pirate's
    /// Moon the outermost list contains one list with everything.
    pub fn text(&self, game: Game) -> String {
        let mut out = String::new();
        comment(&mut out, 0, &format!("{}: {}.", self.member(), self.about));
        if !self.unknown.is_empty() {
            comment(&mut out, 0, &format!("Not known: {}.", self.unknown));
        }
        match game {
            Game::Mw | Game::Pm => list(&mut out, 0, [("", None, &self.content)].into_iter()),
            _ => sample(&mut out, 0, &self.content),
        }
        out.push('\n');
        out
    }

    /// The smallest one.
    pub fn document(&self, game: Game) -> Result<ReaderDoc> {
        ReaderDoc::from_text(&self.text(game), Style::Ron)
    }

    /// Its schema: an editor offers the keys with their descriptions. It rejects nothing: keys that
    /// no game is known to read are allowed.
    pub fn schema(&self) -> Value {
        let mut schema = schema(&self.content);
        if let Some(object) = schema.as_object_mut() {
            object.insert("title".into(), self.member().into());
            object.insert("description".into(), sentence(self.about).into());
            object.insert(
                "$schema".into(),
                "https://json-schema.org/draft/2020-12/schema".into(),
            );
            // Values followed by further bytes are an object.
            object.insert("type".into(), json!(["array", "object"]));
        }
        schema
    }

    /// Files of trees that the schema is for.
    pub fn documents(&self) -> impl Iterator<Item = String> {
        self.members
            .iter()
            .map(|member| format!("{}.zrd.json", member.replace('?', "[0-9]")))
    }
}

/// True if a pattern of [`KnownReader::members`] fits a name.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(first) => name.len() > first.len() && name.starts_with(first),
        None => {
            pattern.len() == name.len()
                && pattern
                    .bytes()
                    .zip(name.bytes())
                    .all(|(p, n)| p == n || p == b'?' && n.is_ascii_digit())
        }
    }
}

/// The numbers in a shape, in order: the meaning of each, and whether it is a float. `None` for a
/// string.
fn leaves(shape: &Shape, out: &mut Vec<Option<(&'static str, bool)>>) {
    match shape {
        Int(about, _) => out.push(Some((about, false))),
        Float(about, _) => out.push(Some((about, true))),
        Text(..) => out.push(None),
        Row(row) | Each(row) => row.iter().for_each(|shape| leaves(shape, out)),
        Keys(_) | RowAndKeys(..) => {}
    }
}

/// A number that a game reads.
pub(super) struct Number {
    /// The keys and names that lead to it.
    pub place: String,
    /// Its description; empty if its key is clear.
    pub about: &'static str,
    /// Its position among the items.
    pub at: usize,
    /// The game reads a float, not an integer.
    pub is_float: bool,
}

/// Finds the numbers of the item at `at`. How lists group values does not matter here, because the
/// grouping is not known for all of them.
fn numbers(shape: &Shape, items: &Items<'_>, (at, place): (usize, &str), out: &mut Vec<Number>) {
    let below = |name: &str| {
        if place.is_empty() {
            name.to_owned()
        } else {
            format!("{place}.{name}")
        }
    };
    match shape {
        Keys(keys) => {
            for (i, key) in keys.iter().enumerate() {
                // A key with a number in its name repeats with other numbers.
                let stem = |key: &Key| key.name.trim_end_matches(|c: char| c.is_ascii_digit());
                let found = match stem(key) {
                    name if name.len() == key.name.len() => items
                        .find(at, name.as_bytes())
                        .map(|at| (name.to_owned(), at))
                        .into_iter()
                        .collect(),
                    name if keys.iter().take(i).any(|other| stem(other) == name) => continue,
                    name => items.numbered(at, name.as_bytes()),
                };
                for (name, at) in found {
                    numbers(&key.value, items, (at, &below(&name)), out);
                }
            }
        }
        Each([_, value]) => {
            for (name, at) in items.named(at) {
                numbers(value, items, (at, &below(&name)), out);
            }
        }
        Each([value @ RowAndKeys(..)]) => items
            .below(at)
            .for_each(|at| numbers(value, items, (at, place), out)),
        RowAndKeys(_, keys) => {
            let name = items
                .text(at + 1)
                .map(|name| String::from_utf8_lossy(name))
                .unwrap_or_default();
            numbers(&Keys(keys), items, (at, &below(&name)), out);
        }
        Each(_) => {}
        _ => {
            let mut wanted = Vec::new();
            leaves(shape, &mut wanted);
            for (wanted, at) in wanted.into_iter().zip(items.leaves(at)) {
                let number = |(about, is_float)| Number {
                    place: place.to_owned(),
                    about,
                    at,
                    is_float,
                };
                out.extend(wanted.map(number));
            }
        }
    }
}

fn sentence(about: &str) -> String {
    let mut chars = about.chars();
    chars.next().map_or_else(String::new, |first| {
        format!("{}{}.", first.to_uppercase(), chars.as_str())
    })
}

fn comment(out: &mut String, depth: usize, about: &str) {
    let room = 100 - 4 * depth;
    let mut line = String::new();
    for word in about.split_whitespace() {
        if !line.is_empty() && line.len() + word.len() >= room {
            put_line(out, depth, &format!("// {line}"));
            line.clear();
        }
        line.push_str(if line.is_empty() { "" } else { " " });
        line.push_str(word);
    }
    if !line.is_empty() {
        put_line(out, depth, &format!("// {line}"));
    }
}

fn put_line(out: &mut String, depth: usize, line: &str) {
    // Writing into a string cannot fail.
    let _ = writeln!(out, "{:1$}{line}", "", 4 * depth);
}

/// Writes a shape's example as RON, without the end of its line.
fn sample(out: &mut String, depth: usize, shape: &Shape) {
    let _ = match shape {
        Int(_, value) => write!(out, "{value}"),
        Float(_, value) => write!(out, "{value:?}"),
        Text(_, value) => write!(out, "{value:?}"),
        Row(row) | Each(row) => {
            return list(
                out,
                depth,
                row.iter().map(|shape| (shape.about(), None, shape)),
            );
        }
        Keys(keys) => return list(out, depth, keys.iter().map(Key::line)),
        RowAndKeys(row, keys) => {
            let row = row.iter().map(|shape| (shape.about(), None, shape));
            return list(out, depth, row.chain(keys.iter().map(Key::line)));
        }
    };
}

fn list<'a>(
    out: &mut String,
    depth: usize,
    items: impl Iterator<Item = (&'a str, Option<&'a str>, &'a Shape)>,
) {
    out.push_str("[\n");
    for (about, name, shape) in items {
        comment(out, depth + 1, about);
        let _ = write!(out, "{:1$}", "", 4 * (depth + 1));
        if let Some(name) = name {
            let _ = write!(out, "{name:?}, ");
        }
        sample(out, depth + 1, shape);
        out.push_str(",\n");
    }
    let _ = write!(out, "{:1$}]", "", 4 * depth);
}

impl Shape {
    fn about(&self) -> &'static str {
        match self {
            Int(about, _) | Float(about, _) | Text(about, _) => about,
            Row(_) | Keys(_) | RowAndKeys(..) | Each(_) => "",
        }
    }
}

fn schema(shape: &Shape) -> Value {
    let described =
        |kind: &str, about: &str| json!({ "type": kind, "description": sentence(about) });
    match shape {
        Int(about, _) => described("integer", about),
        Float(about, _) => described("number", about),
        Text(about, _) => described("string", about),
        Row(row) => {
            json!({ "type": "array", "prefixItems": row.iter().map(schema).collect::<Vec<_>>() })
        }
        Each(row) => json!({ "type": "array", "items": { "anyOf": any(row.iter().map(schema)) } }),
        Keys(keys) => json!({ "type": "array", "items": of_keys(keys) }),
        RowAndKeys(row, keys) => {
            let row: Vec<Value> = row.iter().map(schema).collect();
            json!({ "type": "array", "prefixItems": row, "items": of_keys(keys) })
        }
    }
}

/// An item of a list of keys and their values.
fn of_keys(keys: &[Key]) -> Value {
    let names = keys
        .iter()
        .map(|key| json!({ "const": key.name, "description": sentence(key.about) }));
    let values = keys
        .iter()
        .map(|key| schema(&key.value))
        .filter(|value| value["type"] == "array");
    json!({ "anyOf": any(names.chain(values)) })
}

/// These, or anything else.
fn any(known: impl Iterator<Item = Value>) -> Vec<Value> {
    known.chain([json!({})]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_readers_are_read() {
        for known in ALL {
            known.document(Game::Rc).unwrap();
            let member = known.member();
            assert_eq!(
                KnownReader::of(&member).unwrap().name,
                known.name,
                "{member}"
            );
            // Each value has a comment, in lines that fit a page.
            let text = known.text(Game::Mw);
            ReaderDoc::from_text(&text, Style::Ron).unwrap();
            assert!(
                text.lines().all(|line| line.len() <= 120) && text.starts_with("// "),
                "{text}"
            );
        }
    }

    #[test]
    fn names_of_members_are_distinguished() {
        let name = |member: &str| KnownReader::of(member).map(|known| known.name);
        assert_eq!(name("net_07.zrd"), Some("net"));
        assert_eq!(name("NET_99"), Some("net"));
        assert_eq!(name("aiv_easy.zrd"), Some("aiv"));
        for other in [
            "net_7.zrd",
            "net_abc.zrd",
            "net_001.zrd",
            "aivs.zrd",
            "aiv_.zrd",
            "nets.zrd",
            "",
        ] {
            assert_eq!(name(other), None, "{other}");
        }
    }

    #[test]
    fn schemas_offer_keys_and_refuse_nothing() {
        let of = |name: &str| KnownReader::of(name).unwrap().schema();
        let net = of("net_01");
        let offered: Vec<_> = net["items"]["anyOf"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| &item["const"])
            .collect();
        assert_eq!(offered[..3], ["version", "name", "attack_strategy"]);
        assert!(offered.last().unwrap().is_null(), "anything else");
        assert!(
            net["description"]
                .as_str()
                .unwrap()
                .starts_with("A network of paths")
        );
    }
}
