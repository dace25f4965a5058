//! Virtual 3270s beside the console (SPECIAL and DEFINE GRAF): a terminal becomes one of them by DIAL.
//!
//! Until then the device answers that intervention is required. A terminal that is dialed to it shows its screen; the
//! device has become ready, of which the guest is told by device end.

use super::glass::{Glass, SENSE_BYTES, display_id};
use super::terminal::Terminal;
use arch::io::{DeviceStatus, SenseId};
use base::Held;
use css::{Command, Data, Device, Doorbell, Outcome, Reset, Sense};
use std::sync::{Arc, Mutex, MutexGuard};

struct Inner {
    vdev: u16,
    terminal: Option<Arc<Terminal>>,
    /// The guest has not been told yet that a terminal is there.
    arrived: bool,
    bell: Option<Doorbell>,
}

/// A virtual 3270 and the terminal that is dialed to it.
pub struct Graf {
    pub glass: Glass,
    inner: Mutex<Inner>,
}

/// What a terminal is dialed to.
#[derive(Clone)]
pub struct Line {
    /// The user it belongs to.
    pub userid: String,
    pub graf: Arc<Graf>,
}

impl Graf {
    pub fn new(vdev: u16) -> Arc<Graf> {
        let inner = Inner { vdev, terminal: None, arrived: false, bell: None };
        Arc::new(Graf { glass: Glass::default(), inner: Mutex::new(inner) })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().held()
    }

    pub fn vdev(&self) -> u16 {
        self.lock().vdev
    }

    /// DEFINE vdev AS vdev.
    pub fn renumber(&self, vdev: u16) {
        self.lock().vdev = vdev;
    }

    /// The terminal at it.
    pub fn terminal(&self) -> Option<Arc<Terminal>> {
        self.lock().terminal.clone()
    }

    /// A terminal is dialed to it, on a display of this size; `false` if one is there already.
    pub fn connect(&self, terminal: &Arc<Terminal>, size: tn3270::Size) -> bool {
        let bell = {
            let mut inner = self.lock();
            if inner.terminal.is_some() {
                return false;
            }
            (inner.terminal, inner.arrived) = (Some(terminal.clone()), true);
            inner.bell.clone()
        };
        self.glass.set_mode(true, size, false);
        if let Some(bell) = bell {
            bell.ring();
        }
        true
    }

    /// The terminal that was at it, which is not any more.
    pub fn disconnect(&self) -> Option<Arc<Terminal>> {
        let terminal = {
            let mut inner = self.lock();
            inner.arrived = false;
            inner.terminal.take()
        };
        self.glass.set_mode(false, tn3270::Size::new(24, 80), false);
        terminal
    }
}

/// The device.
pub struct VirtualGraf {
    graf: Arc<Graf>,
    bell: Option<Doorbell>,
}

impl VirtualGraf {
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
        let terminal = self.graf.terminal();
        self.graf.glass.command(command, data, terminal.as_deref(), self.bell.clone())
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
