//! Disk devices and their control units: count-key-data ([`Eckd`]) and fixed-block ([`Fba`]), over any
//! [`dasd::Volume`].
//!
//! **What it is.** A device here is the control unit's side: commands, orientation on a track, extents, sense. The
//! medium is a [`Volume`]; where it lies in a host file, or on a part of another disk, is not known here.
//!
//! **How commands are performed.** A track is read once, when a command first needs it; records are found and changed
//! in its image, and a changed image goes back when another track is needed or the channel program ends, before status
//! is given. So an ended channel program is on the medium, and a medium that fails shows as unit check.
//!
//! **Glossary.** *Extent*: the tracks or blocks that DEFINE EXTENT lets a channel program reach. *Domain*: the records
//! that LOCATE RECORD announced. *Place*: which area of which record has just passed the head.

mod cache;
mod code;
mod control_unit;
mod domain;
mod eckd;
mod fba;
mod head;
mod identity;
mod records;
mod reservation;
mod sense;
mod subsystem;
pub mod timing;
mod work;

pub use cache::{Cache, Statistics};
pub use control_unit::{ControlUnit, ControlUnitModel};
pub use eckd::Eckd;
pub use fba::Fba;
pub use reservation::{Reservation, Reservations};
pub use work::{Meter, Request};

use css::{Device, Doorbell};
use dasd::{Kind, MediaError, Volume};
use std::sync::Arc;

/// What is called when the medium failed, with the track or block, and the reason.
pub type Trouble = Arc<dyn Fn(u64, &MediaError) + Send + Sync>;

/// What is to be done when some time has passed.
pub type Call = Box<dyn FnOnce() + Send>;

/// A clock that also tells devices when a time has come.
pub trait Alarm: Send + Sync {
    /// In nanoseconds, from any beginning.
    fn now(&self) -> u64;

    /// Does it at that time, with nothing locked.
    fn call(&self, at: u64, what: Call);

    /// Rings the bell at that time.
    fn ring(&self, at: u64, bell: Doorbell) {
        self.call(at, Box::new(move || bell.ring()));
    }
}

/// A device whose channel programs take their time, while its [`Timing`](timing::Timing) is on.
#[derive(Clone)]
pub struct Timed {
    /// How long the device's channel programs take.
    pub device: Arc<timing::Timing>,
    /// The clock that tells it when a time has come.
    pub alarm: Arc<dyn Alarm>,
}

/// How far a channel program's control functions reach.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Control {
    /// It has none: what would change the control unit is rejected.
    None,
    /// Those that concern the device.
    Device,
    /// Those that concern all devices of the control unit, too.
    #[default]
    Subsystem,
}

/// How a disk is attached to one configuration.
#[derive(Clone, Default)]
pub struct Options {
    /// Writes are refused, whatever the volume would allow.
    pub read_only: bool,
    /// The control unit; `None` for the one that usually has such devices.
    pub control_unit: Option<ControlUnit>,
    /// Subsystem identification: which control unit of its kind.
    pub ssid: u16,
    /// The device's address at its control unit.
    pub unit: u8,
    /// Channel paths, 1 to 8; 0 is 1.
    pub paths: u8,
    /// Serial number, at most 12 characters A-Z and 0-9.
    pub serial: String,
    /// What tells this part of a disk from others of the same disk, if it is a minidisk: programs that compare disks by
    /// their configuration data take parts with the same token for the same.
    pub token: Option<[u8; 16]>,
    /// Reservations, shared by all devices that stand for the same disk.
    pub reservation: Arc<Reservation>,
    /// This device's number among those that share the reservation ([`Reservation::join`]); `None`: a new one.
    pub party: Option<u64>,
    /// The control unit's cache, shared by all its devices; `None`: it has none.
    pub cache: Option<Arc<Cache>>,
    /// The volume's number of the medium's first track or block, by which the cache and the model of its time know it.
    pub first: u64,
    /// Whatever programs ask for, the cache is bypassed.
    pub bypass_cache: bool,
    /// What programs may do to the control unit.
    pub control: Control,
    /// While a channel program of this device is in progress, other devices of the same disk wait.
    pub working_allegiance: bool,
    /// How long channel programs take; `None`: none at all.
    pub timing: Option<Timed>,
    /// What is told of a failing medium, beside the guest.
    pub trouble: Option<Trouble>,
}

/// The device for a volume, whichever kind it is.
pub fn device(volume: Arc<dyn Volume>, options: Options) -> Box<dyn Device> {
    match volume.kind() {
        Kind::Ckd { .. } => Box::new(Eckd::new(volume, options)),
        Kind::Fba { .. } => Box::new(Fba::new(volume, options)),
    }
}
