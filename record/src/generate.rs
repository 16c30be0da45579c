//! What a declaration becomes.

use crate::declare::{Field, FieldMark, FieldPlace, Record, Shape};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Error, Expr, Ident, Result, Type, ext::IdentExt, spanned::Spanned};

/// A field beside what the other functions ask of it.
struct Item<'a> {
    field: &'a Field,
    /// Its position among the placed fields.
    index: Option<usize>,
    /// The variable that holds it while the record is read.
    local: Ident,
    /// Its name in trees, errors and `explain`.
    key: String,
    /// What the record is read with.
    context: TokenStream,
}

impl Item<'_> {
    /// The type behind the colon.
    fn ty(&self) -> Option<&Type> {
        match &self.field.shape {
            Shape::Value(ty) | Shape::Flags(ty) | Shape::Part(ty) => Some(ty),
            Shape::Bit(_) | Shape::Pad(_) => None,
        }
    }

    /// True for a field of the struct.
    fn shown(&self) -> bool {
        self.kept() && self.field.outer.is_none()
    }

    /// True for what the tree holds: a field of the struct, or of one that stands inside of it.
    fn kept(&self) -> bool {
        !self.field.hidden && !matches!(self.field.shape, Shape::Pad(_) | Shape::Part(_))
    }

    /// How the struct holds it.
    fn access(&self) -> TokenStream {
        let name = &self.field.name;
        self.field.outer.as_ref().map_or_else(|| quote!(#name), |outer| quote!(#outer.#name))
    }

    /// A question to the record, asked of `me`.
    fn ask(&self, rule: &Expr, answer: TokenStream, me: TokenStream) -> TokenStream {
        let context = &self.context;
        quote!({
            let __rule: fn(&::refit::wire::With<'_, Self, #context>) -> #answer = #rule;
            __rule(&::refit::wire::With::new(#me, __game, __cx))
        })
    }

    /// How the value stands in the bytes, and what that needs to know of another field.
    fn how(&self) -> Option<&Type> {
        self.field.as_.as_ref()
    }

    /// True where an absent value and a rule hide behind the type: `Odd<…>`, `Usual<…>`, `Only<…>` as such.
    fn is_slot(&self) -> bool {
        self.field.mark == FieldMark::Plain && (self.field.rule.is_some() || !self.field.games.is_empty()) && !self.field.hidden
    }

    /// True when the game of the cursor has the field.
    fn has(&self) -> TokenStream {
        let games = &self.field.games;
        if games.is_empty() { quote!(true) } else { quote!(matches!(__game, #(::refit::game::Game::#games)|*)) }
    }
}

pub fn record(record: &Record) -> Result<TokenStream> {
    let items = items(record)?;
    let declaration = structure(record, &items);
    if record.games.is_empty() {
        return match items.iter().find(|item| !item.shown() || item.field.in_.is_none()) {
            Some(item) => Err(Error::new(item.field.name.span(), "a record without sizes has only fields `in` what holds their bytes")),
            None => Ok(declaration),
        };
    }
    let code = code(record, &items)?;
    Ok(quote!(#declaration #code))
}

fn items(record: &Record) -> Result<Vec<Item<'_>>> {
    let context = record.context.as_ref().map_or_else(|| quote!(()), |cx| quote!(#cx));
    let mut next = 0;
    let mut items = Vec::new();
    for (i, field) in record.fields.iter().enumerate() {
        let placed = field.in_.is_none() && !matches!(field.shape, Shape::Bit(_));
        let index = placed.then_some(next);
        next += usize::from(placed);
        let inner = field.name.unraw().to_string();
        let key = field.outer.as_ref().map_or_else(|| inner.clone(), |outer| format!("{}.{inner}", outer.unraw()));
        let says = |what: &str| Err(Error::new(field.name.span(), what));
        match (&field.shape, field.mark) {
            (Shape::Bit(_), mark) if mark != FieldMark::Bit => return says("a bit of the flag word is marked with `!`"),
            (Shape::Flags(_), mark) if mark != FieldMark::Odd => return says("the flag word shows only its difference: mark it with `~`"),
            (Shape::Value(_), FieldMark::Odd) if field.rule.is_none() && field.in_.is_none() => {
                return says("a `~` field needs a rule: `= |record| …`");
            }
            (Shape::Value(_), mark) if field.outer.is_some() && mark != FieldMark::Odd => {
                return says("a field of an inner struct is marked with `~`");
            }
            (_, mark) if field.when.is_some() && mark != FieldMark::Odd => return says("`when` is for fields with `~`"),
            (Shape::Value(_), _) if field.hidden && field.rule.is_none() => return says("a hidden field needs a rule: `= |record| …`"),
            (Shape::Value(_), FieldMark::Bit | FieldMark::List) if field.in_.is_none() => {
                return says("only `bit` fields and fields `in` a part have this mark");
            }
            _ => {}
        }
        items.push(Item { context: context.clone(), field, index, local: format_ident!("f{}_{}", i, inner), key });
    }
    Ok(items)
}

/// The struct, with what serde and schemars have to know.
fn structure(record: &Record, items: &[Item<'_>]) -> TokenStream {
    let (attrs, vis, name) = (&record.attrs, &record.vis, &record.name);
    let around = |field: &Field| {
        let (attrs, name) = (&field.attrs, &field.name);
        let Shape::Value(ty) = &field.shape else { return TokenStream::new() };
        let (serde, ty) = marked(field.mark, ty);
        quote!(#(#attrs)* #serde #[allow(missing_docs)] pub #name: #ty,)
    };
    let above: Vec<_> = record.above.iter().map(around).collect();
    let below: Vec<_> = record.below.iter().map(around).collect();
    let fields = items.iter().filter(|item| item.shown()).map(|item| {
        let (field, fname) = (item.field, &item.field.name);
        let attrs = &field.attrs;
        let (serde, ty) = match &field.shape {
            Shape::Bit(_) => marked(FieldMark::Bit, &syn::parse_quote!(bool)),
            Shape::Flags(_) => marked(FieldMark::Odd, &syn::parse_quote!(::refit::wire::Hex<u32>)),
            Shape::Value(ty) if item.is_slot() => {
                (quote!(#[serde(default, skip_serializing_if = "refit::wire::Gated::is_absent")]), quote!(#ty))
            }
            Shape::Value(ty) => marked(field.mark, ty),
            Shape::Pad(_) | Shape::Part(_) => return TokenStream::new(),
        };
        let only = (!field.games.is_empty()).then(|| {
            let games: Vec<String> = field.games.iter().filter(|g| *g != "RcDemo").map(|g| g.to_string().to_uppercase()).collect();
            let games = if games.is_empty() { "the demos of Recoil".to_owned() } else { games.join(", ") };
            format!("\n\nOnly in {games}.")
        });
        let (only, absent) = (only.into_iter(), absence(field).into_iter());
        quote!(#(#attrs)* #(#[doc = #absent])* #(#[doc = #only])* #serde #[allow(missing_docs)] pub #fname: #ty,)
    });
    quote! {
        #[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        #(#attrs)*
        #vis struct #name { #(#above)* #(#fields)* #(#below)* }
    }
}

/// When a field is absent from a tree, where its own words do not say it.
fn absence(field: &Field) -> Option<String> {
    if docs(&field.attrs).contains("bsent ") {
        return None;
    }
    let constant = field.none.as_ref().or(field.else_.as_ref());
    let said = match (&field.rule, constant) {
        (Some(Expr::Closure(rule)), _) => value_in_words(&rule.body),
        (None, Some(constant)) => value_in_words(constant),
        (Some(_), _) => None,
        (None, None) => return None,
    };
    Some(match said {
        Some(value) => format!("\nAbsent for {value}."),
        None => "\nAbsent while it follows from the rest.".to_owned(),
    })
}

/// A constant as a tree shows it; `None` for what is computed.
fn value_in_words(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => Some(quote!(#literal).to_string()),
        Expr::Unary(negative) => Some(format!("−{}", value_in_words(&negative.expr)?)),
        Expr::Repeat(list) => Some(match value_in_words(&list.expr)?.as_str() {
            "0" | "0.0" => "zeros".to_owned(),
            item => format!("{item} throughout"),
        }),
        Expr::Array(list) => Some(list.elems.iter().map(value_in_words).collect::<Option<Vec<_>>>()?.join(", ")),
        // `Hex(0x100)`, `F32::from(3.0)`, `Link::to(-1)`: what stands inside.
        Expr::Call(call) if call.args.len() == 1 => value_in_words(call.args.first()?),
        Expr::Path(path) => {
            let name = path.path.segments.last()?.ident.to_string();
            match name.as_str() {
                "ZERO" => Some("0.0".to_owned()),
                "ONE" => Some("1.0".to_owned()),
                _ if path.path.segments.len() == 2 && name.contains(char::is_lowercase) => Some(screaming(&name)),
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

/// The attributes and the type of a field with a mark.
fn marked(mark: FieldMark, ty: &Type) -> (TokenStream, TokenStream) {
    let skip = |test: &str| quote!(#[serde(default, skip_serializing_if = #test)]);
    match mark {
        FieldMark::Plain => (TokenStream::new(), quote!(#ty)),
        FieldMark::Maybe => (skip("Option::is_none"), quote!(Option<#ty>)),
        FieldMark::Odd => (skip("refit::wire::Odd::is_none"), quote!(::refit::wire::Odd<#ty>)),
        FieldMark::Bit => (skip("refit::wire::is_false"), quote!(#ty)),
        FieldMark::List => (skip("Vec::is_empty"), quote!(Vec<#ty>)),
    }
}

fn code(record: &Record, items: &[Item<'_>]) -> Result<TokenStream> {
    let name = &record.name;
    let context = record.context.as_ref().map_or_else(|| quote!(()), |cx| quote!(#cx));
    let spans = spans(record, items)?;
    let places =
        items.iter().filter(|item| item.index.is_some() && !matches!(item.field.shape, Shape::Pad(_))).map(|item| place_of(item, record));
    let peeks = |item: &&Item<'_>| match item.field.shape {
        Shape::Value(_) => item.index.is_some() && item.how().is_none() && !item.is_slot(),
        _ => false,
    };
    let hidden = items.iter().filter(peeks).map(|item| peek(item, record));
    let (load, store, describe, bits) =
        (load(record, items, &context)?, store(items, &context)?, describe(items, &context)?, implied(record, items, &context));
    let table = table(record, items);
    let games: Vec<&Ident> = record.games.iter().map(|(game, _)| game).collect();
    let around: Vec<&Ident> = record.above.iter().chain(&record.below).map(|field| &field.name).collect();
    let own: Vec<&Ident> = items.iter().filter(|item| item.shown()).map(|item| &item.field.name).collect();
    // What these bytes say: no fields whose bytes stand elsewhere.
    let parts: Vec<&Ident> = items.iter().filter(|item| matches!(item.field.shape, Shape::Part(_))).map(|item| &item.field.name).collect();
    let said = |item: &&Item<'_>| item.kept() && item.field.in_.as_ref().is_none_or(|part| parts.contains(&part));
    let said: Vec<TokenStream> = items.iter().filter(said).map(Item::access).collect();
    // Every layout is compiled once for each game that has one of its own, so that offsets are constants.
    let uniform = items.iter().all(|item| item.field.games.is_empty() && !matches!(item.field.place, FieldPlace::PerGame(_)))
        && record.games.iter().all(|(_, size)| record.games.first().is_some_and(|(_, first)| first == size));
    let own_layout = |game: &&Ident| !record.inherits || **game != "RcDemo";
    let each: Vec<&Ident> =
        if uniform { games.iter().take(1).copied().collect() } else { games.iter().copied().filter(own_layout).collect() };
    let choose = |function: &str, arguments: TokenStream| {
        let function = format_ident!("{function}");
        match each.as_slice() {
            [one] => quote!(Self::#function::<{ ::refit::game::Game::#one as usize }>(#arguments)),
            all => {
                let (last, rest) = all.split_last().map_or((None, all), |(last, rest)| (Some(last), rest));
                let arms = rest.iter().map(|game| {
                    let arguments = arguments.clone();
                    let demo = (record.inherits && *game == "Rc").then(|| quote!(| ::refit::game::Game::RcDemo));
                    quote!(::refit::game::Game::#game #demo => Self::#function::<{ ::refit::game::Game::#game as usize }>(#arguments),)
                });
                quote!(match __game { #(#arms)* _ => Self::#function::<{ ::refit::game::Game::#last as usize }>(#arguments) })
            }
        }
    };
    let (do_load, do_store) = (choose("load_in", quote!(__bytes, __game, __cx)), choose("store_in", quote!(self, __bytes, __game, __cx)));
    let wire = record.context.is_none().then(|| {
        quote! {
            impl ::refit::wire::Wire for #name {
                fn read(r: &mut ::refit::wire::Reader<'_>) -> ::refit::wire::Result<Self> {
                    <Self as ::refit::wire::Placed<()>>::take(r, &())
                }
                fn write(&self, w: &mut ::refit::wire::Writer) -> ::refit::wire::Result<()> {
                    <Self as ::refit::wire::Placed<()>>::append(self, w, &())
                }
            }
        }
    });
    Ok(quote! {
        const _: () = {
            #[allow(unused_imports)]
            use ::refit::{game::Game as __Game, wire::{As as _, Gated as _, FieldGroup as _, Plain as _, FieldType as _}};
            #[allow(dead_code, unused_variables, unused_mut, clippy::all)]
            impl #name {
                #spans
                #load
                #store
                #bits
                /// The record's own fields; what stands above and below them is empty. For writing counts of those parts into it.
                pub fn bare(&self) -> Self {
                    #name { #(#around: Default::default(),)* #(#own: self.#own.clone(),)* }
                }
                /// Takes over what these bytes say; what stands elsewhere stays.
                pub fn fill(&mut self, __bytes: &[u8], __game: __Game, __cx: &#context) {
                    let __new = <Self as ::refit::wire::Placed<#context>>::load(__bytes, __game, __cx);
                    #(self.#said = __new.#said;)*
                }
                #(#places)*
                #(#hidden)*
                #table
            }
            #[allow(unused_variables, unused_mut, clippy::all)]
            impl ::refit::wire::Placed<#context> for #name {
                fn size(__game: __Game) -> Option<usize> {
                    match __game {
                        #(__Game::#games => Some(#name::size(__game)),)*
                        #[allow(unreachable_patterns)]
                        _ => None,
                    }
                }
                fn load(__bytes: &[u8], __game: __Game, __cx: &#context) -> Self { #do_load }
                fn store(&self, __bytes: &mut [u8], __game: __Game, __cx: &#context) -> ::refit::wire::Result<()> { #do_store }
                #describe
            }
            #wire
        };
    })
}

/// Where the fields stand in each game, proved to tile the record.
fn spans(record: &Record, items: &[Item<'_>]) -> Result<TokenStream> {
    let placed: Vec<&Item<'_>> = items.iter().filter(|item| item.index.is_some()).collect();
    let count = placed.len();
    let steps = placed.iter().enumerate().map(|(i, item)| {
        let (has, size, over) = (item.has(), size(item), item.field.over);
        let at = match &item.field.place {
            FieldPlace::Next => quote!(__next),
            FieldPlace::At(at) => quote!(#at),
            FieldPlace::PerGame(list) => {
                let arms = list.iter().map(|(game, at)| match game {
                    Some(game) => quote!(__Game::#game => #at,),
                    None => quote!(_ => #at,),
                });
                quote!(match __game { #(#arms)* #[allow(unreachable_patterns)] _ => __next })
            }
        };
        quote! {
            if #has {
                let at: usize = #at;
                __next = at + #size;
                out[#i] = (at, #size, #over);
            } else {
                out[#i] = (__next, 0, true);
            }
        }
    });
    let (name, sizes) = (&record.name, record.games.iter().map(|(game, size)| quote!(__Game::#game => #size,)));
    let proofs = record.games.iter().map(|(game, size)| {
        let message = format!("the fields of {name} leave a hole, overlap, or do not fill the {size} bytes that it has in {game}");
        quote!(assert!(::refit::wire::tiles(&#name::spans(__Game::#game), #size), #message);)
    });
    Ok(quote! {
        /// Offset and size of each placed field, and whether it lies over others.
        const fn spans(__game: __Game) -> [(usize, usize, bool); #count] {
            let mut out = [(0, 0, false); #count];
            let mut __next: usize = 0;
            #(#steps)*
            out
        }
        const PROVED: () = { #(#proofs)* };
        /// Bytes of one record in a game's files; 0 where the game has none.
        pub const fn size(__game: __Game) -> usize {
            #[allow(clippy::let_unit_value)]
            let () = Self::PROVED;
            match __game { #(#sizes)* #[allow(unreachable_patterns)] _ => 0 }
        }
    })
}

/// The bytes of a field, as a constant.
fn size(item: &Item<'_>) -> TokenStream {
    let context = &item.context;
    match (&item.field.shape, item.how()) {
        (Shape::Pad(n), _) => quote!(#n),
        (Shape::Part(part), _) => quote!(<#part as ::refit::wire::FieldGroup<Self, #context>>::SIZE),
        (Shape::Value(ty), Some(how)) => quote!(<#how as ::refit::wire::As<#ty, #context>>::SIZE),
        (Shape::Value(ty), None) if item.is_slot() => quote!(<#ty as ::refit::wire::FieldType>::SIZE),
        (Shape::Value(ty) | Shape::Flags(ty), None) => quote!(<#ty as ::refit::wire::FieldType>::SIZE),
        _ => quote!(0),
    }
}

/// Takes the places apart, as constants of the game `G`.
fn places(items: &[Item<'_>]) -> TokenStream {
    let count = items.iter().filter(|item| item.index.is_some()).count();
    quote! {
        let __spans: [(usize, usize, bool); #count] = const { Self::spans(__Game::LAYOUTS[G]) };
    }
}

/// The bytes of a field.
fn cut(item: &Item<'_>) -> TokenStream {
    let (i, size) = (item.index.unwrap_or(0), size(item));
    quote!(::refit::wire::cut(__b, __spans[#i].0, #size))
}

fn cut_mut(item: &Item<'_>) -> TokenStream {
    let (i, size) = (item.index.unwrap_or(0), size(item));
    quote!(::refit::wire::cut_mut(__b, __spans[#i].0, #size))
}

/// The value that stands in a field's bytes.
fn value(item: &Item<'_>, items: &[Item<'_>], context: &TokenStream) -> Result<TokenStream> {
    let (Some(ty), bytes) = (item.ty(), cut(item)) else { return Ok(TokenStream::new()) };
    Ok(match item.how() {
        Some(how) => {
            let with = with_local(item, items)?;
            quote!(<#how as ::refit::wire::As<#ty, #context>>::load(#bytes, __game, __cx, #with))
        }
        None => quote!(<#ty as ::refit::wire::Plain>::get(#bytes)),
    })
}

/// What reading a field needs of another one, which was read before.
fn with_local(item: &Item<'_>, items: &[Item<'_>]) -> Result<TokenStream> {
    let Some(with) = &item.field.with else { return Ok(quote!(&())) };
    match items.iter().find(|other| other.field.name == *with) {
        Some(other) => {
            let local = &other.local;
            Ok(quote!(&#local))
        }
        None => Err(Error::new(with.span(), "no field of this name")),
    }
}

fn with_self(item: &Item<'_>) -> TokenStream {
    item.field.with.as_ref().map_or_else(|| quote!(&()), |with| quote!(&self.#with))
}

fn load(record: &Record, items: &[Item<'_>], context: &TokenStream) -> Result<TokenStream> {
    let name = &record.name;
    let places = places(items);
    let stored = items.iter().find(|item| matches!(item.field.shape, Shape::Flags(_))).map(|item| {
        let (ty, bytes) = (item.ty(), cut(item));
        quote!(let __stored: u32 = u32::from(<#ty as ::refit::wire::Plain>::get(#bytes));)
    });
    // What needs another field comes after all that need none.
    let (first, second): (Vec<_>, Vec<_>) = items.iter().filter(|item| item.kept()).partition(|item| item.field.with.is_none());
    let mut lets = Vec::new();
    for item in first.into_iter().chain(second) {
        let (local, has, field) = (&item.local, item.has(), item.field);
        let expression = if field.in_.is_some() {
            quote!(Default::default())
        } else {
            match &field.shape {
                Shape::Bit(mask) => quote!(__stored & (#mask) != 0),
                Shape::Flags(_) => quote!(::refit::wire::Odd(None)),
                _ => {
                    let (value, bytes) = (value(item, items, context)?, cut(item));
                    let ty = item.ty();
                    match field.mark {
                        FieldMark::Maybe => {
                            let some = if field.always {
                                quote!(Some(#value))
                            } else if let Some(mask) = &field.on {
                                quote!((__stored & (#mask) != 0).then(|| #value))
                            } else if let Some(mask) = &field.if_ {
                                quote!((__stored & (#mask) != 0 && !::refit::wire::all_zero(#bytes)).then(|| #value))
                            } else if let Some(none) = &field.none {
                                quote!((!::refit::wire::holds(#bytes, &#none)).then(|| #value))
                            } else if let Some(usual) = &field.else_ {
                                quote!(Some(#value).filter(|v| *v != #usual))
                            } else {
                                quote!((!::refit::wire::all_zero(#bytes)).then(|| #value))
                            };
                            if field.games.is_empty() { some } else { quote!(if #has { #some } else { None }) }
                        }
                        FieldMark::Odd if field.games.is_empty() => quote!(::refit::wire::Odd(Some(#value))),
                        FieldMark::Odd => quote!(if #has { ::refit::wire::Odd(Some(#value)) } else { ::refit::wire::Odd(None) }),
                        _ if item.is_slot() && field.games.is_empty() => quote!(<#ty as ::refit::wire::FieldType>::load(#bytes)),
                        _ if item.is_slot() => quote! {
                            if #has { <#ty as ::refit::wire::FieldType>::load(#bytes) } else { <#ty as ::refit::wire::Gated>::absent() }
                        },
                        _ if item.how().is_none() => quote!(<#ty as ::refit::wire::FieldType>::load(#bytes)),
                        _ => value,
                    }
                }
            }
        };
        lets.push(quote!(let #local = #expression;));
    }
    let shown: Vec<_> = items.iter().filter(|item| item.shown()).collect();
    let (names, locals): (Vec<_>, Vec<_>) = shown.iter().map(|item| (&item.field.name, &item.local)).unzip();
    let around: Vec<&Ident> = record.above.iter().chain(&record.below).map(|field| &field.name).collect();
    let parts = items.iter().filter(|item| matches!(item.field.shape, Shape::Part(_))).map(|item| {
        let (part, bytes, has) = (item.ty(), cut(item), item.has());
        let stored = if stored.is_some() { quote!(__stored) } else { quote!(0) };
        quote!(if #has { <#part as ::refit::wire::FieldGroup<Self, #context>>::load(&mut __me, #bytes, #stored, __game, __cx); })
    });
    let inner = items.iter().filter(|item| item.kept() && !item.shown()).map(|item| {
        let (access, local) = (item.access(), &item.local);
        quote!(__me.#access = #local;)
    });
    let differ = items.iter().find(|item| matches!(item.field.shape, Shape::Flags(_))).map(|item| {
        let name = &item.field.name;
        quote!(__me.#name = ::refit::wire::Odd::of(::refit::wire::Hex(__stored ^ __me.implied(__game, __cx)), ::refit::wire::Hex(0));)
    });
    let settle = items.iter().filter(|item| item.kept()).filter_map(|item| {
        let (access, has) = (item.access(), item.has());
        let value = item.ask(item.field.rule.as_ref()?, quote!(_), quote!(&__me));
        let off = item.field.when.as_ref().map(|when| {
            let there = item.ask(when, quote!(bool), quote!(&__me));
            quote!(if !#there { __me.#access = ::refit::wire::Odd(None); })
        });
        Some(quote! {
            if #has {
                let __value = #value;
                __me.#access.settle(__value);
                #off
            }
        })
    });
    Ok(quote! {
        #[inline]
        fn load_in<const G: usize>(__bytes: &[u8], __game: __Game, __cx: &#context) -> Self {
            #places
            // One check of the length serves all fields.
            let (__b, _) = __bytes.split_at_checked(const { Self::size(__Game::LAYOUTS[G]) }).unwrap_or_default();
            #stored
            #(#lets)*
            let mut __me = #name { #(#around: Default::default(),)* #(#names: #locals,)* };
            #(#inner)*
            #(#parts)*
            #differ
            #(#settle)*
            __me
        }
    })
}

fn store(items: &[Item<'_>], context: &TokenStream) -> Result<TokenStream> {
    let places = places(items);
    let puts = items.iter().map(|item| put(item, context));
    Ok(quote! {
        #[inline]
        fn store_in<const G: usize>(&self, __bytes: &mut [u8], __game: __Game, __cx: &#context) -> ::refit::wire::Result<()> {
            #places
            let (__b, _) = __bytes.split_at_mut_checked(const { Self::size(__Game::LAYOUTS[G]) }).unwrap_or_default();
            #(#puts)*
            Ok(())
        }
    })
}

fn put(item: &Item<'_>, context: &TokenStream) -> TokenStream {
    let (field, key, has) = (item.field, &item.key, item.has());
    let name = item.access();
    let hint = field.hint.as_ref().map(|hint| quote!(.hint(#hint)));
    let absent = |test: TokenStream| quote!(else if #test { return Err(::refit::wire::Error::say("this field does not exist in this game")#hint.within(#key)); });
    if field.in_.is_some() {
        if field.games.is_empty() {
            return TokenStream::new();
        }
        let absent = absent(quote!(!::refit::wire::is_zero(&self.#name)));
        return quote!(if #has {} #absent);
    }
    let bytes = cut_mut(item);
    let named = quote!(.map_err(|e| e.within(#key))?);
    let put_value = |value: TokenStream| match (item.how(), item.ty()) {
        (Some(how), Some(ty)) => {
            let with = with_self(item);
            quote!(<#how as ::refit::wire::As<#ty, #context>>::store(#value, #bytes, __game, __cx, #with) #named;)
        }
        (_, ty) => quote!(<#ty as ::refit::wire::Plain>::put(#value, #bytes);),
    };
    let by_rule = |rule: &Expr| {
        let value = item.ask(rule, quote!(_), quote!(self));
        quote!(let __value = #value;)
    };
    match &field.shape {
        Shape::Bit(_) | Shape::Pad(_) => {
            let gone = (!field.games.is_empty() && matches!(field.shape, Shape::Bit(_))).then(|| {
                let absent = absent(quote!(self.#name));
                quote!(if #has {} #absent)
            });
            quote!(#gone)
        }
        Shape::Flags(ty) => quote! {
            let __word = self.implied(__game, __cx) ^ self.#name.or(::refit::wire::Hex(0)).0;
            let __word = <#ty>::try_from(__word)
                .map_err(|_| ::refit::wire::Error::say(format!("flags {__word:#x} do not fit {} bits", <#ty>::BITS)).within(#key))?;
            ::refit::wire::Plain::put(&__word, #bytes);
        },
        Shape::Part(part) => quote! {
            if #has { <#part as ::refit::wire::FieldGroup<Self, #context>>::store(self, #bytes, __game, __cx) #named; }
        },
        Shape::Value(ty) => {
            let rule = field.rule.as_ref().map(by_rule);
            let (stored, test) = match field.mark {
                _ if field.hidden => {
                    let tried = field.tries.then(|| quote!(let __value = __value #named;));
                    let put = quote!(<#ty as ::refit::wire::Plain>::put(&__value, #bytes););
                    (quote!(#rule #tried #put), quote!(false))
                }
                FieldMark::Maybe => {
                    let put = put_value(quote!(__v));
                    let off = field.off.as_ref().or(field.none.as_ref()).or(field.else_.as_ref());
                    let off = match off {
                        Some(off) => quote!(::refit::wire::put_plain(&#off, #bytes)),
                        None if field.always => {
                            let put = put_value(quote!(&Default::default()));
                            quote!({ #put })
                        }
                        None => TokenStream::new(),
                    };
                    (quote!(match &self.#name { Some(__v) => { #put } None => { #off } }), quote!(self.#name.is_some()))
                }
                FieldMark::Odd => {
                    let (put, regular) = (put_value(quote!(__v)), put_value(quote!(&self.#name.typed(__value))));
                    (quote!(if let Some(__v) = &self.#name.0 { #put } else { #rule #regular }), quote!(!self.#name.is_none()))
                }
                _ if item.is_slot() => {
                    let store = quote!(::refit::wire::FieldType::store(&self.#name, #bytes););
                    let stored = match &rule {
                        // Through the field, so that a bare number in a rule gets the field's type.
                        Some(rule) => quote! {
                            if ::refit::wire::Gated::is_absent(&self.#name) {
                                #rule
                                ::refit::wire::put_plain(&self.#name.typed(__value), #bytes);
                            } else { #store }
                        },
                        None => store,
                    };
                    (stored, quote!(!::refit::wire::Gated::is_absent(&self.#name)))
                }
                _ if item.how().is_some() => (put_value(quote!(&self.#name)), quote!(false)),
                _ => (quote!(::refit::wire::FieldType::store(&self.#name, #bytes);), quote!(false)),
            };
            let stored = match &field.when {
                Some(when) => {
                    let there = item.ask(when, quote!(bool), quote!(self));
                    quote!(if #there { #stored })
                }
                None => stored,
            };
            if field.games.is_empty() {
                quote!({ #stored })
            } else {
                let absent = absent(test);
                quote!(if #has { #stored } #absent)
            }
        }
    }
}

/// The bits that the fields which are there set.
fn implied(record: &Record, items: &[Item<'_>], context: &TokenStream) -> TokenStream {
    if !items.iter().any(|item| matches!(item.field.shape, Shape::Flags(_))) {
        return TokenStream::new();
    }
    let _ = record;
    let bits = items.iter().filter_map(|item| {
        let name = &item.field.name;
        match (&item.field.shape, &item.field.on) {
            (Shape::Bit(mask), _) => Some(quote!(| if self.#name { #mask } else { 0 })),
            (Shape::Value(_), Some(mask)) => Some(quote!(| if self.#name.is_some() { #mask } else { 0 })),
            (Shape::Part(part), _) => Some(quote!(| <#part as ::refit::wire::FieldGroup<Self, #context>>::implied(self, __game, __cx))),
            _ => None,
        }
    });
    quote! {
        /// The bits of the flag word that follow from the fields.
        #[inline]
        fn implied(&self, __game: __Game, __cx: &#context) -> u32 { 0 #(#bits)* }
    }
}

fn describe(items: &[Item<'_>], context: &TokenStream) -> Result<TokenStream> {
    let mut active = Vec::new();
    let mut rest = Vec::new();
    for item in items.iter().filter(|item| item.index.is_some()) {
        let (i, size, key, has) = (item.index.unwrap_or(0), size(item), &item.key, item.has());
        let (field, name) = (item.field, item.access());
        let note = |kind: TokenStream, role: TokenStream, meaning: TokenStream| {
            quote! {
                let __b = __field.cut(__spans[#i].0, #size);
                __field.note(__spans[#i].0, #size, #key, #kind, #role, #meaning);
            }
        };
        let (kind, meaning) = match (&field.shape, item.how()) {
            (Shape::Value(ty), Some(how)) => (
                quote!(<#how as ::refit::wire::As<#ty, #context>>::KIND),
                quote!(<#how as ::refit::wire::As<#ty, #context>>::meaning(__b, __game, __cx)),
            ),
            (Shape::Value(ty), None) if item.is_slot() || field.mark == FieldMark::Plain => {
                (quote!(<#ty as ::refit::wire::FieldType>::KIND), quote!(<#ty as ::refit::wire::FieldType>::meaning(__b)))
            }
            (Shape::Value(ty) | Shape::Flags(ty), _) => {
                (quote!(<#ty as ::refit::wire::Plain>::KIND), quote!(<#ty as ::refit::wire::Plain>::get(__b).meaning()))
            }
            _ => (quote!(::refit::wire::Notation::Bytes), quote!(None)),
        };
        let role = |role: &str| {
            let role = format_ident!("{role}");
            quote!(::refit::wire::Role::#role)
        };
        match &field.shape {
            Shape::Pad(_) => {
                let note = note(quote!(::refit::wire::Notation::Bytes), role("Padding"), quote!(None));
                // `_` names nothing: what it pads is said by its role.
                rest.push(quote!(if #has { #note }));
            }
            Shape::Flags(_) => rest.push(note(quote!(::refit::wire::Notation::Word), quote!(__field.odd(self.#name.is_none())), quote!(None))),
            Shape::Part(part) => rest.push(quote! {
                if #has {
                    <#part as ::refit::wire::FieldGroup<Self, #context>>::describe(self, &mut __field.part(__spans[#i].0, #size), __game, __cx);
                }
            }),
            _ if field.hidden => {
                let role = role(if is_constant(key) { "Constant" } else { "Derived" });
                rest.push(quote!(if #has { __field.hidden(__spans[#i].0, #size, #key, #kind, #role); }));
            }
            _ => match field.mark {
                FieldMark::Maybe => {
                    let there = match (item.how(), item.ty()) {
                        (Some(how), Some(ty)) => quote! {
                            if let Some(__v) = &self.#name {
                                let __bytes = __field.part(__spans[#i].0, #size);
                                <#how as ::refit::wire::As<#ty, #context>>::describe(__v, &__bytes, #key, __game, __cx);
                            }
                        },
                        _ => {
                            let note = note(kind.clone(), role("Value"), meaning);
                            quote!(if self.#name.is_some() { #note })
                        }
                    };
                    let not = {
                        let off = field.off.is_some() || field.none.is_some() || field.else_.is_some();
                        note(kind, role(if off { "Derived" } else { "Padding" }), quote!(None))
                    };
                    active.push(there);
                    rest.push(quote!(if #has && self.#name.is_none() { #not }));
                }
                FieldMark::Odd => {
                    let odd = quote!(__field.odd(self.#name.is_none()));
                    let role = match &field.when {
                        Some(when) => {
                            let there = item.ask(when, quote!(bool), quote!(self));
                            quote!(if #there { #odd } else { ::refit::wire::Role::Padding })
                        }
                        None => odd,
                    };
                    let note = note(kind, role, meaning);
                    rest.push(quote!(if #has { #note }));
                }
                _ if item.is_slot() => {
                    let note = note(kind, quote!(__field.odd(::refit::wire::Gated::is_absent(&self.#name))), meaning);
                    rest.push(quote!(if #has { #note }));
                }
                _ if item.how().is_some() => {
                    let (how, ty) = (item.how(), item.ty());
                    active.push(quote! {
                        let __bytes = __field.part(__spans[#i].0, #size);
                        <#how as ::refit::wire::As<#ty, #context>>::describe(&self.#name, &__bytes, #key, __game, __cx);
                    });
                }
                _ => {
                    let skipped = field.attrs.iter().any(|attr| {
                        attr.path().is_ident("serde") && attr.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "skip")
                    });
                    let told = match (skipped, is_constant(key)) {
                        (true, true) => "Constant",
                        (true, false) => "Derived",
                        (false, _) => "Value",
                    };
                    active.push(note(kind, role(told), meaning));
                }
            },
        }
    }
    Ok(quote! {
        fn describe(&self, __bytes: &[u8], __at: u64, __game: __Game, __cx: &#context, __trace: &dyn ::refit::wire::Trace) {
            // Nobody waits for this: the places are looked up in the game of the cursor, and there is one set of code for all games.
            let __spans = Self::spans(__game);
            let mut __image = vec![0; __bytes.len()];
            let _ = ::refit::wire::Placed::store(self, &mut __image, __game, __cx);
            let mut __field = ::refit::wire::Describe::new(__bytes, &__image, __at, __trace);
            #(#active)*
            #(#rest)*
        }
    })
}

/// True for the name of what says which file this is: readers refuse others.
fn is_constant(key: &str) -> bool {
    matches!(key, "signature" | "version")
}

/// Offset and size of a placed field in the game of the cursor: constants, so that nobody computes places while reading.
fn span(item: &Item<'_>, record: &Record) -> TokenStream {
    let i = item.index.unwrap_or(0);
    let arms = record.games.iter().map(|(game, _)| quote!(__Game::#game => const { Self::spans(__Game::#game)[#i] },));
    quote! {
        let (__at, __size, _) = match __game { #(#arms)* #[allow(unreachable_patterns)] _ => (0, 0, false) };
    }
}

/// Where a field's bytes stand in a record.
fn place_of(item: &Item<'_>, record: &Record) -> TokenStream {
    let span = span(item, record);
    let function = format_ident!("place_{}", item.key.replace('.', "_"), span = item.field.name.span());
    let doc = format!("Where `{}` stands in a record; empty where the game has none.", item.key);
    quote! {
        #[doc = #doc]
        #[inline]
        pub const fn #function(__game: __Game) -> std::ops::Range<usize> {
            #span
            __at..__at + __size
        }
    }
}

/// A field's value in a record's bytes.
fn peek(item: &Item<'_>, record: &Record) -> TokenStream {
    let Shape::Value(ty) = &item.field.shape else { return TokenStream::new() };
    let span = span(item, record);
    let function = format_ident!("peek_{}", item.key.replace('.', "_"), span = item.field.name.span());
    let doc = format!("`{}` as it stands in a record's bytes; zero where the game has none.", item.key);
    quote! {
        #[doc = #doc]
        #[inline]
        pub fn #function(__bytes: &[u8], __game: __Game) -> #ty {
            #span
            <#ty as ::refit::wire::Plain>::get(::refit::wire::cut(__bytes, __at, __size))
        }
    }
}

/// The declaration as data: for the references beside the code.
fn table(record: &Record, items: &[Item<'_>]) -> TokenStream {
    let name = record.name.to_string();
    let about = docs(&record.attrs);
    let told = |game: &&Ident| !record.inherits || *game != "RcDemo";
    let games: Vec<&Ident> = record.games.iter().map(|(game, _)| game).filter(told).collect();
    let rows = items.iter().filter(|item| item.index.is_some()).map(|item| {
        let (i, key, about) = (item.index.unwrap_or(0), &item.key, docs(&item.field.attrs));
        let field = item.field;
        let ty = match (&field.shape, item.how()) {
            (Shape::Pad(n), _) => format!("{n} bytes"),
            (_, Some(how)) => tidy(how),
            (Shape::Value(ty) | Shape::Flags(ty) | Shape::Part(ty), None) => tidy(ty),
            (Shape::Bit(_), None) => String::new(),
        };
        let on = field.on.as_ref().map(tidy).unwrap_or_default();
        let rule = if matches!(field.shape, Shape::Pad(_)) {
            "padding"
        } else if field.hidden {
            "derived, not in the tree"
        } else if matches!(field.shape, Shape::Flags(_)) {
            "follows from the fields"
        } else if field.rule.is_some() {
            "absent while regular"
        } else {
            ""
        };
        let mark = if matches!(field.shape, Shape::Pad(_)) { "–" } else { key.as_str() };
        quote!(::refit::wire::Row { name: #mark, places: [#(Self::span_of(__Game::#games, #i)),*].to_vec(), kind: #ty, on: #on, rule: #rule, about: #about })
    });
    let bits = items.iter().filter_map(|item| match &item.field.shape {
        Shape::Bit(mask) => {
            let (key, mask, about) = (&item.key, tidy(mask), docs(&item.field.attrs));
            Some(quote!(::refit::wire::Row { name: #key, places: Vec::new(), kind: "bit", on: #mask, rule: "", about: #about }))
        }
        _ => None,
    });
    quote! {
        fn span_of(__game: __Game, __i: usize) -> Option<(usize, usize)> {
            let (at, size, _) = *Self::spans(__game).get(__i)?;
            (size > 0).then_some((at, size))
        }
        /// The declaration as a table.
        pub fn table() -> ::refit::wire::RecordTable {
            ::refit::wire::RecordTable {
                name: #name,
                about: #about,
                games: vec![#((__Game::#games, Self::size(__Game::#games))),*],
                rows: vec![#(#rows,)* #(#bits,)*],
            }
        }
    }
}

/// The text of doc comments, as one paragraph.
fn docs(attrs: &[syn::Attribute]) -> String {
    let lines =
        attrs.iter().filter(|attr| attr.path().is_ident("doc")).filter_map(|attr| match &attr.meta.require_name_value().ok()?.value {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        });
    lines.collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// Source as a person would write it.
fn tidy(tokens: &(impl quote::ToTokens + Spanned)) -> String {
    let text = quote!(#tokens).to_string();
    text.replace(" < ", "<")
        .replace(" > ", ">")
        .replace(" >", ">")
        .replace(" , ", ", ")
        .replace(" :: ", "::")
        .replace("- ", "-")
        .replace(" ;", ";")
        .replace("[ ", "[")
        .replace(" ]", "]")
}
