//! What is linked into programs comes from ourselves, and programs with elevated privileges obey
//! nobody.
#![cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fencepost_testkit::compilers::{Compiler, some_compiler};
use libtest_mimic::{Arguments, Trial};

/// A user who is not us; root can act for anybody.
const SOMEBODY: u32 = 54_321;

type Test = fn(&Compiler);

/// A test, and whether only root can try it.
const TESTS: [(&str, bool, Test); 8] = [
    ("damaged_files_are_replaced", false, damaged_files_are_replaced),
    ("files_that_others_can_write_are_replaced", false, files_that_others_can_write_are_replaced),
    ("links_are_not_followed", false, links_are_not_followed),
    ("directories_that_others_can_write_are_refused", false, directories_that_others_can_write_are_refused),
    ("directories_are_made_only_where_they_belong", false, directories_are_made_only_where_they_belong),
    ("files_of_others_are_replaced", true, files_of_others_are_replaced),
    ("directories_of_others_are_refused_or_avoided", true, directories_of_others_are_refused_or_avoided),
    ("elevated_programs_ignore_the_environment", true, elevated_programs_ignore_the_environment),
];

fn main() {
    let arguments = Arguments::from_args();
    let compiler = some_compiler();
    let is_root = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    let trial = |(name, needs_root, test): (&str, bool, Test)| match compiler.clone() {
        Ok(_) if needs_root && !is_root => skipped(name, "only root can act for another user"),
        Ok(compiler) => Trial::test(name, move || {
            test(&compiler);
            Ok(())
        }),
        Err(reason) => skipped(name, &reason),
    };
    libtest_mimic::run(&arguments, TESTS.into_iter().map(trial).collect()).exit();
}

/// A test that cannot be tried, with the reason.
fn skipped(name: &str, reason: &str) -> Trial {
    Trial::test(name, || Ok(())).with_kind(format!("skipped: {reason}")).with_ignored_flag(true)
}

/// A folder with a program in which two threads race.
fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("security").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a directory");
    fs::write(path.join("racy.c"), RACY).expect("a file");
    path
}

