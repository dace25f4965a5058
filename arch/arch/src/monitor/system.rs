//! Domain 0, SYSTEM: the system as a whole, and its processors.

use super::records;
use base::layout::{U16, U32, U64};

records! { TABLE:
    /// System data of a processor.
    SYTSYP = SystemProcessor 0 1 Sample 96 {
        /// The processor's address.
        20 cpu: U16,
        22 reserved_22: [u8; 2],
        /// Soft abends: failures of CP that stopped one virtual machine.
        24 soft_abends: U32,
        /// DIAGNOSE instructions.
        28 diagnoses: U32,
        /// Instructions that CP simulated: DIAGNOSE and IUCV.
        32 simulated: U32,
        36 reserved_36: [U32; 3],
        /// START SUBCHANNEL of virtual machines, and their I/O by DIAGNOSE.
        48 started: U32,
        52 reserved_52: [U32; 11],
    }
    /// Time of a processor.
    SYTPRP = ProcessorTime 0 2 Sample 64 {
        /// The processor's address.
        20 cpu: U16,
        22 reserved_22: [u8; 2],
        /// Emulation: virtual CPUs ran. In TOD units, counted down from X'7FFFFFFF00000000'.
        24 emulation: U64,
        /// Charged to users: emulation and what CP did for them, in TOD units.
        32 users: U64,
        /// CP's work that no user was charged for, in TOD units.
        40 system: U64,
        /// Nothing to do, in TOD units.
        48 wait: U64,
        /// Virtual CPUs that were dispatched.
        56 dispatched: U32,
        /// Interpretive execution was begun (SIE).
        60 interpreted: U32,
    }
    /// Frames of real storage.
    SYTRSG = RealStorage 0 3 Sample 128 {
        /// CP's blocks for virtual machines (cardinal).
        20 free_storage: U32,
        /// Available (cardinal).
        24 available: U32,
        /// CP and the frame table (cardinal).
        28 nucleus: U32,
        /// Pages of saved systems and segments in use (cardinal).
        32 shared: U32,
        /// Pages of virtual machines that are resident (cardinal).
        36 pageable: U32,
        /// Save areas of processors (cardinal).
        40 save: U32,
        /// All (cardinal).
        44 installed: U32,
        48 reserved_48: [U32; 20],
    }
    /// Real storage, for a processor.
    SYTRSP = RealStorageProcessor 0 4 Sample 48 {
        /// The processor's address.
        20 cpu: U16,
        22 reserved_22: [u8; 2],
        24 reserved_24: [U32; 2],
        /// Pages that the host read when this processor referred to them.
        32 reads: U32,
        36 reserved_36: U32,
        /// Frames that the host cleared, or mapped, when this processor referred to them.
        40 cleared: U32,
        44 reserved_44: U32,
    }
    /// Auxiliary storage.
    SYTASG = AuxiliaryStorage 0 6 Sample 84 {
        /// How often page space has become 90 % full.
        20 page_nearly_full: U32,
        /// How often spool space to which paging overflows has.
        24 spool_nearly_full: U32,
        /// Slots of page space (cardinal).
        28 page_slots: U32,
        /// Those in use (cardinal).
        32 page_used: U32,
        36 reserved_36: [U32; 2],
        /// Slots of spool space (cardinal).
        44 spool_slots: U32,
        /// Those with pages, and pages of spool files, of 4 KB (cardinal).
        48 spool_used: U32,
        /// Spool files (cardinal).
        52 spool_files: U32,
        56 reserved_56: [U32; 7],
    }
    /// Users and their transactions.
    SYTUSR = Transactions 0 8 Sample 100 {
        /// Users that are logged on (cardinal).
        20 logged_on: U32,
        /// Virtual CPUs on the dormant list (cardinal).
        24 dormant: U32,
        /// Time of trivial transactions of users with several virtual CPUs, in TOD units.
        28 mp_trivial_time: U64,
        /// How many these were.
        36 mp_trivial: U32,
        /// Time of their other transactions, in TOD units.
        40 mp_other_time: U64,
        /// How many these were.
        48 mp_other: U32,
        /// Time of trivial transactions of users with one virtual CPU, in TOD units.
        52 up_trivial_time: U64,
        /// How many these were.
        60 up_trivial: U32,
        /// Time of their other transactions, in TOD units.
        64 up_other_time: U64,
        /// How many these were.
        72 up_other: U32,
        76 reserved_76: [U32; 6],
    }
    /// The scheduler's lists.
    SYTSCG = SchedulerGlobal 0 10 Sample 156 {
        /// Virtual CPUs in the dispatch list (cardinal).
        20 in_list: U16,
        22 reserved_22: [u8; 2],
        /// Those of class 1 (cardinal).
        24 class_1: U16,
        /// Those of class 2 (cardinal).
        26 class_2: U16,
        /// Those of class 3 (cardinal).
        28 class_3: U16,
        /// Those of class 0 (cardinal).
        30 class_0: U16,
        /// Virtual CPUs in the eligible list, of class 1 (cardinal).
        32 eligible_1: U16,
        /// Of class 2 (cardinal).
        34 eligible_2: U16,
        /// Of class 3 (cardinal).
        36 eligible_3: U16,
        /// Virtual CPUs on the limit list (cardinal).
        38 limited: U16,
        /// Expansion factor of class 1 (cardinal).
        40 expansion_1: U32,
        /// Of class 2 (cardinal).
        44 expansion_2: U32,
        /// Of class 3 (cardinal).
        48 expansion_3: U32,
        /// The elapsed time slice of class 1, in TOD units (cardinal).
        52 first_slice: U64,
        /// Pages of those in the dispatch list (cardinal).
        60 working_sets: U32,
        64 reserved_64: [U32; 23],
    }
    /// Communication, for a processor.
    SYTCOM = Communication 0 11 Sample 32 {
        /// The processor's address.
        20 cpu: U16,
        22 reserved_22: [u8; 2],
        /// IUCV functions.
        24 iucv: U32,
        /// Interruptions of IUCV and VMCF that were presented.
        28 interruptions: U32,
    }
    /// What virtual CPUs were found doing at the high-frequency rate.
    SYTUWT = UserWait 0 12 HighFrequency 80 {
        /// Test idle.
        20 test_idle: U32,
        24 reserved_24: [U32; 4],
        /// Waiting for a page.
        40 page_wait: U32,
        /// Waiting for a processor.
        44 cpu_wait: U32,
        /// Running.
        48 running: U32,
        52 reserved_52: U32,
        /// In the eligible list or the limit list.
        56 other: U32,
        /// How often it was looked.
        60 looks: U32,
        64 reserved_64: [U32; 4],
    }
    /// The scheduler, for a processor.
    SYTSCP = SchedulerProcessor 0 13 Sample 36 {
        /// The processor's address.
        20 cpu: U16,
        22 reserved_22: [u8; 2],
        /// Time slices that ended with more to do.
        24 slices: U32,
        /// Virtual CPUs that entered a wait.
        28 waits: U32,
        /// Virtual CPUs that stopped.
        32 stops: U32,
    }
    /// Expanded storage and the minidisk cache.
    SYTXSG = ExpandedStorage 0 14 Sample 188 {
        /// Blocks that CP has (cardinal).
        20 blocks: U32,
        /// The minidisk cache: reads that needed no I/O.
        24 hits: U32,
        /// Tracks that were brought in.
        28 inserts: U32,
        32 reserved_32: U32,
        /// Virtual reads.
        36 reads: U32,
        /// Virtual writes.
        40 writes: U32,
        /// Writes that changed a track in the cache.
        44 modifications: U32,
        /// Reads that brought nothing in, since the user had its fair share.
        48 refused: U32,
        /// Bytes that the cache has (cardinal).
        52 bytes: U64,
        60 reserved_60: [U32; 32],
    }
}
