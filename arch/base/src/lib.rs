//! The bottom of the house: EBCDIC, the TOD clock's unit, IBM's bit numbering, and how files of the host are opened.
//!
//! Everything but [`file`] is a plain value with no behaviour of its own. Guest-visible layouts live in `arch`;
//! this crate only knows how characters and time are written down, and what surrounds a text in a file.

pub mod bits;
pub mod ebcdic;
pub mod file;
pub mod text;
mod tod;

pub use tod::{Clock, Tod};
