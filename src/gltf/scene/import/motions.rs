//! Imports animations into motions (../../../formats/motion/FORMAT.md).
//!
//! A curve is compared with the export of the motion. If they agree at the curve's own keys, and
//! these are close enough to each other, the motion's bits stay, regardless of the sampling rate
//! and of the signs of quaternions. Otherwise the curve is sampled at the motion's own times.
//! Whatever the file does not contain stays unchanged: programs omit what does not move.

use super::{
    super::{axes, glb::first_name},
    file::{GltfFile, Node},
    plain, scene,
};
use refit_base::wire::{Derived, Error, F32, Result, Str, encode_1252};
use refit_zipper::motion::{Last, Motion, Part};
use std::collections::{HashMap, HashSet};

/// The effects of an import on a motion.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Changes {
    /// Changed lists of translations or rotations.
    pub curves: usize,
    /// New parts.
    pub parts: usize,
    /// Sentences on what could not be imported faithfully.
    pub notes: Vec<String>,
    /// Sentences on what was ignored in the file.
    pub lost: Vec<String>,
}

/// Tolerances for curves: the loss of precision when quaternions and floats are sampled again, and
/// the difference between linear and spherical interpolation.
const TURN: f64 = 5e-4;
const SHIFT: f64 = 1e-5;

/// One frame of Blender, by which it may cut the end of an animation.
const CUT: f64 = 1.0 / 24.0;

/// Maximum number of frames in a motion made from an animation: an hour at 60 per second.
const FRAMES: usize = 216_000;

/// Maximum number of frames in all parts of a sampled motion: some hundred times those of the
/// largest archives.
const PLACES: usize = 1 << 22;

/// Default frame rate per second, for keys without a regular distance in an archive without other
/// motions.
const RATE: f64 = 30.0;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    Step,
    Line,
    /// Keys with tangents on both sides.
    Cubic,
}

/// A curve with values of `N` numbers.
#[derive(Clone, Debug)]
struct Curve<const N: usize> {
    way: Way,
    times: Vec<f64>,
    /// For a cubic curve: in-tangent, value and out-tangent of each key.
    values: Vec<[f64; N]>,
}

fn near<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max)
}

fn unit<const N: usize>(v: [f64; N]) -> [f64; N] {
    let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
    if length > 1e-12 {
        v.map(|v| v / length)
    } else {
        v
    }
}

/// The quaternion or its negative, whichever is nearer to `other`.
fn toward<const N: usize>(v: [f64; N], other: &[f64; N]) -> [f64; N] {
    let dot: f64 = v.iter().zip(other).map(|(a, b)| a * b).sum();
    if N == 4 && dot < 0.0 {
        v.map(|v| -v)
    } else {
        v
    }
}

/// Interpolates between two values: linearly, or spherically for quaternions if `round`.
fn between<const N: usize>(a: [f64; N], b: [f64; N], part: f64, round: bool) -> [f64; N] {
    let b = toward(b, &a);
    let mix = |p: f64, q: f64| {
        std::array::from_fn(|i| {
            a.get(i).copied().unwrap_or(0.0) * p + b.get(i).copied().unwrap_or(0.0) * q
        })
    };
    if N != 4 {
        return mix(1.0 - part, part);
    }
    let dot: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
    let angle = libm::acos(dot.clamp(-1.0, 1.0));
    let sine = libm::sin(angle);
    if !round || sine < 1e-9 {
        unit(mix(1.0 - part, part))
    } else {
        unit(mix(
            libm::sin((1.0 - part) * angle) / sine,
            libm::sin(part * angle) / sine,
        ))
    }
}

impl<const N: usize> Curve<N> {
    fn key(&self, i: usize) -> [f64; N] {
        let i = if self.way == Way::Cubic { 3 * i + 1 } else { i };
        self.values.get(i).copied().unwrap_or([0.0; N])
    }

    fn start(&self) -> f64 {
        self.times.first().copied().unwrap_or(0.0)
    }

    /// True if a key differs from a value.
    fn leaves(&self, value: &[f64; N], least: f64) -> bool {
        (0..self.times.len()).any(|i| near(&toward(self.key(i), value), value) > least)
    }

