//! `endicott linux`: one guest on standard input and output.
//!
//! No set-up and no privilege: a system is made of one user whose virtual machine gets a Linux kernel from files. At a
//! terminal, what is typed is edited here, line by line, as a 3215 does; Ctrl-A is the escape. The program ends when the
//! guest does, and its exit code says how.

use crate::clock::HostClock;
use crate::server::{Notes, Server};
use base::Clock;
use complex::Image;
use devices::tape::Model;
use directory::{Directory, Passwords};
use nucleus::console::terminal::{Ending, Host, Kind, Terminal};
use nucleus::system::{Cp, SystemConfig};
use nucleus::vmdbk::Vmdbk;
use nucleus::{ipl, logon};
use rustix::termios::{OptionalActions, Termios, isatty, tcgetattr, tcsetattr};
use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tape::Tape;

/// What the exit codes mean.
pub const EXIT_CODES: &str = "\
Exit codes:
  0  the guest powered itself off
  1  the guest could not be started
  2  the command line is wrong
  3  the guest loaded a disabled wait PSW
  4  the guest's kernel panicked
  5  the guest was in a loop of program interruptions
  6  the guest asked to be started again
  7  Endicott itself failed
  130  ended by Ctrl-A x or by a signal

At a terminal, Ctrl-A is the escape: Ctrl-A c takes a CP command, Ctrl-A x ends the guest, Ctrl-A h helps.";

/// What the command line says.
#[derive(clap::Args)]
pub struct Options {
    /// The Linux kernel for s390x; without one, the guest starts from its first disk.
    #[arg(long, value_name = "FILE", required_unless_present = "disk")]
    pub kernel: Option<PathBuf>,
    /// The initial RAM disk.
    #[arg(long, value_name = "FILE", requires = "kernel")]
    pub initrd: Option<PathBuf>,
    /// The kernel's command line; of a guest that starts from its disk, what is added to it, up to 64 characters.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub append: String,
    /// A disk: an image in one of the formats that "endicott dasd" knows. The first becomes device 0200, and so on. May be
    /// given more than once.
    #[arg(long, value_name = "FILE")]
    pub disk: Vec<PathBuf>,
    /// A tape in AWSTAPE or HET format, on a drive of its own. The first drive becomes device 0580, and so on.
    #[arg(long, value_name = "FILE")]
    pub tape: Vec<PathBuf>,
    /// The virtual machine's storage, such as 512M or 2G.
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size)]
    pub memory: u64,
    /// How many virtual CPUs.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub cpus: u16,
    /// At the end, one line of JSON about the run on standard error.
    #[arg(long)]
    pub json: bool,
    /// How many host threads run virtual CPUs; usually as many as the guest has CPUs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub processors: Option<u16>,
}

/// The most characters of parameters that IPL takes.
const PARAMETERS: usize = 64;

/// The device number of the first disk.
const DISKS: u16 = 0x200;
/// The device number of the first tape drive.
const TAPES: u16 = 0x580;

impl Options {
    /// A guest that starts from `disk`.
    pub fn from_disk(disk: &Path, memory: u64, cpus: u16) -> Options {
        Options {
            kernel: None,
            initrd: None,
            append: String::new(),
            disk: vec![disk.to_owned()],
            tape: Vec::new(),
            memory,
            cpus,
            json: false,
            processors: None,
        }
    }
}

/// A size of storage as it is typed: 512M, 2G.
pub fn size(text: &str) -> Result<u64, String> {
    let size = nucleus::words::Word(text).storage().filter(|&size| size >= 16 << 20);
    size.ok_or_else(|| "a size is a number with M or G, at least 16M".into())
}

/// A file that is loaded.
enum Loaded {
    /// Read when its place in storage is known.
    File(File, u64, PathBuf),
    /// What came out of a pipe.
    Bytes(Vec<u8>),
}

impl Default for Loaded {
    fn default() -> Loaded {
        Loaded::Bytes(Vec::new())
    }
}

