//! The table of flows: by their ends, by their timers, and by how long they have been idle.

use crate::host::FlowId;
use crate::key::Key;
use crate::role::Datagrams;
use crate::stations::Stations;
use crate::tcp::Tcp;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

/// What a flow is.
#[derive(Debug)]
pub(crate) enum Body {
    Tcp(Box<Tcp>),
    Datagrams(Datagrams),
}

/// Which of a guest's flows go first when there are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// No answer came yet.
    New,
    /// Both sides have spoken.
    Settled,
}

/// No entry.
const NONE: u32 = u32::MAX;
/// New flows of a guest above this go before settled ones.
const NEW: usize = 256;

/// A list of flows, the longest idle one first.
#[derive(Clone, Copy, Debug)]
struct List {
    first: u32,
    last: u32,
    length: usize,
}

impl Default for List {
    fn default() -> List {
        List { first: NONE, last: NONE, length: 0 }
    }
}

/// A place in the table.
#[derive(Debug)]
struct Slot {
    generation: u32,
    flow: Option<Flow>,
    before: u32,
    after: u32,
    /// The flow is in the queue of work.
    queued: bool,
    /// It waits for room in the guest's queue.
    stalled: bool,
    /// The entry of the flow among the timers, if there is one.
    armed: Option<Duration>,
}

/// A flow.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) key: Key,
    pub(crate) station: usize,
    pub(crate) standing: Standing,
    /// When something happened last.
    pub(crate) touched: Duration,
    /// When it wants to be looked at.
    pub(crate) due: Option<Duration>,
    pub(crate) body: Body,
}

/// The table.
#[derive(Debug, Default)]
pub(crate) struct Flows {
    slots: Vec<Slot>,
    free: Vec<u32>,
    keys: HashMap<Key, u32>,
    work: VecDeque<u32>,
    /// When flows want to be looked at, at the latest: one entry a flow.
    timers: BTreeSet<(Duration, u32)>,
    /// By guest: new flows, and settled ones.
    idle: Vec<[List; 2]>,
}

impl Flows {
    /// How many flows there are.
    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub(crate) fn find(&self, key: &Key) -> Option<u32> {
        self.keys.get(key).copied()
    }

    /// The place of a flow that has not gone.
    pub(crate) fn live(&self, id: FlowId) -> Option<u32> {
        let slot = self.slots.get(id.index as usize)?;
        (slot.generation == id.generation && slot.flow.is_some()).then_some(id.index)
    }

    pub(crate) fn id(&self, index: u32) -> FlowId {
        FlowId { index, generation: self.slots[index as usize].generation }
    }

    pub(crate) fn get_mut(&mut self, index: u32) -> Option<&mut Flow> {
        self.slots.get_mut(index as usize)?.flow.as_mut()
    }

    /// Adds a flow.
    pub(crate) fn add(&mut self, flow: Flow, stations: &mut Stations) -> FlowId {
        let index = self.free.pop().unwrap_or_else(|| {
            let generation = 0;
            self.slots.push(Slot {
                generation,
                flow: None,
                before: NONE,
                after: NONE,
                queued: false,
                stalled: false,
                armed: None,
            });
            (self.slots.len() - 1) as u32
        });
        let (station, standing) = (flow.station, flow.standing);
        stations.get_mut(station).flows += 1;
        self.keys.insert(flow.key, index);
        self.slots[index as usize].flow = Some(flow);
        self.link(index, station, standing);
        self.arm(index);
        self.id(index)
    }

    /// Takes a flow out.
    pub(crate) fn remove(&mut self, index: u32, stations: &mut Stations) -> Option<Flow> {
        let flow = self.slots[index as usize].flow.take()?;
        self.unlink(index, flow.station, flow.standing);
        stations.get_mut(flow.station).flows -= 1;
        self.keys.remove(&flow.key);
        self.unstall(index, flow.station, stations);
        let slot = &mut self.slots[index as usize];
        // Below 2 to the 31st, so that the number fits where a sign is.
        slot.generation = (slot.generation + 1) & 0x7fff_ffff;
        if let Some(armed) = slot.armed.take() {
            self.timers.remove(&(armed, index));
        }
        self.free.push(index);
        Some(flow)
    }

    /// Something happened in a flow.
    pub(crate) fn touch(&mut self, index: u32, now: Duration, standing: Standing) {
        let Some(flow) = self.get_mut(index) else { return };
        flow.touched = now;
        let (station, before) = (flow.station, std::mem::replace(&mut flow.standing, standing));
        if before == standing && self.idle[station][standing as usize].last == index {
            return;
        }
        self.unlink(index, station, before);
        self.link(index, station, standing);
    }

    fn link(&mut self, index: u32, station: usize, standing: Standing) {
        if self.idle.len() <= station {
            self.idle.resize(station + 1, <[List; 2]>::default());
        }
        let list = &mut self.idle[station][standing as usize];
        let last = std::mem::replace(&mut list.last, index);
        list.length += 1;
        match last {
            NONE => list.first = index,
            _ => self.slots[last as usize].after = index,
        }
        let slot = &mut self.slots[index as usize];
        (slot.before, slot.after) = (last, NONE);
    }

