//! The VMDBK: all that CP knows of one logged-on virtual machine.
//!
//! Made at LOGON or XAUTOLOG, gone after LOGOFF. It is shared: terminals, processors and other users' commands hold it
//! at the same time. So each kind of data that changes has a lock of its own. Guarded data is consistent between
//! statements, so a thread that panics with a lock held leaves it good. The failure of one virtual machine does not
//! harm the others.
//!
//! Lock order, from above: system, [`Vmdbk::lock`], CPU states, the channel subsystem, [`Vmdbk::console`] and its
//! terminal, IUCV, units, the spool.

use crate::block_path::{Iucv, SharedIucv};
use crate::class::Classes;
use crate::ctca::VirtualCtca;
use crate::machine::{Listener, Machine, Outfit, Surroundings};
use crate::nic::Nic;
use crate::peripheral::Peripheral;
use crate::trace::Trace;
use crate::vmcf_memory::Memory;
use arch::Absolute;
use base::{Clock, Held, Tod};
use consoles::device::Paper;
use consoles::display::Tone;
use consoles::edit::Editing;
use consoles::glass::Glass;
use consoles::graf::Graf;
use consoles::{Console, ConsoleGuard};
use directory::{DeviceKind, SpoolKind, User};
use message::Message;
use minidisk::Guest;
use monitor::account::{Account, Usage};
use realstorage::expanded::Partition;
use realstorage::pager::Paging;
use realstorage::residency::Residency;
use realstorage::sharing::Use;
use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use unitrecord::{SharedUnit, Unit};
use vmcf::Vmcf;

/// VMCF, as all virtual machines share it.
pub type SharedVmcf = vmcf::Shared<Memory>;

/// How error messages are shown (SET EMSG).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Emsg {
    /// Number and text.
    On,
    /// Nothing.
    Off,
    /// The number alone.
    Code,
    /// The text alone.
    #[default]
    Text,
}

/// What becomes of a message from another user (SET MSG, SET WNG, SET SMSG).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Receive {
    /// It is not shown.
    Off,
    /// It is shown.
    #[default]
    On,
    /// A program that is connected to *MSG gets it.
    Iucv,
}

/// The settings of SET that CP acts upon or shows in QUERY SET.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// What becomes of messages of other users (SET MSG).
    pub messages: Receive,
    /// What becomes of warnings (SET WNG).
    pub warnings: Receive,
    /// SET IMSG: whether informational responses of commands are shown.
    pub information: bool,
    /// What becomes of special messages (SET SMSG).
    pub special_messages: Receive,
    /// How error messages are shown (SET EMSG).
    pub emsg: Emsg,
    /// Whether accounting information is shown (SET ACNT).
    pub accounting: bool,
    /// RUN ON: the virtual machine goes on while CP reads.
    pub run: bool,
    /// Settings that are only remembered and shown: names and values.
    pub others: Vec<(String, String)>,
}

impl Settings {
    /// SET IOASSIST: channel programs for disks may take the fast path.
    pub fn assists(&self) -> bool {
        !self.others.iter().any(|(name, value)| name == "IOASSIST" && value == "OFF")
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            messages: Receive::On,
            warnings: Receive::On,
            information: true,
            special_messages: Receive::Off,
            emsg: Emsg::On,
            accounting: false,
            run: false,
            others: Vec::new(),
        }
    }
}

/// What a virtual machine is made with.
pub struct Given {
    /// A number that no other virtual machine of this system has or had.
    pub id: u32,
    /// Hears what the hardware tells the processors.
    pub listener: Arc<dyn Listener>,
    /// The clock by which it runs.
    pub clock: Arc<dyn Clock>,
    /// The spool of the system.
    pub spool: spool::Shared,
    /// IUCV of the system.
    pub iucv: SharedIucv,
    /// VMCF of the system.
    pub vmcf: SharedVmcf,
    /// What takes pages of virtual machines away.
    pub paging: Option<Arc<Paging>>,
}

