//! What a virtual machine has with IUCV, in a checkpoint: its buffers, and paths at whose other end CP is.
//!
//! A path to another virtual machine, to a disk or to records leads to what has gone on meanwhile: with one of these
//! there is no checkpoint. *MSG and *MSGALL are the same in any system. Linux is connected to *MSG from its start.

use crate::service::Service;
use crate::{Buffer, Disk, Iucv, Path, Peer, Stage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Buffers and paths of a virtual machine.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Checkpoint {
    /// By virtual CPU.
    buffers: BTreeMap<u16, Buffer>,
    /// By number.
    paths: BTreeMap<u16, LinePath>,
}

/// A path to *MSG or *MSGALL.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct LinePath {
    all: bool,
    limit: u16,
    priority: bool,
    takes_parameter_data: bool,
    quiesced: bool,
}

impl LinePath {
    fn of<D>(path: &Path<D>) -> Option<LinePath> {
        let all = match path.peer {
            Peer::Service(Service::Messages) => false,
            Peer::Service(Service::AllMessages) => true,
            _ => return None,
        };
        let rests = path.stage == Stage::Open && path.incoming.is_empty() && path.outstanding == 0;
        rests.then_some(LinePath {
            all,
            limit: path.limit,
            priority: path.priority,
            takes_parameter_data: path.takes_parameter_data,
            quiesced: path.quiesced,
        })
    }

    fn path<D>(&self) -> Path<D> {
        let service = if self.all { Service::AllMessages } else { Service::Messages };
        Path {
            limit: self.limit,
            priority: self.priority,
            takes_parameter_data: self.takes_parameter_data,
            quiesced: self.quiesced,
            ..Path::empty(Peer::Service(service), Stage::Open)
        }
    }
}

impl<D: Disk> Iucv<D> {
    /// What a virtual machine has. `None`: messages are on their way, or it has paths that lead elsewhere.
    pub fn checkpoint(&self, id: u32) -> Option<Checkpoint> {
        let Some(member) = self.members.get(&id) else { return Some(Checkpoint::default()) };
        if !member.control.is_empty() {
            return None;
        }
        let paths = member.paths.iter().map(|(&number, path)| Some((number, LinePath::of(path)?)));
        Some(Checkpoint { buffers: member.buffers.clone(), paths: paths.collect::<Option<_>>()? })
    }

    /// A virtual machine that has nothing goes on with what it had.
    pub fn resume(&mut self, id: u32, from: &Checkpoint) {
        if let Some(member) = self.member(id) {
            member.buffers = from.buffers.clone();
            member.paths = from.paths.iter().map(|(&number, path)| (number, path.path())).collect();
        }
    }
}
