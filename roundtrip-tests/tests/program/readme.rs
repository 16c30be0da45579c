//! The pages for users, README.md and docs/: runs their console transcripts, and checks their
//! links. The width of what people write, code and prose.

use roundtrip_tests::{
    games, leaks,
    process::{self, program},
    root,
};
use std::{
    collections::BTreeSet,
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Lines of the README at most.
const README_LINES: usize = 220;

/// Lines of a paragraph, or of an item of a list, at most.
const PARAGRAPH_LINES: usize = 5;

/// Columns of a line at most, in code and in prose.
const COLUMNS: usize = 120;

/// A page: its path from the root, with `/`, and its text.
struct Page {
    path: String,
    text: String,
}

impl Page {
    fn read(path: &str) -> Page {
        Page {
            path: path.to_owned(),
            text: fs::read_to_string(root().join(path)).unwrap(),
        }
    }
}

/// README.md and the pages of the book.
fn pages() -> Vec<Page> {
    let mut pages = vec![Page::read("README.md")];
    for name in process::names(&root().join("docs")) {
        if name.ends_with(".md") {
            pages.push(Page::read(&format!("docs/{name}")));
        }
    }
    assert!(pages.len() > 10, "{} pages", pages.len());
    pages
}

/// A command and its output.
struct Step {
    line: usize,
    command: String,
    output: String,
}

/// The steps of all ```` ```console ```` blocks of a page, and edits that the reader makes: `<!--
/// test: COMMAND -->`.
fn steps(page: &str, text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for (i, line) in text.lines().enumerate() {
        let step = |command: &str| Step {
            line: i + 1,
            command: command.to_owned(),
            output: String::new(),
        };
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(step(command)),
                (None, Some(step)) => step.output.extend([line, "\n"]),
                (None, None) => panic!("{page}, line {}: output without a command", i + 1),
            },
            (false, line) => {
                let hidden = line
                    .strip_prefix("<!-- test: ")
                    .and_then(|rest| rest.strip_suffix(" -->"));
                steps.extend(hidden.map(step));
            }
        }
    }
    steps
}

