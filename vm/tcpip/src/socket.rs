//! One socket of a virtual machine: the host's socket, and what the program knows of it.

use crate::call::Kind;
use crate::errno::Errno;
use crate::net::Net;
use mio::net::{TcpListener, TcpStream, UdpSocket};
use mio::{Interest, Token};
use socket2::{Domain, Protocol, SockRef, Socket as Plain, Type};
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, SocketAddrV4};
use std::time::{Duration, Instant};

/// Of how many addresses a socket of datagrams that has no address of its own takes answers: the latest that it has
/// sent to.
const KNOWN: usize = 64;
/// The most connections that wait to be accepted.
const BACKLOG: u32 = 128;

/// States as NETSTAT has them.
pub mod state {
    /// It has nothing.
    pub const CLOSED: u8 = 0;
    /// It has an address.
    pub const BOUND: u8 = 1;
    /// It waits for connections.
    pub const LISTENING: u8 = 2;
    /// A connection is being made.
    pub const CONNECTING: u8 = 3;
    /// It is connected.
    pub const CONNECTED: u8 = 4;
    /// One direction is ended.
    pub const HALF_CLOSED: u8 = 5;
}

/// The host's side.
enum Host {
    None,
    /// A stream that has an address and is not connected.
    Bound(Plain),
    Connecting(TcpStream),
    Stream(TcpStream),
    Listener(TcpListener),
    Datagrams(UdpSocket),
}

/// Options that are set before the host has a socket for it.
#[derive(Clone, Copy, Default)]
struct Options {
    reuse: bool,
    keep_alive: bool,
    no_delay: bool,
    linger: Option<Duration>,
}

pub(crate) struct Socket {
    pub token: Token,
    pub kind: Kind,
    pub blocking: bool,
    host: Host,
    /// The other end as the program has named it, or the host.
    peer: Option<SocketAddrV4>,
    /// Its port is counted as one of ours.
    counted: Option<u16>,
    options: Options,
    readable: bool,
    writable: bool,
    ended: [bool; 2],
    error: Option<Errno>,
    /// A connection that SELECT has found.
    waiting: Option<(TcpStream, SocketAddrV4)>,
    known: VecDeque<SocketAddrV4>,
    received: u64,
    sent: u64,
    touched: Instant,
}

const READ: usize = 0;
const WRITE: usize = 1;

fn v4(address: SocketAddr) -> Option<SocketAddrV4> {
    match address {
        SocketAddr::V4(address) => Some(address),
        SocketAddr::V6(_) => None,
    }
}

impl Socket {
    pub(crate) fn new(kind: Kind, token: Token) -> Socket {
        Socket {
            token,
            kind,
            blocking: true,
            host: Host::None,
            peer: None,
            counted: None,
            options: Options::default(),
            readable: false,
            writable: false,
            ended: [false; 2],
            error: None,
            waiting: None,
            known: VecDeque::new(),
            received: 0,
            sent: 0,
            touched: Instant::now(),
        }
    }

    /// A connection that was taken.
    fn accepted(mut stream: TcpStream, peer: SocketAddrV4, token: Token, net: &Net) -> Result<Socket, Errno> {
        net.registry.register(&mut stream, token, Interest::READABLE | Interest::WRITABLE)?;
        let mut socket = Socket::new(Kind::Stream, token);
        (socket.host, socket.peer) = (Host::Stream(stream), Some(peer));
        Ok(socket)
    }

    /// The host says that something has happened.
    pub(crate) fn happened(&mut self, readable: bool, writable: bool) {
        self.readable |= readable;
        self.writable |= writable;
        self.progress();
    }

