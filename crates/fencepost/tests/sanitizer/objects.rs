//! Mutexes, conditions, semaphores, barriers and locks for readers and writers, of generated programs
//! that have nothing else: such a program has as many executions under the memory model as under SC,
//! and ends in the same states. Each of the two is explored by code of its own.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_testkit::compilers::Compiler;
use fencepost_testkit::random::Random;
use fencepost_testkit::repetitions;
use libtest_mimic::{Failed, Trial};

use crate::explored::{Explored, build, explore_built};

/// Programs, and how many of them are built as one: an argument says which one runs.
const PROGRAMS: u64 = 90;
const TOGETHER: u64 = 30;
/// Executions of a program, at most: a run ends there, and the program is not compared.
const MOST: &str = "1500";

/// Programs that were compared, and those of them that can get stuck.
static COMPARED: AtomicU64 = AtomicU64::new(0);
static STUCK: AtomicU64 = AtomicU64::new(0);

/// The tests, with a folder for what they build.
pub(crate) fn trials(folder: &Path, compiler: &Compiler) -> Vec<Trial> {
    let count = repetitions(PROGRAMS);
    let of_group = |first: u64| {
        let (folder, compiler) = (folder.to_path_buf(), compiler.clone());
        Trial::test(format!("objects/{first:04}"), move || {
            check(first..count.min(first + TOGETHER), &folder, &compiler).map_err(Failed::from)
        })
    };
    (0..count).step_by(TOGETHER as usize).map(of_group).collect()
}

fn check(seeds: std::ops::Range<u64>, folder: &Path, compiler: &Compiler) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let path = folder.join(format!("objects-{}.c", seeds.start));
    fs::write(&path, programs(seeds.clone())).map_err(|error| error.to_string())?;
    let program = build(&path, compiler)?;
    let (before, stuck) = (COMPARED.load(Ordering::SeqCst), STUCK.load(Ordering::SeqCst));
    for seed in seeds {
        let explored = |mode: &str| -> Result<(Explored, BTreeMap<String, u64>), String> {
            let states = program.with_extension("states");
            let _ = fs::remove_file(&states);
            let options = [mode, "--max-runs", MOST].map(str::to_string);
            let explored = explore_built(&program, &[&seed.to_string()], "120s", &options)?;
            let mut seen = BTreeMap::new();
            for line in fs::read_to_string(&states).unwrap_or_default().lines() {
                *seen.entry(line.to_string()).or_default() += 1;
            }
            Ok((explored, seen))
        };
        let (under_sc, sc_states) = explored("--no-weak")?;
        let (weak, states) = explored("--weak")?;
        if [&under_sc, &weak].iter().any(|explored| explored.why.iter().any(|why| why.contains("runs"))) {
            continue;
        }
        let told = |explored: &Explored| {
            let Explored { verdict, executions, not_sc, blocked, redundant, bugs, why, .. } = explored;
            format!(
                "{verdict}, {executions} executions, {not_sc} not SC, {blocked} blocked, {redundant} redundant, {bugs:?}, {why:?}"
            )
        };
        let is_same = under_sc.verdict == weak.verdict
            && under_sc.executions == weak.executions
            && weak.not_sc == 0
            && under_sc.bugs == weak.bugs
            && under_sc.why.is_empty()
            && weak.why.is_empty()
            && sc_states == states;
        if !is_same {
            let told = [&under_sc, &weak].map(told);
            return Err(format!("program {seed} of {}: {told:#?}\n{sc_states:?}\n{states:?}", path.display()));
        }
        COMPARED.fetch_add(1, Ordering::SeqCst);
        STUCK.fetch_add(u64::from(weak.verdict == "bug"), Ordering::SeqCst);
    }
    let compared = COMPARED.load(Ordering::SeqCst) - before;
    match (compared * 2 > TOGETHER, STUCK.load(Ordering::SeqCst) > stuck) {
        (true, true) => Ok(()),
        (_, can_get_stuck) => Err(format!("{compared} were compared; do some get stuck? {can_get_stuck}")),
    }
}

