//! Generated definitions: every key of every event of Recoil, in random combinations. The compiled file decompiles to
//! definitions that compile to the same file, with and without a base, and these definitions are their own canonical
//! form.

use super::*;

/// Numbers that follow from a seed (xorshift).
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % sides
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.roll(all.len())]
    }

    /// A number that a person would write, or an unlikely one.
    fn number(&mut self) -> String {
        match self.roll(6) {
            0 => (self.roll(21) as i32 - 10).to_string(),
            1 => format!("{:.1}", self.roll(2000) as f64 / 10.0 - 100.0),
            2 => format!("{:.3}", self.roll(20_000) as f64 / 1000.0),
            3 => "0".into(),
            4 => "-0.0".into(),
            _ => format!("{:?}", f32::from_bits((self.roll(1 << 30) as u32 & 0x03ff_ffff) | 0x4000_0000)),
        }
    }

    fn positive(&mut self) -> String {
        format!("{:.2}", 0.01 + self.roll(1000) as f64 / 100.0)
    }

    fn numbers(&mut self, n: usize) -> String {
        (0..n).map(|_| self.number()).collect::<Vec<_>>().join(" ")
    }

    fn node(&mut self) -> &'static str {
        self.of(&["door", "gate", "lamp1", "lamp2", "healthy", "INPUT_NODE"])
    }

    /// A node that an event changes.
    fn target(&mut self) -> &'static str {
        self.of(&["door", "gate", "lamp1", "lamp2", "healthy"])
    }

    fn name(&mut self) -> &'static str {
        self.of(&["bang", "hum", "glow", "x", "a_name_of_thirty_one_letters_xx"])
    }

    /// Writes a key for each letter that was drawn.
    fn some(&mut self, keys: &[(&str, usize)]) -> String {
        let mut out = String::new();
        for (key, n) in keys {
            if self.roll(2) == 0 {
                out += &format!(" {key} ( {} )", self.numbers(*n));
            }
        }
        out
    }
}

