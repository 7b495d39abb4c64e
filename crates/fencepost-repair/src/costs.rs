//! What fences and orders cost: data, for people to change.
//!
//! A table gives a number to every fence and to every access with every order. An edit costs the
//! difference between what it writes and what stood there. Numbers are relative: nobody can say how
//! long a fence takes. Tables for machines follow the usual mappings of C/C++11 atomics to
//! instructions; each file says which instructions its numbers stand for.

use fencepost_base::diag::{Diagnostic, closest};
use fencepost_base::order::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use fencepost_base::source::Span;
use fencepost_verdict::Form;
use toml::de::{DeTable, DeValue};

/// The tables that come with fencepost: name, what it is about, content.
const BUILT_IN: &[(&str, &str, &str)] = &[
    ("portable", "no machine in particular", include_str!("../costs/portable.toml")),
    ("x86", "x86-64", include_str!("../costs/x86.toml")),
    ("armv8", "Armv8-A, 64 bit", include_str!("../costs/armv8.toml")),
    ("power", "POWER", include_str!("../costs/power.toml")),
    ("riscv", "RISC-V (RVWMO)", include_str!("../costs/riscv.toml")),
];

/// The greatest number in a table: sums stay far from overflow.
const GREATEST: u32 = 1_000_000;

/// Loops around each other beyond which it makes no difference.
const DEEPEST_LOOP: u32 = 3;

/// A key of a table: section and name.
type Key = (&'static str, &'static str);

/// What can only cost as much or more: otherwise nobody would write the weaker one, and the
/// cheapest repair would not be the one that does least.
const GROWS: &[(Key, Key)] = &[
    (("fence", "acq"), ("fence", "acqrel")),
    (("fence", "rel"), ("fence", "acqrel")),
    (("fence", "acqrel"), ("fence", "sc")),
    (("fence", "light"), ("fence", "sc")),
    (("load", "rlx"), ("load", "acq")),
    (("load", "acq"), ("load", "sc")),
    (("store", "rlx"), ("store", "rel")),
    (("store", "rel"), ("store", "sc")),
    (("rmw", "rlx"), ("rmw", "acq")),
    (("rmw", "rlx"), ("rmw", "rel")),
    (("rmw", "acq"), ("rmw", "acqrel")),
    (("rmw", "rel"), ("rmw", "acqrel")),
    (("rmw", "acqrel"), ("rmw", "sc")),
    (("store", "rel"), ("rmw", "acqrel")),
    (("store", "sc"), ("rmw", "sc")),
];

/// A table of costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costs {
    /// One number for each key, in the order of [`keys`].
    numbers: Vec<u32>,
    /// How many times as much something costs in a loop.
    loop_weight: u32,
}

/// Every key of a table: section and name.
fn keys() -> impl Iterator<Item = (&'static str, &'static str)> {
    let fences = FenceOrder::ALL.iter().map(|order| ("fence", order.as_str())).chain([("fence", "light")]);
    let loads = ReadOrder::ALL.iter().map(|order| ("load", order.as_str()));
    let stores = WriteOrder::ALL.iter().map(|order| ("store", order.as_str()));
    let rmws = RmwOrder::ALL.iter().map(|order| ("rmw", order.as_str()));
    fences.chain(loads).chain(stores).chain(rmws)
}

impl Default for Costs {
    fn default() -> Self {
        Costs::built_in("portable").expect("the first of the list")
    }
}

