//! Each kind of edit through the session, and the same edit by a text editor or the command's
//! function: the same bytes of the same documents.

use crate::{DOOR, GOALS, NODES, copies, documents, project, set, value};
use refit_anim_source::Spelling;
use refit_base::tree::{DirSource, Style};
use refit_files::{file::File, pipeline};
use refit_session::{Edit, MemberEdit, NodeMotion, Session, WorldEdit};
use refit_workbench::{Options, Quiet, definition_source, put_tree, world};
use std::{fs, path::Path};

/// Replaces a text in a document, as an editor does.
fn by_hand(root: &Path, file: &str, part: &str, old: &str, new: &str) {
    let path = root.join(file).join(part);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(old).count(), 1, "{old} in {text}");
    fs::write(&path, text.replace(old, new)).unwrap();
}

/// Makes an edit in one project and the same one by `other` in an equal project; then takes the
/// edit back, and makes it again.
fn same(edits: &[Edit], other: impl Fn(&Path)) {
    let (_a, root) = project(Style::Json);
    let (_b, by_text) = project(Style::Json);
    let before = documents(&root);
    let mut session = Session::open(&root).unwrap();
    let mut states = vec![before.clone()];
    for edit in edits {
        let done = session.edit(edit).unwrap();
        assert!(
            done.number.is_some() && !done.changed.is_empty(),
            "{edit:?}"
        );
        let now = documents(&root);
        let changed: Vec<String> = now
            .iter()
            .filter(|(name, bytes)| states.last().unwrap().get(*name) != Some(*bytes))
            .map(|(name, _)| name.clone())
            .chain(
                states
                    .last()
                    .unwrap()
                    .keys()
                    .filter(|name| !now.contains_key(*name))
                    .cloned(),
            )
            .collect();
        let mut printed: Vec<String> = done
            .changed
            .iter()
            .map(|part| format!("{}/{}", part.file, part.part))
            .collect();
        printed.sort();
        let mut changed = changed;
        changed.sort();
        assert_eq!(changed, printed);
        states.push(now);
    }
    other(&by_text);
    assert!(documents(&by_text) == documents(&root), "{edits:?}");
    assert!(documents(&root) != before);
    assert_eq!(copies(&root), 0);
    // A new program: undo and redo survive.
    drop(session);
    let mut session = Session::open(&root.join(DOOR)).unwrap();
    assert_eq!(session.changes(99).unwrap().len(), edits.len());
    for state in states.iter().rev().skip(1) {
        session.undo().unwrap().unwrap();
        assert!(documents(&root) == *state);
    }
    assert!(session.undo().unwrap().is_none());
    assert_eq!(session.changes(99).unwrap(), []);
    for state in states.iter().skip(1) {
        session.redo().unwrap().unwrap();
        assert!(documents(&root) == *state);
    }
    assert!(session.redo().unwrap().is_none());
    assert_eq!(session.can_undo_and_redo().unwrap(), (true, 0));
}

#[test]
fn a_value_is_set() {
    let edits = [
        set(DOOR, NODES, "nodes[2].data.camera.clip_near", "2"),
        set(
            DOOR,
            "nodes.json",
            "nodes[camera1].data.camera.clip_far",
            "4500.5",
        ),
        set(GOALS, "objectives.zrd.json", "[1][1]", "\"MSG_NET_1\""),
    ];
    same(&edits, |root| {
        by_hand(
            root,
            DOOR,
            NODES,
            "\"clip_near\": 1.0",
            "\"clip_near\": 2.0",
        );
        by_hand(
            root,
            DOOR,
            NODES,
            "\"clip_far\": 5000.0",
            "\"clip_far\": 4500.5",
        );
        by_hand(
            root,
            GOALS,
            "objectives.zrd.json",
            "MSG_OBJ_LOAD_9",
            "MSG_NET_1",
        );
    });
}

