//! What is exported, to the letter; that a compiler accepts it; and that it computes what the
//! source says.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fencepost_base::ids::RegId;
use fencepost_base::source::SourceFile;
use fencepost_export::c::{Options, export};
use fencepost_ir::{BinaryOp, CmpOp, Expr, Instr, Op, Origin, Program, ProgramBuilder, Register, UnaryOp};
use fencepost_lower::Language;
use fencepost_testkit::corpus;
use fencepost_testkit::golden::assert_golden;
use fencepost_testkit::random::Random;

fn exported(program: &Program, name: &str, text: &str) -> Result<String, String> {
    let source = SourceFile::new(name, text);
    export(program, &source, Options { steps: 1000 }).map_err(|error| error.to_string())
}

fn exported_text(text: &str) -> Result<String, String> {
    let program = fencepost_lower::load(Language::Fp, text).program.expect("a program");
    exported(&program, "test.fp", text)
}

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("a folder for temporary files");
    folder
}

fn compiler() -> Command {
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-pthread", "-Wall", "-Werror"]);
    // Programs may say `r == r`.
    cc.arg("-Wno-tautological-compare");
    cc.arg("-I").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../fencepost-runtime/include"));
    cc
}

fn succeed(command: &mut Command) -> Output {
    let output = command.output().expect("the command exists");
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Compiles a program and runs it with some seeds.
fn run(name: &str, c: &str, seeds: Range<u32>) -> Vec<Output> {
    let folder = folder(name);
    let (file, exe) = (folder.join("test.c"), folder.join("test"));
    fs::write(&file, c).expect("a writable folder");
    // Random expressions make no sense, and compilers say so: that there are no warnings is tested
    // on the corpus.
    succeed(compiler().args(["-DFP_MILLISECONDS=60000", "-w", "-o"]).arg(&exe).arg(&file));
    seeds.map(|seed| Command::new(&exe).arg(seed.to_string()).output().expect("the program")).collect()
}

fn run_once(name: &str, c: &str) -> Output {
    run(name, c, 0..1).remove(0)
}

#[test]
fn exports_are_as_recorded() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in ["classic/sb", "classic/mp+wait-ge", "classic/sb+cas", "algorithms/ticketlock", "algorithms/arc"] {
        let text = fs::read_to_string(here.join(format!("../../litmus/{file}.fp"))).expect("a litmus test");
        let program = fencepost_lower::load(Language::Fp, &text).program.expect("a program");
        let name = file.rsplit('/').next().unwrap_or_default();
        let c = exported(&program, &format!("{name}.fp"), &text).expect("an export");
        assert_golden(&here.join(format!("tests/c/{name}.c")), &c);
    }
}

#[test]
fn the_whole_corpus_compiles() {
    let folder = folder("corpus");
    let mut cc = compiler();
    cc.arg("-fsyntax-only");
    for entry in corpus::files() {
        let content = entry.read().expect("a program");
        if content.program.has_sections() || content.program.has_mixed_accesses() {
            continue;
        }
        let c = exported(&content.program, &entry.name, &content.text)
            .unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        let file = folder.join(entry.name.replace('/', "-") + ".c");
        fs::write(&file, c).expect("a writable folder");
        cc.arg(file);
    }
    succeed(&mut cc);
}

