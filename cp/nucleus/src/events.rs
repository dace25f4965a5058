//! The events that CP reacts to: a key is pressed, time passes, a processor is free, the system comes up or ends.
//!
//! The executable (or a test) connects terminals, hands over keys and lines, calls [`Cp::tick`] when [`Cp::deadline`]
//! is reached, and lends threads to be processors. Nothing in here reads the host's clock or touches a socket, so a
//! test with a virtual clock sees the same text every time.

use crate::command::dial;
use crate::command::{self, Issuer, Origin};
use crate::system::Cp;
use crate::{intercept, logon};
use base::{Held, Tod};
use consoles::PfKey;
use consoles::agenda::Item;
use consoles::display::{Action, Key, Tone};
use consoles::edit::Logical;
use consoles::terminal::{Entry, Terminal};
use realstorage::pager::Notice;
use realstorage::residency;
use spool::SpoolFile;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tn3270::datastream::Aid;
use virtualmachine::vmdbk::Vmdbk;

/// How many lines a user may type ahead of the virtual machine's reading.
const TYPED_AHEAD: usize = 256;

/// How often the drop folder is looked into, in microseconds.
const DROP_INTERVAL: u64 = 1_000_000;

impl Cp {
    /// A terminal is gone: the connection broke, the telnet client ended. Its virtual machine is disconnected.
    pub fn hang_up(&self, id: u32) {
        if let Some(line) = self.terminal(id).and_then(|terminal| terminal.line()) {
            dial::drop_line(self, &line);
        }
        let Some(terminal) = self.remove_terminal(id) else { return };
        if let Some(vmdbk) = self.owner(&terminal) {
            logon::disconnect(self, &vmdbk);
        }
    }

    /// A key of a display. `fields` are the contents of the screen's input fields: several on the logo, elsewhere one.
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
            && let Some(vmdbk) = self.owner(&terminal)
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

    /// Lets time pass for a terminal. A page that turns by itself gives the guest its screen, as CLEAR does.
    fn tick_terminal(&self, terminal: &Terminal, now: Tod) {
        let kept = terminal.is_kept();
        terminal.tick(now);
        self.relieve(terminal);
        if kept
            && !terminal.is_kept()
            && let Some(vmdbk) = self.owner(terminal)
            && !vmdbk.console().cp_read
        {
            vmdbk.glass.show();
            terminal.touch();
        }
    }

