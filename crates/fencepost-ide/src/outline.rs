//! What a program consists of: for the outline and the breadcrumbs of an editor.

use fencepost_base::source::Span;

use crate::names::{Definition, Kind, Names};

/// Something that is declared, with what is declared in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// What it stands for.
    pub kind: Kind,
    /// Where the name is.
    pub span: Span,
    /// All of the declaration.
    pub whole: Span,
    /// Fields of a struct, labels of a thread or procedure.
    pub children: Vec<Symbol>,
}

/// What is declared at the top level, in the order of the text.
pub fn outline(names: &Names) -> Vec<Symbol> {
    let definitions = names.definitions();
    let symbol = |it: &Definition| Symbol {
        name: it.name.clone(),
        kind: it.kind,
        span: it.span,
        whole: it.whole,
        children: Vec::new(),
    };
    let mut children = vec![Vec::new(); definitions.len()];
    let inner = definitions.iter().filter(|it| !matches!(it.kind, Kind::Register | Kind::Parameter));
    for (definition, within) in inner.filter_map(|it| Some((it, it.within?))) {
        children[within].push(symbol(definition));
    }
    let top = definitions.iter().zip(children).filter(|(it, _)| it.within.is_none());
    let mut symbols: Vec<Symbol> = top.map(|(it, children)| Symbol { children, ..symbol(it) }).collect();
    symbols.sort_by_key(|symbol| symbol.span);
    symbols
}
