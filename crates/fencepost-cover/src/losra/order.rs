//! The system as saturation sees it: the order of configurations, their images under symmetries,
//! their predecessors.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use fencepost_verdict::Reason;

use super::undo::Phase;
use super::{ANYWHERE, Block, Configuration, Control, LoSra, RaceQuestion};
use crate::ahead::Ahead;
use crate::automaton::{Access, Node};
use crate::options::{Alphabet, Opt, PotentialId};
use crate::saturate::WellStructured;
use crate::symmetry::Symmetry;

impl WellStructured for LoSra<'_> {
    type Control = Control;
    type Configuration = Configuration;
    type Step = Block;

    fn control(&self, configuration: &Configuration) -> Control {
        configuration.control.clone()
    }

    fn generalisations(&self, control: &Control) -> Vec<Control> {
        let mut found = vec![control.clone()];
        for thread in 0..self.threads.len() {
            for index in 0..found.len() {
                if found[index][thread] != ANYWHERE {
                    let mut general = found[index].clone();
                    general[thread] = ANYWHERE;
                    found.push(general);
                }
            }
        }
        found
    }

    fn symmetries(&self) -> usize {
        self.symmetries.len()
    }

    fn control_image(&self, symmetry: usize, control: &Control) -> Option<Control> {
        if symmetry == 0 {
            return Some(control.clone());
        }
        let (symmetry, phases) = (&self.symmetries[symmetry], &self.phases[symmetry]);
        let mut image = control.clone();
        for (thread, &node) in control[..self.threads.len()].iter().enumerate() {
            let node = if node == ANYWHERE { ANYWHERE } else { symmetry.nodes[thread][node as usize]? };
            image[symmetry.threads[thread]] = node;
        }
        image[self.threads.len()] = phases[control[self.threads.len()] as usize];
        Some(image)
    }

    fn image(&self, symmetry: usize, configuration: &Configuration) -> Configuration {
        let control = self.control_image(symmetry, &configuration.control).expect("it was asked for");
        let mut potentials = configuration.potentials.clone();
        for (owner, &potential) in configuration.potentials.iter().enumerate() {
            // The last one is nobody's.
            let owner = self.symmetries[symmetry].threads.get(owner).copied().unwrap_or(owner);
            potentials[owner] = self.potential_image(symmetry, potential);
        }
        Configuration { control, potentials }
    }

    fn is_below(&self, low: &Configuration, high: &Configuration) -> bool {
        self.are_below(&low.potentials, &high.potentials)
    }

    fn signature(&self, configuration: &Configuration) -> u64 {
        let potentials = configuration.potentials.iter().enumerate();
        potentials.fold(0, |bits, (thread, &potential)| {
            bits | self.store.get(potential).signature.rotate_left(21 * thread as u32)
        })
    }

    fn size(&self, configuration: &Configuration) -> usize {
        configuration.potentials.iter().map(|&potential| self.store.get(potential).size).sum()
    }

    fn is_initial(&self, configuration: &Configuration) -> bool {
        let (nodes, phase) = configuration.control.split_at(self.threads.len());
        let starts = |(thread, node): (usize, &Node)| *node == ANYWHERE || self.threads[thread].start == *node;
        let is_initial = |&potential: &PotentialId| self.store.get(potential).bases.is_subset(&self.facts.initial);
        phase == [0] && nodes.iter().enumerate().all(starts) && configuration.potentials.iter().all(is_initial)
    }

    fn predecessors(
        &self,
        configuration: &Configuration,
        visit: &mut dyn FnMut(Block, Configuration),
    ) -> Result<(), Reason> {
        let phase = configuration.control[self.threads.len()];
        for thread in 0..self.threads.len() {
            let writes: &[(Access, Node)] = match configuration.control[thread] {
                ANYWHERE => &self.threads[thread].writes,
                node if node == self.threads[thread].start => continue,
                node => &self.threads[thread].writes_into[node as usize],
            };
            for &write in writes {
                let loc = write.0.written().map(|(loc, _)| loc);
                let stay = Phase { before: phase, guesses: false };
                self.undo_block(configuration, thread, write, stay, visit)?;
                let race = (phase as usize).checked_sub(1).map(|race| self.races[race]);
                if race.is_some_and(|race| race.thread != thread && Some(race.loc) == loc) {
                    let guess = Phase { before: 0, guesses: true };
                    self.undo_block(configuration, thread, write, guess, visit)?;
                }
            }
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.store.bytes()
            + self.ahead.as_ref().map_or(0, Ahead::bytes)
            + 96 * self.alternatives.read().unwrap_or_else(PoisonError::into_inner).len() as u64
            + 16 * self.known_images.load(Ordering::Relaxed)
    }
}

impl LoSra<'_> {
    pub(super) fn are_below(&self, low: &[PotentialId], high: &[PotentialId]) -> bool {
        low.iter().zip(high).all(|(&low, &high)| self.store.potential_is_below(low, high))
    }
    fn potential_image(&self, symmetry: usize, potential: PotentialId) -> PotentialId {
        if let Some(&known) = self.images[symmetry].get(potential.index()) {
            return known;
        }
        let mut lists = self.store.get(potential).lists.to_vec();
        let bases = &self.symmetries[symmetry].bases;
        for list in &mut lists {
            let image = |option: &Opt| Opt::new(bases[option.base()], option.is_flagged());
            let options = self.store.options(*list).iter().map(image).collect();
            *list = self.store.list(options);
        }
        let image = self.store.potential(lists);
        if self.images[symmetry].set(potential.index(), image) {
            self.known_images.fetch_add(1, Ordering::Relaxed);
        }
        image
    }
}

/// For every phase, its image; none if a race goes to something that is none.
pub(super) fn phases(symmetry: &Symmetry, races: &[RaceQuestion], alphabet: &Alphabet) -> Option<Vec<Node>> {
    let image = |race: &RaceQuestion| {
        let loc = symmetry.location(race.loc, alphabet);
        let image = RaceQuestion { loc, thread: symmetry.threads[race.thread] };
        races.iter().position(|race| *race == image).map(|race| race as Node + 1)
    };
    [Some(0)].into_iter().chain(races.iter().map(image)).collect()
}
