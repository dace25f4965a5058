//! A system that is up for one run of an experiment, in this process and on one processor, if not said otherwise.

use crate::bare::Program;
use crate::volumes;
use base::file;
use consoles::terminal::{Kind, Terminal};
use dispatch::Status;
use monitor::processor::Cause;
use nucleus::logon;
use nucleus::system::Cp;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use terminals::server::Notes;
use tools::system::{CONFIGURATION, DIRECTORY};
use virtualmachine::vmdbk::Vmdbk;
use work::inside::Steps;

/// A system that is up, and its host.
pub struct System {
    /// The Control Program.
    pub cp: Arc<Cp>,
    /// Its host.
    pub notes: Arc<Notes>,
}

/// What the program does for experiments; errors are lines for a person.
#[derive(Clone, Copy)]
pub struct Hands {
    /// Brings up the system in a folder, at this clock or else at the host's.
    pub bring_up: fn(&Path, Option<Arc<Steps>>) -> Result<System, String>,
    /// Makes a volume with this serial.
    pub volume: fn(&Path, &str) -> Result<(), String>,
    /// Makes a system for so many users of a load that comes with the program, with CMS from this folder if not from
    /// where it usually is.
    pub load: fn(&str, &Path, usize, Option<&Path>) -> Result<(), String>,
    /// Whether to go on: not if the program is told to end.
    pub goes_on: fn() -> bool,
}

/// Where systems for experiments are, and how they come up.
pub struct Site {
    /// The folder of the sample system with CMS that experiments use up.
    pub folder: PathBuf,
    /// What the program does.
    pub hands: Hands,
    /// The folder with CMS, if one was named.
    pub cms: Option<PathBuf>,
    /// SYSTEM CONFIG as it was made.
    pub configuration: String,
}

/// How many users for experiments the directory has, USER0001 and so on: CMS's disks, no IPL, 16 MB.
pub const USERS: usize = 1000;

/// The most time that a line may take.
const MOST: Duration = Duration::from_secs(60);

/// Timers that are due sooner than this are waited for.
const SOON: u64 = 2_000_000;

/// How often CP's timers are looked at while virtual CPUs run.
const TICK: Duration = Duration::from_millis(1);

/// The user that changes shares, reserves pages and sets up disks.
pub const SYSTEM_PROGRAMMER: &str = "MAINT";

/// The name of a user for experiments, counted from 1.
pub fn user(n: usize) -> String {
    format!("USER{n:04}")
}

/// The number after a key in an answer of CP.
pub fn number(answer: &str, key: &str) -> Option<f64> {
    let (_, rest) = answer.split_once(key)?;
    rest.split(|c: char| !c.is_ascii_digit() && c != '.').next()?.parse().ok()
}

impl Site {
    /// Adds the users for experiments to a new sample system.
    pub fn prepare(folder: &Path, hands: Hands, cms: Option<&Path>) -> Result<Site, String> {
        let place = |name: &str| folder.join(name);
        let fail = |path: PathBuf| move |error: std::io::Error| format!("{}: {error}", path.display());
        let directory = place(DIRECTORY);
        let mut text = std::fs::read_to_string(&directory).map_err(fail(directory.clone()))?;
        if !text.contains(&format!("USER {} ", user(1))) {
            for n in 1..=USERS {
                let name = user(n);
                text += &format!(
                    "\nUSER {name} {name} 16M 16M G\n INCLUDE DEFAULT\n MACHINE ESA\n LINK MAINT 190 190 RR\n"
                );
            }
        }
        if !text.contains(&format!("USER {} ", volumes::user(1))) {
            text += &volumes::directory();
        }
        file::replace(&directory, text.as_bytes(), 0o666).map_err(fail(directory.clone()))?;
        let path = place(CONFIGURATION);
        let kept = place(&format!("{CONFIGURATION} AS MADE"));
        if !kept.exists() {
            std::fs::copy(&path, &kept).map_err(fail(path))?;
        }
        let configuration = std::fs::read_to_string(&kept).map_err(fail(kept.clone()))?;
        Ok(Site { folder: folder.to_owned(), hands, cms: cms.map(Path::to_owned), configuration })
    }

    /// The system, with these statements added to SYSTEM CONFIG.
    pub fn up(&self, statements: &str) -> Result<Bench, String> {
        let path = self.folder.join(CONFIGURATION);
        let text = format!("{}\n{statements}\n", self.configuration);
        file::replace(&path, text.as_bytes(), 0o666).map_err(|error| format!("{}: {error}", path.display()))?;
        let System { cp, .. } = (self.hands.bring_up)(&self.folder, None)?;
        Ok(Bench { cp, lines: 0, failed: Vec::new(), threads: Vec::new() })
    }
}

