//! Frames of every kind, right and damaged, with a host that does anything: the gateway never panics, keeps its limits,
//! and does the same again with the same seed (N-09).
//!
//! `ENDICOTT_FRAMES=10000000` is the long form.

use nat::{Close, Counters, Event, FlowId, Host, Kind, Nat, Received, Refusal, Settings};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    ArpOperation, ArpPacket, ArpRepr, EthernetAddress, EthernetFrame, EthernetProtocol, EthernetRepr, Icmpv4Packet,
    Icmpv4Repr, Icmpv6Packet, Icmpv6Repr, IpAddress, IpProtocol, IpRepr, Ipv4Packet, NdiscRepr, TcpControl, TcpPacket,
    TcpRepr, TcpSeqNumber, UdpPacket, UdpRepr,
};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;
use support::Random;

/// How many frames there are, if the environment names no other number.
const FRAMES: u64 = 1_000_000;

/// A host that does anything that a host may.
struct Anything {
    random: Random,
    /// The open sockets, and whether a stream is connecting.
    open: BTreeMap<FlowId, (Kind, bool)>,
    /// The last frames that the guest was sent, for answers to them.
    last: Vec<Vec<u8>>,
    /// A sum over all frames that the guest was sent.
    sum: u64,
    /// Errors, full queues and slow sockets happen.
    trouble: bool,
}

impl Anything {
    fn sometimes(&mut self, times: u64) -> bool {
        self.trouble && self.random.one_in(times)
    }

    fn refusal(&mut self) -> Refusal {
        use Refusal::{Broken, Exhausted, NotPermitted, Refused, Unreachable};
        self.random.pick(&[Refused, Unreachable, NotPermitted, Exhausted, Broken])
    }
}

