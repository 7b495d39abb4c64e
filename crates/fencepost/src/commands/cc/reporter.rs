//! An object file with the path of this command, which programs start as their reporter when nobody
//! else listens.
//!
//! It is written byte by byte rather than by an assembler, so that the same path always gives the
//! same bytes: whoever finds the file in the cache knows what must be in it.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The symbol that the runtime looks up.
const SYMBOL: &[u8] = b"__fencepost_reporter\0";

/// Names of sections and symbols, one after the other, and where each starts.
struct Names(Vec<u8>);

impl Names {
    fn add(&mut self, name: &[u8]) -> u32 {
        let at = self.0.len() as u32;
        self.0.extend(name);
        at
    }
}

/// A header of a section, as in the ELF specification; what is zero for all sections is left out.
#[derive(Default)]
struct Section {
    name: u32,
    kind: u32,
    flags: u64,
    offset: u64,
    size: u64,
    link: u32,
    info: u32,
    align: u64,
    entry: u64,
}

const PROGBITS: u32 = 1;
const SYMTAB: u32 = 2;
const STRTAB: u32 = 3;
/// The section takes memory in the program.
const ALLOC: u64 = 2;
/// A symbol that all objects see, of some data.
const GLOBAL_OBJECT: u8 = 1 << 4 | 1;
const HEADER: u64 = 64;
const SECTION: u16 = 64;
const ENTRY: u64 = 24;

/// An x86-64 ELF object that defines the symbol as this path, ended by zero.
pub(crate) fn object(path: &Path) -> Vec<u8> {
    let mut text = path.as_os_str().as_bytes().to_vec();
    text.push(0);
    let size = text.len() as u64;
    // The symbols must be aligned.
    text.resize(text.len().next_multiple_of(8), 0);

    let mut names = Names(vec![0]);
    let (data, stack) = (names.add(b".rodata\0"), names.add(b".note.GNU-stack\0"));
    let (symtab, strtab, symbol) = (names.add(b".symtab\0"), names.add(b".strtab\0"), names.add(SYMBOL));
    let names = names.0;

    // The first symbol is nothing; ours is in section 1, at its start.
    let mut symbols = vec![0; ENTRY as usize];
    symbols.extend(symbol.to_le_bytes());
    symbols.extend([GLOBAL_OBJECT, 0]);
    symbols.extend(1_u16.to_le_bytes());
    symbols.extend(0_u64.to_le_bytes());
    symbols.extend(size.to_le_bytes());

    let symbols_at = HEADER + text.len() as u64;
    let names_at = symbols_at + symbols.len() as u64;
    let sections_at = (names_at + names.len() as u64).next_multiple_of(8);
    let sections = [
        Section::default(),
        Section { name: data, kind: PROGBITS, flags: ALLOC, offset: HEADER, size, align: 1, ..Section::default() },
        // Without it, the linker would make the stack executable.
        Section { name: stack, kind: PROGBITS, offset: symbols_at, align: 1, ..Section::default() },
        Section {
            name: symtab,
            kind: SYMTAB,
            offset: symbols_at,
            size: symbols.len() as u64,
            link: 4,
            info: 1,
            align: 8,
            entry: ENTRY,
            ..Section::default()
        },
        Section {
            name: strtab,
            kind: STRTAB,
            offset: names_at,
            size: names.len() as u64,
            align: 1,
            ..Section::default()
        },
    ];

    let mut object = header(sections_at, sections.len() as u16);
    object.extend(text);
    object.extend(symbols);
    object.extend(names);
    object.resize(sections_at as usize, 0);
    for section in sections {
        object.extend(section.bytes());
    }
    object
}

/// The header of a relocatable 64-bit object for x86-64, whose last section has the names.
fn header(sections_at: u64, sections: u16) -> Vec<u8> {
    let mut header = b"\x7fELF\x02\x01\x01".to_vec();
    header.resize(16, 0);
    for half in [1_u16, 62] {
        header.extend(half.to_le_bytes());
    }
    header.extend(1_u32.to_le_bytes());
    for word in [0, 0, sections_at] {
        header.extend(word.to_le_bytes());
    }
    header.extend(0_u32.to_le_bytes());
    for half in [HEADER as u16, 0, 0, SECTION, sections, sections - 1] {
        header.extend(half.to_le_bytes());
    }
    header
}

impl Section {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(usize::from(SECTION));
        bytes.extend([self.name, self.kind].map(u32::to_le_bytes).as_flattened());
        bytes.extend([self.flags, 0, self.offset, self.size].map(u64::to_le_bytes).as_flattened());
        bytes.extend([self.link, self.info].map(u32::to_le_bytes).as_flattened());
        bytes.extend([self.align, self.entry].map(u64::to_le_bytes).as_flattened());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_where_the_headers_say() {
        let object = object(Path::new("/usr/bin/fencepost"));
        let word = |at: usize| u64::from_le_bytes(object[at..at + 8].try_into().expect("eight bytes")) as usize;
        let sections_at = word(40);
        assert_eq!(object.len(), sections_at + 5 * usize::from(SECTION));
        let data = sections_at + usize::from(SECTION);
        let (offset, size) = (word(data + 24), word(data + 32));
        assert_eq!(&object[offset..offset + size], b"/usr/bin/fencepost\0");
    }
}
