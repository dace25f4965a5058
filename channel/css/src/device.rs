//! What a device is to the channel subsystem: `trait Device`.
//!
//! A device sees commands one at a time, and their data through [`Data`]; it never sees CCWs, keys or guest addresses.
//! It answers each command at once ([`Outcome::Done`], [`Outcome::Check`]), or [`Outcome::Pending`] if it waits for
//! something else: a person at a keyboard, another virtual machine. What it waits for rings the device's [`Doorbell`],
//! which may be done from any thread and without any lock, and the channel subsystem asks the device again.
//!
//! A virtio device has queues in the program's storage beside its channel programs. It works with them through an
//! [`Adapter`] when the program notifies it or its bell has rung.

use crate::command::{Command, Outcome, Sense};
use crate::{Data, Doorbell, Program};
use arch::io::chsc::QueueDescription;
use arch::io::{DeviceStatus, Orb, SenseId};
use serde_json::Value;
use std::any::Any;
use storage::Storage;

/// What a device with queues in the program's storage works with.
pub struct Adapter<'a> {
    /// The storage, by absolute addresses. Channel programs' keys are not looked at.
    pub storage: &'a Storage,
    pub(crate) iscs: u8,
}

impl Adapter<'_> {
    /// Makes an adapter interruption of this subclass pending.
    pub fn interrupt(&mut self, isc: u8) {
        self.iscs |= 0x80 >> (isc & 7);
    }
}

/// How a device is reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reset {
    /// CLEAR SUBCHANNEL: the operation in progress is abandoned.
    Clear,
    /// I/O-system reset (IPL, system reset): as at power on, reservations and path groups included. What people put
    /// into the device (cards, lines typed) stays.
    System,
}

/// Why a device gives nothing for a [checkpoint](crate::Checkpoint).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unkept {
    /// It is at work: ask again.
    Busy,
    /// It never does, as things are: why.
    Never(&'static str),
}

/// A device and its control unit, attached to one subchannel.
///
/// Sense (04) and Sense ID (E4) are performed by the channel subsystem from [`Outcome::Check`], [`Device::sense`] and
/// [`Device::describe`]; all other commands, NO OPERATION included, come to [`Device::command`].
pub trait Device: Any + Send {
    /// The device's answer to Sense ID; `None` if it rejects that command, as devices older than it do.
    fn describe(&self) -> Option<SenseId> {
        None
    }

    /// Channel paths to the device, 1 to 8. The path of a channel program is the first in its ORB's logical-path mask.
    fn paths(&self) -> u8 {
        1
    }

    /// The type of its channel paths, as STORE CHANNEL-PATH DESCRIPTION tells it: block-multiplexing parallel channels,
    /// unless a device says another.
    fn path_type(&self) -> u8 {
        arch::io::path_type::BLOCK
    }

    /// Whether it is a console, or a unit record device that CP spools: accounting counts their I/O in records.
    fn is_spooled(&self) -> bool {
        false
    }

    /// The device was attached; it may keep the bell to ring when it has something to say.
    fn attached(&mut self, _bell: Doorbell) {}

    /// A channel program begins.
    fn begin(&mut self, _orb: &Orb) {}

    /// Performs one command. Data that does not fit the program's storage areas is the channel subsystem's concern: it
    /// shows as a short transfer here and as incorrect length or a check there.
    fn command(&mut self, command: Command, data: &mut Data<'_>) -> Outcome;

    /// At the beginning of a channel program: a device that has a fast path performs the commands that are of its kind,
    /// as [`Device::command`] would, and ends each by [`Program::end`]; the rest comes in the general way. False: it
    /// has none.
    fn fast(&mut self, _program: &mut Program<'_>) -> bool {
        false
    }

    /// The channel program ends here, however it came to that; none of its commands follows. The device does what it
    /// had put off; if that fails, the sense bytes of the unit check that the ending status then shows.
    fn end(&mut self) -> Option<Sense> {
        None
    }

    /// Asked after [`Device::end`]: whether the program's status is to wait, as the device is still busy with it. When
    /// it no longer is, its bell rings, and it is asked again. This is not asked for synchronous channel programs:
    /// their caller waits.
    fn busy(&mut self) -> bool {
        false
    }

    /// Asked after [`Device::end`] instead of [`Device::busy`], for a synchronous channel program: for how many
    /// nanoseconds the device is still busy with it.
    fn left(&mut self) -> u64 {
        0
    }

    /// Answer to a Sense command when no unit check has left sense bytes.
    fn sense(&mut self) -> Sense {
        Sense::new(32)
    }

    /// Status that the device has to report by itself: attention, device end after an end without it, or a change
    /// from not ready to ready. Asked after the bell rang and whenever the subchannel falls idle; the status is
    /// presented and so must be given once.
    fn attention(&mut self) -> Option<DeviceStatus> {
        None
    }

    /// The program says that there is something in one of the device's queues (DIAGNOSE X'500'). False if the device
    /// has no such queue.
    fn notified(&mut self, _queue: u16, _adapter: &mut Adapter<'_>) -> bool {
        false
    }

    /// What the device says of its queues, if it has such of queued direct I/O.
    fn queues(&self) -> Option<QueueDescription> {
        None
    }

    /// Where it indicates that there is something in its queues, from now on: the summary, the device's own indicator,
    /// both absolute addresses, and the subclass of its adapter interruptions. `None`: nowhere.
    fn indicate_at(&mut self, _indicators: Option<(u64, u64, u8)>) {}

    /// SIGNAL ADAPTER: a function and the queues that are meant, bit 0 (X'80000000') the first. False if no queues are
    /// active.
    fn signalled(&mut self, _function: u8, _queues: u32, _adapter: &mut Adapter<'_>) -> bool {
        false
    }

    /// The bell has rung: a device with queues goes on with them. It is asked for its status afterwards.
    fn rung(&mut self, _adapter: &mut Adapter<'_>) {}

    /// MODIFY SUBCHANNEL has disabled the subchannel.
    fn disabled(&mut self) {}

    /// HALT SUBCHANNEL while a command is pending: give it up and tell how it ended.
    fn halt(&mut self) -> DeviceStatus {
        DeviceStatus::ENDED
    }

    /// What the device holds between two channel programs, for a [checkpoint](crate::Checkpoint).
    fn checkpoint(&self) -> Result<Value, Unkept> {
        Err(Unkept::Never("what it holds cannot be saved"))
    }

    /// Goes on from what [`Device::checkpoint`] of another device like this one has given. An error if that has another
    /// form.
    fn resume(&mut self, _from: &Value) -> Result<(), serde_json::Error> {
        Ok(())
    }

    /// The subchannel was reset: give up what was pending.
    fn reset(&mut self, _kind: Reset) {}
}
