//! Values as records have them.

use base::Tod;
use base::layout::{U16, U32};
use minidisk::real::{Real, State, device_type};
use monitor::settings::Device;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Microseconds in the TOD clock's unit.
pub(super) fn tod(microseconds: u64) -> u64 {
    Tod(0).plus_micros(microseconds).0
}

/// A counter as records have it: it wraps around.
pub(super) fn count(value: u64) -> U32 {
    U32::new(value as u32)
}

/// A value of now: as much as a word says.
pub(super) fn value(value: u64) -> U32 {
    U32::new(value.min(u32::MAX.into()) as u32)
}

pub(super) fn half(value: usize) -> U16 {
    U16::new(value.min(usize::from(u16::MAX)) as u16)
}

pub(super) fn counted(counter: &AtomicU64) -> U32 {
    count(counter.load(Relaxed))
}

/// A real disk's type: X'3390'.
pub(super) fn kind(real: &Real) -> u16 {
    u16::from_str_radix(&device_type(&real.volume.kind()), 16).unwrap_or(0)
}

/// A real disk, as choices look at it.
pub(super) fn device(real: &Real) -> Device<'_> {
    Device { number: real.number, kind: kind(real), serial: &real.serial }
}

/// The byte of a record that says what a real disk is used for.
pub(super) fn state(real: &Real) -> u8 {
    match real.state {
        State::Owned => 0x80,
        State::System => 0x40,
        State::Attached { .. } => 0x20,
        State::Free => 0,
        State::Offline => 0x10,
    }
}

/// A real disk's subsystem identification: CP gives every device one, X'0001' and its number.
pub(super) fn subchannel(number: u16) -> U32 {
    U32::new(0x0001_0000 | u32::from(number))
}
