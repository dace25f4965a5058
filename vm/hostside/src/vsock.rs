//! `--vsock`: the guest's sockets of the family AF_VSOCK as Unix sockets of the host.
//!
//! A program of the host connects to the socket and sends `CONNECT port` as a line; it gets `OK port` as a line if the
//! guest listens there, and then the connection is the guest's. A guest that connects to port N of its host gets the
//! Unix socket with `_N` after its name.

use mio::net::{UnixListener, UnixStream};
use mio::{Events, Interest, Poll, Token, Waker};
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use virtio::{Event, FIRST_GUEST, Hub, Ports};

const LISTENER: Token = Token(0);
const WAKER: Token = Token(1);
const FIRST: usize = 2;
/// The longest first line of a program of the host's.
const GREETING: usize = 32;
/// Connections from the host that have said nothing yet, and others, at most.
const PEERS: usize = 1024;

/// The guest's sockets, as long as it runs.
pub(crate) struct Vsock {
    hub: Arc<Hub>,
    path: PathBuf,
    waker: Arc<Waker>,
    ended: Arc<AtomicBool>,
}

impl Vsock {
    /// Listens at `path`.
    pub(crate) fn new(path: &Path) -> io::Result<Vsock> {
        let listener = listen_at(path)?;
        listener.set_nonblocking(true)?;
        let listener = UnixListener::from_std(listener);
        let poll = Poll::new()?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKER)?);
        let (hub, ended) = (Hub::new(FIRST_GUEST), Arc::new(AtomicBool::new(false)));
        let wake = waker.clone();
        // A wake-up that fails comes with the next event again.
        hub.on_events(move || _ = wake.wake());
        let mut server = Server {
            path: path.to_owned(),
            hub: hub.clone(),
            poll,
            listener,
            peers: BTreeMap::new(),
            tokens: BTreeMap::new(),
            next: FIRST,
        };
        let end = ended.clone();
        server.poll.registry().register(&mut server.listener, LISTENER, Interest::READABLE)?;
        thread::Builder::new().name("vsock".into()).spawn(move || server.run(&end))?;
        Ok(Vsock { hub, path: path.to_owned(), waker, ended })
    }

    /// What the device and the host's sockets share.
    pub(crate) fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }
}

impl Drop for Vsock {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Release);
        let _ = self.waker.wake();
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A listener at a name that is free, or that of a socket at which no process listens any more.
pub(crate) fn listen_at(path: &Path) -> io::Result<std::os::unix::net::UnixListener> {
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::net::{UnixListener, UnixStream};
    match UnixListener::bind(path) {
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            let socket = std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
            match UnixStream::connect(path) {
                Err(refused) if socket && refused.kind() == ErrorKind::ConnectionRefused => {
                    std::fs::remove_file(path)?;
                    UnixListener::bind(path)
                }
                _ => Err(error),
            }
        }
        result => result,
    }
}

enum State {
    /// It has sent so much of its first line.
    Greets(Vec<u8>),
    /// The guest was asked.
    Waits(Ports),
    Open(Ports),
}

/// A connection with a program of the host's.
struct Peer {
    stream: UnixStream,
    state: State,
    /// What is to be written to it; the first bytes of it are our own.
    out: VecDeque<u8>,
    own: usize,
    /// What was read from it and had no room.
    left: Vec<u8>,
    readable: bool,
    writable: bool,
    /// The guest has no room now.
    full: bool,
    /// The guest sends no more; that was passed on. The connection is gone.
    ended: bool,
    shut: bool,
    gone: bool,
}

impl Peer {
    fn new(stream: UnixStream, state: State) -> Peer {
        Peer {
            stream,
            state,
            out: VecDeque::new(),
            own: 0,
            left: Vec::new(),
            readable: true,
            writable: true,
            full: false,
            ended: false,
            shut: false,
            gone: false,
        }
    }

    fn ports(&self) -> Option<Ports> {
        match self.state {
            State::Greets(_) => None,
            State::Waits(ports) | State::Open(ports) => Some(ports),
        }
    }
}

