//! A guest that is smoltcp's own stack, at an uplink with the host's real sockets, or at a wire.

#![allow(dead_code, unreachable_pub)] // each test uses its part

use nat::Settings as Gateway;
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::{tcp, udp};
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpCidr, Ipv4Address, Ipv6Address};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use uplink::wire::{Near, Target, Wire};
use uplink::{Settings, Uplink};

/// How many frames the guest's queue takes.
const QUEUE: usize = 256;

/// What is at the other end of the guest's cable.
pub trait Outside {
    fn frame(&self, frame: &[u8]) -> bool;
    fn room(&self);
    /// What has gone by, for messages.
    fn account(&self) -> String;
}

impl Outside for Uplink {
    fn frame(&self, frame: &[u8]) -> bool {
        self.frame(frame)
    }

    fn room(&self) {
        self.room();
    }

    fn account(&self) -> String {
        format!("{:?}", self.counters())
    }
}

impl Outside for Wire {
    fn frame(&self, frame: &[u8]) -> bool {
        self.frame(frame)
    }

    fn room(&self) {
        self.room();
    }

    fn account(&self) -> String {
        format!("lost {}, {:?}", self.lost(), self.notices())
    }
}

/// The guest's queue.
#[derive(Default)]
pub struct Queue {
    frames: Mutex<VecDeque<Vec<u8>>>,
    filled: Condvar,
}

impl Queue {
    /// False: it is full.
    fn take(&self, frame: &[u8]) -> bool {
        let mut frames = self.frames.lock().unwrap();
        if frames.len() >= QUEUE {
            return false;
        }
        frames.push_back(frame.to_vec());
        self.filled.notify_one();
        true
    }
}

/// The queue as the near end of a wire.
struct AtWire(Arc<Queue>);

impl Near for AtWire {
    fn frame(&mut self, frame: &[u8]) -> bool {
        self.0.take(frame)
    }

    fn room(&mut self) {}

    fn link(&mut self, _up: bool) {}
}

pub struct Link<O> {
    into: VecDeque<Vec<u8>>,
    uplink: Arc<O>,
    mtu: usize,
}

pub struct Taken(Vec<u8>);

impl RxToken for Taken {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

pub struct Given<'a, O>(&'a O);

impl<O: Outside> TxToken for Given<'_, O> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, f: F) -> R {
        let mut frame = vec![0; length];
        let result = f(&mut frame);
        self.0.frame(&frame);
        result
    }
}

impl<O: Outside + 'static> Device for Link<O> {
    type RxToken<'a> = Taken;
    type TxToken<'a> = Given<'a, O>;

    fn receive(&mut self, _now: Instant) -> Option<(Taken, Given<'_, O>)> {
        let frame = self.into.pop_front()?;
        Some((Taken(frame), Given(&self.uplink)))
    }

    fn transmit(&mut self, _now: Instant) -> Option<Given<'_, O>> {
        Some(Given(&self.uplink))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = self.mtu + 14;
        capabilities
    }
}

/// A guest at an uplink, or at a wire.
pub struct Guest<O = Uplink> {
    pub uplink: Arc<O>,
    queue: Arc<Queue>,
    link: Link<O>,
    pub face: Interface,
    pub sockets: SocketSet<'static>,
    began: std::time::Instant,
}

impl Guest {
    pub fn new(settings: Settings) -> Guest {
        let mtu = settings.nat.mtu;
        let queue = Arc::new(Queue::default());
        let at = queue.clone();
        let uplink = Uplink::start(settings, move |frame| at.take(frame)).unwrap();
        let mut guest = Guest::at(uplink, queue, mtu);
        let face = &mut guest.face;
        face.update_ip_addrs(|addresses| {
            addresses.push(IpCidr::new(Ipv4Address::new(10, 0, 2, 15).into(), 24)).unwrap();
            addresses.push(IpCidr::new(Ipv6Address::new(0xfd00, 0, 0, 0, 0, 0, 0, 0xf).into(), 64)).unwrap();
        });
        face.routes_mut().add_default_ipv4_route(Ipv4Address::new(10, 0, 2, 2)).unwrap();
        face.routes_mut().add_default_ipv6_route(Ipv6Address::new(0xfd00, 0, 0, 0, 0, 0, 0, 2)).unwrap();
        guest
    }
}

