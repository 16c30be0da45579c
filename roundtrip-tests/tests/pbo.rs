//! PBO archives: edits with the bytes that they must give, made by hand from src/formats/pbo/FORMAT.md; attacks; new archives; signatures.

use refit::{
    formats::{
        Followed, Members, Model,
        pbo::{Pbo, build, lzss, sign},
    },
    pipeline::{self, Hints, How, Opened, Via, addon},
    tree::{Blob, DirSink, Folder, Form, Sink, Source, Style},
};
use roundtrip_tests::*;
use sha1::{Digest, Sha1};
use std::{fs, path::Path};

/// A file of an archive made by hand: name, method, original size, time, payload.
type File<'a> = (&'a str, u32, u32, u32, &'a [u8]);

fn stored<'a>(name: &'a str, data: &'a [u8]) -> File<'a> {
    (name, 0, data.len() as u32, 0, data)
}

/// A start entry with properties, the table, the data; no trailer.
fn body(properties: &[(&str, &str)], files: &[File<'_>]) -> Vec<u8> {
    let mut out = b"\0sreV".to_vec();
    out.extend([0; 16]);
    for (key, value) in properties {
        out.extend(format!("{key}\0{value}\0").bytes());
    }
    out.push(0);
    for (name, method, original, time, data) in files {
        out.extend(name.bytes());
        out.push(0);
        for number in [*method, *original, 0, *time, data.len() as u32] {
            out.extend(number.to_le_bytes());
        }
    }
    out.extend([0; 21]);
    files.iter().for_each(|file| out.extend(file.4));
    out
}

fn hashed(mut body: Vec<u8>) -> Vec<u8> {
    let sum = Sha1::digest(&body);
    body.push(0);
    body.extend(sum);
    body
}

const CPRS: u32 = 0x4370_7273;
const CAT: &[u8] = b"the cat the cat the cat sat";
const BLANKS: &[u8] = b"    ab    ab    abab";

fn check_value(content: &[u8]) -> [u8; 4] {
    content.iter().map(|b| u32::from(*b)).sum::<u32>().to_le_bytes()
}

/// src/formats/pbo/FORMAT.md, as PBO Manager 3 packs it: `the cat (8,8)(16,8)sat`.
fn packed_cat() -> Vec<u8> {
    [&b"\xffthe cat \x1c\x08\x05\x10\x05sat"[..], &check_value(CAT)].concat()
}

/// `(4,4)ab(6,6)(12,6)ab`.
fn packed_blanks() -> Vec<u8> {
    [&b"\x66\x04\x01ab\x06\x03\x0c\x03ab"[..], &check_value(BLANKS)].concat()
}

const PREFIX: &[(&str, &str)] = &[("prefix", "z\\mod")];

fn tree(bytes: &[u8], style: Style) -> Folder {
    let case = Case { path: "mod.pbo".into(), folder: String::new(), bytes: bytes.to_vec().into() };
    exact(&case, Hints::default());
    unpack(&case, Hints::default(), style)
}

#[test]
fn a_packed_file_is_edited_and_packed_as_before() {
    let packed = packed_cat();
    let files = [stored("a.sqf", b"1"), ("cat.txt", CPRS, 27, 5, &packed), stored("z.sqf", b"26")];
    let tree = tree(&hashed(body(PREFIX, &files)), Style::Json);
    assert_eq!(tree.get("files/cat.txt").unwrap(), CAT);
    assert!(tree.text("refit.json").contains(r#"{ "file": "cat.txt", "packed": "three_way", "time": "1970-01-01T00:00:05Z" }"#));
    assert!(!tree.paths().iter().any(|p| p.starts_with("packed/")), "the packer says it all");
    tree.set("files/cat.txt", BLANKS);
    let packed = packed_blanks();
    let files = [stored("a.sqf", b"1"), ("cat.txt", CPRS, 20, 5, &packed), stored("z.sqf", b"26")];
    assert_bytes(&repack(&tree), &hashed(body(PREFIX, &files)));
}

#[test]
fn files_come_and_go_and_get_other_names_in_a_packed_archive() {
    let packed = packed_cat();
    let cat = ("scripts\\cat.txt", CPRS, 27, 0, &packed[..]);
    let bytes = hashed(body(PREFIX, &[stored("a.sqf", b"1"), cat, stored("z.sqf", b"26")]));
    let fresh = || tree(&bytes, Style::Json);

    // Added at the end by a line of its own, and in the middle, packed.
    let added = fresh();
    added.set("files/new/file.sqf", &b"hint"[..]);
    added.set("files/b.txt", BLANKS);
    edit(
        &added,
        "refit.json",
        r#"{ "file": "scripts/cat.txt""#,
        r#"{ "file": "b.txt", "packed": "three_way" }, { "file": "scripts/cat.txt""#,
    );
    edit(&added, "refit.json", r#"{ "file": "z.sqf" }"#, r#"{ "file": "z.sqf" }, { "file": "new/file.sqf" }"#);
    let blanks = packed_blanks();
    let files = [stored("a.sqf", b"1"), ("b.txt", CPRS, 20, 0, &blanks), cat, stored("z.sqf", b"26"), stored("new\\file.sqf", b"hint")];
    assert_bytes(&repack(&added), &hashed(body(PREFIX, &files)));

    // Removed.
    let removed = fresh();
    edit(&removed, "refit.json", r#"{ "file": "a.sqf" },"#, "");
    assert_bytes(&repack(&removed), &bytes);
    assert!(removed.remove("files/a.sqf"));
    assert_bytes(&repack(&removed), &hashed(body(PREFIX, &[cat, stored("z.sqf", b"26")])));

    // Renamed: on disk and in the manifest, or by a name of its own.
    let renamed = fresh();
    renamed.set("files/scripts/dog.txt", renamed.get("files/scripts/cat.txt").unwrap());
    renamed.remove("files/scripts/cat.txt");
    let dog = stored("scripts\\dog.txt", CAT);
    assert_bytes(&repack(&renamed), &hashed(body(PREFIX, &[stored("a.sqf", b"1"), dog, stored("z.sqf", b"26")])));
    edit(&renamed, "refit.json", "scripts/cat.txt", "scripts/dog.txt");
    edit(&renamed, "refit.json", r#""file": "z.sqf""#, r#""file": "z.sqf", "name": "UI\\Žz.sqf""#);
    let dog = ("scripts\\dog.txt", CPRS, 27, 0, &packed[..]);
    assert_bytes(&repack(&renamed), &hashed(body(PREFIX, &[stored("a.sqf", b"1"), dog, stored("UI\\Žz.sqf", b"26")])));
    let missing = fresh();
    missing.remove("files/z.sqf");
    assert_bytes(&repack(&missing), &hashed(body(PREFIX, &[stored("a.sqf", b"1"), cat])));
    edit(&missing, "refit.json", "\"entries\"", "\"unlisted\": \"refuse\", \"entries\"");
    assert!(repack_error(&missing).contains("files/z.sqf: the tree has no such file"));
}

#[test]
fn files_without_a_line_are_added_refused_or_ignored() {
    let bytes = hashed(body(PREFIX, &[stored("a.sqf", b"1")]));
    let with = |unlisted: &str| {
        let tree = tree(&bytes, Style::Json);
        tree.set("files/C.sqf", &b"3"[..]);
        tree.set("files/b/x.sqf", &b"2"[..]);
        tree.set("files/Thumbs.db", &b"litter"[..]);
        edit(&tree, "refit.json", r#""entries""#, &format!("{unlisted}\"entries\""));
        tree
    };
    assert!(repack_error(&with(r#""unlisted": "refuse", "#)).contains("files/C.sqf: no entry of the manifest names it (and 1 more)"));
    assert_bytes(&repack(&with(r#""unlisted": "ignore", "#)), &bytes);
    let files = [stored("a.sqf", b"1"), stored("b\\x.sqf", b"2"), stored("C.sqf", b"3")];
    assert_bytes(&repack(&with(r#""unlisted": "add", "#)), &hashed(body(PREFIX, &files)));
    assert_bytes(&repack(&with("")), &hashed(body(PREFIX, &files)));
}

#[test]
fn the_folder_of_a_tree_is_its_content() {
    let packed = packed_cat();
    let (z, cat) = (stored("z.sqf", b"26"), ("scripts\\cat.txt", CPRS, 27, 9, &packed[..]));
    let change = |files: &[File<'_>]| {
        let tree = tree(&hashed(body(PREFIX, files)), Style::Ron);
        tree.remove("files/z.sqf");
        tree.set("files/Scripts/new.sqf", &b"new"[..]);
        // Only the letters of a name changed: it is the same file, and as it was but for them.
        tree.set("files/scripts/CAT.txt", tree.get("files/scripts/cat.txt").unwrap());
        tree.remove("files/scripts/cat.txt");
        for litter in [".gitignore", ".vscode/settings.json", "a.sqf~", "b.BAK", "c.sqf.orig", ".d.swp"] {
            tree.set(&format!("files/{litter}"), &b"litter"[..]);
        }
        let (_, model) = pipeline::assemble(&tree).unwrap();
        let mut followed = model.followed().to_vec();
        followed.sort_by_key(|change| format!("{change:?}"));
        let added = |file: &str| Followed::Added(file.into());
        let removed = |file: &str| Followed::Removed(file.into());
        assert_eq!(followed, [added("Scripts/new.sqf"), added("scripts/CAT.txt"), removed("scripts/cat.txt"), removed("z.sqf")]);
        let [note] = model.notes() else { panic!("{:?}", model.notes()) };
        assert!(note.starts_with("6 files were left out: .d.swp, .gitignore, .vscode/settings.json"), "{note}");
        repack(&tree)
    };
    let loud = ("scripts\\CAT.txt", CPRS, 27, 9, &packed[..]);
    let new = stored("Scripts\\new.sqf", b"new");
    // Sorted in where the archive is sorted, else at the end.
    assert_bytes(&change(&[cat, stored("t.sqf", b"t"), z]), &hashed(body(PREFIX, &[loud, new, stored("t.sqf", b"t")])));
    assert_bytes(&change(&[z, stored("t.sqf", b"t"), cat]), &hashed(body(PREFIX, &[stored("t.sqf", b"t"), loud, new])));

    // A line for a file that tools would leave behind brings it in.
    let kept = tree(&hashed(body(PREFIX, &[stored(".gitignore", b"x"), stored("a.bak", b"y")])), Style::Json);
    kept.set("files/a.bak", &b"z"[..]);
    assert_bytes(&repack(&kept), &hashed(body(PREFIX, &[stored(".gitignore", b"x"), stored("a.bak", b"z")])));
}

#[test]
fn properties_are_edited() {
    for style in [Style::Json, Style::Ron] {
        let properties = [("prefix", "z\\mod"), ("version", "1"), ("version", "2")];
        let tree = tree(&hashed(body(&properties, &[stored("a.sqf", b"1")])), style);
        let manifest = format!("refit.{}", style.ext());
        edit(&tree, &manifest, "z\\\\mod", "x\\\\other");
        edit(&tree, &manifest, r#""1""#, r#""1.5 β""#);
        let properties = [("prefix", "x\\other"), ("version", "1.5 β"), ("version", "2")];
        assert_bytes(&repack(&tree), &hashed(body(&properties, &[stored("a.sqf", b"1")])));
    }
    // A prefix that is not the first property stays where it is.
    let tree = tree(&hashed(body(&[("a", ""), ("prefix", "z")], &[])), Style::Json);
    assert!(tree.text("refit.json").contains(r#""properties": [["a", ""], ["prefix", "z"]]"#), "{}", tree.text("refit.json"));
    let text = tree.text("refit.json").replace(r#"["a", ""]"#, r#"["", "x"]"#);
    tree.set("refit.json", text.into_bytes());
    assert!(repack_error(&tree).contains("empty key"));
}

#[test]
fn a_wrong_hash_stands_for_the_unedited_bytes_only() {
    let files = |data| [stored("a.sqf", data)];
    let mut wrong = hashed(body(PREFIX, &files(b"1")));
    *wrong.last_mut().unwrap() ^= 1;
    let edited = tree(&wrong, Style::Json);
    assert!(edited.text("refit.json").contains("wrong_sha1"));
    edited.set("files/a.sqf", &b"2"[..]);
    assert_bytes(&repack(&edited), &hashed(body(PREFIX, &files(b"2"))));
    // What stands behind a right hash stands behind the new one.
    let tail = |data| [hashed(body(PREFIX, &files(data))), b"appended".to_vec()].concat();
    let edited = tree(&tail(b"1"), Style::Json);
    edited.set("files/a.sqf", &b"2"[..]);
    assert_bytes(&repack(&edited), &tail(b"2"));
    // Elite's bytes of unknown meaning, and nothing at all, stay.
    for end in [&b"\0abcd"[..], b""] {
        let whole = |data| [body(PREFIX, &files(data)), end.to_vec()].concat();
        let edited = tree(&whole(b"1"), Style::Json);
        edited.set("files/a.sqf", &b"2"[..]);
        assert_bytes(&repack(&edited), &whole(b"2"));
    }
}

#[test]
fn kept_packed_bytes_stand_for_the_unedited_file_only() {
    // A wrong check value, bytes behind it, spare bits: the packed bytes are kept beside the file.
    let good = packed_cat();
    let mut check = good.clone();
    let at = check.len() - 4;
    check[at] ^= 1;
    let mut spare = good.clone();
    spare[9] |= 0xe0;
    for odd in [check, spare, [&good[..], b"more"].concat()] {
        fn file(data: &[u8], original: u32) -> [File<'_>; 1] {
            [("cat.txt", CPRS, original, 0, data)]
        }
        let fresh = tree(&hashed(body(PREFIX, &file(&odd, 27))), Style::Json);
        assert_eq!(fresh.get("packed/00000.lzss").unwrap(), odd);
        fresh.set("files/cat.txt", BLANKS);
        assert_bytes(&repack(&fresh), &hashed(body(PREFIX, &file(&packed_blanks(), 20))));
        fresh.set("files/cat.txt", CAT);
        assert_bytes(&repack(&fresh), &hashed(body(PREFIX, &file(&odd, 27))));
    }
}

#[test]
fn both_spellings_of_the_original_size_follow_an_edit() {
    let zero = |data| ("a.sqf", 0, 0, 9, data);
    let file = |data| hashed(body(PREFIX, &[zero(data), ("b.sqf", 0, 0, 9, b"x"), ("c.sqf", 0, 77, 0, b"noise"), stored("d.sqf", data)]));
    let tree = tree(&file(b"one"), Style::Json);
    let text = tree.text("refit.json");
    assert!(text.contains(r#""original": "zero","#) && text.contains(r#""original": 77 }"#) && text.contains(r#""original": "same" }"#));
    tree.set("files/a.sqf", &b"three"[..]);
    tree.set("files/d.sqf", &b"three"[..]);
    assert_bytes(&repack(&tree), &file(b"three"));
}

#[test]
fn members_are_got_and_put() {
    let packed = packed_cat();
    let files = [("cat.txt", CPRS, 27, 0, &packed[..]), stored("z.sqf", b"26")];
    let mut pbo = Pbo::read(&hashed(body(PREFIX, &files)).into()).unwrap();
    let names: Vec<_> = pbo.members().into_iter().map(|m| (m.name, m.bytes, m.kind)).collect();
    assert_eq!(names, [("cat.txt".into(), 21, "txt".into()), ("z.sqf".into(), 2, "sqf".into())]);
    assert_eq!(pbo.get(0, Form::Document(Style::Json)).unwrap(), CAT);
    assert_eq!(pbo.get(0, Form::Stored).unwrap(), packed);
    assert!(pbo.get(2, Form::Stored).is_err() && pbo.put(2, b"", Form::Stored).is_err());
    pbo.put(0, BLANKS, Form::Document(Style::Json)).unwrap();
    pbo.put(1, b"", Form::Document(Style::Json)).unwrap();
    let packed = packed_blanks();
    assert_bytes(&pbo.write().unwrap(), &hashed(body(PREFIX, &[("cat.txt", CPRS, 20, 0, &packed), stored("z.sqf", b"")])));
}

#[test]
fn hostile_names_stay_in_the_tree() {
    let mut cases = golden("pbo");
    cases.extend(listed("roundtrip-tests/doubtful/pbo"));
    for case in cases {
        let Ok(opened) = pipeline::open(&case.bytes, &case.path, Hints::default()) else { continue };
        drop(opened);
        let dir = tempfile::tempdir().unwrap();
        let inside = dir.path().join("a/b/c/tree");
        let sink = DirSink::new(&inside);
        pipeline::unpack(&case.bytes, &case.path, Hints::default(), Style::Json, true, &sink, &|| Ok(())).unwrap();
        let mut todo = vec![dir.path().to_owned()];
        while let Some(folder) = todo.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap()) {
                let kind = entry.file_type().unwrap();
                assert!(!kind.is_symlink());
                if kind.is_dir() {
                    todo.push(entry.path());
                } else {
                    assert!(entry.path().starts_with(&inside), "{}: {}", case.path, entry.path().display());
                }
            }
        }
        // And the names of the tree are none that a system refuses or folds together.
        let tree = unpack(&case, Hints::default(), Style::Json);
        let mut folded: Vec<String> = tree.paths().iter().map(|p| p.to_lowercase()).collect();
        let n = folded.len();
        folded.sort();
        folded.dedup();
        assert_eq!(folded.len(), n, "{}", case.path);
        for path in tree.paths() {
            let fine = |part: &str| !part.is_empty() && !part.ends_with(['.', ' ']) && part.len() <= 130;
            assert!(path.split('/').all(fine) && !path.contains(|c: char| c.is_control() || "\\:*?\"<>|".contains(c)), "{path:?}");
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
    let files = [stored("a.sqf", b"1"), ("cat.txt", CPRS, 27, 0, &odd[..])];
    let fresh = tree(&hashed(body(PREFIX, &files)), Style::Json);
    let pack = || pipeline::repack(&refit::tree::DirSource::new(&inside)).map(|(_, bytes)| bytes);
    let refresh = || fresh.paths().iter().for_each(|path| sink.put(path, &fresh.get(path).unwrap()).unwrap());
    refresh();
    assert_bytes(&pack().unwrap(), &hashed(body(PREFIX, &files)));
    // A file of the archive is found below `tree/files`, what stands beside below `tree`: the secret stands wherever one of the paths would lead.
    let secret = dir.path().join("secret");
    for at in [secret.clone(), inside.join("secret"), inside.join(r"files/..\secret"), inside.join(r"..\secret")] {
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
        (r#""entries""#, r#""trailer": { "file": "PATH" }, "entries""#),
    ];
    for (from, to) in attacks {
        assert_eq!(manifest.matches(from).count(), 1, "{from} in {manifest}");
        for path in &outside {
            sink.put("refit.json", manifest.replace(from, &to.replace("PATH", path)).as_bytes()).unwrap();
            let error = pack().expect_err(path).to_string();
            assert!(error.contains("a path in a tree is relative, uses / and stays inside"), "{path} for {from}: {error}");
        }
        // The names of entries are below `files/` already, where an absolute path is not one.
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
        assert!(error.contains("a link stands here or on the way"), "{path}: {error}");
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
    for variant in [build::Variant::Ofp, build::Variant::Resistance, build::Variant::Elite, build::Variant::Arma] {
        let compress = if variant == build::Variant::Elite { vec![] } else { vec!["*.sqf".into(), "*.paa".into()] };
        let built = addon::from_folder(dir.path(), &build::Options { variant, compress, ..Default::default() }, None).unwrap();
        let bytes = built.pbo.write().unwrap();
        let mut streamed = Vec::new();
        built.pbo.write_to(&mut streamed).unwrap();
        assert_bytes(&streamed, &bytes);
        let again = addon::from_folder(dir.path(), &build::Options { variant, compress: vec![], ..Default::default() }, None).unwrap();
        assert_eq!(again.pbo.entries().len(), 5);
        let tree = tree(&bytes, Style::Json);
        assert_bytes(&repack(&tree), &bytes);
        for (path, content) in files.iter().filter(|(path, _)| *path != "$PBOPREFIX$") {
            assert_eq!(tree.get(&format!("files/{path}")).unwrap(), content, "{path}");
        }
        assert!(!tree.text("refit.json").contains("\"name\"") && !tree.has("files/$PBOPREFIX$"));
    }
}

#[test]
fn signatures_fit_until_the_archive_is_edited() {
    for (pbo, versions) in [("signed.pbo", &["v2", "v3"][..]), ("signed_pictures.pbo", &["v3"])] {
        let archive = golden_file("pbo", pbo);
        for version in versions {
            let bisign = golden_file("bisign", &format!("{pbo}.refit_test.{version}.bisign"));
            let report = sign::check(&archive.bytes, &bisign.bytes).unwrap();
            assert!(report.fits(), "{pbo} {version}: {report}");
            assert_eq!(
                report.to_string(),
                format!("signed by refit_test (version {}): fits; any change to the archive makes it worthless", &version[1..])
            );
        }
    }
    let archive = golden_file("pbo", "signed.pbo");
    let bisign = golden_file("bisign", "signed.pbo.refit_test.v3.bisign");
    let fits = |tree: &Folder| {
        let report = sign::check(&repack(tree).into(), &bisign.bytes).unwrap();
        assert!(report.trailer && !report.fits());
        [report.archive, report.names, report.files].map(|fit| fit == sign::Fit::Fits)
    };
    let fresh = || unpack(&archive, Hints::default(), Style::Json);
    let same = |tree: &Folder| sign::check(&repack(tree).into(), &bisign.bytes).unwrap().fits();
    assert!(same(&fresh()));
    // A script: all but the names. A picture: only the archive and what stands on its hash. A name: everything.
    let tree = fresh();
    tree.set("files/fnc_init.sqf", &b"hint 'changed';"[..]);
    assert_eq!(fits(&tree), [false, false, false]);
    let tree = fresh();
    tree.set("files/data/Icon_co.paa", &b"other"[..]);
    assert_eq!(fits(&tree), [false, false, true]);
    let report = sign::check(&repack(&tree).into(), &bisign.bytes).unwrap().to_string();
    assert!(report.ends_with("does not fit, changed after it was signed: the archive"), "{report}");
    let tree = fresh();
    edit(&tree, "refit.json", r#"{ "file": "stringtable.xml""#, r#"{ "name": "s.xml", "file": "stringtable.xml""#);
    assert_eq!(fits(&tree), [false, false, false]);
    // Damage.
    let mut broken = bisign.bytes.to_vec();
    *broken.last_mut().unwrap() ^= 1;
    let report = sign::check(&archive.bytes, &broken.into()).unwrap();
    assert_eq!([report.archive, report.names, report.files], [sign::Fit::Fits, sign::Fit::Fits, sign::Fit::Damaged]);
    assert!(sign::check(&archive.bytes, &golden_file("bikey", "refit_test.bikey").bytes).is_err());
    let mut wrong = archive.bytes.to_vec();
    *wrong.last_mut().unwrap() ^= 1;
    assert!(sign::check(&wrong.into(), &bisign.bytes).unwrap().to_string().contains("SHA-1 is missing or wrong"));
}

/// Change, add, remove, rename: the bytes that src/formats/pbo/FORMAT.md asks for, and a signature that notices each.
#[test]
fn files_of_a_signed_archive_are_edited() {
    let archive = golden_file("pbo", "signed.pbo");
    let (config, icon): (Vec<u8>, Vec<u8>) = (b"\0raP".iter().copied().chain(0..40).collect(), (0..200).collect());
    let file = |name, data| -> File<'_> { (name, 0, u32::try_from(<[u8]>::len(data)).unwrap(), 1_465_000_000, data) };
    let files = [
        file("config.bin", &config),
        file("data\\Icon_co.paa", &icon),
        file("empty.sqf", b""),
        file("fnc_init.sqf", b"hint \"signed\";\r\n"),
        file("stringtable.xml", b"<Project/>\n"),
    ];
    let expected = |files: &[File<'_>]| hashed(body(&[("prefix", "z\\refit\\addons\\signed")], files));
    assert_bytes(&archive.bytes, &expected(&files));
    let bisign = golden_file("bisign", "signed.pbo.refit_test.v3.bisign");
    let check = |tree: &Folder, files: &[File<'_>]| {
        let bytes = repack(tree);
        assert_bytes(&bytes, &expected(files));
        let report = sign::check(&bytes.into(), &bisign.bytes).unwrap();
        assert!(report.trailer && !report.fits(), "{report}");
    };
    let fresh = || unpack(&archive, Hints::default(), Style::Json);
    let [a, b, c, d, e] = files;

    let changed = fresh();
    changed.set("files/fnc_init.sqf", &b"hint 'changed';"[..]);
    check(&changed, &[a, b, c, file("fnc_init.sqf", b"hint 'changed';"), e]);

    let added = fresh();
    added.set("files/data/new.txt", &b"new"[..]);
    edit(&added, "refit.json", r#"{ "file": "empty.sqf""#, r#"{ "file": "data/new.txt" }, { "file": "empty.sqf""#);
    check(&added, &[a, b, stored("data\\new.txt", b"new"), c, d, e]);

    let removed = fresh();
    removed.remove("files/stringtable.xml");
    edit(&removed, "refit.json", r#"{ "file": "stringtable.xml", "time": "2016-06-04T00:26:40Z" }"#, "");
    edit(&removed, "refit.json", "\"2016-06-04T00:26:40Z\" },\n    \n", "\"2016-06-04T00:26:40Z\" }\n");
    check(&removed, &[a, b, c, d]);

    let renamed = fresh();
    renamed.set("files/data/icon.paa", icon.clone());
    renamed.remove("files/data/Icon_co.paa");
    edit(&renamed, "refit.json", "data/Icon_co.paa", "data/icon.paa");
    check(&renamed, &[a, file("data\\icon.paa", &icon), c, d, e]);
}

#[test]
fn signatures_are_found_beside_their_archive() {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| std::fs::write(dir.path().join(name), bytes).unwrap();
    let archive = golden_file("pbo", "signed.pbo");
    put("Signed.pbo", &archive.bytes);
    put("signed.pbo.refit_test.bisign", &golden_file("bisign", "signed.pbo.refit_test.v3.bisign").bytes);
    put("other.pbo.refit_test.bisign", b"");
    put("signed.pbo.broken.bisign", b"x");
    let lines = addon::describe_signatures(&dir.path().join("Signed.pbo"), &archive.bytes);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("signed.pbo.broken.bisign: ") && lines[0].contains("no end"), "{lines:?}");
    assert!(lines[1].ends_with("fits; any change to the archive makes it worthless"), "{lines:?}");
}

#[test]
fn keys_are_described() {
    let key = golden_file("bikey", "refit_test.bikey");
    let info = pipeline::open(&key.bytes, &key.path, Hints::default()).unwrap().model.info();
    assert_eq!(info[0], ("kind", "public key".into()));
    assert_eq!(info[1], ("authority", "refit_test".into()));
    assert_eq!(info[2], ("bits", 1024.into()));
    let codes = |name: &str| {
        let case = golden_file("bikey", name);
        pipeline::lint(&*pipeline::open(&case.bytes, name, Hints::default()).unwrap().model).unwrap().len()
    };
    assert_eq!((codes("refit_test.bikey"), codes("refit_test.biprivatekey")), (0, 1));
}

/// Random content: what every packer packs unpacks, is identified, and is packed to the same bytes again.
#[test]
fn every_packer_comes_back() {
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |most: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % most
    };
    for round in 0..120 {
        let letters = [2, 3, 8, 250][round % 4];
        let n = if round % 30 == 0 { 20_000 } else { next(600) as usize };
        let mut content: Vec<u8> = (0..n).map(|_| (b' ' as u64 + next(letters)) as u8).collect();
        // Repetitions at all distances.
        for _ in 0..n / 50 {
            let (from, to, len) = (next(n as u64) as usize, next(n as u64) as usize, next(40) as usize);
            for i in 0..len.min(n - from.max(to)) {
                content[to + i] = content[from + i];
            }
        }
        for packer in lzss::Packer::ALL {
            let packed = lzss::pack(packer, &content);
            let packed = refit::tree::Blob::from(bytes::Bytes::from(packed));
            let stream = lzss::unpack(&packed, n as u32).unwrap().unwrap_or_else(|e| panic!("{packer:?}, {n} bytes: {e}"));
            assert!(stream.content == content, "{packer:?}, {n} bytes");
            assert!(lzss::identify(&stream).contains(&packer) && lzss::is_regular(&stream, &packed).unwrap(), "{packer:?}, {n} bytes");
        }
    }
}

/// One test per group of findings.
#[test]
fn findings_have_their_codes() {
    let codes = |bytes: Vec<u8>| {
        let mut codes: Vec<_> = pipeline::lint(&Pbo::read(&bytes.into()).unwrap()).unwrap().into_iter().map(|f| f.code).collect();
        codes.dedup();
        codes
    };
    let one = |name: &str| codes(hashed(body(PREFIX, &[stored(name, b"1")])));
    assert!(one("scripts\\init.sqf").is_empty());
    assert_eq!(one("scripts/init.sqf"), ["pbo-slash"]);
    assert_eq!(one("a\\\\b"), ["pbo-empty-component"]);
    assert_eq!(one("..\\b"), ["pbo-unsafe-path", "pbo-windows-name"]);
    assert_eq!(one("C:b"), ["pbo-unsafe-path", "pbo-windows-name"]);
    assert_eq!(one("a\\con.sqf"), ["pbo-windows-name"]);
    assert_eq!(one("ž"), ["pbo-name-bytes"]);
    let two = |a: &str, b: &str| codes(hashed(body(PREFIX, &[stored(a, b"1"), stored(b, b"2")])));
    assert_eq!(two("a", "a"), ["pbo-duplicate-name"]);
    assert_eq!(two("A", "a"), ["pbo-folded-name"]);
    assert_eq!(two("a", "a\\b"), ["pbo-file-and-folder"]);
    assert_eq!(two("b", "a"), ["pbo-unsorted"]);
    assert_eq!(
        codes(hashed(body(&[("version", "1"), ("prefix", "\\a"), ("PREFIX", "b")], &[]))),
        ["pbo-property-repeated", "pbo-prefix-place", "pbo-prefix-separators"]
    );
    assert_eq!(codes([hashed(body(PREFIX, &[])), vec![1]].concat()), ["pbo-trailer"]);
    assert_eq!(codes([body(PREFIX, &[]), vec![0; 21]].concat()), ["pbo-hash"]);
    let method = |method, original, data: &[u8]| codes(hashed(body(PREFIX, &[("a", method, original, 0, data)])));
    assert_eq!(method(0, 7, b"1"), ["pbo-original-size"]);
    assert_eq!(method(0x456e_6372, 7, b"1"), ["pbo-unknown-method"]);
    assert_eq!(method(0x5665_7273, 1, b"1"), ["pbo-named-vers"]);
    assert_eq!(method(CPRS, 100, b"1"), ["pbo-opaque"]);
    assert!(method(CPRS, 27, &packed_cat()).is_empty());
    assert_eq!(method(CPRS, 26, &packed_cat()[..]).first(), Some(&"pbo-opaque"), "a wrong check value and a byte behind it");
    let stub = hashed(body(PREFIX, &[stored("config.cpp", b"#include \"\x01\xff\x02\"")]));
    assert_eq!(codes(stub), ["pbo-obfuscated"]);
}

fn open(file: &Blob, path: &str) -> Opened {
    pipeline::read(file, pipeline::recognise(file, path, Hints::default()).unwrap()).unwrap()
}

fn on_disk(path: &Path) -> Blob {
    Blob::open(path).unwrap().unwrap()
}

/// Large archives stay on disk, small ones are read whole: both are the same archive.
#[test]
fn an_archive_on_disk_is_the_one_in_memory() {
    let how = How { style: Style::Json, proof: true };
    for case in golden("pbo") {
        let disk = on_disk(&root().join(&case.path));
        let memory = Blob::from(&case.bytes);
        let (a, b) = (open(&disk, &case.path), open(&memory, &case.path));
        assert_eq!(a.detection, b.detection, "{}", case.path);
        assert_eq!(a.model.info(), b.model.info(), "{}", case.path);
        let lints = [&a, &b].map(|opened| pipeline::lint(&*opened.model).unwrap().iter().map(|f| format!("{f:?}")).collect::<Vec<_>>());
        assert_eq!(lints[0], lints[1], "{}", case.path);
        for via in [Via::Bytes, Via::Json, Via::Ron] {
            assert_eq!(pipeline::prove(&disk, &case.path, &a, via).unwrap().raw, [], "{} via {via:?}", case.path);
        }
        let trees = [(&disk, a), (&memory, b)].map(|(file, opened)| {
            let folder = Folder::new();
            let outcome = pipeline::unpack_opened(file, &case.path, opened, how, &folder, &|| Ok(())).unwrap();
            assert_eq!((outcome.raw, outcome.sha256), (vec![], refit::sha256(&case.bytes)), "{}", case.path);
            folder
        });
        assert_eq!(trees[0].paths(), trees[1].paths(), "{}", case.path);
        for path in trees[0].paths() {
            assert_eq!(trees[0].get(&path).unwrap(), trees[1].get(&path).unwrap(), "{}: {path}", case.path);
        }
    }
}

/// A model that is not what the file says is found out by the comparison with the disk, and the file is kept whole.
#[test]
fn a_proof_against_the_disk_proves() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mod.pbo");
    let bytes = hashed(body(PREFIX, &[stored("a.txt", &[b'a'; 600_000]), stored("b.txt", b"b")]));
    fs::write(&path, &bytes).unwrap();
    let disk = on_disk(&path);
    let how = How { style: Style::Json, proof: true };
    for (index, data) in [(0, [&[b'a'; 599_999][..], b"x"].concat()), (1, b"bb".to_vec()), (1, Vec::new())] {
        let mut opened = open(&disk, "mod.pbo");
        opened.model.put(index, &data, Form::Document(Style::Json)).unwrap();
        let why = pipeline::prove(&disk, "mod.pbo", &opened, Via::Bytes).unwrap().raw;
        assert!(why.len() == 1 && why[0].1.contains("where the file has"), "{why:?}");
        let folder = Folder::new();
        let outcome = pipeline::unpack_opened(&disk, "mod.pbo", opened, how, &folder, &|| Ok(())).unwrap();
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
    fn put(&self, path: &str, bytes: &[u8]) -> refit::wire::Result<()> {
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
    fs::write(&path, hashed(body(PREFIX, &[stored("a.txt", b"aaaa")]))).unwrap();
    for proof in [true, false] {
        let disk = on_disk(&path);
        let opened = open(&disk, "mod.pbo");
        let sink = Meddler { file: &path, tree: Folder::new() };
        let done = pipeline::unpack_opened(&disk, "mod.pbo", opened, How { style: Style::Json, proof }, &sink, &|| Ok(()));
        assert!(done.unwrap_err().to_string().contains("changed while it was read"));
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
            compress: if compress { vec!["*.sqf".into(), "*.paa".into()] } else { vec![] },
            exclude: vec!["*.psd".into()],
            properties: if property { vec![("author".into(), "žluť".into())] } else { vec![] },
            ..Default::default()
        };
        let first = addon::from_folder(&dir.path().join("addon"), &options, None).unwrap().pbo.write().unwrap();
        let methods: Vec<u32> = Pbo::read(&first.clone().into()).unwrap().entries().iter().map(|e| e.unwrap().method).collect();
        let packed = methods.iter().filter(|m| **m != 0).count();
        assert_eq!((methods.len(), packed), (7, if compress { 2 } else { 0 }), "noise and what is tiny stay stored");
        let tree = tree(&first, Style::Ron);
        assert_bytes(&repack(&tree), &first);
        // The files of the tree are a folder again; prefix and properties stood in a file of the first one.
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
            options.properties.insert(0, ("version".into(), "1.2.3".into()));
        }
        assert_bytes(&addon::from_folder(&again, &options, None).unwrap().pbo.write().unwrap(), &first);
    }
}
