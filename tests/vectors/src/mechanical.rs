//! Lines that follow from a row's outcome alone: the operand that lies beyond the end of storage, the odd register, the
//! privileged instruction in the problem state. What they expect is the architecture's rule, not what the processor
//! does.
//!
//! `LINES=1 cargo test -p vectors` writes them for whatever rows have none yet, to `exceptions.vec` of the row's
//! chapter.

use crate::Setting;
use crate::coverage::{self, Kind, Need, Place};
use crate::encode::{self, Field};
use crate::file::{Case, Vector};
use crate::run::{STORAGE, TEXT};
use cpu::Architecture;
use isa::outcome::TABLES;
use isa::{Exception, Fields, Instruction};

/// Where operand `n` lies if nothing is wrong with it: each has a frame of its own.
fn frame(n: u8) -> u64 {
    0x1_0000 + u64::from(n) * 4096
}

/// The frame of the segment table, and that of the page table after its first entry.
const SEGMENT_TABLE: u64 = 0x2000;
const PAGE_TABLE: u64 = 0x4000;
/// The address-space-control element of a real space.
const REAL_SPACE: u64 = 0x20;
/// PSW bits 0-63 with DAT on.
const DAT_ON: u64 = 0x0400_0001_8000_0000;
/// A page-table entry's bit that makes it invalid.
const INVALID: u64 = 0x400;

/// A line in the making.
struct Draft<'a> {
    row: &'a Instruction,
    text: Vec<u8>,
    before: Vec<Setting>,
}

impl Draft<'_> {
    fn field(&self, wanted: Field) -> Option<(Field, u8, u8)> {
        encode::fields(self.row).into_iter().find(|(field, _, _)| *field == wanted)
    }

    /// Sets a field, if the instruction has it.
    fn put(&mut self, field: Field, value: u64) -> bool {
        let Some(place) = self.field(field) else { return false };
        encode::put_field(&mut self.text, place, value);
        true
    }

    fn fields(&self) -> Fields {
        let mut text = [0; 6];
        text[..self.text.len()].copy_from_slice(&self.text);
        Fields::extract(self.row.format, text)
    }

    fn set(&mut self, setting: Setting) {
        let same = |s: &Setting| match (s, &setting) {
            (Setting::Gr(a, _), Setting::Gr(b, _)) | (Setting::Cr(a, _), Setting::Cr(b, _)) => a == b,
            (Setting::Psw(_), Setting::Psw(_)) => true,
            _ => false,
        };
        self.before.retain(|s| !same(s));
        self.before.push(setting);
    }

    /// Puts operand `n` at an address.
    fn move_operand(&mut self, n: u8, at: u64) {
        match coverage::place(self.row.format, &self.fields(), n) {
            Place::Based(_, base, _) => self.set(Setting::Gr(base as usize, at)),
            Place::Relative(_) => {
                self.put(Field::RI2, at.wrapping_sub(TEXT) / 2);
            }
            Place::Register(r) => self.set(Setting::Gr(r as usize, at)),
        }
    }

    fn operands(&self) -> impl Iterator<Item = (Exception, u8)> + use<> {
        self.row.outcome.exceptions().filter_map(|e| coverage::operand(e).filter(|n| *n != TABLES).map(|n| (e, n)))
    }
}

/// Turns DAT on, for a space in which addresses are real.
fn translated(draft: &mut Draft) {
    draft.set(Setting::Psw(DAT_ON));
    draft.set(Setting::Cr(1, REAL_SPACE));
}

