//! Findings across the files of a game, and how the game reacts to them.
//!
//! Shipped files have dangling names, too, but no reader fails on them. Each finding has two
//! places: where the name is used, and where the game looks for its definition.

use super::{File, Index, Place};
use refit_base::{
    format::Format,
    game::Game,
    lint::{Code, Finding, codes},
    naming::{Does, Name, NameKind, coarse, key},
    wire::place,
};
use refit_bohemia::pbo;
use std::collections::{BTreeMap, HashMap, HashSet};

codes! {
    /// All kinds of findings across files.
    pub CODES:
    ANIM_NODE_MISSING "anim-node-missing" Refuses [Rc] "an animation names a node that no world has"
        "Neither the animations' world nor the planes have a node of this name. Recoil refuses the whole animation \
        file if a root, an attach node or another node is missing; what the other games do is not known."
        "Read in the Recoil engine: binding an animation file fails as a whole."
    ANIM_EFFECT_MISSING "anim-effect-missing" Refuses [Rc] "an animation names an effect that effects.zrd does not \
        have"
        "Recoil refuses the whole animation file if a template of an effect is missing. Case matters."
        "Read in the Recoil engine: binding an animation file fails as a whole."
    ANIM_SOUND_MISSING "anim-sound-missing" Ignores [Rc] "an animation names an undefined sample"
        "Neither sounds.zrd nor a sound bank has it. The game plays nothing."
        "Read in the Recoil engine: an unknown sample is silent."
    ANIM_CALL_MISSING "anim-call-missing" Ignores [] "an animation calls one that does not exist"
        "None of the animation files that belong here has it. The call does nothing."
        "Follows from how calls are looked up by name."
    ANIM_PREREQUISITE_MISSING "anim-prerequisite-missing" Differs [Rc] "an undefined prerequisite"
        "No animation and no node has this name. Recoil drops the animation's list of prerequisites, so the animation \
        runs without them."
        "Read in the Recoil engine: it drops a list with a missing prerequisite."
    START_ANIMATION_MISSING "start-animation-missing" Ignores [Rc] "startanims.zrd names an undefined animation"
        "The game skips the name."
        "Read in the Recoil engine."
    TEXTURE_MISSING "texture-missing" Differs [] "a texture that no package has"
        "The game draws its default texture instead. Shipped worlds have such names."
        "Shipped worlds name textures that no package has, and the games run."
    SOUND_FILE_MISSING "sound-file-missing" Ignores [] "a sample's file is not in any bank"
        "The game looks for a loose file of this name. Without one it stays silent."
        "Shipped sound lists name files that no bank has, and the games run."
    MESSAGE_MISSING "message-missing" Ignores [] "a message that the message library does not have"
        "The game shows nothing, or the caller's default text."
        "Follows from how messages are looked up."
    SCRIPT_NODE_MISSING "script-node-missing" Ignores [Rc] "a script looks for a node that no world has"
        "The following commands work on nothing, or on the node that was found before."
        "Read in the Recoil engine; with no current node some commands crash it."
    SCRIPT_MISSING "script-missing" Ignores [Rc] "a script sources one that the index does not have"
        "The line does nothing, and the script continues. Shipped scripts have such lines."
        "Read in the Recoil engine: it ignores a missing script."
    MOTION_NODE_MISSING "motion-node-missing" Ignores [] "a motion moves a part that no 'mech has"
        "No 'mech of the library has a node of this name, so this part of the motion moves nothing."
        "Follows from how parts are looked up by name."
    ADDON_FILE_MISSING "addon-file-missing" Ignores [] "an addon names a file that its addon does not have"
        "The path begins with the prefix of an addon that refit found, and that addon has no such file, so the game \
        does not find it either. refit does not check files of addons that it did not find, or names that a script \
        builds at run time."
        "Follows from how the games find files: the prefix of an addon, or its name if it has no prefix, then the name \
        within it."
    ADDON_CLASS_MISSING "addon-class-missing" Refuses [] "a class that no addon defines"
        "A config declares or inherits a class of another addon, and no addon that refit found has it. The game \
        reports an undefined base class and stops reading. Checked only if all addons in `requiredAddons`, and those \
        that they require, were found."
        "The released source of Operation Flashpoint: when addons are merged, a class without its base ends the \
        reading."
    ADDON_REQUIRED "addon-required" Differs [] "an addon requires one that is not there"
        "A name in `requiredAddons` is in none of the addons that were named, with `lint --with` included. When it \
        starts, the game says that the addon requires it, and goes on without it. Checked only with `--with`, and only \
        names that would be there: those that begin like an addon of a named folder (`cba_` for @CBA_A3), and all of \
        them if a named folder is that of a game. Names like those of encrypted archives are not checked."
        "The released source of Operation Flashpoint: it warns that the addon requires another one, and reads the \
        config all the same."
    ADDON_FILE_NOWHERE "addon-file-nowhere" Ignores [] "an addon names a file that no addon has"
        "A config, a material, a script or a model names a file by its path in the game, and no addon that was named \
        has its prefix. Checked only with `lint --with`, and only paths below a part of the game that is there: paths \
        that begin with the same two folders as the prefix of an addon (`x\\cba`), and all paths of a first folder if \
        20 addons of one folder have it and none of them is encrypted."
        "Follows from how the games find files: the prefix of an addon, then the name within it."
    HIDDEN_MEMBER "archive-hidden" Ignores [] "a member that another archive hides"
        "The game first looks in the archive of the whole game, or of the world, so it never reads a mission's member \
        of the same name. To change the member for one mission only, remove it from the wider archive."
        "Read in the engines of Recoil and MechWarrior 3: the archive mounted first wins."
    LOOSE_SCRIPT "script-loose" Refuses [Rc] "a loose file with the name of a script"
        "If a loose file has a name from the index and its time is not exactly the stored one, Recoil closes the index \
        and takes all scripts from loose files, so no mission starts. The same is very likely in the other games."
        "Read in the Recoil engine: it compares the times of loose files with those in the index."
    DEFINITION_COMPILED "definition-compiled" Ignores [Rc] "an edited definition that the game takes from anim.zbd"
        "Reader archives still have the texts from which the studio compiled its animations, but the game plays the \
        compiled animation file and never reads them. Edit the animation there: `refit anim decompile` makes a folder \
        of definitions, which belongs into `defs/` of a project, and `repack` compiles it; `refit anim compile` does \
        so without a project."
        "Measured by the author of zStudio and read in the Recoil engine: it never reads the definitions in zrdr.zbd, \
        and five of the release of 1999 differ from what anim.zbd has."
    BINDING_CHANGED "binding-changed" Differs [] "an edit changes what a name means elsewhere"
        "Another file uses this name, which used to mean something else or nothing: something of that name was added, \
        renamed or moved."
        "Compared with what the names meant before."
}

