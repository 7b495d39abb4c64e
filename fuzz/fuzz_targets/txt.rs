//! Any text is read as automata without a panic, and what was read prints and reads back.
#![no_main]

mod round_trip;

use fencepost_lower::Language;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| round_trip::round_trip(Language::Txt, text));
