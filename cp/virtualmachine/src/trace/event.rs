//! What happened in one step of a virtual CPU, and how TRACE writes it.

use crate::examine::{self, Meaning};
use arch::io::{self, Ccw, SubsystemId};
use arch::lowcore::{esa, z};
use base::layout::U32;
use complex::Configuration;
use cpu::{Architecture, State, VectorRegisters};
use isa::watch::{Operand, Registers};
use isa::{Instruction, Kind};
use zerocopy::{IntoBytes, transmute};

/// A virtual CPU before a step.
pub struct Before {
    address: u64,
    dat: bool,
    wide: bool,
    cc: u8,
    mask: u64,
    gr: [u64; 16],
    vectors: VectorRegisters,
    /// The instruction, if it can be fetched.
    text: Option<[u8; 6]>,
    row: Option<&'static Instruction>,
}

impl Before {
    /// Notes the state that the next step begins with.
    pub fn note(state: &mut State) -> Before {
        let psw = state.psw();
        let address = psw.address & state.address_mask;
        let meaning = match psw.is(arch::mask::DAT) {
            true => Meaning::Virtual(cpu::Space::Mode { ar: 0 }),
            false => Meaning::Real,
        };
        // Instructions come from the primary space, except in the home-space mode.
        let meaning = match (meaning, psw.space()) {
            (Meaning::Virtual(_), arch::AddressSpaceControl::Home) => Meaning::Virtual(cpu::Space::Home),
            (Meaning::Virtual(_), _) => Meaning::Virtual(cpu::Space::Primary),
            (other, _) => other,
        };
        let text = examine::instruction_text(state, meaning, address).ok();
        Before {
            address,
            dat: psw.is(arch::mask::DAT),
            wide: psw.is(arch::mask::EXTENDED_ADDRESSING),
            cc: psw.cc(),
            mask: state.address_mask,
            gr: state.gr,
            vectors: state.fpr,
            row: text.and_then(|text| Instruction::of(text, state.architecture())),
            text,
        }
    }

    fn kind(&self) -> Option<Kind> {
        self.row.map(|row| row.shape.kind)
    }

    /// The operands of the instruction that are addressed, in the order of their numbers.
    fn operands(&self) -> Vec<Operand> {
        let (Some(row), Some(text)) = (self.row, self.text) else { return Vec::new() };
        let Before { address, mask, .. } = *self;
        row.addressed(text, &Registers { address, mask, general: &self.gr, vector: &self.vectors })
    }
}

/// What kind of step it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Happened {
    /// An instruction was executed.
    Executed {
        /// A branch was taken.
        branched: bool,
        /// General registers that have changed, a bit each.
        changed: u16,
    },
    /// SUPERVISOR CALL.
    Svc {
        /// The interruption code.
        code: u8,
    },
    /// An interruption was taken, perhaps by an instruction that was not completed.
    Interrupted {
        /// The class, as the line shows it: `I/O`.
        class: &'static str,
        /// The interruption code.
        code: u32,
        /// It counts as an executed instruction: of a program interruption.
        executed: bool,
        /// Of an I/O interruption: the subsystem identification and the parameter.
        io: Option<(u32, u32)>,
    },
}

/// One step of a virtual CPU.
pub struct Event {
    /// Where the instruction lies, or what the old PSW says.
    pub address: u64,
    /// Where the CPU goes on.
    pub after: u64,
    /// What kind of step it was.
    pub happened: Happened,
    before: Before,
    after_dat: bool,
    after_wide: bool,
    cc: u8,
    /// The general registers afterwards.
    gr: [u64; 16],
    /// What lies afterwards at addresses that traps look at.
    contents: Vec<(u64, Vec<u8>)>,
    /// The operation request block of a START SUBCHANNEL, and what it starts.
    orb: Option<Orb>,
}

/// What is shown of an ORB.
struct Orb {
    parameter: u32,
    flags: u32,
    program: u32,
    /// Addresses of CCWs and their eight bytes.
    ccws: Vec<(u32, [u8; 8])>,
}

/// CCWs that are shown of one channel program.
const CCWS: usize = 16;

