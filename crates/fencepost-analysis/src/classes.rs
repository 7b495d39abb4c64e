//! Value classes: which stale values of a location must a monitor tell apart?
//!
//! Paper: §5.1 of Lahav and Margalit, PLDI 2019, where a value is critical if
//! some blocking instruction or compare-and-swap can distinguish it from
//! another, and all uncritical values share one bit. Here two values are in
//! one class when every such instruction, with every operand it can have,
//! treats them alike. A monitor that tracks classes answers every question of
//! the program exactly, because each question is a union of classes.
//!
//! Sound and complete; [`crate::values`] only limits the questions and values considered.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_ir::{CmpOp, EvalError, Expr, LocationKind, Op, Program};

use crate::values::{PossibleValues, ValueSet};

/// The classes of one location.
#[derive(Clone, Debug)]
pub struct Classes {
    /// Starts of intervals of values in one class, ascending from 0.
    pub starts: Vec<Value>,
    /// The class of each interval; `None` if the location never holds such a value.
    pub class: Vec<Option<usize>>,
    /// A member of each class.
    representatives: Vec<Value>,
}

/// Most intervals of one location: beyond this the monitor would be of no use.
const MOST_INTERVALS: u64 = 1 << 16;
/// Most questions that are told apart; more are taken to ask for everything, which is only finer.
const MOST_QUESTIONS: usize = 1 << 10;

impl Classes {
    /// The class of `value`; `None` if the location never holds it.
    pub fn of(&self, value: Value) -> Option<usize> {
        let interval = match self.starts.get(value as usize) {
            // So many intervals that each value up to here has its own.
            Some(&start) if start == value => value as usize,
            _ => self.starts.partition_point(|&start| start <= value) - 1,
        };
        self.class[interval]
    }

    /// A member of each class.
    pub fn representatives(&self) -> &[Value] {
        &self.representatives
    }
}

/// A question that some instruction asks of a value it reads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Question {
    /// Is it one of these comparisons' solutions?
    AnyOf(Vec<(CmpOp, i64)>),
    /// Anything: its operand can be any value.
    Everything,
}

/// The classes of every location; `None` for non-atomic ones.
pub fn classes(program: &Program, values: &PossibleValues) -> Result<Vec<Option<Arc<Classes>>>, String> {
    let mut questions: Vec<BTreeSet<Question>> = vec![BTreeSet::new(); program.locations().len()];
    for thread in program.thread_ids() {
        for instr in &program.thread(thread).code {
            let asked = match &instr.op {
                Op::Cas { expected, .. } | Op::BlockingCas { expected, .. } => equalities(values, thread, expected),
                Op::Wait { condition, .. } => comparisons(program, values, thread, &condition.any_of),
                _ => continue,
            };
            let place = instr.op.place().expect("these instructions access a place");
            let known = &mut questions[values.group(program, place)];
            known.extend(asked);
            if known.len() > MOST_QUESTIONS {
                *known = BTreeSet::from([Question::Everything]);
            }
        }
    }
    let mut known: BTreeMap<usize, Arc<Classes>> = BTreeMap::new();
    let mut result = Vec::with_capacity(program.locations().len());
    for (loc, location) in program.locations().iter().enumerate() {
        let loc = LocId::from_index(loc);
        let group = values.group_of(loc);
        if location.kind == LocationKind::NonAtomic {
            result.push(None);
        } else if let Some(classes) = known.get(&group) {
            result.push(Some(Arc::clone(classes)));
        } else {
            let classes = partition(program.domain(), values.location(loc), &questions[group]).ok_or_else(|| {
                format!(
                    "location `{}` would need a monitor for each of {} values; declare a smaller domain",
                    location.name,
                    program.domain()
                )
            })?;
            result.push(Some(Arc::clone(known.entry(group).or_insert(Arc::new(classes)))));
        }
    }
    Ok(result)
}

fn equalities(values: &PossibleValues, thread: ThreadId, expected: &Expr) -> Vec<Question> {
    match values.values(thread, expected) {
        ValueSet::Any => vec![Question::Everything],
        ValueSet::Of(set) => set.iter().map(|&value| Question::AnyOf(vec![(CmpOp::Eq, i64::from(value))])).collect(),
    }
}

