//! The system: which users are logged on, at which terminals.
//!
//! [`Cp`] is the whole Control Program; the program around it hands it events by the functions of `events`. Here are
//! the users, the terminals, and the rule whether a virtual machine may run.

use crate::owned::OwnedVolumes;
use crate::sight::Monitoring;
use base::{Clock, Held, Timers, Tod};
use consoles::FLOOD;
use consoles::agenda::Agenda;
use consoles::display::Tone;
use consoles::host::Host;
use consoles::terminal::{Kind, Terminal};
use cpu::attention;
use directory::{Directory, User};
use iucv::service::Service;
use lan::Networks;
use message::Message;
use message::calendar::{Date, Zone};
use minidisk::Disks;
use monitor::processor::Processor;
use realstorage::expanded::Expanded;
use realstorage::frames::Frames;
pub use realstorage::frames::LEAST;
use realstorage::pager::{FileVolume, PageVolume, Paging, Resources};
use realstorage::sharing::{self, SavedFiles, Use};
use spool::Spool;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use virtualmachine::block_path::SharedIucv;
use virtualmachine::processor::{Owner, Processors};
use virtualmachine::tape::Tapes;
use virtualmachine::vmdbk::{Given, SharedVmcf, Vmdbk};

/// What the system configuration decides.
#[derive(Clone, Debug)]
pub struct SystemConfig {
    /// The system identifier, at most eight characters: shown at the lower right of every display.
    pub name: String,
    /// The time zone of dates and times that are shown.
    pub zone: Zone,
    /// The user who gets the operator's notices on the console.
    pub operator: String,
    /// How many host threads run virtual CPUs.
    pub processors: u16,
    /// The host's storage in bytes, of which SET SRM STORBUF is a part; 0 if it is not known.
    pub storage: u64,
    /// Bytes of real storage, if it is said: `storage` is the host's otherwise.
    pub real: Option<u64>,
    /// Bytes of expanded storage.
    pub expanded: u64,
    /// Page volumes: a file and its size in bytes each.
    pub page_volumes: Vec<(PathBuf, u64)>,
    /// The file and its size that is page space where there is no other.
    pub page_file: Option<(PathBuf, u64)>,
    /// The log message lines, shown at LOGON.
    pub log_message: Vec<String>,
    /// JOURNALING: LOGON and LINK are journalled from the start.
    pub journal: bool,
    /// The users that collect records, started with the system.
    pub collectors: Vec<(Service, String)>,
}

impl Default for SystemConfig {
    fn default() -> SystemConfig {
        SystemConfig {
            name: "ENDICOTT".into(),
            zone: Zone::default(),
            operator: "OPERATOR".into(),
            processors: 1,
            storage: 0,
            real: None,
            expanded: 0,
            page_volumes: Vec::new(),
            page_file: None,
            log_message: Vec::new(),
            journal: false,
            collectors: Vec::new(),
        }
    }
}

/// Which of the journals are written (SET JOURNAL).
#[derive(Debug, Default)]
pub struct Journal {
    /// Wrong passwords at LOGON.
    pub logon: AtomicBool,
    /// LINK to other users' minidisks, and wrong passwords.
    pub link: AtomicBool,
}

#[derive(Default)]
struct System {
    /// By number, which is the order of logging on, for QUERY NAMES.
    users: BTreeMap<u32, Arc<Vmdbk>>,
    /// By user ID.
    names: HashMap<String, Arc<Vmdbk>>,
    terminals: HashMap<u32, Arc<Terminal>>,
    next_terminal: u32,
}

