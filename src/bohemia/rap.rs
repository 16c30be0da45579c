//! raP: the binary form of Bohemia's configs, such as `config.bin`, `mission.sqm` and `*.rvmat`
//! (rap/FORMAT.md).
//!
//! The tree contains the text that people edit (`config.cpp`). The manifest says how the file
//! arranges its classes, if that is unusual; comments in the text mark what the text cannot
//! express. The first four bytes identify such a file, not its name: files with any of these names
//! may also be text.
//!
//! `model` has the types, `binary` and `table` read and write the two dialects, `print` and `parse`
//! the text; `names` finds classes and files in it.

mod arithmetic;
mod binary;
mod foreign;
mod lints;
pub(crate) mod member;
pub mod model;
pub(crate) mod names;
mod parse;
mod preprocess;
mod print;
pub mod source;
mod table;

pub use foreign::decoded;
pub(crate) use member::ConfigExtras;
pub use preprocess::{InGame, Include, includes};
pub(crate) use print::each_value;

use self::{
    binary::{MAGIC, Parsed},
    model::{BodyLayout, Config, ConfigValue, EntryContent},
};
use bytes::Bytes;
use refit_base::{
    contract::{Codec, Context, Detection, Family, Info, Model, Stage, Suspect, Verdict},
    format::Format,
    game::Game,
    lint::Lints,
    naming::NameUse,
    tree::{Blob, ByteSink, TreeReader, TreeWriter, UniquePaths, plain::PlainFolder},
    wire::{Error, HexBytes, Reader, Result, Role, Str, Trace},
};
use std::cell::Cell;

/// The format, lint codes and schema of this module.
pub const FAMILY: Family = Family {
    formats: &[Format::Rap],
    recognise: &[(Stage::Signature, recognise)],
    codes: lints::CODES,
    schemas: || vec![refit_base::contract::schema::<RapManifest>()],
};

refit_base::manifest! {
    /// The manifest of a binary config of Bohemia's games.
    pub(crate) struct RapManifest, "rap" {
        /// The text in the tree.
        file: String,
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
        /// A file of the tree with the trailing bytes, if any.
        tail?: String,
    }
}

/// The file with the bytes after the end.
const TAIL: &str = "tail.bin";

/// A binary config, and notes about the text that it was compiled from.
pub struct Rap(Parsed, Vec<String>);

impl Rap {
    /// Reads a binary file.
    pub fn from_bytes(file: &Bytes) -> Result<Rap> {
        read(file, None).map(|parsed| Rap(parsed, Vec::new()))
    }

    /// Reads the text of a config, as a file in the layout of Bohemia's programs.
    pub fn from_text(text: impl Into<String>) -> Result<Rap> {
        Ok(Rap::from_config(parse::parse(text.into())?))
    }

    /// Compiles the text of a config as a person writes it: `include` finds and reads the files
    /// that it includes.
    ///
    /// Constant arithmetic in `__EVAL` is computed; other expressions stay what they are, and the
    /// game evaluates them. `text` may be [`decoded`].
    pub fn compile(path: &str, text: &str, include: &Include<'_>) -> Result<Rap> {
        Self::compile_in_game(path, text, include, &|_| None)
    }

    /// [`Rap::compile`] of a text whose place in the game is known: `in_game` gives the path of a
    /// file there, for `__FILE__`.
    pub fn compile_in_game(
        path: &str,
        text: &str,
        include: &Include<'_>,
        in_game: &InGame<'_>,
    ) -> Result<Rap> {
        Self::compile_with(
            &Cell::new(preprocess::WORK),
            path,
            text,
            include,
            in_game,
            true,
        )
    }

    /// Compiles the text of a tree: expressions that refit read from a binary file stay what they
    /// are.
    fn compile_of_tree(path: &str, text: &str, include: &Include<'_>) -> Result<Rap> {
        Self::compile_with(
            &Cell::new(preprocess::WORK),
            path,
            text,
            include,
            &|_| None,
            false,
        )
    }