#[test]
fn items_are_inserted_removed_and_moved() {
    let at = |path: &str| {
        (
            GOALS.to_owned(),
            "objectives.zrd.json".to_owned(),
            path.to_owned(),
        )
    };
    let ((a, b, c), (d, e, f), (g, h, i)) = (at(""), at("[1][0]"), at("[1]"));
    let edits = [
        Edit::Insert {
            file: a,
            part: b,
            path: c,
            index: 2,
            value: value(r#"["NEW", 2.5]"#),
        },
        Edit::Move {
            file: g,
            part: h,
            path: i,
            to: 2,
            old: Some(value(r#"["TEXT","MSG_OBJ_LOAD_9"]"#)),
        },
        Edit::Remove {
            file: d,
            part: e,
            path: f,
            old: Some(value("\"NEW\"")),
        },
        Edit::Insert {
            file: "Messages.dll".into(),
            part: "messages.json".into(),
            path: "messages".into(),
            index: 2,
            value: value(r#"{"id":3,"text":"New"}"#),
        },
    ];
    same(&edits, |root| {
        let goals = root.join(GOALS).join("objectives.zrd.json");
        let new = "[\"OBJECTIVE1\", [2.5], [\"TEXT\", \"MSG_OBJ_LOAD_9\"]]\n";
        fs::write(goals, new).unwrap();
        let next = "    { \"id\": 4,";
        let new = "    { \"id\": 3, \"text\": \"New\" },\n";
        by_hand(
            root,
            "Messages.dll",
            "messages.json",
            next,
            &format!("{new}{next}"),
        );
    });
}

#[test]
fn a_text_is_edited_and_added() {
    let (file, part) = ("zbd/interp.zbd", "m1_zbd.gs");
    let (_dir, root) = project(Style::Json);
    let old = fs::read_to_string(root.join(file).join(part)).unwrap();
    let new = format!("{old}; a new line\n");
    let edit = Edit::Text {
        file: file.into(),
        part: part.into(),
        text: new.clone(),
        base: Some(old),
    };
    same(&[edit], |root| {
        fs::write(root.join(file).join(part), &new).unwrap()
    });
}

#[test]
fn a_picture_is_replaced() {
    let file = "zbd/m1/rtexture4.zbd";
    let (_dir, root) = project(Style::Json);
    let png = fs::read(root.join(file).join("images/wave01.png")).unwrap();
    let edit = Edit::Picture {
        file: file.into(),
        member: "bark".into(),
        bytes: png.clone(),
        everywhere: false,
    };
    same(&[edit], |root| {
        let change = |file: &mut refit_files::File| {
            let form = refit_base::tree::Form::Document(Style::Json);
            file.model_mut().put(0, &png, form)
        };
        put_tree::change(&root.join(file), &Options::default(), &Quiet, change).unwrap();
    });
}

#[test]
fn a_sound_is_replaced() {
    let file = "zbd/soundsh.zbd";
    let (_dir, root) = project(Style::Json);
    let mut wav = fs::read(root.join(file).join("thud.wav")).unwrap();
    *wav.last_mut().unwrap() = 7;
    let edit = Edit::Sound {
        file: file.into(),
        member: "creak.wav".into(),
        bytes: wav.clone(),
        everywhere: false,
    };
    same(&[edit], |root| {
        fs::write(root.join(file).join("creak.wav"), &wav).unwrap()
    });
}

#[test]
fn members_are_added_renamed_and_removed() {
    let file = "zbd/soundsh.zbd";
    let (_dir, root) = project(Style::Json);
    let mut wav = fs::read(root.join(file).join("thud.wav")).unwrap();
    *wav.last_mut().unwrap() = 7;
    let member = |change| Edit::Member {
        file: file.into(),
        change,
    };
    let edits = [
        member(MemberEdit::Add {
            name: "slam.wav".into(),
            bytes: wav.clone(),
        }),
        member(MemberEdit::Rename {
            name: "CREAK.wav".into(),
            to: "squeak.wav".into(),
        }),
        member(MemberEdit::Remove {
            name: "thud.wav".into(),
        }),
    ];
    same(&edits, |root| {
        let tree = root.join(file);
        fs::write(tree.join("slam.wav"), &wav).unwrap();
        fs::remove_file(tree.join("thud.wav")).unwrap();
        let thud = "    { \"name\": \"thud.wav\", \"file\": \"thud.wav\" }";
        let slam = "    { \"name\": \"slam.wav\", \"file\": \"slam.wav\" }";
        by_hand(root, file, "refit.json", thud, slam);
        by_hand(
            root,
            file,
            "refit.json",
            "\"name\": \"creak.wav\"",
            "\"name\": \"squeak.wav\"",
        );
    });
}

#[test]
fn objects_of_a_world_are_changed() {
    let motion = NodeMotion {
        at: Some([1.0, 2.0, 3.0]),
        turn: Some(90.0),
        ..NodeMotion::default()
    };
    let world = |change| Edit::World {
        file: DOOR.into(),
        change,
    };
    let edits = [
        world(WorldEdit::Move {
            node: "wall".into(),
            motion,
        }),
        world(WorldEdit::Copy {
            node: "frame".into(),
            from: None,
            under: None,
            name: Some("frame2".into()),
            motion: NodeMotion::default(),
        }),
        world(WorldEdit::Reparent {
            node: "frame2".into(),
            under: "wall".into(),
            local: false,
        }),
        world(WorldEdit::Reparent {
            node: "frame2".into(),
            under: "world1".into(),
            local: true,
        }),
        world(WorldEdit::Rename {
            node: "frame2".into(),
            name: "frame3".into(),
            force: false,
        }),
        world(WorldEdit::Remove {
            node: "wall".into(),
            force: true,
        }),
    ];
    same(&edits, |root| {
        let options = Options {
            force: true,
            ..Options::default()
        };
        for change in [
            world::Change::Move {
                node: "wall".into(),
                motion: motion.into(),
            },
            world::Change::Copy {
                node: "frame".into(),
                from: None,
                under: None,
                name: Some("frame2".into()),
                motion: Default::default(),
            },
            world::Change::Reparent {
                node: "frame2".into(),
                under: "wall".into(),
                local: false,
            },
            world::Change::Reparent {
                node: "frame2".into(),
                under: "world1".into(),
                local: true,
            },
            world::Change::Rename {
                node: "frame2".into(),
                name: "frame3".into(),
            },
            world::Change::Remove {
                node: "wall".into(),
            },
        ] {
            world::change(
                &root.join(DOOR),
                None,
                &change,
                &Default::default(),
                &options,
                &Quiet,
            )
            .unwrap();
        }
    });
}

/// Objects of a glTF file and of another world bring their pictures and animations along, also into
/// a project that has only the tree of the world.
#[test]
fn objects_come_from_files_and_other_worlds() {
    let (dir, root) = project(Style::Json);
    let game = dir.path().join("game");
    let tower = crate::example().join("../models/tower.gltf");
    let motion = NodeMotion {
        at: Some([10.0, 0.0, 5.0]),
        ..NodeMotion::default()
    };
    let add = Edit::World {
        file: DOOR.into(),
        change: WorldEdit::Add {
            name: "tower.gltf".into(),
            bytes: fs::read(&tower).unwrap(),
            under: None,
            motion,
        },
    };
    // As the command does it, in a project with all trees.
    let change = world::Change::Add {
        from: tower,
        under: None,
        motion: motion.into(),
    };
    let along = world::Along {
        textures: Some(Vec::new()),
        ..world::Along::default()
    };
    world::change(
        &root.join(DOOR),
        None,
        &change,
        &along,
        &Options::default(),
        &Quiet,
    )
    .unwrap();
    let wanted = documents(&root);
    let young = dir.path().join("young");
    let mut session = Session::begin(&game, &young).unwrap();
    let done = session.edit(&add).unwrap();
    assert!(done.label.contains("tower.gltf added"), "{}", done.label);
    for (name, bytes) in documents(&young) {
        if name != "refit.json" {
            assert!(wanted.get(&name) == Some(&bytes), "{name}");
        }
    }
    let before = documents(&young);
    assert!(
        before
            .keys()
            .any(|name| name.starts_with("zbd/m1/rtexture4.zbd/"))
    );
    session.undo().unwrap().unwrap();
    assert!(documents(&young) != before);
    session.redo().unwrap().unwrap();
    assert!(documents(&young) == before);
    for bad in ["../tower.gltf", "/tower.gltf"] {
        let bad = WorldEdit::Add {
            name: bad.into(),
            bytes: Vec::new(),
            under: None,
            motion,
        };
        let edit = Edit::World {
            file: DOOR.into(),
            change: bad,
        };
        assert!(session.edit(&edit).is_err());
    }
    // From another mission of the game, which has no tree.
    let other = game.join("zbd/m2");
    fs::create_dir_all(&other).unwrap();
    for name in ["gamez.zbd", "rtexture4.zbd", "anim.zbd"] {
        fs::copy(game.join("zbd/m1").join(name), other.join(name)).unwrap();
    }
    let copy = |from: &str| Edit::World {
        file: DOOR.into(),
        change: WorldEdit::Copy {
            node: "wall".into(),
            from: Some(from.into()),
            under: None,
            name: Some("wall2".into()),
            motion: NodeMotion::default(),
        },
    };
    let done = session.edit(&copy("zbd/m2/gamez.zbd")).unwrap();
    assert!(
        done.label.contains("wall copied from zbd/m2/gamez.zbd"),
        "{}",
        done.label
    );
    assert!(session.edit(&copy("../game/zbd/m2/gamez.zbd")).is_err());
    assert_eq!(session.changes(9).unwrap().len(), 2);
    session.build(&Quiet).unwrap();
}

/// A hand-made layout stays, and a value that does not fit is refused with its place.
#[test]
fn the_layout_of_a_document_is_kept_and_faults_are_refused() {
    let (_dir, root) = project(Style::Json);
    let path = root.join(DOOR).join(NODES);
    let text = fs::read_to_string(&path).unwrap();
    let mine = text.replace("\"clip_near\": 1.0,", "\"clip_near\":1,   ");
    fs::write(&path, &mine).unwrap();
    let mut session = Session::open(&root).unwrap();
    let clip = "nodes[camera1].data.camera.clip_far";
    session.edit(&set(DOOR, NODES, clip, "7")).unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        mine.replace("\"clip_far\": 5000.0", "\"clip_far\": 7")
    );
    let before = documents(&root);
    let text_with = |text: &str| Edit::Text {
        file: GOALS.into(),
        part: "objectives.zrd.json".into(),
        text: text.into(),
        base: None,
    };
    for (edit, expected) in [
        (set(DOOR, NODES, clip, "\"far\""), "string"),
        (
            set(DOOR, NODES, "nodes[camera1].data.camera.far", "1"),
            "there is no field",
        ),
        (set(DOOR, NODES, "nodes[door].name", "1"), "no value"),
        (
            set(DOOR, "nodes/1.json", "nodes[door].name", "1"),
            "no such part",
        ),
        (
            set(DOOR, ".refit/gamez-nodes.schema.json", "title", "1"),
            "refit",
        ),
        (set(DOOR, "../../refit.json", "project", "2"), "path"),
        (set("../game", "refit.json", "project", "2"), "path"),
        (
            set("zbd/none.zbd", "refit.json", "tree", "2"),
            "the game has no such file",
        ),
        (set(DOOR, "refit.json", "tree", "3"), "version 3"),
        (text_with("[\n  1,\n  ]\n"), ":3:"),
        (
            Edit::Set {
                file: DOOR.into(),
                part: NODES.into(),
                path: clip.into(),
                value: value("5"),
                old: Some(value("5000.0")),
            },
            "is now 7, which another program wrote, and was 5000.0 for this edit, which would make it 5",
        ),
    ] {
        let error = session.edit(&edit).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(documents(&root) == before);
    }
    // Nothing changes, and there is nothing to undo but the first edit.
    let done = session.edit(&set(DOOR, NODES, clip, "7")).unwrap();
    assert_eq!((done.number, done.changed.len()), (None, 0));
    assert_eq!(session.changes(9).unwrap().len(), 1);
    session.undo().unwrap().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), mine);
}

/// RON documents are edited like JSON, and keep their comments, because nothing else is allowed.
#[test]
fn values_of_ron_documents() {
    let (_dir, root) = project(Style::Ron);
    let part = NODES.replace("json", "ron");
    let path = root.join(DOOR).join(&part);
    let text = fs::read_to_string(&path).unwrap();
    let mut session = Session::open(&root).unwrap();
    let clip = "nodes[camera1].data.camera.clip_far";
    session.edit(&set(DOOR, &part, clip, "7")).unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        text.replace("clip_far: 5000.0", "clip_far: 7.0")
    );
    session.undo().unwrap().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    fs::write(&path, format!("// mine\n{text}")).unwrap();
    let error = session.edit(&set(DOOR, &part, clip, "7")).unwrap_err();
    assert!(error.to_string().contains("edit it as a text"), "{error}");
}

