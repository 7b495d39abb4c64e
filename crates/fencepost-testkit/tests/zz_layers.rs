use std::sync::Mutex;
use fencepost_explore::{Options, Reductions, explore, End};
use fencepost_model::models;
use fencepost_testkit::corpus;
use fencepost_verdict::{Budget, Forecast};
#[test]
fn dump() {
    let mut out = String::new();
    for file in corpus::files() {
        let program = file.read().unwrap().program;
        for model in models::monitored() {
            for por in [true, false] {
                let layers = Mutex::new(Vec::new());
                let rest = |p: Forecast| layers.lock().unwrap().push((p.known, p.expected));
                let options = Options { reductions: Reductions { por, ..Reductions::ALL }, ..Options::default() };
                let e = explore(&program, model, options, &Budget { max_states: 2_000_000, forecast: Some(&rest), ..Budget::unlimited() });
                eprintln!("CASE {} {} {} {} {}", file.name, model.name(), por, e.stats.states, matches!(e.end, End::Exhausted));
                if matches!(e.end, End::Exhausted) && e.stats.states > 1000 {
                    let l: Vec<String> = layers.into_inner().unwrap().iter().map(|(n,m)| format!("{n}:{m}")).collect();
                    out += &format!("{} {} {} {} {}\n", file.name, model.name(), por, e.stats.states, l.join(","));
                }
            }
        }
    }
    std::fs::write("/tmp/disk-est.txt", out).unwrap();
}
