//! Images as tools make, copy and check them.

pub mod check;
pub mod copy;
pub mod create;
