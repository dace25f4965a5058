//! What programs and the channel subsystem say to each other in storage (POP, chapters 13 to 17).
//!
//! Each structure is a plain value with `decode` from and `encode` to the big-endian bytes that a guest sees; the array
//! types assert the sizes. Words whose bits have names keep their word form with masks beside them, because programs
//! compare and merge them as words: what STORE SUBCHANNEL gave must come back unchanged through MODIFY SUBCHANNEL.
//!
//! Words are numbered and bits are counted as in the manual; masks are of the full word unless said otherwise.

use crate::Program;
use base::layout::{U16, U24, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned, transmute};

/// The subchannel number and set that instructions take in general register 1, and that interruptions store at
/// absolute 184: `X'0001nnnn'` (POP, chapter 14, "Subsystem-identification word").
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct SubsystemId(u16);

impl SubsystemId {
    /// The identification of subchannel `number` of subchannel set 0, the only one we provide.
    pub fn new(number: u16) -> SubsystemId {
        SubsystemId(number)
    }

    /// From bits 32-63 of general register 1; an operand exception if the word does not name set 0.
    pub fn decode(word: u32) -> Result<SubsystemId, Program> {
        if word >> 16 == 1 { Ok(SubsystemId(word as u16)) } else { Err(Program::Operand) }
    }

    /// The word as programs see it.
    pub fn encode(self) -> u32 {
        0x0001_0000 | u32::from(self.0)
    }

    /// The subchannel number.
    pub fn number(self) -> u16 {
        self.0
    }
}

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
    pub command: u8,
    /// See [`ccw_flag`].
    pub flags: u8,
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
    pub const NO_OPERATION: u8 = 0x03;
    pub const BASIC_SENSE: u8 = 0x04;
    pub const TRANSFER_IN_CHANNEL: u8 = 0x08;
    pub const READ_IPL: u8 = 0x02;
    pub const SENSE_ID: u8 = 0xe4;
}

/// Bits of word 1 of an ORB.
pub mod orb_flag {
    pub const SUSPEND: u32 = 0x0800_0000;
    /// C: streaming mode.
    pub const STREAMING: u32 = 0x0400_0000;
    /// M: modification control.
    pub const MODIFICATION: u32 = 0x0200_0000;
    /// Y: synchronization control.
    pub const SYNCHRONIZATION: u32 = 0x0100_0000;
    /// F: CCWs are of format 1.
    pub const FORMAT_1: u32 = 0x0080_0000;
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Orb {
    /// Returned with each interruption.
    pub parameter: u32,
    /// Word 1: key, [`orb_flag`]s, logical-path mask.
    pub flags: u32,
    /// Address of the first CCW.
    pub program: u32,
    /// Words 3 to 7, priorities; zero unless the extension is there.
    pub extension: [u32; 5],
}

impl Orb {
    /// Bytes of an ORB with its extension.
    pub const SIZE: usize = 32;
    /// Bytes of an ORB without [`orb_flag::EXTENSION`].
    pub const BASE: usize = 12;

    /// Reads an ORB; of one without the extension the first [`Orb::BASE`] bytes count.
    pub fn decode(b: &[u8; Orb::SIZE]) -> Orb {
        let flags = word(b, 1);
        let extension = if flags & orb_flag::EXTENSION != 0 { std::array::from_fn(|n| word(b, 3 + n)) } else { [0; 5] };
        Orb { parameter: word(b, 0), flags, program: word(b, 2), extension }
    }

    pub fn encode(&self) -> [u8; Orb::SIZE] {
        let [a, b, c, d, e] = self.extension;
        words([self.parameter, self.flags, self.program, a, b, c, d, e])
    }

    /// Whether a bit of [`orb_flag`] is on.
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The access key, 0 to 15.
    pub fn key(&self) -> u8 {
        (self.flags >> 28) as u8
    }