/// Says whether it is elevated, and races.
const RACY: &str = "#include <pthread.h>
#include <stdio.h>
#include <sys/auxv.h>
static int shared;
static void *touch(void *p) { shared++; return p; }
int main(void) {
  pthread_t a, b;
  printf(\"elevated: %lu\\n\", getauxval(AT_SECURE));
  fflush(stdout);
  pthread_create(&a, 0, touch, 0);
  pthread_create(&b, 0, touch, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
";

/// Builds the program; everything that could say where the cache is comes from the test.
fn cc(compiler: &Compiler, folder: &Path, variables: &[(&str, &Path)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(["cc", "--compiler", &compiler.cc, "-pthread", "racy.c", "-o", "racy"]).current_dir(folder);
    for variable in ["FENCEPOST_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "TMPDIR"] {
        command.env_remove(variable);
    }
    command.envs(variables.iter().copied()).output().expect("fencepost starts")
}

fn done(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn refused(output: &Output, why: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains(why) && text.contains("FENCEPOST_CACHE_DIR"), "{text}");
}

/// A cache in the folder that was filled by building the program, and the files in it with what
/// they hold.
fn filled(compiler: &Compiler, folder: &Path) -> (PathBuf, Vec<(PathBuf, Vec<u8>)>) {
    let cache = folder.join("cache");
    done(&cc(compiler, folder, &[("FENCEPOST_CACHE_DIR", &cache)]));
    let (mut folders, mut files) = (vec![cache.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a directory") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push((path.clone(), fs::read(path).expect("a file"))),
            }
        }
    }
    let reporters = files.iter().filter(|(path, _)| path.extension().is_some_and(|extension| extension == "o"));
    let paths: Vec<&PathBuf> = files.iter().map(|(path, _)| path).collect();
    assert_eq!((files.len(), reporters.count()), (11, 1), "{paths:?}");
    (cache, files)
}

/// Spoils every file of a cache, builds again, and expects every file to be ours and as it was.
fn is_mended(compiler: &Compiler, name: &str, spoil: impl Fn(&Path, &[u8])) {
    let folder = scratch(name);
    let (cache, files) = filled(compiler, &folder);
    for (path, bytes) in &files {
        spoil(path, bytes);
    }
    done(&cc(compiler, &folder, &[("FENCEPOST_CACHE_DIR", &cache)]));
    let us = fs::metadata(&folder).expect("the folder").uid();
    for (path, bytes) in &files {
        let found = fs::symlink_metadata(path).expect("a file");
        assert!(found.is_file(), "{}", path.display());
        assert_eq!((found.uid(), found.mode() & 0o022), (us, 0), "{}", path.display());
        assert!(fs::read(path).expect("a file") == *bytes, "{}", path.display());
    }
    let entries = fs::read_dir(files[0].0.parent().expect("a directory")).expect("a directory").count();
    assert!(entries <= files.len(), "nothing is left behind");
    // The program that was linked finds its reporter.
    let output = Command::new(folder.join("racy")).env_remove("FENCEPOST_OPTIONS").output().expect("it starts");
    assert!(String::from_utf8_lossy(&output.stderr).contains("SUMMARY: fencepost: data race"), "{output:?}");
}

fn damaged_files_are_replaced(compiler: &Compiler) {
    is_mended(compiler, "empty", |path, _| fs::write(path, "").expect("written"));
    is_mended(compiler, "changed", |path, bytes| {
        let mut other = bytes.to_vec();
        // As long as before.
        other[bytes.len() / 2] ^= 1;
        fs::write(path, other).expect("written");
    });
}

fn files_that_others_can_write_are_replaced(compiler: &Compiler) {
    is_mended(compiler, "open", |path, _| fs::set_permissions(path, Permissions::from_mode(0o666)).expect("changed"));
}

fn links_are_not_followed(compiler: &Compiler) {
    let folder = scratch("links-elsewhere");
    is_mended(compiler, "links", |path, bytes| {
        let elsewhere = folder.join(path.file_name().expect("a file has a name"));
        fs::write(&elsewhere, bytes).expect("written");
        fs::remove_file(path).expect("removed");
        symlink(&elsewhere, path).expect("a link");
    });
}

fn directories_that_others_can_write_are_refused(compiler: &Compiler) {
    let folder = scratch("open-directory");
    let (cache, files) = filled(compiler, &folder);
    let unpacked = files[0].0.parent().expect("a directory");
    for directory in [cache.as_path(), unpacked] {
        fs::set_permissions(directory, Permissions::from_mode(0o777)).expect("changed");
        let output = cc(compiler, &folder, &[("FENCEPOST_CACHE_DIR", &cache)]);
        refused(&output, "others can write to it");
        fs::set_permissions(directory, Permissions::from_mode(0o755)).expect("changed");
    }
    // As the temporary directory is: what is in it can be moved by its owner only.
    fs::set_permissions(&cache, Permissions::from_mode(0o1777)).expect("changed");
    done(&cc(compiler, &folder, &[("FENCEPOST_CACHE_DIR", &cache)]));
}

fn directories_are_made_only_where_they_belong(compiler: &Compiler) {
    let folder = scratch("made");
    let missing = folder.join("missing");
    refused(&cc(compiler, &folder, &[("TMPDIR", &missing)]), "does not exist");
    refused(&cc(compiler, &folder, &[("HOME", &missing), ("TMPDIR", &missing)]), "does not exist");
    assert!(!missing.exists());
    done(&cc(compiler, &folder, &[("HOME", &folder), ("TMPDIR", &missing)]));
    assert!(folder.join(".cache/fencepost").is_dir() && !missing.exists());
    done(&cc(compiler, &folder, &[("XDG_CACHE_HOME", &missing)]));
    assert!(missing.join("fencepost").is_dir());
}

fn files_of_others_are_replaced(compiler: &Compiler) {
    is_mended(compiler, "foreign", |path, _| chown(path, Some(SOMEBODY), None).expect("given away"));
}

fn directories_of_others_are_refused_or_avoided(compiler: &Compiler) {
    let folder = scratch("foreign-directory");
    let (cache, files) = filled(compiler, &folder);
    for directory in [cache.as_path(), files[0].0.parent().expect("a directory")] {
        chown(directory, Some(SOMEBODY), None).expect("given away");
        refused(&cc(compiler, &folder, &[("FENCEPOST_CACHE_DIR", &cache)]), "belongs to somebody else");
        chown(directory, Some(0), None).expect("taken back");
    }
    // As under `sudo`, which may keep the home of who calls it.
    let (home, temporary) = (folder.join("home"), folder.join("temporary"));
    fs::create_dir_all(home.join(".cache/fencepost")).expect("a directory");
    fs::create_dir(&temporary).expect("a directory");
    chown(home.join(".cache/fencepost"), Some(SOMEBODY), None).expect("given away");
    done(&cc(compiler, &folder, &[("HOME", &home), ("TMPDIR", &temporary)]));
    assert_eq!(fs::read_dir(home.join(".cache/fencepost")).expect("a directory").count(), 0);
    assert!(temporary.join("fencepost-0").is_dir());
}

/// A program that asks for another user's rights is told by the environment what to do: which
/// reporter to start, and what to print.
fn elevated_programs_ignore_the_environment(compiler: &Compiler) {
    let folder = scratch("elevated");
    // Whoever the program becomes can write there.
    fs::set_permissions(&folder, Permissions::from_mode(0o777)).expect("changed");
    filled(compiler, &folder);
    let (racy, reporter, obeyed) = (folder.join("racy"), folder.join("reporter"), folder.join("obeyed"));
    fs::write(&reporter, format!("#!/bin/sh\necho obeyed > {}\n", obeyed.display())).expect("a file");
    fs::set_permissions(&reporter, Permissions::from_mode(0o755)).expect("changed");
    let run = |options: &str| {
        let mut command = Command::new(&racy);
        command.env("FENCEPOST_REPORTER", &reporter).env("FENCEPOST_OPTIONS", options);
        let output = command.env("TSAN_OPTIONS", options).output().expect("it starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr), fs::remove_file(&obeyed).is_ok())
    };
    let (_, said, reported) = run("help=1:no_such_key=1");
    assert!(said.contains("Keys of FENCEPOST_OPTIONS") && said.contains("no_such_key") && reported, "{said}");
    chown(&racy, Some(SOMEBODY), None).expect("given away");
    fs::set_permissions(&racy, Permissions::from_mode(0o4755)).expect("changed");
    let (out, said, reported) = run("help=1:no_such_key=1");
    if out != "elevated: 1\n" {
        return fencepost_testkit::skipped(
            "elevated_programs_ignore_the_environment",
            "programs are not elevated here",
        );
    }
    assert!(!said.contains("Keys of FENCEPOST_OPTIONS") && !said.contains("no_such_key") && !reported, "{said}");
}
