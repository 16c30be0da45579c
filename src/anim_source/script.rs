//! SI animation scripts: the text of the studio's exporter (`.zan`), and the frames in Recoil's
//! files.
//!
//! Every value is rounded where the studio's tool rounded it: sums and products are f64, stored
//! values are f32.

use refit_base::wire::{Error, F32, Items, Result, Vec3, Within, decode_1252};
use refit_zipper::anim::{
    Script,
    scripts::{Frame, Linear, Rotation},
};
use std::{
    collections::HashMap,
    sync::atomic::{AtomicI64, Ordering::Relaxed},
};

/// A smaller difference counts as none.
const DRIFT: f64 = 1e-5;
/// Maximum number of poses of a script.
const MOST_POSES: usize = 1 << 22;

/// An object's pose at a frame.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pose {
    /// The time index: a frame's label less one.
    pub frame: u32,
    /// Along x, y, z.
    pub scale: Vec3,
    /// About x, y, z in radians: first about z, then y, then x.
    pub rotation: Vec3,
    /// Along x, y, z.
    pub translation: Vec3,
}

/// The movement of an object in a script's text.
#[derive(Debug)]
enum Track {
    /// The studio's form: a pose for each frame, in the order of the text.
    Poses(Vec<Pose>),
    /// The form for people: keyframes.
    Keys(Vec<Keyframe>),
}

/// A channel at a keyframe: its value, and its change per second unless it follows from the next
/// keyframe.
type At<const N: usize> = Option<([F32; N], Option<Vec3>)>;

/// An object's state from a frame on.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Keyframe {
    /// The time index.
    frame: u32,
    position: At<3>,
    rotation: At<4>,
    scale: At<3>,
}

impl Keyframe {
    /// The rates of the channels that it has: position, rotation, scale.
    fn rates(&mut self) -> [Option<&mut Option<Vec3>>; 3] {
        [
            self.position.as_mut().map(|(_, rate)| rate),
            self.rotation.as_mut().map(|(_, rate)| rate),
            self.scale.as_mut().map(|(_, rate)| rate),
        ]
    }
}

/// A script's text by object, in one of two forms: the poses of the studio's exporter, or
/// keyframes, which state only what changes and optionally its rate (`OBJECT name`,
/// `FRAME k POSITION x y z VELOCITY x y z ROTATION w x y z SPIN x y z SCALE x y z GROWTH x y z`;
/// every part is optional). Frames of keyframes count from 0.
#[derive(Default, Debug)]
pub struct Zan {
    tracks: HashMap<Vec<u8>, Track>,
}

/// A pose whose lines are being read.
#[derive(Default)]
struct Open {
    object: Vec<u8>,
    parts: [Option<Vec3>; 3],
}