    fn compile_with(
        left: &Cell<usize>,
        path: &str,
        text: &str,
        include: &Include<'_>,
        in_game: &InGame<'_>,
        computes: bool,
    ) -> Result<Rap> {
        // Without directives there is nothing to do, and refit's comments are valid.
        if !Self::has_directives(text) {
            let (config, notes) =
                parse::parse_source(text.to_owned(), computes).map_err(|e| e.in_file(path))?;
            let notes = notes.into_iter();
            let notes = notes.map(|(line, what)| format!("{path}:{line}: {what}"));
            return Ok(Rap(Parsed::of(config), notes.collect()));
        }
        // Gives up when the preprocessor has looked at `left` bytes.
        let mut done = preprocess::preprocess(path, text, include, in_game, left)?;
        let text = std::mem::take(&mut done.text);
        let (config, found) = parse::parse_source(text, computes).map_err(|e| done.place(e))?;
        let mut notes = std::mem::take(&mut done.notes);
        notes.extend(found.into_iter().map(|(line, what)| {
            let (file, line) = done.origin(line).unwrap_or((path, line));
            format!("{file}:{line}: {what}")
        }));
        Ok(Rap(Parsed::of(config), notes))
    }

    /// True for a text that the preprocessor changes.
    pub fn has_directives(text: &str) -> bool {
        text.contains("__")
            || text.lines().any(|line| {
                line.trim_start_matches('\u{feff}')
                    .trim_start()
                    .starts_with('#')
                    || line.trim_end().ends_with('\\')
            })
    }

    /// A file in the layout of Bohemia's programs.
    pub fn from_config(config: Config) -> Rap {
        Rap(Parsed::of(config), Vec::new())
    }

    /// Its classes.
    pub fn into_config(self) -> Config {
        self.0.config
    }

    /// The text of the config.
    pub fn text(&self) -> String {
        print::print(&self.0.config)
    }
}

fn read(file: &Bytes, trace: Option<&dyn Trace>) -> Result<Parsed> {
    // Nothing depends on the game.
    let mut r = Reader::new(file, Game::Mw).traced(trace);
    let magic: u32 = r.hidden("magic", Role::Constant)?;
    if magic.to_le_bytes() != MAGIC {
        return Err(
            Error::say("not a binary config (they begin with 00 72 61 50)")
                .within("magic")
                .at(0),
        );
    }
    let version: u32 = r.hidden("version", Role::Constant)?;
    match version {
        0 => binary::read(file, &mut r),
        2..=4 => table::read(file, &mut r, version),
        _ => Err(Error::say(format!(
            "unknown version {version} (0, or 2 to 4 for Operation Flashpoint)"
        ))
        .within("version")
        .at(4)),
    }
}

/// The name of the text of a file: `config.bin` becomes `config.cpp`. Other names are those of
/// texts, too.
fn text_name(file: &str) -> String {
    match file.rsplit_once('.') {
        Some((stem, end)) if end.eq_ignore_ascii_case("bin") => format!("{stem}.cpp"),
        Some((stem, end))
            if !stem.is_empty() && !matches!(&*end.to_ascii_lowercase(), "json" | "ron") =>
        {
            file.to_owned()
        }
        _ => format!("{file}.cpp"),
    }
}

/// Recognises a file by its first bytes.
fn recognise(suspect: &Suspect<'_>) -> Verdict {
    match suspect.head.starts_with(&MAGIC) {
        true => Verdict::Is(Detection::new(
            Format::Rap,
            None,
            "the signature of a binary config",
            true,
        )),
        false => Verdict::No,
    }
}

/// The codec of [`Rap`].
pub struct RapCodec;

impl Codec for RapCodec {
    type Model = Rap;

    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<Rap> {
        // A file that is named is a text whatever its name; in a folder the names decide.
        let text = match folder.ending(&[""]).as_slice() {
            [one] => *one,
            _ => folder.only(
                &[
                    ".cpp", ".rvmat", ".sqm", ".hpp", ".ext", ".cfg", ".bisurf", ".bikb", ".fsm",
                    ".bin", ".txt",
                ],
                "text of a config",
            )?,
        };
        let bytes = folder.get(text)?;
        let source = decoded(&bytes).map_err(|e| e.in_file(text))?;
        match folder.is_of_tree {
            true => Rap::compile_of_tree(text, &source, folder.include),
            false => Rap::compile_in_game(text, &source, folder.include, folder.in_game),
        }
    }
    fn read(&self, file: &Blob, _: &Context) -> Result<Rap> {
        Rap::from_bytes(&file.bytes()?)
    }
    fn explain(&self, file: &Blob, _: &Context, trace: &dyn Trace) -> Result<()> {
        read(&file.bytes()?, Some(trace)).map(|_| ())
    }
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Rap> {
        let manifest: RapManifest = tree.manifest()?;
        let rap =
            Rap::from_text(tree.text(&manifest.file)?).map_err(|e| e.in_file(manifest.file))?;
        let RapManifest {
            layout,
            name,
            base,
            unk8,
            enum_offset,
            odd_next,
            ..
        } = manifest;
        let tail = manifest.tail.map(|tail| tree.file(&tail)).transpose()?;
        let tail = tail.map(|tail| HexBytes(tail.into()));
        ConfigExtras {
            layout,
            name,
            base,
            unk8,
            enum_offset,
            odd_next,
            tail,
        }
        .complete(rap)
    }
    fn names_in_text(&self, path: &str, text: &str, see: &mut dyn FnMut(NameUse)) {
        if names::has_classes(path) {
            names::paths(text, see);
            names::classes(text, see);
        }
    }
}

