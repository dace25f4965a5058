//! Check sums that are left open and segments that are long: a port that takes them gets them so, and for others they
//! are made right.

use base::{Clock, Tod};
use net::{Cut, Mac, Offload, Port, Settings, Switch, Takes, Vlan, left_open};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetFrame, EthernetProtocol, IpAddress, IpProtocol, Ipv4Address, Ipv4Packet, Ipv6Address, Ipv6Packet,
    TcpPacket, TcpRepr, TcpSeqNumber, UdpPacket, UdpRepr,
};
use std::sync::Arc;

struct Never;

impl Clock for Never {
    fn now(&self) -> Tod {
        Tod(0)
    }
}

const ONE: Mac = Mac([2, 0, 0, 0, 0, 1]);
const TWO: Mac = Mac([2, 0, 0, 0, 0, 2]);

fn ports(takes: Takes) -> (Port, Port) {
    let switch = Switch::new(Arc::new(Never));
    let [from, to] = [0; 2].map(|_| switch.port(Settings::default()));
    to.set_up(true);
    to.takes(takes);
    (from, to)
}

fn all(port: &Port) -> Vec<(Vec<u8>, Offload)> {
    let (mut frames, mut frame) = (Vec::new(), Vec::new());
    while let Some(open) = port.receive_open(&mut frame) {
        frames.push((frame.clone(), open));
    }
    frames
}

fn addresses(six: bool) -> (IpAddress, IpAddress) {
    if six {
        let address = |n| Ipv6Address::new(0xfd00, 0, 0, 0, 0, 0, 0, n).into();
        return (address(1), address(2));
    }
    let address = |n| Ipv4Address::new(10, 0, 0, n).into();
    (address(1), address(2))
}

/// An Ethernet frame with this packet of TCP or UDP, whose check sum is not written.
fn frame(six: bool, protocol: IpProtocol, transport: &[u8]) -> Vec<u8> {
    let head = if six { 40 } else { 20 };
    let mut frame = EthernetFrame::new_unchecked(vec![0; 14 + head + transport.len()]);
    frame.set_src_addr(ONE);
    frame.set_dst_addr(TWO);
    frame.set_ethertype(if six { EthernetProtocol::Ipv6 } else { EthernetProtocol::Ipv4 });
    match addresses(six) {
        (IpAddress::Ipv4(from), IpAddress::Ipv4(to)) => {
            let mut ip = Ipv4Packet::new_unchecked(frame.payload_mut());
            ip.set_version(4);
            ip.set_header_len(20);
            ip.set_total_len((20 + transport.len()) as u16);
            ip.set_ident(0xfffe);
            ip.set_hop_limit(64);
            ip.set_next_header(protocol);
            ip.set_src_addr(from);
            ip.set_dst_addr(to);
            ip.fill_checksum();
        }
        (IpAddress::Ipv6(from), IpAddress::Ipv6(to)) => {
            let mut ip = Ipv6Packet::new_unchecked(frame.payload_mut());
            ip.set_version(6);
            ip.set_payload_len(transport.len() as u16);
            ip.set_next_header(protocol);
            ip.set_hop_limit(64);
            ip.set_src_addr(from);
            ip.set_dst_addr(to);
        }
        _ => unreachable!("both are of one kind"),
    }
    let mut frame = frame.into_inner();
    frame[14 + head..].copy_from_slice(transport);
    frame
}

fn data(length: usize) -> Vec<u8> {
    (0..length).map(|n| (n * 7 + n / 251) as u8).collect()
}

fn segment(six: bool, data: &[u8]) -> Vec<u8> {
    let repr = TcpRepr {
        src_port: 1000,
        dst_port: 80,
        control: smoltcp::wire::TcpControl::Fin,
        seq_number: TcpSeqNumber(0x7fff_f000),
        ack_number: Some(TcpSeqNumber(7)),
        window_len: 5000,
        window_scale: None,
        max_seg_size: None,
        sack_permitted: false,
        sack_ranges: [None; 3],
        timestamp: None,
        payload: data,
    };
    let mut transport = vec![0; repr.buffer_len()];
    let (from, to) = addresses(six);
    let mut packet = TcpPacket::new_unchecked(&mut transport[..]);
    repr.emit(&mut packet, &from, &to, &ChecksumCapabilities::ignored());
    packet.set_psh(true);
    packet.set_cwr(true);
    frame(six, IpProtocol::Tcp, &transport)
}

/// The packet in a frame, after what stands in its IP header was found right.
fn transport(six: bool, frame: &[u8]) -> Vec<u8> {
    let ethernet = EthernetFrame::new_checked(frame).unwrap();
    if six {
        let ip = Ipv6Packet::new_checked(ethernet.payload()).unwrap();
        assert_eq!(ip.total_len() + 14, frame.len());
        return ip.payload().to_vec();
    }
    let ip = Ipv4Packet::new_checked(ethernet.payload()).unwrap();
    assert!(ip.verify_checksum());
    assert_eq!(usize::from(ip.total_len()) + 14, frame.len());
    ip.payload().to_vec()
}

