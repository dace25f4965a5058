//! The work: the gateway is told of sockets, of frames and of the time. A thread waits for them. A short frame of the
//! guest is worked on where it comes from.

use crate::sockets::{Sockets, is_exhausted};
use crate::{Inbox, Listener, Shared, WAKE, listener_token};
use base::Held;
use mio::{Events, Poll, Token};
use nat::{Event, FlowId, Nat};
use socket2::SockRef;
use std::fs::File;
use std::io::ErrorKind;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How many events are taken at once.
const EVENTS: usize = 256;
/// How many connections or datagrams of a listener are taken before others have their turn.
const TURN: usize = 64;
/// The longest datagram.
const LONGEST: usize = 65_535;
/// Bytes of frames that are worked on where they come from. With more the guest's CPU has better things to do.
const LITTLE: usize = 8 << 10;
/// Flows that send one after the other within this time are a crowd, and are taken for one so long.
const TURNS: Duration = Duration::from_micros(100);
const CROWD: Duration = Duration::from_millis(2);
/// So long after such work the thread looks for what is due, and so often.
const AWAKE: Duration = Duration::from_millis(5);
const TICK: Duration = Duration::from_millis(1);

/// What is worked with, on the thread or where a frame of the guest comes from.
pub(crate) struct Core {
    nat: Nat,
    sockets: Sockets,
    shared: Arc<Shared>,
    began: Instant,
    frames: Inbox,
    /// Listeners that may have more.
    ready: Vec<bool>,
    /// A descriptor that is given up when there is no other, so that a call can be taken and ended.
    spare: Option<File>,
    space: Vec<u8>,
    /// More bytes went by at the last look than [`LITTLE`].
    busy: bool,
    /// When work was done last where the frame came from.
    at_once: Option<Duration>,
    /// The flow that has sent something last, and since when it is that one.
    sender: (Option<FlowId>, Duration),
    /// Several flows send: the thread does that while the guest's CPU goes on.
    crowded_until: Duration,
    /// When the thread looks next, if it is not woken. `None`: never.
    looks_at: Option<Duration>,
}

fn spare() -> Option<File> {
    File::open("/dev/null").ok()
}

/// The thread: works until it is stopped.
pub(crate) fn run(mut poll: Poll, core: &Mutex<Core>) {
    let mut events = Events::with_capacity(EVENTS);
    loop {
        let mut locked = core.lock().held();
        if locked.shared.stop.load(Ordering::Acquire) {
            return;
        }
        locked.take(&events);
        let wait = locked.until_next_look();
        drop(locked);
        // What has come since the last look has written to the waker, so that this returns at once.
        match poll.poll(&mut events, wait) {
            Err(error) if error.kind() != ErrorKind::Interrupted => {
                let core = core.lock().held();
                return core.sockets.notices.once("the host's network has failed: the guest's is at an end");
            }
            // After an interruption there are no events.
            _ => {}
        }
    }
}

/// Works where a frame of the guest comes from, if it is little: handing it to the thread would cost a switch of
/// threads. False: the thread is to be woken.
pub(crate) fn work_at_once(core: &Mutex<Core>) -> bool {
    let mut core = match core.try_lock() {
        Ok(core) => core,
        // The thread is at work.
        Err(_) => return false,
    };
    let now = core.now();
    if core.busy || now < core.crowded_until || core.shared.inbox.lock().held().length() > LITTLE {
        return false;
    }
    let more = core.work();
    core.at_once = Some(now);
    core.look_for_crowd(now);
    let late = |due| core.looks_at.is_none_or(|at| due < at);
    !more && !core.nat.next_due().is_some_and(late)
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core").field("nat", &self.nat).finish_non_exhaustive()
    }
}