/// A system that is up.
pub struct Bench {
    cp: Arc<Cp>,
    /// Lines that were to show something.
    pub lines: u64,
    /// Of these, those that did not: what was typed and what was shown.
    pub failed: Vec<String>,
    /// Processors that are threads; without any this thread is the only one.
    threads: Vec<JoinHandle<()>>,
}

/// What CP has counted of all processors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Virtual CPUs that were dispatched.
    pub dispatched: f64,
    /// How often interpretive execution was begun.
    pub sie: f64,
    /// Of these, how often it ended since the guest wanted something.
    pub intercepted: f64,
    /// DIAGNOSE.
    pub diagnoses: f64,
    /// IUCV.
    pub iucv: f64,
    /// START SUBCHANNEL, and I/O by DIAGNOSE.
    pub started: f64,
    /// Microseconds that virtual CPUs ran.
    pub emulation: f64,
    /// Microseconds that processors were busy.
    pub busy: f64,
}

impl Counts {
    /// Those of a system since it came up.
    pub fn of(cp: &Cp) -> Counts {
        let mut sum = Counts::default();
        for one in &cp.counts {
            let count = |cause| one.count(cause) as f64;
            sum.dispatched += one.dispatched.load(Relaxed) as f64;
            sum.sie += one.interpreted() as f64;
            sum.intercepted += one.interpreted() as f64 - count(Cause::Slice);
            sum.diagnoses += count(Cause::Diagnose);
            sum.iucv += count(Cause::Iucv);
            sum.started += one.started.load(Relaxed) as f64;
            sum.emulation += one.emulation.load(Relaxed) as f64;
            sum.busy += one.busy.load(Relaxed) as f64;
        }
        sum
    }

    /// What came since then.
    pub fn since(self, earlier: Counts) -> Counts {
        Counts {
            dispatched: self.dispatched - earlier.dispatched,
            sie: self.sie - earlier.sie,
            intercepted: self.intercepted - earlier.intercepted,
            diagnoses: self.diagnoses - earlier.diagnoses,
            iucv: self.iucv - earlier.iucv,
            started: self.started - earlier.started,
            emulation: self.emulation - earlier.emulation,
            busy: self.busy - earlier.busy,
        }
    }
}

/// A user at a terminal.
pub struct Seat {
    terminal: Arc<Terminal>,
    vmdbk: Arc<Vmdbk>,
}

impl Seat {
    /// Virtual and total processor time in microseconds.
    pub fn times(&self) -> (u64, u64) {
        self.vmdbk.times()
    }

    /// Pages that CP has moved for the user: from page volumes and to them, from expanded storage and to it.
    pub fn pages_moved(&self) -> [u64; 2] {
        let machine = self.vmdbk.machine();
        let Some(pages) = &machine.pages else { return [0; 2] };
        let tally = pages.tally();
        [tally.reads + tally.writes + tally.migrated, tally.gets + tally.puts]
    }
}

impl Bench {
    /// The Control Program.
    pub fn cp(&self) -> &Cp {
        &self.cp
    }

    /// What CP has counted since the system came up.
    pub fn counts(&self) -> Counts {
        Counts::of(&self.cp)
    }

    /// How many virtual CPUs are in the eligible list.
    pub fn eligible(&self) -> usize {
        let queued = self.cp.processors.dispatcher(|dispatcher, at| dispatcher.queues(at));
        queued.iter().filter(|entry| entry.status == Status::Eligible).count()
    }

    /// A user at a typewriter, logged on without IPL.
    pub fn seat(&self, userid: &str) -> Result<Seat, String> {
        let terminal = self.cp.connect(Kind::Typewriter, None, "", true);
        let vmdbk = logon::log_on_here(&self.cp, userid, &terminal).map_err(|message| message.to_string())?;
        self.cp.set_cp_read(&vmdbk, true);
        Ok(Seat { terminal, vmdbk })
    }

    /// What a line shows until nothing happens any more.
    pub fn types(&self, seat: &Seat, line: &str) -> String {
        drop(seat.terminal.take_output());
        self.cp.line(seat.terminal.id, line);
        self.settle();
        seat.terminal.take_output()
    }

    /// The same of a line that is a failed command unless it shows `wanted`.
    pub fn expects(&mut self, seat: &Seat, line: &str, wanted: &str) -> String {
        let shown = self.types(seat, line);
        self.judge(line, &shown, wanted);
        shown
    }

