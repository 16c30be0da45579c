//! Names as numbers: which names of a whole game may not fit, at eight bytes a name.
//!
//! Of a file that was read only its [`Digest`] is kept: a number for each thing that it defines, and for each name that is used and that the
//! file does not define itself. When all files were read, the numbers say which names are in [doubt](Numbers::doubt); these are read
//! again as names, and judged by [`super::lints`]. Two names with one number, of 2^58, could hide a finding and nothing else.

use super::{
    File, Name, addon, key,
    lints::{self, Around},
};
use crate::{
    format::Format,
    naming::{Does, NameKind},
    roles,
};
use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, RandomState},
};

/// Bits of a number that are made of the name; its kind stands above them.
const HASH: u32 = 58;
/// Set in each number of a use but the last one: a use has several when the name may mean several things.
const MORE: u64 = 1 << 63;
/// Stands in the place of the kind in the number of a path's beginning, which may be the prefix of an addon.
const PREFIX: u64 = 31;

/// What of a file matters across files.
#[derive(Debug)]
pub struct Digest {
    /// The file. Of its names there are the scripts that it defines, and no other.
    pub file: File,
    /// The numbers of what it defines, sorted.
    defines: Box<[u64]>,
    /// The numbers of what it uses and does not define: of each use what it is called and all that it may mean.
    uses: Box<[u64]>,
}

/// Makes the numbers of names, with a hash that is another one in each run.
#[derive(Debug, Default)]
pub struct Numbers(RandomState);

/// The names of a file that may not fit.
#[derive(Debug, Default)]
pub struct Doubt {
    /// Their numbers, sorted.
    numbers: Vec<u64>,
    /// Members of the file hide those of others.
    pub hides: bool,
}

impl Numbers {
    fn of_text(&self, kind: u64, text: &str) -> u64 {
        self.0.hash_one(text) & ((1 << HASH) - 1) | kind << HASH
    }

    fn of(&self, kind: NameKind, name: &str) -> u64 {
        // Effects are the only names whose case counts.
        if kind == NameKind::Effect { self.of_text(kind as u64, name) } else { self.of_text(kind as u64, &key(kind, name)) }
    }

    /// The numbers of a use: its own, those of what it may mean, and those of addons that it may belong to. All but the last go on.
    fn of_use(&self, file: &File, name: &Name, out: &mut Vec<u64>) {
        out.clear();
        out.push(self.of(name.kind, &name.name));
        out.extend(lints::kinds_of(file, name).into_iter().filter(|kind| *kind != name.kind).map(|kind| self.of(kind, &name.name)));
        if name.kind == NameKind::File {
            out.extend(addon::also(&name.name).iter().map(|other| self.of(NameKind::File, other)));
            let whole = key(NameKind::File, &name.name);
            let folders = whole.match_indices('\\').filter_map(|(at, _)| whole.get(..at));
            out.extend(folders.filter(|folder| !folder.is_empty()).map(|folder| self.of_text(PREFIX, folder)));
        }
        if let Some((_, before)) = out.split_last_mut() {
            before.iter_mut().for_each(|number| *number |= MORE);
        }
    }

    /// What of a file matters across files.
    pub fn digest(&self, mut file: File) -> Digest {
        let names = std::mem::take(&mut file.content.names);
        file.content.forget_values();
        let mut defines: Vec<u64> =
            names.iter().filter(|name| name.does == Does::Defines).map(|name| self.of(name.kind, &name.name)).collect();
        defines.sort_unstable();
        defines.dedup();
        let (mut uses, mut one, mut known) = (Vec::new(), Vec::new(), HashSet::new());
        for name in names.iter().filter(|name| name.does == Does::Uses && lints::may_miss(&file, name)) {
            self.of_use(&file, name, &mut one);
            // Sound lists name WAVE files, which are found in banks of sounds alone.
            let elsewhere = name.kind == NameKind::Sound && file.format == Format::Reader;
            let own = |number: &u64| !elsewhere && defines.binary_search(&(number & !MORE)).is_ok();
            if one.first().is_some_and(|first| known.insert(first & !MORE)) && !one.iter().any(own) {
                uses.extend_from_slice(&one);
            }
        }
        // A list collected from another one keeps the whole capacity of that one.
        let mut names: Vec<Name> = names.into_iter().filter(|name| lints::is_script(&file, name)).collect();
        names.shrink_to_fit();
        file.content.names = names;
        Digest { file, defines: defines.into(), uses: uses.into() }
    }

