//! Dynamic-Huffman tables: code lengths as they stand after the header of a block of type 10 (RFC 1951, 3.2.7).

use super::bits::{Input, Slice, Writer};
use super::huffman::{Decoder, lengths as code_lengths};
use arch::deflate::{Ending, Table};
use base::layout::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Symbols of literals and lengths, and of distances, that stand for something.
pub(super) const LITERALS: usize = 286;
pub(super) const DISTANCES: usize = 30;
/// The end of a block.
pub(super) const END: usize = 256;

/// The order in which the lengths of the codes of code lengths stand.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Lengths of codes, as far as they have been read.
#[derive(Clone)]
pub(super) struct Reading {
    /// Numbers of lengths; no literals: the numbers are yet to be read.
    literals: usize,
    distances: usize,
    order: usize,
    /// How many of each have been read.
    ordered: usize,
    read: usize,
    meta: [u8; 19],
    lengths: [u8; LITERALS + DISTANCES],
}

/// What a continuation state keeps of a [`Reading`].
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct SavedReading {
    literals: U16,
    distances: u8,
    order: u8,
    ordered: u8,
    meta: [u8; 19],
    /// Those that have not been read are ones.
    lengths: [u8; LITERALS + DISTANCES],
}

impl Reading {
    pub(super) fn new() -> Reading {
        Reading {
            literals: 0,
            distances: 0,
            order: 0,
            ordered: 0,
            read: 0,
            meta: [0; 19],
            lengths: [0; LITERALS + DISTANCES],
        }
    }

    pub(super) fn literals(&self) -> &[u8] {
        &self.lengths[..self.literals]
    }

    pub(super) fn distances(&self) -> &[u8] {
        &self.lengths[self.literals..self.literals + self.distances]
    }

    /// Reads on. False: there are not enough bits.
    pub(super) fn advance(&mut self, input: &mut impl Input) -> Result<bool, Ending> {
        if self.literals == 0 {
            let Some(sizes) = input.fill().take(14) else { return Ok(false) };
            let (literals, distances) = (257 + (sizes & 31) as usize, 1 + (sizes >> 5 & 31) as usize);
            if literals > LITERALS {
                return Err(Ending::LiteralCodes);
            }
            if distances > DISTANCES {
                return Err(Ending::DistanceCodes);
            }
            (self.literals, self.distances, self.order) = (literals, distances, 4 + (sizes >> 10) as usize);
        }
        while self.ordered < self.order {
            let Some(n) = input.fill().take(3) else { return Ok(false) };
            self.meta[ORDER[self.ordered]] = n as u8;
            self.ordered += 1;
        }
        let all = self.literals + self.distances;
        let meta = Decoder::new(&self.meta).map_err(|_| Ending::CodeLengthTable)?;
        while self.read < all {
            let bits = input.fill();
            let Some((symbol, n)) = meta.find(bits.hold()) else {
                return if bits.count() >= 7 { Err(Ending::CodeLengthTable) } else { Ok(false) };
            };
            let (extra, least) = match symbol {
                0..=15 => (0, 1),
                16 => (2, 3),
                17 => (3, 3),
                _ => (7, 11),
            };
            if bits.count() < n + extra {
                return Ok(false);
            }
            bits.pass(n);
            let times = least + bits.take(extra).expect("there are as many") as usize;
            let length = match symbol {
                0..=15 => symbol as u8,
                16 => self.read.checked_sub(1).map(|last| self.lengths[last]).ok_or(Ending::Repetition)?,
                _ => 0,
            };
            let behind = self.read + times;
            self.lengths[..all].get_mut(self.read..behind).ok_or(Ending::Repetition)?.fill(length);
            self.read = behind;
        }
        if self.lengths[END] == 0 { Err(Ending::EndOfBlock) } else { Ok(true) }
    }

    /// What a continuation state keeps.
    pub(super) fn save(&self) -> SavedReading {
        let mut saved = SavedReading {
            literals: (self.literals as u16).into(),
            distances: self.distances as u8,
            order: self.order as u8,
            ordered: self.ordered as u8,
            meta: self.meta,
            lengths: [0xff; LITERALS + DISTANCES],
        };
        saved.lengths[..self.read].copy_from_slice(&self.lengths[..self.read]);
        saved
    }

