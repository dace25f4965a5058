//! Whole programs on the language processor and on Regina: what differs.
//!
//! `cargo run -p rexx --bin compare -- [--seconds N] FOLDER...` runs every `.rexx`, `.rex`, `.exec` and `.cmd` file of
//! the folders. `NAME.in` beside a program is typed at it. Each program has N seconds (10) and runs in a folder of its
//! own that goes afterwards. Lines that differ are shown, the first few of each program: `>` is ours, `<` Regina's.
//! Error messages are compared by their numbers. The exit status is 1 when something differs.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const USAGE: &str = "usage: compare [--seconds N] FOLDER...";

/// Lines shown of a program whose output differs.
const SHOWN: usize = 4;

/// What a program did: its lines and its exit status, or that its time was over.
#[derive(PartialEq, Eq)]
struct Ran {
    text: String,
    /// `None`: it was ended.
    status: Option<i32>,
}

fn run(command: &mut Command, program: &Path, seconds: u64, scratch: &Path) -> std::io::Result<Ran> {
    let typed = program.with_extension("in");
    let input = if typed.exists() { Stdio::from(File::open(typed)?) } else { Stdio::null() };
    let folder = scratch.join("work");
    fs::create_dir_all(&folder)?;
    let output = scratch.join("output");
    let file = File::create(&output)?;
    let mut child =
        command.arg(program).current_dir(&folder).stdin(input).stdout(file.try_clone()?).stderr(file).spawn()?;
    let until = Instant::now() + Duration::from_secs(seconds);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status.code();
        }
        if Instant::now() >= until {
            child.kill()?;
            child.wait()?;
            break None;
        }
        thread::sleep(Duration::from_millis(2));
    };
    fs::remove_dir_all(&folder)?;
    let text = rexx::messages(&rexx::shown(&fs::read(&output)?));
    Ok(Ran { status: status.map(|status| plain(status, &text)), text })
}

/// The exit status of a program that an error has ended is the error's number; Regina's is that number's negative.
fn plain(status: i32, text: &str) -> i32 {
    let error = text.lines().rev().find_map(|line| line.strip_prefix("error ")?.parse::<i32>().ok());
    error.filter(|error| status == 256 - error).unwrap_or(status)
}

fn show(name: &str, ours: &Ran, regina: &Ran) {
    let status = |ran: &Ran| ran.status.map_or("no end".to_owned(), |code| format!("status {code}"));
    println!("{name}: {}, Regina {}", status(ours), status(regina));
    let (mine, other): (Vec<&str>, Vec<&str>) = (ours.text.lines().collect(), regina.text.lines().collect());
    let differing = (0..mine.len().max(other.len())).filter(|&i| mine.get(i) != other.get(i));
    for i in differing.take(SHOWN) {
        for (mark, line) in [('>', mine.get(i)), ('<', other.get(i))] {
            if let Some(line) = line {
                println!("  {}{mark} {}", i + 1, line.chars().take(120).collect::<String>());
            }
        }
    }
}

/// The programs of a folder, in order.
fn programs(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        if path.is_file() && matches!(extension.as_deref(), Some("rexx" | "rex" | "exec" | "cmd")) {
            all.push(path.canonicalize()?);
        }
    }
    all.sort();
    Ok(all)
}

fn main() -> ExitCode {
    let mut seconds = 10;
    let mut all = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--seconds" {
            match words.next().map(|n| n.parse()) {
                Some(Ok(n)) => seconds = n,
                _ => return refuse("--seconds wants a number"),
            }
        } else if word.starts_with('-') {
            return refuse(USAGE);
        } else {
            match programs(Path::new(&word)) {
                Ok(found) => all.extend(found),
                Err(error) => return refuse(&format!("{word}: {error}")),
            }
        }
    }
    if all.is_empty() {
        return refuse(USAGE);
    }
    if !rexx::has_regina() {
        return refuse("regina is not installed: the package is regina-rexx");
    }
    let scratch = std::env::temp_dir().join(format!("rexx-compare-{}", std::process::id()));
    let result = compare(&all, seconds, &scratch);
    let _ = fs::remove_dir_all(&scratch);
    match result {
        Ok(equal) => {
            println!("{} programs, {equal} equal", all.len());
            if equal == all.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => refuse(&error.to_string()),
    }
}

fn compare(all: &[PathBuf], seconds: u64, scratch: &Path) -> std::io::Result<usize> {
    fs::create_dir_all(scratch)?;
    let interpreter = rexx::build(scratch, "compared", &["-O1"]);
    let mut equal = 0;
    for program in all {
        let ours = run(&mut Command::new(&interpreter), program, seconds, scratch)?;
        let regina = run(&mut Command::new("regina"), program, seconds, scratch)?;
        if ours == regina {
            equal += 1;
        } else {
            show(&program.file_name().unwrap_or_default().to_string_lossy(), &ours, &regina);
        }
    }
    Ok(equal)
}

fn refuse(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(2)
}
