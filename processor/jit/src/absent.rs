//! Hosts without a translator.

use std::io;
use translator::{Translator, Wishes};

/// There is no code.
pub fn allow(_: u64) {}

/// What code is good for: nothing.
pub fn kind() -> String {
    String::new()
}

/// Says that there is none.
pub fn translator(_: Wishes) -> io::Result<Box<dyn Translator>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "the host is not an x86-64 Linux"))
}
