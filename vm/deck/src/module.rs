//! MODULE files: programs as they lie in storage (`guest/cms/nucleus/module.c`), made without LOAD and GENMOD. That is
//! for programs of so many names that cards, which cut them to eight characters, cannot have them.

use crate::{Image, Names, parsed, settle};
use object::{Object, ObjectSymbol};
use std::collections::BTreeMap;
use zerocopy::big_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// What the addresses of a module are relative to; CMS puts it where there is room, for this is no program's place.
const ORIGIN: u32 = 0x100_0000;
/// The longest record but the first.
const RECORD: usize = 65520;
/// Its addresses are in it, and it runs anywhere in storage, with addresses of 31 bits.
const RELOCATABLE: u8 = 0x20;
const MODES: u8 = 0x06;

/// The first record.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct Header {
    mark: [u8; 8],
    entry: U32,
    origin: U32,
    length: U32,
    flags: u8,
    modes: u8,
    unused: [u8; 2],
    relocations: U32,
    rest: [u8; 52],
}

/// The records of an object that wants no other one; it begins at the global name `entry`.
pub fn module(entry: &str, object: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let elf = parsed(object)?;
    let mut image = Image::of(&elf)?;
    let mut names = Names { wanted: Vec::new(), numbers: BTreeMap::new(), told: BTreeMap::new() };
    let begins = elf.symbols().find(|symbol| symbol.is_definition() && symbol.name() == Ok(entry));
    let place = begins.and_then(|it| Some(image.places.get(&it.section_index()?.0)? + it.address() as usize));
    let begins = place.ok_or_else(|| format!("there is no {entry} in it"))?;
    let relocations = settle(&elf, &mut image, &mut names)?;
    if let Some(wanted) = names.wanted.first() {
        return Err(format!("{} is in no part of it", wanted.name));
    }
    let mut places = Vec::new();
    for relocation in relocations {
        let at = relocation.at as usize;
        let word = U32::read_from_bytes(&image.bytes[at..at + 4]).expect("four bytes");
        image.put_word(at, word.get().wrapping_add(ORIGIN))?;
        // The place, and the length less one.
        places.push(U32::new(relocation.at << 8 | 3));
    }
    let length = image.bytes.len().next_multiple_of(8);
    image.bytes.resize(length, 0);
    let header = Header {
        mark: base::ebcdic::padded("MODULE"),
        entry: U32::new(ORIGIN + begins as u32),
        origin: U32::new(ORIGIN),
        length: U32::new(length as u32),
        flags: RELOCATABLE,
        modes: MODES,
        unused: [0; 2],
        relocations: U32::new(places.len() as u32),
        rest: [0; 52],
    };
    let pieces = image.bytes.chunks(RECORD).chain(places.as_bytes().chunks(RECORD)).map(<[u8]>::to_vec);
    Ok([header.as_bytes().to_vec()].into_iter().chain(pieces).collect())
}

/// Records as one file for `edfdisk bin`: each with its length, two bytes, before it.
pub fn records(records: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    let mut file = Vec::new();
    for record in records {
        let length = u16::try_from(record.len()).map_err(|_| "a record is longer than 65535 bytes")?;
        file.extend(length.to_be_bytes());
        file.extend(record);
    }
    Ok(file)
}
