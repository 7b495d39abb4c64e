//! `cargo xtask mutants`: a test suite that cannot fail proves nothing. Break
//! one rule at a time in a copy of the sources and expect the tests to notice.

use std::path::Path;
use std::process::Command;

struct Mutant {
    name: &'static str,
    file: &'static str,
    /// Must occur exactly once in the file.
    from: &'static str,
    to: &'static str,
}

const MONITOR: &str = "crates/fencepost-model/src/models/ra/monitor.rs";
const AXIOMS: &str = "crates/fencepost-model/src/models/ra.rs";
const PRODUCT: &str = "crates/fencepost-explore/src/product.rs";
const CLASSES: &str = "crates/fencepost-explore/src/classes.rs";

const fn mutant(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to }
}

const MUTANTS: &[Mutant] = &[
    mutant(
        "read-forgets-W_SC",
        MONITOR,
        "self.v_sc[t].set(state, i, v | w);",
        "self.v_sc[t].set(state, i, v & (v | w));",
    ),
    mutant("read-leaves-M_SC", MONITOR, "self.m_sc[x].set(state, i, m | v);", "self.m_sc[x].set(state, i, m);"),
    mutant("write-leaves-W_SC", MONITOR, "self.w_sc[x].set(state, i, known);", ""),
    mutant("write-leaves-M_SC", MONITOR, "self.m_sc[x].set(state, i, known);", ""),
    mutant("write-known-to-all", MONITOR, "if other != t {", "if other == usize::MAX {"),
    mutant("write-stays-in-M_SC", MONITOR, "self.m_sc[y].remove(state, x);", ""),
    mutant("write-stays-in-W_SC", MONITOR, "self.w_sc[y].remove(state, x);", ""),
    mutant(
        "narrow-by-union",
        MONITOR,
        "narrowed.get(state, i) & by.get(state, i)",
        "narrowed.get(state, i) | by.get(state, i)",
    ),
    mutant(
        "overwritten-unseen-by-threads",
        MONITOR,
        "filter(|&(other, _)| other != t)",
        "filter(|&(other, _)| other == t)",
    ),
    mutant("overwritten-unseen-by-writes", MONITOR, "filter(|&(z, _)| z != x)", "filter(|&(z, _)| z == x)"),
    mutant("writer-keeps-stale-values", MONITOR, "self.clear_location(state, &threads[t], x);", ""),
    mutant("write-passes-nothing-on", MONITOR, "Self::copy(state, &locations[x], &threads[t]);", ""),
    mutant("rmw-passes-nothing-on", MONITOR, "Self::copy(state, &self.w[x], &self.v[t]);", ""),
    mutant("rmw-passes-no-RMW-view-on", MONITOR, "Self::copy(state, &self.w_rmw[x], &self.v_rmw[t]);", ""),
    mutant("rmw-hides-no-value", MONITOR, "self.overwrite(state, &self.v, &self.w, t, x, current);", ""),
    mutant(
        "rmw-lets-others-in",
        MONITOR,
        "Self::copy(state, &self.w_rmw[x], &self.v_rmw[t]);",
        "Self::copy(state, &self.w_rmw[x], &self.v_rmw[t]); self.overwrite(state, &self.v_rmw, &self.w_rmw, t, x, current);",
    ),
    mutant("reads-use-V_RMW", MONITOR, "AttemptKind::Read => &self.v[t],", "AttemptKind::Read => &self.v_rmw[t],"),
    mutant(
        "writes-use-V",
        MONITOR,
        "AttemptKind::Write | AttemptKind::Rmw => &self.v_rmw[t],",
        "AttemptKind::Write | AttemptKind::Rmw => &self.v[t],",
    ),
    mutant("V_SC-not-asked", MONITOR, "if !self.v_sc[t].test(state, x) {", "if false {"),
    mutant("no-atomicity", AXIOMS, "&& read_coherence && atomicity", "&& read_coherence && (atomicity || true)"),
    mutant("no-read-coherence", AXIOMS, "&& read_coherence && atomicity", "&& (read_coherence || true) && atomicity"),
    mutant("no-write-coherence", AXIOMS, "&& write_coherence", "&& (write_coherence || true)"),
    mutant("plain-reads-synchronise", AXIOMS, "!graph.label(read).is_nonatomic()", "graph.label(read).is_read()"),
    mutant(
        "failed-cas-unchecked",
        PRODUCT,
        "stale(AttemptKind::Read, failing) || stale_update(expected)",
        "stale_update(expected)",
    ),
    mutant(
        "successful-cas-unchecked",
        PRODUCT,
        "stale(AttemptKind::Read, failing) || stale_update(expected)",
        "stale(AttemptKind::Read, failing)",
    ),
    mutant(
        "strong-cas-fails-like-weak",
        PRODUCT,
        "(CasStrength::Strong, Some(c)) => Accepts::AllBut(c),",
        "(CasStrength::Strong, Some(_)) => Accepts::Any,",
    ),
    mutant(
        "wait-accepts-anything",
        PRODUCT,
        "stale(AttemptKind::Read, Accepts::Classes(&accepted))",
        "stale(AttemptKind::Read, Accepts::Any)",
    ),
    mutant(
        "blocked-wait-unchecked",
        PRODUCT,
        "stale(AttemptKind::Read, Accepts::Classes(&accepted))",
        "self.labels(state, access)?[0].is_some() && stale(AttemptKind::Read, Accepts::Classes(&accepted))",
    ),
    mutant("races-need-two-writes", PRODUCT, "(writes || label.is_write())", "(writes && label.is_write())"),
    mutant("classes-miss-an-edge", CLASSES, "[operand, operand.saturating_add(1)]", "[operand, operand]"),
];

