//! Instruction formats: where the operand fields lie in the text (POP, chapter 5, "Instruction formats").

use cpu::State;

/// The formats, named as the manual names them; its figures show the fields of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)] // of the variants: their letters are all that a line could repeat
#[rustfmt::skip]
pub enum Format {
    E, I, IE, MII,
    RIa, RIb, RIc,
    RIEa, RIEb, RIEc, RIEd, RIEe, RIEf, RIEg,
    RILa, RILb, RILc, RIS,
    RR, RRD, RRE, RRFa, RRFb, RRFc, RRFd, RRFe, RRS,
    RSa, RSb, RSI, RSLa, RSLb, RSYa, RSYb,
    RXa, RXb, RXE, RXF, RXYa, RXYb,
    S, SI, SIL, SIY, SMI,
    SSa, SSb, SSc, SSd, SSe, SSf, SSE, SSF,
    VRIa, VRIb, VRIc, VRId, VRIe, VRIf, VRIg, VRIh, VRIi,
    VRRa, VRRb, VRRc, VRRd, VRRe, VRRf, VRRg, VRRh, VRRi,
    VRSa, VRSb, VRSc, VRSd, VRV, VRX, VSI,
}

/// The length of an instruction in bytes, by its first byte (POP, chapter 5, "Instruction length").
pub const fn length(first: u8) -> u8 {
    match first >> 6 {
        0 => 2,
        3 => 6,
        _ => 4,
    }
}

/// A decoded instruction's operand fields. Every format fits; fields a format lacks are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// I2 (sign-extended; unsigned for I, SI and SIY), or the relative operand in bytes.
    pub imm: i64,
    /// The address of the next sequential instruction, relative to the block's first. Under EXECUTE: of the one after
    /// that.
    pub next: i32,
    /// First displacement (of SSe: the second operand's).
    pub d1: i32,
    /// Second displacement, or the only one (of SSe: the fourth operand's).
    pub d2: i32,
    /// R1 or M1; of the vector formats V1 or, where that is a vector, the first operand's register: 0-31.
    pub r1: u8,
    /// R2; of the vector formats V2, 0-31.
    pub r2: u8,
    /// R3; of the vector formats V3, 0-31.
    pub r3: u8,
    /// X2: an index register, or 0 for none.
    pub x2: u8,
    /// B1: the first operand's base register, or 0 for none.
    pub b1: u8,
    /// B2: the second operand's base register, or 0 for none.
    pub b2: u8,
    /// M3.
    pub m3: u8,
    /// M4; no format has both this and I4, which is here, too.
    pub m4: u8,
    /// I3, or the 8-bit I2 of RIEc and RIS.
    pub i3: u8,
    /// I5.
    pub i5: u8,
    /// Length byte of SS and RSL: one less than the number of bytes; SSb has two nibbles. V4 of the vector formats.
    pub l: u8,
    /// Length of the instruction in bytes: 2, 4 or 6.
    pub len: u8,
}

// Of decoded instructions there are many: with the handler they are 40 bytes each.
const _: () = assert!(size_of::<Fields>() == 32);

impl Fields {
    /// The instruction's own address, relative to the block's first instruction; under EXECUTE that instruction's.
    #[inline(always)]
    pub fn at(&self) -> i64 {
        self.next as i64 - self.len as i64
    }

    /// The instruction's own address while it is executed in the block at `s.ia`; under EXECUTE the target's.
    #[inline(always)]
    pub fn address(&self, s: &State) -> u64 {
        s.ia.wrapping_add((self.at() + s.executed) as u64)
    }

    /// I4.
    pub fn i4(&self) -> u8 {
        self.m4
    }

    /// L1 of a two-length format: one less than the number of bytes.
    pub fn l1(&self) -> u8 {
        self.l >> 4
    }

    /// L2 of a two-length format.
    pub fn l2(&self) -> u8 {
        self.l & 15
    }

    /// V4 of a vector format.
    pub fn r4(&self) -> u8 {
        self.l
    }

    /// M5 of a vector format.
    pub fn m5(&self) -> u8 {
        self.i5
    }

    /// M6 of a vector format.
    pub fn m6(&self) -> u8 {
        self.x2
    }

