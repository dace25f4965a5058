//! The monitor as a state machine: who reads, what is started, what is in the segment, what is due when.
//!
//! It is given the time, and a [`World`] in which it writes pages, sends messages and asks for records. So a test gives
//! it a clock and readers of its own.
//!
//! **The segment**: pages of control elements; the configuration area of samples, and their data; the configuration
//! area of events, and their blocks. A message names control elements, which name pages.
//!
//! **Samples**: at each boundary of the interval, counted from START, if every reader has replied to what it has. If
//! not, the interval is left out: counts go on. What does not fit into the area follows after the replies.
//!
//! **Events**: the blocks are a ring. A block is sent when it is full, and at each boundary. While none is free, events
//! are lost, and a record says how many (1.3).

use crate::domain::{Domain, Side};
use crate::frames::{Frames, PAGE};
use crate::operands::Order;
use crate::settings::Settings;
use arch::monitor::{
    ControlElement, EventsSuspended, MonitorConnect, MonitorConnected, MonitorMessage, Record, SampleCommand,
};
use base::{Tod, ebcdic};
use message::Message;
use std::mem::take;
use zerocopy::{FromBytes, IntoBytes};

/// Why a path is refused or severed: the first byte of IPUSER.
pub mod reason {
    /// The reader has not loaded the segment, or a copy of its own.
    pub const NOT_LOADED: u8 = 0x04;
    /// Other readers have another segment.
    pub const OTHER_SEGMENT: u8 = 0x08;
    /// Another reader has the segment for itself, or this one wants that and there are others.
    pub const EXCLUSIVE: u8 = 0x0c;
    /// The pages are not such as CP may write: type SC.
    pub const NOT_FOR_CP: u8 = 0x10;
    /// The segment has no room for what is set: CONFIG SIZE, PARTITION.
    pub const TOO_SMALL: u8 = 0x18;
    /// IPUSER is not as it should be.
    pub const USER_DATA: u8 = 0x1c;
    /// The path takes no data in parameter lists.
    pub const NO_PARAMETER_DATA: u8 = 0x20;
    /// There was no reply to configuration records within CONFIG LIMIT.
    pub const LIMIT: u8 = 0x28;
    /// The configuration records do not fit into CONFIG SIZE.
    pub const CONFIGURATION: u8 = 0x2c;
    /// The host could not store the records.
    pub const HOST: u8 = 0x30;
}

/// A reader: the number of its virtual machine and the path.
pub type Reader = (u32, u16);

/// What the recorder acts upon.
pub trait World {
    /// Writes into the segment, from byte `at` of it. False: the host refuses.
    fn write(&mut self, at: u64, bytes: &[u8]) -> bool;
    /// Sends a message of eight bytes; its number. `None`: the path has gone.
    fn send(&mut self, to: Reader, class: u32, data: [u8; 8]) -> Option<u32>;
    /// Whether a reader has not replied to a message yet.
    fn awaits(&self, reader: Reader, message: u32) -> bool;
    /// Whether a path is there.
    fn is_open(&self, reader: Reader) -> bool;
    /// Severs a path for a reason.
    fn sever(&mut self, reader: Reader, reason: u8);
    /// Adds configuration records.
    fn configuration(&mut self, side: Side, settings: &Settings, frames: &mut Frames);
    /// Adds samples.
    fn sample(&mut self, settings: &Settings, frames: &mut Frames);
    /// Looks at what virtual CPUs do.
    fn look(&mut self, settings: &Settings);
}

/// The segment, as a reader has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Its name.
    pub name: String,
    /// Its spool ID: two of one name differ by it.
    pub spid: u16,
    /// The address of its first byte.
    pub first: u32,
    /// Pages.
    pub pages: u32,
}

/// Where areas are in the segment, in pages from its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    sample_configuration: u32,
    sample: (u32, u32),
    event_configuration: u32,
    events: u32,
    /// How many blocks of how many pages events have.
    blocks: u32,
    block: u32,
}

/// The control elements before those of blocks: configuration and data of samples, configuration of events.
const ELEMENTS: u32 = 3;

