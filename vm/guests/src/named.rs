//! Guests with names: how `endicott ssh`, `stop` and others find one that runs.
//!
//! In the user's runtime folder each such guest has a file NAME.lock, which its process holds locked, and a socket
//! NAME.socket, at which it says what it is and takes orders. Nothing else tells that it runs: a process that has ended
//! in whatever way has let go of its lock, and what it left is removed by the next command that looks.

use base::Held;
use base::file::{self, Access};
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// The longest name: a socket's path has little room.
const LONGEST: usize = 40;
/// How long the other end of a socket may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it may say nothing while it obeys an order that takes its time.
const LONG: Duration = Duration::from_secs(60);
/// The longest order and the longest answer.
const LINE: u64 = 64 << 10;
/// How often it is looked whether a guest has ended.
const POLL: Duration = Duration::from_millis(50);

/// What a guest is told.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Order {
    /// Say what you are.
    Status,
    /// Shut down, as by SIGNAL SHUTDOWN.
    Stop,
    /// End at once.
    End,
    /// Go into this file, and end.
    Save(PathBuf),
}

/// Hears of an order that takes its time: how much is done, and of how much.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// What a guest answers.
#[derive(Debug, Serialize, Deserialize)]
enum Answer {
    Status(Status),
    /// So much of so much is done: another answer follows.
    Under(u64, u64),
    Done,
    Refused(String),
}

/// What a guest says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Status {
    /// Its name.
    pub name: String,
    /// The number of its process.
    pub process: u32,
    /// When it was started, in seconds since 1970.
    pub started: u64,
    /// Its storage in bytes.
    pub memory: u64,
    /// How many virtual CPUs it has.
    pub cpus: u16,
    /// Its disks, the one from which it starts first.
    pub disks: Vec<PathBuf>,
    /// Ports of the host that lead to it, as `--publish` has them.
    pub published: Vec<String>,
    /// Where its sshd is reached, if it has a network.
    pub ssh: Option<SocketAddr>,
}

/// A guest that another command has found.
pub enum Found {
    /// It runs.
    Running(Status),
    /// It is about to start, and says nothing yet.
    Starting(String),
}

/// The user's folder for what runs: in `XDG_RUNTIME_DIR`, or in the host's folder for temporary files. It is made if it
/// is not there, and it must be ours alone: its sockets take orders from all that may enter it.
pub fn folder() -> Result<PathBuf, String> {
    let session = std::env::var_os("XDG_RUNTIME_DIR").filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = match session.filter(|folder| folder.is_absolute() && folder.is_dir()) {
        Some(folder) => folder.join("endicott"),
        None => std::env::temp_dir().join(format!("endicott-user-{}", geteuid().as_raw())),
    };
    let wrong = |why: String| format!("{}, the folder for running guests: {why}", folder.display());
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(wrong(error.to_string())),
        _ => {}
    }
    let found = fs::symlink_metadata(&folder).map_err(|error| wrong(error.to_string()))?;
    if !found.is_dir() {
        return Err(wrong("it is no folder".into()));
    }
    if found.uid() != geteuid().as_raw() || found.mode() & 0o077 != 0 {
        return Err(wrong("others may use it: remove it, or name another one in XDG_RUNTIME_DIR".into()));
    }
    Ok(folder)
}

/// Refuses what is no name.
pub fn check(name: &str) -> Result<(), String> {
    let good = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if begins && name.chars().all(good) && name.len() <= LONGEST {
        return Ok(());
    }
    Err(format!(
        "{name:?} is no name of a guest: a letter or a digit, then letters, digits, hyphens, underscores and full \
         stops, {LONGEST} characters at most"
    ))
}

fn lock_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.lock"))
}

fn socket(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.socket"))
}

/// Where a guest in the background has its console.
pub fn console(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.console"))
}

/// A name that this process has; others may have it when this is dropped.
pub struct Name {
    name: String,
    folder: PathBuf,
    /// Held while an order is obeyed, until it is answered.
    order: Arc<Mutex<()>>,
    /// Locked.
    _lock: File,
}

impl Name {
    /// Takes the name for this process.
    pub fn take(name: &str) -> Result<Name, String> {
        check(name)?;
        let folder = folder()?;
        let path = lock_file(&folder, name);
        let wrong = |why: String| format!("{}: {why}", path.display());
        loop {
            let lock = file::open(&path, Access::Make).map_err(|error| wrong(error.to_string()))?;
            match file::lock(&lock, true) {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(runs_already(name)),
                Err(TryLockError::Error(error)) => return Err(wrong(error.to_string())),
            }
            // A command that took it for one that is left over may have removed it before it was locked.
            let (held, there) = (lock.metadata(), fs::metadata(&path));
            let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
            if held.is_ok_and(|held| there.is_ok_and(|there| same(&held, &there))) {
                let _ = fs::remove_file(socket(&folder, name));
                return Ok(Name { name: name.to_owned(), folder, order: Arc::default(), _lock: lock });
            }
        }
    }

    /// The name.
    pub fn text(&self) -> &str {
        &self.name
    }

