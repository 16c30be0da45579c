//! Signatures: `.bikey` (public key), `.bisign` (key and three signatures), `.biprivatekey`
//! (FORMAT.md).

mod check;
mod hashes;
mod private;

pub use check::{Fit, Report, check, check_model, describe};
pub use private::PrivateKey;

use super::{Label, codes::PBO_KEY};
use bytes::Bytes;
use num_bigint::BigUint;
use refit_base::{
    contract::{Codec, Context, Detection, Info, Model, Suspect, Verdict},
    format::Format,
    game::Game,
    lint::Lints,
    secret::HEADER as PRIVATE,
    tree::{
        Blob, ByteSink, TreeReader, TreeWriter,
        plain::{PlainFolder, nothing_new},
    },
    wire::{Error, HexBytes, Notation, Reader, Result, Role, Trace, fit},
};

/// Key blob header of a public key: kind, version, algorithm, magic.
const PUBLIC: [u8; 12] = *b"\x06\x02\0\0\0\x24\0\0RSA1";

/// What PKCS#1 v1.5 puts before a SHA-1.
const ALGORITHM: [u8; 15] = *b"\x30\x21\x30\x09\x06\x05\x2b\x0e\x03\x02\x1a\x05\x00\x04\x14";
/// Bytes of the largest modulus that refit computes with. The largest keys in use have 512.
const LARGEST: usize = 2048;

/// A key: who signs, and with which number.
#[derive(Clone, PartialEq, Debug)]
pub struct Key {
    /// The authority that signs, as servers list it.
    pub authority: Label,
    /// The blob's header: `PUBLIC` in all known keys.
    pub header: [u8; 12],
    /// The number of bits that the key declares.
    pub bits: u32,
    /// The public exponent: 65537 in all known keys.
    pub exponent: u32,
    /// The modulus, least byte first; in a private key its other numbers follow.
    pub modulus: Vec<u8>,
    /// The additional content of a `.bisign`.
    pub signed: Option<Signed>,
    /// Bytes after the end.
    pub rest: Bytes,
}

/// The signatures of one archive.
#[derive(Clone, PartialEq, Debug, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Signed {
    /// 2 (Arma 2 and the first Arma 3) or 3: which files the third hash covers.
    version: u32,
    /// Of the archive, its names and its files; least significant byte first.
    signatures: [HexBytes; 3],
}

refit_base::manifest! {
    /// A key or signature file.
    pub(crate) struct KeyManifest, "bikey" {
        /// Name of the signing authority.
        authority: Label,
        /// The key blob's header, if it differs from that of a public key.
        header?: HexBytes,
        /// The number of bits, if it differs from that of the modulus.
        bits?: u32,
        /// The public exponent.
        exponent: u32,
        /// The modulus, least significant byte first.
        modulus: HexBytes,
        /// The additional content of a `.bisign`.
        signed?: Signed,
        /// Bytes after the end.
        rest!: HexBytes,
    }
}

/// Recognises a key or a signature by its header, and by what follows.
pub(super) fn recognise(suspect: &Suspect<'_>) -> Verdict {
    if !begins_as_key(suspect.head) {
        return Verdict::No;
    }
    let Some(file) = suspect.whole else {
        return Verdict::All;
    };
    match Key::read(file) {
        Ok(key) if key.signed.is_some() => Verdict::Is(Detection::new(
            Format::Bisign,
            None,
            "an RSA key with three signatures",
            true,
        )),
        Ok(_) => Verdict::Is(Detection::new(Format::Bikey, None, "an RSA key", true)),
        Err(_) => Verdict::No,
    }
}

/// True when a name and the header of a key are at the beginning.
fn begins_as_key(file: &[u8]) -> bool {
    let end = file.iter().take(512).position(|b| *b == 0);
    let header = end.and_then(|end| file.get(end + 5..end + 17));
    header.is_some_and(|header| header == PUBLIC || header == PRIVATE)
}

/// Bytes after their number.
fn counted<'a>(r: &mut Reader<'a>, name: &str) -> Result<&'a [u8]> {
    let n: u32 = r
        .hidden(&format!("{name} length"), Role::Derived)
        .map_err(|e| e.within(name))?;
    r.bytes(n.into(), name, Notation::Bytes, Role::Value)
}

impl Key {
    /// A key, or a signature of an archive.
    pub fn format(&self) -> Format {
        if self.signed.is_some() {
            Format::Bisign
        } else {
            Format::Bikey
        }
    }

