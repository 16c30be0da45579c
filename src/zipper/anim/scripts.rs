//! SI scripts: frames of movement. RC and MW store them inside their events, PM and CS in a table
//! at the end of the file (FORMAT.md, "Scripts").

use super::fields::Bool;
use refit_base::{
    game::Game,
    record,
    wire::{
        Derived, Describe, Encode, Error, Extra, F32, FieldGroup, Hex, HexBytes, Notation, Plain,
        Reader, Record, Result, Role, Str, TextOrRecord, Vec3, Writer, fit,
    },
};
#[cfg(feature = "schemas")]
use schemars::json_schema;
use serde::{Serialize, Serializer};

/// A cubic for each axis: value and coefficients (probably), or stale memory if the script does not
/// interpolate.
pub type Spline = [[F32; 4]; 3];

record! {
    /// Movement or growth during a frame.
    #[derive(Default)]
    pub struct Linear [Rc 28, Mw 76, Pm 76, Cs 76] {
        /// The value at the start of the frame: metres, or factors for growth.
        base: Vec3,
        /// Change per second.
        rate @16: Vec3,
        [Mw Pm Cs] spline?: Spline,
        /// Stale memory.
        unk12~ @12: Hex<u32> = |_| Hex(0),
    }
}

record! {
    /// Rotation during a frame.
    #[derive(Default)]
    pub struct Rotation [Rc 28, Mw 76, Pm 76, Cs 76] {
        /// A quaternion: w, x, y, z. The rate rotates it by half angles.
        base: [F32; 4],
        /// Rotation vector per second.
        rate: Vec3,
        [Mw Pm Cs] spline?: Spline,
    }
}

record! {
    /// One segment of the movement. Its parts follow it.
    #[derive(Default)]
    pub struct Frame [Rc 12, Mw 12, Pm 12, Cs 12] {
        /// When it begins and ends, in seconds from the start of the script.
        time @4: [F32; 2],
        /// How the object moves, in metres.
        translate?: Linear on 0x1 in below,
        /// How the object rotates, as a quaternion.
        rotate?: Rotation on 0x2 in below,
        /// How the object grows, in factors along x, y, z.
        scale?: Linear on 0x4 in below,
        /// Bits in which the file's mask differs from the parts.
        mask_differ~ @0: flags u32,
    }
}

record! {
    /// A script: frames, one after the other. Its record is in the script table (PM, CS).
    #[derive(Default)]
    pub struct Script [Rc 28, Mw 28, Pm 28, Cs 28] with Lengths {
        /// The script's file (PM, CS).
        name?: PoolName in below,
        /// The object that it moves (PM, CS).
        object?: PoolName in below,
        /// The splines are used (PM, CS).
        spline_interpolation? @12: Bool<u32>,
        /// The segments of the movement, in order.
        frames*: Frame in below,
        /// The file's number of frames, if it differs from that of `frames`.
        frame_count~ @16: u32 = |s| u32::try_from(s.frames.len()).unwrap_or(u32::MAX)
            absent "if it follows from the rest",
        /// Bytes after the last readable frame.
        rest?: HexBytes in below,
        /// Stale addresses (PM, CS): name, object, frames. `0xffffffff` when absent.
        pointers~: [Hex<u32>; 3] in name_pointer = |_| [Hex(!0); 3],
        /// Stale address of the name.
        name_pointer @0: part Address<0>,
        /// Stale address of the object.
        object_pointer: part Address<1>,
        /// Bytes of the name, its terminator counted.
        let name_length: u8 = |s| s.cx.name,
        /// Bytes of the object, its terminator counted.
        let object_length: u8 = |s| s.cx.object,
        _: pad 2,
        /// Bytes of the frames.
        let data_length @20: u32 = |s| s.cx.frames,
        /// Stale address of the frames.
        data_pointer: part Address<2>,
    } below {
        /// Bytes of the record in the script table that no field expresses.
        extra!: Extra,
    }
}

/// The lengths of the parts that follow a script's record, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lengths {
    name: u8,
    object: u8,
    frames: u32,
}

impl Lengths {
    /// Reads the lengths from a record.
    pub fn of(record: &[u8], game: Game) -> Self {
        Lengths {
            name: Script::peek_name_length(record, game),
            object: Script::peek_object_length(record, game),
            frames: Script::peek_data_length(record, game),
        }
    }

    /// Their total.
    pub fn sum(self) -> u64 {
        u64::from(self.name) + u64::from(self.object) + u64::from(self.frames)
    }
}

