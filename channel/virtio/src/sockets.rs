//! Sockets between the program and its host (specification, chapter 5.10): connections as a state machine.
//!
//! [`Sockets`] is what both sides know of the connections. The device hands it the program's packets and asks it for
//! packets to the program; what has the host's sockets asks for [`Event`]s, and says what these have to say.

use arch::virtio::{SocketHeader, socket_flag as flag, socket_operation as operation};
use std::collections::{BTreeMap, VecDeque};

/// The host's address.
pub const HOST: u64 = 2;
/// The lowest address that a program can have.
pub const FIRST_GUEST: u32 = 3;
/// A stream; there is nothing else here.
const STREAM: u16 = 1;
/// Bytes for which a connection has room, each way.
pub const ROOM: u32 = 64 << 10;
/// The most connections.
const CONNECTIONS: usize = 512;
/// The most packets about connections that there are not; further ones are not answered.
const STRAY: usize = 1024;
/// The most events that wait, about; then the program waits, too.
const EVENTS: usize = 4096;
/// The first port of the host's that connections from there have; lower ones are for servers.
const FIRST_PORT: u32 = 1 << 30;

/// A connection: the port of the host, and that of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ports {
    /// The host's.
    pub host: u32,
    /// The program's.
    pub guest: u32,
}

/// What the program has done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// It wants a connection: [`Sockets::accept`] or [`Sockets::reset`].
    Asked(Ports),
    /// It has taken the connection that the host wanted.
    Taken(Ports),
    /// Data: [`Sockets::handed_on`] tells when they have left.
    Data(Ports, Vec<u8>),
    /// There is room for data again.
    Room(Ports),
    /// It sends no more.
    Ended(Ports),
    /// The connection is gone.
    Gone(Ports),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// The host has asked, or the program.
    HostAsked,
    GuestAsked,
    Open,
}

#[derive(Debug)]
struct Connection {
    state: State,
    /// Bytes that came from the program, and those of them that have left for the host's socket.
    received: u32,
    handed_on: u32,
    /// What the program was last told of that.
    told: u32,
    /// Bytes that were sent to the program, those of them that it has taken, and its room.
    sent: u32,
    taken: u32,
    room: u32,
    /// Data for the program that no packet has yet.
    waiting: VecDeque<u8>,
    /// The host sends no more after that; the program was told.
    host_ends: bool,
    end_told: bool,
    /// What is to be said: the operation, apart from data.
    say: Option<u16>,
    /// The program waits to hear of room. Our side has had no room for the host.
    credit: bool,
    full: bool,
    /// The program sends no more, and takes no more.
    sends_no_more: bool,
    takes_no_more: bool,
}

impl Connection {
    fn new(state: State, say: Option<u16>) -> Connection {
        Connection {
            state,
            received: 0,
            handed_on: 0,
            told: 0,
            sent: 0,
            taken: 0,
            room: 0,
            waiting: VecDeque::new(),
            host_ends: false,
            end_told: false,
            say,
            credit: false,
            full: false,
            sends_no_more: false,
            takes_no_more: false,
        }
    }

    /// Bytes that the program has room for.
    fn credit(&self) -> u32 {
        self.room.saturating_sub(self.sent.wrapping_sub(self.taken))
    }
}

/// All connections of one device.
#[derive(Debug)]
pub struct Sockets {
    guest: u64,
    connections: BTreeMap<Ports, Connection>,
    /// Packets that say that there is no such connection.
    stray: VecDeque<Ports>,
    /// Connections that may have a packet for the program, in the order in which they are asked.
    ready: VecDeque<Ports>,
    events: VecDeque<Event>,
    next_port: u32,
}

impl Sockets {
    /// Those of the program with this address.
    pub fn new(guest: u32) -> Sockets {
        Sockets {
            guest: guest.into(),
            connections: BTreeMap::new(),
            stray: VecDeque::new(),
            ready: VecDeque::new(),
            events: VecDeque::new(),
            next_port: FIRST_PORT,
        }
    }

    /// How many connections there are.
    pub fn count(&self) -> usize {
        self.connections.len()
    }

    /// The device was reset: all connections are gone.
    pub fn clear(&mut self) {
        self.stray.clear();
        self.ready.clear();
        let gone = std::mem::take(&mut self.connections);
        self.events.extend(gone.into_keys().map(Event::Gone));
    }

