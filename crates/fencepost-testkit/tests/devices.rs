//! A search on a device finds what a search on the processor finds: the same end and run, the same
//! number of states and steps.
//!
//! The processor plays the device wherever there is a compiler of C++; a card is asked too, where
//! there is one. Everything that is compared is compared by both.

use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_device::{Cuda, Host};
use fencepost_explore::{End, Exploration, Options, Reductions, explore, find_failing_assertion, find_failure};
use fencepost_ir::Program;
use fencepost_lower::Language;
use fencepost_model::{Model, models};
use fencepost_testkit::compilers::some_compiler;
use fencepost_testkit::generate::{self, Options as Generate};
use fencepost_testkit::random::Random;
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{corpus, edit, in_parallel, is_long, repetitions, skipped};
use fencepost_verdict::device::{Device, Failure, Kernels, Memory};
use fencepost_verdict::{Budget, Reason, Stats};

/// Programs with more states are not compared.
const MOST_STATES: u64 = 100_000;

/// Memory of a processor that plays a device, in words.
const WORDS: u64 = 1 << 24;

/// A search: its question and its options.
#[derive(Clone, Copy)]
enum Search {
    LeavesSc(&'static dyn Model),
    Fails,
    Asserts,
}

impl Search {
    fn on(self, program: &Program, options: Options, budget: &Budget<'_>) -> Exploration {
        match self {
            Search::LeavesSc(model) => explore(program, model, options, budget),
            Search::Fails => find_failure(program, options, budget),
            Search::Asserts => find_failing_assertion(program, options, budget),
        }
    }

