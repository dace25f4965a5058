//! `cargo x aarch64`: the crates that interpret, built for aarch64 hosts, and their tests under qemu-aarch64.
//!
//! Such a host has no translator (docs/decisions/0008-aarch64-hosts.md), so this is a build of everything else. QEMU
//! keeps the order of this host's storage references, which is stronger than that of an aarch64 processor. What only
//! a weaker order breaks is not found here.

use std::process::{Command, Stdio};

use crate::host::{self, Outcome, cargo, run};

const TARGET: &str = "aarch64-unknown-linux-gnu";
const LINKER: &str = "aarch64-linux-gnu-gcc";
/// Where Debian's cross packages have the target's libraries.
const LIBRARIES: &str = "/usr/aarch64-linux-gnu";

/// The crates whose tests need no guest and no other program.
const CRATES: [&str; 14] = [
    "base",
    "arch",
    "storage",
    "cpu",
    "isa",
    "engine",
    "css",
    "dasd",
    "tape",
    "complex",
    "vectors",
    "directory",
    "dispatch",
    "tn3270",
];

/// `aarch64 [CRATE...] [-- WORD...]`: the executable, and the tests of these crates, or of all that can be tested so.
pub(crate) fn aarch64(words: &[&str]) -> Outcome {
    let emulator = ["qemu-aarch64", "qemu-aarch64-static"].into_iter().find(|program| host::has(program));
    let emulator = emulator.ok_or("qemu-aarch64 is not installed; make aarch64 installs it.")?;
    if !host::has(LINKER) {
        return Err(format!("{LINKER} is not installed; make aarch64 installs it.").into());
    }
    if host::has("rustup") {
        run(Command::new("rustup").args(["target", "add", TARGET]).stderr(Stdio::null()))?;
    }
    let (crates, rest) = words.split_at(words.iter().position(|word| *word == "--").unwrap_or(words.len()));
    let crates = if crates.is_empty() { &CRATES[..] } else { crates };
    println!("The executable for aarch64");
    run(&mut crossed(emulator, &["build", "--package", "endicott"]))?;
    println!("Tests under {emulator}");
    let mut tests = crossed(emulator, &["test", "--no-fail-fast"]);
    run(tests.args(crates.iter().flat_map(|name| ["--package", name])).args(rest))
}

/// A cargo command for that target, in the profile of the tests.
fn crossed(emulator: &str, words: &[&str]) -> Command {
    let mut command = cargo(words);
    command.args(["--profile", "checked", "--target", TARGET]);
    command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER);
    command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", format!("{emulator} -L {LIBRARIES}"));
    // C of dependencies (ring).
    command.env("CC_aarch64_unknown_linux_gnu", LINKER);
    command
}
