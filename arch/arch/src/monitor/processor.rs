//! The samples of domains 5, PROCESSOR, and 6, I/O.

use super::records;
use base::layout::{U16, U32, U64};

records! { TABLE:
    /// A processor, and why it left interpretive execution.
    PRCPRP = ProcessorActivity 5 3 Sample 76 {
        /// The processor's address.
        20 cpu: U16,
        22 reserved_22: [u8; 2],
        /// Virtual CPUs that were dispatched.
        24 dispatched: U32,
        /// Interpretive execution was begun (SIE).
        28 interpreted: U32,
        /// It ended for CP to act (interceptions): all that follow but the ends of slices.
        32 intercepted: U32,
        /// A time slice ended.
        36 slices: U32,
        /// An enabled wait.
        40 waits: U32,
        /// DIAGNOSE.
        44 diagnoses: U32,
        /// IUCV.
        48 iucv: U32,
        /// An interruption of IUCV or VMCF to be presented.
        52 interruptions: U32,
        /// A step of TRACE.
        56 traced: U32,
        /// The virtual CPU stopped, entered a disabled wait or looped.
        60 stops: U32,
        /// Emulation, in TOD units.
        64 emulation: U64,
        /// Soft abends.
        72 soft_abends: U32,
    }
    /// A real disk. Cached and not: what virtual machines asked of its minidisks.
    IODDEV = DeviceActivity 6 3 Sample 72 {
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
        35 reserved_35: u8,
        /// Reads that the minidisk cache saw.
        36 reads: U32,
        /// Writes that the minidisk cache saw.
        40 writes: U32,
        /// Reads that needed no I/O.
        44 hits: U32,
        /// Tracks that were brought into the cache.
        48 inserts: U32,
        /// Links to its minidisks, and users who have it (cardinal).
        52 users: U32,
        /// I/O to the disk: reads that were no hits, and writes.
        56 started: U32,
        60 reserved_60: [U32; 3],
    }
}
