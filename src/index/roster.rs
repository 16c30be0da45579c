//! The files of a game in some tens of bytes each: where they stand and what they are, and no name of what is in them.

use super::File;
use crate::{
    format::Format,
    many::{Roll, path_bytes, path_of_bytes},
};
use std::{collections::BTreeMap, ops::Range, path::PathBuf};

/// The files of a game, in the order in which they came.
#[derive(Debug, Default)]
pub struct Roster {
    paths: Roll,
    relatives: Roll,
    files: Vec<(u32, Format)>,
    /// The places of the files, and the places above these, by their numbers.
    places: BTreeMap<Box<str>, u32>,
    /// Of each place the one above it; the first, which is the whole game, is its own.
    above: Vec<u32>,
    addons: Vec<u32>,
    prefixes: Roll,
}

impl Roster {
    /// One more file, which gets its number.
    pub fn push(&mut self, file: &mut File) {
        let number = self.files.len() as u32;
        self.paths.push(&path_bytes(&file.path));
        self.relatives.push(file.relative.as_bytes());
        let place = self.place_of(&file.place);
        self.files.push((place, file.format));
        if !file.prefix.is_empty() {
            self.addons.push(number);
            self.prefixes.push(file.prefix.as_bytes());
        }
        file.number = number;
    }

    fn place_of(&mut self, place: &str) -> u32 {
        if let Some(number) = self.places.get(place) {
            return *number;
        }
        // The places above come before those below.
        let above = std::iter::once("").chain(place.match_indices('/').filter_map(|(at, _)| place.get(..at))).chain([place]);
        let mut number = 0;
        for place in above {
            number = match self.places.get(place) {
                Some(known) => *known,
                None => {
                    let new = self.above.len() as u32;
                    self.above.push(number);
                    self.places.insert(place.into(), new);
                    new
                }
            };
        }
        number
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Where a file stands.
    pub fn path(&self, file: u32) -> PathBuf {
        self.paths.get(file as usize).map(|path| path_of_bytes(&path)).unwrap_or_default()
    }

    /// Its place below the folder that was named.
    pub fn relative(&self, file: u32) -> String {
        self.relatives.get(file as usize).map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default()
    }

    /// Its format.
    pub fn format(&self, file: u32) -> Option<Format> {
        self.files.get(file as usize).map(|(_, format)| *format)
    }

    /// The number of its place.
    pub(super) fn place(&self, file: u32) -> u32 {
        self.files.get(file as usize).map_or(0, |(place, _)| *place)
    }

    /// A place and those above it, up to the whole game.
    pub(super) fn upwards(&self, place: u32) -> impl Iterator<Item = u32> + '_ {
        let above = |place: &u32| self.above.get(*place as usize).copied().filter(|above| above != place);
        std::iter::successors(Some(place), above)
    }

    /// What stands before the names of the files of each addon.
    fn prefixes(&self) -> impl Iterator<Item = (u32, String)> + '_ {
        self.addons.iter().copied().zip(self.prefixes.iter().map(|text| String::from_utf8_lossy(&text).into_owned()))
    }
}

/// The files by what sees them: a game may have thousands, and a mission sees few of them.
#[derive(Debug)]
pub(super) struct Around<'a> {
    roster: &'a Roster,
    /// Files by the ranks of their places.
    order: Vec<u32>,
    /// Of each place its rank, and the ranks of those below it.
    ranks: Vec<(u32, Range<u32>)>,
    /// The formats of the files that each place sees, and of those that see it: a bit for each.
    formats: Vec<u64>,
}

impl<'a> Around<'a> {
    pub(super) fn new(roster: &'a Roster) -> Self {
        let names: Vec<&str> = roster.places.keys().map(AsRef::as_ref).collect();
        let mut ranks = vec![(0, 0..0); roster.above.len()];
        for (rank, (name, place)) in roster.places.iter().enumerate() {
            // Those below stand together: what begins with the name and a slash. All but itself stand below the whole game.
            let inside = format!("{name}/");
            let (from, to) = match name.is_empty() {
                true => (rank + 1, names.len()),
                false => (
                    names.partition_point(|other| *other < inside.as_str()),
                    names.partition_point(|other| *other < inside.as_str() || other.starts_with(&inside)),
                ),
            };
            if let Some(own) = ranks.get_mut(*place as usize) {
                *own = (rank as u32, from as u32..to as u32);
            }
        }
        let mut order: Vec<u32> = (0..roster.len() as u32).collect();
        order.sort_by_key(|file| (ranks.get(roster.place(*file) as usize).map(|(rank, _)| *rank), *file));
        let mut own = vec![0u64; roster.above.len()];
        for (place, format) in &roster.files {
            if let Some(own) = own.get_mut(*place as usize) {
                *own |= 1 << *format as u32;
            }
        }
        // A place stands behind the one above it.
        let (mut down, mut up) = (own.clone(), own);
        for (place, above) in roster.above.iter().enumerate() {
            let seen = up.get(*above as usize).copied().unwrap_or_default();
            up.get_mut(place).into_iter().for_each(|formats| *formats |= seen);
        }
        for (place, above) in roster.above.iter().enumerate().rev() {
            let seen = down.get(place).copied().unwrap_or_default();
            down.get_mut(*above as usize).into_iter().for_each(|formats| *formats |= seen);
        }
        let formats = up.iter().zip(down).map(|(up, down)| up | down).collect();
        Around { roster, order, ranks, formats }
    }