#[test]
fn a_long_segment_is_cut_for_a_port_that_does_not_take_it() {
    for (six, mtu) in [(false, 1500), (true, 1500), (false, 576), (true, 9000)] {
        let data = data(20_001);
        let mut long = segment(six, &data);
        let open = left_open(&mut long, mtu);
        let cut = open.cut.expect("it is long");
        assert_eq!((cut.part, cut.six), (mtu - if six { 60 } else { 40 }, six));
        // A port that takes it.
        let (from, to) = ports(Takes::ALL);
        from.send_open(&long, open);
        assert_eq!(all(&to), [(long.clone(), open)]);
        // Ports that take nothing, or too little.
        for takes in [Takes::default(), Takes { long4: six, long6: !six, sums: true }] {
            let (from, to) = ports(takes);
            from.send_open(&long, open);
            let parts = all(&to);
            assert_eq!(parts.len(), data.len().div_ceil(cut.part.into()));
            let mut whole = Vec::new();
            for (n, (part, open)) in parts.iter().enumerate() {
                assert_eq!(*open, Offload::NONE);
                assert!(part.len() <= usize::from(mtu) + 14);
                let packet = transport(six, part);
                let tcp = TcpPacket::new_checked(&packet[..]).unwrap();
                let (a, b) = addresses(six);
                assert!(tcp.verify_checksum(&a, &b), "part {n}");
                assert_eq!(tcp.seq_number(), TcpSeqNumber(0x7fff_f000) + whole.len());
                let last = n + 1 == parts.len();
                assert_eq!((tcp.fin(), tcp.psh(), tcp.cwr()), (last, last, n == 0), "part {n}");
                if !six {
                    let ip = Ipv4Packet::new_checked(&part[14..]).unwrap();
                    assert_eq!(ip.ident(), 0xfffe_u16.wrapping_add(n as u16));
                }
                whole.extend_from_slice(tcp.payload());
            }
            assert!(whole == data);
            assert_eq!(to.counters().received as usize, parts.len());
        }
    }
}

#[test]
fn a_check_sum_that_is_left_open_is_computed_for_a_port_that_wants_it() {
    for six in [false, true] {
        for length in [0, 1, 2, 99, 1400] {
            let data = data(length);
            let mut tcp = segment(six, &data);
            let repr = UdpRepr { src_port: 7, dst_port: 9 };
            let mut bytes = vec![0; 8 + length];
            let (from, to) = addresses(six);
            let mut packet = UdpPacket::new_unchecked(&mut bytes[..]);
            let fill = |space: &mut [u8]| space.copy_from_slice(&data);
            repr.emit(&mut packet, &from, &to, length, fill, &ChecksumCapabilities::ignored());
            let mut udp = frame(six, IpProtocol::Udp, &bytes);
            for frame in [&mut tcp, &mut udp] {
                let open = left_open(frame, 1500);
                assert!(open.sum.is_some() && open.cut.is_none());
                let (sender, port) = ports(Takes { sums: true, ..Takes::default() });
                sender.send_open(frame, open);
                assert_eq!(all(&port), [(frame.clone(), open)]);
                let (sender, port) = ports(Takes::default());
                sender.send_open(frame, open);
                let got = all(&port);
                assert_eq!((got.len(), got[0].1), (1, Offload::NONE));
                let packet = transport(six, &got[0].0);
                let right = match TcpPacket::new_checked(&packet[..]) {
                    Ok(tcp) if tcp.dst_port() == 80 => tcp.verify_checksum(&from, &to),
                    _ => UdpPacket::new_checked(&packet[..]).unwrap().verify_checksum(&from, &to),
                };
                assert!(right, "{length} bytes, version 6: {six}");
            }
        }
    }
}

#[test]
fn tags_that_come_and_go_move_what_is_left_open() {
    let switch = Switch::new(Arc::new(Never));
    let of = |vlan| switch.port(Settings { vlan, ..Settings::default() });
    let inside = of(Vlan::Access(5));
    let outside = of(Vlan::Trunk { native: 0, allowed: [5].into_iter().collect() });
    let mut sent = segment(false, b"some data");
    let open = left_open(&mut sent, 1500);
    outside.set_up(true);
    outside.takes(Takes::ALL);
    inside.send_open(&sent, open);
    let got = all(&outside);
    assert_eq!(got[0].1.sum, open.sum.map(|(from, at)| (from + 4, at + 4)));
    outside.takes(Takes::default());
    inside.send_open(&sent, open);
    let tagged = all(&outside).remove(0).0;
    let plain = [&tagged[..12], &tagged[16..]].concat();
    let packet = transport(false, &plain);
    let (from, to) = addresses(false);
    assert!(TcpPacket::new_checked(&packet[..]).unwrap().verify_checksum(&from, &to));
}

#[test]
fn what_is_said_wrongly_of_a_frame_is_dropped() {
    let (from, to) = ports(Takes::default());
    let mut long = segment(false, &data(4000));
    let open = left_open(&mut long, 1500);
    let length = long.len() as u16;
    let wrong = [
        Offload { cut: Some(Cut { part: 47, six: false }), ..open },
        Offload { sum: Some((34, length - 1)), cut: None },
        Offload { sum: Some((60, 50)), cut: None },
        Offload { sum: Some((u16::MAX, u16::MAX)), cut: None },
    ];
    for open in wrong {
        from.send_open(&long, open);
        assert_eq!(all(&to), [], "{open:?}");
    }
    let cut = Some(Cut { part: 1000, six: false });
    for end in [15, 30, 40, 60, 100] {
        from.send_open(&long[..end], Offload { cut, ..open });
    }
    assert_eq!((all(&to), to.counters().dropped), (vec![], 9));
    // A port that is filled by one frame takes what it can.
    let long = segment(false, &data(60_000));
    while to.counters().dropped == 9 {
        from.send_open(&long, Offload { cut: Some(Cut { part: 48, six: false }), ..open });
    }
    assert_eq!(all(&to).len(), 4096);
    // What has no check sum of its own is left alone.
    let mut arp = [&[0xff; 6][..], &ONE.0, &[8, 6], &[0; 28]].concat();
    assert_eq!(left_open(&mut arp, 1500), Offload::NONE);
}