/// Runs a command in a shell, as a reader would; standard output and errors are merged in order.
#[cfg(unix)]
fn run_in_shell(folder: &Path, command: &str) -> String {
    let path = format!(
        "{}:{}",
        program().parent().expect("a folder").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let out = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", path)
        .env("LC_ALL", "C")
        .env("NO_COLOR", "1")
        .env("REFIT_CACHE", folder.join(".cache"))
        .stdin(Stdio::null())
        .output()
        .expect("there is a shell");
    String::from_utf8(out.stdout).expect("output is UTF-8")
}

/// A word of a command, or a sign between commands: `|`, `&&`, `>`.
#[derive(PartialEq, Debug)]
enum Word {
    Text(String),
    Sign(&'static str),
}

/// The words of a command as a shell takes them apart: quotes keep blanks and signs together.
fn words(command: &str) -> Vec<Word> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut rest = command;
    while let Some(c) = rest.chars().next() {
        let sign = ["&&", ">>", ">", "|"]
            .into_iter()
            .find(|sign| quote.is_none() && rest.starts_with(sign));
        rest = &rest[sign.map_or(c.len_utf8(), str::len)..];
        match (sign, quote) {
            (Some(sign), _) => {
                words.extend(word.take().map(Word::Text));
                words.push(Word::Sign(sign));
            }
            (None, Some(end)) if c == end => quote = None,
            (None, None) if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, None) if c == ' ' => words.extend(word.take().map(Word::Text)),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word.map(Word::Text));
    words
}

/// Runs a command of a page without a shell. Returns its output, errors included, in order.
fn run_by_hand(folder: &Path, command: &str) -> String {
    let words = words(command);
    let mut said = String::new();
    for commands in words.split(|word| *word == Word::Sign("&&")) {
        let mut input = Vec::new();
        let stages: Vec<&[Word]> = commands.split(|word| *word == Word::Sign("|")).collect();
        for (n, stage) in stages.iter().enumerate() {
            let to = stage.iter().position(|word| matches!(word, Word::Sign(_)));
            let texts: Vec<&str> = stage[..to.unwrap_or(stage.len())]
                .iter()
                .filter_map(|word| {
                    if let Word::Text(text) = word {
                        Some(&**text)
                    } else {
                        None
                    }
                })
                .collect();
            let (output, errors) =
                stage_by_hand(folder, &texts, input, n + 1 == stages.len() && to.is_none());
            said.push_str(&errors);
            input = output;
            if let Some([Word::Sign(sign), Word::Text(file)]) = to.map(|to| &stage[to..]) {
                let old = if *sign == ">>" {
                    fs::read(folder.join(file)).unwrap()
                } else {
                    Vec::new()
                };
                fs::write(
                    folder.join(file),
                    [old, std::mem::take(&mut input)].concat(),
                )
                .unwrap();
            }
        }
        said.push_str(&String::from_utf8(input).expect("output is UTF-8"));
    }
    said
}

/// The output of one command, and its messages: merged with the output for the last command.
fn stage_by_hand(
    folder: &Path,
    words: &[&str],
    input: Vec<u8>,
    is_last: bool,
) -> (Vec<u8>, String) {
    let at = |name: &str| folder.join(name);
    // `s/old/new/`: the first of each line, no pattern.
    let edit = |how: &str, text: &str| -> String {
        let [_, old, new, _] = how.split('/').collect::<Vec<_>>()[..] else {
            panic!("{how}")
        };
        text.split_inclusive('\n')
            .map(|line| line.replacen(old, new, 1))
            .collect()
    };
    let text = match words {
        ["refit", arguments @ ..] => return refit_by_hand(folder, arguments, input, is_last),
        ["mkdir", "-p", name] | ["mkdir", name] => fs::create_dir_all(at(name))
            .map(|()| String::new())
            .unwrap(),
        ["cp", "-r", from, to] => {
            process::copy_folder(&at(from), &at(to));
            String::new()
        }
        ["cp", from @ .., to] => {
            for from in from {
                let to = if at(to).is_dir() {
                    at(to).join(Path::new(from).file_name().unwrap())
                } else {
                    at(to)
                };
                fs::copy(at(from), to).unwrap();
            }
            String::new()
        }
        ["rm", "-r", name] => fs::remove_dir_all(at(name))
            .map(|()| String::new())
            .unwrap(),
        ["rm", name] => fs::remove_file(at(name)).map(|()| String::new()).unwrap(),
        ["ls", name] => {
            let shown = |name: &String| !name.starts_with('.');
            process::names(&at(name))
                .into_iter()
                .filter(shown)
                .map(|name| name + "\n")
                .collect()
        }
        ["cat", name] => fs::read_to_string(at(name)).unwrap(),
        ["cmp", one, two] if fs::read(at(one)).unwrap() == fs::read(at(two)).unwrap() => {
            String::new()
        }
        ["echo", text] => format!("{text}\n"),
        ["head", "-c", count, "/dev/zero"] => "\0".repeat(count.parse().unwrap()),
        ["head", count] => {
            let text = String::from_utf8(input).unwrap();
            text.split_inclusive('\n')
                .take(count.strip_prefix('-').unwrap().parse().unwrap())
                .collect()
        }
        ["tail", count] => {
            let text = String::from_utf8(input).unwrap();
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let count: usize = count.strip_prefix('-').unwrap().parse().unwrap();
            lines[lines.len().saturating_sub(count)..].concat()
        }
        ["sed", how] => edit(how, &String::from_utf8(input).unwrap()),
        ["sed", "-i", how, name] => {
            let new = edit(how, &fs::read_to_string(at(name)).unwrap());
            fs::write(at(name), new).map(|()| String::new()).unwrap()
        }
        other => panic!("this test cannot do a command of a page: {other:?}"),
    };
    (text.into_bytes(), String::new())
}

fn refit_by_hand(
    folder: &Path,
    arguments: &[&str],
    input: Vec<u8>,
    is_last: bool,
) -> (Vec<u8>, String) {
    let mut command = Command::new(program());
    command
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("REFIT_CACHE", folder.join(".cache"));
    let (mut output, sender) = std::io::pipe().unwrap();
    command
        .stdin(Stdio::piped())
        .stdout(sender.try_clone().unwrap());
    let mut errors = String::new();
    let (mut apart, other) = std::io::pipe().unwrap();
    // Both outputs go through one pipe, which preserves their order.
    if is_last {
        command.stderr(sender);
        drop(other);
    } else {
        command.stderr(other);
        drop(sender);
    }
    let mut child = command.spawn().unwrap();
    // Also drops the program's ends of the pipes.
    drop(command);
    let mut stdin = child.stdin.take().unwrap();
    let feeding = std::thread::spawn(move || _ = stdin.write_all(&input));
    let mut bytes = Vec::new();
    output.read_to_end(&mut bytes).unwrap();
    apart.read_to_string(&mut errors).unwrap();
    child.wait().unwrap();
    feeding.join().unwrap();
    (bytes, errors)
}

#[cfg(unix)]
#[test]
fn the_transcripts_match() {
    transcripts(run_in_shell);
}

/// The same without a shell, as on Windows.
#[test]
fn the_transcripts_match_without_a_shell() {
    transcripts(run_by_hand);
}

/// Runs the transcripts of all pages, each in its own folder.
fn transcripts(run: fn(&Path, &str) -> String) {
    program();
    std::thread::scope(|scope| {
        for page in pages() {
            scope.spawn(move || transcript(&page, run));
        }
    });
}

fn transcript(page: &Page, run: fn(&Path, &str) -> String) {
    let steps = steps(&page.path, &page.text);
    let dir = tempfile::tempdir().unwrap();
    // A reader works in a clone of this repository: copy what the commands take from it.
    let words = steps.iter().flat_map(|step| step.command.split(' '));
    for word in words.filter(|word| word.starts_with("golden/") || word.starts_with("docs/")) {
        let (from, to) = (root().join(word), dir.path().join(word));
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        if from.is_dir() {
            process::copy_folder(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
    for step in &steps {
        let found = run(dir.path(), &step.command);
        leaks::check(
            dir.path(),
            &step.command.split_whitespace().collect::<Vec<_>>(),
        );
        assert_eq!(
            found, step.output,
            "{}, line {}: $ {}",
            page.path, step.line, step.command
        );
    }
}

#[test]
fn the_readme_shows_whole_games_and_single_files() {
    let readme = Page::read("README.md");
    assert!(
        steps(&readme.path, &readme.text).len() >= 10,
        "the README shows too little"
    );
    let lines = readme.text.lines().count();
    assert!(
        lines <= README_LINES,
        "README.md has {lines} lines, {README_LINES} at most"
    );
}

/// The picture of the README shows lines of its transcripts.
#[test]
fn the_picture_shows_what_the_readme_shows() {
    let (picture, readme) = (Page::read("docs/refit.svg"), Page::read("README.md"));
    let lines: BTreeSet<&str> = readme.text.lines().collect();
    let mut shown = 0;
    for line in picture
        .text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("<text class=\"t\""))
    {
        let text = line
            .split_once('>')
            .and_then(|(_, rest)| rest.strip_suffix("</text>"))
            .expect("one line");
        let text = text
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&");
        assert!(
            lines.contains(&*text),
            "docs/refit.svg: README.md has no line {text:?}"
        );
        shown += 1;
    }
    assert!(shown > 8, "{shown} lines in docs/refit.svg");
}

/// The lines of a Markdown text outside of code blocks, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    text.lines().enumerate().filter_map(move |(i, line)| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        (!fence && !inside).then_some((i + 1, line))
    })
}

