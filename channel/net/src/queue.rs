//! The queue of frames for what is at a port: what waits there, what went through, and what it tells.

use crate::capture::{Capture, Direction};
use crate::frame::{self, Tag};
use crate::offload::{self, Offload, Takes};
use crate::{Mac, Vlan};
use base::{Held, Tod};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

/// The most frames and bytes that wait at a port.
pub(crate) const FRAMES: usize = 4096;
pub(crate) const BYTES: usize = 4 << 20;
/// Buffers that a port keeps for frames to come, and the longest of them.
pub(crate) const SPARE: usize = 64;
pub(crate) const SPARE_BYTES: usize = 16 << 10;

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

type Listener = Arc<dyn Fn() + Send + Sync>;

#[derive(Default)]
pub(crate) struct State {
    pub(crate) frames: VecDeque<(Vec<u8>, Offload)>,
    pub(crate) bytes: usize,
    pub(crate) spare: Vec<Vec<u8>>,
    pub(crate) counters: Counters,
    pub(crate) capture: Option<Capture>,
    /// Something takes frames, and with these things to do about them.
    pub(crate) up: bool,
    pub(crate) takes: Takes,
    pub(crate) listener: Option<Listener>,
    /// What is told when there is room for its frames again.
    pub(crate) room: Option<Listener>,
    /// Ports whose frames found no room here, and that want to be told.
    pub(crate) turned_away: Vec<Weak<Queue>>,
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

    pub(crate) fn capture(&mut self, direction: Direction, now: Tod, frame: &[u8]) {
        // What cannot be written ends the capture: the network goes on.
        if self.capture.as_mut().is_some_and(|capture| capture.frame(direction, now, frame).is_err()) {
            self.capture = None;
        }
    }
}

/// Whether a frame loses its tag, and which tag it gets.
pub(crate) type Form = (bool, Option<Tag>);

/// What became of a frame at one port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It is in the queue.
    Queued,
    /// It is gone.
    Lost,
    /// Its sender has it still, and is told of room.
    TurnedAway,
}

/// What the switch knows of a port.
#[derive(Default)]
pub(crate) struct Queue(Mutex<State>);

impl Queue {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().held()
    }

    /// Puts a copy of a frame into the queue, in the form that the port's VLAN asks for. The listener is called with
    /// nothing locked. If there is no room, `from` is remembered, if it is given. A port without anything that takes
    /// frames has no room to wait for.
    pub(crate) fn deliver(
        &self,
        (bytes, offload): (&[u8], Offload),
        form: Form,
        now: Tod,
        from: Option<&Arc<Queue>>,
    ) -> Fate {
        let mut state = self.lock();
        let long = bytes.len() + size_of::<Tag>();
        let full = state.frames.len() >= FRAMES || state.bytes + long > BYTES;
        if !state.up || full {
            let Some(from) = from.filter(|_| state.up).map(Arc::downgrade) else {
                state.counters.dropped += 1;
                return Fate::Lost;
            };
            if !state.turned_away.iter().any(|other| other.ptr_eq(&from)) {
                state.turned_away.push(from);
            }
            return Fate::TurnedAway;
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
        Fate::Queued
    }
}

/// Tells ports that there is room again.
pub(crate) fn tell(waiting: Vec<Weak<Queue>>) {
    for queue in waiting.iter().filter_map(Weak::upgrade) {
        let listener = queue.lock().room.clone();
        if let Some(listener) = listener {
            listener();
        }
    }
}
