//! Terminals that call a running system by TN3270: one thread, as many sockets as users.

use crate::drive::{Arrival, Died, Terminals};
use crate::host::{own, resident, times};
use crate::log::Used;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::{Duration, Instant};
use tn3270::{Caller, Client, FromHost, Protocol, Size};

/// The longest wait, so that a run that is told to end does.
const LOOK: Duration = Duration::from_millis(100);

/// A system that runs elsewhere.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where it is, as it was named.
    pub name: String,
    /// The same for sockets.
    pub address: SocketAddr,
    /// The process of this host that it is, if it is one.
    pub process: Option<u32>,
}

impl Place {
    /// The system at `host:port`, whose process on this host may be known.
    pub fn find(name: &str, process: Option<u32>) -> Result<Place, String> {
        let remedy = "say where the system's terminals are, as in 127.0.0.1:3270";
        let mut found = name.to_socket_addrs().map_err(|error| format!("{name}: {error}: {remedy}"))?;
        let address = found.next().ok_or_else(|| format!("{name} has no address: {remedy}"))?;
        if let Some(process) = process.filter(|process| times(*process).is_none()) {
            return Err(format!("there is no process {process}, or this host does not say what processes use"));
        }
        Ok(Place { name: name.to_owned(), address, process })
    }
}

struct Line {
    stream: TcpStream,
    client: Client,
    out: Vec<u8>,
    /// The connection has come about.
    open: bool,
}

/// The terminals.
pub struct Network {
    place: Place,
    caller: Caller,
    sizes: [Size; 2],
    poll: Poll,
    events: Events,
    lines: Vec<Option<Line>>,
    begun: Instant,
    /// Which protocol was agreed.
    protocol: Option<Protocol>,
}

impl Network {
    /// As many terminals as users, of this type; none is connected.
    pub fn new(place: Place, users: usize, caller: Caller) -> Result<Network, String> {
        let kind = &caller.terminal_type;
        let sizes = tn3270::sizes(kind)
            .ok_or_else(|| format!("{kind} is no 3270: IBM-3278-2 to IBM-3279-5 are, with -E or without"))?;
        let poll = Poll::new().map_err(|error| format!("the host gives no sockets: {error}"))?;
        let lines = (0..users).map(|_| None).collect();
        let events = Events::with_capacity(1024);
        Ok(Network { place, caller, sizes, poll, events, lines, begun: Instant::now(), protocol: None })
    }

    /// Reads what there is of a user's line, and sends what there is to send.
    fn serve(&mut self, user: usize, arrivals: &mut Vec<(usize, Arrival)>) -> Result<(), Died> {
        let Some(line) = &mut self.lines[user] else { return Ok(()) };
        match line.serve() {
            Ok(()) => {}
            Err(Ended::Refused(error)) => {
                return Err(Died(format!("nothing answers at {}: {error}", self.place.name)));
            }
            Err(Ended::Gone(why)) => {
                self.gone(user, why, arrivals);
                return Ok(());
            }
        }
        while let Some(line) = &mut self.lines[user] {
            match line.client.next_event() {
                Some(FromHost::Ready { protocol, .. }) => {
                    self.protocol = Some(protocol);
                    arrivals.push((user, Arrival::Connected(self.sizes)));
                }
                Some(FromHost::Record(record)) => arrivals.push((user, Arrival::Record(record))),
                Some(FromHost::Closed(why)) => self.gone(user, why, arrivals),
                None => break,
            }
        }
        Ok(())
    }

    fn gone(&mut self, user: usize, why: String, arrivals: &mut Vec<(usize, Arrival)>) {
        self.hang_up(user);
        arrivals.push((user, Arrival::Gone(why)));
    }
}

/// How a line ended.
enum Ended {
    /// Nothing listens there.
    Refused(io::Error),
    Gone(String),
}

impl Line {
    fn serve(&mut self) -> Result<(), Ended> {
        if !self.open {
            match self.stream.take_error() {
                Ok(Some(error)) | Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                    return Err(Ended::Refused(error));
                }
                Ok(Some(error)) | Err(error) => return Err(Ended::Gone(error.to_string())),
                Ok(None) => {}
            }
            match self.stream.peer_addr() {
                Ok(_) => self.open = true,
                Err(error) if error.kind() == ErrorKind::NotConnected => return Ok(()),
                Err(error) => return Err(Ended::Gone(error.to_string())),
            }
        }
        let mut buffer = [0; 16 << 10];
        let gone = |why: &dyn std::fmt::Display| Ended::Gone(why.to_string());
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err(Ended::Gone("the host has closed it".into())),
                Ok(count) => self.client.receive(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(gone(&error)),
            }
        }
        self.flush().map_err(|error| gone(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.extend(self.client.take_output());
        while self.open && !self.out.is_empty() {
            match self.stream.write(&self.out) {
                Ok(count) => drop(self.out.drain(..count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Terminals for Network {
    fn way(&self) -> String {
        format!("3270 terminals by TN3270 at {}", self.place.name)
    }

    fn now(&self) -> u64 {
        self.begun.elapsed().as_micros() as u64
    }

    fn connect(&mut self, user: usize) -> Result<(), Died> {
        let place = &self.place;
        let fail = |error: io::Error| Died(format!("{} cannot be called: {error}", place.name));
        let mut stream = TcpStream::connect(place.address).map_err(fail)?;
        let interest = Interest::READABLE | Interest::WRITABLE;
        self.poll.registry().register(&mut stream, Token(user), interest).map_err(fail)?;
        // What is typed goes out at once.
        let _ = stream.set_nodelay(true);
        self.lines[user] =
            Some(Line { stream, client: Client::new(self.caller.clone()), out: Vec::new(), open: false });
        Ok(())
    }

    fn send(&mut self, user: usize, record: &[u8]) {
        if let Some(line) = &mut self.lines[user] {
            line.client.send(record);
            // A line that is gone says so when it is read.
            let _ = line.flush();
        }
    }

    fn hang_up(&mut self, user: usize) {
        if let Some(mut line) = self.lines[user].take() {
            let _ = self.poll.registry().deregister(&mut line.stream);
        }
    }

    fn wait(&mut self, until: u64, arrivals: &mut Vec<(usize, Arrival)>) -> Result<(), Died> {
        let left = Duration::from_micros(until.saturating_sub(self.now()));
        if self.poll.poll(&mut self.events, Some(left.min(LOOK))).is_err() {
            // An interrupted wait is an ordinary one that found nothing.
            self.events.clear();
        }
        let ready: Vec<usize> = self.events.iter().map(|event| event.token().0).collect();
        ready.into_iter().try_for_each(|user| self.serve(user, arrivals))
    }

    fn used(&mut self) -> Used {
        let process = self.place.process;
        Used {
            processors: process.and_then(|_| std::thread::available_parallelism().ok()).map(usize::from),
            system: process.and_then(times),
            driver: own(),
            resident: process.and_then(resident),
        }
    }
}
