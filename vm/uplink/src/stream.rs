//! Frames over a stream to another program: each after its length, four bytes with the highest first. So writes QEMU
//! (`-netdev stream`, `-netdev socket`) and so does passt, and so a machine of another kind can join a guest's network.

use crate::{Inbox, WAKE};
use base::Held;
use mio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use mio::{Events, Interest, Poll, Registry, Token, Waker};
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use zerocopy::big_endian::U32;

/// The longest frame. A longer one, or one of no bytes, ends the stream: its framing is lost.
const LONGEST: usize = 65_550;
/// The length of a length.
const HEADER: usize = 4;
/// The most bytes that wait to be written: the other side is slow then. Below half of that there is room again.
const UNSENT: usize = 1 << 20;
/// How much is read at once.
const READ: usize = 256 << 10;
const LISTENER: Token = Token(0);
const PEER: Token = Token(1);

/// Where the other program is, or comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// `unix:PATH`
    Unix(PathBuf),
    /// `tcp:ADDRESS:PORT`
    Tcp(SocketAddr),
}

/// What is wrong with a word that shall name a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is neither unix:PATH nor tcp:ADDRESS:PORT")]
pub struct WrongPlace(String);

impl FromStr for Place {
    type Err = WrongPlace;

    fn from_str(word: &str) -> Result<Place, WrongPlace> {
        let wrong = || WrongPlace(word.to_owned());
        match word.split_once(':') {
            Some(("unix", path)) if !path.is_empty() => Ok(Place::Unix(PathBuf::from(path))),
            Some(("tcp", address)) => address.parse().map(Place::Tcp).map_err(|_| wrong()),
            _ => Err(wrong()),
        }
    }
}

/// Takes frames apart that come in pieces.
#[derive(Debug, Default)]
pub struct Frames {
    bytes: Vec<u8>,
    at: usize,
}

/// A length that no frame has: the stream is of no more use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a frame of {0} bytes")]
pub struct WrongLength(pub u32);

impl Frames {
    /// More of the stream.
    pub fn add(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.at);
        self.at = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next frame that is there as a whole.
    pub fn next_frame(&mut self) -> Result<Option<&[u8]>, WrongLength> {
        let rest = &self.bytes[self.at..];
        let Some((header, rest)) = rest.split_first_chunk::<HEADER>() else { return Ok(None) };
        let length = U32::from_bytes(*header).get();
        let Some(count) = usize::try_from(length).ok().filter(|count| (1..=LONGEST).contains(count)) else {
            return Err(WrongLength(length));
        };
        let Some(frame) = rest.get(..count) else { return Ok(None) };
        self.at += HEADER + count;
        Ok(Some(frame))
    }
}

#[derive(Debug)]
enum Listener {
    Unix(UnixListener, PathBuf),
    Tcp(TcpListener),
}

#[derive(Debug)]
enum Peer {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Peer {
    fn register(&mut self, registry: &Registry) -> io::Result<()> {
        let interest = Interest::READABLE | Interest::WRITABLE;
        match self {
            Peer::Unix(stream) => registry.register(stream, PEER, interest),
            Peer::Tcp(stream) => registry.register(stream, PEER, interest),
        }
    }

    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        match self {
            Peer::Unix(stream) => stream.read(space),
            Peer::Tcp(stream) => stream.read(space),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Peer::Unix(stream) => stream.write(bytes),
            Peer::Tcp(stream) => stream.write(bytes),
        }
    }
}

/// What the thread and the handle have in common.
#[derive(Debug)]
struct Shared {
    inbox: Mutex<Inbox>,
    stop: AtomicBool,
    connected: AtomicBool,
    lost: AtomicU64,
    /// Bytes that wait to be written.
    waiting: AtomicUsize,
    /// A frame was not taken: the caller wants to know when there is room.
    wanted: AtomicBool,
    waker: Waker,
}

/// A link to another program. It ends when this is dropped.
#[derive(Debug)]
pub struct Stream {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    at: Option<SocketAddr>,
}

/// Takes a frame of the other program.
type Deliver = Box<dyn FnMut(&[u8]) + Send>;
/// Is told that there is room again.
type Room = Box<dyn FnMut() + Send>;

/// What the thread works with.
struct Worker {
    poll: Poll,
    shared: Arc<Shared>,
    listener: Option<Listener>,
    peer: Option<Peer>,
    deliver: Deliver,
    room: Room,
    frames: Frames,
    unsent: Vec<u8>,
    sent: usize,
    readable: bool,
}

