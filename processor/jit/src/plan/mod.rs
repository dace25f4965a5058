//! What is known of a block before it is emitted: its accesses, the registers it sets, the ways through it, and what is
//! done inline. Nothing here knows how it is emitted.

pub mod arms;
pub mod block;
pub mod control;
pub mod copies;
pub mod float_forms;
pub mod footprints;
pub mod lanes;
pub mod natives;
pub mod scout;
pub mod spans;
pub mod stretches;
pub mod table_accesses;
