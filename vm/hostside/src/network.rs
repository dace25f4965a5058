//! The network of `endicott linux`: a switch with the guest's card at one port and a way out at another; ways out of
//! virtual switches of CP's.
//!
//! A way out is [`uplink`]'s: a gateway, which answers the guest's questions for an address and for names and gives its
//! connections to sockets of the host; or a wire, which leads frames as they are to an interface of the host's, to
//! `passt`, to another host.

use crate::clock::HostClock;
use base::Held;
use base::file::{self, Access};
use directory::AdapterType;
use lan::{Sockets, Uplink as _, UplinkSpec};
use net::{Capture, Mac, Port, Settings, Switch, Takes, left_open};
use serde::{Deserialize, Serialize};
use std::io::{self, BufWriter};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use uplink::wire::{LONGEST, Near, Passt, Target, Wire, WrongTarget};
use uplink::{Publish, Transport, Uplink};
use virtualmachine::nic::{MTU, Nic};
use virtualmachine::vmdbk::Vmdbk;
use xxhash_rust::xxh3::xxh3_64;

/// The card's device number.
const CARD: u16 = 0x1000;
/// The card's address: the same each time, so that the guest finds the card that it knows.
const MAC: Mac = Mac([0x02, 0, 0, 0, 0, 1]);
/// The port of the guest's sshd.
const SSH: u16 = 22;
/// The longest segment of TCP that the gateway hands on at once. The switch cuts it if the guest takes none so long.
const SEGMENT: usize = 65_520;

/// What `--net` says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
enum Kind {
    /// A network card, and a gateway to the host's network, which needs no privilege.
    User,
    /// A network card, and a wire to something of the host's.
    Wire(Target),
    /// No network card.
    None,
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(word: &str) -> Result<Kind, String> {
        match word {
            "user" => Ok(Kind::User),
            "none" => Ok(Kind::None),
            _ => word.parse().map(Kind::Wire).map_err(|wrong| match wrong {
                WrongTarget::Kind(_) => "the kinds are user, none, passt, tap:NAME, listen:PLACE and call:PLACE".into(),
                wrong => wrong.to_string(),
            }),
        }
    }
}

/// For checkpoints.
impl TryFrom<String> for Kind {
    type Error = String;

    fn try_from(word: String) -> Result<Kind, String> {
        word.parse()
    }
}

impl From<Kind> for String {
    fn from(kind: Kind) -> String {
        match kind {
            Kind::User => "user".into(),
            Kind::None => "none".into(),
            Kind::Wire(target) => target.to_string(),
        }
    }
}

impl Kind {
    /// Whether guests share the host's address, by a gateway: then they have ports of the host.
    fn has_ports(&self) -> bool {
        matches!(self, Kind::User | Kind::Wire(Target::Passt(_)))
    }

    /// The card's address. On a gateway's network it is always the same. On one with others it is its own: nothing else
    /// there has the same.
    fn mac(&self) -> Mac {
        let Kind::Wire(target) = self else { return MAC };
        if self.has_ports() {
            return MAC;
        }
        let host = ["/etc/machine-id", "/proc/sys/kernel/hostname"].map(std::fs::read_to_string);
        let host = host.into_iter().find_map(Result::ok).unwrap_or_default();
        let hash = xxh3_64(format!("{} {target}", host.trim()).as_bytes());
        let byte = |shift: u32| (hash >> shift) as u8;
        // The first says that it is one station's, and no maker's.
        Mac([2, byte(56), byte(48), byte(40), byte(32), byte(24)])
    }
}

/// An address of one station.
fn station(word: &str) -> Result<Mac, String> {
    let mac: Result<Mac, _> = word.parse();
    mac.ok()
        .filter(|mac| mac.is_unicast())
        .ok_or_else(|| "an address of one card is six bytes, the first of them even, such as 02:00:00:00:00:01".into())
}