    fn end(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    fn at(&self, time: f64, round: bool) -> [f64; N] {
        let behind = self.times.partition_point(|t| *t <= time);
        let Some(before) = behind.checked_sub(1) else {
            return self.key(0);
        };
        let (Some(from), Some(to)) = (self.times.get(before), self.times.get(behind)) else {
            return self.key(before);
        };
        let span = to - from;
        let part = if span > 0.0 {
            (time - from) / span
        } else {
            0.0
        };
        match self.way {
            Way::Step => self.key(before),
            Way::Line => between(self.key(before), self.key(behind), part, round),
            Way::Cubic => {
                let tangent = |i: usize| self.values.get(i).copied().unwrap_or([0.0; N]);
                let (out, into) = (tangent(3 * before + 2), tangent(3 * behind));
                let (a, b) = (self.key(before), self.key(behind));
                let (s, s2, s3) = (part, part * part, part * part * part);
                let value = std::array::from_fn(|i| {
                    let [a, b, out, into] =
                        [a, b, out, into].map(|v| v.get(i).copied().unwrap_or(0.0));
                    (2.0 * s3 - 3.0 * s2 + 1.0) * a
                        + span * (s3 - 2.0 * s2 + s) * out
                        + (-2.0 * s3 + 3.0 * s2) * b
                        + span * (s3 - s2) * into
                });
                if N == 4 { unit(value) } else { value }
            }
        }
    }

    fn key_at(&self, time: f64) -> Option<usize> {
        let close = |i: &usize| {
            self.times
                .get(*i)
                .is_some_and(|t| (t - time).abs() <= 1e-6 * time.abs().max(1.0))
        };
        let behind = self.times.partition_point(|t| *t < time);
        [behind, behind.wrapping_sub(1)].into_iter().find(close)
    }

    /// The value at a time; at a key the exact value, without the rounding of interpolation.
    fn sampled(&self, time: f64) -> [f64; N] {
        self.key_at(time)
            .map_or_else(|| self.at(time, true), |i| self.key(i))
    }

    /// For each key of this curve, whether the other curve has the same value there.
    fn agrees(&self, own: &Curve<N>, least: f64) -> Vec<bool> {
        let same = |(i, time): (usize, &f64)| {
            let (time, value) = (time.clamp(0.0, own.end()), self.key(i));
            [true, false].into_iter().any(|round| {
                let wanted = own.at(time, round);
                near(&toward(value, &wanted), &wanted) <= least
            })
        };
        self.times.iter().enumerate().map(same).collect()
    }

    /// True if the other curve agrees at all keys of this one, and the keys are dense enough to
    /// show any edit: an edited frame affects the interval between its neighbours, so at least one
    /// key must be in it.
    fn follows(&self, own: &Curve<N>, agrees: &[bool], least: f64) -> bool {
        let mut gaps = self
            .times
            .iter()
            .zip(self.times.iter().skip(1))
            .map(|(a, b)| b - a);
        let often = gaps.all(|gap| gap <= self.widest(own))
            && self.end() + CUT >= own.end()
            && self.end() <= own.end() + CUT;
        let still = (1..own.times.len()).all(|i| near(&own.key(i), &own.key(0)) <= least);
        (often || still) && !agrees.contains(&false)
    }

    /// The widest gap between keys that still shows an edit of the other curve's frames.
    fn widest(&self, own: &Curve<N>) -> f64 {
        let frame = own.times.get(1).copied().unwrap_or(0.0);
        if self.way == Way::Line {
            1.9 * frame
        } else {
            1.001 * frame + 1e-6
        }
    }

    /// The distance of the keys, if they are sparser than a motion's frames and not at frame times.
    fn is_coarse(&self, own: &Pace) -> Option<f64> {
        let step = own.length / own.frames.max(1) as f64;
        let gap = (self.end() - self.start()) / self.times.len().saturating_sub(1).max(1) as f64;
        let between = self
            .times
            .iter()
            .any(|t| (t / step - (t / step).round()).abs() > 0.01 && own.length - t > step / 2.0);
        (between && gap > 1.02 * step).then_some(gap)
    }

    /// True if nothing around a time changed, given the keys of this curve that agree.
    fn holds(&self, own: &Curve<N>, agrees: &[bool], time: f64) -> bool {
        let agree = |i: usize| agrees.get(i) == Some(&true);
        if let Some(key) = self.key_at(time) {
            return agree(key);
        }
        if self.way != Way::Line {
            return false;
        }
        let behind = self.times.partition_point(|t| *t < time);
        match (behind.checked_sub(1), self.times.get(behind)) {
            (Some(before), Some(next)) => {
                let gap = next - self.times.get(before).copied().unwrap_or(0.0);
                gap <= self.widest(own) && agree(before) && agree(behind)
            }
            (Some(before), None) => time - self.end() <= CUT && agree(before),
            (None, _) => agree(0),
        }
    }
}

fn curve<const N: usize>(file: &GltfFile, animation: usize, sampler: usize) -> Result<Curve<N>> {
    let place = |e: Error| e.within(format!("animations[{animation}].samplers[{sampler}]"));
    let stored = file
        .root
        .animations
        .get(animation)
        .and_then(|a| a.samplers.get(sampler));
    let stored = stored.ok_or_else(|| place(Error::say("there is no such curve")))?;
    let way = match stored.interpolation.as_deref() {
        None | Some("LINEAR") => Way::Line,
        Some("STEP") => Way::Step,
        Some("CUBICSPLINE") => Way::Cubic,
        Some(other) => return Err(place(Error::say(format!("a curve of the kind {other:?}")))),
    };
    let times: Vec<f64> = file
        .values::<1>(stored.input)
        .map_err(place)?
        .into_iter()
        .map(|[t]| f64::from(t))
        .collect();
    let values: Vec<[f64; N]> = file
        .values::<N>(stored.output)
        .map_err(place)?
        .into_iter()
        .map(|v| v.map(f64::from))
        .collect();
    let wanted = if way == Way::Cubic {
        times.len().saturating_mul(3)
    } else {
        times.len()
    };
    if times.is_empty() || values.len() != wanted {
        return Err(place(Error::say(format!(
            "{} values for {} times",
            values.len(),
            times.len()
        ))));
    }
    if times.iter().zip(times.iter().skip(1)).any(|(a, b)| a >= b)
        || times.first().is_some_and(|t| *t < 0.0)
    {
        return Err(place(Error::say("its times do not increase from 0")));
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

impl Moves {
    /// Moves all keys to an earlier time.
    fn shift(&mut self, seconds: f64) {
        let times = self
            .translation
            .iter_mut()
            .chain(&mut self.scale)
            .map(|c| &mut c.times);
        let times = times.chain(self.rotation.as_mut().map(|c| &mut c.times));
        times.flatten().for_each(|t| *t = (*t - seconds).max(0.0));
    }

    /// The times of the keys that move or turn the node.
    fn times(&self) -> impl Iterator<Item = &Vec<f64>> {
        self.translation
            .iter()
            .map(|c| &c.times)
            .chain(self.rotation.iter().map(|c| &c.times))
    }

    /// True if the node changes its size.
    fn scales(&self) -> bool {
        self.scale
            .as_ref()
            .is_some_and(|c| c.leaves(&[1.0; 3], 1e-4))
    }
}

/// Finds the animation: the one with the member's name, or the only one.
pub fn pick(file: &GltfFile, name: &str) -> Result<usize> {
    let all = &file.root.animations;
    let called = |wanted: &dyn Fn(&str) -> bool| all.iter().position(|a| wanted(&a.name));
    let found = called(&|n| n.eq_ignore_ascii_case(name))
        .or_else(|| called(&|n| plain(n).eq_ignore_ascii_case(name)));
    match (found, all.len()) {
        (Some(found), _) => Ok(found),
        (None, 1) => Ok(0),
        (None, 0) => {
            Err(Error::say("it has no animation")
                .hint("in Blender, export with Animation switched on"))
        }
        (None, _) => {
            let names: Vec<String> = all
                .iter()
                .take(8)
                .map(|a| format!("{:?}", a.name))
                .collect();
            Err(Error::say(format!(
                "none of its {} animations is named {name:?}: {}",
                all.len(),
                names.join(", ")
            ))
            .hint("give the member the name of the animation"))
        }
    }
}

fn moves(
    file: &GltfFile,
    animation: usize,
    lost: &mut Vec<String>,
) -> Result<HashMap<usize, Moves>> {
    let mut out: HashMap<usize, Moves> = HashMap::new();
    let mut other = 0;
    for channel in file
        .root
        .animations
        .get(animation)
        .into_iter()
        .flat_map(|a| &a.channels)
    {
        let Some(node) = channel.target.node else {
            continue;
        };
        let moves = out.entry(node).or_default();
        match channel.target.path.as_str() {
            "translation" => moves.translation = Some(curve(file, animation, channel.sampler)?),
            "rotation" => moves.rotation = Some(curve(file, animation, channel.sampler)?),
            "scale" => moves.scale = Some(curve(file, animation, channel.sampler)?),
            _ => other += 1,
        }
    }
    if other > 0 {
        lost.push(format!(
            "curves of neither translation nor rotation are left out: {other}"
        ));
    }
    Ok(out)
}

/// The frames of a list including the closing one, as in the export.
fn shown<T: Copy, const N: usize>(
    list: &[T],
    last: Option<T>,
    convert: impl Fn(&T) -> Option<[f32; N]>,
) -> Option<Vec<[f64; N]>> {
    let last = last.or(list.first().copied());
    list.iter()
        .chain(&last)
        .map(|v| convert(v).map(|v| v.map(f64::from)))
        .collect()
}

/// The times of frames, and their number without the closing one.
struct Pace {
    /// Total length in seconds.
    length: f64,
    frames: usize,
}

impl Pace {
    fn times(&self) -> Vec<f64> {
        // In single precision, as in the export.
        let step = self.length / self.frames.max(1) as f64;
        (0..=self.frames)
            .map(|i| f64::from((i as f64 * step) as f32))
            .collect()
    }
}

/// Samples a curve at a motion's times. If `closes`, the motion ends as it begins, and an end that
/// a program cut off is interpolated towards the start.
fn resample<const N: usize>(curve: &Curve<N>, pace: &Pace, closes: bool) -> Vec<[f64; N]> {
    let mut curve = curve.clone();
    let short = pace.length - curve.end();
    if closes && curve.way != Way::Cubic && short > 1e-6 && short <= CUT {
        curve.values.push(curve.key(0));
        curve.times.push(pace.length);
    }
    let mut out: Vec<[f64; N]> = pace
        .times()
        .into_iter()
        .map(|time| curve.sampled(time))
        .collect();
    for i in 1..out.len() {
        if let Some(before) = out.get(i - 1).copied()
            && let Some(slot) = out.get_mut(i)
        {
            *slot = toward(*slot, &before);
        }
    }
    out
}

/// A list of frames, and the closing one if it differs from the first.
fn list<T: Copy + PartialEq, const N: usize>(
    mut values: Vec<[f64; N]>,
    least: f64,
    convert: impl Fn([f32; N]) -> T,
) -> (Vec<T>, Option<T>) {
    let last = values.pop().unwrap_or([0.0; N]);
    let closes = values
        .first()
        .is_some_and(|first| near(&toward(last, first), first) <= least);
    let to = |v: [f64; N]| convert(v.map(|v| v as f32));
    (
        values.into_iter().map(to).collect(),
        (!closes).then(|| to(last)),
    )
}

/// Applies an animation of a file to a motion. Returns an error for invalid curves.
pub fn apply(before: &Motion, animation: usize, file: &GltfFile) -> Result<(Motion, Changes)> {
    let mut changes = Changes::default();
    let mut moves = moves(file, animation, &mut changes.lost)?;
    let own_frames = before
        .parts
        .iter()
        .find_map(Part::frame_count)
        .unwrap_or_default();
    let own_length = f64::from(before.loop_time.get());
    let own = Pace {
        length: own_length,
        frames: own_frames,
    };
    let regular = own_frames > 0 && own_length.is_finite() && own_length > 0.0;
    let mut end = end_of(&moves);
    // If all keys begin later, and the rest has the length of the motion, the animation was shifted
    // as a whole, by a program whose first frame is 1.
    let begin = begin(&moves);
    if regular
        && begin > 1e-6
        && begin.is_finite()
        && (end - begin - own_length).abs() < (end - own_length).abs()
    {
        moves.values_mut().for_each(|m| m.shift(begin));
        end = end_of(&moves);
        changes.notes.push(first_key(begin));
    }
    let (pace, paced) = new_pace(&own, regular, end, &moves, &mut changes.notes)?;
    if paced {
        room(pace.frames, before.parts.len().saturating_add(moves.len()))?;
    }
    let mut motion = before.clone();
    let nodes = by_name(file);
    let (mut silent, mut scaled) = (0usize, 0usize);
    let mut coarse: Option<f64> = None;
    let mut taken = HashSet::new();
    for part in &mut motion.parts {
        let node = node_of(&nodes, &part.name).filter(|node| taken.insert(*node));
        let found = node.and_then(|node| moves.remove(&node));
        let rest = node
            .and_then(|node| file.root.nodes.get(node))
            .cloned()
            .unwrap_or_default();
        silent += usize::from(found.is_none());
        let found = found.unwrap_or_default();
        scaled += usize::from(part.scales.is_none() && found.scales());
        let mut last = part.last.clone().unwrap_or_default();
        let size = part
            .translations
            .iter()
            .flatten()
            .flatten()
            .map(|v| f64::from(v.get()).abs())
            .fold(1.0, f64::max);
        if edited(
            (&mut part.translations, &mut last.translation),
            found.translation.as_ref(),
            rest.translation.unwrap_or([0.0; 3]),
            SHIFT * size,
            (&own, &pace, paced),
            (axes::point, axes::game_point, kept),
        ) {
            changes.curves += 1;
            coarse = coarse.or(found.translation.and_then(|c| c.is_coarse(&own)));
        }
        if edited(
            (&mut part.rotations, &mut last.rotation),
            found.rotation.as_ref(),
            rest.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]),
            TURN,
            (&own, &pace, paced),
            // A quaternion is one value.
            (axes::rotation, axes::game_rotation, |now, _, _| now),
        ) {
            changes.curves += 1;
            coarse = coarse.or(found.rotation.and_then(|c| c.is_coarse(&own)));
        }
        if paced && let Some(scales) = &mut part.scales {
            // No known motion has scales: keep each for its share of the time.
            let count = scales.len().max(1);
            *scales = (0..pace.frames)
                .filter_map(|i| scales.get(i * count / pace.frames.max(1)).copied())
                .collect();
        }
        part.last = (last != Last::default()).then_some(last);
    }
    changes.parts = add_parts(&mut motion, moves, &pace, file)?;
    if paced {
        motion.loop_time = F32::from(pace.length as f32);
        motion.frame_count = None;
    }
    if silent > 0 {
        changes.notes.push(format!(
            "parts without curves in the file stay unchanged: {silent}"
        ));
    }
    if scaled > 0 {
        changes.lost.push(format!("{SCALED}: {scaled}"));
    }
    if let (Some(gap), false) = (coarse, paced) {
        let step = own_length / own_frames.max(1) as f64;
        changes.notes.push(format!(
            "its keys are {gap:.4} s apart and fall between the motion's frames, which are {step:.4} s apart: what was \
            edited is blunted, and reaches into the frames beside it (in Blender untick Sampling Animations, or set \
            the scene to {:.0} frames a second before the animation is imported)",
            1.0 / step
        ));
    }
    if changes.curves == 0 && changes.parts == 0 && !paced {
        return Ok((before.clone(), changes));
    }
    Ok((motion, changes))
}

/// The times of the edited motion, and whether its frames have to be sampled again. `regular` is
/// false for a motion without a length.
fn new_pace(
    own: &Pace,
    regular: bool,
    end: f64,
    moves: &HashMap<usize, Moves>,
    notes: &mut Vec<String>,
) -> Result<(Pace, bool)> {
    let (length, frames) = (own.length, own.frames);
    // A still animation has no length: a single key is enough for it.
    let longer = end > length + CUT || (end > 0.0 && end < length - CUT);
    if regular && !longer {
        return Ok((Pace { ..*own }, false));
    }
    if regular {
        let new = ((end / length * frames as f64).round() as usize).clamp(1, FRAMES);
        notes.push(format!(
            "it takes {end:.3} s where it took {length:.3} s: {new} frames at the rate of the {frames} that it had"
        ));
        return Ok((
            Pace {
                length: end,
                frames: new,
            },
            true,
        ));
    }
    if end <= 0.0 {
        return Err(Error::say(
            "neither the motion nor the animation takes any time",
        ));
    }
    let keys = moves
        .values()
        .filter_map(|m| m.rotation.as_ref().map(|c| c.times.len()))
        .max()
        .unwrap_or(2);
    Ok((
        Pace {
            length: end,
            frames: keys.saturating_sub(1).clamp(1, FRAMES),
        },
        true,
    ))
}

/// Makes parts of moving nodes that are not parts yet, but not if their keys only repeat their rest
/// position. Returns their number.
fn add_parts(
    motion: &mut Motion,
    moves: HashMap<usize, Moves>,
    pace: &Pace,
    file: &GltfFile,
) -> Result<usize> {
    let before = motion.parts.len();
    let mut new: Vec<(usize, Moves)> = moves.into_iter().collect();
    new.sort_by_key(|(node, _)| *node);
    for (node, moves) in new {
        let Some(stored) = file.root.nodes.get(node) else {
            continue;
        };
        let rest = rest(stored);
        let shifts = moves
            .translation
            .as_ref()
            .is_some_and(|c| c.leaves(&rest.0, SHIFT));
        if shifts
            || moves
                .rotation
                .as_ref()
                .is_some_and(|c| c.leaves(&rest.1, TURN))
        {
            motion.parts.push(part(node, stored, Some(&moves), pace)?);
        }
    }
    Ok(motion.parts.len() - before)
}

const SCALED: &str =
    "parts with scale curves, which motions of the games do not have, keep their size";

/// The time of the first key; infinity if there is none.
fn begin(moves: &HashMap<usize, Moves>) -> f64 {
    moves
        .values()
        .flat_map(Moves::times)
        .filter_map(|times| times.first())
        .copied()
        .fold(f64::INFINITY, f64::min)
}

/// The time of the last key; 0 if there is none.
fn end_of(moves: &HashMap<usize, Moves>) -> f64 {
    moves
        .values()
        .flat_map(Moves::times)
        .filter_map(|times| times.last())
        .copied()
        .fold(0.0, f64::max)
}

fn first_key(begin: f64) -> String {
    format!("its first key is at {begin:.3} s: frames count from there")
}

/// Makes a motion end as it begins if `close`; otherwise notes the parts that do not, unless they
/// did not before.
pub fn end(motion: &mut Motion, before: Option<&Motion>, close: bool, notes: &mut Vec<String>) {
    if close {
        // A list without frames consists of only its closing frame.
        motion
            .parts
            .iter_mut()
            .filter(|part| part.frame_count() > Some(0))
            .for_each(|part| part.last = None);
        return;
    }
    let was_open = |name: &Str| {
        before.is_some_and(|m| m.parts.iter().any(|p| p.name == *name && p.last.is_some()))
    };
    let open = motion
        .parts
        .iter()
        .filter(|part| part.last.is_some() && !was_open(&part.name));
    let open: Vec<String> = open.map(|part| format!("{:?}", part.name.text())).collect();
    if !open.is_empty() {
        notes.push(format!(
            "it does not end as it begins, as all known motions do, so that it jumps where it starts again (--loop \
            lets it): {}",
            super::report::listed(&open)
        ));
    }
}

/// The nodes of a file by lower-case name; also by the name without Blender's number.
fn by_name(file: &GltfFile) -> HashMap<String, usize> {
    let mut nodes = HashMap::new();
    for exact in [true, false] {
        for (i, node) in file.root.nodes.iter().enumerate() {
            let name = if exact {
                node.name.as_str()
            } else {
                plain(&node.name)
            };
            nodes.entry(name.to_lowercase()).or_insert(i);
        }
    }
    nodes
}

/// The node that a part moves, by its name or by its exported name.
fn node_of(nodes: &HashMap<String, usize>, part: &Str) -> Option<usize> {
    let name = part.text();
    nodes
        .get(&name.to_lowercase())
        .or_else(|| nodes.get(&first_name(&name).to_lowercase()))
        .copied()
}

/// Returns an error for an excessive number of frames, which would fill the memory.
fn room(frames: usize, parts: usize) -> Result<()> {
    if frames.saturating_mul(parts) <= PLACES {
        return Ok(());
    }
    Err(Error::say(format!(
        "{frames} frames of {parts} parts: too long for a motion"
    ))
    .hint("shorten the animation, or give it keys farther apart"))
}

/// The rest position and rotation of a node.
fn rest(node: &Node) -> ([f64; 3], [f64; 4]) {
    if node.matrix.is_none() {
        return (
            node.translation.unwrap_or([0.0; 3]),
            node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]),
        );
    }
    let rows = scene::local(node);
    (rows.map(|[.., t]| t), scene::turn(&rows))
}

