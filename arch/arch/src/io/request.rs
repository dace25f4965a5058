//! What programs ask of the channel subsystem: the operation-request block, channel-command words (POP, chapter 15).

use crate::Program;
use base::layout::{U16, U24, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned, transmute};

/// The two forms in storage of a channel-command word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum CcwFormat {
    /// 24-bit data address.
    Zero,
    /// 31-bit data address.
    One,
}

/// Flags of a CCW, as one byte (bits 32-39 of format 0, bits 8-15 of format 1).
pub mod ccw_flag {
    /// CD: the storage area continues in the next CCW.
    pub const CHAIN_DATA: u8 = 0x80;
    /// CC: the next CCW is a new command.
    pub const CHAIN_COMMAND: u8 = 0x40;
    /// SLI: a wrong length is not to be indicated.
    pub const SUPPRESS_LENGTH: u8 = 0x20;
    /// SKIP: input is counted but not stored.
    pub const SKIP: u8 = 0x10;
    /// PCI: an intermediate interruption condition when this CCW takes control.
    pub const PCI: u8 = 0x08;
    /// IDA: the address designates a list of indirect-data-address words.
    pub const IDA: u8 = 0x04;
    /// S: suspend before this CCW.
    pub const SUSPEND: u8 = 0x02;
    /// MIDA: the address designates a list of modified indirect-data-address words.
    pub const MIDA: u8 = 0x01;
}

/// A channel-command word of format 0 in storage (POP, chapter 15).
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Ccw0 {
    command: u8,
    address: U24,
    flags: u8,
    ignored: u8,
    count: U16,
}

/// A channel-command word of format 1 in storage.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Ccw1 {
    command: u8,
    flags: u8,
    count: U16,
    address: U32,
}

const _: () = assert!(size_of::<Ccw0>() == Ccw::SIZE && size_of::<Ccw1>() == Ccw::SIZE);

/// Channel-command word: what both formats say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ccw {
    /// The command code; its low bits say in which direction data go.
    pub command: u8,
    /// See [`ccw_flag`].
    pub flags: u8,
    /// Bytes of the data area.
    pub count: u16,
    /// Data address, list address or transfer address. In format 1 bit 0 must be zero; it is kept, to be found wrong.
    pub address: u32,
}

impl Ccw {
    /// Bytes of a CCW in storage.
    pub const SIZE: usize = 8;

    /// Reads the eight bytes of a CCW.
    pub fn decode(format: CcwFormat, bytes: [u8; Ccw::SIZE]) -> Ccw {
        match format {
            CcwFormat::Zero => {
                let Ccw0 { command, address, flags, count, .. } = transmute!(bytes);
                Ccw { command, flags, count: count.get(), address: address.get() }
            }
            CcwFormat::One => {
                let Ccw1 { command, flags, count, address } = transmute!(bytes);
                Ccw { command, flags, count: count.get(), address: address.get() }
            }
        }
    }

    /// The eight bytes of a CCW; of the address format 0 keeps 24 bits.
    pub fn encode(&self, format: CcwFormat) -> [u8; Ccw::SIZE] {
        let Ccw { command, flags, .. } = *self;
        let count = U16::new(self.count);
        match format {
            CcwFormat::Zero => {
                transmute!(Ccw0 { command, address: U24::new(self.address), flags, ignored: 0, count })
            }
            CcwFormat::One => transmute!(Ccw1 { command, flags, count, address: U32::new(self.address) }),
        }
    }

    /// Whether a flag of [`ccw_flag`] is on.
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Whether this is TRANSFER IN CHANNEL. Format 1 demands zeros in the high half of the code; that is for the reader
    /// to check.
    pub fn is_tic(&self) -> bool {
        self.command & 0x0f == 0x08
    }
}

/// Command codes that mean the same for every device.
pub mod command {
    /// CONTROL that does nothing.
    pub const NO_OPERATION: u8 = 0x03;
    /// SENSE: why the last unit check was.
    pub const BASIC_SENSE: u8 = 0x04;
    /// TRANSFER IN CHANNEL: the next CCW is at its address. No device sees it.
    pub const TRANSFER_IN_CHANNEL: u8 = 0x08;
    /// READ INITIAL PROGRAM LOADING.
    pub const READ_IPL: u8 = 0x02;
    /// SENSE ID: what the device is.
    pub const SENSE_ID: u8 = 0xe4;
}

