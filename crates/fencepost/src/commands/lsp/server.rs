//! The conversation with one client.
//!
//! One thread reads messages, one checks programs, and this one answers. So every answer is given
//! at once, and only what was found out in the background comes when it comes.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use fencepost_finding::Fix;
use fencepost_ide::{About, Hover, Kind, Role, Use, Utf16, complete, hover, outline};
use fencepost_lower::Language;
use fencepost_model::Model;
use fencepost_syntax::format::format;
use serde_json::{Value, json};

use super::check::{Answer, Job, Repair};
use super::document::{self, Document, State};
use super::told;
use super::transport::{self, Failure};
use crate::args::CheckWhen;
use crate::commands::explain;
use crate::exit::Exit;
use crate::internal;
use crate::output::Output;

/// How long nobody has typed when a program is checked.
const PAUSE: Duration = Duration::from_millis(500);

/// What happens.
pub(super) enum Event {
    /// The client says something, or something that cannot be understood.
    Said(Result<Value, Failure>),
    /// The client says nothing any more.
    Silence,
    /// A version of a document was checked.
    Checked { uri: String, version: u64, answers: Vec<Answer> },
    /// It is known what repairs it.
    Repaired { uri: String, version: u64, repairs: Vec<Repair> },
}

/// How far the conversation is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Beginning,
    Working,
    ShutDown,
}

type Reply = Result<Value, Failure>;

/// One client, and the files that it has open.
pub(super) struct Server<'a> {
    output: &'a mut Output,
    jobs: Sender<Job>,
    check: CheckWhen,
    /// Those that are asked about in a language.
    models: &'a dyn Fn(Language) -> Vec<&'static dyn Model>,
    documents: BTreeMap<String, Document>,
    phase: Phase,
    /// Does the client ask again for what stands above the first thread, if it is told to?
    refreshes: bool,
    requests: u64,
}

impl<'a> Server<'a> {
    pub(super) fn new(
        output: &'a mut Output,
        jobs: Sender<Job>,
        check: CheckWhen,
        models: &'a dyn Fn(Language) -> Vec<&'static dyn Model>,
    ) -> Self {
        let documents = BTreeMap::new();
        Server { output, jobs, check, models, documents, phase: Phase::Beginning, refreshes: false, requests: 0 }
    }

