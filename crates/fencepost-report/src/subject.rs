//! A program together with its source text: what every report needs in order
//! to speak of threads, locations and lines instead of numbers.

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_base::source::SourceFile;
use fencepost_finding::Statement;
use fencepost_ir::Program;
use fencepost_verdict::{ForCopies, RunStep, Site};

/// What a report is about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The text.
    pub source: &'a SourceFile,
    /// The program it denotes.
    pub program: &'a Program,
}

impl<'a> Subject<'a> {
    /// The program that an answer is about, if this one has threads of any number of copies.
    pub fn about(self, copies: Option<&'a ForCopies>) -> Self {
        Subject { program: copies.and_then(ForCopies::program).unwrap_or(self.program), ..self }
    }

    /// The program's name; the stem of the file's name when it has none.
    pub fn name(&self) -> &'a str {
        self.program.name().unwrap_or_else(|| {
            let file = self.source.name();
            let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
            base.split_once('.').map_or(base, |(stem, _)| if stem.is_empty() { base } else { stem })
        })
    }

    /// The name of a thread.
    pub fn thread(&self, thread: ThreadId) -> &'a str {
        &self.program.thread(thread).name
    }

    /// The name of a location.
    pub fn location(&self, loc: LocId) -> &'a str {
        &self.program.location(loc).name
    }

    /// A value: a number, or an address.
    pub fn value(&self, value: Value) -> String {
        self.program.value_text(value)
    }

    /// The line in which an instruction starts.
    pub fn line(&self, site: Site) -> usize {
        self.source.start_of(self.program.instr(site.thread, site.pc).origin.span).line
    }

    /// An instruction as people find it.
    pub fn statement(&self, site: Site) -> Statement {
        let origin = self.program.instr(site.thread, site.pc).origin;
        let text = self.source.slice_on_one_line(origin.span);
        let text = match text.split_once('{') {
            Some((head, _)) => format!("{} {{ … }}", head.trim_end()),
            None => text.trim_end_matches([';', ' ']).to_string(),
        };
        Statement {
            thread: self.thread(site.thread).to_string(),
            start: self.source.start_of(origin.span),
            end: self.source.position(origin.span.end as usize),
            span: origin.span,
            called_from: origin.called_from,
            text,
            effect: None,
            remark: String::new(),
        }
    }

    /// Is it the update of the hidden location that stands for `fence(sc)`?
    pub fn is_fence(&self, label: &Label) -> bool {
        matches!(label, Label::Fence { .. }) || (label.loc().is_some() && label.loc() == self.program.fence_location())
    }

    /// What a step does to memory: `W x 1`, `R y 0`, `U x 0→1`, `fence`, `light fence x`.
    pub fn effect(&self, label: &Label) -> String {
        if self.is_fence(label) {
            return "fence".to_string();
        }
        match *label {
            Label::Read { loc, value, .. } => format!("R {} {}", self.location(loc), self.value(value)),
            Label::Write { loc, value, .. } => format!("W {} {}", self.location(loc), self.value(value)),
            Label::Rmw { loc, read, written, .. } => {
                format!("U {} {}→{}", self.location(loc), self.value(read), self.value(written))
            }
            Label::Fence { .. } => "fence".to_string(),
            Label::LightFence { loc: Some(loc) } => format!("light fence {}", self.location(loc)),
            Label::LightFence { loc: None } => "light fence".to_string(),
        }
    }

    /// The effect of a step of a run; a choice when it does nothing to memory.
    pub fn step_effect(&self, step: &RunStep) -> String {
        match (&step.label, step.choice) {
            (Some(label), _) => self.effect(label),
            (None, Some(choice)) => format!("choice {choice}"),
            (None, None) => String::new(),
        }
    }
}
