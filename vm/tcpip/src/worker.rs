//! The thread: it waits for the host's sockets, for messages and for the time.

use crate::call::{self, Call, Kind, reply};
use crate::client::{Client, LEAST, MOST, Wait};
use crate::errno::Errno;
use crate::net::Net;
use crate::question::{self, Begun};
use crate::socket::Socket;
use crate::{Answer, Settings, Shared, Told, WAKE};
use arch::tcpip::{Initial, StatusEntry};
use base::Held;
use base::layout::{I32, I64, U16, U32, U64};
use iucv::server::{LONGEST, Request, ServerPath};
use mio::{Events, Poll, Token};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use zerocopy::{FromBytes as _, IntoBytes as _};

/// How many events are taken at once.
const EVENTS: usize = 256;
/// The most bytes that one call receives.
const MOST_BYTES: usize = 64 << 10;
/// What stands before the bytes of an answer to RECV.
const RECEIVED_HEAD: usize = 24;
/// The most questions of one virtual machine that are under way, and of all.
const QUESTIONS: (usize, usize) = (8, 256);
/// Commands of FCNTL and IOCTL, and their flags.
const F_GETFL: u32 = 3;
const F_SETFL: u32 = 4;
const FNDELAY: u32 = 4;
const FIONBIO: u32 = 0x8004_a77e;
const FIONREAD: u32 = 0x4004_a77f;
/// The flag of RECV that leaves the bytes there.
const MSG_PEEK: u32 = 2;

/// What a token belongs to.
#[derive(Clone, Copy)]
enum Owner {
    Socket(ServerPath, u16),
    Question(ServerPath),
}

pub(crate) struct Worker {
    poll: Poll,
    shared: Arc<Shared>,
    answer: Answer,
    settings: Settings,
    net: Net,
    clients: HashMap<ServerPath, Client>,
    owners: HashMap<Token, Owner>,
    /// What was told of each virtual machine. They take turns.
    queues: BTreeMap<u32, VecDeque<Told>>,
    due: BTreeSet<(Instant, ServerPath, u32)>,
    /// How many sockets and questions each virtual machine has.
    used: HashMap<u32, (usize, usize)>,
    all: (usize, usize),
    space: Vec<u8>,
}

impl Worker {
    pub(crate) fn new(poll: Poll, shared: Arc<Shared>, settings: Settings, net: Net, answer: Answer) -> Worker {
        Worker {
            poll,
            shared,
            answer,
            settings,
            net,
            clients: HashMap::new(),
            owners: HashMap::new(),
            queues: BTreeMap::new(),
            due: BTreeSet::new(),
            used: HashMap::new(),
            all: (0, 0),
            space: vec![0; MOST_BYTES],
        }
    }

    /// Works until it is stopped.
    pub(crate) fn run(mut self) {
        let mut events = Events::with_capacity(EVENTS);
        while !self.shared.stop.load(Ordering::Acquire) {
            self.take_told();
            self.take_turns();
            self.look_at_the_time();
            let until = self.due.first().map(|(due, ..)| due.saturating_duration_since(Instant::now()));
            let until = if self.queues.is_empty() { until } else { Some(Duration::ZERO) };
            match self.poll.poll(&mut events, until) {
                Ok(()) => (),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                // The host may have events again.
                Err(_) => std::thread::sleep(Duration::from_secs(1)),
            }
            for event in &events {
                if event.token() != WAKE {
                    let ended = event.is_error() || event.is_read_closed();
                    self.happened(event.token(), event.is_readable() || ended, event.is_writable() || event.is_error());
                }
            }
        }
    }

    fn take_told(&mut self) {
        let told = std::mem::take(&mut *self.shared.inbox.lock().held());
        for told in told {
            self.queues.entry(told.member()).or_default().push_back(told);
        }
    }

    /// One thing of each virtual machine, so that one that has much to say does not keep the others.
    fn take_turns(&mut self) {
        let members: Vec<u32> = self.queues.keys().copied().collect();
        for member in members {
            let Some(queue) = self.queues.get_mut(&member) else { continue };
            let told = queue.pop_front();
            if queue.is_empty() {
                self.queues.remove(&member);
            }
            match told {
                Some(Told::Connected(path, user)) => drop(self.clients.insert(path, Client::new(user))),
                Some(Told::Asked(request)) => self.asked(request),
                Some(Told::Purged(path, message)) => drop(self.take_wait(path, message)),
                Some(Told::Severed(path)) => self.severed(path),
                None => (),
            }
        }
    }