/// A stale address of a script.
pub struct Address<const I: usize>;

impl<const I: usize> FieldGroup<Script, Lengths> for Address<I> {
    const SIZE: usize = u32::SIZE;
    fn load(script: &mut Script, bytes: &[u8], _: u32, _: Game, _: &Lengths) {
        let mut all = script.pointers.or([Hex(!0); 3]);
        all[I] = Hex::get(bytes);
        script.pointers = Derived(Some(all));
    }
    fn store(script: &Script, bytes: &mut [u8], _: Game, _: &Lengths) -> Result<()> {
        script.pointers.or([Hex(!0); 3])[I].put(bytes);
        Ok(())
    }
    fn describe(script: &Script, part: &mut Describe<'_>, _: Game, _: &Lengths) {
        part.note(
            0,
            u32::SIZE,
            &format!("pointers[{I}]"),
            Notation::Word,
            part.odd(script.pointers.is_none()),
            None,
        );
    }
}

refit_base::document!(Script, "anim-script");

/// A name with an explicit length: text and a zero. Other bytes are written in hexadecimal.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PoolName(pub Vec<u8>);

impl PoolName {
    /// The text before the first zero.
    pub fn text(&self) -> String {
        refit_base::wire::decode_1252(self.0.split(|b| *b == 0).next().unwrap_or_default())
            .into_owned()
    }
}

impl Serialize for PoolName {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.0.split_last() {
            Some((0, text)) => s.serialize_str(&refit_base::wire::decode_1252(text)),
            _ => PoolRecord {
                hex: HexBytes(self.0.clone()),
            }
            .serialize(s),
        }
    }
}

/// A [`PoolName`] whose bytes are not text.
#[derive(refit_base::Object)]
#[serde(rename = "Name", deny_unknown_fields)]
pub struct PoolRecord {
    hex: HexBytes,
}

impl TextOrRecord for PoolName {
    type Record = PoolRecord;
    fn expecting(f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a name, or { \"hex\": … }")
    }
    fn from_text(text: &str) -> Result<Self> {
        let mut bytes = refit_base::wire::encode_1252(text)?;
        bytes.push(0);
        Ok(PoolName(bytes))
    }
    fn from_record(record: PoolRecord) -> Result<Self> {
        Ok(PoolName(record.hex.0))
    }
}

refit_base::text_form!(PoolName);

refit_base::schema_form!(PoolName: "PoolName", |generator| {
    let bytes = generator.subschema_for::<HexBytes>();
    json_schema!({ "anyOf": [
        { "description": "A name.", "type": "string" },
        { "description": "A name whose bytes are not \
            text.", "type": "object", "additionalProperties": false, "properties": { "hex": bytes },
                "required": ["hex"] },
    ] })
});

impl Frame {
    /// Reads a frame with its parts.
    fn read_all(r: &mut Reader<'_>) -> Result<Self> {
        let mut frame = Frame::read(r)?;
        if let Some(part) = &mut frame.translate {
            *part = r.part("translate")?;
        }
        if let Some(part) = &mut frame.rotate {
            *part = r.part("rotate")?;
        }
        if let Some(part) = &mut frame.scale {
            *part = r.part("scale")?;
        }
        Ok(frame)
    }
    fn write_all(&self, w: &mut Writer) -> Result<()> {
        self.write(w)?;
        self.translate
            .iter()
            .try_for_each(|p| p.write(w))
            .map_err(|e| e.within("translate"))?;
        self.rotate
            .iter()
            .try_for_each(|p| p.write(w))
            .map_err(|e| e.within("rotate"))?;
        self.scale
            .iter()
            .try_for_each(|p| p.write(w))
            .map_err(|e| e.within("scale"))
    }
}

impl Script {
    /// The frame count in the file.
    pub fn frame_count(&self) -> u32 {
        self.frame_count
            .or(u32::try_from(self.frames.len()).unwrap_or(u32::MAX))
    }

    fn read_frames(&mut self, r: &mut Reader<'_>, count: u32) {
        // `note_within` only provides the path for `explain`: unreadable frames are not an error,
        // their bytes become `rest`.
        r.note_within("frames", |r| self.read_list(r, count));
        self.frame_count = Derived::of(count, u32::try_from(self.frames.len()).unwrap_or(u32::MAX));
        self.rest =
            Some(HexBytes(r.rest_as("rest", Role::Value).to_vec())).filter(|rest| !rest.is_empty());
    }

