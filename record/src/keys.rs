//! The keys of the fields in sources.

use crate::{document::held, kind::Item};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeMap;

/// `keys`: visits the fields that have a key.
pub fn keys(items: &[Item<'_>]) -> TokenStream {
    let mut keyed: Vec<_> = items
        .iter()
        .filter_map(|item| Some((item.field.clauses.key.as_ref()?, item)))
        .collect();
    if keyed.is_empty() {
        return TokenStream::new();
    }
    // Stable: keys of one rank stay in the order of the fields.
    keyed.sort_by_key(|(key, _)| key.rank);
    let (mut bounds, mut visits) = (BTreeMap::new(), Vec::new());
    for (key, item) in keyed {
        let (rank, name, field, ty) = (key.rank, &key.name, item.access(), held(item.field));
        let how = item.field.clauses.as_.as_ref();
        let visit = how.map_or_else(
            || quote!(__w::VisitKey<#ty>),
            |how| quote!(__w::VisitKey<#ty, #how>),
        );
        visits.push(quote! {
            if __ranks.contains(&#rank) { <__V as #visit>::visit(__keys, #name, &mut self.#field)?; }
        });
        let bound = visit.to_string();
        bounds.entry(bound).or_insert(visit);
    }
    let bounds = bounds.values();
    quote! {
        /// Visits the fields whose keys have these ranks.
        pub fn keys<__V>(&mut self, __ranks: impl std::ops::RangeBounds<u8>, __keys: &mut __V) -> __w::Result<()>
        where
            __V: #(#bounds)+*,
        {
            #(#visits)*
            Ok(())
        }
    }
}
