//! A LAN channel station, as the 3172 and the OSA-2 were: what old systems' TCP/IP and Linux's driver `lcs` drive.
//!
//! A station is two devices. Blocks of messages and frames of Ethernet go out by WRITE of the odd one, and come by READ
//! of the even one. A READ waits until there is something, and then gets all that a block has room for. The host says
//! by STARTUP how long its blocks are, and by STARTLAN that it wants frames.
//!
//! What is wrong in a block ends it: what precedes was done, and the rest is counted as wrong.

use arch::io::{DeviceStatus, SenseId, command as basic};
use arch::lcs::{Assists, BlockHead, Message, STATION, Statistics, content, message};
use base::Held;
use css::{Command, Data, Device, Doorbell, Outcome, Reset, Sense};
use net::{LONGEST, Mac, SHORTEST, Takes};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use virtio::Cable;
use zerocopy::{FromBytes, IntoBytes};

/// Sense bytes.
const SENSE_BYTES: usize = 32;
/// Commands.
const WRITE: u8 = 0x01;
const READ: u8 = 0x02;
/// How long a block is until the host says it, and the shortest that it may say.
const BLOCK: u16 = 0x5000;
const SHORTEST_BLOCK: u16 = 0x800;
/// The longest block that a host writes.
const LONGEST_BLOCK: usize = 0xffff;
/// Messages that wait for the host to read them. One that reads none gets no more.
const WAITING: usize = 64;
const HEAD: usize = size_of::<BlockHead>();
/// What ends a block: a head that names no next one.
const END: [u8; 2] = [0, 0];
/// How a message went.
mod outcome {
    /// The link is down.
    pub(super) const LAN_OFFLINE: u16 = 0xe080;
    /// The station does not know it.
    pub(super) const NOT_SUPPORTED: u16 = 0x0004;
}

/// What one of the two devices is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Read,
    Write,
}

/// What went through the station.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counters {
    /// Frames from blocks, and frames into blocks.
    sent: u32,
    received: u32,
    /// What was wrong in blocks.
    wrong: u32,
    /// Frames while the host was on no LAN.
    lost: u32,
    /// Frames that no block has room for.
    too_long: u32,
}

/// What both devices have in common.
struct Station {
    cable: Arc<Cable>,
    mac: Mac,
    bell: Option<Doorbell>,
    /// The host has said STARTLAN, and the link is up as far as it knows.
    started: bool,
    told_up: bool,
    block: u16,
    /// Messages for the host, each with its head.
    answers: VecDeque<Vec<u8>>,
    /// A frame that had no room in the last block.
    waits: Option<Vec<u8>>,
    counters: Counters,
}

/// The devices of a station with this address at the end of `cable`: read, write.
pub fn devices(cable: &Arc<Cable>, mac: Mac) -> [Box<dyn Device>; 2] {
    let station = Arc::new(Mutex::new(Station {
        cable: cable.clone(),
        mac,
        bell: None,
        started: false,
        told_up: false,
        block: BLOCK,
        answers: VecDeque::new(),
        waits: None,
        counters: Counters::default(),
    }));
    [Role::Read, Role::Write].map(|role| Box::new(LcsDevice { role, station: station.clone() }) as Box<dyn Device>)
}

/// Adds to a block: a head and what follows it.
fn add(block: &mut Vec<u8>, kind: u8, content: &[u8]) {
    let next = (block.len() + HEAD + content.len()) as u16;
    block.extend_from_slice(BlockHead { next: next.into(), kind, port: 0 }.as_bytes());
    block.extend_from_slice(content);
}

impl Station {
    /// WRITE: a block of messages and frames.
    fn write(&mut self, data: &mut Data<'_>) -> Outcome {
        let block = data.fetch_up_to(LONGEST_BLOCK);
        if !data.ok() {
            return Outcome::ENDED;
        }
        let mut at = 0;
        while let Ok((head, _)) = BlockHead::ref_from_prefix(&block[at..]) {
            let next = usize::from(head.next.get());
            if next == 0 {
                break;
            }
            let content = block.get(at + HEAD..next);
            let done = match (head.kind, content) {
                (content::MESSAGE, Some(bytes)) => self.message(bytes),
                (content::ETHERNET, Some(frame)) if (SHORTEST..=LONGEST).contains(&frame.len()) => {
                    self.send(frame);
                    true
                }
                _ => false,
            };
            if !done {
                self.counters.wrong += 1;
                break;
            }
            at = next;
        }
        if let Some(bell) = self.bell.as_ref().filter(|_| !self.answers.is_empty()) {
            bell.ring();
        }
        Outcome::ENDED
    }

    fn send(&mut self, frame: &[u8]) {
        match self.cable.port().filter(|_| self.started) {
            Some(port) => {
                port.send(frame);
                self.counters.sent += 1;
            }
            None => self.counters.lost += 1,
        }
    }

