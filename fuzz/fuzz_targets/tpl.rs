//! Any text is read as TPL without a panic, and what was read prints and reads back.
#![no_main]

use fencepost_ir::{Language, load, print};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let loaded = load(Language::Tpl, text);
    let errors = loaded.diagnostics.iter().any(|diagnostic| diagnostic.is_error());
    assert_eq!(errors, loaded.program.is_none());
    if let Some(program) = loaded.program {
        let printed = print(&program);
        let again = load(Language::Fp, &printed);
        match again.program {
            Some(again) => assert_eq!(print(&again), printed),
            // Printing may add a level of parentheses to what was already as deep as allowed.
            None => assert!(again.diagnostics.iter().any(|diagnostic| diagnostic.message.contains("nest"))),
        }
    }
});