    /// The fields of `text`, which begins with an instruction of this format.
    pub fn extract(format: Format, text: [u8; 6]) -> Fields {
        use Format::*;
        let [_, b1, b2, b3, b4, b5] = text;
        let (n2, n3, n4, n5, n6, n7) = (b1 >> 4, b1 & 15, b2 >> 4, b2 & 15, b3 >> 4, b3 & 15);
        let d12 = ((b2 as i32 & 15) << 8) | b3 as i32;
        let d12_second = ((b4 as i32 & 15) << 8) | b5 as i32;
        let d20 = (b4 as i8 as i32) << 12 | d12;
        let word = i32::from_be_bytes([b2, b3, b4, b5]) as i64;
        let (half, last) = (word >> 16, word as i16 as i64);
        let mut f = Fields { len: length(text[0]), ..Fields::default() };
        match format {
            E => {}
            I => f.imm = b1 as i64,
            IE => (f.m3, f.m4) = (n6, n7),
            MII => {
                f.r1 = n2;
                let twelve = (((b1 as i16 & 15) << 8 | b2 as i16) << 4) >> 4;
                f.imm = twelve as i64 * 2;
            }
            RIa => (f.r1, f.imm) = (n2, half),
            RIb | RIc => (f.r1, f.imm) = (n2, half * 2),
            RIEa => (f.r1, f.imm, f.m3) = (n2, half, b4 >> 4),
            RIEb => (f.r1, f.r2, f.imm, f.m3) = (n2, n3, half * 2, b4 >> 4),
            RIEc => (f.r1, f.m3, f.imm, f.i3) = (n2, n3, half * 2, b4),
            RIEd => (f.r1, f.r3, f.imm) = (n2, n3, half),
            RIEe => (f.r1, f.r3, f.imm) = (n2, n3, half * 2),
            RIEf => (f.r1, f.r2, f.i3, f.m4, f.i5) = (n2, n3, b2, b3, b4),
            RIEg => (f.r1, f.m3, f.imm) = (n2, n3, half),
            RILa => (f.r1, f.imm) = (n2, word),
            RILb | RILc => (f.r1, f.imm) = (n2, word * 2),
            RIS => (f.r1, f.m3, f.b2, f.d2, f.i3) = (n2, n3, n4, d12, b4),
            RR => (f.r1, f.r2) = (n2, n3),
            RRD => (f.r1, f.r3, f.r2) = (n4, n6, n7),
            RRE => (f.r1, f.r2) = (n6, n7),
            RRFa | RRFb | RRFc | RRFd | RRFe => (f.r3, f.m3, f.m4, f.r1, f.r2) = (n4, n4, n5, n6, n7),
            RRS => (f.r1, f.r2, f.b2, f.d2, f.m3) = (n2, n3, n4, d12, b4 >> 4),
            RSa | RSb => (f.r1, f.r3, f.m3, f.b2, f.d2) = (n2, n3, n3, n4, d12),
            RSI => (f.r1, f.r3, f.imm) = (n2, n3, half * 2),
            RSLa => (f.l, f.b1, f.d1) = (n2, n4, d12),
            RSLb => (f.l, f.b2, f.d2, f.r1, f.m3) = (b1, n4, d12, b4 >> 4, b4 & 15),
            RSYa | RSYb => (f.r1, f.r3, f.m3, f.b2, f.d2) = (n2, n3, n3, n4, d20),
            RXa | RXb => (f.r1, f.x2, f.b2, f.d2) = (n2, n3, n4, d12),
            RXE => (f.r1, f.x2, f.b2, f.d2, f.m3) = (n2, n3, n4, d12, b4 >> 4),
            RXF => (f.r3, f.x2, f.b2, f.d2, f.r1) = (n2, n3, n4, d12, b4 >> 4),
            RXYa | RXYb => (f.r1, f.x2, f.b2, f.d2) = (n2, n3, n4, d20),
            S => (f.b2, f.d2) = (n4, d12),
            SI => (f.imm, f.b1, f.d1) = (b1 as i64, n4, d12),
            SIL => (f.b1, f.d1, f.imm) = (n4, d12, last),
            SIY => (f.imm, f.b1, f.d1) = (b1 as i64, n4, d20),
            SMI => {
                (f.r1, f.b2, f.d2) = (n2, n4, d12);
                f.imm = last * 2;
            }
            SSa | SSb | SSc | SSd | SSe | SSf | SSE | SSF => {
                (f.b1, f.d1, f.b2, f.d2) = (n4, d12, b4 >> 4, d12_second);
                match format {
                    SSa | SSb | SSf => f.l = b1,
                    SSc => (f.l, f.i3) = (b1, n3),
                    SSd | SSe => (f.r1, f.r3) = (n2, n3),
                    SSF => f.r3 = n2,
                    _ => {}
                }
            }
            _ => f.extract_vector(format, text),
        }
        f
    }

