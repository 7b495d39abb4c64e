//! Laws of the parsers, the printer and the formatter, on generated texts.

use fencepost_base::source::Span;
use fencepost_syntax::ast::{
    Access, AccessKind, Automaton, BinaryOp, Block, Clause, Copies, Expr, ExprKind, Field, Fields, File, ForHead,
    Function, Head, Init, Instruction, Item, ItemKind, LocalDecl, Name, Place, SharedDecl, Stmt, StmtKind, Transition,
    UnaryOp, WaitCondition,
};
use fencepost_syntax::format::format;
use fencepost_syntax::lexer::lex;
use fencepost_syntax::print::print;
use fencepost_syntax::{Language, dump, is_method, parse};
use proptest::prelude::*;

const FP: &str = include_str!("samples/everything.fp");
const TPL: &str = include_str!("samples/everything.tpl");
const TXT: &str = include_str!("samples/everything.txt");
const LITMUS: &str = include_str!("samples/everything.litmus");

/// Pieces of text that mean something to some parser.
const PIECES: &[&str] = &[
    "thread",
    "initial",
    "transition",
    "end",
    "read",
    "write",
    "check",
    "mfence",
    "# c\n",
    "C n\n{}",
    "P0",
    "exists",
    "forall",
    "locations",
    "/\\",
    "\\/",
    "=>",
    "(*",
    "*)",
    "atomic_int",
    "atomic_load",
    "(*(int *)",
    "_Atomic",
    "**",
    "&x",
    "READ_ONCE(",
    "+=",
    "-1",
    "+x",
    "fn",
    "global",
    "nonatomic",
    "na",
    "proc",
    "local",
    "if",
    "else",
    "while",
    "do",
    "choose",
    "or",
    "oneof",
    "for (",
    "for",
    "return",
    "struct n",
    "n[1].f",
    ".f",
    "int x",
    "std::",
    "::",
    "++",
    "->",
    "goto",
    "wait",
    "fence",
    "lwfence",
    "nondet",
    "int",
    "wrap",
    "me",
    "domain",
    "max_value",
    "track",
    "const",
    "name",
    "x",
    "r",
    "l",
    "t",
    "acq",
    "rlx",
    "load",
    "store",
    "cas",
    "FADD",
    "CAS",
    "0",
    "1",
    "0x1f",
    "99999999999999999999",
    "12ab",
    "\"s\"",
    "\"",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ":",
    ",",
    ".",
    "=",
    "==",
    "!=",
    "<",
    "<=",
    ">>",
    "<<",
    "+",
    "-",
    "*",
    "/",
    "%",
    "&&",
    "||",
    "!",
    "&",
    "|",
    "^",
    "~",
    "//c\n",
    "/*c*/",
    "/*",
    "\n",
    "\n\n",
    " ",
    "é",
    "@",
    "\u{0}",
];

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec((prop::sample::select(PIECES), any::<bool>()), 0..80).prop_map(|pieces| {
        pieces.into_iter().map(|(piece, space)| format!("{piece}{}", if space { " " } else { "" })).collect()
    })
}

/// A sample with some of its tokens removed, doubled, or replaced.
fn mutated(sample: &'static str) -> impl Strategy<Value = String> {
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, prop::sample::select(PIECES)), 1..6);
    edits.prop_map(move |edits| {
        let mut pieces: Vec<String> = Vec::new();
        let mut end = 0;
        for token in lex(sample) {
            pieces.push(sample[end..token.span.range().start].to_owned());
            pieces.push(sample[token.span.range()].to_owned());
            end = token.span.range().end;
        }
        for (index, edit, piece) in edits {
            let index = index.index(pieces.len());
            match edit {
                0 => pieces[index].clear(),
                1 => pieces[index] = piece.to_owned(),
                2 => pieces[index] = pieces[index].repeat(2),
                _ => pieces.truncate(index + 1),
            }
        }
        pieces.concat()
    })
}

