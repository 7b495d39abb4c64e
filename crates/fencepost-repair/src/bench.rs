//! Programs with some of their candidate edits made: text edited, read again, and put to the
//! checker.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use fencepost_base::ids::{Pc, ThreadId};
use fencepost_base::source::Span;
use fencepost_check::{InternalError, Options, Question};
use fencepost_ir::{Op, Program};
use fencepost_lower::load;
use fencepost_model::Model;
use fencepost_syntax::Language;
use fencepost_verdict::{Budget, Form, Reason, Site, Verdict, Violation};

use crate::menu::Menu;
use crate::plan::{Purpose, Task};
use crate::spots::{Choice, Direction, Spot, spots};
use crate::text::{Changed, Source, apply};

/// For every spot, 0 if it stays as it is, else the number of the choice from 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Selection(Vec<u8>);

impl Selection {
    pub(crate) fn choice(&self, spot: usize) -> Option<usize> {
        self.0[spot].checked_sub(1).map(usize::from)
    }

    #[must_use]
    pub(crate) fn with(&self, spot: usize, choice: Option<usize>) -> Selection {
        let mut changed = self.clone();
        changed.0[spot] = choice.map_or(0, |choice| u8::try_from(choice + 1).expect("few choices"));
        changed
    }

    /// The spots that change, each with its choice.
    pub(crate) fn taken(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.0.len()).filter_map(|spot| Some((spot, self.choice(spot)?)))
    }
}

/// A program and the edits that are considered.
pub(crate) struct Bench<'a> {
    language: Language,
    text: &'a str,
    copies: Option<u32>,
    pub(crate) purpose: Purpose,
    models: &'a [&'static dyn Model],
    options: Options,
    budget: &'a Budget<'a>,
    pub(crate) spots: Vec<Spot>,
    verdicts: HashMap<Selection, Answer>,
    /// Edited programs that may be asked for again.
    edited: RefCell<Cache>,
    pub(crate) checks: u64,
}

/// Edited programs, by what was edited.
#[derive(Default)]
struct Cache {
    programs: HashMap<Selection, Option<Rc<Edited>>>,
    /// Instructions in all of them.
    size: usize,
}

/// Instructions of edited programs that are kept.
const MOST_KEPT: usize = 1 << 18;

/// A verdict on an edited program.
#[derive(Clone)]
pub(crate) enum Answer {
    /// Against all models; or no harm is done, if that is all that is wanted.
    Robust,
    /// Not against this one.
    Violated(&'static dyn Model, Box<Violation>),
    Unknown(Reason),
}

/// Is the program robust against all of the models, or is at least no harm done? A violation of one
/// says more than that another was not decided.
pub(crate) fn answer(
    program: &Program,
    purpose: Purpose,
    models: &[&'static dyn Model],
    options: Options,
    budget: &Budget<'_>,
) -> Result<Answer, InternalError> {
    let mut answer = Answer::Robust;
    for &model in models {
        let question = Question::new(program, model).with(options);
        let verdict = match purpose {
            Purpose::Robustness => question.robustness(budget)?.verdict,
            Purpose::NoHarm => question.harm(budget)?,
        };
        match verdict {
            Verdict::Holds => {}
            Verdict::Violated(violation) => return Ok(Answer::Violated(model, violation)),
            Verdict::Unknown(reason) => answer = Answer::Unknown(reason),
        }
    }
    Ok(answer)
}

/// The program after some edits.
pub(crate) struct Edited {
    pub(crate) changed: Changed,
    pub(crate) program: Program,
    /// For each thread and instruction, what it is known by in every edited program.
    keys: Vec<Vec<Key>>,
    sites: HashMap<(ThreadId, Key), Pc>,
}

/// An instruction of a thread, whatever else is edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) source: Source,
    called_from: Option<Span>,
    /// Which of several: inner calls are not told apart otherwise.
    number: u32,
}

impl<'a> Bench<'a> {
    pub(crate) fn new(task: &Task<'a>, direction: Direction) -> Self {
        let Task { language, text, program, copies, purpose, models, options, budget, costs: _ } = *task;
        let spots = spots(language, text, program, &Menu::of(models), direction);
        let verdicts = HashMap::new();
        let edited = RefCell::default();
        let mut bench =
            Bench { language, text, copies, purpose, models, options, budget, spots, verdicts, edited, checks: 0 };
        bench.keep_what_can_be_written();
        bench
    }

