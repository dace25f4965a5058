//! The system: which users are logged on, at which terminals, and what happens when a key is pressed or time passes.
//!
//! [`Cp`] is the whole Control Program as its surroundings see it. The executable (or a test) connects terminals, hands
//! over keys and lines, calls [`Cp::tick`] when [`Cp::deadline`] is reached, and lends threads to be processors.
//! Nothing in here reads the host's clock or touches a socket, so a test with a virtual clock sees the same text every
//! time.

use crate::agenda::{Agenda, Item};
use crate::command::{self, Issuer, Origin};
use crate::console::PfKey;
use crate::console::display::{Action, Key, Tone};
use crate::console::edit::Logical;
use crate::console::terminal::{Entry, Host, Kind, Terminal};
use crate::dial;
use crate::intercept;
use crate::logon;
use crate::machine::{FLOOD, Owner, Surroundings};
use crate::minidisk::Disks;
use crate::processor::Processors;
use crate::spooling::{self, SharedSpool};
use crate::tape::Tapes;
use crate::vmdbk::{self, Vmdbk};
use base::{Clock, Held, Tod};
use directory::{Directory, User};
use message::Message;
use message::calendar::{Date, Zone};
use spool::Spool;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use tn3270::datastream::Aid;

/// What the system configuration decides.
#[derive(Clone, Debug)]
pub struct SystemConfig {
    /// The system identifier, at most eight characters: shown at the lower right of every display.
    pub name: String,
    pub zone: Zone,
    /// The user who gets the operator's notices on the console.
    pub operator: String,
    /// How many host threads run virtual CPUs.
    pub processors: u16,
    /// The host's storage in bytes, of which SET SRM STORBUF is a part; 0 if it is not known.
    pub storage: u64,
    /// The log message lines, shown at LOGON.
    pub log_message: Vec<String>,
}

impl Default for SystemConfig {
    fn default() -> SystemConfig {
        SystemConfig {
            name: "ENDICOTT".into(),
            zone: Zone::default(),
            operator: "OPERATOR".into(),
            processors: 1,
            storage: 0,
            log_message: Vec::new(),
        }
    }
}

/// How many lines a user may type ahead of the virtual machine's reading.
const TYPED_AHEAD: usize = 256;

/// Minutes after which a disconnected user is logged off if the virtual machine waits for CP.
pub const FORCED_OFF_AFTER_MINUTES: u64 = 15;

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
    pub config: SystemConfig,
    pub clock: Arc<dyn Clock>,
    pub host: Arc<dyn Host>,
    /// When the system came up.
    pub started: Tod,
    pub processors: Arc<Processors>,
    pub spool: SharedSpool,
    pub iucv: crate::iucv::Shared,
    /// Saved systems and segments in use.
    pub saved: crate::saved::Shared,
    pub disks: Disks,
    pub tapes: Tapes,
    /// What is due when.
    agenda: Arc<Agenda>,
    directory: Mutex<HashMap<String, Arc<User>>>,
    system: Mutex<System>,
    next_id: AtomicU32,
    next_drops: AtomicU64,
    log_message: Mutex<Vec<String>>,
}

impl Cp {
    pub fn new(
        config: SystemConfig,
        directory: Directory,
        spool: Option<Spool>,
        clock: Arc<dyn Clock>,
        host: Arc<dyn Host>,
    ) -> Cp {
        let users = directory.users.into_iter();
        let directory = users.map(|user| (user.userid.clone(), Arc::new(user))).collect();
        let started = clock.now();
        let next_drops = AtomicU64::new(if spool.is_some() { started.0.max(1) } else { 0 });
        let processors = Arc::new(Processors::new(config.processors, config.storage, clock.clone()));
        let log_message = Mutex::new(config.log_message.clone());
        let spool: SharedSpool = Arc::new(Mutex::new(spool));
        Cp {
            log_message,
            config,
            clock,
            host,
            started,
            processors,
            saved: crate::saved::table(&spool),
            spool,
            iucv: crate::iucv::Shared::default(),
            disks: Disks::default(),
            tapes: Tapes::default(),
            agenda: Arc::default(),
            directory: Mutex::new(directory),
            system: Mutex::default(),
            next_id: AtomicU32::new(1),
            next_drops,
        }
    }

