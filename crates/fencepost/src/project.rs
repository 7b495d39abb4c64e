//! `fencepost.toml`: what a project always wants, found in the working directory or the nearest one
//! above that has it. What the command line says comes first.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use fencepost_base::diag::{Diagnostic, closest};
use fencepost_base::source::{SourceFile, Span};
use fencepost_model::Model;
use fencepost_model::models;
use fencepost_protocol::Schedule;
use fencepost_report::terminal::{self, Look};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use crate::units;

/// The name of the file.
const NAME: &str = "fencepost.toml";
/// What there is at the top, and in the section `run`.
const TOP: [&str; 2] = ["models", "run"];
const RUN: [&str; 4] = ["schedules", "suppressions", "time", "wrappers"];

/// What a project wants.
#[derive(Clone, Default)]
pub(crate) struct Project {
    /// The models that are meant where none is named; empty if it does not say.
    pub(crate) models: Vec<&'static dyn Model>,
    /// Lines of suppressions.
    pub(crate) suppressions: String,
    /// Functions that only wrap accesses, as patterns.
    pub(crate) wrappers: Vec<String>,
    /// The schedules of a series.
    pub(crate) schedules: Vec<Schedule>,
    /// How long a series takes.
    pub(crate) time: Option<Duration>,
}

static PROJECT: OnceLock<Project> = OnceLock::new();

/// The project that was [loaded](load); one that says nothing, otherwise.
pub(crate) fn get() -> &'static Project {
    PROJECT.get_or_init(Project::default)
}

/// Reads the project's file, if there is one. An error is what to tell the user.
pub(crate) fn load() -> Result<(), String> {
    let look = Look::default();
    let Some(path) = env::current_dir().ok().and_then(|directory| find(&directory)) else { return Ok(()) };
    let text = fs::read_to_string(&path)
        .map_err(|error| terminal::plain_error(&format!("cannot read `{}`: {error}", path.display()), None, &look))?;
    match Project::parse(&text) {
        Ok(project) => {
            PROJECT.get_or_init(|| project);
            Ok(())
        }
        Err(problems) => {
            Err(terminal::diagnostics(&SourceFile::new(path.display().to_string(), text), &problems, &look))
        }
    }
}

/// The text of the project's file, if there is one.
pub(crate) fn content() -> Option<String> {
    fs::read_to_string(find(&env::current_dir().ok()?)?).ok()
}

/// The same for a package of cargo's: without a file of ours, what the manifest of the package says
/// in `[package.metadata.fencepost]`, with the keys of the section `run`.
#[cfg(fencepost_runtime)]
pub(crate) fn load_for_package(package: Option<&Path>) -> Result<(), String> {
    let Some(package) = package.filter(|package| find(package).is_none()) else { return load() };
    let path = package.join("Cargo.toml");
    // If it cannot be read, cargo has said so.
    let Ok(text) = fs::read_to_string(&path) else { return Ok(()) };
    match Project::of_manifest(&text) {
        Ok(project) => {
            PROJECT.get_or_init(|| project);
            Ok(())
        }
        Err(problems) => {
            let source = SourceFile::new(path.display().to_string(), text);
            Err(terminal::diagnostics(&source, &problems, &Look::default()))
        }
    }
}

/// The file of this directory, or of the nearest one above it.
fn find(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().map(|above| above.join(NAME)).find(|path| path.is_file())
}

/// What is wrong with the file.
#[derive(Default)]
struct Problems(Vec<Diagnostic>);

impl Problems {
    fn add(&mut self, span: std::ops::Range<usize>, message: impl Into<String>) {
        self.0.push(Diagnostic::error(Span::new(span), message.into()));
    }

    fn unknown(&mut self, key: &Spanned<impl AsRef<str>>, known: &[&'static str]) {
        let name = key.get_ref().as_ref();
        let problem = Diagnostic::error(Span::new(key.span()), format!("there is no `{name}` here"));
        self.0.push(match closest(name, known.iter().copied()) {
            Some(other) => problem.help(format!("did you mean `{other}`?")),
            None => problem.help(format!("there can be {}", known.join(", "))),
        });
    }

    /// A list of texts, each read by `read`.
    fn list<T>(&mut self, value: &Spanned<DeValue<'_>>, mut read: impl FnMut(&str) -> Result<T, String>) -> Vec<T> {
        let nothing = DeArray::new();
        let list = value.get_ref().as_array().unwrap_or_else(|| {
            self.add(value.span(), "expected a list of texts: `[\"…\"]`");
            &nothing
        });
        let mut values = Vec::new();
        for entry in list {
            match entry.get_ref().as_str().ok_or_else(|| "expected a text: `\"…\"`".to_string()).and_then(&mut read) {
                Ok(value) => values.push(value),
                Err(message) => self.add(entry.span(), message),
            }
        }
        values
    }
}

impl Project {
    fn parse(text: &str) -> Result<Project, Vec<Diagnostic>> {
        let document = DeTable::parse(text).map_err(|error| {
            let span = error.span().map_or(Span::default(), Span::new);
            vec![Diagnostic::error(span, error.message().trim_end().replace('\n', ", "))]
        })?;
        let (mut project, mut problems) = (Project::default(), Problems::default());
        for (key, value) in document.get_ref() {
            match (key.get_ref().as_ref(), value.get_ref().as_table()) {
                ("models", _) => project.models = problems.list(value, model),
                ("run", Some(section)) => project.run(section, &mut problems),
                ("run", None) => problems.add(value.span(), "expected a section: `[run]`"),
                _ => problems.unknown(key, &TOP),
            }
        }
        if problems.0.is_empty() { Ok(project) } else { Err(problems.0) }
    }

