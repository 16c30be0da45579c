//! The value of constant arithmetic: of the condition of an `#if` after its macros were replaced,
//! and of an `__EVAL`.

use refit_base::wire::Within;

/// Deepest nesting of brackets and signs.
const DEEPEST: usize = 64;

/// Why something has no value.
#[derive(Clone, PartialEq, Debug)]
enum Wrong {
    /// A word that is no number: the game may know it.
    Word(String),
    /// Anything else.
    Other(String),
}

impl Wrong {
    fn message(self) -> String {
        match self {
            Wrong::Word(word) => format!("{word} is no number and no macro"),
            Wrong::Other(why) => why,
        }
    }
}

/// True if the condition holds. The error says what is wrong with it.
pub(super) fn holds(condition: &str) -> Result<bool, String> {
    let mut parser = Parser::new(condition, &CONDITION);
    let value = parser.all().map_err(Wrong::message)?;
    Ok(value != 0.0)
}

/// The number that an `__EVAL` of constant arithmetic leaves, as the game writes it: six digits.
/// `None` if only the game can evaluate it. The error says what is wrong with the arithmetic.
pub(super) fn evaluated(expression: &str) -> Option<Result<String, String>> {
    let mut parser = Parser::new(expression, &SCRIPT);
    match parser.all() {
        Ok(value) if value.is_finite() => Some(Ok(six_digits(value))),
        Ok(_) => Some(Err("the result is no finite number".into())),
        // The game may know operators that refit does not.
        Err(Wrong::Other(why)) if why == BY_ZERO || why.contains("levels deep") => Some(Err(why)),
        Err(_) => None,
    }
}

/// The words of a script that begin with `_`: its local variables.
pub(super) fn local_variable(expression: &str) -> Option<&str> {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in expression.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c == '_' && !(before.is_ascii_alphanumeric() || before == '_') => {
                let word = expression.within(at..);
                let end = word
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .unwrap_or(word.len());
                return word.get(..end);
            }
            None => {}
        }
        before = c;
    }
    None
}

/// A number as `%g` of C writes it.
fn six_digits(value: f64) -> String {
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..6).contains(&exponent) {
        let decimals = usize::try_from(5 - exponent).unwrap_or_default();
        // Minus zero is zero to the games: an integer.
        return trimmed(&format!("{:.decimals$}", value + 0.0));
    }
    format!("{}e{exponent:+03}", trimmed(digits))
}

/// The beginning of a text, for a message.
fn word(text: &str) -> String {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    format!(
        "{:?}",
        refit_base::wire::shorten(text.get(..end).unwrap_or(text), 40)
    )
}

const BY_ZERO: &str = "it divides by zero";

