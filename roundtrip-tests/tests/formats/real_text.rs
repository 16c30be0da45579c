//! Facts about text readers, scripts, messages and sounds that owners of the games measured and
//! read in the engines: the golden files shaped like real ones have the expected content, ordinary
//! things cause no findings, and each trap has its own finding.

use refit::{
    File,
    formats::{self, Format},
    game::Game,
    pipeline::{self, Hints},
    tree::{Folder, Style},
};
use roundtrip_tests::{by_hand::*, *};

fn hints(game: Option<Game>) -> Hints {
    Hints { game, format: None }
}

/// Findings as `CODE PATH: MESSAGE`.
fn findings(case: &Case, game: Option<Game>) -> Vec<String> {
    let opened = pipeline::open(&case.bytes, &case.path, hints(game))
        .unwrap_or_else(|e| panic!("{}: {e}", case.path));
    pipeline::lint(&*opened.model)
        .unwrap()
        .into_iter()
        .map(|f| format!("{} {}: {}", f.code, f.path, f.message))
        .collect()
}

fn text(bytes: &[u8]) -> Case {
    Case {
        path: "x.zrd".into(),
        folder: String::new(),
        bytes: bytes.to_vec().into(),
    }
}

/// The part of each finding before the colon.
fn places(found: &[String]) -> Vec<&str> {
    found
        .iter()
        .map(|f| f.split(": ").next().unwrap_or_default())
        .collect()
}

fn repacked_from(case: &Case, style: Style) -> Folder {
    let tree = unpack(case, Hints::default(), style);
    assert_bytes(&repack(&tree), &case.bytes);
    tree
}

#[test]
fn an_ordinary_text_reader_file_has_no_findings() {
    for name in [
        "DefaultCtlConfig.zrd",
        "mw_conditions.zrd",
        "mw_white_space.zrd",
    ] {
        let mut found = findings(&golden_file("zrd_text", name), None);
        // The synthetic configuration has a key code that no keyboard has.
        found.retain(|f| !f.starts_with("zrd-key "));
        assert_eq!(found, Vec::<String>::new(), "{name}");
    }
    // A word after a comment, one before it, and text after the end mark of the reader list.
    for ok in [
        "( a ;note\n b )\n",
        "( a ; note\nb )",
        "( a )\x1a",
        "( a )\0",
        "( a;note\n)",
        "( \"p\u{e4}per\" )",
        "( a#b )\n; #else \"\n",
    ] {
        assert_eq!(
            findings(&text(ok.as_bytes()), None),
            Vec::<String>::new(),
            "{ok:?}"
        );
    }
}

#[test]
fn comments_inside_of_tokens_join_lines() {
    let case = golden_file("zrd_text", "mw_comments.zrd");
    let found = findings(&case, None);
    assert_eq!(
        places(&found),
        [
            "zrd-comment line 5, byte 78",
            "zrd-comment line 13, byte 148",
            "zrd-lost line 14, byte 155"
        ],
        "{found:?}"
    );
    repacked_from(&case, Style::Json);
    // The key code is seen through the comment, and named.
    let tree = repacked_from(&text(b"( keya(0x1e;modifier\n) )\n"), Style::Json);
    assert_eq!(tree.text("x.zrd"), "( keya(0x1e;modifier ;= A\n) )\n");
    // Text in a comment is ignored: this was a false finding about parentheses.
    assert_eq!(
        findings(&text(b"( rate 12;twelve )\n)\n"), None),
        Vec::<String>::new()
    );
}