/// A part of a motion from a node's curves, or from its rest position if it has none.
fn part(index: usize, node: &Node, moves: Option<&Moves>, pace: &Pace) -> Result<Part> {
    let (place, turn) = rest(node);
    let still3 = Curve {
        way: Way::Step,
        times: vec![0.0],
        values: vec![place],
    };
    let still4 = Curve {
        way: Way::Step,
        times: vec![0.0],
        values: vec![turn],
    };
    let shift = moves
        .and_then(|m| m.translation.as_ref())
        .unwrap_or(&still3);
    let turn = moves.and_then(|m| m.rotation.as_ref()).unwrap_or(&still4);
    let (translations, translation) = list(resample(shift, pace, true), SHIFT, axes::game_point);
    let (rotations, rotation) = list(resample(turn, pace, true), TURN, axes::game_rotation);
    let last = Last {
        translation,
        rotation,
        scale: None,
    };
    Ok(Part {
        name: Str(
            encode_1252(plain(&node.name)).map_err(|e| e.within(format!("nodes[{index}].name")))?
        ),
        translations: Some(translations),
        scales: None,
        rotations: Some(rotations),
        last: (last != Last::default()).then_some(last),
    })
}

/// What a new motion takes from the archive's other motions.
pub struct Like<'a> {
    /// Another motion of the same 'mech.
    pub sibling: Option<&'a Motion>,
    /// Computes the frame rate of the archive's motions.
    pub rate: &'a dyn Fn() -> Option<f64>,
}