    fn look_at_the_time(&mut self) {
        let now = Instant::now();
        while let Some(&(due, path, message)) = self.due.first().filter(|(due, ..)| *due <= now) {
            self.due.remove(&(due, path, message));
            self.attempt(path, message);
        }
    }

    fn happened(&mut self, token: Token, readable: bool, writable: bool) {
        match self.owners.get(&token).copied() {
            Some(Owner::Socket(path, number)) => {
                let Some(client) = self.clients.get_mut(&path) else { return };
                let Some(socket) = client.sockets.get_mut(&number) else { return };
                socket.happened(readable, writable);
                for message in client.waiting_for(number) {
                    self.attempt(path, message);
                }
            }
            Some(Owner::Question(path)) => {
                if let Some(message) = self.clients.get(&path).and_then(|client| client.asking(token)) {
                    self.attempt(path, message);
                }
            }
            None => (),
        }
    }

    fn reply(&self, path: ServerPath, message: u32, bytes: &[u8]) {
        (self.answer)(path, message, bytes);
    }

    fn severed(&mut self, path: ServerPath) {
        let Some(client) = self.clients.get(&path) else { return };
        let waits: Vec<u32> = client.waits.keys().copied().collect();
        let sockets: Vec<u16> = client.sockets.keys().copied().collect();
        waits.into_iter().for_each(|message| drop(self.take_wait(path, message)));
        sockets.into_iter().for_each(|number| self.close(path, number));
        self.clients.remove(&path);
    }

    /// A socket ends, and with it the calls that wait for it.
    fn close(&mut self, path: ServerPath, number: u16) {
        let Some(client) = self.clients.get_mut(&path) else { return };
        let Some(socket) = client.sockets.remove(&number) else { return };
        let waits = client.waiting_for(number);
        socket.leave(&mut self.net);
        self.owners.remove(&socket.token);
        self.count(path.member, -1, 0);
        for message in waits {
            let client = self.clients.get(&path);
            let selects = client.and_then(|client| client.waits.get(&message)).is_some_and(Wait::selects);
            // A SELECT sees that the socket is none any more.
            if selects {
                self.attempt(path, message);
            } else if self.take_wait(path, message).is_some() {
                self.reply(path, message, &reply(Err(Errno::Aborted), &[]));
            }
        }
    }

    fn count(&mut self, member: u32, sockets: isize, questions: isize) {
        let used = self.used.entry(member).or_default();
        for (count, change) in
            [(&mut used.0, sockets), (&mut self.all.0, sockets), (&mut used.1, questions), (&mut self.all.1, questions)]
        {
            *count = count.checked_add_signed(change).expect("what goes was counted");
        }
        if *used == (0, 0) {
            self.used.remove(&member);
        }
    }

    /// A call that waits no more, with its question.
    fn take_wait(&mut self, path: ServerPath, message: u32) -> Option<Wait> {
        let mut wait = self.clients.get_mut(&path)?.waits.remove(&message)?;
        if let Some(due) = wait.due {
            self.due.remove(&(due, path, message));
        }
        if let Some(question) = wait.question.take() {
            self.owners.remove(&question.token);
            self.count(path.member, 0, -1);
        }
        Some(wait)
    }

    fn asked(&mut self, request: Request) {
        let Request { from, message, class, data, length, room, .. } = request;
        let (number, socket) = ((class >> 16) as u16, class as u16);
        let Some(client) = self.clients.get_mut(&from) else { return };
        let answer = match () {
            () if length > LONGEST => reply(Err(Errno::MessageSize), &[]),
            () if class == 0 => begin(client, &data),
            () if client.most == 0 => reply(Err(Errno::BadCall), &[]),
            () => match Call::parse(number, &data) {
                Ok(call) => {
                    client.waits.insert(message, Wait::new(call, socket, room));
                    return self.attempt(from, message);
                }
                Err(errno) => reply(Err(errno), &[]),
            },
        };
        self.reply(from, message, &answer);
    }

