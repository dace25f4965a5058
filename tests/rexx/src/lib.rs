//! The language processor of `guest/cms/rexx`, built as a program of this host and held against Regina.
//!
//! [`families`] makes small programs; `cases/` keeps, for each, what it must print. What is kept was recorded with
//! Regina beside us, and every record in which the two differ says why. Where Regina is installed it is asked again.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

pub mod clauses;
pub mod families;
pub mod reasons;

/// Where the C sources are.
#[must_use]
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guest/cms/rexx")
}

/// Builds the program of the host with these flags beside the usual ones, as `name` in `folder`. One that is there
/// already is taken when `REXX_PROGRAM` names it.
///
/// # Panics
/// If the compiler is not there or refuses the sources: both are failures of the test.
#[must_use]
pub fn build(folder: &Path, name: &str, flags: &[&str]) -> PathBuf {
    if let Some(ready) = std::env::var_os("REXX_PROGRAM") {
        return ready.into();
    }
    let program = folder.join(format!("{name}-{}", std::process::id()));
    let mut files: Vec<PathBuf> = fs::read_dir(sources())
        .expect("the sources are part of the repository")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut cc = Command::new(compiler);
    cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror"]).args(flags).args(&files).arg("-o").arg(&program);
    let status = cc.status().expect("a C compiler, which cargo needs to link anyway");
    assert!(status.success(), "the language processor does not compile");
    program
}

/// Removes what [`build`] has built.
pub fn forget(program: &Path) {
    if std::env::var_os("REXX_PROGRAM").is_none() {
        let _ = fs::remove_file(program);
    }
}

/// What a program printed and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// What it printed.
    pub text: String,
    /// The return code.
    pub code: i32,
}

/// Bytes as text that a file of cases can hold: everything but printable ASCII as `\xNN`, lines as they are.
#[must_use]
pub fn shown(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes {
        match byte {
            b'\n' => text.push('\n'),
            b'\\' => text.push_str("\\\\"),
            0x20..=0x7E => text.push(char::from(byte)),
            _ => write!(text, "\\x{byte:02X}").expect("strings do not fail"),
        }
    }
    text
}

/// Runs programs one after the other in one process of ours (`rexx -b`).
///
/// # Panics
/// If it cannot be started or dies.
#[must_use]
pub fn run_ours(interpreter: &Path, flags: &[&str], programs: &[String]) -> Vec<Printed> {
    let mut child = Command::new(interpreter)
        .arg("-b")
        .args(flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program that was just built");
    let mut input = child.stdin.take().expect("it was piped");
    let mut all = Vec::new();
    for program in programs {
        all.extend_from_slice(format!("{}\n{program}", program.len()).as_bytes());
    }
    let writer = thread::spawn(move || input.write_all(&all));
    let output = child.wait_with_output().expect("a child of ours");
    let _ = writer.join();
    assert!(output.status.success(), "the language processor died: {}", output.status);
    let mut printed = Vec::new();
    let mut text = Vec::new();
    for line in output.stdout.split_inclusive(|&b| b == b'\n') {
        if let Some(rest) = line.strip_prefix(b"\x01rc ") {
            let code = String::from_utf8_lossy(rest).trim().parse().expect("a number of ours");
            printed.push(Printed { text: messages(&shown(&text)), code });
            text.clear();
        } else {
            text.extend_from_slice(line);
        }
    }
    assert_eq!(printed.len(), programs.len(), "one answer a program");
    printed
}

/// Runs programs under Regina, a process each, two at a time.
///
/// # Panics
/// If there is no shell or the folder isn't writable.
#[must_use]
pub fn run_regina(folder: &Path, programs: &[String]) -> Vec<String> {
    let folder = folder.join(format!("regina-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a writable folder");
    for (i, program) in programs.iter().enumerate() {
        fs::write(folder.join(format!("p{i}.rex")), program).expect("a writable folder");
    }
    let half = programs.len().div_ceil(2);
    let run = |from: usize, to: usize| {
        let script = format!(
            "ulimit -t 2; i={from}; while [ $i -lt {to} ]; do regina \"$PWD/p$i.rex\" </dev/null >o$i 2>&1; \
             i=$((i+1)); done"
        );
        Command::new("sh").arg("-c").arg(script).current_dir(&folder).stdin(Stdio::null()).spawn().expect("a shell")
    };
    let mut first = run(0, half);
    let mut second = run(half, programs.len());
    let _ = (first.wait(), second.wait());
    let outputs = (0..programs.len())
        .map(|i| messages(&shown(&fs::read(folder.join(format!("o{i}"))).expect("the shell wrote it"))))
        .collect();
    let _ = fs::remove_dir_all(&folder);
    outputs
}

/// Error messages down to their number: the words are each interpreter's own.
#[must_use]
pub fn messages(text: &str) -> String {
    let mut kept = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.first() == Some(&"Error") && words.get(2) == Some(&"running") {
            writeln!(kept, "error {}", words[1]).expect("strings do not fail");
        } else if words.first() == Some(&"Error") || line.contains(" +++ ") || line.contains(" *-* ") {
            // The subcode's line and the traceback.
        } else {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Whether Regina is installed.
#[must_use]
pub fn has_regina() -> bool {
    Command::new("regina").arg("-v").stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null()).status().is_ok()
}

/// One recorded program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// The program's text.
    pub program: String,
    /// What we print.
    pub ours: String,
    /// What Regina prints, if that is something else, and why that is so.
    pub regina: Option<(String, String)>,
}

/// A family's cases: program lines begin with `| `, ours with `> `, Regina's with `< `, the reason with `! `.
#[must_use]
pub fn read_cases(text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for block in text.split("\n\n") {
        let mut case = Case::default();
        for line in block.lines() {
            let (mark, rest) = line.split_at(line.len().min(2));
            let into = match mark.trim_end() {
                "|" => &mut case.program,
                ">" => &mut case.ours,
                "<" => &mut case.regina.get_or_insert_default().0,
                "!" => &mut case.regina.get_or_insert_default().1,
                _ => continue,
            };
            into.push_str(rest);
            if mark.trim_end() != "!" {
                into.push('\n');
            }
        }
        if !case.program.is_empty() {
            case.program.pop();
            cases.push(case);
        }
    }
    cases
}

/// The other way.
#[must_use]
pub fn write_cases(cases: &[Case]) -> String {
    let mut text = String::new();
    let mut put = |mark: &str, lines: &str| {
        for line in lines.lines() {
            text.push_str(format!("{mark} {line}").trim_end());
            text.push('\n');
        }
    };
    for case in cases {
        put("|", &case.program);
        put(">", &case.ours);
        if let Some((regina, reason)) = &case.regina {
            put("<", regina);
            put("!", reason);
        }
        put("", " ");
    }
    text
}
