//! The way in and the way out: the logo, LOGON, passwords, DISCONNECT and reconnection, XAUTOLOG, LOGOFF, FORCE.

use crate::command::close;
use crate::system::Cp;
use consoles::display::{Key, Tone};
use consoles::terminal::{Entry, Logon, Owner, Terminal};
use directory::{Device, DeviceKind, IplFrom, Password, RealDevice, User};
use message::Message;
use message::words::Words;
use minidisk::{Guest, Refusal, Request};
use monitor::account;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use virtualmachine::tape::Holder;
use virtualmachine::vmdbk::Vmdbk;

/// Wrong passwords in a row after which a terminal goes back to its logo.
const WRONG_PASSWORDS: u32 = 5;

/// Why a user is logged off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// LOGOFF.
    LogOff,
    /// By CP itself: the name in the operator's notice, SYSTEM.
    Forced(&'static str),
    /// FORCE by an operator.
    ForcedByOperator,
    /// SHUTDOWN.
    ShutDown,
}

/// A key while the logo is shown.
pub fn logo_key(cp: &Cp, terminal: &Arc<Terminal>, key: Key, fields: &[String]) {
    let field = |n: usize| fields.get(n).map_or("", |text| text.trim_ascii());
    match (key, field(0), field(2)) {
        (Key::Enter, "", "") | (Key::Clear, ..) => greet(cp, terminal),
        (Key::Enter, "", command) => {
            greet(cp, terminal);
            entry_line(cp, terminal, command);
        }
        (Key::Enter, userid, command) => {
            terminal.set_entry(Entry::Command);
            let line = if command.is_empty() { format!("{userid} {}", field(1)) } else { userid.to_string() };
            logon_command(cp, terminal, Words::new(&line));
            if !command.is_empty() && terminal.owner().is_some() {
                cp.line(terminal.id, command);
            }
        }
        _ => (),
    }
}

fn greet(cp: &Cp, terminal: &Terminal) {
    terminal.set_entry(Entry::Command);
    let now = cp.now();
    for line in [
        "Enter one of the following commands:",
        "",
        "   LOGON userid               (Example: LOGON VMUSER1)",
        "   DIAL userid                (Example: DIAL VMUSER2)",
        "   MSG userid message         (Example: MSG VMUSER2 GOOD MORNING)",
        "   LOGOFF",
    ] {
        terminal.write(line, Tone::Normal, now);
    }
}

/// A line at a terminal at which no user is logged on.
pub fn entry_line(cp: &Cp, terminal: &Arc<Terminal>, line: &str) {
    match terminal.entry() {
        Entry::Password(logon) => {
            terminal.set_entry(Entry::Command);
            return try_logon(cp, terminal, &logon, Some(line.trim_ascii()));
        }
        Entry::Parting => return terminal.set_entry(if terminal.is_display() { Entry::Logo } else { Entry::Command }),
        _ => (),
    }
    let mut words = Words::new(line);
    let Some(word) = words.next() else { return greet(cp, terminal) };
    match () {
        () if word.is("Logon") || word.is("LOGIN") => logon_command(cp, terminal, words),
        () if word.is("LOGoff") || word.is("LOGOUT") => terminal.set_entry(Entry::Logo),
        () if word.is("Message") || word.is("MSG") => {
            terminal.echo(line, cp.now());
            if let Err(message) = cp.tell_from_terminal(terminal, words) {
                terminal.write(&message.to_string(), Tone::Normal, cp.now());
            }
        }
        () if word.is("Dial") => {
            terminal.echo(line, cp.now());
            if let Err(message) = crate::command::dial::dial(cp, terminal, words) {
                terminal.write(&message.from("DIA").to_string(), Tone::Normal, cp.now());
            }
        }
        () => greet(cp, terminal),
    }
}

