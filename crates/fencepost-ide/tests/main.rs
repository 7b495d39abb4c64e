//! Tests of what editors ask.

mod corpus;
mod extension;
mod program;
