//! Functions that only wrap an atomic access: a layer of the program's own over the language's
//! atomics. What is wrong with such an access is wrong where the function is called, since the next
//! caller may use it rightly. So blame passes them by.
//!
//! A function is a wrapper if all of this is true:
//!
//! - One of its parameters, `this` included, points or refers to a *cell*: something that is read or
//!   written as one, or a structure that holds nothing but a cell. The function gets the variable.
//! - It has a further parameter for each value that the operation needs: one for a store or an
//!   update, two for a compare-and-swap. The function also gets what to write. `unlock(lock)`, which
//!   stores 0, is no wrapper: what it does is decided in it.
//! - It makes one call, to the runtime for this access or to the next wrapper, besides plain reads.
//!   Calls at the same place in the source are one call: compilers make several of an access whose
//!   order is a variable, and of loops.
//!
//! A function that the program names is a wrapper too (`FENCEPOST_WRAPPER` in `fencepost.h`).
//!
//! All of this is read off the file: signatures from the debug information, calls from the code. A
//! function that was inlined is judged by what became of it at that place. Nothing depends on what
//! the program did.

use std::collections::BTreeMap;

use addr2line::Context;
use addr2line::gimli::{self, AttributeValue, EndianSlice, LittleEndian, UnitOffset};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SymbolKind};

use crate::suppress::Pattern;
use crate::symbols::short;

/// Debug information, which is kept until the command ends.
type Bytes = EndianSlice<'static, LittleEndian>;
type Unit<'a> = gimli::UnitRef<'a, Bytes>;
type Offset = UnitOffset<usize>;

/// Types within types that are followed.
const DEPTH: usize = 12;
/// Bytes of a function that are searched for calls. What is longer is no wrapper, and what is
/// inlined into it is not judged.
const LONG: u64 = 1 << 18;

/// What a file says about its functions.
pub(crate) struct Wrappers {
    names: Context<Bytes>,
    code: Vec<Piece>,
    /// What can be called, by address.
    targets: BTreeMap<u64, Target>,
    /// Slots of the table through which functions of other files are called, and of this file, if
    /// others may take their place; and the stubs that jump through them. What is called by each:
    /// a function of this file, or else the slot.
    links: BTreeMap<u64, u64>,
    /// Functions: first address to first address after.
    functions: BTreeMap<u64, u64>,
    /// What the program says itself.
    named: Vec<Pattern>,
}

/// A part of the code.
struct Piece {
    start: u64,
    bytes: Vec<u8>,
}

/// What is called, as far as that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// Nothing that the program does: entry and exit of functions, plain reads.
    Nothing,
    /// An atomic operation that needs so many values besides the variable.
    Atomic(usize),
    /// Something else.
    Other,
}

impl Target {
    fn named(name: &str) -> Target {
        if let Some(hook) = name.strip_prefix("__tsan_") {
            return match hook {
                _ if hook.starts_with("func_") || hook.starts_with("read") || hook.starts_with("vptr_read") => {
                    Target::Nothing
                }
                _ if hook.starts_with("unaligned_read") || hook.starts_with("volatile_read") => Target::Nothing,
                _ if hook.starts_with("atomic") && !hook.contains("fence") => Target::Atomic(operands(hook)),
                _ => Target::Other,
            };
        }
        // Without optimisation the libraries' atomics are functions.
        let atomics = ["_ZNSt6atomic", "_ZNKSt6atomic", "_ZNVSt6atomic", "_ZNVKSt6atomic"];
        let bases = ["_ZNSt13__atomic_base", "_ZNKSt13__atomic_base", "_ZNSt12__atomic_", "_ZNKSt12__atomic_"];
        let other = ["_ZNSt3__16atomic", "_ZNKSt3__16atomic", "_ZNSt3__113__atomic_base", "_ZNKSt3__113__atomic_base"];
        let is_rust =
            name.starts_with("_ZN4core4sync6atomic") || (name.starts_with("_R") && name.contains("4core4sync6atomic"));
        match is_rust || [&atomics[..], &bases, &other].concat().iter().any(|start| name.starts_with(start)) {
            true => Target::Atomic(operands(name)),
            false => Target::Other,
        }
    }
}

/// How many values an operation of this name needs besides the variable.
fn operands(name: &str) -> usize {
    match name {
        _ if name.contains("compare_exchange") => 2,
        // `cv` is what mangled names have for a conversion.
        _ if name.contains("load") || name.contains("Ecv") || name.contains("test") => 0,
        _ => 1,
    }
}

