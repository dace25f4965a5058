//! Real disks and tapes: the host files that SYSTEM CONFIG names, opened and given to CP.

use crate::configuration::{Dasd, TapeDrive};
use dasd::{Image, Options};
use minidisk::Disks;
use nucleus::tape::Tapes;
use std::path::Path;

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
            Err(error) => troubles.push(format!("DASD {number:04X} is not there: {}", crate::dasd::text(error))),
        }
    }
    troubles
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
