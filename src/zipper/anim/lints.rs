//! Lints of animation files. None of them stops the reader.

use super::{
    Anim,
    definition::Definition,
    events::*,
    header,
    references::Array,
    scripts::Script,
    sequences::{Body, Event, Sequence, SequenceState, Start},
};
use refit_base::{
    game::Game,
    lint::{Lints, codes, of_mark},
    wire::{F32, Mark, marks},
};
use std::collections::{HashMap, HashSet};

/// Maximum number of definitions in a file: the game counts them, with definition 0, in a signed
/// 16-bit number.
pub(super) const MOST: usize = 32_766;

codes! {
    /// The kinds of findings.
    pub(super) CODES:
    ANIM_INFO "anim-info" Unusual [] "unusual info block or definition 0"
        "In every known file, gravity is -9.8, there are no messages, a Pirate's Moon file has scripts, and definition \
        0 is empty."
        "Measured on shipped files."
    ANIM_DEFINITION "anim-definition" Unusual [] "unusual values in a definition"
        "In known files, no definition has both a range and a zone, ranges ascend, health is not negative, there are \
        sequences, and no more prerequisites are required than are listed."
        "Measured on shipped files."
    ANIM_POINTER "anim-pointer" Unusual [] "an address is zero beside a count, or not zero without one"
        "In known files, an address is not zero exactly if the count beside it is not zero. The Recoil engine \
        overwrites all addresses."
        "Recoil overwrites all addresses while loading."
    ANIM_ENTRY "anim-entry" Unusual [] "unusual array entry"
        "In known files, the first element is empty, effects have numbers below 20, and animation references have type \
        0 or 1."
        "Measured on shipped files."
    ANIM_DUPLICATE "anim-duplicate" Unusual [] "two definitions or entries share a name"
        "A call reaches the first definition of that name. Events find entries by number, so repeated entry names \
        work."
        "Shipped: node lists of Crimson Skies repeat names; in all games some definitions share names."
    ANIM_SEQUENCE "anim-sequence" Unusual [] "unusual sequence state or size"
        "In known files, sequences start at once or when they are called, and have events."
        "Measured on shipped files."
    ANIM_EVENT "anim-event" Unusual [] "an event starts by an unknown clock, or has an unknown type or size"
        "Known clocks are ANIMATION, SEQUENCE and EVENT. An event of an unknown type, or of another size than its type \
        has, is kept as bytes."
        "The engines have handlers for more events than the files use."
    ANIM_RANGE "anim-range" Unusual [] "an event value outside the range of known files"
        "In known files, colours and opacities are 0 to 1, run times are positive, and ranges ascend."
        "Measured; shipped files have spans that run backwards, and lights with a negative range."
    ANIM_EXCLUSIVE "anim-exclusive" Unusual [] "an event has two fields that exclude each other"
        "The engine uses only one of them. Known files never have both."
        "The engine uses one of the two; shipped files never have both."
    ANIM_INDEX "anim-index" Ignores [] "an index without an entry"
        "The event refers to an entry that its definition does not have. The engine ignores such events, or misreads \
        them."
        "Events find their target by this number; shipped numbers are in range."
    ANIM_CALL "anim-call" Unusual [] "a call to an animation outside this file"
        "Another file may define it. Not reported in Crimson Skies, where missions call the animations of their world \
        and of the planes."
        "Shipped animations call animations in other files."
    ANIM_NO_SEQUENCE "anim-no-sequence" Ignores [] "an event names a sequence that the definition does not have"
        "CALL_SEQUENCE, STOP_SEQUENCE and bounces find a sequence by name within their own definition. Without a match \
        the event has no target and starts nothing."
        "The engines look sequences up by name within the definition."
    ANIM_BLOCKS "anim-blocks" Differs [Cs] "IF, ELSE and ENDIF do not match"
        "The engine skips forward to the next ELSE, ELSEIF or ENDIF. A block that is never closed runs on."
        "Crimson Skies jumps to the first ELSE, ELSEIF or ENDIF without counting depth; shipped files have as many \
        ENDIFs as IFs."
    ANIM_CALLBACKS "anim-callbacks" Unusual [Rc] "the callback flag disagrees with the events"
        "A definition has the flag if it has CALLBACK events, and only then."
        "Measured: in all 7,693 entries of Recoil the flag is set exactly if there are CALLBACK events."
    ANIM_HEALTH "anim-health" Differs [Rc] "current health of 0 beside a health"
        "A definition stores HEALTH twice: the value that a reset restores, and the current value, which Recoil uses \
        as stored. With a current value of 0 the first hit destroys the object. Delete `current_health`, so that it \
        follows `health`."
        "Read in Recoil's engine: loading does not set the current value. Both are equal in all 7,693 shipped entries."
    ANIM_LIMIT "anim-limit" Refuses [Rc] "more than 32,767 definitions"
        "The games count definitions in signed 16-bit numbers. The empty definition 0 counts."
        "Read in Recoil's engine (0x45f18c)."
    ANIM_FRAMES "anim-frames" Crashes [Mw] "the frame count differs from the script's"
        "MechWarrior 3 reads as many frames as the count says. Recoil ignores the count. Delete `frame_count`, and \
        refit computes it."
        "Read in Recoil's engine, and in the files of both games: version 39 has the exact number."
    ANIM_RAW "anim-raw" Differs [] "an unreadable part"
        "The part's own structure is invalid. refit keeps it as bytes."
        "The loader trusts sizes and offsets, so it misreads an invalid structure."
}

