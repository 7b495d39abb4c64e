//! What we want to tell a person, before anyone decides how. Rendering is the
//! business of `fencepost-report`.

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used, but probably does not say what was meant.
    Warning,
}

/// A piece of source with what is to be said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// The source.
    pub span: Span,
    /// The remark beside it; may be empty.
    pub text: String,
}

/// One message about a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one line.
    pub message: String,
    /// The place to blame.
    pub primary: Annotation,
    /// Other places that explain it ("first declared here").
    pub secondary: Vec<Annotation>,
    /// What to do about it ("did you mean `acq`?").
    pub help: Vec<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            primary: Annotation { span, text: String::new() },
            secondary: Vec::new(),
            help: Vec::new(),
        }
    }

    /// A warning at `span`.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// With a remark beside the primary place.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// With a second place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Annotation { span, text: text.into() });
        self
    }

    /// With advice.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Is it an error (rather than a warning)?
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The candidate closest to `word`, when one is close enough to be a likely slip.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let longest = word.chars().count();
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(word, candidate), candidate))
        .filter(|&(distance, candidate)| {
            distance > 0 && distance <= 1 + longest.max(candidate.chars().count()) / 4 && distance < longest.max(2)
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Optimal string alignment distance: insertions, deletions, substitutions, swaps of neighbours.
fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(64).collect();
    let b: Vec<char> = b.chars().take(64).collect();
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let substitution = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = substitution.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let words = ["load", "store", "fadd", "acqrel"];
        assert_eq!(closest("laod", words), Some("load"));
        assert_eq!(closest("stor", words), Some("store"));
        assert_eq!(closest("acq_rel", words), Some("acqrel"));
        assert_eq!(closest("frobnicate", words), None);
        assert_eq!(closest("load", words), None);
    }
}
