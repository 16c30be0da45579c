//! Names as numbers: which names of a whole game may not fit, whatever the number of its names.
//!
//! Of a file that was read its [`Digest`] goes on: a number of 128 bits for each thing that it defines, and for each name that is used and
//! that the file does not define itself. These numbers are put in order on disk ([`Sorter`]), where who uses one meets who defines it; no
//! more than a million bytes of them are in memory at a time. What nobody defines is in [doubt](Doubts): these names are read again as
//! names, and judged by [`super::lints`].
//!
//! Two names with one number could hide a finding and nothing else. The numbers are made with keys that are drawn anew for each run, so that
//! nobody can write such names on purpose, and by chance two of ten million names have one number in one of 10^24 runs
//! (10^14 / 2 pairs, of which each meets with a chance of 2^-128).

use super::{
    File, Name, Roster, addon, key,
    lints::{self, Judge},
};
use crate::{
    format::Format,
    many::{Sorted, Sorter},
    naming::{Does, NameKind},
    wire::Result,
};
use std::{
    collections::HashSet,
    hash::{BuildHasher, RandomState},
    iter::Peekable,
};

/// A name and its kind.
type Number = u128;

/// Stands in the place of the kind in the number of a path's beginning, which may be the prefix of an addon.
const PREFIX: u8 = 31;

/// A name that is used, as a number, and what it may mean else.
#[derive(Debug)]
struct Use {
    kind: NameKind,
    /// The first is its own. `true` for that of an addon that it may belong to.
    numbers: Vec<(Number, bool)>,
}

/// What of a file matters across files.
#[derive(Debug)]
pub struct Digest {
    /// The file, without its names.
    file: File,
    /// Of each thing that it defines: the number, and its kind.
    defines: Vec<(Number, u8)>,
    /// What it uses and does not define.
    uses: Vec<Use>,
    /// It is to be judged whatever its names say.
    is_wanted: bool,
}

/// Makes the numbers of names, with a hash that is another one in each run.
#[derive(Debug, Default)]
pub struct Numbers(RandomState, RandomState);

/// The names of a file that may not fit.
#[derive(Debug, Default)]
pub struct Doubt {
    /// Their numbers, sorted.
    numbers: Vec<Number>,
}

impl Numbers {
    fn of_text(&self, kind: u8, text: &str) -> Number {
        Number::from(self.0.hash_one((kind, text))) << 64 | Number::from(self.1.hash_one((kind, text)))
    }

    fn of(&self, kind: NameKind, name: &str) -> Number {
        // Effects are the only names whose case counts.
        if kind == NameKind::Effect { self.of_text(kind as u8, name) } else { self.of_text(kind as u8, &key(kind, name)) }
    }

    /// The numbers of a use: its own, those of what it may mean, and those of addons that it may belong to.
    fn of_use(&self, file: &File, name: &Name) -> Use {
        let mut numbers = vec![(self.of(name.kind, &name.name), false)];
        let others = lints::kinds_of(file, name).into_iter().filter(|kind| *kind != name.kind);
        numbers.extend(others.map(|kind| (self.of(kind, &name.name), false)));
        if name.kind == NameKind::File {
            numbers.extend(addon::also(&name.name).iter().map(|other| (self.of(NameKind::File, other), false)));
            let whole = key(NameKind::File, &name.name);
            let folders = whole.match_indices('\\').filter_map(|(at, _)| whole.get(..at));
            numbers.extend(folders.filter(|folder| !folder.is_empty()).map(|folder| (self.of_text(PREFIX, folder), true)));
        }
        Use { kind: name.kind, numbers }
    }

    /// What of a file matters across files. `is_wanted`: it is to be judged whatever its names say.
    pub fn digest(&self, mut file: File, is_wanted: bool) -> Digest {
        let names = &file.content.names;
        let number = |name: &Name| (self.of(name.kind, &name.name), name.kind as u8);
        let mut defines: Vec<(Number, u8)> = names.iter().filter(|name| name.does == Does::Defines).map(number).collect();
        defines.sort_unstable();
        defines.dedup();
        let (mut uses, mut known) = (Vec::new(), HashSet::new());
        for name in names.iter().filter(|name| name.does == Does::Uses && lints::may_miss(&file, name)) {
            let one = self.of_use(&file, name);
            // Sound lists name WAVE files, which are found in banks of sounds alone.
            let elsewhere = name.kind == NameKind::Sound && file.format == Format::Reader;
            let own = |(number, _): &(Number, bool)| !elsewhere && defines.binary_search_by_key(number, |(number, _)| *number).is_ok();
            if one.numbers.first().is_some_and(|(first, _)| known.insert(*first)) && !one.numbers.iter().any(own) {
                uses.push(one);
            }
        }
        if !file.prefix.is_empty() {
            defines.push((self.of_text(PREFIX, &key(NameKind::File, &file.prefix)), PREFIX));
        }
        file.keep_names(|_, _| false);
        Digest { file, defines, uses, is_wanted }
    }

