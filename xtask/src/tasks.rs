//! The tasks that are little more than a row of commands.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::host::{self, Outcome, cargo, run};
use crate::root;
use crate::{clients, cms, deny, guest, house, page, suite};

/// The profile the tests run in: as fast as a release, with assertions and overflow checks, because guests boot in
/// them.
const TESTED: &str = "checked";

/// Brings up the sample system on this terminal.
pub(crate) fn run_system(arguments: &[&str]) -> Outcome {
    run(&mut cargo(&["build", "--release", "--package", "endicott"]))?;
    let guest = guest::prepare()?;
    let system = env::var_os("ENDICOTT_SYSTEM").map_or_else(|| host::root().join("sample"), PathBuf::from);
    if !system.exists() {
        sample_system(&system)?;
        // A kernel, its parameters and an initramfs in the reader: IPL 00C boots them.
        let parameters = guest::folder().join("parameters");
        host::write_whole(&parameters, b"vmb.mode=shell\n")?;
        for user in ["LINUX1", "LINUX2"] {
            for (file, form) in [(&guest.kernel, None), (&parameters, Some("--text")), (&guest.initrd, None)] {
                let mut punch = endicott();
                punch.arg("punch").arg("--system").arg(&system).arg("--keep").args(form).arg(user).arg(file);
                run(&mut punch)?;
            }
        }
    }
    // It is not one of the tests, for which Cargo sets this.
    run(endicott().env_remove("ENDICOTT_CODE_CACHE").args(["run", "--system"]).arg(&system).args(arguments))
}

/// Makes the sample system in the folder `system`, with the CMS of these sources.
pub(crate) fn sample_system(system: &Path) -> Outcome {
    if cms::compiler().is_none() {
        println!("The sample system is without CMS: that needs gcc-s390x-linux-gnu (make run installs it).");
        return run(endicott().arg("sample").arg("--without-cms").arg(system));
    }
    cms::prepare()?;
    run(endicott().arg("sample").arg("--cms").arg(cms::folder()).arg(system))
}

fn endicott() -> Command {
    Command::new(host::target("release").join("endicott"))
}

/// Format, lints, what may not grow, and every test. With `bless`, tests that compare with recorded expectations record
/// them anew.
pub(crate) fn test(filters: &[&str], bless: bool) -> Outcome {
    if let Err(failure) = root::prepare(&guest::prepare()?).and_then(|()| clients::prepare()) {
        // Some tests do without, and say so.
        if filters.is_empty() {
            return Err(failure);
        }
        println!("No root file system for tests of disks: {}", failure.0);
    }
    cms::prepare()?;
    if filters.is_empty() && !bless {
        return everything();
    }
    let mut tests = cargo(&["test", "--workspace", "--profile", TESTED, "--no-fail-fast"]);
    tests.args(filters).env("ENDICOTT_GUEST", guest::folder()).env("ENDICOTT_CMS", cms::folder());
    if bless {
        tests.env("BLESS", "1");
    }
    run(&mut tests)
}

/// All that a change must pass, once what it takes is there.
fn everything() -> Outcome {
    nothing_to_skip()?;
    lint()?;
    deny::check()?;
    house::check(&host::root().join("docs/house.txt"))?;
    page::check()?;
    suite::run(TESTED)?;
    println!("Rows of the instruction table once more under other operation codes");
    // Of the whole workspace, so that the crates below the table are those that are built already.
    let rows = ["--workspace", "--features", "jit/copies", "--test", "new_rows"];
    run(cargo(&["test", "--profile", TESTED, "--quiet"]).args(rows))
}

/// The differential run against QEMU; `tests/differential/src/main.rs` says which words it takes.
pub(crate) fn oracle(words: &[&str]) -> Outcome {
    run(cargo(&["run", "--quiet", "--release", "--package", "differential", "--"]).args(words))
}

/// Runs the fuzz targets; `fuzz/src/main.rs` says which words it takes.
pub(crate) fn fuzz(words: &[&str]) -> Outcome {
    run(cargo(&["run", "--quiet", "--profile", TESTED, "--package", "fuzz", "--"]).args(words))
}

/// Writes the generated references.
pub(crate) fn docs() -> Outcome {
    run(&mut cargo(&["run", "--quiet", "--package", "reference"]))
}

/// What a change must pass.
pub(crate) fn ci() -> Outcome {
    test(&[], false)
}

/// The tests that drive other programs pass over what is not installed; a run that counts passes over nothing.
fn nothing_to_skip() -> Outcome {
    // Without Chromium, too: Ubuntu has none as a package.
    let emulators = ["qemu-s390x", "qemu-s390x-static"];
    let driven = [&["s3270"][..], &["telnet"], &["openssl"], &emulators, &["cckdcdsk"], &["curl"]];
    for programs in driven {
        if !programs.iter().any(|program| host::has(program)) {
            return Err(format!("Tests drive {}, which is not installed; make test installs it.", programs[0]).into());
        }
    }
    Ok(())
}

/// The Rust 1.x whose lints the sources are held to. What a newer toolchain has learnt to say is shown, and fails
/// nothing: a release of Rust must not break the tests of a tree that has not changed.
const LINTED_WITH: u32 = 95;

fn lint() -> Outcome {
    if cargo(&["fmt", "--version"]).output().is_ok_and(|output| output.status.success()) {
        run(&mut cargo(&["fmt", "--all", "--check"]))?;
    } else {
        println!("Format not checked: this toolchain has no rustfmt.");
    }
    if cargo(&["clippy", "--version"]).output().is_ok_and(|output| output.status.success()) {
        let here = ["--workspace", "--all-targets"];
        // As for hosts that have no translator.
        let elsewhere = ["--package=jit", "--package=engine", "--package=endicott", "--features=jit/absent"];
        for what in [&here[..], &elsewhere] {
            let mut clippy = cargo(&["clippy", "--quiet"]);
            clippy.args(what).arg("--");
            if host::rust_minor().is_none_or(|minor| minor <= LINTED_WITH) {
                clippy.args(["--deny", "warnings"]);
            }
            run(&mut clippy)?;
        }
    } else {
        println!("Lints not checked: this toolchain has no clippy.");
    }
    Ok(())
}
