//! Motions: members of `motion.zbd` of MechWarrior 3 and Pirate's Moon (motion/FORMAT.md).

use refit_base::{
    contract::Context,
    game::Game,
    lint::{Lints, codes},
    support::members::Typed,
    wire::{
        Encode, Error, F32, HexBytes, Notation, Plain, Reader, Record, Result, Role, Str, Vec3,
        Writer, fit,
    },
};

/// The lint codes and schema of this module; the members belong to [`crate::archive`].
pub const FAMILY: refit_base::contract::Family = refit_base::contract::Family {
    formats: &[],
    recognise: &[],
    codes: CODES,
    schemas: || vec![refit_base::contract::schema::<Motion>()],
};

codes! {
    /// The kinds of findings in motions.
    pub CODES:
    MOTION_LOOP_TIME "motion-loop-time" Unusual [Mw] "the loop time is not positive"
        "Every known motion takes longer than 0 seconds."
        "Measured on the 258 motions of MechWarrior 3."
    MOTION_FRAMES "motion-frames" Unusual [Mw] "a motion without frames"
        "Known motions have frames."
        "Measured on the 258 motions of MechWarrior 3."
    MOTION_OPEN "motion-open" Unusual [Mw] "a part that does not end as it begins"
        "In known motions the last frame repeats the first, so that they loop without a jump. A different last frame \
        is in the tree as `last`; delete it to close the motion."
        "Measured on the 258 motions of MechWarrior 3, and required by the known reader of these files."
    MOTION_ARRAYS "motion-arrays" Unusual [Mw] "a part without translations or rotations, or with scales"
        "Known parts have translations and rotations, and no scales."
        "Measured on the 258 motions of MechWarrior 3."
    MOTION_TRAILING "motion-trailing" Unusual [Mw] "trailing bytes after the last part"
        "In known motions the member ends after its last part. refit keeps the bytes."
        "Measured on the 258 motions of MechWarrior 3."
}

refit_base::record! {
    /// A motion of a 'mech.
    pub struct Motion [Rc 24, Mw 24, Pm 24, Cs 24] {
        /// Version of the layout.
        version~: u32 = |_| 4,
        /// Duration of one loop of the motion, in seconds.
        loop_time: F32,
        /// Unknown; -1.0 in known files.
        unk16~ @16: F32 = |_| F32::from(-1.0),
        /// Unknown; 1.0 in known files.
        unk20~: F32 = |_| F32::from(1.0),
        /// Number of frames, without the one that closes the loop: one more is stored.
        let frame_count @8: u32 try |m| m.count(),
        /// Parts that move.
        let part_count: u32 try |m| fit(m.parts.len(), "the number of parts"),
    } below {
        /// Present only if no part has frames to count.
        frame_count?: u32,
        /// The moving parts.
        parts: Vec<Part>,
        /// Bytes after the last part.
        trailing!: HexBytes,
    }
}
refit_base::document!(Motion, "motion");

refit_base::record! {
    /// The frames of one part. All parts have the same number; the lists omit the closing frame if
    /// it repeats the first.
    pub struct Part {
        /// The node that moves.
        name: Str,
        /// x, y, z per frame.
        translations?: Vec<Vec3>,
        /// x, y, z per frame; never seen.
        scales?: Vec<Vec3>,
        /// A quaternion w, x, y, z per frame.
        rotations?: Vec<[F32; 4]>,
        /// The closing frame, if it does not repeat the first.
        last?: Last,
    }
}

refit_base::record! {
    /// A closing frame.
    #[derive(Default)]
    pub struct Last {
        /// x, y, z.
        translation?: Vec3,
        /// x, y, z.
        scale?: Vec3,
        /// w, x, y, z.
        rotation?: [F32; 4],
    }
}

const SCALE: u32 = 2;
const ROTATION: u32 = 4;
const TRANSLATION: u32 = 8;

/// An array's frames, and its closing frame unless that is the first one again.
type Frames<T> = (Option<Vec<T>>, Option<T>);