/// What changes about a virtual machine while it is logged on.
pub struct State {
    /// The privilege classes in force.
    pub classes: Classes,
    /// The settings of SET.
    pub settings: Settings,
    /// Bytes of storage.
    pub storage: u64,
    /// SET MACHINE: the architecture after a reset.
    pub machine: directory::Machine,
    /// The saved system or device of the last IPL.
    pub ipl: Option<String>,
    /// SET SHARE and SET QUICKDSP, if not what the directory says.
    pub share: Option<directory::Share>,
    /// SET QUICKDSP, if not what the directory says.
    pub quickdsp: Option<bool>,
}

/// What hardware has used.
fn used_by(machine: &Machine) -> Usage {
    let (virtual_us, total_us) = machine.times();
    let counts = machine.configuration.css().counts();
    let pages = machine.pages.as_ref().map(|pages| pages.tally());
    Usage {
        virtual_us,
        total_us,
        reads: pages.as_ref().map_or(0, |tally| tally.reads),
        writes: pages.as_ref().map_or(0, |tally| tally.writes + tally.migrated),
        started: counts.starts - counts.uncharged,
        ..Usage::default()
    }
}

/// What went by a unit record device.
fn used_at(unit: &Unit) -> Usage {
    let mut usage = Usage::default();
    match unit.kind {
        SpoolKind::Reader => usage.read = unit.records,
        SpoolKind::Punch => usage.punched = unit.records,
        SpoolKind::Printer => usage.printed = unit.records,
    }
    usage
}

/// A logged-on virtual machine.
pub struct Vmdbk {
    /// A number that no other virtual machine of this system has or had.
    pub id: u32,
    /// The user ID.
    pub userid: String,
    /// The directory entry.
    pub user: Arc<User>,
    /// When the user logged on.
    pub logged_on: Tod,
    /// What it has used, for accounting.
    pub account: Account,
    /// LOGOFF or FORCE has begun.
    pub leaving: AtomicBool,
    /// Changes when the hardware is reset or replaced: what was in progress then is not completed.
    pub generation: AtomicU64,
    /// The virtual machine was started by IPL or BEGIN: if it stops by itself, the user gets a message.
    pub started: AtomicBool,
    /// The virtual console's screen, with TERMINAL CONMODE 3270.
    pub glass: Arc<Glass>,
    /// IUCV of the whole system.
    iucv: SharedIucv,
    /// VMCF of the whole system.
    vmcf: SharedVmcf,
    /// What TRACE wants to see.
    pub trace: Trace,
    /// The virtual machine has written more than its terminal has shown, and does not run until the user has caught up.
    pub flooded: Arc<AtomicBool>,
    /// When its resident pages are counted, and when it rests.
    pub residency: Residency,
    /// The absolute address at which the program is told of another terminal (DIAGNOSE X'264'), plus 1; 0: none.
    handshake: AtomicU64,
    /// The virtual machine does not run, because a checkpoint is made of it.
    suspended: AtomicBool,
    /// Processors that run a virtual CPU of it, or do what that has left to CP.
    running: AtomicU32,
    /// The virtual machine does not run, because CP reads or the user sleeps (SLEEP).
    held: AtomicBool,
    state: Mutex<State>,
    /// What its hardware is made with at LOGON, and again by DEFINE STORAGE.
    around: Surroundings,
    machine: Mutex<Arc<Machine>>,
    units: Mutex<Vec<SharedUnit>>,
    grafs: Mutex<Vec<Arc<Graf>>>,
    nics: Mutex<Vec<Arc<Nic>>>,
    ctcas: Mutex<Vec<Arc<VirtualCtca>>>,
    peripherals: Mutex<Vec<Arc<Peripheral>>>,
    /// Reader files that DIAGNOSE X'14' has described with subcode X'0FFE': number and when it was closed.
    seen: Mutex<HashSet<(u16, u64)>>,
    /// The saved system and the segments in its storage.
    segments: Mutex<Vec<Use>>,
    /// Its expanded storage.
    expanded: Mutex<Option<Partition>>,
    console: Arc<Mutex<Console>>,
}