    /// Keeps of a file that was read again only the names that are in doubt, and the scripts that it defines.
    pub fn keep(&self, file: &mut File, doubt: &Doubt) {
        let is_in_doubt = |number: &Number| doubt.numbers.binary_search(number).is_ok();
        file.keep_names(|file, name| match name.does {
            Does::Defines => lints::is_script(file, name) || name.kind == NameKind::Member && is_in_doubt(&self.of(name.kind, &name.name)),
            Does::Uses => is_in_doubt(&self.of(name.kind, &name.name)),
        });
    }
}

/// A record of a name: its number, whether it is used (1) or defined (0), its file, what it is, and the use. Numbers stand with their highest
/// byte first.
const NAME: usize = 16 + 1 + 4 + 1 + 4;
/// A record of what became of a name: its file, the use, what it is, what became of it, and the number.
const FATE: usize = 4 + 4 + 1 + 1 + 16;

/// What stands beside the kind of a use: the number is its own, or that of an addon that it may belong to.
const OWN: u8 = 0x80;
const OF_ADDON: u8 = 0x40;
/// The bits of the kind.
const KIND: u8 = 0x1f;

/// What becomes of a name.
const UNKNOWN: u8 = 0;
const MEANT: u8 = 1;
const LOOKED_FOR: u8 = 2;
const HIDDEN: u8 = 3;
/// In place of a use: what is no use comes first.
const NO_USE: u32 = 0;

fn record<const N: usize>(parts: &[&[u8]]) -> [u8; N] {
    let mut out = [0; N];
    out.iter_mut().zip(parts.iter().copied().flatten()).for_each(|(to, from)| *to = *from);
    out
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).copied().map_or(0, u32::from_be_bytes)
}

fn number(bytes: &[u8], at: usize) -> Number {
    bytes.get(at..).and_then(<[u8]>::first_chunk).copied().map_or(0, Number::from_be_bytes)
}

fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or_default()
}

fn kind_of(byte: u8) -> Option<NameKind> {
    NameKind::ALL.into_iter().find(|kind| *kind as u8 == byte & KIND)
}

/// The digests of the files of a game.
#[derive(Default)]
pub struct Digests {
    roster: Roster,
    names: Sorter<NAME>,
    fates: Sorter<FATE>,
}

/// Some of the files, and which of their names may not fit.
#[derive(Default)]
pub struct Doubts {
    /// The files, and where their numbers begin.
    files: Vec<(u32, u32)>,
    numbers: Vec<Number>,
}

impl Doubts {
    fn push(&mut self, file: u32, number: Option<Number>) {
        if self.files.last().is_none_or(|(last, _)| *last != file) {
            self.files.push((file, self.numbers.len() as u32));
        }
        self.numbers.extend(number);
    }

    fn last(&self) -> Option<u32> {
        self.files.last().map(|(file, _)| *file)
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// A file by its number in the roster, and what of it is in doubt.
    pub fn get(&self, at: usize) -> Option<(u32, Doubt)> {
        let (file, from) = self.files.get(at)?;
        let to = self.files.get(at + 1).map_or(self.numbers.len(), |(_, to)| *to as usize);
        let mut numbers = self.numbers.get(*from as usize..to)?.to_vec();
        numbers.sort_unstable();
        Some((*file, Doubt { numbers }))
    }
}

/// What was found out of all files of a game.
pub struct Found {
    /// All files.
    pub roster: Roster,
    /// The readers whose members hide those of others.
    pub hiding: Doubts,
    /// What became of the names of each file.
    pub fates: Fates,
}

/// What became of the names of each file, in the order of the files.
pub struct Fates(Peekable<Sorted<FATE>>);

/// Those who define a name.
#[derive(Default)]
struct Group {
    defined: Vec<(u32, u8)>,
    /// The places of those who define it, and the places above these, sorted: once somebody asks for them.
    places: Option<[Places; 2]>,
}

/// Places of files, and those above them.
struct Places {
    own: Vec<u32>,
    above: Vec<u32>,
}

impl Places {
    fn of(roster: &Roster, files: impl Iterator<Item = u32>) -> Self {
        let sorted = |mut list: Vec<u32>| {
            list.sort_unstable();
            list.dedup();
            list
        };
        let own = sorted(files.map(|file| roster.place(file)).collect());
        let above = sorted(own.iter().flat_map(|place| roster.upwards(*place)).collect());
        Places { own, above }
    }

