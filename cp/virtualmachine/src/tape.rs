//! Tape drives: the real ones, the tapes on them, and the users they belong to.
//!
//! A drive is free or, by ATTACH or DEDICATE, belongs to one user, as a virtual device. Tapes are files of the host in
//! one folder, the library; MOUNT puts one on a drive, in place of an operator. Detaching a drive rewinds the tape and
//! leaves it there.
//!
//! The lock in [`Tapes`] is held for data only; inside it only drives' own locks are taken.

use base::{Held, Tod};
use complex::Configuration;
use devices::tape::{Drive, Model, TapeDrive};
use message::Message;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use tape::{Tape, TapeError};

/// The user that a drive belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holder {
    /// The user ID.
    pub userid: String,
    /// The virtual device number.
    pub vdev: u16,
    /// Whether the user may only read tapes.
    pub read_only: bool,
    /// Since when.
    pub since: Tod,
}

/// A real tape drive.
#[derive(Clone)]
pub struct Real {
    /// The real device number.
    pub number: u16,
    /// The type of the drive.
    pub model: Model,
    /// The drive, and what is mounted on it.
    pub drive: Arc<Drive>,
    /// The user that has it; `None` if it is free.
    pub holder: Option<Holder>,
    /// Whether it is varied off.
    pub offline: bool,
}

impl Real {
    /// `R/W` or `R/O`, as its user may use the tape that is on it.
    pub fn access(&self) -> &'static str {
        let protected = self.drive.state().is_some_and(|tape| !tape.writable);
        if protected || self.holder.as_ref().is_some_and(|holder| holder.read_only) { "R/O" } else { "R/W" }
    }

    fn device(&self) -> Box<TapeDrive> {
        let read_only = self.holder.as_ref().is_some_and(|holder| holder.read_only);
        Box::new(TapeDrive::new(self.drive.clone(), self.model, read_only))
    }
}

#[derive(Default)]
struct State {
    reals: Vec<Real>,
    library: Option<PathBuf>,
}

/// All tape drives of the system.
#[derive(Default)]
pub struct Tapes(Mutex<State>);

