//! Parameter blocks of DEFLATE CONVERSION CALL (POP, chapter 26, "Specialized-function-assist instructions").
//!
//! A block is decoded into a value and encoded over the bytes it came from, so what is reserved stays as it was. The
//! continuation-state buffer at its end belongs to the CPU: what is in it is decided where the functions are.

use base::layout::{U16, U128};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned, transmute, transmute_mut, transmute_ref};

/// Function codes in general register 0.
pub mod function {
    /// QAF: query available functions.
    pub const QUERY: u8 = 0;
    /// GDHT: generate a dynamic-Huffman table.
    pub const GENERATE: u8 = 1;
    /// CMPR: compress.
    pub const COMPRESS: u8 = 2;
    /// XPND: expand.
    pub const EXPAND: u8 = 4;
}

/// The modifier bit in general register 0, HBT: the history is in a circular buffer, not in line with the operand.
pub const CIRCULAR: u64 = 0x80;
/// How far back a match reaches, and the bytes of a circular history buffer.
pub const HISTORY: usize = 0x8000;

/// Operation-ending-supplemental codes: what is wrong with compressed data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Ending {
    /// A block of type 11.
    BlockType = 0x21,
    /// A block of type 00 whose length is not the complement of the number after it.
    StoredLength = 0x22,
    /// More codes for literals and lengths than there are.
    LiteralCodes = 0x24,
    /// More codes for distances than there are.
    DistanceCodes = 0x25,
    /// The codes of the code lengths are too many or too few.
    CodeLengthTable = 0x26,
    /// A code length repeats one before the first, or reaches beyond the last.
    Repetition = 0x27,
    /// The codes of literals and lengths are too many or too few.
    LiteralTable = 0x28,
    /// The codes of distances are too many or too few.
    DistanceTable = 0x29,
    /// No code for the end of the block.
    EndOfBlock = 0x2b,
    /// Bits that are no code, or the code of no symbol.
    Symbol = 0x2d,
    /// A distance to what is before the history.
    Distance = 0x2f,
}

impl Ending {
    const ALL: [Ending; 11] = [
        Ending::BlockType,
        Ending::StoredLength,
        Ending::LiteralCodes,
        Ending::DistanceCodes,
        Ending::CodeLengthTable,
        Ending::Repetition,
        Ending::LiteralTable,
        Ending::DistanceTable,
        Ending::EndOfBlock,
        Ending::Symbol,
        Ending::Distance,
    ];

    /// The ending with this code.
    pub fn of(code: u8) -> Option<Ending> {
        Ending::ALL.into_iter().find(|ending| *ending as u8 == code)
    }
}

/// Bytes of a compressed dynamic-Huffman table, in the order of the compressed data.
pub type Table = [u8; 288];
/// The continuation-state buffer.
pub type Continuation = [u8; 1152];
/// The bytes of a parameter block of format 0.
pub type BlockBytes = [u8; BLOCK];
/// Their number.
pub const BLOCK: usize = 1536;

const CONTINUATION_FLAG: u8 = 0x01;
const NEW_TASK: u8 = 0x80;
const ADLER: u8 = 0x20;
const DYNAMIC: u8 = 0x08;
const CONTINUED: u8 = 0x04;
const CLOSE: u8 = 0x02;
const LAST: u8 = 0x01;
const SPECIFIC: u8 = 0x20;

/// Where the fields of a [`ParameterBlock`] lie.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Fields {
    version: U16,
    model: u8,
    reserved_003: [u8; 4],
    continuation: u8,
    reserved_008: [u8; 8],
    flags: u8,
    more_flags: u8,
    sub_byte: u8,
    ending: u8,
    reserved_014: u8,
    incomplete_status: u8,
    incomplete_length: U16,
    reserved_018: [u8; 20],
    history_length: U16,
    history_offset: U16,
    check_value: [u8; 4],
    end_of_block: U16,
    end_of_block_length: u8,
    reserved_037: u8,
    table_bits: U16,
    reserved_03a: [u8; 6],
    table: Table,
    reserved_160: [u8; 32],
    state: Continuation,
}
const _: () = assert!(size_of::<Fields>() == BLOCK);

/// The parameter block of GDHT, CMPR and XPND.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParameterBlock {
    /// PBVN: bits 12-15 are the format, 0.
    pub version: u16,
    /// MVN: the model that executed.
    pub model: u8,
    /// CF: the operation goes on with what the continuation state says.
    pub continuation: bool,
    /// NT: there is no history, and the check value is that of no bytes.
    pub new_task: bool,
    /// CVT: the check value is Adler-32, not CRC-32.
    pub adler: bool,
    /// HTT: compression takes the table in the block, not the fixed one.
    pub dynamic: bool,
    /// BCF: compression goes on in a block that has its header.
    pub continued: bool,
    /// BCC: compression closes the block.
    pub close: bool,
    /// BHF: a header that compression stores is that of the last block.
    pub last: bool,
    /// DHTGC: a table is generated for the symbols that there are, not for all.
    pub specific: bool,
    /// SBB: bits of the first byte of compressed data that have been processed.
    pub sub_byte: u8,
    /// OESC: an [`Ending`], or 0.
    pub ending: u8,
    /// IFS: in what expansion has stopped.
    pub incomplete_status: u8,
    /// IFL: bytes that remain of a block of type 00.
    pub incomplete_length: u16,
    /// HL.
    pub history_length: u16,
    /// HO: where in the circular buffer the history begins.
    pub history_offset: u16,
    /// CV, as its bytes stand after the compressed data: CRC-32 from the right to the left.
    pub check_value: [u8; 4],
    /// EOBS: the code of the end of the block, at the left of 15 bits.
    pub end_of_block: u16,
    /// EOBL: its bits.
    pub end_of_block_length: u8,
    /// CDHTL: bits of the table.
    pub table_bits: u16,
    /// CDHT.
    pub table: Table,
    /// CSB.
    pub state: Continuation,
}

