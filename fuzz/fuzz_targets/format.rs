//! Formatting is idempotent and keeps every character that is not white space.
#![no_main]

use fencepost_syntax::Language;
use fencepost_syntax::format::format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for &language in Language::ALL {
        if let Ok(formatted) = format(language, text) {
            assert_eq!(format(language, &formatted).as_ref(), Ok(&formatted));
            let ink = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '\u{feff}').collect::<String>();
            assert_eq!(ink(text), ink(&formatted));
        }
    }
});
