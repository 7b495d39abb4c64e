//! The commands of a page, run one after the other in a folder of their own.
//!
//! What is compared leaves out what differs from run to run: addresses, process numbers, times.
//! Pages can leave out more, with `[..]` for a part of a line and `...` for any number of lines.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use snapbox::Data;
use snapbox::filter::NormalizeToExpected;

use crate::page::{Page, Step};

/// The folder in which the reader of the page is, as pages call it.
const HOME: &str = "/home/me";

pub(crate) struct Session {
    /// Where the page begins.
    pub(crate) folder: PathBuf,
    /// Where its last `cd` has led.
    here: PathBuf,
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
        // The last session takes the folder of all with it.
        let _ = self.folder.parent().map(fs::remove_dir);
    }
}

impl Session {
    /// A new folder for the page, with the example programs if it mentions them.
    pub(crate) fn new(name: &str, page: &Page) -> Result<Session, String> {
        // Not in our own workspace: cargo would take the reader's packages for members of it.
        let folder = std::env::temp_dir().join(format!("fencepost-book-{}", std::process::id()));
        let folder = folder.join(name.replace('/', "-"));
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let steps = page.all_steps()?;
        for tree in ["litmus", "sanitizer"] {
            if steps.iter().any(|step| step.command.contains(&format!("{tree}/"))) {
                let copied = Command::new("cp").arg("-r").arg(root.join(tree)).arg(&folder).status();
                copied.map_err(|error| format!("{tree}: {error}"))?;
            }
        }
        Ok(Session { here: folder.clone(), folder })
    }

    /// Saves a file that the page shows.
    pub(crate) fn save(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.folder.join(name);
        let saved = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        saved.map_err(|error| format!("{name}: {error}"))
    }

    /// Saves all files that the page shows.
    pub(crate) fn save_all(&self, page: &Page) -> Result<(), String> {
        let files = page.blocks.iter().filter_map(|block| Some((block.attribute("file")?, page.text(&block.lines))));
        files.into_iter().try_for_each(|(name, text)| self.save(name, &text))
    }

    /// What the command prints, errors included, and its exit code.
    pub(crate) fn run(&mut self, step: &Step) -> Result<(String, i32), String> {
        if let Some(folder) = step.command.strip_prefix("cd ") {
            self.here = self.here.join(folder.trim());
            return match self.here.is_dir() {
                true => Ok((String::new(), 0)),
                false => Err(format!("cd {folder}: there is no such folder")),
            };
        }
        let output = shell(&step.command).current_dir(&self.here).output();
        let output = output.map_err(|error| format!("{}: {error}", step.command))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let folder = self.folder.display().to_string();
        let text = text.replace(&folder, HOME);
        Ok((text, output.status.code().unwrap_or(-1)))
    }
}

/// A shell that runs the command, with our programs first on its path.
pub(crate) fn shell(command: &str) -> Command {
    let ours = Path::new(env!("CARGO_BIN_EXE_fencepost")).parent().expect("a file is in a folder");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path: OsString =
        std::env::join_paths([ours.to_path_buf()].into_iter().chain(std::env::split_paths(&others))).unwrap_or(others);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1\n{command}")]);
    // What the cargo that runs us has set is not for the commands of the page.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let is_compiler = matches!(&*text, "CARGO_HOME" | "FENCEPOST_CC" | "FENCEPOST_CXX");
        if !is_compiler
            && ["CARGO", "FENCEPOST_", "RUSTC", "RUSTFLAGS", "RUSTDOC"].iter().any(|it| text.starts_with(it))
        {
            shell.env_remove(&name);
        }
    }
    shell.env("PATH", path).env("CARGO_NET_OFFLINE", "true").env("FENCEPOST_CACHE_DIR", cache());
    shell.env("NO_COLOR", "1").stdin(Stdio::null());
    shell
}

/// The folder in which the tests of `cargo fencepost` keep the instrumented library, too.
fn cache() -> PathBuf {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cargo/cache");
    fs::create_dir_all(&cache).expect("a folder for the tests");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o755)).expect("it is ours");
    cache
}

/// What the page should show instead, if the command has printed something else.
pub(crate) fn difference(shown: &str, printed: &str) -> Option<String> {
    let as_shown =
        |printed: String, shown: &str| NormalizeToExpected::new().redact().normalize(text(&printed), &text(shown));
    let masked = mask(shown);
    if as_shown(mask(printed), &masked).to_string() == masked {
        return None;
    }
    Some(as_shown(printed.to_string(), shown).to_string())
}

fn text(text: &str) -> Data {
    Data::text(text.to_string())
}

/// The text with a sign in the place of every number that differs from run to run.
fn mask(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let hexadecimal = rest.strip_prefix("0x").map(|it| it.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
        let pid = rest.strip_prefix("pid=").map(|it| it.trim_start_matches(|c: char| c.is_ascii_digit()));
        let number = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let unit = [" ms", " s ", " s\n", " s,", " runs per second"].iter().any(|unit| number.starts_with(unit));
        (out, rest) = match (hexadecimal, pid) {
            (Some(rest), _) => (out + "0x#", rest),
            (_, Some(rest)) => (out + "pid=#", rest),
            _ if number.len() < rest.len() && unit => (out + "#", number),
            _ if number.len() < rest.len() => (out + &rest[..rest.len() - number.len()], number),
            _ => {
                out.push(first);
                (out, &rest[first.len_utf8()..])
            }
        };
    }
    out
}