/// Where the tests are that must notice.
const JUDGES: &[&str] = &["-p", "fencepost-oracle", "-p", "fencepost-testkit"];

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let copy = Path::new("target/mutants/tree");
    let selected: Vec<&Mutant> = MUTANTS
        .iter()
        .filter(|mutant| arguments.is_empty() || arguments.iter().any(|name| name == mutant.name))
        .collect();
    copy_tree(copy)?;
    if !tests_pass(copy)? {
        return Err("the tests fail already without a mutation".into());
    }
    let mut survivors = Vec::new();
    for mutant in &selected {
        let path = copy.join(mutant.file);
        let original = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        if original.matches(mutant.from).count() != 1 {
            return Err(format!("mutant {}: its text does not occur exactly once in {}", mutant.name, mutant.file));
        }
        std::fs::write(&path, original.replace(mutant.from, mutant.to)).map_err(|error| error.to_string())?;
        let survived = tests_pass(copy)?;
        std::fs::write(&path, original).map_err(|error| error.to_string())?;
        println!("{:32} {}", mutant.name, if survived { "SURVIVED" } else { "caught" });
        if survived {
            survivors.push(mutant.name);
        }
    }
    println!("{} of {} mutants caught", selected.len() - survivors.len(), selected.len());
    if survivors.is_empty() { Ok(()) } else { Err(format!("not noticed: {}", survivors.join(", "))) }
}

/// Copies everything under version control, as it is in the work tree.
fn copy_tree(to: &Path) -> Result<(), String> {
    let listing = Command::new("git").args(["ls-files", "-z"]).output().map_err(|error| error.to_string())?;
    for name in String::from_utf8_lossy(&listing.stdout).split('\0').filter(|name| !name.is_empty()) {
        let target = to.join(name);
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).map_err(|error| error.to_string())?;
        }
        if Path::new(name).is_file() {
            std::fs::copy(name, &target).map_err(|error| format!("{name}: {error}"))?;
        }
    }
    Ok(())
}

/// Do the judging tests pass? A mutant that does not compile is an error of the list.
fn tests_pass(tree: &Path) -> Result<bool, String> {
    let cargo = |arguments: &[&str]| {
        Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()))
            .args(arguments)
            .args(JUDGES)
            .current_dir(tree)
            .env("CARGO_TARGET_DIR", "../target")
            .output()
            .map_err(|error| error.to_string())
    };
    let built = cargo(&["test", "--no-run", "--quiet"])?;
    if !built.status.success() {
        return Err(format!("does not compile:\n{}", String::from_utf8_lossy(&built.stderr)));
    }
    Ok(cargo(&["test", "--quiet"])?.status.success())
}
