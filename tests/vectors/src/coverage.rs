//! Which condition codes and program exceptions of the instruction table have a line.
//!
//! A row's outcome ([`isa::outcome`]) is turned into [`Need`]s, each of which some line must meet:
//!
//! - **Condition code n**: a line whose right side has `cc=n` and whose left side has (or leaves) another one, so that
//!   it fails if the instruction does not set it.
//! - **Access exceptions**: for each storage operand three kinds: *addressing* (`pgm=0005`, the operand lies beyond the
//!   end of storage), *protection* (`pgm=0004`, the storage key does not match the access key) and *translation*
//!   (`pgm=0010`, `0011`, `0038` to `003B`, `tea=` names the operand's page). The operand must be the only one in that
//!   condition. Operands at real addresses have no translation; frames, tables and control blocks only addressing.
//! - **Specification**: for each reason that the row names, a line with `pgm=0006` in which that reason holds; `SP`, a
//!   reason that is the row's own, is met when none of the others holds.
//! - **Data exceptions**: `pgm=0007` with the data-exception code of that reason; a flag in the FPC is not enough.
//! - **Any other exception**: a line with its code.
//!
//! An instruction that another part of the machine performs (`intercept=`) needs lines for what the CPU checks before
//! it hands it over: privilege, registers, alignment. The rest is shown in `complex/tests`.

use crate::Setting;
use crate::file::{Case, Vector};
use crate::run::{STORAGE, TEXT};
use cpu::Architecture;
use isa::outcome::{TABLES, letter};
use isa::{Exception, Fields, Format, Instruction};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

/// One thing that a row needs a line for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Need {
    /// The condition code is set to this.
    Code(u8),
    /// An access exception of the operand that the exception names.
    Access(Exception, Kind),
    /// Any other exception.
    Other(Exception),
}

/// Kinds of access exceptions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Addressing exceptions.
    Addressing,
    /// Protection exceptions.
    Protection,
    /// Exceptions of address translation.
    Translation,
}

/// As lists of what is missing have it: `cc3`, `F2.protection`, `SP`.
impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |exception| letter::ALL.iter().find(|(_, e)| *e == exception).map_or("?", |(name, _)| *name);
        match *self {
            Need::Code(code) => write!(f, "cc{code}"),
            Need::Access(exception, kind) => {
                write!(f, "{}.{}", name(exception), format!("{kind:?}").to_ascii_lowercase())
            }
            Need::Other(exception) => f.write_str(name(exception)),
        }
    }
}

/// What a row needs lines for; less if it is `intercepted`.
pub fn needs(row: &Instruction, intercepted: bool) -> Vec<Need> {
    use Exception::{Aligned, Even, Pair, Privileged};
    if intercepted {
        let checked = row.outcome.exceptions().filter(|e| matches!(e, Privileged | Even(_) | Pair(_) | Aligned(..)));
        return checked.map(Need::Other).collect();
    }
    let mut all: Vec<Need> = row.outcome.codes().map(Need::Code).collect();
    for exception in row.outcome.exceptions() {
        let kinds: &[Kind] = match exception {
            Exception::Fetch(_) | Exception::Store(_) => &[Kind::Addressing, Kind::Protection, Kind::Translation],
            Exception::Real(_) => &[Kind::Addressing, Kind::Protection],
            Exception::Frame(_) => &[Kind::Addressing],
            Exception::Translated(_) => &[Kind::Translation],
            _ => {
                all.push(Need::Other(exception));
                continue;
            }
        };
        all.extend(kinds.iter().map(|kind| Need::Access(exception, *kind)));
    }
    all
}

/// The operand's number, of an exception that is about one in storage.
pub fn operand(exception: Exception) -> Option<u8> {
    match exception {
        Exception::Fetch(n) | Exception::Store(n) | Exception::Real(n) => Some(n),
        Exception::Frame(n) | Exception::Translated(n) => Some(n),
        _ => None,
    }
}

/// The register field R1, R2 or R3 of an instruction.
pub fn register(fields: &Fields, n: u8) -> u8 {
    match n {
        1 => fields.r1,
        2 => fields.r2,
        _ => fields.r3,
    }
}

