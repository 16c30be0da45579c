//! Animations on their way back into motions (../../../formats/motion/FORMAT.md).
//!
//! A curve is held against what the export shows of the motion: where it runs as that one does, at its own keys and close enough to each
//! other, the motion's bits stay, however often a program sampled it, and whichever sign its quaternions got. Where it does not, it is
//! sampled at the motion's own times. What a file does not say stays as it was: a program leaves out what does not move.

use super::{super::axes, file::File, plain};
use crate::{
    formats::motion::{Last, Motion, Part},
    wire::{Error, F32, Result, Str, encode_1252},
};
use std::collections::HashMap;

/// What an import did to a motion.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Changes {
    /// Lists of translations or rotations that are others now.
    pub curves: usize,
    /// Parts that are new.
    pub parts: usize,
    /// Sentences on what could not be taken over as it is.
    pub notes: Vec<String>,
}

/// How far off a curve may be that says the same: what quaternions and floats lose when they are sampled anew, and what straight ways
/// between quaternions are off the round ones.
const TURN: f64 = 5e-4;
const SHIFT: f64 = 1e-5;

/// Blender's frames, to which it cuts the end of an animation.
const CUT: f64 = 1.0 / 24.0;

/// Most frames of a motion that an animation makes: an hour at 60 a second.
const FRAMES: usize = 216_000;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    Step,
    Line,
    /// Keys with tangents on both sides.
    Cubic,
}

/// A curve of `N` numbers.
#[derive(Clone, Debug)]
struct Curve<const N: usize> {
    way: Way,
    times: Vec<f64>,
    /// Of a cubic one: the tangent in, the value, and the tangent out of each key.
    values: Vec<[f64; N]>,
}

fn near<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn unit<const N: usize>(v: [f64; N]) -> [f64; N] {
    let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
    if length > 1e-12 { v.map(|v| v / length) } else { v }
}

/// A quaternion or its opposite, whichever is nearer to another.
fn toward<const N: usize>(v: [f64; N], other: &[f64; N]) -> [f64; N] {
    let dot: f64 = v.iter().zip(other).map(|(a, b)| a * b).sum();
    if N == 4 && dot < 0.0 { v.map(|v| -v) } else { v }
}

/// On the way from one value to another: straight, or of quaternions round.
fn between<const N: usize>(a: [f64; N], b: [f64; N], part: f64, round: bool) -> [f64; N] {
    let b = toward(b, &a);
    let mix = |p: f64, q: f64| std::array::from_fn(|i| a.get(i).copied().unwrap_or(0.0) * p + b.get(i).copied().unwrap_or(0.0) * q);
    if N != 4 {
        return mix(1.0 - part, part);
    }
    let dot: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
    let angle = libm::acos(dot.clamp(-1.0, 1.0));
    let sine = libm::sin(angle);
    if !round || sine < 1e-9 {
        unit(mix(1.0 - part, part))
    } else {
        unit(mix(libm::sin((1.0 - part) * angle) / sine, libm::sin(part * angle) / sine))
    }
}

impl<const N: usize> Curve<N> {
    fn key(&self, i: usize) -> [f64; N] {
        let i = if self.way == Way::Cubic { 3 * i + 1 } else { i };
        self.values.get(i).copied().unwrap_or([0.0; N])
    }