impl Tapes {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().held()
    }

    /// The folder that MOUNT takes tapes from.
    pub fn set_library(&self, folder: &Path) {
        self.state().library = Some(folder.into());
    }

    /// A real drive is there from now on. False if there is one with its number already.
    pub fn install(&self, number: u16, model: Model) -> bool {
        let mut state = self.state();
        if state.reals.iter().any(|real| real.number == number) {
            return false;
        }
        state.reals.push(Real { number, model, drive: Arc::default(), holder: None, offline: false });
        state.reals.sort_by_key(|real| real.number);
        true
    }

    /// The drives, in the order of their numbers.
    pub fn reals(&self) -> Vec<Real> {
        self.state().reals.clone()
    }

    /// The drive with this real device number; `None` if there is none.
    pub fn real(&self, number: u16) -> Option<Real> {
        self.state().reals.iter().find(|real| real.number == number).cloned()
    }

    /// The drives of a user.
    pub fn of(&self, userid: &str) -> Vec<Real> {
        let held = |real: &&Real| real.holder.as_ref().is_some_and(|holder| holder.userid == userid);
        self.state().reals.iter().filter(held).cloned().collect()
    }

    /// The drive that is this virtual device of a user.
    pub fn held(&self, userid: &str, vdev: u16) -> Option<Real> {
        self.of(userid).into_iter().find(|real| real.holder.as_ref().is_some_and(|holder| holder.vdev == vdev))
    }

    /// DEFINE vdev AS vdev.
    pub fn renumber(&self, userid: &str, old: u16, new: u16) {
        if let Some(real) = self.held(userid, old) {
            self.change(real.number, |real| {
                if let Some(holder) = &mut real.holder {
                    holder.vdev = new;
                }
            });
        }
    }

    fn change(&self, number: u16, change: impl FnOnce(&mut Real)) {
        if let Some(real) = self.state().reals.iter_mut().find(|real| real.number == number) {
            change(real);
        }
    }

    /// VARY: a free drive goes offline, or comes back. False if a user has it.
    pub fn vary(&self, number: u16, on: bool) -> bool {
        let mut state = self.state();
        let Some(real) = state.reals.iter_mut().find(|real| real.number == number && real.holder.is_none()) else {
            return false;
        };
        real.offline = !on;
        true
    }

    /// MOUNT: puts a tape of the library on a drive; with `ring` it may be written. Also returns a notice for the
    /// operator, if the tape's file is damaged.
    pub fn mount(&self, number: u16, name: &str, ring: bool) -> Result<(Real, Option<String>), Message> {
        let shown = format!("{number:04X}");
        let (real, library) = {
            let state = self.state();
            let real = state.reals.iter().find(|real| real.number == number).cloned();
            (real.ok_or_else(|| message::no_real_device(&shown))?, state.library.clone())
        };
        let legal = |c: char| c.is_ascii_alphanumeric() || "._-+@#$".contains(c);
        let fail = |why: String| message::not_mounted(name, &shown, why);
        if name.starts_with('.') || !name.chars().all(legal) {
            return Err(fail("a tape's name has letters, digits and ._-+@#$".into()));
        }
        let library = library.ok_or_else(|| fail("there are no tapes".into()))?;
        // What is on the drive goes first: it may be the same tape.
        real.drive.unload();
        let path = library.join(name);
        let tape = Tape::open(&path, ring).map_err(|error| match (&error, self.drive_with(&path)) {
            (TapeError::InUse, Some(other)) => fail(format!("it is on drive {other:04X}")),
            _ => fail(error.to_string()),
        })?;
        let notice = tape.notice();
        real.drive.mount(tape);
        Ok((real, notice))
    }

    /// The drive that this tape is on.
    fn drive_with(&self, path: &Path) -> Option<u16> {
        let file = path.canonicalize().ok()?;
        let has = |real: &&Real| {
            real.drive.state().is_some_and(|tape| Path::new(&tape.file).canonicalize().is_ok_and(|at| at == file))
        };
        self.reals().iter().find(has).map(|real| real.number)
    }

    /// ATTACH and DEDICATE: a drive becomes a virtual device of a user, with this configuration. The line that says so.
    pub fn attach(&self, configuration: &Configuration, rdev: u16, holder: Holder) -> Result<String, Message> {
        let shown = format!("{rdev:04X}");
        let real = self.real(rdev).ok_or_else(|| message::no_real_device(&shown))?;
        let vdev = holder.vdev;
        if configuration.css().find(vdev).is_some() {
            return Err(message::device_defined(format!("TAPE {vdev:04X}")).from("ATS"));
        }
        let taken = |by: String| message::tape_in_use(&shown, by);
        match &real.holder {
            Some(holder) => return Err(taken(format!("attached to {}", holder.userid))),
            None if real.offline => return Err(taken("offline".into())),
            None => (),
        }
        let line = format!("TAPE {rdev:04X} ATTACHED TO {} {vdev:04X}", holder.userid);
        self.change(rdev, |real| real.holder = Some(holder));
        self.plug(configuration, rdev);
        Ok(line)
    }

    /// Puts a drive that a user has into a configuration.
    fn plug(&self, configuration: &Configuration, rdev: u16) {
        let Some(real) = self.real(rdev) else { return };
        let Some(holder) = &real.holder else { return };
        let _ = configuration.css().attach(holder.vdev, real.device());
    }

    /// DETACH: the drive is free again, its tape at the beginning.
    pub fn detach(&self, configuration: &Configuration, real: &Real) {
        let Some(holder) = &real.holder else { return };
        configuration.css().detach(holder.vdev);
        real.drive.rewind();
        self.change(real.number, |real| real.holder = None);
    }

    /// All drives of a user, at LOGOFF: these.
    pub fn log_off(&self, configuration: &Configuration, userid: &str) -> Vec<Real> {
        let drives = self.of(userid);
        drives.iter().for_each(|real| self.detach(configuration, real));
        drives
    }

    /// The hardware of a user was made anew (DEFINE STORAGE): the drives come with it.
    pub fn move_to_new_machine(&self, userid: &str, old: &Configuration, new: &Configuration) {
        for real in self.of(userid) {
            if let Some(holder) = &real.holder {
                old.css().detach(holder.vdev);
            }
            self.plug(new, real.number);
        }
    }
}
