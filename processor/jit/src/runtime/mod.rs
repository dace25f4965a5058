//! What lasts from one block to the next: the code cache, the ways in and out, and what leads from block to block.

pub(crate) mod branch_targets;
pub(crate) mod bytes;
pub(crate) mod known_blocks;
pub(crate) mod memory;
pub(crate) mod page_crossing;
pub(crate) mod perform;
pub(crate) mod room;
pub(crate) mod saved;
pub(crate) mod side_exits;
pub(crate) mod stubs;
pub(crate) mod translator;