/// What another program wrote meanwhile stays: values that do not touch are merged, others are
/// named.
#[test]
fn edits_of_other_programs_are_kept() {
    let (_dir, root) = project(Style::Json);
    let mut session = Session::open(&root).unwrap();
    let (near, far) = (
        "nodes[camera1].data.camera.clip_near",
        "nodes[camera1].data.camera.clip_far",
    );
    let number = session
        .edit(&set(DOOR, NODES, near, "2"))
        .unwrap()
        .number
        .unwrap();
    session.edit(&set(DOOR, NODES, near, "3")).unwrap();
    let first = documents(&root);
    by_hand(
        &root,
        DOOR,
        NODES,
        "\"clip_far\": 5000.0",
        "\"clip_far\": 4000.0",
    );
    assert!(session.changes(9).unwrap()[0].parts[0].changed_since);
    let undone = session.undo().unwrap().unwrap();
    assert_eq!(
        undone.label,
        format!("undone: {DOOR}/{NODES}: {near}: 2.0 → 3.0")
    );
    let text = || fs::read_to_string(root.join(DOOR).join(NODES)).unwrap();
    assert!(text().contains("\"clip_near\": 2.0") && text().contains("\"clip_far\": 4000.0"));
    session.redo().unwrap().unwrap();
    assert!(text().contains("\"clip_near\": 3.0") && text().contains("\"clip_far\": 4000.0"));
    by_hand(
        &root,
        DOOR,
        NODES,
        "\"clip_far\": 4000.0",
        "\"clip_far\": 5000.0",
    );
    assert!(documents(&root) == first);
    // The earlier edit cannot be taken back by itself: the later one changed the same value.
    let error = session.revert(number).unwrap_err().to_string();
    assert!(
        error.contains("is now 3.0") && error.contains("would make it 1.0"),
        "{error}"
    );
    by_hand(
        &root,
        DOOR,
        NODES,
        "\"clip_near\": 3.0",
        "\"clip_near\": 9.0",
    );
    let error = session.undo().unwrap_err().to_string();
    assert!(
        error.contains("is now 9.0") && error.contains("would make it 2.0"),
        "{error}"
    );
    assert!(text().contains("\"clip_near\": 9.0"));
    by_hand(
        &root,
        DOOR,
        NODES,
        "\"clip_near\": 9.0",
        "\"clip_near\": 3.0",
    );
    // An edit of something else between: each is taken back by itself.
    session.edit(&set(DOOR, NODES, far, "1000")).unwrap();
    session.undo().unwrap().unwrap();
    session.undo().unwrap().unwrap();
    session.edit(&set(DOOR, NODES, far, "2000")).unwrap();
    assert!(
        session.redo().unwrap().is_none(),
        "a new edit ends what could be made again"
    );
    let done = session.revert(number).unwrap();
    assert!(
        done.label.starts_with("taken back: edit 1 ("),
        "{}",
        done.label
    );
    assert!(text().contains("\"clip_near\": 1.0") && text().contains("\"clip_far\": 2000.0"));
    assert!(session.revert(77).is_err() && session.revert(2).is_err());
}