/// An instruction whose operands are all in order: registers 4, 8 and 12, bases 14 and 15, lengths of 4 and 8 bytes.
fn in_order(row: &Instruction) -> Option<Draft<'_>> {
    let mut draft = Draft { row, text: encode::blank(row), before: Vec::new() };

    // Digits of source fields are longer than the field that they go to, or the like.
    let same_length = [(Field::L, 7), (Field::L1, 3), (Field::L2, 1)];
    let registers = [(Field::R1, 4), (Field::R2, 8), (Field::R3, 12), (Field::B1, 14), (Field::B2, 15)];
    for (field, value) in registers.into_iter().chain(same_length) {
        draft.put(field, value);
    }
    for (field, value) in [(Field::V1, 4), (Field::V2, 8), (Field::V3, 12), (Field::V4, 16)] {
        draft.put(field, value);
    }
    // Masks that select everything, and conditions that are always met. LOCHI has no storage operand.
    if draft.operands().next().is_some() {
        draft.put(
            Field::M3,
            if row.code >> 8 == 0xed || row.code >> 8 == 0xb9 || row.code >> 8 == 0xb2 { 0 } else { 15 },
        );
    }
    if row.outcome.exceptions().any(|e| e == Exception::VectorInstruction) {
        // An element that every size has, of a size that all have; the long format.
        let processing = row.outcome.exceptions().any(|e| e == Exception::VectorProcessing);
        let fused = row.mnemonic.starts_with("VFM") && row.code & 0xff < 0x90 || row.mnemonic.starts_with("VFN");
        draft.put(
            Field::M3,
            if !processing {
                1
            } else if row.mnemonic == "VFLL" {
                2
            } else {
                3
            },
        );
        if processing {
            draft.put(if fused { Field::M6 } else { Field::M4 }, if row.code & 0xff < 0xd0 && !fused { 0 } else { 3 });
        }
    }
    // Operands that registers designate have lengths beside the addresses.
    let pairs: Vec<u8> =
        row.outcome.exceptions().filter_map(|e| if let Exception::Even(n) = e { Some(n) } else { None }).collect();
    for (_, n) in draft.operands() {
        draft.move_operand(n, frame(n));
    }
    for n in pairs {
        let r = coverage::register(&draft.fields(), n);
        let long = matches!(coverage::place(row.format, &draft.fields(), n), Place::Register(_));
        if long && draft.operands().any(|(_, other)| other == n) {
            draft.set(Setting::Gr(r as usize + 1, 8));
        }
    }
    match row.mnemonic {
        // The character that ends them is not the first.
        "TRE" | "TROO" | "TROT" | "TRTO" | "TRTT" => draft.set(Setting::Gr(0, 0xffff)),
        // True lengths; a real space as primary and as secondary, with the secondary-space control on.
        "MVCK" => draft.set(Setting::Gr(4, 8)),
        "MVCSK" | "MVCDK" => draft.set(Setting::Gr(0, 7)),
        "MVCP" | "MVCS" => {
            draft.set(Setting::Gr(4, 8));
            draft.set(Setting::Cr(0, 0x0404_0000));
            draft.set(Setting::Cr(7, REAL_SPACE));
            translated(&mut draft);
        }
        "MVCOS" => {
            draft.set(Setting::Gr(12, 8));
            translated(&mut draft);
        }
        "IVSK" => translated(&mut draft),
        // Guarded storage is enabled by control register 2.
        "LGSC" | "STGSC" => draft.set(Setting::Cr(2, 0x10)),
        // A substring of one byte.
        "CUSE" => draft.set(Setting::Gr(0, 1)),
        _ => {}
    }
    if row.outcome.exceptions().any(|e| e == Exception::Decimal) {
        // Packed zeros; a pattern of digit selectors.
        let edits = matches!(row.mnemonic, "ED" | "EDMK");
        let first = if edits { 0x4020_2020_2020_2020u64.to_be_bytes().to_vec() } else { vec![0, 0, 0, 0x0c] };
        for (_, n) in draft.operands() {
            match n {
                1 => draft.set(Setting::Storage(frame(1), first.clone())),
                _ if edits => {}
                _ => draft.set(Setting::Storage(frame(2), vec![0, 0x0c])),
            }
        }
    }
    Some(draft)
}

/// An overflow that interrupts: a line that shows it without the program-mask bit, with the bit. The operation is
/// completed all the same (POP, chapter 6, "Fixed-point-overflow exception").
fn overflow(bit: u8, program: u16, lines: &[Vector]) -> Option<Vector> {
    let silent = |case: &&Case| {
        case.after.contains(&Setting::Cc(3)) && !case.after.iter().any(|s| matches!(s, Setting::Program(_)))
    };
    let (vector, case) = lines.iter().find_map(|v| v.cases.iter().find(silent).map(|case| (v, case)))?;
    let mut case = Case { remark: String::new(), above: Vec::new(), ..case.clone() };
    case.before.push(Setting::Mask(bit));
    case.after.splice(0..0, [Setting::Program(program), Setting::Ilc((vector.text.len() / 2) as u8)]);
    Some(Vector { cases: vec![case], ..vector.clone() })
}

/// What a line expects, and where.
struct Expected {
    modes: Vec<Architecture>,
    after: Vec<Setting>,
}

