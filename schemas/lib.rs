//! The JSON schemas of refit's documents, one file for each kind, written by `cargo xtask schemas`.
//!
//! They are a package, because the library contains them, and packages contain only files of their
//! own folder.

use proc_macro::TokenStream;

/// The file `KIND.json` of this folder, packed: `schema!("motion")` is a `refit_base::tree::Packed`.
#[proc_macro]
pub fn schema(input: TokenStream) -> TokenStream {
    let kind = syn::parse_macro_input!(input as syn::LitStr);
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(kind.value())
        .with_extension("json");
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(e) => {
            let what = format!(
                "{}: {e}; make it as an empty file, then run `cargo xtask schemas`",
                path.display()
            );
            return syn::Error::new(kind.span(), what).to_compile_error().into();
        }
    };
    let packed =
        proc_macro2::Literal::byte_string(&miniz_oxide::deflate::compress_to_vec_zlib(&text, 9));
    let path = path.display().to_string();
    // The text that is taken in and not used makes the compiler look at the file again when it is
    // edited.
    quote::quote!({
        const _: &[u8] = include_bytes!(#path);
        refit_base::tree::Packed::new(#packed)
    })
    .into()
}
