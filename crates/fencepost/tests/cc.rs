//! `fencepost cc` and `fencepost c++` with the compilers that are installed: build systems see an
//! ordinary compiler, and what they build calls the runtime.
#![cfg_attr(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")), allow(dead_code))]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fencepost_testkit::compilers::{Compiler, compilers};
use libtest_mimic::{Arguments, Trial};

type Test = fn(&Compiler);

/// What is tried with each compiler.
const TESTS: [(&str, Test); 9] = [
    ("one_step_two_steps_and_response_files", one_step_two_steps_and_response_files),
    ("atomics_only_leaves_plain_accesses_alone", atomics_only_leaves_plain_accesses_alone),
    ("shared_libraries_find_the_runtime_in_the_program", shared_libraries_find_the_runtime_in_the_program),
    ("cpp_programs", cpp_programs),
    ("make_sees_an_ordinary_compiler", make_sees_an_ordinary_compiler),
    ("probes_see_an_ordinary_compiler", probes_see_an_ordinary_compiler),
    ("failures_are_the_compilers_own_or_explained", failures_are_the_compilers_own_or_explained),
    ("fortified_functions_are_seen_and_still_check", fortified_functions_are_seen_and_still_check),
    ("tests_say_what_goes_wrong", tests_say_what_goes_wrong),
];

fn main() {
    let arguments = Arguments::from_args();
    if cfg!(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))) {
        libtest_mimic::run(&arguments, vec![skipped("cc", "there is no sanitizer for this target")]).exit();
    }
    let mut trials = vec![Trial::test("compilers_that_are_not_there_are_missed", || {
        compilers_that_are_not_there_are_missed();
        Ok(())
    })];
    for (compiler, found) in compilers() {
        for (name, test) in TESTS {
            let name = format!("{name}/{compiler}");
            let no_make = name.starts_with("make") && Command::new("make").arg("--version").output().is_err();
            trials.push(match found.clone() {
                Ok(_) if no_make => skipped(&name, "make is not installed"),
                Ok(compiler) => Trial::test(name, move || {
                    test(&compiler);
                    Ok(())
                }),
                Err(reason) => skipped(&name, &reason),
            });
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// A test that cannot be tried, with the reason.
fn skipped(name: &str, reason: &str) -> Trial {
    Trial::test(name, || Ok(())).with_kind(format!("skipped: {reason}")).with_ignored_flag(true)
}

fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cc").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a directory");
    path
}

/// One cache for all tests: they are run at the same time, as in a parallel build.
fn command(language: &str, compiler: &str, directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args([language, "--compiler", compiler]).current_dir(directory);
    command.env("FENCEPOST_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cc-cache"));
    command.env_remove("FENCEPOST_ATOMICS_ONLY");
    command
}

fn cc(compiler: &str, directory: &Path, words: &str) -> Output {
    command("cc", compiler, directory).args(words.split_whitespace()).output().expect("fencepost starts")
}

