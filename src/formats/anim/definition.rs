//! A definition: its record, its arrays, its sequences (anim.md, section 4; crimson-skies.md, section 6.5).

use super::{
    fields::{self, Beside, Care, Fields, Layout, Side, body},
    names::{Kind, Label, NOTHING, Name, Ref, Table, Tables},
    prerequisites::{PREREQUISITE, Prerequisite, REFERENCE, Reference},
    references::{Array, Entries, Stale},
    sequences::{Event, RECORD, Sequence, read_events, write_events},
};
use crate::{
    game::Game,
    wire::{Error, Extra, F32, Hex, HexBytes, Odd, Plain, Raw, Reader, Result, Text, Writer, fit, is_zero},
};
use std::sync::{Arc, LazyLock};

crate::open_enum! {
    /// What starts a definition.
    pub enum Activation: u8 {
        WeaponHit = 0 "WEAPON_HIT", CollideHit = 1 "COLLIDE_HIT", WeaponOrCollideHit = 2 "WEAPON_OR_COLLIDE_HIT",
        OnCall = 3 "ON_CALL", OnStartup = 4 "ON_STARTUP",
    }
}

// The macro above owns the derives.
#[allow(clippy::derivable_impls)]
impl Default for Activation {
    fn default() -> Self {
        Activation::OnCall
    }
}

body! {
    /// A step of the path to the node (CS).
    pub struct PathNode {
        name: Label,
        id: Hex<u32>,
    }
}

body! {
    /// Stale addresses of the program that wrote the file. The engine overwrites all of them: new ones need none.
    pub struct Pointers {
        anim~ Hex<u32>,
        root~ Hex<u32>,
        sequences~ Hex<u32>,
        /// The reset record (PM, CS).
        reset~ Hex<u32>,
        reset_events~ Hex<u32>,
        damage~ Hex<u32>,
        path~ Hex<u32>,
        objects~ Hex<u32>,
        nodes~ Hex<u32>,
        lights~ Hex<u32>,
        puffers~ Hex<u32>,
        dynamic_sounds~ Hex<u32>,
        static_sounds~ Hex<u32>,
        effects~ Hex<u32>,
        prerequisites~ Hex<u32>,
        animation_references~ Hex<u32>,
        scripts~ Hex<u32>,
    }
}

body! {
    /// What stands in the arrays besides the names: stale memory, by entry.
    pub struct StaleEntries {
        objects* Stale,
        nodes* Stale,
        lights* Stale,
        puffers* Stale,
        dynamic_sounds* Stale,
        static_sounds* Stale,
        effects* Stale,
    }
}

body! {
    /// The zero elements of the arrays, where they are not regular.
    pub struct ZeroElements {
        #[serde(default, skip_serializing_if = "Extra::is_empty")]
        objects: Extra,
        #[serde(default, skip_serializing_if = "Extra::is_empty")]
        nodes: Extra,
        #[serde(default, skip_serializing_if = "Extra::is_empty")]
        lights: Extra,
        #[serde(default, skip_serializing_if = "Extra::is_empty")]
        puffers: Extra,
        #[serde(default, skip_serializing_if = "Extra::is_empty")]
        dynamic_sounds: Extra,
        #[serde(default, skip_serializing_if = "Extra::is_empty")]
        static_sounds: Extra,
        #[serde(default, skip_serializing_if = "Extra::is_empty")]
        effects: Extra,
    }
}

