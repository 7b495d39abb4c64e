//! What an access or a fence means: in the models, and on two machines.
//!
//! What the models say is read off their declarations. The instructions are those of the usual
//! mappings of C++ (Batty, Owens, Sarkar, Sewell, Weber, POPL 2011 and 2012, and what compilers emit
//! for Armv8.1). A compiler may emit others that do at least the same.

use fencepost_base::order::{FenceOrder, Mode, ReadOrder, RmwOrder, WriteOrder};
use fencepost_model::{FenceMeaning, Kind, LightFences, Model};

/// What is done to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Load(ReadOrder),
    Store(WriteOrder),
    Rmw(Rmw, RmwOrder),
    PlainLoad,
    PlainStore,
    Fence(FenceOrder),
    LightFence,
}

/// Read-modify-writes that machines have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rmw {
    Add,
    And,
    Or,
    Xor,
    Exchange,
    Cas,
}

impl Access {
    /// The order in words.
    pub(crate) fn order(self) -> &'static str {
        let mode = match self {
            Access::Load(order) => Mode::from(order),
            Access::Store(order) => Mode::from(order),
            Access::Rmw(_, order) => Mode::from(order),
            Access::Fence(order) => Mode::from(order),
            Access::PlainLoad | Access::PlainStore | Access::LightFence => return "",
        };
        match mode {
            Mode::Rlx => "relaxed",
            Mode::Acq => "acquire",
            Mode::Rel => "release",
            Mode::AcqRel => "acquire and release",
            Mode::Sc | Mode::Full => "sequentially consistent",
            Mode::Na => "plain",
        }
    }

    /// What these models say of it; models that say the same are in one line, a list in Markdown.
    pub(crate) fn in_models(self, models: &[&'static dyn Model]) -> String {
        let mut said: Vec<(String, Vec<&str>)> = Vec::new();
        for model in models.iter().filter(|model| model.declaration().kind != Kind::Reference) {
            let what = self.in_model(*model);
            match said.iter_mut().find(|(other, _)| *other == what) {
                Some((_, names)) => names.push(model.name()),
                None => said.push((what, vec![model.name()])),
            }
        }
        said.into_iter().map(|(what, names)| format!("- {}: {what}\n", quoted(&names))).collect()
    }

    fn in_model(self, model: &dyn Model) -> String {
        let machine = model.buffers().is_some();
        match self {
            Access::Fence(order) => fence(model, order).into(),
            Access::LightFence => match model.light_fences() {
                LightFences::Ignored => "it does nothing".into(),
                LightFences::All => {
                    "the thread's earlier stores, to any location, reach memory before later ones".into()
                }
                LightFences::Listed => "earlier stores to these locations reach memory before later stores".into(),
            },
            Access::Load(_) | Access::PlainLoad if machine => {
                "the thread's newest store to the location that waits in its buffer; else what is in memory".into()
            }
            Access::Store(_) | Access::PlainStore if machine => {
                "it waits in the thread's store buffer, and others see it later".into()
            }
            Access::Rmw(..) if machine => {
                "it waits until the thread's store buffers are empty, and works on memory itself".into()
            }
            Access::PlainLoad | Access::PlainStore if model.declaration().races => {
                "a data race if another thread accesses the location, nothing orders the two, and one of them writes"
                    .into()
            }
            Access::PlainLoad | Access::PlainStore => "an access that orders nothing".into(),
            Access::Load(order) => ordered(model, order.into(), true, false),
            Access::Store(order) => ordered(model, order.into(), false, true),
            Access::Rmw(_, order) => ordered(model, order.into(), true, true),
        }
    }

    /// The instructions of x86-64 and of AArch64.
    pub(crate) fn instructions(self) -> [&'static str; 2] {
        match self {
            Access::PlainLoad | Access::Load(ReadOrder::Rlx) => ["mov", "ldr"],
            Access::Load(ReadOrder::Acq) => ["mov", "ldapr"],
            Access::Load(ReadOrder::Sc) => ["mov", "ldar"],
            Access::PlainStore | Access::Store(WriteOrder::Rlx) => ["mov", "str"],
            Access::Store(WriteOrder::Rel) => ["mov", "stlr"],
            Access::Store(WriteOrder::Sc) => ["xchg", "stlr"],
            Access::Rmw(Rmw::Add, order) => ["lock xadd", suffixed(order, ["ldadd", "ldadda", "ldaddl", "ldaddal"])],
            // x86 has none of these with a result.
            Access::Rmw(Rmw::And, order) => {
                ["a loop of lock cmpxchg", suffixed(order, ["ldclr", "ldclra", "ldclrl", "ldclral"])]
            }
            Access::Rmw(Rmw::Or, order) => {
                ["a loop of lock cmpxchg", suffixed(order, ["ldset", "ldseta", "ldsetl", "ldsetal"])]
            }
            Access::Rmw(Rmw::Xor, order) => {
                ["a loop of lock cmpxchg", suffixed(order, ["ldeor", "ldeora", "ldeorl", "ldeoral"])]
            }
            Access::Rmw(Rmw::Exchange, order) => ["xchg", suffixed(order, ["swp", "swpa", "swpl", "swpal"])],
            Access::Rmw(Rmw::Cas, order) => ["lock cmpxchg", suffixed(order, ["cas", "casa", "casl", "casal"])],
            Access::Fence(FenceOrder::Acq) => ["no instruction", "dmb ishld"],
            Access::Fence(FenceOrder::Rel | FenceOrder::AcqRel) => ["no instruction", "dmb ish"],
            Access::Fence(FenceOrder::Sc) => ["mfence", "dmb ish"],
            Access::LightFence => ["no instruction", "dmb ishst"],
        }
    }
}