impl Zan {
    /// Reads a text.
    pub fn read(bytes: &[u8]) -> Result<Zan> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut zan = Zan::default();
        let mut frame: Option<u32> = None;
        let mut block = 0usize;
        // The last block that contained each object.
        let mut seen: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut open: Option<Open> = None;
        // The object whose keyframes are being read.
        let mut keyed: Option<Vec<u8>> = None;
        let mut poses = 0usize;
        let mut counted = |what: &str| {
            poses += 1;
            if poses > MOST_POSES {
                Err(format!("more than {MOST_POSES} {what}"))
            } else {
                Ok(())
            }
        };
        for (line, text) in bytes.split(|b| *b == b'\n').enumerate() {
            let text = text.trim_ascii();
            let fault = |what: String| Error::text(line + 1, 1, what);
            let ignored = [
                &b"Warning,"[..],
                b"Attempt to read",
                b"#",
                b"SI Animation Script",
            ];
            if text.is_empty() || ignored.iter().any(|start| text.starts_with(start)) {
                continue;
            }
            let word = text
                .split(u8::is_ascii_whitespace)
                .next()
                .unwrap_or_default();
            if matches!(word, b"OBJECT" | b"FRAME") {
                zan.finish(&mut open, frame).map_err(&fault)?;
                zan.key(word, text.within(word.len()..), &mut keyed)
                    .map_err(&fault)?;
                counted("keys").map_err(&fault)?;
                continue;
            }
            let (key, rest) = match text.iter().position(|b| *b == b':') {
                Some(at) => (text.within(..at), text.within(at + 1..).trim_ascii()),
                None => {
                    return Err(fault(format!(
                        "{:?} is not a line of a script",
                        decode_1252(text)
                    )));
                }
            };
            match key {
                b"FRAMES" | b"OBJECTS" if frame.is_none() => {}
                b"Frame" => {
                    zan.finish(&mut open, frame).map_err(&fault)?;
                    let label = decode_1252(rest)
                        .parse::<u32>()
                        .ok()
                        .filter(|label| *label >= 1 && *label <= 1 << 24);
                    let label = label.ok_or_else(|| {
                        fault(format!(
                            "{:?} is not a frame: they count from 1",
                            decode_1252(rest)
                        ))
                    })?;
                    frame = Some(label - 1);
                    block += 1;
                }
                b"Object" => {
                    zan.finish(&mut open, frame).map_err(&fault)?;
                    if frame.is_none() {
                        return Err(fault("an object before the first frame".into()));
                    }
                    if rest.is_empty() || rest.iter().any(u8::is_ascii_whitespace) {
                        return Err(fault(format!(
                            "{:?} is not the name of an object",
                            decode_1252(rest)
                        )));
                    }
                    if seen.insert(rest.to_vec(), block) == Some(block) {
                        return Err(fault(format!(
                            "the object {:?} occurs twice in one frame",
                            decode_1252(rest)
                        )));
                    }
                    counted("poses").map_err(&fault)?;
                    open = Some(Open {
                        object: rest.to_vec(),
                        parts: [None; 3],
                    });
                }
                b"Scaling" | b"Rotation" | b"Translation" => {
                    let open = open
                        .as_mut()
                        .ok_or_else(|| fault(format!("{} without an object", decode_1252(key))))?;
                    let [scaling, rotation, translation] = &mut open.parts;
                    let part = match key {
                        b"Scaling" => scaling,
                        b"Rotation" => rotation,
                        _ => translation,
                    };
                    let wrong = || {
                        fault(format!(
                            "{:?} are not three finite numbers",
                            decode_1252(rest)
                        ))
                    };
                    *part = Some(numbers(rest).ok_or_else(wrong)?);
                }
                _ => {
                    return Err(fault(format!(
                        "{:?} is not a key of a script",
                        decode_1252(key)
                    )));
                }
            }
        }
        zan.finish(&mut open, frame)
            .map_err(|what| Error::text(bytes.split(|b| *b == b'\n').count(), 1, what))?;
        Ok(zan)
    }

    /// Completes the pose whose lines were read.
    fn finish(&mut self, open: &mut Option<Open>, frame: Option<u32>) -> Result<(), String> {
        let (Some(Open { object, parts }), Some(frame)) = (open.take(), frame) else {
            return Ok(());
        };
        let [Some(scale), Some(rotation), Some(translation)] = parts else {
            return Err(format!(
                "the object {:?} needs Scaling, Rotation and Translation",
                decode_1252(&object)
            ));
        };
        let shown = decode_1252(&object).into_owned();
        let Track::Poses(track) = self
            .tracks
            .entry(object)
            .or_insert(Track::Poses(Vec::new()))
        else {
            return Err(format!("the object {shown:?} already has keys"));
        };
        // A pose with the same frame as the previous one is dropped.
        if track.last().is_none_or(|last| last.frame != frame) {
            track.push(Pose {
                frame,
                scale,
                rotation,
                translation,
            });
        }
        Ok(())
    }

    /// Reads a line of the keyframe form.
    fn key(&mut self, word: &[u8], rest: &[u8], keyed: &mut Option<Vec<u8>>) -> Result<(), String> {
        let mut words = rest
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        if word == b"OBJECT" {
            let (Some(name), None) = (words.next(), words.next()) else {
                return Err(format!(
                    "{:?} is not the name of an object",
                    decode_1252(rest.trim_ascii())
                ));
            };
            if self
                .tracks
                .insert(name.to_vec(), Track::Keys(Vec::new()))
                .is_some()
            {
                return Err(format!("the object {:?} occurs twice", decode_1252(name)));
            }
            *keyed = Some(name.to_vec());
            return Ok(());
        }
        let track = keyed.as_ref().and_then(|name| self.tracks.get_mut(name));
        let Some(Track::Keys(track)) = track else {
            return Err("FRAME without an OBJECT before it".into());
        };
        let label = words.next().unwrap_or_default();
        let frame = decode_1252(label)
            .parse::<u32>()
            .ok()
            .filter(|frame| *frame <= 1 << 24);
        let mut key = Keyframe {
            frame: frame.ok_or_else(|| {
                format!("{:?} is not a frame: keys count from 0", decode_1252(label))
            })?,
            ..Keyframe::default()
        };
        let mut seen: Vec<&[u8]> = Vec::new();
        while let Some(word) = words.next() {
            if seen.contains(&word) {
                return Err(format!("{} occurs twice", decode_1252(word)));
            }
            seen.push(word);
            let mut number = || {
                let word = words.next().unwrap_or_default();
                let number = decode_1252(word)
                    .parse::<f32>()
                    .ok()
                    .filter(|f| f.is_finite())
                    .map(F32::from);
                number.ok_or_else(|| format!("{:?} is not a finite number", decode_1252(word)))
            };
            let mut three = || Ok::<Vec3, String>([number()?, number()?, number()?]);
            match word {
                b"POSITION" => key.position = Some((three()?, None)),
                b"SCALE" => key.scale = Some((three()?, None)),
                b"ROTATION" => {
                    let w = number()?;
                    let [x, y, z] = [number()?, number()?, number()?];
                    key.rotation = Some(([w, x, y, z], None));
                }
                _ => {
                    let [position, rotation, scale] = key.rates();
                    let rate = match word {
                        b"VELOCITY" => position,
                        b"SPIN" => rotation,
                        b"GROWTH" => scale,
                        _ => {
                            let known = "POSITION, VELOCITY, ROTATION, SPIN, SCALE, GROWTH";
                            return Err(format!("{:?} is not one of {known}", decode_1252(word)));
                        }
                    };
                    let behind = || {
                        format!(
                            "{} comes after the value that it changes",
                            decode_1252(word)
                        )
                    };
                    let rate = rate.ok_or_else(behind)?;
                    *rate = Some(three()?);
                }
            }
        }
        track.push(key);
        Ok(())
    }

    /// The objects, by name.
    pub fn objects(&self) -> Vec<&[u8]> {
        let mut objects: Vec<&[u8]> = self.tracks.keys().map(Vec::as_slice).collect();
        objects.sort();
        objects
    }

    /// An object's movement.
    fn track(&self, object: &[u8]) -> Result<&Track> {
        let found = self.tracks.get(object).ok_or_else(|| {
            let near = refit_base::wire::did_you_mean(
                &decode_1252(object),
                self.objects()
                    .iter()
                    .filter_map(|name| std::str::from_utf8(name).ok())
                    .collect::<Vec<_>>(),
            );
            let e = Error::say(format!(
                "the script does not move {:?}",
                decode_1252(object)
            ));
            match near {
                Some(near) => e.hint(near),
                None => e,
            }
        })?;
        let length = match found {
            Track::Poses(poses) => poses.len(),
            Track::Keys(keys) => keys.len(),
        };
        match length {
            0 | 1 => Err(Error::say(format!(
                "one pose of {:?} (a movement needs at least two)",
                decode_1252(object)
            ))),
            _ => Ok(found),
        }
    }
}