/// The anchors of a page's headings, as forges make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|(_, line)| line.starts_with('#'));
    headings
        .map(|(_, line)| anchor(line.trim_start_matches('#').trim()))
        .collect()
}

fn anchor(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c })
        .flat_map(char::to_lowercase)
        .collect()
}

/// The targets of the links and pictures of a line: `[…](TARGET)`.
fn targets(line: &str) -> Vec<&str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target)
        .collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    let others = [
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
    ];
    let mut links = 0;
    for page in pages().into_iter().chain(others.map(Page::read)) {
        let folder = root().join(&page.path).parent().unwrap().to_owned();
        for (number, line) in prose(&page.text) {
            for target in targets(line)
                .into_iter()
                .filter(|target| !target.contains("://"))
            {
                let (file, heading) = target.split_once('#').unwrap_or((target, ""));
                let path = if file.is_empty() {
                    root().join(&page.path)
                } else {
                    folder.join(file)
                };
                assert!(
                    path.exists(),
                    "{}, line {number}: no file {target}",
                    page.path
                );
                if !heading.is_empty() {
                    let text = fs::read_to_string(&path).unwrap();
                    assert!(
                        anchors(&text).contains(heading),
                        "{}, line {number}: no heading {target}",
                        page.path
                    );
                }
                links += 1;
            }
        }
    }
    assert!(links > 50, "{links} links");
}