body! {
    /// An animation definition. What a person edits stands first, stale memory last.
    pub struct Definition {
        /// The object that it belongs to; often a model's file.
        name: Text<32>,
        /// What calls refer to.
        animation: Text<32>,
        /// The node that it is bound to.
        root: Text<32>,
        activation: Activation,
        /// Runs while the player is that far away: nearest and farthest (CS: squared).
        execution_by_range? [F32; 2],
        execution_by_zone! bool,
        /// Seconds until it resets itself.
        reset_time? F32,
        network_log? bool,
        save_log? bool,
        auto_reset_node_states! bool,
        local_nodes_only! bool,
        proximity_damage! bool,
        health? F32,
        /// Where it is not `health`.
        current_health~ F32,
        /// 4 when absent.
        execution_priority? u8,
        /// Run-time state.
        status~ u8,
        /// The path to the node (CS).
        path* PathNode,
        /// Nodes whose state is saved at the start and restored on reset.
        objects? Vec<Label>,
        /// Nodes that events use.
        nodes? Vec<Label>,
        lights? Vec<Label>,
        puffers? Vec<Label>,
        dynamic_sounds? Vec<Label>,
        static_sounds? Vec<Label>,
        effects? Vec<Label>,
        prerequisites* Prerequisite,
        /// How many optional prerequisites must hold.
        prerequisites_to_satisfy? u8,
        /// The animations that it calls: usually one for each call.
        animation_references* Reference,
        /// Scripts of the file that it uses (CS).
        scripts* Ref,
        /// Events of the reset. PM, CS: absent when there is no reset record.
        reset? Vec<Event>,
        /// Events when it is damaged (CS).
        damage? Sequence,
        /// The place of `damage` among the sequences, where it is not before them (CS).
        damage_position~ u32,
        sequences: Vec<Sequence>,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ Hex<u32>,
        /// What stands in the place of the reset time while that is off, where it is not -1.
        reset_time_off~ F32,
        /// Bytes behind the last reset event that is framed.
        reset_tail? HexBytes,
        /// The file's size of the reset events, where it is none.
        reset_size~ i32,
        /// What the typed form cannot say of the reset record.
        #[serde(default, skip_serializing_if = "Extra::is_empty")]
        reset_extra: Extra,
        /// The first of the two reset records, where it differs from the second (RC, MW).
        reset_record_copy~ Raw<64>,
        #[serde(default, skip_serializing_if = "is_zero")]
        pointers: Pointers,
        #[serde(default, skip_serializing_if = "is_zero")]
        stale: StaleEntries,
        #[serde(default, skip_serializing_if = "is_zero")]
        zero_elements: ZeroElements,
        /// What the typed form cannot say of the definition's record.
        #[serde(default, skip_serializing_if = "Extra::is_empty")]
        extra: Extra,
    }
}

crate::document!(Definition, "anim-definition");

/// What the record holds of the parts behind it.
#[derive(Default)]
struct Counts {
    sequences: u8,
    /// In the order of [`Array`].
    arrays: [u8; 7],
    prerequisites: u8,
    references: u8,
    scripts: u8,
    path: u32,
    callbacks: bool,
    reset: bool,
    damage: bool,
    reset_record: Option<Raw<64>>,
}

/// Bytes of a definition's record.
pub const fn record_size(game: Game) -> usize {
    match game {
        Game::Rc | Game::RcDemo => 308,
        Game::Mw => 316,
        Game::Pm => 268,
        Game::Cs => 272,
    }
}

/// Where the record's count bytes begin.
const fn counts_at(game: Game) -> usize {
    match game {
        Game::Rc | Game::RcDemo => 260,
        Game::Mw => 264,
        Game::Pm | Game::Cs => 216,
    }
}

impl Counts {
    /// Reads what frames the parts behind a record.
    fn of(record: &[u8], game: Game) -> Self {
        let byte = |at: usize| record.get(at).copied().unwrap_or(0);
        let word = |at: usize| u32::get(record.get(at..at + 4).unwrap_or_default());
        let mut at = counts_at(game);
        let mut next = || {
            at += 1;
            byte(at - 1)
        };
        let mut counts = Counts { sequences: next(), ..Counts::default() };
        for array in Array::all(game) {
            let n = next();
            if let Some(slot) = counts.arrays.get_mut(array as usize) {
                *slot = n;
            }
        }
        counts.prerequisites = next();
        next();
        counts.references = next();
        match game {
            Game::Rc | Game::RcDemo | Game::Mw => {
                counts.reset = true;
                counts.reset_record = None;
            }
            Game::Pm => counts.reset = word(208) != 0,
            Game::Cs => {
                counts.path = word(36);
                counts.reset = word(208) != 0;
                counts.damage = word(212) != 0;
                counts.scripts = next();
            }
        }
        counts
    }

    fn array(&self, array: Array) -> u8 {
        self.arrays.get(array as usize).copied().unwrap_or(0)
    }
}

