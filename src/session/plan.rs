//! What an edit would write: the new contents of the parts that it changes.

use super::{
    Session,
    built::Notes,
    document::{self, Document},
    edit::{Edit, Everywhere, MemberEdit, WorldEdit},
    rebase::{Meeting, rebase},
};
use bytes::Bytes;
use refit_base::{
    format::Format,
    path::Shown,
    secret,
    tree::{
        DirSource, Form, Source, Style, check_foreign_path, check_inside_path, is_tree,
        manifest_path, read_head,
    },
    wire::{Error, ErrorKind, Result, shorten},
};
use refit_diff::{ALL_NODES, CompactString, Pos, Value};
use refit_files::{file::File, pipeline};
use refit_project::spelled;
use refit_workbench::{
    Options, Progress, Writes,
    definition_source::{self, Compiling},
    edits::EditFinding,
    paths, put,
    put_family::{self, PutFamily},
    put_tree, world,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Longest value in a sentence.
const LONGEST: usize = 80;

/// The new contents of parts: by file and part, the content before and after. `None` is a missing
/// part.
pub(crate) type NewParts = BTreeMap<(String, String), (Option<Bytes>, Option<Bytes>)>;

/// What an edit would do.
pub(crate) struct Plan {
    /// What it does, in a sentence.
    pub label: String,
    pub parts: NewParts,
    /// What the user should know.
    pub notes: Vec<String>,
    /// What the new parts of a file bring in, where that is known.
    pub judged: BTreeMap<String, Vec<EditFinding>>,
}

/// A tree of the project.
pub(crate) struct Tree {
    /// The file of the game.
    pub file: String,
    pub path: PathBuf,
    source: DirSource,
    style: Style,
    pub format: Format,
}

impl Tree {
    pub fn open(root: &Path, file: &str) -> Result<Self> {
        check_inside_path(file).map_err(|e| e.in_file(file))?;
        let path = root.join(file);
        let source = DirSource::new(&path);
        let (style, head) = read_head(&source).map_err(|e| e.about(&path))?;
        Ok(Tree {
            file: file.to_owned(),
            path,
            source,
            style,
            format: head.format,
        })
    }

    /// The content of a part; `None` if it is missing.
    pub fn get(&self, part: &str) -> Result<Option<Bytes>> {
        self.check(part).map_err(|e| e.in_file(self.place(part)))?;
        match self.source.has(part) {
            true => self.source.get(part).map(Some),
            false => Ok(None),
        }
    }

    /// Edits change documents and files of the tree, and nothing that refit or git keep there. The
    /// journal of a project may come from somebody else.
    fn check(&self, part: &str) -> Result<()> {
        match part == manifest_path(self.style) {
            true => Ok(()),
            false => check_foreign_path(part).map(drop),
        }
    }

    /// A part for errors.
    pub fn place(&self, part: &str) -> String {
        format!("{}/{part}", self.file)
    }

    /// The position of a definition in its animation file.
    fn definition(&self, part: &str) -> Result<usize> {
        let manifest = manifest_path(self.style);
        let bytes = self.needed(&manifest)?;
        let value = self.document(&manifest, &bytes)?.value()?;
        let at = match value.field("definitions") {
            Some(Value::List(all)) => all.iter().position(|own| own.text() == Some(part)),
            _ => None,
        };
        at.ok_or_else(|| {
            Error::say("this is no document of a definition")
                .in_file(self.place(part))
                .of_kind(ErrorKind::NoMember)
        })
    }

    fn needed(&self, part: &str) -> Result<Bytes> {
        self.get(part)?.ok_or_else(|| {
            Error::say("there is no such part")
                .in_file(self.place(part))
                .of_kind(ErrorKind::NoMember)
        })
    }

    /// The document and the place in it for a path. The nodes of a world are one list for `diff` and
    /// `lint`, in several documents.
    fn resolve(&self, part: &str, path: &str) -> Result<(String, Vec<Pos>)> {
        if part == ALL_NODES && !self.source.has(part) {
            return self.resolve_node(path);
        }
        let own = put_tree::own_path(&self.source, part)?;
        let part = own.as_deref().unwrap_or(part);
        let bytes = self.needed(part)?;
        let document = self.document(part, &bytes)?;
        let value = document.value()?;
        Ok((part.to_owned(), document.find(&value, path)?))
    }

    fn resolve_node(&self, path: &str) -> Result<(String, Vec<Pos>)> {
        let mut parts = self.source.below("nodes")?;
        let number = |part: &String| {
            let name = part.rsplit('/').next().unwrap_or(part);
            let digits = name.split(['-', '.']).next().unwrap_or_default();
            digits.parse::<u64>().unwrap_or(u64::MAX)
        };
        parts.sort_by_key(number);
        let (mut all, mut ends) = (Vec::new(), Vec::new());
        for part in parts {
            let bytes = self.needed(&part)?;
            if let Value::Record(fields) = self.document(&part, &bytes)?.value()?
                && let Some((_, Value::List(nodes))) =
                    fields.into_iter().find(|(key, _)| key == "nodes")
            {
                all.extend(nodes);
                ends.push((all.len(), part));
            }
        }
        let whole = Value::Record(vec![("nodes".into(), Value::List(all))]);
        let at = refit_diff::find(&whole, path).map_err(|e| e.in_file(self.place(ALL_NODES)))?;
        let [Pos::Key(_), Pos::Index(node), rest @ ..] = at.as_slice() else {
            return Err(
                Error::say("name one node, because the nodes are in several documents")
                    .in_file(self.place(ALL_NODES)),
            );
        };
        let mut start = 0;
        for (end, part) in ends {
            if *node < end {
                let own = node.saturating_sub(start);
                let mut at = vec![Pos::Key("nodes".to_owned()), Pos::Index(own)];
                at.extend_from_slice(rest);
                return Ok((part, at));
            }
            start = end;
        }
        Err(Error::say("there is no such node").in_file(self.place(ALL_NODES)))
    }

    fn document<'a>(&self, part: &'a str, bytes: &'a [u8]) -> Result<Document<'a>> {
        Document::of(part, bytes, self.format)?.ok_or_else(|| {
            Error::say("this part has no values: it is not JSON or RON")
                .in_file(self.place(part))
                .hint("edit it as a text")
        })
    }
}

/// The old value of an edit, if it has one, must be the current one.
fn check_old(
    tree: &Tree,
    (part, path): (&str, &str),
    now: Option<&Value>,
    old: Option<&Value>,
    wanted: &str,
) -> Result<()> {
    let Some(old) = old else { return Ok(()) };
    if now.is_some_and(|now| is_same(now, old)) {
        return Ok(());
    }
    let show = |value: Option<&Value>| match value {
        Some(value) => shorten(&value.compact(), LONGEST).into_owned(),
        None => "missing".to_owned(),
    };
    Err(Error::say(format!(
        "{path} is now {}, which another program wrote, and was {} for this edit, which would make it {wanted}",
        show(now),
        show(Some(old)),
    ))
    .in_file(tree.place(part))
    .hint("nothing was written; choose one of the two values and set it"))
}

/// True for values of the same content: programs may write 2.0 as 2, and fields in another order.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a == b
                || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if a.to_bits() == b.to_bits())
        }
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Record(a), Value::Record(b)) => {
            let has = |(key, own): &(CompactString, Value)| {
                let other = b.iter().find(|(other, _)| other == key);
                other.is_some_and(|(_, other)| is_same(own, other))
            };
            a.len() == b.len() && a.iter().all(has)
        }
        _ => a == b,
    }
}

