//! What a compiler's command line asks for: enough to know what to add to it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A command line of a compiler, without the words that are for us or that we replace.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The words for the compiler.
    pub(crate) words: Vec<OsString>,
    /// `--atomics-only` was among them.
    pub(crate) atomics_only: bool,
    /// There is a file that can be instrumented.
    pub(crate) compiles: bool,
    /// What is made at the end.
    pub(crate) product: Product,
    /// Debug information was asked for, or asked not to be there.
    pub(crate) debug: bool,
    /// Instrumentation was switched off: `-fno-sanitize=thread`.
    pub(crate) plain: bool,
    /// Other sanitizers are asked for, and want their runtime.
    pub(crate) other_sanitizers: bool,
    /// `-x` is in force at the end, and would hold for what we add.
    pub(crate) language: bool,
    /// Why it cannot be done.
    pub(crate) refusal: Option<String>,
}

/// What a command line makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Product {
    /// Nothing: it only asks for something, such as the version.
    #[default]
    Answer,
    /// Something that is not linked: objects, assembly, preprocessed text, dependencies.
    Parts,
    /// A shared library.
    Shared,
    /// An object made of objects.
    Relocatable,
    /// A program.
    Program,
}

/// Options whose argument is the next word.
const WITH_ARGUMENT: &[&str] = &[
    "-o",
    "-x",
    "--language",
    "-target",
    "--target",
    "-I",
    "-L",
    "-D",
    "-U",
    "-A",
    "-B",
    "-T",
    "-u",
    "-z",
    "-e",
    "-h",
    "-l",
    "-V",
    "-b",
    "-G",
    "-F",
    "-include",
    "-imacros",
    "-isystem",
    "-idirafter",
    "-iprefix",
    "-iquote",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-imultilib",
    "-iframework",
    "-ivfsoverlay",
    "-cxx-isystem",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-Xanalyzer",
    "-mllvm",
    "-arch",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "--param",
    "-aux-info",
    "-wrapper",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-framework",
    "-gcc-toolchain",
    "--sysroot",
    "-Tdata",
    "-Ttext",
    "-Tbss",
    "-rpath",
    "-install_name",
    "-current_version",
    "-compatibility_version",
    "-undefined",
    "--config",
    "--entry",
    "--output",
    "--include-directory",
    "--library-directory",
    "--define-macro",
    "--undefine-macro",
    "--serialize-diagnostics",
];

/// Options that stop before linking.
const STOPS: &[&str] = &[
    "-c",
    "-S",
    "-E",
    "-M",
    "-MM",
    "-fsyntax-only",
    "-emit-ast",
    "--compile",
    "--assemble",
    "--preprocess",
    "--analyze",
    "--dependencies",
    "--user-dependencies",
    "--precompile",
];

/// Endings of files that hold C or C++.
const SOURCES: &[&str] = &["c", "i", "C", "cc", "cp", "cxx", "cpp", "CPP", "c++", "ii", "cppm", "ixx"];
/// Endings of files that hold C or C++ and give nothing to link.
const HEADERS: &[&str] = &["h", "hh", "H", "hp", "hxx", "hpp", "HPP", "h++", "tcc"];

/// Sanitizers whose runtimes want to be where ours is.
const OTHER_RUNTIMES: &[&str] = &["address", "hwaddress", "memory", "leak", "dataflow", "kernel-address"];

/// What the words so far have said.
#[derive(Default)]
struct Seen {
    /// Stop before linking.
    stops: bool,
    /// Only answer a question.
    asks: bool,
    shared: bool,
    relocatable: bool,
    is_static: bool,
    /// There is a file or a library.
    inputs: bool,
    /// There is one that can be linked.
    linkable: bool,
    /// What `-x` says.
    language: Option<OsString>,
}

