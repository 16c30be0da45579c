//! Runs the cases: tests written as plain text in `roundtrip-tests/cases`, whose README describes
//! the language.

use crate::{fixtures, leaks, process, root};
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::Value;
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// A line that does something, and the marked lines below it: its content, or the expected result.
struct Step {
    line: usize,
    text: String,
    below: Vec<String>,
}

/// The steps of a file. A step that begins with `==` is the head of a section.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (line, text) in text.lines().enumerate() {
        match steps.last_mut() {
            Some(step) if text.starts_with(['>', '!', '?', '|', '-', '+']) => {
                step.below.push(text.to_owned())
            }
            _ if text.is_empty() || text.starts_with('#') => {}
            _ => steps.push(Step {
                line,
                text: text.to_owned(),
                below: Vec::new(),
            }),
        }
    }
    steps
}

/// Steps that found other lines than those below them, and faults.
#[derive(Default)]
struct Report<'a> {
    found: Vec<(&'a Step, Vec<String>)>,
    faults: Vec<String>,
}

impl<'a> Report<'a> {
    /// Runs steps; false if the rest is not for this system.
    fn play(&mut self, place: &mut Place, steps: &'a [Step]) -> bool {
        for step in steps {
            match place.step(step) {
                Ok(Found::Right) => {}
                Ok(Found::Lines(lines)) => self.found.push((step, lines)),
                Ok(Found::NotHere) => return false,
                Err(why) => {
                    self.faults
                        .push(format!("line {}: {}\n{why:#}\n", step.line + 1, step.text))
                }
            }
        }
        true
    }
}

/// Runs a case. With `BLESS=1`, writes the results into the file.
pub fn run(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path)
        .map_err(|e| e.to_string())?
        .replace("\r\n", "\n");
    let steps = steps(&text);
    let mut report = Report::default();
    // The steps before the first heading are repeated for each section, in its own folder.
    let mut sections: Vec<&[Step]> = steps
        .chunk_by(|_, next| !next.text.starts_with("=="))
        .collect();
    let has_setup = sections
        .first()
        .is_some_and(|first| !first[0].text.starts_with("=="));
    let setup = if has_setup { sections.remove(0) } else { &[] };
    if sections.is_empty() {
        report.play(&mut Place::new(), setup);
    }
    for section in sections {
        let mut place = Place::new();
        let _ = report.play(&mut place, setup) && report.play(&mut place, &section[1..]);
    }
    let Report {
        mut found,
        mut faults,
    } = report;
    if env::var_os("BLESS").is_some() && !found.is_empty() {
        found.sort_by_key(|(step, _)| step.line);
        found.dedup_by_key(|(step, _)| step.line);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (step, new) in found.drain(..).rev() {
            lines.splice(step.line + 1..step.line + 1 + step.below.len(), new);
        }
        fs::write(path, lines.join("\n") + "\n").map_err(|e| e.to_string())?;
    }
    for (step, lines) in found {
        let (expected, lines) = (step.below.join("\n"), lines.join("\n"));
        faults.push(format!(
            "line {}: {}\nexpected:\n{expected}\nfound:\n{lines}\n",
            step.line + 1,
            step.text
        ));
    }
    if faults.is_empty() {
        Ok(())
    } else {
        Err(format!("{}\n{}", process::shown(path), faults.join("\n")))
    }
}

/// Whether the lines are those expected: `…` in a line is any text, and alone any number of lines.
fn fits(expected: &[String], found: &[String]) -> bool {
    let Some((line, rest)) = expected.split_first() else {
        return found.is_empty();
    };
    if let Some(mark) = line.strip_suffix(" …").filter(|mark| mark.len() == 1) {
        let most = found
            .iter()
            .take_while(|line| line.starts_with(mark))
            .count();
        return (0..=most).any(|n| fits(rest, &found[n..]));
    }
    found
        .split_first()
        .is_some_and(|(first, others)| like(&plain(line), &plain(first)) && fits(rest, others))
}

fn like(expected: &str, found: &str) -> bool {
    let Some((start, rest)) = expected.split_once('…') else {
        return expected == found;
    };
    let Some(found) = found.strip_prefix(start) else {
        return false;
    };
    found
        .char_indices()
        .map(|(i, _)| i)
        .chain([found.len()])
        .any(|i| like(rest, &found[i..]))
}

/// On Windows, `/` and `\` are the same.
fn plain(line: &str) -> String {
    if cfg!(windows) {
        line.replace("\\\\", "/")
            .replace('\\', "/")
            .replace("refit.exe", "refit")
    } else {
        line.to_owned()
    }
}

/// Lines of text with a mark. Control characters are shown; a missing line end is `∎`.
fn marked(mark: char, bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let hidden = |c: char| c.is_control() && c != '\n' || "\u{202e}\u{feff}".contains(c);
    let shown: String = text
        .chars()
        .map(|c| {
            if hidden(c) {
                c.escape_default().to_string()
            } else {
                c.into()
            }
        })
        .collect();
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "∎"
    };
    (shown + end)
        .lines()
        .map(|line| format!("{mark} {line}").trim_end().to_owned())
        .collect()
}

