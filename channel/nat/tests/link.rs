//! What a guest sees of the link: addresses, the gateway, names, echoes.

mod world;

use nat::settings::{DNS, FIRST, GATEWAY};
use nat::{Nat, Settings};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::socket::{dhcpv4, icmp};
use smoltcp::wire::{
    ArpOperation, ArpPacket, ArpRepr, DhcpMessageType, DhcpOption, DhcpPacket, DhcpRepr, EthernetAddress,
    EthernetFrame, EthernetProtocol, EthernetRepr, Icmpv4Packet, Icmpv4Repr, IpProtocol, IpRepr, Ipv4Address,
    Ipv4Packet, UdpPacket, UdpRepr,
};
use std::time::Duration;
use world::{Lab, MAC, World};

const BROADCAST: EthernetAddress = EthernetAddress::BROADCAST;

/// A frame of a guest.
fn frame(mac: [u8; 6], to: EthernetAddress, ethertype: EthernetProtocol, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 14 + payload.len()];
    let mut frame = EthernetFrame::new_unchecked(&mut bytes[..]);
    EthernetRepr { src_addr: EthernetAddress(mac), dst_addr: to, ethertype }.emit(&mut frame);
    frame.payload_mut().copy_from_slice(payload);
    bytes
}

/// A request of ARP.
fn who_has(mac: [u8; 6], from: Ipv4Address, target: Ipv4Address) -> Vec<u8> {
    let request = ArpRepr::EthernetIpv4 {
        operation: ArpOperation::Request,
        source_hardware_addr: EthernetAddress(mac),
        source_protocol_addr: from,
        target_hardware_addr: EthernetAddress([0; 6]),
        target_protocol_addr: target,
    };
    let mut packet = vec![0; request.buffer_len()];
    request.emit(&mut ArpPacket::new_unchecked(&mut packet[..]));
    frame(mac, BROADCAST, EthernetProtocol::Arp, &packet)
}

/// A message of a DHCP client.
struct Client {
    mac: [u8; 6],
    kind: DhcpMessageType,
    requested: Option<Ipv4Address>,
    server: Option<Ipv4Address>,
    address: Ipv4Address,
    name: &'static str,
}

const ANY: Ipv4Address = Ipv4Address::UNSPECIFIED;

impl Client {
    fn new(number: u8, kind: DhcpMessageType) -> Client {
        Client { mac: [2, 0, 0, 0, 1, number], kind, requested: None, server: None, address: ANY, name: "" }
    }

    fn frame(&self) -> Vec<u8> {
        let options = [
            DhcpOption { kind: 12, data: self.name.as_bytes() },
            DhcpOption { kind: 61, data: &[255, 1, 2, 3, 4, 5, 6, 7, 8] },
        ];
        let message = DhcpRepr {
            message_type: self.kind,
            transaction_id: 0x1234_5678,
            secs: 0,
            client_hardware_address: EthernetAddress(self.mac),
            client_ip: self.address,
            your_ip: ANY,
            server_ip: ANY,
            router: None,
            subnet_mask: None,
            relay_agent_ip: ANY,
            broadcast: false,
            requested_ip: self.requested,
            client_identifier: None,
            server_identifier: self.server,
            parameter_request_list: Some(&[1, 3, 6, 26]),
            dns_servers: None,
            max_size: None,
            lease_duration: None,
            renew_duration: None,
            rebind_duration: None,
            additional_options: if self.name.is_empty() { &options[1..] } else { &options },
        };
        let mut bytes = vec![0; message.buffer_len()];
        message.emit(&mut DhcpPacket::new_unchecked(&mut bytes[..])).unwrap();
        let header =
            IpRepr::new(self.address.into(), Ipv4Address::BROADCAST.into(), IpProtocol::Udp, 8 + bytes.len(), 64);
        let caps = ChecksumCapabilities::default();
        let mut packet = vec![0; 28 + bytes.len()];
        header.emit(&mut packet[..], &caps);
        let udp = UdpRepr { src_port: 68, dst_port: 67 };
        let mut datagram = UdpPacket::new_unchecked(&mut packet[20..]);
        let (from, to) = (header.src_addr(), header.dst_addr());
        udp.emit(&mut datagram, &from, &to, bytes.len(), |space| space.copy_from_slice(&bytes), &caps);
        frame(self.mac, BROADCAST, EthernetProtocol::Ipv4, &packet)
    }
}

/// What the server answered.
#[derive(Debug, PartialEq, Eq)]
struct Answered {
    kind: DhcpMessageType,
    given: Ipv4Address,
    to: Ipv4Address,
    options: Vec<(u8, Vec<u8>)>,
}

