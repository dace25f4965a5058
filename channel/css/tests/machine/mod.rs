//! A small machine for channel programs: 64K of storage, one channel subsystem, and a device that does as it is told.

#![allow(dead_code)]

use arch::Absolute;
use arch::io::{Ccw, CcwFormat, DeviceStatus, Irb, Orb, SenseId, SubsystemId, orb_flag};
use css::{ChannelSubsystem, Command, Data, Device, Doorbell, Outcome, Reset, Sense, sense};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use storage::Storage;

/// What the test's side of a [`Probe`] sees and sets.
#[derive(Default)]
pub(crate) struct Panel {
    /// Records for READ and READ BACKWARD.
    pub records: VecDeque<Vec<u8>>,
    /// Commands performed, with their output data.
    pub log: Vec<(u8, Vec<u8>)>,
    /// Status to be presented when asked.
    pub status: VecDeque<DeviceStatus>,
    /// Lets WAIT end.
    pub released: bool,
    pub resets: Vec<Reset>,
    pub halted: bool,
    pub bell: Option<Doorbell>,
}

impl Panel {
    pub(crate) fn codes(&self) -> Vec<u8> {
        self.log.iter().map(|(code, _)| *code).collect()
    }
}

/// A device for tests.
pub(crate) struct Probe(pub Arc<Mutex<Panel>>);

pub(crate) const WRITE: u8 = 0x01;
pub(crate) const READ: u8 = 0x02;
pub(crate) const NOP: u8 = 0x03;
pub(crate) const SENSE: u8 = 0x04;
/// Channel end at once, device end when the panel says so.
pub(crate) const SEEK: u8 = 0x07;
pub(crate) const TIC: u8 = 0x08;
pub(crate) const READ_BACKWARD: u8 = 0x0c;
/// Wants exactly four bytes.
pub(crate) const CONTROL: u8 = 0x0f;
/// Pending until released; then reads a record.
pub(crate) const WAIT: u8 = 0x0a;
/// Status modifier if its four bytes are "GOAL".
pub(crate) const SEARCH: u8 = 0x31;
/// Takes all that the program has.
pub(crate) const BULK: u8 = 0x11;
pub(crate) const SENSE_ID: u8 = 0xe4;

impl Device for Probe {
    fn describe(&self) -> Option<SenseId> {
        Some(SenseId::new(0x3990, 0xe9, 0x3390, 0x0a))
    }

    fn attached(&mut self, bell: Doorbell) {
        self.0.lock().unwrap().bell = Some(bell);
    }

    fn command(&mut self, command: Command, data: &mut Data<'_>) -> Outcome {
        let mut panel = self.0.lock().unwrap();
        let mut written = Vec::new();
        let outcome = match command.code {
            WRITE => {
                written = data.fetch_up_to(80);
                Outcome::ENDED
            }
            READ | READ_BACKWARD => match panel.records.pop_front() {
                Some(record) => {
                    data.store(&record);
                    Outcome::ENDED
                }
                None => Outcome::Done(DeviceStatus::ENDED | DeviceStatus::UNIT_EXCEPTION),
            },
            WAIT if !panel.released => return Outcome::Pending,
            WAIT => {
                data.store(b"HELLO");
                Outcome::ENDED
            }
            NOP => Outcome::ENDED,
            BULK => {
                data.fetch_up_to(0xffff);
                Outcome::ENDED
            }
            SEEK => {
                written = data.fetch_up_to(6);
                Outcome::Done(DeviceStatus::CHANNEL_END)
            }
            CONTROL => {
                written = vec![0; 4];
                data.fetch(&mut written);
                Outcome::ENDED
            }
            SEARCH => {
                let mut key = [0; 4];
                data.fetch(&mut key);
                let found = if &key == b"GOAL" { DeviceStatus::STATUS_MODIFIER } else { DeviceStatus(0) };
                Outcome::Done(DeviceStatus::ENDED | found)
            }
            _ => Outcome::check(Sense::new(32).with(0, sense::COMMAND_REJECT).with(27, 0x80)),
        };
        panel.log.push((command.code, written));
        outcome
    }

