//! A network card (specification, chapter 5.1), at a port of a switch.

use crate::ring::{Broken, Chain};
use crate::transport::{Cause, Model, Queues};
use ::net::{Cut, LONGEST, Mac, Offload, Port, SHORTEST, Takes};
use arch::virtio::{NEEDS_SUM, NetConfig, NetHeader, kind, net_feature as net, segmentation};
use base::Held;
use css::{Doorbell, Unkept};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard};
use zerocopy::{FromBytes, IntoBytes};

/// The queues: frames for the program, and frames from it.
const RECEIVE: u16 = 0;
const SEND: u16 = 1;
/// Frames that are moved at once, each way.
const BATCH: u16 = 256;
/// The shortest head of a packet of TCP.
const HEAD_OF_TCP: u16 = 20;
/// The bytes before each frame.
const HEAD: usize = size_of::<NetHeader>();

#[derive(Default)]
struct Plug {
    port: Option<Arc<Port>>,
    bell: Option<Doorbell>,
    /// The driver takes frames, and with these things to do about them.
    runs: bool,
    takes: Takes,
    changed: bool,
}

/// The cable of a card: it is in a port or in none.
#[derive(Default)]
pub struct Cable(Mutex<Plug>);

impl Cable {
    /// A cable that is in no port.
    pub fn new() -> Arc<Cable> {
        Arc::default()
    }

    fn lock(&self) -> MutexGuard<'_, Plug> {
        self.0.lock().held()
    }

    /// The port that it is in.
    pub fn port(&self) -> Option<Arc<Port>> {
        self.lock().port.clone()
    }

    /// Puts it into a port, or takes it out. The program sees that the link is up or down.
    pub fn couple(&self, port: Option<Arc<Port>>) {
        let mut plug = self.lock();
        // The port that it was in drops what waits there.
        if let Some(old) = std::mem::replace(&mut plug.port, port) {
            old.set_up(false);
        }
        plug.changed = true;
        plug.plug_in();
        let bell = plug.bell.clone();
        drop(plug);
        if let Some(bell) = bell {
            bell.ring();
        }
    }

    /// The adapter was attached: the bell to ring when a frame comes, or the cable is put into another port.
    pub fn attach(&self, bell: Doorbell) {
        let mut plug = self.lock();
        // The virtual machine may have had another adapter at this cable, before it got other hardware.
        plug.runs = false;
        plug.bell = Some(bell);
        plug.plug_in();
    }

    /// The driver takes frames, and with these things to do about them; or it takes none any more.
    pub fn run(&self, runs: bool, takes: Takes) {
        let mut plug = self.lock();
        (plug.runs, plug.takes) = (runs, takes);
        plug.plug_in();
    }

    /// Whether it was put into another port, or taken out, since this was asked last.
    pub fn take_change(&self) -> bool {
        std::mem::take(&mut self.lock().changed)
    }
}

impl Plug {
    fn plug_in(&self) {
        let Some(port) = &self.port else { return };
        port.takes(self.takes);
        port.set_up(self.runs);
        if let Some(bell) = self.bell.clone() {
            port.on_frames(move || bell.ring());
        }
    }
}

/// What a card could not do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CardCounters {
    /// Frames of the program that are none, or that ask for what was not agreed upon.
    pub refused: u64,
    /// Frames of the program while the cable was in no port.
    pub lost: u64,
    /// Frames for the program that were longer than its buffers.
    pub too_long: u64,
}

/// The model of a network card.
pub struct Card {
    cable: Arc<Cable>,
    mac: Mac,
    mtu: u16,
    features: u64,
    counters: CardCounters,
    /// The frame that comes next for the program, if `waits`.
    incoming: Vec<u8>,
    open: Offload,
    waits: bool,
    /// The driver was told not to notify us of new buffers.
    quiet: bool,
    outgoing: Vec<u8>,
    /// More frames of the program than one turn sends.
    unfinished: bool,
    chains: Vec<Chain>,
}

