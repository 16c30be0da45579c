//! The head of the file: version, lists of source files, info block, the reserved definition 0, and
//! messages (FORMAT.md, "Head").

use super::{
    definition::{Definition, Reset},
    fields,
    sequences::Care,
};
use refit_base::{
    game::Game,
    record,
    wire::{
        Derived, Error, Extra, F32, Hex, Reader, Record, Result, Role, Text, UnixTime, Vec3,
        Within, Writer, fit,
    },
};
use std::ops::Range;

/// The first word of every animation file.
pub const SIGNATURE: u32 = 0x0817_0616;

refit_base::plain! {
    /// A source file: the engine refuses a stale animation file when this one exists with another
    /// time (RC).
    pub struct SourceFile {
        /// Its path as the compiler saw it.
        path: Text<80>,
        /// When it was last changed.
        time: UnixTime,
    }
}

refit_base::plain! {
    /// A world file that the animations were compiled for (CS): its time repeats that of the
    /// world's header.
    pub struct BaseFile {
        /// Its path as the compiler saw it.
        path: Text<128>,
        /// When it was last changed: the time in its header.
        time: UnixTime,
    }
}

refit_base::plain! {
    /// A message that events show (Recoil).
    pub struct Message {
        /// The message, by its key in the DLL of messages.
        name: Text<32>,
        /// Resolved when the file is loaded.
        resolved: Hex<u32>,
    }
}

record! {
    /// The info block.
    #[derive(Default)]
    pub struct Info [Rc 60, Mw 68, Pm 108, Cs 108] with Counts {
        _ @0: pad 10,
        /// How many definitions there are, the reserved one counted.
        let definitions: u16 = |i| i.cx.definitions,
        /// -9.8 in every known file.
        gravity? @[Rc 28, Mw 28, _ 36]: F32 else F32::from(-9.8),
        /// 0 or 1 (PM, CS).
        [Pm Cs] unk40?: u32,
        /// Stale address; together with the next one it shows which build wrote the file.
        definitions_pointer~ @12: Hex<u32> = |_| Hex(!0),
        /// How many scripts the table has.
        [Pm Cs] let scripts: u32 = |i| i.cx.scripts,
        /// Stale address of the world.
        world_pointer~ @[Rc 24, Mw 24, _ 32]: Hex<u32> = |_| Hex(!0),
        /// Stale address of the scripts.
        [Pm Cs] scripts_pointer~ @20: Hex<u32> = |i| Hex(if i.cx.scripts == 0 { 0 } else { !0 })
            absent "if it follows from the rest",
        /// How many messages there are.
        let messages @[Rc 16, Mw 16, _ 24]: u32 = |i| i.cx.messages,
        /// Stale address of the messages.
        messages_pointer~: Hex<u32> = |i| Hex(if i.cx.messages == 0 { 0 } else { !0 })
            absent "if it follows from the rest",
        /// Of the running game: whether a position was given for conditions; zero in every known
        /// file.
        [Rc Mw] reference_enabled~ @32: u32 = |_| 0,
        /// Of the running game: whether variants are chosen manually; zero in every known file.
        [Rc Mw] variants_enabled~: u32 = |_| 0,
        /// Of the running game: the position for conditions, x, y, z; zero in every known file.
        [Rc Mw] reference_position~: Vec3 = |_| Vec3::default() absent "if it follows from the rest",
        /// Of the running game: the chosen variants, packed; zero in every known file.
        [Rc Mw] variants~: Hex<u32> = |_| Hex(0),
        /// Of the running game: the time left for a frame, in seconds; zero in every known file.
        [Rc Mw] frame_time_left~: F32 = |_| F32::default() absent "if it follows from the rest",
        [Pm Cs] _ @44: pad 16,
        /// 1.
        [Mw Pm Cs] let one @60: u32 = |_| 1,
        [Mw] _: pad 4,
        [Pm Cs] _: pad 44,
    } below {
        /// Bytes of the block that no field expresses.
        extra!: Extra,
    }
}

/// The counts in the info block.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Definitions, including definition 0.
    pub definitions: u16,
    /// Scripts (PM, CS).
    pub scripts: u32,
    /// Messages.
    pub messages: u32,
}

impl Counts {
    fn of(info: &[u8], game: Game) -> Self {
        Counts {
            definitions: Info::peek_definitions(info, game),
            scripts: Info::peek_scripts(info, game),
            messages: Info::peek_messages(info, game),
        }
    }
}