impl Costs {
    /// The names of the tables that come with fencepost, and what each is about.
    pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
        BUILT_IN.iter().map(|&(name, about, _)| (name, about))
    }

    /// The table called `name`.
    pub fn built_in(name: &str) -> Option<Costs> {
        let &(_, _, text) = BUILT_IN.iter().find(|(other, _, _)| *other == name)?;
        Some(Costs::parse(text).expect("a test reads every table"))
    }

    /// Reads a table: sections `fence`, `load`, `store`, `rmw` with a number for each order.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(text: &str) -> Result<Costs, Vec<Diagnostic>> {
        let document = DeTable::parse(text).map_err(|error| {
            let span = error.span().map_or(Span::default(), Span::new);
            vec![Diagnostic::error(span, error.message().trim_end().replace('\n', ", "))]
        })?;
        let keys: Vec<(&str, &str)> = keys().collect();
        let mut numbers: Vec<Option<u32>> = vec![None; keys.len()];
        let mut problems = Vec::new();
        for (section, content) in document.get_ref() {
            let name = section.get_ref().as_ref();
            let names: Vec<&str> = keys.iter().filter(|(other, _)| *other == name).map(|&(_, key)| key).collect();
            if names.is_empty() {
                let problem = Diagnostic::error(Span::new(section.span()), format!("there is no section `{name}`"));
                problems.push(match closest(name, ["fence", "load", "store", "rmw"]) {
                    Some(other) => problem.help(format!("did you mean `{other}`?")),
                    None => problem.help("the sections are fence, load, store, rmw"),
                });
                continue;
            }
            let Some(table) = content.get_ref().as_table() else {
                let message = format!("expected a section: `[{name}]`, and a number for each order");
                problems.push(Diagnostic::error(Span::new(content.span()), message));
                continue;
            };
            for (key, value) in table {
                let order = key.get_ref().as_ref();
                let Some(index) = keys.iter().position(|&known| known == (name, order)) else {
                    let message = format!("there is no order `{order}` of a {name}");
                    let problem = Diagnostic::error(Span::new(key.span()), message);
                    problems.push(problem.help(format!("the orders are {}", names.join(", "))));
                    continue;
                };
                match number(value.get_ref()) {
                    Some(cost) => numbers[index] = Some(cost),
                    None => problems.push(Diagnostic::error(
                        Span::new(value.span()),
                        format!("a cost is a whole number from 0 to {GREATEST}"),
                    )),
                }
            }
        }
        let missing: Vec<String> = keys
            .iter()
            .zip(&numbers)
            .filter(|(_, number)| number.is_none())
            .map(|((section, key), _)| format!("{section}.{key}"))
            .collect();
        if problems.is_empty() && !missing.is_empty() {
            let end = Span::new(text.len()..text.len());
            problems.push(Diagnostic::error(end, format!("no cost is given for {}", missing.join(", "))));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let costs = Costs { numbers: numbers.into_iter().flatten().collect(), loop_weight: 1 };
        for (weaker, stronger) in GROWS {
            let number = |(section, name): &(&str, &str)| costs.get(section, name);
            if number(weaker) > number(stronger) {
                let content = document.get_ref().get(stronger.0).and_then(|section| section.get_ref().get(stronger.1));
                let span = content.map_or(Span::default(), |value| Span::new(value.span()));
                let name = |(section, name): &(&str, &str)| format!("{section}.{name}");
                let message = format!("{} costs less than {}, which does less", name(stronger), name(weaker));
                problems.push(Diagnostic::error(span, message));
            }
        }
        if problems.is_empty() { Ok(costs) } else { Err(problems) }
    }

    /// The same, where everything in a loop costs `weight` times as much (up to
    /// [`Costs::GREATEST_LOOP_WEIGHT`]), in a loop in a loop its square, and so on for three of
    /// them. Nobody knows how often a loop runs: in the tables as they are, a fence in one costs as
    /// much as any other.
    #[must_use]
    pub fn with_loop_weight(self, weight: u32) -> Costs {
        Costs { loop_weight: weight.clamp(1, Self::GREATEST_LOOP_WEIGHT), ..self }
    }

    /// The greatest weight of a loop: sums stay far from overflow.
    pub const GREATEST_LOOP_WEIGHT: u32 = 10;

    /// How many times as much something costs with so many loops around it.
    pub(crate) fn times(&self, loops: u32) -> u32 {
        self.loop_weight.pow(loops.min(DEEPEST_LOOP))
    }

    fn get(&self, section: &str, name: &str) -> u32 {
        let index = keys().position(|key| key == (section, name)).expect("every order has a key");
        self.numbers[index]
    }

    /// Of what stands at a place.
    pub fn form(&self, form: Form) -> u32 {
        match form {
            Form::Nothing => 0,
            Form::Fence(order) => self.fence(order),
            Form::LightFence => self.light_fence(),
            Form::Load(order) => self.load(order),
            Form::Store(order) => self.store(order),
            Form::Rmw(order) => self.rmw(order),
        }
    }

    /// Of a fence.
    pub fn fence(&self, order: FenceOrder) -> u32 {
        self.get("fence", order.as_str())
    }

    /// Of a light fence.
    pub fn light_fence(&self) -> u32 {
        self.get("fence", "light")
    }

    /// Of a load.
    pub fn load(&self, order: ReadOrder) -> u32 {
        self.get("load", order.as_str())
    }

    /// Of a store.
    pub fn store(&self, order: WriteOrder) -> u32 {
        self.get("store", order.as_str())
    }

    /// Of a read-modify-write.
    pub fn rmw(&self, order: RmwOrder) -> u32 {
        self.get("rmw", order.as_str())
    }
}

fn number(value: &DeValue<'_>) -> Option<u32> {
    let integer = value.as_integer()?;
    let number = u32::from_str_radix(integer.as_str(), integer.radix()).ok()?;
    (number <= GREATEST).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_can_be_read() {
        for (name, _) in Costs::names() {
            assert!(Costs::built_in(name).is_some());
        }
    }

    #[test]
    fn mistakes_are_reported_at_their_place() {
        let mistakes = |text: &str| -> Vec<(usize, String)> {
            let problems = Costs::parse(text).expect_err("a mistake");
            problems.into_iter().map(|problem| (problem.primary.span.start as usize, problem.message)).collect()
        };
        assert_eq!(mistakes("[fense]\nsc = 1\n"), [(1, "there is no section `fense`".to_string())]);
        assert_eq!(mistakes("[fence]\nrlx = 1\n"), [(8, "there is no order `rlx` of a fence".to_string())]);
        assert_eq!(mistakes("[load]\nsc = -1\n")[0].0, 12);
        assert_eq!(mistakes("[load]\nsc = \n")[0].0, 12);
        assert!(mistakes("load = 3\n")[0].1.contains("expected a section"));
        let missing = mistakes(&include_str!("../costs/x86.toml").replace("acqrel", "# acqrel"));
        assert_eq!(missing[0].1, "no cost is given for fence.acqrel, rmw.acqrel");
        let text =
            include_str!("../costs/x86.toml").replace("sc = 33", "acqrel_ = 0").replace("acqrel = 0", "acqrel = 9");
        let text = text.replace("acqrel_ = 0", "sc = 3");
        let at = text.find("sc = 3\n").expect("it is there") + 5;
        assert_eq!(mistakes(&text), [(at, "fence.sc costs less than fence.acqrel, which does less".to_string())]);
    }
}
