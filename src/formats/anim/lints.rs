//! What is unusual in an animation file (anim.md, section 16). None of it stops the reader.

use super::{
    Anim,
    definition::{Definition, Room},
    events::*,
    header,
    references::Array,
    scripts::Script,
    sequences::{Body, Event, Sequence, SequenceState, Start},
};
use crate::{
    game::Game,
    lint::{Code, Lints, Severity},
    wire::{F32, Mark, marks},
};
use std::collections::{HashMap, HashSet};

macro_rules! codes {
    ($($code:literal $severity:ident $title:literal $explain:literal)*) => {
        /// The kinds of findings.
        pub const CODES: &[Code] =
            &[$(Code { code: $code, severity: Severity::$severity, title: $title, explain: $explain }),*];
    };
}
codes! {
    "anim-info" Note "the info block or definition 0 is not that of any known file"
        "Gravity is -9.8, there are no messages, a Pirate's Moon file has scripts, and definition 0 is empty in every known file."
    "anim-definition" Warning "a definition holds values that no known file has"
        "Range and zone exclude each other, ranges ascend, health is not negative, there are sequences, no more prerequisites are asked for than there are."
    "anim-pointer" Note "an address is zero where something stands, or the other way round"
        "Known files have an address exactly where the count beside it is not zero. The Recoil engine overwrites all of them."
    "anim-entry" Note "an entry of an array is not that of any known file"
        "The first element is empty, effects are numbered below 20, animation references have type 0 or 1."
    "anim-duplicate" Note "several definitions or entries have one name"
        "Calls reach the first definition of a name. Events find their entries by number, so that repeated names work."
    "anim-sequence" Note "a sequence has a state or a size that no known file has"
        "Sequences start at once or when they are called, and have events."
    "anim-event" Note "an event starts by an unknown clock, or has no typed form"
        "Clocks are ANIMATION, SEQUENCE and EVENT. An event of an unknown type, or with another size than its type has, is kept as bytes."
    "anim-range" Note "a value of an event is outside the range of known files"
        "Colours and opacities are 0 to 1, run times are positive, ranges ascend."
    "anim-exclusive" Warning "fields of an event exclude each other"
        "The engine uses one of them; known files never have both."
    "anim-index" Warning "an index has no entry"
        "The event refers to an entry that its definition does not have; the engine ignores such events, or misreads them."
    "anim-call" Note "what is called is not in this file"
        "Calls to animations of other files are normal."
    "anim-no-sequence" Warning "a sequence is called that the definition does not have"
        "CALL_SEQUENCE, STOP_SEQUENCE and bounces find a sequence by its name among those of the same definition. Without one the event has \
         no target: what it should start never runs."
    "anim-blocks" Warning "IF, ELSE and ENDIF do not match"
        "The engine skips forward to the next ELSE, ELSEIF or ENDIF; a block that is never closed runs on."
    "anim-callbacks" Warning "the flag for callbacks disagrees with the events"
        "A definition with CALLBACK events has the flag, others do not."
    "anim-raw" Warning "a part cannot be read"
        "The part's own structure does not hold. It is kept as bytes."
}

fn ascends(range: &[F32; 2]) -> bool {
    range[0].get() <= range[1].get()
}

fn unit(values: &[F32]) -> bool {
    values.iter().all(|v| (0.0..=1.0).contains(&v.get()))
}

impl Anim {
    /// Judges the file.
    pub(super) fn judge(&self, lints: &mut Lints) {
        lints.at("info", |lints| {
            lints.model(&self.header.info);
            let gravity = self.header.info.gravity;
            lints.check(gravity.is_none(), "anim-info", || format!("gravity is {:?}", gravity.unwrap_or_default()));
            lints.check(self.messages.is_empty(), "anim-info", || format!("{} messages", self.messages.len()));
            lints.check(self.game != Game::Pm || !self.scripts.is_empty(), "anim-info", || "no scripts".into());
        });
        lints.at("source_files", |lints| lints.model(&self.header.source_files));
        lints.at("base_files", |lints| lints.model(&self.header.base_files));
        let regular = self.definition_0.as_ref().is_some_and(|d| **d == *header::definition_0(self.game));
        lints.check(regular || self.game == Game::Cs, "anim-info", || "definition 0 is missing or not empty".into());
        lints.check(self.trailing.is_empty(), "anim-info", || format!("{} bytes behind everything else", self.trailing.len()));
        let table = self.table();
        let names: HashSet<Vec<u8>> = self.definitions.iter().map(|d| super::anim_name(d).bytes().to_vec()).collect();
        let mut seen: HashMap<(Vec<u8>, Vec<u8>), usize> = HashMap::new();
        let mut room = Room::default();
        for (i, bytes) in self.definitions.iter().enumerate() {
            let name = super::anim_name(bytes);
            lints.at(format!("definitions[{}] {}", i + 1, name.text()), |lints| {
                let object = super::object_name(bytes, self.game);
                let first = *seen.entry((name.bytes().to_vec(), object.bytes().to_vec())).or_insert(i);
                lints.check(first == i, "anim-duplicate", || format!("definition {} has the same names", first + 1));
                match Definition::read(bytes, self.game, &table, &mut room) {
                    Ok(doc) => judge_definition(&doc, self.game, &names, lints),
                    Err(e) => lints.say("anim-raw", e.to_string()),
                }
            });
        }
        for (i, bytes) in self.scripts.iter().enumerate() {
            lints.at(format!("scripts[{i}]"), |lints| match Script::from_pool(bytes, self.game) {
                Ok(script) => {
                    lints.model(&script);
                    lints.check(!script.frames.is_empty(), "anim-range", || "a script without frames".into());
                }
                Err(e) => lints.say("anim-raw", e.to_string()),
            });
        }
    }
}

