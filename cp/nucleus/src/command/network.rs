//! COUPLE and UNCOUPLE; DEFINE and DETACH of networks and of their adapters.

use super::{Issuer, Response, ctca};
use crate::system::Cp;
use consoles::display::Tone;
use directory::{AdapterType, DeviceKind};
use lan::operands::{self, Read};
use lan::{Definition, Grant, Kind, Name, Place, PortType, SYSTEM};
use message::Message;
use message::words::{Word, Words};
use std::sync::Arc;
use virtualmachine::nic::{self, Nic, Wishes};
use virtualmachine::vmdbk::Vmdbk;

/// `COUPLe vdev [TO owner|*|SYSTEM name] | vdev [TO] userid|* vdev`
///
/// Connects a network adapter of yours to a guest LAN or to a virtual switch: the guest sees that its link is up. With
/// no network named, it is the one that the directory names for the adapter. TO can be left out. A restricted network
/// wants a grant (SET LAN, SET VSWITCH) or your directory entry to name it. QUERY LAN and QUERY VSWITCH show the
/// networks that you may use.
///
/// A channel-to-channel adapter is coupled to one of another user, who is told, or to another one of yours. It leaves
/// the one that it was coupled to before.
pub fn couple(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vdev = words.need_device()?;
    if let Some(own) = issuer.vmdbk.ctca(vdev) {
        words.accept("TO");
        return ctca::couple(cp, issuer, &own, words);
    }
    let nic = own_nic(issuer, vdev)?;
    words.accept("TO");
    let configured = nic.wishes().network;
    let (name, own) = match words.is_empty() {
        true => configured.map(|(name, grant)| (name, Some(grant))).ok_or_else(message::operand_missing)?,
        false => {
            let name = operands::target(&mut words, issuer.userid())?;
            let own = configured.filter(|(other, _)| *other == name).map(|(_, grant)| grant);
            (name, own)
        }
    };
    words.end()?;
    connect(cp, &issuer.vmdbk, &nic, &name, own).map(Into::into)
}

/// `UNCOUPLe vdev`
///
/// Takes a network adapter of yours off its network: the guest sees that its link is down. Or takes a
/// channel-to-channel adapter from the one at the other side, whose user is told.
pub fn uncouple(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vdev = words.need_device()?;
    words.end()?;
    if let Some(own) = issuer.vmdbk.ctca(vdev) {
        let line = ctca::drop_couple(cp, &issuer.vmdbk, &own);
        return line.map(Into::into).ok_or_else(|| message::ctca_uncoupled(format!("{vdev:04X}")));
    }
    let nic = own_nic(issuer, vdev)?;
    let line = disconnect(cp, &issuer.vmdbk, &nic);
    line.map(Into::into).ok_or_else(|| message::nic_uncoupled(format!("{vdev:04X}")))
}

/// The adapter of the issuer's with this number.
pub(super) fn own_nic(issuer: &Issuer, vdev: u16) -> Result<Arc<Nic>, Message> {
    issuer.vmdbk.nic(vdev).ok_or_else(|| message::nic_absent(format!("{vdev:04X}")))
}

/// Lines for operands that change nothing.
pub(super) fn idle_lines(idle: &[String]) -> Vec<String> {
    idle.iter().map(|what| message::changes_nothing(what).to_string()).collect()
}

/// DEFINE LAN: by class B for any owner, by others for themselves.
pub(super) fn define_lan(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let Read { what, idle } = operands::define_lan(&mut words, issuer.userid())?;
    if what.name.owner != issuer.userid() && !issuer.has("B") {
        return Err(message::not_authorised().from("NDL"));
    }
    if what.name.owner != SYSTEM && cp.user(&what.name.owner).is_none() {
        return Err(message::not_in_directory(&what.name.owner).from("NDL"));
    }
    define(cp, what, &idle)
}

/// DEFINE VSWITCH, of class B.
pub(super) fn define_vswitch(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    if !issuer.has("B") {
        return Err(message::not_authorised().from("NDL"));
    }
    let Read { what, idle } = operands::define_vswitch(&mut words)?;
    define(cp, what, &idle)
}

fn define(cp: &Cp, definition: Definition, idle: &[String]) -> Result<Response, Message> {
    let created = format!("{} {} is created", definition.kind.word(), definition.name);
    let wants_uplink = definition.uplink != lan::UplinkSpec::None;
    let name = definition.name.clone();
    let trouble = cp.networks.define(definition)?;
    let mut response = Response::from(created);
    response.lines.extend(idle_lines(idle));
    tell_uplink(cp, &name, wants_uplink, trouble, &mut response);
    Ok(response)
}

/// What became of an uplink that was to be connected: for the issuer, and for the operator.
pub(super) fn tell_uplink(cp: &Cp, name: &Name, wanted: bool, trouble: Option<Message>, response: &mut Response) {
    let line = match trouble {
        Some(trouble) => {
            response.code = trouble.number;
            trouble.to_string()
        }
        None if wanted => message::uplink_ready(name).to_string(),
        None => return,
    };
    cp.notify_operator(&line);
    response.push(line);
}