    fn system(&self) -> MutexGuard<'_, System> {
        self.system.lock().held()
    }

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

    /// Every user of the directory, in the order of their names.
    pub fn users(&self) -> Vec<Arc<User>> {
        let mut users: Vec<_> = self.directory.lock().held().values().cloned().collect();
        users.sort_by(|a, b| a.userid.cmp(&b.userid));
        users
    }

    /// Every logged-on user's, the earliest first.
    pub fn vmdbks(&self) -> Vec<Arc<Vmdbk>> {
        self.system().users.values().cloned().collect()
    }

    /// How many users are logged on.
    pub fn user_count(&self) -> usize {
        self.system().users.len()
    }

    /// What the hardware of a new virtual machine is made with.
    pub fn surroundings(&self, id: u32) -> Surroundings {
        Surroundings {
            owner: Owner::default(),
            id,
            processors: self.processors.clone(),
            clock: self.clock.clone(),
            spool: self.spool.clone(),
            iucv: self.iucv.clone(),
        }
    }

    /// A virtual machine for `user`, not entered yet.
    pub(crate) fn make_vmdbk(&self, user: Arc<User>) -> Result<Arc<Vmdbk>, Message> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let userid = user.userid.clone();
        let around = self.surroundings(id);
        Vmdbk::new(user, &around, self.now()).map_err(|error| message::no_host_storage(userid, error))
    }

    /// Enters a new virtual machine; `false` if the user has one already.
    pub(crate) fn enter_vmdbk(&self, vmdbk: &Arc<Vmdbk>) -> bool {
        let mut system = self.system();
        let new = !system.names.contains_key(&vmdbk.userid);
        if new {
            command::set::scheduling::tell(self, vmdbk);
            let owner = Arc::downgrade(vmdbk);
            let ring = move |cpu| {
                if let Some(vmdbk) = owner.upgrade() {
                    vmdbk.machine().configuration.message(cpu);
                }
            };
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
    }

    /// The lines of the log message.
    pub fn log_message(&self) -> Vec<String> {
        self.log_message.lock().held().clone()
    }

    /// SET LOGMSG: the lines from now on, for as long as the system is up.
    pub fn set_log_message(&self, change: impl FnOnce(&mut Vec<String>)) {
        change(&mut self.log_message.lock().held());
    }

    /// The password that `user` logs on with: one that was changed while the system is up goes before the directory's.
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

    pub fn terminal(&self, id: u32) -> Option<Arc<Terminal>> {
        self.system().terminals.get(&id).cloned()
    }

    /// A terminal is gone: the connection broke, the telnet client ended. Its virtual machine is disconnected.
    pub fn hang_up(&self, id: u32) {
        let Some(terminal) = self.system().terminals.remove(&id) else { return };
        terminal.delist();
        if let Some(line) = terminal.line() {
            dial::drop_line(self, &line);
        }
        if let Some(vmdbk) = terminal.owner() {
            logon::disconnect(self, &vmdbk);
        }
    }

    /// A key of a display: `fields` are the contents of the screen's input fields, of which all screens but the logo
    /// have one.
    pub fn key(&self, id: u32, key: Key, fields: &[String]) {
        let Some(terminal) = self.terminal(id) else { return };
        let now = self.now();
        if terminal.shows_logo() {
            return logon::logo_key(self, &terminal, key, fields);
        }
        let typed = fields.first().map_or("", String::as_str);
        if let Some(line) = terminal.line() {
            return dial::key(self, &terminal, &line, key, typed);
        }
        if terminal.entry() == Entry::Parting {
            return terminal.set_entry(Entry::Logo);
        }
        let action = terminal.key(key, typed, now);
        self.relieve(&terminal);
        if matches!(key, Key::Clear | Key::Pa2)
            && terminal.backlog() == 0
            && let Some(vmdbk) = terminal.owner()
            && !vmdbk.console().cp_read
        {
            vmdbk.glass.show();
        }
        match action {
            Action::None => (),
            Action::Line(line) => self.line_of(&terminal, &line),
            Action::Break => self.break_key(&terminal),
            Action::Function(number, typed) => self.function_key(&terminal, number, &typed),
        }
    }

    /// What a display has sent while the guest had it: a record of the 3270 data stream.
    pub fn inbound(&self, id: u32, record: &[u8]) {
        let Some(terminal) = self.terminal(id) else { return };
        if let Some(line) = terminal.line() {
            return match record.first().map(|&byte| Aid::from_byte(byte)) {
                Some(Aid::SysReq) => dial::system_request(self, &terminal, &line),
                _ => line.graf.glass.inbound(record),
            };
        }
        let Some(vmdbk) = terminal.owner() else { return };
        let key = match record.first().map(|&byte| Aid::from_byte(byte)) {
            Some(Aid::SysReq) => return self.set_cp_read(&vmdbk, true),
            Some(Aid::Pa(number)) => format!("PA{number}"),
            Some(Aid::Pf(number)) => format!("PF{number:02}"),
            _ => String::new(),
        };
        let breaks = {
            let wanted = &vmdbk.console().settings.break_key;
            *wanted == key || wanted.strip_prefix("PF").is_some_and(|number| format!("PF{number:0>2}") == key)
        };
        match breaks {
            true => self.set_cp_read(&vmdbk, true),
            false => vmdbk.glass.inbound(record),
        }
    }

    /// A line of a typewriter.
    pub fn line(&self, id: u32, line: &str) {
        if let Some(terminal) = self.terminal(id) {
            self.line_of(&terminal, line);
        }
    }

    /// The break key: CP READ, or from CP READ back to the virtual machine.
    pub fn attention(&self, id: u32) {
        if let Some(terminal) = self.terminal(id) {
            self.break_key(&terminal);
        }
    }

    fn break_key(&self, terminal: &Terminal) {
        let Some(vmdbk) = terminal.owner() else { return };
        let reading = vmdbk.console().cp_read;
        self.set_cp_read(&vmdbk, !reading);
    }

    fn function_key(&self, terminal: &Arc<Terminal>, number: u8, typed: &str) {
        let Some(vmdbk) = terminal.owner() else { return };
        let pf = vmdbk.console().pf.get(usize::from(number).wrapping_sub(1)).cloned().unwrap_or_default();
        match pf {
            PfKey::Undefined => (),
            PfKey::Retrieve { forward } => terminal.retrieve(forward),
            PfKey::Delayed(text) => terminal.put_input(text),
            PfKey::Immediate(text) => {
                let line = if text.is_empty() { typed.to_string() } else { text };
                terminal.accept(&line, self.now());
                self.line_of(terminal, &line);
            }
        }
    }

    fn line_of(&self, terminal: &Arc<Terminal>, typed: &str) {
        let Some(vmdbk) = terminal.owner() else { return logon::entry_line(self, terminal, typed) };
        let slept = vmdbk.console().asleep.take().is_some();
        if slept {
            vmdbk.console().show_turn();
            self.settle(&vmdbk);
            if typed.is_empty() {
                return;
            }
        }
        let question = vmdbk.console().take_question();
        if let Some(question) = question {
            return self.console_command(&vmdbk, &format!("{question} {}", typed.trim_ascii()));
        }
        let echo = vmdbk.console().echo;
        if let Some(times) = echo {
            if typed.trim().eq_ignore_ascii_case("END") {
                vmdbk.console().echo = None;
            } else {
                (0..times).for_each(|_| vmdbk.write(typed, Tone::Normal, self.now()));
            }
            return;
        }
        let (editing, edit) = {
            let console = vmdbk.console();
            (console.settings.editing, console.settings.edit)
        };
        let lines = if edit { editing.split(typed) } else { vec![Logical::Reader(typed.into())] };
        for line in lines {
            if vmdbk.is_leaving() || vmdbk.is_disconnected() {
                break;
            }
            let reading = vmdbk.console().cp_read;
            let (Logical::Cp(text) | Logical::Reader(text)) = &line;
            vmdbk.console().record_input(text);
            match line {
                Logical::Cp(command) if command.is_empty() => self.set_cp_read(&vmdbk, true),
                Logical::Cp(command) => self.console_command(&vmdbk, &command),
                Logical::Reader(line) if !reading => self.enter_line(&vmdbk, &line),
                Logical::Reader(line) if line.trim_ascii().is_empty() => (),
                Logical::Reader(line) => self.console_command(&vmdbk, &line),
            }
        }
    }

    /// CP reads, and the virtual machine stands still (unless SET RUN ON); or it goes on.
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

    /// A terminal has shown some of what it had to show: a virtual machine that waits for that goes on.
    pub fn relieve(&self, terminal: &Terminal) {
        if let Some(vmdbk) = terminal.owner()
            && vmdbk.flooded.load(Ordering::Acquire)
            && terminal.backlog() < FLOOD / 2
        {
            self.let_go(&vmdbk);
        }
    }

    /// A virtual machine that has written too much goes on.
    pub(crate) fn let_go(&self, vmdbk: &Arc<Vmdbk>) {
        if vmdbk.flooded.swap(false, Ordering::AcqRel) {
            vmdbk.machine().wake(vmdbk, &self.processors);
        }
    }

    /// Brings the processors in line with whether the virtual machine may run.
    pub fn settle(&self, vmdbk: &Arc<Vmdbk>) {
        if vmdbk.settle_hold() {
            match vmdbk.is_held() {
                true => vmdbk.machine().hold(),
                false => vmdbk.machine().wake(vmdbk, &self.processors),
            }
        }
        self.host.work();
    }

    /// A line for the virtual machine: the guest's read gets it, or an attention tells the guest to read.
    fn enter_line(&self, vmdbk: &Arc<Vmdbk>, line: &str) {
        let machine = vmdbk.machine();
        if machine.keyboard.queued() < TYPED_AHEAD {
            machine.keyboard.enter(&base::ebcdic::from_str(line));
        }
    }

    /// Runs what `processor` has to run, if anything; whether there was.
    pub fn step(&self, processor: usize) -> bool {
        self.run(processor, false)
    }

    /// A processor: runs virtual CPUs until the system ends.
    pub fn process(&self, processor: usize) {
        while self.run(processor, true) {}
    }

    fn run(&self, processor: usize, wait: bool) -> bool {
        let Some(work) = self.processors.next(processor, wait) else { return false };
        let start = self.now();
        // A failure of our own stops the virtual machine that met it, and no other.
        let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| intercept::run(self, &work)));
        let (why, until) = run.unwrap_or_else(|failure| intercept::failed(self, &work, failure.as_ref()));
        let end = self.now();
        if work.vmdbk.has_run(end) {
            self.agenda.has_run(work.vmdbk.id, end);
        }
        self.processors.returned(processor, &work, end.micros_since(start), why, until);
        // Only if the host's storage is known is there a STORBUF to keep.
        if self.config.storage != 0 && work.vmdbk.is_measured_at(end) {
            let pages = work.vmdbk.machine().configuration.storage().resident_pages();
            self.processors.working_set(work.vmdbk.id, pages);
        }
        true
    }

    /// Performs a command typed at the console; its response and messages go there.
    pub fn console_command(&self, vmdbk: &Arc<Vmdbk>, line: &str) {
        let issuer = Issuer { vmdbk: vmdbk.clone(), origin: Origin::Console, cpu: None };
        let start = self.now();
        let result = command::execute(self, &issuer, line);
        let now = self.now();
        vmdbk.account.add_control(now.micros_since(start));
        match result {
            Ok(response) => response.lines.iter().for_each(|line| vmdbk.write(line, Tone::Normal, now)),
            Err(message) => vmdbk.write_message(&message, now),
        }
    }

    /// Brings the system up: the operator is logged on at `terminal`, or without one, and after that AUTOLOG1, which
    /// starts all others.
    pub fn start(&self, terminal: Option<&Arc<Terminal>>) {
        logon::log_on_operator(self, terminal);
        if let Some(user) = self.user("AUTOLOG1")
            && let Err(message) = logon::autolog(self, user)
        {
            self.notify_operator(&message.to_string());
        }
    }

    /// Ends the system: all users are logged off, the operator last.
    pub fn shut_down(&self) {
        let (operator, others): (Vec<_>, Vec<_>) =
            self.vmdbks().into_iter().partition(|vmdbk| vmdbk.userid == self.config.operator);
        for vmdbk in others.iter().chain(&operator) {
            logon::log_off(self, vmdbk, logon::Reason::ShutDown);
        }
        self.processors.end();
        self.disks.close(self.now());
        self.host.shut_down();
    }

    // Time.

    /// Does what is due now.
    pub fn tick(&self) {
        let now = self.now();
        if self.drops_at().is_some_and(|at| at <= now) {
            self.next_drops.store(spooling::next_drops(now).0, Ordering::Relaxed);
            spooling::take_drops(self);
            if self.rest(now) {
                storage::give_back_free();
            }
        }
        for trouble in self.disks.take_troubles() {
            self.notify_operator(&trouble.to_string());
        }
        for notice in engine::take_notices() {
            let engine::Notice::NoTranslator(why) = notice;
            self.notify_operator(&message::no_translator(why).to_string());
        }
        for item in self.agenda.due(now) {
            match item {
                Item::Terminal(id) => {
                    if let Some(terminal) = self.terminal(id) {
                        terminal.tick(now);
                        self.relieve(&terminal);
                    }
                }
                Item::User(id) => {
                    let vmdbk = self.system().users.get(&id).cloned();
                    vmdbk.iter().for_each(|vmdbk| self.tick_user(vmdbk, now));
                }
            }
        }
    }

    /// Does what is due for a user.
    fn tick_user(&self, vmdbk: &Arc<Vmdbk>, now: Tod) {
        let waking = {
            let mut console = vmdbk.console();
            let waking = matches!(console.asleep, Some(Some(at)) if at <= now);
            if waking {
                console.asleep = None;
                console.show_turn();
            }
            waking
        };
        if waking {
            self.settle(vmdbk);
        }
        self.forward(vmdbk);
        let forced = vmdbk.console().forced_off_at();
        if forced.is_some_and(|at| at <= now) {
            logon::log_off(self, vmdbk, logon::Reason::Forced("SYSTEM"));
        }
    }

    /// Has virtual machines rest that have had nothing to do for a while; whether any does.
    fn rest(&self, now: Tod) -> bool {
        let mut rested = false;
        while let Some(id) = self.agenda.take_idle(|ran| vmdbk::rests(ran, now)) {
            let Some(vmdbk) = self.system().users.get(&id).cloned() else { continue };
            match vmdbk.rest(now) {
                Ok(()) => rested = true,
                Err(ran) => self.agenda.has_run(id, ran),
            }
        }
        rested
    }

    /// Takes what a disconnected user has written to the secondary user, who sees it if there is a terminal.
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

    /// When [`Cp::tick`] has something to do next.
    pub fn deadline(&self) -> Option<Tod> {
        let troubles = self.disks.has_troubles().then_some(Tod(0));
        self.agenda.deadline().into_iter().chain(self.drops_at()).chain(troubles).min()
    }

    /// When files that other programs have punched are taken in next, in a system that has a spool.
    fn drops_at(&self) -> Option<Tod> {
        Some(Tod(self.next_drops.load(Ordering::Relaxed))).filter(|at| at.0 != 0)
    }
}