    /// The vector formats. The leftmost bits of the vector registers' numbers stand together in RXB (POP, chapter 21,
    /// "Vector Register Operand").
    fn extract_vector(&mut self, format: Format, text: [u8; 6]) {
        use Format::*;
        let [_, b1, b2, b3, b4, _] = text;
        let nibbles = [b1 >> 4, b1 & 15, b2 >> 4, b2 & 15, b3 >> 4, b3 & 15, b4 >> 4];
        let [n2, n3, n4, n5, n6, n7, n8] = nibbles;
        // The registers that the four bits of RXB belong to.
        let (va, vb, vc, vd) = (n2 | (b4 & 8) << 1, n3 | (b4 & 4) << 2, n4 | (b4 & 2) << 3, n8 | (b4 & 1) << 4);
        let half = i16::from_be_bytes([b2, b3]) as i64;
        let d12 = ((b2 as i32 & 15) << 8) | b3 as i32;
        let f = self;
        match format {
            VRIa => (f.r1, f.imm, f.m3) = (va, half, n8),
            VRIb => (f.r1, f.imm, f.i3, f.m4) = (va, b2 as i64, b3, n8),
            VRIc => (f.r1, f.r3, f.imm, f.m4) = (va, vb, half & 0xffff, n8),
            VRId => (f.r1, f.r2, f.r3, f.m4, f.i5) = (va, vb, vc, b3, n8),
            VRIe => (f.r1, f.r2, f.imm, f.i5, f.m4) = (va, vb, (half & 0xffff) >> 4, n7, n8),
            VRIf => (f.r1, f.r2, f.r3, f.i5, f.m4) = (va, vb, vc, n6, n7 << 4 | n8),
            VRIg => (f.r1, f.r2, f.m4, f.i5, f.i3) = (va, vb, b2, n6, n7 << 4 | n8),
            VRIh => (f.r1, f.imm, f.i3) = (va, half & 0xffff, n8),
            VRIi => (f.r1, f.r2, f.m4, f.i3) = (va, n3, n6, n7 << 4 | n8),
            VRRa => (f.r1, f.r2, f.i5, f.m4, f.m3) = (va, vb, n6, n7, n8),
            VRRb => (f.r1, f.r2, f.r3, f.i5, f.m4) = (va, vb, vc, n6, n8),
            VRRc => (f.r1, f.r2, f.r3, f.x2, f.i5, f.m4) = (va, vb, vc, n6, n7, n8),
            VRRd => (f.r1, f.r2, f.r3, f.i5, f.x2, f.l) = (va, vb, vc, n5, n6, vd),
            VRRe => (f.r1, f.r2, f.r3, f.x2, f.i5, f.l) = (va, vb, vc, n5, n7, vd),
            VRRf => (f.r1, f.r2, f.r3) = (va, n3, n4),
            VRRg => f.r1 = vb,
            VRRh => (f.r1, f.r2, f.m3) = (vb, vc, n6),
            VRRi => (f.r1, f.r2, f.m3, f.m4) = (n2, vb, n6, n7),
            VRSa => (f.r1, f.r3, f.b2, f.d2, f.m4) = (va, vb, n4, d12, n8),
            VRSb => (f.r1, f.r3, f.b2, f.d2, f.m4) = (va, n3, n4, d12, n8),
            VRSc => (f.r1, f.r3, f.b2, f.d2, f.m4) = (n2, vb, n4, d12, n8),
            VRSd => (f.r3, f.b2, f.d2, f.r1) = (n3, n4, d12, vd),
            VRV => (f.r1, f.r2, f.b2, f.d2, f.m3) = (va, vb, n4, d12, n8),
            VRX => (f.r1, f.x2, f.b2, f.d2, f.m3) = (va, n3, n4, d12, n8),
            VSI => (f.i3, f.b2, f.d2, f.r1) = (b1, n4, d12, vd),
            _ => unreachable!("{format:?} is no vector format"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displacements_and_immediates() {
        let f = Fields::extract(Format::RXYa, [0xe3, 0x12, 0x3f, 0xff, 0xff, 0x04]);
        assert_eq!((f.r1, f.x2, f.b2, f.d2), (1, 2, 3, -1));
        let f = Fields::extract(Format::RILb, [0xc0, 0x10, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!((f.r1, f.imm, f.len), (1, -2, 6));
        let f = Fields::extract(Format::SSa, [0xd2, 0x07, 0xf0, 0x10, 0x20, 0x20]);
        assert_eq!((f.l, f.b1, f.d1, f.b2, f.d2), (7, 15, 0x10, 2, 0x20));
        let f = Fields::extract(Format::RIEf, [0xec, 0x12, 0x80, 0xbf, 0x03, 0x55]);
        assert_eq!((f.r1, f.r2, f.i3, f.i4(), f.i5), (1, 2, 0x80, 0xbf, 3));
    }
}