    /// Keeps of a file that was read again only the names that are in doubt.
    pub fn keep(&self, file: &mut File, doubt: &Doubt) {
        let mut one = Vec::new();
        let mut names = std::mem::take(&mut file.content.names);
        names.retain(|name| match name.does {
            Does::Defines => {
                lints::is_script(file, name)
                    || name.kind == NameKind::Member && doubt.numbers.binary_search(&self.of(name.kind, &name.name)).is_ok()
            }
            Does::Uses => {
                self.of_use(file, name, &mut one);
                one.first().is_some_and(|first| doubt.numbers.binary_search(&(first & !MORE)).is_ok())
            }
        });
        names.shrink_to_fit();
        file.content.names = names;
    }

    /// The names of each file that may not fit; `None` for a file of which none is in doubt.
    pub fn doubt(&self, all: &[Digest]) -> Vec<Option<Doubt>> {
        let mut out: Vec<Option<Doubt>> = all.iter().map(|_| None).collect();
        let mut tell = |file: usize, number: u64, hides: bool| {
            if let Some(doubt) = out.get_mut(file) {
                let doubt = doubt.get_or_insert_default();
                doubt.numbers.push(number);
                doubt.hides |= hides;
            }
        };
        self.hidden(all, &mut tell);
        // For each name that some file uses: the files that define it.
        let mut defined: HashMap<u64, Vec<u32>> = HashMap::new();
        all.iter().flat_map(|digest| &digest.uses).for_each(|number| _ = defined.entry(number & !MORE).or_default());
        for (at, digest) in (0u32..).zip(all) {
            for number in &digest.defines {
                if let Some(places) = defined.get_mut(number) {
                    places.push(at);
                }
            }
        }
        let prefixes: HashSet<u64> = all
            .iter()
            .filter(|digest| !digest.file.prefix.is_empty())
            .map(|digest| self.of_text(PREFIX, &key(NameKind::File, &digest.file.prefix)))
            .collect();
        let around = Around::new(all.iter().map(|digest| &digest.file));
        for (at, digest) in all.iter().enumerate() {
            let mut uses = digest.uses.iter();
            while let Some(first) = uses.next() {
                let mut numbers = vec![first & !MORE];
                let mut more = first & MORE != 0;
                while more && let Some(next) = uses.next() {
                    numbers.push(next & !MORE);
                    more = next & MORE != 0;
                }
                let Some(kind) = numbers.first().and_then(|first| NameKind::ALL.into_iter().find(|kind| *kind as u64 == first >> HASH))
                else {
                    continue;
                };
                let fits = |place: &u32| {
                    all.get(*place as usize).is_some_and(|other| {
                        let seen = lints::is_everywhere(&digest.file, kind)
                            || roles::is_seen(&other.file.place, &digest.file.place)
                            || roles::is_seen(&digest.file.place, &other.file.place);
                        seen && (kind != NameKind::Sound || digest.file.format != Format::Reader || other.file.format == Format::Sounds)
                    })
                };
                let is_meant = numbers.iter().filter_map(|number| defined.get(number)).flatten().any(fits);
                let looked = match kind {
                    NameKind::File => numbers.iter().any(|number| prefixes.contains(number)),
                    _ => around.is_looked_for(&digest.file, kind),
                };
                if let (false, true, Some(first)) = (is_meant, looked, numbers.first()) {
                    tell(at, *first, false);
                }
            }
        }
        out.iter_mut().flatten().for_each(|doubt| doubt.numbers.sort_unstable());
        out
    }

