//! bytes → tree → bytes, through JSON or RON text as selected by the input's first bit.
#![no_main]

use refit::pipeline::Via;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let [style, data @ ..] = data else { return };
    refit_fuzz::check(data, if style & 1 == 0 { Via::Json } else { Via::Ron });
});
