//! `endicott linux`: one guest on standard input and output.
//!
//! No set-up and no privilege: a system is made of one user whose virtual machine gets a Linux kernel from files. Its
//! console ([`crate::keyboard`]) is a VT220, unless it is to be a 3215. The program ends when the guest does, and its
//! exit code says how.

use crate::clock::HostClock;
use crate::keyboard::{self, Console, Keyboard, Prompt, Raw};
use crate::making::{self, Made};
use crate::named::{self, Name, Order, Status};
use crate::network::{self, Network};
use crate::peripherals::{self, Peripherals};
use crate::server::{Notes, Server};
use crate::{background, loading, seed};
use ::dasd::Memory;
use base::Clock;
use complex::model::Model;
use consoles::ascii::AsciiConsole;
use consoles::host::{Ending, Host};
use consoles::terminal::Kind;
use devices::tape::Model as Drive;
use directory::{Directory, Passwords};
use nucleus::command::ipl;
use nucleus::logon;
use nucleus::system::{Cp, SystemConfig};
use nucleus::vmdbk::Vmdbk;
use rustix::termios::isatty;
use serde::{Serialize, Serializer};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use tape::Tape;

/// What the exit codes mean.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  the guest powered itself off
  1  the guest could not be started
  2  the command line is wrong
  3  the guest loaded a disabled wait PSW
  4  the guest's kernel panicked
  5  the guest was in a loop of program interruptions
  6  the guest asked to be started again
  7  Endicott itself failed, or what the guest's console printed could not be written
  130  ended by Ctrl-A x, by endicott stop --now or by a signal

At a terminal, Ctrl-A is the escape: Ctrl-A c takes a CP command, Ctrl-A x ends the guest, Ctrl-A h helps.";

/// The exit code if what the guest's console printed is not all where it was to go: a guest ends with codes of its own.
pub(crate) const LOST: u8 = 7;

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// A Debian: the guest starts from the disk NAME.3390, which is made if it is not there, as by "endicott debian
    /// NAME".
    #[arg(value_name = "NAME", conflicts_with = "kernel")]
    pub system: Option<PathBuf>,
    /// The name by which other commands know the guest while it runs: "endicott list", "ssh", "cp" and "stop" [default:
    /// that of NAME, or none]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Run it in the background: this command ends when the guest has begun. The guest is to have a name.
    #[arg(long, short)]
    pub detach: bool,
    /// The Linux kernel for s390x: a bzImage, or an ELF file of one, compressed with gzip or not. Without one, the
    /// guest starts from its first disk.
    #[arg(long, value_name = "FILE", required_unless_present_any = ["disk", "system"])]
    pub kernel: Option<PathBuf>,
    /// The initial RAM disk.
    #[arg(long, value_name = "FILE", requires = "kernel")]
    pub initrd: Option<PathBuf>,
    /// The kernel's command line; of a guest that starts from its disk, what is added to it, up to 38 characters, or 64
    /// with --console 3215.
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
    pub append: String,
    /// A disk: an image in one of the formats that "endicott dasd" knows. The first becomes device 0200, and so on. May
    /// be given more than once.
    #[arg(long, value_name = "FILE")]
    pub disk: Vec<PathBuf>,
    /// What cloud-init in the guest is to do: a file that begins with #cloud-config, a script... It is on the disk
    /// 02FF. A Debian that is made gets cloud-init with it.
    #[arg(long, value_name = "FILE")]
    pub user_data: Option<PathBuf>,
    /// A tape in AWSTAPE or HET format, on a drive of its own. The first drive becomes device 0580, and so on.
    #[arg(long, value_name = "FILE")]
    pub tape: Vec<PathBuf>,
    #[command(flatten)]
    pub network: network::Options,
    #[command(flatten)]
    pub peripherals: peripherals::Options,
    /// The guest's console [default: vt220, or 3215 if --append names a console of its own]
    #[arg(long, value_name = "KIND", value_enum)]
    pub console: Option<Console>,
    /// The virtual machine's storage, such as 512M, 2G or 1.5G.
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size)]
    pub memory: u64,
    /// How many virtual CPUs.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub cpus: u16,
    /// The processor that the guest finds: z10, z196, zEC12, z13, z14, z15, z16, or max for all that there is. A kernel
    /// for a later one stops and says so.
    #[arg(long, value_name = "MODEL", default_value = "max")]
    pub cpu_model: Model,
    /// At the end, one line of JSON about the run on standard error.
    #[arg(long)]
    pub json: bool,
    /// How many host threads run virtual CPUs; usually as many as the guest has CPUs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub processors: Option<u16>,
    #[command(flatten)]
    pub making: making::Options,
}

/// The most characters of parameters that IPL takes.
const PARAMETERS: usize = 64;
/// What tells Linux to use the VT220: its name, and that the virtual console, which it would use as well, is a device
/// that is not there.
const ON_VT220: &str = "console=ttysclp0 condev=0";

