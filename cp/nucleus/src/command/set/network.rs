//! SET LAN, VSWITCH, NIC and VMLAN.

use super::super::network::{idle_lines, let_go, may_change, network, own_nic, tell_uplink};
use super::super::{Issuer, Response};
use crate::system::Cp;
use lan::Kind;
use lan::operands::{self, Read};
use message::Message;
use message::words::Words;

/// `SET LAN name [OWNERid userid|*|SYSTEM] GRANT userid ... [PROmiscuous|NOPROmiscuous] | REVOKE userid ... |
/// ISOLation ON|OFF | MACProtect ON|OFF|UNSPECified`
///
/// Changes a guest LAN of yours, or with class B any. GRANT lets users connect to a restricted one; PROMISCUOUS lets
/// their adapters have copies of all frames. REVOKE takes that back, and disconnects adapters that are there by it.
/// MACPROTECT refuses frames from other addresses than the adapter's own.
pub fn lan(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    change(cp, issuer, Kind::Lan, words)
}

/// `SET VSWITCH name GRAnt userid ... [PORTType ACCESS|TRUNK] [VLAN n[-n] ...] [PROmiscuous] | REVoke userid ... |
/// ISOLation ON|OFF | MACProtect ON|OFF|UNSPECified | UPLINK CONnect|DISCONnect|NONE | UPLINK USER|PASST [PUBlish port
/// ...] [HOSTaccess ON|OFF] | UPLINK TAP interface | UPLINK LISTEN|CALL place`
///
/// Changes a virtual switch. GRANT lets users connect: on a switch that is aware of VLANs, in those that are named.
/// What a grant says holds at once for adapters that are connected. ISOLATION: no frame goes from an adapter to
/// another. UPLINK USER is a gateway to the host's network, which needs no privilege; PUBLISH leads ports of the host
/// to a guest, as in 8080:80, and HOSTACCESS lets guests reach servers on the host's loopback. UPLINK PASST is the same
/// by the program passt, for one guest. UPLINK TAP is an interface of the host's. UPLINK LISTEN and CALL lead to
/// another program, such as another host's system, at a place: unix:path or tcp:address:port.
pub fn vswitch(cp: &Cp, issuer: &Issuer, words: Words<'_>) -> Result<Response, Message> {
    change(cp, issuer, Kind::Vswitch, words)
}

fn change(cp: &Cp, issuer: &Issuer, kind: Kind, mut words: Words<'_>) -> Result<Response, Message> {
    let name = network(issuer, kind, &mut words)?;
    may_change(issuer, &name)?;
    let Read { what, idle } = operands::change(kind, &mut words)?;
    let unknown = what.grant.iter().map(|(userid, _)| userid).find(|userid| cp.user(userid).is_none());
    if let Some(userid) = unknown {
        return Err(message::not_in_directory(userid).from("SWU"));
    }
    let (gone, trouble) = cp.networks.change(kind, &name, &what)?;
    let_go(cp, kind, &name, &gone);
    let mut response = Response::from(idle_lines(&idle));
    let opened = what.connect != Some(false) && (what.connect.is_some() || what.uplink.is_some());
    let opened = opened && cp.networks.has_uplink(&name);
    if trouble.is_none() {
        response.push("Command complete");
    }
    tell_uplink(cp, &name, opened, trouble, &mut response);
    Ok(response)
}

/// `SET NIC vdev PROmiscuous|NOPROmiscuous | MACPROTect ON|OFF|UNSPECified`
///
/// Changes a network adapter of yours. PROMISCUOUS: it gets copies of all frames on its network; a grant or the
/// directory must allow that, or the LAN be yours. MACPROTECT, of class B, refuses frames that it sends from another
/// address.
pub fn nic(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vdev = words.need_device()?;
    let nic = own_nic(issuer, vdev)?;
    let mut wishes = nic.wishes();
    let word = words.need()?;
    match () {
        () if word.is("PROmiscuous") => wishes.promiscuous = true,
        () if word.is("NOPROmiscuous") => wishes.promiscuous = false,
        () if word.is("MACPROTect") && !issuer.has("B") => return Err(message::not_authorised().from("NIC")),
        () if word.is("MACPROTect") => wishes.protect = operands::on_off_unspecified(words.need()?)?,
        () => return Err(word.invalid()),
    }
    words.end()?;
    let mut adapter = nic.adapter(issuer.userid());
    (adapter.promiscuous, adapter.protect) = (wishes.promiscuous, wishes.protect);
    cp.networks.set_adapter(&adapter).ok_or_else(|| message::not_authorised().from("NIC"))?;
    nic.set_wishes(wishes);
    Ok("Command complete".into())
}

/// `SET VMLAN LIMIT [PERSistent n|INFinite] [TRANSient n|INFinite] | MACPROTECT ON|OFF`
///
/// Changes what holds for all networks. LIMIT says how many there may be: PERSISTENT ones of SYSTEM, TRANSIENT ones of
/// users. MACPROTECT holds where neither the network nor the adapter says otherwise.
pub fn vm_lan(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let change = operands::system(&mut words, false)?;
    cp.networks.set_system(&change);
    Ok("Command complete".into())
}