    /// Tries a call, which waits on if it must.
    fn attempt(&mut self, path: ServerPath, message: u32) {
        let Some(client) = self.clients.get_mut(&path) else { return };
        let Some(mut wait) = client.waits.remove(&message) else { return };
        if let Some(due) = wait.due.take() {
            self.due.remove(&(due, path, message));
        }
        let follows = self.clients[&path].follows(message, &wait);
        let outcome = match follows {
            true if self.blocks(path, wait.number) => Ok(None),
            true => Err(Errno::WouldBlock),
            false => self.perform(path, &mut wait),
        };
        if let Ok(None) = outcome {
            if let Some(due) = wait.due {
                self.due.insert((due, path, message));
            }
            if let Some(client) = self.clients.get_mut(&path) {
                client.waits.insert(message, wait);
            }
            return;
        }
        if wait.question.take().is_some_and(|question| self.owners.remove(&question.token).is_some()) {
            self.count(path.member, 0, -1);
        }
        let answer = outcome.map_or_else(|errno| reply(Err(errno), &[]), |answer| answer.unwrap_or_default());
        self.reply(path, message, &answer);
        // The next of the same kind may go on.
        let next = self.clients.get(&path).map(|client| client.waiting_for(wait.number)).unwrap_or_default();
        if let Some(&next) = next.iter().find(|&&next| next > message)
            && matches!(wait.call, Call::Send { .. } | Call::Receive { .. } | Call::Accept { .. })
        {
            self.attempt(path, next);
        }
    }

    fn blocks(&self, path: ServerPath, number: u16) -> bool {
        self.clients.get(&path).and_then(|client| client.sockets.get(&number)).is_none_or(|socket| socket.blocking)
    }

    /// The answer; `None`: it waits.
    fn perform(&mut self, path: ServerPath, wait: &mut Wait) -> Result<Option<Vec<u8>>, Errno> {
        match &wait.call {
            Call::Socket { kind, new } => {
                let number = self.room_for_socket(path, *new)?;
                let token = self.net.token();
                let socket = Socket::new(*kind, token);
                self.enter(path, number, socket);
                Ok(Some(reply(Ok(number.into()), &[])))
            }
            Call::Accept { new } => self.accept(path, wait.number, *new),
            Call::Resolve(_) | Call::Echo { .. } => self.ask(path, wait),
            Call::Select { .. } => self.select(path, wait),
            Call::Cancel(message) => {
                let message = *message;
                self.take_wait(path, message).ok_or(Errno::Invalid)?;
                self.reply(path, message, &reply(Err(Errno::Cancelled), &[]));
                Ok(Some(reply(Ok(0), &[])))
            }
            Call::Close => {
                self.socket(path, wait.number)?;
                self.close(path, wait.number);
                Ok(Some(reply(Ok(0), &[])))
            }
            Call::HostId => Ok(Some(reply(Ok(u32::from(own_address()) as i32), &[]))),
            Call::HostName => {
                let name = rustix::system::uname();
                let name = base::ebcdic::from_str(&name.nodename().to_string_lossy());
                let room = (wait.room as usize).saturating_sub(8);
                Ok(Some(reply(Ok(0), &name[..name.len().min(room)])))
            }
            Call::Status => Ok(Some(call::status(&self.status(), wait.room))),
            _ => self.perform_at_socket(path, wait),
        }
    }

    fn socket(&mut self, path: ServerPath, number: u16) -> Result<&mut Socket, Errno> {
        let client = self.clients.get_mut(&path).ok_or(Errno::BadCall)?;
        client.sockets.get_mut(&number).ok_or(Errno::BadSocket)
    }