/// Three finite decimals, parsed as f64 and rounded to f32.
fn numbers(text: &[u8]) -> Option<Vec3> {
    let text = std::str::from_utf8(text).ok()?;
    let mut parts = text.split_ascii_whitespace().map(|part| {
        part.parse::<f64>()
            .ok()
            .map(|f| f as f32)
            .filter(|f| f.is_finite())
    });
    let all = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then(|| all.map(F32::from))
}

/// Rounds to f32.
fn f(value: f64) -> f64 {
    f64::from(value as f32)
}

fn wide(v: Vec3) -> [f64; 3] {
    v.map(|part| f64::from(part.get()))
}

/// The quaternion (w x y z) of angles about x, y, z.
pub fn quaternion(rotation: Vec3) -> [F32; 4] {
    let [a, b, g] = wide(rotation);
    let (sa, ca, sb, cb, sg, cg) = (
        f(a.sin()),
        f(a.cos()),
        f(b.sin()),
        f(b.cos()),
        f(g.sin()),
        f(g.cos()),
    );
    let row = |f: &dyn Fn(usize) -> f64| [f(0), f(1), f(2)];
    let at = |v: &[f64; 3], i: usize| v.item(i);
    let (x, y, z) = ([cg, sg, 0.0], [-sg, cg, 0.0], [0.0, 0.0, 1.0]);
    // About y: all of x and z.
    let (x, z) = (
        row(&|i| f(cb * at(&x, i) - sb * at(&z, i))),
        row(&|i| f(sb * at(&x, i) + cb * at(&z, i))),
    );
    // About x: both lines use the old y.
    let (y, z) = (
        row(&|i| f(ca * at(&y, i) + sa * at(&z, i))),
        row(&|i| f(ca * at(&z, i) - sa * at(&y, i))),
    );
    let ([xx, xy, xz], [_, yy, _], [zx, zy, zz]) = (x, y, z);
    let yaw = if zx == 0.0 && zz == 0.0 {
        0.0
    } else {
        f(zx.atan2(zz))
    };
    let pitch = f((-zy).atan2(f((zx * zx + zz * zz).sqrt())));
    let (s, c) = (f((-yaw).sin()), f((-yaw).cos()));
    let (r0, r1, r2) = (f(s * xz + c * xx), xy, f(c * xz - s * xx));
    let (s, c) = (f((-pitch).sin()), f((-pitch).cos()));
    let (u0, u1, u2) = (r0, f(c * r1 - s * r2), f(s * r1 + c * r2));
    let mut roll = f(u1.atan2(f((u0 * u0 + u2 * u2).sqrt())));
    if yy < 0.0 {
        roll = f(f64::from(std::f32::consts::PI) - roll);
    }
    let half = |angle: f64| (f((angle / 2.0).sin()), f((angle / 2.0).cos()));
    let ((s0, c0), (s1, c1), (s2, c2)) = (half(yaw), half(pitch), half(roll));
    let (a, b, c, d) = (f(c1 * c0), f(s1 * c0), f(c1 * s0), f(s1 * s0));
    [
        d * s2 + a * c2,
        c * s2 + b * c2,
        c * c2 - b * s2,
        a * s2 - d * c2,
    ]
    .map(|part| F32::from(part as f32))
}

/// The quaternion that rotates `from` into `to`.
fn between(from: [F32; 4], to: [F32; 4]) -> [f64; 4] {
    let [pw, px, py, pz] = from.map(|part| f64::from(part.get()));
    let [qw, qx, qy, qz] = to.map(|part| f64::from(part.get()));
    [
        f(pw * qw + px * qx + qy * py + qz * pz),
        f(pw * qx - qw * px - pz * qy + qz * py),
        f(pw * qy - qw * py - qz * px + pz * qx),
        f(pw * qz - qw * pz - py * qx + qy * px),
    ]
}

/// The spin from one quaternion to another, in half angles per second.
pub fn spin(from: [F32; 4], to: [F32; 4], rho: F32) -> Vec3 {
    let [w, x, y, z] = between(from, to);
    let square = x * x + y * y + z * z;
    if square as f32 == 0.0 {
        return [F32::default(); 3];
    }
    let length = quick_root(square);
    let k = if w == 0.0 {
        std::f64::consts::FRAC_PI_2 / length
    } else {
        (length / w).atan() / length
    };
    let rho = f64::from(rho.get());
    [x, y, z].map(|part| F32::from((f(part * k) * rho) as f32))
}

