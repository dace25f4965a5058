//! COMPRESSION CALL (POP, chapter 7; "Data Compression within ESA/390"): strings become symbols of 9 to 13 bits by a
//! dictionary that the program brings, and symbols become strings.
//!
//! A symbol is the number of an entry of eight bytes. The compression dictionary is a tree: the first 256 entries are
//! the characters, and an entry names its children by their characters. The longest path that the source has is
//! replaced by the number of its last entry. An entry of the expansion dictionary has the last characters of its
//! string, where they go, and the entry that has those before them.
//!
//! Registers are brought up to date after each symbol: so an interruption finds what is done, and condition code 3 ends
//! a long operand.

use super::DECIMAL_DATA as DATA;
use super::registers::Operand;
use crate::prelude::*;

/// Bits of general register 0.
mod control {
    /// Symbols are translated after compression.
    pub(super) const TRANSLATION: u64 = 1 << 16;
    /// Sibling descriptors go on in the expansion dictionary.
    pub(super) const FORMAT_1: u64 = 1 << 9;
    /// Expansion, not compression.
    pub(super) const EXPANSION: u64 = 1 << 8;
}

/// Symbols between two looks at what else is to be done.
const SYMBOLS: usize = 4096;
/// The longest string of a symbol, and the most children of an entry.
const STRING: usize = 260;
/// The most entries that make up a string.
const PARTS: usize = 127;
/// Bytes of an entry.
const ENTRY: u64 = 8;

/// What registers 0 and 1 say.
struct Call {
    /// Where the dictionary begins, in the space of the source.
    dictionary: At,
    /// Bits of a symbol.
    width: u32,
    /// The first bit of the next symbol, in its byte.
    bit: u32,
    /// Where the symbol-translation table is.
    translation: Option<At>,
    format_1: bool,
}

impl Call {
    fn of(s: &mut State, r2: u8) -> Result<Call, Interruption> {
        let (controls, second) = (s.gr[0], s.address_in(1));
        let size = (controls >> 12 & 15) as u32;
        if !(1..=5).contains(&size) {
            return Err(Program::Specification.into());
        }
        let dictionary = At { address: second.address & !0xfff, ar: r2 };
        let table = s.further(dictionary, (second.address >> 3 & 0x1ff) * 128);
        Ok(Call {
            dictionary,
            width: 8 + size,
            bit: second.address as u32 & 7,
            translation: (controls & control::TRANSLATION != 0).then_some(table),
            format_1: controls & control::FORMAT_1 != 0,
        })
    }

    /// An entry of the dictionary.
    fn entry(&self, s: &mut State, number: u16) -> Result<[u8; 8], Interruption> {
        let at = s.further(self.dictionary, u64::from(number) * ENTRY);
        s.read_layout::<[u8; 8]>(at)
    }

    /// What a sibling descriptor has in the expansion dictionary, which follows.
    fn second_half(&self, s: &mut State, number: u16) -> Result<[u8; 8], Interruption> {
        let at = s.further(self.dictionary, (u64::from(number) + (1 << self.width)) * ENTRY);
        s.read_layout::<[u8; 8]>(at)
    }

    /// Whether the operand has no room for another symbol, or has none.
    fn is_short(&self, operand: &Operand) -> bool {
        operand.length < 4 && operand.length as u32 * 8 < self.bit + self.width
    }

    /// The bytes that a symbol touches.
    fn bytes(&self) -> usize {
        ((self.bit + self.width).div_ceil(8)) as usize
    }

    /// The symbol at an operand.
    fn symbol(&self, s: &mut State, operand: &Operand) -> Result<u16, Interruption> {
        let mut bytes = [0; 4];
        s.read_bytes(operand.at, &mut bytes[..self.bytes()])?;
        let word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
        Ok((word << self.bit >> (32 - self.width)) as u16)
    }

    /// Puts a symbol there; the bits around it stay.
    fn put_symbol(&self, s: &mut State, operand: &Operand, symbol: u16) -> Result<(), Interruption> {
        let count = self.bytes();
        let mut bytes = [0; 4];
        s.test_write(operand.at, count as u64)?;
        s.read_bytes(operand.at, &mut bytes[..count])?;
        let shift = 32 - self.width - self.bit;
        let mask = ((1 << self.width) - 1) << shift;
        let word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
        let mut word = word & !mask | u32::from(symbol) << shift & mask;
        for byte in &mut bytes {
            word = word.rotate_left(8);
            *byte = word as u8;
        }
        s.write_bytes(operand.at, &bytes[..count])
    }

    /// A symbol of the operand is done.
    fn pass_symbol(&mut self, s: &mut State, operand: &mut Operand) {
        let bits = self.bit + self.width;
        operand.pass(s, u64::from(bits / 8));
        self.bit = bits % 8;
    }