    /// A connection that is being made may be there, or have failed.
    fn progress(&mut self) {
        let Host::Connecting(stream) = &self.host else { return };
        let outcome = match stream.take_error() {
            Ok(Some(error)) | Err(error) => Err(error),
            Ok(None) if stream.peer_addr().is_ok() => Ok(()),
            Ok(None) => return,
        };
        let Host::Connecting(stream) = std::mem::replace(&mut self.host, Host::None) else { return };
        match outcome {
            Ok(()) => {
                self.host = Host::Stream(stream);
                self.apply();
            }
            Err(error) => {
                (self.error, self.peer) = (Some(error.into()), None);
            }
        }
    }

    /// Options become those of the host's socket.
    fn apply(&self) {
        let Host::Stream(stream) = &self.host else { return };
        let socket = SockRef::from(stream);
        // What the host does not take changes nothing that a program could see.
        let _ = socket.set_keepalive(self.options.keep_alive);
        let _ = socket.set_tcp_nodelay(self.options.no_delay);
        let _ = socket.set_linger(self.options.linger);
    }

    fn taken_error(&mut self) -> Result<(), Errno> {
        self.error.take().map_or(Ok(()), Err)
    }

    /// Gives it an address here: the system's, whatever loopback address or none is asked for.
    pub(crate) fn bind(&mut self, wanted: SocketAddrV4, privileged: bool, net: &mut Net) -> Result<(), Errno> {
        let here = net.listening_address()?;
        if !matches!(self.host, Host::None) {
            return Err(Errno::Invalid);
        }
        if !wanted.ip().is_unspecified() && !wanted.ip().is_loopback() && *wanted.ip() != here {
            return Err(Errno::AddressNotAvailable);
        }
        if !privileged && (1..1024).contains(&wanted.port()) {
            return Err(Errno::Access);
        }
        let address = SocketAddr::V4(SocketAddrV4::new(here, wanted.port()));
        let port = match self.kind {
            Kind::Stream => {
                let plain = Plain::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
                plain.set_nonblocking(true)?;
                plain.set_reuse_address(self.options.reuse)?;
                plain.bind(&address.into())?;
                let port = plain.local_addr()?.as_socket().map_or(0, |address| address.port());
                self.host = Host::Bound(plain);
                port
            }
            Kind::Datagrams => {
                let mut socket = UdpSocket::bind(address)?;
                net.registry.register(&mut socket, self.token, Interest::READABLE | Interest::WRITABLE)?;
                let port = socket.local_addr()?.port();
                self.host = Host::Datagrams(socket);
                port
            }
        };
        self.counted = Some(port);
        net.count(self.kind, port);
        Ok(())
    }

