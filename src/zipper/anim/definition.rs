//! Definitions: record, arrays, sequences (FORMAT.md, "Definitions").

use super::{
    events::{Distance, Squares},
    fields::{self, NameField},
    names::{ListKind, Name, NameTable, Ref, StoredName, Tables},
    prerequisites::{Prerequisite, Reference},
    references::{Array, NamedArray, StaleEntries, ZeroElements, each_array},
    sequences::{
        Care, Event, EventTracer, EventsSize, Sequence, count_scripts, read_events, rest_of,
        write_block,
    },
};
use refit_base::{
    game::Game,
    record,
    wire::{
        self, Derived, Describe, Error, Extra, F32, FieldGroup, Hex, HexBytes, Plain, Raw, Reader,
        Record, Result, Role, Text, Trace, Within, Writer, fit,
    },
};
use std::{cell::Cell, sync::Arc};

refit_base::open_enum! {
    /// What starts a definition.
    pub enum Activation: u8 {
        WeaponHit = 0 "WEAPON_HIT", CollideHit = 1 "COLLIDE_HIT", WeaponOrCollideHit = 2 "WEAPON_OR_COLLIDE_HIT",
        OnCall = 3 "ON_CALL", OnStartup = 4 "ON_STARTUP",
    }
}

// Not derived: the macro above writes all derives itself.
#[allow(clippy::derivable_impls)]
impl Default for Activation {
    fn default() -> Self {
        Activation::OnCall
    }
}

record! {
    /// A step of the path to the node (CS).
    #[derive(Default)]
    pub struct PathNode [Rc 36, Mw 36, Pm 36, Cs 36] {
        /// The node.
        name: StoredName as NameField<32, true>,
        /// Its number in the world.
        id: Hex<u32>,
    }
}

record! {
    /// Stale addresses of the program that wrote the file. The engine overwrites all of them, so
    /// new definitions need none.
    #[derive(Default)]
    pub struct Pointers {
        /// Of the bound object.
        anim~: Hex<u32> in definition,
        /// Of the root.
        root~: Hex<u32> in definition,
        /// Of the sequences.
        sequences~: Hex<u32> in definition,
        /// The reset record (PM, CS).
        reset~: Hex<u32> in definition,
        /// Of the events of the reset.
        reset_events~: Hex<u32> in reset_record,
        /// Of the sequence of the damage (CS).
        damage~: Hex<u32> in definition,
        /// Of the path (CS).
        path~: Hex<u32> in definition,
        /// Of `objects`.
        objects~: Hex<u32> in definition,
        /// Of `nodes`.
        nodes~: Hex<u32> in definition,
        /// Of `lights`.
        lights~: Hex<u32> in definition,
        /// Of `puffers`.
        puffers~: Hex<u32> in definition,
        /// Of `dynamic_sounds`.
        dynamic_sounds~: Hex<u32> in definition,
        /// Of `static_sounds`.
        static_sounds~: Hex<u32> in definition,
        /// Of `effects`.
        effects~: Hex<u32> in definition,
        /// Of `prerequisites`.
        prerequisites~: Hex<u32> in definition,
        /// Of `animation_references`.
        animation_references~: Hex<u32> in definition,
        /// Of `scripts` (CS).
        scripts~: Hex<u32> in definition,
    }
}

