//! `endicott sample`: makes the sample system.

use crate::{configuration, run};
use std::path::Path;

pub fn sample(folder: &Path) -> Result<(), String> {
    let fail = |path: &Path, error: std::io::Error| format!("{} cannot be written: {error}", path.display());
    std::fs::create_dir_all(folder).map_err(|error| fail(folder, error))?;
    for (name, text) in [(run::DIRECTORY, directory::sample()), (configuration::FILE, configuration::SAMPLE)] {
        let path = folder.join(name);
        if path.exists() {
            return Err(format!("{} exists already: a system is made in a folder that has none", path.display()));
        }
        std::fs::write(&path, text).map_err(|error| fail(&path, error))?;
    }
    println!("The sample system is in {}: start it with", folder.display());
    println!("  endicott run --system {}", folder.display());
    println!("Its users are OPERATOR, MAINT, CMSUSER, LINUX1 and LINUX2; each one's password is the name.");
    Ok(())
}
