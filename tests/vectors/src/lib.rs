//! Test vectors: lines that test decoding, disassembly and effect of one instruction at once.

#![forbid(unsafe_code)]

pub mod file;
pub mod machine;
mod registers;
mod setting;

pub use registers::{Registers, SCRATCH, SCRATCH_LEN};
pub use setting::Setting;
