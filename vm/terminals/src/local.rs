//! The terminal that is this program's own standard input and output: the operator's typewriter.

use consoles::sessions::Sessions;
use consoles::terminal::Terminal;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use std::io::{self, BufRead, Read};
use std::sync::Arc;

/// Prints on standard output.
pub fn print(text: &str) {
    // Standard output that is gone takes nothing with it: the system goes on.
    say::print(format_args!("{text}"));
}

/// Whether what is typed shows, at a terminal that has not been put into raw mode.
pub fn echo(on: bool) {
    let stdin = rustix::stdio::stdin();
    if let Ok(mut modes) = tcgetattr(stdin)
        && modes.local_modes.contains(LocalModes::ICANON)
        && modes.local_modes.contains(LocalModes::ECHO) != on
    {
        modes.local_modes.set(LocalModes::ECHO, on);
        let _ = tcsetattr(stdin, OptionalActions::Now, &modes);
    }
}

/// Reads lines for `terminal` until standard input ends. An end of input means that no lines come here any more, as
/// with `endicott run < /dev/null`; the system goes on.
pub fn read(cp: Arc<dyn Sessions>, terminal: Arc<Terminal>) {
    let read = move || {
        let mut stdin = io::stdin().lock();
        loop {
            match line(&mut stdin) {
                Ok(Some(line)) => cp.line(terminal.id, &line),
                Ok(None) => break,
                Err(error) => {
                    complain!("endicott: standard input: {error}: nothing more is read from it");
                    break;
                }
            }
        }
    };
    std::thread::Builder::new().name("operator".into()).spawn(read).expect("a thread can be started");
}

/// The longest line that is read: more than any console takes, and an end of what has no lines at all.
const LONGEST: u64 = 64 << 10;

/// The next line, without what ends it; `None` after the last one.
pub fn line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    from.take(LONGEST).read_until(b'\n', &mut line)?;
    if line.len() as u64 == LONGEST && line.last() != Some(&b'\n') {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a line of more than {LONGEST} bytes")));
    }
    let ended = line.pop_if(|last| *last == b'\n').is_some();
    if !ended && line.is_empty() {
        return Ok(None);
    }
    line.pop_if(|last| *last == b'\r');
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}