/// The change of a value.
struct ValueEdit<'a> {
    part: &'a str,
    path: &'a str,
    old: Option<&'a Value>,
    change: document::Change<'a>,
    /// The new value for errors.
    wanted: String,
}

impl Session {
    /// What an edit would write, without writing it.
    pub(crate) fn plan(&self, edit: &Edit) -> Result<Plan> {
        let tree = Tree::open(&self.root, edit.file())?;
        let show = |value: &Value| shorten(&value.compact(), LONGEST).into_owned();
        let value_edit = |part, path, old, change, wanted| ValueEdit {
            part,
            path,
            old,
            change,
            wanted,
        };
        if let Some(everywhere) = edit.everywhere() {
            return self.everywhere(&tree, &everywhere);
        }
        match edit {
            Edit::Set {
                part,
                path,
                value,
                old,
                ..
            } => {
                let change = document::Change::Set(value);
                of_value(
                    &tree,
                    value_edit(part, path, old.as_ref(), change, show(value)),
                )
            }
            Edit::Insert {
                part,
                path,
                index,
                value: item,
                ..
            } => {
                let change = document::Change::Insert(*index, item);
                of_value(&tree, value_edit(part, path, None, change, show(item)))
            }
            Edit::Remove {
                part, path, old, ..
            } => {
                let change = document::Change::Remove;
                of_value(
                    &tree,
                    value_edit(part, path, old.as_ref(), change, "nothing".to_owned()),
                )
            }
            Edit::Move {
                part,
                path,
                to,
                old,
                ..
            } => {
                let change = document::Change::Move(*to);
                of_value(
                    &tree,
                    value_edit(part, path, old.as_ref(), change, format!("item {to}")),
                )
            }
            Edit::Text {
                part, text, base, ..
            } => whole_text(&tree, part, text, base.as_deref()),
            Edit::Definition {
                part, text, base, ..
            } => self.definition(&tree, part, text, base.as_deref()),
            Edit::Picture { member, bytes, .. } => self.replaced(&tree, member, bytes, false),
            Edit::Sound { member, bytes, .. } => self.replaced(&tree, member, bytes, true),
            Edit::Gltf {
                member,
                name,
                bytes,
                ..
            } => self.of_gltf(&tree, member, name, bytes),
            Edit::Member { change, .. } => self.members(&tree, change),
            Edit::World { change, .. } => self.world(&tree, change),
        }
    }