    /// True where a place sees a file of one of these formats, or is seen by one. `everywhere`: any place.
    pub(super) fn has(&self, place: u32, everywhere: bool, formats: &[Format]) -> bool {
        let there = self.formats.get(if everywhere { 0 } else { place as usize }).copied().unwrap_or_default();
        formats.iter().any(|format| there & 1 << *format as u32 != 0)
    }

    /// The files that a place sees, and those that see it, in order. `everywhere`: all files.
    pub(super) fn seen(&self, place: u32, everywhere: bool) -> Vec<u32> {
        if everywhere || place == 0 {
            return (0..self.roster.len() as u32).collect();
        }
        let rank = |file: &u32| self.ranks.get(self.roster.place(*file) as usize).map_or(0, |(rank, _)| *rank);
        let of = |ranks: Range<u32>| {
            let (from, to) =
                (self.order.partition_point(|file| rank(file) < ranks.start), self.order.partition_point(|file| rank(file) < ranks.end));
            self.order.get(from..to).unwrap_or_default().iter().copied()
        };
        let own = self.roster.upwards(place).filter_map(|place| self.ranks.get(place as usize)).flat_map(|(rank, _)| of(*rank..rank + 1));
        let below = self.ranks.get(place as usize).into_iter().flat_map(|(_, below)| of(below.clone()));
        let mut found: Vec<u32> = own.chain(below).collect();
        found.sort_unstable();
        found
    }

    /// The addons that a path belongs to: those whose prefixes cover most of it.
    pub(super) fn addons(&self, name: &str) -> Vec<u32> {
        let (mut found, mut most) = (Vec::new(), 0);
        for (file, prefix) in self.roster.prefixes() {
            let covered = super::addon::covered(&prefix, name);
            if covered > most {
                most = covered;
                found.clear();
            }
            if covered > 0 && covered == most {
                found.push(file);
            }
        }
        found
    }

    pub(super) fn roster(&self) -> &'a Roster {
        self.roster
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{index::Item, roles};

    /// What is kept of places says what the places say.
    #[test]
    fn places_see_what_they_see_by_their_names() {
        let places = ["m1", "", "m2", "c1/m1", "c1", "c1/m1/x", "c1b", "c1-a", "m1", "c1/m2"];
        let mut roster = Roster::default();
        for (n, place) in places.iter().enumerate() {
            let item = Item { path: format!("{n}").into(), relative: format!("{n}.x") };
            let mut file = File::new(&item, if n % 2 == 0 { Format::Reader } else { Format::Pbo }, None, Default::default());
            file.place = (*place).to_owned();
            file.prefix = if n % 2 == 0 { String::new() } else { format!("x\\{place}") };
            roster.push(&mut file);
            assert_eq!(file.number, n as u32);
        }
        let around = Around::new(&roster);
        for (n, place) in (0u32..).zip(places) {
            assert_eq!((roster.path(n), roster.relative(n)), (format!("{n}").into(), format!("{n}.x")));
            let sees = |other: &str| roles::is_seen(other, place) || roles::is_seen(place, other);
            let expected: Vec<u32> = (0u32..).zip(places).filter(|(_, other)| sees(other)).map(|(n, _)| n).collect();
            assert_eq!(around.seen(roster.place(n), false), expected, "{place}");
            assert_eq!(around.seen(roster.place(n), true).len(), places.len());
            let even = expected.iter().any(|n| n % 2 == 0);
            assert_eq!((around.has(roster.place(n), false, &[Format::Reader]), around.has(0, true, &[Format::Anim])), (even, false));
            for (m, other) in (0u32..).zip(places) {
                let above = roster.upwards(roster.place(n)).any(|above| above == roster.place(m));
                assert_eq!(above, roles::is_seen(other, place), "{other} from {place}");
            }
        }
        assert_eq!((around.addons("X\\c1/m1\\a"), around.addons("x\\nobody")), (vec![3], vec![]));
    }
}