/// The card's address in a checkpoint.
mod six_bytes {
    use net::Mac;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(mac: &Option<Mac>, to: S) -> Result<S::Ok, S::Error> {
        mac.map(|mac| mac.0).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Mac>, D::Error> {
        Ok(Option::<[u8; 6]>::deserialize(from)?.map(Mac))
    }
}

/// What the command line says of the network.
#[derive(clap::Args, Clone, Default, Serialize, Deserialize)]
#[group(id = "network")]
pub struct Options {
    /// The guest's network: user (a gateway to this host's network, which needs no privilege), passt (the same by that
    /// program), tap:NAME (an interface of this host's), listen:PLACE or call:PLACE (another program, such as another
    /// host's Endicott or QEMU; a PLACE is unix:PATH or tcp:ADDRESS:PORT), or none [default: user if the guest starts
    /// from a disk or a port is published, or else none]
    #[arg(long, value_name = "KIND")]
    net: Option<Kind>,
    /// The address of the guest's network card [default: with user and passt 02:00:00:00:00:01, with others one that
    /// follows from this host and KIND]
    #[arg(long, value_name = "ADDRESS", value_parser = station)]
    #[serde(with = "six_bytes")]
    mac: Option<Mac>,
    /// A port of this host that leads to one of the guest, such as 8080:80 or 127.0.0.1:5353:53/udp. Without an address
    /// it is one of 127.0.0.1. May be given more than once.
    #[arg(long, short, value_name = "[ADDRESS:]HOST:GUEST[/udp]")]
    publish: Vec<Publish>,
    /// The guest reaches servers on this host's loopback at the gateway's address, 10.0.2.2.
    #[arg(long)]
    host_access: bool,
    /// Writes what goes through the guest's network card into this file, which Wireshark reads (pcapng).
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    capture: Option<PathBuf>,
}

impl Options {
    /// Refuses what is said of a network that there is not. `disk`: the guest starts from one.
    pub fn check(&self, disk: bool) -> Result<(), String> {
        self.wanted(disk).map(|_| ())
    }

    /// The same, with what is usual said. `disk`: the guest starts from one.
    pub fn settled(&self, disk: bool) -> Options {
        let kind = self.wanted(disk).unwrap_or(Kind::None);
        let mac = self.mac.unwrap_or_else(|| kind.mac());
        Options { mac: (kind != Kind::None).then_some(mac), net: Some(kind), ..self.clone() }
    }

    /// The network of a guest that goes on: as it was, but for what is said now.
    pub fn again(&self, now: &Options) -> Options {
        let publish = if now.publish.is_empty() { &self.publish } else { &now.publish };
        Options { publish: publish.clone(), capture: now.capture.clone(), ..self.clone() }
    }

    /// The guest's network.
    fn wanted(&self, disk: bool) -> Result<Kind, String> {
        let usual = if disk || !self.publish.is_empty() { Kind::User } else { Kind::None };
        let kind = self.net.clone().unwrap_or(usual);
        match (&kind, self.word().filter(|word| *word != "--net")) {
            (Kind::None, Some(word)) => Err(format!("{word} wants a network: --net user")),
            (kind, Some(word @ ("--publish" | "--host-access"))) if !kind.has_ports() => Err(format!(
                "{word} is for --net user and --net passt: with others the guest has an address of its own"
            )),
            _ => Ok(kind),
        }
    }

    /// One of the options that were given, `--net` only if it is the only one.
    pub fn word(&self) -> Option<&'static str> {
        match () {
            () if !self.publish.is_empty() => Some("--publish"),
            () if self.host_access => Some("--host-access"),
            () if self.capture.is_some() => Some("--capture"),
            () if self.mac.is_some() => Some("--mac"),
            () => self.net.as_ref().map(|_| "--net"),
        }
    }
}

/// The network, as long as the guest runs.
pub struct Network {
    card: Arc<Port>,
    way: Way,
}

