//! How far a search is, written down for another process to go on.
//!
//! At the end of a layer, what a search knows is its finished layers, and a few lines about them.
//! The layers are files already, or are written now. The lines go to a file of their own, the
//! *notes*, which name the files of the layers. New notes replace old ones in one step, after all
//! that they name is safe. So whenever a process is killed, there are notes that are true, or none.
//! What they do not name is removed by the next process.
//!
//! Notes begin with the question that the search is to answer, with everything that its answer
//! depends on. A search goes on only from notes with its own question. Notes and layers have
//! checksums.
//!
//! Runs are not written down, but the states they lead to: they are rebuilt as they were built.

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{Read as _, Write as _};
use std::str::SplitWhitespace;
use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_base::files::Files;
use fencepost_base::ids::{Pc, ThreadId};
use fencepost_runs::{Cursor, Error, Run, Sorter};
use fencepost_verdict::{Reason, ScFailure, ScFailureKind};

use super::{Failed, Key, Search, SoFar, State, What};
use crate::disk::{failed, write_layer};
use crate::system::System;
use crate::visited::{Place, Refuge, Visited, Wanted};

/// The first line, with the version of the format.
const FIRST: &str = "fencepost search 1";
/// Bytes of memory to sort a layer that is written down.
const TO_SORT: u64 = 16 << 20;
/// Files of a layer that are merged at a time.
const FAN_IN: usize = 64;

/// Whether and where to write down how far a search is.
pub(super) struct Checkpoint<'a> {
    question: String,
    is_due: &'a (dyn Fn() -> bool + Sync),
    /// Layers in memory that have been written down.
    written: Vec<Run>,
    /// How many of the layers are safe.
    safe: usize,
}

impl<'a> Checkpoint<'a> {
    pub(super) fn new(question: String, is_due: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Checkpoint { question, is_due, written: Vec::new(), safe: 0 }
    }

    /// The files that another process can go on with.
    pub(super) fn files(&self, visited: &Visited<'_>) -> Vec<String> {
        let layers = match visited {
            Visited::Disk(disk) => disk.layers(),
            Visited::Memory(_) => &[],
        };
        let runs = layers.iter().map(|run| &**run).chain(&self.written);
        runs.map(|run| run.name().to_owned()).chain([notes(&prefix(&self.question))]).collect()
    }
}

/// What names of files begin with, for a search that another process does not go on with.
pub(super) fn unique() -> String {
    static SEARCHES: AtomicU64 = AtomicU64::new(0);
    format!("search{}-", SEARCHES.fetch_add(1, Ordering::Relaxed))
}

/// The same for a search that another process may go on with.
pub(super) fn prefix(question: &str) -> String {
    format!("search-{:016x}-", hash(question.as_bytes()))
}