/// The lines of the diffs in a text that the file after the change has: file and line.
fn lines_of_diffs(text: &str) -> Vec<(String, String)> {
    let (mut inside, mut file, mut lines) = (false, String::new(), Vec::new());
    for line in text.lines() {
        match (inside, line.strip_prefix("+++ b/")) {
            (false, _) => inside = line == "```diff",
            (true, Some(name)) => file = name.to_owned(),
            (true, None) if line == "```" => inside = false,
            (true, None) if line.starts_with('-') => {}
            (true, None) => lines.push((file.clone(), line[1..].trim().to_owned())),
        }
    }
    lines
}

#[test]
fn the_recipes_show_lines_of_the_code() {
    let lines = lines_of_diffs(&Page::read("CONTRIBUTING.md").text);
    assert!(lines.len() > 20, "{} lines", lines.len());
    for (file, line) in lines {
        let code = fs::read_to_string(root().join(&file))
            .unwrap_or_else(|e| panic!("CONTRIBUTING.md: {file}: {e}"));
        assert!(
            code.lines().any(|there| there.trim() == line),
            "CONTRIBUTING.md: {file} has no line {line:?}: adapt the recipe"
        );
    }
}

#[test]
fn a_diff_is_split_into_files_and_lines() {
    let text = "+a\n```diff\n--- a/x\n+++ b/x\n  kept\n-gone\n+  new\n```\n+b\n";
    let line = |line: &str| ("x".to_owned(), line.to_owned());
    assert_eq!(lines_of_diffs(text), [line("kept"), line("new")]);
}