/// What is known of the addons that a list of files is linted with.
#[derive(Debug, Default)]
pub struct Given {
    /// Beginnings of paths in the game that are there, in lower case.
    roots: HashSet<String>,
    /// Beginnings of names of addons that are there, in lower case, up to the first `_`.
    tags: HashSet<String>,
    /// Those of encrypted archives, and of the addons beside them.
    closed: HashSet<String>,
    /// A game is there: what is not there is nowhere.
    is_complete: bool,
}

/// A folder with addons.
#[derive(Debug, Default)]
pub struct GivenFolder<'a> {
    /// The files in it.
    pub files: Vec<&'a File>,
    /// The names of encrypted archives in it.
    pub encrypted: Vec<String>,
    /// It is the folder of a game.
    pub is_game: bool,
}

/// So many addons of a folder make their common first folder whole.
const WHOLE: usize = 20;

/// What the name of an addon begins with.
fn tag(name: &str) -> String {
    let tag = name.split_once('_').map_or(name, |(tag, _)| tag);
    tag.to_ascii_lowercase()
}

/// The first two folders of a path in the game; the first one alone if it is long enough to be a
/// name of its own.
fn root(path: &str) -> String {
    let mut parts = path.split('\\').filter(|part| !part.is_empty());
    let (first, second) = (parts.next(), parts.next());
    let first = first.unwrap_or_default();
    match second {
        Some(second) if first.len() <= 2 => format!("{first}\\{second}"),
        _ => first.to_owned(),
    }
    .to_ascii_lowercase()
}

/// The first folder of a path in the game.
fn first(path: &str) -> String {
    let first = path.split('\\').find(|part| !part.is_empty());
    first.unwrap_or_default().to_ascii_lowercase()
}

impl Given {
    /// The addons of some folders.
    pub fn new(folders: &[GivenFolder<'_>]) -> Self {
        let mut given = Given::default();
        for folder in folders {
            given.is_complete |= folder.is_game;
            given
                .closed
                .extend(folder.encrypted.iter().map(|name| tag(name)));
            let mut firsts: HashMap<String, usize> = HashMap::new();
            for file in &folder.files {
                if !file.prefix.is_empty() {
                    given.roots.insert(root(&file.prefix));
                    *firsts.entry(first(&file.prefix)).or_default() += 1;
                }
                let defined = file
                    .content
                    .names
                    .iter()
                    .filter(|name| name.kind == NameKind::Addon && name.does == Does::Defines);
                let tags = defined.map(|name| tag(&name.name));
                match folder.encrypted.is_empty() {
                    true => given.tags.extend(tags),
                    false => given.closed.extend(tags),
                }
            }
            if folder.encrypted.is_empty() {
                let whole = firsts.into_iter().filter(|(_, n)| *n >= WHOLE);
                given.roots.extend(whole.map(|(first, _)| first));
            }
        }
        given
    }

    fn has_addon(&self, name: &str) -> bool {
        let tag = tag(name);
        !self.closed.contains(&tag) && (self.is_complete || self.tags.contains(&tag))
    }

    fn has_file(&self, name: &str) -> bool {
        self.roots.contains(&root(name)) || self.roots.contains(&first(name))
    }
}

/// A finding that involves two files.
#[derive(Clone, Debug)]
pub struct Misfit {
    /// The position in [`Index::files`] of the file that uses the name.
    pub file: usize,
    /// The finding, with its path in that file.
    pub finding: Finding,
    /// Where the game looks, or the definition that it uses instead.
    pub other: String,
    /// The game's reaction: `refuses the file`, `shows nothing`.
    pub reaction: &'static str,
}

/// A definition that a name may refer to, recognisable after its file was edited.
struct Meant {
    file: String,
    /// Its path, including its position.
    at: String,
    /// Which of the definitions of this name in the file, and how many there are.
    nth: (usize, usize),
    /// The definitions of the same kind before and after it, which move with it.
    beside: [Option<String>; 2],
}

impl Meant {
    fn new(file: &File, n: usize) -> Option<Self> {
        let own = file.content.names.get(n)?;
        let kind: Vec<(usize, &Name)> = file
            .content
            .names
            .iter()
            .enumerate()
            .filter(|(_, name)| name.kind == own.kind && name.does == Does::Defines)
            .collect();
        let at = kind.iter().position(|(m, _)| *m == n)?;
        let twins = || {
            kind.iter()
                .filter(|(_, name)| key(own.kind, &name.name) == key(own.kind, &own.name))
        };
        let beside = |at: Option<usize>| Some(kind.get(at?)?.1.name.clone());
        Some(Meant {
            file: file.relative.clone(),
            at: path_of(own),
            nth: (twins().filter(|(m, _)| *m < n).count(), twins().count()),
            beside: [beside(at.checked_sub(1)), beside(at.checked_add(1))],
        })
    }

