//! Golden tests of syntax errors, in `errors/`.

use std::path::Path;

use fencepost_syntax::parse;
use fencepost_testkit::golden::assert_diagnostics;

#[test]
fn syntax_errors_are_reported_as_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    assert_diagnostics(&folder, |language, text| parse(language, text).messages.into_list());
}
