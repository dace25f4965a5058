//! The architecture as types: what the Principles of Operation (POP) lays out in storage, and the names it uses.
//!
//! No behaviour lives here but encoding and decoding. A guest-visible layout that several crates share is decided here.

mod address;
pub mod deflate;
pub mod interpretation;
pub mod interruption;
pub mod io;
pub mod lowcore;
mod psw;

pub use address::{Absolute, Logical, PAGE, PAGE_MASK, Real};
pub use interruption::Program;
pub use psw::{AddressSpaceControl, Psw, mask};
