//! `State`: everything one CPU holds, and what all of the crate asks of it. Its parts are in `state/`.

mod architecture;
pub(crate) mod control;
mod counters;
mod expanded;
mod guarded;
mod intercepted;
mod interpretation;
mod interruption;
mod operand;
mod shared;
mod stops;
mod timer;
#[allow(unsafe_code, reason = "an entry holds host addresses")]
pub(crate) mod tlb;
pub(crate) mod transaction;
mod watch;
mod wrapping;

pub use architecture::Architecture;
pub use control::{cr0, cr2, cr12, cr14};
pub use counters::{CYCLES_PER_MICROSECOND, CounterSet, Counters};
pub use expanded::Expanded;
pub use guarded::Guarded;
pub use intercepted::{Intercepted, IoInstruction};
pub use interpretation::{HostSpace, Interpretation};
pub use interruption::{Interruption, PerEvent};
pub use operand::{Access, At, Space};
pub use shared::{Facilities, Shared};
pub use stops::{Area, Stops, Touched};
pub use timer::CpuTimer;
pub use wrapping::{Wrapping, WrappingKeys};

use crate::dat::Place;
use crate::notices::Handshake;
use crate::signals::{Signals, attention};
use arch::{Absolute, Psw, Real, mask};
use base::Tod;
use std::ops::{Index, IndexMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use storage::{NotAvailable, Storage};
use tlb::{Asid, Tlb};
use transaction::Transaction;
use watch::Watch;

/// The 32 vector registers, each as two halves. Indexed it gives floating-point registers: the left halves of the first
/// sixteen (POP, chapter 21, "Registers").
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub struct VectorRegisters(pub [[u64; 2]; 32]);

impl VectorRegisters {
    /// The floating-point registers.
    pub fn floating(&self) -> [u64; 16] {
        std::array::from_fn(|n| self.0[n][0])
    }
}

impl Index<usize> for VectorRegisters {
    type Output = u64;
    #[inline(always)]
    fn index(&self, n: usize) -> &u64 {
        &self.0[n & 15][0]
    }
}

impl IndexMut<usize> for VectorRegisters {
    #[inline(always)]
    fn index_mut(&mut self, n: usize) -> &mut u64 {
        &mut self.0[n & 15][0]
    }
}

/// One CPU.
#[repr(C)]
pub struct State {
    // What the interpreter touches all the time comes first, within reach of the host's short displacements.
    /// Address of the block being executed; between blocks, of the next instruction.
    pub ia: u64,
    /// Where execution goes on after the block: set to its end on entry, changed by branches.
    pub next_ia: u64,
    /// The breaking-event address: that of the last branch that was taken.
    pub breaking_event: u64,
    /// How far the instruction that is being executed by EXECUTE stands from that; otherwise 0.
    pub executed: i64,
    /// Bits an address has in this addressing mode.
    pub address_mask: u64,
    pub(crate) data_asid: Asid,
    /// [`Tlb::window`] of it.
    pub(crate) data_window: u64,
    /// Condition code, 0-3. While translated code runs, a greater number may stand for how to work it out.
    pub cc: u8,
    /// PSW bits 20-23.
    pub program_mask: u8,
    /// Access key, 0-15.
    pub key: u8,
    /// An instruction stored into code: what follows in the block must be decoded anew.
    pub block_stale: bool,
    /// The next instruction fetch must be translated anew: a TLB purge, or another space or key.
    pub fetch_stale: bool,
    /// Attention bits that would interrupt now.
    pub open: u32,
    /// The same for each value of the system mask's bits for I/O and external interruptions.
    pub(crate) open_for: [u32; 4],
    /// Own reasons to look up between blocks; see [`local`].
    pub local: u32,
    /// How many instructions of the block were not executed when it was left.
    pub left: usize,
    /// Why the last instruction was left early, until the engine has seen to it.
    pub failed: Option<Interruption>,
    /// General registers.
    pub gr: [u64; 16],
    pub(crate) tlb: Tlb,
    pub(crate) fetch_asid: Asid,
    /// [`Tlb::window`] of it. With instruction-execution protection it is not that of the operands.
    pub(crate) fetch_window: u64,
    pub(crate) attention: Attention,
    /// Instructions executed.
    pub instructions: u64,
    /// Instructions the current slice may still execute before the engine looks at the clock.
    pub budget: i64,
    /// PSW bits 0-63 without condition code and program mask.
    pub(crate) psw_mask: u64,
    pub(crate) architecture: Architecture,
    /// Decoded blocks must not be used any more (architecture changed).
    pub blocks_stale: bool,
    /// Floating-point registers, which are the left halves of the first sixteen vector registers: [`State::vr`] has
    /// all.
    pub fpr: VectorRegisters,
    /// Floating-point-control register.
    pub fpc: u32,
    /// Access registers.
    pub ar: [u32; 16],
    /// Control registers. After a change call `control_changed`.
    pub cr: [u64; 16],
    /// Absolute address of the prefix area.
    pub prefix: u64,
    /// The clock comparator.
    pub clock_comparator: u64,
    /// The CPU timer.
    pub cpu_timer: CpuTimer,
    /// The TOD programmable register.
    pub tod_programmable: u32,
    /// This CPU's address.
    pub address: u16,
    /// Stopped, as opposed to operating (POP, chapter 4, "CPU states").
    pub stopped: bool,
    /// Filled when an instruction ends in `Interruption::Intercept`.
    pub intercepted: Option<Intercepted>,
    // What goes beside a program-interruption code.
    /// Of an access exception: the address and its space.
    pub translation_exception_id: u64,
    /// Of an access exception: the access register.
    pub exception_access_id: u8,
    /// The R1 and R2 fields of MOVE PAGE, if it is what a page is missing for.
    pub operand_access_id: u8,
    /// Where the old PSW of the last interruption went, for CP's TRACE, which sets it to 0 before it looks.
    pub interrupted: u64,
    /// Of a monitor event: its class.
    pub monitor_class: u8,
    /// Of a monitor event: its code.
    pub monitor_code: u64,
    /// Something has been stored into the range that PER storage alteration watches.
    pub per_stored: bool,
    /// A PER event that goes with the next program interruption, or makes one of its own.
    pub per_pending: Option<PerEvent>,
    /// The program has gone to another space, and no control asks for an event. It is one if a PER event goes with it,
    /// and this identifies it.
    pub space_left: Option<u32>,
    /// The CPU-measurement counters.
    pub counters: Counters,
    /// The transaction under way.
    pub transaction: Option<Box<Transaction>>,
    /// The next program interruption says that it aborted a transaction.
    pub transaction_aborted: bool,
    /// The guarded-storage registers.
    pub guarded: Guarded,
    /// The run-time-instrumentation controls, as LRIC loaded them.
    pub run_time_controls: [u64; 8],
    /// The CPU is a guest that is interpreted.
    pub interpretation: Option<Box<Interpretation>>,
    /// Room for an engine's own use while the CPU runs in it; it means nothing elsewhere.
    pub scratch: [u64; SCRATCH],
    /// Frames with stores that may be taken back.
    pub(crate) watch: Option<Box<Watch>>,
    /// Where a debugger wants it to stop.
    pub(crate) stops: Option<Arc<Stops>>,
    /// An access that a debugger watches for, until it has been told.
    pub touched: Option<Touched>,
    /// What the program wants to be told of pages that are away.
    pub(crate) handshake: Option<Handshake>,
    /// The ticket of the page for lack of which an instruction has ended in `Interruption::Host`.
    pub(crate) awaited: Option<u64>,
    /// The engine executes instructions, and can tell the program of a page that is away.
    pub in_engine: bool,
    /// What the host's clock shows while it is to stand still.
    pub(crate) held_clock: Option<Tod>,
    /// The facility list that STFL and STFLE store.
    pub reported: Facilities,
    pub(crate) shared: Arc<Shared>,
}

/// Words in `State::scratch`.
pub const SCRATCH: usize = 181;

/// Where host code finds what it needs, in bytes from the start of `State`, [`tlb::Entry`] or `Code`.
pub mod layout {
    use super::State;
    use super::tlb::{Entry, Tlb};
    use std::mem::offset_of;
    /// [`State::ia`].
    pub const IA: usize = offset_of!(State, ia);
    /// [`State::next_ia`].
    pub const NEXT_IA: usize = offset_of!(State, next_ia);
    /// [`State::breaking_event`].
    pub const BREAKING_EVENT: usize = offset_of!(State, breaking_event);
    /// [`State::cc`].
    pub const CC: usize = offset_of!(State, cc);
    /// [`State::program_mask`].
    pub const PROGRAM_MASK: usize = offset_of!(State, program_mask);
    /// [`State::open`].
    pub const OPEN: usize = offset_of!(State, open);
    /// What `OPEN` is for each of the values that the system mask's two bits for I/O and external interruptions can
    /// have.
    pub const OPEN_FOR: usize = offset_of!(State, open_for);
    /// PSW bits 0-63 without condition code and program mask.
    pub const PSW_MASK: usize = offset_of!(State, psw_mask);
    /// [`State::gr`].
    pub const GR: usize = offset_of!(State, gr);
    /// [`State::fpr`].
    pub const FPR: usize = offset_of!(State, fpr);
    /// [`State::ar`].
    pub const AR: usize = offset_of!(State, ar);
    /// [`State::cr`].
    pub const CR: usize = offset_of!(State, cr);
    /// [`State::budget`].
    pub const BUDGET: usize = offset_of!(State, budget);
    /// [`State::scratch`].
    pub const SCRATCH: usize = offset_of!(State, scratch);
    /// [`State::fpc`].
    pub const FPC: usize = offset_of!(State, fpc);
    /// A pointer to the attention bits.
    pub const ATTENTION: usize = offset_of!(State, attention);
    /// The number of the operands' space, which is the low 12 bits of its pages' tags.
    pub const DATA_SPACE: usize = offset_of!(State, data_asid);
    /// A pointer to the TLB's entries for the operands' space, which are 32 bytes long.
    pub const DATA_WINDOW: usize = offset_of!(State, data_window);
    /// The same for the space that instructions come from.
    pub const FETCH_WINDOW: usize = offset_of!(State, fetch_window);
    /// What selects the distance of a page's entry from there in an address that was shifted right by 7.
    pub const PLACES: u64 = Tlb::PLACES;
    /// How far after those is the entry for stores into page 0 after its first 512 bytes; page 1's comes next.
    pub const LOW: u64 = Tlb::LOW;
    /// Bytes of an entry of the TLB.
    pub const ENTRY_SIZE: u64 = size_of::<Entry>() as u64;
    /// The tag for fetches.
    pub const ENTRY_READ: usize = offset_of!(Entry, read);
    /// The tag for stores.
    pub const ENTRY_WRITE: usize = offset_of!(Entry, write);
    /// The host address of the frame minus the page's address.
    pub const ENTRY_HOST: usize = offset_of!(Entry, host);
    /// A pointer to what the storage keeps about code in the frame.
    pub const ENTRY_CODE: usize = offset_of!(Entry, code);
}

/// Where this CPU's attention bits are: in `shared`, which stays where it is as long as the CPU holds it.
pub(crate) struct Attention(*const AtomicU32);

// SAFETY: an atomic that all CPUs share.
#[allow(unsafe_code, reason = "the attention bits' own address, for translated code")]
unsafe impl Send for Attention {}

/// Bits of `State::local`.
pub mod local {
    /// The PSW has the wait bit on.
    pub const WAIT: u32 = 1;
    /// PER is on: one instruction at a time.
    pub const PER: u32 = 2;
    /// CP wants to see each instruction (TRACE).
    pub const STEP: u32 = 4;
    /// A transaction is under way.
    pub const TRANSACTION: u32 = 8;
    /// Branches or changes of the addressing mode are traced: one instruction at a time.
    pub const TRACE: u32 = 16;
    /// A debugger has stops.
    pub const STOPS: u32 = 32;
    /// Some of them are for storage: one instruction at a time, and no access by the TLB alone.
    pub const WATCH: u32 = 64;
    /// A debugger wants one instruction executed, and no interruption taken before it.
    pub const QUIET: u32 = 128;
    /// What does not follow from the PSW and control registers at once.
    pub(crate) const KEPT: u32 = STEP | TRANSACTION | TRACE | STOPS | WATCH | QUIET;
}

impl State {
    /// A CPU after clear reset: stopped, everything zero.
    pub fn new(address: u16, architecture: Architecture, shared: Arc<Shared>) -> State {
        let attention = Attention(shared.signals[address as usize].attention_word());
        let tlb = Tlb::new();
        let mut state = State {
            attention,
            gr: [0; 16],
            ia: 0,
            next_ia: 0,
            executed: 0,
            address_mask: 0x00ff_ffff,
            cc: 0,
            program_mask: 0,
            key: 0,
            block_stale: false,
            left: 0,
            failed: None,
            open: 0,
            open_for: [0; 4],
            local: 0,
            data_asid: Asid::NONE,
            data_window: tlb.window(Asid::NONE),
            scratch: [0; SCRATCH],
            fetch_asid: Asid::NONE,
            fetch_window: tlb.window(Asid::NONE),
            tlb,
            psw_mask: 0,
            architecture,
            blocks_stale: false,
            fetch_stale: true,
            fpr: VectorRegisters::default(),
            fpc: 0,
            ar: [0; 16],
            cr: [0; 16],
            prefix: 0,
            clock_comparator: 0,
            cpu_timer: CpuTimer::default(),
            tod_programmable: 0,
            breaking_event: 1,
            address,
            stopped: true,
            intercepted: None,
            translation_exception_id: 0,
            exception_access_id: 0,
            operand_access_id: 0,
            interrupted: 0,
            monitor_class: 0,
            monitor_code: 0,
            per_stored: false,
            per_pending: None,
            space_left: None,
            instructions: 0,
            budget: 0,
            counters: Counters::default(),
            transaction: None,
            transaction_aborted: false,
            guarded: Guarded::default(),
            run_time_controls: [0; 8],
            interpretation: None,
            watch: None,
            stops: None,
            touched: None,
            handshake: None,
            awaited: None,
            in_engine: false,
            held_clock: None,
            reported: shared.facilities.consistent(),
            shared,
        };
        state.initial_reset();
        state
    }

    /// CPU reset: pending conditions of this CPU go, the TLB too; registers stay (POP, chapter 4, "Resets").
    pub fn reset(&mut self) {
        self.signals().reset();
        self.intercepted = None;
        self.per_pending = None;
        self.forget_transaction();
        self.set_handshake(None);
        self.stopped = true;
        self.purge_tlb();
    }

    /// Initial CPU reset: CPU reset, and PSW, prefix, timers, FPC and control registers get their initial values.
    pub fn initial_reset(&mut self) {
        self.reset();
        self.prefix = 0;
        self.fpc = 0;
        self.clock_comparator = 0;
        self.cpu_timer = CpuTimer::default();
        self.tod_programmable = 0;
        self.breaking_event = 1;
        self.counters = Counters::default();
        self.guarded = Guarded::default();
        self.run_time_controls = [0; 8];
        self.cr = [0; 16];
        self.cr[0] = 0xe0;
        self.cr[14] = 0xc200_0000;
        self.set_psw(Psw::default());
        self.ia = 0;
        self.control_changed();
    }

    /// Clear reset, the part of a CPU: initial CPU reset, and all registers are zero.
    pub fn clear_reset(&mut self) {
        self.initial_reset();
        self.gr = [0; 16];
        self.ar = [0; 16];
        self.fpr = VectorRegisters::default();
    }

    /// What the CPUs of this configuration share.
    #[inline(always)]
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The configuration's storage.
    #[inline(always)]
    pub fn storage(&self) -> &Arc<Storage> {
        &self.shared.storage
    }

    /// This CPU's pending conditions.
    #[inline(always)]
    pub fn signals(&self) -> &Signals {
        &self.shared.signals[self.address as usize]
    }

    /// The facility list as programs see it: bit 2 says that z/Architecture is active.
    pub fn facilities(&self) -> Facilities {
        let mut list = self.reported;
        if self.architecture != Architecture::Z {
            list.0[0] &= !base::bits::bit64(2);
        }
        list
    }

    /// This CPU's attention bits: what [`Signals::attention`] says.
    #[inline(always)]
    #[allow(unsafe_code, reason = "as for `Attention`")]
    pub fn attention(&self) -> u32 {
        // SAFETY: the word lies in `shared.signals`, which never changes its place and lives as long as we hold it.
        unsafe { (*self.attention.0).load(Ordering::Relaxed) }
    }

    /// What stands for the space that instructions come from. A translation of an instruction address holds as long as
    /// this and [`State::forgotten`] of the address stay the same.
    #[inline(always)]
    pub fn fetch_space(&self) -> u64 {
        self.tlb.numbering() << 12 | self.fetch_asid.0
    }

    /// How often the page of `address`, or one with the same low byte of its number, was forgotten by itself.
    #[inline(always)]
    pub fn forgotten(&self, address: u64) -> u32 {
        self.tlb.forgotten(address)
    }

    /// The host's address of these counts, 32 bits each, by the low byte of the page number.
    pub fn forgotten_rows(&self) -> u64 {
        self.tlb.rows()
    }

    /// Changes whenever a translation may have been forgotten.
    pub fn translation_epoch(&self) -> u64 {
        self.tlb.epoch()
    }

    /// Whether a facility is installed.
    pub fn has(&self, facility: u32) -> bool {
        self.shared.facilities.has(facility)
    }

    /// The PSW as it would be stored now. The address is `ia`.
    pub fn psw(&self) -> Psw {
        Psw { mask: self.psw_word(), address: self.ia }
    }

    /// PSW bits 0-63, complete.
    #[inline(always)]
    pub fn psw_word(&self) -> u64 {
        self.psw_mask | (self.cc as u64) << 44 | (self.program_mask as u64) << 40
    }

    /// The mask part alone, without condition code and program mask.
    #[inline(always)]
    pub fn psw_mask(&self) -> u64 {
        self.psw_mask
    }

    /// Whether the PSW in place must end in an early specification exception (POP, chapter 6, "Early exception
    /// recognition"). ESA/390 knows no extended addressing.
    pub fn psw_is_invalid(&self) -> bool {
        let psw = self.psw();
        psw.is_invalid() || self.architecture != Architecture::Z && psw.is(mask::EXTENDED_ADDRESSING)
    }

    /// Loads a PSW. It is in place afterwards even if it is not valid, as an early exception needs it.
    pub fn set_psw(&mut self, psw: Psw) {
        self.cc = psw.cc();
        self.program_mask = (psw.mask >> 40 & 15) as u8;
        self.ia = psw.address;
        self.next_ia = psw.address;
        self.set_psw_mask(psw.mask);
    }

    /// Changes PSW bits 0-63 except condition code and program mask, and what follows from them.
    pub fn set_psw_mask(&mut self, new: u64) {
        let new = new & !(mask::CC | mask::PROGRAM);
        let changed = new ^ self.psw_mask;
        self.psw_mask = new;
        self.key = (new >> 52 & 15) as u8;
        if changed & (mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING) != 0 {
            self.address_mask = Psw { mask: new, address: 0 }.address_mask();
        }
        if changed & (mask::DAT | mask::SPACE | mask::KEY | mask::PER) != 0 {
            self.fetch_stale = true;
            self.space_changed();
        }
        if changed & mask::MACHINE_CHECK != 0 {
            self.masks_changed();
        } else {
            self.open = self.open_for[(new >> 56 & 3) as usize];
        }
        if changed & mask::PROBLEM != 0 && self.counters.watches_problem_state() {
            self.problem_state_changed();
        }
        if changed & (mask::WAIT | mask::PER) != 0 {
            self.local = self.local & local::KEPT
                | if new & mask::WAIT != 0 { local::WAIT } else { 0 }
                | if self.per_events() != 0 { local::PER } else { 0 };
        }
    }

    /// Changes the addressing mode: 24, 31 or 64 bits.
    pub fn set_addressing_mode(&mut self, bits: u32) {
        let rest = self.psw_mask & !(mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING);
        self.set_psw_mask(match bits {
            64 => rest | mask::EXTENDED_ADDRESSING | mask::BASIC_ADDRESSING,
            31 => rest | mask::BASIC_ADDRESSING,
            _ => rest,
        });
    }

    /// Whether the CPU is in the problem state.
    #[inline(always)]
    pub fn problem_state(&self) -> bool {
        self.psw_mask & mask::PROBLEM != 0
    }

    /// A privileged-operation exception in the problem state.
    #[inline(always)]
    pub fn supervisor_only(&self) -> Result<(), Interruption> {
        if self.problem_state() { Err(arch::Program::PrivilegedOperation.into()) } else { Ok(()) }
    }

    /// Whether the additional floating-point registers and binary floating point may be used.
    #[inline(always)]
    pub fn afp_enabled(&self) -> bool {
        self.cr[0] & cr0::AFP != 0
    }

    /// Whether vector instructions may be used: the vector-enablement control and the AFP-register control are on.
    #[inline(always)]
    pub fn vector_enabled(&self) -> bool {
        self.cr[0] & (cr0::AFP | cr0::VECTOR) == cr0::AFP | cr0::VECTOR
    }

    /// A vector register.
    #[inline(always)]
    pub fn vr(&self, r: u8) -> u128 {
        let [left, right] = self.fpr.0[(r & 31) as usize];
        u128::from(left) << 64 | u128::from(right)
    }

    /// Replaces a vector register.
    #[inline(always)]
    pub fn set_vr(&mut self, r: u8, v: u128) {
        self.fpr.0[(r & 31) as usize] = [(v >> 64) as u64, v as u64];
    }

    /// Prefixing: the absolute address of a real one (POP, chapter 3, "Prefixing").
    #[inline(always)]
    pub fn absolute(&self, real: Real) -> Absolute {
        let area = self.architecture.prefix_area();
        let block = real.0 & !(area - 1);
        if block == 0 {
            Absolute(real.0 | self.prefix)
        } else if block == self.prefix {
            Absolute(real.0 & (area - 1))
        } else {
            Absolute(real.0)
        }
    }

    /// The absolute address of what tables give.
    #[inline(always)]
    pub fn placed(&self, place: Place) -> Absolute {
        match place {
            Place::Real(real) => self.absolute(real),
            Place::Absolute(absolute) => absolute,
        }
    }

    /// Sets the prefix. Its area must lie in storage.
    pub fn set_prefix(&mut self, prefix: u64) -> Result<(), NotAvailable> {
        let area = self.architecture.prefix_area();
        let prefix = prefix & 0x7fff_ffff & !(area - 1);
        let last = Absolute(prefix + area - 1);
        self.storage().key(last).map(drop)?;
        self.prefix = prefix;
        self.purge_tlb();
        Ok(())
    }

    /// Drops all translations of this CPU, and the storage of the host that they lie in.
    pub fn rest(&mut self) {
        self.tlb.rest();
        // The spaces have new numbers, and the CPU remembers those of its own.
        self.purge_tlb();
    }

    /// Drops all translations of this CPU.
    pub fn purge_tlb(&mut self) {
        self.tlb.purge();
        self.fetch_stale = true;
        self.space_changed();
    }

    /// Drops all translations of this CPU and of all others of the configuration, and waits until the others have
    /// (they do so between two blocks). While waiting, this CPU answers the same request of others.
    pub fn purge_all(&mut self) {
        self.purge_tlb();
        self.purge_others();
    }

    /// Has all other CPUs of the configuration drop their translations, and waits for it.
    pub fn purge_others(&mut self) {
        if let Some(interpretation) = &mut self.interpretation {
            // Other CPUs of a guest run on other CPUs of the host, which sees to it before this one goes on.
            interpretation.purged = true;
            self.signals().raise(attention::LEAVE);
            return;
        }
        let shared = self.shared.clone();
        if shared.signals.len() == 1 {
            return;
        }
        let tickets: Vec<(usize, u64)> = (0..shared.signals.len())
            .filter(|&n| n != self.address as usize)
            .map(|n| (n, shared.signals[n].ask_purge()))
            .collect();
        for (n, ticket) in tickets {
            while !shared.signals[n].purged(ticket) {
                self.answer_purge();
                std::hint::spin_loop();
                std::thread::yield_now();
            }
        }
    }

    /// Waits until all other CPUs of the configuration have been between two instructions, or do not run. A CPU may
    /// have looked up the place of a store before: that store has been made then. And all see what this CPU has stored.
    /// While waiting, this CPU does what they ask for.
    pub fn meet_others(&mut self) {
        // A guest's stores are its host's.
        let host = self.interpretation.as_ref().map(|interpretation| interpretation.host.clone());
        let (shared, address) = host.unwrap_or_else(|| (self.shared.clone(), self.address));
        if shared.signals.len() == 1 {
            return;
        }
        let others = || (0..shared.signals.len()).filter(|&n| n != address as usize).map(|n| &shared.signals[n]);
        let tickets: Vec<u64> = others().map(Signals::ask_to_meet).collect();
        for (other, ticket) in others().zip(tickets) {
            let mut tries = 0;
            while !other.met(ticket) {
                match self.interpretation {
                    Some(_) => shared.signals[address as usize].meet(),
                    None => self.answer_purge(),
                }
                std::hint::spin_loop();
                tries += 1;
                // It is between two instructions within some hundred nanoseconds, unless the host has taken its
                // processor away.
                if tries > 1000 {
                    std::thread::yield_now();
                }
            }
        }
    }

    /// Does a purge that another CPU asked for, if one has, and tells that it is between two instructions if one wants
    /// that. Stays here while another CPU holds this one. That CPU may let it go and hold it again before this one has
    /// noticed: that is another purge.
    pub fn answer_purge(&mut self) {
        loop {
            if self.signals().attention() & attention::PURGE != 0 {
                let ticket = self.signals().purge_started();
                self.purge_tlb();
                self.signals().purge_finished(ticket);
            }
            self.signals().meet();
            if !self.shared.floating.is_held(self.address) {
                return;
            }
            std::hint::spin_loop();
            std::thread::yield_now();
        }
    }

    /// Drops what this CPU knows of translations of the page at `address` whatever the space (IPTE).
    pub fn purge_page(&mut self, address: u64) {
        self.tlb.purge_page(address);
        self.fetch_stale = true;
    }

    /// The guest's TOD clock now, as STORE CLOCK shows it.
    pub fn tod(&self) -> u64 {
        self.tod_at(self.host_now())
    }

    /// The guest's TOD clock at a time of the host's.
    pub(crate) fn tod_at(&self, now: Tod) -> u64 {
        now.0.wrapping_add(self.shared.tod_offset.load(Ordering::Relaxed))
    }

    /// Ends an instruction with an interception.
    pub fn intercept(&mut self, what: Intercepted) -> Result<(), Interruption> {
        self.intercepted = Some(what);
        Err(Interruption::Intercept)
    }
}
