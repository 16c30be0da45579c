//! Texts in their order, in few bytes each.

use crate::Sha256;
use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

/// Texts in the order in which they came: what one has in common with the one before it is kept once. Paths of a walk take about ten
/// bytes each.
#[derive(Clone, Default, Debug)]
pub struct Roll {
    chunks: Vec<Chunk>,
    /// The one that is being filled.
    open: Vec<u8>,
    /// How many stand in the chunks that are closed, and in it.
    closed: u32,
    inside: u32,
    /// The last text.
    last: Vec<u8>,
}

#[derive(Clone, Debug)]
struct Chunk {
    /// How many texts stand before it.
    first: u32,
    /// Of each text: how many bytes it shares with the one before it in the chunk, how many are its own, and these.
    bytes: Box<[u8]>,
}

/// Bytes after which a chunk is closed: as many are looked through for one text.
const CHUNK: usize = 4096;

/// A number in as few bytes as it needs, seven bits in each.
fn put(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<usize> {
    let (mut number, mut shift) = (0usize, 0u32);
    loop {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
        shift += 7;
    }
}

/// The next text of a chunk, out of the one before it.
fn next(bytes: &mut &[u8], text: &mut Vec<u8>) -> Option<()> {
    let (shared, own) = (take(bytes)?, take(bytes)?);
    let (own, rest) = bytes.split_at_checked(own)?;
    *bytes = rest;
    text.truncate(shared);
    text.extend_from_slice(own);
    Some(())
}

impl Roll {
    /// Adds a text behind all others.
    pub fn push(&mut self, text: &[u8]) {
        let shared = if self.open.is_empty() { 0 } else { self.last.iter().zip(text).take_while(|(a, b)| a == b).count() };
        let own = text.get(shared..).unwrap_or_default();
        put(&mut self.open, shared);
        put(&mut self.open, own.len());
        self.open.extend_from_slice(own);
        self.inside += 1;
        self.last.truncate(shared);
        self.last.extend_from_slice(own);
        if self.open.len() >= CHUNK {
            self.chunks.push(Chunk { first: self.closed, bytes: self.open.as_slice().into() });
            self.open.clear();
            self.closed += std::mem::take(&mut self.inside);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        (self.closed + self.inside) as usize
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty() && self.open.is_empty()
    }

    fn chunk(&self, at: usize) -> Option<&[u8]> {
        match self.chunks.get(at) {
            Some(chunk) => Some(&chunk.bytes),
            None => (at == self.chunks.len()).then_some(self.open.as_slice()),
        }
    }

    /// The text of this number.
    pub fn get(&self, index: usize) -> Option<Vec<u8>> {
        let at = self.chunks.partition_point(|chunk| chunk.first as usize <= index);
        // The open chunk is behind all others.
        let (at, first) = match self.chunks.get(at.wrapping_sub(1)) {
            Some(chunk) if index < self.closed as usize => (at - 1, chunk.first),
            _ => (self.chunks.len(), self.closed),
        };
        let (mut bytes, mut text) = (self.chunk(at)?, Vec::new());
        for _ in first as usize..=index {
            next(&mut bytes, &mut text)?;
        }
        Some(text)
    }

    /// The number of a text, where all stand in the order of their bytes.
    pub fn search(&self, text: &[u8]) -> Option<usize> {
        // The first text of a chunk is whole.
        let first = |bytes: &[u8]| {
            let (mut bytes, mut first) = (bytes, Vec::new());
            next(&mut bytes, &mut first).map(|()| first)
        };
        let behind = |bytes: &[u8]| first(bytes).is_none_or(|first| first.as_slice() > text);
        let at = match behind(&self.open) {
            true => self.chunks.partition_point(|chunk| !behind(&chunk.bytes)).checked_sub(1)?,
            false => self.chunks.len(),
        };
        let from = self.chunks.get(at).map_or(self.closed, |chunk| chunk.first) as usize;
        let (mut bytes, mut one) = (self.chunk(at)?, Vec::new());
        (from..).map_while(|n| next(&mut bytes, &mut one).map(|()| (n, one == text))).find(|(_, found)| *found).map(|(n, _)| n)
    }

    /// All texts, in order.
    pub fn iter(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        (0..=self.chunks.len()).filter_map(|at| self.chunk(at)).flat_map(|mut bytes| {
            let mut text = Vec::new();
            std::iter::from_fn(move || next(&mut bytes, &mut text).map(|()| text.clone()))
        })
    }
}

/// The bytes of a path, from which [`path_of_bytes`] makes it again: with `/` on all systems, and in the order of paths.
pub fn path_bytes(path: &Path) -> Cow<'_, [u8]> {
    #[cfg(unix)]
    return Cow::Borrowed(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()));
    #[cfg(windows)]
    return Cow::Owned(slashed(path.as_os_str().as_encoded_bytes()));
    #[cfg(not(any(unix, windows)))]
    return Cow::Owned(path.to_string_lossy().into_owned().into_bytes());
}

/// The path of these bytes.
pub fn path_of_bytes(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    return PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes));
    #[cfg(windows)]
    return match std::str::from_utf8(bytes) {
        Ok(text) => PathBuf::from(text),
        Err(_) => PathBuf::from(<std::ffi::OsString as std::os::windows::ffi::OsStringExt>::from_wide(&wide(bytes))),
    };
    #[cfg(not(any(unix, windows)))]
    return PathBuf::from(String::from_utf8_lossy(bytes).into_owned());
}

