//! What CALL LOGICAL PROCESSOR is given and answers, for PCI functions. What Linux asks of it is the specification.

use base::layout::{U16, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The header of a request; operands follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ClpRequest {
    /// Bytes of the request.
    pub length: U16,
    pub command: U16,
    /// Must be zero.
    pub zeros: [u8; 4],
    pub reserved_08: [u8; 8],
}
const _: () = assert!(size_of::<ClpRequest>() == 16);

/// A request for the list of functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ClpListRequest {
    pub header: ClpRequest,
    /// Where an earlier list stopped, or 0.
    pub resume_token: U64,
    pub reserved_18: [u8; 8],
}
const _: () = assert!(size_of::<ClpListRequest>() == 32);

/// The header of a response, which follows its request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ClpResponse {
    /// Bytes of the response; before, of the room for it.
    pub length: U16,
    /// How the command went.
    pub code: U16,
    pub reserved_04: [u8; 4],
}
const _: () = assert!(size_of::<ClpResponse>() == 8);

/// A list of functions; its entries follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ClpListResponse {
    pub header: ClpResponse,
    pub reserved_08: [u8; 8],
    /// Where the list stops, or 0.
    pub resume_token: U64,
    pub reserved_18: [u8; 7],
    /// Bytes of an entry.
    pub entry_length: u8,
}
const _: () = assert!(size_of::<ClpListResponse>() == 32);
