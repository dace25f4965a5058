//! `endicott linux`: one guest on standard input and output.
//!
//! No set-up and no privilege: a system is made of one user whose virtual machine gets a Linux kernel from files. Its
//! console ([`terminals::keyboard`]) is a VT220, unless it is to be a 3215. The program ends when the guest does, and
//! its exit code says how.

use ::dasd::Memory;
use base::Clock;
use complex::checkpoint::Time;
use consoles::ascii::AsciiConsole;
use consoles::host::{Ending, Host};
use consoles::terminal::Kind;
use devices::tape::Model as Drive;
use directory::{Directory, Passwords};
use guests::making::{self, Made};
use guests::named::{Name, Order, Progress, Status};
use guests::options::{GuestClock, Options};
use guests::saving::{self, Saved, Saving};
use guests::{background, debugger, loading, seed};
use hostside::clock::HostClock;
use hostside::network::Network;
use hostside::peripherals::Peripherals;
use nucleus::command::ipl;
use nucleus::logon;
use nucleus::system::{Cp, SystemConfig};
use rustix::termios::isatty;
use serde::{Serialize, Serializer};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use tape::Tape;
use terminals::keyboard::{self, Console, Keyboard, Prompt, Raw};
use terminals::server::{Notes, Server};
use virtualmachine::vmdbk::Vmdbk;

/// The most characters of parameters that IPL takes.
const PARAMETERS: usize = 64;
/// The device number of the first disk.
const DISKS: u16 = 0x200;
/// The device number of the first tape drive.
const TAPES: u16 = 0x580;

/// What `--json` says of the run.
#[derive(Serialize)]
struct Accounts {
    exit: u8,
    elapsed_us: u64,
    virtual_cpu_us: u64,
    total_cpu_us: u64,
    instructions: u64,
    io_starts: u64,
    io_interruptions: u64,
    cpus: u16,
    storage: u64,
    #[serde(flatten, serialize_with = "of_jit")]
    jit: Vec<(&'static str, u64)>,
}

/// The translator's counters, with `jit_` before each name; times, which are counted in nanoseconds, as
/// `jit_us` and `jit_restoring_us`.
fn of_jit<S: Serializer>(counters: &[(&'static str, u64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(counters.iter().map(|&(name, value)| match name {
        "time" => ("jit_us".to_owned(), value / 1000),
        "restoring" => ("jit_restoring_us".to_owned(), value / 1000),
        _ => (format!("jit_{name}"), value),
    }))
}

/// The guest's user ID.
const USERID: &str = "LINUX";

/// Refuses what a guest that starts from its disk cannot be told, and warns of a console that shows nothing.
fn check(options: &Options, console: Console, parameters: &str) -> Result<(), String> {
    if options.kernel.is_none() && parameters.len() > PARAMETERS {
        let room = PARAMETERS - (parameters.len() - options.append.len());
        let remedy =
            if room < PARAMETERS { format!(", or up to {PARAMETERS} with --console 3215") } else { String::new() };
        return Err(format!("--append: a guest that starts from its disk takes up to {room} characters{remedy}"));
    }
    if console == Console::Typewriter && parameters.split_whitespace().any(|word| word == "conmode=3270") {
        complain!(
            "endicott: conmode=3270 makes the guest's console a 3270, and no display of one is here: what the guest \
             writes there is \
             not seen; --console vt220 shows it, and so does --append without conmode=3270"
        );
    }
    Ok(())
}

