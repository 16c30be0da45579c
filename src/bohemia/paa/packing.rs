//! The data of a level: how they are packed, and the packers of Bohemia's tools.

use super::{
    container::{Level, PaaKind},
    lzo,
};
use crate::pbo::lzss::{self, Packer, signed_check_value};
use bytes::Bytes;
use refit_base::{
    tree::Blob,
    wire::{Error, ErrorKind, Result},
};
use serde::{Deserialize, Serialize};

/// How the data of a level are packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Packing {
    /// Not at all.
    Plain,
    /// LZO1X.
    Lzo,
    /// LZSS.
    Lzss,
    /// Run lengths.
    Runs,
    /// LZSS after its own header; palette textures of Operation Flashpoint: Resistance.
    LzssHead,
    /// LZO1X after that header. No known file has it.
    LzoHead,
}

impl Packing {
    /// The name used in trees.
    pub fn name(self) -> &'static str {
        match self {
            Packing::Plain => "plain",
            Packing::Lzo => "lzo",
            Packing::Lzss => "lzss",
            Packing::Runs => "runs",
            Packing::LzssHead => "lzss_head",
            Packing::LzoHead => "lzo_head",
        }
    }
}

/// An unpacked level.
#[derive(Clone, PartialEq, Debug)]
pub struct Unpacked {
    /// How it was packed.
    pub packing: Packing,
    /// Its pixels or blocks.
    pub content: Vec<u8>,
    /// The stored checksum of LZSS differs from the one that the engine computes.
    pub is_wrong_sum: bool,
}

/// Most pixels of a level that is unpacked: as many as are drawn. The data of larger levels stay
/// packed.
const MOST: u32 = 1 << 26;

/// Levels of more bytes than this, 4096 × 4096 pixels of DXT5, stay packed if a packed byte gives
/// more than [`TIMES`]: a small file must not take a gigabyte. Pictures of nearly one colour do.
const LARGE: usize = 16 << 20;
const TIMES: usize = 64;
/// Bytes that one packed byte gives at most, in a long run. A level with fewer packed bytes is
/// damaged.
const TIMES_AT_MOST: usize = 256;

/// Unpacks a level. An error says why that is impossible; of the kind [`ErrorKind::Limit`], why
/// refit does not.
pub fn unpack(kind: PaaKind, level: &Level) -> Result<Unpacked> {
    let data = &level.data;
    if kind.unit() == 0 {
        return Err(Error::say(format!("unknown type {:#06x}", kind.raw())));
    }
    let [width, height] = level.size;
    if u32::from(width) * u32::from(height) > MOST {
        return Err(Error::say(format!(
            "{width} × {height} pixels are more than 8192 × 8192"
        )));
    }
    let size = usize::try_from(kind.bytes(level.size)).unwrap_or(usize::MAX);
    if size > LARGE && size / TIMES > data.len() {
        let error = Error::say(format!(
            "{} bytes for {width} × {height} pixels: too many for so few",
            data.len()
        ));
        return Err(if size / TIMES_AT_MOST > data.len() {
            error
        } else {
            error.of_kind(ErrorKind::Limit)
        });
    }
    let done = |packing, content| {
        Ok(Unpacked {
            packing,
            content,
            is_wrong_sum: false,
        })
    };
    let plain = || match data.len() == size {
        true => done(Packing::Plain, data.to_vec()),
        false => Err(Error::say(format!(
            "{} bytes, but its pixels take {size}",
            data.len()
        ))),
    };
    match kind {
        _ if level.is_packed => done(
            if level.is_special {
                Packing::LzoHead
            } else {
                Packing::Lzo
            },
            lzo::unpack(data, size)?,
        ),
        _ if kind.is_block() => plain(),
        PaaKind::P8 if !level.is_special => done(Packing::Runs, unpack_runs(data, size)?),
        _ => match unpack_lzss(data, size) {
            // Pixels can look like packed ones: then the mark or the check value decides.
            Ok(unpacked) if !unpacked.is_wrong_sum || level.is_special || data.len() != size => {
                let packing = if level.is_special {
                    Packing::LzssHead
                } else {
                    Packing::Lzss
                };
                Ok(Unpacked {
                    packing,
                    ..unpacked
                })
            }
            Err(e) if level.is_special || data.len() != size => Err(e),
            _ => plain(),
        },
    }
}

fn unpack_lzss(data: &Bytes, size: usize) -> Result<Unpacked> {
    let size = u32::try_from(size).map_err(|_| Error::say("more than 4 GiB of pixels"))?;
    let stream = lzss::unpack(&Blob::from(data), size)??;
    if stream.behind > 0 {
        return Err(Error::say(format!(
            "{} bytes follow the packed pixels",
            stream.behind
        )));
    }
    let is_wrong_sum = stream.check != Some(signed_check_value(&stream.content));
    Ok(Unpacked {
        packing: Packing::Lzss,
        content: stream.content,
        is_wrong_sum,
    })
}

