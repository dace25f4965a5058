//! Signals to programs under test.

use std::process::{Command, Stdio};

pub(crate) const SIGHUP: u32 = 1;
pub(crate) const SIGINT: u32 = 2;
pub(crate) const SIGTERM: u32 = 15;

/// The signals that a mask in `/proc/PID/status` has, the first lowest; 0 if there is no such process.
fn mask(process: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| u64::from_str_radix(line.trim(), 16).ok()).unwrap_or(0)
}

/// Whether the process catches all of these.
pub(crate) fn hears(process: u32, signals: &[u32]) -> bool {
    let caught = mask(process, "SigCgt:");
    signals.iter().all(|signal| caught >> (signal - 1) & 1 != 0)
}

/// Whether the process has the signal still before it.
pub(crate) fn is_pending(process: u32, signal: u32) -> bool {
    mask(process, "ShdPnd:") >> (signal - 1) & 1 != 0
}

/// A program that hears SIGHUP although it may be ignored here, as it is by what `nohup` has started.
pub(crate) fn hearing(program: &str) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal=HUP", program]);
    command
}

/// Sends a signal, by the name that `kill` knows; whether there was such a process.
pub(crate) fn send(process: u32, signal: &str) -> bool {
    let kill = format!("kill -{signal} {process}");
    Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}
