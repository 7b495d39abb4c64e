//! The syntax tree. `.fp` and TPL produce statements, so there is one lowering
//! of these; Trencher's language produces automata and C litmus tests produce
//! procedures ([`litmus`]), which have theirs.
//!
//! Names are not resolved and orders are not understood here: an order is the
//! word that was written. Every node has its span; a statement's span leaves
//! out the closing `;`.

pub mod litmus;

pub use fencepost_base::operator::{BinaryOp, UnaryOp};
use fencepost_base::source::Span;

use crate::language::Language;

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The language it is written in.
    pub language: Language,
    /// Its items, in order.
    pub items: Vec<Item>,
}

/// A word and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The word.
    pub text: String,
    /// Where it is.
    pub span: Span,
}

/// A top-level item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Where it is.
    pub span: Span,
}

/// Top-level items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// `name "text";`
    Name(String),
    /// `domain n;`
    Domain(Expr),
    /// `max_value n;` (TPL)
    MaxValue(Expr),
    /// `const n = e;`
    Const(Name, Expr),
    /// `global …;`, `nonatomic …;`
    Shared {
        /// May the locations be accessed atomically (or else plainly)?
        atomic: bool,
        /// The locations.
        declarations: Vec<SharedDecl>,
    },
    /// `struct node[4] { global next; nonatomic value; }`
    Struct {
        /// Name.
        name: Name,
        /// Number of elements, for an array.
        len: Option<Expr>,
        /// The locations that each element has.
        fields: Vec<Fields>,
    },
    /// `track x: 0, 1;` (TPL): advice for another tool.
    Track {
        /// The location.
        name: Name,
        /// The values; none for `all`.
        values: Vec<Expr>,
    },
    /// `proc p(…) { … }`
    Proc {
        /// Name.
        name: Name,
        /// Parameters.
        params: Vec<Name>,
        /// Body.
        body: Block,
    },
    /// `thread t { … }`
    Thread {
        /// Name.
        name: Name,
        /// Number of copies.
        copies: Option<Copies>,
        /// Body.
        body: Block,
    },
    /// `thread t … end` (Trencher)
    Automaton(Automaton),
    /// `{ x = 1; … }` (C litmus tests)
    Initial(Vec<litmus::Initial>),
    /// `P0 (…) { … }` (C litmus tests)
    Procedure(litmus::Procedure),
    /// `locations [x; 0:r0;]` (C litmus tests)
    Locations(Vec<litmus::Observable>),
    /// `filter (…)` (C litmus tests)
    Filter(litmus::Formula),
    /// `exists (…)` (C litmus tests)
    Condition(litmus::Quantifier, litmus::Formula),
}

/// How many copies of a thread there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Copies {
    /// `[3]`
    Number(Expr),
    /// `[*]`, or `[2..*]`: any number, of at least so many.
    Any(Option<Expr>),
}

/// A thread whose text is an automaton. A state is there by being mentioned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// Name.
    pub name: Name,
    /// What is said about it, in order.
    pub clauses: Vec<Clause>,
}

/// A line of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clause {
    /// `initial q`: the state in which it starts.
    Initial(Name, Span),
    /// `transition q r …`
    Transition(Transition),
}

/// A way from one control state to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The state it leaves.
    pub from: Name,
    /// The state it leads to.
    pub to: Name,
    /// What is done on the way.
    pub instruction: Instruction,
    /// From the word `transition` to the last operand.
    pub span: Span,
}

/// What a transition does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// `read register address`
    Read(Name, Expr),
    /// `write value address`
    Write(Expr, Expr),
    /// `local register value`
    Local(Name, Expr),
    /// `check condition`: blocks while it is 0.
    Check(Expr),
    /// `mfence`
    Mfence,
    /// `lock`
    Lock,
    /// `unlock`
    Unlock,
    /// `noop`
    Noop,
}

