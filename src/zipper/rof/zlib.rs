//! Compression of members: zlib streams.

use bytes::Bytes;
use miniz_oxide::{
    deflate::compress_to_vec_zlib,
    inflate::{
        TINFLStatus,
        core::{DecompressorOxide, decompress, inflate_flags},
    },
};
use refit_base::{
    tree::Blob,
    wire::{Error, Result},
};

/// Maximum number of bytes that deflate makes of one byte.
const RATIO: u64 = 1032;

/// A valid stream.
pub(super) struct Stream {
    /// The decompressed content.
    pub content: Vec<u8>,
    /// Number of bytes after its end.
    pub behind: usize,
}

/// Decompresses a whole stream. `expected` is the length in the archive, used only as the initial
/// capacity; it may be wrong.
pub(super) fn inflate(packed: &[u8], expected: u32) -> Result<Stream> {
    let most = (packed.len() as u64)
        .saturating_mul(RATIO)
        .saturating_add(1);
    let first = u64::from(expected).clamp(64, most.max(64));
    let (content, consumed, done) = run(packed, usize::try_from(first).unwrap_or(64), true)?;
    match done {
        true => Ok(Stream {
            content,
            behind: packed.len() - consumed,
        }),
        false => Err(Error::say("the zlib stream does not end")),
    }
}

/// The first `n` bytes of a stream's content; fewer if it is damaged or shorter.
pub(super) fn head(packed: &[u8], n: usize) -> Vec<u8> {
    run(packed, n, false)
        .map(|(content, ..)| content)
        .unwrap_or_default()
}

/// Decompresses into a buffer of `first` bytes, which grows if `all`. Returns the content, the
/// number of bytes read, and whether the stream ended.
fn run(packed: &[u8], first: usize, all: bool) -> Result<(Vec<u8>, usize, bool)> {
    let flags = inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER
        | inflate_flags::TINFL_FLAG_COMPUTE_ADLER32
        | inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let mut state = Box::<DecompressorOxide>::default();
    let mut out = vec![0; first];
    let (mut read, mut made) = (0usize, 0usize);
    loop {
        let rest = packed.get(read..).unwrap_or_default();
        let (status, more_read, more_made) = decompress(&mut state, rest, &mut out, made, flags);
        read = read.saturating_add(more_read).min(packed.len());
        made = made.saturating_add(more_made);
        match status {
            TINFLStatus::HasMoreOutput if all => {
                let room = out.len().saturating_mul(2).max(64);
                out.resize(room, 0);
            }
            TINFLStatus::Done | TINFLStatus::HasMoreOutput => {
                out.truncate(made);
                return Ok((out, read, status == TINFLStatus::Done));
            }
            TINFLStatus::Adler32Mismatch => {
                return Err(Error::say("the checksum of the zlib stream is wrong"));
            }
            TINFLStatus::FailedCannotMakeProgress => {
                return Err(Error::say("the zlib stream is truncated"));
            }
            _ => return Err(Error::say("not a zlib stream")),
        }
    }
}

/// Compresses a member with the fastest level of zlib, which is the level in every known member's
/// header (`78 01`).
pub(super) fn deflate(content: &[u8]) -> Vec<u8> {
    compress_to_vec_zlib(content, 1)
}

/// [`inflate`] for [`refit_base::tree::Blob::made`].
pub(super) fn again(packed: &Blob, len: u64) -> Result<Bytes> {
    Ok(
        inflate(&packed.bytes()?, u32::try_from(len).unwrap_or(u32::MAX))?
            .content
            .into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Python: `zlib.compress(b"refit refit refit refit", 1)`.
    const PACKED: &[u8] = &[
        0x78, 0x01, 0x2b, 0x4a, 0x4d, 0xcb, 0x2c, 0x51, 0x28, 0x42, 0x27, 0x01, 0x69, 0x57, 0x08,
        0xc9,
    ];

    #[test]
    fn bytes_after_a_stream_are_not_part_of_it() {
        let text = b"refit refit refit refit";
        let packed = deflate(text);
        assert_eq!(packed.get(..2), Some(&[0x78, 0x01][..]));
        for packed in [packed.as_slice(), PACKED] {
            for expected in [0, 5, 23, 24, u32::MAX] {
                let stream = inflate(packed, expected).unwrap();
                assert_eq!((&*stream.content, stream.behind), (&text[..], 0));
                let longer = inflate(&[packed, b"xy"].concat(), expected).unwrap();
                assert_eq!((&*longer.content, longer.behind), (&text[..], 2));
            }
            assert_eq!(head(packed, 4), b"refi");
            assert!(inflate(&packed[..packed.len() - 1], 23).is_err());
            let mut wrong = packed.to_vec();
            *wrong.last_mut().unwrap() ^= 1;
            assert!(inflate(&wrong, 23).is_err());
        }
        assert!(inflate(b"", 0).is_err() && inflate(b"x\x01", 9).is_err());
    }
}
