//! `endicott`: the executable around CP.
//!
//! Here are the command line, host files, sockets, the host's clock and the host's signals; everything else is in the
//! crates below. `run` serves a system, `sample` makes one, `script` types at a user's console, `punch` fills a card
//! reader, `password` changes a user's password, `directory` checks a system's texts,
//! `reduce` makes reports of monitor data, `report` repeats measurements, `work` has many users work, `dasd` makes and
//! looks after disks, `cms` makes programs for CMS,
//! `linux` runs one guest on standard input and output or in the background, `debian` makes one; `list`, `stop`,
//! `save`, `ssh` and `cp` are for guests that run.

// What is printed goes through `say`: those macros panic where it cannot be.
#![warn(clippy::print_stdout, clippy::print_stderr)]

#[macro_use]
extern crate say;

mod cms;
mod configuration;
mod debian;
mod directory_check;
mod linux;
mod package;
mod pages;
mod password;
mod program;
mod punch;
mod records;
mod reduction;
mod report;
mod run;
mod sample;
mod script;
mod volumes;
mod work;

use clap::{Parser, Subcommand};
use guests::{background, options, reach, saving};
use hostside::{clock, code_cache};
use std::path::PathBuf;
use std::process::ExitCode;
use tools::{dasd, signals, tape};

/// Virtual machines for everybody: a VM system that runs S/390 and z/Architecture guests.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// What executes guests' instructions: the interpreter alone, host code for what is executed often, or both in
    /// lockstep, one virtual CPU at a time: slow, and it ends where they differ with what there is to know.
    #[arg(long, global = true, value_enum, value_name = "ENGINE")]
    engine: Option<Engine>,
    /// A folder of the user's alone, where host code is kept for later starts, 256 MB at most: "none" keeps none
    /// [default: what ENDICOTT_CODE_CACHE says, or endicott/code in the user's cache folder].
    #[arg(long, global = true, value_name = "DIR")]
    code_cache: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

/// What `--engine` knows.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Engine {
    Interpreter,
    Jit,
    Compare,
}

#[derive(Subcommand)]
enum Command {
    /// Brings a system up: the operator's console here, 3270 terminals by TN3270.
    Run {
        /// The folder with USER DIRECT and SYSTEM CONFIG.
        #[arg(long, value_name = "DIR")]
        system: PathBuf,
        /// Where to serve TN3270 clients, instead of where SYSTEM CONFIG says.
        #[arg(long, value_name = "ADDRESS:PORT")]
        tn3270: Option<String>,
        /// Where to serve pages for browsers: a 3270, and what an operator looks at. Without this there are none. With
        /// SYSTEM CONFIG's TLS statement they come by TLS, else to this computer alone.
        #[arg(long, value_name = "ADDRESS:PORT")]
        http: Option<String>,
        /// Pages may go to other computers without TLS: a proxy or a tunnel keeps passwords safe. No browser counts as
        /// one of this computer then.
        #[arg(long, requires = "http")]
        http_plain: bool,
        /// Nobody sits here: the operator's virtual machine runs disconnected.
        #[arg(long)]
        headless: bool,
        /// How many host threads run virtual CPUs; usually as many as the host has processors.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
        processors: Option<u16>,
    },
    /// Puts host files into a user's card reader.
    Punch(punch::Options),
    /// Gives a user a password of their own.
    Password(password::Options),
    /// Runs one Linux guest, its console on standard input and output, or in the background.
    #[command(after_help = options::EXIT_CODES)]
    Linux(Box<options::Options>),
    /// Disks in host files: makes, lists, checks, compacts, copies, converts and shows them.
    #[command(subcommand)]
    Dasd(dasd::Command),
    /// Tapes in host files: makes, lists and checks them.
    #[command(subcommand)]
    Tape(tape::Command),
    /// Reports from what CP's monitor has recorded: of files that Linux's monreader gave, or that MONWRITE wrote.
    Reduce(reduction::Options),
    /// Repeats tables of performance reports on this system, and prints both side by side.
    Report(report::Options),
    /// Many users at terminals, working by a script: how long their commands take, and how many there are.
    #[command(subcommand)]
    Work(work::Command),
    /// The directory of a system.
    #[command(subcommand)]
    Directory(directory_check::Command),
    /// Programs for CMS.
    #[command(subcommand)]
    Cms(cms::Command),
    /// Makes a Debian that starts from a disk of its own, and runs it.
    Debian(Box<debian::Options>),
    /// Lists the guests that run with a name: those of "endicott linux NAME" and "--name".
    List(reach::List),
    /// Shuts guests down, and waits until they have ended.
    Stop(reach::Stop),
    /// Puts a guest into a file and ends it: "endicott linux NAME --restore FILE" goes on from there.
    Save(saving::Save),
    /// Logs in to a guest, or runs a command in it.
    Ssh(reach::Ssh),
    /// Copies files to or from a guest.
    Cp(reach::Copy),
    /// Types lines at a user's console of a system that does not run, and shows what it answers.
    Script(script::Options),
    /// Makes the sample system in a folder, with CMS on it.
    Sample(sample::Options),
    /// Writes what a package of this program has: itself with CMS in it, manual pages, completions for shells.
    #[command(hide = true)]
    Package(package::Options),
}

