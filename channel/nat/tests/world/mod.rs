//! What lies around the gateway in tests: a host whose sockets are made up, and a guest that is smoltcp's own stack.

#![allow(dead_code, unreachable_pub)] // each test uses its part

use nat::{Close, Event, FlowId, Host, Kind, Nat, Received, Refusal, Settings};
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::phy::{ChecksumCapabilities, Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::{dhcpv4, icmp, tcp, udp};
use smoltcp::time::Instant;
use smoltcp::wire::{
    EthernetAddress, EthernetFrame, EthernetProtocol, EthernetRepr, HardwareAddress, IpAddress, IpCidr, IpProtocol,
    IpRepr, Ipv4Address, Ipv6Address, TcpControl, TcpPacket, TcpRepr, TcpSeqNumber,
};
use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::time::Duration;
use support::Random;

/// The first guest's hardware address.
pub const MAC: [u8; 6] = [0x02, 0, 0, 0, 0, 0x0f];

/// What a made-up server does, by its port.
pub mod port {
    /// Gives everything back.
    pub const ECHO: u16 = 7;
    /// Takes everything.
    pub const SINK: u16 = 9;
    /// Gives [`super::World::supply`] bytes, and closes.
    pub const SOURCE: u16 = 19;
    /// Refuses.
    pub const REFUSED: u16 = 1;
    /// Cannot be reached.
    pub const UNREACHABLE: u16 = 2;
    /// Never answers.
    pub const SILENT: u16 = 3;
    /// Connects, and breaks with the first byte.
    pub const BREAKS: u16 = 4;
}

/// A socket of the made-up host.
#[derive(Debug)]
pub struct Sock {
    pub kind: Kind,
    pub to: SocketAddr,
    /// What the guest sent, as far as it was not given back.
    pub taken: VecDeque<u8>,
    pub total: u64,
    pub sum: u64,
    /// What the guest is to read.
    pub give: VecDeque<u8>,
    pub left: u64,
    pub datagrams: VecDeque<Vec<u8>>,
    pub finished: bool,
    pub blocked: bool,
    pub ends: bool,
}

impl Sock {
    /// A stream that nothing was read from.
    pub fn stream(to: SocketAddr) -> Sock {
        Sock {
            kind: Kind::Stream,
            to,
            taken: VecDeque::new(),
            total: 0,
            sum: 0,
            give: VecDeque::new(),
            left: 0,
            datagrams: VecDeque::new(),
            finished: false,
            blocked: false,
            ends: false,
        }
    }
}

/// The made-up host, and the link to the guest.
pub struct World {
    pub now: Duration,
    pub random: Random,
    pub to_guest: VecDeque<Vec<u8>>,
    /// How many frames the guest's queue takes.
    pub queue: usize,
    pub refused_frames: u64,
    pub socks: BTreeMap<u64, Sock>,
    pub events: VecDeque<(FlowId, Event)>,
    pub replies: Vec<(usize, SocketAddr, Vec<u8>)>,
    pub closed: Vec<(u64, Close)>,
    pub opened: u64,
    pub kept_alive: u64,
    /// How much a sink takes at once, and how much the source gives.
    pub bite: usize,
    pub supply: u64,
    pub resolvers: Vec<SocketAddr>,
    /// Sinks take nothing while this is set.
    pub slow: bool,
    pub no_ping: bool,
}

/// The byte at `at` of every stream that is checked.
pub fn pattern(at: u64) -> u8 {
    (at ^ (at >> 8) ^ (at >> 17)) as u8
}

impl World {
    pub fn new(seed: u64) -> World {
        World {
            now: Duration::from_secs(1),
            random: Random::seeded(seed),
            to_guest: VecDeque::new(),
            queue: 256,
            refused_frames: 0,
            socks: BTreeMap::new(),
            events: VecDeque::new(),
            replies: Vec::new(),
            closed: Vec::new(),
            opened: 0,
            kept_alive: 0,
            bite: usize::MAX,
            supply: 0,
            resolvers: vec!["192.0.2.53:53".parse().unwrap()],
            slow: false,
            no_ping: false,
        }
    }

    fn serve(&mut self, flow: FlowId) {
        let Some(sock) = self.socks.get_mut(&flow.number()) else { return };
        if sock.to.port() == port::ECHO && !sock.taken.is_empty() {
            let back: Vec<u8> = sock.taken.drain(..).collect();
            sock.give.extend(back);
            self.events.push_back((flow, Event::Readable));
        }
        if sock.to.port() == port::ECHO && sock.finished {
            sock.ends = true;
            self.events.push_back((flow, Event::Readable));
        }
    }
}

impl Host for World {
    fn deliver(&mut self, frame: &[u8]) -> bool {
        if self.to_guest.len() >= self.queue {
            self.refused_frames += 1;
            return false;
        }
        self.to_guest.push_back(frame.to_vec());
        true
    }

    fn open(&mut self, flow: FlowId, kind: Kind, to: SocketAddr) -> Result<(), Refusal> {
        self.opened += 1;
        if kind == Kind::Echo && self.no_ping {
            return Err(Refusal::NotPermitted);
        }
        let source = to.port() == port::SOURCE;
        let left = if source { self.supply } else { 0 };
        let sock = Sock { kind, left, ends: source, ..Sock::stream(to) };
        assert!(self.socks.insert(flow.number(), sock).is_none(), "opened twice");
        if kind == Kind::Stream {
            let outcome = match to.port() {
                port::REFUSED => Err(Refusal::Refused),
                port::UNREACHABLE => Err(Refusal::Unreachable),
                port::SILENT => return Ok(()),
                _ => Ok(()),
            };
            self.events.push_back((flow, Event::Connected(outcome)));
        }
        Ok(())
    }

    fn send(&mut self, flow: FlowId, data: &[u8]) -> Result<usize, Refusal> {
        let slow = self.slow;
        let bite = if self.bite == usize::MAX { data.len() } else { self.random.below(self.bite) };
        let sock = self.socks.get_mut(&flow.number()).expect("an open socket");
        match sock.kind {
            Kind::Stream => {
                if sock.to.port() == port::BREAKS {
                    return Err(Refusal::Broken);
                }
                let count = if slow { 0 } else { data.len().min(bite) };
                for &byte in &data[..count] {
                    if sock.to.port() == port::SINK {
                        assert_eq!(byte, pattern(sock.total), "at {}", sock.total);
                    } else {
                        sock.taken.push_back(byte);
                    }
                    sock.total += 1;
                }
                sock.blocked = count < data.len();
                self.serve(flow);
                Ok(count)
            }
            _ => {
                sock.total += 1;
                if sock.to.port() == port::REFUSED {
                    return Err(Refusal::Refused);
                }
                sock.datagrams.push_back(data.to_vec());
                if sock.to.port() == port::ECHO || sock.kind == Kind::Echo {
                    self.events.push_back((flow, Event::Readable));
                }
                Ok(data.len())
            }
        }
    }

    fn receive(&mut self, flow: FlowId, space: &mut [u8]) -> Result<Received, Refusal> {
        let bite = if self.bite == usize::MAX { usize::MAX } else { self.random.below(self.bite) + 1 };
        let supply = self.supply;
        let sock = self.socks.get_mut(&flow.number()).expect("an open socket");
        if sock.kind != Kind::Stream {
            let Some(mut datagram) = sock.datagrams.pop_front() else { return Ok(Received::Nothing) };
            if sock.kind == Kind::Echo {
                // An answer, as the host's kernel hands it over: type 0 or 129, its own identifier.
                datagram[0] = if sock.to.is_ipv4() { 0 } else { 129 };
                datagram[4..6].copy_from_slice(&[0xab, 0xcd]);
            }
            space[..datagram.len()].copy_from_slice(&datagram);
            return Ok(Received::Bytes(datagram.len()));
        }
        let count = space.len().min(bite);
        if sock.left > 0 {
            let count = count.min(sock.left as usize);
            let at = supply - sock.left;
            for (number, byte) in space[..count].iter_mut().enumerate() {
                *byte = pattern(at + number as u64);
            }
            sock.left -= count as u64;
            return Ok(Received::Bytes(count));
        }
        let count = count.min(sock.give.len());
        if count == 0 {
            return Ok(if sock.ends { Received::End } else { Received::Nothing });
        }
        for byte in &mut space[..count] {
            *byte = sock.give.pop_front().expect("counted");
        }
        Ok(Received::Bytes(count))
    }

    fn finish(&mut self, flow: FlowId) {
        self.socks.get_mut(&flow.number()).expect("an open socket").finished = true;
        self.serve(flow);
    }

    fn keep_alive(&mut self, _flow: FlowId) {
        self.kept_alive += 1;
    }

    fn close(&mut self, flow: FlowId, how: Close) {
        if self.socks.remove(&flow.number()).is_some() {
            self.closed.push((flow.number(), how));
        }
    }

    fn reply(&mut self, listener: usize, to: SocketAddr, data: &[u8]) {
        self.replies.push((listener, to, data.to_vec()));
    }

    fn resolver(&mut self, attempt: usize) -> Option<SocketAddr> {
        self.resolvers.get(attempt % self.resolvers.len().max(1)).copied()
    }
}

/// The guest's end of the link.
pub struct Link {
    pub into: VecDeque<Vec<u8>>,
    pub out: VecDeque<Vec<u8>>,
    pub mtu: usize,
}

pub struct Taken(Vec<u8>);

impl RxToken for Taken {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

pub struct Given<'a>(&'a mut VecDeque<Vec<u8>>);

impl TxToken for Given<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, f: F) -> R {
        let mut frame = vec![0; length];
        let result = f(&mut frame);
        self.0.push_back(frame);
        result
    }
}