impl Plan {
    /// How a segment of so many pages is divided. `None`: it is too small.
    pub fn new(settings: &Settings, pages: u32) -> Option<Plan> {
        let configuration = settings.sample.configuration.checked_add(settings.event.configuration)?;
        let most = pages / settings.block.max(1);
        let control = ((ELEMENTS + most) * size_of::<ControlElement>() as u32).div_ceil(PAGE as u32);
        let rest = pages.checked_sub(configuration)?.checked_sub(control)?;
        let partition = settings.partition.unwrap_or(rest / 2);
        let sample = rest.checked_sub(partition).filter(|&pages| pages > 0)?;
        let blocks = partition / settings.block.max(1);
        let sample_at = control + settings.sample.configuration;
        (blocks > 0).then_some(Plan {
            sample_configuration: control,
            sample: (sample_at, sample),
            event_configuration: sample_at + sample,
            events: sample_at + sample + settings.event.configuration,
            blocks,
            block: settings.block,
        })
    }

    /// Pages for events.
    pub fn partition(&self) -> u32 {
        self.blocks * self.block
    }
}

/// What a message is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum About {
    Configuration(Side),
    Sample,
    Block(u32),
}

struct Client {
    reader: Reader,
    userid: String,
    exclusive: bool,
    /// What it wants, and of what it has had configuration records: samples, events.
    wants: [bool; 2],
    configured: [bool; 2],
    /// Messages that it has not replied to, and when they were sent.
    messages: Vec<(u32, About, Tod)>,
}

impl Client {
    fn takes(&self, side: Side) -> bool {
        self.wants[side as usize] && self.configured[side as usize]
    }

    fn has(&self, about: About) -> bool {
        self.messages.iter().any(|message| message.1 == about)
    }
}

/// What was counted of the monitor itself.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Samples that were written.
    pub samples: u64,
    /// Intervals that were left out, since a reader had not replied.
    pub left_out: u64,
    /// Events that were recorded.
    pub events: u64,
    /// Events that were lost.
    pub lost: u64,
}

/// The monitor.
#[derive(Default)]
pub struct Recorder {
    /// What is set.
    pub settings: Settings,
    /// What was counted.
    pub counts: Counts,
    segment: Option<(Segment, Plan)>,
    clients: Vec<Client>,
    /// When it was last looked at what there is to do.
    serviced: Tod,
    /// The next boundary of the interval, and the next look.
    boundary: Option<Tod>,
    next_look: Option<Tod>,
    /// Pages of the sample that did not fit into the area yet, and the masks of their domains.
    backlog: (Vec<u8>, u16),
    /// MONITOR SAMPLE commands for the next sample, and their texts.
    notes: Vec<(SampleCommand, Vec<u8>)>,
    events: Frames,
    /// The block of the ring that comes next.
    next_block: u32,
    /// Since when events are lost, and how many.
    suspended: Option<(Tod, u32)>,
}

impl Recorder {
    /// The segment that readers have, and how it is divided.
    pub fn segment(&self) -> Option<(&Segment, &Plan)> {
        self.segment.as_ref().map(|(segment, plan)| (segment, plan))
    }

    /// The user IDs of those who read samples, or events.
    pub fn readers(&self, side: Side) -> impl Iterator<Item = &str> {
        self.clients.iter().filter(move |client| client.wants[side as usize]).map(|client| client.userid.as_str())
    }

    /// Whether a configuration area is in use: a reader has not replied.
    pub fn is_configuring(&self, side: Side) -> bool {
        self.clients.iter().any(|client| client.has(About::Configuration(side)))
    }

    /// Whether there are readers of what is started.
    pub fn is_recording(&self, side: Side) -> bool {
        self.settings.part(side).started.is_some() && self.readers(side).next().is_some()
    }

    /// Whether any path leads here.
    pub fn has_readers(&self) -> bool {
        !self.clients.is_empty()
    }

    /// A bit for each domain whose events are recorded now.
    pub fn event_domains(&self) -> u16 {
        if self.is_recording(Side::Event) { self.settings.event.domains(Side::Event) } else { 0 }
    }