fn judge_definition(doc: &Definition, game: Game, names: &HashSet<Vec<u8>>, lints: &mut Lints) {
    // Ordinary in real files: a time beside a reset that is off (Recoil), intervals whose flags are off (Crimson Skies).
    let usual = |path: &str| match game {
        Game::Rc => path == "reset_time_off",
        Game::Cs => path.ends_with("interval_off") || path.ends_with("interval_type_off"),
        _ => false,
    };
    for (path, mark, value) in marks(doc) {
        if mark == Mark::Odd && usual(&path) {
            continue;
        }
        let code = if mark == Mark::UnknownValue && value.starts_with("{\"index\"") { "anim-index" } else { mark.code() };
        let code = if path.starts_with("zero_elements") { "anim-entry" } else { code };
        lints.at(path, |lints| lints.say(code, value));
    }
    let check = |lints: &mut Lints, ok: bool, say: &str| lints.check(ok, "anim-definition", || say.to_owned());
    check(lints, !(doc.execution_by_range.is_some() && doc.execution_by_zone), "runs both by range and by zone");
    let range = doc.execution_by_range.unwrap_or_default().map(Distance::shown);
    check(lints, range[0].get() >= 0.0 && ascends(&range), "the range does not ascend from 0");
    check(lints, doc.health.is_none_or(|h| h.get() >= 0.0), "health is negative");
    check(lints, !doc.sequences.is_empty(), "no sequences");
    check(lints, usize::from(doc.minimum_to_satisfy.unwrap_or(0)) <= doc.prerequisites.len(), "asks for more prerequisites than there are");
    let differ = doc.flags_differ.0.map_or(0, |f| f.0);
    check(lints, differ & 0x2800 == 0, "a log is switched on that is not set");
    lints.check(differ & 0x10 == 0, "anim-callbacks", || {
        format!("{} the events", if doc.has_callback() { "the flag is missing for" } else { "the flag is set without" })
    });
    let pointers = serde_json::to_value(&doc.pointers).unwrap_or_default();
    for (key, value) in pointers.as_object().into_iter().flatten() {
        lints.check(value != "0x00000000", "anim-pointer", || format!("{key} is zero"));
    }
    for array in Array::all(game) {
        let labels = doc.names(array).iter().flatten();
        let mut seen = HashSet::new();
        for label in labels {
            lints.check(seen.insert(&label.text), "anim-duplicate", || {
                format!("{} has {:?} more than once", array.key(), label.text.text())
            });
        }
    }
    for (i, effect) in doc.stale.effects.iter().enumerate() {
        let index = effect.resolved.map_or(0, |r| r.0);
        lints.check(index < 20, "anim-entry", || format!("effects[{i}] has number {index}"));
    }
    for (i, reference) in doc.animation_references.iter().enumerate() {
        let kind = reference.kind.0.unwrap_or(0);
        lints.check(kind < 2, "anim-entry", || format!("animation_references[{i}] has type {kind}"));
    }
    for (i, prerequisite) in doc.prerequisites.iter().enumerate() {
        lints.check(prerequisite.kind.is_none(), "anim-definition", || format!("prerequisites[{i}] is of an unknown kind"));
    }
    let sequences: HashSet<&[u8]> = doc.sequences.iter().map(|s| s.name.bytes()).collect();
    for (i, sequence) in doc.sequences.iter().enumerate() {
        lints.at(format!("sequences[{i}]"), |lints| judge_sequence(sequence, lints));
    }
    for (path, events) in doc.event_lists() {
        lints.at(path, |lints| {
            for (i, event) in events.iter().enumerate() {
                lints.at(format!("[{i}].{}", event.body.key()), |lints| judge_event(event, names, &sequences, lints));
            }
            judge_blocks(events, lints);
        });
    }
}

