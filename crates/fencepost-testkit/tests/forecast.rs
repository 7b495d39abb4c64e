//! How large a search will be is estimated while it runs. The estimates are compared with the truth.

use std::sync::{Mutex, PoisonError};

use fencepost_explore::{End, Options, Reductions, explore, find_failure};
use fencepost_ir::Program;
use fencepost_model::{Model, models};
use fencepost_testkit::generate::{self, Options as Generate};
use fencepost_testkit::{corpus, in_parallel, repetitions};
use fencepost_verdict::{Budget, Forecast};

/// Searches with fewer states need no estimate.
const FEWEST: u64 = 2_000;
/// Searches with more states take too long here.
const MOST: u64 = 300_000;

/// By which factor the estimates of a search are wrong: the first one, the one with a tenth of the
/// states known, with a quarter, with half of them. Above 1 if they are too high.
type Factors = [f64; 4];

/// Robustness against a model; without one, failures under SC.
fn factors(program: &Program, model: Option<&'static dyn Model>, por: bool) -> Option<Factors> {
    let told: Mutex<Vec<Forecast>> = Mutex::default();
    let tell = |forecast| told.lock().unwrap_or_else(PoisonError::into_inner).push(forecast);
    let budget = Budget { max_states: MOST, forecast: Some(&tell), ..Budget::unlimited() };
    let options = Options { reductions: Reductions { por, ..Reductions::ALL }, ..Options::default() };
    let exploration = match model {
        Some(model) => explore(program, model, options, &budget),
        None => find_failure(program, options, &budget),
    };
    let states = exploration.stats.states;
    if !matches!(exploration.end, End::Exhausted) || states < FEWEST {
        return None;
    }
    let told = told.into_inner().unwrap_or_else(PoisonError::into_inner);
    let last = told.last().expect("there are enough states");
    assert_eq!(last.known, states, "all states are in some layer");
    let at = |part: f64| {
        let is_known = |forecast: &&Forecast| forecast.known as f64 >= part * states as f64;
        told.iter().find(is_known).expect("in the end, all are known").expected as f64 / states as f64
    };
    Some([0.0, 0.1, 0.25, 0.5].map(at))
}

/// Of the estimates with this much known, the part that is right within a factor.
fn within(factors: &[Factors], place: usize, factor: f64) -> f64 {
    let right = factors.iter().filter(|factors| (1.0 / factor..=factor).contains(&factors[place])).count();
    right as f64 / factors.len() as f64
}

fn distribution(factors: &[Factors]) -> String {
    let known = ["500 states", "a tenth", "a quarter", "half"];
    let line = |(place, known): (usize, &str)| {
        let mut sorted: Vec<f64> = factors.iter().map(|factors| factors[place]).collect();
        sorted.sort_by(f64::total_cmp);
        let quantile = |part: usize| sorted[(sorted.len() - 1) * part / 100];
        format!(
            "{known}: 5 % {:.2}, median {:.2}, 95 % {:.2}; within 2 {:.2}, within 4 {:.2}, within 10 {:.2}\n",
            quantile(5),
            quantile(50),
            quantile(95),
            within(factors, place, 2.0),
            within(factors, place, 4.0),
            within(factors, place, 10.0),
        )
    };
    let lines: String = known.into_iter().enumerate().map(line).collect();
    format!("{} searches\n{lines}", factors.len())
}

/// What the documentation says, with some slack for programs to come.
fn assert_as_documented(factors: &[Factors], enough: usize) {
    let distribution = distribution(factors);
    assert!(factors.len() >= enough, "{distribution}");
    assert!(within(factors, 0, 4.0) >= 0.80 && within(factors, 0, 10.0) >= 0.92, "{distribution}");
    assert!(within(factors, 1, 4.0) >= 0.80 && within(factors, 3, 4.0) >= 0.85, "{distribution}");
}

#[test]
fn estimates_for_the_corpus_are_of_the_right_size() {
    let factors: Vec<Vec<Factors>> = in_parallel(corpus::files(), |file| {
        let program = file.read().expect("a program").program;
        let asked = models::monitored().flat_map(|model| [(model, true), (model, false)]);
        asked.filter_map(|(model, por)| factors(&program, Some(model), por)).collect()
    });
    assert_as_documented(&factors.concat(), 80);
}

/// The model was chosen by looking at the corpus; these are others.
#[test]
fn so_are_those_for_generated_programs() {
    let factors: Vec<Vec<Factors>> = in_parallel(0..repetitions(400), |seed| {
        let generate = Generate {
            threads: 3..=5,
            accesses: 5..=7,
            total_accesses: 22,
            loops: seed % 2 == 0,
            ..Generate::default()
        };
        let program = generate::program(seed + (43 << 32), &generate);
        let asked = models::monitored().map(Some).chain([None]);
        asked.filter_map(|model| factors(&program, model, seed % 5 == 0)).collect()
    });
    assert_as_documented(&factors.concat(), 40);
}