    /// Logical-path mask.
    pub fn lpm(&self) -> u8 {
        (self.flags >> 8) as u8
    }

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

/// Bits of word 1 of a PMCW (the device number is its low half).
pub mod pmcw_flag {
    /// Interruption subclass, three bits; see [`super::Pmcw::isc`].
    pub const ISC: u32 = 0x3800_0000;
    /// E: the subchannel is enabled.
    pub const ENABLED: u32 = 0x0080_0000;
    /// LM: address-limit mode.
    pub const LIMIT_MODE: u32 = 0x0060_0000;
    /// MM: measurement mode.
    pub const MEASUREMENT_MODE: u32 = 0x0018_0000;
    /// D: multipath mode.
    pub const MULTIPATH: u32 = 0x0004_0000;
    /// T: timing facility.
    pub const TIMING: u32 = 0x0002_0000;
    /// V: the device number is valid.
    pub const VALID: u32 = 0x0001_0000;
    /// Bits that must be zero in MODIFY SUBCHANNEL.
    pub const RESERVED: u32 = 0x0700_0000;
}

/// Bits of word 6 of a PMCW.
pub mod pmcw_characteristic {
    /// ST: kind of subchannel, zero for I/O.
    pub const TYPE: u32 = 0x00e0_0000;
    /// F: measurement-block format.
    pub const MEASUREMENT_FORMAT: u32 = 0x0000_0004;
    /// X: extended-measurement words wanted.
    pub const EXTENDED_MEASUREMENT: u32 = 0x0000_0002;
    /// S: concurrent sense wanted.
    pub const CONCURRENT_SENSE: u32 = 0x0000_0001;
}

/// Path-management-control word (POP, chapter 15).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pmcw {
    /// Interruption parameter.
    pub parameter: u32,
    /// Word 1: [`pmcw_flag`]s and device number.
    pub flags: u32,
    /// Logical-path mask.
    pub lpm: u8,
    /// Path-not-operational mask.
    pub pnom: u8,
    /// Last-path-used mask.
    pub lpum: u8,
    /// Path-installed mask.
    pub pim: u8,
    /// Measurement-block index.
    pub mbi: u16,
    /// Path-operational mask.
    pub pom: u8,
    /// Path-available mask.
    pub pam: u8,
    /// Channel-path identifiers of the eight paths.
    pub chpid: [u8; 8],
    /// Word 6: [`pmcw_characteristic`]s.
    pub characteristics: u32,
}

impl Pmcw {
    pub const SIZE: usize = 28;

    pub fn decode(b: &[u8; Pmcw::SIZE]) -> Pmcw {
        Pmcw {
            parameter: word(b, 0),
            flags: word(b, 1),
            lpm: b[8],
            pnom: b[9],
            lpum: b[10],
            pim: b[11],
            mbi: u16::from_be_bytes([b[12], b[13]]),
            pom: b[14],
            pam: b[15],
            chpid: std::array::from_fn(|n| b[16 + n]),
            characteristics: word(b, 6),
        }
    }

    pub fn encode(&self) -> [u8; Pmcw::SIZE] {
        let masks = u32::from_be_bytes([self.lpm, self.pnom, self.lpum, self.pim]);
        let mbi = u32::from(self.mbi) << 16 | u32::from(self.pom) << 8 | u32::from(self.pam);
        let c = self.chpid;
        let paths = [u32::from_be_bytes([c[0], c[1], c[2], c[3]]), u32::from_be_bytes([c[4], c[5], c[6], c[7]])];
        words([self.parameter, self.flags, masks, mbi, paths[0], paths[1], self.characteristics])
    }

    /// Interruption subclass, 0 to 7.
    pub fn isc(&self) -> u8 {
        (self.flags >> 27 & 7) as u8
    }

    /// Sets the interruption subclass.
    pub fn set_isc(&mut self, isc: u8) {
        self.flags = self.flags & !pmcw_flag::ISC | u32::from(isc & 7) << 27;
    }

    pub fn enabled(&self) -> bool {
        self.flags & pmcw_flag::ENABLED != 0
    }

    pub fn valid(&self) -> bool {
        self.flags & pmcw_flag::VALID != 0
    }

    pub fn concurrent_sense(&self) -> bool {
        self.characteristics & pmcw_characteristic::CONCURRENT_SENSE != 0
    }