/// A call in the code.
struct Call {
    /// An address within the instruction.
    at: u64,
    target: u64,
}

/// A level of inlining at an address.
struct Level {
    /// The function, or its inlined copy, in the debug information.
    die: Option<Offset>,
    /// Where in the source.
    place: (Option<String>, Option<u32>, Option<u32>),
}

impl Wrappers {
    /// Reads a file. None if it cannot be read or has no debug information.
    pub(crate) fn read(module: &str) -> Option<Wrappers> {
        let bytes = std::fs::read(module).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        let section = |id: gimli::SectionId| -> Result<Bytes, gimli::Error> {
            let data = file.section_by_name(id.name()).and_then(|section| section.uncompressed_data().ok());
            Ok(Bytes::new(data.unwrap_or_default().into_owned().leak(), LittleEndian))
        };
        let names = Context::from_dwarf(gimli::Dwarf::load(section).ok()?).ok()?;
        let pieces = file.sections().filter(|section| section.kind() == object::SectionKind::Text);
        let code: Vec<Piece> = pieces
            .filter_map(|section| Some(Piece { start: section.address(), bytes: section.data().ok()?.to_vec() }))
            .collect();
        let (mut targets, mut functions) = (BTreeMap::new(), BTreeMap::new());
        for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition()) {
            let target = Target::named(symbol.name().unwrap_or_default());
            // Of several names for one place, one that is known.
            let known = targets.entry(symbol.address()).or_insert(Target::Other);
            *known = if *known == Target::Other { target } else { *known };
            functions.insert(symbol.address(), symbol.address() + symbol.size());
        }
        let named = file.section_by_name(".fencepost.wrappers").and_then(|section| section.data().ok());
        let named = named.unwrap_or_default().split(|&byte| byte == 0).filter(|pattern| !pattern.is_empty());
        let named = named.map(|pattern| Pattern::new(&String::from_utf8_lossy(pattern))).collect();
        let mut wrappers = Wrappers { names, code, targets, links: BTreeMap::new(), functions, named };
        wrappers.add_links(&file);
        Some(wrappers)
    }

    /// Functions of other files are called through a table that is filled in when the program is
    /// loaded, mostly by stubs that jump through it. In a shared library, so are its own functions
    /// that others may call.
    fn add_links(&mut self, file: &object::File<'_>) {
        for (slot, relocation) in file.dynamic_relocations().into_iter().flatten() {
            let object::RelocationTarget::Symbol(index) = relocation.target() else { continue };
            let Some(table) = file.dynamic_symbol_table() else { return };
            let symbol = object::ObjectSymbolTable::symbol_by_index(&table, index);
            let Ok(symbol) = symbol else { continue };
            if self.targets.contains_key(&symbol.address()) && symbol.is_definition() {
                self.links.insert(slot, symbol.address());
            } else if let Ok(name) = symbol.name() {
                self.targets.insert(slot, Target::named(name));
                self.links.insert(slot, slot);
            }
        }
        let mut stubs = Vec::new();
        for section in file.sections().filter(|section| section.name().is_ok_and(|name| name.starts_with(".plt"))) {
            let Ok(bytes) = section.data() else { continue };
            for at in 0..bytes.len().saturating_sub(5) {
                let address = section.address() + at as u64;
                if bytes[at..].starts_with(&[0xff, 0x25])
                    && let Some(&target) = self.links.get(&relative(address + 6, &bytes[at + 2..]))
                {
                    stubs.push((address & !15, target));
                }
            }
        }
        self.links.extend(stubs);
    }

    /// Does the program say that functions of this name are wrappers?
    pub(crate) fn are_named(&self, function: &str) -> bool {
        self.named.iter().any(|pattern| pattern.matches(function))
    }

    /// For each level of inlining at an address, innermost first: is it a wrapper of the access, or
    /// of the call, at this address? What comes after one that is not is not asked for.
    pub(crate) fn at(&self, address: u64) -> Vec<bool> {
        let levels = self.levels(address);
        let mut answers = Vec::new();
        for level in &levels {
            let is_wrapper = level.die.is_some_and(|die| self.is_wrapper(address, die));
            answers.push(is_wrapper);
        }
        answers
    }

    fn levels(&self, address: u64) -> Vec<Level> {
        let mut levels = Vec::new();
        if let Ok(mut frames) = self.names.find_frames(address).skip_all_loads() {
            while let Ok(Some(frame)) = frames.next() {
                let place = frame
                    .location
                    .map_or((None, None, None), |location| (location.file.map(short), location.line, location.column));
                levels.push(Level { die: frame.dw_die_offset, place });
            }
        }
        levels
    }

    fn is_wrapper(&self, address: u64, die: Offset) -> bool {
        let Some(unit) = self.names.find_dwarf_and_unit(address).skip_all_loads() else { return false };
        let Some(signature) = Signature::read(unit, die) else { return false };
        signature.has_cell && self.only_call(address, die, &signature) == Some(true)
    }

    /// Is the call at this address the only one in this copy of a function, and does the function
    /// get what it needs?
    fn only_call(&self, address: u64, die: Offset, signature: &Signature) -> Option<bool> {
        let (&start, &end) = self.functions.range(..=address).next_back()?;
        if address >= end || end - start > LONG {
            return None;
        }
        let within = |at: u64| self.levels(at).into_iter().find(|level| level.die == Some(die));
        let here = within(address)?;
        let calls = self.calls(start, end);
        let examined = calls.iter().find(|call| call.at == address)?;
        let needed = match self.targets.get(&examined.target)? {
            Target::Nothing => return None,
            Target::Atomic(operands) => *operands + 1,
            Target::Other => self.parameters(examined.target)?,
        };
        let is_other = |call: &Call| {
            self.targets.get(&call.target).is_some_and(|target| *target != Target::Nothing)
                && within(call.at).is_some_and(|level| level.place != here.place)
        };
        Some(signature.parameters >= needed && !calls.iter().any(is_other))
    }

    /// The number of parameters of the function at this address.
    fn parameters(&self, function: u64) -> Option<usize> {
        let die = self.levels(function).last()?.die?;
        let unit = self.names.find_dwarf_and_unit(function).skip_all_loads()?;
        Some(Signature::read(unit, die)?.parameters)
    }

    /// Everything between two addresses that looks like a call of something known. Some may be
    /// other instructions' bytes; that they name the beginning of a function is next to impossible.
    fn calls(&self, start: u64, end: u64) -> Vec<Call> {
        let Some(piece) =
            self.code.iter().find(|piece| piece.start <= start && end <= piece.start + piece.bytes.len() as u64)
        else {
            return Vec::new();
        };
        let bytes = &piece.bytes[(start - piece.start) as usize..(end - piece.start) as usize];
        let mut calls = Vec::new();
        for at in 0..bytes.len() {
            let address = start + at as u64;
            let (after, target) = match bytes[at..] {
                [0xe8, a, b, c, d, ..] => (address + 5, relative(address + 5, &[a, b, c, d])),
                // Through the table, without a stub.
                [0xff, 0x15, a, b, c, d, ..] => (address + 6, relative(address + 6, &[a, b, c, d])),
                _ => continue,
            };
            let target = self.links.get(&target).copied().unwrap_or(target);
            if self.targets.contains_key(&target) {
                // As stacks have it: before the address that is returned to.
                calls.push(Call { at: after - 1, target });
            }
        }
        calls
    }
}

