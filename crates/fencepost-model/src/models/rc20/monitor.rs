//! The rule of SC accesses in RC20's monitor, and what the monitor means.
//!
//! The monitor itself, without taints, is that of all models of C and C++ (`models::c11`).
//! SC accesses, which the paper leaves out, need a second family of views ([`ScViews`]).

use fencepost_base::ids::LocId;
use fencepost_base::order::Mode;

use super::meaning::{Components, ScViewSets, View, ViewSets};
use crate::models::c11::monitor::{self, Family, SeqCst};
use crate::models::c11::views::Views;
use crate::monitor::{AttemptKind, Shape, Step};
use crate::packed::{Layout, Row};
use crate::tracker::{Columns, narrow};

/// RC20's monitor.
pub type ScM = monitor::ScM<ScViews>;

/// What is known about SC writes. An entry of location x holds the classes of
/// the writes that no later SC write to x known here makes unreadable *to an
/// SC access*. `own` is what a thread's SC accesses know through the order of
/// SC accesses, `travelling` what happens-before carries along, `accesses` what
/// the SC accesses of a location know.
pub struct ScViews {
    own: Vec<Row>,
    travelling: Views,
    accesses: Vec<Row>,
}

impl SeqCst for ScViews {
    fn new(shape: &Shape, locations: usize, width: usize, layout: &mut Layout) -> Option<Self> {
        shape.sc_accesses.then(|| ScViews {
            own: shape.threads.iter().map(|_| layout.row(width)).collect(),
            travelling: Views::new(shape, locations, width, layout),
            accesses: (0..locations).map(|_| layout.row(width)).collect(),
        })
    }

    fn step(&self, columns: &Columns, state: &mut [u64], t: usize, step: &Step, overwritten: Option<usize>) {
        let x = columns.position(step.loc);
        let is_sc = step.mode == Mode::Sc;
        if step.kind != AttemptKind::Write {
            self.travelling.acquire_from(state, t, x, step.mode);
        }
        if is_sc && step.kind != AttemptKind::Read {
            narrow(state, &self.own[t], &self.accesses[x]);
        }
        if is_sc {
            narrow(state, &self.own[t], &self.travelling.current[t]);
        }
        if step.kind != AttemptKind::Read {
            if let Some(column) = overwritten {
                for row in self.travelling.rows().chain(&self.own).chain(&self.accesses) {
                    row.insert(state, column);
                }
            }
            if is_sc {
                columns.clear(state, &self.own[t], x);
            }
        }
        if is_sc {
            narrow(state, &self.accesses[x], &self.own[t]);
        }
        if step.kind != AttemptKind::Read {
            self.travelling.pass_on(state, t, x, step.kind, step.mode);
            if step.mode.releases() {
                narrow(state, &self.travelling.location[x], &self.own[t]);
            }
        }
    }

    fn tainted_read(&self, state: &mut [u64], t: usize, x: usize, mode: Mode) {
        if mode == Mode::Sc {
            narrow(state, &self.own[t], &self.travelling.current[t]);
            narrow(state, &self.accesses[x], &self.own[t]);
        }
    }

    fn fence(&self, state: &mut [u64], t: usize, mode: Mode, _: &Row) {
        self.travelling.fence(state, t, mode);
        if let (true, Some(release)) = (mode.releases(), &self.travelling.release[t]) {
            narrow(state, release, &self.own[t]);
        }
    }

    fn bounds(&self, t: usize, mode: Mode) -> impl Iterator<Item = &Row> + Clone {
        let of_sc = || [&self.own[t], &self.travelling.current[t]];
        (mode == Mode::Sc).then(of_sc).into_iter().flatten()
    }

    fn passed_on(&self, _: usize) -> Option<&Row> {
        None
    }

    fn rows_of(&self, t: usize) -> Vec<Row> {
        std::iter::once(self.own[t].clone()).chain(self.travelling.rows_of(t)).collect()
    }
}

impl ScM {
    /// The components, as sets; for tests.
    pub fn components(&self, state: &[u64]) -> Components {
        let sc_views = |family: &Family<ScViews>| {
            let views = family.sc.as_ref()?;
            let own = family.sets(state, &views.own);
            let travelling = family.view_sets(state, &views.travelling);
            let combined = own.iter().zip(&travelling.current).map(|(own, current)| own & current).collect();
            Some(ScViewSets { own, travelling, accesses: family.sets(state, &views.accesses), combined })
        };
        let mut read = self.read.view_sets(state, &self.read.views);
        for (view, row) in read.iter_mut().zip(self.read.views.rows()) {
            for (x, copies) in self.copies().iter().enumerate() {
                let unaware = copies.iter().filter(|&&(_, column)| row.test(state, column));
                view.extend(unaware.map(|&(thread, _)| (LocId::from_index(x), thread.index())));
            }
        }
        Components {
            hb_sc: self.hb_sc_aware(state),
            read,
            write: self.write.view_sets(state, &self.write.views),
            sc: sc_views(&self.read).zip(sc_views(&self.write)).map(|(read, write)| [read, write]),
        }
    }
}

impl<S> Family<S> {
    fn sets(&self, state: &[u64], rows: &[Row]) -> Vec<View> {
        rows.iter().map(|row| self.columns.members(state, row)).collect()
    }

    fn view_sets(&self, state: &[u64], views: &Views) -> ViewSets {
        let set = |row: &Row| self.columns.members(state, row);
        ViewSets {
            current: self.sets(state, &views.current),
            acquire: views.acquire.iter().map(|row| row.as_ref().map(set)).collect(),
            release: views.release.iter().map(|row| row.as_ref().map(set)).collect(),
            nothing: views.nothing.as_ref().map(set),
            location: self.sets(state, &views.location),
        }
    }
}
