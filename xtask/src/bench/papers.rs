//! The programs of the tables that robustness checkers were published with,
//! what those tables say, and which file is ours.
//!
//! Our programs are written after the algorithms, not after the authors' files;
//! times were taken on other machines (Intel Core i5-6300U, 2.4 GHz) and show
//! orders of magnitude only.

/// A table of a paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// Lahav and Margalit, PLDI 2019, figure 7: robustness against RA.
    Pldi2019Fig7,
    /// Margalit and Lahav, POPL 2021, figure 6: robustness and observational robustness against
    /// RC20.
    Popl2021Fig6,
    /// Margalit and Lahav, POPL 2021, figure 7: programs with release/acquire accesses only,
    /// against RC20.
    Popl2021Fig7,
}

impl Table {
    /// In the order of publication.
    pub(crate) const ALL: [Table; 3] = [Table::Pldi2019Fig7, Table::Popl2021Fig6, Table::Popl2021Fig7];

    /// Where it is.
    pub(crate) fn citation(self) -> &'static str {
        match self {
            Table::Pldi2019Fig7 => "Lahav and Margalit, PLDI 2019, figure 7 (robustness against RA)",
            Table::Popl2021Fig6 => "Margalit and Lahav, POPL 2021, figure 6 (RC20, plain and observational)",
            Table::Popl2021Fig7 => "Margalit and Lahav, POPL 2021, figure 7 (release/acquire programs, RC20)",
        }
    }

    /// The model it is about.
    pub(crate) fn model(self) -> &'static str {
        match self {
            Table::Pldi2019Fig7 => "ra",
            Table::Popl2021Fig6 | Table::Popl2021Fig7 => "rc20",
        }
    }
}

/// What a table says about a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Published {
    /// The table.
    pub(crate) table: Table,
    /// Our program, in `litmus/algorithms`.
    pub(crate) program: &'static str,
    /// The program's name in the table, where ours is called differently.
    pub(crate) alias: Option<&'static str>,
    /// Is the question observational robustness?
    pub(crate) observational: bool,
    /// Does the property hold?
    pub(crate) holds: bool,
    /// Seconds of the published tool, compilation of the verifier included.
    pub(crate) seconds: f64,
}

impl Published {
    const fn new(table: Table, program: &'static str, holds: bool, seconds: f64) -> Self {
        Published { table, program, alias: None, observational: false, holds, seconds }
    }

    const fn alias(mut self, alias: &'static str) -> Self {
        self.alias = Some(alias);
        self
    }

    const fn observational(mut self) -> Self {
        self.observational = true;
        self
    }
}

const fn ra(program: &'static str, holds: bool, seconds: f64) -> Published {
    Published::new(Table::Pldi2019Fig7, program, holds, seconds)
}

const fn plain(program: &'static str, holds: bool, seconds: f64) -> Published {
    Published::new(Table::Popl2021Fig6, program, holds, seconds)
}

const fn observed(program: &'static str, holds: bool, seconds: f64) -> Published {
    plain(program, holds, seconds).observational()
}

const fn release_acquire(program: &'static str, seconds: f64) -> Published {
    Published::new(Table::Popl2021Fig7, program, true, seconds)
}

