//! The litmus shapes: what people call them, what happens in each, in one line, and the circle that
//! each of them is.

use std::collections::BTreeMap;

use fencepost_model::cycle;

/// A litmus shape, explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeInfo {
    /// The name in words, as in “this is the … shape”; the letters again where there are no words.
    pub title: String,
    /// What happens.
    pub story: String,
}

/// The explanation of the shape called `name` in the litmus literature.
pub fn explain(name: &str) -> Option<ShapeInfo> {
    if let Some((_, title, story)) = SHAPES.iter().find(|(shape, ..)| *shape == name) {
        return Some(ShapeInfo { title: (*title).into(), story: (*story).into() });
    }
    let threads = name.strip_suffix(".SB")?.parse::<u32>().ok()?;
    Some(ShapeInfo {
        title: format!("{threads}-thread store-buffering"),
        story: "each thread stores to its own location and then loads its neighbour's: none of the stores is seen"
            .into(),
    })
}

/// What goes on at a single location. No model permits any of it.
const COHERENCE: &[(&str, &str)] =
    &[("CoRR", "W rf, R at, R fr"), ("CoWW", "W at, W mo"), ("CoRW", "R at, W rf"), ("CoWR", "W at, R fr")];

/// The names of all shapes; rings of more than three threads go on as `4.SB`, `5.SB`.
pub fn names() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|(name, ..)| *name)
}

/// The circle of the shape called `name`, as text: threads side by side, then what each edge says.
pub fn picture(name: &str) -> Option<String> {
    let known = cycle::SHAPES.iter().chain(COHERENCE).find(|(shape, _)| *shape == name);
    let ring = || {
        let threads = name.strip_suffix(".SB")?.parse::<usize>().ok().filter(|threads| (3..=MOST).contains(threads))?;
        Some(vec!["W po, R fr"; threads].join(", "))
    };
    let text = known.map(|(_, text)| text.to_string()).or_else(ring)?;
    Some(Circle::new(&text).picture())
}

/// More threads than this are not drawn.
const MOST: usize = 6;

/// An event of a circle: its thread, what it does, and the edge to the next one.
struct Step<'a> {
    thread: usize,
    location: char,
    write: bool,
    value: u32,
    edge: &'a str,
}

struct Circle<'a> {
    steps: Vec<Step<'a>>,
}

impl<'a> Circle<'a> {
    /// From events with their outgoing edges. An edge within a thread goes to another location (`po`)
    /// or stays (`at`); all other edges go to another thread and stay.
    fn new(text: &'a str) -> Self {
        let events: Vec<(&str, &str)> = text.split(", ").filter_map(|step| step.split_once(' ')).collect();
        let locations = events.iter().filter(|(_, edge)| *edge == "po").count().max(1);
        let (mut thread, mut location) = (0, 0);
        let mut steps: Vec<Step<'a>> = Vec::new();
        for &(kind, edge) in &events {
            let name = "xyzuvw".chars().nth(location).unwrap_or('x');
            let write = kind == "W";
            steps.push(Step { thread, location: name, write, value: u32::from(write), edge });
            match edge {
                "po" => location = (location + 1) % locations,
                "at" => {}
                _ => thread += 1,
            }
        }
        // What overwrites another value has the next one.
        let count = steps.len();
        for index in 0..count {
            let next = (index + 1) % count;
            match steps[index].edge {
                "mo" if next > 0 || locations > 1 => steps[next].value = 2,
                "mo" => steps[index].value = 2,
                _ => {}
            }
        }
        for index in 0..count {
            if steps[index].edge == "rf" {
                steps[(index + 1) % count].value = steps[index].value;
            }
        }
        Circle { steps }
    }

    fn letter(index: usize) -> char {
        ('a'..='z').nth(index).unwrap_or('?')
    }

    fn picture(&self) -> String {
        let mut columns: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (index, step) in self.steps.iter().enumerate() {
            let Step { location, value, .. } = step;
            let letter = Self::letter(index);
            columns.entry(step.thread).or_default().push(match step.write {
                true => format!("{letter}: {location} = {value}"),
                false => format!("{letter}: reads {location} = {value}"),
            });
        }
        let width = columns.values().flatten().map(String::len).max().unwrap_or(0) + 3;
        let rows = columns.values().map(Vec::len).max().unwrap_or(0);
        let row = |cells: Vec<String>| {
            let line: String = cells.iter().map(|cell| format!("{cell:<width$}")).collect();
            format!("  {}\n", line.trim_end())
        };
        let mut out = row(columns.keys().map(|thread| format!("thread {thread}")).collect());
        for index in 0..rows {
            out += &row(columns.values().map(|events| events.get(index).cloned().unwrap_or_default()).collect());
        }
        out.push('\n');
        for (index, step) in self.steps.iter().enumerate() {
            let next = (index + 1) % self.steps.len();
            let (a, b) = (Self::letter(index), Self::letter(next));
            let (edge, why) = match step.edge {
                "po" | "at" => ("po", format!("{a} comes before {b} in the thread")),
                "rf" => ("rf", format!("{b} reads what {a} writes")),
                "mo" => ("mo", format!("{b} overwrites {a}")),
                edge => (edge, format!("{a} reads what {b} overwrites")),
            };
            out += &format!("  {a} -{edge}-> {b}   {why}\n");
        }
        out
    }
}

