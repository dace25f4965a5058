//! Programs made by chance: the small programs of the families, cut up, spliced and scribbled over, run under the
//! sanitizers. Nothing may crash, nothing may keep storage, and every program must end.
//!
//! `REXX_FUZZ=N` runs N lines of programs (each has up to eleven) with plenty of storage, and a fifth as many with
//! little; `REXX_SEED` says which. It prints how many there were.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, thread};
use support::Random;

use rexx::families;

const PIECES: &[&str] = &[
    " ",
    ";",
    "\n",
    ",",
    "(",
    ")",
    "'",
    "\"",
    "/*",
    "*/",
    "=",
    "==",
    "\\",
    "||",
    "**",
    "//",
    "%",
    "&&",
    "<<=",
    ":",
    ".",
    "a.",
    "a.i.j",
    "i",
    "x",
    "1",
    "0",
    "-1",
    "1E9",
    "999999999",
    "1e-999999999",
    "'ff'x",
    "''",
    "copies('ab',9999)",
    "if ",
    " then ",
    " else ",
    "do ",
    "do forever;",
    "end;",
    "select;",
    "when ",
    "otherwise ",
    "leave;",
    "iterate;",
    "call ",
    "return ",
    "exit ",
    "signal ",
    "signal on syntax;",
    "signal on novalue;",
    "call on error;",
    "call on halt name f;",
    "trace ?r;",
    "trace i;",
    "trace o;",
    "interpret ",
    "procedure;",
    "procedure expose a. (x);",
    "parse arg ",
    "parse var x ",
    "parse value ",
    " with ",
    "pull ",
    "push ",
    "queue ",
    "numeric digits ",
    "numeric fuzz ",
    "numeric form engineering;",
    "drop ",
    "upper ",
    "address cms ",
    "'var x 5';",
    "'halt';",
    "'dump';",
    "'rc 8';",
    "'get a.1';",
    "f:",
    "syntax:",
    "halt:",
    "novalue:",
    "f(",
    "substr(",
    "translate(",
    "format(",
    "d2x(",
    "x2d(",
    "c2d(",
    "date(",
    "time('e')",
    "random(",
    "arg(",
    "value(",
    "sourceline(",
    "condition('d')",
    "queued()",
    "by ",
    "to ",
    "for ",
    "while ",
    "until ",
    "\x00",
    "\u{ff}",
    "say ",
    "ts",
    "te",
];

fn program(random: &mut Random, lines: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..=random.below(10) {
        bytes.extend_from_slice(random.pick(lines).as_bytes());
        bytes.push(if random.one_in(4) { b';' } else { b'\n' });
    }
    for _ in 0..random.below(6) {
        let at = random.below(bytes.len() + 1);
        match random.below(6) {
            0 | 1 => {
                let piece = random.pick(PIECES).as_bytes();
                bytes.splice(at..at, piece.iter().copied());
            }
            2 => {
                let to = (at + random.below(12)).min(bytes.len());
                bytes.drain(at..to);
            }
            3 => {
                let to = (at + random.below(40)).min(bytes.len());
                let copy = bytes[at..to].to_vec();
                let target = random.below(bytes.len() + 1);
                bytes.splice(target..target, copy);
            }
            4 => {
                if at < bytes.len() {
                    bytes[at] = random.byte();
                }
            }
            _ => {
                let piece = random.pick(PIECES).as_bytes();
                let to = (at + piece.len()).min(bytes.len());
                bytes.splice(at..to, piece.iter().copied());
            }
        }
    }
    bytes
}

/// Runs programs of that many lines, or a few more; `flags` for the interpreter. Returns how many programs, and how
/// many lines.
fn fuzz(interpreter: &Path, flags: &[&str], seed: u64, count: u64) -> (usize, u64) {
    let families = families::all();
    let wrapped: Vec<String> = families.iter().flat_map(|f| f.programs.iter()).map(|p| families::wrap(p)).collect();
    let lines: Vec<&str> = wrapped.iter().flat_map(|p| p.split(['\n', ';'])).filter(|l| !l.is_empty()).collect();
    let mut child = Command::new(interpreter)
        .arg("-f")
        .args(flags)
        .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program that was just built");
    let mut input = child.stdin.take().expect("it was piped");
    let output = BufReader::new(child.stdout.take().expect("it was piped"));
    let answers = thread::spawn(move || {
        output.split(b'\n').filter(|line| line.as_ref().is_ok_and(|l| l.starts_with(b"\x01rc "))).count()
    });
    let mut random = Random::seeded(seed);
    let (mut sent, mut fed) = (0, 0);
    // What was sent last is kept, so that what crashed can be found again.
    let mut last = std::collections::VecDeque::new();
    while fed < count {
        let bytes = program(&mut random, &lines);
        last.push_back(bytes.clone());
        if last.len() > 20_000 {
            last.pop_front();
        }
        let mut message = format!("{}\n", bytes.len()).into_bytes();
        message.extend_from_slice(&bytes);
        if input.write_all(&message).is_err() {
            break;
        }
        sent += 1;
        fed += bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count() as u64;
    }
    drop(input);
    let status = child.wait().expect("a child of ours");
    let answered = answers.join().expect("it reads only");
    if !status.success() || answered != sent {
        // The program that was not answered is among the last.
        let back = last.len().saturating_sub(sent - answered);
        let culprit = last.get(back).cloned().unwrap_or_default();
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("crash.rex");
        fs::write(&file, &culprit).expect("a writable folder");
        panic!("{status} after {answered} of {sent}, seed {seed}; {}\n{}", file.display(), rexx::shown(&culprit));
    }
    (sent, fed)
}

fn number(name: &str, otherwise: u64) -> u64 {
    env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn no_program_crashes_it() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let flags = [
        "-O1",
        "-g",
        "-DREXX_SEPARATE_BLOCKS",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
        "-fno-omit-frame-pointer",
    ];
    let interpreter = rexx::build(folder, "fuzzed", &flags);
    let (seed, count) = (number("REXX_SEED", 20_261_122), number("REXX_FUZZ", 60_000));
    let (mut programs, mut lines) = fuzz(&interpreter, &["-m", "16000000"], seed, count);
    // The same with so little storage that it is exhausted everywhere.
    for size in ["5000", "9000", "21000", "40000"] {
        let (more, fed) = fuzz(&interpreter, &["-m", size], seed ^ 0x5555, count / 20);
        (programs, lines) = (programs + more, lines + fed);
    }
    println!("{programs} programs, {lines} lines, and none crashed");
    // One program again and again, with one allocation more each time: every place where storage may run out.
    let exhausted = include_str!("../golden/conditions.rex").replace("call ext 1,2; say result; say ext(3)", "");
    let times = 3000;
    let programs: Vec<u8> = (0..times).flat_map(|_| format!("{}\n{exhausted}", exhausted.len()).into_bytes()).collect();
    let mut child = Command::new(&interpreter)
        .args(["-f", "-c", "1"])
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program that was just built");
    let mut input = child.stdin.take().expect("it was piped");
    let writer = thread::spawn(move || input.write_all(&programs));
    let output = child.wait_with_output().expect("a child of ours");
    let _ = writer.join();
    assert!(output.status.success(), "out of storage: {}", output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("\u{1}rc ")).collect();
    assert_eq!(answers.len(), times);
    assert_eq!(answers[0], "20005", "no storage at all");
    assert!(answers.contains(&"20035"), "with enough it ends as it is written: with error 35");
    rexx::forget(&interpreter);
}