/// Half the angle between two quaternions.
fn half_angle(from: [F32; 4], to: [F32; 4]) -> f64 {
    let [w, x, y, z] = between(from, to);
    (x * x + y * y + z * z).sqrt().atan2(w.abs())
}

/// Converts frames to times, at a number of frames per second.
#[derive(Clone, Copy)]
pub struct Clock {
    per_frame: f64,
}

impl Clock {
    /// A clock with this number of frames per second.
    pub fn new(rate: F32) -> Result<Clock> {
        let rate = f64::from(rate.get());
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(Error::say(format!("{rate} frames per second")).within("SCRIPT_FRAME_RATE"));
        }
        Ok(Clock {
            per_frame: f(1.0 / rate),
        })
    }

    fn wide(self, frame: u32) -> f64 {
        f64::from(frame as f32) * self.per_frame
    }

    /// The time of a frame, in seconds.
    pub fn time(self, frame: u32) -> F32 {
        F32::from(self.wide(frame) as f32)
    }

    /// `1 / (end - start)`, with `end` in f64 and `start` rounded to f32, as the exporter did; 0
    /// for no time.
    pub fn rho(self, from: u32, to: u32) -> F32 {
        let time = self.wide(to) - f64::from(self.time(from).get());
        if from == to || time == 0.0 {
            F32::default()
        } else {
            F32::from((1.0 / time) as f32)
        }
    }
}

/// The change per second.
pub fn rates(from: Vec3, to: Vec3, rho: F32) -> Vec3 {
    let ([a, b, c], [x, y, z]) = (wide(from), wide(to));
    let rho = f64::from(rho.get());
    [(a, x), (b, y), (c, z)].map(|(from, to)| F32::from((f(to - from) * rho) as f32))
}

/// The frames of an object's movement.
pub fn compile(zan: &Zan, object: &[u8], rate: F32) -> Result<Script> {
    let clock = Clock::new(rate)?;
    let track = match zan.track(object)? {
        Track::Poses(poses) => poses,
        Track::Keys(keys) => return Ok(of_keys(keys, clock)),
    };
    let mut frames = Vec::new();
    let last = track.len() - 2;
    for (i, pair) in track.windows(2).enumerate() {
        let [from, to] = pair else { continue };
        let always = i == 0 || i == last;
        let moved = |a: Vec3, b: Vec3| {
            wide(a)
                .iter()
                .zip(wide(b))
                .any(|(a, b)| (a - b).abs() > DRIFT)
        };
        let (p, q) = (quaternion(from.rotation), quaternion(to.rotation));
        let rho = clock.rho(from.frame, to.frame);
        let linear = |a: Vec3, b: Vec3| {
            (always || moved(a, b)).then(|| Linear {
                base: a,
                rate: rates(a, b, rho),
                ..Linear::default()
            })
        };
        let frame = Frame {
            time: [clock.time(from.frame), clock.time(to.frame)],
            translate: linear(from.translation, to.translation),
            rotate: (always || half_angle(p, q) > DRIFT).then(|| Rotation {
                base: p,
                rate: spin(p, q, rho),
                ..Rotation::default()
            }),
            scale: linear(from.scale, to.scale),
            ..Frame::default()
        };
        frames.push(frame);
    }
    Ok(script_of(frames))
}

/// The change per second between two keyframes; zero for no time.
fn per_second(from: Vec3, to: Vec3, time: f64) -> Vec3 {
    let ([a, b, c], [x, y, z]) = (wide(from), wide(to));
    [(a, x), (b, y), (c, z)].map(|(from, to)| {
        if time == 0.0 {
            F32::default()
        } else {
            F32::from(((to - from) / time) as f32)
        }
    })
}

/// The frames between keyframes, one from each keyframe to the next, except after empty keyframes.
/// A missing rate leads to the next keyframe with the channel, and is rounded once. Two keyframes
/// at one frame are a cut. The last keyframe only ends the movement.
fn of_keys(keys: &[Keyframe], clock: Clock) -> Script {
    let mut frames = Vec::new();
    for (i, pair) in keys.windows(2).enumerate() {
        let [from, to] = pair else { continue };
        let behind = keys.within(i + 1..);
        let time = |later: u32| {
            f64::from(clock.time(later).get()) - f64::from(clock.time(from.frame).get())
        };
        let linear = |at: At<3>, of: fn(&Keyframe) -> At<3>| {
            at.map(|(base, rate)| {
                let next = behind.iter().find_map(|key| Some((key.frame, of(key)?.0)));
                let follows = || {
                    next.map_or([F32::default(); 3], |(frame, value)| {
                        per_second(base, value, time(frame))
                    })
                };
                Linear {
                    base,
                    rate: rate.unwrap_or_else(follows),
                    ..Linear::default()
                }
            })
        };
        let frame = Frame {
            time: [clock.time(from.frame), clock.time(to.frame)],
            translate: linear(from.position, |key| key.position),
            rotate: from.rotation.map(|(base, rate)| {
                let next = behind
                    .iter()
                    .find_map(|key| Some((key.frame, key.rotation?.0)));
                let follows = || {
                    next.map_or([F32::default(); 3], |(frame, value)| {
                        spin(base, value, clock.rho(from.frame, frame))
                    })
                };
                Rotation {
                    base,
                    rate: rate.unwrap_or_else(follows),
                    ..Rotation::default()
                }
            }),
            scale: linear(from.scale, |key| key.scale),
            ..Frame::default()
        };
        frames.push(frame);
    }
    script_of(frames)
}