/// With orders, of an access of a language's model.
fn ordered(model: &dyn Model, mode: Mode, reads: bool, writes: bool) -> String {
    let (acquires, releases) = (reads && model.acquires(mode), writes && model.releases(mode));
    let what = match (acquires, releases) {
        (true, true) => "it acquires what the write that it reads from has released, and releases all before it",
        (true, false) if writes => "it acquires; what it writes hands on only what that write had released",
        (true, false) => "it acquires: what came before the write that it reads from is seen after it",
        (false, true) => "it releases: who acquires the value sees all that came before it",
        (false, false) => "it orders nothing but the accesses of its own location",
    };
    let sc = mode == Mode::Sc && model.declaration().repairs.sc_accesses;
    format!("{what}{}", if sc { "; and it has a place in the one order of all SC accesses" } else { "" })
}

fn fence(model: &dyn Model, order: FenceOrder) -> &'static str {
    let machine = model.buffers().is_some();
    match (model.fence(order), order) {
        (FenceMeaning::Nothing, _) => "it does nothing",
        (FenceMeaning::Light, _) => "the thread's earlier stores reach memory before later ones",
        (FenceMeaning::HiddenRmw | FenceMeaning::Event, _) if machine => {
            "it waits until the thread's store buffers are empty"
        }
        (FenceMeaning::HiddenRmw, _) if model.fence(FenceOrder::Acq) == FenceMeaning::Event => {
            "relaxed reads before it acquire, relaxed writes after it release, and it updates one hidden location, so \
             all such fences are in one order"
        }
        (FenceMeaning::HiddenRmw, _) => "it updates one hidden location, so all such fences are in one order",
        (FenceMeaning::Event, FenceOrder::Acq) => "relaxed reads before it acquire",
        (FenceMeaning::Event, FenceOrder::Rel) => "relaxed writes after it release",
        (FenceMeaning::Event, FenceOrder::AcqRel) => "relaxed reads before it acquire, relaxed writes after it release",
        (FenceMeaning::Event, FenceOrder::Sc) => {
            "relaxed reads before it acquire, relaxed writes after it release, and all such fences are in one order"
        }
    }
}

/// Of the four forms of an instruction of AArch64.
fn suffixed(order: RmwOrder, [rlx, acq, rel, both]: [&'static str; 4]) -> &'static str {
    match order {
        RmwOrder::Rlx => rlx,
        RmwOrder::Acq => acq,
        RmwOrder::Rel => rel,
        RmwOrder::AcqRel | RmwOrder::Sc => both,
    }
}

pub(crate) fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
