//! The assembler, and where generated code finds fields of the `State`.

use cpu::layout;
use dynasmrt::{VecAssembler, x64::X64Relocation};

pub(crate) type Assembler = VecAssembler<X64Relocation>;

macro_rules! asm { ($e:expr, $($t:tt)*) => { dynasm!($e.a ; .arch x64 ; $($t)*) } }
pub(crate) use asm;

/// An operand in storage with a displacement that is known only now: as short as it can be.
macro_rules! displaced {
    ($e:ident, $disp:expr, ($($before:tt)*) [$($base:tt)*] ($($after:tt)*)) => {
        match i8::try_from($disp) {
            Ok(near) => asm!($e, $($before)* [BYTE $($base)* + near] $($after)*),
            Err(_) => asm!($e, $($before)* [$($base)* + $disp] $($after)*),
        }
    };
}
pub(crate) use displaced;

/// rbp points so far into the `State` that the general registers are within reach of short displacements.
pub(crate) const BIAS: usize = 128;

/// The displacement from rbp of a field.
pub(crate) const fn field(offset: usize) -> i32 {
    offset as i32 - BIAS as i32
}

/// The short displacement from rbp of a field that stands near the start.
pub(crate) const fn near(offset: usize) -> i8 {
    assert!(offset < 2 * BIAS);
    field(offset) as i8
}

/// The displacement from rbp of a word of `State::scratch`.
pub(crate) const fn scratch(n: usize) -> i32 {
    field(layout::SCRATCH + 8 * n)
}

/// The short displacement from rbp of a general register.
pub(crate) fn gr(r: u8) -> i8 {
    near(layout::GR) + 8 * r as i8
}
