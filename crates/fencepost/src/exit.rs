//! Exit codes. They are a contract: scripts depend on them.

use std::process::ExitCode;

/// How a command ends, from best to worst: with several files the worst one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// The property holds; the command did what it was asked to do.
    Holds,
    /// Undecided.
    Unknown,
    /// A violation was found; with `fmt --check`, a file is not formatted.
    Violation,
    /// Usage, input/output, or a malformed program.
    Error,
    /// A bug in fencepost.
    Internal,
    /// What another program said: the compiler behind `cc`, the program behind `run`.
    #[cfg(fencepost_runtime)]
    Other(u8),
}

impl Exit {
    /// As another program ended, in the words of a shell.
    #[cfg(fencepost_runtime)]
    pub(crate) fn of(status: std::process::ExitStatus) -> Exit {
        use std::os::unix::process::ExitStatusExt;
        let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
        Exit::Other(u8::try_from(code).unwrap_or(u8::MAX))
    }

    /// The number the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Holds => 0,
            Exit::Violation => 1,
            Exit::Error => 2,
            Exit::Unknown => 3,
            Exit::Internal => 101,
            #[cfg(fencepost_runtime)]
            Exit::Other(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn the_order_of_badness_is_not_the_order_of_codes() {
        let mut all = [Exit::Violation, Exit::Internal, Exit::Holds, Exit::Error, Exit::Unknown];
        all.sort();
        assert_eq!(all.map(Exit::code), [0, 3, 1, 2, 101]);
    }
}