    /// What a manifest of cargo's says to us.
    #[cfg(fencepost_runtime)]
    fn of_manifest(text: &str) -> Result<Project, Vec<Diagnostic>> {
        let (mut project, mut problems) = (Project::default(), Problems::default());
        let document = DeTable::parse(text).ok();
        let section = document.as_ref().and_then(|document| {
            let package = document.get_ref().get("package")?.get_ref().as_table()?;
            package.get("metadata")?.get_ref().as_table()?.get("fencepost")?.get_ref().as_table()
        });
        if let Some(section) = section {
            project.run(section, &mut problems);
        }
        if problems.0.is_empty() { Ok(project) } else { Err(problems.0) }
    }

    fn run(&mut self, section: &DeTable<'_>, problems: &mut Problems) {
        for (key, value) in section {
            match key.get_ref().as_ref() {
                "wrappers" => self.wrappers = problems.list(value, |text| Ok(text.to_string())),
                "schedules" => {
                    self.schedules = problems.list(value, |text| text.parse().map_err(str::to_string));
                    if self.schedules.is_empty() && problems.0.is_empty() {
                        problems.add(value.span(), "there must be a schedule: os, random or pct:D");
                    }
                }
                "suppressions" => {
                    let lines = problems.list(value, |text| suppression(text).map(|()| text.to_string()));
                    self.suppressions = lines.join("\n");
                }
                "time" => match value.get_ref().as_str().map(units::duration) {
                    Some(Ok(time)) => self.time = Some(time),
                    Some(Err(message)) => problems.add(value.span(), message),
                    None => problems.add(value.span(), "expected a time as a text: `\"30s\"`"),
                },
                _ => problems.unknown(key, &RUN),
            }
        }
    }
}

/// Is this a line of suppressions?
#[cfg(target_os = "linux")]
fn suppression(line: &str) -> Result<(), String> {
    let read = fencepost_sanitizer::suppress::Suppressions::default().add(line);
    read.map_err(|error| error.replacen("line 1: ", "", 1))
}

/// Where there is no sanitizer, there are no suppressions either.
#[cfg(not(target_os = "linux"))]
fn suppression(_: &str) -> Result<(), String> {
    Ok(())
}

/// A model by its name.
fn model(name: &str) -> Result<&'static dyn Model, String> {
    let found = models::MODELS.iter().copied().find(|model| model.name() == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = models::MODELS.iter().map(|model| model.name()).collect();
        format!("there is no model `{name}`; there are {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::Project;

    #[test]
    fn what_a_project_wants() {
        let project = Project::parse(
            "models = [\"tso\", \"cpp20\"]\n[run]\nwrappers = [\"^get$\"]\nsuppressions = [\"race:old.so\"]\n\
             schedules = [\"os\", \"pct:2\"]\ntime = \"2m\"\n",
        )
        .expect("well-formed");
        assert_eq!(project.models.iter().map(|model| model.name()).collect::<Vec<_>>(), ["tso", "cpp20"]);
        assert_eq!(project.wrappers, ["^get$"]);
        assert_eq!(project.suppressions, "race:old.so");
        assert_eq!(project.schedules.iter().map(ToString::to_string).collect::<Vec<_>>(), ["os", "pct:2"]);
        assert_eq!(project.time.map(|time| time.as_secs()), Some(120));
        assert!(Project::parse("").is_ok());
    }

    #[test]
    fn mistakes_are_named_where_they_are() {
        for (text, at, words) in [
            ("model = []", 0, "there is no `model` here"),
            ("models = [\"tsa\"]", 10, "there is no model `tsa`"),
            ("models = 1", 9, "expected a list"),
            ("run = 1", 6, "expected a section"),
            ("[run]\nwrapper = []", 6, "there is no `wrapper` here"),
            ("[run]\nwrappers = [1]", 18, "expected a text"),
            ("[run]\nschedules = [\"pct\"]", 19, "expected `os`"),
            ("[run]\nschedules = []", 18, "there must be a schedule"),
            ("[run]\nsuppressions = [\"rase:x\"]", 22, "unknown kind"),
            ("[run]\ntime = 30", 13, "expected a time"),
            ("[run]\ntime = \"30 days\"", 13, "unknown unit"),
            ("[run\n", 4, ""),
        ] {
            let problems = Project::parse(text).err().expect(text);
            let first = &problems[0];
            assert!(first.message.contains(words), "{text}: {}", first.message);
            assert_eq!(first.primary.span.start, at, "{text}");
        }
    }
}
