//! The book: its commands print what it shows, its pictures are those that its commands draw, its
//! links lead somewhere.
//!
//! A page is Markdown. Three kinds of fenced blocks mean something here:
//!
//! - `console` blocks are sessions. `$ ` begins a command, what follows is its output. The exit code
//!   is 0, or what the block says of its last command (`code=66`).
//! - A block with `file=NAME` is a file that the reader saves.
//! - `sh` blocks are commands that are not run here, because they install something. They have no
//!   prompt.
//!
//! The blocks of a page are done in their order, in a folder of its own. `FENCEPOST_BLESS=1`
//! rewrites what pages show, and the pictures.
#![cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};

use crate::page::Page;
use crate::session::Session;

mod page;
mod screen;
mod session;

/// Pictures of terminals, the pages whose files are there, and the commands that they show.
const SCREENS: [(&str, &str, &str); 1] =
    [("docs/images/terminal.svg", "docs/five-minutes/fp.md", "fencepost check ring.fp")];

/// How wide lines may be that are not part of a table, a block or a link.
const COLUMNS: usize = 100;

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for name in pages() {
        let page = name.clone();
        trials.push(Trial::test(format!("page/{name}"), move || is_in_order(&page).map_err(Failed::from)));
        match missing(&name) {
            None => trials.push(Trial::test(format!("session/{name}"), move || session(&name).map_err(Failed::from))),
            Some(reason) => trials.push(
                Trial::test(format!("session/{name}"), || Ok(()))
                    .with_kind(format!("skipped: {reason}"))
                    .with_ignored_flag(true),
            ),
        }
    }
    for screen in SCREENS {
        trials.push(Trial::test(format!("screen/{}", screen.0), move || terminal(screen).map_err(Failed::from)));
    }
    trials.push(Trial::test("contents", || contents().map_err(Failed::from)));
    trials.push(Trial::test("pictures", || pictures().map_err(Failed::from)));
    libtest_mimic::run(&arguments, trials).exit();
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn is_blessed() -> bool {
    env::var_os("FENCEPOST_BLESS").is_some()
}

/// The pages of the book, and those at the root of the repository, relative to that.
fn pages() -> Vec<String> {
    let mut found = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(str::to_string).to_vec();
    collect(&root(), "docs", &mut found);
    found.sort();
    found
}

fn collect(root: &Path, folder: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(root.join(folder)).expect("a folder").flatten() {
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(root, &name, found);
        } else if name.ends_with(".md") {
            found.push(name);
        }
    }
}

fn read(name: &str) -> Result<Page, String> {
    let text = fs::read_to_string(root().join(name)).map_err(|error| format!("{name}: {error}"))?;
    Page::new(&text).map_err(|error| format!("{name}: {error}"))
}

