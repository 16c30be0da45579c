//! SI scripts: frames of movement. RC and MW hold them inside their events, PM and CS in a table at the end of the file
//! (anim.md, section 11; crimson-skies.md, section 6.8).

use super::fields::{Bool, body};
use crate::{
    game::Game,
    wire::{Error, Extra, F32, Hex, HexBytes, Odd, Reader, Result, Str, TextOrRecord, Vec3, Writer, fit, text_or_record},
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeStruct};

/// A cubic for each axis: value and coefficients (probably), or stale memory where the script does not interpolate.
pub type Spline = [[F32; 4]; 3];

body! {
    /// Movement or growth during a frame.
    pub struct Linear {
        base: Vec3,
        /// Change per second.
        rate: Vec3,
        spline? Spline,
        /// Stale memory.
        unk12~ Hex<u32>,
    }
}

body! {
    /// Rotation during a frame.
    pub struct Rotation {
        /// A quaternion: w, x, y, z in Crimson Skies; unproved in the other games.
        base: [F32; 4],
        /// Rotation vector per second.
        rate: Vec3,
        spline? Spline,
    }
}

body! {
    /// One piece of the movement.
    pub struct Frame {
        /// Seconds: start and end.
        time: [F32; 2],
        translate? Linear,
        rotate? Rotation,
        scale? Linear,
        /// Bits in which the file's mask differs from what the parts say.
        mask_differ~ Hex<u32>,
    }
}

body! {
    /// A script: frames, one after the other.
    pub struct Script {
        /// The script's file (PM, CS).
        name? PoolName,
        /// The object that it moves (PM, CS).
        object? PoolName,
        /// The splines count (PM, CS).
        spline_interpolation? Bool<u32>,
        frames* Frame,
        /// The file's number of frames, where it is not that of `frames`.
        frame_count~ u32,
        /// Bytes behind the last frame that can be read.
        rest? HexBytes,
        /// Stale addresses (PM, CS): name, object, frames. `0xffffffff` when absent.
        pointers~ [Hex<u32>; 3],
        /// What the typed form cannot say of the record in the script table.
        #[serde(default, skip_serializing_if = "Extra::is_empty")]
        extra: Extra,
    }
}

crate::document!(Script, "anim-script");

/// A name with its own length: text and a zero. Other bytes are shown as hexadecimal.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PoolName(pub Vec<u8>);

impl PoolName {
    /// The text before the first zero.
    pub fn text(&self) -> String {
        crate::wire::decode_1252(self.0.split(|b| *b == 0).next().unwrap_or_default()).into_owned()
    }
}

impl Serialize for PoolName {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.0.split_last() {
            Some((0, text)) => s.serialize_str(&crate::wire::decode_1252(text)),
            _ => {
                let mut out = s.serialize_struct("Name", 1)?;
                out.serialize_field("hex", &HexBytes(self.0.clone()))?;
                out.end()
            }
        }
    }
}

/// A [`PoolName`] whose bytes are not text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoolRecord {
    hex: HexBytes,
}

impl TextOrRecord for PoolName {
    type Record = PoolRecord;
    fn expecting(f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a name, or { \"hex\": … }")
    }
    fn from_text(text: &str) -> Result<Self> {
        let mut bytes = crate::wire::encode_1252(text)?;
        bytes.push(0);
        Ok(PoolName(bytes))
    }
    fn from_record(record: PoolRecord) -> Result<Self> {
        Ok(PoolName(record.hex.0))
    }
}

impl<'de> Deserialize<'de> for PoolName {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        text_or_record(d)
    }
}

impl JsonSchema for PoolName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PoolName".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let bytes = generator.subschema_for::<HexBytes>();
        json_schema!({ "anyOf": [
            { "description": "A name.", "type": "string" },
            { "description": "A name whose bytes are not text.", "type": "object", "additionalProperties": false, "properties": { "hex": bytes }, "required": ["hex"] },
        ] })
    }
}