    /// True where a place sees one of these, or is seen from one.
    fn meet(&self, roster: &Roster, place: u32) -> bool {
        self.above.binary_search(&place).is_ok() || roster.upwards(place).any(|place| self.own.binary_search(&place).is_ok())
    }
}

impl Group {
    /// True where one of them is what a name of a file means.
    fn is_meant(&mut self, roster: &Roster, user: u32, kind: NameKind) -> bool {
        let format = roster.format(user);
        // A sample is no file.
        let banks = kind == NameKind::Sound && format == Some(Format::Reader);
        let is_bank = |file: u32| roster.format(file) == Some(Format::Sounds);
        let defined = &self.defined;
        let [all, of_banks] = self.places.get_or_insert_with(|| {
            let files = || defined.iter().map(|(file, _)| *file);
            [Places::of(roster, files()), Places::of(roster, files().filter(|file| is_bank(*file)))]
        });
        let places = if banks { of_banks } else { all };
        let everywhere = format.is_some_and(|format| lints::is_everywhere(format, kind));
        if everywhere { !places.own.is_empty() } else { places.meet(roster, roster.place(user)) }
    }

    /// The members of reader archives among them that those of wider archives hide, and those that hide them (`true`).
    fn hidden(&self, roster: &Roster) -> Vec<(u32, bool)> {
        let is_reader = |file: u32| roster.format(file) == Some(Format::Reader);
        let readers =
            || self.defined.iter().filter(|(file, kind)| *kind == NameKind::Member as u8 && is_reader(*file)).map(|(file, _)| *file);
        if readers().nth(1).is_none() {
            return Vec::new();
        }
        let Places { own, .. } = Places::of(roster, readers());
        let hiding = |place: &u32| roster.upwards(*place).skip(1).filter(|above| own.binary_search(above).is_ok()).collect::<Vec<_>>();
        let mut wide: Vec<u32> = own.iter().flat_map(hiding).collect();
        wide.sort_unstable();
        wide.dedup();
        let is_wide = |place: u32| wide.binary_search(&place).is_ok();
        let met = readers().filter(|file| roster.upwards(roster.place(*file)).any(is_wide));
        met.map(|file| (file, is_wide(roster.place(file)))).collect()
    }
}

impl Digests {
    /// One more file.
    pub fn push(&mut self, digest: Digest) -> Result<()> {
        let Digest { mut file, defines, uses, is_wanted } = digest;
        self.roster.push(&mut file);
        let file = file.number.to_be_bytes();
        for (number, kind) in defines {
            self.names.push(record(&[&number.to_be_bytes(), &[0], &file, &[kind]]))?;
        }
        for (n, Use { kind, numbers }) in (NO_USE + 1..).zip(uses) {
            let n = n.to_be_bytes();
            for (i, (number, of_addon)) in numbers.into_iter().enumerate() {
                let what = kind as u8 | if i == 0 { OWN } else { 0 } | if of_addon { OF_ADDON } else { 0 };
                self.names.push(record(&[&number.to_be_bytes(), &[1], &file, &[what], &n]))?;
            }
        }
        if is_wanted {
            self.fates.push(record(&[&file, &NO_USE.to_be_bytes(), &[0], &[UNKNOWN]]))?;
        }
        Ok(())
    }

