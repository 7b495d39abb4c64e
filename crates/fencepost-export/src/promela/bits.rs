//! Sets as bits of Promela variables.
//!
//! A row is a set of columns; a column stands for a location, for a value
//! class of a location, or for a thread's copy of a non-atomic location. Rows
//! that are too wide for one variable are cut into chunks.

use std::sync::Arc;

use fencepost_analysis::classes::Classes;
use fencepost_base::ids::LocId;
use fencepost_ir::CmpOp;

use super::encoding::Accepts;
use super::names::declare;
use crate::infix::Term;

/// Bits of one variable, so that it is never negative.
const CHUNK: u32 = 31;

/// Where a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    chunk: usize,
    bit: u32,
}

/// Hands out columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    /// Bits used in each chunk.
    widths: Vec<u32>,
}

impl Columns {
    /// So many new columns, in one chunk if they fit there.
    pub(crate) fn reserve(&mut self, count: usize) -> Vec<Column> {
        let fits = |width: u32| count <= (CHUNK - width) as usize || count > CHUNK as usize && width < CHUNK;
        if self.widths.last().is_none_or(|&width| !fits(width)) {
            self.widths.push(0);
        }
        let mut columns = Vec::with_capacity(count);
        for _ in 0..count {
            if self.widths.last() == Some(&CHUNK) {
                self.widths.push(0);
            }
            let chunk = self.widths.len() - 1;
            columns.push(Column { chunk, bit: self.widths[chunk] });
            self.widths[chunk] += 1;
        }
        columns
    }

    /// A row of these columns.
    pub(crate) fn row(&self, name: &str) -> Row {
        let several = self.widths.len() > 1;
        let chunk = |k: usize| if several { format!("{name}_{k}") } else { name.to_string() };
        let used = self.widths.iter().enumerate().filter(|&(_, &width)| width > 0);
        Row { chunks: used.map(|(k, &width)| (k, chunk(k), width)).collect() }
    }
}

/// A set of columns, as one mask for each chunk that it touches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mask {
    chunks: Vec<(usize, MaskOf)>,
}

/// The part of a mask in one chunk.
#[derive(Clone, Debug)]
enum MaskOf {
    Fixed(u32),
    Computed(String),
}

impl MaskOf {
    fn text(&self) -> String {
        match self {
            MaskOf::Fixed(bits) => bits.to_string(),
            MaskOf::Computed(text) => text.clone(),
        }
    }
}

impl Mask {
    /// These columns.
    pub(crate) fn of(columns: &[Column]) -> Self {
        let mut chunks: Vec<(usize, u32)> = Vec::new();
        for column in columns {
            match chunks.last_mut() {
                Some((chunk, bits)) if *chunk == column.chunk => *bits |= 1 << column.bit,
                _ => chunks.push((column.chunk, 1 << column.bit)),
            }
        }
        Mask { chunks: chunks.into_iter().map(|(chunk, bits)| (chunk, MaskOf::Fixed(bits))).collect() }
    }

    /// Statements that work out what is not fixed once, and the mask to use after them.
    pub(crate) fn computed_once(self) -> (Vec<String>, Mask) {
        let mut statements = Vec::new();
        let chunks = self.chunks.into_iter().enumerate().map(|(i, (chunk, bits))| match bits {
            MaskOf::Fixed(_) => (chunk, bits),
            MaskOf::Computed(text) => {
                let name = mask_variable(i);
                statements.push(format!("{name} = {text}"));
                (chunk, MaskOf::Computed(name))
            }
        });
        let chunks = chunks.collect();
        (statements, Mask { chunks })
    }
}

fn mask_variable(i: usize) -> String {
    format!("mask{i}")
}

/// The variables in which masks are worked out, for classes that may be cut into so many chunks.
pub(crate) fn mask_declarations(tables: &[&Table]) -> Vec<String> {
    let chunks = |columns: &Vec<Column>| if columns.len() > 1 { Mask::of(columns).chunks.len() } else { 0 };
    let most = tables.iter().flat_map(|table| table.columns.iter().map(chunks)).max().unwrap_or_default();
    (0..most).map(|i| format!("hidden int {}", mask_variable(i))).collect()
}

/// A set of columns in the state.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Number, variable and width of each chunk.
    chunks: Vec<(usize, String, u32)>,
}

impl Row {
    fn variable(&self, chunk: usize) -> &str {
        self.chunks.iter().find(|(k, ..)| *k == chunk).map_or("0", |(_, name, _)| name)
    }