impl Loaded {
    fn open(path: &Path) -> Result<Loaded, String> {
        let open = || {
            let mut file = File::open(path)?;
            let about = file.metadata()?;
            if about.is_file() {
                return Ok(Loaded::File(file, about.len(), path.into()));
            }
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Ok(Loaded::Bytes(bytes))
        };
        open().map_err(|error: io::Error| format!("{}: {error}", path.display()))
    }
}

impl Image for Loaded {
    fn size(&self) -> u64 {
        match self {
            Loaded::File(_, len, _) => *len,
            Loaded::Bytes(bytes) => bytes.len() as u64,
        }
    }

    fn read(&self, at: u64, to: &mut [u8]) -> io::Result<()> {
        match self {
            Loaded::File(file, _, path) => file
                .read_exact_at(to, at)
                .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display()))),
            Loaded::Bytes(bytes) => bytes.read(at, to),
        }
    }
}

/// How many lines of standard input may wait for the guest.
const TYPED_AHEAD: usize = 64;

/// The guest's user ID.
const USERID: &str = "LINUX";

/// Runs the guest; the exit code.
pub fn linux(options: &Options) -> Result<u8, String> {
    if options.kernel.is_none() && options.append.len() > PARAMETERS {
        return Err(format!("--append: a guest that starts from its disk takes up to {PARAMETERS} characters"));
    }
    let kernel = options.kernel.as_deref().map(Loaded::open).transpose()?;
    let initrd = options.initrd.as_deref().map(Loaded::open).transpose()?.unwrap_or_default();
    let mut text = format!("USER {USERID} NOPASS {0}M {0}M G\n MACHINE ESA {1}\n", options.memory >> 20, options.cpus);
    (0..options.cpus).for_each(|cpu| text += &format!(" CPU {cpu:02X}\n"));
    text += " CONSOLE 009 3215\n";
    let disks: Vec<(u16, &PathBuf)> = (DISKS..).zip(&options.disk).collect();
    let tapes: Vec<(u16, &PathBuf)> = (TAPES..).zip(&options.tape).collect();
    disks.iter().chain(&tapes).for_each(|(number, _)| text += &format!(" DEDICATE {number:04X} {number:04X}\n"));
    let directory = Directory::parse("endicott linux", &text, &Passwords::default());
    let directory = directory.map_err(|errors| errors[0].to_string())?;
    let host = std::thread::available_parallelism().map_or(1, |n| n.get() as u16);
    let processors = crate::run::processors(options.processors.unwrap_or(options.cpus.min(host)));
    let config = SystemConfig { operator: USERID.into(), processors, ..SystemConfig::default() };
    let notes = Arc::new(Notes::new());
    notes.end_with_guest();
    let clock = Arc::new(HostClock::new());
    let started = clock.now();
    let cp = Arc::new(Cp::new(config, directory, None, clock.clone(), notes.clone()));
    for (number, file) in &disks {
        let volume = ::dasd::open(file).map_err(|error| error.to_string())?;
        cp.disks.install(*number, volume, file.display().to_string());
    }
    for (number, file) in &tapes {
        let tape = Tape::open(file, true).map_err(|error| format!("{}: {error}", file.display()))?;
        cp.tapes.install(*number, Model::T3490);
        cp.tapes.real(*number).expect("it was just installed").drive.mount(tape);
    }
    let terminal = cp.connect(Kind::Typewriter, Some("0009"), "", true);
    let vmdbk = logon::log_on_here(&cp, USERID, &terminal).map_err(|message| message.text)?;
    {
        let mut console = vmdbk.console();
        console.settings.edit = false;
        console.settings.auto_return = false;
    }
    let raw = Raw::enter();
    let panicked = Arc::new(AtomicBool::new(false));
    let server = Server::new(cp.clone(), notes.clone());
    let mut server = server.map_err(|error| format!("the console cannot be served: {error}"))?;
    let prompt = Arc::new(Prompt::default());
    server.set_local(terminal.clone(), output(raw.is_some(), panicked.clone(), prompt.clone()));
    let stop = notes.clone();
    crate::signals::on_end(move || stop.shut_down())?;
    match &kernel {
        Some(kernel) => {
            ipl::from_files(&cp, &vmdbk, kernel, &initrd, &options.append).map_err(|error| error.to_string())?;
        }
        None => {
            let how = ipl::Options { parm: options.append.clone(), ..ipl::Options::default() };
            ipl::from_device(&cp, &vmdbk, DISKS, &how).map_err(|message| message.text)?;
        }
    }
    drop((kernel, initrd));
    let threads = crate::run::start_processors(&cp);
    input(&cp, &vmdbk, &terminal, notes.clone(), prompt, raw.is_some());
    server.run();
    cp.processors.end();
    vmdbk.machine().hold();
    threads.into_iter().for_each(|thread| drop(thread.join()));
    cp.disks.close(cp.now());
    drop(raw);
    let ending = notes.ending();
    let code = match &ending {
        _ if panicked.load(Ordering::Relaxed) => 4,
        Some(Ending::Stopped) => 0,
        // A guest that was told to shut down says so with this address.
        Some(Ending::DisabledWait(psw)) if psw.address == 0xfff => 0,
        Some(Ending::DisabledWait(_)) => 3,
        Some(Ending::ProgramLoop) => 5,
        Some(Ending::NothingToLoad) => 6,
        Some(Ending::CheckStop) => 7,
        None => 130,
    };
    if options.json {
        let (virtual_us, total_us) = vmdbk.times();
        let machine = vmdbk.machine();
        let configuration = &machine.configuration;
        let instructions: u64 = configuration.cpus().map(|cpu| configuration.cpu(cpu).state.instructions).sum();
        let counts = configuration.css().counts();
        let jit: String = engine::statistics()
            .counters()
            .map(|(name, value)| match name {
                "time" => format!(",\"jit_us\":{}", value / 1000),
                _ => format!(",\"jit_{name}\":{value}"),
            })
            .collect();
        eprintln!(
            "{{\"exit\":{code},\"elapsed_us\":{},\"virtual_cpu_us\":{virtual_us},\"total_cpu_us\":{total_us},\
             \"instructions\":{instructions},\"io_starts\":{},\"io_interruptions\":{},\"cpus\":{},\"storage\":{}{jit}}}",
            clock.now().micros_since(started),
            counts.starts,
            counts.interruptions,
            options.cpus,
            options.memory,
        );
    }
    Ok(code)
}

