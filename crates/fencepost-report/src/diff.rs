//! Differences between two versions of a text.

use similar::TextDiff;

/// A unified diff between two versions of a file, as version control shows it; empty if they are
/// equal.
pub(crate) fn diff(path: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let path = path.trim_start_matches('/');
    TextDiff::from_lines(old, new).unified_diff().header(&format!("a/{path}"), &format!("b/{path}")).to_string()
}
