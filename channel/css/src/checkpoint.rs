//! The channel subsystem in a checkpoint: its subchannels and what is pending, as a value that can be written down.
//!
//! It is taken between channel programs. What a device holds beside its subchannel the device says itself
//! ([`crate::Device::checkpoint`]). A checkpoint goes on in a channel subsystem with the same devices, which may have
//! other subchannels there: they get those of the checkpoint.

use crate::device::Unkept;
use crate::measurement::Monitor;
use crate::subchannel::Subchannel;
use crate::{ChannelSubsystem, Device, Doorbell, Sense};
use arch::io::{Crw, Esw, Pmcw, Scsw};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};

/// Why there is no checkpoint of a channel subsystem, or none that it goes on from.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CheckpointError {
    /// This device is at work: try again.
    #[error("device {0:04X} is at work")]
    Busy(u16),
    /// This device cannot be in a checkpoint.
    #[error("device {0:04X}: {1}")]
    Never(u16, &'static str),
    /// The checkpoint has a device that is not here.
    #[error("the checkpoint has a device {0:04X}, and there is none here")]
    Missing(u16),
    /// The checkpoint has not got this device.
    #[error("device {0:04X} is not in the checkpoint")]
    New(u16),
    /// What the checkpoint says of this device has another form.
    #[error("device {0:04X} is of another kind than in the checkpoint: {1}")]
    Other(u16, String),
    /// The checkpoint speaks of subchannels that it has not got.
    #[error("the checkpoint has no subchannel {0}, of which it speaks")]
    Subchannel(u16),
}

/// What a channel subsystem holds between channel programs.
#[derive(Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    subchannels: Vec<SubchannelCheckpoint>,
    free: VecDeque<u16>,
    /// By subclass: subchannels with an interruption pending.
    queues: [VecDeque<u16>; 8],
    adapters: u8,
    reports: Vec<ReportWord>,
    /// The machine check for them is pending.
    report: bool,
    monitor: Option<Monitor>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ReportWord(#[serde(with = "base::hex")] Crw);

#[derive(Debug, Serialize, Deserialize)]
struct SubchannelCheckpoint {
    /// Its device: the number, and what it holds.
    device: Option<(u16, Value)>,
    #[serde(with = "base::hex")]
    pmcw: Pmcw,
    #[serde(with = "base::hex")]
    scsw: Scsw,
    #[serde(with = "base::hex")]
    esw: Esw,
    #[serde(with = "base::hex")]
    ecw: [u8; 32],
    mba: u64,
    sense: Option<Vec<u8>>,
    queued: bool,
}

impl Subchannel {
    fn checkpoint(&self) -> Result<SubchannelCheckpoint, CheckpointError> {
        let number = self.pmcw.device();
        let device = match &self.device {
            None => None,
            Some(_) if self.run.is_some() || self.ipl => return Err(CheckpointError::Busy(number)),
            Some(device) => match device.checkpoint() {
                Ok(held) => Some((number, held)),
                Err(Unkept::Busy) => return Err(CheckpointError::Busy(number)),
                Err(Unkept::Never(why)) => return Err(CheckpointError::Never(number, why)),
            },
        };
        Ok(SubchannelCheckpoint {
            device,
            pmcw: self.pmcw,
            scsw: self.scsw,
            esw: self.esw,
            ecw: self.ecw,
            mba: self.mba,
            sense: self.sense.map(|sense| sense.bytes().to_vec()),
            queued: self.queued,
        })
    }
}

impl ChannelSubsystem {
    /// What it holds. [`CheckpointError::Busy`]: try again after [`ChannelSubsystem::attend`].
    pub fn checkpoint(&self) -> Result<Checkpoint, CheckpointError> {
        Ok(Checkpoint {
            subchannels: self.subchannels.iter().map(Subchannel::checkpoint).collect::<Result<_, _>>()?,
            free: self.free.clone(),
            queues: self.queues.clone(),
            adapters: self.adapters,
            reports: self.reports.iter().copied().map(ReportWord).collect(),
            report: self.pending.channel_report(),
            monitor: self.monitor,
        })
    }

    /// Goes on from a checkpoint, with the devices that are attached: exactly those of the checkpoint.
    pub fn resume(&mut self, from: &Checkpoint) -> Result<(), CheckpointError> {
        let named = from.free.iter().chain(from.queues.iter().flatten());
        if let Some(&number) = named.max().filter(|&&number| usize::from(number) >= from.subchannels.len()) {
            return Err(CheckpointError::Subchannel(number));
        }
        let attached = self.subchannels.drain(..).filter_map(|s| Some((s.pmcw.device(), (s.device?, s.slow))));
        let mut here: BTreeMap<u16, (Box<dyn Device>, bool)> = attached.collect();
        for (n, saved) in (0u16..).zip(&from.subchannels) {
            let mut subchannel = Subchannel {
                pmcw: saved.pmcw,
                scsw: saved.scsw,
                esw: saved.esw,
                ecw: saved.ecw,
                mba: saved.mba,
                sense: saved.sense.as_deref().map(Sense::of),
                queued: saved.queued,
                ..Subchannel::default()
            };
            if let Some((number, held)) = &saved.device {
                let (mut device, slow) = here.remove(number).ok_or(CheckpointError::Missing(*number))?;
                device.attached(Doorbell { pending: self.pending.clone(), subchannel: n });
                device.resume(held).map_err(|error| CheckpointError::Other(*number, error.to_string()))?;
                (subchannel.device, subchannel.slow) = (Some(device), slow);
            }
            self.subchannels.push(subchannel);
        }
        if let Some(number) = here.keys().next() {
            return Err(CheckpointError::New(*number));
        }
        (self.free, self.queues, self.adapters) = (from.free.clone(), from.queues.clone(), from.adapters);
        self.reports = from.reports.iter().map(|word| word.0).collect();
        self.monitor = from.monitor;
        self.pending.restore_report(from.report);
        self.show_iscs();
        // Each device looks whether something has come for it meanwhile.
        for n in 0..self.subchannels.len() as u16 {
            Doorbell { pending: self.pending.clone(), subchannel: n }.ring();
        }
        Ok(())
    }
}
