//! How each language writes fences, orders and exchanges.

use fencepost_base::order::RmwOrder;
use fencepost_syntax::Language;
use fencepost_verdict::Form;

/// An order, as written.
pub(crate) fn order(language: Language, form: Form) -> &'static str {
    let word = match form {
        Form::Nothing | Form::LightFence => "",
        Form::Fence(order) => order.as_str(),
        Form::Load(order) => order.as_str(),
        Form::Store(order) => order.as_str(),
        Form::Rmw(order) => order.as_str(),
    };
    match (language, word) {
        (Language::Tpl, "acqrel") => "acq_rel",
        (Language::Tpl, "sc") => "seq_cst",
        _ => word,
    }
}

/// A fence as a statement, without `;`; none if the language has no such fence.
pub(crate) fn fence(language: Language, form: Form) -> Option<String> {
    match (language, form) {
        (Language::Fp | Language::Tpl, Form::Fence(_)) => Some(format!("fence({})", order(language, form))),
        (Language::Fp, Form::LightFence) => Some("lwfence".into()),
        // There, that is a light fence where light fences mean anything.
        (Language::Tpl, Form::LightFence) => Some("fence(rel)".into()),
        _ => None,
    }
}

/// An exchange as a statement, without `;`.
pub(crate) fn exchange(language: Language, place: &str, value: &str, with: RmwOrder) -> String {
    let order = order(language, Form::Rmw(with));
    match language {
        Language::Fp => format!("{place}.xchg({value}, {order})"),
        Language::Tpl => format!("exchange({place}, {value}, {order})"),
        Language::Txt => unreachable!("automata are changed at their states"),
        Language::Litmus => unreachable!("litmus tests are not changed"),
    }
}
