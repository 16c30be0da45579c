//! Game worlds (gamez.md, crimson-skies.md).

use super::{Family, Format};

/// What this module contributes.
pub const FAMILY: Family = Family::planned(&[Format::Gamez, Format::Planes]);
