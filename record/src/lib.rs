//! The record language of refit.
//!
//! `record!` declares a structure of a file once: its fields with names, types and positions. The declaration
//! generates the struct, the reader, the writer, the size in each game, a proof at compile time that the fields tile
//! the record, and the name of every byte. The module `refit::wire::record` explains the language.

mod declare;
mod decode;
mod document;
mod encode;
mod explain;
mod generate;
mod kind;
mod layout;
mod parse;
mod table;
#[cfg(test)]
mod tests;
mod value;

use proc_macro::TokenStream;

/// Generates nothing. refit uses it in place of the derive macro of `schemars` when it is built without the feature
/// `schemas`.
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

/// The file `schemas/KIND.json`, packed: `schema!("motion")` is a `refit::tree::Packed`.
#[proc_macro]
pub fn schema(input: TokenStream) -> TokenStream {
    let kind = syn::parse_macro_input!(input as syn::LitStr);
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let path = std::path::Path::new(&folder).join("schemas").join(kind.value()).with_extension("json");
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(e) => {
            let what = format!("{}: {e}; make it as an empty file, then run `cargo xtask schemas`", path.display());
            return syn::Error::new(kind.span(), what).to_compile_error().into();
        }
    };
    let packed = proc_macro2::Literal::byte_string(&miniz_oxide::deflate::compress_to_vec_zlib(&text, 9));
    let path = path.display().to_string();
    // The text that is taken in and not used makes the compiler look at the file again when it is edited.
    quote::quote!({
        const _: &[u8] = include_bytes!(#path);
        refit::tree::Packed::new(#packed)
    })
    .into()
}