/// The line that meets `need`, or nothing if it takes thought. `lines` are those that the row has.
pub fn line(row: &Instruction, need: Need, lines: &[Vector]) -> Option<Vector> {
    match need {
        Need::Other(Exception::FixedPointOverflow) => return overflow(8, 8, lines),
        Need::Other(Exception::DecimalOverflow) => return overflow(4, 0xa, lines),
        _ => {}
    }
    let mut draft = in_order(row)?;
    let modes = vec![Architecture::S370, Architecture::Esa, Architecture::Z];
    let mut expected = Expected { modes, after: Vec::new() };
    let program = match need {
        Need::Code(_) => return None,
        // It has an operand only when its counters are on, which no line can see to.
        Need::Access(..) if row.mnemonic == "STCCTM" => return None,
        Need::Access(exception, kind) => access(exception, kind, &mut draft, &mut expected)?,
        Need::Other(exception) => {
            other(exception, &mut draft, &mut expected).or_else(|| data(exception, &mut draft, &mut expected))?
        }
    };
    let Expected { mut modes, mut after } = expected;
    // System/370 and ESA/390 have no real spaces.
    if draft.before.contains(&Setting::Psw(DAT_ON)) {
        modes = vec![Architecture::Z];
    }
    modes.retain(|mode| row.architectures.include(*mode));
    let ilc = (draft.text.len() / 2) as u8;
    after.splice(0..0, [Setting::Program(program), Setting::Ilc(ilc)]);
    draft.before.sort_by_key(order);
    let disassembly = crate::run::disassemble(&draft.text, *modes.first()?)?;
    let case = Case { line: 0, before: draft.before, after, remark: String::new(), above: Vec::new() };
    Some(Vector {
        line: 0,
        mnemonic: row.mnemonic.to_string(),
        text: draft.text,
        disassembly,
        modes,
        cases: vec![case],
    })
}

/// Has the operand of `exception` cause an access exception; its program-interruption code.
fn access(exception: Exception, kind: Kind, draft: &mut Draft<'_>, expected: &mut Expected) -> Option<u16> {
    let row = draft.row;
    let n = coverage::operand(exception).filter(|n| *n != TABLES)?;
    Some(match kind {
        Kind::Addressing => {
            draft.move_operand(n, STORAGE);
            5
        }
        Kind::Protection => {
            draft.set(Setting::Key(1));
            match row.mnemonic {
                // Their other key is in a register.
                "MVCK" | "MVCP" | "MVCS" => draft.set(Setting::Gr(12, 0x10)),
                "MVCSK" | "MVCDK" => draft.set(Setting::Gr(1, 0x10)),
                _ => {}
            }
            for (other, m) in draft.operands() {
                if m == n {
                    draft.set(Setting::StorageKey(frame(m), 0xf8));
                } else if matches!(other, Exception::Store(_)) {
                    draft.set(Setting::StorageKey(frame(m), 0x10));
                }
            }
            4
        }
        Kind::Translation => {
            expected.modes = vec![Architecture::Z];
            draft.set(Setting::Psw(DAT_ON));
            draft.set(Setting::Cr(1, SEGMENT_TABLE));
            if matches!(row.mnemonic, "MVCP" | "MVCS") {
                draft.set(Setting::Cr(7, SEGMENT_TABLE));
            }
            draft.set(Setting::Storage(SEGMENT_TABLE, PAGE_TABLE.to_be_bytes().to_vec()));
            let entry =
                |page: u64, value: u64| Setting::Storage(PAGE_TABLE + page / 4096 * 8, value.to_be_bytes().to_vec());
            draft.set(entry(TEXT, TEXT));
            for (_, m) in draft.operands() {
                draft.set(entry(frame(m), if m == n { INVALID } else { frame(m) }));
            }
            // Nullified: the old PSW designates the instruction.
            let secondary = matches!((row.mnemonic, n), ("MVCP", 2) | ("MVCS", 1));
            let space = if secondary { 2 } else { 0 };
            expected.after.extend([Setting::Tea(frame(n) | space), Setting::Ia(TEXT)]);
            0x11
        }
    })
}