/// The animation that golden/anim/EXAMPLE.md reads aloud is one that refit accepts.
#[test]
fn the_example_of_an_animation_fits_its_schema() {
    let page = Page::read("golden/anim/EXAMPLE.md");
    let block = page
        .text
        .split_once("```jsonc\n")
        .unwrap()
        .1
        .split_once("```")
        .unwrap()
        .0;
    let json: String = block
        .lines()
        .map(|line| line.split_once("//").map_or(line, |(before, _)| before))
        .collect();
    let schema = serde_json::from_str(&Page::read("schemas/anim-definition.json").text).unwrap();
    let errors = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = errors
        .iter_errors(&serde_json::from_str(&json).unwrap())
        .map(|e| e.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn the_summary_lists_every_page_of_the_book() {
    let summary = Page::read("docs/SUMMARY.md");
    let listed: BTreeSet<PathBuf> = summary
        .text
        .lines()
        .flat_map(targets)
        .map(|name| Path::new("docs").join(name))
        .collect();
    let there: BTreeSet<PathBuf> = pages()
        .iter()
        .skip(1)
        .map(|page| PathBuf::from(&page.path))
        .collect();
    let missing: Vec<_> = there
        .difference(&listed)
        .filter(|path| !path.ends_with("SUMMARY.md"))
        .collect();
    assert!(missing.is_empty(), "not in docs/SUMMARY.md: {missing:?}");
}

#[test]
fn paragraphs_are_short() {
    for page in pages() {
        let (mut lines, mut last) = (0, 0);
        for (number, line) in prose(&page.text) {
            let begins = line.starts_with(['#', '|', '-', '<'])
                || line.starts_with(|c: char| c.is_ascii_digit());
            lines = match line.trim() {
                "" => 0,
                _ if begins || number != last + 1 => 1,
                _ => lines + 1,
            };
            last = number;
            assert!(
                lines <= PARAGRAPH_LINES,
                "{}, line {number}: a paragraph of more than {PARAGRAPH_LINES} lines",
                page.path
            );
        }
    }
}

#[test]
fn commands_are_split_like_in_a_shell() {
    let text = |text: &str| Word::Text(text.to_owned());
    assert_eq!(
        words("a  'b | c'\"d\" > e"),
        [text("a"), text("b | cd"), Word::Sign(">"), text("e")]
    );
    assert_eq!(
        words("x && y | z>>w ''"),
        [
            text("x"),
            Word::Sign("&&"),
            text("y"),
            Word::Sign("|"),
            text("z"),
            Word::Sign(">>"),
            text("w"),
            text("")
        ]
    );
}

#[test]
fn a_transcript_is_split_into_commands_and_outputs() {
    let text = "```console\n$ a b\none\n\ntwo\n$ c\n```\n$ no\n<!-- test: e f -->\n```\nx\n```\n```console\n$ d\n```\n";
    let found: Vec<(usize, String, String)> = steps("a.md", text)
        .into_iter()
        .map(|s| (s.line, s.command, s.output))
        .collect();
    let step = |line, command: &str, output: &str| (line, command.to_owned(), output.to_owned());
    assert_eq!(
        found,
        [
            step(2, "a b", "one\n\ntwo\n"),
            step(6, "c", ""),
            step(9, "e f", ""),
            step(14, "d", "")
        ]
    );
}

#[test]
fn links_and_headings_are_found() {
    assert_eq!(
        targets("see [a](b.md#c) and ![d](e.svg)"),
        ["b.md#c", "e.svg"]
    );
    assert_eq!(anchor("`refit anim`: what's new?"), "refit-anim-whats-new");
    let text = "# One\n```\n# no\n```\n## Two words\n";
    assert_eq!(
        anchors(text),
        BTreeSet::from(["one".to_owned(), "two-words".to_owned()])
    );
}

/// The small game of MechWarrior 3 in the book's transcripts is the one of the tests; `BLESS=1`
/// writes it.
#[test]
fn the_example_of_mechwarrior_is_the_game_of_the_tests() {
    let folder = root().join("docs/example/mechwarrior");
    let files = games::installation("mw", &games::names("mw"));
    if std::env::var_os("BLESS").is_some() {
        games::write(&folder, &files);
    }
    for (path, bytes) in files {
        assert!(
            fs::read(folder.join(&path)).is_ok_and(|is| is == bytes),
            "{path}: write it with BLESS=1"
        );
    }
}

/// The lines of a Markdown text that can be broken, with their numbers: without tables, pictures
/// and generated parts.
fn breakable(text: &str) -> Vec<(usize, &str)> {
    let mut generated = false;
    let written = prose(text).filter(|(_, line)| {
        generated = line.starts_with("<!-- table:") || generated && !line.starts_with("<!-- end");
        !generated && !line.trim_start().starts_with(['|', '!', '<'])
    });
    written.collect()
}

#[test]
fn lines_have_at_most_120_columns() {
    let is_ours = |name: &str| {
        !name.starts_with('.') && !["target", "node_modules", "dist", "expansions"].contains(&name)
    };
    let walk = walkdir::WalkDir::new(root());
    let walk = walk.into_iter().filter_entry(|entry| {
        entry.depth() == 0 || entry.file_name().to_str().is_some_and(is_ours)
    });
    let (mut files, mut wide) = (0, Vec::new());
    for path in walk.map(|entry| entry.unwrap().into_path()) {
        let kind = path
            .extension()
            .and_then(|kind| kind.to_str())
            .unwrap_or_default();
        // Rust is as rustfmt lays it out.
        if !["ts", "mjs", "cjs", "js", "css", "py", "pyi", "sh", "md"].contains(&kind) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let lines = if kind == "md" {
            breakable(&text)
        } else {
            (1..).zip(text.lines()).collect()
        };
        let lines = lines
            .into_iter()
            .filter(|(_, line)| line.chars().count() > COLUMNS);
        wide.extend(lines.map(|(number, _)| format!("{}, line {number}", path.display())));
        files += 1;
    }
    assert!(files > 100, "{files} files");
    assert!(wide.is_empty(), "more than {COLUMNS} columns: {wide:#?}");
}

#[test]
fn lines_that_can_be_broken_are_found() {
    let text = "a\n| b |\n```\nc\n```\n<!-- table: X -->\n`X`: d\n<!-- end -->\n![e](f)\n  g\n";
    assert_eq!(breakable(text), [(1, "a"), (10, "  g")]);
}
