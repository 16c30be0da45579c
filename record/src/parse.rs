//! Reads a declaration.

use crate::declare::{
    Clauses, Field, FieldMark, FieldPlace, GameName, Keeping, Record, Shape, SourceKey,
};
use syn::{
    Attribute, Ident, LitInt, Result, Token, braced, bracketed, custom_keyword,
    ext::IdentExt,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    token::{Brace, Bracket},
};

/// The contextual keywords.
mod word {
    use super::custom_keyword;
    custom_keyword!(above);
    custom_keyword!(absent);
    custom_keyword!(always);
    custom_keyword!(below);
    custom_keyword!(bit);
    custom_keyword!(flags);
    custom_keyword!(games);
    custom_keyword!(hint);
    custom_keyword!(key);
    custom_keyword!(like);
    custom_keyword!(none);
    custom_keyword!(off);
    custom_keyword!(on);
    custom_keyword!(pad);
    custom_keyword!(part);
    custom_keyword!(when);
    custom_keyword!(with);
}

impl Parse for Record {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut all_games = Vec::new();
        if input.peek(word::games) && input.peek2(Brace) {
            input.parse::<word::games>()?;
            let list;
            braced!(list in input);
            all_games.extend(Punctuated::<GameName, Token![,]>::parse_terminated(&list)?);
        }
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        input.parse::<Token![struct]>()?;
        let name = input.parse()?;
        let mut games = Vec::new();
        if input.peek(Bracket) {
            let sizes;
            bracketed!(sizes in input);
            let size = |input: ParseStream<'_>| {
                Ok((input.parse()?, input.parse::<LitInt>()?.base10_parse()?))
            };
            games.extend(
                Punctuated::<(Ident, usize), Token![,]>::parse_terminated_with(&sizes, size)?,
            );
        }
        let context = if input.parse::<Option<word::with>>()?.is_some() {
            Some(input.parse()?)
        } else {
            None
        };
        let above = if input.parse::<Option<word::above>>()?.is_some() {
            fields(input)?
        } else {
            Vec::new()
        };
        let all = fields(input)?;
        let below = if input.parse::<Option<word::below>>()?.is_some() {
            fields(input)?
        } else {
            Vec::new()
        };
        let mut record = Record {
            all_games,
            attrs,
            vis,
            name,
            games,
            context,
            above,
            fields: all,
            below,
            inherited: Vec::new(),
        };
        record.inherit();
        Ok(record)
    }
}

impl Parse for GameName {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name = input.parse()?;
        let like = if input.parse::<Option<word::like>>()?.is_some() {
            Some((input.parse()?, input.parse()?))
        } else {
            None
        };
        Ok(GameName { name, like })
    }
}

impl Record {
    /// Games that the declaration does not name inherit the layout of the game that they are like.
    fn inherit(&mut self) {
        for GameName { name, like } in &self.all_games {
            let Some((other, _)) = like else { continue };
            let Some((_, size)) = self.games.iter().find(|(game, _)| game == other) else {
                continue;
            };
            if self.games.iter().any(|(game, _)| game == name) {
                continue;
            }
            self.games.push((name.clone(), *size));
            for field in &mut self.fields {
                if field.games.contains(other) {
                    field.games.push(name.clone());
                }
                if let FieldPlace::PerGame(places) = &mut field.place
                    && let Some((_, at)) =
                        places.iter().find(|(game, _)| game.as_ref() == Some(other))
                {
                    places.insert(0, (Some(name.clone()), *at));
                }
            }
            self.inherited.push((name.clone(), other.clone()));
        }
    }
}

