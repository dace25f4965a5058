//! What is known of a block before it is emitted: its accesses, the registers it sets, the ways through it, and what is
//! done inline. Nothing here knows how it is emitted.

pub(crate) mod arms;
pub(crate) mod block;
pub(crate) mod control;
pub(crate) mod copies;
pub(crate) mod float_forms;
pub(crate) mod footprints;
pub(crate) mod lanes;
pub(crate) mod natives;
pub(crate) mod passes;
pub(crate) mod scout;
pub(crate) mod spans;
pub(crate) mod stretches;
pub(crate) mod table_accesses;
pub(crate) mod vector_forms;
