//! Code with labels instead of positions.

use fencepost_base::ids::Pc;
use fencepost_ir::{Instr, Op, Origin};

use crate::instrument::Meaning;

/// A position in code that is still being written; where an operation has a target, it stands for
/// it as a [`Pc`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(Pc);

impl Label {
    pub(crate) fn target(self) -> Pc {
        self.0
    }
}

/// Code being written.
#[derive(Default)]
pub(crate) struct Assembler {
    code: Vec<Instr>,
    meanings: Vec<Meaning>,
    /// Where each label is.
    placed: Vec<Option<usize>>,
    origin: Origin,
}

impl Assembler {
    /// A new label, to be placed later.
    pub(crate) fn label(&mut self) -> Label {
        self.placed.push(None);
        Label(Pc::from_index(self.placed.len() - 1))
    }

    /// The label stands for the next instruction.
    pub(crate) fn place(&mut self, label: Label) {
        self.placed[label.0.index()] = Some(self.code.len());
    }

    /// The label stands for the next instruction, unless it stands for one already.
    pub(crate) fn place_once(&mut self, label: Label) -> bool {
        let is_new = self.placed[label.0.index()].is_none();
        if is_new {
            self.place(label);
        }
        is_new
    }

    /// Instructions that follow come from here.
    pub(crate) fn from(&mut self, origin: Origin) {
        self.origin = origin;
    }

    /// Adds an instruction of ours.
    pub(crate) fn emit(&mut self, op: Op) {
        self.emit_as(op, Meaning::Ours);
    }

    /// Adds an instruction.
    pub(crate) fn emit_as(&mut self, op: Op, meaning: Meaning) {
        self.code.push(Instr { op, origin: self.origin });
        self.meanings.push(meaning);
    }

    /// Adds a jump.
    pub(crate) fn jump(&mut self, label: Label) {
        self.emit(Op::Jump { target: label.target() });
    }

    /// Adds a choice and returns its labels.
    pub(crate) fn choose<const N: usize>(&mut self) -> [Label; N] {
        let labels = std::array::from_fn(|_| self.label());
        self.choose_among(&labels);
        labels
    }

    /// Adds a choice between labels.
    pub(crate) fn choose_among(&mut self, labels: &[Label]) {
        match labels {
            [only] => self.jump(*only),
            _ => self.emit(Op::Choose { targets: labels.iter().map(|label| label.target()).collect() }),
        }
    }

    /// The code, with labels replaced by positions.
    pub(crate) fn finish(self) -> (Vec<Instr>, Vec<Meaning>) {
        let mut code = self.code;
        let resolve = |target: &mut Pc| {
            *target = Pc::from_index(self.placed[target.index()].expect("every label in use is placed"));
        };
        for instr in &mut code {
            match &mut instr.op {
                Op::Jump { target } | Op::Branch { target, .. } => resolve(target),
                Op::Choose { targets } => targets.iter_mut().for_each(resolve),
                _ => {}
            }
        }
        (code, self.meanings)
    }
}
