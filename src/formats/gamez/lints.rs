//! What is unusual in a world.

use super::Gamez;
use crate::lint::{Code, Lints};

/// The kinds of findings in worlds.
pub(super) const CODES: &[Code] = &[];

pub(super) fn lint(_: &Gamez, _: &mut Lints) {}
