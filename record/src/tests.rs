//! What declarations of refit become: `record/expansions/NAME.rs`, which `record/TOUR.md` explains.
//!
//! `BLESS=1 cargo test -p refit-record` writes them again.

use crate::{declare::Record, generate};
use proc_macro2::TokenStream;
use quote::quote;
use std::{
    fs,
    path::{Path, PathBuf},
};

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The `record!` declarations of a source file.
fn declarations(path: &str) -> Vec<Record> {
    let text = fs::read_to_string(folder().join("../src/zipper").join(path)).unwrap();
    let calls = syn::parse_file(&text)
        .unwrap()
        .items
        .into_iter()
        .filter_map(|item| match item {
            syn::Item::Macro(call) if call.mac.path.segments.last()?.ident == "record" => {
                Some(call.mac.tokens)
            }
            _ => None,
        });
    calls.map(|tokens| declaration(&tokens).unwrap()).collect()
}

fn declaration(tokens: &TokenStream) -> syn::Result<Record> {
    syn::parse2(quote!(games { Rc, Mw, Pm, Cs, RcDemo like Rc "the demos of Recoil" } #tokens))
}

fn expansion(record: &Record) -> String {
    let tokens = generate::record(record).unwrap();
    prettyplease::unparse(&syn::parse2(tokens).unwrap())
}

fn snapshot(name: &str) -> PathBuf {
    folder().join("expansions").join(name).with_extension("rs")
}

#[test]
fn expansions_are_as_checked_in() {
    for (path, name) in [
        ("gamez/textures.rs", "Texture"),
        ("anim/events/objects.rs", "ObjectTranslateState"),
        ("anim/events/flow.rs", "Loop"),
    ] {
        let record = declarations(path)
            .into_iter()
            .find(|record| record.name == name)
            .unwrap();
        let new = expansion(&record);
        if std::env::var_os("BLESS").is_some() {
            fs::write(snapshot(name), &new).unwrap();
        }
        let old = fs::read_to_string(snapshot(name))
            .unwrap()
            .replace("\r\n", "\n");
        let line = old
            .lines()
            .zip(new.lines())
            .position(|(old, new)| old != new);
        assert!(
            old == new,
            "{name} becomes something else from line {line:?} on; BLESS=1 writes the new expansion"
        );
    }
}

/// Each block of code in the tour is a piece of a declaration or of an expansion.
#[test]
fn the_tour_is_true() {
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let mut all = String::new();
    for path in [
        "gamez/textures.rs",
        "anim/events/objects.rs",
        "anim/events/flow.rs",
    ] {
        all += &bare(&fs::read_to_string(folder().join("../src/zipper").join(path)).unwrap());
    }
    for name in ["Texture", "ObjectTranslateState", "Loop"] {
        all += &bare(&fs::read_to_string(snapshot(name)).unwrap());
    }
    let tour = fs::read_to_string(folder().join("TOUR.md")).unwrap();
    let blocks: Vec<&str> = tour
        .split("```rust")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(blocks.len() > 5);
    for block in blocks {
        assert!(
            all.contains(&bare(block)),
            "the tour shows what is not there:{block}"
        );
    }
}

/// An invalid declaration is an error that says what is wrong.
#[test]
fn wrong_declarations_are_refused() {
    let error = |fields: TokenStream| {
        let record = declaration(&quote!(struct Pair [Mw 8] { #fields }));
        record
            .and_then(|record| generate::record(&record))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        error(quote!(a~: u32)),
        "a field with `~` or `^` needs a rule: `= |record| …`"
    );
    assert_eq!(
        error(quote!(let a: u32)),
        "a hidden field needs a rule: `= |record| …`"
    );
    assert_eq!(
        error(quote!(a: bit 1)),
        "a bit of the flag word is marked with `!`"
    );
    assert_eq!(
        error(quote!(a: u32 when |_| true)),
        "`when` is for fields with `~` or `^`"
    );
    assert_eq!(
        error(quote!([Mw] a!: u32)),
        "`!` is for fields that all games have"
    );
    assert_eq!(
        error(quote!(let a: u32 = |_| 1 key "A")),
        "`key` is for fields that are in the tree and in the bytes"
    );
    assert_eq!(
        error(quote!(a: u32 as Half with b)),
        "no field of this name"
    );
    assert!(error(quote!(a: u32 wen |_| true)).starts_with("expected a comma or a clause: "));
}
