//! What watches programs from outside, CP's TRACE and PER, asks here what an instruction is, and where it stores.
//!
//! [`crate::Kind`] and [`crate::Extent`] are what rows say of it.

use crate::extent::{Extent, Kind};
use crate::fields::{Fields, Format};
use crate::form::Place;
use crate::outcome::Exception;
use crate::row::Instruction;
use cpu::{Architecture, Facilities, State, VectorRegisters};

/// What operand addresses are computed from.
pub struct Registers<'a> {
    /// Where the instruction lies.
    pub address: u64,
    /// The bits of addresses in the addressing mode.
    pub mask: u64,
    /// The general registers.
    pub general: &'a [u64; 16],
    /// The vector registers.
    pub vector: &'a VectorRegisters,
}

/// An operand whose address an instruction computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    /// Its address, in the addressing mode.
    pub address: u64,
    /// How many bytes may be stored there. 0: it is not for stores.
    pub stored: u64,
    /// How many bytes are fetched there, as far as that is known; 1 if it is not. 0: it is not for fetches.
    pub fetched: u64,
}

impl Operand {
    /// The address of the last byte that may be stored, if any.
    pub fn last(self) -> Option<u64> {
        (self.stored > 0).then(|| self.address.wrapping_add(self.stored - 1))
    }
}

impl Instruction {
    /// The row of the instruction that `text` begins with, whatever facilities there are.
    pub fn of(text: [u8; 6], architecture: Architecture) -> Option<&'static Instruction> {
        crate::decode(text, architecture, &Facilities([u64::MAX; 4]))
    }

    /// The row of the instruction at `address` in the instruction space; none if it cannot be fetched.
    pub fn at(s: &mut State, address: u64) -> Option<&'static Instruction> {
        let (mut text, key) = ([0; 6], s.key);
        let mut read = |at: usize, end: usize, text: &mut [u8; 6]| {
            let from = address.wrapping_add(at as u64) & s.address_mask;
            s.read_in(from, cpu::Space::Instruction, key, &mut text[at..end])
        };
        read(0, 2, &mut text).ok()?;
        let length = crate::length(text[0]).into();
        read(2, length, &mut text).ok()?;
        Instruction::of(text, s.architecture())
    }

    /// Whether it accesses the operand of this number, or what its address stands for.
    fn accesses(&self, operand: u8) -> bool {
        use Exception::*;
        let its = |why| matches!(why, Fetch(n) | Store(n) | Real(n) | Frame(n) | Translated(n) if n == operand);
        self.outcome.exceptions().any(its)
    }

    /// The operands of this instruction, whose text is `text`, that are addressed, in the order of their numbers.
    pub fn addressed(&self, text: [u8; 6], registers: &Registers<'_>) -> Vec<Operand> {
        let fields = Fields::extract(self.format, text);
        let operand = |n: u8| {
            let address = self.address(n, &fields, registers)?;
            let has = |what: Exception| self.outcome.exceptions().any(|why| why == what);
            let extent = self.extent(n);
            let count = |on: bool| if on { bytes(extent, self.format, &fields, registers) } else { 0 };
            let (stored, fetched) = (count(has(Exception::Store(n))), count(has(Exception::Fetch(n))));
            let address = match extent {
                Extent::Word => address & !3,
                Extent::Doubleword => address & !7,
                Extent::Page => address & !0xfff,
                _ => address,
            };
            Some(Operand { address, stored, fetched })
        };
        (1..=4).filter_map(operand).collect()
    }

    fn extent(&self, operand: u8) -> Extent {
        self.shape.extents[usize::from(operand) - 1]
    }

    fn address(&self, operand: u8, fields: &Fields, registers: &Registers<'_>) -> Option<u64> {
        let accessed = self.accesses(operand);
        let shift = self.shape.composed.is_some_and(|composed| composed.second == Some(Place::Shift));
        let number = shift || matches!(self.shape.kind, Kind::Number | Kind::Diagnose);
        if !accessed && number {
            return None;
        }
        let pattern = self.operands();
        let base = |n: u8| if n == 0 { 0 } else { registers.general[usize::from(n)] };
        // Of SSe the second operand and the fourth have addresses.
        let which = match (self.format, operand) {
            (Format::SSe, 2) => 1,
            (Format::SSe, 4) => 2,
            (Format::SSe, _) => 0,
            (_, n) => n,
        };
        let address = match which {
            1 if pattern.contains("D1(") => base(fields.b1).wrapping_add(fields.d1 as u64),
            2 if pattern.contains("D2(") => {
                let index = match self.format {
                    Format::VRV => element(registers.vector, fields, self.extent(operand))?,
                    _ if pattern.contains("X2") => base(fields.x2),
                    _ => 0,
                };
                base(fields.b2).wrapping_add(index).wrapping_add(fields.d2 as u64)
            }
            2 if pattern.contains("RI2") => registers.address.wrapping_add(fields.imm as u64),
            _ if !accessed => return None,
            1 => registers.general[usize::from(fields.r1 & 15)],
            2 => registers.general[usize::from(fields.r2 & 15)],
            3 => registers.general[usize::from(fields.r3 & 15)],
            _ => return None,
        };
        Some(address & registers.mask)
    }
}

