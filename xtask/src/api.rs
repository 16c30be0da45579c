//! `cargo xtask api [--check]`: `docs/api.txt`, the public items of the library, from the source.
//!
//! Items are listed under the paths by which `refit` re-exports them from the packages below it. An
//! item is public if its module is, or if a public module re-exports it. Fields, variants and trait
//! implementations are not listed, nor what `#[doc(hidden)]` hides.

use crate::{Args, root};
use anyhow::{Context, Result, ensure};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    str::FromStr,
};

/// A path from the root of the crate.
type Name = Vec<String>;

/// The declarations of a module.
#[derive(Default)]
struct Module {
    /// All items, and whether they are public.
    items: BTreeMap<String, bool>,
    /// Child modules, and whether they are public.
    children: BTreeMap<String, bool>,
    /// Names from `use`: the path, and whether the name is public.
    names: BTreeMap<String, (Name, bool)>,
    /// Modules whose names are all re-exported.
    globs: Vec<Name>,
    /// Public functions in `impl` blocks and traits: type, function.
    methods: Vec<(String, String)>,
}

type Modules = BTreeMap<Name, Module>;

fn is_punct(token: Option<&TokenTree>, c: char) -> bool {
    matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == c)
}

fn word(token: Option<&TokenTree>) -> Option<String> {
    match token {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    }
}

fn body(token: Option<&TokenTree>) -> Option<Vec<TokenTree>> {
    match token {
        Some(TokenTree::Group(group)) => Some(group.stream().into_iter().collect()),
        _ => None,
    }
}

/// Reads the source of a module that is a file, and those of its children.
fn read(modules: &mut Modules, at: Name, file: &Path) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let tokens =
        TokenStream::from_str(&text).map_err(|e| anyhow::anyhow!("{}: {e}", file.display()))?;
    scan(modules, &at, &tokens.into_iter().collect::<Vec<_>>());
    let folder = match file.file_stem().and_then(|stem| stem.to_str()) {
        Some("lib" | "mod") => file.with_file_name(""),
        _ => file.with_extension(""),
    };
    let children: Vec<String> = modules
        .entry(at.clone())
        .or_default()
        .children
        .keys()
        .cloned()
        .collect();
    for child in children {
        let name: Name = at.iter().cloned().chain([child.clone()]).collect();
        let files = [
            folder.join(format!("{child}.rs")),
            folder.join(&child).join("mod.rs"),
        ];
        if let Some(file) = files.iter().find(|file| file.is_file()) {
            read(modules, name, file)?;
        }
    }
    Ok(())
}

/// Scans the items of a module, and those in the arguments of macros.
fn scan(modules: &mut Modules, at: &Name, tokens: &[TokenTree]) {
    let (mut i, mut hidden) = (0, false);
    while let Some(token) = tokens.get(i) {
        i += 1;
        if is_punct(Some(token), '#') && matches!(tokens.get(i), Some(TokenTree::Group(_))) {
            let text = tokens
                .get(i)
                .map(ToString::to_string)
                .unwrap_or_default()
                .replace(' ', "");
            hidden |= matches!(text.as_str(), "[cfg(test)]" | "[doc(hidden)]");
            i += 1;
            continue;
        }
        let Some(first) = word(Some(token)) else {
            // The arms of a `macro_rules!`.
            if let TokenTree::Group(group) = token
                && group.delimiter() == Delimiter::Brace
            {
                scan(modules, at, &group.stream().into_iter().collect::<Vec<_>>());
            }
            continue;
        };
        if is_punct(tokens.get(i), '!') {
            // A macro: its arguments, or its definition.
            i += 1 + usize::from(word(tokens.get(i + 1)).is_some());
            if let Some(inner) = body(tokens.get(i)) {
                scan(modules, at, &inner);
            }
            (i, hidden) = (i + 1, false);
            continue;
        }
        let limited = first == "pub"
            && matches!(tokens.get(i), Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis);
        let public = first == "pub" && !limited && !hidden;
        if first == "pub" {
            i += usize::from(limited);
        } else {
            i -= 1;
        }
        while matches!(
            word(tokens.get(i)).as_deref(),
            Some("async" | "unsafe" | "extern")
        ) || word(tokens.get(i)).as_deref() == Some("const")
            && word(tokens.get(i + 1)).as_deref() == Some("fn")
        {
            i += 1;
        }
        let end = |what: &dyn Fn(&TokenTree) -> bool| {
            tokens[i..]
                .iter()
                .position(what)
                .map_or(tokens.len(), |n| i + n)
        };
        let is_brace = |token: &TokenTree| matches!(token, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace);
        let ends = |token: &TokenTree| is_brace(token) || is_punct(Some(token), ';');
        let kind = word(tokens.get(i)).unwrap_or_default();
        let name = word(tokens.get(i + 1));
        match (kind.as_str(), name) {
            ("use", _) => {
                let semicolon = end(&|token| is_punct(Some(token), ';'));
                import(modules, at, &tokens[i + 1..semicolon], None, public);
                i = semicolon;
            }
            ("impl", _) => {
                let open = end(&is_brace);
                let head = &tokens[i + 1..open];
                let of_trait = head
                    .iter()
                    .any(|token| word(Some(token)).as_deref() == Some("for"));
                if let (false, Some(name), Some(inner)) = (
                    of_trait || hidden,
                    implemented(head),
                    body(tokens.get(open)),
                ) {
                    functions(modules, at, &name, &inner, true);
                }
                i = open + 1;
            }
            ("mod", Some(name)) => {
                let open = end(&ends);
                if !hidden || first == "pub" {
                    modules
                        .entry(at.clone())
                        .or_default()
                        .children
                        .insert(name.clone(), public);
                }
                if let (Some(inner), false) = (body(tokens.get(open)), hidden) {
                    scan(modules, &at.iter().cloned().chain([name]).collect(), &inner);
                }
                i = open + 1;
            }
            (
                "fn" | "struct" | "enum" | "union" | "type" | "const" | "static" | "trait",
                Some(name),
            ) if name != "_" => {
                let open = end(&ends);
                modules
                    .entry(at.clone())
                    .or_default()
                    .items
                    .insert(name.clone(), public);
                if let ("trait", Some(inner)) = (kind.as_str(), body(tokens.get(open))) {
                    functions(modules, at, &name, &inner, false);
                }
                i = open + 1;
            }
            _ => {
                i += 1;
                continue;
            }
        }
        hidden = false;
    }
}