impl Stream {
    /// Waits for another program at `place`: one at a time, and the next one when it has gone. `deliver` is called on a
    /// thread with each frame that comes; `room` is called when there is room again after a frame was not taken.
    pub fn listen(
        place: &Place,
        deliver: impl FnMut(&[u8]) + Send + 'static,
        room: impl FnMut() + Send + 'static,
    ) -> io::Result<Stream> {
        let poll = Poll::new()?;
        let registry = poll.registry();
        let (listener, at) = match place {
            Place::Unix(path) => {
                remove_left_over(path)?;
                let mut listener = UnixListener::bind(path)?;
                registry.register(&mut listener, LISTENER, Interest::READABLE)?;
                (Listener::Unix(listener, path.clone()), None)
            }
            Place::Tcp(address) => {
                let mut listener = TcpListener::bind(*address)?;
                registry.register(&mut listener, LISTENER, Interest::READABLE)?;
                let at = listener.local_addr()?;
                (Listener::Tcp(listener), Some(at))
            }
        };
        Stream::start(poll, Some(listener), None, at, (Box::new(deliver), Box::new(room)))
    }

    /// Connects to another program at `place`. [`Stream::listen`] tells what is called.
    pub fn connect(
        place: &Place,
        deliver: impl FnMut(&[u8]) + Send + 'static,
        room: impl FnMut() + Send + 'static,
    ) -> io::Result<Stream> {
        // The first connection is waited for, so that an error is the caller's.
        let mut peer = match place {
            Place::Unix(path) => {
                let stream = std::os::unix::net::UnixStream::connect(path)?;
                stream.set_nonblocking(true)?;
                Peer::Unix(UnixStream::from_std(stream))
            }
            Place::Tcp(address) => {
                let stream = std::net::TcpStream::connect(address)?;
                stream.set_nonblocking(true)?;
                stream.set_nodelay(true)?;
                Peer::Tcp(TcpStream::from_std(stream))
            }
        };
        let poll = Poll::new()?;
        peer.register(poll.registry())?;
        Stream::start(poll, None, Some(peer), None, (Box::new(deliver), Box::new(room)))
    }

    fn start(
        poll: Poll,
        listener: Option<Listener>,
        peer: Option<Peer>,
        at: Option<SocketAddr>,
        (deliver, room): (Deliver, Room),
    ) -> io::Result<Stream> {
        let shared = Arc::new(Shared {
            inbox: Mutex::default(),
            stop: AtomicBool::new(false),
            connected: AtomicBool::new(peer.is_some()),
            lost: AtomicU64::new(0),
            waiting: AtomicUsize::new(0),
            wanted: AtomicBool::new(false),
            waker: Waker::new(poll.registry(), WAKE)?,
        });
        let worker = Worker {
            poll,
            shared: shared.clone(),
            listener,
            peer,
            deliver,
            room,
            frames: Frames::default(),
            unsent: Vec::new(),
            sent: 0,
            readable: true,
        };
        let thread = std::thread::Builder::new().name("stream".to_owned()).spawn(move || worker.run())?;
        Ok(Stream { shared, thread: Some(thread), at })
    }

    /// A frame for the other program. False: it was not taken, because no program is there or too much waits.
    pub fn frame(&self, frame: &[u8]) -> bool {
        if !self.is_connected() || !(1..=LONGEST).contains(&frame.len()) {
            self.shared.lost.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        if self.shared.waiting.load(Ordering::Acquire) >= UNSENT {
            self.shared.wanted.store(true, Ordering::Release);
            // The thread may have written all before it could see that.
            if self.shared.waiting.load(Ordering::Acquire) >= UNSENT {
                return false;
            }
        }
        self.shared.waiting.fetch_add(frame.len(), Ordering::AcqRel);
        let (taken, first) = self.shared.inbox.lock().held().add(frame);
        if first {
            // A thread that cannot be woken has ended.
            let _ = self.shared.waker.wake();
        }
        taken
    }

    /// Whether another program is there.
    pub fn is_connected(&self) -> bool {
        self.shared.connected.load(Ordering::Acquire)
    }

    /// How many frames were lost, because no program was there to take them or they were too long.
    pub fn lost(&self) -> u64 {
        self.shared.lost.load(Ordering::Relaxed)
    }

    /// Where it is listened, if by TCP.
    pub fn address(&self) -> Option<SocketAddr> {
        self.at
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        let _ = self.shared.waker.wake();
        if let Some(thread) = self.thread.take() {
            // If it panicked, its message has been printed.
            let _ = thread.join();
        }
    }
}

/// Removes the socket of a program that has ended. Any other file stays, and binding tells of it.
fn remove_left_over(path: &Path) -> io::Result<()> {
    let socket = fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    if socket && std::os::unix::net::UnixStream::connect(path).is_err() {
        fs::remove_file(path)?;
    }
    Ok(())
}

impl Worker {
    fn run(mut self) {
        let mut events = Events::with_capacity(16);
        let mut space = vec![0; READ];
        let mut frames = Inbox::default();
        while !self.shared.stop.load(Ordering::Acquire) {
            std::mem::swap(&mut *self.shared.inbox.lock().held(), &mut frames);
            self.pack(&frames);
            frames.clear();
            if self.exchange(&mut space).is_err() {
                self.leave();
            }
            let waiting = self.shared.waiting.load(Ordering::Acquire);
            if waiting < UNSENT / 2 && self.shared.wanted.swap(false, Ordering::AcqRel) {
                (self.room)();
            }
            let again = self.readable && self.peer.is_some();
            let wait = again.then_some(std::time::Duration::ZERO);
            match self.poll.poll(&mut events, wait) {
                Err(error) if error.kind() != ErrorKind::Interrupted => break,
                _ => {}
            }
            for event in &events {
                match event.token() {
                    LISTENER => self.accept(),
                    PEER => self.readable = true,
                    _ => {}
                }
            }
            if self.peer.is_none() {
                self.accept();
            }
        }
        if let Some(Listener::Unix(_, path)) = &self.listener {
            // It is of no use without the listener.
            let _ = fs::remove_file(path);
        }
    }

