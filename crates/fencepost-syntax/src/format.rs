//! The formatter: the same tokens and comments, laid out in the one usual way.
//!
//! Works on tokens, not on the tree, so nothing can get lost: the result has
//! exactly the tokens and comments of the input, which is checked before it is
//! handed out. Formatting what was formatted changes nothing.
//!
//! Layout: two spaces for each level of braces; one statement per line, but a
//! short block of one statement may stay on one line; single blank lines are
//! kept; a comment stays on its line or on a line of its own, as it was. The
//! lines of an automaton are laid out in columns (`txt`); litmus tests keep theirs.

mod txt;

use fencepost_base::diag::Diagnostic;

use crate::language::Language;
use crate::lexer::{Token, TokenKind, lex};
use crate::parse::parse;

/// Longest line that a block may share with what is before it.
const WIDTH: usize = 100;

/// Formats a text that has no syntax errors; otherwise says what is wrong with it.
pub fn format(language: Language, text: &str) -> Result<String, Vec<Diagnostic>> {
    let parsed = parse(language, text);
    if parsed.messages.has_errors() {
        return Err(parsed.messages.into_list());
    }
    if language == Language::Txt {
        return Ok(txt::format(&parsed.file, text));
    }
    if language == Language::Litmus {
        return Ok(without_trailing_blanks(text));
    }
    let tokens = lex(text);
    let mut formatter = Formatter {
        language,
        text,
        tokens: &tokens,
        out: String::with_capacity(text.len()),
        braces: Vec::new(),
        line_break: false,
        mid_statement: false,
    };
    for index in 0..tokens.len() {
        formatter.token(index);
    }
    let mut out = formatter.out;
    if !out.is_empty() {
        out.push('\n');
    }
    Ok(if same_tokens(text, &tokens, &out) { out } else { text.to_owned() })
}

/// Litmus tests are laid out by their authors, often in columns: only blanks at the ends of lines
/// and of the file go.
fn without_trailing_blanks(text: &str) -> String {
    let text = text.replace('\u{feff}', "");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let text = lines.join("\n");
    let text = text.trim_end();
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

fn same_tokens(text: &str, tokens: &[Token], out: &str) -> bool {
    let again = lex(out);
    tokens.len() == again.len()
        && tokens
            .iter()
            .zip(&again)
            .all(|(before, after)| before.kind == after.kind && text[before.span.range()] == out[after.span.range()])
}

/// What an open brace belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brace {
    /// A block over several lines.
    Block,
    /// The body of a `do`, over several lines.
    DoBlock,
    /// A block on one line.
    Line,
    /// Initial values of an array.
    List,
    /// The parentheses of a `for`, on one line.
    Head,
}

struct Formatter<'a> {
    language: Language,
    text: &'a str,
    tokens: &'a [Token],
    out: String,
    braces: Vec<Brace>,
    /// The next token starts a line.
    line_break: bool,
    /// The next token continues a statement.
    mid_statement: bool,
}

