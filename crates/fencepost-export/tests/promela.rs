//! What is exported, to the letter, and what is refused. That SPIN agrees with it is tested in
//! `xtask`.

use std::fs;
use std::path::Path;

use fencepost_export::promela::{Options, export};
use fencepost_ir::Program;
use fencepost_lower::Language;
use fencepost_model::models;
use fencepost_testkit::golden::assert_golden;

fn load(text: &str) -> Program {
    fencepost_lower::load(Language::Fp, text).program.expect("a program")
}

fn exported(program: &Program, model: &str, observational: bool) -> Result<String, String> {
    let model = models::by_name(model).expect("a model");
    export(program, model, Options { observational }).map_err(|error| error.to_string())
}

#[test]
fn exports_are_as_recorded() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (file, model, observational) in [
        ("classic/sb", "sc", false),
        ("classic/sb", "ra", false),
        ("classic/mp+na+wait", "ra", false),
        ("rc20/mp+na+rs-middle", "rc20", false),
        ("rc20/sb+sc-bcas", "rc20", false),
        ("rc20/mp+rlx-copy", "rc20", true),
        ("rc20/sb+sc+fence", "cpp20", false),
        ("rc20/iriw+sc-loads", "cpp20", true),
    ] {
        let text = fs::read_to_string(here.join(format!("../../litmus/{file}.fp"))).expect("a litmus test");
        let promela = exported(&load(&text), model, observational).expect("an export");
        let name = file.rsplit('/').next().unwrap_or_default();
        let suffix = if observational { "-observational" } else { "" };
        assert_golden(&here.join(format!("tests/promela/{name}.{model}{suffix}.pml")), &promela);
    }
}

#[test]
fn what_spin_cannot_express_is_refused() {
    let wide = "domain 2000000000; global x; thread t { local r; r = x.load(); x.store(r * r + 99999); }";
    assert!(exported(&load(wide), "sc", false).unwrap_err().contains("32 bits"));
    let choice = "domain 5000; global x; thread t { local r; r = nondet(0, 4999); x.store(r); }";
    assert!(exported(&load(choice), "ra", false).unwrap_err().contains("choice"));
    let many = "global x; thread t[300] { x.store(1); }";
    assert!(exported(&load(many), "ra", false).unwrap_err().contains("threads"));
    for unknown in ["atomic { x.store(1); }", "local r; r = x.load(); bound(r < 3);"] {
        let program = format!("global x; thread t {{ {unknown} }}");
        assert!(exported(&load(&program), "sc", false).unwrap_err().contains("atomic sections and bounds"));
    }
    let sb = "global x; thread t { x.store(1); }";
    assert!(exported(&load(sb), "sc", true).unwrap_err().contains("no observational version"));
}

#[test]
fn equal_programs_give_equal_texts() {
    let program = "domain 4; global x, y; thread t[3] { local r; while (r < 2) { r = x.fadd(me); y.store(r, rlx); } }";
    assert_eq!(exported(&load(program), "rc20", true), exported(&load(program), "rc20", true));
}
