//! What is typed at `endicott linux`, and what its guest's console prints.
//!
//! At a terminal each key goes to a VT220 as it is; for a 3215 a line is edited here. Ctrl-A is the escape from both.
//! Standard input that is no terminal goes to the guest when it shows a prompt.

use crate::local;
use crate::server::Notes;
use base::Held;
use consoles::host::Host;
use consoles::sessions::Sessions;
use consoles::terminal::Terminal;
use rustix::termios::{OptionalActions, Termios, isatty, tcgetattr, tcsetattr};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use virtualmachine::vmdbk::Vmdbk;

/// A guest's console.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, Serialize, Deserialize)]
pub enum Console {
    /// A screen on which each key counts: ttysclp0 in Linux, the service element's integrated ASCII console.
    Vt220,
    /// A typewriter, line by line: ttyS0 in Linux, the virtual console.
    #[value(name = "3215")]
    Typewriter,
}

/// A terminal in raw mode, put back when this is dropped.
pub struct Raw(Termios);

impl Raw {
    /// Puts the terminal into raw mode; `None` if standard input is no terminal.
    pub fn enter() -> Option<Raw> {
        let stdin = rustix::stdio::stdin();
        if !isatty(stdin) {
            return None;
        }
        let before = tcgetattr(stdin).ok()?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(stdin, OptionalActions::Now, &raw).ok()?;
        Some(Raw(before))
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &self.0);
    }
}

/// How often the reader of standard input looks whether it can go on.
const POLL: Duration = Duration::from_millis(20);
/// How long an unfinished line stands before it is taken for a prompt, and how long any line before the guest is taken
/// to listen without a prompt.
const PROMPT: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(30));

/// What the guest's console looks like to a user who may type there.
#[derive(Default)]
pub struct Prompt(Mutex<Printed>);

#[derive(Default)]
struct Printed {
    /// When there was something new.
    at: Option<Instant>,
    /// The last line, if it is not ended; the end of it, if it is long.
    unfinished: String,
    /// Bytes so far.
    bytes: u64,
}

impl Prompt {
    fn printed(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        let mut last = self.0.lock().held();
        last.at = Some(Instant::now());
        last.bytes += text.len() as u64;
        match text.rsplit_once('\n') {
            Some((_, rest)) => last.unfinished = rest.into(),
            None => last.unfinished.push_str(text),
        }
        let keep = last.unfinished.char_indices().rev().nth(80).map_or(0, |(at, _)| at);
        last.unfinished.drain(..keep);
    }

    /// A guest that goes on from where it was may have asked for a line before: it is taken to listen.
    pub fn goes_on(&self) {
        *self.0.lock().held() = Printed { at: Some(Instant::now()), unfinished: "#".into(), bytes: 0 };
    }

    /// Whether a program there seems to wait for a line.
    fn is_shown(&self) -> bool {
        let last = self.0.lock().held();
        let quiet = if last.unfinished.is_empty() { PROMPT.1 } else { PROMPT.0 };
        last.at.is_some_and(|at| at.elapsed() >= quiet)
    }

    /// Whether it is a secret that is asked for. A 3215 types what is entered whatever the guest thinks of it, and has
    /// no way to be told otherwise: the words on the paper have to do.
    fn asks_for_a_secret(&self) -> bool {
        let last = self.0.lock().held();
        let line = last.unfinished.trim_end().to_ascii_lowercase();
        line.ends_with(':') && ["password", "passphrase"].iter().any(|word| line.contains(word))
    }

    /// How many bytes there have been, and when the last came.
    fn progress(&self) -> (u64, Option<Instant>) {
        let last = self.0.lock().held();
        (last.bytes, last.at)
    }

    /// The line has been entered: what stands there is answered.
    fn answered(&self) {
        self.0.lock().held().unfinished.clear();
    }
}

/// Prints the guest's output and looks for the words by which a Linux kernel says that it panics.
pub fn output(panicked: Arc<AtomicBool>, prompt: Arc<Prompt>) -> Box<dyn FnMut(&str)> {
    const PANIC: &str = "Kernel panic - not syncing";
    let mut tail = String::new();
    let mut lines = (!isatty(rustix::stdio::stdout())).then(Lines::default);
    Box::new(move |text| {
        prompt.printed(text);
        tail.push_str(text);
        if tail.contains(PANIC) {
            panicked.store(true, Ordering::Relaxed);
        }
        let keep = tail.char_indices().rev().nth(PANIC.len()).map_or(0, |(at, _)| at);
        tail.drain(..keep);
        let mut stdout = io::stdout().lock();
        let written = match &mut lines {
            Some(lines) => stdout.write_all(lines.of(text).as_bytes()),
            None => stdout.write_all(text.as_bytes()),
        };
        // Standard output that is gone takes nothing with it: the guest goes on.
        say::note(written.and_then(|()| stdout.flush()));
    })
}

