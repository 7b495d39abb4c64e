//! The clock monitor.

use super::{Mutant, clock};

const THREAD: &str = "crates/fencepost-clock/src/thread.rs";
const LOCATION: &str = "crates/fencepost-clock/src/location.rs";
const HISTORY: &str = "crates/fencepost-clock/src/history.rs";
const VISITS: &str = "crates/fencepost-clock/src/visits.rs";
const SYNC: &str = "crates/fencepost-clock/src/sync.rs";

pub(super) const MUTANTS: &[Mutant] = &[
    clock(
        "clock: a child starts where a joined thread ended",
        THREAD,
        "k: next(self.epoch()), n: self.writes()",
        "k: self.epoch(), n: self.writes()",
    ),
    clock(
        "clock: a slot forgets how many writes there were",
        THREAD,
        "n: self.writes(), generation: next(self.generation)",
        "n: 0, generation: next(self.generation)",
    ),
    clock(
        "clock: a slot starts its generations again",
        THREAD,
        "generation: next(self.generation) }",
        "generation: 1 }",
    ),
    clock(
        "clock: creating a thread ends no epoch",
        THREAD,
        "self.end_epoch();\n        child.placed(slot, epochs)",
        "child.placed(slot, epochs)",
    ),
    clock(
        "clock: an acquire fence teaches nothing",
        THREAD,
        "let learnt = self.c.join(&self.a);",
        "let learnt = self.c.clone().join(&self.a);",
    ),
    clock(
        "clock: a release fence ends no epoch",
        THREAD,
        "self.release_fence();\n            self.end_epoch();",
        "self.release_fence();",
    ),
    clock(
        "clock: an SC fence is no release fence",
        THREAD,
        "hidden.0.acquire(self);\n        self.release_fence();",
        "hidden.0.acquire(self);",
    ),
    clock(
        "clock: an SC fence learns nothing",
        THREAD,
        "hidden.0.acquire(self);",
        "hidden.0.clone().acquire(&mut self.clone());",
    ),
    clock(
        "clock: what is acquired is not news",
        THREAD,
        "let learnt = self.c.join(c) | self.sc.join(sc);",
        "let learnt = self.c.join(c) & self.sc.join(sc);",
    ),
    clock(
        "clock: a write has the number of the one before",
        THREAD,
        "self.n = next(self.writes());",
        "self.n = self.writes().max(1);",
    ),
    clock(
        "clock: synchronisation is not in hb_SC",
        SYNC,
        "t.acquire(&self.c, &self.sc);",
        "t.acquire(&self.c, &Clock::new());",
    ),
    clock("clock: release keeps what was there", SYNC, "self.c.assign(&t.c);", "self.c.join(&t.c);"),
    clock("clock: release and join forgets what was there", SYNC, "self.c.join(&t.c);", "self.c.assign(&t.c);"),
    clock(
        "clock: a read does not follow the write",
        LOCATION,
        "!self.history.newest().is_past(t) && t.sc.join(&self.w_sc)",
        "!self.history.newest().is_past(t) && t.sc.clone().join(&self.w_sc)",
    ),
    clock(
        "clock: a known write is followed only if new",
        LOCATION,
        "!self.history.newest().is_past(t) &&",
        "self.history.newest().is_past(t) &&",
    ),
    clock("clock: a write does not follow reads", LOCATION, "learnt |= t.sc.join(&self.readers_sc);", ""),
    clock(
        "clock: the second reader replaces the first",
        LOCATION,
        "self.readers_sc.join(&t.sc);",
        "self.readers_sc.assign(&t.sc);",
    ),
    clock(
        "clock: a repeated load keeps its number to itself",
        LOCATION,
        "self.readers_sc.set(t.slot(), n);",
        "let _ = n;",
    ),
    clock(
        "clock: a repeated load after a write keeps its number to itself",
        LOCATION,
        "else if self.w_sc.get(t.slot()) < n {",
        "else if self.w_sc.get(t.slot()) > n {",
    ),
    clock("clock: a repeated SC load is not in the SC order", LOCATION, "self.m_s().set(t.slot(), n);", ""),
    clock("clock: an SC load is not in the SC order", LOCATION, "self.m_s().join(&t.c.s);", ""),
    clock(
        "clock: an SC store does not follow SC accesses",
        LOCATION,
        "learnt |= self.m_s.as_ref().is_some_and(|m_s| t.c.s.join(m_s));",
        "",
    ),
    clock(
        "clock: an SC store is not in the SC order",
        LOCATION,
        "self.sc_is_released = order.is_sc();",
        "self.sc_is_released = false;",
    ),
    clock(
        "clock: an SC store has no number",
        LOCATION,
        "t.c.s.set(t.slot(), n);\n        }\n        self.release",
        "}\n        self.release",
    ),
    clock(
        "clock: an update does not acquire",
        LOCATION,
        "if rmw {\n            learnt |= self.synchronise(t, order);\n        }",
        "",
    ),
    clock("clock: a relaxed read is not for fences", LOCATION, "t.a.join(&self.w);", ""),
    clock(
        "clock: a relaxed update breaks the release sequence",
        LOCATION,
        "false if RMW && t.fenced() == (0, 0) => return,",
        "false if RMW && t.fenced() == (0, 0) => return self.w = View::default(),",
    ),
    clock(
        "clock: a store continues the release sequence",
        LOCATION,
        "let includes = !RMW || is_included();",
        "let includes = is_included();",
    ),
    clock(
        "clock: a relaxed store releases all",
        LOCATION,
        "false => (t.fenced(), &t.r),",
        "false => (t.fenced(), &t.c),",
    ),
    clock(
        "clock: a release store ends no epoch",
        LOCATION,
        "if order.releases() {\n            t.end_epoch();\n        }",
        "",
    ),
    clock("clock: what a write teaches is not news", LOCATION, "t.learn(learnt);\n        // A store", "// A store"),
    clock("clock: what a load teaches is not news", LOCATION, "t.learn(learnt);\n        if !was_seen", "if !was_seen"),
    clock("clock: sightings are not recorded", LOCATION, "self.history.record(t, limits);", ""),
    clock(
        "clock: an update leaves no gap even after a store",
        LOCATION,
        "self.history.last_store() <= visit.seen()",
        "self.history.last_store() <= visit.seen() + 1",
    ),
    clock(
        "clock: a load needs a gap",
        HISTORY,
        "matches!(self, Access::Store | Access::Rmw | Access::BlockingCas { .. })",
        "!matches!(self, Access::StrongCas { .. })",
    ),
    clock(
        "clock: an effect is taken for the other",
        VISITS,
        "self.0 & other.0 == other.0",
        "self.0 != 0 || other.0 == 0",
    ),
    clock(
        "clock: a visit covers whatever was learnt",
        VISITS,
        "self.generation == generation && self.seen() == newest",
        "self.seen() == newest",
    ),
    clock("clock: SC writes are before relaxed accesses too", HISTORY, "(sc_access && self.sc &&", "(self.sc &&"),
    clock("clock: all writes are in the SC order", HISTORY, "(sc_access && self.sc &&", "(sc_access &&"),
    clock(
        "clock: SC writes are before no access",
        HISTORY,
        "self.n <= t.c.s.get(self.writer))",
        "self.n < t.c.s.get(self.writer))",
    ),
    clock(
        "clock: the newest write is always in the past",
        HISTORY,
        "self.n <= t.sc.get(self.writer)",
        "self.n <= t.sc.get(self.writer) + 1",
    ),
    clock(
        "clock: who saw an entry counts for all",
        HISTORY,
        "sighting.entry == index && t.knows(sighting.slot, sighting.k)",
        "sighting.entry == index",
    ),
    clock(
        "clock: who saw an entry counts for none",
        HISTORY,
        "sighting.entry == index && t.knows(sighting.slot, sighting.k)",
        "sighting.entry != index",
    ),
    clock(
        "clock: a later sighting hides an earlier one of another epoch",
        HISTORY,
        "later.slot == slot && later.k == k",
        "later.slot == slot",
    ),
    clock(
        "clock: a sighting is dropped and older entries are not",
        HISTORY,
        "self.in_order().drain(..dropped);",
        "let _ = dropped;",
    ),
    clock(
        "clock: the entry before an update is open",
        HISTORY,
        "let is_open = || !self.entry(index + 1).rmw;",
        "let is_open = || !self.entry(index).rmw;",
    ),
    clock(
        "clock: a strong CAS fails on what it expects",
        HISTORY,
        "self.entry(index).value != expected,",
        "self.entry(index).value == expected,",
    ),
    clock(
        "clock: a failure has the order of success",
        HISTORY,
        "Some(self.cur(t, top, failure))",
        "Some(self.cur(t, top, if failure == order { failure } else { order }))",
    ),
    clock(
        "clock: a cut window is whole",
        HISTORY,
        "let cut = !known || failure.is_some_and(|(_, known)| !known);",
        "let cut = failure.is_some_and(|(_, known)| !known);",
    ),
    clock(
        "clock: dropping the past is no loss",
        HISTORY,
        "let Some(top) = self.top(t) else { return Finding::Cut };",
        "let Some(top) = self.top(t) else { return Finding::Clean };",
    ),
    clock(
        "clock: the newest store is forgotten with the others",
        HISTORY,
        "self.last_store.saturating_sub(by).max(1)",
        "self.last_store.saturating_sub(by)",
    ),
    clock(
        "clock: who loads again has learnt nothing",
        LOCATION,
        "self.load_news(t, order, limits, true);",
        "self.publish_number(t, order);",
    ),
];
