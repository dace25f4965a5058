//! What a subchannel says of what has happened: status, extended status, the interruption (POP, chapter 16).

use super::SubsystemId;
use base::layout::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Bits of word 0 of an SCSW.
pub mod scsw_flag {
    /// S: the ORB allowed suspension.
    pub const SUSPEND: u32 = 0x0800_0000;
    /// L: the ESW is of format 0.
    pub const ESW_FORMAT: u32 = 0x0400_0000;
    /// CC: deferred condition code, two bits.
    pub const DEFERRED_CC: u32 = 0x0300_0000;
    /// F: CCWs were of format 1.
    pub const FORMAT_1: u32 = 0x0080_0000;
    /// P: CCWs might be fetched before they were due.
    pub const PREFETCH: u32 = 0x0040_0000;
    /// I: the ORB asked for an initial-status interruption.
    pub const INITIAL_STATUS: u32 = 0x0020_0000;
    /// A: the ORB asked for address-limit checking.
    pub const ADDRESS_LIMIT: u32 = 0x0010_0000;
    /// U: the ORB asked for no interruption at a suspension.
    pub const SUPPRESS_SUSPENDED: u32 = 0x0008_0000;
    /// Z: zero initial status was received.
    pub const ZERO_STATUS: u32 = 0x0004_0000;
    /// E: the ECW has something.
    pub const EXTENDED_CONTROL: u32 = 0x0002_0000;
    /// N: a path is not operational.
    pub const PATH_NOT_OPERATIONAL: u32 = 0x0001_0000;

    /// In FC: START SUBCHANNEL or RESUME SUBCHANNEL.
    pub const START_FUNCTION: u32 = 0x4000;
    /// In FC: HALT SUBCHANNEL.
    pub const HALT_FUNCTION: u32 = 0x2000;
    /// In FC: CLEAR SUBCHANNEL.
    pub const CLEAR_FUNCTION: u32 = 0x1000;
    /// FC: all function-control bits.
    pub const FUNCTION: u32 = 0x7000;

    /// In AC: a resume is still to be done.
    pub const RESUME_PENDING: u32 = 0x0800;
    /// In AC: a start is still to be done.
    pub const START_PENDING: u32 = 0x0400;
    /// In AC: a halt is still to be done.
    pub const HALT_PENDING: u32 = 0x0200;
    /// In AC: a clear is still to be done.
    pub const CLEAR_PENDING: u32 = 0x0100;
    /// In AC: the subchannel executes a channel program.
    pub const SUBCHANNEL_ACTIVE: u32 = 0x0080;
    /// In AC: the device is at work, and has not said device end.
    pub const DEVICE_ACTIVE: u32 = 0x0040;
    /// In AC: the channel program is suspended.
    pub const SUSPENDED: u32 = 0x0020;
    /// AC: all activity-control bits.
    pub const ACTIVITY: u32 = 0x0fe0;

    /// In SC: something out of the ordinary.
    pub const ALERT: u32 = 0x10;
    /// In SC: a program-controlled interruption, zero initial status or a suspension.
    pub const INTERMEDIATE: u32 = 0x08;
    /// In SC: the channel program is over for the subchannel.
    pub const PRIMARY: u32 = 0x04;
    /// In SC: it is over for the device.
    pub const SECONDARY: u32 = 0x02;
    /// In SC: TEST SUBCHANNEL has something to take.
    pub const STATUS_PENDING: u32 = 0x01;
    /// SC: all status-control bits.
    pub const STATUS: u32 = 0x1f;
}

/// Subchannel status: byte 9 of an SCSW.
pub mod subchannel_status {
    /// A CCW asked for a program-controlled interruption.
    pub const PCI: u8 = 0x80;
    /// Another number of bytes than the CCW has.
    pub const INCORRECT_LENGTH: u8 = 0x40;
    /// A CCW or an address is wrong.
    pub const PROGRAM_CHECK: u8 = 0x20;
    /// The access key does not fit that of the storage.
    pub const PROTECTION_CHECK: u8 = 0x10;
    /// An error in data, in storage or on the way.
    pub const CHANNEL_DATA_CHECK: u8 = 0x08;
    /// An error of the channel subsystem.
    pub const CHANNEL_CONTROL_CHECK: u8 = 0x04;
    /// An error between the channel subsystem and the device.
    pub const INTERFACE_CONTROL_CHECK: u8 = 0x02;
    /// Data came faster than CCWs could be chained.
    pub const CHAINING_CHECK: u8 = 0x01;
}

/// Device status: byte 8 of an SCSW, what a device says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(transparent)]
pub struct DeviceStatus(pub u8);

impl DeviceStatus {
    /// The device wants something.
    pub const ATTENTION: DeviceStatus = DeviceStatus(0x80);
    /// With channel end and device end, the next CCW is skipped; with busy, the control unit is.
    pub const STATUS_MODIFIER: DeviceStatus = DeviceStatus(0x40);
    /// The control unit, busy before, is free.
    pub const CONTROL_UNIT_END: DeviceStatus = DeviceStatus(0x20);
    /// The device, or its control unit, is busy.
    pub const BUSY: DeviceStatus = DeviceStatus(0x10);
    /// The transfer of data is over.
    pub const CHANNEL_END: DeviceStatus = DeviceStatus(0x08);
    /// The device is done, or ready again.
    pub const DEVICE_END: DeviceStatus = DeviceStatus(0x04);
    /// Something is wrong; sense bytes tell what.
    pub const UNIT_CHECK: DeviceStatus = DeviceStatus(0x02);
    /// Something unusual that is no error: the end of a file, for one.
    pub const UNIT_EXCEPTION: DeviceStatus = DeviceStatus(0x01);
    /// Channel end and device end: all went well and is over.
    pub const ENDED: DeviceStatus = DeviceStatus(0x0c);

