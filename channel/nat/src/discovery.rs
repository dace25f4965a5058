//! How guests find the gateway: ARP, neighbour and router discovery.

use crate::Nat;
use crate::host::Host;
use crate::port::{ALL_HOPS, Ends};
use crate::settings::{DNS6, GATEWAY, NETWORK6, PREFIX6, Place, ROUTER6, place};
use smoltcp::wire::{
    ArpOperation, ArpPacket, ArpRepr, EthernetAddress, EthernetProtocol, IPV6_LINK_LOCAL_ALL_NODES, Icmpv6Packet,
    Icmpv6Repr, IpProtocol, NdiscNeighborFlags, NdiscOption, NdiscOptionRepr, NdiscPrefixInfoFlags,
    NdiscPrefixInformation, NdiscRepr, NdiscRouterFlags,
};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;
use zerocopy::big_endian::{U16, U32};
use zerocopy::{Immutable, IntoBytes};

/// How many requests of one guest are answered in a second, and at once.
const RATE: (u64, u64) = (100, 200);
/// How long an advertised router is one (RFC 4861, 6.2.1).
const LIFETIME: Duration = Duration::from_secs(1_800);
/// How often the router is advertised to all.
pub(crate) const ADVERTISE: Duration = Duration::from_secs(600);
/// The option for servers for names (RFC 8106, 5.1).
const RDNSS: u8 = 25;
/// Its length in units of eight bytes, and in bytes.
const RDNSS_LENGTH: (u8, usize) = (3, 24);

/// What follows its type and length.
#[derive(IntoBytes, Immutable)]
#[repr(C)]
struct NameServers {
    reserved: U16,
    lifetime: U32,
    address: [u8; 16],
}

/// The Ethernet address of a group of IPv6 (RFC 2464, 7).
fn group(address: Ipv6Addr) -> EthernetAddress {
    let last = address.octets();
    EthernetAddress([0x33, 0x33, last[12], last[13], last[14], last[15]])
}

impl Nat {
    /// A packet of ARP.
    pub(crate) fn arp(&mut self, now: Duration, station: usize, packet: &[u8], host: &mut dyn Host) {
        let Ok(ArpRepr::EthernetIpv4 {
            operation,
            source_hardware_addr,
            source_protocol_addr,
            target_protocol_addr,
            ..
        }) = ArpPacket::new_checked(packet).and_then(|packet| ArpRepr::parse(&packet))
        else {
            self.port.counters.damaged += 1;
            return;
        };
        if source_hardware_addr == self.port.stations.get(station).mac {
            self.learn(station, source_protocol_addr.into());
        }
        let ours = matches!(place(target_protocol_addr.into()), Place::Gateway | Place::Names);
        if operation != ArpOperation::Request || !ours {
            return;
        }
        if !self.port.stations.get_mut(station).neighbors.take(now, RATE.0, RATE.1) {
            self.port.counters.arp_limited += 1;
            return;
        }
        self.port.counters.arp_answered += 1;
        let answer = ArpRepr::EthernetIpv4 {
            operation: ArpOperation::Reply,
            source_hardware_addr: self.port.mac,
            source_protocol_addr: target_protocol_addr,
            target_hardware_addr: source_hardware_addr,
            target_protocol_addr: source_protocol_addr,
        };
        self.port.build(source_hardware_addr, EthernetProtocol::Arp, answer.buffer_len(), |packet, _| {
            answer.emit(&mut ArpPacket::new_unchecked(packet));
        });
        self.port.send(host, station);
    }

    /// Asks who has `address`.
    pub(crate) fn ask(&mut self, address: Ipv4Addr, host: &mut dyn Host) {
        let question = ArpRepr::EthernetIpv4 {
            operation: ArpOperation::Request,
            source_hardware_addr: self.port.mac,
            source_protocol_addr: GATEWAY,
            target_hardware_addr: EthernetAddress([0; 6]),
            target_protocol_addr: address,
        };
        self.port.build(EthernetAddress::BROADCAST, EthernetProtocol::Arp, question.buffer_len(), |packet, _| {
            question.emit(&mut ArpPacket::new_unchecked(packet));
        });
        self.port.offer(host, Self::EVERYONE);
    }

