//! `endicott work`: many users at terminals by a load, and what their commands took.

use crate::script::Seat;
use crate::{punch, run, sample};
use base::file;
use clap::{Subcommand, ValueEnum};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use terminals::server::Notes;
use tn3270::Caller;
use tools::system::{CONFIGURATION, DIRECTORY, SPOOL};
use tools::{dasd, signals};
use work::drive::{self, Plan, Progress, Terminals};
use work::figures::{Figures, Reduction};
use work::inside::{Inside, MORNING, Steps};
use work::load::{Load, READY, Source};
use work::log::Line;
use work::network::{Network, Place};
use work::{loads, prepare};

/// What the command line says.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Runs a load, and prints what came of it. The exit status is 1 if the run is not valid.
    Run(Box<Options>),
    /// Prints what came of a log once more.
    Reduce {
        /// Prints JSON, for programs.
        #[arg(long)]
        json: bool,
        /// What "endicott work run --log" wrote.
        #[arg(value_name = "LOG")]
        log: PathBuf,
    },
    /// Names the loads that come with the program, or prints one: to be copied and changed.
    Show {
        /// Its name.
        #[arg(value_name = "LOAD")]
        load: Option<String>,
    },
    /// Looks for mistakes in a load.
    Check {
        /// The name of one that comes with the program, or a file.
        #[arg(value_name = "LOAD")]
        load: String,
    },
    /// Makes a system for a load in a folder: the sample system with CMS, the load's users, and a disk with its files.
    System {
        /// The name of a load that comes with the program, or a file.
        #[arg(value_name = "LOAD")]
        load: String,
        /// The folder of the new system.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// How many users.
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=MANY))]
        users: u32,
        /// The folder with CMS; else where "endicott sample" looks.
        #[arg(long, value_name = "DIR")]
        cms: Option<PathBuf>,
    },
}

/// Which clock a system in this process has.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClockOf {
    /// The host's: users think as long as they think.
    Host,
    /// One of its own, which passes over what nothing happens in: the same seed gives the same run.
    Own,
}

/// What `endicott work run` is told.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The name of a load that comes with the program, or a file.
    #[arg(value_name = "LOAD")]
    load: String,
    /// Where a running system serves TN3270 clients.
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "system", required_unless_present = "system")]
    tn3270: Option<String>,
    /// A system that does not run: it is brought up in this process.
    #[arg(long, value_name = "DIR")]
    system: Option<PathBuf>,
    /// How many users.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=MANY))]
    users: u32,
    /// The number of the first user, for several drivers at one system.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    first: u32,
    /// What chance begins with.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Divides phases and think times; it is printed with the result.
    #[arg(long, value_name = "K", default_value_t = 1.0)]
    scale: f64,
    /// Other phases than the load's: seconds of ramp, settling and measuring, before they are scaled.
    #[arg(long, value_name = "RAMP,SETTLE,MEASURE", value_delimiter = ',')]
    phases: Option<Vec<f64>>,
    /// With --system: which clock it has.
    #[arg(long, value_enum, default_value = "host", conflicts_with = "tn3270")]
    clock: ClockOf,
    /// With --system and the host's clock: how many host threads run virtual CPUs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64), conflicts_with = "tn3270")]
    processors: Option<u16>,
    /// With --tn3270: the process of this host that is the system; its processor time is counted.
    #[arg(long, value_name = "PID", conflicts_with = "system")]
    process: Option<u32>,
    /// With --tn3270: the terminals' type.
    #[arg(long, value_name = "TYPE", default_value = "IBM-3278-2-E", conflicts_with = "system")]
    terminal: String,
    /// With --tn3270: classic TN3270, even if the system has TN3270E.
    #[arg(long, conflicts_with = "system")]
    classic: bool,
    /// Where each command becomes a line.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Prints JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// The most users.
const MANY: i64 = 100_000;

/// The most that a log has.
const MOST: u64 = 4 << 30;

/// The exit status of a run that is not valid.
const INVALID: u8 = 1;

