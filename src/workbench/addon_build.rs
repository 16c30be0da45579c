//! `refit build`: a mod from the sources of its addons.
//!
//! Each addon becomes an archive: configs and materials are compiled, pictures become textures, and
//! what belongs to no archive is left out. The archives are signed, and the folder of the mod gets
//! the files around them. An addon whose sources did not change is not built again (`cache`).

mod cache;
mod content;
mod listed;
mod stamps;
mod surround;

use super::{
    Input,
    addon_sources::{Addon, Sources},
    configs::{Includes, Search},
    options::Options,
    parallel::in_order,
    progress::{Event, Progress},
    sign::{self, ServerKeys},
};
use cache::{Cache, Made};
use content::Content;
use rayon::prelude::*;
use refit_base::{
    Sum,
    contract::Model,
    lint::{self, Severity},
    path::Shown,
    tree::disk::{self, Backup, Replace},
    wire::{Error, Result},
};
use refit_bohemia::pbo::{build as pbo, sign::PrivateKey};
use refit_files::{file::File, pipeline};
use stamps::{Stamp, Stamps};
use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
};

/// What to build, and where.
#[derive(Clone, Debug, Default)]
pub struct Build {
    /// The folder of an addon or of a project.
    pub source: PathBuf,
    /// The folder of the mod; by default `@NAME` in the project, or next to the addon.
    pub output: Option<PathBuf>,
    /// The private key that signs.
    pub key: Option<PathBuf>,
    /// The version of the signatures; 3 by default.
    pub signature: Option<u32>,
    /// Where included files are looked for.
    pub search: Search,
    /// Patterns of further files that belong to no archive.
    pub exclude: Vec<String>,
    /// Build everything again.
    pub rebuild: bool,
}

/// What became of an addon.
#[derive(Debug)]
pub struct BuiltAddon {
    /// Its archive.
    pub archive: PathBuf,
    /// The size of the archive, in bytes.
    pub bytes: u64,
    /// How many files it has.
    pub files: usize,
    /// How many of its files were converted: compiled, or made of pictures.
    pub converted: usize,
    /// True if the archive was written; false if it was up to date.
    pub written: bool,
    /// Its signature.
    pub signature: Option<PathBuf>,
}

/// A mod that was built.
#[derive(Debug, Default)]
pub struct BuiltMod {
    /// Its folder.
    pub folder: PathBuf,
    /// Its addons, in the order of their names.
    pub addons: Vec<BuiltAddon>,
    /// How many addons failed.
    pub failed: usize,
    /// Other files that were written.
    pub written: Vec<PathBuf>,
}

/// An archive to be made.
struct Target<'a> {
    addon: &'a Addon,
    archive: PathBuf,
}

/// What the work on all addons shares.
struct Work<'a> {
    build: &'a Build,
    sources: &'a Sources,
    includes: &'a Includes,
    key: Option<&'a PrivateKey>,
    cache: &'a Cache,
    options: &'a Options,
    progress: &'a dyn Progress,
}

