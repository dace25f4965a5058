//! The operands of NICDEF, and of SPECIAL for network adapters.

use crate::entry::Entry;
use crate::is_userid;
use crate::model::{AdapterType, DeviceKind, Nic};
use crate::operands::{Operands, Problem, abbreviates, decimal, hexadecimal, problem, vdev};

const EXPECTED: &str = "TYPE, LAN, MACID, VLAN, PORTTYPE, PROMISCUOUS, DEVICES, CHPID or PORTNUMBER";
const TYPES: &str = "VIRTIO, QDIO, HIPERSOCKETS or LCS";

/// NICDEF vdev [TYPE type] [DEVICES n] [LAN owner|*|SYSTEM name] [MACID xxxxxx] [PORTTYPE ACCESS|TRUNK] [VLAN set]
/// [PROMISCUOUS] [CHPID xx] [PORTNUMBER n]; several for one vdev add up
pub(crate) fn nicdef(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    let number = vdev(operands)?;
    let at = entry.user.devices.iter().position(|device| {
        device.vdev == number && matches!(device.kind, DeviceKind::Nic(_)) && !entry.inherited.contains(&number)
    });
    let mut nic = match at.map(|at| &entry.user.devices[at].kind) {
        Some(DeviceKind::Nic(nic)) => nic.clone(),
        _ => Nic::default(),
    };
    operands.peek().ok_or_else(|| problem("an operand is missing", EXPECTED))?;
    while let Some(word) = operands.next() {
        let is = |name: &str, shortest: &str| abbreviates(&word, name, shortest);
        match () {
            () if word == "TYPE" => nic.kind = operands.parse(TYPES, AdapterType::of)?,
            () if word == "LAN" => nic.lan = Some(network(operands)?),
            () if word == "MACID" => {
                let id = |word: &str| hexadecimal(word, 6).filter(|id| *id != 0);
                nic.mac_id = Some(operands.parse("1 to 6 hexadecimal digits, not all zero", id)?);
            }
            () if is("PORTTYPE", "PORTT") => {
                nic.trunk = Some(operands.parse("ACCESS or TRUNK", |word| match word {
                    "ACCESS" => Some(false),
                    "TRUNK" => Some(true),
                    _ => None,
                })?);
            }
            () if word == "VLAN" => nic.vlans = vlans(operands)?,
            () if is("PROMISCUOUS", "PRO") => nic.promiscuous = true,
            () if is("NOPROMISCUOUS", "NOPRO") => nic.promiscuous = false,
            () if is("DEVICES", "DEV") => nic.devices = Some(operands.parse("a number from 1 to 3072", devices)?),
            () if word == "CHPID" => {
                operands.parse("a channel path, of 2 hexadecimal digits", |word| hexadecimal(word, 2))?;
                entry.unused.push("CHPID".into());
            }
            () if is("PORTNUMBER", "PORTNUM") => {
                operands.parse("a port number", decimal)?;
                entry.unused.push("PORTNUMBER".into());
            }
            () => return Err(problem(format!("{word} is not valid here"), EXPECTED)),
        }
    }
    let several = nic.vlans.len() > 1 || nic.vlans.iter().any(|(first, last)| first != last);
    if several && nic.trunk == Some(false) {
        return Err(problem("an ACCESS port is in one VLAN", "PORTTYPE TRUNK, or one VLAN"));
    }
    told(entry, &nic);
    match at {
        Some(at) => entry.user.devices[at].kind = DeviceKind::Nic(nic),
        None => entry.add(number, DeviceKind::Nic(nic), operands.line())?,
    }
    Ok(())
}

/// SPECIAL vdev QDIO|HIPERS|VIRTIO|LCS [devices [owner name]], as far as it is about the adapter
pub(crate) fn special(kind: AdapterType, operands: &mut Operands, entry: &mut Entry) -> Result<Nic, Problem> {
    let devices = operands.optional("a number of devices, 1 to 3072", devices)?;
    let lan = if operands.peek().is_some() { Some(network(operands)?) } else { None };
    let nic = Nic { kind, devices, lan, ..Nic::default() };
    told(entry, &nic);
    Ok(nic)
}

/// No adapter has another number of devices than it needs.
fn told(entry: &mut Entry, nic: &Nic) {
    if let Some(devices) = nic.devices.filter(|devices| *devices != nic.kind.devices()) {
        entry.unused.push(format!("DEVICES {devices}"));
    }
}

fn network(operands: &mut Operands) -> Result<(String, String), Problem> {
    let word = |word: &str| (word == "*" || is_userid(word)).then(|| word.to_string());
    let owner = operands.parse("the owner's userid, * or SYSTEM", word)?;
    let name = operands.parse("the name of a LAN or a virtual switch", |word| is_userid(word).then(|| word.into()))?;
    Ok((owner, name))
}

fn devices(word: &str) -> Option<u16> {
    decimal(word).filter(|count| (1..=3072).contains(count)).map(|count| count as u16)
}

/// Numbers and ranges, up to the first word that is none.
fn vlans(operands: &mut Operands) -> Result<Vec<(u16, u16)>, Problem> {
    let number = |word: &str| decimal(word).filter(|vlan| (1..=4094).contains(vlan)).map(|vlan| vlan as u16);
    let range = |word: &str| match word.split_once('-') {
        None => number(word).map(|vlan| (vlan, vlan)),
        Some((first, last)) => number(first).zip(number(last)).filter(|(first, last)| first <= last),
    };
    let mut all = vec![operands.parse("VLANs, such as 10 or 20-29", range)?];
    while operands.peek().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit())) {
        all.push(operands.parse("VLANs, such as 10 or 20-29", range)?);
    }
    Ok(all)
}