fn ascends(range: &[F32; 2]) -> bool {
    range[0].get() <= range[1].get()
}

fn unit(values: &[F32]) -> bool {
    values.iter().all(|v| (0.0..=1.0).contains(&v.get()))
}

impl Anim {
    /// Checks the file.
    pub(super) fn judge(&self, lints: &mut Lints) {
        lints.of_game(Some(self.game));
        lints.check(self.definitions.len() <= MOST, ANIM_LIMIT, || {
            format!(
                "{} definitions, with definition 0",
                self.definitions.len() + 1
            )
        });
        lints.at("info", |lints| {
            tell_marks(&self.header.info, self.game, lints);
            let gravity = self.header.info.gravity;
            lints.check(gravity.is_none(), ANIM_INFO, || {
                format!("gravity is {:?}", gravity.unwrap_or_default())
            });
            lints.check(self.messages.is_empty(), ANIM_INFO, || {
                format!("{} messages", self.messages.len())
            });
            lints.check(
                self.game != Game::Pm || !self.scripts.is_empty(),
                ANIM_INFO,
                || "no scripts".into(),
            );
        });
        lints.at("source_files", |lints| {
            tell_marks(&self.header.source_files, self.game, lints)
        });
        lints.at("base_files", |lints| {
            tell_marks(&self.header.base_files, self.game, lints)
        });
        let regular = self
            .definition_0
            .as_ref()
            .is_some_and(|d| **d == *header::definition_0(self.game));
        lints.check(regular || self.game == Game::Cs, ANIM_INFO, || {
            "definition 0 is missing or not empty".into()
        });
        lints.check(self.trailing.is_empty(), ANIM_INFO, || {
            format!("{} trailing bytes", self.trailing.len())
        });
        let table = self.table();
        let names: HashSet<Vec<u8>> = self
            .definitions
            .iter()
            .map(|d| super::anim_name(d).bytes().to_vec())
            .collect();
        let mut seen: HashMap<(Vec<u8>, Vec<u8>), usize> = HashMap::new();
        for (i, bytes) in self.definitions.iter().enumerate() {
            let name = super::anim_name(bytes);
            lints.at(format!("definitions[{}] {}", i + 1, name.text()), |lints| {
                let object = super::object_name(bytes, self.game);
                let first = *seen
                    .entry((name.bytes().to_vec(), object.bytes().to_vec()))
                    .or_insert(i);
                lints.check(first == i, ANIM_DUPLICATE, || {
                    format!("definition {} has the same names", first + 1)
                });
                match Definition::read(bytes, self.game, &table) {
                    Ok(doc) => judge_definition(&doc, self.game, &names, lints),
                    Err(e) => lints.say(ANIM_RAW, e.to_string()),
                }
            });
        }
        for (i, bytes) in self.scripts.iter().enumerate() {
            lints.at(format!("scripts[{i}]"), |lints| {
                match Script::from_pool(bytes, self.game) {
                    Ok(script) => {
                        tell_marks(&script, self.game, lints);
                        lints.check(!script.frames.is_empty(), ANIM_RANGE, || {
                            "a script without frames".into()
                        });
                    }
                    Err(e) => lints.say(ANIM_RAW, e.to_string()),
                }
            });
        }
    }
}

