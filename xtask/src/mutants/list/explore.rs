//! The explorer: monitors put to use, reductions.

use super::{Mutant, disk, mixed, mutant, onward, reduction, section};

const PRODUCT: &str = "crates/fencepost-explore/src/product.rs";
const PRODUCT_AHEAD: &str = "crates/fencepost-explore/src/product/ahead.rs";
const PRODUCT_ONWARD: &str = "crates/fencepost-explore/src/product/onward.rs";
const PRODUCT_QUESTIONS: &str = "crates/fencepost-explore/src/product/questions.rs";
const PRODUCT_SECTION: &str = "crates/fencepost-explore/src/product/section.rs";
const CLASSES: &str = "crates/fencepost-analysis/src/classes.rs";
const COMPILE: &str = "crates/fencepost-explore/src/compile.rs";
const LIVENESS: &str = "crates/fencepost-analysis/src/liveness.rs";
const DISK: &str = "crates/fencepost-explore/src/disk.rs";
const SEARCH: &str = "crates/fencepost-explore/src/search.rs";
const SEARCH_CHECKPOINT: &str = "crates/fencepost-explore/src/search/checkpoint.rs";
const SEARCH_DELAYED: &str = "crates/fencepost-explore/src/search/delayed.rs";
const SEARCH_MEMORY: &str = "crates/fencepost-explore/src/search/memory.rs";
const SEARCH_PATH: &str = "crates/fencepost-explore/src/search/path.rs";
const STORE: &str = "crates/fencepost-explore/src/store.rs";
const AMPLE: &str = "crates/fencepost-explore/src/ample.rs";
const SYMMETRY: &str = "crates/fencepost-explore/src/symmetry.rs";
const WATCHES: &str = "crates/fencepost-explore/src/watches.rs";