impl Event {
    /// What happened since `before` was noted; `None` if no instruction could be fetched and no interruption came.
    /// `watched` are addresses and lengths of what traps look at.
    pub fn find(before: Before, state: &mut State, watched: &[(u64, usize)]) -> Option<Event> {
        let psw = state.psw();
        let after = psw.address & state.address_mask;
        let class = class_of(state.architecture(), state.interrupted);
        let svc = before.text.filter(|_| before.kind() == Some(Kind::SupervisorCall));
        let happened = match (class, svc) {
            (None, _) if before.text.is_none() => return None,
            (None, _) => {
                let length = before.text.map_or(2, |text| isa::length(text[0]));
                let sequential = before.address.wrapping_add(length.into()) & before.mask;
                let changed = (0..16).filter(|&n| state.gr[n] != before.gr[n]).fold(0, |bits, n| bits | 1 << n);
                // An interruptible instruction that is not complete leaves the PSW at itself. That is no branch.
                let branches = before.row.is_some_and(|row| row.ends != isa::Ends::No);
                Happened::Executed { branched: branches && after != sequential && after != before.address, changed }
            }
            (Some("SVC"), Some(text)) => Happened::Svc { code: text[1] },
            (Some(class), _) => {
                let word = |state: &mut State, at: u64| {
                    let mut word = U32::ZERO;
                    // The prefix area is always there.
                    let _ = examine::read(state, Meaning::Real, at, word.as_mut_bytes());
                    word.get()
                };
                let code = match class {
                    "PROG" => word(state, z::PROGRAM_ILC) & 0xffff,
                    "EXT" => word(state, z::EXTERNAL_CPU_ADDRESS) & 0xffff,
                    _ => 0,
                };
                let io = (class == "I/O").then(|| (word(state, z::SUBSYSTEM_ID), word(state, z::IO_PARAMETER)));
                Happened::Interrupted { class, code, executed: class == "PROG", io }
            }
        };
        let orb = match (&happened, before.kind()) {
            (Happened::Executed { .. }, Some(Kind::StartSubchannel)) => Orb::fetch(&before, state),
            _ => None,
        };
        let look = |&(at, length): &(u64, usize)| Some((at, examine::bytes(state, at, length)?));
        let contents = watched.iter().filter_map(look).collect();
        let cc = if matches!(happened, Happened::Executed { .. }) { psw.cc() } else { before.cc };
        Some(Event {
            address: before.address,
            after,
            happened,
            before,
            after_dat: psw.is(arch::mask::DAT),
            after_wide: psw.is(arch::mask::EXTENDED_ADDRESSING),
            cc,
            gr: state.gr,
            contents,
            orb,
        })
    }

    /// Whether it was a branch that was taken.
    pub fn branched(&self) -> bool {
        matches!(self.happened, Happened::Executed { branched: true, .. })
    }

    /// Whether the instruction's bytes begin with these.
    pub fn begins_with(&self, data: &[u8]) -> bool {
        let length = self.before.text.map_or(0, |text| usize::from(isa::length(text[0])));
        data.len() <= length && self.before.text.is_some_and(|text| text.starts_with(data))
    }

    /// What general register `n` has afterwards: all of it in the 64-bit mode, its right half otherwise.
    pub fn register(&self, n: usize) -> u64 {
        if self.after_wide { self.gr[n] } else { self.gr[n] & 0xffff_ffff }
    }

    /// What lies at `at` afterwards, if a trap looks at it and it can be read.
    pub fn contents(&self, at: u64, length: usize) -> Option<&[u8]> {
        let found = self.contents.iter().find(|(found, bytes)| *found == at && bytes.len() == length);
        found.map(|(_, bytes)| bytes.as_slice())
    }

    /// The mnemonic of the instruction.
    pub fn mnemonic(&self) -> &str {
        self.before.row.map_or("????", |row| row.mnemonic)
    }

    /// Whether the instruction is one that programs in the problem state may not execute, or not always.
    pub fn is_privileged(&self) -> bool {
        self.before.row.is_some_and(|row| row.outcome.exceptions().any(|why| why == isa::Exception::Privileged))
    }

    /// Whether the instruction is one of I/O.
    pub fn is_io(&self) -> bool {
        matches!(self.before.kind(), Some(Kind::InputOutput | Kind::StartSubchannel))
    }