impl Host for Anything {
    fn deliver(&mut self, frame: &[u8]) -> bool {
        if self.sometimes(20) {
            return false;
        }
        for &byte in frame {
            self.sum = (self.sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        if self.last.len() == 64 {
            let at = self.random.below(64usize);
            self.last[at] = frame.to_vec();
        } else {
            self.last.push(frame.to_vec());
        }
        true
    }

    fn open(&mut self, flow: FlowId, kind: Kind, _to: SocketAddr) -> Result<(), Refusal> {
        if self.sometimes(10) {
            return Err(self.refusal());
        }
        assert!(self.open.insert(flow, (kind, kind == Kind::Stream)).is_none(), "opened twice");
        Ok(())
    }

    fn send(&mut self, flow: FlowId, data: &[u8]) -> Result<usize, Refusal> {
        assert!(self.open.contains_key(&flow), "sent without a socket");
        if self.sometimes(50) {
            return Err(self.refusal());
        }
        Ok(if self.sometimes(5) { self.random.below(data.len() + 1) } else { data.len() })
    }

    fn receive(&mut self, flow: FlowId, space: &mut [u8]) -> Result<Received, Refusal> {
        assert!(self.open.contains_key(&flow), "read without a socket");
        if self.sometimes(100) {
            return Err(self.refusal());
        }
        match self.random.below(8u32) {
            0..4 => Ok(Received::Nothing),
            4 if self.random.one_in(4) => Ok(Received::End),
            _ => {
                let count = self.random.below(space.len().min(3_000) + 1).max(1);
                space[..count].fill(self.random.byte());
                Ok(Received::Bytes(count))
            }
        }
    }

    fn finish(&mut self, flow: FlowId) {
        assert!(self.open.contains_key(&flow), "finished without a socket");
    }

    fn keep_alive(&mut self, _flow: FlowId) {}

    fn close(&mut self, flow: FlowId, _how: Close) {
        self.open.remove(&flow);
    }

    fn reply(&mut self, _listener: usize, _to: SocketAddr, _data: &[u8]) {}

    fn resolver(&mut self, attempt: usize) -> Option<SocketAddr> {
        let there = !self.sometimes(10);
        there.then(|| SocketAddr::from(([192, 0, 2, attempt as u8], 53)))
    }
}

const GUESTS: [&str; 6] = ["10.0.2.15", "10.0.2.16", "0.0.0.0", "fd00::f", "fe80::f", "::"];
const PLACES: [&str; 12] = [
    "10.0.2.2",
    "10.0.2.3",
    "192.0.2.1",
    "192.0.2.2",
    "127.0.0.1",
    "255.255.255.255",
    "224.0.0.1",
    "fd00::2",
    "fd00::3",
    "2001:db8::1",
    "ff02::1",
    "fe80::2",
];
const PORTS: [u16; 8] = [0, 7, 53, 67, 80, 547, 40_000, 65_535];

fn ethernet(random: &mut Random, ethertype: EthernetProtocol, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; 14 + length];
    let macs = [[0x52, 0x55, 10, 0, 2, 2], [0xff; 6], [0x33, 0x33, 0, 0, 0, 1], [2, 9, 9, 9, 9, 9]];
    let from = [2, 0, 0, 0, 0, random.below(3u8)];
    let to = macs[if random.one_in(4) { random.below(4usize) } else { 0 }];
    let repr = EthernetRepr { src_addr: EthernetAddress(from), dst_addr: EthernetAddress(to), ethertype };
    repr.emit(&mut EthernetFrame::new_unchecked(&mut bytes[..]));
    bytes
}

/// Two ends of the same kind.
fn ends(random: &mut Random) -> (IpAddress, IpAddress) {
    loop {
        let from: IpAddress = random.pick(&GUESTS).parse().unwrap();
        let to: IpAddress = random.pick(&PLACES).parse().unwrap();
        if from.version() == to.version() {
            return (from, to);
        }
    }
}

fn ip(random: &mut Random, (from, to): (IpAddress, IpAddress), protocol: IpProtocol, payload: &[u8]) -> Vec<u8> {
    let hops = random.pick(&[64, 64, 64, 255, 1, 0]);
    let header = IpRepr::new(from, to, protocol, payload.len(), hops);
    let ethertype = match from {
        IpAddress::Ipv4(_) => EthernetProtocol::Ipv4,
        IpAddress::Ipv6(_) => EthernetProtocol::Ipv6,
    };
    let mut bytes = ethernet(random, ethertype, header.header_len() + payload.len());
    header.emit(&mut bytes[14..], &ChecksumCapabilities::default());
    bytes[14 + header.header_len()..].copy_from_slice(payload);
    if random.one_in(16) && from.version() == smoltcp::wire::IpVersion::Ipv4 {
        let mut packet = Ipv4Packet::new_unchecked(&mut bytes[14..]);
        packet.set_ident(random.below(4u16));
        packet.set_more_frags(random.one_in(2));
        packet.set_frag_offset(random.below(4u16) * 8);
        packet.fill_checksum();
    }
    bytes
}

fn tcp(random: &mut Random, last: &[Vec<u8>]) -> Vec<u8> {
    use TcpControl::{Fin, None as Nothing, Psh, Rst, Syn};
    let caps = ChecksumCapabilities::default();
    let data = vec![random.byte(); random.below(2_000usize)];
    let (mut from, mut to) = ends(random);
    let mut segment = TcpRepr {
        src_port: random.pick(&PORTS).max(1),
        dst_port: random.pick(&PORTS).max(1),
        control: random.pick(&[Syn, Syn, Nothing, Psh, Fin, Rst]),
        seq_number: TcpSeqNumber(random.word() as i32),
        ack_number: None,
        window_len: random.word() as u16,
        window_scale: random.one_in(2).then(|| random.below(15u8)),
        max_seg_size: random.one_in(2).then(|| random.word() as u16),
        sack_permitted: random.one_in(2),
        sack_ranges: [None; 3],
        timestamp: None,
        payload: if random.one_in(2) { &data } else { &[] },
    };
    // An answer to what the gateway said, so that connections come to something.
    let answered = (!last.is_empty() && !random.one_in(8)).then(|| &last[random.below(last.len())]);
    let heard = answered.and_then(|frame| {
        let packet = Ipv4Packet::new_checked(frame.get(14..)?).ok().filter(|packet| packet.version() == 4)?;
        let heard = TcpPacket::new_checked(packet.payload()).ok()?;
        (packet.next_header() == IpProtocol::Tcp).then_some((packet.src_addr(), packet.dst_addr(), heard))
    });
    if let Some((there, here, heard)) = heard {
        (from, to) = (here.into(), there.into());
        (segment.src_port, segment.dst_port) = (heard.dst_port(), heard.src_port());
        segment.control = random.pick(&[Nothing, Nothing, Nothing, Psh, Psh, Fin, Rst, Syn]);
        segment.seq_number = heard.ack_number();
        if random.one_in(8) {
            segment.seq_number = TcpSeqNumber(heard.ack_number().0.wrapping_add(random.below(5i32) - 2));
        }
        let ahead = if random.one_in(8) { random.below(5usize) } else { heard.segment_len() };
        segment.ack_number = Some(TcpSeqNumber(heard.seq_number().0.wrapping_add(ahead as i32)));
        if heard.syn() && !heard.ack() && !random.one_in(4) {
            segment.control = Syn;
        }
    }
    let mut bytes = vec![0; segment.buffer_len()];
    segment.emit(&mut TcpPacket::new_unchecked(&mut bytes[..]), &from, &to, &caps);
    ip(random, (from, to), IpProtocol::Tcp, &bytes)
}

fn udp(random: &mut Random) -> Vec<u8> {
    let ends = ends(random);
    let mut data = random.bytes(400);
    data.truncate(random.below(400usize));
    if random.one_in(4) {
        // The beginning of a message of DHCP, with its magic number.
        data.resize(300, 0);
        data[..8].copy_from_slice(&[1, 1, 6, 0, 1, 2, 3, 4]);
        data[28..34].copy_from_slice(&[2, 0, 0, 0, 0, 1]);
        data[236..243].copy_from_slice(&[0x63, 0x82, 0x53, 0x63, 53, 1, random.below(10u8)]);
    } else if random.one_in(3) && data.len() > 40 {
        data[2..29].copy_from_slice(b"\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x04host\x08endicott\x00\x00\x01");
        data[29..31].copy_from_slice(&[0, 1]);
    }
    let header = UdpRepr { src_port: random.pick(&PORTS), dst_port: random.pick(&PORTS) };
    let mut bytes = vec![0; 8 + data.len()];
    let mut packet = UdpPacket::new_unchecked(&mut bytes[..]);
    let caps = ChecksumCapabilities::default();
    header.emit(&mut packet, &ends.0, &ends.1, data.len(), |space| space.copy_from_slice(&data), &caps);
    ip(random, ends, IpProtocol::Udp, &bytes)
}

fn icmp(random: &mut Random) -> Vec<u8> {
    let caps = ChecksumCapabilities::default();
    let data = vec![7; random.below(1_500usize)];
    let (from, to) = ends(random);
    let (ident, seq_no) = (random.below(3u16), random.below(3u16));
    match (from, to) {
        (IpAddress::Ipv6(source), IpAddress::Ipv6(target)) => {
            let echo = Icmpv6Repr::EchoRequest { ident, seq_no, data: &data };
            let ask = Icmpv6Repr::Ndisc(NdiscRepr::NeighborSolicit { target_addr: target, lladdr: None });
            let router = Icmpv6Repr::Ndisc(NdiscRepr::RouterSolicit { lladdr: None });
            let message = random.pick(&[echo, ask, router]);
            let mut bytes = vec![0; message.buffer_len()];
            message.emit(&source, &target, &mut Icmpv6Packet::new_unchecked(&mut bytes[..]), &caps);
            ip(random, (from, to), IpProtocol::Icmpv6, &bytes)
        }
        _ => {
            let message = Icmpv4Repr::EchoRequest { ident, seq_no, data: &data };
            let mut bytes = vec![0; message.buffer_len()];
            message.emit(&mut Icmpv4Packet::new_unchecked(&mut bytes[..]), &caps);
            ip(random, (from, to), IpProtocol::Icmp, &bytes)
        }
    }
}

fn arp(random: &mut Random) -> Vec<u8> {
    let request = ArpRepr::EthernetIpv4 {
        operation: random.pick(&[ArpOperation::Request, ArpOperation::Reply]),
        source_hardware_addr: EthernetAddress([2, 0, 0, 0, 0, 1]),
        source_protocol_addr: [10, 0, 2, random.byte()].into(),
        target_hardware_addr: EthernetAddress([0; 6]),
        target_protocol_addr: [10, 0, 2, random.below(5u8)].into(),
    };
    let mut bytes = ethernet(random, EthernetProtocol::Arp, request.buffer_len());
    request.emit(&mut ArpPacket::new_unchecked(&mut bytes[14..]));
    bytes
}

/// A frame, of which one in four is damaged.
fn frame(random: &mut Random, last: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = match random.below(16u32) {
        0..8 => tcp(random, last),
        8..11 => udp(random),
        11..13 => icmp(random),
        13 => arp(random),
        14 => {
            let length = random.below(200usize);
            random.bytes(length)
        }
        // IPv6 with headers that follow one another.
        _ => {
            let length = random.below(120usize);
            let payload = random.bytes(length);
            let chain = random.pick(&[IpProtocol::HopByHop, IpProtocol::Ipv6Frag, IpProtocol::Ipv6Opts]);
            let ends = ("fd00::f".parse().unwrap(), "2001:db8::1".parse().unwrap());
            ip(random, ends, chain, &payload)
        }
    };
    if random.one_in(4) && !bytes.is_empty() {
        match random.below(4u32) {
            0 => bytes.truncate(random.below(bytes.len())),
            1 => bytes.extend_from_slice(&[0; 40]),
            _ => {
                for _ in 0..1 + random.below(4u32) {
                    let at = random.below(bytes.len());
                    bytes[at] = random.byte();
                }
            }
        }
    }
    bytes
}

/// Plays so many frames of `seed`; gives what was counted, and the sum over all that guests were sent.
fn play(seed: u64, frames: u64) -> (Counters, u64) {
    let mut random = Random::seeded(seed);
    // Without checksums, damage comes further.
    let verify = random.one_in(2);
    let settings = Settings { verify, flows: 200, memory: 2 << 20, seed, ..Settings::default() };
    let mut nat = Nat::new(Settings { host_access: random.one_in(2), ..settings });
    let mut host =
        Anything { random: Random::seeded(seed ^ 1), open: BTreeMap::new(), last: Vec::new(), sum: 0, trouble: true };
    let mut now = Duration::from_secs(1);
    for number in 0..frames {
        now += Duration::from_micros(random.below(2_000u64));
        if random.one_in(5_000) {
            now += Duration::from_secs(random.below(400u64));
        }
        let frame = frame(&mut random, &host.last);
        nat.frame(now, &frame, &mut host);
        if random.one_in(4) {
            happen(&mut random, now, &mut nat, &mut host);
        }
        if random.one_in(3) {
            nat.room(&mut host);
            nat.run(now, &mut host);
        }
        assert!(nat.flows() <= 200 && host.open.len() <= 200, "frame {number}");
        assert!(nat.memory() <= 2 << 20, "frame {number}: {} bytes", nat.memory());
    }
    // Without a guest, everything comes to an end.
    host.trouble = false;
    for _ in 0..2_000 {
        now += Duration::from_secs(1);
        let connecting: Vec<FlowId> = host.open.iter().filter(|(_, (_, is))| *is).map(|(flow, _)| *flow).collect();
        for flow in connecting {
            nat.event(now, flow, Event::Connected(Err(Refusal::Refused)), &mut host);
        }
        nat.room(&mut host);
        while nat.run(now, &mut host) {}
    }
    assert_eq!((nat.flows(), host.open.len(), nat.memory()), (0, 0, 0), "seed {seed}");
    (nat.counters().clone(), host.sum)
}

/// Something happens on the host.
fn happen(random: &mut Random, now: Duration, nat: &mut Nat, host: &mut Anything) {
    let peer = SocketAddr::from(([127, 0, 0, 1], 5_000 + random.below(4u16)));
    match random.below(16u32) {
        0 => {
            if let Some(flow) = nat.accepted(now, 22, peer, host) {
                host.open.insert(flow, (Kind::Stream, false));
            }
        }
        1 => nat.datagram(now, 0, 53, peer, b"hello", host),
        _ if host.open.is_empty() => {}
        _ => {
            let at = random.below(host.open.len());
            let (&flow, state) = host.open.iter_mut().nth(at).expect("counted");
            let connecting = std::mem::take(&mut state.1);
            let event = match connecting {
                true if random.one_in(4) => Event::Connected(Err(Refusal::Unreachable)),
                true => Event::Connected(Ok(())),
                false => random.pick(&[Event::Readable, Event::Readable, Event::Writable]),
            };
            nat.event(now, flow, event, host);
        }
    }
}

#[test]
fn anything_may_come_and_the_same_comes_of_it_again() {
    let frames = std::env::var("ENDICOTT_FRAMES").map_or(FRAMES, |number| number.parse().expect("a number"));
    let seeds = 20;
    let mut all = Vec::new();
    for seed in 0..seeds {
        all.push(play(seed, frames / seeds));
    }
    // All that can happen has happened.
    let count = |of: fn(&Counters) -> u64| all.iter().map(|(counters, _)| of(counters)).sum::<u64>();
    let happened = [
        count(|counters| counters.damaged),
        count(|counters| counters.tcp_out),
        count(|counters| counters.tcp_in),
        count(|counters| counters.tcp_bytes_out),
        count(|counters| counters.tcp_bytes_in),
        count(|counters| counters.tcp_again),
        count(|counters| counters.tcp_reset),
        count(|counters| counters.udp_in),
        count(|counters| counters.dns_local),
        count(|counters| counters.dns_failed),
        count(|counters| counters.dhcp_answered),
        count(|counters| counters.fragments_dropped),
        count(|counters| counters.neighbors_answered),
        count(|counters| counters.advertisements),
        count(|counters| counters.evicted),
        count(|counters| counters.full),
    ];
    assert!(happened.iter().all(|&count| count > 0), "{happened:?}");
    for seed in 0..3 {
        assert_eq!(play(seed, frames / seeds), all[seed as usize], "seed {seed}");
    }
}
