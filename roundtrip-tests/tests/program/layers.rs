//! The layers of the source: each file uses only files of its own layer and of lower ones, and
//! there are no cycles of files.
//!
//! Every path in a file counts, in `use`, in expressions and in macros. A path through a re-export
//! leads to the file that declares the item. A `pub use` alone is not a use, nor are items that a
//! file takes from its parent modules. Tests may use anything.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    str::FromStr,
};

/// The layers, the lowest first. A module belongs to the line with its longest beginning.
const LAYERS: &[&[&str]] = &[
    // What everything may know: names and sums.
    &["game", "format", "par", "path", "order", ""],
    &["wire"],
    &["naming", "secret"],
    &["tree", "lint"],
    &["formats", "formats::contract"],
    &["formats::support"],
    &["formats::"],
    &["file"],
    &["registry", "detect"],
    &["pipeline"],
    &["gltf"],
    &["anim_source"],
    &["project", "game_files"],
    &["index"],
    &["diff"],
    &["mods"],
    &["workbench"],
    &["view"],
    &["cli", "main"],
];

/// A path from the root of the crate, such as `formats::gamez::nodes`.
type Name = Vec<String>;

/// The modules of the source and their files: those of both packages as one tree, whose root is the
/// lower package's.
fn modules() -> BTreeMap<Name, PathBuf> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    let mut found = BTreeMap::new();
    for entry in walkdir::WalkDir::new(&src) {
        let path = entry.unwrap().into_path();
        if path.extension().is_some_and(|e| e == "rs") && path != src.join("lib.rs") {
            let below = path.strip_prefix(&src).unwrap().with_extension("");
            let below = below.strip_prefix("core").unwrap_or(&below);
            let mut name: Name = below
                .iter()
                .map(|part| part.to_str().unwrap().to_owned())
                .collect();
            if name.last().is_some_and(|last| last == "mod") || name == ["lib"] {
                name.pop();
            }
            if !name.iter().any(|part| part == "tests") {
                found.insert(name, path);
            }
        }
    }
    found
}

fn is_punct(token: Option<&TokenTree>, c: char) -> bool {
    matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == c)
}

fn is_test(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(g)) if g.stream().to_string().replace(' ', "") == "cfg(test)")
}

/// The paths of one file.
#[derive(Default)]
struct Paths {
    /// The module.
    at: Name,
    /// Paths that are used.
    used: BTreeSet<Name>,
    /// What `use` names, by the name that it has here.
    imports: BTreeMap<String, Name>,
    /// The re-exported names.
    exports: Vec<String>,
    /// Words of the file outside of `use`, to see which re-exports it uses itself.
    words: BTreeSet<String>,
}

impl Paths {
    fn of(at: &Name, children: &BTreeSet<String>, tokens: TokenStream) -> Self {
        let mut paths = Paths {
            at: at.clone(),
            ..Paths::default()
        };
        paths.imports = children
            .iter()
            .map(|child| (child.clone(), at.iter().chain([child]).cloned().collect()))
            .collect();
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        paths.find(&tokens, true);
        paths.find(&tokens, false);
        for name in paths
            .exports
            .iter()
            .filter(|name| paths.words.contains(*name))
        {
            paths.used.insert(paths.imports[name].clone());
        }
        paths
    }

    /// The path that a first word begins.
    fn root(&self, word: &str) -> Option<Name> {
        match word {
            "crate" | "refit" | "refit_core" => Some(Vec::new()),
            "super" => Some(self.at.split_last().map_or(&[][..], |(_, up)| up).to_vec()),
            "self" => Some(self.at.clone()),
            _ => self.imports.get(word).cloned(),
        }
    }