/// Texts are merged line by line with what another program wrote since the author began.
#[test]
fn texts_are_merged() {
    let (_dir, root) = project(Style::Json);
    let (file, part) = ("zbd/interp.zbd", "m1_zbd.gs");
    let path = root.join(file).join(part);
    let base = fs::read_to_string(&path).unwrap();
    assert!(base.lines().count() > 1, "{base}");
    let mut session = Session::open(&root).unwrap();
    let theirs = format!("# theirs\n{base}");
    fs::write(&path, &theirs).unwrap();
    let mut edit = |text: &str| {
        session.edit(&Edit::Text {
            file: file.into(),
            part: part.into(),
            text: text.into(),
            base: Some(base.clone()),
        })
    };
    edit(&format!("{base}# mine\n")).unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        format!("{theirs}# mine\n")
    );
    let first = base.lines().next().unwrap();
    fs::write(&path, base.replacen(first, "# other", 1)).unwrap();
    let error = edit(&base.replacen(first, "# mine", 1))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("# other") && error.contains("# mine"),
        "{error}"
    );
}

/// A game without a project: only the files that are edited get trees.
#[test]
fn a_project_begins_with_its_first_edit() {
    let (dir, _) = project(Style::Json);
    let (game, root) = (dir.path().join("game"), dir.path().join("mine"));
    assert!(
        Session::open(&game)
            .unwrap_err()
            .to_string()
            .contains("not a project")
    );
    assert!(Session::begin(&game, &game.join("mine")).is_err());
    let mut session = Session::begin(&game, &root).unwrap();
    assert!(Session::begin(&game, &root).is_err());
    let before: Vec<u8> = fs::read(game.join(DOOR)).unwrap();
    session
        .edit(&set(
            DOOR,
            "nodes.json",
            "nodes[camera1].data.camera.clip_far",
            "7",
        ))
        .unwrap();
    let trees: Vec<String> = documents(&root)
        .keys()
        .filter(|name| name.ends_with("/refit.json"))
        .cloned()
        .collect();
    assert_eq!(trees, [format!("{DOOR}/refit.json")]);
    let project = refit_project::Project::open(&root).unwrap();
    assert!(project.entry(Path::new(DOOR)).is_some());
    assert_eq!(
        fs::read(game.join(DOOR)).unwrap(),
        before,
        "only a build writes the game"
    );
    let built = session.build(&Quiet).unwrap();
    assert_eq!((built.built.len(), built.unedited), (1, 0));
    assert!(fs::read(game.join(DOOR)).unwrap() != before);
    // The game's file is the edited one now: the tree of another project comes from the original.
    let mut other = Session::begin(&game, &dir.path().join("other")).unwrap();
    other
        .edit(&set(
            DOOR,
            "nodes.json",
            "nodes[camera1].data.camera.clip_near",
            "2",
        ))
        .unwrap();
    let text = fs::read_to_string(dir.path().join("other").join(DOOR).join(NODES)).unwrap();
    assert!(text.contains("\"clip_far\": 5000.0"));
    session.restore(&Quiet).unwrap();
    assert_eq!(fs::read(game.join(DOOR)).unwrap(), before);
}