fn judge_sequence(sequence: &Sequence, lints: &mut Lints) {
    let known = |s: SequenceState| matches!(s, SequenceState::Initial | SequenceState::OnCall);
    let reset = sequence.reset_activation.or(sequence.activation);
    lints.check(known(sequence.activation) && known(reset), "anim-sequence", || "a state that known files do not have".into());
    lints.check(!sequence.events.is_empty(), "anim-sequence", || "no events".into());
    lints.check(sequence.tail.is_none(), "anim-sequence", || "bytes that are no event".into());
    lints.check(sequence.size.is_none(), "anim-sequence", || format!("the size of the events is {:?}", sequence.size.0.unwrap_or(0)));
}

/// IF … ENDIF, by counting: no depth matters.
fn judge_blocks(events: &[Event], lints: &mut Lints) {
    let mut open = 0usize;
    for (i, event) in events.iter().enumerate() {
        match event.body {
            Body::If(_) => open += 1,
            Body::Else(_) | Body::Elseif(_) | Body::Endif(_) if open == 0 => {
                lints.say("anim-blocks", format!("{} at {i} without an IF", event.body.key()));
            }
            Body::Endif(_) => open -= 1,
            _ => {}
        }
    }
    lints.check(open == 0, "anim-blocks", || format!("{open} IF without ENDIF"));
}