impl Card {
    /// A card with this address at the end of `cable`, for packets of up to `mtu` bytes.
    pub fn new(cable: Arc<Cable>, mac: Mac, mtu: u16) -> Card {
        Card {
            cable,
            mac,
            mtu,
            features: 0,
            counters: CardCounters::default(),
            incoming: Vec::new(),
            open: Offload::NONE,
            waits: false,
            quiet: false,
            outgoing: Vec::new(),
            unfinished: false,
            chains: vec![Chain::default()],
        }
    }

    /// What it could not do.
    pub fn counters(&self) -> CardCounters {
        self.counters
    }

    /// Sends what the program has.
    fn send(&mut self, port: Option<&Port>, queues: &mut Queues<'_>) -> Result<(), Broken> {
        let storage = queues.storage;
        self.unfinished = false;
        for _ in 0..BATCH {
            if !queues.take(SEND, &mut self.chains[0])? {
                return queues.publish(SEND);
            }
            let chain = &self.chains[0];
            let length = chain.readable();
            if (HEAD + SHORTEST..=HEAD + LONGEST).contains(&(length as usize)) {
                self.outgoing.clear();
                chain.read(storage, 0, &mut self.outgoing)?;
                let (header, frame) = NetHeader::ref_from_prefix(&self.outgoing).expect("it is long enough");
                match (self.asked(header, frame), port) {
                    (None, _) => self.counters.refused += 1,
                    (Some(open), Some(port)) => _ = port.send_open(frame, open),
                    (_, None) => self.counters.lost += 1,
                }
            } else {
                self.counters.refused += 1;
            }
            queues.queue(SEND).put(storage, &self.chains[0], 0)?;
        }
        self.unfinished = true;
        queues.again();
        queues.publish(SEND)
    }

    /// What the driver leaves to be done about a frame. `None`: it was not agreed upon, or cannot be.
    fn asked(&self, header: &NetHeader, frame: &[u8]) -> Option<Offload> {
        let agreed = |feature: u64| self.features & feature != 0;
        let sum = match header.flags {
            0 => None,
            NEEDS_SUM if agreed(net::CSUM) => {
                let at = header.sum_from.get().checked_add(header.sum_at.get())?;
                (usize::from(at) + 2 <= frame.len()).then_some(())?;
                Some((header.sum_from.get(), at))
            }
            _ => return None,
        };
        let cut = |six| sum.map(|_| Some(Cut { part: header.part.get(), six }));
        let cut = match header.segmentation {
            segmentation::NONE => None,
            segmentation::TCP4 if agreed(net::HOST_TSO4) => cut(false)?,
            segmentation::TCP6 if agreed(net::HOST_TSO6) => cut(true)?,
            _ => return None,
        };
        Some(Offload { sum, cut })
    }

    /// What is said of the frame that comes next for the program, which lies in so many buffers.
    fn header(&self, buffers: u16) -> NetHeader {
        let mut header = NetHeader { buffers: buffers.into(), ..NetHeader::default() };
        if let Some((from, at)) = self.open.sum {
            header.flags = NEEDS_SUM;
            (header.sum_from, header.sum_at) = (from.into(), (at - from).into());
        }
        if let (Some(cut), Some((from, _))) = (self.open.cut, self.open.sum) {
            header.segmentation = if cut.six { segmentation::TCP6 } else { segmentation::TCP4 };
            (header.head, header.part) = (from.saturating_add(HEAD_OF_TCP).into(), cut.part.into());
        }
        header
    }

    /// Gives the program what has come for it.
    fn receive(&mut self, port: &Port, queues: &mut Queues<'_>) -> Result<(), Broken> {
        for _ in 0..BATCH {
            if !self.waits {
                let Some(open) = port.receive_open(&mut self.incoming) else {
                    // There is nothing that buffers are wanted for.
                    if !std::mem::replace(&mut self.quiet, true) {
                        let storage = queues.storage;
                        queues.queue(RECEIVE).want(storage, false)?;
                    }
                    return queues.publish(RECEIVE);
                };
                self.open = open;
            }
            self.waits = !self.place(queues)?;
            if self.waits {
                let storage = queues.storage;
                self.quiet = false;
                if !queues.queue(RECEIVE).want(storage, true)? {
                    return queues.publish(RECEIVE);
                }
            }
        }
        queues.again();
        queues.publish(RECEIVE)
    }

