//! PBO archives: attacks, new archives, packers, and archives on disk. Edits and signatures are in
//! `roundtrip-tests/cases/pbo`.

use refit::{
    formats::{
        Members, Model,
        pbo::{Pbo, build, lzss},
    },
    pipeline::{self, Hints, How, Opened, Via, addon},
    tree::{Blob, DirSink, Folder, Form, Sink, Source, Style},
    workbench::glob,
};
use roundtrip_tests::*;
use sha1::{Digest, Sha1};
use std::{fs, path::Path};

const CPRS: u32 = 0x4370_7273;

/// src/bohemia/pbo/FORMAT.md, as PBO Manager 3 packs it: `the cat (8,8)(16,8)sat`.
fn packed_cat() -> Vec<u8> {
    b"\xffthe cat \x1c\x08\x05\x10\x05sats\t\0\0".to_vec()
}

const PREFIX: &[(&str, &str)] = &[("prefix", "z\\mod")];

fn tree(bytes: &[u8], style: Style) -> Folder {
    let case = Case {
        path: "mod.pbo".into(),
        folder: String::new(),
        bytes: bytes.to_vec().into(),
    };
    exact(&case, Hints::default());
    unpack(&case, Hints::default(), style)
}

#[test]
fn hostile_names_stay_in_the_tree() {
    let mut cases = golden("pbo");
    cases.extend(listed("roundtrip-tests/doubtful/pbo"));
    for case in cases {
        let Ok(opened) = pipeline::open(&case.bytes, &case.path, Hints::default()) else {
            continue;
        };
        drop(opened);
        let dir = tempfile::tempdir().unwrap();
        let inside = dir.path().join("a/b/c/tree");
        let sink = DirSink::new(&inside);
        pipeline::unpack(
            &case.bytes,
            &case.path,
            Hints::default(),
            Style::Json,
            true,
            &sink,
            &|| Ok(()),
        )
        .unwrap();
        let mut todo = vec![dir.path().to_owned()];
        while let Some(folder) = todo.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap()) {
                let kind = entry.file_type().unwrap();
                assert!(!kind.is_symlink());
                if kind.is_dir() {
                    todo.push(entry.path());
                } else {
                    assert!(
                        entry.path().starts_with(&inside),
                        "{}: {}",
                        case.path,
                        entry.path().display()
                    );
                }
            }
        }
        // No name in the tree is one that a system refuses or treats as equal to another.
        let tree = unpack(&case, Hints::default(), Style::Json);
        let mut folded: Vec<String> = tree.paths().iter().map(|p| p.to_lowercase()).collect();
        let n = folded.len();
        folded.sort();
        folded.dedup();
        assert_eq!(folded.len(), n, "{}", case.path);
        for path in tree.paths() {
            let fine =
                |part: &str| !part.is_empty() && !part.ends_with(['.', ' ']) && part.len() <= 130;
            assert!(
                path.split('/').all(fine)
                    && !path.contains(|c: char| c.is_control() || "\\:*?\"<>|".contains(c)),
                "{path:?}"
            );
        }
    }
}

