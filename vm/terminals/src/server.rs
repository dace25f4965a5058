//! The terminals' thread: TN3270 connections, the local terminal's output, and the passing of time for consoles.
//!
//! One thread waits for all sockets, for CP's notes that a terminal has something new to show ([`Notes`]), and for the
//! next moment at which CP has something to do. A connection is a [`tn3270::Session`], which knows the protocol and no
//! socket; a display has a [`Station`] between CP's screen and the data stream. What a client does not take is kept, up
//! to a limit.

use crate::station::Station;
use crate::tls::Wire;
use base::Held;
use consoles::display::{Key, Size};
use consoles::host::{Ending, Host};
use consoles::sessions::Sessions;
use consoles::terminal::{Kind, Terminal};
use mio::net::TcpListener;
use mio::{Events, Interest, Poll, Token, Waker};
use say::listening::Listening;
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tn3270::{Config, Session};

/// A client that lets this many bytes wait is given up.
const UNSENT: usize = 4 << 20;
/// How long a client may take to answer in negotiation.
const SILENCE: Duration = Duration::from_secs(3);
/// How long a client may take to agree on the keys of TLS, all in all.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How often a client that keeps sending is read before the others have their turn.
const TURN: u32 = 16;
/// The option with the address of the server.
const LISTENING: Listening =
    Listening { option: "--tn3270", what: "TN3270", here: "127.0.0.1:3270", all: "0.0.0.0:3270" };
/// The listener's token; connections have the numbers from 0.
const LISTENER: Token = Token(usize::MAX);
/// The token of a note.
const NOTE: Token = Token(usize::MAX - 1);

thread_local! {
    /// This thread runs a virtual machine.
    static RUNS: Cell<bool> = const { Cell::new(false) };
    /// The terminals' thread is to be woken when it has run.
    static OWES: Cell<bool> = const { Cell::new(false) };
}

/// A client that comes by another way than this server's address.
struct Visitor {
    stream: UnixStream,
    peer: SocketAddr,
    /// It is on this host.
    local: bool,
}

/// What CP wants of this thread, noted by any thread.
#[derive(Default)]
pub struct Notes {
    changed: Mutex<HashSet<u32>>,
    waker: Mutex<Option<Waker>>,
    ended: AtomicBool,
    /// The program ends when its guest does.
    with_guest: AtomicBool,
    /// Passwords that were changed: the file, and what it says, once it was asked.
    passwords: Mutex<Option<(std::path::PathBuf, Option<directory::Passwords>)>>,
    ending: Mutex<Option<Ending>>,
    visitors: Mutex<Vec<Visitor>>,
}

impl Notes {
    /// What is to be woken when something is to be looked at.
    pub fn wake_by(&self, waker: Waker) {
        *self.waker.lock().held() = Some(waker);
    }

    /// The terminals that have something new to show.
    pub fn take_changed(&self) -> HashSet<u32> {
        std::mem::take(&mut *self.changed.lock().held())
    }

    /// Whether the program is to end.
    pub fn ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// The first guest that ends ends the program.
    pub fn end_with_guest(&self) {
        self.with_guest.store(true, Ordering::Release);
    }

    /// The file that `endicott password` changes.
    pub fn keep_passwords(&self, file: std::path::PathBuf) {
        *self.passwords.lock().held() = Some((file, None));
    }

    /// A client at `peer` whose connection is `stream`: it does as one that has come to this server's address. `local`
    /// says that it is on this host, which the address of a proxy does not.
    pub fn seat(&self, stream: UnixStream, peer: SocketAddr, local: bool) -> io::Result<()> {
        stream.set_nonblocking(true)?;
        self.visitors.lock().held().push(Visitor { stream, peer, local });
        self.wake();
        Ok(())
    }

    /// How that guest ended, if one has.
    pub fn ending(&self) -> Option<Ending> {
        self.ending.lock().held().clone()
    }

    /// Wakes the terminals' thread: at once, or when this thread has run the virtual machine that it runs. A command of
    /// a guest that types twenty lines wakes it once, and they are one write to the socket.
    fn wake(&self) {
        if RUNS.get() {
            return OWES.set(true);
        }
        if let Some(waker) = &*self.waker.lock().held() {
            // A thread that cannot be woken wakes at its next time-out.
            let _ = waker.wake();
        }
    }
}

