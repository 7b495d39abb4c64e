//! What was read prints, and the print reads back.

use fencepost_lower::{Language, load, print};

/// Any text is read without a panic; a program comes back as it is printed.
pub fn round_trip(language: Language, text: &str) {
    let loaded = load(language, text);
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
}
