//! Which changes mean something in a memory model: what the model declares, so that no model is
//! named here.

use fencepost_base::order::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use fencepost_model::{FenceMeaning, LightFences, Model, Repairs};
use fencepost_verdict::Form;

/// What can be written in a program that makes a difference in a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Menu {
    /// Fences, weakest first.
    pub(crate) fences: Vec<Form>,
    repairs: Repairs,
}

impl Menu {
    /// What makes a difference in one of the models.
    pub(crate) fn of(models: &[&'static dyn Model]) -> Self {
        let menus: Vec<Menu> = models.iter().map(|model| Menu::of_one(*model)).collect();
        let mut fences: Vec<Form> = menus.iter().flat_map(|menu| menu.fences.iter().copied()).collect();
        fences.sort_by_key(|form| form.rank());
        fences.dedup();
        Menu {
            fences,
            repairs: Repairs {
                orders: menus.iter().any(|menu| menu.repairs.orders),
                sc_accesses: menus.iter().any(|menu| menu.repairs.sc_accesses),
                exchanges: menus.iter().any(|menu| menu.repairs.exchanges),
            },
        }
    }

    fn of_one(model: &dyn Model) -> Self {
        // A fence that is a light one is written as such.
        let fence = |order: FenceOrder| match model.fence(order) {
            FenceMeaning::Nothing | FenceMeaning::Light => None,
            FenceMeaning::Event | FenceMeaning::HiddenRmw => Some(Form::Fence(order)),
        };
        let light = (model.light_fences() != LightFences::Ignored).then_some(Form::LightFence);
        Menu {
            fences: light.into_iter().chain(FenceOrder::ALL.iter().filter_map(|&order| fence(order))).collect(),
            repairs: model.declaration().repairs,
        }
    }

    /// The orders of accesses that differ from each other in the model, as stand-ins for all.
    fn means_something(&self, sc: bool) -> bool {
        if sc { self.repairs.sc_accesses } else { self.repairs.orders }
    }

    /// What could be in the place of `form`, if anything else: each means something, in no
    /// particular order.
    pub(crate) fn instead_of(&self, form: Form) -> Vec<Form> {
        let loads = ReadOrder::ALL.iter().filter(|&&order| self.means_something(order == ReadOrder::Sc));
        let stores = WriteOrder::ALL.iter().filter(|&&order| self.means_something(order == WriteOrder::Sc));
        let rmws = RmwOrder::ALL.iter().filter(|&&order| self.means_something(order == RmwOrder::Sc));
        match form {
            Form::Nothing | Form::Fence(_) | Form::LightFence => self.fences.clone(),
            Form::Load(_) => loads.map(|&order| Form::Load(order)).collect(),
            Form::Store(_) => {
                // With both, everything at this place has a strongest form. Where SC accesses are
                // nothing special, one will do.
                let keep = form == Form::Store(WriteOrder::Sc);
                let exchanges = [(RmwOrder::AcqRel, !keep), (RmwOrder::Sc, keep || self.repairs.sc_accesses)];
                let exchanges = exchanges.into_iter().filter(|&(_, offered)| offered && self.repairs.exchanges);
                stores.map(|&order| Form::Store(order)).chain(exchanges.map(|(order, _)| Form::Rmw(order))).collect()
            }
            Form::Rmw(_) => rmws.map(|&order| Form::Rmw(order)).collect(),
        }
    }

    /// What is stronger than `form`, weakest first.
    pub(crate) fn stronger(&self, form: Form) -> Vec<Form> {
        let mut forms = self.instead_of(form);
        forms.retain(|&other| form.at_most(other) && form.rank() < other.rank());
        // A fence that means nothing orders nothing: there, whatever does mean something is
        // stronger. (Should it be a light one in disguise, one candidate is superfluous.)
        if let (Form::Fence(_), false) = (form, self.fences.contains(&form)) {
            forms = self.fences.clone();
        }
        forms.sort_by_key(|form| form.rank());
        forms
    }

    /// What is weaker than `form`, strongest first. For a fence that includes its absence, not for
    /// an access.
    pub(crate) fn weaker(&self, form: Form) -> Vec<Form> {
        let mut forms = self.instead_of(form);
        let fence = matches!(form, Form::Fence(_) | Form::LightFence);
        forms
            .retain(|&other| self.fences.contains(&form) == fence && other.at_most(form) && other.rank() < form.rank());
        forms.sort_by_key(|form| std::cmp::Reverse(form.rank()));
        if fence {
            forms.push(Form::Nothing);
        }
        forms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_model::models::{pgas::Pgas, ra::Ra, rc20::Rc20, tso::Tso};

    #[test]
    fn release_acquire_knows_one_fence_and_exchanges() {
        let menu = Menu::of(&[&Ra]);
        assert_eq!(menu.stronger(Form::Nothing), [Form::Fence(FenceOrder::Sc)]);
        assert_eq!(menu.stronger(Form::Fence(FenceOrder::Rel)), [Form::Fence(FenceOrder::Sc)]);
        assert_eq!(menu.stronger(Form::Load(ReadOrder::Rlx)), []);
        assert_eq!(menu.stronger(Form::Store(WriteOrder::Rlx)), [Form::Rmw(RmwOrder::AcqRel)]);
        assert_eq!(menu.stronger(Form::Store(WriteOrder::Sc)), [Form::Rmw(RmwOrder::Sc)]);
        assert_eq!(menu.stronger(Form::Rmw(RmwOrder::Rlx)), []);
        assert_eq!(menu.weaker(Form::Fence(FenceOrder::Sc)), [Form::Nothing]);
        assert_eq!(menu.weaker(Form::Fence(FenceOrder::Acq)), [Form::Nothing]);
        assert_eq!(menu.weaker(Form::Load(ReadOrder::Sc)), []);
    }

    #[test]
    fn store_buffers_know_fences_only() {
        assert_eq!(Menu::of(&[&Tso]).stronger(Form::Nothing), [Form::Fence(FenceOrder::Sc)]);
        assert_eq!(Menu::of(&[&Pgas]).stronger(Form::Nothing), [Form::LightFence, Form::Fence(FenceOrder::Sc)]);
        for menu in [Menu::of(&[&Tso]), Menu::of(&[&Pgas])] {
            assert_eq!(menu.stronger(Form::Store(WriteOrder::Rlx)), []);
            assert_eq!(menu.stronger(Form::Load(ReadOrder::Rlx)), []);
        }
    }

    #[test]
    fn rc20_knows_every_order() {
        let menu = Menu::of(&[&Rc20]);
        assert_eq!(menu.stronger(Form::Nothing).len(), 4);
        assert_eq!(menu.stronger(Form::Load(ReadOrder::Acq)), [Form::Load(ReadOrder::Sc)]);
        assert_eq!(menu.stronger(Form::Rmw(RmwOrder::Acq)), [Form::Rmw(RmwOrder::AcqRel), Form::Rmw(RmwOrder::Sc)]);
        assert_eq!(menu.weaker(Form::Store(WriteOrder::Sc)), [WriteOrder::Rel, WriteOrder::Rlx].map(Form::Store));
        assert_eq!(menu.weaker(Form::Fence(FenceOrder::Rel)), [Form::Nothing]);
    }

    #[test]
    fn several_models_offer_what_one_of_them_does() {
        assert_eq!(Menu::of(&[&Ra, &Rc20]), Menu::of(&[&Rc20]));
        let menu = Menu::of(&[&Tso, &Pgas, &Ra]);
        assert_eq!(menu.stronger(Form::Nothing), [Form::LightFence, Form::Fence(FenceOrder::Sc)]);
        assert_eq!(menu.stronger(Form::Store(WriteOrder::Rlx)), [Form::Rmw(RmwOrder::AcqRel)]);
    }
}
