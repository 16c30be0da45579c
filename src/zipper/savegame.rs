//! Save games: members of archives (savegame/FORMAT.md).
//!
//! A member's name is `Owner/Key`. Recoil passes each member to the handler whose owner has that
//! name, and ignores the others. Its sections are typed as that engine reads and writes them (the
//! reconstruction by `thedead30/Recoil-1999-Recompile`, with six real saves); the record of
//! animations is the same in MechWarrior 3, whose own names for it were guesses. Unknown parts stay
//! bytes, named by their offset; a section that does not match its layout exactly is a plain file.
//!
//! Decisions where the sources leave a choice:
//! - The 68 bytes of a tracked node are confirmed for Recoil. MechWarrior 3 has records of the same
//!   sizes, so they are typed there, too. In Crimson Skies 60 bytes per node fit most known sizes,
//!   and 68 only one: there only activations without nodes are typed.
//! - Crimson Skies: the fields that one player's profile showed (`UIData`, vehicles) are typed,
//!   with bytes between them.
//! - Pirate's Moon: no description of a save is known.
//! - The table fields after a member's name have no meaning in any game: the engines write them,
//!   including bit 1 of the flags, from uninitialized memory. Two members may have the same name.
//!
//! Saves of Recoil refer to slots of nodes: adding nodes to a `gamez.zbd`, or removing some, breaks
//! older saves of that mission.

use crate::aircraft::Aircraft;
use refit_base::{
    contract::Context,
    game::Game,
    lint::{Lints, codes},
    support::members::Typed,
    wire::{
        Derived, Describe, Encode, Error, F32, FieldGroup, Hex, HexBytes, Notation, Plain, Raw,
        Reader, Record, Result, Role, Str, Text, Vec3, Writer, fit, value_at,
    },
};
use serde::{Deserialize, Serialize};

/// The lint codes and schema of this module; the members belong to [`crate::archive`].
pub const FAMILY: refit_base::contract::Family = refit_base::contract::Family {
    formats: &[],
    recognise: &[],
    codes: CODES,
    schemas: || vec![refit_base::contract::schema::<Section>()],
};

codes! {
    /// The kinds of findings in save games.
    pub CODES:
    SAVE_ACTIVATION "save-activation" Unusual [Mw] "an activation with unknown values"
        "Known activations of MechWarrior 3 have command type 1, 2 or 5, a node index from -1 to 19999, and no nodes \
        with type 5."
        "Measured on saves of MechWarrior 3."
    SAVE_HEADER "save-header" Unusual [] "an unusual save header"
        "Known headers contain their own length and format version 2."
        "Measured on saves of MechWarrior 3 and Crimson Skies."
    SAVE_OWNER "save-owner" Ignores [Rc] "a section with an unknown owner"
        "Recoil compares the part of the name before the slash with the names of its handlers, byte for byte. If none \
        matches, it ignores the section."
        "Recoil passes a section to the handler whose name equals its owner, and ignores other sections."
    SAVE_VEHICLE_SIZE "save-vehicle-size" Refuses [Rc] "a vehicle that the game refuses"
        "Recoil refuses a save if the first word of a VehicleList section is not 128, the section's length."
        "Recoil's handler of VehicleList."
}

/// The owners whose sections Recoil reads.
const OWNERS: [&[u8]; 13] = [
    b"Mission",
    b"AnimActivation",
    b"RunningAnim",
    b"Anim",
    b"VehicleList",
    b"HUDTimer",
    b"Player",
    b"Pickup",
    b"GWWorld",
    b"Weapons",
    b"Mines",
    b"zDEClient",
    b"MissionLate",
];

/// The owner and the key in a section's name.
fn parts(name: &[u8]) -> (&[u8], &[u8]) {
    let slash = name.iter().position(|b| *b == b'/').unwrap_or(name.len());
    (
        name.get(..slash).unwrap_or_default(),
        name.get(slash + 1..).unwrap_or_default(),
    )
}

/// The first section of a save of any game but Recoil.
pub(crate) const HEADER: &[u8] = b"zSaveHeader";

/// True if these are the names of the sections of a save of Recoil. It has no header: all names
/// have an owner, and most a known one.
pub(crate) fn are_of_recoil<'a>(mut names: impl Iterator<Item = &'a [u8]> + Clone) -> bool {
    let known = names.clone().map(|name| {
        if OWNERS.contains(&parts(name).0) {
            1
        } else {
            -1
        }
    });
    known.sum::<isize>() > 0 && names.all(|name| name.contains(&b'/'))
}

