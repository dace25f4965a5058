//! The host's sockets, each of which belongs to a flow of the gateway.

use crate::resolvers::Resolvers;
use crate::{Listener, Notices};
use mio::event::Event as Readiness;
use mio::net::{TcpStream, UdpSocket};
use mio::{Interest, Registry, Token};
use nat::{Close, Event, FlowId, Host, Kind, Received, Refusal};
use socket2::{Domain, Protocol, SockRef, Socket as Plain, Type};
use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr};
use std::time::Duration;

/// Hands a frame to the guest's queue, unless that is full.
pub(crate) type Deliver = Box<dyn FnMut(&[u8]) -> bool + Send>;

/// A connection of the host.
#[derive(Debug)]
struct Stream {
    stream: TcpStream,
    connecting: bool,
    /// The thread hears when more can be written.
    watched: bool,
    /// All that had come was read: there is nothing until the thread hears of more.
    read: bool,
    /// The other end sends no more, or has failed: of that nothing more is heard.
    ended: bool,
}

impl Stream {
    fn new(stream: TcpStream, connecting: bool) -> Stream {
        Stream { stream, connecting, watched: connecting, read: false, ended: false }
    }

    fn receive(&mut self, space: &mut [u8]) -> io::Result<usize> {
        if self.read && !self.ended {
            return Err(ErrorKind::WouldBlock.into());
        }
        let count = self.stream.read(space)?;
        // As epoll(7) has it: less than there was space for is all there is.
        self.read = count < space.len();
        Ok(count)
    }
}

/// A socket of a flow.
#[derive(Debug)]
enum Socket {
    Stream(Stream),
    Datagrams(UdpSocket),
}

/// What the gateway reaches the host through.
pub(crate) struct Sockets {
    pub(crate) deliver: Deliver,
    pub(crate) registry: Registry,
    pub(crate) listeners: Vec<Listener>,
    pub(crate) resolvers: Resolvers,
    pub(crate) notices: Notices,
    table: HashMap<u64, Socket>,
    /// Flows whose streams were connected when they were opened, and the gateway was not told yet.
    connected: Vec<FlowId>,
    /// The flow that has sent something last.
    pub(crate) sent: Option<FlowId>,
}

/// What an error of a socket is to the gateway.
pub(crate) fn refusal(error: &io::Error) -> Refusal {
    match error.kind() {
        ErrorKind::ConnectionRefused => Refusal::Refused,
        ErrorKind::HostUnreachable
        | ErrorKind::NetworkUnreachable
        | ErrorKind::NetworkDown
        | ErrorKind::AddrNotAvailable
        | ErrorKind::TimedOut
        | ErrorKind::Unsupported
        | ErrorKind::InvalidInput => Refusal::Unreachable,
        ErrorKind::PermissionDenied => Refusal::NotPermitted,
        _ if is_exhausted(error) => Refusal::Exhausted,
        _ => match rustix::io::Errno::from_io_error(error) {
            Some(rustix::io::Errno::AFNOSUPPORT | rustix::io::Errno::PROTONOSUPPORT) => Refusal::Unreachable,
            _ => Refusal::Broken,
        },
    }
}

/// Whether the process or the host has no descriptor left.
pub(crate) fn is_exhausted(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM))
}

/// Any address of the same kind as `to`.
fn any(to: SocketAddr) -> SocketAddr {
    let ip = match to.ip() {
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    };
    SocketAddr::new(ip, 0)
}

fn open_datagrams(to: SocketAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(any(to))?;
    socket.connect(to)?;
    Ok(socket)
}

/// A ping socket: the host lets those be opened whose group is in `net.ipv4.ping_group_range`.
fn open_echo(to: SocketAddr) -> io::Result<UdpSocket> {
    let (domain, protocol) = match to {
        SocketAddr::V4(_) => (Domain::IPV4, Protocol::ICMPV4),
        SocketAddr::V6(_) => (Domain::IPV6, Protocol::ICMPV6),
    };
    let socket = Plain::new(domain, Type::DGRAM, Some(protocol))?;
    socket.set_nonblocking(true)?;
    socket.connect(&to.into())?;
    // To the host, reading and writing it is that of any other socket of datagrams.
    Ok(UdpSocket::from_std(socket.into()))
}

impl Sockets {
    pub(crate) fn new(
        deliver: Deliver,
        registry: Registry,
        listeners: Vec<Listener>,
        resolvers: Resolvers,
        notices: Notices,
    ) -> Sockets {
        Sockets {
            deliver,
            registry,
            listeners,
            resolvers,
            notices,
            table: HashMap::new(),
            connected: Vec::new(),
            sent: None,
        }
    }

    /// How many sockets of flows there are.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// Keeps an accepted connection as that of `flow`.
    pub(crate) fn keep(&mut self, flow: FlowId, mut stream: TcpStream) -> io::Result<()> {
        let _ = stream.set_nodelay(true);
        let token = Token(flow.number() as usize);
        self.registry.register(&mut stream, token, Interest::READABLE)?;
        self.table.insert(flow.number(), Socket::Stream(Stream::new(stream, false)));
        Ok(())
    }