/// Every row of the three tables (columns "Time" of the first, "R" and "O" of the second, "R" of
/// the third).
pub(crate) const PUBLISHED: &[Published] = &[
    ra("barrier", true, 1.6),
    ra("dekker-sc", false, 4.2),
    ra("dekker-tso", true, 5.2),
    ra("peterson-sc", false, 2.5),
    ra("peterson-tso", false, 3.3),
    ra("peterson-ra", true, 5.8),
    ra("peterson-ra-dmitriy", true, 4.3),
    ra("peterson-ra-bratosz", false, 3.4),
    ra("lamport2-sc", false, 9.1),
    ra("lamport2-tso", false, 13.7),
    ra("lamport2-ra", true, 18.9),
    ra("lamport2-3-ra", true, 215.6),
    ra("spinlock", true, 1.6),
    ra("spinlock4", true, 6.4),
    ra("ticketlock", true, 2.6),
    ra("ticketlock4", true, 22.6),
    ra("seqlock", true, 20.7),
    ra("nbw-w-lr-rl", true, 5.7),
    ra("rcu", true, 67.6),
    ra("rcu-offline", true, 137.9),
    ra("cilk-the-wsq-sc", false, 5.0),
    ra("cilk-the-wsq-tso", true, 6.1),
    ra("chase-lev-sc", false, 3.8),
    ra("chase-lev-tso", false, 4.9),
    ra("chase-lev-ra", true, 67.1),
    plain("arc", true, 67.1),
    observed("arc", true, 71.2),
    plain("peterson-rlx", false, 1.1).alias("peterson"),
    observed("peterson-rlx", false, 1.1).alias("peterson"),
    plain("peterson-rlx-fix1", true, 1.1).alias("peterson-fix1"),
    observed("peterson-rlx-fix1", true, 1.1).alias("peterson-fix1"),
    plain("peterson-rlx-fix2", true, 1.1).alias("peterson-fix2"),
    observed("peterson-rlx-fix2", true, 1.1).alias("peterson-fix2"),
    plain("singleton", true, 2.8),
    observed("singleton", true, 3.0),
    plain("singleton-rlx", true, 2.8),
    observed("singleton-rlx", true, 3.1),
    plain("wait-free-ring", true, 0.9),
    observed("wait-free-ring", true, 1.0),
    plain("dekker-rlx", true, 1.5),
    observed("dekker-rlx", true, 1.6),
    plain("seqlock-rdmw", false, 7.1),
    observed("seqlock-rdmw", true, 59.7),
    plain("seqlock-fence", false, 8.0),
    observed("seqlock-fence", true, 81.8),
    plain("seqlock-rdmw-rw", false, 6.4),
    observed("seqlock-rdmw-rw", true, 53.5),
    plain("seqlock-fence-rw", false, 6.7),
    observed("seqlock-fence-rw", true, 74.6),
    plain("chase-lev-rlx", true, 57.7).alias("chase-lev"),
    observed("chase-lev-rlx", true, 58.8).alias("chase-lev"),
    plain("lock-exchange", true, 1.0),
    observed("lock-exchange", true, 1.0),
    plain("spinlock4-rlx", true, 2.5),
    observed("spinlock4-rlx", true, 2.9),
    release_acquire("peterson-ra", 1.1),
    release_acquire("dekker-tso", 1.4).alias("dekker-ra"),
    release_acquire("seqlock", 62.2).alias("seqlock-ra"),
    // The file chase-lev-ra has relaxed accesses, which count under RC20.
    release_acquire("chase-lev-rel", 59.8).alias("chase-lev-ra"),
    release_acquire("spinlock4", 2.4).alias("spinlock4-ra"),
    release_acquire("lamport2-3-ra", 102.3).alias("lamport2-3"),
    release_acquire("rcu", 54.7),
    release_acquire("rcu-offline", 80.3),
    release_acquire("ticketlock4", 12.1),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::{PUBLISHED, Table};

    #[test]
    fn every_table_is_complete() {
        let rows = |table, observational| {
            PUBLISHED.iter().filter(|row| row.table == table && row.observational == observational).count()
        };
        assert_eq!(rows(Table::Pldi2019Fig7, false), 25);
        assert_eq!(rows(Table::Popl2021Fig6, false), 15);
        assert_eq!(rows(Table::Popl2021Fig6, true), 15);
        assert_eq!(rows(Table::Popl2021Fig7, false), 9);
    }

    #[test]
    fn no_question_is_asked_twice() {
        let questions: BTreeSet<_> =
            PUBLISHED.iter().map(|row| (row.program, row.table.model(), row.observational)).collect();
        assert_eq!(questions.len(), PUBLISHED.len());
    }

    /// The expectations in the files are the published verdicts: we are judged on the same
    /// questions.
    #[test]
    fn the_files_expect_what_was_published() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace root");
        for row in PUBLISHED {
            let path = root.join("litmus/algorithms").join(row.program).with_extension("fp");
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let expects = |question: &str| {
                let prefix = format!("//: {question} ");
                text.lines().find_map(|line| line.strip_prefix(&prefix)).and_then(|rest| rest.split(' ').next())
            };
            let model = row.table.model();
            let plain = expects(model);
            // What is robust is observationally robust, and the file need not say so.
            let expected = match expects(&format!("{model} observational")) {
                Some(said) if row.observational => Some(said),
                _ => plain,
            };
            assert_eq!(expected, Some(if row.holds { "robust" } else { "violation" }), "{row:?}");
        }
    }
}
