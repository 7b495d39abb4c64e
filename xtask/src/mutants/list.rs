//! The list of mutants: which rule, in which file, how broken.

/// A way to break the project.
pub(super) struct Mutant {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    /// Occurs exactly once in the file.
    pub(super) from: &'static str,
    pub(super) to: &'static str,
}

const HB_SC: &str = "crates/fencepost-model/src/tracker.rs";
const RA_MONITOR: &str = "crates/fencepost-model/src/models/ra/monitor.rs";
const RA_AXIOMS: &str = "crates/fencepost-model/src/models/ra.rs";
const RC20_MONITOR: &str = "crates/fencepost-model/src/models/rc20/monitor.rs";
const RC20_AXIOMS: &str = "crates/fencepost-model/src/models/rc20.rs";
const PRODUCT: &str = "crates/fencepost-explore/src/product.rs";
const CLASSES: &str = "crates/fencepost-explore/src/classes.rs";

const fn mutant(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to }
}

pub(super) const MUTANTS: &[Mutant] = &[
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
    mutant("hb_SC: write stays in M_SC", HB_SC, "self.m[y].remove(state, x);", ""),
    mutant("hb_SC: write stays in W_SC", HB_SC, "self.w[y].remove(state, x);", ""),
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
    mutant("ra: writer keeps stale values", RA_MONITOR, "self.columns.clear(state, &threads[t], x);", ""),
    mutant("ra: write passes nothing on", RA_MONITOR, "copy(state, &locations[x], &threads[t]);", ""),
    mutant("ra: rmw passes nothing on", RA_MONITOR, "copy(state, &self.w[x], &self.v[t]);", ""),
    mutant("ra: rmw passes no RMW view on", RA_MONITOR, "copy(state, &self.w_rmw[x], &self.v_rmw[t]);", ""),
    mutant("ra: rmw hides no value", RA_MONITOR, "self.overwrite(state, &self.v, &self.w, t, x, step.current);", ""),
    mutant(
        "ra: rmw lets others in",
        RA_MONITOR,
        "copy(state, &self.w_rmw[x], &self.v_rmw[t]);",
        "copy(state, &self.w_rmw[x], &self.v_rmw[t]); self.overwrite(state, &self.v_rmw, &self.w_rmw, t, x, step.current);",
    ),
    mutant(
        "ra: reads use V_RMW",
        RA_MONITOR,
        "AttemptKind::Read => &self.v[t],",
        "AttemptKind::Read => &self.v_rmw[t],",
    ),
    mutant(
        "ra: writes use V",
        RA_MONITOR,
        "AttemptKind::Write | AttemptKind::Rmw => &self.v_rmw[t],",
        "AttemptKind::Write | AttemptKind::Rmw => &self.v[t],",
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
        "!graph.label(read).is_nonatomic()",
        "graph.label(read).is_read()",
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
    mutant("rc20: SC order unasked", RC20_MONITOR, "(Mode::Sc, Some(sc)) => {", "(Mode::Na, Some(sc)) => {"),
    mutant(
        "rc20: plain reads unseen by writers",
        RC20_MONITOR,
        "kind == PlainKind::Write || copy == thread {",
        "kind == PlainKind::Write {",
    ),
    mutant(
        "rc20: plain write by one thread only",
        RC20_MONITOR,
        "copies.any(|&(copy, column)| (kind == PlainKind::Write || copy == thread)",
        "copies.any(|&(copy, column)| copy == thread",
    ),
    mutant("rc20: no release sequences in the axioms", RC20_AXIOMS, "graph.rf().plus()", "graph.rf()"),
    mutant(
        "rc20: no SC order in the axioms",
        RC20_AXIOMS,
        "&& no_thin_air && sc_accesses",
        "&& no_thin_air && (sc_accesses || true)",
    ),
    mutant(
        "rc20: tainted reads are believed",
        RC20_MONITOR,
        "        self.hb_sc.read(state, t, x);\n        // Stale",
        "        self.hb_sc.read(state, t, x);\n        self.step_views(&self.read, state, t, step, None);\n        // Stale",
    ),
    mutant("taint stays in its register", PRODUCT, "thread.set_taint(state, pc, thread.uses_taint(state, pc));", ""),
    mutant("decisions may be tainted", PRODUCT, "if thread.decides_by_taint(state, pc) {", "if false {"),
    mutant(
        "failed cas unchecked",
        PRODUCT,
        "may_fail_stale && stale(AttemptKind::Read, failing) || stale_update(expected)",
        "stale_update(expected)",
    ),
    mutant(
        "successful cas unchecked",
        PRODUCT,
        "may_fail_stale && stale(AttemptKind::Read, failing) || stale_update(expected)",
        "may_fail_stale && stale(AttemptKind::Read, failing)",
    ),
    mutant(
        "strong cas fails like weak",
        PRODUCT,
        "(CasStrength::Strong, Some(c)) => Accepts::AllBut(c),",
        "(CasStrength::Strong, Some(_)) => Accepts::Any,",
    ),
    mutant(
        "wait accepts anything",
        PRODUCT,
        "stale(AttemptKind::Read, Accepts::Classes(&accepted))",
        "stale(AttemptKind::Read, Accepts::Any)",
    ),
    mutant(
        "blocked wait unchecked",
        PRODUCT,
        "stale(AttemptKind::Read, Accepts::Classes(&accepted))",
        "self.labels(state, access)?[0].is_some() && stale(AttemptKind::Read, Accepts::Classes(&accepted))",
    ),
    mutant(
        "races need two writes",
        PRODUCT,
        "(theirs == PlainKind::Write || kind == PlainKind::Write)",
        "(theirs == PlainKind::Write && kind == PlainKind::Write)",
    ),
    mutant("classes miss an edge", CLASSES, "[operand, operand.saturating_add(1)]", "[operand, operand]"),
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
