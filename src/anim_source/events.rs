//! The keys of every event.
//!
//! Keys that name things are in the order in which the studio's tool added the names to the tables.

use super::{
    keys::{
        How, Keys, Unit, choose, how_of, is_blank, node_of, put_choice, put_how, put_ref, unknown,
    },
    scope::{Args, REFIT, Scope},
    source::{Doc, Item, List},
    values::{degrees, direction, factor, inverse, launch, rad, root, times},
};
use refit_base::{
    game::Game,
    wire::{Derived, Error, ErrorKind, F32, Result, Text, Vec3, Within, decode_1252},
};
use refit_zipper::anim::{
    events::*,
    fields::{Bool, Change, FromTo},
    names::{Name, Ref, StoredName},
    prerequisites::Reference,
    references::Array,
    scripts::{PoolName, Script},
    sequences::{Body, Event, Start},
};
use std::borrow::Cow;

/// The run time of a movement that has none.
const MOMENT: f32 = 0.001;

const CLOCKS: &[(&str, u32)] = &[
    ("ANIMATION_OFFSET", 1),
    ("SEQUENCE_OFFSET", 2),
    ("EVENT_OFFSET", 3),
];
const ON_OFF: &[(&str, u32)] = &[("ON", 1), ("OFF", 0)];
/// When an event starts.
pub fn start(k: &mut Keys<'_, '_, '_>, event: &mut Event) -> Result<()> {
    let is_usual = (event.start, event.time) == (Start::Animation, F32::default());
    let mut at = (k.reads() || !is_usual).then_some((event.start, event.time));
    let read = |args: &Args<'_>, _: &mut Scope<'_>| {
        let clock = choose(args, 0, CLOCKS)?;
        Ok((
            Start::from_raw(u8::try_from(clock).unwrap_or(u8::MAX)),
            args.number(1)?,
        ))
    };
    k.option("START_TIME", &mut at, read, |doc, (start, time)| {
        put_choice(doc, CLOCKS, start.raw().into());
        doc.float(*time);
    })?;
    (event.start, event.time) = at.unwrap_or((event.start, event.time));
    Ok(())
}

/// Reads or writes an event's keys; false if events of this kind have none.
pub fn body(k: &mut Keys<'_, '_, '_>, body: &mut Body) -> Result<bool> {
    match body {
        Body::Sound(e) => {
            e.keys(.., k)?;
            k.at_node("AT_NODE", &mut e.at_node, &mut e.position, true)?;
        }
        Body::SoundNode(e) => {
            e.keys(.., k)?;
            active(k, &mut e.active_state)?;
            k.at_node("AT_NODE", &mut e.at_node, &mut e.position, true)?;
        }
        Body::Effect(e) => {
            e.keys(.., k)?;
            k.at_node("AT_NODE", &mut e.at_node, &mut e.position, true)?;
        }
        Body::LightState(e) => light_state(k, e)?,
        Body::LightAnimation(e) => light_animation(k, e)?,
        Body::ObjectActiveState(e) => e.keys(.., k)?,
        Body::ObjectTranslateState(e) => translate_state(k, e)?,
        Body::ObjectScaleState(e) => e.keys(.., k)?,
        Body::ObjectRotateState(e) => rotate_state(k, e)?,
        Body::ObjectMotion(e) => motion(k, e)?,
        Body::ObjectMotionFromTo(e) => motion_from_to(k, e)?,
        Body::ObjectOpacityState(e) => opacity_state(k, e)?,
        Body::ObjectOpacityFromTo(e) => opacity_from_to(k, e)?,
        Body::ObjectAddChild(e) | Body::ObjectDeleteChild(e) => parent_child(k, e)?,
        Body::ObjectCycleTexture(e) => {
            let mut reset = !k.reads() && e.flags.is_none();
            k.bare("RESET", &mut reset);
            if k.reads() {
                e.flags = Derived((!reset).then_some(refit_base::wire::Hex(0)));
            }
            e.keys(.., k)?;
        }
        Body::ObjectConnector(e) => connector(k, e)?,
        Body::CallObjectConnector(e) => call_connector(k, e)?,
        Body::CameraState(e) => e.keys(.., k)?,
        Body::CameraFromTo(e) => e.keys(.., k)?,
        Body::CallSequence(e) | Body::StopSequence(e) => {
            e.keys(.., k)?;
            // It has no effect on the file, but sources of Crimson Skies have it.
            let _ = k.arg("WAIT_FOR_COMPLETION");
        }
        Body::CallAnimation(e) => call_animation(k, e)?,
        Body::StopAnimation(e) => e.keys(.., k)?,
        Body::ResetAnimation(e) | Body::InvalidateAnimation(e) => e.keys(.., k)?,
        Body::FogState(e) => fog(k, e)?,
        Body::Loop(e) => repeat(k, e)?,
        Body::If(e) | Body::Elseif(e) => condition(k, e)?,
        Body::Else(Nothing {}) | Body::Endif(Nothing {}) => {}
        Body::Callback(e) => e.keys(.., k)?,
        Body::FbfxColorFromTo(e) => fade(k, e)?,
        Body::FbfxCsinwaveFromTo(e) => wave(k, e)?,
        Body::AnimVerbose(e) => {
            if let Some(args) = k.own() {
                e.on = Bool(choose(&args, 0, ON_OFF)?);
            } else if let Some(doc) = k.out() {
                put_choice(doc, ON_OFF, e.on.0);
            }
        }
        Body::DetonateWeapon(e) => detonate(k, e)?,
        Body::PufferState(e) => super::puffer::state(k, e)?,
        Body::Script(e) => script(k, e)?,
        Body::SoundAdjust(_) | Body::ShowMessage(_) | Body::ScriptList(_) | Body::Raw(_) => {
            return Ok(false);
        }
    }
    Ok(true)
}

