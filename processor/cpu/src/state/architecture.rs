//! Which architecture a CPU is in.

use serde::{Deserialize, Serialize};

/// Which architecture a CPU is in. It decides the instruction set, the PSW's format and the prefix area's size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Architecture {
    /// System/370, in which the PSW has an EC and a BC mode.
    S370 = 0,
    /// ESA/390.
    Esa = 1,
    /// z/Architecture.
    Z = 2,
}

impl Architecture {
    /// The size of the prefix area in bytes.
    pub fn prefix_area(self) -> u64 {
        if self == Architecture::Z { 8192 } else { 4096 }
    }
}