fn done(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The names that an object or program uses or has.
fn symbols(directory: &Path, file: &str, options: &[&str]) -> String {
    let output = Command::new("nm").args(options).arg(file).current_dir(directory).output().expect("nm");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

const PROGRAM: &str = r#"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#ifndef __FENCEPOST__
#error not built by fencepost
#endif
#ifdef __SANITIZE_THREAD__
#error the program can tell
#endif
#include "fencepost.h"
_Atomic int x;
int plain;
char from[64] = "copied", to[64];
int main(int argc, char **argv) {
  atomic_store_explicit(&x, 2, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  plain = argc;
  memcpy(to, from, 16 * argc);
  printf("%d %d %s\n", atomic_fetch_add(&x, 1), plain, to);
  return 7;
}
"#;

fn runs(directory: &Path, program: &str) {
    let output = Command::new(directory.join(program)).env("FENCEPOST_OPTIONS", "").output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        (&*text, output.status.code()),
        ("2 1 copied\n", Some(7)),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn one_step_two_steps_and_response_files(Compiler { cc: compiler, .. }: &Compiler) {
    let dir = scratch(&format!("steps-{compiler}"));
    fs::write(dir.join("a.c"), PROGRAM).expect("a file");
    done(&cc(compiler, &dir, "-O1 -Wall -Werror -pthread a.c -o one"));
    runs(&dir, "one");
    done(&cc(compiler, &dir, "-Wall -Werror -c a.c"));
    done(&cc(compiler, &dir, "a.o -o two -pthread"));
    runs(&dir, "two");
    fs::write(dir.join("words"), "-O1 \"-DUNUSED='a b'\" -Wall\n-Werror 'a.c' -o three\n").expect("a file");
    done(&cc(compiler, &dir, "@words"));
    runs(&dir, "three");
    done(&cc(compiler, &dir, "-S a.c -o a.s"));
    done(&cc(compiler, &dir, "-Werror a.s -o four"));
    runs(&dir, "four");
    done(&cc(compiler, &dir, "-flto -O2 a.c -o five"));
    runs(&dir, "five");
    fs::rename(dir.join("a.c"), dir.join("text")).expect("a file");
    done(&cc(compiler, &dir, "-Werror -x c text -o six"));
    runs(&dir, "six");
    for program in ["one", "two", "three", "four", "five", "six"] {
        let names = symbols(&dir, program, &["-D"]);
        assert!(names.contains("__tsan_write4") && names.contains("__fencepost_reporter"), "{compiler} {program}");
        assert!(!names.contains(" U __tsan"), "{compiler} {program}");
        assert!(!names.contains(" U memcpy"), "{compiler} {program}: what the library copies is not seen");
        let needed = Command::new("readelf").arg("-d").arg(dir.join(program)).output().expect("readelf");
        assert!(!String::from_utf8_lossy(&needed.stdout).contains("libtsan"), "{compiler} {program}");
    }
}

fn atomics_only_leaves_plain_accesses_alone(Compiler { cc: compiler, .. }: &Compiler) {
    let dir = scratch(&format!("only-{compiler}"));
    fs::write(dir.join("a.c"), PROGRAM).expect("a file");
    done(&cc(compiler, &dir, "-O1 -pipe -c a.c --atomics-only"));
    let names = symbols(&dir, "a.o", &["-u"]);
    assert!(names.contains("__tsan_atomic32_store") && names.contains("__tsan_atomic_thread_fence"), "{names}");
    for absent in ["__tsan_read", "__tsan_write", "__tsan_func", "__tsan_mem"] {
        assert!(!names.contains(absent), "{compiler}: {names}");
    }
    done(&cc(compiler, &dir, "--atomics-only a.o -o a"));
    runs(&dir, "a");
    let by_environment = command("cc", compiler, &dir).args(["-c", "a.c"]).env("FENCEPOST_ATOMICS_ONLY", "1").output();
    done(&by_environment.expect("fencepost starts"));
    assert!(!symbols(&dir, "a.o", &["-u"]).contains("__tsan_write"));
    done(&cc(compiler, &dir, "-c a.c"));
    assert!(symbols(&dir, "a.o", &["-u"]).contains("__tsan_write"));
}

fn shared_libraries_find_the_runtime_in_the_program(Compiler { cc: compiler, .. }: &Compiler) {
    let dir = scratch(&format!("shared-{compiler}"));
    let library = "#include <stdatomic.h>\n#include <string.h>\n_Atomic int y; char a[99], b[99];\n\
                   int add(int n) { memcpy(a, b, n); return atomic_fetch_add(&y, n) + a[0]; }\n";
    fs::write(dir.join("lib.c"), library).expect("a file");
    let linked = "int add(int);\nint main(void) { return add(3) + add(1) + 2; }\n";
    fs::write(dir.join("linked.c"), linked).expect("a file");
    let opened = "#include <dlfcn.h>\n#include <stdio.h>\nint main(void) {\n\
                  void *lib = dlopen(\"./libadd.so\", RTLD_NOW);\n\
                  if (!lib) { puts(dlerror()); return 1; }\n\
                  int (*add)(int) = (int (*)(int))dlsym(lib, \"add\");\n  return add(3) + add(1) + 2; }\n";
    fs::write(dir.join("opened.c"), opened).expect("a file");
    done(&cc(compiler, &dir, "-shared -fPIC lib.c -o libadd.so -Wl,-z,defs"));
    assert!(symbols(&dir, "libadd.so", &["-D"]).contains(" U __tsan_atomic32_fetch_add"));
    done(&cc(compiler, &dir, "linked.c -o linked -L. -ladd -Wl,-rpath,$ORIGIN"));
    done(&cc(compiler, &dir, "opened.c -o opened -ldl"));
    for program in ["linked", "opened"] {
        let output = Command::new(dir.join(program)).current_dir(&dir).output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(5), "{compiler} {program}: {text}");
    }
}

fn cpp_programs(Compiler { cxx: compiler, .. }: &Compiler) {
    let dir = scratch(&format!("cpp-{compiler}"));
    let program = "#include <atomic>\n#include <memory>\n#include <iostream>\n#include <stdexcept>\n\
                   std::atomic<long> x{1};\n\
                   int main() { auto p = std::make_shared<int>(3); auto q = p;\n\
                   try { throw std::runtime_error(\"thrown\"); } catch (std::exception &e) { std::cout << e.what(); }\n\
                   return *q + x.fetch_add(1); }\n";
    fs::write(dir.join("a.cpp"), program).expect("a file");
    for options in [&["-O0"][..], &["-O2", "--atomics-only"]] {
        let built =
            command("c++", compiler, &dir).args(["-Wall", "-Werror", "a.cpp", "-o", "a"]).args(options).output();
        done(&built.expect("fencepost starts"));
        let output = Command::new(dir.join("a")).output().expect("it starts");
        assert_eq!((&*output.stdout, output.status.code()), (&b"thrown"[..], Some(4)), "{compiler}");
    }
}

fn make_sees_an_ordinary_compiler(Compiler { cc: compiler, .. }: &Compiler) {
    let dir = scratch(&format!("make-{compiler}"));
    fs::write(dir.join("main.c"), PROGRAM).expect("a file");
    fs::write(dir.join("other.c"), "int other(void) { return 1; }\n").expect("a file");
    let makefile = "prog: main.o libother.a\n\t$(CC) $(LDFLAGS) $^ -o $@\nlibother.a: other.o\n\t$(AR) rcs $@ $^\n\
                    %.o: %.c\n\t$(CC) $(CFLAGS) -MMD -c $< -o $@\n-include *.d\n";
    fs::write(dir.join("Makefile"), makefile).expect("a file");
    let driver = format!("CC={} cc --compiler {compiler}", env!("CARGO_BIN_EXE_fencepost"));
    let cache = dir.join("cache");
    let output = Command::new("make")
        .args(["-j4", &driver, "CFLAGS=-O2 -g -Wall -Werror", "LDFLAGS=-pthread"])
        .env("FENCEPOST_CACHE_DIR", &cache)
        .current_dir(&dir)
        .output();
    done(&output.expect("make starts"));
    runs(&dir, "prog");
    let dependencies = fs::read_to_string(dir.join("main.d")).expect("dependencies");
    assert!(dependencies.contains("main.o: main.c"), "{dependencies}");
}

/// What build systems ask a compiler.
fn probes_see_an_ordinary_compiler(Compiler { cc: compiler, .. }: &Compiler) {
    let dir = scratch(&format!("probes-{compiler}"));
    for question in
        ["--version", "-v", "-dumpmachine", "-print-prog-name=ld", "-print-search-dirs", "-E -dM -x c /dev/null"]
    {
        let ours = cc(compiler, &dir, question);
        let theirs = Command::new(compiler).args(question.split_whitespace()).output().expect("it starts");
        assert_eq!(ours.status.code(), theirs.status.code(), "{question}");
        if !question.starts_with("-E") {
            assert_eq!((ours.stdout, ours.stderr), (theirs.stdout, theirs.stderr), "{question}");
        }
    }
}

fn failures_are_the_compilers_own_or_explained(Compiler { cc: compiler, .. }: &Compiler) {
    let dir = scratch(&format!("failures-{compiler}"));
    fs::write(dir.join("bad.c"), "int main(void) { return nothing; }\n").expect("a file");
    fs::write(dir.join("good.c"), "int main(void) { return 0; }\n").expect("a file");
    let output = cc(compiler, &dir, "-c bad.c");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("bad.c:1:25"));
    fs::write(dir.join("words"), "-c bad.c").expect("a file");
    assert_eq!(cc(compiler, &dir, "@words").status.code(), Some(1));
    for (words, why) in [
        ("-static good.c", "dynamic C library"),
        ("-m32 -c good.c", "64-bit"),
        ("-fsanitize=address -c good.c", "cannot be in one program"),
    ] {
        let output = cc(compiler, &dir, words);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(why), "{words}");
    }
}

fn compilers_that_are_not_there_are_missed() {
    let dir = scratch("not-there");
    let output = cc("/no/such/compiler", &dir, "-c a.c");
    assert_eq!(output.status.code(), Some(2));
    let output = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(["cc", "-c", "a.c"])
        .env("PATH", "/nowhere")
        .env_remove("FENCEPOST_CC")
        .output();
    let output = output.expect("fencepost starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no compiler found"));
}

