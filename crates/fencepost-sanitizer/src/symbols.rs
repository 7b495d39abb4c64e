//! From addresses to names: functions with their inline frames, global variables.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use addr2line::Loader;
use object::{Object as _, ObjectSymbol as _, SymbolKind};

/// A place in a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function, demangled.
    pub function: Option<String>,
    /// The source file.
    pub file: Option<String>,
    /// The line in it; none if unknown.
    pub line: Option<u32>,
    /// The column; none if unknown.
    pub column: Option<u32>,
    /// The file that holds the code.
    pub module: String,
    /// Where in it.
    pub offset: u64,
}

/// Parts of paths of code that nobody wants to hear about: atomics of the languages' own libraries, and our header.
const LIBRARY_PATHS: &[&str] = &[
    "/fencepost.h",
    "/include/c++/",
    "/stdatomic.h",
    "/boost/atomic/",
    "/library/core/src/",
    "/library/std/src/",
    "/library/alloc/src/",
];

impl Frame {
    /// A place about which nothing is known but its address.
    pub fn bare(module: &str, offset: u64) -> Frame {
        Frame { function: None, file: None, line: None, column: None, module: module.to_string(), offset }
    }

    /// Code of the language's own library, inlined into the program.
    pub fn is_library(&self) -> bool {
        match &self.file {
            Some(file) => LIBRARY_PATHS.iter().any(|part| file.contains(part)),
            None => false,
        }
    }

    /// `file:line:column`, as much of it as is known.
    pub fn place(&self) -> Option<String> {
        let mut place = self.file.clone()?;
        for number in [self.line, self.line.and(self.column)].into_iter().flatten() {
            place += &format!(":{number}");
        }
        Some(place)
    }

    /// `file:line:column in function`, or the module if there is no debug information.
    pub fn summary(&self) -> String {
        let place = self.place().unwrap_or_else(|| self.module_place());
        match &self.function {
            Some(function) => format!("{place} in {function}"),
            None => place,
        }
    }

    /// The same place in every run.
    pub(crate) fn identity(&self) -> String {
        match self.line {
            Some(_) => self.summary(),
            None => self.module_place(),
        }
    }

    /// `module+0x…`.
    pub fn module_place(&self) -> String {
        let name =
            Path::new(&self.module).file_name().map_or(self.module.as_str().into(), |name| name.to_string_lossy());
        format!("{name}+{:#x}", self.offset)
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.function.as_deref().unwrap_or("<null>"))?;
        if let Some(place) = self.place() {
            write!(f, " {place}")?;
        }
        write!(f, " ({})", self.module_place())
    }
}

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

/// Reads ELF files and their DWARF information. A file that cannot be read has no names.
#[derive(Default)]
pub struct Files {
    code: BTreeMap<String, Option<Loader>>,
    data: BTreeMap<String, Vec<Variable>>,
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
                function: function.map(|name| name.into_owned()),
                file: location.and_then(|location| location.file).map(short),
                line: location.and_then(|location| location.line).and_then(known),
                column: location.and_then(|location| location.column).and_then(known),
                module: module.to_string(),
                offset: address,
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

/// A path without the detours that compilers leave in it.
fn short(path: &str) -> String {
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

/// Only names that are mangled: `y` alone would be read as the type `unsigned long long`.
fn demangle(name: &str) -> String {
    match name.starts_with("_Z") || name.starts_with("_R") {
        true => addr2line::demangle_auto(name.into(), None).into_owned(),
        false => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{demangle, short};

    #[test]
    fn paths_without_detours() {
        for (path, wanted) in [
            ("/usr/lib/gcc/12/../../../include/c++/12/atomic", "/usr/include/c++/12/atomic"),
            ("/a/./b/../c.c", "/a/c.c"),
            ("../up.c", "../up.c"),
            ("a/../../b.c", "../b.c"),
            ("/../x", "/../x"),
            ("mp.c", "mp.c"),
        ] {
            assert_eq!(short(path), wanted);
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