impl Formatter<'_> {
    fn slice(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| &self.text[token.span.range()])
    }

    fn kind(&self, index: usize) -> TokenKind {
        self.tokens.get(index).map_or(TokenKind::End, |token| token.kind)
    }

    /// Line breaks in the source before a token.
    fn breaks_before(&self, index: usize) -> usize {
        let start = index.checked_sub(1).map_or(0, |previous| self.tokens[previous].span.end as usize);
        let end = self.tokens.get(index).map_or(self.text.len(), |token| token.span.start as usize);
        self.text[start..end].matches('\n').count()
    }

    fn token(&mut self, index: usize) {
        let kind = self.kind(index);
        let after_comment = index > 0 && self.kind(index - 1) == TokenKind::LineComment;
        let breaks = self.breaks_before(index);
        let own_line = match kind {
            _ if index == 0 => false,
            _ if after_comment => true,
            TokenKind::LineComment | TokenKind::BlockComment => breaks > 0,
            TokenKind::Semicolon => self.line_break && self.kind(index - 1).is_comment(),
            TokenKind::RightBrace => {
                self.kind(index - 1) != TokenKind::LeftBrace
                    && matches!(self.braces.last(), Some(Brace::Block | Brace::DoBlock) | None)
            }
            _ => self.line_break,
        };
        let trailing = kind.is_comment() && !own_line && index > 0;
        let closes = kind == TokenKind::RightBrace || (kind == TokenKind::RightParen && self.in_head());
        let closed = if closes { self.braces.pop() } else { None };
        if own_line {
            self.new_line(index, breaks);
        } else if index > 0 && self.space_before(index, closed) {
            self.out.push(' ');
        }
        let slice = &self.text[self.tokens[index].span.range()];
        self.out.push_str(slice);
        self.after(index, trailing, closed);
    }

    fn new_line(&mut self, index: usize, breaks: usize) {
        self.out.push('\n');
        let inside = index > 0 && self.kind(index - 1) == TokenKind::LeftBrace;
        if breaks > 1 && !inside && self.kind(index) != TokenKind::RightBrace && !self.mid_statement {
            self.out.push('\n');
        }
        let blocks = self.braces.iter().filter(|brace| matches!(brace, Brace::Block | Brace::DoBlock)).count();
        let continued = self.mid_statement && self.kind(index) != TokenKind::RightBrace;
        for _ in 0..blocks + usize::from(continued) {
            self.out.push_str("  ");
        }
    }

    /// Decides what the token just written means for the next one.
    fn after(&mut self, index: usize, trailing: bool, closed: Option<Brace>) {
        match self.kind(index) {
            TokenKind::LineComment => self.line_break = true,
            TokenKind::BlockComment => {
                // A comment behind a finished statement belongs to that line.
                self.line_break = (trailing && self.line_break) || self.breaks_before(index + 1) > 0;
            }
            TokenKind::Semicolon => {
                self.mid_statement = self.in_head();
                self.line_break = !matches!(self.braces.last(), Some(Brace::Line | Brace::Head));
            }
            TokenKind::LeftParen if self.in_head() || self.is_for(index.wrapping_sub(1)) => {
                self.braces.push(Brace::Head);
                self.line_break = false;
                self.mid_statement = true;
            }
            TokenKind::LeftBrace => {
                let brace = self.brace(index);
                self.braces.push(brace);
                self.line_break = matches!(brace, Brace::Block | Brace::DoBlock);
                self.mid_statement = brace == Brace::List;
            }
            TokenKind::RightBrace => {
                self.line_break = closed != Some(Brace::List) && !self.joins(index + 1, closed);
                self.mid_statement = !self.line_break;
            }
            TokenKind::Colon if !self.braces.is_empty() => {
                self.line_break = self.breaks_before(index + 1) > 0 && self.braces.last() != Some(&Brace::Line);
                self.mid_statement = false;
            }
            _ => {
                self.line_break = false;
                self.mid_statement = true;
            }
        }
    }

    /// Is it within the parentheses of a `for`?
    fn in_head(&self) -> bool {
        self.braces.last() == Some(&Brace::Head)
    }

    /// Is it the word before such parentheses, and no operation of this name?
    fn is_for(&self, index: usize) -> bool {
        self.language == Language::Fp
            && self.slice(index) == "for"
            && !index.checked_sub(1).is_some_and(|before| self.kind(before) == TokenKind::Dot)
    }

    /// What the brace at `index` opens.
    fn brace(&self, index: usize) -> Brace {
        if index > 0 && self.kind(index - 1) == TokenKind::Equals {
            return Brace::List;
        }
        let block = if index > 0 && self.slice(index - 1) == "do" { Brace::DoBlock } else { Brace::Block };
        let line = self.out.rfind('\n').map_or(0, |end| end + 1);
        let mut width = self.out.len() - line;
        let (mut statements, mut parens) = (0, 0usize);
        for next in index + 1.. {
            if self.kind(next) == TokenKind::RightBrace && next == index + 1 {
                return Brace::Line;
            }
            if self.breaks_before(next) > 0 {
                return block;
            }
            width += self.slice(next).len() + 1;
            match self.kind(next) {
                TokenKind::RightBrace => break,
                TokenKind::LeftBrace | TokenKind::LineComment | TokenKind::BlockComment | TokenKind::End => {
                    return block;
                }
                TokenKind::LeftParen => parens += 1,
                TokenKind::RightParen => parens = parens.saturating_sub(1),
                TokenKind::Semicolon if parens == 0 => statements += 1,
                _ => {}
            }
        }
        if statements <= 1 && width <= WIDTH { Brace::Line } else { block }
    }

    /// Does the token after a closing brace stay on its line?
    fn joins(&self, next: usize, closed: Option<Brace>) -> bool {
        match self.kind(next) {
            TokenKind::RightParen | TokenKind::Semicolon | TokenKind::Comma | TokenKind::LeftBrace => true,
            TokenKind::Word => match self.slice(next) {
                "else" => true,
                "or" => self.language == Language::Fp,
                "while" => closed == Some(Brace::DoBlock) || (closed == Some(Brace::Line) && self.after_do(next)),
                _ => false,
            },
            _ => false,
        }
    }

    /// Is the one-line block before `next` the body of a `do`?
    fn after_do(&self, next: usize) -> bool {
        let open = self.tokens[..next].iter().rposition(|token| token.kind == TokenKind::LeftBrace);
        open.and_then(|open| open.checked_sub(1)).is_some_and(|before| self.slice(before) == "do")
    }

    /// Is there a space between the token before and this one, on one line?
    fn space_before(&self, index: usize, closed: Option<Brace>) -> bool {
        use TokenKind::{
            Bang, BlockComment, Colon, Comma, Dot, LeftBrace, LeftBracket, LeftParen, LineComment, Minus, RightBrace,
            RightBracket, RightParen, Semicolon, Tilde, Word,
        };
        let (before, here) = (self.kind(index - 1), self.kind(index));
        match (before, here) {
            (LeftBrace, RightBrace) => false,
            (LeftBrace, _) => self.braces.last() != Some(&Brace::List),
            (_, RightBrace) => closed != Some(Brace::List),
            (LeftParen | LeftBracket, BlockComment) => false,
            (_, BlockComment | LineComment) => true,
            (_, Semicolon | Comma | RightParen | RightBracket | Dot | Colon) => false,
            (LeftParen | LeftBracket | Dot | Bang | Tilde, _) => false,
            (Minus, _) if self.is_unary(index - 1) => false,
            (_, LeftBracket) => false,
            (Word, LeftParen) => {
                self.is_for(index - 1)
                    || matches!(self.slice(index - 1), "if" | "while" | "return" | "domain" | "max_value")
            }
            (_, LeftParen) => !matches!(before, RightParen | RightBracket),
            _ => true,
        }
    }

    /// Is the minus at `index` a sign rather than a subtraction?
    fn is_unary(&self, index: usize) -> bool {
        let before = (0..index).rev().find(|&before| !self.kind(before).is_comment());
        let Some(before) = before else { return true };
        match self.kind(before) {
            TokenKind::Number | TokenKind::RightParen | TokenKind::RightBracket => false,
            TokenKind::Word => matches!(self.slice(before), "domain" | "max_value" | "return"),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: Language, text: &str, wanted: &str) {
        assert_eq!(format(language, text).as_deref(), Ok(wanted));
        assert_eq!(format(language, wanted).as_deref(), Ok(wanted));
    }

    #[test]
    fn spacing_is_canonical() {
        check(
            Language::Fp,
            "domain   4 ;global x,y=1 , a[ 3 ]={1,2 ,3};\nproc p( l ){l . store( -1+ - 2 ,rlx) ;}\nthread t[2]{if(r==1)goto l;l:skip;}",
            "domain 4;\nglobal x, y = 1, a[3] = {1, 2, 3};\nproc p(l) { l.store(-1 + -2, rlx); }\n\
             thread t[2] {\n  if (r == 1) goto l;\n  l: skip;\n}\n",
        );
    }

    #[test]
    fn comments_and_blank_lines_stay() {
        check(
            Language::Fp,
            "//: ra robust\n\n\n\nglobal x; // here\nthread t {// open\n\n  x.store(/*v*/1); /* after */ x.load();\n\n\n  // last\n\n}\n// end",
            "//: ra robust\n\nglobal x; // here\nthread t { // open\n\n  x.store(/*v*/ 1); /* after */\n  x.load();\n\n  // last\n}\n// end\n",
        );
    }

    #[test]
    fn blocks_join_their_continuations() {
        check(
            Language::Fp,
            "thread t {\nif (1) {\nskip;\n}\nelse if (2) { skip; } else {\n}\ndo {\nskip; skip;\n}\nwhile (1);\nchoose { skip; }\nor { }\nwhile (1) {}\n}",
            "thread t {\n  if (1) {\n    skip;\n  } else if (2) { skip; } else {}\n  do {\n    skip;\n    skip;\n  } while (1);\n  choose { skip; } or {}\n  while (1) {}\n}\n",
        );
    }

    #[test]
    fn sections_are_blocks() {
        check(
            Language::Fp,
            "thread t {\natomic{bound( r<2 );}\natomic\n{x.store(1);y.store(1);}\n}",
            "thread t {\n  atomic { bound(r < 2); }\n  atomic {\n    x.store(1);\n    y.store(1);\n  }\n}\n",
        );
    }

    #[test]
    fn loops_and_structs_are_laid_out() {
        check(
            Language::Fp,
            "struct node[4]{global next,prev=1;nonatomic value;}\nproc p(){ return -1;}\nthread t {\nfor(i=0;i<(2);\ni=i+1){x.for(1);}\nfor(;;)skip;\nfor (r = p(); r; r = p()) {\nskip; skip;\n}\nnode[ i ] . next . store(1);return;\n}",
            "struct node[4] {\n  global next, prev = 1;\n  nonatomic value;\n}\nproc p() { return -1; }\nthread t {\n  for (i = 0; i < (2); i = i + 1) { x.for(1); }\n  for (;;) skip;\n  for (r = p(); r; r = p()) {\n    skip;\n    skip;\n  }\n  node[i].next.store(1);\n  return;\n}\n",
        );
    }

    #[test]
    fn tpl_choices_are_laid_out() {
        check(
            Language::Tpl,
            "max_value 6;\nglobal x;\nfn a{\noneof({\nx.store(1);\n}\n{\nx.store(2);x.store(3);\n});\n}\n",
            "max_value 6;\nglobal x;\nfn a {\n  oneof({\n    x.store(1);\n  } {\n    x.store(2);\n    x.store(3);\n  });\n}\n",
        );
    }

    #[test]
    fn automata_are_laid_out_in_columns() {
        check(
            Language::Txt,
            "# : tso robust\nthread t #first\n\n\n# c\ninitial q0 transition q0 long_name\twrite 1   0\n  transition\nlong_name q0 check # odd\n == r\n0 end thread u end",
            "# : tso robust\nthread t #first\n\n  # c\n  initial q0\n  transition q0        long_name write 1 0\n  \
             transition long_name q0        check # odd\n    == r 0\nend\nthread u\nend\n",
        );
    }

    #[test]
    fn wrong_text_is_not_formatted() {
        assert!(format(Language::Fp, "thread {").is_err());
    }
}