impl Host for Notes {
    fn changed(&self, terminal: u32) {
        let new = self.changed.lock().held().insert(terminal);
        if new {
            self.wake();
        }
    }

    fn work(&self) {
        self.wake();
    }

    fn runs(&self) {
        RUNS.set(true);
    }

    fn has_run(&self) {
        RUNS.set(false);
        if OWES.take() {
            self.wake();
        }
    }

    fn faults(&self) -> Option<(u64, u64)> {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
        // After the name, which may have blanks: the state and so on, minflt and majflt.
        let mut words = stat.rsplit(')').next()?.split_ascii_whitespace();
        let mapped = words.nth(7)?.parse().ok()?;
        Some((mapped, words.nth(1)?.parse().ok()?))
    }

    fn ended(&self, _userid: &str, how: &Ending) {
        if self.with_guest.load(Ordering::Acquire) {
            *self.ending.lock().held() = Some(how.clone());
            self.shut_down();
        }
    }

    fn password(&self, userid: &str) -> Option<directory::Password> {
        let mut kept = self.passwords.lock().held();
        let (file, passwords) = kept.as_mut()?;
        // A file that cannot be read now changes nothing: what was read at the start still holds.
        let passwords = match passwords {
            Some(passwords) => {
                passwords.refresh().ok()?;
                passwords
            }
            none => none.insert(directory::Passwords::open(file).ok()?),
        };
        passwords.get(userid).cloned()
    }

    fn shut_down(&self) {
        self.ended.store(true, Ordering::Release);
        self.wake();
    }
}

/// Prints a typewriter's output.
pub type Print = Box<dyn FnMut(&str)>;

struct Client {
    wire: Wire,
    session: Session,
    local: bool,
    origin: String,
    /// Since when it negotiates: from the beginning, over TLS from when the keys are agreed.
    since: Instant,
    /// TLS is still being agreed.
    handshaking: bool,
    terminal: Option<Arc<Terminal>>,
    /// What makes a display of the terminal.
    station: Option<Station>,
}

impl Client {
    /// Until when it may take with what it has to do before it is a terminal; one that is may be idle for ever.
    fn patience(&self) -> Option<Instant> {
        match () {
            () if self.handshaking => Some(self.since + HANDSHAKE),
            () if self.session.is_negotiating() => Some(self.since + SILENCE),
            () => None,
        }
    }
}

/// Serves terminals until the system is shut down.
pub struct Server {
    cp: Arc<dyn Sessions>,
    notes: Arc<Notes>,
    poll: Poll,
    listener: Option<TcpListener>,
    tls: Option<Arc<rustls::ServerConfig>>,
    clients: HashMap<usize, Client>,
    /// Those that may not be terminals yet, by the time that is over first: an entry that is not true any more is
    /// passed over.
    arrived: BTreeSet<(Instant, usize)>,
    /// The client that has each terminal.
    seats: HashMap<u32, usize>,
    next: usize,
    /// Clients that had sent more than was read in their turn.
    unread: Vec<usize>,
    /// The terminal that is this program's own standard output, and what prints there.
    local: Option<(Arc<Terminal>, Print)>,
}

impl Server {
    /// A server that listens nowhere yet.
    pub fn new(cp: Arc<dyn Sessions>, notes: Arc<Notes>) -> io::Result<Server> {
        let poll = Poll::new()?;
        let waker = Waker::new(poll.registry(), NOTE)?;
        notes.wake_by(waker);
        Ok(Server {
            cp,
            notes,
            poll,
            listener: None,
            tls: None,
            clients: HashMap::new(),
            arrived: BTreeSet::new(),
            seats: HashMap::new(),
            next: 0,
            unread: Vec::new(),
            local: None,
        })
    }

    /// Serves TN3270 clients at `address`; the address in use, should the port have been 0.
    pub fn listen(&mut self, address: &str, tls: Option<Arc<rustls::ServerConfig>>) -> Result<SocketAddr, String> {
        let explain = |error: io::Error| LISTENING.refused(address, &error);
        let mut listener = TcpListener::bind(LISTENING.address(address)?).map_err(explain)?;
        self.poll.registry().register(&mut listener, LISTENER, Interest::READABLE).map_err(explain)?;
        let bound = listener.local_addr().map_err(explain)?;
        (self.listener, self.tls) = (Some(listener), tls);
        Ok(bound)
    }

