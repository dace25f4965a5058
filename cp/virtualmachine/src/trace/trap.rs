//! A trap: which events it is for, and what is done with them.

use super::event::{Event, Happened};
use complex::Configuration;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::num::NonZeroU64;

/// Which events a trap is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Every instruction.
    Instruction,
    /// Instructions that branch.
    Branch,
    /// Instructions that store.
    Store,
    /// Instructions that change a general register, one or any.
    Register(Option<usize>),
    /// Instructions that alter bits in storage.
    Mask(Bits),
    /// Instructions of this mnemonic.
    Mnemonic(String),
    /// Program interruptions, of one code or all.
    Program(Option<u16>),
    /// SUPERVISOR CALL, of one code or all.
    Svc(Option<u8>),
    /// External interruptions, of one code or all.
    External(Option<u16>),
    /// I/O instructions and interruptions, of one device or all.
    Io(Option<u16>),
    /// Machine-check interruptions.
    MachineCheck,
    /// Everything.
    All,
    /// Every instruction, which is counted and not shown.
    Count,
}

/// Bits in storage, and what they were last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bits {
    /// The address of the first byte.
    pub at: u64,
    /// The bits that are looked at are on.
    pub mask: Vec<u8>,
    /// `None`: it could not be read yet.
    pub last: Option<Vec<u8>>,
}

/// What a trap of the kind `Count` has counted.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Instructions executed.
    pub instructions: u64,
    /// Of these, those that only the supervisor state allows.
    pub privileged: u64,
    /// DIAGNOSE instructions.
    pub diagnoses: u64,
    /// SUPERVISOR CALL instructions.
    pub supervisor_calls: u64,
    /// Interruptions taken.
    pub interruptions: u64,
    /// Instructions are counted by areas of so many bytes, too.
    pub by: Option<NonZeroU64>,
    /// How many of each area, by its number.
    pub areas: BTreeMap<u64, u64>,
}

impl Counts {
    /// Counts an event.
    pub fn add(&mut self, event: &Event) {
        let before = self.instructions;
        self.add_kind(event);
        if let Some(by) = self.by.filter(|_| self.instructions > before) {
            *self.areas.entry(event.address / by).or_default() += 1;
        }
    }

    fn add_kind(&mut self, event: &Event) {
        match event.happened {
            Happened::Executed { .. } => {
                self.instructions += 1;
                self.privileged += u64::from(event.is_privileged());
                self.diagnoses += u64::from(event.is_diagnose());
            }
            Happened::Svc { .. } => {
                self.instructions += 1;
                self.supervisor_calls += 1;
            }
            Happened::Interrupted { executed, .. } => {
                self.instructions += u64::from(executed);
                self.interruptions += 1;
            }
        }
    }

    /// What TRACE END shows.
    pub fn lines(&self, pages: storage::References) -> Vec<String> {
        let Counts { instructions, privileged, diagnoses, supervisor_calls, interruptions, by, areas } = self;
        let mut lines = vec![
            format!("INSTRUCTIONS={instructions:010} PRIVILEGED={privileged:06} DIAGNOSE={diagnoses:06}"),
            format!("SVC={supervisor_calls:06} INTERRUPTIONS={interruptions:06}"),
            format!("PAGES: NONSHARED={:06} SHARED={:06}", pages.own, pages.shared),
        ];
        // Where most are comes first.
        let mut areas: Vec<(u64, u64)> = areas.iter().map(|(&area, &count)| (area, count)).collect();
        areas.sort_by_key(|&(area, count)| (Reverse(count), area));
        let by = by.map_or(0, NonZeroU64::get);
        lines.extend(areas.iter().map(|(area, count)| format!("{:016X} INSTRUCTIONS={count:010}", area * by)));
        lines
    }
}

/// A range of addresses, both ends included.
pub type Window = (u64, u64);

/// Where the lines go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Output {
    /// Lines go to the terminal.
    pub terminal: bool,
    /// Lines go to the first virtual printer.
    pub printer: bool,
}

