//! The bottom of the house: EBCDIC, the TOD clock's unit, IBM's bit numbering, the numbers in layouts, how files of the
//! host are opened, and how locks are taken.
//!
//! Everything but [`file`] and [`Held`] is a plain value with no behaviour of its own. Guest-visible layouts live in
//! `arch`; this crate only knows how characters and time are written down, and what surrounds a text in a file.

pub mod bits;
pub mod ebcdic;
pub mod file;
pub mod layout;
mod lock;
pub mod text;
mod tod;

pub use lock::Held;
pub use tod::{Clock, Tod};
