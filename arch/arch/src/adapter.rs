//! What CALL LOGICAL PROCESSOR is given and answers, for PCI functions. What Linux asks of it is the specification.

use base::layout::{U16, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The header of a request; operands follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ClpRequest {
    /// X'00': bytes of the request.
    pub length: U16,
    /// X'02': which command of CALL LOGICAL PROCESSOR it is.
    pub command: U16,
    /// X'04': must be zero.
    pub zeros: [u8; 4],
    /// X'08': reserved.
    pub reserved_08: [u8; 8],
}
const _: () = assert!(size_of::<ClpRequest>() == 16);

/// A request for the list of functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ClpListRequest {
    /// X'00': the length of the request, 32, and the command.
    pub header: ClpRequest,
    /// X'10': where an earlier list stopped, or 0.
    pub resume_token: U64,
    /// X'18': reserved.
    pub reserved_18: [u8; 8],
}
const _: () = assert!(size_of::<ClpListRequest>() == 32);

/// The header of a response, which follows its request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ClpResponse {
    /// X'00': bytes of the response; before, of the room for it.
    pub length: U16,
    /// X'02': how the command went.
    pub code: U16,
    /// X'04': reserved.
    pub reserved_04: [u8; 4],
}
const _: () = assert!(size_of::<ClpResponse>() == 8);

/// A list of functions; its entries follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ClpListResponse {
    /// X'00': the length of the response and how the command went.
    pub header: ClpResponse,
    /// X'08': reserved.
    pub reserved_08: [u8; 8],
    /// X'10': where the list stops, or 0.
    pub resume_token: U64,
    /// X'18': reserved.
    pub reserved_18: [u8; 7],
    /// X'1F': bytes of an entry.
    pub entry_length: u8,
}
const _: () = assert!(size_of::<ClpListResponse>() == 32);