    fn unlink(&mut self, index: u32, station: usize, standing: Standing) {
        let Slot { before, after, .. } = self.slots[index as usize];
        let list = &mut self.idle[station][standing as usize];
        list.length -= 1;
        match before {
            NONE => list.first = after,
            _ => self.slots[before as usize].after = after,
        }
        match after {
            NONE => self.idle[station][standing as usize].last = before,
            _ => self.slots[after as usize].before = before,
        }
    }

    /// The flow to go when there are too many: the longest idle one of the guest that has most. Many new flows go
    /// before settled ones, so that a flood does not end what has been there before.
    pub(crate) fn longest_idle(&self) -> Option<u32> {
        let most = self.idle.iter().rev().max_by_key(|[new, settled]| new.length + settled.length)?;
        let [new, settled] = most;
        let first = if new.length > NEW || settled.length == 0 { new.first } else { settled.first };
        (first != NONE).then_some(first)
    }

    /// The longest idle flow that keeps bytes, or another if none does.
    pub(crate) fn longest_keeper(&self) -> Option<u32> {
        let lists = self.idle.iter().flatten();
        let keepers = lists.filter_map(|list| {
            let mut index = list.first;
            while index != NONE {
                let slot = &self.slots[index as usize];
                if let Some(Flow { body: Body::Tcp(tcp), touched, .. }) = &slot.flow
                    && tcp.storage() > 0
                {
                    return Some((*touched, index));
                }
                index = slot.after;
            }
            None
        });
        keepers.min().map(|(_, index)| index).or_else(|| self.longest_idle())
    }

    /// The flow has something to do.
    pub(crate) fn queue(&mut self, index: u32) {
        let slot = &mut self.slots[index as usize];
        if !std::mem::replace(&mut slot.queued, true) {
            self.work.push_back(index);
        }
    }

    /// The flow waits for room in the guest's queue.
    pub(crate) fn stall(&mut self, index: u32, stations: &mut Stations) {
        let slot = &mut self.slots[index as usize];
        if let Some(flow) = &slot.flow
            && !std::mem::replace(&mut slot.stalled, true)
        {
            stations.get_mut(flow.station).stalled.push_back(index);
        }
    }

    /// The flow waits for no room of that guest any more.
    fn unstall(&mut self, index: u32, station: usize, stations: &mut Stations) {
        if std::mem::take(&mut self.slots[index as usize].stalled) {
            stations.get_mut(station).stalled.retain(|&other| other != index);
        }
    }

    pub(crate) fn is_stalled(&self, index: u32) -> bool {
        self.slots[index as usize].stalled
    }

    /// There is room: flows that wait for it have their turns.
    pub(crate) fn resume(&mut self, station: usize, stations: &mut Stations) {
        while let Some(index) = stations.get_mut(station).stalled.pop_front() {
            self.slots[index as usize].stalled = false;
            self.queue(index);
        }
    }

    /// The guest of a flow is found.
    pub(crate) fn settle(&mut self, index: u32, station: usize, stations: &mut Stations) {
        let Some(flow) = self.get_mut(index) else { return };
        let before = std::mem::replace(&mut flow.station, station);
        let standing = flow.standing;
        self.unstall(index, before, stations);
        self.unlink(index, before, standing);
        self.link(index, station, standing);
        stations.get_mut(before).flows -= 1;
        stations.get_mut(station).flows += 1;
    }

    /// Whether a flow has something to do.
    pub(crate) fn has_work(&self) -> bool {
        !self.work.is_empty()
    }

    /// The next flow that has something to do.
    pub(crate) fn next_work(&mut self) -> Option<u32> {
        let index = self.work.pop_front()?;
        self.slots[index as usize].queued = false;
        Some(index)
    }

    /// Sees that the flow is looked at when it is due. An entry that is early enough stays.
    pub(crate) fn arm(&mut self, index: u32) {
        let slot = &mut self.slots[index as usize];
        let Some(due) = slot.flow.as_ref().and_then(|flow| flow.due) else { return };
        if slot.armed.is_none_or(|armed| due < armed) {
            if let Some(armed) = slot.armed.replace(due) {
                self.timers.remove(&(armed, index));
            }
            self.timers.insert((due, index));
        }
    }

    /// When the next entry of the timers is due.
    pub(crate) fn next_due(&self) -> Option<Duration> {
        self.timers.first().map(|(due, _)| *due)
    }

    /// A flow that is due by `now`.
    pub(crate) fn expired(&mut self, now: Duration) -> Option<u32> {
        while let Some(&(at, index)) = self.timers.first() {
            if at > now {
                return None;
            }
            self.timers.pop_first();
            let slot = &mut self.slots[index as usize];
            slot.armed = None;
            match slot.flow.as_ref().and_then(|flow| flow.due) {
                Some(due) if due <= now => return Some(index),
                // It was put off meanwhile.
                _ => self.arm(index),
            }
        }
        None
    }
}
