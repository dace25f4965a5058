//! A virtual machine's hardware: a configuration, and CP's devices in it.
//!
//! Made at LOGON from the directory, and anew by DEFINE STORAGE. Here devices are attached. The crate `consoles` has
//! those that are shown at terminals, `unitrecord` the readers, punches and printers over the spool.

use crate::ctca::VirtualCtca;
use crate::nic::Nic;
use crate::peripheral::Peripheral;
use base::{Held, Tod};
use complex::{Configuration, ControlProgram, Host, Specification};
use consoles::device::{Paper, VirtualConsole};
use consoles::graf::{Graf, VirtualGraf};
use cpu::Architecture;
use devices::ConsoleInput;
use directory::User;
use realstorage::frames::Frames;
use realstorage::pager::{Pages, Paging};
use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use unitrecord::SharedUnit;

/// What STSI 3.2.2 calls the control program. Guests look for the first four characters only.
const IDENTIFICATION: &str = concat!("z/VM    ", env!("CARGO_PKG_VERSION"));

/// The hardware of one virtual machine.
pub struct Machine {
    /// CPUs, storage and channel subsystem.
    pub configuration: Arc<Configuration>,
    /// The keyboard of the virtual console.
    pub keyboard: ConsoleInput,
    /// Its pages, if CP takes some away.
    pub pages: Option<Pages>,
    /// Virtual CPUs that wait until an instruction has ended, which uses a disk with SET TIMING ON.
    deferred: Mutex<HashMap<u16, Deferral>>,
    /// What happens when, unless the program sets its watchdog anew (DIAGNOSE X'288').
    watchdog: Mutex<Option<Watchdog>>,
    /// As many starts of I/O have been counted for processors.
    counted: AtomicU64,
}

/// A virtual machine's watchdog.
pub struct Watchdog {
    /// When it performs its commands.
    pub due: Tod,
    /// The CP commands, separated by X'15'.
    pub commands: Vec<u8>,
}

/// CP's side of the configuration.
struct Control {
    userid: String,
    listener: Arc<dyn Listener>,
    paper: Paper,
}

impl Host for Control {
    fn runnable(&self, cpu: u16) {
        self.listener.runnable(cpu);
    }

    fn control_program(&self) -> Option<ControlProgram> {
        Some(ControlProgram { machine: self.userid.clone(), identification: IDENTIFICATION.into() })
    }

    fn service_message(&self, line: &str) {
        self.paper.line(line);
    }

    fn has_ascii_console(&self) -> bool {
        self.paper.has_ascii()
    }

    fn ascii_console(&self, bytes: &[u8]) {
        self.paper.ascii(bytes);
    }
}

/// What a virtual machine's hardware tells the processors.
pub trait Listener: Send + Sync {
    /// A virtual CPU has something to do.
    fn runnable(&self, cpu: u16);
    /// The virtual machine is not to run: every virtual CPU that does comes back soon.
    fn hold(&self);
}

/// What a machine is made with.
#[derive(Clone)]
pub struct Surroundings {
    /// Hears what the hardware tells the processors.
    pub listener: Arc<dyn Listener>,
    /// The console, and the clock by which the machine runs.
    pub paper: Paper,
    /// The spool, for virtual readers, punches and printers.
    pub spool: spool::Shared,
    /// What takes pages of virtual machines away, and the user's number.
    pub paging: Option<(Arc<Paging>, u32)>,
}

/// The devices of a virtual machine that stay when it gets other hardware.
#[derive(Default)]
pub struct Outfit {
    /// Unit record devices and the console.
    pub units: Vec<SharedUnit>,
    /// Virtual 3270s beside the console.
    pub grafs: Vec<Arc<Graf>>,
    /// Network adapters.
    pub nics: Vec<Arc<Nic>>,
    /// Channel-to-channel adapters.
    pub ctcas: Vec<Arc<VirtualCtca>>,
    /// Other virtio devices.
    pub peripherals: Vec<Arc<Peripheral>>,
}