    /// What has happened to a socket, as the gateway says it.
    pub(crate) fn happened(&mut self, readiness: &Readiness) -> (FlowId, [Option<Event>; 3]) {
        let number = readiness.token().0 as u64;
        let flow = FlowId::from_number(number);
        let mut events = [None; 3];
        let Some(socket) = self.table.get_mut(&number) else { return (flow, events) };
        let failed = readiness.is_error() || readiness.is_read_closed();
        if let Socket::Stream(stream) = socket {
            stream.read = false;
            stream.ended |= failed;
            if stream.connecting {
                let outcome = match stream.stream.take_error() {
                    Ok(Some(error)) | Err(error) => Err(refusal(&error)),
                    Ok(None) if stream.stream.peer_addr().is_ok() => Ok(()),
                    // Not yet.
                    Ok(None) => return (flow, events),
                };
                stream.connecting = false;
                events[0] = Some(Event::Connected(outcome));
            }
        }
        if readiness.is_readable() || failed {
            events[1] = Some(Event::Readable);
        }
        if readiness.is_writable() || readiness.is_error() {
            events[2] = Some(Event::Writable);
        }
        (flow, events)
    }

    fn try_open(&mut self, flow: FlowId, kind: Kind, to: SocketAddr) -> io::Result<()> {
        let token = Token(flow.number() as usize);
        let socket = match kind {
            Kind::Stream => {
                let mut stream = TcpStream::connect(to)?;
                let _ = stream.set_nodelay(true);
                // The host itself has answered already.
                let connected = stream.peer_addr().is_ok();
                let interest = if connected { Interest::READABLE } else { Interest::READABLE | Interest::WRITABLE };
                self.registry.register(&mut stream, token, interest)?;
                if connected {
                    self.connected.push(flow);
                }
                Socket::Stream(Stream::new(stream, !connected))
            }
            Kind::Datagram | Kind::Echo => {
                let mut socket = if kind == Kind::Echo { open_echo(to)? } else { open_datagrams(to)? };
                self.registry.register(&mut socket, token, Interest::READABLE)?;
                Socket::Datagrams(socket)
            }
        };
        self.table.insert(flow.number(), socket);
        Ok(())
    }

    /// A flow that was connected when it was opened, of which the gateway is to be told.
    pub(crate) fn take_connected(&mut self) -> Option<FlowId> {
        self.connected.pop()
    }

    /// Tells once that there are no descriptors left.
    pub(crate) fn tell_exhausted(&mut self) {
        self.notices.once("no descriptors are left for the guest's connections: new ones are refused");
    }
}

impl Host for Sockets {
    fn deliver(&mut self, frame: &[u8]) -> bool {
        (self.deliver)(frame)
    }

    fn open(&mut self, flow: FlowId, kind: Kind, to: SocketAddr) -> Result<(), Refusal> {
        self.try_open(flow, kind, to).map_err(|error| {
            let refusal = refusal(&error);
            if refusal == Refusal::Exhausted {
                self.tell_exhausted();
            }
            refusal
        })
    }

    fn send(&mut self, flow: FlowId, data: &[u8]) -> Result<usize, Refusal> {
        let Some(socket) = self.table.get_mut(&flow.number()) else { return Err(Refusal::Broken) };
        let sent = loop {
            let sent = match socket {
                Socket::Stream(stream) => stream.stream.write(data),
                Socket::Datagrams(socket) => socket.send(data),
            };
            match sent {
                Ok(count) => break count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break 0,
                Err(error) => return Err(refusal(&error)),
            }
        };
        self.sent = Some(flow);
        if let Socket::Stream(Stream { stream, watched, .. }) = socket
            && sent < data.len()
            && !*watched
        {
            // Most streams take all there is: the thread is not told of those.
            let (token, interest) = (Token(flow.number() as usize), Interest::READABLE | Interest::WRITABLE);
            self.registry.reregister(stream, token, interest).map_err(|error| refusal(&error))?;
            *watched = true;
        }
        Ok(sent)
    }

    fn receive(&mut self, flow: FlowId, space: &mut [u8]) -> Result<Received, Refusal> {
        let Some(socket) = self.table.get_mut(&flow.number()) else { return Err(Refusal::Broken) };
        loop {
            let (got, stream) = match socket {
                Socket::Stream(stream) => (stream.receive(space), true),
                Socket::Datagrams(socket) => (socket.recv(space), false),
            };
            return match got {
                Ok(0) if stream => Ok(Received::End),
                Ok(count) => Ok(Received::Bytes(count)),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(Received::Nothing),
                Err(error) => Err(refusal(&error)),
            };
        }
    }

    fn finish(&mut self, flow: FlowId) {
        if let Some(Socket::Stream(Stream { stream, .. })) = self.table.get(&flow.number()) {
            // What has gone meanwhile needs no end.
            let _ = stream.shutdown(Shutdown::Write);
        }
    }

    fn keep_alive(&mut self, flow: FlowId) {
        if let Some(Socket::Stream(Stream { stream, .. })) = self.table.get(&flow.number()) {
            let _ = SockRef::from(stream).set_keepalive(true);
        }
    }

    fn close(&mut self, flow: FlowId, how: Close) {
        if let Some(Socket::Stream(Stream { stream, .. })) = self.table.remove(&flow.number())
            && how == Close::Reset
        {
            // Closing a socket that does not linger at all is a reset.
            let _ = SockRef::from(&stream).set_linger(Some(Duration::ZERO));
        }
    }

    fn reply(&mut self, listener: usize, to: SocketAddr, data: &[u8]) {
        if let Some(Listener::Udp { socket, .. }) = self.listeners.get(listener) {
            // Datagrams may be lost.
            let _ = socket.send_to(data, to);
        }
    }

    fn resolver(&mut self, attempt: usize) -> Option<SocketAddr> {
        self.resolvers.get(attempt)
    }
}