/// How often the reader of standard input looks whether it can go on.
const POLL: Duration = Duration::from_millis(20);
/// How long an unfinished line stands before it is taken for a prompt, and how long any line before the guest is taken to
/// listen without a prompt.
const PROMPT: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(30));

/// What the guest's console looks like to somebody who may type there.
#[derive(Default)]
struct Prompt(Mutex<Printed>);

#[derive(Default)]
struct Printed {
    /// When there was something new.
    at: Option<Instant>,
    /// The last line, if it is not ended; the end of it, if it is long.
    unfinished: String,
}

impl Prompt {
    fn printed(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.at = Some(Instant::now());
        match text.rsplit_once('\n') {
            Some((_, rest)) => last.unfinished = rest.into(),
            None => last.unfinished.push_str(text),
        }
        let keep = last.unfinished.char_indices().rev().nth(80).map_or(0, |(at, _)| at);
        last.unfinished.drain(..keep);
    }

    /// Whether somebody there seems to wait for a line.
    fn is_shown(&self) -> bool {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let quiet = if last.unfinished.is_empty() { PROMPT.1 } else { PROMPT.0 };
        last.at.is_some_and(|at| at.elapsed() >= quiet)
    }

    /// Whether it is a secret that is asked for. A 3215 types what is entered whatever the guest thinks of it, and has no
    /// way to be told otherwise: the words on the paper have to do.
    fn asks_for_a_secret(&self) -> bool {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = last.unfinished.trim_end().to_ascii_lowercase();
        line.ends_with(':') && ["password", "passphrase"].iter().any(|word| line.contains(word))
    }

    /// The line has been entered: what stands there is answered.
    fn answered(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).unfinished.clear();
    }
}

