//! `--checkpoint` and `fencepost resume`: processes are killed at random moments.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fencepost_testkit::random::Random;
use fencepost_testkit::repetitions;

/// Two threads count for a while before they do what is not robust; a third one only counts.
const LATE: &str = "domain 64; global a, b, c, x, y;
    thread left  { local i, r; while (i < 20) { a.store(i); i = i + 1; } x.store(1, rel); r = y.load(acq); }
    thread right { local i, r; while (i < 20) { b.store(i); i = i + 1; } y.store(1, rel); r = x.load(acq); }
    thread third { local i; while (i < 25) { c.store(i); i = i + 1; } }\n";

/// The same with SC accesses. So under cpp20 all is visited, and something fails on the way.
const ROBUST: &str = "domain 64; global a, b, c, x, y;
    thread left  { local i, r; while (i < 20) { a.store(i); i = i + 1; } x.store(1, sc); r = y.load(sc); assert(i < 20); }
    thread right { local i, r; while (i < 20) { b.store(i); i = i + 1; } y.store(1, sc); r = x.load(sc); }
    thread third { local i; while (i < 25) { c.store(i); i = i + 1; } }\n";

fn fencepost(arguments: &[&str], directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(arguments).current_dir(directory).env_remove("FENCEPOST_TIMEOUT");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str], directory: &Path) -> Output {
    fencepost(arguments, directory).output().expect("fencepost runs")
}

/// What a command says, if it ends before it is killed.
/// `late` is whether it is given the time to begin a checkpoint first.
fn killed(arguments: &[&str], directory: &Path, late: bool, after: Duration) -> Option<Output> {
    let mut child = fencepost(arguments, directory).spawn().expect("fencepost starts");
    let has_begun = || directory.join("saved/command").exists();
    while late && !has_begun() && child.try_wait().expect("it is a child").is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    thread::sleep(after);
    let has_ended = child.try_wait().expect("it is a child").is_some();
    child.kill().expect("it can be killed");
    let output = child.wait_with_output().expect("it has ended");
    has_ended.then_some(output)
}

fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a scratch directory");
    std::fs::write(path.join("late.fp"), LATE).expect("a file");
    std::fs::write(path.join("robust.fp"), ROBUST).expect("a file");
    path
}

/// How often a command is killed before it is left alone.
const KILLS: usize = 5;

/// A check without reductions, as it is asked here.
const CHECK: [&str; 4] = ["check", "--no-reductions", "--model", "ra,cpp20"];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_killed_command_goes_on() {
    let directory = scratch("resume");
    let disk = ["--memory", "1M", "--disk", "scratch"];
    let ways: [(&str, &[&str]); 4] = [("late.fp", &[]), ("late.fp", &disk), ("robust.fp", &disk), ("robust.fp", &[])];
    let mut random = Random::new(23);
    let (mut kills, mut resumed) = (0, 0);
    for (program, more) in ways {
        let mut arguments = [&CHECK[..], &[program], more].concat();
        let expected = run(&arguments, &directory);
        let in_memory = run(&[&CHECK[..], &[program]].concat(), &directory);
        assert_eq!(text(&expected.stdout), text(&in_memory.stdout), "{arguments:?}: {}", text(&expected.stderr));
        arguments.extend(["--checkpoint", "saved", "--checkpoint-every", "30ms"]);
        let start = Instant::now();
        let saving = run(&arguments, &directory);
        assert_eq!((saving.status, text(&saving.stdout)), (expected.status, text(&expected.stdout)));
        let time = start.elapsed().as_millis() as usize;
        for _ in 0..repetitions(3) {
            let mut ended = None;
            for attempt in 0.. {
                let has_begun = directory.join("saved/command").exists();
                let again: &[&str] = if has_begun { &["resume", "saved"] } else { &arguments };
                resumed += usize::from(has_begun);
                if attempt == KILLS {
                    ended = Some(run(again, &directory));
                }
                if ended.is_some() {
                    break;
                }
                // Early and late, whatever else the machine does now, and did when the time was taken.
                let after = random.below(2 * time / 3) >> random.below(5);
                ended = killed(again, &directory, random.below(3) > 0, Duration::from_millis(after as u64));
                kills += usize::from(ended.is_none());
            }
            let ended = ended.expect("it has ended");
            assert_eq!(text(&ended.stdout), text(&expected.stdout), "{}", text(&ended.stderr));
            assert_eq!(ended.status, expected.status, "{}", text(&ended.stderr));
            assert!(!directory.join("saved").exists(), "all is told, nothing is left");
        }
    }
    assert!(kills >= 15 && resumed >= 10, "only {kills} kills, {resumed} resumed");
}

#[test]
fn only_the_same_command_goes_on() {
    let directory = scratch("resume-refused");
    let arguments = [&CHECK[..], &["late.fp", "--checkpoint", "saved", "--max-states", "100000"]].concat();
    let is_refused = |output: &Output, why: &str| {
        let message = text(&output.stderr);
        assert!(output.status.code() == Some(2) && message.contains(why), "{message}");
    };
    is_refused(&run(&["resume", "saved"], &directory), "there is no checkpoint in `saved`");
    let stopped = run(&[&arguments[..], &["--memory", "100K"]].concat(), &directory);
    assert_eq!(stopped.status.code(), Some(3));
    assert!(text(&stopped.stderr).contains("fencepost resume"), "{}", text(&stopped.stderr));
    is_refused(&run(&arguments, &directory), "there is a checkpoint in `saved`");
    let mut other = fencepost(&["resume", "saved"], &directory);
    is_refused(&other.env("FENCEPOST_MEMORY", "1G").output().expect("it runs"), "the variable FENCEPOST_MEMORY");
    std::fs::write(directory.join("late.fp"), ROBUST).expect("a file");
    is_refused(&run(&["resume", "saved"], &directory), "`late.fp` was another program");
    std::fs::write(directory.join("late.fp"), LATE).expect("a file");
    std::fs::write(directory.join("fencepost.toml"), "models = [\"ra\"]\n").expect("a file");
    is_refused(&run(&["resume", "saved"], &directory), "another `fencepost.toml`");
    std::fs::remove_file(directory.join("fencepost.toml")).expect("it was there");
    let command = directory.join("saved/command");
    let written = std::fs::read_to_string(&command).expect("the command");
    std::fs::write(&command, written.replace("100000", "200000")).expect("a file");
    is_refused(&run(&["resume", "saved"], &directory), "is damaged");
    std::fs::write(&command, written).expect("a file");
    assert_eq!(run(&["resume", "saved"], &directory).status.code(), Some(3), "it goes on");
    is_refused(&run(&["check", "-", "--checkpoint", "else"], &directory), "--checkpoint needs a file");
}

/// What cannot be written is a reason to give up, or not to begin.
#[test]
fn a_disk_that_is_full_is_told() {
    let directory = scratch("full");
    let check = |more: &[&str]| run(&[&CHECK[..], &["robust.fp", "--memory", "200K"], more].concat(), &directory);
    let full = check(&["--disk", "scratch:100K"]);
    assert_eq!(full.status.code(), Some(1), "the failure under SC was found before");
    assert!(text(&full.stdout).contains("the limit of 100.00 KiB on files was reached"), "{}", text(&full.stdout));
    assert!(!text(&full.stdout).contains("ROBUST against ra"));
    let left = std::fs::read_dir(directory.join("scratch")).expect("the directory that was named");
    assert_eq!(left.count(), 0, "nothing is left");
    std::fs::write(directory.join("file"), "").expect("a file");
    let refused = check(&["--disk", "file"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("cannot use `file` for states"), "{}", text(&refused.stderr));
}
