//! Does a concurrent program still behave as under sequential consistency when it runs on weak
//! memory?
//!
//! This is fencepost as a library: read a program, ask about it, show the answer. The command line
//! of the same name is a user of it.
//!
//! # Is a program robust?
//!
//! A program is *robust* against a memory model if everything it does there it can also do under
//! sequential consistency (SC). Here each of two threads stores to one location and then loads the
//! other's. Under release/acquire both loads can miss the other thread's store:
//!
//! ```
//! use fencepost::{Language, Limits, Source, model};
//!
//! let text = "
//!     global x, y;
//!     thread left { local r; x.store(1, rel); r = y.load(acq); }
//!     thread right { local r; y.store(1, rel); r = x.load(acq); }
//! ";
//! let source = Source::parse(Language::Fp, "sb.fp", text)?;
//! let ra = model("ra").expect("a model of this name");
//! let answer = source.check(ra, &Limits::none())?;
//! assert!(!answer.is_robust());
//! print!("{}", answer.to_text());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Does that do any harm?
//!
//! What goes wrong in executions of the model, if anything, is part of the answer. Here the stale
//! values break an assertion that holds under SC:
//!
//! ```
//! use fencepost::{Language, Limits, Rank, Source, model};
//!
//! let text = "
//!     global data, flag;
//!     thread producer { data.store(1, rlx); flag.store(1, rlx); }
//!     thread consumer { local d; wait(flag == 1, acq); d = data.load(rlx); assert(d == 1); }
//! ";
//! let source = Source::parse(Language::Fp, "mp.fp", text)?;
//! let answer = source.check(model("cpp20").expect("a model of this name"), &Limits::none())?;
//! let consequences = answer.consequences().expect("it is not robust");
//! assert_eq!(consequences.rank(), Rank::Failure);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What repairs it?
//!
//! ```
//! # use fencepost::{Language, Limits, Source, model};
//! # let text = "global x, y;
//! #     thread left { local r; x.store(1, rel); r = y.load(acq); }
//! #     thread right { local r; y.store(1, rel); r = x.load(acq); }";
//! # let source = Source::parse(Language::Fp, "sb.fp", text)?;
//! # let ra = model("ra").expect("a model of this name");
//! let repair = source.repair(&[ra], &Limits::none())?;
//! let repaired = Source::parse(Language::Fp, "sb.fp", repair.text().expect("there is a repair"))?;
//! assert!(repaired.check(ra, &Limits::none())?.is_robust());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Can an assertion fail?
//!
//! ```
//! # use fencepost::{Language, Limits, Source, model};
//! # use std::time::Duration;
//! let text = "
//!     global data, flag;
//!     thread producer { data.store(1, rlx); flag.store(1, rel); }
//!     thread consumer { local d; wait(flag == 1, acq); d = data.load(rlx); assert(d == 1); }
//! ";
//! let source = Source::parse(Language::Fp, "mp.fp", text)?;
//! let limits = Limits::none().timeout(Duration::from_secs(60)).memory(1 << 30);
//! let answer = source.verify(model("cpp20").expect("a model of this name"), &limits)?;
//! assert_eq!(answer.is_safe(), Some(true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Limits
//!
//! Every question takes [`Limits`]: time, memory, states, a flag that stops it, and a function that
//! is told how far it is. An answer that a limit prevents is *unknown*, never *robust*.
//!
//! # Features
//!
//! `cli` (on by default) builds the command line, and with it the runtime that watches compiled
//! programs. Libraries do without it: `default-features = false`.

mod library;

pub use fencepost_base::diag::{Diagnostic, Severity};
pub use fencepost_base::files;
pub use fencepost_base::source::{Position, SourceFile, Span};
pub use fencepost_check::InternalError;
pub use fencepost_ir::Program;
pub use fencepost_lower::{Deref, Language, Reading};
pub use fencepost_model::{Declaration, Model};
pub use fencepost_report::terminal::Look;
pub use fencepost_verdict::{
    Consequence, Consequences, Disk, Forecast, Outcome, Plan, Progress, Rank, Reason, Scope, Stats, Verdict,
    Verification, Violation,
};
pub use library::{Checked, Limits, ParseError, Repair, Source, Verified, model, models};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
