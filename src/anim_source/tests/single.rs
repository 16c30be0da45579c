//! The source of one entry: it gives what the sources of the whole file give.

use super::*;
use crate::{CompiledEntry, compile_entry, entry_source};
use refit_base::wire::{decode_1252, encode_1252};

/// Every entry of every golden file comes back from its own source, and the lines of its events are
/// those of their keys. An entry without a source is one that decompiling keeps as bytes, or whose
/// values a text cannot express.
#[test]
fn every_entry_of_the_golden_files_comes_back() {
    let (mut good, mut events, mut none) = (0, 0, 0);
    for (path, bytes) in golden() {
        let Ok(anim) = Anim::read(&bytes, None) else {
            continue;
        };
        let base = Base::new(anim).unwrap();
        for (at, own) in base.anim.definitions.iter().enumerate() {
            let Ok(source) = entry_source(&base, at) else {
                none += 1;
                continue;
            };
            let CompiledEntry {
                bytes, left_out, ..
            } = compile_entry(&base, at, &source.text, None).unwrap_or_else(|e| {
                panic!("{path} {at}: {e}\n{}", source.text);
            });
            assert!(left_out.is_none() && bytes == own, "{path} {at}");
            good += 1;
            let d = base.definition(at).unwrap();
            assert_eq!(source.events.len(), d.events().count(), "{path} {at}");
            let lines: Vec<&str> = source.text.lines().collect();
            for (place, line) in &source.events {
                let text = lines[line - 1].trim();
                let list = match place.strip_prefix("sequences[") {
                    Some(rest) => {
                        let number: usize = rest.split(']').next().unwrap().parse().unwrap();
                        &d.sequences[number].events
                    }
                    None if place.starts_with("reset_state[") => d.reset_state.as_ref().unwrap(),
                    None => &d.damage_sequence.as_ref().unwrap().events,
                };
                let at = place.rsplit(['[', ']']).nth(1).unwrap();
                let key = list[at.parse::<usize>().unwrap()].body.key();
                assert!(
                    text.starts_with(key) || text.starts_with("REFIT"),
                    "{path}: {place} is {key}, and line {line} is {text}"
                );
                events += 1;
            }
        }
    }
    assert!(
        good > 100 && events > 300 && none < good,
        "{good} {events} {none}"
    );
}

/// An edit of one entry's source gives the file that the sources of all entries give with this
/// edit.
#[test]
fn an_edited_source_gives_the_file_of_all_sources() {
    let mut edited = 0;
    for (path, bytes) in golden() {
        let Ok(anim) = Anim::read(&bytes, None) else {
            continue;
        };
        let base = Base::new(anim).unwrap();
        for at in 0..base.anim.definitions.len() {
            let Ok(source) = entry_source(&base, at) else {
                continue;
            };
            let key = "ACTIVATION ( ON_CALL )";
            if !source.text.contains(key) {
                continue;
            }
            let change =
                |text: &str| text.replacen(key, "ACTIVATION ( ON_STARTUP ) HEALTH ( 77.5 )", 1);
            let text = change(&source.text);
            let mut one = base.anim.clone();
            match compile_entry(&base, at, &text, None) {
                Ok(done) => one.definitions[at] = done.bytes,
                // A definition may have a health already, and more.
                Err(_) => continue,
            }
            // The same edit in the sources of all entries: the lines are the same.
            let Ok(made) = decompile(&base, head(base.anim.game), "", Spelling::Zrd, None) else {
                continue;
            };
            let keys = |text: &str| {
                let from = text.find("ANIMATION_DEFINITION (").unwrap();
                text[from..]
                    .trim_end()
                    .strip_suffix(" ) )")
                    .unwrap()
                    .to_owned()
            };
            let (old, new) = (keys(&source.text), keys(&text));
            let files = written(&made);
            let mut found = 0;
            for (name, bytes) in &made.files {
                let text = decode_1252(bytes);
                found += text.matches(&old).count();
                files.set(name, encode_1252(&text.replace(&old, &new)).unwrap());
            }
            // An equal entry is another one.
            if found != 1 {
                continue;
            }
            let all = good(compile_files(&files, Some(&base), &Options::default()).unwrap());
            assert!(all.anim.unwrap() == one, "{path} {at}");
            assert!(one != base.anim, "{path} {at}");
            edited += 1;
        }
    }
    assert!(edited > 20, "{edited}");
}

/// What cannot be compiled is an error with line and column.
#[test]
fn errors_have_lines() {
    let options = Options {
        world: Some(World::new([b"gate".to_vec(), b"turret_a".to_vec()])),
        ..Options::default()
    };
    let compiled = compile_all(&format!("{OPEN_GATE} {TURRET}"), &options).unwrap();
    let anim = good(compiled).anim.unwrap();
    let base = Base::new(anim).unwrap();
    let at = base
        .called
        .iter()
        .position(|called| called.animation == b"open_gate")
        .unwrap();
    let source = entry_source(&base, at).unwrap().text;
    let line_of =
        |text: &str, word: &str| text.lines().position(|line| line.contains(word)).unwrap() + 1;
    let error = |text: &str| compile_entry(&base, at, text, None).err().unwrap();
    let refused = |old: &str, new: &str, line: usize, message: &str| {
        assert!(source.contains(old), "{old} in {source}");
        let e = error(&source.replacen(old, new, 1));
        assert_eq!(e.place().map(|(line, _)| line), Some(line), "{e}");
        assert!(e.to_string().contains(message), "{e}");
    };
    let name = line_of(&source, "NAME (");
    refused(
        "RESET_TIME (",
        "RESET_TIME ( much",
        line_of(&source, "RESET_TIME"),
        "RESET_TIME",
    );
    refused(
        "NAME ( gate )",
        "NAME ( gate ) )",
        source.lines().count(),
        "a closing parenthesis",
    );
    refused("NAME ( gate )", "NAME ( gätε )", name, "Windows-1252");
    let short = source.trim_end().strip_suffix(')').unwrap();
    assert!(error(short).to_string().contains("inside 1 list"));
    // A key that means nothing is a finding with its line.
    let typo = source.replacen("RESET_TIME", "RESETTIME", 1);
    let found = compile_entry(&base, at, &typo, None).unwrap().findings;
    let line = line_of(&typo, "RESETTIME");
    assert!(
        found
            .iter()
            .any(|found| found.path.starts_with(&format!(":{line}:"))
                && found.message.contains("RESETTIME")),
        "{found:?}"
    );
    // The source of one entry makes one entry, and has no name of another one.
    let two = source.replacen(
        "ANIMATION_LIST (",
        &format!("ANIMATION_LIST ( {OPEN_GATE}"),
        1,
    );
    assert!(error(&two).to_string().contains("2 definitions"));
    let same = source
        .replacen("NAME ( gate )", "NAME ( turret_a )", 1)
        .replacen("open_gate", "destroy_turret", 1);
    let e = error(&same).to_string();
    assert!(e.contains("another definition"), "{e}");
    // Only a world knows whether there is a node.
    let elsewhere = source.replacen("NAME ( gate )", "NAME ( nowhere )", 1);
    let done = compile_entry(&base, at, &elsewhere, None).unwrap();
    assert!(done.left_out.is_none() && done.bytes != base.anim.definitions[at]);
    let world = World::new([b"gate".to_vec()]);
    let done = compile_entry(&base, at, &elsewhere, Some(world)).unwrap();
    assert_eq!(done.left_out.as_deref(), Some("nowhere"));
    assert!(done.bytes == base.anim.definitions[at]);
}