/// Makes a terminal's output a file's: lines end with LF alone. Linux itself writes LF and CR, its programs' lines end
/// with CR and LF.
#[derive(Default)]
struct Lines {
    /// The last character was a CR that is held back.
    held: bool,
    /// The last character was a LF.
    ended: bool,
}

impl Lines {
    fn of(&mut self, text: &str) -> String {
        let mut lines = String::with_capacity(text.len() + 1);
        for character in text.chars() {
            if character == '\r' {
                self.held = !self.ended;
                continue;
            }
            self.ended = character == '\n';
            if std::mem::take(&mut self.held) && !self.ended {
                lines.push('\r');
            }
            lines.push(character);
        }
        lines
    }
}

/// How many lines of standard input may wait for a guest's 3215.
const TYPED_AHEAD: usize = 64;
/// Linux's 3215 driver reads with an area of 160 bytes and puts a new line after what it read, unless this stands at
/// the end: so it joins pieces.
const GOES_ON: &str = "^n";
/// What of a longer line is entered at once.
const PIECE: usize = 150;

/// What a VT220 sends at once.
const BURST: usize = 1024;
/// How much of what it sends need not have been echoed yet, and how often it looks. Linux has room for about a megabyte
/// that no program has read, and throws away what is more; what a program could read it echoes.
const UNHEARD: u64 = 64 << 10;
/// How often it looks whether there is room for more.
const ROOM: Duration = Duration::from_millis(2);
/// How long a guest may be silent that has been sent so much: it may have been told not to echo. And how long a key
/// waits for a guest that has no room for it.
const SILENCE: Duration = Duration::from_secs(1);
/// How long a guest may print something else.
const CHATTER: Duration = Duration::from_secs(5);

/// A key was lost.
const BELL: &str = "\x07";

/// Shows at the terminal what is not the guest's.
fn show(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// The way from standard input to the guest.
pub struct Keyboard {
    /// CP, for lines.
    pub cp: Arc<dyn Sessions>,
    /// The guest, for keys.
    pub vmdbk: Arc<Vmdbk>,
    /// Performs a command of CP for the user.
    pub command: Box<dyn Fn(&str) + Send>,
    /// The terminal that CP knows for it.
    pub terminal: Arc<Terminal>,
    /// The host, which is told of the end.
    pub notes: Arc<Notes>,
    /// What the guest has asked last.
    pub prompt: Arc<Prompt>,
    /// What kind of console the guest has.
    pub console: Console,
}

impl Keyboard {
    /// Reads standard input from now on: the keys of a terminal in `raw` mode, or whatever it is.
    pub fn start(self, raw: bool) {
        let read = move || match (raw, self.console) {
            (true, _) => self.keys(),
            (false, Console::Typewriter) => self.lines(),
            (false, Console::Vt220) => self.bytes(),
        };
        thread::Builder::new().name("keyboard".into()).spawn(read).expect("a thread can be started");
    }

    fn keys(&self) {
        let mut editor = Editor { direct: self.console == Console::Vt220, ..Editor::default() };
        for byte in io::stdin().lock().bytes() {
            let Ok(byte) = byte else { break };
            editor.hidden = !editor.direct && self.prompt.asks_for_a_secret();
            let (echo, typed) = editor.key(byte);
            show(&echo);
            match typed {
                None => (),
                Some(Typed::Key(key)) => {
                    let began = Instant::now();
                    if !self.press(&[key], || began.elapsed() < SILENCE) {
                        show(BELL);
                    }
                }
                Some(Typed::Line(line)) => {
                    self.prompt.answered();
                    self.enter(&line);
                }
                Some(Typed::Command(line)) => (self.command)(&line),
                Some(Typed::End) => self.notes.shut_down(),
            }
        }
    }

    /// A guest that is still starting has no ear for its console, and what a shell finds typed ahead when it starts it
    /// throws away: what comes first waits for a prompt.
    fn await_prompt(&self) {
        while !self.prompt.is_shown() && !self.notes.ended() {
            thread::sleep(POLL);
        }
    }

    fn lines(&self) {
        self.await_prompt();
        let mut stdin = io::stdin().lock();
        while let Ok(Some(line)) = local::line(&mut stdin) {
            // A script may be longer than what a guest lets be typed ahead.
            while self.vmdbk.machine().keyboard.queued() >= TYPED_AHEAD && !self.notes.ended() {
                thread::sleep(POLL);
            }
            self.enter(&line);
        }
    }

    fn bytes(&self) {
        self.await_prompt();
        let mut stdin = io::stdin().lock();
        let mut buffer = [0; BURST];
        let (heard_before, _) = self.prompt.progress();
        let (mut sent, mut looked_at) = (0, 0);
        loop {
            let count = match stdin.read(&mut buffer) {
                Ok(count @ 1..) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Ok(0) | Err(_) => break,
            };
            self.press(&buffer[..count], || true);
            sent += count as u64;
            if sent - looked_at >= UNHEARD {
                self.await_echo(heard_before + sent);
                looked_at = sent;
            }
        }
    }

    /// Waits until the guest has printed nearly `all` bytes, unless it does not echo.
    fn await_echo(&self, all: u64) {
        let began = Instant::now();
        while !self.notes.ended() && began.elapsed() < CHATTER {
            let (heard, last) = self.prompt.progress();
            let silence = last.map_or(began, |last| last.max(began)).elapsed();
            if heard + UNHEARD >= all || silence >= SILENCE {
                break;
            }
            thread::sleep(POLL);
        }
    }

    /// Presses these keys of a VT220, with patience for a guest that has no room for them yet; whether it took them.
    fn press(&self, keys: &[u8], patience: impl Fn() -> bool) -> bool {
        loop {
            if self.vmdbk.machine().configuration.typed(keys) {
                return true;
            }
            if self.notes.ended() || !patience() {
                return false;
            }
            thread::sleep(ROOM);
        }
    }

    /// Enters a line at a 3215, a long one in pieces.
    fn enter(&self, line: &str) {
        let mut rest = line;
        while let Some((at, _)) = rest.char_indices().nth(PIECE) {
            let (piece, further) = rest.split_at(at);
            self.cp.line(self.terminal.id, &format!("{piece}{GOES_ON}"));
            rest = further;
        }
        self.cp.line(self.terminal.id, rest);
    }
}

/// What has been typed.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Typed {
    /// A key of a VT220.
    Key(u8),
    Line(String),
    Command(String),
    End,
}

