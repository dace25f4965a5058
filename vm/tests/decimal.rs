//! Decimal floating point as a C compiler uses it: a program for a z196 in a guest, whose results the compiler knows.

mod support;

use debian::cpio::Archive;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use support::{endicott, guest};

const COMPILER: &str = "s390x-linux-gnu-gcc";

/// The program, or nothing without a compiler that makes it.
fn program(folder: &Path) -> Option<Vec<u8>> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/decimal.c");
    let made = folder.join("decimal");
    let mut compile = Command::new(COMPILER);
    compile.args(["-O1", "-static", "-march=z196", "-mhard-dfp", "-fno-trapping-math", "-w", "-o"]);
    match compile.arg(&made).arg(source).output() {
        Err(_) => None,
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(fs::read(made).expect("it has been made"))
        }
    }
}

#[test]
fn a_compilers_decimal_numbers() {
    let Some(guest) = guest() else { return };
    let folder = std::env::temp_dir().join(format!("endicott-decimal-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the host has a folder for temporary files");
    let Some(program) = program(&folder) else {
        eprintln!("skipped: there is no {COMPILER}");
        return;
    };
    let mut overlay = Archive::default();
    overlay.program("init", &program);
    let mut initrd = fs::read(&guest.initrd).expect("the guest is there");
    initrd.resize(initrd.len().next_multiple_of(4), 0);
    initrd.extend(overlay.finish());
    let path = folder.join("initrd");
    fs::write(&path, initrd).expect("the host has room");
    let output = endicott()
        .args(["linux", "--memory", "256M", "--append", "quiet nokaslr", "--kernel"])
        .arg(&guest.kernel)
        .arg("--initrd")
        .arg(&path)
        .stdin(Stdio::null())
        .output()
        .expect("endicott starts");
    fs::remove_dir_all(&folder).expect("it is ours");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("cases, 0 wrong"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
