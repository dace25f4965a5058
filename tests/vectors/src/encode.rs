//! Where the fields of each instruction format lie (POP, chapter 5, "Instruction formats"), to write instructions.

/// What a field is, named as in the operand lists of the disassembler. M1 is R1, B4 and D4 are B2 and D2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// R1, a general, floating-point, access or control register.
    R1,
    /// R2, a register.
    R2,
    /// R3, a register.
    R3,
    /// A vector register: four bits, and the leftmost one in RXB.
    V1,
    /// V2, as V1.
    V2,
    /// V3, as V1.
    V3,
    /// V4, as V1.
    V4,
    /// M3, a mask or modifier.
    M3,
    /// M4, a mask or modifier.
    M4,
    /// M5, a mask or modifier.
    M5,
    /// M6, a mask or modifier.
    M6,
    /// X2, an index register.
    X2,
    /// B1, a base register.
    B1,
    /// B2, a base register.
    B2,
    /// A displacement; one of 20 bits has its low part first.
    D1,
    /// D2, as D1.
    D2,
    /// L, a length.
    L,
    /// L1, the length of the first operand.
    L1,
    /// L2, the length of the second operand.
    L2,
    /// I2, an immediate operand.
    I2,
    /// I3, an immediate operand.
    I3,
    /// I4, an immediate operand.
    I4,
    /// I5, an immediate operand.
    I5,
    /// A relative address in halfwords.
    RI2,
}

use Field::*;
use isa::{Format, Instruction};