    /// Whether all bits of `other` are on.
    pub fn has(self, other: DeviceStatus) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOr for DeviceStatus {
    type Output = DeviceStatus;
    fn bitor(self, other: DeviceStatus) -> DeviceStatus {
        DeviceStatus(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for DeviceStatus {
    fn bitor_assign(&mut self, other: DeviceStatus) {
        self.0 |= other.0;
    }
}

impl std::fmt::Debug for DeviceStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = ["ATTN", "SM", "CUE", "BUSY", "CE", "DE", "UC", "UE"];
        let on: Vec<_> = (0..8).filter(|n| self.0 & (0x80 >> n) != 0).map(|n| names[n]).collect();
        write!(f, "[{}]", on.join("+"))
    }
}

/// Subchannel-status word (POP, chapter 16).
#[derive(Clone, Copy, PartialEq, Eq, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Scsw {
    /// X'00': word 0: key, [`scsw_flag`]s.
    pub control: U32,
    /// X'04': address of the last CCW used, plus 8.
    pub ccw: U32,
    /// X'08': the device status.
    pub device: DeviceStatus,
    /// X'09': see [`subchannel_status`].
    pub subchannel: u8,
    /// X'0A': residual count.
    pub count: U16,
}
const _: () = assert!(size_of::<Scsw>() == 12);

impl Scsw {
    /// Whether a bit of [`scsw_flag`] is on.
    pub fn has(&self, flag: u32) -> bool {
        self.control & flag != 0
    }

    /// The status-control bits.
    pub fn status_control(&self) -> u32 {
        self.control.get() & scsw_flag::STATUS
    }
}

impl std::fmt::Debug for Scsw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Scsw { control, ccw, device, subchannel, count } = self;
        write!(f, "Scsw({control:08X} ccw {ccw:08X} {device:?} subchannel {subchannel:02X} count {count})")
    }
}

/// Bits of the extended-report word, word 1 of an ESW.
pub mod erw_flag {
    /// A: authorization check.
    pub const AUTHORIZATION: u32 = 0x1000_0000;
    /// P: path verification required.
    pub const PATH_VERIFICATION: u32 = 0x0800_0000;
    /// T: channel-path timeout.
    pub const TIMEOUT: u32 = 0x0400_0000;
    /// F: the failing-storage address is valid.
    pub const FAILING_STORAGE: u32 = 0x0200_0000;
    /// S: the ECW holds sense bytes; their number is in [`super::Esw::sense_count`].
    pub const CONCURRENT_SENSE: u32 = 0x0100_0000;
}

/// Extended-status word (POP, chapter 16).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Esw {
    /// X'00': word 0: the subchannel logout (format 0), or the last-path-used mask in its second byte.
    pub logout: U32,
    /// X'04': word 1: extended-report word.
    pub erw: U32,
    /// X'08': words 2 and 3.
    pub failing_storage: U64,
    /// X'10': word 4.
    pub secondary_ccw: U32,
}
const _: () = assert!(size_of::<Esw>() == 20);

impl Esw {
    /// Number of sense bytes in the ECW; zero if there are none.
    pub fn sense_count(&self) -> usize {
        if self.erw & erw_flag::CONCURRENT_SENSE != 0 { (self.erw.get() >> 16 & 0x3f) as usize } else { 0 }
    }

    /// Says that the ECW holds `count` sense bytes.
    pub fn set_sense_count(&mut self, count: usize) {
        self.erw = self.erw & !0x003f_0000 | erw_flag::CONCURRENT_SENSE | (count.min(32) as u32) << 16;
    }
}

/// Interruption-response block (POP, chapter 16): what TEST SUBCHANNEL stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Irb {
    /// X'00': the subchannel-status word.
    pub scsw: Scsw,
    /// X'0C': the extended-status word.
    pub esw: Esw,
    /// X'20': extended-control word: sense bytes.
    pub ecw: [u8; 32],
}
const _: () = assert!(size_of::<Irb>() == 64);

/// What an I/O interruption stores at absolute 184-195, and TEST PENDING INTERRUPTION (POP, chapter 16,
/// "I/O-interruption code").
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct IoInterruption {
    /// X'00': the subsystem-identification word: an encoded [`SubsystemId`].
    pub subsystem_id: U32,
    /// X'04': the interruption parameter, from the ORB or the PMCW.
    pub parameter: U32,
    /// X'08': the identification word: the interruption subclass in bits 2-4. ESA/390 stores only the words before it.
    pub identification: U32,
}
const _: () = assert!(size_of::<IoInterruption>() == 12);

impl IoInterruption {
    /// An interruption for a subchannel, of a subclass from 0 to 7.
    pub fn new(id: SubsystemId, parameter: U32, isc: u8) -> IoInterruption {
        let (subsystem_id, identification) = (U32::new(id.encode()), U32::new(u32::from(isc) << 27));
        IoInterruption { subsystem_id, parameter, identification }
    }

    /// An adapter interruption: no subchannel, no parameter, and bit 0 of the identification word.
    pub fn adapter(isc: u8) -> IoInterruption {
        IoInterruption { identification: (0x8000_0000 | u32::from(isc) << 27).into(), ..IoInterruption::default() }
    }
}
