//! Control flow: conditions and loops as branches and jumps.

use fencepost_base::ids::Pc;
use fencepost_base::source::Span;
use fencepost_ir::{Expr, Op};
use fencepost_syntax::Language;
use fencepost_syntax::ast::{Block, Expr as AstExpr, ForHead, Head, LocalDecl, Stmt, StmtKind};

use super::expr::negate;
use super::thread::{Loop, Returns, ThreadLowerer};

impl ThreadLowerer<'_, '_> {
    pub(super) fn jump_target(&mut self, stmt: &Stmt) -> Option<Pc> {
        let word = match &stmt.kind {
            StmtKind::Goto(name) => return self.source_label(name, false),
            StmtKind::Return(_) => return self.end_of_call(stmt),
            StmtKind::Break => "break",
            _ => "continue",
        };
        let here = self.section;
        let innermost = self.frames.last()?.loops.last();
        let target = innermost.map(|l| (if word == "break" { l.after } else { l.next }, l.section));
        match target {
            None => self.error(stmt.span, format!("`{word}` outside of a loop"), |problem| problem),
            Some((_, section)) if section != here => {
                self.error(stmt.span, format!("`{word}` cannot leave an atomic section"), |problem| {
                    here.into_iter().fold(problem, |problem, keyword| problem.also(keyword, "the section"))
                });
                return None;
            }
            Some(_) => {}
        }
        target.map(|(target, _)| target)
    }

    /// Where `return` goes.
    fn end_of_call(&mut self, stmt: &Stmt) -> Option<Pc> {
        let here = self.section;
        if self.frames.last()?.returns.section != here {
            self.error(stmt.span, "`return` cannot leave an atomic section", |problem| {
                here.into_iter().fold(problem, |problem, keyword| problem.also(keyword, "the section"))
            });
            return None;
        }
        let fresh = self.new_label();
        Some(*self.frames.last_mut()?.returns.end.get_or_insert(fresh))
    }

    /// `return;`, `return e;`
    pub(super) fn return_stmt(&mut self, stmt: &Stmt, value: Option<&AstExpr>) -> Option<()> {
        let Returns { dst, thread, .. } = self.frames.last()?.returns;
        let target = self.jump_target(stmt);
        if let (Some(value), true) = (value, thread) {
            self.error(value.span, "a thread has no result", |problem| {
                problem.help("`return;` ends the thread; procedures return values")
            });
            return None;
        }
        if let Some(value) = value {
            let value = self.value(value)?;
            if let Some(dst) = dst {
                self.emit(Op::Assign { dst, value }, stmt.span);
            }
        }
        self.emit(Op::Jump { target: target? }, stmt.span);
        Some(())
    }

    fn branch(&mut self, cond: Expr, target: Pc, span: Span) {
        match cond {
            Expr::Const(0) => {}
            Expr::Const(_) => self.emit(Op::Jump { target }, span),
            cond => self.emit(Op::Branch { cond, target }, span),
        }
    }

    pub(super) fn if_stmt(&mut self, arms: &[(Head, Block)], otherwise: Option<&Block>) {
        let end = self.new_label();
        for (index, (head, body)) in arms.iter().enumerate() {
            let cond = self.expr(&head.cond);
            // `if (e) goto l;` is one instruction.
            if let [only] = body.stmts.as_slice()
                && only_jumps(only)
            {
                if let (Some(target), Some(cond)) = (self.jump_target(only), cond) {
                    self.emit(Op::Branch { cond, target }, head.span.to(only.span));
                }
                continue;
            }
            let next = self.new_label();
            if let Some(cond) = cond {
                self.branch(negate(cond), next, head.span);
            }
            self.block(body);
            let last = index + 1 == arms.len() && otherwise.is_none();
            if !last && self.reachable() {
                self.emit(Op::Jump { target: end }, closing_brace(body));
            }
            self.place_label(next);
        }
        if let Some(otherwise) = otherwise {
            self.block(otherwise);
        }
        self.place_label(end);
    }

    fn in_loop(&mut self, after: Pc, next: Pc, body: &Block) {
        let section = self.section;
        if let Some(frame) = self.frames.last_mut() {
            frame.loops.push(Loop { after, next, section });
        }
        self.block(body);
        if let Some(frame) = self.frames.last_mut() {
            frame.loops.pop();
        }
    }

