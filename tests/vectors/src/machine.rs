//! A CPU and its storage for tests: set it up, run one instruction or a program, look at what changed.

use crate::registers::{Registers, SCRATCH};
use arch::lowcore::{esa, z};
use arch::{Absolute, Psw, mask};
use base::{Clock, Tod};
use cpu::{Architecture, Facilities, Floating, Intercepted, Shared, Signals, State, local};
use engine::{BlockCache, Exit};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use storage::Storage;

/// Time stands still in a test.
struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> Tod {
        Tod::UNIX_EPOCH
    }
}

/// What an instruction ended in besides its changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// It ended, and the next one would be executed.
    None,
    /// A program interruption; `ilc` is the instruction-length code, `dxc` that of a data exception.
    Program {
        /// The program-interruption code.
        code: u16,
        /// The instruction-length code, in halfwords.
        ilc: u8,
        /// The data-exception code.
        dxc: u8,
    },
    /// A supervisor-call interruption.
    Svc(u8),
    /// The instruction is one that the configuration or CP performs.
    Intercepted(String),
    /// Anything else the engine came back with, in words.
    Other(String),
}

/// Addresses of new PSWs, by which interruptions are told apart. They are never executed: these PSWs wait.
const AFTER_PROGRAM: u64 = 0xf00;
const AFTER_SVC: u64 = 0xf10;

/// One CPU with storage.
pub struct Machine {
    /// The CPU's registers and what else is its own.
    pub state: State,
    /// The storage of the machine.
    pub storage: Arc<Storage>,
    cache: BlockCache,
}

impl Machine {
    /// A CPU in `architecture` with `size` bytes of storage and all facilities that are built.
    pub fn new(architecture: Architecture, size: u64) -> Machine {
        engine::provide(jit::translator);
        let storage = Arc::new(Storage::new(size).expect("the host has storage for a test"));
        let shared = Shared {
            storage: storage.clone(),
            clock: Arc::new(Stopped),
            floating: Floating::default(),
            signals: Box::new([Signals::default()]),
            alone: true,
            expanded: cpu::Expanded::new(Some(Arc::new(Storage::new(1 << 20).expect("room for a megabyte")))),
            facilities: Facilities([u64::MAX; 4]),
            cpu_id: 0x0012_3456_2964_0000,
            tod_offset: AtomicU64::new(0),
            wrapping: cpu::Wrapping::default(),
        };
        let mut state = State::new(0, architecture, Arc::new(shared));
        state.stopped = false;
        Machine { state, storage, cache: BlockCache::default() }
    }

    /// A z/Architecture CPU with 1 MiB that is going to execute `text` at `address`, and translates what it has
    /// executed so often (0: nothing).
    pub fn executing(text: &[u8], address: u64, patience: u8) -> Machine {
        let mut machine = Machine::new(Architecture::Z, 1 << 20);
        machine.set_patience(patience);
        machine.prepare_interruptions();
        machine.storage.write(Absolute(address), text).expect("the text lies in storage");
        machine.state.set_psw(Psw { mask: machine.default_mask(), address });
        machine
    }

    /// Has hot code translated when it has been interpreted so often (0: never), whatever the process uses.
    pub fn set_patience(&mut self, executions: u8) {
        self.cache = BlockCache::with_patience(executions);
    }

    /// Decoded and translated code is kept here from now on.
    pub fn set_cache(&mut self, cache: BlockCache) {
        self.cache = cache;
    }

    /// It has been idle for long, and gives up what its engine keeps.
    pub fn rest(&mut self) {
        self.cache.rest(&self.state);
        self.state.rest();
    }

    /// Runs until the engine comes back, at most about `budget` instructions.
    pub fn resume(&mut self, budget: i64) -> Exit {
        self.state.budget = budget;
        engine::run(&mut self.state, &mut self.cache)
    }

    /// The PSW bits 0-63 a test starts with: supervisor state, the widest addressing mode.
    pub fn default_mask(&self) -> u64 {
        match self.state.architecture() {
            Architecture::S370 => 0,
            Architecture::Esa => mask::BASIC_ADDRESSING,
            Architecture::Z => mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING,
        }
    }