fn read_frames<T: Plain>(
    r: &mut Reader<'_>,
    present: bool,
    frame_count: u32,
    name: &str,
) -> Result<Frames<T>> {
    if !present {
        return Ok((None, None));
    }
    let mut frames: Vec<T> = r.plains(u64::from(frame_count) + 1, name)?;
    let last = frames.pop();
    let closes = last.is_some() && frames.first() == last.as_ref();
    Ok((Some(frames), last.filter(|_| !closes)))
}

fn write_frames<T: Plain>(
    w: &mut Writer,
    frames: &Option<Vec<T>>,
    last: &Option<T>,
    count: u32,
    name: &str,
) -> Result<()> {
    let Some(frames) = frames else {
        return if last.is_none() {
            Ok(())
        } else {
            Err(Error::say(format!("a closing frame without {name}")).within("last"))
        };
    };
    if frames.len() != count as usize {
        return Err(Error::say(format!(
            "{} frames, but the first list has {count}",
            frames.len()
        ))
        .within(name));
    }
    w.plains(frames);
    match last.as_ref().or(frames.first()) {
        Some(last) => w.put(last),
        None => {
            return Err(
                Error::say("a list without frames needs a closing frame (`last`)").within(name),
            );
        }
    }
    Ok(())
}

impl Part {
    fn read(r: &mut Reader<'_>, frame_count: u32) -> Result<Self> {
        let n: u32 = r.hidden("name_length", Role::Derived)?;
        let name = Str(r
            .bytes(n.into(), "name", Notation::Text, Role::Value)?
            .to_vec());
        let at = r.offset();
        let flags: u32 = r.hidden("flags", Role::Derived)?;
        if flags & !(SCALE | ROTATION | TRANSLATION) != 0 {
            // The size of the following data depends on every bit.
            return Err(Error::say(format!(
                "{flags:#x} has bits other than 2 (scale), 4 (rotation) and 8 (translation)"
            ))
            .within("flags")
            .at(at));
        }
        let (translations, translation) =
            read_frames(r, flags & TRANSLATION != 0, frame_count, "translations")?;
        let (scales, scale) = read_frames(r, flags & SCALE != 0, frame_count, "scales")?;
        let (rotations, rotation) =
            read_frames(r, flags & ROTATION != 0, frame_count, "rotations")?;
        let last = Last {
            translation,
            scale,
            rotation,
        };
        Ok(Part {
            name,
            translations,
            scales,
            rotations,
            last: (last != Last::default()).then_some(last),
        })
    }

    /// Number of frames in its lists, without the closing one.
    pub fn frame_count(&self) -> Option<usize> {
        let counts = [
            self.translations.as_ref().map(Vec::len),
            self.scales.as_ref().map(Vec::len),
            self.rotations.as_ref().map(Vec::len),
        ];
        counts.into_iter().flatten().next()
    }

    fn write(&self, w: &mut Writer, count: u32) -> Result<()> {
        w.u32(fit(self.name.0.len(), "the name's length")?);
        w.raw(&self.name.0);
        let flag = |on: bool, bit: u32| if on { bit } else { 0 };
        w.u32(
            flag(self.translations.is_some(), TRANSLATION)
                | flag(self.scales.is_some(), SCALE)
                | flag(self.rotations.is_some(), ROTATION),
        );
        let none = Last::default();
        let last = self.last.as_ref().unwrap_or(&none);
        write_frames(
            w,
            &self.translations,
            &last.translation,
            count,
            "translations",
        )?;
        write_frames(w, &self.scales, &last.scale, count, "scales")?;
        write_frames(w, &self.rotations, &last.rotation, count, "rotations")
    }
}

/// True if the bytes parse as a motion to their end, or at least have its version.
pub(crate) fn is_motion(bytes: &[u8]) -> bool {
    let mut r = Reader::new(bytes, Game::Mw);
    let Ok(head) = r.take(Motion::size(r.game)) else {
        return false;
    };
    let (frames, parts) = (
        Motion::peek_frame_count(head, r.game),
        Motion::peek_part_count(head, r.game),
    );
    let known = Motion::load(head, r.game, &()).version.is_none();
    let mut walk = || -> Result<()> {
        for _ in 0..parts {
            let n: u32 = r.get()?;
            r.take_many(n.into(), 1)?;
            let flags: u32 = r.get()?;
            let floats = [(TRANSLATION, 3), (SCALE, 3), (ROTATION, 4)]
                .into_iter()
                .filter(|(bit, _)| flags & bit != 0)
                .map(|(_, n)| n * 4)
                .sum();
            r.take_many(u64::from(frames) + 1, floats)?;
        }
        Ok(())
    };
    walk().is_ok() && (known || r.is_empty() && parts > 0)
}

