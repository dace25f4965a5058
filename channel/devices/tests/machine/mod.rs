//! One device on a channel subsystem, driven by channel programs as guests write them.

// Each file of tests uses a part of this.
#![allow(dead_code)]

use arch::io::{DeviceStatus, Irb};
use teststand::{Command, Stand};

pub(crate) use teststand::SLI;

pub(crate) const ENDED: DeviceStatus = DeviceStatus::ENDED;
pub(crate) const CC_SLI: u8 = teststand::CC | SLI;

pub(crate) struct Machine {
    pub stand: Stand,
    pub id: arch::io::SubsystemId,
}

impl Machine {
    pub(crate) fn new(device: Box<dyn css::Device>) -> Machine {
        let stand = Stand::new(0x10000, 0x00c, [device]);
        Machine { id: stand.ids[0], stand }
    }

    /// Starts a channel program.
    pub(crate) fn start(&mut self, program: &[Command]) {
        assert_eq!(self.stand.start(0, program), 0);
    }

    pub(crate) fn end(&mut self) -> Irb {
        self.stand.pending(0).expect("status is pending")
    }

    pub(crate) fn run(&mut self, program: &[Command]) -> (u32, u16, DeviceStatus, u8) {
        self.start(program);
        let s = self.end().scsw;
        (s.ccw.get(), s.count.get(), s.device, s.subchannel)
    }

    /// Runs one command that must end in unit check and returns sense byte 0.
    pub(crate) fn sense_after(&mut self, command: u8) -> u8 {
        let (.., device, _) = self.run(&[(command, SLI, 1, 0x3000)]);
        assert!(device.has(DeviceStatus::UNIT_CHECK), "{command:02X}: {device:?}");
        assert_eq!(self.run(&[(0x04, SLI, 32, 0x3000)]).2, ENDED);
        self.stand.get(0x3000, 1)[0]
    }
}
