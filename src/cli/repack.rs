//! `refit repack`: a tree becomes a file.

use super::{
    banks, edits, paths, project,
    session::{Line, Originals, Paint, Report, Session, Status, about, same_path, size},
};
use bytes::Bytes;
use clap::Args;
use refit::{
    File,
    formats::{
        Followed, Format, Model,
        pbo::{
            build::{self, Variant},
            litter,
        },
    },
    game::Game,
    path::Shown,
    pipeline::{self, addon},
    project::Project,
    registry,
    tree::{
        Blob, DirSource, Head, Later, Source, Style, Sums,
        disk::{self, Backup, By, Replace},
        is_project, read_head,
        sums::SUMS,
    },
    wire::{Cause, Error, Result, shorten},
};
use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
    ffi::OsString,
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// Make the file of a tree again
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit repack reader                     the file that the tree came from, beside the tree
  refit repack reader -o new/reader.zbd
  refit repack reader --force             replaces it and keeps reader.zbd.orig
  refit repack mymod                      a project: all edited trees go into the game, or none
  refit repack mymod -o D:\\Games\\MW3      into another installation
  refit repack addon --format pbo --prefix x/addon --compress \"*.sqf\" --exclude \"*.psd\"
                                          a new archive, addon.pbo, of any folder
  refit repack wavs --format sounds --like zrdr.zbd -o zbd/
                                          three banks from one folder of WAV files

What an edit brought in that the game will trip over is told, as `refit lint TREE --new` does, and the file is written all the same. \
Exit code 3 when there is such a finding that is more than a note.

Of a project only trees that were edited are built. A file of the game that neither refit wrote nor the project came from was changed \
by another program: it is replaced with --force only, and kept as NAME.orig.2 and so on.

The folder of an unpacked PBO is its content: files that were added or deleted below files/ are followed, and listed with + and -; \
--strict refuses them. What systems and editors leave is left out (dot-files, *~, *.bak, *.orig, swap files); a line in `entries` of \
the manifest brings such a file in. In other trees the manifest lists the members: a new one needs a line there.")]
pub struct Repack {
    /// Trees, or a project
    #[arg(required = true, value_name = "TREE|PROJECT")]
    pub trees: Vec<PathBuf>,
    /// The file to write, or a folder for it (existing, or named with a slash at the end); for a project the game's folder
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Refuse a tree of a PBO with files that its manifest does not name, or without files that it names
    #[arg(long)]
    strict: bool,
    /// What becomes of what is replaced
    #[command(flatten)]
    pub originals: Originals,
    #[command(flatten)]
    new: New,
}

/// For a folder that is no tree.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "With --format pbo, for any folder")]
struct New {
    /// The virtual path of the files, with / or \ [default: what a file $PBOPREFIX$ says]
    #[arg(long)]
    prefix: Option<String>,
    /// A further property; repeatable
    #[arg(long = "property", value_name = "KEY=VALUE", value_parser = property)]
    properties: Vec<(String, String)>,
    /// Pack the files that match; repeatable
    #[arg(long, value_name = "GLOB")]
    compress: Vec<String>,
    /// The games it is for
    #[arg(long, value_name = "GAMES")]
    variant: Option<Variant>,
    /// Make the three banks of a game: each sound below the rate, bits and channels that sounds.zrd declares. The file is sounds.zrd, or
    /// the archive that holds it
    #[arg(long, value_name = "SOUNDS.ZRD", help_heading = "With --format sounds, for a folder of WAV files")]
    like: Option<PathBuf>,
}

