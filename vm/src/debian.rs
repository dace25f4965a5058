//! `endicott debian`: a Debian that starts from a disk, made from packages by a guest of ours, and run.
//!
//! The disk is made, the packages are fetched, and a guest (the `debian` crate puts it together) partitions the disk,
//! installs the packages and makes it bootable. That guest is another process of this program: what is seen here are its
//! steps. An installation that fails or is stopped leaves no disk of that name behind.

use crate::linux;
use ::dasd::model::CkdModel;
use ::dasd::{Format, Kind, Method};
use ::debian::Scratch;
use ::debian::apt::Apt;
use ::debian::installer::{Installer, Plan, Step};
use std::fs;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What the command line says.
#[derive(clap::Args)]
pub struct Options {
    /// The system's name: the disk is the file NAME.3390, and the host name is NAME too unless --hostname is given.
    #[arg(value_name = "NAME")]
    pub name: PathBuf,
    /// Start it, with its console here. It is made first if there is no such disk yet.
    #[arg(long)]
    pub run: bool,
    /// The size of the disk in cylinders of a 3390; 1000 cylinders hold 720 MB.
    #[arg(long, value_name = "N", default_value_t = 3339, value_parser = clap::value_parser!(u32).range(1500..=65520))]
    pub cylinders: u32,
    /// The Debian release: bookworm, trixie, stable... If left out, this host's, or stable if it is no Debian.
    #[arg(long, value_name = "RELEASE")]
    pub suite: Option<String>,
    #[arg(long, value_name = "NAME")]
    pub hostname: Option<String>,
    /// A user to add beside root.
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Root's password, and the user's.
    #[arg(long, value_name = "PASSWORD", default_value = "debian")]
    pub password: String,
    /// A file of public keys that may log in by ssh: adds sshd. There is no network device here yet, so that only a system
    /// that is moved elsewhere makes use of them.
    #[arg(long, value_name = "FILE")]
    pub ssh_key: Option<PathBuf>,
    /// A script to run when the system starts for the first time.
    #[arg(long, value_name = "FILE")]
    pub first_boot: Option<PathBuf>,
    /// A package to add; may be given more than once.
    #[arg(long, value_name = "PACKAGE")]
    pub package: Vec<String>,
    /// The folder for fetched packages [default: endicott/debian in the user's cache folder].
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// The virtual machine's storage when it runs.
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = linux::size)]
    pub memory: u64,
    /// How many virtual CPUs it has when it runs.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub cpus: u16,
    /// Show the installing guest's console.
    #[arg(long)]
    pub verbose: bool,
}

/// The device number of the disk.
const DEVICE: u16 = 0x200;

/// Makes the system if it is not there, and runs it if that is wanted; the exit code.
pub fn debian(options: &Options) -> Result<u8, String> {
    let disk = options.name.with_added_extension("3390");
    if disk.exists() && !options.run {
        return Err(format!("{} exists already: \"--run\" starts it, another name makes another", disk.display()));
    }
    if !disk.exists() {
        // Under its own name it stands only when it is complete.
        let unfinished = disk.with_added_extension("unfinished");
        let _ = fs::remove_file(&unfinished);
        let made = make(options, &unfinished)
            .and_then(|()| fs::rename(&unfinished, &disk).map_err(|error| format!("{}: {error}", disk.display())));
        if made.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        made?;
        println!("{} is ready: endicott debian {} --run", disk.display(), options.name.display());
    }
    match options.run {
        true => linux::linux(&linux::Options::from_disk(&disk, options.memory, options.cpus)),
        false => Ok(0),
    }
}