    pub(super) fn while_stmt(&mut self, head: &Head, body: &Block) {
        let (next, after) = (self.new_label(), self.new_label());
        self.place_label(next);
        if let Some(cond) = self.expr(&head.cond) {
            self.branch(negate(cond), after, head.span);
        }
        self.in_loop(after, next, body);
        if self.reachable() {
            self.emit(Op::Jump { target: next }, head.span);
        }
        self.place_label(after);
    }

    pub(super) fn for_stmt(&mut self, head: &ForHead, body: &Block) {
        // What went wrong in the head is reported; the body is looked at all the same.
        let mut scoped: &[LocalDecl] = &[];
        match head.first.as_deref() {
            // These registers are there for the loop only.
            Some(Stmt { kind: StmtKind::Local(locals), .. }) => {
                locals.iter().for_each(|local| self.local(local, &[], false));
                scoped = locals;
            }
            Some(first) => {
                let _ = self.stmt(first, &[]);
            }
            None => {}
        }
        let (start, next, after) = (self.new_label(), self.new_label(), self.new_label());
        self.place_label(start);
        if let Some(cond) = head.cond.as_ref().and_then(|cond| self.expr(cond)) {
            self.branch(negate(cond), after, head.span);
        }
        self.in_loop(after, next, body);
        self.place_label(next);
        if let Some(step) = &head.step {
            let _ = self.stmt(step, &[]);
        }
        if self.reachable() {
            self.emit(Op::Jump { target: start }, head.span);
        }
        self.place_label(after);
        self.forget(scoped);
    }

    pub(super) fn do_while(&mut self, body: &Block, head: &Head) {
        let (start, next, after) = (self.new_label(), self.new_label(), self.new_label());
        self.place_label(start);
        self.in_loop(after, next, body);
        self.place_label(next);
        if let Some(cond) = self.expr(&head.cond) {
            self.branch(cond, start, head.span);
        }
        self.place_label(after);
    }

    pub(super) fn atomic(&mut self, body: &Block, span: Span) {
        let keyword = Span { start: span.start, end: span.end.min(span.start + "atomic".len() as u32) };
        if let Some(outer) = self.section {
            self.error(keyword, "an atomic section inside of another one", |problem| {
                problem.also(outer, "the outer section")
            });
            return self.block(body);
        }
        self.emit(Op::Enter, keyword);
        self.section = Some(keyword);
        self.block(body);
        self.section = None;
        self.emit(Op::Leave, closing_brace(body));
    }

    pub(super) fn choose(&mut self, blocks: &[Block], span: Span) {
        let end = self.new_label();
        let mut targets: Vec<Pc> = Vec::with_capacity(blocks.len());
        let mut bodies: Vec<(Pc, &Block)> = Vec::new();
        for block in blocks {
            // A branch that does nothing or only jumps needs no code of its own.
            targets.push(match block.stmts.as_slice() {
                [only] if only_jumps(only) => self.jump_target(only).unwrap_or(end),
                stmts if stmts.iter().all(|stmt| matches!(stmt.kind, StmtKind::Skip)) => end,
                _ => {
                    let target = self.new_label();
                    bodies.push((target, block));
                    target
                }
            });
        }
        let word = match self.language() {
            Language::Tpl => "oneof",
            _ => "choose",
        };
        let word = Span { start: span.start, end: span.end.min(span.start + word.len() as u32) };
        self.emit(Op::Choose { targets }, word);
        let last = bodies.len().saturating_sub(1);
        for (index, (target, block)) in bodies.into_iter().enumerate() {
            self.place_label(target);
            self.block(block);
            if index != last && self.reachable() {
                self.emit(Op::Jump { target: end }, closing_brace(block));
            }
        }
        self.place_label(end);
    }
}

/// Is it nothing but a jump?
fn only_jumps(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Return(None))
}

/// Where a block ends: the place of the jump over what follows it.
pub(super) fn closing_brace(block: &Block) -> Span {
    Span { start: block.span.end.saturating_sub(1), end: block.span.end }
}
