//! The list of mutants: which rule, in which file, how broken.

/// A way to break the project.
pub(super) struct Mutant {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    /// Occurs exactly once in the file.
    pub(super) from: &'static str,
    pub(super) to: &'static str,
    /// Arguments of `cargo test`: where the tests are that must notice.
    pub(super) judges: &'static [&'static str],
}

const ATTACKS: &str = "crates/fencepost-attack/src/attack.rs";
const ATTACK_FLOW: &str = "crates/fencepost-attack/src/flow.rs";
const ATTACKER: &str = "crates/fencepost-attack/src/instrument/attacker.rs";
const HELPER: &str = "crates/fencepost-attack/src/instrument/helper.rs";
const BUFFER_AXIOMS: &str = "crates/fencepost-model/src/models/buffers.rs";
const BUFFERS: &str = "crates/fencepost-oracle/src/buffers.rs";
const BOUNDED: &str = "crates/fencepost-oracle/src/buffers/bounded.rs";
const GRAPH: &str = "crates/fencepost-model/src/graph.rs";
const HB_SC: &str = "crates/fencepost-model/src/tracker.rs";
const RA_MONITOR: &str = "crates/fencepost-model/src/models/ra/monitor.rs";
const RA_AXIOMS: &str = "crates/fencepost-model/src/models/ra.rs";
const RC20_MONITOR: &str = "crates/fencepost-model/src/models/rc20/monitor.rs";
const RC20_AXIOMS: &str = "crates/fencepost-model/src/models/rc20.rs";
const PRODUCT: &str = "crates/fencepost-explore/src/product.rs";
const PRODUCT_QUESTIONS: &str = "crates/fencepost-explore/src/product/questions.rs";
const PRODUCT_SECTION: &str = "crates/fencepost-explore/src/product/section.rs";
const CLASSES: &str = "crates/fencepost-explore/src/classes.rs";
const COMPILE: &str = "crates/fencepost-explore/src/compile.rs";
const LIVENESS: &str = "crates/fencepost-explore/src/liveness.rs";
const SEARCH: &str = "crates/fencepost-explore/src/search.rs";
const STORE: &str = "crates/fencepost-explore/src/store.rs";
const AMPLE: &str = "crates/fencepost-explore/src/ample.rs";
const SYMMETRY: &str = "crates/fencepost-explore/src/symmetry.rs";
const WATCHES: &str = "crates/fencepost-explore/src/watches.rs";
const COVER_AHEAD: &str = "crates/fencepost-cover/src/ahead.rs";
const COVER_LOSRA: &str = "crates/fencepost-cover/src/losra.rs";
const COVER_QUESTION: &str = "crates/fencepost-cover/src/question.rs";
const COVER_SATURATE: &str = "crates/fencepost-cover/src/saturate.rs";
const CLOCK_THREAD: &str = "crates/fencepost-clock/src/thread.rs";
const CLOCK_LOCATION: &str = "crates/fencepost-clock/src/location.rs";
const CLOCK_HISTORY: &str = "crates/fencepost-clock/src/history.rs";
const CLOCK_VISITS: &str = "crates/fencepost-clock/src/visits.rs";
const CLOCK_SYNC: &str = "crates/fencepost-clock/src/sync.rs";
const VERIFY: &str = "crates/fencepost-check/src/verify.rs";
const VERIFY_COVERABILITY: &str = "crates/fencepost-check/src/verify/coverability.rs";
const VERIFY_ENDINGS: &str = "crates/fencepost-check/src/verify/endings.rs";
const VERIFY_EXPLORATION: &str = "crates/fencepost-check/src/verify/exploration.rs";
const REPLAY_GRAPH: &str = "crates/fencepost-oracle/src/replay/graph.rs";

const ALL_JUDGES: &[&str] = &["-p", "fencepost-oracle", "-p", "fencepost-testkit"];
/// A broken reduction gives another verdict than none.
const COMPARISONS: &[&str] = &["-p", "fencepost-testkit", "--test", "reductions"];

const fn mutant(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: ALL_JUDGES }
}

const fn reduction(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: COMPARISONS }
}

/// Sections and bounds are compared with a plain interpreter, and the corpus has some.
const fn section(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &["-p", "fencepost-testkit", "--test", "sections", "--test", "litmus"] }
}

const fn clock(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &["-p", "fencepost-clock"] }
}

/// The backward search and opSRA no longer agree.
const fn cover(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &["-p", "fencepost-cover"] }
}

/// Machine and axioms no longer agree.
const fn buffers(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &["-p", "fencepost-oracle", "--test", "buffers"] }
}

/// Attacks and definitions no longer agree.
const fn attack(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &["-p", "fencepost-testkit", "--test", "buffers"] }
}

/// An argument that does not hold gives another answer than the definitions.
const fn verify(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &["-p", "fencepost-testkit", "--test", "verify"] }
}