    /// Members of reader archives that a wider archive hides, and those that hide them.
    fn hidden(&self, all: &[Digest], tell: &mut dyn FnMut(usize, u64, bool)) {
        let readers = all.iter().enumerate().filter(|(_, digest)| digest.file.format == Format::Reader);
        let mut members: Vec<(u64, usize)> = readers
            .flat_map(|(at, digest)| digest.defines.iter().map(move |number| (*number, at)))
            .filter(|(number, _)| number >> HASH == NameKind::Member as u64)
            .collect();
        members.sort_unstable();
        let place = |at: usize| all.get(at).map_or("", |digest| digest.file.place.as_str());
        for group in members.chunk_by(|a, b| a.0 == b.0) {
            // Most names are in one archive of each mission, which do not see each other. Only archives of which one sees the other are of
            // interest.
            let mut places: Vec<&str> = group.iter().map(|(_, at)| place(*at)).collect();
            places.sort_unstable();
            places.dedup();
            let hides = |place: &&str| places.iter().any(|other| other != place && roles::is_seen(place, other));
            let wide: Vec<&str> = places.iter().copied().filter(|place| hides(place)).collect();
            if wide.is_empty() {
                continue;
            }
            let met = |at: usize| wide.iter().any(|wide| roles::is_seen(wide, place(at)));
            group.iter().filter(|(_, at)| met(*at)).for_each(|(number, at)| tell(*at, *number, wide.contains(&place(*at))));
        }
    }
}

impl File {
    /// Keeps only names whose [coarse] form others have as well, and the scripts that are defined.
    pub fn keep_met(&mut self, met: &HashSet<String>) {
        let mut names = std::mem::take(&mut self.content.names);
        names.retain(|name| lints::is_script(self, name) || met.contains(&coarse(&name.name)));
        names.shrink_to_fit();
        self.content.names = names;
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
        let told = |index: &Index, found: &[lints::Misfit]| -> Vec<String> {
            found.iter().map(|m| format!("{} {:?} {} {}", index.files[m.file].relative, m.finding, m.other, m.reaction)).collect()
        };
        let numbers = Numbers::default();
        for left_out in 0..=files().len() {
            let all = || files().into_iter().enumerate().filter(|(i, _)| *i != left_out).map(|(_, file)| file);
            let whole = Index::new(all().collect());
            let expected = told(&whole, &whole.misfits());
            let mut digests: Vec<Digest> = all().map(|file| numbers.digest(file)).collect();
            digests.sort_by(|a, b| a.file.relative.cmp(&b.file.relative));
            let doubt = numbers.doubt(&digests);
            let mut kept = 0;
            let mut again = |at: usize| {
                let mut file = all().find(|file| file.relative == digests[at].file.relative).unwrap();
                numbers.keep(&mut file, doubt[at].as_ref()?);
                kept += file.content.names.len();
                Some(file)
            };
            let read: Vec<Option<super::File>> = (0..digests.len()).map(&mut again).collect();
            // What hides others stands in the index; the others are judged one by one.
            let of = |at: usize, read: &Option<super::File>| match (read, &doubt[at]) {
                (Some(file), Some(doubt)) if doubt.hides => file.clone(),
                _ => digests[at].file.clone(),
            };
            let index = Index::new(read.iter().enumerate().map(|(at, read)| of(at, read)).collect());
            let judge = index.judge();
            let found: Vec<_> =
                read.iter().enumerate().flat_map(|(at, file)| judge.of_file(at, file.as_ref().unwrap_or(&index.files[at]))).collect();
            let of_all = Index { files: index.files.clone(), ..Index::default() };
            assert_eq!(told(&of_all, &found), expected, "without file {left_out}");
            assert!(kept < 22, "{kept}");
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