    /// Leaves in the registers how far it is.
    fn save(&self, s: &mut State, operands: [&Operand; 2]) {
        for operand in operands {
            operand.save(s);
        }
        s.gr[1] = s.gr[1] & !7 | u64::from(self.bit);
    }
}

/// CMPSC. CC 0 the source is used up, 1 the target has no room for more, 3 not yet.
pub(crate) fn compression_call(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let (to, from) = (Operand::of(s, i.r1)?, Operand::of(s, i.r2)?);
    let call = Call::of(s, i.r2)?;
    s.cc = match s.gr[0] & control::EXPANSION != 0 {
        true => expand(s, call, to, from)?,
        false => compress(s, call, to, from)?,
    };
    Ok(())
}

fn expand(s: &mut State, mut call: Call, mut to: Operand, mut from: Operand) -> Result<u8, Interruption> {
    for _ in 0..SYMBOLS {
        if call.is_short(&from) {
            return Ok(0);
        }
        let symbol = call.symbol(s, &from)?;
        let mut string = [0; STRING];
        let length = spelled(s, &call, symbol, &mut string)?;
        if length as u64 > to.length {
            return Ok(1);
        }
        s.write_bytes(to.at, &string[..length])?;
        to.pass(s, length as u64);
        call.pass_symbol(s, &mut from);
        call.save(s, [&to, &from]);
    }
    Ok(3)
}

/// The string of a symbol, from its end to its beginning; its length.
fn spelled(s: &mut State, call: &Call, symbol: u16, string: &mut [u8; STRING]) -> Result<usize, Interruption> {
    let mut number = symbol;
    let mut whole = None;
    for _ in 0..PARTS {
        let entry = call.entry(s, number)?;
        let partial = usize::from(entry[0] >> 5);
        let (at, characters) = match partial {
            // Nothing precedes it.
            0 => (0, &entry[1..=usize::from(entry[0] & 7)]),
            1..=5 => (usize::from(entry[7]), &entry[2..2 + partial]),
            _ => return Err(DATA),
        };
        let end = at + characters.len();
        if characters.is_empty() || end > STRING {
            return Err(DATA);
        }
        string[at..end].copy_from_slice(characters);
        let length = *whole.get_or_insert(end);
        if partial == 0 {
            return Ok(length);
        }
        number = u16::from_be_bytes([entry[0] & 0x1f, entry[1]]);
    }
    Err(DATA)
}

fn compress(s: &mut State, mut call: Call, mut to: Operand, mut from: Operand) -> Result<u8, Interruption> {
    for _ in 0..SYMBOLS {
        if from.length == 0 {
            return Ok(0);
        }
        if call.is_short(&to) {
            return Ok(1);
        }
        let (number, length) = longest(s, &call, &from)?;
        let symbol = match call.translation {
            Some(table) => {
                let at = s.further(table, 2 * u64::from(number));
                s.load_u16(at)?
            }
            None => number,
        };
        call.put_symbol(s, &to, symbol)?;
        call.pass_symbol(s, &mut to);
        from.pass(s, length as u64);
        call.save(s, [&to, &from]);
    }
    Ok(3)
}

/// A character entry.
struct Node {
    /// Characters that follow its own: the source must have them, too.
    extension: ([u8; 4], usize),
    /// The children's characters, as many as the entry has itself.
    children: ([u8; 5], usize),
    /// A sibling descriptor follows the children.
    siblings: bool,
    /// Which children are to be looked at, from the left. Of the others the characters say all.
    examine: u8,
    /// The same for the 13th and 14th sibling of the first descriptor.
    examine_last: u8,
    /// The number of the first child.
    first: u16,
}

impl Node {
    fn of(entry: [u8; 8]) -> Result<Node, Interruption> {
        let count = usize::from(entry[0] >> 5);
        let (extended, kept, siblings) = match count {
            0 | 1 => (usize::from(entry[1] >> 5), count, false),
            // One bit says whether there is one more character.
            _ => {
                let extended = usize::from(entry[1] >> 5 & 1);
                let room = 5 - extended;
                (extended, count.min(room), count > room)
            }
        };
        let room = 5 - extended.min(5);
        if extended > 4 || count > room + 1 {
            return Err(DATA);
        }
        let (mut extension, mut children) = ([0; 4], [0; 5]);
        extension[..extended].copy_from_slice(&entry[3..3 + extended]);
        children[..kept].copy_from_slice(&entry[3 + extended..3 + extended + kept]);
        Ok(Node {
            extension: (extension, extended),
            children: (children, kept),
            siblings,
            examine: entry[0] << 3,
            examine_last: entry[1] & 0xc0,
            first: u16::from_be_bytes([entry[1] & 0x1f, entry[2]]),
        })
    }
}

/// The source, byte by byte.
struct Source {
    at: At,
    length: u64,
}

