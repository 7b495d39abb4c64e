//! What is added to a compiler's command line.
//!
//! **clang.** `-fsanitize=thread` instruments, and `-fno-sanitize-link-runtime` keeps its own
//! runtime out. If another sanitizer needs its runtime, only the compiler proper hears of ours.
//!
//! **gcc** has no such switch, and would link its runtime when it sees `-fsanitize=thread`. So the
//! option reaches only its compiler proper, through a specs file. gcc warns about fences, which its
//! own runtime does not understand and ours does (`-Wno-tsan`).
//!
//! **Copying.** gcc, and clang before 16, call `memcpy`, `memmove` and `memset` as they are: their
//! own runtimes replace these functions. Ours leaves the C library alone, so the linker redirects
//! the calls, and with all compilers those of fortified builds. What is linked may have been
//! compiled by any of them, whoever links it.
//!
//! **Macros.** Programs can see that they are built for a thread sanitizer, and some then use other
//! orders, or no fences. We judge the orders as they are otherwise, so `__SANITIZE_THREAD__`, which
//! gcc and clang from 22 on define, is undefined again. (clang's `__has_feature(thread_sanitizer)`
//! cannot be.) libstdc++ alone keeps its knowledge: without it, it reads both counts of a
//! `shared_ptr` as one number.
//!
//! **Link-time optimisation** is switched off: gcc would instrument when it links, where nobody
//! asks for it.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::compiler::Family;
use super::line::{Line, Product};

/// Programs are not to see that they are built for a thread sanitizer.
const HIDDEN_MACRO: &str = "-U__SANITIZE_THREAD__";

/// Where things are.
pub(crate) struct Places<'a> {
    pub(crate) archive: &'a Path,
    pub(crate) include: &'a Path,
    pub(crate) exports: &'a Path,
    pub(crate) specs: &'a Path,
    pub(crate) prelude: &'a Path,
    /// An object that says where the reporter is; made only if a program is linked.
    pub(crate) reporter: Option<&'a Path>,
}

/// The whole command line.
pub(crate) fn words(line: &Line, family: Family, atomics_only: bool, places: &Places<'_>) -> Vec<OsString> {
    if line.product == Product::Answer {
        return line.words.clone();
    }
    let mut words = Words(Vec::new());
    let instruments = line.compiles && !line.plain;
    if instruments {
        words.instrument(line, family, atomics_only, places);
    }
    // Through a pipe, gcc's assembler would see the file we add and not what comes through the
    // pipe.
    let no_pipe = instruments && family == Family::Gcc && atomics_only;
    words.0.extend(line.words.iter().filter(|word| !(no_pipe && *word == "-pipe")).cloned());
    if instruments {
        words.add(["-fno-lto"]);
    }
    match line.product {
        Product::Answer | Product::Parts | Product::Relocatable => {}
        Product::Shared => {
            // The runtime is in the program; what the library needs of it is found there.
            words.add(["-Wl,-z,undefs"]);
            words.wrap(atomics_only);
        }
        Product::Program => {
            if line.language {
                words.add(["-x", "none"]);
            }
            words.add(["-Wl,-u,__tsan_init"]);
            words.add([places.archive]);
            words.add(places.reporter);
            words.joined("-Wl,--dynamic-list=", places.exports);
            words.wrap(atomics_only);
            words.add(["-Wl,--push-state,-Bdynamic,--as-needed", "-lpthread", "-ldl", "-lrt", "-lm", "-lgcc_s"]);
            words.add(["-Wl,--pop-state"]);
        }
    }
    words.0
}

struct Words(Vec<OsString>);

impl Words {
    fn add<W: AsRef<OsStr>>(&mut self, words: impl IntoIterator<Item = W>) {
        self.0.extend(words.into_iter().map(|word| word.as_ref().to_os_string()));
    }

    fn joined(&mut self, option: &str, path: &Path) {
        let mut word = OsString::from(option);
        word.push(path);
        self.0.push(word);
    }