    /// Calls that are about one socket.
    fn perform_at_socket(&mut self, path: ServerPath, wait: &mut Wait) -> Result<Option<Vec<u8>>, Errno> {
        let client = self.clients.get_mut(&path).ok_or(Errno::BadCall)?;
        let privileged = client.user.classes.has('A') || client.user.classes.has('B');
        let socket = client.sockets.get_mut(&wait.number).ok_or(Errno::BadSocket)?;
        let net = &mut self.net;
        let done = || Ok(Some(reply(Ok(0), &[])));
        match &wait.call {
            Call::Bind(address) => socket.bind(*address, privileged, net).map(|()| Some(reply(Ok(0), &[]))),
            Call::Listen { backlog } => socket.listen(*backlog, net).map(|()| Some(reply(Ok(0), &[]))),
            Call::Connect(to) => {
                let connected = match wait.done {
                    0 => socket.connect(*to, net)?,
                    _ => socket.connected()?,
                };
                wait.done = 1;
                match connected {
                    Some(()) => done(),
                    None if socket.blocking => Ok(None),
                    None => Err(Errno::InProgress),
                }
            }
            Call::Send { flags, to, data } => {
                if *flags != 0 {
                    return Err(Errno::NotSupported);
                }
                loop {
                    let sent = socket.send(&data[wait.done..], *to, net)?;
                    wait.done += sent.unwrap_or(0);
                    match sent {
                        Some(_) if wait.done >= data.len() => break,
                        Some(_) => (),
                        None if socket.blocking => return Ok(None),
                        None if wait.done > 0 => break,
                        None => return Err(Errno::WouldBlock),
                    }
                }
                Ok(Some(reply(Ok(wait.done as i32), &[])))
            }
            Call::Receive { flags } => {
                if flags & !MSG_PEEK != 0 {
                    return Err(Errno::NotSupported);
                }
                let room = (wait.room as usize).checked_sub(RECEIVED_HEAD).ok_or(Errno::BadParameter)?;
                let room = room.min(MOST_BYTES);
                match socket.receive(&mut self.space[..room], flags & MSG_PEEK != 0)? {
                    Some((count, from)) => {
                        let mut rest = call::layout(from).as_bytes().to_vec();
                        rest.extend_from_slice(&self.space[..count]);
                        Ok(Some(reply(Ok(count as i32), &rest)))
                    }
                    None if socket.blocking => Ok(None),
                    None => Err(Errno::WouldBlock),
                }
            }
            Call::Shutdown { how } => socket.shutdown(*how).map(|()| Some(reply(Ok(0), &[]))),
            Call::SocketName => Ok(Some(reply(Ok(0), call::layout(socket.local()).as_bytes()))),
            Call::PeerName => {
                let foreign = socket.foreign().ok_or(Errno::NotConnected)?;
                Ok(Some(reply(Ok(0), call::layout(foreign).as_bytes())))
            }
            Call::Fcntl { command: F_GETFL, .. } => {
                Ok(Some(reply(Ok(if socket.blocking { 0 } else { FNDELAY as i32 }), &[])))
            }
            Call::Fcntl { command: F_SETFL, argument } if argument & !FNDELAY == 0 => {
                socket.blocking = argument & FNDELAY == 0;
                done()
            }
            Call::Ioctl { command: FIONBIO, argument } => {
                socket.blocking = *argument == 0;
                done()
            }
            Call::Ioctl { command: FIONREAD, .. } => Ok(Some(reply(Ok(0), U32::new(socket.available()).as_bytes()))),
            Call::GetOption { level, option } => {
                let value = socket.option(*level, *option, None)?;
                Ok(Some(reply(Ok(0), U32::new(value).as_bytes())))
            }
            Call::SetOption { level, option, value, more } => {
                socket.option(*level, *option, Some((*value, *more)))?;
                done()
            }
            _ => Err(Errno::Invalid),
        }
    }

    /// The number of a new socket, if there may be one.
    fn room_for_socket(&mut self, path: ServerPath, new: i32) -> Result<u16, Errno> {
        let client = &self.clients[&path];
        let number = match u16::try_from(new) {
            _ if new == -1 => client.free_number().ok_or(Errno::UserSockets)?,
            Ok(number) if number < client.most => number,
            _ => return Err(Errno::OutOfRange),
        };
        if client.sockets.contains_key(&number) {
            return Err(Errno::InUse);
        }
        let own = self.used.get(&path.member).map_or(0, |used| used.0);
        match () {
            () if own >= self.settings.user_sockets => Err(Errno::UserSockets),
            () if self.all.0 >= self.settings.system_sockets => Err(Errno::SystemSockets),
            () => Ok(number),
        }
    }

    fn enter(&mut self, path: ServerPath, number: u16, socket: Socket) {
        self.owners.insert(socket.token, Owner::Socket(path, number));
        self.count(path.member, 1, 0);
        if let Some(client) = self.clients.get_mut(&path) {
            client.sockets.insert(number, socket);
        }
    }

    fn accept(&mut self, path: ServerPath, number: u16, new: i32) -> Result<Option<Vec<u8>>, Errno> {
        self.socket(path, number)?;
        let new = self.room_for_socket(path, new)?;
        let token = self.net.token();
        let client = self.clients.get_mut(&path).ok_or(Errno::BadCall)?;
        let listener = client.sockets.get_mut(&number).ok_or(Errno::BadSocket)?;
        let blocking = listener.blocking;
        match listener.accept(token, &self.net)? {
            Some((socket, peer)) => {
                self.enter(path, new, socket);
                Ok(Some(reply(Ok(new.into()), call::layout(peer).as_bytes())))
            }
            None if blocking => Ok(None),
            None => Err(Errno::WouldBlock),
        }
    }