/// The address at a distance that is the first four bytes.
fn relative(from: u64, bytes: &[u8]) -> u64 {
    let distance = bytes.first_chunk().map_or(0, |bytes| i32::from_le_bytes(*bytes));
    from.wrapping_add_signed(distance.into())
}

/// What the debug information says about a function.
struct Signature {
    parameters: usize,
    has_cell: bool,
}

impl Signature {
    fn read(unit: Unit<'_>, die: Offset) -> Option<Signature> {
        let mut signature = Signature { parameters: 0, has_cell: false };
        // A copy refers to the function, and a definition outside of its class to the declaration
        // in it.
        let mut origin = die;
        for _ in 0..DEPTH {
            let entry = unit.entry(origin).ok()?;
            let next = reference(&entry, gimli::DW_AT_abstract_origin)
                .or_else(|| reference(&entry, gimli::DW_AT_specification));
            match next {
                Some(next) => origin = next,
                None => break,
            }
        }
        let mut tree = unit.entries_tree(Some(origin)).ok()?;
        let mut children = tree.root().ok()?.children();
        while let Some(child) = children.next().ok()? {
            let entry = child.entry();
            if entry.tag() == gimli::DW_TAG_formal_parameter {
                signature.parameters += 1;
                let kind = reference(entry, gimli::DW_AT_type);
                signature.has_cell |= kind.is_some_and(|kind| points_to_cell(unit, kind, 0));
            }
        }
        Some(signature)
    }
}

