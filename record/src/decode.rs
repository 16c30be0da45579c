//! From bytes into the struct.

use crate::{
    declare::Record,
    kind::{FieldKind, Item, There, context},
    layout,
    value::{Codec, Holder},
};
use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

/// `load`: the record from its bytes.
///
/// The fields in order, those that need another one last; then the parts and the flag word, which
/// see the record; then the rules, which forget the values that follow them.
pub fn load(record: &Record, items: &[Item<'_>]) -> TokenStream {
    let (name, context, spans) = (&record.name, context(record), layout::spans(record, items));
    let flags = items.iter().find_map(|item| match item.kind {
        FieldKind::Flags(ty) => Some((item, ty)),
        _ => None,
    });
    let stored = flags.map_or_else(
        || quote!(0u32),
        |(item, ty)| {
            let bytes = item.slice("cut");
            quote!(u32::from(<#ty as __w::Plain>::get(#bytes)))
        },
    );
    let (first, second): (Vec<_>, Vec<_>) = items
        .iter()
        .filter(|item| item.kept())
        .partition(|item| item.value().is_none_or(|value| value.with.is_none()));
    let lets = first.into_iter().chain(second).map(|item| {
        let (local, value) = (&item.local, field(item, items));
        quote!(let #local = #value;)
    });
    let (names, locals): (Vec<_>, Vec<_>) = items
        .iter()
        .filter(|item| item.own())
        .map(|item| (&item.field.name, &item.local))
        .unzip();
    let around: Vec<&Ident> = record
        .above
        .iter()
        .chain(&record.below)
        .map(|field| &field.name)
        .collect();
    let inner = items
        .iter()
        .filter(|item| item.kept() && !item.own())
        .map(|item| {
            let (access, local) = (item.access(), &item.local);
            quote!(__me.#access = #local;)
        });
    let parts = items.iter().filter_map(|item| {
        let FieldKind::Part(part) = item.kind else { return None };
        let bytes = item.slice("cut");
        let load = quote!(<#part as __w::FieldGroup<Self, #context>>::load(&mut __me, #bytes, __stored, __game, __cx););
        Some(item.in_its_games(load))
    });
    let differ = flags.map(|(item, _)| {
        let name = &item.field.name;
        quote!(__me.#name = __w::Derived::of(__w::Hex(__stored ^ __me.implied(__game, __cx)), __w::Hex(0));)
    });
    let settle = items.iter().filter_map(|item| {
        let FieldKind::Ruled { rule, .. } = item.kind else {
            return None;
        };
        let (access, value) = (item.access(), item.ask(rule, quote!(&__me)));
        let off = item.field.clauses.when.as_ref().map(|when| {
            let there = item.ask(when, quote!(&__me));
            quote!(if !#there { __me.#access = Default::default(); })
        });
        Some(item.in_its_games(quote! {
            let __value = #value;
            __me.#access.settle(__value);
            #off
        }))
    });
    quote! {
        fn load(__bytes: &[u8], __game: __Game, __cx: &#context) -> Self {
            let __spans = #spans;
            let (__b, _) = __bytes.split_at_checked(#name::size(__game)).unwrap_or_default();
            let __stored = #stored;
            #(#lets)*
            let mut __me = #name { #(#around: Default::default(),)* #(#names: #locals,)* };
            #(#inner)*
            #(#parts)*
            #differ
            #(#settle)*
            __me
        }
    }
}

/// The value of a field of the struct.
fn field(item: &Item<'_>, items: &[Item<'_>]) -> TokenStream {
    let bytes = item.slice("cut");
    let holder = Holder::of(item.field)
        .paths()
        .map_or_else(TokenStream::new, |(path, _)| path);
    let held = |value: TokenStream| match item.has() {
        Some(has) => quote!(if #has { #holder(Some(#value)) } else { #holder(None) }),
        None if holder.is_empty() => value,
        None => quote!(#holder(Some(#value))),
    };
    match &item.kind {
        FieldKind::Bit(mask) => quote!(__stored & (#mask) != 0),
        FieldKind::Flags(_) => quote!(__w::Derived(None)),
        FieldKind::Always(codec) | FieldKind::Ruled { value: codec, .. } => {
            held(value(item, codec, items))
        }
        FieldKind::Optional {
            value: codec,
            there,
            ..
        } => {
            let value = value(item, codec, items);
            let some = match there {
                There::Always => quote!(Some(#value)),
                There::On(mask) => quote!((__stored & (#mask) != 0).then(|| #value)),
                There::If(mask) => {
                    quote!((__stored & (#mask) != 0 && !__w::all_zero(#bytes)).then(|| #value))
                }
                There::Unless(none) => quote!((!__w::holds(#bytes, &#none)).then(|| #value)),
                There::Else(usual) => quote!(Some(#value).filter(|v| *v != #usual)),
                There::NotZero => quote!((!__w::all_zero(#bytes)).then(|| #value)),
            };
            item.has()
                .map_or(some.clone(), |has| quote!(if #has { #some } else { None }))
        }
        FieldKind::Elsewhere => match &item.field.clauses.on {
            Some(mask) => quote!((__stored & (#mask) != 0).then(Default::default)),
            None => quote!(Default::default()),
        },
        _ => quote!(Default::default()),
    }
}

/// A value from its bytes.
fn value(item: &Item<'_>, codec: &Codec<'_>, items: &[Item<'_>]) -> TokenStream {
    let (bytes, context) = (item.slice("cut"), &item.context);
    let Codec { ty, how, with } = codec;
    let Some(how) = how else {
        return quote!(<#ty as __w::Plain>::get(#bytes));
    };
    let with = with
        .and_then(|with| items.iter().find(|other| other.field.name == *with))
        .map_or_else(
            || quote!(&()),
            |other| {
                let local = &other.local;
                quote!(&#local)
            },
        );
    quote!(<#how as __w::FieldCodec<#ty, #context>>::load(#bytes, __game, __cx, #with))
}
