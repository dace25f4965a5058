//! A CPU that executes one instruction at a time, and what it has before and afterwards.

use crate::lone_cpu::{self, OPERAND};
use crate::number::Format;
use arch::Absolute;
use cpu::{Architecture, Facilities, Interruption, State};
use isa::Instruction;
use support::Random;

/// What an instruction may look at, and change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Registers {
    /// Floating-point registers 0 to 7.
    pub fpr: [u64; 8],
    /// The general register that is a result.
    pub gr1: u64,
    /// The general register that is a source.
    pub gr4: u64,
    pub fpc: u32,
    pub cc: u8,
    pub program_mask: u8,
    /// The operand in storage, from the left.
    pub operand: u128,
    /// General registers 6 and 7, a pair that is a source or a result.
    pub pair: [u64; 2],
    /// Decimal digits in storage, which are a source or a result.
    pub area: [u8; AREA],
}

/// Bytes of the longest decimal number in storage, and some.
pub(crate) const AREA: usize = 40;
/// Where that lies: after the other operand.
const AREA_AT: Absolute = Absolute(OPERAND.0 + 16);

/// All rows, whatever facilities there are.
const FACILITIES: Facilities = Facilities([u64::MAX; 4]);

/// A CPU in z/Architecture that may use floating point.
pub(crate) fn cpu() -> State {
    lone_cpu::cpu(FACILITIES)
}

/// The row that a text belongs to.
pub(crate) fn decode(text: [u8; 6]) -> &'static isa::Instruction {
    isa::decode(text, Architecture::Z, &FACILITIES).expect("the table has it")
}

/// Executes one instruction: what is different afterwards, and how it ended.
pub(crate) fn execute(cpu: &mut State, text: [u8; 6], before: &Registers) -> (Registers, Result<(), Interruption>) {
    let row = decode(text);
    for (n, &value) in before.fpr.iter().enumerate() {
        cpu.fpr[n] = value;
    }
    (cpu.gr[1], cpu.gr[4]) = (before.gr1, before.gr4);
    (cpu.fpc, cpu.cc, cpu.program_mask) = (before.fpc, before.cc, before.program_mask);
    (cpu.gr[6], cpu.gr[7]) = (before.pair[0], before.pair[1]);
    cpu.storage().write(OPERAND, &before.operand.to_be_bytes()).expect("it is within storage");
    cpu.storage().write(AREA_AT, &before.area).expect("it is within storage");
    let fields = isa::Fields::extract(row.format, text);
    let result = isa::perform(row.run.expect("it is built"), cpu, &fields);
    let mut area = [0; AREA];
    cpu.storage().read(AREA_AT, &mut area).expect("it is within storage");
    let after = Registers {
        fpr: std::array::from_fn(|n| cpu.fpr[n]),
        gr1: cpu.gr[1],
        gr4: cpu.gr[4],
        fpc: cpu.fpc,
        cc: cpu.cc,
        program_mask: cpu.program_mask,
        operand: before.operand,
        pair: [cpu.gr[6], cpu.gr[7]],
        area,
    };
    (after, result)
}

/// What an instruction leaves, and how it ends.
pub(crate) type Expected = (Registers, Result<(), Interruption>);

/// An instruction with what it finds.
pub(crate) struct Case {
    pub text: [u8; 6],
    pub before: Registers,
    pub m3: u8,
    pub m4: u8,
    /// The classes that TEST DATA CLASS asks for.
    pub mask: u16,
}

/// One of all combinations of what can be chosen: numbers below limits, one after another.
pub(crate) struct Combination(pub u64);

impl Combination {
    /// The next choice.
    pub(crate) fn next(&mut self, limit: usize) -> usize {
        let chosen = self.0 % limit as u64;
        self.0 /= limit as u64;
        chosen as usize
    }
}

impl Registers {
    /// Registers that show where something is stored that should not be.
    pub(crate) fn any(random: &mut Random) -> Registers {
        Registers {
            fpr: std::array::from_fn(|_| random.word()),
            gr1: random.word(),
            gr4: random.word(),
            fpc: 0,
            cc: random.below(4u8),
            program_mask: 0,
            operand: u128::from(random.word()) << 64 | u128::from(random.word()),
            pair: [random.word(), random.word()],
            area: std::array::from_fn(|_| random.byte()),
        }
    }

    /// The number of a format in floating-point register `n`.
    pub(crate) fn get(&self, format: Format, n: usize) -> u128 {
        match format {
            Format::Short => (self.fpr[n] >> 32).into(),
            Format::Long => self.fpr[n].into(),
            Format::Extended => u128::from(self.fpr[n]) << 64 | u128::from(self.fpr[n + 2]),
        }
    }

    pub(crate) fn put(&mut self, format: Format, n: usize, bits: u128) {
        match format {
            Format::Short => self.fpr[n] = (bits as u64) << 32 | self.fpr[n] & 0xffff_ffff,
            Format::Long => self.fpr[n] = bits as u64,
            Format::Extended => (self.fpr[n], self.fpr[n + 2]) = ((bits >> 64) as u64, bits as u64),
        }
    }

    /// The second operand: in floating-point register 1, or in storage.
    pub(crate) fn get_second(&self, row: &Instruction, format: Format) -> u128 {
        if in_storage(row) { self.operand >> (128 - format.width()) } else { self.get(format, 1) }
    }

    pub(crate) fn second(&mut self, row: &Instruction, format: Format, bits: u128) {
        let width = format.width();
        match in_storage(row) {
            true if width == 128 => self.operand = bits,
            true => self.operand = bits << (128 - width) | self.operand & ((1 << (128 - width)) - 1),
            false => self.put(format, 1, bits),
        }
    }
}

fn in_storage(row: &Instruction) -> bool {
    use isa::Format::{RXE, RXF, RXYa, RXa};
    matches!(row.format, RXa | RXE | RXF | RXYa)
}

/// The text of an instruction. R1 is 0, R2 is 1, R3 is 4; a general register that is R1 is 1, and one that is R2 is 4.
/// The second-operand address is `address`, or leads to the operand in storage.
pub(crate) fn text(row: &Instruction, general: [bool; 2], m3: u8, m4: u8, address: Option<u16>) -> [u8; 6] {
    use isa::Format::*;
    let [c0, c1] = row.code.to_be_bytes();
    let r1 = u8::from(general[0]);
    let r2 = if general[1] { 4 } else { 1 };
    let [a0, a1] = address.unwrap_or(0x5000 | 88).to_be_bytes();
    match row.format {
        RR => [c1, r1 << 4 | r2, 0, 0, 0, 0],
        RRE => [c0, c1, 0, r1 << 4 | r2, 0, 0],
        RRD => [c0, c1, r1 << 4, 4 << 4 | r2, 0, 0],
        RRFe => [c0, c1, m3 << 4 | m4, r1 << 4 | r2, 0, 0],
        RRFb => [c0, c1, 4 << 4 | m4, r1 << 4 | r2, 0, 0],
        RXa => [c1, r1 << 4, a0, a1, 0, 0],
        RXE => [c0, r1 << 4, a0, a1, 0, c1],
        RXF => [c0, 4 << 4, a0, a1, r1 << 4, c1],
        other => panic!("{}: {other:?}", row.mnemonic),
    }
}