/// The findings of an edit come with it.
#[test]
fn an_edit_reports_what_it_brings_in() {
    let (_dir, root) = project(Style::Json);
    let mut session = Session::open(&root).unwrap();
    let name = "x".repeat(64);
    let edit = set(
        GOALS,
        "refit.json",
        "members[0].name",
        &format!("\"{name}\""),
    );
    let expected = session.check(&edit).unwrap().unwrap();
    assert_eq!(session.changes(9).unwrap(), []);
    let done = session.edit(&edit).unwrap();
    let found: Vec<(&str, &str)> = done
        .brought_in
        .iter()
        .map(|found| (found.of.as_str(), found.finding.code))
        .collect();
    assert!(found.contains(&(GOALS, "archive-name-end")), "{found:?}");
    assert_eq!(expected.brought_in.len(), found.len());
    assert!(session.undo().unwrap().unwrap().brought_in.is_empty());
}

/// Several changes of objects are one edit, which one undo takes back; the bytes are those of the
/// changes one after the other.
#[test]
fn several_objects_are_changed_at_once() {
    let motion = NodeMotion {
        by: Some([1.0, 0.0, -2.0]),
        turn: Some(30.0),
        scale: Some([2.0, 1.0, 1.5]),
        ..NodeMotion::default()
    };
    let node = |name: &str| WorldEdit::Move {
        node: name.into(),
        motion,
    };
    let copy = |name: &str| WorldEdit::Copy {
        node: "frame".into(),
        from: None,
        under: None,
        name: Some(name.into()),
        motion: NodeMotion::default(),
    };
    let changes = vec![node("wall"), node("frame"), copy("frame2"), copy("frame3")];
    let edit = Edit::World {
        file: DOOR.into(),
        change: WorldEdit::Several {
            changes: changes.clone(),
        },
    };
    same(&[edit], |root| {
        for change in &changes {
            let change = match change {
                WorldEdit::Move { node, motion } => world::Change::Move {
                    node: node.clone(),
                    motion: (*motion).into(),
                },
                WorldEdit::Copy { node, name, .. } => world::Change::Copy {
                    node: node.clone(),
                    from: None,
                    under: None,
                    name: name.clone(),
                    motion: Default::default(),
                },
                _ => unreachable!("only moves and copies"),
            };
            let path = root.join(DOOR);
            let (along, options) = (Default::default(), Options::default());
            world::change(&path, None, &change, &along, &options, &Quiet).unwrap();
        }
    });
}

#[test]
fn several_changes_are_all_made_or_none() {
    let (_dir, root) = project(Style::Json);
    let before = documents(&root);
    let mut session = Session::open(&root).unwrap();
    let moved = |scale| WorldEdit::Move {
        node: "wall".into(),
        motion: NodeMotion {
            at: Some([1.0, 2.0, 3.0]),
            scale,
            ..NodeMotion::default()
        },
    };
    let missing = WorldEdit::Remove {
        node: "nowhere".into(),
        force: true,
    };
    let nested = WorldEdit::Several {
        changes: vec![moved(None)],
    };
    let foreign = WorldEdit::Copy {
        node: "wall".into(),
        from: Some(DOOR.into()),
        under: None,
        name: None,
        motion: NodeMotion::default(),
    };
    for (bad, why) in [
        (missing, "nowhere"),
        (nested, "together"),
        (foreign, "together"),
        (moved(Some([1.0, 0.0, 1.0])), "scale"),
        (moved(Some([1.0, f32::NAN, 1.0])), "scale"),
    ] {
        let edit = Edit::World {
            file: DOOR.into(),
            change: WorldEdit::Several {
                changes: vec![moved(None), bad],
            },
        };
        let e = session.edit(&edit).unwrap_err().to_string();
        assert!(e.contains(why), "{e}");
        assert!(documents(&root) == before, "{e}");
    }
    assert_eq!(session.changes(9).unwrap(), []);
}

