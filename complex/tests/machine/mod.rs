//! A machine for tests, and an assembler for it: instructions are written as the disassembler shows them.
//!
//! Every new PSW is a disabled wait at an address of its own, so a program ends with the first interruption, and
//! [`Machine::run`] says which. The end of a program is an operation exception: `0000`.

#![allow(dead_code)]

use arch::lowcore::{esa, z};
use arch::{Absolute, Psw, mask};
use base::{Clock, Tod};
use complex::{Configuration, ControlProgram, Core, Exit, Host, Specification};
use cpu::{Architecture, Facilities, State};
pub(crate) use differential::assemble;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard};

/// Where programs stand unless a test says otherwise.
pub(crate) const PROGRAM: u64 = 0x4000;
/// Two pages for a program's data.
pub(crate) const DATA: u64 = 0x6000;
/// In a translation-exception identification: it was a fetch, or a store.
pub(crate) const FETCHED: u64 = 0x800;
pub(crate) const STORED: u64 = 0x400;
/// Modes of z/Architecture's 64-bit addressing.
pub(crate) const WIDE: u64 = mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING;
/// The clock's value at the start.
pub(crate) const NOON: u64 = 0xc000_0000_0000_0000;

/// A clock that goes on by a microsecond at each look.
pub(crate) struct Counting(pub AtomicU64);

impl Clock for Counting {
    fn now(&self) -> Tod {
        Tod(self.0.fetch_add(1 << 12, SeqCst))
    }
}

/// Keeps what the guest tells its host.
#[derive(Default)]
pub(crate) struct Listener {
    pub lines: Mutex<Vec<String>>,
    /// What the guest wrote to its integrated ASCII console, if it has one.
    pub screen: Option<Mutex<Vec<u8>>>,
    pub control_program: Option<ControlProgram>,
}

impl Host for Listener {
    fn runnable(&self, _cpu: u16) {}

    fn control_program(&self) -> Option<ControlProgram> {
        self.control_program.clone()
    }

    fn service_message(&self, line: &str) {
        self.lines.lock().expect("no test panics with it").push(line.to_string());
    }

    fn has_ascii_console(&self) -> bool {
        self.screen.is_some()
    }

    fn ascii_console(&self, bytes: &[u8]) {
        let screen = self.screen.as_ref().expect("a guest without such a console cannot write to it");
        screen.lock().expect("no test panics with it").extend(bytes);
    }
}

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// `0000` was reached.
    Done,
    /// A program interruption: its code, the instruction length in bytes, and the address in the old PSW.
    Program {
        code: u16,
        ilc: u8,
        ia: u64,
    },
    Svc(u8),
    External(u16),
    Io,
    Restart,
    MachineCheck,
    /// Anything else.
    Exit(Exit),
}

/// What the program interruption `code` with these details looks like.
pub(crate) fn program(code: u16, ilc: u8, ia: u64) -> Ending {
    Ending::Program { code, ilc, ia }
}

pub(crate) struct Machine {
    pub configuration: Arc<Configuration>,
    pub host: Arc<Listener>,
    pub clock: Arc<Counting>,
}

const CLASSES: [(u64, u64, u64, u64); 6] = [
    (z::PROGRAM_NEW, z::PROGRAM_OLD, esa::PROGRAM_NEW, esa::PROGRAM_OLD),
    (z::SVC_NEW, z::SVC_OLD, esa::SVC_NEW, esa::SVC_OLD),
    (z::EXTERNAL_NEW, z::EXTERNAL_OLD, esa::EXTERNAL_NEW, esa::EXTERNAL_OLD),
    (z::IO_NEW, z::IO_OLD, esa::IO_NEW, esa::IO_OLD),
    (z::RESTART_NEW, z::RESTART_OLD, esa::RESTART_NEW, esa::RESTART_OLD),
    (z::MACHINE_CHECK_NEW, z::MACHINE_CHECK_OLD, esa::MACHINE_CHECK_NEW, esa::MACHINE_CHECK_OLD),
];
/// The address of the first class's new PSW; the others follow at distances of 16.
const HANDLERS: u64 = 0xe00;

impl Machine {
    /// One z/Architecture CPU with 8 MiB.
    pub(crate) fn new() -> Machine {
        Machine::with(Architecture::Z, 1)
    }

    pub(crate) fn with(architecture: Architecture, cpus: u16) -> Machine {
        Machine::hosted(architecture, cpus, Listener::default())
    }

    pub(crate) fn hosted(architecture: Architecture, cpus: u16, host: Listener) -> Machine {
        Machine::equipped(architecture, cpus, complex::FACILITIES, host)
    }

