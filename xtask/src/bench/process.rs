//! A process, run to its end, with what it cost.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Ticks of the times in the status files of the system; the same wherever Linux runs today.
const TICKS_PER_SECOND: f64 = 100.0;

/// A process that ended.
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    /// What it printed.
    pub(crate) output: String,
    /// What it printed on the other stream.
    pub(crate) complaint: String,
    /// How long it lived.
    pub(crate) time: Duration,
    /// How long processors worked for it outside the system, in seconds; 0 if the system does not
    /// say.
    pub(crate) user: f64,
    /// The greatest resident size that was seen; 0 if the system does not say.
    pub(crate) bytes: u64,
}

/// Runs a command to its end, or to the end of its time.
pub(crate) fn run(mut command: Command, limit: Duration) -> Result<Finished, String> {
    let described = format!("{command:?}");
    let fail = |error: std::io::Error| format!("{described}: {error}");
    let start = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(fail)?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let ended = AtomicBool::new(false);
    let (output, complaint, time, bytes) = std::thread::scope(|scope| {
        let watch = scope.spawn(|| watch(&mut child, limit, &ended));
        let complaint = scope.spawn(|| read(stderr));
        // The other end is closed when the process ends.
        let output = read(stdout);
        let time = start.elapsed();
        ended.store(true, Ordering::Relaxed);
        let complaint = complaint.join().unwrap_or_default();
        (output, complaint, time, watch.join().unwrap_or(0))
    });
    let user = user_seconds(&child).unwrap_or(0.0);
    let status = child.wait().map_err(fail)?;
    Ok(Finished { status, output, complaint, time, user, bytes })
}

/// All of a stream, whatever bytes it has.
fn read(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        // What came before an error is better than nothing.
        let _ = stream.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The system remembers the peak of a live process only, so look again and again; often at
/// first, since most processes live a few milliseconds.
fn watch(child: &mut Child, limit: Duration, ended: &AtomicBool) -> u64 {
    let status_file = format!("/proc/{}/status", child.id());
    let start = Instant::now();
    let mut peak = 0;
    let mut pause = Duration::from_micros(200);
    while !ended.load(Ordering::Relaxed) {
        let now = std::fs::read_to_string(&status_file).ok().and_then(|text| parse_peak(&text));
        peak = now.unwrap_or(0).max(peak);
        if start.elapsed() > limit {
            // It has ended if it cannot be killed.
            let _ = child.kill();
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
    peak
}

/// Times are exact once the process has ended, and gone when it has been waited for.
fn user_seconds(child: &Child) -> Option<f64> {
    let file = format!("/proc/{}/stat", child.id());
    loop {
        let stat = std::fs::read_to_string(&file).ok()?;
        let (state, ticks) = parse_times(&stat)?;
        if state == "Z" {
            return Some(ticks as f64 / TICKS_PER_SECOND);
        }
        std::thread::sleep(Duration::from_micros(100));
    }
}

fn parse_peak(status: &str) -> Option<u64> {
    let value = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// State and user time of a process and the children it waited for.
fn parse_times(stat: &str) -> Option<(&str, u64)> {
    // The name, in parentheses, may contain anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some((fields.first()?, ticks(11)? + ticks(13)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_in_kibibytes() {
        assert_eq!(parse_peak("Name:\tx\nVmHWM:\t   2048 kB\nVmRSS:\t 1 kB\n"), Some(2 << 20));
        assert_eq!(parse_peak("Name:\tx\n"), None);
    }

    #[test]
    fn times_follow_the_name() {
        let stat = "7 (a) b) Z 1 7 7 0 -1 4 0 0 0 0 120 5 30 0 20 0 1 0";
        assert_eq!(parse_times(stat), Some(("Z", 150)));
        assert_eq!(parse_times("7 (a) Z 1"), None);
    }

    #[test]
    fn a_process_is_seen_to_its_end() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; exit 3"]);
        let finished = run(command, Duration::from_secs(60)).expect("a shell");
        assert_eq!((finished.output.as_str(), finished.complaint.as_str()), ("one\n", "two\n"));
        assert_eq!(finished.status.code(), Some(3));
    }

    #[test]
    fn a_process_has_its_time() {
        let mut command = Command::new("sleep");
        command.arg("60");
        let finished = run(command, Duration::from_millis(20)).expect("to sleep");
        assert_eq!(finished.status.code(), None);
        assert!(finished.time < Duration::from_secs(30));
    }
}
