//! The gateway's port of the link: packets become frames here, and wait here if a guest's queue is full.

use crate::counters::Counters;
use crate::host::Host;
use crate::settings::{LONGEST_FRAME, Settings};
use crate::stations::Stations;
use smoltcp::phy::{Checksum, ChecksumCapabilities};
use smoltcp::wire::{
    ETHERNET_HEADER_LEN, EthernetAddress, EthernetFrame, EthernetProtocol, EthernetRepr, IPV4_HEADER_LEN,
    IPV6_HEADER_LEN, IpProtocol, IpRepr, Ipv4Packet, Ipv6ExtHeader, Ipv6ExtHeaderRepr, Ipv6FragmentHeader,
    Ipv6FragmentRepr, UDP_HEADER_LEN, UdpPacket, UdpRepr,
};
use std::net::{IpAddr, SocketAddr};

/// The hop limit of what the gateway sends.
const HOPS: u8 = 64;
/// The hop limit of neighbour discovery, which shows that no router lies between.
pub(crate) const ALL_HOPS: u8 = 255;
/// The length of IPv6's header for fragments.
const FRAGMENT_HEADER: usize = 8;

/// The two ends of a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub(crate) from: IpAddr,
    pub(crate) to: IpAddr,
}

/// The gateway's port of the link.
#[derive(Debug)]
pub(crate) struct Port {
    pub(crate) mac: EthernetAddress,
    pub(crate) mtu: usize,
    /// What checksums are computed, and looked at.
    pub(crate) checksums: ChecksumCapabilities,
    pub(crate) stations: Stations,
    pub(crate) counters: Counters,
    /// The frame that is built: so many bytes of this.
    frame: Vec<u8>,
    length: usize,
    /// What a packet that must be cut up is built in.
    whole: Vec<u8>,
    /// The number of the next packet that is cut up.
    identification: u16,
}

impl Port {
    pub(crate) fn new(settings: &Settings) -> Port {
        let mut checksums = ChecksumCapabilities::default();
        let transport = match (settings.verify, settings.fill) {
            (true, true) => Checksum::Both,
            (true, false) => Checksum::Rx,
            (false, true) => Checksum::Tx,
            (false, false) => Checksum::None,
        };
        checksums.tcp = transport;
        checksums.udp = transport;
        Port {
            mac: EthernetAddress(settings.mac),
            mtu: settings.mtu,
            checksums,
            stations: Stations::default(),
            counters: Counters::default(),
            frame: vec![0; LONGEST_FRAME],
            length: 0,
            whole: Vec::new(),
            identification: 1,
        }
    }

    /// Builds a frame for `to` with `length` bytes, which `fill` writes.
    pub(crate) fn build(
        &mut self,
        to: EthernetAddress,
        ethertype: EthernetProtocol,
        length: usize,
        fill: impl FnOnce(&mut [u8], &ChecksumCapabilities),
    ) {
        self.length = ETHERNET_HEADER_LEN + length;
        let mut frame = EthernetFrame::new_unchecked(&mut self.frame[..self.length]);
        EthernetRepr { src_addr: self.mac, dst_addr: to, ethertype }.emit(&mut frame);
        fill(frame.payload_mut(), &self.checksums);
    }

    /// Builds a frame with a packet of IP whose `length` bytes of payload `fill` writes.
    pub(crate) fn build_ip(
        &mut self,
        to: EthernetAddress,
        ends: Ends,
        (protocol, hops): (IpProtocol, u8),
        length: usize,
        fill: impl FnOnce(&mut [u8], &ChecksumCapabilities),
    ) {
        let header = IpRepr::new(ends.from.into(), ends.to.into(), protocol, length, hops);
        let ethertype = match ends.from {
            IpAddr::V4(_) => EthernetProtocol::Ipv4,
            IpAddr::V6(_) => EthernetProtocol::Ipv6,
        };
        self.build(to, ethertype, header.header_len() + length, |packet, checksums| {
            header.emit(&mut *packet, checksums);
            fill(&mut packet[header.header_len()..], checksums);
        });
    }

    /// Hands over the frame that was built. False: the guest's queue is full.
    pub(crate) fn offer(&mut self, host: &mut dyn Host, station: usize) -> bool {
        let there = self.stations.get_mut(station);
        if there.full {
            return false;
        }
        if host.deliver(&self.frame[..self.length]) {
            self.counters.frames_out += 1;
            self.counters.bytes_out += self.length as u64;
            return true;
        }
        self.counters.full += 1;
        there.full = true;
        false
    }

