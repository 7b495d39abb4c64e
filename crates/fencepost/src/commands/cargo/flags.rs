//! What is added to the compiler's command line.
//!
//! The flags come last, after those of cargo and of the user, so they are added to the user's and
//! win over them where only one can be right.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::tools::Tools;

/// The passes of the thread sanitizer. LLVM's pipeline without optimisation leaves out the first
/// one, which gives every function the attribute without which no plain access is instrumented.
pub(super) const PASSES: [&str; 3] = ["forceattrs", "tsan-module", "tsan"];
/// The option of that pass.
pub(super) const ATTRIBUTE: &str = "-force-attribute=sanitize_thread";

/// For everything that is compiled for the target, with this sysroot if it is not the usual one.
pub(super) fn all(sysroot: Option<&Path>, tools: &Tools) -> Vec<OsString> {
    let mut flags: Vec<OsString> = PASSES.iter().map(|pass| format!("-Cpasses={pass}").into()).collect();
    flags.push(format!("-Cllvm-args={ATTRIBUTE}").into());
    // Passes do not run when the linker optimises, and symbols are needed for reports.
    flags.extend(["-Clto=off", "-Cstrip=none"].map(OsString::from));
    flags.extend(["--cfg", "fencepost", "--check-cfg", "cfg(fencepost)"].map(OsString::from));
    flags.push(joined("-Clinker=", tools.cc().as_os_str()));
    match sysroot {
        Some(sysroot) => flags.extend(["--sysroot".into(), sysroot.as_os_str().to_os_string()]),
        // The runtime looks whether there is such a symbol.
        None => flags.push("-Clink-arg=-Wl,--defsym=__fencepost_prebuilt_library=1".into()),
    }
    flags
}

/// For a compiler that was asked for no debug information: reports need lines.
pub(super) fn debug(words: &[OsString]) -> Option<OsString> {
    let mut last = None;
    for (number, word) in words.iter().enumerate() {
        let text = word.to_string_lossy();
        let joined = text.strip_prefix("-C").or_else(|| text.strip_prefix("--codegen="));
        let option = match joined {
            Some("") => words.get(number + 1).map(|next| next.to_string_lossy().into_owned()),
            Some(option) => Some(option.to_string()),
            None if text == "-g" => Some("debuginfo=2".into()),
            None if text == "--codegen" => words.get(number + 1).map(|next| next.to_string_lossy().into_owned()),
            None => None,
        };
        last = option.and_then(|option| Some(option.strip_prefix("debuginfo=")?.to_string())).or(last);
    }
    matches!(last.as_deref(), None | Some("0" | "none")).then(|| "-Cdebuginfo=1".into())
}

pub(super) fn joined(option: &str, value: &OsStr) -> OsString {
    let mut word = OsString::from(option);
    word.push(value);
    word
}

/// Is something compiled for the target? Build scripts and procedural macros are compiled without
/// saying for what.
pub(super) fn is_for_target(words: &[OsString]) -> bool {
    words.iter().any(|word| word == "--target" || word.to_string_lossy().starts_with("--target="))
}

/// The linker that the words ask for, the last one.
pub(super) fn linker(words: &[OsString]) -> Option<OsString> {
    let mut found = None;
    for (number, word) in words.iter().enumerate() {
        let text = word.to_string_lossy();
        let option = match &*text {
            "-C" | "--codegen" => words.get(number + 1).map(|next| next.to_string_lossy().into_owned()),
            _ => text.strip_prefix("-C").map(str::to_string),
        };
        found = option.and_then(|option| Some(option.strip_prefix("linker=")?.into())).or(found);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn debug_information_is_added_where_there_is_none() {
        for (text, wanted) in [
            ("--crate-name a", true),
            ("-C debuginfo=2", false),
            ("-Cdebuginfo=line-tables-only", false),
            ("-C debuginfo=2 -C debuginfo=0", true),
            ("-g", false),
            ("--codegen debuginfo=none", true),
        ] {
            assert_eq!(debug(&words(text)).is_some(), wanted, "{text}");
        }
    }

    #[test]
    fn who_says_for_what_it_compiles() {
        assert!(is_for_target(&words("a.rs --target x86_64-unknown-linux-gnu")));
        assert!(is_for_target(&words("--target=x86_64-unknown-linux-gnu a.rs")));
        assert!(!is_for_target(&words("build.rs --crate-type bin")));
    }

    #[test]
    fn the_users_linker() {
        assert_eq!(linker(&words("-C linker=clang -Copt-level=2 a.rs")), Some("clang".into()));
        assert_eq!(linker(&words("-Clinker=a -C linker=b")), Some("b".into()));
        assert_eq!(linker(&words("-C opt-level=1")), None);
    }
}
