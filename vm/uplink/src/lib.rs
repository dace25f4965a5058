//! The host's side of guests' networks. A thread gives the gateway, which is [`nat`], the host's sockets and the time.
//!
//! [`Uplink`] is what a switch or a device has of it: frames of the guest go in by [`Uplink::frame`], frames for the
//! guest come by a function that is called on the thread. The sockets are the host's ordinary ones, so no privilege is
//! needed. [`wire`] carries frames as they are instead: to an interface of the host, to `passt`, to another host or
//! QEMU.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod publish;
mod resolvers;
mod sockets;
mod thread;
pub mod wire;

pub use nat::{Counters, settings};
pub use publish::{Publish, Transport, Wrong};
pub use resolvers::Resolvers;

use base::Held;
use mio::net::{TcpListener, UdpSocket};
use mio::{Interest, Poll, Token, Waker};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sockets::Sockets;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// The token by which the thread is woken.
const WAKE: Token = Token(usize::MAX);
/// The most bytes of the guest's frames that wait for the thread.
const INBOX: usize = 8 << 20;

/// What can be set.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The gateway's own.
    pub nat: nat::Settings,
    /// Ports of the host that lead to the guest.
    pub publish: Vec<Publish>,
    /// The file that names the host's resolvers.
    pub resolvers: PathBuf,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { nat: nat::Settings::default(), publish: Vec::new(), resolvers: PathBuf::from("/etc/resolv.conf") }
    }
}

/// A port that could not be published.
#[derive(Debug, thiserror::Error)]
#[error("port {} of {} cannot be published: {reason}", publish.host.port(), publish.host.ip())]
pub struct Problem {
    /// What was wanted.
    pub publish: Publish,
    /// What the host says.
    pub reason: io::Error,
}

/// A published port.
pub(crate) enum Listener {
    Tcp { listener: TcpListener, guest: u16 },
    Udp { socket: UdpSocket, guest: u16 },
}

/// The most notices that wait to be told.
const UNTOLD: usize = 64;

/// Things that the user should know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notices(Arc<Mutex<(Vec<&'static str>, Vec<String>)>>);

impl Notices {
    pub(crate) fn once(&self, text: &'static str) {
        let mut notices = self.0.lock().held();
        if !notices.0.contains(&text) {
            notices.0.push(text);
            notices.1.push(text.to_owned());
        }
    }

    /// One that is told each time, as long as few wait.
    pub(crate) fn tell(&self, text: String) {
        let mut notices = self.0.lock().held();
        if notices.1.len() < UNTOLD {
            notices.1.push(text);
        }
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().held().1)
    }
}

/// Frames of the guest, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    bytes: Vec<u8>,
    lengths: Vec<usize>,
    /// The thread has been told.
    told: bool,
}

impl Inbox {
    /// Adds a frame, unless there are too many bytes.
    fn add(&mut self, frame: &[u8]) -> bool {
        let taken = self.bytes.len() + frame.len() <= INBOX;
        if taken {
            self.bytes.extend_from_slice(frame);
            self.lengths.push(frame.len());
        }
        taken
    }

    /// Whether the thread is to be told of frames, which it has not been: it counts as told then.
    pub(crate) fn wants_telling(&mut self) -> bool {
        !self.is_empty() && !std::mem::replace(&mut self.told, true)
    }

    /// The bytes of all frames.
    pub(crate) fn length(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.lengths.clear();
        self.told = false;
    }

    /// The frames.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &[u8]> {
        let mut at = 0;
        self.lengths.iter().map(move |length| {
            at += length;
            &self.bytes[at - length..at]
        })
    }
}

/// Wakes the thread.
#[derive(Debug)]
pub(crate) struct Bell {
    waker: Waker,
    /// What takes frames at the near end has room again.
    room: AtomicBool,
}

impl Bell {
    pub(crate) fn new(waker: Waker) -> Bell {
        Bell { waker, room: AtomicBool::new(false) }
    }

    pub(crate) fn ring(&self) {
        // A thread that cannot be woken has ended.
        let _ = self.waker.wake();
    }

    /// There is room again.
    pub(crate) fn room(&self) {
        if !self.room.swap(true, Ordering::AcqRel) {
            self.ring();
        }
    }

    /// Whether there has been room again since this was asked last.
    pub(crate) fn take_room(&self) -> bool {
        self.room.swap(false, Ordering::AcqRel)
    }
}

/// What the thread and the handle have in common.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) inbox: Mutex<Inbox>,
    pub(crate) bell: Bell,
    pub(crate) stop: AtomicBool,
    pub(crate) counters: Mutex<Counters>,
    pub(crate) names: Mutex<Vec<(String, std::net::Ipv4Addr)>>,
    pub(crate) flows: AtomicUsize,
    pub(crate) sockets: AtomicUsize,
}

/// A running gateway with the host's sockets. It stops when this is dropped.
#[derive(Debug)]
pub struct Uplink {
    shared: Arc<Shared>,
    core: Arc<Mutex<thread::Core>>,
    notices: Notices,
    problems: Vec<Problem>,
    published: Vec<(Publish, SocketAddr)>,
    thread: Option<JoinHandle<()>>,
}