/// The script of the frames that have a channel.
fn script_of(mut frames: Vec<Frame>) -> Script {
    frames.retain(|frame| {
        frame.translate.is_some() || frame.rotate.is_some() || frame.scale.is_some()
    });
    Script {
        frames,
        ..Script::default()
    }
}

/// Why frames cannot be written as text.
fn refused(what: &str, why: &str) -> Error {
    Error::say(format!("no {what} these frames: {why}"))
        .hint("keep the frames document as the source")
}

/// Writes frames as keyframes. An error if that is impossible: a time is not a frame's at this
/// rate, or there are stale bytes.
pub fn keys(script: &Script, object: &[u8], rate: F32) -> Result<Vec<u8>> {
    let refuse = |why| refused("keys give", why);
    let clock = Clock::new(rate)?;
    let mut keys: Vec<Keyframe> = Vec::new();
    for frame in &script.frames {
        let [Some(start), Some(end)] = frame.time.map(|time| frame_at(clock, time)) else {
            return Err(refuse("a time falls between frames at this rate"));
        };
        let linear = |part: &Option<Linear>| part.as_ref().map(|part| (part.base, Some(part.rate)));
        let key = Keyframe {
            frame: start,
            position: linear(&frame.translate),
            rotation: frame
                .rotate
                .as_ref()
                .map(|part| (part.base, Some(part.rate))),
            scale: linear(&frame.scale),
        };
        // The previous end is this start; otherwise it gets an empty keyframe.
        match keys.last_mut() {
            Some(last)
                if *last
                    == (Keyframe {
                        frame: start,
                        ..Keyframe::default()
                    }) =>
            {
                *last = key
            }
            _ => keys.push(key),
        }
        keys.push(Keyframe {
            frame: end,
            ..Keyframe::default()
        });
    }
    // Omit rates that follow from the next keyframe.
    for i in 0..keys.len() {
        let mut near: Vec<Keyframe> = keys.iter().skip(i).take(NEAR).copied().collect();
        near.first_mut()
            .into_iter()
            .flat_map(Keyframe::rates)
            .flatten()
            .for_each(|rate| *rate = None);
        let made = of_keys(&near, clock).frames;
        let (Some(made), Some(key)) = (made.first(), keys.get_mut(i)) else {
            continue;
        };
        let linear = |part: &Option<Linear>| part.as_ref().map(|part| part.rate);
        let made = [
            linear(&made.translate),
            made.rotate.as_ref().map(|part| part.rate),
            linear(&made.scale),
        ];
        for (rate, made) in key.rates().into_iter().zip(made) {
            rate.into_iter()
                .filter(|rate| **rate == made)
                .for_each(|rate| *rate = None);
        }
    }
    let mut text = [b"OBJECT ", object, b"\r\n"].concat();
    for key in &keys {
        let mut line = format!("FRAME {}", key.frame);
        let mut put = |name: &str, values: &[F32]| {
            line.push_str(&format!(" {name}"));
            values
                .iter()
                .for_each(|f| line.push_str(&format!(" {:?}", f.get())));
        };
        for (at, [value, rate]) in [
            (key.position, ["POSITION", "VELOCITY"]),
            (key.scale, ["SCALE", "GROWTH"]),
        ] {
            if let Some((base, change)) = at {
                put(value, &base);
                change.iter().for_each(|change| put(rate, change));
            }
        }
        if let Some((base, change)) = key.rotation {
            put("ROTATION", &base);
            change.iter().for_each(|change| put("SPIN", change));
        }
        text.extend_from_slice(line.as_bytes());
        text.extend_from_slice(b"\r\n");
    }
    let again = Zan::read(&text).and_then(|zan| compile(&zan, object, rate))?;
    if again == *script {
        Ok(text)
    } else {
        Err(refuse("the closest source gives others"))
    }
}

/// How many keyframes to search for the next one with a channel; a longer run stores its rate.
const NEAR: usize = 64;

/// Maximum number of rotations to try for a file, because a user waits. A script that needs more
/// stays a frames document.
pub const MOST_TRIALS: i64 = 60_000_000;
/// Maximum number of rotations to try for one pose.
const TRIALS_OF_POSE: u32 = 400_000;

/// Frame rates that studios used, tried if a source does not state one.
pub const USUAL_RATES: [f32; 6] = [30.0, 10.0, 15.0, 16.0, 20.0, 40.0];

/// A number with six decimals, as in a script's text, parsed again.
fn six(value: f64) -> F32 {
    F32::from(format!("{value:.6}").parse::<f64>().unwrap_or(value) as f32)
}

/// The frame at a time, or `None` if there is none.
fn frame_at(clock: Clock, time: F32) -> Option<u32> {
    let near = f64::from(time.get()) / clock.per_frame;
    let near = if near.is_finite() && (0.0..1e7).contains(&near) {
        near.round() as u32
    } else {
        return None;
    };
    [near, near.saturating_sub(1), near + 1]
        .into_iter()
        .find(|frame| clock.time(*frame) == time)
}

