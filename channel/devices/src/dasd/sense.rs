//! Sense bytes of disks: what was wrong, in the format of 3990 and 3880 control units (IBM 3990 Reference, "Sense
//! information").
//!
//! With 32 bytes, byte 27 bit 0 says that bytes 0 to 23 mean what they mean on older control units.

use css::Sense;
use dasd::MediaError;

/// What made a command end with unit check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// Command reject, with the message of format 0.
    Reject(u8),
    /// The command writes, and the disk may only be read.
    WriteInhibited,
    FileProtected,
    NoRecordFound,
    EndOfCylinder,
    InvalidTrackFormat,
    /// The data cannot be read correctly.
    DataCheck,
    EquipmentCheck,
    /// Another system has taken the device's reservation away.
    ReservationLost,
}

impl Fault {
    /// The device does not know the command.
    pub(super) const INVALID_COMMAND: Fault = Fault::Reject(1);
    /// The command may not follow what was before it.
    pub(super) const SEQUENCE: Fault = Fault::Reject(2);
    /// The CCW's count is less than the parameters need.
    pub(super) const SHORT: Fault = Fault::Reject(3);
    /// A parameter is not what it must be.
    pub(super) const PARAMETER: Fault = Fault::Reject(4);

    /// The sense bytes: `len` of them, for the access mechanism at this cylinder and head.
    pub(super) fn sense(self, len: usize, cylinder: u32, head: u32) -> Sense {
        // Byte 6: bits 0-3 the head's, as far as four bits tell it, and the cylinder's high bits.
        let sense = Sense::new(len)
            .with(5, cylinder as u8)
            .with(6, ((cylinder >> 8 & 0x0f) << 4 | head & 0x0f) as u8)
            .with(27, 0x80)
            .with(29, (cylinder >> 8) as u8)
            .with(30, cylinder as u8)
            .with(31, head as u8);
        match self {
            Fault::Reject(message) => sense.with(0, 0x80).with(7, message),
            Fault::WriteInhibited => sense.with(0, 0x80).with(1, 0x02),
            Fault::FileProtected => sense.with(1, 0x04),
            Fault::NoRecordFound => sense.with(1, 0x08),
            Fault::EndOfCylinder => sense.with(1, 0x20),
            Fault::InvalidTrackFormat => sense.with(1, 0x40),
            // Format 4, message 3: the data area, uncorrectable.
            Fault::DataCheck => sense.with(0, 0x08).with(1, 0x80).with(7, 0x43),
            Fault::EquipmentCheck => sense.with(0, 0x10).with(1, 0x80).with(7, 0x10),
            // No error of the program's: environmental data, format 3, message F. That CP lets a guest have such a unit
            // check for a minidisk is in z/VM's published data areas (RSEBK, "Reset Event Block"), and Linux's driver
            // takes it for a reservation that is lost.
            Fault::ReservationLost => sense.with(2, 0x10).with(7, 0x3f),
        }
    }
}

impl From<&MediaError> for Fault {
    fn from(error: &MediaError) -> Fault {
        match error {
            MediaError::Outside | MediaError::WrongKind => Fault::FileProtected,
            MediaError::ReadOnly => Fault::WriteInhibited,
            MediaError::Damaged(_) => Fault::DataCheck,
            MediaError::Host(_) | MediaError::Full(_) => Fault::EquipmentCheck,
            MediaError::TrackFull => Fault::InvalidTrackFormat,
        }
    }
}
