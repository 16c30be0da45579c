//! Recoil maps: `maps/m*.zmap` (zmap/FORMAT.md).

use refit_base::{
    contract::{Context, Detection, Family, Info, Stage, Suspect, Verdict},
    format::Format,
    game::Game,
    lint::{Lints, codes, of_mark},
    support::single::SingleFile,
    wire::{Derived, Encode, Error, HexBytes, Reader, Result, Role, Vec3, Writer, fit},
};

/// The format, lint codes and schema of this module.
pub const FAMILY: Family = Family {
    formats: &[Format::Zmap],
    recognise: &[(Stage::Table, recognise)],
    codes: CODES,
    schemas: || {
        vec![
            refit_base::contract::schema::<Zmap>(),
            refit_base::contract::schema::<refit_base::support::single::SingleManifest>(),
        ]
    },
};

codes! {
    /// The kinds of findings in maps.
    pub CODES:
    ZMAP_UNK04 "zmap-unk04" Unusual [Rc] "the word at offset 4 is not 1 to 31"
        "Known maps have 1 to 31 there. The game does not interpret it."
        "Measured on the maps of Recoil."
    ZMAP_BOUNDS "zmap-bounds" Unusual [Rc] "a wrong bounding box"
        "The minimum is above the maximum, or a point is outside. The game recomputes the box from the points."
        "Recoil extends the box by the points that it reads."
    ZMAP_TAIL "zmap-tail" Unusual [Rc] "trailing bytes after the last feature"
        "The game stops at the first incomplete feature."
        "Recoil reads features up to the first incomplete one."
}

/// The version that the game reads; it rejects others.
const VERSION: u32 = 5;

refit_base::record! {
    /// A map: the outlines shown to the pilot.
    pub struct Zmap [Rc 32] {
        /// 5; the game refuses others.
        const version: u32 = |_| VERSION,
        /// 1 to 31 in the shipped maps; meaning unknown.
        unk04: u32,
        /// Lowest corner of the bounding box: x, y, z in the units of the world.
        min: Vec3,
        /// Highest corner of the bounding box: x, y, z in the units of the world.
        max: Vec3,
    } below {
        /// Polylines and polygons in file order. The engine puts each at the front of its list.
        features: Vec<Feature>,
        /// One or two bytes after the last feature.
        tail!: HexBytes,
    }
}
refit_base::document!(Zmap, "zmap");

refit_base::record! {
    /// A polyline or polygon.
    pub(crate) struct Feature {
        /// Red, green, blue.
        color: [u8; 3],
        /// State or number of an objective; -1 is the engine's default for a new marker.
        objective~: i32,
        /// The corners in order: x, y, z in the units of the world.
        points: Vec<Vec3>,
    }
}

const NO_OBJECTIVE: i32 = -1;

impl Encode for Feature {
    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let color = r.field("color")?;
        let count: u32 = r.hidden("count", Role::Derived)?;
        let points = r.plains(count.into(), "points")?;
        Ok(Feature {
            color,
            points,
            objective: Derived::of(r.field("objective")?, NO_OBJECTIVE),
        })
    }
    fn write(&self, w: &mut Writer) -> Result<()> {
        w.put(&self.color);
        w.u32(fit(self.points.len(), "the number of points")?);
        w.plains(&self.points);
        w.put(&self.objective.or(NO_OBJECTIVE));
        Ok(())
    }
}

/// Recognises a map by its version, and by reading its features.
fn recognise(suspect: &Suspect<'_>) -> Verdict {
    match (suspect.word(0), suspect.whole) {
        (Some(5), None) => Verdict::All,
        (Some(5), Some(file)) if is_zmap(file) => Verdict::Is(Detection::new(
            Format::Zmap,
            Some(Game::Rc),
            "map version 5, features to the end",
            true,
        )),
        _ => Verdict::No,
    }
}

/// True if the bytes are a map of the known version, with at most two bytes left over.
fn is_zmap(file: &[u8]) -> bool {
    Zmap::load_all(Reader::new(file, Game::Rc)).is_ok()
}

impl Zmap {
    fn load_all(mut r: Reader<'_>) -> Result<Self> {
        let version = Zmap::peek_version(r.peek(Zmap::size(r.game)), r.game);
        let mut map = Zmap::read(&mut r)?;
        if version != VERSION {
            return Err(
                Error::say(format!("version {version} (a map has {VERSION})"))
                    .within("version")
                    .at(0),
            );
        }
        map.features = r.within("features", |r| {
            let mut features = Vec::new();
            while r.left() > 2 {
                features.push(r.item(features.len(), Feature::read)?);
            }
            Ok(features)
        })?;
        map.tail = HexBytes(r.rest_as("tail", Role::Stale).to_vec());
        Ok(map)
    }
}

impl SingleFile for Zmap {
    const FORMAT: Format = Format::Zmap;
    const GAME: Option<Game> = Some(Game::Rc);
    fn read_file(mut r: Reader<'_>, _: &Context) -> Result<Self> {
        r.game = Game::Rc;
        Zmap::load_all(r)
    }
    fn write_file(&self, _: &Context) -> Result<Vec<u8>> {
        let mut w = Writer::new(Game::Rc);
        self.write(&mut w)?;
        w.list(&self.features, "features")?;
        if self.tail.0.len() > 2 {
            return Err(Error::say("a third byte would begin another feature").within("tail"));
        }
        w.raw(&self.tail.0);
        Ok(w.bytes)
    }
    fn judge(&self, lints: &mut Lints) {
        for (path, mark, value) in refit_base::wire::marks(self) {
            // An objective is ordinary data that is only omitted if it is the default.
            if mark != refit_base::wire::Mark::Odd {
                lints.at(path, |lints| lints.say(of_mark(mark), value));
            }
        }
        lints.at("unk04", |lints| {
            lints.check((1..=31).contains(&self.unk04), ZMAP_UNK04, || {
                self.unk04.to_string()
            })
        });
        let inside = |p: &Vec3| {
            p.iter()
                .zip(&self.min)
                .zip(&self.max)
                .all(|((p, lo), hi)| lo.get() <= p.get() && p.get() <= hi.get())
        };
        let outside = self
            .features
            .iter()
            .flat_map(|f| &f.points)
            .filter(|p| !inside(p))
            .count();
        lints.check(outside == 0, ZMAP_BOUNDS, || {
            format!("{outside} points are outside the box")
        });
        lints.check(inside(&self.min), ZMAP_BOUNDS, || {
            "the minimum is above the maximum".into()
        });
        lints.check(self.tail.is_empty(), ZMAP_TAIL, || {
            format!("{} bytes", self.tail.0.len())
        });
    }
    fn tell(&self) -> Info {
        vec![
            ("features", self.features.len().into()),
            (
                "points",
                self.features
                    .iter()
                    .map(|f| f.points.len())
                    .sum::<usize>()
                    .into(),
            ),
        ]
    }
}

refit_base::tables! { Zmap }
