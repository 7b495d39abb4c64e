//! The stream of messages: what the runtime tells, one JSON object per line.

use fencepost_protocol::door::Mismatch;
pub use fencepost_protocol::message::*;
use fencepost_protocol::wire::Tree;
use fencepost_protocol::{Action, MAX_LINE};
use serde_json::Value;

/// Reads a line; the error says what is wrong with it. What a process of another version says is an
/// error inside.
pub fn parse(line: &[u8]) -> Result<Result<Message, Mismatch>, String> {
    if line.len() > MAX_LINE {
        return Err(format!("a line of {} bytes", line.len()));
    }
    let value: Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    match Message::read_line(&Json(&value)) {
        Ok(message) => Ok(Ok(message)),
        Err(Unreadable::Foreign(mismatch)) => Ok(Err(mismatch)),
        Err(Unreadable::Malformed(malformed)) => Err(malformed.to_string()),
    }
}

/// A parsed value, as the protocol wants to see it.
struct Json<'a>(&'a Value);

impl<'a> Tree for Json<'a> {
    fn number(&self) -> Option<u64> {
        self.0.as_u64()
    }

    fn flag(&self) -> Option<bool> {
        self.0.as_bool()
    }

    fn text(&self) -> Option<&str> {
        self.0.as_str()
    }

    fn items(&self) -> Option<impl Iterator<Item = Json<'a>>> {
        Some(self.0.as_array()?.iter().map(Json))
    }

    fn fields(&self) -> Option<impl Iterator<Item = (&str, Json<'a>)>> {
        Some(self.0.as_object()?.iter().map(|(name, value)| (name.as_str(), Json(value))))
    }

    fn field(&self, name: &str) -> Option<Json<'a>> {
        self.0.get(name).map(Json)
    }
}

/// Is it about an access that a busy wait is made of?
pub(crate) fn may_be_spinning(report: &Report) -> bool {
    matches!(report.found, Found::Robustness(_)) && Action::may_spin(report.op)
}
