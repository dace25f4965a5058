//! *MONITOR: paths by which CP tells programs where monitor records are. What is told, and when, is the crate
//! `monitor`'s.

use crate::service::Service;
use crate::{Answer, Data, Disk, Iucv, List, Message, Peer, Stage, code, flag, kind};

impl<D: Disk> Iucv<D> {
    /// CONNECT to *MONITOR. `verdict` is IPUSER of the answer: the path is there, or CP severs it at once.
    pub fn connect_monitor(&mut self, id: u32, list: &mut List, verdict: Result<[u8; 16], [u8; 16]>) -> Answer {
        let answer = self.connect(id, list)?;
        let number = list.path();
        let member = self.member(id).ok_or(code::NO_BUFFER)?;
        let complete = |list: &&mut List| list.path() == number && list.kind() == kind::CONNECTION_COMPLETE;
        match verdict {
            Ok(user) => member.control.iter_mut().filter(complete).for_each(|list| list.set_user(user)),
            Err(user) => self.sever_by_control(id, number, user),
        }
        Ok(answer)
    }

    /// Whether a CONNECT is such that messages of eight bytes may come on the path.
    pub fn takes_parameter_data(list: &List) -> bool {
        list.flags() & flag::PARAMETER_DATA != 0
    }

    /// Whether a path leads to *MONITOR.
    pub fn is_monitored(&self, id: u32, number: u16) -> bool {
        let path = self.members.get(&id).and_then(|member| member.paths.get(&number));
        path.is_some_and(|path| path.peer == Peer::Service(Service::Monitor) && path.stage == Stage::Open)
    }

    /// Whether a virtual machine has a path to *MONITOR.
    pub fn reads_monitor(&self, id: u32) -> bool {
        let monitored =
            |member: &crate::Member<D>| member.paths.values().any(|path| path.peer == Peer::Service(Service::Monitor));
        self.members.get(&id).is_some_and(monitored)
    }

    /// A message of eight bytes, which is to be replied to; its number. `None`: the path has gone, or as many messages
    /// are on it as it may have.
    pub fn tell_monitored(&mut self, id: u32, number: u16, class: u32, data: [u8; 8]) -> Option<u32> {
        if !self.is_monitored(id, number) {
            return None;
        }
        let path = self.path(id, number)?;
        if path.incoming.len() >= usize::from(path.limit) {
            return None;
        }
        let message = Message {
            order: self.order(),
            priority: false,
            one_way: false,
            class,
            source_class: 0,
            tag: 0,
            data: Data::Parameter(data),
            received: 0,
            is_received: false,
            answer: None,
            answer_length: 0,
        };
        Some(self.deliver(id, number, message))
    }

    /// Whether a message has not been replied to, nor rejected.
    pub fn awaits(&self, id: u32, number: u16, message: u32) -> bool {
        let path = self.members.get(&id).and_then(|member| member.paths.get(&number));
        path.is_some_and(|path| path.incoming.contains_key(&message))
    }

    /// CP severs a path, whose program is told with these bytes of IPUSER.
    pub fn sever_by_control(&mut self, id: u32, number: u16, user: [u8; 16]) {
        let Some(member) = self.members.get_mut(&id) else { return };
        let Some(path) = member.paths.get_mut(&number) else { return };
        path.stage = Stage::Severed;
        path.outstanding = 0;
        path.incoming.clear();
        member.forget(number);
        let mut severed = List::default();
        severed.set_path(number);
        severed.set_kind(kind::SEVERED);
        severed.set_user(user);
        self.control(id, severed);
    }
}
