//! Programs as Promela, so that SPIN can judge them too.
//!
//! The exported program carries the monitor of a memory model as the papers'
//! own tools did: bits for threads, locations and critical values, updated
//! together with every access, and an assertion that no access which a thread
//! is ready to make could use a stale value. It is robust iff SPIN finds no
//! assertion violated. This is a second telling of the monitors, written from
//! the papers and sharing no code with those of `fencepost-model`: the two are
//! compared. What is shared is the analysis of values, classes and dead
//! registers in `fencepost-analysis`.
//!
//! A thread rests before every access; an access and what the thread computes
//! up to its next rest are one `d_step`. Where that computation decides where
//! the thread rests next, or the thread chooses something, an `atomic` around
//! it does the rest: SPIN stores no state in between. Registers that are dead at a
//! rest are 0 there, and what nobody ever looks at has no variable.
//!
//! Not every program fits: integers are 32 bits wide in SPIN. What does not
//! fit is refused, never approximated.

mod access;
mod bits;
mod cpp20;
mod encoding;
mod expr;
mod hb_sc;
mod local;
mod names;
mod orders;
mod ra;
mod rc20;
mod rest;
mod sc;
mod shape;
mod stmt;
mod thread;
mod views;

use std::fmt::Write as _;

use crate::infix::Unsupported;
use fencepost_analysis::values::PossibleValues;
use fencepost_ir::{Op, Program, Thread};
use fencepost_model::{Model, PromelaMonitor};

use self::encoding::Encoding;
use self::names::Names;
use self::orders::Orders;
use self::shape::Shape;
use self::thread::{Context, Writer};

/// What to export.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Let reads be stale as long as nothing depends on them (observational robustness).
    pub observational: bool,
}

/// Largest text that is worth giving to SPIN, in bytes: its verifier would take minutes to compile.
const LARGEST_TEXT: usize = 8 << 20;
/// SPIN numbers its processes with eight bits.
const MOST_THREADS: usize = 250;

/// The program with the monitor of `model`, as Promela. SPIN reports a violated assertion iff the
/// program is not robust; for `sc`, iff an assertion of the program itself (or an index, or a
/// division) can fail.
pub fn export(program: &Program, model: &dyn Model, options: Options) -> Result<String, Unsupported> {
    if program.threads().len() > MOST_THREADS {
        return Err(Unsupported::new(format!("SPIN has room for {MOST_THREADS} threads at most")));
    }
    let bounded = |thread: &Thread| thread.code.iter().any(|instr| matches!(instr.op, Op::Bound { .. }));
    if program.has_sections() || program.threads().iter().any(bounded) {
        return Err(Unsupported::new("there is no Promela encoding of atomic sections and bounds"));
    }
    if program.has_mixed_accesses() {
        return Err(Unsupported::new("there is no Promela encoding of plain accesses of atomic locations"));
    }
    let values = PossibleValues::of(program);
    let names = Names::new(program, &values);
    let shape = || Shape::new(program, model, &values);
    let encoding: Option<Box<dyn Encoding>> = match model.declaration().promela {
        Some(PromelaMonitor::Nothing) if options.observational => {
            return Err(Unsupported::new(sc::NOTHING_TO_OBSERVE));
        }
        Some(PromelaMonitor::Nothing) => None,
        Some(PromelaMonitor::ReleaseAcquire) => Some(Box::new(ra::Ra::new(&shape()?))),
        Some(PromelaMonitor::Orders) => Some(Box::new(Orders::<rc20::ScViews>::new(&shape()?))),
        Some(PromelaMonitor::OrdersAndS) => Some(Box::new(Orders::<cpp20::OrderS>::new(&shape()?))),
        None => {
            let what = format!("there is no Promela encoding of the model `{}`", model.name());
            return Err(Unsupported::new(what));
        }
    };
    let context = Context::new(program, model, options, &names, encoding.as_deref());
    let threads = program.thread_ids().map(|id| Writer::new(&context, id)).collect::<Result<Vec<_>, _>>()?;
    let mut text = header(program, model, options);
    text += match &encoding {
        None => sc::FAILURES,
        Some(_) => encoding::FAILURES,
    };
    text += "\n";
    let memory = context.declarations().into_iter();
    let announced = threads.iter().flat_map(Writer::declarations);
    let monitor = encoding.iter().flat_map(|encoding| encoding.declarations());
    for declaration in memory.chain(announced).chain(monitor) {
        let _ = writeln!(text, "{declaration};");
    }
    for thread in &threads {
        text += "\n";
        text += &thread.proctype()?;
        check_size(&text)?;
    }
    Ok(text)
}

/// Refuses a text that is too large.
fn check_size(text: &str) -> Result<(), Unsupported> {
    if text.len() > LARGEST_TEXT {
        return Err(Unsupported::new(format!("it would be more than {} MiB of Promela", LARGEST_TEXT >> 20)));
    }
    Ok(())
}

fn header(program: &Program, model: &dyn Model, options: Options) -> String {
    let name = program.name().unwrap_or("a program without a name").replace("*/", "* /").replace('\n', " ");
    let property = match (model.name(), options.observational) {
        ("sc", _) => "under sequential consistency, no assertion of the program fails".to_string(),
        (model, false) => format!("{name} is robust against {model}"),
        (model, true) => format!("{name} is observationally robust against {model}: nothing depends on a stale read"),
    };
    format!(
        "\
/* {name}, exported by fencepost.
   SPIN finds no assertion violated iff: {property}.
     spin -a FILE && gcc -O2 -DSAFETY -DNOCLAIM -o pan pan.c && ./pan -E -m1000000
   A search that reports \"max search depth too small\" proves nothing: enlarge -m. */
"
    )
}