/// The name of the file of notes.
fn notes(prefix: &str) -> String {
    format!("{prefix}notes")
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = foldhash::quality::FixedState::with_seed(1).build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

/// What is written down about a search, but for its layers' states.
struct Notes {
    question: String,
    place: Place,
    /// The number of the next file.
    next: u64,
    so_far: SoFar,
    /// The files of layers: their names, states and bytes.
    layers: Vec<(String, u64, u64)>,
}

impl<S: System> Search<'_, S> {
    /// Writes down how far the search is, if it is time to.
    pub(super) fn write_down(&mut self) -> Result<(), Reason> {
        let (Some(checkpoint), Some(folder)) = (&mut self.checkpoint, &self.wanted.folder) else { return Ok(()) };
        if !(checkpoint.is_due)() {
            return Ok(());
        }
        let layers: Vec<&Run> = match &self.visited {
            Visited::Memory(memory) => {
                for layer in checkpoint.written.len()..self.visited.depth() {
                    let mut sorter = Sorter::new(self.wanted.words, TO_SORT.min(self.budget.max_bytes));
                    let mut states = Vec::new();
                    for (shard, ids) in memory.chunks(layer) {
                        states.clear();
                        memory.copy(shard, ids, &mut states);
                        let mut states = states.chunks_exact(self.wanted.words);
                        states.try_for_each(|state| sorter.push(state, &[], folder)).map_err(failed)?;
                    }
                    checkpoint.written.push(write_layer(folder, self.wanted.words, FAN_IN, sorter.finish())?);
                }
                checkpoint.written.iter().collect()
            }
            Visited::Disk(disk) => disk.layers().iter().map(|run| &**run).collect(),
        };
        let files = folder.files();
        let written_before = !checkpoint.written.is_empty() && matches!(self.visited, Visited::Disk(_));
        if written_before {
            checkpoint.safe = 0;
        }
        for run in &layers[checkpoint.safe..] {
            files.sync(run.name()).map_err(|error| failed(Error::new("write", run.name(), &error)))?;
        }
        checkpoint.safe = layers.len();
        let mut text = format!("{FIRST}\nquestion {}\nplace {}\n", checkpoint.question, self.visited.place());
        let _ = writeln!(text, "next {}", folder.next());
        self.so_far.tell(&mut text);
        for run in layers {
            let _ = writeln!(text, "layer {} {} {}", run.name(), run.len(), run.bytes());
        }
        let _ = writeln!(text, "end {:016x}", hash(text.as_bytes()));
        replace(files, &notes(folder.prefix()), &text).map_err(failed)?;
        if written_before {
            // They have moved to the disk.
            let written = std::mem::take(&mut checkpoint.written);
            written.iter().try_for_each(|run| folder.remove(run)).map_err(failed)?;
        }
        Ok(())
    }

    /// Goes on from where another process was. Is there such a place?
    pub(super) fn resume(&mut self) -> Result<bool, Reason> {
        let (Some(checkpoint), Some(folder)) = (&mut self.checkpoint, &self.wanted.folder) else { return Ok(false) };
        let (files, prefix) = (folder.files(), folder.prefix());
        let name = notes(prefix);
        let listed = files.names().map_err(|error| failed(Error::new("list the files beside", &name, &error)))?;
        let told = match listed.contains(&name) {
            true => Some(Notes::read(files, &name)?),
            false => None,
        };
        if told.as_ref().is_some_and(|notes| notes.question != checkpoint.question) {
            return Err(failed(Error::damaged(&name, "it belongs to another search")));
        }
        let is_named = |file: &String| {
            *file == name || told.iter().flat_map(|notes| &notes.layers).any(|(layer, ..)| layer == file)
        };
        for file in listed.iter().filter(|file| file.starts_with(prefix) && !is_named(file)) {
            files.remove(file).map_err(|error| failed(Error::new("remove", file, &error)))?;
        }
        let Some(Notes { place, next, so_far, layers, .. }) = told else { return Ok(false) };
        folder.go_on_from(next);
        let open = |(name, len, bytes)| Run::reopen(files, name, self.wanted.words, len, bytes).map_err(failed);
        let runs: Vec<Run> = layers.into_iter().map(open).collect::<Result<_, Reason>>()?;
        if runs.is_empty() {
            return Err(failed(Error::damaged(&name, "there are no layers")));
        }
        checkpoint.safe = runs.len();
        self.so_far = so_far;
        let in_time = super::in_time(self.budget);
        self.visited = match place {
            Place::Disk => {
                let mut disk = self.wanted.disk().filter(|_| self.wanted.can_spill());
                let disk = disk.take().ok_or_else(|| failed(Error::damaged(&name, "the search may not use a disk")))?;
                let mut visited = Visited::Disk(disk);
                if let Visited::Disk(disk) = &mut visited {
                    runs.into_iter().try_for_each(|run| disk.append(run, &in_time))?;
                }
                visited
            }
            Place::Memory | Place::Collapsed => {
                let plain = (place == Place::Memory).then(|| load(self.wanted.plain(), &runs, &self.wanted, &in_time));
                let visited = match plain {
                    None | Some(Err(Reason::Memory(_))) => load(self.wanted.collapsed(), &runs, &self.wanted, &in_time),
                    Some(loaded) => loaded,
                }?;
                checkpoint.written = runs;
                visited
            }
        };
        // The last layer is finished already.
        self.is_finished = true;
        Ok(true)
    }

    /// Rebuilds what the finished layers have told.
    pub(super) fn retell(&mut self, failure: &mut Option<ScFailure>) -> Result<(), Reason> {
        if let (None, Some((layer, failed))) = (&failure, &self.so_far.failure) {
            *failure = Some(self.failed(*layer, failed)?);
        }
        let collected = std::mem::take(&mut self.so_far.collected);
        collected.into_iter().try_for_each(|(finished, key, state)| self.add(finished, key, state))
    }
}

/// Puts layers into a store.
fn load<'a>(
    store: crate::visited::Memory,
    runs: &[Run],
    wanted: &Wanted<'a>,
    in_time: crate::disk::InTime<'_>,
) -> Result<Visited<'a>, Reason> {
    let mut visited = Visited::Memory(store);
    let folder = wanted.folder.as_ref().expect("the runs are there");
    let mut refuge = Refuge::new(&mut visited, wanted, in_time);
    for run in runs {
        let mut cursor = Cursor::new(folder.files(), run).map_err(failed)?;
        while cursor.advance().map_err(failed)? {
            refuge.insert(cursor.record().unwrap_or(&[]))?;
        }
        refuge.end_layer()?;
    }
    Ok(visited)
}

/// Puts a text in the place of a file.
fn replace(files: &dyn Files, name: &str, text: &str) -> Result<(), Error> {
    let new = format!("{name}.new");
    let written = files.create(&new).and_then(|mut output| {
        output.write_all(text.as_bytes())?;
        output.flush()
    });
    let replaced = written.and_then(|()| files.sync(&new)).and_then(|()| files.rename(&new, name));
    replaced.map_err(|error| Error::new("write", name, &error))
}

