//! Message DLLs (messages.md).

use super::{Family, Format};

/// What this module contributes.
pub const FAMILY: Family = Family::planned(&[Format::Messages]);