/// One trap of TRACE.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trap {
    /// A number, or the name that NAME gave.
    pub id: String,
    /// What it looks for.
    pub kind: Kind,
    /// RANGE or PSWA: where the instruction lies, in one of these. None: anywhere.
    pub ranges: Vec<Window>,
    /// INTO: where it branches or stores to.
    pub into: Option<Window>,
    /// FROM: where it comes from.
    pub from: Option<Window>,
    /// DATA: what the instruction begins with, is stored at the beginning of INTO, or is put into a register.
    pub data: Option<Vec<u8>>,
    /// Where its lines go.
    pub output: Output,
    /// The virtual machine goes on after an event.
    pub run: bool,
    /// So many events are let pass before the first that is shown.
    pub pass: u32,
    /// So many events are left out between two that are shown.
    pub skip: u32,
    /// The virtual machine stops after so many events that are shown, each time.
    pub step: u32,
    /// The virtual machine stops when so many have been shown, even with RUN.
    pub stop: u32,
    /// Commands to be performed at each event.
    pub commands: Vec<String>,
    /// Events met, and events shown.
    pub met: u32,
    /// Events shown.
    pub shown: u32,
    /// What it has counted, if it is of the kind `Count`.
    pub counts: Counts,
}

impl Trap {
    /// A trap with this name for events of this kind, wherever they are; its lines go to the terminal.
    pub fn new(id: String, kind: Kind) -> Trap {
        Trap {
            id,
            kind,
            ranges: Vec::new(),
            into: None,
            from: None,
            data: None,
            output: Output { terminal: true, printer: false },
            run: false,
            pass: 0,
            skip: 0,
            step: 0,
            stop: 0,
            commands: Vec::new(),
            met: 0,
            shown: 0,
            counts: Counts::default(),
        }
    }

    /// Storage that the trap looks at after each step: an address and a length.
    pub fn watches(&self) -> Option<(u64, usize)> {
        match (&self.kind, self.into, &self.data) {
            (Kind::Mask(bits), ..) => Some((bits.at, bits.mask.len())),
            (Kind::Store, Some((first, _)), Some(data)) => Some((first, data.len())),
            _ => None,
        }
    }

    /// Whether the bits of a trap of the kind `Mask` are others since the step before, and of any other kind true.
    pub fn alters(&mut self, event: &Event) -> bool {
        let Kind::Mask(bits) = &mut self.kind else { return true };
        let now = event.contents(bits.at, bits.mask.len()).map(<[u8]>::to_vec);
        let before = std::mem::replace(&mut bits.last, now);
        match (&before, &bits.last) {
            (Some(before), Some(now)) => {
                before.iter().zip(now).zip(&bits.mask).any(|((before, now), mask)| (before ^ now) & mask != 0)
            }
            _ => false,
        }
    }

    /// Whether the event has the value that DATA asks for.
    fn has_data(&self, event: &Event) -> bool {
        let Some(data) = &self.data else { return true };
        let number = || data.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
        match (&self.kind, self.watches()) {
            (Kind::Register(Some(n)), _) => event.register(*n) == number(),
            (Kind::Register(None), _) => {
                let Happened::Executed { changed, .. } = event.happened else { return false };
                (0..16).any(|n| changed >> n & 1 != 0 && event.register(n) == number())
            }
            (Kind::Store, Some((at, length))) => event.contents(at, length) == Some(data.as_slice()),
            _ => event.begins_with(data),
        }
    }

    /// Whether the trap is for this event.
    pub fn wants(&self, event: &Event, configuration: &Configuration) -> bool {
        let inside = |window: Option<Window>, at: u64| window.is_none_or(|(first, last)| (first..=last).contains(&at));
        let kind = match (&self.kind, &event.happened) {
            (Kind::All, _) => true,
            (Kind::Instruction, Happened::Executed { .. }) => true,
            (Kind::Instruction, Happened::Interrupted { executed, .. }) => *executed,
            (Kind::Branch, Happened::Executed { branched, .. }) => *branched,
            (Kind::Store, Happened::Executed { .. }) => !event.stores().is_empty(),
            (Kind::Register(None), Happened::Executed { changed, .. }) => *changed != 0,
            (Kind::Register(Some(n)), Happened::Executed { changed, .. }) => changed >> n & 1 != 0,
            (Kind::Mask(_), Happened::Executed { .. }) => true,
            (Kind::Mnemonic(name), Happened::Executed { .. } | Happened::Svc { .. }) => event.mnemonic() == name,
            (Kind::Svc(code), Happened::Svc { code: found }) => code.is_none_or(|code| code == *found),
            (Kind::Instruction | Kind::Branch, Happened::Svc { .. }) => self.kind == Kind::Instruction,
            (Kind::Program(code), Happened::Interrupted { class: "PROG", code: found, .. }) => {
                code.is_none_or(|code| u32::from(code) == *found & 0xffff)
            }
            (Kind::External(code), Happened::Interrupted { class: "EXT", code: found, .. }) => {
                code.is_none_or(|code| u32::from(code) == *found & 0xffff)
            }
            (Kind::MachineCheck, Happened::Interrupted { class: "MCH", .. }) => true,
            (Kind::Io(device), Happened::Interrupted { class: "I/O", .. }) => {
                device.is_none_or(|device| event.device(configuration) == Some(device))
            }
            (Kind::Io(device), Happened::Executed { .. }) => {
                event.is_io() && device.is_none_or(|device| event.device(configuration) == Some(device))
            }
            _ => false,
        };
        let into = self.into.is_none_or(|(first, last)| {
            let stores = event.stores();
            let after = [(event.after, event.after)];
            let targets = if event.branched() || stores.is_empty() { &after[..] } else { &stores };
            targets.iter().any(|&(from, to)| first <= to && from <= last)
        });
        let range = self.ranges.is_empty() || self.ranges.iter().any(|&range| inside(Some(range), event.address));
        kind && range && inside(self.from, event.address) && into && self.has_data(event)
    }