fn spline(r: &mut Reader<'_>) -> Result<Option<Spline>> {
    if r.game == Game::Rc {
        return Ok(None);
    }
    let zero = r.peek(48).iter().all(|b| *b == 0);
    let spline: Spline = r.get()?;
    Ok((!zero).then_some(spline))
}

fn put_spline(w: &mut Writer, spline: &Option<Spline>) -> Result<()> {
    match (w.game, spline) {
        (Game::Rc, Some(_)) => Err(Error::say("Recoil's scripts have no splines").within("spline")),
        (Game::Rc, None) => Ok(()),
        (_, spline) => {
            w.put(&spline.unwrap_or_default());
            Ok(())
        }
    }
}

impl Linear {
    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let base = r.get()?;
        let unk12 = Odd::of(r.get()?, Hex(0));
        Ok(Linear { base, unk12, rate: r.get()?, spline: spline(r)? })
    }
    fn write(&self, w: &mut Writer) -> Result<()> {
        w.put(&self.base);
        w.put(&self.unk12.or(Hex(0)));
        w.put(&self.rate);
        put_spline(w, &self.spline)
    }
}

impl Rotation {
    fn read(r: &mut Reader<'_>) -> Result<Self> {
        Ok(Rotation { base: r.get()?, rate: r.get()?, spline: spline(r)? })
    }
    fn write(&self, w: &mut Writer) -> Result<()> {
        w.put(&self.base);
        w.put(&self.rate);
        put_spline(w, &self.spline)
    }
}

impl Frame {
    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let mask = r.u32()?;
        let time = r.get()?;
        let translate = if mask & 1 != 0 { Some(Linear::read(r)?) } else { None };
        let rotate = if mask & 2 != 0 { Some(Rotation::read(r)?) } else { None };
        let scale = if mask & 4 != 0 { Some(Linear::read(r)?) } else { None };
        Ok(Frame { time, translate, rotate, scale, mask_differ: Odd::of(Hex(mask & !7), Hex(0)) })
    }
    fn write(&self, w: &mut Writer) -> Result<()> {
        let parts = u32::from(self.translate.is_some()) | u32::from(self.rotate.is_some()) << 1 | u32::from(self.scale.is_some()) << 2;
        w.u32(parts ^ self.mask_differ.or(Hex(0)).0);
        w.put(&self.time);
        self.translate.iter().try_for_each(|p| p.write(w))?;
        self.rotate.iter().try_for_each(|p| p.write(w))?;
        self.scale.iter().try_for_each(|p| p.write(w))
    }
}

/// A record of the script table, 28 bytes.
pub struct Head {
    name: Hex<u32>,
    object: Hex<u32>,
    name_len: u8,
    object_len: u8,
    interpolation: Bool<u32>,
    frames: u32,
    data_len: u32,
    data: Hex<u32>,
}

impl Head {
    /// Bytes of one.
    pub const SIZE: usize = 28;

    /// Reads one; the two bytes behind the lengths are read by nobody.
    pub fn read(r: &mut Reader<'_>) -> Result<Self> {
        let (name, object, name_len, object_len) = (r.get()?, r.get()?, r.get()?, r.get()?);
        let _: u16 = r.get()?;
        Ok(Head { name, object, name_len, object_len, interpolation: r.get()?, frames: r.get()?, data_len: r.get()?, data: r.get()? })
    }

    /// Bytes of the strings and frames that belong to it.
    pub fn data_size(&self) -> u64 {
        u64::from(self.name_len) + u64::from(self.object_len) + u64::from(self.data_len)
    }
}

impl Script {
    /// What the frame count of the file says.
    pub fn frame_count(&self) -> u32 {
        self.frame_count.or(u32::try_from(self.frames.len()).unwrap_or(u32::MAX))
    }