    /// Whether a segment for CP's writing is one that this reader may have; IPUSER of the answer.
    pub fn admits(
        &self,
        user: [u8; 16],
        segment: impl FnOnce(&str) -> Result<Segment, u8>,
    ) -> Result<(MonitorConnected, Segment), u8> {
        let user = MonitorConnect::read_from_bytes(&user).map_err(|_| reason::USER_DATA)?;
        let name = ebcdic::to_string(&user.segment);
        if user.shared > 1 || user.wanted & 0xc0 == 0 || user.wanted & 0x3f != 0 {
            return Err(reason::USER_DATA);
        }
        let segment = segment(name.trim_end_matches([' ', '\0']))?;
        if self.segment.as_ref().is_some_and(|(other, _)| *other != segment) {
            return Err(reason::OTHER_SEGMENT);
        }
        let others = !self.clients.is_empty();
        if others && (user.shared == 0 || self.clients.iter().any(|client| client.exclusive)) {
            return Err(reason::EXCLUSIVE);
        }
        if Plan::new(&self.settings, segment.pages).is_none() {
            return Err(reason::TOO_SMALL);
        }
        let active = |side| u8::from(self.settings.part(side).started.is_some());
        let connected = MonitorConnected {
            version: 1,
            events: active(Side::Event),
            samples: active(Side::Sample),
            ..MonitorConnected::default()
        };
        Ok((connected, segment))
    }

    /// A reader whose path is there, after [`Recorder::admits`].
    pub fn connect(&mut self, reader: Reader, userid: &str, user: [u8; 16], segment: Segment, now: Tod) {
        if self.segment.is_none() {
            let Some(plan) = Plan::new(&self.settings, segment.pages) else { return };
            self.segment = Some((segment, plan));
            // While nothing was read, nothing was due.
            self.schedule(now);
        }
        self.clients.push(Client {
            reader,
            userid: userid.into(),
            exclusive: user[0] == 0,
            wants: [user[1] & 0x80 != 0, user[1] & 0x40 != 0],
            configured: [false; 2],
            messages: Vec::new(),
        });
    }

    /// Does what a MONITOR command says. What is said to the user, or why nothing was done.
    pub fn orders(&mut self, orders: &[Order], now: Tod) -> Result<Vec<Message>, Message> {
        let (mut interval, mut rate) = (self.settings.interval, self.settings.rate);
        for order in orders {
            match order {
                Order::Interval(new) => interval = *new,
                Order::Rate(new) => rate = *new,
                _ => (),
            }
        }
        if rate.is_some_and(|rate| rate > interval) {
            return Err(message::monitor_rate());
        }
        let before = self.settings.clone();
        let said: Result<Vec<_>, _> = orders.iter().map(|order| self.order(order, now)).collect();
        if said.is_err() {
            // Whatever the segment was divided by, it was large enough for that.
            let _ = self.divide(before.clone());
            self.settings = before;
        }
        Ok(said?.concat())
    }

    fn order(&mut self, order: &Order, now: Tod) -> Result<Vec<Message>, Message> {
        match order {
            Order::Start { sides, partition, block } => return self.start(sides, *partition, *block, now),
            Order::Stop(sides) => return Ok(sides.iter().filter_map(|&side| self.stop(side)).collect()),
            Order::Enable { side, domain, what, on } => {
                self.settings.part_mut(*side).enable(*domain, what.clone(), *on);
            }
            Order::Interval(interval) => {
                self.settings.interval = *interval;
                self.schedule(now);
            }
            Order::Rate(rate) => {
                self.settings.rate = *rate;
                self.next_look = rate.map(|rate| now.plus_micros(rate)).filter(|_| self.boundary.is_some());
            }
            Order::Size(side, pages) => {
                let mut settings = self.settings.clone();
                settings.part_mut(*side).configuration = *pages;
                self.divide(settings)?;
            }
            Order::Limit(side, limit) => self.settings.part_mut(*side).limit = *limit,
        }
        Ok(Vec::new())
    }

    /// Divides the segment anew, which is not done under what is recorded.
    fn divide(&mut self, settings: Settings) -> Result<(), Message> {
        if let Some(side) = Side::BOTH.into_iter().find(|&side| self.settings.part(side).started.is_some()) {
            return Err(message::monitor_active(side.name()));
        }
        if let Some((segment, plan)) = &mut self.segment {
            *plan = Plan::new(&settings, segment.pages).ok_or_else(|| message::monitor_room(&segment.name))?;
        }
        self.settings = settings;
        Ok(())
    }

