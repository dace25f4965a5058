//! Bodies of general instructions (POP, chapter 7) that are more than operands and an operation.

mod branch;
mod move_;

pub(crate) use branch::*;
pub(crate) use move_::*;