/// A system of one user, whose virtual machine has the disks and tapes of the command line.
fn system(
    options: &Options,
    seed: Option<Memory>,
    notes: &Arc<Notes>,
    clock: &Arc<HostClock>,
) -> Result<Arc<Cp>, String> {
    let mut text = format!("USER {USERID} NOPASS {0}M {0}M G\n MACHINE ESA {1}\n", options.memory >> 20, options.cpus);
    text += &format!(" CPUMODEL {}\n", options.cpu_model);
    (0..options.cpus).for_each(|cpu| text += &format!(" CPU {cpu:02X}\n"));
    text += " CONSOLE 009 3215\n";
    let files = options.disks();
    let disks: Vec<(u16, &PathBuf)> = (DISKS..).zip(&files).collect();
    let tapes: Vec<(u16, &PathBuf)> = (TAPES..).zip(&options.tape).collect();
    disks.iter().chain(&tapes).for_each(|(number, _)| text += &format!(" DEDICATE {number:04X} {number:04X}\n"));
    if seed.is_some() {
        text += &format!(" DEDICATE {0:04X} {0:04X} R/O\n", seed::DEVICE);
    }
    let directory = Directory::parse("endicott linux", &text, &Passwords::default());
    let directory = directory.map_err(|errors| errors[0].to_string())?;
    let host = std::thread::available_parallelism().map_or(1, |n| n.get() as u16);
    let processors = crate::run::processors(options.processors.unwrap_or(options.cpus.min(host)));
    let config = SystemConfig { operator: USERID.into(), processors, ..SystemConfig::default() };
    let cp = Arc::new(Cp::new(config, directory, None, clock.clone(), notes.clone()));
    for (number, file) in &disks {
        let how = ::dasd::Options { read_only: options.scratch, ..::dasd::Options::default() };
        let volume = tools::dasd::open(file, how).map_err(tools::dasd::text)?;
        let name = file.display().to_string();
        match options.scratch {
            true => cp.disks.install(*number, Arc::new(Memory::over(volume)), name)?,
            false => cp.disks.install(*number, volume, name)?,
        }
    }
    if let Some(seed) = seed {
        cp.disks.install(seed::DEVICE, Arc::new(seed), "--user-data".into())?;
    }
    for (number, file) in &tapes {
        let tape = Tape::open(file, true).map_err(|error| format!("{}: {error}", file.display()))?;
        tape.notice().iter().for_each(|notice| complain!("endicott: {notice}"));
        cp.tapes.install(*number, Drive::T3490);
        cp.tapes.real(*number).expect("it was just installed").drive.mount(tape);
    }
    Ok(cp)
}

/// What the guest begins with.
enum Start {
    /// A kernel and a RAM disk from files.
    Files(loading::Loaded, loading::Loaded),
    /// Its first disk.
    Disk,
    /// Where it was when it was saved.
    Saved(Box<Saved>),
}

impl Start {
    /// Reads what the options name.
    fn new(options: &Options, saved: Option<Saved>) -> Result<Start, String> {
        if let Some(saved) = saved {
            return Ok(Start::Saved(Box::new(saved)));
        }
        let initrd = options.initrd.as_ref().map(|path| loading::initrd(path, options.memory)).transpose()?;
        let kernel = options.kernel.as_ref().map(|path| loading::kernel(path, options.memory)).transpose()?;
        Ok(kernel.map_or(Start::Disk, |kernel| Start::Files(kernel, initrd.unwrap_or_default())))
    }

    /// Has the guest begin; it does not run yet.
    fn begin(
        self,
        cp: &Cp,
        vmdbk: &Arc<Vmdbk>,
        parameters: String,
        options: &Options,
        prompt: &Prompt,
    ) -> Result<(), String> {
        match self {
            Start::Files(kernel, initrd) => {
                ipl::from_files(cp, vmdbk, &kernel, &initrd, &parameters).map_err(|error| error.to_string())
            }
            Start::Disk => {
                let how = ipl::Options { parm: parameters, ..ipl::Options::default() };
                ipl::from_device(cp, vmdbk, DISKS, &how).map_err(|message| message.text)
            }
            Start::Saved(mut saved) => {
                saved.load(vmdbk.machine().configuration.storage())?;
                prompt.goes_on();
                let clock = match options.clock {
                    GuestClock::Saved => Time::AsItWas,
                    GuestClock::Host => Time::AsTheHosts,
                };
                ipl::from_checkpoint(cp, vmdbk, saved.machine(), clock).map_err(|error| saved.refused(error))
            }
        }
    }
}

/// Runs the guest; the exit code.
pub(crate) fn linux(options: &Options) -> Result<u8, String> {
    match &options.restore {
        None => run(options, None),
        Some(path) => {
            let saved = saving::open(path)?;
            run(&saved.options(options), Some(saved))
        }
    }
}

