//! Pipelines on this host: what they type, and random ones.
//!
//! `tests/pipelines.txt` has lines `> pipeline` and what it types. `BLESS=1` writes what is typed now. `ENDICOTT_PIPELINES=300000
//! ENDICOTT_SEED=n` runs so many random ones, with a sanitizer looking on.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The files of `guest/cms/pipe` that know CMS.
fn knows_cms(name: &str) -> bool {
    name.starts_with("drive") || ["system.c", "filter.c", "help.c"].contains(&name)
}

fn built() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).as_deref()
}

/// Compiled by the host's C compiler, with EBCDIC literals but where it talks to the host.
fn build() -> Option<PathBuf> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let known = Command::new(&compiler).args(["-fexec-charset=IBM037", "-E", "-x", "c", "/dev/null"]).output();
    if !known.is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no C compiler ({compiler}) that has EBCDIC literals");
        return None;
    }
    let (source, folder) = (cms::source(), cms::scratch());
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
        command.args(flags).args(strict).arg("-c").arg(&part).arg("-o").arg(&object);
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

#[test]
fn what_pipelines_type() {
    let Some(program) = built() else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pipelines.txt");
    let text = std::fs::read_to_string(&path).expect("the file is there");
    let mut told = String::new();
    for line in text.lines().filter(|line| !line.starts_with('<')) {
        told += &format!("{line}\n");
        let Some(pipeline) = line.strip_prefix("> ") else { continue };
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it was just built");
        let mut input = child.stdin.take().expect("it is piped");
        input.write_all(format!("{pipeline}\n").as_bytes()).expect("it reads a line");
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{pipeline}: {}", String::from_utf8_lossy(&output.stderr));
        for line in String::from_utf8_lossy(&output.stdout).lines().filter(|line| *line != "rc 0") {
            told += &format!("< {line}\n");
        }
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &told).expect("it can be written");
    }
    let differs = text.lines().zip(told.lines()).find(|(was, is)| was != is);
    assert!(told == text, "{}: {differs:?} (BLESS=1 accepts)", path.display());
}

#[test]
fn random_pipelines_give_back_what_they_obtain() {
    let Some(program) = built() else { return };
    let number = |name: &str, usual: &str| std::env::var(name).unwrap_or_else(|_| usual.into());
    let (count, seed) = (number("ENDICOTT_PIPELINES", "1500"), number("ENDICOTT_SEED", "1"));
    let output = Command::new(program).args(["-f", &seed, &count]).output().expect("it was just built");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "pipe -f {seed} {count} -v shows which: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.starts_with(&format!("{count} pipelines")), "{said}");
}