/// As many descriptors as the process may have, rather than as many as it has been given.
pub fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    // Where that is not allowed, what there is must do.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// Listens for `publish`, and tells where.
fn listen(publish: &Publish, poll: &Poll, token: Token) -> io::Result<(Listener, SocketAddr)> {
    let guest = publish.guest;
    Ok(match publish.transport {
        Transport::Tcp => {
            let mut listener = TcpListener::bind(publish.host)?;
            poll.registry().register(&mut listener, token, Interest::READABLE)?;
            let at = listener.local_addr()?;
            (Listener::Tcp { listener, guest }, at)
        }
        Transport::Udp => {
            let mut socket = UdpSocket::bind(publish.host)?;
            poll.registry().register(&mut socket, token, Interest::READABLE)?;
            let at = socket.local_addr()?;
            (Listener::Udp { socket, guest }, at)
        }
    })
}

/// The token of the `number`th listener: below that of waking, above those of flows.
pub(crate) fn listener_token(number: usize) -> Token {
    Token(WAKE.0 - 1 - number)
}

impl Uplink {
    /// Starts the thread. `deliver` is called with each frame for the guest, on the thread or in [`Uplink::flush`], one
    /// at a time. It gives false if the guest's queue is full: then [`Uplink::room`] says when it is worth another
    /// try. A port that cannot be published is a [`Problem`] of the result, and stops no other.
    pub fn start(settings: Settings, deliver: impl FnMut(&[u8]) -> bool + Send + 'static) -> io::Result<Uplink> {
        raise_limit();
        let poll = Poll::new()?;
        let waker = Waker::new(poll.registry(), WAKE)?;
        let (mut listeners, mut problems, mut published) = (Vec::new(), Vec::new(), Vec::new());
        for publish in settings.publish {
            match listen(&publish, &poll, listener_token(listeners.len())) {
                Ok((listener, at)) => {
                    listeners.push(listener);
                    published.push((publish, at));
                }
                Err(reason) => problems.push(Problem { publish, reason }),
            }
        }
        let shared = Arc::new(Shared {
            inbox: Mutex::default(),
            bell: Bell::new(waker),
            stop: AtomicBool::new(false),
            counters: Mutex::default(),
            names: Mutex::default(),
            flows: AtomicUsize::new(0),
            sockets: AtomicUsize::new(0),
        });
        let notices = Notices::default();
        let registry = poll.registry().try_clone()?;
        let resolvers = Resolvers::new(settings.resolvers);
        let sockets = Sockets::new(Box::new(deliver), registry, listeners, resolvers, notices.clone());
        let core = Arc::new(Mutex::new(thread::Core::new(nat::Nat::new(settings.nat), sockets, shared.clone())));
        let works = core.clone();
        let thread = std::thread::Builder::new().name("uplink".to_owned()).spawn(move || thread::run(poll, &works))?;
        Ok(Uplink { shared, core, notices, problems, published, thread: Some(thread) })
    }

    /// A frame of the guest, which is looked at with [`Uplink::flush`] at the latest. False: too many wait already, and
    /// this one is lost.
    pub fn put(&self, frame: &[u8]) -> bool {
        self.shared.inbox.lock().held().add(frame)
    }

    /// The frames that were put are looked at: here if they are short and nothing else is at work, or by the thread.
    pub fn flush(&self) {
        // A thread that has been told is at work, or about to be.
        if !self.shared.inbox.lock().held().wants_telling() || thread::work_at_once(&self.core) {
            return;
        }
        self.wake();
    }

    /// [`Uplink::put`] and [`Uplink::flush`].
    pub fn frame(&self, frame: &[u8]) -> bool {
        let taken = self.put(frame);
        self.flush();
        taken
    }

    /// There is room in the guest's queue again.
    pub fn room(&self) {
        self.shared.bell.room();
    }

    fn wake(&self) {
        self.shared.bell.ring();
    }

    /// What has happened so far.
    pub fn counters(&self) -> Counters {
        self.shared.counters.lock().held().clone()
    }

    /// The names that guests gave themselves, with their addresses.
    pub fn names(&self) -> Vec<(String, std::net::Ipv4Addr)> {
        self.shared.names.lock().held().clone()
    }

    /// How many flows there are, and how many of them have a socket.
    pub fn flows(&self) -> (usize, usize) {
        (self.shared.flows.load(Ordering::Acquire), self.shared.sockets.load(Ordering::Acquire))
    }

    /// The published ports, and where the host listens for them.
    pub fn published(&self) -> &[(Publish, SocketAddr)] {
        &self.published
    }

    /// The ports that could not be published.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// What the user should know that was not told before.
    pub fn notices(&self) -> Vec<String> {
        self.notices.take()
    }
}

impl Drop for Uplink {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        self.wake();
        if let Some(thread) = self.thread.take() {
            // If it panicked, its message has been printed.
            let _ = thread.join();
        }
    }
}
