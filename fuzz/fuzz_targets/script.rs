#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| keylatch_fuzz::script::check(bytes));