/// True for oddities found in all real files, which are not worth reporting: addresses of the
/// process that wrote them, and uninitialized memory.
fn is_ordinary(path: &str, mark: Mark, value: &str, game: Game) -> bool {
    let stale =
        path.starts_with("stale.") || path.starts_with("pointers.") || path.contains(".pointers");
    let last = path.rsplit('.').next().unwrap_or(path);
    let last = last.split('[').next().unwrap_or(last);
    match mark {
        Mark::Odd => {
            let of_game = match game {
                // The reset time is stored although the reset is off. Without RESET a texture
                // continues from its current position.
                Game::Rc | Game::RcDemo => {
                    last == "reset_time_off"
                        || path.ends_with("OBJECT_CYCLE_TEXTURE.flags") && value == "\"0x00000000\""
                }
                // Intervals whose flags are off, slots that no flag explains, and the name of a
                // fog.
                Game::Cs
                    if matches!(last, "interval_off" | "interval_type_off" | "reference_off") =>
                {
                    true
                }
                Game::Cs if path.ends_with("FOG_STATE.name") => true,
                // Shipped files have -100 (the own node) here, where the engine stores the index
                // that it looks up.
                Game::Cs if path.ends_with("INVALIDATE_ANIMATION.resolved") => {
                    value == "\"0xffffff9c\""
                }
                // Bits without a name: 18 and 22 in nearly all definitions, 14 and 15 on buildings.
                Game::Cs if path == "flags_differ" => {
                    hex(value).is_some_and(|bits| bits & !CRIMSON_BITS == 0)
                }
                // 5 is the state of an inactive definition.
                Game::Pm | Game::Cs if path == "status" => value == "5",
                _ => false,
            };
            // A frame's base has an unused fourth word after its three numbers.
            let pad = last == "unk12" && path.contains("frames[");
            stale || of_game || pad || last.ends_with("pointer") || last == "pointers"
        }
        // Fields into which the studio's tool copied one text over another, so that the end of the
        // longer one remains.
        Mark::Tail => {
            const COPIED: [&str; 5] = [
                "animation_references",
                "static_sounds",
                "effects",
                "animation_name",
                "animation_root_name",
            ];
            // In Crimson Skies some names were written over the usual filler, some over zeros, and
            // some over other memory.
            const MIXED: [&str; 5] = ["path[", "objects", "nodes", "lights", "dynamic_sounds"];
            let in_lists = MIXED.iter().any(|field| path.starts_with(field));
            // Recoil's tool zeroed new entries, and refit does so, too: no old memory.
            let mixed =
                in_lists && (game == Game::Cs || game.itself() == Game::Rc && is_blank(value));
            stale || mixed || last == "path" || COPIED.iter().any(|field| path.starts_with(field))
        }
        // The curves of a script are old memory if their flag is off.
        Mark::NotFinite => stale || path.contains(".spline"),
        Mark::Extra => stale,
        Mark::UnknownValue | Mark::UnknownFlag => false,
    }
}

/// True if a text's tail is all zeros, in the notation of trees:
/// `{"text":"gate","tail":"00000000 0000"}`.
fn is_blank(value: &str) -> bool {
    let tail = value
        .rsplit_once("\"tail\":\"")
        .map_or("", |(_, tail)| tail);
    !tail.is_empty()
        && tail
            .trim_end_matches(['}', '"'])
            .chars()
            .all(|c| matches!(c, '0' | ' '))
}