/// Line editing in raw mode. Input is UTF-8; a byte at a time.
#[derive(Default)]
struct Editor {
    /// Only CP's commands are edited: all other keys are the guest's.
    direct: bool,
    line: Vec<u8>,
    escaped: bool,
    command: bool,
    /// What is typed for the guest does not show.
    hidden: bool,
    /// In the middle of what a function key or the terminal's own answer to a guest sends: ESC, perhaps `[`, then
    /// up to a letter. A 3215 has no such keys.
    sequence: bool,
}

const CTRL_A: u8 = 0x01;

impl Editor {
    /// A key: what to echo, and what is complete with it.
    fn key(&mut self, byte: u8) -> (String, Option<Typed>) {
        let (echo, typed) = self.edit(byte);
        // New lines and what follows them are the terminal's own; a password's length is a secret too.
        let shown = !self.hidden || self.command || echo.contains('\n');
        (if shown { echo } else { String::new() }, typed)
    }

    fn edit(&mut self, byte: u8) -> (String, Option<Typed>) {
        if std::mem::take(&mut self.escaped) {
            return match byte {
                b'x' | b'X' => ("\r\n".into(), Some(Typed::End)),
                b'c' | b'C' => {
                    self.line.clear();
                    self.command = true;
                    ("\r\nCP> ".into(), None)
                }
                CTRL_A if self.direct => (String::new(), Some(Typed::Key(CTRL_A))),
                CTRL_A => self.plain(CTRL_A),
                _ => (
                    "\r\nCtrl-A c: a CP command   Ctrl-A x: end the guest   Ctrl-A Ctrl-A: Ctrl-A itself\r\n".into(),
                    None,
                ),
            };
        }
        if self.sequence {
            self.sequence = !(byte.is_ascii_alphabetic() && byte != b'O' || byte == b'~');
            return (String::new(), None);
        }
        if self.direct && !self.command && byte != CTRL_A {
            return (String::new(), Some(Typed::Key(byte)));
        }
        match byte {
            0x1b => {
                self.sequence = true;
                (String::new(), None)
            }
            CTRL_A => {
                self.escaped = true;
                (String::new(), None)
            }
            b'\r' | b'\n' => {
                let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
                let command = std::mem::take(&mut self.command);
                ("\r\n".into(), Some(if command { Typed::Command(line) } else { Typed::Line(line) }))
            }
            0x7f | 0x08 => {
                let Some(last) = self.line.pop() else { return (String::new(), None) };
                // The rest of a character of several bytes goes with its last one.
                let mut byte = last;
                while byte & 0xc0 == 0x80 {
                    byte = self.line.pop().unwrap_or(0);
                }
                ("\x08 \x08".into(), None)
            }
            0x15 => {
                let erase = "\x08 \x08".repeat(String::from_utf8_lossy(&self.line).chars().count());
                self.line.clear();
                (erase, None)
            }
            // The 3215 has no such keys: Linux takes a circumflex and a letter instead.
            0x03 | 0x04 | 0x1a => {
                self.line.clear();
                let control = format!("^{}", (byte | 0x60) as char);
                (format!("{control}\r\n"), Some(Typed::Line(control)))
            }
            0x00..=0x1f => (String::new(), None),
            byte => self.plain(byte),
        }
    }