const SHAPES: &[(&str, &str, &str)] = &[
    (
        "SB",
        "store-buffering",
        "each of two threads stores to one location and then loads the other's: neither store is seen",
    ),
    ("MP", "message-passing", "the flag is seen, but the data stored before it is not"),
    ("LB", "load-buffering", "each of two loads sees the store that comes after the other load"),
    ("S", "S", "a store that follows the load of a flag is ordered before a store that came before the flag"),
    ("R", "R", "a store loses against another thread's, and yet that thread misses the store before it"),
    (
        "2+2W",
        "two-plus-two-writes",
        "both threads store to both locations in opposite order, and each first store wins",
    ),
    (
        "WRC",
        "write-to-read-causality",
        "a store seen by one thread, which then tells a second, is not seen by the second",
    ),
    (
        "RWC",
        "read-to-write-causality",
        "a thread sees one store and misses another, whose thread then misses the first",
    ),
    ("WWC", "write-to-write-causality", "a store told on through two threads is ordered after the store it caused"),
    ("WRR+2W", "WRR+2W", "a thread sees a store but misses another one that is ordered before it"),
    ("WRW+2W", "WRW+2W", "stores of three threads to two locations are ordered in a circle"),
    ("WRW+WR", "WRW+WR", "a store caused by another one is overwritten by a thread that misses the cause"),
    ("ISA2", "ISA2", "message passing through a third thread: the flag of the flag is seen, the data is not"),
    ("W+RWC", "W+RWC", "message passing to a thread that then buffers a store against a third one"),
    ("Z6.0", "Z6.0", "a message, an overwritten store and a missed one form a circle of three threads"),
    ("Z6.1", "Z6.1", "a message between two overwritten stores forms a circle of three threads"),
    ("Z6.2", "Z6.2", "a message is passed on and its last store is ordered before the first one"),
    ("Z6.3", "Z6.3", "an overwritten store, then a message whose data is missed"),
    ("Z6.4", "Z6.4", "an overwritten store and two missed ones form a circle of three threads"),
    ("Z6.5", "Z6.5", "two overwritten stores and a missed one form a circle of three threads"),
    ("3.2W", "three-times-two-writes", "each thread stores to two locations, and the orders form a circle"),
    ("IRIW", "independent-reads-of-independent-writes", "two threads see two independent stores in opposite orders"),
    ("IRRWIW", "IRRWIW", "a reader and a writer disagree about the order of two independent stores"),
    ("IRWIW", "IRWIW", "two threads each see one independent store and are ordered before the other"),
    ("CoRR", "coherence of two reads", "a thread reads a value, and then an older one of the same location"),
    ("CoWW", "coherence of two writes", "a thread's second store to a location is ordered before its first one"),
    ("CoRW", "coherence of a read and a write", "a thread reads the value that it stores afterwards"),
    ("CoWR", "coherence of a write and a read", "a thread stores a value, and then reads an older one"),
];

#[cfg(test)]
mod tests {
    use super::{Circle, explain, names, picture};
    use fencepost_model::cycle;

    #[test]
    fn every_shape_has_a_picture_in_which_the_circle_closes() {
        for name in names().chain(["3.SB", "6.SB"]) {
            let picture = picture(name).expect(name);
            assert!(picture.lines().last().is_some_and(|line| line.contains("> a ")), "{name}\n{picture}");
        }
        assert!(cycle::SHAPES.iter().all(|(name, _)| names().any(|other| other == *name)));
        assert_eq!(picture("XYZ"), None);
        assert_eq!(picture("99.SB"), None);
    }

    #[test]
    fn values_are_those_of_the_litmus_tests() {
        let values = |text| Circle::new(text).steps.iter().map(|step| (step.location, step.value)).collect::<Vec<_>>();
        assert_eq!(values("W po, R fr, W po, R fr"), [('x', 1), ('y', 0), ('y', 1), ('x', 0)]);
        assert_eq!(values("W po, W rf, R po, W mo"), [('x', 2), ('y', 1), ('y', 1), ('x', 1)]);
        assert_eq!(values("W po, W mo, W po, R fr"), [('x', 1), ('y', 1), ('y', 2), ('x', 0)]);
        assert_eq!(values("W rf, R at, R fr"), [('x', 1), ('x', 1), ('x', 0)]);
        assert_eq!(values("W at, W mo"), [('x', 1), ('x', 2)]);
        assert_eq!(values("R po, W rf, R po, W rf"), [('x', 1), ('y', 1), ('y', 1), ('x', 1)]);
        assert_eq!(values("W po, R fr, W rf, R po, W mo"), [('x', 2), ('y', 0), ('y', 1), ('y', 1), ('x', 1)]);
    }

    #[test]
    fn rings_of_any_size_are_explained_and_strangers_are_not() {
        assert!(explain("SB").is_some_and(|shape| shape.title == "store-buffering"));
        assert!(explain("5.SB").is_some_and(|shape| shape.title.contains("5-thread")));
        assert_eq!(explain("XYZ"), None);
    }
}
