//! A system that is up for one run of an experiment, in this process and on one processor.

use base::file;
use consoles::terminal::{Kind, Terminal};
use nucleus::logon;
use nucleus::system::Cp;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use virtualmachine::vmdbk::Vmdbk;

/// Brings up the system in a folder; the error is a line for a person.
pub type BringUp = fn(&Path) -> Result<Arc<Cp>, String>;

/// Where systems for experiments are, and how they come up.
pub struct Site {
    /// The folder of the sample system with CMS that experiments use up.
    pub folder: PathBuf,
    /// How it comes up.
    pub bring_up: BringUp,
    /// SYSTEM CONFIG as it was made.
    pub configuration: String,
}

/// SYSTEM CONFIG's name in the system's folder.
const CONFIGURATION: &str = "SYSTEM CONFIG";

/// How many users for experiments the directory has, USER0001 and so on: CMS's disks, no IPL, 16 MB.
pub const USERS: usize = 1000;

/// The most time that a line may take.
const MOST: Duration = Duration::from_secs(60);

/// Timers that are due sooner than this are waited for.
const SOON: u64 = 2_000_000;

/// How often CP's timers are looked at while virtual CPUs run.
const TICK: Duration = Duration::from_millis(1);

/// The name of a user for experiments, counted from 1.
pub fn user(n: usize) -> String {
    format!("USER{n:04}")
}

impl Site {
    /// Adds the users for experiments to a new sample system.
    pub fn prepare(folder: &Path, bring_up: BringUp) -> Result<Site, String> {
        let place = |name: &str| folder.join(name);
        let fail = |path: PathBuf| move |error: std::io::Error| format!("{}: {error}", path.display());
        let directory = place("USER DIRECT");
        let mut text = std::fs::read_to_string(&directory).map_err(fail(directory.clone()))?;
        if !text.contains(&format!("USER {} ", user(1))) {
            for n in 1..=USERS {
                let name = user(n);
                text += &format!(
                    "\nUSER {name} {name} 16M 16M G\n INCLUDE DEFAULT\n MACHINE ESA\n LINK MAINT 190 190 RR\n"
                );
            }
            file::replace(&directory, text.as_bytes(), 0o666).map_err(fail(directory.clone()))?;
        }
        let path = place(CONFIGURATION);
        let kept = place("SYSTEM CONFIG AS MADE");
        if !kept.exists() {
            std::fs::copy(&path, &kept).map_err(fail(path))?;
        }
        let configuration = std::fs::read_to_string(&kept).map_err(fail(kept.clone()))?;
        Ok(Site { folder: folder.to_owned(), bring_up, configuration })
    }

    /// The system, with these statements added to SYSTEM CONFIG.
    pub fn up(&self, statements: &str) -> Result<Bench, String> {
        let path = self.folder.join(CONFIGURATION);
        let text = format!("{}\n{statements}\n", self.configuration);
        file::replace(&path, text.as_bytes(), 0o666).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Bench { cp: (self.bring_up)(&self.folder)?, lines: 0, failed: Vec::new() })
    }
}

/// A system that is up.
pub struct Bench {
    cp: Arc<Cp>,
    /// Lines that were to show something.
    pub lines: u64,
    /// Of these, those that did not: what was typed and what was shown.
    pub failed: Vec<String>,
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

    /// Pages that CP has read for the user and written from it, with those to and from expanded storage.
    pub fn pages_moved(&self) -> u64 {
        let machine = self.vmdbk.machine();
        let Some(pages) = &machine.pages else { return 0 };
        let tally = pages.tally();
        tally.reads + tally.writes + tally.gets + tally.puts
    }
}

impl Bench {
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

    /// A CP command that is not waited for, since the virtual machine runs on.
    pub fn begins(&self, seat: &Seat, line: &str) {
        self.cp.line(seat.terminal.id, line);
    }

    /// A CP command while the virtual machine may run: what it answers at once.
    pub fn asks(&self, seat: &Seat, command: &str) -> String {
        drop(seat.terminal.take_output());
        self.cp.line(seat.terminal.id, &format!("#cp {command}"));
        seat.terminal.take_output()
    }

    /// Runs virtual machines for so long, whatever they do. How long it was.
    pub fn runs(&self, time: Duration) -> Duration {
        let begun = Instant::now();
        let mut ticked = begun;
        while begun.elapsed() < time {
            let ran = self.cp.step(0);
            if !ran || ticked.elapsed() >= TICK {
                self.cp.tick();
                ticked = Instant::now();
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
    }
}