    /// Its variables, holding the columns of `init` at first.
    pub(crate) fn declarations(&self, init: &Mask) -> Vec<String> {
        let first = |chunk: usize| match init.chunks.iter().find(|(k, _)| *k == chunk) {
            Some((_, MaskOf::Fixed(bits))) => *bits,
            _ => 0,
        };
        self.chunks.iter().map(|(chunk, name, width)| declare(name, *width, first(*chunk))).collect()
    }

    fn each(&self, statement: impl Fn(usize, &str) -> String) -> Vec<String> {
        self.chunks.iter().map(|(chunk, name, _)| statement(*chunk, name)).collect()
    }

    /// `self := other`
    pub(crate) fn copy(&self, other: &Row) -> Vec<String> {
        self.each(|chunk, name| format!("{name} = {}", other.variable(chunk)))
    }

    /// `self ∩= other`
    pub(crate) fn narrow(&self, other: &Row) -> Vec<String> {
        self.each(|chunk, name| format!("{name} = {name} & {}", other.variable(chunk)))
    }

    /// `self ∪= other`
    pub(crate) fn widen(&self, other: &Row) -> Vec<String> {
        self.each(|chunk, name| format!("{name} = {name} | {}", other.variable(chunk)))
    }

    /// `self ∪= mask`
    pub(crate) fn insert(&self, mask: &Mask) -> Vec<String> {
        let insert = |(chunk, bits): &(usize, MaskOf)| {
            let name = self.variable(*chunk);
            format!("{name} = {name} | {}", bits.text())
        };
        mask.chunks.iter().map(insert).collect()
    }

    /// `self \= mask`
    pub(crate) fn remove(&self, mask: &Mask) -> Vec<String> {
        let remove = |(chunk, bits): &(usize, MaskOf)| {
            let name = self.variable(*chunk);
            format!("{name} = {name} & ~{}", bits.text())
        };
        mask.chunks.iter().map(remove).collect()
    }
}

/// Is a column of `mask` in every one of `rows`? None if certainly not.
pub(crate) fn meets(rows: &[&Row], mask: &Mask) -> Option<String> {
    let meets = |(chunk, bits): &(usize, MaskOf)| {
        let rows: Vec<&str> = rows.iter().map(|row| row.variable(*chunk)).collect();
        format!("({} & {}) != 0", rows.join(" & "), bits.text())
    };
    let parts: Vec<String> = mask.chunks.iter().map(meets).collect();
    match parts.as_slice() {
        [] => None,
        [part] => Some(part.clone()),
        _ => Some(format!("({})", parts.join(" || "))),
    }
}

/// The columns of value classes of locations.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) layout: Columns,
    /// For every location, the columns of its classes; none if it is not tracked.
    columns: Vec<Vec<Column>>,
    classes: Vec<Option<Arc<Classes>>>,
    domain: u64,
}

impl Table {
    /// For the locations that have classes here, in a domain of so many values.
    pub(crate) fn new(classes: Vec<Option<Arc<Classes>>>, domain: u64) -> Self {
        let mut layout = Columns::default();
        let count = |classes: &Arc<Classes>| classes.representatives().len();
        let columns = classes.iter().map(|classes| layout.reserve(classes.as_ref().map_or(0, count))).collect();
        Table { layout, columns, classes, domain }
    }

    /// All columns of a location.
    pub(crate) fn all(&self, loc: LocId) -> Mask {
        Mask::of(&self.columns[loc.index()])
    }

    /// The column of the class of the value that a location has, given as an expression.
    pub(crate) fn current(&self, loc: LocId, value: &str) -> Mask {
        // A location holds only values that have a class.
        if self.columns[loc.index()].len() == 1 { self.all(loc) } else { self.class_of(loc, value) }
    }

    /// The column of the class of a value, given as an expression, if it has one.
    fn class_of(&self, loc: LocId, value: &str) -> Mask {
        let Some(classes) = &self.classes[loc.index()] else { return Mask::default() };
        let columns = &self.columns[loc.index()];
        if let Ok(value) = value.parse() {
            return classes.of(value).map_or_else(Mask::default, |class| Mask::of(&columns[class..=class]));
        }
        self.computed(loc, |chunk| match self.as_shift(loc, classes) {
            Some(first) => format!("({} << {value})", 1u32 << first),
            None => self.search(loc, classes, value, chunk),
        })
    }

    /// If the classes of a location are all values one by one, in one chunk: the bit of the first.
    fn as_shift(&self, loc: LocId, classes: &Classes) -> Option<u32> {
        let columns = &self.columns[loc.index()];
        let single = classes.starts.len() == self.domain as usize;
        let numbered = classes.class.iter().enumerate().all(|(i, class)| *class == Some(i));
        let first = columns.first().filter(|first| columns.iter().all(|column| column.chunk == first.chunk))?;
        (single && numbered).then_some(first.bit)
    }

