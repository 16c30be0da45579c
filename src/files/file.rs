//! A file of any format: [`File`], an enum of the formats' models, and the codec of each format.

use crate::raw::{self, RawFile};
use refit_base::{
    contract::{Codec, Context, Detection, Family, Incremental, ManifestLine, Model, Renewable},
    format::Format,
    game::Game,
    lint::Lints,
    naming::{NameUse, Rule},
    support::single::{Single, SingleModel},
    tree::{Blob, Head, TreeReader, plain::PlainFolder},
    wire::{Error, Result, Trace},
};
use refit_bohemia::{
    paa::{self, Paa},
    pbo::{
        self, Pbo,
        sign::{self, Key},
    },
    rap::{self, Rap},
};
use refit_zipper::{
    aircraft::{self, Aircraft},
    anim::{self, Anim},
    archive::{self, Archive},
    gamez::{self, Gamez},
    interp::{self, Interp},
    livery::{self, Livery},
    mechlib,
    messages::{self, MessagesFile},
    motion,
    reader::{self, ReaderDoc},
    rof::{self, Rof},
    savegame, sounds,
    textures::{self, TexturesModel},
    zmap::{self, Zmap},
    zrd_text::{self, ZrdText},
};

/// The format of a model: the only one, or the one of several that it is.
macro_rules! format_of {
    ($model:ident, $format:ident) => {{
        let _ = $model;
        Format::$format
    }};
    ($model:ident, $($format:ident)|+) => {
        $model.format()
    };
}