/// Writes the text that reproduces the frames of one object at a frame rate, or returns why no text
/// does. `trials` is the number of rotations left to try.
pub fn decompile(script: &Script, object: &[u8], rate: F32, trials: &AtomicI64) -> Result<Vec<u8>> {
    let refuse = |why| refused("script's text gives", why);
    let clock = Clock::new(rate)?;
    if script.frames.is_empty() || script.rest.is_some() || !script.frame_count.is_none() {
        return Err(refuse("there are none, or bytes follow them"));
    }
    // The poses are the starts and ends of segments.
    let mut poses: Vec<(u32, Option<usize>, Option<usize>)> = Vec::new();
    for (i, frame) in script.frames.iter().enumerate() {
        let [start, end] = frame.time;
        let (Some(start), Some(end)) = (frame_at(clock, start), frame_at(clock, end)) else {
            return Err(refuse("a time falls between frames at this rate"));
        };
        match poses.last_mut() {
            Some((at, _, begins)) if *at == start => *begins = Some(i),
            _ => poses.push((start, None, Some(i))),
        }
        poses.push((end, Some(i), None));
    }
    let solve = |channel: &Channel| -> Option<Vec<Vec3>> {
        let mut values: Vec<Option<Vec3>> = vec![None; poses.len()];
        // The start of a segment is stored.
        for ((_, _, begins), value) in poses.iter().zip(&mut values) {
            if let Some((base, _)) = begins.and_then(|i| channel.part(script.frames.get(i)?)) {
                *value = Some(channel.text_value(base, trials)?);
            }
        }
        // A constant channel takes the value of the next pose, unless the previous segment ends
        // elsewhere.
        for at in (0..poses.len()).rev() {
            if values.get(at)?.is_some() {
                continue;
            }
            let next = values.get(at + 1).copied().flatten();
            let (to, ends, _) = *poses.get(at)?;
            let before = ends.and_then(|i| channel.part(script.frames.get(i)?));
            let value = match before {
                None => next,
                Some((base, rate)) => {
                    let (from, ..) = *poses.get(at.checked_sub(1)?)?;
                    Some(channel.end(base, rate, clock, [from, to], next, trials)?)
                }
            };
            *values.get_mut(at)? = value;
        }
        // A missing value is the previous one.
        let mut last = None;
        for value in &mut values {
            *value = value.or(last);
            last = *value;
        }
        values.into_iter().collect()
    };
    let solved = (|| {
        Some((
            solve(&Channel::Translate)?,
            solve(&Channel::Rotate)?,
            solve(&Channel::Scale)?,
        ))
    })();
    let Some((translations, rotations, scales)) = solved else {
        return Err(refuse(
            "no value of six decimals was found, or too many were tried",
        ));
    };
    let mut text = format!(
        "SI Animation Script\r\nFRAMES: {}\r\nOBJECTS: 1\r\n",
        poses.len()
    )
    .into_bytes();
    for ((((frame, ..), translation), rotation), scale) in
        poses.iter().zip(&translations).zip(&rotations).zip(&scales)
    {
        text.extend_from_slice(format!("Frame: {}\r\nObject: ", frame + 1).as_bytes());
        text.extend_from_slice(object);
        text.extend_from_slice(b"\r\n");
        for (name, v) in [
            ("Scaling:    ", scale),
            ("Rotation:   ", rotation),
            ("Translation:", translation),
        ] {
            let [x, y, z] = v.map(|f| format!("{:.6}", f.get())).map(|number| {
                // An angle never has a negative zero.
                let plain = number.trim_start_matches('-');
                let is_zero = plain.chars().all(|c| matches!(c, '0' | '.'));
                if is_zero && name.starts_with("Rotation") {
                    plain.to_owned()
                } else {
                    number
                }
            });
            text.extend_from_slice(format!("{name} {x} {y} {z}\r\n").as_bytes());
        }
    }
    let again = Zan::read(&text).and_then(|zan| compile(&zan, object, rate))?;
    let bare = |script: &Script| {
        let mut script = script.clone();
        for part in script
            .frames
            .iter_mut()
            .flat_map(|frame| [&mut frame.translate, &mut frame.scale])
            .flatten()
        {
            part.unk12 = refit_base::wire::Derived(None);
        }
        script
    };
    if bare(&again) == bare(script) {
        Ok(text)
    } else {
        Err(refuse("the closest source gives others"))
    }
}

/// The channels of a script.
enum Channel {
    Translate,
    Rotate,
    Scale,
}

/// A channel of a frame: its base (a quaternion for a rotation) and its rate.
type Held = ([F32; 4], Vec3);

impl Channel {
    fn part(&self, frame: &Frame) -> Option<Held> {
        let linear = |part: &Linear| {
            let [x, y, z] = part.base;
            ([x, y, z, F32::default()], part.rate)
        };
        match self {
            Channel::Translate => frame.translate.as_ref().map(linear),
            Channel::Scale => frame.scale.as_ref().map(linear),
            Channel::Rotate => frame.rotate.as_ref().map(|part| (part.base, part.rate)),
        }
    }

    /// The value in the text that reproduces a base.
    fn text_value(&self, base: [F32; 4], trials: &AtomicI64) -> Option<Vec3> {
        if matches!(self, Channel::Rotate) {
            return angles(base, trials, &|q| q == base);
        }
        let [x, y, z, _] = base;
        [x, y, z]
            .iter()
            .all(|f| six(f64::from(f.get())) == *f)
            .then_some([x, y, z])
    }

