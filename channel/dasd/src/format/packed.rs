//! How the numbers of a compressed image lie in its file: the compressed header and the two levels of tables.
//!
//! ```text
//!    0 header (super::header)           512 compressed header       1024 first level: where each second-level table is
//!    anywhere after: second-level tables of 256 entries, units (tracks or groups of blocks), free space
//! ```
//!
//! There are files of 32-bit and of 64-bit offsets, and of either byte order. In both orders the size of the disk is
//! little-endian, as the header before it is: Hercules' `cckdswap` leaves those bytes alone.

/// Where the compressed header and the first-level table begin.
pub(crate) const HEADER: u64 = 512;
pub(crate) const LEVEL1: u64 = 1024;
/// Entries of a second-level table.
pub(crate) const ENTRIES: usize = 256;

/// In the options: the file is open; it was open for writing since it was checked; its byte order is big-endian.
pub(crate) const OPENED: u8 = 0x80;
pub(crate) const WRITTEN: u8 = 0x40;
pub(crate) const BIG_ENDIAN: u8 = 0x02;

/// Where `covered` and `below` stand in the compressed header.
const COVERED: usize = 496;

/// Width and byte order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    pub wide: bool,
    pub big: bool,
}

/// Where the byte order does not depend on the file's; the width is said in each place.
const LITTLE: Layout = Layout { wide: false, big: false };

/// The compressed header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PackedHeader {
    pub version: [u8; 3],
    pub options: u8,
    /// Entries of the first-level table.
    pub tables: u32,
    /// Entries of a second-level table: always 256.
    pub entries: u32,
    pub size: u64,
    /// Bytes in use; the rest is `free_total`, of which `free_inside` is in no free space.
    pub used: u64,
    pub free_at: u64,
    pub free_total: u64,
    pub free_largest: u64,
    pub free_count: u64,
    /// Bytes that units have beyond what they need.
    pub free_inside: u64,
    /// Cylinders; blocks of a fixed-block volume.
    pub extent: u32,
    /// What a track that is not stored looks like (0, 1, 2).
    pub null_format: u8,
    /// How units are compressed (0, 1, 2), and how hard; -1: as hard as is usual.
    pub method: u8,
    pub level: i16,
    /// The numbers that identify shadow files that belong together (see [`crate::image::chain`]), at the end where
    /// others have zeros: the one over this file has `covered` as its `below`.
    pub covered: u64,
    pub below: u64,
}

/// An entry of a second-level table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Entry {
    /// Where the unit is in the file; 0: it is not stored, and as the null format says.
    pub at: u64,
    /// Its bytes, and the bytes set aside for it.
    pub length: u16,
    pub size: u16,
}

impl Layout {
    /// Bytes of an entry of the first and of the second level.
    pub(crate) fn level1_entry(&self) -> u64 {
        if self.wide { 8 } else { 4 }
    }

    pub(crate) fn level2_entry(&self) -> u64 {
        if self.wide { 16 } else { 8 }
    }

    /// Bytes of a second-level table.
    pub(crate) fn table(&self) -> u64 {
        self.level2_entry() * ENTRIES as u64
    }

    /// The smallest free space that can be chained.
    pub(crate) fn least_free(&self) -> u64 {
        if self.wide { 16 } else { 8 }
    }

    /// The largest size of a file.
    pub(crate) fn limit(&self) -> u64 {
        if self.wide { i64::MAX as u64 } else { u32::MAX as u64 - 1 }
    }

    /// What a shadow file has for "look in the file below".
    pub(crate) fn below(&self) -> u64 {
        if self.wide { i64::MAX as u64 } else { u64::from(u32::MAX) }
    }

    /// Whether an offset means "look in the file below"; 64-bit files have two ways to say so.
    pub(crate) fn is_below(&self, at: u64) -> bool {
        at == self.below() || (self.wide && at == u64::MAX)
    }

    fn get(&self, bytes: &[u8], at: usize, width: usize) -> u64 {
        let number = |n: u64, byte: &u8| n << 8 | u64::from(*byte);
        let bytes = &bytes[at..at + width];
        if self.big { bytes.iter().fold(0, number) } else { bytes.iter().rev().fold(0, number) }
    }

    fn put(&self, bytes: &mut [u8], at: usize, width: usize, value: u64) {
        let bytes = &mut bytes[at..at + width];
        bytes.copy_from_slice(&value.to_be_bytes()[8 - width..]);
        if !self.big {
            bytes.reverse();
        }
    }

    pub(crate) fn decode_header(&self, bytes: &[u8; 512]) -> PackedHeader {
        let word = |at| self.get(bytes, at, 4);
        let long = |at| self.get(bytes, at, 8);
        let little = |at, width| LITTLE.get(bytes, at, width);
        let (wide, null) = (self.wide, if self.wide { 72 } else { 44 });
        let pick = |narrow, broad| if wide { long(broad) } else { word(narrow) };
        PackedHeader {
            version: [bytes[0], bytes[1], bytes[2]],
            options: bytes[3],
            tables: word(4) as u32,
            entries: word(8) as u32,
            size: pick(12, 16),
            used: pick(16, 24),
            free_at: pick(20, 32),
            free_total: pick(24, 40),
            free_largest: pick(28, 48),
            free_count: pick(32, 56),
            free_inside: pick(36, 64),
            extent: little(if wide { 12 } else { 40 }, 4) as u32,
            null_format: bytes[null],
            method: bytes[null + 1],
            level: self.get(bytes, null + 2, 2) as i16,
            covered: little(COVERED, 8),
            below: little(COVERED + 8, 8),
        }
    }

