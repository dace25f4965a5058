//! Domains 3, STORAGE, and 4, USER.

use super::records;
use base::layout::{U16, U32, U64};

records! { TABLE:
    /// Real storage and what virtual machines have of it.
    STORSG = StorageManagement 3 1 Sample 56 {
        /// Frames of the dynamic paging area (cardinal).
        20 paging: U32,
        /// Frames that are available (cardinal).
        24 available: U32,
        /// Pages of virtual machines that are resident (cardinal).
        28 resident: U32,
        /// Pages of saved systems and segments in use (cardinal).
        32 shared: U32,
        /// Pages of all virtual machines' storage (cardinal).
        36 defined: U64,
        /// Virtual machines (cardinal).
        44 machines: U32,
        /// Saved systems and segments in use (cardinal).
        48 segments: U32,
        /// Megabytes of expanded storage that virtual machines have (cardinal).
        52 expanded: U32,
    }
    /// A saved system or segment in use.
    STOSHR = SharedSegment 3 3 Sample 40 {
        /// Its name.
        20 name: [u8; 8],
        /// Its spool ID.
        28 spid: U16,
        /// The class: A, R, S, P in EBCDIC.
        30 class: u8,
        31 reserved_31: u8,
        /// Its users (cardinal).
        32 users: U32,
        /// Its pages (cardinal).
        36 pages: U32,
    }
    /// A user logs on.
    USELON = LogonData 4 1 Event 52 {
        /// The user ID.
        20 userid: [u8; 8],
        /// The terminal; DSC if there is none.
        28 terminal: [u8; 8],
        /// Bytes of storage.
        36 storage: U64,
        /// Virtual CPUs.
        44 cpus: U16,
        /// The share: X'80' absolute, in tenths of a percent; X'40' relative.
        46 share_kind: u8,
        /// 1: QUICKDSP.
        47 quick: u8,
        /// The share's value.
        48 share: U16,
        50 reserved_50: [u8; 2],
    }
    /// A user logs off: all that it has used.
    USELOF = LogoffData 4 2 Event 96 {
        /// The user ID.
        20 userid: [u8; 8],
        /// When it logged on: the TOD clock.
        28 logged_on: U64,
        /// Total processor time, in TOD units.
        36 total: U64,
        /// Virtual processor time, in TOD units.
        44 emulation: U64,
        /// Resident pages (cardinal).
        52 resident: U32,
        /// I/O instructions.
        56 started: U32,
        /// Spool records read.
        60 read: U32,
        /// Spool records printed.
        64 printed: U32,
        /// Spool records punched.
        68 punched: U32,
        /// DIAGNOSE instructions.
        72 diagnoses: U32,
        /// The account number.
        76 account: [u8; 8],
        84 reserved_84: [U32; 3],
    }
    /// What a virtual CPU has used. What belongs to the virtual machine stands in the record of its first CPU.
    USEACT = UserActivity 4 3 Sample 148 {
        /// The user ID.
        20 userid: [u8; 8],
        /// The address of the virtual CPU.
        28 cpu: U16,
        30 reserved_30: u8,
        /// The virtual machine's mode: X'40' ESA, X'20' XA, X'10' 370, X'08' XC.
        31 mode: u8,
        /// Where the virtual CPU is: D dispatch list, E eligible list, L limit list, blank dormant, in EBCDIC.
        32 list: u8,
        /// The class of its transaction.
        33 class: u8,
        /// The share: X'80' absolute, in tenths of a percent; X'40' relative.
        34 share_kind: u8,
        /// 1: QUICKDSP.
        35 quick: u8,
        /// The share's value.
        36 share: U16,
        38 reserved_38: [u8; 2],
        /// Total processor time, in TOD units.
        40 total: U64,
        /// Virtual processor time, in TOD units.
        48 emulation: U64,
        56 reserved_56: [U32; 2],
        /// Working set: resident pages (cardinal).
        64 working_set: U32,
        /// Resident pages (cardinal).
        68 resident: U32,
        /// Megabytes of expanded storage (cardinal).
        72 expanded: U32,
        /// I/O instructions.
        76 started: U32,
        /// Channel command words.
        80 ccws: U32,
        /// Channel programs that took the fast path to their end.
        84 fast_done: U32,
        /// Channel programs that left the fast path at their beginning.
        88 fast_aborted: U32,
        /// Channel programs that were not eligible for it.
        92 not_eligible: U32,
        /// Spool records read.
        96 read: U32,
        /// Spool records printed.
        100 printed: U32,
        /// Spool records punched.
        104 punched: U32,
        /// DIAGNOSE instructions.
        108 diagnoses: U32,
        /// Reads that went through the minidisk cache.
        112 cache_reads: U32,
        /// Those that needed no I/O.
        116 cache_hits: U32,
        /// Bytes of storage.
        120 storage: U64,
        /// I/O interruptions that were taken.
        128 interruptions: U32,
        132 reserved_132: [U32; 4],
    }
    /// What a virtual CPU was found doing at the high-frequency rate.
    USEINT = UserInteraction 4 4 HighFrequency 92 {
        /// The user ID.
        20 userid: [u8; 8],
        /// The address of the virtual CPU.
        28 cpu: U16,
        30 reserved_30: [u8; 2],
        32 reserved_32: [U32; 3],
        /// Waiting for a page.
        44 page_wait: U32,
        /// On the limit list.
        48 limited: U32,
        /// Waiting for a processor.
        52 cpu_wait: U32,
        /// Running.
        56 running: U32,
        /// In the eligible list.
        60 eligible: U32,
        64 reserved_64: U32,
        /// Dormant.
        68 dormant: U32,
        72 reserved_72: [U32; 2],
        /// Test idle.
        80 test_idle: U32,
        /// How often it was looked.
        84 looks: U32,
        88 reserved_88: U32,
    }
}
