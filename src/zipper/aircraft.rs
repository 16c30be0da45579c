//! Saved aircraft of Crimson Skies: `Planes\NAME`, a file of 204 bytes without an extension.
//!
//! The saved data of a player contains the same record 26 times (`UiData` in `savegame.rs`).
//! Measured on one profile by the author of `Laeresh/CSVM`.

use refit_base::{
    contract::{Context, Detection, Family, Info, Suspect, Verdict, schema},
    format::Format,
    game::Game,
    lint::{Lints, codes},
    support::single::SingleFile,
    wire::{Error, Hex, Plain, Raw, Reader, Result, Text},
};

/// The format, lint codes and schema of this module.
pub const FAMILY: Family = Family {
    formats: &[Format::Aircraft],
    codes: CODES,
    schemas: || vec![schema::<Aircraft>()],
};

codes! {
    /// The kinds of findings.
    pub CODES:
    AIRCRAFT_VALUE "aircraft-value" Unusual [Cs] "a value for a part that the game does not have"
        "Known aircraft use patterns 0 to 13, decals 0 to 49, guns 0 to 5 (5 is none), ammunition 0 to 4 (4 is none), \
        and pylons 0 to 11 (11 is none)."
        "The values that the hangar of Crimson Skies offers."
}

/// Recognises a saved aircraft: 204 bytes that begin with the name of the file.
pub fn recognise(suspect: &Suspect<'_>) -> Verdict {
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

refit_base::plain! {
    /// An aircraft.
    pub struct Aircraft {
        /// 1 when the player has it.
        owned: u32,
        /// Name of the aircraft.
        name: Text<40>,
        /// Number of the airframe.
        airframe: i32,
        /// An unknown word.
        unk48: Hex<u32>,
        /// Unknown: two numbers of hardpoints.
        hardpoints: [i32; 2],
        /// An unknown word.
        unk60: Hex<u32>,
        /// The pattern of its paint, 0 to 13.
        pattern: i32,
        /// The three paint colours.
        colors: [i32; 3],
        /// How light or dark each of the three paint colours is.
        shades: [i32; 3],
        /// Numbers of its three decals, 0 to 49.
        decals: [i32; 3],
        /// The three colours as shown, which the game derives from `colors` and `shades`.
        rgba: [Raw<4>; 3],
        /// Four times; the game multiplies by 5.
        armor: [i32; 4],
        /// A byte for each gun.
        gun_families: Raw<4>,
        /// Number of each of four guns, 0 to 4; 5 means none.
        guns: [i32; 4],
        /// Number of each gun's ammunition, 0 to 3; 4 means none.
        ammunition: [i32; 4],
        /// Number of the load on each of eight pylons, 0 to 10; 11 means none.
        pylons: [i32; 8],
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
        lints.model(self);
        let within = |values: &[i32], most: i32| values.iter().all(|v| (0..=most).contains(v));
        let parts: [(&str, &[i32], i32); 5] = [
            ("pattern", &[self.pattern], 13),
            ("decals", &self.decals, 49),
            ("guns", &self.guns, 5),
            ("ammunition", &self.ammunition, 4),
            ("pylons", &self.pylons, 11),
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
            ("airframe", self.airframe.into()),
        ]
    }
}

refit_base::tables! { Aircraft }
