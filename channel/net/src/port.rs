//! Ports: the queue of frames for what is at each, and its side of the switch.

use crate::capture::{Capture, Direction};
use crate::frame::{self, Head, Tag};
use crate::offload::{self, Offload, Takes};
use crate::switch::Shared;
use crate::{Mac, Vlan};
use base::{Held, Tod};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

/// The most frames and bytes that wait at a port.
const FRAMES: usize = 4096;
const BYTES: usize = 4 << 20;
/// Buffers that a port keeps for frames to come, and the longest of them.
const SPARE: usize = 64;
const SPARE_BYTES: usize = 16 << 10;

/// What a port is like.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// Its VLANs.
    pub vlan: Vlan,
    /// It gets copies of all frames of its VLANs.
    pub promiscuous: bool,
    /// It leads out of the switch: isolation does not keep frames from it or to it.
    pub uplink: bool,
    /// Frames from another address than this are refused (MACPROTECT).
    pub only: Option<Mac>,
}

/// What went through a port, as what is at the port sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Frames that came from it.
    pub sent: u64,
    /// Bytes of these.
    pub sent_bytes: u64,
    /// Frames that came from it and are none, or that its settings do not allow.
    pub refused: u64,
    /// Frames for it that were put into its queue.
    pub received: u64,
    /// Bytes of these.
    pub received_bytes: u64,
    /// Frames for it that found no room, or nothing that takes them.
    pub dropped: u64,
}

/// What became of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Delivery {
    /// Ports that have it.
    pub delivered: usize,
    /// Ports that should have it and had no room.
    pub dropped: usize,
}

pub(crate) type Listener = Arc<dyn Fn() + Send + Sync>;

#[derive(Default)]
struct State {
    frames: VecDeque<(Vec<u8>, Offload)>,
    bytes: usize,
    spare: Vec<Vec<u8>>,
    counters: Counters,
    capture: Option<Capture>,
    /// Something takes frames, and with these things to do about them.
    up: bool,
    takes: Takes,
    listener: Option<Listener>,
    /// What is told when there is room for its frames again.
    room: Option<Listener>,
    /// Ports whose frames found no room here, and that want to be told.
    turned_away: Vec<Weak<Queue>>,
}

impl State {
    /// Puts a frame into the queue; what `frame` has afterwards is of no use.
    fn push(&mut self, frame: &mut Vec<u8>, offload: Offload, now: Tod) {
        // Of a frame that is cut, so much as there is room for.
        if self.frames.len() >= FRAMES || self.bytes + frame.len() > BYTES {
            self.counters.dropped += 1;
            return;
        }
        let frame = std::mem::replace(frame, self.spare.pop().unwrap_or_default());
        self.capture(Direction::In, now, &frame);
        self.counters.received += 1;
        self.counters.received_bytes += frame.len() as u64;
        self.bytes += frame.len();
        self.frames.push_back((frame, offload));
    }

    fn capture(&mut self, direction: Direction, now: Tod, frame: &[u8]) {
        // What cannot be written ends the capture: the network goes on.
        if self.capture.as_mut().is_some_and(|capture| capture.frame(direction, now, frame).is_err()) {
            self.capture = None;
        }
    }
}

/// Whether a frame loses its tag, and which tag it gets.
type Form = (bool, Option<Tag>);

/// What the switch knows of a port.
#[derive(Default)]
pub(crate) struct Queue(Mutex<State>);

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().held()
    }

    /// Puts a copy of a frame into the queue, in the form that the port's VLAN asks for; false if there is no room. The
    /// listener is called with nothing locked. If there is to be one for room, `from` is remembered.
    fn deliver(&self, (bytes, offload): (&[u8], Offload), form: Form, now: Tod, from: Option<&Arc<Queue>>) -> bool {
        let mut state = self.lock();
        let long = bytes.len() + size_of::<Tag>();
        let full = state.frames.len() >= FRAMES || state.bytes + long > BYTES;
        if !state.up || full {
            match from.filter(|_| state.up).map(Arc::downgrade) {
                Some(from) if !state.turned_away.iter().any(|other| other.ptr_eq(&from)) => {
                    state.turned_away.push(from);
                }
                Some(_) => {}
                None => state.counters.dropped += 1,
            }
            return false;
        }
        let mut frame = state.spare.pop().unwrap_or_default();
        frame::copy(bytes, form.0, form.1, &mut frame);
        let offload = offload.moved(frame.len() as i32 - bytes.len() as i32);
        let (takes, first) = (state.takes, state.frames.is_empty());
        if !offload::finish(&mut frame, offload, takes, |frame, offload| state.push(frame, offload, now)) {
            state.counters.dropped += 1;
        }
        let listener = if first && !state.frames.is_empty() { state.listener.clone() } else { None };
        drop(state);
        if let Some(listener) = listener {
            listener();
        }
        true
    }
}

/// Tells ports that there is room again.
fn tell(waiting: Vec<Weak<Queue>>) {
    for queue in waiting.iter().filter_map(Weak::upgrade) {
        let listener = queue.lock().room.clone();
        if let Some(listener) = listener {
            listener();
        }
    }
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
                true => delivery.delivered += 1,
                false => delivery.dropped += 1,
            }
        }
        delivery
    }

    /// Takes the next frame for this port, in the place of what `frame` has; false if there is none. The buffer that was
    /// given is used for frames to come.
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

    /// What is called when a frame comes into the empty queue: on the sender's thread, so it may only take a note or wake
    /// something. It is called once until [`Port::receive`] has emptied the queue.
    pub fn on_frames(&self, listener: impl Fn() + Send + Sync + 'static) {
        self.queue.lock().listener = Some(Arc::new(listener));
    }

    /// What is called when another port has room again, after [`Port::send`] has said of a frame for that port alone that
    /// it was dropped: on the thread of what is there. A port that has given this sends such a frame again, so it does not
    /// count as dropped.
    pub fn on_room(&self, listener: impl Fn() + Send + Sync + 'static) {
        self.queue.lock().room = Some(Arc::new(listener));
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

    /// From now on what goes through it is captured, or no longer. The capture that was there before; one that could not
    /// be written has ended.
    pub fn capture(&self, capture: Option<Capture>) -> Option<Capture> {
        std::mem::replace(&mut self.queue.lock().capture, capture)
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.switch.remove(self.number);
    }
}
