//! What several formats are built with, and what is no format itself.

pub mod layout;
pub mod members;
pub mod single;
