//! The struct, as serde and schemars see it.

use crate::{
    declare::{Field, Keeping, Record, Shape},
    kind::Item,
    value::Holder,
};
use proc_macro2::TokenStream;
use quote::quote;
use syn::Expr;

/// The struct: the fields above, its own fields, the fields below.
pub fn structure(record: &Record, items: &[Item<'_>]) -> TokenStream {
    let (attrs, vis, name) = (&record.attrs, &record.vis, &record.name);
    let fields = items
        .iter()
        .filter(|item| item.own())
        .map(|item| item.field);
    let fields = record
        .above
        .iter()
        .chain(fields)
        .chain(&record.below)
        .map(|field| declaration(field, record));
    quote! {
        #[derive(Clone, PartialEq, Debug, ::refit_base::Object, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        #(#attrs)*
        #vis struct #name { #(#fields)* }
    }
}

/// `new` of a part of the tree that is made with something: that has the fields above it.
pub fn constructor(record: &Record) -> TokenStream {
    let (Some(head), name) = (&record.context, &record.name) else {
        return TokenStream::new();
    };
    let above: Vec<_> = record.above.iter().map(|field| &field.name).collect();
    let fields = record.fields.iter().map(|field| &field.name);
    let arguments = record.fields.iter().map(|field| {
        let (name, ty) = (&field.name, held(field));
        quote!(#name: #ty)
    });
    quote! {
        impl #name {
            /// One with this head.
            #[allow(clippy::too_many_arguments)]
            pub fn new(__head: #head, #(#arguments),*) -> Self {
                #name { #(#above: __head.#above,)* #(#fields,)* }
            }
        }
    }
}

/// The type of a field in the struct.
pub fn held(field: &Field) -> TokenStream {
    let ty = match &field.shape {
        Shape::Value(ty) => quote!(#ty),
        Shape::Bit(_) => quote!(bool),
        Shape::Flags(_) => quote!(::refit_base::wire::Hex<u32>),
        Shape::Pad(_) | Shape::Part(_) => return TokenStream::new(),
    };
    match Holder::of(field).paths() {
        Some((holder, _)) if !holder.is_empty() => quote!(#holder<#ty>),
        _ => ty,
    }
}

/// A field, which hides itself while it is absent.
fn declaration(field: &Field, record: &Record) -> TokenStream {
    let (attrs, name, ty) = (&field.attrs, &field.name, held(field));
    let hide = Holder::of(field)
        .paths()
        .map(|(_, absent)| quote!(#[serde(default, skip_serializing_if = #absent)]))
        .unwrap_or_default();
    let hide = if field.keeping == Keeping::Tree {
        hide
    } else {
        quote!(#[serde(skip)])
    };
    let (absent, games) = (absence(field).into_iter(), games(field, record).into_iter());
    quote!(#(#attrs)* #(#[doc = #absent])* #(#[doc = #games])* #hide #[allow(missing_docs)] pub #name: #ty,)
}

/// The games that have the field, in words.
fn games(field: &Field, record: &Record) -> Option<String> {
    let like = |game: &&syn::Ident| {
        record
            .all_games
            .iter()
            .find(|known| known.name == **game)?
            .like
            .as_ref()
    };
    let codes: Vec<String> = field
        .games
        .iter()
        .filter(|game| like(game).is_none())
        .map(|game| game.to_string().to_uppercase())
        .collect();
    match (codes.as_slice(), field.games.first()) {
        (_, None) => None,
        ([], Some(game)) => Some(format!("\n\nOnly in {}.", like(&game)?.1.value())),
        (codes, _) => Some(format!("\n\nOnly in {}.", codes.join(", "))),
    }
}

/// When the tree omits the field: the text of `absent "…"`, or the constant.
fn absence(field: &Field) -> Option<String> {
    let clauses = &field.clauses;
    if let Some(words) = &clauses.absent {
        return Some(format!("\nAbsent {}.", words.value()));
    }
    let constant = match &clauses.rule {
        Some(Expr::Closure(rule)) => &*rule.body,
        Some(_) => return None,
        None => clauses.none.as_ref().or(clauses.else_.as_ref())?,
    };
    Some(format!("\nAbsent for {}.", in_words(constant)?))
}

/// A constant in the notation of a tree; `None` for a computed value.
fn in_words(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => Some(quote!(#literal).to_string()),
        Expr::Unary(negative) => Some(format!("−{}", in_words(&negative.expr)?)),
        Expr::Repeat(list) => Some(match in_words(&list.expr)?.as_str() {
            "0" | "0.0" => "zeros".to_owned(),
            item => format!("{item} throughout"),
        }),
        Expr::Array(list) => Some(
            list.elems
                .iter()
                .map(in_words)
                .collect::<Option<Vec<_>>>()?
                .join(", "),
        ),
        // `Hex(0x100)`, `F32::from(3.0)`, `Link::to(-1)`: the argument.
        Expr::Call(call) if call.args.len() == 1 => in_words(call.args.first()?),
        Expr::Path(path) => {
            let name = path.path.segments.last()?.ident.to_string();
            match name.as_str() {
                "ZERO" => Some("0.0".to_owned()),
                "ONE" => Some("1.0".to_owned()),
                _ if path.path.segments.len() == 2 && name.contains(char::is_lowercase) => {
                    Some(screaming(&name))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// `CylindricalY` as trees write it: `CYLINDRICAL_Y`.
fn screaming(name: &str) -> String {
    let mut out = String::new();
    for (i, letter) in name.chars().enumerate() {
        if i > 0 && letter.is_uppercase() {
            out.push('_');
        }
        out.extend(letter.to_uppercase());
    }
    out
}