    /// Counts an event. Whether it is shown.
    pub fn count(&mut self) -> bool {
        self.met += 1;
        if self.met <= self.pass || !(self.met - self.pass - 1).is_multiple_of(self.skip + 1) {
            return false;
        }
        self.shown += 1;
        true
    }

    /// Whether the virtual machine stops after the event that has been counted.
    pub fn stops(&self) -> bool {
        let step = match self.step {
            0 => !self.run && self.stop == 0,
            step => self.shown.is_multiple_of(step),
        };
        step || self.stop != 0 && self.shown == self.stop
    }

    /// The lines of QUERY TRACE.
    pub fn lines(&self) -> Vec<String> {
        let kind = match &self.kind {
            Kind::Instruction => "INSTR".into(),
            Kind::Branch => "BRANCH".into(),
            Kind::Store => "STORE".into(),
            Kind::Register(n) => n.map_or("G".into(), |n| format!("G{n}")),
            Kind::Mask(Bits { at, mask, .. }) => format!("MASK {at:08X} {}", hexadecimal(mask)),
            Kind::Mnemonic(name) => format!("MNE {name}"),
            Kind::Program(code) => code.map_or("PROG".into(), |code| format!("PROG {code:04X}")),
            Kind::Svc(code) => code.map_or("SVC".into(), |code| format!("SVC {code:02X}")),
            Kind::External(code) => code.map_or("EXT".into(), |code| format!("EXT {code:04X}")),
            Kind::Io(device) => device.map_or("I/O".into(), |device| format!("I/O {device:04X}")),
            Kind::MachineCheck => "MC".into(),
            Kind::All => "ALL".into(),
            Kind::Count => "COUNT".to_string(),
        };
        let window = |name: &str, (first, last): Window| match last {
            u64::MAX => format!("{name}  {first:08X}-END"),
            last => format!("{name}  {first:08X}-{last:08X}"),
        };
        let mut windows: Vec<String> = Vec::new();
        windows.extend(self.ranges.iter().map(|&range| window("PSWA", range)));
        windows.extend(self.into.map(|range| window("INTO", range)));
        windows.extend(self.from.map(|range| window("FROM", range)));
        if windows.is_empty() {
            windows.push(window("PSWA", (0, u64::MAX)));
        }
        windows.extend(self.data.as_ref().map(|data| format!("DATA  {}", hexadecimal(data))));
        let yes = |on: bool, name: &'static str, no: &'static str| if on { name } else { no };
        vec![
            format!(" {:<4} {kind:<7} {}", self.id, windows.join("  ")),
            format!(
                "      {:<7} {:<8} {:<6} SIM",
                yes(self.output.terminal, "TERM", "NOTERM"),
                yes(self.output.printer, "PRINT", "NOPRINT"),
                yes(self.run, "RUN", "NORUN")
            ),
            format!("      SKIP {:05}  PASS {:05}  STOP {:05}  STEP {:05}", self.skip, self.pass, self.stop, self.step),
            format!("      CMD  {}", if self.commands.is_empty() { "NONE".into() } else { self.commands.join(";") }),
        ]
    }
}

/// Bytes in hexadecimal digits.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
