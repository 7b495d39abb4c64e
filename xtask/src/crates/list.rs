//! Which crates are tried, and with which of their tests.

/// A crate whose tests are run.
pub(super) struct Suite {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    /// For cargo: which programs of tests, which features.
    pub(super) cargo: &'static str,
    /// For the programs: which of their tests.
    pub(super) tests: &'static str,
    /// Development dependencies that these tests do without. They take long to build.
    pub(super) without: &'static [&'static str],
}

/// What each of them takes most of its time for is left out.
pub(super) const SUITES: &[Suite] = &[
    Suite {
        name: "arc-swap",
        version: "1.9.3",
        cargo: "--lib",
        tests: "",
        without: &["criterion", "proptest", "parking_lot", "itertools", "adaptive-barrier"],
    },
    Suite {
        name: "concurrent-queue",
        version: "2.5.0",
        cargo: "--tests",
        tests: "--skip linearizable",
        without: &["criterion", "loom"],
    },
    Suite {
        name: "crossbeam-channel",
        version: "0.5.17",
        cargo: "--test array --test after --test zero",
        tests: "",
        without: &["num_cpus", "signal-hook"],
    },
    Suite { name: "crossbeam-deque", version: "0.8.8", cargo: "--tests", tests: "", without: &[] },
    Suite { name: "crossbeam-epoch", version: "0.9.21", cargo: "--lib", tests: "", without: &["loom"] },
    Suite { name: "crossbeam-queue", version: "0.3.14", cargo: "--tests", tests: "", without: &[] },
    Suite { name: "crossbeam-skiplist", version: "0.1.3", cargo: "--tests", tests: "", without: &[] },
    Suite { name: "crossbeam-utils", version: "0.8.23", cargo: "--tests", tests: "", without: &[] },
    Suite { name: "dashmap", version: "6.2.1", cargo: "--lib", tests: "", without: &[] },
    Suite {
        name: "event-listener",
        version: "5.4.2",
        cargo: "--lib --tests",
        tests: "",
        without: &["criterion", "loom"],
    },
    Suite {
        name: "flume",
        version: "0.12.0",
        cargo: "--test basic --test array --test zero",
        // The first has a hundred threads hand over a million values through five places, in half a
        // minute natively. The others want waits to end within five milliseconds of what was asked for.
        tests: "--skip send_bounded --skip recv_deadline --skip recv_timeout --skip send_timeout",
        without: &["async-std", "criterion"],
    },
    Suite { name: "once_cell", version: "1.21.4", cargo: "--lib --tests --examples", tests: "", without: &[] },
    Suite {
        name: "oneshot",
        version: "0.2.1",
        cargo: "--features async --test sync --test future --test raw",
        tests: "",
        without: &["async-std", "criterion", "loom"],
    },
    Suite { name: "parking_lot", version: "0.13.0", cargo: "--lib", tests: "", without: &[] },
    Suite {
        name: "parking_lot_core",
        version: "0.10.0",
        cargo: "--lib --tests",
        tests: "--skip hundred --skip fifty",
        without: &[],
    },
    Suite { name: "ringbuf", version: "0.6.0", cargo: "--lib", tests: "", without: &["criterion"] },
    Suite { name: "rtrb", version: "0.4.1", cargo: "--tests", tests: "", without: &["criterion"] },
    Suite {
        name: "sharded-slab",
        version: "0.1.7",
        cargo: "--lib",
        tests: "--skip properties",
        without: &["criterion", "loom", "memory-stats"],
    },
    Suite { name: "spin", version: "0.12.3", cargo: "--lib", tests: "", without: &["criterion"] },
    Suite {
        name: "thingbuf",
        version: "0.1.6",
        cargo: "--lib --test mpsc_blocking",
        tests: "--skip tx_close_drains_queue",
        without: &["loom", "tracing", "tracing-subscriber"],
    },
    Suite { name: "thread_local", version: "1.1.10", cargo: "--lib", tests: "", without: &["criterion"] },
    Suite {
        name: "tokio",
        version: "1.54.1",
        cargo: "--features full,test-util --test sync_mutex --test sync_semaphore --test sync_rwlock --test sync_notify \
                --test sync_oneshot --test sync_watch --test sync_broadcast --test sync_barrier --test sync_once_cell",
        tests: "",
        without: &[
            "async-stream",
            "backtrace",
            "futures-concurrency",
            "futures-test",
            "libc",
            "loom",
            "mio-aio",
            "mockall",
            "nix",
            "proptest",
            "socket2",
            "tempfile",
            "tracing-mock",
            "wasm-bindgen-test",
        ],
    },
];