/// DEFINE NIC vdev [TYPE] type [DEVICES n] [MACID id|SYSTEM]
pub(super) fn define_nic(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vdev = words.need_device()?;
    let (mut kind, mut id, mut idle) = (AdapterType::Virtio, None, Vec::new());
    let mut devices = None;
    while let Some(word) = words.next() {
        match () {
            () if word.is("TYPE") => kind = adapter_type(words.need()?)?,
            () if AdapterType::of(&word.upper()).is_some() || word.is("IEDN") || word.is("INMN") => {
                kind = adapter_type(word)?;
            }
            () if word.is("DEVices") => devices = Some(words.need()?),
            () if word.is("MACID") => id = mac_id(issuer, words.need()?)?,
            () if word.is("CHPID") => {
                words
                    .need()?
                    .hexadecimal()
                    .filter(|chpid| *chpid < 256)
                    .ok_or_else(|| message::invalid_option("CHPID"))?;
                idle.push("CHPID".to_string());
            }
            () => return Err(word.invalid()),
        }
    }
    if let Some(word) = devices.filter(|word| word.decimal() != Some(kind.devices().into())) {
        return Err(word.invalid());
    }
    let (_, line) = make_nic(cp, &issuer.vmdbk, vdev, kind, id, Wishes::default())?;
    let mut response = Response::from(line);
    response.lines.extend(idle_lines(&idle));
    Ok(response)
}

