//! The list of memory models. A model is one file and one line here. What others need to know of
//! it, it declares.

mod buffers;
mod c11;
pub mod cpp20;
pub mod pgas;
pub mod pso;
pub mod ra;
pub mod rc20;
pub mod sc;
pub mod sra;
pub mod tso;

use crate::model::{ByDefault, Model, Robustness};

/// Every model: SC, then machines and languages, the strongest of each first.
pub static MODELS: &[&dyn Model] =
    &[&sc::Sc, &tso::Tso, &pso::Pso, &pgas::Pgas, &sra::Sra, &ra::Ra, &rc20::Rc20, &cpp20::Cpp20];

/// The model called `name`.
pub fn by_name(name: &str) -> Option<&'static dyn Model> {
    MODELS.iter().copied().find(|model| model.name() == name)
}

/// The models robustness can be checked against.
pub fn checkable() -> impl Iterator<Item = &'static dyn Model> {
    MODELS.iter().copied().filter(|model| model.declaration().robustness.is_decided())
}

/// Those of them that have a monitor.
pub fn monitored() -> impl Iterator<Item = &'static dyn Model> {
    MODELS.iter().copied().filter(|model| matches!(model.declaration().robustness, Robustness::Monitor))
}

/// The models that programs of a kind are put to where nobody says which, by every command.
pub fn by_default(programs: ByDefault) -> impl Iterator<Item = &'static dyn Model> {
    MODELS.iter().copied().filter(move |model| model.declaration().default == programs)
}

/// SC, which everything is compared with.
pub fn reference() -> &'static dyn Model {
    &sc::Sc
}

/// SRA, which coverability decides.
pub fn causal() -> &'static dyn Model {
    &sra::Sra
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;
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
        let is = |model: &&&dyn Model, kind| model.declaration().kind == kind;
        assert!(is(&&MODELS[0], Kind::Reference), "SC is what everything is compared with");
        assert_eq!(MODELS.iter().filter(|model| is(model, Kind::Reference)).count(), 1);
        assert_eq!(MODELS.iter().filter(|model| model.declaration().causal.is_it).count(), 1);
    }
}
