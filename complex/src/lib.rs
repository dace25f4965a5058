//! A configuration: CPUs, storage, a channel subsystem and a clock, wired together as the Principles of Operation
//! define one.
//!
//! CP makes one for each virtual machine; tests run one bare. [`Configuration::run`] runs a virtual CPU on the calling
//! thread and performs everything architectural itself: I/O instructions, SIGP, SERVICE CALL, STSI, interruptions and
//! timers. What CP performs (DIAGNOSE, IUCV) or decides (a wait, a stop) comes back as an [`Exit`].
//!
//! Locks: a virtual CPU's state, then the channel subsystem or the service element; never the other way.

mod adapters;
pub mod checkpoint;
pub mod debug;
pub mod diagnose308;
mod hypervisor;
mod io;
mod ipl;
pub mod model;
mod paging;
mod random;
mod run;
mod saved;
mod sclp;
mod sie;
mod sigp;
mod stsi;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use ipl::{Image, IplError, IplSource, LoadError};
pub use run::Exit;
pub use saved::SavedCpu;
pub use stsi::{ControlProgram, Identity};

use base::{Clock, Held, Tod};
use cpu::{Architecture, Facilities, Floating, Shared, Signals, State, Wrapping, attention};
use css::{ChannelSubsystem, Notice, Pending};
use engine::BlockCache;
use sclp::ServiceElement;
use std::io::Result as IoResult;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use storage::Storage;

/// What a configuration wants of the program that runs it.
pub trait Host: Send + Sync {
    /// Virtual CPU `cpu` has something to do: run it soon. May be called with any lock held, so it must only take a
    /// note.
    fn runnable(&self, cpu: u16);
    /// The control program of this machine, for STSI 3.2.2; `None` for a bare machine.
    fn control_program(&self) -> Option<ControlProgram>;
    /// The guest wrote a line on the operator console of the service element.
    fn service_message(&self, line: &str);
    /// Whether this machine has an integrated ASCII console.
    fn has_ascii_console(&self) -> bool {
        false
    }
    /// The guest wrote these bytes to the integrated ASCII console.
    fn ascii_console(&self, _bytes: &[u8]) {}
    /// Random bytes for a guest that asks the processor for true ones.
    fn random(&self, bytes: &mut [u8]) {
        // If the host has no source of random numbers, the guest gets zeros.
        let _ = getrandom::fill(bytes);
    }
}

/// What a configuration is to be.
#[derive(Clone, Debug)]
pub struct Specification {
    /// Bytes of storage; rounded up to a megabyte.
    pub storage: u64,
    /// The end of the addresses at which pages can be attached to it, if that is higher.
    pub room: u64,
    /// Blocks of expanded storage, of 4 KiB each; rounded up to a megabyte.
    pub expanded: u64,
    /// CPUs defined at the start, with addresses from 0.
    pub cpus: u16,
    /// CPU addresses that can be defined later, 64 at most.
    pub max_cpus: u16,
    /// The architecture in which its CPUs begin.
    pub architecture: Architecture,
    /// What STSI and STORE CPU ID say of the machine.
    pub identity: Identity,
    /// The facilities that guests see.
    pub facilities: Facilities,
}

impl Default for Specification {
    fn default() -> Specification {
        Specification {
            storage: 256 << 20,
            room: 0,
            expanded: 0,
            cpus: 1,
            max_cpus: 1,
            architecture: Architecture::Esa,
            identity: Identity::default(),
            facilities: FACILITIES,
        }
    }
}

/// The facilities that are implemented: those of a z196 without configuration topology, and
/// some of later machines.
#[rustfmt::skip]
pub const FACILITIES: Facilities = Facilities::of(&[
    0, 1, 2, 3, 6, 7, 8, 9, 10, 16, 17, 18, 19, 21, 22, 24, 25, 26, 27, 28, 30, 31, 32, 33, 34, 35, 37, 40, 41, 45,
    // Decimal floating point, fast, with conversions of radix, of zoned and of packed numbers.
    42, 43, 44, 48, 80,
    // Many pages invalidated at once, nonquiescing key setting, DAT protection reset.
    13, 14, 194,
    // Access exceptions that tell fetches from stores, instruction-execution protection, side-effect accesses with
    // enhanced suppression on protection 2.
    75, 130, 131,
    // Hexadecimal floating point: multiply-and-add, unnormalized too.
    20, 23,
    // Guarded storage; counting of activity.
    133, 196,
    // Constrained and other transactions.
    50, 73,
    // Hints and load-and-trap; clearing of one CPU's TLB; interlocked access 2; load/store on condition 2; random
    // numbers; miscellaneous extensions 2 and 3; pages of two gigabytes and CRDTE.
    49, 51, 52, 53, 57, 58, 61, 78,
    // Reference bits of many frames; CPU counters; STHYI; more of cryptography; counters at once.
    66, 67, 74, 76, 77, 142, 145, 146, 155,
    // DEFLATE conversion; the breaking-event-address register.
    151, 193,
    // The vector facility, its enhancements 1 and 2, packed decimal numbers and their first enhancement.
    129, 135, 148, 134, 152,
]);

