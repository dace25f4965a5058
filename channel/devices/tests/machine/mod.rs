//! One device on a channel subsystem, driven by channel programs as guests write them.

// Each file of tests uses a part of this.
#![allow(dead_code)]

use arch::Absolute;
use arch::io::{Ccw, CcwFormat, DeviceStatus, Irb, Orb, SubsystemId, pmcw_flag};
use css::ChannelSubsystem;
use std::sync::Arc;
use storage::Storage;

pub(crate) const ENDED: DeviceStatus = DeviceStatus::ENDED;
pub(crate) const CC_SLI: u8 = 0x60;
pub(crate) const SLI: u8 = 0x20;

pub(crate) struct Machine {
    pub storage: Arc<Storage>,
    pub css: ChannelSubsystem,
    pub id: SubsystemId,
}

impl Machine {
    pub(crate) fn new(device: Box<dyn css::Device>) -> Machine {
        let storage = Arc::new(Storage::new(0x10000).unwrap());
        let mut css = ChannelSubsystem::new(storage.clone());
        let id = css.attach(0x00c, device).unwrap();
        let mut schib = css.store_subchannel(id).unwrap();
        schib.pmcw.flags |= pmcw_flag::ENABLED;
        css.modify_subchannel(id, &schib).unwrap();
        Machine { storage, css, id }
    }

    pub(crate) fn put(&self, at: u64, bytes: &[u8]) {
        self.storage.write(Absolute(at), bytes).unwrap();
    }

    pub(crate) fn get(&self, at: u64, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.storage.read(Absolute(at), &mut bytes).unwrap();
        bytes
    }

    /// Starts format-1 CCWs: command, flags, count, address.
    pub(crate) fn start(&mut self, ccws: &[(u8, u8, u16, u32)]) {
        for (n, &(command, flags, count, address)) in ccws.iter().enumerate() {
            let ccw = Ccw { command, flags, count, address };
            self.put(0x1000 + 8 * n as u64, &ccw.encode(CcwFormat::One));
        }
        let orb = Orb::new(0, 0x0080_ff00, 0x1000);
        assert_eq!(self.css.start_subchannel(self.id, &orb), Ok(0));
    }

    pub(crate) fn end(&mut self) -> Irb {
        let (cc, irb) = self.css.test_subchannel(self.id);
        assert_eq!(cc, 0, "status is pending");
        irb
    }

    pub(crate) fn run(&mut self, ccws: &[(u8, u8, u16, u32)]) -> (u32, u16, DeviceStatus, u8) {
        self.start(ccws);
        let s = self.end().scsw;
        (s.ccw.get(), s.count.get(), s.device, s.subchannel)
    }

    /// Runs one command that must end in unit check and returns sense byte 0.
    pub(crate) fn sense_after(&mut self, command: u8) -> u8 {
        let (.., device, _) = self.run(&[(command, SLI, 1, 0x3000)]);
        assert!(device.has(DeviceStatus::UNIT_CHECK), "{command:02X}: {device:?}");
        assert_eq!(self.run(&[(0x04, SLI, 32, 0x3000)]).2, ENDED);
        self.get(0x3000, 1)[0]
    }
}
