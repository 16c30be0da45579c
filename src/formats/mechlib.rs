//! Archives of 'mech models (gamez.md, section 8).

use super::Family;

/// What this module contributes.
pub const FAMILY: Family = Family::planned(&[]);

/// The typed form of members; the archive itself is [`super::archive`]'s.
pub const MEMBERS: Option<&'static dyn super::members::MemberCodec> = None;