/// Everything before the definitions.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Header {
    /// The version, if it is not the game's usual one.
    pub version: Derived<u32>,
    /// When the file was written (PM).
    pub timestamp: Option<UnixTime>,
    /// World files (CS).
    pub base_files: Vec<BaseFile>,
    /// The source files that the file was compiled from.
    pub source_files: Vec<SourceFile>,
    /// The info block.
    pub info: Info,
}

impl Header {
    /// Reads the header. The game follows from the version or from `hint`, the user's choice.
    pub(crate) fn read(r: &mut Reader<'_>, hint: Option<Game>) -> Result<(Self, Counts)> {
        let signature: u32 = r.hidden("signature", Role::Constant)?;
        if signature != SIGNATURE {
            return Err(Error::say(format!(
                "the first word is {signature:#010x} (an animation file begins with {SIGNATURE:#010x})"
            ))
            .at(0));
        }
        let version: u32 = r.hidden("version", Role::Derived)?;
        let known = Game::ALL.into_iter().find(|g| g.anim_version() == version);
        let game = known.or(hint).ok_or_else(|| {
            Error::say(match version {
                26 | 27 => format!(
                    "version {version}: animations of a Recoil demo of July 1998, whose layout is not known; \
                    only 28, 39, 50 and 53 are known"
                ),
                _ => format!("version {version} of animation files is not known, only 28, 39, 50 and 53 are"),
            })
            .at(4)
            .hint("choose the layout with --game")
        })?;
        r.game = game;
        let mut me = Header {
            version: Derived::of(version, game.anim_version()),
            ..Header::default()
        };
        let base_count: u32 = if game == Game::Cs {
            r.hidden("the number of base files", Role::Derived)?
        } else {
            0
        };
        if game == Game::Pm {
            me.timestamp = Some(r.field("timestamp")?);
        }
        let count: u32 = r.hidden("the number of source files", Role::Derived)?;
        me.base_files = r.plains(base_count.into(), "base_files")?;
        me.source_files = r.plains(count.into(), "source_files")?;
        let at = r.offset();
        let bytes = r.take(Info::size(game)).map_err(|e| e.within("info"))?;
        let counts = Counts::of(bytes, game);
        me.info = Info::load(bytes, game, &counts);
        me.info.extra = Care::Parts.extra(&me.info, bytes, game, &counts);
        if let Some(trace) = r.trace() {
            trace.enter("info");
            me.info.describe(bytes, at, game, &counts, trace);
            trace.leave();
        }
        Ok((me, counts))
    }

    /// Writes what [`Header::read`] reads.
    pub(crate) fn write(&self, w: &mut Writer, counts: Counts) -> Result<()> {
        let game = w.game;
        w.u32(SIGNATURE);
        w.u32(self.version.or(game.anim_version()));
        if game == Game::Cs {
            w.u32(fit(self.base_files.len(), "the number of base files")?);
        } else if !self.base_files.is_empty() {
            return Err(Error::say(format!(
                "{}'s files have no `base_files`",
                game.title()
            )));
        }
        match (game, self.timestamp) {
            (Game::Pm, time) => w.put(&time.unwrap_or_default()),
            (_, Some(_)) => {
                return Err(Error::say(format!(
                    "{}'s files have no `timestamp`",
                    game.title()
                )));
            }
            (_, None) => {}
        }
        w.u32(fit(self.source_files.len(), "the number of source files")?);
        w.plains(&self.base_files);
        w.plains(&self.source_files);
        fields::append(&self.info, &self.info.extra, w, &counts).map_err(|e| e.within("info"))
    }
}

/// Size of definition 0 in bytes: a record, and in RC and MW a reset record.
pub fn definition_0_size(game: Game) -> usize {
    Definition::size(game)
        + if matches!(game, Game::Pm | Game::Cs) {
            0
        } else {
            Reset::size(game)
        }
}

/// Definition 0 of every known file: all zero except the activation, and in CS a name. The engine
/// never uses it.
pub fn definition_0(game: Game) -> Vec<u8> {
    let mut bytes = vec![0; definition_0_size(game)];
    let mut set = |place: Range<usize>, value: &[u8]| {
        for (to, from) in bytes.within_mut(place).iter_mut().zip(value) {
            *to = *from;
        }
    };
    set(Definition::place_activation(game), &[3]);
    if matches!(game, Game::Pm | Game::Cs) {
        set(Definition::place_pointers_anim(game), &[0xff; 4]);
        set(Definition::place_pointers_root(game), &[0xff; 4]);
    }
    if game == Game::Cs {
        set(Definition::place_animation_name(game), b"reserved_anim_0");
    }
    bytes
}