    /// True for the same definition, even if its position changed because something was added or
    /// removed before it.
    fn is(&self, other: &Self) -> bool {
        let moved = self.beside.iter().zip(&other.beside).any(|(a, b)| a == b);
        self.file == other.file && self.nth == other.nth && (self.at == other.at || moved)
    }
}

fn are_same(a: &[Meant], b: &[Meant]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is(b))
}

/// The mission that runs a script: m1 for m1_zbd.gs.
fn mission_of(name: &Name) -> String {
    name.document
        .split(['_', '.'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase()
}

fn is_of_mission(file: &File, mission: &str) -> bool {
    file.place.split('/').any(|part| part == mission)
}

fn whereabouts(file: &File, name: &Name) -> String {
    place([&file.relative, &name.document, &name.at])
}

fn path_of(name: &Name) -> String {
    place([&name.document, &name.at])
}

/// The formats in which a game looks for definitions of a kind.
fn asked(kind: NameKind) -> &'static [Format] {
    match kind {
        NameKind::Node => &[Format::Gamez, Format::Planes, Format::Mechlib],
        NameKind::Texture => &[Format::Textures],
        NameKind::Sound => &[Format::Sounds],
        NameKind::Message => &[Format::Messages],
        NameKind::Script => &[Format::Interp],
        NameKind::Effect => &[Format::Reader],
        NameKind::Animation | NameKind::Prerequisite => &[Format::Anim],
        _ => &[],
    }
}

/// The code of the finding for a name without a definition, and the game's reaction.
fn missing(file: &File, name: &Name) -> Option<(&'static Code, &'static str)> {
    let recoil = file.game.is_none_or(|game| game == Game::Rc);
    Some(match (name.kind, file.format) {
        (NameKind::Node, Format::Anim) if recoil => {
            (ANIM_NODE_MISSING, "refuses the animation file")
        }
        (NameKind::Node, Format::Anim) => (
            ANIM_NODE_MISSING,
            "may refuse the animation file, as Recoil does",
        ),
        (NameKind::Node, Format::Interp) => (SCRIPT_NODE_MISSING, "ignores the line"),
        (NameKind::Effect, Format::Anim) if recoil => {
            (ANIM_EFFECT_MISSING, "refuses the animation file")
        }
        (NameKind::Sound, Format::Anim) => (ANIM_SOUND_MISSING, "plays nothing"),
        // Other readers name samples. Any of a game's files sounds.zrd may define these.
        (NameKind::Sound, Format::Reader) if is_wave(&name.name) => {
            (SOUND_FILE_MISSING, "plays nothing")
        }
        (NameKind::Animation, Format::Anim) => (ANIM_CALL_MISSING, "does nothing"),
        (NameKind::Animation, Format::Reader) if is_start(&name.document) => {
            (START_ANIMATION_MISSING, "skips it")
        }
        (NameKind::Prerequisite, Format::Anim) => {
            (ANIM_PREREQUISITE_MISSING, "runs without prerequisites")
        }
        (NameKind::Script, Format::Interp) => (SCRIPT_MISSING, "continues without it"),
        (NameKind::Node, Format::Motion) => (MOTION_NODE_MISSING, "moves nothing"),
        (NameKind::Texture, Format::Gamez | Format::Planes | Format::Mechlib | Format::Interp) => {
            (TEXTURE_MISSING, "shows its default texture")
        }
        (NameKind::File, Format::Pbo) => (ADDON_FILE_MISSING, "finds nothing there"),
        (NameKind::Class, Format::Pbo) => (
            ADDON_CLASS_MISSING,
            "reports an undefined class and stops reading",
        ),
        (NameKind::Message, Format::Reader) => (MESSAGE_MISSING, "shows nothing"),
        _ => return None,
    })
}

/// True for the file of a sample.
fn is_wave(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".wav")
}

/// True for the document of the animations that run from the start.
fn is_start(document: &str) -> bool {
    let file = document.rsplit('/').next().unwrap_or(document);
    file.to_ascii_lowercase().starts_with("startanims.zrd")
}

/// The formats in which the game looks for names of this file.
fn formats_asked(format: Format, kind: NameKind) -> &'static [Format] {
    if format == Format::Motion {
        &[Format::Mechlib]
    } else {
        asked(kind)
    }
}

