//! `refit put`: replaces one member without a tree.

use crate::{
    change::{by_gltf, print_stored, print_written, put_family, read},
    commands::get::Spelling,
    session::{Originals, Session},
};
use clap::Args;
use refit_base::{
    path::Shown,
    tree::{Blob, is_project, is_tree},
    wire::{Error, Result},
};
use refit_files::{file::File, pipeline};
use refit_gltf::import;
use refit_workbench::{
    Options, Progress as _,
    add::add,
    put::{self, Written},
    put_family::PutFamily,
    put_tree, world,
};
use std::path::PathBuf;

/// Replace one member of a file, from a file or standard input
#[derive(Args, Debug)]
pub struct Put {
    /// The file, or its unpacked tree; with --family the picture or sound
    file: PathBuf,
    /// The member's name, or #index as `list` shows it; with --family the texture or sound, if its
    /// name differs from that of the file
    #[arg(required_unless_present = "family")]
    name: Option<String>,
    /// Input file; `-` is standard input. Empty input needs --force
    #[arg(value_name = "FROM", default_value = "-", conflicts_with = "family")]
    from: PathBuf,
    /// Put a picture or sound into every package or bank below this folder that has a member of its
    /// name
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["output", "merge_polygons", "encode", "raw"])]
    family: Option<PathBuf>,
    /// With --family: resize textures to the picture's size
    #[arg(long, requires = "family")]
    own_size: bool,
    /// With --family: leave the smaller versions of a texture (NAME_1, NAME_2 …) alone
    #[arg(long, requires = "family")]
    no_smaller: bool,
    /// With --family: keep sounds within the limits that this file declares (sounds.zrd, or its
    /// archive)
    #[arg(long, value_name = "SOUNDS.ZRD", requires = "family")]
    like: Option<PathBuf>,
    /// Add the member, like `refit add`
    #[arg(long, conflicts_with_all = ["family", "encode", "merge_polygons", "textures"])]
    new: bool,
    /// Sounds: convert to the codec, rate, bits and channels of the old sound
    #[arg(long)]
    encode: bool,
    /// Write the result to this file instead
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// glTF: add the pictures (PNG or JPEG) of new textures to this texture package, or to every
    /// package below this folder; repeatable. Without a value (then write the option last): to the
    /// packages that the game loads with the world
    #[arg(long, value_name = "PACKAGE|FOLDER", conflicts_with = "family", num_args = 0..=1)]
    textures: Option<Vec<PathBuf>>,
    /// glTF: merge new triangles that lie in one plane into polygons
    #[arg(long)]
    merge_polygons: bool,
    /// glTF: end a motion with its first frame, so that it loops
    #[arg(long = "loop", conflicts_with = "family")]
    close: bool,
    #[command(flatten)]
    spelling: Spelling,
    #[command(flatten)]
    originals: Originals,
}

impl Put {
    pub fn run(mut self, session: &Session) -> Result<()> {
        if let Some(folder) = self.family.take() {
            let (own_size, no_smaller) = (self.own_size, self.no_smaller);
            let what = PutFamily {
                folder,
                file: self.file,
                name: self.name,
                own_size,
                no_smaller,
                like: self.like,
            };
            return put_family(session, &what, &self.originals);
        }
        put_tree::check_own(&self.file).map_err(|e| e.about(&self.file))?;
        let name = self.name.take().unwrap_or_default();
        let (options, output) = (self.originals.options(session)?, self.output.as_deref());
        if self.new && (self.spelling.raw || !import::is_gltf(&self.from.shown())) {
            let (bytes, form) = (read(&self.from, session)?, self.spelling.form(&self.from));
            let added = add(
                (&self.file, output),
                (&name, &self.from, &bytes, form),
                &options,
                session,
            );
            print_written(session, &self.file, &name, added?);
            return Ok(());
        }
        if import::is_gltf(&self.from.shown()) && !self.spelling.raw {
            let how = import::Options {
                merge_polygons: self.merge_polygons,
                close_motions: self.close,
            };
            // A project or mission means its world.
            let is_short = !self.file.exists() || is_project(&self.file);
            let into = if is_short {
                world::path_of(&self.file, &options, session)?
            } else {
                self.file.clone()
            };
            let change = put::GltfChange {
                into: &into,
                from: &self.from,
                output,
                textures: self.textures.as_deref(),
                label: &name,
            };
            return by_gltf(&change, session, &options, |file| {
                put::gltf_into(file, &name, &self.from, how)
            });
        }
        if is_tree(&self.file) {
            let changed = self.in_tree(session, &name, &options);
            print_written(
                session,
                &self.file,
                &name,
                changed.map_err(|e| e.about(&self.file))?,
            );
            return Ok(());
        }
        let changed =
            put::open_to_change(&self.file, output, &options, session).and_then(|mut subject| {
                let old = subject.file.as_ref().map_or(0, Blob::len);
                let room = self.member(session, &mut subject.model, &name);
                session.notes(&self.file, subject.model.notes());
                let room = usize::try_from(old)
                    .unwrap_or_default()
                    .saturating_add(room?);
                let mut bytes = Vec::with_capacity(room);
                pipeline::write(&*subject.model, &mut bytes)?;
                Ok((subject, bytes))
            });
        let (subject, bytes) = changed.map_err(|e| e.about(&self.file))?;
        print_stored(
            session,
            put::store(&self.file, output, subject, bytes, name, &options, session)?,
        );
        Ok(())
    }

    /// Puts the new member into the file of a tree, and changes the tree accordingly.
    fn in_tree(&self, session: &Session, name: &str, options: &Options) -> Result<Written> {
        if self.output.is_some() {
            return Err(Error::say("-o has no effect on a tree")
                .hint("`refit repack` makes a file of the tree"));
        }
        let change = |file: &mut File| {
            self.member(session, file, name)?;
            session.notes(&self.file, file.notes());
            Ok(())
        };
        let ((), names, news) = put_tree::change(&self.file, options, session, change)?;
        let news = news.map(|news| (self.file.shown(), news));
        Ok(Written::Tree(names, news))
    }

    /// Puts the new member into a file. Returns its size.
    fn member(&self, session: &Session, file: &mut File, name: &str) -> Result<usize> {
        let index = pipeline::find_member(file.model(), name)?;
        let mut new = read(&self.from, session)?;
        let from = if self.from.as_os_str() == "-" {
            "standard input".into()
        } else {
            self.from.shown()
        };
        let encoded = put::encoded(session, file, index, name, &new, self.encode);
        if let Some(encoded) = encoded.map_err(|e| e.in_file(from.clone()))? {
            new = encoded;
        }
        file.model_mut()
            .put(index, &new, self.spelling.form(&self.from))
            .map_err(|e| e.in_file(from))?;
        Ok(new.len())
    }
}