    fn start(
        &mut self,
        sides: &[Side],
        partition: Option<u32>,
        block: Option<u32>,
        now: Tod,
    ) -> Result<Vec<Message>, Message> {
        if let Some(side) = sides.iter().find(|&&side| self.settings.part(side).started.is_some()) {
            return Err(message::monitor_active(side.name()));
        }
        if partition.is_some() || block.is_some() {
            let mut settings = self.settings.clone();
            settings.partition = partition.or(settings.partition);
            settings.block = block.unwrap_or(settings.block);
            self.divide(settings)?;
        }
        for &side in sides {
            self.settings.part_mut(side).started = Some(now);
            self.clients.iter_mut().for_each(|client| client.configured[side as usize] = false);
        }
        self.schedule(now);
        // Readers that are there first get data right after the configuration.
        if sides.contains(&Side::Sample) && self.is_recording(Side::Sample) {
            self.boundary = Some(now);
        }
        Ok(sides
            .iter()
            .map(|&side| match self.is_recording(side) {
                true => message::monitor_started(side.name()),
                false => message::monitor_pending(side.name()),
            })
            .collect())
    }

    fn stop(&mut self, side: Side) -> Option<Message> {
        self.settings.part_mut(side).started.take()?;
        match side {
            Side::Sample => self.backlog = Default::default(),
            Side::Event => (self.events, self.suspended) = (Frames::default(), None),
        }
        if Side::BOTH.iter().all(|&side| self.settings.part(side).started.is_none()) {
            (self.boundary, self.next_look) = (None, None);
        }
        Some(message::monitor_stopped(side.name()))
    }

    /// The next boundary is that of the interval counted from when samples were started, or events.
    fn schedule(&mut self, now: Tod) {
        let from = self.settings.sample.started.or(self.settings.event.started);
        self.boundary = from.map(|from| after(from, self.settings.interval, now));
        self.next_look = from.and_then(|from| self.settings.rate.map(|rate| after(from, rate, now)));
    }

    /// The clock was set back to `now`: what is due is counted from here, if it would be more than an interval away.
    fn set_back(&mut self, now: Tod) {
        let far = |at: Tod, interval: u64| at > now.plus_micros(interval);
        if self.boundary.is_some_and(|at| far(at, self.settings.interval)) {
            self.boundary = Some(now.plus_micros(self.settings.interval));
        }
        if let Some(rate) = self.settings.rate.filter(|&rate| self.next_look.is_some_and(|at| far(at, rate))) {
            self.next_look = Some(now.plus_micros(rate));
        }
    }

    /// When there is something to do next.
    pub fn due(&self) -> Option<Tod> {
        let waiting = |client: &Client| {
            let configuration = client.messages.iter().filter_map(|(_, about, sent)| match about {
                About::Configuration(side) => Some(sent.plus_micros(self.settings.part(*side).limit)),
                _ => None,
            });
            configuration.min()
        };
        let limits = self.clients.iter().filter_map(waiting);
        let reads = self.clients.iter().any(|client| client.wants[0]);
        let look = self.next_look.filter(|_| reads && self.settings.sample.started.is_some());
        limits.chain(self.boundary.filter(|_| self.has_readers())).chain(look).min()
    }

    /// Does what there is to do: at the time that is due, after a reply, and when a path has come or gone.
    pub fn service(&mut self, now: Tod, world: &mut dyn World) {
        if now < self.serviced {
            self.set_back(now);
        }
        self.serviced = now;
        self.look_at_readers(now, world);
        for side in Side::BOTH {
            self.configure(side, now, world);
        }
        if self.next_look.is_some_and(|at| at <= now) {
            if self.is_recording(Side::Sample) {
                world.look(&self.settings);
            }
            self.next_look = self.settings.rate.map(|rate| after(self.next_look.unwrap_or(now), rate, now));
        }
        if let Some(boundary) = self.boundary.filter(|&at| at <= now) {
            self.boundary = Some(after(boundary, self.settings.interval, now));
            self.sample(now, world);
            self.flush(now, world);
        }
        self.send_backlog(now, world);
        self.resume(now, world);
    }