fn make(options: &Options, disk: &Path) -> Result<(), String> {
    let started = Instant::now();
    let read = |path: &PathBuf| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let name = options.name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let keys = options.ssh_key.as_ref().map(read).transpose()?;
    let plan = Plan {
        device: format!("0.0.{DEVICE:04x}"),
        format: Some("0X0200".into()),
        hostname: options.hostname.clone().unwrap_or(name),
        user: options.user.clone(),
        password: options.password.clone(),
        authorized_keys: keys.map(|keys| String::from_utf8_lossy(&keys).into_owned()),
        first_boot: options.first_boot.as_ref().map(read).transpose()?,
        packages: options.package.clone(),
        append: String::new(),
    };
    let cache = options.cache.clone().map_or_else(cache, Ok)?;
    let suite = options.suite.as_deref();
    let cache = cache.join(suite.unwrap_or("host"));
    let say = |text: &str| println!("{} {text}", clock(started.elapsed()));
    say(&format!("Fetching packages into {}", cache.display()));
    let apt = Apt::new(&cache, suite)?;
    apt.update()?;
    let installer = Installer::new(&apt, &plan)?;
    say(&format!("Making a 3390 of {} cylinders", options.cylinders));
    let model = CkdModel::of_size(0x3390, options.cylinders).expect("the 3390 is in the table");
    let kind = Kind::of_model(model, options.cylinders);
    let format = Format::Compressed { wide: true, method: Method::Zlib };
    ::dasd::create(disk, kind, format).map_err(|error| error.to_string())?;
    say(&format!("Installing {} packages", installer.packages));
    install(&installer, disk, options, started)?;
    say("Installed");
    Ok(())
}

/// Runs the installing guest.
fn install(installer: &Installer, disk: &Path, options: &Options, started: Instant) -> Result<(), String> {
    // Beside the disk, where there is room.
    let scratch = Scratch::new(&disk.with_added_extension("installer"))?;
    let write = |name: &str, content: &[u8]| {
        let path = scratch.path().join(name);
        fs::write(&path, content).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok::<PathBuf, String>(path)
    };
    let (kernel, initrd) = (write("kernel", &installer.kernel)?, write("initrd", &installer.initrd)?);
    let storage = (installer.initrd.len() as u64 * 2 >> 20) + 768;
    let program = std::env::current_exe().map_err(|error| format!("this program cannot be found: {error}"))?;
    let engine = match engine::engine() {
        engine::Engine::Interpreter => "interpreter",
        engine::Engine::Jit => "jit",
        engine::Engine::Compare => "compare",
    };
    let mut guest = Command::new(program)
        .args(["--engine", engine, "linux", "--append", "quiet", "--memory", &format!("{storage}M")])
        .arg("--kernel")
        .arg(kernel)
        .arg("--initrd")
        .arg(initrd)
        .arg("--disk")
        .arg(disk)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("the installing guest cannot be started: {error}"))?;
    let console = BufReader::new(guest.stdout.take().expect("the output is piped"));
    let (mut installed, mut failed) = (false, None);
    let mut rest = Vec::new();
    for line in console.split(b'\n') {
        let line = line.map_err(|error| format!("the installing guest's console: {error}"))?;
        let line = String::from_utf8_lossy(&line);
        if options.verbose {
            println!("{}", line.trim_end());
        }
        match Step::parse(&line) {
            Some(Step::Begins { number, of, what }) => progress(started, number, of, &what),
            Some(Step::Installed) => installed = true,
            Some(Step::Failed(why)) => failed = Some(why),
            None if failed.is_some() => rest.push(line.trim_end().to_owned()),
            None => (),
        }
    }
    let status = guest.wait().map_err(|error| format!("the installing guest: {error}"))?;
    if let Some(why) = failed {
        rest.iter().for_each(|line| eprintln!("  {line}"));
        return Err(format!("the installation failed: {why}"));
    }
    match installed {
        true => Ok(()),
        false => Err(format!("the installing guest ended early ({status}); --verbose shows its console")),
    }
}

fn progress(started: Instant, number: u32, of: u32, what: &str) {
    let filled = (number - 1) as usize * 20 / of.max(1) as usize;
    let bar = format!("[{}{}]", "#".repeat(filled.min(20)), ".".repeat(20 - filled.min(20)));
    let mut stdout = std::io::stdout();
    let bar = if stdout.is_terminal() { bar } else { format!("{number}/{of}") };
    let _ = writeln!(stdout, "{} {bar} {what}", clock(started.elapsed())).and_then(|()| stdout.flush());
}

/// Minutes and seconds.
fn clock(elapsed: Duration) -> String {
    format!("{:2}:{:02}", elapsed.as_secs() / 60, elapsed.as_secs() % 60)
}

/// Where fetched packages are kept.
fn cache() -> Result<PathBuf, String> {
    let folder = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
    let folder = folder.ok_or("there is no home folder to keep packages in: name a folder with --cache")?;
    Ok(folder.join("endicott/debian"))
}
