//! The bottom of the house: EBCDIC, the TOD clock's unit and what is due by it, IBM's bit numbering, the numbers in
//! layouts, how files of the host are opened, what they are by their first bytes, and how locks are
//! taken.
//!
//! Everything but [`file`], [`Held`] and [`Timers`] is a plain value with no behaviour of its own. What guests see in
//! storage lives in `arch`; this crate only knows how characters and time are written down, and what surrounds a text
//! in a file.

pub mod bits;
pub mod contents;
pub mod ebcdic;
pub mod file;
pub mod hex;
pub mod layout;
mod lock;
pub mod text;
mod timers;
mod tod;

pub use lock::Held;
pub use timers::Timers;
pub use tod::{Clock, Tod};