fn survives(text: &str) {
    for &language in Language::ALL {
        let parsed = parse(language, text);
        let listing = dump(&parsed.file);
        assert!(listing.starts_with("file"));
        let printed = print(&parsed.file);
        if let Ok(formatted) = format(language, text) {
            assert_eq!(format(language, &formatted).as_ref(), Ok(&formatted), "formatting twice differs");
            let strip = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            assert_eq!(strip(&formatted), strip(&text.replace('\u{feff}', "")), "formatting lost something");
        }
        if !parsed.messages.has_errors() && language != Language::Tpl {
            let again = parse(language, &printed);
            assert!(!again.messages.has_errors(), "{printed}\n{:#?}", again.messages.into_list());
            assert_eq!(listing_without_spans(&parsed.file), listing_without_spans(&again.file));
        }
        for diagnostic in parsed.messages.into_list() {
            let range = diagnostic.primary.span.range();
            assert!(text.get(range).is_some(), "span outside the text: {diagnostic:?}");
        }
    }
}

fn listing_without_spans(file: &File) -> String {
    dump(file).lines().map(|line| line.split("  @").next().unwrap_or("").to_owned() + "\n").collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_characters_are_survived(text in "\\PC{0,200}") {
        survives(&text);
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survives(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_tokens_are_survived(text in soup()) {
        survives(&text);
    }

    #[test]
    fn spoilt_samples_are_survived(
        fp in mutated(FP),
        tpl in mutated(TPL),
        txt in mutated(TXT),
        litmus in mutated(LITMUS),
    ) {
        survives(&fp);
        survives(&tpl);
        survives(&txt);
        survives(&litmus);
    }

    #[test]
    fn printing_then_parsing_is_identity(file in file()) {
        let text = print(&file);
        let parsed = parse(Language::Fp, &text);
        prop_assert!(!parsed.messages.has_errors(), "{}\n{:#?}", text, parsed.messages.into_list());
        prop_assert_eq!(listing_without_spans(&parsed.file), listing_without_spans(&file), "{}", text);
        let formatted = format(Language::Fp, &text).unwrap();
        let again = parse(Language::Fp, &formatted);
        prop_assert_eq!(listing_without_spans(&again.file), listing_without_spans(&file), "{}", formatted);
        prop_assert_eq!(format(Language::Fp, &formatted), Ok(formatted));
    }

    #[test]
    fn printing_automata_then_parsing_is_identity(file in automata()) {
        let text = print(&file);
        let parsed = parse(Language::Txt, &text);
        prop_assert!(!parsed.messages.has_errors(), "{}\n{:#?}", text, parsed.messages.into_list());
        prop_assert_eq!(listing_without_spans(&parsed.file), listing_without_spans(&file), "{}", text);
        let formatted = format(Language::Txt, &text).unwrap();
        let again = parse(Language::Txt, &formatted);
        prop_assert_eq!(listing_without_spans(&again.file), listing_without_spans(&file), "{}", formatted);
    }
}

#[test]
fn samples_parse_and_format() {
    for (language, sample) in
        [(Language::Fp, FP), (Language::Tpl, TPL), (Language::Txt, TXT), (Language::Litmus, LITMUS)]
    {
        let parsed = parse(language, sample);
        assert!(!parsed.messages.has_errors(), "{:#?}", parsed.messages.into_list());
        survives(sample);
    }
}

#[test]
fn long_and_deep_texts_do_not_exhaust_the_stack() {
    let many = 100_000;
    for (open, close) in
        [("(", ")"), ("{", "}"), ("-", ""), ("if (1) ", ""), ("int(", ")"), ("a[", "]"), ("for (;;) ", "")]
    {
        survives(&format!("thread t {{ r = {}1{}; }}", open.repeat(many), close.repeat(many)));
        survives(&format!("C t\n{{}} P0 () {{ r = {}1{}; }}", open.repeat(many), close.repeat(many)));
        survives(&format!(
            "C t\n{{}} P0 () {{ {} ; {} }} exists {}x=1",
            open.repeat(many),
            close.repeat(many),
            "~(".repeat(many)
        ));
        survives(&format!("thread t {{ {} skip; {} }}", open.repeat(many), close.repeat(many)));
    }
    survives(&format!("thread t {{ r = 1{}; }}", " + 1".repeat(many)));
    survives(&format!("thread t {{ {} }}", "if (1) { skip; } else ".repeat(many) + "{ }"));
    for open in ["! ", "+ ", "+ 1 "] {
        survives(&format!("thread t initial q transition q q check {} end", open.repeat(many)));
    }
    survives(&format!("thread t {} end", "transition q r write 1 0 ".repeat(many)));
    survives(&"thread t ".repeat(many));
    survives(&"{".repeat(many));
    survives(&"}".repeat(many));
}

// Random trees.

fn span() -> Span {
    Span::default()
}

fn name() -> impl Strategy<Value = Name> {
    prop::sample::select(&["a", "b1", "_x", "name", "load", "rlx", "for", "struct"][..])
        .prop_map(|text| Name { text: text.into(), span: span() })
}

/// A field cannot be called like an operation.
fn field_name() -> impl Strategy<Value = Name> {
    name().prop_filter("an operation", |name| !is_method(&name.text))
}

fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        (0..=i64::MAX).prop_map(ExprKind::Int),
        (0i64..5).prop_map(ExprKind::Int),
        name().prop_map(|name| ExprKind::Name(name.text)),
        Just(ExprKind::Me),
    ]
    .prop_map(|kind| Expr { kind, span: span() });
    leaf.prop_recursive(5, 24, 2, |inner| {
        let boxed = inner.prop_map(Box::new);
        let unary = prop::sample::select(&[UnaryOp::Neg, UnaryOp::Not, UnaryOp::BitNot][..]);
        prop_oneof![
            (unary, boxed.clone()).prop_map(|(op, operand)| ExprKind::Unary(op, operand)),
            (prop::sample::select(BinaryOp::ALL), boxed.clone(), boxed.clone())
                .prop_map(|(op, left, right)| ExprKind::Binary(op, left, right)),
            boxed.clone().prop_map(ExprKind::Integer),
            boxed.clone().prop_map(ExprKind::Wrap),
            (name(), boxed.clone()).prop_map(|(name, index)| {
                ExprKind::Element(Box::new(Place { index: Some(*index), ..Place::named(name) }))
            }),
            (name(), prop::option::of(boxed.clone()), field_name(), prop::option::of(boxed)).prop_map(
                |(name, index, field, inner)| {
                    let field = Some(Box::new(Field { name: field, index: inner.map(|inner| *inner) }));
                    ExprKind::Element(Box::new(Place { index: index.map(|index| *index), field, ..Place::named(name) }))
                }
            ),
        ]
        .prop_map(|kind| Expr { kind, span: span() })
    })
}