    /// Whether the instruction is DIAGNOSE.
    pub fn is_diagnose(&self) -> bool {
        self.before.kind() == Some(Kind::Diagnose)
    }

    /// The first and last addresses that the instruction may have stored at.
    pub fn stores(&self) -> Vec<(u64, u64)> {
        if !matches!(self.happened, Happened::Executed { .. }) {
            return Vec::new();
        }
        let range = |operand: &Operand| Some((operand.address, operand.last()?));
        self.before.operands().iter().filter_map(range).collect()
    }

    /// The device of an I/O instruction or interruption.
    pub fn device(&self, configuration: &Configuration) -> Option<u16> {
        let id = self.subchannel()?;
        let css = configuration.css();
        css.devices().find(|(found, _)| *found == id).map(|(_, number)| number)
    }

    fn subchannel(&self) -> Option<SubsystemId> {
        match self.happened {
            Happened::Interrupted { io: Some((id, _)), .. } => SubsystemId::decode(id).ok(),
            _ => SubsystemId::decode(self.before.gr[1] as u32).ok(),
        }
    }

    /// The lines that show the event. `stops`: the virtual machine stops now.
    pub fn lines(&self, configuration: &Configuration, stops: bool) -> Vec<String> {
        let quote = |dat: bool| if dat { '\'' } else { ' ' };
        let from = format!("{}{}", address(self.address, self.before.wide), quote(self.before.dat));
        let to = format!("{}{}", address(self.after, self.after_wide), quote(self.after_dat));
        let mark = if stops { " -> " } else { "    " };
        let cc = format!("  CC {}", self.cc);
        let digits = self.before.text.map_or(String::new(), |text| {
            text[..usize::from(isa::length(text[0]))].iter().map(|b| format!("{b:02X}")).collect()
        });
        match &self.happened {
            Happened::Svc { .. } => vec![format!("{mark}{from} SVC   {digits:<8} -> {to} {cc}")],
            Happened::Executed { branched, .. } => {
                let operands = self.before.operands();
                let shown: Vec<String> =
                    operands.iter().map(|operand| address(operand.address, self.before.wide)).collect();
                let operands = match () {
                    () if *branched => format!(" -> {to}"),
                    () if shown.is_empty() => " ".to_string(),
                    () if operands.iter().any(|operand| operand.stored > 0) => format!(" >> {} ", shown.join("  ")),
                    () => format!("    {} ", shown.join("  ")),
                };
                let mut line = format!("{mark}{from} {:<5} {digits:<8}{operands} {cc}", self.mnemonic());
                if self.is_io()
                    && let (Some(id), Some(device)) = (self.subchannel(), self.device(configuration))
                {
                    line.push_str(&format!("    SCH {:04X}    DEV {device:04X}", id.number()));
                }
                let mut lines = vec![line];
                lines.extend(self.orb.iter().flat_map(Orb::lines));
                lines
            }
            Happened::Interrupted { class: "I/O", io, .. } => {
                let (id, parameter) = io.unwrap_or_default();
                let device = self.device(configuration).map_or("????".into(), |device| format!("{device:04X}"));
                vec![format!("{mark}{from}   I/O DEV {device} -> {to}   SCH {:04X}   PARM {parameter:08X}", id as u16)]
            }
            Happened::Interrupted { class, code, .. } => {
                let name = match *class {
                    "PROG" => program_name(*code as u16),
                    "EXT" => external_name(*code as u16),
                    _ => "",
                };
                vec![format!(" *** {from} {class:<4} {code:04X} -> {to}  {name}").trim_end().to_string()]
            }
        }
    }
}

impl Orb {
    /// Reads the operand of a START SUBCHANNEL and the channel program.
    fn fetch(before: &Before, state: &mut State) -> Option<Orb> {
        let at = before.operands().first()?.address;
        let mut operand = io::Orb::default();
        examine::read(state, Meaning::Logical, at, &mut operand.as_mut_bytes()[..io::Orb::BASE]).ok()?;
        let io::Orb { parameter, flags, program, .. } = operand;
        let mut orb = Orb { parameter: parameter.get(), flags: flags.get(), program: program.get(), ccws: Vec::new() };
        let mut next = orb.program;
        while orb.ccws.len() < CCWS {
            let mut ccw = [0; 8];
            if examine::read(state, Meaning::Absolute, next.into(), &mut ccw).is_err() {
                break;
            }
            orb.ccws.push((next, ccw));
            let Ccw { command, flags, address, .. } = Ccw::decode(operand.format(), ccw);
            match command & 15 {
                8 => next = address,
                _ if flags & 0xc0 != 0 => next += 8,
                _ => break,
            }
        }
        Some(orb)
    }