fn property(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("a property is written KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

impl New {
    fn is_given(&self) -> bool {
        self.prefix.is_some() || !self.properties.is_empty() || !self.compress.is_empty() || self.variant.is_some()
    }
}

/// Most bytes of a name from a manifest that are shown: no file of a longer one can be there.
const LONGEST: usize = 1000;

/// Containers up to this size are read again when they were edited.
const READ_AGAIN: u64 = 64 << 20;

/// A tree on disk that remembers what was read of it.
pub struct Recording {
    tree: DirSource,
    /// Hashes of the paths, of which there may be hundreds of thousands.
    read: Mutex<HashSet<u64>>,
    hasher: RandomState,
    /// The file that is to be written, where it stands in the tree: it is no part of it.
    output: Option<String>,
    strict: bool,
}

impl Source for Recording {
    fn get(&self, path: &str) -> Result<Bytes> {
        let bytes = self.tree.get(path)?;
        self.note(path);
        Ok(bytes)
    }
    fn blob(&self, path: &str) -> Result<Blob> {
        let blob = self.tree.blob(path)?;
        self.note(path);
        Ok(blob)
    }
    fn has(&self, path: &str) -> bool {
        self.tree.has(path)
    }
    fn paths(&self) -> Vec<String> {
        self.without_output(self.tree.paths())
    }
    fn below(&self, folder: &str) -> Result<Vec<String>> {
        self.tree.below(folder).map(|paths| self.without_output(paths))
    }
    fn each_path(&self, see: &mut dyn FnMut(String)) {
        self.tree.each_path(&mut |path| {
            if !self.is_output(&path) {
                see(path);
            }
        });
    }
    fn each_below(&self, folder: &str, see: &mut dyn FnMut(String)) -> Result<()> {
        self.tree.each_below(folder, &mut |path| {
            if !self.is_output(&path) {
                see(path);
            }
        })
    }
    fn later(&self) -> Option<Later> {
        self.tree.later()
    }
    fn strict(&self) -> bool {
        self.strict
    }
}

impl Recording {
    fn without_output(&self, mut paths: Vec<String>) -> Vec<String> {
        paths.retain(|path| !self.is_output(path));
        paths
    }

    fn is_output(&self, path: &str) -> bool {
        self.output.as_deref().is_some_and(|output| litter::is_of_archive(path, output))
    }

    fn note(&self, path: &str) {
        if let Ok(mut read) = self.read.lock() {
            read.insert(self.hasher.hash_one(path));
        }
    }

    /// Files in folders that are what they hold: those that were read and are new, and those that are gone, since the tree was made.
    fn came_and_went(&self, folders: &[&str]) -> (Vec<String>, Vec<String>) {
        let Ok(mut before) = self.tree.blob(SUMS).and_then(|list| Sums::read(&list)) else { return Default::default() };
        let inside = |path: &String| folders.iter().any(|folder| path.starts_with(folder));
        let now: Vec<String> = self.paths().into_iter().filter(inside).collect();
        let new: Vec<String> = now.into_iter().filter(|path| before.remove(path).is_none()).collect();
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        (
            new.into_iter().filter(|path| read.contains(&self.hasher.hash_one(path.as_str()))).collect(),
            before.paths().filter(inside).collect(),
        )
    }

    /// Files that no part of the tree mentions.
    fn unread(&self) -> Vec<String> {
        let Ok(read) = self.read.lock() else { return Vec::new() };
        let mut unread = Vec::new();
        self.each_path(&mut |path| {
            if !read.contains(&self.hasher.hash_one(path.as_str())) && !paths::is_hidden(&path) {
                unread.push(path);
            }
        });
        unread.sort();
        unread
    }
}

impl Repack {
    /// The command as the form without a verb uses it.
    pub fn plain(tree: PathBuf) -> Self {
        Repack { trees: vec![tree], output: None, strict: false, originals: Originals::default(), new: New::default() }
    }

    /// Runs the command.
    pub fn run(self, session: &mut Session) -> Result<()> {
        let new = session.global.format == Some(Format::Pbo);
        if self.new.is_given() && !new {
            super::usage("--prefix, --property, --compress and --variant make a new archive: they need --format pbo");
        }
        let trees = paths::expand(&self.trees)?;
        match (&self.new.like, session.global.format) {
            (Some(like), Some(Format::Sounds)) => {
                let [folder] = trees.as_slice() else { super::usage("--like makes banks of one folder") };
                return banks::make(session, folder, like, self.output.as_deref(), &self.originals);
            }
            (Some(_), _) => super::usage("--like makes banks of sounds: it needs --format sounds"),
            (None, Some(Format::Sounds)) if trees.iter().any(|tree| tree.is_dir() && !paths::is_tree(tree) && !is_project(tree)) => {
                super::usage("--format sounds makes banks of a folder: it needs --like sounds.zrd, which says what each bank takes")
            }
            _ => {}
        }
        if let [root] = trees.as_slice()
            && is_project(root)
        {
            return project::repack(&self, session, root);
        }
        if let Some(root) = trees.iter().find(|tree| is_project(tree)) {
            super::usage(&format!("{} is a project: name it alone", root.shown()));
        }
        let into_folder = self.output.as_ref().is_some_and(|o| o.is_dir() || o.shown().ends_with(std::path::is_separator));
        if trees.len() > 1 && self.output.is_some() && !into_folder {
            super::usage("several trees need a folder behind -o: an existing one, or a name that ends with a slash");
        }
        if self.two_for_one(session, &trees, into_folder) {
            return Ok(());
        }
        let progress = session.progress(0);
        for tree in &trees {
            progress.say(tree.shown());
            let mut report = Report::new(tree);
            if let Err(e) = self.one(session, tree, into_folder, &mut report) {
                report = report.failed(about(tree, &e));
            }
            let failed = report.error.is_some();
            progress.aside(|| tell(session, report));
            if failed && !session.global.keep_going {
                break;
            }
        }
        Ok(())
    }

    fn one(&self, session: &Session, tree: &Path, into_folder: bool, report: &mut Report) -> Result<()> {
        if !tree.is_dir() {
            return Err(match tree.exists() {
                true => Error::say("not a folder; repack takes an unpacked tree").hint("to unpack a file: refit unpack FILE"),
                false => Error::say("there is no such folder"),
            });
        }
        if !paths::is_tree(tree) && session.global.format == Some(Format::Pbo) {
            return self.build(session, tree, into_folder, report);
        }
        // Where the head cannot be read, assembling tells why.
        let target = read_head(&DirSource::new(tree)).ok().map(|(_, head)| self.target(tree, &head, into_folder));
        let output = target.and_then(|target| addon::below(tree, &target.ok()?));
        let (head, model, source) = self.read(session, tree, output, report)?;
        let target = self.target(tree, &head, into_folder)?;
        self.write(session, &*model, &target, Some((&head, &source as &dyn Source, tree)), report)?;
        if report.more.get("identical") != Some(&true.into()) {
            tell_news(session, tree, &head, &model, &target, report)?;
        }
        Ok(())
    }

    /// Reads a tree, and tells what is to be told of it. `output` is the file that is to be written, where it stands in the tree.
    pub fn read(&self, session: &Session, tree: &Path, output: Option<String>, report: &mut Report) -> Result<(Head, File, Recording)> {
        let tree_source = DirSource::new(tree);
        let source = Recording { tree: tree_source, read: Mutex::default(), hasher: RandomState::new(), output, strict: self.strict };
        let (head, model) = pipeline::assemble(&source).map_err(|e| match paths::is_tree(tree) {
            true => e,
            false => e.hint("a PBO is made of any folder with --format pbo"),
        })?;
        if !session.global.force {
            edits::check_format(tree, &source.tree, &head, "--force packs it so")?;
        }
        for note in model.notes() {
            session.warn(format!("{}: {note}", tree.shown()));
        }
        let (mut added, mut removed) = (Vec::new(), Vec::new());
        for change in model.followed() {
            match change {
                Followed::Added(file) => added.push(file.clone()),
                Followed::Removed(file) => removed.push(file.clone()),
            }
        }
        if matches!(head.format, Format::Gamez | Format::Planes) {
            (added, removed) = source.came_and_went(&["models/", "nodes/"]);
        }
        for (key, files) in [("added", &added), ("removed", &removed)] {
            if !files.is_empty() {
                report.more.insert(key, files.as_slice().into());
            }
        }
        // What a format says about such a file itself says more.
        let said =
            |path: &String| model.notes().iter().any(|note| note.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with(':')));
        for path in source.unread().into_iter().filter(|path| !said(path)) {
            // The folder is the content, and packed bytes stand only for files that were not edited: that is said already.
            if head.format == Format::Pbo && ["files/", "packed/"].iter().any(|folder| path.starts_with(folder)) {
                continue;
            }
            let line = registry::codec(head.format).line_for(&path, &head);
            let add = line.map_or(String::new(), |line| {
                let style = if source.has("refit.json") { Style::Json } else { Style::Ron };
                format!("; to pack it, add {} to `{}` in refit.{}", line.spell(style), line.list, style.ext())
            });
            session.warn(format!("{}: the manifest does not name it, it is not packed{add}", tree.join(path).shown()));
        }
        report.game = head.game.map(Game::code);
        report.format = Some(head.format);
        Ok((head, model, source))
    }

    /// The file that a tree is packed into.
    fn target(&self, tree: &Path, head: &Head, into_folder: bool) -> Result<PathBuf> {
        Ok(match &self.output {
            Some(folder) if into_folder => folder.join(paths::plain_name(&head.source.file)?),
            Some(file) => file.clone(),
            None => paths::file_for(tree, &head.source.file)?,
        })
    }

    /// Says which trees would be packed into the same file: then nothing is written, for only the last would be left.
    fn two_for_one(&self, session: &Session, trees: &[PathBuf], into_folder: bool) -> bool {
        let mut targets: HashMap<PathBuf, &PathBuf> = HashMap::new();
        let mut found = false;
        for tree in trees {
            // What is wrong with a tree is said when it is packed.
            let Ok((_, head)) = read_head(&DirSource::new(tree)) else { continue };
            let Ok(target) = self.target(tree, &head, into_folder) else { continue };
            if let Some(first) = targets.insert(same_path(&target), tree) {
                found = true;
                let error = Error::say(format!("{} and {} would both be packed into it", first.shown(), tree.shown()));
                session.error(about(&target, &error.hint("nothing was written; pack one of them under another name with -o")));
            }
        }
        found
    }

    /// A new archive of a folder.
    fn build(&self, session: &Session, folder: &Path, into_folder: bool, report: &mut Report) -> Result<()> {
        let name = || -> Result<OsString> {
            let full = refit::path::canonical(folder).map_err(|e| Error::io(folder, e))?;
            let mut name = full.file_name().ok_or_else(|| Error::say("the folder has no name").hint("name the file with -o"))?.to_owned();
            name.push(".pbo");
            Ok(name)
        };
        let target = match &self.output {
            Some(into) if into_folder => into.join(name()?),
            Some(file) => file.clone(),
            None => paths::folder_of(folder).join(name()?),
        };
        let options = build::Options {
            prefix: self.new.prefix.clone(),
            properties: self.new.properties.clone(),
            compress: self.new.compress.clone(),
            exclude: session.global.exclude.clone(),
            variant: self.new.variant.unwrap_or_default(),
            time: 0,
        };
        let built = addon::from_folder(folder, &options, Some(&target))?;
        for note in &built.notes {
            session.warn(format!("{}: {note}", folder.shown()));
        }
        report.format = Some(Format::Pbo);
        self.write(session, &built.pbo, &target, None, report)
    }

    /// Writes the file; `tree` is the tree it comes from, and what that one's manifest begins with.
    fn write(
        &self,
        session: &Session,
        model: &dyn Model,
        target: &Path,
        tree: Option<(&Head, &dyn Source, &Path)>,
        report: &mut Report,
    ) -> Result<()> {
        let head = tree.map(|(head, ..)| head);
        // What the target's disk says names no file before it arrives here; the rest is about the tree.
        let of_tree = Cell::new(false);
        let explained = |e: Error| match tree {
            Some((_, source, _)) if e.file().is_some() || !matches!(e.what(), Cause::Io(_)) => {
                of_tree.set(true);
                pipeline::explained(source, e)
            }
            _ => e,
        };
        // The path of the target is whole: it must not seem to be one below the tree.
        let outside = |e: Error| if of_tree.get() { e } else { e.elsewhere() };
        report.status = Status::Exact;
        report.also("file", "file_hex", target);
        session.claim(target).and_then(|()| project::finish_above(session, target)).map_err(outside)?;
        // The project that the tree is of makes the same file.
        let project = tree.and_then(|(.., tree)| project::above(tree));
        let id = project.and_then(|project| Some(Project::open(&project).ok()?.own_name()));
        let may = Replace {
            backup: self.originals.backup(Backup::Foreign),
            by: id.as_deref().map_or(By::Tree, By::Project),
            source: head.map(|head| head.source.sha256.wait()).filter(|sum| !sum.is_empty()),
            ..Replace::new(session.global.force)
        };
        let check = |bytes: u64, sum: &str| match head {
            Some(head) => check(model, head, bytes, sum).inspect_err(|_| of_tree.set(true)),
            None => Ok(()),
        };
        let (bytes, sum) = if session.global.dry_run {
            disk::check_file(target, may).map_err(outside)?;
            let mut nowhere = std::io::sink();
            let mut summed = disk::Summed::new(&mut nowhere);
            pipeline::write(model, &mut summed).map_err(explained)?;
            let (bytes, sum) = summed.end();
            check(bytes, &sum)?;
            (bytes, sum)
        } else {
            let written =
                disk::write_file_checked(target, may, |out| pipeline::write(model, out).map_err(explained), check).map_err(outside)?;
            session.kept(target, written.kept.as_ref());
            if let Some(kept) = &written.kept {
                report.more.insert("kept", kept.path.shown().into());
            }
            report.more.insert("unchanged", written.unchanged.into());
            (written.bytes, written.sha256)
        };
        report.bytes = Some(bytes);
        if let Some(head) = head {
            report.more.insert("identical", (sum == head.source.sha256.wait()).into());
        }
        report.sha256 = Some(sum);
        if !session.global.dry_run {
            let same = [report.more.get("identical"), report.more.get("unchanged")].contains(&Some(&true.into()));
            let signatures = signatures(session, target, same);
            if !signatures.is_empty() {
                report.more.insert("signatures", signatures.into());
            }
        }
        Ok(())
    }
}

/// An error when refit itself would refuse an edited file, of this size and sum.
pub fn check(model: &dyn Model, head: &Head, bytes: u64, sum: &str) -> Result<()> {
    // A large container is not read again: its members are not looked into, and it may be larger than memory.
    let contains = matches!(head.format, Format::Pbo | Format::Sounds | Format::Archive);
    if sum != head.source.sha256.wait() && (bytes <= READ_AGAIN || !contains) { pipeline::check_readable(model, head) } else { Ok(()) }
}

/// Tells what the edits of a tree brought in.
pub fn tell_news(session: &Session, tree: &Path, head: &Head, file: &File, target: &Path, report: &mut Report) -> Result<()> {
    let news = edits::of_tree(tree, head, file, &[target.to_owned()])?;
    news.tell(session, &report.path, file.notes());
    if !news.found.is_empty() {
        report.more.insert("new_findings", serde_json::to_value(&news.found).unwrap_or_default());
    }
    Ok(())
}

/// Tells whether the signatures beside a PBO that was just written still fit; `same` when it is what it was before.
pub fn signatures(session: &Session, target: &Path, same: bool) -> Vec<String> {
    if addon::signatures_beside(target).is_empty() {
        return Vec::new();
    }
    let signatures = match pipeline::load(target) {
        Ok(file) => addon::describe_signatures(target, &file),
        Err(e) => vec![e.to_string()],
    };
    for signature in &signatures {
        let text = format!("signature {signature}");
        if same { session.detail(text) } else { session.warn(text) }
    }
    signatures
}

/// Tells what became of a tree.
pub fn tell(session: &mut Session, report: Report) {
    if let Some(error) = &report.error {
        session.error(error);
    } else {
        // Where the same file is there already, what came and went was told when it was written.
        let again = report.more.get("unchanged") == Some(&true.into());
        for (key, sign, paint) in [("added", "+", Paint::Green), ("removed", "-", Paint::Red)] {
            for file in report.more.get(key).filter(|_| !again).and_then(|files| files.as_array()).into_iter().flatten() {
                let file = shorten(file.as_str().unwrap_or_default(), LONGEST);
                session.tell(Line::new().paint(paint, sign).text(format!(" {file}")));
            }
        }
        let file = report.more.get("file").and_then(|f| f.as_str()).unwrap_or_default().to_owned();
        let same = if report.more.get("identical") == Some(&true.into()) { ", identical to the original" } else { "" };
        let unchanged = if report.more.get("unchanged") == Some(&true.into()) { ", unchanged" } else { "" };
        let would = if session.global.dry_run { ", not written (dry run)" } else { "" };
        let definitions =
            report.more.get("definitions").and_then(|told| told.as_str()).map_or(String::new(), |told| format!(", definitions: {told}"));
        let (kind, size) = (report.kind(), size(report.bytes.unwrap_or(0)));
        session.tell(format!("{} → {file} ({kind}, {size}{definitions}{same}{unchanged}{would})", report.path));
    }
    if session.global.json {
        session.json(&report);
        session.flush();
    }
}