    /// Reads a key or a signature. Fails on framing only.
    pub fn read(file: &Bytes) -> Result<Self> {
        Self::read_from(file, None)
    }

    /// [`Key::read`] that reports each field to `trace`.
    fn read_from(file: &Bytes, trace: Option<&dyn Trace>) -> Result<Self> {
        let mut r = Reader::new(file, Game::Cs).traced(trace);
        let authority = Label(r.c_text("authority", Role::Value)?.into());
        let length: u32 = r.hidden("key length", Role::Derived)?;
        let base = r.offset();
        let blob = r.take_many(length.into(), 1).map_err(|e| e.within("key"))?;
        let mut blob = r.inner(blob, base);
        let inside = |e: Error| e.at(base).within("key");
        let header = blob
            .bytes(12, "header", Notation::Bytes, Role::Constant)
            .map_err(inside)?
            .first_chunk()
            .copied()
            .unwrap_or_default();
        let bits = blob.hidden("bits", Role::Derived).map_err(inside)?;
        let exponent = blob.field("exponent").map_err(inside)?;
        let modulus = blob.rest_as("modulus", Role::Value).to_vec();
        // A file that ends here is a key; one that continues with complete signatures is a
        // signature.
        let signed = match Self::read_signatures(&mut r.clone().traced(None)) {
            Ok(_) => Some(Self::read_signatures(&mut r)?),
            Err(_) => None,
        };
        let rest = file.slice(r.pos()..);
        r.rest_as("rest", Role::Stale);
        Ok(Key {
            authority,
            header,
            bits,
            exponent,
            modulus,
            signed,
            rest,
        })
    }

    fn read_signatures(r: &mut Reader<'_>) -> Result<Signed> {
        let first = counted(r, "signature 1")?;
        let version = r.field("version")?;
        let rest = [
            first,
            counted(r, "signature 2")?,
            counted(r, "signature 3")?,
        ];
        Ok(Signed {
            version,
            signatures: rest.map(|s| HexBytes(s.to_vec())),
        })
    }

    /// True if both have the same public numbers, so that signatures of one are signatures of the
    /// other.
    pub fn has_numbers_of(&self, other: &Key) -> bool {
        self.exponent == other.exponent && self.modulus == other.modulus
    }

    /// True for a `.biprivatekey`, which its owner must keep secret.
    pub fn is_private(&self) -> bool {
        self.header == PRIVATE
    }

    /// What is wrong with the form of this key and of its signatures; `None` if they are as
    /// Bohemia's tools write them. What the games do with others was not tried, so no promise is
    /// made for them.
    fn damage(&self, version: u32) -> Option<String> {
        let bits = regular_bits(self.modulus.len());
        match () {
            () if self.header != PUBLIC => Some("its key is not a public RSA key".to_owned()),
            () if self.bits != bits => {
                Some(format!("its key says {} bits, but has {bits}", self.bits))
            }
            () if !matches!(version, 2 | 3) => {
                Some(format!("its version is {version}, not 2 or 3"))
            }
            () => None,
        }
    }

    /// The hash in a signature, if it was made with this key: RSA PKCS#1 v1.5 over SHA-1.
    fn open(&self, signature: &[u8]) -> Option<[u8; 20]> {
        let modulus = BigUint::from_bytes_le(&self.modulus);
        // Bounded work.
        if self.modulus.len() > LARGEST || signature.len() > LARGEST || modulus == BigUint::ZERO {
            return None;
        }
        let opened = BigUint::from_bytes_le(signature)
            .modpow(&BigUint::from(self.exponent), &modulus)
            .to_bytes_be();
        // The number's leading zero byte is gone: 01 FF … FF 00, algorithm, hash.
        let padding = opened.strip_prefix(&[1])?;
        let body = padding.get(padding.iter().position(|b| *b != 0xff)?..)?;
        let whole = opened.len() + 1 == self.modulus.len();
        body.strip_prefix(&[0])?
            .strip_prefix(&ALGORITHM)?
            .try_into()
            .ok()
            .filter(|_| whole)
    }
}

/// The codec of [`Key`].
pub struct KeyCodec;