/// The frame rate of a motion, per second.
pub fn rate(motion: &Motion) -> Option<f64> {
    let frames = motion.parts.iter().find_map(Part::frame_count)?;
    let rate = frames as f64 / f64::from(motion.loop_time.get());
    (rate.is_finite() && rate > 0.0).then_some(rate)
}

/// The length of an animation from its first key, and its number of frames: from the export's
/// extras if the keys still fit them; one frame per key if the keys are evenly spaced; otherwise at
/// the frame rate of the archive's other motions.
fn own_pace(
    file: &GltfFile,
    animation: usize,
    moves: &HashMap<usize, Moves>,
    like: &Like<'_>,
    notes: &mut Vec<String>,
) -> Result<Pace> {
    let all = || moves.values().flat_map(Moves::times);
    let end = end_of(moves);
    if end <= 0.0 {
        return Err(
            Error::say("the animation takes no time").hint("it needs keys at two different times")
        );
    }
    let extras = file
        .root
        .animations
        .get(animation)
        .and_then(|a| a.extras.as_ref());
    let noted = extras.and_then(|e| {
        let frames = usize::try_from(e.get("frames")?.as_u64()?)
            .ok()
            .filter(|n| (1..=FRAMES).contains(n))?;
        Some(Pace {
            length: e.get("loop_time")?.as_f64()?,
            frames,
        })
    });
    if let Some(noted) = noted.filter(|noted| (noted.length - end).abs() <= CUT) {
        return Ok(noted);
    }
    let most = all()
        .max_by_key(|times| times.len())
        .map_or(&[][..], Vec::as_slice);
    let keys = most.len().saturating_sub(1);
    let step = end / keys.max(1) as f64;
    let place = |t: &f64| (t / step).round();
    let close = |t: &f64| (t - place(t) * step).abs() <= 1e-3 * step + 1e-6;
    let apart = |times: &Vec<f64>| {
        times
            .iter()
            .zip(times.iter().skip(1))
            .all(|(a, b)| place(a) < place(b))
    };
    let even = keys > 0 && all().all(|times| times.iter().all(close) && apart(times));
    if even && keys > 1 && keys <= FRAMES {
        return Ok(Pace {
            length: end,
            frames: keys,
        });
    }
    let rate = (like.rate)().unwrap_or(RATE);
    let frames = ((end * rate).round() as usize).clamp(1, FRAMES);
    let rate = frames as f64 / end;
    notes.push(format!(
        "its keys are not evenly spaced: it takes {end:.3} s in {frames} frames, {rate:.0} a second"
    ));
    Ok(Pace {
        length: end,
        frames,
    })
}

