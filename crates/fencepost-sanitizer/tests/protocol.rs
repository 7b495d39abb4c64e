//! What the runtime writes is what the reporter reads, whatever is in it.

use fencepost_protocol::wire::Wire;
use fencepost_protocol::{Action, Order};
use fencepost_sanitizer::stream::{self, *};
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), Just("\"\\\u{0}\u{1f}\u{7f}\n\u{1f980}".to_string())]
}

fn stack() -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(any::<u64>(), 0..4)
}

fn action() -> impl Strategy<Value = Action> {
    proptest::sample::select(Action::ALL.to_vec())
}

fn order() -> impl Strategy<Value = Order> {
    proptest::sample::select(Order::ALL.to_vec())
}

fn write() -> impl Strategy<Value = Write> {
    let writer =
        (any::<u64>(), action(), order(), stack()).prop_map(|(tid, op, order, stack)| Writer { tid, op, order, stack });
    (any::<u64>(), proptest::option::of(writer)).prop_map(|(value, by)| Write { value, by })
}

fn found() -> impl Strategy<Value = Found> {
    let robustness = (
        (order(), proptest::option::of(order()), proptest::option::of(any::<u64>()), any::<u64>()),
        (write(), proptest::collection::vec(write(), 0..3), any::<bool>(), any::<bool>()),
    );
    let robustness = robustness.prop_map(|((order, failure, expected, time), (newest, stale, cut, complete))| {
        Found::Robustness(Robustness { order, failure, expected, time, newest, stale, cut, complete })
    });
    let moment = (any::<u64>(), any::<u64>()).prop_map(|(time, epoch)| Moment { time, epoch });
    let race = (action(), any::<u64>(), any::<u64>(), any::<u64>(), stack(), proptest::option::of(moment))
        .prop_map(|(op, tid, addr, size, stack, moment)| Found::Race(Race { op, tid, addr, size, stack, moment }));
    prop_oneof![robustness, race]
}

fn memory() -> impl Strategy<Value = Memory> {
    prop_oneof![
        (any::<u64>(), any::<u64>(), any::<u64>(), stack()).prop_map(|(base, size, tid, stack)| Memory::Heap(Heap {
            base,
            size,
            tid,
            stack
        })),
        any::<u64>().prop_map(|tid| Memory::Stack(Stack { tid })),
        Just(Memory::Unknown(Unknown {})),
    ]
}

fn report() -> impl Strategy<Value = Report> {
    ((any::<u64>(), any::<u64>(), any::<u64>(), action()), stack(), memory(), found())
        .prop_map(|((tid, addr, size, op), stack, memory, found)| Report { tid, addr, size, op, stack, memory, found })
}

fn failed() -> impl Strategy<Value = Failed> {
    let assertion = (text(), text(), any::<u64>());
    prop_oneof![
        assertion.prop_map(|(text, file, line)| Failed::Assertion(Assertion { text, file, line })),
        any::<u64>().prop_map(|number| Failed::Signal(Signal { number })),
    ]
}

fn awaited() -> impl Strategy<Value = Awaited> {
    prop_oneof![
        any::<u64>().prop_map(|addr| Awaited::Object(Place { addr })),
        any::<u64>().prop_map(|addr| Awaited::Value(Place { addr })),
        any::<u64>().prop_map(|tid| Awaited::Thread(Ending { tid })),
        Just(Awaited::Unknown(Unknown {})),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let pairs =
        proptest::collection::btree_map(text(), text(), 0..4).prop_map(|map| map.into_iter().collect::<Vec<_>>());
    let start = (any::<u64>(), text(), proptest::collection::vec(text(), 0..3), pairs);
    let protocol = u64::from(fencepost_protocol::VERSION);
    let module = (text(), any::<u64>(), any::<u64>(), any::<u64>());
    let module = module.prop_map(|(path, bias, start, end)| Module { path, bias, start, end });
    let waiting = (any::<u64>(), awaited()).prop_map(|(tid, awaited)| Waiting { tid, awaited });
    prop_oneof![
        start.prop_map(move |(pid, exe, argv, options)| Message::Start(Start { protocol, pid, exe, argv, options })),
        proptest::collection::vec(module, 0..3).prop_map(|list| Message::Modules(Modules { list })),
        (any::<u64>(), any::<u64>(), proptest::option::of(text()), stack())
            .prop_map(|(tid, parent, name, stack)| Message::Thread(Thread { tid, parent, name, stack })),
        (stack(), any::<u64>()).prop_map(|(stack, value)| Message::Spin(Spin { stack, value })),
        report().prop_map(Message::Report),
        (report(), write()).prop_map(|(report, used)| Message::Provoked(Provoked { report, used })),
        (any::<u64>(), stack(), failed()).prop_map(|(tid, stack, failed)| Message::Failure(Failure {
            tid,
            stack,
            failed
        })),
        text().prop_map(|text| Message::Note(Note { text })),
        proptest::collection::vec(waiting, 0..3).prop_map(|waiting| Message::Deadlock(Deadlock { waiting })),
        (any::<u64>(), any::<u64>())
            .prop_map(|(accesses, steps)| { Message::Summary(Figures { accesses, steps, ..Figures::default() }) }),
        any::<u32>().prop_map(|status| Message::End(End { status: status.into() })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn messages_are_read_as_they_were_written(message in message()) {
        let mut line = String::new();
        message.write_line(&mut line).expect("a text takes everything");
        prop_assert_eq!(line.matches('\n').count(), 1, "one line");
        prop_assert_eq!(stream::parse(line.trim_end_matches('\n').as_bytes()), Ok(Ok(message)));
    }
}

#[test]
fn the_error_names_the_field() {
    let wrong = br#"{"ev":"report","tid":1,"addr":2,"size":4,"op":"load","stack":[1,"x"],"memory":{"kind":"unknown"}}"#;
    assert_eq!(stream::parse(wrong), Err("`stack` is not a list".to_string()));
    let wrong = br#"{"ev":"thread","tid":1,"parent":-1,"stack":[]}"#;
    assert_eq!(stream::parse(wrong), Err(format!("`parent` is not {}", u64::EXPECTED)));
    assert!(stream::parse(b"[]").is_err() && stream::parse(b"7").is_err());
}