/// The element M3 of the vector register V2, as long as the operand.
fn element(vector: &VectorRegisters, fields: &Fields, extent: Extent) -> Option<u64> {
    let halves = vector.0[usize::from(fields.r2 & 31)];
    let n = usize::from(fields.m3);
    match extent {
        Extent::Bytes(8) => halves.get(n).copied(),
        Extent::Bytes(4) => halves.get(n / 2).map(|half| half >> (32 * (1 - n % 2)) & 0xffff_ffff),
        _ => None,
    }
}

/// How many bytes an operand has with this extent; 1 where that is not known.
fn bytes(extent: Extent, format: Format, fields: &Fields, registers: &Registers<'_>) -> u64 {
    use Format::*;
    let general = |n: u8| {
        let value = registers.general[usize::from(n & 15)];
        // In the 24-bit and 31-bit addressing modes lengths have 32 bits.
        if registers.mask > 0x7fff_ffff { value } else { value & 0xffff_ffff }
    };
    let byte = |n: u8, shift: u8| general(n) >> shift & 0xff;
    let each = |bytes: u64, of: u8| bytes * (u64::from(fields.r3.wrapping_sub(fields.r1) & (of - 1)) + 1);
    match extent {
        Extent::Text => match format {
            SSa | RSLb => u64::from(fields.l) + 1,
            SSb | SSc => u64::from(fields.l1()) + 1,
            VSI => u64::from(fields.i3) + 1,
            _ => 1,
        },
        Extent::Bytes(n) => n.into(),
        Extent::Word => 4,
        Extent::Doubleword => 8,
        Extent::Page => 4096,
        Extent::Tested => 0,
        Extent::Words => each(4, 16),
        Extent::Doublewords => each(8, 16),
        Extent::Quadwords => each(16, 32),
        Extent::Mask => fields.m3.count_ones().into(),
        Extent::Pair => general(fields.r1 + 1),
        Extent::Pair24 => general(fields.r1 + 1) & 0xff_ffff,
        Extent::PairTwice => general(fields.r1 + 1).saturating_mul(2),
        Extent::PairHalf => general(fields.r1 + 1) / 2,
        Extent::SecondPair => general(fields.r2 + 1),
        Extent::R1To256 => general(fields.r1).min(256),
        Extent::R3To4096 => general(fields.r3).min(4096),
        Extent::R3To16 => (general(fields.r3) & 0xffff_ffff).min(15) + 1,
        Extent::Register0 => byte(0, 0) + 1,
        Extent::Doublewords0 => 8 * (byte(0, 0) + 1),
        Extent::Locked => locked(byte(0, 0)),
        Extent::LockedOther => match (byte(0, 0) >> 2, byte(0, 0) & 3) {
            // Not equal, what is compared with and the third operand take what was found, in a list of 16-byte fields.
            (4.., _) if byte(0, 0) & 1 == 0 => 0,
            (_, 1 | 3) => 48,
            // COMPARE AND LOAD fetches it, COMPARE AND SWAP has none.
            (0 | 1, _) => 0,
            _ => locked(byte(0, 0)),
        },
        Extent::Swapped => 4 << byte(0, 0).min(2),
        Extent::Stored => 1 << byte(0, 8).min(4),
    }
}

