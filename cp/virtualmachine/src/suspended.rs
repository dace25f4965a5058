//! A virtual machine that is held between two instructions, and its checkpoint.
//!
//! What is in a checkpoint is the hardware: CPUs, channels and devices, and CP's watchdog over it. What a program has
//! agreed upon with other virtual machines (paths of IUCV, VMCF) is not, so a virtual machine with that is refused.

use crate::machine::Watchdog;
use crate::processor::Processors;
use crate::vmdbk::Vmdbk;
use base::Tod;
use complex::CheckpointError;
use complex::checkpoint::Time;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How long a machine that is at work may take to come to a point at which it can be held.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked whether it has.
const POLL: Duration = Duration::from_millis(1);

/// Why a virtual machine cannot be in a checkpoint.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unfit {
    /// Its hardware says so.
    #[error(transparent)]
    Hardware(#[from] CheckpointError),
    /// It has connections with other virtual machines.
    #[error("its program uses {0}, whose other side would not know of it")]
    Connected(&'static str),
    /// What it has in expanded storage is the system's.
    #[error("it has expanded storage: DETACH XSTORE takes that away")]
    Expanded,
    /// CP's TRACE looks at it.
    #[error("it is traced: TRACE END ends that")]
    Traced,
}

/// A virtual machine's hardware between two instructions, all but its storage.
#[derive(Serialize, Deserialize)]
pub struct Checkpoint {
    configuration: complex::Checkpoint,
    /// In how many microseconds the watchdog bites, and what it does then.
    watchdog: Option<(u64, Vec<u8>)>,
    /// Its buffers and its paths to CP.
    iucv: iucv::Checkpoint,
}

/// A virtual machine that no processor runs, as long as this is there.
pub struct Suspended<'a> {
    processors: &'a Processors,
    vmdbk: &'a Arc<Vmdbk>,
    ends: bool,
}

impl<'a> Suspended<'a> {
    /// Holds it.
    pub fn new(processors: &'a Processors, vmdbk: &'a Arc<Vmdbk>) -> Suspended<'a> {
        let suspended = Suspended { processors, vmdbk, ends: false };
        suspended.hold();
        suspended
    }

    fn hold(&self) {
        self.vmdbk.suspend(true);
        while self.vmdbk.is_run() {
            self.vmdbk.machine().hold();
            thread::sleep(POLL);
        }
    }

    fn let_go(&self) {
        self.vmdbk.suspend(false);
        self.processors.wake(self.vmdbk);
    }

    /// Its checkpoint, once it has come to a point at which there is one: it may go on a little before.
    pub fn checkpoint(&self) -> Result<Checkpoint, Unfit> {
        let iucv = self.vmdbk.iucv().checkpoint(self.vmdbk.id).ok_or(Unfit::Connected("paths of IUCV"))?;
        if self.vmdbk.vmcf().is_authorized(self.vmdbk.id) {
            return Err(Unfit::Connected("VMCF"));
        }
        if self.vmdbk.expanded().is_some() {
            return Err(Unfit::Expanded);
        }
        if self.vmdbk.trace.is_active() {
            return Err(Unfit::Traced);
        }
        let machine = self.vmdbk.machine();
        let began = Instant::now();
        let configuration = loop {
            machine.configuration.attend();
            match machine.configuration.checkpoint() {
                Ok(checkpoint) => break checkpoint,
                Err(error) if !error.is_busy() || began.elapsed() >= PATIENCE => return Err(error.into()),
                Err(CheckpointError::Busy(_)) => {
                    self.let_go();
                    thread::sleep(POLL);
                    self.hold();
                }
                Err(_) => thread::sleep(POLL),
            }
        };
        let now = machine.now();
        let left = |watchdog: &Watchdog| (watchdog.due.micros_since(now), watchdog.commands.clone());
        let watchdog = machine.watchdog().as_ref().map(left);
        Ok(Checkpoint { configuration, watchdog, iucv })
    }

    /// It does not go on any more: it is about to end.
    pub fn end(mut self) {
        self.ends = true;
    }
}

impl Drop for Suspended<'_> {
    fn drop(&mut self) {
        if !self.ends {
            self.let_go();
        }
    }
}

impl Vmdbk {
    /// Goes on from a checkpoint, with the pages of that in its storage. No virtual CPU has been run since it was
    /// reset.
    pub fn resume(&self, from: &Checkpoint, clock: Time) -> Result<(), CheckpointError> {
        let machine = self.machine();
        machine.configuration.resume(&from.configuration, clock)?;
        *machine.watchdog() = from.watchdog.as_ref().map(|(left, commands)| Watchdog {
            due: Tod(machine.now().0.wrapping_add(left << 12)),
            commands: commands.clone(),
        });
        self.iucv().resume(self.id, &from.iucv);
        Ok(())
    }
}