    /// Puts new PSWs in place that wait at addresses of their own.
    pub fn prepare_interruptions(&mut self) {
        let wait = |at| Psw { mask: mask::WAIT, address: at };
        let put = |at: u64, bytes: &[u8]| self.storage.write(Absolute(at), bytes).expect("low storage exists");
        for (zarch, esa, address) in
            [(z::PROGRAM_NEW, esa::PROGRAM_NEW, AFTER_PROGRAM), (z::SVC_NEW, esa::SVC_NEW, AFTER_SVC)]
        {
            if self.state.architecture() == Architecture::Z {
                let psw = wait(address);
                put(zarch, &psw.mask.to_be_bytes());
                put(zarch + 8, &psw.address.to_be_bytes());
            } else {
                put(esa, &wait(address).to_short().to_be_bytes());
            }
        }
    }

    /// Executes the instruction at the instruction address. After an interruption the PSW is the old one again.
    pub fn step(&mut self) -> Event {
        self.state.local |= local::STEP;
        self.state.budget = 1000;
        let exit = engine::run(&mut self.state, &mut self.cache);
        self.state.local &= !local::STEP;
        self.event(exit)
    }

    /// Runs until an interruption or at most `budget` instructions (a block is not left in its middle).
    pub fn run(&mut self, budget: i64) -> Event {
        self.state.budget = budget;
        let exit = engine::run(&mut self.state, &mut self.cache);
        self.event(exit)
    }

    fn event(&mut self, exit: Exit) -> Event {
        let ia = self.state.ia;
        let waits = self.state.psw_mask() & mask::WAIT != 0;
        match exit {
            Exit::Wait | Exit::Step if waits && ia == AFTER_PROGRAM => {
                let word = self.storage.read_u32(Absolute(z::PROGRAM_ILC)).expect("low storage exists");
                let dxc = self.storage.read_u32(Absolute(z::DATA_EXCEPTION_CODE)).expect("low storage exists");
                self.restore(z::PROGRAM_OLD, esa::PROGRAM_OLD);
                let code = word as u16;
                Event::Program {
                    code,
                    ilc: (word >> 17 & 3) as u8,
                    dxc: if matches!(code, 7 | 0x1b) { dxc as u8 } else { 0 },
                }
            }
            Exit::Wait | Exit::Step if waits && ia == AFTER_SVC => {
                let word = self.storage.read_u32(Absolute(z::SVC_ILC)).expect("low storage exists");
                self.restore(z::SVC_OLD, esa::SVC_OLD);
                Event::Svc(word as u8)
            }
            Exit::Step => Event::None,
            Exit::Instruction { what, .. } => Event::Intercepted(name(&what)),
            other => Event::Other(format!("{other:?}")),
        }
    }

    /// Loads an old PSW.
    fn restore(&mut self, zarch: u64, esa: u64) {
        let read = |at| self.storage.read_u64(Absolute(at)).expect("low storage exists");
        let psw = if self.state.architecture() == Architecture::Z {
            Psw::from_long(read(zarch), read(zarch + 8))
        } else {
            Psw::from_short(read(esa))
        };
        self.state.set_psw(psw);
    }

    /// Loads registers and scratch storage.
    pub fn load(&mut self, r: &Registers) {
        self.state.gr = r.gr;
        self.state.fpr = r.fpr;
        self.state.ar = r.ar;
        self.state.fpc = r.fpc;
        self.state.cc = r.cc;
        self.state.program_mask = r.program_mask;
        self.storage.write(Absolute(SCRATCH), &r.scratch).expect("the scratch storage exists");
    }

    /// What [`Machine::load`] loads, as it is now.
    pub fn registers(&self) -> Registers {
        let mut r = Registers {
            gr: self.state.gr,
            fpr: self.state.fpr,
            ar: self.state.ar,
            fpc: self.state.fpc,
            cc: self.state.cc,
            program_mask: self.state.program_mask,
            ..Registers::default()
        };
        self.storage.read(Absolute(SCRATCH), &mut r.scratch).expect("the scratch storage exists");
        r
    }
}

/// An interception in one word, as `intercept=` has it.
fn name(what: &Intercepted) -> String {
    let text = format!("{what:?}");
    let inner = text.strip_prefix("Io(").unwrap_or(&text);
    inner.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_string()
}