struct Server {
    path: PathBuf,
    hub: Arc<Hub>,
    poll: Poll,
    listener: UnixListener,
    peers: BTreeMap<Token, Peer>,
    tokens: BTreeMap<Ports, Token>,
    next: usize,
}

impl Server {
    fn run(&mut self, end: &AtomicBool) {
        let mut events = Events::with_capacity(256);
        while !end.load(Ordering::Acquire) {
            match self.poll.poll(&mut events, None) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return complain!("endicott: --vsock: {error}: its connections end"),
                Ok(()) => {}
            }
            for event in &events {
                match event.token() {
                    LISTENER => self.accept(),
                    token => {
                        if let Some(peer) = self.peers.get_mut(&token) {
                            peer.readable |= event.is_readable() || event.is_read_closed();
                            peer.writable |= event.is_writable() || event.is_write_closed();
                        }
                    }
                }
            }
            // What one does may be news for another.
            while self.pump_all() | self.look() {}
        }
    }

    fn accept(&mut self) {
        // An error of one that has gone again concerns no other one.
        while let Ok((stream, _)) = self.listener.accept() {
            if self.peers.len() < PEERS {
                self.add(stream, State::Greets(Vec::new()));
            }
        }
    }

    fn add(&mut self, mut stream: UnixStream, state: State) -> bool {
        let token = Token(self.next);
        self.next += 1;
        let interest = Interest::READABLE | Interest::WRITABLE;
        if self.poll.registry().register(&mut stream, token, interest).is_err() {
            return false;
        }
        let peer = Peer::new(stream, state);
        if let Some(ports) = peer.ports() {
            self.tokens.insert(ports, token);
        }
        self.peers.insert(token, peer);
        true
    }

    /// Looks at what the guest has done; false if that was nothing.
    fn look(&mut self) -> bool {
        let events: Vec<Event> = self.hub.with(|sockets| std::iter::from_fn(|| sockets.event()).collect());
        let some = !events.is_empty();
        for event in events {
            match event {
                Event::Asked(ports) => self.asked(ports),
                Event::Taken(ports) => self.change(ports, |peer| {
                    let answer = format!("OK {}\n", ports.host);
                    peer.own = answer.len();
                    peer.out.extend(answer.bytes());
                    peer.state = State::Open(ports);
                }),
                Event::Data(ports, data) => self.change(ports, |peer| peer.out.extend(&data)),
                Event::Room(ports) => self.change(ports, |peer| peer.full = false),
                Event::Ended(ports) => self.change(ports, |peer| peer.ended = true),
                Event::Gone(ports) => {
                    self.change(ports, |peer| peer.gone = true);
                    self.tokens.remove(&ports);
                }
            }
        }
        some
    }

    fn change(&mut self, ports: Ports, change: impl FnOnce(&mut Peer)) {
        if let Some(peer) = self.tokens.get(&ports).and_then(|token| self.peers.get_mut(token)) {
            change(peer);
        }
    }

    /// The guest wants a connection with the host's port.
    fn asked(&mut self, ports: Ports) {
        let mut name = self.path.clone().into_os_string();
        name.push(format!("_{}", ports.host));
        let there = UnixStream::connect(Path::new(&name)).is_ok_and(|stream| self.add(stream, State::Open(ports)));
        self.hub.with(|sockets| if there { sockets.accept(ports) } else { sockets.reset(ports) });
    }

    /// Reads and writes what can be; true if the hub has something to say of it.
    fn pump_all(&mut self) -> bool {
        let mut over = Vec::new();
        for (token, peer) in &mut self.peers {
            if !(write(peer, &self.hub) && read(peer, &self.hub)) {
                over.push(*token);
            } else if let State::Waits(ports) = peer.state {
                self.tokens.insert(ports, *token);
            }
        }
        for token in over {
            let Some(mut peer) = self.peers.remove(&token) else { continue };
            let _ = self.poll.registry().deregister(&mut peer.stream);
            if let Some(ports) = peer.ports() {
                self.hub.with(|sockets| sockets.reset(ports));
            }
        }
        self.hub.with(|sockets| sockets.has_events())
    }
}