/// Runs the guest, from where it was saved if it was; the exit code.
fn run(options: &Options, saved: Option<Saved>) -> Result<u8, String> {
    let (console, parameters) = options.console();
    check(options, console, &parameters)?;
    let disk = options.kernel.is_none();
    options.network.check(disk)?;
    options.peripherals.check()?;
    if let Some(drive) = options.peripherals.drives().next().filter(|_| options.scratch) {
        return Err(format!("--scratch: the guest would write --drive {0}: {0}:ro is only read", drive.display()));
    }
    let name = options.known_as()?;
    let start = Start::new(options, saved)?;
    let seed = options.user_data.as_deref().map(seed::read).transpose()?.map(|data| seed::disk(&data));
    if let Some(system) = &options.system
        && !background::is_here()
        && making::make(system, &options.made_with())? == Made::Stopped
    {
        return Ok(tools::signals::STOPPED);
    }
    if let Some(name) = name.as_ref().filter(|_| options.detach && !background::is_here()) {
        return background::start(name);
    }
    let name = name.as_deref().map(Name::take).transpose()?;
    if let Start::Saved(saved) = &start {
        saved.check_disks(options)?;
    }
    let notes = Arc::new(Notes::default());
    notes.end_with_guest();
    let clock = Arc::new(HostClock::start());
    let started = clock.now();
    let cp = system(options, seed, &notes, &clock)?;
    let terminal = cp.connect(Kind::Ascii, Some("0009"), "", true);
    let vmdbk = logon::log_on_here(&cp, USERID, &terminal).map_err(|message| message.text)?;
    {
        let mut of_cp = vmdbk.console();
        of_cp.settings.edit = false;
        of_cp.settings.auto_return = false;
        of_cp.ascii = (console == Console::Vt220).then(AsciiConsole::default);
    }
    let network = Network::new(&options.network, disk, name.is_some(), &vmdbk, clock.clone())?;
    let peripherals = Peripherals::new(&options.peripherals, &vmdbk)?;
    let raw = Raw::enter();
    let panicked = Arc::new(AtomicBool::new(false));
    let server = Server::new(cp.clone(), notes.clone());
    let mut server = server.map_err(|error| format!("the console cannot be served: {error}"))?;
    let prompt = Arc::new(Prompt::default());
    // At one terminal the order of what the guest and CP print is worth more.
    if !(isatty(rustix::stdio::stdout()) && isatty(rustix::stdio::stderr())) {
        terminal.part_messages();
    }
    server.set_local(terminal.clone(), keyboard::output(panicked.clone(), prompt.clone()));
    let stop = notes.clone();
    tools::signals::on_end(move || stop.shut_down())?;
    start.begin(&cp, &vmdbk, parameters, options, &prompt)?;
    let saving = Saving::new(options, console);
    let debugger = debugger::serve(&options.debugger, &vmdbk, &notes)?;
    let threads = crate::run::start_processors(&cp);
    let command = {
        let (cp, vmdbk) = (cp.clone(), vmdbk.clone());
        Box::new(move |line: &str| cp.console_command(&vmdbk, line))
    };
    let (notes_of, guest) = (notes.clone(), vmdbk.clone());
    let keyboard = Keyboard { cp: cp.clone(), vmdbk: guest, command, terminal, notes: notes_of, prompt, console };
    keyboard.start(raw.is_some());
    if let Some(name) = &name {
        name.serve(status(options, name.text(), network.as_ref()), obey(&cp, &vmdbk, &notes, &saving))?;
    }
    server.run();
    cp.processors.end();
    vmdbk.machine().hold();
    threads.into_iter().for_each(|thread| drop(thread.join()));
    cp.disks.close(cp.now());
    if let Some(network) = network {
        network.end(&options.network);
    }
    drop(peripherals);
    drop(raw);
    let ending = notes.ending();
    let code = match saving.finish() {
        Some(saved) => saved.map(|_| 0)?,
        None => exit_code(ending.as_ref(), panicked.load(Ordering::Relaxed)),
    };
    explain(code, options);
    if background::is_here() {
        complain!("endicott: the guest has ended, with exit code {code}");
    }
    if let Some(debugger) = debugger {
        debugger.end(code);
    }
    if options.json {
        complain!("{}", say::json(&accounts(options, code, clock.now().micros_since(started), &vmdbk)));
    }
    Ok(code)
}