/// The rules of a kind of arithmetic.
struct Rules {
    /// The operators, by the strength of their binding: first those that bind least. A longer one
    /// comes before the one that it begins with.
    operators: &'static [&'static [&'static str]],
    /// Words that take the number behind them, and constants.
    has_functions: bool,
    /// Each result is rounded to 32 bits.
    is_single: bool,
}

/// Those of `#if`.
const CONDITION: Rules = Rules {
    operators: &[
        &["||"],
        &["&&"],
        &["==", "!="],
        &["<=", ">=", "<", ">"],
        &["+", "-"],
        &["*", "/", "%"],
    ],
    has_functions: false,
    is_single: false,
};

/// Those of scripts, as far as they are arithmetic.
const SCRIPT: Rules = Rules {
    operators: &[&["+", "-", "min", "max"], &["*", "/", "%", "mod"], &["^"]],
    has_functions: true,
    is_single: true,
};

/// A function of one number.
type Function = fn(f64) -> f64;

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
    rules: &'static Rules,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, rules: &'static Rules) -> Self {
        Parser {
            rest: text.trim(),
            depth: 0,
            rules,
        }
    }

    /// The value of the whole text.
    fn all(&mut self) -> Result<f64, Wrong> {
        let value = self.binary(0)?;
        match self.rest {
            "" => Ok(value),
            rest => Err(Wrong::Other(format!("{} is not expected", word(rest)))),
        }
    }

    fn rounded(&self, value: f64) -> f64 {
        match self.rules.is_single {
            true => f64::from(value as f32),
            false => value,
        }
    }

    /// A chain of operators that bind at least as strongly as those of `level`.
    fn binary(&mut self, level: usize) -> Result<f64, Wrong> {
        let Some(operators) = self.rules.operators.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|text| self.begins_with(text)) {
            self.skip(operator.len());
            let right = self.binary(level + 1)?;
            left = self.rounded(apply(operator, left, right)?);
        }
        Ok(left)
    }

    /// True if an operator is next. One that is a word must be a whole one, in any case.
    fn begins_with(&self, operator: &str) -> bool {
        let Some((head, behind)) = self.rest.split_at_checked(operator.len()) else {
            return false;
        };
        let is_word = operator.starts_with(|c: char| c.is_ascii_alphabetic());
        head.eq_ignore_ascii_case(operator)
            && !(is_word && behind.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    }

    fn unary(&mut self) -> Result<f64, Wrong> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Wrong::Other(format!(
                "it is nested more than {DEEPEST} levels deep"
            )));
        }
        let value = match self.rest.bytes().next() {
            Some(b'!') if !self.rules.has_functions => {
                self.skip(1);
                f64::from(u8::from(self.unary()? == 0.0))
            }
            Some(b'-') => {
                self.skip(1);
                -self.unary()?
            }
            Some(b'+') => {
                self.skip(1);
                self.unary()?
            }
            Some(b'(') => {
                self.skip(1);
                let value = self.binary(0)?;
                if !self.rest.starts_with(')') {
                    return Err(Wrong::Other("a bracket has no end".into()));
                }
                self.skip(1);
                value
            }
            _ => match self.function() {
                Some(apply) => {
                    let value = self.unary()?;
                    self.rounded(apply(value))
                }
                None => self.number()?,
            },
        };
        self.depth -= 1;
        Ok(value)
    }

    /// Takes the name of a function of one number.
    fn function(&mut self) -> Option<Function> {
        const FUNCTIONS: [(&str, Function); 5] = [
            ("abs", f64::abs),
            ("floor", f64::floor),
            ("ceil", f64::ceil),
            ("round", f64::round),
            ("sqrt", f64::sqrt),
        ];
        let found = FUNCTIONS
            .iter()
            .find(|(name, _)| self.rules.has_functions && self.begins_with(name))?;
        self.skip(found.0.len());
        Some(found.1)
    }

    fn number(&mut self) -> Result<f64, Wrong> {
        let is_inside = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_');
        let mut length = self.rest.bytes().take_while(is_inside).count();
        // `1e-5`: the sign belongs to the number.
        let head = self.rest.within(..length);
        let is_decimal = head.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && !head.starts_with("0x")
            && !head.starts_with("0X");
        if is_decimal
            && head.ends_with(['e', 'E'])
            && self
                .rest
                .get(length..)
                .is_some_and(|rest| rest.starts_with(['+', '-']))
        {
            let digits = self.rest.bytes().skip(length + 1);
            length += 1 + digits.take_while(u8::is_ascii_digit).count();
        }
        let (text, _) = self
            .rest
            .split_at_checked(length)
            .unwrap_or((self.rest, ""));
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let value = match hex {
            Some(hex) => u32::from_str_radix(hex, 16).ok().map(f64::from),
            // Not `nan` or `inf`, which Rust also reads.
            None if is_decimal => text.parse().ok(),
            None if self.rules.has_functions && text.eq_ignore_ascii_case("pi") => {
                Some(std::f64::consts::PI)
            }
            None => None,
        };
        match value {
            Some(value) => {
                self.skip(length);
                Ok(self.rounded(value))
            }
            None if self.rest.is_empty() => Err(Wrong::Other("a number is missing".into())),
            None if text.is_empty() => {
                Err(Wrong::Other(format!("{} is no number", word(self.rest))))
            }
            None => Err(Wrong::Word(word(text))),
        }
    }

    fn skip(&mut self, length: usize) {
        self.rest = self.rest.within(length..).trim_start();
    }
}

