//! Sources that are compiled repeatedly, as by `watch`: the result always equals that of compiling
//! all of them.

use super::{
    generated::{Dice, all_definitions},
    *,
};
use std::collections::BTreeMap;

/// Frames of a door that rises to this height in metres.
fn zan(height: usize) -> String {
    let pose = |frame: usize, y: usize| {
        format!(
            "Frame: {frame}\r\nObject: door\r\nScaling: 1 1 1\r\nRotation: 0 0 0\r\nTranslation: 0 {y} 0\r\n"
        )
    };
    format!(
        "SI Animation Script\r\nFRAMES: 2\r\nOBJECTS: 1\r\n{}{}",
        pose(1, 0),
        pose(11, height)
    )
}

/// Files of definitions, some of them with a script.
fn files() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let all = all_definitions();
    let chunks: Vec<&[String]> = all.chunks(9).take(40).collect();
    let mut list = String::new();
    for (i, definitions) in chunks.iter().enumerate() {
        let script = format!(
            "ANIMATION_DEFINITION ( NAME ( gate ) ANIMATION_NAME ( scripted{i} ) SEQUENCE_DEFINITION ( NAME ( a ) \
            OBJECT_MOTION_SI_SCRIPT ( NAME ( door ) SCRIPT_FILENAME ( s{}.zan ) SCRIPT_FRAME_RATE ( 10 ) ) ) )",
            i % 5
        );
        let text = format!(
            "ANIMATION_DEFINITIONS ( ANIMATION_LIST ( {} {script} ) )\n",
            definitions.join("\n")
        );
        files.insert(format!("f{i}.zrd"), text);
        list.push_str(&format!("ANIMATION_DEFINITION_FILE ( f{i}.zrd )\n"));
    }
    // A file that is named twice.
    files.insert(
        "anim.zrd".into(),
        root(&format!(
            "{list} ANIMATION_DEFINITION_FILE ( f3.zrd ) {OPEN_GATE}"
        )),
    );
    files.extend((0..5).map(|i| (format!("s{i}.zan"), zan(i + 2))));
    files
}

struct Watched {
    game: Game,
    files: BTreeMap<String, String>,
    again: Again,
    /// How often everything had to be compiled again.
    wholes: usize,
}

impl Watched {
    /// Replaces the first `n` places of a text in a file.
    fn replace(&mut self, path: &str, from: &str, to: &str, n: usize) {
        let text = self.files[path].replacen(from, to, n);
        self.files.insert(path.into(), text);
    }

    /// Compiles after some files were edited, and compares the result with a full compilation.
    /// Returns the file, or `None` if it could not be compiled.
    fn compile(&mut self, base: Option<&Base>, edited: &[String]) -> Option<Anim> {
        if !edited.iter().all(|path| self.again.edited(0, path)) {
            self.again = Again::default();
            self.wholes += 1;
        }
        let texts: Vec<(&str, &str)> = self
            .files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        let folder = folder(&texts);
        let start = [(0, "anim.zrd".to_owned())];
        let options = || Options {
            game: Some(self.game),
            ..options()
        };
        let summary = |made: Result<Compiled>| {
            made.map(|made| (format!("{:?} {:?}", made.entries, made.findings), made.anim))
                .map_err(|e| e.to_string())
        };
        let made = Sources::read_again(
            vec![Root::of_paths("/work/m1", &folder)],
            &start,
            &|_| false,
            &mut self.again,
        )
        .and_then(|sources| compile_again(&sources, base, &options(), &mut self.again));
        match (
            summary(made),
            summary(compile_files(&folder, base, &options())),
        ) {
            (Ok((renewed, anim)), Ok((all, whole))) => {
                assert!(renewed == all, "after {edited:?}");
                assert!(anim == whole, "after {edited:?}");
                anim
            }
            (Err(renewed), Err(all)) => {
                assert_eq!(renewed, all, "after {edited:?}");
                None
            }
            (renewed, all) => {
                panic!(
                    "after {edited:?}: {:?} and {:?}",
                    renewed.map(|(renewed, _)| renewed),
                    all.map(|(all, _)| all)
                )
            }
        }
    }
}