    fn instrument(&mut self, line: &Line, family: Family, atomics_only: bool, places: &Places<'_>) {
        match family {
            Family::Clang => {
                match line.other_sanitizers {
                    false => self.add(["-fsanitize=thread", "-fno-sanitize-link-runtime"]),
                    true => self.add(["-Xclang", "-fsanitize=thread"]),
                }
                self.add([HIDDEN_MACRO]);
                if atomics_only {
                    for option in ["memory-accesses", "func-entry-exit", "memintrinsics"] {
                        self.add(["-mllvm", &format!("-tsan-instrument-{option}=0")]);
                    }
                }
            }
            Family::Gcc => {
                self.joined("-specs=", places.specs);
                self.add(["-Wno-tsan", HIDDEN_MACRO, "-D_GLIBCXX_TSAN=1"]);
                if atomics_only {
                    self.add(["--param", "tsan-instrument-func-entry-exit=0"]);
                    self.joined("-Wa,", places.prelude);
                }
            }
        }
        if atomics_only {
            // Without entry and exit calls, stacks are read off the frames.
            self.add(["-fno-omit-frame-pointer"]);
        }
        if !line.debug {
            self.add(["-g"]);
        }
        self.add(["-D__FENCEPOST__=1"]);
        self.joined("-I", places.include);
    }

    /// Redirects what the library copies and sets.
    fn wrap(&mut self, atomics_only: bool) {
        if !atomics_only {
            self.add(["-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset"]);
            self.add(["-Wl,--wrap=__memcpy_chk,--wrap=__memmove_chk,--wrap=__memset_chk"]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str, family: Family, atomics_only: bool) -> String {
        let places = Places {
            archive: Path::new("/rt/lib.a"),
            include: Path::new("/rt/include"),
            exports: Path::new("/rt/exports"),
            specs: Path::new("/rt/specs"),
            prelude: Path::new("/rt/prelude.s"),
            reporter: Some(Path::new("/rt/reporter.o")),
        };
        let line = Line::read(text.split_whitespace().map(OsString::from).collect());
        words(&line, family, atomics_only, &places).join(OsStr::new(" ")).into_string().expect("UTF-8")
    }

    #[test]
    fn questions_are_passed_on() {
        for text in ["--version", "-v", "-dumpmachine", "-print-search-dirs", "-Wl,--help"] {
            assert_eq!(plan(text, Family::Gcc, false), text);
        }
    }

    #[test]
    fn compiling() {
        let clang = "-fsanitize=thread -fno-sanitize-link-runtime -U__SANITIZE_THREAD__ -g -D__FENCEPOST__=1 -I/rt/include -c a.c -fno-lto";
        assert_eq!(plan("-c a.c", Family::Clang, false), clang);
        let gcc = "-specs=/rt/specs -Wno-tsan -U__SANITIZE_THREAD__ -D_GLIBCXX_TSAN=1 -D__FENCEPOST__=1 -I/rt/include -g1 -pipe -c a.c -fno-lto";
        assert_eq!(plan("-g1 -pipe -c a.c", Family::Gcc, false), gcc);
        let only = plan("-pipe -c a.c", Family::Gcc, true);
        assert!(only.contains("-Wa,/rt/prelude.s") && !only.contains("-pipe"), "{only}");
        assert!(plan("-fsanitize=undefined a.c", Family::Clang, false).starts_with("-Xclang -fsanitize=thread "));
        assert_eq!(plan("-c a.s", Family::Gcc, false), "-c a.s");
        assert_eq!(plan("-fno-sanitize=all -c a.c", Family::Gcc, false), "-fno-sanitize=all -c a.c");
    }

    #[test]
    fn linking() {
        let clang = plan("a.o -o a", Family::Clang, false);
        assert!(
            clang.starts_with("a.o -o a -Wl,-u,__tsan_init /rt/lib.a /rt/reporter.o -Wl,--dynamic-list=/rt/exports")
        );
        assert!(!clang.contains("sanitize"), "{clang}");
        for family in [Family::Clang, Family::Gcc] {
            let linked = plan("a.o", family, false);
            assert!(linked.contains("--wrap=memcpy") && linked.contains("--wrap=__memcpy_chk"), "{linked}");
            assert!(!plan("a.o", family, true).contains("wrap"));
        }
        assert!(!plan("-shared a.o", Family::Gcc, false).contains("/rt/lib.a"));
        assert_eq!(plan("-r a.o b.o", Family::Gcc, false), "-r a.o b.o");
        assert!(plan("-x c a", Family::Gcc, false).contains("-x none -Wl,-u,"));
    }
}
