//! The keys of PUFFER_STATE.

use super::{keys::Keys, scope::Args, source::Item};
use crate::{
    formats::anim::{
        events::{Color, Interval, PufferState, ScaleStop, Texture},
        fields::Bool,
        references::Array,
    },
    wire::{Error, ErrorKind, F32, Result, Text},
};

/// Reads or writes the event.
pub fn state(k: &mut Keys<'_, '_, '_>, e: &mut PufferState) -> Result<()> {
    k.entry("NAME", Array::Puffers, &mut e.puffer)?;
    k.choice("ACTIVE_STATE", &[("ACTIVE", 1), ("INACTIVE", 0)], Some(0), &mut e.active_state)?;
    k.at_node("AT_NODE", &mut e.at_node, &mut e.translate, false)?;
    k.floats("LOCAL_VELOCITY", &mut e.local_velocity)?;
    k.floats("WORLD_VELOCITY", &mut e.world_velocity)?;
    k.floats("MIN_RANDOM_VELOCITY", &mut e.min_random_velocity)?;
    k.floats("MAX_RANDOM_VELOCITY", &mut e.max_random_velocity)?;
    k.floats("WORLD_ACCELERATION", &mut e.world_acceleration)?;
    for (key, kind) in [("TIME_INTERVAL", Interval::Time), ("DISTANCE_INTERVAL", Interval::Distance)] {
        if k.reads() {
            let mut length = None;
            k.float(key, &mut length)?;
            if length.is_some() {
                (e.interval_type, e.interval) = (Some(kind), length);
            }
        } else if e.interval_type == Some(kind) {
            k.float(key, &mut e.interval)?;
        }
    }
    k.floats("SIZE_RANGE", &mut e.size_range)?;
    k.floats("LIFETIME_RANGE", &mut e.lifetime_range)?;
    k.floats("START_AGE_RANGE", &mut e.start_age_range)?;
    k.float("DEVIATION_DISTANCE", &mut e.deviation_distance)?;
    k.floats("NEAR_FADE", &mut e.near_fade)?;
    if k.reads() {
        k.floats("FAR_FADE", &mut e.fade_range)?;
    }
    k.floats("FADE_RANGE", &mut e.fade_range)?;
    k.float("FRICTION", &mut e.friction)?;
    k.float("WIND_FACTOR", &mut e.wind_factor)?;
    k.float("PRIORITY", &mut e.priority)?;
    k.count("NUMBER", &mut e.number)?;
    textures(k, e)?;
    stops(
        k,
        "COLORS",
        5,
        &mut e.colors,
        |v| Color { age: v(0), color: [v(1), v(2), v(3)], alpha: v(4) },
        |c| {
            let [r, g, b] = c.color;
            vec![c.age, r, g, b, c.alpha]
        },
    )?;
    growth(k, e)
}

fn textures(k: &mut Keys<'_, '_, '_>, e: &mut PufferState) -> Result<()> {
    if !k.reads() {
        let timed = e.textures_timed.is_some();
        if let Some(list) = &e.textures {
            k.put(if timed { "TEXTURE_SEQUENCE" } else { "TEXTURES" }, |doc| {
                for texture in list {
                    if timed {
                        doc.open();
                        doc.float(texture.age);
                    }
                    doc.text(texture.name.bytes());
                    if timed {
                        doc.close();
                    }
                }
            });
        }
        return Ok(());
    }
    k.take("TEXTURES", &mut e.textures, |args, scope| {
        let texture = |i: usize| Ok(Texture { age: F32::default(), name: Text::new(&scope.name(&args.need(i)?)?)? });
        (0..args.len()).map(texture).collect::<Result<Vec<Texture>>>().map(Some)
    })?;
    let game = k.scope.game;
    let timed = k.take("TEXTURE_SEQUENCE", &mut e.textures, |args, scope| {
        let texture =
            |inner: Args<'_>| Ok(Texture { age: inner.number(0)?, name: Text::new(&scope.name(&inner.need(1)?)?)? });
        inner(args, game).map(texture).collect::<Result<Vec<Texture>>>().map(Some)
    })?;
    if timed {
        e.textures_timed = Some(Bool(1));
    }
    Ok(())
}

/// The lists inside the list of a key.
fn inner<'i>(args: &Args<'i>, game: crate::game::Game) -> impl Iterator<Item = Args<'i>> + use<'i> {
    let lists = args.list.into_iter().flat_map(|list| list.items());
    lists.filter_map(move |item| if let Item::List(list) = item { Some(Args::new(Some(list), game)) } else { None })
}

/// A list of lists of numbers.
fn stops<T>(
    k: &mut Keys<'_, '_, '_>,
    key: &str,
    size: usize,
    value: &mut Option<Vec<T>>,
    of: impl Fn(&dyn Fn(usize) -> F32) -> T,
    parts: impl Fn(&T) -> Vec<F32>,
) -> Result<()> {
    if k.reads() {
        k.take(key, value, |args, scope| {
            let one = |inner: Args<'_>| {
                let numbers = (0..size).map(|i| inner.number(i)).collect::<Result<Vec<F32>>>()?;
                Ok(of(&|i| numbers.get(i).copied().unwrap_or_default()))
            };
            let list = inner(args, scope.game).map(one).collect::<Result<Vec<T>>>()?;
            if list.len() > 6 {
                Err(Error::say(format!("{} stops, a puffer has room for 6", list.len())).of_kind(ErrorKind::Limit))
            } else {
                Ok(Some(list))
            }
        })?;
    } else if let Some(list) = value {
        k.put(key, |doc| {
            for item in list {
                doc.open();
                parts(item).into_iter().for_each(|f| doc.float(f));
                doc.close();
            }
        });
    }
    Ok(())
}

fn growth(k: &mut Keys<'_, '_, '_>, e: &mut PufferState) -> Result<()> {
    let one = F32::from(1.0);
    let first = ScaleStop { age: F32::default(), scale: one };
    if k.reads() {
        k.take("GROWTH_FACTOR", &mut e.scale_sequence, |args, _| {
            Ok(Some(vec![first, ScaleStop { age: one, scale: args.number(0)? }]))
        })?;
    } else if let Some([a, b]) = e.scale_sequence.as_deref()
        && *a == first
        && b.age == one
    {
        let scale = b.scale;
        k.put("GROWTH_FACTOR", |doc| doc.float(scale));
        return Ok(());
    }
    stops(
        k,
        "SCALE_SEQUENCE",
        2,
        &mut e.scale_sequence,
        |v| ScaleStop { age: v(0), scale: v(1) },
        |s| vec![s.age, s.scale],
    )
}
