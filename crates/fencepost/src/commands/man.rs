//! `fencepost man`: a page for each command, made from its help.

use std::fs;
use std::io;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use crate::args::{Args, ManArgs};
use crate::exit::Exit;
use crate::files;
use crate::output::{self, Output};

/// The page that `cargo help fencepost` looks for: the same as that of `fencepost cargo`.
const CARGO: (&str, &str) = ("cargo-fencepost.1", ".so man1/fencepost-cargo.1\n");

pub(crate) fn run(args: &ManArgs, _: &mut Output) -> io::Result<Exit> {
    let written = fs::create_dir_all(&args.directory)
        .and_then(|()| pages().iter().try_for_each(|(name, text)| files::write(&args.directory.join(name), text)));
    Ok(match written {
        Ok(()) => Exit::Holds,
        Err(error) => {
            output::note(&format!("error: cannot write to `{}`: {error}\n", args.directory.display()));
            Exit::Error
        }
    })
}

/// Every page, with the name of its file.
fn pages() -> Vec<(String, String)> {
    let mut all = Args::command().disable_help_subcommand(true).version(env!("CARGO_PKG_VERSION"));
    // Gives `check` the name `fencepost-check`.
    all.build();
    let commands = all.get_subcommands().filter(|command| !command.is_hide_set());
    let pages = std::iter::once(&all).chain(commands).map(page);
    pages.chain([(CARGO.0.to_string(), CARGO.1.to_string())]).collect()
}

fn page(command: &Command) -> (String, String) {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_string();
    let source = format!("fencepost {}", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).title(name.to_uppercase()).source(source).manual("fencepost");
    let mut text = Vec::new();
    let sections = [Man::render_title, Man::render_name_section, Man::render_synopsis_section];
    let sections = sections.into_iter().chain([Man::render_description_section, Man::render_options_section]);
    let commands = command.has_subcommands().then_some(Man::render_subcommands_section as Section);
    for section in sections.map(|section| section as Section).chain(commands) {
        section(&man, &mut text).expect("nothing keeps memory from being written to");
    }
    let rest = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string);
    let text = String::from_utf8_lossy(&text).into_owned() + &as_it_is(&rest.unwrap_or_default());
    (format!("{name}.1"), text)
}

type Section = fn(&Man, &mut dyn io::Write) -> io::Result<()>;

/// Examples, exit codes and the like, whose lines stay lines. What is not indented and ends with a
/// colon is the title of a section.
fn as_it_is(text: &str) -> String {
    let mut page = String::new();
    for line in text.lines() {
        match line.strip_suffix(':').filter(|title| !title.starts_with(' ')) {
            Some(title) => page += &format!(".fi\n.SH {}\n.nf\n", title.to_uppercase()),
            None => {
                // `\&` is nothing, and keeps the first letter from being a command.
                let line = line.replace('\\', "\\e").replace('-', "\\-");
                page += &format!("\\&{line}\n");
            }
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_its_examples() {
        let pages = pages();
        let shown = Args::command();
        let commands: Vec<&str> =
            shown.get_subcommands().filter(|it| !it.is_hide_set()).map(|it| it.get_name()).collect();
        assert_eq!(pages.len(), commands.len() + 2, "the command itself, and cargo's");
        for command in commands {
            let name = format!("fencepost-{command}.1");
            let (_, text) = pages.iter().find(|(other, _)| *other == name).expect("a page");
            for section in [".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH OPTIONS"] {
                assert!(text.lines().any(|line| line == section), "{name}: {section}");
            }
            assert!(text.contains(&format!("\nfencepost\\-{command} \\- ")), "{name}");
        }
        let (_, check) = pages.iter().find(|(name, _)| name == "fencepost-check.1").expect("a page");
        assert!(check.contains("\n.SH EXAMPLES\n.nf\n\\&  fencepost check sb.fp "), "{check}");
        assert!(check.contains("\n.SH EXIT CODES\n"));
    }

    #[test]
    fn lines_that_look_like_commands_are_text() {
        assert_eq!(as_it_is("Words:\n.so x\n'a \\n --b"), ".fi\n.SH WORDS\n.nf\n\\&.so x\n\\&'a \\en \\-\\-b\n");
    }
}