pub(crate) fn work(command: &Command) -> Result<u8, String> {
    match command {
        Command::Run(options) => run(options),
        Command::Reduce { json, log } => {
            let text = file::read_text(log, MOST).map_err(|error| format!("{}: {error}", log.display()))?;
            show(&Reduction::parse(&log.display().to_string(), &text)?.figures()?, *json)
        }
        Command::Show { load: None } => {
            for (name, _) in loads::LOADS {
                let load = find(name)?;
                say!("{name:10} {}: {}", load.name, load.about);
            }
            Ok(0)
        }
        Command::Show { load: Some(name) } => {
            say::print(format_args!("{}", loads::text(name).ok_or_else(|| unknown(name))?));
            Ok(0)
        }
        Command::Check { load } => {
            let load = find(load)?;
            let steps: usize = load.runnable().map(|script| script.steps.len()).sum();
            say!("{} has {} scripts of {steps} steps, and no mistakes", load.name, load.runnable().count());
            let all = load.scripts.iter().map(|script| script.get_ref());
            for (script, why) in all.filter_map(|script| Some((&script.name, script.cannot.as_ref()?))) {
                say!("{script} is left out: {why}");
            }
            Ok(0)
        }
        Command::System { load, folder, users, cms } => make(load, folder, *users as usize, cms.as_deref()),
    }
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = loads::LOADS.iter().map(|(name, _)| *name).collect();
    format!("there is no load {name}, and no such file: {} come with the program", known.join(" and "))
}

/// The load of this name, or that of a file.
fn find(name: &str) -> Result<Load, String> {
    let path = Path::new(name);
    match loads::load(name) {
        Some(load) if !path.exists() => load.map_err(|error| error.to_string()),
        _ if !path.exists() => Err(unknown(name)),
        _ => {
            let text = file::read_text(path, file::TEXT).map_err(|error| format!("{name}: {error}"))?;
            Load::parse(name, &text).map_err(|error| error.to_string())
        }
    }
}

fn show(figures: &Figures, json: bool) -> Result<u8, String> {
    match json {
        true => say!("{}", say::json(figures)),
        false => say::print(format_args!("{}", figures.text())),
    }
    Ok(if figures.is_valid() { 0 } else { INVALID })
}

fn run(options: &Options) -> Result<u8, String> {
    let mut load = find(&options.load)?;
    let plan = plan(options, &mut load)?;
    signals::watch();
    let log = match &options.log {
        Some(path) => {
            let fail = |error| format!("{}: {error}", path.display());
            Some(BufWriter::new(File::create(path).map_err(fail)?))
        }
        None => None,
    };
    let reduction = match (&options.tn3270, &options.system) {
        (Some(place), _) => {
            hostside::raise_limit();
            let place = Place::find(place, options.process)?;
            let caller =
                Caller { terminal_type: options.terminal.to_uppercase(), device_name: None, tn3270e: !options.classic };
            go(&load, &plan, &mut Network::new(place, plan.users, caller)?, log)
        }
        (None, Some(folder)) => inside(options, &load, &plan, folder, log),
        (None, None) => unreachable!("one of them is required"),
    }?;
    let code = show(&reduction.figures()?, options.json)?;
    Ok(if signals::stopped() { signals::STOPPED } else { code })
}

fn plan(options: &Options, load: &mut Load) -> Result<Plan, String> {
    let (users, first) = (options.users as usize, options.first as usize);
    if !(options.scale > 0.0 && options.scale < 1e6) {
        return Err(format!("--scale {} is no scale: 1 is none, and 10 makes all times a tenth", options.scale));
    }
    if options.clock == ClockOf::Own && options.processors.is_some() {
        return Err("--processors is for --clock host: at a clock of its own one thread runs all".into());
    }
    if let Some(phases) = &options.phases {
        let good = phases.iter().all(|seconds| (0.0..1e7).contains(seconds));
        if !(good && phases.len() == 3 && phases[2] > 0.0) {
            return Err("--phases are three numbers of seconds, of which the last is not 0: --phases 30,60,120".into());
        }
        (load.phases.ramp, load.phases.settle, load.phases.measure) = (phases[0], phases[1], phases[2]);
    }
    load.identity(first + users - 1)?;
    Ok(Plan { users, first, seed: options.seed, scale: options.scale })
}

/// How often a line says how far it is.
const OFTEN: Duration = Duration::from_millis(250);

/// Runs a load at these terminals.
fn go(
    load: &Load,
    plan: &Plan,
    terminals: &mut dyn Terminals,
    mut log: Option<BufWriter<File>>,
) -> Result<Reduction, String> {
    let mut reduction = Reduction::default();
    let mut take = |line: &Line| {
        reduction.take(line);
        let Some(log) = &mut log else { return Ok(()) };
        let whole = matches!(line, Line::End(_));
        let written = writeln!(log, "{}", say::json(line)).and_then(|()| if whole { log.flush() } else { Ok(()) });
        written.map_err(|error| format!("the log cannot be written: {error}"))
    };
    let bar = say::progress::bar(1, "{wide_msg}");
    let mut told = Instant::now() - OFTEN;
    let mut goes_on = |progress: &Progress| {
        if told.elapsed() >= OFTEN {
            told = Instant::now();
            let Progress { phase, seconds: [now, all], working, commands: [commands, failed] } = progress;
            let users = plan.users;
            bar.set_message(format!(
                "{phase:8} {:.0} s left, {working} of {users} users at work, {commands} commands, {failed} failed",
                all - now
            ));
        }
        !signals::stopped()
    };
    let done = drive::run(load, plan, terminals, &mut take, &mut goes_on);
    bar.finish_and_clear();
    done.map(|()| reduction)
}