impl Vmdbk {
    /// The virtual machine that the directory entry `user` describes. Fails if the host has no room for its storage.
    pub fn new(user: Arc<User>, given: Given, now: Tod) -> io::Result<Vmdbk> {
        let mut console = Console::default();
        console.settings.editing = Editing::from(user.editing);
        let mut units = Vec::new();
        let mut grafs = Vec::new();
        for device in &user.devices {
            let unit = match &device.kind {
                DeviceKind::Special { device: kind, .. } if kind == "3270" => {
                    grafs.push(Graf::new(device.vdev));
                    continue;
                }
                DeviceKind::Console(statement) => {
                    console.secondary = statement.secondary.clone();
                    console.observed = statement.observer;
                    Unit::console(&user.userid, &user.distribution, device.vdev, statement.device, statement.class)
                }
                DeviceKind::Spool(spool) => Unit::new(&user.userid, &user.distribution, device.vdev, spool),
                _ => continue,
            };
            units.push(Arc::new(Mutex::new(unit)));
        }
        let flooded = Arc::new(AtomicBool::new(false));
        let glass = console.glass.clone();
        let console = Arc::new(Mutex::new(console));
        let listener = given.listener.clone();
        let paper = Paper {
            console: console.clone(),
            glass: glass.clone(),
            flooded: flooded.clone(),
            clock: given.clock,
            hold: Arc::new(move || listener.hold()),
        };
        let paging = given.paging.map(|paging| (paging, given.id));
        let around = Surroundings { listener: given.listener, paper, spool: given.spool, paging };
        let outfit = Outfit { units: units.clone(), grafs: grafs.clone(), ..Outfit::default() };
        let machine = Machine::new(&user, user.machine, user.storage, &outfit, &around)?;
        Ok(Vmdbk {
            id: given.id,
            userid: user.userid.clone(),
            logged_on: now,
            account: Account::default(),
            leaving: AtomicBool::new(false),
            generation: AtomicU64::new(0),
            started: AtomicBool::new(false),
            glass,
            iucv: given.iucv,
            vmcf: given.vmcf,
            trace: Trace::default(),
            flooded,
            residency: Residency::default(),
            handshake: AtomicU64::new(0),
            suspended: AtomicBool::new(false),
            running: AtomicU32::new(0),
            held: AtomicBool::new(false),
            state: Mutex::new(State {
                classes: user.classes.into(),
                settings: Settings::default(),
                storage: user.storage,
                machine: user.machine,
                ipl: None,
                share: None,
                quickdsp: None,
            }),
            around,
            machine: Mutex::new(Arc::new(machine)),
            units: Mutex::new(units),
            grafs: Mutex::new(grafs),
            nics: Mutex::default(),
            ctcas: Mutex::default(),
            peripherals: Mutex::default(),
            seen: Mutex::default(),
            segments: Mutex::default(),
            expanded: Mutex::default(),
            console,
            user,
        })
    }

    /// The shares and QUICKDSP now.
    pub fn shares(&self) -> (directory::Share, bool) {
        let state = self.lock();
        let quickdsp = self.user.options.has(directory::Opt::QuickDsp);
        (state.share.unwrap_or(self.user.share), state.quickdsp.unwrap_or(quickdsp))
    }

    /// The hardware.
    pub fn machine(&self) -> Arc<Machine> {
        self.machine.lock().held().clone()
    }

    /// What its hardware is made with.
    pub fn surroundings(&self) -> &Surroundings {
        &self.around
    }

    /// Replaces the hardware (DEFINE STORAGE); what the old one has used is kept in the account.
    pub fn set_machine(&self, machine: Machine) {
        self.generation.fetch_add(1, Ordering::AcqRel);
        let expanded = self.expanded.lock().held();
        machine.configuration.set_expanded(expanded.as_ref().map(|partition| partition.blocks.clone()));
        let old = std::mem::replace(&mut *self.machine.lock().held(), Arc::new(machine));
        self.account.retire(&used_by(&old));
    }

    /// The virtual machine as the crate `minidisk` knows it.
    pub fn guest(&self) -> Guest {
        let fast = self.lock().settings.assists();
        Guest { user: self.user.clone(), configuration: self.machine().configuration.clone(), fast }
    }

    /// The unit record devices and the console's spooled side, in the order of the directory.
    pub fn units(&self) -> Vec<SharedUnit> {
        self.units.lock().held().clone()
    }

    /// The network cards.
    pub fn nics(&self) -> Vec<Arc<Nic>> {
        self.nics.lock().held().clone()
    }

