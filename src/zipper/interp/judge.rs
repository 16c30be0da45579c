//! Lints of scripts, based on the engine: the limits of its buffers, its commands, its conditions.
//!
//! Limits and reactions are Recoil's, read in its executable; MechWarrior 3 has the same members of
//! the script object at the same offsets, and the later games are related. None of them reports a
//! failing line.

use super::{
    Line, Script,
    words::{Command, Meaning, meaning},
};
use refit_base::{
    game::Game,
    lint::{Code, Lints, codes},
    wire::Str,
};
use std::collections::{HashMap, HashSet};

codes! {
    /// The kinds of findings in interpreter scripts.
    pub CODES:
    INTERP_NAME "interp-name" Unusual [] "an unusual script name"
        "Names are ASCII paths that end with a zero within their 120 bytes."
        "Measured on the scripts of Recoil and Crimson Skies."
    INTERP_SHADOWED "interp-shadowed" Ignores [Rc] "an earlier script has the same name"
        "The engine ignores case and takes the first script of a name, so this one never runs."
        "Recoil searches the index in order (0x4c5550). No shipped index repeats a name."
    INTERP_LAYOUT "interp-layout" Unusual [] "scripts are not stored in the order of the index"
        "There are gaps, shared or overlapping scripts, or another order. The layout is kept in the manifest."
        "The engine seeks to each script (Recoil, 0x4c5740)."
    INTERP_LINE "interp-line" Ignores [Rc] "a line's token count is too small"
        "In known files every line counts its tokens. The engine takes as many as the count says and ignores the rest; \
        with 0 the line does nothing."
        "Recoil takes as many tokens as the count says (0x4c5740); a line with a count of 0 has no effect."
    INTERP_COUNT "interp-count" Crashes [Rc] "a line's token count is too large"
        "In known files every line counts its tokens and ends with a zero byte. If the count is too large, or the last \
        zero is missing, the engine reads past the line."
        "Recoil takes as many tokens as the count says and looks for each one after the zero of the previous one \
        (0x4c5740)."
    INTERP_TOKEN "interp-token" Unusual [Rc] "unusual token"
        "Tokens of known scripts are ASCII, not empty, and contain neither `#` nor a separator (space, comma, tab or \
        line feed). The compiler can produce an empty token: between two separators that touch, or that have only \
        white space between them and are not both white space. An empty argument is 0, empty or false."
        "How Recoil splits lines (0x4c13c0)."
    INTERP_ARGUMENTS "interp-arguments" Crashes [Rc] "a line of more than 16 tokens"
        "Recoil has room for 16 tokens in a line, including the command. More overwrite its own data: the game crashes \
        or misbehaves."
        "Recoil has an array of 16 pointers for a line and does not check its bounds (0x4c5740)."
    INTERP_LENGTH "interp-length" Crashes [Rc] "a line longer than 1,023 bytes"
        "Recoil reads a line of a loose script into 1,024 bytes without a check, so its compiler cannot have made a \
        longer line. In a loose script a longer line overwrites memory."
        "Recoil's buffer for a line of a loose script has 1,024 bytes, unchecked."
    INTERP_CRASH "interp-crash" Crashes [Rc] "a line that crashes the game"
        "ModelNew needs a second argument, and a polygon can have at most ten ModelPolygonVertex and ten \
        ModelPolygonUV. Recoil checks neither."
        "Recoil's commands ModelNew, ModelPolygonVertex and ModelPolygonUV."
    INTERP_MACRO "interp-macro" Ignores [Rc] "two arguments with macros in one line"
        "Recoil expands all %names% into one buffer, so both arguments get the text of the later one. Use one macro in \
        a line, or one macro that holds everything."
        "Recoil expands all macros into one shared buffer and returns its address (0x4c1160)."
    INTERP_MACRO_LENGTH "interp-macro-length" Crashes [Rc] "a macro too long for the engine's buffers"
        "A macro name has at most 63 bytes, and an argument with its macros expanded at most 1,023. Longer ones \
        overwrite memory."
        "Recoil's buffers of 64 and 1,024 bytes for expanding macros, unchecked (0x4c1160)."
    INTERP_VARIABLE "interp-variable" Unusual [Rc] "a macro that no script of the file sets"
        "Recoil removes an unknown macro from the argument. Names are case-sensitive. The game itself may define some."
        "How Recoil expands macros; other scripts or the game may set variables."
    INTERP_COMMAND "interp-command" Ignores [Rc] "a misspelt command"
        "The engine compares commands case-sensitively and only up to the length of the command's name: findnode runs \
        nothing, FindNodes runs FindNode. Quit and a few others must match in full."
        "Recoil compares as many letters as the command's name has, case-sensitively."
    INTERP_UNKNOWN "interp-unknown" Unusual [Rc] "a command that refit does not know"
        "Recoil silently skips a line whose first word is not one of its commands. The commands of MechWarrior 3 and \
        Pirate's Moon are not published, and those of Crimson Skies only in part."
        "Recoil's dispatcher counts unknown words and continues; shipped scripts have rows of semicolons and commands \
        of the lost building tool."
    INTERP_VALUE "interp-value" Unusual [Rc] "arguments that do not fit the command"
        "A missing argument is 0, empty or false. A word in place of a number is 0. An integer ends at the first \
        character that is not part of it. Anything but on and true is false. Surplus arguments are ignored. Known of \
        Recoil, likely in the other games."
        "Recoil reads arguments with atoi and atof."
    INTERP_BOOLEAN "interp-boolean" Ignores [Rc] "a boolean that is neither on nor true"
        "Only on and true are true, in upper or lower case. Known scripts use off and false for false, but any other \
        word is false too."
        "Recoil compares with on and true, ignoring case."
    INTERP_CONDITION "interp-condition" Ignores [Rc] "a condition that does not work as it seems to"
        "A condition holds only for the value TRUE, in capitals. While the engine skips lines, it reacts to nothing \
        but endif: the first endif ends the skipping, even if it belongs to an inner condition. Without endif the rest \
        of the script is skipped."
        "Recoil has one counter for skipping: while it skips, it ignores every line but endif."
    INTERP_SOURCE "interp-source" Unusual [Rc] "a sourced script that is not in the file"
        "The engine takes a script that is not in the index from a loose file. If that is missing, it continues \
        without it. Recoil ships one such line. End a loose script with a line end, or its last line does not run."
        "Recoil continues without the script. Shipped: testdb.gs sources support\\bft.gw, which is not in the index."
}

