//! Frames to the outside as they are, without a gateway of ours: a [`Wire`] has a switch's port at one end and, at the
//! other, another program or an interface of the host ([`Target`]). One thread reads and writes.
//!
//! What is at the other end may go and come back: a program that listens is called again, `passt` is started again, a
//! TAP is opened again, after a second at first and every 30 seconds at last.

mod passt;
mod pipe;
mod tap;
mod worker;

pub use passt::Passt;
pub use pipe::Place;
pub use tap::NO_NAME;

use crate::{Bell, Inbox, Notices};
use base::Held;
use mio::{Poll, Registry, Token, Waker};
use pipe::{Frames, Listener};
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use worker::Worker;

/// The longest frame. A longer one, or one of no bytes, ends a stream: its framing is lost.
pub const LONGEST: usize = 65_550;
/// The most bytes that wait to be written: the other side is slow then. Below half of that there is room again.
const UNSENT: usize = 1 << 20;
const LISTENER: Token = Token(0);
const PEER: Token = Token(1);

/// What is at the other end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A program that comes: one at a time, and the next one when it has gone.
    Listen(Place),
    /// A program that is called.
    Call(Place),
    /// An interface of the host's, of type TAP, by its name.
    Tap(String),
    /// `passt`, which is started for this.
    Passt(Passt),
}

/// What is wrong with a word that shall name a target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongTarget {
    /// No kind that there is.
    #[error("\"{0}\" is none of tap:NAME, passt, listen:PLACE and call:PLACE")]
    Kind(String),
    /// A place that is none.
    #[error(transparent)]
    Place(#[from] pipe::WrongPlace),
    /// What no interface can be called.
    #[error("\"{0}\" is no name of an interface: {NO_NAME}")]
    Name(String),
}

impl FromStr for Target {
    type Err = WrongTarget;

    fn from_str(word: &str) -> Result<Target, WrongTarget> {
        match word.split_once(':').unwrap_or((word, "")) {
            ("tap", name) if tap::is_name(name) => Ok(Target::Tap(name.to_owned())),
            ("tap", name) => Err(WrongTarget::Name(name.to_owned())),
            ("listen", place) => Ok(Target::Listen(place.parse()?)),
            ("call", place) => Ok(Target::Call(place.parse()?)),
            ("passt", "") if word == "passt" => Ok(Target::Passt(Passt::default())),
            _ => Err(WrongTarget::Kind(word.to_owned())),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Listen(place) => write!(f, "listen:{place}"),
            Target::Call(place) => write!(f, "call:{place}"),
            Target::Tap(name) => write!(f, "tap:{name}"),
            Target::Passt(_) => write!(f, "passt"),
        }
    }
}

/// What is at the near end. All of it is called on the wire's thread.
pub trait Near: Send {
    /// A frame has come. False: there is no room for it now, and it is given again after [`Wire::room`].
    fn frame(&mut self, frame: &[u8]) -> bool;

    /// There is room again after [`Wire::frame`] has not taken one.
    fn room(&mut self);

    /// Something is at the other end now, or nothing any more.
    fn link(&mut self, up: bool);
}

/// What frames are exchanged with now.
trait Peer: Send {
    fn register(&mut self, registry: &Registry) -> io::Result<()>;

    /// Writes as much as can be of the frames that wait.
    fn write(&mut self, unsent: &mut Unsent) -> io::Result<()>;

    /// Reads what is there, up to a bound. False: there is no more now.
    fn read(&mut self, frames: &mut Frames, space: &mut [u8]) -> io::Result<bool>;

    /// Why it has gone, where that is more than `error` says.
    fn farewell(&mut self, error: &io::Error) -> String {
        error.to_string()
    }
}

/// Frames that wait to be written, each after its length.
#[derive(Debug, Default)]
struct Unsent {
    bytes: Vec<u8>,
    sent: usize,
}

impl Unsent {
    fn add(&mut self, frame: &[u8]) {
        self.bytes.extend(zerocopy::big_endian::U32::new(frame.len() as u32).to_bytes());
        self.bytes.extend_from_slice(frame);
    }