/// The layout of a format.
fn layout(format: Format) -> &'static [(Field, u8, u8)] {
    use Format::*;
    match format {
        E => &[],
        I => &[(I2, 8, 8)],
        RR => &[(R1, 8, 4), (R2, 12, 4)],
        RRE => &[(R1, 24, 4), (R2, 28, 4)],
        RRD => &[(R1, 16, 4), (R3, 24, 4), (R2, 28, 4)],
        RRFa | RRFb => &[(R3, 16, 4), (M4, 20, 4), (R1, 24, 4), (R2, 28, 4)],
        RRFc | RRFd | RRFe => &[(M3, 16, 4), (M4, 20, 4), (R1, 24, 4), (R2, 28, 4)],
        RXa | RXb => &[(R1, 8, 4), (X2, 12, 4), (B2, 16, 4), (D2, 20, 12)],
        RXE => &[(R1, 8, 4), (X2, 12, 4), (B2, 16, 4), (D2, 20, 12), (M3, 32, 4)],
        RXF => &[(R3, 8, 4), (X2, 12, 4), (B2, 16, 4), (D2, 20, 12), (R1, 32, 4)],
        RXYa | RXYb => &[(R1, 8, 4), (X2, 12, 4), (B2, 16, 4), (D2, 20, 20)],
        RSa => &[(R1, 8, 4), (R3, 12, 4), (B2, 16, 4), (D2, 20, 12)],
        RSb => &[(R1, 8, 4), (M3, 12, 4), (B2, 16, 4), (D2, 20, 12)],
        RSYa => &[(R1, 8, 4), (R3, 12, 4), (B2, 16, 4), (D2, 20, 20)],
        RSYb => &[(R1, 8, 4), (M3, 12, 4), (B2, 16, 4), (D2, 20, 20)],
        RSLa => &[(L, 8, 4), (B1, 16, 4), (D1, 20, 12)],
        RSLb => &[(L, 8, 8), (B2, 16, 4), (D2, 20, 12), (R1, 32, 4), (M3, 36, 4)],
        RSI => &[(R1, 8, 4), (R3, 12, 4), (RI2, 16, 16)],
        RIa => &[(R1, 8, 4), (I2, 16, 16)],
        RIb | RIc => &[(R1, 8, 4), (RI2, 16, 16)],
        RILa => &[(R1, 8, 4), (I2, 16, 32)],
        RILb | RILc => &[(R1, 8, 4), (RI2, 16, 32)],
        RIEa => &[(R1, 8, 4), (I2, 16, 16), (M3, 32, 4)],
        RIEb => &[(R1, 8, 4), (R2, 12, 4), (RI2, 16, 16), (M3, 32, 4)],
        RIEc => &[(R1, 8, 4), (M3, 12, 4), (RI2, 16, 16), (I3, 32, 8)],
        RIEd => &[(R1, 8, 4), (R3, 12, 4), (I2, 16, 16)],
        RIEe => &[(R1, 8, 4), (R3, 12, 4), (RI2, 16, 16)],
        RIEf => &[(R1, 8, 4), (R2, 12, 4), (I3, 16, 8), (I4, 24, 8), (I5, 32, 8)],
        RIEg => &[(R1, 8, 4), (M3, 12, 4), (I2, 16, 16)],
        RRS => &[(R1, 8, 4), (R2, 12, 4), (B2, 16, 4), (D2, 20, 12), (M3, 32, 4)],
        RIS => &[(R1, 8, 4), (M3, 12, 4), (B2, 16, 4), (D2, 20, 12), (I3, 32, 8)],
        SI => &[(I2, 8, 8), (B1, 16, 4), (D1, 20, 12)],
        SIY => &[(I2, 8, 8), (B1, 16, 4), (D1, 20, 20)],
        SIL => &[(B1, 16, 4), (D1, 20, 12), (I2, 32, 16)],
        S => &[(B2, 16, 4), (D2, 20, 12)],
        IE => &[(M3, 24, 4), (M4, 28, 4)],
        MII => &[(R1, 8, 4), (RI2, 12, 12), (I3, 24, 24)],
        SMI => &[(R1, 8, 4), (B2, 16, 4), (D2, 20, 12), (RI2, 32, 16)],
        SSa | SSf => &[(L, 8, 8), (B1, 16, 4), (D1, 20, 12), (B2, 32, 4), (D2, 36, 12)],
        SSb => &[(L1, 8, 4), (L2, 12, 4), (B1, 16, 4), (D1, 20, 12), (B2, 32, 4), (D2, 36, 12)],
        SSc => &[(L1, 8, 4), (I3, 12, 4), (B1, 16, 4), (D1, 20, 12), (B2, 32, 4), (D2, 36, 12)],
        SSd | SSe => &[(R1, 8, 4), (R3, 12, 4), (B1, 16, 4), (D1, 20, 12), (B2, 32, 4), (D2, 36, 12)],
        SSE => &[(B1, 16, 4), (D1, 20, 12), (B2, 32, 4), (D2, 36, 12)],
        SSF => &[(R3, 8, 4), (B1, 16, 4), (D1, 20, 12), (B2, 32, 4), (D2, 36, 12)],
        VRIa => &[(V1, 8, 5), (I2, 16, 16), (M3, 32, 4)],
        VRIb => &[(V1, 8, 5), (I2, 16, 8), (I3, 24, 8), (M4, 32, 4)],
        VRIc => &[(V1, 8, 5), (V3, 12, 5), (I2, 16, 16), (M4, 32, 4)],
        VRId => &[(V1, 8, 5), (V2, 12, 5), (V3, 16, 5), (I4, 24, 8), (M5, 32, 4)],
        VRIe => &[(V1, 8, 5), (V2, 12, 5), (I3, 16, 12), (M5, 28, 4), (M4, 32, 4)],
        VRIf => &[(V1, 8, 5), (V2, 12, 5), (V3, 16, 5), (M5, 24, 4), (I4, 28, 8)],
        VRIg => &[(V1, 8, 5), (V2, 12, 5), (I4, 16, 8), (M5, 24, 4), (I3, 28, 8)],
        VRIh => &[(V1, 8, 5), (I2, 16, 16), (I3, 32, 4)],
        VRIi => &[(V1, 8, 5), (R2, 12, 4), (M4, 24, 4), (I3, 28, 8)],
        VRRa => &[(V1, 8, 5), (V2, 12, 5), (M5, 24, 4), (M4, 28, 4), (M3, 32, 4)],
        VRRb => &[(V1, 8, 5), (V2, 12, 5), (V3, 16, 5), (M5, 24, 4), (M4, 32, 4)],
        VRRc => &[(V1, 8, 5), (V2, 12, 5), (V3, 16, 5), (M6, 24, 4), (M5, 28, 4), (M4, 32, 4)],
        VRRd => &[(V1, 8, 5), (V2, 12, 5), (V3, 16, 5), (M5, 20, 4), (M6, 24, 4), (V4, 32, 5)],
        VRRe => &[(V1, 8, 5), (V2, 12, 5), (V3, 16, 5), (M6, 20, 4), (M5, 28, 4), (V4, 32, 5)],
        VRRf => &[(V1, 8, 5), (R2, 12, 4), (R3, 16, 4)],
        VRRg => &[(V1, 12, 5)],
        VRRh => &[(V1, 12, 5), (V2, 16, 5), (M3, 24, 4)],
        VRRi => &[(R1, 8, 4), (V2, 12, 5), (M3, 24, 4), (M4, 28, 4)],
        VRSa => &[(V1, 8, 5), (V3, 12, 5), (B2, 16, 4), (D2, 20, 12), (M4, 32, 4)],
        VRSb => &[(V1, 8, 5), (R3, 12, 4), (B2, 16, 4), (D2, 20, 12), (M4, 32, 4)],
        VRSc => &[(R1, 8, 4), (V3, 12, 5), (B2, 16, 4), (D2, 20, 12), (M4, 32, 4)],
        VRSd => &[(R3, 12, 4), (B2, 16, 4), (D2, 20, 12), (V1, 32, 5)],
        VRV => &[(V1, 8, 5), (V2, 12, 5), (B2, 16, 4), (D2, 20, 12), (M3, 32, 4)],
        VRX => &[(V1, 8, 5), (X2, 12, 4), (B2, 16, 4), (D2, 20, 12), (M3, 32, 4)],
        VSI => &[(I3, 8, 8), (B2, 16, 4), (D2, 20, 12), (V1, 32, 5)],
    }
}

