//! Shared parts of the fuzz targets.

use bytes::Bytes;
use refit::{
    formats::Format,
    game::Game,
    pipeline::{Hints, Via},
};
use std::sync::OnceLock;

/// The hints of `REFIT_FORMAT` and `REFIT_GAME`, read once. Without a format the detection is
/// fuzzed, too.
fn hints() -> Hints {
    static HINTS: OnceLock<Hints> = OnceLock::new();
    *HINTS.get_or_init(|| {
        let parse = |name: &str| std::env::var(name).ok().map(serde_json::Value::from);
        let format = parse("REFIT_FORMAT")
            .map(|v| serde_json::from_value::<Format>(v).expect("REFIT_FORMAT"));
        let game =
            parse("REFIT_GAME").map(|v| serde_json::from_value::<Game>(v).expect("REFIT_GAME"));
        Hints { game, format }
    })
}

/// One execution: panics when a promise is broken.
pub fn check(data: &[u8], via: Via) {
    if let Err(broken) = xtask::trip::check(&Bytes::copy_from_slice(data), "fuzz.zbd", hints(), via)
    {
        panic!("{broken}");
    }
}
