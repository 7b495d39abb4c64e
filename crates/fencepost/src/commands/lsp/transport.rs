//! Messages of the language server protocol: a header that says how long they are, and JSON.
//!
//! A message that cannot be understood is answered, and the next one is read: nothing that a client
//! says ends the conversation.

use std::io::{self, BufRead, Read};

use serde_json::{Value, json};

/// Longest line of a header, and longest message.
const LONGEST_LINE: u64 = 4 << 10;
const LONGEST_MESSAGE: usize = 64 << 20;

/// Error codes of JSON-RPC, and of the protocol.
pub(super) const PARSE_ERROR: i64 = -32700;
pub(super) const INVALID_REQUEST: i64 = -32600;
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const INTERNAL_ERROR: i64 = -32603;
pub(super) const NOT_INITIALIZED: i64 = -32002;

/// Why a request gets no result.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) code: i64,
    pub(super) message: String,
}

impl Failure {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Failure { code, message: message.into() }
    }
}

/// The next message; what is wrong with it, if it is none; nothing at the end.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Option<Result<Value, Failure>>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        match line.trim_end_matches(['\r', '\n']) {
            "" => {
                // If not, it is an empty line too many.
                if let Some(length) = length {
                    return content(input, length);
                }
            }
            header => {
                let named = header.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
                match named {
                    Some((name, value)) if name.eq_ignore_ascii_case("Content-Length") => match value.parse() {
                        Ok(number) if number <= LONGEST_MESSAGE => length = Some(number),
                        _ => return Ok(Some(Err(malformed(&format!("`{value}` is no length of a message"))))),
                    },
                    Some(_) => {}
                    None => return Ok(Some(Err(malformed(&format!("`{header}` is no line of a header"))))),
                }
            }
        }
    }
}

fn content(input: &mut impl BufRead, length: usize) -> io::Result<Option<Result<Value, Failure>>> {
    let mut bytes = Vec::new();
    if input.by_ref().take(length as u64).read_to_end(&mut bytes)? < length {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&bytes).map_err(|error| malformed(&format!("the message is no JSON: {error}")))))
}

fn malformed(what: &str) -> Failure {
    Failure::new(PARSE_ERROR, what)
}

/// A message as it is sent.
pub(super) fn framed(message: &Value) -> String {
    let text = message.to_string();
    format!("Content-Length: {}\r\n\r\n{text}", text.len())
}

/// The answer to a request.
pub(super) fn response(id: &Value, result: Result<Value, Failure>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(Failure { code, message }) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    }
}

/// Something that the client is told.
pub(super) fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8]) -> Vec<Result<Value, i64>> {
        let mut input = text;
        let next = || read(&mut input).expect("no real input");
        std::iter::from_fn(next).map(|message| message.map_err(|failure| failure.code)).collect()
    }

    #[test]
    fn messages_are_read_and_what_is_none_is_survived() {
        let good = framed(&json!({ "text": "→😀" }));
        let several = format!(
            "{good}content-length: 2\r\nContent-Type: x\r\n\r\n{{}}Content-Length: 1\r\n\r\n{{nonsense\r\n\
             Content-Length: -1\r\n\r\n{good}Content-Length: 9\r\n\r\n{{}}"
        );
        let found = all(several.as_bytes());
        let (message, empty) = (Ok(json!({ "text": "→😀" })), Ok(json!({})));
        let bad = || Err(PARSE_ERROR);
        assert_eq!(found, [message.clone(), empty, bad(), bad(), bad(), message]);
        assert_eq!(all(b""), []);
        assert_eq!(all(&[0xff; 3]), [bad()]);
    }
}