    /// The bit in `chunk` of the class of `value`, by comparison with the starts of the intervals
    /// of values.
    fn search(&self, loc: LocId, classes: &Classes, value: &str, chunk: usize) -> String {
        let bit = |class: &Option<usize>| {
            let column = class.map(|class| self.columns[loc.index()][class]).filter(|column| column.chunk == chunk);
            column.map_or(0, |column| 1u32 << column.bit)
        };
        // Neighbours that mean the same need not be told apart.
        let mut steps: Vec<(u32, u32)> = Vec::new();
        for (&start, class) in classes.starts.iter().zip(&classes.class) {
            let bit = bit(class);
            if steps.last().is_none_or(|&(_, last)| last != bit) {
                steps.push((start, bit));
            }
        }
        halve(value, &steps)
    }

    fn computed(&self, loc: LocId, text: impl Fn(usize) -> String) -> Mask {
        let chunks = self.all(loc).chunks.into_iter();
        Mask { chunks: chunks.map(|(chunk, _)| (chunk, MaskOf::Computed(text(chunk)))).collect() }
    }

    /// The columns of the accepted values of a location.
    pub(crate) fn accepted(&self, loc: LocId, accepts: &Accepts<'_>) -> Mask {
        let all = self.all(loc);
        match accepts {
            Accepts::Any => all,
            Accepts::Like(value) => self.class_of(loc, &value.text),
            Accepts::Unlike(value) => {
                let like = self.class_of(loc, &value.text);
                let without = |(chunk, bits): &(usize, MaskOf)| {
                    let but = like.chunks.iter().find(|(k, _)| k == chunk).map(|(_, but)| but);
                    match (bits, but) {
                        (MaskOf::Fixed(bits), Some(MaskOf::Fixed(but))) => {
                            (bits & !but != 0).then_some((*chunk, MaskOf::Fixed(bits & !but)))
                        }
                        (bits, None) => Some((*chunk, bits.clone())),
                        (bits, Some(but)) => {
                            Some((*chunk, MaskOf::Computed(format!("({} & ~{})", bits.text(), but.text()))))
                        }
                    }
                };
                Mask { chunks: all.chunks.iter().filter_map(without).collect() }
            }
            Accepts::AnyOf(comparisons) => self.satisfying(loc, comparisons),
        }
    }

    fn satisfying(&self, loc: LocId, comparisons: &[(CmpOp, Term)]) -> Mask {
        let Some(classes) = &self.classes[loc.index()] else { return Mask::default() };
        let mut fixed = Vec::new();
        let mut computed: Vec<(usize, String)> = Vec::new();
        for (&value, column) in classes.representatives().iter().zip(&self.columns[loc.index()]) {
            let value = i64::from(value);
            let known = |(cmp, operand): &(CmpOp, Term)| operand.constant().map(|operand| cmp.holds(value, operand));
            if comparisons.iter().any(|comparison| known(comparison) == Some(true)) {
                fixed.push(*column);
                continue;
            }
            let open = comparisons.iter().filter(|comparison| known(comparison).is_none());
            let open: Vec<String> =
                open.map(|(cmp, operand)| format!("{value} {} {}", cmp.symbol().as_str(), operand.text)).collect();
            if !open.is_empty() {
                computed.push((column.chunk, format!("(({}) -> {} : 0)", open.join(" || "), 1u32 << column.bit)));
            }
        }
        if computed.is_empty() {
            return Mask::of(&fixed);
        }
        let certain = Mask::of(&fixed);
        self.computed(loc, |chunk| {
            let certain = certain.chunks.iter().filter(|(k, _)| *k == chunk).map(|(_, bits)| bits.text());
            let open = computed.iter().filter(|(k, _)| *k == chunk).map(|(_, text)| text.clone());
            let parts: Vec<String> = certain.chain(open).collect();
            if parts.is_empty() { "0".into() } else { format!("({})", parts.join(" | ")) }
        })
    }
}

/// A search for `value` by halves among steps of a function, each valid from its first component
/// on.
fn halve(value: &str, steps: &[(u32, u32)]) -> String {
    match steps {
        [] => "0".into(),
        [(_, result)] => result.to_string(),
        _ => {
            let (low, high) = steps.split_at(steps.len() / 2);
            format!("({value} < {} -> {} : {})", high[0].0, halve(value, low), halve(value, high))
        }
    }
}
