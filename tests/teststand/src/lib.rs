//! Devices on a channel subsystem with storage of their own, driven by channel programs as guests write them: what
//! tests of devices share.

use arch::Absolute;
use arch::io::{Ccw, CcwFormat, DeviceStatus, Irb, Orb, SubsystemId, pmcw_flag};
use base::{Clock, Tod};
use css::{ChannelSubsystem, Device};
use std::sync::Arc;
use storage::Storage;

/// CCW flag: chain command.
pub const CC: u8 = 0x40;
/// CCW flag: suppress length indication.
pub const SLI: u8 = 0x20;

/// Where the channel program of the first device is, and how far from it that of the next.
const PROGRAM: u64 = 0x1000;
const APART: u64 = 0x100;

/// A clock that stands still.
pub struct Still;

impl Clock for Still {
    fn now(&self) -> Tod {
        Tod(1 << 60)
    }
}

/// A command of a channel program: its code, flags, count and data address.
pub type Command = (u8, u8, u16, u32);

/// Devices, and what a guest has of them.
pub struct Stand {
    /// The guest's storage.
    pub storage: Arc<Storage>,
    /// What the devices are on.
    pub css: ChannelSubsystem,
    /// The devices' subchannels, which are enabled.
    pub ids: Vec<SubsystemId>,
}

impl Stand {
    /// `size` bytes of storage, and the devices at numbers from `first` on.
    ///
    /// # Panics
    ///
    /// If there is no such storage.
    pub fn new(size: u64, first: u16, devices: impl IntoIterator<Item = Box<dyn Device>>) -> Stand {
        let storage = Arc::new(Storage::new(size).expect("a test has little storage"));
        let mut css = ChannelSubsystem::new(storage.clone());
        let ids = devices.into_iter().zip(first..).map(|(device, number)| {
            let id = css.attach(number, device).expect("no other has its number");
            let mut schib = css.store_subchannel(id).expect("it is attached");
            schib.pmcw.flags |= pmcw_flag::ENABLED;
            css.modify_subchannel(id, &schib).expect("it is idle");
            id
        });
        let ids = ids.collect();
        Stand { storage, css, ids }
    }

    /// Writes into storage.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn put(&self, at: u64, bytes: &[u8]) {
        self.storage.write(Absolute(at), bytes).expect("there is storage");
    }

    /// Reads from storage.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn get(&self, at: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.storage.read(Absolute(at), &mut bytes).expect("there is storage");
        bytes
    }

    /// START SUBCHANNEL for a device with these format-1 CCWs: the condition code.
    ///
    /// # Panics
    ///
    /// If the operands are invalid.
    pub fn start(&mut self, device: usize, program: &[Command]) -> u8 {
        let at = PROGRAM + APART * device as u64;
        for (n, &(command, flags, count, address)) in program.iter().enumerate() {
            let ccw = Ccw { command, flags, count, address };
            self.put(at + 8 * n as u64, &ccw.encode(CcwFormat::One));
        }
        self.css.start_subchannel(self.ids[device], &Orb::new(0, 0x0080_ff00, at as u32)).expect("a valid ORB")
    }

    /// TEST SUBCHANNEL: what was pending.
    pub fn pending(&mut self, device: usize) -> Option<Irb> {
        let (cc, irb) = self.css.test_subchannel(self.ids[device]);
        (cc == 0).then_some(irb)
    }

    /// The device status that was pending.
    pub fn ended(&mut self, device: usize) -> Option<DeviceStatus> {
        self.pending(device).map(|irb| irb.scsw.device)
    }

    /// Devices look at what has rung.
    pub fn attend(&mut self) {
        (0..8).for_each(|_| self.css.attend());
    }
}
