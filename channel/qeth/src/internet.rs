//! An adapter at layer 3: the driver hands over packets of IP, and the adapter has the Ethernet.
//!
//! For IPv4 the adapter answers ARP for the addresses that the driver has registered, and asks for those of its
//! neighbours. Frames of IPv6 pass as they are, once the driver has said so: it finds its neighbours itself.

use arch::qdio::{PacketHead, packet};
use base::Tod;
use net::{Mac, Port, SHORTEST};
use smoltcp::wire::{
    ArpOperation, ArpPacket, ArpRepr, EthernetFrame, EthernetProtocol, EthernetRepr, Ipv4Address, Ipv4Packet,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;

/// Addresses that a driver registers, at most.
const ADDRESSES: usize = 256;
/// Neighbours that are known, at most.
const NEIGHBOURS: usize = 1024;
/// For how long a neighbour is known that was not heard of again, in microseconds.
const AGE: u64 = 300_000_000;
/// How long after a question the next one for the same neighbour is.
const AGAIN: u64 = 1_000_000;
/// Packets that wait for their neighbours' addresses, at most.
const WAITING: usize = 64;

/// A neighbour: its address, if it has answered, and when it was heard of or asked for.
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    mac: Option<Mac>,
    since: Tod,
}

/// How an address is registered, or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Registered {
    Done,
    Already,
    Full,
}

/// What an adapter at layer 3 knows.
#[derive(Debug)]
pub(crate) struct Internet {
    mac: Mac,
    addresses: BTreeSet<IpAddr>,
    /// Frames of IPv6 pass.
    pub(crate) passes: bool,
    neighbours: BTreeMap<Ipv4Address, Neighbour>,
    waiting: VecDeque<(Ipv4Address, Vec<u8>)>,
    frame: Vec<u8>,
}

impl Internet {
    pub(crate) fn new(mac: Mac) -> Internet {
        Internet {
            mac,
            addresses: BTreeSet::new(),
            passes: false,
            neighbours: BTreeMap::new(),
            waiting: VecDeque::new(),
            frame: Vec::new(),
        }
    }

    /// SETIP. Neighbours are told of a new address, which may have been another adapter's before.
    pub(crate) fn register(&mut self, address: IpAddr, port: Option<&Port>) -> Registered {
        if self.addresses.contains(&address) {
            return Registered::Already;
        }
        if self.addresses.len() >= ADDRESSES {
            return Registered::Full;
        }
        self.addresses.insert(address);
        self.announce(address, port);
        Registered::Done
    }

    /// DELIP. False: it was not registered.
    pub(crate) fn withdraw(&mut self, address: IpAddr) -> bool {
        self.addresses.remove(&address)
    }

    /// The cable is in another port, whose neighbours are others.
    pub(crate) fn moved(&mut self, port: Option<&Port>) {
        self.forget();
        let addresses: Vec<IpAddr> = self.addresses.iter().copied().collect();
        addresses.into_iter().for_each(|address| self.announce(address, port));
    }

    /// All neighbours are forgotten, and what waits for them is dropped.
    pub(crate) fn forget(&mut self) {
        self.neighbours.clear();
        self.waiting.clear();
    }

    fn announce(&mut self, address: IpAddr, port: Option<&Port>) {
        if let (IpAddr::V4(own), Some(port)) = (address, port) {
            self.ask(own, own, port);
        }
    }

    /// Sends a question for the address of `wanted`.
    fn ask(&mut self, own: Ipv4Address, wanted: Ipv4Address, port: &Port) {
        let question = ArpRepr::EthernetIpv4 {
            operation: ArpOperation::Request,
            source_hardware_addr: self.mac,
            source_protocol_addr: own,
            target_hardware_addr: Mac([0; 6]),
            target_protocol_addr: wanted,
        };
        self.say(question, Mac::BROADCAST, port);
    }

    fn say(&mut self, arp: ArpRepr, to: Mac, port: &Port) {
        self.begin(to, EthernetProtocol::Arp);
        self.frame.resize(SHORTEST + arp.buffer_len(), 0);
        arp.emit(&mut ArpPacket::new_unchecked(&mut self.frame[SHORTEST..]));
        port.send(&self.frame);
    }

    /// Begins a frame with the head of Ethernet.
    fn begin(&mut self, to: Mac, kind: EthernetProtocol) {
        self.frame.clear();
        self.frame.resize(SHORTEST, 0);
        let head = EthernetRepr { src_addr: self.mac, dst_addr: to, ethertype: kind };
        head.emit(&mut EthernetFrame::new_unchecked(&mut self.frame[..]));
    }