    /// Puts frames one after the other, with their lengths.
    fn pack(&mut self, frames: &Inbox) {
        for frame in frames.frames() {
            if self.peer.is_none() {
                self.shared.lost.fetch_add(1, Ordering::Relaxed);
                self.shared.waiting.fetch_sub(frame.len(), Ordering::AcqRel);
                continue;
            }
            // The lengths wait as well from here on.
            self.shared.waiting.fetch_add(HEADER, Ordering::AcqRel);
            self.unsent.extend(U32::new(frame.len() as u32).to_bytes());
            self.unsent.extend_from_slice(frame);
        }
    }

    /// Writes and reads what can be.
    fn exchange(&mut self, space: &mut [u8]) -> io::Result<()> {
        let Some(peer) = &mut self.peer else { return Ok(()) };
        while self.sent < self.unsent.len() {
            match peer.write(&self.unsent[self.sent..]) {
                Ok(count) => {
                    self.sent += count;
                    self.shared.waiting.fetch_sub(count, Ordering::AcqRel);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.unsent.drain(..self.sent);
        self.sent = 0;
        if !self.readable {
            return Ok(());
        }
        match peer.read(space) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                self.frames.add(&space[..count]);
                while let Some(frame) = self.frames.next_frame().map_err(io::Error::other)? {
                    (self.deliver)(frame);
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => self.readable = false,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// The other program has gone, or what it sends makes no sense.
    fn leave(&mut self) {
        self.peer = None;
        self.shared.connected.store(false, Ordering::Release);
        self.frames = Frames::default();
        self.shared.waiting.fetch_sub(self.unsent.len() - self.sent, Ordering::AcqRel);
        self.unsent.clear();
        self.sent = 0;
    }

    /// Another program has come, perhaps. A second one waits until the first has gone.
    fn accept(&mut self) {
        if self.peer.is_some() {
            return;
        }
        let peer = match &self.listener {
            Some(Listener::Unix(listener, _)) => listener.accept().map(|(stream, _)| Peer::Unix(stream)),
            Some(Listener::Tcp(listener)) => listener.accept().map(|(stream, _)| {
                let _ = stream.set_nodelay(true);
                Peer::Tcp(stream)
            }),
            None => return,
        };
        if let Ok(mut peer) = peer
            && peer.register(self.poll.registry()).is_ok()
        {
            self.peer = Some(peer);
            self.readable = true;
            self.shared.connected.store(true, Ordering::Release);
            (self.room)();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use support::Random;

    #[test]
    fn frames_that_come_in_pieces_are_whole() {
        let mut random = Random::seeded(3);
        let sent: Vec<Vec<u8>> = (0..500)
            .map(|_| {
                let most = if random.one_in(50) { LONGEST } else { 200 };
                let length = 1 + random.below(most);
                random.bytes(length)
            })
            .collect();
        let stream: Vec<u8> =
            sent.iter().flat_map(|frame| [&(frame.len() as u32).to_be_bytes()[..], frame].concat()).collect();
        let (mut frames, mut got, mut at) = (Frames::default(), Vec::new(), 0);
        while at < stream.len() {
            let end = (at + 1 + random.below(3_000usize)).min(stream.len());
            frames.add(&stream[at..end]);
            while let Some(frame) = frames.next_frame().unwrap() {
                got.push(frame.to_vec());
            }
            at = end;
        }
        assert_eq!(got, sent);
    }

    #[test]
    fn lengths_that_no_frame_has_end_the_stream() {
        for (length, wrong) in [(0, true), (65_550, false), (65_551, true), (u32::MAX, true)] {
            let mut frames = Frames::default();
            frames.add(&length.to_be_bytes());
            assert_eq!(frames.next_frame(), if wrong { Err(WrongLength(length)) } else { Ok(None) });
        }
    }

    #[test]
    fn places_are_read() {
        assert_eq!("unix:/run/x".parse(), Ok(Place::Unix("/run/x".into())));
        assert_eq!("tcp:127.0.0.1:5".parse(), Ok(Place::Tcp("127.0.0.1:5".parse().unwrap())));
        for word in ["", "unix:", "tcp:5", "tcp:localhost:5", "/run/x"] {
            let told = word.parse::<Place>().unwrap_err().to_string();
            assert_eq!(told, format!("\"{word}\" is neither unix:PATH nor tcp:ADDRESS:PORT"));
        }
    }
}