/// The exit code of a run whose guest has come to this end; `None`: it was ended. A panic is seen on its console.
fn exit_code(ending: Option<&Ending>, panicked: bool) -> u8 {
    match ending {
        _ if panicked => 4,
        Some(Ending::Stopped) => 0,
        // A guest that was told to shut down says so with this address.
        Some(Ending::DisabledWait(psw)) if psw.address == 0xfff => 0,
        Some(Ending::DisabledWait(_)) => 3,
        Some(Ending::ProgramLoop) => 5,
        Some(Ending::NothingToLoad) => 6,
        Some(Ending::CheckStop) => 7,
        None => 130,
    }
}

/// What an exit code means that has more than one reason, and the remedy.
fn explain(code: u8, options: &Options) {
    if code == 6 {
        complain!(
            "endicott: the guest asked to be started again (a reboot): what came from files is loaded once, so this \
             run ends, with exit code 6; a guest that starts from its disk goes on"
        );
    }
    if code == 3 && options.cpu_model != Default::default() {
        complain!(
            "endicott: the guest's processor is a {}, as --cpu-model says; a kernel for a later one stops so. A later \
             --cpu-model, or none, gives it what it misses",
            options.cpu_model
        );
    }
}

/// What the guest says of itself to other commands.
fn status(options: &Options, name: &str, network: Option<&Network>) -> Status {
    let published = network.iter().flat_map(|network| network.published()).map(|publish| publish.to_string());
    Status {
        name: name.to_owned(),
        process: std::process::id(),
        started: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
        memory: options.memory,
        cpus: options.cpus,
        // Other commands have other folders.
        disks: options.disks().into_iter().map(|disk| disk.canonicalize().unwrap_or(disk)).collect(),
        published: published.collect(),
        ssh: network.and_then(Network::ssh),
    }
}

/// What is done at an order that another command gives.
fn obey(
    cp: &Arc<Cp>,
    vmdbk: &Arc<Vmdbk>,
    notes: &Arc<Notes>,
    saving: &Arc<Saving>,
) -> impl Fn(Order, Progress<'_>) -> Result<(), String> + Send + use<> {
    let (cp, vmdbk, notes, saving) = (cp.clone(), vmdbk.clone(), notes.clone(), saving.clone());
    move |order, progress| match order {
        Order::Status => Ok(()),
        Order::End => {
            notes.shut_down();
            Ok(())
        }
        Order::Save(path) => {
            saving.write(&path, &cp.processors, &vmdbk, progress)?;
            notes.shut_down();
            Ok(())
        }
        Order::Stop if vmdbk.machine().configuration.signal_quiesce() => Ok(()),
        Order::Stop => Err("its system does not listen for a signal to shut down".into()),
    }
}

/// What `--json` says at the end.
fn accounts(options: &Options, exit: u8, elapsed_us: u64, vmdbk: &Vmdbk) -> Accounts {
    let (virtual_us, total_us) = vmdbk.times();
    let machine = vmdbk.machine();
    let configuration = &machine.configuration;
    let instructions: u64 = configuration.cpus().map(|cpu| configuration.cpu(cpu).state.instructions).sum();
    let counts = configuration.css().counts();
    Accounts {
        exit,
        elapsed_us,
        virtual_cpu_us: virtual_us,
        total_cpu_us: total_us,
        instructions,
        io_starts: counts.starts,
        io_interruptions: counts.interruptions,
        cpus: options.cpus,
        storage: options.memory,
        jit: engine::statistics().counters().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_accounts_of_a_run_are_one_line_in_the_order_that_scripts_know() {
        let accounts = Accounts {
            exit: 3,
            elapsed_us: 1,
            virtual_cpu_us: 2,
            total_cpu_us: 3,
            instructions: 4,
            io_starts: 5,
            io_interruptions: 6,
            cpus: 7,
            storage: 8,
            jit: vec![("blocks", 9), ("time", 10_999)],
        };
        assert_eq!(
            say::json(&accounts),
            "{\"exit\":3,\"elapsed_us\":1,\"virtual_cpu_us\":2,\"total_cpu_us\":3,\"instructions\":4,\"io_starts\":5,\
             \"io_interruptions\":6,\"cpus\":7,\"storage\":8,\"jit_blocks\":9,\"jit_us\":10}"
        );
    }
}
