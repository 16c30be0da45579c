//! The names in texts of configs and scripts: classes, their bases, addons, and files by their
//! virtual paths.
//!
//! Texts that people write have macros, so that they are not parsed: the words `class`, `{` and `}`
//! are enough.

use refit_base::naming::{Does, NameKind, NameUse};
use refit_base::wire::Within;

/// The virtual paths of files that a script or a config names: two parts or more, and an extension.
pub(crate) fn paths(text: &str, see: &mut dyn FnMut(NameUse)) {
    let is_break = |c: char| {
        matches!(
            c,
            '"' | '\'' | '<' | '>' | '(' | ')' | ',' | ';' | '=' | '{' | '}' | '[' | ']'
        )
    };
    for (n, line) in text.lines().enumerate() {
        let mut see = |word: &str| {
            let path = word.trim().trim_start_matches('\\');
            let (folders, file) = path.rsplit_once('\\').unwrap_or_default();
            let extension = file.rsplit_once('.').is_some_and(|(stem, end)| {
                !stem.is_empty()
                    && (1..=5).contains(&end.len())
                    && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
            });
            let is_path =
                !folders.is_empty() && extension && !path.contains(['%', '*', ':', '|', '?']);
            if is_path {
                see(NameUse {
                    kind: NameKind::File,
                    does: Does::Uses,
                    name: path.to_owned(),
                    at: format!("line {}", n + 1),
                });
            }
            is_path
        };
        // The rest of a line after two slashes is a comment, unless they belong to an address.
        let end = line
            .match_indices("//")
            .map(|(at, _)| at)
            .find(|at| !line.get(..*at).is_some_and(|before| before.ends_with(':')));
        let line = line.get(..end.unwrap_or(line.len())).unwrap_or(line);
        for part in line.split(is_break) {
            // A path in quotes may have blanks in it.
            let words = part.split_whitespace();
            if !(part.trim_start().starts_with('\\') && see(part)) {
                words.for_each(|word| _ = see(word));
            }
        }
    }
}

/// True for the names of texts that have classes.
pub(crate) fn has_classes(path: &str) -> bool {
    let end = path.rsplit_once('.').map_or("", |(_, end)| end);
    [
        "cpp", "hpp", "h", "inc", "ext", "sqm", "cfg", "bikb", "rvmat", "bisurf", "fsm",
    ]
    .iter()
    .any(|known| end.eq_ignore_ascii_case(known))
}

/// A token of a config.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Token<'t> {
    Word(&'t str),
    Text(&'t str),
    Sign(u8),
}

/// Splits a text into tokens with their lines. Comments and directives are left out.
struct Tokens<'t> {
    rest: &'t str,
    line: usize,
    /// Nothing but blanks came before on this line.
    is_start: bool,
}

impl<'t> Tokens<'t> {
    fn skip(&mut self, bytes: usize) -> &'t str {
        let (skipped, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.line += memchr::memchr_iter(b'\n', skipped.as_bytes()).count();
        self.rest = rest;
        skipped
    }