/// A virtual CPU and what it has decoded.
pub struct Core {
    /// The CPU's registers and what else is its own.
    pub state: State,
    pub(crate) cache: BlockCache,
    /// The guests that it runs for its program by START INTERPRETIVE EXECUTION.
    pub(crate) guests: sie::Guests,
    /// It has come out of the engine at this stop of a debugger.
    pub(crate) stop: Option<engine::Stop>,
}

impl Core {
    /// Has instructions with `code` as their first byte translated as if it were `other`. For tests only: a comparison
    /// of the engines must find the mistake.
    pub fn plant_mistake(&mut self, code: u8, other: u8) {
        self.cache = BlockCache::new().with_mistake(code, other);
    }

    /// Limits the code cache to so many bytes, so that it is soon full. For tests only.
    pub fn confine_code(&mut self, bytes: usize) {
        self.cache.confine(bytes);
    }
}

/// One CPU address of the configuration.
struct VirtualCpu {
    core: Mutex<Core>,
    /// Exists: DEFINE CPU has been done for it.
    defined: AtomicBool,
    /// As `State::stopped`, for others to see.
    stopped: AtomicBool,
    /// Inside `run`.
    running: AtomicBool,
    /// Nanoseconds spent running the guest.
    virtual_ns: AtomicU64,
    /// Nanoseconds spent for the guest in all.
    total_ns: AtomicU64,
}

/// A virtual machine's hardware.
pub struct Configuration {
    shared: Arc<Shared>,
    cpus: Vec<VirtualCpu>,
    css: Mutex<ChannelSubsystem>,
    pending: Arc<Pending>,
    service: Mutex<ServiceElement>,
    ipl: Mutex<ipl::IplParameters>,
    identity: Identity,
    debug: debug::Debug,
    host: Arc<dyn Host>,
}

impl Configuration {
    /// A configuration after clear reset: all CPUs stopped, no devices. Fails if the host has no room for its storage.
    pub fn new(spec: Specification, clock: Arc<dyn Clock>, host: Arc<dyn Host>) -> IoResult<Arc<Configuration>> {
        let storage = Arc::new(Storage::with_room(spec.storage.max(1).next_multiple_of(1 << 20), spec.room)?);
        let expanded = match spec.expanded {
            0 => None,
            blocks => Some(Arc::new(Storage::new((blocks * arch::PAGE).next_multiple_of(1 << 20))?)),
        };
        let count = spec.max_cpus.max(spec.cpus).clamp(1, 64);
        let shared = Arc::new(Shared {
            storage: storage.clone(),
            clock,
            floating: Floating::default(),
            signals: (0..count).map(|_| Signals::default()).collect(),
            alone: count == 1,
            expanded: cpu::Expanded::new(expanded),
            facilities: spec.facilities,
            cpu_id: spec.identity.cpu_id(),
            tod_offset: AtomicU64::new(0),
            wrapping: Wrapping::default(),
        });
        let cpus = (0..count)
            .map(|n| VirtualCpu {
                core: Mutex::new(Core {
                    state: State::new(n, spec.architecture, shared.clone()),
                    cache: BlockCache::new(),
                    guests: sie::Guests::default(),
                    stop: None,
                }),
                defined: AtomicBool::new(n < spec.cpus.max(1)),
                stopped: AtomicBool::new(true),
                running: AtomicBool::new(false),
                virtual_ns: AtomicU64::new(0),
                total_ns: AtomicU64::new(0),
            })
            .collect();
        let css = ChannelSubsystem::new(storage);
        let pending = css.pending().clone();
        let configuration = Arc::new(Configuration {
            shared,
            cpus,
            css: Mutex::new(css),
            pending: pending.clone(),
            service: Mutex::new(ServiceElement::default()),
            ipl: Mutex::new(ipl::IplParameters::default()),
            identity: spec.identity,
            debug: debug::Debug::default(),
            host,
        });
        configuration.replace_wrapping_keys();
        let weak = Arc::downgrade(&configuration);
        pending.listen(move |notice| {
            if let Some(configuration) = weak.upgrade() {
                configuration.notice(notice);
            }
        });
        Ok(configuration)
    }

