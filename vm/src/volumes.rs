//! Real disks: the host files that SYSTEM CONFIG names, opened and given to CP.

use crate::configuration::Dasd;
use dasd::{Image, ImageError, Options};
use nucleus::minidisk::Disks;

/// Opens the files and installs them. What could not be had is told, a line for each; the system comes up without it.
pub fn install(disks: &Disks, configured: &[Dasd]) -> Vec<String> {
    let mut troubles = Vec::new();
    for Dasd { number, file, read_only, policy } in configured {
        let options = Options { read_only: *read_only, policy: *policy, ..Options::default() };
        match Image::open(file, options) {
            Ok(image) => {
                if !disks.install(*number, image, file.display().to_string()) {
                    troubles.push(format!("DASD {number:04X} is defined twice"));
                }
            }
            Err(error) => troubles.push(format!("DASD {number:04X} is not there: {}", explain(&error))),
        }
    }
    troubles
}

/// The error, with its remedy if there is one.
fn explain(error: &ImageError) -> String {
    match error {
        ImageError::InUse { .. } => format!("{error}; end that first"),
        _ => error.to_string(),
    }
}
