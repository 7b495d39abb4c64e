//! What is to be said of the word under a cursor.

use fencepost_base::order::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use fencepost_base::source::{SourceFile, Span};
use fencepost_model::Model;
use fencepost_syntax::Language;
use fencepost_syntax::ast::{self, AccessKind, File, Function, Name, Place, Stmt, StmtKind, WaitCondition};
use fencepost_syntax::lexer::{TokenKind, lex};

use crate::cover::statement_at;
use crate::meaning::{Access, Rmw};
use crate::names::{Definition, Kind, Names, Role, Use};

/// Most accesses of a location that are listed.
const MOST_LISTED: usize = 8;

/// What is under a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The word.
    pub span: Span,
    /// What it is.
    pub about: About,
}

/// What is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// This, in Markdown.
    Text(String),
    /// It is this word of the language, which others can explain.
    Word(String),
}

/// What is to be said of the word at a byte of the text: of an operation or its order, what it means
/// in these models; of a name, what it stands for; all other words are words of the language.
pub fn hover(
    source: &SourceFile,
    file: &File,
    names: &Names,
    offset: usize,
    models: &[&'static dyn Model],
) -> Option<Hover> {
    let tokens = lex(source.text());
    let touches = |span: Span| span.range().start <= offset && offset <= span.range().end;
    let word = tokens.iter().rfind(|token| token.kind == TokenKind::Word && touches(token.span))?.span;
    let view = View { source, file, names, models };
    let text = |text| Some(Hover { span: word, about: About::Text(text) });
    if let Some(found) = names.at(offset) {
        return text(view.name(found));
    }
    if let Some(said) = statement_at(file, offset).and_then(|stmt| view.operation(stmt, word)) {
        return text(said);
    }
    Some(Hover { span: word, about: About::Word(source.slice(word).to_string()) })
}

struct View<'a> {
    source: &'a SourceFile,
    file: &'a File,
    names: &'a Names,
    models: &'a [&'static dyn Model],
}

