//! Decimal floating point (POP, chapter 20), and PERFORM FLOATING-POINT OPERATION (chapter 9).
//!
//! [`value`] is arithmetic on bit patterns and the floating-point-control register: it knows the architecture's results
//! but no CPU. The other modules are the instructions: routines on [`cpu::State`], generic over the format.

pub mod value;

pub(crate) mod arithmetic;
pub(crate) mod convert;
pub(crate) mod field;
mod operand;
pub(crate) mod packed;
pub(crate) mod radix;
