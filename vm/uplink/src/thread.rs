//! The thread: it waits for sockets, for frames and for the time, and tells the gateway.

use crate::sockets::{Sockets, is_exhausted};
use crate::{Inbox, Listener, Shared, WAKE, listener_token};
use base::Held;
use mio::{Events, Poll, Token};
use nat::Nat;
use socket2::SockRef;
use std::fs::File;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How many events are taken at once.
const EVENTS: usize = 256;
/// How many connections or datagrams of a listener are taken before others have their turn.
const TURN: usize = 64;
/// The longest datagram.
const LONGEST: usize = 65_535;

/// What the thread works with.
pub(crate) struct Worker {
    poll: Poll,
    nat: Nat,
    sockets: Sockets,
    shared: Arc<Shared>,
    began: Instant,
    /// Listeners that may have more.
    ready: Vec<bool>,
    /// A descriptor that is given up when there is no other, so that a call can be taken and ended.
    spare: Option<File>,
    space: Vec<u8>,
}

fn spare() -> Option<File> {
    File::open("/dev/null").ok()
}

impl Worker {
    pub(crate) fn new(poll: Poll, nat: Nat, sockets: Sockets, shared: Arc<Shared>) -> Worker {
        let ready = vec![false; sockets.listeners.len()];
        Worker { poll, nat, sockets, shared, began: Instant::now(), ready, spare: spare(), space: vec![0; LONGEST] }
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Works until it is stopped.
    pub(crate) fn run(mut self) {
        let mut events = Events::with_capacity(EVENTS);
        let mut frames = Inbox::default();
        while !self.shared.stop.load(Ordering::Acquire) {
            let more = self.work(&mut frames);
            let wait = match more {
                true => Some(Duration::ZERO),
                false => self.nat.next_due().map(|due| due.saturating_sub(self.now())),
            };
            // What has come since the last look has written to the waker, so that this returns at once.
            match self.poll.poll(&mut events, wait) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return self.sockets.notices.once("the host's network has failed: the guest's is at an end"),
            }
            let now = self.now();
            for readiness in &events {
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
    }

    fn is_listener(&self, token: Token) -> bool {
        !self.ready.is_empty() && token.0 >= listener_token(self.ready.len() - 1).0
    }

    /// Does what there is to do; gives whether there is more.
    fn work(&mut self, frames: &mut Inbox) -> bool {
        std::mem::swap(&mut *self.shared.inbox.lock().held(), frames);
        let now = self.now();
        for frame in frames.frames() {
            self.nat.frame(now, frame, &mut self.sockets);
        }
        frames.clear();
        if self.shared.room.swap(false, Ordering::AcqRel) {
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
        more || !self.shared.inbox.lock().held().is_empty()
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
