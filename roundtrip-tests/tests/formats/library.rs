//! refit as a library: every golden file as a [`File`], its members by id, errors with a kind, and
//! no crate of a command line in it.

use bytes::Bytes;
use refit::{
    Error, ErrorKind, File, Hints,
    formats::{Form, Format, anim::Definition, reader::ReaderDoc},
    tree::{Document, Folder, Head, Origin, Sink, Source, Style, TreeWriter},
};
use std::{collections::BTreeSet, path::Path, process::Command};

/// The golden files that are files of games: path and bytes.
fn golden() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden");
    let files = walkdir::WalkDir::new(root)
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file());
    let files = files.filter(|entry| {
        let path = roundtrip_tests::process::shown(entry.path());
        !path.contains("/trees/")
            && !path.contains("/truth/")
            && !path.ends_with(".md")
            && !path.ends_with("SHA256SUMS")
    });
    files
        .map(|entry| {
            (
                roundtrip_tests::process::shown(entry.path()),
                std::fs::read(entry.path()).unwrap(),
            )
        })
        .collect()
}

/// The recognised format.
fn work_format(bytes: &[u8], path: &str) -> Format {
    refit::pipeline::recognise(Bytes::copy_from_slice(bytes), path, Hints::default())
        .unwrap()
        .format
}

fn read(path: &str, bytes: &[u8]) -> File {
    File::read(bytes.to_vec(), path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn every_golden_file_is_a_file_of_its_type_and_gives_its_bytes() {
    let mut formats = BTreeSet::new();
    for (path, bytes) in golden() {
        let file = read(&path, &bytes);
        assert!(file.to_bytes().unwrap() == bytes, "{path}");
        let folder = Path::new(&path)
            .parent()
            .unwrap()
            .file_name()
            .unwrap()
            .to_str()
            .unwrap();
        assert_eq!(
            file.format(),
            work_format(&bytes, &path),
            "{folder}: {path}"
        );
        let hints = Hints {
            game: file.game(),
            format: None,
        };
        let lines = refit::explain(bytes.clone(), &path, hints).unwrap();
        assert_eq!(
            lines.last().map_or(0, |line| line.range.end),
            bytes.len() as u64,
            "{path}"
        );
        formats.insert(file.format());
    }
    assert!(formats.len() >= 19, "{formats:?}");
}

#[test]
fn a_tree_in_memory_goes_there_and_back() {
    for (path, bytes) in golden().into_iter().step_by(7) {
        let file = read(&path, &bytes);
        let name = Path::new(&path).file_name().unwrap().to_str().unwrap();
        let tree = file.to_tree(name, Style::Ron).unwrap();
        assert!(tree.has("refit.ron"), "{path}");
        assert!(
            File::from_tree(&tree).unwrap().to_bytes().unwrap() == bytes,
            "{path}"
        );
    }
}

/// The result of `get` can be put back, and a document is equal to its text.
#[test]
fn members_and_documents_go_by_id() {
    let mut documents = BTreeSet::new();
    for (path, bytes) in golden() {
        let mut file = read(&path, &bytes);
        let members = file.members().unwrap();
        for (id, member) in members.iter().take(12) {
            assert_eq!(
                file.member(&format!("#{}", id.index())).unwrap(),
                *id,
                "{path}"
            );
            let text = file.get(*id, Form::Document(Style::Json));
            let document = file.model().document(id.index());
            if let (Ok(document), Ok(text)) = (&document, &text) {
                assert_eq!(
                    document.text(Style::Json).unwrap().as_bytes(),
                    text,
                    "{path}: {}",
                    member.name
                );
                documents.insert(document.kind());
                file.model_mut()
                    .put_document(id.index(), &**document)
                    .unwrap_or_else(|e| panic!("{path}: {}: {e}", member.name));
            }
        }
        assert!(file.to_bytes().unwrap() == bytes, "{path}");
    }
    for kind in [
        "reader",
        "motion",
        "savegame",
        "mechlib-member",
        "anim-definition",
        "anim-script",
        "gamez-model",
        "gamez-nodes",
    ] {
        assert!(documents.contains(kind), "{kind}: {documents:?}");
    }
}

#[test]
fn a_document_of_another_type_is_refused() {
    let bytes = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../golden/reader/mw_zbd_c1_readerm1.zbd"
    ))
    .unwrap();
    let mut file = File::read(bytes.clone(), "readerm1.zbd").unwrap();
    let id = file.members().unwrap()[0].0;
    let error = file.document::<Definition>(id).unwrap_err().to_string();
    assert!(
        error.contains("reader") && error.contains("anim-definition"),
        "{error}"
    );
    assert!(file.put_document(id, &Definition::default()).is_err());
    assert!(file.document::<ReaderDoc>(id).is_ok());
    assert_eq!(file.to_bytes().unwrap(), bytes);
}