/// The type of an `impl`: its last word outside of `<…>`, before a `where`.
fn implemented(head: &[TokenTree]) -> Option<String> {
    let (mut depth, mut last) = (0i32, None);
    for token in head {
        match token {
            TokenTree::Punct(p) if p.as_char() == '<' => depth += 1,
            TokenTree::Punct(p) if p.as_char() == '>' => depth -= 1,
            TokenTree::Ident(word) if word == "where" => break,
            TokenTree::Ident(word) if depth == 0 => last = Some(word.to_string()),
            _ => {}
        }
    }
    last
}

/// The functions of a type or a trait.
fn functions(modules: &mut Modules, at: &Name, of: &str, tokens: &[TokenTree], only_public: bool) {
    for (i, token) in tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| word(Some(token)).as_deref() == Some("fn"))
    {
        let is_mark = |t: &&TokenTree| {
            matches!(
                word(Some(t)).as_deref(),
                Some("const" | "async" | "unsafe" | "pub")
            )
        };
        let marks: Vec<&TokenTree> = tokens[..i].iter().rev().take_while(is_mark).collect();
        // Attributes are pairs of `#` and a group.
        let mut attributes = tokens[..i - marks.len()]
            .rchunks(2)
            .take_while(|pair| is_punct(pair.first(), '#'));
        let is_hidden =
            attributes.any(|pair| pair[1].to_string().replace(' ', "") == "[doc(hidden)]");
        let public = marks
            .last()
            .is_some_and(|first| word(Some(*first)).as_deref() == Some("pub"))
            && !is_hidden;
        if let (Some(name), true) = (word(tokens.get(i + 1)), public || !only_public) {
            modules
                .entry(at.clone())
                .or_default()
                .methods
                .push((of.to_owned(), name));
        }
        let _ = token;
    }
}

/// True for the name of a package below `refit`, whose own items are at the root.
fn is_package(name: &impl AsRef<str>) -> bool {
    name.as_ref().starts_with("refit_")
}

/// A branch of a `use`.
fn import(
    modules: &mut Modules,
    at: &Name,
    tokens: &[TokenTree],
    below: Option<&Name>,
    public: bool,
) {
    let (mut path, mut name) = (below.cloned(), None);
    let mut left = tokens.iter();
    while let Some(token) = left.next() {
        match (token, &mut path) {
            (TokenTree::Ident(word), _) if word == "as" => {
                name = left.next().map(ToString::to_string)
            }
            (TokenTree::Ident(word), None) => {
                path = Some(match word.to_string().as_str() {
                    "crate" => at.first().filter(is_package).cloned().into_iter().collect(),
                    package if is_package(&package) => vec![package.to_owned()],
                    "self" => at.clone(),
                    "super" => at
                        .split_last()
                        .map(|(_, up)| up.to_vec())
                        .unwrap_or_default(),
                    other => at.iter().cloned().chain([other.to_owned()]).collect(),
                });
            }
            (TokenTree::Ident(word), Some(path)) if word == "super" => _ = path.pop(),
            (TokenTree::Ident(word), Some(path)) if word != "self" => path.push(word.to_string()),
            (TokenTree::Group(group), _) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                for branch in inner
                    .split(|token| is_punct(Some(token), ','))
                    .filter(|branch| !branch.is_empty())
                {
                    import(modules, at, branch, path.as_ref(), public);
                }
                return;
            }
            _ => {}
        }
    }
    let Some(path) = path else { return };
    let module = modules.entry(at.clone()).or_default();
    if tokens
        .last()
        .is_some_and(|token| is_punct(Some(token), '*'))
    {
        if public {
            module.globs.push(path);
        }
    } else if let Some(name) = name.or_else(|| path.last().cloned()) {
        module.names.insert(name, (path, public));
    }
}

