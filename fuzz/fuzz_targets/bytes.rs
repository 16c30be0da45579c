//! bytes → model → bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| refit_fuzz::check(data, refit::pipeline::Via::Bytes));
