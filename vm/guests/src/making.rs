//! A Debian that starts from a disk, made from packages by a guest of ours.
//!
//! The disk is made, the packages are fetched, and a guest (the `debian` crate puts it together) partitions the disk,
//! installs the packages and makes it bootable. That guest is another process of this program: what is seen here are
//! its steps. An installation that fails or is stopped leaves no disk of that name.

use crate::keys;
use ::dasd::model::CkdModel;
use ::dasd::{Format, Image, ImageError, Kind, Method};
use ::debian::Scratch;
use ::debian::apt::Apt;
use ::debian::installer::{Installer, Plan, Step, check};
use base::Held;
use indicatif::ProgressBar;
use say::progress;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What the command line says of a system that is to be made.
#[derive(clap::Args, Clone, Default)]
#[command(next_help_heading = "Options of a Debian that is made; where its disk is there already, they do nothing")]
#[group(id = "making")]
pub struct Options {
    /// The size of the disk in cylinders of a 3390; 1000 cylinders hold 720 MB [default: 3339]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1500..=65520))]
    cylinders: Option<u32>,
    /// The Debian release: bookworm, trixie, forky, sid, stable... If left out, this host's, or stable if it is no
    /// Debian.
    #[arg(long, value_name = "RELEASE")]
    suite: Option<String>,
    /// Its host name, if that is not to be NAME.
    #[arg(long, value_name = "NAME")]
    hostname: Option<String>,
    /// A user to add beside root.
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Root's password, and the user's [default: debian]
    #[arg(long, value_name = "PASSWORD")]
    password: Option<String>,
    /// A file of public keys that may log in by ssh. The key of "endicott ssh" always may.
    #[arg(long, value_name = "FILE")]
    ssh_key: Option<PathBuf>,
    /// A script to run when the system starts for the first time.
    #[arg(long, value_name = "FILE")]
    first_boot: Option<PathBuf>,
    /// A package to add, with what it depends on but not what it recommends: to compile C, gcc and libc6-dev. May be
    /// given more than once.
    #[arg(long, value_name = "PACKAGE")]
    package: Vec<String>,
    /// The folder for fetched packages [default: endicott/debian in the user's cache folder].
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Show the installing guest's console.
    #[arg(long)]
    verbose: bool,
    /// Packages to add that other options want.
    #[arg(skip)]
    implied: Vec<&'static str>,
}

/// The size of a disk, in cylinders, if none is named.
const CYLINDERS: u32 = 3339;

/// The password, if none is named.
const PASSWORD: &str = "debian";

/// The device number of the disk.
const DEVICE: u16 = 0x200;

impl Options {
    /// A package to add, which the command line does not name.
    pub fn add(&mut self, package: &'static str) {
        self.implied.push(package);
    }

    /// One of the options that were given.
    pub fn word(&self) -> Option<&'static str> {
        let given = [
            (self.cylinders.is_some(), "--cylinders"),
            (self.suite.is_some(), "--suite"),
            (self.hostname.is_some(), "--hostname"),
            (self.user.is_some(), "--user"),
            (self.password.is_some(), "--password"),
            (self.ssh_key.is_some(), "--ssh-key"),
            (self.first_boot.is_some(), "--first-boot"),
            (!self.package.is_empty(), "--package"),
            (self.cache.is_some(), "--cache"),
            (self.verbose, "--verbose"),
        ];
        given.into_iter().find(|(is, _)| *is).map(|(_, word)| word)
    }
}

/// The disk of the system with this name.
pub fn disk(name: &Path) -> PathBuf {
    name.with_added_extension("3390")
}

/// What became of a disk that was wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Made {
    /// It is there.
    There,
    /// The user has stopped it, and was told.
    Stopped,
}

/// Makes the disk of the system `name` unless it is there.
pub fn make(name: &Path, options: &Options) -> Result<Made, String> {
    let disk = disk(name);
    if disk.exists() {
        if let Some(word) = options.word() {
            let disk = disk.display();
            complain!("endicott: {disk} is there already: {word} is for one that is made, and does nothing");
        }
        return Ok(Made::There);
    }
    // Under its own name it stands only when it is complete.
    let unfinished = disk.with_added_extension("unfinished");
    if let Err(ImageError::InUse { holder, .. }) = Image::open(&unfinished, ::dasd::Options::default()) {
        return Err(format!("{} is being made by {holder} already", disk.display()));
    }
    let _ = fs::remove_file(&unfinished);
    let stop = Stop::new();
    let made = begin(name, options, &unfinished, &stop).and_then(|()| {
        let named = fs::rename(&unfinished, &disk).and_then(|()| base::file::sync_folder(&disk));
        named.map_err(|error| format!("{}: {error}", disk.display()))
    });
    if made.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    if stop.stopped() && made.is_err() {
        // Whatever a program says of its end: it is because it was stopped.
        complain!("endicott: {STOPPED}");
        return Ok(Made::Stopped);
    }
    made.map(|()| Made::There)
}

