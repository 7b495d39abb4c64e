//! Which statement a place of the text is in.

use fencepost_syntax::ast::{Block, File, ItemKind, Stmt, StmtKind};

/// The blocks inside of a statement.
pub(crate) fn blocks(stmt: &Stmt) -> Vec<&Block> {
    match &stmt.kind {
        StmtKind::Atomic(body)
        | StmtKind::While(_, body)
        | StmtKind::DoWhile(body, _)
        | StmtKind::For(_, body)
        | StmtKind::Block(body) => vec![body],
        StmtKind::If { arms, otherwise } => arms.iter().map(|(_, body)| body).chain(otherwise).collect(),
        StmtKind::Choose(branches) => branches.iter().collect(),
        _ => Vec::new(),
    }
}

/// The innermost statement around a byte of the text.
pub(crate) fn statement_at(file: &File, offset: usize) -> Option<&Stmt> {
    let bodies = file.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Proc { body, .. } | ItemKind::Thread { body, .. } => Some(body),
        _ => None,
    });
    bodies.into_iter().find_map(|body| in_block(body, offset))
}

fn in_block(block: &Block, offset: usize) -> Option<&Stmt> {
    block.stmts.iter().find_map(|stmt| in_statement(stmt, offset))
}

fn in_statement(stmt: &Stmt, offset: usize) -> Option<&Stmt> {
    if !(stmt.span.range().start <= offset && offset <= stmt.span.range().end) {
        return None;
    }
    let head = match &stmt.kind {
        StmtKind::For(head, _) => head.first.iter().chain(&head.step).find_map(|part| in_statement(part, offset)),
        _ => None,
    };
    head.or_else(|| blocks(stmt).into_iter().find_map(|block| in_block(block, offset))).or(Some(stmt))
}
