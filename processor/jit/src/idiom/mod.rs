//! Loops and fields that are done many bytes at a time. The plan recognizes them.

pub(crate) mod field_loops;
pub(crate) mod fields;
pub(crate) mod side_by_side;
pub(crate) mod strings;
