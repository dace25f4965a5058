//! Domain 2, SCHEDULER, and the events of domain 6, I/O.

use super::records;
use base::layout::{U16, U32, U64};

records! { TABLE:
    /// A virtual CPU gets into the dispatch list.
    SCLADL = AddDispatch 2 4 Event 32 {
        /// The user ID.
        20 userid: [u8; 8],
        /// The address of the virtual CPU.
        28 cpu: U16,
        /// The class of its transaction.
        30 class: u8,
        31 reserved_31: u8,
    }
    /// A virtual CPU leaves the dispatch list.
    SCLDDL = DropDispatch 2 5 Event 32 {
        /// The user ID.
        20 userid: [u8; 8],
        /// The address of the virtual CPU.
        28 cpu: U16,
        /// The class of its transaction.
        30 class: u8,
        31 reserved_31: u8,
    }
    /// A virtual CPU gets into the eligible list.
    SCLAEL = AddEligible 2 6 Event 32 {
        /// The user ID.
        20 userid: [u8; 8],
        /// The address of the virtual CPU.
        28 cpu: U16,
        /// The class of its transaction.
        30 class: u8,
        31 reserved_31: u8,
    }
    /// SET SRM: how the scheduler is set now.
    SCLSRM = SrmSet 2 7 Event 72 {
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
    /// SET SHARE.
    SCLSHR = ShareSet 2 9 Event 36 {
        /// The user ID.
        20 userid: [u8; 8],
        /// The share: X'80' absolute, in tenths of a percent; X'40' relative.
        28 kind: u8,
        /// The limit: 0 none, 1 soft, 2 hard.
        29 limit: u8,
        /// The share's value.
        30 share: U16,
        /// The kind of the maximum share, if it is limited.
        32 maximum_kind: u8,
        33 reserved_33: u8,
        /// The maximum share's value.
        34 maximum: U16,
    }
    /// SET QUICKDSP.
    SCLSQD = QuickDispatchSet 2 10 Event 32 {
        /// The user ID.
        20 userid: [u8; 8],
        /// 1: on; 0: off.
        28 state: u8,
        29 reserved_29: [u8; 3],
    }
    /// A real device is given to a user.
    IODATD = Attach 6 5 Event 36 {
        /// Its subsystem identification.
        20 subchannel: U32,
        /// Its device number.
        24 number: U16,
        /// The virtual device number.
        26 virtual_number: U16,
        /// The user ID.
        28 userid: [u8; 8],
    }
    /// A real device is taken from a user.
    IODDTD = Detach 6 6 Event 28 {
        /// Its subsystem identification.
        20 subchannel: U32,
        /// Its device number.
        24 number: U16,
        26 reserved_26: [u8; 2],
    }
}
