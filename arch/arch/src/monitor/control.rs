//! Domain 1, MONITOR: how the monitor and the system are set up.

use super::records;
use base::layout::{I32, U16, U32, U64};

records! { TABLE:
    /// What is recorded of events.
    MTREPR = EventProfile 1 1 Configuration 40 {
        /// Domains that are enabled, a bit each: X'8000' system, X'4000' monitor and so on.
        20 domains: U16,
        /// Pages of a block.
        22 block: U16,
        /// Pages of the partition.
        24 partition: U32,
        /// Pages of the configuration area.
        28 configuration: U32,
        /// When recording was started: the TOD clock.
        32 started: U64,
    }
    /// A MONITOR command about events. Its text follows.
    MTRECM = EventCommand 1 2 Event 24 {
        /// Bytes of text.
        20 length: U32,
    }
    /// Events were not recorded, since readers had not replied; now they are again.
    MTRSUS = EventsSuspended 1 3 Event 32 {
        /// When recording was suspended: the TOD clock.
        20 since: U64,
        /// Events that were lost.
        28 lost: U32,
    }
    /// The system.
    MTRSYS = SystemConfiguration 1 4 Configuration 72 {
        /// The system identifier.
        20 name: [u8; 8],
        /// When the system came up: the TOD clock.
        28 started: U64,
        /// Seconds that local time is ahead of the TOD clock.
        36 zone: I32,
        /// Real processors.
        40 processors: U16,
        42 reserved_42: [u8; 2],
        /// The control program and its level.
        44 level: [u8; 16],
        /// The operator's user ID.
        60 operator: [u8; 8],
        /// Users in the directory.
        68 users: U32,
    }
    /// A real processor.
    MTRPRP = ProcessorConfiguration 1 5 Configuration 24 {
        /// Its address.
        20 cpu: U16,
        /// How many virtual CPUs of a virtual machine it may run at once: 1.
        22 threads: U16,
    }
    /// A real disk.
    MTRDEV = DeviceConfiguration 1 6 Configuration 52 {
        /// Its subsystem identification.
        20 subchannel: U32,
        /// Its device number.
        24 number: U16,
        /// Its device type: X'3390'.
        26 kind: U16,
        /// The volume serial.
        28 serial: [u8; 6],
        /// X'80': CP's own; X'40': of the system; X'20': a user's; X'10': varied off.
        34 state: u8,
        /// How many channel paths lead there.
        35 paths: u8,
        /// Cylinders, or blocks.
        36 size: U64,
        /// The user who has it.
        44 userid: [u8; 8],
    }
    /// Real storage.
    MTRMEM = MemoryConfiguration 1 7 Configuration 108 {
        /// Bytes when the system came up, as many as a word says.
        20 real: U32,
        /// Bytes that SYSTEM CONFIG gives, as many as a word says.
        24 generated: U32,
        28 reserved_28: [U32; 18],
        /// All bytes.
        100 bytes: U64,
    }
    /// A volume of CP's own.
    MTRPAG = PagingConfiguration 1 8 Configuration 36 {
        /// Its device number.
        20 number: U16,
        22 reserved_22: [u8; 2],
        /// The volume serial.
        24 serial: [u8; 6],
        30 reserved_30: [u8; 2],
        /// Cylinders or blocks of temporary space that are taken (cardinal).
        32 temporary: U32,
    }
    /// What is sampled.
    MTRSPR = SampleProfile 1 9 Configuration 48 {
        /// Domains that are enabled, a bit each: X'8000' system, X'4000' monitor and so on.
        20 domains: U16,
        22 reserved_22: [u8; 2],
        /// The interval, in TOD units.
        24 interval: U64,
        /// The rate of high-frequency samples, in TOD units; 0 if there are none.
        32 rate: U64,
        /// When sampling was started: the TOD clock.
        40 started: U64,
    }
    /// A MONITOR command about samples. Its text follows.
    MTRSCM = SampleCommand 1 10 Sample 32 {
        /// When it was issued: the TOD clock.
        20 issued: U64,
        /// Bytes of text.
        28 length: U32,
    }
    /// The last record of a page. What follows in the page is to be ignored.
    MTREOF = EndOfFrame 1 13 Frame 20 {
    }
    /// Users or devices that are enabled of a domain. Their list follows: eight bytes of a user ID, or two of a number.
    MTRDDR = DomainDetail 1 14 Configuration 24 {
        /// X'E2' samples, X'C5' events.
        20 kind: u8,
        /// The domain.
        21 domain: u8,
        /// Entries.
        22 entries: U16,
    }
    /// A user that was logged on.
    MTRUSR = LoggedOn 1 15 Configuration 48 {
        /// The user ID.
        20 userid: [u8; 8],
        /// Its virtual CPUs.
        28 cpus: U16,
        30 reserved_30: [u8; 2],
        /// When it logged on: the TOD clock.
        32 logged_on: U64,
        /// Bytes of storage.
        40 storage: U64,
    }
    /// How the scheduler is set.
    MTRSCH = SchedulerConfiguration 1 16 Configuration 72 {
        /// DSPSLICE, in TOD units.
        20 slice: U64,
        /// IABIAS, in percent.
        28 intensity: U32,
        /// IABIAS, in minor time slices.
        32 duration: U32,
        /// DSPBUF of classes 1 to 3.
        36 dispatch_buffer: [U32; 3],
        /// STORBUF of classes 1 to 3, in percent.
        48 storage_buffer: [U32; 3],
        /// LDUBUF of classes 1 to 3, in percent.
        60 loading_buffer: [U32; 3],
    }
    /// Expanded storage.
    MTRXSG = ExpandedConfiguration 1 17 Configuration 36 {
        /// Blocks that CP has.
        20 configured: U64,
        /// Blocks that there are.
        28 installed: U64,
    }
}
