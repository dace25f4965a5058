//! Binary floating point (POP, chapters 9 and 19).
//!
//! [`value`] is arithmetic on bit patterns and the floating-point-control register: it knows the architecture's results
//! but no CPU.

pub mod value;