/// The bytes of a path of Windows with `/`, unless it is one (`\\?\…`) in which only `\` parts the names.
#[cfg(any(windows, test))]
fn slashed(bytes: &[u8]) -> Vec<u8> {
    let verbatim = bytes.starts_with(br"\\?\");
    bytes.iter().map(|byte| if *byte == b'\\' && !verbatim { b'/' } else { *byte }).collect()
}

/// The UTF-16 of a path of Windows that is not Unicode: its bytes are UTF-8 in which halves of pairs may stand alone.
#[cfg(any(windows, test))]
fn wide(bytes: &[u8]) -> Vec<u16> {
    let (mut out, mut rest) = (Vec::new(), bytes);
    while let Some((first, behind)) = rest.split_first() {
        let (more, mut code) = match first {
            0..0x80 => (0, u32::from(*first)),
            0x80..0xe0 => (1, u32::from(first & 0x1f)),
            0xe0..0xf0 => (2, u32::from(first & 0x0f)),
            _ => (3, u32::from(first & 0x07)),
        };
        let (own, behind) = behind.split_at_checked(more).unwrap_or((behind, &[]));
        own.iter().for_each(|byte| code = code << 6 | u32::from(byte & 0x3f));
        rest = behind;
        match char::from_u32(code) {
            Some(c) => out.extend_from_slice(c.encode_utf16(&mut [0; 2])),
            None => out.push(code as u16),
        }
    }
    out
}

/// Half of the SHA-256 of a path.
pub type HalfSum = [u8; 16];

/// Half of the SHA-256 of a path: what knows it again among very many, in few bytes, whatever parts its names.
pub fn half_sum(path: &Path) -> HalfSum {
    let mut sum = Sha256::default();
    sum.update(&path_bytes(path));
    sum.half()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_in_their_order() {
        let long = "x".repeat(3 * CHUNK);
        let mut texts: Vec<String> = (0..5000).map(|i| format!("zbd/m{}/file{}.zbd", i / 4, i % 4)).collect();
        texts.extend([String::new(), long.clone(), String::new(), String::new(), long, "a".into()]);
        let mut roll = Roll::default();
        assert!(roll.is_empty() && roll.get(0).is_none() && roll.iter().next().is_none());
        for (n, text) in texts.iter().enumerate() {
            assert_eq!(roll.len(), n);
            roll.push(text.as_bytes());
            assert_eq!(roll.get(n).as_deref(), Some(text.as_bytes()));
        }
        assert!(roll.iter().eq(texts.iter().map(|text| text.as_bytes().to_vec())));
        assert!(texts.iter().enumerate().all(|(n, text)| roll.get(n).as_deref() == Some(text.as_bytes())));
        assert_eq!((roll.len(), roll.get(texts.len())), (texts.len(), None));
        let bytes: usize = roll.chunks.iter().map(|chunk| chunk.bytes.len()).sum();
        assert!(bytes < 5000 * 12 + 8 * CHUNK, "{bytes}");
    }

    #[test]
    fn texts_in_order_are_found() {
        for count in [0u32, 1, 50, 700, 5000] {
            let mut roll = Roll::default();
            let text = |n: u32| format!("zbd/m{:05}/file.zbd", n * 2);
            (0..count).for_each(|n| roll.push(text(n).as_bytes()));
            for n in 0..count {
                assert_eq!(roll.search(text(n).as_bytes()), Some(n as usize), "{n} of {count}");
                assert_eq!(roll.search(format!("zbd/m{:05}/file.zbd", n * 2 + 1).as_bytes()), None);
            }
            assert_eq!((roll.search(b""), roll.search(b"zz")), (None, None));
        }
    }

    #[test]
    fn the_bytes_of_a_path_do_not_depend_on_what_parts_its_names() {
        assert_eq!(slashed(br"zbd\c1\x"), b"zbd/c1/x");
        assert_eq!(slashed(br"mod/zbd\c1"), slashed(br"mod\zbd/c1"));
        assert_eq!(slashed(br"\\?\C:\x"), br"\\?\C:\x");
        for text in ["zbd/c1/x", "größe Ж日 \u{1f600}", ""] {
            assert_eq!(wide(text.as_bytes()), text.encode_utf16().collect::<Vec<u16>>());
        }
        // Half of a pair, as Windows allows it in names.
        assert_eq!(wide(b"a\xed\xa0\xbdb"), [0x61, 0xd83d, 0x62]);
        // Cut off and nonsense: any path, but no panic.
        assert_eq!((wide(b"\xe0").len(), wide(b"\xff\xff\xff\xff\xff").len()), (1, 2));
        // In the order of paths, which is not that of UTF-16 with its lower byte first.
        let paths = ["a/Ā", "a/b", "a/ā"].map(PathBuf::from);
        let by = |key: &dyn Fn(&PathBuf) -> Vec<u8>| {
            let mut all = paths.clone();
            all.sort_by_key(key);
            all
        };
        let mut sorted = paths.clone();
        sorted.sort();
        assert_eq!(by(&|path| slashed(path.as_os_str().as_encoded_bytes())), sorted);
    }

    #[test]
    fn paths_are_bytes_and_come_back() {
        for path in ["", "a/b c.zbd", "../x", "é/日"] {
            assert_eq!(path_of_bytes(&path_bytes(Path::new(path))), Path::new(path));
        }
        #[cfg(unix)]
        {
            let odd = path_of_bytes(b"a/\xff\xfe");
            assert!(odd.to_str().is_none() && &*path_bytes(&odd) == b"a/\xff\xfe");
        }
    }
}
