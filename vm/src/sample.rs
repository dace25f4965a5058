//! `endicott sample`: makes the sample system, which is two texts and a disk.

use crate::configuration;
use std::path::Path;
use tools::dasd;
use tools::system::DIRECTORY;

pub(crate) fn sample(folder: &Path) -> Result<(), String> {
    let fail = |path: &Path, error: std::io::Error| format!("{} cannot be written: {error}", path.display());
    let (volume, serial) = configuration::VOLUME;
    let volume = folder.join(volume);
    let texts = [(DIRECTORY, directory::sample()), (configuration::FILE, configuration::SAMPLE)]
        .map(|(name, text)| (folder.join(name), text));
    // Nothing is made where a part of it is already.
    for path in texts.iter().map(|(path, _)| path).chain([&volume]) {
        if path.exists() {
            return Err(format!("{} exists already: a system is made in a folder that has none", path.display()));
        }
    }
    let volumes = volume.parent().unwrap_or(folder);
    std::fs::create_dir_all(volumes).map_err(|error| fail(volumes, error))?;
    for (path, text) in &texts {
        std::fs::write(path, text).map_err(|error| fail(path, error))?;
    }
    dasd::create_usual(&volume, serial)?;
    say!("The sample system is in {}: start it with", folder.display());
    say!("  endicott run --system {}", folder.display());
    say!("Its users are OPERATOR, MAINT, CMSUSER, LINUX1 and LINUX2; each one's password is the name.");
    Ok(())
}