    /// The device number.
    pub fn device(&self) -> u16 {
        self.flags as u16
    }
}

/// Bits of word 0 of an SCSW.
pub mod scsw_flag {
    /// S: the ORB allowed suspension.
    pub const SUSPEND: u32 = 0x0800_0000;
    /// L: the ESW is of format 0.
    pub const ESW_FORMAT: u32 = 0x0400_0000;
    /// CC: deferred condition code, two bits.
    pub const DEFERRED_CC: u32 = 0x0300_0000;
    pub const FORMAT_1: u32 = 0x0080_0000;
    pub const PREFETCH: u32 = 0x0040_0000;
    pub const INITIAL_STATUS: u32 = 0x0020_0000;
    pub const ADDRESS_LIMIT: u32 = 0x0010_0000;
    pub const SUPPRESS_SUSPENDED: u32 = 0x0008_0000;
    /// Z: zero initial status was received.
    pub const ZERO_STATUS: u32 = 0x0004_0000;
    /// E: the ECW has something.
    pub const EXTENDED_CONTROL: u32 = 0x0002_0000;
    /// N: a path is not operational.
    pub const PATH_NOT_OPERATIONAL: u32 = 0x0001_0000;

    pub const START_FUNCTION: u32 = 0x4000;
    pub const HALT_FUNCTION: u32 = 0x2000;
    pub const CLEAR_FUNCTION: u32 = 0x1000;
    /// FC: all function-control bits.
    pub const FUNCTION: u32 = 0x7000;

    pub const RESUME_PENDING: u32 = 0x0800;
    pub const START_PENDING: u32 = 0x0400;
    pub const HALT_PENDING: u32 = 0x0200;
    pub const CLEAR_PENDING: u32 = 0x0100;
    pub const SUBCHANNEL_ACTIVE: u32 = 0x0080;
    pub const DEVICE_ACTIVE: u32 = 0x0040;
    pub const SUSPENDED: u32 = 0x0020;
    /// AC: all activity-control bits.
    pub const ACTIVITY: u32 = 0x0fe0;

    pub const ALERT: u32 = 0x10;
    pub const INTERMEDIATE: u32 = 0x08;
    pub const PRIMARY: u32 = 0x04;
    pub const SECONDARY: u32 = 0x02;
    pub const STATUS_PENDING: u32 = 0x01;
    /// SC: all status-control bits.
    pub const STATUS: u32 = 0x1f;
}

/// Subchannel status: byte 9 of an SCSW.
pub mod subchannel_status {
    pub const PCI: u8 = 0x80;
    pub const INCORRECT_LENGTH: u8 = 0x40;
    pub const PROGRAM_CHECK: u8 = 0x20;
    pub const PROTECTION_CHECK: u8 = 0x10;
    pub const CHANNEL_DATA_CHECK: u8 = 0x08;
    pub const CHANNEL_CONTROL_CHECK: u8 = 0x04;
    pub const INTERFACE_CONTROL_CHECK: u8 = 0x02;
    pub const CHAINING_CHECK: u8 = 0x01;
}

/// Device status: byte 8 of an SCSW, what a device says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct DeviceStatus(pub u8);

impl DeviceStatus {
    pub const ATTENTION: DeviceStatus = DeviceStatus(0x80);
    pub const STATUS_MODIFIER: DeviceStatus = DeviceStatus(0x40);
    pub const CONTROL_UNIT_END: DeviceStatus = DeviceStatus(0x20);
    pub const BUSY: DeviceStatus = DeviceStatus(0x10);
    pub const CHANNEL_END: DeviceStatus = DeviceStatus(0x08);
    pub const DEVICE_END: DeviceStatus = DeviceStatus(0x04);
    pub const UNIT_CHECK: DeviceStatus = DeviceStatus(0x02);
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
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Scsw {
    /// Word 0: key, [`scsw_flag`]s.
    pub control: u32,
    /// Address of the last CCW used, plus 8.
    pub ccw: u32,
    pub device: DeviceStatus,
    /// See [`subchannel_status`].
    pub subchannel: u8,
    /// Residual count.
    pub count: u16,
}

impl Scsw {
    pub const SIZE: usize = 12;

    pub fn decode(b: &[u8; Scsw::SIZE]) -> Scsw {
        Scsw {
            control: word(b, 0),
            ccw: word(b, 1),
            device: DeviceStatus(b[8]),
            subchannel: b[9],
            count: u16::from_be_bytes([b[10], b[11]]),
        }
    }