impl Build {
    /// Builds what changed. Each addon is reported to `on` when it is done; the error of one is
    /// reported to `progress`, and the others are built all the same.
    pub fn run(
        &self,
        options: &Options,
        progress: &dyn Progress,
        on: &mut dyn FnMut(&BuiltAddon),
    ) -> Result<BuiltMod> {
        let mut sources = Sources::of(&self.source)?;
        if let Some(prefix) = &self.search.prefix {
            let [addon] = sources.addons.as_mut_slice() else {
                return Err(Error::say("--prefix is for one addon")
                    .in_file(self.source.shown())
                    .hint("a $PBOPREFIX$ in each addon says its path in the game"));
            };
            let prefix = prefix.replace('/', "\\");
            addon.prefix = Some(prefix.trim_matches('\\').to_owned());
        }
        let folder = self.folder(&sources)?;
        let key = self.key.as_deref().map(sign::private_key).transpose()?;
        if let (Some(file), Some(wanted), Some(key)) = (&self.key, &sources.authority, &key)
            && !key.authority().show().eq_ignore_ascii_case(wanted)
        {
            progress.warn(&format!(
                "{}: the project names the key {wanted}, but this one is {}",
                file.shown(),
                key.authority().show()
            ));
        }
        let targets = targets(&sources, &folder)?;
        let includes = Includes::of_sources(&sources, &self.search)?;
        let file = cache::place(&folder);
        let cache = match self.rebuild {
            true => Cache::default(),
            false => Cache::read(&file),
        };
        let work = Work {
            build: self,
            sources: &sources,
            includes: &includes,
            key: key.as_ref(),
            cache: &cache,
            options,
            progress,
        };
        let mut made = BTreeMap::new();
        let (mut addons, mut failed) = (Vec::new(), 0);
        let one = |target: &Target<'_>| {
            work.addon(target)
                .map_err(|e| e.about(&target.addon.folder))
        };
        // As the addons are ready, and in their order: two runs print the same.
        in_order(
            &targets,
            options,
            progress,
            (|_| 0, |target| target.addon.folder.shown()),
            one,
            |target, done| match done {
                Ok((built, entry)) => {
                    on(&built);
                    if let Some(entry) = entry {
                        made.insert(target.addon.archive.clone(), entry);
                    }
                    addons.push(built);
                }
                Err(e) => {
                    progress.report(Event::Failed(&e));
                    failed += 1;
                }
            },
        );
        let mut done = BuiltMod {
            failed,
            addons,
            folder: folder.clone(),
            written: Vec::new(),
        };
        surround::write(&work, &folder, &mut done)?;
        if !sources.is_part {
            surround::strangers(&folder, &targets, progress);
        }
        if !options.dry_run {
            cache.with(made).write(&file)?;
        }
        Ok(done)
    }

    /// A number that changes when a file of the sources does. It opens no file.
    pub fn pulse(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut all = DefaultHasher::new();
        let is_hidden = |entry: &walkdir::DirEntry| {
            let name = entry.file_name().to_string_lossy();
            entry.depth() > 0 && name.starts_with(['.', '@']) && name != ".hemtt"
        };
        for folder in self.search.folders.iter().chain([&self.source]) {
            let walk = walkdir::WalkDir::new(folder).sort_by_file_name();
            for entry in walk.into_iter().filter_entry(|entry| !is_hidden(entry)) {
                let Ok(entry) = entry else { continue };
                if let Ok(meta) = entry.metadata()
                    && meta.is_file()
                {
                    (entry.path(), meta.len(), stamps::time_of(&meta)).hash(&mut all);
                }
            }
        }
        all.finish()
    }

    /// The folder of the mod.
    fn folder(&self, sources: &Sources) -> Result<PathBuf> {
        let folder = match &self.output {
            Some(output) => output.clone(),
            None => {
                let name = format!("@{}", sources.folder_name());
                match sources.addons.first() {
                    // Inside of the addon it would be a part of it.
                    Some(addon) if addon.folder == sources.root => {
                        let whole = refit_base::path::whole(&sources.root)
                            .map_err(|e| Error::io(&sources.root, e))?;
                        let beside = match sources.root.file_name() {
                            Some(_) => sources.root.parent().map(Path::to_owned),
                            None => whole.parent().map(Path::to_owned),
                        };
                        beside.unwrap_or_default().join(name)
                    }
                    _ => sources.root.join(name),
                }
            }
        };
        let whole = |path: &Path| refit_base::path::whole(path).unwrap_or_else(|_| path.to_owned());
        let target = whole(&folder);
        if let Some(addon) = sources
            .addons
            .iter()
            .find(|addon| target.starts_with(whole(&addon.folder)))
        {
            return Err(Error::say(format!(
                "the mod would be inside of the addon {}",
                addon.folder.shown()
            ))
            .in_file(folder.shown())
            .hint("name another folder with -o"));
        }
        Ok(folder)
    }

    /// What a server with these keys refuses of a mod: a line for each archive.
    pub fn check(keys: &Path, built: &BuiltMod) -> Result<Vec<(PathBuf, Vec<String>)>> {
        let keys = ServerKeys::read(keys)?;
        let check =
            |addon: &BuiltAddon| Ok((addon.archive.clone(), keys.refusals(&addon.archive)?));
        built.addons.par_iter().map(check).collect()
    }
}

