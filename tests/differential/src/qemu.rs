//! Runs an image under QEMU's user mode.

use crate::image::{self, Outcome, Test};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Where the oracle is, or why there is none.
pub fn find() -> Result<PathBuf, String> {
    let names = ["qemu-s390x-static", "qemu-s390x"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    for directory in std::env::split_paths(&path) {
        for name in names {
            let file = directory.join(name);
            if file.is_file() {
                return Ok(file);
            }
        }
    }
    Err(format!("neither {} nor {} is installed: nothing to compare with", names[0], names[1]))
}

/// Runs `tests` (at most [`image::TESTS_MAX`]) and returns what each left.
pub fn run(qemu: &Path, tests: &[Test]) -> std::io::Result<Vec<Outcome>> {
    static SERIAL: AtomicU32 = AtomicU32::new(0);
    let name = format!("endicott-oracle-{}-{}", std::process::id(), SERIAL.fetch_add(1, Relaxed));
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, image::build(tests))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755))?;
    }
    let output =
        Command::new(qemu).args(["-cpu", "max"]).arg(&file).stdin(Stdio::null()).stderr(Stdio::piped()).output()?;
    std::fs::remove_file(&file)?;
    let outcomes = image::outcomes(&output.stdout, tests.len());
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).trim().to_string();
        return Err(std::io::Error::other(format!("the oracle ended with {}: {text}", output.status)));
    }
    Ok(outcomes)
}
