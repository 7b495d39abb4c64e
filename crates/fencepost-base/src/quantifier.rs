//! What a litmus test asks of its final states.

/// Which final states have to satisfy a formula?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// `exists`: at least one.
    Exists,
    /// `~exists`: none.
    NotExists,
    /// `forall`: all.
    Forall,
}

impl Quantifier {
    /// As written.
    pub fn as_str(self) -> &'static str {
        match self {
            Quantifier::Exists => "exists",
            Quantifier::NotExists => "~exists",
            Quantifier::Forall => "forall",
        }
    }
}