impl Network {
    /// Gives the guest a card, and a network for it, if it is to have one. `disk`: it starts from one. `ssh`: its sshd
    /// is reached at a port of this host.
    pub fn new(
        options: &Options,
        disk: bool,
        ssh: bool,
        vmdbk: &Vmdbk,
        clock: Arc<HostClock>,
    ) -> Result<Option<Network>, String> {
        let kind = options.wanted(disk)?;
        if kind == Kind::None {
            return Ok(None);
        }
        let mac = options.mac.unwrap_or_else(|| kind.mac());
        let mut publish = options.publish.clone();
        if ssh && kind.has_ports() && !publish.iter().any(is_ssh) {
            publish.push(Publish { host: (Ipv4Addr::LOCALHOST, 0).into(), guest: SSH, transport: Transport::Tcp });
        }
        let switch = Switch::new(clock);
        let card = Arc::new(switch.port(Settings::default()));
        if let Some(path) = &options.capture {
            let wrong = |error| format!("--capture {}: {error}", path.display());
            let file = file::open(path, Access::Make).map_err(wrong)?;
            file.set_len(0).map_err(wrong)?;
            let to = Box::new(BufWriter::new(file));
            let name = format!("{} {CARD:04X}", vmdbk.userid);
            card.capture(Some(Capture::new(to, &name).map_err(wrong)?));
        }
        let port = Arc::new(switch.port(Settings { uplink: true, ..Settings::default() }));
        let way = match kind {
            Kind::Wire(Target::Passt(_)) => Way::passt(&port, publish, options.host_access),
            Kind::Wire(target) => Way::wire(&port, target, Vec::new()),
            Kind::User | Kind::None => Way::gateway(&port, publish, options.host_access),
        };
        let way = way.map_err(|why| format!("the guest's network: {why}"))?;
        let nic = Nic::new(AdapterType::Virtio, CARD, mac, MTU);
        nic.couple(Some(card.clone()));
        assert!(vmdbk.add_nic(nic), "no other device has its number");
        Ok(Some(Network { card, way }))
    }

    /// Ports of the host that lead to the guest, where the host listens.
    pub fn published(&self) -> Vec<Publish> {
        self.way.published()
    }

    /// Where the guest's sshd is reached on this host's loopback.
    pub fn ssh(&self) -> Option<SocketAddr> {
        let publish = self.published().into_iter().find(is_ssh)?;
        Some((Ipv4Addr::LOCALHOST, publish.host.port()).into())
    }

    /// The guest has ended: what was captured is written, and what there is to say of the way out is said.
    pub fn end(self, options: &Options) {
        self.way.notices().iter().for_each(|notice| complain!("endicott: {notice}"));
        let Some(path) = &options.capture else { return };
        let complete = match self.card.capture(None) {
            Some(mut capture) => capture.flush(),
            None => Err(io::Error::other("it could not be written; the capture ends before the guest did")),
        };
        if let Err(error) = complete {
            complain!("endicott: --capture {}: {error}", path.display());
        }
    }
}

/// Whether it leads a port of this host's loopback to the guest's sshd.
fn is_ssh(publish: &Publish) -> bool {
    let here = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V4(Ipv4Addr::UNSPECIFIED)];
    publish.guest == SSH && publish.transport == Transport::Tcp && here.contains(&publish.host.ip())
}

/// Opens ways out of virtual switches of CP's.
pub struct HostUplinks;

impl lan::Uplinks for HostUplinks {
    fn open(&self, port: &Arc<Port>, spec: &UplinkSpec) -> Result<Box<dyn lan::Uplink>, String> {
        let way = match checked(spec)? {
            Checked::None => return Err("it is no way out".into()),
            Checked::Gateway(publish, host_access) => Way::gateway(port, publish, host_access),
            Checked::Passt(publish, host_access) => Way::passt(port, publish, host_access),
            Checked::Wire(target) => Way::wire(port, target, Vec::new()),
        };
        Ok(Box::new(way?))
    }
}

