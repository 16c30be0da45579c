//! Readers that a game looks for by name, and their known content. Schemas for editors, the forms of
//! the page, the templates of `refit new reader`, the checks of types and ranges, and the names that
//! `refs` finds are derived from these declarations.
//!
//! A declaration says only what a source supports, and names it. FORMAT.md lists them all.

mod crimson;
mod recoil;
mod schema;
mod template;
mod walk;

use super::ReaderDoc;
use refit_base::{
    game::Game,
    naming::NameKind,
    tree::{Document, Style},
    wire::{Error, Result},
};

pub(super) use walk::Wrong;

/// A reader with a fixed name, in one game or several.
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
    /// True if the outermost list contains one list with everything.
    is_wrapped: bool,
    content: Shape,
}

/// What a value is.
#[derive(Clone, Copy)]
enum Shape {
    /// A number or a string.
    Leaf(Leaf),
    /// A value whose purpose alone is known.
    Any(&'static str),
    /// A list of these values in this order; more may follow.
    Row(&'static [Shape]),
    /// A list of keys, each before its value.
    Keys(&'static [Key]),
    /// A list of lists, each with a key and its value.
    Pairs(&'static [Key]),
    /// A list that begins with these values; keys and their values follow.
    RowAndKeys(&'static [Shape], &'static [Key]),
    /// A list that repeats these values.
    Each(&'static [Shape]),
    /// A list that begins with the first values, and then repeats the others.
    RowAndEach(&'static [Shape], &'static [Shape]),
    /// A list of keys; any other text in it is a name before a value of this shape.
    KeysAndNamed(&'static [Key], &'static [Shape; 2]),
}

/// The type of a number or string, with an example.
#[derive(Clone, Copy)]
enum Example {
    /// An integer.
    Int(i32),
    /// A float.
    Float(f32),
    /// A float; the game takes an integer, too.
    Number(f32),
    /// A string.
    Text(&'static str),
    /// A number or a string: the game takes both.
    Either(i32),
}

/// A number or a string, and what is known of it.
#[derive(Clone, Copy)]
struct Leaf {
    about: &'static str,
    example: Example,
    /// `m`, `s`, `°`; empty if there is none or it is not known.
    unit: &'static str,
    /// Smallest and greatest number.
    range: Option<(f64, f64)>,
    /// The texts that it may be, with their meanings.
    choices: &'static [(&'static str, &'static str)],
    /// How many letters of a choice count; 0 for all of them.
    letters: usize,
    /// Capitals and small letters of a choice are the same.
    is_any_case: bool,
    /// Most bytes of a text; 0 if no limit is known.
    bytes: usize,
    /// It is the name of a thing of this kind.
    names: Option<NameKind>,
}

/// A key and its value.
#[derive(Clone, Copy)]
struct Key {
    name: &'static str,
    about: &'static str,
    /// `None` for a key that has no value: it counts that it is there.
    value: Option<Shape>,
    /// The template shows it as a comment: the game has a default, or does without it.
    is_optional: bool,
    /// Least and most items of its list.
    items: Option<(usize, usize)>,
}

use Shape::{Any, Each, Keys, KeysAndNamed, Pairs, Row, RowAndEach, RowAndKeys};

const fn leaf(about: &'static str, example: Example) -> Shape {
    Shape::Leaf(Leaf {
        about,
        example,
        unit: "",
        range: None,
        choices: &[],
        letters: 0,
        is_any_case: false,
        bytes: 0,
        names: None,
    })
}

const fn int(about: &'static str, example: i32) -> Shape {
    leaf(about, Example::Int(example))
}

const fn float(about: &'static str, example: f32) -> Shape {
    leaf(about, Example::Float(example))
}

const fn number(about: &'static str, example: f32) -> Shape {
    leaf(about, Example::Number(example))
}

const fn text(about: &'static str, example: &'static str) -> Shape {
    leaf(about, Example::Text(example))
}

const fn either(about: &'static str, example: i32) -> Shape {
    leaf(about, Example::Either(example))
}

impl Shape {
    const fn with(self, change: Change) -> Shape {
        let Shape::Leaf(leaf) = self else { return self };
        Shape::Leaf(match change {
            Change::Unit(unit) => Leaf { unit, ..leaf },
            Change::Range(least, most) => Leaf {
                range: Some((least, most)),
                ..leaf
            },
            Change::Choices(choices, letters, is_any_case) => Leaf {
                choices,
                letters,
                is_any_case,
                ..leaf
            },
            Change::Bytes(bytes) => Leaf { bytes, ..leaf },
            Change::Names(kind) => Leaf {
                names: Some(kind),
                ..leaf
            },
        })
    }

    /// With its unit.
    const fn unit(self, unit: &'static str) -> Shape {
        self.with(Change::Unit(unit))
    }

    /// Only numbers from `least` to `most`, both included.
    const fn within(self, least: f64, most: f64) -> Shape {
        self.with(Change::Range(least, most))
    }

    /// Only these texts.
    const fn choices(self, choices: &'static [(&'static str, &'static str)]) -> Shape {
        self.with(Change::Choices(choices, 0, false))
    }

    /// Only texts that begin like these: so many letters count.
    const fn begins(
        self,
        letters: usize,
        is_any_case: bool,
        choices: &'static [(&'static str, &'static str)],
    ) -> Shape {
        self.with(Change::Choices(choices, letters, is_any_case))
    }

    /// Only texts of at most so many bytes.
    const fn at_most(self, bytes: usize) -> Shape {
        self.with(Change::Bytes(bytes))
    }

    /// The text is the name of such a thing.
    const fn names(self, kind: NameKind) -> Shape {
        self.with(Change::Names(kind))
    }

    fn about(&self) -> &'static str {
        match self {
            Shape::Leaf(leaf) => leaf.about,
            Any(about) => about,
            _ => "",
        }
    }

    fn is_list(&self) -> bool {
        !matches!(self, Shape::Leaf(_) | Any(_))
    }
}

enum Change {
    Unit(&'static str),
    Range(f64, f64),
    Choices(&'static [(&'static str, &'static str)], usize, bool),
    Bytes(usize),
    Names(NameKind),
}

const fn key(name: &'static str, about: &'static str, value: Shape) -> Key {
    Key {
        name,
        about,
        value: Some(value),
        is_optional: false,
        items: None,
    }
}

/// A key without which the game does.
const fn may(name: &'static str, about: &'static str, value: Shape) -> Key {
    Key {
        is_optional: true,
        ..key(name, about, value)
    }
}

/// A key without a value.
const fn flag(name: &'static str, about: &'static str) -> Key {
    Key {
        name,
        about,
        value: None,
        is_optional: true,
        items: None,
    }
}

impl Key {
    /// Its list has from `least` to `most` items.
    const fn items(self, least: usize, most: usize) -> Key {
        Key {
            items: Some((least, most)),
            ..self
        }
    }
}

const POSITION: Shape = Row(&[float("x", 0.0), float("its height y", 0.0), float("z", 0.0)]);

const COLOR: Shape = Row(&[
    int("red, green, blue: each 0 to 255", 128).within(0.0, 255.0),
    int("green", 128).within(0.0, 255.0),
    int("blue", 128).within(0.0, 255.0),
]);

/// Those of MechWarrior 3 and Pirate's Moon.
const MECHWARRIOR: &[KnownReader] = &[KnownReader {
    name: "startanims",
    members: &["startanims"],
    games: &[Game::Mw, Game::Pm],
    about: "the animations that run from the start; the game skips names that anim.zbd does not have",
    unknown: "whether the names are in lists under NEW_GAME_START and LOAD_GAME_START, as in Recoil and Crimson \
                  Skies: look at startanims.zrd of the game",
    is_wrapped: true,
    content: Each(&[text("an animation of anim.zbd", "door_opens").names(NameKind::Animation)]),
}];

/// All of them, those of a game in the order of their importance.
pub fn all() -> impl Iterator<Item = &'static KnownReader> {
    recoil::all().chain(MECHWARRIOR).chain(crimson::all())
}

/// Those of a game.
pub fn of_game(game: Game) -> impl Iterator<Item = &'static KnownReader> {
    all().filter(move |known| known.games.contains(&game))
}

impl KnownReader {
    /// The one that a member of a game is, by its name with or without `.zrd`.
    pub fn of(member: &str, game: Game) -> Option<&'static KnownReader> {
        of_game(game).find(|known| known.has_member(member))
    }

    /// True if the first value is a text: a key, or a name.
    pub(super) fn begins_with_text(&self) -> bool {
        match self.content {
            Keys(_) | KeysAndNamed(..) => true,
            Row(first) | RowAndKeys(first, _) | Each(first) | RowAndEach(first, _) => {
                matches!(first.first(), Some(Shape::Leaf(leaf)) if matches!(leaf.example, Example::Text(_)))
            }
            Shape::Leaf(_) | Any(_) | Pairs(_) => false,
        }
    }

    /// True if a member of this name, with or without `.zrd`, is of this kind.
    pub fn has_member(&self, member: &str) -> bool {
        let lower = member.to_ascii_lowercase();
        let stem = lower.strip_suffix(".zrd").unwrap_or(&lower);
        self.members.iter().any(|pattern| fits(pattern, stem))
    }

    /// The one of this name, or that a member of this name is.
    ///
    /// # Errors
    /// There is none in this game.
    pub fn named(name: &str, game: Game) -> Result<&'static KnownReader> {
        let lower = name.to_ascii_lowercase();
        of_game(game)
            .find(|known| known.name == lower)
            .or_else(|| KnownReader::of(name, game))
            .ok_or_else(|| {
                Error::say(format!("{name} is no reader of {game} that refit knows"))
                    .hint("refit new reader lists them")
            })
    }

    /// The file of a new member: a document, or without a style as the game stores it.
    pub fn bytes(&self, style: Option<Style>) -> Result<Vec<u8>> {
        Ok(match style {
            Some(Style::Ron) => self.text().into_bytes(),
            Some(Style::Json) => self.document()?.to_text(Style::Json)?.into_bytes(),
            None => self.document()?.write(),
        })
    }

    /// The name of a new member: `net_01.zrd`.
    pub fn member(&self) -> String {
        let first = self.members.first().copied().unwrap_or(self.name);
        let unknown = first.matches('?').count();
        let number = format!("{:0unknown$}", 1);
        format!(
            "{}.zrd",
            first.replace(&"?".repeat(unknown.max(1)), &number)
        )
    }

    /// The smallest valid one.
    pub fn document(&self) -> Result<ReaderDoc> {
        ReaderDoc::from_text(&self.text(), Style::Ron)
    }

    /// The name of its schema: `reader-net-rc`.
    pub fn kind(&self) -> String {
        let game = self.games.first().map_or("", |game| game.code());
        format!("reader-{}-{game}", self.name)
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

/// The numbers that a game takes, for people.
fn bounds(least: f64, most: f64) -> String {
    if least < most {
        format!("{least} to {most}")
    } else {
        format!("only {least}")
    }
}

/// A description as a sentence.
fn sentence(about: &str) -> String {
    let mut chars = about.chars();
    chars.next().map_or_else(String::new, |first| {
        format!("{}{}.", first.to_uppercase(), chars.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_readers_are_read() {
        for known in all() {
            for game in known.games {
                known.document().unwrap();
                let member = known.member();
                assert_eq!(
                    KnownReader::of(&member, *game).unwrap().name,
                    known.name,
                    "{member}"
                );
                // Each value has a comment, in lines that fit a page.
                let text = known.text();
                assert!(
                    text.lines().all(|line| line.len() <= 120) && text.starts_with("// "),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn no_name_has_two_meanings_in_a_game() {
        for game in Game::ALL {
            let mut names: Vec<&str> = of_game(game).map(|known| known.name).collect();
            let mut members: Vec<&str> = of_game(game)
                .flat_map(|known| known.members)
                .copied()
                .collect();
            for list in [&mut names, &mut members] {
                list.sort_unstable();
                let all = list.len();
                list.dedup();
                assert_eq!(list.len(), all, "{game}: {list:?}");
            }
        }
        let mut kinds: Vec<String> = all().map(KnownReader::kind).collect();
        let count = kinds.len();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds.len(), count);
    }

    #[test]
    fn the_reference_lists_all() {
        let reference = include_str!("FORMAT.md");
        for known in all() {
            assert!(
                reference.contains(&format!("`{}`", known.name)),
                "{}",
                known.kind()
            );
        }
    }

    #[test]
    fn names_of_members_are_distinguished() {
        let name = |member: &str| KnownReader::of(member, Game::Rc).map(|known| known.name);
        assert_eq!(name("net_07.zrd"), Some("net"));
        assert_eq!(name("NET_99"), Some("net"));
        assert_eq!(name("net.zrd"), Some("spawns"));
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
        let of_cs = |member: &str| KnownReader::of(member, Game::Cs).map(|known| known.name);
        assert_eq!(of_cs("ne000010.zrd"), Some("route"));
        assert_eq!(of_cs("net_07.zrd"), None);
    }
}
