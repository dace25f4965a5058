//! User-mode networking for guests: a gateway, its servers for addresses and names, and the way out through the host's
//! ordinary sockets. No privilege is needed, because no packet leaves the host as the guest made it.
//!
//! [`Nat`] is a pure state machine. Frames of guests go in by [`Nat::frame`], and what happens to the host's sockets by
//! [`Nat::event`]; both, and the time, are arguments. What it does to the world goes through [`Host`]. The same seed
//! and the same arguments give the same frames, so a failure is repeated by its numbers.
//!
//! - [`settings`]: the addresses of the network, and what can be set.
//! - `port`, `stations`: the link, and the guests on it. A guest whose queue is full stops nothing but its own flows.
//! - `discovery`: ARP, neighbour and router discovery. `dhcp`: addresses. `dns`: names. `icmp`: echoes and errors.
//! - `flows`, `key`, `role`: the table of flows. `datagrams`: those of UDP and of echoes. `tcp`, `connections`: those
//!   of TCP.
//! - `reassembly`: fragments.
//!
//! [docs/nat.md](../../../docs/nat.md) tells what guests see, and why it is so.

mod buffer;
mod connections;
mod counters;
mod datagrams;
mod dhcp;
mod discovery;
mod dns;
mod flows;
mod host;
mod icmp;
mod key;
mod port;
mod reassembly;
mod role;
pub mod settings;
mod stations;
mod tcp;

pub use counters::Counters;
pub use host::{Close, FlowId, Host, Kind, Received, Refusal};
pub use settings::Settings;

use dhcp::Leases;
use flows::{Body, Flow, Flows};
use icmp::{Trouble, tell};
use port::{Ends, Port};
use reassembly::{Piece, Reassembly, Whole};
use settings::{LEAST_MTU, LONGEST_FRAME, MOST_MTU, Place, is_guest, place};
use smoltcp::wire::{
    EthernetAddress, EthernetFrame, EthernetProtocol, IpProtocol, Ipv4Packet, Ipv6ExtHeader, Ipv6FragmentHeader,
    Ipv6Packet,
};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

/// How many flows have their turns before other things are looked at.
const TURNS: usize = 64;
/// How many timers run out before other things are looked at.
const TIMERS: usize = 4_096;
/// The most extension headers of a packet of IPv6.
const EXTENSIONS: usize = 8;

/// What has happened to a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A stream is connected, or will not be.
    Connected(Result<(), Refusal>),
    /// There may be something to read, its end, or an error.
    Readable,
    /// More may be written.
    Writable,
}

/// The gateway.
#[derive(Debug)]
pub struct Nat {
    settings: Settings,
    port: Port,
    flows: Flows,
    leases: Leases,
    reassembly: Reassembly,
    /// Bytes of storage in which streams wait.
    memory: usize,
    /// Questions for names on their way.
    questions: usize,
    /// Calls so far.
    calls: u64,
    /// What datagrams are read into.
    space: Vec<u8>,
    /// When the router is advertised to all, once a guest has asked.
    advertise_at: Option<Duration>,
}

impl Nat {
    /// The place among the guests that stands for all of them.
    pub(crate) const EVERYONE: usize = 0;

    /// A gateway that knows no guest.
    ///
    /// # Panics
    /// If the MTU is not one of [`LEAST_MTU`] to [`MOST_MTU`], or a packet for the guest is to be shorter.
    pub fn new(settings: Settings) -> Nat {
        assert!((LEAST_MTU..=MOST_MTU).contains(&settings.mtu), "an MTU of {}", settings.mtu);
        assert!((settings.mtu..=MOST_MTU).contains(&settings.segment), "segments of {}", settings.segment);
        let mut port = Port::new(&settings);
        let everyone = port.stations.meet(EthernetAddress::BROADCAST, Duration::ZERO);
        assert_eq!(everyone, Some(Self::EVERYONE));
        Nat {
            settings,
            port,
            flows: Flows::default(),
            leases: Leases::default(),
            reassembly: Reassembly::default(),
            memory: 0,
            questions: 0,
            calls: 0,
            space: Vec::new(),
            advertise_at: None,
        }
    }