/// Moves over a definition; the parts are not read, but they are all there afterwards.
pub fn skip(r: &mut Reader<'_>) -> Result<()> {
    let game = r.game;
    let record = r.take(record_size(game))?;
    let counts = Counts::of(record, game);
    r.take_many(counts.path.into(), 36).map_err(|e| e.within("path"))?;
    for array in Array::all(game) {
        r.take_many(counts.array(array).into(), array.shape(game).size as u64).map_err(|e| e.within(array.key()))?;
    }
    r.take_many(counts.prerequisites.into(), PREREQUISITE as u64).map_err(|e| e.within("prerequisites"))?;
    r.take_many(counts.references.into(), REFERENCE as u64).map_err(|e| e.within("animation_references"))?;
    r.take_many(counts.scripts.into(), 4).map_err(|e| e.within("scripts"))?;
    if counts.reset {
        skip_events(r).map_err(|e| e.within("reset"))?;
    }
    for i in 0..usize::from(counts.sequences) + usize::from(counts.damage) {
        skip_events(r).map_err(|e| e.within(format!("[{i}]")).within("sequences"))?;
    }
    Ok(())
}

fn skip_events(r: &mut Reader<'_>) -> Result<()> {
    let record = r.take(RECORD)?;
    r.take(Sequence::events_size(record)).map(|_| ()).map_err(|e| e.within("events"))
}

/// The name of the events that a definition resets with.
static RESET: LazyLock<Text<32>> = LazyLock::new(|| Text::new(b"RESET_SEQUENCE").unwrap_or_default());
/// The name of the events that run when an object is damaged (CS).
pub const DAMAGE: &[u8] = b"DAMAGE_SEQUENCE";

/// What is said of a part that does not prove itself.
pub fn other_bytes() -> Error {
    Error::say("the typed form gives other bytes; this is a bug in refit, please report it")
}

/// Room that reading one definition after the other uses again.
#[derive(Default)]
pub struct Room {
    care: Care,
    tables: Tables,
    written: Vec<u8>,
}

impl Room {
    /// Lists with room for more events are not kept.
    const KEPT: usize = 1024;

    /// Takes over the lists of a definition that is needed no more.
    pub fn keep(&mut self, doc: &mut Definition) {
        for events in doc.reset.iter_mut().chain(doc.sequences.iter_mut().map(|s| &mut s.events)) {
            let mut events = std::mem::take(events);
            events.clear();
            if events.capacity() <= Self::KEPT {
                self.care.spare.push(events);
            }
        }
    }
}

impl Definition {
    /// Reads one of exactly `bytes`, and proves that it writes them. `scripts` is the file's script table by names.
    pub fn read(bytes: &[u8], game: Game, scripts: &Arc<Table>, room: &mut Room) -> Result<Self> {
        let mut w = Writer { bytes: std::mem::take(&mut room.written), game };
        // Nearly every typed form says everything there is: the whole is proved at once, where each part would need its own
        // proof. Only what fails is read again, part by part.
        for trusts in [true, false] {
            room.care.trusts = trusts;
            let mut me = Self::default();
            me.read_parts(bytes, game, scripts, room)?;
            w.bytes.clear();
            let written = me.write_parts(&mut w, &room.tables);
            if trusts && written.is_err() {
                continue;
            }
            written?;
            if w.bytes == bytes {
                room.written = w.bytes;
                return Ok(me);
            }
        }
        Err(other_bytes())
    }