fn logon_command(cp: &Cp, terminal: &Arc<Terminal>, mut words: Words<'_>) {
    let refuse = |message: Message| terminal.write(&message.from("LGA").to_string(), Tone::Normal, cp.now());
    let userid = match words.need_userid() {
        Ok(userid) => userid,
        Err(message) => return refuse(message),
    };
    terminal.echo(&format!("LOGON {userid}"), cp.now());
    let mut logon = Logon { userid, ..Logon::default() };
    let mut password = None;
    while let Some(word) = words.next() {
        match () {
            () if word.is("BY") => match words.need_userid() {
                Ok(userid) => logon.by = Some(userid),
                Err(message) => return refuse(message),
            },
            () if word.is("HERE") => logon.here = true,
            () if word.is("NOIPL") => logon.no_ipl = true,
            () if word.is("MASK") => (),
            () if password.is_none() => password = Some(word.0),
            () => return refuse(message::invalid_option(word.upper())),
        }
    }
    let needed = cp.user(&logon.userid).is_none_or(|user| !matches!(user.password, Password::NoPass));
    if needed && password.is_none() {
        terminal.write("ENTER PASSWORD  (IT WILL NOT APPEAR WHEN TYPED):", Tone::Normal, cp.now());
        return terminal.set_entry(Entry::Password(logon));
    }
    try_logon(cp, terminal, &logon, password);
}

fn try_logon(cp: &Cp, terminal: &Arc<Terminal>, logon: &Logon, password: Option<&str>) {
    let now = cp.now();
    let userid = logon.userid.as_str();
    // An unknown user and a wrong password get the same answer, or guesses at the logo would tell which users there
    // are.
    let user = cp.user(userid).filter(|user| match &logon.by {
        None => admits(cp, user, password, terminal.local),
        Some(by) => {
            let allowed = user.logonby.contains(by) && !matches!(user.password, Password::NoLog | Password::AutoOnly);
            allowed && cp.user(by).is_some_and(|by| admits(cp, &by, password, terminal.local))
        }
    });
    let Some(user) = user else {
        terminal.write(&message::logon_unsuccessful().to_string(), Tone::Normal, now);
        let wrong = terminal.wrong_password();
        if wrong >= WRONG_PASSWORDS {
            cp.journal_logon(terminal, userid, (wrong, WRONG_PASSWORDS));
            terminal.write(&message::excessive_passwords().to_string(), Tone::Normal, now);
            terminal.set_entry(Entry::Parting);
        }
        return;
    };
    match cp.vmdbk(userid) {
        Some(vmdbk) if vmdbk.is_leaving() => {
            terminal.write(&message::logoff_pending(userid).from("LGA").to_string(), Tone::Normal, now);
        }
        Some(vmdbk) => {
            let place = vmdbk.console().terminal.as_ref().map(|terminal| terminal.device());
            match place {
                Some(place) if !logon.here => {
                    terminal.write(&message::already_logged_on(place).to_string(), Tone::Normal, now);
                }
                _ => reconnect(cp, &vmdbk, terminal),
            }
        }
        None => {
            let vmdbk = match cp.make_vmdbk(user) {
                Ok(vmdbk) => vmdbk,
                Err(message) => return terminal.write(&message.to_string(), Tone::Normal, now),
            };
            if cp.enter_vmdbk(&vmdbk) {
                seat(&vmdbk, terminal);
                attach_devices(cp, &vmdbk);
                welcome(cp, &vmdbk);
                begin_session(cp, &vmdbk, logon.no_ipl);
            }
        }
    }
}

/// Whether a person who offers `password` may log on here. A password that is still the user's own name is good only at
/// the host itself.
pub fn admits(cp: &Cp, user: &User, password: Option<&str>, local: bool) -> bool {
    let right = cp.password(user);
    right.verify(password.unwrap_or_default()) && (local || !right.is_default(&user.userid))
}