#[test]
fn words_are_converted_like_in_the_c_library() {
    let found = findings(&golden_file("zrd_text", "mw_words.zrd"), None);
    let said = |part: &str| assert!(found.iter().any(|f| f.contains(part)), "{part}: {found:#?}");
    said("2147483648 is read as 2147483647");
    said("-3000000000 is read as -2147483648");
    said("99999999999999999999 is read as 2147483647");
    said("1e39 is read as an infinite float");
    said("1e5 is read as the float 100000.0");
    said("2d3 is read as the float 2000.0");
    said("1.5E-2 is read as the float 0.015");
    said("3D+1 is read as the float 30.0");
    said("2 bytes after the closing quote");
    said("3 bytes after the closing quote");
    said("the byte after the closing quote");
    said("0xe4: whether it ends the token");
    for word in ["#if", "#define", "#"] {
        said(&format!("{word:?} is dropped"));
    }
    let count = |code: &str| found.iter().filter(|f| f.starts_with(code)).count();
    let counts = [
        "zrd-number",
        "zrd-exponent",
        "zrd-lost",
        "zrd-byte",
        "zrd-directive",
    ]
    .map(count);
    assert_eq!((counts, found.len()), ([4, 4, 3, 1, 3], 15), "{found:#?}");
}

#[test]
fn the_count_before_the_reading_takes_both_branches() {
    let found = findings(&golden_file("zrd_text", "mw_refused.zrd"), None);
    assert_eq!(
        found,
        [
            "zrd-directive line 6, byte 71: both branches begin or end the same lists, and the check before reading \
            counts both",
            "zrd-parentheses line 1, byte 0: 1 lists are not closed: the game treats the file as missing",
        ]
    );
    // Only with the branch the list is open: read or not, one of the two is wrong.
    let found = findings(&text(b"( a\n#ifdef A\n)\n#endif\n"), None);
    assert_eq!(
        places(&found),
        ["zrd-directive line 4, byte 15"],
        "{found:?}"
    );
    // A count of 0 in another order is read, up to the end that has no list.
    let found = findings(&text(b"( a ) ) b ( c\n"), None);
    assert_eq!(
        found,
        [
            "zrd-parentheses line 1, byte 6: a closing parenthesis without a list: the game stops reading here, and \
             what follows is not read"
        ]
    );
    let found = findings(&text(b"( a ) )\n"), None);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[1].contains("1 closing parentheses too many: the game treats the file as missing"),
        "{found:?}"
    );
    // An open quote hides the parentheses after it.
    let found = findings(&text(b"( \"a )\n"), None);
    assert!(
        found[0].starts_with("zrd-quote line 1, byte 2")
            && found[1].contains("1 lists are not closed"),
        "{found:?}"
    );
    // For the count a comment ends at a CR, for the reading it does not.
    let found = findings(&text(b"( a ;note\r) )\n"), None);
    assert!(
        found
            .iter()
            .any(|f| f.contains("1 closing parentheses too many: the game treats")),
        "{found:?}"
    );
}

#[test]
fn traps_of_conditions_and_buffers_are_reported_with_the_games_reaction() {
    let found = findings(&golden_file("zrd_text", "mw_traps.zrd"), None);
    for (n, part) in [
        (2, "not a directive when the game reads this part"),
        (1, "an #else inside another condition"),
        (1, "an #endif without #ifdef"),
        (1, "an #else without #ifdef"),
        (1, "no #endif: if this branch is skipped, the game hangs"),
        (2, "256 bytes (at most 255 fit): the game crashes"),
        (
            1,
            "300 bytes (at most 255 fit): the list ends here, and what follows is misread",
        ),
        (
            1,
            "the last token touches the end of the file and is dropped",
        ),
    ] {
        assert_eq!(
            found.iter().filter(|f| f.contains(part)).count(),
            n,
            "{part}: {found:#?}"
        );
    }
    assert_eq!(found.len(), 10, "{found:#?}");
}