    /// A frame of a guest. What follows from it for connections is done by [`Nat::run`], so that several frames that
    /// come together are acknowledged together.
    pub fn frame(&mut self, now: Duration, frame: &[u8], host: &mut dyn Host) {
        self.port.counters.frames_in += 1;
        self.port.counters.bytes_in += frame.len() as u64;
        let ethernet = match EthernetFrame::new_checked(frame) {
            Ok(ethernet) if frame.len() <= LONGEST_FRAME && ethernet.src_addr().is_unicast() => ethernet,
            _ => {
                self.port.counters.damaged += 1;
                return;
            }
        };
        let to = ethernet.dst_addr();
        if to != self.port.mac && !to.is_multicast() {
            self.port.counters.ignored += 1;
            return;
        }
        let Some(station) = self.port.stations.meet(ethernet.src_addr(), now) else {
            self.port.counters.strangers += 1;
            return;
        };
        match ethernet.ethertype() {
            EthernetProtocol::Arp => self.arp(now, station, ethernet.payload(), host),
            EthernetProtocol::Ipv4 => self.ipv4(now, station, ethernet.payload(), host),
            EthernetProtocol::Ipv6 if self.settings.ipv6 => self.ipv6(now, station, ethernet.payload(), host),
            _ => self.port.counters.ignored += 1,
        }
    }

    /// A packet of IPv4.
    fn ipv4(&mut self, now: Duration, station: usize, packet: &[u8], host: &mut dyn Host) {
        let packet = match Ipv4Packet::new_checked(packet) {
            Ok(packet) if packet.version() == 4 && packet.verify_checksum() => packet,
            _ => {
                self.port.counters.damaged += 1;
                return;
            }
        };
        let ends = Ends { from: packet.src_addr().into(), to: packet.dst_addr().into() };
        let unnamed = packet.src_addr() == Ipv4Addr::UNSPECIFIED && packet.next_header() == IpProtocol::Udp;
        if is_guest(ends.from) {
            self.learn(station, ends.from);
        } else if !(unnamed && place(ends.to) == Place::Many) {
            self.port.counters.ignored += 1;
            return;
        }
        if self.used_up(station, ends, packet.hop_limit(), packet.next_header(), packet.payload(), host) {
            return;
        }
        let protocol = packet.next_header();
        if packet.more_frags() || packet.frag_offset() > 0 {
            let identification = u32::from(packet.ident());
            let whole = Whole { from: ends.from, to: ends.to, protocol: protocol.into(), identification };
            let at = usize::from(packet.frag_offset());
            if let Some(payload) = self.fragment(now, whole, at, packet.more_frags(), packet.payload()) {
                self.payload4(now, station, ends, protocol, &payload, host);
            }
            return;
        }
        self.payload4(now, station, ends, protocol, packet.payload(), host);
    }

    fn payload4(
        &mut self,
        now: Duration,
        station: usize,
        ends: Ends,
        protocol: IpProtocol,
        payload: &[u8],
        host: &mut dyn Host,
    ) {
        let unnamed = ends.from == IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        match protocol {
            IpProtocol::Udp => self.udp(now, station, ends, payload, host),
            IpProtocol::Tcp if !unnamed => self.tcp(now, station, ends, payload, host),
            IpProtocol::Icmp if !unnamed => self.icmp4(now, station, ends, payload, host),
            _ => self.port.counters.ignored += 1,
        }
    }

    /// Whether a packet has passed too many routers to go outside: its guest is told.
    fn used_up(
        &mut self,
        station: usize,
        ends: Ends,
        hops: u8,
        protocol: IpProtocol,
        payload: &[u8],
        host: &mut dyn Host,
    ) -> bool {
        let used_up = hops <= 1 && place(ends.to) == Place::Outside;
        if used_up {
            tell(&mut self.port, host, station, ends, protocol, payload, Trouble::Hops);
        }
        used_up
    }

    /// A fragment: gives the whole payload with the last one.
    fn fragment(&mut self, now: Duration, whole: Whole, at: usize, more: bool, bytes: &[u8]) -> Option<Vec<u8>> {
        match self.reassembly.add(now, whole, at, more, bytes) {
            Piece::Kept => None,
            Piece::Complete(payload) => {
                self.port.counters.reassembled += 1;
                Some(payload)
            }
            Piece::Dropped => {
                self.port.counters.fragments_dropped += 1;
                None
            }
        }
    }