/// The game of a save by its first section: the first word of a header is its own length.
pub(crate) fn game(name: &[u8], payload: &[u8]) -> Option<Game> {
    match value_at::<u32>(payload, 0) {
        _ if name != HEADER => Some(Game::Rc),
        Some(8) => Some(Game::Mw),
        Some(12) => Some(Game::Cs),
        _ => None,
    }
}

macro_rules! sections {
    ($($(#[$m:meta])* $variant:ident($t:ty) $kind:literal, |$doc:ident| $detail:expr;)*) => {
        /// A section of a save game.
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub(crate) enum Section {
            /// `zSaveHeader`.
            Header(Header),
            /// `AnimActivation` and `Anim`: the state of an animation.
            Activation(AnimationState),
            /// `RunningAnim` (Recoil): an animation that runs.
            Running(Box<Running>),
            /// `Player` (Recoil).
            Player(Box<Player>),
            $($(#[$m])* $variant(Box<$t>),)*
        }
        refit_base::document!(Section, "savegame");

        impl Section {
            fn write(&self) -> Result<Vec<u8>> {
                let mut w = Writer::new(Game::Mw);
                match self {
                    Section::Header(header) => header.write(&mut w),
                    Section::Activation(activation) => activation.write(&mut w)?,
                    Section::Running(running) => return running.write(),
                    Section::Player(player) => return player.write(),
                    $(Section::$variant(doc) => {
                        w = Writer::new(<$t>::GAME);
                        doc.write(&mut w)?;
                    })*
                }
                Ok(w.bytes)
            }
            fn describe(&self) -> (refit_base::contract::Kind, String) {
                match self {
                    Section::Header(h) => ("save header".into(), format!("version {}", h.version)),
                    Section::Activation(a) => ("activation".into(), format!("{}, {} node \
                        states", a.name, a.node_states.len())),
                    Section::Running(r) => ("running animation".into(), r.fixed.name.to_string()),
                    Section::Player(p) => ("player".into(), format!("status {:?}", p.fixed.status_ratio)),
                    $(Section::$variant($doc) => ($kind.into(), $detail),)*
                }
            }
        }
    };
}

sections! {
    /// `Mission/MissionData` (Recoil).
    Mission(Mission) "mission", |m| format!("mission {}, objective {}", m.mission_id, m.current_objective);
    /// `MissionLate/LateMissionData` (Recoil).
    LateMission(LateMission) "mission, late", |_d| String::new();
    /// `HUDTimer/TimerData` (Recoil).
    Timer(Timer) "timer", |t| format!("{:?}", t.time);
    /// `Weapons/WeaponData` (Recoil).
    Weapon(Weapon) "weapon", |w| w.weapon.to_string();
    /// `VehicleList` (Recoil).
    Vehicle(Vehicle) "vehicle", |v| format!("status {:?}", v.status);
    /// `Mines/MineData` (Recoil).
    Mine(Mine) "mine", |m| m.weapon.to_string();
    /// `Pickup` (Recoil).
    Pickup(Pickup) "pickup", |p| format!("type {}, {}", p.pickup_type, p.amount);
    /// `GWWorld` (Recoil): the fog of a world.
    World(World) "world", |w| format!("fog {:?} to {:?}", w.fog_near, w.fog_far);
    /// `zDEClient` (Recoil): a crater, or quicksand.
    Feature(Feature) "feature", |f| format!("type {}", f.feature_type);
    /// `VehicleList` (Crimson Skies).
    Aircraft(FlightState) "aircraft", |a| format!("at {:?}", a.position);
    /// `PlayerVehicle` (Crimson Skies): nothing but its length.
    PlayerVehicle(PlayerVehicle) "player's vehicle", |_d| String::new();
    /// `UIData` (Crimson Skies): the player's progress, money and aircraft.
    UiData(UiData) "player's data", |u| format!("{}, {} missions, {} money", u.pilot, u.missions_completed, u.money);
}

macro_rules! fixed {
    ($($name:ident $game:ident;)*) => { $(impl $name {
        const GAME: Game = Game::$game;
        /// A section of exactly this size; `None` for any other.
        fn exact(mut r: Reader<'_>) -> Option<Box<Self>> {
            r.game = Self::GAME;
            let doc = <Self as Encode>::read(&mut r).ok()?;
            r.is_empty().then(|| Box::new(doc))
        }
    })* };
}
fixed! {
    Mission Rc; LateMission Rc; Timer Rc; Weapon Rc; Vehicle Rc; Mine Rc; Pickup Rc; World Rc; Feature Rc;
    FlightState Cs; PlayerVehicle Cs; UiData Cs;
}

refit_base::open_enum! {
    /// Which parts of the engine Crimson Skies asked to save: a mask, and each kind of file has its
    /// own. Read in the program by the author of `Laeresh/CSVM`.
    pub(crate) enum SaveCategories: u32 {
        /// `Persist.NNN`: the player's vehicles.
        Persist = 0x1 "PERSIST",
        /// `Status.dat`: the pilot and the campaign.
        Status = 0x2 "STATUS",
        /// `*.sav`: all that a mission is.
        Savegame = 0x1_0000 "SAVEGAME",
        /// `Mission.NNN`: the state of the world after a mission.
        Mission = 0x2_0000 "MISSION",
    }
}

refit_base::record! {
    /// The header of a save game.
    pub(crate) struct Header {
        /// Present only if it is not the header's length in bytes.
        length~: u32,
        /// Format version, 2.
        version: u32,
        /// What was saved (Crimson Skies).
        categories?: SaveCategories,
        /// Bytes after the header.
        tail!: HexBytes,
    }
}

impl Header {
    fn read(mut r: Reader<'_>) -> Result<Self> {
        let length: u32 = r.field("length")?;
        let version = r.field("version")?;
        let categories = if r.left() == 4 {
            Some(r.field("categories")?)
        } else {
            None
        };
        // The length in the header does not include a tail.
        let known = if categories.is_some() { 12 } else { 8 };
        Ok(Header {
            length: Derived::of(length, known),
            version,
            categories,
            tail: HexBytes(r.rest_as("tail", Role::Unknown).to_vec()),
        })
    }
    fn write(&self, w: &mut Writer) {
        w.u32(
            self.length
                .or(if self.categories.is_some() { 12 } else { 8 }),
        );
        w.u32(self.version);
        if let Some(categories) = &self.categories {
            w.put(categories);
        }
        w.raw(&self.tail.0);
    }
}

refit_base::record! {
    /// The state of a mission of Recoil.
    pub(crate) struct Mission [Rc 92] {
        /// Number of the mission.
        mission_id: i32,
        /// Flags of the mission; their meaning is not known.
        mission_flags: Hex<u32>,
        /// Number of the objective that the player works on.
        current_objective: i32,
        /// Number of the first objective that is not done.
        first_incomplete: i32,
        /// How many objectives are done.
        completed_count: i32,
        /// State between objectives.
        flow_state: i32,
        /// When that state ends, in seconds of the mission.
        flow_deadline: F32,
        /// A statistic of the mission; what it counts is not known.
        unk28: i32,
        /// A statistic of the mission; what it counts is not known.
        unk32: i32,
        /// Shots of the primary weapon: a statistic.
        primary_shots: i32,
        /// A statistic of the mission; what it counts is not known.
        unk40: i32,
        /// One bit for each weapon.
        weapons_found: Hex<u32>,
        /// For each of the ten objectives whether it is done; the values are not known.
        completed: [i32; 10],
        /// The difficulty that was chosen.
        difficulty: i32,
    }
}
refit_base::record! {
    /// What a mission of Recoil restores last.
    pub(crate) struct LateMission [Rc 4] {
        /// Unknown; 1 in known files.
        value~: i32 = |_| 1,
    }
}
refit_base::record! {
    /// The timer of Recoil's head-up display.
    pub(crate) struct Timer [Rc 4] {
        /// What the timer shows, in seconds.
        time: F32,
    }
}
refit_base::record! {
    /// The weapons of a mission of Recoil.
    pub(crate) struct Weapon [Rc 4] {
        /// A number; its meaning is not known.
        weapon: i32,
    }
}
refit_base::record! {
    /// A vehicle of Recoil that the computer drives.
    pub(crate) struct Vehicle [Rc 128] {
        /// The section's length; the game refuses any other.
        size~: u32 = |_| 128,
        /// Its rotation: angles about x, y, z in radians.
        rotation: Vec3,
        /// Its position: x, y, z in the units of the world.
        position: Vec3,
        /// Number of its AI net.
        ai_net_id: i32,
        /// State of its AI: the topmost one.
        top_state: i32,
        /// State of its AI: the one that was saved.
        saved_state: i32,
        /// State of its AI: the one that it returns to.
        return_state: i32,
        /// Distance within which it attacks, squared.
        attack_radius_squared: F32,
        /// Distance that decides whether it is restored, squared.
        restore_distance_squared: F32,
        /// The position at which it is restored: x, y, z.
        restore_target: Vec3,
        /// Direction of its dynamic offset: x, y, z.
        dynamic_offset_direction: Vec3,
        /// Distance within which it becomes active, squared.
        activation_radius_squared: F32,
        /// Not 0 while its AI is suppressed.
        tick_suppressed: i32,
        /// State of alert; the values are not known.
        alert: i32,
        /// A marker; the values are not known.
        marker: i32,
        /// Not 0 while it is active.
        active: i32,
        /// Where on its path it is.
        path_cursor: i32,
        /// Its steering; the values are not known.
        steering_now: i32,
        /// The steering that it returns to; the values are not known.
        steering_return: i32,
        /// Number of its master type.
        master_type: i32,
        /// Its status, scaled in an unknown way.
        status_scaled: F32,
        /// Its status; the range is not known.
        status: F32,
        /// A state of nanites; the values are not known.
        nanite: i32,
        /// Number of its local master type.
        local_master_type: i32,
    }
}
refit_base::record! {
    /// A mine of Recoil.
    pub(crate) struct Mine [Rc 96] {
        /// Name of the weapon that it is.
        weapon: Text<32>,
        /// Its position: x, y, z in the units of the world.
        position: Vec3,
        /// The scale, and the other fields before the owner.
        unk44: Raw<16>,
        /// The node that laid it.
        owner: Text<36>,
    }
}
refit_base::record! {
    /// A pickup in Recoil.
    pub(crate) struct Pickup [Rc 48] {
        /// Unknown: the first word.
        first: i32,
        /// Kind of the pickup; the numbers are not known.
        pickup_type: i32,
        /// Number of this pickup among those of the mission.
        id: i32,
        /// How much of it there is.
        amount: i32,
        /// Its position: x, y, z in the units of the world.
        position: Vec3,
        /// Its rotation: angles about x, y, z in radians.
        rotation: Vec3,
        /// Parameter of its appearance; the meaning is not known.
        spawn_parameter: i32,
        /// Time until it reappears; the unit is not known.
        respawn_delay: i32,
    }
}
refit_base::record! {
    /// The fog of a world of Recoil.
    pub(crate) struct World [Rc 36] {
        /// State of the fog, probably as `fog_type` of a world: 0 off, 1 linear, 2 exponential.
        fog_state: i32,
        /// Red, green, blue of the fog; the range is not known.
        fog_color: Vec3,
        /// Distance at which the fog begins, in the units of the world.
        fog_near: F32,
        /// Distance at which the fog is thickest, in the units of the world.
        fog_far: F32,
        /// Height below which there is fog, in the units of the world.
        fog_altitude_high: F32,
        /// Height above which there is fog, in the units of the world.
        fog_altitude_low: F32,
        /// Thickness of exponential fog: a factor, 0 is none.
        fog_density: F32,
    }
}
refit_base::record! {
    /// A crater or quicksand of Recoil.
    pub(crate) struct Feature [Rc 52] {
        /// Which one it is.
        feature_type: i32,
        /// By type: flags, number of points, pointers, slope, depth, radius, centre, owner.
        feature: Raw<44>,
        /// Reload flag; the values are not known.
        reload: i32,
    }
}
refit_base::plain! {
    /// One side of a weapon bank of Recoil.
    pub(crate) struct WeaponSide {
        /// Not 0 when the weapon is there.
        enabled: i32,
        /// What is left of its ammunition.
        ammunition: F32,
    }
}
refit_base::plain! {
    /// A weapon bank of Recoil.
    pub(crate) struct Bank {
        /// The side that is selected, 0 or 1.
        selected_side: i32,
        /// The weapons on its two sides.
        sides: [WeaponSide; 2],
    }
}
refit_base::record! {
    /// Recoil's player, up to the last known field.
    pub(crate) struct PlayerFixed [Rc 244] {
        /// Number of the bank of the alternative weapon.
        alternative_bank: i32,
        /// Side of the alternative weapon in its bank, 0 or 1.
        alternative_side: i32,
        /// Number of the bank of the primary weapon.
        primary_bank: i32,
        /// Side of the primary weapon in its bank, 0 or 1.
        primary_side: i32,
        /// The ten weapon banks.
        banks: [Bank; 10],
        /// Status as a ratio; the range is not known.
        status_ratio: F32,
        /// A counter of the head-up display.
        hud_counter: i32,
        /// Not 0 when the amphibian is unlocked.
        amphibian_unlocked: i32,
        /// Not 0 when the hovercraft is unlocked.
        hover_unlocked: i32,
        /// Not 0 when the submarine is unlocked.
        submarine_unlocked: i32,
        /// Mode of the AI; the values are not known.
        ai_mode: i32,
        /// Time of the next switch of mode; the unit is not known.
        next_mode_switch: F32,
    }
}

refit_base::record! {
    /// Recoil's player. The section begins with its own length.
    pub(crate) struct Player {
        /// The part of the section whose fields are known.
        fixed: PlayerFixed,
        /// Motion input, auto-turn sign, bank input, master type, camera target and position, zone,
        /// and the record of the last hit; their places are not known.
        unk248!: HexBytes,
    }
}

impl Player {
    fn read(mut r: Reader<'_>) -> Option<Box<Self>> {
        r.game = Game::Rc;
        let len = r.left();
        let size: u32 = r.hidden("size", Role::Derived).ok()?;
        let fixed = PlayerFixed::read(&mut r).ok()?;
        let unk248 = HexBytes(r.rest_as("unk248", Role::Value).to_vec());
        (size as usize == len).then(|| Box::new(Player { fixed, unk248 }))
    }
    fn write(&self) -> Result<Vec<u8>> {
        let mut w = Writer::new(Game::Rc);
        w.u32(fit(
            4 + PlayerFixed::size(Game::Rc) + self.unk248.0.len(),
            "the length",
        )?);
        self.fixed.write(&mut w)?;
        w.raw(&self.unk248.0);
        Ok(w.bytes)
    }
}

refit_base::open_enum! {
    /// What an animation does.
    pub(crate) enum AnimState: u8 {
        Reset = 1 "RESET",
        Running = 2 "RUNNING",
        Executed = 3 "EXECUTED",
        Invalid = 4 "INVALID",
        /// Runs, and is to be invalidated.
        RunningInvalidate = 6 "RUNNING_INVALIDATE",
    }
}

refit_base::plain! {
    /// A node, and a place.
    pub(crate) struct Reference {
        /// Slot of the node, or −1.
        node_index: i32,
        /// The place: x, y, z.
        position: Vec3,
    }
}
refit_base::record! {
    /// The common beginning of all running animations of Recoil. Three counts follow it.
    pub(crate) struct RunningFixed [Rc 100] {
        /// The animation's place in the entry table.
        entry_index: i32,
        /// Whether the root node must match; the values are not known.
        match_root: i32,
        /// Name of the animation.
        name: Text<32>,
        /// Slot of its root node, or −1.
        root_node: i32,
        /// The two nodes that it was called with, each with a position.
        references: [Reference; 2],
        /// What the animation does.
        state: AnimState,
        /// Padding: stale memory.
        unk77: Raw<3>,
        /// Number of its trigger; the meaning is not known.
        trigger: F32,
        /// What is left of its countdown; the unit is not known.
        countdown: F32,
        /// A velocity: x, y, z in the units of the world per second, probably.
        velocity: Vec3,
    }
}

refit_base::record! {
    /// An animation of Recoil that runs.
    pub(crate) struct Running {
        /// The common beginning of all running animations.
        fixed: RunningFixed,
        /// Sequences in `sequences`.
        sequence_count: u8,
        /// Padding after the counts. Absent for 0.
        unk103!: u8,
        /// 64 bytes for each sequence, and its stream of events.
        sequences!: HexBytes,
        /// The state of each of its lights, 56 bytes in hexadecimal.
        lights*: Raw<56>,
        /// The state of each of its sounds, 60 bytes in hexadecimal.
        sounds*: Raw<60>,
    }
}

impl Running {
    fn read(mut r: Reader<'_>) -> Option<Box<Self>> {
        r.game = Game::Rc;
        let fixed = r.note_within("fixed", RunningFixed::read).ok()?;
        let sequence_count = r.field("sequence_count").ok()?;
        let (lights, sounds): (u8, u8) = (
            r.hidden("light_count", Role::Derived).ok()?,
            r.hidden("sound_count", Role::Derived).ok()?,
        );
        let unk103 = r.field("unk103").ok()?;
        let sequences = r.left().checked_sub(
            Raw::<56>::SIZE * usize::from(lights) + Raw::<60>::SIZE * usize::from(sounds),
        )?;
        let sequences = HexBytes(
            r.bytes(sequences as u64, "sequences", Notation::Bytes, Role::Value)
                .ok()?
                .to_vec(),
        );
        let lights = r.plains(lights.into(), "lights").ok()?;
        let sounds = r.plains(sounds.into(), "sounds").ok()?;
        Some(Box::new(Running {
            fixed,
            sequence_count,
            unk103,
            sequences,
            lights,
            sounds,
        }))
    }
    fn write(&self) -> Result<Vec<u8>> {
        let mut w = Writer::new(Game::Rc);
        self.fixed.write(&mut w)?;
        let lights: u8 = fit(self.lights.len(), "the number of lights")?;
        let sounds: u8 = fit(self.sounds.len(), "the number of sounds")?;
        w.put(&[self.sequence_count, lights, sounds, self.unk103]);
        w.raw(&self.sequences.0);
        w.plains(&self.lights);
        w.plains(&self.sounds);
        Ok(w.bytes)
    }
}

refit_base::record! {
    /// An aircraft of Crimson Skies in flight.
    pub(crate) struct FlightState [Cs 408] {
        /// The section's length.
        size~: u32 = |_| 408,
        /// Its position: x, y, z in the units of the world.
        position: Vec3,
        /// Its rotation: three numbers, probably angles; the unit is not known.
        orientation: Vec3,
        /// How fast it moves: x, y, z in the units of the world per second, probably.
        velocity: Vec3,
        /// The rest of the state, in hexadecimal; unknown.
        unk40: Raw<368>,
    }
}
refit_base::record! {
    /// A section of Crimson Skies that contains nothing but its length.
    pub(crate) struct PlayerVehicle [Cs 4] {
        /// The section's length.
        size~: u32 = |_| 4,
    }
}
refit_base::plain! {
    /// The results of a mission of Crimson Skies, in hexadecimal (FORMAT.md has their layout).
    pub(crate) struct MissionResult {
        /// Of the last attempt.
        last: Raw<84>,
        /// The best of all attempts.
        best: Raw<84>,
    }
}
refit_base::record! {
    /// A player of Crimson Skies.
    pub(crate) struct UiData [Cs 10820] {
        /// Three words, in hexadecimal: the mission whose result the game records, from 1, or 0 for
        /// a new player; an unknown word; the number of a screen.
        unk0: Raw<12>,
        /// The folder of the player's saves.
        folder: Text<776>,
        /// Name of the pilot.
        pilot: Text<32>,
        /// Four unknown bytes, in hexadecimal.
        unk820: Raw<4>,
        /// How many missions are done, and so the position of the next one in the campaign.
        missions_completed: i32,
        /// Index in `planes`.
        selected_plane: i32,
        /// A word in hexadecimal: the wingman's aircraft, an index in `planes`.
        unk832: Raw<4>,
        /// The picture of the last memento.
        memento: Text<260>,
        /// The player's money.
        money: i32,
        /// The aircraft that the player may own, one for each of 26 places.
        planes: [Aircraft; 26],
        /// The game counts its results from 1: these bytes are the end of a record 0 that overlaps
        /// the last plane.
        unk6404: Raw<12>,
        /// The results of the 24 missions.
        results: [MissionResult; 24],
        /// Four unknown bytes, in hexadecimal.
        unk10448: Raw<4>,
        /// The name that the game offers for the next save, and the bytes after it.
        save_name: Text<368>,
    }
}

refit_base::plain! {
    /// A node that an animation tracks.
    pub(crate) struct NodeState {
        /// The node's slot.
        node_index: i32,
        /// Not 0 while the node is active.
        active: i32,
        /// The matrix counts only if this is not 0.
        uses_matrix: i32,
        /// The rotation as three rows, and the position: x, y, z in the units of the world.
        matrix: [F32; 12],
        /// Flags of the node that the game restores.
        display_flags: Hex<u32>,
        /// A word of the node that the game restores.
        display_user: Hex<u32>,
    }
}

/// Whether an activation contains its animation's position in the entry table, as in Recoil's
/// `Anim` sections.
pub(crate) struct Indexed(pub bool);

refit_base::record! {
    /// The state of an animation.
    #[schemars(rename = "Activation")]
    pub(crate) struct AnimationState [Mw 88] with Indexed {
        /// The command that the animation gave: 1, 2 or 5 in known saves of MechWarrior 3.
        command_type: i32,
        /// Number of the record. Absent for 0.
        record_id!: i32,
        /// Name of the animation.
        name: Text<32>,
        /// The node's slot, or -1.
        node_index: i32,
        /// Nine words, by command: floats, or stale memory. Absent when all are zero.
        parameters!: Raw<36>,
        /// Recoil's `Anim` sections: the animation's place in the entry table.
        entry_index?: i32 in unk80,
        /// In other cases stale memory. Absent for zero.
        unk80!: Hex<u32> in unk80,
        /// The animation's place in the entry table, or stale memory.
        unk80: part EntryIndex,
        /// What the animation does.
        state: AnimState,
        /// Nodes that it tracks.
        let count: u8 try |a| fit(a.node_states.len(), "the number of node states"),
        /// Padding: stale memory. (Known saves of MechWarrior 3 have 0 or 25 in the first byte.)
        /// Absent for zeros.
        unk86!: Raw<2>,
    } below {
        /// The nodes that it tracks.
        node_states*: NodeState,
    }
}

/// The optional word for an animation's position.
pub(crate) struct EntryIndex;

impl FieldGroup<AnimationState, Indexed> for EntryIndex {
    const SIZE: usize = i32::SIZE;
    fn load(a: &mut AnimationState, bytes: &[u8], _: u32, _: Game, indexed: &Indexed) {
        match indexed {
            Indexed(true) => a.entry_index = Some(i32::get(bytes)),
            Indexed(false) => a.unk80 = Hex::get(bytes),
        }
    }
    fn store(a: &AnimationState, bytes: &mut [u8], _: Game, _: &Indexed) -> Result<()> {
        match (a.entry_index, a.unk80) {
            (Some(_), stale) if stale.0 != 0 => {
                return Err(Error::say("`entry_index` and `unk80` share a field"));
            }
            (Some(index), _) => index.put(bytes),
            (None, stale) => stale.put(bytes),
        }
        Ok(())
    }
    fn describe(_: &AnimationState, word: &mut Describe<'_>, _: Game, indexed: &Indexed) {
        let (name, kind) = if indexed.0 {
            ("entry_index", i32::KIND)
        } else {
            ("unk80", <Hex<u32>>::KIND)
        };
        word.note(0, i32::SIZE, name, kind, Role::Value, None);
    }
}

impl AnimationState {
    /// Reads an activation; `None` if the payload is not exactly one.
    fn read(mut r: Reader<'_>, indexed: bool) -> Option<Self> {
        r.game = Game::Mw;
        let count = AnimationState::peek_count(r.peek(AnimationState::size(r.game)), r.game);
        let mut a = AnimationState::take(&mut r, &Indexed(indexed)).ok()?;
        a.node_states = r.plains(count.into(), "node_states").ok()?;
        r.is_empty().then_some(a)
    }
    fn write(&self, w: &mut Writer) -> Result<()> {
        self.append(w, &Indexed(self.entry_index.is_some()))?;
        w.plains(&self.node_states);
        Ok(())
    }
}

/// Sections as members of an archive.
pub(crate) struct Members;

impl Typed for Members {
    type Doc = Section;
    fn read(&self, name: &[u8], payload: Reader<'_>, context: &Context) -> Option<Result<Section>> {
        if name == HEADER {
            return Header::read(payload).ok().map(Section::Header).map(Ok);
        }
        let (owner, key) = parts(name);
        let animation = matches!(owner, b"AnimActivation" | b"Anim");
        match (context.game, owner) {
            (Some(Game::Rc), b"AnimActivation" | b"Anim") => {
                AnimationState::read(payload, owner == b"Anim").map(Section::Activation)
            }
            (Some(Game::Rc), b"RunningAnim") => Running::read(payload).map(Section::Running),
            (Some(Game::Rc), b"Player") => Player::read(payload).map(Section::Player),
            (Some(Game::Rc), b"Mission") => Mission::exact(payload).map(Section::Mission),
            (Some(Game::Rc), b"MissionLate") => {
                LateMission::exact(payload).map(Section::LateMission)
            }
            (Some(Game::Rc), b"HUDTimer") => Timer::exact(payload).map(Section::Timer),
            (Some(Game::Rc), b"Weapons") => Weapon::exact(payload).map(Section::Weapon),
            (Some(Game::Rc), b"VehicleList") => Vehicle::exact(payload).map(Section::Vehicle),
            (Some(Game::Rc), b"Mines") => Mine::exact(payload).map(Section::Mine),
            (Some(Game::Rc), b"Pickup") => Pickup::exact(payload).map(Section::Pickup),
            (Some(Game::Rc), b"GWWorld") => World::exact(payload).map(Section::World),
            (Some(Game::Rc), b"zDEClient") => Feature::exact(payload).map(Section::Feature),
            // With nodes, the size of such sections follows another rule in this game.
            (Some(Game::Cs), _) if animation => AnimationState::read(payload, false)
                .filter(|a| a.node_states.is_empty())
                .map(Section::Activation),
            (Some(Game::Cs), b"VehicleList") => FlightState::exact(payload).map(Section::Aircraft),
            (Some(Game::Cs), b"PlayerVehicle") => {
                PlayerVehicle::exact(payload).map(Section::PlayerVehicle)
            }
            (Some(Game::Cs), _) if key == b"UIData" => UiData::exact(payload).map(Section::UiData),
            // The names of other owners are unknown: an exact fit with a known type of command
            // counts as one.
            (None | Some(Game::Mw), _) => AnimationState::read(payload, false)
                .filter(|a| animation || (1..=5).contains(&a.command_type))
                .map(Section::Activation),
            _ => None,
        }
        .map(Ok)
    }
    fn write(&self, doc: &Section, _: &Context) -> Result<Vec<u8>> {
        doc.write()
    }
    fn lint_member(&self, name: &[u8], payload: &[u8], context: &Context, lints: &mut Lints) {
        if let Some(Ok(Section::Activation(a))) = Typed::read(
            self,
            name,
            refit_base::support::members::reader(payload),
            context,
        ) && matches!(context.game, None | Some(Game::Mw))
        {
            let ok = matches!(a.command_type, 1 | 2 | 5)
                && (-1..20_000).contains(&a.node_index)
                && (a.command_type != 5 || a.node_states.is_empty());
            lints.check(ok, SAVE_ACTIVATION, || {
                format!("type {}, node {}", a.command_type, a.node_index)
            });
        }
        if context.game != Some(Game::Rc) {
            return;
        }
        let (owner, _) = parts(name);
        lints.check(OWNERS.contains(&owner), SAVE_OWNER, || {
            format!("{:?}", Str(owner.to_vec()))
        });
        if owner == b"VehicleList" {
            let size = value_at::<u32>(payload, 0);
            lints.check(
                size == Some(128) && payload.len() == 128,
                SAVE_VEHICLE_SIZE,
                || match size {
                    Some(size) => format!(
                        "{size} is stored, but the section has {} bytes",
                        payload.len()
                    ),
                    None => format!("the section has {} bytes", payload.len()),
                },
            );
        }
    }
    fn lint(&self, doc: &Section, lints: &mut Lints) {
        match doc {
            Section::Header(h) => {
                lints.model(doc);
                lints.check(h.version == 2 && h.tail.is_empty(), SAVE_HEADER, || {
                    format!("version {}", h.version)
                });
            }
            Section::Activation(a) => {
                // An unused matrix is stale memory: oddities in it are not reported.
                let mut judged = a.clone();
                for state in judged
                    .node_states
                    .iter_mut()
                    .filter(|state| state.uses_matrix == 0)
                {
                    state.matrix = [F32::from(0.0); 12];
                }
                lints.model(&Section::Activation(judged));
            }
            _ => lints.model(doc),
        }
    }
    fn describe(&self, doc: &Section) -> (refit_base::contract::Kind, String) {
        doc.describe()
    }
}

refit_base::tables! {
    Mission, LateMission, Timer, Weapon, Vehicle, Mine, Pickup, World, Feature, PlayerFixed, Bank, WeaponSide,
    RunningFixed, Reference, AnimationState, NodeState, FlightState, PlayerVehicle, UiData, MissionResult
}
