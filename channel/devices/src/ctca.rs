//! 3088 channel-to-channel adapter: two virtual machines, each of which sees the other's channel programs as a device.
//!
//! An adapter has two sides. A command of one side ends at once or waits until the other side has the one that goes
//! with it: READ with WRITE, CONTROL with SENSE COMMAND BYTE. The other side is told by attention, if it does nothing
//! itself. Data moves when both commands are there, from one program's storage to the other's.
//!
//! In basic mode, that of the 3088 and as an adapter is after a reset, PREPARE and WRITE END OF FILE are what their low
//! bits say: NO OPERATION and WRITE. SET EXTENDED MODE gives them their own meaning.
//!
//! Coupling and its end come from CP: [`CtcaPlug`] is the end of a cable there. What is not coupled is not ready. The
//! locks of both sides are below those of the channel subsystems; bells are rung without them.

use arch::io::{DeviceStatus, SenseId, ccw_flag};
use base::Held;
use css::{Command, Data, Device, Doorbell, Outcome, Reset, Sense, sense};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

/// How many sense bytes it has.
const SENSE_BYTES: usize = 1;
/// In sense byte 0: the other side was reset.
const RESETTING: u8 = 0x01;
/// The most bytes of one block: several areas with the largest count.
const LONGEST: usize = 1 << 20;

/// What a command code is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Write,
    WriteEndOfFile,
    Read,
    Control,
    NoOperation,
    SetBasic,
    SetExtended,
    Prepare,
    SenseCommandByte,
}

impl Kind {
    /// What `code` is in this mode; `None`: it is rejected.
    fn of(code: u8, extended: bool) -> Option<Kind> {
        Some(match code {
            0x14 => Kind::SenseCommandByte,
            0x81 if extended => Kind::WriteEndOfFile,
            0xe3 if extended => Kind::Prepare,
            0xc3 => Kind::SetExtended,
            _ if code & 0xc7 == 0x43 || code & 0xc7 == 0x83 => Kind::SetBasic,
            _ if code & 0x07 == 0x03 => Kind::NoOperation,
            _ if code & 0x07 == 0x07 => Kind::Control,
            _ if code & 0x03 == 0x01 => Kind::Write,
            _ if code & 0x03 == 0x02 || code & 0x0f == 0x0c => Kind::Read,
            _ => return None,
        })
    }
}

/// How a command that waited ends.
enum End {
    /// A READ gets this block.
    Block(Vec<u8>),
    /// A READ finds the end of a file.
    TapeMark,
    /// The other side is not there any more, or was reset.
    Check(u8),
}

/// One side of an adapter.
#[derive(Default)]
struct Side {
    bell: Option<Doorbell>,
    /// The other side; gone: it is coupled to nothing.
    peer: Weak<CtcaPlug>,
    extended: bool,
    /// The command that waits: its code, what it is, and for how many bytes a READ has room.
    waits: Option<(u8, Kind, usize)>,
    /// How READ or WRITE, which waited, ends.
    end: Option<End>,
    /// Device end, after channel end of PREPARE or CONTROL; with unit check if there are these sense bits.
    device_end: Option<u8>,
    /// The sense bits of that unit check.
    sense: u8,
    /// The other side wants this one to look.
    attention: bool,
    /// The other side was reset, which the next command tells.
    was_reset: bool,
    /// The bell is to be rung.
    ring: bool,
}

impl Side {
    /// The command that waits ends, whatever it is, with unit check.
    fn fail(&mut self, bits: u8) {
        match self.waits.take() {
            Some((_, Kind::Prepare | Kind::Control, _)) => self.device_end = Some(bits),
            Some(_) => self.end = Some(End::Check(bits)),
            None => return,
        }
        self.ring = true;
    }

    /// The kind of the command that waits.
    fn waiting(&self) -> Option<Kind> {
        self.waits.map(|(_, kind, _)| kind)
    }

    /// PREPARE or CONTROL ends as it should.
    fn end_device(&mut self) {
        (self.waits, self.device_end, self.ring) = (None, Some(0), true);
    }

    /// READ or WRITE ends.
    fn finish(&mut self, end: End) {
        (self.waits, self.end, self.ring) = (None, Some(end), true);
    }

    /// This side waits; the other one is told.
    fn wait(&mut self, peer: &mut Side, command: (u8, Kind, usize)) {
        self.waits = Some(command);
        if peer.waits.is_none() {
            (peer.attention, peer.ring) = (true, true);
        }
    }
}

/// CP's end of an adapter's cable, and the state of its side.
#[derive(Default)]
pub struct CtcaPlug(Mutex<Side>);

impl CtcaPlug {
    /// A plug that is coupled to nothing.
    pub fn new() -> Arc<CtcaPlug> {
        Arc::default()
    }

