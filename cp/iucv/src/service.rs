//! CP's ends of paths: the system services.
//!
//! * `*MSG`: what other users and CP say to this one, if SET MSG, SET WNG or SET SMSG says IUCV.
//! * `*MSGALL`: the same, whether or not.
//! * `*ACCOUNT`, `*LOGREC`, `*SYMPTOM`: [records](crate::records) for the one virtual machine that collects
//!   them.
//! * `*BLOCKIO`: disks in blocks ([`block`](crate::block)).
//! * `*TCPIP`: sockets ([`server`](crate::server)).
//! * `*MONITOR`: where monitor records are ([`monitor`](crate::monitor)).
//! * `*IDENT`: makes the virtual machine the owner of a resource, to which others connect by its name.

use crate::{Data, Disk, Iucv, Message, Peer};

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

    /// A one-way message of CP's own.
    pub(crate) fn speak(&mut self, id: u32, path: u16, class: u32, data: Vec<u8>) {
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
