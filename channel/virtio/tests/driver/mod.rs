//! A driver of a virtio device, as Linux has one: channel programs and queues in storage.

// Each file of tests uses a part of this.
#![allow(dead_code)]

use arch::io::{DeviceStatus, Irb, SubsystemId, pmcw_characteristic, pmcw_flag};
use arch::virtio::{AdapterIndicators, Descriptor, Features, QueueParts, command, status};
use css::Device;
use teststand::Stand;
use zerocopy::{FromBytes, IntoBytes};

pub(crate) const STORAGE: u64 = 0x10_0000;
pub(crate) const SIZE: u16 = 16;
/// Where channel programs and their data lie.
pub(crate) const PROGRAM: u32 = 0x1000;
pub(crate) const DATA: u32 = 0x2000;
/// Indicators: the common area, its summary byte, the doubleword, that of the configuration.
pub(crate) const AREA: u64 = 0x3000;
pub(crate) const SUMMARY: u64 = 0x3080;
pub(crate) const CLASSIC: u64 = 0x3100;
pub(crate) const CONFIG: u64 = 0x3108;
/// Where queues lie, and buffers: a page each for a descriptor.
const QUEUES: u64 = 0x1_0000;
const BUFFERS: u64 = 0x4_0000;
pub(crate) const BUFFER: u64 = 0x800;

pub(crate) struct Driver {
    pub stand: Stand,
    pub id: SubsystemId,
    /// For each queue: entries made available, and entries seen as used.
    pub made: [u16; 4],
    pub seen: [u16; 4],
}

pub(crate) fn parts(queue: u16) -> QueueParts {
    let at = QUEUES + 0x1000 * u64::from(queue);
    QueueParts {
        descriptors: at.into(),
        index: queue.into(),
        size: SIZE.into(),
        available: (at + 0x400).into(),
        used: (at + 0x800).into(),
        ..QueueParts::default()
    }
}

impl Driver {
    pub(crate) fn new(device: Box<dyn Device>) -> Driver {
        let stand = Stand::new(STORAGE, 0x1000, [device]);
        let mut driver = Driver { id: stand.ids[0], stand, made: [0; 4], seen: [0; 4] };
        driver.enable(true);
        driver
    }

    pub(crate) fn enable(&mut self, enabled: bool) {
        let mut schib = self.stand.css.store_subchannel(self.id).unwrap();
        schib.pmcw.flags &= !pmcw_flag::ENABLED;
        schib.pmcw.flags |= if enabled { pmcw_flag::ENABLED } else { 0 };
        schib.pmcw.set_isc(3);
        schib.pmcw.characteristics |= pmcw_characteristic::CONCURRENT_SENSE;
        assert_eq!(self.stand.css.modify_subchannel(self.id, &schib), Ok(0));
    }

    /// One command with `count` bytes at [`DATA`]: how it ended.
    pub(crate) fn end(&mut self, code: u8, count: u16) -> Irb {
        assert_eq!(self.stand.start(0, &[(code, 0, count, DATA)]), 0);
        self.stand.pending(0).expect("status is pending")
    }

    /// One command with this data: what stands there afterwards. The error is that it is rejected.
    pub(crate) fn command(&mut self, code: u8, data: &[u8]) -> Result<Vec<u8>, ()> {
        self.stand.put(DATA.into(), data);
        let irb = self.end(code, data.len() as u16);
        if irb.scsw.device == DeviceStatus::ENDED {
            assert_eq!(irb.scsw.subchannel, 0, "command {code:02X}");
            return Ok(self.stand.get(DATA.into(), data.len()));
        }
        assert_eq!(irb.scsw.device, DeviceStatus::ENDED | DeviceStatus::UNIT_CHECK, "command {code:02X}");
        assert_eq!((irb.esw.sense_count(), irb.ecw[0]), (32, 0x80), "command {code:02X}");
        Err(())
    }

    pub(crate) fn status(&mut self, bits: u8) -> Result<Vec<u8>, ()> {
        self.command(command::WRITE_STATUS, &[bits])
    }

    pub(crate) fn features(&mut self, features: u64) {
        for (index, word) in [(0, features as u32), (1, (features >> 32) as u32)] {
            let block = Features { word: word.into(), index };
            self.command(command::WRITE_FEATURES, block.as_bytes()).unwrap();
        }
    }

    pub(crate) fn offered(&mut self) -> u64 {
        (0..2).fold(0, |all, index| {
            let block = Features { word: 0.into(), index };
            let answer = self.command(command::READ_FEATURES, block.as_bytes()).unwrap();
            all | u64::from(Features::read_from_bytes(&answer).unwrap().word.get()) << (32 * index)
        })
    }