fn answered(world: &mut World) -> Option<Answered> {
    let frame = world.to_guest.pop_front()?;
    let ethernet = EthernetFrame::new_checked(&frame[..]).unwrap();
    let packet = Ipv4Packet::new_checked(ethernet.payload()).unwrap();
    assert!(packet.verify_checksum());
    let udp = UdpPacket::new_checked(packet.payload()).unwrap();
    assert!(udp.verify_checksum(&packet.src_addr().into(), &packet.dst_addr().into()));
    let dhcp = DhcpPacket::new_checked(udp.payload()).unwrap();
    let message = DhcpRepr::parse(&dhcp).unwrap();
    let options = dhcp.options().map(|option| (option.kind, option.data.to_vec())).collect();
    Some(Answered { kind: message.message_type, given: message.your_ip, to: packet.dst_addr(), options })
}

/// Says `client` to the server.
fn say(nat: &mut Nat, world: &mut World, client: &Client) -> Option<Answered> {
    nat.frame(world.now, &client.frame(), world);
    answered(world)
}

#[test]
fn gateway_and_names_answer_arp_and_nothing_else_does() {
    let (mut nat, mut world) = (Nat::new(Settings::default()), World::new(1));
    for (target, answers) in [(GATEWAY, true), (DNS, true), (FIRST, false), (Ipv4Address::new(10, 0, 2, 4), false)] {
        nat.frame(world.now, &who_has(MAC, FIRST, target), &mut world);
        let Some(answer) = world.to_guest.pop_front() else {
            assert!(!answers, "{target}");
            continue;
        };
        let ethernet = EthernetFrame::new_checked(&answer[..]).unwrap();
        assert_eq!(ethernet.dst_addr(), EthernetAddress(MAC));
        let arp = ArpRepr::parse(&ArpPacket::new_checked(ethernet.payload()).unwrap()).unwrap();
        let expected = ArpRepr::EthernetIpv4 {
            operation: ArpOperation::Reply,
            source_hardware_addr: EthernetAddress(Settings::default().mac),
            source_protocol_addr: target,
            target_hardware_addr: EthernetAddress(MAC),
            target_protocol_addr: FIRST,
        };
        assert!(answers && arp == expected, "{target}: {arp:?}");
    }
    assert_eq!(nat.counters().arp_answered, 2);
}

#[test]
fn a_flood_of_arp_is_answered_at_its_rate_and_another_guest_at_once() {
    let (mut nat, mut world) = (Nat::new(Settings::default()), World::new(1));
    world.queue = usize::MAX;
    for _ in 0..100_000 {
        world.now += Duration::from_micros(10);
        nat.frame(world.now, &who_has(MAC, FIRST, GATEWAY), &mut world);
    }
    // One second at a hundred a second, and what is allowed at once.
    assert!((295..=305).contains(&nat.counters().arp_answered), "{}", nat.counters().arp_answered);
    let before = nat.counters().arp_answered;
    nat.frame(world.now, &who_has([2, 0, 0, 0, 0, 99], Ipv4Address::new(10, 0, 2, 16), GATEWAY), &mut world);
    assert_eq!(nat.counters().arp_answered, before + 1);
}

#[test]
fn a_client_gets_the_first_address_with_everything_it_needs() {
    let settings = Settings { mtu: 9_000, segment: 9_000, ..Settings::default() };
    let (mut nat, mut world) = (Nat::new(settings), World::new(1));
    let offer = say(&mut nat, &mut world, &Client::new(1, DhcpMessageType::Discover)).unwrap();
    assert_eq!((offer.kind, offer.given, offer.to), (DhcpMessageType::Offer, FIRST, FIRST));
    let mut request = Client::new(1, DhcpMessageType::Request);
    (request.requested, request.server, request.name) = (Some(FIRST), Some(GATEWAY), "Debian.example.org");
    let ack = say(&mut nat, &mut world, &request).unwrap();
    assert_eq!((ack.kind, ack.given), (DhcpMessageType::Ack, FIRST));
    for (kind, data) in [
        (1, vec![255, 255, 255, 0]),
        (3, vec![10, 0, 2, 2]),
        (6, vec![10, 0, 2, 3]),
        (15, b"endicott".to_vec()),
        (26, 9_000u16.to_be_bytes().to_vec()),
        (28, vec![10, 0, 2, 255]),
        (51, 86_400u32.to_be_bytes().to_vec()),
        (54, vec![10, 0, 2, 2]),
        (58, 43_200u32.to_be_bytes().to_vec()),
        (59, 75_600u32.to_be_bytes().to_vec()),
        (61, vec![255, 1, 2, 3, 4, 5, 6, 7, 8]),
    ] {
        assert!(ack.options.contains(&(kind, data)), "option {kind} of {ack:?}");
    }
    assert_eq!(nat.names(world.now), [("debian".to_owned(), FIRST)]);
}