#[test]
fn conditions_have_names_and_may_begin_a_file() {
    let case = golden_file("zrd_text", "mw_conditions.zrd");
    let found = pipeline::recognise(&case.bytes, "readme", Hints::default()).unwrap();
    assert_eq!(found.format, Format::ZrdText);
    let opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
    let info = opened.model.info();
    let names = info
        .iter()
        .find(|(key, _)| *key == "conditions")
        .map(|(_, value)| value.clone());
    assert_eq!(
        names,
        Some(serde_json::json!(["DEMO_BUILD", "EXTRA", "JOYSTICK"]))
    );
    // Modifiers are shown in the order of the engine.
    let tree = repacked_from(&case, Style::Json);
    assert!(
        tree.text("mw_conditions.zrd")
            .contains(";= J, Alt+Space\r\n"),
        "{}",
        tree.text("mw_conditions.zrd")
    );
    assert_eq!(
        formats::zrd_text::key_name(0x739).as_deref(),
        Some("Ctrl+Alt+Shift+Space")
    );
}

#[test]
fn damaged_texts_have_findings_and_cause_no_panic() {
    for case in golden("zrd_text") {
        for cut in 0..case.bytes.len() {
            for byte in [b'"', b';', b'#', b'(', b')', 0x0b, 0xff] {
                let mut bytes = case.bytes.to_vec();
                bytes[cut] = byte;
                for bytes in [&bytes[..], &bytes[..=cut]] {
                    if let Ok(opened) =
                        pipeline::open(&bytes.to_vec().into(), "x.zrd", Hints::default())
                    {
                        pipeline::lint(&*opened.model).unwrap();
                        opened.model.info();
                    }
                }
            }
        }
    }
}

#[test]
fn real_shaped_scripts_have_only_the_finding_about_the_dangling_include() {
    let case = golden_file("interp", "rc_shape.zbd");
    let dangling = "interp-source m1.gs.lines[3]: support\\gone.gw is not in the index";
    assert_eq!(findings(&case, None), [dangling]);
    assert_eq!(
        findings(&golden_file("interp", "cs_mission_shape.zbd"), None),
        Vec::<String>::new()
    );
    assert_eq!(
        findings(
            &golden_file("interp", "cs_mission_shape.zbd"),
            Some(Game::Cs)
        ),
        Vec::<String>::new()
    );
    // Scripts that only the building tool ran are marked in the list, and the counts of `info`
    // match those of owners.
    let opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
    let tool: Vec<bool> = opened
        .model
        .model()
        .members()
        .iter()
        .map(|m| m.detail.ends_with(", not run by the game"))
        .collect();
    assert_eq!(tool, [false, false, false, true, true]);
    let info: Vec<_> = opened
        .model
        .info()
        .into_iter()
        .map(|(key, value)| (key, value.to_string()))
        .collect();
    assert!(
        info.contains(&("scripts", "5".into()))
            && info
                .iter()
                .any(|(key, n)| *key == "first words" && n == "37"),
        "{info:?}"
    );
}

#[test]
fn limits_of_the_script_engine_have_findings_with_its_reaction() {
    let found = findings(&golden_file("interp", "interp_limits.zbd"), None);
    let expected = [
        "interp-arguments limits.gs.lines[0]: 17 tokens (the engine has room for 16)",
        "interp-macro limits.gs.lines[3]: 2 different arguments with macros: all get the text of the last",
        "interp-macro-length limits.gs.lines[4]: a name of 64 bytes (at most 63 fit)",
        "interp-length limits.gs.lines[5]: 1105 bytes (the engine's buffer has 1024)",
        "interp-condition limits.gs.lines[10]: also runs if the condition of lines[7] does not hold: the inner endif \
        ends the skipping",
        "interp-condition limits.gs.lines[12]: LIGHT is True here: conditions hold only for TRUE",
        "interp-crash limits.gs.lines[25]: the eleventh ModelPolygonUV of a polygon, which has room for 10",
        "interp-command limits.gs.lines[26]: findnode runs nothing: FindNode is case-sensitive",
        "interp-command limits.gs.lines[27]: FindNodes runs FindNode",
        "interp-condition limits.gs.lines[13]: no endif: if the condition does not hold, the rest of the script is \
        skipped",
    ];
    assert_eq!(found[..expected.len()], expected, "{found:#?}");
    let rest: Vec<&str> = found[expected.len()..].iter().map(String::as_str).collect();
    assert_eq!(
        rest[1],
        "interp-crash limits.gs.lines[6]: ModelNew takes 2 arguments, but has 1: the game crashes"
    );
    assert_eq!(
        rest[2],
        "interp-unknown limits.gs.lines[28]: NoSuchCommand: Recoil would skip the line; the lists of the other games \
        are not complete (1 lines more)"
    );
    assert_eq!(
        rest[4],
        "interp-boolean limits.gs.lines[31]: CameraSetActive, argument 1: \"yes\" is read as false: only on and true \
        are true"
    );
    assert_eq!(rest.len(), 6, "{rest:#?}");
}

