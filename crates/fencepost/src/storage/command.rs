//! What a checkpoint says about the command that it belongs to.
//!
//! All that the answer depends on: the arguments, the programs, the environment, the project's file,
//! and fencepost itself. A process that would answer something else does not go on.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::directory::Lasting;
use crate::files;
use crate::input::{Input, InputError};
use crate::project;

/// The version of the format.
const FORMAT: u64 = 1;
/// What the names of variables begin with that fencepost looks at.
const OURS: &str = "FENCEPOST_";

/// A command that writes down how far it is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// Where it was started,
    pub(super) directory: String,
    /// with these arguments,
    pub(super) arguments: Vec<String>,
    /// by this version of fencepost,
    version: String,
    /// that is, this program;
    executable: String,
    /// these variables,
    environment: BTreeMap<String, String>,
    /// and a file of the project.
    project: String,
    programs: Programs,
}

/// Names of programs, with their content.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Programs(BTreeMap<String, String>);

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Programs {
    pub(super) fn of<'i>(inputs: impl IntoIterator<Item = &'i Result<Input, InputError>>) -> Result<Self, String> {
        let mut programs = BTreeMap::new();
        for input in inputs.into_iter().flatten() {
            let Some(path) = &input.path else {
                return Err("what comes from standard input cannot be read again: --checkpoint needs a file".into());
            };
            // What cannot be read is told when it is its turn.
            programs.insert(input.name.clone(), fs::read(path).map_or_else(|_| String::new(), |text| digest(&text)));
        }
        Ok(Programs(programs))
    }
}

impl Command {
    /// The one that this process is.
    pub(super) fn of_this_process(programs: Programs) -> Result<Self, String> {
        let text = |text: std::ffi::OsString| {
            text.into_string().map_err(|text| format!("a checkpoint cannot keep `{}`", text.display()))
        };
        let directory = env::current_dir().map_err(|error| format!("cannot tell the working directory: {error}"))?;
        let executable = env::current_exe().and_then(fs::read);
        let executable = executable.map_err(|error| format!("cannot read the program that is running: {error}"))?;
        let variables = env::vars_os().map(|(name, value)| Ok((text(name)?, text(value)?)));
        let variables: Vec<(String, String)> = variables.filter(is_ours).collect::<Result<_, String>>()?;
        Ok(Command {
            directory: text(directory.into_os_string())?,
            arguments: env::args_os().map(text).collect::<Result<_, String>>()?,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            executable: digest(&executable),
            environment: variables.into_iter().collect(),
            project: project::content().map_or_else(String::new, |text| digest(text.as_bytes())),
            programs,
        })
    }

    /// Writes it down, before there is anything else.
    pub(super) fn write(&self, lasting: &Lasting) -> Result<(), String> {
        let Command { directory, arguments, version, executable, environment, project, programs } = self;
        let text = json!({
            "fencepost checkpoint": FORMAT,
            "directory": directory,
            "arguments": arguments,
            "version": version,
            "executable": executable,
            "environment": environment,
            "project": project,
            "programs": programs.0,
        })
        .to_string();
        let path = lasting.command();
        files::write(&path, &format!("{text}\n{}\n", digest(text.as_bytes())))
            .map_err(|error| format!("cannot write `{}`: {error}", path.display()))
    }

    /// Reads what another process has written down.
    pub(super) fn read(lasting: &Lasting) -> Result<Self, String> {
        let path = lasting.command();
        let text = fs::read_to_string(&path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
        let damaged = || format!("`{}` is damaged", path.display());
        let (line, rest) = text.split_once('\n').ok_or_else(damaged)?;
        if rest.trim_end() != digest(line.as_bytes()) {
            return Err(damaged());
        }
        let value: Value = serde_json::from_str(line).map_err(|_| damaged())?;
        if value["fencepost checkpoint"] != json!(FORMAT) {
            return Err(other("was written by another version of fencepost"));
        }
        let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(damaged);
        let map = |value: &Value| -> Result<BTreeMap<String, String>, String> {
            let entries = value.as_object().ok_or_else(damaged)?;
            entries.iter().map(|(name, value)| Ok((name.clone(), text(value)?))).collect()
        };
        Ok(Command {
            directory: text(&value["directory"])?,
            arguments: value["arguments"].as_array().ok_or_else(damaged)?.iter().map(text).collect::<Result<_, _>>()?,
            version: text(&value["version"])?,
            executable: text(&value["executable"])?,
            environment: map(&value["environment"])?,
            project: text(&value["project"])?,
            programs: Programs(map(&value["programs"])?),
        })
    }

    /// Would this process, which is in the directory of the command, do the same?
    pub(super) fn is_possible_here(&self) -> Result<(), String> {
        let here = Command::of_this_process(Programs(BTreeMap::new()))?;
        if self.version != here.version {
            let (then, now) = (&self.version, &here.version);
            return Err(other(&format!("was written by fencepost {then}, and this is {now}")));
        }
        if self.executable != here.executable {
            return Err(other("was written by another build of fencepost"));
        }
        let names = self.environment.keys().chain(here.environment.keys());
        let differs = |name: &&String| self.environment.get(*name) != here.environment.get(*name);
        if let Some(name) = names.into_iter().find(differs) {
            return Err(other(&format!("was written with another value of the variable {name}")));
        }
        match self.project == here.project {
            true => Ok(()),
            false => Err(other("was written with another `fencepost.toml`")),
        }
    }

    /// Is it about these programs?
    pub(super) fn is_about(&self, programs: &Programs) -> Result<(), String> {
        let (then, now) = (&self.programs.0, &programs.0);
        let differs = |name: &&String| then.get(*name) != now.get(*name);
        match then.keys().chain(now.keys()).find(differs) {
            Some(name) => Err(other(&format!("was written when `{}` was another program", Path::new(name).display()))),
            None => Ok(()),
        }
    }
}

/// Is this a variable that fencepost looks at, or not even a text?
fn is_ours(variable: &Result<(String, String), String>) -> bool {
    variable.as_ref().is_ok_and(|(name, _)| name.starts_with(OURS))
}

/// Why it is not gone on.
fn other(why: &str) -> String {
    format!("the checkpoint {why}")
}
