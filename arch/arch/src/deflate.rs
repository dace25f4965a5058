//! Parameter blocks of DEFLATE CONVERSION CALL (POP, chapter 26, "Specialized-function-assist instructions").
//!
//! A block is decoded into a value and encoded over the bytes it came from, so what is reserved stays as it was. The
//! continuation-state buffer at its end belongs to the CPU: what is in it is decided where the functions are.

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
    /// A block of type 00 whose length is not the complement of the number behind it.
    StoredLength = 0x22,
    /// More codes for literals and lengths than there are.
    LiteralCodes = 0x24,
    /// More codes for distances than there are.
    DistanceCodes = 0x25,
    /// The codes of the code lengths are too many or too few.
    CodeLengthTable = 0x26,
    /// A code length repeats one before the first, or reaches behind the last.
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

const TABLE_AT: usize = 64;
const CONTINUATION_AT: usize = 384;
const _: () = assert!(TABLE_AT + size_of::<Table>() <= CONTINUATION_AT);
const _: () = assert!(CONTINUATION_AT + size_of::<Continuation>() == BLOCK);

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
    /// CV, as its bytes stand behind the compressed data: CRC-32 from the right to the left.
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
    pub fn decode(b: &BlockBytes) -> ParameterBlock {
        let half = |at: usize| u16::from_be_bytes([b[at], b[at + 1]]);
        let on = |at: usize, bit: u8| b[at] & bit != 0;
        ParameterBlock {
            version: half(0),
            model: b[2],
            continuation: on(7, CONTINUATION_FLAG),
            new_task: on(16, NEW_TASK),
            adler: on(16, ADLER),
            dynamic: on(16, DYNAMIC),
            continued: on(16, CONTINUED),
            close: on(16, CLOSE),
            last: on(16, LAST),
            specific: on(17, SPECIFIC),
            sub_byte: b[18] & 7,
            ending: b[19],
            incomplete_status: b[21] & 15,
            incomplete_length: half(22),
            history_length: half(44),
            history_offset: half(46) & 0x7fff,
            check_value: [b[48], b[49], b[50], b[51]],
            end_of_block: half(52) >> 1,
            end_of_block_length: b[54] >> 4,
            table_bits: half(56) & 0x0fff,
            table: b[TABLE_AT..TABLE_AT + 288].try_into().expect("as many"),
            state: b[CONTINUATION_AT..].try_into().expect("as many"),
        }
    }

    /// Writes the fields over the bytes of a block.
    pub fn encode(&self, b: &mut BlockBytes) {
        let half = |b: &mut BlockBytes, at: usize, kept: u16, v: u16| {
            let old = u16::from_be_bytes([b[at], b[at + 1]]) & kept;
            b[at..at + 2].copy_from_slice(&(old | v).to_be_bytes());
        };
        let set = |b: &mut BlockBytes, at: usize, bit: u8, on: bool| {
            b[at] = b[at] & !bit | if on { bit } else { 0 };
        };
        half(b, 0, 0, self.version);
        b[2] = self.model;
        set(b, 7, CONTINUATION_FLAG, self.continuation);
        set(b, 16, NEW_TASK, self.new_task);
        set(b, 16, ADLER, self.adler);
        set(b, 16, DYNAMIC, self.dynamic);
        set(b, 16, CONTINUED, self.continued);
        set(b, 16, CLOSE, self.close);
        set(b, 16, LAST, self.last);
        set(b, 17, SPECIFIC, self.specific);
        b[18] = b[18] & !7 | self.sub_byte & 7;
        b[19] = self.ending;
        b[21] = b[21] & !15 | self.incomplete_status & 15;
        half(b, 22, 0, self.incomplete_length);
        half(b, 44, 0, self.history_length);
        half(b, 46, 0x8000, self.history_offset & 0x7fff);
        b[48..52].copy_from_slice(&self.check_value);
        half(b, 52, 1, self.end_of_block << 1);
        b[54] = b[54] & 15 | self.end_of_block_length << 4;
        half(b, 56, 0xf000, self.table_bits & 0x0fff);
        b[TABLE_AT..TABLE_AT + 288].copy_from_slice(&self.table);
        b[CONTINUATION_AT..].copy_from_slice(&self.state);
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
        let mut b = [0; 32];
        b[..16].copy_from_slice(&self.functions.to_be_bytes());
        b[24..26].copy_from_slice(&self.formats.to_be_bytes());
        b
    }
}

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
