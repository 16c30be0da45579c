//! Lints for reader files with fixed names. Recoil's engine reads them unchecked: it tests neither
//! that something is present nor its type.

use super::{
    ReaderDoc, WalkStep,
    items::Items,
    known::{KnownReader, Wrong},
};
use refit_base::{contract::Family, game::Game, lint::Lints};

/// The lint codes of this module.
pub const FAMILY: Family = Family {
    formats: &[],
    recognise: &[],
    codes: CODES,
    schemas: Vec::new,
};

refit_base::lint::codes! {
    /// The kinds of findings in readers that Recoil's engine knows by their names.
    pub CODES:
    READER_NET_LINK "reader-net-link" Crashes [Rc] "a network node links to one that does not exist"
        "In net_01 to net_99 the nodes are node_00, node_01 and so on without a gap, and each ends with the numbers of \
        three other nodes. While it loads the mission, Recoil follows a number that has no node, and crashes."
        "Read in Recoil's engine (0x403550). All 6,240 shipped links are valid."
    READER_NET_VERSION "reader-net-version" Ignores [Rc] "a network of another version"
        "Recoil accepts a network whose `version` is 105 or missing, and drops any other. Networks of MechWarrior 3 \
        have 106."
        "Read in Recoil's engine; it accepts all 470 shipped networks."
    READER_NAME_LENGTH "reader-name-length" Crashes [Rc] "a name too long for the engine's buffer"
        "Recoil copies the name of a network and that of a vehicle's kind into 20 bytes, and the name of a vehicle in \
        aiv.zrd into 28, each with its terminating zero, without checking the length."
        "Read in Recoil's engine."
    READER_AI_WEAPON "reader-ai-weapon" Crashes [Rc] "a turret without a weapon name"
        "Each turret of ai.zrd needs a WEAPON with a NAME. Without it Recoil crashes."
        "Read in Recoil's engine; all 130 shipped turrets have one."
    READER_AI_TARGETS "reader-ai-targets" Crashes [Rc] "a turret with more than eight targets"
        "Recoil has room for eight TARGETS per turret in ai.zrd."
        "Read in Recoil's engine."
    READER_OBJECTIVES "reader-objectives" Crashes [Rc] "more than ten objectives"
        "Recoil has room for OBJECTIVE1 to OBJECTIVE10. More overwrite other memory."
        "Read in Recoil's engine; no shipped mission has more."
    READER_OBJECTIVES_GAP "reader-objectives-gap" Ignores [Rc] "objectives after a gap in the numbering"
        "Recoil reads OBJECTIVE1, OBJECTIVE2 and so on, and stops at the first missing number. It does not read the \
        rest."
        "Read in Recoil's engine; no shipped mission has a gap."
    READER_MENU "reader-menu" Unusual [] "a menu with more than 20 missions"
        "MP_NEW_GAME, MP_NEW_WORLD and MP_NEW_CYCLE of Recoil's dialog.zrd have at most 20 entries: the entry at \
        position i (from 0) is mission i + 7. What the game does with more is not known."
        "Read in Recoil's engine."
    READER_TYPE "reader-type" Ignores [Rc] "an integer where the game reads a float, or vice versa; a text for a number"
        "Recoil reads the four bytes as the type it expects: an integer becomes a float of about 0, a float an integer \
        of about a thousand million, and a number is no text. Write 1.0 for a float and 1 for an integer. Only some \
        values, such as a sample's VOLUME, may be either."
        "Read in Recoil's engine. The other games have getters that accept either number, and Crimson Skies ships \
        both: there, only a text for a number is a finding."
    READER_RANGE "reader-range" Ignores [Rc] "a value outside what the game takes"
        "A number outside its range, a word that the game does not know, or a list with too many or too few items. \
        The game takes another value, limits it, or ignores the key. `refit new reader NAME` shows what it takes."
        "Read in the engines of Recoil and Crimson Skies."
}