    /// The network adapter with this device number.
    pub fn nic(&self, vdev: u16) -> Option<Arc<Nic>> {
        self.nics().into_iter().find(|nic| nic.has(vdev))
    }

    /// Adds a network card. False if there is a device with its number.
    pub fn add_nic(&self, nic: Arc<Nic>) -> bool {
        let attached = nic.attach(&mut self.machine().configuration.css());
        if attached {
            self.nics.lock().held().push(nic);
        }
        attached
    }

    /// Takes a network card away from the list of them.
    pub fn remove_nic(&self, nic: &Arc<Nic>) {
        self.nics.lock().held().retain(|other| !Arc::ptr_eq(other, nic));
    }

    /// The channel-to-channel adapters.
    pub fn ctcas(&self) -> Vec<Arc<VirtualCtca>> {
        self.ctcas.lock().held().clone()
    }

    /// The channel-to-channel adapter with this device number.
    pub fn ctca(&self, vdev: u16) -> Option<Arc<VirtualCtca>> {
        self.ctcas().into_iter().find(|ctca| ctca.vdev() == vdev)
    }

    /// Adds a channel-to-channel adapter. False if there is a device with its number.
    pub fn add_ctca(&self, ctca: Arc<VirtualCtca>) -> bool {
        let attached = self.machine().configuration.css().attach(ctca.vdev(), ctca.device()).is_ok();
        if attached {
            self.ctcas.lock().held().push(ctca);
        }
        attached
    }

    /// Takes a channel-to-channel adapter away from the list of them.
    pub fn remove_ctca(&self, ctca: &Arc<VirtualCtca>) {
        self.ctcas.lock().held().retain(|other| !Arc::ptr_eq(other, ctca));
    }

    /// The virtio devices other than network cards.
    pub fn peripherals(&self) -> Vec<Arc<Peripheral>> {
        self.peripherals.lock().held().clone()
    }

    /// The one of them with this device number.
    pub fn peripheral(&self, vdev: u16) -> Option<Arc<Peripheral>> {
        self.peripherals().into_iter().find(|other| other.vdev() == vdev)
    }

    /// Adds such a device. False if there is a device with its number.
    pub fn add_peripheral(&self, peripheral: Arc<Peripheral>) -> bool {
        let attached = self.machine().configuration.css().attach(peripheral.vdev(), peripheral.device()).is_ok();
        if attached {
            self.peripherals.lock().held().push(peripheral);
        }
        attached
    }

    /// Takes such a device away from the list of them.
    pub fn remove_peripheral(&self, peripheral: &Arc<Peripheral>) {
        self.peripherals.lock().held().retain(|other| !Arc::ptr_eq(other, peripheral));
    }

    /// The devices that other hardware gets, too.
    pub fn outfit(&self) -> Outfit {
        let (units, grafs, nics) = (self.units(), self.grafs(), self.nics());
        Outfit { units, grafs, nics, ctcas: self.ctcas(), peripherals: self.peripherals() }
    }

    /// The virtual 3270s beside the console, in the order of the directory.
    pub fn grafs(&self) -> Vec<Arc<Graf>> {
        self.grafs.lock().held().clone()
    }

    /// The virtual 3270 at `vdev`, the console apart.
    pub fn graf(&self, vdev: u16) -> Option<Arc<Graf>> {
        self.grafs().into_iter().find(|graf| graf.vdev() == vdev)
    }