impl Device for Link {
    type RxToken<'a> = Taken;
    type TxToken<'a> = Given<'a>;

    fn receive(&mut self, _now: Instant) -> Option<(Taken, Given<'_>)> {
        let frame = self.into.pop_front()?;
        Some((Taken(frame), Given(&mut self.out)))
    }

    fn transmit(&mut self, _now: Instant) -> Option<Given<'_>> {
        (self.out.len() < 256).then_some(Given(&mut self.out))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = self.mtu + 14;
        capabilities
    }
}

/// A guest, its gateway, and the world.
pub struct Lab {
    pub nat: Nat,
    pub world: World,
    pub link: Link,
    pub face: Interface,
    pub sockets: SocketSet<'static>,
    /// Of so many frames one is lost, each way.
    pub loss: u64,
    pub step: Duration,
}

impl Lab {
    /// A guest with the address 10.0.2.15 and one of IPv6.
    pub fn new(seed: u64, settings: Settings) -> Lab {
        let mut lab = Lab::without_address(seed, settings);
        lab.face.update_ip_addrs(|addresses| {
            addresses.push(IpCidr::new(Ipv4Address::new(10, 0, 2, 15).into(), 24)).unwrap();
            addresses.push(IpCidr::new(Ipv6Address::new(0xfd00, 0, 0, 0, 0, 0, 0, 0xf).into(), 64)).unwrap();
        });
        lab.face.routes_mut().add_default_ipv4_route(Ipv4Address::new(10, 0, 2, 2)).unwrap();
        lab.face.routes_mut().add_default_ipv6_route(Ipv6Address::new(0xfd00, 0, 0, 0, 0, 0, 0, 2)).unwrap();
        lab
    }