/// How an operand's address comes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Index, base, displacement.
    Based(u8, u8, i32),
    /// After the instruction's own address.
    Relative(i64),
    /// In a general register.
    Register(u8),
}

/// Where operand `n` of an instruction lies; 0 is what general register 1 designates.
pub fn place(format: Format, fields: &Fields, n: u8) -> Place {
    use Format::*;
    let first = Place::Based(0, fields.b1, fields.d1);
    let second = Place::Based(fields.x2, fields.b2, fields.d2);
    match (format, n) {
        (_, 0) => Place::Register(1),
        (SI | SIY | SIL | SSa | SSb | SSc | SSd | SSf | SSE | SSF | RSLa, 1) => first,
        // The second and fourth operands are where other formats have the first and second.
        (SSe, 2) => first,
        (SSe, 4) => second,
        (RILa | RILb | RILc, 2) => Place::Relative(fields.imm),
        (SSa | SSb | SSd | SSf | SSE | SSF | S | RSa | RSb | RSYa | RSYb | RSLb, 2) => second,
        (RXa | RXb | RXE | RXF | RXYa | RXYb | VRX | VRV | VRSa | VRSb | VRSc | VRSd | VSI, 2) => second,
        _ => Place::Register(register(fields, n)),
    }
}

/// What a line sets before the instruction.
struct Before<'a>(&'a [Setting]);

impl Before<'_> {
    fn gr(&self, r: u8) -> u64 {
        let value = |s: &Setting| if let Setting::Gr(n, v) = s { (*n == r as usize).then_some(*v) } else { None };
        self.0.iter().rev().find_map(value).unwrap_or(0)
    }

    fn code(&self) -> u8 {
        self.0.iter().rev().find_map(|s| if let Setting::Cc(code) = s { Some(*code) } else { None }).unwrap_or(0)
    }

    /// The storage key that the line gives the frame at `at`.
    fn storage_key(&self, at: u64) -> Option<u8> {
        self.0.iter().rev().find_map(|s| match s {
            Setting::StorageKey(frame, key) if frame & !4095 == at & !4095 => Some(*key),
            _ => None,
        })
    }

    /// The access key, if the line gives one.
    fn key(&self) -> Option<u8> {
        self.0.iter().rev().find_map(|s| if let Setting::Key(key) = s { Some(*key) } else { None })
    }

    /// Address bits of the addressing mode.
    fn mask(&self, mode: Architecture) -> u64 {
        let psw = self.0.iter().rev().find_map(|s| if let Setting::Psw(psw) = s { Some(*psw) } else { None });
        let bits = psw.map_or(if mode == Architecture::Z { 3 } else { 1 }, |psw| psw >> 31 & 3);
        match (mode, bits) {
            (Architecture::S370, _) | (_, 0) => 0x00ff_ffff,
            (_, 3) => u64::MAX,
            _ => 0x7fff_ffff,
        }
    }
}

/// A line as it is looked at.
struct Line<'a> {
    row: &'a Instruction,
    fields: Fields,
    before: Before<'a>,
    after: &'a [Setting],
    mode: Architecture,
}

