//! What a problem program sees of a CPU, and a piece of storage: the state that tests start from and compare.

use cpu::VectorRegisters;

/// Where the storage that generated tests use begins. It crosses a page boundary in the middle.
pub const SCRATCH: u64 = 0x2_0e00;
/// Bytes of it.
pub const SCRATCH_LEN: usize = 1024;

/// Registers, the PSW's condition code and program mask, and the scratch storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registers {
    /// General registers, 64 bits each.
    pub gr: [u64; 16],
    /// Vector registers; the left halves of the first sixteen are the floating-point registers.
    pub fpr: VectorRegisters,
    /// Access registers.
    pub ar: [u32; 16],
    /// The floating-point-control register.
    pub fpc: u32,
    /// Condition code, 0–3.
    pub cc: u8,
    /// Program mask, four bits as SPM loads them.
    pub program_mask: u8,
    /// The scratch storage.
    pub scratch: [u8; SCRATCH_LEN],
}

impl Default for Registers {
    fn default() -> Self {
        Registers {
            gr: [0; 16],
            fpr: VectorRegisters::default(),
            ar: [0; 16],
            fpc: 0,
            cc: 0,
            program_mask: 0,
            scratch: [0; SCRATCH_LEN],
        }
    }
}