/// The keys of every event in Recoil's sources.
fn event_of(d: &mut Dice, kind: usize) -> String {
    let (target, node, name) = (d.target(), d.node(), d.name());
    let at = match d.roll(3) {
        0 => String::new(),
        1 => format!(" AT_NODE ( {node} )"),
        _ => format!(" AT_NODE ( {node} {} )", d.numbers(3)),
    };
    let start = if d.roll(3) == 0 {
        format!(" START_TIME ( {} {} )", d.of(&["ANIMATION_OFFSET", "SEQUENCE_OFFSET", "EVENT_OFFSET"]), d.number())
    } else {
        String::new()
    };
    let run = format!(" RUN_TIME ( {} )", d.positive());
    let (key, keys) = match kind {
        0 => ("SOUND", format!("NAME ( {name} ){at}")),
        1 => ("SOUND_NODE", format!("NAME ( {name} ) ACTIVE_STATE ( {} ){at}", d.of(&["ACTIVE", "INACTIVE"]))),
        2 => ("EFFECT", format!("NAME ( {name} ){at}")),
        3 => {
            let some = d.some(&[("RANGE", 2), ("COLOR", 3), ("AMBIENT", 1), ("DIFFUSE", 1), ("ORIENTATION", 3)]);
            let said = d.of(&[
                "",
                " SATURATED ( TRUE )",
                " SATURATED ( FALSE )",
                " DIRECTIONAL ( TRUE )",
                " TYPE ( DIRECTED )",
            ]);
            (
                "LIGHT_STATE",
                format!("NAME ( {name} ) ACTIVE_STATE ( {} ){at}{some}{said}", d.of(&["ACTIVE", "INACTIVE"])),
            )
        }
        4 => ("LIGHT_ANIMATION", format!("NAME ( {name} ) RANGE ( {} ) COLOR ( {} ){run}", d.numbers(4), d.numbers(3))),
        5 => ("OBJECT_ACTIVE_STATE", format!("NAME ( {target} ) STATE ( {} )", d.of(&["ACTIVE", "INACTIVE"]))),
        6 => {
            let how = match d.roll(3) {
                0 => format!("STATE ( {} )", d.numbers(3)),
                1 => format!("RELATIVE ( {} )", d.numbers(3)),
                _ => format!("AT_NODE ( {node} {} )", d.numbers(3)),
            };
            ("OBJECT_TRANSLATE_STATE", format!("NAME ( {target} ) {how}"))
        }
        7 => ("OBJECT_SCALE_STATE", format!("NAME ( {target} ) STATE ( {} )", d.numbers(3))),
        8 => {
            let how = match d.roll(3) {
                0 => format!("AT_NODE_XYZ ( {node} )"),
                _ => format!("STATE ( {} )", d.numbers(3)),
            };
            ("OBJECT_ROTATE_STATE", format!("NAME ( {target} ) {how}"))
        }
        9 => {
            let gravity = match d.roll(3) {
                0 => String::new(),
                1 => " GRAVITY ( DEFAULT )".into(),
                _ => format!(" GRAVITY ( LOCAL {} )", d.number()),
            };
            let more = d.some(&[("XYZ_ROTATION", 3), ("XYZ_ROTATION", 6), ("SCALE", 3), ("SCALE", 6)]);
            // Angles as people write them: other angles lose bits in rounding, which are written as `bits` and tested
            // elsewhere.
            let launch = match d.roll(3) {
                0 => format!(
                    " TRANSLATION ( {} {} {} {} )",
                    d.roll(360),
                    d.roll(181) as i32 - 90,
                    d.positive(),
                    d.positive()
                ),
                1 => format!(" TRANSLATION_RANGE_MIN ( {} ) TRANSLATION_RANGE_MAX ( {} )", d.numbers(4), d.numbers(4)),
                _ => String::new(),
            };
            let forward =
                if d.roll(3) == 0 { format!(" FORWARD_ROTATION ( TIME {} )", d.numbers(2)) } else { String::new() };
            let bounce = if d.roll(2) == 0 {
                " BOUNCE_SEQUENCE ( main ) BOUNCE_SOUND ( NAME ( bang ) FULL_VOLUME_VELOCITY ( 9 ) )"
            } else {
                ""
            };
            let force = d.of(&["", " IMPACT_FORCE"]);
            ("OBJECT_MOTION", format!("NAME ( {target} ){gravity}{launch}{forward}{more}{bounce}{run}{force}"))
        }
        10 => {
            let mut keys = format!("NAME ( {target} )");
            for (channel, n) in [("MORPH", 1), ("TRANSLATE", 3), ("ROTATE", 3), ("SCALE", 3)] {
                if d.roll(2) == 0 {
                    keys += &d.some(&[(&format!("{channel}_FROM"), n), (&format!("{channel}_TO"), n)]);
                }
            }
            ("OBJECT_MOTION_FROM_TO", keys + if d.roll(4) == 0 { "" } else { &run })
        }
        11 => (
            "OBJECT_OPACITY_STATE",
            format!("NAME ( {target} ) STATE ( {}{} )", d.of(&["ON", "OFF"]), d.of(&["", " 0.5", " 0", " 1"])),
        ),
        12 => {
            let (from, to) = (d.of(&["0", "0.3 ON", "1 OFF"]), d.of(&["1", "0.25 ON", "0 OFF"]));
            ("OBJECT_OPACITY_FROM_TO", format!("NAME ( {target} ) OPACITY_FROM ( {from} ) OPACITY_TO ( {to} ){run}"))
        }
        13 => ("OBJECT_ADD_CHILD", format!("PARENT_CHILD ( {target} {} )", d.target())),
        14 => ("OBJECT_DELETE_CHILD", format!("PARENT_CHILD ( {target} {} )", d.target())),
        15 => ("OBJECT_CYCLE_TEXTURE", format!("NAME ( {target} ){}", d.of(&["", " RESET"]))),
        16 => {
            let from =
                d.of(&["", " FROM_NODE ( lamp1 )", " FROM_INPUT_NODE", " FROM_POS ( 1 2 3 )", " FROM_INPUT_POS"]);
            let to = d.of(&["", " TO_NODE ( lamp2 )", " TO_INPUT_NODE", " TO_POS ( 0 -1 0.5 )", " TO_INPUT_POS"]);
            let ends = d.some(&[
                ("FROM_T_START", 1),
                ("FROM_T_END", 1),
                ("TO_T_START", 1),
                ("TO_T_END", 1),
                ("MAX_LENGTH", 1),
            ]);
            ("OBJECT_CONNECTOR", format!("NAME ( {target} ){from}{to}{ends}{}", d.of(&["", " RUN_TIME ( 0.7 )"])))
        }
        17 => {
            let from = d.of(&[
                "",
                " FROM_NODE ( lamp1 )",
                " FROM_NODE_POS ( lamp1 )",
                " FROM_INPUT_NODE",
                " FROM_POS ( 1 2 3 )",
            ]);
            let to = d.of(&[
                "",
                " TO_NODE ( lamp2 )",
                " TO_NODE_POS ( door )",
                " TO_INPUT_NODE_POS",
                " TO_POS ( 1 2 3 )",
                " TO_INPUT_POS",
            ]);
            ("CALL_OBJECT_CONNECTOR", format!("NAME ( {name} ){from}{to}{}", d.of(&["", " LOCAL_NAME ( mine )"])))
        }
        18 => (
            "CAMERA_STATE",
            format!("NAME ( {target} ){}", d.some(&[("NEAR_CLIP", 1), ("FAR_CLIP", 1), ("H_ZOOM", 1), ("V_ZOOM", 1)])),
        ),
        19 => (
            "CAMERA_FROM_TO",
            format!("NAME ( {target} ){}{run}", d.some(&[("H_ZOOM_FROM_TO", 2), ("V_ZOOM_FROM_TO", 2)])),
        ),
        20 => ("CALL_SEQUENCE", "NAME ( main )".into()),
        21 => ("STOP_SEQUENCE", "NAME ( main )".into()),
        22 => {
            let at = match d.roll(5) {
                0 => {
                    format!(
                        " AT_NODE ( {node} {} {} {} {} {} {} )",
                        d.number(),
                        d.number(),
                        d.number(),
                        d.number(),
                        d.number(),
                        d.number()
                    )
                }
                1 => format!(" AT_NODE ( {node} {} )", d.numbers(3)),
                2 => format!(" WITH_NODE ( {node} )"),
                3 => format!(" OPERAND_NODE ( {target} )"),
                _ => String::new(),
            };
            let keep = d.of(&[
                "",
                "",
                " WAIT_FOR_COMPLETION",
                " LOCAL_NAME ( mine )",
                " LOCAL_NAME ( yours ) WAIT_FOR_COMPLETION",
            ]);
            ("CALL_ANIMATION", format!("NAME ( {name} ){at}{keep}"))
        }
        23 => (["STOP_ANIMATION", "RESET_ANIMATION", "INVALIDATE_ANIMATION"][d.roll(3)], format!("NAME ( {name} )")),
        24 => (
            "FOG_STATE",
            format!("TYPE ( {} ){}", d.of(&["OFF", "LINEAR"]), d.some(&[("COLOR", 3), ("ALTITUDE", 2), ("RANGE", 2)])),
        ),
        25 => (
            "LOOP",
            d.of(&[
                "",
                "LOOP_COUNT ( -1 )",
                "LOOP_COUNT ( 3 )",
                "LOOP_COUNT ( 0 )",
                "LOOP_COUNT ( 65535 )",
                "LOOP_TIME ( 1.5 )",
            ])
            .into(),
        ),
        26 | 27 => {
            let condition = match d.roll(5) {
                0 => format!("RANDOM_WEIGHT ( {} )", d.number()),
                1 => format!("PLAYER_RANGE ( {} )", d.positive()),
                2 => format!("ANIMATION_LOD ( {} )", d.of(&["LOW", "MEDIUM", "HIGH"])),
                3 => format!("PLAYER_UNDERCOVER ( {} )", d.number()),
                _ => format!("NODE_UNDERCOVER ( {target} {} )", d.number()),
            };
            (if kind == 26 { "IF" } else { "ELSEIF" }, condition)
        }
        28 => (d.of(&["ELSE", "ENDIF"]), String::new()),
        29 => ("CALLBACK", format!("VALUE ( {} )", d.roll(1000))),
        30 => ("FBFX_COLOR_FROM_TO", format!("FROM ( {} ) TO ( {} ){run}", d.numbers(4), d.numbers(4))),
        31 => {
            let at = d.of(&["", " AT_NODE ( door )", " AT_NODE ( INPUT_NODE 1 2 3 )"]);
            let place = d.of(&[
                "",
                " SCREEN_POS_FROM ( 0 1 ) SCREEN_POS_TO ( 1 0.5 )",
                " SCREEN_RADIUS_FROM ( 3 )",
                " WORLD_RADIUS_FROM ( 3 ) WORLD_RADIUS_TO ( 4 )",
            ]);
            (
                "FBFX_CSINWAVE_FROM_TO",
                format!("CSIN_FROM ( {} ) CSIN_TO ( {} ){at}{place}{run}", d.numbers(3), d.numbers(3)),
            )
        }
        _ => ("ANIM_VERBOSE", d.of(&["ON", "OFF"]).into()),
    };
    format!("{key} ( {keys}{start} )")
}