impl Line<'_> {
    /// The program interruption's code, without the bit that says that it aborted a transaction.
    fn program(&self) -> Option<u16> {
        self.after.iter().find_map(|s| if let Setting::Program(code) = s { Some(*code & !0x200) } else { None })
    }

    fn dxc(&self) -> Option<u8> {
        self.after.iter().find_map(|s| if let Setting::Dxc(dxc) = s { Some(*dxc) } else { None })
    }

    fn tea(&self) -> Option<u64> {
        self.after.iter().find_map(|s| if let Setting::Tea(tea) = s { Some(*tea) } else { None })
    }

    fn address(&self, n: u8) -> u64 {
        let register = |r: u8| if r == 0 { 0 } else { self.before.gr(r) };
        let at = match place(self.row.format, &self.fields, n) {
            Place::Based(x, b, d) => register(x).wrapping_add(register(b)).wrapping_add(d as u64),
            Place::Relative(offset) => TEXT.wrapping_add(offset as u64),
            Place::Register(r) => self.before.gr(r),
        };
        at & self.before.mask(self.mode)
    }

    /// Whether the operand of `exception` is in the condition that `kind` is about.
    fn faulty(&self, exception: Exception, kind: Kind) -> bool {
        let protected = matches!(exception, Exception::Fetch(_) | Exception::Store(_) | Exception::Real(_));
        if kind == Kind::Protection && !protected
            || kind == Kind::Addressing && matches!(exception, Exception::Translated(_))
        {
            return false;
        }
        let n = match operand(exception) {
            Some(TABLES) => return kind == Kind::Addressing,
            Some(n) => n,
            None => return false,
        };
        let at = self.address(n);
        match kind {
            // It may reach beyond the end.
            Kind::Addressing => at >= STORAGE - 4096,
            Kind::Protection => match (self.before.key(), self.before.storage_key(at)) {
                // The key is in a register.
                (None, storage) => storage.is_some(),
                (Some(key), storage) => {
                    let storage = storage.unwrap_or(0);
                    let fetches = matches!(exception, Exception::Fetch(_));
                    key != 0 && storage >> 4 != key && (!fetches || storage & 8 != 0)
                }
            },
            Kind::Translation => self.tea().is_some_and(|tea| tea & !4095 == at & !4095),
        }
    }

    fn reason(&self, exception: Exception) -> bool {
        match exception {
            Exception::Even(n) => register(&self.fields, n) & 1 != 0,
            Exception::Pair(n) => register(&self.fields, n) & 2 != 0,
            Exception::Aligned(n, bytes) => self.address(n) % u64::from(bytes) != 0,
            _ => false,
        }
    }

    fn meets(&self, need: Need) -> bool {
        let program = self.program();
        let data = |codes: &[u8]| program == Some(7) && self.dxc().is_some_and(|dxc| codes.contains(&dxc));
        match need {
            Need::Code(code) => self.before.code() != code && self.after.contains(&Setting::Cc(code)),
            Need::Access(exception, kind) => {
                let right = match kind {
                    Kind::Addressing => program == Some(5),
                    Kind::Protection => program == Some(4),
                    Kind::Translation => matches!(program, Some(0x10 | 0x11 | 0x38..=0x3b)),
                };
                // Tables are at fault if no operand is.
                let found = operand(exception);
                let others = |e: &Exception| operand(*e) != found && operand(*e) != Some(TABLES);
                let mut others = self.row.outcome.exceptions().filter(others);
                right && self.faulty(exception, kind) && !others.any(|e| self.faulty(e, kind))
            }
            Need::Other(exception) => match exception {
                Exception::Even(_) | Exception::Pair(_) | Exception::Aligned(..) => {
                    program == Some(6) && self.reason(exception)
                }
                Exception::Specification => {
                    program == Some(6) && !self.row.outcome.exceptions().any(|other| self.reason(other))
                }
                Exception::Decimal => data(&[0]),
                Exception::AfpRegister => data(&[1]),
                Exception::BfpInstruction => data(&[2]),
                Exception::DfpInstruction => data(&[3]),
                Exception::Invalid => data(&[0x80, 0x83]),
                Exception::DivisionByZero => data(&[0x40, 0x43]),
                Exception::Overflow => data(&[0x20, 0x28, 0x2c, 0x23, 0x2b]),
                Exception::Underflow => data(&[0x10, 0x18, 0x1c, 0x13, 0x1b]),
                Exception::Inexact => data(&[0x08, 0x0c, 0x0b]),
                Exception::Quantum => data(&[0x04, 0x07]),
                Exception::Trap => data(&[0xff]),
                Exception::VectorInstruction => data(&[0xfe]),
                _ => program == code(exception),
            },
        }
    }
}

