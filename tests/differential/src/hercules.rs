//! A second opinion, where QEMU is silent: the same tests on Hercules, if it is installed. Its answers are evidence,
//! not truth: what differs is for a reader with the manual to judge.

use crate::image::{self, Outcome, Test};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Where it is.
pub fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join("hercules")).find(|file| file.is_file())
}

/// Runs `tests` (at most [`image::TESTS_MAX`]) and returns what each left.
pub fn run(hercules: &Path, tests: &[Test]) -> std::io::Result<Vec<Outcome>> {
    let folder = std::env::temp_dir().join(format!("endicott-hercules-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let all: Vec<&Test> = tests.iter().collect();
    let (core, output) = image::build_bare(&all);
    std::fs::write(folder.join("core"), core)?;
    std::fs::write(folder.join("core.ins"), "core 0x00000000\n")?;
    std::fs::write(
        folder.join("conf"),
        "CPUSERIAL 002623\nCPUMODEL 2097\nNUMCPU 1\nMAXCPU 1\nARCHMODE z/Arch\nMAINSIZE 16\nOSTAILOR QUIET\n\
         000E 1403 print\n",
    )?;
    let script =
        format!("ipl core.ins\npause 4\nsavecore out {:x} {:x}\npause 1\nquit\n", output.start, output.end - 1);
    std::fs::write(folder.join("script"), script)?;
    let mut child = Command::new(hercules)
        .args(["-d", "-f", "conf"])
        .current_dir(&folder)
        .env("HERCULES_RC", "script")
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(folder.join("log"))?)
        .stderr(Stdio::null())
        .spawn()?;
    let started = Instant::now();
    while child.try_wait()?.is_none() {
        if started.elapsed() > Duration::from_secs(60) {
            child.kill()?;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let bytes = std::fs::read(folder.join("out"));
    std::fs::remove_dir_all(&folder)?;
    let bytes = bytes.map_err(|_| std::io::Error::other("Hercules saved nothing: a test does not end there"))?;
    Ok(image::outcomes(&bytes, tests.len()))
}