fn place() -> impl Strategy<Value = Place> {
    let field = (field_name(), prop::option::of(expr())).prop_map(|(name, index)| Field { name, index });
    (name(), prop::option::of(expr()), prop::option::weighted(0.3, field)).prop_map(|(name, index, field)| Place {
        index,
        field: field.map(Box::new),
        ..Place::named(name)
    })
}

fn access() -> impl Strategy<Value = Access> {
    let order = || prop::collection::vec(name(), 0..2);
    let kind = prop_oneof![
        order().prop_map(|orders| (AccessKind::Load, "load", orders)),
        (expr(), order()).prop_map(|(value, orders)| (AccessKind::Store(value), "store", orders)),
        (prop::sample::select(&[Function::Add, Function::Or, Function::Exchange][..]), expr(), order())
            .prop_map(|(function, value, orders)| (AccessKind::Update(function, value), function.as_str(), orders)),
        (expr(), expr(), any::<bool>(), prop::collection::vec(name(), 0..3)).prop_map(
            |(expected, desired, weak, orders)| {
                let word = if weak { "casw" } else { "cas" };
                (AccessKind::Cas { expected, desired, weak }, word, orders)
            }
        ),
        (expr(), expr(), order()).prop_map(|(expected, desired, orders)| (
            AccessKind::BlockingCas { expected, desired },
            "bcas",
            orders
        )),
    ];
    (kind, place()).prop_map(|((kind, word, orders), place)| Access {
        kind,
        word: Name { text: word.into(), span: span() },
        place,
        orders,
    })
}

