//! The declaration as data, for the format references.

use crate::{
    declare::Record,
    kind::{FieldKind, Item},
    layout,
};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, spanned::Spanned};

/// `table`: a row for each field with bytes, and for each bit of the flag word.
pub fn table(record: &Record, items: &[Item<'_>]) -> TokenStream {
    let (name, about) = (record.name.to_string(), docs(&record.attrs));
    let games = layout::declared(record);
    let rows = items.iter().filter_map(|item| item.index.map(|i| (i, item))).map(|(i, item)| {
        let (field, about) = (item.field, docs(&item.field.attrs));
        let key = if matches!(item.kind, FieldKind::Pad(_)) { "–" } else { item.key.as_str() };
        let (kind, rule) = match &item.kind {
            FieldKind::Pad(n) => (format!("{n} bytes"), "padding"),
            FieldKind::Flags(ty) => (tidy(ty), "follows from the fields"),
            FieldKind::Part(ty) => (tidy(ty), ""),
            FieldKind::Hidden { value, .. } => (tidy(value.written()), "derived, not in the tree"),
            FieldKind::Ruled { value, .. } => (tidy(value.written()), "absent while regular"),
            FieldKind::Always(value) | FieldKind::Optional { value, .. } => (tidy(value.written()), ""),
            FieldKind::Bit(_) | FieldKind::Elsewhere => (String::new(), ""),
        };
        let on = field.clauses.on.as_ref().map(tidy).unwrap_or_default();
        let places = quote!(__w::places(&__games, &Self::SPANS, #i));
        quote!(__w::Row { name: #key, places: #places, kind: #kind, on: #on, rule: #rule, about: #about })
    });
    let bits = items.iter().filter_map(|item| {
        let FieldKind::Bit(mask) = item.kind else { return None };
        let (key, mask, about) = (&item.key, tidy(mask), docs(&item.field.attrs));
        Some(quote!(__w::Row { name: #key, places: Vec::new(), kind: "bit", on: #mask, rule: "", about: #about }))
    });
    quote! {
        /// The declaration as a table.
        #[cfg(feature = "schemas")]
        pub fn table() -> __w::RecordTable {
            let __games = [#(__Game::#games),*];
            __w::RecordTable {
                name: #name,
                about: #about,
                games: __games.map(|__game| (__game, Self::size(__game))).to_vec(),
                rows: vec![#(#rows,)* #(#bits,)*],
            }
        }
    }
}

/// The text of doc comments, as one paragraph.
fn docs(attrs: &[syn::Attribute]) -> String {
    let lines = attrs
        .iter()
        .filter(|attr| attr.path().is_ident("doc"))
        .filter_map(|attr| match &attr.meta.require_name_value().ok()?.value {
            Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) => Some(text.value().trim().to_owned()),
            _ => None,
        });
    lines.collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// Source as a person would write it.
fn tidy(tokens: &(impl quote::ToTokens + Spanned)) -> String {
    let mut text = quote!(#tokens).to_string();
    for (from, to) in [
        (" < ", "<"),
        (" > ", ">"),
        (" >", ">"),
        (" , ", ", "),
        (" :: ", "::"),
        ("- ", "-"),
        (" ;", ";"),
        ("[ ", "["),
        (" ]", "]"),
    ] {
        text = text.replace(from, to);
    }
    text
}