/// True if a missing definition of this name is a finding.
fn may_miss(file: &File, name: &Name) -> bool {
    missing(file, name).is_some() && !(name.kind == NameKind::Node && is_own(&name.name))
}

/// True for a script that a file defines: loose files must not have its name.
fn is_script(file: &File, name: &Name) -> bool {
    file.format == Format::Interp && name.kind == NameKind::Script && name.does == Does::Defines
}

/// True if the definition may be anywhere in the game. Scripts belong to the whole game, so they
/// may use names of any world.
fn is_everywhere(format: Format, kind: NameKind) -> bool {
    format == Format::Interp || matches!(kind, NameKind::Message | NameKind::Script)
}

/// The kinds of definitions that a name may refer to.
fn kinds_of(file: &File, name: &Name) -> Vec<NameKind> {
    match name.kind {
        NameKind::Prerequisite => vec![NameKind::Animation, NameKind::Node],
        // Lights and puffers of an animation are nodes while it runs.
        NameKind::Node if file.format == Format::Anim => {
            vec![
                NameKind::Node,
                NameKind::Light,
                NameKind::Puffer,
                NameKind::Sound,
            ]
        }
        kind => vec![kind],
    }
}

/// Placeholders that name no node of a world: the game replaces them when an animation runs.
fn is_own(name: &str) -> bool {
    ["INPUT_NODE", "OWN_NODE", "camera", "player"]
        .iter()
        .any(|own| name.eq_ignore_ascii_case(own))
}

/// How many of the files in which the game looks to list.
const SHOWN: usize = 4;

impl File {
    /// Keeps only the names that judging needs: what the file defines, and what it uses without
    /// defining it.
    pub fn keep_judged(&mut self) {
        // Only effects are case-sensitive.
        let same = |kind: NameKind, name: &str| {
            (
                kind,
                if kind == NameKind::Effect {
                    name.to_owned()
                } else {
                    key(kind, name)
                },
            )
        };
        let defines = self
            .content
            .names
            .iter()
            .filter(|name| name.does == Does::Defines);
        let own: HashSet<_> = defines.map(|name| same(name.kind, &name.name)).collect();
        let mut known = HashSet::new();
        self.keep_names(|file, name| {
            let is_new = match (name.does, name.kind) {
                (
                    Does::Defines,
                    NameKind::Material | NameKind::Model | NameKind::Source | NameKind::Motion,
                ) => {
                    return false;
                }
                (Does::Defines, NameKind::Member) => return file.format == Format::Reader,
                (Does::Defines, NameKind::Script) => return true,
                (Does::Defines, _) | (Does::Uses, NameKind::Addon) => true,
                // Lists of sounds name WAVE files, which only sound banks contain.
                (Does::Uses, NameKind::Sound) if file.format == Format::Reader => true,
                (Does::Uses, _) => {
                    may_miss(file, name)
                        && !kinds_of(file, name)
                            .into_iter()
                            .any(|kind| own.contains(&same(kind, &name.name)))
                }
            };
            is_new && known.insert((name.does, same(name.kind, &name.name)))
        });
        let is_use = |name: &Name| {
            name.does == Does::Uses
                || matches!(
                    name.kind,
                    NameKind::Member | NameKind::Script | NameKind::Definition
                )
        };
        for name in self.content.names.iter_mut().filter(|name| !is_use(name)) {
            (name.document, name.at) = Default::default();
        }
    }

    /// Keeps the names whose [coarse] form is in `met`, and the scripts that the file defines.
    pub fn keep_met(&mut self, met: &HashSet<String>) {
        self.keep_names(|file, name| is_script(file, name) || met.contains(&coarse(&name.name)));
    }
}

impl Index {
    /// The definitions that a name may refer to, in its own file and the files visible from it.
    /// Visibility works both ways: a mission uses definitions of its world, and reader files of a
    /// world use names that its missions define.
    fn targets(&self, file: &File, name: &Name) -> Vec<Place> {
        let place = if is_everywhere(file.format, name.kind) {
            ""
        } else {
            &file.place
        };
        let fits = |place: &Place| {
            self.name(*place)
                .is_some_and(|(other, defined)| match name.kind {
                    // Only effects are case-sensitive.
                    NameKind::Effect => defined.name == name.name,
                    // Reader files both define samples and use sounds. A sound that they use must
                    // be in a bank, not in another list.
                    NameKind::Sound if file.format == Format::Reader => {
                        other.format == Format::Sounds
                    }
                    _ => true,
                })
        };
        let of = |name: &str, kind| self.definitions(kind, name, place).into_iter().filter(fits);
        let found: Vec<Place> = kinds_of(file, name)
            .into_iter()
            .flat_map(|kind| of(&name.name, kind))
            .collect();
        if !found.is_empty() || name.kind != NameKind::File {
            return found;
        }
        pbo::names::also(&name.name)
            .iter()
            .flat_map(|other| of(other, NameKind::File))
            .collect()
    }

    /// The definitions that a name may refer to; with a mission, only those in its files.
    fn looked_up(&self, file: &File, name: &Name, mission: Option<&str>) -> Vec<Place> {
        let mut found = self.targets(file, name);
        if let Some(mission) = mission {
            found.retain(|place| {
                self.files
                    .get(place.0)
                    .is_some_and(|other| is_of_mission(other, mission))
            });
        }
        found
    }

