//! Texture packages (textures.md).

use super::{Family, Format};

/// What this module contributes.
pub const FAMILY: Family = Family::planned(&[Format::Textures]);