#[test]
fn exported_programs_end() {
    for (name, file) in
        [("run-sb", "classic/sb"), ("run-ticketlock", "algorithms/ticketlock4"), ("run-rcu", "algorithms/rcu")]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../litmus/{file}.fp"));
        let text = fs::read_to_string(path).expect("a litmus test");
        let output = run_once(name, &exported_text(&text).expect("an export"));
        assert_eq!(output.status.code(), Some(0), "{file}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn failures_name_the_line_of_the_source() {
    let fails = |name: &str, text: &str| {
        let output = run_once(name, &exported_text(text).expect("an export"));
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    let assertion = "global x;\nthread t {\n  local r;\n  r = x.load();\n\n  assert(r ==\n    1);\n}\n";
    assert_eq!(fails("assertion", assertion), "test.fp:6: failed: assert(r == 1)\n");
    let index = "global a[2];\nthread t {\n  local r = 2;\n  a[r].store(1);\n}\n";
    assert_eq!(fails("index", index), "test.fp:4: division by zero or index out of range: a[r].store(1)\n");
    let division = "global x;\nthread t {\n  local r;\n  r = 1 / r;\n}\n";
    assert_eq!(fails("division", division), "test.fp:4: division by zero or index out of range: r = 1 / r\n");
}

/// Updates in a loop that go round the domain several times, every result compared with the same on
/// registers.
#[test]
fn updates_wrap_around_as_in_the_source() {
    for domain in [2u32, 4, 64, 256, 1024, 1 << 16, 1 << 20, 1 << 31] {
        let mut body = String::new();
        for (operation, operator) in [("fadd", "+"), ("fsub", "-"), ("for", "|"), ("fand", "&"), ("fxor", "^")] {
            let operand = (0x9e37_79b9u32 >> operation.len()) % domain;
            body += &format!("    r = x.{operation}({operand}, rlx); assert(r == s); s = s {operator} {operand};\n");
        }
        body += "    r = x.cas(s, s + 1, acqrel, acq); assert(r == s); s = s + 1;\n";
        body += "    wait(x == s); x.bcas(s, s + 3); s = s + 3; r = x.load(); assert(r == s);\n";
        let text = format!(
            "domain {domain};\nglobal x;\nthread t {{\n  local r, s, i;\n  do {{\n{body}    i = i ^ 1;\n    r = nondet(0, 1);\n  }} while (r);\n}}\n"
        );
        let c = exported_text(&text).expect("an export");
        for output in run("updates", &c, 0..8) {
            assert_eq!(output.status.code(), Some(0), "domain {domain}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn what_c_cannot_express_is_refused() {
    let odd = "domain 3; global x; thread t { while (1) { x.fadd(1); } }";
    assert!(exported_text(odd).unwrap_err().contains("wrap around at 3"));
    let wide = "domain 2000000000; global x; thread t { local r; r = x.load(); x.store(int(r * r * r)); }";
    assert!(exported_text(wide).unwrap_err().contains("64 bits"));
    let failure = "global x; thread t { local r; r = x.cas(0, 1, rlx, acq); }";
    assert!(exported_text(failure).unwrap_err().contains("no stronger"));
    let section = "global x; thread t { atomic { x.store(1); x.store(2); } }";
    assert!(exported_text(section).unwrap_err().contains("atomic section"));
}

#[test]
fn names_of_c_are_left_alone() {
    let text = "global read, union, y1, fp_end, L0; nonatomic errno[2];\n\
                thread main { local NULL, read_t; NULL = read.load(); union.store(NULL); errno[read_t] = 1; }\n\
                thread exit { y1.store(1); fp_end.store(1); L0.store(1); }";
    let output = run_once("names", &exported_text(text).expect("an export"));
    assert_eq!(output.status.code(), Some(0));
}

/// A random expression.
fn expr(random: &mut Random, domain: u64, registers: usize, depth: usize) -> Expr {
    if depth == 0 || random.chance(20) {
        return match random.below(4) {
            0 => Expr::Const(random.below(70) as i64 - 3),
            1 => Expr::Const((random.bits() % domain) as i64),
            _ => Expr::Reg(RegId::from_index(random.below(registers))),
        };
    }
    let operators = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::BitAnd,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
        BinaryOp::Shl,
        BinaryOp::Shr,
        BinaryOp::Cmp(CmpOp::Lt),
        BinaryOp::Cmp(CmpOp::Ne),
        BinaryOp::And,
        BinaryOp::Or,
    ];
    let mut operand = || Box::new(expr(random, domain, registers, depth - 1));
    let (left, right) = (operand(), operand());
    match random.below(6) {
        0 => Expr::Unary(random.pick(&[UnaryOp::Neg, UnaryOp::Not, UnaryOp::BitNot]), left),
        1 => Expr::Wrap(left),
        _ => Expr::Binary(random.pick(&operators), left, right),
    }
}

/// Thousands of expressions give in C what the interpreter says, unless they are refused.
#[test]
fn expressions_mean_the_same() {
    let (mut kept, mut refused) = (0, 0);
    for domain in [2, 5, 8, 256, 1000, 1 << 16, 100_000, 1 << 31] {
        let mut random = Random::new(domain);
        let inits: Vec<u32> = (0..4).map(|_| (random.bits() % domain) as u32).collect();
        let registers: Vec<Register> =
            inits.iter().enumerate().map(|(r, &init)| Register { name: format!("r{r}"), init }).collect();
        let program = |conditions: &[Expr]| {
            let ops = conditions.iter().map(|cond| Op::Assert { cond: cond.clone() }).chain([Op::Halt]);
            let code = ops.map(|op| Instr { op, origin: Origin::default() }).collect();
            let mut builder = ProgramBuilder::new(None, domain);
            builder.thread("t", registers.clone(), code);
            builder.build().expect("a program")
        };
        let mut conditions = Vec::new();
        while conditions.len() < 500 {
            let expr = expr(&mut random, domain, inits.len(), 3);
            let Ok(result) = expr.eval(&inits, domain) else { continue };
            let condition = Expr::Binary(BinaryOp::Cmp(CmpOp::Eq), Box::new(expr), Box::new(Expr::Const(result)));
            match exported(&program(std::slice::from_ref(&condition)), "", "") {
                Ok(_) => conditions.push(condition),
                Err(_) => refused += 1,
            }
        }
        kept += conditions.len();
        let c = exported(&program(&conditions), "", "").expect("an export");
        let output = run_once("expressions", &c);
        assert_eq!(output.status.code(), Some(0), "domain {domain}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(refused < kept, "{refused} of {} expressions were refused", refused + kept);
}