#[test]
fn findings_about_token_counts_have_the_engines_reaction() {
    for (name, code, part) in [
        (
            "interp_count_high.zbd",
            "interp-count",
            "the engine reads past the line",
        ),
        (
            "interp_count_low.zbd",
            "interp-line",
            "the engine ignores the rest",
        ),
        ("interp_count_zero.zbd", "interp-line", "does nothing"),
        (
            "interp_no_final_nul2.zbd",
            "interp-line",
            "2 tokens, the last without a zero, the count is 1: the engine ignores the rest",
        ),
    ] {
        let found = findings(&golden_file("interp", name), None);
        assert!(
            found
                .iter()
                .any(|f| f.starts_with(&format!("{code} ")) && f.contains(part)),
            "{name}: {found:?}"
        );
    }
}

#[test]
fn empty_tokens_are_written_as_the_engine_reads_them() {
    let case = golden_file("interp", "interp_empty_tokens.zbd");
    let tree = repacked_from(&case, Style::Json);
    assert_eq!(
        tree.text("empty.gs"),
        "\"\" a\nset \"\" b\nset \"\" \"\" c \"\"\n\"\"\n"
    );
    // The same script as a person writes it for the engine.
    tree.set("empty.gs", b", a\nset , b\nset,,,c ,\n,\n".to_vec());
    assert_bytes(&repack(&tree), &case.bytes);
}

