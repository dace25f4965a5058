//! What a disk is: the models of devices with their geometry, and tracks with their records.

mod devices;
mod kind;
pub mod track;

pub(crate) use arch::dasd::Cchh;
pub use devices::{CKD, CkdModel, FBA, FbaModel, Formula};
pub use kind::Kind;
