//! The declaration as it is written.

use syn::{
    Attribute, Expr, Ident, LitInt, LitStr, Result, Token, Type, Visibility, braced, bracketed, custom_keyword,
    ext::IdentExt,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    token::{Brace, Bracket},
};

custom_keyword!(above);
custom_keyword!(always);
custom_keyword!(below);
custom_keyword!(bit);
custom_keyword!(flags);
custom_keyword!(hint);
custom_keyword!(none);
custom_keyword!(off);
custom_keyword!(on);
custom_keyword!(pad);
custom_keyword!(part);
custom_keyword!(when);
custom_keyword!(with);

/// `pub struct Name [Game SIZE, …] with Context above { … } { … } below { … }`
pub struct Record {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub name: Ident,
    /// Each game that has the record, and its bytes there; none for a part of the tree whose bytes other records declare.
    pub games: Vec<(Ident, usize)>,
    /// What reading and writing needs besides the bytes: tables of names.
    pub context: Option<Type>,
    pub above: Vec<Field>,
    pub fields: Vec<Field>,
    pub below: Vec<Field>,
    /// The layout of Recoil's demos is that of Recoil: nothing is said of it.
    pub inherits: bool,
}

/// What the mark behind a field's name says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FieldMark {
    /// Nothing: it is always there.
    Plain,
    /// `?`: it may be absent.
    Maybe,
    /// `~`: absent while it follows its rule.
    Odd,
    /// `!`: a truth value, absent while false.
    Bit,
    /// `*`: a list, absent while empty.
    List,
}

/// Where a field stands.
pub enum FieldPlace {
    /// Behind the one before it.
    Next,
    /// At an offset.
    At(usize),
    /// At an offset in each game; `None` is all others.
    PerGame(Vec<(Option<Ident>, usize)>),
}

/// What stands behind the colon.
pub enum Shape {
    /// A value of a type.
    Value(Type),
    /// A bit of the flag word.
    Bit(Expr),
    /// The flag word, of this integer.
    Flags(Type),
    /// Bytes that are zero.
    Pad(usize),
    /// Several fields at once, by a type that knows how.
    Part(Type),
}

/// One line of the declaration.
pub struct Field {
    pub attrs: Vec<Attribute>,
    /// The games that have it; all where there are none.
    pub games: Vec<Ident>,
    /// It lies over bytes that other fields have already.
    pub over: bool,
    /// Stored, but not in the tree.
    pub hidden: bool,
    /// The field of the struct that it stands inside of: `outer.name`.
    pub outer: Option<Ident>,
    pub name: Ident,
    pub mark: FieldMark,
    pub place: FieldPlace,
    pub shape: Shape,
    /// How the value stands in the bytes.
    pub as_: Option<Type>,
    /// The part whose bytes say it.
    pub in_: Option<Ident>,
    pub on: Option<Expr>,
    pub off: Option<Expr>,
    pub if_: Option<Expr>,
    pub none: Option<Expr>,
    pub else_: Option<Expr>,
    /// Absent only in trees: the bytes always say one.
    pub always: bool,
    pub with: Option<Ident>,
    pub rule: Option<Expr>,
    /// The rule of a hidden field may fail: a count that does not fit.
    pub tries: bool,
    /// Zeros, and nothing in the tree, while this says no.
    pub when: Option<Expr>,
    /// What to do where a game has no such field.
    pub hint: Option<LitStr>,
}

impl Parse for Record {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        input.parse::<Token![struct]>()?;
        let name = input.parse()?;
        let mut games = Vec::new();
        if input.peek(Bracket) {
            let sizes;
            bracketed!(sizes in input);
            let size = |input: ParseStream<'_>| Ok((input.parse()?, input.parse::<LitInt>()?.base10_parse()?));
            games.extend(Punctuated::<(Ident, usize), Token![,]>::parse_terminated_with(&sizes, size)?);
        }
        let context = if input.parse::<Option<with>>()?.is_some() { Some(input.parse()?) } else { None };
        let above = if input.parse::<Option<above>>()?.is_some() { fields(input)? } else { Vec::new() };
        let all = fields(input)?;
        let below = if input.parse::<Option<below>>()?.is_some() { fields(input)? } else { Vec::new() };
        let mut record = Record { attrs, vis, name, games, context, above, fields: all, below, inherits: false };
        record.inherit();
        Ok(record)
    }
}

impl Record {
    /// Gives the layout of Recoil's demos that of Recoil, where the declaration does not name it.
    fn inherit(&mut self) {
        const DEMO: &str = "RcDemo";
        if self.games.iter().any(|(game, _)| game == DEMO) {
            return;
        }
        let Some((game, size)) = self.games.iter().find(|(game, _)| game == "Rc").cloned() else { return };
        self.inherits = true;
        let demo = Ident::new(DEMO, game.span());
        self.games.push((demo.clone(), size));
        for field in &mut self.fields {
            if field.games.iter().any(|game| game == "Rc") {
                field.games.push(demo.clone());
            }
            if let FieldPlace::PerGame(places) = &mut field.place
                && let Some((_, at)) = places.iter().find(|(game, _)| game.as_ref().is_some_and(|game| game == "Rc")).cloned()
            {
                places.insert(0, (Some(demo.clone()), at));
            }
        }
    }
}

