//! Saved aircraft of Crimson Skies: `Planes\NAME`, a file of 204 bytes without an extension.
//!
//! The saved data of a player contains the same record 26 times (`UiData` in `savegame.rs`).
//! Fields and names are those that the author of `Laeresh/CSVM` read in the program of Crimson Skies
//! and measured on one profile (`docs/formats/saved-games.md`, `paint.md` and `loadouts.md` there,
//! CC BY 4.0).

use refit_base::{
    contract::{Context, Detection, Family, Info, Stage, Suspect, Verdict, schema},
    format::Format,
    game::Game,
    lint::{Lints, codes, of_mark},
    support::single::SingleFile,
    wire::{Error, Hex, Mark, Plain, Raw, Reader, Result, Text, marks},
};

/// The format, lint codes and schema of this module.
pub const FAMILY: Family = Family {
    formats: &[Format::Aircraft],
    recognise: &[(Stage::Name, recognise)],
    codes: CODES,
    schemas: || vec![schema::<Aircraft>()],
};

codes! {
    /// The kinds of findings.
    pub CODES:
    AIRCRAFT_VALUE "aircraft-value" Unusual [Cs] "a value for a part that the game does not have"
        "Known aircraft use 11 airframes, 14 patterns, colours 0 to 26, decals 0 to 49, up to 4 hardpoints on a wing, \
        guns of 5 calibres, 4 kinds of ammunition and 11 loads of a pylon. Values without a name stay numbers."
        "The values that the hangar of Crimson Skies offers."
}

/// Recognises a saved aircraft: 204 bytes that begin with the name of the file.
fn recognise(suspect: &Suspect<'_>) -> Verdict {
    let Some(file) = suspect.whole else {
        return Verdict::All;
    };
    match Aircraft::is_file(file, suspect.name()) {
        true => Verdict::Is(Detection::new(
            Format::Aircraft,
            Some(Game::Cs),
            "204 bytes that hold an aircraft of the file's name",
            false,
        )),
        false => Verdict::No,
    }
}

refit_base::open_enum! {
    /// The airframe of an aircraft.
    pub enum Airframe: i32 {
        Hoplite = 0 "HOPLITE",
        Hellhound = 1 "HELLHOUND",
        Balmoral = 2 "BALMORAL",
        Bloodhawk = 3 "BLOODHAWK",
        Brigand = 4 "BRIGAND",
        Devastator = 5 "DEVASTATOR",
        Firebrand = 6 "FIREBRAND",
        Fury = 7 "FURY",
        Kestrel = 8 "KESTREL",
        Peacemaker = 9 "PEACEMAKER",
        Warhawk = 10 "WARHAWK",
    }
}

refit_base::open_enum! {
    /// The pattern of an aircraft's paint, by the folder that has its pictures.
    pub enum PaintPattern: i32 {
        Blackhat = 0 "BLACKHAT",
        BlackSwan = 1 "BLCKSWAN",
        Blake = 2 "BLAKE",
        British = 3 "BRITISH",
        Fortune = 4 "FORTUNE",
        Hollywood = 5 "HOLLYWD",
        Hughes = 6 "HUGHES",
        Medusas = 7 "MEDUSAS",
        Cccp = 8 "CCCP",
        SacredTrust = 9 "SACTRUST",
        German = 10 "GERMAN",
        Studio = 11 "STUDIO",
        Broadway = 12 "BROADWAY",
        Taxi = 13 "ITSTAXI",
    }
}

refit_base::open_enum! {
    /// A gun, by its calibre.
    pub enum Gun: i32 {
        Calibre30 = 0 "CALIBRE_30",
        Calibre40 = 1 "CALIBRE_40",
        Calibre50 = 2 "CALIBRE_50",
        Calibre60 = 3 "CALIBRE_60",
        Calibre70 = 4 "CALIBRE_70",
        None = 5 "NONE",
    }
}

refit_base::open_enum! {
    /// The ammunition of a gun.
    pub enum Ammunition: i32 {
        Slug = 0 "SLUG",
        Dumdum = 1 "DUMDUM",
        ArmorPiercing = 2 "AP",
        Magnesium = 3 "MAGNESIUM",
        None = 4 "NONE",
    }
}

refit_base::open_enum! {
    /// The load of a pylon.
    pub enum Ordnance: i32 {
        ArmorPiercing = 0 "ARMOR_PIERCING_ROCKET",
        HighExplosive = 1 "HIGH_EXPLOSIVE_ROCKET",
        Flak = 2 "FLAK_ROCKET",
        Sonic = 3 "SONIC_ROCKET",
        Flash = 4 "FLASH_ROCKET",
        RearFlash = 5 "REAR_FLASH_ROCKET",
        SmokeScreen = 6 "SMOKE_SCREEN",
        Choker = 7 "CHOKER_ROCKET",
        Beeper = 8 "BEEPER_ROCKET",
        Seeker = 9 "SEEKER_ROCKET",
        AerialTorpedo = 10 "AERIAL_TORPEDO",
        None = 11 "NONE",
    }
}

