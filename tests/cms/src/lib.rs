//! What the tests of CMS share: the programs of `guest/cms` that run on this host, built by its C compiler, the
//! nucleus, if `cargo x cms` has built it, and a system with a user who IPLs it ([`system::Site`]).

mod cards;
pub mod count;
mod profile;
pub mod seat;
pub mod story;
pub mod system;
pub mod typist;

use description::Description;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The folder of CMS's source.
pub fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guest/cms")
}

/// What the sources say of CMS's commands and messages.
pub fn description() -> Description {
    Description::read(&source()).expect("the description can be read")
}

/// The folder of what is made of that: rows of C's tables, and HELP's files as NAME.HELP.
pub fn made() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let (description, folder) = (description(), scratch().join("made"));
        std::fs::create_dir_all(&folder).expect("the folder of the tests can be written to");
        description.write_tables(&folder).expect("so can a folder in it");
        for (name, text) in description.help() {
            std::fs::write(folder.join(name).with_extension("HELP"), text).expect("so can a folder in it");
        }
        folder
    };
    MADE.get_or_init(make)
}

const SCRATCH: &str = "endicott-cms-";

/// A folder for files of this process's tests. Those of processes that are no more go.
pub fn scratch() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let all = std::env::temp_dir();
        for entry in std::fs::read_dir(&all).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let process = name.strip_prefix(SCRATCH).and_then(|rest| rest.parse::<u32>().ok());
            if process.is_some_and(|process| !Path::new("/proc").join(process.to_string()).exists()) {
                // Another process may be at it as well.
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
        let folder = all.join(format!("{SCRATCH}{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the host has a folder for temporary files");
        folder
    };
    FOLDER.get_or_init(make).clone()
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
    let program = scratch().join("edfdisk");
    let mut command = Command::new(compiler);
    command.args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    for folder in ["edf", "host"] {
        let entries = std::fs::read_dir(source().join(folder)).expect("the folder is there");
        let files = entries.map(|entry| entry.expect("it can be read").path());
        command.args(files.filter(|path| path.extension().is_some_and(|extension| extension == "c")));
    }
    command.arg(source().join("lib/members.c"));
    let output = command.output().expect("the compiler was there a moment ago");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

/// The files of `guest/cms/pipe` that know CMS.
fn knows_cms(name: &str) -> bool {
    name.starts_with("drive") || ["system.c", "filter.c", "help.c", "lua.c", "head.c"].contains(&name)
}

/// `pipe`, pipelines on this host (`guest/cms/pipe/host.c`) with a sanitizer looking on; `None`, with a sentence, where
/// there is no compiler for it.
pub fn pipe() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build_pipe).as_deref()
}

/// Compiled by the host's C compiler, with EBCDIC literals but where it talks to the host.
fn build_pipe() -> Option<PathBuf> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let known = Command::new(&compiler).args(["-fexec-charset=IBM037", "-E", "-x", "c", "/dev/null"]).output();
    if !known.is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no C compiler ({compiler}) that has EBCDIC literals");
        return None;
    }
    let (source, folder) = (source(), scratch());
    let mut parts: Vec<PathBuf> =
        ["lib/text.c", "lib/format.c", "lib/pack.c", "host/ebcdic.c"].map(|name| source.join(name)).into();
    let entries = std::fs::read_dir(source.join("pipe")).expect("the folder is there");
    parts.extend(entries.map(|entry| entry.expect("it can be read").path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.ends_with(".c") && !knows_cms(&name)
    }));
    let flags = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"];
    let strict = ["-fno-sanitize=nonnull-attribute", "-fno-sanitize-recover=all"];
    let mut objects = Vec::new();
    for part in parts {
        let name = part.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let object = folder.join(format!("pipe-{name}.o"));
        let mut command = Command::new(&compiler);
        command.args(flags).args(strict).arg("-I").arg(made()).arg("-c").arg(&part).arg("-o").arg(&object);
        if !["host.c", "ebcdic.c"].contains(&name.as_str()) {
            command.arg("-fexec-charset=IBM037");
        }
        let output = command.output().expect("the compiler was there a moment ago");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        objects.push(object);
    }
    let program = folder.join("pipe");
    let output =
        Command::new(&compiler).args(flags).args(&objects).arg("-o").arg(&program).output().expect("it is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

/// Runs `edfdisk`.
pub fn run(program: &Path, words: &[&str]) -> Output {
    // Files are as old as the clock of the tests' system says that it is.
    let mut command = Command::new(program);
    command.args(words).env("SOURCE_DATE_EPOCH", "690624000").output().expect("it was just built")
}

/// Runs `edfdisk` and wants success; returns what it said.
pub fn good(words: &[&str]) -> String {
    String::from_utf8_lossy(&bytes(words)).into_owned()
}

/// The same, as bytes.
pub fn bytes(words: &[&str]) -> Vec<u8> {
    let Some(program) = edfdisk() else { return Vec::new() };
    let Output { status, stdout, stderr } = run(program, words);
    let said = || format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "edfdisk {words:?}: {}", said());
    stdout
}

/// The loader and the nucleus, from the folder `ENDICOTT_CMS` names or from `cache/cms`; `None`, with a sentence, if
/// they are not there.
pub fn nucleus() -> Option<[PathBuf; 2]> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cache/cms");
    let folder = std::env::var_os("ENDICOTT_CMS").map_or(root, PathBuf::from);
    let files = ["loader.bin", "nucleus.bin"].map(|name| folder.join(name));
    let library = folder.join("CMSENTRY.TEXT");
    if files.iter().chain([&library]).all(|file| file.exists()) && edfdisk().is_some() {
        return Some(files);
    }
    println!("skipped: there is no CMS in {} (cargo x cms makes one, with a cross compiler)", folder.display());
    None
}