/// The result of a step.
enum Found {
    Right,
    /// Other lines than those below it.
    Lines(Vec<String>),
    /// The rest of the section is for other systems.
    NotHere,
}

/// The folder in which a case runs, and the files that it remembered.
struct Place {
    dir: tempfile::TempDir,
    before: Vec<(String, Vec<u8>)>,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder can be made");
        fs::create_dir(dir.path().join("work")).expect("a folder can be made");
        Place {
            dir,
            before: Vec::new(),
        }
    }

    /// The folder, as `$DIR` in a case.
    fn name(&self) -> String {
        process::shown(&self.at(""))
            .trim_end_matches('/')
            .to_owned()
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join("work").join(path)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>> {
        fs::read(self.at(path)).with_context(|| path.to_owned())
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> Result<()> {
        fs::create_dir_all(self.at(path).parent().context("no folder")?)?;
        fs::write(self.at(path), bytes).with_context(|| path.to_owned())
    }

    fn step(&mut self, step: &Step) -> Result<Found> {
        let text = step.text.replace("$DIR", &self.name());
        let (verb, rest) = text.split_once(' ').unwrap_or((&text, ""));
        let words = match verb {
            "set" => rest.splitn(3, ' ').map(str::to_owned).collect(),
            "fill" => rest.splitn(4, ' ').map(str::to_owned).collect(),
            _ => process::words(rest)?,
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let is_here = match (verb, &words[..]) {
            ("only", ["debug"]) => cfg!(debug_assertions),
            ("only", [system]) => *system == env::consts::OS || *system == env::consts::FAMILY,
            ("link", [to, at]) => process::link(to, &self.at(at)),
            _ => {
                let Some(found) = self.shown(verb, &words)? else {
                    return self
                        .change(verb, &words, &step.below)
                        .map(|()| Found::Right);
                };
                return Ok(if fits(&step.below, &found) {
                    Found::Right
                } else {
                    Found::Lines(found)
                });
            }
        };
        Ok(if is_here {
            Found::Right
        } else {
            Found::NotHere
        })
    }

    /// The lines that a step shows, if it shows any.
    fn shown(&mut self, verb: &str, words: &[&str]) -> Result<Option<Vec<String>>> {
        let list = |lines: Vec<String>| lines.into_iter().map(|line| format!("> {line}")).collect();
        Ok(Some(match (verb, words) {
            ("$", words) => self.refit(words)?,
            ("files", [folder]) => list(process::names(&self.at(folder))),
            ("show", [path]) => marked('>', &self.read(path)?),
            ("show", [path, pointer]) => {
                let document: Value = serde_json::from_slice(&self.read(path)?)?;
                list(vec![
                    document
                        .pointer(pointer)
                        .map_or_else(|| "nothing".into(), Value::to_string),
                ])
            }
            ("hex", [path, at, count]) => {
                let at = at.parse()?;
                list(vec![refit::wire::hex_of(
                    self.read(path)?
                        .get(at..at + count.parse::<usize>()?)
                        .unwrap_or_default(),
                )])
            }
            ("bytes", [a, b]) => list(crate::changes(&self.read(a)?, &self.read(b)?)),
            _ => return Ok(None),
        }))
    }

    /// Runs `[NAME=VALUE…] refit ARGUMENTS… [< FILE]`.
    fn refit(&self, words: &[&str]) -> Result<Vec<String>> {
        let mut command = process::refit(&self.at("."));
        command
            .env("REFIT_CACHE", self.dir.path().join("cache"))
            .env_remove("COLUMNS");
        let start = words
            .iter()
            .position(|word| *word == "refit")
            .context("a command is `$ refit …`")?;
        command.envs(
            words[..start]
                .iter()
                .filter_map(|word| word.split_once('=')),
        );
        let output = match &words[start + 1..] {
            [arguments @ .., "<", input] => command
                .args(arguments)
                .write_stdin(self.read(input)?)
                .output()?,
            arguments => command.args(arguments).output()?,
        };
        leaks::check(&self.at("."), words);
        let canonical = process::shown(&self.at("").canonicalize()?);
        let names = [canonical.trim_end_matches('/').to_owned(), self.name()];
        let mut lines = [marked('>', &output.stdout), marked('!', &output.stderr)].concat();
        for line in &mut lines {
            *line = names
                .iter()
                .fold(plain(line), |line, name| line.replace(name, "$DIR"));
        }
        lines.extend(
            output
                .status
                .code()
                .filter(|code| *code != 0)
                .map(|code| format!("? {code}")),
        );
        Ok(lines)
    }

    /// Changes files, or compares them.
    fn change(&mut self, verb: &str, words: &[&str], below: &[String]) -> Result<()> {
        let content = |mark: &str| -> String {
            let lines = below.iter().filter_map(|line| line.strip_prefix(mark));
            lines
                .map(|line| line.strip_prefix(' ').unwrap_or(line))
                .collect::<Vec<_>>()
                .join("\n")
                .replace("$DIR", &self.name())
        };
        match (verb, words) {
            ("golden", [from, to]) => self.write(
                to,
                fs::read(root().join("golden").join(from)).with_context(|| (*from).to_owned())?,
            ),
            ("example", [from, to]) => {
                process::copy_folder(&root().join("docs/example").join(from), &self.at(to));
                Ok(())
            }
            ("fixture", [kind, to, more @ ..]) => {
                let files = fixtures::fixture(kind, more, &|path| self.read(path))?;
                files
                    .into_iter()
                    .try_for_each(|(path, bytes)| self.write(&format!("{to}{path}"), bytes))
            }
            ("write", [path]) => self.write(path, content("|") + "\n"),
            ("write", [path, text]) => self.write(path, text),
            ("write", [path, text, "*", count]) => self.write(path, text.repeat(count.parse()?)),
            ("append", [path, text]) => {
                self.write(path, [&self.read(path)?, text.as_bytes()].concat())
            }
            ("patch", [path, at, hex @ ..]) => {
                let (mut bytes, at) = (self.read(path).unwrap_or_default(), at.parse::<usize>()?);
                bytes.resize(bytes.len().max(at + hex.len()), 0);
                for (byte, hex) in bytes[at..].iter_mut().zip(hex) {
                    *byte = u8::from_str_radix(hex, 16)?;
                }
                self.write(path, bytes)
            }
            ("cut", [path, length]) => self.write(
                path,
                self.read(path)?
                    .get(..length.parse()?)
                    .context("it is shorter")?,
            ),
            ("crlf", [path]) => self.write(
                path,
                String::from_utf8(self.read(path)?)?.replace('\n', "\r\n"),
            ),
            ("copy", [from, to]) if self.at(from).is_dir() => {
                process::copy_folder(&self.at(from), &self.at(to));
                Ok(())
            }
            ("copy", [from, to]) => self.write(to, self.read(from)?),
            ("copy-notes", [from, to]) => self
                .write(to, "")
                .map(|()| process::copy_with_notes(&self.at(from), &self.at(to))),
            ("move", [from, to]) => Ok(fs::rename(self.at(from), self.at(to))?),
            ("folder", [path]) => Ok(fs::create_dir_all(self.at(path))?),
            ("read-only", [path]) => {
                let mut permissions = fs::metadata(self.at(path))?.permissions();
                permissions.set_readonly(true);
                Ok(fs::set_permissions(self.at(path), permissions)?)
            }
            ("remove", [path]) if self.at(path).is_dir() => Ok(fs::remove_dir_all(self.at(path))?),
            ("remove", [path]) => Ok(fs::remove_file(self.at(path))?),
            ("edit" | "edit-first" | "edit-all", [path]) => {
                let (text, from) = (String::from_utf8(self.read(path)?)?, content("-"));
                let count = text.matches(&from).count();
                ensure!(
                    count == 1 || count > 1 && verb != "edit",
                    "{count} times in {path}:\n{text}"
                );
                self.write(
                    path,
                    text.replacen(
                        &from,
                        &content("+"),
                        if verb == "edit-all" { count } else { 1 },
                    ),
                )
            }
            ("set" | "unset" | "fill", [path, pointer, value @ ..]) => {
                let mut document = serde_json::from_slice(&self.read(path)?)?;
                let none = || anyhow!("{path} has no {pointer}");
                match value {
                    [] => crate::set(&mut document, pointer, None).with_context(none)?,
                    [value] => {
                        crate::set(&mut document, pointer, Some(serde_json::from_str(value)?))
                            .with_context(none)?
                    }
                    [count, value, ..] => (0..count.parse::<usize>()?).try_for_each(|i| {
                        let value = serde_json::from_str(&value.replace('#', &i.to_string()))?;
                        crate::set(&mut document, &format!("{pointer}/-"), Some(value))
                            .with_context(none)
                    })?,
                }
                self.write(path, document.to_string())
            }
            ("exists" | "absent", paths) => paths.iter().try_for_each(|path| {
                ensure!(self.at(path).exists() == (verb == "exists"), "{path}");
                Ok(())
            }),
            ("same" | "differ", [a, b]) => {
                ensure!(
                    self.at(a).exists() && self.at(b).exists(),
                    "one does not exist"
                );
                let is_same = process::snapshot(&self.at(a)) == process::snapshot(&self.at(b));
                ensure!(
                    is_same == (verb == "same"),
                    "they {}",
                    if is_same { "are the same" } else { "differ" }
                );
                Ok(())
            }
            ("mark", []) => {
                self.before = process::snapshot(&self.at("."));
                Ok(())
            }
            ("unchanged", []) => {
                ensure!(
                    process::snapshot(&self.at(".")) == self.before,
                    "files have changed"
                );
                Ok(())
            }
            _ => bail!("there is no such step"),
        }
    }
}