    /// Sends what the driver hands over. False: it is no packet that goes this way.
    pub(crate) fn send(&mut self, head: &PacketHead, bytes: &[u8], port: Option<&Port>) -> bool {
        if head.flags & packet::PASS != 0 {
            if let Some(port) = port.filter(|_| bytes.len() >= SHORTEST) {
                port.send(bytes);
            }
            return bytes.len() >= SHORTEST;
        }
        // IPv6 goes as frames that pass. A driver of HiperSockets, which have none of it, sends its greetings anyway.
        if head.flags & packet::IPV6 != 0 {
            return true;
        }
        let Ok(ip) = Ipv4Packet::new_checked(bytes) else { return false };
        let (from, to) = (ip.src_addr(), ip.dst_addr());
        let next = Ipv4Address::from_octets(head.next_4);
        let Some(port) = port else { return true };
        match head.flags & packet::CAST {
            packet::BROAD => self.send_to(Mac::BROADCAST, bytes, port),
            _ if to.is_broadcast() => self.send_to(Mac::BROADCAST, bytes, port),
            _ if to.is_multicast() => {
                let [_, a, b, c] = to.octets();
                self.send_to(Mac([0x01, 0x00, 0x5e, a & 0x7f, b, c]), bytes, port);
            }
            _ => self.send_next(from, if next.is_unspecified() { to } else { next }, bytes, port),
        }
        true
    }

    fn send_to(&mut self, mac: Mac, bytes: &[u8], port: &Port) {
        self.begin(mac, EthernetProtocol::Ipv4);
        self.frame.extend_from_slice(bytes);
        port.send(&self.frame);
    }

    /// Sends a packet to a neighbour, or asks for its address first.
    fn send_next(&mut self, from: Ipv4Address, next: Ipv4Address, bytes: &[u8], port: &Port) {
        let now = port.now();
        let known = self.neighbours.get(&next).copied();
        if let Some(Neighbour { mac: Some(mac), since }) = known {
            self.send_to(mac, bytes, port);
            if now.micros_since(since) < AGE {
                return;
            }
        } else {
            if self.waiting.len() >= WAITING {
                self.waiting.pop_front();
            }
            self.waiting.push_back((next, bytes.to_vec()));
        }
        let asked = match known {
            None => false,
            Some(Neighbour { mac: Some(_), .. }) => false,
            Some(Neighbour { mac: None, since }) => now.micros_since(since) < AGAIN,
        };
        if !asked {
            // One that is old is asked for while it is used: what comes is learned.
            self.note(next, known.and_then(|known| known.mac), now);
            self.ask(from, next, port);
        }
    }

    fn note(&mut self, address: Ipv4Address, mac: Option<Mac>, now: Tod) {
        if self.neighbours.len() >= NEIGHBOURS && !self.neighbours.contains_key(&address) {
            let oldest = self.neighbours.iter().min_by_key(|(_, known)| known.since).map(|(address, _)| *address);
            oldest.map(|oldest| self.neighbours.remove(&oldest));
        }
        self.neighbours.insert(address, Neighbour { mac, since: now });
    }

    /// A frame from the network: what precedes it in the driver's buffer, and where in it that begins and ends. `None`:
    /// the driver gets nothing of it.
    pub(crate) fn receive(&mut self, frame: &[u8], port: &Port) -> Option<(PacketHead, usize, usize)> {
        let ethernet = EthernetFrame::new_checked(frame).ok()?;
        let to = ethernet.dst_addr();
        if to.is_unicast() && to != self.mac {
            return None;
        }
        let cast = match () {
            () if to.is_broadcast() => packet::BROAD,
            () if to.is_multicast() => packet::MULTI,
            () => packet::UNI,
        };
        let (flags, begin, length) = match ethernet.ethertype() {
            EthernetProtocol::Arp => {
                self.hear(ethernet.payload(), port);
                return None;
            }
            EthernetProtocol::Ipv4 => {
                let ip = Ipv4Packet::new_checked(ethernet.payload()).ok()?;
                (cast, SHORTEST, usize::from(ip.total_len()))
            }
            EthernetProtocol::Ipv6 if self.passes => (cast | packet::IPV6 | packet::PASS, 0, frame.len()),
            _ => return None,
        };
        let (kind, size) = (PacketHead::LAYER_3, length as u16);
        let head = PacketHead { kind, flags, length: size.into(), ..PacketHead::default() };
        Some((head, begin, begin + length))
    }

    /// Hears a message of ARP: the sender is known from now on, and is answered if it asks for an address of ours.
    fn hear(&mut self, bytes: &[u8], port: &Port) {
        let Ok(heard) = ArpPacket::new_checked(bytes).and_then(|arp| ArpRepr::parse(&arp)) else { return };
        let ArpRepr::EthernetIpv4 {
            operation,
            source_hardware_addr: mac,
            source_protocol_addr: from,
            target_protocol_addr: wanted,
            ..
        } = heard
        else {
            return;
        };
        let ours = self.addresses.contains(&IpAddr::V4(wanted));
        if mac.is_unicast() && !from.is_unspecified() && (ours || self.neighbours.contains_key(&from)) {
            self.note(from, Some(mac), port.now());
            self.release(from, mac, port);
        }
        if ours && operation == ArpOperation::Request && mac != self.mac {
            let answer = ArpRepr::EthernetIpv4 {
                operation: ArpOperation::Reply,
                source_hardware_addr: self.mac,
                source_protocol_addr: wanted,
                target_hardware_addr: mac,
                target_protocol_addr: from,
            };
            self.say(answer, mac, port);
        }
    }

    /// Sends what has waited for a neighbour.
    fn release(&mut self, address: Ipv4Address, mac: Mac, port: &Port) {
        for (next, bytes) in std::mem::take(&mut self.waiting) {
            match next == address {
                true => self.send_to(mac, &bytes, port),
                false => self.waiting.push_back((next, bytes)),
            }
        }
    }
}
