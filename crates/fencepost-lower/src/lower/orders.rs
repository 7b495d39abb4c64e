//! The words for orders, in each language.

use fencepost_base::diag::{Diagnostic, closest};
use fencepost_base::order::{FenceOrder, Mode, ReadOrder, RmwOrder, WriteOrder};
use fencepost_syntax::Language;
use fencepost_syntax::ast::Name;

use super::thread::ThreadLowerer;

/// Spellings of other languages, in lower case and without `_`, and ours.
const ALIASES: &[(&str, &str)] = &[
    ("relaxed", "rlx"),
    ("acquire", "acq"),
    ("consume", "acq"),
    ("release", "rel"),
    ("acqrel", "acqrel"),
    ("seqcst", "sc"),
    ("sc", "sc"),
];

/// The `.fp` spelling of `std::memory_order_acquire`, `Ordering::Acquire`, `acq_rel` and the like.
fn alias(word: &str) -> Option<&'static str> {
    let last = word.rsplit("::").next().unwrap_or(word);
    let last = last.strip_prefix("memory_order_").or_else(|| last.strip_prefix("__ATOMIC_")).unwrap_or(last);
    let plain = last.to_ascii_lowercase().replace('_', "");
    ALIASES.iter().find(|(other, _)| *other == plain).map(|&(_, ours)| ours)
}

impl ThreadLowerer<'_, '_> {
    /// The `.fp` spelling of what was written.
    fn spelling<'n>(&self, order: &'n Name) -> &'n str {
        match (self.language(), order.text.as_str()) {
            (Language::Tpl, "acq_rel") => "acqrel",
            (Language::Tpl, "seq_cst") => "sc",
            (_, text) => text,
        }
    }

    pub(super) fn read_order(&mut self, order: Option<&Name>, default: ReadOrder) -> Option<ReadOrder> {
        let Some(order) = order else { return Some(default) };
        match (self.language(), self.spelling(order)) {
            (Language::Tpl, "acqrel") => Some(ReadOrder::Acq),
            (_, text) => ReadOrder::parse(text).or_else(|| {
                self.wrong_order(order, "load", ReadOrder::ALL.iter().map(|order| order.as_str()).collect())
            }),
        }
    }

    pub(super) fn write_order(&mut self, order: Option<&Name>, default: WriteOrder) -> Option<WriteOrder> {
        let Some(order) = order else { return Some(default) };
        match (self.language(), self.spelling(order)) {
            (Language::Tpl, "acqrel") => Some(WriteOrder::Rel),
            (_, text) => WriteOrder::parse(text).or_else(|| {
                self.wrong_order(order, "store", WriteOrder::ALL.iter().map(|order| order.as_str()).collect())
            }),
        }
    }

    /// The order of a read-modify-write. `.fp` gives one; TPL gives one for each half.
    pub(super) fn rmw_order(&mut self, orders: &[Name]) -> Option<RmwOrder> {
        match (self.language(), orders) {
            (Language::Tpl, []) => Some(RmwOrder::Rlx),
            (_, []) => Some(RmwOrder::AcqRel),
            (Language::Tpl, [read, write, ..]) => {
                let read = self.read_order(Some(read), ReadOrder::Rlx);
                let write = self.write_order(Some(write), WriteOrder::Rlx);
                match (read?, write?) {
                    (ReadOrder::Sc, WriteOrder::Sc) => Some(RmwOrder::Sc),
                    (read, write) => Some(RmwOrder::from_halves(read != ReadOrder::Rlx, write != WriteOrder::Rlx)),
                }
            }
            (_, [order, ..]) => RmwOrder::parse(self.spelling(order)).or_else(|| {
                let allowed = RmwOrder::ALL.iter().map(|order| order.as_str()).collect();
                self.wrong_order(order, "read-modify-write", allowed)
            }),
        }
    }

    /// The orders of success and failure of a compare-and-swap.
    pub(super) fn cas_orders(&mut self, orders: &[Name]) -> Option<(RmwOrder, ReadOrder)> {
        match (self.language(), orders) {
            (Language::Fp, [success, failure]) => {
                let success = self.rmw_order(std::slice::from_ref(success));
                let failure = self.read_order(Some(failure), ReadOrder::Acq);
                Some((success?, failure?))
            }
            // What is read is read with the order of the read half, successful or not.
            _ => {
                let success = self.rmw_order(orders)?;
                let failure = match success {
                    RmwOrder::Rlx | RmwOrder::Rel => ReadOrder::Rlx,
                    RmwOrder::Acq | RmwOrder::AcqRel => ReadOrder::Acq,
                    RmwOrder::Sc => ReadOrder::Sc,
                };
                Some((success, failure))
            }
        }
    }

    pub(super) fn fence_order(&mut self, order: Option<&Name>) -> Option<FenceOrder> {
        let order = order?;
        match (self.language(), self.spelling(order)) {
            (Language::Tpl, "upd") => Some(FenceOrder::Sc),
            (_, text) => FenceOrder::parse(text).or_else(|| {
                self.wrong_order(order, "fence", FenceOrder::ALL.iter().map(|order| order.as_str()).collect())
            }),
        }
    }

    fn wrong_order<T>(&mut self, order: &Name, what: &str, allowed: Vec<&'static str>) -> Option<T> {
        let text = self.spelling(order).to_owned();
        let list = allowed.join(", ");
        if Mode::parse(&text).is_some_and(|mode| mode != Mode::Na) {
            self.error(
                order.span,
                format!("a {what} cannot have the order `{}`", order.text),
                |problem: Diagnostic| problem.help(format!("a {what} can be {list}")),
            );
            return None;
        }
        let other = alias(&text).or_else(|| closest(&text, allowed)).filter(|&other| other != text);
        self.error(order.span, format!("there is no order `{}`", order.text), |problem| match other {
            Some(other) => problem.help(format!("did you mean `{other}`?")),
            None => problem.help(format!("a {what} can be {list}")),
        });
        None
    }
}
