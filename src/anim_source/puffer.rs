//! The keys of PUFFER_STATE.

use super::{
    keys::{Keys, STATES, Unit, parts, read_parts},
    scope::{Args, Scope},
    source::Item,
};
use refit_base::wire::{Error, ErrorKind, F32, Plain, Result};
use refit_zipper::anim::{
    events::{Interval, PufferState, ScaleStop, Texture},
    fields::Bool,
};

/// Reads or writes the event.
pub fn state(k: &mut Keys<'_, '_, '_>, e: &mut PufferState) -> Result<()> {
    e.keys(..1, k)?;
    k.choice("ACTIVE_STATE", STATES, &mut e.active_state)?;
    k.at_node("AT_NODE", &mut e.at_node, &mut e.translate, false)?;
    e.keys(1..2, k)?;
    for (key, kind) in [
        ("TIME_INTERVAL", Interval::Time),
        ("DISTANCE_INTERVAL", Interval::Distance),
    ] {
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
    e.keys(2..3, k)?;
    if k.reads() {
        k.floats("FAR_FADE", &mut e.fade_range)?;
    }
    e.keys(3.., k)?;
    textures(k, e)?;
    stops(k, "COLORS", &mut e.colors)?;
    growth(k, e)
}

fn textures(k: &mut Keys<'_, '_, '_>, e: &mut PufferState) -> Result<()> {
    let (timed, list) = (e.textures_timed.is_some(), e.textures.take());
    let mut plain = list.clone().filter(|_| !timed);
    let read = |args: &Args<'_>, scope: &mut Scope<'_>| {
        let texture = |i: usize| {
            Ok(Texture {
                age: F32::default(),
                name: scope.text(&args.need(i)?)?,
            })
        };
        (0..args.len())
            .map(texture)
            .collect::<Result<Vec<Texture>>>()
    };
    k.option("TEXTURES", &mut plain, read, |doc, list| {
        list.iter()
            .for_each(|texture| doc.text(texture.name.bytes()))
    })?;
    let mut sequence = list.filter(|_| timed);
    let read = |args: &Args<'_>, scope: &mut Scope<'_>| {
        let game = scope.game;
        let texture = |inner: Args<'_>| {
            Ok(Texture {
                age: inner.number(0)?,
                name: scope.text(&inner.need(1)?)?,
            })
        };
        inner(args, game)
            .map(texture)
            .collect::<Result<Vec<Texture>>>()
    };
    k.option("TEXTURE_SEQUENCE", &mut sequence, read, |doc, list| {
        for texture in list {
            doc.open();
            doc.float(texture.age);
            doc.text(texture.name.bytes());
            doc.close();
        }
    })?;
    e.textures_timed = sequence.as_ref().map(|_| Bool(1));
    e.textures = sequence.or(plain);
    Ok(())
}

/// The lists inside the list of a key.
fn inner<'i>(
    args: &Args<'i>,
    game: refit_base::game::Game,
) -> impl Iterator<Item = Args<'i>> + use<'i> {
    let lists = args.list.into_iter().flat_map(|list| list.items());
    lists.filter_map(move |item| {
        if let Item::List(list) = item {
            Some(Args::new(Some(list), game))
        } else {
            None
        }
    })
}

/// A list of lists of numbers.
fn stops<T: Plain>(k: &mut Keys<'_, '_, '_>, key: &str, value: &mut Option<Vec<T>>) -> Result<()> {
    let read = |args: &Args<'_>, scope: &mut Scope<'_>| {
        let list = inner(args, scope.game)
            .map(|args| read_parts(&args, Unit::Plain))
            .collect::<Result<Vec<T>>>()?;
        match list.len() {
            n if n > 6 => Err(Error::say(format!("{n} stops (a puffer has room for 6)"))
                .of_kind(ErrorKind::Limit)),
            _ => Ok(list),
        }
    };
    k.option(key, value, read, |doc, list| {
        for item in list {
            doc.open();
            doc.floats(&parts(item));
            doc.close();
        }
    })
}

fn growth(k: &mut Keys<'_, '_, '_>, e: &mut PufferState) -> Result<()> {
    let one = F32::from(1.0);
    let first = ScaleStop {
        age: F32::default(),
        scale: one,
    };
    if k.reads() {
        k.take("GROWTH_FACTOR", &mut e.scale_sequence, |args, _| {
            Ok(Some(vec![
                first,
                ScaleStop {
                    age: one,
                    scale: args.number(0)?,
                },
            ]))
        })?;
    } else if let Some([a, b]) = e.scale_sequence.as_deref()
        && *a == first
        && b.age == one
    {
        let scale = b.scale;
        k.put("GROWTH_FACTOR", |doc| doc.float(scale));
        return Ok(());
    }
    stops(k, "SCALE_SEQUENCE", &mut e.scale_sequence)
}
