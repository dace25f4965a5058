//! DETACH: takes devices and virtual CPUs away.

use super::dial;
use super::{Issuer, Response, ctca, network};
use crate::system::Cp;
use consoles::graf::Line;
use message::Message;
use message::words::{Word, Words};
use virtualmachine::machine::Machine;

/// `DETach vdev[-vdev] ... | CPU n[-n] | rdev [FROM] userid|*|SYSTEM | NIC vdev | LAN name [OWNERid userid|*|SYSTEM] |
/// VSWITCH name | XSTORe [[FROM] userid|*]`
///
/// Takes virtual devices away from your virtual machine until you log off; what is open on a unit record device is
/// closed, a temporary disk is gone. A running system is told. CPU takes virtual CPUs away, but not the base CPU. With
/// class B, a real disk or tape drive is taken from a user or from the system. NIC takes a network adapter away, LAN a
/// guest LAN of yours, or with class B any, and VSWITCH, of class B, a virtual switch: adapters that were connected to
/// it are connected to nothing then, and their users are told. XSTORE takes away your expanded storage with all that is
/// in it, or with class B that of another user.
pub fn detach(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vmdbk = &issuer.vmdbk;
    let machine = vmdbk.machine();
    let mut response = Response::none();
    if words.accept("CPU") {
        return detach_cpus(&machine, words);
    }
    if words.accept("XSTORe") {
        return super::expanded::detach(cp, issuer, words);
    }
    if let Some(answer) = network::detach(cp, issuer, words) {
        return answer;
    }
    if issuer.has("B")
        && let Some(from) = real_device(words)
    {
        return super::real_devices::detach_from(cp, issuer, from.0, &from.1);
    }
    let mut numbers = Vec::new();
    words.peek().ok_or_else(message::device_missing)?;
    for word in words {
        let (first, last) =
            virtualmachine::examine::range(word.0, 0xffff, 16).map_err(|_| message::device_missing())?;
        let last = last.unwrap_or(first);
        if last > 0xffff {
            return Err(message::device_missing());
        }
        let before = numbers.len();
        let there: Vec<u16> = machine.configuration.css().devices().map(|(_, number)| number).collect();
        numbers.extend((first as u16..=last as u16).filter(|number| there.contains(number)));
        if numbers.len() == before {
            return Err(message::device_absent(format!("{first:04X}")).from("DTV"));
        }
    }
    for number in numbers {
        let unit = vmdbk.unit(number);
        let console = unit.as_ref().is_some_and(|unit| unitrecord::lock_unit(unit).console);
        match unit {
            // It went with another device of its adapter.
            None if machine.configuration.css().find(number).is_none() => (),
            Some(_) if console => {
                machine.configuration.css().detach(number);
                vmdbk.change_unit(number, None);
                response.push(format!("CONS {number:04X} DETACHED"));
            }
            Some(unit) => {
                // First from the program, so that it writes no more.
                machine.configuration.css().detach(number);
                response.lines.extend(super::close::end(cp, &unit)?.lines);
                vmdbk.change_unit(number, None);
                response.push(format!("{:<4} {number:04X} DETACHED", unitrecord::lock_unit(&unit).class_name()));
            }
            None if cp.disks.link(issuer.userid(), number).is_some() => {
                super::link::detach(cp, vmdbk, number);
                response.push(format!("DASD {number:04X} DETACHED"));
            }
            None if cp.tapes.held(issuer.userid(), number).is_some() => {
                if let Some(real) = cp.tapes.held(issuer.userid(), number) {
                    cp.tapes.detach(&machine.configuration, &real);
                    cp.account_tape(vmdbk, &real);
                }
                response.push(format!("TAPE {number:04X} DETACHED"));
            }
            None if vmdbk.graf(number).is_some() => {
                machine.configuration.css().detach(number);
                if let Some(graf) = vmdbk.graf(number) {
                    vmdbk.remove_graf(&graf);
                    dial::drop_line(cp, &Line { userid: vmdbk.userid.clone(), graf });
                }
                response.push(format!("GRAF {number:04X} DETACHED"));
            }
            None if vmdbk.ctca(number).is_some() => {
                if let Some(own) = vmdbk.ctca(number) {
                    response.add(ctca::detach(cp, vmdbk, &own));
                }
            }
            None if vmdbk.nic(number).is_some() => {
                if let Some(nic) = vmdbk.nic(number) {
                    response.add(network::detach_nic(cp, vmdbk, &nic));
                }
            }
            None if vmdbk.peripheral(number).is_some() => {
                machine.configuration.css().detach(number);
                let peripheral = vmdbk.peripheral(number);
                peripheral.iter().for_each(|other| vmdbk.remove_peripheral(other));
                let name = peripheral.map_or("DEV", |other| other.name());
                response.push(format!("{name:<4} {number:04X} DETACHED"));
            }
            None => {
                machine.configuration.css().detach(number);
                response.push(format!("DEV  {number:04X} DETACHED"));
            }
        }
    }
    Ok(response)
}

/// `DETach CPU n[-n]`
fn detach_cpus(machine: &Machine, mut words: Words<'_>) -> Result<Response, Message> {
    let word = words.need()?;
    words.end()?;
    let (first, last) = virtualmachine::examine::range(word.0, 63, 16).map_err(|_| word.invalid())?;
    let base = machine.configuration.cpus().next();
    let last = last.unwrap_or(first);
    for cpu in first..=last {
        let cpu = u16::try_from(cpu).unwrap_or(u16::MAX);
        if !machine.configuration.is_defined(cpu) {
            return Err(message::no_cpu(format!("{cpu:02X}")));
        }
        if Some(cpu) == base {
            return Err(message::cpu_needed(format!("{cpu:02X}")));
        }
    }
    let mut response = Response::none();
    for cpu in first as u16..=last as u16 {
        machine.configuration.define_cpu(cpu, false);
        response.push(format!("CPU {cpu:02X} DETACHED"));
    }
    Ok(response)
}

/// `rdev [FROM] userid`, if the operands are that and no list of virtual devices.
fn real_device(mut words: Words<'_>) -> Option<(u16, String)> {
    let rdev = words.next()?.device()?;
    let from = words.accept("FROM");
    let userid = words.next()?.upper();
    (words.is_empty() && (from || Word(&userid).device().is_none() && !userid.contains('-'))).then_some((rdev, userid))
}