fn motion_from_to(k: &mut Keys<'_, '_, '_>, e: &mut ObjectMotionFromTo) -> Result<()> {
    e.keys(.., k)?;
    run_time_or_moment(k, &mut e.run_time)?;
    k.change("MORPH_FROM", "MORPH_TO", Unit::Plain, &mut e.morph)?;
    k.change(
        "TRANSLATE_FROM",
        "TRANSLATE_TO",
        Unit::Plain,
        &mut e.translate,
    )?;
    k.change("ROTATE_FROM", "ROTATE_TO", Unit::Angle, &mut e.rotate)?;
    k.change("SCALE_FROM", "SCALE_TO", Unit::Plain, &mut e.scale)
}

fn parent_child(k: &mut Keys<'_, '_, '_>, e: &mut ParentChild) -> Result<()> {
    let mut both = [std::mem::take(&mut e.parent), std::mem::take(&mut e.child)];
    let read = |args: &Args<'_>, scope: &mut Scope<'_>| {
        Ok([
            node_of(args, 0, scope, false)?,
            node_of(args, 1, scope, false)?,
        ])
    };
    k.value("PARENT_CHILD", &mut both, read, |doc, both| {
        both.iter().for_each(|node| put_ref(doc, node))
    })?;
    [e.parent, e.child] = both;
    Ok(())
}

fn fade(k: &mut Keys<'_, '_, '_>, e: &mut FbfxColorFromTo) -> Result<()> {
    e.keys(.., k)?;
    let mut fade = Some(FromTo {
        from: e.from,
        to: e.to,
        rate: e.rate,
        rounding: e.rounding,
    });
    k.change("FROM", "TO", Unit::Plain, &mut fade)?;
    let fade = fade.unwrap_or_default();
    (e.from, e.to, e.rate, e.rounding) = (fade.from, fade.to, fade.rate, fade.rounding);
    Ok(())
}

fn detonate(k: &mut Keys<'_, '_, '_>, e: &mut DetonateWeapon) -> Result<()> {
    e.keys(.., k)?;
    let (mut node, mut offset) = (Some(e.at_node.clone()), Some(e.position));
    k.at_node("AT_NODE", &mut node, &mut offset, false)?;
    (e.at_node, e.position) = (node.unwrap_or_default(), offset.unwrap_or_default());
    Ok(())
}

/// `ACTIVE_STATE`: on if the key is missing. Any word but `ACTIVE` is off in zStudio's compiler,
/// which reproduces every shipped file of Recoil.
fn active(k: &mut Keys<'_, '_, '_>, state: &mut Bool<u32>) -> Result<()> {
    if k.reads() {
        *state = Bool(1);
    } else if state.0 == 1 {
        return Ok(());
    }
    k.state("ACTIVE_STATE", true, state)
}

/// The run time of a movement. A missing time, or one that is not above zero, becomes [`MOMENT`].
fn run_time_or_moment(k: &mut Keys<'_, '_, '_>, time: &mut F32) -> Result<()> {
    let moment = F32::from(MOMENT);
    if k.reads() || *time != moment {
        k.number("RUN_TIME", time)?;
    }
    if k.reads() && time.get() <= 0.0 {
        *time = moment;
    }
    Ok(())
}

fn light_state(k: &mut Keys<'_, '_, '_>, e: &mut LightState) -> Result<()> {
    e.keys(..1, k)?;
    active(k, &mut e.active_state)?;
    k.at_node("AT_NODE", &mut e.at_node, &mut e.position, true)?;
    let mut kind = e.r#type.map(LightType::raw);
    k.choice("TYPE", &[("DIRECTED", 0), ("POINT_SOURCE", 1)], &mut kind)?;
    e.r#type = kind
        .map(LightType::from_raw)
        .filter(|kind| *kind != LightType::PointSource);
    e.keys(1.., k)?;
    // A misspelled key in shipped files, which the game ignores.
    let _ = k.arg("SATURATION");
    Ok(())
}

/// A value followed by an optional second one.
fn one_or_two<const N: usize>(
    k: &mut Keys<'_, '_, '_>,
    key: &str,
    first: &mut [F32; N],
    second: &mut Option<[F32; N]>,
) -> Result<()> {
    let is_blank = |v: &[F32; N]| v.iter().all(|f| f.bits() == 0);
    let mut both = (k.reads() || second.is_some() || !is_blank(first)).then_some((*first, *second));
    let read = |args: &Args<'_>, _: &mut Scope<'_>| {
        Ok((
            args.numbers(0)?,
            args.more_numbers(N)?.filter(|more| !is_blank(more)),
        ))
    };
    k.option(key, &mut both, read, |doc, (first, second)| {
        doc.floats(first.iter().chain(second.iter().flatten()))
    })?;
    (*first, *second) = both.unwrap_or((*first, *second));
    Ok(())
}

fn light_animation(k: &mut Keys<'_, '_, '_>, e: &mut LightAnimation) -> Result<()> {
    e.keys(..1, k)?;
    one_or_two(k, "RANGE", &mut e.range, &mut e.range_acceleration)?;
    one_or_two(k, "COLOR", &mut e.color, &mut e.color_acceleration)?;
    e.keys(1.., k)
}

