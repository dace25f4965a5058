//! Virtio devices other than network cards: shared folders, disks, and more, as whatever runs CP has made them.

use arch::PAGE;
use base::Held;
use css::Device;
use std::sync::{Arc, Mutex};
use virtio::{Balloon, Valve, Virtio};

/// Makes the device by which the virtual machine reaches it.
type Make = Box<dyn Fn() -> Box<dyn Device> + Send + Sync>;
/// What there is to say of it.
type Say = Box<dyn Fn() -> String + Send + Sync>;

/// A virtio device. It stays when the virtual machine gets other hardware.
pub struct Peripheral {
    vdev: Mutex<u16>,
    /// What it is, in up to four letters: `9P`, say.
    name: &'static str,
    make: Make,
    say: Say,
    /// Its other side, if it is a balloon.
    valve: Option<Arc<Valve>>,
}

impl Peripheral {
    /// A device with this number. `make` makes what the channel subsystem knows; `say` says how it is.
    pub fn new(
        vdev: u16,
        name: &'static str,
        make: impl Fn() -> Box<dyn Device> + Send + Sync + 'static,
        say: impl Fn() -> String + Send + Sync + 'static,
    ) -> Arc<Peripheral> {
        Arc::new(Peripheral { vdev: Mutex::new(vdev), name, make: Box::new(make), say: Box::new(say), valve: None })
    }

    /// A balloon with this number.
    pub fn balloon(vdev: u16) -> Arc<Peripheral> {
        let valve = Valve::new();
        let (of_device, of_line) = (valve.clone(), valve.clone());
        let make: Make = Box::new(move || Box::new(Virtio::new(Balloon::new(of_device.clone()))));
        let say: Say = Box::new(move || {
            let figures = of_line.figures();
            let [wanted, given] = [figures.wanted, figures.given].map(|pages| u64::from(pages) * PAGE >> 20);
            let [free, available, total, reported] =
                [figures.free, figures.available, figures.total, figures.reported].map(|bytes| bytes >> 20);
            format!(
                "WANTED {wanted}M GIVEN {given}M FREE {free}M AVAILABLE {available}M OF {total}M REPORTED {reported}M"
            )
        });
        Arc::new(Peripheral { vdev: Mutex::new(vdev), name: "BALL", make, say, valve: Some(valve) })
    }

    /// Its other side, if it is a balloon.
    pub fn valve(&self) -> Option<Arc<Valve>> {
        self.valve.clone()
    }

    /// Its virtual device number.
    pub fn vdev(&self) -> u16 {
        *self.vdev.lock().held()
    }

    /// DEFINE vdev AS vdev.
    pub fn renumber(&self, vdev: u16) {
        *self.vdev.lock().held() = vdev;
    }

    /// What it is, in up to four letters.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The line of QUERY VIRTUAL.
    pub fn line(&self) -> String {
        format!("{:<4} {:04X} VIRTIO {}", self.name, self.vdev(), (self.say)())
    }

    /// The device by which the virtual machine reaches it.
    pub fn device(&self) -> Box<dyn Device> {
        (self.make)()
    }
}