    /// The end of a segment with this base and rate. `next` is the start of the next segment.
    fn end(
        &self,
        base: [F32; 4],
        rate: Vec3,
        clock: Clock,
        [from, to]: [u32; 2],
        next: Option<Vec3>,
        trials: &AtomicI64,
    ) -> Option<Vec3> {
        let rho = clock.rho(from, to);
        if matches!(self, Channel::Rotate) {
            if let Some(next) = next.filter(|next| spin(base, quaternion(*next), rho) == rate) {
                return Some(next);
            }
            return angles(turned(base, rate, rho), trials, &|q| {
                spin(base, q, rho) == rate
            });
        }
        let [x, y, z, _] = base;
        if let Some(next) = next.filter(|next| rates([x, y, z], *next, rho) == rate) {
            return Some(next);
        }
        let time = if rho.get() == 0.0 {
            0.0
        } else {
            1.0 / f64::from(rho.get())
        };
        let mut out = [F32::default(); 3];
        for ((slot, base), rate) in out.iter_mut().zip([x, y, z]).zip(rate) {
            let near = f64::from(base.get()) + f64::from(rate.get()) * time;
            let gives = |to: F32| {
                let [back, ..] = rates([base; 3], [to; 3], rho);
                back == rate
            };
            // Steps of 1e-6, or of the f32 precision if that is coarser.
            let step = 1e-6f64.max(near.abs() * f64::from(f32::EPSILON));
            let tries = (0..=48)
                .flat_map(|n: i32| [n, -n])
                .map(|n| six(near + f64::from(n) * step));
            *slot = tries.chain([F32::from(-0.0)]).find(|to| gives(*to))?;
        }
        Some(out)
    }
}

/// The engine's fast approximate square root.
fn quick_root(square: f64) -> f64 {
    f64::from(f32::from_bits(
        ((square as f32).to_bits() >> 1).wrapping_add(0x1fc0_0000),
    ))
}

/// The quaternion after a rotation by `spin` for the time `1 / rho`.
///
/// The approximate root makes the spin slightly inexact: the true angle is found by bisection.
fn turned(from: [F32; 4], spin: Vec3, rho: F32) -> [F32; 4] {
    let rho = f64::from(rho.get());
    let [x, y, z] = if rho == 0.0 {
        [0.0; 3]
    } else {
        wide(spin).map(|part| part / rho)
    };
    let length = (x * x + y * y + z * z).sqrt();
    let shown = |s: f64| {
        let root = quick_root(s * s);
        if root == 0.0 {
            0.0
        } else {
            s * (root / (1.0 - s * s).max(0.0).sqrt()).atan() / root
        }
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if shown(middle) < length {
            low = middle
        } else {
            high = middle
        }
    }
    let s = if length == 0.0 {
        0.0
    } else {
        0.5 * (low + high) / length
    };
    let (x, y, z) = (x * s, y * s, z * s);
    let w = (1.0 - (x * x + y * y + z * z)).max(0.0).sqrt();
    let [pw, px, py, pz] = from.map(|part| f64::from(part.get()));
    [
        w * pw - x * px - y * py - z * pz,
        w * px + x * pw + y * pz - z * py,
        w * py - x * pz + y * pw + z * px,
        w * pz + x * py - y * px + z * pw,
    ]
    .map(|part| F32::from(part as f32))
}

