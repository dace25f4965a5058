//! Loops and fields that are recognised as a whole, and done many bytes at a time.

pub mod field_loops;
pub mod fields;
pub mod side_by_side;
pub mod strings;
