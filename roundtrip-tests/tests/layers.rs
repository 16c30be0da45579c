//! The layers of the source: each module uses only what stands below it, and within the formats nothing goes round in a circle.
//!
//! What counts is every path that a file says, in `use`, in expressions and in macros, but for tests: those may use anything.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    str::FromStr,
};

/// The layers, the lowest first. A module belongs to the line with its longest beginning.
const LAYERS: &[&[&str]] = &[
    // What everything may know: names and sums.
    &["game", "format", "par", "path", ""],
    &["wire"],
    &["naming"],
    &["tree", "lint"],
    &["formats", "formats::contract"],
    &["formats::support"],
    &["formats::"],
    &["registry", "detect"],
    &["gltf"],
    &["anim_source"],
    &["pipeline"],
    &["file"],
    &["project", "game_files"],
    &["index"],
    &["diff"],
    &["mods"],
    &["workbench"],
    &["cli", "main"],
];

/// The modules of the source: their names, such as `formats::gamez::nodes`, and their files.
fn modules() -> BTreeMap<Vec<String>, PathBuf> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    let mut found = BTreeMap::new();
    for entry in walkdir::WalkDir::new(&src) {
        let path = entry.unwrap().into_path();
        if path.extension().is_some_and(|e| e == "rs") {
            let below = path.strip_prefix(&src).unwrap().with_extension("");
            let mut name: Vec<String> = below.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
            if name.last().is_some_and(|last| last == "mod") || name == ["lib"] {
                name.pop();
            }
            if name.last().is_none_or(|last| last != "tests") {
                found.insert(name, path);
            }
        }
    }
    found
}

/// The paths that tokens say, from the root of the crate; `at` is the module that says them.
fn paths(tokens: TokenStream, at: &[String], found: &mut BTreeSet<Vec<String>>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut i = 0;
    while let Some(token) = tokens.get(i) {
        i += 1;
        match token {
            // #[cfg(test)] mod tests { … }
            TokenTree::Punct(p) if p.as_char() == '#' && is_test(tokens.get(i)) => {
                while let Some(token) = tokens.get(i) {
                    i += 1;
                    let body = matches!(token, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace);
                    if body || matches!(token, TokenTree::Punct(p) if p.as_char() == ';') {
                        break;
                    }
                }
            }
            TokenTree::Group(group) => paths(group.stream(), at, found),
            TokenTree::Ident(ident) => {
                let root: Vec<String> = match ident.to_string().as_str() {
                    "crate" | "refit" => Vec::new(),
                    "super" => at.split_last().map_or(&[][..], |(_, up)| up).to_vec(),
                    "self" => at.to_vec(),
                    _ => continue,
                };
                tree(&tokens, &mut i, root, found);
            }
            _ => {}
        }
    }
}

fn is_test(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(g)) if g.stream().to_string().replace(' ', "") == "cfg(test)")
}

/// What follows the first word of a path: `::a::b`, and the branches of `::{a, b::c}`.
fn tree(tokens: &[TokenTree], i: &mut usize, mut path: Vec<String>, found: &mut BTreeSet<Vec<String>>) {
    let colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == ':');
    let mut any = false;
    while colon(tokens.get(*i)) && colon(tokens.get(*i + 1)) {
        any = true;
        match tokens.get(*i + 2) {
            Some(TokenTree::Ident(word)) if word == "super" => _ = path.pop(),
            Some(TokenTree::Ident(word)) if word == "self" => {}
            Some(TokenTree::Ident(word)) => path.push(word.to_string()),
            Some(TokenTree::Group(group)) => {
                *i += 3;
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                for branch in inner.split(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ',')) {
                    let Some(TokenTree::Ident(word)) = branch.first() else { continue };
                    let mut path = path.clone();
                    if word != "self" {
                        path.push(word.to_string());
                    }
                    tree(branch, &mut 1, path.clone(), found);
                    found.insert(path);
                }
                return;
            }
            _ => break,
        }
        *i += 3;
    }
    if any {
        found.insert(path);
    }
}