fn simple_stmt() -> impl Strategy<Value = StmtKind> {
    prop_oneof![
        prop::collection::vec((name(), prop::option::of(expr())), 1..3).prop_map(|locals| StmtKind::Local(
            locals.into_iter().map(|(name, init)| LocalDecl { name, init }).collect()
        )),
        (place(), expr()).prop_map(|(target, value)| StmtKind::Assign { target, value }),
        (prop::option::of(place()), access()).prop_map(|(result, access)| StmtKind::Access { result, access }),
        (prop::option::of(place()), expr(), prop::option::of(name())).prop_map(|(result, condition, order)| {
            StmtKind::Wait { result, condition: WaitCondition::Compare(condition), order }
        }),
        (place(), expr(), expr()).prop_map(|(target, low, high)| StmtKind::Nondet { target, low, high }),
        prop::option::of(name()).prop_map(StmtKind::Fence),
        prop::collection::vec(place(), 0..3).prop_map(StmtKind::LightFence),
        (prop::option::of(place()), name(), prop::collection::vec(expr(), 0..3))
            .prop_map(|(result, name, args)| StmtKind::Call { result, name, args }),
        prop::option::of(expr()).prop_map(StmtKind::Return),
        expr().prop_map(StmtKind::Assume),
        expr().prop_map(StmtKind::Assert),
        expr().prop_map(StmtKind::Verify),
        expr().prop_map(StmtKind::Bound),
        name().prop_map(StmtKind::Goto),
        name().prop_map(StmtKind::Label),
        Just(StmtKind::Break),
        Just(StmtKind::Continue),
        Just(StmtKind::Skip),
    ]
}

/// A part of the head of a `for`.
fn part_of_for() -> impl Strategy<Value = Option<Box<Stmt>>> {
    let fits = |kind: &StmtKind| {
        matches!(
            kind,
            StmtKind::Assign { .. }
                | StmtKind::Access { .. }
                | StmtKind::Wait { .. }
                | StmtKind::Nondet { .. }
                | StmtKind::Call { .. }
        )
    };
    let stmt = simple_stmt().prop_filter("no assignment", fits);
    prop::option::of(stmt.prop_map(|kind| Box::new(Stmt { kind, span: span() })))
}

fn block_of(stmt: impl Strategy<Value = Stmt> + Clone) -> impl Strategy<Value = Block> + Clone {
    prop::collection::vec(stmt, 0..4).prop_map(|stmts| Block { stmts, span: span() })
}

fn stmt() -> impl Strategy<Value = Stmt> + Clone {
    let leaf = simple_stmt().prop_map(|kind| Stmt { kind, span: span() });
    leaf.prop_recursive(3, 20, 4, |inner| {
        let block = || block_of(inner.clone());
        let head = || expr().prop_map(|cond| Head { cond, span: span() });
        prop_oneof![
            (prop::collection::vec((head(), block()), 1..3), prop::option::of(block()))
                .prop_map(|(arms, otherwise)| StmtKind::If { arms, otherwise }),
            (head(), block()).prop_map(|(head, body)| StmtKind::While(head, body)),
            (head(), block()).prop_map(|(head, body)| StmtKind::DoWhile(body, head)),
            (part_of_for(), prop::option::of(expr()), part_of_for(), block()).prop_map(|(first, cond, step, body)| {
                StmtKind::For(ForHead { first, cond, step, span: span() }, body)
            }),
            prop::collection::vec(block(), 1..4).prop_map(StmtKind::Choose),
            block().prop_map(StmtKind::Atomic),
            block().prop_map(StmtKind::Block),
        ]
        .prop_map(|kind| Stmt { kind, span: span() })
    })
    .boxed()
}

fn declaration(name: impl Strategy<Value = Name>) -> impl Strategy<Value = SharedDecl> {
    (
        name,
        prop::option::of(expr()),
        prop::option::of(prop_oneof![
            expr().prop_map(Init::Value),
            prop::collection::vec(expr(), 1..3).prop_map(|values| Init::List(values, span())),
        ]),
    )
        .prop_map(|(name, len, init)| SharedDecl { name, len, init })
}