    /// The uses of names that meant something in `before`, and mean nothing now: positions of the
    /// file and of the name.
    pub fn lost(&self, before: &Index) -> Vec<Place> {
        let mut found = Vec::new();
        for (f, file) in self.files.iter().enumerate() {
            for (n, name) in file.content.names.iter().enumerate() {
                if name.does != Does::Uses || name.kind == NameKind::Node && is_own(&name.name) {
                    continue;
                }
                let is_lost = |mission: Option<&str>| {
                    !before.looked_up(file, name, mission).is_empty()
                        && self.looked_up(file, name, mission).is_empty()
                };
                let mission = mission_of(name);
                if is_lost(None) || file.format == Format::Interp && is_lost(Some(&mission)) {
                    found.push((f, n));
                }
            }
        }
        found
    }

    /// The findings across files, in the order of the files. Each dangling name of a file is
    /// reported once.
    pub fn misfits(&self) -> Vec<Misfit> {
        (0..self.files.len())
            .flat_map(|f| self.misfits_of(f))
            .collect()
    }

    /// The findings of one file.
    pub(crate) fn misfits_of(&self, f: usize) -> Vec<Misfit> {
        let Some(file) = self.files.get(f) else {
            return Vec::new();
        };
        let (mut found, mut known, mut looked_at) = (Vec::new(), HashSet::new(), HashMap::new());
        for (n, name) in file.content.names.iter().enumerate() {
            if name.does == Does::Defines {
                found.extend(self.hidden(f, file, n, name));
            } else if may_miss(file, name) {
                // Effects are case-sensitive.
                let own = if name.kind == NameKind::Effect {
                    name.name.clone()
                } else {
                    key(name.kind, &name.name)
                };
                if known.insert((name.kind, own)) {
                    found.extend(self.dangles(f, file, name, &mut looked_at));
                }
            }
        }
        found
    }

    /// The first of some files for display, in the order in which they were added.
    fn shown(&self, files: impl Iterator<Item = usize>) -> Vec<String> {
        let mut files: Vec<&File> = files.filter_map(|f| self.files.get(f)).collect();
        files.sort_by_key(|file| file.number);
        let more = (files.len() > SHOWN).then(|| "…".to_owned());
        files
            .iter()
            .take(SHOWN)
            .map(|file| file.relative.clone())
            .chain(more)
            .collect()
    }

    /// Reports a name without a definition. `looked_at` caches where the game looks for each kind
    /// of name in the file.
    fn dangles(
        &self,
        f: usize,
        file: &File,
        name: &Name,
        looked_at: &mut HashMap<NameKind, Vec<String>>,
    ) -> Option<Misfit> {
        let (code, reaction) = missing(file, name)?;
        if !self.targets(file, name).is_empty() || self.is_of_absent_mission(file, name) {
            return None;
        }
        let addons: Vec<String>;
        let looked = if name.kind == NameKind::Class {
            let required = || {
                self.required(f)
                    .map(|required| self.shown(required.into_iter()))
            };
            looked_at
                .entry(name.kind)
                .or_insert_with(|| required().unwrap_or_default())
        } else if name.kind == NameKind::File {
            addons = self.shown(self.addons(&name.name));
            &addons
        } else {
            // The visible files of these formats.
            looked_at.entry(name.kind).or_insert_with(|| {
                let formats = formats_asked(file.format, name.kind);
                let asked = |other: &usize| {
                    *other != f
                        && self
                            .files
                            .get(*other)
                            .is_some_and(|other| formats.contains(&other.format))
                };
                let place = if file.format == Format::Interp {
                    ""
                } else {
                    &file.place
                };
                self.shown(self.files_around(place).filter(asked))
            })
        };
        // If no file that could define the name is available, make no claim.
        let own = asked(name.kind).contains(&file.format);
        if looked.is_empty() && !own {
            return None;
        }
        let other = if looked.is_empty() {
            file.relative.clone()
        } else {
            looked.join(", ")
        };
        let message = format!(
            "{} {:?} is not in {other}; the game {reaction}",
            name.kind.name(),
            name.name
        );
        Some(Misfit {
            file: f,
            finding: finding(code, file, name, message),
            other,
            reaction,
        })
    }

    /// True for a node of a script of a mission of Recoil that has no file here. Nothing is certain
    /// about it: the release of 1998 ships all 122 scripts with the files of six missions, a
    /// project has only its own, and the game looks in the mission's own world. Scripts that such a
    /// script sources are judged: they are in the same file.
    fn is_of_absent_mission(&self, file: &File, name: &Name) -> bool {
        let mission = mission_of(name);
        let is_mission = mission
            .strip_prefix('m')
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        let is_asked = file.format == Format::Interp && name.kind == NameKind::Node;
        is_asked && is_mission && !self.files.iter().any(|file| is_of_mission(file, &mission))
    }

