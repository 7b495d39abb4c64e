//! Repairing a copy of a library by strengthening the lines that reports name. Coarse: the whole line becomes
//! `seq_cst`. It shows how many lines matter and what it costs at most to make a library robust.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::hunt::{Place, Violation};

/// What to look for on a line, and what to put there.
pub(crate) type Rewrite = (&'static str, &'static str);

/// A copy, its original lines, and the lines that were changed.
pub(crate) struct Repair {
    copy: PathBuf,
    rewrites: &'static [Rewrite],
    /// The changed lines, as they are now.
    changed: BTreeMap<Place, String>,
}

impl Repair {
    pub(crate) fn new(copy: &Path, rewrites: &'static [Rewrite]) -> Result<Self, String> {
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

    /// Strengthens a line for every violation; is any line different now?
    pub(crate) fn apply(&mut self, violations: &[Violation]) -> Result<bool, String> {
        let mut any = false;
        for place in violations.iter().flat_map(|violation| &violation.places) {
            any |= self.strengthen(place)?;
        }
        Ok(any)
    }

    fn strengthen(&mut self, place: &Place) -> Result<bool, String> {
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
        let stronger = rewritten(line, self.rewrites);
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
    use super::*;

    const REWRITES: &[Rewrite] = &[("memory_order_relaxed", "memory_order_seq_cst")];

    #[test]
    fn lines_are_strengthened_once() {
        let dir = std::env::temp_dir().join(format!("fencepost-repair-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        let file = dir.join("a.h");
        std::fs::write(&file, "x.load(memory_order_relaxed);\ny.load(memory_order_relaxed);\n").expect("a file");
        let place = |line| Place { file: file.clone(), line };
        let violation =
            Violation { title: String::new(), places: vec![place(2), place(3), place(0)], suggestion: Vec::new() };
        let mut repair = Repair::new(&dir, REWRITES).expect("it is there");
        assert_eq!(repair.apply(std::slice::from_ref(&violation)), Ok(true));
        assert_eq!(repair.apply(&[violation]), Ok(false));
        assert_eq!(repair.lines().collect::<Vec<_>>(), ["a.h:2: `y.load(memory_order_seq_cst);`"]);
        let text = std::fs::read_to_string(&file).expect("the file");
        assert_eq!(text, "x.load(memory_order_relaxed);\ny.load(memory_order_seq_cst);\n");
        std::fs::remove_dir_all(&dir).expect("its end");
    }
}
