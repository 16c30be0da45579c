//! The names in models, skeleton animations and terrains: textures, materials, proxies, named
//! selections, bones, objects (pbo/FORMAT.md). The files themselves stay bytes.

use refit_base::{
    naming::{Does, NameKind, NameUse},
    wire::{Plain, decode_1252, value_at},
};
use std::collections::HashSet;

/// What a name in a model is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ModelNameKind {
    /// A texture, by its path in the game.
    Texture,
    /// A material, by its path in the game.
    Material,
    /// Another model at a place of this one, by its path in the game or its class.
    Proxy,
    /// A named part of a model.
    Selection,
    /// A bone of a skeleton.
    Bone,
    /// A model on a terrain, by its path in the game.
    Object,
}

impl ModelNameKind {
    /// The word for one.
    pub fn name(self) -> &'static str {
        match self {
            ModelNameKind::Texture => "texture",
            ModelNameKind::Material => "material",
            ModelNameKind::Proxy => "proxy",
            ModelNameKind::Selection => "selection",
            ModelNameKind::Bone => "bone",
            ModelNameKind::Object => "object",
        }
    }
}

/// A name in a model.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ModelName {
    /// What it is.
    pub kind: ModelNameKind,
    /// The name. A path does not begin with `\`, and a proxy with a path ends in `.p3d`.
    pub name: String,
}

impl ModelName {
    /// The name for an index over files.
    pub fn as_use(&self) -> NameUse {
        let (kind, does) = match self.kind {
            ModelNameKind::Selection | ModelNameKind::Bone => (NameKind::Selection, Does::Defines),
            // Old proxies name a class.
            ModelNameKind::Proxy if !self.name.contains('\\') => (NameKind::Class, Does::Uses),
            _ => (NameKind::File, Does::Uses),
        };
        NameUse {
            kind,
            does,
            name: self.name.clone(),
            at: self.kind.name().to_owned(),
        }
    }
}

/// The names in a file, each once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ModelNames {
    /// The names, in the order of their first place.
    pub names: Vec<ModelName>,
    /// Why the names were not read, or not all of them.
    pub unread: Option<String>,
}

/// Most names of one file. Further ones are not read.
const MOST: usize = 100_000;
/// Longest name that is taken from a file, in bytes.
const LONGEST: usize = 512;

/// The names in a model (P3D), a skeleton animation (RTM) or a terrain (WRP). `None` for another
/// file.
pub fn model_names(file: &[u8]) -> Option<ModelNames> {
    let mut it = Names {
        file,
        at: 4,
        found: ModelNames::default(),
        known: HashSet::new(),
    };
    let done = match file.first_chunk()? {
        b"MLOD" => it.mlod(),
        b"ODOL" => it.odol(),
        b"RTM_" if file.starts_with(b"RTM_0101") => it.rtm(),
        b"RTM_" if file.starts_with(b"RTM_MDAT") => it.unknown("an RTM with properties"),
        b"BMTR" => it.bmtr(),
        b"1WVR" => it.grid(256),
        b"4WVR" => it.grid(512),
        b"8WVR" | b"OPRW" => it.unknown("a terrain of this kind"),
        _ => return None,
    };
    let mut found = it.found;
    if done.is_none() && found.unread.is_none() {
        found.unread = Some("the file ends too early, names not read".to_owned());
    }
    // What was read of a damaged file may be anything.
    if done.is_none() {
        found.names.clear();
    }
    Some(found)
}

struct Names<'a> {
    file: &'a [u8],
    at: usize,
    found: ModelNames,
    known: HashSet<(ModelNameKind, String)>,
}

impl<'a> Names<'a> {
    fn next<T: Plain>(&mut self) -> Option<T> {
        let value = value_at(self.file, self.at)?;
        self.at = self.at.checked_add(T::SIZE)?;
        Some(value)
    }