#[test]
fn addresses_stay_with_their_guests() {
    let (mut nat, mut world) = (Nat::new(Settings::default()), World::new(1));
    let address = |number| Ipv4Address::new(10, 0, 2, number);
    let bind = |nat: &mut Nat, world: &mut World, number| {
        let offer = say(nat, world, &Client::new(number, DhcpMessageType::Discover)).unwrap();
        let mut request = Client::new(number, DhcpMessageType::Request);
        (request.requested, request.server) = (Some(offer.given), Some(GATEWAY));
        say(nat, world, &request).unwrap().given
    };
    assert_eq!([1, 2, 3].map(|number| bind(&mut nat, &mut world, number)), [15, 16, 17].map(address));
    // A guest that has been started anew gets what it had.
    assert_eq!(bind(&mut nat, &mut world, 2), address(16));
    // It renews; a stranger that wants the same address is refused, to all.
    let mut renew = Client::new(2, DhcpMessageType::Request);
    renew.address = address(16);
    let ack = say(&mut nat, &mut world, &renew).unwrap();
    assert_eq!((ack.kind, ack.to), (DhcpMessageType::Ack, address(16)));
    let mut stranger = Client::new(9, DhcpMessageType::Request);
    stranger.requested = Some(address(16));
    let nak = say(&mut nat, &mut world, &stranger).unwrap();
    assert_eq!((nak.kind, nak.to), (DhcpMessageType::Nak, Ipv4Address::BROADCAST));
    // What is released goes to others last.
    let mut release = Client::new(1, DhcpMessageType::Release);
    release.address = address(15);
    assert_eq!(say(&mut nat, &mut world, &release), None);
    assert_eq!(bind(&mut nat, &mut world, 4), address(18));
    assert_eq!(bind(&mut nat, &mut world, 1), address(15));
    // An address that is in use by another is not given again.
    let mut decline = Client::new(3, DhcpMessageType::Decline);
    (decline.requested, decline.server) = (Some(address(17)), Some(GATEWAY));
    assert_eq!(say(&mut nat, &mut world, &decline), None);
    assert_eq!(bind(&mut nat, &mut world, 3), address(19));
    // INFORM: everything but an address.
    let mut inform = Client::new(7, DhcpMessageType::Inform);
    inform.address = address(200);
    let ack = say(&mut nat, &mut world, &inform).unwrap();
    assert_eq!((ack.kind, ack.given, ack.to), (DhcpMessageType::Ack, ANY, address(200)));
    assert!(ack.options.iter().all(|(kind, _)| *kind != 51));
}

#[test]
fn a_guest_that_was_not_started_anew_keeps_its_address_with_a_new_server() {
    let (mut nat, mut world) = (Nat::new(Settings::default()), World::new(1));
    let mut request = Client::new(1, DhcpMessageType::Request);
    request.requested = Some(Ipv4Address::new(10, 0, 2, 77));
    assert_eq!(say(&mut nat, &mut world, &request).unwrap().kind, DhcpMessageType::Ack);
    request.requested = Some(Ipv4Address::new(192, 168, 1, 5));
    assert_eq!(say(&mut nat, &mut world, &request).unwrap().kind, DhcpMessageType::Nak);
    // A request to another server is none to this one.
    request.server = Some(Ipv4Address::new(10, 0, 2, 9));
    assert_eq!(say(&mut nat, &mut world, &request), None);
}

#[test]
fn a_flood_of_dhcp_takes_no_address_from_those_who_have_one() {
    let (mut nat, mut world) = (Nat::new(Settings::default()), World::new(1));
    let mut request = Client::new(1, DhcpMessageType::Request);
    request.requested = Some(FIRST);
    say(&mut nat, &mut world, &request).unwrap();
    for number in 0..50_000u32 {
        world.now += Duration::from_micros(200);
        let [_, a, b, c] = number.to_be_bytes();
        let flood = Client { mac: [6, 6, 6, a, b, c], ..Client::new(0, DhcpMessageType::Discover) };
        nat.frame(world.now, &flood.frame(), &mut world);
        world.to_guest.clear();
    }
    let counters = nat.counters().clone();
    assert!(counters.dhcp_limited > 40_000 && counters.dhcp_exhausted > 0, "{counters:?}");
    request.address = FIRST;
    world.now += Duration::from_secs(1);
    assert_eq!(say(&mut nat, &mut world, &request).unwrap().kind, DhcpMessageType::Ack);
    // Offers that no guest took are free again after a while.
    world.now += Duration::from_secs(61);
    let offer = say(&mut nat, &mut world, &Client::new(2, DhcpMessageType::Discover));
    assert_eq!(offer.unwrap().kind, DhcpMessageType::Offer);
}