const OVERFLOW: &str = r#"
#include <string.h>
char from[64] = "copied", to[64];
int main(int argc, char **argv) {
  (void)argv;
  /* Too much if there is an argument. */
  memcpy(to, from, 40 * argc);
  memset(to, 0, 20 * argc);
  memmove(to, to + 8, 10 * argc);
  return 7;
}
"#;

fn fortified_functions_are_seen_and_still_check(Compiler { cc: compiler, .. }: &Compiler) {
    let dir = scratch(&format!("fortified-{compiler}"));
    fs::write(dir.join("a.c"), OVERFLOW).expect("a file");
    done(&cc(compiler, &dir, "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -c a.c"));
    let names = symbols(&dir, "a.o", &["-u"]);
    for name in ["__memcpy_chk", "__memset_chk", "__memmove_chk"] {
        assert!(names.contains(name), "{compiler}: {names}");
    }
    done(&cc(compiler, &dir, "a.o -o a"));
    let names = symbols(&dir, "a", &["-u"]);
    assert!(!names.contains("__memcpy_chk") && !names.contains("__memset_chk"), "{compiler}: {names}");
    let run = |arguments: &[&str]| Command::new(dir.join("a")).args(arguments).output().expect("it starts");
    assert_eq!(run(&[]).status.code(), Some(7));
    let output = run(&["too", "much"]);
    assert_eq!(output.status.code(), None, "{compiler}: ended by a signal");
    assert!(String::from_utf8_lossy(&output.stderr).contains("buffer overflow detected"), "{compiler}");
}