    /// Changes the objects of a world.
    fn world(&self, tree: &Tree, change: &WorldEdit) -> Result<Plan> {
        let edited = change.label();
        let mut place = None;
        let other = match change {
            WorldEdit::Add { name, bytes, .. } | WorldEdit::Ground { name, bytes, .. } => {
                // The objects of a glTF are read from a file.
                let (folder, path) = file_of(name, bytes)?;
                place = Some(folder);
                Some(path)
            }
            WorldEdit::Copy {
                from: Some(from), ..
            } => {
                check_foreign_path(from).map_err(|e| e.in_file(from.as_str()))?;
                let own = self.root.join(from);
                match is_tree(&own) {
                    true => Some(own),
                    false => Some(self.game()?.join(from)),
                }
            }
            _ => None,
        };
        let along = match change.has_others() {
            true => {
                let (packages, animations) = world::loaded_with(&tree.path, &self.options)?;
                world::Along {
                    textures: (!packages.is_empty()).then(Vec::new),
                    animations: (!animations.is_empty()).then_some(None),
                    ..world::Along::default()
                }
            }
            false => world::Along::default(),
        };
        let (change, force) = change.change(other);
        let mut plan = self.by_workbench(tree, force, |options, notes| {
            world::change(&tree.path, None, &change, &along, options, notes)?;
            Ok(format!("{}: {edited}", tree.file))
        });
        if let (Ok(plan), Some(place)) = (&mut plan, &place) {
            without_place(plan, place);
        }
        plan
    }

    /// Replaces a picture or a sound in every package or bank of the project that has it.
    fn everywhere(&self, tree: &Tree, everywhere: &Everywhere<'_>) -> Result<Plan> {
        let member = everywhere.member;
        secret::check(member, everywhere.bytes)?;
        let (place, file) = file_of(everywhere.name, everywhere.bytes)?;
        let mut plan = self.by_workbench(tree, false, |options, notes| {
            let done = in_family(&self.root, &file, member, options, notes)?;
            for each in &done.members {
                for note in &each.notes {
                    notes.warn(&format!("{}: {note}", each.path.shown()));
                }
            }
            let mut files: Vec<&Path> = done.members.iter().map(|each| &*each.path).collect();
            files.sort();
            files.dedup();
            let files = refit_base::wire::count(files.len(), "file");
            Ok(format!("{member} replaced in {files}"))
        })?;
        without_place(&mut plan, &place);
        Ok(plan)
    }

    /// Replaces a member by a glTF file, or adds a motion.
    fn of_gltf(&self, tree: &Tree, member: &str, name: &str, bytes: &[u8]) -> Result<Plan> {
        let (place, from) = file_of(name, bytes)?;
        let packages = match tree.format {
            Format::Gamez => world::loaded_with(&tree.path, &self.options)?.0,
            _ => Vec::new(),
        };
        let change = put::GltfChange {
            into: &tree.path,
            from: &from,
            output: None,
            textures: (!packages.is_empty()).then_some(&[]),
            label: member,
        };
        let mut plan = self.by_workbench(tree, false, |options, notes| {
            let done = change.run(options, notes, |file| {
                put::gltf_into(file, member, &from, Default::default())
            })?;
            notes.notes(&from, &done.report.notes);
            Ok(format!("{}: {member} from {name}", tree.file))
        })?;
        without_place(&mut plan, &place);
        Ok(plan)
    }

