//! Symbols of a real file: this test.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_sanitizer::symbols::{Files, Symbols};
use object::{Object as _, ObjectSymbol as _};

static MARKED_VARIABLE: AtomicU64 = AtomicU64::new(7);

#[inline(never)]
fn marked_function(n: u64) -> u64 {
    MARKED_VARIABLE.fetch_add(n, Ordering::Relaxed)
}

fn address(file: &object::File<'_>, name: &str) -> u64 {
    let found = file.symbols().find(|symbol| symbol.name().is_ok_and(|found| found.contains(name)));
    found.unwrap_or_else(|| panic!("{name} is in the symbol table")).address()
}

#[test]
fn functions_and_variables_are_found() {
    assert_eq!(black_box(marked_function(black_box(1))), 7);
    let path = std::env::current_exe().expect("a path");
    let bytes = std::fs::read(&path).expect("the test itself");
    let file = object::File::parse(&*bytes).expect("ELF");
    let path = path.to_str().expect("UTF-8");
    let mut symbols = Files::default();

    let frames = symbols.frames(path, address(&file, "marked_function") + 1);
    let outermost = frames.last().expect("a frame");
    assert!(outermost.function.as_deref().is_some_and(|name| name.contains("marked_function")), "{outermost}");
    assert!(outermost.file.as_deref().is_some_and(|name| name.ends_with("tests/files.rs")), "{outermost}");
    assert!(outermost.line.is_some());

    let start = address(&file, "MARKED_VARIABLE");
    let variable = symbols.variable(path, start + 7).expect("a variable");
    assert!(variable.name.contains("files::MARKED_VARIABLE"), "{}", variable.name);
    assert_eq!((variable.address, variable.size), (start, 8));
    assert_ne!(symbols.variable(path, start + 8), Some(variable));
}

#[test]
fn files_that_cannot_be_read_have_no_names() {
    let mut symbols = Files::default();
    for path in ["/no/such/file", "/dev/null"] {
        assert_eq!(symbols.frames(path, 5).len(), 1);
        assert_eq!(symbols.variable(path, 5), None);
    }
}