    /// A record of the 3270 data stream, which a display has sent while the guest had it.
    pub fn inbound(&self, id: u32, record: &[u8]) {
        let Some(terminal) = self.terminal(id) else { return };
        if let Some(line) = terminal.line() {
            return match record.first().map(|&byte| Aid::from_byte(byte)) {
                Some(Aid::SysReq) => dial::system_request(self, &terminal, &line),
                _ => _ = line.graf.glass.inbound(record),
            };
        }
        let Some(vmdbk) = self.owner(&terminal) else { return };
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
            // A DIAGNOSE may have waited for it.
            false if vmdbk.glass.inbound(record) => self.go_on(&vmdbk),
            false => (),
        }
    }

    /// What DIAGNOSEs of a virtual machine have waited for is here.
    fn go_on(&self, vmdbk: &Arc<Vmdbk>) {
        for cpu in vmdbk.machine().go_on() {
            self.processors.wake_one(vmdbk, cpu);
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
        let Some(vmdbk) = self.owner(terminal) else { return };
        let reading = vmdbk.console().cp_read;
        self.set_cp_read(&vmdbk, !reading);
    }

    fn function_key(&self, terminal: &Arc<Terminal>, number: u8, typed: &str) {
        let Some(vmdbk) = self.owner(terminal) else { return };
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
        let Some(vmdbk) = self.owner(terminal) else { return logon::entry_line(self, terminal, typed) };
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

    /// A line that another user types at a user's console (SEND): for CP if it reads, else for the virtual machine.
    pub(crate) fn type_line(&self, vmdbk: &Arc<Vmdbk>, line: &str) {
        let reading = {
            let mut console = vmdbk.console();
            console.record_input(line);
            console.cp_read
        };
        match reading {
            true if line.trim_ascii().is_empty() => (),
            true => self.console_command(vmdbk, line),
            false => self.enter_line(vmdbk, line),
        }
    }

    /// A line for the virtual machine: the guest's read gets it, or an attention tells the guest to read.
    fn enter_line(&self, vmdbk: &Arc<Vmdbk>, line: &str) {
        let machine = vmdbk.machine();
        if machine.keyboard.queued() < TYPED_AHEAD {
            machine.keyboard.enter(&base::ebcdic::from_str(line));
        }
    }

    /// Runs a virtual CPU on `processor`, if one is ready. Returns whether there was one.
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
        let machine = work.vmdbk.machine();
        let before = machine.configuration.times(work.cpu);
        self.host.runs();
        // A panic stops the virtual machine that it occurred in, and no other.
        let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| intercept::run(self, &work)));
        let (why, until) = run.unwrap_or_else(|failure| intercept::failed(self, &work, failure.as_ref()));
        self.host.has_run();
        let end = self.now();
        if work.vmdbk.residency.has_run(end) {
            self.has_run(work.vmdbk.id, end);
        }
        let times = machine.configuration.times(work.cpu);
        let (busy, emulation) = (end.micros_since(start), times.0.saturating_sub(before.0));
        let users = times.1.saturating_sub(before.1);
        let counts = &self.counts[processor];
        counts.has_run(busy, emulation, users, machine.new_starts());
        if self.monitor_due().is_some()
            && counts.is_behind(end)
            && let Some((mapped, read)) = self.host.faults()
        {
            counts.mapped.store(mapped, Ordering::Relaxed);
            counts.read.store(read, Ordering::Relaxed);
        }
        self.processors.returned(processor, &work, busy, why, until);
        self.drain_moves();
        // Without the size of the host's storage STORBUF has no effect, and working sets are not needed.
        if (self.config.storage != 0 || self.config.real.is_some()) && work.vmdbk.residency.is_measured_at(end) {
            let pages = work.vmdbk.measure();
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

    /// Brings the system up: the operator is logged on at `terminal`, or without one, and after that those who collect
    /// records, and AUTOLOG1, which starts all others.
    pub fn start(&self, terminal: Option<&Arc<Terminal>>) {
        logon::log_on_operator(self, terminal);
        self.start_collectors();
        if let Some(user) = self.user("AUTOLOG1")
            && let Err(message) = logon::autolog(self, user)
        {
            self.notify_operator(&message.to_string());
        }
    }

    /// Starts the virtual machines that collect records, as far as the directory has them.
    fn start_collectors(&self) {
        for (_, userid) in &self.config.collectors {
            if self.vmdbk(userid).is_some() {
                continue;
            }
            let user = self.user(userid).ok_or_else(|| message::not_in_directory(userid).from("XAU"));
            if let Err(message) = user.and_then(|user| logon::autolog(self, user)) {
                self.notify_operator(&message.to_string());
            }
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
            self.next_drops.store(now.plus_micros(DROP_INTERVAL).0, Ordering::Relaxed);
            self.take_drops();
            if self.rest(now) {
                storage::give_back_free();
            }
        }
        for trouble in self.disks.take_troubles() {
            self.notify_operator(&trouble.to_string());
        }
        for notice in self.paging.iter().flat_map(|paging| paging.take_notices()) {
            let text = match notice {
                Notice::Much { percent, spool } => {
                    message::page_space_used(percent, if spool { "spooling" } else { "paging" })
                }
                Notice::Overflow => message::page_space_overflow(),
                Notice::Full => message::page_space_full(),
                Notice::Trouble(volume, what, why) => message::page_volume_error(volume, what, why),
            };
            self.notify_operator(&text.to_string());
        }
        for (switch, notice) in self.networks.notices() {
            self.notify_operator(&message::uplink_notice(switch, notice).to_string());
        }
        for notice in engine::take_notices() {
            let engine::Notice::NoTranslator(why) = notice;
            self.notify_operator(&message::no_translator(why).to_string());
        }
        self.tick_monitor(now);
        for item in self.agenda.due(now) {
            match item {
                Item::Terminal(id) => {
                    if let Some(terminal) = self.terminal(id) {
                        self.tick_terminal(&terminal, now);
                    }
                }
                Item::User(id) => {
                    let vmdbk = self.vmdbk_of(id);
                    vmdbk.iter().for_each(|vmdbk| self.tick_user(vmdbk, now));
                }
                Item::Watchdog(id) => {
                    let vmdbk = self.vmdbk_of(id);
                    vmdbk.iter().for_each(|vmdbk| diagnose::time::watch(self, vmdbk, now));
                }
            }
        }
    }

    /// Takes in what `endicott punch` has left for the system, and tells the owners.
    pub fn take_drops(&self) {
        let files: Vec<SpoolFile> = {
            let mut spool = spool::lock(&self.spool);
            let Some(spool) = &mut *spool else { return };
            // What cannot be taken in now stays in the drop folder.
            let Ok(taken) = spool.take_drops() else { return };
            taken.files.iter().filter_map(|(owner, spid)| spool.file(owner, *spid).cloned()).collect()
        };
        files.iter().for_each(|file| command::close::announce(self, "", file, file.device.name(), 0));
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

    /// The virtual machine of a user ran at this time.
    fn has_run(&self, user: u32, at: Tod) {
        self.ran.lock().held().set(user, Some(at));
    }

    /// Has virtual machines rest that have been idle for a while. Returns whether any does.
    fn rest(&self, now: Tod) -> bool {
        let mut rested = false;
        loop {
            let idle = self.ran.lock().held().take(|ran| residency::rests(ran, now));
            let Some(id) = idle else { break };
            let Some(vmdbk) = self.vmdbk_of(id) else { continue };
            match vmdbk.rest(now) {
                Ok(()) => rested = true,
                Err(ran) => self.has_run(id, ran),
            }
        }
        rested
    }

    /// When [`Cp::tick`] has something to do next.
    pub fn deadline(&self) -> Option<Tod> {
        let pager = self.paging.as_ref().is_some_and(|paging| paging.has_notices());
        let troubles = (pager || self.disks.has_troubles()).then_some(Tod(0));
        self.agenda.deadline().into_iter().chain(self.drops_at()).chain(troubles).chain(self.monitor_due()).min()
    }

    /// When files that other programs have punched are taken in next, in a system that has a spool.
    fn drops_at(&self) -> Option<Tod> {
        Some(Tod(self.next_drops.load(Ordering::Relaxed))).filter(|at| at.0 != 0)
    }
}