    /// The output of `terminal` goes to `print`.
    pub fn set_local(&mut self, terminal: Arc<Terminal>, print: Print) {
        self.local = Some((terminal, print));
    }

    /// Runs until SHUTDOWN, then until every client has been told.
    pub fn run(&mut self) {
        let mut events = Events::with_capacity(256);
        loop {
            self.show();
            if self.notes.ended() {
                return self.close_all();
            }
            let time_out = if self.unread.is_empty() { self.time_out() } else { Some(Duration::ZERO) };
            if self.poll.poll(&mut events, time_out).is_err() {
                // An interrupted wait is an ordinary one that found nothing.
                events.clear();
            }
            for event in &events {
                match event.token() {
                    LISTENER => self.accept(),
                    NOTE => self.take_visitors(),
                    Token(key) => self.serve(key),
                }
            }
            for key in std::mem::take(&mut self.unread) {
                self.serve(key);
            }
            self.pass_time();
        }
    }

    fn time_out(&mut self) -> Option<Duration> {
        let now = self.cp.now();
        let deadline = self.cp.deadline().map(|at| Duration::from_micros(at.micros_since(now) + 1));
        let waiting = self.waiting().map(|(at, _)| at.saturating_duration_since(Instant::now()));
        deadline.into_iter().chain(waiting).min()
    }

    /// The client whose time to become a terminal is over first, and when.
    fn waiting(&mut self) -> Option<(Instant, usize)> {
        while let Some(&(at, key)) = self.arrived.first() {
            if self.clients.get(&key).and_then(Client::patience) == Some(at) {
                return Some((at, key));
            }
            self.arrived.pop_first();
        }
        None
    }

    fn pass_time(&mut self) {
        if self.cp.deadline().is_some_and(|at| at <= self.cp.now()) {
            self.cp.tick();
        }
        while let Some((at, key)) = self.waiting().filter(|&(at, _)| at <= Instant::now()) {
            self.arrived.remove(&(at, key));
            if self.clients.get(&key).is_some_and(|client| client.handshaking) {
                self.hang_up(key);
                continue;
            }
            if let Some(client) = self.clients.get_mut(&key) {
                client.session.silence();
            }
            self.work_off(key);
        }
    }