impl SoFar {
    fn tell(&self, text: &mut String) {
        let place = |(thread, pc): (ThreadId, Pc)| format!("{} {}", thread.index(), pc.0);
        let hex = |state: &State| state.iter().map(|word| format!(" {word:x}")).collect::<String>();
        let _ = writeln!(text, "transitions {}\ndepth {}", self.transitions, self.depth);
        if let Some(bound) = self.bound {
            let _ = writeln!(text, "bound {}", place(bound));
        }
        for &read in &self.speculative {
            let _ = writeln!(text, "speculative {}", place(read));
        }
        if let Some((layer, (state, pc, kind))) = &self.failure {
            let kind = match kind {
                ScFailureKind::Assertion => "assertion".to_owned(),
                ScFailureKind::DivisionByZero => "division".to_owned(),
                ScFailureKind::IndexOutOfRange { index, length } => format!("index {index} {length}"),
            };
            let _ = writeln!(text, "failure {layer} {} {kind}{}", pc.0, hex(state));
        }
        for (finished, Key { strayed, what }, state) in &self.collected {
            let what = match *what {
                What::Failure(at, kind) => format!("{kind} {}", place(at)),
                What::Race(first, second) => format!("race {} {}", place(first), place(second)),
                What::LateRace(at) => format!("late {}", place(at)),
                What::Other => "other".to_owned(),
            };
            let _ = writeln!(text, "collected {finished} {} {what}{}", u8::from(*strayed), hex(state));
        }
    }
}

/// A line that means nothing.
struct Unreadable;

/// The words of a line.
struct Words<'t>(SplitWhitespace<'t>);

impl Words<'_> {
    fn number<T: std::str::FromStr>(&mut self) -> Result<T, Unreadable> {
        self.0.next().and_then(|word| word.parse().ok()).ok_or(Unreadable)
    }

    fn place(&mut self) -> Result<(ThreadId, Pc), Unreadable> {
        Ok((ThreadId::from_index(self.number()?), Pc(self.number()?)))
    }

    fn state(self) -> Result<State, Unreadable> {
        self.0.map(|word| u64::from_str_radix(word, 16).map_err(|_| Unreadable)).collect()
    }

    fn failure(mut self) -> Result<(usize, Failed), Unreadable> {
        let (layer, pc) = (self.number()?, Pc(self.number()?));
        let kind = match self.0.next() {
            Some("assertion") => ScFailureKind::Assertion,
            Some("division") => ScFailureKind::DivisionByZero,
            Some("index") => ScFailureKind::IndexOutOfRange { index: self.number()?, length: self.number()? },
            _ => return Err(Unreadable),
        };
        Ok((layer, (self.state()?, pc, kind)))
    }

    fn collected(mut self) -> Result<(usize, Key, State), Unreadable> {
        let (finished, strayed) = (self.number()?, self.number::<u8>()? == 1);
        let what = match self.0.next() {
            Some("assertion") => What::Failure(self.place()?, "assertion"),
            Some("division") => What::Failure(self.place()?, "division"),
            Some("index") => What::Failure(self.place()?, "index"),
            Some("race") => What::Race(self.place()?, self.place()?),
            Some("late") => What::LateRace(self.place()?),
            Some("other") => What::Other,
            _ => return Err(Unreadable),
        };
        Ok((finished, Key { strayed, what }, self.state()?))
    }
}

impl Notes {
    fn read(files: &dyn Files, name: &str) -> Result<Self, Reason> {
        let mut bytes = Vec::new();
        let read = files.open(name).and_then(|mut input| input.read_to_end(&mut bytes));
        read.map_err(|error| failed(Error::new("read", name, &error)))?;
        let damaged = |how| failed(Error::damaged(name, how));
        let text = String::from_utf8(bytes).map_err(|_| damaged("it is no text"))?;
        let body = text.trim_end().rfind('\n').map_or("", |end| &text[..=end]);
        if text[body.len()..] != format!("end {:016x}\n", hash(body.as_bytes())) {
            return Err(damaged("the checksum is another one"));
        }
        match body.strip_prefix(FIRST).and_then(|body| body.strip_prefix('\n')) {
            Some(lines) => Notes::parse(lines).map_err(|Unreadable| damaged("a line means nothing")),
            None => Err(damaged("it was written by another version of fencepost")),
        }
    }

    fn parse(lines: &str) -> Result<Self, Unreadable> {
        let (mut question, mut place, mut next) = (None, None, None);
        let (mut so_far, mut layers) = (SoFar::default(), Vec::new());
        for line in lines.lines() {
            let (key, rest) = line.split_once(' ').ok_or(Unreadable)?;
            let mut words = Words(rest.split_whitespace());
            match key {
                "question" => question = Some(rest.to_owned()),
                "place" => place = Some(Place::named(rest).ok_or(Unreadable)?),
                "next" => next = Some(words.number()?),
                "transitions" => so_far.transitions = words.number()?,
                "depth" => so_far.depth = words.number()?,
                "bound" => so_far.bound = Some(words.place()?),
                "speculative" => _ = so_far.speculative.insert(words.place()?),
                "failure" => so_far.failure = Some(words.failure()?),
                "collected" => so_far.collected.push(words.collected()?),
                "layer" => layers.push((words.number()?, words.number()?, words.number()?)),
                _ => return Err(Unreadable),
            }
        }
        let (question, place) = (question.ok_or(Unreadable)?, place.ok_or(Unreadable)?);
        Ok(Notes { question, place, next: next.ok_or(Unreadable)?, so_far, layers })
    }
}
