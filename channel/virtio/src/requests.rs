//! Devices whose driver puts requests into one queue, each with room for its answer: disks, shared folders.
//!
//! The host may take its time over a request. So a request goes to a [`Desk`], where a thread of the host's waits for
//! it, and the virtual CPU goes on. The answer rings the device's bell.

use crate::ring::{Broken, Chain};
use crate::transport::{Cause, Model, Queues};
use base::Held;
use css::{Doorbell, Unkept};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// Bytes of requests and answers that are on their way, at most; the last of them may have more.
const MOST: usize = 8 << 20;
/// What a request counts for beside its bytes.
const EACH: usize = 256;

/// What answers requests, one after another.
pub trait Service {
    /// The answer to a request, of at most `room` bytes.
    fn answer(&mut self, request: &[u8], room: usize, answer: &mut Vec<u8>);

    /// The driver begins anew: nothing is left of what was before.
    fn reset(&mut self) {}
}

/// Which request it is, and since which reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ticket {
    round: u64,
    slot: usize,
}

enum Job {
    Reset,
    Request { ticket: Ticket, bytes: Vec<u8>, room: usize },
}

#[derive(Default)]
struct Work {
    jobs: VecDeque<Job>,
    answers: Vec<(Ticket, Vec<u8>)>,
    bell: Option<Doorbell>,
    round: u64,
    /// There were requests since the last reset.
    used: bool,
    closed: bool,
    /// Buffers to use again.
    spare: Vec<Vec<u8>>,
}

impl Work {
    fn buffer(&mut self) -> Vec<u8> {
        let mut buffer = self.spare.pop().unwrap_or_default();
        buffer.clear();
        buffer
    }

    fn give_back(&mut self, buffer: Vec<u8>) {
        if self.spare.len() < 8 {
            self.spare.push(buffer);
        }
    }

    fn reset(&mut self) {
        self.round += 1;
        self.jobs.clear();
        self.answers.clear();
        if std::mem::take(&mut self.used) {
            self.jobs.push_back(Job::Reset);
        }
    }
}

/// Where a device leaves its requests, and finds the answers. It stays when the virtual machine gets other hardware.
#[derive(Default)]
pub struct Desk {
    work: Mutex<Work>,
    come: Condvar,
}

impl Desk {
    /// A desk without a device.
    pub fn new() -> Arc<Desk> {
        Arc::default()
    }

    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().held()
    }

    /// Answers requests on the caller's thread until the desk is closed.
    pub fn serve(&self, service: &mut dyn Service) {
        loop {
            let mut work = self.lock();
            let job = loop {
                if work.closed {
                    return;
                }
                match work.jobs.pop_front() {
                    Some(job) => break job,
                    None => work = self.come.wait(work).held(),
                }
            };
            drop(work);
            self.perform(job, service);
        }
    }

    /// Answers the requests that are there on the caller's thread.
    pub fn serve_now(&self, service: &mut dyn Service) {
        loop {
            let job = self.lock().jobs.pop_front();
            match job {
                Some(job) => self.perform(job, service),
                None => return,
            }
        }
    }

    fn perform(&self, job: Job, service: &mut dyn Service) {
        let Job::Request { ticket, bytes, room } = job else { return service.reset() };
        let mut answer = self.lock().buffer();
        service.answer(&bytes, room, &mut answer);
        answer.truncate(room);
        let mut work = self.lock();
        work.give_back(bytes);
        let rings = ticket.round == work.round && work.answers.is_empty();
        if ticket.round == work.round {
            work.answers.push((ticket, answer));
        }
        let bell = work.bell.clone().filter(|_| rings);
        drop(work);
        if let Some(bell) = bell {
            bell.ring();
        }
    }

    /// No request is answered any more.
    pub fn close(&self) {
        self.lock().closed = true;
        self.come.notify_all();
    }
}

/// What such a device is to its driver.
#[derive(Clone, Debug)]
pub struct About {
    /// Its [kind](arch::virtio::kind).
    pub kind: u8,
    /// The most descriptors of its queue.
    pub queue: &'static [u16; 1],
    /// Its features.
    pub features: u64,
    /// Its configuration.
    pub config: Vec<u8>,
    /// The longest request, and the longest answer.
    pub longest: usize,
    /// No request needs to know of another: a checkpoint has nothing to say of them.
    pub stateless: bool,
}