record! {
    /// An animation definition. The fields that people edit come first, stale memory last.
    #[derive(Default)]
    pub struct Definition [Rc 308, Mw 316, Pm 268, Cs 272] with Counts {
        /// The node that it is bound to, its root; often a model's file. Names inside the
        /// definition are searched below it.
        name @[Rc 32, Mw 32, _ 40]: Text<32>,
        /// The name that calls refer to.
        animation_name @0: Text<32>,
        /// The node that it is attached to, usually the root. A hit on this node starts the
        /// animation, and names are searched below it first.
        animation_root_name @[Rc 68, Mw 68, _ 76]: Text<32>,
        /// What starts it.
        activation @[Rc 153, Mw 153, _ 161]: Activation,
        /// Runs while the player is at this distance, in metres: nearest and farthest. The file
        /// stores the squares (RC, CS). In MW and PM the numbers are those of the file, which are
        /// probably squares too.
        execution_by_range? @[Rc 156, Mw 156, _ 164]: [Distance; 2] as Squares on 0x2,
        /// Runs only while the player is in the zone of its node.
        execution_by_zone!: bit 0x8,
        /// Seconds until it resets itself.
        reset_time?: F32 on 0x20,
        /// Whether its state is sent to network players: given and on, given and off, or not given.
        network_log?: bool in logs,
        /// Whether saved games keep its state: given and on, given and off, or not given.
        save_log?: bool in logs,
        /// The nodes go back to their saved states when it ends (MW, PM, CS).
        auto_reset_node_states!: bit 0x10000,
        /// Names are searched only below its own root: bit 0x80000 in PM, 0x200000 in CS, where the
        /// game sets the other one while it runs.
        local_nodes_only!: bool in logs,
        /// Nearby explosions damage it too (MW, PM, CS).
        proximity_damage!: bit 0x100000,
        _: pad 4,
        /// Hit points at the start. Zero when absent.
        health?: F32,
        /// If it differs from `health`.
        current_health~: F32 = |d| d.health.unwrap_or_default() absent "if it follows from the rest",
        [Rc] _: pad 12,
        [Mw Pm Cs] _: pad 16,
        /// 4 when absent.
        execution_priority? @[Rc 154, Mw 154, _ 162]: u8 else 4u8,
        /// 2.
        let two: u8 = |_| 2,
        /// Run-time state.
        status~ @[Rc 152, Mw 152, _ 160]: u8 = |_| 0,
        /// The path to the node (CS).
        path*: PathNode in below,
        /// Nodes whose state is saved at the start and restored on reset.
        objects?: Vec<StoredName> in below,
        /// Nodes that events use.
        nodes?: Vec<StoredName> in below,
        /// Lights that events turn on and off. The engine creates one for each.
        lights?: Vec<StoredName> in below,
        /// Sources of smoke and fire that events set (MW, PM, CS).
        puffers?: Vec<StoredName> in below,
        /// Persistent sounds that can be turned on and off. The engine creates one for each.
        dynamic_sounds?: Vec<StoredName> in below,
        /// One-shot sounds, by their names in the archives.
        static_sounds?: Vec<StoredName> in below,
        /// Effects that events show (RC).
        effects?: Vec<StoredName> in below,
        /// The conditions for starting it, in this order.
        prerequisites*: Prerequisite in below,
        /// Number of optional prerequisites that must be met.
        minimum_to_satisfy? @[Rc 268, Mw 273, _ 225]: u8,
        /// The animations that it calls: usually one for each call.
        animation_references*: Reference in below,
        /// Scripts of the file that it uses (CS).
        scripts*: Ref in below,
        /// Events of the reset. PM, CS: absent when there is no reset record.
        reset_state?: Vec<Event> in below,
        /// Events when it is damaged (CS).
        damage_sequence?: Sequence in below,
        /// The position of `damage_sequence` among the sequences, if it is not before them (CS).
        damage_position~: u32 in below,
        /// Lists of events that run in parallel.
        sequences: Vec<Sequence> in below,
        /// Bits in which the file's flags differ from the fields.
        flags_differ~ @[Rc 148, Mw 148, _ 156]: flags u32,
        /// The stored value of the reset time while it is off, unless -1.
        | reset_time_off~ @[Rc 164, Mw 164, _ 172]: F32 = |_| F32::from(-1.0) when |d| d.reset_time.is_none(),
        /// Bytes after the last complete reset event.
        reset_tail?: HexBytes in below,
        /// The file's size of the reset events, if it is not valid.
        reset_size~: i32 in below,
        /// Bytes of the reset record that no field expresses.
        reset_extra!: Extra in below,
        /// The first of the two reset records, if it differs from the second (RC, MW).
        [Rc Mw] reset_record_copy~ @[Rc 196, Mw 200]: Raw<64> = |d| d.cx.reset_record
            absent "if it follows from the rest",
        /// Stale addresses: new definitions need none.
        pointers!: Pointers in below,
        /// Stale memory next to the names of the lists: new definitions need none.
        stale!: StaleEntries in below,
        /// Elements 0 of the lists, if irregular.
        zero_elements!: ZeroElements in below,