fn translate_state(k: &mut Keys<'_, '_, '_>, e: &mut ObjectTranslateState) -> Result<()> {
    e.keys(.., k)?;
    if k.reads() {
        k.numbers("STATE", &mut e.state)?;
        if k.take("RELATIVE", &mut e.state, |args, _| args.numbers(0))? {
            e.relative = Some(Bool(1));
        }
        let mut offset = None;
        k.at_node("AT_NODE", &mut e.at_node, &mut offset, false)?;
        e.state = offset.unwrap_or(e.state);
    } else if e.at_node.is_some() {
        k.at_node("AT_NODE", &mut e.at_node, &mut Some(e.state), false)?;
    } else {
        let key = if e.relative.is_some() {
            "RELATIVE"
        } else {
            "STATE"
        };
        k.numbers(key, &mut e.state)?;
    }
    Ok(())
}

fn rotate_state(k: &mut Keys<'_, '_, '_>, e: &mut ObjectRotateState) -> Result<()> {
    e.keys(.., k)?;
    // The number of nodes before the angles, which may be missing after one.
    let modes = [
        ("STATE", None, 0),
        ("RELATIVE", Some(RotateMode::Relative), 0),
        ("AT_NODE_XYZ", Some(RotateMode::NodeXyz), 1),
        ("AT_NODE_MATRIX", Some(RotateMode::NodeMatrix), 1),
    ];
    let read = |args: &Args<'_>, scope: &mut Scope<'_>, nodes: usize| {
        let node = if nodes > 0 {
            Some(node_of(args, 0, scope, false)?)
        } else {
            None
        };
        let angles: Vec3 = if nodes == 0 || args.len() >= 4 {
            args.numbers(nodes)?
        } else {
            Vec3::default()
        };
        Ok((node, angles.map(rad)))
    };
    for (key, mode, nodes) in modes {
        let mut found = (None, e.state);
        if k.take(key, &mut found, |args, scope| read(args, scope, nodes))? {
            (e.at_node, e.state, e.mode) = (found.0, found.1, mode);
        }
    }
    let (key, _, nodes) = modes
        .into_iter()
        .find(|(_, mode, _)| e.mode == *mode)
        .unwrap_or(modes[0]);
    k.put(key, |doc| {
        if nodes > 0 {
            put_ref(doc, e.at_node.as_ref().unwrap_or(&Ref::default()));
        }
        if nodes == 0 || !is_blank(&e.state) {
            doc.floats(&e.state.map(degrees));
        }
    });
    Ok(())
}

/// Converts a direction between a game and Recoil: in Crimson Skies zero points to +X.
fn facing(game: Game, [x, y, z]: Vec3) -> Vec3 {
    let away = |f: F32| F32::from(0.0 - f.get());
    if game == Game::Cs {
        [away(z), y, away(x)]
    } else {
        [x, y, z]
    }
}

fn motion(k: &mut Keys<'_, '_, '_>, e: &mut ObjectMotion) -> Result<()> {
    e.keys(..1, k)?;
    gravity(k, e)?;
    e.keys(1..2, k)?;
    let game = k.scope.game;
    let read = |args: &Args<'_>, _: &mut Scope<'_>| {
        let toward = facing(game, direction(args.number(0)?, args.number(1)?));
        let part = |i: usize| {
            if args.len() > i {
                args.number(i)
            } else {
                Ok(F32::default())
            }
        };
        let (speed, more) = (part(2)?, part(3)?);
        let direction = (!is_blank(&toward)).then_some(toward);
        Ok(Velocity {
            velocity: times(toward, speed),
            acceleration: times(toward, more),
            direction,
        })
    };
    k.option("TRANSLATION", &mut e.translation, read, |doc, v| {
        let [yaw, pitch] = launch(facing(game, v.direction.unwrap_or_default()));
        let unit = facing(game, direction(yaw, pitch));
        doc.floats(&[
            yaw,
            pitch,
            factor(v.velocity, unit),
            factor(v.acceleration, unit),
        ]);
    })?;
    random_launch(k, e)?;
    forward(k, e)?;
    turns(k, "XYZ_ROTATION", Unit::Angle, &mut e.xyz_rotation)?;
    turns(k, "SCALE", Unit::Plain, &mut e.scale)?;
    e.keys(2..3, k)?;
    bounce_sound(k, "BOUNCE_SOUND", &mut e.bounce_sound)?;
    if game.itself() != Game::Rc {
        e.keys(3..4, k)?;
        bounce_sound(k, "BOUNCE_SOUND_WATER", &mut e.bounce_sound_water)?;
        bounce_sound(k, "BOUNCE_SOUND_LAVA", &mut e.bounce_sound_lava)?;
    }
    e.keys(4.., k)
}