    fn end(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    fn at(&self, time: f64, round: bool) -> [f64; N] {
        let behind = self.times.partition_point(|t| *t <= time);
        let Some(before) = behind.checked_sub(1) else { return self.key(0) };
        let (Some(from), Some(to)) = (self.times.get(before), self.times.get(behind)) else { return self.key(before) };
        let span = to - from;
        let part = if span > 0.0 { (time - from) / span } else { 0.0 };
        match self.way {
            Way::Step => self.key(before),
            Way::Line => between(self.key(before), self.key(behind), part, round),
            Way::Cubic => {
                let tangent = |i: usize| self.values.get(i).copied().unwrap_or([0.0; N]);
                let (out, into) = (tangent(3 * before + 2), tangent(3 * behind));
                let (a, b) = (self.key(before), self.key(behind));
                let (s, s2, s3) = (part, part * part, part * part * part);
                let value = std::array::from_fn(|i| {
                    let [a, b, out, into] = [a, b, out, into].map(|v| v.get(i).copied().unwrap_or(0.0));
                    (2.0 * s3 - 3.0 * s2 + 1.0) * a
                        + span * (s3 - 2.0 * s2 + s) * out
                        + (-2.0 * s3 + 3.0 * s2) * b
                        + span * (s3 - s2) * into
                });
                if N == 4 { unit(value) } else { value }
            }
        }
    }

    /// The value at a time where a key stands: without what the way to it makes of the bits.
    fn sampled(&self, time: f64) -> [f64; N] {
        let close = |i: &usize| self.times.get(*i).is_some_and(|t| (t - time).abs() <= 1e-6 * time.abs().max(1.0));
        let behind = self.times.partition_point(|t| *t < time);
        [behind, behind.wrapping_sub(1)].into_iter().find(|i| close(i)).map_or_else(|| self.at(time, true), |i| self.key(i))
    }

    /// True where the other one says the same wherever this one has a key, and has keys often enough to say anything.
    fn follows(&self, own: &Curve<N>, least: f64) -> bool {
        let same = |time: &f64, value: [f64; N]| {
            let time = time.clamp(0.0, own.end());
            [true, false].into_iter().any(|round| {
                let wanted = own.at(time, round);
                near(&toward(value, &wanted), &wanted) <= least
            })
        };
        let step = own.times.get(1).copied().unwrap_or(0.0);
        let mut gaps = self.times.iter().zip(self.times.iter().skip(1)).map(|(a, b)| b - a);
        let often = gaps.all(|gap| gap <= step * 1.001 + 1e-6) && self.end() + CUT >= own.end() && self.end() <= own.end() + CUT;
        let still = (1..own.times.len()).all(|i| near(&own.key(i), &own.key(0)) <= least);
        (often || still) && self.times.iter().enumerate().all(|(i, time)| same(time, self.key(i)))
    }
}

fn curve<const N: usize>(file: &File, animation: usize, sampler: usize) -> Result<Curve<N>> {
    let place = |e: Error| e.within(format!("animations[{animation}].samplers[{sampler}]"));
    let stored = file.root.animations.get(animation).and_then(|a| a.samplers.get(sampler));
    let stored = stored.ok_or_else(|| place(Error::say("there is no such curve")))?;
    let way = match stored.interpolation.as_deref() {
        None | Some("LINEAR") => Way::Line,
        Some("STEP") => Way::Step,
        Some("CUBICSPLINE") => Way::Cubic,
        Some(other) => return Err(place(Error::say(format!("a curve of the kind {other:?}")))),
    };
    let times: Vec<f64> = file.values::<1>(stored.input).map_err(place)?.into_iter().map(|[t]| f64::from(t)).collect();
    let values: Vec<[f64; N]> = file.values::<N>(stored.output).map_err(place)?.into_iter().map(|v| v.map(f64::from)).collect();
    let wanted = if way == Way::Cubic { times.len().saturating_mul(3) } else { times.len() };
    if times.is_empty() || values.len() != wanted {
        return Err(place(Error::say(format!("{} values for {} times", values.len(), times.len()))));
    }
    if times.iter().zip(times.iter().skip(1)).any(|(a, b)| a >= b) || times.first().is_some_and(|t| *t < 0.0) {
        return Err(place(Error::say("its times do not rise from 0 on")));
    }
    let mut curve = Curve { way, times, values };
    if N == 4 && way != Way::Cubic {
        curve.values.iter_mut().for_each(|v| *v = unit(*v));
    }
    Ok(curve)
}

/// The curves of a node.
#[derive(Default)]
struct Moves {
    translation: Option<Curve<3>>,
    rotation: Option<Curve<4>>,
    scale: Option<Curve<3>>,
}

/// The animation that is meant: the one of the member's name, or the only one.
fn pick(file: &File, name: &str) -> Result<usize> {
    let all = &file.root.animations;
    let called = |wanted: &dyn Fn(&str) -> bool| all.iter().position(|a| wanted(&a.name));
    let found = called(&|n| n.eq_ignore_ascii_case(name)).or_else(|| called(&|n| plain(n).eq_ignore_ascii_case(name)));
    match (found, all.len()) {
        (Some(found), _) => Ok(found),
        (None, 1) => Ok(0),
        (None, 0) => Err(Error::say("it has no animation").hint("in Blender, export with Animation switched on")),
        (None, _) => {
            let names: Vec<String> = all.iter().take(8).map(|a| format!("{:?}", a.name)).collect();
            Err(Error::say(format!("none of its {} animations is called {name:?}: {}", all.len(), names.join(", ")))
                .hint("name the member as the animation is called"))
        }
    }
}

fn moves(file: &File, animation: usize, notes: &mut Vec<String>) -> Result<HashMap<usize, Moves>> {
    let mut out: HashMap<usize, Moves> = HashMap::new();
    let mut other = 0;
    for channel in file.root.animations.get(animation).into_iter().flat_map(|a| &a.channels) {
        let Some(node) = channel.target.node else { continue };
        let moves = out.entry(node).or_default();
        match channel.target.path.as_str() {
            "translation" => moves.translation = Some(curve(file, animation, channel.sampler)?),
            "rotation" => moves.rotation = Some(curve(file, animation, channel.sampler)?),
            "scale" => moves.scale = Some(curve(file, animation, channel.sampler)?),
            _ => other += 1,
        }
    }
    if other > 0 {
        notes.push(format!("curves that move neither place nor turn are left out: {other}"));
    }
    Ok(out)
}

/// The frames of a list with the closing one, as the export shows them.
fn shown<T: Copy, const N: usize>(list: &[T], last: Option<T>, convert: impl Fn(&T) -> Option<[f32; N]>) -> Option<Vec<[f64; N]>> {
    let last = last.or(list.first().copied());
    list.iter().chain(&last).map(|v| convert(v).map(|v| v.map(f64::from))).collect()
}

/// When the frames are, and how many there are without the closing one.
struct Pace {
    /// Seconds of all.
    length: f64,
    frames: usize,
}

impl Pace {
    fn times(&self) -> Vec<f64> {
        // As the export gives them: in single precision.
        let step = self.length / self.frames.max(1) as f64;
        (0..=self.frames).map(|i| f64::from((i as f64 * step) as f32)).collect()
    }
}

/// A curve at a motion's times; `closes` says that the motion ends as it begins, so that what a program cut off at the end leads there.
fn resample<const N: usize>(curve: &Curve<N>, pace: &Pace, closes: bool) -> Vec<[f64; N]> {
    let mut curve = curve.clone();
    let short = pace.length - curve.end();
    if closes && curve.way != Way::Cubic && short > 1e-6 && short <= CUT {
        curve.values.push(curve.key(0));
        curve.times.push(pace.length);
    }
    let mut out: Vec<[f64; N]> = pace.times().into_iter().map(|time| curve.sampled(time)).collect();
    for i in 1..out.len() {
        if let Some(before) = out.get(i - 1).copied()
            && let Some(slot) = out.get_mut(i)
        {
            *slot = toward(*slot, &before);
        }
    }
    out
}

/// A list of frames, and the closing one where it is not the first again.
fn list<T: Copy + PartialEq, const N: usize>(
    mut values: Vec<[f64; N]>,
    least: f64,
    convert: impl Fn([f32; N]) -> T,
) -> (Vec<T>, Option<T>) {
    let last = values.pop().unwrap_or([0.0; N]);
    let closes = values.first().is_some_and(|first| near(&toward(last, first), first) <= least);
    let to = |v: [f64; N]| convert(v.map(|v| v as f32));
    (values.into_iter().map(to).collect(), (!closes).then(|| to(last)))
}

/// Puts an animation of a file into the motion that is called so.
///
/// Fails where the file has none of the name, and on curves that are damaged.
pub fn apply(before: &Motion, name: &str, file: &File) -> Result<(Motion, Changes)> {
    let mut changes = Changes::default();
    let animation = pick(file, name)?;
    let mut moves = moves(file, animation, &mut changes.notes)?;
    let own_frames = before.parts.iter().find_map(Part::frame_count).unwrap_or_default();
    let own_length = f64::from(before.loop_time.get());
    let own = Pace { length: own_length, frames: own_frames };
    let regular = own_frames > 0 && own_length.is_finite() && own_length > 0.0;
    let ends = moves.values().flat_map(|m| [m.translation.as_ref().map(Curve::end), m.rotation.as_ref().map(Curve::end)]);
    let end = ends.flatten().fold(0.0, f64::max);
    // A still animation says no length: one key is enough for it.
    let longer = end > own_length + CUT || (end > 0.0 && end < own_length - CUT);
    let pace = match (regular, longer) {
        (true, false) => Pace { ..own },
        (true, true) => {
            let frames = ((end / own_length * own_frames as f64).round() as usize).clamp(1, FRAMES);
            changes.notes.push(format!(
                "it takes {end:.3} s where it took {own_length:.3} s: {frames} frames at the rate of the {own_frames} that it had"
            ));
            Pace { length: end, frames }
        }
        (false, _) if end > 0.0 => {
            let keys = moves.values().filter_map(|m| m.rotation.as_ref().map(|c| c.times.len())).max().unwrap_or(2);
            Pace { length: end, frames: keys.saturating_sub(1).clamp(1, FRAMES) }
        }
        (false, _) => return Err(Error::say("neither the motion nor the animation takes any time")),
    };
    let paced = longer || !regular;
    let mut motion = before.clone();
    let nodes: HashMap<String, usize> = {
        let mut nodes = HashMap::new();
        for exact in [true, false] {
            for (i, node) in file.root.nodes.iter().enumerate() {
                let name = if exact { node.name.as_str() } else { plain(&node.name) };
                nodes.entry(name.to_lowercase()).or_insert(i);
            }
        }
        nodes
    };
    let mut silent = 0usize;
    let mut scaled = 0usize;
    let mut taken = std::collections::HashSet::new();
    for part in &mut motion.parts {
        let node = nodes.get(&part.name.text().to_lowercase()).copied().filter(|node| taken.insert(*node));
        let found = node.and_then(|node| moves.remove(&node));
        let rest = node.and_then(|node| file.root.nodes.get(node)).cloned().unwrap_or_default();
        silent += usize::from(found.is_none());
        let found = found.unwrap_or_default();
        if part.scales.is_none() && found.scale.as_ref().is_some_and(|c| (0..c.times.len()).any(|i| near(&c.key(i), &[1.0; 3]) > 1e-4)) {
            scaled += 1;
        }
        let mut last = part.last.clone().unwrap_or_default();
        let size = part.translations.iter().flatten().flatten().map(|v| f64::from(v.get()).abs()).fold(1.0, f64::max);
        if let Some((new, end)) = edited(
            part.translations.as_deref(),
            last.translation,
            found.translation.as_ref(),
            rest.translation.unwrap_or([0.0; 3]),
            SHIFT * size,
            (&own, &pace, paced),
            axes::point,
            axes::game_point,
        ) {
            (part.translations, last.translation) = (Some(new), end);
            changes.curves += 1;
        }
        if let Some((new, end)) = edited(
            part.rotations.as_deref(),
            last.rotation,
            found.rotation.as_ref(),
            rest.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]),
            TURN,
            (&own, &pace, paced),
            axes::rotation,
            axes::game_rotation,
        ) {
            (part.rotations, last.rotation) = (Some(new), end);
            changes.curves += 1;
        }
        if paced && let Some(scales) = &mut part.scales {
            // No known motion has any: they are held where they were, each for its time.
            let count = scales.len().max(1);
            *scales = (0..pace.frames).filter_map(|i| scales.get(i * count / pace.frames.max(1)).copied()).collect();
        }
        part.last = (last != Last::default()).then_some(last);
    }
    // What moves and is no part yet becomes one; what a program only wrote down where it stands does not.
    let mut new: Vec<(usize, Moves)> = moves.into_iter().collect();
    new.sort_by_key(|(node, _)| *node);
    for (node, moves) in new {
        let Some(stored) = file.root.nodes.get(node) else { continue };
        let rest = (stored.translation.unwrap_or([0.0; 3]), stored.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
        let shifts = moves.translation.as_ref().is_some_and(|c| (0..c.times.len()).any(|i| near(&c.key(i), &rest.0) > SHIFT));
        let turns = moves.rotation.as_ref().is_some_and(|c| (0..c.times.len()).any(|i| near(&toward(c.key(i), &rest.1), &rest.1) > TURN));
        if !shifts && !turns {
            continue;
        }
        let still3 = Curve { way: Way::Step, times: vec![0.0], values: vec![rest.0] };
        let still4 = Curve { way: Way::Step, times: vec![0.0], values: vec![rest.1] };
        let (translations, translation) =
            list(resample(moves.translation.as_ref().unwrap_or(&still3), &pace, true), SHIFT, axes::game_point);
        let (rotations, rotation) = list(resample(moves.rotation.as_ref().unwrap_or(&still4), &pace, true), TURN, axes::game_rotation);
        let last = Last { translation, rotation, scale: None };
        let name = Str(encode_1252(plain(&stored.name)).map_err(|e| e.within(format!("nodes[{node}].name")))?);
        motion.parts.push(Part {
            name,
            translations: Some(translations),
            scales: None,
            rotations: Some(rotations),
            last: (last != Last::default()).then_some(last),
        });
        changes.parts += 1;
    }
    if paced {
        motion.loop_time = F32::from(pace.length as f32);
        motion.frame_count = None;
    }
    let mut say = |n: usize, what: &str| {
        if n > 0 {
            changes.notes.push(format!("{what}: {n}"));
        }
    };
    say(silent, "parts that nothing moves in the file stay as they were");
    say(scaled, "parts that change their size, which motions of the games do not, keep it");
    if changes == (Changes { notes: changes.notes.clone(), ..Changes::default() }) && !paced {
        return Ok((before.clone(), changes));
    }
    Ok((motion, changes))
}