/// Checks a member by its name. `game` may be unknown: Recoil's readers have their keys in the
/// outermost list, those of the other games in a list within it.
pub fn judge(name: &[u8], doc: &ReaderDoc, game: Option<Game>, lints: &mut Lints) {
    let Some(known) = KnownReader::of(&String::from_utf8_lossy(name), game.unwrap_or(Game::Rc))
    else {
        return;
    };
    let Some(items) = Items::of(doc) else { return };
    // Another game may have another reader of this name.
    if game.is_none() && (items.text(1).is_none() || !known.begins_with_text()) {
        return;
    }
    let is_recoil = matches!(game, None | Some(Game::Rc | Game::RcDemo));
    match known.name {
        _ if !is_recoil => {}
        "ai" => turrets(&items, lints),
        "dialog" => menus(&items, lints),
        "net" if !network(&items, lints) => return,
        "objectives" => objectives(&items, lints),
        _ => {}
    }
    let described = known.described(&items, game);
    for value in described.values {
        let (code, is) = match value.wrong(&items, is_recoil) {
            Some(Wrong::Type(is)) => (READER_TYPE, is),
            Some(Wrong::Range(is)) => (READER_RANGE, is),
            Some(Wrong::Length(has)) => {
                lints.at(value.place, |lints| {
                    lints.say(READER_NAME_LENGTH, format!("a name of {has}"));
                });
                continue;
            }
            None => continue,
        };
        let what = value.subject();
        lints.at(&value.place, |lints| {
            lints.say(code, format!("{what} is {is}"));
        });
    }
    for list in described.lengths {
        lints.at(list.place, |lints| {
            let (has, least, most) = (list.items, list.least, list.most);
            let items = if has == 1 { "item" } else { "items" };
            lints.say(
                READER_RANGE,
                format!("{has} {items}, and the game takes {least} to {most}"),
            );
        });
    }
}

/// False if the game drops it.
fn network(items: &Items<'_>, lints: &mut Lints) -> bool {
    if let Some(WalkStep::Int(n)) = items
        .find(0, b"version", true)
        .and_then(|at| items.value(items.first(at)))
        && n != 105
    {
        lints.say(READER_NET_VERSION, format!("version {n}"));
        return false;
    }
    let nodes: Vec<usize> = (0..99)
        .map_while(|n| items.find(0, format!("node_{n:02}").as_bytes(), true))
        .collect();
    for (n, node) in nodes.iter().enumerate() {
        lints.at(format!("node_{n:02}"), |lints| {
            for link in items.leaves(*node).iter().skip(4).take(3) {
                if let Some(WalkStep::Int(to)) = items.value(*link) {
                    let there = to < 0 || usize::try_from(to).is_ok_and(|to| to < nodes.len());
                    lints.check(there, READER_NET_LINK, || {
                        format!("a link to node {to} of {}", nodes.len())
                    });
                }
            }
        });
    }
    true
}

fn menus(items: &Items<'_>, lints: &mut Lints) {
    for key in ["MP_NEW_GAME", "MP_NEW_WORLD", "MP_NEW_CYCLE"] {
        let entries = items
            .find(0, key.as_bytes(), true)
            .map_or(0, |at| items.below(at).count());
        lints.at(key, |lints| {
            lints.check(entries <= 20, READER_MENU, || format!("{entries} entries"));
        });
    }
}

fn turrets(items: &Items<'_>, lints: &mut Lints) {
    for list in 0..items.len() {
        let own = |key: &[u8]| items.below(list).any(|at| items.text(at) == Some(key));
        if !matches!(items.value(list), Some(WalkStep::Open(_)))
            || !(own(b"PARTS") || own(b"TARGETS"))
        {
            continue;
        }
        lints.at(format!("[{list}]"), |lints| {
            let weapon = items.find(list, b"WEAPON", true).and_then(|at| {
                items
                    .find(at, b"NAME", true)
                    .and_then(|name| items.text(items.first(name)))
            });
            lints.check(weapon.is_some(), READER_AI_WEAPON, || {
                "no WEAPON with a NAME".into()
            });
            let targets = items
                .find(list, b"TARGETS", true)
                .map_or(0, |at| items.below(at).count());
            lints.check(targets <= 8, READER_AI_TARGETS, || {
                format!("{targets} targets")
            });
        });
    }
}

