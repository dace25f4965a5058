//! `endicott script`: lines for one user's console, without a terminal: for what is to be done once, and by programs.

use crate::run;
use crate::server::Notes;
use consoles::terminal::Kind;
use nucleus::logon;
use nucleus::system::Cp;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder of the system, which must not be running; else ENDICOTT_SYSTEM in the environment, or "sample".
    #[arg(long, value_name = "DIR")]
    system: Option<PathBuf>,
    /// How many seconds each line may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    wait: u64,
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
    let usual = || std::env::var_os("ENDICOTT_SYSTEM").map_or_else(|| "sample".into(), PathBuf::from);
    let folder = options.system.clone().unwrap_or_else(usual);
    let notes = Arc::new(Notes::new());
    let (cp, troubles) = run::control_program(&folder, run::load_configuration(&folder)?, &notes)?;
    troubles.iter().for_each(|trouble| complain!("endicott: {trouble}"));
    let terminal = cp.connect(Kind::Typewriter, Some("0009"), "", true);
    let vmdbk =
        logon::log_on_here(&cp, &options.user.to_uppercase(), &terminal).map_err(|message| message.to_string())?;
    cp.set_cp_read(&vmdbk, true);
    drop(vmdbk);
    let mut result = Ok(());
    for line in &options.lines {
        cp.line(terminal.id, line);
        let idle = settle(&cp, Duration::from_secs(options.wait));
        crate::say::print(format_args!("{}", terminal.take_output()));
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
