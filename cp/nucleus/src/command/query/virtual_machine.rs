//! QUERY VIRTUAL, CONSOLE, STORAGE, CPUS, RDR ... vdev: what the virtual machine consists of.

use super::super::{Issuer, Response};
use crate::system::Cp;
use directory::SpoolKind;
use message::Message;
use message::words::{Word, Words};
use std::ops::RangeInclusive;
use unitrecord::lock_unit;
use virtualmachine::nic::Nic;

/// What may be asked for where there is none.
const NONE_OF_THEM: [&str; 5] = ["DASD", "TAPes", "GRAF", "CTCa", "VIRTio"];

/// `Query Virtual [ALL|CONSole|CPUs|CTCa|DASD [DETAILS]|GRAF|NIC [vdev]|TAPes|STORage|VIRTio|XSTORe|UR|Reader|PRinter|
/// PUnch|vdev[-vdev]] [DETAILS]`
///
/// Shows your virtual machine: its storage, its virtual CPUs and its devices. VIRTIO are its shared folders and other
/// devices of that kind, network cards apart. The word VIRTUAL can be left out, but not before ALL and UR.
pub fn virtual_machine(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let what = words.next().unwrap_or(Word("ALL"));
    let details = words.accept("DETails");
    // Of adapters alone it is what QUERY NIC shows, which programs read.
    if what.is("NIC") {
        let vdev = if words.is_empty() { None } else { Some(words.need_device()?) };
        let details = details || words.accept("DETails");
        words.end()?;
        return super::network::adapters(cp, issuer, vdev, details);
    }
    words.end()?;
    let range = virtualmachine::examine::range(what.0, 0xffff, 16).ok();
    let range = range.map(|(first, last)| first..=last.unwrap_or(first));
    let all = what.is("ALL");
    let mut response = Response::none();
    if all || what.is("STORage") {
        response.push(storage_line(issuer));
    }
    if all || what.is("XSTORe") {
        response.push(match issuer.vmdbk.expanded() {
            Some(megabytes) => format!("XSTORE = {megabytes}M"),
            None => "XSTORE = none".to_string(),
        });
    }
    if all || what.is("CPUs") {
        response.lines.extend(cpu_lines(issuer));
    }
    for unit in issuer.vmdbk.units() {
        let wanted = {
            let unit = lock_unit(&unit);
            let reader = unit.kind == SpoolKind::Reader;
            all || what.is("CONSole") && unit.console
                || what.is("UR") && !unit.console
                || (what.is("Reader") || what.is("RDR")) && reader
                || (what.is("PRinter") || what.is("PRT")) && unit.kind == SpoolKind::Printer && !unit.console
                || (what.is("PUnch") || what.is("PCH")) && unit.kind == SpoolKind::Punch
                || range.as_ref().is_some_and(|range| range.contains(&unit.vdev.into()))
        };
        if wanted {
            response.lines.extend(super::unit_record::lines(&issuer.vmdbk, &unit));
        }
    }
    for link in cp.disks.links_of(issuer.userid()) {
        let named = range.as_ref().is_some_and(|range| range.contains(&link.vdev().into()));
        if all || what.is("DASD") || named {
            response.lines.extend(super::dasd::virtual_lines(issuer, &link, details));
        }
    }
    for real in cp.tapes.of(issuer.userid()) {
        let vdev = real.holder.as_ref().map_or(0, |holder| holder.vdev);
        if all || what.is("TAPes") || range.as_ref().is_some_and(|range| range.contains(&vdev.into())) {
            response.push(super::tapes::virtual_line(issuer, &real));
        }
    }
    for graf in issuer.vmdbk.grafs() {
        let vdev = graf.vdev();
        if all || what.is("GRAF") || range.as_ref().is_some_and(|range| range.contains(&vdev.into())) {
            let terminal = graf.terminal().and_then(|id| cp.terminal(id));
            let place = terminal.map_or("NOT READY".into(), |terminal| format!("ON {}", terminal.device()));
            response.push(format!("GRAF {vdev:04X} {place}"));
        }
    }
    for ctca in issuer.vmdbk.ctcas() {
        let vdev = ctca.vdev();
        if all || what.is("CTCa") || range.as_ref().is_some_and(|range| range.contains(&vdev.into())) {
            response.push(match super::super::ctca::peer(cp, &ctca) {
                Some((_, peer)) => format!("CTCA {vdev:04X} COUPLED TO {} {:04X}", peer.userid, peer.vdev),
                None => format!("CTCA {vdev:04X} NOT COUPLED"),
            });
        }
    }
    for nic in issuer.vmdbk.nics() {
        let named = |range: &RangeInclusive<u64>| (0..nic.devices()).any(|n| range.contains(&(nic.vdev() + n).into()));
        if all || range.as_ref().is_some_and(named) {
            response.push(nic_line(&nic));
        }
    }
    for other in issuer.vmdbk.peripherals() {
        let vdev = other.vdev();
        if all || what.is("VIRTio") || range.as_ref().is_some_and(|range| range.contains(&vdev.into())) {
            response.push(other.line());
        }
    }
    let first = range.map(|range| *range.start());
    match (response.lines.is_empty(), first) {
        (false, _) => Ok(response),
        (true, Some(device)) => Err(message::device_absent(format!("{device:04X}")).from("QVD")),
        (true, None) if ["CONSole", "UR"].iter().any(|class| what.is(class)) => Ok(response),
        (true, None) if NONE_OF_THEM.iter().any(|class| what.is(class)) => {
            Err(message::no_such_devices(what.upper()).from("QVD"))
        }
        (true, None) => Err(what.invalid()),
    }
}