const KINDS: usize = 33;

fn definition_of(d: &mut Dice, number: usize) -> String {
    let mut keys = format!("NAME ( {} ) ANIMATION_NAME ( made{number} )", d.target());
    for key in [
        "ANIMATION_ROOT_NAME ( world1 )",
        "ACTIVATION ( ON_STARTUP )",
        "EXECUTION_BY_RANGE ( 12.5 )",
        "EXECUTION_BY_ZONE ( )",
        "EXECUTION_PRIORITY ( 1 )",
        "HEALTH ( 6 )",
        "SAVE_LOG ( OFF )",
        "NETWORK_LOG ( OFF )",
        "ACTIVATION_PREREQUISITE ( REQUIRED ( ANIMATION_LIST ( a b ) ) OPTIONS ( MINIMUM_TO_SATISFY ( 2 ) \
        OBJECT_ACTIVE_LIST ( ( a b ) ( c ) ) ) )",
        "ACTIVATION_PREREQUISITE ( OBJECT_INACTIVE_LIST ( ( a ) ) )",
    ] {
        if d.roll(3) == 0 {
            keys += &format!(" {key}");
        }
    }
    keys += d.of(&["", " RESET_TIME ( -1 )", " RESET_TIME ( 4.5 )", " RESET_TIME ( 0 -1 )", " RESET_TIME ( -1 -1 )"]);
    let events = |d: &mut Dice| {
        let n = d.roll(7);
        (0..n)
            .map(|_| d.roll(KINDS))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|kind| event_of(d, kind))
            .collect::<Vec<_>>()
            .join(" ")
    };
    if d.roll(2) == 0 {
        keys += &format!(" RESET_STATE ( {} )", events(d));
    }
    for name in ["main", "", "main"].iter().take(d.roll(4)) {
        let name = if name.is_empty() { String::new() } else { format!("NAME ( {name} )") };
        keys += &format!(" SEQUENCE_DEFINITION ( {name} {} {} )", d.of(&["", "ACTIVATION ( ON_CALL )"]), events(d));
    }
    format!("ANIMATION_DEFINITION ( {keys} )")
}