fn apply(operator: &str, left: f64, right: f64) -> Result<f64, Wrong> {
    let truth = |holds: bool| f64::from(u8::from(holds));
    Ok(match operator {
        "||" => truth(left != 0.0 || right != 0.0),
        "&&" => truth(left != 0.0 && right != 0.0),
        "==" => truth(left == right),
        "!=" => truth(left != right),
        "<" => truth(left < right),
        ">" => truth(left > right),
        "<=" => truth(left <= right),
        ">=" => truth(left >= right),
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "min" => left.min(right),
        "max" => left.max(right),
        "^" => left.powf(right),
        _ if right == 0.0 => return Err(Wrong::Other(BY_ZERO.into())),
        "/" => left / right,
        _ => left % right,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_and_computed() {
        for (text, expected) in [
            ("1", true),
            (" 0 ", false),
            ("16 < -18", false),
            ("6<18", true),
            ("2 + 3 * 4 == 14", true),
            ("(2 + 3) * 4 == 20 && !0", true),
            ("1 == 2 || 0x10 >= 16", true),
            ("7 % 4 != 3", false),
            ("-(1) - -1", false),
            ("1.5 <= 1.5", true),
        ] {
            assert_eq!(holds(text), Ok(expected), "{text}");
        }
        for (text, why) in [
            ("", "a number is missing"),
            ("1 +", "a number is missing"),
            ("LAB", "\"LAB\" is no number and no macro"),
            ("nan", "is no number"),
            ("1 2", "\"2\" is not expected"),
            ("1 / 0", "divides by zero"),
            ("(1", "a bracket has no end"),
        ] {
            let e = holds(text).unwrap_err();
            assert!(e.contains(why), "{text}: {e}");
        }
        for deep in ["(", "-", "!"] {
            let e = holds(&deep.repeat(1_000_000)).unwrap_err();
            assert!(e.contains("64 levels deep"), "{e}");
        }
    }

    #[test]
    fn arithmetic_of_scripts_has_six_digits() {
        for (text, expected) in [
            ("1 + 2 * 3", "7"),
            ("(1 + 2) * 3", "9"),
            ("10 / 4", "2.5"),
            ("1 / 3", "0.333333"),
            ("0.1 + 0.2", "0.3"),
            ("-2 ^ 2", "4"),
            ("7 mod 4 max 5 MIN 1", "1"),
            ("1000000", "1e+06"),
            ("123456", "123456"),
            ("1e-5", "1e-05"),
            ("0.0001", "0.0001"),
            ("0x10", "16"),
            ("floor 2.7 + abs -1", "3"),
            ("pi * 2", "6.28319"),
            ("0 * -1", "0"),
            ("16777217", "1.67772e+07"),
        ] {
            assert_eq!(evaluated(text), Some(Ok(expected.into())), "{text}");
        }
        for text in [
            "getResolution select 0",
            "_x + 1",
            "\"a\" + \"b\"",
            "1 > 0",
            "",
            "maxim 2",
        ] {
            assert_eq!(evaluated(text), None, "{text}");
        }
        assert!(evaluated("1 / (2 - 2)").unwrap().is_err());
        assert!(evaluated("10 ^ 400").unwrap().is_err());
        assert!(evaluated(&"(".repeat(1_000_000)).unwrap().is_err());
        for (text, expected) in [
            ("a + _b", Some("_b")),
            ("a_b + \"_c\"", None),
            ("'_x' + str _y1;", Some("_y1")),
        ] {
            assert_eq!(local_variable(text), expected, "{text}");
        }
    }
}
