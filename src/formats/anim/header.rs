//! What stands before the definitions: version, lists of source files, info block (anim.md, section 3; crimson-skies.md,
//! sections 6.1 to 6.4); the reserved definition 0, and messages.

use super::{
    definition::record_size,
    fields::{self, Beside, Care, Fields, Layout, Side, body},
    names::NOTHING,
};
use crate::{
    game::Game,
    wire::{Error, Extra, F32, Hex, Odd, Reader, Result, Text, UnixTime, Writer, fit},
};

/// The first word of every file.
pub const SIGNATURE: u32 = 0x0817_0616;

crate::plain! {
    /// A source file: the engine refuses a stale animation file when this one exists with another time (RC).
    pub struct SourceFile {
        path: Text<80>,
        time: UnixTime,
    }
}

crate::plain! {
    /// A world file that the animations were compiled for (CS): its time repeats that of the world's header.
    pub struct BaseFile {
        path: Text<128>,
        time: UnixTime,
    }
}

crate::plain! {
    /// A message that events show (Recoil).
    pub struct Message {
        name: Text<32>,
        /// Found when the file is loaded.
        resolved: Hex<u32>,
    }
}

body! {
    /// The info block.
    pub struct Info {
        /// -9.8 in every known file.
        gravity? F32,
        /// 0 or 1 (PM, CS).
        unk40? u32,
        /// Stale address: with the next one it tells which build wrote the file.
        definitions_pointer~ Hex<u32>,
        world_pointer~ Hex<u32>,
        scripts_pointer~ Hex<u32>,
        messages_pointer~ Hex<u32>,
        /// What the typed form cannot say of the block.
        #[serde(default, skip_serializing_if = "Extra::is_empty")]
        extra: Extra,
    }
}

/// What the info block counts.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    /// Definitions, with definition 0.
    pub definitions: u16,
    /// Scripts (PM, CS).
    pub scripts: u32,
    /// Messages.
    pub messages: u32,
}

impl Layout for Beside<'_, Info, &mut Counts> {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        let Beside(me, counts) = self;
        let wide = matches!(f.game, Game::Pm | Game::Cs);
        f.at(10).plain(&mut counts.definitions);
        f.odd(&mut me.definitions_pointer, Hex(!0));
        if wide {
            f.plain(&mut counts.scripts);
            f.odd(&mut me.scripts_pointer, Hex(if counts.scripts == 0 { 0 } else { !0 }));
        }
        f.plain(&mut counts.messages);
        f.odd(&mut me.messages_pointer, Hex(if counts.messages == 0 { 0 } else { !0 }));
        f.odd(&mut me.world_pointer, Hex(!0));
        f.usual(&mut me.gravity, F32::from(-9.8));
        match f.game {
            Game::Rc | Game::RcDemo => {}
            Game::Mw => f.at(60).put(&1u32),
            Game::Pm | Game::Cs => {
                f.some(&mut me.unk40);
                f.at(60).put(&1u32);
            }
        }
    }
}

impl Info {
    fn size(game: Game) -> usize {
        match game {
            Game::Rc | Game::RcDemo => 60,
            Game::Mw => 68,
            Game::Pm | Game::Cs => 108,
        }
    }
}

/// Everything before the definitions.
#[derive(Default, Debug)]
pub struct Header {
    /// The version, where it is not that of the game.
    pub version: Odd<u32>,
    /// When the file was made (PM).
    pub timestamp: Option<UnixTime>,
    /// World files (CS).
    pub base_files: Vec<BaseFile>,
    /// Source files.
    pub source_files: Vec<SourceFile>,
    /// The info block.
    pub info: Info,
}

impl Header {
    /// Reads the header and tells the game, by its version or by what the user said.
    pub fn read(file: &[u8], hint: Option<Game>) -> Result<(Self, Game, Counts, usize)> {
        let mut r = Reader::new(file, hint.unwrap_or(Game::Mw));
        let signature: u32 = r.field("signature")?;
        if signature != SIGNATURE {
            return Err(Error::say(format!("the first word is {signature:#010x}, an animation file begins with {SIGNATURE:#010x}")).at(0));
        }
        let version: u32 = r.field("version")?;
        let known = Game::ALL.into_iter().find(|g| g.anim_version() == version);
        let game = known.or(hint).ok_or_else(|| {
            Error::say(format!("version {version} of animation files is not known, only 28, 39, 50 and 53 are"))
                .at(4)
                .hint("--game names the layout")
        })?;
        r.game = game;
        let mut me = Header { version: Odd::of(version, game.anim_version()), ..Header::default() };
        let base_count: u32 = if game == Game::Cs { r.field("the number of base files")? } else { 0 };
        if game == Game::Pm {
            me.timestamp = Some(r.field("timestamp")?);
        }
        let count: u32 = r.field("the number of source files")?;
        me.base_files = r.plains(base_count.into(), "base_files")?;
        me.source_files = r.plains(count.into(), "source_files")?;
        let bytes = r.take(Info::size(game)).map_err(|e| e.within("info"))?;
        let mut counts = Counts::default();
        me.info.extra = fields::fill(&mut Beside(&mut me.info, &mut counts), bytes, game, &NOTHING, &mut Care::default());
        Ok((me, game, counts, r.pos()))
    }

    /// Writes what [`Header::read`] reads.
    pub fn write(&self, w: &mut Writer, mut counts: Counts) -> Result<()> {
        let game = w.game;
        w.u32(SIGNATURE);
        w.u32(self.version.or(game.anim_version()));
        if game == Game::Cs {
            w.u32(fit(self.base_files.len(), "the number of base files")?);
        } else if !self.base_files.is_empty() {
            return Err(Error::say(format!("{}'s files have no `base_files`", game.title())));
        }
        match (game, self.timestamp) {
            (Game::Pm, time) => w.put(&time.unwrap_or_default()),
            (_, Some(_)) => return Err(Error::say(format!("{}'s files have no `timestamp`", game.title()))),
            (_, None) => {}
        }
        w.u32(fit(self.source_files.len(), "the number of source files")?);
        w.plains(&self.base_files);
        w.plains(&self.source_files);
        let at = w.len();
        w.bytes.resize(at + Info::size(game), 0);
        let mut info = self.info.clone();
        let extra = std::mem::take(&mut info.extra);
        let slot = w.bytes.get_mut(at..).unwrap_or_default();
        fields::write(&mut Beside(&mut info, &mut counts), &extra, slot, game, &NOTHING).map_err(|e| e.within("info"))
    }
}

/// Bytes of definition 0: a record, in RC and MW with its reset record.
pub fn definition_0_size(game: Game) -> usize {
    record_size(game) + if matches!(game, Game::Rc | Game::Mw) { 64 } else { 0 }
}

/// Definition 0 of every known file: nothing but an activation, and in CS a name. The engine never uses it.
pub fn definition_0(game: Game) -> Vec<u8> {
    let mut bytes = vec![0; definition_0_size(game)];
    let mut set = |at: usize, value: &[u8]| {
        if let Some(slot) = bytes.get_mut(at..at + value.len()) {
            slot.copy_from_slice(value);
        }
    };
    match game {
        Game::Rc | Game::RcDemo | Game::Mw => set(153, &[3]),
        Game::Pm | Game::Cs => {
            set(72, &[0xff; 4]);
            set(108, &[0xff; 4]);
            set(161, &[3]);
        }
    }
    if game == Game::Cs {
        set(0, b"reserved_anim_0");
    }
    bytes
}