    /// Reads it into an empty one; its tables are left in `room`.
    fn read_parts(&mut self, bytes: &[u8], game: Game, scripts: &Arc<Table>, room: &mut Room) -> Result<()> {
        let (me, care, tables) = (self, &mut room.care, &mut room.tables);
        let mut r = Reader::new(bytes, game);
        let record = r.take(record_size(game))?;
        let mut counts = Counts::of(record, game);
        for i in 0..counts.path {
            let node = r.take(36).map_err(|e| e.within(format!("[{i}]")).within("path"))?;
            let (name, id) = node.split_at_checked(32).unwrap_or_default();
            me.path.push(PathNode { name: Label::read(name, true), id: Hex::get(id) });
        }
        for array in Array::all(game) {
            let entries = Entries::read(&mut r, array, counts.array(array), care)?;
            let (names, stale, zero) = me.array(array);
            (*names, *stale, *zero) = (entries.names, entries.stale, entries.zero);
        }
        me.array_tables(game, scripts, tables);
        for _ in 0..counts.prerequisites {
            let (it, extra): (Prerequisite, _) = fields::read(r.take(PREREQUISITE)?, game, &NOTHING, care);
            me.prerequisites.push(Prerequisite { extra, ..it });
        }
        me.animation_references.resize_with(counts.references.into(), Reference::default);
        for reference in &mut me.animation_references {
            reference.fill(r.take(REFERENCE)?);
        }
        for _ in 0..counts.scripts {
            me.scripts.push(tables.name(Kind::FileScript, r.get()?));
        }
        me.more_tables(tables);
        if counts.reset {
            let record = r.take(RECORD).map_err(|e| e.within("reset"))?;
            counts.reset_record = record.try_into().ok().map(Raw);
            let bytes = r.take(Sequence::events_size(record)).map_err(|e| e.within("events").within("reset"))?;
            let (events, tail) = read_events(bytes, game, tables, care);
            let always = matches!(game, Game::Rc | Game::Mw);
            me.reset = (!always || !events.is_empty()).then_some(events);
            me.reset_tail = (!tail.is_empty()).then(|| HexBytes(tail.to_vec()));
            let size = i32::try_from(bytes.len()).unwrap_or(0);
            me.reset_extra = fields::fill(&mut Beside(&mut *me, ResetSize(size)), record, game, &NOTHING, care);
        }
        let blocks = usize::from(counts.sequences) + usize::from(counts.damage);
        me.sequences.reserve_exact(blocks);
        for i in 0..blocks {
            let mut sequence = Sequence::default();
            sequence.read(&mut r, tables, care).map_err(|e| e.within(format!("[{i}]")).within("sequences"))?;
            me.sequences.push(sequence);
        }
        if counts.damage {
            let at = me.sequences.iter().position(|s| s.name.bytes() == DAMAGE).unwrap_or(0);
            me.damage = Some(me.sequences.remove(at));
            me.damage_position = Odd::of(u32::try_from(at).unwrap_or(0), 0);
        }
        counts.callbacks = me.has_callback();
        me.extra = fields::fill(&mut Beside(&mut *me, &counts), record, game, &NOTHING, care);
        if !r.is_empty() {
            return Err(r.error(format!("{} bytes are left behind the definition", r.left())));
        }
        Ok(())
    }

    /// Writes what [`Definition::read`] reads.
    pub fn write(&mut self, game: Game, scripts: &Arc<Table>) -> Result<Vec<u8>> {
        let mut tables = Tables::default();
        self.array_tables(game, scripts, &mut tables);
        self.more_tables(&mut tables);
        let mut w = Writer::with_capacity(game, 4096);
        self.write_parts(&mut w, &tables)?;
        Ok(w.bytes)
    }

