//! CP's ends of paths: the system services.
//!
//! * `*MSG`: what other users and CP say to this one, if SET MSG, SET WNG or SET SMSG says IUCV.
//! * `*MSGALL`: the same, whether or not.
//! * `*ACCOUNT`, `*LOGREC`, `*SYMPTOM`: records for the one virtual machine that collects them.
//! * `*BLOCKIO`: disks in blocks ([`block`](crate::block)).
//! * `*TCPIP`: sockets ([`server`](crate::server)).
//! * `*MONITOR`: where monitor records are ([`monitor`](crate::monitor)).
//! * `*IDENT`: makes the virtual machine the owner of a resource, to which others connect by its name.

use crate::{Data, Disk, Iucv, Message, Peer, Stage};
use std::collections::VecDeque;

/// A system service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Service {
    /// `*MSG`: what users and CP say to this one, where SET says IUCV.
    Messages,
    /// `*MSGALL`: the same, whatever SET says.
    AllMessages,
    /// `*ACCOUNT`: accounting records.
    Account,
    /// `*LOGREC`: error records.
    Logrec,
    /// `*SYMPTOM`: symptom records.
    Symptom,
    /// `*IDENT`: makes the virtual machine the owner of a resource.
    Identify,
    /// `*BLOCKIO`: a disk in blocks.
    BlockIo,
    /// `*TCPIP`: sockets.
    Tcpip,
    /// `*MONITOR`: where monitor records are.
    Monitor,
}

/// The name of the service for blocks of disks.
pub const BLOCK_IO: &str = "*BLOCKIO";
/// The name of the service for monitor records.
pub const MONITOR: &str = "*MONITOR";

/// The name of the service for sockets.
pub const TCPIP: &str = "*TCPIP";

impl Service {
    /// The service of this name.
    pub fn named(name: &str) -> Option<Service> {
        Some(match name {
            "*MSG" => Service::Messages,
            "*MSGALL" => Service::AllMessages,
            "*ACCOUNT" => Service::Account,
            "*LOGREC" => Service::Logrec,
            "*SYMPTOM" => Service::Symptom,
            "*IDENT" => Service::Identify,
            BLOCK_IO => Service::BlockIo,
            TCPIP => Service::Tcpip,
            MONITOR => Service::Monitor,
            _ => return None,
        })
    }

    /// Whether a virtual machine may have several paths to it.
    pub(crate) fn takes_many(self) -> bool {
        matches!(self, Service::Identify | Service::Tcpip)
    }

    /// Whether one virtual machine at a time may be connected.
    pub fn is_exclusive(self) -> bool {
        matches!(self, Service::Account | Service::Logrec | Service::Symptom)
    }
}

/// What kind of line a message of *MSG is: its class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Line {
    /// MESSAGE.
    Message = 1,
    /// WARNING.
    Warning = 2,
    /// SMSG.
    Special = 4,
}

/// How many records of a kind are kept until they are collected.
const KEPT: usize = 4096;

/// Records that have not been collected.
#[derive(Default)]
pub struct Records {
    /// RECORDING OFF: new records of these services are not kept.
    stopped: Vec<Service>,
    account: VecDeque<Vec<u8>>,
}

impl<D: Disk> Iucv<D> {
    /// The member that is connected to an exclusive service, and its path.
    pub(crate) fn connected_to(&self, service: Service) -> Option<(u32, u16)> {
        self.members.iter().find_map(|(&id, member)| {
            let path = member.paths.iter().find(|(_, path)| path.peer == Peer::Service(service));
            path.map(|(&number, _)| (id, number))
        })
    }

    /// A line of *MSG or *MSGALL for a virtual machine: `from` in eight characters and the text. Whether there was a
    /// path.
    pub fn line(&mut self, id: u32, kind: Line, from: &str, text: &str, all: bool) -> bool {
        let Some(member) = self.members.get(&id) else { return false };
        let service = if all { Service::AllMessages } else { Service::Messages };
        let path = member.paths.iter().find(|(_, path)| path.peer == Peer::Service(service));
        let Some((&number, path)) = path else { return false };
        if path.quiesced || path.incoming.len() >= usize::from(path.limit) {
            return false;
        }
        let mut data = base::ebcdic::padded::<8>(from).to_vec();
        data.extend(base::ebcdic::from_str(text));
        self.speak(id, number, kind as u32, data);
        true
    }

    /// An accounting record, for the virtual machine that collects them.
    pub fn account(&mut self, record: Vec<u8>) {
        if self.records.stopped.contains(&Service::Account) {
            return;
        }
        if self.records.account.len() >= KEPT {
            self.records.account.pop_front();
        }
        self.records.account.push_back(record);
        self.feed(Service::Account);
    }

    /// Whether records of a service are kept, how many wait, and which user collects them.
    pub fn recording(&self, service: Service) -> (bool, usize, Option<String>) {
        let collector = self.connected_to(service).and_then(|(id, _)| self.members.get(&id));
        let count = if service == Service::Account { self.records.account.len() } else { 0 };
        (!self.records.stopped.contains(&service), count, collector.map(|member| member.user.userid.clone()))
    }

    /// RECORDING: whether new records of a service are kept. There are none but those of accounting.
    pub fn record(&mut self, service: Service, on: bool) {
        self.records.stopped.retain(|stopped| *stopped != service);
        if !on {
            self.records.stopped.push(service);
        }
    }

    /// Forgets the records that wait for a service.
    pub fn purge_records(&mut self, service: Service) {
        if service == Service::Account {
            self.records.account.clear();
        }
    }

    /// Sends what a service has kept for as long as its path has room.
    pub(crate) fn feed(&mut self, service: Service) {
        if service != Service::Account {
            return;
        }
        let Some((id, number)) = self.connected_to(service) else { return };
        while let Some(path) = self.path(id, number)
            && path.stage == Stage::Open
            && !path.quiesced
            && path.incoming.len() < usize::from(path.limit)
            && let Some(record) = self.records.account.pop_front()
        {
            self.speak(id, number, 0, record);
        }
    }

    fn speak(&mut self, id: u32, path: u16, class: u32, data: Vec<u8>) {
        let message = Message {
            order: self.order(),
            priority: false,
            one_way: true,
            class,
            source_class: 0,
            tag: 0,
            data: Data::Control(data),
            received: 0,
            is_received: false,
            answer: None,
            answer_length: 0,
        };
        self.deliver(id, path, message);
    }
}
