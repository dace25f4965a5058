//! Loops and fields that are done many bytes at a time. The plan recognizes them.

pub mod field_loops;
pub mod fields;
pub mod side_by_side;
pub mod strings;