/// Puts a virtual machine's console at a terminal.
fn seat(vmdbk: &Arc<Vmdbk>, terminal: &Arc<Terminal>) {
    terminal.set_owner(Some(Owner { user: vmdbk.id, glass: vmdbk.glass.clone() }));
    let mut console = vmdbk.console();
    terminal.set_paging(console.settings.more, console.settings.hold);
    console.terminal = Some(terminal.clone());
    if let Some(size) = terminal.size() {
        console.glass.resize(size.into());
    }
    console.show_turn();
}

fn welcome(cp: &Cp, vmdbk: &Arc<Vmdbk>) {
    let now = cp.now();
    let log_message = cp.log_message();
    if log_message.is_empty() {
        vmdbk.write("There is no logmsg data", Tone::Normal, now);
    }
    log_message.iter().for_each(|line| vmdbk.write(line, Tone::Normal, now));
    vmdbk.write(&crate::command::query::files_line(cp, &vmdbk.userid), Tone::Normal, now);
    vmdbk.write(&format!("LOGON AT {}", cp.long_date()), Tone::Normal, now);
    let place = vmdbk.console().terminal.as_ref().map_or("AUTO".into(), |terminal| terminal.device());
    cp.notify_operator(&format!("{place} LOGON  AS  {:<8} USERS = {:04}", vmdbk.userid, cp.user_count()));
}

/// The disks, tape drives and network adapters of the directory. What went wrong, or is worth knowing, is written to
/// the console.
fn attach_devices(cp: &Cp, vmdbk: &Vmdbk) {
    let guest = vmdbk.guest();
    let tell = |text: &str| vmdbk.write(text, Tone::Normal, cp.now());
    for device in &vmdbk.user.devices {
        let (owner, vdev, mode) = match &device.kind {
            DeviceKind::Mdisk(mdisk) => (vmdbk.userid.as_str(), device.vdev, mdisk.mode),
            DeviceKind::Link { userid, vdev, mode } if userid == "*" => (vmdbk.userid.as_str(), *vdev, *mode),
            DeviceKind::Link { userid, vdev, mode } => (userid.as_str(), *vdev, *mode),
            DeviceKind::Dedicate { real, read_only } => {
                if let Err(message) = dedicate(cp, &guest, device, real, *read_only) {
                    tell(&message.to_string());
                }
                continue;
            }
            _ => continue,
        };
        let (as_vdev, dasd) = (device.vdev, device.dasd);
        let request = Request { owner, vdev, as_vdev, mode, password: None, trusted: true, dasd };
        match cp.disks.make_link(&guest, &|userid| cp.user(userid), &request) {
            Ok(linked) => linked.notice.iter().for_each(|notice| tell(notice)),
            Err(Refusal::Message(message)) => tell(&message.to_string()),
            Err(Refusal::Password(_) | Refusal::Wrong { .. }) => (),
        }
    }
    crate::command::network::log_on(cp, vmdbk);
    crate::command::ctca::log_on(vmdbk);
    if let Err(message) = crate::command::expanded::log_on(cp, vmdbk) {
        tell(&message.to_string());
    }
    // The devices are there from the beginning: nothing is to be reported of their arrival.
    guest.configuration.css().reset();
}

/// A DEDICATE statement: for a tape drive or a disk.
fn dedicate(cp: &Cp, guest: &Guest, device: &Device, real: &RealDevice, read_only: bool) -> Result<(), Message> {
    let userid = &guest.user.userid;
    let rdev = match real {
        RealDevice::Number(rdev) => *rdev,
        RealDevice::Volume(serial) => {
            let reals = cp.disks.reals();
            let found = reals.iter().find(|real| real.serial == *serial).map(|real| real.number);
            found.ok_or_else(|| message::link_not_mounted(userid, format!("{:04X}", device.vdev), serial))?
        }
    };
    if cp.tapes.real(rdev).is_some() {
        let holder = Holder { userid: userid.clone(), vdev: device.vdev, read_only, since: cp.now() };
        return cp.tapes.attach(&guest.configuration, rdev, holder).map(drop);
    }
    cp.disks.dedicate(guest, rdev, device.vdev, read_only, device.dasd)
}