/// The names of the motions for a file's animations: without Blender's number, unless another
/// animation has the plain name. `known` is true for names of existing motions.
pub fn names(file: &GltfFile, known: impl Fn(&str) -> bool) -> Result<Vec<String>> {
    let all: Vec<&str> = file
        .root
        .animations
        .iter()
        .map(|a| a.name.as_str())
        .collect();
    let exact: HashSet<String> = all.iter().map(|name| name.to_lowercase()).collect();
    let mut taken = HashSet::new();
    let name = |(i, name): (usize, &&str)| {
        let short = plain(name);
        let own = if known(name) || short != *name && exact.contains(&short.to_lowercase()) {
            *name
        } else {
            short
        };
        let place = |e: Error| e.within(format!("animations[{i}].name"));
        if own.is_empty() {
            return Err(place(
                Error::say("an animation without a name")
                    .hint("give it the name of the motion: MECH_MOTION"),
            ));
        }
        if !taken.insert(own.to_lowercase()) {
            return Err(place(Error::say(format!(
                "two animations are named {own:?}"
            ))));
        }
        Ok(own.to_owned())
    };
    all.iter().enumerate().map(name).collect()
}

/// Creates a motion from an animation. Its parts are those of the 'mech's other motions that the
/// file contains, still if nothing moves them, and then the other moving nodes.
///
/// Returns an error for invalid curves, or if nothing moves.
pub fn make(like: &Like<'_>, animation: usize, file: &GltfFile) -> Result<(Motion, Changes)> {
    let (mut notes, mut lost) = (Vec::new(), Vec::new());
    let mut moves = moves(file, animation, &mut lost)?;
    let scaled = moves.values().filter(|m| m.scales()).count();
    moves.retain(|_, m| m.translation.is_some() || m.rotation.is_some());
    // If the animation begins later in the program, shift it to the start.
    let begin = begin(&moves);
    if !begin.is_finite() {
        return Err(Error::say("the animation moves no node")
            .hint("motions move and rotate the parts of a 'mech"));
    }
    if begin > 0.0 {
        moves.values_mut().for_each(|m| m.shift(begin));
        notes.push(first_key(begin));
    }
    let pace = own_pace(file, animation, &moves, like, &mut notes)?;
    room(
        pace.frames,
        moves
            .len()
            .saturating_add(like.sibling.map_or(0, |m| m.parts.len())),
    )?;
    let nodes = by_name(file);
    let mut order: Vec<usize> = Vec::new();
    let mut taken = HashSet::new();
    let mut absent = 0usize;
    for own in like.sibling.iter().flat_map(|m| &m.parts) {
        match node_of(&nodes, &own.name) {
            Some(node) if taken.insert(node) => order.push(node),
            Some(_) => {}
            None => absent += 1,
        }
    }
    let known = order.len();
    order.extend(
        (0..file.root.nodes.len()).filter(|node| moves.contains_key(node) && !taken.contains(node)),
    );
    let mut parts = Vec::new();
    for node in &order {
        let Some(stored) = file.root.nodes.get(*node) else {
            continue;
        };
        parts.push(part(*node, stored, moves.get(node), &pace)?);
    }
    let mut say = |n: usize, what: &str| {
        if n > 0 {
            notes.push(format!("{what}: {n}"));
        }
    };
    say(
        absent,
        "parts of the 'mech's other motions that are not in the file",
    );
    say(
        if like.sibling.is_some() {
            order.len().saturating_sub(known)
        } else {
            0
        },
        "parts that the 'mech's other motions do not have",
    );
    if scaled > 0 {
        lost.push(format!("{SCALED}: {scaled}"));
    }
    let motion = Motion {
        version: Derived(None),
        loop_time: F32::from(pace.length as f32),
        unk16: Derived(None),
        unk20: Derived(None),
        frame_count: None,
        parts,
        trailing: Default::default(),
    };
    Ok((
        motion,
        Changes {
            notes,
            lost,
            ..Changes::default()
        },
    ))
}