    fn lock(&self) -> MutexGuard<'_, Side> {
        self.0.lock().held()
    }

    /// The plug that it is coupled to.
    pub fn peer(&self) -> Option<Arc<CtcaPlug>> {
        self.lock().peer.upgrade()
    }

    /// Couples two plugs that are coupled to nothing: both sides are ready. False: one is coupled, or both are one.
    pub fn couple(one: &Arc<CtcaPlug>, other: &Arc<CtcaPlug>) -> bool {
        if Arc::ptr_eq(one, other) {
            return false;
        }
        let (mut first, mut second) = CtcaPlug::lock_both(one, other);
        let free = first.peer.strong_count() == 0 && second.peer.strong_count() == 0;
        if free {
            (first.peer, second.peer) = (Arc::downgrade(other), Arc::downgrade(one));
        }
        free
    }

    /// Takes it from the other side: what waits at either ends as if the other had been reset, by which Linux's driver
    /// knows that it has to begin anew. What begins then is told that intervention is required.
    pub fn uncouple(self: &Arc<CtcaPlug>) {
        self.with(|side, peer| {
            let Some(peer) = peer else { return };
            for one in [side, peer] {
                one.fail(sense::INTERVENTION_REQUIRED | RESETTING);
                (one.peer, one.attention, one.was_reset) = (Weak::new(), false, false);
            }
        });
    }

    /// The adapter by which a virtual machine reaches it.
    pub fn device(self: &Arc<CtcaPlug>) -> Box<dyn Device> {
        Box::new(Ctca(self.clone()))
    }

    /// Locks two plugs, in an order that is the same for both.
    fn lock_both<'a>(one: &'a Arc<CtcaPlug>, other: &'a Arc<CtcaPlug>) -> (MutexGuard<'a, Side>, MutexGuard<'a, Side>) {
        if Arc::as_ptr(one) < Arc::as_ptr(other) {
            let first = one.lock();
            (first, other.lock())
        } else {
            let second = other.lock();
            (one.lock(), second)
        }
    }

    /// Does something with this side and the other, if there is one; then bells that are to be rung are.
    fn with<R>(self: &Arc<CtcaPlug>, act: impl FnOnce(&mut Side, Option<&mut Side>) -> R) -> R {
        fn bell(side: &mut Side) -> Option<Doorbell> {
            if std::mem::take(&mut side.ring) { side.bell.clone() } else { None }
        }
        loop {
            let peer = self.peer();
            let (result, bells) = match &peer {
                None => {
                    let mut side = self.lock();
                    // It may have been coupled meanwhile.
                    if side.peer.strong_count() > 0 {
                        continue;
                    }
                    (act(&mut side, None), [bell(&mut side), None])
                }
                Some(other) => {
                    let (mut side, mut peer) = CtcaPlug::lock_both(self, other);
                    if side.peer.as_ptr() != Arc::as_ptr(other) {
                        continue;
                    }
                    (act(&mut side, Some(&mut *peer)), [bell(&mut side), bell(&mut peer)])
                }
            };
            bells.iter().flatten().for_each(Doorbell::ring);
            return result;
        }
    }
}

/// One side of a channel-to-channel adapter, as a device.
struct Ctca(Arc<CtcaPlug>);

const BUSY: Outcome = Outcome::Done(DeviceStatus(DeviceStatus::BUSY.0 | DeviceStatus::ATTENTION.0));

fn check(bits: u8) -> Outcome {
    Outcome::check(Sense::new(SENSE_BYTES).with(0, bits))
}

/// A command that waited is looked at again: how it ends, if it does now.
fn again(side: &mut Side, peer: &mut Side, kind: Kind, data: &mut Data<'_>) -> Outcome {
    match side.end.take() {
        Some(End::Block(block)) => {
            data.store(&block);
            Outcome::ENDED
        }
        Some(End::TapeMark) => Outcome::Done(DeviceStatus::ENDED | DeviceStatus::UNIT_EXCEPTION),
        Some(End::Check(bits)) => check(bits),
        None if kind == Kind::Write && peer.waiting() == Some(Kind::Read) => move_block(side, peer, data),
        None => Outcome::Pending,
    }
}

/// WRITE, while the other side reads.
fn move_block(side: &mut Side, peer: &mut Side, data: &mut Data<'_>) -> Outcome {
    let room = peer.waits.map_or(0, |(.., room)| room);
    let block = data.fetch_up_to(room);
    side.waits = None;
    // A channel program that ends in a check has not sent a block.
    if data.ok() {
        peer.finish(End::Block(block));
    }
    Outcome::ENDED
}