        /// Bits 0x400 and 0x800 for the net, 0x1000 and 0x2000 for saved games: given, and on.
        /// 0x80000, or 0x200000 in CS, for local names.
        logs @[Rc 148, Mw 148, _ 156]: part Logs,
        // Pirate's Moon has a count here, of unknown meaning; `extra` keeps the bytes.
        [Pm] _ @32: pad 8,
        [Cs] pointers.path~ @32: Hex<u32> = |_| Hex(!0) when |d| d.cx.path > 0,
        /// How many nodes the path has.
        [Cs] let path_count: u32 = |d| d.cx.path,
        pointers.anim~ @[Rc 64, Mw 64, _ 72]: Hex<u32> = |_| Hex(!0),
        pointers.root~ @[Rc 100, Mw 100, _ 108]: Hex<u32> = |d| d.root_pointer(d.game),
        _: pad 44,
        pointers.sequences~ @[Rc 192, Mw 196, _ 204]: Hex<u32> = |d| Hex(if d.cx.sequences > 0 { !0 } else { 0 }),
        [Pm Cs] pointers.reset~: Hex<u32> = |_| Hex(!0) when |d| d.cx.reset,
        [Pm Cs] pointers.damage~: Hex<u32> = |_| Hex(!0) when |d| d.cx.damage,
        /// How many sequences follow.
        let sequence_count @[Rc 260, Mw 264, _ 216]: u8 = |d| d.cx.sequences,
        /// Number of elements in the list of objects, including element 0; 0 without a list. The
        /// same for the next ones.
        let object_count: u8 = |d| d.cx.array(Array::Objects),
        /// Elements of the nodes.
        let node_count: u8 = |d| d.cx.array(Array::Nodes),
        /// Elements of the lights.
        let light_count: u8 = |d| d.cx.array(Array::Lights),
        /// Elements of the puffers.
        [Mw Pm Cs] let puffer_count: u8 = |d| d.cx.array(Array::Puffers),
        /// Elements of the dynamic sounds.
        let dynamic_sound_count: u8 = |d| d.cx.array(Array::DynamicSounds),
        /// Elements of the static sounds.
        let static_sound_count: u8 = |d| d.cx.array(Array::StaticSounds),
        /// Elements of the effects.
        let effect_count: u8 = |d| d.cx.array(Array::Effects),
        /// How many prerequisites follow.
        let prerequisite_count: u8 = |d| d.cx.prerequisites,
        /// How many animation references follow.
        let reference_count @[Rc 269, Mw 274, _ 226]: u8 = |d| d.cx.references,
        [Rc] _: pad 2,
        [Mw Pm] _: pad 1,
        /// How many scripts it uses.
        [Cs] let script_count: u8 = |d| d.cx.scripts,
        pointers.objects~: Hex<u32> = |_| Hex(!0) when |d| d.cx.array(Array::Objects) > 0,
        pointers.nodes~: Hex<u32> = |_| Hex(!0) when |d| d.cx.array(Array::Nodes) > 0,
        pointers.lights~: Hex<u32> = |_| Hex(!0) when |d| d.cx.array(Array::Lights) > 0,
        [Mw Pm Cs] pointers.puffers~: Hex<u32> = |_| Hex(!0) when |d| d.cx.array(Array::Puffers) > 0,
        pointers.dynamic_sounds~: Hex<u32> = |_| Hex(!0) when |d| d.cx.array(Array::DynamicSounds) > 0,
        pointers.static_sounds~: Hex<u32> = |_| Hex(!0) when |d| d.cx.array(Array::StaticSounds) > 0,
        pointers.effects~: Hex<u32> = |_| Hex(!0) when |d| d.cx.array(Array::Effects) > 0,
        pointers.prerequisites~: Hex<u32> = |_| Hex(!0) when |d| d.cx.prerequisites > 0,
        pointers.animation_references~: Hex<u32> = |_| Hex(!0) when |d| d.cx.references > 0,
        [Cs] pointers.scripts~: Hex<u32> = |_| Hex(!0) when |d| d.cx.scripts > 0,
        _: pad 4,
    } below {
        /// Bytes of the definition's record that no field expresses.
        extra!: Extra,
    }
}

record! {
    /// The record before the events of the reset, as in a definition's document.
    #[derive(Default)]
    pub struct Reset [Rc 64, Mw 64, Pm 64, Cs 64] with EventsSize {
        /// `RESET_SEQUENCE`.
        let name: Text<32> = |_| Text::new(b"RESET_SEQUENCE").unwrap_or_default(),
        _: pad 24,
        pointers: Pointers in below,
        pointers.reset_events~: Hex<u32> = |r| r.cx.address(),
        reset_size~: i32 = |r| r.cx.0 absent "if it follows from the rest",
    }
}

