//! Flows of datagrams: UDP and echoes to the outside, questions for names, and what comes to published ports.

use crate::Nat;
use crate::dhcp::Outcome;
use crate::flows::{Body, Flow, Standing};
use crate::host::{Close, FlowId, Host, Kind, Received, Refusal};
use crate::icmp::{Trouble, tell};
use crate::key::{Key, Protocol};
use crate::port::Ends;
use crate::role::{Datagrams, Role};
use crate::settings::{GATEWAY, Place, place};
use smoltcp::wire::{
    DHCP_CLIENT_PORT, DHCP_SERVER_PORT, EthernetAddress, IpProtocol, UDP_HEADER_LEN, UdpPacket, UdpRepr,
};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

/// How long a flow stays without an answer, and with one (RFC 4787, 4.3, has two to five minutes).
const IDLE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(300));
/// How many datagrams a flow gives its guest before others have their turn.
const TURN: usize = 64;
/// The longest datagram.
const LONGEST: usize = 65_535;
/// How many messages of DHCP are answered in a second, and at once: of one guest, and of all.
const DHCP_RATE: [(u64, u64); 2] = [(10, 20), (100, 200)];
/// The port of servers for names.
pub(crate) const DOMAIN_PORT: u16 = 53;
/// The ports that callers get whose own is taken.
const HIGH_PORTS: std::ops::RangeInclusive<u16> = 49_152..=65_535;

/// The ICMP view of a UDP header of the guest, for errors.
fn udp_header(key: &Key) -> [u8; UDP_HEADER_LEN] {
    let mut header = [0; UDP_HEADER_LEN];
    let mut packet = UdpPacket::new_unchecked(&mut header[..]);
    packet.set_src_port(key.guest.port());
    packet.set_dst_port(key.remote.port());
    packet.set_len(UDP_HEADER_LEN as u16);
    header
}

impl Nat {
    /// A packet of UDP.
    pub(crate) fn udp(&mut self, now: Duration, station: usize, ends: Ends, payload: &[u8], host: &mut dyn Host) {
        let read = UdpPacket::new_checked(payload).and_then(|packet| {
            let header = UdpRepr::parse(&packet, &ends.from.into(), &ends.to.into(), &self.port.checksums)?;
            Ok((header, packet.payload()))
        });
        let Ok((header, data)) = read else {
            self.port.counters.damaged += 1;
            return;
        };
        let place = place(ends.to);
        if ends.to.is_ipv4() && header.dst_port == DHCP_SERVER_PORT && matches!(place, Place::Many | Place::Gateway) {
            self.dhcp(now, station, data, host);
            return;
        }
        let (from, to) = (SocketAddr::new(ends.from, header.src_port), SocketAddr::new(ends.to, header.dst_port));
        let key = Key { protocol: Protocol::Udp, guest: from, remote: to };
        let trouble = match place {
            Place::Many => {
                self.port.counters.ignored += 1;
                return;
            }
            Place::Names if to.port() == DOMAIN_PORT => {
                self.question(now, station, key, data, host);
                return;
            }
            Place::Outside => None,
            _ if self.flows.find(&key).is_some() => None,
            Place::Gateway if self.settings.host_access => None,
            Place::Gateway => {
                self.port.counters.host_refused += 1;
                Some(Trouble::Port)
            }
            Place::Names => Some(Trouble::Port),
            Place::Nowhere => {
                self.port.counters.nowhere += 1;
                Some(Trouble::Address)
            }
        };
        let sent = match trouble {
            Some(trouble) => Err(trouble),
            None => {
                let target = self.target(to);
                self.datagram_flow(now, station, key, Role::Udp, |id, host| host.open(id, Kind::Datagram, target), host)
                    .and_then(|index| self.send_out(now, index, data, host))
                    .map_err(Trouble::from)
            }
        };
        match sent {
            Ok(()) => self.port.counters.udp_out += 1,
            Err(trouble) => tell(&mut self.port, host, station, ends, IpProtocol::Udp, payload, trouble),
        }
    }

    /// Where on the host a guest's address leads: the gateway's to the loopback.
    pub(crate) fn target(&self, to: SocketAddr) -> SocketAddr {
        let ip = match (place(to.ip()), to.ip()) {
            (Place::Gateway, IpAddr::V4(_)) => Ipv4Addr::LOCALHOST.into(),
            (Place::Gateway, IpAddr::V6(_)) => Ipv6Addr::LOCALHOST.into(),
            (_, ip) => ip,
        };
        SocketAddr::new(ip, to.port())
    }