/// The module and the name that a path leads to, through re-exports.
fn declared(modules: &Modules, path: &Name) -> Option<Name> {
    let mut path = path.clone();
    for _ in 0..8 {
        if modules.contains_key(&path) {
            return Some(path);
        }
        let (name, at) = path.split_last()?;
        match modules.get(at) {
            Some(module) if module.items.contains_key(name) => return Some(path),
            Some(module) => path = module.names.get(name)?.0.clone(),
            None => {
                // A module under another name.
                let (module, up) = at.split_last()?;
                let (real, _) = modules.get(up)?.names.get(module)?;
                path = real.iter().chain([name]).cloned().collect();
            }
        }
    }
    None
}

/// Adds the public items of a module under a path.
fn list(
    modules: &Modules,
    methods: &BTreeMap<Name, BTreeSet<String>>,
    at: &Name,
    shown: &str,
    out: &mut BTreeSet<String>,
) {
    let Some(module) = modules.get(at) else {
        return;
    };
    let below = |name: &str| {
        if shown.is_empty() {
            name.to_owned()
        } else {
            format!("{shown}::{name}")
        }
    };
    let path = |name: &String| -> Name { at.iter().chain([name]).cloned().collect() };
    let public = module
        .items
        .iter()
        .filter(|(_, public)| **public)
        .map(|(name, _)| (name, path(name)));
    let children = module
        .children
        .iter()
        .filter(|(_, public)| **public)
        .map(|(name, _)| (name, path(name)));
    let names = module
        .names
        .iter()
        .filter(|(_, (_, public))| *public)
        .map(|(name, (path, _))| (name, path.clone()));
    for (name, path) in public.chain(children).chain(names) {
        let Some(declared) = declared(modules, &path) else {
            continue;
        };
        let shown = below(name);
        if modules.contains_key(&declared) {
            list(modules, methods, &declared, &shown, out);
        } else {
            out.extend(
                methods
                    .get(&declared)
                    .into_iter()
                    .flatten()
                    .map(|method| format!("{shown}::{method}")),
            );
            out.insert(shown);
        }
    }
    module
        .globs
        .iter()
        .for_each(|glob| list(modules, methods, glob, shown, out));
}

/// The public items, sorted.
fn api() -> Result<BTreeSet<String>> {
    let mut modules = Modules::new();
    for folder in fs::read_dir(root().join("src"))? {
        let folder = folder?;
        let name = folder.file_name().to_string_lossy().into_owned();
        let at = match name.as_str() {
            "refit" => Name::new(),
            package => vec![format!("refit_{package}")],
        };
        let file = folder.path().join("lib.rs");
        if file.is_file() {
            read(&mut modules, at, &file)?;
        }
    }
    let mut methods: BTreeMap<Name, BTreeSet<String>> = BTreeMap::new();
    for (at, module) in &modules {
        for (of, method) in &module.methods {
            let path: Name = at.iter().chain([of]).cloned().collect();
            methods
                .entry(declared(&modules, &path).unwrap_or(path))
                .or_default()
                .insert(method.clone());
        }
    }
    let mut out = BTreeSet::new();
    list(&modules, &methods, &Name::new(), "", &mut out);
    Ok(out)
}

/// Runs the task.
pub fn task(mut args: Args) -> Result<()> {
    let check = args.flag("--check");
    args.done()?;
    let items = api()?;
    let path = root().join("docs/api.txt");
    let new: String = items.iter().map(|item| format!("{item}\n")).collect();
    let old = fs::read_to_string(&path)
        .unwrap_or_default()
        .replace("\r\n", "\n");
    if old != new {
        let old: BTreeSet<String> = old.lines().map(str::to_owned).collect();
        old.difference(&items).for_each(|item| println!("- {item}"));
        items.difference(&old).for_each(|item| println!("+ {item}"));
        ensure!(
            !check,
            "docs/api.txt is not the public API\nrun `cargo xtask api`, and mention the change in the changelog"
        );
        fs::write(&path, new).context("docs/api.txt")?;
    }
    println!("{} public items", items.len());
    Ok(())
}