/// Two logs, each absent, on or off, and the flag for local names. Recoil logs if neither is given.
pub struct Logs;

impl Logs {
    const NETWORK: (u32, u32) = (0x400, 0x800);
    const SAVE: (u32, u32) = (0x1000, 0x2000);

    /// The compiler of Crimson Skies sets another bit; there, bit 0x80000 marks a state of the
    /// running game.
    fn local(game: Game) -> u32 {
        if game == Game::Cs {
            0x20_0000
        } else {
            0x8_0000
        }
    }

    fn of(d: &Definition) -> [(Option<bool>, (u32, u32)); 2] {
        [(d.network_log, Logs::NETWORK), (d.save_log, Logs::SAVE)]
    }
}

impl FieldGroup<Definition, Counts> for Logs {
    const SIZE: usize = 0;
    fn load(d: &mut Definition, _: &[u8], flags: u32, game: Game, _: &Counts) {
        d.local_nodes_only = flags & Logs::local(game) != 0;
        let log = |(set, on): (u32, u32)| (flags & set != 0).then_some(flags & on != 0);
        (d.network_log, d.save_log) = (log(Logs::NETWORK), log(Logs::SAVE));
    }
    fn store(_: &Definition, _: &mut [u8], _: Game, _: &Counts) -> Result<()> {
        Ok(())
    }
    /// The flags that follow from the fields, including the one for events that call the game's
    /// code.
    fn implied(d: &Definition, game: Game, counts: &Counts) -> u32 {
        let local = if d.local_nodes_only {
            Logs::local(game)
        } else {
            0
        };
        let log = |(log, (set, on)): (Option<bool>, (u32, u32))| match log {
            Some(true) => set | on,
            Some(false) => set,
            None => 0,
        };
        Logs::of(d).into_iter().map(log).sum::<u32>()
            | local
            | if counts.callbacks { 0x10 } else { 0 }
    }
    fn describe(_: &Definition, _: &mut Describe<'_>, _: Game, _: &Counts) {}
}

refit_base::document!(Definition, "anim-definition");

/// The record's counts of the parts that follow it.
#[derive(Debug, Default)]
pub struct Counts {
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
    reset_record: Raw<64>,
}

/// True if every definition has a reset record.
pub fn always_resets(game: Game) -> bool {
    !matches!(game, Game::Pm | Game::Cs)
}

impl Counts {
    /// Reads the counts.
    fn of(record: &[u8], game: Game) -> Self {
        Counts {
            sequences: Definition::peek_sequence_count(record, game),
            arrays: [
                Definition::peek_object_count(record, game),
                Definition::peek_node_count(record, game),
                Definition::peek_light_count(record, game),
                Definition::peek_puffer_count(record, game),
                Definition::peek_dynamic_sound_count(record, game),
                Definition::peek_static_sound_count(record, game),
                Definition::peek_effect_count(record, game),
            ],
            prerequisites: Definition::peek_prerequisite_count(record, game),
            references: Definition::peek_reference_count(record, game),
            scripts: Definition::peek_script_count(record, game),
            path: Definition::peek_path_count(record, game),
            callbacks: false,
            reset: always_resets(game) || Definition::peek_pointers_reset(record, game) != Hex(0),
            damage: game == Game::Cs && Definition::peek_pointers_damage(record, game) != Hex(0),
            reset_record: Raw::default(),
        }
    }

    fn array(&self, array: Array) -> u8 {
        self.arrays.get(array as usize).copied().unwrap_or(0)
    }

