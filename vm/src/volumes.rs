//! Real disks and tapes: the host files that SYSTEM CONFIG names, opened and given to CP.

use crate::configuration::{Dasd, TapeDrive};
use dasd::{Image, Options};
use minidisk::Disks;
use std::path::Path;
use virtualmachine::tape::Tapes;

/// The folder of the tapes, in the system's folder.
pub(crate) const TAPES: &str = "tapes";

/// Opens the files and installs them. What could not be had is told, a line for each; the system comes up without it.
pub(crate) fn install(disks: &Disks, configured: &[Dasd]) -> Vec<String> {
    let mut troubles = Vec::new();
    for Dasd { number, file, read_only, policy } in configured {
        let options = Options { read_only: *read_only, policy: *policy, ..Options::default() };
        match Image::open(file, options) {
            Ok(image) => {
                troubles.extend(image.notices().into_iter().map(|notice| format!("DASD {number:04X}: {notice}")));
                troubles.extend(disks.install(*number, image, file.display().to_string()).err());
            }
            Err(error) => troubles.push(format!("DASD {number:04X} is not there: {}", tools::dasd::text(error))),
        }
    }
    let reals = disks.reals();
    let serials = reals.iter().map(|real| (real.number, real.serial.as_str())).collect::<Vec<_>>();
    troubles.extend(same_serials(&serials));
    troubles
}

/// Tells of volumes that have one serial: minidisks are on one of them.
pub(crate) fn same_serials(volumes: &[(u16, &str)]) -> Vec<String> {
    let mut told = Vec::new();
    for (n, (number, serial)) in volumes.iter().enumerate().filter(|(_, volume)| !volume.1.is_empty()) {
        if let Some((first, _)) = volumes[..n].iter().find(|other| other.1 == *serial) {
            told.push(format!(
                "DASD {first:04X} and DASD {number:04X} have one serial, {serial}: what is on {serial} is looked for \
                 on one of them; give the other another serial, or take it out of SYSTEM CONFIG"
            ));
        }
    }
    told
}

/// Installs the tape drives, and puts the tapes on them that SYSTEM CONFIG names.
pub(crate) fn install_tapes(tapes: &Tapes, configured: &[TapeDrive], folder: &Path) -> Vec<String> {
    let mut troubles = Vec::new();
    tapes.set_library(&folder.join(TAPES));
    for TapeDrive { number, model, tape, ring } in configured {
        if !tapes.install(*number, *model) {
            troubles.push(format!("TAPE {number:04X} is defined twice"));
            continue;
        }
        match tape.as_ref().map(|tape| tapes.mount(*number, tape, *ring)) {
            None => {}
            Some(Ok((_, notice))) => troubles.extend(notice),
            Some(Err(message)) => troubles.push(message.text),
        }
    }
    troubles
}
