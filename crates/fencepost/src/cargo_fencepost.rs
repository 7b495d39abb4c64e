//! `cargo fencepost`: cargo starts the program `cargo-fencepost`, which becomes `fencepost cargo`,
//! the command beside it.

use std::env;
use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    // The first word is the subcommand again, if cargo has started us.
    let mut words: Vec<_> = env::args_os().skip(1).collect();
    if words.first().is_some_and(|word| word == "fencepost") {
        words.remove(0);
    }
    let beside = env::current_exe().map(|ours| ours.with_file_name(format!("fencepost{}", env::consts::EXE_SUFFIX)));
    let command =
        beside.ok().filter(|path| path.is_file()).map_or_else(|| "fencepost".into(), |path| path.into_os_string());
    match std::process::Command::new(&command).arg("cargo").args(words).status() {
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)),
        Err(error) => {
            let name = command.to_string_lossy();
            let _ =
                writeln!(std::io::stderr(), "fencepost: error: cannot run `{name}`: {error}; is fencepost installed?");
            ExitCode::from(2)
        }
    }
}
