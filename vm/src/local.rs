//! The terminal that is this program's own standard input and output: the operator's typewriter.

use nucleus::console::terminal::Terminal;
use nucleus::system::Cp;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use std::io::{self, BufRead, Write};
use std::sync::Arc;

/// Prints on standard output.
pub fn print(text: &str) {
    let mut stdout = io::stdout().lock();
    // Standard output that is gone takes nothing with it: the system goes on.
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
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

/// Reads lines for `terminal` until standard input ends. An end of input means that nobody types here any more, as with
/// `endicott run < /dev/null`; the system goes on.
pub fn read(cp: Arc<Cp>, terminal: Arc<Terminal>) {
    let read = move || {
        for line in io::stdin().lock().lines() {
            match line {
                Ok(line) => cp.line(terminal.id, &line),
                Err(_) => break,
            }
        }
    };
    std::thread::Builder::new().name("operator".into()).spawn(read).expect("a thread can be started");
}
