//! QUERY VIRTUAL, CONSOLE, STORAGE, CPUS, RDR ... vdev: what the virtual machine consists of.

use super::super::{Issuer, Response};
use crate::message::{self, Message};
use crate::spooling::{Unit, lock_unit};
use crate::system::Cp;
use crate::words::{Word, Words};
use directory::SpoolKind;

/// `Query Virtual ALL|CONSole|CPUs|STORage|UR|vdev`
///
/// Shows your virtual machine: its storage, its virtual CPUs and its devices. The word VIRTUAL can be left out, but not before ALL and UR.
pub fn virtual_machine(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let what = words.need()?;
    words.end()?;
    let all = what.is("ALL");
    let mut response = Response::none();
    if all || what.is("STORage") {
        response.push(storage_line(issuer));
    }
    if all || what.is("XSTORE") {
        response.push("XSTORE = none");
    }
    if all || what.is("CPUs") {
        response.lines.extend(cpu_lines(issuer));
    }
    let wanted = |unit: &Unit| {
        let console = is_console(unit);
        all || what.is("CONSole") && console || what.is("UR") && !console || Some(unit.vdev) == what.device()
    };
    for unit in issuer.vmdbk.units() {
        let unit = lock_unit(&unit);
        if wanted(&unit) {
            response.lines.extend(unit_lines(cp, issuer, &unit));
        }
    }
    match (response.lines.is_empty(), what.device()) {
        (false, _) => Ok(response),
        (true, Some(device)) => Err(message::device_absent(format!("{device:04X}")).from("QVD")),
        (true, None) if ["CONSole", "UR"].iter().any(|class| what.is(class)) => Ok(response),
        (true, None) if what.is("DASD") || what.is("TAPes") || what.is("GRAF") || what.is("CTCa") => {
            Err(message::no_such_devices(what.upper()).from("QVD"))
        }
        (true, None) => Err(what.invalid()),
    }
}

/// `Query CONSole`
///
/// Shows the virtual console: where it is, and how its output is spooled.
pub fn console(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    virtual_machine(cp, issuer, Words::new("CONSOLE"))
}

/// `Query STORage`
///
/// Shows the size of your virtual machine's storage.
pub fn storage(_: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    Ok(storage_line(issuer).into())
}

/// `Query CPUs`
///
/// Shows your virtual CPUs.
pub fn cpus(_: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    Ok(cpu_lines(issuer).into())
}

/// `Query CPUID`
///
/// Shows what STORE CPU ID stores in your virtual machine.
pub fn cpu_id(_: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    Ok(format!("CPUID = {:016X}", issuer.vmdbk.machine().configuration.shared().cpu_id).into())
}

/// `Query SECUSER`
///
/// Shows who gets your console's output while you are disconnected.
pub fn secondary_user(_: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let console = issuer.vmdbk.console();
    Ok(format!("SECUSER of {} is {}", issuer.userid(), console.secondary.as_deref().unwrap_or("not set")).into())
}

/// `Query PROCessors`
///
/// Shows the real processors: the threads of the host that run virtual CPUs.
pub fn processors(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    let kind = |n: usize| if n == 0 { "MASTER" } else { "ALTERNATE" };
    Ok((0..cp.processors.count()).map(|n| format!("PROCESSOR {n:02} {} CP", kind(n))).collect::<Vec<_>>().into())
}

fn storage_line(issuer: &Issuer) -> String {
    format!("STORAGE = {}", amount(issuer.vmdbk.machine().configuration.storage().size()))
}

/// Bytes as `256M`, `4G`, `640K`.
pub fn amount(bytes: u64) -> String {
    match bytes {
        _ if bytes >= 1 << 30 && bytes.is_multiple_of(1 << 30) => format!("{}G", bytes >> 30),
        _ if bytes.is_multiple_of(1 << 20) => format!("{}M", bytes >> 20),
        _ => format!("{}K", bytes >> 10),
    }
}

fn cpu_lines(issuer: &Issuer) -> Vec<String> {
    let machine = issuer.vmdbk.machine();
    let configuration = &machine.configuration;
    let id = configuration.shared().cpu_id;
    let line = |cpu: u16| {
        let state = if cpu == 0 { "(BASE)" } else { "" };
        let stopped = if configuration.is_stopped(cpu) { "STOPPED" } else { "" };
        format!("CPU {cpu:02X}  ID  {id:016X} {state:<6} {stopped}").trim_end().to_string()
    };
    configuration.cpus().map(line).collect()
}