    /// RESOLVE and ECHO.
    fn ask(&mut self, path: ServerPath, wait: &mut Wait) -> Result<Option<Vec<u8>>, Errno> {
        if let Some(question) = &mut wait.question {
            let before = question.token;
            let answer = question.go_on(&mut self.space, &mut self.net);
            if question.token != before {
                self.owners.remove(&before);
                self.owners.insert(question.token, Owner::Question(path));
            }
            wait.due = Some(question.due);
            return Ok(answer);
        }
        let own = self.used.get(&path.member).map_or(0, |used| used.1);
        if own >= QUESTIONS.0 || self.all.1 >= QUESTIONS.1 {
            return Err(Errno::NoBuffers);
        }
        let begun = match &wait.call {
            Call::Resolve(name) => question::resolve(name, &mut self.net)?,
            Call::Echo { to, length, patience } => question::echo(*to, *length, *patience, &mut self.net)?,
            _ => return Err(Errno::BadCall),
        };
        match begun {
            Begun::Answered(answer) => Ok(Some(answer)),
            Begun::Asked(question) => {
                self.owners.insert(question.token, Owner::Question(path));
                self.count(path.member, 0, 1);
                wait.due = Some(question.due);
                wait.question = Some(question);
                Ok(None)
            }
        }
    }

    fn select(&mut self, path: ServerPath, wait: &mut Wait) -> Result<Option<Vec<u8>>, Errno> {
        let Call::Select { masks, time } = &wait.call else { return Err(Errno::BadCall) };
        let client = self.clients.get_mut(&path).ok_or(Errno::BadCall)?;
        let mut ready: [Vec<u16>; 3] = Default::default();
        for (mask, ready) in ready.iter_mut().enumerate() {
            for number in masks.sockets(mask) {
                let socket = client.sockets.get_mut(&number).ok_or(Errno::BadSocket)?;
                let is_ready = match mask {
                    0 => socket.can_read(),
                    1 => socket.can_write(),
                    // There are no urgent data here.
                    _ => false,
                };
                if is_ready {
                    ready.push(number);
                }
            }
        }
        let now = Instant::now();
        let over = time.is_some_and(|time| time.is_zero()) || wait.end.is_some_and(|end| end <= now);
        if over || ready.iter().any(|sockets| !sockets.is_empty()) {
            return Ok(Some(call::selected(masks, &ready)));
        }
        if wait.done == 0 {
            wait.end = time.and_then(|time| now.checked_add(time));
            wait.done = 1;
        }
        wait.due = wait.end;
        Ok(None)
    }

    /// All sockets of all virtual machines.
    fn status(&self) -> Vec<StatusEntry> {
        let mut entries = Vec::new();
        for client in self.clients.values() {
            for (&number, socket) in &client.sockets {
                let (state, received, sent, idle) = socket.state();
                let local = socket.local();
                let foreign = socket.foreign();
                entries.push(StatusEntry {
                    user: base::ebcdic::padded::<8>(&client.user.userid),
                    name: client.name,
                    number: U16::new(number),
                    protocol: if socket.kind == Kind::Stream { 6 } else { 17 },
                    state,
                    local_port: U16::new(local.port()),
                    foreign_port: U16::new(foreign.map_or(0, |foreign| foreign.port())),
                    local: U32::new((*local.ip()).into()),
                    foreign: U32::new(foreign.map_or(0, |foreign| (*foreign.ip()).into())),
                    received: U64::new(received),
                    sent: U64::new(sent),
                    idle: I64::new(idle),
                });
            }
        }
        entries.sort_by_key(|entry| (entry.user, entry.name, entry.number.get()));
        entries
    }
}

/// The first message: a number of sockets and a name.
fn begin(client: &mut Client, data: &[u8]) -> Vec<u8> {
    let good = |initial: &Initial| {
        initial.constant[..] == base::ebcdic::from_str("IUCVAPI ")[..] && matches!(initial.kind.get(), 2 | 3)
    };
    match Initial::read_from_bytes(data).ok().filter(good) {
        Some(initial) if client.most == 0 => {
            client.most = initial.sockets.get().clamp(LEAST, MOST);
            client.name = initial.name;
            // The highest number that a socket may have.
            [I32::new(0), I32::new(i32::from(client.most) - 1)].as_bytes().to_vec()
        }
        Some(_) => reply(Err(Errno::BadCall), &[]),
        None => reply(Err(Errno::BadParameter), &[]),
    }
}

/// The address from which this host reaches others; that of its loopback, if it reaches none.
fn own_address() -> Ipv4Addr {
    // Nothing is sent: the host only says which way it would go. The address is one of documentation (RFC 5737).
    let there = (Ipv4Addr::new(192, 0, 2, 1), 9);
    let here = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect(there)?;
        socket.local_addr()
    });
    match here {
        Ok(SocketAddr::V4(address)) => *address.ip(),
        _ => Ipv4Addr::LOCALHOST,
    }
}
