//! What lasts from one block to the next: the code cache, the ways in and out, and what leads from block to block.

pub mod branch_targets;
pub mod known_blocks;
pub mod memory;
pub mod page_crossing;
pub mod perform;
pub mod room;
pub mod side_exits;
pub mod stubs;
pub mod translator;
