//! States of the machine: messages and views.

use fencepost_base::ids::{LocId, Value};

use crate::threads::StateId;

/// The number of a write that has none yet.
pub(super) const NEW: u32 = u32::MAX;

/// What somebody knows, in columns. Joining is taking the greater entry, column by column.
///
/// - The column of a location that is accessed atomically: the oldest message that may still be
///   read. Messages are counted from the oldest that is left.
/// - The column of a plain location: 1 if its last write is known, else 0.
/// - The column of a plain location and a thread that reads it: 1 if the last read of this thread
///   since the last write is known, or there is none; else 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct View(Box<[u8]>);

impl View {
    pub(super) fn new(entries: Vec<u8>) -> View {
        View(entries.into())
    }

    /// Without columns, for plain writes: they pass nothing on.
    pub(super) fn nothing() -> View {
        View::new(Vec::new())
    }

    pub(super) fn at(&self, column: usize) -> usize {
        usize::from(self.0[column])
    }

    pub(super) fn set(&mut self, column: usize, entry: usize) {
        self.0[column] = u8::try_from(entry).expect("lists of messages are short");
    }

    /// Makes the entry at least this.
    pub(super) fn raise(&mut self, column: usize, entry: usize) {
        if self.at(column) < entry {
            self.set(column, entry);
        }
    }

    pub(super) fn join(&mut self, other: &View) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, &theirs)| *mine = theirs.max(*mine));
    }

    pub(super) fn meet(&mut self, other: &View) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, &theirs)| *mine = theirs.min(*mine));
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }
}

/// A write that somebody may still read.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) value: Value,
    /// What whoever acquires it gets to know, but for its own place: that column is 0.
    pub(super) view: View,
    /// Can no write come right after it, because an update does, or because nobody is left who
    /// could write there?
    pub(super) is_closed: bool,
    /// The event, where a run is followed; not part of the state.
    pub(super) event: u32,
}

/// The views of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) current: View,
    /// What it would know after an acquire fence, where it has some.
    pub(super) acquire: Option<View>,
    /// What it knew at its last release fence, where it has some.
    pub(super) release: Option<View>,
}

impl Known {
    fn views_mut(&mut self) -> impl Iterator<Item = &mut View> {
        [&mut self.current].into_iter().chain(&mut self.acquire).chain(&mut self.release)
    }

    /// Gets to know this much more.
    pub(super) fn learn(&mut self, view: &View) {
        self.current.join(view);
        self.acquire.iter_mut().for_each(|acquire| acquire.join(view));
    }

    /// Gets to know of a message.
    pub(super) fn see(&mut self, column: usize, entry: usize) {
        self.current.raise(column, entry);
        self.acquire.iter_mut().for_each(|acquire| acquire.raise(column, entry));
    }

    /// An acquire fence.
    pub(super) fn take_up(&mut self) {
        if let Some(acquire) = &self.acquire {
            self.current.join(acquire);
        }
    }

    /// A release fence.
    pub(super) fn pass_on(&mut self) {
        if let Some(release) = &mut self.release {
            release.clone_from(&self.current);
        }
    }

    /// Knows nothing of this column.
    pub(super) fn forget(&mut self, column: usize) {
        self.views_mut().for_each(|view| view.set(column, 0));
    }

    pub(super) fn clear(&mut self) {
        self.views_mut().for_each(View::clear);
    }
}

/// A state.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) locals: Vec<StateId>,
    /// For every location, the messages that are left, oldest first. A plain location has its last
    /// write.
    pub(super) memory: Vec<Vec<Message>>,
    /// For every thread.
    pub(super) known: Vec<Known>,
}

impl State {
    pub(super) fn views_mut(&mut self) -> impl Iterator<Item = &mut View> {
        let of_messages = self.memory.iter_mut().flatten().map(|message| &mut message.view);
        self.known.iter_mut().flat_map(Known::views_mut).chain(of_messages.filter(|view| !view.0.is_empty()))
    }

    /// Puts a message at this place; what was there comes after it.
    pub(super) fn insert(&mut self, loc: LocId, place: usize, message: Message) {
        let column = loc.index();
        for view in self.views_mut() {
            let entry = view.at(column);
            if entry >= place {
                view.set(column, entry + 1);
            }
        }
        self.memory[column].insert(place, message);
    }

    /// Forgets the oldest messages, as many as that.
    pub(super) fn forget(&mut self, loc: usize, count: usize) {
        self.memory[loc].drain(..count);
        self.views_mut().for_each(|view| view.set(loc, view.at(loc).saturating_sub(count)));
    }

    /// Takes a message for the next one.
    pub(super) fn merge(&mut self, loc: usize, place: usize) {
        self.memory[loc].remove(place);
        for view in self.views_mut() {
            let entry = view.at(loc);
            if entry > place {
                view.set(loc, entry - 1);
            }
        }
    }

    /// The most messages of one location.
    pub(super) fn longest(&self) -> usize {
        self.memory.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// All of it but events, for `decode`.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(256);
        self.locals.iter().for_each(|&local| put(&mut bytes, local));
        for known in &self.known {
            let views = [Some(&known.current), known.acquire.as_ref(), known.release.as_ref()];
            views.into_iter().flatten().for_each(|view| bytes.extend_from_slice(&view.0));
        }
        for messages in &self.memory {
            put(&mut bytes, messages.len() as u32);
            for message in messages {
                put(&mut bytes, message.value);
                bytes.push(u8::from(message.is_closed));
                bytes.extend_from_slice(&message.view.0);
            }
        }
        bytes
    }

    /// The state that these bytes are; `like` says how many of what there are.
    pub(super) fn decode(bytes: &[u8], like: &State) -> State {
        let mut left = bytes;
        let take = |left: &mut &[u8], like: &View| {
            let (view, rest) = left.split_at(like.0.len());
            *left = rest;
            View(view.into())
        };
        let locals = like.locals.iter().map(|_| get(&mut left)).collect();
        let known = like.known.iter().map(|known| Known {
            current: take(&mut left, &known.current),
            acquire: known.acquire.as_ref().map(|acquire| take(&mut left, acquire)),
            release: known.release.as_ref().map(|release| take(&mut left, release)),
        });
        let known = known.collect();
        let memory = like.memory.iter().map(|like| {
            let count = get(&mut left);
            let message = |_| {
                let value = get(&mut left);
                let (is_closed, rest) = (left[0] != 0, &left[1..]);
                left = rest;
                Message { value, is_closed, view: take(&mut left, &like[0].view), event: 0 }
            };
            (0..count).map(message).collect()
        });
        let memory = memory.collect();
        State { locals, memory, known }
    }
}

/// Seven bits a byte, the last byte without a mark.
fn put(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn get(bytes: &mut &[u8]) -> u32 {
    let mut number = 0;
    for shift in (0..).step_by(7) {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}