    /// Writes it into an empty `w`; `tables` are its own.
    fn write_parts(&mut self, w: &mut Writer, tables: &Tables) -> Result<()> {
        let game = w.game;
        w.bytes.resize(record_size(game), 0);
        let count = |n: usize, what: &str| fit::<u8>(n, what);
        let mut counts = Counts {
            sequences: count(self.sequences.len(), "the number of sequences")?,
            prerequisites: count(self.prerequisites.len(), "the number of prerequisites")?,
            references: count(self.animation_references.len(), "the number of animation references")?,
            scripts: count(self.scripts.len(), "the number of scripts")?,
            path: fit(self.path.len(), "the length of the path")?,
            callbacks: self.has_callback(),
            reset: self.reset.is_some() || matches!(game, Game::Rc | Game::Mw),
            damage: self.damage.is_some(),
            ..Counts::default()
        };
        self.belongs_to(game)?;
        for node in &self.path {
            let at = w.len();
            w.bytes.resize(at + 32, 0);
            node.name.write(w.bytes.get_mut(at..).unwrap_or_default(), true).map_err(|e| e.within("path"))?;
            w.put(&node.id);
        }
        for array in Array::all(game) {
            let (names, stale, zero) = self.array(array);
            let mut entries = Entries { names: names.take(), stale: std::mem::take(stale), zero: std::mem::take(zero) };
            let done = entries.write(w, array);
            let n = entries.names.as_ref().map(|names| names.len() + 1);
            (*names, *stale, *zero) = (entries.names, entries.stale, entries.zero);
            done?;
            if let (Some(n), Some(slot)) = (n, counts.arrays.get_mut(array as usize)) {
                *slot = count(n, "the number of entries, with the empty first one,").map_err(|e| e.within(array.key()))?;
            }
        }
        for (i, prerequisite) in self.prerequisites.iter_mut().enumerate() {
            let at = w.len();
            w.bytes.resize(at + PREREQUISITE, 0);
            let extra = std::mem::take(&mut prerequisite.extra);
            let done = fields::write(prerequisite, &extra, w.bytes.get_mut(at..).unwrap_or_default(), game, &NOTHING);
            prerequisite.extra = extra;
            done.map_err(|e| e.within(format!("[{i}]")).within("prerequisites"))?;
        }
        for (i, reference) in self.animation_references.iter().enumerate() {
            w.raw(&reference.write().map_err(|e| e.within(format!("[{i}]")).within("animation_references"))?);
        }
        for (i, script) in self.scripts.iter().enumerate() {
            w.put(&tables.index(Kind::FileScript, script).map_err(|e| e.within(format!("[{i}]")).within("scripts"))?);
        }
        if counts.reset {
            let at = w.len();
            w.bytes.resize(at + RECORD, 0);
            let mut events = self.reset.take().unwrap_or_default();
            let done = write_events(&mut events, w, tables);
            let always = matches!(game, Game::Rc | Game::Mw);
            self.reset = (!always || !events.is_empty()).then_some(events);
            done.map_err(|e| e.within("reset"))?;
            w.raw(self.reset_tail.as_ref().map_or(&[], |t| &t.0));
            let size = fit(w.len() - at - RECORD, "the size of the reset events")?;
            let extra = std::mem::take(&mut self.reset_extra);
            let record = w.bytes.get_mut(at..at + RECORD).unwrap_or_default();
            let done = fields::write(&mut Beside(&mut *self, ResetSize(size)), &extra, record, game, &NOTHING);
            counts.reset_record = (&*record).try_into().ok().map(Raw);
            self.reset_extra = extra;
            done.map_err(|e| e.within("reset"))?;
        }
        let at = self.damage_position.or(0) as usize;
        if self.damage.is_some() && at > self.sequences.len() {
            return Err(Error::say(format!("`damage_position` is {at}, there are {} sequences", self.sequences.len())));
        }
        for i in 0..=self.sequences.len() {
            if i == at
                && let Some(damage) = &mut self.damage
            {
                damage.write(w, tables).map_err(|e| e.within("damage"))?;
            }
            if let Some(sequence) = self.sequences.get_mut(i) {
                let done = sequence.write(w, tables);
                done.map_err(|e| e.within(format!("[{i}] {:?}", sequence.name.text())).within("sequences"))?;
            }
        }
        let extra = std::mem::take(&mut self.extra);
        let record = w.bytes.get_mut(..record_size(game)).unwrap_or_default();
        let done = fields::write(&mut Beside(&mut *self, &counts), &extra, record, game, &NOTHING);
        self.extra = extra;
        done
    }

    /// An error for a field that the game's files have no place for.
    fn belongs_to(&self, game: Game) -> Result<()> {
        let no = |there: bool, what: &str| match there {
            true => Err(Error::say(format!("{}'s files have no `{what}`", game.title()))),
            false => Ok(()),
        };
        no(game != Game::Cs && !self.path.is_empty(), "path")?;
        no(game != Game::Cs && self.damage.is_some(), "damage")?;
        no(game != Game::Cs && !self.scripts.is_empty(), "scripts")?;
        no(game == Game::Rc && self.puffers.is_some(), "puffers")
    }

    /// Makes the tables of the arrays, and knows the file's scripts.
    fn array_tables(&self, game: Game, scripts: &Arc<Table>, tables: &mut Tables) {
        tables.start(scripts);
        for (array, kind) in Array::all(game).filter_map(|array| Some((array, array.kind()?))) {
            tables.set(kind, self.names(array).iter().flatten().map(|label| Some(label.text.clone())));
        }
    }

    /// Makes the tables that stand behind the arrays.
    fn more_tables(&self, tables: &mut Tables) {
        tables.set(Kind::Reference, self.animation_references.iter().map(|r| Some(r.name.text.clone())));
        let name = |script: &Ref| match script {
            Ref::Name(name) => Some(name.clone()),
            Ref::Nth(..) | Ref::Index(_) | Ref::Input | Ref::Own => None,
        };
        tables.set(Kind::Script, self.scripts.iter().map(name));
    }