fn gravity(k: &mut Keys<'_, '_, '_>, e: &mut ObjectMotion) -> Result<()> {
    let usual = k.scope.gravity;
    if let Some(args) = k.arg("GRAVITY") {
        let within = |error: Error| error.within("GRAVITY");
        e.gravity = Some(usual);
        let mut at = 0;
        while at < args.len() {
            let word = args.word(at).unwrap_or_default();
            match &*word {
                b"LOCAL" if at == 0 => e.gravity = Some(args.number(1).map_err(within)?),
                b"COMPLEX" => {
                    e.gravity_complex = true;
                    if args.is_number(at + 1) {
                        e.gravity = Some(args.number(at + 1).map_err(within)?);
                    }
                }
                b"NO_ALTITUDE" => e.gravity_no_altitude = true,
                b"DO_INTERSECTIONS" => e.gravity_do_intersections = true,
                b"DEFAULT" if at == 0 => {}
                _ if args.is_number(at) => {}
                // zStudio's compiler takes any first word but LOCAL for DEFAULT.
                other => {
                    let words = [
                        "DEFAULT",
                        "LOCAL",
                        "COMPLEX",
                        "NO_ALTITUDE",
                        "DO_INTERSECTIONS",
                    ];
                    let what = unknown(other, "is not a word of GRAVITY: ignored", words);
                    k.scope.say(super::IGNORED, args.list, what);
                }
            }
            at += 1;
        }
    } else if let Some(g) = e.gravity {
        let (complex, no_altitude) = (e.gravity_complex, e.gravity_no_altitude);
        let words = [
            (complex, "COMPLEX"),
            (no_altitude, "NO_ALTITUDE"),
            (e.gravity_do_intersections, "DO_INTERSECTIONS"),
        ];
        k.put("GRAVITY", |doc| {
            if g == usual {
                doc.text(b"DEFAULT");
            } else {
                doc.text(b"LOCAL");
                doc.float(g);
            }
            words
                .iter()
                .filter(|(on, _)| *on)
                .for_each(|(_, word)| doc.text(word.as_bytes()));
        });
    }
    Ok(())
}

/// The two bounds of a random launch. Recoil's tool wrote them only if both were present.
fn random_launch(k: &mut Keys<'_, '_, '_>, e: &mut ObjectMotion) -> Result<()> {
    let both = k.scope.game.itself() == Game::Rc;
    for (key, bound) in [
        ("TRANSLATION_RANGE_MIN", &mut e.translation_range_min),
        ("TRANSLATION_RANGE_MAX", &mut e.translation_range_max),
    ] {
        let mut values = bound.map(
            |Launch {
                 yaw,
                 pitch,
                 speed,
                 acceleration,
             }| [yaw, pitch, speed, acceleration],
        );
        k.floats(key, &mut values)?;
        *bound = values.map(|[yaw, pitch, speed, acceleration]| Launch {
            yaw,
            pitch,
            speed,
            acceleration,
        });
    }
    if both && k.reads() && (e.translation_range_min.is_none() || e.translation_range_max.is_none())
    {
        (e.translation_range_min, e.translation_range_max) = (None, None);
    }
    Ok(())
}

fn forward(k: &mut Keys<'_, '_, '_>, e: &mut ObjectMotion) -> Result<()> {
    // Crimson Skies stores the second number unconverted.
    let second = if k.scope.game == Game::Cs {
        Unit::Plain
    } else {
        Unit::Angle
    };
    if let Some(args) = k.arg("FORWARD_ROTATION") {
        let within = |error: Error| error.within("FORWARD_ROTATION");
        match &*args.word(0).unwrap_or_default() {
            b"TIME" => {
                let more = if args.len() > 2 {
                    args.number(2).map_err(within)?
                } else {
                    F32::default()
                };
                let velocity = rad(args.number(1).map_err(within)?);
                e.forward_rotation_time = Some(Forward {
                    velocity,
                    acceleration: second.read(more),
                });
            }
            b"DISTANCE" => {
                e.forward_rotation_distance = Some(rad(args.number(1).map_err(within)?))
            }
            other => {
                return Err(within(Error::say(format!(
                    "{:?} is neither TIME nor DISTANCE",
                    decode_1252(other)
                ))));
            }
        }
    } else if let Some(Forward {
        velocity,
        acceleration,
    }) = e.forward_rotation_time
    {
        k.put("FORWARD_ROTATION", |doc| {
            doc.text(b"TIME");
            doc.float(degrees(velocity));
            doc.float(second.write(acceleration));
        });
    } else if let Some(distance) = e.forward_rotation_distance {
        k.put("FORWARD_ROTATION", |doc| {
            doc.text(b"DISTANCE");
            doc.float(degrees(distance));
        });
    }
    Ok(())
}

/// A velocity, and with six numbers its acceleration.
fn turns(
    k: &mut Keys<'_, '_, '_>,
    key: &str,
    unit: Unit,
    value: &mut Option<Velocity>,
) -> Result<()> {
    let read = |args: &Args<'_>, _: &mut Scope<'_>| {
        let acceleration: Option<Vec3> = args.more_numbers(3)?;
        let [velocity, acceleration] =
            [args.numbers(0)?, acceleration.unwrap_or_default()].map(|v| v.map(|f| unit.read(f)));
        Ok(Velocity {
            velocity,
            acceleration,
            direction: None,
        })
    };
    k.option(key, value, read, |doc, v| {
        doc.floats(&v.velocity.map(|f| unit.write(f)));
        if !is_blank(&v.acceleration) {
            doc.floats(&v.acceleration.map(|f| unit.write(f)));
        }
    })
}

fn bounce_sound(
    k: &mut Keys<'_, '_, '_>,
    key: &str,
    value: &mut Option<BounceSound>,
) -> Result<()> {
    let read = |args: &Args<'_>, scope: &mut Scope<'_>| {
        let mut sound = BounceSound::default();
        let mut inner = Keys::read(scope, args.list);
        inner.entry("NAME", Array::StaticSounds, &mut sound.name)?;
        inner.number("FULL_VOLUME_VELOCITY", &mut sound.full_volume_velocity)?;
        let strange: Vec<_> = inner.unknown().collect();
        for (other, list) in strange {
            let what = unknown(
                other,
                &format!("is not a key of {key}: ignored"),
                ["NAME", "FULL_VOLUME_VELOCITY"],
            );
            scope.say(super::IGNORED, list.or(args.list), what);
        }
        Ok(sound)
    };
    k.option(key, value, read, |doc, sound| {
        doc.with("NAME", |doc| put_ref(doc, &sound.name));
        doc.with("FULL_VOLUME_VELOCITY", |doc| {
            doc.float(sound.full_volume_velocity)
        });
    })
}

