//! The manual names the model that the sanitizer really judges by.

use std::path::Path;

use fencepost_sanitizer::MODEL;

/// Where the sanitizer is explained, and where its programs are.
#[test]
fn the_model_is_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = "docs/reference/sanitizer.md";
    let sanitizer = std::fs::read_to_string(root.join(page)).expect(page);
    let programs = std::fs::read_to_string(root.join("sanitizer/README.md")).expect("sanitizer/README.md");
    for text in [&sanitizer, &programs] {
        assert!(text.contains(&format!("`{MODEL}`")), "`{MODEL}` is not mentioned");
    }
}