impl View<'_> {
    /// An access or a fence, if the word is its own, or its order.
    fn operation(&self, stmt: &Stmt, word: Span) -> Option<String> {
        let said = self.source.slice(word);
        let is_order = |order: &&Name| order.span == word;
        match &stmt.kind {
            StmtKind::Access { access, .. } => {
                let of_failure = access.orders.get(1).filter(is_order);
                if access.word.span != word && access.orders.first().filter(is_order).is_none() && of_failure.is_none()
                {
                    return None;
                }
                let meaning = match of_failure {
                    Some(order) => Access::Load(ReadOrder::parse(&order.text)?),
                    None => self.access(access)?,
                };
                let what = format!("`{}` of `{}`", access.word.text, self.source.slice_on_one_line(access.place.span));
                let circumstances = if of_failure.is_some() { " if it fails: a load" } else { "" };
                let written = !access.orders.is_empty();
                Some(self.told(meaning, &(what + circumstances), written, Some(&access.place)))
            }
            StmtKind::Wait { condition, order, .. }
                if said == "wait" || order.as_ref().is_some_and(|it| is_order(&it)) =>
            {
                let place = match condition {
                    WaitCondition::Values(place, _) => Some(place),
                    WaitCondition::Compare(_) => None,
                };
                let read = self.read_order(order.as_ref())?;
                let what = "`wait`: a load that blocks until the condition holds of the value read";
                Some(self.told(Access::Load(read), what, order.is_some(), place))
            }
            StmtKind::Fence(order) if said == "fence" || order.as_ref().is_some_and(|it| is_order(&it)) => {
                let order = match (self.file.language, order.as_ref()?.text.as_str()) {
                    (Language::Tpl, "upd" | "seq_cst") => FenceOrder::Sc,
                    (Language::Tpl, "acq_rel") => FenceOrder::AcqRel,
                    (_, text) => FenceOrder::parse(text)?,
                };
                Some(self.told(Access::Fence(order), "`fence`", true, None))
            }
            StmtKind::LightFence(_) if said == "lwfence" => {
                Some(self.told(Access::LightFence, "`lwfence`: a light fence", true, None))
            }
            _ => None,
        }
    }

    /// The title, what the models say, what it compiles to, what there is to read.
    fn told(&self, access: Access, what: &str, written: bool, place: Option<&Place>) -> String {
        let default = if written { "" } else { " (the default)" };
        let order = match access.order() {
            "" => String::new(),
            order => format!(", {order}{default}"),
        };
        let [x86, arm] = access.instructions();
        let reads = matches!(access, Access::Load(_) | Access::Rmw(..) | Access::PlainLoad);
        let read = place.filter(|_| reads).and_then(|place| self.what_it_reads(place)).unwrap_or_default();
        format!("{what}{order}\n\n{}\nOn x86-64: {x86}. On AArch64: {arm}.\n{read}", access.in_models(self.models))
    }

    fn access(&self, access: &ast::Access) -> Option<Access> {
        let order = access.orders.first();
        let update = |what| Some(Access::Rmw(what, self.rmw_order(&access.orders)?));
        match &access.kind {
            AccessKind::Load => self.read_order(order).map(Access::Load),
            AccessKind::Store(_) => self.write_order(order).map(Access::Store),
            AccessKind::Update(Function::Add | Function::Sub, _) => update(Rmw::Add),
            AccessKind::Update(Function::And, _) => update(Rmw::And),
            AccessKind::Update(Function::Or, _) => update(Rmw::Or),
            AccessKind::Update(Function::Xor, _) => update(Rmw::Xor),
            AccessKind::Update(Function::Exchange, _) => update(Rmw::Exchange),
            AccessKind::Cas { .. } | AccessKind::BlockingCas { .. } => update(Rmw::Cas),
            AccessKind::PlainLoad => Some(Access::PlainLoad),
            AccessKind::PlainStore(_) => Some(Access::PlainStore),
            AccessKind::Lock => Some(Access::Rmw(Rmw::Cas, RmwOrder::Acq)),
            AccessKind::Unlock => Some(Access::Store(WriteOrder::Rel)),
        }
    }

    /// The order of a load; what is no order is the business of diagnostics.
    fn read_order(&self, order: Option<&Name>) -> Option<ReadOrder> {
        match (self.file.language, order.map(|order| order.text.as_str())) {
            (Language::Tpl, None) => Some(ReadOrder::Rlx),
            (_, None) => Some(ReadOrder::Acq),
            (Language::Tpl, Some("acq_rel")) => Some(ReadOrder::Acq),
            (Language::Tpl, Some("seq_cst")) => Some(ReadOrder::Sc),
            (_, Some(text)) => ReadOrder::parse(text),
        }
    }

    fn write_order(&self, order: Option<&Name>) -> Option<WriteOrder> {
        match (self.file.language, order.map(|order| order.text.as_str())) {
            (Language::Tpl, None) => Some(WriteOrder::Rlx),
            (_, None) => Some(WriteOrder::Rel),
            (Language::Tpl, Some("acq_rel")) => Some(WriteOrder::Rel),
            (Language::Tpl, Some("seq_cst")) => Some(WriteOrder::Sc),
            (_, Some(text)) => WriteOrder::parse(text),
        }
    }

    fn rmw_order(&self, orders: &[Name]) -> Option<RmwOrder> {
        match (self.file.language, orders) {
            (Language::Tpl, []) => Some(RmwOrder::Rlx),
            (Language::Tpl, [read, rest @ ..]) => {
                let read = self.read_order(Some(read))?;
                let write = self.write_order(rest.first())?;
                match (read, write) {
                    (ReadOrder::Sc, WriteOrder::Sc) => Some(RmwOrder::Sc),
                    _ => Some(RmwOrder::from_halves(read != ReadOrder::Rlx, write != WriteOrder::Rlx)),
                }
            }
            (_, []) => Some(RmwOrder::AcqRel),
            (_, [order, ..]) => RmwOrder::parse(&order.text),
        }
    }

    /// The writes that a read of this place could read from.
    fn what_it_reads(&self, place: &Place) -> Option<String> {
        let name = place.field.as_ref().map_or(place.name.span, |field| field.name.span);
        let found = self.names.at(name.range().end)?;
        let definition = self.names.definition(found.definition);
        let is_location = matches!(definition.kind, Kind::Location { .. } | Kind::Field { .. });
        is_location.then(|| format!("\n{}", self.writes(found.definition)))
    }

    /// What a name stands for, and what is done with it.
    fn name(&self, found: Use) -> String {
        let definition = self.names.definition(found.definition);
        let line = self.source.start_of(definition.span).line;
        let owner = definition.within.map(|it| self.names.definition(it).name.as_str()).unwrap_or_default();
        let name = &definition.name;
        let title = match definition.kind {
            Kind::Constant => format!("`const {}`", self.head(definition)),
            Kind::Location { atomic: true } => format!("`global {}`: an atomic location", self.head(definition)),
            Kind::Location { atomic: false } => {
                format!("`nonatomic {}`: a location for plain accesses", self.head(definition))
            }
            Kind::Field { atomic: true } => format!("`{owner}.{name}`: an atomic location for each `{owner}`"),
            Kind::Field { atomic: false } => {
                format!("`{owner}.{name}`: a location for plain accesses, for each `{owner}`")
            }
            Kind::Struct | Kind::Procedure | Kind::Thread => format!("`{}`", self.head(definition)),
            Kind::Parameter => format!("`{name}`: a parameter of `{owner}`"),
            Kind::Register => format!("`local {name}`: a register of `{owner}`, 0 at first unless given"),
            Kind::Label => format!("`{name}:` a label of `{owner}`"),
        };
        let uses = match definition.kind {
            Kind::Location { .. } | Kind::Field { .. } => format!("\n\n{}", self.writes(found.definition)),
            _ => String::new(),
        };
        let declared = if found.span == definition.span { String::new() } else { format!(", in line {line}") };
        format!("{title}{declared}{uses}\n")
    }

    /// A declaration up to its body, on one line. That of a constant has its keyword.
    fn head(&self, definition: &Definition) -> String {
        let text = self.source.slice_on_one_line(definition.whole);
        let head = match definition.kind {
            Kind::Struct | Kind::Procedure | Kind::Thread => text.split('{').next().unwrap_or_default(),
            Kind::Constant => text.strip_prefix("const").unwrap_or(&text),
            _ => &text,
        };
        // Only an array with brackets ends before one.
        let closing = if head.contains('[') && !head.contains(']') { "]" } else { "" };
        format!("{}{closing}", head.trim().trim_end_matches(';'))
    }

    /// Where a location is written, and how often it is read.
    fn writes(&self, definition: usize) -> String {
        let all: Vec<Use> = self.names.uses_of(definition).collect();
        let writes: Vec<&Use> = all.iter().filter(|it| matches!(it.role, Role::Write | Role::Update)).collect();
        let handed = all.iter().filter(|it| it.role == Role::Mention).count();
        let reads = all.iter().filter(|it| matches!(it.role, Role::Read | Role::Update)).count();
        let mut text = match writes.len() {
            0 => "No statement writes it".to_string(),
            _ => "Besides its first value, a read can find what these write:\n".to_string(),
        };
        for write in writes.iter().take(MOST_LISTED) {
            let line = self.source.start_of(write.statement).line;
            let statement = self.source.slice_on_one_line(write.statement);
            let inside = write.inside.map(|it| format!(" in `{}`", self.names.definition(it).name));
            text += &format!("\n- line {line}{}: `{statement}`", inside.unwrap_or_default());
        }
        if writes.len() > MOST_LISTED {
            text += &format!("\n- {} others", writes.len() - MOST_LISTED);
        }
        let times = |count: usize| if count == 1 { "once".to_string() } else { format!("{count} times") };
        let separator = if writes.is_empty() { "; it" } else { "\n\nIt" };
        text += &format!("{separator} is read {}", times(reads));
        if handed > 0 {
            text += &format!(" here, and handed to procedures or fences {}", times(handed));
        }
        text + "."
    }
}
