//! Records for the one virtual machine that collects them: what *ACCOUNT, *LOGREC and *SYMPTOM give.
//!
//! A record waits until a path has room for it. One that was on a path and had not been received when the path ended
//! waits again, before the others.

use crate::service::Service;
use crate::{Data, Disk, Iucv, Path, Peer, Stage};
use std::collections::VecDeque;

/// How many records of a kind wait at most, whatever RECORDING says.
pub const MOST: usize = 65_536;

/// The kinds of records as RECORDING names them, and the services that have them.
pub const KINDS: [(&str, Service); 3] =
    [("ACCOUNT", Service::Account), ("EREP", Service::Logrec), ("SYMPTOM", Service::Symptom)];

/// At how many records of a kind the operator is first told, if RECORDING LIMIT does not say.
fn usual_limit(service: Service) -> usize {
    if service == Service::Account { 20 } else { 2 }
}

/// Records of one kind.
struct Queue {
    service: Service,
    on: bool,
    limit: Option<usize>,
    waiting: VecDeque<Vec<u8>>,
    lost: u64,
}

/// Records that have not been collected.
pub struct Records([Queue; KINDS.len()]);

impl Default for Records {
    fn default() -> Records {
        let queue = |(_, service)| {
            let (waiting, lost) = (VecDeque::new(), 0);
            Queue { service, on: true, limit: Some(usual_limit(service)), waiting, lost }
        };
        Records(KINDS.map(queue))
    }
}

impl Records {
    fn of(&self, service: Service) -> Option<&Queue> {
        self.0.iter().find(|queue| queue.service == service)
    }

    fn of_mut(&mut self, service: Service) -> Option<&mut Queue> {
        self.0.iter_mut().find(|queue| queue.service == service)
    }
}

/// What became of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// It was collected, waits, or is not wanted (RECORDING OFF).
    Yes,
    /// It waits, and so many do: the limit, or a multiple of it.
    AtLimit(usize),
    /// There is no room for it, the first of those that are lost.
    Lost,
}

/// How recording stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recording {
    /// New records are kept.
    pub on: bool,
    /// Records that wait.
    pub count: usize,
    /// The operator is told of so many; `None`: never.
    pub limit: Option<usize>,
    /// Records for which there was no room since records were last collected.
    pub lost: u64,
    /// The user that is connected.
    pub collector: Option<String>,
}

impl<D: Disk> Iucv<D> {
    /// A record, for the virtual machine that collects those of `service`.
    pub fn keep(&mut self, service: Service, record: Vec<u8>) -> Kept {
        let Some(queue) = self.records.of_mut(service).filter(|queue| queue.on) else { return Kept::Yes };
        if queue.waiting.len() >= MOST {
            queue.lost += 1;
            return if queue.lost == 1 { Kept::Lost } else { Kept::Yes };
        }
        queue.waiting.push_back(record);
        self.feed(service);
        let Some(queue) = self.records.of(service) else { return Kept::Yes };
        let count = queue.waiting.len();
        match queue.limit {
            Some(limit) if count > 0 && count.is_multiple_of(limit) => Kept::AtLimit(count),
            _ => Kept::Yes,
        }
    }

    /// How recording for a service stands.
    pub fn recording(&self, service: Service) -> Recording {
        let collector = self.connected_to(service).and_then(|(id, _)| self.members.get(&id));
        let collector = collector.map(|member| member.user.userid.clone());
        let queue = self.records.of(service);
        Recording {
            on: queue.is_some_and(|queue| queue.on),
            count: queue.map_or(0, |queue| queue.waiting.len()),
            limit: queue.and_then(|queue| queue.limit),
            lost: queue.map_or(0, |queue| queue.lost),
            collector,
        }
    }

    /// RECORDING ON and OFF: whether new records of a service are kept.
    pub fn record(&mut self, service: Service, on: bool) {
        if let Some(queue) = self.records.of_mut(service) {
            queue.on = on;
        }
    }

    /// RECORDING LIMIT: of how many records the operator is told; `None`: never.
    pub fn limit_records(&mut self, service: Service, limit: Option<usize>) {
        if let Some(queue) = self.records.of_mut(service) {
            queue.limit = limit.map(|limit| limit.max(1));
        }
    }

    /// Forgets the records that wait for a service.
    pub fn purge_records(&mut self, service: Service) {
        if let Some(queue) = self.records.of_mut(service) {
            queue.waiting.clear();
            queue.lost = 0;
        }
    }

    /// The records that wait for a service, in their order: for the next system.
    pub fn waiting_records(&self, service: Service) -> Vec<Vec<u8>> {
        self.records.of(service).map_or(Vec::new(), |queue| queue.waiting.iter().cloned().collect())
    }

    /// Sends what a service has kept for as long as its path has room.
    pub(crate) fn feed(&mut self, service: Service) {
        if !service.is_exclusive() {
            return;
        }
        let Some((id, number)) = self.connected_to(service) else { return };
        while let Some(path) = self.path(id, number)
            && path.stage == Stage::Open
            && !path.quiesced
            && path.incoming.len() < usize::from(path.limit)
            && let Some(queue) = self.records.of_mut(service)
            && let Some(record) = queue.waiting.pop_front()
        {
            queue.lost = 0;
            self.speak(id, number, 0, record);
        }
    }

    /// A path to a service ends: what had not been received from it waits again.
    pub(crate) fn take_back_records(&mut self, path: Path<D>) {
        let Peer::Service(service) = path.peer else { return };
        let Some(queue) = self.records.of_mut(service) else { return };
        let mut messages: Vec<_> = path.incoming.into_values().collect();
        messages.sort_by_key(|message| std::cmp::Reverse(message.order));
        for message in messages {
            if let Data::Control(record) = message.data {
                queue.waiting.push_front(record);
            }
        }
    }
}