fn fields(input: ParseStream<'_>) -> Result<Vec<Field>> {
    if !input.peek(Brace) {
        return Err(input.error("expected the fields in braces"));
    }
    let body;
    braced!(body in input);
    Ok(Punctuated::<Field, Token![,]>::parse_terminated(&body)?
        .into_iter()
        .collect())
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
        let keeping = if input.parse::<Option<Token![let]>>()?.is_some() {
            Keeping::Derived
        } else if input.parse::<Option<Token![mut]>>()?.is_some() {
            Keeping::State
        } else if input.parse::<Option<Token![const]>>()?.is_some() {
            Keeping::Constant
        } else {
            Keeping::Tree
        };
        let mut name = if let Some(blank) = input.parse::<Option<Token![_]>>()? {
            Ident::new("_", blank.span)
        } else {
            input.call(Ident::parse_any)?
        };
        let mut outer = None;
        if input.parse::<Option<Token![.]>>()?.is_some() {
            outer = Some(std::mem::replace(&mut name, input.call(Ident::parse_any)?));
        }
        let (mark, place) = (mark(input)?, place(input)?);
        input.parse::<Token![:]>()?;
        let shape = shape(input)?;
        let mut clauses = Clauses::default();
        while !input.is_empty() && !input.peek(Token![,]) {
            clauses.clause(input)?;
        }
        Ok(Field {
            attrs,
            games,
            over,
            keeping,
            outer,
            name,
            mark,
            place,
            shape,
            clauses,
        })
    }
}

impl Parse for SourceKey {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let rank = if input.peek(LitInt) {
            input.parse::<LitInt>()?.base10_parse()?
        } else {
            0
        };
        Ok(SourceKey {
            rank,
            name: input.parse()?,
        })
    }
}

fn mark(input: ParseStream<'_>) -> Result<FieldMark> {
    Ok(if input.parse::<Option<Token![?]>>()?.is_some() {
        FieldMark::Maybe
    } else if input.parse::<Option<Token![~]>>()?.is_some() {
        FieldMark::Derived
    } else if input.parse::<Option<Token![^]>>()?.is_some() {
        FieldMark::Default
    } else if input.parse::<Option<Token![!]>>()?.is_some() {
        FieldMark::NotEmpty
    } else if input.parse::<Option<Token![*]>>()?.is_some() {
        FieldMark::List
    } else {
        FieldMark::Plain
    })
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
        let game = if input.parse::<Option<Token![_]>>()?.is_some() {
            None
        } else {
            Some(input.parse()?)
        };
        Ok((game, input.parse::<LitInt>()?.base10_parse()?))
    };
    Ok(FieldPlace::PerGame(
        Punctuated::<_, Token![,]>::parse_terminated_with(&list, one)?
            .into_iter()
            .collect(),
    ))
}

fn shape(input: ParseStream<'_>) -> Result<Shape> {
    // `flags::Name` is a path to a type.
    let path = input.peek2(Token![::]);
    Ok(if !path && input.parse::<Option<word::pad>>()?.is_some() {
        Shape::Pad(input.parse::<LitInt>()?.base10_parse()?)
    } else if !path && input.parse::<Option<word::bit>>()?.is_some() {
        Shape::Bit(input.parse()?)
    } else if !path && input.parse::<Option<word::flags>>()?.is_some() {
        Shape::Flags(input.parse()?)
    } else if !path && input.parse::<Option<word::part>>()?.is_some() {
        Shape::Part(input.parse()?)
    } else {
        Shape::Value(input.parse()?)
    })
}

impl Clauses {
    fn clause(&mut self, input: ParseStream<'_>) -> Result<()> {
        macro_rules! clauses {
            ($($field:ident $key:ty),*) => { $(if input.parse::<Option<$key>>()?.is_some() {
                self.$field = Some(input.parse()?);
                return Ok(());
            })* };
        }
        clauses!(as_ Token![as], on word::on, off word::off, if_ Token![if], none word::none, else_ Token![else]);
        clauses!(when word::when, hint word::hint, absent word::absent, rule Token![=], in_ Token![in]);
        clauses!(key word::key);
        if input.parse::<Option<word::always>>()?.is_some() {
            self.always = true;
        } else if input.parse::<Option<word::with>>()?.is_some() {
            self.with = Some(input.call(Ident::parse_any)?);
        } else if input.parse::<Option<Token![try]>>()?.is_some() {
            (self.tries, self.rule) = (true, Some(input.parse()?));
        } else {
            const WORDS: &str = "as, with, in, on, off, if, none, else, always, when, hint, absent, key, try, `= rule`";
            return Err(input.error(format!("expected a comma or a clause: {WORDS}")));
        }
        Ok(())
    }
}
