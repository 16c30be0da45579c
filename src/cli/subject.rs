//! A file or a tree, opened.

use super::{paths, session::Session};
use refit::{
    formats::{Member, Model},
    tree::{Blob, DirSource},
    wire::{Error, Result, did_you_mean},
    work::{self, Hints},
};
use std::{io::Read, path::Path};

/// A file or a tree as a model.
pub struct Subject {
    /// Its model.
    pub model: Box<dyn Model>,
    /// The file; `None` for a tree.
    pub file: Option<Blob>,
}

/// What a file from standard input is called in its tree.
pub const STDIN: &str = "stdin";

/// True for `-`.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Loads a file, or standard input for `-`.
pub fn load(path: &Path) -> Result<Blob> {
    if !is_standard_input(path) {
        return work::load(path);
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(|e| Error::io(Path::new("standard input"), e))?;
    Ok(Blob::Memory(bytes.into()))
}

/// Opens a file, standard input or a tree.
pub fn open(path: &Path, hints: Hints) -> Result<Subject> {
    if paths::is_tree(path) {
        let (_, model) = work::assemble(&DirSource::new(path))?;
        return Ok(Subject { model, file: None });
    }
    if path.is_dir() {
        return Err(Error::say("a folder, and not an unpacked tree").hint("name a file"));
    }
    let file = load(path)?;
    let opened = work::read(&file, work::recognise(&file, &path.display().to_string(), hints)?)?;
    Ok(Subject { model: opened.model, file: Some(file) })
}

/// Opens a file for a command that reads or changes one member.
pub fn open_file(session: &Session, path: &Path) -> Result<Subject> {
    if path.is_dir() {
        return Err(Error::say("a folder; this command takes a file").hint("the members of a tree are files already"));
    }
    open(path, session.hints())
}

/// The member that is meant: a name as it is, `#index`, or a name but for its case.
pub fn find(model: &dyn Model, wanted: &str) -> Result<usize> {
    let mut members = Vec::new();
    model.each_member(&mut |member| members.push(member))?;
    by_name(&members, wanted).or_else(|e| model.alias(wanted).ok_or(e))
}

fn by_name(members: &[Member], wanted: &str) -> Result<usize> {
    let named = |matches: &dyn Fn(&str) -> bool| -> Vec<usize> {
        members.iter().enumerate().filter(|(_, member)| matches(&member.name)).map(|(index, _)| index).collect()
    };
    let exact = named(&|name| name == wanted);
    if exact.is_empty()
        && let Some(index) = wanted.strip_prefix('#').and_then(|digits| digits.parse::<usize>().ok())
    {
        if index < members.len() {
            return Ok(index);
        }
        return Err(Error::say(format!("there is no member #{index}: the file has {}", super::session::count(members.len(), "member"))));
    }
    // Slashes both ways: archives use the back slash of DOS.
    let fold = |name: &str| name.replace('\\', "/").to_lowercase();
    let found = if exact.is_empty() { named(&|name| fold(name) == fold(wanted)) } else { exact };
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let mut error = Error::say(format!("no member is called {wanted:?}"));
            let mut like: Vec<&str> =
                members.iter().map(|member| member.name.as_str()).filter(|name| fold(name).contains(&fold(wanted))).collect();
            like.dedup();
            like.truncate(3);
            let near = did_you_mean(&fold(wanted), members.iter().map(|member| member.name.as_str()));
            error = match (members.is_empty(), like.as_slice()) {
                (true, _) => error.hint("the file has no members"),
                (false, []) => error.hint(near.unwrap_or_else(|| "`refit list` shows the names".into())),
                (false, like) => error.hint(format!("like it: {}", like.join(", "))),
            };
            Err(error)
        }
        [first, ..] => {
            let places: Vec<String> = found.iter().take(8).map(|index| format!("#{index}")).collect();
            let more = if found.len() > places.len() { ", …" } else { "" };
            Err(Error::say(format!("{wanted:?} is the name of {} members: {}{more}", found.len(), places.join(", ")))
                .hint(format!("say which one, as '#{first}'")))
        }
    }
}
