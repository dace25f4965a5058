//! What a disk is: the models of devices with their geometry, and tracks with their records.

mod devices;
pub mod track;

pub use devices::{CKD, CkdModel, FBA, FbaModel, Formula};