    /// The names, stale memory and zero element of an array.
    fn array(&mut self, array: Array) -> (&mut Option<Vec<Label>>, &mut Vec<Stale>, &mut Extra) {
        let (stale, zero) = (&mut self.stale, &mut self.zero_elements);
        match array {
            Array::Objects => (&mut self.objects, &mut stale.objects, &mut zero.objects),
            Array::Nodes => (&mut self.nodes, &mut stale.nodes, &mut zero.nodes),
            Array::Lights => (&mut self.lights, &mut stale.lights, &mut zero.lights),
            Array::Puffers => (&mut self.puffers, &mut stale.puffers, &mut zero.puffers),
            Array::DynamicSounds => (&mut self.dynamic_sounds, &mut stale.dynamic_sounds, &mut zero.dynamic_sounds),
            Array::StaticSounds => (&mut self.static_sounds, &mut stale.static_sounds, &mut zero.static_sounds),
            Array::Effects => (&mut self.effects, &mut stale.effects, &mut zero.effects),
        }
    }

    /// The names of an array.
    pub fn names(&self, array: Array) -> &Option<Vec<Label>> {
        match array {
            Array::Objects => &self.objects,
            Array::Nodes => &self.nodes,
            Array::Lights => &self.lights,
            Array::Puffers => &self.puffers,
            Array::DynamicSounds => &self.dynamic_sounds,
            Array::StaticSounds => &self.static_sounds,
            Array::Effects => &self.effects,
        }
    }

    /// All lists of events with what they are called: reset, damage, sequences.
    pub fn event_lists(&self) -> impl Iterator<Item = (String, &[Event])> {
        let reset = self.reset.iter().map(|events| ("reset".to_owned(), events.as_slice()));
        let damage = self.damage.iter().map(|s| ("damage.events".to_owned(), s.events.as_slice()));
        let sequences = self.sequences.iter().enumerate().map(|(i, s)| (format!("sequences[{i}].events"), s.events.as_slice()));
        reset.chain(damage).chain(sequences)
    }

    /// All events, to be changed, in the order of the file.
    pub fn events_mut(&mut self) -> impl Iterator<Item = &mut Event> {
        let reset = self.reset.iter_mut().flatten();
        let damage = self.damage.iter_mut().flat_map(|s| &mut s.events);
        reset.chain(damage).chain(self.sequences.iter_mut().flat_map(|s| &mut s.events))
    }

    /// True when some event calls the game's code.
    pub fn has_callback(&self) -> bool {
        self.reset.iter().flatten().any(|e| e.body.number() == 35)
            || self.damage.iter().any(Sequence::has_callback)
            || self.sequences.iter().any(Sequence::has_callback)
    }

    /// A log that is set, and then on or off. In Recoil being set is being on.
    fn log(f: &mut Fields<'_, impl Side>, (set, on): (u32, u32), value: &mut Option<bool>) {
        let rc = f.game == Game::Rc;
        if f.reads() {
            *value = f.has(set).then(|| rc || f.has(on));
        }
        if rc && *value == Some(false) {
            f.fail(Error::say("in Recoil a log cannot be switched off; leave it out"));
        }
        f.imply(set, value.is_some());
        f.imply(on, !rc && *value == Some(true));
    }

    /// A pointer that is zero while what it points to is not there.
    fn pointer(f: &mut Fields<'_, impl Side>, there: bool, value: &mut Odd<Hex<u32>>) {
        if there {
            f.odd(value, Hex(!0));
        } else {
            f.skip(4);
        }
    }

    /// A pointer that frames what it points to.
    fn framing(f: &mut Fields<'_, impl Side>, there: bool, value: &mut Odd<Hex<u32>>, what: &str) {
        if there && *value == Odd(Some(Hex(0))) {
            f.fail(Error::say(format!("`pointers.{what}` is zero, which stands for no `{what}`")).hint("leave the pointer out"));
        }
        Self::pointer(f, there, value);
    }
}

/// The size of the reset events.
struct ResetSize(i32);

