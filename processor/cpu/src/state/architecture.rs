//! Which architecture a CPU is in.

/// Which architecture a CPU is in. It decides the instruction set, the PSW's format and the prefix area's size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(u8)]
pub enum Architecture {
    S370 = 0,
    Esa = 1,
    Z = 2,
}

impl Architecture {
    /// The size of the prefix area in bytes.
    pub fn prefix_area(self) -> u64 {
        if self == Architecture::Z { 8192 } else { 4096 }
    }
}