    /// Puts the frame into buffers of the driver, or drops it if it cannot ever be put there. False: the driver has too
    /// few buffers there now.
    fn place(&mut self, queues: &mut Queues<'_>) -> Result<bool, Broken> {
        let (storage, queue) = (queues.storage, queues.queue(RECEIVE));
        let needed = (HEAD + self.incoming.len()) as u64;
        let merges = self.features & net::MRG_RXBUF != 0;
        let (mut room, mut count) = (0, 0);
        while room < needed && (count == 0 || merges && count < usize::from(queue.size())) {
            if self.chains.len() == count {
                self.chains.push(Chain::default());
            }
            if !queue.take(storage, &mut self.chains[count])? {
                queue.give_back(count as u16);
                return Ok(false);
            }
            room += self.chains[count].writable();
            count += 1;
        }
        let chains = &self.chains[..count];
        if room < needed || chains[0].writable() < HEAD as u64 {
            queue.give_back(count as u16);
            self.counters.too_long += 1;
            return Ok(true);
        }
        let header = self.header(count as u16);
        chains[0].write(storage, 0, header.as_bytes())?;
        let (mut skip, mut done) = (HEAD, 0);
        for chain in chains {
            let written = chain.write(storage, skip as u64, &self.incoming[done..])?;
            queue.put(storage, chain, (skip + written) as u32)?;
            done += written;
            skip = 0;
        }
        Ok(true)
    }
}

impl Model for Card {
    fn kind(&self) -> u8 {
        kind::NET
    }

    fn queues(&self) -> &'static [u16] {
        &[256, 256]
    }

    fn features(&self) -> u64 {
        const OFFLOADS: u64 =
            net::CSUM | net::GUEST_CSUM | net::GUEST_TSO4 | net::GUEST_TSO6 | net::HOST_TSO4 | net::HOST_TSO6;
        net::MAC | net::STATUS | net::MTU | net::MRG_RXBUF | OFFLOADS
    }

    fn config(&self) -> Vec<u8> {
        let up = self.cable.lock().port.is_some();
        let config = NetConfig { mac: self.mac.0, status: u16::from(up).into(), pairs: 1.into(), mtu: self.mtu.into() };
        config.as_bytes().to_vec()
    }

    fn config_changed(&mut self) -> bool {
        self.cable.take_change()
    }

    fn attached(&mut self, bell: &Doorbell) {
        self.cable.attach(bell.clone());
    }

    fn start(&mut self, features: u64) {
        self.features = features;
        let sums = features & net::GUEST_CSUM != 0;
        let long = |feature| sums && features & feature != 0;
        let takes = Takes { sums, long4: long(net::GUEST_TSO4), long6: long(net::GUEST_TSO6) };
        (self.waits, self.quiet, self.unfinished) = (false, false, false);
        self.cable.run(true, takes);
    }

    fn stop(&mut self) {
        self.waits = false;
        self.cable.run(false, Takes::default());
    }

    /// A frame that waits for buffers is lost: networks may do that.
    fn checkpoint(&self) -> Result<Value, Unkept> {
        Ok(Value::Null)
    }

    fn serve(&mut self, cause: Cause, queues: &mut Queues<'_>) -> Result<(), Broken> {
        let port = self.cable.port();
        if cause == Cause::Notified(SEND) || self.unfinished {
            self.send(port.as_deref(), queues)?;
        }
        match port {
            Some(port) if cause != Cause::Notified(SEND) => self.receive(&port, queues),
            _ => Ok(()),
        }
    }
}
