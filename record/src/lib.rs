//! The record language of refit.
//!
//! `record!` declares a structure of a file once: its fields with names, types and places. From the declaration come the struct, the
//! reader, the writer, the size in each game, a proof at compile time that the fields tile the record, and the name of every byte. How to write one
//! is told in the module `refit::wire::record`.

mod declare;
mod generate;

use proc_macro::TokenStream;

/// Stands in for the derive macro of the same name in `schemars`, and makes nothing: refit takes it under that crate's name where it is built
/// without its feature `schemas`.
#[proc_macro_derive(JsonSchema, attributes(schemars))]
pub fn no_schema(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Declares a structure of a file. See `refit::wire::record`.
#[proc_macro]
pub fn record(input: TokenStream) -> TokenStream {
    let record = syn::parse_macro_input!(input as declare::Record);
    generate::record(&record).unwrap_or_else(|e| e.to_compile_error()).into()
}