#[test]
fn a_hostile_manifest_reaches_no_file_outside() {
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("tree");
    let sink = DirSink::new(&inside);
    let mut odd = packed_cat();
    odd.extend(b"more");
    let files = [
        ("a.sqf", 0, 1, 0, &b"1"[..]),
        ("cat.txt", CPRS, 27, 0, &odd[..]),
    ];
    let fresh = tree(&by_hand::hashed(by_hand::pbo(PREFIX, &files)), Style::Json);
    let pack = || pipeline::repack(&refit::tree::DirSource::new(&inside)).map(|(_, bytes)| bytes);
    let refresh = || {
        fresh
            .paths()
            .iter()
            .for_each(|path| sink.put(path, &fresh.get(path).unwrap()).unwrap())
    };
    refresh();
    assert_bytes(
        &pack().unwrap(),
        &by_hand::hashed(by_hand::pbo(PREFIX, &files)),
    );
    // A file of the archive is found below `tree/files`, a file next to it below `tree`: the secret
    // is wherever one of the paths would lead.
    let secret = dir.path().join("secret");
    for at in [
        secret.clone(),
        inside.join("secret"),
        inside.join(r"files/..\secret"),
        inside.join(r"..\secret"),
    ] {
        fs::write(at, "secret").unwrap();
    }
    fs::create_dir(inside.join("x")).unwrap();
    fs::create_dir(inside.join("files/x")).unwrap();
    // As JSON spells it.
    let absolute = secret.display().to_string().replace('\\', r"\\");
    let mut outside = vec!["../secret", "../../secret", "x/../../secret", r"..\\secret"];
    let manifest = fresh.text("refit.json");
    let attacks: [(&str, &str); 3] = [
        (r#""file": "a.sqf""#, r#""file": "PATH""#),
        (r#""packed/00001.lzss""#, r#""PATH""#),
        (
            r#""entries""#,
            r#""trailer": { "file": "PATH" }, "entries""#,
        ),
    ];
    for (from, to) in attacks {
        assert_eq!(manifest.matches(from).count(), 1, "{from} in {manifest}");
        for path in &outside {
            sink.put(
                "refit.json",
                manifest.replace(from, &to.replace("PATH", path)).as_bytes(),
            )
            .unwrap();
            let error = pack().expect_err(path).to_string();
            assert!(
                error.contains("a path in a tree is relative, uses / and stays inside"),
                "{path} for {from}: {error}"
            );
        }
        // The names of entries are below `files/` already, so an absolute path is relative there.
        outside.push(&absolute);
    }
    // A link is followed no more than a path.
    #[cfg(unix)]
    for path in ["files/a.sqf", "packed/00001.lzss"] {
        refresh();
        fs::remove_file(inside.join(r"files/..\secret")).ok();
        fs::remove_file(inside.join(path)).unwrap();
        std::os::unix::fs::symlink(&secret, inside.join(path)).unwrap();
        let error = pack().expect_err(path).to_string();
        assert!(
            error.contains("it is a link, or below one"),
            "{path}: {error}"
        );
        fs::remove_file(inside.join(path)).unwrap();
    }
}

#[test]
fn a_new_archive_unpacks_and_repacks_to_itself() {
    let dir = tempfile::tempdir().unwrap();
    let sink = DirSink::new(dir.path());
    let files: [(&str, &[u8]); 6] = [
        ("config.cpp", b"class CfgPatches {};"),
        ("data/Ground.paa", &[7; 3000]),
        ("data/empty.sqf", b""),
        ("fnc/init.sqf", b"hint 'x'; hint 'x'; hint 'x'; hint 'x';"),
        ("žluť.txt", b"utf-8"),
        ("$PBOPREFIX$", b"x\\refit\\addons\\test\n"),
    ];
    for (path, bytes) in files {
        sink.put(path, bytes).unwrap();
    }
    for variant in [
        build::Variant::Ofp,
        build::Variant::Resistance,
        build::Variant::Elite,
        build::Variant::Arma,
    ] {
        let compress = if variant == build::Variant::Elite {
            vec![]
        } else {
            ["*.sqf", "*.paa"].map(|p| glob(p).unwrap()).to_vec()
        };
        let built = addon::from_folder(
            dir.path(),
            &build::Options {
                variant,
                compress,
                ..Default::default()
            },
            None,
        )
        .unwrap();
        let bytes = built.pbo.write().unwrap();
        let mut streamed = Vec::new();
        built.pbo.write_to(&mut streamed).unwrap();
        assert_bytes(&streamed, &bytes);
        let again = addon::from_folder(
            dir.path(),
            &build::Options {
                variant,
                compress: vec![],
                ..Default::default()
            },
            None,
        )
        .unwrap();
        assert_eq!(again.pbo.entries().len(), 5);
        let zero = build::Options {
            properties: vec![("a\0b".into(), String::new())],
            ..Default::default()
        };
        assert!(addon::from_folder(dir.path(), &zero, None).is_err());
        let tree = tree(&bytes, Style::Json);
        assert_bytes(&repack(&tree), &bytes);
        for (path, content) in files.iter().filter(|(path, _)| *path != "$PBOPREFIX$") {
            assert_eq!(
                tree.get(&format!("files/{path}")).unwrap(),
                content,
                "{path}"
            );
        }
        assert!(!tree.text("refit.json").contains("\"name\"") && !tree.has("files/$PBOPREFIX$"));
    }
}

/// Random content: the output of every packer unpacks, is identified, and is packed to the same
/// bytes again.
#[test]
fn every_packer_is_identified_and_reproduced() {
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |most: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % most
    };
    for round in 0..120 {
        let letters = [2, 3, 8, 250][round % 4];
        let n = if round % 30 == 0 {
            20_000
        } else {
            next(600) as usize
        };
        let mut content: Vec<u8> = (0..n)
            .map(|_| (b' ' as u64 + next(letters)) as u8)
            .collect();
        // Repetitions at all distances.
        for _ in 0..n / 50 {
            let (from, to, len) = (
                next(n as u64) as usize,
                next(n as u64) as usize,
                next(40) as usize,
            );
            for i in 0..len.min(n - from.max(to)) {
                content[to + i] = content[from + i];
            }
        }
        for packer in lzss::Packer::ALL {
            let packed = lzss::pack(packer, &content);
            let packed = refit::tree::Blob::from(bytes::Bytes::from(packed));
            let stream = lzss::unpack(&packed, n as u32)
                .unwrap()
                .unwrap_or_else(|e| panic!("{packer:?}, {n} bytes: {e}"));
            assert!(stream.content == content, "{packer:?}, {n} bytes");
            assert!(
                lzss::identify(&stream).contains(&packer) && lzss::is_regular(&stream),
                "{packer:?}, {n} bytes"
            );
        }
    }
}

fn open(file: &Blob, path: &str) -> Opened {
    pipeline::read(
        file,
        pipeline::recognise(file, path, Hints::default()).unwrap(),
    )
    .unwrap()
}

fn on_disk(path: &Path) -> Blob {
    Blob::open(path).unwrap().unwrap()
}

/// Large archives stay on disk, small ones are read whole: both are the same archive.
#[test]
fn an_archive_on_disk_is_the_one_in_memory() {
    let how = How {
        style: Style::Json,
        proof: true,
    };
    for case in golden("pbo") {
        let disk = on_disk(&root().join(&case.path));
        let memory = Blob::from(&case.bytes);
        let (a, b) = (open(&disk, &case.path), open(&memory, &case.path));
        assert_eq!(a.detection, b.detection, "{}", case.path);
        assert_eq!(a.model.info(), b.model.info(), "{}", case.path);
        let lints = [&a, &b].map(|opened| {
            pipeline::lint(&*opened.model)
                .unwrap()
                .iter()
                .map(|f| format!("{f:?}"))
                .collect::<Vec<_>>()
        });
        assert_eq!(lints[0], lints[1], "{}", case.path);
        for via in [Via::Bytes, Via::Json, Via::Ron] {
            assert_eq!(
                pipeline::prove(&disk, &case.path, open(&disk, &case.path), via)
                    .unwrap()
                    .raw,
                [],
                "{} via {via:?}",
                case.path
            );
        }
        let trees = [(&disk, a), (&memory, b)].map(|(file, opened)| {
            let folder = Folder::new();
            let outcome =
                pipeline::unpack_opened(file, &case.path, opened, how, &folder, &|| Ok(()))
                    .unwrap();
            assert_eq!(
                (outcome.raw, outcome.sum),
                (vec![], refit::Sum::of(&case.bytes)),
                "{}",
                case.path
            );
            folder
        });
        assert_eq!(trees[0].paths(), trees[1].paths(), "{}", case.path);
        for path in trees[0].paths() {
            assert_eq!(
                trees[0].get(&path).unwrap(),
                trees[1].get(&path).unwrap(),
                "{}: {path}",
                case.path
            );
        }
    }
}

/// A model that differs from its file is detected by the comparison with the disk, and the file is
/// kept raw.
#[test]
fn a_proof_against_the_disk_proves() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mod.pbo");
    let bytes = by_hand::hashed(by_hand::pbo(
        PREFIX,
        &[
            ("a.txt", 0, 600_000, 0, &[b'a'; 600_000]),
            ("b.txt", 0, 1, 0, b"b"),
        ],
    ));
    fs::write(&path, &bytes).unwrap();
    let disk = on_disk(&path);
    let how = How {
        style: Style::Json,
        proof: true,
    };
    for (index, data) in [
        (0, [&[b'a'; 599_999][..], b"x"].concat()),
        (1, b"bb".to_vec()),
        (1, Vec::new()),
    ] {
        let edited = || {
            let mut opened = open(&disk, "mod.pbo");
            opened
                .model
                .model_mut()
                .put(index, &data, Form::Document(Style::Json))
                .unwrap();
            opened
        };
        let why = pipeline::prove(&disk, "mod.pbo", edited(), Via::Bytes)
            .unwrap()
            .raw;
        assert!(
            why.len() == 1 && why[0].1.contains("but the file has"),
            "{why:?}"
        );
        let folder = Folder::new();
        let outcome =
            pipeline::unpack_opened(&disk, "mod.pbo", edited(), how, &folder, &|| Ok(())).unwrap();
        assert_eq!(outcome.raw.len(), 1);
        assert_bytes(&repack(&folder), &bytes);
    }
}

