//! DEFINE: changes what the virtual machine consists of.

use super::{Issuer, Response, ctca, network};
use crate::system::Cp;
use consoles::graf::{Graf, VirtualGraf};
use directory::{SpoolDevice, SpoolKind};
use message::Message;
use message::words::{Word, Words};
use std::sync::{Arc, Mutex};
use unitrecord::{Unit, lock_unit};
use virtualmachine::machine::Machine;
use virtualmachine::nic::Nic;

/// `DEFine STORage n{K|M|G} | CPU n[-n] | CONSole [AS] vdev [3210|3215|3270] | GRAF [AS] vdev [3270] |
/// READer|PUNch|PRINTer|1403|3211|3203|2540R|2540P|3505|3525 [AS] vdev | T3390|T3380|T9345|TFB-512 [AS] vdev [CYL|BLK]
/// n | VFB-512 [AS] vdev [BLK] n | vdev [AS] vdev | CTCA|3088 [AS] vdev [userid|*] | NIC vdev [TYPE
/// VIRTIO|QDIO|HIPERsockets|LCS] [MACID SYSTEM|id] | LAN name [OWNERid userid|*|SYSTEM] [MAXCONN n|INFinite]
/// [RESTricted|UNRESTricted] [TYPE QDIO [ETHernet|IP]|TYPE HIPERsockets] [GRANT userid ...] | VSWITCH name [UPLINK
/// USER|PASST [PUBlish port ...] [HOSTaccess ON|OFF]|UPLINK TAP interface|UPLINK LISTEN|CALL place|NOUPLINK]
/// [ETHernet|IP] [VLAN UNAWARE|AWARE|n] [PORTType ACCESS|TRUNK]
/// [NATive n] [ISOLation ON|OFF] [MACProtect ON|OFF|UNSPECified] [RESTricted|UNRESTricted] [MAXCONN n]`
///
/// Changes your virtual machine until you log off. STORAGE gives it another amount of storage, up to the directory's
/// maximum: it is reset, and its storage is clear. CPU adds virtual CPUs, stopped, up to the number that the directory
/// allows. A device type and a number add a spooled unit record device, or a temporary disk (T) of so many cylinders or
/// blocks, or a virtual disk in storage (VFB-512); both are gone when they are detached. CONSOLE adds a virtual console
/// if there is none, GRAF a virtual 3270 that terminals reach by DIAL. Two numbers give a device another number. A
/// running system is told of devices that come and go.
///
/// CTCA adds one side of a channel-to-channel adapter, which COUPLE connects to another; with a user, only to one of
/// that user's.
///
/// NIC adds a network adapter; COUPLE connects it. One of type VIRTIO is one device, which Linux puts on line by
/// itself; one of type QDIO is three, as an OSA is, and so is one of type HIPERSOCKETS; one of type LCS is two, a LAN
/// channel station for old systems. LAN makes a guest LAN, of Ethernet or of HiperSockets, which is yours unless you
/// have class B and say otherwise. A LAN of SYSTEM stays until DETACH, another goes when its owner has logged off and
/// its last adapter has gone. VSWITCH, of class B, makes a virtual switch of SYSTEM, which only users with a grant (SET
/// VSWITCH) may connect to, unless it is UNRESTRICTED. UPLINK USER is a gateway to the host's network, which needs no
/// privilege: SET VSWITCH explains its operands. ETHERNET and IP are what QUERY shows as the transport, by which
/// programs set up a guest's driver.
pub fn define(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let what = words.need()?;
    match () {
        () if what.is("STORage") => storage(cp, issuer, words),
        () if what.is("CPU") => cpus(issuer, words),
        () if what.is("CONSole") => console(issuer, words),
        () if what.is("GRAF") => graf(issuer, words),
        () if what.is("CTCA") || what.is("3088") => ctca::define(issuer, words),
        () if what.is("NIC") => network::define_nic(cp, issuer, words),
        () if what.is("LAN") => network::define_lan(cp, issuer, words),
        () if what.is("VSWITCH") => network::define_vswitch(cp, issuer, words),
        () => {
            if let Some((device, kind)) = unit_type(what) {
                return unit(cp, issuer, device, kind, words);
            }
            if let Some(device) = disk_type(what) {
                return disk(cp, issuer, device, words);
            }
            match what.device() {
                Some(old) if issuer.vmdbk.machine().configuration.css().find(old).is_some() => {
                    renumber(cp, issuer, old, words)
                }
                Some(old) if what.0.len() <= 3 => Err(message::device_absent(format!("{old:04X}")).from("DEF")),
                _ => Err(message::invalid_device_type(what.upper())),
            }
        }
    }
}

fn storage(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    words.accept("AS");
    let word = words.need()?;
    words.end()?;
    let bytes = word.storage().ok_or_else(|| word.invalid())?;
    let vmdbk = &issuer.vmdbk;
    let maximum = vmdbk.user.max_storage.max(vmdbk.user.storage);
    if bytes > maximum {
        return Err(message::storage_exceeds(super::query::virtual_machine::amount(maximum)));
    }
    rebuild(cp, issuer, bytes)?;
    let size = vmdbk.machine().configuration.storage().size();
    Ok(vec![
        format!("STORAGE = {}", super::query::virtual_machine::amount(size)),
        "Storage cleared - system reset.".to_string(),
    ]
    .into())
}