    /// Finds `use` declarations, or everything else.
    fn find(&mut self, tokens: &[TokenTree], imports: bool) {
        let mut i = 0;
        while let Some(token) = tokens.get(i) {
            i += 1;
            match token {
                // #[cfg(test)] mod tests { … }
                TokenTree::Punct(p) if p.as_char() == '#' && is_test(tokens.get(i)) => {
                    while let Some(token) = tokens.get(i) {
                        i += 1;
                        if matches!(token, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace)
                            || is_punct(Some(token), ';')
                        {
                            break;
                        }
                    }
                }
                TokenTree::Group(group) => {
                    self.find(&group.stream().into_iter().collect::<Vec<_>>(), imports)
                }
                TokenTree::Ident(word) if word == "use" => {
                    let before = tokens[..i - 1]
                        .iter()
                        .rev()
                        .find(|token| !matches!(token, TokenTree::Group(_)));
                    let public = matches!(before, Some(TokenTree::Ident(word)) if word == "pub");
                    let end = tokens[i..]
                        .iter()
                        .position(|token| is_punct(Some(token), ';'))
                        .map_or(tokens.len(), |n| i + n);
                    if imports {
                        self.import(&tokens[i..end], None, public);
                    }
                    i = end;
                }
                TokenTree::Ident(word) if !imports => {
                    let before = |back: usize| i.checked_sub(back).and_then(|i| tokens.get(i));
                    let continues = is_punct(before(2), '.')
                        || is_punct(before(2), ':') && is_punct(before(3), ':');
                    let mut path = if continues {
                        None
                    } else {
                        self.root(&word.to_string())
                    };
                    self.words.insert(word.to_string());
                    let mut steps = 0;
                    while is_punct(tokens.get(i), ':') && is_punct(tokens.get(i + 1), ':') {
                        match tokens.get(i + 2) {
                            Some(TokenTree::Ident(word)) if word == "super" => {
                                _ = path.as_mut().map(Vec::pop)
                            }
                            Some(TokenTree::Ident(word)) => {
                                _ = path.as_mut().map(|path| path.push(word.to_string()))
                            }
                            _ => break,
                        }
                        (i, steps) = (i + 3, steps + 1);
                    }
                    self.used.extend(path.filter(|_| steps > 0));
                }
                _ => {}
            }
        }
    }

