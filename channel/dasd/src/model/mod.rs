//! What a disk is: the models of devices with their geometry, and tracks with their records.

mod devices;
mod kind;
mod place;
pub mod track;

pub use devices::{CKD, CkdModel, FBA, FbaModel, Formula};
pub use kind::Kind;
pub(crate) use place::Cchh;