    /// Whether the host is to look at events before the program sends more packets.
    pub fn is_busy(&self) -> bool {
        self.events.len() >= EVENTS
    }

    /// Whether there are events.
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    // The program's side.

    /// A packet of the program's.
    pub fn packet(&mut self, header: &SocketHeader, data: &[u8]) {
        let ports = Ports { host: header.to_port.get(), guest: header.from_port.get() };
        let what = header.operation.get();
        if header.to.get() != HOST || header.from.get() != self.guest || header.kind.get() != STREAM {
            return self.refuse(ports, what);
        }
        if what == operation::REQUEST {
            return self.asked(ports, header);
        }
        let Some(connection) = self.connections.get_mut(&ports) else { return self.refuse(ports, what) };
        (connection.room, connection.taken) = (header.room.get(), header.handed_on.get());
        match (what, connection.state) {
            (operation::RESPONSE, State::HostAsked) => {
                connection.state = State::Open;
                self.events.push_back(Event::Taken(ports));
            }
            (operation::DATA, State::Open) => self.data(ports, data),
            (operation::CREDIT, State::Open) => {}
            (operation::ASK_CREDIT, State::Open) => connection.credit = true,
            (operation::SHUTDOWN, State::Open) => self.shut_down(ports, header.flags.get()),
            (operation::RESET, _) => {
                self.connections.remove(&ports);
                self.events.push_back(Event::Gone(ports));
            }
            _ => self.reset(ports),
        }
        self.ready(ports);
    }

    fn asked(&mut self, ports: Ports, header: &SocketHeader) {
        if self.connections.len() >= CONNECTIONS || self.connections.contains_key(&ports) {
            return self.refuse(ports, operation::REQUEST);
        }
        let mut connection = Connection::new(State::GuestAsked, None);
        (connection.room, connection.taken) = (header.room.get(), header.handed_on.get());
        self.connections.insert(ports, connection);
        self.events.push_back(Event::Asked(ports));
    }

    fn data(&mut self, ports: Ports, data: &[u8]) {
        let Some(connection) = self.connections.get_mut(&ports) else { return };
        let length = data.len() as u32;
        let used = connection.received.wrapping_sub(connection.handed_on);
        // It was told how much room there is.
        if connection.sends_no_more || used.saturating_add(length) > ROOM {
            return self.reset(ports);
        }
        connection.received = connection.received.wrapping_add(length);
        if length > 0 {
            self.events.push_back(Event::Data(ports, data.to_vec()));
        }
    }

    fn shut_down(&mut self, ports: Ports, flags: u32) {
        let Some(connection) = self.connections.get_mut(&ports) else { return };
        connection.takes_no_more |= flags & flag::TAKES_NO_MORE != 0;
        if flags & flag::SENDS_NO_MORE != 0 && !std::mem::replace(&mut connection.sends_no_more, true) {
            self.events.push_back(Event::Ended(ports));
        }
        if connection.takes_no_more && connection.sends_no_more {
            // What is still on its way to the host goes on; the program hears that the connection is gone.
            self.connections.remove(&ports);
            self.events.push_back(Event::Gone(ports));
            self.stray(ports);
        }
    }

    fn refuse(&mut self, ports: Ports, what: u16) {
        // What is gone needs no answer, or the two sides would never stop.
        if what != operation::RESET {
            self.stray(ports);
        }
    }

    fn stray(&mut self, ports: Ports) {
        if self.stray.len() < STRAY {
            self.stray.push_back(ports);
        }
    }

    fn ready(&mut self, ports: Ports) {
        if self.connections.contains_key(&ports) && !self.ready.contains(&ports) {
            self.ready.push_back(ports);
        }
    }

    /// Whether there may be a packet for the program.
    pub fn has_packets(&self) -> bool {
        !self.stray.is_empty() || !self.ready.is_empty()
    }