/// Changes the file once the first part of its tree was written.
struct Meddler<'a> {
    file: &'a Path,
    tree: Folder,
}

impl Sink for Meddler<'_> {
    fn put(&self, path: &str, bytes: &[u8]) -> refit::Result<()> {
        let mut file = fs::read(self.file).unwrap();
        if let Some(last) = file.last_mut() {
            *last ^= 1;
        }
        file.push(0);
        fs::write(self.file, file).unwrap();
        self.tree.put(path, bytes)
    }
}

#[test]
fn a_file_that_changes_meanwhile_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mod.pbo");
    fs::write(
        &path,
        by_hand::hashed(by_hand::pbo(PREFIX, &[("a.txt", 0, 4, 0, b"aaaa")])),
    )
    .unwrap();
    for proof in [true, false] {
        let disk = on_disk(&path);
        let opened = open(&disk, "mod.pbo");
        let sink = Meddler {
            file: &path,
            tree: Folder::new(),
        };
        let done = pipeline::unpack_opened(
            &disk,
            "mod.pbo",
            opened,
            How {
                style: Style::Json,
                proof,
            },
            &sink,
            &|| Ok(()),
        );
        assert!(
            done.unwrap_err()
                .to_string()
                .contains("changed while it was read")
        );
    }
}

/// folder → PBO → tree → PBO, and the tree's folder → PBO: all the same.
#[test]
fn a_folder_and_its_archive_are_a_fixed_point() {
    let dir = tempfile::tempdir().unwrap();
    let folder = DirSink::new(dir.path().join("addon"));
    let script = b"private _x = 1;\r\nhint format [\"%1\", _x];\r\n".repeat(300);
    let mut noise = Vec::new();
    for i in 0..2000u32 {
        noise.extend(Sha1::digest(i.to_le_bytes()));
    }
    let files: [(&str, &[u8]); 8] = [
        ("$PBOPREFIX$", b"x\\refit\\addons\\point\nversion=1.2.3\n"),
        ("Config.cpp", b"class CfgPatches { class point {}; };\n"),
        ("data/Ground_co.paa", &noise),
        ("data/empty.txt", b""),
        ("functions/fn_init.sqf", &script),
        ("functions/FN_Other.SQF", &[b' '; 5000]),
        ("a.txt", b"a"),
        ("tiny.sqf", b"x"),
    ];
    for (path, bytes) in files {
        folder.put(path, bytes).unwrap();
    }
    folder.put("source/picture.psd", b"8BPS").unwrap();
    for (variant, compress, property) in [
        (build::Variant::Ofp, true, false),
        (build::Variant::Resistance, true, true),
        (build::Variant::Elite, false, true),
        (build::Variant::Arma, true, true),
        (build::Variant::Arma, false, false),
    ] {
        let mut options = build::Options {
            variant,
            compress: if compress {
                ["*.sqf", "*.paa"].map(|p| glob(p).unwrap()).to_vec()
            } else {
                vec![]
            },
            exclude: vec![glob("*.psd").unwrap()],
            properties: if property {
                vec![("author".into(), "žluť".into())]
            } else {
                vec![]
            },
            ..Default::default()
        };
        let first = addon::from_folder(&dir.path().join("addon"), &options, None)
            .unwrap()
            .pbo
            .write()
            .unwrap();
        let methods: Vec<u32> = Pbo::read(&first.clone().into())
            .unwrap()
            .entries()
            .iter()
            .map(|e| e.method)
            .collect();
        let packed = methods.iter().filter(|m| **m != 0).count();
        assert_eq!(
            (methods.len(), packed),
            (7, if compress { 2 } else { 0 }),
            "noise and tiny files are stored uncompressed"
        );
        let tree = tree(&first, Style::Ron);
        assert_bytes(&repack(&tree), &first);
        // The files of the tree are a folder again; prefix and properties were in a file of the
        // first one.
        let again = dir.path().join(format!("again {variant:?} {compress}"));
        let sink = DirSink::new(&again);
        for path in tree.paths() {
            if let Some(file) = path.strip_prefix("files/") {
                sink.put(file, &tree.get(&path).unwrap()).unwrap();
            }
        }
        if matches!(variant, build::Variant::Elite | build::Variant::Arma) {
            options.prefix = Some("x\\refit\\addons\\point".into());
        }
        if variant != build::Variant::Ofp {
            options
                .properties
                .insert(0, ("version".into(), "1.2.3".into()));
        }
        assert_bytes(
            &addon::from_folder(&again, &options, None)
                .unwrap()
                .pbo
                .write()
                .unwrap(),
            &first,
        );
    }
}