/// Debian's package for `--user-data`.
const CLOUD_INIT: &str = "cloud-init";

/// The device number of the first disk.
const DISKS: u16 = 0x200;
/// The device number of the first tape drive.
const TAPES: u16 = 0x580;

impl Options {
    /// The system `name`, which starts from its disk.
    pub(crate) fn of_system(name: &Path, memory: u64, cpus: u16) -> Options {
        Options {
            system: Some(name.to_owned()),
            name: None,
            detach: false,
            kernel: None,
            initrd: None,
            append: String::new(),
            disk: Vec::new(),
            user_data: None,
            tape: Vec::new(),
            network: network::Options::default(),
            peripherals: peripherals::Options::default(),
            console: None,
            memory,
            cpus,
            cpu_model: Model::default(),
            json: false,
            processors: None,
            making: making::Options::default(),
        }
    }

    /// The guest's disks, the one from which it starts first.
    fn disks(&self) -> Vec<PathBuf> {
        self.system.iter().map(|name| making::disk(name)).chain(self.disk.iter().cloned()).collect()
    }

    /// How the guest's disk is made: with cloud-init, if that is given anything.
    fn made_with(&self) -> making::Options {
        let mut making = self.making.clone();
        if self.user_data.is_some() {
            making.add(CLOUD_INIT);
        }
        making
    }

    /// The name by which other commands know the guest.
    fn known_as(&self) -> Result<Option<String>, String> {
        let last = |name: &PathBuf| name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let of_system = || self.system.as_ref().map(last);
        let name = self.name.clone().or_else(of_system);
        name.iter().try_for_each(|name| named::check(name))?;
        match (&name, &self.system, self.making.word()) {
            (None, _, _) if self.detach => Err("--detach: a guest in the background is to have a name: --name".into()),
            (_, None, Some(word)) => Err(format!("{word} is for a Debian that is made: \"endicott linux NAME\"")),
            _ => Ok(name),
        }
    }

    /// The guest's console, and its kernel's parameters with what they have to say of that.
    fn console(&self) -> (Console, String) {
        let named = |name: &str| self.append.split_whitespace().any(|word| word.starts_with(name));
        let own = named("console=") || named("conmode=") || named("condev=");
        match self.console {
            Some(Console::Typewriter) => (Console::Typewriter, self.append.clone()),
            None if own && !named("console=ttysclp") => (Console::Typewriter, self.append.clone()),
            // An equals sign before all takes the place of what stands on the disk.
            _ => match self.append.strip_prefix('=') {
                Some(all) => (Console::Vt220, format!("={ON_VT220} {all}")),
                None => (Console::Vt220, format!("{ON_VT220} {}", self.append).trim_end().to_owned()),
            },
        }
    }
}

/// A size of storage as it is typed: 512M, 2G, 1.5G, 2GiB. All units are binary; the result is whole megabytes.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let expected = "a size is a number with K, M, G or T, such as 512M, 1.5G or 2GiB, from 16M on";
    let upper = text.to_ascii_uppercase();
    let unit = upper.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number = &upper[..upper.len() - unit.len()];
    let letter = unit.strip_suffix("IB").or(unit.strip_suffix('B')).unwrap_or(unit);
    let shift = match letter {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        "" => return Err(format!("{text} has no unit; {expected}")),
        _ => return Err(format!("{text} is no size; {expected}")),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let (Ok(whole), Ok(part)) = (whole.parse::<u64>(), fraction.parse::<u64>()) else {
        return Err(format!("{text} is no size; {expected}"));
    };
    let scale = 10u128.checked_pow(fraction.len() as u32).ok_or(format!("{text} is no size; {expected}"))?;
    let bytes = (u128::from(whole) << shift) + (u128::from(part) << shift) / scale;
    match bytes.next_multiple_of(1 << 20) {
        bytes @ 0x100_0000..=0x100_0000_0000 => Ok(bytes as u64),
        0..0x100_0000 => Err(format!("{text} is less than a guest needs; {expected}")),
        _ => Err(format!("{text} is more than 1T, the most that a guest can have")),
    }
}

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