#[test]
fn sounds_of_crimson_skies_are_described_with_their_format() {
    let case = golden_file("sounds", "cs_soundsl_shape.zbd");
    let opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
    // Bit 1 of the flags and the doubled name make the game; the rest of the flags is stale memory.
    assert_eq!(
        (opened.detection.format, opened.detection.game),
        (Format::Sounds, Some(Game::Cs))
    );
    assert_eq!(findings(&case, None), Vec::<String>::new());
    let found: Vec<_> = opened
        .model
        .model()
        .members()
        .into_iter()
        .map(|m| (m.kind.into_owned(), m.detail))
        .collect();
    // 256 bytes: 7 of a header and two samples for each byte, the first two in the header; IMA's
    // header has 4 and one sample.
    let ms = |samples: f64| format!("{:.2} s", samples / 11025.0);
    assert_eq!(
        found,
        [
            (
                "wav, MS ADPCM".to_owned(),
                format!("11025 Hz, mono, 4 bit, blocks of 256 bytes, {}", ms(1000.0))
            ),
            (
                "wav, IMA ADPCM".to_owned(),
                format!(
                    "11025 Hz, mono, 4 bit, blocks of 256 bytes, {}",
                    ms(2.0 * 505.0 + 169.0)
                )
            ),
            (
                "wav, IMA ADPCM".to_owned(),
                format!("11025 Hz, mono, 4 bit, blocks of 256 bytes, {}", ms(505.0))
            ),
            (
                "wav, MS ADPCM".to_owned(),
                format!(
                    "11025 Hz, mono, 4 bit, blocks of 256 bytes, {}, 2 cue points",
                    ms(500.0)
                )
            ),
            (
                "wav".to_owned(),
                format!("11025 Hz, mono, 8 bit, {}", ms(301.0))
            ),
        ]
    );
    let info = opened.model.info();
    let value = |key: &str| {
        info.iter()
            .find(|(k, _)| *k == key)
            .map(|(_, v)| v.clone())
            .unwrap_or_default()
    };
    assert_eq!(
        value("formats"),
        serde_json::json!({
            "IMA ADPCM, 11025 Hz, mono, 4 bit, blocks of 256 bytes": 2,
            "MS ADPCM, 11025 Hz, mono, 4 bit, blocks of 256 bytes": 2,
            "PCM, 11025 Hz, mono, 8 bit": 1,
        })
    );
    assert_eq!(value("cue points"), serde_json::json!("2 in 1 sounds"));
    let high = golden_file("sounds", "cs_soundsh_shape.zbd");
    let opened = pipeline::open(&high.bytes, &high.path, Hints::default()).unwrap();
    let details: Vec<String> = opened
        .model
        .model()
        .members()
        .into_iter()
        .map(|m| m.detail)
        .collect();
    assert!(
        details[1].starts_with("9710 Hz, stereo, 4 bit, blocks of 512 bytes, "),
        "{details:?}"
    );
    assert!(
        details[2].starts_with("22000 Hz, mono, 4 bit, blocks of 512 bytes, "),
        "{details:?}"
    );
    assert!(
        details[4].starts_with("22050 Hz, stereo, 16 bit, ")
            && details[4].ends_with(", 1 cue point"),
        "{details:?}"
    );
    // The samples of stereo blocks: 512 bytes, 14 of headers, half a byte for each sample of each
    // channel.
    assert!(
        details[1].ends_with(&format!("{:.2} s", 2.0 * 500.0 / 9710.0)),
        "{details:?}"
    );
}

#[test]
fn sounds_that_trap_the_engine_have_findings() {
    let rc = golden_file("sounds", "rc_cues_shape.zbd");
    assert_eq!(
        places(&findings(&rc, Some(Game::Rc))),
        ["archive-shadowed #2 shot.wav"]
    );
    let odd = golden_file("sounds", "sounds_odd.zbd");
    let codes = |game| {
        let found = findings(&odd, game);
        found
            .iter()
            .map(|f| places(std::slice::from_ref(f))[0].to_owned())
            .collect::<Vec<_>>()
    };
    let member = |code: &str, name: &str| {
        codes(Some(Game::Rc))
            .iter()
            .any(|f| f.starts_with(code) && f.contains(name))
    };
    assert!(member("sound-beyond", "beyond.wav"), "{:?}", codes(None));
    assert!(member("sound-riff-size", "short.wav"));
    assert!(member("sound-format", "adpcm.wav"));
    assert!(member("sound-fmt", "fmt12.wav"));
    assert!(member("sound-chunks", "twice.wav"));
    // 14 bytes are enough for the engine, but do not contain the bit depth.
    assert!(!member("sound-fmt", "fmt14.wav"));
    assert!(
        !codes(None).iter().any(|f| f.starts_with("sound-format")),
        "{:?}",
        codes(None)
    );
}

#[test]
fn messages_are_limited_by_each_games_buffer() {
    let case = golden_file("messages", "res_message_limits.dll");
    let long = |game| {
        let found = findings(&case, Some(game));
        let about: Vec<String> = found
            .into_iter()
            .filter(|f| f.starts_with("text-too-long"))
            .collect();
        assert!(about.len() <= 1, "{about:?}");
        about.into_iter().next().unwrap_or_default()
    };
    let rc = long(Game::Rc);
    // At most 255 bytes without the line end; %n and %% count as displayed; nothing follows %0;
    // UTF-16 counts letters.
    let at = |id: u32, bytes: u32| {
        format!("{id} ({bytes} bytes (Recoil's buffer holds 255): cut and not terminated)")
    };
    assert_eq!(
        rc,
        format!(
            "text-too-long : ids: {}, {}, {}",
            at(2, 256),
            at(3, 509),
            at(4, 510)
        )
    );
    let mw = long(Game::Mw);
    assert_eq!(
        mw,
        "text-too-long : ids: 4 (512 bytes with the line end (the buffer of MechWarrior 3 holds 511): not shown at all)"
    );
    assert_eq!(long(Game::Cs), "");
}