/// Has the instruction cause `exception`, if that is neither an access exception nor one of [`data`]; its
/// program-interruption code.
fn other(exception: Exception, draft: &mut Draft<'_>, expected: &mut Expected) -> Option<u16> {
    let row = draft.row;
    Some(match exception {
        // These depend on what is asked for.
        Exception::Privileged if matches!(row.mnemonic, "SAC" | "SACF" | "MVCOS" | "PTFF" | "MVPG") => return None,
        Exception::Privileged => {
            expected.modes.remove(0);
            let dat = matches!(row.mnemonic, "IAC" | "EPAR" | "ESAR" | "MVCP" | "MVCS");
            if dat {
                expected.modes = vec![Architecture::Z];
                translated(draft);
            }
            draft.set(Setting::Psw(0x0001_0000_8000_0000 | if dat { DAT_ON } else { 0 }));
            2
        }
        Exception::Even(n) | Exception::Pair(n) => {
            let field = [Field::R1, Field::R2, Field::R3][n as usize - 1];
            let bit = if matches!(exception, Exception::Even(_)) { 1 } else { 2 };
            let r = u64::from(coverage::register(&draft.fields(), n));
            draft.put(field, r | bit);
            6
        }
        Exception::Aligned(n, bytes) => {
            draft.move_operand(n, frame(n) + u64::from(bytes) / 2);
            6
        }
        Exception::FixedPointDivide if !matches!(row.mnemonic, "CVB" | "CVBY" | "CVBG") => 9,
        Exception::Execute => {
            // The target is the same instruction.
            let bytes = vec![row.code as u8, 0, 0, 0];
            let bytes =
                if row.code > 0xff { vec![(row.code >> 4) as u8, row.code as u8 & 15, 0, 0, 0, 0] } else { bytes };
            draft.set(Setting::Storage(frame(2), bytes));
            3
        }
        _ => return None,
    })
}

/// Has the instruction cause a data exception or a vector-processing exception; its program-interruption code.
fn data(exception: Exception, draft: &mut Draft<'_>, expected: &mut Expected) -> Option<u16> {
    let row = draft.row;
    Some(match exception {
        Exception::BfpInstruction | Exception::DfpInstruction | Exception::AfpRegister => {
            let code = match exception {
                Exception::AfpRegister => 1,
                Exception::BfpInstruction => 2,
                _ => 3,
            };
            if code == 1 {
                // System/370 has a specification exception instead.
                expected.modes.remove(0);
                draft.put(Field::R1, 5);
            }
            draft.set(Setting::Cr(0, 0));
            expected.after.push(Setting::Dxc(code));
            7
        }
        Exception::VectorInstruction => {
            draft.set(Setting::Cr(0, 0));
            expected.after.push(Setting::Dxc(0xfe));
            7
        }
        Exception::VectorProcessing => {
            // A signaling long NaN in element 0, of conversions a large number: invalid operation.
            let from_integer = matches!(row.mnemonic, "VCFPS" | "VCFPL");
            let short = row.mnemonic == "VFLL";
            let (value, mask, code) = match (from_integer, short) {
                (true, _) => (0x7fff_ffff_ffff_ffff, 0x0800_0000, 5),
                (_, true) => (0x7fa0_0000 << 32, 0x8000_0000, 1),
                _ => (0x7ff4 << 48, 0x8000_0000, 1),
            };
            draft.set(Setting::Fpr(draft.fields().r2 as usize, value));
            draft.set(Setting::Fpc(mask));
            expected.after.extend([Setting::Dxc(code), Setting::Fpc(mask | u32::from(code) << 8)]);
            0x1b
        }
        Exception::Trap => {
            // Equal, or zero.
            draft.put(Field::M3, 8);
            expected.after.push(Setting::Dxc(0xff));
            7
        }
        Exception::Invalid => {
            // A signaling NaN in the format that the last letter before B or BR names.
            let name = row.mnemonic.trim_end_matches("BR").trim_end_matches('B');
            let nan: u64 = match name.bytes().last()? {
                b'E' => 0x7fa0_0000 << 32,
                b'D' => 0x7ff4 << 48,
                b'X' => 0x7fff_4000 << 32,
                _ => return None,
            };
            if draft.operands().next().is_some() {
                draft.set(Setting::Storage(frame(2), nan.to_be_bytes().to_vec()));
            } else {
                let r = draft.fields().r2;
                draft.set(Setting::Fpr(r as usize, nan));
            }
            draft.set(Setting::Fpc(0x8000_0000));
            expected.after.extend([Setting::Dxc(0x80), Setting::Fpc(0x8000_8000)]);
            7
        }
        _ => return None,
    })
}

/// The order of settings on a line: the PSW, registers, storage.
fn order(setting: &Setting) -> (u8, u64) {
    match setting {
        Setting::Psw(_) => (0, 0),
        Setting::Key(_) => (1, 0),
        Setting::Cr(n, _) => (2, *n as u64),
        Setting::Gr(n, _) => (3, *n as u64),
        Setting::Fpr(n, _) => (4, *n as u64),
        Setting::Fpc(_) => (5, 0),
        Setting::Storage(at, _) => (6, *at),
        Setting::StorageKey(at, _) => (7, *at),
        _ => (8, 0),
    }
}
