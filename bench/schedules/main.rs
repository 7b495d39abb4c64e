//! A test of this folder under a model checker for Rust: prints how many executions it has made, in
//! how many seconds, and whether these are all.

pub use model;

mod test;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

static EXECUTIONS: AtomicU64 = AtomicU64::new(0);

/// So many threads do this, which gets their numbers.
pub fn run(count: usize, body: impl Fn(usize) + Send + Sync + 'static) {
    let body = std::sync::Arc::new(body);
    let spawn = |number| {
        let body = body.clone();
        model::thread::spawn(move || body(number))
    };
    let threads: Vec<_> = (0..count).map(spawn).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

fn main() {
    let limit = std::env::args().nth(1).and_then(|text| text.parse().ok()).map(Duration::from_secs).unwrap();
    let start = Instant::now();
    let say = move |all: bool| {
        println!("{} {} {all}", EXECUTIONS.load(Ordering::Relaxed), start.elapsed().as_secs_f64());
    };
    let execution = move || {
        if start.elapsed() > limit {
            say(false);
            std::process::exit(0);
        }
        EXECUTIONS.fetch_add(1, Ordering::Relaxed);
        test::test();
    };
    #[cfg(feature = "loom")]
    {
        let mut builder = model::model::Builder::new();
        builder.max_branches = 100_000;
        builder.check(execution);
    }
    #[cfg(feature = "shuttle")]
    model::check_dfs(execution, None);
    say(true);
}