/// Gives the virtual machine other hardware with `bytes` of storage: it is reset, and CP reads.
pub fn rebuild(cp: &Cp, issuer: &Issuer, bytes: u64) -> Result<(), Message> {
    let vmdbk = &issuer.vmdbk;
    let mode = vmdbk.lock().machine;
    let old = vmdbk.machine();
    let made = Machine::new(&vmdbk.user, mode, bytes, &vmdbk.outfit(), vmdbk.surroundings());
    let machine = made.map_err(|error| message::no_host_storage(issuer.userid(), error).from("DEF"))?;
    old.configuration.cpus().for_each(|cpu| {
        machine.configuration.define_cpu(cpu, true);
    });
    vmdbk.begin_reset();
    vmdbk.release_segments();
    vmdbk.set_machine(machine);
    old.hold();
    cp.disks.move_to_new_machine(&vmdbk.guest(), &old.configuration);
    cp.tapes.move_to_new_machine(&vmdbk.userid, &old.configuration, &vmdbk.machine().configuration);
    {
        let mut state = vmdbk.lock();
        (state.storage, state.ipl) = (bytes, None);
    }
    cp.set_cp_read(vmdbk, true);
    Ok(())
}

fn cpus(issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let word = words.need()?;
    words.end()?;
    let (first, last) = virtualmachine::examine::range(word.0, 63, 16).map_err(|_| word.invalid())?;
    let last = last.unwrap_or(first);
    let machine = issuer.vmdbk.machine();
    let maximum = machine.configuration.max_cpus();
    if last >= u64::from(maximum) {
        return Err(message::cpu_limit(maximum));
    }
    let mut response = Response::none();
    for cpu in first as u16..=last as u16 {
        if machine.configuration.is_defined(cpu) {
            return Err(message::cpu_defined(format!("{cpu:02X}")));
        }
        machine.configuration.define_cpu(cpu, true);
        response.push(format!("CPU {cpu:02X} DEFINED"));
    }
    Ok(response)
}

fn console(issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    words.accept("AS");
    let vdev = words.need_device()?;
    let device = match words.next() {
        None => 3215,
        Some(word) => word
            .decimal()
            .filter(|n| [3210, 3215, 3270].contains(n))
            .ok_or_else(|| message::invalid_device_type(word.upper()))?,
    };
    words.end()?;
    let vmdbk = &issuer.vmdbk;
    let name = format!("CONS {vdev:04X}");
    let machine = vmdbk.machine();
    let has_one = vmdbk.units().iter().any(|unit| lock_unit(unit).console);
    if has_one || machine.configuration.css().find(vdev).is_some() {
        return Err(message::device_defined(name));
    }
    let unit = Unit::console(issuer.userid(), &vmdbk.user.distribution, vdev, device as u16, 'T');
    machine.attach_console(vdev, &vmdbk.surroundings().paper);
    vmdbk.change_unit(vdev, Some(Arc::new(Mutex::new(unit))));
    Ok(format!("{name} DEFINED").into())
}

fn graf(issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    words.accept("AS");
    let vdev = words.need_device()?;
    if let Some(word) = words.next().filter(|word| !word.is("3270")) {
        return Err(message::invalid_device_type(word.upper()));
    }
    words.end()?;
    let name = format!("GRAF {vdev:04X}");
    let graf = Graf::new(vdev);
    let machine = issuer.vmdbk.machine();
    let attached = machine.configuration.css().attach(vdev, Box::new(VirtualGraf::new(graf.clone())));
    attached.map_err(|_| message::device_defined(&name))?;
    issuer.vmdbk.add_graf(graf);
    Ok(format!("{name} DEFINED").into())
}

/// The type and kind of unit record device that a word means.
fn unit_type(word: Word<'_>) -> Option<(&'static str, SpoolKind)> {
    use SpoolKind::{Printer, Punch, Reader};
    let types = [
        ("READer", "2540", Reader),
        ("RDR", "2540", Reader),
        ("2540R", "2540", Reader),
        ("3505", "3505", Reader),
        ("PUNch", "2540", Punch),
        ("PCH", "2540", Punch),
        ("2540P", "2540", Punch),
        ("3525", "3525", Punch),
        ("PRINTer", "1403", Printer),
        ("PRT", "1403", Printer),
        ("1403", "1403", Printer),
        ("3203", "3203", Printer),
        ("3211", "3211", Printer),
    ];
    types.iter().find(|(name, ..)| word.is(name)).map(|&(_, device, kind)| (device, kind))
}