impl Source {
    /// The byte at a place, if there is one.
    fn get(&self, s: &mut State, place: usize) -> Result<Option<u8>, Interruption> {
        if place as u64 >= self.length {
            return Ok(None);
        }
        let at = s.further(self.at, place as u64);
        s.load_u8(at).map(Some)
    }

    /// Whether these bytes are there.
    fn has(&self, s: &mut State, place: usize, bytes: &[u8]) -> Result<bool, Interruption> {
        for (n, byte) in bytes.iter().enumerate() {
            if self.get(s, place + n)? != Some(*byte) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Where a path goes on.
enum Child {
    /// Nowhere.
    None,
    /// To an entry without children.
    Last(u16),
    /// To an entry, and over so many characters.
    Entry(u16, Node, usize),
}

/// The number of the entry that ends the longest path which the source has, and the characters of that path.
fn longest(s: &mut State, call: &Call, from: &Operand) -> Result<(u16, usize), Interruption> {
    let source = Source { at: from.at, length: from.length };
    let mut number = u16::from(s.load_u8(from.at)?);
    let mut length = 1;
    let mut node = Node::of(call.entry(s, number)?)?;
    loop {
        match child(s, call, &source, &node, length)? {
            Child::None => return Ok((number, length)),
            Child::Last(last) => return bounded(last, length + 1),
            Child::Entry(next, below, characters) => {
                (number, node, length) = (next, below, length + characters);
                bounded(number, length)?;
            }
        }
    }
}

fn bounded(number: u16, length: usize) -> Result<(u16, usize), Interruption> {
    if length > STRING { Err(DATA) } else { Ok((number, length)) }
}

/// The child of an entry that the source has at a place.
fn child(s: &mut State, call: &Call, source: &Source, node: &Node, place: usize) -> Result<Child, Interruption> {
    let (characters, count) = (&node.children.0, node.children.1);
    if count == 0 {
        return Ok(Child::None);
    }
    let Some(next) = source.get(s, place)? else { return Ok(Child::None) };
    let mut number = node.first;
    let (mut seen, mut first) = (count, true);
    for (n, &character) in characters[..count].iter().enumerate() {
        if character == next {
            let examine = node.examine << n & 0x80 != 0;
            if let Some(found) = candidate(s, call, source, number, place, examine)? {
                return Ok(found);
            }
        }
        number += 1;
    }
    let mut more = node.siblings;
    while more {
        let siblings = Siblings::of(s, call, number, first.then_some(node.examine_last))?;
        number += 1;
        seen += siblings.count;
        if seen > STRING {
            return Err(DATA);
        }
        for (n, &character) in siblings.characters[..siblings.count].iter().enumerate() {
            if character == next {
                let examine = siblings.examine << n & 0x8000 != 0;
                if let Some(found) = candidate(s, call, source, number, place, examine)? {
                    return Ok(found);
                }
            }
            number += 1;
        }
        (more, first) = (siblings.more, false);
    }
    Ok(Child::None)
}

/// An entry whose character the source has at a place, unless other characters of it are missing there.
fn candidate(
    s: &mut State,
    call: &Call,
    source: &Source,
    number: u16,
    place: usize,
    examine: bool,
) -> Result<Option<Child>, Interruption> {
    if u32::from(number) >= 1 << call.width {
        return Err(DATA);
    }
    if !examine {
        return Ok(Some(Child::Last(number)));
    }
    let node = Node::of(call.entry(s, number)?)?;
    let (bytes, count) = node.extension;
    match source.has(s, place + 1, &bytes[..count])? {
        true => Ok(Some(Child::Entry(number, node, 1 + count))),
        false => Ok(None),
    }
}

/// A sibling descriptor: six characters, or fourteen with those in the expansion dictionary.
struct Siblings {
    characters: [u8; 14],
    count: usize,
    /// Which siblings are to be looked at, from the left.
    examine: u16,
    /// Another descriptor follows them.
    more: bool,
}

impl Siblings {
    /// `last`: the bits of the parent for the 13th and 14th sibling, which belong to its first descriptor; in others
    /// these are always looked at.
    fn of(s: &mut State, call: &Call, number: u16, last: Option<u8>) -> Result<Siblings, Interruption> {
        if u32::from(number) >= 1 << call.width {
            return Err(DATA);
        }
        let entry = call.entry(s, number)?;
        let most = if call.format_1 { 14 } else { 6 };
        let count = usize::from(entry[0] >> 4);
        if count == 0 || count > most + 1 {
            return Err(DATA);
        }
        let mut characters = [0; 14];
        characters[..6].copy_from_slice(&entry[2..]);
        if call.format_1 && count > 6 {
            characters[6..].copy_from_slice(&call.second_half(s, number)?);
        }
        let examine = u16::from_be_bytes([entry[0], entry[1]]) << 4 | u16::from(last.unwrap_or(0xc0) >> 4);
        Ok(Siblings { characters, count: count.min(most), examine, more: count > most })
    }
}
