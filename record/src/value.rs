//! The type of a field in the struct, and the encoding of its value.

use crate::declare::{Field, FieldMark};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, Type};

/// The type of a value in the struct.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    Plain,
    /// Left out of the tree while it is false, zero or empty.
    NotEmpty,
    Option,
    Derived,
    Defaulted,
    InGame,
    Vec,
}

impl Holder {
    /// The holder for a field's mark.
    pub fn of(field: &Field) -> Self {
        match field.mark {
            FieldMark::Plain if field.games.is_empty() => Holder::Plain,
            FieldMark::Plain => Holder::InGame,
            FieldMark::NotEmpty => Holder::NotEmpty,
            FieldMark::Maybe => Holder::Option,
            FieldMark::Derived => Holder::Derived,
            FieldMark::Default => Holder::Defaulted,
            FieldMark::List => Holder::Vec,
        }
    }

    /// The path of the type, and of the function that decides whether the tree omits the field.
    pub fn paths(self) -> Option<(TokenStream, &'static str)> {
        Some(match self {
            Holder::Plain => return None,
            Holder::NotEmpty => (TokenStream::new(), "refit_base::wire::is_zero"),
            Holder::Option => (quote!(Option), "Option::is_none"),
            Holder::Derived => (
                quote!(::refit_base::wire::Derived),
                "refit_base::wire::Derived::is_none",
            ),
            Holder::Defaulted => (
                quote!(::refit_base::wire::Defaulted),
                "refit_base::wire::Defaulted::is_none",
            ),
            Holder::InGame => (
                quote!(::refit_base::wire::InGame),
                "refit_base::wire::InGame::is_none",
            ),
            Holder::Vec => (quote!(Vec), "Vec::is_empty"),
        })
    }
}

/// A type and how its value is stored: by its own layout, or by the codec `how`, which may need the
/// field `with`.
#[derive(Clone, Copy)]
pub struct Codec<'a> {
    pub ty: &'a Type,
    pub how: Option<&'a Type>,
    pub with: Option<&'a Ident>,
}

impl Codec<'_> {
    /// The trait that encodes the value, for its constants `SIZE` and `KIND`.
    pub fn encoding(&self, context: &TokenStream) -> TokenStream {
        let Codec { ty, how, .. } = self;
        match how {
            Some(how) => quote!(<#how as __w::FieldCodec<#ty, #context>>),
            None => quote!(<#ty as __w::Plain>),
        }
    }

    /// The type as written in the declaration.
    pub fn written(&self) -> &Type {
        self.how.unwrap_or(self.ty)
    }
}
