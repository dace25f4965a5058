//! A configuration in a checkpoint: everything but its storage, as a value that can be written down.
//!
//! It is taken while no CPU is run and nothing else calls the configuration. Another configuration of the same make
//! goes on from it, with the same pages in its storage: its program notices nothing, or nothing but
//! the clock.

use crate::Configuration;
use crate::ipl::IplParameters;
use crate::sclp::ServiceElement;
use base::Held;
use cpu::{External, Notice, WrappingKeys};
use serde::{Deserialize, Serialize};
use std::sync::atomic::Ordering::SeqCst;

/// Why there is no checkpoint of a configuration, or none that it goes on from.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CheckpointError {
    /// This CPU is in the middle of something: try again.
    #[error("CPU {0:02X} is at work")]
    Busy(u16),
    /// A device stands in the way.
    #[error(transparent)]
    Device(#[from] css::CheckpointError),
    /// Pages of others are attached to its storage.
    #[error("it has a saved segment, whose pages are not its own")]
    Attached,
    /// Storage or CPUs are others than in the checkpoint: what, there and here.
    #[error("the checkpoint has {0} {1}, this virtual machine has {2}")]
    Other(&'static str, u64, u64),
    /// A facility that its program may use is not there.
    #[error("the checkpoint's processor has facility {0}, which the processor here has not got")]
    Facility(usize),
    /// A prefix area is not in storage.
    #[error("CPU {0:02X} has its prefix area outside its storage")]
    Prefix(u16),
}

impl CheckpointError {
    /// Whether it may go at another time.
    pub fn is_busy(&self) -> bool {
        matches!(self, CheckpointError::Busy(_) | CheckpointError::Device(css::CheckpointError::Busy(_)))
    }
}

/// What the TOD clock of a configuration shows that goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Time {
    /// What it showed when the checkpoint was made: the program notices nothing, and finds that it is late when it asks
    /// others for the time.
    AsItWas,
    /// The time of the host, which has gone on meanwhile: for the program all of that has passed in one moment.
    AsTheHosts,
}

/// What a configuration holds beside its storage.
#[derive(Serialize, Deserialize)]
pub struct Checkpoint {
    storage: u64,
    /// What STFLE stores.
    facilities: [u64; 4],
    /// By address; `None`: not defined.
    cpus: Vec<Option<cpu::checkpoint::Checkpoint>>,
    /// What its TOD clock showed, and how far that was before the host's.
    tod: u64,
    tod_offset: u64,
    #[serde(with = "base::hex")]
    wrapping: WrappingKeys,
    channels: css::Checkpoint,
    service: ServiceElement,
    ipl: IplParameters,
    external: Vec<External>,
    machine_check: u64,
    /// What programs are to be told still of pages that they miss.
    #[serde(default)]
    awaited: Vec<Notice>,
}

impl Configuration {
    /// What it holds beside its storage. If that [is busy](CheckpointError::is_busy), try again after
    /// [`Configuration::attend`]; if CPUs are, after they have run.
    pub fn checkpoint(&self) -> Result<Checkpoint, CheckpointError> {
        if self.storage().has_attached() {
            return Err(CheckpointError::Attached);
        }
        let cpu = |n: u16| match self.is_defined(n) {
            false => Ok(None),
            true => self.cpu(n).state.checkpoint().map(Some).ok_or(CheckpointError::Busy(n)),
        };
        let cpus = (0..self.max_cpus()).map(cpu).collect::<Result<_, _>>()?;
        // A signal without its event does no harm, an event without its signal is not seen. So events come first.
        let service = self.service.lock().held().clone();
        let channels = self.css().checkpoint()?;
        let (external, awaited, machine_check) = self.shared.floating.pending();
        Ok(Checkpoint {
            storage: self.storage().size(),
            facilities: self.shared.facilities.consistent().0,
            cpus,
            tod: self.now().0.wrapping_add(self.shared.tod_offset.load(SeqCst)),
            tod_offset: self.shared.tod_offset.load(SeqCst),
            wrapping: self.shared.wrapping.keys(),
            channels,
            service,
            ipl: self.ipl.lock().held().clone(),
            external,
            machine_check,
            awaited,
        })
    }

    /// Goes on from a checkpoint, after a clear reset, when the pages of that are in its storage. CPUs that are not
    /// stopped there want to be run.
    pub fn resume(&self, from: &Checkpoint, clock: Time) -> Result<(), CheckpointError> {
        let other = |what, there: u64, here: u64| match there == here {
            true => Ok(()),
            false => Err(CheckpointError::Other(what, there, here)),
        };
        other("bytes of storage:", from.storage, self.storage().size())?;
        other("CPU addresses:", from.cpus.len() as u64, self.max_cpus().into())?;
        let here = self.shared.facilities.consistent();
        let saved = cpu::Facilities(from.facilities);
        if let Some(bit) = (0..256).find(|&bit| saved.has(bit) && !here.has(bit)) {
            return Err(CheckpointError::Facility(bit as usize));
        }
        self.shared.tod_offset.store(
            match clock {
                Time::AsItWas => from.tod.wrapping_sub(self.now().0),
                Time::AsTheHosts => from.tod_offset,
            },
            SeqCst,
        );
        self.shared.wrapping.replace(from.wrapping);
        for (n, saved) in (0u16..).zip(&from.cpus) {
            self.define_cpu(n, saved.is_some());
            if let Some(saved) = saved {
                let mut core = self.interrupted_cpu(n);
                core.state.reported = cpu::Facilities(from.facilities);
                core.state.resume(saved).map_err(|_| CheckpointError::Prefix(n))?;
                self.cpus[usize::from(n)].stopped.store(core.state.stopped, SeqCst);
            }
        }
        *self.service.lock().held() = from.service.clone();
        *self.ipl.lock().held() = from.ipl.clone();
        self.shared.floating.set_pending(&from.external, from.machine_check);
        for cpu in self.shared.floating.have_come(&from.awaited) {
            let signals = self.shared.signals.get(usize::from(cpu));
            signals.into_iter().for_each(|signals| signals.raise(cpu::attention::PSEUDO_PAGE_FAULT));
        }
        self.css().resume(&from.channels)?;
        self.raise_all(self.shared.floating.attention());
        Ok(())
    }
}