    /// Compiles the source of a definition.
    fn definition(&self, tree: &Tree, part: &str, text: &str, base: Option<&str>) -> Result<Plan> {
        let place = tree.place(part);
        if let Some(folder) = self.sources_of(&tree.file)? {
            return Err(kept_as_sources(&folder).in_file(place));
        }
        let at = tree.definition(part)?;
        let near = Vec::from_iter(self.game().ok().map(|game| game.join(&tree.file)));
        let mut found = Vec::new();
        let mut plan = self.by_workbench(tree, false, |options, notes| {
            put_tree::change(&tree.path, options, notes, |file| {
                let File::Anim(anim) = file else {
                    return Err(Error::say("no animation file").in_file(&*tree.file));
                };
                let now = definition_source::of(anim, at).map_err(|e| e.in_file(&*place))?;
                let text = match base {
                    Some(base) => merged_source(&place, [base, &now.text, text])?,
                    None => text.to_owned(),
                };
                let new = Compiling {
                    text: &text,
                    part,
                    tree: &tree.path,
                    near: &near,
                };
                found = definition_source::put(anim, at, &new).map_err(|e| e.in_file(&*place))?;
                Ok(())
            })?;
            Ok(format!("{place}: source edited"))
        })?;
        let all = plan.judged.entry(tree.file.clone()).or_default();
        all.retain(|finding| !definition_source::is_of_sources(finding.code));
        all.extend(found);
        Ok(plan)
    }

    /// Replaces a picture or a sound.
    fn replaced(&self, tree: &Tree, member: &str, bytes: &[u8], is_sound: bool) -> Result<Plan> {
        secret::check(member, bytes)?;
        self.by_workbench(tree, false, |options, notes| {
            let change = |file: &mut File| {
                let index = pipeline::find_member(file.model(), member)?;
                let encoded = match is_sound {
                    true => put::encoded(notes, file, index, member, bytes, true)?,
                    false => None,
                };
                let new = encoded.as_deref().unwrap_or(bytes);
                let form = Form::Document(Style::Json);
                file.model_mut()
                    .put(index, new, form)
                    .map_err(|e| e.in_file(member))?;
                notes.notes(&tree.path, file.notes());
                Ok(())
            };
            put_tree::change(&tree.path, options, notes, change)?;
            Ok(format!("{}: {member} replaced", tree.file))
        })
    }

    fn members(&self, tree: &Tree, change: &MemberEdit) -> Result<Plan> {
        match change {
            MemberEdit::Add { name, bytes } => self.by_workbench(tree, false, |options, notes| {
                let form = Form::Document(tree.style);
                let from = Path::new(name);
                refit_workbench::add::add(
                    (&tree.path, None),
                    (name, from, bytes, form),
                    options,
                    notes,
                )?;
                Ok(format!("{}: {name} added", tree.file))
            }),
            MemberEdit::Rename { name, to } => member_row(tree, name, Some(to)),
            MemberEdit::Remove { name } => member_row(tree, name, None),
        }
    }

    /// The plan of a change that the workbench makes. `change` returns what it does, in a sentence.
    fn by_workbench(
        &self,
        tree: &Tree,
        force: bool,
        change: impl FnOnce(&Options, &Notes) -> Result<String>,
    ) -> Result<Plan> {
        let (writes, notes) = (Arc::new(Writes::default()), Notes::default());
        let options = Options {
            dry_run: true,
            writes: Some(writes.clone()),
            force,
            ..self.options.clone()
        };
        let label = change(&options, &notes)?;
        let mut parts = NewParts::new();
        for write in writes.take() {
            let (file, part) = self.part_of(&write.path)?;
            let of = match file == tree.file {
                true => tree.get(&part)?,
                false => Tree::open(&self.root, &file)?.get(&part)?,
            };
            parts.insert((file, part), (of, write.bytes));
        }
        let mut judged = BTreeMap::new();
        for (path, found) in writes.take_judged() {
            if let Ok(below) = path.strip_prefix(&self.root) {
                judged.insert(spelling(below), found);
            }
        }
        Ok(Plan {
            label,
            parts,
            notes: notes.take(),
            judged,
        })
    }

