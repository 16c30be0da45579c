//! Shared parts of several formats.

mod faults;
pub mod layout;
pub mod members;
pub mod parts;
pub mod single;

pub use faults::Faults;
