//! What is said about one program. A `^` under a line points to the place that is asked about.

use fencepost_base::source::SourceFile;
use fencepost_ide::{About, Completion, Kind, Names, Positions, Suggested, complete, hover, outline};
use fencepost_model::models::by_name;
use fencepost_syntax::{Language, parse};

const PROGRAM: &str = "\
const N = 2;
global x, a[N];
struct node[2] { global next; nonatomic value; }
proc push(s, n) { local t; t = s.next.cas(0, n, acq, rlx); s.value = t; }
thread me1[N] {
  local r;
  x.store(me, rlx);
again:
  r = x.load(sc);
  fence(sc);
  lwfence;
  wait((x) == r);
  for (local i = 0; i < N; i = i + 1) { a[i].fand(r); }
  for (local i = 1; i < N; i = i + 1) { push(node[i], r); }
  if (r == 1) goto again;
  d = 1;
}
";

/// The byte where `part` of the text begins for the `nth` time.
fn at(part: &str, nth: usize) -> usize {
    PROGRAM.match_indices(part).nth(nth).unwrap_or_else(|| panic!("no `{part}`")).0
}

fn names() -> Names {
    Names::of(&parse(Language::Fp, PROGRAM).file, PROGRAM)
}

fn said(offset: usize) -> String {
    let source = SourceFile::new("p.fp", PROGRAM);
    let models: Vec<_> = ["tso", "pgas", "ra", "rc20"].iter().filter_map(|name| by_name(name)).collect();
    let file = parse(Language::Fp, PROGRAM).file;
    match hover(&source, &file, &names(), offset, &models).map(|hover| hover.about) {
        Some(About::Text(text)) => text,
        Some(About::Word(word)) => format!("the word {word}"),
        None => "nothing".into(),
    }
}

fn definition(offset: usize) -> Option<(Kind, usize)> {
    let names = names();
    let found = names.at(offset)?;
    let definition = names.definition(found.definition);
    Some((definition.kind, definition.span.start as usize))
}

#[test]
fn names_lead_to_their_declarations() {
    assert_eq!(definition(at("N]", 0)), Some((Kind::Constant, at("N =", 0))));
    assert_eq!(definition(at("x) ==", 0)), Some((Kind::Location { atomic: true }, at("x, a", 0))));
    // Each loop has a register of its own, and each procedure its parameters.
    assert_eq!(definition(at("i]", 0)), Some((Kind::Register, at("i = 0", 0))));
    assert_eq!(definition(at("i]", 1)), Some((Kind::Register, at("i = 1", 0))));
    assert_eq!(definition(at("n, acq", 0)), Some((Kind::Parameter, at("n) {", 0))));
    // Which struct a parameter is, nobody knows; the field has the only declaration of this name.
    assert_eq!(definition(at("next.cas", 0)), Some((Kind::Field { atomic: true }, at("next;", 0))));
    assert_eq!(definition(at("again;", 0)), Some((Kind::Label, at("again:", 0))));
    assert_eq!(definition(at("push(node", 0)), Some((Kind::Procedure, at("push(s", 0))));
    // Behind a word, the word is meant; what is not declared leads nowhere.
    assert_eq!(definition(at("push(node", 0) + 4), Some((Kind::Procedure, at("push(s", 0))));
    assert_eq!(definition(at("d = 1", 0)), None);
}

