//! `endicott script`: lines for one user's console, without a terminal: for what is to be done once, and by programs.

use crate::run;
use crate::server::Notes;
use consoles::terminal::Kind;
use message::words::Words;
use nucleus::logon;
use nucleus::system::Cp;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
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
    let notes = Arc::new(Notes::new());
    let (cp, troubles) = run::control_program(&folder, run::load_configuration(&folder)?, &notes)?;
    troubles.iter().for_each(|trouble| complain!("endicott: {trouble}"));
    let terminal = cp.connect(Kind::Typewriter, Some("0009"), "", true);
    let vmdbk =
        logon::log_on_here(&cp, &options.user.to_uppercase(), &terminal).map_err(|message| message.to_string())?;
    let wants = vmdbk.user.ipl.is_some();
    if options.ipl {
        logon::begin_session(&cp, &vmdbk, false);
    } else {
        cp.set_cp_read(&vmdbk, true);
        let loads = |line: &String| Words::new(line).next().is_some_and(|word| word.is("Ipl"));
        if wants && !options.lines.iter().any(loads) {
            complain!("endicott: the IPL statement of {} is not performed without --ipl", vmdbk.userid);
        }
    }
    drop(vmdbk);
    let mut result = Ok(());
    let begun = options.ipl.then_some("");
    for line in begun.into_iter().chain(options.lines.iter().map(String::as_str)) {
        if !line.is_empty() {
            cp.line(terminal.id, line);
        }
        let idle = settle(&cp, Duration::from_secs(options.wait));
        say::print(format_args!("{}", terminal.take_output()));
        if !idle {
            result = Err(format!("it still runs {} seconds after \"{line}\"", options.wait));
            break;
        }
    }
    cp.shut_down();
    result
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
            _ => return true,
        }
    }
    false
}