/// Angles with six decimals near those of a quaternion, whose own quaternion satisfies `good`.
fn angles(near: [F32; 4], trials: &AtomicI64, good: &dyn Fn([F32; 4]) -> bool) -> Option<Vec3> {
    use std::f64::consts::{PI, TAU};
    let [w, x, y, z] = near.map(|part| f64::from(part.get()));
    let (xx, xy, xz) = (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y + w * z),
        2.0 * (x * z - w * y),
    );
    let (yz, zz) = (2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y));
    let b = (-xz).clamp(-1.0, 1.0).asin();
    let (a, g) = (yz.atan2(zz), xy.atan2(xx));
    let mut left = i64::from(TRIALS_OF_POSE).min(trials.load(Relaxed)).max(0);
    let mut attempt = |angles: [f64; 3]| {
        left -= 1;
        if left < 0 || trials.fetch_sub(1, Relaxed) <= 0 {
            return None;
        }
        let rounded = angles
            .map(six)
            .map(|f| if f.get() == 0.0 { F32::default() } else { f });
        Some(good(quaternion(rounded)).then_some(rounded))
    };
    let both = [
        [a, b, g],
        [a + PI, PI - b, g + PI],
        [a - PI, PI - b, g - PI],
        [a + PI, -PI - b, g - PI],
        [a - PI, -PI - b, g + PI],
    ];
    let turns = [0.0, TAU, -TAU];
    for reach in [1i32, 3] {
        for solution in both {
            for turn in 0..27usize {
                let shift = |by: usize| turns.item(turn / by % 3);
                let [a, b, g] = solution;
                let start = [a + shift(1), b + shift(3), g + shift(9)];
                let span = 2 * reach + 1;
                for n in 0..span * span * span {
                    let off = |by: i32| f64::from(n / by % span - reach) * 1e-6;
                    let [a, b, g] = start;
                    if let Some(found) = attempt([a + off(1), b + off(span), g + off(span * span)])?
                    {
                        return Some(found);
                    }
                }
            }
        }
    }
    // Near the poles, vary the two outer angles together.
    for n in 1..20_000i32 {
        for n in [n, -n] {
            let walk = f64::from(n) * 1e-6;
            let sign = if b > 0.0 { 1.0 } else { -1.0 };
            for near in [-1e-6, 0.0, 1e-6] {
                if let Some(found) = attempt([a + walk, b, g + sign * walk + near])? {
                    return Some(found);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cases of a test, in JSON.
    fn cases<T: serde::de::DeserializeOwned>(json: &str) -> Vec<T> {
        serde_json::from_str(json).expect("a list of cases")
    }

    fn millionths(angles: [i32; 3]) -> Vec3 {
        angles.map(|angle| F32::from((f64::from(angle) / 1e6) as f32))
    }

    #[test]
    fn rotations_have_the_bits_of_the_files() {
        for (angles, bits) in cases::<([i32; 3], [u32; 4])>(include_str!("tests/rotations.json")) {
            assert_eq!(
                quaternion(millionths(angles)).map(F32::bits),
                bits,
                "{angles:?}"
            );
        }
    }

    #[test]
    fn spins_have_the_bits_of_the_files() {
        for (from, to, [a, b], rate, bits) in
            cases::<([i32; 3], [i32; 3], [u32; 2], f32, [u32; 3])>(include_str!("tests/spins.json"))
        {
            let rho = Clock::new(F32::from(rate)).unwrap().rho(a, b);
            let (p, q) = (quaternion(millionths(from)), quaternion(millionths(to)));
            assert_eq!(spin(p, q, rho).map(F32::bits), bits, "{from:?}");
        }
    }

    #[test]
    fn rates_and_times_have_the_bits_of_the_files() {
        for (from, to, [a, b], rate, bits, end) in [
            (
                2_541.143_5,
                2_543.123_347,
                [2491, 2496],
                15.0,
                0x40be_0ed0,
                0x4326_6667,
            ),
            (
                -2_478.598_49,
                -2_517.668_573,
                [378, 388],
                20.0,
                0xc29c_47b3,
                0x419b_3333,
            ),
            (
                2_041.090_029,
                2_090.447_501,
                [1800, 1801],
                30.0,
                0x44b9_1819,
                0x4270_2223,
            ),
        ] {
            let clock = Clock::new(F32::from(rate)).unwrap();
            let all = |v: f64| [F32::from(v as f32); 3];
            assert_eq!(
                rates(all(from), all(to), clock.rho(a, b)).map(F32::bits),
                [bits; 3],
                "{from}"
            );
            assert_eq!(clock.time(b).bits(), end);
        }
        assert_eq!(
            Clock::new(F32::from(15.0)).unwrap().time(2595).get(),
            173.000_02
        );
        assert_eq!(Clock::new(F32::from(15.0)).unwrap().rho(7, 7).get(), 0.0);
    }

    fn frames(text: &str, object: &str, rate: f32) -> Result<Script> {
        compile(
            &Zan::read(text.as_bytes())?,
            object.as_bytes(),
            F32::from(rate),
        )
    }

    #[test]
    fn frames_survive_the_round_trip_through_text() {
        let poses = [
            (
                1u32,
                [304_886, -111_792, -811_317],
                [570.880_6f32, 48.131_424, 168.158_31],
            ),
            (
                6,
                [2_042_981, -335_898, -1_462_475],
                [571.25, 48.0, -168.158_31],
            ),
            (
                11,
                [2_042_981, -335_898, -1_462_475],
                [571.25, 48.0, -168.158_31],
            ),
            (26, [75_903, 1_270_796, -50_889], [600.125, 0.0, 12.5]),
            (27, [0, 0, 0], [600.0, -1.0, 13.0]),
        ];
        let mut text = String::from("SI Animation Script\nFRAMES: 5\nOBJECTS: 1\n");
        for (frame, angles, [x, y, z]) in poses {
            let [a, b, g] = angles.map(|angle| f64::from(angle) / 1e6);
            text += &format!(
                "Frame: {frame}\nObject: copter01\nScaling: 1.0 1.0 1.0\nRotation: {a:.6} {b:.6} {g:.6}\n"
            );
            text += &format!("Translation: {x:.6} {y:.6} {z:.6}\n");
        }
        let script = frames(&text, "copter01", 15.0).unwrap();
        let back = decompile(
            &script,
            b"copter01",
            F32::from(15.0),
            &AtomicI64::new(MOST_TRIALS),
        )
        .unwrap();
        assert_eq!(
            frames(std::str::from_utf8(&back).unwrap(), "copter01", 15.0).unwrap(),
            script
        );
        assert!(
            decompile(
                &script,
                b"copter01",
                F32::from(16.0),
                &AtomicI64::new(MOST_TRIALS)
            )
            .is_err(),
            "the times are those of 15 frames a second"
        );
        // A value that six decimals cannot give.
        let mut odd = script.clone();
        odd.frames[1].translate.as_mut().unwrap().base[0] = F32::from(0.1 + 1e-8);
        assert!(
            decompile(
                &odd,
                b"copter01",
                F32::from(15.0),
                &AtomicI64::new(MOST_TRIALS)
            )
            .is_err()
        );
    }
}