    fn word(&mut self) -> Option<u32> {
        self.next()
    }

    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let bytes = self.file.get(self.at..end)?;
        self.at = end;
        Some(bytes)
    }

    /// Passes over some records.
    fn skip(&mut self, count: u32, each: usize) -> Option<()> {
        let bytes = usize::try_from(count).ok()?.checked_mul(each)?;
        self.bytes(bytes).map(|_| ())
    }

    /// A text with a zero behind it.
    fn text(&mut self) -> Option<&'a [u8]> {
        let rest = self.file.get(self.at..)?;
        let end = memchr::memchr(0, rest)?;
        self.at = self.at.checked_add(end)?.checked_add(1)?;
        rest.get(..end)
    }

    /// A text in a field of this length, up to its zero.
    fn field(&mut self, length: usize) -> Option<&'a [u8]> {
        let bytes = self.bytes(length)?;
        bytes.get(..memchr::memchr(0, bytes).unwrap_or(length))
    }

    fn unknown(&mut self, what: &str) -> Option<()> {
        self.found.unread = Some(format!("{what}, names not read"));
        None
    }

    fn add(&mut self, kind: ModelNameKind, name: &[u8]) {
        if name.is_empty() || name.len() > LONGEST {
            return;
        }
        let text = decode_1252(name);
        let path = text.trim_start_matches('\\');
        if self.found.names.len() >= MOST {
            self.found.unread = Some(format!("only the first {MOST} names were read"));
            return;
        }
        // Colours are textures that the game makes up.
        if path.is_empty() || path.starts_with('#') {
            return;
        }
        if self.known.insert((kind, path.to_ascii_lowercase())) {
            self.found.names.push(ModelName {
                kind,
                name: path.to_owned(),
            });
        }
    }

    fn mlod(&mut self) -> Option<()> {
        let (version, levels) = (self.word()?, self.word()?);
        if version != 257 {
            return self.unknown(&format!("unknown version {version} of MLOD"));
        }
        for _ in 0..levels {
            self.level()?;
        }
        Some(())
    }

    /// A level of an editable model.
    fn level(&mut self) -> Option<()> {
        let start = self.at;
        let magic: [u8; 4] = self.bytes(4)?.try_into().ok()?;
        let is_old = match &magic {
            b"P3DM" => false,
            b"SP3X" => true,
            _ => return self.unknown("a level of an unknown kind"),
        };
        let (head, _) = (self.word()?, self.word()?);
        let [points, normals, faces] = [self.word()?, self.word()?, self.word()?];
        self.at = start.checked_add(usize::try_from(head).ok()?)?;
        self.skip(points, 16)?;
        self.skip(normals, 12)?;
        for _ in 0..faces {
            if is_old {
                let texture = self.field(32)?;
                // The faces of a proxy have its name.
                match texture.get(..6) {
                    Some(b"proxy:") => self.selection(texture),
                    _ => self.add(ModelNameKind::Texture, texture),
                }
                self.skip(1, 72)?;
            } else {
                self.skip(1, 72)?;
                let (texture, material) = (self.text()?, self.text()?);
                self.add(ModelNameKind::Texture, texture);
                self.add(ModelNameKind::Material, material);
            }
        }
        if self.bytes(4)? != b"TAGG" {
            return self.unknown("a level without its list of selections");
        }
        loop {
            let name = if is_old {
                self.field(64)?
            } else {
                self.skip(1, 1)?;
                self.text()?
            };
            let size = self.word()?;
            self.skip(size, 1)?;
            match name {
                b"#EndOfFile#" => break,
                [b'#', ..] => {}
                name => self.selection(name),
            }
        }
        // The value of the level.
        self.skip(1, 4)
    }

    /// `proxy:\lab\data\door.001` places the model `lab\data\door.p3d`.
    fn selection(&mut self, name: &[u8]) {
        let head = name.get(..6).unwrap_or_default();
        if !head.eq_ignore_ascii_case(b"proxy:") {
            return self.add(ModelNameKind::Selection, name);
        }
        let path = name.get(6..).unwrap_or_default();
        let end = path.iter().rposition(|b| *b == b'.');
        let is_number = |b: &[u8]| !b.is_empty() && b.iter().all(u8::is_ascii_digit);
        let path = match end.and_then(|end| path.split_at_checked(end)) {
            Some((path, number)) if number.get(1..).is_some_and(is_number) => path,
            _ => path,
        };
        if path.contains(&b'\\') && !path.to_ascii_lowercase().ends_with(b".p3d") {
            self.add(ModelNameKind::Proxy, &[path, b".p3d"].concat());
        } else {
            self.add(ModelNameKind::Proxy, path);
        }
    }

    /// A binarised model: its texts stand between other data, whose layout depends on the version.
    /// Only paths of textures and materials are certain.
    fn odol(&mut self) -> Option<()> {
        let version = self.word()?;
        if !matches!(version, 7 | 28..=75) {
            return self.unknown(&format!("unknown version {version} of ODOL"));
        }
        const ENDS: [(&[u8], ModelNameKind); 5] = [
            (b".paa", ModelNameKind::Texture),
            (b".pac", ModelNameKind::Texture),
            (b".tga", ModelNameKind::Texture),
            (b".jpg", ModelNameKind::Texture),
            (b".rvmat", ModelNameKind::Material),
        ];
        let is_letter = |b: &u8| b.is_ascii_alphanumeric() || b" \\_-.()+!&'".contains(b);
        let mut start = self.at;
        for end in memchr::memchr_iter(0, self.file) {
            let text = self.file.get(start..end).unwrap_or_default();
            start = end.saturating_add(1);
            if !(8..=260).contains(&text.len()) || !text.contains(&b'\\') {
                continue;
            }
            let lower = text.to_ascii_lowercase();
            let kind = ENDS.iter().find(|(end, _)| lower.ends_with(end));
            if let Some((_, kind)) = kind.filter(|_| text.iter().all(is_letter)) {
                self.add(*kind, text);
            }
        }
        self.found.unread =
            Some("binarised: proxies and named selections were not read".to_owned());
        Some(())
    }

    fn rtm(&mut self) -> Option<()> {
        self.at = 8 + 12;
        let (_, bones) = (self.word()?, self.word()?);
        for _ in 0..bones {
            let name = self.field(32)?;
            self.add(ModelNameKind::Bone, name);
        }
        Some(())
    }

    fn bmtr(&mut self) -> Option<()> {
        let version = self.word()?;
        if !matches!(version, 3..=5) {
            return self.unknown(&format!("unknown version {version} of BMTR"));
        }
        self.skip(1, 1 + 12)?;
        let (_, _, _, bones) = (self.word()?, self.word()?, self.word()?, self.word()?);
        for _ in 0..bones {
            let name = self.text()?;
            self.add(ModelNameKind::Bone, name);
        }
        Some(())
    }

    /// A terrain of Flashpoint, with so many names of textures.
    fn grid(&mut self, textures: usize) -> Option<()> {
        let (width, height) = (self.word()?, self.word()?);
        let cells = width.checked_mul(height)?;
        self.skip(cells, 4)?;
        for _ in 0..textures {
            let name = self.field(32)?;
            self.add(ModelNameKind::Texture, name);
        }
        if textures == 256 {
            self.found.unread = Some("the objects of a 1WVR were not read".to_owned());
            return Some(());
        }
        // 12 numbers, the object's number, and its model.
        while self.at < self.file.len() {
            self.skip(1, 52)?;
            let name = self.field(76)?;
            self.add(ModelNameKind::Object, name);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn padded(text: &[u8], length: usize) -> Vec<u8> {
        let mut out = text.to_vec();
        out.resize(length, 0);
        out
    }

    /// The names as `kind name`.
    fn listed(file: &[u8]) -> Vec<String> {
        let found = model_names(file).unwrap();
        found
            .names
            .iter()
            .map(|one| format!("{} {}", one.kind.name(), one.name))
            .collect()
    }

    fn mlod() -> Vec<u8> {
        let face = |texture: &str, material: &str| {
            [
                &[0; 72][..],
                texture.as_bytes(),
                b"\0",
                material.as_bytes(),
                b"\0",
            ]
            .concat()
        };
        let tag = |name: &str, data: &[u8]| {
            let size = (data.len() as u32).to_le_bytes();
            [&[1][..], name.as_bytes(), b"\0", &size, data].concat()
        };
        [
            &b"MLOD"[..],
            &words(&[257, 1]),
            b"P3DM",
            &words(&[28, 256, 2, 1, 3, 0]),
            &[0; 2 * 16 + 12],
            &face("\\lab\\a_co.paa", "lab\\a.rvmat"),
            &face("LAB\\A_co.paa", ""),
            &face("#(argb,8,8,3)color(1,1,1,1)", ""),
            b"TAGG",
            &tag("door", &[1; 5]),
            &tag("proxy:\\lab\\lamp.003", &[0; 5]),
            &tag("proxy:cargo.01", &[0; 5]),
            &tag("#Mass#", &[0; 8]),
            &tag("#EndOfFile#", &[]),
            &1f32.to_le_bytes(),
        ]
        .concat()
    }

    #[test]
    fn an_editable_model_has_names() {
        let expected = [
            "texture lab\\a_co.paa",
            "material lab\\a.rvmat",
            "selection door",
            "proxy lab\\lamp.p3d",
            "proxy cargo",
        ];
        assert_eq!(listed(&mlod()), expected);
        assert_eq!(model_names(&mlod()).unwrap().unread, None);
        let old = [
            &b"MLOD"[..],
            &words(&[257, 1]),
            b"SP3X",
            &words(&[28, 153, 0, 0, 1, 0]),
            &padded(b"data\\old.pac", 32),
            &[0; 72],
            b"TAGG",
            &padded(b"zbran", 64),
            &words(&[2]),
            &[0; 2],
            &padded(b"#EndOfFile#", 64),
            &words(&[0, 0]),
        ]
        .concat();
        assert_eq!(listed(&old), ["texture data\\old.pac", "selection zbran"]);
    }

    #[test]
    fn a_binarised_model_has_textures_and_materials() {
        let file = |version: u32| {
            [
                &b"ODOL"[..],
                &words(&[version, 0, 7]),
                b"\0\0lab\\b_co.paa\0\\lab\\b.rvmat\0b_co.paa\0lab\\\x01.paa\0",
                &[0xff; 40],
                b"\0#(argb,8,8,3)color(0,0,0,0)\0",
            ]
            .concat()
        };
        let expected = ["texture lab\\b_co.paa", "material lab\\b.rvmat"];
        assert_eq!(listed(&file(73)), expected);
        let unread = |version| model_names(&file(version)).unwrap();
        assert!(unread(73).unread.unwrap().contains("proxies"));
        let unknown = unread(76);
        assert_eq!(
            unknown.unread.as_deref(),
            Some("unknown version 76 of ODOL, names not read")
        );
        assert!(unknown.names.is_empty());
    }

    #[test]
    fn skeletons_have_bones_and_terrains_have_textures_and_objects() {
        let rtm = [
            &b"RTM_0101"[..],
            &words(&[0, 0, 0, 1, 2]),
            &padded(b"Pelvis", 32),
            &padded(b"Head", 32),
        ]
        .concat();
        assert_eq!(listed(&rtm), ["bone Pelvis", "bone Head"]);
        let bmtr = [
            &b"BMTR"[..],
            &words(&[4]),
            &[1],
            &words(&[0, 0, 0, 9, 0, 1, 1]),
            b"weapon\0",
        ]
        .concat();
        assert_eq!(listed(&bmtr), ["bone weapon"]);
        let mut textures = vec![0; 512 * 32];
        textures[32..32 + 12].copy_from_slice(b"data\\pi1.paa");
        let terrain = [
            &b"4WVR"[..],
            &words(&[2, 2]),
            &[0; 16],
            &textures,
            &[0; 52],
            &padded(b"data3d\\oak.p3d", 76),
            &[0; 52],
            &padded(b"data3d\\oak.p3d", 76),
        ]
        .concat();
        let expected = ["texture data\\pi1.paa", "object data3d\\oak.p3d"];
        assert_eq!(listed(&terrain), expected);
        for magic in [b"8WVR", b"OPRW"] {
            let found = model_names(&[&magic[..], &[0; 40]].concat()).unwrap();
            assert!(found.names.is_empty() && found.unread.is_some());
        }
        assert_eq!(model_names(b"PK\x03\x04"), None);
        assert_eq!(model_names(b"ML"), None);
    }

    #[test]
    fn a_damaged_file_has_no_names_and_takes_no_time() {
        let whole = mlod();
        for length in 4..whole.len() {
            let found = model_names(&whole[..length]).unwrap();
            assert!(found.names.is_empty() && found.unread.is_some(), "{length}");
        }
        for at in (12..whole.len()).step_by(4) {
            let mut file = whole.clone();
            let end = (at + 4).min(file.len());
            file[at..end].fill(0xff);
            let _ = model_names(&file);
        }
        // Counts without records.
        for start in [&b"MLOD"[..], b"RTM_0101", b"4WVR", b"BMTR", b"ODOL"] {
            let _ = model_names(&[start, &[0xff; 60]].concat());
        }
    }
}
