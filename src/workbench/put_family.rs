//! One picture or one sound in every package or bank that has it.

use super::{
    batch::{self, Ready},
    edits::{self, EditReport},
    files, inside,
    options::Options,
    progress::{Event, Progress, Task},
    put_tree,
};
use bytes::Bytes;
use refit_base::{
    Sum,
    contract::Members as _,
    format::Format,
    game::Game,
    path::Shown,
    tree::{Document, Form, Style, disk, is_project, is_tree},
    wire::{Error, Result, utf8},
};
use refit_files::{
    file::File,
    pipeline::{self, Hints},
};
use refit_zipper::{
    archive,
    reader::ReaderDoc,
    sounds::{
        banks::{Declarations, Quality},
        sound::{self, Shaped},
    },
    textures::{Fitted, TexturesModel},
};
use std::path::{Path, PathBuf};

/// A picture or a sound for many files.
pub struct PutFamily {
    /// The folder with the packages or banks.
    pub folder: PathBuf,
    /// The picture or the sound.
    pub file: PathBuf,
    /// Its name in the files; `None` for the name of the file.
    pub name: Option<String>,
    /// Textures take the picture's size.
    pub own_size: bool,
    /// Keep the smaller versions of a texture unchanged.
    pub no_smaller: bool,
    /// The file that declares the highest quality of each sound.
    pub like: Option<PathBuf>,
}

/// A member of a file that was replaced, or would be.
pub struct PutMember {
    /// The file or tree.
    pub path: PathBuf,
    /// The texture or the sound.
    pub member: String,
    /// Its size or shape before.
    pub was: String,
    /// Its size or shape now.
    pub now: String,
    /// The form in which it is stored.
    pub form: String,
    /// False if it is the same as before.
    pub changed: bool,
    /// Losses and doubts.
    pub notes: Vec<String>,
}

/// The result of [`PutFamily::run`].
pub struct Outcome {
    /// All members of this name.
    pub members: Vec<PutMember>,
    /// For each changed file: the effects of the change.
    pub news: Vec<(PathBuf, EditReport)>,
}

/// A picture or a sound.
enum Thing {
    Picture {
        png: Bytes,
        own_size: bool,
        smaller: bool,
    },
    Sound {
        wav: Bytes,
        declared: Option<Declarations>,
    },
}

/// The declarations of `sounds.zrd`: of the file itself, of an archive with it, or of its document
/// in a tree.
pub fn declarations(path: &Path) -> Result<Declarations> {
    let what = |e: Error| e.in_file(path.shown());
    let file = disk::read_named(path)?;
    let name = path.shown().to_ascii_lowercase();
    let doc = if name.ends_with(".json") || name.ends_with(".ron") {
        let text = utf8(&file).map_err(what)?;
        ReaderDoc::from_text(
            text,
            if name.ends_with(".ron") {
                Style::Ron
            } else {
                Style::Json
            },
        )
        .map_err(what)?
    } else {
        let members = archive::members(&file).unwrap_or_default();
        match members
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("sounds.zrd"))
        {
            Some((_, payload)) => ReaderDoc::read(payload).map_err(what)?,
            None => ReaderDoc::read(&file).map_err(|e| {
                what(e.context("neither a reader file nor an archive with a member sounds.zrd"))
            })?,
        }
    };
    let declared = Declarations::of(&doc);
    if declared.is_empty() {
        return Err(what(
            Error::say("it declares no sound")
                .hint("sounds.zrd of the game lists them, each with its WAV file"),
        ));
    }
    Ok(declared)
}

impl Thing {
    fn of(asked: &PutFamily) -> Result<Self> {
        let name = asked.file.shown().to_ascii_lowercase();
        if [".png", ".jpg", ".jpeg"]
            .iter()
            .any(|end| name.ends_with(end))
        {
            if asked.like.is_some() {
                return Err(Error::say("--like is for sounds"));
            }
            return Ok(Thing::Picture {
                png: disk::read_named(&asked.file)?,
                own_size: asked.own_size,
                smaller: !asked.no_smaller,
            });
        }
        if name.ends_with(".wav") {
            if asked.own_size || asked.no_smaller {
                return Err(Error::say(format!(
                    "--{} is for pictures",
                    if asked.own_size {
                        "own-size"
                    } else {
                        "no-smaller"
                    }
                )));
            }
            let declared = asked.like.as_deref().map(declarations).transpose()?;
            return Ok(Thing::Sound {
                wav: disk::read_named(&asked.file)?,
                declared,
            });
        }
        Err(
            Error::say("--family takes a picture (PNG or JPEG) or a WAV sound")
                .in_file(asked.file.shown()),
        )
    }