    /// The files of the addons that a file requires, also indirectly. `None` if there are none, or
    /// if one is missing.
    fn required(&self, f: usize) -> Option<Vec<usize>> {
        let (mut known, mut todo) = (HashSet::from([f]), vec![f]);
        while let Some(file) = todo.pop() {
            let names = &self.files.get(file)?.content.names;
            for name in names
                .iter()
                .filter(|name| name.kind == NameKind::Addon && name.does == Does::Uses)
            {
                let found = self.definitions(NameKind::Addon, &name.name, "");
                if found.is_empty() {
                    return None;
                }
                todo.extend(
                    found
                        .into_iter()
                        .map(|(file, _)| file)
                        .filter(|file| known.insert(*file)),
                );
            }
        }
        known.remove(&f);
        (!known.is_empty()).then(|| known.into_iter().collect())
    }

    fn hidden(&self, f: usize, file: &File, n: usize, name: &Name) -> Option<Misfit> {
        if name.kind != NameKind::Member || file.format != Format::Reader {
            return None;
        }
        let (winner, rule) = self.hidden_by(name.kind, &name.name, (file, n))?;
        let (by, winner) = self.name(winner).filter(|(by, _)| !by.is(file))?;
        let other = whereabouts(by, winner);
        let message = format!(
            "member {:?} is hidden by {other} ({rule}); the game ignores it",
            name.name
        );
        Some(Misfit {
            file: f,
            finding: finding(HIDDEN_MEMBER, file, name, message),
            other,
            reaction: "ignores it",
        })
    }

    /// The definitions of animations in documents of a reader archive, for which the game takes a
    /// compiled animation file. `is_edited` is true for the documents that an edit changed. Each
    /// document is reported once.
    pub fn compiled_definitions(&self, f: usize, is_edited: &dyn Fn(&str) -> bool) -> Vec<Misfit> {
        let Some(file) = self
            .files
            .get(f)
            .filter(|file| file.format == Format::Reader)
        else {
            return Vec::new();
        };
        let is_anim = |other: &usize| {
            let other = self.files.get(*other);
            other.is_some_and(|other| other.format == Format::Anim)
        };
        // Without a compiled file nothing is certain.
        let compiled = self.shown(self.files_around(&file.place).filter(is_anim));
        if compiled.is_empty() {
            return Vec::new();
        }
        let mut documents: Vec<(&str, Vec<&Name>)> = Vec::new();
        for name in &file.content.names {
            if name.kind != NameKind::Definition || !is_edited(&name.document) {
                continue;
            }
            match documents
                .iter_mut()
                .find(|(document, _)| *document == name.document)
            {
                Some((_, names)) => names.push(name),
                None => documents.push((&name.document, vec![name])),
            }
        }
        let reaction = "plays the compiled animation";
        let misfit = |names: &[&Name]| {
            let first = names.first()?;
            let places = self.definitions(NameKind::Animation, &first.name, &file.place);
            let twin = places
                .iter()
                .find(|(other, _)| is_anim(other))
                .and_then(|place| self.name(*place));
            let more = match names.len() - 1 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let (other, has) = match twin {
                Some((anim, _)) => (
                    anim.relative.clone(),
                    format!("the game plays the compiled copy in {}", anim.relative),
                ),
                None => (
                    compiled.join(", "),
                    format!(
                        "the game takes animations from {}, which does not have it",
                        compiled.join(", ")
                    ),
                ),
            };
            let message = format!(
                "definition {:?}{more}: {has}; put it into defs/, or use `refit anim compile`",
                first.name
            );
            Some(Misfit {
                file: f,
                finding: finding(DEFINITION_COMPILED, file, first, message),
                other,
                reaction,
            })
        };
        documents
            .iter()
            .filter_map(|(_, names)| misfit(names))
            .collect()
    }

    /// For each use of a name, the definitions that it may refer to.
    fn bindings(&self) -> BTreeMap<(String, NameKind, String), Vec<Meant>> {
        let mut out = BTreeMap::new();
        for file in &self.files {
            for name in file
                .content
                .names
                .iter()
                .filter(|name| name.does == Does::Uses && missing(file, name).is_some())
            {
                let meant =
                    out.entry((file.relative.clone(), name.kind, key(name.kind, &name.name)));
                meant.or_insert_with(|| {
                    let seen = self.targets(file, name).into_iter();
                    // If there are several definitions, the one that the game uses, if the rule is
                    // known.
                    let all = seen.filter_map(|place| Some((self.files.get(place.0)?, place.1)));
                    let mut left: Vec<_> = all
                        .filter(|place| self.hidden_by(name.kind, &name.name, *place).is_none())
                        .collect();
                    let mission = mission_of(name);
                    let is_own = |(other, _): &(&File, usize)| is_of_mission(other, &mission);
                    if file.format == Format::Interp && left.iter().any(is_own) {
                        left.retain(is_own);
                    }
                    left.into_iter()
                        .filter_map(|(file, n)| Meant::new(file, n))
                        .collect()
                });
            }
        }
        out
    }

