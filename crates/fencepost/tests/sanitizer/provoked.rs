//! Generated programs as C, whose reports are provoked: in whatever state a run ends, the model
//! permits it; what fails or races, the model lets fail or race.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_base::ids::{LocId, RegId, ThreadId};
use fencepost_base::source::SourceFile;
use fencepost_export::c::{self, export};
use fencepost_ir::{Observable, Program};
use fencepost_model::models;
use fencepost_oracle::{Finals, finals};
use fencepost_sanitizer::MODEL;
use fencepost_testkit::compilers::Compiler;
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::repetitions;
use libtest_mimic::{Failed, Trial};

use crate::run;

/// Execution graphs of a program, at most.
const GRAPHS: u64 = 60_000;
/// Programs that are tried, and how many of them in one test.
const PROGRAMS: u64 = 1200;
const TOGETHER: u64 = 40;

/// Runs that have ended in a state that SC does not permit.
static BEYOND_SC: AtomicU64 = AtomicU64::new(0);
/// Programs that are done.
static DONE: AtomicU64 = AtomicU64::new(0);

/// A test for some programs each.
pub(crate) fn trials(folder: &Path, compiler: &Compiler) -> Vec<Trial> {
    let count = repetitions(PROGRAMS);
    let trial = |first: u64| {
        let (folder, compiler) = (folder.to_path_buf(), compiler.clone());
        let seeds = first..count.min(first + TOGETHER);
        Trial::test(format!("provoked/{first}"), move || {
            for seed in seeds.clone() {
                check(seed, &folder.join(format!("{seed}")), &compiler)
                    .map_err(|error| format!("program {seed}: {error}"))?;
            }
            // The last one knows whether any of this was worth the time.
            let done = DONE.fetch_add(seeds.end - seeds.start, Ordering::SeqCst) + seeds.end - seeds.start;
            let beyond = BEYOND_SC.load(Ordering::SeqCst);
            match done == count && beyond < count / 20 {
                true => Err(Failed::from(format!("{beyond} runs of {count} programs have left SC"))),
                false => Ok(()),
            }
        })
    };
    (0..count).step_by(TOGETHER as usize).map(trial).collect()
}

