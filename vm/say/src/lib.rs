//! What the program says on standard output and standard error, with its bars; the words of a line that it reads; what
//! it says of an address that it cannot serve at.
//!
//! A full disk under standard output, or a reader that has gone, does not stop what is being done: a disk is not to be
//! left half written because of that. The first failure is remembered, nothing more is printed, and the exit code tells
//! of it in the end.

// What is printed goes through here: those macros panic where it cannot be.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod listening;
pub mod progress;
pub mod words;

use base::Held;
use serde::Serialize;
use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::Mutex;

/// Prints a line on standard output, as `println!` does.
#[macro_export]
macro_rules! say {
    ($($words:tt)*) => { $crate::print(format_args!("{}\n", format_args!($($words)*))) };
}

/// Prints a line on standard error, as `eprintln!` does. Where that is gone, too, nothing is left to tell it to.
#[macro_export]
macro_rules! complain {
    ($($words:tt)*) => { $crate::error(format_args!($($words)*)) };
}

static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

/// Prints on standard output.
pub fn print(words: Arguments) {
    if good() {
        let mut stdout = io::stdout().lock();
        note(stdout.write_fmt(words).and_then(|()| stdout.flush()));
    }
}

/// Prints a line on standard error.
pub fn error(words: Arguments) {
    let _ = writeln!(io::stderr(), "{words}");
}

/// Prints lines on standard error as they are.
pub fn errors(lines: &str) {
    let _ = io::stderr().write_all(lines.as_bytes());
}

/// `value` as a line of JSON, without its end.
pub fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("every key is a string")
}

/// Remembers what became of something that was printed.
pub fn note(written: io::Result<()>) {
    if let Err(error) = written {
        FAILED.lock().held().get_or_insert(error);
    }
}

/// Whether everything was printed so far.
pub fn good() -> bool {
    FAILED.lock().held().is_none()
}

/// The exit code of a program that ends with `code`, or with `lost` if not all was printed. One whose reader has gone
/// ends quietly, as others do by SIGPIPE.
pub fn end(code: u8, lost: u8) -> ExitCode {
    const SIGPIPE: u8 = 128 + 13;
    let failed = FAILED.lock().held();
    ExitCode::from(match &*failed {
        Some(error) if error.kind() == ErrorKind::BrokenPipe => {
            if lost == LOST {
                SIGPIPE
            } else {
                code
            }
        }
        Some(error) => {
            complain!("endicott: standard output: {error}");
            if code == 0 { lost } else { code }
        }
        None => code,
    })
}

/// The exit code of a tool whose output is not all there.
pub const LOST: u8 = 1;