    /// Names in other files that refer to other definitions than `before`, because of an edit.
    pub fn changed_bindings(&self, before: &Index) -> Vec<Misfit> {
        let (old, new) = (before.bindings(), self.bindings());
        let mut found = Vec::new();
        for ((file, kind, name), now) in &new {
            let Some(was) = old
                .get(&(file.clone(), *kind, name.clone()))
                .filter(|was| !are_same(was, now))
            else {
                continue;
            };
            // A name that lost its definition is reported as missing, not here.
            let named = self
                .files
                .iter()
                .enumerate()
                .find(|(_, one)| one.relative == *file);
            let Some((f, used)) = named else { continue };
            let Some(place) = used
                .content
                .names
                .iter()
                .find(|one| one.kind == *kind && key(*kind, &one.name) == *name)
            else {
                continue;
            };
            // What a new file defines was not there to be meant: a copied mission mends such names.
            let is_new = |one: &Meant| !before.files.iter().any(|file| file.relative == one.file);
            if now.is_empty() || was.is_empty() && now.iter().all(is_new) {
                continue;
            }
            let say = |places: &[Meant]| match places {
                [] => "nothing".to_owned(),
                places => places
                    .iter()
                    .map(|one| format!("{}: {}", one.file, one.at))
                    .collect::<Vec<_>>()
                    .join(", "),
            };
            let message = format!(
                "{} {:?} means {} now, and meant {} before",
                kind.name(),
                place.name,
                say(now),
                say(was)
            );
            found.push(Misfit {
                file: f,
                finding: finding(BINDING_CHANGED, used, place, message),
                other: say(now),
                reaction: "differs",
            });
        }
        found
    }

    /// The findings of the first `own` files, file by file in the order in which the files were
    /// added; the other files only have names to find. `is_there` is true for the path of a loose
    /// file of the game.
    pub fn judge(
        &self,
        own: usize,
        given: Option<&Given>,
        is_there: &dyn Fn(&str) -> bool,
    ) -> Vec<(&File, Vec<Misfit>)> {
        let mut in_order: Vec<(usize, &File)> = self.files.iter().enumerate().collect();
        in_order.sort_by_key(|(_, file)| file.number);
        in_order.truncate(own);
        let found = in_order.into_iter().map(|(f, file)| {
            let mut found = self.misfits_of(f);
            found.extend(given.into_iter().flat_map(|given| self.nowhere(f, given)));
            found.extend(self.loose_scripts_of(f, is_there));
            (file, found)
        });
        found.filter(|(_, found)| !found.is_empty()).collect()
    }

    /// Names of a file that should be in one of the given addons, and are in none.
    pub fn nowhere(&self, f: usize, given: &Given) -> Vec<Misfit> {
        let Some(file) = self.files.get(f).filter(|file| file.format == Format::Pbo) else {
            return Vec::new();
        };
        let (mut found, mut known) = (Vec::new(), HashSet::new());
        let uses = file.content.names.iter();
        for name in uses.filter(|name| name.does == Does::Uses) {
            let is_gone = match name.kind {
                NameKind::Addon => {
                    given.has_addon(&name.name)
                        && self.definitions(NameKind::Addon, &name.name, "").is_empty()
                }
                NameKind::File => {
                    given.has_file(&name.name)
                        && self.addons(&name.name).next().is_none()
                        && self.targets(file, name).is_empty()
                }
                _ => false,
            };
            if !is_gone || !known.insert((name.kind, key(name.kind, &name.name))) {
                continue;
            }
            let (code, reaction) = match name.kind {
                NameKind::Addon => (ADDON_REQUIRED, "reports it at the start"),
                _ => (ADDON_FILE_NOWHERE, "finds nothing there"),
            };
            let message = format!(
                "{} {:?} is in none of the addons that were named; the game {reaction}",
                name.kind.name(),
                name.name
            );
            found.push(Misfit {
                file: f,
                finding: finding(code, file, name, message),
                other: String::new(),
                reaction,
            });
        }
        found
    }

    /// Loose files, for which `is_there` is true, with the name of one of the file's scripts.
    pub fn loose_scripts_of(&self, f: usize, is_there: &dyn Fn(&str) -> bool) -> Vec<Misfit> {
        let Some(file) = self.files.get(f) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for name in file
            .content
            .names
            .iter()
            .filter(|name| is_script(file, name))
        {
            let loose = name.name.replace('\\', "/");
            let inside = !loose.split('/').any(|part| matches!(part, "" | "." | ".."));
            if inside && is_there(&loose) {
                let message = format!(
                    "script {:?}: a loose file {loose} is beside the game; the game refuses all scripts",
                    name.name
                );
                let finding = finding(LOOSE_SCRIPT, file, name, message);
                found.push(Misfit {
                    file: f,
                    finding,
                    other: loose,
                    reaction: "refuses all scripts",
                });
            }
        }
        found
    }
}

/// Sorts findings across files, worst first.
pub fn worst_first(found: &mut [Misfit]) {
    found.sort_by(|a, b| {
        b.finding
            .severity
            .cmp(&a.finding.severity)
            .then(a.finding.code.cmp(b.finding.code))
    });
}

