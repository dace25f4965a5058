//! A virtual machine's hardware: a configuration, and CP's devices in it.
//!
//! Made at LOGON from the directory, and anew by DEFINE STORAGE. The devices' other sides are here: the console types
//! on the user's terminal, the reader reads the user's spool files, the punch and the printer write them.

use crate::console::ConsoleGuard;
use crate::console::display::Tone;
use crate::console::glass::VirtualConsole;
use crate::console::graf::{Graf, VirtualGraf};

use crate::processor::Processors;
use crate::spooling::{self, SharedUnit};
use crate::vmdbk::Vmdbk;
use base::{Clock, Held, Tod, ebcdic};
use complex::{Configuration, ControlProgram, Host, Identity, Specification};
use cpu::Architecture;
use devices::{ConsoleHost, ConsoleInput};
use directory::User;
use std::collections::HashMap;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};

/// What STSI 3.2.2 calls the control program. Guests look for the first four characters only.
const IDENTIFICATION: &str = concat!("z/VM    ", env!("CARGO_PKG_VERSION"));

/// The hardware of one virtual machine.
pub struct Machine {
    pub configuration: Arc<Configuration>,
    /// The keyboard of the virtual console.
    pub keyboard: ConsoleInput,
    /// Virtual CPUs that wait for the end of an instruction: for a disk that takes its time.
    deferred: Mutex<HashMap<u16, Tod>>,
}

/// Lines that a guest may be ahead of what its terminal shows. A guest that writes more waits for its user.
pub const FLOOD: usize = 2000;

/// What the configuration wants of CP.
struct Control {
    owner: Owner,
    id: u32,
    userid: String,
    processors: Arc<Processors>,
    clock: Arc<dyn Clock>,
}

impl Host for Control {
    fn runnable(&self, cpu: u16) {
        if let Some(vmdbk) = self.owner.weak() {
            self.processors.ready(vmdbk, self.id, cpu);
        }
    }

    fn control_program(&self) -> Option<ControlProgram> {
        Some(ControlProgram { machine: self.userid.clone(), identification: IDENTIFICATION.into() })
    }

    fn service_message(&self, line: &str) {
        if let Some(vmdbk) = self.owner.vmdbk() {
            vmdbk.console().print(&format!("{line}\n"), self.clock.now());
        }
    }

    fn has_ascii_console(&self) -> bool {
        self.owner.vmdbk().is_some_and(|vmdbk| vmdbk.console().ascii.is_some())
    }

    fn ascii_console(&self, bytes: &[u8]) {
        let Some(vmdbk) = self.owner.vmdbk() else { return };
        let mut console = vmdbk.console();
        console.print_ascii(bytes, self.clock.now());
        wait_for_paper(&vmdbk, console);
    }
}

/// The paper in the console: the user's terminal.
pub struct Paper {
    owner: Owner,
    clock: Arc<dyn Clock>,
}

impl ConsoleHost for Paper {
    fn write(&mut self, characters: &[u8], carriage_return: bool) {
        let Some(vmdbk) = self.owner.vmdbk() else { return };
        let mut console = vmdbk.console();
        console.glass.end_call();
        let mut text: String = characters
            .iter()
            .map(|&b| if b == ebcdic::NEW_LINE { '\n' } else { ebcdic::TO_LATIN1[usize::from(b)] as char })
            .collect();
        if (carriage_return || console.settings.auto_return) && !text.ends_with('\n') {
            text.push('\n');
        }
        console.print(&text, self.clock.now());
        wait_for_paper(&vmdbk, console);
    }

    fn reading(&mut self, waits: bool) {
        if let Some(vmdbk) = self.owner.vmdbk() {
            let mut console = vmdbk.console();
            if waits {
                console.glass.end_call();
            }
            console.set_vm_read(waits);
        }
    }

    fn cut(&mut self, taken: usize) {
        if let Some(vmdbk) = self.owner.vmdbk() {
            // The VMDBK's own lock, with EMSG under it, is above the channel subsystem's, which is held here.
            vmdbk.console().write(&message::line_cut(taken).to_string(), Tone::Normal, self.clock.now());
        }
    }
}

/// A guest that is far ahead of what its terminal shows stops until that has caught up.
fn wait_for_paper(vmdbk: &Vmdbk, console: ConsoleGuard<'_>) {
    if console.backlog() > FLOOD && !vmdbk.flooded.swap(true, Ordering::AcqRel) {
        // The terminal may have shown all of it just before that, when no guest was held yet.
        if console.backlog() < FLOOD / 2 {
            vmdbk.flooded.store(false, Ordering::Release);
            return;
        }
        drop(console);
        vmdbk.machine().hold();
    }
}

/// The VMDBK that the hardware belongs to: known once it has been made, which is after the hardware.
#[derive(Clone, Default)]
pub struct Owner(Arc<OnceLock<Weak<Vmdbk>>>);

impl Owner {
    /// Says which VMDBK it belongs to, once.
    pub fn set(&self, vmdbk: &Arc<Vmdbk>) {
        let _ = self.0.set(Arc::downgrade(vmdbk));
    }

