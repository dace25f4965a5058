//! `endicott save` and `endicott linux --restore`: a guest goes into a file, and on from there.
//!
//! Saving ends the guest: what it has in storage of its disks fits them only as they are then. Its process writes the
//! file while nothing runs, closes the disks, and notes in the file how they are. Should the file not become whole, the
//! guest goes on as if nothing had been.

use crate::making;
use crate::named::{self, Order};
use crate::options::Options;
use base::Held;
use base::file;
use checkpoint::{Change, Disk, Draft, Error};
use complex::model::Model;
use hostside::{network, peripherals};
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use std::path::{self, Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use storage::Storage;
use terminals::keyboard::Console;
use virtualmachine::processor::Processors;
use virtualmachine::suspended::{Checkpoint, Suspended};
use virtualmachine::vmdbk::Vmdbk;

/// How long the process of a guest that has been saved may take to end: it reads the disks once more.
const END: Duration = Duration::from_secs(600);

/// What `endicott save` is told.
#[derive(clap::Args)]
pub struct Save {
    /// The guest: one that runs with a name.
    #[arg(value_name = "NAME")]
    name: String,
    /// The file that it goes into; one that is there is replaced. "endicott linux NAME --restore FILE" goes on.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// What a guest is, beside what it holds.
#[derive(Clone, Serialize, Deserialize)]
struct Guest {
    memory: u64,
    cpus: u16,
    cpu_model: Model,
    processors: Option<u16>,
    console: Console,
    disks: Vec<PathBuf>,
    user_data: Option<PathBuf>,
    network: network::Options,
    peripherals: peripherals::Options,
}

/// What a checkpoint's file says.
#[derive(Serialize, Deserialize)]
struct Description {
    /// The program that has written it, and when: seconds since 1970.
    program: String,
    saved: u64,
    guest: Guest,
    /// The files of its disks, as they were when they had been closed.
    files: Vec<Disk>,
    machine: Checkpoint,
}

impl Guest {
    /// What the command line says, with paths from the root.
    fn of(options: &Options, console: Console) -> Result<Guest, String> {
        if !options.tape.is_empty() {
            return Err("a guest with a tape drive (--tape) cannot be saved".into());
        }
        if options.scratch {
            return Err("what a guest with --scratch has written is in no file: it cannot be saved".into());
        }
        let absolute = |path: &PathBuf| path::absolute(path).map_err(|error| format!("{}: {error}", path.display()));
        Ok(Guest {
            memory: options.memory,
            cpus: options.cpus,
            cpu_model: options.cpu_model,
            processors: options.processors,
            console,
            disks: options.disks().iter().map(absolute).collect::<Result<_, _>>()?,
            user_data: options.user_data.as_ref().map(absolute).transpose()?,
            network: options.network.settled(options.kernel.is_none()),
            peripherals: options.peripherals.clone().absolute().map_err(|error| error.to_string())?,
        })
    }

    /// The files that it may write.
    fn files(&self) -> Vec<PathBuf> {
        self.disks.iter().chain(self.peripherals.drives()).cloned().collect()
    }
}

/// The saving of a guest, on the side of its process.
pub struct Saving {
    guest: Result<Guest, String>,
    /// What has been written, to where.
    draft: Mutex<Option<(Draft, Description, PathBuf)>>,
}

impl Saving {
    /// Of the guest that these options describe.
    pub fn new(options: &Options, console: Console) -> Arc<Saving> {
        Arc::new(Saving { guest: Guest::of(options, console), draft: Mutex::default() })
    }

    /// Writes the guest into a file. It does not run any more if that succeeds, and is to be ended.
    pub fn write(
        &self,
        path: &Path,
        processors: &Processors,
        vmdbk: &Arc<Vmdbk>,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<(), String> {
        let guest = self.guest.clone()?;
        file::may_be_replaced(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let suspended = Suspended::new(processors, vmdbk);
        let machine = suspended.checkpoint().map_err(|error| error.to_string())?;
        let saved = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let program = env!("CARGO_PKG_VERSION").to_owned();
        let to_come = |file: &PathBuf| Disk::to_come(file).map_err(|error| format!("{}: {error}", file.display()));
        let files = guest.files().iter().map(to_come).collect::<Result<_, _>>()?;
        let description = Description { program, saved, guest, files, machine };
        let storage = vmdbk.machine().configuration.storage().clone();
        let draft = Draft::new(path, &description, &storage, progress);
        let draft = draft.map_err(|error| format!("{}: {error}; the guest goes on", path.display()))?;
        *self.draft.lock().held() = Some((draft, description, path.to_owned()));
        suspended.end();
        Ok(())
    }

    /// The guest's disks have been closed: the file gets its name. `None` if the guest was not saved.
    pub fn finish(&self) -> Option<Result<PathBuf, String>> {
        let (draft, mut description, path) = self.draft.lock().held().take()?;
        let finish = || {
            for file in &mut description.files {
                let disk = Disk::of(&file.path, &mut |_| ());
                *file = disk.map_err(|error| format!("{}: {error}", file.path.display()))?;
            }
            draft.finish(&description).map_err(|error| format!("{}: {error}", path.display()))
        };
        Some(finish().map(|()| path.clone()))
    }
}

/// Tells a guest to save itself, and waits until it has.
pub fn save(options: &Save) -> Result<u8, String> {
    named::find(&options.name)?;
    let file = path::absolute(&options.file).map_err(|error| format!("{}: {error}", options.file.display()))?;
    let bar = bar("Saving");
    let told = named::tell_long(&options.name, &Order::Save(file.clone()), &mut |done, all| show(&bar, done, all));
    bar.finish_and_clear();
    told.map_err(|why| format!("{}: {why}", options.name))?;
    if !named::await_end(&options.name, END)? || !file.exists() {
        return Err(format!(
            "{} is not in {}: \"endicott linux {}\" has said why where it was started, or in its log",
            options.name,
            file.display(),
            options.name
        ));
    }
    say!("{0} is saved: \"endicott linux {0} --restore {1}\" goes on", options.name, options.file.display());
    Ok(0)
}

/// A checkpoint from which a guest goes on.
pub struct Saved {
    file: checkpoint::Saved<Description>,
    path: PathBuf,
}

/// Opens the checkpoint that the command line names.
pub fn open(path: &Path) -> Result<Saved, String> {
    let file = checkpoint::open(path).map_err(|error| explain(path, &error))?;
    Ok(Saved { file, path: path.to_owned() })
}

fn explain(path: &Path, error: &Error) -> String {
    format!("--restore {}: {error}", path.display())
}

impl Saved {
    /// The options of the guest that goes on: what the checkpoint says of it, and what is said now of all else.
    pub fn options(&self, now: &Options) -> Options {
        let Guest { memory, cpus, cpu_model, processors, console, mut disks, user_data, network, peripherals } =
            self.file.description.guest.clone();
        // The disk may have been moved, and have another name now.
        if let (Some(system), Some(first)) = (&now.system, disks.first_mut()) {
            *first = making::disk(system);
        }
        Options {
            name: now.known_as().unwrap_or_default(),
            detach: now.detach,
            scratch: now.scratch,
            clock: now.clock,
            json: now.json,
            debugger: now.debugger.clone(),
            system: None,
            disk: disks,
            user_data,
            network: network.again(&now.network),
            peripherals,
            console: Some(console),
            cpu_model,
            processors: now.processors.or(processors),
            ..Options::of_system(Path::new(""), memory, cpus)
        }
    }

    /// Refuses to go on with disks that are not what they were.
    pub fn check_disks(&self, options: &Options) -> Result<(), String> {
        let files = &self.file.description.files;
        let now: Vec<PathBuf> = options.disks().iter().chain(options.peripherals.drives()).cloned().collect();
        for (then, now) in files.iter().zip(&now) {
            let bar = bar("Comparing");
            let result = then.check(now, &mut |done| show(&bar, done, then.size()));
            bar.finish_and_clear();
            result.map_err(|change| match change {
                Change::Written(_) => format!(
                    "--restore {}: {change}: the guest would destroy what is on it. Put back what it was, or start \
                     the guest without --restore",
                    self.path.display()
                ),
                Change::Host(..) => format!("--restore {}: {change}", self.path.display()),
            })?;
        }
        Ok(())
    }

    /// Puts its pages into storage.
    pub fn load(&mut self, storage: &Storage) -> Result<(), String> {
        let bar = bar("Reading");
        let result = self.file.load(storage, &mut |done, all| show(&bar, done, all));
        bar.finish_and_clear();
        result.map_err(|error| explain(&self.path, &error))
    }

    /// The guest's hardware.
    pub fn machine(&self) -> &Checkpoint {
        &self.file.description.machine
    }

    /// What went wrong with it, as the user is told.
    pub fn refused(&self, why: impl std::fmt::Display) -> String {
        format!("--restore {}: {why}", self.path.display())
    }
}

/// A bar that is seen when something takes a while.
fn bar(what: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes}").expect("it is a template");
    ProgressBar::no_length().with_style(style).with_message(what)
}

fn show(bar: &ProgressBar, done: u64, all: u64) {
    bar.set_length(all);
    bar.set_position(done);
}
