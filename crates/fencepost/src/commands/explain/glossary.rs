//! The words of fencepost's messages and what they mean, in short plain text.

/// What a word is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Verdict,
    ExitCode,
    Finding,
    Relation,
    Term,
    Language,
}

/// The groups, with their titles, in the order of the list.
pub(super) const GROUPS: &[(Group, &str)] = &[
    (Group::Verdict, "Verdicts"),
    (Group::ExitCode, "Exit codes"),
    (Group::Finding, "What is found"),
    (Group::Relation, "Relations of an execution"),
    (Group::Term, "Words of the theory"),
    (Group::Language, "Words of programs"),
];

/// A word, explained.
pub(super) struct Word {
    pub(super) group: Group,
    /// The word, without blanks so that shells can complete it, and others for the same.
    pub(super) names: &'static [&'static str],
    /// In one line.
    pub(super) about: &'static str,
    /// A line is a paragraph.
    pub(super) text: &'static str,
    /// Words, shapes and models to read next.
    pub(super) see: &'static [&'static str],
}

pub(super) const GLOSSARY: &[Word] = &[
    Word {
        group: Group::Verdict,
        names: &["robust", "robustness"],
        about: "weak memory makes no difference to the program",
        text: "Every execution that the model allows could have been an interleaving. So whatever you \
               can show of the program as if memory were sequentially consistent is true under the \
               model.\nROBUST means that all states were searched: nothing was bounded, sampled or \
               skipped. It does not mean that the program is correct. Assertions are looked at as \
               well, and reported beside the verdict.",
        see: &["not robust", "sc", "observational", "safe"],
    },
    Word {
        group: Group::Verdict,
        names: &["not-robust", "violation"],
        about: "an execution of the model is no interleaving",
        text: "The report shows a run of the program under SC, and then one step that the model \
               allows and SC does not: an access that reads an overwritten value, or writes behind \
               one. It was replayed on the axioms of both models before it was shown.\nThat is not \
               always a bug: some algorithms live with stale values. `fencepost check --model cpp20` \
               says what goes wrong, `fencepost verify` whether anything does at all, and `fencepost \
               repair` which fences or orders make the program robust.",
        see: &["stale", "harmless", "repair", "SB"],
    },
    Word {
        group: Group::Verdict,
        names: &["unknown", "undecided"],
        about: "there is no answer: a limit was reached, or no engine is complete here",
        text: "The reason is in the message: time (`--timeout`), states (`--max-states`), memory \
               (`--memory`), a `bound` of the program, a feature that the model has nothing to say \
               about, or a question that cannot be decided in general. Nothing was found so far, and \
               nothing is promised. The exit code is 3.",
        see: &["bounded", "bound", "exit code 3"],
    },
    Word {
        group: Group::Verdict,
        names: &["safe", "unsafe"],
        about: "no assertion fails in any execution of the model, or one does (`verify`)",
        text: "`fencepost verify` looks at the executions of the weak model itself, with stale values \
               and all. SAFE: no assertion fails, nothing is divided by zero, no index is out of \
               range, in any of them. UNSAFE comes with an execution.\nA program can be safe and not \
               robust: then its stale values do no harm.",
        see: &["robust", "harmless", "condition"],
    },
    Word {
        group: Group::Verdict,
        names: &["exhausted"],
        about: "all schedules of a compiled test were run, up to equivalence (`run --schedule all`)",
        text: "EXHAUSTED is a proof for the test as it was compiled: under SC no run fails, no data \
               race and no weak behaviour was found, and every class of equivalent schedules was run \
               once. Two schedules are equivalent if they differ in the order of independent steps \
               only.",
        see: &["bounded", "unknown", "schedule"],
    },
    Word {
        group: Group::Verdict,
        names: &["bounded"],
        about: "all schedules were run, but some rounds of a waiting loop were left out",
        text: "A loop that waits and writes in every round can go round any number of times. \
               `--spins` says how often it does here. Nothing was found up to there; more rounds \
               could show something. `fencepost_assume` or a wait that does not write makes such a \
               test EXHAUSTED.",
        see: &["exhausted", "unknown"],
    },
    Word {
        group: Group::Verdict,
        names: &["observational", "not shown", "observationally robust"],
        about: "stale values may be read, but nothing depends on them (`check --observational`)",
        text: "A weaker question than robustness: the program may read stale values if it never lets \
               them decide anything: no branch, address, value or `verify(e)`. OBSERVATIONALLY ROBUST \
               is enough for assertions. NOT SHOWN means that no proof was found, and is no \
               violation.",
        see: &["robust", "stale"],
    },
    Word {
        group: Group::Verdict,
        names: &["repaired", "relaxed", "unchanged"],
        about: "what `repair` and `relax` say",
        text: "REPAIRED: with these edits the program is robust, and no cheaper set of the candidates \
               does it. RELAXED: these fences and orders can be weaker, and no single one any \
               further. UNCHANGED: there is nothing to do. `--write` changes the file.",
        see: &["repair", "fence", "order"],
    },
    Word {
        group: Group::Verdict,
        names: &["never", "sometimes", "always", "condition", "met"],
        about: "whether final states fulfil the condition of a litmus test (`verify`)",
        text: "`exists (…)` asks whether some final state fulfils it: never, sometimes, always. Final \
               states are counted by executions, as the herd simulator does.",
        see: &["safe"],
    },
    Word {
        group: Group::ExitCode,
        names: &["0", "exit code 0"],
        about: "the property holds",
        text: "Every program is robust (or safe, or as its file expects), or the command did what it \
               was asked to do.",
        see: &["robust", "expectation"],
    },
    Word {
        group: Group::ExitCode,
        names: &["1", "exit code 1"],
        about: "a violation was found, or something fails under SC",
        text: "Something is not robust, not safe, not as expected, or not formatted (`fmt --check`). \
               With `--fail-on race` or `--fail-on failure` harmless violations do not count.",
        see: &["not robust", "harmless"],
    },
    Word {
        group: Group::ExitCode,
        names: &["2", "exit code 2"],
        about: "bad usage, or a file that cannot be read or understood",
        text: "The message says what and where. Nothing was decided about that file.",
        see: &["exit code 101"],
    },
    Word {
        group: Group::ExitCode,
        names: &["3", "exit code 3"],
        about: "undecided: time, memory or states ran out, or the search was interrupted",
        text: "The verdict is UNKNOWN; more time or memory may help, and so may a smaller domain or \
               fewer threads.",
        see: &["unknown"],
    },
    Word {
        group: Group::ExitCode,
        names: &["101", "exit code 101", "internal error"],
        about: "a bug in fencepost",
        text: "A check of fencepost's own has failed: for example, a violation that was found could \
               not be replayed on the axioms. Please report it, with the program.\nWith several \
               files the worst code counts: 101, then 2, 1, 3, 0.",
        see: &["exit code 2"],
    },
    Word {
        group: Group::Finding,
        names: &["stale", "stale read", "overwritten value"],
        about: "a read takes a value that was overwritten before, in the order of the run",
        text: "Under SC a read takes the last value written. Under a weak model it may take an older \
               one, as long as nothing tells its thread of the newer one: no happens-before, and no \
               newer value that it has seen. The first stale read is the step at which a run leaves \
               SC.",
        see: &["fr", "hb", "coherence", "MP"],
    },
    Word {
        group: Group::Finding,
        names: &["stale-write", "stale update"],
        about: "a write comes before another one in the modification order that was there first",
        text: "The write is put behind (in the modification order: before) a write of another thread \
               that was already there. Under SC a write is always the newest.",
        see: &["mo", "2+2W"],
    },
    Word {
        group: Group::Finding,
        names: &["race", "data race"],
        about: "two accesses to one location, at least one of them plain and one a write, unordered",
        text: "In C, C++ and Rust a program with a data race has no meaning at all. What orders two \
               accesses is happens-before: a release store that an acquire load reads from, a lock, \
               the start and the end of a thread. A race is always reported as a violation.",
        see: &["hb", "sw", "plain"],
    },
    Word {
        group: Group::Finding,
        names: &["harmless", "consequence", "rank"],
        about: "what comes of it that a program is not robust",
        text: "After one stale step the program goes on as under SC. What happens then is searched \
               through: a data race comes first, then a failure (an assertion, a run-time error), \
               then that old values are passed on, and last that nothing goes wrong: harmless. \
               `--stale K` allows more stale steps, `--fail-on` chooses what counts for the exit \
               code.",
        see: &["not robust", "data race", "stale"],
    },
    Word {
        group: Group::Finding,
        names: &["speculative"],
        about: "a value that only a stale read could have given",
        text: "`--observational` lets reads be stale and marks what depends on them. An assertion, a \
               branch or an address that is marked so is reported as speculative.",
        see: &["observational"],
    },
    Word {
        group: Group::Finding,
        names: &["witness"],
        about: "an execution that shows what is claimed",
        text: "No violation is reported without one, and each was replayed on the axioms of the model \
               by an interpreter of its own.",
        see: &["not robust", "unsafe"],
    },
    Word {
        group: Group::Finding,
        names: &["expectation", "as expected"],
        about: "what a file says of its own verdict, in a comment `//: cpp20 violation shape=SB`",
        text: "With expectations, the exit code is about them: 0 if all is as expected. \
               `--ignore-expectations` leaves them alone.",
        see: &["exit code 0"],
    },
    Word {
        group: Group::Finding,
        names: &["stale-rmw"],
        about: "an update of an overwritten value",
        text: "A read-modify-write reads a value that was overwritten already, and its own write \
               comes between. Both its halves miss what an interleaving would have shown it.",
        see: &["stale", "stale-write", "atomicity"],
    },
    Word {
        group: Group::Finding,
        names: &["tainted-use", "tainted"],
        about: "something depends on a value that may be stale (`check --observational`)",
        text: "A branch, an address, a value that is written or a `verify(e)` depends on a read that \
               may be stale.",
        see: &["observational", "stale"],
    },
    Word {
        group: Group::Finding,
        names: &["assertion"],
        about: "an assertion does not hold",
        text: "`assert(e)` is reached where `e` is 0. `even under SC` means that weak memory has \
               nothing to do with it.",
        see: &["assert", "safe"],
    },
    Word {
        group: Group::Finding,
        names: &["runtime-error"],
        about: "an operation that is not defined",
        text: "A division by zero, or an index outside of its array.",
        see: &["assertion", "safe"],
    },
    Word {
        group: Group::Finding,
        names: &["deadlock"],
        about: "all threads wait for each other",
        text: "Found in runs of compiled programs: nobody can go on, and the program would never end.",
        see: &["wait", "schedule"],
    },
    Word {
        group: Group::Relation,
        names: &["po", "program order"],
        about: "a comes before b in the text of one thread",
        text: "Under SC it is part of the one order of everything. Under weak models the effect of a \
               store may come later than that of a load behind it.",
        see: &["hb", "SB"],
    },
    Word {
        group: Group::Relation,
        names: &["rf", "reads from"],
        about: "b reads the value that a has written",
        text: "Every read has exactly one such write; the initial value counts as one.",
        see: &["fr", "sw"],
    },
    Word {
        group: Group::Relation,
        names: &["mo", "modification order", "coherence order", "co"],
        about: "the order of all writes to one location",
        text: "All threads agree about it, in every model here. b after a in it overwrites a.",
        see: &["fr", "coherence"],
    },
    Word {
        group: Group::Relation,
        names: &["fr", "from read"],
        about: "a reads a value that b overwrites",
        text: "a reads from a write that comes before b in the modification order: a did not see b, \
               so a comes first.",
        see: &["rf", "mo", "SB"],
    },
    Word {
        group: Group::Relation,
        names: &["hb", "happens before"],
        about: "what a thread can rely on having happened",
        text: "Program order, and synchronisation between threads (sw), and both in a row. A read \
               never takes a value that was overwritten by something that happens before it.",
        see: &["sw", "stale", "data race"],
    },
    Word {
        group: Group::Relation,
        names: &["sw", "synchronises with"],
        about: "a release store, and an acquire load that reads from it",
        text: "Or fences in their places: a release fence before a relaxed store, an acquire fence \
               after a relaxed load. Read-modify-writes between them pass it on.",
        see: &["hb", "acq", "rel", "MP"],
    },
    Word {
        group: Group::Relation,
        names: &["eco"],
        about: "communication: reads from, overwrites, or reads what does",
        text: "Every order that accesses to one location impose on each other: rf, mo and fr in a \
               row.",
        see: &["rf", "mo", "fr"],
    },
    Word {
        group: Group::Relation,
        names: &["psc", "SC order", "S order"],
        about: "the one order of all SC accesses and SC fences",
        text: "C++20 asks for a single order of everything that is `sc`, consistent with what happens \
               before (strongly) and with what threads see of each other.",
        see: &["cpp20", "sc"],
    },
    Word {
        group: Group::Term,
        names: &["interleaving", "sequential consistency"],
        about: "one step at a time, in the order of each thread's text",
        text: "Memory has one current value for each location, and every step of every thread sees it \
               at once. It is what people have in mind who read concurrent code. No processor and no \
               language gives it for free.",
        see: &["sc", "robust"],
    },
    Word {
        group: Group::Term,
        names: &["shape", "critical cycle"],
        about: "the circle of accesses that an execution has and no interleaving can have",
        text: "The names (SB, MP, IRIW, …) are those of the literature on litmus tests. A report \
               names the shape of its violation; `fencepost explain SB` draws it.",
        see: &["SB", "MP", "IRIW", "litmus test"],
    },
    Word {
        group: Group::Term,
        names: &["coherence"],
        about: "each location by itself behaves as under SC",
        text: "All models here are coherent: a thread that has seen a value does not see an older one \
               of the same location afterwards.",
        see: &["mo", "CoRR"],
    },
    Word {
        group: Group::Term,
        names: &["monitor"],
        about: "what follows an SC run and knows which steps the weak model would allow",
        text: "Because of it, robustness can be decided by a search through SC runs alone. It keeps, \
               for every thread and location, what may still be read and written (Lahav and \
               Margalit, PLDI 2019).",
        see: &["watch", "robust", "ra"],
    },
    Word {
        group: Group::Term,
        names: &["watch"],
        about: "the part of a monitor that follows one overwritten write",
        text: "Instead of all of its state, a search follows a guess: this write will be read after \
               it was overwritten. A guess that cannot come true any more is dropped. It makes states \
               small.",
        see: &["monitor", "stale"],
    },
    Word {
        group: Group::Term,
        names: &["attack", "store buffer", "delay"],
        about: "how robustness against store buffers is decided (tso, pso, pgas)",
        text: "Stores wait in a buffer before others see them. If such a program is not robust, then \
               there is an execution in which one thread, the attacker, delays stores past its later \
               loads, and helpers of other threads lead back to it (Derevenetc, Meyer and \
               Schweizer). Each possible attack is a program that is explored under SC.",
        see: &["tso", "pso", "SB", "lwfence"],
    },
    Word {
        group: Group::Term,
        names: &["litmus", "litmus test"],
        about: "a few threads with a few accesses, and a question about their outcome",
        text: "`.litmus` files are such tests in C. `litmus/` has hundreds of programs with their \
               verdicts.",
        see: &["shape"],
    },
    Word {
        group: Group::Term,
        names: &["schedule"],
        about: "which thread makes the next step of a compiled program (`run --schedule`)",
        text: "`os` leaves it to the system, `random` draws it, `pct:3` draws priorities that change \
               a few times, `all` tries every one.",
        see: &["exhausted", "provoked"],
    },
    Word {
        group: Group::Term,
        names: &["provoked", "provoke"],
        about: "a run in which a reported access really uses an old value",
        text: "After a series of runs, `fencepost run` repeats one for each report and lets the access \
               take an overwritten value, as C++20 permits. Then it says what came of it: a race, a \
               failed assertion, a hang, or nothing visible.",
        see: &["harmless", "stale"],
    },
    Word {
        group: Group::Term,
        names: &["repair"],
        about: "fences and orders that make a program robust, the cheapest first",
        text: "A fence can go to every control point, and an order can become stronger. Every edit \
               comes with the violation that is there without it.",
        see: &["repaired", "fence", "order"],
    },
    Word {
        group: Group::Language,
        names: &["order", "rlx", "acq", "rel", "acqrel"],
        about: "how much an access orders",
        text: "rlx (relaxed): only its own location. acq (acquire, of loads): what the store before it \
               released is seen afterwards. rel (release, of stores): what came before is handed to \
               who reads it by an acquire. acqrel: both, of read-modify-writes. sc: also one order of \
               all sc accesses. Without an order, loads are acq, stores rel, updates acqrel.",
        see: &["sw", "sc", "cpp20"],
    },
    Word {
        group: Group::Language,
        names: &["plain", "nonatomic", "na"],
        about: "an access that is not atomic",
        text: "Ordinary variables, `nonatomic` in `.fp`. Two plain accesses that are not ordered, one \
               of them a write, are a data race.",
        see: &["data race"],
    },
    Word {
        group: Group::Language,
        names: &["fence"],
        about: "a statement that orders the accesses around it",
        text: "`fence(acq)`, `fence(rel)` and `fence(acqrel)` make relaxed accesses around them \
               synchronise. `fence(sc)` between a store and a load forbids store buffering, if all \
               threads that matter have one.",
        see: &["SB", "sw", "lwfence"],
    },
    Word {
        group: Group::Language,
        names: &["lwfence"],
        about: "keeps earlier stores before later ones, in models with store buffers",
        text: "`lwfence(x, y)` is about stores to these locations, `lwfence` about all. It means \
               nothing under tso, where stores keep their order anyway, nor in the models of \
               languages.",
        see: &["pso", "pgas", "fence"],
    },
    Word {
        group: Group::Language,
        names: &["wait", "bcas"],
        about: "blocks until a location has a value",
        text: "`wait(x == 1)` is no loop: nobody sees it polling, so that a stale value does no harm. \
               Write it where the program only waits. `x.bcas(0, 1)` waits and swaps at once: a lock.",
        see: &["stale", "robust"],
    },
    Word {
        group: Group::Language,
        names: &["domain"],
        about: "the values of a program: 0 to one less than `domain`",
        text: "Arithmetic wraps around. A small domain makes a search small.",
        see: &["bound"],
    },
    Word {
        group: Group::Language,
        names: &["bound"],
        about: "up to where a program is modelled",
        text: "Where `bound(e)` does not hold, the run ends. If any run gets there, the answer is \
               UNKNOWN unless a violation is found, never ROBUST.",
        see: &["unknown", "domain"],
    },
    Word {
        group: Group::Language,
        names: &["section", "atomic", "atomic section", "transaction"],
        about: "what happens in one go: `atomic { … }`",
        text: "Between two steps of other threads, or not at all. Models of C++ have nothing to say \
               about it, so the answer there is UNKNOWN.",
        see: &["unknown"],
    },
    Word {
        group: Group::Language,
        names: &["atomicity", "rmw", "read-modify-write", "cas"],
        about: "a read and a write in one step",
        text: "`fadd`, `xchg`, `cas` and others. Nothing comes between the value that they read and \
               the one that they write. A `cas` that fails only reads. `casw` may fail for no reason.",
        see: &["mo", "order"],
    },
    Word {
        group: Group::Language,
        names: &["global"],
        about: "declares atomic locations",
        text: "`global x, y = 1, a[4];` Threads access them by `x.load(acq)`, `x.store(1, rel)` and \
               other operations. A location is 0 at first unless a value is given.",
        see: &["nonatomic", "order", "struct"],
    },
    Word {
        group: Group::Language,
        names: &["struct"],
        about: "a group of locations with one name",
        text: "`struct node[4] { global next; nonatomic value; }` is four nodes. A field is a \
               location: `node[n].next.load(acq)`. There are no pointers: a node is the index of an \
               element.",
        see: &["global"],
    },
    Word {
        group: Group::Language,
        names: &["const"],
        about: "gives a number a name",
        text: "`const N = 2;` It can be used in expressions, and where a number of elements or copies \
               is asked for.",
        see: &["domain"],
    },
    Word {
        group: Group::Language,
        names: &["thread", "me"],
        about: "a thread of the program",
        text: "`thread t { … }` runs beside the others, from the beginning. `thread worker[3] { … }` \
               is three copies; in them `me` is 0, 1 or 2.",
        see: &["local", "proc"],
    },
    Word {
        group: Group::Language,
        names: &["proc", "return"],
        about: "a procedure, which is put in where it is called",
        text: "`proc lock(l) { l.bcas(0, 1, acqrel); }` Parameters are locations, structs or values. \
               `return e;` hands a value to the caller, `return;` ends the procedure or the thread. \
               There is no recursion.",
        see: &["thread"],
    },
    Word {
        group: Group::Language,
        names: &["local", "register"],
        about: "declares registers of a thread",
        text: "`local r, s = 1;` A register is 0 at first unless a value is given. No other thread \
               can see it.",
        see: &["thread"],
    },
    Word {
        group: Group::Language,
        names: &["load"],
        about: "reads a location",
        text: "`r = x.load(acq);` The orders are acq (without one it is this), rlx and sc. Under a \
               weak model it need not find the last value that was written.",
        see: &["order", "stale"],
    },
    Word {
        group: Group::Language,
        names: &["store"],
        about: "writes a location",
        text: "`x.store(1, rel);` The orders are rel (without one it is this), rlx and sc.",
        see: &["order"],
    },
    Word {
        group: Group::Language,
        names: &["fadd", "fsub", "fand", "for", "fxor"],
        about: "computes with a location in one step",
        text: "`r = x.fadd(1, acqrel);` writes the sum of the old value and 1, and `r` becomes the \
               old value. `fsub`, `fand`, `for` and `fxor` subtract, and, or and exclusive-or. `for \
               (…; …; …) { … }`, with a head of three parts, is a loop.",
        see: &["atomicity", "order"],
    },
    Word {
        group: Group::Language,
        names: &["xchg"],
        about: "writes a location and takes the old value, in one step",
        text: "`r = x.xchg(1, acqrel);`",
        see: &["atomicity", "order"],
    },
    Word {
        group: Group::Language,
        names: &["casw"],
        about: "a compare-and-swap that may fail for no reason",
        text: "`r = x.casw(0, 1, acqrel, acq);` writes 1 if it reads 0, and sometimes does not even \
               then. `cas` writes whenever it reads 0. The second order is that of a failure.",
        see: &["atomicity", "order"],
    },
    Word {
        group: Group::Language,
        names: &["if", "else", "while", "do", "break", "continue", "goto", "skip"],
        about: "control flow as in C",
        text: "`if (e) { … } else { … }`, `while (e) { … }`, `do { … } while (e);`, `break;`, \
               `continue;`, `goto l;` with a label `l:`, and `skip;`, which does nothing. A condition \
               is about registers: a location is loaded first.",
        see: &["wait", "choose"],
    },
    Word {
        group: Group::Language,
        names: &["choose", "or", "nondet"],
        about: "what may go one way or the other",
        text: "`choose { … } or { … }` takes any of the branches, `r = nondet(0, 2);` any value of \
               the range. All ways are checked.",
        see: &["schedule"],
    },
    Word {
        group: Group::Language,
        names: &["assert"],
        about: "says what must be true",
        text: "Where `assert(e);` does not hold, the program fails, and that is reported with the run \
               that leads there. Assertions say what harm is: `check` tells whether a violation of \
               robustness makes one fail.",
        see: &["assertion", "harmless", "safe"],
    },
    Word {
        group: Group::Language,
        names: &["assume"],
        about: "stops a thread where something does not hold",
        text: "`assume(e);` is no claim: where `e` is 0 the thread stops, and nothing is reported \
               because of that.",
        see: &["assert", "bound", "wait"],
    },
    Word {
        group: Group::Language,
        names: &["verify"],
        about: "asks that a value does not depend on a stale read",
        text: "`verify(e);` matters to `check --observational` only.",
        see: &["observational"],
    },
    Word {
        group: Group::Language,
        names: &["int", "wrap"],
        about: "how numbers are kept in the domain",
        text: "In `int(e)`, `e` is computed in plain integers and wraps around once, outside. \
               `wrap(e)` in it wraps around an inner result.",
        see: &["domain"],
    },
    Word {
        group: Group::Language,
        names: &["name"],
        about: "the name of the program, in reports",
        text: "`name \"store buffering\";` at the top of the file. Without it, reports use the name \
               of the file.",
        see: &[],
    },
    Word {
        group: Group::Language,
        names: &["true", "false"],
        about: "the numbers 1 and 0",
        text: "A comparison is 0 or 1, and every number but 0 counts as true.",
        see: &["domain"],
    },
];
