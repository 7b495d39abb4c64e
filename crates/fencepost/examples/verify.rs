//! Verifies an assertion under every model, tells how far it is, and can be stopped.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it got")]

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fencepost::{Language, Limits, Progress, Source, models};

const RING: &str = "
domain 4;
global head, tail, slot[2];

thread producer {
  local n = 1, t;
  while (n < 4) {
    wait(head == (n + 3) % 4 || head == (n + 2) % 4, acq);
    slot[n % 2].store(n, rlx);
    tail.store(n, rel);
    n = n + 1;
    if (n == 3) { assume(0); }
  }
}

thread consumer {
  local r;
  wait(tail == 1, acq);
  r = slot[1].load(rlx);
  assert(r == 1);
  head.store(1, rel);
}
";

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let source = Source::parse(Language::Fp, "ring.fp", RING)?;
    let stop = AtomicBool::new(false);
    let tell = |time: Duration, progress: Progress| {
        eprintln!("{:.1} s, {} states", time.as_secs_f64(), progress.states);
        if progress.states > 10_000_000 {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let limits = Limits::none().stop_when(&stop).on_progress(&tell);
    for model in models() {
        let answer = source.verify(*model, &limits)?;
        print!("{}", answer.to_text());
    }
    Ok(())
}