fn check(seed: u64, folder: &Path, compiler: &Compiler) -> Result<(), String> {
    let plain = seed.is_multiple_of(4);
    let options = Options { threads: 2..=3, accesses: 2..=4, total_accesses: 7, plain, ..Options::default() };
    let program = generate::program(seed, &options);
    let Some((text, observed)) = exported(&program, &format!("provoked-{seed}")) else { return Ok(()) };
    let [sc, weak] = ["sc", MODEL].map(|model| all_finals(&program, model, &observed, GRAPHS));
    let (Some(sc), Some(weak)) = (sc, weak) else { return Ok(()) };
    // There is something that is not to be seen under SC.
    if sc.executions.len() == weak.executions.len() && weak.race.is_none() && weak.failure.is_none() {
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let states = folder.join("states");
    let _ = fs::remove_file(&states);
    fs::write(folder.join("program.c"), &text).map_err(|error| error.to_string())?;
    let mut build = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    build.current_dir(folder).args(["cc", "--compiler", &compiler.cc, "-pthread", "-std=gnu11", "-g", "-O0"]);
    let built = run::run(build.args(["-DFP_MILLISECONDS=250", "-o", "program", "program.c"]), run::PATIENCE)?;
    if !built.status.success() {
        return Err(format!("{}\n{text}", built.output));
    }
    for schedule in ["random", "pct:3"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
        command.current_dir(folder).env("FP_STATES", &states);
        command.args(["run", "--format", "json", "--no-spin-detection", "--keep-going", "--schedule", schedule]);
        let done =
            run::run(command.args(["--seeds", "0..40", "--provoke", "12", "--", "./program"]), 4 * run::PATIENCE)?;
        for report in done.output.lines().filter_map(run::report) {
            let (rank, effect) = (report["rank"].as_u64(), &report["provoked"]["consequence"]["kind"]);
            if rank == Some(1) && weak.race.is_none() {
                return Err(format!("{MODEL} has no race: {report:#}\n{text}"));
            }
            // The program ends with another exit code only if an assertion fails.
            if ["exit-code", "signal"].iter().any(|kind| effect == kind) && weak.failure.is_none() {
                return Err(format!("{MODEL} has no failure: {report:#}\n{text}"));
            }
            if effect == "hang" || effect == "deadlock" {
                return Err(format!("programs give up by themselves: {report:#}\n{text}"));
            }
        }
    }
    for state in fs::read_to_string(&states).unwrap_or_default().lines() {
        let values: Vec<u32> = state.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        if weak.race.is_none() && !weak.executions.contains_key(&values) {
            return Err(format!("{MODEL} does not permit {values:?} of {observed:?}\n{text}"));
        }
        if !sc.executions.contains_key(&values) {
            BEYOND_SC.fetch_add(1, Ordering::SeqCst);
        }
    }
    Ok(())
}

pub(crate) fn all_finals(program: &Program, model: &str, observed: &[Observable], graphs: u64) -> Option<Finals> {
    let model = models::by_name(model).expect("a model of ours");
    finals(program, model, observed, graphs, &|| false).ok()
}

/// The program as C, which adds the values of what is observed to the file `FP_STATES` when it
/// ends. None if C has no words for it.
pub(crate) fn exported(program: &Program, name: &str) -> Option<(String, Vec<Observable>)> {
    let source = SourceFile::new(name, "");
    let mut text = export(program, &source, c::Options { steps: 10 }).ok()?;
    // In the upper bits: not worth the trouble. Waits may never end.
    if text.contains("in the upper") || text.contains("fencepost_") {
        return None;
    }
    let (mut observed, mut shown) = (Vec::new(), Vec::new());
    let mut state = "static atomic_int fp_stuck;\n".to_string();
    for (index, location) in program.locations().iter().enumerate() {
        if text.contains(&format!("uint8_t {} = ", location.name)) {
            observed.push(Observable::Location(LocId::from_index(index)));
            shown.push(location.name.clone());
        }
    }
    for (number, thread) in program.threads().iter().enumerate() {
        let at = text.rfind(&format!("static void *{}(void) {{", thread.name))?;
        let (before, body) = text.split_at(at);
        let end = body.find("\n}\n")?;
        let (body, after) = body.split_at(end);
        let declared: Vec<&str> = body.lines().filter_map(|line| line.strip_prefix("  volatile ")).collect();
        let mut kept = String::new();
        for (register, line) in used(program, number).into_iter().zip(&declared) {
            let name = line.split_whitespace().nth(1)?;
            let slot = format!("fp_state_{number}_{}", register.index());
            let _ = writeln!(kept, "  {slot} = {name};");
            let _ = writeln!(state, "static unsigned {slot};");
            observed.push(Observable::Register(ThreadId::from_index(number), register));
            shown.push(slot);
        }
        // Where nothing can be chosen, the run does not come to its end.
        let body = body.replace(") return NULL;", ") { fp_stuck = 1; return NULL; }");
        let body = body.replace(": return NULL;", &format!(": ;\n{kept}  return NULL;"));
        let body = body.replace("\n  return NULL;", &format!("\n{kept}  return NULL;"));
        text = format!("{before}{body}{after}");
    }
    let format = vec!["%u"; shown.len()].join(" ");
    let values: String = shown.iter().map(|name| format!(", (unsigned)({name})")).collect();
    let told = format!(
        "  FILE *fp_file = fp_stuck ? NULL : fopen(getenv(\"FP_STATES\"), \"a\");\n  \
         if (fp_file) fprintf(fp_file, \"{format}\\n\"{values}), fclose(fp_file);\n  return 0;\n}}\n"
    );
    // Everything that is declared is declared before the threads are.
    let main = text.find("int main(")?;
    let end = main + text[main..].find("  return 0;\n}\n")?;
    text.replace_range(end..end + "  return 0;\n}\n".len(), &told);
    let first = text.find("static void *")?;
    text.insert_str(first, &state);
    Some((text, observed))
}

/// The registers that the exported thread has, in their order.
fn used(program: &Program, thread: usize) -> BTreeSet<RegId> {
    let mut used = BTreeSet::new();
    for instr in &program.threads()[thread].code {
        used.extend(instr.op.dst());
        instr.op.for_each_expr(&mut |expr| expr.for_each_register(&mut |register| used.extend([register])));
    }
    used
}