fn copies() -> impl Strategy<Value = Copies> {
    prop_oneof![expr().prop_map(Copies::Number), prop::option::of(expr()).prop_map(Copies::Any)]
}

fn file() -> impl Strategy<Value = File> {
    let fields = (any::<bool>(), prop::collection::vec(declaration(field_name()), 1..3))
        .prop_map(|(atomic, declarations)| Fields { atomic, declarations, span: span() });
    let item = prop_oneof![
        "[a-z\"\\\\\n\t ]{0,8}".prop_map(ItemKind::Name),
        expr().prop_map(ItemKind::Domain),
        (name(), expr()).prop_map(|(name, value)| ItemKind::Const(name, value)),
        (any::<bool>(), prop::collection::vec(declaration(name()), 1..3))
            .prop_map(|(atomic, declarations)| ItemKind::Shared { atomic, declarations }),
        (name(), prop::option::of(expr()), prop::collection::vec(fields, 0..3))
            .prop_map(|(name, len, fields)| ItemKind::Struct { name, len, fields }),
        (name(), prop::collection::vec(name(), 0..3), block_of(stmt()))
            .prop_map(|(name, params, body)| ItemKind::Proc { name, params, body }),
        (name(), prop::option::of(copies()), block_of(stmt())).prop_map(|(name, copies, body)| ItemKind::Thread {
            name,
            copies,
            body
        }),
    ]
    .prop_map(|kind| Item { kind, span: span() });
    prop::collection::vec(item, 0..4).prop_map(|items| File { language: Language::Fp, items })
}

fn word() -> impl Strategy<Value = Name> {
    prop::sample::select(&["q0", "r", "flag[1]", "end", "x'", "é", "lock"][..])
        .prop_map(|text| Name { text: text.into(), span: span() })
}

fn register() -> impl Strategy<Value = Name> {
    word().prop_filter("a register cannot be called `end`", |name| name.text != "end")
}

fn prefix_expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        any::<i32>().prop_map(i64::from).prop_map(ExprKind::Int),
        register().prop_map(|name| ExprKind::Name(name.text))
    ]
    .prop_map(|kind| Expr { kind, span: span() });
    leaf.prop_recursive(5, 24, 2, |inner| {
        let boxed = inner.prop_map(Box::new);
        let op =
            prop::sample::select(&[BinaryOp::Eq, BinaryOp::Sub, BinaryOp::And, BinaryOp::BitAnd, BinaryOp::Ge][..]);
        prop_oneof![
            boxed.clone().prop_map(|operand| ExprKind::Unary(UnaryOp::Not, operand)),
            (op, boxed.clone(), boxed).prop_map(|(op, left, right)| ExprKind::Binary(op, left, right)),
        ]
        .prop_map(|kind| Expr { kind, span: span() })
    })
}

fn automata() -> impl Strategy<Value = File> {
    let instruction = prop_oneof![
        (register(), prefix_expr()).prop_map(|(register, e)| Instruction::Read(register, e)),
        (prefix_expr(), prefix_expr()).prop_map(|(value, address)| Instruction::Write(value, address)),
        (register(), prefix_expr()).prop_map(|(register, e)| Instruction::Local(register, e)),
        prefix_expr().prop_map(Instruction::Check),
        prop::sample::select(&[Instruction::Mfence, Instruction::Lock, Instruction::Unlock, Instruction::Noop][..]),
    ];
    let clause = prop_oneof![
        word().prop_map(|state| Clause::Initial(state, span())),
        (word(), word(), instruction).prop_map(|(from, to, instruction)| {
            Clause::Transition(Transition { from, to, instruction, span: span() })
        }),
    ];
    let automaton = (register(), prop::collection::vec(clause, 0..6))
        .prop_map(|(name, clauses)| Item { kind: ItemKind::Automaton(Automaton { name, clauses }), span: span() });
    prop::collection::vec(automaton, 0..4).prop_map(|items| File { language: Language::Txt, items })
}