    /// Number of sequences, including the damage sequence.
    fn blocks(&self) -> usize {
        usize::from(self.sequences) + usize::from(self.damage)
    }
}

/// Skips a definition. The parts are not decoded, but their bytes must all be present.
pub fn skip(r: &mut Reader<'_>) -> Result<()> {
    let game = r.game;
    let counts = Counts::of(r.take(Definition::size(game))?, game);
    let mut parts = |n: u64, each: usize, key: &str| {
        r.take_many(n, each as u64)
            .map(|_| ())
            .map_err(|e| e.within(key))
    };
    parts(counts.path.into(), PathNode::size(game), "path")?;
    for array in Array::all(game) {
        parts(counts.array(array).into(), array.size(game), array.key())?;
    }
    parts(
        counts.prerequisites.into(),
        Prerequisite::size(game),
        "prerequisites",
    )?;
    parts(
        counts.references.into(),
        <Reference as Record>::size(game).unwrap_or(0),
        "animation_references",
    )?;
    parts(counts.scripts.into(), i32::SIZE, "scripts")?;
    if counts.reset {
        EventsSize::take(r).map_err(|e| e.within("reset_state"))?;
    }
    for i in 0..counts.blocks() {
        EventsSize::take(r).map_err(|e| e.within(format!("[{i}]")).within("sequences"))?;
    }
    Ok(())
}

/// The name of the sequence that runs when an object is damaged (CS).
pub const DAMAGE: &[u8] = b"DAMAGE_SEQUENCE";

impl Definition {
    /// Reads a definition of exactly `bytes`, and verifies that writing it gives the same bytes.
    /// `scripts` is the file's script table, by name.
    pub fn read(bytes: &[u8], game: Game, scripts: &Arc<NameTable>) -> Result<Self> {
        // Nearly always the typed form covers all bytes, so the definition is first verified as a
        // whole, which is cheaper than verifying each part. Only if that fails, it is read again
        // with a check of each part.
        let (me, tables) = Self::read_parts(bytes, game, scripts, Care::Whole)?;
        let mut w = Writer::with_capacity(game, bytes.len());
        if me.write_parts(&mut w, &tables).is_ok() && w.bytes == bytes {
            return Ok(me);
        }
        let (me, tables) = Self::read_parts(bytes, game, scripts, Care::Parts)?;
        w.bytes.clear();
        me.write_parts(&mut w, &tables)?;
        refit_base::tree::proof::same(&w.bytes, bytes).map(|()| me)
    }

    /// Reads a definition of exactly `bytes` for viewing only: the result may not cover all bytes.
    pub fn glance(bytes: &[u8], game: Game, scripts: &Arc<NameTable>) -> Result<Self> {
        Self::read_parts(bytes, game, scripts, Care::Whole).map(|(me, _)| me)
    }

    /// Reads a definition and its tables.
    fn read_parts(
        bytes: &[u8],
        game: Game,
        scripts: &Arc<NameTable>,
        care: Care,
    ) -> Result<(Self, Tables)> {
        let mut me = Self::default();
        let mut r = Reader::new(bytes, game);
        let record = r.take(Definition::size(game))?;
        let mut counts = Counts::of(record, game);
        for i in 0..counts.path {
            me.path.push(
                PathNode::take(&mut r, &())
                    .map_err(|e| e.within(format!("[{i}]")).within("path"))?,
            );
        }
        me.read_arrays(&mut r, &counts, care)?;
        for _ in 0..counts.prerequisites {
            let bytes = r.take(Prerequisite::size(game))?;
            let mut it = Prerequisite::load(bytes, game, &());
            it.extra = care.extra(&it, bytes, game, &());
            me.prerequisites.push(it);
        }
        for _ in 0..counts.references {
            me.animation_references.push(Reference::take(&mut r, &())?);
        }
        let mut tables = me.tables(game, scripts);
        for _ in 0..counts.scripts {
            me.scripts.push(tables.name(ListKind::FileScript, r.get()?));
        }
        me.script_table(&mut tables);
        if counts.reset {
            let (record, bytes) = EventsSize::take(&mut r).map_err(|e| e.within("reset_state"))?;
            let (events, tail) = read_events(bytes, game, &tables, care);
            me.reset_state = (!always_resets(game) || !events.is_empty()).then_some(events);
            me.reset_tail = rest_of(tail);
            let size = EventsSize::of(bytes);
            let reset = Reset::load(record, game, &size);
            me.reset_extra = care.extra(&reset, record, game, &size);
            (me.pointers.reset_events, me.reset_size) =
                (reset.pointers.reset_events, reset.reset_size);
            counts.reset_record = Raw::get(record);
        }
        for i in 0..counts.blocks() {
            let sequence = Sequence::read(&mut r, &tables, care);
            me.sequences
                .push(sequence.map_err(|e| e.within(format!("[{i}]")).within("sequences"))?);
        }
        if counts.damage {
            let at = me
                .sequences
                .iter()
                .position(|s| s.name.bytes() == DAMAGE)
                .unwrap_or(0);
            me.damage_sequence = Some(me.sequences.remove(at));
            me.damage_position = Derived::of(u32::try_from(at).unwrap_or(0), 0);
        }
        counts.callbacks = me.has_callback();
        me.fill(record, game, &counts);
        me.extra = care.extra(&me, record, game, &counts);
        if !r.is_empty() {
            return Err(r.error(format!("{} trailing bytes after the definition", r.left())));
        }
        Ok((me, tables))
    }