    /// The channel subsystem has something for the CPUs. Called with the channel subsystem locked.
    fn notice(&self, notice: Notice) {
        match notice {
            Notice::Interruptions(subclasses) => {
                self.shared.floating.set_io_subclasses(subclasses);
                if subclasses != 0 {
                    self.raise_all(attention::IO);
                }
            }
            Notice::ChannelReport => {
                self.shared.floating.machine_check(run::CHANNEL_REPORT);
                self.raise_all(attention::MACHINE_CHECK);
            }
            Notice::Work => {
                // The CPU that looks first does the work; one that waits is made to look.
                self.raise_all(attention::LEAVE);
            }
        }
    }

    /// Sets attention bits of all CPUs, and has those that may be idle run.
    pub(crate) fn raise_all(&self, bits: u32) {
        for (n, cpu) in self.cpus.iter().enumerate() {
            if cpu.defined.load(SeqCst) {
                self.shared.signals[n].raise(bits);
                if !cpu.running.load(SeqCst) && !cpu.stopped.load(SeqCst) {
                    self.host.runnable(n as u16);
                }
            }
        }
    }

    /// The guest's absolute storage.
    pub fn storage(&self) -> &Arc<Storage> {
        &self.shared.storage
    }

    /// Gives the configuration these blocks of expanded storage in the place of those that it has.
    pub fn set_expanded(&self, blocks: Option<Arc<Storage>>) {
        self.shared.expanded.set(blocks);
    }

    /// Purges the TLBs of all CPUs: pages were attached to storage, or detached.
    pub fn purge(&self) {
        (0..self.max_cpus()).for_each(|cpu| self.interrupted_cpu(cpu).state.purge_tlb());
    }

    /// Gives up decoded blocks, translated code and TLBs of CPUs that have been idle. They are made again when needed.
    /// A CPU that is being run is left alone.
    pub fn rest(&self) {
        for cpu in &self.cpus {
            if let Ok(mut core) = cpu.core.try_lock() {
                let core = &mut *core;
                core.cache.rest(&core.state);
                core.state.rest();
            }
        }
    }