/// An edited position, with the coordinates that are the same.
fn kept(now: [F32; 3], was: [F32; 3], same: [bool; 3]) -> [F32; 3] {
    let [[a, b, c], [d, e, f]] = [now, was];
    let pick = |same: bool, now: F32, was: F32| if same { was } else { now };
    [
        pick(same[0], a, d),
        pick(same[1], b, e),
        pick(same[2], c, f),
    ]
}

/// Applies a curve to a list of frames with its closing one. Returns false if they are unchanged.
/// The functions convert frames to glTF and back, and keep the coordinates of an edited frame that
/// are the same.
fn edited<T: Copy + PartialEq, const N: usize>(
    (frames, closing): (&mut Option<Vec<T>>, &mut Option<T>),
    found: Option<&Curve<N>>,
    rest: [f64; N],
    least: f64,
    (own, pace, paced): (&Pace, &Pace, bool),
    (show, back, mix): (
        impl Fn(&T) -> Option<[f32; N]>,
        impl Fn([f32; N]) -> T,
        impl Fn(T, T, [bool; N]) -> T,
    ),
) -> bool {
    let (list_before, last) = (frames.as_deref(), *closing);
    let before = list_before.and_then(|frames| shown(frames, last, &show));
    let own_curve = before.map(|values| Curve {
        way: Way::Line,
        times: own.times(),
        values,
    });
    let agrees = found
        .zip(own_curve.as_ref())
        .map_or_else(Vec::new, |(found, own)| found.agrees(own, least));
    let curve = match (found, &own_curve) {
        (Some(found), Some(own)) if !paced && found.follows(own, &agrees, least) => return false,
        (Some(found), _) => {
            // A list that did not exist, with keys that only repeat the rest position.
            if list_before.is_none() && !found.leaves(&rest, least) {
                return false;
            }
            found.clone()
        }
        // The length changed but the file has no such curve: resample the existing list at the new
        // times.
        (None, Some(own)) if paced => own.clone(),
        (None, _) => return false,
    };
    let (mut new, mut end) = list(resample(&curve, pace, last.is_none()), least, &back);
    // Frames without an edit around them keep their bits, however the program sampled the others.
    if let (false, Some(found), Some(own), Some(old)) = (paced, found, &own_curve, list_before)
        && let Some((end_time, times)) = own.times.split_last()
    {
        for ((slot, was), time) in new.iter_mut().zip(old).zip(times) {
            if found.holds(own, &agrees, *time) {
                *slot = *was;
            } else if let Some((now, before)) = show(slot).zip(show(was)) {
                let same = |n: usize| {
                    let both = now.get(n).zip(before.get(n));
                    both.is_some_and(|(a, b)| f64::from((a - b).abs()) <= least)
                };
                *slot = mix(*slot, *was, std::array::from_fn(same));
            }
        }
        if found.holds(own, &agrees, *end_time) {
            end = if new.first() == old.first() {
                last
            } else {
                last.or(old.first().copied())
                    .filter(|end| new.first() != Some(end))
            };
        }
        if new == old && end == last {
            return false;
        }
    }
    (*frames, *closing) = (Some(new), end);
    true
}