impl Motion {
    /// Reads a whole member.
    pub fn read_member(r: &mut Reader<'_>) -> Result<Self> {
        let head = r.peek(Motion::size(r.game));
        let (frames, parts) = (
            Motion::peek_frame_count(head, r.game),
            Motion::peek_part_count(head, r.game),
        );
        let mut motion = Motion::read(r)?;
        motion.parts = r.within("parts", |r| {
            (0..parts as usize)
                .map(|i| r.item(i, |r| Part::read(r, frames)))
                .collect::<Result<_>>()
        })?;
        let counted = motion.parts.iter().any(|p| p.frame_count().is_some());
        motion.frame_count = (!counted).then_some(frames);
        motion.trailing = HexBytes(r.rest_as("trailing", Role::Stale).to_vec());
        Ok(motion)
    }

    /// Writes a member.
    pub(crate) fn write_member(&self) -> Result<Vec<u8>> {
        let mut w = Writer::new(Game::Mw);
        self.write(&mut w)?;
        let frames = self.count()?;
        for (i, part) in self.parts.iter().enumerate() {
            part.write(&mut w, frames)
                .map_err(|e| e.within(format!("parts[{i}]")))?;
        }
        w.raw(&self.trailing.0);
        Ok(w.bytes)
    }

    /// The stored number of frames of each part, without the closing one.
    fn count(&self) -> Result<u32> {
        match self.parts.iter().find_map(Part::frame_count) {
            Some(n) => fit(n, "the number of frames"),
            None => Ok(self.frame_count.unwrap_or_default()),
        }
    }
}

/// Motions as members of an archive.
pub struct Members;

impl Typed for Members {
    type Doc = Motion;
    fn read(&self, _: &[u8], mut payload: Reader<'_>, _: &Context) -> Option<Result<Motion>> {
        Some(Motion::read_member(&mut payload))
    }
    fn write(&self, doc: &Motion, _: &Context) -> Result<Vec<u8>> {
        doc.write_member()
    }
    fn lint(&self, doc: &Motion, lints: &mut Lints) {
        lints.model(doc);
        lints.at("loop_time", |l| {
            l.check(doc.loop_time.get() > 0.0, MOTION_LOOP_TIME, || {
                format!("{:?}", doc.loop_time)
            })
        });
        let frames = doc
            .parts
            .iter()
            .find_map(Part::frame_count)
            .unwrap_or(doc.frame_count.unwrap_or_default() as usize);
        lints.check(frames > 0, MOTION_FRAMES, || "no frames".into());
        for (i, part) in doc.parts.iter().enumerate() {
            lints.at(format!("parts[{i}]"), |lints| {
                lints.check(
                    part.translations.is_some()
                        && part.rotations.is_some()
                        && part.scales.is_none(),
                    MOTION_ARRAYS,
                    || part.name.to_string(),
                );
                lints.check(part.last.is_none() || frames == 0, MOTION_OPEN, || {
                    part.name.to_string()
                });
            });
        }
        lints.check(doc.trailing.is_empty(), MOTION_TRAILING, || {
            format!("{} bytes", doc.trailing.0.len())
        });
    }
    fn describe(&self, doc: &Motion) -> (refit_base::contract::Kind, String) {
        let frames = doc
            .parts
            .iter()
            .find_map(Part::frame_count)
            .unwrap_or_default();
        (
            "motion".into(),
            format!(
                "{}, {}, {} s",
                refit_base::wire::count(doc.parts.len(), "part"),
                refit_base::wire::count(frames, "frame"),
                doc.loop_time.get()
            ),
        )
    }
}

refit_base::tables! { Motion }
