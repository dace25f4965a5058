//! One command and its answer: what goes between a device and the channel subsystem.

use arch::io::DeviceStatus;

/// One command of a channel program, as a device gets it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Command {
    /// Command code.
    pub code: u8,
    /// Flags of the CCW ([`arch::io::ccw_flag`]).
    pub flags: u8,
    /// Count of the CCW; data chaining may add to it.
    pub count: u16,
    /// Whether the command came by command chaining: false for the first command of a channel program.
    pub chained: bool,
}

/// A device's answer to a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The operation is over; commonly with [`DeviceStatus::ENDED`]. Channel end alone says that the device is still
    /// busy and will report device end through [`Device::attention`].
    Done(DeviceStatus),
    /// The operation ended with unit check (which is added to the status) and these sense bytes.
    Check(DeviceStatus, Sense),
    /// Not yet. The same command comes again, with its data from the beginning, after the device's doorbell rang.
    Pending,
}

impl Outcome {
    /// Channel end and device end.
    pub const ENDED: Outcome = Outcome::Done(DeviceStatus::ENDED);

    /// Unit check, channel end and device end with these sense bytes.
    pub fn check(sense: Sense) -> Outcome {
        Outcome::Check(DeviceStatus::ENDED, sense)
    }

    /// Command reject: the device does not know the command. `bytes` is the number of sense bytes it has.
    pub fn reject(bytes: usize) -> Outcome {
        Outcome::check(Sense::new(bytes).with(0, sense::COMMAND_REJECT))
    }

    /// Intervention required: empty hopper, no paper, not ready.
    pub fn intervention(bytes: usize) -> Outcome {
        Outcome::check(Sense::new(bytes).with(0, sense::INTERVENTION_REQUIRED))
    }
}

/// Bits of sense byte 0 that all devices share.
pub mod sense {
    /// A command that the device does not have, or not now.
    pub const COMMAND_REJECT: u8 = 0x80;
    /// An operator is wanted: not ready, no paper.
    pub const INTERVENTION_REQUIRED: u8 = 0x40;
    /// An error in what the channel sent.
    pub const BUS_OUT_CHECK: u8 = 0x20;
    /// The device does not work as it should.
    pub const EQUIPMENT_CHECK: u8 = 0x10;
    /// Data on the medium cannot be read.
    pub const DATA_CHECK: u8 = 0x08;
    /// The channel was too slow.
    pub const OVERRUN: u8 = 0x04;
}

/// Sense bytes, at most 32.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Sense {
    bytes: [u8; 32],
    len: u8,
}

impl Sense {
    /// `bytes` sense bytes of zero; a device has always the same number of them.
    pub fn new(bytes: usize) -> Sense {
        Sense { bytes: [0; 32], len: bytes.min(32) as u8 }
    }

    /// These sense bytes, the first 32 of them.
    pub(crate) fn of(bytes: &[u8]) -> Sense {
        let mut sense = Sense::new(bytes.len());
        let length = usize::from(sense.len);
        sense.bytes[..length].copy_from_slice(&bytes[..length]);
        sense
    }

    /// The same with bits turned on in byte `n`.
    pub fn with(mut self, n: usize, bits: u8) -> Sense {
        if n < self.bytes().len() {
            self.bytes[n] |= bits;
        }
        self
    }

    /// As many as the device has.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl From<[u8; 32]> for Sense {
    fn from(bytes: [u8; 32]) -> Sense {
        Sense { bytes, len: 32 }
    }
}

impl std::fmt::Debug for Sense {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sense({:02X?})", self.bytes())
    }
}

/// Status that lets command chaining go on: channel end, device end, status modifier.
pub(crate) fn usual(device: DeviceStatus) -> bool {
    let chaining = DeviceStatus::ENDED | DeviceStatus::STATUS_MODIFIER;
    device.0 & !chaining.0 == 0
}