/// Writes what the guest has sent; false if the connection is over.
fn write(peer: &mut Peer, hub: &Hub) -> bool {
    while peer.writable && !peer.out.is_empty() {
        match peer.stream.write(peer.out.as_slices().0) {
            Ok(0) => return false,
            Ok(count) => {
                peer.out.drain(..count);
                let own = peer.own.min(count);
                peer.own -= own;
                if let Some(ports) = peer.ports().filter(|_| count > own) {
                    hub.with(|sockets| sockets.handed_on(ports, count - own));
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => peer.writable = false,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
    if peer.out.is_empty() && peer.gone {
        return false;
    }
    if peer.out.is_empty() && peer.ended && !std::mem::replace(&mut peer.shut, true) {
        // One that is closed already hears nothing more.
        let _ = peer.stream.shutdown(Shutdown::Write);
    }
    true
}

/// Reads what there is for the guest; false if the connection is over.
fn read(peer: &mut Peer, hub: &Hub) -> bool {
    let mut buffer = [0; 16 << 10];
    loop {
        if let State::Open(ports) = peer.state
            && !peer.left.is_empty()
        {
            if peer.full {
                return true;
            }
            let count = hub.with(|sockets| sockets.send(ports, &peer.left));
            peer.left.drain(..count);
            peer.full = !peer.left.is_empty();
            continue;
        }
        if !peer.readable || peer.gone || matches!(peer.state, State::Waits(_)) {
            return true;
        }
        match peer.stream.read(&mut buffer) {
            Ok(0) => {
                peer.readable = false;
                let State::Open(ports) = peer.state else { return false };
                hub.with(|sockets| sockets.end(ports));
            }
            Ok(count) => match &mut peer.state {
                State::Greets(line) => {
                    line.extend(&buffer[..count]);
                    match greeting(line) {
                        Greeting::More => {}
                        Greeting::Wrong => return false,
                        Greeting::Connect(port, length) => {
                            peer.left = line.split_off(length);
                            let Some(ports) = hub.with(|sockets| sockets.connect(port)) else { return false };
                            peer.state = State::Waits(ports);
                        }
                    }
                }
                _ => peer.left.extend(&buffer[..count]),
            },
            Err(error) if error.kind() == ErrorKind::WouldBlock => peer.readable = false,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
}

#[derive(PartialEq, Eq, Debug)]
enum Greeting {
    /// The line has not ended yet.
    More,
    Wrong,
    /// The guest's port, and the length of the line.
    Connect(u32, usize),
}

/// What a program of the host's begins with.
fn greeting(line: &[u8]) -> Greeting {
    let Some(end) = line.iter().position(|byte| *byte == b'\n') else {
        return if line.len() < GREETING { Greeting::More } else { Greeting::Wrong };
    };
    let words: Vec<&str> = std::str::from_utf8(&line[..end]).unwrap_or("").split_ascii_whitespace().collect();
    match words[..] {
        ["CONNECT", port] if end < GREETING => {
            port.parse().map_or(Greeting::Wrong, |port| Greeting::Connect(port, end + 1))
        }
        _ => Greeting::Wrong,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_the_host_names_a_port() {
        assert_eq!(greeting(b"CONNECT 22\nSSH"), Greeting::Connect(22, 11));
        assert_eq!(greeting(b"CONN"), Greeting::More);
        for wrong in ["\n", "CONNECT\n", "CONNECT x\n", "CONNECT 1 2\n", "CONNECT 4294967296\n", "GET / HTTP/1.1\r\n"] {
            assert_eq!(greeting(wrong.as_bytes()), Greeting::Wrong, "{wrong}");
        }
        assert_eq!(greeting(&[b'x'; 32]), Greeting::Wrong);
    }

    #[test]
    fn a_name_that_no_process_listens_at_is_taken_over() {
        let path = std::env::temp_dir().join(format!("endicott-vsock-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let first = listen_at(&path).unwrap();
        assert_eq!(listen_at(&path).unwrap_err().kind(), ErrorKind::AddrInUse);
        drop(first);
        drop(listen_at(&path).unwrap());
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, b"a file").unwrap();
        assert_eq!(listen_at(&path).unwrap_err().kind(), ErrorKind::AddrInUse);
        std::fs::remove_file(&path).unwrap();
    }
}