fn comparisons(
    program: &Program,
    values: &PossibleValues,
    thread: ThreadId,
    any_of: &[(CmpOp, Expr)],
) -> Vec<Question> {
    let exprs: Vec<&Expr> = any_of.iter().map(|(_, expr)| expr).collect();
    let mut questions = Vec::new();
    let complete = values.for_each_valuation(thread, &exprs, &mut |registers| {
        let operands: Result<Vec<(CmpOp, i64)>, EvalError> =
            any_of.iter().map(|(cmp, expr)| Ok((*cmp, expr.eval(registers, program.domain())?))).collect();
        questions.extend(operands.into_iter().map(Question::AnyOf));
    });
    if complete { questions } else { vec![Question::Everything] }
}

/// Splits the domain by the questions; `None` if into too many parts.
fn partition(domain: u64, held: &ValueSet, questions: &BTreeSet<Question>) -> Option<Classes> {
    let everything = questions.contains(&Question::Everything) || questions.len() > MOST_QUESTIONS;
    let mut starts: Vec<Value> = vec![0];
    if everything {
        if domain > MOST_INTERVALS {
            return None;
        }
        starts.extend(1..=(domain - 1) as Value);
    } else {
        // A comparison with c can change its answer only at c and at c + 1.
        for question in questions {
            if let Question::AnyOf(comparisons) = question {
                for &(_, operand) in comparisons {
                    for edge in [operand, operand.saturating_add(1)] {
                        starts.extend(Value::try_from(edge).ok().filter(|&edge| u64::from(edge) < domain));
                    }
                }
            }
        }
        starts.sort_unstable();
        starts.dedup();
    }
    let mut known: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
    let mut class = Vec::with_capacity(starts.len());
    let mut representatives = Vec::new();
    for (i, &low) in starts.iter().enumerate() {
        let high = starts.get(i + 1).map_or((domain - 1) as Value, |next| next - 1);
        if !held.meets(low, high) {
            class.push(None);
            continue;
        }
        let fresh = representatives.len();
        let number = if everything {
            fresh
        } else {
            let answers = questions.iter().map(|question| question.accepts(low)).collect();
            *known.entry(answers).or_insert(fresh)
        };
        if number == fresh {
            representatives.push(low);
        }
        class.push(Some(number));
    }
    Some(Classes { starts, class, representatives })
}

impl Question {
    fn accepts(&self, value: Value) -> bool {
        match self {
            Question::AnyOf(comparisons) => {
                comparisons.iter().any(|&(cmp, operand)| cmp.holds(i64::from(value), operand))
            }
            Question::Everything => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(domain: u64, held: &ValueSet, questions: &[Question]) -> Option<Classes> {
        super::partition(domain, held, &questions.iter().cloned().collect())
    }

    fn eq(value: i64) -> Question {
        Question::AnyOf(vec![(CmpOp::Eq, value)])
    }

    #[test]
    fn a_huge_domain_has_as_many_classes_as_questions_distinguish() {
        let classes = partition(1 << 31, &ValueSet::Any, &[eq(7), Question::AnyOf(vec![(CmpOp::Ge, 1000)])]).unwrap();
        assert_eq!(classes.representatives().len(), 3);
        assert_eq!(classes.of(6), classes.of(8));
        assert_ne!(classes.of(7), classes.of(8));
        assert_eq!(classes.of(1000), classes.of(1 << 30));
        assert_ne!(classes.of(999), classes.of(1000));
    }

    #[test]
    fn values_never_held_have_no_class() {
        let held = ValueSet::Of(BTreeSet::from([0, 1]));
        let classes = partition(8, &held, &[eq(1), eq(5)]).unwrap();
        assert_eq!(classes.representatives().len(), 2);
        assert_eq!(classes.of(5), None);
        assert_ne!(classes.of(0), classes.of(1));
    }

    #[test]
    fn no_question_means_one_class_and_an_unbounded_one_means_all() {
        assert_eq!(partition(256, &ValueSet::Any, &[]).unwrap().representatives().len(), 1);
        assert_eq!(partition(256, &ValueSet::Any, &[Question::Everything]).unwrap().representatives().len(), 256);
        assert!(partition(1 << 20, &ValueSet::Any, &[Question::Everything]).is_none());
    }
}