/// Which modules each module uses.
fn uses() -> BTreeMap<String, BTreeSet<String>> {
    let modules = modules();
    let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, file) in &modules {
        let tokens = TokenStream::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let mut found = BTreeSet::new();
        paths(tokens, name, &mut found);
        for path in found {
            // The module that says what is used: the longest beginning of the path that is one. What a `mod.rs` re-exports is its own.
            let used = (0..=path.len()).rev().find_map(|n| modules.get_key_value(&path[..n])).map(|(used, _)| used.join("::"));
            let used = used.unwrap_or_default();
            if used != name.join("::") {
                out.entry(name.join("::")).or_default().insert(used);
            }
        }
    }
    out
}

/// The layer of a module, counted from below.
fn layer(module: &str) -> usize {
    let fits =
        |line: &str| module == line || (line.ends_with("::") || module.starts_with(&format!("{line}::"))) && module.starts_with(line);
    let lines = LAYERS.iter().enumerate().flat_map(|(i, lines)| lines.iter().map(move |line| (i, *line)));
    lines
        .filter(|(_, line)| if line.is_empty() { module.is_empty() } else { fits(line) })
        .max_by_key(|(_, line)| line.len())
        .map(|(i, _)| i)
        .unwrap_or_else(|| panic!("{module} is in no layer"))
}

/// What stands together: a format with its own modules, a layer otherwise.
fn unit(module: &str) -> &str {
    let words = if module.starts_with("formats::") { 2 } else { 1 };
    let end = module.match_indices("::").nth(words - 1).map_or(module.len(), |(at, _)| at);
    &module[..end]
}

#[test]
fn no_module_uses_what_stands_above_it() {
    let mut wrong = Vec::new();
    for (module, used) in uses() {
        wrong.extend(used.iter().filter(|used| layer(used) > layer(&module)).map(|used| format!("{module} uses {used}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn nothing_goes_round_in_a_circle() {
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, used) in uses() {
        let own = unit(&module).to_owned();
        // The root of the library only lists what it has.
        let used = used.iter().map(|used| unit(used).to_owned()).filter(|used| *used != own && !used.is_empty());
        let used: Vec<String> = used.collect();
        edges.entry(own).or_default().extend(used);
    }
    edges.remove("");
    // What uses nothing that is left cannot be part of a circle.
    loop {
        let free: Vec<String> =
            edges.iter().filter(|(_, used)| !used.iter().any(|u| edges.contains_key(u))).map(|(m, _)| m.clone()).collect();
        if free.is_empty() {
            break;
        }
        free.iter().for_each(|module| _ = edges.remove(module));
    }
    let left: BTreeMap<_, BTreeSet<_>> =
        edges.iter().map(|(m, used)| (m, used.iter().filter(|u| edges.contains_key(*u)).collect())).collect();
    assert!(left.is_empty(), "{left:#?}");
}

#[test]
fn the_paths_of_a_file_are_found() {
    let text = "use crate::{wire::{self, Error}, tree::Blob}; use super::x; fn f() { crate::registry::codec(); } m! { $crate::work::a } #[cfg(test)] mod tests { use crate::cli::b; }";
    let mut found = BTreeSet::new();
    paths(TokenStream::from_str(text).unwrap(), &["formats".into(), "pbo".into()], &mut found);
    let found: Vec<String> = found.iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["formats::x", "registry::codec", "tree", "tree::Blob", "wire", "wire::Error", "work::a"]);
    assert!(uses()["formats::gamez::lints"].contains("formats::gamez::nodes"), "{:?}", uses()["formats::gamez::lints"]);
}

/// Paths are looked up and spelled in one place, `src/path.rs`: Windows spells what was looked up in another way than what was typed.
#[test]
fn paths_have_one_spelling() {
    let mut found = Vec::new();
    for path in modules().into_values().filter(|path| !path.ends_with("path.rs")) {
        let text = std::fs::read_to_string(&path).unwrap();
        for (line, instead) in [(".display()", "`.shown()` of path::Shown"), ("canonicalize(", "path::canonical")] {
            if let Some(at) = text.lines().position(|text| text.contains(line)) {
                found.push(format!("{}:{}: {line}: use {instead}", path.display(), at + 1));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