impl Guest<Wire> {
    /// A guest at a wire, which has no address yet.
    pub fn at_wire(target: Target) -> std::io::Result<Guest<Wire>> {
        let queue = Arc::new(Queue::default());
        let wire = Wire::open(target, AtWire(queue.clone()))?;
        Ok(Guest::at(wire, queue, 1500))
    }
}

impl<O: Outside + 'static> Guest<O> {
    fn at(uplink: O, queue: Arc<Queue>, mtu: usize) -> Guest<O> {
        let uplink = Arc::new(uplink);
        let mut link = Link { into: VecDeque::new(), uplink: uplink.clone(), mtu };
        let mut config = Config::new(HardwareAddress::Ethernet(EthernetAddress([2, 0, 0, 0, 0, 15])));
        config.random_seed = 1;
        let face = Interface::new(config, &mut link, Instant::ZERO);
        let began = std::time::Instant::now();
        Guest { uplink, queue, link, face, sockets: SocketSet::new(Vec::new()), began }
    }

    /// Does what there is to do, and waits a little if that is nothing.
    pub fn step(&mut self) {
        let full = {
            let mut frames = self.queue.frames.lock().unwrap();
            if frames.is_empty() {
                frames = self.queue.filled.wait_timeout(frames, Duration::from_micros(200)).unwrap().0;
            }
            let full = frames.len() >= QUEUE;
            self.link.into.append(&mut frames);
            full
        };
        if full {
            self.uplink.room();
        }
        let now = Instant::from_micros(self.began.elapsed().as_micros() as i64);
        self.face.poll(now, &mut self.link, &mut self.sockets);
    }

    /// Steps until `done`, at most so long.
    pub fn until(&mut self, limit: Duration, what: &str, mut done: impl FnMut(&mut Guest<O>) -> bool) {
        let end = std::time::Instant::now() + limit;
        while !done(self) {
            assert!(std::time::Instant::now() < end, "{what}: not within {limit:?}; {}", self.uplink.account());
            self.step();
        }
    }

    pub fn add_tcp(&mut self, buffer: usize) -> SocketHandle {
        let space = || tcp::SocketBuffer::new(vec![0; buffer]);
        self.sockets.add(tcp::Socket::new(space(), space()))
    }

    pub fn add_udp(&mut self, from: u16) -> SocketHandle {
        let space = || udp::PacketBuffer::new(vec![udp::PacketMetadata::EMPTY; 64], vec![0; 1 << 18]);
        let mut socket = udp::Socket::new(space(), space());
        socket.bind(from).unwrap();
        self.sockets.add(socket)
    }

    /// Calls `to` from `port`.
    pub fn call(&mut self, socket: SocketHandle, to: SocketAddr, port: u16) {
        let socket = self.sockets.get_mut::<tcp::Socket<'_>>(socket);
        socket.connect(self.face.context(), to, port).unwrap();
    }

    pub fn tcp(&mut self, socket: SocketHandle) -> &mut tcp::Socket<'static> {
        self.sockets.get_mut::<tcp::Socket<'_>>(socket)
    }

    pub fn udp(&mut self, socket: SocketHandle) -> &mut udp::Socket<'static> {
        self.sockets.get_mut::<udp::Socket<'_>>(socket)
    }
}

/// How many descriptors this process has open.
pub fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// The byte at `at` of every stream that is checked.
pub fn pattern(at: u64) -> u8 {
    (at ^ (at >> 8) ^ (at >> 17)) as u8
}

/// An uplink that lets the guest reach the loopback.
pub fn open() -> Settings {
    Settings { nat: Gateway { host_access: true, seed: 1, ..Gateway::default() }, ..Settings::default() }
}

/// How the guest sees a listener of the host.
pub fn seen(at: SocketAddr) -> SocketAddr {
    let ip = if at.is_ipv4() { "10.0.2.2" } else { "fd00::2" };
    SocketAddr::new(ip.parse().unwrap(), at.port())
}