/// How many bytes an operand of PERFORM LOCKED OPERATION with this function code has.
fn locked(code: u64) -> u64 {
    match code & 3 {
        0 => 4,
        3 => 16,
        _ => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions;

    fn addressed(text: [u8; 6], general: &[(usize, u64)]) -> Vec<(u64, u64)> {
        let mut registers = [0; 16];
        for &(n, value) in general {
            registers[n] = value;
        }
        let row = Instruction::of(text, Architecture::Z).expect("an instruction");
        let mut vector = VectorRegisters::default();
        vector.0[2] = [0x10, 0x20_0000_0030];
        let registers = Registers { address: 0x8000, mask: 0x7fff_ffff, general: &registers, vector: &vector };
        row.addressed(text, &registers).iter().map(|operand| (operand.address, operand.stored)).collect()
    }

    #[test]
    fn operands_have_addresses_and_lengths() {
        // ST, MVC, STM 14 to 1, STCM of three bytes.
        assert_eq!(addressed([0x50, 0x12, 0x30, 0x08, 0, 0], &[(2, 0x100), (3, 0x1000)]), [(0x1108, 4)]);
        assert_eq!(addressed([0xd2, 7, 0x10, 0, 0x20, 1], &[(1, 0x100), (2, 0x200)]), [(0x100, 8), (0x201, 0)]);
        assert_eq!(addressed([0x90, 0xe1, 0x10, 0, 0, 0], &[(1, 0x100)]), [(0x100, 16)]);
        assert_eq!(addressed([0xbe, 0x1d, 0x10, 0, 0, 0], &[(1, 0x100)]), [(0x100, 3)]);
        // MVCL; LARL; VSCEF of element 3.
        let pair = [(2, 0x100), (3, 0x20), (4, 0x300), (5, 0x10)];
        assert_eq!(addressed([0x0e, 0x24, 0, 0, 0, 0], &pair), [(0x100, 0x20), (0x300, 0)]);
        assert_eq!(addressed([0xc0, 0x10, 0, 0, 0, 8], &[]), [(0x8010, 0)]);
        assert_eq!(addressed([0xe7, 0x12, 0x10, 0, 0x30, 0x1b], &[(1, 0x100)]), [(0x130, 4)]);
        // SLL, MVCLE's second address, DIAGNOSE: numbers.
        assert_eq!(addressed([0x89, 0x10, 0, 4, 0, 0], &[]), []);
        assert_eq!(addressed([0xa8, 0x24, 0, 0x40, 0, 0], &pair), [(0x100, 0x20), (0x300, 0)]);
        assert_eq!(addressed([0x83, 0x12, 0, 8, 0, 0], &[]), []);
        // TPROT: its second address is a key.
        let keyed = [(1, 0x100), (2, 0x70)];
        assert_eq!(addressed([0xe5, 0x01, 0x10, 8, 0x20, 0], &keyed), [(0x108, 0)]);
        // PLO: double compare and swap of words; compare and swap of a doubleword, by a list.
        let text = [0xee, 0x24, 0x10, 0, 0x30, 4];
        assert_eq!(addressed(text, &[(0, 8), (1, 0x100), (3, 0x200)]), [(0x100, 4), (0x204, 4)]);
        assert_eq!(addressed(text, &[(0, 5), (1, 0x100), (3, 0x200)]), [(0x100, 8), (0x204, 48)]);
        assert_eq!(addressed(text, &[(0, 0), (1, 0x100), (3, 0x200)]), [(0x100, 4), (0x204, 0)]);
    }

    #[test]
    fn what_is_stored_has_an_extent() {
        for row in instructions().filter(|row| row.run.is_some()) {
            let stores = |n: &u8| row.outcome.exceptions().any(|why| why == Exception::Store(*n));
            for n in (1..=4).filter(stores) {
                use Format::{RSLb, SSa, SSb, SSc, VSI};
                let said = row.extent(n) != Extent::Text || matches!(row.format, SSa | SSb | SSc | RSLb | VSI);
                // MVST stores as far as there is text.
                assert!(said || row.mnemonic == "MVST", "{}: how long is operand {n}?", row.mnemonic);
            }
        }
    }

    /// What is computed and not accessed is an address that a branch, a register or a function has; else a number.
    #[test]
    fn what_is_computed_and_not_accessed_is_an_address_or_a_number() {
        const ADDRESSES: &str = "LA BAL BCT BC BAS LAE BXH BXLE BPP PFD BCTG LAY LAEY LCBB BXHG BXLEG CGRB CLGRB CRB \
            CLRB CGIB CLGIB CIB CLIB LRA LRAG LRAY MPCIFC STPCIFC";
        let mut wrong = Vec::new();
        for row in instructions().filter(|row| row.run.is_some()) {
            for (n, operand) in [(1, "D1("), (2, "D2(")] {
                let computed = row.operands().contains(operand) && row.format != Format::SSe;
                let shift = row.shape.composed.is_some_and(|composed| composed.second == Some(Place::Shift));
                let plain = row.shape.kind == Kind::Plain || row.shape.kind == Kind::LoadPsw;
                if computed && !row.accesses(n) && plain && !shift {
                    wrong.push(row.mnemonic);
                }
            }
        }
        assert_eq!(wrong.join(" "), ADDRESSES);
    }
}
