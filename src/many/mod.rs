//! Very many things in little memory: a game may have tens of thousands of files, and what is kept of each of them is some bytes.
//!
//! [`Roll`] holds texts and paths in their order, [`Sorter`] puts records in order of which there are more than memory should hold.

mod roll;
mod sorter;

pub use roll::{HalfSum, Roll, half_sum, path_bytes, path_of_bytes};
pub use sorter::{Sorted, Sorter};