#[test]
fn incremental_compilation_equals_full_compilation() {
    for (game, over) in [
        (Game::Rc, false),
        (Game::Rc, true),
        (Game::Pm, false),
        (Game::Pm, true),
    ] {
        let mut watched = Watched {
            game,
            files: files(),
            again: Again::default(),
            wholes: 0,
        };
        let first = watched.compile(None, &[]).expect("it is compiled");
        let base = over.then(|| Base::new(first.clone()).unwrap());
        watched.again = Again::default();
        watched.compile(base.as_ref(), &[]).unwrap();
        let good = watched.files.clone();
        let (mut made, mut refused) = (0, 0);
        for round in 0..120u64 {
            let d = &mut Dice(0x51ed_270b_9f3c_42a1 ^ (round + 1) << 12);
            let path = format!("f{}.zrd", d.roll(40));
            let script = format!("s{}.zan", d.roll(5));
            let text = watched.files[&path].clone();
            let mut edited = vec![path.clone()];
            match round % 12 {
                // A changed value, an added definition, a removed one, two swapped.
                0 | 1 => {
                    let n = 1 + d.roll(4);
                    watched.replace(
                        &path,
                        "ANIMATION_NAME (",
                        "HEALTH ( 3.5 ) ANIMATION_NAME (",
                        n,
                    );
                }
                2 => watched.replace(
                    &path,
                    "ANIMATION_LIST (",
                    &format!("ANIMATION_LIST ( {BLINK}"),
                    1,
                ),
                3 => watched.replace(&path, "ANIMATION_DEFINITION (", "IGNORED (", 1),
                4 => {
                    let other = format!("f{}.zrd", d.roll(40));
                    let theirs = watched.files.insert(path, watched.files[&other].clone());
                    watched.files.insert(other.clone(), theirs.unwrap());
                    edited.push(other);
                }
                5 | 6 => {
                    watched
                        .files
                        .insert(script.clone(), zan(round as usize + 10));
                    edited = vec![script];
                }
                // A setting of the root file for all definitions.
                7 => {
                    watched.replace("anim.zrd", "-9.8", "-8.25", 1);
                    watched.replace("anim.zrd", "f7.zrd", "f8.zrd", 1);
                    edited = vec!["anim.zrd".into()];
                }
                // A file that cannot be read, then the repair.
                8 => {
                    watched.replace(&path, "ANIMATION_LIST (", "ANIMATION_LIST ( (", 1);
                    assert!(watched.compile(base.as_ref(), &edited).is_none());
                    refused += 1;
                    watched.files.insert(path, text);
                }
                // A file that cannot be compiled, then the repair.
                9 => {
                    watched.replace(
                        &path,
                        "ANIMATION_NAME (",
                        "HEALTH ( much ) ANIMATION_NAME (",
                        1,
                    );
                    refused += usize::from(watched.compile(base.as_ref(), &edited).is_none());
                    watched.files.insert(path, text);
                }
                // Files appear and disappear.
                10 => {
                    watched.files.remove(&path);
                    watched.compile(base.as_ref(), &edited);
                    watched.files.insert(path, text);
                }
                _ => {
                    watched.files.remove(&script);
                    edited = vec![script.clone()];
                    assert!(
                        watched.compile(base.as_ref(), &edited).is_none(),
                        "{script} is needed"
                    );
                    watched.files.insert(format!("scripts/{script}"), zan(77));
                    watched.compile(base.as_ref(), &[format!("scripts/{script}")]);
                    watched.files.remove(&format!("scripts/{script}"));
                    watched.files.insert(script.clone(), zan(5));
                    edited.push(format!("scripts/{script}"));
                }
            }
            made += usize::from(watched.compile(base.as_ref(), &edited).is_some());
        }
        assert!(
            made > 80 && refused > 10,
            "{made} were compiled, {refused} refused"
        );
        assert!(
            watched.wholes < 50,
            "{} times all was compiled again",
            watched.wholes
        );
        // Back to the initial state.
        let changed: Vec<String> = good
            .iter()
            .filter(|(path, text)| watched.files.get(*path) != Some(text))
            .map(|(path, _)| path.clone())
            .collect();
        watched.files = good;
        assert!(
            watched.compile(base.as_ref(), &changed) == Some(first),
            "undone"
        );
    }
}

#[test]
fn only_what_was_edited_is_compiled_again() {
    // In Recoil, scripts are in the entries; in Pirate's Moon in a table of the file.
    [Game::Rc, Game::Pm]
        .into_iter()
        .for_each(only_what_was_edited);
}

fn only_what_was_edited(game: Game) {
    let mut watched = Watched {
        game,
        files: files(),
        again: Again::default(),
        wholes: 0,
    };
    let first = watched.compile(None, &[]).unwrap();
    let same = |a: &Anim, b: &Anim| -> Vec<bool> {
        a.definitions
            .iter()
            .zip(&b.definitions)
            .map(|(a, b)| std::ptr::eq(a.as_ptr(), b.as_ptr()))
            .collect()
    };
    let others = |kept: &[bool]| kept.iter().filter(|kept| !**kept).count();
    watched.replace(
        "f12.zrd",
        "ANIMATION_NAME ( scripted12 )",
        "ANIMATION_NAME ( scripted12 ) HEALTH ( 2 )",
        1,
    );
    let second = watched.compile(None, &["f12.zrd".into()]).unwrap();
    // Its nine definitions, of which a pattern may make several entries, and the one with the
    // script.
    let again = others(&same(&first, &second));
    assert!(
        (10..30).contains(&again),
        "{again} of {} were compiled",
        first.definitions.len()
    );
    watched.files.insert("s2.zan".into(), zan(99));
    let third = watched.compile(None, &["s2.zan".into()]).unwrap();
    // Those of f2, f7, f12 … f37.
    assert_eq!(others(&same(&second, &third)), 8);
    assert_eq!(watched.wholes, 0);
}