    pub fn encode(&self) -> [u8; Scsw::SIZE] {
        let status = u32::from(self.device.0) << 24 | u32::from(self.subchannel) << 16 | u32::from(self.count);
        words([self.control, self.ccw, status])
    }

    /// Whether a bit of [`scsw_flag`] is on.
    pub fn has(&self, flag: u32) -> bool {
        self.control & flag != 0
    }

    /// The status-control bits.
    pub fn status_control(&self) -> u32 {
        self.control & scsw_flag::STATUS
    }

    /// The deferred condition code.
    pub fn deferred_cc(&self) -> u8 {
        (self.control >> 24 & 3) as u8
    }
}

impl std::fmt::Debug for Scsw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Scsw { control, ccw, device, subchannel, count } = self;
        write!(f, "Scsw({control:08X} ccw {ccw:08X} {device:?} subchannel {subchannel:02X} count {count})")
    }
}

/// Subchannel-information block (POP, chapter 15): what STORE SUBCHANNEL stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Schib {
    pub pmcw: Pmcw,
    pub scsw: Scsw,
    /// Measurement-block address.
    pub mba: u64,
    pub model_dependent: [u8; 4],
}

impl Schib {
    pub const SIZE: usize = 52;

    pub fn decode(b: &[u8; Schib::SIZE]) -> Schib {
        Schib {
            pmcw: Pmcw::decode(part(b, 0)),
            scsw: Scsw::decode(part(b, 28)),
            mba: u64::from_be_bytes(*part(b, 40)),
            model_dependent: *part(b, 48),
        }
    }

    pub fn encode(&self) -> [u8; Schib::SIZE] {
        let mut b = [0; Schib::SIZE];
        b[..28].copy_from_slice(&self.pmcw.encode());
        b[28..40].copy_from_slice(&self.scsw.encode());
        b[40..48].copy_from_slice(&self.mba.to_be_bytes());
        b[48..].copy_from_slice(&self.model_dependent);
        b
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Esw {
    /// Word 0: the subchannel logout (format 0), or the last-path-used mask in its second byte.
    pub logout: u32,
    /// Word 1: extended-report word.
    pub erw: u32,
    /// Words 2 and 3.
    pub failing_storage: u64,
    /// Word 4.
    pub secondary_ccw: u32,
}

impl Esw {
    pub const SIZE: usize = 20;

    pub fn decode(b: &[u8; Esw::SIZE]) -> Esw {
        Esw {
            logout: word(b, 0),
            erw: word(b, 1),
            failing_storage: u64::from_be_bytes(*part(b, 8)),
            secondary_ccw: word(b, 4),
        }
    }

    pub fn encode(&self) -> [u8; Esw::SIZE] {
        let (high, low) = ((self.failing_storage >> 32) as u32, self.failing_storage as u32);
        words([self.logout, self.erw, high, low, self.secondary_ccw])
    }

    /// Number of sense bytes in the ECW; zero if there are none.
    pub fn sense_count(&self) -> usize {
        if self.erw & erw_flag::CONCURRENT_SENSE != 0 { (self.erw >> 16 & 0x3f) as usize } else { 0 }
    }

    /// Says that the ECW holds `count` sense bytes.
    pub fn set_sense_count(&mut self, count: usize) {
        self.erw = self.erw & !0x003f_0000 | erw_flag::CONCURRENT_SENSE | (count.min(32) as u32) << 16;
    }
}

/// Interruption-response block (POP, chapter 16): what TEST SUBCHANNEL stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Irb {
    pub scsw: Scsw,
    pub esw: Esw,
    /// Extended-control word: sense bytes.
    pub ecw: [u8; 32],
}

impl Irb {
    pub const SIZE: usize = 64;

    pub fn decode(b: &[u8; Irb::SIZE]) -> Irb {
        Irb { scsw: Scsw::decode(part(b, 0)), esw: Esw::decode(part(b, 12)), ecw: *part(b, 32) }
    }

    pub fn encode(&self) -> [u8; Irb::SIZE] {
        let mut b = [0; Irb::SIZE];
        b[..12].copy_from_slice(&self.scsw.encode());
        b[12..32].copy_from_slice(&self.esw.encode());
        b[32..].copy_from_slice(&self.ecw);
        b
    }
}

/// What an I/O interruption stores at absolute 184-195, and TEST PENDING INTERRUPTION (POP, chapter 16,
/// "I/O-interruption code").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IoInterruption {
    pub subsystem_id: SubsystemId,
    pub parameter: u32,
    /// Interruption subclass, 0 to 7.
    pub isc: u8,
}

