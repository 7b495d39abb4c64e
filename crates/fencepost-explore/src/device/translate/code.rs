//! Threads as functions: local steps, labels of accesses, the stale writes that they could use, and
//! what the common part of the text calls.

use std::fmt::Write;

use fencepost_analysis::interpreter::MOST_CHOICES;
use fencepost_base::order::Mode;
use fencepost_ir::{BinaryOp, CasStrength, CmpOp, RmwFunction, UnaryOp};
use fencepost_model::AttemptKind;
use fencepost_model::packed::Slot;

use super::{FENCES, Translator, place};
use crate::compile::{Access, AccessKind, Code, Step, Target};

/// An expression for a field of `s`.
pub(super) fn get(slot: Slot) -> String {
    let [word, shift, mask] = place(slot);
    format!("((s).w[{word}] >> {shift} & {mask}ull)")
}

/// A statement that sets a field.
pub(super) fn set(state: &str, slot: Slot, value: &str) -> String {
    let [word, shift, mask] = place(slot);
    let target = format!("({state}).w[{word}]");
    format!("({target} = ({target} & ~({mask}ull << {shift})) | (((u64)({value}) & {mask}ull) << {shift}));")
}

/// What an instruction of a thread is called.
struct Here {
    t: usize,
    pc: usize,
}

impl Here {
    fn name(&self, what: &str) -> String {
        format!("{what}_{}_{}", self.t, self.pc)
    }
}