/// A scale that is given back makes the document of before.
#[test]
fn a_scale_can_be_taken_back() {
    let (_dir, root) = project(Style::Json);
    let mut session = Session::open(&root).unwrap();
    let scaled = |scale| Edit::World {
        file: DOOR.into(),
        change: WorldEdit::Move {
            node: "wall".into(),
            motion: NodeMotion {
                scale: Some(scale),
                ..NodeMotion::default()
            },
        },
    };
    session.edit(&scaled([1.0; 3])).unwrap();
    let plain = documents(&root);
    let done = session.edit(&scaled([2.0, 3.0, 4.0])).unwrap();
    assert_eq!(done.changed.len(), 1);
    assert!(documents(&root) != plain);
    session.edit(&scaled([1.0; 3])).unwrap();
    assert!(documents(&root) == plain);
}

/// A picture everywhere is what `refit put --family` makes, also in a project that has no tree yet.
#[test]
fn a_picture_is_replaced_everywhere() {
    let (dir, root) = project(Style::Json);
    let game = dir.path().join("game");
    let file = "zbd/m1/rtexture4.zbd";
    let png = root.join(file).join("images/wave01.png");
    let edit = Edit::Picture {
        file: file.into(),
        member: "bark".into(),
        bytes: fs::read(&png).unwrap(),
        everywhere: true,
    };
    let young = dir.path().join("young");
    let mut session = Session::begin(&game, &young).unwrap();
    let done = session.edit(&edit).unwrap();
    assert!(done.label.contains("bark replaced in"), "{}", done.label);
    let family = refit_workbench::put_family::PutFamily {
        folder: root.clone(),
        file: png,
        name: Some("bark".into()),
        own_size: false,
        no_smaller: false,
        like: None,
    };
    family.run(&Options::default(), &Quiet).unwrap().unwrap();
    let wanted = documents(&root);
    let made = documents(&young);
    assert!(made.len() > 1);
    for (name, bytes) in made {
        if name != "refit.json" {
            assert!(wanted.get(&name) == Some(&bytes), "{name}");
        }
    }
    session.undo().unwrap().unwrap();
    assert_eq!(session.changes(9).unwrap(), []);
}

/// A text of a file without a tree is checked as one that has a tree, and nothing is written.
#[test]
fn a_text_is_checked_before_its_file_has_a_tree() {
    let (dir, _root) = project(Style::Json);
    let game = dir.path().join("game");
    let young = dir.path().join("young");
    let session = Session::begin(&game, &young).unwrap();
    let before = documents(&young);
    let text = |text: &str| Edit::Text {
        file: GOALS.into(),
        part: "objectives.zrd.json".into(),
        text: text.into(),
        base: None,
    };
    let e = session.check(&text("[[\"OBJECTIVE1\"")).unwrap_err();
    assert!(e.to_string().contains("objectives.zrd.json"), "{e}");
    let fine = session.check(&text("[[\"OBJECTIVE1\", 7]]")).unwrap();
    assert_eq!(fine.unwrap().changed.len(), 1);
    assert!(documents(&young) == before);
    assert!(!young.join(GOALS).exists());
}

/// An addon is signed as the game has it; an old one is refused, and the key stays where it is.
#[test]
fn an_addon_is_signed_and_checked() {
    let (dir, _root) = project(Style::Json);
    let game = dir.path().join("game");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden");
    let file = "addons/signed.pbo";
    fs::create_dir_all(game.join("addons")).unwrap();
    fs::copy(golden.join("pbo/signed.pbo"), game.join(file)).unwrap();
    let young = dir.path().join("young");
    let mut session = Session::begin(&game, &young).unwrap();
    let private = golden.join("bikey/refit_test.biprivatekey");
    let keys = dir.path().join("keys");
    fs::create_dir_all(&keys).unwrap();
    fs::copy(
        golden.join("bikey/refit_test.bikey"),
        keys.join("refit_test.bikey"),
    )
    .unwrap();
    let found = session.check_addon(file, Some(&keys)).unwrap();
    assert_eq!(found.signatures, []);
    assert_eq!(found.refusals.as_deref().map(<[_]>::len), Some(1));
    let signature = session.sign(file, &private, 3, &Quiet).unwrap();
    assert_eq!(signature, "addons/signed.pbo.refit_test.bisign");
    let found = session.check_addon(file, Some(&keys)).unwrap();
    assert!(found.signatures.iter().all(|one| one.fits));
    assert_eq!((found.refusals, found.is_old), (Some(Vec::new()), false));
    // An edit that the game does not have.
    session
        .edit(&set(file, "refit.json", "prefix", "\"x\\\\other\""))
        .unwrap();
    let e = session.sign(file, &private, 3, &Quiet).unwrap_err();
    assert!(e.to_string().contains("latest edits"), "{e}");
    assert!(session.check_addon(file, None).unwrap().is_old);
    session.build(&Quiet).unwrap();
    let found = session.check_addon(file, Some(&keys)).unwrap();
    assert!(!found.is_old && found.signatures.iter().all(|one| !one.fits));
    session.sign(file, &private, 2, &Quiet).unwrap();
    let found = session.check_addon(file, Some(&keys)).unwrap();
    assert_eq!(found.refusals, Some(Vec::new()));
    // A signature that another program wrote, which does not fit.
    fs::write(game.join(&signature), "other").unwrap();
    session.sign(file, &private, 2, &Quiet).unwrap();
    let kept = fs::read(game.join(format!("{signature}.orig"))).unwrap();
    assert_eq!(kept, b"other");
    let found = session.check_addon(file, Some(&keys)).unwrap();
    assert_eq!(found.refusals, Some(Vec::new()));
    for (key, version) in [(private.as_path(), 4), (&keys, 3), (&game.join(file), 3)] {
        session.sign(file, key, version, &Quiet).unwrap_err();
    }
    session
        .sign("../signed.pbo", &private, 3, &Quiet)
        .unwrap_err();
    // Taken out, the addon is the original, and so is the signature that was beside it.
    session.restore(&Quiet).unwrap();
    assert_eq!(fs::read(game.join(&signature)).unwrap(), b"other");
    assert!(!game.join(format!("{signature}.orig")).exists());
}