    /// A packet of IPv6.
    fn ipv6(&mut self, now: Duration, station: usize, packet: &[u8], host: &mut dyn Host) {
        let packet = match Ipv6Packet::new_checked(packet) {
            Ok(packet) if packet.version() == 6 => packet,
            _ => {
                self.port.counters.damaged += 1;
                return;
            }
        };
        let ends = Ends { from: packet.src_addr().into(), to: packet.dst_addr().into() };
        if is_guest(ends.from) {
            self.learn(station, ends.from);
        } else if !packet.src_addr().is_unspecified() {
            self.port.counters.ignored += 1;
            return;
        }
        let hops = packet.hop_limit();
        if self.used_up(station, ends, hops, packet.next_header(), packet.payload(), host) {
            return;
        }
        let (mut next, mut payload) = (packet.next_header(), packet.payload());
        let whole;
        for _ in 0..EXTENSIONS {
            if !matches!(next, IpProtocol::HopByHop | IpProtocol::Ipv6Opts | IpProtocol::Ipv6Frag) {
                break;
            }
            let Ok(header) = Ipv6ExtHeader::new_checked(payload) else {
                self.port.counters.damaged += 1;
                return;
            };
            let after = header.next_header();
            if next == IpProtocol::Ipv6Frag {
                let Ok(part) = Ipv6FragmentHeader::new_checked(&payload[2..8]) else { return };
                let id = Whole { from: ends.from, to: ends.to, protocol: after.into(), identification: part.ident() };
                let at = usize::from(part.frag_offset()) * 8;
                let Some(complete) = self.fragment(now, id, at, part.more_frags(), &payload[8..]) else { return };
                whole = complete;
                (next, payload) = (after, &whole);
                break;
            }
            // The length is in units of eight bytes, without the first.
            let length = (usize::from(header.header_len()) + 1) * 8;
            (next, payload) = (after, &payload[length.min(payload.len())..]);
        }
        let unnamed = packet.src_addr().is_unspecified();
        match next {
            IpProtocol::Icmpv6 => self.icmp6(now, station, (ends, hops), payload, host),
            IpProtocol::Udp if !unnamed => self.udp(now, station, ends, payload, host),
            IpProtocol::Tcp if !unnamed => self.tcp(now, station, ends, payload, host),
            _ => self.port.counters.ignored += 1,
        }
    }

    /// A guest has this address.
    pub(crate) fn learn(&mut self, station: usize, address: IpAddr) {
        if self.port.stations.has(station, address) {
            // A call may have waited for it.
            self.flows.resume(Self::EVERYONE, &mut self.port.stations);
        }
    }

    /// Something has happened to the socket of `flow`. What has to be done follows in [`Nat::run`].
    pub fn event(&mut self, now: Duration, flow: FlowId, event: Event, host: &mut dyn Host) {
        let Some(index) = self.flows.live(flow) else { return };
        if let Event::Connected(outcome) = event {
            self.connected(now, flow, outcome, host);
            return;
        }
        match self.flows.get_mut(index).map(|flow| &mut flow.body) {
            Some(Body::Tcp(tcp)) if event == Event::Readable => tcp.readable = true,
            Some(Body::Tcp(tcp)) => tcp.writable = true,
            Some(Body::Datagrams(datagrams)) if event == Event::Readable => datagrams.readable = true,
            _ => return,
        }
        self.flows.queue(index);
    }

    /// There is room in guests' queues again, perhaps.
    pub fn room(&mut self, host: &mut dyn Host) {
        for station in 0..self.port.stations.len() {
            if self.port.stations.get(station).full && self.port.room(host, station) {
                self.flows.resume(station, &mut self.port.stations);
            }
        }
    }

    /// Does what is due, and gives flows their turns. Gives whether there is more to do at once.
    pub fn run(&mut self, now: Duration, host: &mut dyn Host) -> bool {
        for _ in 0..TIMERS {
            let Some(index) = self.flows.expired(now) else { break };
            match self.flows.get_mut(index) {
                Some(Flow { body: Body::Tcp(_), .. }) => _ = self.with_tcp(now, index, host, tcp::Tcp::timer),
                Some(_) => self.datagrams_due(now, index, host),
                None => {}
            }
        }
        if self.advertise_at.is_some_and(|at| at <= now) {
            self.advertise_at = Some(now + discovery::ADVERTISE);
            self.advertise_to_all(host);
        }
        for _ in 0..TURNS {
            let Some(index) = self.flows.next_work() else { break };
            match self.flows.get_mut(index) {
                Some(Flow { body: Body::Tcp(_), .. }) => self.pump_tcp(now, index, host),
                Some(_) => self.pump_datagrams(now, index, host),
                None => {}
            }
        }
        self.flows.has_work()
    }

    /// When [`Nat::run`] has something to do at the latest, if nothing happens before.
    pub fn next_due(&self) -> Option<Duration> {
        [self.flows.next_due(), self.advertise_at].into_iter().flatten().min()
    }

    /// What has happened so far.
    pub fn counters(&self) -> &Counters {
        &self.port.counters
    }

    /// How many flows there are.
    pub fn flows(&self) -> usize {
        self.flows.len()
    }

    /// How many bytes of storage streams wait in.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// The names that guests gave themselves, with their addresses.
    pub fn names(&self, now: Duration) -> Vec<(String, Ipv4Addr)> {
        self.leases.names(now)
    }
}
