//! One program of tests.

mod answers;
