//! The network of `endicott linux`: a switch with the guest's card at one port and a gateway at another.
//!
//! The gateway is [`uplink`]: it answers the guest's questions for an address and for names, and gives its connections
//! to sockets of the host.

use crate::clock::HostClock;
use base::Held;
use base::file::{self, Access};
use directory::AdapterType;
use lan::UplinkSpec;
use net::{Capture, Mac, Port, Settings, Switch, Takes, left_open};
use nucleus::nic::{MTU, Nic};
use nucleus::vmdbk::Vmdbk;
use std::io::{self, BufWriter};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use uplink::{Publish, Transport, Uplink};

/// The card's device number.
const CARD: u16 = 0x1000;
/// The card's address: the same each time, so that the guest finds the card that it knows.
const MAC: Mac = Mac([0x02, 0, 0, 0, 0, 1]);
/// The port of the guest's sshd.
const SSH: u16 = 22;
/// The longest segment of TCP that the gateway hands on at once. The switch cuts it if the guest takes none so long.
const SEGMENT: usize = 65_520;

/// What `--net` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Kind {
    /// A network card, and a gateway to the host's network, which needs no privilege.
    User,
    /// No network card.
    None,
}

/// What the command line says of the network.
#[derive(clap::Args, Clone, Default)]
#[group(id = "network")]
pub(crate) struct Options {
    /// The guest's network [default: user if the guest starts from a disk or a port is published, or else none]
    #[arg(long, value_name = "KIND", value_enum)]
    net: Option<Kind>,
    /// A port of this host that leads to one of the guest, such as 8080:80 or 127.0.0.1:5353:53/udp. Without an address
    /// it is one of 127.0.0.1. May be given more than once.
    #[arg(long, short, value_name = "[ADDRESS:]HOST:GUEST[/udp]")]
    publish: Vec<Publish>,
    /// The guest reaches servers on this host's loopback at the gateway's address, 10.0.2.2.
    #[arg(long)]
    host_access: bool,
    /// Writes what goes through the guest's network card into this file, which Wireshark reads (pcapng).
    #[arg(long, value_name = "FILE")]
    capture: Option<PathBuf>,
}

impl Options {
    /// Refuses what is said of a network that there is not. `disk`: the guest starts from one.
    pub(crate) fn check(&self, disk: bool) -> Result<(), String> {
        self.wanted(disk).map(|_| ())
    }

    /// Whether the guest has a network.
    fn wanted(&self, disk: bool) -> Result<bool, String> {
        let usual = if disk || !self.publish.is_empty() { Kind::User } else { Kind::None };
        let kind = self.net.unwrap_or(usual);
        match (kind, self.word().filter(|word| *word != "--net")) {
            (Kind::None, Some(word)) => Err(format!("{word} wants a network: --net user")),
            _ => Ok(kind == Kind::User),
        }
    }

    /// One of the options that were given, `--net` only if it is the only one.
    pub(crate) fn word(&self) -> Option<&'static str> {
        match () {
            () if !self.publish.is_empty() => Some("--publish"),
            () if self.host_access => Some("--host-access"),
            () if self.capture.is_some() => Some("--capture"),
            () => self.net.map(|_| "--net"),
        }
    }
}

/// The network, as long as the guest runs.
pub(crate) struct Network {
    card: Arc<Port>,
    /// The gateway. Its port has the other end of what it is told by.
    gateway: Arc<Uplink>,
}

impl Network {
    /// Gives the guest a card, and a network for it, if it is to have one. `disk`: it starts from one. `ssh`: its sshd
    /// is reached at a port of this host.
    pub(crate) fn new(
        options: &Options,
        disk: bool,
        ssh: bool,
        vmdbk: &Vmdbk,
        clock: Arc<HostClock>,
    ) -> Result<Option<Network>, String> {
        if !options.wanted(disk)? {
            return Ok(None);
        }
        let mut publish = options.publish.clone();
        if ssh && !publish.iter().any(is_ssh) {
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
        let gateway = gateway(&port, publish, options.host_access).map_err(|error| format!("--net user: {error}"))?;
        let problems: Vec<String> = gateway.problems().iter().map(ToString::to_string).collect();
        if !problems.is_empty() {
            return Err(format!("--publish: {}", problems.join("; ")));
        }
        let nic = Nic::new(AdapterType::Virtio, CARD, MAC, MTU);
        nic.couple(Some(card.clone()));
        assert!(vmdbk.add_nic(nic), "no other device has its number");
        Ok(Some(Network { card, gateway }))
    }

    /// Ports of the host that lead to the guest, where the host listens.
    pub(crate) fn published(&self) -> impl Iterator<Item = Publish> {
        self.gateway.published().iter().map(|&(publish, host)| Publish { host, ..publish })
    }

    /// Where the guest's sshd is reached on this host's loopback.
    pub(crate) fn ssh(&self) -> Option<SocketAddr> {
        let publish = self.published().find(is_ssh)?;
        Some((Ipv4Addr::LOCALHOST, publish.host.port()).into())
    }

    /// The guest has ended: what was captured is written, and what there is to say of the gateway is said.
    pub(crate) fn end(self, options: &Options) {
        self.gateway.notices().iter().for_each(|notice| complain!("endicott: {notice}"));
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

/// Opens ways out of virtual switches of CP's: gateways to the host's network.
pub(crate) struct HostUplinks;

impl lan::Uplinks for HostUplinks {
    fn open(&self, port: &Arc<Port>, spec: &UplinkSpec) -> Result<Box<dyn lan::Uplink>, String> {
        let UplinkSpec::User { publish, host_access } = spec else { return Err("it is no way out".into()) };
        let publish: Result<Vec<Publish>, _> = publish.iter().map(|word| Publish::parse(word)).collect();
        let publish = publish.map_err(|wrong| wrong.to_string())?;
        let gateway = gateway(port, publish, *host_access).map_err(|error| error.to_string())?;
        let problems: Vec<String> = gateway.problems().iter().map(ToString::to_string).collect();
        if problems.is_empty() { Ok(Box::new(Gateway(gateway))) } else { Err(problems.join("; ")) }
    }
}

/// A gateway as an uplink of CP's.
struct Gateway(Arc<Uplink>);

impl lan::Uplink for Gateway {
    fn details(&self) -> Vec<String> {
        let (flows, sockets) = self.0.flows();
        let mut lines = vec![format!("Gateway: 10.0.2.2   Flows: {flows}   Sockets: {sockets}")];
        lines.extend(self.0.published().iter().map(|(publish, at)| format!("Listening: {at} for {}", publish.guest)));
        lines.extend(self.0.names().iter().map(|(name, address)| format!("Guest: {name} {address}")));
        lines
    }

    fn notices(&self) -> Vec<String> {
        self.0.notices()
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
    // The port does not keep the gateway, whose thread has the port.
    let (weak, taken) = (Arc::downgrade(&gateway), Mutex::new(Vec::new()));
    let from_guest = Arc::downgrade(port);
    port.takes(Takes::ALL);
    port.on_frames(move || {
        let (Some(gateway), Some(port)) = (weak.upgrade(), from_guest.upgrade()) else { return };
        let mut frame = taken.lock().held();
        while port.receive_open(&mut frame).is_some() {
            gateway.frame(&frame);
        }
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
