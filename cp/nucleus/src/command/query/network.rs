//! QUERY LAN, VSWITCH, NIC and VMLAN: networks and adapters.

use super::super::network::{network, own_nic};
use super::super::{Issuer, Response};
use crate::system::Cp;
use lan::{Extent, Kind, Name};
use message::Message;
use message::words::Words;
use virtualmachine::nic::Nic;

/// `Query LAN [ALL|name [OWNERid userid|*|SYSTEM]] [DETails|ACTive]`
///
/// Shows guest LANs: type, connected adapters, limit, lifetime, who may connect, and settings. You see your own, those
/// that are open to all, and those for which you have a grant; with class B all. DETAILS adds each connected adapter
/// with its counts, and the users with a grant. ACTIVE leaves out those without adapters.
pub fn lan(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    networks(cp, issuer, Kind::Lan, words)
}

/// `Query VSWITCH [ALL|name] [DETails|ACTive|ACCesslist|PROMiscuous]`
///
/// Shows virtual switches: as QUERY LAN, and the uplink. ACCESSLIST adds the users with a grant, PROMISCUOUS the
/// adapters that get copies of all frames.
pub fn vswitch(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    networks(cp, issuer, Kind::Vswitch, words)
}

fn networks(cp: &Cp, issuer: &Issuer, kind: Kind, mut words: Words<'_>) -> Result<Response, Message> {
    let mut named = None;
    let options = ["DETails", "ACTive", "ACCesslist", "PROMiscuous"];
    if !words.accept("ALL") && words.peek().is_some_and(|word| !options.iter().any(|option| word.is(option))) {
        named = Some(network(issuer, kind, &mut words)?);
    }
    let mut extent = Extent::default();
    for word in words {
        match () {
            () if word.is("DETails") => extent.details = true,
            () if word.is("ACTive") => extent.active = true,
            () if kind == Kind::Vswitch && word.is("ACCesslist") => extent.access = true,
            () if kind == Kind::Vswitch && word.is("PROMiscuous") => extent.promiscuous = true,
            () if kind == Kind::Lan && word.is("OWNERid") && named.is_none() => {
                return Err(message::invalid_option(word.upper()));
            }
            () => return Err(word.invalid()),
        }
    }
    // What is to be seen is asked before, as the list is locked then.
    let all = issuer.has("B");
    let mine: Vec<Name> = match all {
        true => Vec::new(),
        false => cp.networks.names().into_iter().filter(|name| cp.networks.may_see(issuer.userid(), name)).collect(),
    };
    let lines = cp.networks.lines(kind, named.as_ref(), |name| all || mine.contains(name), extent)?;
    match lines.is_empty() {
        true => Err(message::no_such_devices(kind.word()).from("NQL")),
        false => Ok(lines.into()),
    }
}

/// `Query NIC [vdev|ALL] [DETails]`
///
/// Shows your network adapters: type, address, and the network that each is connected to. DETAILS adds what went
/// through, as the guest sees it: RX is what came to it, TX what it sent. DISCARDED frames found no room, or were not
/// allowed.
pub fn nic(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vdev = match words.peek() {
        Some(word) if word.is("DETails") => None,
        _ if words.accept("ALL") => None,
        Some(_) => Some(words.need_device()?),
        None => None,
    };
    let details = words.accept("DETails");
    words.end()?;
    adapters(cp, issuer, vdev, details)
}

/// The lines of one adapter, or of all.
pub fn adapters(cp: &Cp, issuer: &Issuer, vdev: Option<u16>, details: bool) -> Result<Response, Message> {
    let nics = match vdev {
        Some(vdev) => vec![own_nic(issuer, vdev)?],
        None => issuer.vmdbk.nics(),
    };
    let lines = |nic: &Nic| cp.networks.adapter_lines(&nic.adapter(issuer.userid()), nic.devices(), details);
    let lines: Vec<String> = nics.iter().flat_map(|nic| lines(nic)).collect();
    match lines.is_empty() {
        true => Err(message::no_such_devices("NIC").from("QVD")),
        false => Ok(lines.into()),
    }
}

/// `Query VMLAN`
///
/// Shows what holds for all networks: how addresses of adapters begin, how many networks there may be, and MACPROTECT
/// where nothing else is said.
pub fn vm_lan(cp: &Cp, _: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    words.end()?;
    Ok(cp.networks.system_lines().into())
}