/// What is said when it is stopped.
const STOPPED: &str = "interrupted; nothing is left of the disk, and what was fetched is kept";

/// Ctrl-C and SIGTERM: the guest that installs ends, if there is one.
struct Stop {
    stopped: Arc<AtomicBool>,
    guest: Arc<Mutex<Option<Child>>>,
}

impl Stop {
    fn new() -> Stop {
        let stop = Stop { stopped: Arc::default(), guest: Arc::default() };
        let (stopped, guest) = (stop.stopped.clone(), stop.guest.clone());
        let end = move || {
            stopped.store(true, Ordering::Relaxed);
            if let Some(guest) = &mut *guest.lock().held() {
                // One that has ended already is no worse.
                let _ = guest.kill();
            }
        };
        // Without it Ctrl-C ends the program at once, and the unfinished disk lies about.
        let _ = tools::signals::on_end(end);
        stop
    }

    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// The sentence for the user who has stopped it.
    fn look(&self) -> Result<(), String> {
        if self.stopped() { Err(STOPPED.into()) } else { Ok(()) }
    }
}

/// Makes the system, on a disk that has this name so far.
fn begin(name: &Path, options: &Options, disk: &Path, stop: &Stop) -> Result<(), String> {
    let read = |path: &PathBuf| {
        base::file::read(path, base::file::TEXT).map_err(|error| format!("{}: {error}", path.display()))
    };
    let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let named = options.ssh_key.as_ref().map(read).transpose()?;
    let mut plan = Plan {
        device: format!("0.0.{DEVICE:04x}"),
        format: Some("0X0200".into()),
        hostname: options.hostname.clone().unwrap_or(name),
        user: options.user.clone(),
        password: options.password.clone().unwrap_or_else(|| PASSWORD.into()),
        authorized_keys: named.map(|keys| String::from_utf8_lossy(&keys).into_owned()),
        first_boot: options.first_boot.as_ref().map(read).transpose()?,
        packages: options.package.iter().cloned().chain(options.implied.iter().map(|&name| name.into())).collect(),
        append: String::new(),
    };
    check(&plan)?;
    let cache = options.cache.clone().map_or_else(cache, Ok)?;
    let suite = options.suite.as_deref();
    let cache = cache.join(suite.unwrap_or("host"));
    let mut progress = Progress::new();
    progress.say(&format!("Fetching packages into {}", cache.display()));
    let apt = Apt::new(&cache, suite)?;
    let old = apt.update()?;
    stop.look()?;
    if let Some(why) = old {
        progress.say(&format!("The lists fetched before have to do: {why}"));
    }
    // Not before all else is right: it makes a key at its first use.
    plan.authorized_keys = keys::with_own(plan.authorized_keys.take());
    let installer = Installer::new(&apt, &plan)?;
    stop.look()?;
    let cylinders = options.cylinders.unwrap_or(CYLINDERS);
    progress.say(&format!("Making a 3390 of {cylinders} cylinders"));
    let model = CkdModel::of_size(0x3390, cylinders).expect("the 3390 is in the table");
    let kind = Kind::of_model(model, cylinders);
    let format = Format::usual(kind, Method::Zlib);
    ::dasd::create(disk, kind, format).map_err(|error| error.to_string())?;
    progress.say(&format!("Installing {} packages", installer.packages));
    progress.packages = installer.packages;
    install(&installer, disk, options, &mut progress, stop)?;
    progress.say("Installed");
    Ok(())
}

