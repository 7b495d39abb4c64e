//! Who is aware of which last writes, in the order that SC must have
//! executed: V_SC, M_SC and W_SC of Lahav and Margalit, PLDI 2019, §5, Fig. 5.
//! Both monitors have it.

use fencepost_base::ids::LocId;

use super::bits::{Column, Columns, Mask, Row};
use super::shape::Shape;

pub(crate) struct HbSc {
    /// For every tracked location, its column.
    columns: Vec<Option<Column>>,
    all: Vec<Column>,
    /// V_SC: for every thread, the locations of whose last write it is aware.
    threads: Vec<Row>,
    /// M_SC: for every tracked location, what any of its accesses is aware of.
    accesses: Vec<Option<Row>>,
    /// W_SC: for every tracked location, what its last write is aware of.
    writes: Vec<Option<Row>>,
}

impl HbSc {
    pub(crate) fn new(shape: &Shape) -> Self {
        let mut layout = Columns::default();
        let reserve = |&tracked: &bool| if tracked { layout.reserve(1).first().copied() } else { None };
        let columns: Vec<Option<Column>> = shape.tracked.iter().map(reserve).collect();
        let row = |name: &str, number: usize| layout.row(&format!("{name}{number}"));
        let rows = |name: &str| {
            let row = |(x, column): (usize, &Option<Column>)| column.map(|_| row(name, x));
            columns.iter().enumerate().map(row).collect()
        };
        HbSc {
            all: columns.iter().flatten().copied().collect(),
            threads: (0..shape.threads.len()).map(|t| row("vsc", t)).collect(),
            accesses: rows("msc"),
            writes: rows("wsc"),
            columns,
        }
    }

    pub(crate) fn declarations(&self) -> Vec<String> {
        let mut declarations = Vec::new();
        for row in &self.threads {
            declarations.extend(row.declarations(&Mask::of(&self.all)));
        }
        for rows in [&self.accesses, &self.writes] {
            for (row, column) in rows.iter().zip(&self.columns) {
                let init = Mask::of(column.as_slice());
                declarations.extend(row.iter().flat_map(|row| row.declarations(&init)));
            }
        }
        declarations
    }

    /// Is thread `t` aware of the last write of `loc`? None if the location is not tracked.
    pub(crate) fn is_aware(&self, t: usize, loc: LocId) -> Option<String> {
        super::bits::meets(&[&self.threads[t]], &Mask::of(self.columns[loc.index()].as_slice()))
    }

    /// Fig. 5, reads. The location learns what the thread knew before.
    pub(crate) fn read(&self, t: usize, loc: LocId) -> Vec<String> {
        match (&self.accesses[loc.index()], &self.writes[loc.index()]) {
            (Some(accesses), Some(write)) => [accesses.widen(&self.threads[t]), self.threads[t].widen(write)].concat(),
            _ => Vec::new(),
        }
    }

    /// Fig. 5, writes and updates. Nobody else is aware of the new last write.
    pub(crate) fn write(&self, t: usize, loc: LocId) -> Vec<String> {
        let x = loc.index();
        let (Some(accesses), Some(write)) = (&self.accesses[x], &self.writes[x]) else { return Vec::new() };
        let mut statements = self.threads[t].widen(accesses);
        statements.extend(accesses.copy(&self.threads[t]));
        statements.extend(write.copy(&self.threads[t]));
        let column = Mask::of(self.columns[x].as_slice());
        let others = |rows: &'_ [Option<Row>]| -> Vec<String> {
            let others = rows.iter().enumerate().filter(|&(y, _)| y != x);
            others.filter_map(|(_, row)| row.as_ref()).flat_map(|row| row.remove(&column)).collect()
        };
        for (_, row) in self.threads.iter().enumerate().filter(|&(other, _)| other != t) {
            statements.extend(row.remove(&column));
        }
        statements.extend(others(&self.accesses));
        statements.extend(others(&self.writes));
        statements
    }
}
