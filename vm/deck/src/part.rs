//! Parts of the nucleus that are loaded when they are wanted, from ELF executables that were linked with it.
//!
//! The linker has kept the relocations. Those that depend on where the part is become words after the image:
//! `guest/cms/nucleus/part.c` says how it uses them. Texts that are seldom wanted follow, which stay in the file: what
//! the linker has put into a section of that name. The file is a whole number of records.

use object::elf;
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags, SymbolSection};

use crate::Elf;
use zerocopy::big_endian::U32;
use zerocopy::{Immutable, IntoBytes};

/// How long a record of the file is.
pub const RECORD: usize = 4096;

/// What a part's image begins with (`guest/cms/nucleus/part.c`).
#[derive(IntoBytes, Immutable)]
#[repr(C)]
struct Head {
    /// X'00': `CMSPART1`.
    identifier: [u8; 8],
    /// X'08': the stamp of the nucleus that it was linked with.
    stamp: [u8; 8],
    /// X'10': the address that it was linked for.
    base: U32,
    /// X'14': bytes of the image.
    image: U32,
    /// X'18': bytes of storage, variables included.
    storage: U32,
    /// X'1C': how many words of relocation follow the image.
    words: U32,
    /// X'20': where what changes begins, at a page.
    variables: U32,
    /// X'24': where the texts would lie after `base`.
    texts: U32,
}
const _: () = assert!(size_of::<Head>() == 40);

/// How long a page is: what changes begins one.
const PAGE: usize = 4096;

/// The word is a distance, in halfwords, to what is not in the part.
const RELATIVE: u32 = 1;

/// The section with texts that are not loaded.
const TEXTS: &str = ".texts";

/// The file of a part whose head has this stamp.
pub fn part(bytes: &[u8], stamp: [u8; 8]) -> Result<Vec<u8>, String> {
    let elf = Elf::parse(bytes).map_err(|error| format!("this is no ELF executable: {error}"))?;
    let mut sections: Vec<_> = elf
        .sections()
        .filter(|section| match section.flags() {
            SectionFlags::Elf { sh_flags, .. } => sh_flags & u64::from(elf::SHF_ALLOC) != 0 && section.size() > 0,
            _ => false,
        })
        .collect();
    sections.sort_by_key(|section| section.address());
    let base = sections.first().map(|section| section.address()).ok_or("the part is empty")?;
    let (mut image, mut storage, mut words) = (Vec::new(), 0, Vec::new());
    let (mut variables, mut texts, mut texts_at) = (None, Vec::new(), 0);
    for section in &sections {
        let at = (section.address() - base) as usize;
        if section.name() == Ok(TEXTS) {
            texts_at = at as u32;
            texts.extend_from_slice(section.data().map_err(|error| error.to_string())?);
            continue;
        }
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
        if sh_flags & u64::from(elf::SHF_WRITE) != 0 {
            variables = variables.or(Some(at));
        } else if variables.is_some() {
            return Err("what does not change lies after what does".to_owned());
        }
        storage = at + section.size() as usize;
        let data = section.data().map_err(|error| error.to_string())?;
        if !data.is_empty() {
            image.resize(at, 0);
            image.extend_from_slice(data);
        }
        for (place, relocation) in section.relocations() {
            let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
            let RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
            let symbol = elf.symbol_by_index(symbol).map_err(|error| error.to_string())?;
            let inside = matches!(symbol.section(), SymbolSection::Section(_));
            let offset = (place - base) as u32;
            match (r_type, inside) {
                (elf::R_390_32, true) => words.push(U32::new(offset)),
                (elf::R_390_PC32DBL | elf::R_390_PLT32DBL, false) => words.push(U32::new(offset | RELATIVE)),
                (elf::R_390_32 | elf::R_390_NONE, false) | (_, true) => (),
                (other, false) => {
                    let name = symbol.name().unwrap_or("?");
                    return Err(format!("a relocation {other} to {name} of the nucleus cannot be moved"));
                }
            }
        }
    }
    image.resize(image.len().next_multiple_of(4), 0);
    storage = storage.max(image.len());
    let variables = variables.unwrap_or_else(|| storage.next_multiple_of(PAGE));
    if variables % PAGE != 0 {
        return Err("what changes does not begin a page".to_owned());
    }
    let head = Head {
        identifier: base::ebcdic::padded("CMSPART1"),
        stamp,
        base: U32::new(base as u32),
        image: U32::new(image.len() as u32),
        storage: U32::new(storage as u32),
        words: U32::new(words.len() as u32),
        variables: U32::new(variables as u32),
        texts: U32::new(texts_at),
    };
    // What the head has no room for would be the part's.
    image[..size_of::<Head>()].copy_from_slice(head.as_bytes());
    image.extend(words.as_slice().as_bytes());
    image.extend(texts);
    image.resize(image.len().next_multiple_of(RECORD), 0);
    Ok(image)
}