/// The Control Program.
pub struct Cp {
    /// What the system configuration decides.
    pub config: SystemConfig,
    /// The clock that all of CP and its guests go by.
    pub clock: Arc<dyn Clock>,
    /// The host that has the terminals.
    pub host: Arc<dyn Host>,
    /// When the system came up.
    pub started: Tod,
    /// The processors that run virtual machines.
    pub processors: Arc<Processors>,
    /// Spool files, saved systems and segments.
    pub spool: spool::Shared,
    /// Paths and messages of IUCV.
    pub iucv: SharedIucv,
    /// Messages of VMCF.
    pub vmcf: SharedVmcf,
    /// Saved systems and segments in use.
    pub saved: SavedFiles,
    /// Expanded storage.
    pub expanded: Expanded,
    /// What takes pages of virtual machines away, in a system whose real storage is said.
    pub paging: Option<Arc<Paging>>,
    /// Real disks, minidisks and links.
    pub disks: Disks,
    /// The volumes that CP owns, and page files.
    pub owned: OwnedVolumes,
    /// Real tape drives.
    pub tapes: Tapes,
    /// Guest LANs and virtual switches.
    pub networks: Networks,
    /// What is counted of each processor.
    pub counts: Vec<Processor>,
    /// Which journals are written.
    pub journal: Journal,
    /// The monitor.
    pub(crate) monitoring: Monitoring,
    /// What is due when.
    pub(crate) agenda: Arc<Agenda>,
    /// Users whose virtual machines have run since they last rested, each with a time at which it ran. It may have run
    /// again later.
    pub(crate) ran: Mutex<Timers<u32>>,
    /// When files that other programs have punched are next taken in: a TOD clock value, 0 without a spool.
    pub(crate) next_drops: AtomicU64,
    directory: Mutex<HashMap<String, Arc<User>>>,
    system: Mutex<System>,
    next_id: AtomicU32,
    log_message: Mutex<Vec<String>>,
}

impl Cp {
    /// A system with the users of `directory`, none of them logged on. Without `spool` there is no spool.
    pub fn new(
        config: SystemConfig,
        directory: Directory,
        mut spool: Option<Spool>,
        clock: Arc<dyn Clock>,
        host: Arc<dyn Host>,
    ) -> Cp {
        let wake = {
            let host = host.clone();
            Arc::new(move || host.work())
        };
        if let Some(spool) = &mut spool {
            let limited = directory.users.iter().filter(|user| user.max_spool < spool::MAX_SPID);
            limited.for_each(|user| spool.limit(&user.userid, user.max_spool));
        }
        let users = directory.users.into_iter();
        let directory = users.map(|user| (user.userid.clone(), Arc::new(user))).collect();
        let started = clock.now();
        let next_drops = AtomicU64::new(if spool.is_some() { started.0.max(1) } else { 0 });
        let paging = |real| Frames::new(real, config.processors.into()).paging() * arch::PAGE;
        let storage = config.real.map_or(config.storage, paging);
        let processors = Arc::new(Processors::new(config.processors, storage, clock.clone()));
        let count = processors.count();
        let log_message = Mutex::new(config.log_message.clone());
        let journal = Journal { logon: config.journal.into(), link: config.journal.into() };
        let spool: spool::Shared = Arc::new(Mutex::new(spool));
        Cp {
            log_message,
            disks: Disks::new(clock.clone(), wake),
            owned: OwnedVolumes::default(),
            networks: Networks::new(clock.clone()),
            expanded: Expanded::new(config.expanded),
            paging: None,
            config,
            clock,
            host,
            started,
            processors,
            saved: SavedFiles::new(spool.clone()),
            spool,
            iucv: SharedIucv::default(),
            vmcf: SharedVmcf::default(),
            tapes: Tapes::default(),
            counts: (0..count).map(|_| Processor::default()).collect(),
            journal,
            monitoring: Monitoring::default(),
            agenda: Arc::default(),
            ran: Mutex::default(),
            directory: Mutex::new(directory),
            system: Mutex::default(),
            next_id: AtomicU32::new(1),
            next_drops,
        }
    }