    fn next(&mut self) -> Option<(usize, Token<'t>)> {
        loop {
            let bytes = self.rest.as_bytes();
            let to_line_end = || memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
            match bytes {
                [] => return None,
                [b'\n', ..] => {
                    self.skip(1);
                    self.is_start = true;
                }
                [b, ..] if b.is_ascii_whitespace() => _ = self.skip(1),
                [b'/', b'/', ..] => _ = self.skip(to_line_end()),
                [b'/', b'*', ..] => {
                    let end = self.rest.find("*/").map_or(bytes.len(), |end| end + 2);
                    self.skip(end);
                }
                [b'#', ..] if self.is_start => {
                    // A directive continues after a line that ends with a backslash.
                    loop {
                        let end = memchr::memchr(b'\n', self.rest.as_bytes())
                            .map_or(self.rest.len(), |end| end + 1);
                        let line = self.skip(end);
                        if !line.trim_end().ends_with('\\') || self.rest.is_empty() {
                            break;
                        }
                    }
                }
                _ => break,
            }
        }
        self.is_start = false;
        let line = self.line;
        let bytes = self.rest.as_bytes();
        let token = match bytes.first().copied()? {
            b'"' => {
                let inside = self.rest.within(1..);
                let end = memchr::memchr(b'"', inside.as_bytes());
                let text = inside.within(..end.unwrap_or(inside.len()));
                self.skip(end.map_or(self.rest.len(), |end| end + 2));
                Token::Text(text)
            }
            b if is_word(b) => {
                Token::Word(self.skip(bytes.iter().take_while(|b| is_word(**b)).count()))
            }
            b => {
                let width = self.rest.chars().next().map_or(1, char::len_utf8);
                self.skip(width);
                Token::Sign(b)
            }
        };
        Some((line, token))
    }
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// Reports the classes and addons of a config.
pub(crate) fn classes(text: &str, see: &mut dyn FnMut(NameUse)) {
    let mut tokens = Tokens {
        rest: text,
        line: 1,
        is_start: true,
    };
    // The class of each open brace; `None` for lists.
    let mut open: Vec<Option<&str>> = Vec::new();
    let mut next = tokens.next();
    // The last two words, to know the list in which a text is.
    let mut list = "";
    while let Some((line, token)) = next {
        let outer = |open: &[Option<&str>]| {
            open.iter()
                .rev()
                .find_map(|class| *class)
                .map(str::to_owned)
        };
        let at = |open: &[Option<&str>]| match outer(open) {
            Some(outer) => format!("line {line} in {outer}"),
            None => format!("line {line}"),
        };
        let is_patch = |open: &[Option<&str>], levels: usize| {
            open.len() == levels
                && open
                    .first()
                    .copied()
                    .flatten()
                    .is_some_and(|class| class.eq_ignore_ascii_case("CfgPatches"))
        };
        match token {
            Token::Word("class") => {
                let Some((_, Token::Word(name))) = tokens.next() else {
                    next = tokens.next();
                    continue;
                };
                next = tokens.next();
                let mut base = None;
                if let Some((_, Token::Sign(b':'))) = next {
                    next = tokens.next();
                    if let Some((_, Token::Word(word))) = next {
                        base = Some(word);
                        next = tokens.next();
                    }
                }
                let mut say = |kind, does, name: &str| {
                    see(NameUse {
                        kind,
                        does,
                        name: name.to_owned(),
                        at: at(&open),
                    })
                };
                match next {
                    Some((_, Token::Sign(b'{'))) => {
                        let kind = if is_patch(&open, 1) {
                            NameKind::Addon
                        } else {
                            NameKind::Class
                        };
                        say(kind, Does::Defines, name);
                        base.into_iter()
                            .for_each(|base| say(NameKind::Class, Does::Uses, base));
                        open.push(Some(name));
                        next = tokens.next();
                    }
                    // The name of a macro is followed by brackets.
                    Some((_, Token::Sign(b';'))) => say(NameKind::Class, Does::Uses, name),
                    _ => {}
                }
                continue;
            }
            Token::Word(word) => list = word,
            Token::Text(name)
                if list.eq_ignore_ascii_case("requiredAddons") && is_patch(&open, 3) =>
            {
                see(NameUse {
                    kind: NameKind::Addon,
                    does: Does::Uses,
                    name: name.to_owned(),
                    at: at(&open),
                });
            }
            Token::Sign(b'{') => open.push(None),
            Token::Sign(b'}') => _ = open.pop(),
            Token::Text(_) | Token::Sign(_) => {}
        }
        next = tokens.next();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        classes(text, &mut |name| {
            out.push(format!(
                "{} {:?} {} at {}",
                name.kind.name(),
                name.does,
                name.name,
                name.at
            ));
        });
        out
    }

    #[test]
    fn classes_and_addons_are_found_between_macros() {
        let text = "#include \"x.hpp\"\n#define CLASS(x) class x \\\n  { class No {}; }\n\
            class CfgPatches {\n class lab_hut { requiredAddons[] = {\"A3_Data_F\", \"lab_main\"}; units[] = \
            {\"X\"}; };\n};\n\
            /* class No {}; */ // class No {};\n\
            class CfgVehicles {\n  class House;\n  class Lab_Hut: House { name = \"class No {\"; class Inner {}; };\n\
            class GVAR(x) : Lab_Hut { a[] = {{1}, {2}}; };\n class Last{};\n};";
        let expected = [
            "class Defines CfgPatches at line 4",
            "addon Defines lab_hut at line 5 in CfgPatches",
            "addon Uses A3_Data_F at line 5 in lab_hut",
            "addon Uses lab_main at line 5 in lab_hut",
            "class Defines CfgVehicles at line 8",
            "class Uses House at line 9 in CfgVehicles",
            "class Defines Lab_Hut at line 10 in CfgVehicles",
            "class Uses House at line 10 in CfgVehicles",
            "class Defines Inner at line 10 in Lab_Hut",
            "class Defines Last at line 12 in CfgVehicles",
        ];
        assert_eq!(found(text), expected);
        for broken in [
            "class",
            "class A",
            "class A:",
            "class A: B",
            "\"open",
            "/*",
            "}}}",
            "class é {}",
            "#",
            "#\\",
        ] {
            let _ = found(broken);
        }
    }

    #[test]
    fn many_nested_classes_take_linear_time() {
        let text = "class A {".repeat(100_000);
        assert_eq!(found(&text).len(), 100_000);
    }
}