/// The archives of all addons. Two with the same path are an error.
fn targets<'a>(sources: &'a Sources, folder: &Path) -> Result<Vec<Target<'a>>> {
    let mut seen: HashMap<String, &Path> = HashMap::new();
    let mut targets = Vec::new();
    for addon in &sources.addons {
        let name = format!("{}.pbo", addon.archive);
        // The prefix of a project is a part of it.
        if name.contains(['/', '\\']) || refit_base::path::unusable(&name).is_some() {
            return Err(
                Error::say(format!("{name:?} cannot be the name of an archive"))
                    .in_file(addon.folder.shown())
                    .hint("choose another `prefix` in project.toml, or another name of the folder"),
            );
        }
        let archive = match (addon.is_optional, sources.has_optional_mods) {
            (false, _) => folder.join("addons").join(&name),
            (true, false) => folder.join("optionals").join(&name),
            (true, true) => folder
                .join("optionals")
                .join(format!("@{}", addon.archive))
                .join("addons")
                .join(&name),
        };
        if let Some(other) = seen.insert(name.to_lowercase(), &addon.folder) {
            return Err(Error::say(format!(
                "{} and {} would be the same archive, {name}",
                other.shown(),
                addon.folder.shown()
            ))
            .hint("rename one of the folders"));
        }
        targets.push(Target { addon, archive });
    }
    Ok(targets)
}