fn fields(input: ParseStream<'_>) -> Result<Vec<Field>> {
    if !input.peek(Brace) {
        return Err(input.error("expected the fields in braces"));
    }
    let body;
    braced!(body in input);
    Ok(Punctuated::<Field, Token![,]>::parse_terminated(&body)?.into_iter().collect())
}

impl Parse for Field {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let mut games = Vec::new();
        if input.peek(Bracket) {
            let list;
            bracketed!(list in input);
            while !list.is_empty() {
                games.push(list.parse()?);
            }
        }
        let over = input.parse::<Option<Token![|]>>()?.is_some();
        let hidden = input.parse::<Option<Token![let]>>()?.is_some();
        let name = if let Some(blank) = input.parse::<Option<Token![_]>>()? {
            Ident::new("_", blank.span)
        } else {
            input.call(Ident::parse_any)?
        };
        let (outer, name) =
            if input.parse::<Option<Token![.]>>()?.is_some() { (Some(name), input.call(Ident::parse_any)?) } else { (None, name) };
        let mark = if input.parse::<Option<Token![?]>>()?.is_some() {
            FieldMark::Maybe
        } else if input.parse::<Option<Token![~]>>()?.is_some() {
            FieldMark::Odd
        } else if input.parse::<Option<Token![!]>>()?.is_some() {
            FieldMark::Bit
        } else if input.parse::<Option<Token![*]>>()?.is_some() {
            FieldMark::List
        } else {
            FieldMark::Plain
        };
        let place = place(input)?;
        input.parse::<Token![:]>()?;
        let shape = if input.parse::<Option<pad>>()?.is_some() {
            Shape::Pad(input.parse::<LitInt>()?.base10_parse()?)
        } else if input.peek(bit) && !input.peek2(Token![::]) {
            input.parse::<bit>()?;
            Shape::Bit(input.parse()?)
        } else if input.peek(flags) && !input.peek2(Token![::]) {
            input.parse::<flags>()?;
            Shape::Flags(input.parse()?)
        } else if input.peek(part) && !input.peek2(Token![::]) {
            input.parse::<part>()?;
            Shape::Part(input.parse()?)
        } else {
            Shape::Value(input.parse()?)
        };
        let mut field = Field {
            attrs,
            games,
            over,
            hidden,
            outer,
            name,
            mark,
            place,
            shape,
            as_: None,
            in_: None,
            on: None,
            off: None,
            if_: None,
            none: None,
            else_: None,
            always: false,
            with: None,
            rule: None,
            tries: false,
            when: None,
            hint: None,
        };
        while !input.is_empty() && !input.peek(Token![,]) {
            field.clause(input)?;
        }
        Ok(field)
    }
}

impl Field {
    fn clause(&mut self, input: ParseStream<'_>) -> Result<()> {
        if input.parse::<Option<Token![as]>>()?.is_some() {
            self.as_ = Some(input.parse()?);
        } else if input.parse::<Option<Token![in]>>()?.is_some() {
            self.in_ = Some(input.parse()?);
        } else if input.parse::<Option<on>>()?.is_some() {
            self.on = Some(input.parse()?);
        } else if input.parse::<Option<off>>()?.is_some() {
            self.off = Some(input.parse()?);
        } else if input.parse::<Option<Token![if]>>()?.is_some() {
            self.if_ = Some(input.parse()?);
        } else if input.parse::<Option<none>>()?.is_some() {
            self.none = Some(input.parse()?);
        } else if input.parse::<Option<Token![else]>>()?.is_some() {
            self.else_ = Some(input.parse()?);
        } else if input.parse::<Option<always>>()?.is_some() {
            self.always = true;
        } else if input.parse::<Option<when>>()?.is_some() {
            self.when = Some(input.parse()?);
        } else if input.parse::<Option<hint>>()?.is_some() {
            self.hint = Some(input.parse()?);
        } else if input.parse::<Option<with>>()?.is_some() {
            self.with = Some(input.call(Ident::parse_any)?);
        } else if input.parse::<Option<Token![try]>>()?.is_some() {
            self.tries = true;
            self.rule = Some(input.parse()?);
        } else if input.parse::<Option<Token![=>]>>()?.is_some() || input.parse::<Option<Token![=]>>()?.is_some() {
            self.rule = Some(input.parse()?);
        } else {
            return Err(input.error("expected a clause: as, in, on, off, if, none, else, with, when, hint, try, `= rule`, or a comma"));
        }
        Ok(())
    }
}

fn place(input: ParseStream<'_>) -> Result<FieldPlace> {
    if input.parse::<Option<Token![@]>>()?.is_none() {
        return Ok(FieldPlace::Next);
    }
    if input.peek(LitInt) {
        return Ok(FieldPlace::At(input.parse::<LitInt>()?.base10_parse()?));
    }
    let list;
    bracketed!(list in input);
    let one = |input: ParseStream<'_>| {
        let game = if input.parse::<Option<Token![_]>>()?.is_some() { None } else { Some(input.parse()?) };
        Ok((game, input.parse::<LitInt>()?.base10_parse()?))
    };
    Ok(FieldPlace::PerGame(Punctuated::<_, Token![,]>::parse_terminated_with(&list, one)?.into_iter().collect()))
}
