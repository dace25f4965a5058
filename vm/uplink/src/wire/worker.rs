//! The thread of a wire.

use super::pipe::Frames;
use super::{LISTENER, Near, PEER, Peer, Shared, Source, UNSENT, Unsent};
use crate::{Inbox, Notices};
use base::Held;
use mio::{Events, Poll};
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How much is read at once.
const READ: usize = 256 << 10;
/// How long a frame waits for room at the near end. Then it is lost, and so are others until there is room: a virtual
/// machine that stands still holds up its neighbours no longer than that.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long the other end stays away until it is tried for the first time, and the longest time between two tries.
const FIRST: Duration = Duration::from_secs(1);
const LAST: Duration = Duration::from_secs(30);

/// What the thread works with.
pub(super) struct Worker {
    poll: Poll,
    shared: Arc<Shared>,
    notices: Notices,
    source: Source,
    peer: Option<Box<dyn Peer>>,
    near: Box<dyn Near>,
    frames: Frames,
    unsent: Unsent,
    /// The other end may have more to read.
    readable: bool,
    /// Until when the first frame waits for room.
    waits: Option<Instant>,
    /// Frames wait for room at all.
    patient: bool,
    /// When the other end came.
    since: Instant,
    /// When it is tried again, and how long it was waited for that.
    due: Option<Instant>,
    delay: Duration,
}

impl Worker {
    pub(super) fn new(
        poll: Poll,
        shared: Arc<Shared>,
        notices: Notices,
        (source, peer): (Source, Option<Box<dyn Peer>>),
        near: Box<dyn Near>,
    ) -> Worker {
        Worker {
            poll,
            shared,
            notices,
            source,
            peer,
            near,
            frames: Frames::default(),
            unsent: Unsent::default(),
            readable: true,
            waits: None,
            patient: true,
            since: Instant::now(),
            due: None,
            delay: FIRST,
        }
    }

    /// Works until it is stopped.
    pub(super) fn run(mut self) {
        let mut events = Events::with_capacity(16);
        let mut space = vec![0; READ];
        let mut inbox = Inbox::default();
        self.near.link(self.peer.is_some());
        while !self.shared.stop.load(Ordering::Acquire) {
            std::mem::swap(&mut *self.shared.inbox.lock().held(), &mut inbox);
            self.pack(&inbox);
            inbox.clear();
            if self.shared.bell.take_room() {
                (self.waits, self.patient) = (None, true);
            }
            if let Err(error) = self.exchange(&mut space) {
                self.leave(&error);
            }
            let waiting = self.shared.waiting.load(Ordering::Acquire);
            if waiting < UNSENT / 2 && self.shared.wanted.swap(false, Ordering::AcqRel) {
                self.near.room();
            }
            match self.poll.poll(&mut events, self.pause()) {
                Err(error) if error.kind() != ErrorKind::Interrupted => break,
                _ => {}
            }
            let mut comes = self.due.is_some_and(|due| due <= Instant::now());
            for event in &events {
                match event.token() {
                    LISTENER => comes = true,
                    PEER => self.readable = true,
                    _ => {}
                }
            }
            if self.peer.is_none() && comes {
                self.arrive();
            }
        }
    }

    /// How long there is nothing to do if nothing happens.
    fn pause(&self) -> Option<Duration> {
        let until = |at: Instant| at.saturating_duration_since(Instant::now());
        match (&self.peer, self.waits) {
            (None, _) => self.due.map(until),
            (Some(_), Some(waits)) => Some(until(waits)),
            (Some(_), None) => self.readable.then_some(Duration::ZERO),
        }
    }

    fn lose(&self, frames: u64) {
        self.shared.lost.fetch_add(frames, Ordering::Relaxed);
    }

    /// Puts frames one after the other, with their lengths.
    fn pack(&mut self, inbox: &Inbox) {
        for frame in inbox.frames() {
            self.shared.waiting.fetch_sub(frame.len(), Ordering::AcqRel);
            if self.peer.is_none() {
                self.lose(1);
                continue;
            }
            let before = self.unsent.rest().len();
            self.unsent.add(frame);
            self.shared.waiting.fetch_add(self.unsent.rest().len() - before, Ordering::AcqRel);
        }
    }

    /// Writes and reads what can be.
    fn exchange(&mut self, space: &mut [u8]) -> io::Result<()> {
        let Some(peer) = &mut self.peer else { return Ok(()) };
        let before = self.unsent.rest().len();
        let written = peer.write(&mut self.unsent);
        self.shared.waiting.fetch_sub(before - self.unsent.rest().len(), Ordering::AcqRel);
        self.unsent.settle();
        written?;
        self.deliver()?;
        if self.readable && self.waits.is_none() {
            self.readable = self.peer.as_mut().map_or(Ok(false), |peer| peer.read(&mut self.frames, space))?;
            self.deliver()?;
        }
        Ok(())
    }

    /// Gives the near end what has come, as long as it takes it.
    fn deliver(&mut self) -> io::Result<()> {
        if self.waits.is_some_and(|until| Instant::now() < until) {
            return Ok(());
        }
        while let Some(frame) = self.frames.first().map_err(io::Error::other)? {
            let length = frame.len();
            if !self.near.frame(frame) {
                if self.patient && self.waits.is_none() {
                    self.waits = Some(Instant::now() + PATIENCE);
                    return Ok(());
                }
                self.patient = false;
                self.lose(1);
            }
            self.waits = None;
            self.frames.taken(length);
        }
        Ok(())
    }

    /// The other end has gone, or what it sends makes no sense.
    fn leave(&mut self, error: &io::Error) {
        let why = self.peer.as_mut().map_or_else(String::new, |peer| peer.farewell(error));
        self.peer = None;
        self.shared.connected.store(false, Ordering::Release);
        self.shared.waiting.fetch_sub(self.unsent.rest().len(), Ordering::AcqRel);
        (self.frames, self.unsent, self.waits) = Default::default();
        self.near.link(false);
        if let Source::Listener(_) = self.source {
            // The next one may be there already, and nothing else is to be said of those that come and go.
            return self.arrive();
        }
        self.notices.tell(format!("{why}; it is tried again"));
        if self.since.elapsed() >= LAST {
            self.delay = FIRST;
        }
        self.wait();
    }

    /// Waits longer each time.
    fn wait(&mut self) {
        self.due = Some(Instant::now() + self.delay);
        self.delay = (self.delay * 2).min(LAST);
    }

    /// Looks whether the other end is there again.
    fn arrive(&mut self) {
        self.due = None;
        let next = self.source.next().and_then(|mut next| {
            next.as_mut().map_or(Ok(()), |peer| peer.register(self.poll.registry()))?;
            Ok(next)
        });
        match (next, &self.source) {
            (Ok(Some(peer)), source) => {
                if !matches!(source, Source::Listener(_)) {
                    self.notices.tell("the network's other end is there again".to_owned());
                }
                self.peer = Some(peer);
                (self.readable, self.patient, self.since) = (true, true, Instant::now());
                self.shared.connected.store(true, Ordering::Release);
                self.near.link(true);
                self.near.room();
            }
            (_, Source::Listener(_)) => {}
            _ => self.wait(),
        }
    }
}
