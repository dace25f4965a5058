//! Pipelines on this host: what they type, and random ones.
//!
//! `tests/pipelines.txt` has lines `> pipeline` and what it types. `BLESS=1` writes what is typed now.
//! `ENDICOTT_PIPELINES=300000 ENDICOTT_SEED=n` runs so many random ones, with a sanitizer looking on.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn what_pipelines_type() {
    let Some(program) = cms::pipe() else { return };
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
    let Some(program) = cms::pipe() else { return };
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