/// The directory's COMMAND statements and its IPL statement, or CP READ.
pub fn begin_session(cp: &Cp, vmdbk: &Arc<Vmdbk>, no_ipl: bool) {
    cp.monitor_logon(vmdbk);
    cp.set_cp_read(vmdbk, true);
    vmdbk.user.commands.iter().for_each(|command| cp.console_command(vmdbk, command));
    if let Some(ipl) = vmdbk.user.ipl.as_ref().filter(|_| !no_ipl) {
        let mut command = match &ipl.from {
            IplFrom::Device(device) => format!("IPL {device:04X}"),
            IplFrom::System(name) => format!("IPL {name}"),
        };
        if let Some(loadparm) = &ipl.loadparm {
            command += &format!(" LOADPARM {loadparm}");
        }
        if let Some(parm) = &ipl.parm {
            command += &format!(" PARM {parm}");
        }
        cp.console_command(vmdbk, &command);
    }
}

fn reconnect(cp: &Cp, vmdbk: &Arc<Vmdbk>, terminal: &Arc<Terminal>) {
    let earlier = vmdbk.console().terminal.take();
    if let Some(earlier) = earlier {
        earlier.write(&format!("DISCONNECT AT {}", cp.long_date()), Tone::Normal, cp.now());
        earlier.set_owner(None);
    }
    seat(vmdbk, terminal);
    vmdbk.terminal_changed();
    cp.let_go(vmdbk);
    vmdbk.console().disconnected = None;
    let run = vmdbk.lock().settings.run;
    vmdbk.write(&format!("RECONNECTED AT {}", cp.long_date()), Tone::Normal, cp.now());
    if !run {
        cp.set_cp_read(vmdbk, true);
    }
    cp.notify_operator(&format!("{} RECONNECT {:<8} USERS = {:04}", terminal.device(), vmdbk.userid, cp.user_count()));
}

/// DISCONNECT, or a terminal that is gone: the virtual machine goes on without one.
pub fn disconnect(cp: &Cp, vmdbk: &Arc<Vmdbk>) {
    let now = cp.now();
    let Some(terminal) = vmdbk.console().terminal.take() else { return };
    terminal.write(&format!("DISCONNECT AT {}", cp.long_date()), Tone::Normal, now);
    terminal.set_owner(None);
    vmdbk.glass.hang_up();
    cp.let_go(vmdbk);
    vmdbk.console().disconnected = Some(now);
    cp.notify_operator(&format!("{} DISCONNECT {:<8} USERS = {:04}", terminal.device(), vmdbk.userid, cp.user_count()));
}

/// Logs on the operator when the system comes up, at the terminal that it was started from if there is one.
pub fn log_on_operator(cp: &Cp, terminal: Option<&Arc<Terminal>>) {
    let Some(user) = cp.user(&cp.config.operator).filter(|user| !user.barred) else { return };
    let Ok(vmdbk) = cp.make_vmdbk(user) else { return };
    if cp.enter_vmdbk(&vmdbk) {
        match terminal {
            Some(terminal) => {
                seat(&vmdbk, terminal);
                attach_devices(cp, &vmdbk);
                welcome(cp, &vmdbk);
            }
            None => {
                vmdbk.console().disconnected = Some(cp.now());
                attach_devices(cp, &vmdbk);
            }
        }
        begin_session(cp, &vmdbk, false);
        let damaged = spool::ask(&cp.spool, |spool| [spool.damaged(), spool.saved.damaged()].concat());
        damaged.iter().for_each(|path| cp.notify_operator(&message::damaged_file(path.display()).to_string()));
    }
}