/// A known defect, and a program that shows it.
pub(super) struct Defect {
    /// The file in `bench/crates`.
    pub(super) program: &'static str,
    /// What it is known as.
    pub(super) known: &'static str,
    pub(super) package: &'static str,
    pub(super) features: &'static str,
    /// A version that has it.
    pub(super) wrong: &'static str,
    /// One that has not, if there is any.
    pub(super) right: Option<&'static str>,
    /// What shows it: text of what is said, or of what is found, as JSON.
    pub(super) sign: &'static str,
    /// Options of the series.
    pub(super) options: &'static str,
}

const RACE: &str = "\"rule\":\"race\"";

pub(super) const DEFECTS: &[Defect] = &[
    Defect {
        program: "arc-swap",
        known: "arc-swap issues 195, 198",
        package: "arc-swap",
        features: "",
        wrong: "1.8.0",
        right: Some("1.9.3"),
        sign: "\"rank\":1",
        options: "--schedule random --runs 800 --provoke 20",
    },
    Defect {
        program: "crossbeam-channel",
        known: "RUSTSEC-2025-0024",
        package: "crossbeam-channel",
        features: "",
        wrong: "0.5.14",
        right: Some("0.5.15"),
        sign: "double free",
        options: "--schedule pct:3 --runs 1500 --provoke 0",
    },
    Defect {
        program: "crossbeam-deque",
        known: "RUSTSEC-2021-0093",
        package: "crossbeam-deque",
        features: "",
        wrong: "0.8.0",
        right: Some("0.8.1"),
        sign: "taken twice",
        options: "--schedule pct:3 --runs 300 --provoke 0",
    },
    Defect {
        program: "internment",
        known: "RUSTSEC-2020-0017",
        package: "internment",
        features: "",
        wrong: "0.3.13",
        right: Some("0.8.6"),
        sign: RACE,
        options: "--runs 40 --provoke 0",
    },
    Defect {
        program: "lock_api",
        known: "RUSTSEC-2020-0070",
        package: "lock_api",
        features: "",
        wrong: "0.4.1",
        right: Some("0.4.2"),
        sign: RACE,
        options: "--runs 40 --provoke 0",
    },
    Defect {
        program: "oneshot",
        known: "RUSTSEC-2026-0005",
        package: "oneshot",
        features: "async",
        wrong: "0.1.11",
        right: Some("0.1.13"),
        // The sender gives the channel up. Issue 87 is a race, too, with a receiver that does.
        sign: "SendError",
        options: "--schedule random --runs 40 --provoke 0",
    },
    Defect {
        program: "oneshot",
        known: "oneshot issue 87",
        package: "oneshot",
        features: "async",
        wrong: "0.2.1",
        right: None,
        sign: RACE,
        options: "--schedule random --runs 500 --provoke 0",
    },
    Defect {
        program: "spin",
        known: "RUSTSEC-2019-0013",
        package: "spin",
        features: "",
        wrong: "0.5.0",
        right: Some("0.5.2"),
        sign: RACE,
        options: "--runs 40 --provoke 0",
    },
    Defect {
        program: "spin-once",
        known: "RUSTSEC-2023-0031",
        package: "spin",
        features: "once",
        wrong: "0.9.7",
        right: Some("0.9.9"),
        sign: "INCOMPLETE",
        options: "--runs 40 --provoke 5",
    },
    Defect {
        program: "thread_local",
        known: "RUSTSEC-2022-0006",
        package: "thread_local",
        features: "",
        wrong: "1.1.3",
        right: Some("1.1.10"),
        sign: RACE,
        options: "--runs 40 --provoke 0",
    },
    Defect {
        program: "tokio-broadcast",
        known: "RUSTSEC-2025-0023",
        package: "tokio",
        features: "sync",
        wrong: "1.43.0",
        right: Some("1.43.1"),
        sign: RACE,
        options: "--runs 40 --provoke 0",
    },
    Defect {
        program: "tokio-oneshot",
        known: "RUSTSEC-2021-0124",
        package: "tokio",
        features: "sync",
        wrong: "1.13.0",
        right: Some("1.13.1"),
        sign: RACE,
        options: "--schedule pct:3 --runs 100 --provoke 0",
    },
];