    /// A guest without an address.
    pub fn without_address(seed: u64, settings: Settings) -> Lab {
        let mut link = Link { into: VecDeque::new(), out: VecDeque::new(), mtu: settings.mtu };
        let mut config = Config::new(HardwareAddress::Ethernet(EthernetAddress(MAC)));
        config.random_seed = seed;
        let face = Interface::new(config, &mut link, Instant::from_secs(1));
        Lab {
            nat: Nat::new(Settings { seed, ..settings }),
            world: World::new(seed),
            link,
            face,
            sockets: SocketSet::new(Vec::new()),
            loss: 0,
            step: Duration::from_micros(100),
        }
    }

    /// One step of time for all.
    pub fn step(&mut self) {
        self.world.now += self.step;
        let now = self.world.now;
        self.link.into.append(&mut self.world.to_guest);
        self.nat.room(&mut self.world);
        if self.loss > 0 {
            let random = &mut self.world.random;
            let loss = self.loss;
            self.link.into.retain(|_| !random.one_in(loss));
        }
        self.face.poll(Instant::from_micros(now.as_micros() as i64), &mut self.link, &mut self.sockets);
        while let Some(frame) = self.link.out.pop_front() {
            if self.loss == 0 || !self.world.random.one_in(self.loss) {
                self.nat.frame(now, &frame, &mut self.world);
            }
        }
        for (&number, sock) in &mut self.world.socks {
            if sock.blocked && !self.world.slow {
                sock.blocked = false;
                self.world.events.push_back((FlowId::from_number(number), Event::Writable));
            }
        }
        while let Some((flow, event)) = self.world.events.pop_front() {
            self.nat.event(now, flow, event, &mut self.world);
        }
        while self.nat.run(now, &mut self.world) {}
    }

