//! Differences between two versions of a text.

use diffy::{DiffOptions, PatchFormatter};

/// A unified diff between two versions of a file, as version control shows it; empty if they are
/// equal.
pub fn diff(path: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let path = path.trim_start_matches('/');
    let mut options = DiffOptions::new();
    options.set_original_filename(format!("a/{path}")).set_modified_filename(format!("b/{path}"));
    let patch = options.create_patch(old, new);
    // An empty line of the context begins with a space, as other lines of it do.
    PatchFormatter::new().suppress_blank_empty(false).fmt_patch(&patch).to_string()
}