type Entry<'a> = gimli::DebuggingInformationEntry<Bytes>;

fn flag(entry: &Entry<'_>, name: gimli::DwAt) -> bool {
    matches!(entry.attr_value(name), Some(AttributeValue::Flag(true)))
}

/// Where an attribute points to, within the unit.
fn reference(entry: &Entry<'_>, name: gimli::DwAt) -> Option<Offset> {
    match entry.attr_value(name)? {
        AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    }
}

/// Is this type a pointer or a reference to a cell?
fn points_to_cell(unit: Unit<'_>, kind: Offset, depth: usize) -> bool {
    let Ok(entry) = unit.entry(kind) else { return false };
    let target = reference(&entry, gimli::DW_AT_type);
    match entry.tag() {
        gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => {
            // A pointer to anything.
            target.is_none_or(|target| is_cell(unit, target, depth))
        }
        gimli::DW_TAG_typedef
        | gimli::DW_TAG_const_type
        | gimli::DW_TAG_volatile_type
        | gimli::DW_TAG_restrict_type
            if depth < DEPTH =>
        {
            target.is_some_and(|target| points_to_cell(unit, target, depth + 1))
        }
        _ => false,
    }
}

/// Is this the type of a cell?
fn is_cell(unit: Unit<'_>, kind: Offset, depth: usize) -> bool {
    let Ok(entry) = unit.entry(kind) else { return false };
    match entry.tag() {
        gimli::DW_TAG_base_type
        | gimli::DW_TAG_enumeration_type
        | gimli::DW_TAG_pointer_type
        | gimli::DW_TAG_atomic_type => true,
        gimli::DW_TAG_typedef | gimli::DW_TAG_const_type | gimli::DW_TAG_volatile_type if depth < DEPTH => {
            // Without a type it is `void`.
            reference(&entry, gimli::DW_AT_type).is_none_or(|target| is_cell(unit, target, depth + 1))
        }
        gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type if depth < DEPTH => {
            let parts = parts(unit, kind).unwrap_or_default();
            matches!(parts[..], [Some(part)] if is_cell(unit, part, depth + 1))
        }
        _ => false,
    }
}

/// The types of what a structure consists of: its bases and its members.
fn parts(unit: Unit<'_>, kind: Offset) -> Option<Vec<Option<Offset>>> {
    let mut parts = Vec::new();
    let mut tree = unit.entries_tree(Some(kind)).ok()?;
    let mut children = tree.root().ok()?.children();
    while let Some(child) = children.next().ok()? {
        let entry = child.entry();
        // A static member is elsewhere.
        let is_static = flag(entry, gimli::DW_AT_external) || flag(entry, gimli::DW_AT_declaration);
        if [gimli::DW_TAG_member, gimli::DW_TAG_inheritance].contains(&entry.tag()) && !is_static {
            parts.push(reference(entry, gimli::DW_AT_type));
        }
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::{Target, operands};

    #[test]
    fn operations_need_values() {
        for (name, wanted) in [
            ("__tsan_atomic32_load", Target::Atomic(0)),
            ("__tsan_atomic8_store", Target::Atomic(1)),
            ("__tsan_atomic64_fetch_add", Target::Atomic(1)),
            ("__tsan_atomic32_compare_exchange_val", Target::Atomic(2)),
            ("__tsan_atomic_thread_fence", Target::Other),
            ("__tsan_func_entry", Target::Nothing),
            ("__tsan_read4", Target::Nothing),
            ("__tsan_write4", Target::Other),
            ("_ZNKSt13__atomic_baseIiE4loadESt12memory_order", Target::Atomic(0)),
            ("_ZNSt6atomicIbE5storeEbSt12memory_order", Target::Atomic(1)),
            ("_ZNKSt13__atomic_baseIiEcviEv", Target::Atomic(0)),
            ("printf", Target::Other),
        ] {
            assert_eq!(Target::named(name), wanted, "{name}");
        }
        assert_eq!(operands("atomic32_exchange"), 1);
    }
}
