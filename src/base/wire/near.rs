//! Finds similar names for "did you mean …?".

/// Longer names are not compared: the time grows with the square of their length.
const LONGEST: usize = 128;

/// At most three names that `wanted` is probably a misspelling of, nearest first. A difference in
/// case counts less than a different letter.
pub fn nearest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    nearest_of(wanted, &mut names.into_iter())
}

/// [`nearest`], compiled once and not for each list.
fn nearest_of<'n>(wanted: &str, names: &mut dyn Iterator<Item = &'n str>) -> Vec<&'n str> {
    let folded = wanted.to_lowercase();
    let length = folded.chars().count();
    // How many letters may differ: one in a short name, every third in a long one.
    let most = (length / 3).max(1);
    if length == 0 || length > LONGEST {
        return Vec::new();
    }
    let mut found: Vec<(usize, &str)> = Vec::new();
    for name in names {
        let other = name.to_lowercase();
        if name == wanted || other.chars().count().abs_diff(length) > most {
            continue;
        }
        let distance = strsim::osa_distance(&folded, &other);
        if distance > most || found.iter().any(|(_, other)| *other == name) {
            continue;
        }
        let place = found.partition_point(|(d, _)| *d <= distance);
        found.insert(place, (distance, name));
        found.truncate(3);
    }
    // Drop names that are two or more letters further away than the nearest one.
    let best = found.first().map_or(0, |(distance, _)| *distance);
    found
        .into_iter()
        .filter(|(distance, _)| *distance <= best + 1)
        .map(|(_, name)| name)
        .collect()
}

/// `did you mean "a" or "b"?`, or `None` if no name is similar to `wanted`.
pub fn did_you_mean<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    proposal(&nearest(wanted, names))
}

fn proposal(found: &[&str]) -> Option<String> {
    let found: Vec<String> = found.iter().map(|name| format!("{name:?}")).collect();
    let (last, rest) = found.split_last()?;
    Some(if rest.is_empty() {
        format!("did you mean {last}?")
    } else {
        format!("did you mean {} or {last}?", rest.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_of_every_kind_are_found_and_other_names_are_not() {
        let names = [
            "unpack",
            "repack",
            "verify",
            "LIGHT_STATE",
            "LIGHT_ANIMATION",
            "spark74157",
            "spark74158",
            "door",
        ];
        for (wanted, expected) in [
            ("unpak", "did you mean \"unpack\"?"),
            ("UNPACK", "did you mean \"unpack\"?"),
            ("LIGHT_STAT", "did you mean \"LIGHT_STATE\"?"),
            (
                "sprak74157",
                "did you mean \"spark74157\" or \"spark74158\"?",
            ),
            ("odor", "did you mean \"door\"?"),
        ] {
            assert_eq!(
                did_you_mean(wanted, names).as_deref(),
                Some(expected),
                "{wanted}"
            );
        }
        for wanted in ["", "x", "quux", "soundsL", &"d".repeat(10_000)] {
            assert_eq!(did_you_mean(wanted, names), None, "{wanted}");
        }
        // Equal names are suggested once.
        assert_eq!(nearest("dor", ["door", "door"]), ["door"]);
    }
}