/// A way out as CP's words say it, read.
pub(crate) enum Checked {
    None,
    Gateway(Vec<Publish>, bool),
    Passt(Vec<Publish>, bool),
    Wire(Target),
}

/// Reads what stands in the words: ports, places, names.
pub(crate) fn checked(spec: &UplinkSpec) -> Result<Checked, String> {
    let ports = |sockets: &Sockets| {
        let publish: Result<Vec<Publish>, _> = sockets.publish.iter().map(|word| Publish::parse(word)).collect();
        publish.map(|publish| (publish, sockets.host_access)).map_err(|wrong| wrong.to_string())
    };
    let target = |word: String| word.parse().map(Checked::Wire).map_err(|wrong: WrongTarget| wrong.to_string());
    match spec {
        UplinkSpec::None => Ok(Checked::None),
        UplinkSpec::User(sockets) => ports(sockets).map(|(publish, access)| Checked::Gateway(publish, access)),
        UplinkSpec::Passt(sockets) => ports(sockets).map(|(publish, access)| Checked::Passt(publish, access)),
        UplinkSpec::Tap(name) => target(format!("tap:{name}")),
        UplinkSpec::Listen(place) => target(format!("listen:{place}")),
        UplinkSpec::Call(place) => target(format!("call:{place}")),
    }
}

/// A way out at a port of a switch, as long as it is open.
enum Way {
    /// The port has the other end of what it is told by.
    Gateway(Arc<Uplink>),
    Wire {
        wire: Arc<Wire>,
        /// The thing at the port, which the port does not keep.
        _end: Arc<End>,
        published: Vec<Publish>,
    },
}

impl Way {
    fn gateway(port: &Arc<Port>, publish: Vec<Publish>, host_access: bool) -> Result<Way, String> {
        let gateway = gateway(port, publish, host_access).map_err(|error| error.to_string())?;
        let problems: Vec<String> = gateway.problems().iter().map(ToString::to_string).collect();
        if problems.is_empty() { Ok(Way::Gateway(gateway)) } else { Err(problems.join("; ")) }
    }

    fn passt(port: &Arc<Port>, publish: Vec<Publish>, host_access: bool) -> Result<Way, String> {
        let passt = Passt::new(publish, host_access).map_err(|error| error.to_string())?;
        let published = passt.published().to_vec();
        Way::wire(port, Target::Passt(passt), published)
    }

    fn wire(port: &Arc<Port>, target: Target, published: Vec<Publish>) -> Result<Way, String> {
        let what = target.to_string();
        let end = Arc::new(End { port: port.clone(), wire: OnceLock::new(), frame: Mutex::default() });
        let wire = Wire::open(target, AtWire(end.clone())).map_err(|error| format!("{what}: {error}"))?;
        let wire = Arc::new(wire);
        let _ = end.wire.set(Arc::downgrade(&wire));
        let weak = Arc::downgrade(&end);
        port.on_frames(move || {
            if let Some(end) = weak.upgrade() {
                end.pump();
            }
        });
        let weak = Arc::downgrade(&wire);
        port.on_room(move || {
            if let Some(wire) = weak.upgrade() {
                wire.room();
            }
        });
        end.pump();
        Ok(Way::Wire { wire, _end: end, published })
    }

    fn published(&self) -> Vec<Publish> {
        match self {
            Way::Gateway(gateway) => {
                gateway.published().iter().map(|&(publish, host)| Publish { host, ..publish }).collect()
            }
            Way::Wire { published, .. } => published.clone(),
        }
    }
}

