//! Images as tools make, copy and check them.

pub(crate) mod check;
pub(crate) mod copy;
pub(crate) mod create;
