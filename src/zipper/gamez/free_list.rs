//! The lists of free slots that a world keeps of its nodes, models and materials.

/// Where a list of free slots leads, if not to a free slot that it did not visit before, or to its
/// end: a negative number.
pub(super) fn astray(
    head: i32,
    slots: usize,
    is_free: impl Fn(usize) -> bool,
    next: impl Fn(usize) -> i32,
) -> Option<String> {
    let (mut seen, mut at) = (vec![false; slots], head);
    while let Ok(i) = usize::try_from(at) {
        match seen.get_mut(i) {
            None => return Some(format!("slot {i} of {slots}")),
            Some(true) => return Some(format!("slot {i} for the second time")),
            Some(_) if !is_free(i) => return Some(format!("slot {i}, which is used")),
            Some(seen) => *seen = true,
        }
        at = next(i);
    }
    None
}
