//! Configs as members of archives: the text in the tree, and a record in the archive's manifest of
//! what the text does not express.

use super::{
    Rap,
    binary::{MAGIC, Parsed},
    model::BodyLayout,
};
use bytes::Bytes;
use refit_base::{
    contract::Model,
    lint::Lints,
    tree::{Blob, proof},
    wire::{Error, HexBytes, Result, Str, Trace, count, value_at},
};

refit_base::record! {
    /// What the text of a binary config does not express.
    #[derive(Default)]
    pub struct ConfigExtras {
        /// How the file arranges its classes, if not like Bohemia's programs.
        layout?: BodyLayout,
        /// The name of the root; only in files of Operation Flashpoint.
        name?: Str,
        /// The base class of the root, which has none in known files.
        base?: Str,
        /// The word at offset 8, if it is not 8.
        unk8?: u32,
        /// The offset of the enumerators, if it is not the end of the classes.
        enum_offset?: u32,
        /// Offsets after classes that break the rule: the number of the class in the file, from 0,
        /// and the offset.
        odd_next*: [u32; 2],
        /// Bytes after the end.
        tail?: HexBytes,
    }
}

/// Size of the largest config in an archive that becomes text.
const LARGEST: u64 = 16 << 20;
/// Maximum number of bytes after the end to store in a manifest.
const TAIL: usize = 256;

/// True for the first eight bytes of a binary config: the signature, and a known version.
pub(crate) fn is_config(head: &[u8]) -> bool {
    let version = head
        .strip_prefix(&MAGIC)
        .and_then(|rest| value_at::<u32>(rest, 0));
    matches!(version, Some(0 | 2..=4))
}

/// True if name and size allow this text to be a config.
pub(crate) fn may_be_text(name: &str, content: &Blob) -> bool {
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    content.len() <= LARGEST
        && ["cpp", "rvmat", "sqm", "ext", "bisurf", "bikb"]
            .iter()
            .any(|e| end.eq_ignore_ascii_case(e))
}

/// True for a binary config that is not too large to become text.
pub(crate) fn has_config(content: &Blob) -> Result<bool> {
    Ok(content.len() <= LARGEST && is_config(&content.slice(0, 8)?.bytes()?))
}

impl ConfigExtras {
    fn of(parsed: &Parsed) -> Result<Self> {
        let Parsed {
            config,
            layout,
            unk8,
            enum_offset,
            odd_next,
            tail,
        } = parsed;
        if tail.len() > TAIL {
            return Err(Error::say(format!(
                "{} after the end of the config",
                count(tail.len(), "byte")
            )));
        }
        let text = |bytes: &Bytes| Some(Str(bytes.to_vec())).filter(|text| !text.is_empty());
        Ok(ConfigExtras {
            layout: Some(*layout).filter(|layout| *layout != BodyLayout::default()),
            name: text(&config.name),
            base: config.classes.first().and_then(|root| text(&root.base)),
            unk8: *unk8,
            enum_offset: *enum_offset,
            odd_next: odd_next.clone(),
            tail: (!tail.is_empty()).then(|| HexBytes(tail.to_vec())),
        })
    }

    /// Adds what the text does not express. An error names a field that the layout does not have.
    pub(super) fn complete(self, Rap(mut parsed, notes): Rap) -> Result<Rap> {
        parsed.layout = self.layout.unwrap_or_default();
        (parsed.unk8, parsed.enum_offset, parsed.odd_next) =
            (self.unk8, self.enum_offset, self.odd_next);
        let wrong =
            |key: &str, what: &str| Err(Error::say(what).within(key.to_owned()).in_file("refit"));
        match parsed.layout.table() {
            None if self.name.is_some() => {
                return wrong("name", "only files of Operation Flashpoint have one");
            }
            Some(_) if parsed.unk8.is_some() => {
                return wrong("unk8", "files of Operation Flashpoint have no such word");
            }
            Some(_) if parsed.enum_offset.is_some() => {
                return wrong("enum_offset", "files of Operation Flashpoint have none");
            }
            Some(_) if !parsed.odd_next.is_empty() => {
                return wrong("odd_next", "files of Operation Flashpoint have none");
            }
            _ => {}
        }
        parsed.config.name = self.name.unwrap_or_default().0.into();
        if let (Some(root), Some(base)) = (parsed.config.classes.first_mut(), self.base) {
            root.base = base.0.into();
        }
        parsed.tail = self.tail.unwrap_or_default().0.into();
        Ok(Rap(parsed, notes))
    }

    /// The binary config of a text.
    pub(crate) fn compile(&self, text: String) -> Result<Vec<u8>> {
        self.clone().complete(Rap::from_text(text)?)?.write()
    }
}

/// The text of a binary config, and what the text does not express. An error if both together do
/// not produce the same bytes; `reads_back` includes reading the text.
pub(crate) fn member(file: &Bytes, reads_back: bool) -> Result<(String, ConfigExtras)> {
    let rap = Rap::from_bytes(file)?;
    proof::same(&rap.write()?, file)?;
    let (text, extras) = (rap.text(), ConfigExtras::of(&rap.0)?);
    drop(rap);
    if reads_back {
        proof::same(&extras.compile(text.clone())?, file)?;
    }
    Ok((text, extras))
}

/// Reports the meaning of every byte of a binary config. False if it cannot be read.
pub(crate) fn explain(file: &Bytes, trace: &dyn Trace) -> bool {
    // First without `trace`: an error halfway would leave lines in it.
    super::read(file, None).is_ok() && super::read(file, Some(trace)).is_ok()
}

/// Checks a binary config. An unreadable one has no findings: the tree keeps its bytes and says
/// why.
pub(crate) fn lint(file: &Bytes, lints: &mut Lints) {
    if let Ok(rap) = Rap::from_bytes(file) {
        rap.lint(lints);
    }
}