/// Why the commands of the page cannot be run here.
fn missing(name: &str) -> Option<String> {
    let steps = read(name).ok()?.all_steps().ok()?;
    let uses = |words: &[&str]| steps.iter().any(|step| words.iter().any(|word| step.command.contains(word)));
    let answers = |command: &str| {
        let mut shell = session::shell(command);
        shell.stdout(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let has_library = || {
        let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?.stdout;
        let library = PathBuf::from(String::from_utf8(sysroot).ok()?.trim_end()).join("lib");
        let files = fs::read_dir(library).ok()?.flatten();
        files.map(|file| file.file_name().to_string_lossy().into_owned()).find(|name| name.starts_with("libLLVM"))
    };
    if uses(&["fencepost cc", "fencepost c++", "fencepost run"]) && !answers("fencepost cc --version") {
        return Some("this fencepost has no sanitizer, or there is no compiler".into());
    }
    if uses(&["cmake"]) && !answers("cmake --version") {
        return Some("cmake is not installed".into());
    }
    if uses(&["cargo"]) && (!answers("cargo --version && fencepost cc --version") || has_library().is_none()) {
        return Some("there is no compiler of Rust with an LLVM of its own".into());
    }
    None
}

/// Runs the commands of a page, and compares.
fn session(name: &str) -> Result<(), String> {
    let page = read(name)?;
    let mut session = Session::new(name, &page)?;
    let mut wrong = Vec::new();
    // What the page should show, from the last command to the first: so numbers of lines stay.
    let mut changes = Vec::new();
    for block in &page.blocks {
        if let Some(file) = block.attribute("file") {
            session.save(file, &page.text(&block.lines))?;
        }
        if block.language != "console" {
            continue;
        }
        for step in page.steps(block)? {
            let line = step.output.start;
            let (printed, code) = session.run(&step)?;
            if code != step.code {
                return Err(format!("{name}:{line}: exit code {code} of `{}`\n{printed}", step.command));
            }
            if let Some(instead) = session::difference(&page.text(&step.output), &printed) {
                wrong.push(format!("{name}:{line}: `{}` prints\n{instead}", step.command));
                changes.push((step.output, instead));
            }
        }
    }
    if is_blessed() && !changes.is_empty() {
        let mut lines = page.lines.clone();
        for (range, instead) in changes.into_iter().rev() {
            lines.splice(range, instead.lines().map(str::to_string));
        }
        fs::write(root().join(name), lines.join("\n") + "\n").map_err(|error| format!("{name}: {error}"))?;
        wrong.clear();
    }
    for picture in drawn(&page)? {
        let picture = picture.as_str();
        let golden = root().join("docs/images").join(picture);
        let made = fs::read_to_string(session.folder.join(picture)).map_err(|error| format!("{picture}: {error}"))?;
        wrong.extend(accept(&golden, &made));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The pictures that commands of the page draw, and that some page shows.
fn drawn(page: &Page) -> Result<BTreeSet<String>, String> {
    let mut found = BTreeSet::new();
    for step in page.all_steps()? {
        for word in step.command.split_whitespace().filter(|word| word.ends_with(".svg") && !word.contains('/')) {
            if shown()?.contains(word) {
                found.insert(word.to_string());
            }
        }
    }
    Ok(found)
}

/// The pictures of `docs/images` that pages show.
fn shown() -> Result<BTreeSet<String>, String> {
    let mut found = BTreeSet::new();
    for name in pages() {
        let links = read(&name)?.links();
        found.extend(links.iter().filter_map(|(_, it)| it.split_once("images/").map(|(_, it)| it.to_string())));
    }
    Ok(found)
}

/// Compares with a file, or replaces it if that is asked for.
fn accept(golden: &Path, made: &str) -> Option<String> {
    if fs::read_to_string(golden).is_ok_and(|text| text == made) {
        return None;
    }
    if !is_blessed() {
        return Some(format!("{} is not what the command draws now: `cargo xtask bless`", golden.display()));
    }
    let folder = golden.parent().map_or(Ok(()), fs::create_dir_all);
    folder.and_then(|()| fs::write(golden, made)).err().map(|error| format!("{}: {error}", golden.display()))
}

fn terminal((picture, page, command): (&str, &str, &str)) -> Result<(), String> {
    let page = read(page)?;
    let session = Session::new(picture, &page)?;
    session.save_all(&page)?;
    let mut shell = session::shell(&format!("{command} --color always"));
    let output = shell.env_remove("NO_COLOR").current_dir(&session.folder).output();
    let printed = String::from_utf8(output.map_err(|error| error.to_string())?.stdout).map_err(|it| it.to_string())?;
    accept(&root().join(picture), &screen::svg(command, &printed)).map_or(Ok(()), Err)
}

/// The page on the outside: prompts, the width of lines, links.
fn is_in_order(name: &str) -> Result<(), String> {
    let page = read(name)?;
    let mut wrong = Vec::new();
    for block in page.blocks.iter().filter(|block| block.language != "console") {
        let prompts = block.lines.clone().filter(|&number| page.lines[number].starts_with("$ "));
        wrong.extend(prompts.map(|number| format!("{name}:{}: a session that is not run", number + 1)));
    }
    for (number, line) in page.prose() {
        let is_link = line.contains("](") || line.contains("://");
        if line.chars().count() > COLUMNS && !line.starts_with('|') && !is_link {
            wrong.push(format!("{name}:{}: wider than {COLUMNS} columns", number + 1));
        }
    }
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    for (number, target) in page.links() {
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (path, anchor) = target.split_once('#').map_or((target.as_str(), None), |(path, it)| (path, Some(it)));
        let path = if path.is_empty() { PathBuf::from(name) } else { folder.join(path) };
        let leads = root().join(&path).exists();
        let lands = match anchor {
            Some(anchor) if leads => read(&path.to_string_lossy())?.anchors().iter().any(|it| it == anchor),
            _ => leads,
        };
        if !lands {
            wrong.push(format!("{name}:{}: the link `{target}` leads nowhere", number + 1));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The table of contents has every page, once.
fn contents() -> Result<(), String> {
    let mut listed: Vec<String> =
        read("docs/SUMMARY.md")?.links().into_iter().map(|(_, target)| format!("docs/{target}")).collect();
    listed.sort();
    let mut wanted = pages();
    wanted.retain(|name| name.starts_with("docs/") && name != "docs/SUMMARY.md");
    if listed == wanted {
        return Ok(());
    }
    let differ = |one: &[String], other: &[String]| -> Vec<String> {
        one.iter().filter(|name| !other.contains(name)).cloned().collect()
    };
    Err(format!("not in SUMMARY.md: {:?}; only there: {:?}", differ(&wanted, &listed), differ(&listed, &wanted)))
}

/// Every picture is shown by a page, and drawn by a command that is run here.
fn pictures() -> Result<(), String> {
    let mut made: BTreeSet<String> = BTreeSet::new();
    for name in pages() {
        made.extend(drawn(&read(&name)?)?);
    }
    made.extend(SCREENS.iter().filter_map(|(path, ..)| path.rsplit_once('/').map(|(_, name)| name.to_string())));
    let there: BTreeSet<String> = fs::read_dir(root().join("docs/images"))
        .map_err(|error| format!("docs/images: {error}"))?
        .flatten()
        .map(|file| file.file_name().to_string_lossy().into_owned())
        .collect();
    let shown = shown()?;
    if made == there && shown == there {
        return Ok(());
    }
    Err(format!("in docs/images: {there:?}\nshown: {shown:?}\ndrawn: {made:?}"))
}