/// A new command.
fn perform(side: &mut Side, peer: &mut Side, command: Command, kind: Kind, data: &mut Data<'_>) -> Outcome {
    let other = peer.waiting();
    // What the other side wanted looked at is being looked at.
    side.attention = false;
    match kind {
        Kind::SenseCommandByte => {
            data.store(&[peer.waits.map_or(0, |(code, ..)| code)]);
            if other == Some(Kind::Control) {
                peer.end_device();
            }
            return Outcome::ENDED;
        }
        // They change nothing at the other side, which may prepare.
        Kind::NoOperation | Kind::SetBasic | Kind::SetExtended => {
            if !matches!(other, None | Some(Kind::Prepare)) {
                return BUSY;
            }
            match kind {
                Kind::SetBasic => side.extended = false,
                Kind::SetExtended => side.extended = true,
                _ => (),
            }
            return Outcome::ENDED;
        }
        _ => (),
    }
    if other == Some(Kind::Prepare) {
        peer.end_device();
    }
    match (kind, other) {
        // Both are prepared, or the other is at something already.
        (Kind::Prepare, Some(_)) => Outcome::ENDED,
        (Kind::Prepare, None) => {
            side.waits = Some((command.code, kind, 0));
            Outcome::Done(DeviceStatus::CHANNEL_END)
        }
        (Kind::Control, None | Some(Kind::Prepare)) => {
            side.wait(peer, (command.code, kind, 0));
            Outcome::Done(DeviceStatus::CHANNEL_END)
        }
        (Kind::Write, Some(Kind::Read)) => move_block(side, peer, data),
        (Kind::Write, None | Some(Kind::Prepare)) => {
            side.wait(peer, (command.code, kind, 0));
            Outcome::Pending
        }
        (Kind::WriteEndOfFile, Some(Kind::Read)) => {
            peer.finish(End::TapeMark);
            Outcome::ENDED
        }
        (Kind::WriteEndOfFile, None | Some(Kind::Prepare)) => {
            if other.is_none() {
                (peer.attention, peer.ring) = (true, true);
            }
            Outcome::ENDED
        }
        (Kind::Read, None | Some(Kind::Prepare | Kind::Write)) => {
            let chained = command.flags & ccw_flag::CHAIN_DATA != 0;
            let room = if chained { LONGEST } else { data.count() as usize };
            side.wait(peer, (command.code, kind, room));
            // The WRITE that waits gives its block when it is looked at again.
            peer.ring |= other == Some(Kind::Write);
            Outcome::Pending
        }
        _ => BUSY,
    }
}

impl Device for Ctca {
    fn describe(&self) -> Option<SenseId> {
        Some(SenseId::new(0x3088, 0x08, 0, 0))
    }

    fn attached(&mut self, bell: Doorbell) {
        self.0.lock().bell = Some(bell);
    }

    fn command(&mut self, command: Command, data: &mut Data<'_>) -> Outcome {
        self.0.with(|side, peer| {
            let Some(kind) = Kind::of(command.code, side.extended) else {
                return Outcome::reject(SENSE_BYTES);
            };
            let waited = side.waits.is_some() || side.end.is_some();
            let Some(peer) = peer else {
                side.waits = None;
                return match side.end.take() {
                    Some(End::Block(block)) => {
                        data.store(&block);
                        Outcome::ENDED
                    }
                    Some(End::Check(bits)) => check(bits),
                    _ => Outcome::intervention(SENSE_BYTES),
                };
            };
            match waited {
                true => again(side, peer, kind, data),
                false if std::mem::take(&mut side.was_reset) => check(sense::INTERVENTION_REQUIRED | RESETTING),
                false => perform(side, peer, command, kind, data),
            }
        })
    }

    fn sense(&mut self) -> Sense {
        Sense::new(SENSE_BYTES).with(0, std::mem::take(&mut self.0.lock().sense))
    }

    fn attention(&mut self) -> Option<DeviceStatus> {
        let mut side = self.0.lock();
        if let Some(bits) = side.device_end.take() {
            side.sense = bits;
            let check = if bits == 0 { DeviceStatus(0) } else { DeviceStatus::UNIT_CHECK };
            return Some(DeviceStatus::DEVICE_END | check);
        }
        // While a PREPARE or CONTROL is to end, nothing else is told.
        let told = side.waits.is_none() && std::mem::take(&mut side.attention);
        told.then_some(DeviceStatus::ATTENTION)
    }

    fn halt(&mut self) -> DeviceStatus {
        self.give_up(false);
        DeviceStatus::ENDED
    }

    fn reset(&mut self, kind: Reset) {
        self.give_up(kind == Reset::System);
    }
}

impl Ctca {
    /// The command that waits is given up. The other side is told, if it knows of that command or if all of this side
    /// is reset.
    fn give_up(&self, all: bool) {
        self.0.with(|side, peer| {
            let waited = side.waits.take().is_some();
            (side.end, side.device_end, side.attention) = (None, None, false);
            if all {
                (side.extended, side.was_reset) = (false, false);
            }
            let Some(peer) = peer.filter(|_| waited || all) else { return };
            peer.attention = false;
            match peer.waits.is_some() {
                true => peer.fail(sense::INTERVENTION_REQUIRED | RESETTING),
                false => peer.was_reset = true,
            }
        });
    }
}