impl Line {
    /// Reads a command line; response files are expanded already.
    pub(crate) fn read(words: Vec<OsString>) -> Line {
        let (mut line, mut seen) = (Line::default(), Seen::default());
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy().into_owned();
            if text == "--atomics-only" {
                line.atomics_only = true;
            } else if let Some(list) = text.strip_prefix("-fsanitize=") {
                let others = line.take_others(list);
                line.other_sanitizers |= others.is_some();
                line.words.extend(others);
            } else if WITH_ARGUMENT.contains(&text.as_str()) {
                let argument = words.next();
                line.option_with_argument(&text, argument.as_deref(), &mut seen);
                line.words.push(word);
                line.words.extend(argument);
            } else {
                line.word(&text, &mut seen);
                line.words.push(word);
            }
        }
        line.language = seen.language.is_some();
        line.product = seen.product();
        // Build systems put -static on every line; it is the linker's business.
        if seen.is_static && !matches!(line.product, Product::Answer | Product::Parts) {
            line.refusal = Some(STATIC.into());
        }
        line
    }

    fn option_with_argument(&mut self, option: &str, argument: Option<&OsStr>, seen: &mut Seen) {
        match (option, argument) {
            ("-target" | "--target", Some(target)) => self.check_target(target),
            ("-x" | "--language", Some(language)) => seen.speaks(language),
            ("-l", _) => seen.library(),
            _ => {}
        }
    }

    /// An option without an argument of its own, or a file.
    fn word(&mut self, word: &str, seen: &mut Seen) {
        match word {
            "-static" | "--static" | "-static-pie" => seen.is_static = true,
            "-m32" | "-mx32" | "-m16" => {
                self.refusal = Some(format!("`{word}`: only 64-bit x86 programs can be observed"));
            }
            "-shared" | "--shared" | "-dynamiclib" => seen.shared = true,
            "-r" | "--relocatable" => seen.relocatable = true,
            "-" => {
                self.compiles = true;
                seen.library();
            }
            _ if STOPS.contains(&word) => seen.stops = true,
            _ if is_query(word) => seen.asks = true,
            _ if word.starts_with('-') => self.option(word, seen),
            file => {
                let kind = Kind::of(Path::new(file), seen.language.as_deref());
                self.compiles |= kind != Kind::Other;
                seen.inputs = true;
                seen.linkable |= kind != Kind::Header;
            }
        }
    }

    fn option(&mut self, option: &str, seen: &mut Seen) {
        if let Some(target) = option.strip_prefix("--target=") {
            self.check_target(OsStr::new(target));
        } else if let Some(language) = option.strip_prefix("-x").or(option.strip_prefix("--language=")) {
            seen.speaks(OsStr::new(language));
        } else if let Some(list) = option.strip_prefix("-fno-sanitize=") {
            self.plain |= list.split(',').any(|one| one == "thread" || one == "all");
        } else if option.starts_with("-g") {
            self.debug |= !option.starts_with("-gcc-");
        } else if option.starts_with("-l") {
            seen.library();
        }
    }

    fn check_target(&mut self, target: &OsStr) {
        let target = target.to_string_lossy();
        if !(target.starts_with("x86_64") && target.contains("linux")) || target.contains("musl") {
            self.refusal = Some(format!("target `{target}`: only x86-64 Linux programs with glibc can be observed"));
        }
    }

    /// What is left of `-fsanitize=LIST` without what we do ourselves.
    fn take_others(&mut self, list: &str) -> Option<OsString> {
        let others: Vec<&str> = list.split(',').filter(|&one| one != "thread").collect();
        if let Some(clash) = others.iter().find(|one| OTHER_RUNTIMES.contains(one)) {
            self.refusal = Some(format!("`-fsanitize={clash}` and fencepost cannot be in one program"));
        }
        (!others.is_empty()).then(|| format!("-fsanitize={}", others.join(",")).into())
    }
}

impl Seen {
    /// Something to link.
    fn library(&mut self) {
        (self.inputs, self.linkable) = (true, true);
    }

    fn speaks(&mut self, language: &OsStr) {
        self.language = (language != "none").then(|| language.to_os_string());
    }

    fn product(&self) -> Product {
        match () {
            () if self.asks || !self.inputs => Product::Answer,
            () if self.stops || !self.linkable => Product::Parts,
            () if self.relocatable => Product::Relocatable,
            () if self.shared => Product::Shared,
            () => Product::Program,
        }
    }
}

const STATIC: &str = "`-static`: the runtime needs the dynamic C library; link without it (`-static-libgcc` and `-static-libstdc++` are fine)";

/// Asks the compiler about itself.
fn is_query(word: &str) -> bool {
    ["--version", "--help", "--target-help", "-dumpmachine", "-dumpversion", "-dumpfullversion", "-dumpspecs"]
        .contains(&word)
        || ["-print-", "--print-", "--help="].iter().any(|start| word.starts_with(start))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Source,
    Header,
    /// Objects, libraries, assembly, other languages.
    Other,
}

