//! Repairing a copy of a library where reports say so. Coarse: where another order is suggested,
//! every atomic access on the line becomes `seq_cst`; where a fence is, or where that was not
//! enough, it gets a fence on either side. It shows how many lines matter, and what it costs at
//! most to make a library robust.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::hunt::{Place, Violation};

/// What to look for on a line, and what to put there.
pub(crate) type Rewrite = (&'static str, &'static str);

/// How a library says its orders.
#[derive(Clone, Copy)]
pub(crate) struct Rewrites {
    /// To `seq_cst`.
    pub(crate) orders: &'static [Rewrite],
    /// To an access with a fence on either side.
    pub(crate) fences: &'static [Rewrite],
}

/// A copy, and the lines that were changed.
pub(crate) struct Repair {
    copy: PathBuf,
    rewrites: Rewrites,
    /// The changed lines, as they are now.
    changed: BTreeMap<Place, String>,
}

impl Repair {
    pub(crate) fn new(copy: &Path, rewrites: Rewrites) -> Result<Self, String> {
        let copy = copy.canonicalize().map_err(|error| format!("{}: {error}", copy.display()))?;
        Ok(Repair { copy, rewrites, changed: BTreeMap::new() })
    }

    /// How many lines are different now.
    pub(crate) fn changed(&self) -> usize {
        self.changed.len()
    }

    /// The changed lines.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.changed.iter().map(|(place, line)| format!("{}: `{}`", place.describe(), line.trim()))
    }

    /// Does what is suggested, or more if that has been done; is any line different now?
    pub(crate) fn apply(&mut self, violations: &[Violation]) -> Result<bool, String> {
        let mut any = false;
        for violation in violations {
            let mut done = false;
            for edit in &violation.suggestion {
                done |= self.strengthen(&edit.place, edit.is_fence())?;
            }
            if !done {
                for place in violation.suggestion.iter().map(|edit| &edit.place).chain(&violation.ends) {
                    done |= self.strengthen(place, true)?;
                }
            }
            any |= done;
        }
        Ok(any)
    }

    fn strengthen(&mut self, place: &Place, fence: bool) -> Result<bool, String> {
        let rewrites = if fence { self.rewrites.fences } else { self.rewrites.orders };
        let Ok(file) = place.file.canonicalize() else { return Ok(false) };
        if !file.starts_with(&self.copy) {
            return Ok(false);
        }
        let fail = |error: std::io::Error| format!("{}: {error}", file.display());
        let text = std::fs::read_to_string(&file).map_err(fail)?;
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        let Some(line) = usize::try_from(place.line).ok().and_then(|line| lines.get_mut(line.checked_sub(1)?)) else {
            return Ok(false);
        };
        let stronger = rewritten(line, rewrites);
        if stronger == *line {
            return Ok(false);
        }
        self.changed.insert(Place { file: file.clone(), line: place.line }, stronger.clone());
        *line = stronger;
        std::fs::write(&file, lines.join("\n") + "\n").map_err(fail)?;
        Ok(true)
    }
}

fn rewritten(line: &str, rewrites: &[Rewrite]) -> String {
    rewrites.iter().fold(line.to_string(), |line, (from, to)| line.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::super::hunt::Edit;
    use super::*;

    const REWRITES: Rewrites = Rewrites { orders: &[("rlx", "sc")], fences: &[("rlx", "fenced"), ("sc", "fenced")] };

    #[test]
    fn lines_are_strengthened_step_by_step() {
        let dir = std::env::temp_dir().join(format!("fencepost-repair-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        let file = dir.join("a.h");
        std::fs::write(&file, "x.load(rlx);\ny.load(rlx);\n").expect("a file");
        let place = |line| Place { file: file.clone(), line };
        let edit = |line| Edit { place: place(line), change: "make it stronger".into() };
        let violation =
            Violation { title: String::new(), suggestion: vec![edit(2), edit(9)], ends: vec![place(1), place(0)] };
        let mut repair = Repair::new(&dir, REWRITES).expect("it is there");
        let mut step = || (repair.apply(std::slice::from_ref(&violation)), repair.lines().collect::<Vec<_>>());
        assert_eq!(step(), (Ok(true), vec!["a.h:2: `y.load(sc);`".to_string()]));
        let both = vec!["a.h:1: `x.load(fenced);`".to_string(), "a.h:2: `y.load(fenced);`".to_string()];
        assert_eq!(step(), (Ok(true), both.clone()));
        assert_eq!(step(), (Ok(false), both));
        let text = std::fs::read_to_string(&file).expect("the file");
        assert_eq!(text, "x.load(fenced);\ny.load(fenced);\n");
        std::fs::remove_dir_all(&dir).expect("its end");
    }
}
