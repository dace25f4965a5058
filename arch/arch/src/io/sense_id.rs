//! What a device says that it is: Sense ID (ESA/390 Common I/O-Device Commands, SA22-7204).

use base::layout::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A command-information word that a device adds to its Sense ID data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Ciw {
    /// `0100` and the kind: 0 read configuration data, 1 set interface identifier, 2 read node identifier, 3 and 4 QDIO
    /// establish and activate.
    kind: u8,
    /// X'01': the command code.
    pub command: u8,
    /// X'02': bytes that the command moves.
    pub count: U16,
}
const _: () = assert!(size_of::<Ciw>() == 4);

impl Ciw {
    /// The word of a command of one of the kinds above, which moves `count` bytes.
    pub fn new(kind: u8, command: u8, count: u16) -> Ciw {
        Ciw { kind: 0x40 | kind & 0x0f, command, count: U16::new(count) }
    }
}

/// What every device answers to Sense ID.
#[derive(Clone, Copy, PartialEq, Eq, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Types {
    ones: u8,
    control_unit: U16,
    control_unit_model: u8,
    device: U16,
    device_model: u8,
}
const _: () = assert!(size_of::<Types>() == 7);

/// What a device answers to Sense ID (X'E4').
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SenseId {
    types: Types,
    /// At most 62.
    pub commands: Vec<Ciw>,
}

impl SenseId {
    /// A device without command-information words. The types are hexadecimal, such as `0x3990` and `0x3390`; the
    /// device's is zero if there is none.
    pub fn new(control_unit: u16, control_unit_model: u8, device: u16, device_model: u8) -> SenseId {
        let (control_unit, device) = (U16::new(control_unit), U16::new(device));
        let types = Types { ones: 0xff, control_unit, control_unit_model, device, device_model };
        SenseId { types, commands: Vec::new() }
    }

    /// Seven bytes, or a multiple of four if there are command-information words.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = self.types.as_bytes().to_vec();
        if !self.commands.is_empty() {
            bytes.push(0);
        }
        for ciw in self.commands.iter().take(62) {
            bytes.extend(ciw.as_bytes());
        }
        bytes
    }
}