    fn read_frames(&mut self, r: &mut Reader<'_>, count: u32) {
        self.frames.reserve((count as usize).min(r.left() / 64));
        for _ in 0..count {
            let before = r.pos();
            match Frame::read(r) {
                Ok(frame) => self.frames.push(frame),
                Err(_) => {
                    // Always inside: it was there before.
                    let _ = r.seek(before as u64);
                    break;
                }
            }
        }
        self.frame_count = Odd::of(count, u32::try_from(self.frames.len()).unwrap_or(u32::MAX));
        self.rest = Some(HexBytes(r.rest().to_vec())).filter(|rest| !rest.is_empty());
    }

    fn write_frames(&self, w: &mut Writer) -> Result<()> {
        for (i, frame) in self.frames.iter().enumerate() {
            frame.write(w).map_err(|e| e.within(format!("[{i}]")).within("frames"))?;
        }
        w.raw(self.rest.as_ref().map_or(&[], |r| &r.0));
        Ok(())
    }

    /// Events hold their frames themselves (RC, MW).
    pub fn is_inline(game: Game) -> bool {
        matches!(game, Game::Rc | Game::Mw)
    }

    /// The frames of an event (RC, MW).
    pub fn inline(bytes: &[u8], count: u32, game: Game) -> Self {
        let mut script = Script::default();
        script.read_frames(&mut Reader::new(bytes, game), count);
        script
    }

    /// The bytes that [`Script::inline`] reads.
    pub fn write_inline(&self, w: &mut Writer) -> Result<()> {
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

    /// A record of the table and its data, one after the other (PM, CS).
    pub fn from_pool(bytes: &[u8], game: Game) -> Result<Self> {
        let mut r = Reader::new(bytes, game);
        let head = Head::read(&mut r)?;
        let mut script = Script {
            name: Some(PoolName(r.take(head.name_len.into())?.to_vec())),
            object: Some(PoolName(r.take(head.object_len.into())?.to_vec())),
            spline_interpolation: Some(head.interpolation).filter(|i| i.0 != 0),
            pointers: Odd::of([head.name, head.object, head.data], [Hex(!0); 3]),
            ..Script::default()
        };
        script.read_frames(&mut r, head.frames);
        let canonical = script.to_pool(game)?;
        script.extra = Extra::of(canonical.get(..Head::SIZE).unwrap_or_default(), bytes.get(..Head::SIZE).unwrap_or_default());
        Ok(script)
    }

    /// The bytes that [`Script::from_pool`] reads.
    pub fn to_pool(&self, game: Game) -> Result<Vec<u8>> {
        let mut w = Writer::new(game);
        w.bytes.resize(Head::SIZE, 0);
        let (name, object) = (self.name.as_ref().map_or(&[][..], |n| &n.0), self.object.as_ref().map_or(&[][..], |n| &n.0));
        w.raw(name);
        w.raw(object);
        let start = w.len();
        self.write_frames(&mut w)?;
        let size: u32 = fit(w.len() - start, "the size of the frames")?;
        let mut head = Writer::new(game);
        let [name_at, object_at, data_at] = self.pointers.or([Hex(!0); 3]);
        head.put(&name_at);
        head.put(&object_at);
        head.put(&fit::<u8>(name.len(), "the length of `name` with its zero")?);
        head.put(&fit::<u8>(object.len(), "the length of `object` with its zero")?);
        head.put(&0u16);
        head.put(&self.spline_interpolation.unwrap_or_default());
        head.u32(self.frame_count());
        head.u32(size);
        head.put(&data_at);
        self.extra.lay_over(&mut head.bytes)?;
        if let Some(slot) = w.bytes.get_mut(..Head::SIZE) {
            slot.copy_from_slice(&head.bytes);
        }
        Ok(w.bytes)
    }

    /// Seconds that it lasts.
    pub fn run_time(&self) -> f32 {
        self.frames.iter().map(|f| f.time[1].get()).fold(0.0, f32::max)
    }

    /// The object and file names, for people.
    pub fn title(&self) -> Str {
        Str(self.name.as_ref().map_or_else(Vec::new, |n| n.0.clone()))
    }
}