pub(super) const MUTANTS: &[Mutant] = &[
    verify(
        "verify: release/acquire does what sra does",
        VERIFY_COVERABILITY,
        "name if name == Ra.name() => Word::IfRaceFree,",
        "name if name == Ra.name() => Word::Enough,",
    ),
    verify(
        "verify: sra speaks for pso",
        VERIFY_COVERABILITY,
        "name == Sra.name() || name == Tso.name()",
        "name == Sra.name() || name == Tso.name() || name == \"pso\"",
    ),
    verify(
        "verify: relaxed stores release",
        VERIFY_COVERABILITY,
        "Op::Store { order, .. } => Mode::from(*order).releases(),",
        "Op::Store { .. } => true,",
    ),
    verify(
        "verify: executions of sra are executions of every model",
        VERIFY_COVERABILITY,
        "evidence::failing(self.program, self.model, witness.run.clone(), site, &kind)",
        "evidence::failing(self.program, &Sra, witness.run.clone(), site, &kind)",
    ),
    verify(
        "verify: coverability answers for races",
        VERIFY_COVERABILITY,
        "if can_race(self.program, self.model)",
        "if false",
    ),
    verify(
        "verify: robust programs need not be safe under sc",
        VERIFY_EXPLORATION,
        "let exploration = fencepost_explore::find_failure(self.program, self.options, slice);",
        "let mut exploration = fencepost_explore::find_failure(self.program, self.options, slice); exploration.sc_failure = None;",
    ),
    verify(
        "verify: conditions see nothing of stale reads",
        VERIFY,
        "if robustness::knows_observation(model) && !has_condition {",
        "if robustness::knows_observation(model) {",
    ),
    verify(
        "verify: the first final states are all of them",
        VERIFY_ENDINGS,
        "let mut extent = Extent::Kinds;",
        "let mut extent = Extent::All; list.truncate(1);",
    ),
    verify(
        "verify: a race on the way is passed by",
        REPLAY_GRAPH,
        "self.replayed.race = Some((thread, access.loc));",
        "",
    ),
    attack("attacks: stores are never last", ATTACKS, "buffers == Buffers::PerLocation", "buffers == Buffers::Total"),
    attack("attacks: threads with another start are the same", ATTACKS, "            && same_start()\n", ""),
    attack(
        "attacks: every light fence rules out every store behind it",
        ATTACK_FLOW,
        "!stored.clone().all(|loc| covers.contains(LocId::from_index(loc)))",
        "(covers == Covers::Nothing || stored.is_empty())",
    ),
    attack(
        "attacks: barriers leave buffers as they are",
        ATTACK_FLOW,
        "Op::Fence { order: FenceOrder::Sc } | Op::Enter => Use::Barrier,",
        "Op::Fence { order: FenceOrder::Acq } | Op::Enter => Use::Barrier,",
    ),
    attack(
        "attacks: the attacker does not look into its buffer",
        ATTACKER,
        "self.if_set(held, early);",
        "self.load_bit(held);",
    ),
    attack(
        "attacks: light fences delay nothing",
        ATTACKER,
        "self.asm.emit(Op::Branch { cond: Expr::Reg(self.fenced), target: delayed.target() });",
        "",
    ),
    attack(
        "attacks: there are several attackers",
        ATTACKER,
        "if let Some(attacking) = self.context.attacking {",
        "if let Some(attacking) = self.context.attacking.filter(|_| false) {",
    ),
    attack(
        "attacks: a last store counts as a load",
        ATTACKER,
        "(use_of(op) == Use::Store).then_some(&self.context.stored)",
        "(use_of(op) == Use::Rmw).then_some(&self.context.stored)",
    ),
    attack(
        "attacks: helpers depend on reading what was read",
        HELPER,
        "self.await_bit(if writes { seen.clone() } else { stored.clone() }, 1)",
        "self.await_bit(seen.clone(), 1)",
    ),
    attack("attacks: writes of helpers leave no marks", HELPER, "self.set(stored, 1);", "self.set(stored, 0);"),
    attack(
        "attacks: any access of a helper is success",
        HELPER,
        "self.load_bit(target);",
        "self.set(target, 1);\n            self.assign(self.scratch, Expr::Const(1));",
    ),
    attack(
        "attacks: failed compare-and-swaps of helpers write",
        HELPER,
        "self.touch_as(dependence, false, place, pc, &[(read, Meaning::Original(pc))]);",
        "self.touch_as(dependence, true, place, pc, &[(read, Meaning::Original(pc))]);",
    ),
    attack(
        "attacks: sections are judged before they are complete",
        HELPER,
        "if !in_section && target.is_some() {",
        "if target.is_some() {",
    ),
    attack(
        "attacks: sections need not depend on the attacker",
        HELPER,
        "self.asm.emit(Op::Assume { cond: Expr::Reg(self.depends) });",
        "self.assign(self.depends, Expr::Const(0));",
    ),
    attack("attacks: sections depend on themselves", HELPER, "self.if_set(own, end);", "self.load_bit(own);"),
    buffers(
        "buffers: loads do not pass stores",
        BUFFER_AXIOMS,
        "Label::Read { .. } | Label::LightFence { .. } => false,",
        "Label::Read { .. } => true,\n            Label::LightFence { .. } => false,",
    ),
    buffers(
        "buffers: every light fence covers every location",
        BUFFER_AXIOMS,
        "fence > id && (loc.is_none() || *loc == graph.label(id).loc())",
        "fence > id && (loc.is_none() || loc.is_some())",
    ),
    buffers(
        "buffers: read-modify-writes are passed by stores",
        BUFFER_AXIOMS,
        "Label::Rmw { .. } | Label::Fence { .. } => true,",
        "Label::Rmw { .. } => false,\n            Label::Fence { .. } => true,",
    ),
    buffers(
        "buffers: early reads are seen by all",
        BUFFER_AXIOMS,
        "graph.event(write).thread != graph.event(read).thread",
        "write != read",
    ),
    buffers(
        "buffers: atomic sections are passed by stores",
        BUFFER_AXIOMS,
        "!is_buffered(a) || tied[b.index()]",
        "!is_buffered(a)",
    ),
    buffers("buffers: sections leave stores in buffers", BUFFER_AXIOMS, " && !tied[a.index()];", ";"),
    buffers(
        "sections: others step in between",
        GRAPH,
        "(is_without_sections() || rel.contracted(|id| self.section(id)).is_acyclic())",
        "(is_without_sections() || !rel.contracted(|id| id).is_irreflexive() || rel.is_acyclic())",
    ),
    buffers(
        "machine: loads do not look into the own queues",
        BUFFERS,
        "let newest = queues.of[loc.index()].back().or(waiting.next_back());",
        "let newest = queues.of[loc.index()].back().or(waiting.next_back().filter(|_| false));",
    ),
    buffers(
        "machine: light fences wait for nothing",
        BUFFERS,
        "Label::LightFence { loc: Some(loc) } => queues.of[loc.index()].is_empty(),",
        "Label::LightFence { loc: Some(_) } => true,",
    ),
    buffers(
        "machine: failed updates do not wait",
        BUFFERS,
        "if !buffered && !state.is_drained(thread) {",
        "if !buffered && !state.is_drained(thread) && !matches!(access.action, Action::Cas { .. }) {",
    ),
    buffers(
        "summaries: what happens before predecessors is forgotten",
        BOUNDED,
        "if set >> first & 1 == 1 { set | predecessors } else { set }",
        "set",
    ),
    buffers(
        "summaries: sections end before they are complete",
        BOUNDED,
        "if set & SECTION == 0 { set } else { set & !SECTION | section }",
        "set & !SECTION",
    ),
    buffers(
        "summaries: threads with the same code are mixed up",
        BOUNDED,
        "order.iter().map(|&thread| state.latest[thread]).collect()",
        "state.latest.clone()",
    ),
    buffers(
        "summaries: registers are dead where they are read",
        BOUNDED,
        "if reads {\n            return true;",
        "if reads {\n            return false;",
    ),
    mutant(
        "hb_SC: read forgets W_SC",
        HB_SC,
        "self.v[t].set(state, i, v | w);",
        "self.v[t].set(state, i, v & (v | w));",
    ),
    mutant("hb_SC: read leaves M_SC", HB_SC, "self.m[x].set(state, i, m | v);", "self.m[x].set(state, i, m);"),
    mutant("hb_SC: write leaves W_SC", HB_SC, "self.w[x].set(state, i, known);", ""),
    mutant("hb_SC: write leaves M_SC", HB_SC, "self.m[x].set(state, i, known);", ""),
    mutant("hb_SC: write known to all", HB_SC, "if other != t {", "if other == usize::MAX {"),
    mutant("hb_SC: write stays in M_SC", HB_SC, "self.m[y].remove(state, column);", ""),
    mutant("hb_SC: write stays in W_SC", HB_SC, "self.w[y].remove(state, column);", ""),
    mutant(
        "narrow by union",
        HB_SC,
        "narrowed.get(state, i) & by.get(state, i)",
        "narrowed.get(state, i) | by.get(state, i)",
    ),
    mutant(
        "ra: overwritten unseen by threads",
        RA_MONITOR,
        "filter(|&(other, _)| other != t)",
        "filter(|&(other, _)| other == t)",
    ),
    mutant("ra: overwritten unseen by writes", RA_MONITOR, "filter(|&(z, _)| z != x)", "filter(|&(z, _)| z == x)"),
    mutant("ra: writer keeps stale values", RA_MONITOR, "columns.clear(state, &threads[t], x);", ""),
    mutant("ra: write passes nothing on", RA_MONITOR, "copy(state, &locations[x], &threads[t]);", ""),
    mutant("ra: rmw passes nothing on", RA_MONITOR, "copy(state, &self.w[x], &self.v[t]);", ""),
    mutant("ra: rmw passes no RMW view on", RA_MONITOR, "copy(state, &self.w_rmw[x], &self.v_rmw[t]);", ""),
    mutant("ra: rmw hides no value", RA_MONITOR, "Self::overwrite(state, read, t, x, step.current);", ""),
    mutant(
        "ra: rmw lets others in",
        RA_MONITOR,
        "copy(state, &self.w_rmw[x], &self.v_rmw[t]);",
        "copy(state, &self.w_rmw[x], &self.v_rmw[t]); Self::overwrite(state, write, t, x, step.current);",
    ),
    mutant(
        "ra: reads use V_RMW",
        RA_MONITOR,
        "AttemptKind::Read => (&self.read, &self.v[t]),",
        "AttemptKind::Read => (&self.write, &self.v_rmw[t]),",
    ),
    mutant(
        "ra: writes use V",
        RA_MONITOR,
        "AttemptKind::Write | AttemptKind::Rmw => (&self.write, &self.v_rmw[t]),",
        "AttemptKind::Write | AttemptKind::Rmw => (&self.read, &self.v[t]),",
    ),
    mutant("ra: V_SC not asked", RA_MONITOR, "self.hb_sc.knows(state, t, x) && ", ""),
    mutant("ra: no atomicity", RA_AXIOMS, "&& read_coherence && atomicity", "&& read_coherence && (atomicity || true)"),
    mutant(
        "ra: no read coherence",
        RA_AXIOMS,
        "&& read_coherence && atomicity",
        "&& (read_coherence || true) && atomicity",
    ),
    mutant("ra: no write coherence", RA_AXIOMS, "&& write_coherence", "&& (write_coherence || true)"),
    mutant(
        "ra: plain reads synchronise",
        RA_AXIOMS,
        "|write, read| is_atomic(write) && is_atomic(read)",
        "|write, _| is_atomic(write)",
    ),
    mutant(
        "rc20: access leaves own views (Alg. 1.1)",
        RC20_MONITOR,
        "            self.columns.clear(state, row, x);\n",
        "            let _ = row;\n",
    ),
    mutant(
        "rc20: relaxed read acquires (Alg. 1.6)",
        RC20_MONITOR,
        "        if mode.acquires() {\n            narrow",
        "        {\n            narrow",
    ),
    mutant(
        "rc20: read leaves acquire view (Alg. 1.5)",
        RC20_MONITOR,
        "narrow(state, acquire, &self.location[x]);",
        "let _ = acquire;",
    ),
    mutant(
        "rc20: overwritten unseen (Alg. 1.9, 4.1)",
        RC20_MONITOR,
        "                for row in views.others(t, Some(x)) {\n                    row.insert(state, column);",
        "                for row in views.others(t, Some(x)) {\n                    row.remove(state, column);",
    ),
    mutant(
        "rc20: update hides from writers (Alg. 2.8)",
        RC20_MONITOR,
        "(step.kind == AttemptKind::Write).then_some(step.current)",
        "Some(step.current)",
    ),
    mutant(
        "rc20: acquire fence does nothing (Alg. 3.2)",
        RC20_MONITOR,
        "copy(state, &self.current[t], acquire);",
        "let _ = acquire;",
    ),
    mutant("rc20: release fence does nothing (Alg. 3.5)", RC20_MONITOR, "copy(state, release, &self.current[t]);", ""),
    mutant(
        "rc20: relaxed write releases (Alg. 4.6)",
        RC20_MONITOR,
        "if mode.releases() { &self.current[t] } else { self.released(t) }",
        "if mode.releases() || true { &self.current[t] } else { self.released(t) }",
    ),
    mutant(
        "rc20: no release sequences (Alg. 5.4)",
        RC20_MONITOR,
        "AttemptKind::Rmw => narrow(state, &self.location[x], from),",
        "AttemptKind::Rmw => copy(state, &self.location[x], from),",
    ),
    mutant("rc20: full fence does not acquire", RC20_MONITOR, "self.fence(state, thread, Mode::Acq);", ""),
    mutant("rc20: full fence does not release", RC20_MONITOR, "self.fence(state, thread, Mode::Rel);", ""),
    mutant("rc20: SC write unknown to its writer", RC20_MONITOR, "self.columns.clear(state, &views.own[t], x);", ""),
    mutant(
        "rc20: SC write ignores earlier SC accesses",
        RC20_MONITOR,
        "narrow(state, &views.own[t], &views.accesses[x]);",
        "",
    ),
    mutant(
        "rc20: SC access ignores happens-before",
        RC20_MONITOR,
        "            narrow(state, &views.own[t], &views.travelling.current[t]);\n        }\n        if step.kind",
        "        }\n        if step.kind",
    ),
    mutant(
        "rc20: SC order does not travel",
        RC20_MONITOR,
        "narrow(state, &views.travelling.location[x], &views.own[t]);",
        "",
    ),
    mutant(
        "rc20: SC order unasked",
        RC20_MONITOR,
        "(Mode::Sc, Some(ScViews { own, travelling, .. })) => {",
        "(Mode::Na, Some(ScViews { own, travelling, .. })) => {",
    ),
    mutant(
        "rc20: plain reads unseen by writers",
        RC20_MONITOR,
        "kind == PlainKind::Write || copy == thread;",
        "kind == PlainKind::Write && copy.0 < u32::MAX;",
    ),
    mutant(
        "rc20: plain write by one thread only",
        RC20_MONITOR,
        "kind == PlainKind::Write || copy == thread;",
        "copy == thread;",
    ),
    mutant("rc20: no release sequences in the axioms", RC20_AXIOMS, "then(&rf.plus())", "then(&rf)"),
    mutant(
        "rc20: no SC order in the axioms",
        RC20_AXIOMS,
        "&& no_thin_air && sc_accesses",
        "&& no_thin_air && (sc_accesses || true)",
    ),
    mutant(
        "rc20: tainted reads are believed",
        RC20_MONITOR,
        "self.read.tainted_read(state, t, x, step.mode);",
        "self.read.tainted_read(state, t, x, step.mode); self.read.step_views(state, t, step, None);",
    ),
    mutant("taint stays in its register", PRODUCT, "thread.set_taint(state, pc, thread.uses_taint(state, pc));", ""),
    mutant("decisions may be tainted", PRODUCT, "if thread.decides_by_taint(state, pc) {", "if false {"),
    mutant(
        "failed cas unchecked",
        PRODUCT_QUESTIONS,
        "may_fail_stale && holds(AttemptKind::Read, failing) || update(expected)",
        "update(expected)",
    ),
    mutant(
        "successful cas unchecked",
        PRODUCT_QUESTIONS,
        "may_fail_stale && holds(AttemptKind::Read, failing) || update(expected)",
        "may_fail_stale && holds(AttemptKind::Read, failing)",
    ),
    mutant(
        "strong cas fails like weak",
        PRODUCT_QUESTIONS,
        "(CasStrength::Strong, Some(c)) => Accepts::AllBut(c),",
        "(CasStrength::Strong, Some(_)) => Accepts::Any,",
    ),
    mutant(
        "wait accepts anything",
        PRODUCT_QUESTIONS,
        "holds(AttemptKind::Read, Accepts::Classes(&accepted))",
        "holds(AttemptKind::Read, Accepts::Any)",
    ),
    mutant(
        "blocked wait unchecked",
        PRODUCT_QUESTIONS,
        "holds(AttemptKind::Read, Accepts::Classes(&accepted))",
        "self.labels(state, access)?[0].is_some() && holds(AttemptKind::Read, Accepts::Classes(&accepted))",
    ),
    mutant(
        "races need two writes",
        PRODUCT_QUESTIONS,
        "(theirs == PlainKind::Write || kind == PlainKind::Write)",
        "(theirs == PlainKind::Write && kind == PlainKind::Write)",
    ),
    mutant("classes miss an edge", CLASSES, "[operand, operand.saturating_add(1)]", "[operand, operand]"),
    reduction(
        "search: the first finding is shown",
        SEARCH,
        "target[..] > greatest[..])",
        "target.len() > greatest.len())",
    ),
    reduction(
        "search: the first predecessor is taken",
        SEARCH,
        "greatest = Some(candidate.to_vec());",
        "return Some(candidate.to_vec());",
    ),
    reduction(
        "search: the first failure is shown",
        SEARCH,
        "is_none_or(|greatest| (&failure.0, failure.1) > (&greatest.0, greatest.1))",
        "is_none()",
    ),
    reduction(
        "store: what is known is expanded",
        STORE,
        "return Ok((Inserted::Again, id)),",
        "return Ok((Inserted::Old, id)),",
    ),
    reduction(
        "por: steps may be put off for ever",
        SEARCH,
        "inserted != Inserted::Old && piece.out.step(step).pure",
        "inserted != Inserted::Old || piece.out.step(step).pure",
    ),
    reduction(
        "por: a guess is ahead",
        SEARCH,
        "inserted != Inserted::Old && piece.out.step(step).pure",
        "inserted != Inserted::Old",
    ),
    reduction(
        "por: reads and writes are independent",
        AMPLE,
        "if reach.written & accessed != 0 || reach.accessed & written != 0 {",
        "if reach.written & accessed & written != 0 {",
    ),
    reduction("por: nobody is woken", AMPLE, "woken >> other & 1 == 0", "woken >> other & 1 == 2"),
    reduction(
        "por: threads do one step",
        AMPLE,
        "for &next in &thread.next[pc] {",
        "for &next in thread.next[pc].iter().take(0) {",
    ),
    reduction("por: disturbers are not disturbed", AMPLE, "while set != looked_at {", "while looked_at == 0 {"),
    reduction(
        "por: what lasting watches allow is not done",
        WATCHES,
        "self.current(state).is_some_and(|watched| watched.loc == loc && !watched.kind.is_lasting())",
        "self.current(state).is_some_and(|watched| watched.loc == loc)",
    ),
    section(
        "section: what it touches is forgotten",
        PRODUCT_SECTION,
        "touched.add(loc, !access.only_reads());",
        "let _ = (&touched, loc, access);",
    ),
    section(
        "section: what it writes is forgotten",
        PRODUCT_SECTION,
        "touched.add(loc, !access.only_reads());",
        "touched.add(loc, access.only_reads() && false);",
    ),
    section(
        "section: once blocked, always blocked",
        PRODUCT_SECTION,
        "*next = Next::BlockedSection",
        "*next = Next::Nothing",
    ),
    section(
        "section: what comes after a choice is not looked at",
        PRODUCT_SECTION,
        "(Ok(Some(_)), _) => return None,",
        "(Ok(Some(_)), _) => return Some(true),",
    ),
    section("section: only one way is gone", PRODUCT_SECTION, "None => open.push(fork),", "None => {}"),
    section(
        "section: one that fails leaves something behind",
        PRODUCT_SECTION,
        "self.begin_way(state, t, pc, way, out);",
        "self.begin_way(&way.state, t, pc, way, out);",
    ),
    section(
        "section: code beyond its beginning is not looked at",
        AMPLE,
        "!matches!(step, Step::Leave)",
        "!matches!(step, Step::Enter)",
    ),
    section("bound: nobody is told", PRODUCT, "return Some((site(t, pc), Stop::Bound));", "return None;"),
    reduction(
        "symmetry: registers stay",
        PRODUCT,
        ".chain(&thread.registers).chain(taints).copied();",
        ".chain(taints).copied();",
    ),
    reduction(
        "symmetry: what the monitor knows of threads stays",
        PRODUCT,
        "local.chain(rows(monitor, t)).collect()",
        "local.chain(rows(monitor, t).into_iter().take(0)).collect()",
    ),
    reduction(
        "symmetry: columns of threads stay",
        PRODUCT,
        "options.reductions.symmetry && !named",
        "options.reductions.symmetry && (!named || true)",
    ),
    reduction(
        "symmetry: code of equal length is equal",
        SYMMETRY,
        "== thread.registers.len() && same_code()",
        "== thread.registers.len() && (same_code() || true)",
    ),
    reduction(
        "private: two threads share a location",
        COMPILE,
        "owner[loc].is_none_or(|owner| owner == thread);",
        "owner[loc].is_none_or(|owner| owner == thread || true);",
    ),
    reduction(
        "dead registers: loops are looked at once",
        LIVENESS,
        "if !queued[previous] {",
        "if !queued[previous] && previous == usize::MAX {",
    ),
    reduction(
        "dead bits: of threads before their last access",
        PRODUCT,
        "if thread.pc.get(state) as usize >= thread.steps.len() {",
        "if thread.pc.get(state) as usize + 2 >= thread.steps.len() {",
    ),
    reduction(
        "watch: a plain read is the last one",
        WATCHES,
        "kind == WatchKind::After(PlainKind::Read) && access.only_reads();",
        "kind == WatchKind::After(PlainKind::Read) && !access.only_reads();",
    ),
    reduction(
        "watch: another class ends it",
        WATCHES,
        "lasting: updates || shape.classes[loc] > 1",
        "lasting: updates",
    ),
    reduction(
        "watch: an update ends it",
        WATCHES,
        "by == StaleKind::Write && accesses.iter().any(|access| access.kind.updates());",
        "by == StaleKind::Write && accesses.is_empty();",
    ),
    reduction(
        "watch: any value begins a better one",
        WATCHES,
        "qualifies && (class.is_none() || class == current)",
        "qualifies && (class.is_none() || class == current || true)",
    ),
    reduction(
        "watch: an update begins one",
        WATCHES,
        "StaleKind::Write => matches!(label, Label::Write { .. }),",
        "StaleKind::Write => label.is_write(),",
    ),
    reduction(
        "watch: a later write is the one to be aware of",
        HB_SC,
        "let renewed = !matches!(shape.watch, Watch::Stale { lasting: true, .. });",
        "let renewed = !matches!(shape.watch, Watch::Stale { lasting: true, loc, .. } if loc.index() == usize::MAX);",
    ),
    reduction(
        "watch: a failing cas has no use for it",
        WATCHES,
        "constant(expected) != Some(true)",
        "constant(expected) == Some(false)",
    ),
    reduction(
        "watch: an update that expects a register has no use for it",
        WATCHES,
        "constant(expected) != Some(false)",
        "constant(expected) == Some(true)",
    ),
    reduction(
        "watch: a weak cas does not fail",
        WATCHES,
        "AccessKind::Load(_) | AccessKind::Cas { strength: CasStrength::Weak, .. })",
        "AccessKind::Load(_))",
    ),
    reduction("watch: one class is not all", WATCHES, "(alone && asks_for_any(access, by)) ||", "(alone && false) ||"),
    reduction(
        "watch: a read does not race with the write before",
        PRODUCT_QUESTIONS,
        "loc == watched.loc && (first == PlainKind::Write || kind == PlainKind::Write);",
        "loc == watched.loc && (first == PlainKind::Write && kind == PlainKind::Write);",
    ),
    reduction(
        "watch: hope ends at any access",
        WATCHES,
        "return later && !(stop_at_fences && access.fence_location().is_some());",
        "return later && !stop_at_fences && access.fence_location().is_some();",
    ),
    reduction(
        "watch: hope ends at any fence",
        WATCHES,
        "let fenced = fence.is_some_and(|fence| self.monitor.is_passed_on(state, fence));",
        "let fenced = fence.is_some();",
    ),
    reduction(
        "watch: no hope behind another element",
        WATCHES,
        ".unwrap_or_else(|| thread.next[pc].iter().any(|&next| ahead[t].hope[next as usize])),",
        ".unwrap_or(false),",
    ),
    reduction(
        "watch: a store leaks nothing",
        WATCHES,
        "AccessKind::Store(..) => true,",
        "AccessKind::Store(..) => false,",
    ),
    reduction(
        "watch: a relaxed read leaks nothing",
        WATCHES,
        "reads && (!acquires(access.kind.read_mode()) || somewhere(|leaking| leaking.reads))",
        "reads && somewhere(|leaking| leaking.reads)",
    ),
    reduction(
        "watch: a relaxed write leaks nothing",
        WATCHES,
        "reads && (!acquires(access.kind.read_mode()) || somewhere(|leaking| leaking.reads))",
        "reads && !acquires(access.kind.read_mode())",
    ),
    reduction(
        "watch: an update learns nothing from reads",
        WATCHES,
        "leaking[loc].updates |= !releases || !only_updates;",
        "leaking[loc].updates |= !releases && !only_updates;",
    ),
    reduction(
        "watch: what has leaked is forgotten",
        WATCHES,
        "|| resting().any(leaks) || self.monitor.has_leaked(state))",
        "|| resting().any(leaks))",
    ),
    clock(
        "clock: a child starts where a joined thread ended",
        CLOCK_THREAD,
        "k: next(self.epoch()), n: self.writes()",
        "k: self.epoch(), n: self.writes()",
    ),
    clock(
        "clock: a slot forgets how many writes there were",
        CLOCK_THREAD,
        "n: self.writes(), generation: next(self.generation)",
        "n: 0, generation: next(self.generation)",
    ),
    clock(
        "clock: a slot starts its generations again",
        CLOCK_THREAD,
        "generation: next(self.generation) }",
        "generation: 1 }",
    ),
    clock(
        "clock: creating a thread ends no epoch",
        CLOCK_THREAD,
        "self.end_epoch();\n        child.placed(slot, epochs)",
        "child.placed(slot, epochs)",
    ),
    clock(
        "clock: an acquire fence teaches nothing",
        CLOCK_THREAD,
        "let learnt = self.c.join(&self.a);",
        "let learnt = self.c.clone().join(&self.a);",
    ),
    clock(
        "clock: a release fence ends no epoch",
        CLOCK_THREAD,
        "self.release_fence();\n            self.end_epoch();",
        "self.release_fence();",
    ),
    clock(
        "clock: an SC fence is no release fence",
        CLOCK_THREAD,
        "hidden.0.acquire(self);\n        self.release_fence();",
        "hidden.0.acquire(self);",
    ),
    clock(
        "clock: an SC fence learns nothing",
        CLOCK_THREAD,
        "hidden.0.acquire(self);",
        "hidden.0.clone().acquire(&mut self.clone());",
    ),
    clock(
        "clock: what is acquired is not news",
        CLOCK_THREAD,
        "let learnt = self.c.join(c) | self.sc.join(sc);",
        "let learnt = self.c.join(c) & self.sc.join(sc);",
    ),
    clock(
        "clock: a write has the number of the one before",
        CLOCK_THREAD,
        "self.n = next(self.writes());",
        "self.n = self.writes().max(1);",
    ),
    clock(
        "clock: synchronisation is not in hb_SC",
        CLOCK_SYNC,
        "t.acquire(&self.c, &self.sc);",
        "t.acquire(&self.c, &Clock::new());",
    ),
    clock("clock: release keeps what was there", CLOCK_SYNC, "self.c.assign(&t.c);", "self.c.join(&t.c);"),
    clock("clock: release and join forgets what was there", CLOCK_SYNC, "self.c.join(&t.c);", "self.c.assign(&t.c);"),
    clock(
        "clock: a read does not follow the write",
        CLOCK_LOCATION,
        "!self.history.newest().is_past(t) && t.sc.join(&self.w_sc)",
        "!self.history.newest().is_past(t) && t.sc.clone().join(&self.w_sc)",
    ),
    clock(
        "clock: a known write is followed only if new",
        CLOCK_LOCATION,
        "!self.history.newest().is_past(t) &&",
        "self.history.newest().is_past(t) &&",
    ),
    clock("clock: a write does not follow reads", CLOCK_LOCATION, "learnt |= t.sc.join(&self.readers_sc);", ""),
    clock(
        "clock: the second reader replaces the first",
        CLOCK_LOCATION,
        "self.readers_sc.join(&t.sc);",
        "self.readers_sc.assign(&t.sc);",
    ),
    clock(
        "clock: a repeated load keeps its number to itself",
        CLOCK_LOCATION,
        "self.readers_sc.set(t.slot(), n);",
        "let _ = n;",
    ),
    clock(
        "clock: a repeated load after a write keeps its number to itself",
        CLOCK_LOCATION,
        "else if self.w_sc.get(t.slot()) < n {",
        "else if self.w_sc.get(t.slot()) > n {",
    ),
    clock("clock: a repeated SC load is not in the SC order", CLOCK_LOCATION, "self.m_s().set(t.slot(), n);", ""),
    clock("clock: an SC load is not in the SC order", CLOCK_LOCATION, "self.m_s().join(&t.c.s);", ""),
    clock(
        "clock: an SC store does not follow SC accesses",
        CLOCK_LOCATION,
        "learnt |= self.m_s.as_ref().is_some_and(|m_s| t.c.s.join(m_s));",
        "",
    ),
    clock(
        "clock: an SC store is not in the SC order",
        CLOCK_LOCATION,
        "self.sc_is_released = order.is_sc();",
        "self.sc_is_released = false;",
    ),
    clock(
        "clock: an SC store has no number",
        CLOCK_LOCATION,
        "t.c.s.set(t.slot(), n);\n        }\n        self.release",
        "}\n        self.release",
    ),
    clock(
        "clock: an update does not acquire",
        CLOCK_LOCATION,
        "if rmw {\n            learnt |= self.synchronise(t, order);\n        }",
        "",
    ),
    clock("clock: a relaxed read is not for fences", CLOCK_LOCATION, "t.a.join(&self.w);", ""),
    clock(
        "clock: a relaxed update breaks the release sequence",
        CLOCK_LOCATION,
        "false if RMW && t.fenced() == (0, 0) => return,",
        "false if RMW && t.fenced() == (0, 0) => return self.w = View::default(),",
    ),
    clock(
        "clock: a store continues the release sequence",
        CLOCK_LOCATION,
        "let includes = !RMW || is_included();",
        "let includes = is_included();",
    ),
    clock(
        "clock: a relaxed store releases all",
        CLOCK_LOCATION,
        "false => (t.fenced(), &t.r),",
        "false => (t.fenced(), &t.c),",
    ),
    clock(
        "clock: a release store ends no epoch",
        CLOCK_LOCATION,
        "if order.releases() {\n            t.end_epoch();\n        }",
        "",
    ),
    clock(
        "clock: what a write teaches is not news",
        CLOCK_LOCATION,
        "t.learn(learnt);\n        // A store",
        "// A store",
    ),
    clock(
        "clock: what a load teaches is not news",
        CLOCK_LOCATION,
        "t.learn(learnt);\n        if !was_seen",
        "if !was_seen",
    ),
    clock("clock: sightings are not recorded", CLOCK_LOCATION, "self.history.record(t, limits);", ""),
    clock(
        "clock: an update leaves no gap even after a store",
        CLOCK_LOCATION,
        "self.history.last_store() <= visit.seen()",
        "self.history.last_store() <= visit.seen() + 1",
    ),
    clock(
        "clock: a load needs a gap",
        CLOCK_HISTORY,
        "matches!(self, Access::Store | Access::Rmw | Access::BlockingCas { .. })",
        "!matches!(self, Access::StrongCas { .. })",
    ),
    clock(
        "clock: an effect is taken for the other",
        CLOCK_VISITS,
        "self.0 & other.0 == other.0",
        "self.0 != 0 || other.0 == 0",
    ),
    clock(
        "clock: a visit covers whatever was learnt",
        CLOCK_VISITS,
        "self.generation == generation && self.seen() == newest",
        "self.seen() == newest",
    ),
    clock("clock: SC writes are before relaxed accesses too", CLOCK_HISTORY, "(sc_access && self.sc &&", "(self.sc &&"),
    clock("clock: all writes are in the SC order", CLOCK_HISTORY, "(sc_access && self.sc &&", "(sc_access &&"),
    clock(
        "clock: SC writes are before no access",
        CLOCK_HISTORY,
        "self.n <= t.c.s.get(self.writer))",
        "self.n < t.c.s.get(self.writer))",
    ),
    clock(
        "clock: the newest write is always in the past",
        CLOCK_HISTORY,
        "self.n <= t.sc.get(self.writer)",
        "self.n <= t.sc.get(self.writer) + 1",
    ),
    clock(
        "clock: who saw an entry counts for all",
        CLOCK_HISTORY,
        "sighting.entry == index && t.knows(sighting.slot, sighting.k)",
        "sighting.entry == index",
    ),
    clock(
        "clock: who saw an entry counts for none",
        CLOCK_HISTORY,
        "sighting.entry == index && t.knows(sighting.slot, sighting.k)",
        "sighting.entry != index",
    ),
    clock(
        "clock: a later sighting hides an earlier one of another epoch",
        CLOCK_HISTORY,
        "later.slot == slot && later.k == k",
        "later.slot == slot",
    ),
    clock(
        "clock: a sighting is dropped and older entries are not",
        CLOCK_HISTORY,
        "self.in_order().drain(..dropped);",
        "let _ = dropped;",
    ),
    clock(
        "clock: the entry before an update is open",
        CLOCK_HISTORY,
        "let is_open = || !self.entry(index + 1).rmw;",
        "let is_open = || !self.entry(index).rmw;",
    ),
    clock(
        "clock: a strong CAS fails on what it expects",
        CLOCK_HISTORY,
        "self.entry(index).value != expected,",
        "self.entry(index).value == expected,",
    ),
    clock(
        "clock: a failure has the order of success",
        CLOCK_HISTORY,
        "Some(self.cur(t, top, failure))",
        "Some(self.cur(t, top, if failure == order { failure } else { order }))",
    ),
    clock(
        "clock: a cut window is whole",
        CLOCK_HISTORY,
        "let cut = !known || failure.is_some_and(|(_, known)| !known);",
        "let cut = failure.is_some_and(|(_, known)| !known);",
    ),
    clock(
        "clock: dropping the past is no loss",
        CLOCK_HISTORY,
        "let Some(top) = self.top(t) else { return Finding::Cut };",
        "let Some(top) = self.top(t) else { return Finding::Clean };",
    ),
    clock(
        "clock: the newest store is forgotten with the others",
        CLOCK_HISTORY,
        "self.last_store.saturating_sub(by).max(1)",
        "self.last_store.saturating_sub(by)",
    ),
    cover(
        "cover: a configuration is overtaken by itself",
        COVER_SATURATE,
        "&& itself != Some(number)",
        "&& itself != Some(usize::MAX)",
    ),
    cover(
        "cover: an image leaves potentials with their owners",
        COVER_LOSRA,
        "self.symmetries[symmetry].threads.get(owner).copied().unwrap_or(owner)",
        "self.symmetries[0].threads.get(owner).copied().unwrap_or(owner)",
    ),
    cover(
        "cover: places are looked up as they are",
        COVER_AHEAD,
        "for permutation in &self.permutations {",
        "for permutation in &self.permutations[..1] {",
    ),
    cover(
        "cover: where more is unreadable, more can be read",
        COVER_AHEAD,
        "if sets.iter().any(|known| unreadable.contains(known)) {",
        "if sets.iter().any(|known| known.contains(unreadable)) {",
    ),
    cover(
        "cover: who makes the guessed write need not know of it",
        COVER_LOSRA,
        "if knows_not(potentials[thread]) {",
        "if false {",
    ),
    cover(
        "cover: plain reads race with nobody",
        COVER_QUESTION,
        "accessed == loc && matches!(self, Question::DataRace)",
        "accessed == loc && false",
    ),
    cover(
        "cover: a batch is not compared with itself",
        COVER_SATURATE,
        "if self.is_covered(fresh, &configuration, None) {",
        "if false {",
    ),
];

#[cfg(test)]
mod tests {
    use super::MUTANTS;
    use std::path::Path;

    /// Otherwise the list rots between two mutation runs.
    #[test]
    fn every_mutant_fits_the_sources() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        for mutant in MUTANTS {
            let text = std::fs::read_to_string(root.join(mutant.file)).expect("a source file");
            assert_eq!(text.matches(mutant.from).count(), 1, "{}: {}", mutant.name, mutant.from);
        }
    }
}