    /// A branch of a `use`, below a path.
    fn import(&mut self, tokens: &[TokenTree], below: Option<&Name>, public: bool) {
        let (mut path, mut name) = (below.cloned(), None);
        let mut tokens_left = tokens.iter();
        while let Some(token) = tokens_left.next() {
            match token {
                TokenTree::Ident(word) if word == "as" => {
                    name = tokens_left.next().map(ToString::to_string)
                }
                TokenTree::Ident(word) => match (&mut path, word.to_string()) {
                    (None, word) => match self.root(&word) {
                        Some(root) => path = Some(root),
                        None => return,
                    },
                    (Some(_), word) if word == "self" => {}
                    (Some(path), word) if word == "super" => _ = path.pop(),
                    (Some(path), word) => path.push(word),
                },
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    for branch in inner
                        .split(|token| is_punct(Some(token), ','))
                        .filter(|branch| !branch.is_empty())
                    {
                        self.import(branch, path.as_ref(), public);
                    }
                    return;
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
        let Some(path) = path else { return };
        let all = tokens
            .last()
            .is_some_and(|token| is_punct(Some(token), '*'));
        if let Some(name) = name.or_else(|| path.last().cloned()).filter(|_| !all) {
            self.imports.insert(name.clone(), path.clone());
            if public {
                return self.exports.push(name);
            }
        }
        self.used.insert(path);
    }
}

/// Which files each file uses, without those of the modules that contain it.
fn uses() -> BTreeMap<Name, BTreeSet<Name>> {
    let modules = modules();
    let mut files: BTreeMap<&Name, Paths> = BTreeMap::new();
    for (name, file) in &modules {
        let is_child = |other: &&Name| {
            other
                .split_last()
                .is_some_and(|(_, up)| up == name.as_slice())
        };
        let children = modules
            .keys()
            .filter(is_child)
            .filter_map(|child| child.last().cloned())
            .collect();
        let tokens = TokenStream::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        files.insert(name, Paths::of(name, &children, tokens));
    }
    // The module that declares an item: the longest prefix of the path that is a module, or the
    // module from which that one re-exports the name.
    let declares = |path: &Name| {
        let mut path = path.clone();
        for _ in 0..8 {
            let n = (0..=path.len())
                .rev()
                .find(|n| files.contains_key(&path[..*n].to_vec()))
                .unwrap();
            let (module, rest) = path.split_at(n);
            let import = rest
                .first()
                .and_then(|first| files[&module.to_vec()].imports.get(first));
            match import {
                Some(import) if *import != path => {
                    path = import.iter().chain(&rest[1..]).cloned().collect()
                }
                _ => return module.to_vec(),
            }
        }
        panic!("{path:?} leads to itself")
    };
    let used = |name: &Name, paths: &Paths| {
        paths
            .used
            .iter()
            .map(declares)
            .filter(|used| !name.starts_with(used))
            .collect()
    };
    files
        .iter()
        .map(|(name, paths)| ((*name).clone(), used(name, paths)))
        .collect()
}

/// The layer of a module, counted from below.
fn layer(module: &str) -> usize {
    let fits = |line: &str| {
        module == line
            || (line.ends_with("::") || module.starts_with(&format!("{line}::")))
                && module.starts_with(line)
    };
    let lines = LAYERS
        .iter()
        .enumerate()
        .flat_map(|(i, lines)| lines.iter().map(move |line| (i, *line)));
    lines
        .filter(|(_, line)| {
            if line.is_empty() {
                module.is_empty()
            } else {
                fits(line)
            }
        })
        .max_by_key(|(_, line)| line.len())
        .map(|(i, _)| i)
        .unwrap_or_else(|| panic!("{module} is in no layer"))
}

#[test]
fn no_file_uses_a_layer_above_its_own() {
    let mut wrong = Vec::new();
    // The root of the library lists its modules.
    for (module, used) in uses().into_iter().filter(|(module, _)| !module.is_empty()) {
        let module = module.join("::");
        let used = used.iter().map(|used| used.join("::"));
        wrong.extend(
            used.filter(|used| layer(used) > layer(&module))
                .map(|used| format!("{module} uses {used}")),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Circles that are still there, by the modules they are in.
const KNOWN: &[&str] = &[];

#[test]
fn there_are_no_cycles_of_files() {
    let mut left = uses();
    left.remove(&Name::new());
    left.retain(|module, _| {
        !KNOWN
            .iter()
            .any(|known| module.join("::").starts_with(known))
    });
    // What uses nothing that is left cannot be part of a circle, nor what nothing uses.
    loop {
        let before = left.len();
        let used: BTreeSet<Name> = left.values().flatten().cloned().collect();
        let modules: BTreeSet<Name> = left.keys().cloned().collect();
        left.retain(|module, uses| {
            used.contains(module) && uses.iter().any(|used| modules.contains(used))
        });
        if left.len() == before {
            break;
        }
    }
    let modules: BTreeSet<Name> = left.keys().cloned().collect();
    left.values_mut()
        .for_each(|uses| uses.retain(|used| modules.contains(used)));
    assert!(left.is_empty(), "{left:#?}");
}

#[test]
fn the_paths_of_a_file_are_found() {
    let text = "use crate::{wire::{self, Error}, tree::Blob}; use super::x; pub use child::Y; pub use child::Z; mod m \
{ Z }
        fn f(a: wire::Reader) { crate::registry::codec(); a.child::<B>(); } m! { $crate::work::a } #[cfg(test)] mod \
tests { use crate::cli::b; }";
    let children = BTreeSet::from(["child".to_owned()]);
    let found = Paths::of(
        &vec!["formats".into(), "pbo".into()],
        &children,
        TokenStream::from_str(text).unwrap(),
    );
    let found: Vec<String> = found.used.iter().map(|path| path.join("::")).collect();
    let expected = [
        "formats::pbo::child::Z",
        "formats::x",
        "registry::codec",
        "tree::Blob",
        "wire",
        "wire::Error",
        "wire::Reader",
        "work::a",
    ];
    assert_eq!(found, expected);
    let uses = uses();
    let of = |name: &str| &uses[&name.split("::").map(str::to_owned).collect::<Name>()];
    let nodes: Name = ["formats", "gamez", "nodes"].map(str::to_owned).to_vec();
    assert!(
        of("formats::gamez::lints").contains(&nodes),
        "{:?}",
        of("formats::gamez::lints")
    );
    // Through the re-export of `tree`.
    assert!(
        of("formats::livery").contains(&vec!["tree".to_owned(), "blob".to_owned()]),
        "{:?}",
        of("formats::livery")
    );
}

/// Paths are looked up and spelled in one place, `src/core/path.rs`: Windows spells a resolved path
/// differently from the typed one.
#[test]
fn paths_have_one_spelling() {
    let mut found = Vec::new();
    for path in modules()
        .into_values()
        .filter(|path| !path.ends_with("path.rs"))
    {
        let text = std::fs::read_to_string(&path).unwrap();
        for (line, instead) in [
            (".display()", "`.shown()` of path::Shown"),
            ("canonicalize(", "path::canonical"),
        ] {
            if let Some(at) = text.lines().position(|text| text.contains(line)) {
                found.push(format!(
                    "{}:{}: {line}: use {instead}",
                    path.display(),
                    at + 1
                ));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