    /// Whatever the bytes are, what comes of it can be worked with.
    pub(super) fn restore(from: &SavedReading) -> Reading {
        let mut all = Reading::new();
        all.literals = match from.literals.get() as usize {
            n @ 257..=LITERALS => n,
            _ => return all,
        };
        all.distances = (from.distances as usize).clamp(1, DISTANCES);
        all.order = (from.order as usize).clamp(4, 19);
        all.ordered = (from.ordered as usize).min(all.order);
        for (to, from) in all.meta.iter_mut().zip(&from.meta) {
            *to = from & 7;
        }
        let lengths = &from.lengths[..all.literals + all.distances];
        all.read = lengths.iter().position(|n| *n > 15).unwrap_or(lengths.len());
        all.lengths[..all.read].copy_from_slice(&lengths[..all.read]);
        all
    }
}

/// The lengths that a compressed table of `bits` bits stands for.
pub(super) fn parse(table: &Table, bits: u16) -> Result<Reading, Ending> {
    let bytes = (bits as usize).div_ceil(8).min(table.len());
    let mut input = Slice { bytes: &table[..bytes], bits: Default::default() };
    let mut reading = Reading::new();
    if !reading.advance(&mut input)? {
        return Err(Ending::Repetition);
    }
    Ok(reading)
}

/// Compresses the lengths of literals, 257 of them at least, and distances; gives the number of bits.
pub(super) fn compress(literals: &[u8], distances: &[u8], table: &mut Table) -> u16 {
    let mut all = [0; LITERALS + DISTANCES];
    let count = literals.len() + distances.len();
    all[..literals.len()].copy_from_slice(literals);
    all[literals.len()..count].copy_from_slice(distances);
    let all = &all[..count];
    let mut frequencies = [0u32; 19];
    runs(all, |symbol, _, _| frequencies[symbol] += 1);
    let mut meta = [0; 19];
    code_lengths(&frequencies, 7, &mut meta);
    let codes = super::huffman::Encoder::new(&meta);
    let order = ORDER.iter().rposition(|&symbol| meta[symbol] > 0).map_or(4, |last| (last + 1).max(4));

    table.fill(0);
    let (mut writer, mut at) = (Writer::default(), 0);
    let mut put = |v: u32, n: u32| {
        writer.put(v, n, |byte| {
            table[at] = byte;
            at += 1;
        })
    };
    put((literals.len() - 257) as u32, 5);
    put((distances.len() - 1) as u32, 5);
    put((order - 4) as u32, 4);
    ORDER[..order].iter().for_each(|&symbol| put(meta[symbol] as u32, 3));
    runs(all, |symbol, extra, n| {
        let (code, length) = codes.of(symbol);
        put(code as u32, length as u32);
        put(extra, n);
    });
    let (rest, n) = writer.rest();
    if n > 0 {
        table[at] = rest;
    }
    8 * at as u16 + n as u16
}

/// Lengths as symbols: the symbol, its extra bits and their number.
fn runs(lengths: &[u8], mut symbol: impl FnMut(usize, u32, u32)) {
    let mut rest = lengths;
    while let Some((&length, _)) = rest.split_first() {
        let mut n = rest.iter().take_while(|other| **other == length).count();
        rest = &rest[n..];
        if length != 0 {
            symbol(length as usize, 0, 0);
            n -= 1;
        }
        while n >= 3 {
            let most = if length == 0 { 138 } else { 6 };
            let times = n.min(most);
            match (length, times) {
                (0, ..=10) => symbol(17, times as u32 - 3, 3),
                (0, _) => symbol(18, times as u32 - 11, 7),
                _ => symbol(16, times as u32 - 3, 2),
            }
            n -= times;
        }
        (0..n).for_each(|_| symbol(length as usize, 0, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_come_back() {
        let mut literals = [0; LITERALS];
        let mut distances = [0; DISTANCES];
        let frequencies: [u32; LITERALS] = std::array::from_fn(|n| if n % 7 == 3 { 0 } else { 1 << (n % 20) });
        code_lengths(&frequencies, 15, &mut literals);
        literals[END] = literals[END].max(1);
        distances[3] = 1;
        distances[17] = 1;
        let mut table = [0; 288];
        let bits = compress(&literals, &distances, &mut table);
        let Ok(read) = parse(&table, bits) else { panic!("a good table") };
        assert_eq!((read.literals(), read.distances()), (&literals[..], &distances[..]));
        assert!(parse(&table, bits - 8).is_err());
        assert_eq!(Reading::restore(&read.save()).literals(), &literals[..]);
    }
}