impl Work<'_> {
    /// Builds an addon, or finds that it is up to date. Also returns what the cache remembers.
    fn addon(&self, target: &Target<'_>) -> Result<(BuiltAddon, Option<Made>)> {
        let addon = target.addon;
        let settings = cache::settings(addon, self.sources, &self.build.exclude);
        let files = listed::list(addon, &self.sources.filter(addon, &self.build.exclude)?)?;
        let before = self.cache.of(&addon.archive);
        let mut stamps = Stamps::new(self.cache.saved);
        if let Some(before) = before
            && before.settings == settings
            && before.is_current(&files, self.includes, &target.archive, &mut stamps)?
        {
            let mut made = before.clone();
            made.restamp(&stamps);
            let signature = self.signed(target, &mut made)?;
            let built = BuiltAddon {
                archive: target.archive.clone(),
                bytes: made.archive.bytes,
                files: made.files,
                converted: made.converted,
                written: false,
                signature,
            };
            return Ok((built, Some(made)));
        }
        let old = before.filter(|before| before.settings == settings);
        let content = Content::of(
            addon,
            files,
            self.includes,
            old,
            &target.archive,
            &mut stamps,
        )?;
        self.progress.notes(&addon.folder, &content.notes);
        let options = pbo::Options {
            prefix: addon.prefix.clone(),
            properties: self.properties(addon),
            ..pbo::Options::default()
        };
        let converted = content.converted;
        let mut made = Made {
            settings,
            inputs: content.inputs,
            asked: content.asked,
            converted,
            ..Made::default()
        };
        let open = |place: &content::Place| place.open();
        let built = pbo::from_files(content.files.into_iter().map(Ok), open, &options, None)?;
        // What was left out is what the user put there.
        self.progress.notes(&addon.folder, &built.notes);
        if let Some(name) = built.pbo.private_key()? {
            return Err(refit_base::secret::error().in_file(name));
        }
        made.files = built.pbo.entries().len();
        if made.files == 0 {
            return Err(Error::say("the addon has no files"));
        }
        let model: File = built.pbo.into();
        self.judge(&model, addon)?;
        let (bytes, sum, written) = if self.options.dry_run {
            let (bytes, sum) = super::open::size_and_sum(model.model(), Sum::default())?;
            (bytes, sum, true)
        } else {
            let may = self.replace(&target.archive);
            let write = |out: &mut (dyn std::io::Write + Send)| pipeline::write(model.model(), out);
            let written =
                disk::write_file_with(&target.archive, may, write).map_err(Error::elsewhere)?;
            self.progress.kept(&target.archive, written.kept.as_ref());
            (written.bytes, written.sum, !written.unchanged)
        };
        made.archive = Stamp::of(&target.archive, bytes, sum);
        let signature = match self.options.dry_run {
            true => None,
            false => self.signed(target, &mut made)?,
        };
        if written && !self.options.dry_run {
            // Those of another key, or of an older build.
            super::repack::signatures(&target.archive, false, self.progress);
        }
        let built = BuiltAddon {
            archive: target.archive.clone(),
            bytes,
            files: made.files,
            converted,
            written,
            signature,
        };
        Ok((built, Some(made)))
    }

    /// The properties of an archive besides its prefix.
    fn properties(&self, addon: &Addon) -> Vec<(String, String)> {
        let mut all = BTreeMap::new();
        if let Some(version) = &self.sources.version {
            all.insert("version".to_owned(), version.clone());
        }
        for properties in [&self.sources.properties, &addon.properties] {
            all.extend(properties.iter().map(|(k, v)| (k.clone(), v.clone())));
        }
        // The prefix has an option of its own.
        all.retain(|key, _| !key.eq_ignore_ascii_case("prefix"));
        all.into_iter().collect()
    }

    /// Reports what the games would refuse or ignore in a new archive.
    fn judge(&self, model: &File, addon: &Addon) -> Result<()> {
        let mut found = pipeline::lint(model.model())?;
        lint::worst_first(&mut found);
        for finding in found
            .iter()
            .filter(|finding| finding.severity > Severity::Unusual)
        {
            let text = format!(
                "{}: {}: {} [{}]",
                addon.folder.shown(),
                finding.path,
                finding.message,
                finding.code
            );
            self.progress
                .report(Event::Finding(finding.severity, &text));
        }
        Ok(())
    }

    /// An archive of this build replaces one that refit wrote; others only with `--force`.
    fn replace(&self, file: &Path) -> Replace<'static> {
        let is_own = || {
            let sum = pipeline::load(file).ok()?.sum().ok()?;
            disk::own_note(file, sum)
                .map(drop)
                .or_else(|| self.cache.wrote(sum).then_some(()))
        };
        Replace {
            backup: self.options.backup_or(Backup::Foreign),
            ..Replace::new(self.options.force || is_own().is_some())
        }
    }

    /// Signs an archive, unless its signature is there.
    fn signed(&self, target: &Target<'_>, made: &mut Made) -> Result<Option<PathBuf>> {
        let Some(key) = self.key else {
            return Ok(None);
        };
        let version = self.build.signature.or(self.sources.signature).unwrap_or(3);
        let id = format!("{version} {}", Sum::of(&key.public_key()?.write()?));
        if let Some((known, stamp)) = &made.signature
            && *known == id
            && stamp.fits(&stamp.path)
        {
            return Ok(Some(stamp.path.clone()));
        }
        if self.options.dry_run {
            return Ok(None);
        }
        let input = Input {
            path: target.archive.clone(),
            relative: PathBuf::from(target.archive.file_name().unwrap_or_default()),
            explicit: true,
        };
        let signature = sign::sign(&input, key, version, self.options, self.progress)?;
        let bytes = disk::read(&signature)?;
        let stamp = Stamp::of(&signature, bytes.len() as u64, Sum::of(&bytes));
        made.signature = Some((id, stamp));
        Ok(Some(signature))
    }
}