/// Runs the installing guest.
fn install(
    installer: &Installer,
    disk: &Path,
    options: &Options,
    progress: &mut Progress,
    stop: &Stop,
) -> Result<(), String> {
    // Beside the disk, where there is room.
    let scratch = Scratch::new(&disk.with_added_extension("installer"))?;
    let write = |name: &str, content: &[u8]| {
        let path = scratch.path().join(name);
        fs::write(&path, content).map_err(|error| no_room(&path.display().to_string(), &error.to_string()))?;
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
    *stop.guest.lock().held() = Some(guest);
    let (mut installed, mut failed, mut broken) = (false, None, None);
    let mut rest = Vec::new();
    for line in console.split(b'\n') {
        let line = line.map_err(|error| format!("the installing guest's console: {error}"))?;
        // Between the guest's start and here it may have been stopped.
        if let (true, Some(guest)) = (stop.stopped(), &mut *stop.guest.lock().held()) {
            let _ = guest.kill();
        }
        let line = String::from_utf8_lossy(&line);
        if options.verbose {
            progress.line(line.trim_end());
        }
        match Step::parse(&line) {
            Some(Step::Begins { number, of, what }) => progress.step(number, of, &what),
            Some(Step::Packages(count)) => progress.package(count),
            Some(Step::Installed) => installed = true,
            Some(Step::Failed(why)) => failed = Some(why),
            // CP tells the operator, who is the guest here, that a disk fails: there is no use in going on.
            None if broken.is_none() && line.contains("I/O error at") => {
                let what = line.split_once("I/O error at ").and_then(|(_, what)| what.split_once(": "));
                broken = what.map(|(_, why)| why.trim().to_owned());
                if let Some(guest) = &mut *stop.guest.lock().held() {
                    let _ = guest.kill();
                }
            }
            None if failed.is_some() => rest.push(line.trim_end().to_owned()),
            None => (),
        }
    }
    let guest = stop.guest.lock().held().take();
    let status = guest.map(|mut guest| guest.wait()).transpose();
    let status = status.map_err(|error| format!("the installing guest: {error}"))?;
    progress.end();
    stop.look()?;
    if let Some(why) = broken {
        return Err(no_room("the disk cannot be written", &why));
    }
    if let Some(why) = failed {
        rest.iter().for_each(|line| complain!("  {line}"));
        return Err(format!("the installation failed: {why}"));
    }
    match (installed, status) {
        (true, _) => Ok(()),
        (false, Some(status)) => {
            Err(format!("the installing guest ended early ({status}); --verbose shows its console"))
        }
        (false, None) => Err("the installing guest ended early".into()),
    }
}

/// An error of the host's with what helps if it is that there is no room.
fn no_room(what: &str, why: &str) -> String {
    let full = ["No space left", "no storage space", "quota"].iter().any(|text| why.contains(text));
    let remedy = if full { ": make room on the host (about 1 GB), or make the disk in another folder" } else { "" };
    format!("{what}: {why}{remedy}")
}

/// How far it is: a bar at a terminal, a line for each step elsewhere.
struct Progress {
    started: Instant,
    bar: ProgressBar,
    /// How many packages are installed.
    packages: usize,
}

/// The installing guest's parts, in thousandths, by what they took: what is before packages are installed, those, all.
const BEGIN: u64 = 40;
const SETTLED: u64 = 850;
const ALL: u64 = 1000;

impl Progress {
    fn new() -> Progress {
        // What it is doing has most of the line.
        let bar = format!("{{elapsed}} [{{bar:{}}}] {{percent}}% {{wide_msg}}", progress::columns() / 4);
        let bar = progress::bar(ALL, &bar);
        bar.enable_steady_tick(Duration::from_secs(1));
        Progress { started: Instant::now(), bar, packages: 0 }
    }

    /// A line that stays, with the time.
    fn say(&self, text: &str) {
        self.line(&format!("{} {text}", clock(self.started.elapsed())));
        self.bar.set_message(text.to_owned());
    }

    fn line(&self, text: &str) {
        self.bar.suspend(|| say!("{text}"));
    }

    fn step(&self, number: u32, of: u32, what: &str) {
        if self.bar.is_hidden() {
            self.say(&format!("{number}/{of} {what}"));
        } else {
            self.bar.set_message(what.to_owned());
        }
        // Packages are installed in the steps 3 to 5; those after are about as long as one another.
        let at = match number {
            1 | 2 => BEGIN * u64::from(number - 1) / 2,
            3..=5 => self.bar.position().max(BEGIN),
            _ => SETTLED + (ALL - SETTLED) * u64::from(number - 6) / u64::from(of.saturating_sub(5).max(1)),
        };
        self.bar.set_position(at.min(ALL));
    }

    /// So often a package has been unpacked or set up.
    fn package(&self, count: usize) {
        let all = 2 * self.packages.max(1);
        self.bar.set_position(BEGIN + (SETTLED - BEGIN) * count.min(all) as u64 / all as u64);
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
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
