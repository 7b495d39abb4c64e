//! The list of memory models. A model is one file and one line here.

mod buffers;
pub mod pgas;
pub mod pso;
pub mod ra;
pub mod rc20;
pub mod sc;
pub mod sra;
pub mod tso;

use crate::model::Model;

/// Every model: SC, then machines and languages, the strongest of each first.
pub static MODELS: &[&dyn Model] = &[&sc::Sc, &tso::Tso, &pso::Pso, &pgas::Pgas, &sra::Sra, &ra::Ra, &rc20::Rc20];

/// The model called `name`.
pub fn by_name(name: &str) -> Option<&'static dyn Model> {
    MODELS.iter().copied().find(|model| model.name() == name)
}

/// The models that are meant where nobody says which, by every command: those of languages with atomics.
pub fn defaults() -> &'static [&'static dyn Model] {
    &[&ra::Ra, &rc20::Rc20]
}

/// The same for programs that are written for a machine, without orders.
pub fn machine_defaults() -> &'static [&'static dyn Model] {
    &[&tso::Tso]
}

/// The models robustness can be checked against.
pub fn checkable() -> impl Iterator<Item = &'static dyn Model> {
    let monitored: Vec<&str> = monitored().map(|model| model.name()).collect();
    MODELS.iter().copied().filter(move |model| model.buffers().is_some() || monitored.contains(&model.name()))
}

/// Those of them that have a monitor.
pub fn monitored() -> impl Iterator<Item = &'static dyn Model> {
    let shape = crate::Shape::simple(1, vec![1]);
    MODELS.iter().copied().filter(move |model| model.monitor(&shape, &mut crate::packed::Layout::new()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_list_is_in_order() {
        let names: BTreeSet<_> = MODELS.iter().map(|model| model.name()).collect();
        assert_eq!(names.len(), MODELS.len(), "names are unique");
        for model in MODELS {
            assert!(by_name(model.name()).is_some());
            assert!(!model.title().is_empty());
            for section in ["What it is", "What is modelled", "What is not", "Source"] {
                assert!(model.essay().contains(section), "the essay of {} has a part “{section}”", model.name());
            }
        }
        assert_eq!(MODELS[0].name(), "sc", "SC is what everything is compared with");
    }
}
