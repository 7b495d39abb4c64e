//! Figures, kept between runs as JSON.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What an earlier run has left, if anything.
pub(crate) fn load<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, String> {
    if !path.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map(Some).map_err(|error| format!("{}: {error}", path.display()))
}

/// Keeps it. Written aside first: an interruption must not cost what was measured.
pub(crate) fn save<T: Serialize>(value: &T, path: &Path) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("{}: {error}", path.display());
    let text = serde_json::to_string_pretty(value).map_err(|error| error.to_string())?;
    let aside = path.with_extension("json.new");
    std::fs::write(&aside, text).map_err(fail)?;
    std::fs::rename(&aside, path).map_err(fail)
}