    /// The file of the game and the part of its tree for a path on disk, which need not exist.
    ///
    /// # Errors
    /// If the path is in no tree of this project.
    pub fn part_of(&self, path: &Path) -> Result<(String, String)> {
        let whole = refit_base::path::whole_place(path).map_err(|e| Error::io(path, e))?;
        let tree = whole
            .ancestors()
            .skip(1)
            .take_while(|above| **above != *self.root)
            .find(|above| is_tree(above));
        let both = tree.and_then(|tree| {
            let file = tree.strip_prefix(&self.root).ok()?.to_str()?;
            let part = whole.strip_prefix(tree).ok()?.to_str()?;
            Some((file.replace('\\', "/"), part.replace('\\', "/")))
        });
        both.ok_or_else(|| {
            Error::say("no part of a tree of this project")
                .in_file(path.shown())
                .hint("nothing was written")
        })
    }
}

/// Puts a picture or a sound into every file of a folder that has it.
pub(crate) fn in_family(
    folder: &Path,
    file: &Path,
    member: &str,
    options: &Options,
    notes: &Notes,
) -> Result<put_family::Outcome> {
    let family = PutFamily {
        folder: folder.to_owned(),
        file: file.to_owned(),
        name: Some(member.to_owned()),
        own_size: false,
        no_smaller: false,
        like: None,
    };
    family.run(options, notes)?.ok_or_else(|| {
        let reasons = notes.take().join("; ");
        Error::say(format!("{member} cannot be replaced everywhere: {reasons}"))
    })
}

/// A temporary file with this content, for what reads files. The folder removes itself.
pub(crate) fn file_of(name: &str, bytes: &[u8]) -> Result<(tempfile::TempDir, PathBuf)> {
    let folder = tempfile::tempdir().map_err(|e| Error::io(&std::env::temp_dir(), e))?;
    let path = folder.path().join(paths::plain_name(name)?);
    std::fs::write(&path, bytes).map_err(|e| Error::io(&path, e))?;
    Ok((folder, path))
}

/// Removes the place of a temporary file, which the user does not know, from the notes.
fn without_place(plan: &mut Plan, place: &tempfile::TempDir) {
    let folder = format!("{}/", place.path().shown());
    for note in &mut plan.notes {
        *note = note.replace(&folder, "");
    }
}

/// The plan of a change of one value.
fn of_value(tree: &Tree, edit: ValueEdit<'_>) -> Result<Plan> {
    let (part, at) = tree.resolve(edit.part, edit.path)?;
    let bytes = tree.needed(&part)?;
    let document = tree.document(&part, &bytes)?;
    let whole = document.value()?;
    let now = whole.at(&at);
    check_old(tree, (&part, edit.path), now, edit.old, &edit.wanted)?;
    let show = |value: Option<&Value>| match value {
        Some(value) => shorten(&value.compact(), LONGEST).into_owned(),
        None => "nothing".to_owned(),
    };
    let text = document.changed(&at, &edit.change)?;
    // As the document has it: a number may have another spelling.
    let new = tree.document(&part, text.as_bytes())?.value()?;
    let what = match &edit.change {
        document::Change::Set(_) => format!("{} → {}", show(now), show(new.at(&at))),
        document::Change::Insert(index, item) => format!("[{index}] added: {}", show(Some(item))),
        document::Change::Remove => format!("removed {}", show(now)),
        document::Change::Move(to) => format!("moved to [{to}]"),
    };
    let at = match edit.path {
        "" => String::new(),
        path => format!("{path}: "),
    };
    let label = format!("{}: {at}{what}", tree.place(&part));
    let mut parts = NewParts::new();
    parts.insert((tree.file.clone(), part), (Some(bytes), Some(text.into())));
    Ok(Plan {
        label,
        parts,
        notes: Vec::new(),
        judged: BTreeMap::new(),
    })
}

/// The plan of a new text.
fn whole_text(tree: &Tree, part: &str, text: &str, base: Option<&str>) -> Result<Plan> {
    let place = tree.place(part);
    secret::check(&place, text.as_bytes())?;
    let now = tree.get(part)?;
    let wanted = Bytes::copy_from_slice(text.as_bytes());
    let base = base.map(|base| Bytes::copy_from_slice(base.as_bytes()));
    let meeting = Meeting {
        who: "your text",
        place: &place,
        part,
        format: tree.format,
    };
    if let Some(document) = Document::of(part, now.as_deref().unwrap_or(&wanted), tree.format)? {
        document.check(text)?;
    }
    let new = match &base {
        Some(_) => rebase(&meeting, base.as_ref(), now.as_ref(), Some(&wanted))?,
        None => Some(wanted),
    };
    let label = match now {
        Some(_) => format!("{place}: text edited"),
        None => format!("{place}: added"),
    };
    let mut parts = NewParts::new();
    parts.insert((tree.file.clone(), part.to_owned()), (now, new));
    Ok(Plan {
        label,
        parts,
        notes: Vec::new(),
        judged: BTreeMap::new(),
    })
}

