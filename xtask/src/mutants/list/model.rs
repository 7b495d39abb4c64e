//! Axioms and monitors.

use super::{Mutant, buffers, cpp20, mixed, mutant, onward, reduction};

const BUFFER_AXIOMS: &str = "crates/fencepost-model/src/models/buffers.rs";
const GRAPH: &str = "crates/fencepost-model/src/graph.rs";
const HB_SC: &str = "crates/fencepost-model/src/tracker.rs";
const RA_MONITOR: &str = "crates/fencepost-model/src/models/ra/monitor.rs";
const RA_AXIOMS: &str = "crates/fencepost-model/src/models/ra.rs";
const C11: &str = "crates/fencepost-model/src/models/c11.rs";
const C11_MONITOR: &str = "crates/fencepost-model/src/models/c11/monitor.rs";
const C11_VIEWS: &str = "crates/fencepost-model/src/models/c11/views.rs";
const RC20_MONITOR: &str = "crates/fencepost-model/src/models/rc20/monitor.rs";
const RC20_AXIOMS: &str = "crates/fencepost-model/src/models/rc20.rs";

pub(super) const MUTANTS: &[Mutant] = &[
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
        "sections: others step in between",
        GRAPH,
        "(is_without_sections() || rel.contracted(|id| self.section(id)).is_acyclic())",
        "(is_without_sections() || !rel.contracted(|id| id).is_irreflexive() || rel.is_acyclic())",
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
        C11_MONITOR,
        "            self.columns.clear(state, row, x);\n",
        "            let _ = row;\n",
    ),
    mutant(
        "rc20: relaxed read acquires (Alg. 1.6)",
        C11_VIEWS,
        "        if mode.acquires() {\n            narrow",
        "        {\n            narrow",
    ),
    mutant(
        "rc20: read leaves acquire view (Alg. 1.5)",
        C11_VIEWS,
        "narrow(state, acquire, &self.location[x]);",
        "let _ = acquire;",
    ),
    mutant(
        "rc20: overwritten unseen (Alg. 1.9, 4.1)",
        C11_MONITOR,
        "                for row in views.others(t, Some(x)) {\n                    row.insert(state, column);",
        "                for row in views.others(t, Some(x)) {\n                    row.remove(state, column);",
    ),
    mutant(
        "rc20: update hides from writers (Alg. 2.8)",
        C11_MONITOR,
        "(step.kind == AttemptKind::Write).then_some(step.current)",
        "Some(step.current)",
    ),
    mutant(
        "rc20: acquire fence does nothing (Alg. 3.2)",
        C11_VIEWS,
        "copy(state, &self.current[t], acquire);",
        "let _ = acquire;",
    ),
    mutant("rc20: release fence does nothing (Alg. 3.5)", C11_VIEWS, "copy(state, release, &self.current[t]);", ""),
    mutant(
        "rc20: relaxed write releases (Alg. 4.6)",
        C11_VIEWS,
        "if mode.releases() { &self.current[t] } else { self.released(t) }",
        "if mode.releases() || true { &self.current[t] } else { self.released(t) }",
    ),
    mutant(
        "rc20: no release sequences (Alg. 5.4)",
        C11_VIEWS,
        "AttemptKind::Rmw => narrow(state, &self.location[x], from),",
        "AttemptKind::Rmw => copy(state, &self.location[x], from),",
    ),
    mutant("rc20: full fence does not acquire", C11_MONITOR, "self.fence(state, thread, Mode::Acq);", ""),
    mutant("rc20: full fence does not release", C11_MONITOR, "self.fence(state, thread, Mode::Rel);", ""),
    mutant("rc20: SC write unknown to its writer", RC20_MONITOR, "columns.clear(state, &self.own[t], x);", ""),
    mutant(
        "rc20: SC write ignores earlier SC accesses",
        RC20_MONITOR,
        "narrow(state, &self.own[t], &self.accesses[x]);",
        "",
    ),
    mutant(
        "rc20: SC access ignores happens-before",
        RC20_MONITOR,
        "            narrow(state, &self.own[t], &self.travelling.current[t]);\n        }\n        if step.kind",
        "        }\n        if step.kind",
    ),
    mutant(
        "rc20: SC order does not travel",
        RC20_MONITOR,
        "narrow(state, &self.travelling.location[x], &self.own[t]);",
        "",
    ),
    mutant("rc20: SC order unasked", RC20_MONITOR, "(mode == Mode::Sc).then(of_sc)", "(mode == Mode::Na).then(of_sc)"),
    mutant(
        "rc20: plain reads unseen by writers",
        C11_VIEWS,
        "kind == PlainKind::Write || copy == thread;",
        "kind == PlainKind::Write && copy.0 < u32::MAX;",
    ),
    mutant(
        "rc20: plain write by one thread only",
        C11_VIEWS,
        "kind == PlainKind::Write || copy == thread;",
        "copy == thread;",
    ),
    mutant("rc20: no release sequences in the axioms", C11, "then(&rf.plus())", "then(&rf)"),
    mutant(
        "rc20: no SC order in the axioms",
        RC20_AXIOMS,
        "&& no_thin_air && sc_accesses",
        "&& no_thin_air && (sc_accesses || true)",
    ),
    mutant(
        "rc20: tainted reads are believed",
        C11_MONITOR,
        "        for sc in self.families().into_iter().filter_map(|family| family.sc.as_ref()) {",
        "        self.read.step_views(state, t, step, None);\n        for sc in self.families().into_iter().filter_map(|family| family.sc.as_ref()) {",
    ),
    reduction(
        "watch: a later write is the one to be aware of",
        HB_SC,
        "let renewed = !matches!(shape.watch, Watch::Stale { lasting: true, .. });",
        "let renewed = !matches!(shape.watch, Watch::Stale { lasting: true, loc, .. } if loc.index() == usize::MAX);",
    ),
    cpp20(
        "cpp20: what comes before an access is pending",
        "pending.mine(t).for_each(|row| narrow(state, row, coherent));",
        "",
    ),
    cpp20("cpp20: an sc access comes after what is coherence-ordered before", "narrow(state, &own[t], coherent);", ""),
    cpp20("cpp20: an sc access visits what it accesses", "columns.clear(state, &own[t], x);", ""),
    cpp20("cpp20: accesses pass on what fences have ordered", "narrow(state, &self.all[x], &ordered.current[t]);", ""),
    cpp20("cpp20: sc accesses pass on what they come after", "narrow(state, &self.all[x], &own[t]);", ""),
    cpp20(
        "cpp20: an sc access comes after what is strongly before",
        "narrow(state, &own[t], &strongly.current[t]);",
        "",
    ),
    cpp20(
        "cpp20: a release write publishes the sc accesses before it",
        "narrow(state, &strongly.location[x], &own[t]);",
        "",
    ),
    cpp20("cpp20: a fence comes after what happens before it", "narrow(state, row, current);", ""),
    cpp20("cpp20: a fence comes after what is pending", "narrow(state, row, &pending.current[t]);", ""),
    cpp20("cpp20: a release fence publishes the sc accesses before it", "narrow(state, release, &own[t]);", ""),
    cpp20("cpp20: a write comes after all accesses", "copy(state, &self.written[x], &self.all[x]);", ""),
    cpp20(
        "cpp20: a read does not come after other reads",
        "if writes { &self.all[x] } else { &self.written[x] }",
        "&self.all[x]",
    ),
    mixed(
        "mixed: what is acquired orders the access that acquires it",
        C11_MONITOR,
        "!acquires || message.test(state, column)",
        "message.test(state, column) || !acquires || true",
    ),
    onward(
        "onward: a relaxed stale read acquires",
        C11_VIEWS,
        "let current = mode.acquires().then_some(&self.current[t]);",
        "let current = Some(&self.current[t]);",
    ),
];