fn is_console(unit: &Unit) -> bool {
    matches!(unit.device.as_str(), "3210" | "3215" | "3270") && unit.kind == SpoolKind::Printer
}

/// The subchannel that a device has, as Linux looks it up.
fn subchannel(issuer: &Issuer, vdev: u16) -> String {
    let machine = issuer.vmdbk.machine();
    let found = machine.configuration.css().find(vdev);
    format!("SUBCHANNEL = {}", found.map_or("NONE".into(), |id| format!("{:04X}", id.number())))
}

/// The lines of QUERY VIRTUAL for one device. Their columns are looked at by programs (Linux, vmur).
pub fn unit_lines(cp: &Cp, issuer: &Issuer, unit: &Unit) -> Vec<String> {
    let s = &unit.settings;
    let v = format!("{:04X}", unit.vdev);
    let cont = if s.cont { "  CONT" } else { "NOCONT" };
    let hold = if s.hold { "  HOLD" } else { "NOHOLD" };
    let keep = if s.keep { "  KEEP" } else { "NOKEEP" };
    let messages = if s.messages { "  MSG" } else { "NOMSG" };
    let subchannel = subchannel(issuer, unit.vdev);
    if unit.kind == SpoolKind::Reader {
        let eof = if s.eof { "  EOF" } else { "NOEOF" };
        let open = unit.input.as_ref().map_or("CLOSED    ".into(), |file| format!("OPEN {:04} ", file.spid()));
        return vec![
            format!("RDR  {v} CL {} {cont} {hold} {eof}      READY", s.class),
            format!("     {v} {:<16} {open} {keep} NORESCAN {subchannel}", unit.device),
        ];
    }
    let console = is_console(unit);
    let name = match (&s.name.0, &s.name.1) {
        (first, _) if first.is_empty() => "NONAME".to_string(),
        (first, second) => format!("NAME {first} {second}").trim_end().to_string(),
    };
    let open = unit.output.as_ref().map_or("CLOSED    ".into(), |file| format!("OPEN {:04} ", file.spid()));
    let ready = format!("{v} CL {} {cont} {hold} COPY {:03}    READY FORM {}", s.class, s.copies, s.form);
    let owner = s.to.as_deref().unwrap_or(&unit.userid);
    let to = format!("     {v} TO {owner:<8} {} DIST {:<8}", s.queue.name(), s.dist);
    let mut lines = Vec::new();
    if console {
        let terminal = issuer.vmdbk.console().terminal.clone();
        let place = terminal.as_ref().map_or("DISCONNECTED".into(), |terminal| format!("ON {}", terminal.device()));
        let from = terminal.filter(|terminal| !terminal.origin.is_empty());
        let from = from.map_or(String::new(), |terminal| format!("  HOST TCPIP   FROM {}", terminal.origin));
        let term = if issuer.vmdbk.console().silent { "NOTERM" } else { "TERM" };
        let start = if issuer.vmdbk.console().record.is_some() { "START" } else { "STOP" };
        lines.push(format!("CONS {v} {place}  {term} {start}{from}"));
        lines.push(format!("     {ready}"));
    } else {
        lines.push(format!("{}  {ready}", unit.class_name()));
    }
    if unit.kind == SpoolKind::Punch {
        lines.push(format!("{to}             DEST {}", s.dest));
        lines.push(format!("     {v} FLASH 000 CHAR MDFY 0 FCB"));
    } else {
        lines.push(format!("{to}  FLASHC 000 DEST {}", s.dest));
        lines.push(format!("     {v} FLASH      CHAR      MDFY      0 FCB      LPP OFF"));
    }
    lines.push(format!("     {v} {:<6} NOEOF {open}{keep} {messages} {name}", unit.device));
    lines.push(format!("     {v} {subchannel}"));
    let _ = cp;
    lines
}

/// The virtual device named by a word of its own (`QUERY 00C`).
pub fn by_number(cp: &Cp, issuer: &Issuer, word: Word<'_>) -> Option<Result<Response, Message>> {
    let device = word.device()?;
    issuer.vmdbk.unit(device)?;
    Some(virtual_machine(cp, issuer, Words::new(word.0)))
}
