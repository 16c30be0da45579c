//! The value of the condition of an `#if`, after its macros were replaced: numbers, comparisons,
//! arithmetic and `!`, `&&`, `||`.

/// Deepest nesting of brackets and signs.
const DEEPEST: usize = 64;

/// True if the condition holds. The error says what is wrong with it.
pub(super) fn holds(condition: &str) -> Result<bool, String> {
    let mut parser = Parser {
        rest: condition.trim(),
        depth: 0,
    };
    let value = parser.binary(0)?;
    match parser.rest {
        "" => Ok(value != 0.0),
        rest => Err(format!("{} is not expected", word(rest))),
    }
}

/// The beginning of a text, for a message.
fn word(text: &str) -> String {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    format!(
        "{:?}",
        refit_base::wire::shorten(text.get(..end).unwrap_or(text), 40)
    )
}

/// The operators, by the strength of their binding: first those that bind least. A longer one comes
/// before the one that it begins with.
const OPERATORS: [&[&str]; 6] = [
    &["||"],
    &["&&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["+", "-"],
    &["*", "/", "%"],
];

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl Parser<'_> {
    /// A chain of operators that bind at least as strongly as those of `level`.
    fn binary(&mut self, level: usize) -> Result<f64, String> {
        let Some(operators) = OPERATORS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|text| self.rest.starts_with(**text)) {
            self.skip(operator.len());
            let right = self.binary(level + 1)?;
            left = apply(operator, left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<f64, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("it is nested more than {DEEPEST} levels deep"));
        }
        let value = match self.rest.bytes().next() {
            Some(b'!') => {
                self.skip(1);
                f64::from(u8::from(self.unary()? == 0.0))
            }
            Some(b'-') => {
                self.skip(1);
                -self.unary()?
            }
            Some(b'(') => {
                self.skip(1);
                let value = self.binary(0)?;
                if !self.rest.starts_with(')') {
                    return Err("a bracket has no end".into());
                }
                self.skip(1);
                value
            }
            _ => self.number()?,
        };
        self.depth -= 1;
        Ok(value)
    }

    fn number(&mut self) -> Result<f64, String> {
        let is_inside = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_');
        let length = self.rest.bytes().take_while(is_inside).count();
        let (text, _) = self
            .rest
            .split_at_checked(length)
            .unwrap_or((self.rest, ""));
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let value = match hex {
            Some(hex) => u32::from_str_radix(hex, 16).ok().map(f64::from),
            // Not `nan` or `inf`, which Rust also reads.
            None if text.starts_with(|c: char| c.is_ascii_digit() || c == '.') => text.parse().ok(),
            None => None,
        };
        match value {
            Some(value) => {
                self.skip(length);
                Ok(value)
            }
            None if self.rest.is_empty() => Err("a number is missing".into()),
            None if text.is_empty() => Err(format!("{} is no number", word(self.rest))),
            None => Err(format!("{} is no number and no macro", word(text))),
        }
    }

    fn skip(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default().trim_start();
    }
}

fn apply(operator: &str, left: f64, right: f64) -> Result<f64, String> {
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
        _ if right == 0.0 => return Err("it divides by zero".into()),
        "/" => left / right,
        _ => left % right,
    })
}

#[cfg(test)]
mod tests {
    use super::holds;

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
}
