//! What is known of a block before it is emitted: its accesses, the registers it sets, the ways through it.

pub mod arms;
pub mod copies;
pub mod footprints;
pub mod scout;
pub mod spans;
pub mod table_accesses;
