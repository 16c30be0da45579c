//! Merges an edit with what another program wrote meanwhile.

use super::document::Document;
use bytes::Bytes;
use refit_base::{
    format::Format,
    wire::{Error, Result, shorten},
};
use refit_diff::{Value, lines};
use refit_mods::{Conflict, merged};

/// Longest value in an error.
const LONGEST: usize = 120;

/// Whose contents meet, for errors: the edit, such as "undo", and the format of the tree.
pub(crate) struct Meeting<'a> {
    /// What wants to change the part, as the subject of a sentence: "the undo".
    pub who: &'a str,
    /// The file's name and the part, for errors.
    pub place: &'a str,
    /// The part's path in its tree.
    pub part: &'a str,
    /// The format of the tree.
    pub format: Format,
}

/// The content of a part after a change from `before` to `wanted`, if it is `now` instead of
/// `before`; `None` is a missing part.
///
/// # Errors
/// If both changed the same value. The error names both values.
pub(crate) fn rebase(
    meeting: &Meeting<'_>,
    before: Option<&Bytes>,
    now: Option<&Bytes>,
    wanted: Option<&Bytes>,
) -> Result<Option<Bytes>> {
    if now == before || now == wanted {
        return Ok(wanted.cloned());
    }
    if before == wanted {
        return Ok(now.cloned());
    }
    match (before, now, wanted) {
        (Some(before), Some(now), Some(wanted)) => {
            both_changed(meeting, before, now, wanted).map(Some)
        }
        (_, None, _) => Err(refused(meeting, "another program removed this part")),
        (None, ..) => Err(refused(
            meeting,
            "another program made a part of this name, with another content",
        )),
        (_, _, None) => Err(refused(
            meeting,
            "another program changed this part, which would be removed",
        )),
    }
}

fn refused(meeting: &Meeting<'_>, why: &str) -> Error {
    Error::say(format!("{why}, so {} is refused", meeting.who))
        .in_file(meeting.place)
        .hint("nothing was written; take the other change back first, or keep it")
}

fn both_changed(
    meeting: &Meeting<'_>,
    before: &Bytes,
    now: &Bytes,
    wanted: &Bytes,
) -> Result<Bytes> {
    let document = |bytes| Document::of(meeting.part, bytes, meeting.format);
    if let (Some(old), Some(here), Some(new)) =
        (document(before)?, document(now)?, document(wanted)?)
        && here.has_values()
        && let (Ok(old), Ok(new)) = (old.value(), new.value())
    {
        let value = merged(&old, &here.value()?, &new).map_err(|all| clash(meeting, &all))?;
        let text = here.printed(&value)?;
        return Ok(text.into());
    }
    if let (Some(old), Some(here), Some(new)) = (lines(before), lines(now), lines(wanted)) {
        let value = merged(&old, &here, &new).map_err(|all| clash(meeting, &all))?;
        if let Some(text) = joined(&value) {
            if let Some(here) = document(now)? {
                here.check(&text)?;
            }
            return Ok(text.into());
        }
    }
    Err(refused(meeting, "another program changed this part"))
}

fn joined(lines: &Value) -> Option<String> {
    match lines {
        Value::List(lines) => lines.iter().map(Value::text).collect(),
        _ => None,
    }
}

/// The error for values that both changed.
fn clash(meeting: &Meeting<'_>, all: &[Conflict]) -> Error {
    let Some(first) = all.first() else {
        return refused(meeting, "another program changed this part");
    };
    let at = match first.at.as_str() {
        "" => "the whole text".to_owned(),
        at => at.to_owned(),
    };
    let (here, wanted) = (
        shorten(&first.wants.0, LONGEST),
        shorten(&first.wants.1, LONGEST),
    );
    let more = match all.len() {
        0 | 1 => String::new(),
        n => format!(" (and {} more)", n.saturating_sub(1)),
    };
    Error::say(format!(
        "{at} is now {here}, which another program wrote, and {} would make it {wanted}{more}",
        meeting.who
    ))
    .in_file(meeting.place)
    .hint("nothing was written; choose one of the two values and set it yourself")
}