/// The translator's counters, with `jit_` before each name; the time, which is counted in nanoseconds, as `jit_us`.
fn of_jit<S: Serializer>(counters: &[(&'static str, u64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(counters.iter().map(|&(name, value)| match name {
        "time" => ("jit_us".to_owned(), value / 1000),
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
        let volume = tools::dasd::open(file, ::dasd::Options::default()).map_err(tools::dasd::text)?;
        cp.disks.install(*number, volume, file.display().to_string())?;
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

/// Runs the guest; the exit code.
pub(crate) fn linux(options: &Options) -> Result<u8, String> {
    let (console, parameters) = options.console();
    check(options, console, &parameters)?;
    let disk = options.kernel.is_none();
    options.network.check(disk)?;
    options.peripherals.check()?;
    let name = options.known_as()?;
    let initrd = options.initrd.as_ref().map(|path| loading::initrd(path, options.memory)).transpose()?;
    let kernel = options.kernel.as_ref().map(|path| loading::kernel(path, options.memory)).transpose()?;
    let initrd = initrd.unwrap_or_default();
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
    let notes = Arc::new(Notes::new());
    notes.end_with_guest();
    let clock = Arc::new(HostClock::new());
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
    match &kernel {
        Some(kernel) => {
            ipl::from_files(&cp, &vmdbk, kernel, &initrd, &parameters).map_err(|error| error.to_string())?;
        }
        None => {
            let how = ipl::Options { parm: parameters, ..ipl::Options::default() };
            ipl::from_device(&cp, &vmdbk, DISKS, &how).map_err(|message| message.text)?;
        }
    }
    drop((kernel, initrd));
    let threads = crate::run::start_processors(&cp);
    let keyboard = Keyboard { cp: cp.clone(), vmdbk: vmdbk.clone(), terminal, notes: notes.clone(), prompt, console };
    keyboard.start(raw.is_some());
    if let Some(name) = &name {
        name.serve(status(options, name.text(), network.as_ref()), obey(&vmdbk, &notes))?;
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
    if code == 6 {
        complain!(
            "endicott: the guest asked to be started again (a reboot): what came from files is loaded once, so this \
             run ends, with exit code 6; a guest that starts from its disk goes on"
        );
    }
    if background::is_here() {
        complain!("endicott: the guest has ended, with exit code {code}");
    }
    if options.json {
        complain!("{}", say::json(&accounts(options, code, clock.now().micros_since(started), &vmdbk)));
    }
    Ok(code)
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
fn obey(vmdbk: &Arc<Vmdbk>, notes: &Arc<Notes>) -> impl Fn(Order) -> Result<(), String> + Send + use<> {
    let (vmdbk, notes) = (vmdbk.clone(), notes.clone());
    move |order| match order {
        Order::Status => Ok(()),
        Order::End => {
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

    #[test]
    fn a_size_has_a_unit_and_perhaps_a_fraction() {
        let mega = |text: &str| size(text).map(|bytes| bytes >> 20);
        for (text, expected) in [
            ("512M", 512),
            ("512m", 512),
            ("524288K", 512),
            ("512MiB", 512),
            ("512MB", 512),
            ("1G", 1024),
            ("1.5G", 1536),
            ("0.5gb", 512),
            (".5G", 512),
            ("1.0001G", 1025),
            ("1T", 1 << 20),
            ("16M", 16),
        ] {
            let text = if text.starts_with('.') { format!("0{text}") } else { text.into() };
            assert_eq!(mega(&text), Ok(expected), "{text}");
        }
        for (text, why) in [
            ("512", "512 has no unit"),
            ("", "has no unit"),
            ("1X", "is no size"),
            ("G", "is no size"),
            ("-1G", "is no size"),
            ("1.G", "is no size"),
            ("1..5G", "is no size"),
            ("1.5.5G", "is no size"),
            ("8M", "less than a guest needs"),
            ("0G", "less than a guest needs"),
            ("2T", "more than 1T"),
            ("99999999999999999999G", "is no size"),
            ("18446744073709551615T", "more than 1T"),
            ("1.99999999999999999999999999999999999999999999G", "is no size"),
            ("16E", "is no size"),
        ] {
            assert!(size(text).is_err_and(|said| said.contains(why)), "{text}: {:?}", size(text));
        }
    }

    #[test]
    fn the_console_is_a_vt220_unless_the_command_line_names_another() {
        let console = |console: Option<Console>, append: &str| {
            let options =
                Options { console, append: append.into(), ..Options::of_system(Path::new("demo"), 1 << 30, 1) };
            options.console()
        };
        let vt220 = |parameters: &str| (Console::Vt220, parameters.to_owned());
        let typewriter = |parameters: &str| (Console::Typewriter, parameters.to_owned());
        assert_eq!(console(None, ""), vt220("console=ttysclp0 condev=0"));
        assert_eq!(console(None, "quiet"), vt220("console=ttysclp0 condev=0 quiet"));
        assert_eq!(console(None, "=root=/dev/dasda1"), vt220("=console=ttysclp0 condev=0 root=/dev/dasda1"));
        for own in ["quiet console=ttyS0", "conmode=3270", "condev=0009", "console=hvc0"] {
            assert_eq!(console(None, own), typewriter(own));
            assert_eq!(console(Some(Console::Vt220), own), vt220(&format!("{ON_VT220} {own}")));
        }
        assert_eq!(console(None, "console=ttysclp0"), vt220("console=ttysclp0 condev=0 console=ttysclp0"));
        assert_eq!(console(Some(Console::Typewriter), "quiet"), typewriter("quiet"));
    }
}
