//! The console transcripts of the README, run as they stand: whoever follows them sees what they show.

use roundtrip_tests::{
    games,
    process::{self, program},
    root,
};
use std::{
    fs,
    io::{Read, Write},
    path::Path,
    process::{Command, Stdio},
};

/// A command and what stands below it.
struct Step {
    line: usize,
    command: String,
    output: String,
}

/// The steps of all ```` ```console ```` blocks of a text.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for (i, line) in text.lines().enumerate() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(Step { line: i + 1, command: command.to_owned(), output: String::new() }),
                (None, Some(step)) => step.output.extend([line, "\n"]),
                (None, None) => panic!("line {} of the README: output without a command", i + 1),
            },
            _ => {}
        }
    }
    steps
}

/// Runs a command in a shell, as a reader would; both outputs come in the order in which they were written.
#[cfg(unix)]
fn run_in_shell(folder: &Path, command: &str) -> String {
    let path = format!("{}:{}", program().parent().expect("a folder").display(), std::env::var("PATH").unwrap_or_default());
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

/// What stands between a command and the next: nothing, `|`, `&&`.
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
        let sign = ["&&", ">>", ">", "|"].into_iter().find(|sign| quote.is_none() && rest.starts_with(sign));
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

/// Does what a command of the README does, where there is no shell: what it says, and what it writes, in their order.
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
                .filter_map(|word| if let Word::Text(text) = word { Some(&**text) } else { None })
                .collect();
            let (output, errors) = stage_by_hand(folder, &texts, input, n + 1 == stages.len() && to.is_none());
            said.push_str(&errors);
            input = output;
            if let Some([Word::Sign(sign), Word::Text(file)]) = to.map(|to| &stage[to..]) {
                let old = if *sign == ">>" { fs::read(folder.join(file)).unwrap() } else { Vec::new() };
                fs::write(folder.join(file), [old, std::mem::take(&mut input)].concat()).unwrap();
            }
        }
        said.push_str(&String::from_utf8(input).expect("output is UTF-8"));
    }
    said
}

/// What one command writes, and its messages: together with the output where that is the end.
fn stage_by_hand(folder: &Path, words: &[&str], input: Vec<u8>, is_last: bool) -> (Vec<u8>, String) {
    let at = |name: &str| folder.join(name);
    // `s/old/new/`: the first of each line, no pattern.
    let edit = |how: &str, text: &str| -> String {
        let [_, old, new, _] = how.split('/').collect::<Vec<_>>()[..] else { panic!("{how}") };
        text.split_inclusive('\n').map(|line| line.replacen(old, new, 1)).collect()
    };
    let text = match words {
        ["refit", arguments @ ..] => return refit_by_hand(folder, arguments, input, is_last),
        ["mkdir", "-p", name] | ["mkdir", name] => fs::create_dir_all(at(name)).map(|()| String::new()).unwrap(),
        ["cp", "-r", from, to] => {
            process::copy_folder(&at(from), &at(to));
            String::new()
        }
        ["cp", from, to] => fs::copy(at(from), at(to)).map(|_| String::new()).unwrap(),
        ["rm", name] => fs::remove_file(at(name)).map(|()| String::new()).unwrap(),
        ["ls", name] => {
            let shown = |name: &String| !name.starts_with('.');
            process::names(&at(name)).into_iter().filter(shown).map(|name| name + "\n").collect()
        }
        ["cat", name] => fs::read_to_string(at(name)).unwrap(),
        ["cmp", one, two] if fs::read(at(one)).unwrap() == fs::read(at(two)).unwrap() => String::new(),
        ["echo", text] => format!("{text}\n"),
        ["head", "-c", count, "/dev/zero"] => "\0".repeat(count.parse().unwrap()),
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
        other => panic!("the README has a command that this test cannot do: {other:?}"),
    };
    (text.into_bytes(), String::new())
}

fn refit_by_hand(folder: &Path, arguments: &[&str], input: Vec<u8>, is_last: bool) -> (Vec<u8>, String) {
    let mut command = Command::new(program());
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").env("REFIT_CACHE", folder.join(".cache"));
    let (mut output, sender) = std::io::pipe().unwrap();
    command.stdin(Stdio::piped()).stdout(sender.try_clone().unwrap());
    let mut errors = String::new();
    let (mut apart, other) = std::io::pipe().unwrap();
    // Both outputs through one pipe come in the order in which they were written.
    if is_last {
        command.stderr(sender);
        drop(other);
    } else {
        command.stderr(other);
        drop(sender);
    }
    let mut child = command.spawn().unwrap();
    // The ends that only the program may hold go with it.
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
fn the_transcripts_of_the_readme_are_what_happens() {
    transcripts(run_in_shell);
}

/// The same where there is no such shell, and here, too, so that it is the same.
#[test]
fn the_transcripts_of_the_readme_are_what_happens_without_a_shell() {
    transcripts(run_by_hand);
}

#[test]
fn commands_are_taken_apart_as_a_shell_does() {
    let text = |text: &str| Word::Text(text.to_owned());
    assert_eq!(words("a  'b | c'\"d\" > e"), [text("a"), text("b | cd"), Word::Sign(">"), text("e")]);
    assert_eq!(
        words("x && y | z>>w ''"),
        [text("x"), Word::Sign("&&"), text("y"), Word::Sign("|"), text("z"), Word::Sign(">>"), text("w"), text("")]
    );
}

fn transcripts(run: fn(&Path, &str) -> String) {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let steps = steps(&text);
    assert!(steps.len() >= 20, "the README has {} commands", steps.len());
    let dir = tempfile::tempdir().unwrap();
    // "In a clone of this repository": what the transcripts take from it.
    let golden = dir.path().join("golden/reader");
    fs::create_dir_all(&golden).unwrap();
    fs::copy(root().join("golden/reader/mw_zbd_c1_readerm1.zbd"), golden.join("mw_zbd_c1_readerm1.zbd")).unwrap();
    // "A whole game": one that is made by hand.
    games::write(&dir.path().join("recoil"), &games::installation("rc", &games::names("rc")));
    let mut edited = false;
    for step in &steps {
        let found = run(dir.path(), &step.command);
        assert_eq!(found, step.output, "README.md, line {}: $ {}", step.line, step.command);
        // "… change `-2147483648` to `250`, and put `"ADDED", [1, 2.5]` behind `"semi;colon"`, in any editor."
        if step.command == "cat readerm1/zephyr1.zrd.json" {
            let file = dir.path().join("readerm1/zephyr1.zrd.json");
            let before = fs::read_to_string(&file).unwrap();
            let after = before.replace("-2147483648", "250").replace("\"semi;colon\"", "\"semi;colon\", \"ADDED\", [1, 2.5]");
            assert_ne!(before, after);
            fs::write(&file, after).unwrap();
            edited = true;
        }
    }
    assert!(edited, "the README no longer shows the file that its reader edits");
}

#[test]
fn a_transcript_is_taken_apart_into_commands_and_outputs() {
    let text = "```console\n$ a b\none\n\ntwo\n$ c\n```\n$ no\n```\nx\n```\n```console\n$ d\n```\n";
    let found: Vec<(usize, String, String)> = steps(text).into_iter().map(|s| (s.line, s.command, s.output)).collect();
    let step = |line, command: &str, output: &str| (line, command.to_owned(), output.to_owned());
    assert_eq!(found, [step(2, "a b", "one\n\ntwo\n"), step(6, "c", ""), step(13, "d", "")]);
}