/// The reset record, without its events.
impl Layout for Beside<'_, Definition, ResetSize> {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        let Beside(me, ResetSize(size)) = self;
        f.put(&*RESET);
        f.at(56).odd(&mut me.pointers.reset_events, Hex(if *size == 0 { 0 } else { !0 }));
        f.odd(&mut me.reset_size, *size);
    }
}

/// The record.
impl Layout for Beside<'_, Definition, &Counts> {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        let Beside(me, counts) = self;
        let game = f.game;
        let (rc, wide) = (game == Game::Rc, matches!(game, Game::Pm | Game::Cs));
        f.plain(&mut me.animation);
        if wide {
            // Nobody knows what PM counts here, and nothing of it follows.
            Definition::pointer(f, game == Game::Cs && counts.path > 0, &mut me.pointers.path);
            f.put(&if game == Game::Cs { counts.path } else { 0 });
        }
        f.plain(&mut me.name);
        f.odd(&mut me.pointers.anim, Hex(!0));
        f.plain(&mut me.root);
        let anim = me.pointers.anim.or(Hex(!0));
        // Equal exactly when root and name are; other games than PM and CS tell a difference by it.
        f.odd(&mut me.pointers.root, if wide || me.root.bytes() == me.name.bytes() { anim } else { Hex(anim.0 ^ 1) });
        f.skip(44);
        f.flags();
        f.odd(&mut me.status, 0);
        f.plain(&mut me.activation);
        f.usual(&mut me.execution_priority, 4);
        f.put(&2u8);
        f.on(0x2, &mut me.execution_by_range);
        f.bit(0x8, &mut me.execution_by_zone);
        f.imply(0x10, counts.callbacks);
        let at = f.pos();
        f.on(0x20, &mut me.reset_time);
        if me.reset_time.is_none() {
            f.at(at).odd(&mut me.reset_time_off, F32::from(-1.0));
        }
        Definition::log(f, (0x400, 0x800), &mut me.network_log);
        Definition::log(f, (0x1000, 0x2000), &mut me.save_log);
        f.bit(0x10000, &mut me.auto_reset_node_states);
        f.bit(0x80000, &mut me.local_nodes_only);
        f.bit(0x100000, &mut me.proximity_damage);
        f.end_flags(&mut me.flags_differ);
        f.skip(4);
        f.some(&mut me.health);
        f.odd(&mut me.current_health, me.health.unwrap_or_default());
        f.skip(if rc { 12 } else { 16 });
        f.odd(&mut me.pointers.sequences, Hex(if counts.sequences > 0 { !0 } else { 0 }));
        if wide {
            Definition::framing(f, counts.reset, &mut me.pointers.reset, "reset");
            Definition::framing(f, counts.damage, &mut me.pointers.damage, "damage");
        } else {
            f.odd(&mut me.reset_record_copy, counts.reset_record.unwrap_or_default());
        }
        f.put(&counts.sequences);
        for array in Array::all(game) {
            f.put(&counts.array(array));
        }
        f.put(&counts.prerequisites);
        f.some(&mut me.prerequisites_to_satisfy);
        f.put(&counts.references);
        if game == Game::Cs {
            f.put(&counts.scripts);
        } else {
            f.skip(if rc { 2 } else { 1 });
        }
        let pointers = &mut me.pointers;
        let slots = [
            (Array::Objects, &mut pointers.objects),
            (Array::Nodes, &mut pointers.nodes),
            (Array::Lights, &mut pointers.lights),
            (Array::Puffers, &mut pointers.puffers),
            (Array::DynamicSounds, &mut pointers.dynamic_sounds),
            (Array::StaticSounds, &mut pointers.static_sounds),
            (Array::Effects, &mut pointers.effects),
        ];
        for (array, pointer) in slots {
            if !rc || array != Array::Puffers {
                Definition::pointer(f, counts.array(array) > 0, pointer);
            }
        }
        Definition::pointer(f, counts.prerequisites > 0, &mut pointers.prerequisites);
        Definition::pointer(f, counts.references > 0, &mut pointers.animation_references);
        if game == Game::Cs {
            Definition::pointer(f, counts.scripts > 0, &mut pointers.scripts);
        }
    }
}

/// A script table that knows its scripts by the stems of their documents.
pub fn script_table(stems: &[String]) -> Arc<Table> {
    Arc::new(Table::new(stems.iter().map(|stem| Some(Name::from(stem.as_bytes())))))
}
