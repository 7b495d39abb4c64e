//! Conversations with `fencepost lsp`, as an editor has them: over standard input and output.
//!
//! A conversation is a file in `lsp/`. Its parts begin with `== WORD`:
//!
//! - `arguments`: of the command;
//! - `file NAME`: a text, for the string `"$NAME"` in messages;
//! - `send`: a message of the client;
//! - `raw`: bytes that the client sends; a line break in the file is one of `\r\n`;
//! - `expect`: a message of the server, now or later. Objects can have more members, a string that
//!   begins with `~` is a part of the one that comes, all else is equal;
//! - `retry`: a request `send` that is repeated until the answer is as `expect` says;
//! - `exit`: the exit code, if it is not 0.
//!
//! What follows a message is a remark about the next part.
//!
//! Whatever the server says has to be expected somewhere.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long the server may take for anything, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server, and what it has said that nobody has waited for yet.
struct Session {
    child: Child,
    input: Option<ChildStdin>,
    said: Receiver<Value>,
    kept: Vec<Value>,
}

impl Session {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fencepost"))
            .arg("lsp")
            .args(arguments)
            .env_remove("FENCEPOST_TIMEOUT")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (tell, said) = channel();
        thread::spawn(move || {
            loop {
                let mut length = None;
                loop {
                    let mut line = String::new();
                    if output.read_line(&mut line).expect("UTF-8") == 0 {
                        return;
                    }
                    match line.trim_end().split_once(": ") {
                        Some(("Content-Length", number)) => length = number.parse().ok(),
                        Some(other) => panic!("an unknown header: {other:?}"),
                        None => break,
                    }
                }
                let mut bytes = vec![0; length.expect("a length")];
                output.read_exact(&mut bytes).expect("a message of this length");
                if tell.send(serde_json::from_slice(&bytes).expect("JSON")).is_err() {
                    return;
                }
            }
        });
        Session { input: child.stdin.take(), child, said, kept: Vec::new() }
    }

    fn raw(&mut self, text: &str) {
        // It may have stopped listening.
        let _ = self.input.as_mut().expect("still talking").write_all(text.as_bytes());
    }

    fn send(&mut self, message: &Value) {
        let mut message = message.clone();
        message["jsonrpc"] = json!("2.0");
        let text = message.to_string();
        self.raw(&format!("Content-Length: {}\r\n\r\n{text}", text.len()));
    }

    /// The first message that is like this.
    fn expect(&mut self, pattern: &Value) -> Result<Value, String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = self.kept.iter().position(|message| is_like(message, pattern)) {
                return Ok(self.kept.remove(found));
            }
            match self.said.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(message) => self.kept.push(message),
                Err(_) => return Err(format!("expected {pattern:#}, but there is {:#}", json!(self.kept))),
            }
        }
    }

    fn retry(&mut self, part: &Value) -> Result<(), String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            self.send(&part["send"]);
            let answer = self.expect(&json!({ "id": part["send"]["id"] }))?;
            if is_like(&answer, &part["expect"]) {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(format!("expected {:#}, the answer is {answer:#}", part["expect"]));
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// The exit code, and all that was said and not expected.
    fn end(mut self) -> (Option<i32>, Vec<Value>) {
        drop(self.input.take());
        let status = self.child.wait().expect("the server ends");
        let mut rest = self.kept;
        rest.extend(self.said);
        (status.code(), rest)
    }
}

fn is_like(value: &Value, pattern: &Value) -> bool {
    match (value, pattern) {
        (Value::Object(value), Value::Object(pattern)) => {
            pattern.iter().all(|(key, pattern)| value.get(key).is_some_and(|value| is_like(value, pattern)))
        }
        (Value::Array(values), Value::Array(patterns)) => {
            values.len() == patterns.len()
                && values.iter().zip(patterns).all(|(value, pattern)| is_like(value, pattern))
        }
        (Value::String(value), Value::String(pattern)) => match pattern.strip_prefix('~') {
            Some(part) => value.contains(part),
            None => value == pattern,
        },
        _ => value == pattern,
    }
}

/// Puts texts in the place of their names.
fn filled(value: Value, files: &BTreeMap<String, String>) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix('$').and_then(|name| files.get(name)) {
            Some(file) => Value::String(file.clone()),
            None => Value::String(text),
        },
        Value::Array(values) => values.into_iter().map(|value| filled(value, files)).collect(),
        Value::Object(members) => members.into_iter().map(|(key, value)| (key, filled(value, files))).collect(),
        value => value,
    }
}

fn converse(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).expect("a conversation");
    let parts = text.split("\n== ").skip(1).map(|part| part.split_once('\n').unwrap_or((part, "")));
    let mut files = BTreeMap::new();
    let mut session = None;
    let mut arguments: Vec<&str> = Vec::new();
    let mut code = 0;
    for (head, body) in parts {
        let (word, name) = head.split_once(' ').unwrap_or((head, ""));
        let parsed = || -> Value {
            let first = serde_json::Deserializer::from_str(body).into_iter().next();
            let value = first.unwrap_or_else(|| panic!("{}: `{word}` without a message", path.display()));
            filled(value.unwrap_or_else(|error| panic!("{}: {error}: {body}", path.display())), &files)
        };
        if word == "arguments" {
            arguments = name.split(' ').collect();
            continue;
        }
        if word == "file" {
            let text = format!("{}\n", body.trim_end_matches('\n'));
            files.insert(name.to_string(), text);
            continue;
        }
        let session = session.get_or_insert_with(|| Session::start(&arguments));
        match word {
            "send" => session.send(&parsed()),
            "raw" => session.raw(&format!("{body}\n").replace('\n', "\r\n")),
            "expect" => {
                session.expect(&parsed())?;
            }
            "retry" => session.retry(&parsed())?,
            "exit" => code = name.parse().expect("a number"),
            _ => panic!("{}: what is `{word}`?", path.display()),
        }
    }
    let (ended, rest) = session.expect("a conversation has a beginning").end();
    match (ended == Some(code), rest.is_empty()) {
        (true, true) => Ok(()),
        (true, false) => Err(format!("nobody expected {:#}", json!(rest))),
        (false, _) => Err(format!("the server ended with {ended:?}, not {code}")),
    }
}

fn conversations() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lsp");
    let entries = std::fs::read_dir(folder).expect("a directory");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

#[test]
fn conversations_go_as_they_are_written() {
    let paths = conversations();
    assert!(paths.len() >= 5);
    let failed: Vec<String> =
        paths.iter().filter_map(|path| Some(format!("{}: {}", path.display(), converse(path).err()?))).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