impl Model for Rap {
    fn write_to(&self, out: &mut dyn ByteSink) -> Result<()> {
        out.put(&match self.0.layout.table() {
            None => binary::write(&self.0),
            Some(version) => table::write(&self.0.config, version, &self.0.tail),
        }?)
    }
    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        let Parsed {
            config,
            layout,
            unk8,
            enum_offset,
            odd_next,
            tail,
        } = &self.0;
        let mut paths = UniquePaths::new();
        let file = paths.assign(&text_name(&tree.head.source.file), "");
        let text = Bytes::from(self.text());
        tree.config(&file, &text, text.clone())?;
        let tail = if tail.is_empty() {
            None
        } else {
            let path = paths.assign(TAIL, "");
            tree.file(&path, tail)?;
            Some(path)
        };
        let text = |bytes: &Bytes| Some(Str(bytes.to_vec())).filter(|text| !text.is_empty());
        let base = config.classes.first().and_then(|root| text(&root.base));
        let layout = Some(*layout).filter(|layout| *layout != BodyLayout::default());
        tree.manifest(RapManifest::new(
            tree.head.clone(),
            file,
            layout,
            text(&config.name),
            base,
            *unk8,
            *enum_offset,
            odd_next.clone(),
            tail,
        ))
    }
    fn notes(&self) -> &[String] {
        &self.1
    }
    fn lint(&self, lints: &mut Lints) {
        lints::judge(&self.0, lints);
    }
    fn info(&self) -> Info {
        let Parsed { config, layout, .. } = &self.0;
        let count = |is: fn(&EntryContent) -> bool| {
            let entries = config.classes.iter().flat_map(|class| &class.entries);
            entries.filter(|entry| is(&entry.content)).count()
        };
        let mut info: Info = vec![
            (
                "classes",
                count(|content| matches!(content, EntryContent::Class(_))).into(),
            ),
            (
                "values",
                count(|content| matches!(content, EntryContent::Value(_))).into(),
            ),
            (
                "arrays",
                count(|content| {
                    matches!(content, EntryContent::Array(_) | EntryContent::Changed(..))
                })
                .into(),
            ),
        ];
        for (key, n) in [
            (
                "external classes",
                count(|content| matches!(content, EntryContent::External)),
            ),
            (
                "deleted classes",
                count(|content| matches!(content, EntryContent::Deleted)),
            ),
            ("enumerators", config.enums.len()),
        ] {
            if n > 0 {
                info.push((key, n.into()));
            }
        }
        let patches = config.find(0, b"CfgPatches").and_then(|entry| {
            if let EntryContent::Class(class) = entry {
                Some(*class)
            } else {
                None
            }
        });
        if let Some(patches) = patches {
            let names: Vec<String> = config
                .entries(patches)
                .iter()
                .map(|entry| binary::shown(&entry.name))
                .collect();
            info.push(("addons", names.into()));
        }
        for (key, name) in [
            ("mission version", "version"),
            ("pixel shader", "PixelShaderID"),
            ("vertex shader", "VertexShaderID"),
        ] {
            if let Some(value) = root_value(config, name) {
                info.push((key, value));
            }
        }
        info.push(("layout", layout.describe().into()));
        info
    }
}

/// An integer or a text of the root.
fn root_value(config: &Config, name: &str) -> Option<serde_json::Value> {
    match config.find(0, name.as_bytes())? {
        EntryContent::Value(ConfigValue::Int(n)) => Some((*n).into()),
        EntryContent::Value(ConfigValue::Text(text)) => Some(binary::shown(text).into()),
        _ => None,
    }
}

#[cfg(test)]
mod mutations;
#[cfg(test)]
mod tests;