/// Bits of word 1 of an ORB.
pub mod orb_flag {
    /// S: the program may be suspended.
    pub const SUSPEND: u32 = 0x0800_0000;
    /// C: streaming mode.
    pub const STREAMING: u32 = 0x0400_0000;
    /// M: modification control.
    pub const MODIFICATION: u32 = 0x0200_0000;
    /// Y: synchronization control.
    pub const SYNCHRONIZATION: u32 = 0x0100_0000;
    /// F: CCWs are of format 1.
    pub const FORMAT_1: u32 = 0x0080_0000;
    /// P: CCWs may be fetched before they are due.
    pub const PREFETCH: u32 = 0x0040_0000;
    /// I: initial-status interruption.
    pub const INITIAL_STATUS: u32 = 0x0020_0000;
    /// A: address-limit checking.
    pub const ADDRESS_LIMIT: u32 = 0x0010_0000;
    /// U: no interruption when suspended.
    pub const SUPPRESS_SUSPENDED: u32 = 0x0008_0000;
    /// B: the channel program is a transport-control word (refused here).
    pub const TRANSPORT: u32 = 0x0004_0000;
    /// H: IDAWs are of format 2, 64 bits.
    pub const IDAW_FORMAT_2: u32 = 0x0002_0000;
    /// T: format-2 IDAWs count blocks of 2K bytes.
    pub const IDAW_2K: u32 = 0x0001_0000;
    /// L: lengths of immediate operations of format-1 CCWs are not checked.
    pub const SUPPRESS_LENGTH: u32 = 0x0000_0080;
    /// D: modified IDAWs may be used.
    pub const MODIFIED_IDAW: u32 = 0x0000_0040;
    /// X: words 3 to 7 are there.
    pub const EXTENSION: u32 = 0x0000_0001;
    /// Bits that must be zero.
    pub const RESERVED: u32 = 0x0000_003e;
}

/// Operation-request block (POP, chapter 15): what START SUBCHANNEL is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Orb {
    /// X'00': returned with each interruption.
    pub parameter: U32,
    /// X'04': word 1: key, [`orb_flag`]s, logical-path mask.
    pub flags: U32,
    /// X'08': address of the first CCW.
    pub program: U32,
    /// X'0C': words 3 to 7, priorities; zero unless the extension is there.
    pub extension: [U32; 5],
}
const _: () = assert!(size_of::<Orb>() == Orb::SIZE);

impl Orb {
    /// Bytes of an ORB with its extension.
    pub const SIZE: usize = 32;
    /// Bytes of an ORB without [`orb_flag::EXTENSION`].
    pub const BASE: usize = 12;

    /// An ORB without extension.
    pub const fn new(parameter: u32, flags: u32, program: u32) -> Orb {
        let [parameter, flags, program] = [U32::new(parameter), U32::new(flags), U32::new(program)];
        Orb { parameter, flags, program, extension: [U32::ZERO; 5] }
    }

    /// Whether a bit of [`orb_flag`] is on.
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The access key, 0 to 15.
    pub fn key(&self) -> u8 {
        (self.flags.get() >> 28) as u8
    }

    /// Logical-path mask.
    pub fn lpm(&self) -> u8 {
        (self.flags.get() >> 8) as u8
    }

    /// In which of the two formats the channel program's CCWs are.
    pub fn format(&self) -> CcwFormat {
        if self.has(orb_flag::FORMAT_1) { CcwFormat::One } else { CcwFormat::Zero }
    }

    /// The operand exceptions of START SUBCHANNEL that the block itself can cause.
    pub fn check(&self) -> Result<(), Program> {
        let address = if self.has(orb_flag::FORMAT_1) { 0x8000_0000 } else { 0xff00_0000 };
        let wrong = self.flags & orb_flag::RESERVED != 0
            || self.has(orb_flag::TRANSPORT)
            || self.program & address != 0
            || self.has(orb_flag::IDAW_2K) && !self.has(orb_flag::IDAW_FORMAT_2);
        if wrong { Err(Program::Operand) } else { Ok(()) }
    }
}