    /// What real storage is used for now, if its size is known. A page of a saved segment counts for each user who has
    /// it, and segment tables reach as far as the machine's storage and its segments.
    pub fn frames(&self) -> Option<Frames> {
        let real = self.config.real.or(Some(self.config.storage).filter(|&bytes| bytes > 0))?;
        let mut frames = Frames::new(real, self.config.processors.into());
        if let Some(paging) = &self.paging {
            let census = paging.picture().census;
            frames.free_storage = census.free_storage.into();
            frames.pageable = u64::from(census.pageable + census.tables);
            frames.locked = census.locked.into();
            frames.transit = census.transit.into();
            return Some(frames);
        }
        for vmdbk in self.vmdbks() {
            let configuration = vmdbk.machine().configuration.clone();
            let storage = configuration.storage();
            let ends = |used: &Use| sharing::extent(std::slice::from_ref(&used.file)).1 + 1;
            let reach = vmdbk.segments().iter().map(ends).fold(storage.size(), u64::max);
            frames.charge(configuration.cpus().count() as u64, reach, storage.resident_pages());
        }
        Some(frames)
    }

    /// Takes the volumes that CP owns, which are mounted now, and begins to take pages of virtual machines away, if the
    /// system's real storage is said. No user is logged on yet. What is wrong with the volumes, a line for each: the
    /// system does without them. The error says what is wrong with page files, or that the host has no room for it.
    pub fn begin_paging(&mut self) -> Result<Vec<String>, String> {
        let (mut owned, wrong) = OwnedVolumes::find(&self.disks, &self.users(), &self.config.name);
        let Some(real) = self.config.real else {
            self.owned = owned;
            return Ok(wrong);
        };
        let mut volumes: Vec<Box<dyn PageVolume>> = Vec::new();
        let alone = self.config.page_volumes.is_empty() && !owned.has_pages();
        for (path, bytes) in self.config.page_volumes.iter().chain(self.config.page_file.iter().filter(|_| alone)) {
            let file = FileVolume::open(path, *bytes).map_err(|error| error.to_string())?;
            owned.add_file(Box::new(file), &mut volumes);
        }
        owned.give(&self.disks, &mut volumes);
        let host = self.host.clone();
        let paging = Paging::start(Resources {
            frames: Frames::new(real, self.config.processors.into()).paging(),
            expanded: self.expanded.clone(),
            volumes,
            clock: self.clock.clone(),
            alarm: Box::new(move || host.work()),
        });
        let paging = Arc::new(paging.map_err(|error| format!("the host cannot keep pages: {error}"))?);
        let processors = Arc::downgrade(&self.processors);
        paging.ask(Box::new(move || processors.upgrade().map(|it| it.standings()).unwrap_or_default()));
        self.paging = Some(paging);
        self.owned = owned;
        Ok(wrong)
    }