/// The types of adapters, for messages.
fn types() -> String {
    AdapterType::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

/// The type of adapter that a word means, if there are any of it.
fn adapter_type(word: Word<'_>) -> Result<AdapterType, Message> {
    AdapterType::of(&word.upper()).ok_or_else(|| message::nic_type(word.upper(), types()))
}

/// MACID: SYSTEM, or with class B three bytes.
fn mac_id(issuer: &Issuer, word: Word<'_>) -> Result<Option<u32>, Message> {
    if word.is("SYSTEM") {
        return Ok(None);
    }
    let id = operands::mac_id(word)?;
    if issuer.has("B") { Ok(Some(id)) } else { Err(message::not_authorised().from("VDB")) }
}

/// Gives a virtual machine an adapter, and the line that says so.
fn make_nic(
    cp: &Cp,
    vmdbk: &Vmdbk,
    vdev: u16,
    kind: AdapterType,
    id: Option<u32>,
    wishes: Wishes,
) -> Result<(Arc<Nic>, String), Message> {
    let mac = cp.networks.take_address(&operands::place(&vmdbk.userid, vdev), id)?;
    let nic = Nic::new(kind, vdev, mac, nic::MTU);
    nic.set_wishes(wishes);
    if !vmdbk.add_nic(nic.clone()) {
        cp.networks.give_back_address(mac);
        return Err(message::device_defined(format!("NIC {vdev:04X}")));
    }
    let line = format!("NIC {vdev:04X} is created; devices {} defined", range(&nic));
    Ok((nic, line))
}

/// The device numbers of an adapter, as `0600-0602`.
fn range(nic: &Nic) -> String {
    format!("{:04X}-{:04X}", nic.vdev(), nic.vdev() + (nic.devices() - 1))
}

/// Connects an adapter to a network: the line that says so.
fn connect(cp: &Cp, vmdbk: &Vmdbk, nic: &Nic, name: &Name, own: Option<Grant>) -> Result<String, Message> {
    let adapter = nic.adapter(&vmdbk.userid);
    if nic.port().is_some() {
        let (kind, to) =
            cp.networks.of(&adapter.place).map_or(("LAN", "*".into()), |(kind, to)| (kind.word(), to.to_string()));
        return Err(message::nic_coupled(format!("{:04X}", nic.vdev()), format!("{kind} {to}")));
    }
    let (kind, port) = cp.networks.couple(adapter, name, own)?;
    nic.couple(Some(port));
    Ok(format!("NIC {:04X} is connected to {} {name}", nic.vdev(), kind.word()))
}

/// Takes an adapter off its network: the line that says so, if it was on one.
fn disconnect(cp: &Cp, vmdbk: &Vmdbk, nic: &Nic) -> Option<String> {
    let from = cp.networks.uncouple(&operands::place(&vmdbk.userid, nic.vdev()));
    let coupled = nic.port().is_some();
    nic.couple(None);
    match from {
        Some((kind, name)) => Some(disconnected(nic.vdev(), kind, &name)),
        None => coupled.then(|| format!("NIC {:04X} is disconnected from LAN *", nic.vdev())),
    }
}

fn disconnected(vdev: u16, kind: Kind, name: &Name) -> String {
    format!("NIC {vdev:04X} is disconnected from {} {name}", kind.word())
}

/// The network has let these adapters go: their cables are pulled, and their users told.
pub(super) fn let_go(cp: &Cp, kind: Kind, name: &Name, places: &[Place]) {
    for place in places {
        let Some(vmdbk) = cp.vmdbk(&place.userid) else { continue };
        // It may be on another network by now.
        if let Some(nic) = vmdbk.nic(place.vdev).filter(|_| cp.networks.of(place).is_none()) {
            nic.couple(None);
            vmdbk.write(&disconnected(place.vdev, kind, name), Tone::Normal, cp.now());
        }
    }
}

/// DETACH NIC vdev, and DETACH vdev of an adapter.
pub(super) fn detach_nic(cp: &Cp, vmdbk: &Vmdbk, nic: &Arc<Nic>) -> Response {
    let vdev = nic.vdev();
    nic.detach(&mut vmdbk.machine().configuration.css());
    let mut response = Response::none();
    response.lines.extend(disconnect(cp, vmdbk, nic));
    vmdbk.remove_nic(nic);
    cp.networks.give_back_address(nic.mac());
    response.push(format!("NIC {vdev:04X} is destroyed; devices {} detached", range(nic)));
    response
}

/// What follows DETACH, if it is about networks.
pub(super) fn detach(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Option<Result<Response, Message>> {
    let what = words.next()?;
    match () {
        () if what.is("NIC") => Some(detach_one(cp, issuer, words)),
        () if what.is("LAN") => Some(detach_network(cp, issuer, Kind::Lan, words)),
        () if what.is("VSWITCH") => Some(detach_network(cp, issuer, Kind::Vswitch, words)),
        () => None,
    }
}

fn detach_one(cp: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let vdev = words.need_device()?;
    words.end()?;
    let nic = own_nic(issuer, vdev)?;
    Ok(detach_nic(cp, &issuer.vmdbk, &nic))
}

fn detach_network(cp: &Cp, issuer: &Issuer, kind: Kind, mut words: Words<'_>) -> Result<Response, Message> {
    let name = network(issuer, kind, &mut words)?;
    words.end()?;
    may_change(issuer, &name)?;
    let places = cp.networks.destroy(kind, &name)?;
    let_go(cp, kind, &name, &places);
    Ok(format!("{} {name} is destroyed", kind.word()).into())
}

/// A network as commands name it: a virtual switch is SYSTEM's, a LAN the issuer's unless OWNERID says otherwise.
pub(super) fn network(issuer: &Issuer, kind: Kind, words: &mut Words<'_>) -> Result<Name, Message> {
    let name = operands::network_name(words)?;
    let owner = match kind {
        Kind::Vswitch => SYSTEM.to_string(),
        Kind::Lan => operands::owner(words, issuer.userid(), issuer.userid())?,
    };
    Ok(Name { owner, name })
}

/// Whether the issuer may change or take away a network: its owner, or class B.
pub(super) fn may_change(issuer: &Issuer, name: &Name) -> Result<(), Message> {
    match name.owner == issuer.userid() || issuer.has("B") {
        true => Ok(()),
        false => Err(message::not_authorised().from("NDL")),
    }
}

/// LOGON: the adapters of the directory, each with its network. What is done, or cannot be, is written to the console.
pub fn log_on(cp: &Cp, vmdbk: &Vmdbk) {
    cp.networks.returns(&vmdbk.userid);
    let tell = |text: &str| vmdbk.write(text, Tone::Normal, cp.now());
    let adapters = vmdbk.user.devices.iter().filter_map(|device| match &device.kind {
        DeviceKind::Nic(nic) => Some((device.vdev, nic)),
        _ => None,
    });
    for (vdev, statement) in adapters {
        let network = statement.lan.as_ref().map(|(owner, name)| {
            let owner = if owner == "*" { vmdbk.userid.clone() } else { owner.clone() };
            let port = statement.trunk.map(|trunk| if trunk { PortType::Trunk } else { PortType::Access });
            let grant = Grant { port, vlans: statement.vlans.clone(), promiscuous: statement.promiscuous };
            (Name { owner, name: name.clone() }, grant)
        });
        let wishes = Wishes { promiscuous: statement.promiscuous, protect: None, network: network.clone() };
        let (nic, line) = match make_nic(cp, vmdbk, vdev, statement.kind, statement.mac_id, wishes) {
            Ok(made) => made,
            Err(message) => {
                tell(&message.to_string());
                continue;
            }
        };
        tell(&line);
        if let Some((name, grant)) = network {
            match connect(cp, vmdbk, &nic, &name, Some(grant)) {
                Ok(line) => tell(&line),
                Err(message) => tell(&message.to_string()),
            }
        }
    }
}

/// LOGOFF: the adapters go, and the user's LANs with them.
pub fn log_off(cp: &Cp, vmdbk: &Vmdbk) {
    for nic in vmdbk.nics() {
        disconnect(cp, vmdbk, &nic);
        cp.networks.give_back_address(nic.mac());
    }
    cp.networks.leaves(&vmdbk.userid);
}
