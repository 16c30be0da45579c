//! What is unusual in an archive (pbo.md, section 8).

use super::Pbo;
use crate::lint::{Code, Lints};

pub(super) const CODES: &[Code] = &[];

pub(super) fn lint(_: &Pbo, _: &mut Lints) {}