    /// The name in the files for a file name.
    fn name(&self, file: &Path) -> String {
        let part = match self {
            Thing::Picture { .. } => file.file_stem(),
            Thing::Sound { .. } => file.file_name(),
        };
        part.unwrap_or_default().to_string_lossy().into_owned()
    }

    fn format(&self) -> Format {
        match self {
            Thing::Picture { .. } => Format::Textures,
            Thing::Sound { .. } => Format::Sounds,
        }
    }

    /// Puts it into a model under a name; no rows if the model has no such member.
    fn put(&self, file: &mut File, name: &str, path: &Path) -> Result<Vec<PutMember>> {
        match self {
            Thing::Picture {
                png,
                own_size,
                smaller,
            } => {
                let File::Textures(package) = file else {
                    return Ok(Vec::new());
                };
                let put = if *smaller {
                    TexturesModel::put_with_smaller
                } else {
                    TexturesModel::put_by_name
                };
                Ok(put(package, name, png, *own_size)?
                    .into_iter()
                    .map(|done| put_member(path, done))
                    .collect())
            }
            Thing::Sound { wav, declared } => {
                let File::Archive(bank) = file else {
                    return Ok(Vec::new());
                };
                let game = bank.context.game;
                let members = bank.members();
                let all = members
                    .iter()
                    .enumerate()
                    .filter(|(_, m)| m.name.eq_ignore_ascii_case(name));
                let mut rows = Vec::new();
                for (index, member) in all {
                    let old = bank.get(index, Form::Stored)?;
                    let file = path.file_name().unwrap_or_default().to_string_lossy();
                    let shaped: Shaped = match declared {
                        None => sound::like(wav, &old)?,
                        Some(declared) => {
                            let quality = Quality::of_file(&file).ok_or_else(|| {
                                Error::say("the name of this bank does not show its quality")
                                    .hint("soundsH.zbd, soundsM.zbd and soundsL.zbd are banks")
                            })?;
                            sound::below(
                                wav,
                                declared.ceiling(&member.name, quality),
                                game == Some(Game::Cs),
                            )?
                        }
                    };
                    let was = sound::shape(&old)
                        .map_or_else(|e| e.to_string(), |shape| shape.to_string());
                    let changed = old != shaped.file;
                    bank.put(index, &shaped.file, Form::Stored)?;
                    rows.push(PutMember {
                        path: path.to_owned(),
                        member: member.name.clone(),
                        was,
                        now: shaped.now.to_string(),
                        form: if shaped.file == *wav {
                            "as it is".into()
                        } else {
                            format!("from {}", shaped.was)
                        },
                        changed,
                        notes: shaped.notes,
                    });
                }
                Ok(rows)
            }
        }
    }
}

fn put_member(path: &Path, done: Fitted) -> PutMember {
    PutMember {
        form: done.form_and_alpha(),
        path: path.to_owned(),
        member: done.name,
        was: format!("{} × {}", done.was[0], done.was[1]),
        now: format!("{} × {}", done.now[0], done.now[1]),
        changed: done.changed,
        notes: done.notes,
    }
}

/// A file with the thing in it.
struct Made {
    path: PathBuf,
    rows: Vec<PutMember>,
    bytes: Bytes,
    read: Sum,
    news: Option<EditReport>,
}

