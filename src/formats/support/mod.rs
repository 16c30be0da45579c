//! What several formats are built with, and what is no format itself.

mod faults;
pub mod layout;
pub mod members;
pub mod single;

pub use faults::Faults;