impl Codec for KeyCodec {
    type Model = Key;

    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<Key> {
        Err(nothing_new(
            folder.format,
            "`refit key` makes keys, `refit sign` signatures",
        ))
    }
    fn read(&self, file: &Blob, _: &Context) -> Result<Key> {
        Key::read(&file.bytes()?)
    }
    fn explain(&self, file: &Blob, _: &Context, trace: &dyn Trace) -> Result<()> {
        Key::read_from(&file.bytes()?, Some(trace)).map(|_| ())
    }
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Key> {
        let doc: KeyManifest = tree.manifest()?;
        let header = doc.header.map_or(Ok(PUBLIC), |header| {
            let wrong = |bytes: Vec<u8>| {
                Error::say(format!(
                    "the header has {} bytes instead of 12",
                    bytes.len()
                ))
            };
            header
                .0
                .try_into()
                .map_err(|bytes| wrong(bytes).in_file("refit"))
        })?;
        let bits = doc
            .bits
            .unwrap_or_else(|| regular_bits(doc.modulus.0.len()));
        Ok(Key {
            authority: doc.authority,
            header,
            bits,
            exponent: doc.exponent,
            modulus: doc.modulus.0,
            signed: doc.signed,
            rest: doc.rest.0.into(),
        })
    }
}

/// The usual number of bits for a modulus of `len` bytes.
fn regular_bits(len: usize) -> u32 {
    u32::try_from(len.saturating_mul(8)).unwrap_or(u32::MAX)
}

impl Model for Key {
    fn write_to(&self, to: &mut dyn ByteSink) -> Result<()> {
        let length = |bytes: usize, what: &str| fit::<u32>(bytes, what).map(u32::to_le_bytes);
        self.authority.check("the authority")?;
        let mut out = [&self.authority.0[..], &[0]].concat();
        out.extend(length(self.modulus.len() + 20, "the key's length")?);
        out.extend(self.header);
        out.extend(self.bits.to_le_bytes());
        out.extend(self.exponent.to_le_bytes());
        out.extend(&self.modulus);
        if let Some(Signed {
            version,
            signatures: [first, second, third],
        }) = &self.signed
        {
            for (signature, behind) in [
                (first, &version.to_le_bytes()[..]),
                (second, &[]),
                (third, &[]),
            ] {
                out.extend(length(signature.0.len(), "a signature's length")?);
                out.extend(&signature.0);
                out.extend(behind);
            }
        }
        out.extend(&self.rest);
        to.put(&out)
    }
    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        let header = (self.header != PUBLIC).then(|| HexBytes(self.header.to_vec()));
        let bits = (self.bits != regular_bits(self.modulus.len())).then_some(self.bits);
        tree.manifest(KeyManifest::new(
            tree.head.clone(),
            self.authority.clone(),
            header,
            bits,
            self.exponent,
            HexBytes(self.modulus.clone()),
            self.signed.clone(),
            HexBytes(self.rest.to_vec()),
        ))
    }
    fn lint(&self, lints: &mut Lints) {
        let (private, bits) = (self.is_private(), regular_bits(self.modulus.len()));
        let mut check = |fine: bool, what: String| lints.check(fine, PBO_KEY, || what);
        check(
            self.header == PUBLIC || private,
            "the header is not that of an RSA key".to_owned(),
        );
        check(
            !private,
            "a private key: anyone who has it can sign in its owner's name".to_owned(),
        );
        check(
            private || self.bits == bits,
            format!("{} bits, but the modulus has {bits}", self.bits),
        );
        if private && let Err(e) = PrivateKey::of(self) {
            check(false, e.to_string());
        }
        check(
            self.rest.is_empty(),
            format!("{} trailing bytes", self.rest.len()),
        );
        if let Some(Signed { version, .. }) = &self.signed {
            check(matches!(version, 2 | 3), format!("version {version}"));
        }
    }
    fn info(&self) -> Info {
        let what = match (&self.signed, self.is_private()) {
            (Some(_), _) => "signature",
            (None, true) => "private key",
            (None, false) => "public key",
        };
        let mut info: Info = vec![
            ("kind", what.into()),
            ("authority", self.authority.show().into()),
            ("bits", self.bits.into()),
            ("exponent", self.exponent.into()),
        ];
        if let Some(signed) = &self.signed {
            info.push(("version", signed.version.into()));
            for (key, signature) in [
                "signed archive hash",
                "signed name hash",
                "signed file hash",
            ]
            .into_iter()
            .zip(&signed.signatures)
            {
                let hash = self
                    .open(&signature.0)
                    .map_or("not readable with this key".to_owned(), |hash| {
                        super::hex20(&hash)
                    });
                info.push((key, hash.into()));
            }
        }
        info
    }
}