/// A table that is longer than the first read, in an archive that is truncated later.
#[test]
fn a_long_table_on_disk_is_the_one_in_memory() {
    let names: Vec<String> = (0..3000)
        .map(|i| format!("a_rather_long_name_of_a_file_{i}.sqf"))
        .collect();
    let cat = packed_cat();
    let file = |(i, name): (usize, &'_ String)| match i % 10 {
        1 => (name.clone(), CPRS, 27, cat.clone()),
        _ => (name.clone(), 0, 0, i.to_le_bytes().repeat(5)),
    };
    let files: Vec<(String, u32, u32, Vec<u8>)> = names.iter().enumerate().map(file).collect();
    let files: Vec<_> = files
        .iter()
        .map(|(name, method, size, data)| (&**name, *method, *size, 0, &**data))
        .collect();
    let bytes = by_hand::hashed(by_hand::pbo(PREFIX, &files));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.pbo");
    let write = |n: usize| fs::write(&path, &bytes[..n]).unwrap();
    write(bytes.len());
    let (disk, memory) = (
        Pbo::of(&on_disk(&path)).unwrap(),
        Pbo::read(&bytes.clone().into()).unwrap(),
    );
    assert_eq!(disk.entries().len(), 3000);
    assert!(disk.write().unwrap() == bytes);
    assert_eq!(
        (disk.trailer().unwrap(), disk.info()),
        (memory.trailer().unwrap(), memory.info())
    );
    for i in [0, 1501, 2999] {
        let [a, b] = [&disk, &memory].map(|pbo| pbo.get(i, Form::Document(Style::Json)).unwrap());
        assert_eq!(a, b);
    }
    assert!(disk.fault().is_none());
    let all: Vec<String> = disk
        .members()
        .into_iter()
        .map(|member| member.name)
        .collect();
    // A truncated file is an error, and no entry replaces another.
    write(10_000);
    assert!(
        all == names
            && disk.members().iter().map(|member| &member.name).eq(&all)
            && disk.fault().is_none()
    );
    disk.info();
    assert!(disk.fault().unwrap().to_string().contains("shorter"));
    assert!(
        pipeline::lint(&disk)
            .unwrap_err()
            .to_string()
            .contains("shorter")
    );
    assert!(disk.get(2999, Form::Stored).is_err() && disk.write_to(&mut Vec::new()).is_err());
    assert!(Pbo::of(&on_disk(&path)).is_err());
    write(bytes.len() - 100);
    assert!(
        Pbo::of(&on_disk(&path))
            .unwrap_err()
            .to_string()
            .contains("follow the entry table")
    );
}