    fn attention(&mut self) -> Option<DeviceStatus> {
        self.0.lock().unwrap().status.pop_front()
    }

    fn halt(&mut self) -> DeviceStatus {
        self.0.lock().unwrap().halted = true;
        DeviceStatus::ENDED
    }

    fn reset(&mut self, kind: Reset) {
        self.0.lock().unwrap().resets.push(kind);
    }
}

pub(crate) struct Machine {
    pub storage: Arc<Storage>,
    pub css: ChannelSubsystem,
    pub id: SubsystemId,
    pub panel: Arc<Mutex<Panel>>,
}

pub(crate) const SIZE: u64 = 0x10000;

impl Machine {
    /// One probe at device number 0500, enabled with ISC 3 and concurrent sense off.
    pub(crate) fn new() -> Machine {
        let storage = Arc::new(Storage::new(SIZE).unwrap());
        let mut css = ChannelSubsystem::new(storage.clone());
        let panel = Arc::new(Mutex::new(Panel::default()));
        let id = css.attach(0x500, Box::new(Probe(panel.clone()))).unwrap();
        let mut m = Machine { storage, css, id, panel };
        m.enable(3, false);
        m
    }

    pub(crate) fn enable(&mut self, isc: u8, concurrent_sense: bool) {
        let mut schib = self.css.store_subchannel(self.id).unwrap();
        schib.pmcw.set_isc(isc);
        schib.pmcw.flags |= arch::io::pmcw_flag::ENABLED;
        schib.pmcw.characteristics.set(concurrent_sense.into());
        assert_eq!(self.css.modify_subchannel(self.id, &schib), Ok(0));
    }

    pub(crate) fn put(&self, at: u64, bytes: &[u8]) {
        self.storage.write(Absolute(at), bytes).unwrap();
    }

    pub(crate) fn get(&self, at: u64, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.storage.read(Absolute(at), &mut bytes).unwrap();
        bytes
    }

    /// Format-1 CCWs from `at` on: command, flags, count, address.
    pub(crate) fn program(&self, at: u64, ccws: &[(u8, u8, u16, u32)]) {
        self.ccws(CcwFormat::One, at, ccws);
    }

    pub(crate) fn ccws(&self, format: CcwFormat, at: u64, ccws: &[(u8, u8, u16, u32)]) {
        for (n, &(command, flags, count, address)) in ccws.iter().enumerate() {
            let ccw = Ccw { command, flags, count, address };
            self.put(at + 8 * n as u64, &ccw.encode(format));
        }
    }

    pub(crate) fn record(&self, bytes: &[u8]) {
        self.panel.lock().unwrap().records.push_back(bytes.to_vec());
    }

    /// Starts the program at 1000, with flags of ORB word 1; format 1 and all paths are added.
    pub(crate) fn start(&mut self, flags: u32) {
        let orb = Orb::new(0xcafe, flags | orb_flag::FORMAT_1 | 0xff00, 0x1000);
        assert_eq!(self.css.start_subchannel(self.id, &orb), Ok(0));
    }

    /// Starts the program at 1000 and takes its end.
    pub(crate) fn run(&mut self, flags: u32) -> Irb {
        self.start(flags);
        self.interrupted()
    }

    /// Takes the interruption that must be pending, and its status.
    pub(crate) fn interrupted(&mut self) -> Irb {
        let code = self.css.take_interruption(0xff).expect("an interruption is pending");
        assert_eq!(code.subsystem_id, self.id.encode());
        let (cc, irb) = self.css.test_subchannel(self.id);
        assert_eq!(cc, 0);
        irb
    }

    pub(crate) fn status(&mut self, flags: u32) -> (DeviceStatus, u8) {
        let irb = self.run(flags);
        (irb.scsw.device, irb.scsw.subchannel)
    }
}

pub(crate) const CD: u8 = 0x80;
pub(crate) const CC: u8 = 0x40;
pub(crate) const SLI: u8 = 0x20;
pub(crate) const SKIP: u8 = 0x10;
pub(crate) const PCI: u8 = 0x08;
pub(crate) const IDA: u8 = 0x04;
pub(crate) const S: u8 = 0x02;
