//! C's operators: how they are written, and how tightly they bind. Every language that is read or
//! written has them, so whoever writes an expression writes it with [`Infix`].

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
    /// `~`
    BitNot,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&`
    BitAnd,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
}

impl UnaryOp {
    /// The operator as written.
    pub fn as_str(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::Not => "!",
            UnaryOp::BitNot => "~",
        }
    }
}

impl BinaryOp {
    /// Every operator.
    pub const ALL: &'static [BinaryOp] = &[
        BinaryOp::Or,
        BinaryOp::And,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
        BinaryOp::BitAnd,
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
        BinaryOp::Shl,
        BinaryOp::Shr,
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
    ];

    /// The operator as written.
    pub fn as_str(self) -> &'static str {
        match self {
            BinaryOp::Or => "||",
            BinaryOp::And => "&&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::BitAnd => "&",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
        }
    }

    /// How tightly it binds, as in C; all are left-associative.
    pub fn precedence(self) -> u8 {
        match self {
            BinaryOp::Or => 1,
            BinaryOp::And => 2,
            BinaryOp::BitOr => 3,
            BinaryOp::BitXor => 4,
            BinaryOp::BitAnd => 5,
            BinaryOp::Eq | BinaryOp::Ne => 6,
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 7,
            BinaryOp::Shl | BinaryOp::Shr => 8,
            BinaryOp::Add | BinaryOp::Sub => 9,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 10,
        }
    }
}

/// Binds tighter than every binary operator.
pub const UNARY: u8 = 11;

/// An expression as text, with no more parentheses than it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Infix {
    text: String,
    precedence: u8,
}

impl Infix {
    /// What needs no parentheses anywhere: a number, a name, a call.
    pub fn atom(text: impl Into<String>) -> Infix {
        Infix { text: text.into(), precedence: UNARY }
    }

    /// An operator in front of its operand.
    pub fn unary(op: UnaryOp, operand: Infix) -> Infix {
        Infix { text: format!("{}{}", op.as_str(), operand.within(UNARY)), precedence: UNARY }
    }

    /// An operator between its operands.
    pub fn binary(op: BinaryOp, left: Infix, right: Infix) -> Infix {
        let precedence = op.precedence();
        let text = format!("{} {} {}", left.within(precedence), op.as_str(), right.within(precedence + 1));
        Infix { text, precedence }
    }

    /// The text, where an expression stands alone.
    pub fn into_text(self) -> String {
        self.text
    }

    /// The text, where operators must bind at least as tightly as `floor`.
    fn within(self, floor: u8) -> String {
        if self.precedence < floor { format!("({})", self.text) } else { self.text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_are_written_where_they_are_needed() {
        let name = |name: &str| Infix::atom(name);
        let sum = |left, right| Infix::binary(BinaryOp::Add, left, right);
        let product = |left, right| Infix::binary(BinaryOp::Mul, left, right);
        assert_eq!(sum(product(name("a"), name("b")), name("c")).into_text(), "a * b + c");
        assert_eq!(product(sum(name("a"), name("b")), name("c")).into_text(), "(a + b) * c");
        assert_eq!(sum(sum(name("a"), name("b")), name("c")).into_text(), "a + b + c");
        assert_eq!(sum(name("a"), sum(name("b"), name("c"))).into_text(), "a + (b + c)");
        assert_eq!(Infix::unary(UnaryOp::Not, sum(name("a"), name("b"))).into_text(), "!(a + b)");
    }
}