    /// The reader files that a program has been told of.
    pub fn seen(&self) -> MutexGuard<'_, HashSet<(u16, u64)>> {
        self.seen.lock().held()
    }

    /// The saved system and the segments that it uses.
    pub fn segments(&self) -> MutexGuard<'_, Vec<Use>> {
        self.segments.lock().held()
    }

    /// Gives back all saved systems and segments: the virtual machine is reset for IPL, or logs off.
    pub fn release_segments(&self) {
        let used = std::mem::take(&mut *self.segments());
        if !used.is_empty() {
            let machine = self.machine();
            used.iter().for_each(|used| used.detach(&machine.configuration));
        }
    }

    /// How many megabytes of expanded storage it has.
    pub fn expanded(&self) -> Option<u64> {
        self.expanded.lock().held().as_ref().map(|partition| partition.megabytes)
    }

    /// Gives it expanded storage, unless it has some: whether it took it.
    pub fn attach_expanded(&self, partition: Partition) -> bool {
        let mut expanded = self.expanded.lock().held();
        let free = expanded.is_none() && !self.is_leaving();
        if free {
            self.machine().configuration.set_expanded(Some(partition.blocks.clone()));
            *expanded = Some(partition);
        }
        free
    }

    /// Takes its expanded storage away. How many megabytes it were.
    pub fn detach_expanded(&self) -> Option<u64> {
        let mut expanded = self.expanded.lock().held();
        let partition = expanded.take()?;
        self.machine().configuration.set_expanded(None);
        Some(partition.megabytes)
    }

    /// Adds a virtual 3270 (DEFINE).
    pub fn add_graf(&self, graf: Arc<Graf>) {
        self.grafs.lock().held().push(graf);
    }

    /// Takes one away (DETACH).
    pub fn remove_graf(&self, graf: &Arc<Graf>) {
        self.grafs.lock().held().retain(|other| !Arc::ptr_eq(other, graf));
    }

    /// How many records the units of a kind have read, printed or punched.
    pub fn records(&self, kind: SpoolKind) -> u64 {
        let units = self.units();
        let units = units.iter().map(unitrecord::lock_unit).filter(|unit| unit.kind == kind && !unit.console);
        units.map(|unit| unit.records).sum()
    }

    /// What it has used since it logged on, with hardware and units that it no longer has.
    pub fn usage(&self) -> Usage {
        let units = Usage {
            punched: self.records(SpoolKind::Punch),
            printed: self.records(SpoolKind::Printer),
            read: self.records(SpoolKind::Reader),
            ..Usage::default()
        };
        self.account.usage() + used_by(&self.machine()) + units
    }

    /// The unit at `vdev`.
    pub fn unit(&self, vdev: u16) -> Option<SharedUnit> {
        self.units().into_iter().find(|unit| unitrecord::lock_unit(unit).vdev == vdev)
    }

    /// Adds a unit (DEFINE), or with `None` takes the one at `vdev` away (DETACH).
    pub fn change_unit(&self, vdev: u16, unit: Option<SharedUnit>) {
        let mut units = self.units.lock().held();
        units.retain(|other| {
            let other = unitrecord::lock_unit(other);
            let stays = other.vdev != vdev;
            if !stays && !other.console {
                self.account.retire(&used_at(&other));
            }
            stays
        });
        units.extend(unit);
    }

    /// Gives up decoded blocks, translated code and TLBs of a virtual machine that has been idle for a while. The error
    /// is when it last ran, if that is not long enough ago.
    pub fn rest(&self, now: Tod) -> Result<(), Tod> {
        self.residency.rest(now)?;
        self.machine().configuration.rest();
        Ok(())
    }

    /// The pages that are resident, and the working set. Without a pager the host's count is both.
    pub fn resident(&self) -> (u64, u64) {
        let machine = self.machine();
        match &machine.pages {
            Some(pages) => {
                let tally = pages.tally();
                (tally.resident, tally.working_set())
            }
            None => [machine.configuration.storage().resident_pages(); 2].into(),
        }
    }

    /// Finds out the working set, in pages: what was referred to since this was done last. Without a pager it is what
    /// the host keeps.
    pub fn measure(&self) -> u64 {
        let machine = self.machine();
        match &machine.pages {
            Some(pages) => pages.measure(),
            None => machine.configuration.storage().resident_pages(),
        }
    }

    /// Whether the virtual machine does not run because CP reads or the user sleeps.
    pub fn is_held(&self) -> bool {
        self.held.load(Ordering::Acquire)
    }

    /// Whether its virtual CPUs may be run now.
    pub fn may_run(&self) -> bool {
        !self.is_held()
            && !self.is_leaving()
            && !self.flooded.load(Ordering::Acquire)
            && !self.suspended.load(Ordering::SeqCst)
    }

    /// Keeps processors from running it, or not any more.
    pub(crate) fn suspend(&self, suspended: bool) {
        self.suspended.store(suspended, Ordering::SeqCst);
    }

    /// A processor begins to run one of its virtual CPUs, until this is dropped. It looks then whether it
    /// [may](Vmdbk::may_run).
    pub fn enter(&self) -> impl Drop {
        struct Inside<'a>(&'a AtomicU32);
        impl Drop for Inside<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::SeqCst);
            }
        }
        self.running.fetch_add(1, Ordering::SeqCst);
        Inside(&self.running)
    }

    /// Whether a processor runs one of its virtual CPUs.
    pub(crate) fn is_run(&self) -> bool {
        self.running.load(Ordering::SeqCst) != 0
    }

    /// Holds the virtual machine or lets it go, as the console and SET RUN say now. Returns whether that is a change.
    pub fn settle_hold(&self) -> bool {
        let waits = {
            let console = self.console();
            console.cp_read || console.asleep.is_some()
        };
        let held = waits && !self.lock().settings.run;
        self.held.swap(held, Ordering::AcqRel) != held
    }

    /// The hardware is about to be reset: what was in progress is not completed, and paths and typed lines go.
    pub fn begin_reset(&self) {
        self.started.store(false, Ordering::Release);
        self.generation.fetch_add(1, Ordering::AcqRel);
        self.iucv().reset(self.id);
        self.vmcf().reset(self.id);
        self.machine().keyboard.clear();
        *self.machine().watchdog() = None;
        self.communicate(None);
    }

    /// DIAGNOSE X'264': the program has its area of two words at this absolute address, or none any more.
    pub fn communicate(&self, area: Option<Absolute>) {
        self.handshake.store(area.map_or(0, |at| at.0 + 1), Ordering::Release);
    }

    /// The user is at another terminal: the program is told, if it has issued DIAGNOSE X'264'.
    pub fn terminal_changed(&self) {
        const TERMINAL: u32 = 0x8000_0000;
        let Some(at) = self.handshake.load(Ordering::Acquire).checked_sub(1).map(Absolute) else { return };
        let machine = self.machine();
        let storage = machine.configuration.storage();
        // Where there is no storage any more, no program reads it.
        if let Ok(flags) = storage.read_u32(at) {
            let _ = storage.write_u32(at, flags | TERMINAL);
        }
    }

    /// Virtual and total processor time in microseconds.
    pub fn times(&self) -> (u64, u64) {
        let (now_virtual, now_total) = self.machine().times();
        let earlier = self.account.usage();
        (earlier.virtual_us + now_virtual, earlier.total_us + now_total)
    }

    /// Locks what changes about it.
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().held()
    }

    /// Locks the console.
    pub fn console(&self) -> ConsoleGuard<'_> {
        ConsoleGuard::new(self.console.lock().held())
    }

    /// IUCV of the whole system, where this virtual machine is one of many.
    pub fn iucv(&self) -> MutexGuard<'_, Iucv> {
        self.iucv.lock().held()
    }

    /// VMCF of the whole system, where this virtual machine is one of many.
    pub fn vmcf(&self) -> MutexGuard<'_, Vmcf<Memory>> {
        self.vmcf.lock().held()
    }

    /// A line for the user.
    pub fn write(&self, text: &str, tone: Tone, now: Tod) {
        self.console().write(text, tone, now);
    }

    /// An error message for the user, as SET EMSG wants it.
    pub fn write_message(&self, message: &Message, now: Tod) {
        let emsg = self.lock().settings.emsg;
        match emsg {
            Emsg::On => self.write(&message.to_string(), Tone::Normal, now),
            Emsg::Text => self.write(&message.text, Tone::Normal, now),
            Emsg::Code => self.write(&message.id(), Tone::Normal, now),
            Emsg::Off => (),
        }
    }

    /// Whether LOGOFF or FORCE has begun.
    pub fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Acquire)
    }

    /// Whether the user has no terminal.
    pub fn is_disconnected(&self) -> bool {
        self.console().terminal.is_none()
    }

    /// Where the user is, as QUERY NAMES shows it: `L0003`, or `DSC`.
    pub fn place(&self) -> String {
        self.console().terminal.as_ref().map_or("DSC".into(), |terminal| terminal.name.clone())
    }
}
