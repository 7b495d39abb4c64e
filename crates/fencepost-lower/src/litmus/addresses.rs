//! Addresses as values.
//!
//! The address of a variable is a value of its own, different from every number that the test
//! mentions. An access through such a value is a choice: the address is compared with those that
//! are ever used as values, and the variable it belongs to is accessed. The last of these is
//! accessed as an array of one element (or as the array that it is), so that whatever is no address
//! is an index out of range, and reported as an error at run time.
//!
//! Which addresses are values is read off the text: every variable whose name stands where a value
//! does. That is more than can happen in a run, and never less.

use std::collections::BTreeSet;

use fencepost_base::ids::LocId;
use fencepost_syntax::ast::litmus::{Constant, Expr, ExprKind, Formula, Procedure};
use fencepost_syntax::ast::{BinaryOp, File, ItemKind};

use super::calls::addresses_among;
use super::globals::{self, Globals};
use super::walk::{children, each_expr, without_casts};

#[derive(Default)]
pub(super) struct Addresses {
    /// The variables whose addresses are values.
    names: BTreeSet<String>,
    /// The last of them in the order of locations.
    last: Option<LocId>,
    /// Is a final state compared with an address?
    are_asked_for: bool,
}

impl Addresses {
    pub(super) fn collect(file: &File, procedures: &[&Procedure], globals: &Globals) -> Self {
        let mut addresses = Addresses::default();
        for (value, _) in globals::initial_state(file).flat_map(globals::constants) {
            if let Constant::Address(name) = value {
                addresses.names.insert(name.text.split('[').next().unwrap_or_default().to_owned());
            }
        }
        for procedure in procedures {
            each_expr(procedure, &mut |expr| addresses.in_value(procedure, expr));
        }
        for item in &file.items {
            if let ItemKind::Filter(formula) | ItemKind::Condition(_, formula) = &item.kind {
                addresses.are_asked_for |= mentions_address(formula);
            }
        }
        addresses.last = addresses.names.iter().filter_map(|name| Some(globals.find(name)?.0)).max();
        addresses
    }

    /// Are there values that stand for addresses?
    pub(super) fn are_values(&self) -> bool {
        self.are_asked_for || !self.names.is_empty()
    }

    /// The variables whose addresses are values.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Is the address of this location among them?
    pub(super) fn cover(&self, loc: LocId, globals: &Globals) -> bool {
        let variables = self.names().filter_map(|name| globals.find(name));
        let mut all = variables.map(|(base, global)| base.index()..base.index() + global.len());
        all.any(|locations| locations.contains(&loc.index()))
    }

    /// Is this the last variable whose address is a value?
    pub(super) fn is_last(&self, loc: LocId) -> bool {
        self.last == Some(loc)
    }

    /// An expression whose value is used.
    fn in_value(&mut self, procedure: &Procedure, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => self.take(procedure, name),
            ExprKind::Address(name) => self.take(procedure, &name.text),
            ExprKind::Deref(address) => self.in_address(procedure, address),
            ExprKind::Assign(target, _, value) => {
                if !matches!(target.kind, ExprKind::Name(_)) {
                    self.in_value(procedure, target);
                }
                self.in_value(procedure, value);
            }
            ExprKind::Call(function, args) => {
                let are_addresses = addresses_among(&function.text);
                for (index, arg) in args.iter().enumerate() {
                    match index < are_addresses {
                        true => self.in_address(procedure, arg),
                        false => self.in_value(procedure, arg),
                    }
                }
            }
            _ => children(expr).into_iter().for_each(|child| self.in_value(procedure, child)),
        }
    }

    /// An expression that says where an access goes: what it names is accessed.
    fn in_address(&mut self, procedure: &Procedure, expr: &Expr) {
        match &without_casts(expr).kind {
            ExprKind::Name(_) | ExprKind::Address(_) => {}
            ExprKind::Binary(BinaryOp::Add, array, index) => {
                self.in_address(procedure, array);
                self.in_value(procedure, index);
            }
            _ => self.in_value(procedure, without_casts(expr)),
        }
    }

    fn take(&mut self, procedure: &Procedure, name: &str) {
        if procedure.params.iter().any(|param| param.name.text == name) {
            self.names.insert(name.to_owned());
        }
    }
}

fn mentions_address(formula: &Formula) -> bool {
    match formula {
        Formula::Constant(_) | Formula::Same(..) => false,
        Formula::Equals(_, value, _) => matches!(value, Constant::Address(_)),
        Formula::Not(inner) => mentions_address(inner),
        Formula::And(left, right) | Formula::Or(left, right) | Formula::Implies(left, right) => {
            mentions_address(left) || mentions_address(right)
        }
    }
}
