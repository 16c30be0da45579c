//! What is unusual in an animation file (anim.md, section 16).

use super::Anim;
use crate::lint::{Code, Lints};

/// The kinds of findings.
pub const CODES: &[Code] = &[];

impl Anim {
    /// Judges the file.
    pub(super) fn judge(&self, lints: &mut Lints) {
        let _ = lints;
    }
}
