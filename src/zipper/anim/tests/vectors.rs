//! Test vectors: words at places of what is written.

/// The lines `WHAT = PLACE=WORD …` of a file of vectors. A word with a point is a float, any other
/// is hexadecimal.
pub fn vectors(text: &str) -> impl Iterator<Item = (&str, Vec<(&str, u32)>)> {
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let (what, words) = line.split_once(" = ").unwrap();
        let words = words.split(' ').map(|word| {
            let (place, value) = word.split_once('=').unwrap();
            let float = value
                .parse()
                .ok()
                .filter(|_| value.contains('.'))
                .map(f32::to_bits);
            (
                place,
                float.unwrap_or_else(|| u32::from_str_radix(value, 16).unwrap()),
            )
        });
        (what, words.collect())
    })
}
