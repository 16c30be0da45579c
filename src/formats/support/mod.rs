//! Shared parts of several formats; no format of its own.

mod faults;
pub mod layout;
pub mod members;
pub mod single;

pub use faults::Faults;