    pub(crate) fn encode_header(&self, header: &PackedHeader) -> [u8; 512] {
        let mut bytes = [0; 512];
        bytes[..3].copy_from_slice(&header.version);
        bytes[3] = header.options;
        self.put(&mut bytes, 4, 4, header.tables.into());
        self.put(&mut bytes, 8, 4, header.entries.into());
        let sizes = [
            (12, 16, header.size),
            (16, 24, header.used),
            (20, 32, header.free_at),
            (24, 40, header.free_total),
            (28, 48, header.free_largest),
            (32, 56, header.free_count),
            (36, 64, header.free_inside),
        ];
        for (narrow, broad, value) in sizes {
            if self.wide { self.put(&mut bytes, broad, 8, value) } else { self.put(&mut bytes, narrow, 4, value) }
        }
        LITTLE.put(&mut bytes, if self.wide { 12 } else { 40 }, 4, header.extent.into());
        let null = if self.wide { 72 } else { 44 };
        bytes[null] = header.null_format;
        bytes[null + 1] = header.method;
        self.put(&mut bytes, null + 2, 2, header.level as u16 as u64);
        LITTLE.put(&mut bytes, COVERED, 8, header.covered);
        LITTLE.put(&mut bytes, COVERED + 8, 8, header.below);
        bytes
    }

    /// The first-level table in `bytes`.
    pub(crate) fn decode_level1(&self, bytes: &[u8]) -> Vec<u64> {
        let width = self.level1_entry() as usize;
        (0..bytes.len() / width).map(|n| self.get(bytes, n * width, width)).collect()
    }

    pub(crate) fn encode_level1(&self, at: u64) -> Vec<u8> {
        let mut bytes = vec![0; self.level1_entry() as usize];
        let width = bytes.len();
        self.put(&mut bytes, 0, width, at);
        bytes
    }

    /// A second-level table.
    pub(crate) fn decode_table(&self, bytes: &[u8]) -> Box<[Entry; ENTRIES]> {
        let (width, offset) = (self.level2_entry() as usize, self.level1_entry() as usize);
        let mut table = Box::new([Entry::default(); ENTRIES]);
        for (n, entry) in table.iter_mut().enumerate() {
            let at = n * width;
            entry.at = self.get(bytes, at, offset);
            entry.length = self.get(bytes, at + offset, 2) as u16;
            entry.size = self.get(bytes, at + offset + 2, 2) as u16;
        }
        table
    }

    pub(crate) fn encode_entry(&self, entry: &Entry) -> Vec<u8> {
        let offset = self.level1_entry() as usize;
        let mut bytes = vec![0; self.level2_entry() as usize];
        self.put(&mut bytes, 0, offset, entry.at);
        self.put(&mut bytes, offset, 2, entry.length.into());
        self.put(&mut bytes, offset + 2, 2, entry.size.into());
        bytes
    }

    pub(crate) fn encode_table(&self, table: &[Entry; ENTRIES]) -> Vec<u8> {
        table.iter().flat_map(|entry| self.encode_entry(entry)).collect()
    }

    /// A link of the chain of free spaces.
    pub(crate) fn encode_free(&self, next: u64, length: u64) -> Vec<u8> {
        let width = self.level1_entry() as usize;
        let mut bytes = vec![0; 2 * width];
        self.put(&mut bytes, 0, width, next);
        self.put(&mut bytes, width, width, length);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_entries_survive_in_every_layout() {
        let header = PackedHeader {
            version: [0, 3, 1],
            options: 0x41,
            tables: 2,
            entries: 256,
            size: 0x1234_5678,
            used: 2,
            free_at: 3,
            free_total: 4,
            free_largest: 5,
            free_count: 6,
            free_inside: 7,
            extent: 20,
            null_format: 2,
            method: 1,
            level: -1,
            covered: 8,
            below: 9,
        };
        let entry = Entry { at: 0x89AB_CDEF, length: 0x9181, size: 0x9188 };
        for (wide, big) in [(false, false), (false, true), (true, false), (true, true)] {
            let layout = Layout { wide, big };
            assert_eq!(layout.decode_header(&layout.encode_header(&header)), header);
            let extent = if wide { 12 } else { 40 };
            assert_eq!(layout.encode_header(&header)[extent..extent + 4], 20u32.to_le_bytes());
            let table = layout.decode_table(&layout.encode_table(&[entry; ENTRIES]));
            assert_eq!(*table, [entry; ENTRIES]);
            assert_eq!(layout.decode_level1(&layout.encode_level1(77)), [77]);
        }
        let narrow = Layout { wide: false, big: false };
        assert_eq!(narrow.encode_entry(&entry), [0xEF, 0xCD, 0xAB, 0x89, 0x81, 0x91, 0x88, 0x91]);
    }
}
