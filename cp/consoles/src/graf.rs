//! Virtual 3270s beside the console (SPECIAL and DEFINE GRAF): a terminal becomes one of them by DIAL.
//!
//! Until then the device answers that intervention is required. A terminal that is dialed to it shows its screen; the
//! device has become ready, of which the guest is told by device end.

use super::glass::{Glass, SENSE_BYTES, display_id};
use super::host::Handle;
use arch::io::{DeviceStatus, SenseId};
use base::Held;
use css::{Command, Data, Device, Doorbell, Outcome, Reset, Sense};
use std::sync::{Arc, Mutex, MutexGuard};

struct Inner {
    vdev: u16,
    terminal: Option<Handle>,
    /// The guest has not been told yet that a terminal is there.
    arrived: bool,
    bell: Option<Doorbell>,
}

/// A virtual 3270 and the terminal that is dialed to it.
pub struct Graf {
    /// The guest's screen.
    pub glass: Glass,
    inner: Mutex<Inner>,
}

/// What a terminal is dialed to.
#[derive(Clone)]
pub struct Line {
    /// The user it belongs to.
    pub userid: String,
    /// The virtual 3270.
    pub graf: Arc<Graf>,
}

impl Graf {
    /// A virtual 3270 with this device number, and no terminal dialed to it.
    pub fn new(vdev: u16) -> Arc<Graf> {
        let inner = Inner { vdev, terminal: None, arrived: false, bell: None };
        Arc::new(Graf { glass: Glass::default(), inner: Mutex::new(inner) })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().held()
    }

    /// Its virtual device number.
    pub fn vdev(&self) -> u16 {
        self.lock().vdev
    }

    /// DEFINE vdev AS vdev.
    pub fn renumber(&self, vdev: u16) {
        self.lock().vdev = vdev;
    }

    /// The number of the terminal at it.
    pub fn terminal(&self) -> Option<u32> {
        self.lock().terminal.as_ref().map(|handle| handle.terminal)
    }

    /// A terminal is dialed to it, on a display of this size; `false` if one is there already.
    pub fn connect(&self, terminal: Handle, size: tn3270::Size) -> bool {
        let bell = {
            let mut inner = self.lock();
            if inner.terminal.is_some() {
                return false;
            }
            (inner.terminal, inner.arrived) = (Some(terminal), true);
            inner.bell.clone()
        };
        self.glass.set_mode(true, size, false);
        if let Some(bell) = bell {
            bell.ring();
        }
        true
    }

    /// The number of the terminal that was at it, which is not any more.
    pub fn disconnect(&self) -> Option<u32> {
        let terminal = {
            let mut inner = self.lock();
            inner.arrived = false;
            inner.terminal.take()
        };
        self.glass.set_mode(false, tn3270::Size::new(24, 80), false);
        terminal.map(|handle| handle.terminal)
    }
}

/// The device.
pub struct VirtualGraf {
    graf: Arc<Graf>,
    bell: Option<Doorbell>,
}

impl VirtualGraf {
    /// The device by which the virtual machine reaches `graf`.
    pub fn new(graf: Arc<Graf>) -> VirtualGraf {
        VirtualGraf { graf, bell: None }
    }
}

impl Device for VirtualGraf {
    fn describe(&self) -> Option<SenseId> {
        Some(display_id())
    }

    fn attached(&mut self, bell: Doorbell) {
        self.graf.lock().bell = Some(bell.clone());
        self.bell = Some(bell);
    }

    fn command(&mut self, command: Command, data: &mut Data<'_>) -> Outcome {
        let terminal = self.graf.lock().terminal.clone();
        self.graf.glass.command(command, data, self.bell.clone(), || terminal.iter().for_each(Handle::touch))
    }

    fn sense(&mut self) -> Sense {
        Sense::new(SENSE_BYTES)
    }

    fn attention(&mut self) -> Option<DeviceStatus> {
        let arrived = std::mem::take(&mut self.graf.lock().arrived);
        match arrived {
            true => Some(DeviceStatus::DEVICE_END),
            false => self.graf.glass.take_attention().then_some(DeviceStatus::ATTENTION),
        }
    }

    fn reset(&mut self, _: Reset) {
        self.graf.glass.reset();
    }
}