    /// Forgets readers that have gone, and replies; severs those that are late.
    fn look_at_readers(&mut self, now: Tod, world: &mut dyn World) {
        let settings = &self.settings;
        self.clients.retain_mut(|client| {
            if !world.is_open(client.reader) {
                return false;
            }
            client.messages.retain(|&(number, ..)| world.awaits(client.reader, number));
            let late = client.messages.iter().any(|(_, about, sent)| match about {
                About::Configuration(side) => now.micros_since(*sent) >= settings.part(*side).limit,
                _ => false,
            });
            if late {
                world.sever(client.reader, reason::LIMIT);
            }
            !late
        });
        if self.clients.is_empty() {
            self.segment = None;
            self.backlog = Default::default();
            (self.events, self.suspended, self.next_block) = (Frames::default(), None, 0);
        }
    }

    /// Configuration records for the readers that have had none since START, as soon as the area is free.
    fn configure(&mut self, side: Side, now: Tod, world: &mut dyn World) {
        let Some((_, plan)) = &self.segment else { return };
        let new = |client: &Client| client.wants[side as usize] && !client.configured[side as usize];
        if self.settings.part(side).started.is_none() || self.is_configuring(side) || !self.clients.iter().any(new) {
            return;
        }
        let (at, element) = match side {
            Side::Sample => (plan.sample_configuration, 0),
            Side::Event => (plan.event_configuration, 2),
        };
        let mut frames = Frames::new(now);
        world.configuration(side, &self.settings, &mut frames);
        let fits = frames.pages() as u32 <= self.settings.part(side).configuration;
        let (bytes, masks) = frames.finish();
        let readers: Vec<Reader> = self.clients.iter().filter(|client| new(client)).map(|c| c.reader).collect();
        if !fits {
            self.sever(&readers, reason::CONFIGURATION, world);
            return;
        }
        let class = side.class(true);
        let message = self.publish(side, element, at, &bytes, masks, world);
        for client in self.clients.iter_mut().filter(|client| readers.contains(&client.reader)) {
            client.configured[side as usize] = true;
        }
        match message {
            Some(data) => self.tell(&readers, class, data, About::Configuration(side), now, world),
            None => self.sever(&readers, reason::HOST, world),
        }
    }

    fn sever(&mut self, readers: &[Reader], reason: u8, world: &mut dyn World) {
        readers.iter().for_each(|&reader| world.sever(reader, reason));
        self.clients.retain(|client| !readers.contains(&client.reader));
    }

    /// Writes pages and the control element that names them; the message about it. `None`: the host refuses.
    fn publish(
        &self,
        side: Side,
        element: u32,
        page: u32,
        bytes: &[u8],
        masks: u16,
        world: &mut dyn World,
    ) -> Option<[u8; 8]> {
        let (segment, _) = self.segment.as_ref()?;
        let start = segment.first + page * PAGE as u32;
        let control = ControlElement {
            kind: side.letter(),
            domains: masks.into(),
            start: start.into(),
            end: (start + bytes.len() as u32 - 1).into(),
            ..ControlElement::default()
        };
        let at = element * size_of::<ControlElement>() as u32;
        let there = world.write(u64::from(page) * PAGE as u64, bytes) && world.write(at.into(), control.as_bytes());
        let start = segment.first + at;
        let end = start + size_of::<ControlElement>() as u32 - 1;
        let message = MonitorMessage { start: start.into(), end: end.into() };
        there.then(|| message.as_bytes().try_into().expect("the message has eight bytes"))
    }

    fn tell(&mut self, to: &[Reader], class: u32, data: [u8; 8], about: About, now: Tod, world: &mut dyn World) {
        for client in self.clients.iter_mut().filter(|client| to.contains(&client.reader)) {
            if let Some(number) = world.send(client.reader, class, data) {
                client.messages.push((number, about, now));
            }
        }
    }

    fn takers(&self, side: Side) -> Vec<Reader> {
        self.clients.iter().filter(|client| client.takes(side)).map(|client| client.reader).collect()
    }

    /// Takes a sample, unless a reader has not replied to the one before.
    fn sample(&mut self, now: Tod, world: &mut dyn World) {
        if self.settings.sample.started.is_none() || self.takers(Side::Sample).is_empty() {
            return;
        }
        let busy = self.clients.iter().any(|client| client.has(About::Sample)) || !self.backlog.0.is_empty();
        if busy {
            self.counts.left_out += 1;
            return;
        }
        let mut frames = Frames::new(now);
        for (record, text) in self.notes.drain(..) {
            frames.put_with(record, &text).expect("a command line fits into a page");
        }
        world.sample(&self.settings, &mut frames);
        self.counts.samples += 1;
        self.backlog = frames.finish();
    }