impl IoInterruption {
    pub const SIZE: usize = 12;

    /// Subsystem-identification word, parameter, and the identification word (its ISC in bits 2-4). ESA/390 stores the
    /// first eight bytes.
    pub fn encode(&self) -> [u8; IoInterruption::SIZE] {
        words([self.subsystem_id.encode(), self.parameter, u32::from(self.isc) << 27])
    }
}

/// A command-information word that a device adds to its Sense ID data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ciw {
    /// 0 read configuration data, 1 set interface identifier, 2 read node identifier, 3 and 4 QDIO establish and
    /// activate.
    pub kind: u8,
    pub command: u8,
    pub count: u16,
}

/// What a device answers to Sense ID (X'E4').
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SenseId {
    /// Control-unit type in hexadecimal, such as `0x3990`.
    pub control_unit: u16,
    pub control_unit_model: u8,
    /// Device type in hexadecimal, such as `0x3390`; zero if there is none.
    pub device: u16,
    pub device_model: u8,
    /// At most 62.
    pub commands: Vec<Ciw>,
}

impl SenseId {
    /// A device without command-information words.
    pub fn new(control_unit: u16, control_unit_model: u8, device: u16, device_model: u8) -> SenseId {
        SenseId { control_unit, control_unit_model, device, device_model, commands: Vec::new() }
    }

    /// Seven bytes, or a multiple of four if there are command-information words.
    pub fn encode(&self) -> Vec<u8> {
        let (c, d) = (self.control_unit.to_be_bytes(), self.device.to_be_bytes());
        let mut b = vec![0xff, c[0], c[1], self.control_unit_model, d[0], d[1], self.device_model];
        if !self.commands.is_empty() {
            b.push(0);
        }
        for ciw in self.commands.iter().take(62) {
            let n = ciw.count.to_be_bytes();
            b.extend([0x40 | ciw.kind & 0x0f, ciw.command, n[0], n[1]]);
        }
        b
    }
}

/// Channel-report word (POP, chapter 17): what STORE CHANNEL REPORT WORD stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Crw {
    pub solicited: bool,
    /// Words before this one were lost.
    pub overflow: bool,
    /// The next word belongs to this one.
    pub chained: bool,
    /// RSC: 2 monitoring facility, 3 subchannel, 4 channel path, 9 configuration alert, 11 channel subsystem.
    pub source: u8,
    pub ancillary: bool,
    /// ERC: 0 event pending, 1 available, 2 initialized, 3 temporary error, 4 installed parameters initialized,
    /// 5 terminal, 6 and 7 permanent error, 8 installed parameters modified.
    pub error: u8,
    /// Reporting-source identification, such as a subchannel number.
    pub id: u16,
}

impl Crw {
    /// RSC of a subchannel.
    pub const SUBCHANNEL: u8 = 3;
    /// RSC of a channel path.
    pub const CHANNEL_PATH: u8 = 4;
    /// ERC of a device that came or went.
    pub const PARAMETERS_INITIALIZED: u8 = 4;
    /// ERC of a finished reset.
    pub const INITIALIZED: u8 = 2;

    pub fn encode(&self) -> u32 {
        u32::from(self.solicited) << 30
            | u32::from(self.overflow) << 29
            | u32::from(self.chained) << 28
            | u32::from(self.source & 15) << 24
            | u32::from(self.ancillary) << 23
            | u32::from(self.error & 63) << 16
            | u32::from(self.id)
    }

    pub fn decode(w: u32) -> Crw {
        Crw {
            solicited: w & 0x4000_0000 != 0,
            overflow: w & 0x2000_0000 != 0,
            chained: w & 0x1000_0000 != 0,
            source: (w >> 24 & 15) as u8,
            ancillary: w & 0x0080_0000 != 0,
            error: (w >> 16 & 63) as u8,
            id: w as u16,
        }
    }
}

fn word(b: &[u8], n: usize) -> u32 {
    u32::from_be_bytes(*part(b, 4 * n))
}