/// Flags without a name that definitions in shipped files of Crimson Skies have: 2, 14, 15, 17, 18,
/// 22, 23, and 19, which the running game sets.
const CRIMSON_BITS: u32 = 0x00CE_C004;

/// Parses a number in the notation of flags in trees: `"0x00440000"`.
fn hex(value: &str) -> Option<u32> {
    u32::from_str_radix(value.trim_matches('"').strip_prefix("0x")?, 16).ok()
}

/// Reports the oddities of a part, except ordinary ones.
fn tell_marks<T: serde::Serialize>(model: &T, game: Game, lints: &mut Lints) {
    for (path, mark, value) in marks(model) {
        if !is_ordinary(&path, mark, &value, game) {
            lints.at(path, |lints| lints.say(of_mark(mark), value));
        }
    }
}

fn judge_definition(doc: &Definition, game: Game, names: &HashSet<Vec<u8>>, lints: &mut Lints) {
    for (path, mark, value) in marks(doc) {
        if is_ordinary(&path, mark, &value, game) {
            continue;
        }
        // Files of Pirate's Moon have nodes -1.
        let index = mark == Mark::UnknownValue
            && value.starts_with("{\"index\"")
            && !(game == Game::Pm && value == "{\"index\":-1}");
        let code = if index { ANIM_INDEX } else { of_mark(mark) };
        let code = if path.starts_with("zero_elements") {
            ANIM_ENTRY
        } else {
            code
        };
        let code = if game == Game::Mw && mark == Mark::Odd && path.ends_with("frame_count") {
            ANIM_FRAMES
        } else {
            code
        };
        lints.at(path, |lints| lints.say(code, value));
    }
    let check = |lints: &mut Lints, ok: bool, say: &str| {
        lints.check(ok, ANIM_DEFINITION, || say.to_owned())
    };
    check(
        lints,
        !(doc.execution_by_range.is_some() && doc.execution_by_zone),
        "runs both by range and by zone",
    );
    let range = doc
        .execution_by_range
        .unwrap_or_default()
        .map(Distance::shown);
    check(
        lints,
        range[0].get() >= 0.0 && ascends(&range),
        "the range does not ascend from 0",
    );
    check(
        lints,
        doc.health.is_none_or(|h| h.get() >= 0.0),
        "health is negative",
    );
    if let (Some(health), Some(left)) = (doc.health, doc.current_health.0) {
        lints.check(
            !(health.get() > 0.0 && left.get() == 0.0),
            ANIM_HEALTH,
            || format!("`health` is {health:?}, `current_health` 0.0"),
        );
    }
    check(lints, !doc.sequences.is_empty(), "no sequences");
    let minimum = usize::from(doc.minimum_to_satisfy.unwrap_or(0));
    check(
        lints,
        minimum <= doc.prerequisites.len(),
        "asks for more prerequisites than there are",
    );
    let differ = doc.flags_differ.0.map_or(0, |f| f.0);
    check(
        lints,
        differ & 0x2800 == 0,
        "a log is switched on that is not set",
    );
    lints.check(differ & 0x10 == 0, ANIM_CALLBACKS, || {
        format!(
            "{} the events",
            if doc.has_callback() {
                "the flag is missing for"
            } else {
                "the flag is set without"
            }
        )
    });
    let pointers = serde_json::to_value(&doc.pointers).unwrap_or_default();
    for (key, value) in pointers.as_object().into_iter().flatten() {
        // In Crimson Skies these are not addresses but node numbers, from 0.
        let number = game == Game::Cs && matches!(key.as_str(), "anim" | "root");
        lints.check(number || value != "0x00000000", ANIM_POINTER, || {
            format!("{key} is zero")
        });
    }
    for array in Array::all(game) {
        let labels = doc.names(array).iter().flatten();
        let mut seen = HashSet::new();
        for label in labels {
            lints.check(seen.insert(&label.text), ANIM_DUPLICATE, || {
                format!("{} has {:?} more than once", array.key(), label.text.text())
            });
        }
    }
    for (i, effect) in doc.stale.effects.iter().enumerate() {
        let index = effect.resolved.map_or(0, |r| r.0);
        lints.check(index < 20, ANIM_ENTRY, || {
            format!("effects[{i}] has number {index}")
        });
    }
    for (i, reference) in doc.animation_references.iter().enumerate() {
        let kind = reference.kind.0.unwrap_or(0);
        lints.check(kind < 2, ANIM_ENTRY, || {
            format!("animation_references[{i}] has type {kind}")
        });
    }
    for (i, prerequisite) in doc.prerequisites.iter().enumerate() {
        lints.check(prerequisite.kind.is_none(), ANIM_DEFINITION, || {
            format!("prerequisites[{i}] is of an unknown kind")
        });
    }
    let sequences: HashSet<&[u8]> = doc.sequences.iter().map(|s| s.name.bytes()).collect();
    for (i, sequence) in doc.sequences.iter().enumerate() {
        lints.at(format!("sequences[{i}]"), |lints| {
            judge_sequence(sequence, lints)
        });
    }
    for (path, events) in doc.event_lists() {
        lints.at(path, |lints| {
            for (i, event) in events.iter().enumerate() {
                lints.at(format!("[{i}].{}", event.body.key()), |lints| {
                    judge_event(event, game, names, &sequences, lints)
                });
            }
            judge_blocks(events, lints);
        });
    }
}

