//! A system that is made for stories: one volume, VMRES, with minidisks of images that are there.

use super::endicott;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// SYSTEM CONFIG of such a system.
pub(crate) const CONFIG: &str = "\
SYSTEM_IDENTIFIER ENDICOTT
OPERATOR_USERID OPERATOR
DASD 0200 volumes/vmres.3390
CP_OWNED SLOT 1 VMRES
";

/// What its directory begins with; a MDISK statement may follow, which is MAINT's.
pub(crate) const DIRECTORY: &str = cms::system::BEGINNING;

/// A command ends with status 0.
pub(crate) fn done(command: &mut Command) {
    let output = command.output().expect("endicott starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The volume in the system's folder.
pub(crate) struct Volume<'a> {
    folder: &'a Path,
    path: PathBuf,
}

impl Volume<'_> {
    /// A minidisk (`CMSUSER.191`) gets an image; the directory, which must be there, says where it lies.
    pub(crate) fn put(&self, disk: &str, image: &Path) {
        let mut put = endicott();
        put.args(["dasd", "minidisk"]).arg(&self.path).args(["--of", disk, "--system"]).arg(self.folder);
        done(put.args(["--format", "--put"]).arg(image));
    }
}

/// Writes what the system is made of, and an empty volume.
pub(crate) fn make<'a>(folder: &'a Path, config: &str, directory: &str, cylinders: usize) -> Volume<'a> {
    fs::write(folder.join("SYSTEM CONFIG"), config).expect("the folder is ours");
    fs::write(folder.join("USER DIRECT"), directory).expect("the folder is ours");
    let path = folder.join("volumes/vmres.3390");
    let _ = fs::remove_file(&path);
    let cylinders = cylinders.to_string();
    let create = ["3390-1", "--cylinders", &cylinders, "--volser", "VMRES"];
    done(endicott().args(["dasd", "create"]).arg(&path).args(create));
    Volume { folder, path }
}
