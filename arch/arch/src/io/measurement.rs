//! Measurement blocks (POP, chapter 17, "Measurement Block"). Times are in units of 128 microseconds in format 0 and of
//! half a microsecond in format 1.

use base::layout::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A block of format 0, in an array at the measurement-block origin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct MeasurementBlock0 {
    /// X'00': how often START SUBCHANNEL and RESUME SUBCHANNEL were executed.
    pub starts: U16,
    /// X'02': how often the times were updated.
    pub samples: U16,
    /// X'04': device connect, function pending, device disconnect, control-unit queuing, device-active-only time, two
    /// reserved words.
    pub times: [U32; 7],
}
const _: () = assert!(size_of::<MeasurementBlock0>() == 32);

/// A block of format 1, at an address of the subchannel's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct MeasurementBlock1 {
    /// X'00': how often START SUBCHANNEL and RESUME SUBCHANNEL were executed.
    pub starts: U32,
    /// X'04': how often the times were updated.
    pub samples: U32,
    /// X'08': device connect, function pending, device disconnect, control-unit queuing, device-active, device busy,
    /// initial command response and interruption delay time, and reserved words.
    pub times: [U32; 14],
}
const _: () = assert!(size_of::<MeasurementBlock1>() == 64);
