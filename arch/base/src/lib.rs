//! The bottom of the house: EBCDIC, the TOD clock's unit, and IBM's bit numbering.
//!
//! Everything here is a plain value with no behaviour of its own. Guest-visible layouts live in `arch`;
//! this crate only knows how characters and time are written down.

#![forbid(unsafe_code)]

pub mod bits;
pub mod ebcdic;
mod tod;

pub use tod::{Clock, Tod};
