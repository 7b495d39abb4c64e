//! What models declare is what their axioms, races and monitors say.

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_base::order::Mode;
use fencepost_model::models::MODELS;
use fencepost_model::packed::Layout;
use fencepost_model::{Causal, Declaration, EventId, Graph, Kind, Model, Robustness, SafeIf, Shape, Views};

const X: LocId = LocId(0);
const Y: LocId = LocId(1);

fn write(loc: LocId, mode: Mode) -> Label {
    Label::Write { loc, value: 1, mode }
}

fn read(loc: LocId, value: u32, mode: Mode) -> Label {
    Label::Read { loc, value, mode }
}

/// Does the model permit the outcome 0, 0 of store buffering with these orders?
fn permits_store_buffering(model: &dyn Model, store: Mode, load: Mode) -> bool {
    let mut graph = Graph::initial(&[0, 0]);
    for (thread, own, other) in [(0, X, Y), (1, Y, X)] {
        graph.add(ThreadId(thread), write(own, store), Some(EventId(own.0)), None);
        graph.add(ThreadId(thread), read(other, 0, load), Some(EventId(other.0)), None);
    }
    model.permits(&graph)
}

/// Does the model permit that the flag is seen and the data is not?
fn permits_missed_message(model: &dyn Model, store: Mode, load: Mode) -> bool {
    let mut graph = Graph::initial(&[0, 0]);
    let (producer, consumer) = (ThreadId(0), ThreadId(1));
    graph.add(producer, write(X, Mode::Rlx), Some(EventId(X.0)), None);
    let flag = graph.add(producer, write(Y, store), Some(EventId(Y.0)), None);
    graph.add(consumer, read(Y, 1, load), Some(flag), None);
    graph.add(consumer, read(X, 0, Mode::Rlx), Some(EventId(X.0)), None);
    model.permits(&graph)
}

/// Is there a race where a plain read follows a plain write of another thread that it does not know
/// of?
fn finds_race(model: &dyn Model) -> bool {
    let mut graph = Graph::initial(&[0]);
    let written = graph.add(ThreadId(0), write(X, Mode::Na), Some(EventId(0)), None);
    let read = graph.add(ThreadId(1), read(X, 1, Mode::Na), Some(written), None);
    model.race(&graph, read).is_some()
}

#[test]
fn orders_make_a_difference_where_a_model_says_so() {
    for model in MODELS {
        let (name, repairs) = (model.name(), model.declaration().repairs);
        let relaxed = permits_missed_message(*model, Mode::Rlx, Mode::Rlx);
        let synchronised = permits_missed_message(*model, Mode::Rel, Mode::Acq);
        assert_eq!(repairs.orders, relaxed && !synchronised, "{name}: relaxed accesses");
        let weaker = permits_store_buffering(*model, Mode::Rel, Mode::Acq);
        let strongest = permits_store_buffering(*model, Mode::Sc, Mode::Sc);
        assert_eq!(repairs.sc_accesses, weaker && !strongest, "{name}: SC accesses");
        let empties_buffers = model.buffers().is_some();
        assert_eq!(
            repairs.exchanges, !empties_buffers,
            "{name}: an update orders through its location, or all at once"
        );
    }
}

#[test]
fn races_are_found_where_a_model_has_them() {
    for model in MODELS {
        let declaration = model.declaration();
        assert_eq!(declaration.races, finds_race(*model), "{}", declaration.name);
        assert_eq!(declaration.races, declaration.kind == Kind::Language, "{}", declaration.name);
    }
}

#[test]
fn robustness_can_be_decided_as_declared() {
    let has_monitor = |model: &dyn Model| model.monitor(&Shape::simple(1, vec![1]), &mut Layout::new()).is_some();
    for model in MODELS {
        let declaration = model.declaration();
        let (monitor, machine) = match declaration.robustness {
            Robustness::Monitor => (true, false),
            Robustness::Attacks => (false, true),
            Robustness::Always | Robustness::Implied(_) => (false, false),
        };
        assert_eq!(has_monitor(*model), monitor, "{}", declaration.name);
        assert_eq!(matches!(declaration.kind, Kind::Machine(_)), machine, "{}", declaration.name);
        let is_reference = declaration.kind == Kind::Reference;
        assert_eq!(matches!(declaration.robustness, Robustness::Always), is_reference, "{}", declaration.name);
        if let Robustness::Implied(weaker) = declaration.robustness {
            assert!(has_monitor(weaker) || weaker.buffers().is_some(), "{} is decided", weaker.name());
        }
    }
}

/// What a model says about SRA fits what it permits of two classic executions: one that SRA permits
/// and machines do not, and one that only models with relaxed accesses permit.
#[test]
fn what_models_say_about_sra_fits_the_axioms() {
    let mut independent = Graph::initial(&[0, 0]);
    let x = independent.add(ThreadId(0), write(X, Mode::Rel), Some(EventId(0)), None);
    let y = independent.add(ThreadId(1), write(Y, Mode::Rel), Some(EventId(1)), None);
    for (thread, first, second) in [(2, (X, x), (Y, EventId(1))), (3, (Y, y), (X, EventId(0)))] {
        independent.add(ThreadId(thread), read(first.0, 1, Mode::Acq), Some(first.1), None);
        independent.add(ThreadId(thread), read(second.0, 0, Mode::Acq), Some(second.1), None);
    }
    for model in MODELS {
        let Causal { is_it, permits_it, safe } = model.declaration().causal;
        let name = model.name();
        assert!(!is_it || permits_it && safe == SafeIf::Always, "{name} is SRA");
        assert!(!permits_it || model.permits(&independent), "{name}: independent reads of independent writes");
        let missed = permits_missed_message(*model, Mode::Rlx, Mode::Rlx);
        assert!(safe != SafeIf::Always || !missed, "{name} permits less than SRA");
        assert!(!missed || !matches!(safe, SafeIf::WritesDoNotRace), "{name}: relaxed accesses do not synchronise");
    }
}

/// Two threads write two locations, each in its own order, and each location has first the write
/// that its thread makes last.
#[test]
fn writes_go_where_a_model_says() {
    let mut graph = Graph::initial(&[0, 0]);
    let (left, right) = (ThreadId(0), ThreadId(1));
    graph.add(left, write(X, Mode::Rel), Some(EventId(X.0)), None);
    let last = graph.add(left, write(Y, Mode::Rel), Some(EventId(Y.0)), None);
    graph.add(right, write(Y, Mode::Rel), Some(last), None);
    graph.add(right, write(X, Mode::Rel), Some(EventId(X.0)), None);
    for model in MODELS {
        let Declaration { name, kind, views, .. } = model.declaration();
        let expected = match (kind, model.permits(&graph)) {
            (Kind::Language, true) => Some(Views::Anywhere),
            (Kind::Language, false) => Some(Views::Last),
            (Kind::Reference | Kind::Machine(_), _) => None,
        };
        assert_eq!(*views, expected, "{name}");
    }
}