impl Core {
    pub(crate) fn new(nat: Nat, sockets: Sockets, shared: Arc<Shared>) -> Core {
        let ready = vec![false; sockets.listeners.len()];
        Core {
            nat,
            sockets,
            shared,
            began: Instant::now(),
            frames: Inbox::default(),
            ready,
            spare: spare(),
            space: vec![0; LONGEST],
            busy: false,
            at_once: None,
            sender: (None, Duration::ZERO),
            crowded_until: Duration::ZERO,
            looks_at: None,
        }
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Takes what has happened to sockets.
    fn take(&mut self, events: &Events) {
        let now = self.now();
        for readiness in events {
            match readiness.token() {
                WAKE => {}
                token if self.is_listener(token) => self.ready[WAKE.0 - 1 - token.0] = true,
                _ => {
                    let (flow, happened) = self.sockets.happened(readiness);
                    for event in happened.into_iter().flatten() {
                        self.nat.event(now, flow, event, &mut self.sockets);
                    }
                }
            }
        }
    }

    /// Works, and tells how long the thread may sleep.
    fn until_next_look(&mut self) -> Option<Duration> {
        if self.work() {
            self.looks_at = Some(Duration::ZERO);
            return Some(Duration::ZERO);
        }
        let now = self.now();
        let due = self.nat.next_due();
        // What is done meanwhile without this thread leads to acknowledgements a little later: they are looked for, so
        // that it need not be woken for each.
        let soon = self.at_once.is_some_and(|at| now < at + AWAKE).then_some(now + TICK);
        self.looks_at = due.into_iter().chain(soon).min();
        self.looks_at.map(|at| at.saturating_sub(now))
    }

    fn is_listener(&self, token: Token) -> bool {
        !self.ready.is_empty() && token.0 >= listener_token(self.ready.len() - 1).0
    }

    /// Does what there is to do; gives whether there is more.
    fn work(&mut self) -> bool {
        let bytes = self.bytes();
        std::mem::swap(&mut *self.shared.inbox.lock().held(), &mut self.frames);
        let now = self.now();
        for frame in self.frames.frames() {
            self.nat.frame(now, frame, &mut self.sockets);
        }
        self.frames.clear();
        while let Some(flow) = self.sockets.take_connected() {
            self.nat.event(now, flow, Event::Connected(Ok(())), &mut self.sockets);
        }
        if self.shared.bell.take_room() {
            self.nat.room(&mut self.sockets);
        }
        let mut more = false;
        for number in 0..self.ready.len() {
            if self.ready[number] {
                self.ready[number] = self.listen(number);
                more |= self.ready[number];
            }
        }
        more |= self.nat.run(self.now(), &mut self.sockets);
        self.tell();
        self.busy = self.bytes() - bytes > LITTLE as u64;
        more || !self.shared.inbox.lock().held().is_empty()
    }

    /// Whether flows take turns faster than one alone would be answered.
    fn look_for_crowd(&mut self, now: Duration) {
        let (sender, since) = self.sender;
        if self.sockets.sent != sender {
            if now < since + TURNS {
                self.crowded_until = now + CROWD;
            }
            self.sender = (self.sockets.sent, now);
        }
    }

    /// How many bytes of frames have gone by.
    fn bytes(&self) -> u64 {
        let counters = self.nat.counters();
        counters.bytes_in + counters.bytes_out
    }

    /// Lets others see what has happened.
    fn tell(&self) {
        let mut counters = self.shared.counters.lock().held();
        if counters.dhcp_answered != self.nat.counters().dhcp_answered {
            *self.shared.names.lock().held() = self.nat.names(self.now());
        }
        counters.clone_from(self.nat.counters());
        self.shared.flows.store(self.nat.flows(), Ordering::Release);
        self.shared.sockets.store(self.sockets.len(), Ordering::Release);
    }

    /// Takes what has come to a published port; gives whether there may be more.
    fn listen(&mut self, number: usize) -> bool {
        let now = self.now();
        for _ in 0..TURN {
            match &self.sockets.listeners[number] {
                Listener::Tcp { listener, guest } => match listener.accept() {
                    Ok((stream, peer)) => {
                        let flow = self.nat.accepted(now, *guest, peer, &mut self.sockets);
                        if let Some(flow) = flow
                            && self.sockets.keep(flow, stream).is_err()
                        {
                            self.sockets.tell_exhausted();
                        }
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
                    Err(error) if is_exhausted(&error) => {
                        if !self.turn_away(number) {
                            return false;
                        }
                    }
                    // The caller has gone already, or there is another that has not.
                    Err(_) => {}
                },
                Listener::Udp { socket, guest } => match socket.recv_from(&mut self.space) {
                    Ok((count, peer)) => {
                        let guest = *guest;
                        let data = &self.space[..count];
                        self.nat.datagram(now, number, guest, peer, data, &mut self.sockets);
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
                    Err(_) => {}
                },
            }
        }
        true
    }

    /// No descriptor is left: a caller is taken with the spare one, and told by a reset. False: even that failed.
    fn turn_away(&mut self, number: usize) -> bool {
        self.sockets.tell_exhausted();
        drop(self.spare.take());
        let taken = match &self.sockets.listeners[number] {
            Listener::Tcp { listener, .. } => listener.accept().map(|(stream, _)| {
                let _ = SockRef::from(&stream).set_linger(Some(Duration::ZERO));
            }),
            Listener::Udp { .. } => Ok(()),
        };
        self.spare = spare();
        taken.is_ok()
    }
}