    fn weak(&self) -> Option<&Weak<Vmdbk>> {
        self.0.get()
    }

    /// The virtual machine, as long as it is there.
    pub fn vmdbk(&self) -> Option<Arc<Vmdbk>> {
        self.weak()?.upgrade()
    }
}

/// What a machine is made with.
pub struct Surroundings {
    pub owner: Owner,
    pub id: u32,
    pub processors: Arc<Processors>,
    pub clock: Arc<dyn Clock>,
    pub spool: spooling::SharedSpool,
    pub iucv: crate::iucv::Shared,
}

impl Machine {
    /// The hardware that `user`'s directory entry describes, of this architecture and with `storage` bytes.
    pub fn new(
        user: &User,
        mode: directory::Machine,
        storage: u64,
        units: &[SharedUnit],
        grafs: &[Arc<Graf>],
        around: &Surroundings,
    ) -> io::Result<Machine> {
        let control = Control {
            owner: around.owner.clone(),
            id: around.id,
            userid: user.userid.clone(),
            processors: around.processors.clone(),
            clock: around.clock.clone(),
        };
        let mut identity = Identity::default();
        if let Some(cpuid) = user.options.cpuid.or(user.cpus.iter().find_map(|cpu| cpu.cpuid)) {
            identity.serial = cpuid;
        }
        let addresses: Vec<u16> = user.cpus.iter().map(|cpu| cpu.address).collect();
        let highest = addresses.iter().max().map_or(1, |&highest| highest + 1);
        let specification = Specification {
            storage,
            room: crate::saved::ROOM,
            cpus: 1,
            max_cpus: user.max_cpus.max(highest),
            identity,
            architecture: if mode == directory::Machine::S370 { Architecture::S370 } else { Architecture::Esa },
            ..Specification::default()
        };
        let configuration = Configuration::new(specification, around.clock.clone(), Arc::new(control))?;
        for address in addresses {
            configuration.define_cpu(address, true);
        }
        let machine = Machine { configuration, keyboard: ConsoleInput::default(), deferred: Mutex::default() };
        for unit in units {
            let (vdev, console) = {
                let unit = spooling::lock_unit(unit);
                (unit.vdev, unit.console)
            };
            match console {
                true => machine.attach_console(vdev, around),
                false => attach(&machine.configuration, vdev, spooling::device(unit, &around.spool)),
            }
        }
        grafs
            .iter()
            .for_each(|graf| attach(&machine.configuration, graf.vdev(), Box::new(VirtualGraf::new(graf.clone()))));
        // The subchannels are there from the beginning: nothing is to be reported of their arrival.
        machine.configuration.css().reset();
        Ok(machine)
    }

    /// The instruction that virtual CPU `cpu` has just issued is over at `until`.
    pub fn defer(&self, cpu: u16, until: Tod) {
        self.deferred().insert(cpu, until);
    }

    /// Until when virtual CPU `cpu` goes on with nothing, if that is not over.
    pub fn deferred_until(&self, cpu: u16, now: Tod) -> Option<Tod> {
        let mut deferred = self.deferred();
        let until = *deferred.get(&cpu)?;
        if until > now {
            return Some(until);
        }
        deferred.remove(&cpu);
        None
    }

    fn deferred(&self) -> MutexGuard<'_, HashMap<u16, Tod>> {
        self.deferred.lock().held()
    }

    /// Attaches a console, with the machine's keyboard.
    pub fn attach_console(&self, vdev: u16, around: &Surroundings) {
        let paper = Paper { owner: around.owner.clone(), clock: around.clock.clone() };
        let console = VirtualConsole::new(paper, self.keyboard.clone(), around.owner.clone());
        attach(&self.configuration, vdev, Box::new(console));
    }

    /// Microseconds that the virtual CPUs have run, and with CP's work for them.
    pub fn times(&self) -> (u64, u64) {
        let times = (0..self.configuration.max_cpus()).map(|n| self.configuration.times(n));
        times.fold((0, 0), |sum, cpu| (sum.0 + cpu.0, sum.1 + cpu.1))
    }

    /// Has every virtual CPU that is not stopped looked at again.
    pub fn wake(&self, vmdbk: &Arc<Vmdbk>, processors: &Processors) {
        for cpu in self.configuration.cpus() {
            if !self.configuration.is_stopped(cpu) {
                processors.ready(&Arc::downgrade(vmdbk), vmdbk.id, cpu);
            }
        }
    }

    /// Has one virtual CPU looked at.
    pub fn wake_one(&self, vmdbk: &Arc<Vmdbk>, processors: &Processors, cpu: u16) {
        processors.ready(&Arc::downgrade(vmdbk), vmdbk.id, cpu);
    }

    /// Has every virtual CPU that runs come back soon.
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

/// Attaches a device; of two with one number the first stays.
fn attach(configuration: &Configuration, vdev: u16, device: Box<dyn css::Device>) {
    let _ = configuration.css().attach(vdev, device);
}
