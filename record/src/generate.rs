//! Generates the code for a declaration: the struct, and everything that reads, writes and explains
//! its bytes.

use crate::{
    declare::Record,
    decode, document, encode, explain, keys,
    kind::{FieldKind, Item, context, items},
    layout, table,
};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, Ident, Result};

/// The expansion of a declaration.
pub fn record(record: &Record) -> Result<TokenStream> {
    let items = items(record)?;
    let declaration = document::structure(record, &items);
    if !record.games.is_empty() {
        let code = code(record, &items);
        return Ok(quote!(#declaration #code));
    }
    match items
        .iter()
        .find(|item| !item.own() || !matches!(item.kind, FieldKind::Elsewhere))
    {
        Some(item) => Err(Error::new(
            item.field.name.span(),
            "a record without sizes has only values, and none outside of it",
        )),
        None => {
            let new = document::constructor(record);
            Ok(quote!(#declaration #new))
        }
    }
}

fn code(record: &Record, items: &[Item<'_>]) -> TokenStream {
    let (name, context) = (&record.name, context(record));
    let (layout, access) = (
        layout::layout(record, items),
        items.iter().map(layout::access),
    );
    let (load, store) = (decode::load(record, items), encode::store(record, items));
    let (implied, describe, table) = (
        encode::implied(items, &context),
        explain::describe(items, &context),
        table::table(record, items),
    );
    let (fill, bare) = (fill(items, &context), bare(record, items));
    let keys = keys::keys(items);
    let games = record.games.iter().map(|(game, _)| game);
    let wire = record.context.is_none().then(|| {
        quote! {
            impl __w::Encode for #name {
                fn read(r: &mut __w::Reader<'_>) -> __w::Result<Self> { <Self as __w::Record>::take(r, &()) }
                fn write(&self, w: &mut __w::Writer) -> __w::Result<()> { <Self as __w::Record>::append(self, w, &()) }
            }
        }
    });
    quote! {
        const _: () = {
            #[allow(unused_imports)]
            use ::refit_base::{game::Game as __Game, wire::{self as __w, FieldCodec as _, FieldGroup as _, Plain as _}};
            #[allow(dead_code, unused_variables, unused_mut, clippy::all)]
            impl #name {
                #layout
                #implied
                #bare
                #fill
                #(#access)*
                #table
                #keys
            }
            #[allow(unused_variables, unused_mut, clippy::all)]
            impl __w::Record<#context> for #name {
                fn size(__game: __Game) -> Option<usize> { matches!(__game,
                    #(__Game::#games)|*).then(|| #name::size(__game)) }
                #load
                #store
                #describe
            }
            #wire
        };
    }
}

/// `bare`: the record without the fields above and below.
fn bare(record: &Record, items: &[Item<'_>]) -> TokenStream {
    let around = record
        .above
        .iter()
        .chain(&record.below)
        .map(|field| &field.name);
    let (name, own) = (
        &record.name,
        items
            .iter()
            .filter(|item| item.own())
            .map(|item| &item.field.name)
            .collect::<Vec<_>>(),
    );
    quote! {
        /// The record's own fields, with empty parts above and below, for writing the counts of
        /// these parts into it.
        pub fn bare(&self) -> Self {
            #name { #(#around: Default::default(),)* #(#own: self.#own.clone(),)* }
        }
    }
}

/// `fill`: reads the bytes of a record into an existing one.
fn fill(items: &[Item<'_>], context: &TokenStream) -> TokenStream {
    let parts: Vec<&Ident> = items
        .iter()
        .filter(|item| matches!(item.kind, FieldKind::Part(_)))
        .map(|item| &item.field.name)
        .collect();
    let inside = |item: &&Item<'_>| {
        item.kept()
            && item
                .field
                .clauses
                .in_
                .as_ref()
                .is_none_or(|part| parts.contains(&part))
    };
    let inside: Vec<TokenStream> = items.iter().filter(inside).map(Item::access).collect();
    quote! {
        /// Reads all fields in these bytes; fields that are stored elsewhere stay.
        pub fn fill(&mut self, __bytes: &[u8], __game: __Game, __cx: &#context) {
            let __new = <Self as __w::Record<#context>>::load(__bytes, __game, __cx);
            #(self.#inside = __new.#inside;)*
        }
    }
}