    fn plain(&mut self, byte: u8) -> (String, Option<Typed>) {
        self.line.push(byte);
        // An echo of half a character is held back until it is whole.
        let whole = std::str::from_utf8(&self.line).ok().and_then(|line| line.chars().next_back());
        (whole.filter(|c| !c.is_control()).map_or(String::new(), String::from), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[u8]) -> Vec<Typed> {
        let mut editor = Editor::default();
        keys.iter().filter_map(|&key| editor.key(key).1).collect()
    }

    #[test]
    fn lines_are_edited() {
        assert_eq!(typed(b"lx\x7fs\r"), [Typed::Line("ls".into())]);
        assert_eq!(typed(b"rubbish\x15pwd\r\r"), [Typed::Line("pwd".into()), Typed::Line("".into())]);
        assert_eq!(typed("ä\x7fo\r".as_bytes()), [Typed::Line("o".into())]);
        assert_eq!(typed(b"sleep\x03"), [Typed::Line("^c".into())]);
        assert_eq!(typed(b"l\x1b[A\x1b[12;5Rs\x1bOP\r"), [Typed::Line("ls".into())]);
    }

    #[test]
    fn each_key_is_a_vt220s() {
        let mut editor = Editor { direct: true, ..Editor::default() };
        let mut typed = |keys: &[u8]| keys.iter().filter_map(|&key| editor.key(key).1).collect::<Vec<Typed>>();
        assert_eq!(typed(b"l\x7f\x1b[A\r\x03"), b"l\x7f\x1b[A\r\x03".map(Typed::Key));
        assert_eq!(typed(b"\x01cq tume\x7f\x7f\x7fime\r"), [Typed::Command("q time".into())]);
        assert_eq!(typed(b"\x01\x01\x01h\x01x"), [Typed::Key(CTRL_A), Typed::End]);
    }

    #[test]
    fn a_file_has_lines_that_end_with_lf_alone() {
        let mut lines = Lines::default();
        let mut of = |text: &str| lines.of(text);
        assert_eq!(
            of("a program's\r\nthe kernel's\n\rbare\nboth\r\n\r\n"),
            "a program's\nthe kernel's\nbare\nboth\n\n"
        );
        assert_eq!((of("cut in two\r"), of("\n"), of("\rx")), ("cut in two".into(), "\n".into(), "x".into()));
        assert_eq!(
            (of(" 10 %\r 20 %\r"), of("done")),
            (" 10 %\r 20 %".into(), "\rdone".into()),
            "one that is printed over"
        );
    }

    #[test]
    fn a_secret_does_not_show() {
        let prompt = Prompt::default();
        let asks = |text: &str| {
            prompt.printed(text);
            prompt.asks_for_a_secret()
        };
        assert!(!asks("Debian GNU/Linux 12 home ttyS0\nhome login: "));
        assert!(!asks("root\nPass"));
        assert!(asks("word: "));
        let mut editor = Editor { hidden: true, ..Editor::default() };
        let mut echo = |keys: &[u8]| keys.iter().map(|&key| editor.key(key).0).collect::<String>();
        assert_eq!(echo(b"secres\x7ft\r"), "\r\n");
        assert_eq!(echo(b"\x01cq time\r"), "\r\nCP> q time\r\n");
        prompt.answered();
        assert!(!prompt.asks_for_a_secret());
        assert!(!asks("Enter new password: \n"));
    }

    #[test]
    fn control_a_is_the_escape() {
        assert_eq!(typed(b"\x01cq time\r\x01x"), [Typed::Command("q time".into()), Typed::End]);
        assert_eq!(typed(b"\x01\x01\r"), [Typed::Line("\x01".into())]);
        assert_eq!(typed(b"\x01hls\r"), [Typed::Line("ls".into())]);
    }
}