    fn accept(&mut self) {
        loop {
            let Some(listener) = &self.listener else { return };
            match listener.accept() {
                Ok((stream, address)) => {
                    let wire = Wire::new(stream, self.tls.clone());
                    self.enter(wire, address, address.ip().to_canonical().is_loopback());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(_) => break,
            }
        }
    }

    /// Clients that have come by another way.
    fn take_visitors(&mut self) {
        let visitors = std::mem::take(&mut *self.notes.visitors.lock().held());
        for Visitor { stream, peer, local } in visitors {
            self.enter(Ok(Wire::inside(stream)), peer, local);
        }
    }

    /// A new client at `address`, on this host if it is `local`.
    fn enter(&mut self, wire: io::Result<Wire>, address: SocketAddr, local: bool) {
        let key = self.next;
        self.next += 1;
        let interest = Interest::READABLE | Interest::WRITABLE;
        let registry = self.poll.registry();
        let entered = wire.and_then(|mut wire| wire.register(registry, Token(key), interest).map(|()| wire));
        let wire = match entered {
            Ok(wire) => wire,
            Err(error) => return self.cp.notify_operator(&format!("TERMINAL {address} NOT CONNECTED: {error}")),
        };
        let config = Config { device_name: format!("L{key:04X}"), ..Config::default() };
        let client = Client {
            handshaking: wire.is_handshaking(),
            wire,
            session: Session::new(config),
            local,
            origin: address.ip().to_canonical().to_string(),
            since: Instant::now(),
            terminal: None,
            station: None,
        };
        self.arrived.extend(client.patience().map(|at| (at, key)));
        self.clients.insert(key, client);
        self.work_off(key);
    }

    /// A socket can be read or written.
    fn serve(&mut self, key: usize) {
        let Some(client) = self.clients.get_mut(&key) else { return };
        let mut buffer = [0; 16 << 10];
        for turn in 0.. {
            if turn == TURN {
                self.unread.push(key);
                break;
            }
            match client.wire.read(&mut buffer) {
                Ok(0) => return self.hang_up(key),
                Ok(count) => client.session.receive(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(_) => return self.hang_up(key),
            }
        }
        if client.handshaking && !client.wire.is_handshaking() {
            client.handshaking = false;
            client.since = Instant::now();
            self.arrived.extend(client.patience().map(|at| (at, key)));
        }
        self.work_off(key);
    }

    /// Performs what the session has found, and sends what there is to send.
    fn work_off(&mut self, key: usize) {
        while let Some(event) = self.clients.get_mut(&key).and_then(|client| client.session.next_event()) {
            self.event(key, event);
        }
        self.send(key);
    }

    fn event(&mut self, key: usize, event: tn3270::Event) {
        let Some(client) = self.clients.get_mut(&key) else { return };
        match event {
            tn3270::Event::Ready(found) => {
                let (kind, name) = match &found {
                    tn3270::Terminal::Screen(display) => {
                        let size = Size { rows: display.rows.into(), columns: display.cols.into() };
                        (Kind::Display(size), display.device_name.clone())
                    }
                    tn3270::Terminal::Line { .. } => (Kind::Typewriter, format!("L{key:04X}")),
                };
                let terminal = self.cp.connect(kind.clone(), Some(&name), &client.origin, client.local);
                self.seats.insert(terminal.id, key);
                client.terminal = Some(terminal.clone());
                if let tn3270::Terminal::Screen(display) = &found {
                    client.station = Some(Station::new(terminal.clone(), display.size(), display.code_page));
                }
                if kind == Kind::Typewriter {
                    self.cp.line(terminal.id, "");
                }
                self.refresh(key);
            }
            tn3270::Event::Inbound(record) => {
                if let Some(station) = &mut client.station {
                    station.inbound(&*self.cp, &record);
                    self.refresh(key);
                }
            }
            tn3270::Event::Line(line) => {
                if let Some(terminal) = client.terminal.clone() {
                    self.cp.line(terminal.id, &line);
                    self.refresh(key);
                }
            }
            tn3270::Event::SysReq if client.station.is_some() => {
                client.station.iter_mut().for_each(|station| station.system_request(&*self.cp));
                self.refresh(key);
            }
            tn3270::Event::Attention | tn3270::Event::SysReq => {
                if let Some(terminal) = client.terminal.clone() {
                    self.cp.key(terminal.id, Key::Pa1, &[]);
                    self.refresh(key);
                }
            }
            tn3270::Event::Response { .. } => (),
            tn3270::Event::Closed(_) => self.hang_up(key),
        }
    }

    fn show(&mut self) {
        for terminal in self.notes.take_changed() {
            if let Some(&key) = self.seats.get(&terminal) {
                self.refresh(key);
                self.send(key);
            } else if let Some((local, print)) = self.local.as_mut().filter(|(local, _)| local.id == terminal) {
                print(&local.take_output());
                say::errors(&local.take_messages());
                crate::local::echo(!local.hidden());
                self.cp.relieve(local);
            }
        }
    }

    /// Brings what a client sees up to date.
    fn refresh(&mut self, key: usize) {
        let Some(client) = self.clients.get_mut(&key) else { return };
        let Some(terminal) = &client.terminal else { return };
        match &mut client.station {
            Some(station) => station.records().iter().for_each(|record| client.session.send_3270(record)),
            None => {
                client.session.send_text(&terminal.take_output());
                self.cp.relieve(terminal);
                client.session.set_echo(!terminal.hidden());
            }
        }
    }

    fn send(&mut self, key: usize) {
        let Some(client) = self.clients.get_mut(&key) else { return };
        let output = client.session.take_output();
        let sent = client.wire.write(&output);
        if sent.is_err() || client.wire.unsent() > UNSENT || client.session.is_closed() {
            self.hang_up(key);
        }
    }

    fn hang_up(&mut self, key: usize) {
        let Some(mut client) = self.clients.remove(&key) else { return };
        let _ = client.wire.deregister(self.poll.registry());
        if let Some(terminal) = client.terminal {
            self.seats.remove(&terminal.id);
            self.cp.hang_up(terminal.id);
        }
    }

    fn close_all(&mut self) {
        let keys: Vec<usize> = self.clients.keys().copied().collect();
        for key in keys {
            self.refresh(key);
            if let Some(client) = self.clients.get_mut(&key) {
                client.session.close();
            }
            self.send(key);
        }
        if let Some((local, print)) = &mut self.local {
            print(&local.take_output());
            say::errors(&local.take_messages());
        }
    }
}
