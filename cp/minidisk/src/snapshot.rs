//! Snapshots of real disks that the system uses (SNAPSHOT): the volume does the work; this file tells the operator.

use crate::{Disks, real::Real};
use message::Message;
use std::path::PathBuf;

fn failed(real: &Real, why: impl std::fmt::Display) -> Message {
    message::snapshot_failed(format!("{:04X}", real.number), why)
}

impl Disks {
    /// Keeps a real disk as it is; the file in which it is written from now on.
    pub fn snapshot(&self, real: &Real) -> Result<PathBuf, Message> {
        real.volume.snapshot().map_err(|error| failed(real, error))
    }

    /// Begins to merge the newest snapshot of a real disk. Its users go on; the operator is told of its end.
    pub fn merge_snapshot(&self, real: &Real) -> Result<(), Message> {
        if real.volume.snapshots() == 0 {
            return Err(failed(real, "it has no snapshot"));
        }
        let (disk, troubles, wake) = (real.clone(), self.troubles.clone(), self.wake.clone());
        let merge = move || {
            troubles.tell(match disk.volume.merge_snapshot() {
                Ok(()) => message::snapshot_merged(format!("{:04X}", disk.number), disk.volume.snapshots()),
                Err(error) => failed(&disk, error),
            });
            wake();
        };
        let started = std::thread::Builder::new().name("snapshot merge".into()).spawn(merge);
        started.map(drop).map_err(|error| failed(real, error))
    }

    /// Makes a real disk that is not in use what it was at its newest snapshot.
    pub fn discard_snapshot(&self, real: &Real) -> Result<(), Message> {
        // No user can link to it while this is held.
        let mut state = self.state();
        let users = state.users_of(real.number);
        if users > 0 {
            return Err(message::volume_in_use(format!("{:04X}", real.number), users));
        }
        real.volume.discard_snapshot().map_err(|error| failed(real, error))?;
        self.cache.flush(&real.cache, None, false);
        if let Some(serial) = crate::real::serial(&*real.volume)
            && let Some(real) = state.reals.iter_mut().find(|other| other.number == real.number)
        {
            real.serial = serial;
        }
        Ok(())
    }
}