#[test]
fn a_whole_stack_configures_itself() {
    let mut lab = Lab::without_address(3, Settings::default());
    let socket = lab.add_dhcp();
    let mut found = None;
    lab.until(Duration::from_secs(5), "an address", |lab| {
        if let Some(dhcpv4::Event::Configured(config)) = lab.sockets.get_mut::<dhcpv4::Socket<'_>>(socket).poll() {
            found = Some((config.address.address(), config.router, config.dns_servers.first().copied()));
        }
        found.is_some()
    });
    assert_eq!(found, Some((FIRST, Some(GATEWAY), Some(DNS))));
}

/// Pings `to` with so many bytes; gives whether the answer came whole.
fn ping(lab: &mut Lab, to: std::net::IpAddr, length: usize) -> bool {
    let socket = lab.add_icmp();
    let data: Vec<u8> = (0..length).map(|at| at as u8).collect();
    let request = Icmpv4Repr::EchoRequest { ident: 0x77, seq_no: 5, data: &data };
    let icmp_socket = lab.sockets.get_mut::<icmp::Socket<'_>>(socket);
    icmp_socket.bind(icmp::Endpoint::Ident(0x77)).unwrap();
    let space = icmp_socket.send(request.buffer_len(), to.into()).unwrap();
    request.emit(&mut Icmpv4Packet::new_unchecked(space), &ChecksumCapabilities::default());
    let end = lab.world.now + Duration::from_secs(3);
    let mut came = false;
    while !came && lab.world.now < end {
        lab.step();
        let icmp_socket = lab.sockets.get_mut::<icmp::Socket<'_>>(socket);
        if let Ok((bytes, from)) = icmp_socket.recv() {
            let packet = Icmpv4Packet::new_checked(bytes).unwrap();
            let expected = Icmpv4Repr::EchoReply { ident: 0x77, seq_no: 5, data: &data };
            came = Icmpv4Repr::parse(&packet, &ChecksumCapabilities::default()) == Ok(expected);
            assert_eq!(from, to.into());
        }
    }
    lab.sockets.remove(socket);
    came
}

#[test]
fn echoes_come_back_from_the_gateway_and_from_outside() {
    let mut lab = Lab::new(1, Settings::default());
    for length in [0, 56, 1_472, 1_473, 8_000, 60_000] {
        assert!(ping(&mut lab, GATEWAY.into(), length), "{length} bytes to the gateway");
        assert!(ping(&mut lab, DNS.into(), length), "{length} bytes to the server for names");
        assert!(ping(&mut lab, "192.0.2.7".parse().unwrap(), length), "{length} bytes to the outside");
    }
    assert_eq!(lab.nat.counters().echoes_answered, 12);
    assert_eq!(lab.nat.counters().echoes_out, 6);
    assert!(lab.nat.counters().reassembled >= 9);
    assert!(!ping(&mut lab, "127.0.0.1".parse().unwrap(), 56));
    assert!(!ping(&mut lab, "10.0.2.99".parse().unwrap(), 56));
    lab.world.no_ping = true;
    assert!(!ping(&mut lab, "192.0.2.8".parse().unwrap(), 56));
    assert_eq!(lab.nat.counters().echoes_refused, 1);
}

#[test]
fn frames_wait_for_room_up_to_a_limit() {
    let (mut nat, mut world) = (Nat::new(Settings::default()), World::new(1));
    world.queue = 0;
    for number in 0..20_000u32 {
        world.now += Duration::from_millis(20);
        let from = Ipv4Address::new(10, 0, 2, 20 + (number % 100) as u8);
        nat.frame(world.now, &who_has(MAC, from, GATEWAY), &mut world);
    }
    assert!(nat.counters().dropped_full > 10_000);
    world.queue = usize::MAX;
    nat.room(&mut world);
    // 256 KiB of frames of 42 bytes waited.
    assert_eq!(world.to_guest.len(), (256 << 10) / 42);
}