/// Puts it into one file; `None` if the file has no such member.
fn put_in_file(hints: Hints, thing: &Thing, name: &str, path: &Path) -> Result<Option<Made>> {
    let blob = pipeline::load(path)?;
    let shown = path.shown();
    let Ok(found) = pipeline::recognise(&blob, &shown, hints) else {
        return Ok(None);
    };
    if found.format != thing.format() {
        return Ok(None);
    }
    let mut model = pipeline::read(&blob, found)?.model;
    let rows = thing.put(&mut model, name, path)?;
    if rows.is_empty() {
        return Ok(None);
    }
    let read = blob.sum()?;
    if rows.iter().all(|row| !row.changed) {
        return Ok(Some(Made {
            path: path.to_owned(),
            rows,
            bytes: Bytes::new(),
            read,
            news: None,
        }));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(blob.len()).unwrap_or_default());
    pipeline::write(&*model, &mut bytes)?;
    // Never write a file that refit cannot read again.
    let bytes = Bytes::from(bytes);
    pipeline::open(&bytes, &shown, hints)
        .map_err(|e| e.context("refit could not read the file with this member"))?;
    let before = pipeline::read(&blob, pipeline::recognise(&blob, &shown, hints)?)?.model;
    let news = Some(edits::of_file(&model, &before, path)?);
    Ok(Some(Made {
        path: path.to_owned(),
        rows,
        bytes,
        read,
        news,
    }))
}

impl PutFamily {
    /// Puts the picture or the sound into all files: into every one, or, if one of them cannot
    /// accept it, into none. Trees are changed one by one, and a tree that cannot accept it is
    /// reported. Returns `None` if some files could not accept it; each of them was reported.
    ///
    /// # Errors
    /// No file has a member with this name, or a file cannot be written.
    pub fn run(&self, options: &Options, progress: &dyn Progress) -> Result<Option<Outcome>> {
        if !self.folder.is_dir() {
            return Err(
                Error::say("--family takes the folder of the packages and banks")
                    .in_file(self.folder.shown()),
            );
        }
        let thing = Thing::of(self)?;
        let name = self.name.clone().unwrap_or_else(|| thing.name(&self.file));
        let trees = inside::trees(&self.folder, thing.format());
        let files = if is_project(&self.folder) || is_tree(&self.folder) {
            Vec::new()
        } else {
            match files::files(std::slice::from_ref(&self.folder), options, progress) {
                Ok(files) => files,
                Err(_) if !trees.is_empty() => Vec::new(),
                Err(e) => return Err(e),
            }
        };
        let (mut made, mut failed) = (Vec::new(), false);
        let task = Task::new(progress, 0);
        for input in &files {
            task.at(&input.name());
            match put_in_file(options.hints, &thing, &name, &input.path) {
                Ok(done) => made.extend(done),
                Err(e) => {
                    failed = true;
                    progress.report(Event::Failed(&e.about(&input.path)));
                }
            }
        }
        drop(task);
        if failed {
            return Ok(None);
        }
        let changed = made.iter_mut().filter(|one| one.news.is_some());
        let ready = |one: &mut Made| {
            let bytes = std::mem::take(&mut one.bytes);
            Ready::edit(
                &one.path,
                bytes,
                Some(std::mem::take(&mut one.read)),
                true,
                options,
            )
        };
        let changed: Vec<Ready> = changed.map(ready).collect();
        batch::write(
            &self.folder,
            "put",
            &changed.iter().collect::<Vec<_>>(),
            options,
            progress,
        )?;
        drop(changed);
        let (mut members, mut news): (Vec<PutMember>, _) = (Vec::new(), Vec::new());
        // Trees are separate folders: each is changed completely or not at all.
        for tree in &trees {
            match put_tree::change(tree, options, progress, |file| thing.put(file, &name, tree)) {
                Ok((done, _, found)) => {
                    members.extend(done);
                    news.extend(found.map(|found| (tree.clone(), found)));
                }
                Err(e) => progress.report(Event::Failed(&e.about(tree))),
            }
        }
        for one in made {
            members.extend(one.rows);
            news.extend(one.news.map(|found| (one.path, found)));
        }
        if members.is_empty() {
            let kind = if thing.format() == Format::Textures {
                "texture package"
            } else {
                "bank of sounds"
            };
            let looked = files.len() + trees.len();
            return Err(Error::say(format!(
                "no {kind} in {} has {name:?} ({looked} checked)",
                self.folder.shown()
            ))
            .hint(
                "give the name of the texture or sound after the file, as `refit list` shows it",
            ));
        }
        Ok(Some(Outcome { members, news }))
    }
}
