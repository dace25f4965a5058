//! The volume on which the minidisks of the sample directory lie, empty and in storage.

use dasd::model::CkdModel;
use dasd::{Memory, label};
use minidisk::policy::Policy;
use nucleus::system::Cp;
use std::sync::Arc;

pub(crate) fn install(cp: &Cp) {
    let model = CkdModel::named("3390-3").expect("there is this model");
    let pack = Memory::ckd(model, model.cylinders);
    label::write(&pack, "VMRES").expect("it is empty");
    cp.disks.set_policy(Policy { owned: vec!["VMRES".into()], ..Policy::default() });
    cp.disks.install(0x200, Arc::new(pack), "vmres".into()).expect("it can be there");
}