    fn read_list(&mut self, r: &mut Reader<'_>, count: u32) {
        self.frames.reserve((count as usize).min(r.left() / 64));
        for i in 0..count {
            let before = r.pos();
            match r.item(i as usize, Frame::read_all) {
                Ok(frame) => self.frames.push(frame),
                Err(_) => {
                    // This cannot fail, because the same bytes were read before.
                    let _ = r.seek(before as u64);
                    break;
                }
            }
        }
    }

    fn write_frames(&self, w: &mut Writer) -> Result<()> {
        for (i, frame) in self.frames.iter().enumerate() {
            frame
                .write_all(w)
                .map_err(|e| e.within(format!("[{i}]")).within("frames"))?;
        }
        w.raw(self.rest.as_ref().map_or(&[], |r| &r.0));
        Ok(())
    }

    /// True if events contain their frames (RC, MW).
    pub fn is_inline(game: Game) -> bool {
        !matches!(game, Game::Pm | Game::Cs)
    }

    /// The frames of an event (RC, MW).
    pub(crate) fn inline(r: &mut Reader<'_>, count: u32) -> Self {
        let mut script = Script::default();
        script.read_frames(r, count);
        script
    }

    /// Writes the frames of an event (RC, MW).
    pub(crate) fn write_inline(&self, w: &mut Writer) -> Result<()> {
        if self.name.is_some()
            || self.object.is_some()
            || self.spline_interpolation.is_some()
            || !self.pointers.is_none()
            || !self.extra.is_empty()
        {
            return Err(Error::say("a script of this game has frames only"));
        }
        self.write_frames(w)
    }

    /// Reads a record of the table followed by its data (PM, CS).
    pub fn from_pool(bytes: &[u8], game: Game) -> Result<Self> {
        let record = bytes.get(..Script::size(game)).unwrap_or(bytes);
        let mut data = Reader::new(bytes, game);
        data.take(Script::size(game))?;
        Self::from_table(record, &mut data)
    }

    /// Reads a record of the table, and its data up to the end of `data`.
    pub(crate) fn from_table(record: &[u8], data: &mut Reader<'_>) -> Result<Self> {
        let game = data.game;
        let lengths = Lengths::of(record, game);
        let mut script = Script::load(record, game, &lengths);
        let count = script.frame_count();
        script.name = Some(PoolName(
            data.bytes(lengths.name.into(), "name", Notation::Text, Role::Value)?
                .to_vec(),
        ));
        script.object = Some(PoolName(
            data.bytes(lengths.object.into(), "object", Notation::Text, Role::Value)?
                .to_vec(),
        ));
        script.read_frames(data, count);
        let mut image = [0; Script::size(Game::Cs)];
        // Use the lengths of the actual data: those of the record may differ.
        let (lengths, _) = script.data(game)?;
        script.store(&mut image, game, &lengths)?;
        script.extra = Extra::of(&image, record);
        Ok(script)
    }

    /// The data that follows the record, and its lengths.
    fn data(&self, game: Game) -> Result<(Lengths, Vec<u8>)> {
        let mut w = Writer::new(game);
        let (name, object) = (
            self.name.as_ref().map_or(&[][..], |n| &n.0),
            self.object.as_ref().map_or(&[][..], |n| &n.0),
        );
        w.raw(name);
        w.raw(object);
        let start = w.len();
        self.write_frames(&mut w)?;
        let lengths = Lengths {
            name: fit(name.len(), "the length of `name` with its zero")?,
            object: fit(object.len(), "the length of `object` with its zero")?,
            frames: fit(w.len() - start, "the size of the frames")?,
        };
        Ok((lengths, w.bytes))
    }

    /// Writes a record of the table followed by its data (PM, CS).
    pub fn to_pool(&self, game: Game) -> Result<Vec<u8>> {
        let (lengths, data) = self.data(game)?;
        let mut w = Writer::new(game);
        super::fields::append(self, &self.extra, &mut w, &lengths)?;
        w.raw(&data);
        Ok(w.bytes)
    }

    /// The duration in seconds.
    pub fn run_time(&self) -> f32 {
        self.frames
            .iter()
            .map(|f| f.time[1].get())
            .fold(0.0, f32::max)
    }

    /// The name in the file, for display.
    pub fn title(&self) -> Str {
        Str(self.name.as_ref().map_or_else(Vec::new, |n| n.0.clone()))
    }
}