    /// The flow with these ends, which may be new: then `open` makes its socket.
    pub(crate) fn datagram_flow(
        &mut self,
        now: Duration,
        station: usize,
        key: Key,
        role: Role,
        open: impl FnOnce(FlowId, &mut dyn Host) -> Result<(), Refusal>,
        host: &mut dyn Host,
    ) -> Result<u32, Refusal> {
        if let Some(index) = self.flows.find(&key) {
            return Ok(index);
        }
        self.make_room(now, host);
        let due = Some(now + IDLE.0);
        let body = Body::Datagrams(Datagrams { role, readable: false });
        let flow = Flow { key, station, standing: Standing::New, touched: now, due, body };
        let id = self.flows.add(flow, &mut self.port.stations);
        if key.protocol == Protocol::Udp {
            self.port.counters.udp_flows += 1;
        }
        if let Err(refusal) = open(id, host) {
            if refusal == Refusal::Exhausted {
                self.port.counters.no_descriptor += 1;
            }
            self.flows.remove(id.index, &mut self.port.stations);
            return Err(refusal);
        }
        Ok(id.index)
    }

    /// Sends a datagram on a flow to the host.
    pub(crate) fn send_out(
        &mut self,
        now: Duration,
        index: u32,
        data: &[u8],
        host: &mut dyn Host,
    ) -> Result<(), Refusal> {
        let id = self.flows.id(index);
        let Some(flow) = self.flows.get_mut(index) else { return Ok(()) };
        let standing = flow.standing;
        flow.due = Some(now + if standing == Standing::New { IDLE.0 } else { IDLE.1 });
        let sent = match &flow.body {
            Body::Datagrams(Datagrams { role: Role::Published { listener, peer }, .. }) => {
                host.reply(*listener, *peer, data);
                Ok(data.len())
            }
            _ => host.send(id, data),
        };
        self.flows.touch(index, now, standing);
        match sent {
            Ok(0) if !data.is_empty() => self.port.counters.udp_dropped += 1,
            Ok(_) => {}
            Err(refusal) => return Err(refusal),
        }
        Ok(())
    }

    /// Gives a guest what has come for a flow.
    pub(crate) fn pump_datagrams(&mut self, now: Duration, index: u32, host: &mut dyn Host) {
        let id = self.flows.id(index);
        let mut space = std::mem::take(&mut self.space);
        space.resize(LONGEST, 0);
        for _ in 0..TURN {
            let Some(Flow { key, station, body: Body::Datagrams(datagrams), .. }) = self.flows.get_mut(index) else {
                break;
            };
            let (key, station) = (*key, *station);
            if !datagrams.readable {
                break;
            }
            if self.port.stations.get(station).full {
                self.flows.stall(index, &mut self.port.stations);
                break;
            }
            match host.receive(id, &mut space) {
                Ok(Received::Bytes(count)) => self.arrived(now, index, key, station, &space[..count], host),
                Ok(Received::Nothing | Received::End) => datagrams.readable = false,
                Err(refusal) => {
                    let asked = matches!(datagrams.role, Role::Question(_));
                    if asked {
                        self.ask_next(now, index, host);
                        break;
                    }
                    let ends = Ends { from: key.guest.ip(), to: key.remote.ip() };
                    if key.protocol == Protocol::Udp {
                        let header = udp_header(&key);
                        tell(&mut self.port, host, station, ends, IpProtocol::Udp, &header, refusal.into());
                    }
                }
            }
        }
        self.space = space;
        let readable = self.flows.get_mut(index).is_some_and(|flow| match &flow.body {
            Body::Datagrams(datagrams) => datagrams.readable,
            Body::Tcp(_) => false,
        });
        if readable && self.flows.live(id).is_some() && !self.flows.is_stalled(index) {
            self.flows.queue(index);
        }
    }

    /// A datagram has come for a flow.
    fn arrived(&mut self, now: Duration, index: u32, key: Key, station: usize, data: &[u8], host: &mut dyn Host) {
        let Some(flow) = self.flows.get_mut(index) else { return };
        flow.due = Some(now + IDLE.1);
        let Body::Datagrams(datagrams) = &flow.body else { return };
        match &datagrams.role {
            Role::Udp | Role::Published { .. } => {
                self.port.counters.udp_in += 1;
                self.port.datagram(host, station, key.remote, key.guest, data);
            }
            Role::Echo { ident } => {
                let ident = *ident;
                self.echo_answered(station, key, ident, data, host);
            }
            Role::Question(_) => {
                self.name_answered(index, data, host);
                return;
            }
        }
        self.flows.touch(index, now, Standing::Settled);
    }