    /// The next packet for the program, with at most so many bytes of data.
    pub fn next(&mut self, most: usize, data: &mut Vec<u8>) -> Option<SocketHeader> {
        data.clear();
        let header = |ports: Ports, what: u16| SocketHeader {
            from: HOST.into(),
            to: self.guest.into(),
            from_port: ports.host.into(),
            to_port: ports.guest.into(),
            kind: STREAM.into(),
            operation: what.into(),
            ..SocketHeader::default()
        };
        if let Some(ports) = self.stray.pop_front() {
            return Some(header(ports, operation::RESET));
        }
        while let Some(ports) = self.ready.pop_front() {
            let Some(connection) = self.connections.get_mut(&ports) else { continue };
            let mut answer = header(ports, operation::DATA);
            if let Some(what) = connection.say.take() {
                answer.operation = what.into();
            } else if connection.state == State::Open && connection.credit() > 0 && !connection.waiting.is_empty() {
                let count = (connection.credit() as usize).min(most).min(connection.waiting.len());
                data.extend(connection.waiting.drain(..count));
                connection.sent = connection.sent.wrapping_add(count as u32);
                answer.length = (count as u32).into();
                if connection.full && connection.waiting.len() <= ROOM as usize / 2 {
                    connection.full = false;
                    self.events.push_back(Event::Room(ports));
                }
            } else if connection.state == State::Open
                && connection.host_ends
                && !connection.end_told
                && connection.waiting.is_empty()
            {
                connection.end_told = true;
                answer.operation = operation::SHUTDOWN.into();
                answer.flags = flag::SENDS_NO_MORE.into();
            } else if std::mem::take(&mut connection.credit) {
                answer.operation = operation::CREDIT.into();
            } else {
                continue;
            }
            (answer.room, answer.handed_on) = (ROOM.into(), connection.handed_on.into());
            (connection.told, connection.credit) = (connection.handed_on, false);
            // The others come first.
            self.ready.push_back(ports);
            return Some(answer);
        }
        None
    }

    // The host's side.

    /// The next thing that the program has done.
    pub fn event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// The host wants a connection to a port of the program's. `None`: there are too many.
    pub fn connect(&mut self, guest: u32) -> Option<Ports> {
        if self.connections.len() >= CONNECTIONS {
            return None;
        }
        let ports = loop {
            let ports = Ports { host: self.next_port, guest };
            self.next_port = if self.next_port == u32::MAX - 1 { FIRST_PORT } else { self.next_port + 1 };
            if !self.connections.contains_key(&ports) {
                break ports;
            }
        };
        self.connections.insert(ports, Connection::new(State::HostAsked, Some(operation::REQUEST)));
        self.ready(ports);
        Some(ports)
    }

    /// The host takes the connection that the program wants.
    pub fn accept(&mut self, ports: Ports) {
        if let Some(connection) = self.connections.get_mut(&ports)
            && connection.state == State::GuestAsked
        {
            (connection.state, connection.say) = (State::Open, Some(operation::RESPONSE));
            self.ready(ports);
        }
    }

    /// The host refuses or drops a connection.
    pub fn reset(&mut self, ports: Ports) {
        if self.connections.remove(&ports).is_some() {
            self.events.push_back(Event::Gone(ports));
            self.stray(ports);
        }
    }

    /// Data for the program. Returns how many bytes there was room for; if not for all, [`Event::Room`] comes.
    pub fn send(&mut self, ports: Ports, data: &[u8]) -> usize {
        let Some(connection) = self.connections.get_mut(&ports) else { return data.len() };
        if connection.host_ends || connection.takes_no_more {
            return data.len();
        }
        let count = data.len().min(ROOM as usize - connection.waiting.len());
        connection.waiting.extend(&data[..count]);
        connection.full |= count < data.len();
        self.ready(ports);
        count
    }

    /// The host sends no more.
    pub fn end(&mut self, ports: Ports) {
        if let Some(connection) = self.connections.get_mut(&ports) {
            connection.host_ends = true;
            self.ready(ports);
        }
    }

    /// So many bytes have left for the host's socket.
    pub fn handed_on(&mut self, ports: Ports, count: usize) {
        if let Some(connection) = self.connections.get_mut(&ports) {
            connection.handed_on = connection.handed_on.wrapping_add(count as u32);
            // The program hears of it before it could have to wait.
            if connection.handed_on.wrapping_sub(connection.told) >= ROOM / 4 {
                connection.credit = true;
                self.ready(ports);
            }
        }
    }
}