#[test]
fn accesses_are_explained() {
    let load = said(at("load(sc)", 0));
    assert!(
        load.starts_with("`load` of `x`, sequentially consistent\n\n- `tso`, `pgas`: the thread's newest"),
        "{load}"
    );
    assert!(load.contains("On x86-64: mov. On AArch64: ldar."), "{load}");
    assert!(load.contains("- line 7 in `me1`: `x.store(me, rlx)`"), "{load}");
    assert_eq!(said(at("sc);", 0)), load, "the order says the same");
    let failing = said(at("rlx);", 0));
    assert!(failing.starts_with("`cas` of `s.next` if it fails: a load, relaxed"), "{failing}");
    let store = said(at("store", 0));
    assert!(store.contains("- `ra`: it releases") && store.contains("- `rc20`: it orders nothing"), "{store}");
    let fence = said(at("fence(sc)", 0));
    assert!(fence.contains("- `tso`, `pgas`: it waits until") && fence.contains("mfence"), "{fence}");
    let light = said(at("lwfence", 0));
    assert!(light.contains("- `tso`, `ra`, `rc20`: it does nothing"), "{light}");
    let update = said(at("fand", 0));
    assert!(update.contains("acquire and release (the default)") && update.contains("ldclral"), "{update}");
    let wait = said(at("wait", 0));
    assert!(wait.starts_with("`wait`: a load that blocks"), "{wait}");
    assert_eq!(said(at("if (r", 0)), "the word if");
    assert_eq!(said(at("again;", 0)), "`again:` a label of `me1`, in line 8\n");
    let array = said(at("a[i]", 0));
    assert!(array.starts_with("`global a[N]`: an atomic location, in line 2\n\nBesides"), "{array}");
    assert_eq!(said(at(" = 2", 0) + 1), "nothing");
}

#[test]
fn the_outline_has_structs_with_fields_and_threads_with_labels() {
    let outline = outline(&names());
    let told: Vec<(&str, Vec<&str>)> = outline
        .iter()
        .map(|symbol| (symbol.name.as_str(), symbol.children.iter().map(|child| child.name.as_str()).collect()))
        .collect();
    let expected = [
        ("N", vec![]),
        ("x", vec![]),
        ("a", vec![]),
        ("node", vec!["next", "value"]),
        ("push", vec![]),
        ("me1", vec!["again"]),
    ];
    assert_eq!(told, expected);
    let positions = Positions::of(PROGRAM);
    assert_eq!(positions.range(PROGRAM, outline[5].whole).0.line, 4);
}

fn completed(text: &str) -> Vec<String> {
    let before = format!("{PROGRAM}{text}");
    let names = Names::of(&parse(Language::Fp, &before).file, &before);
    complete(&before, &names, before.len()).into_iter().map(|it| it.word).collect()
}

#[test]
fn words_that_can_stand_somewhere_are_suggested() {
    let has = |text: &str, wanted: &[&str], unwanted: &[&str]| {
        let words = completed(text);
        assert!(wanted.iter().all(|word| words.iter().any(|it| it == word)), "{text}: {words:?}");
        assert!(!unwanted.iter().any(|word| words.iter().any(|it| it == word)), "{text}: {words:?}");
    };
    has("thread t { x.", &["load", "casw"], &["next", "x"]);
    has("thread t { node[1].ne", &["next", "value"], &["load"]);
    has("thread t { a[i + a[0]].", &["load"], &["next"]);
    has("proc p(q) { q.", &["load", "next"], &[]);
    has("thread t { x.store(1, re", &["rel", "sc", "x"], &["acq", "acqrel"]);
    has("thread t { x.cas(f(1), 2, ", &["acqrel"], &[]);
    has("thread t { fence(", &["acqrel"], &["rlx"]);
    has("thread t { local q; ", &["while", "lwfence", "q", "x", "push"], &["r", "thread", "t"]);
    has("", &["thread", "global"], &["while", "x"]);
    has("thread t { // x.", &[], &["load"]);
    let sorted = complete("global b, a; thread t { r = ", &Names::default(), 28);
    assert_eq!(sorted, Vec::<Completion>::new());
    let names = Names::of(&parse(Language::Fp, "global b, a;").file, "global b, a;");
    let all = complete("global b, a; thread t { r = ", &names, 28);
    let location = Suggested::Name(Kind::Location { atomic: true });
    assert_eq!(all, ["a", "b"].map(|word| Completion { word: word.into(), kind: location }));
}