/// Prints the guest's output and looks for the words by which a Linux kernel says that it panics.
fn output(raw: bool, panicked: Arc<AtomicBool>, prompt: Arc<Prompt>) -> Box<dyn FnMut(&str)> {
    const PANIC: &str = "Kernel panic - not syncing";
    let mut tail = String::new();
    Box::new(move |text| {
        prompt.printed(text);
        tail.push_str(text);
        if tail.contains(PANIC) {
            panicked.store(true, Ordering::Relaxed);
        }
        let keep = tail.char_indices().rev().nth(PANIC.len()).map_or(0, |(at, _)| at);
        tail.drain(..keep);
        let text = if raw { text.replace('\n', "\r\n") } else { text.to_string() };
        let mut stdout = io::stdout().lock();
        // Standard output that is gone takes nothing with it: the guest goes on.
        let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    })
}

/// A terminal in raw mode, put back when this is dropped.
struct Raw(Termios);

impl Raw {
    fn enter() -> Option<Raw> {
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

/// Linux's 3215 driver reads with an area of 160 bytes and puts a new line behind what it read, unless this stands at the end:
/// so it joins pieces.
const GOES_ON: &str = "^n";
/// What of a longer line is entered at once.
const PIECE: usize = 150;

/// Enters a line for the guest, a long one in pieces.
fn enter(cp: &Cp, terminal: &Terminal, line: &str) {
    let mut rest = line;
    while let Some((at, _)) = rest.char_indices().nth(PIECE) {
        let (piece, further) = rest.split_at(at);
        cp.line(terminal.id, &format!("{piece}{GOES_ON}"));
        rest = further;
    }
    cp.line(terminal.id, rest);
}

/// Reads standard input: the keyboard of a terminal in `raw` mode, or lines, the first of which waits for `prompt`.
fn input(
    cp: &Arc<Cp>,
    vmdbk: &Arc<Vmdbk>,
    terminal: &Arc<Terminal>,
    notes: Arc<Notes>,
    prompt: Arc<Prompt>,
    raw: bool,
) {
    let (cp, vmdbk, terminal) = (cp.clone(), vmdbk.clone(), terminal.clone());
    let read = move || {
        if raw {
            return keyboard(&cp, &vmdbk, &terminal, &notes, &prompt);
        }
        // A guest that is still starting has no ear for its console, and what a shell finds typed ahead when it starts it
        // throws away: the first line waits for a prompt.
        while !prompt.is_shown() && !notes.ended() {
            std::thread::sleep(POLL);
        }
        for line in io::stdin().lock().split(b'\n') {
            let Ok(line) = line else { break };
            // A script may be longer than what a guest lets be typed ahead.
            while vmdbk.machine().keyboard.queued() >= TYPED_AHEAD && !notes.ended() {
                std::thread::sleep(POLL);
            }
            enter(&cp, &terminal, &String::from_utf8_lossy(&line));
        }
    };
    std::thread::Builder::new().name("keyboard".into()).spawn(read).expect("a thread can be started");
}

/// The keyboard of a terminal in raw mode.
fn keyboard(cp: &Arc<Cp>, vmdbk: &Arc<Vmdbk>, terminal: &Arc<Terminal>, notes: &Notes, prompt: &Prompt) {
    let mut editor = Editor::default();
    for byte in io::stdin().lock().bytes() {
        let Ok(byte) = byte else { break };
        editor.hidden = prompt.asks_for_a_secret();
        let (echo, command) = editor.key(byte);
        let mut stdout = io::stdout().lock();
        let _ = stdout.write_all(echo.as_bytes()).and_then(|()| stdout.flush());
        drop(stdout);
        match command {
            None => (),
            Some(Typed::Line(line)) => {
                prompt.answered();
                enter(cp, terminal, &line);
            }
            Some(Typed::Command(line)) => cp.console_command(vmdbk, &line),
            Some(Typed::End) => notes.shut_down(),
        }
    }
}

/// What has been typed.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Typed {
    Line(String),
    Command(String),
    End,
}

/// Line editing in raw mode. Input is UTF-8; a byte at a time.
#[derive(Default)]
struct Editor {
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