/// A matrix that was set directly keeps its rotation: its rows get the factors as lengths.
#[test]
fn a_matrix_is_scaled_by_its_rows() {
    let (_dir, root) = project(Style::Json);
    let mut session = Session::open(&root).unwrap();
    let field = |name: &str| format!("nodes[wall].data.object3d.{name}");
    for (name, value) in [
        ("flags", "[\"MATRIX\"]"),
        ("matrix", "[0, 0, -2, 0, 3, 0, 1, 0, 0]"),
    ] {
        let edit = set(DOOR, "nodes.json", &field(name), value);
        session.edit(&edit).unwrap();
    }
    let edit = Edit::World {
        file: DOOR.into(),
        change: WorldEdit::Move {
            node: "wall".into(),
            motion: NodeMotion {
                scale: Some([1.0, 0.5, 4.0]),
                ..NodeMotion::default()
            },
        },
    };
    session.edit(&edit).unwrap();
    let text = fs::read_to_string(root.join(DOOR).join(NODES)).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let nodes = document["nodes"].as_array().unwrap();
    let wall = nodes.iter().find(|node| node["name"] == "wall").unwrap();
    let object = &wall["data"]["object3d"];
    let rows: Vec<f64> = object["matrix"]
        .as_array()
        .unwrap()
        .iter()
        .map(|number| number.as_f64().unwrap())
        .collect();
    assert_eq!(rows, [0.0, 0.0, -1.0, 0.0, 0.5, 0.0, 4.0, 0.0, 0.0]);
    assert!(object.get("scale").is_none(), "{object}");
}

/// The animations of the example, and one of their definitions.
const ANIM: &str = "zbd/m1/anim.zbd";
const OPENS: &str = "defs/door_open.json";

/// A definition edited by its source is the same as compiling all sources over the tree, and
/// unpacking that: the document has what an edit of its text would write.
#[test]
fn a_definition_is_edited_by_its_source() {
    let source = |root: &Path| {
        let (_, file) = pipeline::assemble(&DirSource::new(root.join(ANIM))).unwrap();
        let File::Anim(anim) = file else {
            panic!("no animations")
        };
        definition_source::of(&anim, 0).unwrap().text
    };
    let (_dir, root) = project(Style::Json);
    let old = source(&root);
    assert!(old.contains("ANIMATION_NAME ( door_open )"), "{old}");
    let new = old.replacen("RESET_TIME (", "HEALTH ( 12.5 )\r\n      RESET_TIME (", 1);
    let edit = |text: &str, base: Option<&str>| Edit::Definition {
        file: ANIM.into(),
        part: OPENS.into(),
        text: text.into(),
        base: base.map(str::to_owned),
    };
    same(&[edit(&new, Some(&old))], |root| {
        by_hand(
            root,
            ANIM,
            OPENS,
            "  \"activation\": \"ON_CALL\",\n",
            "  \"activation\": \"ON_CALL\",\n  \"health\": 12.5,\n",
        );
    });
    // The command's function: all sources, compiled over the tree.
    let (dir, root) = project(Style::Json);
    let defs = dir.path().join("defs");
    let decompile = refit_workbench::anim::Decompile {
        file: root.join(ANIM),
        output: Some(defs.clone()),
        defs: Vec::new(),
        world: None,
        spelling: Spelling::Zrd,
    };
    decompile.run(&Options::default(), &Quiet).unwrap();
    let path = defs.join("door01.zrd");
    let text = fs::read_to_string(&path).unwrap();
    let text = text.replacen("RESET_TIME (", "HEALTH ( 12.5 ) RESET_TIME (", 1);
    fs::write(&path, text).unwrap();
    let compile = refit_workbench::anim::Compile {
        sources: vec![defs],
        base: Some(root.join(ANIM)),
        surroundings: Default::default(),
        stamps: Default::default(),
        prune: false,
        strict: false,
    };
    let compiled = compile
        .run(Path::new("anim.zbd"), Default::default())
        .unwrap();
    let mut session = Session::open(&root).unwrap();
    let done = session.edit(&edit(&new, Some(&old))).unwrap();
    assert_eq!(done.label, format!("{ANIM}/{OPENS}: source edited"));
    let (_, file) = pipeline::assemble(&DirSource::new(root.join(ANIM))).unwrap();
    assert!(file.model().write().unwrap() == compiled.bytes().unwrap());
    // What another program wrote meanwhile is merged, and stays.
    let new = source(&root);
    by_hand(&root, ANIM, OPENS, "\"health\": 12.5", "\"health\": 13.5");
    let now = source(&root);
    assert!(now.contains("HEALTH ( 13.5 )"), "{now}");
    let named = |text: &str| text.replacen("NAME ( SEQ_0 )", "NAME ( opens )", 1);
    session.edit(&edit(&named(&new), Some(&new))).unwrap();
    assert_eq!(source(&root), named(&now));
    let other = new.replace("12.5", "14.5");
    let e = session.edit(&edit(&other, Some(&new))).unwrap_err();
    assert!(
        e.to_string().contains("13.5") && e.to_string().contains("your source"),
        "{e}"
    );
    // Comments and layout are no part of the game.
    let commented = source(&root).replace("NAME ( opens )", "NAME ( opens ) // remark");
    let done = session.edit(&edit(&commented, None)).unwrap();
    assert_eq!((done.number, done.changed), (None, Vec::new()));
}

