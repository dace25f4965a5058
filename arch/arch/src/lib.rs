//! The architecture as types: what the Principles of Operation (POP) lays out in storage, and the names it uses.
//!
//! No behaviour lives here but encoding and decoding. A layout that a guest sees is decided here, in the file of its
//! chapter.
//!
//! # How a layout is written
//!
//! A layout is a struct of `zerocopy` whose fields are the bytes in their order ([why]):
//!
//! ```
//! use base::layout::{U16, U32};
//! use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned, transmute};
//!
//! /// What the example is (manual, chapter).
//! #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
//! #[repr(C)]
//! pub struct Example {
//!     /// X'00': bytes of this block and of what follows it.
//!     pub length: U16,
//!     /// X'02': what is wanted.
//!     pub flags: u8,
//!     /// X'03': reserved.
//!     pub reserved_03: u8,
//!     /// X'04': a real address.
//!     pub address: U32,
//! }
//! const _: () = assert!(size_of::<Example>() == 8);
//!
//! // From bytes: all of them, the first ones, in place.
//! let bytes = [0, 8, 0x80, 0, 0, 0, 0x10, 0];
//! let example: Example = transmute!(bytes);
//! let (same, _rest) = Example::read_from_prefix(&bytes).expect("eight bytes");
//! let there = Example::ref_from_bytes(&bytes).expect("eight bytes");
//! assert_eq!((example.length.get(), same.flags, there.address.get()), (8, 0x80, 0x1000));
//!
//! // To bytes.
//! let made = Example { length: U16::new(8), flags: 0x80, address: 0x1000.into(), ..Default::default() };
//! assert_eq!(made.as_bytes(), bytes);
//! ```
//!
//! - Fields are `u8`, arrays, other layouts, and the numbers of [`base::layout`], which are big-endian and not aligned.
//!   [`Unaligned`](zerocopy::Unaligned) refuses all else, so there is no padding.
//! - Reserved bytes are fields, too, named with their offset in hexadecimal. `Default` makes them zero; reading and
//!   writing keep them. Those at the end of a block that is mostly empty are left off.
//! - Bits within a byte or a word are constants beside the struct, because programs compare and merge them as words.
//! - What is calculated with is taken out once: `let count = ccw.count.get();`.
//! - A reference is taken where bytes lie in the host ([`ref_from_bytes`](zerocopy::FromBytes::ref_from_bytes)); guest
//!   storage is never borrowed, so from there a value is copied.
//! - A layout with two forms is two private structs and one public value of both, as [`io::Ccw`] is.
//! - A part whose length is in the layout is no field: it follows the struct.
//!
//! [why]: ../../../docs/decisions/0006-layouts-by-zerocopy.md

pub mod accounting;
pub mod adapter;
mod address;
pub mod crypto;
pub mod dasd;
pub mod deflate;
pub mod diagnose;
pub mod guarded;
pub mod hypervisor;
pub mod interpretation;
pub mod interruption;
pub mod io;
pub mod ipl;
pub mod iucv;
pub mod lcs;
pub mod lowcore;
pub mod measurement;
mod model;
pub mod monitor;
mod psw;
pub mod qdio;
pub mod service;
pub mod spool;
pub mod system_information;
pub mod tape;
pub mod tcpip;
pub mod timing;
pub mod transaction;
pub mod ultravisor;
pub mod virtio;
pub mod vmcf;

pub use address::{Absolute, Logical, PAGE, PAGE_MASK, Real};
pub use interruption::Program;
pub use model::Model;
pub use psw::{AddressSpaceControl, Psw, mask};