impl lan::Uplink for Way {
    fn details(&self) -> Vec<String> {
        match self {
            Way::Gateway(gateway) => {
                let (flows, sockets) = gateway.flows();
                let mut lines = vec![format!("Gateway: 10.0.2.2   Flows: {flows}   Sockets: {sockets}")];
                let listening = gateway.published().iter();
                lines.extend(listening.map(|(publish, at)| format!("Listening: {at} for {}", publish.guest)));
                lines.extend(gateway.names().iter().map(|(name, address)| format!("Guest: {name} {address}")));
                lines
            }
            Way::Wire { wire, published, .. } => {
                let there = if wire.is_connected() { "Yes" } else { "No" };
                let mut lines = vec![format!("Other end: {there}   Frames lost: {}", wire.lost())];
                lines.extend(wire.address().map(|at| format!("Listening: {at}")));
                lines.extend(
                    published.iter().map(|publish| format!("Listening: {} for {}", publish.host, publish.guest)),
                );
                lines
            }
        }
    }

    fn notices(&self) -> Vec<String> {
        match self {
            Way::Gateway(gateway) => gateway.notices(),
            Way::Wire { wire, .. } => wire.notices(),
        }
    }
}

/// What connects a port with a wire.
struct End {
    port: Arc<Port>,
    wire: OnceLock<Weak<Wire>>,
    /// The frame that goes out, and whether it has still to be taken.
    frame: Mutex<(Vec<u8>, bool)>,
}

impl End {
    /// Sends what waits at the port, until the wire has no room: then it asks again.
    fn pump(&self) {
        let Some(wire) = self.wire.get().and_then(Weak::upgrade) else { return };
        let mut out = self.frame.lock().held();
        let (frame, waits) = &mut *out;
        while *waits || self.port.receive(frame) {
            // What nothing is there for is lost, and what no wire takes.
            *waits = !wire.frame(frame) && wire.is_connected() && frame.len() <= LONGEST;
            if *waits {
                return;
            }
        }
    }
}

/// The port as the wire's thread sees it.
struct AtWire(Arc<End>);

impl Near for AtWire {
    fn frame(&mut self, frame: &[u8]) -> bool {
        !self.0.port.send(frame).waits
    }

    fn room(&mut self) {
        self.0.pump();
    }

    fn link(&mut self, up: bool) {
        self.0.port.set_up(up);
        self.0.pump();
    }
}

/// A gateway at a port of a switch.
fn gateway(port: &Arc<Port>, publish: Vec<Publish>, host_access: bool) -> io::Result<Arc<Uplink>> {
    // It leaves check sums and the cutting of segments to the card, or to the switch.
    let nat = uplink::settings::Settings {
        mtu: MTU.into(),
        segment: SEGMENT,
        verify: false,
        fill: false,
        host_access,
        ..uplink::settings::Settings::default()
    };
    let settings = uplink::Settings { nat, publish, ..uplink::Settings::default() };
    let to_guest = port.clone();
    let mut frame = Vec::new();
    let gateway = Uplink::start(settings, move |bytes| {
        frame.clear();
        frame.extend_from_slice(bytes);
        let open = left_open(&mut frame, MTU);
        // What a port does not take for ever is lost, as on any wire.
        !to_guest.send_open(&frame, open).waits
    })?;
    let gateway = Arc::new(gateway);
    // The port does not keep the gateway, which has the port.
    let (weak, taken) = (Arc::downgrade(&gateway), Mutex::new(Vec::new()));
    let from_guest = Arc::downgrade(port);
    port.takes(Takes::ALL);
    port.on_frames(move || {
        let (Some(gateway), Some(port)) = (weak.upgrade(), from_guest.upgrade()) else { return };
        let mut frame = taken.lock().held();
        while port.receive_open(&mut frame).is_some() {
            gateway.put(&frame);
        }
        // What the gateway does about them may bring this about once more.
        drop(frame);
        gateway.flush();
    });
    let weak = Arc::downgrade(&gateway);
    port.on_room(move || {
        if let Some(gateway) = weak.upgrade() {
            gateway.room();
        }
    });
    port.set_up(true);
    Ok(gateway)
}