impl Instruction {
    /// The words that begin an instruction, and what they take.
    pub const WORDS: &'static [(&'static str, &'static str)] = &[
        ("read", "a register and an address"),
        ("write", "a value and an address"),
        ("local", "a register and a value"),
        ("check", "a condition"),
        ("mfence", "nothing"),
        ("lock", "nothing"),
        ("unlock", "nothing"),
        ("noop", "nothing"),
    ];

    /// The word it begins with.
    pub fn word(&self) -> &'static str {
        match self {
            Instruction::Read(..) => "read",
            Instruction::Write(..) => "write",
            Instruction::Local(..) => "local",
            Instruction::Check(_) => "check",
            Instruction::Mfence => "mfence",
            Instruction::Lock => "lock",
            Instruction::Unlock => "unlock",
            Instruction::Noop => "noop",
        }
    }
}

/// One line of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    /// May they be accessed atomically (or else plainly)?
    pub atomic: bool,
    /// The locations.
    pub declarations: Vec<SharedDecl>,
    /// Where it is, without the closing `;`.
    pub span: Span,
}

/// One shared location or array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedDecl {
    /// Name.
    pub name: Name,
    /// Number of elements, for an array.
    pub len: Option<Expr>,
    /// Initial value or values.
    pub init: Option<Init>,
}

/// Initial values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Init {
    /// One value (for every element of an array).
    Value(Expr),
    /// `{ … }`: one value for each element.
    List(Vec<Expr>, Span),
}

/// `{ … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its statements.
    pub stmts: Vec<Stmt>,
    /// Where it is, braces included.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it is, without the closing `;`.
    pub span: Span,
}

/// Statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// `local r, s = 1;`
    Local(Vec<LocalDecl>),
    /// `place = value;`
    Assign {
        /// A register or a non-atomic location.
        target: Place,
        /// What it becomes.
        value: Expr,
    },
    /// `r = x.fadd(1);` and the like, with or without result.
    Access {
        /// Register for the result.
        result: Option<Place>,
        /// The operation.
        access: Access,
    },
    /// `r = wait(x == 1, acq);`
    Wait {
        /// Register for the result.
        result: Option<Place>,
        /// What is waited for.
        condition: WaitCondition,
        /// Order.
        order: Option<Name>,
    },
    /// `r = nondet(low, high);`
    Nondet {
        /// Register for the result.
        target: Place,
        /// Least value.
        low: Expr,
        /// Greatest value.
        high: Expr,
    },
    /// `fence(order);`
    Fence(Option<Name>),
    /// `lwfence(x, y);`; without names: everything.
    LightFence(Vec<Place>),
    /// `r = p(…);`
    Call {
        /// Register for the result.
        result: Option<Place>,
        /// The procedure.
        name: Name,
        /// The arguments; a location looks like an expression here.
        args: Vec<Expr>,
    },
    /// `assume(e);`
    Assume(Expr),
    /// `assert(e);`
    Assert(Expr),
    /// `verify(e);`
    Verify(Expr),
    /// `bound(e);`
    Bound(Expr),
    /// `atomic { … }`
    Atomic(Block),
    /// `if (…) … else if (…) … else …`
    If {
        /// Conditions with what to do; the span covers the keyword and the condition.
        arms: Vec<(Head, Block)>,
        /// What to do otherwise.
        otherwise: Option<Block>,
    },
    /// `while (…) { … }`
    While(Head, Block),
    /// `do { … } while (…);`
    DoWhile(Block, Head),
    /// `for (i = 0; i < n; i = i + 1) { … }`
    For(ForHead, Block),
    /// `choose { … } or { … }`, `oneof({ … } { … });`
    Choose(Vec<Block>),
    /// `{ … }`
    Block(Block),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `goto l;`
    Goto(Name),
    /// `return;`, `return e;`
    Return(Option<Expr>),
    /// `l:`
    Label(Name),
    /// `skip;`
    Skip,
}

/// A condition with its keyword.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The condition.
    pub cond: Expr,
    /// From the keyword to the closing parenthesis.
    pub span: Span,
}