fn opacity_state(k: &mut Keys<'_, '_, '_>, e: &mut ObjectOpacityState) -> Result<()> {
    e.keys(.., k)?;
    let mut both = (e.state, e.opacity);
    let read = |args: &Args<'_>, _: &mut Scope<'_>| {
        // Word and number may be in either order.
        let at = usize::from(args.is_number(0));
        let state = at < args.len() && choose(args, at, ON_OFF)? != 0;
        Ok((
            Bool(state.into()),
            if args.is_number(1 - at) {
                Some(args.number(1 - at)?)
            } else {
                None
            },
        ))
    };
    k.value("STATE", &mut both, read, |doc, (state, opacity)| {
        put_choice(doc, ON_OFF, state.0.into());
        doc.floats(opacity);
    })?;
    (e.state, e.opacity) = both;
    Ok(())
}

fn opacity_from_to(k: &mut Keys<'_, '_, '_>, e: &mut ObjectOpacityFromTo) -> Result<()> {
    e.keys(.., k)?;
    let read = |args: &Args<'_>, _: &mut Scope<'_>| {
        let state = match args.word(1) {
            Some(_) if !args.is_number(1) => match choose(args, 1, ON_OFF)? {
                0 => Translucent::Off,
                _ => Translucent::On,
            },
            _ => Translucent::Leave,
        };
        Ok((
            args.number(0)?,
            state,
            how(args).transpose()?.unwrap_or_default(),
        ))
    };
    let write = |doc: &mut Doc, (end, state, how): &(F32, Translucent, How<F32>)| {
        doc.float(*end);
        match state {
            Translucent::On => doc.text(b"ON"),
            Translucent::Off => doc.text(b"OFF"),
            _ => {}
        }
        put_how(doc, how);
    };
    let none = || (F32::default(), Translucent::Leave, How::default());
    let (mut from, mut to) = (none(), none());
    if !k.reads() {
        (from.0, from.1) = (e.opacity.from, e.state_from);
        to = (
            e.opacity.to,
            e.state_to,
            (e.opacity.rate, e.opacity.rounding),
        );
    }
    k.value("OPACITY_FROM", &mut from, read, write)?;
    k.value("OPACITY_TO", &mut to, read, write)?;
    (e.state_from, e.state_to) = (from.1, to.1);
    e.opacity = FromTo {
        from: from.0,
        to: to.0,
        rate: to.2.0,
        rounding: to.2.1,
    };
    Ok(())
}

/// The rounding of a change's rate, if its values end with a list that states it.
fn how(args: &Args<'_>) -> Option<Result<How<F32>>> {
    let list = args
        .list?
        .items()
        .find(|item| super::scope::literal(*item).is_some())?;
    Some(how_of(list))
}

fn connector(k: &mut Keys<'_, '_, '_>, e: &mut ObjectConnector) -> Result<()> {
    e.keys(..1, k)?;
    if e.from_pos.is_some() {
        // Shipped files also have the key in lower case, which has no meaning.
        let _ = k.arg("from_pos");
    }
    k.float("FROM_T", &mut e.from_t)?;
    ends(k, ["FROM_T_START", "FROM_T_END"], 0.0, &mut e.from_t_range)?;
    k.float("TO_T", &mut e.to_t)?;
    ends(k, ["TO_T_START", "TO_T_END"], 1.0, &mut e.to_t_range)?;
    e.keys(1.., k)
}

/// The start and end of a range of a connector; `usual` replaces a missing one.
fn ends(
    k: &mut Keys<'_, '_, '_>,
    keys: [&str; 2],
    usual: f32,
    range: &mut Option<[F32; 2]>,
) -> Result<()> {
    let [first, second] = keys;
    let [mut start, mut end] = [range.map(|[start, _]| start), range.map(|[_, end]| end)];
    k.float(first, &mut start)?;
    k.float(second, &mut end)?;
    let usual = F32::from(usual);
    *range =
        (start.is_some() || end.is_some()).then(|| [start.unwrap_or(usual), end.unwrap_or(usual)]);
    Ok(())
}

fn call_connector(k: &mut Keys<'_, '_, '_>, e: &mut CallObjectConnector) -> Result<()> {
    e.keys(.., k)?;
    keep(k, &e.animation, false, &mut e.reference)
}

/// The animation reference of a call: one for each call that waits or has a local name, which takes
/// precedence.
fn keep(
    k: &mut Keys<'_, '_, '_>,
    name: &Text<32>,
    waits: bool,
    reference: &mut Option<Ref>,
) -> Result<()> {
    if !k.reads() {
        // The name of the reference is in the definition's list.
        let found = reference
            .as_ref()
            .filter(|_| !k.scope.explicit)
            .and_then(|reference| k.scope.reference(reference));
        if let Some(local) = found.and_then(|found| found.local_name) {
            k.put("LOCAL_NAME", |doc| doc.text(local.text.bytes()));
        }
        return Ok(());
    }
    if let Some(slot) = k.scope.slot.take() {
        *reference = k.scope.lists.reference_at(slot);
        return Ok(());
    }
    let local_name = match k.arg("LOCAL_NAME") {
        Some(args) => Some(StoredName::new(&k.scope.name(&args.need(0)?)?)),
        None => None,
    };
    if waits || local_name.is_some() {
        let name = StoredName::new(name.bytes());
        *reference = Some(k.scope.lists.refer(Reference {
            name,
            local_name,
            ..Reference::default()
        })?);
    }
    Ok(())
}