/// `N` bytes of a structure whose array type proves that they are there.
fn part<const N: usize>(b: &[u8], at: usize) -> &[u8; N] {
    b[at..].first_chunk().expect("fields lie within their structure")
}

fn words<const N: usize, const BYTES: usize>(w: [u32; N]) -> [u8; BYTES] {
    const { assert!(4 * N == BYTES) };
    let mut b = [0; BYTES];
    for (to, from) in b.chunks_exact_mut(4).zip(w) {
        to.copy_from_slice(&from.to_be_bytes());
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ccw_has_two_forms() {
        let ccw =
            Ccw { command: 2, flags: ccw_flag::CHAIN_COMMAND | ccw_flag::SUPPRESS_LENGTH, count: 80, address: 0x68 };
        assert_eq!(ccw.encode(CcwFormat::Zero), [0x02, 0, 0, 0x68, 0x60, 0, 0, 80]);
        assert_eq!(ccw.encode(CcwFormat::One), [0x02, 0x60, 0, 80, 0, 0, 0, 0x68]);
        for format in [CcwFormat::Zero, CcwFormat::One] {
            assert_eq!(Ccw::decode(format, ccw.encode(format)), ccw);
        }
    }

    #[test]
    fn subsystem_ids_name_set_zero() {
        assert_eq!(SubsystemId::decode(0x0001_0007), Ok(SubsystemId::new(7)));
        assert_eq!(SubsystemId::decode(0x0000_0007), Err(Program::Operand));
        assert_eq!(SubsystemId::decode(0x0003_0007), Err(Program::Operand), "set 1");
        assert_eq!(SubsystemId::new(7).encode(), 0x0001_0007);
    }

    #[test]
    fn blocks_keep_every_bit_they_have() {
        let bytes: [u8; Schib::SIZE] = std::array::from_fn(|n| n as u8 * 4 + 1);
        assert_eq!(Schib::decode(&bytes).encode(), bytes);
        let bytes: [u8; Irb::SIZE] = std::array::from_fn(|n| n as u8 * 3 + 1);
        assert_eq!(Irb::decode(&bytes).encode(), bytes);
        let bytes: [u8; Orb::SIZE] = std::array::from_fn(|n| n as u8 * 7 + 1 | 1);
        assert_eq!(Orb::decode(&bytes).encode(), bytes);
        assert_eq!(Crw::decode(0x7384_0005).encode(), 0x7384_0005);
    }

    #[test]
    fn fields_lie_where_the_manual_has_them() {
        let mut pmcw = Pmcw { flags: 0x0081_0009, ..Pmcw::default() };
        pmcw.set_isc(3);
        assert_eq!(pmcw.encode()[4..8], [0x18, 0x81, 0x00, 0x09]);
        assert!(pmcw.enabled() && pmcw.valid() && pmcw.isc() == 3 && pmcw.device() == 9);

        let loader = Orb { flags: 0x0080_ff00, program: 0x300, ..Orb::default() };
        assert_eq!((loader.format(), loader.lpm(), loader.key()), (CcwFormat::One, 0xff, 0));
        assert_eq!(loader.check(), Ok(()));
        assert_eq!(Orb { program: 0x8000_0000, ..loader }.check(), Err(Program::Operand));
        assert_eq!(Orb { flags: 0x0080_ff02, ..loader }.check(), Err(Program::Operand));

        let code = IoInterruption { subsystem_id: SubsystemId::new(5), parameter: 0x1234_5678, isc: 3 };
        assert_eq!(code.encode(), [0, 1, 0, 5, 0x12, 0x34, 0x56, 0x78, 0x18, 0, 0, 0]);

        let mut esw = Esw::default();
        esw.set_sense_count(32);
        assert_eq!(esw.encode()[4..6], [0x01, 0x20]);
    }

    #[test]
    fn sense_id_begins_with_ff() {
        let mut id = SenseId::new(0x3990, 0xe9, 0x3390, 0x0a);
        assert_eq!(id.encode(), [0xff, 0x39, 0x90, 0xe9, 0x33, 0x90, 0x0a]);
        id.commands.push(Ciw { kind: 0, command: 0xfa, count: 256 });
        assert_eq!(id.encode()[7..], [0, 0x40, 0xfa, 0x01, 0x00]);
    }
}