/// Logs a user on at a terminal without any dialog: no password, no greeting, no IPL.
pub fn log_on_here(cp: &Cp, userid: &str, terminal: &Arc<Terminal>) -> Result<Arc<Vmdbk>, Message> {
    let user = cp.user(userid).ok_or_else(|| message::not_in_directory(userid))?;
    let vmdbk = cp.make_vmdbk(user)?;
    if !cp.enter_vmdbk(&vmdbk) {
        return Err(message::already_logged_on(vmdbk.place()));
    }
    seat(&vmdbk, terminal);
    attach_devices(cp, &vmdbk);
    Ok(vmdbk)
}

/// XAUTOLOG: a virtual machine without a terminal.
pub fn autolog(cp: &Cp, user: Arc<User>) -> Result<Arc<Vmdbk>, Message> {
    let now = cp.now();
    if user.barred {
        return Err(message::directory_mistakes(&user.userid).from("AUT"));
    }
    let vmdbk = cp.make_vmdbk(user)?;
    vmdbk.console().disconnected = Some(now);
    if !cp.enter_vmdbk(&vmdbk) {
        return Err(message::already_logged_on(vmdbk.place()).from("AUT"));
    }
    attach_devices(cp, &vmdbk);
    cp.notify_operator(&format!("AUTO LOGON  ***       {:<8} USERS = {:04}", vmdbk.userid, cp.user_count()));
    begin_session(cp, &vmdbk, false);
    Ok(vmdbk)
}

/// Ends a virtual machine: closes its spool files, detaches its devices, and removes its VMDBK.
pub fn log_off(cp: &Cp, vmdbk: &Arc<Vmdbk>, reason: Reason) {
    if vmdbk.leaving.swap(true, Ordering::AcqRel) {
        return;
    }
    let now = cp.now();
    let by = match reason {
        Reason::LogOff => String::new(),
        Reason::Forced(by) => format!(" FORCED BY {by}"),
        Reason::ForcedByOperator => format!(" FORCED BY {}", cp.config.operator),
        Reason::ShutDown => " FORCED BY SHUTDOWN".into(),
    };
    vmdbk.write(&account::line(now.micros_since(vmdbk.logged_on), vmdbk.times()), Tone::Normal, now);
    let by_system = if matches!(reason, Reason::Forced(_)) { " BY SYSTEM" } else { "" };
    vmdbk.write(&format!("LOGOFF AT {}{by_system}", cp.long_date()), Tone::Normal, now);
    vmdbk.machine().hold();
    cp.end_applications(vmdbk);
    cp.monitor_logoff(vmdbk);
    crate::command::dial::drop_all(cp, vmdbk);
    vmdbk.console().record = None;
    for unit in vmdbk.units() {
        // Receivers are told of the files. The user gets no response any more.
        let _ = close::end(cp, &unit);
    }
    for ended in cp.disks.log_off(&vmdbk.guest()) {
        crate::command::link::ended(cp, vmdbk, &ended);
    }
    crate::command::network::log_off(cp, vmdbk);
    crate::command::ctca::log_off(cp, vmdbk);
    for real in cp.tapes.log_off(&vmdbk.machine().configuration, &vmdbk.userid) {
        cp.account_tape(vmdbk, &real);
    }
    vmdbk.release_segments();
    vmdbk.detach_expanded();
    cp.forward(vmdbk);
    let terminal = vmdbk.console().terminal.take();
    let place = terminal.as_ref().map_or("USER DSC  ".into(), |terminal| terminal.device());
    if let Some(terminal) = terminal {
        terminal.set_owner(None);
    }
    let reads = vmdbk.iucv().reads_monitor(vmdbk.id);
    cp.remove_vmdbk(vmdbk);
    if reads {
        cp.monitor_answered();
    }
    cp.account_use(vmdbk, now);
    cp.processors.log_off(vmdbk.id);
    cp.notify_operator(&format!("{place} LOGOFF AS  {:<8} USERS = {:04}{by}", vmdbk.userid, cp.user_count()));
}