/// Declares [`File`] and the registry of formats: each variant has a model, its formats, their
/// codec, and the modules that contribute to them.
macro_rules! files {
    ($($(#[$doc:meta])* $variant:ident($model:ty): $($format:ident)|+ => $codec:expr, [$($family:path),+],)+) => {
        /// A file of any format, as the model of that format. Everything is in memory; nothing here
        /// accesses a disk.
        ///
        /// Every variant can be written ([`File::to_bytes`]), linted ([`File::lint`]) and shown,
        /// and its members can be read and replaced by id. The methods of [`Model`] can be called
        /// on the file itself. The models have further methods: [`Anim`] for definitions, [`Gamez`]
        /// for nodes and models, [`ReaderDoc`] for values, [`TexturesModel`] for images.
        #[non_exhaustive]
        pub enum File {
            $($(#[$doc])* $variant(Box<$model>),)+
        }

        impl File {
            /// The common interface of all formats.
            pub fn model(&self) -> &(dyn Model + 'static) {
                match self { $(File::$variant(model) => &**model,)+ }
            }

            /// The mutable [`File::model`].
            pub fn model_mut(&mut self) -> &mut (dyn Model + 'static) {
                match self { $(File::$variant(model) => &mut **model,)+ }
            }

            /// Its format.
            pub fn format(&self) -> Format {
                match self { $(File::$variant(model) => format_of!(model, $($format)|+),)+ }
            }

            /// Findings that need the unedited file.
            pub(crate) fn lint_edit(&self, before: &File, lints: &mut Lints) {
                match self {
                    $(File::$variant(model) => {
                        if let File::$variant(before) = before {
                            model.lint_edit(before, lints);
                        }
                    })+
                }
            }
        }

        $(impl From<$model> for File {
            fn from(model: $model) -> Self {
                File::$variant(Box::new(model))
            }
        }

        impl Variant for $model {
            fn of(file: &File) -> Option<&Self> {
                if let File::$variant(model) = file { Some(model) } else { None }
            }
            fn of_mut(file: &mut File) -> Option<&mut Self> {
                if let File::$variant(model) = file { Some(model) } else { None }
            }
        })+

        /// All formats.
        pub const FORMATS: &[Format] = &[$($(Format::$format,)+)+];

        /// The families of all formats.
        pub(crate) const FAMILIES: &[&Family] = &[$($(&$family,)+)+];

        /// The codec of a format.
        pub fn codec(format: Format) -> &'static FileCodec {
            match format { $($(Format::$format)|+ => &OfFile($codec),)+ }
        }
    };
}

files! {
    /// A ZBD archive: of sounds, reader files, motions, 'mech models, a save game, or of anything.
    Archive(Archive): Archive | Sounds | Reader | Motion | Mechlib | Savegame => archive::ArchiveCodec,
        [archive::FAMILY, sounds::FAMILY, motion::FAMILY, savegame::FAMILY, mechlib::FAMILY],
    /// Animation definitions.
    Anim(Anim): Anim => anim::AnimCodec, [anim::FAMILY, anim::sources::FAMILY],
    /// A game world, or the planes of Crimson Skies.
    World(Gamez): Gamez | Planes => gamez::GamezCodec, [gamez::FAMILY],
    /// A texture package.
    Textures(TexturesModel): Textures => textures::TexturesCodec, [textures::FAMILY],
    /// A DLL of messages.
    Messages(MessagesFile): Messages => messages::MessagesCodec, [messages::FAMILY],
    /// Interpreter scripts.
    Interp(Interp): Interp => interp::InterpCodec, [interp::FAMILY],
    /// A loose binary reader file.
    Reader(SingleModel<ReaderDoc>): ZrdBinary => Single::<ReaderDoc>::CODEC, [reader::FAMILY, reader::schemas::FAMILY],
    /// A loose text reader file.
    ReaderText(ZrdText): ZrdText => zrd_text::ZrdTextCodec, [zrd_text::FAMILY],
    /// A Recoil map.
    Zmap(SingleModel<Zmap>): Zmap => Single::<Zmap>::CODEC, [zmap::FAMILY],
    /// A saved aircraft of Crimson Skies.
    Aircraft(SingleModel<Aircraft>): Aircraft => Single::<Aircraft>::CODEC, [aircraft::FAMILY],
    /// A livery of Crimson Skies.
    Livery(Livery): Livery => livery::LiveryCodec, [livery::FAMILY],
    /// A ROF archive of Crimson Skies.
    Rof(Rof): Rof => rof::RofCodec, [rof::FAMILY],
    /// A Bohemia PBO archive.
    Pbo(Pbo): Pbo => pbo::PboCodec, [pbo::FAMILY],
    /// A signature of a PBO archive, or a key of signatures.
    Key(Key): Bikey | Bisign => sign::KeyCodec, [pbo::KEYS],
    /// A binary config of Bohemia's games.
    Rap(Rap): Rap => rap::RapCodec, [rap::FAMILY],
    /// A texture of Bohemia's games.
    Paa(Paa): Paa => paa::PaaCodec, [paa::FAMILY],
    /// A tree of a file that is kept whole.
    Raw(RawFile): Raw => raw::RawCodec, [raw::FAMILY],
}

impl std::ops::Deref for File {
    type Target = dyn Model;

    fn deref(&self) -> &Self::Target {
        self.model()
    }
}

impl std::ops::DerefMut for File {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.model_mut()
    }
}

impl File {
    /// The file, if its model was read to recognise it.
    pub(crate) fn begun(
        detection: &Detection,
        file: &Blob,
        context: &Context,
    ) -> Option<Result<File>> {
        // Somebody may have changed the format since.
        let model = detection
            .begun
            .take(file)
            .filter(|_| archive::FAMILY.formats.contains(&detection.format))?;
        let archive: Box<Archive> = model.downcast().ok()?;
        Some(archive.settled(context).map(File::from))
    }

    /// Its game, if the content or the name decide it.
    pub fn game(&self) -> Option<Game> {
        self.model().game()
    }

    /// The archive, if it is one of this format.
    pub fn archive_of(&self, format: Format) -> Option<&Archive> {
        match self {
            File::Archive(archive) if archive.context.format == format => Some(archive),
            _ => None,
        }
    }
}

trait Variant: Model + Into<File> + 'static {
    /// The model of a file of this variant.
    fn of(file: &File) -> Option<&Self>;
    /// The mutable [`Variant::of`].
    fn of_mut(file: &mut File) -> Option<&mut Self>;
}

/// The codec of a format whose models are files of any format.
pub type FileCodec = dyn Codec<Model = File>;

/// A codec of one format as one of files.
struct OfFile<C>(C);

impl<C: Codec<Model: Variant>> Codec for OfFile<C> {
    type Model = File;

    fn read(&self, file: &Blob, context: &Context) -> Result<File> {
        self.0.read(file, context).map(Into::into)
    }
    fn leaves_on_disk(&self) -> bool {
        self.0.leaves_on_disk()
    }
    fn explain(&self, file: &Blob, context: &Context, trace: &dyn Trace) -> Result<()> {
        self.0.explain(file, context, trace)
    }
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<File> {
        self.0.assemble(tree).map(Into::into)
    }
    fn assemble_edited(
        &self,
        tree: &TreeReader<'_>,
        before: &File,
        is_left_out: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<File> {
        let before = <C::Model as Variant>::of(before)
            .ok_or_else(|| Error::say("the unedited file has another format"))?;
        self.0
            .assemble_edited(tree, before, is_left_out)
            .map(Into::into)
    }
    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<File> {
        self.0.fresh(folder).map(Into::into)
    }
    fn assemble_to_renew(&self, tree: &TreeReader<'_>) -> Result<Renewable<File>> {
        let Renewable { model, renew } = self.0.assemble_to_renew(tree)?;
        let renew = renew.map(|renew| Box::new(OfModel(renew)) as Box<dyn Incremental<File>>);
        Ok(Renewable {
            model: model.into(),
            renew,
        })
    }
    fn places(&self, tree: &TreeReader<'_>) -> Result<Vec<(String, String)>> {
        self.0.places(tree)
    }
    fn names(&self) -> &'static [Rule] {
        self.0.names()
    }
    fn names_in_text(&self, path: &str, text: &str, see: &mut dyn FnMut(NameUse)) {
        self.0.names_in_text(path, text, see);
    }
    fn names_in_bytes(&self, path: &str, bytes: &[u8], see: &mut dyn FnMut(NameUse)) {
        self.0.names_in_bytes(path, bytes, see);
    }
    fn line_for(&self, path: &str, head: &Head) -> Option<ManifestLine> {
        self.0.line_for(path, head)
    }
}

/// What takes edited files into one variant.
struct OfModel<M>(Box<dyn Incremental<M>>);

impl<M: Variant> Incremental<File> for OfModel<M> {
    fn renew(&mut self, tree: &TreeReader<'_>, path: &str, file: &mut File) -> Result<bool> {
        M::of_mut(file).map_or(Ok(false), |model| self.0.renew(tree, path, model))
    }
}