    /// With other facilities than those that are claimed.
    pub(crate) fn equipped(architecture: Architecture, cpus: u16, facilities: Facilities, host: Listener) -> Machine {
        let specification = Specification {
            storage: 8 << 20,
            cpus,
            max_cpus: cpus,
            architecture,
            facilities,
            ..Specification::default()
        };
        let clock = Arc::new(Counting(AtomicU64::new(NOON)));
        let host = Arc::new(host);
        engine::provide(jit::translator);
        let configuration = Configuration::new(specification, clock.clone(), host.clone()).expect("room for 8 MiB");
        let machine = Machine { configuration, host, clock };
        for (n, (znew, _, esanew, _)) in CLASSES.into_iter().enumerate() {
            let wait = Psw { mask: mask::WAIT, address: HANDLERS + 16 * n as u64 };
            if architecture == Architecture::Z {
                machine.put(znew, &wait.mask.to_be_bytes());
                machine.put(znew + 8, &wait.address.to_be_bytes());
            } else {
                machine.put(esanew, &wait.to_short().to_be_bytes());
            }
        }
        machine
    }

    pub(crate) fn put(&self, at: u64, bytes: &[u8]) {
        self.configuration.storage().write(Absolute(at), bytes).expect("tests know the storage's size");
    }

    pub(crate) fn put32(&self, at: u64, v: u32) {
        self.put(at, &v.to_be_bytes());
    }

    pub(crate) fn put64(&self, at: u64, v: u64) {
        self.put(at, &v.to_be_bytes());
    }

    pub(crate) fn get(&self, at: u64, n: usize) -> Vec<u8> {
        let mut bytes = vec![0; n];
        self.configuration.storage().read(Absolute(at), &mut bytes).expect("tests know the storage's size");
        bytes
    }

    pub(crate) fn get16(&self, at: u64) -> u16 {
        self.configuration.storage().read_u16(Absolute(at)).expect("tests know the storage's size")
    }

    pub(crate) fn get32(&self, at: u64) -> u32 {
        self.configuration.storage().read_u32(Absolute(at)).expect("tests know the storage's size")
    }

    pub(crate) fn get64(&self, at: u64) -> u64 {
        self.configuration.storage().read_u64(Absolute(at)).expect("tests know the storage's size")
    }

    pub(crate) fn key(&self, at: u64) -> u8 {
        self.configuration.storage().key(Absolute(at)).expect("tests know the storage's size")
    }

    pub(crate) fn set_key(&self, at: u64, key: u8) {
        self.configuration.storage().set_key(Absolute(at), key).expect("tests know the storage's size");
    }

    /// CPU `n`.
    pub(crate) fn cpu(&self, n: u16) -> MutexGuard<'_, Core> {
        self.configuration.cpu(n)
    }

    /// Changes CPU 0; control registers may be changed.
    pub(crate) fn set(&self, change: impl FnOnce(&mut State)) {
        let mut core = self.cpu(0);
        change(&mut core.state);
        core.state.control_changed();
        core.state.purge_tlb();
    }

    pub(crate) fn gr(&self, r: usize) -> u64 {
        self.cpu(0).state.gr[r]
    }

    pub(crate) fn cc(&self) -> u8 {
        // The condition code at the end is in the old PSW.
        match self.cpu(0).state.architecture() {
            Architecture::Z => Psw::from_long(self.get64(z::PROGRAM_OLD), 0).cc(),
            _ => Psw::from_short(self.get64(esa::PROGRAM_OLD)).cc(),
        }
    }

    /// The program old PSW.
    pub(crate) fn old(&self) -> Psw {
        self.old_psw(0)
    }

    fn old_psw(&self, class: usize) -> Psw {
        let (_, old, _, short) = CLASSES[class];
        match self.cpu(0).state.architecture() {
            Architecture::Z => Psw::from_long(self.get64(old), self.get64(old + 8)),
            _ => Psw::from_short(self.get64(short)),
        }
    }

    /// The old PSW of an external interruption.
    pub(crate) fn external_old(&self) -> Psw {
        self.old_psw(2)
    }

    /// Assembles `source` to `at`, followed by the end of a program.
    pub(crate) fn text(&self, at: u64, source: &str) {
        let text = assemble(source);
        self.put(at, &text);
        self.put(at + text.len() as u64, &[0, 0]);
    }

    /// Runs the program at `PROGRAM` in the supervisor state with 64-bit addressing.
    pub(crate) fn execute(&self, source: &str) -> Ending {
        self.text(PROGRAM, source);
        self.go(WIDE, PROGRAM)
    }

    /// Runs CPU 0 from a PSW.
    pub(crate) fn go(&self, mask: u64, address: u64) -> Ending {
        self.begin(0, mask, address);
        self.run(0)
    }

    /// A PSW for CPU `n`, which is started.
    pub(crate) fn begin(&self, n: u16, mask: u64, address: u64) {
        self.cpu(n).state.set_psw(Psw { mask, address });
        self.configuration.start(n);
    }

    /// Runs CPU `n` until it ends.
    pub(crate) fn run(&self, n: u16) -> Ending {
        for _ in 0..1000 {
            match self.configuration.run(n, 1000) {
                Exit::SliceEnd | Exit::Left => {}
                exit => return self.ending(exit),
            }
        }
        panic!("CPU {n} does not come to an end: {:X?}", self.cpu(n).state.psw());
    }

    fn ending(&self, exit: Exit) -> Ending {
        let Exit::DisabledWait(psw) = exit else { return Ending::Exit(exit) };
        let word = self.get32(z::PROGRAM_ILC);
        let (code, ilc) = (word as u16, (word >> 16) as u8);
        match psw.address.wrapping_sub(HANDLERS) {
            0 if code == 1 && ilc == 2 => Ending::Done,
            0 => Ending::Program { code, ilc, ia: self.old().address },
            0x10 => Ending::Svc(self.get32(z::SVC_ILC) as u8),
            0x20 => Ending::External(self.get16(z::EXTERNAL_CODE)),
            0x30 => Ending::Io,
            0x40 => Ending::Restart,
            0x50 => Ending::MachineCheck,
            _ => Ending::Exit(exit),
        }
    }
}