/// The three parts of a `for` loop. Any of them can be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForHead {
    /// What is done first.
    pub first: Option<Box<Stmt>>,
    /// Before every round: is there one more?
    pub cond: Option<Expr>,
    /// What is done after every round.
    pub step: Option<Box<Stmt>>,
    /// From the keyword to the closing parenthesis.
    pub span: Span,
}

/// One register of a `local` statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalDecl {
    /// Name.
    pub name: Name,
    /// Initial value.
    pub init: Option<Expr>,
}

/// A named thing, an element of a named array, or a field of one of these: `x`, `a[i]`, `q.head`,
/// `node[i].next`, `q.slot[i]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name.
    pub name: Name,
    /// The index.
    pub index: Option<Expr>,
    /// The field, of a struct. Most places have none: it is not to cost all of them much.
    pub field: Option<Box<Field>>,
    /// Where it is.
    pub span: Span,
}

impl Place {
    /// The thing of this name as a whole.
    pub fn named(name: Name) -> Place {
        let span = name.span;
        Place { name, index: None, field: None, span }
    }

    /// Is it just a name?
    pub fn is_name(&self) -> bool {
        self.index.is_none() && self.field.is_none()
    }

    /// The expressions in it.
    pub fn indices(&self) -> impl Iterator<Item = &Expr> {
        self.index.iter().chain(self.field.iter().filter_map(|field| field.index.as_ref()))
    }
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name.
    pub name: Name,
    /// The index, if the field is an array.
    pub index: Option<Expr>,
}

/// A memory operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// What is done.
    pub kind: AccessKind,
    /// The word that says so.
    pub word: Name,
    /// Where it is done.
    pub place: Place,
    /// The orders, as written.
    pub orders: Vec<Name>,
}

/// Memory operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// `x.load()`
    Load,
    /// `x.store(value)`
    Store(Expr),
    /// `x.fadd(operand)` and the like.
    Update(Function, Expr),
    /// `x.cas(expected, desired)`
    Cas {
        /// Expected value.
        expected: Expr,
        /// New value.
        desired: Expr,
        /// May it fail for no reason?
        weak: bool,
    },
    /// `x.bcas(expected, desired)`
    BlockingCas {
        /// Expected value.
        expected: Expr,
        /// New value.
        desired: Expr,
    },
    /// `d.naload()` (TPL)
    PlainLoad,
    /// `d.nastore(value)` (TPL)
    PlainStore(Expr),
    /// `lock(l)` (TPL)
    Lock,
    /// `unlock(l)` (TPL)
    Unlock,
}

/// What a read-modify-write computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `fadd`
    Add,
    /// `fsub`
    Sub,
    /// `fand`
    And,
    /// `for`
    Or,
    /// `fxor`
    Xor,
    /// `xchg`
    Exchange,
}

/// What a `wait` waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitCondition {
    /// `x == 1 || x == 3`: comparisons of one place with expressions.
    Compare(Expr),
    /// `x, 1, 3` (TPL): one of these values.
    Values(Place, Vec<Expr>),
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is, its parentheses included.
    pub span: Span,
}

/// Expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A number, `true` or `false`.
    Int(i64),
    /// A name.
    Name(String),
    /// An array element or a field (only where a place is meant).
    Element(Box<Place>),
    /// `me`: the number of this copy of a thread.
    Me,
    /// A unary operator.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `int(e)`: `e` computed in integers, nothing reduced into the domain.
    Integer(Box<Expr>),
    /// `wrap(e)`: `e` reduced into the domain.
    Wrap(Box<Expr>),
    /// What could not be understood; a diagnostic says why.
    Error,
}

impl Function {
    /// The name of the method in `.fp`.
    pub fn as_str(self) -> &'static str {
        match self {
            Function::Add => "fadd",
            Function::Sub => "fsub",
            Function::And => "fand",
            Function::Or => "for",
            Function::Xor => "fxor",
            Function::Exchange => "xchg",
        }
    }
}