    /// A datagram has come to the published UDP port of `listener`, from `peer`, for the guest's port.
    pub fn datagram(
        &mut self,
        now: Duration,
        listener: usize,
        port: u16,
        peer: SocketAddr,
        data: &[u8],
        host: &mut dyn Host,
    ) {
        let Some(guest) = self.guest_address() else { return };
        let Some(station) = self.port.stations.find(guest) else {
            if let IpAddr::V4(guest) = guest {
                self.ask(guest, host);
            }
            self.port.counters.udp_dropped += 1;
            return;
        };
        let guest = SocketAddr::new(guest, port);
        let mut key = Key { protocol: Protocol::Udp, guest, remote: self.seen(peer) };
        // Two peers that look the same to the guest: the second one gets a port of its own.
        let same = |nat: &mut Nat, key: &Key| match nat.flows.find(key).and_then(|index| nat.flows.get_mut(index)) {
            Some(Flow {
                body: Body::Datagrams(Datagrams { role: Role::Published { peer: other, .. }, .. }), ..
            }) => *other == peer,
            Some(_) => false,
            None => true,
        };
        let mut ports = HIGH_PORTS;
        while !same(self, &key) {
            let Some(port) = ports.next() else { return };
            key.remote.set_port(port);
        }
        let role = Role::Published { listener, peer };
        if let Ok(index) = self.datagram_flow(now, station, key, role, |_, _| Ok(()), host) {
            self.arrived(now, index, key, station, data, host);
        }
    }

    /// How a peer outside looks to a guest: the host's own addresses, and those that IPv4 cannot say, are the gateway.
    pub(crate) fn seen(&self, peer: SocketAddr) -> SocketAddr {
        let ip = match peer.ip().to_canonical() {
            IpAddr::V4(address) if place(address.into()) == Place::Outside => address,
            _ => GATEWAY,
        };
        SocketAddr::new(ip.into(), peer.port())
    }

    /// The guest that published ports lead to.
    pub(crate) fn guest_address(&self) -> Option<IpAddr> {
        let first = IpAddr::V4(crate::settings::FIRST);
        match self.port.stations.find(first) {
            Some(_) => Some(first),
            None => Some(self.port.stations.first_address().unwrap_or(first)),
        }
    }

    /// A message for the DHCP server.
    fn dhcp(&mut self, now: Duration, station: usize, message: &[u8], host: &mut dyn Host) {
        let [(rate, burst), (all_rate, all_burst)] = DHCP_RATE;
        let own = self.port.stations.get_mut(station).dhcp.take(now, rate, burst);
        let all = self.port.stations.get_mut(Self::EVERYONE);
        if !own || !all.dhcp.take(now, all_rate, all_burst) {
            self.port.counters.dhcp_limited += 1;
            return;
        }
        match self.leases.answer(now, message, &self.settings) {
            Outcome::Ignored => self.port.counters.ignored += 1,
            Outcome::Exhausted => self.port.counters.dhcp_exhausted += 1,
            Outcome::Silent => {}
            Outcome::Answer { message, to, has } => {
                self.port.counters.dhcp_answered += 1;
                if let Some(address) = has {
                    self.learn(station, address.into());
                }
                let mac = match to.is_broadcast() {
                    true => EthernetAddress::BROADCAST,
                    false => self.port.stations.get(station).mac,
                };
                let ends = Ends { from: GATEWAY.into(), to: to.into() };
                let header = UdpRepr { src_port: DHCP_SERVER_PORT, dst_port: DHCP_CLIENT_PORT };
                let length = UDP_HEADER_LEN + message.len();
                self.port.build_ip(mac, ends, (IpProtocol::Udp, 64), length, |payload, checksums| {
                    let mut packet = UdpPacket::new_unchecked(payload);
                    let (from, to) = (ends.from.into(), ends.to.into());
                    header.emit(
                        &mut packet,
                        &from,
                        &to,
                        message.len(),
                        |space| space.copy_from_slice(&message),
                        checksums,
                    );
                });
                self.port.send(host, station);
            }
        }
    }

    /// The time of a flow of datagrams is over.
    pub(crate) fn datagrams_due(&mut self, now: Duration, index: u32, host: &mut dyn Host) {
        let asked = matches!(
            self.flows.get_mut(index),
            Some(Flow { body: Body::Datagrams(Datagrams { role: Role::Question(_), .. }), .. })
        );
        if asked {
            self.ask_next(now, index, host);
        } else {
            self.end(index, Close::Orderly, host);
        }
    }
}
