//! The store-buffer machine and the axioms of TSO, PSO and PGAS describe the same computations.

use std::collections::HashSet;

use fencepost_ir::Program;
use fencepost_model::Model;
use fencepost_model::models::{pgas::Pgas, pso::Pso, tso::Tso};
use fencepost_oracle::buffers;
use fencepost_oracle::enumerate::{self, Answer};
use fencepost_oracle::system::{Configuration, Memory, System};
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::repetitions;
use fencepost_testkit::shrink::shrink;

const MODELS: [&dyn Model; 3] = [&Tso, &Pso, &Pgas];
const LIMIT: usize = 40_000;

/// The ends of all computations, according to machine and axioms; none if there are too many.
fn computations(program: &Program, model: &dyn Model) -> Option<[HashSet<Configuration>; 2]> {
    let machine = buffers::computations(program, model, LIMIT)?;
    let axioms = System::new(program, model).reachable(Memory::Consistent(model), LIMIT).ok()?;
    Some([machine, axioms])
}

fn disagree(program: &Program, model: &dyn Model) -> bool {
    computations(program, model).is_some_and(|[machine, axioms]| machine != axioms)
}

#[test]
fn machine_and_axioms_have_the_same_computations() {
    let options = Options { total_accesses: 5, light: true, ..Options::default() };
    let (mut compared, mut most) = (0u64, 0);
    let programs = repetitions(2_000);
    for seed in 0..programs {
        let program = generate::program(seed, &options);
        for model in MODELS {
            let Some([machine, axioms]) = computations(&program, model) else { continue };
            most = most.max(axioms.len());
            compared += 1;
            if machine != axioms {
                let small = shrink(&program, |smaller| disagree(smaller, model));
                let [machine, axioms] = computations(&small, model).expect("small enough");
                panic!(
                    "seed {seed}, {}: only the machine {:#?}, only the axioms {:#?} on\n{}",
                    model.name(),
                    machine.difference(&axioms).next(),
                    axioms.difference(&machine).next(),
                    fencepost_ir::print(&small)
                );
            }
        }
    }
    eprintln!("{compared} {most}");
    assert!(compared * 100 > 3 * 95 * programs, "{compared} comparisons of {programs} programs");
}
