//! From addresses to names: functions with their inline frames, global variables.

use std::collections::BTreeMap;
use std::fs;

use addr2line::Loader;
pub use fencepost_finding::Frame;
use object::{Object as _, ObjectSymbol as _, SymbolKind};

use crate::suppress::Pattern;
use crate::wrappers::Wrappers;

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name, demangled.
    pub name: String,
    /// Where it starts in the file.
    pub address: u64,
    /// Its length.
    pub size: u64,
}

/// Knows names. Answers must not depend on the order of the questions.
pub trait Symbols {
    /// The frames at an address of a file, innermost (inlined) first; at least one.
    fn frames(&mut self, module: &str, address: u64) -> Vec<Frame>;

    /// The variable that contains an address of a file.
    fn variable(&mut self, module: &str, address: u64) -> Option<Variable>;
}

/// Knows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSymbols;

impl Symbols for NoSymbols {
    fn frames(&mut self, module: &str, address: u64) -> Vec<Frame> {
        vec![Frame::bare(module, address)]
    }

    fn variable(&mut self, _: &str, _: u64) -> Option<Variable> {
        None
    }
}

/// Names in which some functions are wrappers because somebody has said so.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named<S> {
    symbols: S,
    wrappers: Vec<Pattern>,
}

impl<S: Symbols> Named<S> {
    /// Functions whose names match one of the patterns are wrappers.
    pub(crate) fn new(symbols: S, wrappers: Vec<Pattern>) -> Self {
        Named { symbols, wrappers }
    }
}

impl<S: Symbols> Symbols for Named<S> {
    fn frames(&mut self, module: &str, address: u64) -> Vec<Frame> {
        let mut frames = self.symbols.frames(module, address);
        for frame in &mut frames {
            let name = frame.function.as_deref().unwrap_or_default();
            frame.wrapper |= self.wrappers.iter().any(|pattern| pattern.matches(name));
        }
        frames
    }

    fn variable(&mut self, module: &str, address: u64) -> Option<Variable> {
        self.symbols.variable(module, address)
    }
}

/// Reads ELF files and their DWARF information. A file that cannot be read has no names.
#[derive(Default)]
pub struct Files {
    code: BTreeMap<String, Option<Loader>>,
    data: BTreeMap<String, Vec<Variable>>,
    /// What is known of functions that only wrap others.
    wrappers: BTreeMap<String, Option<Wrappers>>,
    /// Programs ask for the same places again and again.
    known: BTreeMap<(String, u64), Vec<Frame>>,
}

impl Symbols for Files {
    fn frames(&mut self, module: &str, address: u64) -> Vec<Frame> {
        if let Some(frames) = self.known.get(&(module.to_string(), address)) {
            return frames.clone();
        }
        let loader = self.code.entry(module.to_string()).or_insert_with(|| Loader::new(module).ok());
        let mut frames = loader.as_ref().map(|loader| read_frames(loader, module, address)).unwrap_or_default();
        if frames.is_empty() {
            frames.push(Frame::bare(module, address));
        }
        let wrappers = self.wrappers.entry(module.to_string()).or_insert_with(|| Wrappers::read(module));
        if let Some(wrappers) = wrappers {
            let is_wrapper = wrappers.at(address);
            if is_wrapper.len() == frames.len() {
                frames.iter_mut().zip(is_wrapper).for_each(|(frame, is_wrapper)| frame.wrapper = is_wrapper);
            }
            for frame in &mut frames {
                frame.wrapper |= wrappers.are_named(frame.function.as_deref().unwrap_or_default());
            }
        }
        self.known.insert((module.to_string(), address), frames.clone());
        frames
    }

    fn variable(&mut self, module: &str, address: u64) -> Option<Variable> {
        let variables = self.data.entry(module.to_string()).or_insert_with(|| read_variables(module));
        let before = variables.partition_point(|variable| variable.address <= address);
        let variable = variables.get(before.checked_sub(1)?)?;
        // A symbol without a length covers its first byte only.
        (address - variable.address < variable.size.max(1)).then(|| variable.clone())
    }
}

fn read_frames(loader: &Loader, module: &str, address: u64) -> Vec<Frame> {
    let known = |number: u32| (number != 0).then_some(number);
    let mut frames = Vec::new();
    if let Ok(mut found) = loader.find_frames(address) {
        while let Ok(Some(frame)) = found.next() {
            let location = frame.location.as_ref();
            let function = frame.function.as_ref().and_then(|name| name.demangle().ok());
            frames.push(Frame {
                function: function.map(|name| plain(&name)),
                file: location.and_then(|location| location.file).map(short),
                line: location.and_then(|location| location.line).and_then(known),
                column: location.and_then(|location| location.column).and_then(known),
                module: module.to_string(),
                offset: address,
                wrapper: false,
            });
        }
    }
    if frames.is_empty() {
        frames.push(Frame::bare(module, address));
    }
    // Without debug information the symbol table still knows the function.
    if let Some(outermost) = frames.last_mut().filter(|frame| frame.function.is_none()) {
        outermost.function = loader.find_symbol(address).map(demangle);
    }
    frames
}