impl Machine {
    /// The hardware that `user`'s directory entry describes, of this architecture and with `storage` bytes.
    pub fn new(
        user: &User,
        mode: directory::Machine,
        storage: u64,
        outfit: &Outfit,
        around: &Surroundings,
    ) -> io::Result<Machine> {
        let (userid, listener, paper) = (user.userid.clone(), around.listener.clone(), around.paper.clone());
        let control = Control { userid, listener, paper };
        let mut identity = complex::model::identity(user.cpu_model);
        if let Some(cpuid) = user.options.cpuid.or(user.cpus.iter().find_map(|cpu| cpu.cpuid)) {
            identity.serial = cpuid;
        }
        let addresses: Vec<u16> = user.cpus.iter().map(|cpu| cpu.address).collect();
        let highest = addresses.iter().max().map_or(1, |&highest| highest + 1);
        let specification = Specification {
            storage,
            room: realstorage::sharing::ROOM,
            // A partition of the system's comes later ([`crate::vmdbk::Vmdbk::attach_expanded`]).
            expanded: 0,
            cpus: 1,
            max_cpus: user.max_cpus.max(highest),
            identity,
            facilities: complex::model::facilities(user.cpu_model),
            architecture: if mode == directory::Machine::S370 { Architecture::S370 } else { Architecture::Esa },
        };
        let configuration = Configuration::new(specification, around.paper.clock.clone(), Arc::new(control))?;
        for address in addresses {
            configuration.define_cpu(address, true);
        }
        let pages = match &around.paging {
            Some((paging, id)) => {
                let blocks = Frames::blocks(configuration.cpus().count() as u64, configuration.storage().size());
                Some(paging.adopt(&configuration, *id, blocks)?)
            }
            None => None,
        };
        let machine = Machine {
            configuration,
            keyboard: ConsoleInput::default(),
            pages,
            deferred: Mutex::default(),
            watchdog: Mutex::default(),
            counted: AtomicU64::default(),
        };
        for unit in &outfit.units {
            let (vdev, console) = {
                let unit = unitrecord::lock_unit(unit);
                (unit.vdev, unit.console)
            };
            match console {
                true => machine.attach_console(vdev, &around.paper),
                false => attach(&machine.configuration, vdev, unitrecord::device(unit, &around.spool)),
            }
        }
        for graf in &outfit.grafs {
            attach(&machine.configuration, graf.vdev(), Box::new(VirtualGraf::new(graf.clone())));
        }
        outfit.nics.iter().for_each(|nic| _ = nic.attach(&mut machine.configuration.css()));
        outfit.ctcas.iter().for_each(|ctca| attach(&machine.configuration, ctca.vdev(), ctca.device()));
        for other in &outfit.peripherals {
            attach(&machine.configuration, other.vdev(), other.device());
        }
        // The subchannels are there from the beginning: the reset clears the channel reports of their arrival.
        machine.configuration.css().reset();
        Ok(machine)
    }

    /// The instruction that virtual CPU `cpu` has just issued ends at `until`; the CPU waits for that.
    pub fn defer(&self, cpu: u16, until: Tod) {
        self.deferred().insert(cpu, Deferral { until, ends_early: false });
    }

    /// The same, but what the instruction waits for may come earlier ([`Machine::go_on`]).
    pub fn defer_at_most(&self, cpu: u16, until: Tod) {
        self.deferred().insert(cpu, Deferral { until, ends_early: true });
    }

    /// What the instructions of virtual CPUs wait for has come: they go on. Returns which CPUs those are.
    pub fn go_on(&self) -> Vec<u16> {
        let mut deferred = self.deferred();
        let ended = deferred.extract_if(|_, deferral| deferral.ends_early);
        ended.map(|(cpu, _)| cpu).collect()
    }

    /// Until when virtual CPU `cpu` waits for the end of an instruction, if that is later than `now`.
    pub fn deferred_until(&self, cpu: u16, now: Tod) -> Option<Tod> {
        let mut deferred = self.deferred();
        let until = deferred.get(&cpu)?.until;
        if until > now {
            return Some(until);
        }
        deferred.remove(&cpu);
        None
    }

    /// How much I/O was started since this was last asked, for the processor that asks.
    pub fn new_starts(&self) -> u64 {
        let starts = self.configuration.css().counts().starts;
        starts.saturating_sub(self.counted.fetch_max(starts, Ordering::Relaxed))
    }

    /// The watchdog, if there is one.
    pub fn watchdog(&self) -> MutexGuard<'_, Option<Watchdog>> {
        self.watchdog.lock().held()
    }

    fn deferred(&self) -> MutexGuard<'_, HashMap<u16, Deferral>> {
        self.deferred.lock().held()
    }

    /// Attaches a console, with the machine's keyboard.
    pub fn attach_console(&self, vdev: u16, paper: &Paper) {
        let console = VirtualConsole::new(paper.clone(), self.keyboard.clone());
        attach(&self.configuration, vdev, Box::new(console));
    }

    /// Microseconds that the virtual CPUs have run: without and with CP's work for them.
    pub fn times(&self) -> (u64, u64) {
        let times = (0..self.configuration.max_cpus()).map(|n| self.configuration.times(n));
        times.fold((0, 0), |sum, cpu| (sum.0 + cpu.0, sum.1 + cpu.1))
    }

    /// Has every virtual CPU that is being run leave the engine soon.
    pub fn hold(&self) {
        for cpu in self.configuration.cpus() {
            self.configuration.leave(cpu);
        }
    }

    /// The time by the machine's clock.
    pub fn now(&self) -> Tod {
        self.configuration.now()
    }
}

/// A virtual CPU waits for the end of an instruction.
struct Deferral {
    until: Tod,
    /// What it waits for may come before.
    ends_early: bool,
}

/// Attaches a device; of two with one number the first stays.
fn attach(configuration: &Configuration, vdev: u16, device: Box<dyn css::Device>) {
    let _ = configuration.css().attach(vdev, device);
}