    /// From now on says `status`, and gives orders to `obey`, which tells why it refuses one.
    pub fn serve(
        &self,
        status: Status,
        obey: impl Fn(Order, Progress<'_>) -> Result<(), String> + Send + 'static,
    ) -> Result<(), String> {
        let path = socket(&self.folder, &self.name);
        let listener = UnixListener::bind(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let order = self.order.clone();
        let serve = move || {
            for stream in listener.incoming().flatten() {
                // One that breaks off hears nothing.
                let _ = answer(&stream, &status, &obey, &order);
            }
        };
        thread::Builder::new().name("orders".into()).spawn(serve).map_err(|error| error.to_string())?;
        Ok(())
    }
}

impl Drop for Name {
    /// The order to end is answered before the process ends: else its command hears nothing.
    fn drop(&mut self) {
        let _answered = self.order.lock().held();
        let _ = fs::remove_file(socket(&self.folder, &self.name));
        let _ = fs::remove_file(lock_file(&self.folder, &self.name));
    }
}

fn runs_already(name: &str) -> String {
    let process = match find(name) {
        Ok(status) => format!(" (process {})", status.process),
        Err(_) => String::new(),
    };
    format!(
        "{name} runs already{process}: \"endicott ssh {name}\" logs in, \"endicott stop {name}\" ends it, and --name \
         gives this one another name"
    )
}

/// Takes one order.
fn answer(
    stream: &UnixStream,
    status: &Status,
    obey: &impl Fn(Order, Progress<'_>) -> Result<(), String>,
    order: &Mutex<()>,
) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut line = String::new();
    BufReader::new(Read::take(stream, LINE)).read_line(&mut line)?;
    let _answered = order.lock().held();
    let answer = match serde_json::from_str(&line) {
        Ok(Order::Status) => Answer::Status(status.clone()),
        Ok(order) => {
            let mut last = Instant::now();
            // What the other side does not hear is no reason to stop.
            let mut progress = |done, all| {
                if last.elapsed() >= POLL {
                    last = Instant::now();
                    let _ = say_line(stream, &Answer::Under(done, all));
                }
            };
            obey(order, &mut progress).map_or_else(Answer::Refused, |()| Answer::Done)
        }
        Err(error) => Answer::Refused(format!("that is no order: {error}")),
    };
    say_line(stream, &answer)
}

fn say_line(mut stream: &UnixStream, what: &impl Serialize) -> io::Result<()> {
    stream.write_all((say::json(what) + "\n").as_bytes())
}

/// Gives an order to the guest of this name; `None` if nothing answers in time.
fn order(folder: &Path, name: &str, order: &Order, patience: Duration, progress: Progress<'_>) -> Option<Answer> {
    let mut ask = || -> io::Result<Answer> {
        let stream = UnixStream::connect(socket(folder, name))?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        say_line(&stream, order)?;
        let mut from = BufReader::new(&stream);
        loop {
            let mut line = String::new();
            Read::take(&mut from, LINE).read_line(&mut line)?;
            match serde_json::from_str(&line)? {
                Answer::Under(done, all) => progress(done, all),
                last => return Ok(last),
            }
        }
    };
    ask().ok()
}

/// The guest of this name, if there is one. What is left of one that has ended is removed.
fn look(folder: &Path, name: &str) -> Option<Found> {
    if let Some(Answer::Status(status)) = order(folder, name, &Order::Status, PATIENCE, &mut |_, _| ()) {
        return Some(Found::Running(status));
    }
    let path = lock_file(folder, name);
    let lock = File::open(&path).ok()?;
    match lock.try_lock() {
        Ok(()) => {
            let _ = fs::remove_file(socket(folder, name));
            let _ = fs::remove_file(path);
            None
        }
        Err(_) => Some(Found::Starting(name.to_owned())),
    }
}

/// All guests with names, by their names.
pub fn all() -> Result<Vec<Found>, String> {
    let folder = folder()?;
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter_map(|name| name.strip_suffix(".lock").map(str::to_owned)).collect();
    names.sort();
    Ok(names.iter().filter_map(|name| look(&folder, name)).collect())
}

/// The guest of this name, which must run.
pub fn find(name: &str) -> Result<Status, String> {
    check(name)?;
    match look(&folder()?, name) {
        Some(Found::Running(status)) => Ok(status),
        Some(Found::Starting(_)) => Err(format!("{name} is about to start: try again")),
        None => Err(format!(
            "no guest of the name {name} runs: \"endicott linux {name} --detach\" starts one, \"endicott list\" has all"
        )),
    }
}

/// Gives an order that changes something.
pub fn tell(name: &str, what: &Order) -> Result<(), String> {
    told(name, order(&folder()?, name, what, PATIENCE, &mut |_, _| ()))
}

/// Gives an order that takes its time.
pub fn tell_long(name: &str, what: &Order, progress: Progress<'_>) -> Result<(), String> {
    told(name, order(&folder()?, name, what, LONG, progress))
}

fn told(name: &str, answer: Option<Answer>) -> Result<(), String> {
    match answer {
        Some(Answer::Done | Answer::Status(_) | Answer::Under(..)) => Ok(()),
        Some(Answer::Refused(why)) => Err(why),
        None => Err(format!("{name} does not answer")),
    }
}

/// Whether the guest ends within this time.
pub fn await_end(name: &str, limit: Duration) -> Result<bool, String> {
    let folder = folder()?;
    let began = Instant::now();
    loop {
        if look(&folder, name).is_none() {
            return Ok(true);
        }
        if began.elapsed() >= limit {
            return Ok(false);
        }
        thread::sleep(POLL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_word_that_a_file_may_have() {
        for name in ["demo", "d1", "Demo_2.old", "9p", &"x".repeat(LONGEST)] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for name in ["", ".", "..", "-d", "a/b", "a b", "caf\u{e9}", "a\n", &"x".repeat(LONGEST + 1)] {
            assert!(check(name).is_err_and(|why| why.contains("is no name of a guest")), "{name}");
        }
    }
}
