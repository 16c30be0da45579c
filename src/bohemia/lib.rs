//! The formats of Bohemia's games (Operation Flashpoint to Arma 3 and DayZ): archives, keys and
//! signatures ([`pbo`]), configs ([`rap`]) and textures ([`paa`]), and the names in models
//! ([`models`]). See `refit_base::contract` for what
//! a format is.
// Parts that only files on disk need.
#![cfg_attr(not(feature = "disk"), allow(dead_code, unused_imports))]
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

// A derive macro with the name of the real one, which generates nothing.
#[cfg(not(feature = "schemas"))]
extern crate refit_record as schemars;

pub mod models;
pub mod paa;
pub mod pbo;
pub mod rap;