fn judge_event(event: &Event, names: &HashSet<Vec<u8>>, sequences: &HashSet<&[u8]>, lints: &mut Lints) {
    lints.check(!matches!(event.start, Start::Other(_)), "anim-event", || format!("clock {}", event.start.raw()));
    let range = |lints: &mut Lints, ok: bool, say: &str| lints.check(ok, "anim-range", || say.to_owned());
    let one = |lints: &mut Lints, both: bool, say: &str| lints.check(!both, "anim-exclusive", || say.to_owned());
    let time = |lints: &mut Lints, time: F32| range(lints, time.get() > 0.0, "the run time is not positive");
    let call = |lints: &mut Lints, name: &[u8]| {
        lints.check(names.contains(name), "anim-call", || format!("no animation {:?} in this file", crate::wire::decode_1252(name)));
    };
    match &event.body {
        Body::Raw(raw) => lints.say("anim-event", format!("type {} with {} bytes", raw.r#type, raw.body.0.len())),
        Body::SoundNode(b) => one(lints, b.absolute && b.at_node.is_some(), "absolute and at a node"),
        Body::LightState(b) => {
            one(lints, b.absolute && b.at_node.is_some(), "absolute and at a node");
            range(lints, b.range.is_none_or(|r| r[0].get() >= 0.0 && ascends(&r)), "the range does not ascend from 0");
            range(lints, b.color.is_none_or(|c| unit(&c)) && b.ambient_color.is_none_or(|c| unit(&c)), "a colour is outside 0 to 1");
            range(lints, b.ambient.is_none_or(|v| unit(&[v])) && b.diffuse.is_none_or(|v| unit(&[v])), "a strength is outside 0 to 1");
        }
        Body::LightAnimation(b) => time(lints, b.run_time),
        Body::ObjectRotateState(b) => {
            range(lints, b.state.iter().all(|a| a.get().abs() <= std::f32::consts::PI), "an angle is outside half a turn");
        }
        Body::ObjectMotion(b) => judge_motion(b, sequences, lints),
        Body::ObjectMotionFromTo(b) => {
            time(lints, b.run_time);
            range(lints, b.morph.as_ref().is_none_or(|m| unit(&[m.from, m.to])), "a morph is outside 0 to 1");
        }
        Body::ObjectOpacityState(b) => range(lints, b.opacity.is_none_or(|o| unit(&[o])), "the opacity is outside 0 to 1"),
        Body::ObjectOpacityFromTo(b) => {
            time(lints, b.run_time);
            range(lints, unit(&[b.opacity.from, b.opacity.to]), "an opacity is outside 0 to 1");
        }
        Body::ObjectCycleTexture(b) => range(lints, b.reset <= 5, "the frame is above 5"),
        Body::ObjectConnector(b) => {
            one(lints, b.from_node.is_some() && b.from_input_node, "from a node and from the input node");
            one(lints, b.to_node.is_some() && b.to_input_node, "to a node and to the input node");
            one(lints, b.from_pos.is_some() && b.from_input_pos, "from a position and from the input position");
            one(lints, b.to_pos.is_some() && b.to_input_pos, "to a position and to the input position");
            range(lints, b.run_time.get() >= 0.0, "the run time is negative");
            range(lints, b.max_length.is_none_or(|l| l.get() > 0.0), "the length is not positive");
        }
        Body::CallObjectConnector(b) => {
            one(lints, b.from_node.is_some() && b.from_node_pos.is_some(), "from a node and from its position");
            one(lints, b.to_node.is_some() && b.to_node_pos.is_some(), "to a node and to its position");
            call(lints, b.animation.bytes());
        }
        Body::CameraFromTo(b) => time(lints, b.run_time),
        Body::CallSequence(b) | Body::StopSequence(b) => judge_target(b.name.bytes(), sequences, lints),
        Body::CallAnimation(b) => {
            one(lints, b.at_node.is_some() && b.with_node.is_some(), "at a node and with a node");
            one(lints, b.with_node.is_some() && b.rotation.is_some(), "with a node and turned");
            call(lints, b.name.bytes());
        }
        Body::StopAnimation(b) => call(lints, b.name.bytes()),
        Body::ResetAnimation(b) | Body::InvalidateAnimation(b) => call(lints, b.name.bytes()),
        Body::FogState(b) => {
            range(lints, b.color.is_none_or(|c| unit(&c)), "a colour is outside 0 to 1");
            range(lints, b.range.is_none_or(|r| r[0].get() > 0.0 && ascends(&r)), "the range does not ascend");
        }
        Body::Loop(b) => one(lints, b.loop_count.is_some() && b.loop_run_time.is_some(), "a count and a time"),
        Body::FbfxColorFromTo(b) => {
            time(lints, b.run_time);
            range(lints, unit(&b.from) && unit(&b.to), "a colour is outside 0 to 1");
        }
        Body::FbfxCsinwaveFromTo(b) => time(lints, b.run_time),
        Body::PufferState(b) => judge_puffer(b, lints),
        _ => {}
    }
}

fn judge_target(name: &[u8], sequences: &HashSet<&[u8]>, lints: &mut Lints) {
    lints.check(sequences.contains(name), "anim-no-sequence", || {
        format!("no sequence {:?} in this definition", crate::wire::decode_1252(name))
    });
}

fn judge_motion(b: &ObjectMotion, sequences: &HashSet<&[u8]>, lints: &mut Lints) {
    let both = b.forward_rotation_distance.is_some() && b.forward_rotation_time.is_some();
    lints.check(!both, "anim-exclusive", || "forward rotation by distance and by time".into());
    let bounds = b.translation_range_min.is_some() == b.translation_range_max.is_some();
    lints.check(bounds, "anim-exclusive", || "one bound of the launch without the other".into());
    let gravity = b.gravity.is_some() || !(b.gravity_complex || b.gravity_no_altitude);
    lints.check(gravity, "anim-exclusive", || "a kind of gravity without gravity".into());
    lints.check(b.run_time.is_none_or(|t| t.get() > 0.0), "anim-range", || "the run time is not positive".into());
    for name in [&b.bounce_sequence, &b.bounce_sequence_water, &b.bounce_sequence_lava].into_iter().flatten() {
        judge_target(name.bytes(), sequences, lints);
    }
    for sound in [&b.bounce_sound, &b.bounce_sound_water, &b.bounce_sound_lava].into_iter().flatten() {
        lints.check(sound.full_volume_velocity.get() > 0.0, "anim-range", || "a bounce sound without a velocity".into());
    }
}

fn judge_puffer(b: &PufferState, lints: &mut Lints) {
    let mut range = |ok: bool, say: &str| lints.check(ok, "anim-range", || say.to_owned());
    range(b.active_state.is_none_or(|s| s <= 10), "the active state is above 10");
    for (of, what) in [(&b.size_range, "size"), (&b.fade_range, "fade")] {
        range(of.is_none_or(|r| r[0].get() > 0.0 && ascends(&r)), &format!("the {what} range does not ascend"));
    }
    range(b.start_age_range.is_none_or(|r| r[0].get() >= -1.0 && ascends(&r)), "the age range does not ascend");
    range(b.lifetime_range.is_none_or(|r| r.iter().all(|v| v.get() > 0.0)), "a lifetime is not positive");
    range(b.deviation_distance.is_none_or(|v| v.get() > 0.0), "the deviation is not positive");
    range(b.number.is_none_or(|n| n > 0), "the number is 0");
    range(b.color_count.is_none() && b.scale_count.is_none(), "more colours or stops of size than there is room for");
}