pub(super) const MUTANTS: &[Mutant] = &[
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
        "state[..] > greatest[..])",
        "state.len() > greatest.len())",
    ),
    reduction(
        "search: the first predecessor is taken",
        SEARCH_PATH,
        "if greatest.as_ref().is_some_and(|greatest| greatest[..] >= *candidate) {",
        "if greatest.is_some() {",
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
        SEARCH_MEMORY,
        "inserted != Inserted::Old && piece.out.step(step).pure",
        "inserted != Inserted::Old || piece.out.step(step).pure",
    ),
    reduction(
        "por: a guess is ahead",
        SEARCH_MEMORY,
        "inserted != Inserted::Old && piece.out.step(step).pure",
        "inserted != Inserted::Old",
    ),
    disk(
        "disk: a guess is ahead",
        SEARCH_DELAYED,
        "piece.out.step(step).pure && !done.contains(number)",
        "!done.contains(number)",
    ),
    disk(
        "disk: steps may be put off for ever",
        DISK,
        "if about != 0 && last.as_ref().is_some_and(|(_, is_old)| !is_old) {",
        "if about != 0 {",
    ),
    disk(
        "disk: only the last run is looked into",
        DISK,
        "for cursor in known.iter_mut().rev() {",
        "for cursor in known.iter_mut().rev().take(1) {",
    ),
    disk(
        "disk: blocks may be damaged",
        "crates/fencepost-runs/src/block.rs",
        "match head(offset, count, payload) == *found && count > 0 {",
        "match count > 0 {",
    ),
    disk(
        "checkpoint: layers are not safe yet",
        SEARCH_CHECKPOINT,
        "for run in &layers[checkpoint.safe..] {",
        "for run in &layers[layers.len()..] {",
    ),
    disk(
        "checkpoint: steps of earlier processes do not count",
        SEARCH_CHECKPOINT,
        "so_far.transitions = words.number()?,",
        "_ = words.number::<u64>()?,",
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
        "local.chain(rows(monitors, t)).collect()",
        "local.chain(rows(monitors, t).into_iter().take(0)).collect()",
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
        "(thread.registers.len(), code)",
        "(thread.registers.len(), code.len())",
    ),
    reduction(
        "private: two threads share a location",
        COMPILE,
        "(Owner::One(one), Owner::One(other)) if one == other => self,",
        "(Owner::One(_), Owner::One(_)) => self,",
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
        "WatchKind::After(PlainKind::Read, _) => !surely || access.only_reads(),",
        "WatchKind::After(PlainKind::Read, _) => !surely || !access.only_reads(),",
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
        "let conflicts = first == PlainKind::Write || label.is_write();",
        "let conflicts = label.is_write();",
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
    mixed(
        "mixed: accesses to the location still tell something",
        WATCHES,
        "is_mixed: true, .. }) => visit(Meaning::Step)",
        "is_mixed: true, .. }) => visit(Meaning::Silent)",
    ),
    mixed("mixed: a plain access races with atomic ones", WATCHES, "access.how() == Mixed::Plain;", "false;"),
    mixed(
        "mixed: the first access is one that others may not know",
        PRODUCT,
        "if begins && access.mixed.is_some() {",
        "if begins && access.mixed.is_none() {",
    ),
    onward(
        "onward: the value is the new one",
        PRODUCT_ONWARD,
        "onward.value.set(state, self.memory[loc.index()].get(state));",
        "onward.value.set(state, u64::from(label.value_written().unwrap_or(0)));",
    ),
    onward(
        "onward: what a stale step writes is seen",
        PRODUCT_ONWARD,
        "onward.strayed.set(after, 1);",
        "self.update(after, access, &label);\n            onward.strayed.set(after, 1);",
    ),
    onward(
        "onward: a stale step acquires from the last write",
        PRODUCT_ONWARD,
        "onward.passes_on.get(after) == 1",
        "race.monitor.is_passed_on(after, write.loc)",
    ),
    onward("onward: a stale step acquires nothing", PRODUCT_ONWARD, "onward.passes_on.get(after) == 1", "false"),
    onward(
        "onward: whatever is overwritten passes it on",
        PRODUCT_ONWARD,
        "race.is_some_and(|race| race.monitor.is_passed_on(state, loc));",
        "race.is_some();",
    ),
    onward(
        "onward: a stale step is pure",
        PRODUCT_ONWARD,
        "self.finish(out, site, stopped, false, false, trace);",
        "self.finish(out, site, stopped, false, true, trace);",
    ),
    onward(
        "onward: later writes are followed, too",
        PRODUCT_ONWARD,
        "watched.monitor.step(state, thread, &step(OTHER));",
        "watched.monitor.step(state, thread, &step(FOLLOWED));",
    ),
    onward(
        "onward: a second stale step",
        PRODUCT_ONWARD,
        "if write.is_some() || onward.has_strayed(state) {",
        "if write.is_some() {",
    ),
    onward(
        "onward: any write can be used",
        PRODUCT_ONWARD,
        "if !write.monitor.violated(state, thread, &attempt) {",
        "if attempt.loc != write.loc {",
    ),
    onward(
        "onward: nothing has strayed",
        PRODUCT_ONWARD,
        "self.strayed.get(state) == 1",
        "self.strayed.get(state) > 1",
    ),
    onward(
        "onward: who is blocked takes no stale step",
        PRODUCT_AHEAD,
        "&& onward.may_stray_at(state, loc)",
        "&& onward.may_stray_at(state, loc)\n            && !matches!(self.labels(state, access), Ok([None, None]))",
    ),
    onward(
        "onward: only loads use it",
        WATCHES,
        "WatchKind::Overwritten(StaleKind::Read) => access.reads(),",
        "WatchKind::Overwritten(StaleKind::Read) => matches!(access.kind, AccessKind::Load(_)),",
    ),
    onward(
        "onward: only stores use it",
        WATCHES,
        "!access.only_reads() && access.fence_location().is_none(),",
        "matches!(access.kind, AccessKind::Store(..)),",
    ),
    onward(
        "onward: what fails under SC is told again",
        SEARCH,
        "!(key.strayed && known.contains(&Key { strayed: false, ..*key }));",
        "!(key.strayed && known.is_empty());",
    ),
];