/// The model of such a device.
pub struct Requests {
    about: About,
    desk: Arc<Desk>,
    round: u64,
    /// Requests on their way, and places for more: a chain, and how many bytes it counts for.
    slots: Vec<(Chain, usize)>,
    free: Vec<usize>,
    /// Bytes that are on their way.
    under_way: usize,
}

impl Requests {
    /// A device whose requests go to this desk.
    pub fn new(about: About, desk: Arc<Desk>) -> Requests {
        Requests { about, desk, round: 0, slots: Vec::new(), free: Vec::new(), under_way: 0 }
    }

    /// Forgets what is on its way.
    fn forget(&mut self) {
        let mut work = self.desk.lock();
        work.reset();
        self.round = work.round;
        drop(work);
        self.desk.come.notify_all();
        self.free = (0..self.slots.len()).collect();
        self.under_way = 0;
    }

    /// Hands the driver what was answered.
    fn hand_out(&mut self, queues: &mut Queues<'_>) -> Result<(), Broken> {
        let answers = std::mem::take(&mut self.desk.lock().answers);
        if answers.is_empty() {
            return Ok(());
        }
        let storage = queues.storage;
        for (ticket, answer) in &answers {
            let (chain, weight) = &self.slots[ticket.slot];
            let length = chain.write(storage, 0, answer)?;
            queues.queue(0).put(storage, chain, length as u32)?;
            self.under_way -= weight;
            self.free.push(ticket.slot);
        }
        let mut work = self.desk.lock();
        answers.into_iter().for_each(|(_, answer)| work.give_back(answer));
        drop(work);
        queues.publish(0)
    }

    /// Takes what the driver asks for, as much as may be on its way.
    fn take_in(&mut self, queues: &mut Queues<'_>) -> Result<(), Broken> {
        let storage = queues.storage;
        let mut some = false;
        while self.under_way < MOST {
            let slot = self.free.pop().unwrap_or_else(|| {
                self.slots.push((Chain::default(), 0));
                self.slots.len() - 1
            });
            let (chain, weight) = &mut self.slots[slot];
            if !queues.take(0, chain)? {
                self.free.push(slot);
                break;
            }
            let longest = self.about.longest as u64;
            let (length, room) = (chain.readable(), chain.writable());
            if length > longest || room > longest {
                return Err(Broken);
            }
            let room = room as usize;
            let mut work = self.desk.lock();
            let mut bytes = work.buffer();
            chain.read(storage, 0, &mut bytes)?;
            *weight = bytes.len() + room + EACH;
            self.under_way += *weight;
            let ticket = Ticket { round: self.round, slot };
            work.jobs.push_back(Job::Request { ticket, bytes, room });
            (work.used, some) = (true, true);
        }
        if some {
            self.desk.come.notify_one();
        }
        Ok(())
    }
}

impl Drop for Requests {
    fn drop(&mut self) {
        // Another device may be at the desk by now.
        if self.desk.lock().round == self.round {
            self.forget();
        }
    }
}

impl Model for Requests {
    fn kind(&self) -> u8 {
        self.about.kind
    }

    fn queues(&self) -> &'static [u16] {
        self.about.queue
    }

    fn features(&self) -> u64 {
        self.about.features
    }

    fn config(&self) -> Vec<u8> {
        self.about.config.clone()
    }

    fn attached(&mut self, bell: &Doorbell) {
        self.desk.lock().bell = Some(bell.clone());
        self.forget();
    }

    fn stop(&mut self) {
        self.forget();
    }

    fn checkpoint(&self) -> Result<Value, Unkept> {
        match self.desk.lock().used && !self.about.stateless {
            true => Err(Unkept::Never("what the guest has open in a folder of --share cannot be saved")),
            false if self.under_way != 0 => Err(Unkept::Busy),
            false => Ok(Value::Null),
        }
    }

    fn serve(&mut self, _: Cause, queues: &mut Queues<'_>) -> Result<(), Broken> {
        self.hand_out(queues)?;
        self.take_in(queues)
    }
}
