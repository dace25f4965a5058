//! A guest that is smoltcp's own stack, at an uplink with the host's real sockets.

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
use uplink::{Settings, Uplink};

/// How many frames the guest's queue takes.
const QUEUE: usize = 256;

/// The guest's queue.
#[derive(Default)]
pub struct Queue {
    frames: Mutex<VecDeque<Vec<u8>>>,
    filled: Condvar,
}

pub struct Link {
    into: VecDeque<Vec<u8>>,
    uplink: Arc<Uplink>,
    mtu: usize,
}

pub struct Taken(Vec<u8>);

impl RxToken for Taken {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

pub struct Given<'a>(&'a Uplink);

impl TxToken for Given<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, f: F) -> R {
        let mut frame = vec![0; length];
        let result = f(&mut frame);
        self.0.frame(&frame);
        result
    }
}

impl Device for Link {
    type RxToken<'a> = Taken;
    type TxToken<'a> = Given<'a>;

    fn receive(&mut self, _now: Instant) -> Option<(Taken, Given<'_>)> {
        let frame = self.into.pop_front()?;
        Some((Taken(frame), Given(&self.uplink)))
    }

    fn transmit(&mut self, _now: Instant) -> Option<Given<'_>> {
        Some(Given(&self.uplink))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = self.mtu + 14;
        capabilities
    }
}

/// A guest at an uplink.
pub struct Guest {
    pub uplink: Arc<Uplink>,
    queue: Arc<Queue>,
    link: Link,
    face: Interface,
    pub sockets: SocketSet<'static>,
    began: std::time::Instant,
}

impl Guest {
    pub fn new(settings: Settings) -> Guest {
        let mtu = settings.nat.mtu;
        let queue = Arc::new(Queue::default());
        let at = queue.clone();
        let uplink = Uplink::start(settings, move |frame| {
            let mut frames = at.frames.lock().unwrap();
            if frames.len() >= QUEUE {
                return false;
            }
            frames.push_back(frame.to_vec());
            at.filled.notify_one();
            true
        });
        let uplink = Arc::new(uplink.unwrap());
        let mut link = Link { into: VecDeque::new(), uplink: uplink.clone(), mtu };
        let mut config = Config::new(HardwareAddress::Ethernet(EthernetAddress([2, 0, 0, 0, 0, 15])));
        config.random_seed = 1;
        let mut face = Interface::new(config, &mut link, Instant::ZERO);
        face.update_ip_addrs(|addresses| {
            addresses.push(IpCidr::new(Ipv4Address::new(10, 0, 2, 15).into(), 24)).unwrap();
            addresses.push(IpCidr::new(Ipv6Address::new(0xfd00, 0, 0, 0, 0, 0, 0, 0xf).into(), 64)).unwrap();
        });
        face.routes_mut().add_default_ipv4_route(Ipv4Address::new(10, 0, 2, 2)).unwrap();
        face.routes_mut().add_default_ipv6_route(Ipv6Address::new(0xfd00, 0, 0, 0, 0, 0, 0, 2)).unwrap();
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
    pub fn until(&mut self, limit: Duration, what: &str, mut done: impl FnMut(&mut Guest) -> bool) {
        let end = std::time::Instant::now() + limit;
        while !done(self) {
            assert!(std::time::Instant::now() < end, "{what}: not within {limit:?}; {:?}", self.uplink.counters());
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
