//! Which changes mean something in a memory model: a question to the model, so that no model is named here.

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_base::order::{FenceOrder, Mode, ReadOrder, RmwOrder, WriteOrder};
use fencepost_model::{EventId, FenceMeaning, Graph, LightFences, Model};

use crate::form::Form;

/// What can be written in a program that makes a difference in a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Menu {
    /// Fences, weakest first.
    pub(crate) fences: Vec<Form>,
    /// Does a relaxed access do less than an acquire or release one?
    orders: bool,
    /// Does an SC access do more?
    sc_accesses: bool,
    /// Does a read-modify-write order things through its location only? Then one in place of a store is a repair of its own;
    /// elsewhere it is one more way to write a fence.
    exchanges: bool,
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
            orders: menus.iter().any(|menu| menu.orders),
            sc_accesses: menus.iter().any(|menu| menu.sc_accesses),
            exchanges: menus.iter().any(|menu| menu.exchanges),
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
            orders: model.buffers().is_none() && (!model.acquires(Mode::Rlx) || !model.releases(Mode::Rlx)),
            sc_accesses: permits_store_buffering(model, Mode::Rel, Mode::Acq)
                && !permits_store_buffering(model, Mode::Sc, Mode::Sc),
            exchanges: model.fence(FenceOrder::Sc) == FenceMeaning::HiddenRmw,
        }
    }

    /// The orders of accesses that differ from each other in the model, as stand-ins for all.
    fn means_something(&self, sc: bool) -> bool {
        if sc { self.sc_accesses } else { self.orders }
    }

    /// What could be in the place of `form`, if anything else: each means something, in no particular order.
    pub(crate) fn instead_of(&self, form: Form) -> Vec<Form> {
        let loads = ReadOrder::ALL.iter().filter(|&&order| self.means_something(order == ReadOrder::Sc));
        let stores = WriteOrder::ALL.iter().filter(|&&order| self.means_something(order == WriteOrder::Sc));
        let rmws = RmwOrder::ALL.iter().filter(|&&order| self.means_something(order == RmwOrder::Sc));
        match form {
            Form::Nothing | Form::Fence(_) | Form::LightFence => self.fences.clone(),
            Form::Load(_) => loads.map(|&order| Form::Load(order)).collect(),
            Form::Store(_) => {
                // With both, everything at this place has a strongest form. Where SC accesses are nothing special, one will do.
                let keep = form == Form::Store(WriteOrder::Sc);
                let exchanges = [(RmwOrder::AcqRel, !keep), (RmwOrder::Sc, keep || self.sc_accesses)];
                let exchanges = exchanges.into_iter().filter(|&(_, offered)| offered && self.exchanges);
                stores.map(|&order| Form::Store(order)).chain(exchanges.map(|(order, _)| Form::Rmw(order))).collect()
            }
            Form::Rmw(_) => rmws.map(|&order| Form::Rmw(order)).collect(),
        }
    }

    /// What is stronger than `form`, weakest first.
    pub(crate) fn stronger(&self, form: Form) -> Vec<Form> {
        let mut forms = self.instead_of(form);
        forms.retain(|&other| form.at_most(other) && form.rank() < other.rank());
        // A fence that means nothing orders nothing: there, whatever does mean something is stronger. (Should it be a light
        // one in disguise, one candidate is superfluous.)
        if let (Form::Fence(_), false) = (form, self.fences.contains(&form)) {
            forms = self.fences.clone();
        }
        forms.sort_by_key(|form| form.rank());
        forms
    }

    /// What is weaker than `form`, strongest first. For a fence that includes its absence, not for an access.
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

/// Does the model permit the outcome 0, 0 of store buffering with these orders?
fn permits_store_buffering(model: &dyn Model, store: Mode, load: Mode) -> bool {
    let mut graph = Graph::initial(&[0, 0]);
    for thread in 0..2 {
        let (own, other) = (LocId(thread), LocId(1 - thread));
        let write = Label::Write { loc: own, value: 1, mode: store };
        let read = Label::Read { loc: other, value: 0, mode: load };
        graph.add(ThreadId(thread), write, Some(EventId(own.0)), None);
        graph.add(ThreadId(thread), read, Some(EventId(other.0)), None);
    }
    model.permits(&graph)
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