    /// A message of the host's. False: it is none, or too many answers wait.
    fn message(&mut self, bytes: &[u8]) -> bool {
        let Ok((mut answer, rest)) = Message::read_from_prefix(bytes) else { return false };
        let mut rest = rest.to_vec();
        if answer.command == message::STARTUP {
            self.stop();
        }
        if self.answers.len() >= WAITING {
            return false;
        }
        let done = match answer.command {
            message::STARTUP => {
                self.block = answer.size.get().clamp(SHORTEST_BLOCK, BLOCK);
                0
            }
            message::SHUTDOWN | message::STOP_LAN => {
                self.leave();
                0
            }
            message::START_LAN if answer.lan != content::ETHERNET || answer.port != 0 => outcome::NOT_SUPPORTED,
            message::START_LAN if self.cable.port().is_none() => outcome::LAN_OFFLINE,
            message::START_LAN => {
                (self.started, self.told_up) = (true, true);
                self.cable.run(true, Takes::default());
                0
            }
            message::STATISTICS => {
                rest = self.statistics().as_bytes().to_vec();
                0
            }
            message::QUERY_ASSISTS => {
                let assists = Assists { can: Assists::GROUPS.into(), version: 4.into(), ..Assists::default() };
                rest = assists.as_bytes().to_vec();
                0
            }
            // The driver chooses among the frames to groups, which all come to it.
            message::SET_GROUP | message::DELETE_GROUP => 0,
            _ => outcome::NOT_SUPPORTED,
        };
        answer.outcome = done.into();
        self.answers.push_back([answer.as_bytes(), &rest].concat());
        true
    }

    fn statistics(&self) -> Statistics {
        let Counters { sent, received, wrong, lost, too_long } = self.counters;
        Statistics {
            mac: self.mac.0,
            deblocked: [sent, received].map(Into::into),
            sent: [sent, wrong, lost].map(Into::into),
            received: [received, 0, 0, too_long].map(Into::into),
            ..Statistics::default()
        }
    }

    /// READ: what there is, as much as a block has room for.
    fn read(&mut self, data: &mut Data<'_>) -> Outcome {
        self.tell_link();
        let room = (data.count() as usize).min(self.block.into()).saturating_sub(END.len());
        let mut block = Vec::new();
        while let Some(answer) = self.answers.front() {
            if block.len() + HEAD + answer.len() > room {
                break;
            }
            add(&mut block, content::MESSAGE, answer);
            self.answers.pop_front();
        }
        while let Some(frame) = self.next() {
            if block.len() + HEAD + frame.len() > room {
                match block.is_empty() {
                    true => self.counters.too_long += 1,
                    false => {
                        self.waits = Some(frame);
                        break;
                    }
                }
                continue;
            }
            self.counters.received += 1;
            add(&mut block, content::ETHERNET, &frame);
        }
        if block.is_empty() {
            return Outcome::Pending;
        }
        block.extend_from_slice(&END);
        data.store(&block);
        Outcome::ENDED
    }

    /// The next frame for the host.
    fn next(&mut self) -> Option<Vec<u8>> {
        if !self.started {
            return None;
        }
        self.waits.take().or_else(|| {
            let mut frame = Vec::new();
            self.cable.port()?.receive(&mut frame).then_some(frame)
        })
    }

    /// The cable was put into a port, or taken out: a host on the LAN is told.
    fn tell_link(&mut self) {
        let up = self.cable.port().is_some();
        if !self.started || self.told_up == up || self.answers.len() >= WAITING {
            return;
        }
        self.told_up = up;
        let command = if up { message::START_LAN } else { message::STOP_LAN };
        let told = Message { command, initiator: Message::STATION, lan: content::ETHERNET, ..Message::default() };
        self.answers.push_back(told.as_bytes().to_vec());
    }

    /// The host is on the LAN no longer.
    fn leave(&mut self) {
        if self.started {
            self.cable.run(false, Takes::default());
        }
        (self.started, self.waits) = (false, None);
    }

    /// The host begins anew.
    fn stop(&mut self) {
        self.leave();
        self.answers.clear();
        self.block = BLOCK;
    }
}

/// One of the two devices.
struct LcsDevice {
    role: Role,
    station: Arc<Mutex<Station>>,
}

impl LcsDevice {
    fn lock(&self) -> MutexGuard<'_, Station> {
        self.station.lock().held()
    }
}

impl Device for LcsDevice {
    fn describe(&self) -> Option<SenseId> {
        let (control_unit, model) = STATION;
        Some(SenseId::new(control_unit, model, 0, 0))
    }

    fn attached(&mut self, bell: Doorbell) {
        if self.role == Role::Read {
            let mut station = self.lock();
            station.cable.attach(bell.clone());
            station.bell = Some(bell);
        }
    }

    fn command(&mut self, command: Command, data: &mut Data<'_>) -> Outcome {
        let mut station = self.lock();
        match (self.role, command.code) {
            (_, basic::NO_OPERATION) => Outcome::ENDED,
            (Role::Write, WRITE) => station.write(data),
            (Role::Read, READ) => station.read(data),
            _ => Outcome::reject(SENSE_BYTES),
        }
    }

    fn sense(&mut self) -> Sense {
        Sense::new(SENSE_BYTES)
    }

    fn disabled(&mut self) {
        self.lock().stop();
    }

    fn halt(&mut self) -> DeviceStatus {
        DeviceStatus::ENDED
    }

    fn reset(&mut self, kind: Reset) {
        if kind == Reset::System {
            self.lock().stop();
        }
    }
}