/// Of the host's storage, this part may be code of guests that have used up their first room.
const CODE_SHARE: u64 = 16;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(wrong) => {
            let printed = wrong.print();
            if !wrong.use_stderr() {
                say::note(printed);
            }
            return say::end(wrong.exit_code() as u8, say::LOST);
        }
    };
    engine::provide(jit::translator);
    match arguments.engine {
        Some(Engine::Interpreter) => engine::choose(engine::Engine::Interpreter),
        Some(Engine::Jit) => engine::choose(engine::Engine::Jit),
        Some(Engine::Compare) => engine::choose(engine::Engine::Compare),
        None => {}
    }
    // What belongs to code takes as much again.
    if let share @ 1.. = clock::host_storage() / CODE_SHARE {
        jit::allow(share);
    }
    let lost = match arguments.command {
        Command::Linux(_) => options::LOST,
        Command::Debian(ref options) if options.run => options::LOST,
        Command::Cms(cms::Command::Run(_)) => program::FAILED,
        _ => say::LOST,
    };
    let kept =
        if arguments.command.runs_guests() { code_cache::begin(arguments.code_cache, &jit::kind()) } else { Ok(()) };
    let code = kept.and_then(|()| done(arguments.command)).unwrap_or_else(|why| {
        complain!("endicott: {why}");
        // Whatever is said of its end: it is because it was stopped.
        if signals::stopped() { signals::STOPPED } else { 1 }
    });
    engine::finish_code();
    say::end(code, lost)
}

impl Command {
    /// Whether this process may execute a guest's instructions.
    fn runs_guests(&self) -> bool {
        use Command::*;
        matches!(self, Run { .. } | Linux(_) | Debian(_) | Cms(_) | Script(_) | Sample(_) | Report(_) | Work(_))
    }
}

/// Does what the command line says; the exit code.
fn done(command: Command) -> Result<u8, String> {
    let checked = |good: bool| if good { 0 } else { 1 };
    match command {
        Command::Run { system, tn3270, http, http_plain, headless, processors } => {
            let (tn3270, http) = (tn3270.as_deref(), http.as_deref());
            run::run(&run::Options { system: &system, tn3270, http, http_plain, headless, processors }).map(|()| 0)
        }
        Command::Sample(options) => sample::sample(&options).map(|()| 0),
        Command::Package(options) => package::package(&options).map(|()| 0),
        Command::Script(options) => script::script(&options).map(|()| 0),
        Command::Punch(options) => punch::punch(&options).map(|()| 0),
        Command::Password(options) => password::password(&options).map(|()| 0),
        Command::Cms(command) => cms::cms(&command),
        Command::Dasd(command) => dasd::dasd(&command).map(checked),
        Command::Tape(command) => tape::tape(&command).map(checked),
        Command::Reduce(options) => reduction::reduction(&options).map(|()| 0),
        Command::Report(options) => report::report(&options).map(|()| 0),
        Command::Work(command) => work::work(&command),
        Command::Directory(command) => directory_check::directory(&command).map(checked),
        Command::Debian(options) => debian::debian(&options),
        Command::Linux(options) => {
            background::leave();
            linux::linux(&options)
        }
        Command::List(options) => reach::list(&options),
        Command::Stop(options) => reach::stop(&options),
        Command::Save(options) => saving::save(&options),
        Command::Ssh(options) => reach::ssh(&options),
        Command::Cp(options) => reach::copy(&options),
    }
}