/// Packs the data of a level. `None` if the packer gives up, because it would take too long.
pub fn pack(packing: Packing, content: &[u8]) -> Option<Vec<u8>> {
    Some(match packing {
        Packing::Plain => content.to_vec(),
        Packing::Lzo | Packing::LzoHead => return lzo::pack(content),
        Packing::Runs => pack_runs(content),
        Packing::Lzss | Packing::LzssHead => {
            let mut out = lzss::pack_items(Packer::Tree, content);
            out.extend(signed_check_value(content).to_le_bytes());
            out
        }
    })
}

/// The data of a level that is packed in a given way. Blocks that the packer gives up on are not
/// packed: the games read both.
pub fn packed(packing: Packing, content: Vec<u8>) -> (Packing, Vec<u8>) {
    match pack(packing, &content) {
        Some(data) => (packing, data),
        None => (Packing::Plain, content),
    }
}

/// The record of a level with these data.
pub fn level(size: [u16; 2], packing: Packing, data: impl Into<Bytes>) -> Level {
    let is_packed = matches!(packing, Packing::Lzo | Packing::LzoHead);
    let is_special = matches!(packing, Packing::LzssHead | Packing::LzoHead);
    Level {
        size,
        is_packed,
        is_special,
        data: data.into(),
    }
}

/// True if [`pack`] gives these very data. It stops where they begin to differ.
pub fn gives(packing: Packing, content: &[u8], data: &[u8]) -> bool {
    match packing {
        Packing::Lzss | Packing::LzssHead => {
            let sum = signed_check_value(content).to_le_bytes();
            data.split_last_chunk().is_some_and(|(items, check)| {
                *check == sum && lzss::gives(Packer::Tree, content, items)
            })
        }
        _ => pack(packing, content).is_some_and(|packed| packed == data),
    }
}

/// How [`usual`] packs a level, but for blocks that LZO does not shorten.
pub fn preferred(kind: PaaKind, [width, _]: [u16; 2]) -> Packing {
    match kind {
        PaaKind::P8 => Packing::Runs,
        _ if !kind.is_block() => Packing::Lzss,
        _ if width <= LZO_ABOVE => Packing::Plain,
        _ => Packing::Lzo,
    }
}

/// The usual packing of data, and the packed data. Blocks that do not become shorter are not packed.
pub fn usual(kind: PaaKind, size: [u16; 2], content: &[u8]) -> (Packing, Vec<u8>) {
    let packing = preferred(kind, size);
    match pack(packing, content) {
        Some(data) if packing != Packing::Lzo || data.len() < content.len() => (packing, data),
        _ => (Packing::Plain, content.to_vec()),
    }
}

/// Wider levels of blocks are packed.
const LZO_ABOVE: u16 = 128;

/// Unpacks run lengths.
fn unpack_runs(data: &[u8], size: usize) -> Result<Vec<u8>> {
    let short = || Error::say(format!("run lengths that end before {size} pixels"));
    if size > data.len().saturating_mul(64) {
        return Err(short());
    }
    let mut out = Vec::with_capacity(size);
    let mut rest = data;
    while out.len() < size {
        let (code, behind) = rest.split_first().ok_or_else(short)?;
        let (run, times) = match code.checked_sub(127) {
            Some(times @ 1..) => (1, usize::from(times)),
            _ => (usize::from(*code) + 1, 1),
        };
        let (bytes, behind) = behind.split_at_checked(run).ok_or_else(short)?;
        (0..times).for_each(|_| out.extend_from_slice(bytes));
        rest = behind;
    }
    match out.len() == size && rest.is_empty() {
        true => Ok(out),
        false => Err(Error::say(format!(
            "run lengths of other than {size} pixels"
        ))),
    }
}

/// Packs as run lengths.
fn pack_runs(content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut plain: &[u8] = &[];
    let mut rest = content;
    let put_plain = |out: &mut Vec<u8>, plain: &[u8]| {
        for run in plain.chunks(128) {
            out.push(run.len() as u8 - 1);
            out.extend_from_slice(run);
        }
    };
    while let Some(first) = rest.first() {
        let run = rest.iter().take(128).take_while(|b| *b == first).count();
        let (head, behind) = rest.split_at_checked(run).unwrap_or((rest, &[]));
        if run < 3 {
            plain = content
                .get(content.len() - rest.len() - plain.len()..content.len() - behind.len())
                .unwrap_or(head);
        } else {
            put_plain(&mut out, plain);
            plain = &[];
            out.extend([127 + run as u8, *first]);
        }
        rest = behind;
    }
    put_plain(&mut out, plain);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_lengths() {
        for content in [
            &b""[..],
            b"a",
            b"aab",
            b"aaaab",
            &[7; 1000],
            b"abcdefabcdefggggggggh",
        ] {
            assert_eq!(
                unpack_runs(&pack_runs(content), content.len()).unwrap(),
                content
            );
        }
        assert_eq!(pack_runs(b"aaaab"), [131, b'a', 0, b'b']);
        let long: Vec<u8> = (0..300u32).map(|i| (i * i % 251) as u8).collect();
        assert_eq!(unpack_runs(&pack_runs(&long), 300).unwrap(), long);
        for (data, size) in [
            (&[131u8][..], 4),
            (&[131, 0], 3),
            (&[0, 1, 2], 1),
            (&[5, 1], 6),
        ] {
            assert!(unpack_runs(data, size).is_err());
        }
    }
}