    /// Steps until `done`, at most so much time of the lab.
    pub fn until(&mut self, limit: Duration, what: &str, mut done: impl FnMut(&mut Lab) -> bool) {
        let end = self.world.now + limit;
        while !done(self) {
            assert!(self.world.now < end, "{what}: not within {limit:?}; {:?}", self.nat.counters());
            self.step();
        }
    }

    /// Lets time pass.
    pub fn pass(&mut self, time: Duration) {
        let end = self.world.now + time;
        while self.world.now < end {
            self.step();
        }
    }

    pub fn add_tcp(&mut self, buffer: usize) -> SocketHandle {
        let space = || tcp::SocketBuffer::new(vec![0; buffer]);
        self.sockets.add(tcp::Socket::new(space(), space()))
    }

    pub fn add_udp(&mut self) -> SocketHandle {
        let space = || udp::PacketBuffer::new(vec![udp::PacketMetadata::EMPTY; 64], vec![0; 1 << 18]);
        self.sockets.add(udp::Socket::new(space(), space()))
    }

    pub fn add_icmp(&mut self) -> SocketHandle {
        let space = || icmp::PacketBuffer::new(vec![icmp::PacketMetadata::EMPTY; 16], vec![0; 1 << 18]);
        self.sockets.add(icmp::Socket::new(space(), space()))
    }

    pub fn add_dhcp(&mut self) -> SocketHandle {
        self.sockets.add(dhcpv4::Socket::new())
    }

    /// Calls `to` from `port`.
    pub fn call(&mut self, socket: SocketHandle, to: SocketAddr, port: u16) {
        let socket = self.sockets.get_mut::<tcp::Socket<'_>>(socket);
        socket.connect(self.face.context(), to, port).unwrap();
    }

    pub fn tcp(&mut self, socket: SocketHandle) -> &mut tcp::Socket<'static> {
        self.sockets.get_mut::<tcp::Socket<'_>>(socket)
    }
}

/// An address and a port.
pub fn at(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

/// A guest that calls and calls.
pub struct Flood {
    random: Random,
}

impl Flood {
    pub fn new(seed: u64) -> Flood {
        Flood { random: Random::seeded(seed) }
    }

    /// A SYN to `to`, the `number`th.
    pub fn call(&mut self, to: SocketAddr, number: u32) -> Vec<u8> {
        let from = IpAddress::v4(10, 0, 2, 15);
        let to_address = IpAddress::from(to.ip());
        let syn = TcpRepr {
            src_port: 1_024 + (number % 60_000) as u16,
            dst_port: to.port(),
            control: TcpControl::Syn,
            seq_number: TcpSeqNumber(self.random.word() as i32),
            ack_number: None,
            window_len: 65_535,
            window_scale: Some(7),
            max_seg_size: Some(1_460),
            sack_permitted: true,
            sack_ranges: [None; 3],
            timestamp: None,
            payload: &[],
        };
        let caps = ChecksumCapabilities::default();
        let header = IpRepr::new(from, to_address, IpProtocol::Tcp, syn.buffer_len(), 64);
        let mut frame = vec![0; 14 + header.header_len() + syn.buffer_len()];
        let mut ethernet = EthernetFrame::new_unchecked(&mut frame[..]);
        EthernetRepr {
            src_addr: EthernetAddress(MAC),
            dst_addr: EthernetAddress(Settings::default().mac),
            ethertype: EthernetProtocol::Ipv4,
        }
        .emit(&mut ethernet);
        let packet = ethernet.payload_mut();
        header.emit(&mut *packet, &caps);
        let mut segment = TcpPacket::new_unchecked(&mut packet[header.header_len()..]);
        syn.emit(&mut segment, &from, &to_address, &caps);
        frame
    }
}