/// Threads as functions.
impl Translator<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        self.code += line.as_ref();
        self.code += "\n";
    }

    /// The functions of one thread.
    pub(super) fn thread(&mut self, t: usize) {
        let thread = &self.product.threads()[t];
        for (pc, step) in thread.steps.iter().enumerate() {
            if let Step::Access(access) = step {
                self.labels(&Here { t, pc }, access);
                self.attempts(&Here { t, pc }, access);
            }
        }
        self.run_local(t);
    }

    /// The local steps of a thread up to where it rests; why it stops, and where.
    fn run_local(&mut self, t: usize) {
        let thread = &self.product.threads()[t];
        self.line(format!("FN u32 run_{t}(const Out& o, S& s, u64 pc, u64& at) {{"));
        self.line("    bool zero = false;");
        self.line(format!("    for (u32 step = 0; step < {}; step++) {{", crate::product::LONGEST_LOCAL_RUN));
        self.line("        switch (pc) {");
        let fail = |kind: &str| format!("{{ at = pc; stop(o, s, {t}); return {kind}; }}");
        let division = format!("if (zero) {}", fail("DIVISION"));
        for (pc, step) in thread.steps.iter().enumerate() {
            let next = pc + 1;
            let body = match step {
                Step::Assign(dst, code) => format!(
                    "{{ i64 v = {}; {division} {} pc = {next}; continue; }}",
                    self.expr(code),
                    set("s", *dst, "v")
                ),
                Step::Jump(target) => format!("pc = {target}; continue;"),
                Step::Branch(code, target) => {
                    format!("{{ i64 v = {}; {division} pc = v ? {target} : {next}; continue; }}", self.expr(code))
                }
                Step::Skip | Step::Verify => format!("pc = {next}; continue;"),
                Step::Fence(mode) => {
                    let number = FENCES.iter().position(|fence| fence == mode).expect("a fence has such an order");
                    let tell = match self.watches {
                        Some(_) => format!(
                            "if (WATCH(s)) change(o, s, DATA(D_FENCES + (WATCHED(WATCH(s))[GROUP] * T + {t}) * {} + {number}));",
                            FENCES.len()
                        ),
                        None => String::new(),
                    };
                    format!("{tell} pc = {next}; continue;")
                }
                Step::Assume(code) => format!(
                    "{{ i64 v = {}; {division} if (!v) {{ stop(o, s, {t}); return RUNS_ON; }} pc = {next}; continue; }}",
                    self.expr(code)
                ),
                Step::Assert(code) => format!(
                    "{{ i64 v = {}; {division} if (!v) {} pc = {next}; continue; }}",
                    self.expr(code),
                    fail("ASSERTION")
                ),
                Step::Bound(code) => format!(
                    "{{ i64 v = {}; {division} if (!v) {} pc = {next}; continue; }}",
                    self.expr(code),
                    fail("BOUND")
                ),
                Step::Halt => format!("stop(o, s, {t}); return RUNS_ON;"),
                Step::Access(access) if access.private => {
                    let here = Here { t, pc };
                    format!(
                        "{{ Label l[2]; u32 count = 0; u32 bad = {}(o, s, l, count); if (bad) {} \
                         if (count != 1) break; {}(o, s, l[0]); pc = {next}; continue; }}",
                        here.name("labels"),
                        fail("bad"),
                        here.name("update")
                    )
                }
                Step::Choose(_) | Step::Nondet(..) | Step::Access(_) | Step::Enter | Step::Leave => continue,
            };
            self.line(format!("        case {pc}: {body}"));
        }
        self.line("        }\n        break;\n    }");
        self.line(format!("    {}", set("s", thread.pc, "pc")));
        self.line(format!("    const u64* dead = o.data + D_DEAD + (DATA(D_FIRSTS + {t}) + pc) * W;"));
        self.line("    for (u32 i = 0; i < W; i++) s.w[i] &= ~dead[i];");
        self.line("    return RUNS_ON;\n}");
    }

    /// Where an access goes: declares `loc`, and returns if it goes nowhere.
    fn locate(&self, target: &Target, division: &str, index: &str) -> String {
        match target {
            Target::Fixed(loc) => format!("u32 loc = {};", loc.0),
            Target::Element { base, len, index: code } => format!(
                "i64 index = {}; if (zero) return {division}; if (index < 0 || index >= {len}) return {index}; \
                 u32 loc = {} + (u32)index;",
                self.expr(code),
                base.0
            ),
        }
    }

    /// What SC memory lets an access do, and what that does.
    fn labels(&mut self, here: &Here, access: &Access) {
        self.line(format!("FN u32 {}(const Out& o, const S& s, Label* l, u32& count) {{", here.name("labels")));
        self.line("    bool zero = false; (void)zero;");
        self.line(format!("    {}", self.locate(&access.target, "DIVISION", "INDEX")));
        let old = match &access.target {
            Target::Fixed(loc) => get(self.product.memory()[loc.index()]),
            Target::Element { .. } => "field(s, o.data + D_MEMORY + 3 * loc)".into(),
        };
        self.line(format!("    u64 old = {old}; (void)old;"));
        let value = |name: &str, code: &Code| format!("i64 {name} = {}; if (zero) return DIVISION;", self.expr(code));
        let label = |number: usize, kind: AttemptKind, mode: Mode, written: &str| {
            let how = self.hows.iter().position(|&how| how == (here.t, kind, mode)).unwrap_or(0);
            let (name, plain) = (kind_name(kind), mode == Mode::Na);
            format!("l[{number}] = Label{{{name}, loc, old, (u64)({written}), {how}, {}, {plain}}};", mode.acquires())
        };
        let one = |text: String| format!("{text} count = 1;");
        let (read, update) = (AttemptKind::Read, AttemptKind::Rmw);
        let lines = match &access.kind {
            AccessKind::Load(mode) => vec![one(label(0, read, *mode, "0"))],
            AccessKind::Store(code, mode) => {
                vec![value("written", code), one(label(0, AttemptKind::Write, *mode, "written"))]
            }
            AccessKind::Update(function, operand, mode) => {
                let result = match function {
                    RmwFunction::Add => "(i64)(old + (u64)operand)",
                    RmwFunction::Sub => "(i64)(old - (u64)operand)",
                    RmwFunction::And => "((i64)old & operand)",
                    RmwFunction::Or => "((i64)old | operand)",
                    RmwFunction::Xor => "((i64)old ^ operand)",
                    RmwFunction::Exchange => "operand",
                };
                let written = format!("reduced({result}, {}ll)", self.product.domain());
                vec![value("operand", operand), one(label(0, update, *mode, &written))]
            }
            AccessKind::FenceUpdate => vec![one(label(0, update, Mode::Full, "old"))],
            AccessKind::Cas { expected, desired, success, failure, strength } => {
                let failed = |number| label(number, read, *failure, "0");
                let spurious = match strength {
                    CasStrength::Weak => format!("{} count = 2;", failed(1)),
                    CasStrength::Strong => "count = 1;".into(),
                };
                vec![
                    value("expected", expected),
                    value("desired", desired),
                    format!("if ((u64)expected != old) {{ {} return RUNS_ON; }}", one(failed(0))),
                    format!("{} {spurious}", label(0, update, *success, "desired")),
                ]
            }
            AccessKind::Wait(any_of, mode) => {
                let mut lines = vec!["bool accepted = false;".to_string()];
                for (cmp, code) in any_of {
                    lines.push(format!(
                        "{{ {} accepted |= (i64)old {} operand; }}",
                        value("operand", code),
                        compare(*cmp)
                    ));
                }
                lines.push(format!("if (accepted) {{ {} }}", one(label(0, read, *mode, "0"))));
                lines
            }
            AccessKind::BlockingCas { expected, desired, mode } => vec![
                value("expected", expected),
                value("desired", desired),
                format!("if ((u64)expected == old) {{ {} }}", one(label(0, update, *mode, "desired"))),
            ],
        };
        for line in lines {
            self.line(format!("    {line}"));
        }
        self.line("    return RUNS_ON;\n}");
        self.line(format!("FN void {}(const Out& o, S& s, const Label& l) {{", here.name("update")));
        if access.kind.write_mode().is_some() {
            let write = match &access.target {
                Target::Fixed(loc) => set("s", self.product.memory()[loc.index()], "l.written"),
                Target::Element { .. } => "put(s, o.data + D_MEMORY + 3 * l.loc, l.written);".into(),
            };
            self.line(format!("    if (l.kind != READ) {write}"));
        }
        if let Some(dst) = access.dst {
            self.line(format!("    if (l.kind != WRITE) {}", set("s", dst, "l.old")));
        }
        self.line("}");
    }

    /// The stale writes that an access could use, of those a watch is about.
    fn attempts(&mut self, here: &Here, access: &Access) {
        self.line(format!(
            "FN u32 {}(const Out& o, const S& s, const u64* watch, Attempt* found) {{",
            here.name("attempts")
        ));
        self.line("    bool zero = false; (void)zero; u32 count = 0;");
        self.line(format!("    {}", self.locate(&access.target, "NOT_HERE", "NOT_HERE")));
        self.line("    if (loc != watch[AT]) return NOT_HERE;");
        if access.plain || access.private {
            self.line("    return 0;\n}");
            return;
        }
        self.line("    if (watch[BY] == AFTER) return 0;");
        let value = |name: &str, code: &Code| format!("i64 {name} = {}; if (zero) return 0;", self.expr(code));
        let attempt = |kind: AttemptKind, mode: Mode, accepted: &str| {
            let how = self.hows.iter().position(|&how| how == (here.t, kind, mode)).unwrap_or(0);
            let by = if kind == AttemptKind::Read { "BY_READ" } else { "BY_WRITE" };
            format!("found[count++] = Attempt{{{how}, watch[BY] == {by} && ({accepted})}};")
        };
        let modes = |kind: AttemptKind| {
            let mode = if kind == AttemptKind::Read { access.kind.read_mode() } else { access.kind.write_mode() };
            mode.expect("an access makes only such attempts")
        };
        let any = |kind: AttemptKind| attempt(kind, modes(kind), "true");
        let class = "u64 c = class_of(o, loc, (u64)expected);";
        let update = || {
            let only = attempt(AttemptKind::Rmw, modes(AttemptKind::Rmw), "watch[CLASS] != ANY && watch[CLASS] == c");
            format!("if (c != ANY) {only}")
        };
        let lines = match &access.kind {
            AccessKind::Load(_) => vec![any(AttemptKind::Read)],
            AccessKind::Store(code, _) => vec![value("written", code), any(AttemptKind::Write)],
            AccessKind::Update(_, operand, _) => vec![value("operand", operand), any(AttemptKind::Rmw)],
            AccessKind::FenceUpdate => vec![any(AttemptKind::Rmw)],
            AccessKind::Cas { expected, desired, strength, .. } => {
                let failing = match strength {
                    CasStrength::Strong => "c == ANY || (watch[CLASS] != ANY && watch[CLASS] != c)",
                    CasStrength::Weak => "true",
                };
                vec![
                    value("desired", desired),
                    value("expected", expected),
                    class.into(),
                    attempt(AttemptKind::Read, modes(AttemptKind::Read), failing),
                    update(),
                ]
            }
            AccessKind::BlockingCas { expected, desired, .. } => {
                vec![value("desired", desired), value("expected", expected), class.into(), update()]
            }
            AccessKind::Wait(any_of, _) => {
                let mut lines = vec![
                    "bool accepted = false;".to_string(),
                    "u64 member = watch[CLASS] == ANY ? 0 : DATA(DATA(D_MEMBERS + loc) + 1 + watch[CLASS]);".into(),
                ];
                for (cmp, code) in any_of {
                    let operand = value("operand", code);
                    lines.push(format!("{{ {operand} accepted |= (i64)member {} operand; }}", compare(*cmp)));
                }
                let read = AttemptKind::Read;
                lines.push(attempt(read, modes(read), "accepted && watch[CLASS] != ANY"));
                lines
            }
        };
        for line in lines {
            self.line(format!("    {line}"));
        }
        self.line("    return count;\n}");
    }

    /// The alternatives of a thread that rests at an instruction other than an access.
    fn choices(&self, pc: usize, step: &Step) -> String {
        match step {
            Step::Choose(targets) => {
                let way = |(n, target): (usize, &u32)| format!("if (n == {n}) return {target}; ");
                targets.iter().enumerate().map(way).collect::<String>() + "return ALL;"
            }
            // Outside of sections, too many are not even begun.
            Step::Nondet(dst, low, high) => format!(
                "{{ bool zero = false; i64 low = {}; i64 high = zero ? 0 : {}; if (zero) {{ bad = DIVISION; return ALL; }} \
                 if (high >= low && (u64)high - (u64)low >= {MOST_CHOICES}ull) {{ bad = TOO_MUCH; return ALL; }} \
                 i64 value = low + (i64)n; if (value > high) return ALL; {} return {}; }}",
                self.expr(low),
                self.expr(high),
                set("s", *dst, "value"),
                pc + 1
            ),
            // A local run that was cut short goes on.
            _ => format!("return n ? ALL : {pc};"),
        }
    }

    /// What the common part calls.
    pub(super) fn dispatch(&mut self) {
        let threads = self.product.threads();
        let cases = |call: &dyn Fn(Here, &Step) -> Option<String>| {
            let mut text = String::from("    switch (t) {\n");
            for (t, thread) in threads.iter().enumerate() {
                let _ = writeln!(text, "    case {t}: switch (pc) {{");
                for (pc, step) in thread.steps.iter().enumerate() {
                    if let Some(call) = call(Here { t, pc }, step) {
                        let _ = writeln!(text, "        case {pc}: {call}");
                    }
                }
                text += "        }\n        break;\n";
            }
            text + "    }\n"
        };
        let accesses = |call: &dyn Fn(Here, &Access) -> String| {
            cases(&|here, step| match step {
                Step::Access(access) => Some(call(here, access)),
                _ => None,
            })
        };
        let labels = accesses(&|here, access| {
            format!("access = {}; return {}(o, s, l, count);", flags(access), here.name("labels"))
        });
        let attempts = accesses(&|here, _| format!("return {}(o, s, watch, found);", here.name("attempts")));
        let perform = accesses(&|here, _| format!("{}(o, s, l); return;", here.name("update")));
        let runs = (0..threads.len()).map(|t| format!("    case {t}: return run_{t}(o, s, pc, at);\n"));
        let runs: String = runs.collect();
        let choices = cases(&|here, step| match step {
            Step::Access(_) => None,
            step => Some(self.choices(here.pc, step)),
        });
        self.line("CALLED u32 labels(const Out& o, const S& s, u32 t, u64 pc, Label* l, u32& count, u32& access) {");
        self.line(labels + "    return RUNS_ON;\n}");
        self.line("CALLED u32 attempts(const Out& o, const S& s, u32 t, u64 pc, const u64* watch, Attempt* found) {");
        self.line(attempts + "    return NOT_HERE;\n}");
        self.line("CALLED void perform(const Out& o, S& s, u32 t, u64 pc, const Label& l) {");
        self.line(perform + "}");
        self.line("CALLED u32 run(const Out& o, S& s, u32 t, u64 pc, u64& at) {\n    switch (t) {");
        self.line(runs + "    }\n    return RUNS_ON;\n}");
        self.line("CALLED u64 choose(const Out& o, S& s, u32 t, u64 pc, u64 n, u32& bad) {");
        self.line(choices + "    return ALL;\n}");
    }

    /// An expression, as an `i64`; `zero` is set where it divides by zero.
    fn expr(&self, code: &Code) -> String {
        match code {
            Code::Const(i64::MIN) => "(-9223372036854775807ll - 1)".into(),
            Code::Const(value) => format!("{value}ll"),
            Code::Reg(slot) => format!("(i64){}", get(*slot)),
            Code::Unary(op, operand) => {
                let operand = self.expr(operand);
                match op {
                    UnaryOp::Neg => format!("(i64)(0 - (u64)({operand}))"),
                    UnaryOp::Not => format!("(i64)(({operand}) == 0)"),
                    UnaryOp::BitNot => format!("(~({operand}))"),
                }
            }
            Code::Binary(op, left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                let wrapping = |symbol: &str| format!("(i64)((u64)({left}) {symbol} (u64)({right}))");
                match op {
                    BinaryOp::Add => wrapping("+"),
                    BinaryOp::Sub => wrapping("-"),
                    BinaryOp::Mul => wrapping("*"),
                    BinaryOp::BitAnd => wrapping("&"),
                    BinaryOp::BitOr => wrapping("|"),
                    BinaryOp::BitXor => wrapping("^"),
                    BinaryOp::Div => format!("quotient({left}, {right}, zero)"),
                    BinaryOp::Rem => format!("rest_of({left}, {right}, zero)"),
                    BinaryOp::Shl => format!("shifted_left({left}, {right})"),
                    BinaryOp::Shr => format!("shifted_right({left}, {right})"),
                    BinaryOp::Cmp(cmp) => format!("(i64)(({left}) {} ({right}))", compare(*cmp)),
                    BinaryOp::And => format!("(({left}) ? (i64)(({right}) != 0) : 0ll)"),
                    BinaryOp::Or => format!("(({left}) ? 1ll : (i64)(({right}) != 0))"),
                }
            }
            Code::Wrap(operand, domain) => format!("reduced({}, {domain}ll)", self.expr(operand)),
        }
    }
}

fn flags(access: &Access) -> String {
    let flags = [(access.plain, "PLAIN"), (access.private, "PRIVATE"), (access.mixed.is_some(), "MIXED")];
    let names: Vec<&str> = flags.into_iter().filter(|(on, _)| *on).map(|(_, name)| name).collect();
    if names.is_empty() { "0".into() } else { names.join(" | ") }
}

fn kind_name(kind: AttemptKind) -> &'static str {
    match kind {
        AttemptKind::Read => "READ",
        AttemptKind::Write => "WRITE",
        AttemptKind::Rmw => "UPDATE",
    }
}

fn compare(cmp: CmpOp) -> &'static str {
    match cmp {
        CmpOp::Eq => "==",
        CmpOp::Ne => "!=",
        CmpOp::Lt => "<",
        CmpOp::Le => "<=",
        CmpOp::Gt => ">",
        CmpOp::Ge => ">=",
    }
}