const TEST: &str = r#"#include "fencepost.h"
#include "genmc.h"
int main(int argc, char **argv) {
  fencepost_assert(fencepost_choose(3) == 0);
  if (argc == 2) fencepost_assume(!argv);
  if (argc == 3) __VERIFIER_assume(!argv);
  fencepost_assert(argc == 1 && "one, two");
  return 3;
}
"#;

/// As a program that is watched and as an ordinary one, in C and in C++.
fn tests_say_what_goes_wrong(Compiler { cc, cxx }: &Compiler) {
    let dir = scratch(&format!("tests-{cc}"));
    fs::write(dir.join("a.c"), TEST).expect("a file");
    fs::write(dir.join("a.cpp"), TEST).expect("a file");
    for header in ["genmc", "sv-comp"] {
        let text = format!("#include \"{header}.h\"\nint main() {{ return __VERIFIER_nondet_int(); }}\n");
        fs::write(dir.join(format!("{header}.cpp")), text).expect("a file");
    }
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fencepost-runtime/include");
    let build = |watched: bool, compiler: &str, words: &str| {
        let driver = if compiler == cc { "cc" } else { "c++" };
        let mut command = if watched { command(driver, compiler, &dir) } else { Command::new(compiler) };
        command.current_dir(&dir).args(["-O1", "-Wall", "-Wextra", "-Werror", "-pthread"]);
        done(&command.arg("-I").arg(&include).args(words.split(' ')).output().expect("it starts"));
    };
    for watched in [true, false] {
        build(watched, cxx, "-std=c++11 genmc.cpp -o old");
        build(watched, cxx, "-std=c++11 sv-comp.cpp -o old");
        for (compiler, words) in [(cc, "a.c -o a"), (cxx, "-std=c++17 a.cpp -o a")] {
            build(watched, compiler, words);
            let run = |arguments: &[&str]| {
                let output = Command::new(dir.join("a")).args(arguments).env("FENCEPOST_OPTIONS", "").output();
                let output = output.expect("it starts");
                (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
            };
            assert_eq!(run(&[]).0, Some(3), "{compiler}");
            for arguments in [&["assumes"][..], &["assumes", "likewise"]] {
                let (code, told) = run(arguments);
                assert_eq!(code, Some(0), "{compiler}: {told}");
                assert!(told.contains("an assumption did not hold: the run ends here"), "{compiler}: {told}");
            }
            let (code, told) = run(&["a", "b", "c"]);
            let file = if compiler == cc { "a.c" } else { "a.cpp" };
            assert_eq!(code, None, "{compiler}: ended by a signal");
            let wanted = format!("{file}:7: assertion argc == 1 && \"one, two\" failed\n");
            assert!(told.contains(&wanted), "{compiler}: {told}");
        }
    }
}