/// What a thread does, as C.
fn statements(random: &mut Random, favourite: usize, length: usize) -> String {
    let mut text = String::new();
    for place in 0..length {
        let class = if random.below(3) > 0 { favourite } else { random.below(5) };
        let tell = |call: &str| format!("seen[{place}] = 1 + !!{call};");
        let tries = |call: &str, gives_back: &str| format!("{} if (seen[{place}] == 1) {gives_back};", tell(call));
        let statement = match (class, random.below(4)) {
            (0, 0 | 1) => "pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex);".to_string(),
            (0, 2) => tries("pthread_mutex_trylock(&mutex)", "pthread_mutex_unlock(&mutex)"),
            (0, _) => "pthread_spin_lock(&spin); pthread_spin_unlock(&spin);".to_string(),
            (1, 0) => "pthread_cond_signal(&condition);".to_string(),
            (1, 1) => "pthread_mutex_lock(&mutex); pthread_cond_broadcast(&condition); pthread_mutex_unlock(&mutex);".to_string(),
            (1, _) => "pthread_mutex_lock(&mutex); pthread_cond_wait(&condition, &mutex); pthread_mutex_unlock(&mutex);".to_string(),
            (2, 0) => "sem_wait(&semaphore);".to_string(),
            (2, 1) => tell("sem_trywait(&semaphore)"),
            (2, _) => "sem_post(&semaphore);".to_string(),
            (3, 0 | 1) => tell("pthread_barrier_wait(&barrier)"),
            (3, 2) => "sem_post(&semaphore);".to_string(),
            (3, _) => "pthread_mutex_lock(&mutex); sem_wait(&semaphore); pthread_mutex_unlock(&mutex);".to_string(),
            (_, 0) => "pthread_rwlock_wrlock(&lock); pthread_rwlock_unlock(&lock);".to_string(),
            (_, 1) => "pthread_rwlock_rdlock(&lock); pthread_rwlock_unlock(&lock);".to_string(),
            (_, 2) => tries("pthread_rwlock_trywrlock(&lock)", "pthread_rwlock_unlock(&lock)"),
            (_, _) => "pthread_mutex_lock(&nested); pthread_mutex_lock(&nested); pthread_mutex_unlock(&nested); pthread_mutex_unlock(&nested);".to_string(),
        };
        let _ = writeln!(text, "  {statement}");
    }
    text
}

/// Programs for these seeds. Each tells at its end what its threads have been told.
fn programs(seeds: std::ops::Range<u64>) -> String {
    let mut text = "#include <pthread.h>\n#include <semaphore.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n\
        static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, nested;\n\
        static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;\n\
        static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;\n\
        static pthread_barrier_t barrier;\nstatic pthread_spinlock_t spin;\nstatic sem_t semaphore;\n\n"
        .to_string();
    let mut cases = String::new();
    for seed in seeds {
        let mut random = Random::new(seed + (77 << 32));
        let threads = 2 + random.below(2);
        let favourite = random.below(5);
        let mut bodies = Vec::new();
        for thread in 0..threads {
            let length = 1 + random.below(if threads == 2 { 3 } else { 2 });
            let body = statements(&mut random, favourite, length);
            let _ = writeln!(
                text,
                "static int seen_{seed}_{thread}[8];\nstatic void *run_{seed}_{thread}(void *argument) {{"
            );
            let _ =
                writeln!(text, "  int *seen = seen_{seed}_{thread};\n{body}  return argument ? argument : seen;\n}}\n");
            bodies.push(format!("run_{seed}_{thread}"));
        }
        let list = bodies.join(", ");
        let seen: Vec<String> = (0..threads).map(|thread| format!("seen_{seed}_{thread}")).collect();
        let _ = writeln!(
            cases,
            "  case {seed}: return all({threads}, (void *(*[])(void *)){{{list}}}, (int *[]){{{}}});",
            seen.join(", ")
        );
    }
    text += "static int all(int count, void *(*runs[])(void *), int *seen[]) {\n  pthread_t threads[3];\n  \
        for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, runs[i], NULL);\n  \
        for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);\n  \
        FILE *file = fopen(getenv(\"FP_STATES\"), \"a\");\n  \
        for (int i = 0; i < 8 * count; i++) fprintf(file, \"%d \", seen[i / 8][i % 8]);\n  \
        fprintf(file, \"\\n\");\n  fclose(file);\n  return 0;\n}\n\n";
    text += "int main(int count, char **arguments) {\n  pthread_mutexattr_t recursive;\n  \
        pthread_mutexattr_init(&recursive);\n  \
        pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);\n  \
        pthread_mutex_init(&nested, &recursive);\n  pthread_barrier_init(&barrier, NULL, 2);\n  \
        pthread_spin_init(&spin, 0);\n  sem_init(&semaphore, 0, 0);\n  \
        switch (count > 1 ? atoi(arguments[1]) : 0) {\n";
    text += &cases;
    text += "  }\n  return 1;\n}\n";
    text
}