    /// Until the client has had enough.
    pub(super) fn serve(mut self, events: &Receiver<Event>) -> io::Result<Exit> {
        loop {
            let due = self.documents.values().filter_map(|document| document.due).min();
            let event = match due {
                Some(due) => events.recv_timeout(due.saturating_duration_since(Instant::now())),
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match event {
                Ok(Event::Said(Ok(message))) if message["method"] == "exit" => break,
                Ok(Event::Said(Ok(message))) => self.message(&message)?,
                Ok(Event::Said(Err(failure))) => self.send(&transport::response(&Value::Null, Err(failure)))?,
                Ok(Event::Checked { uri, version, answers }) => self.checked(&uri, version, answers)?,
                Ok(Event::Repaired { uri, version, repairs }) => {
                    if let Some(document) = self.documents.get_mut(&uri).filter(|it| it.version == version) {
                        document.repairs = repairs;
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.check_what_is_due()?,
                Ok(Event::Silence) | Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.documents.values_mut().for_each(Document::cancel);
        // The protocol wants 1 of a server that is left without a word.
        Ok(if self.phase == Phase::ShutDown { Exit::Holds } else { Exit::Violation })
    }

    fn send(&mut self, message: &Value) -> io::Result<()> {
        self.output.out(&transport::framed(message))
    }

    /// A request, a notification, or the answer to a request of ours, which says nothing.
    fn message(&mut self, message: &Value) -> io::Result<()> {
        let (method, id) = (message["method"].as_str(), message.get("id"));
        let params = &message["params"];
        match (method, id) {
            (Some(method), Some(id)) => {
                let done = internal::guard(method, || self.request(method, params));
                let internal = || Failure::new(transport::INTERNAL_ERROR, "a bug in fencepost: see the log");
                let result = done.unwrap_or_else(|internal::Panicked| Err(internal()));
                self.send(&transport::response(id, result))
            }
            (Some(method), None) => {
                // A panic was told. What could not be understood has no answer.
                match internal::guard(method, || self.notification(method, params)) {
                    Ok(Ok(())) | Err(internal::Panicked) => Ok(()),
                    Ok(Err(Trouble::Output(error))) => Err(error),
                    Ok(Err(Trouble::Params(failure))) => self.log(&format!("{method}: {}", failure.message)),
                }
            }
            (None, Some(_)) if message.get("result").is_some() || message.get("error").is_some() => Ok(()),
            (None, id) => {
                let id = id.cloned().unwrap_or(Value::Null);
                let failure = Failure::new(transport::INVALID_REQUEST, "this is neither a request nor an answer");
                self.send(&transport::response(&id, Err(failure)))
            }
        }
    }

    fn log(&mut self, text: &str) -> io::Result<()> {
        let warning = 2;
        self.send(&transport::notification("window/logMessage", &json!({ "type": warning, "message": text })))
    }

    fn request(&mut self, method: &str, params: &Value) -> Reply {
        match (method, self.phase) {
            ("initialize", Phase::Beginning) => Ok(self.initialize(params)),
            (_, Phase::Beginning) => Err(Failure::new(transport::NOT_INITIALIZED, "`initialize` comes first")),
            ("shutdown", Phase::Working) => {
                self.phase = Phase::ShutDown;
                Ok(Value::Null)
            }
            ("initialize", _) | (_, Phase::ShutDown) => {
                Err(Failure::new(transport::INVALID_REQUEST, format!("`{method}` comes too late")))
            }
            ("textDocument/hover", _) => self.hover(params),
            ("textDocument/definition", _) => self.definition(params),
            ("textDocument/references", _) => self.references(params),
            ("textDocument/documentHighlight", _) => self.highlights(params),
            ("textDocument/documentSymbol", _) => self.symbols(params),
            ("textDocument/completion", _) => self.completion(params),
            ("textDocument/formatting", _) => self.formatting(params),
            ("textDocument/codeAction", _) => self.actions(params),
            ("textDocument/codeLens", _) => Ok(json!(told::lens(self.document(params)?.1))),
            _ => Err(Failure::new(transport::METHOD_NOT_FOUND, format!("there is no `{method}` here"))),
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.phase = Phase::Working;
        self.refreshes = params.pointer("/capabilities/workspace/codeLens/refreshSupport") == Some(&Value::Bool(true));
        let (incremental, kinds) = (2, ["quickfix"]);
        json!({
            "serverInfo": { "name": "fencepost", "version": env!("CARGO_PKG_VERSION") },
            "capabilities": {
                "positionEncoding": "utf-16",
                "textDocumentSync": { "openClose": true, "change": incremental, "save": true },
                "hoverProvider": true,
                "definitionProvider": true,
                "referencesProvider": true,
                "documentHighlightProvider": true,
                "documentSymbolProvider": true,
                "documentFormattingProvider": true,
                "completionProvider": { "triggerCharacters": ["."] },
                "codeActionProvider": { "codeActionKinds": kinds },
                "codeLensProvider": {},
            },
        })
    }

    fn notification(&mut self, method: &str, params: &Value) -> Result<(), Trouble> {
        if self.phase != Phase::Working {
            return Ok(());
        }
        match method {
            "textDocument/didOpen" => {
                let uri = text_at(params, "/textDocument/uri")?.to_string();
                let text = text_at(params, "/textDocument/text")?.to_string();
                let id = text_at(params, "/textDocument/languageId").unwrap_or_default();
                let Some(language) = document::language(&uri, id) else {
                    return Ok(self.log(&format!("{uri} is in no language that fencepost reads"))?);
                };
                if let Some(before) = self.documents.get_mut(&uri) {
                    before.cancel();
                }
                self.documents.insert(uri.clone(), Document::open(&uri, language, text));
                self.publish(&uri)?;
                self.check(&uri)?;
            }
            "textDocument/didChange" => {
                let uri = text_at(params, "/textDocument/uri")?;
                // Of a file in another language.
                let Some(document) = self.documents.get_mut(uri) else { return Ok(()) };
                let changes = params["contentChanges"].as_array().ok_or_else(|| missing("/contentChanges"))?;
                for change in changes {
                    let text = changed(document, change)?;
                    document.change(text);
                }
                document.due = (self.check == CheckWhen::Pause).then(|| Instant::now() + PAUSE);
                self.publish(uri)?;
            }
            "textDocument/didSave" => {
                let uri = text_at(params, "/textDocument/uri")?;
                // If it is known already, nothing is to be found out.
                if self.documents.get(uri).is_some_and(|document| matches!(document.state, State::Unasked)) {
                    self.check(uri)?;
                }
            }
            "textDocument/didClose" => {
                let uri = text_at(params, "/textDocument/uri")?;
                if let Some(mut document) = self.documents.remove(uri) {
                    document.cancel();
                    let nothing = json!({ "uri": uri, "diagnostics": [] });
                    self.send(&transport::notification("textDocument/publishDiagnostics", &nothing))?;
                }
            }
            // `initialized`, `$/…` and others say nothing that matters here.
            _ => {}
        }
        Ok(())
    }

    fn publish(&mut self, uri: &str) -> io::Result<()> {
        let Some(document) = self.documents.get(uri) else { return Ok(()) };
        let params = json!({ "uri": uri, "diagnostics": told::diagnostics(uri, document) });
        self.send(&transport::notification("textDocument/publishDiagnostics", &params))
    }

    fn check_what_is_due(&mut self) -> io::Result<()> {
        let now = Instant::now();
        let is_due = |document: &Document| document.due.is_some_and(|due| due <= now);
        let due: Vec<String> =
            self.documents.iter().filter(|(_, document)| is_due(document)).map(|(uri, _)| uri.clone()).collect();
        due.iter().try_for_each(|uri| self.check(uri))
    }

    /// Has a document checked, if there is a program in it.
    fn check(&mut self, uri: &str) -> io::Result<()> {
        let Some(document) = self.documents.get_mut(uri) else { return Ok(()) };
        document.due = None;
        let Some(program) = document.text.program.clone().filter(|_| self.check != CheckWhen::Never) else {
            return Ok(());
        };
        let job = Job {
            uri: uri.to_string(),
            version: document.version,
            language: document.language,
            source: document.text.source.clone(),
            program,
            expected: document.text.expected.clone(),
            models: (self.models)(document.language),
            stop: document.begin(),
        };
        // There is somebody to take it as long as this server is there.
        let _ = self.jobs.send(job);
        self.refresh()
    }

    fn checked(&mut self, uri: &str, version: u64, answers: Vec<Answer>) -> io::Result<()> {
        let Some(document) = self.documents.get_mut(uri).filter(|it| it.version == version) else { return Ok(()) };
        document.state = State::Checked(answers);
        self.publish(uri)?;
        self.refresh()
    }

    /// Verdicts have changed.
    fn refresh(&mut self) -> io::Result<()> {
        if !self.refreshes {
            return Ok(());
        }
        self.requests += 1;
        let id = format!("refresh-{}", self.requests);
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "workspace/codeLens/refresh" }))
    }

    fn document(&self, params: &Value) -> Result<(&str, &Document), Failure> {
        let uri = text_at(params, "/textDocument/uri")?;
        let found = self.documents.get_key_value(uri).map(|(uri, document)| (uri.as_str(), document));
        found.ok_or_else(|| Failure::new(transport::INVALID_PARAMS, format!("`{uri}` is not open")))
    }

    /// The document, and the byte that a position means.
    fn place(&self, params: &Value) -> Result<(&str, &Document, usize), Failure> {
        let (uri, document) = self.document(params)?;
        Ok((uri, document, document.text.offset(position_at(params, "/position")?)))
    }

    fn hover(&self, params: &Value) -> Reply {
        let (_, document, offset) = self.place(params)?;
        let text = &document.text;
        let models = (self.models)(document.language);
        let Some(Hover { span, about }) = hover(&text.source, &text.file, &text.names, offset, &models) else {
            return Ok(Value::Null);
        };
        let told = match about {
            About::Text(told) => Some(told),
            About::Word(word) if document.language == Language::Fp => explain::of_language(&word),
            About::Word(_) => None,
        };
        Ok(told.map_or(
            Value::Null,
            |told| json!({ "contents": { "kind": "markdown", "value": told }, "range": told::range(text, span) }),
        ))
    }

    /// The name at a position.
    fn name<'d>(&'d self, params: &Value) -> Result<(&'d str, &'d Document, Option<Use>), Failure> {
        let (uri, document, offset) = self.place(params)?;
        Ok((uri, document, document.text.names.at(offset)))
    }

    fn definition(&self, params: &Value) -> Reply {
        let (uri, document, found) = self.name(params)?;
        let text = &document.text;
        let definition = found.map(|found| text.names.definition(found.definition).span);
        Ok(definition.map_or(Value::Null, |span| json!({ "uri": uri, "range": told::range(text, span) })))
    }

    fn references(&self, params: &Value) -> Reply {
        let (uri, document, found) = self.name(params)?;
        let text = &document.text;
        let with_declaration = params.pointer("/context/includeDeclaration") != Some(&Value::Bool(false));
        let uses = found.into_iter().flat_map(|found| text.names.uses_of(found.definition));
        let wanted = uses.filter(|it| with_declaration || it.role != Role::Declaration);
        Ok(wanted.map(|it| json!({ "uri": uri, "range": told::range(text, it.span) })).collect())
    }

    fn highlights(&self, params: &Value) -> Reply {
        let (_, document, found) = self.name(params)?;
        let text = &document.text;
        let uses = found.into_iter().flat_map(|found| text.names.uses_of(found.definition));
        let (mentioned, read, written) = (1, 2, 3);
        Ok(uses
            .map(|it| {
                let kind = match it.role {
                    Role::Declaration | Role::Mention => mentioned,
                    Role::Read => read,
                    Role::Write | Role::Update => written,
                };
                json!({ "range": told::range(text, it.span), "kind": kind })
            })
            .collect())
    }

    fn symbols(&self, params: &Value) -> Reply {
        let (_, document) = self.document(params)?;
        let symbols = outline(&document.text.names);
        Ok(symbols.iter().map(|symbol| told::symbol(&document.text, symbol)).collect())
    }

    fn completion(&self, params: &Value) -> Reply {
        let (_, document, offset) = self.place(params)?;
        if document.language != Language::Fp {
            return Ok(json!([]));
        }
        let words = complete(document.text.source.text(), &document.text.names, offset);
        Ok(words.iter().map(told::completion).collect())
    }

    /// Nothing, if there are mistakes in the text: they are told already.
    fn formatting(&self, params: &Value) -> Reply {
        let (_, document) = self.document(params)?;
        let text = document.text.source.text();
        let Ok(formatted) = format(document.language, text) else { return Ok(Value::Null) };
        let fix = Fix::between(text, &formatted, String::new());
        Ok(fix.iter().map(|fix| told::edit(&document.text, fix)).collect())
    }

    /// Repairs, wherever the cursor is near a thread that is not as it should be.
    fn actions(&self, params: &Value) -> Reply {
        let (uri, document) = self.document(params)?;
        let only = params.pointer("/context/only").and_then(Value::as_array);
        let wanted = |kind: &Value| kind.as_str().is_some_and(|kind| kind.is_empty() || kind == "quickfix");
        if only.is_some_and(|only| !only.iter().any(wanted)) {
            return Ok(json!([]));
        }
        let from = document.text.offset(position_at(params, "/range/start")?);
        let to = document.text.offset(position_at(params, "/range/end")?);
        let bodies = || {
            let names = document.text.names.definitions().iter();
            names.filter(|it| matches!(it.kind, Kind::Thread | Kind::Procedure)).map(|it| it.whole.range())
        };
        // Trees without names have repairs everywhere.
        if bodies().next().is_some() && !bodies().any(|body| body.start <= to && from <= body.end) {
            return Ok(json!([]));
        }
        let about: Vec<Value> =
            told::diagnostics(uri, document).into_iter().filter(|it| it.get("code").is_some()).collect();
        let actions = document.repairs.iter().enumerate().map(|(number, repair)| {
            json!({
                "title": repair.title,
                "kind": "quickfix",
                "isPreferred": number == 0,
                "diagnostics": about,
                "edit": { "changes": { uri: [told::edit(&document.text, &repair.fix)] } },
            })
        });
        Ok(actions.collect())
    }
}

/// Why a notification came to nothing.
enum Trouble {
    Output(io::Error),
    Params(Failure),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Trouble::Output(error)
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Trouble::Params(failure)
    }
}

/// The text after a change of all or a part of it.
fn changed(document: &Document, change: &Value) -> Result<String, Failure> {
    let new = text_at(change, "/text")?;
    if change["range"].is_null() {
        return Ok(new.to_string());
    }
    let start = document.text.offset(position_at(change, "/range/start")?);
    let end = document.text.offset(position_at(change, "/range/end")?).max(start);
    let old = document.text.source.text();
    Ok([&old[..start], new, &old[end..]].concat())
}

fn missing(path: &str) -> Failure {
    Failure::new(transport::INVALID_PARAMS, format!("`{path}` is missing, or not what it should be"))
}

fn text_at<'v>(params: &'v Value, path: &str) -> Result<&'v str, Failure> {
    params.pointer(path).and_then(Value::as_str).ok_or_else(|| missing(path))
}

fn position_at(params: &Value, path: &str) -> Result<Utf16, Failure> {
    let number = |name: &str| {
        let number = params.pointer(path).and_then(|position| position[name].as_u64());
        number.and_then(|number| u32::try_from(number).ok()).ok_or_else(|| missing(path))
    };
    Ok(Utf16 { line: number("line")?, column: number("character")? })
}