/// Translation tables in storage from 4 MiB on.
pub(crate) struct Tables<'a> {
    machine: &'a Machine,
    next: u64,
}

/// Levels of tables, as designation types.
pub(crate) const SEGMENT: u64 = 0;
pub(crate) const REGION3: u64 = 1;
pub(crate) const REGION2: u64 = 2;
pub(crate) const REGION1: u64 = 3;

impl<'a> Tables<'a> {
    pub(crate) fn new(machine: &'a Machine) -> Tables<'a> {
        Tables { machine, next: 4 << 20 }
    }

    /// More tables, from 6 MiB on.
    pub(crate) fn further(machine: &'a Machine) -> Tables<'a> {
        Tables { machine, next: 6 << 20 }
    }

    fn allocate(&mut self, entries: u64, entry: u64) -> u64 {
        let at = self.next;
        self.next += (8 * entries).next_multiple_of(4096);
        for n in 0..entries {
            self.machine.put64(at + 8 * n, entry);
        }
        at
    }

    /// A new space with a highest table of `level`; all of its entries are invalid.
    pub(crate) fn space(&mut self, level: u64) -> u64 {
        self.allocate(2048, 0x20 | level << 2) | level << 2 | 3
    }

    /// The address of the entry for `va` in the table of `level`; tables above it are made as needed.
    pub(crate) fn entry(&mut self, asce: u64, va: u64, level: u64) -> u64 {
        let mut origin = asce & !0xfff;
        for above in (0..=asce >> 2 & 3).rev() {
            let at = origin + (va >> (20 + 11 * above) & 0x7ff) * 8;
            if above == level {
                return at;
            }
            if self.machine.get64(at) & 0x20 != 0 {
                let below = above - 1;
                let table = self.allocate(2048, 0x20 | below << 2);
                self.machine.put64(at, table | above << 2 | 3);
            }
            origin = self.machine.get64(at) & !0xfff;
        }
        unreachable!("the space has no table of level {level}")
    }

    /// The address of the page-table entry for `va`.
    pub(crate) fn page(&mut self, asce: u64, va: u64) -> u64 {
        let at = self.entry(asce, va, SEGMENT);
        if self.machine.get64(at) & 0x20 != 0 {
            let table = self.allocate(256, 0x400);
            self.machine.put64(at, table);
        }
        (self.machine.get64(at) & !0x7ff) + (va >> 12 & 0xff) * 8
    }

    /// Maps the page of `va` to a frame, with protection if 200 is added.
    pub(crate) fn map(&mut self, asce: u64, va: u64, frame: u64) {
        let at = self.page(asce, va);
        self.machine.put64(at, frame);
    }

    /// Maps the first 64 KiB to themselves, where programs and the prefix area are.
    pub(crate) fn map_low(&mut self, asce: u64) {
        for page in 0..16 {
            self.map(asce, page << 12, page << 12);
        }
    }
}