    /// What the CPUs have in common: the clock, pending interruptions, facilities.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The channel subsystem. Lock it without holding a virtual CPU unless you are its runner.
    pub fn css(&self) -> MutexGuard<'_, ChannelSubsystem> {
        self.css.lock().held()
    }

    /// Does pending work of the channel subsystem: devices that rang their bells, long channel programs.
    pub fn attend(&self) {
        if self.pending.work() {
            self.css().attend();
        }
    }

    /// How many CPU addresses there may be.
    pub fn max_cpus(&self) -> u16 {
        self.cpus.len() as u16
    }

    /// Addresses of the CPUs that are defined, in order.
    pub fn cpus(&self) -> impl Iterator<Item = u16> + '_ {
        (0..self.cpus.len()).filter(|&n| self.cpus[n].defined.load(SeqCst)).map(|n| n as u16)
    }

    /// Whether there is a CPU with this address.
    pub fn is_defined(&self, cpu: u16) -> bool {
        self.cpus.get(cpu as usize).is_some_and(|c| c.defined.load(SeqCst))
    }

    /// Adds (true) or removes a CPU address; the CPU is stopped. False if the address cannot exist.
    pub fn define_cpu(&self, cpu: u16, exists: bool) -> bool {
        let Some(virtual_cpu) = self.cpus.get(cpu as usize) else { return false };
        if !exists {
            self.stop(cpu);
        }
        virtual_cpu.defined.store(exists, SeqCst);
        true
    }

    /// A virtual CPU's state. Waits while it is being run; see [`Configuration::leave`].
    pub fn cpu(&self, cpu: u16) -> MutexGuard<'_, Core> {
        self.cpus[cpu as usize].core.lock().held()
    }

    /// A virtual CPU's state, brought out of `run` first if need be.
    pub fn interrupted_cpu(&self, cpu: u16) -> MutexGuard<'_, Core> {
        loop {
            match self.cpus[cpu as usize].core.try_lock() {
                Ok(core) => return core,
                Err(TryLockError::Poisoned(core)) => return core.into_inner(),
                Err(TryLockError::WouldBlock) => (),
            }
            self.leave(cpu);
            std::thread::yield_now();
        }
    }

    /// Has a virtual CPU that is being run come back soon, with [`Exit::Left`].
    pub fn leave(&self, cpu: u16) {
        self.shared.signals[cpu as usize].raise(attention::LEAVE);
    }

    /// The same, and one that waits is run for it.
    pub fn summon(&self, cpu: u16) {
        self.message(cpu, attention::LEAVE);
    }

    /// Whether the CPU is stopped.
    pub fn is_stopped(&self, cpu: u16) -> bool {
        self.cpus[cpu as usize].stopped.load(SeqCst)
    }

    /// Whether all CPUs are stopped.
    pub fn all_stopped(&self) -> bool {
        self.cpus().all(|n| self.is_stopped(n))
    }

    /// Stops a CPU (the operator's STOP): it is stopped when this returns.
    pub fn stop(&self, cpu: u16) {
        let mut core = self.interrupted_cpu(cpu);
        core.state.stopped = true;
        self.cpus[cpu as usize].stopped.store(true, SeqCst);
    }

    /// Starts a stopped CPU (the operator's START).
    pub fn start(&self, cpu: u16) {
        let mut core = self.interrupted_cpu(cpu);
        core.state.stopped = false;
        self.cpus[cpu as usize].stopped.store(false, SeqCst);
        drop(core);
        self.host.runnable(cpu);
    }

    /// Time spent running the guest on this virtual CPU, and time spent for it in all; microseconds.
    pub fn times(&self, cpu: u16) -> (u64, u64) {
        let cpu = &self.cpus[cpu as usize];
        let (virtual_ns, total_ns) = (cpu.virtual_ns.load(SeqCst), cpu.total_ns.load(SeqCst));
        (virtual_ns / 1000, (total_ns.max(virtual_ns)) / 1000)
    }

    /// Adds CP's own work for a virtual CPU to its total time.
    pub fn charge(&self, cpu: u16, microseconds: u64) {
        self.cpus[cpu as usize].total_ns.fetch_add(microseconds * 1000, SeqCst);
    }

    /// The time now, by the configuration's clock.
    pub fn now(&self) -> Tod {
        self.shared.clock.now()
    }

    /// Makes an external interruption pending for the configuration.
    pub fn external(&self, what: cpu::External) {
        let bit = self.shared.floating.external(what);
        self.raise_all(bit);
    }

    /// The page has come that has this ticket ([`cpu::Notice`]): the program that waits for it is told.
    pub fn page_came(&self, ticket: u64) {
        match self.shared.floating.page_came(ticket) {
            Some((bit, None)) => self.raise_all(bit),
            Some((bit, Some(cpu))) => self.message(cpu, bit),
            None => {}
        }
    }

    /// CP has an interruption for CPU `cpu`, of class `attention::IUCV` or `attention::VMCF`: `run` ends with
    /// [`Exit::Message`] when the CPU is enabled for it.
    pub fn message(&self, cpu: u16, class: u32) {
        self.shared.signals[cpu as usize].raise(class);
        let virtual_cpu = &self.cpus[cpu as usize];
        if !virtual_cpu.running.load(SeqCst) && !virtual_cpu.stopped.load(SeqCst) {
            self.host.runnable(cpu);
        }
    }

    /// Asks the guest to shut down (SIGNAL SHUTDOWN): a service-element event. False if the guest does not listen.
    pub fn signal_quiesce(&self) -> bool {
        let event = self.service.lock().held().quiesce();
        self.service_signal(event)
    }

    /// A line typed for the guest on the service element's operator console. False if the guest does not listen.
    pub fn service_command(&self, line: &str) -> bool {
        let event = self.service.lock().held().command(line);
        self.service_signal(event)
    }

    /// Bytes typed at the integrated ASCII console, 4096 at most. False if the guest has left so much unread that there
    /// is no room for them: nothing of them is kept.
    pub fn typed(&self, bytes: &[u8]) -> bool {
        let (room, waits) = {
            let mut service = self.service.lock().held();
            (service.typed(bytes), service.waits())
        };
        self.service_signal(room && waits);
        room
    }

    fn service_signal(&self, listening: bool) -> bool {
        if listening {
            self.external(cpu::External {
                code: arch::interruption::external::SERVICE_SIGNAL,
                subcode: 0,
                parameter: Some(sclp::EVENT_PENDING),
                parameter64: None,
            });
        }
        listening
    }
}
