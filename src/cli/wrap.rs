//! Text in the width of the terminal. In a pipe no line is broken.

/// Breaks a text into lines of at most `width` characters, after commas if that is enough,
/// otherwise between words; a longer word stays whole. Without a width there is one line.
pub fn wrap(text: &str, width: Option<usize>) -> Vec<String> {
    let Some(width) = width else {
        return vec![text.to_owned()];
    };
    let pieces = text.split_inclusive(", ").flat_map(|piece| {
        let fits = text.contains(", ") && piece.trim_end().chars().count() <= width;
        piece.split_inclusive(move |c| c == ' ' && !fits)
    });
    joined(pieces, width)
}

/// The same for running text, which is broken between words only.
pub fn fill(text: &str, width: Option<usize>) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    width.map_or_else(
        || text.clone(),
        |width| joined(text.split_inclusive(' '), width).join("\n"),
    )
}

/// As many pieces on each line as fit.
fn joined<'a>(pieces: impl Iterator<Item = &'a str>, width: usize) -> Vec<String> {
    let len = |text: &str| text.chars().count();
    let mut lines = vec![String::new()];
    for piece in pieces {
        match lines.last_mut() {
            Some(line) if line.is_empty() || len(line) + len(piece.trim_end()) <= width => {
                line.push_str(piece)
            }
            _ => lines.push(piece.to_owned()),
        }
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_after_commas_then_between_words() {
        let text = "aa 1, bb 2, a very long piece, cc 3";
        assert_eq!(wrap(text, None), [text]);
        assert_eq!(wrap(text, Some(100)), [text]);
        assert_eq!(
            wrap(text, Some(12)),
            ["aa 1, bb 2,", "a very long", "piece, cc 3"]
        );
        assert_eq!(
            wrap("no commas but words", Some(9)),
            ["no commas", "but words"]
        );
        assert_eq!(wrap("0123456789abcdef", Some(5)), ["0123456789abcdef"]);
        assert_eq!(fill("one  two\nthree", None), "one two three");
        assert_eq!(fill("one two three", Some(8)), "one two\nthree");
    }
}
