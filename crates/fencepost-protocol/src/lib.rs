//! What the sanitizer's runtime and its reporter agree on.
//!
//! The runtime is inside a watched program. The reporter is another process. Both sides use these
//! types and none of their own, so that neither can say what the other does not understand:
//!
//! - [`Order`]s and [`Action`]s of accesses;
//! - [`Options`] with their keys, spellings and defaults, among them the [`Schedule`];
//! - the [`Provocation`] of a run in which an access is to use an overwritten value;
//! - [`message`]s, which the runtime writes and the reporter reads, one JSON object per line
//!   ([`wire`]);
//! - [`Answer`]s, which the reporter gives;
//! - the [`record`] of the run, in memory that both sides map;
//! - the [`exploration`] of every schedule of a test, in memory, too.
//!
//! # How they meet
//!
//! `fencepost run` opens a [`door`]: one end of a socket, inherited by the program and named in its
//! environment. Every process that has something to say makes a connection of its own, and passes
//! the reporter's end through the door. Such a process is the program, a child of it, or a program
//! that it starts.
//!
//! A program that is started without a door starts a reporter itself, once there is something to
//! report. The connection is the reporter's standard input.
//!
//! In both cases the first message is [`message::Start`].
//!
//! [`VERSION`] says what all of this means. The environment names it together with the door, the
//! program sends it through the door, and it is the first field of the first message. Two sides
//! with different versions say so, and do not talk.
//!
//! There are no dependencies, and nothing here allocates but what holds texts and lists. The last
//! message of a program, [`message::End`], can be written where memory cannot be had.
#![no_std]

extern crate alloc;

mod action;
pub mod door;
pub mod exploration;
pub mod message;
mod options;
mod order;
mod provocation;
pub mod record;
mod schedule;
pub mod wire;

pub use action::Action;
pub use options::{Color, Key, Options, pairs};
pub use order::Order;
pub use provocation::{CodePlace, Provocation, Which};
pub use schedule::Schedule;

/// The version of everything in this crate: one more whenever the two sides would misunderstand
/// each other.
pub const VERSION: u8 = 5;

/// The exit code of a program in which something was found, as thread sanitizers have it.
pub const FOUND: u8 = 66;
/// The exit code of a program that was ended because all its threads wait.
pub const DEADLOCK: u8 = 67;

/// Longest message, as bytes of its line; what is longer is none.
pub const MAX_LINE: usize = 1 << 20;

/// What the reporter says to a program that has sent a report and waits (option `halt_on_error`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The report is suppressed, or the program is not to be ended.
    GoOn,
    /// The program is to be ended.
    Halt,
}

impl Answer {
    /// What a byte means. Whatever is not understood, and silence, ends the program: it was to be
    /// ended unless told otherwise.
    pub const fn from_byte(byte: Option<u8>) -> Answer {
        match byte {
            Some(b'c') => Answer::GoOn,
            _ => Answer::Halt,
        }
    }
}

impl From<Answer> for u8 {
    fn from(answer: Answer) -> u8 {
        match answer {
            Answer::GoOn => b'c',
            Answer::Halt => b'h',
        }
    }
}

/// What the reporter says to a program that has sent [`message::End`]: the exit code to end with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitCode(pub Option<u8>);

impl ExitCode {
    /// What a byte, or silence, means for a program that would end with `status`.
    pub fn choose(answer: Option<u8>, status: i32) -> i32 {
        match answer {
            None | Some(0) => status,
            Some(code) => i32::from(code),
        }
    }
}

/// 0 leaves it to the program.
impl From<ExitCode> for u8 {
    fn from(code: ExitCode) -> u8 {
        code.0.unwrap_or(0)
    }
}