fn call_animation(k: &mut Keys<'_, '_, '_>, e: &mut CallAnimation) -> Result<()> {
    e.keys(..1, k)?;
    let mut at = e.at_node.take().map(|node| (node, e.position, e.rotation));
    let read = |args: &Args<'_>, scope: &mut Scope<'_>| {
        let node = node_of(args, 0, scope, false)?;
        Ok((
            node,
            args.more_numbers(1)?,
            args.more_numbers::<3>(4)?.map(|v| v.map(rad)),
        ))
    };
    k.option(
        "AT_NODE",
        &mut at,
        read,
        |doc, (node, position, rotation)| {
            put_ref(doc, node);
            doc.floats(position.iter().flatten());
            rotation
                .iter()
                .flatten()
                .for_each(|f| doc.float(degrees(*f)));
        },
    )?;
    if let Some((node, position, rotation)) = at {
        (e.at_node, e.position, e.rotation) = (Some(node), position, rotation);
    }
    // In the order of the tables, WAIT_FOR_COMPLETION follows the local name; if only one of the two
    // is present, it comes first.
    e.keys(1.., k)?;
    keep(k, &e.name, e.wait_for_completion, &mut e.reference)
}

fn fog(k: &mut Keys<'_, '_, '_>, e: &mut FogState) -> Result<()> {
    if k.scope.game == Game::Cs {
        k.text_in("NAME", &mut e.name.0)?;
        e.name.0 = e.name.0.filter(|name| name.bytes() != b"default_fog_name");
    }
    let _ = k.arg("NAME");
    const TYPES: &[(&str, u32)] = &[("OFF", 0), ("LINEAR", 1), ("EXPONENTIAL", 2)];
    let rc = k.scope.game.itself() == Game::Rc;
    // Recoil's files have a type without a flag: LINEAR is the default.
    let mut kind = if rc && !k.reads() {
        Some(e.r#type.unwrap_or(FogType::Linear).raw())
    } else {
        e.r#type.map(FogType::raw)
    };
    k.choice("TYPE", TYPES, &mut kind)?;
    e.r#type = kind
        .map(FogType::from_raw)
        .filter(|kind| !rc || *kind != FogType::Linear);
    e.keys(.., k)
}

fn repeat(k: &mut Keys<'_, '_, '_>, e: &mut Loop) -> Result<()> {
    if !k.reads() {
        if let Some(n) = e.loop_count {
            // The engine compares 16 bits; all bits set means forever.
            let n = if n == -1 {
                -1
            } else {
                i32::from(n.cast_unsigned())
            };
            k.put("LOOP_COUNT", |doc| doc.int(n));
        }
        return k.float("LOOP_TIME", &mut e.loop_run_time);
    }
    let _ = k.arg("EVENT_OFFSET");
    if let Some(args) = k.arg("LOOP_COUNT") {
        let n = args.integer(0).map_err(|e| e.within("LOOP_COUNT"))?;
        let n = if n < 0 { 0xffff } else { n };
        let count = u16::try_from(n).map_err(|_| {
            Error::say(format!("{n} rounds (at most 65535)"))
                .within("LOOP_COUNT")
                .of_kind(ErrorKind::Limit)
        })?;
        e.loop_count = Some(count.cast_signed());
    } else {
        k.float("LOOP_TIME", &mut e.loop_run_time)?;
        k.float("LOOP_RUN_TIME", &mut e.loop_run_time)?;
        if e.loop_run_time.is_none() {
            e.loop_count = Some(-1);
        }
    }
    Ok(())
}

const DETAIL: &[(&str, u32)] = &[("LOW", 0), ("MEDIUM", 1), ("HIGH", 2)];
const CONDITIONS: &[&str] = &[
    "RANDOM_WEIGHT",
    "PLAYER_RANGE",
    "ANIMATION_LOD",
    "PLAYER_UNDERCOVER",
    "PLAYER_NEAR_GROUND",
    "NODE_UNDERCOVER",
    "NODE_NEAR_GROUND",
    "HW_RENDER",
    "PLAYER_1ST_PERSON",
    "PLAYER_BELOW_ALT",
    "NODE_BELOW_ALT",
    "PLAYER_LINED_UP",
    "PLAYER_SPEED",
    "ANIM_HEALTH",
    "NODE_ACTIVE",
];

/// The square of an angle in degrees, in radians.
fn lined_up(degrees: F32) -> F32 {
    let angle = f64::from(degrees.get()) * std::f64::consts::PI / 180.0;
    F32::from((angle * angle) as f32)
}

/// A node and a height, which `sign` may turn downwards.
fn height(args: &Args<'_>, scope: &mut Scope<'_>, sign: f32) -> Result<NodeHeight> {
    let node = node_of(args, 0, scope, false)?;
    Ok(NodeHeight {
        node,
        height: args
            .number(1)
            .map(|f| if sign < 0.0 { F32::from(-f.get()) } else { f })?,
    })
}

fn condition(k: &mut Keys<'_, '_, '_>, e: &mut Condition) -> Result<()> {
    if !k.reads() {
        put_condition(k, e);
        return Ok(());
    }
    let found: Vec<(&str, Args<'_>)> = CONDITIONS
        .iter()
        .filter_map(|key| Some((*key, k.arg(key)?)))
        .collect();
    let (key, args) = match found.as_slice() {
        [(key, args)] => (*key, args),
        [] => {
            return Err(
                Error::say("no condition").hint(format!("one of {}", CONDITIONS.join(", ")))
            );
        }
        [(first, _), (second, _), ..] => {
            return Err(Error::say(format!("two conditions, {first} and {second}"))
                .hint("an IF has one condition: nest another IF"));
        }
    };
    let scope = &mut *k.scope;
    let read = (|| {
        Ok(match key {
            "RANDOM_WEIGHT" => Condition::RandomWeight(args.number(0)?),
            "PLAYER_RANGE" => Condition::PlayerRange(Distance::Plain(args.number(0)?)),
            "ANIMATION_LOD" => Condition::AnimationLod(choose(args, 0, DETAIL)?),
            "PLAYER_UNDERCOVER" | "PLAYER_NEAR_GROUND" => {
                Condition::PlayerUndercover(args.number(0)?)
            }
            "NODE_UNDERCOVER" => Condition::NodeUndercover(height(args, scope, 1.0)?),
            "NODE_NEAR_GROUND" => Condition::NodeUndercover(height(args, scope, -1.0)?),
            "HW_RENDER" => Condition::HwRender(Bool(0)),
            "PLAYER_1ST_PERSON" => Condition::Player1stPerson(Bool(0)),
            "PLAYER_BELOW_ALT" => Condition::PlayerBelowAlt(args.number(0)?),
            "NODE_BELOW_ALT" => Condition::NodeBelowAlt(height(args, scope, 1.0)?),
            "PLAYER_LINED_UP" => Condition::PlayerLinedUp(lined_up(args.number(0)?)),
            "PLAYER_SPEED" => Condition::PlayerSpeed(args.numbers(0)?),
            "ANIM_HEALTH" if args.len() >= 2 => Condition::AnimHealthRange(args.numbers(0)?),
            "ANIM_HEALTH" => Condition::AnimHealth(args.number(0)?),
            _ => {
                let node = node_of(args, 0, scope, false)?;
                Condition::NodeActive(NodeActive {
                    node,
                    state: Bool(0),
                })
            }
        })
    })();
    *e = read.map_err(|error: Error| error.within(key))?;
    Ok(())
}

fn put_condition(k: &mut Keys<'_, '_, '_>, e: &Condition) {
    // Crimson Skies stores a height above the ground as a negative one.
    let near_ground = |height: F32| k.scope.game == Game::Cs && height.get().is_sign_negative();
    let key = match e {
        Condition::NodeUndercover(at) if near_ground(at.height) => "NODE_NEAR_GROUND",
        Condition::AnimHealthRange(_) => "ANIM_HEALTH",
        Condition::Other(_) => return,
        _ => e.key(),
    };
    k.put(key, |doc| match e {
        Condition::RandomWeight(f)
        | Condition::PlayerRange(Distance::Plain(f))
        | Condition::PlayerUndercover(f)
        | Condition::PlayerBelowAlt(f)
        | Condition::AnimHealth(f) => doc.float(*f),
        Condition::PlayerRange(Distance::Square(square)) => doc.float(root(*square)),
        Condition::AnimationLod(n) => put_choice(doc, DETAIL, *n),
        Condition::NodeUndercover(at) | Condition::NodeBelowAlt(at) => {
            put_ref(doc, &at.node);
            doc.float(if key == "NODE_NEAR_GROUND" {
                F32::from(-at.height.get())
            } else {
                at.height
            });
        }
        Condition::PlayerLinedUp(stored) => {
            let guess = f64::from(stored.get()).sqrt() * 180.0 / std::f64::consts::PI;
            doc.float(
                inverse(guess, |d| lined_up(d) == *stored).unwrap_or(F32::from(guess as f32)),
            );
        }
        Condition::PlayerSpeed(both) | Condition::AnimHealthRange(both) => doc.floats(both),
        Condition::NodeActive(at) => put_ref(doc, &at.node),
        Condition::HwRender(_) | Condition::Player1stPerson(_) | Condition::Other(_) => {}
    });
}

fn wave(k: &mut Keys<'_, '_, '_>, e: &mut FbfxCsinwaveFromTo) -> Result<()> {
    e.keys(.., k)?;
    k.at_node("AT_NODE", &mut e.at_node, &mut e.offset, true)?;
    follows(k, "SCREEN_POS_FROM", "SCREEN_POS_TO", &mut e.screen_pos)?;
    let mut world = e.world_radius.map(|Between { from, to }| FromTo {
        from,
        to,
        rate: Derived(None),
        rounding: None,
    });
    follows(k, "WORLD_RADIUS_FROM", "WORLD_RADIUS_TO", &mut world)?;
    e.world_radius = world.map(|FromTo { from, to, .. }| Between { from, to });
    follows(
        k,
        "SCREEN_RADIUS_FROM",
        "SCREEN_RADIUS_TO",
        &mut e.screen_radius,
    )?;
    let mut csin = Some(std::mem::take(&mut e.csin));
    follows(k, "CSIN_FROM", "CSIN_TO", &mut csin)?;
    e.csin = csin.unwrap_or_default();
    Ok(())
}

/// A change whose end defaults to its start.
fn follows<T: Change>(
    k: &mut Keys<'_, '_, '_>,
    from: &str,
    to: &str,
    value: &mut Option<FromTo<T>>,
) -> Result<()> {
    k.change(from, to, Unit::Plain, value)?;
    if k.reads()
        && k.arg(to).is_none()
        && let Some(change) = value
    {
        change.to = change.from.clone();
    }
    Ok(())
}

fn script(k: &mut Keys<'_, '_, '_>, e: &mut ObjectMotionSiScript) -> Result<()> {
    e.keys(.., k)?;
    let inline = Script::is_inline(k.scope.game);
    if !k.reads() {
        if let Some(script) = &e.inline {
            let number = k.scope.first_script + k.scope.written.len();
            let text = k.scope.texts.get(&number).cloned();
            let name = format!(
                "{number}.{}",
                if text.is_some() { "zan" } else { "frames.json" }
            );
            k.put("SCRIPT_FILENAME", |doc| doc.text(name.as_bytes()));
            let usual = F32::from(30.0);
            if let Some((rate, _)) = text.as_ref().filter(|(rate, _)| *rate != usual) {
                k.put("SCRIPT_FRAME_RATE", |doc| doc.float(*rate));
            }
            k.scope.written.push(super::scope::ScriptFile {
                name,
                script: script.clone(),
                text: text.map(|(_, text)| text),
            });
        } else if let Some(script) = &e.script {
            k.put("SCRIPT_FILENAME", |doc| put_ref(doc, script));
        }
        return Ok(());
    }
    let rate = match k.arg("SCRIPT_FRAME_RATE") {
        Some(args) => args.number(0).map_err(|e| e.within("SCRIPT_FRAME_RATE"))?,
        None => F32::from(30.0),
    };
    let object = k
        .arg("NAME")
        .and_then(|args| args.word(0))
        .map(|word| k.scope.name(&word).map(Cow::into_owned))
        .transpose()?;
    let args = k
        .arg("SCRIPT_FILENAME")
        .ok_or_else(|| Error::say("`SCRIPT_FILENAME` is missing"))?;
    let within = |error: Error| error.within("SCRIPT_FILENAME");
    if !inline {
        let name = match args.get(0).and_then(super::scope::literal) {
            Some(mut items) => match (items.next(), items.next()) {
                (Some(Item::Int(index)), None) => Ref::Index(index),
                (Some(Item::Text(name)), Some(Item::Int(nth))) => {
                    Ref::Nth(Name::from(name), nth.unsigned_abs())
                }
                _ => return Err(within(Error::say("expected ( REFIT index )"))),
            },
            None => {
                let file = file_name(k, &args).map_err(within)?;
                match k
                    .scope
                    .scripts
                    .filter(|_| file.to_ascii_lowercase().ends_with(b".zan"))
                {
                    Some(scripts) => {
                        let object = object.unwrap_or_default();
                        let script = scripts.load(&file, &object, rate).map_err(within)?;
                        Ref::Name(of_table(k, script, &file, &object))
                    }
                    None => Ref::Name(Name::from(&*args.need(0).map_err(within)?)),
                }
            }
        };
        e.script = Some(name);
        return Ok(());
    }
    if k.scope.checks {
        e.inline = k.scope.written.last().map(|file| file.script.clone());
        return Ok(());
    }
    let file = file_name(k, &args).map_err(within)?;
    let Some(scripts) = k.scope.scripts else {
        return Err(within(Error::say("scripts cannot be read here")));
    };
    e.inline = Some(
        scripts
            .load(&file, &object.unwrap_or_default(), rate)
            .map_err(within)?,
    );
    Ok(())
}

/// Notes a script for the file's table. Returns its name there, as `Base` has it (PM, CS).
fn of_table(k: &mut Keys<'_, '_, '_>, mut script: Script, file: &[u8], object: &[u8]) -> Name {
    let own = file
        .rsplit(|byte| b"/\\".contains(byte))
        .next()
        .unwrap_or_default();
    let stem = own.within(..own.len().saturating_sub(".zan".len()));
    let name = Name::from([stem, b"-", object].concat().as_slice());
    let text = |bytes: &[u8]| Some(PoolName([bytes, b"\0"].concat()));
    (script.name, script.object) = (text(file), text(object));
    k.scope.made.push((name.clone(), script));
    name
}

/// A file's name, which may be longer than a name of the tables.
fn file_name(k: &Keys<'_, '_, '_>, args: &Args<'_>) -> Result<Vec<u8>> {
    let name = args.need(0)?;
    k.scope
        .starred(&name)
        .map(Cow::into_owned)
        .ok_or_else(|| Error::say("a star without a digit"))
}

/// The `REFIT` list of an item, which only refit reads. An error if the word has no list or appears
/// twice.
pub fn refit<'i>(list: Option<List<'i>>) -> Result<Option<List<'i>>> {
    let mut found = list
        .into_iter()
        .flat_map(List::keys)
        .filter(|(key, _)| *key == REFIT)
        .map(|(_, list)| list);
    match (found.next(), found.next()) {
        (None, _) => Ok(None),
        (Some(Some(one)), None) => Ok(Some(one)),
        (Some(None), _) => Err(Error::say("REFIT without a list")
            .hint("put its words in a list: REFIT ( flags \"0x10\" )")),
        (Some(_), Some(_)) => {
            Err(Error::say("two lists called REFIT").hint("put the words of both into one"))
        }
    }
}