/// Findings about a tree of a message DLL.
fn judged(folder: &Folder) -> Vec<String> {
    File::from_tree(folder)
        .unwrap()
        .lint()
        .unwrap()
        .into_iter()
        .map(|f| format!("{}: {}", f.code, f.message))
        .collect()
}

#[test]
fn edits_of_messages_keep_inserts_and_fonts() {
    let case = golden_file("messages", "res_langui_shape.dll");
    assert_eq!(findings(&case, None), Vec::<String>::new());
    for (from, to, wanted) in [
        ("[COUR9]Choose", "[COUR9]Select", None),
        (
            "[COUR9]Choose",
            "Choose",
            Some(
                "text-font-tag: string 1: the original begins with the font [COUR9], this text with none",
            ),
        ),
        (
            "[]Back",
            "[COUR9]Back",
            Some(
                "text-font-tag: string 2: the original begins with the font [], this text with [COUR9]",
            ),
        ),
        (
            "%1!s! shot",
            "%s shot",
            Some("text-inserts: string 3: the original has %1!s! %2!d!, this text has %2!d! %s"),
        ),
        ("%1!s! shot", "Shot by %1!s!:", None),
        (
            "at %d feet",
            "at feet",
            Some("text-inserts: string 16: the original has %d, this text has no inserts"),
        ),
    ] {
        let tree = unpack(&case, Hints::default(), Style::Json);
        edit(&tree, "messages.json", from, to);
        assert_eq!(
            judged(&tree),
            wanted.map(str::to_owned).into_iter().collect::<Vec<_>>(),
            "{to}"
        );
    }
    // Translators see that the font is not text.
    let out = Folder::new();
    pipeline::open(&case.bytes, &case.path, Hints::default())
        .unwrap()
        .model
        .model()
        .export(&out)
        .unwrap();
    let po = out.text("messages.po");
    assert_eq!(po.matches("is the font; keep it.").count(), 7, "{po}");
    // A message that requires a value which the caller does not pass.
    let case = golden_file("messages", "res_message_limits.dll");
    let tree = unpack(&case, hints(Some(Game::Rc)), Style::Json);
    let before = judged(&tree).len();
    edit(
        &tree,
        "messages.json",
        "\"short\" }",
        "\"short\" }, { \"id\": 101, \"text\": \"%1 more\" }, { \"id\": 102, \"text\": \"50%% more%n\" }",
    );
    let found = judged(&tree);
    assert_eq!(found.len(), before + 1, "{found:?}");
    assert!(
        found.contains(
            &"text-inserts: message 101 is new and has %1: the game gives it no values".to_owned()
        ),
        "{found:?}"
    );
}

#[test]
fn reader_members_of_crimson_skies_keep_what_looks_like_a_slip() {
    let case = golden_file("reader", "cs_shape.zbd");
    let tree = repacked_from(&case, Style::Json);
    assert_eq!(
        tree.text("reset.zrd.json"),
        "[\"RESET_TIME\", [-1], \"SOUND\", [\"a\", 1], \"SOUND\", [\"b\", 1.0], \"LOCAL\"]\n"
    );
    assert_eq!(tree.text("zeppelins.zrd.json"), "[[]]\n");
    assert_eq!(
        tree.text("player.zrd.json"),
        "[[\"speed\", 90], [\"speed\", 90.0]]\n"
    );
    assert_eq!(
        places(&findings(&case, None)),
        ["archive-shadowed #3 player.zrd"]
    );
    assert_eq!(list(&[list(&[])]).len(), 16);
}