/// A list of frames as a curve says it; nothing where it says what is there.
#[allow(clippy::too_many_arguments)] // both kinds of lists share all of it
fn edited<T: Copy + PartialEq, const N: usize>(
    list_before: Option<&[T]>,
    last: Option<T>,
    found: Option<&Curve<N>>,
    rest: [f64; N],
    least: f64,
    (own, pace, paced): (&Pace, &Pace, bool),
    show: impl Fn(&T) -> Option<[f32; N]>,
    back: impl Fn([f32; N]) -> T,
) -> Option<(Vec<T>, Option<T>)> {
    let before = list_before.and_then(|frames| shown(frames, last, &show));
    let own_curve = before.map(|values| Curve { way: Way::Line, times: own.times(), values });
    let closes = last.is_none();
    let curve = match (found, &own_curve) {
        (Some(found), Some(own)) if !paced && found.follows(own, least) => return None,
        (Some(found), _) => {
            // A list that was not there, and that a program wrote down where the node stands.
            if list_before.is_none() && (0..found.times.len()).all(|i| near(&toward(found.key(i), &rest), &rest) <= least) {
                return None;
            }
            found.clone()
        }
        // Another length, and nothing said of this list: it goes on at the new times.
        (None, Some(own)) if paced => own.clone(),
        (None, _) => return None,
    };
    Some(list(resample(&curve, pace, closes), least, back))
}