    /// Writes the definition with its parts.
    pub fn write(&self, game: Game, scripts: &Arc<NameTable>) -> Result<Vec<u8>> {
        let mut w = Writer::with_capacity(game, 4096);
        self.write_parts(&mut w, &self.tables(game, scripts))?;
        Ok(w.bytes)
    }

    /// Writes into an empty `w`; `tables` are the tables of this definition.
    fn write_parts(&self, w: &mut Writer, tables: &Tables) -> Result<()> {
        let game = w.game;
        w.bytes.resize(Definition::size(game), 0);
        let count = |n: usize, what: &str| fit::<u8>(n, what);
        let mut counts = Counts {
            sequences: count(self.sequences.len(), "the number of sequences")?,
            arrays: [0; 7],
            prerequisites: count(self.prerequisites.len(), "the number of prerequisites")?,
            references: count(
                self.animation_references.len(),
                "the number of animation references",
            )?,
            scripts: count(self.scripts.len(), "the number of scripts")?,
            path: fit(self.path.len(), "the length of the path")?,
            callbacks: self.has_callback(),
            reset: self.reset_state.is_some() || always_resets(game),
            damage: self.damage_sequence.is_some(),
            reset_record: Raw::default(),
        };
        self.belongs_to(game)?;
        let item =
            |i: usize, list: &'static str| move |e: Error| e.within(format!("[{i}]")).within(list);
        for (i, node) in self.path.iter().enumerate() {
            node.append(w, &()).map_err(item(i, "path"))?;
        }
        self.write_arrays(w, &mut counts)?;
        for (i, prerequisite) in self.prerequisites.iter().enumerate() {
            fields::append(prerequisite, &prerequisite.extra, w, &())
                .map_err(item(i, "prerequisites"))?;
        }
        for (i, reference) in self.animation_references.iter().enumerate() {
            reference
                .append(w, &())
                .map_err(item(i, "animation_references"))?;
        }
        for (i, script) in self.scripts.iter().enumerate() {
            w.put(
                &tables
                    .index(ListKind::FileScript, script)
                    .map_err(item(i, "scripts"))?,
            );
        }
        if counts.reset {
            let at = w.len();
            let reset = Reset {
                pointers: self.pointers.clone(),
                reset_size: self.reset_size,
            };
            let events = self.reset_state.as_deref().unwrap_or_default();
            write_block(
                &reset,
                &self.reset_extra,
                events,
                self.reset_tail.as_ref(),
                w,
                tables,
            )
            .map_err(|e| e.within("reset_state"))?;
            counts.reset_record = Raw::get(w.bytes.within(at..at + Reset::size(game)));
        }
        let at = self.damage_position.or(0) as usize;
        if self.damage_sequence.is_some() && at > self.sequences.len() {
            return Err(Error::say(format!(
                "`damage_position` is {at}, but there are {} sequences",
                self.sequences.len()
            )));
        }
        for i in 0..=self.sequences.len() {
            if i == at
                && let Some(damage) = &self.damage_sequence
            {
                damage
                    .write(w, tables)
                    .map_err(|e| e.within("damage_sequence"))?;
            }
            if let Some(sequence) = self.sequences.get(i) {
                let done = sequence.write(w, tables);
                done.map_err(|e| {
                    e.within(format!("[{i}] {:?}", sequence.name.text()))
                        .within("sequences")
                })?;
            }
        }
        let record = w.bytes.within_mut(..Definition::size(game));
        fields::put(self, &self.extra, record, game, &counts)
    }

