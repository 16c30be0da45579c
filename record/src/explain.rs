//! The name and the role of every byte.

use crate::{
    declare::Keeping,
    kind::{FieldKind, Item, Off},
    value::Codec,
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// `describe`: present fields first, because the first line for a byte wins.
pub fn describe(items: &[Item<'_>], context: &TokenStream) -> TokenStream {
    let (there, rest): (Vec<_>, Vec<_>) = items
        .iter()
        .filter(|item| item.index.is_some())
        .map(notes)
        .unzip();
    quote! {
        fn describe(&self, __bytes: &[u8], __at: u64, __game: __Game, __cx: &#context, __trace: &dyn __w::Trace) {
            // Not hot: offsets are looked up at run time, so the code is compiled once for all
            // games.
            let __spans = const { &Self::SPANS }[__game as usize];
            let mut __image = vec![0; __bytes.len()];
            let _ = __w::Record::store(self, &mut __image, __game, __cx);
            let mut __field = __w::Describe::new(__bytes, &__image, __at, __trace);
            #(#there)*
            #(#rest)*
        }
    }
}

/// The notes of a field that is there, and of one that is not.
fn notes(item: &Item<'_>) -> (TokenStream, TokenStream) {
    let (i, key, name, context) = (
        item.index.unwrap_or(0),
        &item.key,
        item.access(),
        &item.context,
    );
    let span = quote!(__spans[#i].0, __spans[#i].1);
    let none = TokenStream::new();
    let odd = quote!(__field.odd(self.#name.is_none()));
    match &item.kind {
        FieldKind::Bit(_) | FieldKind::Elsewhere => (none.clone(), none),
        FieldKind::Pad(_) => {
            let role = role("Padding");
            (
                none,
                item.in_its_games(
                    quote!(__field.note(#span, #key, __w::Notation::Bytes, #role, None);),
                ),
            )
        }
        FieldKind::Flags(_) => (
            none,
            quote!(__field.note(#span, #key, __w::Notation::Word, #odd, None);),
        ),
        FieldKind::Part(part) => {
            let describe = quote! {
                <#part as __w::FieldGroup<Self, #context>>::describe(self, &mut __field.part(#span), __game, __cx);
            };
            (none, item.in_its_games(describe))
        }
        FieldKind::Hidden { value, .. } => {
            let (encoding, role) = (value.encoding(context), kept(item));
            (
                none,
                item.in_its_games(quote!(__field.hidden(#span, #key, #encoding::KIND, #role);)),
            )
        }
        FieldKind::Always(value) if item.field.games.is_empty() => match value.how {
            Some(how) => {
                let ty = value.ty;
                let describe = quote! {
                    <#how as __w::FieldCodec<#ty, #context>>::describe(&self.#name, &__field.part(#span), #key, __game,
                        __cx);
                };
                (describe, none)
            }
            None => (note(item, value, kept(item)), none),
        },
        FieldKind::Always(value) => (none, item.in_its_games(note(item, value, odd))),
        FieldKind::Ruled { value, .. } => {
            let role = match &item.field.clauses.when {
                Some(when) => {
                    let (there, padding) = (item.ask(when, quote!(self)), role("Padding"));
                    quote!(if #there { #odd } else { #padding })
                }
                None => odd,
            };
            // A value in the place of another field is there in its stead.
            let there = item.field.over.then(|| {
                let note = note(item, value, self::role("Value"));
                quote!(if !self.#name.is_none() { #note })
            });
            (
                there.unwrap_or_default(),
                item.in_its_games(note(item, value, role)),
            )
        }
        FieldKind::Optional { value, off, .. } => {
            let there = match value.how {
                Some(how) => {
                    let ty = value.ty;
                    quote! {
                        if let Some(__v) = &self.#name {
                            <#how as __w::FieldCodec<#ty, #context>>::describe(__v, &__field.part(#span), #key, __game,
                                __cx);
                        }
                    }
                }
                None => {
                    let note = note(item, value, role("Value"));
                    quote!(if self.#name.is_some() { #note })
                }
            };
            let (encoding, role) = (
                value.encoding(context),
                role(if matches!(off, Off::Value(_)) {
                    "Derived"
                } else {
                    "Padding"
                }),
            );
            let has = item.has().map(|has| quote!(#has &&));
            (
                there,
                quote!(if #has self.#name.is_none() { __field.note(#span, #key, #encoding::KIND, #role, None); }),
            )
        }
    }
}

/// Reports a value, with its remark.
fn note(item: &Item<'_>, value: &Codec<'_>, role: TokenStream) -> TokenStream {
    let (i, key, context, Codec { ty, how, .. }) =
        (item.index.unwrap_or(0), &item.key, &item.context, value);
    match how {
        Some(how) => {
            quote!(__field.coded::<#how, #ty, #context>(__spans[#i].0, #key, #role, __game, __cx);)
        }
        None => quote!(__field.plain::<#ty>(__spans[#i].0, #key, #role);),
    }
}

/// The role of a field according to its declaration.
fn kept(item: &Item<'_>) -> TokenStream {
    role(match item.field.keeping {
        Keeping::Tree => "Value",
        Keeping::State | Keeping::Derived => "Derived",
        Keeping::Constant => "Constant",
    })
}

fn role(name: &str) -> TokenStream {
    let name = format_ident!("{name}");
    quote!(__w::Role::#name)
}