    /// Leaves out edits that do not give a program, should there be any. Edits are local, so if
    /// many together give a program, each of them does; a selection that does not is never proposed
    /// as a repair anyway.
    fn keep_what_can_be_written(&mut self) {
        let most = self.spots.iter().map(|spot| spot.choices.len()).max().unwrap_or(0);
        let mut bad: Vec<(usize, usize)> = Vec::new();
        for choice in 0..most {
            let offering = |&spot: &usize| choice < self.spots[spot].choices.len();
            let mut groups: Vec<Vec<usize>> = vec![(0..self.spots.len()).filter(offering).collect()];
            while let Some(group) = groups.pop() {
                let selection =
                    group.iter().fold(self.nothing(), |selection, &spot| selection.with(spot, Some(choice)));
                match (self.edit(&selection).is_some(), &group[..]) {
                    (true, _) | (false, []) => {}
                    (false, [spot]) => bad.push((*spot, choice)),
                    (false, several) => {
                        let (first, second) = several.split_at(several.len() / 2);
                        groups.extend([first.to_vec(), second.to_vec()]);
                    }
                }
            }
        }
        for (number, spot) in self.spots.iter_mut().enumerate() {
            let mut choice = 0;
            spot.choices.retain(|_| {
                choice += 1;
                !bad.contains(&(number, choice - 1))
            });
        }
        self.spots.retain(|spot| !spot.choices.is_empty());
        // Selections are numbered by spots.
        self.edited.take();
    }

    /// The unedited program has been checked, with this answer.
    pub(crate) fn already_checked(&mut self, answer: Answer) {
        self.checks += 1;
        self.verdicts.insert(self.nothing(), answer);
    }

    pub(crate) fn nothing(&self) -> Selection {
        Selection(vec![0; self.spots.len()])
    }

    pub(crate) fn choice(&self, spot: usize, choice: usize) -> &Choice {
        &self.spots[spot].choices[choice]
    }

    /// What stands at a spot.
    pub(crate) fn form(&self, spot: usize, choice: Option<usize>) -> Form {
        choice.map_or(self.spots[spot].before, |choice| self.choice(spot, choice).form)
    }

    /// The program with these edits.
    pub(crate) fn edit(&self, selection: &Selection) -> Option<Rc<Edited>> {
        if let Some(edited) = self.edited.borrow().programs.get(selection) {
            return edited.clone();
        }
        let edited = self.make_edits(selection).map(Rc::new);
        let mut cache = self.edited.borrow_mut();
        if cache.size > MOST_KEPT {
            *cache = Cache::default();
        }
        cache.size += 1 + edited.as_ref().map_or(0, |edited| edited.program.size());
        cache.programs.insert(selection.clone(), edited.clone());
        edited
    }

    fn make_edits(&self, selection: &Selection) -> Option<Edited> {
        let changes = selection
            .taken()
            .flat_map(|(spot, choice)| self.choice(spot, choice).changes.iter().map(move |change| (spot, change)));
        let changed = apply(self.text, changes);
        let loaded = load(self.language, &changed.text).program?;
        let program = match self.copies {
            Some(copies) => loaded.with_copies(copies),
            None => loaded,
        };
        let mut keys = Vec::with_capacity(program.threads().len());
        let mut sites = HashMap::new();
        for (thread, code) in program.threads().iter().enumerate() {
            let mut numbers: HashMap<(Source, Option<Span>), u32> = HashMap::new();
            let mut own = Vec::with_capacity(code.code.len());
            for (pc, instr) in code.code.iter().enumerate() {
                let source = changed.source(instr.origin.span);
                // Where a call is does not matter as long as it is told from others: its start is
                // enough.
                let called_from = instr.origin.called_from.map(|call| match changed.source(call) {
                    Source::Old(span) => span,
                    Source::New(_) => call,
                });
                let number = numbers.entry((source, called_from)).or_default();
                let key = Key { source, called_from, number: *number };
                *number += 1;
                sites.insert((ThreadId::from_index(thread), key), Pc::from_index(pc));
                own.push(key);
            }
            keys.push(own);
        }
        Some(Edited { changed, program, keys, sites })
    }

    /// Is the program with these edits robust?
    pub(crate) fn check(&mut self, selection: &Selection) -> Result<Answer, InternalError> {
        if let Some(answer) = self.verdicts.get(selection) {
            return Ok(answer.clone());
        }
        let Some(edited) = self.edit(selection) else {
            return Ok(Answer::Unknown(Reason::TooLarge("these edits together do not give a program".into())));
        };
        self.checks += 1;
        let answer = answer(&edited.program, self.purpose, self.models, self.options, self.budget)?;
        self.verdicts.insert(selection.clone(), answer.clone());
        Ok(answer)
    }

    /// Has the time for everything run out?
    pub(crate) fn expired(&self) -> bool {
        (self.budget.expired)()
    }
}

impl Edited {
    pub(crate) fn key(&self, site: Site) -> Key {
        self.keys[site.thread.index()][site.pc.index()]
    }

    pub(crate) fn site(&self, thread: ThreadId, key: Key) -> Option<Site> {
        self.sites.get(&(thread, key)).map(|&pc| Site { thread, pc })
    }

    pub(crate) fn op(&self, site: Site) -> &Op {
        &self.program.instr(site.thread, site.pc).op
    }

    pub(crate) fn is_fence(&self, site: Site) -> bool {
        matches!(self.op(site), Op::Fence { .. } | Op::LightFence { .. })
    }
}