/// What the compiler refuses has its line, what it leaves out is a finding with its line, and
/// nothing is written.
#[test]
fn faults_of_a_source_have_lines() {
    let (dir, root) = project(Style::Json);
    let before = documents(&root);
    let (_, file) = pipeline::assemble(&DirSource::new(root.join(ANIM))).unwrap();
    let File::Anim(anim) = file else {
        panic!("no animations")
    };
    let source = definition_source::of(&anim, 0).unwrap().text;
    let edit = |part: &str, text: &str| Edit::Definition {
        file: ANIM.into(),
        part: part.into(),
        text: text.into(),
        base: None,
    };
    let mut session = Session::open(&root).unwrap();
    let bad = source.replacen("RESET_TIME (", "RESET_TIME ( much", 1);
    let line = source
        .lines()
        .position(|line| line.contains("RESET_TIME"))
        .unwrap()
        + 1;
    for e in [
        session.edit(&edit(OPENS, &bad)).unwrap_err(),
        session.check(&edit(OPENS, &bad)).unwrap_err(),
    ] {
        assert_eq!(e.place().map(|(line, _)| line), Some(line), "{e}");
        assert!(e.to_string().starts_with("door01.zrd:"), "{e}");
    }
    let typo = source.replacen("RESET_TIME (", "HELTH ( 1 ) RESET_TIME (", 1);
    let typo = typo.replacen("( SEQ_0 )", "( opens )", 1);
    let done = session.check(&edit(OPENS, &typo)).unwrap().unwrap();
    let found: Vec<_> = done
        .brought_in
        .iter()
        .map(|found| (found.finding.code, found.finding.at.clone()))
        .collect();
    assert_eq!(
        found,
        [("animdef-unknown", format!("line {line}"))],
        "{done:?}"
    );
    // Also if that is all: then nothing changes.
    let typo_only = source.replacen("RESET_TIME (", "HELTH ( 1 ) RESET_TIME (", 1);
    let done = session.edit(&edit(OPENS, &typo_only)).unwrap();
    assert_eq!((done.number, done.brought_in.len()), (None, 1), "{done:?}");
    for part in ["refit.json", "defs/none.json"] {
        let e = session.edit(&edit(part, &source)).unwrap_err();
        assert!(e.to_string().contains("no document of a definition"), "{e}");
    }
    let e = session.edit(&Edit::Definition {
        file: GOALS.into(),
        part: OPENS.into(),
        text: source.clone(),
        base: None,
    });
    assert!(
        e.unwrap_err()
            .to_string()
            .contains("no document of a definition")
    );
    assert!(documents(&root) == before);
    // A file without a tree is checked, and gets one with its first edit.
    let young = dir.path().join("young");
    let mut session = Session::begin(&dir.path().join("game"), &young).unwrap();
    assert!(session.check(&edit(OPENS, &bad)).is_err());
    let fine = session.check(&edit(OPENS, &typo)).unwrap().unwrap();
    assert_eq!(fine.changed.len(), 1);
    assert!(!young.join(ANIM).exists());
    session.edit(&edit(OPENS, &typo)).unwrap();
    assert!(young.join(ANIM).join(OPENS).exists());
    // Where the project has the sources, they are edited.
    let decompile = refit_workbench::anim::Decompile {
        file: young.join(ANIM),
        output: Some(young.join("sources")),
        defs: Vec::new(),
        world: None,
        spelling: Spelling::Zrd,
    };
    decompile.run(&Options::default(), &Quiet).unwrap();
    let e = session.edit(&edit(OPENS, &source)).unwrap_err();
    assert!(
        e.to_string().contains("sources of this file in sources"),
        "{e}"
    );
    assert_eq!(
        session.sources_of(ANIM).unwrap().as_deref(),
        Some(Path::new("sources"))
    );
}