impl ParameterBlock {
    /// Reads a block.
    pub fn decode(bytes: &BlockBytes) -> ParameterBlock {
        let b: &Fields = transmute_ref!(bytes);
        ParameterBlock {
            version: b.version.get(),
            model: b.model,
            continuation: b.continuation & CONTINUATION_FLAG != 0,
            new_task: b.flags & NEW_TASK != 0,
            adler: b.flags & ADLER != 0,
            dynamic: b.flags & DYNAMIC != 0,
            continued: b.flags & CONTINUED != 0,
            close: b.flags & CLOSE != 0,
            last: b.flags & LAST != 0,
            specific: b.more_flags & SPECIFIC != 0,
            sub_byte: b.sub_byte & 7,
            ending: b.ending,
            incomplete_status: b.incomplete_status & 15,
            incomplete_length: b.incomplete_length.get(),
            history_length: b.history_length.get(),
            history_offset: b.history_offset.get() & 0x7fff,
            check_value: b.check_value,
            end_of_block: b.end_of_block.get() >> 1,
            end_of_block_length: b.end_of_block_length >> 4,
            table_bits: b.table_bits.get() & 0x0fff,
            table: b.table,
            state: b.state,
        }
    }

    /// Writes the fields over the bytes of a block.
    pub fn encode(&self, bytes: &mut BlockBytes) {
        let b: &mut Fields = transmute_mut!(bytes);
        let set = |byte: &mut u8, bit: u8, on: bool| *byte = *byte & !bit | if on { bit } else { 0 };
        b.version.set(self.version);
        b.model = self.model;
        set(&mut b.continuation, CONTINUATION_FLAG, self.continuation);
        set(&mut b.flags, NEW_TASK, self.new_task);
        set(&mut b.flags, ADLER, self.adler);
        set(&mut b.flags, DYNAMIC, self.dynamic);
        set(&mut b.flags, CONTINUED, self.continued);
        set(&mut b.flags, CLOSE, self.close);
        set(&mut b.flags, LAST, self.last);
        set(&mut b.more_flags, SPECIFIC, self.specific);
        b.sub_byte = b.sub_byte & !7 | self.sub_byte & 7;
        b.ending = self.ending;
        b.incomplete_status = b.incomplete_status & !15 | self.incomplete_status & 15;
        b.incomplete_length.set(self.incomplete_length);
        b.history_length.set(self.history_length);
        b.history_offset = b.history_offset & 0x8000 | self.history_offset & 0x7fff;
        b.check_value = self.check_value;
        b.end_of_block = b.end_of_block & 1 | self.end_of_block << 1;
        b.end_of_block_length = b.end_of_block_length & 15 | self.end_of_block_length << 4;
        b.table_bits = b.table_bits & 0xf000 | self.table_bits & 0x0fff;
        b.table = self.table;
        b.state = self.state;
    }
}

/// What QAF stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Available {
    /// A bit for each function code.
    pub functions: u128,
    /// A bit for each format of parameter blocks.
    pub formats: u16,
}

impl Available {
    /// The 32 bytes of the parameter block.
    pub fn encode(&self) -> [u8; 32] {
        let (functions, formats) = (U128::new(self.functions), U16::new(self.formats));
        transmute!(AvailableFields { functions, formats, ..AvailableFields::default() })
    }
}

/// Where the fields of [`Available`] lie.
#[derive(Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct AvailableFields {
    functions: U128,
    reserved_10: [u8; 8],
    formats: U16,
    reserved_1a: [u8; 6],
}
const _: () = assert!(size_of::<AvailableFields>() == 32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decoded_is_encoded_and_the_rest_stays() {
        let ones = [0xff; BLOCK];
        let block = ParameterBlock::decode(&ones);
        assert!(block.continuation && block.new_task && block.specific);
        assert_eq!((block.end_of_block, block.end_of_block_length, block.table_bits), (0x7fff, 15, 0xfff));
        let mut bytes = [0; BLOCK];
        block.encode(&mut bytes);
        assert_eq!(ParameterBlock::decode(&bytes), block);
        assert_eq!((bytes[3], bytes[16], bytes[17], bytes[18], bytes[21], bytes[46]), (0, 0xaf, 0x20, 7, 15, 0x7f));
        let mut kept = ones;
        ParameterBlock::decode(&[0; BLOCK]).encode(&mut kept);
        assert_eq!((kept[3], kept[7], kept[16], kept[46], kept[53], kept[54]), (0xff, 0xfe, 0x50, 0x80, 1, 15));
    }
}