    /// Waits for connections from now on.
    pub(crate) fn listen(&mut self, backlog: u32, net: &mut Net) -> Result<(), Errno> {
        if self.kind != Kind::Stream {
            return Err(Errno::NotSupported);
        }
        if matches!(self.host, Host::None) {
            self.bind(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0), false, net)?;
        }
        let plain = match std::mem::replace(&mut self.host, Host::None) {
            Host::Bound(plain) => plain,
            other => {
                self.host = other;
                return if matches!(self.host, Host::Listener(_)) { Ok(()) } else { Err(Errno::Invalid) };
            }
        };
        plain.listen(backlog.clamp(1, BACKLOG) as i32)?;
        let mut listener = TcpListener::from_std(plain.into());
        net.registry.register(&mut listener, self.token, Interest::READABLE)?;
        self.host = Host::Listener(listener);
        Ok(())
    }

    /// Begins to make a connection, or names the other end of datagrams. `None`: it is being made.
    pub(crate) fn connect(&mut self, wanted: SocketAddrV4, net: &mut Net) -> Result<Option<()>, Errno> {
        self.progress();
        self.taken_error()?;
        match &self.host {
            Host::Connecting(_) => return Err(Errno::Already),
            Host::Stream(_) => return Err(Errno::IsConnected),
            Host::Listener(_) => return Err(Errno::Invalid),
            Host::None | Host::Bound(_) | Host::Datagrams(_) => (),
        }
        let to = net.destination(wanted, self.kind)?;
        self.touched = Instant::now();
        if self.kind == Kind::Datagrams {
            self.open_datagrams(net)?;
            self.know(to);
            self.peer = Some(wanted);
            return Ok(Some(()));
        }
        let mut stream = match std::mem::replace(&mut self.host, Host::None) {
            // From an address of the loopback only the loopback is reached.
            Host::Bound(plain) if to.ip().is_loopback() => match plain.connect(&SocketAddr::V4(to).into()) {
                Err(error) if error.raw_os_error() != Some(rustix::io::Errno::INPROGRESS.raw_os_error()) => {
                    return Err(error.into());
                }
                _ => TcpStream::from_std(plain.into()),
            },
            _ => TcpStream::connect(to.into())?,
        };
        net.registry.register(&mut stream, self.token, Interest::READABLE | Interest::WRITABLE)?;
        (self.host, self.peer) = (Host::Connecting(stream), Some(wanted));
        Ok(None)
    }

    /// What has become of a connection that is being made.
    pub(crate) fn connected(&mut self) -> Result<Option<()>, Errno> {
        self.progress();
        self.taken_error()?;
        match &self.host {
            Host::Connecting(_) => Ok(None),
            Host::Stream(_) => Ok(Some(())),
            _ => Err(Errno::NotConnected),
        }
    }

    fn take(&mut self) -> Result<Option<(TcpStream, SocketAddrV4)>, Errno> {
        let Host::Listener(listener) = &self.host else { return Err(Errno::Invalid) };
        loop {
            match listener.accept() {
                Ok((stream, peer)) => {
                    if let Some(peer) = v4(peer) {
                        return Ok(Some((stream, peer)));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.readable = false;
                    return Ok(None);
                }
                // The caller has gone already.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => (),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Takes a connection: a new socket and the other end. `None`: there is none yet.
    pub(crate) fn accept(&mut self, token: Token, net: &Net) -> Result<Option<(Socket, SocketAddrV4)>, Errno> {
        let Some((stream, peer)) = self.waiting.take().map_or_else(|| self.take(), |found| Ok(Some(found)))? else {
            return Ok(None);
        };
        self.touched = Instant::now();
        Ok(Some((Socket::accepted(stream, peer, token, net)?, peer)))
    }

    /// A socket of datagrams has one of the host's from its first use on.
    fn open_datagrams(&mut self, net: &Net) -> Result<(), Errno> {
        if matches!(self.host, Host::None) {
            let mut socket = UdpSocket::bind(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0).into())?;
            net.registry.register(&mut socket, self.token, Interest::READABLE | Interest::WRITABLE)?;
            self.host = Host::Datagrams(socket);
        }
        Ok(())
    }

    fn know(&mut self, to: SocketAddrV4) {
        if self.counted.is_none() && !self.known.contains(&to) {
            if self.known.len() >= KNOWN {
                self.known.pop_front();
            }
            self.known.push_back(to);
        }
    }

    /// Whether a datagram from there is for the program: one that has an address of its own takes all.
    fn takes(&self, from: SocketAddr) -> Option<SocketAddrV4> {
        let from = v4(from)?;
        (self.counted.is_some() || self.known.contains(&from)).then_some(from)
    }

    /// Sends what it can: how many bytes. `None`: nothing, yet.
    pub(crate) fn send(&mut self, data: &[u8], to: Option<SocketAddrV4>, net: &Net) -> Result<Option<usize>, Errno> {
        self.taken_error()?;
        let target = match self.kind {
            Kind::Stream => None,
            Kind::Datagrams => {
                let target = net.destination(to.or(self.peer).ok_or(Errno::Destination)?, self.kind)?;
                self.open_datagrams(net)?;
                self.know(target);
                Some(target)
            }
        };
        if self.ended[WRITE] {
            return Err(Errno::Pipe);
        }
        let sent = match (&mut self.host, target) {
            (Host::Stream(stream), _) => stream.write(data),
            (Host::Datagrams(socket), Some(target)) => socket.send_to(data, target.into()),
            (Host::Connecting(_), _) if self.blocking => return Ok(None),
            _ => return Err(Errno::NotConnected),
        };
        match sent {
            Ok(count) => {
                self.sent += count as u64;
                self.touched = Instant::now();
                Ok(Some(count))
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.writable = false;
                Ok(None)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Receives what there is: how many bytes, 0 at the end of a stream, and from where. `None`: nothing, yet.
    pub(crate) fn receive(&mut self, space: &mut [u8], peek: bool) -> Result<Option<(usize, SocketAddrV4)>, Errno> {
        self.taken_error()?;
        let peer = self.peer.unwrap_or(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0));
        if self.ended[READ] {
            return Ok(Some((0, peer)));
        }
        loop {
            let got = match &mut self.host {
                Host::Stream(stream) if peek => stream.peek(space).map(|count| (count, None)),
                Host::Stream(stream) => stream.read(space).map(|count| (count, None)),
                Host::Datagrams(socket) if peek => socket.peek_from(space).map(|(count, from)| (count, Some(from))),
                Host::Datagrams(socket) => socket.recv_from(space).map(|(count, from)| (count, Some(from))),
                Host::Connecting(_) if self.blocking => return Ok(None),
                // Nothing can come to datagrams that have no address.
                Host::None if self.kind == Kind::Datagrams => return Ok(None),
                _ => return Err(Errno::NotConnected),
            };
            match got {
                Ok((count, from)) => {
                    let from = match from.map(|from| self.takes(from)) {
                        Some(None) => {
                            self.drop_datagram(peek);
                            continue;
                        }
                        Some(Some(from)) => from,
                        None => peer,
                    };
                    if !peek {
                        self.received += count as u64;
                        self.touched = Instant::now();
                    }
                    return Ok(Some((count, from)));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.readable = false;
                    return Ok(None);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// A datagram from where nothing was sent to: after a look at it, it is taken off the queue.
    fn drop_datagram(&mut self, peeked: bool) {
        if let Host::Datagrams(socket) = &self.host
            && peeked
        {
            let _ = socket.recv_from(&mut []);
        }
    }

    /// Whether a call for reading would not wait.
    pub(crate) fn can_read(&mut self) -> bool {
        if self.error.is_some() || self.ended[READ] {
            return true;
        }
        if let Host::Listener(_) = self.host {
            if self.waiting.is_none()
                && let Ok(found) = self.take()
            {
                self.waiting = found;
            }
            return self.waiting.is_some();
        }
        match self.host {
            Host::Stream(_) | Host::Datagrams(_) => !matches!(self.receive(&mut [0], true), Ok(None)),
            _ => false,
        }
    }

    /// Whether a call for writing would not wait.
    pub(crate) fn can_write(&mut self) -> bool {
        self.progress();
        match self.host {
            Host::Stream(_) => self.writable || self.ended[WRITE],
            Host::Datagrams(_) => true,
            Host::None => self.error.is_some() || self.kind == Kind::Datagrams,
            _ => false,
        }
    }

    /// Ends reading (0), writing (1) or both (2).
    pub(crate) fn shutdown(&mut self, how: u32) -> Result<(), Errno> {
        let Host::Stream(stream) = &self.host else { return Err(Errno::NotConnected) };
        let (which, ended) = match how {
            0 => (Shutdown::Read, [true, false]),
            1 => (Shutdown::Write, [false, true]),
            2 => (Shutdown::Both, [true, true]),
            _ => return Err(Errno::Invalid),
        };
        stream.shutdown(which)?;
        self.ended = [self.ended[READ] || ended[READ], self.ended[WRITE] || ended[WRITE]];
        Ok(())
    }

    /// The address of this end.
    pub(crate) fn local(&self) -> SocketAddrV4 {
        let address = match &self.host {
            Host::None => None,
            Host::Bound(plain) => plain.local_addr().ok().and_then(|address| address.as_socket()),
            Host::Connecting(stream) | Host::Stream(stream) => stream.local_addr().ok(),
            Host::Listener(listener) => listener.local_addr().ok(),
            Host::Datagrams(socket) => socket.local_addr().ok(),
        };
        address.and_then(v4).unwrap_or(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0))
    }

    /// The address of the other end.
    pub(crate) fn foreign(&self) -> Option<SocketAddrV4> {
        match self.host {
            Host::Stream(_) | Host::Connecting(_) | Host::Datagrams(_) => self.peer,
            _ => None,
        }
    }

    /// How many bytes could be received now.
    pub(crate) fn available(&self) -> u32 {
        let count = match &self.host {
            Host::Stream(stream) => rustix::io::ioctl_fionread(stream),
            Host::Datagrams(socket) => rustix::io::ioctl_fionread(socket),
            _ => Ok(0),
        };
        count.unwrap_or(0).min(u64::from(u32::MAX)) as u32
    }

    /// What NETSTAT shows: the state, bytes that came and went, seconds since the last.
    pub(crate) fn state(&self) -> (u8, u64, u64, i64) {
        let state = match &self.host {
            Host::None => state::CLOSED,
            Host::Bound(_) | Host::Datagrams(_) => state::BOUND,
            Host::Listener(_) => state::LISTENING,
            Host::Connecting(_) => state::CONNECTING,
            Host::Stream(_) if self.ended != [false; 2] => state::HALF_CLOSED,
            Host::Stream(_) => state::CONNECTED,
        };
        (state, self.received, self.sent, self.touched.elapsed().as_secs() as i64)
    }

    /// GETSOCKOPT and SETSOCKOPT.
    pub(crate) fn option(&mut self, level: u32, option: u32, set: Option<(u32, Option<u32>)>) -> Result<u32, Errno> {
        let on = set.map(|(value, _)| value != 0);
        let flag = |flag: &mut bool| {
            *flag = on.unwrap_or(*flag);
            u32::from(*flag)
        };
        let value = match (level, option) {
            (known::SOCKET, known::REUSEADDR) => flag(&mut self.options.reuse),
            (known::SOCKET, known::KEEPALIVE) => flag(&mut self.options.keep_alive),
            (known::TCP, known::NODELAY) => flag(&mut self.options.no_delay),
            (known::SOCKET, known::LINGER) => {
                if let Some((on, seconds)) = set {
                    let seconds = Duration::from_secs(seconds.ok_or(Errno::BadParameter)?.min(u16::MAX.into()).into());
                    self.options.linger = (on != 0).then_some(seconds);
                }
                u32::from(self.options.linger.is_some())
            }
            (known::SOCKET, known::ERROR) if set.is_none() => {
                self.progress();
                self.error.take().map_or(0, |errno| errno as u32)
            }
            (known::SOCKET, known::TYPE) if set.is_none() => {
                if self.kind == Kind::Stream {
                    1
                } else {
                    2
                }
            }
            _ => return Err(Errno::NoOption),
        };
        self.apply();
        Ok(value)
    }

    /// Its port is ours no more.
    pub(crate) fn leave(&self, net: &mut Net) {
        if let Some(port) = self.counted {
            net.uncount(self.kind, port);
        }
    }
}

/// Levels and options that are known.
mod known {
    pub(super) const SOCKET: u32 = 0xffff;
    pub(super) const TCP: u32 = 6;
    pub(super) const NODELAY: u32 = 1;
    pub(super) const REUSEADDR: u32 = 0x04;
    pub(super) const KEEPALIVE: u32 = 0x08;
    pub(super) const LINGER: u32 = 0x80;
    pub(super) const ERROR: u32 = 0x1007;
    pub(super) const TYPE: u32 = 0x1008;
}
