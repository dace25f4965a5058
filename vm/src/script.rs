//! `endicott script`: lines for one user's console, without a terminal: for what is to be done once, and by programs.

use crate::run;
use base::Held;
use consoles::display::Turn;
use consoles::terminal::{Kind, Terminal};
use message::words::Words;
use nucleus::logon;
use nucleus::system::Cp;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use terminals::server::Notes;
use tools::system;

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder of the system, which must not be running; else ENDICOTT_SYSTEM in the environment, or "sample".
    #[arg(long, value_name = "DIR")]
    system: Option<PathBuf>,
    /// How many seconds each line may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    wait: u64,
    /// Begin as LOGON does, with the COMMAND and IPL statements of the directory. Otherwise they are not performed.
    #[arg(long)]
    ipl: bool,
    /// Whose console.
    #[arg(value_name = "USER")]
    user: String,
    /// What is typed there, line by line; each when nothing happens any more after the one before.
    #[arg(value_name = "LINE", required = true)]
    lines: Vec<String>,
}

/// Timers that are due sooner than this are waited for.
const SOON: u64 = 2_000_000;

pub(crate) fn script(options: &Options) -> Result<(), String> {
    let folder = system::folder(options.system.as_deref());
    let mut seat = Seat::take(&folder, &options.user, options.ipl)?;
    let loads = |line: &String| Words::new(line).next().is_some_and(|word| word.is("Ipl"));
    if !options.ipl && seat.has_ipl && !options.lines.iter().any(loads) {
        complain!("endicott: the IPL statement of {} is not performed without --ipl", seat.userid);
    }
    let begun = options.ipl.then_some("");
    for line in begun.into_iter().chain(options.lines.iter().map(String::as_str)) {
        let (shown, idle) = seat.types(Some(line).filter(|line| !line.is_empty()), Duration::from_secs(options.wait));
        say::print(format_args!("{shown}"));
        if !idle {
            return Err(format!("it still runs {} seconds after \"{line}\"", options.wait));
        }
    }
    Ok(())
}

/// A user's console in a system that is up for it alone, in this process.
pub(crate) struct Seat {
    cp: Arc<Cp>,
    terminal: Arc<Terminal>,
    userid: String,
    /// The directory says what its machine begins with.
    has_ipl: bool,
}

impl Seat {
    /// Brings the system in `folder` up and logs the user on, with the COMMAND and IPL statements of the directory or
    /// without.
    pub(crate) fn take(folder: &Path, user: &str, ipl: bool) -> Result<Seat, String> {
        let notes = Arc::new(Notes::default());
        let (cp, troubles) = run::control_program(folder, run::load_configuration(folder)?, &notes)?;
        troubles.iter().for_each(|trouble| complain!("endicott: {trouble}"));
        let terminal = cp.connect(Kind::Typewriter, Some("0009"), "", true);
        let vmdbk = logon::log_on_here(&cp, &user.to_uppercase(), &terminal).map_err(|message| message.to_string())?;
        if ipl {
            logon::begin_session(&cp, &vmdbk, false);
        } else {
            cp.set_cp_read(&vmdbk, true);
        }
        let (userid, has_ipl) = (vmdbk.userid.to_string(), vmdbk.user.ipl.is_some());
        drop(vmdbk);
        Ok(Seat { cp, terminal, userid, has_ipl })
    }

    /// Types a line, if there is one: what is shown until nothing happens any more, and whether that came within the
    /// time.
    pub(crate) fn types(&mut self, line: Option<&str>, most: Duration) -> (String, bool) {
        line.iter().for_each(|line| self.cp.line(self.terminal.id, line));
        let idle = settle(&self.cp, most);
        (self.terminal.take_output(), idle)
    }

    /// What was punched since the system came up is in its readers then.
    pub(crate) fn take_punched(&self) {
        self.cp.take_drops();
    }

    /// Which side is to act.
    pub(crate) fn turn(&self) -> Turn {
        self.terminal.turn()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.cp.shut_down();
    }
}

/// Runs virtual machines until nothing is to be done, or for so long. Whether it came to an end.
fn settle(cp: &Cp, most: Duration) -> bool {
    let end = Instant::now() + most;
    while Instant::now() < end {
        if cp.step(0) {
            continue;
        }
        cp.tick();
        match cp.processors.deadline().map(|at| at.micros_since(cp.now())) {
            Some(left) if left < SOON => thread::sleep(Duration::from_micros(left.min(1000))),
            // What the network has to say comes by itself.
            _ if cp.iucv.lock().held().is_asking() => thread::sleep(Duration::from_millis(1)),
            _ => return true,
        }
    }
    false
}