fn judge_sequence(sequence: &Sequence, lints: &mut Lints) {
    let known = |s: SequenceState| matches!(s, SequenceState::Initial | SequenceState::OnCall);
    let reset = sequence.reset_activation.or(sequence.activation);
    lints.check(
        known(sequence.activation) && known(reset),
        ANIM_SEQUENCE,
        || "a state that known files do not have".into(),
    );
    lints.check(!sequence.events.is_empty(), ANIM_SEQUENCE, || {
        "no events".into()
    });
    lints.check(sequence.tail.is_none(), ANIM_SEQUENCE, || {
        "bytes that are not an event".into()
    });
    lints.check(sequence.size.is_none(), ANIM_SEQUENCE, || {
        format!(
            "the size of the events is {:?}",
            sequence.size.0.unwrap_or(0)
        )
    });
}

/// Checks IF … ENDIF by counting, so that any depth is possible.
fn judge_blocks(events: &[Event], lints: &mut Lints) {
    let mut open = 0usize;
    for (i, event) in events.iter().enumerate() {
        match event.body {
            Body::If(_) => open += 1,
            Body::Else(_) | Body::Elseif(_) | Body::Endif(_) if open == 0 => {
                lints.say(
                    ANIM_BLOCKS,
                    format!("{} at {i} without an IF", event.body.key()),
                );
            }
            Body::Endif(_) => open -= 1,
            _ => {}
        }
    }
    lints.check(open == 0, ANIM_BLOCKS, || {
        format!("{open} IF without ENDIF")
    });
}

