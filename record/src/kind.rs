//! The meaning of each field, resolved once for all outputs.

use crate::{
    declare::{Field, FieldMark, Keeping, Record, Shape},
    value::Codec,
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Error, Expr, Ident, Result, Type, ext::IdentExt};

/// The meaning of a field.
pub enum FieldKind<'a> {
    /// Zeros.
    Pad(usize),
    /// The flag word.
    Flags(&'a Type),
    /// A bit of the flag word.
    Bit(&'a Expr),
    /// Several fields, read and written by a type.
    Part(&'a Type),
    /// In the struct; its bytes are those of a part, or outside of the record.
    Elsewhere,
    /// Stored by its rule, not in the struct.
    Hidden { value: Codec<'a>, rule: &'a Expr },
    /// Always there, in the games that have it.
    Always(Codec<'a>),
    /// There on a condition.
    Optional {
        value: Codec<'a>,
        there: There<'a>,
        off: Off<'a>,
    },
    /// Absent while it follows its rule.
    Ruled { value: Codec<'a>, rule: &'a Expr },
}

/// When an optional field is there.
#[derive(Clone, Copy)]
pub enum There<'a> {
    Always,
    /// Present if one of these flags is set.
    On(&'a Expr),
    /// Present if one of these flags is set and the bytes are not zero.
    If(&'a Expr),
    /// Present unless the bytes contain this value.
    Unless(&'a Expr),
    /// While it has another value.
    Else(&'a Expr),
    NotZero,
}

/// The bytes of an absent optional field.
#[derive(Clone, Copy)]
pub enum Off<'a> {
    Zero,
    Value(&'a Expr),
    /// The default value, encoded.
    Default,
}

/// A field, prepared for the outputs.
pub struct Item<'a> {
    pub field: &'a Field,
    pub kind: FieldKind<'a>,
    /// Its position among the fields that have bytes.
    pub index: Option<usize>,
    /// The variable for it while the record is read.
    pub local: Ident,
    /// Its name in trees, errors and `explain`.
    pub key: String,
    /// The type of the record's context.
    pub context: TokenStream,
}

/// The type of a record's context.
pub fn context(record: &Record) -> TokenStream {
    record
        .context
        .as_ref()
        .map_or_else(|| quote!(()), |context| quote!(#context))
}

/// Resolves the fields of a record; an error names an invalid one.
pub fn items(record: &Record) -> Result<Vec<Item<'_>>> {
    let mut next = 0;
    let mut items = Vec::new();
    for (i, field) in record.fields.iter().enumerate() {
        let kind = kind(field, record.games.is_empty())
            .map_err(|what| Error::new(field.name.span(), what))?;
        let placed = !matches!(kind, FieldKind::Bit(_) | FieldKind::Elsewhere);
        let index = placed.then_some(next);
        next += usize::from(placed);
        let inner = field.name.unraw().to_string();
        let key = field.outer.as_ref().map_or_else(
            || inner.clone(),
            |outer| format!("{}.{inner}", outer.unraw()),
        );
        items.push(Item {
            field,
            kind,
            index,
            local: format_ident!("f{}_{}", i, inner),
            key,
            context: context(record),
        });
    }
    let lost = items
        .iter()
        .filter_map(|item| item.value()?.with)
        .find(|with| !record.fields.iter().any(|field| field.name == **with));
    match lost {
        Some(with) => Err(Error::new(with.span(), "no field of this name")),
        None => Ok(items),
    }
}

/// `tree`: the record has no bytes.
fn kind(field: &Field, tree: bool) -> std::result::Result<FieldKind<'_>, &'static str> {
    let clauses = &field.clauses;
    let stored = matches!(field.keeping, Keeping::Derived | Keeping::Constant);
    if clauses.when.is_some() && !matches!(field.mark, FieldMark::Derived | FieldMark::Default) {
        return Err("`when` is for fields with `~` or `^`");
    }
    let in_struct = !stored && matches!(field.shape, Shape::Value(_) | Shape::Bit(_));
    if clauses.key.is_some() && (tree || !in_struct) {
        return Err("`key` is for fields that are in the tree and in the bytes");
    }
    Ok(match (&field.shape, field.mark) {
        (Shape::Pad(size), _) => FieldKind::Pad(*size),
        (Shape::Part(part), _) => FieldKind::Part(part),
        (Shape::Bit(mask), FieldMark::NotEmpty) => FieldKind::Bit(mask),
        (Shape::Bit(_), _) => return Err("a bit of the flag word is marked with `!`"),
        (Shape::Flags(ty), FieldMark::Derived) => FieldKind::Flags(ty),
        (Shape::Flags(_), _) => {
            return Err("the flag word shows only its difference: mark it with `~`");
        }
        (Shape::Value(_), mark) if field.outer.is_some() && mark != FieldMark::Derived => {
            return Err("a field of an inner struct is marked with `~`");
        }
        (Shape::Value(_), _) if tree || clauses.in_.is_some() => FieldKind::Elsewhere,
        (Shape::Value(ty), mark) => {
            let value = Codec {
                ty,
                how: clauses.as_.as_ref(),
                with: clauses.with.as_ref(),
            };
            match (mark, &clauses.rule) {
                (FieldMark::Plain, Some(rule)) if stored => FieldKind::Hidden { value, rule },
                (_, None) if field.keeping == Keeping::Derived => {
                    return Err("a hidden field needs a rule: `= |record| …`");
                }
                (FieldMark::NotEmpty, None) if !field.games.is_empty() => {
                    return Err("`!` is for fields that all games have");
                }
                (FieldMark::Plain | FieldMark::NotEmpty, None) => FieldKind::Always(value),
                (FieldMark::Derived | FieldMark::Default, Some(rule)) => {
                    FieldKind::Ruled { value, rule }
                }
                (FieldMark::Derived | FieldMark::Default, None) => {
                    return Err("a field with `~` or `^` needs a rule: `= |record| …`");
                }
                (FieldMark::Maybe, None) => optional(field, value),
                (FieldMark::List, _) => return Err("only fields `in` a part or `below` are lists"),
                (_, Some(_)) => {
                    return Err(
                        "a field with a rule is marked with `~` or `^`, or stored by `let`",
                    );
                }
            }
        }
    })
}

fn optional<'a>(field: &'a Field, value: Codec<'a>) -> FieldKind<'a> {
    let c = &field.clauses;
    let there = match (&c.on, &c.if_, &c.none, &c.else_) {
        _ if c.always => There::Always,
        (Some(mask), None, ..) => There::On(mask),
        (_, Some(mask), ..) => There::If(mask),
        (_, _, Some(value), _) => There::Unless(value),
        (_, _, _, Some(value)) => There::Else(value),
        (None, None, None, None) => There::NotZero,
    };
    let off = match c.off.as_ref().or(c.none.as_ref()).or(c.else_.as_ref()) {
        Some(value) => Off::Value(value),
        None if c.always => Off::Default,
        None => Off::Zero,
    };
    FieldKind::Optional { value, there, off }
}

impl<'a> Item<'a> {
    /// The value that has its own bytes.
    pub fn value(&self) -> Option<Codec<'a>> {
        match self.kind {
            FieldKind::Hidden { value, .. } | FieldKind::Always(value) => Some(value),
            FieldKind::Optional { value, .. } | FieldKind::Ruled { value, .. } => Some(value),
            _ => None,
        }
    }

    /// True for a field of the struct, or of a struct in it.
    pub fn kept(&self) -> bool {
        !matches!(
            self.kind,
            FieldKind::Hidden { .. } | FieldKind::Pad(_) | FieldKind::Part(_)
        )
    }

    /// True for a field of the struct itself.
    pub fn own(&self) -> bool {
        self.kept() && self.field.outer.is_none()
    }

    /// The field of the struct, or of a struct in it.
    pub fn access(&self) -> TokenStream {
        let name = &self.field.name;
        self.field
            .outer
            .as_ref()
            .map_or_else(|| quote!(#name), |outer| quote!(#outer.#name))
    }

    /// Evaluates a rule for the record `me`.
    pub fn ask(&self, rule: &Expr, me: TokenStream) -> TokenStream {
        quote!(__w::ask(#me, __game, __cx, #rule))
    }

    /// `code`, for the games that have the field.
    pub fn in_its_games(&self, code: TokenStream) -> TokenStream {
        match self.has() {
            Some(has) => quote!(if #has { #code }),
            None => code,
        }
    }

    /// Condition: the cursor's game has the field; `None` if all games do.
    pub fn has(&self) -> Option<TokenStream> {
        let games = &self.field.games;
        (!games.is_empty()).then(|| quote!(matches!(__game, #(__Game::#games)|*)))
    }

    /// The bytes of the field, as a constant.
    pub fn size(&self) -> TokenStream {
        let context = &self.context;
        match &self.kind {
            FieldKind::Pad(size) => quote!(#size),
            FieldKind::Flags(ty) => quote!(<#ty as __w::Plain>::SIZE),
            FieldKind::Part(part) => quote!(<#part as __w::FieldGroup<Self, #context>>::SIZE),
            _ => self.value().map_or_else(
                || quote!(0),
                |value| {
                    let encoding = value.encoding(context);
                    quote!(#encoding::SIZE)
                },
            ),
        }
    }

    /// The field's slice of the record `__b`, by `cut` or `cut_mut`.
    pub fn slice(&self, cut: &str) -> TokenStream {
        let (cut, i, size) = (format_ident!("{cut}"), self.index.unwrap_or(0), self.size());
        quote!(__w::#cut(__b, __spans[#i].0, #size))
    }
}