    /// Reports the fields of the definition that was read from `bytes`, which begin at `base` in
    /// the file. `scripts` is the file's script table; `stem` is its document's path without
    /// extension.
    pub(crate) fn describe_all(
        &self,
        bytes: &[u8],
        base: u64,
        game: Game,
        scripts: &Arc<NameTable>,
        stem: &str,
        trace: &dyn Trace,
    ) -> Result<()> {
        let tracer = EventTracer {
            game,
            tables: &self.tables(game, scripts),
            trace,
            stem,
            scripts: Cell::new(0),
        };
        let mut r = Reader::based(bytes, base, game).traced(Some(trace));
        let record = r.take(Definition::size(game))?;
        let mut counts = Counts::of(record, game);
        for (i, _) in self.path.iter().enumerate() {
            r.note_within(format_args!("path[{i}]"), |r| PathNode::take(r, &()))?;
        }
        self.describe_arrays(&mut r, &counts)?;
        for (i, _) in self.prerequisites.iter().enumerate() {
            r.note_within(format_args!("prerequisites[{i}]"), |r| {
                Prerequisite::take(r, &())
            })?;
        }
        for (i, _) in self.animation_references.iter().enumerate() {
            r.note_within(format_args!("animation_references[{i}]"), |r| {
                Reference::take(r, &())
            })?;
        }
        for (i, script) in self.scripts.iter().enumerate() {
            r.take(i32::SIZE)?;
            let (at, size) = (
                r.offset().saturating_sub(i32::SIZE as u64),
                i32::SIZE as u64,
            );
            let (name, meaning) = (format!("scripts[{i}]"), Some(script.to_string()));
            trace.note_meaning(
                at,
                size,
                &name,
                wire::Notation::Signed,
                Role::Value,
                meaning,
            );
        }
        if counts.reset {
            let at = r.offset();
            let (record, bytes) = EventsSize::take(&mut r)?;
            let size = EventsSize::of(bytes);
            Reset::load(record, game, &size).describe(record, at, game, &size, trace);
            let events = self.reset_state.as_deref().unwrap_or_default();
            tracer.events(
                events,
                bytes,
                at + record.len() as u64,
                ("reset_state", "reset_tail"),
            );
            counts.reset_record = Raw::get(record);
        }
        // Scripts are numbered in the order of the document.
        let of_damage = tracer.scripts.get();
        tracer.scripts.set(
            of_damage
                + self
                    .damage_sequence
                    .as_ref()
                    .map_or(0, |damage| count_scripts(&damage.events)),
        );
        let damage = self
            .damage_sequence
            .as_ref()
            .map(|damage| (self.damage_position.or(0) as usize, damage));
        for i in 0..=self.sequences.len() {
            if let Some((at, damage)) = damage
                && at == i
            {
                let next = tracer.scripts.replace(of_damage);
                r.note_within("damage_sequence", |r| damage.describe_all(r, &tracer))?;
                tracer.scripts.set(next);
            }
            if let Some(sequence) = self.sequences.get(i) {
                r.note_within(format_args!("sequences[{i}]"), |r| {
                    sequence.describe_all(r, &tracer)
                })?;
            }
        }
        counts.callbacks = self.has_callback();
        self.describe(record, base, game, &counts, trace);
        Ok(())
    }

    /// Returns an error if a field does not exist in the game's files.
    fn belongs_to(&self, game: Game) -> Result<()> {
        let no = |there: bool, what: &str| match there {
            true => Err(Error::say(format!(
                "{}'s files have no `{what}`",
                game.title()
            ))),
            false => Ok(()),
        };
        no(game != Game::Cs && !self.path.is_empty(), "path")?;
        no(
            game != Game::Cs && self.damage_sequence.is_some(),
            "damage_sequence",
        )?;
        no(game != Game::Cs && !self.scripts.is_empty(), "scripts")?;
        no(
            game.itself() == Game::Rc && self.puffers.is_some(),
            "puffers",
        )?;
        // These two addresses determine which parts follow: readers test them for null.
        let zero = Derived(Some(Hex(0)));
        let framing = [
            ("reset", self.reset_state.is_some(), self.pointers.reset),
            (
                "damage",
                self.damage_sequence.is_some(),
                self.pointers.damage,
            ),
        ];
        match framing
            .into_iter()
            .find(|(_, there, pointer)| !always_resets(game) && *there && *pointer == zero)
        {
            Some((what, ..)) => Err(Error::say(format!(
                "`pointers.{what}` is zero, which means no `{what}`"
            ))
            .hint("leave the pointer out")),
            None => Ok(()),
        }
    }

    /// The default address of the root: equal to that of the definition if and only if their names
    /// are equal; always equal in PM and CS.
    fn root_pointer(&self, game: Game) -> Hex<u32> {
        let anim = self.pointers.anim.or(Hex(!0));
        if !always_resets(game) || self.animation_root_name.bytes() == self.name.bytes() {
            anim
        } else {
            Hex(anim.0 ^ 1)
        }
    }