    fn lines(&self) -> Vec<String> {
        let key = self.flags >> 28;
        let controls = self.flags >> 16 & 0xff;
        let paths = self.flags >> 8 & 0xff;
        let mut lines = vec![format!(
            "          CPA {:08X}   PARM {:08X}    KEY {key:X}  FPI {controls:02X}  LPM {paths:02X}",
            self.program, self.parameter
        )];
        lines.extend(self.ccws.iter().map(|(at, ccw)| {
            let [left, right]: [U32; 2] = transmute!(*ccw);
            format!("          CCW    {at:08X}  {left:08X} {right:08X}")
        }));
        lines
    }
}

/// An address in the digits of the addressing mode.
fn address(value: u64, wide: bool) -> String {
    if wide { format!("{value:016X}") } else { format!("{value:08X}") }
}

/// The class of the interruption with its old PSW at `old`.
fn class_of(architecture: Architecture, old: u64) -> Option<&'static str> {
    let z = [
        (z::PROGRAM_OLD, "PROG"),
        (z::SVC_OLD, "SVC"),
        (z::EXTERNAL_OLD, "EXT"),
        (z::IO_OLD, "I/O"),
        (z::MACHINE_CHECK_OLD, "MCH"),
        (z::RESTART_OLD, "RST"),
    ];
    let esa = [
        (esa::PROGRAM_OLD, "PROG"),
        (esa::SVC_OLD, "SVC"),
        (esa::EXTERNAL_OLD, "EXT"),
        (esa::IO_OLD, "I/O"),
        (esa::MACHINE_CHECK_OLD, "MCH"),
        (esa::RESTART_OLD, "RST"),
    ];
    let table = if architecture == Architecture::Z { z } else { esa };
    table.iter().find(|(at, _)| *at == old).map(|(_, class)| *class)
}

fn program_name(code: u16) -> &'static str {
    match code & 0x7f {
        0 if code == 0x80 => "PER EVENT",
        0x01 => "OPERATION",
        0x02 => "PRIVILEGED OPERATION",
        0x03 => "EXECUTE",
        0x04 => "PROTECTION",
        0x05 => "ADDRESSING",
        0x06 => "SPECIFICATION",
        0x07 => "DATA",
        0x08 => "FIXED-POINT OVERFLOW",
        0x09 => "FIXED-POINT DIVIDE",
        0x0a => "DECIMAL OVERFLOW",
        0x0b => "DECIMAL DIVIDE",
        0x0c => "EXPONENT OVERFLOW",
        0x0d => "EXPONENT UNDERFLOW",
        0x0e => "SIGNIFICANCE",
        0x0f => "FLOATING-POINT DIVIDE",
        0x10 => "SEGMENT TRANSLATION",
        0x11 => "PAGE TRANSLATION",
        0x12 => "TRANSLATION SPECIFICATION",
        0x13 => "SPECIAL OPERATION",
        0x15 => "OPERAND",
        0x38 => "ASCE TYPE",
        0x39 => "REGION FIRST TRANSLATION",
        0x3a => "REGION SECOND TRANSLATION",
        0x3b => "REGION THIRD TRANSLATION",
        0x40 => "MONITOR EVENT",
        _ => "",
    }
}

fn external_name(code: u16) -> &'static str {
    match code {
        0x0040 => "INTERRUPT KEY",
        0x1004 => "CLOCK COMPARATOR",
        0x1005 => "CPU TIMER",
        0x1200 => "MALFUNCTION ALERT",
        0x1201 => "EMERGENCY SIGNAL",
        0x1202 => "EXTERNAL CALL",
        0x2401 => "SERVICE SIGNAL",
        0x4000 => "IUCV",
        _ => "",
    }
}