    fn name(self) -> String {
        match self {
            Search::LeavesSc(model) => format!("leaves SC under {}", model.name()),
            Search::Fails => "fails".into(),
            Search::Asserts => "asserts".into(),
        }
    }
}

/// Reductions that a device makes, too; all of them, or one less.
fn options(number: u64) -> Options {
    let mut reductions = Reductions { por: false, ..Reductions::ALL };
    match number % 6 {
        1 => reductions.symmetry = false,
        2 => reductions.dead_bits = false,
        3 => reductions.dead_registers = false,
        4 => reductions.private_locations = false,
        _ => {}
    }
    Options { reductions, ..Options::default() }
}

/// All that a search says, except for what it took.
fn told(exploration: Exploration) -> (String, Stats) {
    let Exploration { end, sc_failure, bound, speculative, stats } = exploration;
    let stats = Stats { peak_bytes: 0, on_device: 0, ..stats };
    (format!("{end:?} {sc_failure:?} {bound:?} {speculative:?}"), stats)
}

/// What both say, if that is not the same; `Ok(false)` if the search was not compared.
fn difference(program: &Program, search: Search, options: Options, device: &dyn Device) -> Result<bool, String> {
    let budget = Budget { max_states: MOST_STATES, ..Budget::unlimited() };
    let here = search.on(program, options, &budget);
    if matches!(here.end, End::GaveUp(_)) {
        return Ok(false);
    }
    let there = search.on(program, options, &Budget { device: Some(device), ..budget });
    let searched = there.stats.on_device > 0;
    let (here, there) = (told(here), told(there));
    if here == there { Ok(searched) } else { Err(format!("{}: {there:?}; processor: {here:?}", device.name())) }
}

/// The devices there are. The processor plays two: one swaps 128 bits, so that entries of the table
/// differ.
fn devices(test: &str) -> Vec<Box<dyn Device>> {
    let mut devices: Vec<Box<dyn Device>> = Vec::new();
    match Cuda::open(0, None) {
        Ok(card) => devices.push(Box::new(card)),
        Err(reason) => skipped(test, &format!("no card: {reason}")),
    }
    match some_compiler() {
        // A card takes the same searches, and many more in the same time.
        Ok(_) if !devices.is_empty() => {}
        Ok(compiler) => {
            devices.push(Box::new(Host::new(&compiler.cxx, WORDS, false)));
            devices.push(Box::new(Host::new(&compiler.cxx, WORDS, true)));
        }
        Err(reason) => skipped(test, &format!("no processor that plays a card: {reason}")),
    }
    devices
}

fn assert_no_difference(seed: u64, program: &Program, search: Search, device: &dyn Device) -> bool {
    let options = options(seed);
    difference(program, search, options, device).unwrap_or_else(|difference| {
        let small = shrink(program, |smaller| difference_of(smaller, search, options, device));
        let (search, text) = (search.name(), fencepost_lower::print(&small));
        panic!("seed {seed}, {search}, {options:?}: {difference}; smaller:\n{text}")
    })
}

fn difference_of(program: &Program, search: Search, options: Options, device: &dyn Device) -> bool {
    difference(program, search, options, device).is_err()
}

/// Searches by number, so that each program gets some and all get all.
fn search(number: u64) -> Search {
    let models: Vec<&'static dyn Model> = models::monitored().collect();
    match number % 8 {
        0 => Search::Fails,
        1 => Search::Asserts,
        2 => Search::LeavesSc(models::reference()),
        number => Search::LeavesSc(models[(number as usize - 3) % models.len()]),
    }
}

/// A program in which attacks on this one are possible, which asserts that none succeeds.
fn attacked(program: &Program, seed: u64) -> Option<Program> {
    let machines: Vec<&'static dyn Model> = models::checkable().filter(|model| model.buffers().is_some()).collect();
    let model = machines[seed as usize % machines.len()];
    let attacks = fencepost_attack::attacks(program, model);
    let delays = fencepost_attack::enough_delays(program, model);
    let instrumented = fencepost_attack::instrument(program, model, &attacks, delays);
    (!attacks.is_empty()).then(|| instrumented.program().clone())
}

#[test]
fn generated_programs() {
    let devices = devices("generated_programs");
    let searched = AtomicU64::new(0);
    // Each is compiled: that takes most of the time where a processor plays the device.
    let programs = repetitions(if is_long() { 100 } else { 48 });
    in_parallel(0..programs, |seed| {
        let seed = seed + (31 << 32);
        let bit = |index: u32| seed >> index & 1 == 1;
        let generate = Generate {
            sections: seed % 16 < 6,
            loops: bit(0),
            copies: bit(1),
            private: bit(2),
            bounds: bit(3),
            total_accesses: 9,
            ..Generate::default()
        };
        let plain = generate::program(seed, &generate);
        let program = match seed % 5 {
            3 => edit::asserting_reads(&plain),
            4 => edit::partly_plain(&plain, &mut Random::new(seed)),
            _ => plain,
        };
        for (number, device) in devices.iter().enumerate() {
            // Monitors know nothing of sections.
            let search = match seed % 16 {
                sections @ 0..6 => search(sections % 3),
                other => search(other + 3 * number as u64),
            };
            let attacked = if matches!(search, Search::Asserts) { attacked(&program, seed) } else { None };
            let ran = assert_no_difference(seed, attacked.as_ref().unwrap_or(&program), search, device.as_ref());
            searched.fetch_add(u64::from(ran), Ordering::Relaxed);
        }
    });
    let (searched, all) = (searched.into_inner(), programs * devices.len() as u64);
    assert!(searched * 2 >= all, "only {searched} of {all} searches were made on a device");
}

/// The corpus: a part of it where a processor plays the device, unless there is time.
#[test]
fn the_corpus_on_devices() {
    let devices = devices("the_corpus_on_devices");
    let files = corpus::files();
    let many = is_long() || matches!(devices.len(), 1);
    let part = files.into_iter().enumerate().filter(|(number, _)| many || number % 16 == 5);
    in_parallel(part.collect::<Vec<_>>(), |(number, file)| {
        let content = file.read().unwrap_or_else(|error| panic!("{}: {error}", file.name));
        for device in &devices {
            let searches: Vec<Search> = match many {
                true => vec![search(3), search(number as u64)],
                false => vec![search(number as u64 / 16)],
            };
            for search in searches {
                let compared = difference(&content.program, search, options(0), device.as_ref());
                assert!(compared.is_ok(), "{}, {}: {compared:?}", file.name, search.name());
            }
        }
    });
}

fn program(text: &str) -> Program {
    fencepost_lower::load(Language::Fp, text).program.expect("a program")
}

/// Many states: the table grows several times, and queues with it.
const COUNTERS: &str = "domain 20; global x, y, z;
    thread a { local i; while (i < 19) { i = i + 1; x.store(i, rel); } }
    thread b { local i; while (i < 19) { i = i + 1; y.store(i, rel); } }
    thread c { local i; while (i < 19) { i = i + 1; z.store(i, rel); } }
    thread d { local r; r = x.load(acq); r = y.load(acq); r = z.load(acq); }";

#[test]
fn tables_grow() {
    for device in devices("tables_grow") {
        let program = program(COUNTERS);
        let search = Search::LeavesSc(models::reference());
        assert_eq!(difference(&program, search, options(0), device.as_ref()), Ok(true));
    }
}

/// A device with too little memory does not know, and neither does one that fails.
#[test]
fn devices_that_fail_know_nothing() {
    let Ok(compiler) = some_compiler() else { return skipped("devices_that_fail_know_nothing", "no compiler") };
    let program = program(COUNTERS);
    let end = |device: &dyn Device| {
        let budget = Budget { device: Some(device), ..Budget::unlimited() };
        match find_failure(&program, options(0), &budget).end {
            End::GaveUp(Reason::Device(what)) => what,
            other => panic!("{other:?}"),
        }
    };
    let full = end(&Host::new(&compiler.cxx, 3 << 15, false));
    assert!(full.contains("its memory is full with "), "{full}");
    let missing = end(&Host::new("/nonexistent/c++", WORDS, false));
    assert!(missing.contains("No such file"), "{missing}");
    // Whatever order is the one that fails, counted from the first.
    for last in 0..60 {
        let failing = Failing { host: Host::new(&compiler.cxx, WORDS, false), last };
        let lost = end(&failing);
        assert!(lost.contains("the card is lost"), "{lost}");
    }
}

/// A device that is lost after some orders.
struct Failing {
    host: Host,
    last: u64,
}

struct FailingKernels<'a> {
    kernels: Box<dyn Kernels + 'a>,
    left: u64,
}

