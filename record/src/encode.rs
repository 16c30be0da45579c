//! From the struct into bytes.

use crate::{
    declare::Record,
    kind::{FieldKind, Item, Off, context},
    layout,
    value::{Codec, Holder},
};
use proc_macro2::TokenStream;
use quote::quote;

/// `store`: the bytes of the record.
pub fn store(record: &Record, items: &[Item<'_>]) -> TokenStream {
    let (context, name, spans) = (context(record), &record.name, layout::spans(record, items));
    let puts = items.iter().map(put);
    quote! {
        fn store(&self, __bytes: &mut [u8], __game: __Game, __cx: &#context) -> __w::Result<()> {
            let __spans = #spans;
            let (__b, _) = __bytes.split_at_mut_checked(#name::size(__game)).unwrap_or_default();
            #(#puts)*
            Ok(())
        }
    }
}

/// Writes a field; an error if it is missing and the game requires it, or the reverse.
fn put(item: &Item<'_>) -> TokenStream {
    let (name, context, bytes, key) = (
        item.access(),
        &item.context,
        item.slice("cut_mut"),
        &item.key,
    );
    let code = match &item.kind {
        FieldKind::Pad(_) => return TokenStream::new(),
        FieldKind::Bit(_) | FieldKind::Elsewhere => TokenStream::new(),
        FieldKind::Flags(ty) => quote! {
            let __word = self.implied(__game, __cx) ^ self.#name.or(__w::Hex(0)).0;
            let __word = <#ty>::try_from(__word).map_err(|_| __w::wide_flags(__word, <#ty>::BITS, #key))?;
            __w::Plain::put(&__word, #bytes);
        },
        FieldKind::Part(part) => quote! {
            <#part as __w::FieldGroup<Self, #context>>::store(self, #bytes, __game, __cx).map_err(|e| e.within(#key))?;
        },
        FieldKind::Hidden { value, rule } => {
            let (ty, value) = (value.ty, item.ask(rule, quote!(self)));
            let tried = item
                .field
                .clauses
                .tries
                .then(|| quote!(.map_err(|e: __w::Error| e.within(#key))?));
            quote!(<#ty as __w::Plain>::put(&#value #tried, #bytes);)
        }
        FieldKind::Always(codec) => match Holder::of(item.field) {
            Holder::InGame => {
                let put = value(item, codec, quote!(__v));
                quote!(if let Some(__v) = &self.#name.0 { #put })
            }
            _ => value(item, codec, quote!(&self.#name)),
        },
        FieldKind::Optional {
            value: codec, off, ..
        } => {
            let put = value(item, codec, quote!(__v));
            let off = match off {
                Off::Zero => TokenStream::new(),
                Off::Value(off) => quote!(__w::put_plain(&#off, #bytes);),
                Off::Default => value(item, codec, quote!(&Default::default())),
            };
            quote!(match &self.#name { Some(__v) => { #put } None => { #off } })
        }
        FieldKind::Ruled { value: codec, rule } => {
            let rule = item.ask(rule, quote!(self));
            let (put, regular) = (
                value(item, codec, quote!(__v)),
                value(item, codec, quote!(&self.#name.typed(__value))),
            );
            let stored = quote!(if let Some(__v) = &self.#name.0 { #put } else { let __value = #rule; #regular });
            match &item.field.clauses.when {
                Some(when) => {
                    let there = item.ask(when, quote!(self));
                    quote!(if #there { #stored })
                }
                None => stored,
            }
        }
    };
    let Some(has) = item.has() else { return code };
    let there = match (&item.kind, Holder::of(item.field)) {
        (FieldKind::Part(_) | FieldKind::Hidden { .. } | FieldKind::Flags(_), _) => {
            return quote!(if #has { #code });
        }
        (FieldKind::Bit(_), _) => quote!(self.#name),
        (FieldKind::Elsewhere, _) | (_, Holder::Plain | Holder::NotEmpty | Holder::Vec) => {
            quote!(!__w::is_zero(&self.#name))
        }
        (_, Holder::Option) => quote!(self.#name.is_some()),
        (_, Holder::Derived | Holder::Defaulted | Holder::InGame) => quote!(!self.#name.is_none()),
    };
    let hint = item
        .field
        .clauses
        .hint
        .as_ref()
        .map_or_else(|| quote!(None), |hint| quote!(Some(#hint)));
    quote!(if #has { #code } else if #there { return Err(__w::not_in_game(#key, #hint)); })
}

/// Writes a value, given by reference.
fn value(item: &Item<'_>, codec: &Codec<'_>, value: TokenStream) -> TokenStream {
    let (bytes, key, context) = (item.slice("cut_mut"), &item.key, &item.context);
    let Codec { ty, how, with } = codec;
    let Some(how) = how else {
        return quote!(<#ty as __w::Plain>::put(#value, #bytes););
    };
    let with = with.map_or_else(|| quote!(&()), |with| quote!(&self.#with));
    quote!(<#how as __w::FieldCodec<#ty, #context>>::store(#value, #bytes, __game, __cx,
        #with).map_err(|e| e.within(#key))?;)
}

/// The bits that the fields which are there set.
pub fn implied(items: &[Item<'_>], context: &TokenStream) -> TokenStream {
    if !items
        .iter()
        .any(|item| matches!(item.kind, FieldKind::Flags(_)))
    {
        return TokenStream::new();
    }
    let bits = items.iter().filter_map(|item| {
        let name = &item.field.name;
        match (&item.kind, &item.field.clauses.on) {
            (FieldKind::Bit(mask), _) => Some(quote!(| if self.#name { #mask } else { 0 })),
            (FieldKind::Optional { .. } | FieldKind::Elsewhere, Some(mask)) => {
                Some(quote!(| if self.#name.is_some() { #mask } else { 0 }))
            }
            (FieldKind::Part(part), _) => Some(
                quote!(| <#part as __w::FieldGroup<Self, #context>>::implied(self, __game, __cx)),
            ),
            _ => None,
        }
    });
    quote! {
        /// The bits of the flag word that follow from the fields.
        #[inline]
        fn implied(&self, __game: __Game, __cx: &#context) -> u32 { 0 #(#bits)* }
    }
}