    /// A CP command that is a failed one if it shows an error message.
    pub fn commands(&mut self, seat: &Seat, line: &str) -> String {
        let shown = self.types(seat, line);
        self.lines += 1;
        if shown.split_whitespace().any(|word| word.starts_with("HCP") && word.ends_with('E')) {
            self.failed.push(format!("\"{line}\" showed {:?}", shown.trim()));
        }
        shown
    }

    /// A CP command while virtual machines run for ever: it must answer nothing.
    pub fn commands_at_once(&mut self, seat: &Seat, command: &str) {
        let shown = self.asks(seat, command);
        self.lines += 1;
        if !shown.trim().is_empty() {
            self.failed.push(format!("\"{command}\" showed {:?}", shown.trim()));
        }
    }

    fn judge(&mut self, line: &str, shown: &str, wanted: &str) {
        self.lines += 1;
        if !shown.contains(wanted) {
            self.failed.push(format!("\"{line}\" showed {:?} and not {wanted:?}", shown.trim()));
        }
    }

    /// All type a line, one after the other, without waiting for an answer; then all answers are judged.
    pub fn all_type(&mut self, seats: &[Seat], line: &str, wanted: &str) {
        for seat in seats {
            drop(seat.terminal.take_output());
            self.cp.line(seat.terminal.id, line);
        }
        self.settle();
        for seat in seats {
            let shown = seat.terminal.take_output();
            self.judge(line, &shown, wanted);
        }
    }

    /// Puts a program into a bare guest.
    pub fn store(&mut self, seat: &Seat, program: &Program) {
        for line in program.lines() {
            self.commands(seat, &line);
        }
    }

    /// Begins it; the machine then runs for ever, and is not waited for.
    pub fn start(&self, seat: &Seat, program: &Program) {
        for line in program.begin() {
            self.cp.line(seat.terminal.id, &line);
        }
    }

    /// A CP command while the virtual machine may run: what it answers at once.
    pub fn asks(&self, seat: &Seat, command: &str) -> String {
        drop(seat.terminal.take_output());
        self.cp.line(seat.terminal.id, &format!("#cp {command}"));
        seat.terminal.take_output()
    }

    /// A general register of a guest that may run.
    pub fn register(&self, seat: &Seat, n: u8) -> Result<u32, String> {
        let command = format!("display g{n:x}");
        let answer = self.asks(seat, &command);
        let digits = answer.split_once("= ").and_then(|(_, rest)| rest.split_whitespace().next());
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        number.ok_or_else(|| format!("\"{command}\" showed {:?}", answer.trim()))
    }

    /// From here on each processor of the system is a thread, and this one only looks after CP's timers.
    pub fn start_processors(&mut self) -> Result<(), String> {
        for processor in 0..self.cp.processors.count() {
            let cp = self.cp.clone();
            let thread = thread::Builder::new().name(format!("processor {processor}"));
            let thread = thread.spawn(move || cp.process(processor));
            self.threads.push(thread.map_err(|error| format!("the host has no thread for a processor: {error}"))?);
        }
        Ok(())
    }

    /// Runs virtual machines for so long, whatever they do. How long it was.
    pub fn runs(&self, time: Duration) -> Duration {
        self.runs_and(time, || ())
    }

    /// The same; each millisecond something is looked at.
    pub fn runs_and(&self, time: Duration, mut looks: impl FnMut()) -> Duration {
        let begun = Instant::now();
        let mut ticked = begun;
        while begun.elapsed() < time {
            let ran = self.threads.is_empty() && self.cp.step(0);
            if !ran || ticked.elapsed() >= TICK {
                self.cp.tick();
                if ticked.elapsed() >= TICK {
                    looks();
                    ticked = Instant::now();
                }
            }
            if !ran {
                thread::sleep(Duration::from_micros(100));
            }
        }
        begun.elapsed()
    }

    fn settle(&self) {
        let end = Instant::now() + MOST;
        while Instant::now() < end {
            if self.cp.step(0) {
                continue;
            }
            self.cp.tick();
            match self.cp.processors.deadline().map(|at| at.micros_since(self.cp.now())) {
                Some(left) if left < SOON => thread::sleep(Duration::from_micros(left.min(1000))),
                _ => return,
            }
        }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.cp.shut_down();
        for thread in self.threads.drain(..) {
            // What a processor's thread says at its end is the panic's own message.
            drop(thread.join());
        }
    }
}
