//! `fencepost check --watch`: files change, and what is found is told again.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a round may take, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(120);

const ROBUST: &str = "global x; thread t { x.store(1); }\n";
const VIOLATION: &str = include_str!("cmd/check.in/sb.fp");
/// Takes hours: there are 2^48 states, none of them with anything to be found.
const SLOW: &str = "domain 65536; global x, y, z;
    thread a[3] { local r; while (1) { r = x.fadd(1); r = y.fadd(r); r = z.fadd(r); } }\n";

/// A command that watches, and the lines of both of its outputs.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fencepost"))
            .args(["check", "--watch", "--model", "ra"])
            .args(arguments)
            .env_remove("FENCEPOST_TIMEOUT")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("fencepost starts");
        let (tell, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let told = tell.clone();
        thread::spawn(move || stdout.lines().map_while(Result::ok).all(|line| told.send(line).is_ok()));
        thread::spawn(move || stderr.lines().map_while(Result::ok).all(|line| tell.send(line).is_ok()));
        Watching { child, lines }
    }

    /// Everything up to the line that says that a round is over.
    fn round(&self) -> String {
        let deadline = Instant::now() + PATIENCE;
        let mut text = String::new();
        while let Ok(line) = self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            if line.starts_with("Watching for changes") {
                // What was written to the other output before may arrive after it.
                thread::sleep(Duration::from_millis(200));
                text.extend(self.lines.try_iter().map(|line| line + "\n"));
                return text;
            }
            text += &(line + "\n");
        }
        panic!("a round has no end: {text}");
    }

    /// The exit code after Ctrl-C.
    fn interrupt(mut self) -> Option<i32> {
        let killed = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(killed.is_ok_and(|status| status.success()));
        self.child.wait().expect("it ends").code()
    }
}

fn scratch(name: &str) -> std::path::PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(path.join("below")).expect("a scratch directory");
    path
}

#[test]
fn what_changes_is_checked_again() {
    let folder = scratch("watch");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    write("a.fp", ROBUST);
    write("alone.fp", ROBUST);
    let alone = folder.join("alone.fp");
    let below = folder.join("below");
    std::fs::rename(folder.join("a.fp"), below.join("a.fp")).expect("a file");
    let watching = Watching::start(&[alone.to_str().expect("UTF-8"), below.to_str().expect("UTF-8")]);
    let first = watching.round();
    assert!(first.contains("alone.fp: ROBUST") && first.contains("a.fp: ROBUST"), "{first}");

    write("below/a.fp", VIOLATION);
    let second = watching.round();
    assert!(second.contains("a.fp: NOT ROBUST") && !second.contains("alone.fp"), "{second}");

    write("below/new.fp", "thread {");
    let third = watching.round();
    assert!(third.contains("new.fp:1:8") && !third.contains("a.fp:"), "{third}");

    // What is gone from a directory is nothing to check; what was named is missed.
    std::fs::remove_file(below.join("new.fp")).expect("a file");
    assert_eq!(watching.round(), "");
    std::fs::remove_file(&alone).expect("a file");
    let gone = watching.round();
    assert!(gone.contains("cannot read"), "{gone}");
    write("alone.fp", VIOLATION);
    let back = watching.round();
    assert!(back.contains("alone.fp: NOT ROBUST"), "{back}");
    assert_eq!(watching.interrupt(), Some(1), "the last round counts");
}

#[test]
fn a_check_that_nobody_waits_for_is_given_up() {
    let folder = scratch("watch-slow");
    let file = folder.join("slow.fp");
    std::fs::write(&file, SLOW).expect("a file");
    let watching = Watching::start(&[file.to_str().expect("UTF-8")]);
    thread::sleep(Duration::from_secs(1));
    std::fs::write(&file, VIOLATION).expect("a file");
    let given_up = watching.round();
    assert!(given_up.contains("UNKNOWN") && given_up.contains("interrupted"), "{given_up}");
    let next = watching.round();
    assert!(next.contains("slow.fp: NOT ROBUST"), "{next}");
    assert_eq!(watching.interrupt(), Some(1));
}

#[test]
fn what_cannot_be_watched_is_said() {
    for arguments in [vec!["-"], vec!["x.fp", "--format", "sarif"]] {
        let mut watching = Watching::start(&arguments);
        let status = watching.child.wait().expect("it ends at once");
        let said: String = watching.lines.iter().collect();
        assert_eq!(status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.starts_with("error: "), "{said}");
    }
}