    /// The sequence of Linux up to the queues.
    pub(crate) fn negotiate(&mut self, features: u64) {
        self.command(command::SET_REVISION, &[0, 2, 0, 0]).unwrap();
        self.command(command::RESET, &[]).unwrap();
        self.status(status::ACKNOWLEDGE).unwrap();
        self.status(status::ACKNOWLEDGE | status::DRIVER).unwrap();
        self.features(features);
        self.status(0x0b).unwrap();
    }

    /// The rest of it: `queues` queues, and adapter interruptions or classic ones.
    pub(crate) fn start(&mut self, queues: u16, adapter: bool) {
        for queue in 0..queues {
            let at = parts(queue);
            self.stand.put(at.descriptors.get(), &[0; 0x1000]);
            self.command(command::SET_QUEUE, at.as_bytes()).unwrap();
        }
        if adapter {
            let block = AdapterIndicators { summary: SUMMARY.into(), indicators: AREA.into(), first: 6.into(), isc: 3 };
            self.command(command::SET_ADAPTER_INDICATORS, block.as_bytes()).unwrap();
        } else {
            self.command(command::SET_INDICATORS, &CLASSIC.to_be_bytes()).unwrap();
        }
        self.command(command::SET_CONFIG_INDICATORS, &CONFIG.to_be_bytes()).unwrap();
        self.status(0x0f).unwrap();
        (self.made, self.seen) = ([0; 4], [0; 4]);
    }

    pub(crate) fn buffer(queue: u16, n: u16) -> u64 {
        BUFFERS + 0x2_0000 * u64::from(queue) + BUFFER * u64::from(n)
    }

    /// Describes buffer `n` of a queue in the descriptor of the same number.
    pub(crate) fn describe(&self, queue: u16, n: u16, length: u32, flags: u16, next: u16) {
        let descriptor = Descriptor {
            address: Driver::buffer(queue, n).into(),
            length: length.into(),
            flags: flags.into(),
            next: next.into(),
        };
        self.stand.put(parts(queue).descriptors.get() + 16 * u64::from(n), descriptor.as_bytes());
    }

    /// Makes the chain that begins with descriptor `head` available.
    pub(crate) fn offer(&mut self, queue: u16, head: u16) {
        let at = parts(queue).available.get();
        let made = &mut self.made[usize::from(queue)];
        let entry = at + 4 + 2 * u64::from(*made % SIZE);
        *made = made.wrapping_add(1);
        let made = *made;
        self.stand.put(entry, &head.to_le_bytes());
        self.stand.put(at + 2, &made.to_le_bytes());
    }

    /// Offers buffers that the device may write.
    pub(crate) fn fill(&mut self, queue: u16, buffers: std::ops::Range<u16>, length: u32) {
        for n in buffers {
            self.describe(queue, n, length, 2, 0);
            self.offer(queue, n);
        }
    }

    pub(crate) fn notify(&mut self, queue: u16) -> bool {
        self.stand.css.notify(self.id, queue)
    }

    /// What the device has used of a queue since this was asked last: head and length.
    pub(crate) fn used(&mut self, queue: u16) -> Vec<(u32, u32)> {
        let at = parts(queue).used.get();
        let index = u16::from_le_bytes(self.stand.get(at + 2, 2).try_into().unwrap());
        let seen = &mut self.seen[usize::from(queue)];
        let (first, count) = (*seen, index.wrapping_sub(*seen));
        *seen = index;
        let word = |at| u32::from_le_bytes(self.stand.get(at, 4).try_into().unwrap());
        let entry = |n: u16| at + 4 + 8 * u64::from(first.wrapping_add(n) % SIZE);
        (0..count).map(|n| (word(entry(n)), word(entry(n) + 4))).collect()
    }

    /// The adapter interruptions and those of subchannels that are pending: their number each.
    pub(crate) fn interruptions(&mut self) -> (usize, usize) {
        let (mut adapter, mut subchannel) = (0, 0);
        while let Some(io) = self.stand.css.take_interruption(0xff) {
            if io.identification.get() & 0x8000_0000 != 0 {
                assert_eq!(io.as_bytes(), [0, 0, 0, 0, 0, 0, 0, 0, 0x98, 0, 0, 0]);
                adapter += 1;
            } else {
                let (cc, irb) = self.stand.css.test_subchannel(self.id);
                assert_eq!((cc, irb.scsw.status_control(), irb.scsw.device), (0, 0x11, DeviceStatus(0)));
                subchannel += 1;
            }
        }
        (adapter, subchannel)
    }
}