/// The interruption code of an exception that has one of its own.
fn code(exception: Exception) -> Option<u16> {
    use Exception::*;
    Some(match exception {
        Privileged => 2,
        Execute => 3,
        Specification | Even(_) | Pair(_) | Aligned(..) => 6,
        FixedPointOverflow => 8,
        FixedPointDivide => 9,
        DecimalOverflow => 0xa,
        DecimalDivide => 0xb,
        ExponentOverflow => 0xc,
        ExponentUnderflow => 0xd,
        Significance => 0xe,
        FloatingPointDivide => 0xf,
        SquareRoot => 0x1d,
        SpecialOperation => 0x13,
        Operand => 0x15,
        SpaceSwitchEvent => 0x1c,
        TraceTable => 0x16,
        PcTranslationSpecification => 0x1f,
        AfxTranslation => 0x20,
        AsxTranslation => 0x21,
        LxTranslation => 0x22,
        ExTranslation => 0x23,
        PrimaryAuthority => 0x24,
        SecondaryAuthority => 0x25,
        LfxTranslation => 0x26,
        LsxTranslation => 0x27,
        LsteSequence => 0x2e,
        AsteInstance => 0x2f,
        MonitorEvent => 0x40,
        Decimal | AfpRegister | BfpInstruction | DfpInstruction | Trap | VectorInstruction => 7,
        VectorProcessing => 0x1b,
        Invalid | DivisionByZero | Overflow | Underflow | Inexact | Quantum => 7,
        Fetch(_) | Store(_) | Real(_) | Frame(_) | Translated(_) => return None,
    })
}

fn line<'a>(row: &'a Instruction, vector: &Vector, case: &'a Case) -> Line<'a> {
    let mut text = [0; 6];
    text[..vector.text.len()].copy_from_slice(&vector.text);
    Line {
        row,
        fields: Fields::extract(row.format, text),
        before: Before(&case.before),
        after: &case.after,
        mode: *vector.modes.last().unwrap_or(&Architecture::Z),
    }
}

/// The needs of `row` that a case meets.
pub fn met(row: &Instruction, vector: &Vector, case: &Case) -> BTreeSet<Need> {
    let line = line(row, vector, case);
    needs(row, false).into_iter().filter(|need| line.meets(*need)).collect()
}

/// What each row that is built lacks among `all` vectors by mnemonic, in the table's order.
pub fn lacks<'a>(
    rows: impl IntoIterator<Item = &'a Instruction>,
    all: &BTreeMap<String, Vec<(PathBuf, Vector)>>,
) -> Vec<(&'a Instruction, Vec<Need>)> {
    let lacks = |row: &'a Instruction| {
        let lines = all.get(row.mnemonic).map_or(&[][..], Vec::as_slice);
        let cases = || lines.iter().flat_map(|(_, v)| v.cases.iter().map(move |case| (v, case)));
        let met: BTreeSet<Need> = cases().flat_map(|(vector, case)| met(row, vector, case)).collect();
        let passed_on = cases().any(|(_, case)| intercepted(case));
        (row, needs(row, passed_on).into_iter().filter(|need| !met.contains(need)).collect())
    };
    rows.into_iter().filter(|row| row.run.is_some()).map(lacks).collect()
}

/// Whether a case shows that the configuration or CP performs the instruction.
fn intercepted(case: &Case) -> bool {
    case.after.iter().any(|s| matches!(s, Setting::Intercept(_)))
}

/// What a case shows although its row does not say it.
pub fn unsaid(row: &Instruction, vector: &Vector, case: &Case) -> Option<String> {
    let line = line(row, vector, case);
    if case.before.iter().any(|s| matches!(s, Setting::Ia(_))) {
        // The exception may be one of fetching the instruction.
        return None;
    }
    let Some(program) = line.program() else {
        let set = case.after.iter().find_map(|s| if let Setting::Cc(code) = s { Some(*code) } else { None })?;
        let said = set == line.before.code() || row.outcome.codes().any(|code| code == set);
        return (!said).then(|| format!("condition code {set}"));
    };
    let mut all = row.outcome.exceptions();
    let said = match program {
        // What is privileged may be an operation exception instead, and so may what is not installed.
        1 => true,
        4 | 5 | 0x10 | 0x11 | 0x12 | 0x28..=0x2d | 0x38..=0x3b => all.any(|e| operand(e).is_some()),
        2..=0xf | 0x13 | 0x15 | 0x16 | 0x1b..=0x1d | 0x1f..=0x27 | 0x2e | 0x2f | 0x40 => {
            all.any(|e| code(e) == Some(program))
        }
        _ => true,
    };
    (!said).then(|| format!("program interruption {program:04X}"))
}
