//! Text reader files as binary ones.

use super::ReaderDoc;
use crate::zrd_text::lexer::{Directive, Token, Value, tokens};
use refit_base::wire::{Error, Result, Within, count};

/// The values of a text, as MechWarrior 3 reads it: the file is the outermost list. No names are
/// defined, so the branches of `#ifdef` are skipped.
///
/// Returns an error for an unmatched bracket.
pub(crate) fn of_text(text: &[u8]) -> Result<ReaderDoc> {
    let mut out = Vec::with_capacity(text.len().saturating_mul(2));
    let words = |out: &mut Vec<u8>, tag: u32, word: u32| {
        out.extend_from_slice(&tag.to_le_bytes());
        out.extend_from_slice(&word.to_le_bytes());
    };
    // For each open list, the place of its count, and the count, which includes one for the list
    // itself.
    let mut open: Vec<(usize, u32)> = vec![(4, 1)];
    let mut conditions: Vec<bool> = Vec::new();
    words(&mut out, 4, 1);
    let line = |at: usize| text.within(..at).iter().filter(|b| **b == b'\n').count() + 1;
    for (at, token) in tokens(text) {
        match &token {
            Token::Directive(Directive::Ifdef(_)) => conditions.push(false),
            Token::Directive(Directive::Else) => {
                conditions
                    .last_mut()
                    .into_iter()
                    .for_each(|read| *read = !*read);
            }
            Token::Directive(Directive::Endif) => drop(conditions.pop()),
            _ => {}
        }
        if conditions.contains(&false) || matches!(token, Token::Directive(_)) {
            continue;
        }
        if token != Token::Close {
            open.last_mut()
                .into_iter()
                .for_each(|(_, count)| *count = count.saturating_add(1));
        }
        match token {
            Token::Open => {
                open.push((out.len() + 4, 1));
                words(&mut out, 4, 1);
            }
            Token::Close if open.len() == 1 => {
                return Err(Error::text(
                    line(at),
                    1,
                    "a closing parenthesis without a list",
                ));
            }
            Token::Close => end(&mut out, open.pop()),
            Token::Word(word) => match word.value() {
                Value::Int(n, _) => words(&mut out, 1, n.cast_unsigned()),
                Value::Float(f, _) => words(&mut out, 2, f.to_bits()),
                Value::Text => {
                    words(
                        &mut out,
                        3,
                        u32::try_from(word.text.len()).unwrap_or(u32::MAX),
                    );
                    out.extend_from_slice(&word.text);
                }
            },
            Token::Directive(_) => {}
        }
    }
    if open.len() > 1 {
        let what = format!("the text ends inside {}", count(open.len() - 1, "list"));
        return Err(Error::text(line(text.len()), 1, what).hint("a `)` is missing"));
    }
    end(&mut out, open.pop());
    ReaderDoc::read(&out)
}

/// Writes the count of a list that ends.
fn end(out: &mut [u8], list: Option<(usize, u32)>) {
    if let Some((at, count)) = list
        && let Some(place) = out.get_mut(at..at.saturating_add(4))
    {
        place.copy_from_slice(&count.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refit_base::tree::{Document, Style};

    #[test]
    fn a_text_has_the_values_that_the_engine_reads() {
        let text = b"VERSION 105 ; a comment\r\nNODES ( n0 ( 1.5 \"two words\" -3 ) ) \
            #ifdef X ( 1 ) #else EMPTY ( ) #endif\r\n";
        let doc = of_text(text).unwrap();
        assert_eq!(
            doc.to_text(Style::Json)
                .unwrap()
                .split_whitespace()
                .collect::<String>(),
            r#"["VERSION",105,"NODES",["n0",[1.5,"twowords",-3]],"EMPTY",[]]"#
        );
    }

    #[test]
    fn brackets_must_match() {
        assert!(
            of_text(b"A ( 1\nB ( 2 )")
                .unwrap_err()
                .to_string()
                .contains("line 2")
        );
        assert!(
            of_text(b"A ( 1 )\n) ")
                .unwrap_err()
                .to_string()
                .contains("without a list")
        );
        assert_eq!(of_text(b"").unwrap().write(), [4, 0, 0, 0, 1, 0, 0, 0]);
    }
}