/// Maximum number of tokens in the engine, including the command.
const MOST_TOKENS: usize = 16;
/// Size of the buffer for a line, and for an argument after macro expansion.
const LINE_BUFFER: usize = 1024;
/// Size of the buffer for the name of a macro.
const MACRO_BUFFER: usize = 64;
/// Maximum number of corners of a polygon that a script builds.
const MOST_CORNERS: usize = 10;

/// The macros of an argument: the names between percent signs.
fn macros(token: &[u8]) -> Vec<&[u8]> {
    let mut parts = token.split(|b| *b == b'%');
    parts.next();
    let mut out = Vec::new();
    // A name needs a percent sign at both ends.
    while let (Some(name), Some(_)) = (parts.next(), parts.next()) {
        if !name.is_empty() {
            out.push(name);
        }
    }
    out
}

/// Findings that many lines may share: each is reported once, with the number of the others.
#[derive(Default)]
struct Gathered {
    order: Vec<(String, &'static Code, String, usize)>,
    known: HashMap<(&'static Code, String), usize>,
}

impl Gathered {
    fn add(
        &mut self,
        key: String,
        place: &str,
        code: &'static Code,
        message: impl FnOnce() -> String,
    ) {
        match self.known.get(&(code, key.clone())) {
            Some(at) => {
                if let Some((_, _, _, more)) = self.order.get_mut(*at) {
                    *more += 1;
                }
            }
            None => {
                self.known.insert((code, key), self.order.len());
                self.order.push((place.to_owned(), code, message(), 0));
            }
        }
    }

    fn tell(self, lints: &mut Lints) {
        for (place, code, message, more) in self.order {
            let more = if more == 0 {
                String::new()
            } else {
                format!(" ({more} lines more)")
            };
            lints.at(place, |lints| lints.say(code, message + &more));
        }
    }
}

/// The tokens that the engine reads, according to the count.
fn taken(line: &Line) -> &[Str] {
    line.tokens
        .get(..line.stored_count())
        .unwrap_or(&line.tokens)
}

/// The use of variables in the scripts of a file.
#[derive(Default)]
struct Variables<'a> {
    /// Variables that are set, with the length of the longest value.
    set: HashMap<&'a [u8], usize>,
    /// Variables that conditions test.
    asked: HashSet<&'a [u8]>,
}

impl<'a> Variables<'a> {
    fn of(scripts: &[(String, &'a Script)]) -> Self {
        let mut out = Variables::default();
        for line in scripts
            .iter()
            .flat_map(|(_, script)| -> &'a [Line] { &script.0 })
        {
            let Some((word, arguments)) = taken(line).split_first() else {
                continue;
            };
            match (
                meaning(&word.text()).command().map(|command| command.name),
                arguments,
            ) {
                (Some(word @ ("set" | "var")), [name, rest @ ..]) => {
                    let value = rest
                        .first()
                        .filter(|_| word == "set")
                        .map_or(0, |v| v.0.len());
                    let longest = out.set.entry(&name.0).or_default();
                    *longest = (*longest).max(value);
                }
                (Some("ifdef" | "ifndef"), _) => {
                    out.asked.extend(
                        arguments
                            .iter()
                            .map(|a| &*a.0)
                            .filter(|a| !matches!(*a, b"&&" | b"||")),
                    );
                }
                _ => {}
            }
        }
        out
    }
}

/// True for a file of Recoil, judged by the script names that its executable looks for.
pub fn is_recoil<'a>(mut names: impl Iterator<Item = &'a str>) -> bool {
    names.any(|name| {
        let name = file_of(name);
        let number = |rest: Option<&str>| {
            rest.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        };
        number(
            name.strip_prefix("initm")
                .and_then(|n| n.strip_suffix(".gw")),
        ) || number(
            name.strip_prefix('m')
                .and_then(|n| n.strip_suffix("_zbd.gs")),
        )
    })
}

/// True for a script of Recoil that only its lost building tool ran: its effects are in `gamez.zbd`
/// already, and editing it does not change the game.
pub fn is_for_the_tool(name: &str) -> bool {
    let name = file_of(name);
    let begins = |prefix: &str| name.starts_with(prefix) && name.ends_with(".gw");
    let mission = name.strip_prefix('m').and_then(|n| n.strip_suffix(".gs"));
    matches!(
        &*name,
        "default.gs" | "testdb.gs" | "weapons.gw" | "pickup.gw" | "world.gw"
    ) || mission.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        || ["load", "bft", "mission"].into_iter().any(begins)
}

/// A script's lower-case name without its folders.
fn file_of(name: &str) -> String {
    name.rsplit(['\\', '/'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase()
}

/// Checks all scripts of a file.
pub fn judge(scripts: &[(String, &Script)], game: Option<Game>, lints: &mut Lints) {
    let names: HashSet<String> = scripts
        .iter()
        .map(|(name, _)| name.to_ascii_lowercase())
        .collect();
    let variables = Variables::of(scripts);
    let mut gathered = Gathered::default();
    for (name, script) in scripts {
        lints.at(name.clone(), |lints| {
            let mut flow = Flow::default();
            for (n, line) in script.0.iter().enumerate() {
                let place = format!("lines[{n}]");
                let mut say = |code, what: String| lints.at(place.clone(), |lints| lints.say(code, what));
                limits(line, &variables, &mut say);
                let Some((word, arguments)) = taken(line).split_first() else { continue };
                let word = word.text();
                let meaning = meaning(&word);
                let at = format!("{name}.{place}");
                match meaning {
                    Meaning::Taken(command) => say(INTERP_COMMAND, format!("{word} runs {}", command.name)),
                    Meaning::Case(command) => {
                        say(INTERP_COMMAND, format!("{word} runs nothing: {command} is case-sensitive"));
                    }
                    // Rows of semicolons are comments by the authors; a macro can be any command.
                    Meaning::Unknown if !word.is_empty() && !word.starts_with(';') && !word.contains('%') => {
                        let does = match game {
                            Some(Game::Rc) => "Recoil skips the line",
                            _ => "Recoil would skip the line; the lists of the other games are not complete",
                        };
                        gathered.add(word.to_string(), &at, INTERP_UNKNOWN, || format!("{word}: {does}"));
                    }
                    Meaning::Known(_) | Meaning::Unknown => {}
                }
                if let Some(command) = meaning.command() {
                    values(command, arguments, game, &mut |kind, code, what| {
                        gathered.add(format!("{} {kind}", command.name), &at, code, || what);
                    });
                    flow.step(n, command.name, arguments, &variables, &mut say);
                    if command.name == "source"
                        && let Some(file) = arguments.first().filter(|f| !f.is_empty() && macros(&f.0).is_empty())
                        && !names.contains(&file.text().to_ascii_lowercase())
                    {
                        gathered.add(file.text().into_owned(), &at, INTERP_SOURCE, || {
                            format!("{} is not in the index", file.text())
                        });
                    }
                } else {
                    flow.runs(&mut say);
                }
                for name in arguments.iter().flat_map(|a| macros(&a.0)).filter(|name| !variables.set.contains_key(name))
                {
                    let name = Str::from(name);
                    gathered.add(name.text().into_owned(), &at, INTERP_VARIABLE, || {
                        format!("no line sets {}", name.text())
                    });
                }
            }
            for (start, _) in flow.conditions {
                let what = "no endif: if the condition does not hold, the rest of the script is skipped";
                lints.at(format!("lines[{start}]"), |lints| lints.say(INTERP_CONDITION, what));
            }
        });
    }
    gathered.tell(lints);
}

/// Checks the sizes of the engine's buffers.
fn limits(line: &Line, variables: &Variables<'_>, say: &mut dyn FnMut(&'static Code, String)) {
    let count = line.stored_count();
    if count > MOST_TOKENS {
        say(
            INTERP_ARGUMENTS,
            format!("{count} tokens (the engine has room for {MOST_TOKENS})"),
        );
    }
    let bytes = line.tokens.iter().map(|t| t.0.len() + 1).sum::<usize>();
    if bytes > LINE_BUFFER {
        say(
            INTERP_LENGTH,
            format!(
                "{} bytes (the engine's buffer has {LINE_BUFFER})",
                bytes - 1
            ),
        );
    }
    let mut with: HashSet<&[u8]> = HashSet::new();
    for token in taken(line).iter().skip(1) {
        let names = macros(&token.0);
        if names.is_empty() {
            continue;
        }
        with.insert(&token.0);
        for name in names.iter().filter(|name| name.len() >= MACRO_BUFFER) {
            say(
                INTERP_MACRO_LENGTH,
                format!(
                    "a name of {} bytes (at most {} fit)",
                    name.len(),
                    MACRO_BUFFER - 1
                ),
            );
        }
        let spelled: usize = names.iter().map(|name| name.len() + 2).sum();
        let longest: usize = names
            .iter()
            .filter_map(|name| variables.set.get(name))
            .sum();
        let expanded = token.0.len().saturating_sub(spelled) + longest;
        if expanded >= LINE_BUFFER {
            say(
                INTERP_MACRO_LENGTH,
                format!(
                    "an argument of up to {expanded} bytes when expanded (at most {} fit)",
                    LINE_BUFFER - 1
                ),
            );
        }
    }
    if with.len() > 1 {
        say(
            INTERP_MACRO,
            format!(
                "{} different arguments with macros: all get the text of the last",
                with.len()
            ),
        );
    }
}

/// Checks the arguments of a command.
fn values(
    command: Command,
    arguments: &[Str],
    game: Option<Game>,
    say: &mut dyn FnMut(&str, &'static Code, String),
) {
    let Some(spec) = command.arguments else {
        return;
    };
    let wanted: Vec<char> = spec.chars().filter(|c| !matches!(c, '*' | '!')).collect();
    let name = command.name;
    for (i, kind) in wanted.iter().enumerate() {
        let nth = i + 1;
        let Some(token) = arguments.get(i) else {
            let count = format!(
                "{name} takes {} arguments, but has {}",
                wanted.len(),
                arguments.len()
            );
            if wanted.get(i..).unwrap_or_default().contains(&'S') {
                say("crash", INTERP_CRASH, format!("{count}: the game crashes"));
            } else if spec.contains('!') {
                say(
                    "missing",
                    INTERP_VALUE,
                    format!("{count}: here the engine checks the number"),
                );
            } else {
                say(
                    "missing",
                    INTERP_VALUE,
                    format!("{count}: {}", missing(*kind)),
                );
            }
            return;
        };
        if !macros(&token.0).is_empty() {
            continue;
        }
        let text = token.text();
        let (digits, rest) = leading_integer(&text);
        let read = match kind {
            'b' if !["on", "true", "off", "false"]
                .iter()
                .any(|w| text.eq_ignore_ascii_case(w)) =>
            {
                "is read as false: only on and true are true".to_owned()
            }
            'i' if digits.is_empty() => "is read as 0".to_owned(),
            'i' if !rest.is_empty() => format!("is read as {digits}"),
            'f' if digits.is_empty()
                && !rest
                    .strip_prefix('.')
                    .is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit())) =>
            {
                "is read as 0".to_owned()
            }
            'm' if !matches!(&*text, "linear" | "exponential" | "off") => {
                "is not linear, exponential or off".to_owned()
            }
            _ => continue,
        };
        let code = if *kind == 'b' {
            INTERP_BOOLEAN
        } else {
            INTERP_VALUE
        };
        say(
            &format!("{nth}"),
            code,
            format!("{name}, argument {nth}: {text:?} {read}"),
        );
    }
    // Where the table is uncertain, additional arguments may have a meaning.
    let extra = arguments.len().saturating_sub(wanted.len());
    let remark = arguments
        .get(wanted.len())
        .is_some_and(|t| t.0.starts_with(b";") || t.0.starts_with(b"/"));
    if extra > 0 && !spec.contains('*') && !remark && game == Some(Game::Rc) {
        say(
            "extra",
            INTERP_VALUE,
            format!(
                "{name} takes {} arguments; the other {extra} are ignored",
                wanted.len()
            ),
        );
    }
}

/// Splits a number as C's `atoi` reads it: the digits with their sign, and the rest.
fn leading_integer(text: &str) -> (&str, &str) {
    let signed = text.strip_prefix(['+', '-']).unwrap_or(text);
    let n = signed.bytes().take_while(u8::is_ascii_digit).count();
    let rest = signed.get(n..).unwrap_or_default();
    if n == 0 {
        ("", rest)
    } else {
        (
            text.get(..text.len() - rest.len()).unwrap_or_default(),
            rest,
        )
    }
}

fn missing(kind: char) -> &'static str {
    match kind {
        'b' => "a missing one is false",
        'i' | 'f' => "a missing one is 0",
        _ => "a missing one is empty",
    }
}

/// The state of conditions and polygons along a script.
#[derive(Default)]
struct Flow {
    /// Lines of the open conditions, and whether an inner condition has ended in them.
    conditions: Vec<(usize, bool)>,
    vertices: usize,
    coordinates: usize,
}

impl Flow {
    fn step(
        &mut self,
        n: usize,
        command: &'static str,
        arguments: &[Str],
        variables: &Variables<'_>,
        say: &mut dyn FnMut(&'static Code, String),
    ) {
        match command {
            "endif" => {
                self.conditions.pop();
                if let Some((_, inner)) = self.conditions.last_mut() {
                    *inner = true;
                }
                return;
            }
            "ifdef" | "ifndef" => {
                self.runs(say);
                self.conditions.push((n, false));
                return;
            }
            _ => self.runs(say),
        }
        let corners = match command {
            "ModelPolygonBegin" => {
                (self.vertices, self.coordinates) = (0, 0);
                return;
            }
            "ModelPolygonVertex" => &mut self.vertices,
            "ModelPolygonUV" => &mut self.coordinates,
            "set" => {
                let (Some(name), Some(value)) = (arguments.first(), arguments.get(1)) else {
                    return;
                };
                let meant = ["true", "on", "yes", "1"]
                    .iter()
                    .any(|w| value.text().eq_ignore_ascii_case(w))
                    && value.0 != b"TRUE";
                if meant && variables.asked.contains(&*name.0) {
                    let what = format!(
                        "{} is {} here: conditions hold only for TRUE",
                        name.text(),
                        value.text()
                    );
                    say(INTERP_CONDITION, what);
                }
                return;
            }
            _ => return,
        };
        *corners += 1;
        if *corners == MOST_CORNERS + 1 {
            say(
                INTERP_CRASH,
                format!("the eleventh {command} of a polygon, which has room for {MOST_CORNERS}"),
            );
        }
    }

    /// Checks a line with an effect: after the end of an inner condition it runs even if the outer
    /// one is false.
    fn runs(&mut self, say: &mut dyn FnMut(&'static Code, String)) {
        if let Some((start, inner)) = self.conditions.last_mut()
            && std::mem::take(inner)
        {
            let what = format!(
                "also runs if the condition of lines[{start}] does not hold: the inner endif ends the skipping"
            );
            say(INTERP_CONDITION, what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_recoil_and_of_its_tool_are_distinguished_by_their_names() {
        assert!(
            is_recoil(["support\\initm12.gw"].into_iter())
                && is_recoil(["x", "M1_ZBD.GS"].into_iter())
        );
        assert!(!is_recoil(
            ["c1\\m01.gs", "initm.gw", "m_zbd.gs"].into_iter()
        ));
        for name in [
            "m1.gs",
            "support\\load_a.gw",
            "bft.gw",
            "mission3.gw",
            "testdb.gs",
        ] {
            assert!(is_for_the_tool(name), "{name}");
        }
        for name in [
            "m1_zbd.gs",
            "support\\initm1.gw",
            "tex_fx.gw",
            "common.gw",
            "load.gs",
        ] {
            assert!(!is_for_the_tool(name), "{name}");
        }
    }
}
