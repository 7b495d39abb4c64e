//! A page of the book as text: its code blocks, its links, its lines.

use std::ops::Range;

/// A fenced block.
pub(crate) struct Block {
    /// The first word behind the fence: `console`, `c`, `fp`, …
    pub(crate) language: String,
    /// The words after it, such as `file=ring.c` or `code=66`.
    attributes: Vec<String>,
    /// The lines between the fences, by number; the first line of the page is 0.
    pub(crate) lines: Range<usize>,
}

impl Block {
    /// What stands behind `name=`.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }
}

/// A command of a `console` block, and the lines of what it prints.
pub(crate) struct Step {
    pub(crate) command: String,
    pub(crate) output: Range<usize>,
    /// The exit code: what the block says for its last command, 0 for the others.
    pub(crate) code: i32,
}

/// A page, cut into lines.
pub(crate) struct Page {
    pub(crate) lines: Vec<String>,
    pub(crate) blocks: Vec<Block>,
}

impl Page {
    /// # Errors
    /// When a block has no end.
    pub(crate) fn new(text: &str) -> Result<Page, String> {
        let lines: Vec<String> = text.lines().map(str::to_string).collect();
        let mut blocks = Vec::new();
        let mut open: Option<(usize, String)> = None;
        for (number, line) in lines.iter().enumerate() {
            let Some(info) = line.trim_start().strip_prefix("```") else { continue };
            match open.take() {
                None => open = Some((number + 1, info.trim().to_string())),
                Some((start, words)) => {
                    let mut words = words.split_whitespace().map(str::to_string);
                    let language = words.next().unwrap_or_default();
                    blocks.push(Block { language, attributes: words.collect(), lines: start..number });
                }
            }
        }
        match open {
            Some((start, _)) => Err(format!("line {start}: the block has no end")),
            None => Ok(Page { lines, blocks }),
        }
    }

    /// The text of a block.
    pub(crate) fn text(&self, lines: &Range<usize>) -> String {
        self.lines[lines.clone()].iter().map(|line| format!("{line}\n")).collect()
    }

    /// The commands of a block. A line that ends in a backslash goes on in the next one.
    ///
    /// # Errors
    /// When the block does not begin with a command, or its exit code is no number.
    pub(crate) fn steps(&self, block: &Block) -> Result<Vec<Step>, String> {
        let mut steps: Vec<Step> = Vec::new();
        let mut goes_on = false;
        for number in block.lines.clone() {
            let line = self.lines[number].as_str();
            match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => {
                    let output = number + 1..number + 1;
                    steps.push(Step { command: command.to_string(), output, code: 0 });
                }
                (None, None) => return Err(format!("line {}: a command begins with `$ `", number + 1)),
                (None, Some(step)) if goes_on => {
                    step.command = format!("{}\n{line}", step.command);
                    step.output = number + 1..number + 1;
                }
                (None, Some(step)) => step.output.end = number + 1,
            }
            goes_on = line.ends_with('\\') && steps.last().is_some_and(|step| step.output.start == number + 1);
        }
        if let (Some(code), Some(last)) = (block.attribute("code"), steps.last_mut()) {
            last.code = code.parse().map_err(|_| format!("line {}: code={code}", block.lines.start))?;
        }
        Ok(steps)
    }

    /// All commands of the page.
    ///
    /// # Errors
    /// As [`Page::steps`].
    pub(crate) fn all_steps(&self) -> Result<Vec<Step>, String> {
        let sessions = self.blocks.iter().filter(|block| block.language == "console");
        Ok(sessions.map(|block| self.steps(block)).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// The lines outside of blocks, with their numbers.
    pub(crate) fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        // The fences belong to the blocks.
        let is_code = |number: usize| {
            self.blocks.iter().any(|block| (block.lines.start.saturating_sub(1)..=block.lines.end).contains(&number))
        };
        self.lines
            .iter()
            .enumerate()
            .filter(move |(number, _)| !is_code(*number))
            .map(|(number, line)| (number, line.as_str()))
    }

    /// Where the links of the page lead, pictures included, with the numbers of their lines. What
    /// is in backquotes is no link.
    pub(crate) fn links(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for (number, line) in self.prose() {
            let text: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
            for rest in text.split("](").skip(1) {
                found.extend(rest.split_once(')').map(|(target, _)| (number, target.to_string())));
            }
        }
        found
    }

    /// The names that links can have after `#`, made of the headings as forges do.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let headings = self.prose().filter(|(_, line)| line.starts_with('#'));
        let anchor = |heading: &str| -> String {
            let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
            let heading = heading.trim_start_matches('#').trim().to_lowercase();
            heading.chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
        };
        headings.map(|(_, line)| anchor(line)).collect()
    }
}