    /// The tables for reading and writing its events.
    pub fn tables(&self, game: Game, scripts: &Arc<NameTable>) -> Tables {
        let mut tables = Tables::new(scripts);
        for (array, kind) in Array::all(game).filter_map(|array| Some((array, array.kind()?))) {
            tables.set(
                kind,
                self.names(array)
                    .iter()
                    .flatten()
                    .map(|label| Some(label.text.clone())),
            );
        }
        tables.set(
            ListKind::Reference,
            self.animation_references
                .iter()
                .map(|r| Some(r.name.text.clone())),
        );
        tables.local_names = self
            .animation_references
            .iter()
            .map(|r| r.local_name.is_some())
            .collect();
        self.script_table(&mut tables);
        tables
    }

    /// Sets the table of its scripts (CS).
    fn script_table(&self, tables: &mut Tables) {
        let name = |script: &Ref| {
            if let Ref::Name(name) = script {
                Some(name.clone())
            } else {
                None
            }
        };
        tables.set(ListKind::Script, self.scripts.iter().map(name));
    }

    /// All lists of events with their paths: reset, damage, sequences.
    pub fn event_lists(&self) -> impl Iterator<Item = (String, &[Event])> {
        let reset = self
            .reset_state
            .iter()
            .map(|events| ("reset_state".to_owned(), events.as_slice()));
        let damage = self
            .damage_sequence
            .iter()
            .map(|s| ("damage_sequence.events".to_owned(), s.events.as_slice()));
        let sequences = self
            .sequences
            .iter()
            .enumerate()
            .map(|(i, s)| (format!("sequences[{i}].events"), s.events.as_slice()));
        reset.chain(damage).chain(sequences)
    }

    /// All events, in the order of the file.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.event_lists().flat_map(|(_, events)| events)
    }

    /// All events, mutable, in the order of the file.
    pub(crate) fn events_mut(&mut self) -> impl Iterator<Item = &mut Event> {
        let reset = self.reset_state.iter_mut().flatten();
        let damage = self.damage_sequence.iter_mut().flat_map(|s| &mut s.events);
        reset
            .chain(damage)
            .chain(self.sequences.iter_mut().flat_map(|s| &mut s.events))
    }

    /// True if any event calls the game's code.
    pub(crate) fn has_callback(&self) -> bool {
        self.events().any(|event| event.body.number() == 35)
    }
}

macro_rules! arrays {
    ($($(#[$m:meta])* $array:ident $key:ident $entry:ident $kind:expr,)*) => {
        impl Definition {
            /// The names of an array.
            pub fn names(&self, array: Array) -> &Option<Vec<StoredName>> {
                match array { $(Array::$array => &self.$key),* }
            }

            /// The names of an array, mutable.
            pub fn names_mut(&mut self, array: Array) -> &mut Option<Vec<StoredName>> {
                match array { $(Array::$array => &mut self.$key),* }
            }

            fn read_arrays(&mut self, r: &mut Reader<'_>, counts: &Counts, care: Care) -> Result<()> {
                $(if Array::$array.size(r.game) > 0 {
                    let NamedArray { names, stale, zero } = NamedArray::read(r, stringify!($key),
                        counts.array(Array::$array), care)?;
                    (self.$key, self.stale.$key, self.zero_elements.$key) = (names, stale, zero);
                })*
                Ok(())
            }

            fn write_arrays(&self, w: &mut Writer, counts: &mut Counts) -> Result<()> {
                $(if Array::$array.size(w.game) > 0 {
                    let (names, stale, zero) = (self.$key.as_deref(), &self.stale.$key, &self.zero_elements.$key);
                    counts.arrays[Array::$array as usize] = NamedArray::write(w, stringify!($key), names, stale, zero)?;
                })*
                Ok(())
            }

            fn describe_arrays(&self, r: &mut Reader<'_>, counts: &Counts) -> Result<()> {
                $(if Array::$array.size(r.game) > 0 {
                    let (names, stale) = (self.$key.as_deref(), &self.stale.$key);
                    NamedArray::describe(r, stringify!($key), counts.array(Array::$array), names, stale)?;
                })*
                Ok(())
            }
        }
    };
}
each_array!(arrays);

/// A script table by the paths of the scripts' documents without extensions.
pub fn script_table(stems: &[String]) -> Arc<NameTable> {
    Arc::new(NameTable::new(
        stems.iter().map(|stem| Some(Name::from(stem.as_bytes()))),
    ))
}