    /// A message of neighbour discovery, whose hop limit shows that it is from the link.
    pub(crate) fn neighbor(
        &mut self,
        now: Duration,
        station: usize,
        from: Ipv6Addr,
        message: &NdiscRepr<'_>,
        host: &mut dyn Host,
    ) {
        let ours = match message {
            NdiscRepr::RouterSolicit { .. } => true,
            NdiscRepr::NeighborSolicit { target_addr, .. } => {
                matches!(place((*target_addr).into()), Place::Gateway | Place::Names)
            }
            _ => false,
        };
        if !ours {
            return;
        }
        if !self.port.stations.get_mut(station).neighbors.take(now, RATE.0, RATE.1) {
            self.port.counters.arp_limited += 1;
            return;
        }
        match *message {
            NdiscRepr::NeighborSolicit { target_addr, .. } => {
                self.port.counters.neighbors_answered += 1;
                // A guest without an address looks for doubles of its own: all may hear the answer (RFC 4861, 7.2.4).
                let (to, solicited) = match from.is_unspecified() {
                    true => (IPV6_LINK_LOCAL_ALL_NODES, NdiscNeighborFlags::empty()),
                    false => (from, NdiscNeighborFlags::SOLICITED),
                };
                let answer = NdiscRepr::NeighborAdvert {
                    flags: NdiscNeighborFlags::ROUTER | NdiscNeighborFlags::OVERRIDE | solicited,
                    target_addr,
                    lladdr: Some(self.port.mac.into()),
                };
                self.discovery(station, target_addr, to, &answer, &[], host);
            }
            _ => {
                let to = if from.is_unspecified() { IPV6_LINK_LOCAL_ALL_NODES } else { from };
                self.advertise(station, to, host);
                self.advertise_at.get_or_insert(now + ADVERTISE);
            }
        }
    }

    /// Advertises the router, its prefix and the server for names.
    pub(crate) fn advertise(&mut self, station: usize, to: Ipv6Addr, host: &mut dyn Host) {
        self.port.counters.advertisements += 1;
        let forever = smoltcp::time::Duration::from_secs(u64::from(u32::MAX));
        let router = NdiscRepr::RouterAdvert {
            hop_limit: 64,
            flags: NdiscRouterFlags::empty(),
            router_lifetime: LIFETIME.into(),
            reachable_time: smoltcp::time::Duration::ZERO,
            retrans_time: smoltcp::time::Duration::ZERO,
            lladdr: Some(self.port.mac.into()),
            mtu: Some(self.port.mtu as u32),
            prefix_info: Some(NdiscPrefixInformation {
                prefix_len: PREFIX6,
                flags: NdiscPrefixInfoFlags::ON_LINK | NdiscPrefixInfoFlags::ADDRCONF,
                valid_lifetime: forever,
                preferred_lifetime: forever,
                prefix: NETWORK6,
            }),
        };
        let lifetime = (LIFETIME.as_secs() as u32).into();
        let servers = NameServers { reserved: U16::ZERO, lifetime, address: DNS6.octets() };
        self.discovery(station, ROUTER6, to, &router, servers.as_bytes(), host);
    }

    /// Advertises the router to all guests.
    pub(crate) fn advertise_to_all(&mut self, host: &mut dyn Host) {
        self.advertise(Self::EVERYONE, IPV6_LINK_LOCAL_ALL_NODES, host);
    }

    /// Sends a message of discovery, with the servers for names as a further option if there are any.
    fn discovery(
        &mut self,
        station: usize,
        from: Ipv6Addr,
        to: Ipv6Addr,
        message: &NdiscRepr<'_>,
        servers: &[u8],
        host: &mut dyn Host,
    ) {
        let mac = if to.is_multicast() { group(to) } else { self.port.stations.get(station).mac };
        let ends = Ends { from: IpAddr::V6(from), to: IpAddr::V6(to) };
        let length = message.buffer_len();
        let whole = if servers.is_empty() { length } else { length + RDNSS_LENGTH.1 };
        self.port.build_ip(mac, ends, (IpProtocol::Icmpv6, ALL_HOPS), whole, |payload, checksums| {
            payload.fill(0);
            if !servers.is_empty() {
                let option = NdiscOptionRepr::Unknown { type_: RDNSS, length: RDNSS_LENGTH.0, data: servers };
                option.emit(&mut NdiscOption::new_unchecked(&mut payload[length..]));
            }
            let mut packet = Icmpv6Packet::new_unchecked(&mut *payload);
            Icmpv6Repr::Ndisc(*message).emit(&from, &to, &mut packet, checksums);
            packet.fill_checksum(&from, &to);
        });
        self.port.send(host, station);
    }
}
