//! What the tests of CMS share: the programs of `guest/cms` that run on this host, built by its C compiler, and the
//! nucleus, if `cargo x cms` has built it.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The folder of CMS's source.
pub fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guest/cms")
}

/// `edfdisk`, the file system on this host; `None`, with a sentence, where there is no C compiler.
pub fn edfdisk() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        println!("skipped: there is no C compiler ({compiler}) for the file system's trials");
        return None;
    }
    let program = std::env::temp_dir().join(format!("edfdisk-{}", std::process::id()));
    let mut command = Command::new(compiler);
    command.args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    for folder in ["edf", "host"] {
        let entries = std::fs::read_dir(source().join(folder)).expect("the folder is there");
        command.args(
            entries
                .map(|entry| entry.expect("it can be read").path())
                .filter(|path| path.extension().is_some_and(|extension| extension == "c")),
        );
    }
    let output = command.output().expect("the compiler was there a moment ago");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

/// Runs `edfdisk`.
pub fn run(program: &Path, words: &[&str]) -> Output {
    Command::new(program).args(words).output().expect("it was just built")
}
