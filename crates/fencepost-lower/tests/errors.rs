//! Golden tests of errors of meaning, in `errors/`.

use std::path::Path;

use fencepost_lower::load;
use fencepost_testkit::golden::assert_diagnostics;

#[test]
fn errors_and_warnings_are_reported_as_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    assert_diagnostics(&folder, |language, text| load(language, text).diagnostics);
}