/// A finding about a name of a file.
fn finding(code: &'static Code, file: &File, name: &Name, message: String) -> Finding {
    Finding {
        code: code.code,
        severity: code.severity_in(file.game),
        path: path_of(name),
        message,
        name: Some(name.name.clone()),
        more: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Content, Item};

    fn file(path: &str, format: Format, names: &[(NameKind, Does, &str)]) -> File {
        let name = |(i, (kind, does, name)): (usize, &(NameKind, Does, &str))| Name {
            kind: *kind,
            does: *does,
            name: (*name).to_owned(),
            document: "d.json".into(),
            at: format!("x[{i}]"),
        };
        let content = Content {
            names: names.iter().enumerate().map(name).collect(),
            ..Content::default()
        };
        File::new(
            &Item {
                path: path.into(),
                relative: path.into(),
            },
            format,
            Some(Game::Rc),
            content,
        )
    }

    /// Dropping names does not change the findings.
    #[test]
    fn names_needed_for_findings_are_kept() {
        use Does::{Defines as D, Uses as U};
        use Format::*;
        use NameKind::{
            Effect, Light, Material, Member, Message, Node, Prerequisite, Script, Sound, Texture,
        };
        let files = || {
            vec![
                file(
                    "zbd/zrdr.zbd",
                    Reader,
                    &[
                        (Member, D, "A.zrd"),
                        (Effect, D, "Dust"),
                        (Sound, D, "creak"),
                        (Sound, U, "creak.wav"),
                    ],
                ),
                file(
                    "zbd/m1/zrdr.zbd",
                    Reader,
                    &[
                        (Member, D, "a.zrd"),
                        (Member, D, "b.zrd"),
                        (NameKind::Animation, U, "open"),
                        (Message, U, "MSG_X"),
                    ],
                ),
                file(
                    "zbd/m2/zrdr.zbd",
                    Reader,
                    &[
                        (Member, D, "b.zrd"),
                        (NameKind::Animation, U, "open"),
                        (NameKind::Animation, U, "OPEN"),
                    ],
                ),
                file(
                    "zbd/m1/anim.zbd",
                    Anim,
                    &[
                        (NameKind::Animation, D, "open"),
                        (NameKind::Animation, U, "OPEN"),
                        (Node, U, "door.flt"),
                        (Node, U, "gone"),
                        (Node, U, "GONE"),
                        (Node, U, "glow"),
                        (Light, D, "Glow"),
                        (Node, U, "INPUT_NODE"),
                        (Effect, U, "dust"),
                        (Effect, U, "Dust"),
                        (Sound, U, "CREAK"),
                        (Sound, U, "hum"),
                        (Prerequisite, U, "door"),
                        (Prerequisite, U, "never"),
                    ],
                ),
                file(
                    "zbd/m1/gamez.zbd",
                    Gamez,
                    &[
                        (Node, D, "Door"),
                        (Texture, U, "bark.tif"),
                        (Texture, U, "moss.tif"),
                        (Material, D, "bark.tif"),
                    ],
                ),
                file(
                    "zbd/m2/gamez.zbd",
                    Gamez,
                    &[(Node, D, "gone"), (Texture, U, "bark.tif")],
                ),
                file("zbd/m1/rtexture4.zbd", Textures, &[(Texture, D, "bark")]),
                file("zbd/soundsh.zbd", Sounds, &[(Sound, D, "creak.wav")]),
                file(
                    "zbd/interp.zbd",
                    Interp,
                    &[
                        (Script, D, r"support\a.gw"),
                        (Script, U, r"support\b.gw"),
                        (Node, U, "gone"),
                        (Node, U, "no"),
                    ],
                ),
            ]
        };
        for left_out in 0..=files().len() {
            let all = || {
                files()
                    .into_iter()
                    .enumerate()
                    .filter(|(i, _)| *i != left_out)
                    .map(|(_, file)| file)
            };
            let is_use = |index: Index| -> Vec<String> {
                index
                    .misfits()
                    .iter()
                    .map(|m| format!("{} {:?} {} {}", m.file, m.finding, m.other, m.reaction))
                    .collect()
            };
            let whole = is_use(Index::new(all().collect()));
            let kept: Vec<File> = all()
                .map(|mut file| {
                    file.keep_judged();
                    file
                })
                .collect();
            let (all, left) = (
                all().map(|file| file.content.names.len()).sum::<usize>(),
                kept.iter().map(|file| file.content.names.len()),
            );
            assert!(
                left.sum::<usize>() < all && (left_out < files().len() || whole.len() > 5),
                "{whole:?}"
            );
            assert_eq!(is_use(Index::new(kept)), whole, "without file {left_out}");
        }
    }

    /// The lookup by prefix finds the same places as a comparison of all places.
    #[test]
    fn the_lookup_by_prefix_finds_all_visible_places() {
        let places = [
            "m1", "", "m2", "c1/m1", "c1", "c1/m1/x", "c1b", "c1-a", "m1", "c1/m2",
        ];
        let files = places.iter().enumerate().map(|(n, place)| {
            let mut file = file(
                &format!("{n}.x"),
                if n % 2 == 0 {
                    Format::Reader
                } else {
                    Format::Pbo
                },
                &[],
            );
            file.place = (*place).to_owned();
            file.prefix = if n % 2 == 0 {
                String::new()
            } else {
                format!("x\\{place}")
            };
            file
        });
        let index = Index::new(files.collect());
        for place in places {
            let sees = |other: &str| {
                refit_files::game_files::is_seen(other, place)
                    || refit_files::game_files::is_seen(place, other)
            };
            let expected: Vec<usize> = (0..)
                .zip(places)
                .filter(|(_, other)| sees(other))
                .map(|(n, _)| n)
                .collect();
            let mut found: Vec<usize> = index.files_around(place).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{place}");
        }
        assert!(index.addons("X\\c1/m1\\a").eq([3]) && index.addons("x\\nobody").next().is_none());
    }
}