    /// Hands over the frame that was built, or lets it wait for room.
    pub(crate) fn send(&mut self, host: &mut dyn Host, station: usize) {
        if !self.offer(host, station) && !self.stations.get_mut(station).keep(&self.frame[..self.length]) {
            self.counters.dropped_full += 1;
        }
    }

    /// There is room for a guest again, perhaps: what waited goes. Gives whether flows may have their turns.
    pub(crate) fn room(&mut self, host: &mut dyn Host, station: usize) -> bool {
        let there = self.stations.get_mut(station);
        there.full = false;
        while let Some(frame) = there.next_waiting() {
            if !host.deliver(frame) {
                self.counters.full += 1;
                there.full = true;
                return false;
            }
            self.counters.frames_out += 1;
            self.counters.bytes_out += frame.len() as u64;
            there.waited();
        }
        true
    }

    /// Sends a packet of at most 64 KiB, in fragments if it is longer than the MTU.
    pub(crate) fn packet(
        &mut self,
        host: &mut dyn Host,
        station: usize,
        ends: Ends,
        protocol: IpProtocol,
        length: usize,
        fill: impl FnOnce(&mut [u8], &ChecksumCapabilities),
    ) {
        let header = match ends.from {
            IpAddr::V4(_) => IPV4_HEADER_LEN,
            IpAddr::V6(_) => IPV6_HEADER_LEN,
        };
        let to = self.stations.get(station).mac;
        if header + length <= self.mtu {
            self.build_ip(to, ends, (protocol, HOPS), length, fill);
            self.send(host, station);
            return;
        }
        let mut whole = std::mem::take(&mut self.whole);
        whole.resize(length, 0);
        // No device vouches for a datagram in pieces.
        fill(&mut whole, &ChecksumCapabilities::default());
        self.identification = self.identification.wrapping_add(1);
        let overhead = if ends.from.is_ipv6() { FRAGMENT_HEADER } else { 0 };
        let part = (self.mtu - header - overhead) & !7;
        for (number, bytes) in whole.chunks(part).enumerate() {
            let offset = number * part;
            self.fragment(to, ends, protocol, offset, offset + bytes.len() < length, bytes);
            self.send(host, station);
        }
        whole.clear();
        whole.shrink_to(self.mtu);
        self.whole = whole;
    }

    /// Builds one fragment.
    fn fragment(&mut self, to: EthernetAddress, ends: Ends, protocol: IpProtocol, at: usize, more: bool, bytes: &[u8]) {
        let identification = self.identification;
        match ends.from {
            IpAddr::V4(_) => {
                self.build_ip(to, ends, (protocol, HOPS), bytes.len(), |payload, _| payload.copy_from_slice(bytes));
                let mut packet = Ipv4Packet::new_unchecked(&mut self.frame[ETHERNET_HEADER_LEN..self.length]);
                packet.set_ident(identification);
                packet.set_dont_frag(false);
                packet.set_more_frags(more);
                packet.set_frag_offset(at as u16);
                packet.fill_checksum();
            }
            IpAddr::V6(_) => {
                let length = FRAGMENT_HEADER + bytes.len();
                self.build_ip(to, ends, (IpProtocol::Ipv6Frag, HOPS), length, |payload, _| {
                    let (header, rest) = payload.split_at_mut(FRAGMENT_HEADER);
                    let mut extension = Ipv6ExtHeader::new_unchecked(&mut *header);
                    Ipv6ExtHeaderRepr { next_header: protocol, length: 0, data: &[] }.emit(&mut extension);
                    let mut fragment = Ipv6FragmentHeader::new_unchecked(extension.payload_mut());
                    let offset = (at / 8) as u16;
                    let of = Ipv6FragmentRepr { frag_offset: offset, more_frags: more, ident: identification.into() };
                    of.emit(&mut fragment);
                    rest.copy_from_slice(bytes);
                });
            }
        }
    }

    /// Sends a datagram of UDP. What is too long for one went no way to get here.
    pub(crate) fn datagram(
        &mut self,
        host: &mut dyn Host,
        station: usize,
        from: SocketAddr,
        to: SocketAddr,
        data: &[u8],
    ) {
        let ends = Ends { from: from.ip(), to: to.ip() };
        let length = UDP_HEADER_LEN + data.len();
        if length > usize::from(u16::MAX) - IPV4_HEADER_LEN {
            self.counters.udp_dropped += 1;
            return;
        }
        let header = UdpRepr { src_port: from.port(), dst_port: to.port() };
        self.packet(host, station, ends, IpProtocol::Udp, length, |payload, checksums| {
            let mut packet = UdpPacket::new_unchecked(payload);
            let (from, to) = (ends.from.into(), ends.to.into());
            header.emit(&mut packet, &from, &to, data.len(), |space| space.copy_from_slice(data), checksums);
        });
    }
}