refit_base::plain! {
    /// An aircraft.
    pub struct Aircraft {
        /// 1 when the player has it.
        owned: u32,
        /// Name of the aircraft.
        name: Text<40>,
        /// The airframe.
        airframe: Airframe,
        /// An unknown word.
        unk48: Hex<u32>,
        /// Number of hardpoints under the left and under the right wing, 0 to 4 each.
        hardpoints: [i32; 2],
        /// An unknown word.
        unk60: Hex<u32>,
        /// The pattern of its paint.
        pattern: PaintPattern,
        /// The three paint colours: rows of the game's table of swatches, 0 to 26.
        colors: [i32; 3],
        /// How light or dark each of the three paint colours is: a place in the ramp of its swatch.
        shades: [i32; 3],
        /// Numbers of its decals on nose, tail and wing, 0 to 49.
        decals: [i32; 3],
        /// The three colours as shown, which the game derives from `colors` and `shades`.
        rgba: [Raw<4>; 3],
        /// Four values of armour, each five times the number that the hangar shows.
        armor: [i32; 4],
        /// Bit n of the first byte belongs to gun n: its family. Other bits may be left over.
        gun_families: Raw<4>,
        /// Four guns.
        guns: [Gun; 4],
        /// The ammunition of each gun.
        ammunition: [Ammunition; 4],
        /// The load of each pylon: four of the left wing, then four of the right one. Those beyond
        /// `hardpoints` have none.
        pylons: [Ordnance; 8],
        /// An unknown word.
        unk200: Hex<u32>,
    }
}
refit_base::document!(Aircraft, "aircraft");

impl Aircraft {
    /// True if the bytes are an aircraft with this name, compared as the game names files.
    pub fn is_file(bytes: &[u8], name: &str) -> bool {
        if bytes.len() != Self::SIZE || name.is_empty() {
            return false;
        }
        let aircraft = Self::get(bytes);
        aircraft.owned <= 1
            && aircraft.name.is_terminated()
            && aircraft.name.text().eq_ignore_ascii_case(name)
    }
}

impl SingleFile for Aircraft {
    const FORMAT: Format = Format::Aircraft;
    const GAME: Option<Game> = Some(Game::Cs);
    fn read_file(mut file: Reader<'_>, _: &Context) -> Result<Self> {
        match file.left() == Self::SIZE {
            true => file.plain(),
            false => Err(Error::say(format!(
                "an aircraft has {} bytes, the file has {}",
                Self::SIZE,
                file.left()
            ))),
        }
    }
    fn write_file(&self, _: &Context) -> Result<Vec<u8>> {
        let mut out = vec![0; Self::SIZE];
        self.put(&mut out);
        Ok(out)
    }
    fn judge(&self, lints: &mut Lints) {
        // A value without a name is said below, with what it belongs to.
        let marks = marks(self).into_iter();
        for (path, mark, value) in marks.filter(|(_, mark, _)| *mark != Mark::UnknownValue) {
            lints.at(path, |lints| lints.say(of_mark(mark), value));
        }
        let within = |values: &[i32], most: i32| values.iter().all(|v| (0..=most).contains(v));
        let guns = self.guns.map(Gun::raw);
        let ammunition = self.ammunition.map(Ammunition::raw);
        let pylons = self.pylons.map(Ordnance::raw);
        let parts: [(&str, &[i32], i32); 8] = [
            ("airframe", &[self.airframe.raw()], 10),
            ("hardpoints", &self.hardpoints, 4),
            ("pattern", &[self.pattern.raw()], 13),
            ("colors", &self.colors, 26),
            ("decals", &self.decals, 49),
            ("guns", &guns, 5),
            ("ammunition", &ammunition, 4),
            ("pylons", &pylons, 11),
        ];
        for (part, values, most) in parts {
            lints.at(part, |lints| {
                lints.check(within(values, most), AIRCRAFT_VALUE, || {
                    format!("{values:?}")
                })
            });
        }
    }
    fn tell(&self) -> Info {
        vec![
            ("name", self.name.text().into()),
            ("owned", (self.owned != 0).into()),
            (
                "airframe",
                match self.airframe.name() {
                    Some(name) => name.into(),
                    None => self.airframe.raw().into(),
                },
            ),
        ]
    }
}

refit_base::tables! { Aircraft }