    fn rest(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    /// The first frame, which nothing has been written of.
    fn first(&self) -> Option<&[u8]> {
        let (header, rest) = self.rest().split_first_chunk()?;
        let length = zerocopy::big_endian::U32::from_bytes(*header).get();
        rest.get(..length as usize)
    }

    fn done(&mut self, bytes: usize) {
        self.sent += bytes;
    }

    /// Gives the space of what was written back.
    fn settle(&mut self) {
        self.bytes.drain(..self.sent);
        self.sent = 0;
    }
}

/// What makes peers.
enum Source {
    Listener(Listener),
    Call(Place),
    Tap(String),
    Passt(Passt),
}

impl Source {
    /// The next peer, if there is one now.
    fn next(&mut self) -> io::Result<Option<Box<dyn Peer>>> {
        Ok(match self {
            Source::Listener(listener) => listener.accept()?,
            Source::Call(place) => Some(place.call()?),
            Source::Tap(name) => Some(Box::new(tap::Tap::open(name)?)),
            Source::Passt(passt) => Some(Box::new(passt.start()?)),
        })
    }
}

/// What the thread and the handle have in common.
#[derive(Debug)]
struct Shared {
    inbox: Mutex<Inbox>,
    stop: AtomicBool,
    connected: AtomicBool,
    bell: Bell,
    lost: AtomicU64,
    /// Bytes that wait to be written.
    waiting: AtomicUsize,
    /// A frame was not taken: the caller wants to know when there is room.
    wanted: AtomicBool,
}

/// A wire. What is at its other end is let go when this is dropped.
#[derive(Debug)]
pub struct Wire {
    shared: Arc<Shared>,
    notices: Notices,
    thread: Option<JoinHandle<()>>,
    at: Option<SocketAddr>,
}

impl Wire {
    /// Opens one. What cannot be opened is an error now, and a notice later.
    pub fn open(target: Target, near: impl Near + 'static) -> io::Result<Wire> {
        let poll = Poll::new()?;
        let mut at = None;
        let mut source = match target {
            Target::Listen(place) => {
                let mut listener = Listener::bind(&place)?;
                at = listener.address();
                listener.register(poll.registry())?;
                Source::Listener(listener)
            }
            Target::Call(place) => Source::Call(place),
            Target::Tap(name) => Source::Tap(name),
            Target::Passt(passt) => Source::Passt(passt),
        };
        let mut peer = source.next()?;
        if let Some(peer) = &mut peer {
            peer.register(poll.registry())?;
        }
        let shared = Arc::new(Shared {
            inbox: Mutex::default(),
            stop: AtomicBool::new(false),
            connected: AtomicBool::new(peer.is_some()),
            bell: Bell::new(Waker::new(poll.registry(), crate::WAKE)?),
            lost: AtomicU64::new(0),
            waiting: AtomicUsize::new(0),
            wanted: AtomicBool::new(false),
        });
        let notices = Notices::default();
        let worker = Worker::new(poll, shared.clone(), notices.clone(), (source, peer), Box::new(near));
        let thread = std::thread::Builder::new().name("wire".to_owned()).spawn(move || worker.run())?;
        Ok(Wire { shared, notices, thread: Some(thread), at })
    }

    /// A frame for the other end. False: it was not taken, because nothing is there or too much waits.
    pub fn frame(&self, frame: &[u8]) -> bool {
        if !self.is_connected() || !(1..=LONGEST).contains(&frame.len()) {
            self.shared.lost.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        if self.is_full() {
            self.shared.wanted.store(true, Ordering::Release);
            // The thread may have written all before it could see that.
            if self.is_full() {
                return false;
            }
        }
        self.shared.waiting.fetch_add(frame.len(), Ordering::AcqRel);
        let (taken, tell) = {
            let mut inbox = self.shared.inbox.lock().held();
            (inbox.add(frame), inbox.wants_telling())
        };
        if tell {
            self.wake();
        }
        taken
    }

    fn is_full(&self) -> bool {
        self.shared.waiting.load(Ordering::Acquire) >= UNSENT
    }

    /// The near end has room again after it has not taken a frame.
    pub fn room(&self) {
        self.shared.bell.room();
    }

    fn wake(&self) {
        self.shared.bell.ring();
    }

    /// Whether something is at the other end.
    pub fn is_connected(&self) -> bool {
        self.shared.connected.load(Ordering::Acquire)
    }

    /// How many frames were lost: nothing was there to take them, they were too long, or the near end had no room.
    pub fn lost(&self) -> u64 {
        self.shared.lost.load(Ordering::Relaxed)
    }

    /// Where it is listened, if by TCP.
    pub fn address(&self) -> Option<SocketAddr> {
        self.at
    }

    /// What the user should know that was not told before.
    pub fn notices(&self) -> Vec<String> {
        self.notices.take()
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        self.wake();
        // The last to have it may be the thread itself, by what it calls at the near end.
        let own = |thread: &JoinHandle<()>| thread.thread().id() == std::thread::current().id();
        if let Some(thread) = self.thread.take().filter(|thread| !own(thread)) {
            // If it panicked, its message has been printed.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_and_written() {
        for word in ["tap:tap0", "passt", "listen:unix:/run/x", "listen:tcp:127.0.0.1:5", "call:tcp:[::1]:5"] {
            assert_eq!(word.parse::<Target>().map(|target| target.to_string()), Ok(word.to_owned()));
        }
        for (word, why) in [
            ("", "is none of tap:NAME, passt, listen:PLACE and call:PLACE"),
            ("bridge", "is none of"),
            ("passt:8", "is none of"),
            ("tap", "\"\" is no name of an interface"),
            ("tap:", "\"\" is no name of an interface"),
            ("tap:a/b", "is no name of an interface"),
            ("tap:sixteen-letters-", "is no name of an interface: 1 to 15 characters"),
            ("listen:/run/x", "\"/run/x\" is neither unix:PATH nor tcp:ADDRESS:PORT"),
            ("call:tcp:5", "is neither"),
        ] {
            let told = word.parse::<Target>().unwrap_err().to_string();
            assert!(told.contains(why), "{word}: {told}");
        }
    }
}