/// The same in a system that is brought up in this process.
fn inside(
    options: &Options,
    load: &Load,
    plan: &Plan,
    folder: &Path,
    log: Option<BufWriter<File>>,
) -> Result<Reduction, String> {
    let mut configuration = run::load_configuration(folder)?;
    let own = options.clock == ClockOf::Own;
    let host = std::thread::available_parallelism().map_or(1, |n| n.get() as u16);
    let wanted = options.processors.or(configuration.processors).unwrap_or(host);
    configuration.system.processors = if own { 1 } else { run::processors(wanted) };
    configuration.system.storage = hostside::clock::host_storage();
    let notes = Arc::new(Notes::default());
    let clock = own.then(|| Arc::new(Steps::since(MORNING)));
    let (cp, troubles) = match &clock {
        Some(clock) => run::control_program_at(folder, configuration, &notes, clock.clone())?,
        None => run::control_program(folder, configuration, &notes)?,
    };
    troubles.iter().for_each(|trouble| complain!("endicott: {trouble}"));
    cp.start(None);
    let threads = if own { Vec::new() } else { run::start_processors(&cp) };
    let done =
        Inside::new(cp.clone(), notes, clock, plan.users).and_then(|mut terminals| go(load, plan, &mut terminals, log));
    cp.shut_down();
    threads.into_iter().for_each(|thread| drop(thread.join()));
    done
}

/// How long a line may take while a system is made.
const LINE: Duration = Duration::from_secs(120);

/// Makes a system for a load, and says how it is used.
fn make(name: &str, folder: &Path, users: usize, cms: Option<&Path>) -> Result<u8, String> {
    let load = make_system(name, folder, users, cms)?;
    say!("A system for {users} users of {} is in {}: start it with", load.name, folder.display());
    say!("  endicott run --system {} --headless", folder.display());
    say!("  endicott work run {name} --tn3270 127.0.0.1:3270 --users {users}");
    say!("or have it brought up by endicott work run {name} --system {} --users {users}", folder.display());
    Ok(0)
}

/// Makes a system for so many users of a load.
pub(crate) fn make_system(name: &str, folder: &Path, users: usize, cms: Option<&Path>) -> Result<Load, String> {
    let load = find(name)?;
    let statements = prepare::directory(&load, users)?;
    if !sample::make(folder, cms, false)? {
        return Err("a load needs CMS: say where it is with --cms, or build it with \"make cms\"".into());
    }
    let (serial, volume) = prepare::VOLUME;
    dasd::create_usual(&folder.join(volume), serial)?;
    for (name, more) in [(DIRECTORY, statements), (CONFIGURATION, prepare::configuration())] {
        let path = folder.join(name);
        let fail = |error: std::io::Error| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(&path).map_err(fail)?;
        base::file::replace(&path, (text + &more).as_bytes(), 0o666).map_err(fail)?;
    }
    signals::watch();
    let mut seat = Seat::take(folder, prepare::LIBRARY, false)?;
    let types = |line: &str, wanted: &str, seat: &mut Seat| {
        let (shown, _) = seat.types(Some(line), LINE);
        match shown.contains(wanted) {
            true => Ok(()),
            false => {
                Err(format!("the disk for {} could not be made: {line:?} showed\n{}", load.name, shown.trim_end()))
            }
        }
    };
    for (line, wanted) in prepare::BEGIN {
        types(line, wanted, &mut seat)?;
    }
    let bar = say::progress::bar(load.files.len() as u64, "{wide_msg} {pos}/{len}");
    for source in load.files.iter().map(|source| source.get_ref()) {
        if signals::stopped() {
            return Err(format!("stopped: {} is half a system; remove it", folder.display()));
        }
        bar.set_message(source.name.clone());
        leave(folder, source)?;
        seat.take_punched();
        for line in prepare::reads(source) {
            types(&line, READY, &mut seat)?;
        }
        bar.inc(1);
    }
    for line in &load.users.library {
        types(line, READY, &mut seat)?;
    }
    bar.finish_and_clear();
    drop(seat);
    Ok(load)
}

/// Leaves a file in the reader of the user with the disk.
fn leave(folder: &Path, source: &Source) -> Result<(), String> {
    let text = source.cards().join("\n") + "\n";
    punch::text(&folder.join(SPOOL), prepare::LIBRARY, text.as_bytes())
        .map_err(|error| format!("{}: {error}", source.name))?;
    Ok(())
}
