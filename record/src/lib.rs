//! The record language of refit.
//!
//! `record!` declares a structure of a file once: its fields with names, types and positions. The
//! declaration generates the struct, the reader, the writer, the size in each game, a proof at
//! compile time that the fields tile the record, and the name of every byte. The module
//! `refit_base::wire::record` explains the language.

mod declare;
mod decode;
mod document;
mod encode;
mod explain;
mod generate;
mod keys;
mod kind;
mod layout;
mod object;
mod parse;
mod table;
#[cfg(test)]
mod tests;
mod value;

use proc_macro::TokenStream;

/// Generates nothing. refit uses it in place of the derive macro of `schemars` when it is built
/// without the feature `schemas`.
#[proc_macro_derive(JsonSchema, attributes(schemars))]
pub fn no_schema(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Generates serde's `Serialize` and `Deserialize` for a struct that trees write as an object,
/// without unknown keys.
#[proc_macro_derive(Object, attributes(serde))]
pub fn object(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    object::derive(&input)
        .unwrap_or_else(|e| e.to_compile_error())
        .into()
}

/// Declares a structure of a file. See `refit_base::wire::record`.
#[proc_macro]
pub fn record(input: TokenStream) -> TokenStream {
    let record = syn::parse_macro_input!(input as declare::Record);
    generate::record(&record)
        .unwrap_or_else(|e| e.to_compile_error())
        .into()
}
