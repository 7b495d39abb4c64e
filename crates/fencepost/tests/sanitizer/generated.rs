//! Generated programs as C: what the static checker decides about them, the sanitizer must find in
//! some run, or in none.

use std::fs;
use std::path::Path;

use fencepost_base::source::SourceFile;
use fencepost_check::Question;
use fencepost_export::c::{self, export};
use fencepost_ir::{CmpOp, Op, Program};
use fencepost_model::models;
use fencepost_sanitizer::MODEL;
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::repetitions;
use fencepost_verdict::{Budget, Verdict};

use crate::corpus;
use crate::suite::{Case, Expected, Finding};

/// Programs for these seeds, but for those that C has no words for. Their texts go to `folder`.
pub(crate) fn cases(folder: &Path) -> Vec<Case> {
    fs::create_dir_all(folder).expect("a folder for generated programs");
    let cases: Vec<Case> = (0..repetitions(60)).filter_map(|seed| case(folder, seed)).collect();
    let silent = cases.iter().filter(|case| matches!(case.expected, Expected::Silent)).count();
    assert!(silent > 10 && cases.len() - silent > 10, "{silent} of {} are robust", cases.len());
    cases
}

fn case(folder: &Path, seed: u64) -> Option<Case> {
    let loops = seed.is_multiple_of(5);
    let options = Options {
        threads: 2..=3,
        accesses: 2..=6,
        total_accesses: 12,
        loops,
        plain: seed.is_multiple_of(3),
        ..Options::default()
    };
    let program = generate::program(seed, &options);
    let model = models::by_name(MODEL).expect("the model of the sanitizer is one of ours");
    let robust =
        match Question::new(&program, model).robustness(&Budget::unlimited()).expect("every violation replays").verdict
        {
            Verdict::Holds => true,
            Verdict::Violated(_) => false,
            Verdict::Unknown(reason) => panic!("seed {seed}: unknown: {reason}"),
        };
    if robust && polls(&program) {
        return None;
    }
    let name = format!("{seed}");
    // The program as it is printed is for who looks into a failure; the instructions have no lines
    // of their own.
    let printed = fencepost_lower::print(&program).replace("*/", "* /");
    let source = SourceFile::new(format!("generated-{name}"), "");
    let text = export(&program, &source, c::Options { steps: 10 }).ok()?;
    let path = folder.join(format!("{name}.c"));
    fs::write(&path, format!("{text}\n/*\n{printed}*/\n")).expect("a file for a generated program");
    let expected = if robust { Expected::Silent } else { Expected::Findings(vec![Finding::any()]) };
    // Some are shown by one run of a thousand only.
    Some(corpus::exported(name, path, expected, 5_000))
}

/// A wait for more than one value is a loop in C, and may be seen polling.
pub(crate) fn polls(program: &Program) -> bool {
    let is_simple = |comparisons: &[(CmpOp, _)]| matches!(comparisons, [(CmpOp::Eq | CmpOp::Ne, _)]);
    let mut ops = program.threads().iter().flat_map(|thread| &thread.code).map(|instr| &instr.op);
    ops.any(|op| matches!(op, Op::Wait { condition, .. } if !is_simple(&condition.any_of)))
}