impl FailingKernels<'_> {
    fn order(&mut self) -> Result<(), Failure> {
        let lost = || Failure::Other("the card is lost".into());
        self.left = self.left.checked_sub(1).ok_or_else(lost)?;
        Ok(())
    }
}

impl Device for Failing {
    fn name(&self) -> &str {
        self.host.name()
    }

    fn swaps_128_bits(&self) -> bool {
        false
    }

    fn load(&self, text: &str) -> Result<Box<dyn Kernels + '_>, Failure> {
        Ok(Box::new(FailingKernels { kernels: self.host.load(text)?, left: self.last }))
    }
}

impl Kernels for FailingKernels<'_> {
    fn free_bytes(&mut self) -> Result<u64, Failure> {
        self.order()?;
        self.kernels.free_bytes()
    }

    fn allocate(&mut self, words: u64) -> Result<Memory, Failure> {
        self.order()?;
        self.kernels.allocate(words)
    }

    fn release(&mut self, memory: Memory) -> Result<(), Failure> {
        self.order()?;
        self.kernels.release(memory)
    }

    fn write(&mut self, memory: &Memory, words: &[u64]) -> Result<(), Failure> {
        self.order()?;
        self.kernels.write(memory, words)
    }

    fn read(&mut self, memory: &Memory, words: &mut [u64]) -> Result<(), Failure> {
        self.order()?;
        self.kernels.read(memory, words)
    }

    fn run(&mut self, kernel: &str, count: u64, arguments: &[u64]) -> Result<(), Failure> {
        self.order()?;
        self.kernels.run(kernel, count, arguments)
    }
}
