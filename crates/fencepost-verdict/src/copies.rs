//! Programs with threads of any number of copies: what an answer is about.

use fencepost_ir::Program;

/// How something is known of every number of copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopiesArgument {
    /// By what so many copies can be seen to do beside any number of others.
    Forward(u32),
    /// By adding predecessors to what is wrong, until nothing new came.
    Backward,
}

impl CopiesArgument {
    /// The name in machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            CopiesArgument::Forward(_) => "forward",
            CopiesArgument::Backward => "backward",
        }
    }
}

/// What an answer about such a program is about.
#[derive(Clone, Debug, Default)]
pub struct ForCopies {
    /// It holds for every number of copies, and so it is known.
    pub every: Option<CopiesArgument>,
    /// What was found was found with so many copies.
    pub with: Option<WithCopies>,
}

/// A program of some number of copies.
#[derive(Clone, Debug)]
pub struct WithCopies {
    /// So many of each kind.
    pub number: u32,
    /// The program.
    pub program: Program,
}

impl ForCopies {
    /// The program that the threads and instructions of an answer belong to.
    pub fn program(&self) -> Option<&Program> {
        self.with.as_ref().map(|with| &with.program)
    }
}