    /// What is in doubt, now that all files are there.
    pub fn found(self) -> Result<Found> {
        let Digests { roster, names, mut fates } = self;
        let (mut group, mut of, mut hiding) = (Group::default(), None, Vec::<(u32, Number)>::new());
        let mut hidden = |group: &Group, of: Option<Number>, fates: &mut Sorter<FATE>| -> Result<()> {
            let Some(of) = of else { return Ok(()) };
            for (file, hides) in group.hidden(&roster) {
                fates.push(record(&[&file.to_be_bytes(), &NO_USE.to_be_bytes(), &[0], &[HIDDEN], &of.to_be_bytes()]))?;
                if hides {
                    hiding.push((file, of));
                }
            }
            Ok(())
        };
        for one in names.end()? {
            let one = one?;
            let (own, is_use, file, what) = (number(&one, 0), byte(&one, 16) != 0, word(&one, 17), byte(&one, 21));
            if of != Some(own) {
                hidden(&group, of, &mut fates)?;
                (group, of) = (Group::default(), Some(own));
            }
            if !is_use {
                group.defined.push((file, what));
                continue;
            }
            let is_defined = !group.defined.is_empty();
            let fate = match what & OF_ADDON != 0 {
                true if is_defined => LOOKED_FOR,
                false if is_defined && kind_of(what).is_some_and(|kind| group.is_meant(&roster, file, kind)) => MEANT,
                _ => UNKNOWN,
            };
            if fate != UNKNOWN || what & OWN != 0 {
                let (file, n) = (file.to_be_bytes(), word(&one, 22).to_be_bytes());
                fates.push(record(&[&file, &n, &[what], &[fate], &own.to_be_bytes()]))?;
            }
        }
        hidden(&group, of, &mut fates)?;
        hiding.sort_unstable();
        let mut found = Found { roster, hiding: Doubts::default(), fates: Fates(fates.end()?.peekable()) };
        hiding.into_iter().for_each(|(file, number)| found.hiding.push(file, Some(number)));
        Ok(found)
    }
}

impl Fates {
    /// The next files that are to be judged: about so many, and none when there is no further one.
    pub fn doubts(&mut self, judge: &Judge<'_>, most: usize) -> Result<Doubts> {
        let (around, roster) = (judge.around(), judge.around().roster());
        let (mut found, fates) = (Doubts::default(), &mut self.0);
        let in_file = |file: Option<u32>| {
            move |next: &Result<[u8; FATE]>| next.as_ref().is_err() || next.as_ref().ok().map(|one| word(one, 0)) == file
        };
        while let Some(first) = match found.len() < most {
            true => fates.next(),
            // All that is in doubt in one file goes together.
            false => fates.next_if(in_file(found.last())),
        } {
            let first = first?;
            let (file, n) = (word(&first, 0), word(&first, 4));
            let (mut own, mut is_meant, mut is_looked_for) = (None, false, false);
            let mut next = Some(first);
            while let Some(one) = next {
                let (what, fate) = (byte(&one, 8), byte(&one, 9));
                if n == NO_USE {
                    found.push(file, (fate == HIDDEN).then(|| number(&one, 10)));
                } else if what & OWN != 0 {
                    own = kind_of(what).map(|kind| (kind, number(&one, 10)));
                }
                is_meant |= fate == MEANT;
                is_looked_for |= fate == LOOKED_FOR;
                next =
                    fates.next_if(|other| other.as_ref().is_ok_and(|other| other.first_chunk::<8>() == one.first_chunk())).transpose()?;
            }
            if let (Some((kind, number)), false) = (own, is_meant) {
                is_looked_for |= kind != NameKind::File
                    && roster.format(file).is_some_and(|format| lints::is_looked_for(around, roster.place(file), format, kind));
                if is_looked_for {
                    found.push(file, Some(number));
                }
            }
        }
        Ok(found)
    }
}

impl File {
    /// Keeps only names whose [coarse] form others have as well, and the scripts that are defined.
    pub fn keep_met(&mut self, met: &HashSet<String>) {
        self.keep_names(|file, name| lints::is_script(file, name) || met.contains(&coarse(&name.name)));
    }
}

/// What names that a game may take for each other have in common: no case, and no ending that pictures, sounds, models or what is
/// made of a configuration have.
pub fn coarse(name: &str) -> String {
    const ENDS: [&str; 13] = [".tif", ".tga", ".bmp", ".pcx", ".jpg", ".wav", ".flt", ".paa", ".pac", ".png", ".cpp", ".bin", ".jpeg"];
    let mut lower = name.to_ascii_lowercase().replace('/', "\\");
    while let Some(end) = ENDS.iter().find(|end| lower.ends_with(**end)) {
        lower.truncate(lower.len() - end.len());
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        game::Game,
        index::{Content, Index, Item},
    };

    fn file(path: &str, format: Format, names: &[(NameKind, Does, &str)]) -> File {
        let name = |(i, (kind, does, name)): (usize, &(NameKind, Does, &str))| Name {
            kind: *kind,
            does: *does,
            name: (*name).to_owned(),
            document: "d.json".into(),
            at: format!("x[{i}]"),
        };
        let content = Content { names: names.iter().enumerate().map(name).collect(), ..Content::default() };
        File::new(&Item { path: path.into(), relative: path.into() }, format, Some(Game::Rc), content)
    }

    /// The numbers and the names themselves say the same, whatever fits and does not fit.
    #[test]
    fn what_is_in_doubt_is_what_does_not_fit() {
        use Does::{Defines as D, Uses as U};
        use Format::*;
        use NameKind::{Effect, Light, Material, Member, Message, Node, Prerequisite, Script, Sound, Texture};
        let files = || {
            vec![
                file("zbd/zrdr.zbd", Reader, &[(Member, D, "A.zrd"), (Effect, D, "Dust"), (Sound, D, "creak"), (Sound, U, "creak.wav")]),
                file(
                    "zbd/m1/zrdr.zbd",
                    Reader,
                    &[(Member, D, "a.zrd"), (Member, D, "b.zrd"), (NameKind::Animation, U, "open"), (Message, U, "MSG_X")],
                ),
                file(
                    "zbd/m2/zrdr.zbd",
                    Reader,
                    &[(Member, D, "b.zrd"), (NameKind::Animation, U, "open"), (NameKind::Animation, U, "OPEN")],
                ),
                file(
                    "zbd/m1/anim.zbd",
                    Anim,
                    &[
                        (NameKind::Animation, D, "open"),
                        (NameKind::Animation, U, "OPEN"),
                        (Node, U, "door.flt"),
                        (Node, U, "gone"),
                        (Node, U, "GONE"),
                        (Node, U, "glow"),
                        (Light, D, "Glow"),
                        (Node, U, "INPUT_NODE"),
                        (Effect, U, "dust"),
                        (Effect, U, "Dust"),
                        (Sound, U, "CREAK"),
                        (Sound, U, "hum"),
                        (Prerequisite, U, "door"),
                        (Prerequisite, U, "never"),
                    ],
                ),
                file(
                    "zbd/m1/gamez.zbd",
                    Gamez,
                    &[(Node, D, "Door"), (Texture, U, "bark.tif"), (Texture, U, "moss.tif"), (Material, D, "bark.tif")],
                ),
                file("zbd/m2/gamez.zbd", Gamez, &[(Node, D, "gone"), (Texture, U, "bark.tif")]),
                file("zbd/m1/rtexture4.zbd", Textures, &[(Texture, D, "bark")]),
                file("zbd/soundsh.zbd", Sounds, &[(Sound, D, "creak.wav")]),
                file(
                    "zbd/interp.zbd",
                    Interp,
                    &[(Script, D, r"support\a.gw"), (Script, U, r"support\b.gw"), (Node, U, "gone"), (Node, U, "no")],
                ),
            ]
        };
        let told = |roster: &Roster, found: &[lints::Misfit]| -> Vec<String> {
            found.iter().map(|m| format!("{} {:?} {} {}", roster.relative(m.file), m.finding, m.other, m.reaction)).collect()
        };
        let numbers = Numbers::default();
        for left_out in 0..=files().len() {
            let all = || files().into_iter().enumerate().filter(|(i, _)| *i != left_out).map(|(_, file)| file);
            let mut roster = Roster::default();
            let mut of_roster: Vec<File> = all().collect();
            of_roster.sort_by(|a, b| a.relative.cmp(&b.relative));
            of_roster.iter_mut().for_each(|file| roster.push(file));
            let whole = Index::new(of_roster.clone());
            let expected = told(&roster, &whole.misfits(&roster));
            let mut digests = Digests::default();
            of_roster.iter().for_each(|file| digests.push(numbers.digest(file.clone(), false)).unwrap());
            let mut found = digests.found().unwrap();
            let mut kept = 0;
            let mut read = |doubts: &Doubts| -> Vec<File> {
                let one = |at: usize| {
                    let (number, doubt) = doubts.get(at).unwrap();
                    let mut file = of_roster[number as usize].clone();
                    numbers.keep(&mut file, &doubt);
                    kept += file.content.names.len();
                    file
                };
                (0..doubts.len()).map(one).collect()
            };
            // What hides others stands in the index; the others are judged one by one, here two at a time.
            let index = Index::new(read(&found.hiding));
            let judge = index.judge(&found.roster);
            let mut misfits = Vec::new();
            loop {
                let doubts = found.fates.doubts(&judge, 2).unwrap();
                assert!(doubts.len() <= 2);
                if doubts.is_empty() {
                    break;
                }
                misfits.extend(read(&doubts).iter().flat_map(|file| judge.of_file(file)));
            }
            assert_eq!(told(&roster, &misfits), expected, "without file {left_out}");
            assert!(kept < 22 && (left_out < files().len() || expected.len() > 5), "{kept}: {expected:?}");
        }
    }

    #[test]
    fn names_that_may_be_taken_for_each_other_have_a_coarse_name() {
        for name in ["Bark.TIF", "bark", "bark.wav", "bark.flt", "BARK.tga.flt"] {
            assert_eq!(coarse(name), "bark");
        }
        assert_eq!(coarse("x/A.paa"), coarse("x\\a.pac"));
        assert_ne!(coarse("x\\a.sqf"), coarse("x\\a.paa"));
    }
}