    /// Writes as much of the sample as the area holds, if it is free.
    fn send_backlog(&mut self, now: Tod, world: &mut dyn World) {
        let Some((_, plan)) = &self.segment else { return };
        if self.backlog.0.is_empty() || self.clients.iter().any(|client| client.has(About::Sample)) {
            return;
        }
        let (at, pages) = plan.sample;
        let (mut bytes, masks) = take(&mut self.backlog);
        let rest = bytes.split_off(bytes.len().min(pages as usize * PAGE));
        self.backlog = (rest, masks);
        let readers = self.takers(Side::Sample);
        let class = Side::Sample.class(false);
        match self.publish(Side::Sample, 1, at, &bytes, masks, world) {
            Some(data) => self.tell(&readers, class, data, About::Sample, now, world),
            None => self.sever(&readers, reason::HOST, world),
        }
    }

    /// A MONITOR SAMPLE command was issued: the next sample says so. The last 16 are kept.
    pub fn note(&mut self, record: SampleCommand, text: &[u8]) {
        const KEPT: usize = 16;
        if self.notes.len() == KEPT {
            self.notes.remove(0);
        }
        self.notes.push((record, text.to_vec()));
    }

    /// Records an event of a domain, `rest` bytes longer than its fixed part, if it is to be recorded.
    pub fn event<R: Record>(&mut self, now: Tod, record: R, rest: &[u8], world: &mut dyn World) {
        let wanted = Domain::of(R::LAYOUT.domain).is_some_and(|domain| self.settings.records(domain));
        if !wanted || self.takers(Side::Event).is_empty() {
            return;
        }
        if self.suspended.is_some() {
            self.resume(now, world);
        }
        let block = self.settings.block as usize;
        if self.suspended.is_none() && !self.events.holds::<R>(rest.len(), block) {
            self.flush(now, world);
        }
        if let Some((_, lost)) = &mut self.suspended {
            *lost += 1;
            self.counts.lost += 1;
            return;
        }
        self.events.set_time(now);
        if self.events.put_with(record, rest).is_ok() {
            self.counts.events += 1;
        }
    }

    /// Sends the block that is being filled. If none of the ring is free, events are lost from now on.
    fn flush(&mut self, now: Tod, world: &mut dyn World) {
        let Some((_, plan)) = self.segment.as_ref().filter(|_| !self.events.is_empty()) else { return };
        let (plan, block) = (*plan, self.next_block % plan.blocks);
        if self.clients.iter().any(|client| client.has(About::Block(block))) {
            self.suspended.get_or_insert((now, 0));
            return;
        }
        let (bytes, masks) = take(&mut self.events).finish();
        let readers = self.takers(Side::Event);
        let class = Side::Event.class(false);
        self.next_block = (block + 1) % plan.blocks;
        let page = plan.events + block * plan.block;
        match self.publish(Side::Event, ELEMENTS + block, page, &bytes, masks, world) {
            Some(data) => self.tell(&readers, class, data, About::Block(block), now, world),
            None => self.sever(&readers, reason::HOST, world),
        }
    }

    /// Records events again, if they are not and a block has become free.
    fn resume(&mut self, now: Tod, world: &mut dyn World) {
        let Some((since, lost)) = self.suspended.take() else { return };
        self.flush(now, world);
        if self.suspended.is_some() {
            self.suspended = Some((since, lost));
            return;
        }
        if lost > 0 {
            self.events.set_time(now);
            self.events.put(EventsSuspended { since: since.0.into(), lost: lost.into(), ..Default::default() });
        }
    }
}

/// The first time after `now` that is a whole number of `interval`s after `from`.
fn after(from: Tod, interval: u64, now: Tod) -> Tod {
    let interval = interval.max(1);
    let passed = now.micros_since(from) / interval;
    // A clock that was set back: the next one is an interval from now.
    if now < from { now.plus_micros(interval) } else { from.plus_micros((passed + 1) * interval) }
}
