//! `Serialize` and `Deserialize` of a struct that trees write as an object.
//!
//! What serde derives also reads it from a list, finds keys in a function of its own for each
//! struct, and counts the fields before it writes them. Trees need none of this, and it is a third
//! of the code that reads and writes them.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    Attribute, Data, DataStruct, DeriveInput, Error, ExprPath, Fields, Ident, LitStr, Result, Type,
    ext::IdentExt,
};

/// What `#[serde(…)]` says about a field.
#[derive(Default)]
struct Marks {
    default: bool,
    skip: bool,
    rename: Option<String>,
    /// A key of earlier versions, which is read and not written.
    alias: Option<String>,
    skip_serializing_if: Option<ExprPath>,
    deserialize_with: Option<ExprPath>,
}

/// A field that is not skipped.
struct Property<'a> {
    ident: &'a Ident,
    ty: &'a Type,
    key: String,
    marks: Marks,
}

/// The implementations, or what they cannot do.
pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let fields = match &input.data {
        Data::Struct(DataStruct {
            fields: Fields::Named(fields),
            ..
        }) if input.generics.params.is_empty() => fields,
        _ => {
            return Err(Error::new(
                input.ident.span(),
                "only structs with named fields, and no generic ones",
            ));
        }
    };
    let (mut properties, mut skipped) = (Vec::new(), Vec::new());
    for (ident, field) in fields
        .named
        .iter()
        .filter_map(|field| Some((field.ident.as_ref()?, field)))
    {
        let marks = marks(&field.attrs)?;
        if marks.skip {
            skipped.push(ident);
            continue;
        }
        let key = marks
            .rename
            .clone()
            .unwrap_or_else(|| ident.unraw().to_string());
        properties.push(Property {
            ident,
            ty: &field.ty,
            key,
            marks,
        });
    }
    let (serialize, deserialize) = (
        serialize(&input.ident, &properties),
        deserialize(&input.ident, &properties, &skipped),
    );
    Ok(quote!(#serialize #deserialize))
}

fn serialize(name: &Ident, properties: &[Property<'_>]) -> TokenStream {
    let writes = properties.iter().map(
        |Property {
             ident, key, marks, ..
         }| {
            let write = quote!(object.serialize_field(#key, &self.#ident)?;);
            match &marks.skip_serializing_if {
                Some(absent) => quote!(if !#absent(&self.#ident) { #write }),
                None => write,
            }
        },
    );
    let count = properties.len();
    quote! {
        #[automatically_derived]
        impl ::serde::Serialize for #name {
            fn serialize<S: ::serde::Serializer>(&self, to: S) -> ::std::result::Result<S::Ok, S::Error> {
                use ::serde::ser::SerializeStruct as _;
                let mut object = to.serialize_struct(stringify!(#name), #count)?;
                #(#writes)*
                object.end()
            }
        }
    }
}

fn deserialize(name: &Ident, properties: &[Property<'_>], skipped: &[&Ident]) -> TokenStream {
    let local = |i: usize| format_ident!("f{i}");
    // A field that may be absent begins with its default.
    let may_be_absent = |property: &Property<'_>| property.marks.default || is_option(property.ty);
    let locals = properties.iter().enumerate().map(|(i, property)| {
        let (local, begin) = (
            local(i),
            if may_be_absent(property) {
                quote!(Default::default())
            } else {
                quote!(None)
            },
        );
        quote!(let mut #local = #begin;)
    });
    let aliases: Vec<(usize, &String)> = properties
        .iter()
        .enumerate()
        .filter_map(|(i, property)| Some((i, property.marks.alias.as_ref()?)))
        .collect();
    let arms = properties.iter().enumerate().map(|(i, property)| {
        let (local, value) = (local(i), value(property));
        let value = if may_be_absent(property) {
            value
        } else {
            quote!(Some(#value))
        };
        let also = aliases.iter().enumerate().filter(|(_, (of, _))| *of == i);
        let also = also.map(|(n, _)| properties.len() + n);
        quote!(#i #(| #also)* => #local = #value,)
    });
    let fields = properties.iter().enumerate().map(|(i, property)| {
        let (local, ident, key) = (local(i), property.ident, &property.key);
        if may_be_absent(property) {
            quote!(#ident: #local)
        } else {
            quote!(#ident: __w::required(#local, #key)?)
        }
    });
    let (keys, words) = (
        properties
            .iter()
            .map(|property| &property.key)
            .chain(aliases.iter().map(|(_, alias)| *alias)),
        format!("struct {name}"),
    );
    quote! {
        const _: () = {
            use ::{refit_base::wire as __w, serde::de as __de, std::{fmt as __fmt, result::Result as __Result}};
            #[automatically_derived]
            impl<'de> __de::Deserialize<'de> for #name {
                fn deserialize<D: __de::Deserializer<'de>>(from: D) -> __Result<Self, D::Error> {
                    const KEYS: &[&str] = &[#(#keys),*];
                    struct Object;
                    impl<'de> __de::Visitor<'de> for Object {
                        type Value = #name;
                        fn expecting(&self, f: &mut __fmt::Formatter<'_>) -> __fmt::Result { f.write_str(#words) }
                        fn visit_map<A: __de::MapAccess<'de>>(self, mut object: A) -> __Result<#name, A::Error> {
                            #(#locals)*
                            let mut keys = __w::Keys::new(KEYS);
                            while let Some(key) = object.next_key_seed(&mut keys)? {
                                match key {
                                    #(#arms)*
                                    _ => {}
                                }
                            }
                            Ok(#name { #(#fields,)* #(#skipped: Default::default(),)* })
                        }
                    }
                    from.deserialize_struct(stringify!(#name), KEYS, Object)
                }
            }
        };
    }
}

/// Reads the value that follows a key.
fn value(property: &Property<'_>) -> TokenStream {
    let (ty, Some(with)) = (property.ty, &property.marks.deserialize_with) else {
        return quote!(object.next_value()?);
    };
    quote! {{
        struct With;
        impl<'de> __de::DeserializeSeed<'de> for With {
            type Value = #ty;
            fn deserialize<D: __de::Deserializer<'de>>(self, from: D) -> __Result<#ty, D::Error> { #with(from) }
        }
        object.next_value_seed(With)?
    }}
}

fn marks(attrs: &[Attribute]) -> Result<Marks> {
    let mut marks = Marks::default();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
        attr.parse_nested_meta(|meta| {
            let path = || meta.value()?.parse::<LitStr>()?.parse::<ExprPath>();
            match meta.path.require_ident()?.to_string().as_str() {
                "default" => marks.default = true,
                "skip" => marks.skip = true,
                "rename" => marks.rename = Some(meta.value()?.parse::<LitStr>()?.value()),
                "alias" => marks.alias = Some(meta.value()?.parse::<LitStr>()?.value()),
                "skip_serializing_if" => marks.skip_serializing_if = Some(path()?),
                "deserialize_with" => marks.deserialize_with = Some(path()?),
                _ => return Err(meta.error("a field of an object has no such attribute")),
            }
            Ok(())
        })?;
    }
    Ok(marks)
}

/// Such a field may be absent, as serde has it.
fn is_option(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Option"))
}