/// The error for an edit of a definition whose source is in the project.
pub(crate) fn kept_as_sources(folder: &Path) -> Error {
    Error::say(format!(
        "this project has the sources of this file in {}",
        folder.shown()
    ))
    .hint("edit them there: building the project compiles them")
}

/// The source with the changes of the author and of another program since: those of `base`, of now
/// and of the author.
fn merged_source(place: &str, [base, now, wanted]: [&str; 3]) -> Result<String> {
    let meeting = Meeting {
        who: "your source",
        place,
        // Its lines are merged.
        part: "source.zrd",
        format: Format::Anim,
    };
    let [base, now, wanted] =
        [base, now, wanted].map(|text| Bytes::copy_from_slice(text.as_bytes()));
    let merged = rebase(&meeting, Some(&base), Some(&now), Some(&wanted))?.unwrap_or(wanted);
    Ok(refit_base::wire::utf8(&merged)?.to_owned())
}

/// Renames a member, or removes it: its row in the manifest, and its file.
fn member_row(tree: &Tree, name: &str, to: Option<&str>) -> Result<Plan> {
    let manifest = manifest_path(tree.style);
    let bytes = tree.needed(&manifest)?;
    let document = tree.document(&manifest, &bytes)?;
    let Value::Record(fields) = document.value()? else {
        return Err(Error::say("not a manifest").in_file(tree.place(&manifest)));
    };
    let fold = |name: &str| name.replace('\\', "/").to_lowercase();
    let named = |row: &Value| {
        let text = row.field("name").and_then(Value::text);
        text.is_some_and(|text| fold(text) == fold(name))
    };
    let mut found = fields.iter().filter_map(|(key, list)| match list {
        Value::List(rows) => Some((key, rows.iter().position(named)?, rows)),
        _ => None,
    });
    let (key, index, rows) = found.next().ok_or_else(|| {
        Error::say(format!("the manifest has no member {name:?}"))
            .in_file(tree.place(&manifest))
            .hint("members of worlds and animation files are edited in their documents")
            .of_kind(ErrorKind::NoMember)
    })?;
    let row = rows.get(index).cloned().unwrap_or(Value::Null);
    let at = [Pos::Key(key.to_string()), Pos::Index(index)];
    let mut parts = NewParts::new();
    let what = match to {
        Some(to) => {
            let is_taken = |row: &Value| {
                let text = row.field("name").and_then(Value::text);
                text.is_some_and(|text| fold(text) == fold(to))
            };
            if fold(to) != fold(name) && rows.iter().any(is_taken) {
                return Err(Error::say(format!("a member is already called {to:?}"))
                    .in_file(tree.place(&manifest)));
            }
            let mut own = at.to_vec();
            own.push(Pos::Key("name".to_owned()));
            let text = document.changed(&own, &document::Change::Set(&Value::from(to)))?;
            parts.insert(
                (tree.file.clone(), manifest.clone()),
                (Some(bytes.clone()), Some(text.into())),
            );
            // A picture is found by its texture's name.
            if row.field("file").is_none() {
                let (old, new) = (format!("images/{name}.png"), format!("images/{to}.png"));
                if let Some(picture) = tree.get(&old)? {
                    check_foreign_path(&new)?;
                    parts.insert((tree.file.clone(), old), (Some(picture.clone()), None));
                    parts.insert((tree.file.clone(), new), (None, Some(picture)));
                }
            }
            format!("{name} renamed to {to}")
        }
        None => {
            let text = document.changed(&at, &document::Change::Remove)?;
            parts.insert(
                (tree.file.clone(), manifest.clone()),
                (Some(bytes.clone()), Some(text.into())),
            );
            let file = match row.field("file").and_then(Value::text) {
                Some(file) => file.to_owned(),
                None => format!("images/{name}.png"),
            };
            if let Some(content) = tree.get(&file)? {
                parts.insert((tree.file.clone(), file), (Some(content), None));
            }
            format!("{name} removed")
        }
    };
    Ok(Plan {
        label: format!("{}: {what}", tree.file),
        parts,
        notes: Vec::new(),
        judged: BTreeMap::new(),
    })
}

/// A path of the project as edits spell it.
pub(crate) fn spelling(path: &Path) -> String {
    spelled(path).0
}