/// A network card: its address, and what went through its port, if it is in one.
fn nic_line(nic: &Nic) -> String {
    let mac = nic.mac().0;
    let address = [&mac[..3], &mac[3..]].map(|half| half.iter().map(|byte| format!("{byte:02X}")).collect::<String>());
    let state = match nic.port().map(|port| port.counters()) {
        None => "NOT COUPLED".into(),
        Some(counters) => {
            format!("RX {} TX {} DISCARDED {}", counters.received, counters.sent, counters.dropped + counters.refused)
        }
    };
    format!("NIC  {:04X} {} MAC {}-{} {state}", nic.vdev(), nic.kind().name(), address[0], address[1])
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
/// Shows the size of your virtual machine's storage; with class B or E that of real storage, where it is known. QUERY
/// VIRTUAL STORAGE shows your own then.
pub fn storage(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    match cp.frames().filter(|_| issuer.has("BE")) {
        Some(frames) => Ok(format!("STORAGE = {}", amount(frames.installed * arch::PAGE)).into()),
        None => Ok(storage_line(issuer).into()),
    }
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
    let secondary = console.secondary.as_deref().filter(|_| !console.observed);
    Ok(format!("SECUSER of {} is {}", issuer.userid(), secondary.unwrap_or("not set")).into())
}

/// `Query OBServer [userid|*]`
///
/// Shows who gets all output of your console, or with class A, B or C of another user's.
pub fn observer(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let mut vmdbk = issuer.vmdbk.clone();
    if let Some(word) = words.next().filter(|word| word.0 != "*") {
        let userid = word.userid()?;
        if userid != vmdbk.userid && !issuer.has("ABC") {
            return Err(message::not_authorised().from("CQU"));
        }
        vmdbk = cp.vmdbk(&userid).ok_or_else(|| message::not_logged_on(userid).from("CQU"))?;
    }
    words.end()?;
    let observer = {
        let console = vmdbk.console();
        console.secondary.clone().filter(|_| console.observed)
    };
    let Some(userid) = observer else { return Ok("OBSERVER IS UNDEFINED".into()) };
    let state = match cp.vmdbk(&userid) {
        None => "NOT LOGGED ON",
        Some(observer) if observer.is_disconnected() => "DISCONNECTED",
        Some(_) => "LOGGED ON",
    };
    Ok(format!("OBSERVER {userid} IS {state}").into())
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

/// The virtual device named by a word of its own (`QUERY 00C`).
pub fn by_number(cp: &Cp, issuer: &Issuer, word: Word<'_>) -> Option<Result<Response, Message>> {
    let device = word.device()?;
    let there = issuer.vmdbk.unit(device).is_some()
        || cp.disks.link(issuer.userid(), device).is_some()
        || cp.tapes.held(issuer.userid(), device).is_some()
        || issuer.vmdbk.graf(device).is_some()
        || issuer.vmdbk.ctca(device).is_some()
        || issuer.vmdbk.nic(device).is_some()
        || issuer.vmdbk.peripheral(device).is_some();
    if !there {
        return None;
    }
    Some(virtual_machine(cp, issuer, Words::new(word.0)))
}

/// `Query TRace`
///
/// Shows the traps of TRACE.
pub fn trace(_: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    Ok(traps(issuer))
}

/// `Query PER`
///
/// Shows the traps of PER, which are TRACE's.
pub fn per(_: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    Ok(traps(issuer))
}

/// The lines of QUERY TRACE.
pub(in super::super) fn traps(issuer: &Issuer) -> Response {
    issuer.vmdbk.trace.traps(|traps| {
        if traps.is_empty() {
            return "No traces are active".into();
        }
        let mut lines = vec!["NAME  INITIAL   (ACTIVE)".to_string()];
        lines.extend(traps.iter().flat_map(|trap| trap.lines()));
        lines.into()
    })
}