fn unpacked(payload: &[u8], size: usize) -> refit::Result<lzss::Stream> {
    lzss::unpack(&bytes::Bytes::copy_from_slice(payload).into(), size as u32).unwrap()
}

#[test]
fn the_references_streams_unpack() {
    for (content, packed) in [
        ("aaaaaaaaaa", "01 61 01 06 CA 03 00 00"),
        ("AB   AB   AB", "03 41 42 05 07 49 02 00 00"),
        ("                   B", "05 20 13 0F 42 A2 02 00 00"),
        ("123456789", "FF 31 32 33 34 35 36 37 38 01 39 DD 01 00 00"),
    ] {
        let payload: Vec<u8> = packed
            .split(' ')
            .map(|b| u8::from_str_radix(b, 16).unwrap())
            .collect();
        let stream = unpacked(&payload, content.len()).unwrap();
        assert!(
            stream.content == content.as_bytes() && lzss::is_regular(&stream),
            "{packed}"
        );
        assert!(
            !lzss::is_regular(&unpacked(&[&payload[..], &[0]].concat(), content.len()).unwrap()),
            "{packed}"
        );
        // Cut anywhere, it is refused.
        assert!((0..payload.len()).all(|len| unpacked(&payload[..len], content.len()).is_err()));
    }
}

#[test]
fn long_runs_of_literals_survive_the_round_trip() {
    for literals in [0, 1, 65_534, 65_535, 65_536, 200_000] {
        let mut content: Vec<u8> = (0..literals as u32)
            .map(|i| (i * 7 + i / 256 * 31 + i / 65536) as u8)
            .collect();
        content.extend_from_slice(b"abcabcabcabc");
        for packer in [lzss::Packer::Literal, lzss::Packer::Newest] {
            let stream = unpacked(&lzss::pack(packer, &content), content.len()).unwrap();
            assert!(stream.content == content && lzss::is_regular(&stream));
            let found = lzss::identify(&stream);
            assert!(
                found.contains(&packer) && (packer != lzss::Packer::Literal || found.len() == 1)
            );
        }
    }
}