fn objectives(items: &Items<'_>, lints: &mut Lints) {
    let mut numbers: Vec<u32> = (0..items.len())
        .filter_map(|at| {
            std::str::from_utf8(items.text(at)?)
                .ok()?
                .strip_prefix("OBJECTIVE")?
                .parse()
                .ok()
        })
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    let read = (1..)
        .zip(&numbers)
        .take_while(|(n, there)| n == *there)
        .count();
    lints.check(read <= 10, READER_OBJECTIVES, || {
        format!("{read} objectives (the game has room for 10)")
    });
    for number in numbers.iter().skip(read) {
        lints.say(
            READER_OBJECTIVES_GAP,
            format!(
                "OBJECTIVE{number} is not read: there is no OBJECTIVE{}",
                read + 1
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{super::known, *};
    use refit_base::tree::{Document, Style};

    fn found(name: &str, text: &str, game: Option<Game>) -> Vec<(&'static str, String)> {
        let doc = ReaderDoc::from_text(text, Style::Json).unwrap();
        let mut lints = Lints::new();
        judge(name.as_bytes(), &doc, game, &mut lints);
        lints
            .found
            .into_iter()
            .map(|f| (f.code, f.message))
            .collect()
    }

    #[test]
    fn networks_are_checked_against_the_engine() {
        let net = |link: &str, version: &str| {
            format!(
                r#"["version", {version}, "name", "north", "node_00", [1, [0.5, 0.0, 2.0], 1, -1, -1], "node_01", [1,
                [3.0, 0.0, 2.0], 0, {link}, -1]]"#
            )
        };
        let rc = Some(Game::Rc);
        assert_eq!(found("net_01.zrd", &net("1", "105"), rc), []);
        assert_eq!(
            found("NET_01.ZRD", &net("2", "105"), None),
            [("reader-net-link", "a link to node 2 of 2".to_owned())]
        );
        assert_eq!(
            found("net_01.zrd", &net("2", "106"), rc)
                .first()
                .map(|f| f.0),
            Some("reader-net-version")
        );
        assert_eq!(
            found("net_01.zrd", &net("1.0", "105"), rc)
                .first()
                .map(|f| f.0),
            Some("reader-type")
        );
        assert_eq!(found("net_01.zrd", &net("1.0", "105"), rc).len(), 1);
        // Other names and other games are not checked.
        assert_eq!(found("nets.zrd", &net("2", "105"), rc), []);
        assert_eq!(found("net_01.zrd", &net("2", "105"), Some(Game::Cs)), []);
        // The keys of MechWarrior 3 are in a list within the outermost one.
        assert_eq!(
            found("net_01.zrd", &format!("[{}]", net("2", "105")), None),
            []
        );
    }

    #[test]
    fn vehicles_turrets_and_objectives_are_checked_against_the_engine() {
        let codes = |name, text: &str| {
            found(name, text, Some(Game::Rc))
                .into_iter()
                .map(|f| f.0)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            codes("aiv.zrd", r#"["bft_00", [1, [1.0, 2.0, 3.0], 90.0]]"#),
            [""; 0]
        );
        assert_eq!(
            codes("aiv_easy.zrd", r#"["bft_00", [1, [1.0, 2, 3.0], 90]]"#),
            ["reader-type", "reader-type"]
        );
        assert_eq!(
            codes(
                "aiv.zrd",
                r#"["a_name_of_twenty_eight_bytes", [1, [1.0, 2.0, 3.0], 90.0]]"#
            ),
            ["reader-name-length"]
        );
        assert_eq!(
            codes(
                "ai.zrd",
                r#"["gun", ["PARTS", ["a", "b"], "TARGETS", ["x"], "WEAPON", ["NAME", "laser"]]]"#
            ),
            [""; 0]
        );
        assert_eq!(
            codes(
                "ai.zrd",
                r#"["gun", ["PARTS", ["a", "b"], "WEAPON", ["COUNT", 1]]]"#
            ),
            ["reader-ai-weapon"]
        );
        let nine = r#"["gun", ["WEAPON", ["NAME", "laser"], "TARGETS", ["1", "2", "3", "4", "5", "6", "7", "8", "9"]]]"#;
        assert_eq!(codes("ai.zrd", nine), ["reader-ai-targets"]);
        let eleven: Vec<String> = (1..=11)
            .map(|n| format!(r#""OBJECTIVE{n}", ["a.tif", "TITLE", "TEXT", "DONE"]"#))
            .collect();
        assert_eq!(
            codes("objectives.zrd", &format!("[{}]", eleven.join(", "))),
            ["reader-objectives"]
        );
        assert_eq!(
            codes("objectives.zrd", &format!("[{}]", eleven[..10].join(", "))),
            [""; 0]
        );
        let gap = r#"["READ_TIME", [5.5], "OBJECTIVE1", ["a.tif"], "OBJECTIVE3", []]"#;
        assert_eq!(
            codes("objectives.zrd", gap),
            ["reader-objectives-gap", "reader-type"]
        );
    }

    #[test]
    fn new_readers_have_no_findings() {
        for (known, game) in
            known::all().flat_map(|known| known.games.iter().map(move |game| (known, *game)))
        {
            let doc = known.document().unwrap();
            let mut lints = Lints::new();
            judge(known.member().as_bytes(), &doc, Some(game), &mut lints);
            assert!(
                lints.found.is_empty(),
                "{}: {:?}",
                known.name,
                lints.found.first().map(|found| &found.message)
            );
            // With all keys, too; and each value that the declaration describes is found.
            let (text, count) = known.whole();
            let doc = ReaderDoc::from_text(&text, Style::Ron).unwrap();
            let mut lints = Lints::new();
            judge(known.member().as_bytes(), &doc, Some(game), &mut lints);
            let first = lints.found.first().map(|found| &found.message);
            assert!(lints.found.is_empty(), "{}: {first:?}", known.kind());
            let items = Items::of(&doc).unwrap();
            let found = known.described(&items, Some(game)).values;
            assert_eq!(found.len(), count, "{}", known.kind());
        }
    }
}