/// Definitions with one event of each kind, and with many combinations.
pub fn all_definitions() -> Vec<String> {
    let mut out: Vec<String> = (0..KINDS * 12)
        .map(|i| {
            let d = &mut Dice(0x9e37_79b9_7f4a_7c15 ^ (i as u64 + 1) << 20);
            gate("", &event_of(d, i % KINDS))
        })
        .collect();
    out.extend((0..200).map(|i| definition_of(&mut Dice(0x2545_f491_4f6c_dd1d ^ (i as u64 + 1) << 16), i)));
    out
}

#[test]
fn what_is_compiled_of_any_definitions_is_a_fixed_point() {
    let gravity = "ANIMATION_DEFINITIONS ( GRAVITY ( -7.25 ) ANIMATION_LIST (";
    let text = format!("{gravity} {} ) )\n", all_definitions().join("\n"));
    let compiled = compile_files(&folder(&[("anim.zrd", &text)]), None, &options()).unwrap();
    let errors: Vec<_> = compiled.entries.iter().filter_map(|entry| entry.error.clone()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    // They include every event of the table.
    let anim = compiled.anim.unwrap();
    let mut seen: Vec<u8> = read(&anim)
        .iter()
        .flat_map(|d| d.event_lists().flat_map(|(_, e)| e.iter().map(|e| e.body.number())).collect::<Vec<_>>())
        .collect();
    seen.sort_unstable();
    seen.dedup();
    let all: Vec<u8> = (1..=11).chain(13..=28).chain(30..=37).chain([39]).collect();
    assert_eq!(seen, all);
    let bytes = anim.write().unwrap();
    let text_of = |made: &Decompiled| -> Vec<(String, Bytes)> {
        made.files.iter().filter(|(path, _)| path != "refit.json").cloned().collect()
    };
    for spelling in [Spelling::Zrd, Spelling::Json] {
        let (again, made) = around(Anim::read(&bytes.clone().into(), None).unwrap(), false, spelling);
        assert_eq!(made.raw, 0);
        assert!(again == bytes, "without a base");
        // The resulting definitions are their own canonical form.
        let (_, twice) = around(Anim::read(&again.into(), None).unwrap(), false, spelling);
        assert!(text_of(&twice) == text_of(&made));
        let (over, _) = around(Anim::read(&bytes.clone().into(), None).unwrap(), true, spelling);
        assert!(over == bytes, "over itself");
        // Keys express everything: none of refit's own lists is needed.
        for (path, text) in text_of(&made) {
            let text = String::from_utf8_lossy(&text).split_whitespace().collect::<Vec<_>>().join(" ");
            let own: Vec<&str> = text
                .match_indices("REFIT")
                .map(|(at, _)| &text[at.saturating_sub(200)..(at + 90).min(text.len())])
                .collect();
            assert!(own.is_empty(), "{path}: {own:#?}");
        }
    }
}
