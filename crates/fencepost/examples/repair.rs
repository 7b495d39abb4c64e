//! Repairs a program that is built in, and writes the repaired one to standard output.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example shows what it got")]

use std::error::Error;

use fencepost::{Language, Limits, Source, model};

const DEKKER: &str = "
global left_wants, right_wants;
nonatomic counter;

thread left {
  local seen;
  left_wants.store(1, rlx);
  seen = right_wants.load(rlx);
  if (seen == 0) { counter = 1; }
}

thread right {
  local seen;
  right_wants.store(1, rlx);
  seen = left_wants.load(rlx);
  if (seen == 0) { counter = 2; }
}
";

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let cpp20 = model("cpp20").ok_or("a model of this name")?;
    let source = Source::parse(Language::Fp, "dekker.fp", DEKKER)?;
    let repair = source.repair(&[cpp20], &Limits::none())?;
    eprint!("{}", repair.to_text());
    let text = repair.text().ok_or("there is no repair")?;
    let repaired = Source::parse(Language::Fp, "dekker.fp", text)?;
    assert!(repaired.check(cpp20, &Limits::none())?.is_robust());
    print!("{text}");
    Ok(())
}