impl Kind {
    /// By `-x` if given, else by the ending.
    fn of(file: &Path, language: Option<&OsStr>) -> Kind {
        match language.map(OsStr::as_bytes) {
            Some(b"c" | b"c++" | b"cpp-output" | b"c++-cpp-output" | b"c++-module") => return Kind::Source,
            Some(b"c-header" | b"c++-header") => return Kind::Header,
            Some(_) => return Kind::Other,
            None => {}
        }
        match file.extension().and_then(OsStr::to_str) {
            Some(ending) if SOURCES.contains(&ending) => Kind::Source,
            Some(ending) if HEADERS.contains(&ending) => Kind::Header,
            _ => Kind::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line::read(text.split_whitespace().map(OsString::from).collect())
    }

    #[test]
    fn what_is_made() {
        for (text, compiles, product) in [
            ("", false, Product::Answer),
            ("--version", false, Product::Answer),
            ("-v", false, Product::Answer),
            ("-dumpmachine", false, Product::Answer),
            ("-print-prog-name=ld", false, Product::Answer),
            ("-Wl,--version", false, Product::Answer),
            ("a.c", true, Product::Program),
            ("-v a.c", true, Product::Program),
            ("-c a.c -o a.o", true, Product::Parts),
            ("-S a.cpp", true, Product::Parts),
            ("-E -x c -", true, Product::Parts),
            ("-E -", true, Product::Parts),
            ("-MM a.c", true, Product::Parts),
            ("-MD -MF a.d -c a.cc", true, Product::Parts),
            ("-MD a.c -o a", true, Product::Program),
            ("-c a.s", false, Product::Parts),
            ("-c a.S -Iinclude.c", false, Product::Parts),
            ("a.o b.o -o prog.c", false, Product::Program),
            ("a.o -lm", false, Product::Program),
            ("-lm -l m", false, Product::Program),
            ("a.o b.c", true, Product::Program),
            ("-shared a.o -o liba.so", false, Product::Shared),
            ("-shared -fPIC a.c", true, Product::Shared),
            ("-r a.o b.o", false, Product::Relocatable),
            ("-include config.h a.c", true, Product::Program),
            ("-include config.h a.o", false, Product::Program),
            ("-x c program", true, Product::Program),
            ("-x c++ a.o -x none b.o", true, Product::Program),
            ("-x none a.o", false, Product::Program),
            ("-xassembler a.c", false, Product::Program),
            ("common.h", true, Product::Parts),
            ("-Xlinker a.c b.o", false, Product::Program),
            ("-fsyntax-only a.c", true, Product::Parts),
        ] {
            let read = line(text);
            assert_eq!((read.compiles, read.product, read.refusal), (compiles, product, None), "{text}");
        }
    }

    #[test]
    fn words_are_passed_on_unless_they_are_ours() {
        let read = line("-O2 --atomics-only -fsanitize=thread,undefined -fsanitize=thread -o x a.c -x c b");
        assert!(read.atomics_only && read.language);
        let words: Vec<&str> = read.words.iter().filter_map(|word| word.to_str()).collect();
        assert_eq!(words, ["-O2", "-fsanitize=undefined", "-o", "x", "a.c", "-x", "c", "b"]);
        // An argument that looks like ours is not.
        assert!(!line("-o --atomics-only a.c").atomics_only);
    }

    #[test]
    fn what_cannot_be_done_is_refused() {
        for text in ["-static a.o", "a.c -static-pie", "-m32 -c a.c", "--target=aarch64-linux-gnu -c a.c"] {
            assert!(line(text).refusal.is_some(), "{text}");
        }
        for text in ["-fsanitize=address -c a.c", "-target x86_64-linux-musl -c a.c", "-fsanitize=undefined,leak a.o"] {
            assert!(line(text).refusal.is_some(), "{text}");
        }
        for text in ["-static -c a.c", "-static --version", "-target x86_64-pc-linux-gnu -c a.c", "-static-libgcc a.o"]
        {
            assert_eq!(line(text).refusal, None, "{text}");
        }
    }

    #[test]
    fn debug_information_and_instrumentation() {
        assert!(line("-g -c a.c").debug && line("-g0 -c a.c").debug && line("-ggdb3 -c a.c").debug);
        assert!(!line("-gcc-toolchain /x -c a.c").debug && !line("-c a.c -I -g").debug);
        assert!(line("-fno-sanitize=all -c a.c").plain && !line("-fno-sanitize=undefined -c a.c").plain);
    }
}
