//! Runs an image under QEMU's user mode.

use crate::image::{self, Outcome, Test};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use vectors::Registers;

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

/// Runs `tests`; those that end QEMU itself are not reached.
pub fn run(qemu: &Path, tests: &[Test]) -> std::io::Result<Vec<Outcome>> {
    let all: Vec<&Test> = tests.iter().collect();
    match run_once(qemu, &all) {
        Err(Failure::Died(_)) => {
            let mut outcomes: Vec<Option<Outcome>> = tests.iter().map(|_| None).collect();
            search(qemu, tests, 0..tests.len(), &mut outcomes)?;
            let nothing = || Outcome { after: Registers::default(), ending: image::Ending::NotReached };
            Ok(outcomes.into_iter().map(|o| o.unwrap_or_else(nothing)).collect())
        }
        Err(Failure::Host(why)) => Err(why),
        Ok(outcomes) => Ok(outcomes),
    }
}

/// Runs the tests of a range by halves. The others keep their places, but have no instructions.
fn search(
    qemu: &Path,
    tests: &[Test],
    range: std::ops::Range<usize>,
    outcomes: &mut [Option<Outcome>],
) -> std::io::Result<()> {
    let empty = Test { before: Registers::default(), text: Vec::new() };
    let list: Vec<&Test> =
        tests.iter().enumerate().map(|(n, test)| if range.contains(&n) { test } else { &empty }).collect();
    match run_once(qemu, &list) {
        Ok(all) => {
            for (n, outcome) in all.into_iter().enumerate().filter(|(n, _)| range.contains(n)) {
                outcomes[n] = Some(outcome);
            }
            Ok(())
        }
        Err(Failure::Died(why)) if range.len() == 1 => {
            let text: String = tests[range.start].text.iter().map(|b| format!("{b:02X}")).collect();
            eprintln!("oracle: {text} ended QEMU: {why}");
            Ok(())
        }
        Err(Failure::Died(_)) => {
            let middle = range.start + range.len() / 2;
            search(qemu, tests, range.start..middle, outcomes)?;
            search(qemu, tests, middle..range.end, outcomes)
        }
        Err(Failure::Host(why)) => Err(why),
    }
}

/// Why a run gave no outcomes.
enum Failure {
    /// QEMU ended by a signal or with an error.
    Died(String),
    /// It could not be started.
    Host(std::io::Error),
}

impl From<std::io::Error> for Failure {
    fn from(why: std::io::Error) -> Failure {
        Failure::Host(why)
    }
}

/// Runs `tests` (at most [`image::TESTS_MAX`]) and returns what each left.
fn run_once(qemu: &Path, tests: &[&Test]) -> Result<Vec<Outcome>, Failure> {
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
        return Err(Failure::Died(format!("{}: {text}", output.status)));
    }
    Ok(outcomes)
}
