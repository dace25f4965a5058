//! Binary floating point and the floating-point support instructions (POP, chapters 9 and 19).
//!
//! [`value`] is arithmetic on bit patterns and the floating-point-control register: it knows the architecture's results
//! but no CPU. The other modules are the instructions: routines on [`cpu::State`], one for each operation, generic over
//! the format and over where the second operand is. What they have in common is in `operand`: the registers, the
//! AFP-register control, and what becomes of an enabled IEEE exception.

pub mod value;

pub(crate) mod arithmetic;
pub(crate) mod convert;
pub(crate) mod operand;
pub(crate) mod support;

pub(crate) use operand::{Register, Storage};