#[test]
fn errors_have_a_kind_a_path_and_an_offset() {
    let golden = |path: &str| {
        std::fs::read(format!("{}/../golden/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    };
    let fails = |bytes: &[u8], name: &str| File::read(bytes.to_vec(), name).err().unwrap();
    assert_eq!(
        fails(&[2, 0, 0, 0], "a.dat").kind(),
        ErrorKind::Unrecognised
    );
    // By its name it is a file of a game, so it is damaged.
    assert_eq!(fails(&[2, 0, 0, 0], "a.zbd").kind(), ErrorKind::Invalid);
    assert_eq!(
        fails(b"%PDF-1.4 and so on", "x.pdf").kind(),
        ErrorKind::Unsupported
    );
    let anim = golden("anim/mw_values.zbd");
    let error = fails(&anim[..anim.len() - 5], "anim.zbd");
    assert_eq!(error.kind(), ErrorKind::Truncated);
    assert!(error.path().starts_with("definitions["), "{}", error.path());
    assert!(
        error
            .offset()
            .is_some_and(|at| at > 100 && at < anim.len() as u64),
        "{error}"
    );
    let mut far = golden("gamez/mw_minimum.gamez.zbd");
    far[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(fails(&far, "gamez.zbd").kind(), ErrorKind::Truncated);
    let file = File::read(anim, "anim.zbd").unwrap();
    let none = file.member("no such member").unwrap_err();
    assert_eq!(none.kind(), ErrorKind::NoMember);
    assert_eq!(
        refit::gltf::view(&file, "world", &[]).unwrap_err().kind(),
        ErrorKind::Invalid
    );
    let kind = |e: Error| e.kind();
    assert_eq!(
        ReaderDoc::from_text("[1, 2", Style::Json).map_err(kind),
        Err(ErrorKind::Syntax)
    );
    assert_eq!(
        File::from_tree(&Folder::new()).err().map(kind),
        Some(ErrorKind::Missing)
    );
    let tree = Folder::new();
    tree.put("refit.json", b"{}").unwrap();
    assert_eq!(
        File::from_tree(&tree).err().map(kind),
        Some(ErrorKind::Syntax)
    );
}

#[test]
fn a_world_has_a_scene() {
    let bytes = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../golden/gamez/cs_c1.gamez.zbd"
    ))
    .unwrap();
    let file = File::read(bytes, "gamez.zbd").unwrap();
    assert_eq!(file.format(), Format::Gamez);
    let scene = refit::gltf::view(&file, "world", &[]).unwrap();
    assert!(scene.starts_with(b"glTF"));
    let exports = Folder::new();
    refit::gltf::export(&file, &[], &exports).unwrap();
    assert_eq!(exports.get("world.glb").unwrap(), scene);
}

/// Crates that only a program needs, and those that reach a disk.
#[test]
fn the_library_alone_has_no_crate_of_a_command_line() {
    let tree = |features: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([
            "tree",
            "--package",
            "refit",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--locked",
        ]);
        let out = cargo
            .arg("--no-default-features")
            .args(features)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
        let names = String::from_utf8(out.stdout).unwrap();
        names
            .lines()
            .filter_map(|line| line.split(' ').next())
            .map(str::to_owned)
            .collect::<BTreeSet<_>>()
    };
    let (alone, program) = (tree(&[]), tree(&["--features", "cli"]));
    for name in [
        "clap",
        "clap_builder",
        "ctrlc",
        "indicatif",
        "terminal_size",
        "tempfile",
        "walkdir",
        "rustix",
        "xattr",
        "fs4",
    ] {
        assert!(!alone.contains(name), "{name} is in the library");
        assert!(
            program.contains(name) || cfg!(not(unix)),
            "{name} is not even in the program: this test says nothing"
        );
    }
}

/// The tree of a model in memory, and its raw parts with the reasons: the output of `to_tree`.
fn tree_of(file: &File, style: Style) -> (Folder, Vec<(String, String)>) {
    let folder = Folder::new();
    let tree = TreeWriter::new(
        &folder,
        Form::Document(style),
        Head::new(file.game(), file.format(), Origin::default()),
        true,
    );
    file.model().unpack(&tree).unwrap();
    tree.finish().unwrap();
    let raw = tree.raw_members();
    drop(tree);
    (folder, raw)
}

#[test]
fn an_unproved_model_is_kept_as_bytes_with_the_reason() {
    let golden = |name: &str| {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../golden")
            .join(name)
    };
    for name in ["mw_tight", "rc_odd_tight", "pm_tight", "cs_c1"] {
        let path = golden(&format!("gamez/{name}.gamez.zbd"));
        let File::World(mut world) = read(name, &std::fs::read(&path).unwrap()) else {
            panic!("{name} is a world")
        };
        // Its record counts vertices that do not exist.
        let (i, model) = world
            .models
            .iter_mut()
            .enumerate()
            .find_map(|(i, model)| Some((i, model.as_mut()?)))
            .unwrap();
        model.data = model.data.slice(..model.data.len() - 5);
        let (head, data) = (model.head.clone(), model.data.clone());
        let used = world.models.iter().flatten().count();
        let file = File::World(world);
        let bytes = file.to_bytes().unwrap();
        for style in [Style::Json, Style::Ron] {
            let (tree, raw) = tree_of(&file, style);
            let kept: Vec<String> = tree
                .paths()
                .into_iter()
                .filter(|path| path.ends_with(".bin") && path.starts_with("models/"))
                .collect();
            let [one] = kept.as_slice() else {
                panic!("{name}: {kept:?}")
            };
            assert!(one.starts_with(&format!("models/{i:04}")), "{name}: {one}");
            assert_eq!(
                tree.paths()
                    .iter()
                    .filter(|path| path.starts_with("models/"))
                    .count(),
                used,
                "{name}"
            );
            let [(member, why)] = raw.as_slice() else {
                panic!("{name}: {raw:?}")
            };
            assert!(
                one.starts_with(member.as_str()) && why.contains("bytes"),
                "{name}: {member}: {why}"
            );
            // An odd link or none, the record, and the unchanged data.
            assert!(
                tree.get(one)
                    .unwrap()
                    .ends_with(&[&head[..], &data[..]].concat()),
                "{name}"
            );
            assert!(
                File::from_tree(&tree).unwrap().to_bytes().unwrap() == bytes,
                "{name}"
            );
        }
        assert!(
            file.lint()
                .unwrap()
                .iter()
                .any(|finding| finding.code == "raw-member"),
            "{name}"
        );
    }
}

/// Only a definition itself shows where it ends, so an unreadable one could not be separated from
/// the bytes after it: the tree keeps it with the reason, and cannot be repacked.
#[test]
fn an_unreadable_definition_is_kept_as_bytes_and_cannot_be_repacked() {
    let golden = |name: &str| {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../golden/anim")
            .join(name)
    };
    for name in [
        "mw_values.zbd",
        "pm_arrays.zbd",
        "rc_sequences.zbd",
        "cs_c1_m01_mis_anim.zbd",
    ] {
        let File::Anim(mut anim) = read(name, &std::fs::read(golden(name)).unwrap()) else {
            panic!("{name} is of animations")
        };
        let first = anim.definitions.first_mut().unwrap();
        *first = first.slice(..first.len() - 3);
        let damaged = first.clone();
        let file = File::Anim(anim);
        for style in [Style::Json, Style::Ron] {
            let (tree, raw) = tree_of(&file, style);
            let [(stem, why)] = raw.as_slice() else {
                panic!("{name}: {raw:?}")
            };
            let path = format!("{stem}.bin");
            assert!(
                tree.get(&path).unwrap() == damaged && !why.contains("bug in refit"),
                "{name}: {why}"
            );
            let error = File::from_tree(&tree).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(&path), "{name}: {error}");
        }
    }
}