/// The fields that an instruction uses, and where they lie.
pub fn fields(row: &Instruction) -> Vec<(Field, u8, u8)> {
    let operands = row.operands();
    let used = |field: &Field| {
        let name = format!("{field:?}");
        let mut words = operands.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|w| w == name)
    };
    layout(row.format).iter().copied().filter(|(field, _, _)| used(field)).collect()
}

/// An instruction's text with all its operand fields zero.
pub fn blank(row: &Instruction) -> Vec<u8> {
    let code = row.code;
    let mut text = vec![0; 6];
    match code {
        // One byte; or, after 01, B2, B3, B9 and E5, two.
        ..=0xff => text[0] = code as u8,
        0x0100..=0x01ff => text[..2].copy_from_slice(&code.to_be_bytes()),
        // A byte and the low nibble of the next.
        0x0a50..=0x0fff => (text[0], text[1]) = ((code >> 4) as u8, code as u8 & 15),
        _ => {
            text[0] = (code >> 8) as u8;
            let at = if matches!(text[0], 0xb2 | 0xb3 | 0xb9 | 0xe5) { 1 } else { 5 };
            text[at] = code as u8;
        }
    }
    text.truncate(isa::length(text[0]) as usize);
    text
}

/// The width of a vector register's field.
const VECTOR: u8 = 5;

/// The bit of RXB that belongs to the register at bit `at`.
fn rxb(at: u8) -> u8 {
    match at {
        8 => 36,
        12 => 37,
        16 => 38,
        _ => 39,
    }
}

/// A field of an instruction's text.
pub fn field(text: &[u8], (_, at, width): (Field, u8, u8)) -> u64 {
    let get = |at: u8, width: u8| {
        (at..at + width).fold(0, |v, bit| v << 1 | u64::from(text[bit as usize / 8] >> (7 - bit % 8) & 1))
    };
    match width {
        20 => get(at + 12, 8) << 12 | get(at, 12),
        VECTOR => get(rxb(at), 1) << 4 | get(at, 4),
        _ => get(at, width),
    }
}

/// Puts `value` into the `width` bits of `text` that begin at bit `at`.
pub fn put(text: &mut [u8], at: u8, width: u8, value: u64) {
    for n in 0..width {
        let bit = (at + n) as usize;
        let mask = 0x80 >> (bit % 8);
        text[bit / 8] = text[bit / 8] & !mask | if value >> (width - 1 - n) & 1 == 1 { mask } else { 0 };
    }
}

/// Puts a field.
pub fn put_field(text: &mut [u8], (_, at, width): (Field, u8, u8), value: u64) {
    match width {
        20 => {
            put(text, at, 12, value & 0xfff);
            put(text, at + 12, 8, value >> 12 & 0xff);
        }
        VECTOR => {
            put(text, at, 4, value & 15);
            put(text, rxb(at), 1, value >> 4);
        }
        _ => put(text, at, width, value),
    }
}