fn unit(cp: &Cp, issuer: &Issuer, device: &str, kind: SpoolKind, mut words: Words<'_>) -> Result<Response, Message> {
    words.accept("AS");
    let vdev = words.need_device()?;
    words.end()?;
    let vmdbk = &issuer.vmdbk;
    let machine = vmdbk.machine();
    let spool = SpoolDevice { device: device.into(), kind, class: if kind == SpoolKind::Reader { '*' } else { 'A' } };
    let unit = Unit::new(issuer.userid(), &vmdbk.user.distribution, vdev, &spool);
    let name = format!("{:<4} {vdev:04X}", unit.class_name());
    let unit = Arc::new(Mutex::new(unit));
    let attached = machine.configuration.css().attach(vdev, unitrecord::device(&unit, &cp.spool));
    attached.map_err(|_| message::device_defined(&name))?;
    vmdbk.change_unit(vdev, Some(unit));
    Ok(format!("{name} DEFINED").into())
}

/// The device type of a temporary disk that a word means; `Some(None)` for a virtual disk.
fn disk_type(word: Word<'_>) -> Option<Option<&'static str>> {
    let types = [
        ("T3390", Some("3390")),
        ("T3380", Some("3380")),
        ("T9345", Some("9345")),
        ("TFB-512", Some("FB-512")),
        ("VFB-512", None),
    ];
    types.iter().find(|(name, _)| word.is(name)).map(|&(_, device)| device)
}

/// The largest virtual disk, 2 GB, in blocks.
const MAX_VIRTUAL_DISK: u64 = 4 * 1024 * 1024;

fn disk(cp: &Cp, issuer: &Issuer, device: Option<&str>, mut words: Words<'_>) -> Result<Response, Message> {
    words.accept("AS");
    let vdev = words.need_device()?;
    let cylinders = device.is_some_and(|device| device != "FB-512");
    words.accept(if cylinders { "CYL" } else { "BLK" });
    let word = words.need()?;
    words.end()?;
    let maximum = if cylinders { 65_520 } else { MAX_VIRTUAL_DISK };
    let count = word.decimal().filter(|count| (1..=maximum).contains(count)).ok_or_else(|| word.invalid())?;
    cp.disks.define(&issuer.vmdbk.guest(), vdev, device, count as u32)?;
    Ok(format!("DASD {vdev:04X} DEFINED").into())
}

/// Gives all devices of an adapter other numbers.
fn renumber_nic(cp: &Cp, issuer: &Issuer, nic: &Nic, new: u16) -> Result<Response, Message> {
    let (old, count) = (nic.vdev(), nic.devices());
    let name = format!("NIC  {new:04X}");
    let machine = issuer.vmdbk.machine();
    let mut css = machine.configuration.css();
    let free = |n: u16| new.checked_add(n).is_some_and(|number| css.find(number).is_none());
    if !(0..count).all(free) {
        return Err(message::device_defined(name));
    }
    (0..count).for_each(|n| _ = css.renumber(old + n, new + n));
    drop(css);
    nic.renumber(new);
    cp.networks.renumber(issuer.userid(), old, new);
    Ok(format!("{name} DEFINED").into())
}

fn renumber(cp: &Cp, issuer: &Issuer, old: u16, mut words: Words<'_>) -> Result<Response, Message> {
    words.accept("AS");
    let new = words.need_device()?;
    words.end()?;
    let unit = issuer.vmdbk.unit(old);
    let disk = cp.disks.link(issuer.userid(), old).is_some();
    let (graf, nic, ctca) = (issuer.vmdbk.graf(old), issuer.vmdbk.nic(old), issuer.vmdbk.ctca(old));
    let peripheral = issuer.vmdbk.peripheral(old);
    let other = match (disk, &graf) {
        (true, _) => "DASD",
        (_, Some(_)) => "GRAF",
        _ if nic.is_some() => "NIC",
        _ if ctca.is_some() => "CTCA",
        _ if peripheral.is_some() => peripheral.as_ref().map_or("DEV", |other| other.name()),
        _ if cp.tapes.held(issuer.userid(), old).is_some() => "TAPE",
        _ => "DEV",
    };
    if let Some(nic) = nic.as_ref().filter(|nic| nic.devices() > 1) {
        return renumber_nic(cp, issuer, nic, new);
    }
    let name = unit.as_ref().map_or(other, |unit| lock_unit(unit).class_name());
    let name = format!("{name:<4} {new:04X}");
    if !issuer.vmdbk.machine().configuration.css().renumber(old, new) {
        return Err(message::device_defined(name));
    }
    cp.disks.renumber(issuer.userid(), old, new);
    cp.tapes.renumber(issuer.userid(), old, new);
    if let Some(unit) = unit {
        lock_unit(&unit).vdev = new;
    }
    if let Some(graf) = graf {
        graf.renumber(new);
    }
    if let Some(ctca) = ctca {
        ctca.renumber(new);
    }
    if let Some(nic) = nic {
        nic.renumber(new);
        cp.networks.renumber(issuer.userid(), old, new);
    }
    if let Some(peripheral) = peripheral {
        peripheral.renumber(new);
    }
    Ok(format!("{name} DEFINED").into())
}
