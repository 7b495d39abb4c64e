//! The litmus shapes: what people call them, and what happens in each, in one line.

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
];

#[cfg(test)]
mod tests {
    use super::explain;

    #[test]
    fn rings_of_any_size_are_explained_and_strangers_are_not() {
        assert!(explain("SB").is_some_and(|shape| shape.title == "store-buffering"));
        assert!(explain("5.SB").is_some_and(|shape| shape.title.contains("5-thread")));
        assert_eq!(explain("XYZ"), None);
    }
}