/// A path without the detours that compilers leave in it, and without the hash that says which
/// version of Rust's library it is.
pub(crate) fn short(path: &str) -> String {
    if let Some((hash, rest)) = path.strip_prefix("/rustc/").and_then(|rest| rest.split_once('/'))
        && hash.len() == 40
    {
        return format!("/rustc/{rest}");
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, parts.last()) {
            (".", Some(_)) => {}
            ("..", Some(&last)) if !last.is_empty() && last != ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// The variables of a file, by address.
fn read_variables(module: &str) -> Vec<Variable> {
    let Ok(bytes) = fs::read(module) else { return Vec::new() };
    let Ok(file) = object::File::parse(&*bytes) else { return Vec::new() };
    let mut variables: Vec<Variable> = file
        .symbols()
        .chain(file.dynamic_symbols())
        .filter(|symbol| symbol.kind() == SymbolKind::Data && symbol.is_definition())
        .filter_map(|symbol| {
            Some(Variable { name: demangle(symbol.name().ok()?), address: symbol.address(), size: symbol.size() })
        })
        .collect();
    // Of several names for one place the longest variable, then the first name.
    variables.sort_by(|a, b| (a.address, b.size, &a.name).cmp(&(b.address, a.size, &b.name)));
    variables.dedup_by_key(|variable| variable.address);
    variables
}

/// A name of C++ as people write it: without the arguments of templates that nobody gives.
fn plain(name: &str) -> String {
    let name = name.replace(STRING, "std::string").replace("std::string >", "std::string>");
    let mut rest = name.as_str();
    let mut plain = String::new();
    while let Some((before, after)) = rest.split_once(ALLOCATOR) {
        plain += before;
        let mut depth = 1;
        let end = after.char_indices().find_map(|(at, c)| {
            depth += match c {
                '<' => 1,
                '>' => -1,
                _ => 0,
            };
            (depth == 0).then_some(at + 1)
        });
        match end {
            // `, std::allocator<…> >`: it is the last argument.
            Some(end) if after[end..].starts_with(" >") => {
                rest = &after[end + 1..];
            }
            _ => {
                plain += ALLOCATOR;
                rest = after;
            }
        }
    }
    plain + rest
}

/// What `std::string` stands for in GNU's library.
const STRING: &str = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
/// The argument of a template that is left out where it is the last one.
const ALLOCATOR: &str = ", std::allocator<";

/// Only names that are mangled: `y` alone would be read as the type `unsigned long long`.
fn demangle(name: &str) -> String {
    match name.starts_with("_Z") || name.starts_with("_R") {
        true => plain(&addr2line::demangle_auto(name.into(), None)),
        false => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{demangle, plain, short};

    #[test]
    fn paths_without_detours() {
        for (path, wanted) in [
            ("/usr/lib/gcc/12/../../../include/c++/12/atomic", "/usr/include/c++/12/atomic"),
            ("/a/./b/../c.c", "/a/c.c"),
            ("../up.c", "../up.c"),
            ("a/../../b.c", "../b.c"),
            ("/../x", "/../x"),
            ("mp.c", "mp.c"),
            ("/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/a.rs", "/rustc/library/core/src/a.rs"),
        ] {
            assert_eq!(short(path), wanted);
        }
    }

    #[test]
    fn names_without_the_arguments_that_nobody_writes() {
        for (name, wanted) in [
            (
                "Stack<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > >::pop()",
                "Stack<std::string>::pop()",
            ),
            ("std::vector<int, std::allocator<int> >::size() const", "std::vector<int>::size() const"),
            (
                "f(std::vector<std::vector<T<int>, std::allocator<T<int> > >, std::allocator<std::vector<T<int>, std::allocator<T<int> > > > >)",
                "f(std::vector<std::vector<T<int>>>)",
            ),
            ("f<int, std::allocator<int>, long>()", "f<int, std::allocator<int>, long>()"),
            ("f<int, std::allocator<", "f<int, std::allocator<"),
        ] {
            assert_eq!(plain(name), wanted);
        }
    }

    #[test]
    fn only_mangled_names_are_demangled() {
        for (name, wanted) in
            [("y", "y"), ("x", "x"), ("_Z5queuei", "queue(int)"), ("_ZN2ns1vE", "ns::v"), ("_start", "_start")]
        {
            assert_eq!(demangle(name), wanted);
        }
    }
}