/// Checks an event. `names` are those of the file's animations.
fn judge_event(
    event: &Event,
    game: Game,
    names: &HashSet<Vec<u8>>,
    sequences: &HashSet<&[u8]>,
    lints: &mut Lints,
) {
    // In Crimson Skies calls to other files are common, things turn by more than 180°, and ranges
    // of lights run backwards.
    let crimson = game == Game::Cs;
    lints.check(!matches!(event.start, Start::Other(_)), ANIM_EVENT, || {
        format!("clock {}", event.start.raw())
    });
    let range =
        |lints: &mut Lints, ok: bool, say: &str| lints.check(ok, ANIM_RANGE, || say.to_owned());
    let one = |lints: &mut Lints, both: bool, say: &str| {
        lints.check(!both, ANIM_EXCLUSIVE, || say.to_owned())
    };
    let time = |lints: &mut Lints, time: F32| {
        range(lints, time.get() > 0.0, "the run time is not positive")
    };
    let call = |lints: &mut Lints, name: &[u8]| {
        lints.check(crimson || names.contains(name), ANIM_CALL, || {
            format!(
                "no animation {:?} in this file",
                refit_base::wire::decode_1252(name)
            )
        });
    };
    match &event.body {
        Body::Raw(raw) => lints.say(
            ANIM_EVENT,
            format!("type {} with {} bytes", raw.r#type, raw.body.0.len()),
        ),
        Body::SoundNode(b) => one(
            lints,
            b.absolute && b.at_node.is_some(),
            "absolute and at a node",
        ),
        Body::LightState(b) => {
            one(
                lints,
                b.absolute && b.at_node.is_some(),
                "absolute and at a node",
            );
            let ascends = b.range.is_none_or(|r| r[0].get() >= 0.0 && ascends(&r));
            range(
                lints,
                crimson || ascends,
                "the range does not ascend from 0",
            );
            let colors = [b.color, b.ambient_color];
            range(
                lints,
                colors.iter().flatten().all(|c| unit(c)),
                "a colour is outside 0 to 1",
            );
            let strengths = [b.ambient, b.diffuse];
            range(
                lints,
                strengths.into_iter().flatten().all(|v| unit(&[v])),
                "a strength is outside 0 to 1",
            );
        }
        Body::LightAnimation(b) => time(lints, b.run_time),
        Body::ObjectRotateState(b) => {
            let half = b
                .state
                .iter()
                .all(|a| a.get().abs() <= std::f32::consts::PI);
            range(lints, crimson || half, "an angle is outside half a turn");
        }
        Body::ObjectMotion(b) => judge_motion(b, game, sequences, lints),
        Body::ObjectMotionFromTo(b) => {
            time(lints, b.run_time);
            range(
                lints,
                b.morph.as_ref().is_none_or(|m| unit(&[m.from, m.to])),
                "a morph is outside 0 to 1",
            );
        }
        Body::ObjectOpacityState(b) => range(
            lints,
            b.opacity.is_none_or(|o| unit(&[o])),
            "the opacity is outside 0 to 1",
        ),
        Body::ObjectOpacityFromTo(b) => {
            time(lints, b.run_time);
            range(
                lints,
                unit(&[b.opacity.from, b.opacity.to]),
                "an opacity is outside 0 to 1",
            );
        }
        Body::ObjectCycleTexture(b) => range(lints, b.reset <= 5, "the frame is above 5"),
        Body::ObjectConnector(b) => {
            one(
                lints,
                b.from_node.is_some() && b.from_input_node,
                "from a node and from the input node",
            );
            one(
                lints,
                b.to_node.is_some() && b.to_input_node,
                "to a node and to the input node",
            );
            one(
                lints,
                b.from_pos.is_some() && b.from_input_pos,
                "from a position and from the input position",
            );
            one(
                lints,
                b.to_pos.is_some() && b.to_input_pos,
                "to a position and to the input position",
            );
            range(lints, b.run_time.get() >= 0.0, "the run time is negative");
            range(
                lints,
                b.max_length.is_none_or(|l| l.get() > 0.0),
                "the length is not positive",
            );
        }
        Body::CallObjectConnector(b) => {
            one(
                lints,
                b.from_node.is_some() && b.from_node_pos.is_some(),
                "from a node and from its position",
            );
            one(
                lints,
                b.to_node.is_some() && b.to_node_pos.is_some(),
                "to a node and to its position",
            );
            call(lints, b.animation.bytes());
        }
        Body::CameraFromTo(b) => time(lints, b.run_time),
        Body::CallSequence(b) | Body::StopSequence(b) => {
            judge_target(b.name.bytes(), sequences, lints)
        }
        Body::CallAnimation(b) => {
            one(
                lints,
                b.at_node.is_some() && b.with_node.is_some(),
                "at a node and with a node",
            );
            one(
                lints,
                b.with_node.is_some() && b.rotation.is_some(),
                "with a node and turned",
            );
            call(lints, b.name.bytes());
        }
        Body::StopAnimation(b) => call(lints, b.name.bytes()),
        Body::ResetAnimation(b) | Body::InvalidateAnimation(b) => call(lints, b.name.bytes()),
        Body::FogState(b) => {
            range(
                lints,
                b.color.is_none_or(|c| unit(&c)),
                "a colour is outside 0 to 1",
            );
            range(
                lints,
                b.range.is_none_or(|r| r[0].get() > 0.0 && ascends(&r)),
                "the range does not ascend",
            );
        }
        Body::Loop(b) => one(
            lints,
            b.loop_count.is_some() && b.loop_run_time.is_some(),
            "a count and a time",
        ),
        Body::FbfxColorFromTo(b) => {
            time(lints, b.run_time);
            range(
                lints,
                unit(&b.from) && unit(&b.to),
                "a colour is outside 0 to 1",
            );
        }
        Body::FbfxCsinwaveFromTo(b) => time(lints, b.run_time),
        Body::PufferState(b) => judge_puffer(b, lints),
        _ => {}
    }
}

fn judge_target(name: &[u8], sequences: &HashSet<&[u8]>, lints: &mut Lints) {
    lints.check(sequences.contains(name), ANIM_NO_SEQUENCE, || {
        format!(
            "no sequence {:?} in this definition",
            refit_base::wire::decode_1252(name)
        )
    });
}

fn judge_motion(b: &ObjectMotion, game: Game, sequences: &HashSet<&[u8]>, lints: &mut Lints) {
    let both = b.forward_rotation_distance.is_some() && b.forward_rotation_time.is_some();
    lints.check(!both, ANIM_EXCLUSIVE, || {
        "forward rotation by distance and by time".into()
    });
    // The engine tests only the lower bound, and shipped files of two games have motions with only
    // that.
    let alone = matches!(game, Game::Mw | Game::Cs) && b.translation_range_min.is_some();
    let bounds = b.translation_range_min.is_some() == b.translation_range_max.is_some();
    lints.check(bounds || alone, ANIM_EXCLUSIVE, || {
        "one bound of the launch without the other".into()
    });
    let gravity = b.gravity.is_some() || !(b.gravity_complex || b.gravity_no_altitude);
    lints.check(gravity, ANIM_EXCLUSIVE, || {
        "a kind of gravity without gravity".into()
    });
    lints.check(b.run_time.is_none_or(|t| t.get() > 0.0), ANIM_RANGE, || {
        "the run time is not positive".into()
    });
    for name in [
        &b.bounce_sequence,
        &b.bounce_sequence_water,
        &b.bounce_sequence_lava,
    ]
    .into_iter()
    .flatten()
    {
        judge_target(name.bytes(), sequences, lints);
    }
    for sound in [&b.bounce_sound, &b.bounce_sound_water, &b.bounce_sound_lava]
        .into_iter()
        .flatten()
    {
        lints.check(sound.full_volume_velocity.get() > 0.0, ANIM_RANGE, || {
            "a bounce sound without a velocity".into()
        });
    }
}

fn judge_puffer(b: &PufferState, lints: &mut Lints) {
    let mut range = |ok: bool, say: &str| lints.check(ok, ANIM_RANGE, || say.to_owned());
    range(
        b.active_state.is_none_or(|s| s <= 10),
        "the active state is above 10",
    );
    for (of, what) in [(&b.size_range, "size"), (&b.fade_range, "fade")] {
        range(
            of.is_none_or(|r| r[0].get() > 0.0 && ascends(&r)),
            &format!("the {what} range does not ascend"),
        );
    }
    range(
        b.start_age_range
            .is_none_or(|r| r[0].get() >= -1.0 && ascends(&r)),
        "the age range does not ascend",
    );
    range(
        b.lifetime_range
            .is_none_or(|r| r.iter().all(|v| v.get() > 0.0)),
        "a lifetime is not positive",
    );
    range(
        b.deviation_distance.is_none_or(|v| v.get() > 0.0),
        "the deviation is not positive",
    );
    range(b.number.is_none_or(|n| n > 0), "the number is 0");
    range(
        b.color_count.is_none() && b.scale_count.is_none(),
        "more colours or stops of size than there is room for",
    );
}
