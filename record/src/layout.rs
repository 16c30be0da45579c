//! The positions of the fields in each game, proved to tile the record.

use crate::{
    declare::{FieldPlace, GameName, Record},
    kind::{FieldKind, Item},
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

/// The offsets and sizes of the fields, and the size of the record.
pub fn layout(record: &Record, items: &[Item<'_>]) -> TokenStream {
    let placed: Vec<&Item<'_>> = items.iter().filter(|item| item.index.is_some()).collect();
    let count = placed.len();
    let steps = placed.iter().enumerate().map(|(i, item)| {
        let (size, over) = (item.size(), item.field.over);
        let at = match &item.field.place {
            FieldPlace::Next => quote!(__next),
            FieldPlace::At(at) => quote!(#at),
            FieldPlace::PerGame(list) => {
                let arms = list.iter().map(|(game, at)| match game {
                    Some(game) => quote!(__Game::#game => #at,),
                    None => quote!(_ => #at,),
                });
                quote!(match __game { #(#arms)* #[allow(unreachable_patterns)] _ => __next })
            }
        };
        let step = quote! {
            out[#i] = (#at, #size, #over);
            __next = out[#i].0 + #size;
        };
        match item.has() {
            Some(has) => quote!(if #has { #step } else { out[#i] = (__next, 0, true); }),
            None => step,
        }
    });
    let (spans, sizes): (Vec<_>, Vec<_>) = record
        .all_games
        .iter()
        .map(
            |GameName { name, .. }| match record.games.iter().find(|(game, _)| game == name) {
                Some((_, size)) => (quote!(Self::spans(__Game::#name)), *size),
                None => (quote!([(0, 0, false); #count]), 0),
            },
        )
        .unzip();
    let proofs = declared(record).into_iter().map(|game| {
        let what = format!("{} in {game}", record.name);
        quote!(__w::prove(&Self::SPANS[__Game::#game as usize], Self::SIZES[__Game::#game as usize], #what);)
    });
    quote! {
        /// Offset and size of each field in a game, and whether it overlaps others.
        const fn spans(__game: __Game) -> [(usize, usize, bool); #count] {
            let mut out = [(0, 0, false); #count];
            let mut __next: usize = 0;
            #(#steps)*
            out
        }
        const SPANS: [[(usize, usize, bool); #count]; __Game::LAYOUTS.len()] = [#(#spans),*];
        const SIZES: [usize; __Game::LAYOUTS.len()] = [#(#sizes),*];
        const PROVED: () = { #(#proofs)* };
        /// Size of one record in a game's files; 0 if the game has none.
        pub const fn size(__game: __Game) -> usize {
            #[allow(clippy::let_unit_value)]
            let () = Self::PROVED;
            Self::SIZES[__game as usize]
        }
    }
}

/// The row of `SPANS` of the game at hand: a constant if all games have the same.
pub fn spans(record: &Record, items: &[Item<'_>]) -> TokenStream {
    let (name, first) = (&record.name, record.games.first());
    let uniform = items.iter().all(|item| {
        item.field.games.is_empty() && !matches!(item.field.place, FieldPlace::PerGame(_))
    }) && record
        .games
        .iter()
        .all(|(_, size)| first.is_some_and(|(_, first)| first == size));
    match first.filter(|_| uniform) {
        Some((game, _)) => quote!(const { #name::SPANS[__Game::#game as usize] }),
        None => quote!(const { &#name::SPANS }[__game as usize]),
    }
}

/// The games that the declaration names.
pub fn declared(record: &Record) -> Vec<&Ident> {
    let named = |game: &&Ident| {
        !record
            .inherited
            .iter()
            .any(|(inherits, _)| inherits == *game)
    };
    record
        .games
        .iter()
        .map(|(game, _)| game)
        .filter(named)
        .collect()
}

/// `place_FIELD` and `peek_FIELD`: the range of a field in a record's bytes, and its value there.
pub fn access(item: &Item<'_>) -> TokenStream {
    let Some(i) = item.index else {
        return TokenStream::new();
    };
    if matches!(item.kind, FieldKind::Pad(_)) {
        return TokenStream::new();
    }
    let name = item.key.replace('.', "_");
    let function = format_ident!("place_{name}", span = item.field.name.span());
    let doc = format!(
        "Where `{}` is in a record; empty where the game has none.",
        item.key
    );
    let place = quote! {
        #[doc = #doc]
        #[inline]
        pub const fn #function(__game: __Game) -> std::ops::Range<usize> {
            let (__at, __size, _) = Self::SPANS[__game as usize][#i];
            __at..__at + __size
        }
    };
    let Some(value) = item.value().filter(|value| value.how.is_none()) else {
        return place;
    };
    let (ty, peek) = (
        value.ty,
        format_ident!("peek_{name}", span = item.field.name.span()),
    );
    let doc = format!(
        "`{}` in a record's bytes; zero where the game has none.",
        item.key
    );
    quote! {
        #place
        #[doc = #doc]
        #[inline]
        pub fn #peek(__bytes: &[u8], __game: __Game) -> #ty {
            __w::peek(__bytes, Self::#function(__game))
        }
    }
}
