//! Ports: how what is at each sends and takes frames.

use crate::capture::{Capture, Direction};
use crate::frame::Head;
use crate::offload::{Offload, Takes};
use crate::queue::{BYTES, Counters, FRAMES, Fate, Queue, SPARE, SPARE_BYTES, Settings, tell};
use crate::table::Shared;
use base::Tod;
use std::sync::Arc;

/// What became of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Delivery {
    /// Ports that have it.
    pub delivered: usize,
    /// Ports that should have it and had no room, or nothing that takes it.
    pub dropped: usize,
    /// The sender will be told of room ([`Port::on_room`]), and sends it again then.
    pub waits: bool,
}

/// A port of a switch; the switch has it until it is dropped.
///
/// What is at the port sends by [`Port::send`], and takes by [`Port::receive`] what comes for it.
pub struct Port {
    pub(crate) queue: Arc<Queue>,
    pub(crate) switch: Arc<Shared>,
    pub(crate) number: u32,
}

impl Port {
    /// Sends a frame, from its addresses on and without a check sequence.
    pub fn send(&self, frame: &[u8]) -> Delivery {
        self.send_open(frame, Offload::NONE)
    }

    /// [`Port::send`] of a frame about which something is still to be done.
    pub fn send_open(&self, frame: &[u8], offload: Offload) -> Delivery {
        let now = self.switch.clock.now();
        let Some(head) = Head::of(frame) else {
            self.queue.lock().counters.refused += 1;
            return Delivery::default();
        };
        let Some((vlan, targets)) = self.switch.route(self.number, &head, now) else {
            self.queue.lock().counters.refused += 1;
            return Delivery::default();
        };
        let waits = {
            let mut state = self.queue.lock();
            state.counters.sent += 1;
            state.counters.sent_bytes += frame.len() as u64;
            state.capture(Direction::Out, now, frame);
            state.room.is_some()
        };
        // What goes to several ports is not sent again.
        let from = (waits && targets.len() == 1).then_some(&self.queue);
        let mut delivery = Delivery::default();
        for (queue, settings) in targets {
            match queue.deliver((frame, offload), settings.vlan.form(vlan, &head), now, from) {
                Fate::Queued => delivery.delivered += 1,
                Fate::Lost => delivery.dropped += 1,
                Fate::TurnedAway => (delivery.dropped, delivery.waits) = (delivery.dropped + 1, true),
            }
        }
        delivery
    }

    /// Takes the next frame for this port, in the place of what `frame` has; false if there is none. The buffer that
    /// was given is used for frames to come.
    pub fn receive(&self, frame: &mut Vec<u8>) -> bool {
        self.receive_open(frame).is_some()
    }

    /// [`Port::receive`], and what is still to be done about the frame: no more than [`Port::takes`] has said.
    pub fn receive_open(&self, frame: &mut Vec<u8>) -> Option<Offload> {
        let mut state = self.queue.lock();
        let (next, offload) = state.frames.pop_front()?;
        state.bytes -= next.len();
        let old = std::mem::replace(frame, next);
        if state.spare.len() < SPARE && old.capacity() <= SPARE_BYTES {
            state.spare.push(old);
        }
        if !state.turned_away.is_empty() && state.frames.len() <= FRAMES / 2 && state.bytes <= BYTES / 2 {
            let waiting = std::mem::take(&mut state.turned_away);
            drop(state);
            tell(waiting);
        }
        Some(offload)
    }

    /// Says what the thing at the port takes as it is, from now on.
    pub fn takes(&self, takes: Takes) {
        self.queue.lock().takes = takes;
    }

    /// Whether a frame waits.
    pub fn has_frames(&self) -> bool {
        !self.queue.lock().frames.is_empty()
    }

    /// Whether something is there that takes frames: until then, and after it has gone, frames are dropped.
    pub fn set_up(&self, up: bool) {
        let mut state = self.queue.lock();
        state.up = up;
        if !up {
            (state.frames, state.spare, state.bytes) = Default::default();
            let waiting = std::mem::take(&mut state.turned_away);
            drop(state);
            tell(waiting);
        }
    }

    /// What is called when a frame comes into the empty queue: on the sender's thread, so it may only take a note or
    /// wake something. It is called once until [`Port::receive`] has emptied the queue.
    pub fn on_frames(&self, listener: impl Fn() + Send + Sync + 'static) {
        self.queue.lock().listener = Some(Arc::new(listener));
    }

    /// What is called when another port has room again, after [`Port::send`] has said of a frame for that port alone
    /// that it was dropped: on the thread of what is there. A port that has given this sends such a frame again, so it
    /// does not count as dropped.
    pub fn on_room(&self, listener: impl Fn() + Send + Sync + 'static) {
        self.queue.lock().room = Some(Arc::new(listener));
    }

    /// The time of the switch.
    pub fn now(&self) -> Tod {
        self.switch.clock.now()
    }

    /// What went through it.
    pub fn counters(&self) -> Counters {
        self.queue.lock().counters
    }

    /// What it is like.
    pub fn settings(&self) -> Settings {
        self.switch.settings(self.number)
    }

    /// Changes what it is like.
    pub fn set(&self, settings: Settings) {
        self.switch.set(self.number, settings);
    }

    /// From now on what goes through it is captured, or no longer. The capture that was there before; one that could
    /// not be written has ended.
    pub fn capture(&self, capture: Option<Capture>) -> Option<Capture> {
        std::mem::replace(&mut self.queue.lock().capture, capture)
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.switch.remove(self.number);
    }
}