    fn system(&self) -> MutexGuard<'_, System> {
        self.system.lock().held()
    }

    /// The time that CP's clock shows.
    pub fn now(&self) -> Tod {
        self.clock.now()
    }

    /// The local date and time.
    pub fn date(&self) -> Date {
        Date::at(self.now(), &self.config.zone)
    }

    /// `14:08:16 EST WEDNESDAY 11/20/91`
    pub fn long_date(&self) -> String {
        self.date().long(&self.config.zone)
    }

    // Users.

    /// The directory entry of a user.
    pub fn user(&self, userid: &str) -> Option<Arc<User>> {
        self.directory.lock().held().get(userid).cloned()
    }

    /// The virtual machine of a logged-on user.
    pub fn vmdbk(&self, userid: &str) -> Option<Arc<Vmdbk>> {
        self.system().names.get(userid).cloned()
    }

    /// The virtual machine that owns a terminal.
    pub fn owner(&self, terminal: &Terminal) -> Option<Arc<Vmdbk>> {
        self.vmdbk_of(terminal.owner()?)
    }

    /// The virtual machine of this number, if its user is logged on.
    pub fn vmdbk_of(&self, id: u32) -> Option<Arc<Vmdbk>> {
        self.system().users.get(&id).cloned()
    }

    /// Every user of the directory, in the order of their names.
    pub fn users(&self) -> Vec<Arc<User>> {
        let mut users: Vec<_> = self.directory.lock().held().values().cloned().collect();
        users.sort_by(|a, b| a.userid.cmp(&b.userid));
        users
    }

    /// The virtual machines of all logged-on users, in the order of logging on.
    pub fn vmdbks(&self) -> Vec<Arc<Vmdbk>> {
        self.system().users.values().cloned().collect()
    }

    /// How many users are logged on.
    pub fn user_count(&self) -> usize {
        self.system().users.len()
    }

    /// A virtual machine for `user`, not entered yet.
    pub(crate) fn make_vmdbk(&self, user: Arc<User>) -> Result<Arc<Vmdbk>, Message> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let userid = user.userid.clone();
        let owner = Arc::new(Owner::new(id, &self.processors));
        let (clock, spool) = (self.clock.clone(), self.spool.clone());
        let (iucv, vmcf) = (self.iucv.clone(), self.vmcf.clone());
        let paging = self.paging.clone();
        let given = Given { id, listener: owner.clone(), clock, spool, iucv, vmcf, paging };
        let vmdbk = Vmdbk::new(user, given, self.now()).map_err(|error| message::no_host_storage(userid, error))?;
        let vmdbk = Arc::new(vmdbk);
        owner.set(&vmdbk);
        Ok(vmdbk)
    }

    /// Enters a new virtual machine; `false` if the user has one already.
    pub(crate) fn enter_vmdbk(&self, vmdbk: &Arc<Vmdbk>) -> bool {
        let mut system = self.system();
        let new = !system.names.contains_key(&vmdbk.userid);
        if new {
            self.processors.share(vmdbk);
            let owner = Arc::downgrade(vmdbk);
            let ring = move |cpu| {
                if let Some(vmdbk) = owner.upgrade() {
                    vmdbk.machine().configuration.message(cpu, attention::IUCV);
                }
            };
            let owner = Arc::downgrade(vmdbk);
            let ring_all = move || {
                if let Some(vmdbk) = owner.upgrade() {
                    let configuration = vmdbk.machine().configuration.clone();
                    configuration.cpus().for_each(|cpu| configuration.message(cpu, attention::VMCF));
                }
            };
            vmdbk.vmcf().enter(vmdbk.id, base::ebcdic::padded(&vmdbk.userid), Box::new(ring_all));
            vmdbk.iucv().enter(vmdbk.id, vmdbk.user.clone(), Box::new(ring));
            let stays = vmdbk.userid == self.config.operator;
            vmdbk.console().enlist(&self.agenda, vmdbk.id, stays);
            system.users.insert(vmdbk.id, vmdbk.clone());
            system.names.insert(vmdbk.userid.clone(), vmdbk.clone());
        }
        new
    }

    pub(crate) fn remove_vmdbk(&self, vmdbk: &Arc<Vmdbk>) {
        {
            let mut system = self.system();
            if system.users.remove(&vmdbk.id).is_some() {
                system.names.remove(&vmdbk.userid);
            }
        }
        vmdbk.console().delist();
        vmdbk.iucv().leave(vmdbk.id);
        vmdbk.vmcf().leave(vmdbk.id);
    }

    /// The lines of the log message, which users see at LOGON.
    pub fn log_message(&self) -> Vec<String> {
        self.log_message.lock().held().clone()
    }

    /// SET LOGMSG: the lines from now on, for as long as the system is up.
    pub fn set_log_message(&self, change: impl FnOnce(&mut Vec<String>)) {
        change(&mut self.log_message.lock().held());
    }

    /// The password that `user` logs on with: one that was changed while the system is up, else the directory's.
    pub fn password(&self, user: &User) -> directory::Password {
        let changed =
            matches!(user.password, directory::Password::Hash(_)).then(|| self.host.password(&user.userid)).flatten();
        changed.unwrap_or_else(|| user.password.clone())
    }

    /// A notice on the operator's console, after the time of day.
    pub fn notify_operator(&self, text: &str) {
        if let Some(operator) = self.vmdbk(&self.config.operator) {
            let now = self.now();
            operator.write(&format!("{} {text}", Date::at(now, &self.config.zone).time()), Tone::Normal, now);
        }
    }

    // Terminals.

    /// Removes a terminal that is gone, and returns it.
    pub(crate) fn remove_terminal(&self, id: u32) -> Option<Arc<Terminal>> {
        let terminal = self.system().terminals.remove(&id)?;
        terminal.delist();
        Some(terminal)
    }

    /// How many terminals are dialed to virtual machines.
    pub fn dialed_count(&self) -> usize {
        self.agenda.dialed()
    }

    /// A terminal appears. `name` is where it is (`0009`, `L0003`); without one it becomes the next logical device.
    /// `local` says that its user is at this host.
    pub fn connect(&self, kind: Kind, name: Option<&str>, origin: &str, local: bool) -> Arc<Terminal> {
        let mut system = self.system();
        let id = system.next_terminal;
        system.next_terminal += 1;
        let name = name.map_or_else(|| format!("L{id:04X}"), str::to_string);
        let host = self.host.clone();
        let terminal = Arc::new(Terminal::new(id, name, kind, origin.into(), local, &self.config.name, host));
        terminal.enlist(&self.agenda);
        system.terminals.insert(id, terminal.clone());
        terminal
    }

    /// The terminal with this number; `None` if there is none.
    pub fn terminal(&self, id: u32) -> Option<Arc<Terminal>> {
        self.system().terminals.get(&id).cloned()
    }

    /// Begins CP READ (`reading`), in which the virtual machine does not run unless SET RUN is ON; or ends it.
    pub fn set_cp_read(&self, vmdbk: &Arc<Vmdbk>, reading: bool) {
        {
            let mut console = vmdbk.console();
            console.cp_read = reading;
            match reading {
                true => console.glass.hide(),
                false => console.glass.show(),
            }
            console.show_turn();
        }
        self.settle(vmdbk);
    }

    /// A terminal has shown some of its output: a virtual machine that waits for that goes on.
    pub fn relieve(&self, terminal: &Terminal) {
        if let Some(vmdbk) = self.owner(terminal)
            && vmdbk.flooded.load(Ordering::Acquire)
            && terminal.backlog() < FLOOD / 2
        {
            self.let_go(&vmdbk);
        }
    }

    /// Lets a virtual machine go on that was stopped because it had written too much.
    pub(crate) fn let_go(&self, vmdbk: &Arc<Vmdbk>) {
        if vmdbk.flooded.swap(false, Ordering::AcqRel) {
            self.processors.wake(vmdbk);
        }
    }

    /// Holds or wakes the virtual CPUs, if the virtual machine may run no longer, or again.
    pub fn settle(&self, vmdbk: &Arc<Vmdbk>) {
        if vmdbk.settle_hold() {
            match vmdbk.is_held() {
                true => vmdbk.machine().hold(),
                false => self.processors.wake(vmdbk),
            }
        }
        self.host.work();
    }

    /// Sends the output of a disconnected user to the secondary user, who sees it if at a terminal.
    pub(crate) fn forward(&self, vmdbk: &Vmdbk) {
        let (secondary, lines) = {
            let mut console = vmdbk.console();
            if console.forward.is_empty() {
                return;
            }
            (console.secondary.clone(), std::mem::take(&mut console.forward))
        };
        let Some(secondary) = secondary.and_then(|userid| self.secondary(vmdbk, &userid)) else { return };
        for line in lines {
            secondary.console().receive(&format!("{:<8}: {line}", vmdbk.userid), self.now());
        }
    }

    /// The virtual machine of a user's secondary user, if it is there and another one.
    fn secondary(&self, vmdbk: &Vmdbk, userid: &str) -> Option<Arc<Vmdbk>> {
        self.vmdbk(userid).filter(|secondary| secondary.id != vmdbk.id)
    }

    /// Whether lines for a user get anywhere: to a terminal, the user's own or the secondary user's, or to a file.
    pub(crate) fn is_read(&self, vmdbk: &Vmdbk) -> bool {
        let secondary = {
            let console = vmdbk.console();
            if console.terminal.is_some() || console.record.is_some() {
                return true;
            }
            console.secondary.clone()
        };
        secondary
            .and_then(|userid| self.secondary(vmdbk, &userid))
            .is_some_and(|secondary| !secondary.is_disconnected())
    }
}
